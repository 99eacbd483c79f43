-- Random arrays as expressions: an operation on the places of elements, from which a kernel makes each number where it
-- is needed. Nothing is computed or stored here until it is needed.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local ops = require "cudalua.gpuarray.kernel.ops"
local philox = require "cudalua.random.philox"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

local places_dtype, state_dtype = dtypes.uint64, dtypes.complex128

-- ---- operations -----------------------------------------------------------------------------------------------------

-- An operation of places, a generator's state, and, where there is a third operand, its type.
local function operation(name, piece, result, code, third)
  local pieces = { piece }
  return { id = name .. " " .. result.name, name = name, arity = third and 3 or 2, values = 1,
    weak = { [2] = state_dtype, [3] = third }, infer = function() return result, places_dtype, state_dtype, third end,
    code = function() return code, true end, pieces = function() return pieces end }
end

-- One that has a twin, `near`, for draws whose counters agree in their high words: see philox.cuh.
local function twofold(name, piece, result, code, third)
  local op = operation(name, piece, result, code, third)
  op.near = operation(name, piece, result, (code:gsub("%$2", "cl_random_near{$2}")), third)
  op.near.id = op.id .. " near"
  return op
end

local function by_type(name, piece, names)
  local list = {}
  for dtype in names:gmatch "%S+" do
    list[dtype] = twofold(name, piece, dtypes[dtype], ("cl_%s_%s($1, $2)"):format(name, dtype))
  end
  return list
end

---Distributions, by name and the dtype in which they are made.
M.ops = {
  uniform = by_type("random_uniform", "uniform", "float16 bfloat16 float32 float64"),
  positive = by_type("random_positive", "uniform", "float32 float64"),
  bits = by_type("random_bits", "philox", "uint32 uint64"),
  normal = by_type("random_normal", "normal", "float32 float64"),
  exponential = by_type("random_exponential", "normal", "float32 float64"),
  bounded32 = twofold("random_bounded", "uniform", dtypes.uint32, "cl_random_bounded_uint32($1, $2, $3)",
    dtypes.uint32),
  bounded64 = twofold("random_bounded", "uniform", dtypes.uint64, "cl_random_bounded_uint64($1, $2, $3)",
    dtypes.uint64),
  gamma = operation("random_gamma", "gamma", dtypes.float64, "cl_random_gamma($1, $2, $3)", dtypes.float64),
  log_gamma = operation("random_log_gamma", "gamma", dtypes.float64, "cl_random_log_gamma($1, $2, $3)",
    dtypes.float64),
  poisson = operation("random_poisson", "counts", dtypes.int64, "cl_random_poisson($1, $2, $3)", dtypes.float64),
  binomial = operation("random_binomial", "counts", dtypes.int64, "cl_random_binomial($1, $2, $3)", state_dtype),
  bijection = operation("random_bijection", "bijection", dtypes.uint64, "cl_random_bijection($1, $2, $3)",
    dtypes.uint64),
}

-- Operations on values: of one type, or by type.
local function function_of(name, piece, arity, result, code, operand)
  local pieces = { piece }
  return { id = name .. " " .. result.name, name = name, arity = arity, values = 1, weak = {},
    infer = function() return result, operand, arity > 1 and operand or nil end,
    code = function() return code, true end, pieces = function() return pieces end }
end

local float64 = dtypes.float64
M.exp = { float32 = function_of("random_exp", "functions", 1, dtypes.float32, "cl_random_exp($1)", dtypes.float32),
  float64 = function_of("random_exp", "functions", 1, float64, "cl_random_exp($1)", float64) }
M.ratio = function_of("random_ratio", "gamma", 2, float64, "cl_random_ratio($1, $2)", float64)
M.pair = function_of("random_pair", "counts", 2, state_dtype, "cl_random_pair($1, $2)", float64)

-- ---- expressions ----------------------------------------------------------------------------------------------------

local nowhere = core.pointer(0)

-- The places 0, 1, ... of an array's elements in C order, as an array that has no memory.
local function places(shape)
  local store = storage.new_store(nowhere, 0, false)
  local leaf = storage.new_leaf(store, 0, places_dtype, shape, storage.dense_strides(shape, places_dtype.itemsize))
  leaf.places = true
  return storage.array_of(leaf), leaf
end

local WORDS = 4 -- of a block: elements of 4 bytes, or twice as many bytes

-- The places of the elements that a part of an axis has, and the state that they are counted from. A run of elements
-- begins at a later state, or at an offset if that is within a block; others have the places of their rows.
local function places_in_part(op, shape, state, part)
  local axis, before, behind, own = part.axis, {}, {}, { unpack(shape) }
  own[axis] = part.past - part.first
  local rows, row = 1, 1
  for k, extent in ipairs(own) do
    before[k], behind[k] = k < axis and extent or 1, k < axis and 1 or extent
    if k < axis then rows = rows * extent elseif k > axis then row = row * extent end
  end
  if rows <= 1 then
    local array, leaf = places(own)
    local skipped, each = part.first * row, op.infer().itemsize == 8 and WORDS / 2 or WORDS
    if skipped % WORDS > 0 then return state, graph.binary(ops.add, array, skipped), leaf end
    return skipped > 0 and philox.later(state, skipped / each) or state, array, leaf
  end
  local inner = gpuarray.arange(part.first * row, part.past * row, 1, places_dtype):reshape(behind)
  local outer = (gpuarray.arange(rows, places_dtype) * (shape[axis] * row)):reshape(before)
  return state, graph.binary(ops.add, outer, inner), nil
end

-- An array of parameters as one that lies as the numbers do, so that a kernel has both by the same place.
local function dense(x, shape)
  local leaf = not x._sig and storage.leaf_of(x)
  if leaf and leaf.dense and layout.same(leaf.shape, shape) then return x end
  return gpuarray.broadcast_to(x, shape):copy "C"
end

---Random numbers, as a pending array.
---@param op table        one of M.ops
---@param shape integer[] not to be changed any more; of the whole array
---@param state ffi.cdata*  of philox.state()
---@param third? any      number or array, if the operation has a third operand
---@param part? {axis: integer, first: integer, past: integer}  the part of an axis that is made, counted from 0, of
---  numbers that take a word of a block for each 4 bytes; nil: all of it
---@return cudalua.gpuarray.Array
function M.draw(op, shape, state, third, part)
  if graph.limits_lifted() then
    errors.raise("LogicError", "gpuarray.fuse: the function draws random numbers, which would be the same in each " ..
      "call; draw them outside and pass them as an argument")
  end
  hooks.draws = hooks.draws + 1
  if op.near and philox.position(state) % 2 ^ 32 + graph.size_of(shape) <= 2 ^ 32 then op = op.near end
  local array, leaf
  if part then state, array, leaf = places_in_part(op, shape, state, part) else array, leaf = places(shape) end
  local x
  if op.arity == 3 then
    x = graph.ternary(op, array, state, object.is_array(third) and dense(third, shape) or third)
  else
    x = graph.binary(op, array, state)
  end
  if leaf then leaf.node = x end
  return x
end

return M
