-- From an expression to the kernel that computes it. A walk over the expression writes it as a program for a machine
-- with a stack, one token after the other, and steps through a tree of all programs seen before: at its end is the
-- kernel. Tokens are objects or numbers and are compared as such, so that nothing is built or hashed on the way.
-- What the walk collects is what the kernel is called with; values of scalars are among that and never in the program.

local dtypes = require "cudalua.dtype"
local errors = require "cudalua.errors"
local layout = require "cudalua.layout"

local type, abs, floor = type, math.abs, math.floor

local M = {}

-- ---- tokens -------------------------------------------------------------------------------------------------------
-- signature   (graph.lua) takes its operands from the stack
-- number k    the k-th value of this program once more
-- others are below

-- dtype -> layout class -> token. Classes of leaves: "dense" (element i, aligned), "odd" (the same, not aligned),
-- "one" (the same element always), "strided".
local leaf_tokens, scalar_tokens = {}, {}
for _, dt in ipairs(dtypes.list) do
  leaf_tokens[dt] = {}
  for _, class in ipairs { "dense", "odd", "one", "strided" } do
    leaf_tokens[dt][class] = { kind = "leaf", dtype = dt, class = class }
  end
  scalar_tokens[dt] = { kind = "scalar", dtype = dt }
end

-- The end of a program: how the output lies and elements are found.
local dense_end, odd_end = { kind = "end", class = "dense" }, { kind = "end", class = "odd" }
local strided_ends = {} -- rank and width -> token

-- How an operand steps along the innermost axis of a strided program: 0, 1, or by a parameter.
local steps = { [0] = { kind = "step", step = 0 }, [1] = { kind = "step", step = 1 }, any = { kind = "step" } }

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

local serial = 0
local spare -- a walk that is not under way; another one begins a new one, as in a finalizer that computes

---Begins a walk.
---@param shape integer[]  of the result
---@param dense boolean     element i of the program is element i of its result in C order
---@return table walk
function M.begin(shape, dense)
  local w = spare or { leaves = {}, classes = {}, scalars = {}, inner = {}, numbers = {}, arguments = {}, root = false }
  spare = nil
  serial = serial + 1
  w.serial, w.state, w.values, w.nleaves, w.nscalars, w.ninner = serial, root, 0, 0, 0, 0
  w.shape, w.dense, w.strided, w.whole, w.context = shape, dense, false, false, false
  return w
end

---Ends it.
---@param w table
---@param computed boolean  the kernel was launched
function M.finish(w, computed)
  local leaves, inner = w.leaves, w.inner
  for i = 1, w.nleaves do leaves[i] = false end -- memory must not live on here
  for i = 1, w.ninner do
    if computed then inner[i]._used = inner[i]._used + 1 end
    inner[i] = false
  end
  w.root = false
  spare = w
end

---The outermost operand that other kernels have computed already, so many times, on the way to something else: it is
---evaluated before this one goes on. What is evaluated for that reason may compute its own operands once more.
---@param w table
---@param times integer
---@return cudalua.gpuarray.Array?
function M.computed_before(w, times)
  for i = 1, w.ninner do
    if w.inner[i]._used >= times then return w.inner[i] end
  end
end

local same = layout.same

local function step(w, token)
  local state = w.state
  w.state = state[token] or grow(state, token)
end

local function other_context(l)
  errors.raise("LogicError", ("gpuarray: an expression has arrays of two contexts; one of them is of shape %s"):format(
    layout.text(l.shape)))
end

M.other_context = other_context

local function leaf(w, l)
  local store = l.store
  if store.released and store.buf == l.buf then
    errors.raise("LogicError", ("gpuarray: the memory of an operand of shape %s was released"):format(
      layout.text(l.shape)))
  end
  local context = store.context
  if context ~= w.context then
    if w.context then other_context(l) end
    w.context = context
  end
  local class
  if w.dense and l.dense and (l.shape == w.shape or same(l.shape, w.shape)) then
    class = l.aligned and "dense" or "odd"
    w.whole = true
  else
    class = "one"
    local shape = l.shape
    for k = 1, #shape do
      if shape[k] ~= 1 then
        class, w.strided = "strided", true
        break
      end
    end
  end
  l._mark, l._num = w.serial, w.values
  local n = w.nleaves + 1
  w.nleaves, w.leaves[n], w.classes[n] = n, l, class
  local tokens = leaf_tokens[l.dtype]
  if not tokens then
    errors.raise("LogicError", ("gpuarray: there are no operations on elements of %s"):format(l.dtype.name))
  end
  step(w, tokens[class])
end

---Walks over an operand: a leaf, a pending array, a number or another boxed value, that is taken as a `dtype`.
---@param w table
---@param x any
---@param dtype? cudalua.dtype.DType  of a value
local function walk(w, x, dtype)
  if type(x) == "number" then
    w.nscalars = w.nscalars + 1
    w.scalars[w.nscalars] = x
    w.values = w.values + 1
    return step(w, scalar_tokens[dtype])
  end
  x = x._first or x
  if x._mark == w.serial then return step(w, x._num) end
  if x._leaf == true then
    w.values = w.values + 1
    return leaf(w, x)
  end
  local sig = x._sig
  if not sig then
    w.nscalars = w.nscalars + 1
    w.scalars[w.nscalars] = x._scalar
    w.values = w.values + 1
    return step(w, scalar_tokens[dtype])
  end
  if x ~= w.root then
    w.ninner = w.ninner + 1
    w.inner[w.ninner] = x
  end
  walk(w, x._a, sig.x)
  if x._b then walk(w, x._b, sig.y) end
  if x._c then walk(w, x._c, sig.z) end
  w.values = w.values + 1
  x._mark, x._num = w.serial, w.values
  return step(w, sig)
end
M.walk = walk

-- ---- strided programs -----------------------------------------------------------------------------------------------

-- Strides of an operand along the axes of the result, in elements.
local function along(l, shape)
  local out, skip, own, itemsize = {}, #shape - #l.shape, l.shape, l.dtype.itemsize
  for k = 1, #shape do
    local extent = own[k - skip]
    out[k] = extent and extent ~= 1 and l.strides[k - skip] / itemsize or 0
  end
  return out
end

-- Axes in the order of these strides, the largest first; axes of one element come last.
local function ordered(shape, strides)
  local axes = {}
  for k = 1, #shape do axes[k] = k end
  table.sort(axes, function(a, b)
    local sa, sb = abs(strides[a]), abs(strides[b])
    if sa == sb then return a < b end
    return sa > sb
  end)
  return axes
end

---Strides, in bytes, of a new array whose axes lie in the order of those of the operands.
---@param w table
---@param itemsize integer
---@return integer[]? strides  nil: C order
function M.kept_order(w, itemsize)
  if w.whole or not w.strided then return nil end
  local shape = w.shape
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    if #l.shape == #shape and same(l.shape, shape) then
      local axes, strides, bytes, in_order = ordered(shape, l.strides), {}, itemsize, true
      for k = #axes, 1, -1 do
        strides[axes[k]] = bytes
        bytes = bytes * shape[axes[k]]
        in_order = in_order and (axes[k] == k or shape[axes[k]] == 1)
      end
      return not in_order and strides or nil
    end
  end
end

-- Joins axes that all operands step through alike, and leaves out those of one element.
local function collapse(shape, operands, axes)
  local extents, m = {}, 0
  local joined = {}
  for i = 1, #operands do joined[i] = {} end
  for _, axis in ipairs(axes) do
    local e = shape[axis]
    if e ~= 1 then
      local fits = m > 0
      for i = 1, #operands do
        if fits and joined[i][m] ~= operands[i][axis] * e then fits = false end
      end
      if fits then
        extents[m] = extents[m] * e
      else
        m = m + 1
        extents[m] = e
      end
      for i = 1, #operands do joined[i][m] = operands[i][axis] end
    end
  end
  if m == 0 then
    extents[1] = 1
    for i = 1, #operands do joined[i][1] = 0 end
  end
  return extents, joined
end

local LIMIT = 2 ^ 31

-- Is any element so far away that 32 bits do not count to it?
local function is_wide(extents, joined, size)
  if size >= LIMIT then return true end
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

local function strided_end(w, out, size)
  local numbers = w.numbers
  local shape = w.shape
  local operands = { along(out, shape) }
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then operands[#operands + 1] = along(w.leaves[i], shape) end
  end
  local extents, joined = collapse(shape, operands, ordered(shape, operands[1]))
  local rank, wide = #extents, is_wide(extents, joined, size)
  local key = wide and -rank or rank
  if not strided_ends[key] then
    strided_ends[key] = { kind = "end", class = "strided", rank = rank, wide = wide }
  end
  step(w, strided_ends[key])
  local n = 0
  for k = 2, rank do
    numbers[n + 1] = extents[k]
    n = n + 1
    if not wide then
      numbers[n + 1], numbers[n + 2] = magic(extents[k])
      n = n + 2
    end
  end
  for i = 1, #operands do
    local strides = joined[i]
    local inner = strides[rank]
    local token = steps[inner] or steps.any
    step(w, token)
    for k = 1, rank - (token.step and 1 or 0) do
      n = n + 1
      numbers[n] = strides[k]
    end
  end
  return n
end

---Ends the program with its output.
---@param w table
---@param out table          leaf that is written to
---@param size integer
---@return table state       `kernel` of it is the kernel, if there is one yet
---@return integer count     of w.numbers, which a strided program needs
function M.close(w, out, size)
  local n = 0
  if w.strided or not w.dense or not out.dense then
    n = strided_end(w, out, size)
  else
    step(w, out.aligned and dense_end or odd_end)
  end
  return w.state, n
end

-- dtype -> token: the value is stored, and the program goes on; see fuse.lua.
M.store_tokens = {}
for _, dt in ipairs(dtypes.list) do M.store_tokens[dt] = { kind = "store", dtype = dt } end

-- For programs that end in another way: see reduce.lua.
M.step, M.steps, M.along, M.ordered, M.collapse, M.magic, M.LIMIT = step, steps, along, ordered, collapse, magic, LIMIT

return M
