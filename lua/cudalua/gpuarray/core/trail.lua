-- Follows the walk over an expression that came before. A walk (plan.lua) looks everything up: the next state of the
-- program, marks, equal numbers, and what lies below index maps. A loop writes the same operations each time. So when
-- an expression comes for the second time, what its walk did is recorded, and the next time it only has to be compared:
-- operation by operation, operand by operand, each once. If all of it is the same, the walk's record is filled as the
-- walk would have filled it. If not, nothing was done, and plan.lua walks.
--
-- The comparison covers what the walk depends on: operations with their types, which operands are read again, how
-- arrays lie, and which numbers are equal. Two arrays that were different may be the same one now; the program reads it
-- twice. The values of numbers may change. Below index maps, a walk depends on shapes and strides as well, and on the
-- maps. It goes past an operand several times there, but the trail has each operand once.

local ends = require "cudalua.gpuarray.core.ends"
local planning = require "cudalua.gpuarray.core.planning"
local layout = require "cudalua.base.layout"
local leaf_of = require("cudalua.gpuarray.core.storage").leaf_of
local maps = require "cudalua.gpuarray.core.same_maps"
local number_from = require("cudalua.gpuarray.core.marks").number_from

local type, same, skew_of = type, layout.same, ends.skew_of

local M = {}

---How many trails there are at most.
M.MOST = 64

-- ---- records --------------------------------------------------------------------------------------------------------

---An expression, and what its walk left. The last operation of the expression is number 1. Operands are numbered as
---they are reached: number k is the operand slot[k] of operation of[k].
---@class cudalua.gpuarray.Trail
---@field reach integer       the operations that the expression reaches back over
---@field state table         of the program behind it
---@field root boolean        the expression is the root of its walk
---@field sigs table[]        of the operations
---@field of integer[]
---@field slot integer[]      1 to 3
---@field kind integer[]      what the operand is: LEAF to MASK
---@field at integer[]        its number: among arrays, numbers, operations, maps
---@field maps table[]        maps and masks
---@field zeros number[]      0 and -0
---@field arrays integer      how many there are,
---@field classes string[]    how they lie,
---@field dtypes table[]      and their dtypes
---@field numbers integer     how many there are
---@field mapped cudalua.gpuarray.TrailBelow|false  what else a walk with index maps depends on
---@field leaves (integer|table)[]  of the walk: the number of an array, or a mask's leaf
---@field leaf_classes string[]
---@field marks (integer|false)[]  values of the operations,
---@field array_marks (integer|false)[]  and of the arrays
---@field inner integer[]     numbers of operations, as of a walk
---@field scalars integer[]   the number that each value of the walk is; 0: a zero
---@field scalar_zeros number[]
---@field scalar_types table[]
---@field scalar_values integer[]
---@field repeats integer[]   as of a walk
---@field repeats_at integer[]
---@field values integer
---@field strided boolean

---@class cudalua.gpuarray.TrailBelow
---@field shape integer[]      of the program
---@field dense boolean
---@field shapes integer[][]   of the arrays,
---@field array_strides integer[][]
---@field skews integer[]
---@field strides table        as of a walk
---@field links table

-- Kinds of operands: arrays, numbers and operations, which have been reached before if they are called AGAIN. A zero is
-- never shared, and has a sign. Maps and masks belong to one operation.
local LEAF, LEAF_AGAIN, NUMBER, NUMBER_AGAIN, OPERATION, OPERATION_AGAIN, ZERO, MAP, MASK = 1, 2, 3, 4, 5, 6, 7, 8, 9

local known = {} -- signature of the last operation -> list of trails
local ring, turn = {}, 0 -- all of them; the oldest one makes room
local missed = {} -- state of a program -> how many expressions had no trail
local latest = 0 -- which one had none: its _born, as an evaluation may walk twice

---Forgets everything.
function M.forget() known, ring, turn, missed, latest = {}, {}, 0, {}, 0 end

local class_of, enter, find_first -- of plan.lua

---Takes functions of plan.lua.
---@param of fun(w: cudalua.gpuarray.Walk, l: table): string  how a leaf lies
---@param check fun(w: cudalua.gpuarray.Walk, l: table)       what every leaf is checked for
---@param first fun(w: cudalua.gpuarray.Walk): table?         what has to be stored before the kernel
function M.connect(of, check, first) class_of, enter, find_first = of, check, first end

-- ---- recording ------------------------------------------------------------------------------------------------------

local visit

-- Adds a number as a type.
local function add_number(t, n, x, dtype)
  if x ~= x then return false end
  if x == 0 then
    t.kind[n], t.at[n], t.zeros[n] = ZERO, 0, x
    return true
  end
  local of = t.number_of[dtype] or {}
  t.number_of[dtype] = of
  local before = of[x]
  if not before then
    t.numbers = t.numbers + 1
    of[x] = t.numbers
  end
  t.kind[n], t.at[n] = before and NUMBER_AGAIN or NUMBER, of[x]
  return true
end

-- Adds what an operand is. Returns false if no trail can be made.
local function add(t, w, x, k, slot, dtype)
  local n = #t.of + 1
  t.of[n], t.slot[n] = k, slot
  if type(x) == "number" then return add_number(t, n, x, dtype) end
  if type(x) ~= "table" then return false end
  local sig, b = x._sig, x._b
  if not sig then
    if sig == nil then return false end -- a value in a table
    if b ~= x then x = b and b._leaf and b or leaf_of(x) end
    if x.places then return false end
  end
  local before = t.found[x]
  if before then
    t.kind[n], t.at[n] = sig and OPERATION_AGAIN or LEAF_AGAIN, before
    return true
  end
  if sig then return visit(t, w, x, n) end
  local l = t.arrays + 1
  t.arrays, t.found[x], t.kind[n], t.at[n] = l, l, LEAF, l
  t.classes[l], t.dtypes[l], t.array_marks[l] = class_of(w, x), x.dtype, number_from(w.start, x) or false
  local m = t.mapped
  if m then m.shapes[l], m.array_strides[l], m.skews[l] = x.shape, x.strides, skew_of(x) end
  return true
end

-- Adds the map of an operation, or its mask.
local function add_map(t, map, k, slot, kind)
  local n, i = #t.of + 1, #t.maps + 1
  t.of[n], t.slot[n], t.kind[n], t.at[n], t.maps[i] = k, slot, kind, i, map
  return true
end

-- Adds an operation, and its operands.
function visit(t, w, x, n)
  local sig, a, b = x._sig, x._a, x._b local c = sig and sig.z and x._c -- luacheck: ignore 631
  if not sig or sig.placeholder or sig.reduces or sig.maps and not t.mapped then return false end
  local k = #t.sigs + 1
  t.sigs[k], t.found[x], t.marks[k] = sig, k, number_from(w.start, x) or false
  if n then t.kind[n], t.at[n] = OPERATION, k end
  if not add(t, w, a, k, 1, sig.x) then return false end
  if sig.maps and not sig.selects then return add_map(t, b, k, 2, MAP) end
  if b and not add(t, w, b, k, 2, sig.y) then return false end
  if sig.selects then return add_map(t, c, k, 3, MASK) end
  return not c or add(t, w, c, k, 3, sig.z)
end

-- Adds what the walk left, in terms of the trail's numbers. False: a finalizer has changed the expression meanwhile.
local function add_walk(t, w)
  local reached = {}
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    t.leaves[i], t.leaf_classes[i] = l.mask and l or t.found[l], w.classes[i]
    if not t.leaves[i] then return false end
    if not l.mask and not reached[l] then reached[l], reached[#reached + 1] = true, l end
  end
  for i = 1, w.ninner do
    t.inner[i] = t.found[w.inner[i] ]
    if not t.inner[i] or not t.sigs[t.inner[i] ] then return false end
  end
  for i = 1, w.nscalars do
    local dtype, value = w.scalar_types[i], w.scalars[i]
    local number = dtype and t.number_of[dtype] and t.number_of[dtype][value] or 0
    if number == 0 and value ~= 0 then return false end
    t.scalars[i], t.scalar_zeros[i], t.scalar_types[i], t.scalar_values[i] = number, value, dtype, w.scalar_values[i]
  end
  for i = 1, w.nrepeats do t.repeats[i], t.repeats_at[i] = w.repeats[i], w.repeats_at[i] end
  return #reached == t.arrays
end

-- The trail of a walk over x that began as the first of its program; nil: it cannot be followed.
local function trail_of(w, x)
  local below = w.below and { shape = w.shape, dense = w.dense, shapes = {}, array_strides = {}, skews = {},
    strides = w.strides, links = w.links }
  local t = { reach = x._born - x._low, state = w.state, root = w.root == x, sigs = {}, of = {}, slot = {}, kind = {},
    at = {}, maps = {}, zeros = {}, arrays = 0, classes = {}, dtypes = {}, numbers = 0, mapped = below, leaves = {},
    leaf_classes = {}, marks = {}, array_marks = {}, inner = {}, scalars = {}, scalar_zeros = {}, scalar_types = {},
    scalar_values = {}, repeats = {}, repeats_at = {}, values = w.values, strided = w.strided, found = {},
    number_of = {} }
  local done = visit(t, w, x) and add_walk(t, w)
  t.found, t.number_of = nil, nil
  return done and t or nil
end

local function without(list, t)
  for i = 1, #list do
    if list[i] == t then return table.remove(list, i) end
  end
end

-- Counts an expression without a trail. True for the second, the fourth, the eighth ... one of a program. So programs
-- whose arrays or maps are always others cost little, and leave few trails.
local function is_time(state, born)
  if born == latest then return false end
  latest = born
  local count = (missed[state] or 0) + 1
  missed[state] = count
  while count > 1 and count % 2 == 0 do count = count / 2 end
  return missed[state] > 1 and count == 1
end

---Notes that a walk went over an expression, and records what it did if the program came before.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
function M.note(w, x)
  local sig = x._sig
  if planning.notes or not sig or not is_time(w.state, x._born) or w.below and find_first(w) then return end
  local t = trail_of(w, x)
  if not t then return end
  turn = turn % M.MOST + 1
  local old = ring[turn]
  if old then without(known[old.sigs[1] ], old) end
  ring[turn], known[sig] = t, known[sig] or {}
  table.insert(known[sig], t)
end

-- ---- following ------------------------------------------------------------------------------------------------------

-- Does the walk suit a trail with index maps? Plans that are explained say more than a trail has.
local function is_like(w, m)
  return w.alone and w.dense == m.dense and same(w.shape, m.shape) and not planning.notes
end

local function lies_alike(m, n, l)
  return m.skews[n] == skew_of(l) and same(m.array_strides[n], l.strides) and same(m.shapes[n], l.shape)
end

-- Compares an expression with a trail. Operations are left in w.path, with their operands beside them, arrays in
-- w.arrays, and numbers in w.given. They hold for this moment even if a finalizer computes an array meanwhile. Returns
-- whether all is the same, and the number of the last operation that was left.
local function compare(w, x, t)
  local nodes, firsts, seconds, thirds, arrays, given = w.path, w.firsts, w.seconds, w.thirds, w.arrays, w.given
  local of, slots, kinds, at, sigs, m, last = t.of, t.slot, t.kind, t.at, t.sigs, t.mapped, 1
  local sig, a, b = x._sig, x._a, x._b local c = sig and sig.z and x._c -- luacheck: ignore 631
  nodes[1], firsts[1], seconds[1], thirds[1] = x, a, b, c
  if sig ~= sigs[1] then return false, last end
  for k = 1, #of do
    local i, slot, kind, n = of[k], slots[k], kinds[k], at[k]
    local o
    if slot == 1 then o = firsts[i] elseif slot == 2 then o = seconds[i] else o = thirds[i] end
    if kind == OPERATION then
      if type(o) ~= "table" then return false, last end
      sig, a, b = o._sig, o._a, o._b c = sig and sig.z and o._c -- luacheck: ignore 631
      if sig ~= sigs[n] or o._used > 0 then return false, last end
      nodes[n], firsts[n], seconds[n], thirds[n], last = o, a, b, c, n
    elseif kind == NUMBER_AGAIN then
      if o ~= given[n] then return false, last end
    elseif kind == NUMBER then
      if type(o) ~= "number" or o ~= o or o == 0 then return false, last end
      given[n] = o
    elseif kind == OPERATION_AGAIN then
      if o ~= nodes[n] then return false, last end
    elseif kind == ZERO then
      if type(o) ~= "number" or 1 / o ~= 1 / t.zeros[k] then return false, last end
    elseif kind == MAP then
      if not maps.same(o, t.maps[n]) then return false, last end
    elseif kind == MASK then
      if not maps.same_masks(o, t.maps[n]) then return false, last end
    else
      if type(o) ~= "table" then return false, last end
      sig, b = o._sig, o._b
      if sig ~= false then return false, last end
      if b ~= o then o = b and b._leaf and b or leaf_of(o) end
      if kind == LEAF then
        if o.places or o.dtype ~= t.dtypes[n] then return false, last end
        if m then
          if not lies_alike(m, n, o) then return false, last end
        elseif class_of(w, o) ~= t.classes[n] then
          return false, last
        end
        arrays[n] = o
      elseif o ~= arrays[n] then
        return false, last
      end
    end
  end
  return true, last
end

-- What was left must not live on.
local function leave(w, t, last)
  local nodes, firsts, seconds, thirds, arrays = w.path, w.firsts, w.seconds, w.thirds, w.arrays
  for i = 1, last do nodes[i], firsts[i], seconds[i], thirds[i] = false, false, false, false end
  for i = 1, t.arrays do arrays[i] = false end
end

local none = {}

-- Fills in what the walk would have.
local function fill(w, t)
  local start, nodes, arrays, leaves, inner, given = w.start, w.path, w.arrays, w.leaves, w.inner, w.given
  local m = t.mapped
  for i = 1, #t.leaves do
    local l = t.leaves[i]
    if type(l) == "number" then
      l = arrays[l]
      enter(w, l)
    end
    leaves[i], w.classes[i] = l, t.leaf_classes[i]
  end
  w.nleaves, w.strided = #t.leaves, t.strided
  for i = 1, t.arrays do
    if t.array_marks[i] then arrays[i]._mark = start + t.array_marks[i] end
  end
  for i = 1, #t.marks do
    if t.marks[i] then nodes[i]._mark = start + t.marks[i] end
  end
  for i = 1, #t.inner do inner[i] = nodes[t.inner[i] ] end
  w.ninner = #t.inner
  for i = 1, #t.scalars do
    local n, dtype = t.scalars[i], t.scalar_types[i]
    local value = n > 0 and given[n] or t.scalar_zeros[i]
    w.scalars[i], w.scalar_types[i], w.scalar_values[i] = value, dtype, t.scalar_values[i]
    if dtype then w.scalar_of[value] = i end
  end
  w.nscalars = #t.scalars
  for i = 1, #t.repeats do w.repeats[i], w.repeats_at[i] = t.repeats[i], t.repeats_at[i] end
  w.nrepeats, w.values, w.state = #t.repeats, t.values, t.state
  if m then w.below, w.met, w.strides, w.links = none, none, m.strides, m.links end
end

---Follows the trail of an expression that came before. The walk is the first of its program.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
---@return boolean done  false: there is no such trail
function M.follow(w, x)
  local list = known[x._sig]
  if not list then return false end
  local reach, root = x._born - x._low, w.root == x
  for i = 1, #list do
    local t = list[i]
    if t and t.reach == reach and t.root == root and (not t.mapped or is_like(w, t.mapped)) then
      local done, last = compare(w, x, t)
      if done then fill(w, t) end
      leave(w, t, last)
      if done then return true end
    end
  end
  return false
end

return M
