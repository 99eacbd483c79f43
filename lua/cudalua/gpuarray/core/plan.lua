-- From an expression to the kernel that computes it. A walk over the expression writes it as a program for a machine
-- with a stack, one token after the other, and steps through a tree of all programs seen before: at its end is the
-- kernel. Tokens are objects or numbers and are compared as such, so that nothing is built or hashed on the way.
-- What the walk collects is what the kernel is called with; values of scalars are among that and never in the program.

local again = require "cudalua.gpuarray.core.again"
local dtypes = require "cudalua.dtype"
local kept_ends = require "cudalua.gpuarray.core.ends"
local errors = require "cudalua.base.errors"
local layout = require "cudalua.base.layout"
local rows = require "cudalua.gpuarray.kernel.thread_rows"
local leaf_of = require("cudalua.gpuarray.core.storage").leaf_of
local marks = require "cudalua.gpuarray.core.marks"
local strides_of = require "cudalua.gpuarray.core.strides"
local tile = require "cudalua.gpuarray.kernel.tile"
local trail = require "cudalua.gpuarray.core.trail"

local type, abs, ceil, floor, max, min = type, math.abs, math.ceil, math.floor, math.max, math.min

local number_from, ordered = marks.number_from, strides_of.ordered

local M = {}

-- ---- tokens -------------------------------------------------------------------------------------------------------
-- signature   (graph.lua) takes its operands from the stack
-- number k    the k-th value of this program once more
-- others are below

-- dtype -> layout class -> token. Classes of leaves: "dense" (element i, aligned), "odd" (the same, not aligned),
-- "one" (the same element always), "strided".
local leaf_tokens, scalar_tokens = {}, {}
-- Leaves without memory, whose elements are their own places in C order, from 0: what random numbers are made of.
local place_tokens = {}
for _, dt in ipairs(dtypes.list) do
  leaf_tokens[dt] = {}
  for _, class in ipairs { "dense", "odd", "one", "strided" } do
    leaf_tokens[dt][class] = { kind = "leaf", dtype = dt, class = class }
  end
  scalar_tokens[dt] = { kind = "scalar", dtype = dt }
end
for _, class in ipairs { "dense", "one", "strided" } do
  place_tokens[class] = { kind = "leaf", dtype = dtypes.uint64, class = class, places = true }
end

-- The end of a program: how the output lies and elements are found.
local dense_end, odd_end = { kind = "end", class = "dense" }, { kind = "end", class = "odd" }
local ends = { strided = {}, rows = {}, words = {}, tiled = {} } -- a number that is made of all fields -> token

-- How an operand steps along the innermost axis of a strided program: 0, 1, or by a parameter. Operands that are read
-- as tiles step so along the tile's other axis.
local steps = { [0] = { kind = "step", step = 0 }, [1] = { kind = "step", step = 1 }, any = { kind = "step" } }
local tile_steps = { [1] = { kind = "step", tiled = true, step = 1 }, any = { kind = "step", tiled = true } }
local same_steps = {} -- k -> token: as the k-th operand

local root = {}

local function grow(state, token)
  local next = { parent = state, token = token }
  state[token] = next
  return next
end

---The tokens of a program.
---@param state table  its last one
---@return table[]
function M.tokens(state)
  local list = {}
  while state.parent do
    table.insert(list, 1, state.token)
    state = state.parent
  end
  return list
end

-- ---- the walk -----------------------------------------------------------------------------------------------------

local spare = false -- a walk that is not under way; another one begins a new one, as in a finalizer that computes

---A walk over an expression, and what it found. It is the launch of the expression's kernel, too.
---@class cudalua.gpuarray.Walk : cudalua.gpuarray.Launch
---@field state table          the program up to here: a node of the tree of programs
---@field start integer        of its marks (marks.lua): an operand that it came by is marked with start + number of its
---  value
---@field values integer       of the program, so far: operands and results
---@field shape integer[]      of the result
---@field dense boolean        element i of the program is element i of its result in C order
---@field nleaves integer
---@field classes string[]     how each leaf lies: "dense", "odd", "one", "strided"
---@field strided boolean      some leaf is "strided"
---@field scalars any[]        values
---@field nscalars integer
---@field scalar_types table[]  the dtypes that numbers are taken as, which may occur again; false for other values
---@field scalar_values integer[]  which value of the program each is
---@field scalar_of table<number, integer>  where a number stands in the list
---@field root any             the array that is computed, or false; it does not count as an inner one
---@field inner table[]        pending arrays that are computed on the way
---@field ninner integer
---@field repeats integer[]    values that occur again, in order; repeats_at: how many values there were by then
---@field nrepeats integer
---@field again table[]        inner nodes that another kernel has computed already, with lists beside it: again_from
---  and again_to, the values within; again_leaf and again_leaves, the leaves; again_operations; again_share (again.lua)
---@field nagain integer
---@field path table[]         operations that a long walk is within, with lists beside it: signatures; firsts, seconds
---  and thirds, the operands; entries, of `again`
---@field arrays table[]       those of a trail that is compared (trail.lua), with its numbers beside it: given
---@field depth integer        of the path
---@field context integer|false  of the leaves: core.context_id()
---@field home userdata|false  memory of that context
---@field drawn any            a pending array of random numbers, or false
---@field misfit boolean       random numbers are needed in another order than the program makes them in
---@field numbered boolean     the kernel knows each element's place, in any order
---@field numbers number[]     extents and strides that the kernel is called with
---@field largest integer      bytes of an element of the largest of several results
---@field bytes integer        of an element of all results together; 0 for one result
---@field maps boolean         the kernel can read mapped arrays (mapped.lua)
---@field alone boolean        the program computes nothing but the root
---@field below table|false    the maps that were met, and then
---@field met table|false      expressions below them,
---@field nodes table|false    their nodes,
---@field strides table|false  and by leaf: strides along the program's axes,
---@field links table|false    and the links of these
---@field first any            what has to be stored before, or false
---@field rows table|false     a row kernel computes reductions on the way (reduce/row.lua)

---Begins a walk.
---@param shape integer[]  of the result
---@param dense boolean     element i of the program is element i of its result in C order
---@return cudalua.gpuarray.Walk
function M.begin(shape, dense)
  local w
  w, spare = spare, false
  w = w or { leaves = {}, classes = {}, scalars = {}, inner = {}, numbers = {}, arguments = {}, writes = {},
    root = false, met = false, strides = false, links = false, repeats = {}, repeats_at = {}, again = {},
    again_from = {}, again_to = {}, again_leaf = {}, again_leaves = {}, again_operations = {}, again_share = {},
    scalar_types = {}, scalar_values = {}, scalar_of = {}, path = {}, signatures = {}, firsts = {}, seconds = {},
    thirds = {}, entries = {}, arrays = {}, given = {} }
  w.start = marks.begin()
  w.state, w.values, w.nleaves, w.nscalars, w.ninner, w.blocks = root, 0, 0, 0, 0, false
  w.nrepeats, w.nagain = 0, 0
  w.shape, w.dense, w.strided, w.context, w.largest, w.bytes = shape, dense, false, false, 0, 0
  w.home, w.drawn, w.misfit, w.numbered, w.nwrites = false, false, false, false, 0
  w.kernel, w.changes, w.scratch, w.mailbox = false, false, false, false
  w.maps, w.below, w.nodes, w.first, w.depth, w.rows, w.alone = false, false, false, false, 0, false, false
  return w
end

---Ends it.
---@param w cudalua.gpuarray.Walk
---@param computed boolean  the kernel was launched
function M.finish(w, computed)
  local leaves, inner, scalars, types = w.leaves, w.inner, w.scalars, w.scalar_types
  marks.finish(w.start, w.values)
  for i = 1, w.nleaves do leaves[i] = false end -- memory must not live on here
  for i = 1, w.nscalars do
    if types[i] then w.scalar_of[scalars[i]] = nil end
  end
  if computed then again.note(w) end
  for i = 1, w.ninner do inner[i] = false end
  for i = 1, w.nagain do w.again[i] = false end
  for i = 1, w.nwrites do w.writes[i] = false end
  w.root, w.home, w.drawn, w.kernel, w.scratch, w.mailbox = false, false, false, false, false, false
  w.below, w.met, w.nodes, w.first, w.strides, w.links, w.rows = false, false, false, false, false, false, false
  spare = w
end

---The array that must be stored before this kernel because an index map reads it (mapped.lua).
---@param w cudalua.gpuarray.Walk
---@return cudalua.gpuarray.Array?
function M.stored_first(w)
  if not w.below then return w.first or nil end
  return M.find_first(w)
end

---What is evaluated before this kernel, which cannot compute it: what an index map has to read from memory, and random
---numbers that the kernel could not make one after the other, or would make again and again. Kernels that know each
---element's place say so (w.numbered).
---@param w cudalua.gpuarray.Walk
---@return cudalua.gpuarray.Array?
function M.needed_first(w)
  if w.drawn and (w.misfit or w.strided and not w.numbered) then return w.drawn end
  return M.stored_first(w)
end

---The same, and inner values that other kernels have computed already, if storing them moves fewer bytes than computing
---them again and again (again.lua).
---@param w cudalua.gpuarray.Walk
---@return cudalua.gpuarray.Array?
function M.computed_before(w)
  local first = M.needed_first(w)
  if first then return first end
  if w.nagain > 0 then return again.choose(w) end
end

local same = layout.same

local function step(w, token)
  local state = w.state
  w.state = state[token] or grow(state, token)
end

local function other_context(l)
  errors.raise("LogicError", ("gpuarray: an expression uses arrays of two contexts; one of them has the shape " ..
    "%s"):format(
    layout.text(l.shape)))
end

M.other_context = other_context

-- The checks of an array that the program reads.
local function enter(w, l)
  local store = l.store
  if store.released and store.buf == l.buf then
    errors.raise("LogicError", ("gpuarray: the memory of an operand of shape %s was released before "
      .. "the expression was computed; call eval() on the expression first"):format(layout.text(l.shape)))
  end
  local context = store.context
  if context ~= w.context and not l.places then
    if w.context then other_context(l) end
    w.context, w.home = context, l.buf
  end
end

local function unsupported(l)
  errors.raise("LogicError", ("gpuarray: operations do not support the dtype %s"):format(l.dtype.name))
end

local function class_of(w, l)
  if w.dense and l.dense and (l.shape == w.shape or same(l.shape, w.shape)) then
    return l.aligned and "dense" or "odd"
  end
  local shape = l.shape
  for k = 1, #shape do
    if shape[k] ~= 1 then return "strided" end
  end
  return "one"
end
trail.connect(class_of, enter, function(w) return M.find_first(w) end)

local function leaf(w, l)
  enter(w, l)
  local class = class_of(w, l)
  if class == "strided" then w.strided = true end
  l._mark = w.start + w.values
  local n = w.nleaves + 1
  w.nleaves, w.leaves[n], w.classes[n] = n, l, class
  if l.places then
    w.drawn = l.node
    w.misfit = w.misfit or class ~= "dense" and not (w.numbered and same(l.shape, w.shape))
    return step(w, place_tokens[class])
  end
  local tokens = leaf_tokens[l.dtype] or unsupported(l)
  step(w, tokens[class])
end
M.enter, M.leaf, M.unsupported = enter, leaf, unsupported

-- Records the start of a value that another kernel has already computed.
local function begin_again(w, x)
  local n = w.nagain + 1
  w.nagain, w.again[n], w.again_from[n], w.again_leaf[n], w.again_operations[n], w.again_share[n] =
    n, x, w.values, w.nleaves, w.ninner - 1, 0
  return n
end

-- An operation is noted before its operands, which returns its number in `again` or 0, and once more after them.
local function begin_operation(w, x)
  if x == w.root then return 0 end
  w.ninner = w.ninner + 1
  w.inner[w.ninner] = x
  return x._used > 0 and begin_again(w, x) or 0
end

local function end_operation(w, x, sig, n)
  w.values = w.values + 1
  x._mark = w.start + w.values
  if n > 0 then
    w.again_to[n], w.again_leaves[n], w.again_operations[n] = w.values, w.nleaves, w.ninner - w.again_operations[n]
  end
  return step(w, sig)
end

local function scalar(w, x, dtype, shared_as)
  local n = w.nscalars + 1
  w.nscalars, w.values = n, w.values + 1
  w.scalars[n], w.scalar_types[n], w.scalar_values[n] = x, shared_as, w.values
  return step(w, scalar_tokens[dtype])
end

-- Equal numbers share one parameter, so the compiler can see that an expression computes something twice: cdf(x) and
-- cdf(-x) contain the same constants. If numbers happen to be equal, the expression is compiled once more. 0 is left
-- out because it equals -0, and NaN because it cannot be a key of a table.
local function number(w, x, dtype)
  if x == 0 or x ~= x then return scalar(w, x, dtype, false) end
  local k = w.scalar_of[x]
  if k and w.scalar_types[k] == dtype then return step(w, w.scalar_values[k]) end
  w.scalar_of[x] = w.nscalars + 1
  return scalar(w, x, dtype, dtype)
end

local walk

-- The least number of operations for which loops are used. LuaJIT traces a loop better than a function that calls
-- itself, but a loop with few iterations does not pay.
local LONG = 16

-- Does the same as walk() for a long expression: follows the first operands down to one that is not an operation, and
-- then goes back.
local function walk_long(w, x)
  local nodes, signatures, seconds, thirds, before = w.path, w.signatures, w.seconds, w.thirds, w.depth
  local depth, start = before, w.start
  while true do
    local sig, a, b = x._sig, x._a, x._b local c = sig and sig.z and x._c -- luacheck: ignore 631
    if not sig or sig.maps then
      w.depth = depth
      walk(w, x)
      break
    end
    local n = begin_operation(w, x)
    depth = depth + 1
    nodes[depth], signatures[depth], seconds[depth], thirds[depth], w.entries[depth] = x, sig, b, c, n
    if type(a) ~= "table" or not a._sig or number_from(start, a) then
      w.depth = depth
      walk(w, a, sig.x)
      break
    end
    x = a
  end
  for k = depth, before + 1, -1 do
    local y, sig, b, c, n = nodes[k], signatures[k], seconds[k], thirds[k], w.entries[k]
    nodes[k], seconds[k], thirds[k] = false, false, false
    w.depth = k - 1
    if type(b) == "number" then
      number(w, b, sig.y)
    elseif b then
      walk(w, b, sig.y)
    end
    if c then walk(w, c, sig.z) end
    end_operation(w, y, sig, n)
  end
end

-- The same for the first expression of a program, whose trail may be known.
local function walk_first(w, x)
  if trail.follow(w, x) then return end
  walk_long(w, x)
  trail.note(w, x)
end

---Walks over an operand: a leaf, a pending array, a number or another boxed value, that is taken as a `dtype`.
---@param w cudalua.gpuarray.Walk
---@param x any
---@param dtype? cudalua.dtype.DType  of a value
function walk(w, x, dtype)
  if type(x) == "number" then return number(w, x, dtype) end
  local sig, b, a, c = x._sig, x._b if sig then a, c = x._a, sig.z and x._c end -- on one line: see docs/architecture.md
  if not sig and b ~= x then
    if sig == nil then return scalar(w, x._scalar, dtype, false) end
    return walk(w, b and b._leaf and b or leaf_of(x))
  end
  local known = number_from(w.start, x)
  if known then
    local n = w.nrepeats + 1
    w.nrepeats, w.repeats[n], w.repeats_at[n] = n, known, w.values
    return step(w, known)
  end
  if not sig then
    w.values = w.values + 1
    return leaf(w, x)
  end
  if sig.maps then return M.walk_map(w, x, sig, a, b, c) end -- reductions, too
  if x._born - x._low >= LONG then
    if w.values == 0 and w.depth == 0 and not w.below then return walk_first(w, x) end
    return walk_long(w, x)
  end
  local n = begin_operation(w, x)
  walk(w, a, sig.x)
  if b then walk(w, b, sig.y) end
  if c then walk(w, c, sig.z) end
  return end_operation(w, x, sig, n)
end
M.walk = walk

---Walks over the only result of a kernel that can read mapped arrays. Its trail may be known, also if it is short, as
---walks below index maps take long.
---@param w cudalua.gpuarray.Walk
---@param x any
---@param dtype? cudalua.dtype.DType  of a value
function M.walk_alone(w, x, dtype)
  w.root, w.maps, w.alone = x, true, true
  local sig = type(x) == "table" and x._sig
  if not sig or not sig.maps and x._born - x._low >= LONG then return walk(w, x, dtype) end
  if trail.follow(w, x) then return end
  walk(w, x, dtype)
  if w.below then trail.note(w, x) end
end

-- ---- strided programs -----------------------------------------------------------------------------------------------

---Strides of an operand along the axes of the result, in elements.
---@param l table          a leaf that broadcasts to the shape
---@param shape integer[]
---@param skip? integer    axes of the shape before the leaf's first one; default: so that the last ones go together
---@return integer[]
local function along(l, shape, skip)
  skip = skip or #shape - #l.shape
  local out, own, itemsize = {}, l.shape, l.dtype.itemsize
  for k = 1, #shape do
    local extent = own[k - skip]
    out[k] = extent and extent ~= 1 and l.strides[k - skip] / itemsize or 0
  end
  return out
end

---Strides, in bytes, of a new array whose axes lie in the order of those of the operands.
---@param w cudalua.gpuarray.Walk
---@param x any  what was walked over: pending array or leaf
---@param itemsize integer
---@return integer[]? strides  nil: C order
function M.kept_order(w, x, itemsize)
  if not w.strided or not strides_of.may_differ(w.leaves, w.nleaves, w.shape) then return nil end
  local axes = strides_of.order(x)
  return axes and strides_of.strides_in(axes, w.shape, itemsize) or nil
end

local no_links = {}

-- Joins axes that all operands step through alike, and leaves out those of one element. `links`: for each operand and
-- axis, those of index maps (mapped_end.lua); an axis that has some is joined with no other.
local function collapse(shape, operands, axes, links)
  local extents, joined, kept, m, alone = {}, {}, links and {}, 0, true
  for i = 1, #operands do
    joined[i] = {}
    if links then kept[i] = {} end
  end
  for _, axis in ipairs(axes) do
    local e = shape[axis]
    if e ~= 1 then
      local fits = not alone
      alone = false
      for i = 1, #operands do
        if links and #(links[i][axis] or no_links) > 0 then alone, fits = true, false end
        if fits and joined[i][m] ~= operands[i][axis] * e then fits = false end
      end
      if fits then
        extents[m] = extents[m] * e
      else
        m = m + 1
        extents[m] = e
      end
      for i = 1, #operands do
        joined[i][m] = operands[i][axis]
        if links then kept[i][m] = not fits and links[i][axis] or kept[i][m] or no_links end
      end
    end
  end
  if m == 0 then
    extents[1] = 1
    for i = 1, #operands do
      joined[i][1] = 0
      if links then kept[i][1] = no_links end
    end
  end
  return extents, joined, kept
end

local LIMIT = 2 ^ 31

M.always_wide = false -- for tests: 64 bits also where 32 will do

-- Is any element so far away that 32 bits do not count to it?
local function is_wide(extents, joined, size)
  if size >= LIMIT or M.always_wide then return true end
  for i = 1, #joined do
    local reach = 0
    for k = 1, #extents do reach = reach + (extents[k] - 1) * abs(joined[i][k]) end
    if reach >= LIMIT then return true end
  end
  return false
end

-- Division by d of numbers below 2^31, without dividing: (mulhi(n, multiplier) + n) >> shift.
local magics = {}

local function magic(d)
  local m = magics[d]
  if not m then
    local shift = 0
    while 2 ^ shift < d do shift = shift + 1 end
    -- floor(2^32 (2^shift - d) / d) + 1, in two steps that doubles hold exactly
    local rest = 2 ^ shift - d
    local high = floor(rest * 2 ^ 16 / d)
    local low = floor((rest * 2 ^ 16 - high * d) * 2 ^ 16 / d)
    m = { high * 2 ^ 16 + low + 1, shift }
    magics[d] = m
  end
  return m[1], m[2]
end

-- The end of a strided program: `pack` elements along the last axis are read and written together, by tiles, by rows,
-- in rows by words of elements that lie anywhere, or each pack for itself, in so many chunks.
local kinds = { strided = 0, rows = 1, words = 2, tiled = 3 }

local function end_token(class, rank, wide, pack, chunks, t, r)
  local key = ((rank * 2 + (wide and 1 or 0)) * 4 + kinds[class]) * 32 + pack
  if t then
    key = (((key * 64 + t.axis) * 4096 + t.across) * 4096 + t.along) * 2 + (t.thin and 1 or 0)
  else
    key = (key * 32 + chunks) * 512 + (r and r.threads or 0)
  end
  local token = ends[class][key]
  if not token then
    token = { kind = "end", class = class, rank = rank, wide = wide, pack = pack, chunks = chunks }
    if t then token.axis, token.across, token.along, token.thin = t.axis, t.across, t.along, t.thin end
    if r then token.threads = r.threads end
    ends[class][key] = token
  end
  return token
end

-- How many elements can be read and written together in a strided program.
local function pack_of(extents, joined, leaves, whole, largest)
  local rank = #extents
  local pack = 16 / largest
  while pack > 1 and extents[rank] % pack ~= 0 do pack = pack / 2 end
  for i = 1, #joined do
    if i == 1 or joined[i][rank] ~= 0 then
      while pack > 1 and not tile.in_words(leaves[i], joined[i], rank, pack) do pack = pack / 2 end
    end
  end
  for _, l in ipairs(whole) do
    while pack > 1 and not tile.in_words(l, {}, 0, pack) do pack = pack / 2 end
  end
  return pack
end

-- Adds what divides by an extent.
local function add_extent(numbers, n, extent, wide)
  numbers[n + 1] = extent
  if wide then return n + 1 end
  numbers[n + 2], numbers[n + 3] = magic(extent)
  return n + 3
end

---Adds the extents of axes to the numbers of a kernel, but for the first, which it does not need.
---@param numbers number[]
---@param count integer  how many there are already
---@param extents integer[]
---@param rank integer
---@param wide boolean   elements are numbered with 64 bits
---@return integer count
function M.put_extents(numbers, count, extents, rank, wide)
  for k = 2, rank do count = add_extent(numbers, count, extents[k], wide) end
  return count
end

-- Which operand before the i-th one has the same strides.
local function same_before(joined, i)
  for k = 1, i - 1 do
    if same(joined[k], joined[i]) then return k end
  end
end

local function same_step(k)
  local token = same_steps[k]
  if not token then
    token = { kind = "step", same = k }
    same_steps[k] = token
  end
  return token
end

-- Does every operand step by one element along the last axis, or stay?
local function are_unit(joined, rank)
  for i = 1, #joined do
    local s = joined[i][rank]
    if s ~= 1 and (s ~= 0 or i == 1) then return false end
  end
  return true
end

-- How a strided program goes through its elements: the token of its end; rows, if it goes by them.
local function way_of(extents, joined, leaves, whole, wide, size, largest, sum)
  local rank = #extents
  local pack = pack_of(extents, joined, leaves, whole, largest)
  local read = #whole
  for _, l in ipairs(whole) do sum = sum + l.dtype.itemsize end
  for i = 2, #joined do
    if joined[i][rank] ~= 0 then
      sum, read = sum + leaves[i].dtype.itemsize, read + 1
    end
  end
  local words = largest <= 2 and pack * largest < 4 and are_unit(joined, rank)
  local own = words and 4 / largest or pack
  local chunks = rows.chunks(own, largest, sum, read, own > 1 and rows.BYTES or rows.DENSE_BYTES)
  local r = rows.choose(size / extents[rank], ceil(extents[rank] / own), words and min(chunks, 4) or chunks)
  if r then return end_token(words and "words" or "rows", rank, wide, own, r.chunks, nil, r), r end
  return end_token("strided", rank, wide, pack, rows.chunks(pack, largest, sum, read, pack > 1 and rows.BYTES or
    rows.DENSE_BYTES))
end

local function strided_end(w, out, size)
  local numbers, shape = w.numbers, w.shape
  local operands, leaves, whole, largest = { along(out, shape) }, { out }, {}, max(out.dtype.itemsize, w.largest)
  for i = 1, w.nleaves do
    local class, l = w.classes[i], w.leaves[i]
    if class == "strided" then
      operands[#operands + 1], leaves[#leaves + 1] = along(l, shape), l
    elseif class ~= "one" then
      whole[#whole + 1] = l
    end
    if class ~= "one" then largest = max(largest, l.dtype.itemsize) end
  end
  local extents, joined = collapse(shape, operands, ordered(shape, operands[1]))
  local rank, wide, n = #extents, is_wide(extents, joined, size), 0
  local t = tile.choose(extents, joined, leaves, whole, largest)
  local shifted = not t and not wide and M.shifted_end(w, extents, joined, nil, size)
  if shifted then return shifted end
  if t then
    step(w, end_token("tiled", rank, wide, t.pack, 0, t))
    n = M.put_extents(numbers, n, tile.counts(t, extents), rank, false)
    numbers[n + 1], numbers[n + 2] = extents[t.axis], extents[rank]
    n = n + 2
    w.blocks = t.blocks
  else
    local sum = w.bytes > 0 and w.bytes or out.dtype.itemsize
    local token, r = way_of(extents, joined, leaves, whole, wide, size, largest, sum)
    step(w, token)
    if r then
      w.blocks = r.blocks
      n = add_extent(numbers, n, r.parts, false)
      numbers[n + 1] = size / extents[rank]
      numbers[n + 2] = token.class == "words" and extents[rank] or extents[rank] / token.pack
      n = n + 2
      n = M.put_extents(numbers, n, extents, rank - 1, wide)
    else
      for k = 2, rank do n = add_extent(numbers, n, k == rank and extents[k] / token.pack or extents[k], wide) end
    end
  end
  for i = 1, #operands do
    local strides, tiled = joined[i], t and t.tiled[i]
    local before = same_before(joined, i)
    if before and (not t or t.tiled[before] == tiled) then
      step(w, same_step(before))
    else
      local fast = tiled and t.axis or rank
      local token = tiled and (tile_steps[strides[fast]] or tile_steps.any) or steps[strides[fast]] or steps.any
      step(w, token)
      for k = 1, rank do
        if not (k == fast and token.step) then
          n = n + 1
          numbers[n] = strides[k]
        end
      end
    end
  end
  return n
end

---Ends the program with its output.
---@param w cudalua.gpuarray.Walk
---@param out table          leaf that is written to
---@param size integer
---@return table state       `kernel` of it is the kernel, if there is one yet
---@return integer count     of w.numbers, which a strided program needs; w.blocks is how many blocks it takes, where
---  not each of them does as many elements as the kernel says
function M.close(w, out, size)
  if not w.below and not w.strided and w.dense and out.dense then
    step(w, out.aligned and dense_end or odd_end)
    return w.state, 0
  end
  local before, n = w.state, kept_ends.follow(w, out)
  if not n then
    n = w.below and M.mapped_end(w, out, size) or strided_end(w, out, size)
    kept_ends.keep(before, w, out, n)
  end
  return w.state, n
end

-- dtype -> token: the value is stored, and the program goes on; see fuse.lua.
M.store_tokens = {}
for _, dt in ipairs(dtypes.list) do M.store_tokens[dt] = { kind = "store", dtype = dt } end

-- For programs that end in another way: see reduce.lua.
M.step, M.steps, M.along, M.ordered, M.collapse, M.LIMIT = step, steps, along, ordered, collapse, LIMIT
M.add_extent = add_extent

return M
