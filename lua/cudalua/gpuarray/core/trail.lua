-- Follows the walk over an expression that came before. A walk (plan.lua) looks everything up: the next state of the
-- program, marks, equal numbers. A loop writes the same operations each time. So when an expression comes for the
-- second time, what its walk did is recorded, and the next time it only has to be compared: operation by operation,
-- operand by operand, in the order of the walk. If all of it is the same, the walk's record is filled as the walk would
-- have filled it. If not, nothing was done, and plan.lua walks.
--
-- The comparison covers what the program depends on: operations with their types, which operands are read again, how
-- arrays lie, and which numbers are equal. Two arrays that were different may be the same one now; the program reads it
-- twice. The values of numbers may change.

local planning = require "cudalua.gpuarray.core.planning"
local leaf_of = require("cudalua.gpuarray.core.storage").leaf_of

local type = type

local M = {}

---How many trails there are at most.
M.MOST = 64

-- ---- records --------------------------------------------------------------------------------------------------------

---What a walk did. It reaches the last operation of an expression first, so this one is number 1. Operands are numbered
---as the walk reaches them: number k is the operand slot[k] of operation of[k].
---@class cudalua.gpuarray.Trail
---@field reach integer       the operations that the expression reaches back over
---@field from table          the state of the program before
---@field state table         and after
---@field root boolean        the expression is the root of its walk
---@field sigs table[]        of the operations
---@field values integer[]    the numbers of their values
---@field of integer[]
---@field slot integer[]      1 to 3
---@field kind integer[]      what the operand is: LEAF to OPERATION_AGAIN
---@field at integer[]        its number: among leaves, numbers, operations
---@field leaves integer      how many there are,
---@field leaf_values integer[]  the numbers of their values,
---@field classes string[]    how they lie,
---@field dtypes table[]      and their dtypes
---@field scalars integer
---@field scalar_types table[]
---@field scalar_values integer[]
---@field repeats integer[]   as of a walk
---@field repeats_at integer[]
---@field last integer        the number of values

-- Kinds of operands: arrays, numbers and operations. The walk has reached those called AGAIN before.
local LEAF, LEAF_AGAIN, NUMBER, NUMBER_AGAIN, OPERATION, OPERATION_AGAIN = 1, 2, 3, 4, 5, 6

local known = {} -- signature of the last operation -> list of trails
local ring, turn = {}, 0 -- all of them; the oldest one makes room
local missed = {} -- signature -> reach -> how many walks had no trail; n: reaches

---Forgets everything.
function M.forget() known, ring, turn, missed = {}, {}, 0, {} end

-- The number of the parameter that a number of this type is; nil: the walk did not share it.
local function parameter_of(w, value, dtype)
  local n = w.scalar_of[value]
  return n and w.scalar_types[n] == dtype and w.scalars[n] == value and n or nil
end

local visit

-- Adds what an operand is. Returns false if no trail can be made.
local function add(t, w, x, k, slot, dtype)
  local n = #t.of + 1
  t.of[n], t.slot[n] = k, slot
  if type(x) == "number" then
    local p = parameter_of(w, x, dtype)
    if not p then return false end
    t.kind[n], t.at[n] = p > t.scalars and NUMBER or NUMBER_AGAIN, p
    if p > t.scalars then
      if p ~= t.scalars + 1 then return false end
      t.scalars, t.last = p, t.last + 1
      t.scalar_types[p], t.scalar_values[p] = dtype, t.last
    end
    return true
  end
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
    local r = #t.repeats + 1
    t.repeats[r], t.repeats_at[r] = sig and t.values[before] or t.leaf_values[before], t.last
    return true
  end
  if sig then return visit(t, w, x, n) end
  local l = t.leaves + 1
  t.leaves, t.last, t.found[x] = l, t.last + 1, l
  t.kind[n], t.at[n], t.leaf_values[l], t.classes[l], t.dtypes[l] = LEAF, l, t.last, w.classes[l], x.dtype
  return w.leaves[l] == x
end

-- Adds an operation, and its operands.
function visit(t, w, x, n)
  local sig, a, b = x._sig, x._a, x._b
  if not sig or sig.maps or sig.placeholder or sig.part then return false end
  local c = sig.z and x._c
  local k = #t.sigs + 1
  t.sigs[k], t.found[x] = sig, k
  t.values[k] = 0
  if n then t.kind[n], t.at[n] = OPERATION, k end
  local inner = k - (t.root and 1 or 0)
  if inner > 0 and w.inner[inner] ~= x then return false end
  if not add(t, w, a, k, 1, sig.x) then return false end
  if b and not add(t, w, b, k, 2, sig.y) then return false end
  if c and not add(t, w, c, k, 3, sig.z) then return false end
  t.last = t.last + 1
  t.values[k] = t.last
  return true
end

-- The trail of a walk over x that began as the first of its program; nil: it cannot be followed.
local function trail_of(w, x, from)
  local t = { reach = x._born - x._low, from = from, state = w.state, root = w.root == x, sigs = {}, values = {},
    of = {}, slot = {}, kind = {}, at = {}, leaves = 0, leaf_values = {}, classes = {}, dtypes = {}, scalars = 0,
    scalar_types = {}, scalar_values = {}, repeats = {}, repeats_at = {}, last = 0, found = {} }
  local done = visit(t, w, x)
  t.found = nil
  -- A finalizer may have changed the expression meanwhile.
  local same = done and t.last == w.values and t.leaves == w.nleaves and t.scalars == w.nscalars and
    #t.repeats == w.nrepeats and #t.sigs - (t.root and 1 or 0) == w.ninner
  for i = 1, same and t.scalars or 0 do same = same and t.scalar_values[i] == w.scalar_values[i] end
  for i = 1, same and w.nrepeats or 0 do
    same = same and t.repeats[i] == w.repeats[i] and t.repeats_at[i] == w.repeats_at[i]
  end
  return same and t or nil
end

local function without(list, t)
  for i = 1, #list do
    if list[i] == t then return table.remove(list, i) end
  end
end

-- Counts a walk without a trail. True if it is the second, the fourth, the eighth ... one of its kind. So expressions
-- that always come in another form cost little, and leave few trails.
local function is_time(sig, reach)
  local of = missed[sig]
  if not of or of.n >= 16 and not of[reach] then
    of = { n = 0 }
    missed[sig] = of
  end
  local count = (of[reach] or 0) + 1
  if count == 1 then of.n = of.n + 1 end
  of[reach] = count
  while count > 1 and count % 2 == 0 do count = count / 2 end
  return of[reach] > 1 and count == 1
end

---Notes that a walk went over an expression, and records what it did if the expression came before.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
---@param from table  the state of the program before
function M.note(w, x, from)
  local sig, reach = x._sig, x._born - x._low
  if planning.notes or not sig or not is_time(sig, reach) then return end
  local t = trail_of(w, x, from)
  if not t then return end
  turn = turn % M.MOST + 1
  local old = ring[turn]
  if old then without(known[old.sigs[1] ], old) end
  ring[turn], known[sig] = t, known[sig] or {}
  table.insert(known[sig], t)
end

-- ---- following ------------------------------------------------------------------------------------------------------

local class_of, enter -- of plan.lua

---Takes functions of plan.lua.
---@param of fun(w: cudalua.gpuarray.Walk, l: table): string  how a leaf lies
---@param check fun(w: cudalua.gpuarray.Walk, l: table)       what every leaf is checked for
function M.connect(of, check) class_of, enter = of, check end

-- Compares an expression with a trail. Operations are left in w.path, with their operands beside them, leaves in
-- w.leaves, and numbers in w.scalars. They hold for this moment even if a finalizer computes an array meanwhile.
local function compare(w, x, t)
  local nodes, firsts, seconds, thirds, leaves, scalars = w.path, w.firsts, w.seconds, w.thirds, w.leaves, w.scalars
  local of, slots, kinds, at, sigs = t.of, t.slot, t.kind, t.at, t.sigs
  local sig, a, b = x._sig, x._a, x._b local c = sig and sig.z and x._c -- luacheck: ignore 631
  if sig ~= sigs[1] then return false end
  nodes[1], firsts[1], seconds[1], thirds[1] = x, a, b, c
  for k = 1, #of do
    local i, slot, kind, n = of[k], slots[k], kinds[k], at[k]
    local o
    if slot == 1 then o = firsts[i] elseif slot == 2 then o = seconds[i] else o = thirds[i] end
    if kind == OPERATION then
      if type(o) ~= "table" then return false end
      sig, a, b = o._sig, o._a, o._b c = sig and sig.z and o._c -- luacheck: ignore 631
      if sig ~= sigs[n] or o._used > 0 then return false end
      nodes[n], firsts[n], seconds[n], thirds[n] = o, a, b, c
    elseif kind == NUMBER_AGAIN then
      if o ~= scalars[n] then return false end
    elseif kind == NUMBER then
      if type(o) ~= "number" or o ~= o or o == 0 then return false end
      scalars[n] = o
    elseif kind == OPERATION_AGAIN then
      if o ~= nodes[n] then return false end
    else
      if type(o) ~= "table" then return false end
      sig, b = o._sig, o._b
      if sig ~= false then return false end
      if b ~= o then o = b and b._leaf and b or leaf_of(o) end
      if kind == LEAF then
        if o.places or o.dtype ~= t.dtypes[n] or class_of(w, o) ~= t.classes[n] then return false end
        leaves[n] = o
      elseif o ~= leaves[n] then
        return false
      end
    end
  end
  return true
end

-- What was left must not live on.
local function leave(w, t, done)
  local nodes, firsts, seconds, thirds, leaves = w.path, w.firsts, w.seconds, w.thirds, w.leaves
  for i = 1, #t.sigs do nodes[i], firsts[i], seconds[i], thirds[i] = false, false, false, false end
  if not done then
    for i = 1, t.leaves do leaves[i] = false end
  end
end

-- Fills in what the walk would have.
local function fill(w, t)
  local start, nodes, inner, skip = w.start, w.path, w.inner, t.root and 1 or 0
  local values, leaves, classes = t.values, w.leaves, w.classes
  for i = 1, t.leaves do
    local l = leaves[i]
    enter(w, l)
    l._mark, classes[i] = start + t.leaf_values[i], t.classes[i]
    if classes[i] == "strided" then w.strided = true end
  end
  w.nleaves = t.leaves
  for i = 1, #t.sigs do
    local y = nodes[i]
    y._mark = start + values[i]
    if i > skip then inner[i - skip] = y end
  end
  w.ninner = #t.sigs - skip
  for i = 1, t.scalars do
    w.scalar_types[i], w.scalar_values[i] = t.scalar_types[i], t.scalar_values[i]
    w.scalar_of[w.scalars[i] ] = i
  end
  w.nscalars = t.scalars
  for i = 1, #t.repeats do w.repeats[i], w.repeats_at[i] = t.repeats[i], t.repeats_at[i] end
  w.nrepeats, w.values, w.state = #t.repeats, t.last, t.state
end

---Follows the trail of an expression that came before. The walk is the first of its program.
---@param w cudalua.gpuarray.Walk
---@param x cudalua.gpuarray.Array
---@return boolean done  false: there is no such trail
function M.follow(w, x)
  local list = known[x._sig]
  if not list then return false end
  local reach, from, root = x._born - x._low, w.state, w.root == x
  for i = 1, #list do
    local t = list[i]
    if t and t.reach == reach and t.from == from and t.root == root then
      local done = compare(w, x, t)
      if done then fill(w, t) end
      leave(w, t, done)
      if done then return true end
    end
  end
  return false
end

return M
