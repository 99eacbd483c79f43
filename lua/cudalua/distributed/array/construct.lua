-- Distributed arrays from arrays that ranks have, and from nothing. Each rank makes its own block, whose elements
-- depend on their positions in the whole array and not on the number of ranks.

local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local generator = require "cudalua.random.generator"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local groups = require "cudalua.distributed.group"
local layout = require "cudalua.base.layout"
local make = require "cudalua.gpuarray.core.make"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local pieces = require "cudalua.distributed.array.pieces"
local random = require "cudalua.random"
local sharded = require "cudalua.distributed.array.sharded"
local surplus = require "cudalua.base.surplus"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.distributed
local M = {}

-- ---- axes -----------------------------------------------------------------------------------------------------------

-- The divided axis of an array that is made: the first one by default, none for `false` and for 0-d arrays.
local function axis_of(what, axis, ndim)
  if axis == false or axis == nil and ndim == 0 then return nil end
  if axis == nil then return 1 end
  return layout.axis(what, axis, ndim)
end

-- ---- from arrays ----------------------------------------------------------------------------------------------------

local SHARD = { group = true, root = true }

local function check_array(what, a)
  if object.is_array(a) then return a._dtype, a._shape end
  if ndarray.is_array(a) then return a.dtype, a.shape end
  if sharded.is(a) then
    refuse(what, "the array is distributed already; call %s", what == "replicate"
      and "a:redistribute(), which gives all ranks the whole array"
      or "a:redistribute(axis) to divide it along another axis")
  end
  refuse(what, "expected an array, got %s%s", element.describe(a), type(a) == "table" and not getmetatable(a)
    and "; convert it with gpuarray.to_gpu(values)" or "")
end

-- A copy of some positions of an array, on the device.
local function part_of(a, axis, first, past)
  if object.is_array(a) then return view.copy(pieces.cut(a, axis, first, past), "C") end
  return gpuarray.to_gpu(a[pieces.items(axis, first, past)])
end

-- Root tells the others what it has, and sends each of them its block.
local function from_root(what, group, root, a, axis)
  local about = calls.prepared(group, what, function()
    if group.rank ~= root then return nil end
    if a == nil then refuse(what, "rank %d, which is root, must pass the array, got nil", root) end
    local dtype, shape = check_array(what, a)
    if dtype.kind == "struct" then refuse(what, "root cannot send structs; load them on all ranks, without root") end
    return { dtype = dtype.name, shape = { unpack(shape) }, axis = layout.axis(what, axis, #shape) }
  end)
  about = groups.give_object(group, what, about, root)
  local shape, bounds = about.shape, blocks.bounds(about.shape[about.axis], group.size)
  local count = graph.size_of(shape) / math.max(shape[about.axis], 1) -- elements of a position
  for r = 0, group.rank == root and count > 0 and group.size - 1 or -1 do
    if r ~= root and bounds[r + 2] > bounds[r + 1] then
      calls.send(group, part_of(a, about.axis, bounds[r + 1], bounds[r + 2]), { to = r }, what)
    end
  end
  local block
  if group.rank == root then
    block = part_of(a, about.axis, bounds[root + 1], bounds[root + 2])
  else
    block = gpuarray.empty(sharded.block_shape(shape, about.axis, group), about.dtype)
    if block._size > 0 then calls.recv(group, block, { from = root, out = block }, what) end
  end
  return sharded.new(group, block, shape, about.axis)
end

---Divides an array among ranks along an axis: each rank keeps a copy of its block. Each rank passes the whole array; or
---one rank passes it, with `root`, and sends the blocks.
---@param a? cudalua.gpuarray.Array|cudalua.ndarray.Array  the whole array, with the same elements on all ranks. With
---  `root`, the other ranks pass nil
---@param axis? integer  the axis to divide, from 1, where negative numbers count from the end; default: 1
---@param options? {group: cudalua.distributed.Group, root: integer}  group: the ranks; default: the world, which is
---  joined by init() if necessary. root: the rank that has the array; default: all have it
---@return cudalua.distributed.Array
---@raise LogicError if the axis is out of range, or if the calls of the ranks differ; RuntimeError if a rank ends,
---  fails or does not come in time
function M.shard(a, axis, options)
  local what = "shard"
  local o = errors.options(what, options, SHARD)
  local group = sharded.group_of(what, o.group)
  if axis == nil then axis = 1 end
  if surplus.is_named(axis) then -- the axis was left out
    calls.prepared(sharded.group_of(what, axis.group), what, refuse, what,
      "the axis comes before the options: shard(a, 1, { %s })", require("cudalua.base.option_names").fields(axis))
  end
  if o.root ~= nil then
    local root = calls.prepared(group, what, calls.check_rank, what, "root", o.root, group)
    return from_root(what, group, root, a, axis)
  end
  local dtype, shape = calls.prepared(group, what, function()
    if a == nil then refuse(what, "expected an array, got nil; if only one rank has it, all must pass { root = 0 }") end
    local t, extents = check_array(what, a)
    axis = layout.axis(what, axis, #extents)
    return t, extents
  end)
  calls.check_same(what, calls.exchange(group, what, ("%s %s along axis %d"):format(dtype.name, layout.text(shape),
    axis)))
  local block = part_of(a, axis, blocks.of(shape[axis], group.size, group.rank))
  return sharded.new(group, block, { unpack(shape) }, axis)
end

---Gives the array of one rank to all, as a replicated array, which can be an operand beside arrays that are divided.
---@param a? cudalua.gpuarray.Array|cudalua.ndarray.Array  the array of root; the other ranks may pass nil, or an array
---  of the same shape and dtype, which is ignored
---@param options? {group: cudalua.distributed.Group, root: integer}  group: as for shard; root: the rank whose array it
---  is, default 0
---@return cudalua.distributed.Array
---@raise LogicError, RuntimeError as Group:broadcast
function M.replicate(a, options)
  local what = "replicate"
  local o = errors.options(what, options, SHARD)
  local group = sharded.group_of(what, o.group)
  local root = calls.prepared(group, what, function()
    local rank = calls.check_rank(what, "root", o.root == nil and 0 or o.root, group)
    if rank == group.rank or a ~= nil then check_array(what, a) end
    return rank
  end)
  if ndarray.is_array(a) then a = gpuarray.to_gpu(a) end
  local block = calls.from_root(group, "broadcast", a, { root = root }, what)
  return sharded.new(group, block, { unpack(block._shape) }, nil)
end

-- ---- blocks with their neighbours -----------------------------------------------------------------------------------

---As Array:halo: returns the block of this rank together with the positions beside it on the divided axis.
---@param a cudalua.distributed.Array  a divided array
---@param width integer  how many positions on each side
---@param options? {fill: any, periodic: boolean}  fill: the value of positions beyond the ends; periodic: the axis is
---  a ring; default false
---@return cudalua.gpuarray.Array
---@raise LogicError, RuntimeError as Array:halo
function M.halo(a, width, options)
  sharded.check_self(a, "halo")
  return a:halo(width, options)
end

-- ---- from a shape ---------------------------------------------------------------------------------------------------

local PLACED = { axis = true, group = true }

-- Makes an array of blocks: f(shape of the block, dtype).
local function of_shape(what, shape, dtype, options, f)
  dtype, options = dtypes._or_options(dtype, options)
  shape = layout.numbers(what, "shape", shape, 0)
  if dtype ~= nil then dtype = dtypes._of(what, dtype, shape) end
  local o = errors.options(what, options, PLACED)
  local group, axis = sharded.group_of(what, o.group), axis_of(what, o.axis, #shape)
  layout.size(what, shape, 16)
  return sharded.new(group, f(sharded.block_shape(shape, axis, group), dtype), shape, axis)
end

---Returns an array of zeros (of false for bool) that is divided among ranks.
---@param shape integer|integer[]  the extents of the whole array, as for gpuarray.zeros
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, axis: integer|false, group: cudalua.distributed.Group}  axis: the axis to divide;
---  default: 1; false: replicated; group: as for shard
---@return cudalua.distributed.Array
---@raise LogicError for an invalid shape, dtype or option; MemoryError
function M.zeros(shape, dtype, options)
  return of_shape("zeros", shape, dtype, options, function(own, t) return gpuarray.zeros(own, t) end)
end

---Returns an array of ones (of true for bool) that is divided among ranks.
---@param shape integer|integer[]  as for zeros
---@param dtype? any  as for zeros
---@param options? {dtype: any, axis: integer|false, group: cudalua.distributed.Group}  as for zeros
---@return cudalua.distributed.Array
---@raise LogicError, MemoryError as zeros
function M.ones(shape, dtype, options)
  return of_shape("ones", shape, dtype, options, function(own, t) return gpuarray.ones(own, t) end)
end

---Returns an array of one value that is divided among ranks.
---@param shape integer|integer[]  as for zeros
---@param value any  a boolean, number, 64-bit integer or complex cdata; the same on all ranks
---@param dtype? any  as for zeros; default: the default float for numbers, else the value's own dtype
---@param options? {dtype: any, axis: integer|false, group: cudalua.distributed.Group}  as for zeros
---@return cudalua.distributed.Array
---@raise LogicError if the dtype cannot hold the value, and as zeros
function M.full(shape, value, dtype, options)
  if not graph.is_value(value) then refuse("full", "value must be a number, got %s", element.describe(value)) end
  return of_shape("full", shape, dtype, options, function(own, t) return gpuarray.full(own, value, t) end)
end

-- ---- ranges ---------------------------------------------------------------------------------------------------------

require "cudalua.gpuarray.make.generate" -- sets make.range_parts
local ranges = require "cudalua.types.ranges"

-- The block of a range of n numbers: f({first, past}).
local function of_range(what, n, o, f)
  local group, axis = sharded.group_of(what, o.group), axis_of(what, o.axis, 1)
  local part = { 0, n }
  if axis then part = { blocks.of(n, group.size, group.rank) } end
  return sharded.new(group, f(part), { n }, axis)
end

local RANGE = { axis = true, group = true, dtype = true }

---Returns the numbers of gpuarray.arange with the same arguments, divided among ranks, with the same bits:
---arange(stop), arange(start, stop) or arange(start, stop, step). A dtype and options may follow.
---@param start number|ffi.cdata*  the first number; default: 0
---@param stop number|ffi.cdata*   the end, which is excluded
---@param step? number|ffi.cdata*  the difference between two numbers; default: 1
---@param dtype? any  as for gpuarray.arange
---@param options? {dtype: any, axis: integer|false, group: cudalua.distributed.Group}  as for zeros
---@return cudalua.distributed.Array
---@raise LogicError as gpuarray.arange
---@overload fun(stop: number|ffi.cdata*, dtype?: any, options?: table): cudalua.distributed.Array
function M.arange(start, stop, step, dtype, options)
  local r, given = ranges.arange("arange", start, stop, step, dtype, options)
  return of_range("arange", r.n, errors.options("arange", given, RANGE), function(part)
    return make.range_parts.arange(part, r)
  end)
end

local LINSPACE = { axis = true, group = true, dtype = true, endpoint = true }

---Returns `num` evenly spaced numbers, divided among ranks: as gpuarray.linspace, with the same bits.
---@param start number  the first number
---@param stop number   the last number; excluded if endpoint is false
---@param num? integer  the number of elements of the whole array; default: 50
---@param dtype? any    as for gpuarray.linspace
---@param options? {dtype: any, axis: integer|false, group: cudalua.distributed.Group, endpoint: boolean}  endpoint:
---  include `stop`; default true; the others as for zeros
---@return cudalua.distributed.Array
---@raise LogicError as gpuarray.linspace
function M.linspace(start, stop, num, dtype, options)
  local what = "linspace"
  local numbers
  numbers, dtype, options = ranges.numbers_first(what, { "start", "stop", "num" }, 2, start, stop, num, dtype, options)
  local o = errors.options(what, options, LINSPACE)
  local r = ranges.linspace(what, o.endpoint, numbers, dtype)
  return of_range(what, r.n, o, function(part) return make.range_parts.linspace(part, r) end)
end

-- ---- random numbers -------------------------------------------------------------------------------------------------

local RANDOM = { axis = true, group = true, dtype = true, generator = true, distribution = true }

local distributions = {
  uniform = function(rng, shape, dtype) return rng:uniform(shape, 0, 1, dtype) end,
  normal = function(rng, shape, dtype) return rng:normal(shape, 0, 1, dtype) end,
  exponential = function(rng, shape, dtype) return rng:exponential(shape, 1, dtype) end,
}

local function read_random(what, shape, dtype, o)
  local extents = layout.numbers(what, "shape", shape, 0)
  if dtype ~= nil then
    dtype = dtypes._of(what, dtype, extents)
    if dtype.kind ~= "float" then refuse(what, "%s is not a floating-point type", dtype.name) end
  end
  layout.size(what, extents, 16)
  local name = o.distribution == nil and "uniform" or o.distribution
  if not distributions[name] then
    refuse(what, "distribution must be 'uniform', 'normal' or 'exponential', got %s", errors.text(name))
  end
  local rng = o.generator == nil and random.default() or o.generator
  if not generator.is_generator(rng) then
    refuse(what, "generator must be a random.Generator, got %s", element.describe(rng))
  end
  return { shape = extents, dtype = dtype, axis = axis_of(what, o.axis, #extents), name = name, rng = rng,
    own = o.generator == nil }
end

local GENERATORS_DIFFER = "the generator must have the same seed and state on all ranks, but theirs differ; %s; create "
  .. "it with the same seed on all ranks, or leave out the option generator"

---Returns random numbers that are divided among ranks: for any number of ranks those that the generator gives one
---device.
---@param shape integer|integer[]  the extents of the whole array
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@param options? {dtype: any, axis: integer|false, group: cudalua.distributed.Group, generator: any, distribution:
---  string}  generator: has the same state on all ranks. Default: random.default() of rank 0. distribution: "uniform"
---  (default), from 0 up to 1; "normal", with mean 0 and standard deviation 1; "exponential", with mean 1. axis, group:
---  as for zeros
---@return cudalua.distributed.Array
---@raise LogicError for other types and distributions, if the states of the generators differ, or if the calls of the
---  ranks differ; RuntimeError as shard
function M.random(shape, dtype, options)
  local what = "random"
  dtype, options = dtypes._or_options(dtype, options)
  local o = errors.options(what, options, RANDOM)
  local group = sharded.group_of(what, o.group)
  local r = calls.prepared(group, what, read_random, what, shape, dtype, o)
  local texts = calls.exchange(group, what, r.rng:get_state())
  if r.own then
    r.rng:set_state(texts[1])
  else
    calls.check_same(what, texts, GENERATORS_DIFFER)
  end
  local draw = distributions[r.name]
  if not r.axis then return sharded.new(group, draw(r.rng, r.shape, r.dtype), r.shape, nil) end
  local first, past = blocks.of(r.shape[r.axis], group.size, group.rank)
  local part = generator.of_part(r.rng, { axis = r.axis, first = first, past = past })
  local block = draw(part, r.shape, r.dtype)
  generator.follow(r.rng, part)
  return sharded.new(group, block, r.shape, r.axis)
end

return M
