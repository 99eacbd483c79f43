-- Fresh arrays: memory for them, their first contents, and what stands for an array among arguments.

local ffi = require "ffi"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local graph = require "cudalua.gpuarray.core.graph"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local scalar = require("cudalua.gpuarray.core.scalar").operand
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"

local refuse = layout.refuse

local M = {}

-- Memory that knows its size, by kind.
local sized = { DeviceAllocation = true, PooledDeviceAllocation = true, DevicePointer = true, HostAllocation = true,
  PooledHostAllocation = true, RegisteredHostMemory = true, ManagedAllocation = true, IPCMemoryHandle = true }

---Is it memory that kernels can work on?
---@param x any
---@return boolean
function M.is_memory(x) return sized[core.kind(x) or 0] == true end

---The context of memory, as core.context_id() numbers it; of a bare address, the current one.
---@param mem any
---@return integer
function M.context_of(mem)
  local ok, context = pcall(core.memory_context, mem)
  return ok and context:with(core.context_id) or core.context_id()
end

---A stream argument.
---@param what string
---@param stream any  nil: the current one
---@return cudalua.Stream
function M.stream(what, stream)
  if stream == nil then return core.current_stream() end
  if core.kind(stream) ~= "Stream" then refuse(what, "expected a Stream, got " .. element.describe(stream)) end
  return stream
end

---What the first element's address has to be a multiple of.
---@param dtype cudalua.dtype.DType
---@return integer bytes
function M.alignment(dtype) return dtype.kind == "struct" and dtype.alignment or dtype.itemsize end

-- What hands out memory is a method of these.
local pools = { DeviceMemoryPool = "allocate", MemoryPool = "alloc" }

---Raises a LogicError unless it is a function.
---@param what string
---@param allocator any
function M.check_allocator(what, allocator)
  if errors.is_callable(allocator) then return end
  local method = pools[core.kind(allocator) or 0]
  refuse(what, "allocator: expected a function of a number of bytes, got %s%s", errors.text(allocator),
    method and ("; pass function(bytes) return pool:%s(bytes) end"):format(method) or "")
end

-- A storage over what a function of the user's allocated; nothing else takes its place later.
local function allocated(what, allocator, bytes, dtype)
  local mem = allocator(bytes)
  if not M.is_memory(mem) then
    refuse(what, "the allocator returned %s, not device memory", core.kind(mem) or element.describe(mem))
  end
  if #mem < bytes then refuse(what, "the allocator returned %.0f bytes instead of the requested %.0f", #mem, bytes) end
  local address, alignment = mem:ptr(), M.alignment(dtype)
  if address % alignment ~= 0 then
    refuse(what, "the allocator's memory is not aligned to the %d bytes of %s", alignment, dtype.name)
  end
  local store = storage.new_store(mem, bytes, M.context_of(mem))
  store.skew, store.pinned = address % 16, true
  -- Memory of a pool remembers which streams use it. For any other, calls.lua orders the streams.
  store.unordered = core.kind(mem) ~= "PooledDeviceAllocation"
  store.owner = not rawget(core.classes[core.kind(mem)], "free") -- what cannot be freed is not ours to give back
  return store
end

---An array whose elements are not set to anything.
---@param what string
---@param shape integer[]  checked; given away
---@param dtype cudalua.dtype.DType
---@param order any        "C", "F", or nil for C
---@param allocator any    function, or nil for the pool of arrays
---@param strides? integer[]  of an array without gaps, in place of an order; given away
---@return cudalua.gpuarray.Array
function M.fresh(what, shape, dtype, order, allocator, strides)
  if order ~= nil and order ~= "C" and order ~= "F" then
    refuse(what, "order must be 'C' or 'F', got " .. (type(order) == "string" and order or element.describe(order)))
  end
  local size = layout.size(what, shape, dtype.itemsize)
  if order == "F" then strides = layout.dense_strides(shape, dtype.itemsize, "F") end
  if allocator ~= nil then M.check_allocator(what, allocator) end
  if allocator == nil or size == 0 then return storage.empty(dtype, shape, size, strides) end
  local store = allocated(what, allocator, size * dtype.itemsize, dtype)
  strides = strides or storage.dense_strides(shape, dtype.itemsize)
  return storage.array_of(storage.new_leaf(store, 0, dtype, shape, strides))
end

---Fills the memory of a fresh array.
---@param leaf table
---@param unit integer   bytes: 1, 2 or 4
---@param bits integer
---@param count integer  units
function M.memset(leaf, unit, bits, count)
  local captured = core.array_ready(leaf.buf)
  core.memset(8 * unit, leaf.buf, bits, count, true)
  if captured then run.captured(leaf) end
end

local new_bytes, bytes_t = ffi.typeof "uint8_t[16]", ffi.typeof "uint8_t *"

-- The shortest unit of 1, 2 or 4 bytes that an element repeats, and its bits.
local function pattern(dtype, value)
  local n = dtype.itemsize
  if dtype.kind == "struct" then return nil end
  local cell = new_bytes()
  dtype._store(bytes_t(cell), 0, value)
  for _, unit in ipairs { 1, 2, 4 } do
    local same = n % unit == 0
    for i = unit, n - 1 do same = same and cell[i] == cell[i - unit] end
    if same then
      local bits = 0
      for i = unit - 1, 0, -1 do bits = bits * 256 + cell[i] end
      return unit, bits
    end
  end
end

---Sets all elements of a fresh array.
---@param what string
---@param x cudalua.gpuarray.Array
---@param value any
---@return cudalua.gpuarray.Array x
function M.fill(what, x, value)
  local dtype, size = x._dtype, x._size
  local v, why = dtype._check(value)
  if why then refuse(what, why) end
  if size == 0 then return x end
  local leaf = x._leaf
  if dtype.kind == "struct" then
    local one = ndarray.full(x._shape, value, dtype)
    return x:set(one)
  end
  local unit, bits = pattern(dtype, v)
  if unit then
    M.memset(leaf, unit, bits, size * dtype.itemsize / unit)
  else
    evaluate.store(scalar(v, dtype), leaf, size)
  end
  return x
end

---Writes an array's elements, converted, to a leaf of a fresh array.
---@param x cudalua.gpuarray.Array  broadcasts to the leaf's shape
---@param out table
---@param size integer
---@param what? string  function, for an error
function M.place(x, out, size, what)
  if size == 0 then return end
  if x._sig and x._used > 0 then evaluate.evaluate(x) end
  local from = graph.as_type(x, out.dtype, what)
  evaluate.store(from._sig and from or storage.leaf_of(from), out, size)
end

---An array argument: itself, or a copy of host data.
---@param what string
---@param x any
---@return cudalua.gpuarray.Array
function M.device_array(what, x)
  if object.is_array(x) then return x end
  if type(x) == "table" and (ndarray.is_array(x) or type(getmetatable(x)) ~= "string") or graph.is_value(x) then
    return transfer.to_gpu(ndarray.is_array(x) and x or errors.within(what, ndarray.array, x))
  end
  refuse(what, "expected a gpuarray, got " .. element.describe(x) .. object.colon(what, x))
end

---Is it host memory, but no host array: a string, FFI array or struct, {ptr =, nbytes =}, object with :buffer()?
---@param x any
---@return boolean
function M.is_buffer(x)
  local t = type(x)
  if t == "table" then return type(getmetatable(x)) ~= "string" and rawget(x, "ptr") ~= nil end
  return t == "string" or t == "userdata" or t == "cdata" and element.scalar(x) == nil
end

-- The dtype of the elements of an FFI array or pointer, and what FFI calls it; nil for anything else.
local function element_type(values)
  if type(values) ~= "cdata" or host.is_ctype(values) then return nil end
  local name = tostring(ffi.typeof(values)):match "<(.*)>$"
  return name and dtypes._of_c(name:match "^(.-)%s*[%[%(%*]" or name), name
end

-- A host array of data that is none.
local function host_array(values, dtype, shape)
  if not M.is_buffer(values) then return ndarray.array(values, dtype) end
  local typed, name = element_type(values)
  if typed and name:find "^const " then -- which only we keep from writing
    if shape == nil and not host.is_pointer(values) then shape = ffi.sizeof(values) / typed.itemsize end
    local a = ndarray.from_buffer(ffi.cast(typed._pointer, values), shape, typed)
    return dtype and dtype ~= typed and a:astype(dtype) or a:copy(), values
  end
  if typed and dtype and typed ~= dtype then
    return ndarray.from_buffer(values, shape):astype(dtype)
  end
  return ndarray.from_buffer(values, shape, dtype)
end

---A host array of what to_gpu() and set() take.
---@param what string
---@param values any
---@param dtype? cudalua.dtype.DType
---@param shape? any  of buffers and functions
---@return cudalua.ndarray.Array
---@return any owner  of its memory, if it does not own it
function M.host_array(what, values, dtype, shape)
  if ndarray.is_array(values) and dtype and values.dtype ~= dtype then
    return errors.within(what, values.astype, values, dtype)
  end
  if ndarray.is_array(values) then return values end
  if type(values) == "function" then
    if shape == nil then refuse(what, "a function needs a shape: {shape = {...}}") end
    return ndarray.from_function(shape, values, dtype)
  end
  if shape ~= nil and not M.is_buffer(values) then refuse(what, "only buffers and functions take a shape") end
  return errors.within(what, host_array, values, dtype, shape)
end

---As host_array, of what is written to an array of a type: not of a higher kind.
---@param what string
---@param values any
---@param dtype cudalua.dtype.DType
---@param shape? any
---@return cudalua.ndarray.Array
function M.stored_array(what, values, dtype, shape)
  local own
  if ndarray.is_array(values) then own = values.dtype else own = M.is_buffer(values) and element_type(values) end
  local why = own and dtypes._unstorable(own, dtype)
  if why then refuse(what, why) end
  return (M.host_array(what, values, dtype, shape))
end

---A plain value as it is written to an array of a type, which must hold it.
---@param what string
---@param value any
---@param dtype cudalua.dtype.DType
---@return any
function M.stored_value(what, value, dtype)
  if not graph.is_value(value) then refuse(what, "expected an array or a number, got " .. element.describe(value)) end
  local x, why = dtype._check(element.scalar(value))
  if why then refuse(what, why) end
  return x
end

return M
