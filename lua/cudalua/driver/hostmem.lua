-- Host arrays in memory that the GPU reaches: page-locked, registered, managed; and in memory aligned by choice.
-- Their base is the allocation; once that is freed, using the array raises a LogicError.

local ffi = require "ffi"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua
local M = {}

local bytes_t = ffi.typeof "uint8_t *"
local closes = ffi.cast("const uint32_t *", core.closes_address())

-- Asked before every access. Nothing has to be looked at unless some object was closed since the last time.
local function alive(token)
  local now = closes[0]
  if now == token.seen then return true end
  local why = core.why_dead(token.base)
  if why then return false, why end
  token.seen = now
  return true
end

-- A host array over memory that an object of the library owns: its address, what it is like, the owner, and order or
-- strides.
function M.wrap(address, shape, dtype, base, options)
  if type(address) == "number" then address = ffi.cast("uintptr_t", address) end
  return ndarray.wrap(ffi.cast(bytes_t, address), shape, dtype, { order = options.order, strides = options.strides,
    base = base, alive = alive, token = { base = base, seen = -1 } })
end

-- What pagelocked_empty and its like have in common: name, the options besides order, and a function that allocates.
local function maker(name, known, allocate)
  known.order = true
  local with_dtype = { dtype = true }
  for key in pairs_of(known) do with_dtype[key] = true end

  local function new(where, shape, dtype, options, valid)
    dtype, options = dtypes._or_options(dtype, options)
    options = errors.options(where, options, valid)
    if dtype == nil then
      dtype = options.dtype
    elseif options.dtype ~= nil then
      errors.raise("LogicError", ("%s: dtype is passed twice, as argument 2 and as an option: %s and %s"):format(where,
        errors.text(dtype), errors.text(options.dtype)))
    end
    local order = options.order
    if order ~= nil and order ~= "C" and order ~= "F" then
      errors.raise("LogicError", ("%s: order must be 'C' or 'F', got %s"):format(where, errors.text(order)))
    end
    dtype = dtype == nil and dtypes.default_float() or dtypes.of(dtype)
    shape = layout.numbers(where, "shape", shape, 0)
    local nbytes = layout.size(where, shape, dtype.itemsize) * dtype.itemsize
    local base = allocate(math.max(nbytes, 1), options) -- an empty array has a base, too
    return M.wrap(core.host_address(base), shape, dtype, base, { order = order })
  end

  local function zeroed(ary)
    ffi.fill(ary:data(), ary.nbytes)
    return ary
  end

  local function like(where, other, options)
    if not ndarray.is_array(other) then
      errors.raise("LogicError", where .. ": expected a host array, got " .. (core.kind(other) or type(other)))
    end
    local copied = {}
    if type(options) == "table" then
      for key, value in pairs_of(options) do copied[key] = value end
    else
      copied = options
    end
    if copied == nil then copied = {} end
    if type(copied) == "table" and copied.order == nil then copied.order = other.order end
    return new(where, other.shape, other.dtype, copied, known)
  end

  return function(shape, dtype, options) return new(name .. "_empty", shape, dtype, options, with_dtype) end,
    function(shape, dtype, options) return zeroed(new(name .. "_zeros", shape, dtype, options, with_dtype)) end,
    function(other, options) return like(name .. "_empty_like", other, options) end,
    function(other, options) return zeroed(like(name .. "_zeros_like", other, options)) end
end

local pagelocked_empty, pagelocked_zeros, pagelocked_empty_like, pagelocked_zeros_like =
  maker("pagelocked", { mem_flags = true }, function(nbytes, options)
    return core.host_alloc(nbytes, options.mem_flags)
  end)

---cuMemHostAlloc: returns a host array in page-locked memory. Copies use it at full speed, and asynchronous copies
---access it while the program goes on. You can pass it to kernels. Its base is the HostAllocation.
---@param shape integer|integer[]  the extents: a list, a number for a 1-D array, or {} for a 0-d array; extents may be
---  0
---@param dtype? any               as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter;
---  mem_flags: flags of cuda.host_alloc_flags: "portable", "devicemap",
---  "writecombined" (slow to read), or a list
---@return cudalua.ndarray.Array  an array with undefined elements
---@raise MemoryError; LogicError for an invalid shape, dtype or option, without a current context (201), and during a
---  capture
function M.pagelocked_empty(shape, dtype, options) return pagelocked_empty(shape, dtype, options) end

---As pagelocked_empty, with zeros (false for bool) as elements.
---@param shape integer|integer[]  as for pagelocked_empty
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter;
---  mem_flags: as for pagelocked_empty
---@return cudalua.ndarray.Array
---@raise MemoryError, LogicError as pagelocked_empty
function M.pagelocked_zeros(shape, dtype, options) return pagelocked_zeros(shape, dtype, options) end

---Returns a page-locked array with the shape, dtype and (by default) order of another host array.
---@param other cudalua.ndarray.Array  the array whose shape, dtype and order are used
---@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for pagelocked_empty
---@return cudalua.ndarray.Array  an array with undefined elements
---@raise MemoryError, LogicError as pagelocked_empty
function M.pagelocked_empty_like(other, options) return pagelocked_empty_like(other, options) end

---As pagelocked_empty_like, with zeros (false for bool) as elements.
---@param other cudalua.ndarray.Array  as for pagelocked_empty_like
---@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for pagelocked_empty
---@return cudalua.ndarray.Array
---@raise MemoryError, LogicError as pagelocked_empty
function M.pagelocked_zeros_like(other, options) return pagelocked_zeros_like(other, options) end

local aligned_empty, aligned_zeros, aligned_empty_like, aligned_zeros_like =
  maker("aligned", { alignment = true }, function(nbytes, options)
    local alignment = options.alignment
    if alignment == nil then alignment = 4096 end
    return core.aligned_alloc(nbytes, host.plain_number(alignment))
  end)

---Returns a host array in plain memory whose address is a multiple of `alignment`, for register_host_memory. Its base
---is the AlignedHostAllocation. Does not need a driver.
---@param shape integer|integer[]  as for pagelocked_empty
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", alignment: integer}  dtype: as the parameter;
---  alignment: in bytes, a power of two, default 4096
---@return cudalua.ndarray.Array  an array with undefined elements
---@raise MemoryError; LogicError for an invalid shape, dtype or option
function M.aligned_empty(shape, dtype, options) return aligned_empty(shape, dtype, options) end

---As aligned_empty, with zeros (false for bool) as elements.
---@param shape integer|integer[]  as for pagelocked_empty
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", alignment: integer}  dtype: as the parameter;
---  alignment: as for aligned_empty
---@return cudalua.ndarray.Array
---@raise MemoryError, LogicError as aligned_empty
function M.aligned_zeros(shape, dtype, options) return aligned_zeros(shape, dtype, options) end

---Returns an aligned array with the shape, dtype and (by default) order of another host array.
---@param other cudalua.ndarray.Array  as for pagelocked_empty_like
---@param options? {order: "C"|"F", alignment: integer}  alignment: as for aligned_empty
---@return cudalua.ndarray.Array  an array with undefined elements
---@raise MemoryError, LogicError as aligned_empty
function M.aligned_empty_like(other, options) return aligned_empty_like(other, options) end

---As aligned_empty_like, with zeros (false for bool) as elements.
---@param other cudalua.ndarray.Array  as for pagelocked_empty_like
---@param options? {order: "C"|"F", alignment: integer}  alignment: as for aligned_empty
---@return cudalua.ndarray.Array
---@raise MemoryError, LogicError as aligned_empty
function M.aligned_zeros_like(other, options) return aligned_zeros_like(other, options) end

local managed_empty, managed_zeros, managed_empty_like, managed_zeros_like =
  maker("managed", { mem_flags = true }, function(nbytes, options)
    return core.managed_alloc(nbytes, options.mem_flags)
  end)

---cuMemAllocManaged: returns a host array in memory that host and device share. You can pass it to kernels, and read
---their results after a synchronisation. On a device whose attribute concurrent_managed_access is 0, accessing it while
---a kernel runs ends the process, unless the memory is attached to another stream or to the host
---(ManagedAllocation:attach). Its base is the ManagedAllocation.
---@param shape integer|integer[]  as for pagelocked_empty
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter;
---  mem_flags: what it is attached to: "global" (default) or "host"
---@return cudalua.ndarray.Array  an array with undefined elements
---@raise MemoryError; LogicError for an invalid shape, dtype or option, without a current context (201), during a
---  capture, and (801) on a device without managed memory
function M.managed_empty(shape, dtype, options) return managed_empty(shape, dtype, options) end

---As managed_empty, with zeros (false for bool) as elements.
---@param shape integer|integer[]  as for pagelocked_empty
---@param dtype? any  as for dtype.of; default: dtype.default_float()
---@param options? {dtype: any, order: "C"|"F", mem_flags: any}  dtype: as the parameter;
---  mem_flags: as for managed_empty
---@return cudalua.ndarray.Array
---@raise MemoryError, LogicError as managed_empty
function M.managed_zeros(shape, dtype, options) return managed_zeros(shape, dtype, options) end

---Returns a managed array with the shape, dtype and (by default) order of another host array.
---@param other cudalua.ndarray.Array  as for pagelocked_empty_like
---@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for managed_empty
---@return cudalua.ndarray.Array  an array with undefined elements
---@raise MemoryError, LogicError as managed_empty
function M.managed_empty_like(other, options) return managed_empty_like(other, options) end

---As managed_empty_like, with zeros (false for bool) as elements.
---@param other cudalua.ndarray.Array  as for pagelocked_empty_like
---@param options? {order: "C"|"F", mem_flags: any}  mem_flags: as for managed_empty
---@return cudalua.ndarray.Array
---@raise MemoryError, LogicError as managed_empty
function M.managed_zeros_like(other, options) return managed_zeros_like(other, options) end

---cuMemHostRegister: page-locks memory that the program already has. Returns an array over this memory whose base is
---the RegisteredHostMemory. The memory stays page-locked until base:unregister(), or until nothing refers to the base
---and no copy uses it. The value that you passed is kept alive for that time; memory behind a bare pointer must stay
---valid. At the end of a program LuaJIT runs the finalizers of ffi.gc() first, so unregister such memory before.
---@param ary any  a contiguous host array, an FFI array or struct, {ptr =, nbytes =}, or an object with :buffer(), but
---  not a string
---@param flags? any  flags of cuda.mem_host_register_flags: "portable", "devicemap", "iomemory", "read_only", or a list
---@return cudalua.ndarray.Array  with the shape, dtype and order of a host array; for other buffers, their bytes
---@raise LogicError (712) if the memory is already page-locked, (1) if the driver cannot lock it, for an empty or const
---  buffer, a string, and during a capture; MemoryError
function M.register_host_memory(ary, flags)
  local slot, nbytes, owner = host.host_buffer("register_host_memory", ary, nil, true)
  local base = core.host_register(slot, nbytes, flags, ary, owner)
  if ndarray.is_array(ary) then
    return M.wrap(core.host_address(base), ary.shape, ary.dtype, base, { strides = ary.strides })
  end
  return M.wrap(core.host_address(base), { nbytes }, "uint8", base, {})
end

-- The body of the methods as_buffer (memory.lua).
function M.as_buffer(memory, nbytes, offset)
  nbytes = host.plain_number(nbytes)
  local address = core.host_view(memory, nbytes, offset == nil and 0 or host.plain_number(offset))
  return M.wrap(address, { nbytes }, "uint8", memory, {})
end

M.HostAllocation = core.classes.HostAllocation
---PyCUDA's name of HostAllocation.
M.PagelockedHostAllocation = M.HostAllocation
M.AlignedHostAllocation = core.classes.AlignedHostAllocation
M.RegisteredHostMemory = core.classes.RegisteredHostMemory
M.ManagedAllocation = core.classes.ManagedAllocation

return M
