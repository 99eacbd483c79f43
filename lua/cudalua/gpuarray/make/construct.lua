-- Arrays from shapes, from others, from host data and from memory that is there.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local list = require "cudalua.ndarray.list"
local make = require "cudalua.gpuarray.core.make"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"

local refuse = layout.refuse

---@class cudalua.gpuarray
local M = {}

local shape_options = { order = true, allocator = true, stream = true }

local function made(what, shape, dtype, options)
  dtype, options = dtypes._or_options(dtype, options)
  shape = layout.numbers(what, "shape", shape, 0)
  dtype = dtype == nil and dtypes.default_float() or dtypes._of(what, dtype, shape)
  local o = errors.options(what, options, shape_options)
  return make.fresh(what, shape, dtype, o.order, o.allocator)
end

-- ---- from a shape ---------------------------------------------------------------------------------------------------

---Returns an array with uninitialized elements.
---@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cudalua.Stream}  order: C
---  (default): the last axis is contiguous; F: the first axis is; allocator: a function that allocates the memory,
---  instead of the pool that arrays share: it returns any device memory of this library, such as cuda.mem_alloc,
---  pool:allocate in a function, managed memory; stream: the stream that sets the elements; default: the current
---  stream
---@return cudalua.gpuarray.Array
---@raise LogicError for an invalid shape, dtype or option, or memory that is too small; MemoryError; errors of the
---  allocator
function M.empty(shape, dtype, options) return made("gpuarray.empty", shape, dtype, options) end

---Returns an array of zeros (of false for bool).
---@param shape integer|integer[]  as for empty
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cudalua.Stream}  as for
---  empty
---@return cudalua.gpuarray.Array
---@raise LogicError, MemoryError as empty
function M.zeros(shape, dtype, options)
  local x = made("gpuarray.zeros", shape, dtype, options)
  if x._dtype.kind == "struct" then
    if x._size > 0 then make.memset(x._leaf, 1, 0, x._size * x._dtype.itemsize) end
    return x
  end
  return make.fill("gpuarray.zeros", x, 0)
end

---Returns an array of ones (of true for bool).
---@param shape integer|integer[]  as for empty
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cudalua.Stream}  as for
---  empty
---@return cudalua.gpuarray.Array
---@raise LogicError, MemoryError as empty
function M.ones(shape, dtype, options)
  return make.fill("gpuarray.ones", made("gpuarray.ones", shape, dtype, options), 1)
end

-- The dtype of a plain value by itself.
local function value_dtype(value) return list.dtype_of({ value }, 1, dtypes.default_float()) end

local function filled(what, x, value)
  if object.is_array(value) then return x:set(value) end
  return make.fill(what, x, value)
end

local function is_shape(x)
  if type(x) ~= "table" or getmetatable(x) or x[1] == nil then return false end
  for _, extent in ipairs(x) do
    if type(extent) ~= "number" then return false end
  end
  return true
end

---Returns an array filled with one value.
---@param shape integer|integer[]  as for empty
---@param value any                a boolean, number, 64-bit integer or complex cdata; or an array, which is broadcast
---  to the shape
---@param dtype? any               as for dtype.of; default: the default float for numbers, else the value's own dtype
---@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cudalua.Stream}  as for
---  empty
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype cannot hold the value, and as empty
function M.full(shape, value, dtype, options)
  dtype, options = dtypes._or_options(dtype, options)
  dtypes._value_first("gpuarray.full", shape, value, dtype)
  if is_shape(value) and type(shape) == "number" and (dtype == nil or
      dtypes._of("gpuarray.full", dtype).kind ~= "struct") then
    refuse("gpuarray.full", "the value must be a number, got a list; the shape comes first: full({%s}, %s)",
      table.concat(value, ", "), element.describe(shape))
  end
  if dtype == nil then dtype = object.is_array(value) and value.dtype or value_dtype(value) end
  return filled("gpuarray.full", made("gpuarray.full", shape, dtype, options), value)
end

---Returns a 0-d array with one value. Unlike a plain number it has a dtype that takes part in promotion.
---@param value any   a boolean, number, 64-bit integer or complex cdata
---@param dtype? any  as for dtype.of; default: as for full
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype cannot hold the value
function M.scalar(value, dtype)
  local what = "gpuarray.scalar"
  dtype = dtype == nil and value_dtype(value) or dtypes._of(what, dtype)
  return make.fill(what, make.fresh(what, {}, dtype), value)
end

-- ---- like another one -----------------------------------------------------------------------------------------------

local like_options = { order = true, allocator = true, shape = true, stream = true }

local function made_like(what, other, dtype, options)
  dtype, options = dtypes._or_options(dtype, options)
  if not object.is_array(other) and not ndarray.is_array(other) then
    refuse(what, "expected an array, got " .. element.describe(other))
  end
  local o = errors.options(what, options, like_options)
  dtype = dtype == nil and other.dtype or dtypes._of(what, dtype)
  local shape = o.shape == nil and other.shape or layout.numbers(what, "shape", o.shape, 0)
  local order, strides = o.order == nil and "K" or o.order, nil
  if order == "K" and #shape == other.ndim then
    layout.size(what, shape, dtype.itemsize)
    order, strides = nil, layout.kept_strides(shape, other.strides, dtype.itemsize)
  elseif order == "K" then
    order = "C"
  elseif order == "A" then
    local flags = other.flags
    order = flags.f_contiguous and not flags.c_contiguous and "F" or "C"
  elseif order ~= "C" and order ~= "F" then
    refuse(what, "order must be 'C', 'F', 'A' or 'K', got " .. errors.text(order))
  end
  return make.fresh(what, shape, dtype, order, o.allocator, strides)
end

---Returns an array with the shape, dtype and layout of another one and with uninitialized elements.
---@param other cudalua.gpuarray.Array|cudalua.ndarray.Array  the array whose shape, dtype and layout are used
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream:
---  cudalua.Stream}  order: K (default): the order of axes of other, contiguous; A: F if other lies in F order alone,
---  else C; shape: default: the shape of other; allocator: as for empty
---@return cudalua.gpuarray.Array
---@raise LogicError if other is not an array, and as empty
function M.empty_like(other, dtype, options) return made_like("gpuarray.empty_like", other, dtype, options) end

---Returns an array of zeros (of false for bool) with the shape, dtype and layout of another one.
---@param other cudalua.gpuarray.Array|cudalua.ndarray.Array  as for empty_like
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream:
---  cudalua.Stream}  as for empty_like
---@return cudalua.gpuarray.Array
---@raise LogicError, MemoryError as empty_like
function M.zeros_like(other, dtype, options)
  return make.fill("gpuarray.zeros_like", made_like("gpuarray.zeros_like", other, dtype, options), 0)
end

---Returns an array of ones (of true for bool) with the shape, dtype and layout of another one.
---@param other cudalua.gpuarray.Array|cudalua.ndarray.Array  as for empty_like
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream:
---  cudalua.Stream}  as for empty_like
---@return cudalua.gpuarray.Array
---@raise LogicError, MemoryError as empty_like
function M.ones_like(other, dtype, options)
  return make.fill("gpuarray.ones_like", made_like("gpuarray.ones_like", other, dtype, options), 1)
end

---Returns an array filled with one value, with the shape, dtype and layout of another one.
---@param other cudalua.gpuarray.Array|cudalua.ndarray.Array  as for empty_like
---@param value any   as for full
---@param dtype? any  as for dtype.of; default: the dtype of other
---@param options? {dtype: any, order: "C"|"F"|"A"|"K", shape: integer[], allocator: fun(bytes: integer): any, stream:
---  cudalua.Stream}  as for empty_like
---@return cudalua.gpuarray.Array
---@raise LogicError if the dtype cannot hold the value, and as empty_like
function M.full_like(other, value, dtype, options)
  return filled("gpuarray.full_like", made_like("gpuarray.full_like", other, dtype, options), value)
end

-- ---- from host data -------------------------------------------------------------------------------------------------

local data_options = { order = true, allocator = true, shape = true, stream = true }

-- A host array as a fresh one on the device: in its own order where it has no gaps, or in the given one.
local function uploaded(what, a, o, stream)
  local order = o.order
  if order ~= nil and order ~= "C" and order ~= "F" then
    refuse(what, "order must be 'C' or 'F', got " .. errors.text(order))
  end
  if not a.order or order and not a.flags[order == "C" and "c_contiguous" or "f_contiguous"] then
    a = a:copy(order or "C")
  end
  local x = make.fresh(what, a.shape, a.dtype, nil, o.allocator, a.strides)
  local slot, nbytes, anchor = host.host_buffer(what, a)
  transfer.upload(x._leaf, slot, nbytes, anchor, stream)
  return x
end

---Copies host data to the device and returns it as an array.
---@param values any  a host array, nested tables or a value (0-d); an FFI array or struct, a string, {ptr =, nbytes =}
---  or an object with :buffer(), whose bytes are taken (FFI elements of another type are converted); a function of the
---  position, as for from_function; or a device array, which is copied
---@param dtype? any  as for dtype.of; default: the dtype of the data, for numbers dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", shape: integer[], allocator: fun(bytes: integer): any, stream:
---  cudalua.Stream}  order: default: the order of the data; shape: the shape of data from buffers and functions;
---  allocator: as for empty
---@return cudalua.gpuarray.Array
---@raise LogicError if values are not array data; MemoryError
function M.to_gpu(values, dtype, options)
  local what = "gpuarray.to_gpu"
  dtype, options = dtypes._or_options(dtype, options)
  local o = errors.options(what, options, data_options)
  if dtype ~= nil then dtype = dtypes._of(what, dtype) end
  if object.is_array(values) then
    if o.shape ~= nil then refuse(what, "only buffers and functions take a shape") end
    local x = M.empty_like(values, dtype, { order = o.order, allocator = o.allocator })
    make.place(values, x._leaf, x._size, what)
    return x
  end
  return uploaded(what, make.host_array(what, values, dtype, o.shape), o)
end

local async_options = { dtype = true, order = true, allocator = true, shape = true }

---Copies host data to the device in stream order and returns an array. Returns at once if the data is in page-locked
---memory. Do not change the data before the stream has finished the copy.
---@param values any  as for to_gpu
---@param stream? cudalua.Stream  default: the current stream
---@param options? {dtype: any, order: "C"|"F", shape: integer[], allocator: fun(bytes: integer): any}  as for to_gpu
---@return cudalua.gpuarray.Array
---@raise LogicError, MemoryError as to_gpu
function M.to_gpu_async(values, stream, options)
  local what = "gpuarray.to_gpu_async"
  if type(stream) == "table" and not getmetatable(stream) then
    refuse(what, "the stream comes before the options: to_gpu_async(values, stream, options)")
  end
  local o = errors.options(what, options, async_options)
  local dtype = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
  stream = make.stream(what, stream)
  if object.is_array(values) then
    return stream:use(M.to_gpu, values, dtype, { order = o.order, allocator = o.allocator })
  end
  local a = make.host_array(what, values, dtype, o.shape)
  return stream:use(uploaded, what, a, o, stream)
end

---Returns an array with the values of a function of the indices.
---@param shape integer|integer[]  as for empty
---@param fn fun(...: integer): any  receives one position for each axis, from 1; called in C order
---@param dtype? any  as for dtype.of; default: the dtype that to_gpu chooses for such values
---@param options? {dtype: any, order: "C"|"F", allocator: fun(bytes: integer): any, stream: cudalua.Stream}  as for
---  empty
---@return cudalua.gpuarray.Array
---@raise LogicError that names the element if the dtype cannot hold what fn returned; errors of fn; else as empty
function M.from_function(shape, fn, dtype, options)
  local what = "gpuarray.from_function"
  dtype, options = dtypes._or_options(dtype, options)
  local o = errors.options(what, options, shape_options)
  return uploaded(what, ndarray.from_function(shape, fn, dtype), { order = o.order or "C", allocator = o.allocator })
end

-- ---- over memory that is there --------------------------------------------------------------------------------------

local wrap_options = { strides = true, order = true, offset = true, base = true }

-- The bytes from an address to the end of its memory; nil if their number is unknown.
local function known_bytes(mem)
  if #mem > 0 then return #mem end
  local ok, base, size = pcall(core.mem_get_address_range, mem)
  return ok and base + size - mem:ptr() or nil
end

---Wraps device memory that other code owns in an array, without a copy. Writes go to this memory. As other code may
---write to it at any time, operations on the array are computed at once.
---@param memory any  memory of this library (mem_alloc, pools, managed or page-locked), a DevicePointer, an address as
---  a number, or an object with get_pointer()
---@param shape integer|integer[]  as for empty
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, strides: integer[], order: "C"|"F", offset: integer, base: any}  strides: bytes from one
---  element to the next on each axis, instead of order; offset: bytes from the start of the memory to the first
---  element, default 0; base: an object kept alive with the array
---@return cudalua.gpuarray.Array
---@raise LogicError if the array extends beyond the memory, if its size is known, or is not aligned to its elements
function M.wrap(memory, shape, dtype, options)
  local what = "gpuarray.wrap"
  dtype, options = dtypes._or_options(dtype, options)
  local o = errors.options(what, options, wrap_options)
  shape = layout.numbers(what, "shape", shape, 0)
  dtype = dtype == nil and dtypes.default_float() or dtypes._of(what, dtype)
  local size = layout.size(what, shape, dtype.itemsize)
  if o.order ~= nil and o.order ~= "C" and o.order ~= "F" then
    refuse(what, "order must be 'C' or 'F', got " .. errors.text(o.order))
  end
  local strides = o.strides == nil and layout.dense_strides(shape, dtype.itemsize, o.order or "C") or
    layout.numbers(what, "strides", o.strides, -2 ^ 53)
  if #strides ~= #shape then refuse(what, "%d strides for %d axes", #strides, #shape) end
  local offset = layout.whole(o.offset == nil and 0 or o.offset)
  if not offset or offset < 0 then
    refuse(what, "offset must be a non-negative integer, got " .. element.describe(o.offset))
  end

  local mem = host.device(memory)
  if type(mem) == "number" then mem = core.pointer(mem) end
  if not make.is_memory(mem) then refuse(what, "expected device memory, got " .. element.describe(memory)) end
  local low, high = layout.extent(shape, strides, dtype.itemsize)
  local address, bytes = mem:ptr(), known_bytes(mem)
  if size > 0 and address == 0 then refuse(what, "NULL pointer") end
  if offset + low < 0 or bytes and offset + high > bytes then
    refuse(what, "the array spans bytes %.0f to %.0f, but the memory has %s", offset + low, offset + high,
      bytes and ("%.0f"):format(bytes) or "none before 0")
  end
  local alignment = make.alignment(dtype)
  for k = 0, #shape do
    local x = k == 0 and address + offset or strides[k]
    if x % alignment ~= 0 and (k == 0 or shape[k] > 1) or k > 0 and shape[k] > 1 and x % dtype.itemsize ~= 0 then
      refuse(what, "%s is %.0f, which is not a multiple of the %d bytes of %s", k == 0 and "the first element's address"
        or ("strides[%d]"):format(k), x, k == 0 and alignment or dtype.itemsize, dtype.name)
    end
  end

  local store = storage.new_store(mem, bytes or offset + high, make.context_of(mem))
  store.skew, store.exported, store.pinned, store.owner = address % 16, true, true, o.base or true
  return storage.array_of(storage.new_leaf(store, offset, dtype, shape, strides))
end

-- ---- files ----------------------------------------------------------------------------------------------------------

---Loads the array of a .npy file, or the arrays of an .npz file, to the device.
---@param path string  the file
---@param name? string  for an .npz file: the array to load; default: all, in a table by name
---@return cudalua.gpuarray.Array|table<string, cudalua.gpuarray.Array>
---@raise LogicError if the file has another format, RuntimeError if it cannot be read
function M.load(path, name)
  local what = "gpuarray.load"
  local a = ndarray.load(path)
  if ndarray.is_array(a) then
    if name ~= nil then refuse(what, "a .npy file holds one array; names are for .npz files") end
    return uploaded(what, a, {})
  end
  local out
  local ok, err = pcall(function()
    if name ~= nil then
      out = uploaded(what, a:get(name), {})
      return
    end
    out = {}
    for _, member in ipairs(a:names()) do out[member] = uploaded(what, a:get(member), {}) end
  end)
  a:close()
  if not ok then error(err, 0) end
  return out
end

---Saves an array to a .npy file.
---@param path string  the file
---@param a any  an array
---@raise LogicError if a is not an array, RuntimeError if the file cannot be written
function M.save(path, a)
  if not object.is_array(a) then refuse("gpuarray.save", "expected a gpuarray, got " .. element.describe(a)) end
  ndarray.save(path, a:get { array = true })
end

return require "cudalua.gpuarray.core.named_errors"(M, "full full_like load wrap")
