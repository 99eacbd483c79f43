-- DLPack: arrays of other libraries without a copy, and ours for them. The other library's deleter runs behind
-- all work that may use its memory (memory/dlpack.c).

local ffi = require "ffi"
local arrays = require "cudalua.ndarray.array"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"

local refuse = layout.refuse

ffi.cdef "int cudalua_msync(void *at, size_t bytes, int flags) __asm__(\"msync\");"

-- DLPack 1.0 and the releases before it, which have no version.
local tensor = [[struct { uintptr_t data; int32_t device_type, device_id, ndim; uint8_t code, bits; uint16_t lanes;
  int64_t *shape, *strides; uint64_t byte_offset; }]]
local plain_t = ffi.typeof("struct { " .. tensor .. " tensor; void *manager; uintptr_t deleter; } *")
local versioned_t = ffi.typeof("struct { uint32_t major, minor; void *manager; uintptr_t deleter; uint64_t flags; "
  .. tensor .. " tensor; } *")
local deleter_t = ffi.typeof "void (*)(void *)"
local READ_ONLY = 1
local PAGE, ASYNC, NO_MEMORY = 4096, 1, 12 -- of msync

---@class cudalua.interop
local M = {}

-- ---- types ----------------------------------------------------------------------------------------------------------

local codes = { int = 0, uint = 1, float = 2, complex = 5, bool = 6 }
local BFLOAT = 4
local by_code = { [BFLOAT * 256 + 16] = dtypes.bfloat16 } -- code * 256 + bits -> dtype
local code_of = { bfloat16 = BFLOAT }
local names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128"
for name in names:gmatch "%S+" do
  local dtype = dtypes[name]
  code_of[name] = codes[dtype.kind]
  by_code[codes[dtype.kind] * 256 + 8 * dtype.itemsize] = dtype
end

local code_names = { [0] = "int", "uint", "float", "handle", "bfloat", "complex", "bool", "float8_e3m4", "float8_e4m3",
  "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
  "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn" }
local CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
local on_host = { [CPU] = true, [CUDA_HOST] = true }
local on_device = { [CUDA] = true, [CUDA_MANAGED] = true }
local device_names = { [4] = "OpenCL", [7] = "Vulkan", [8] = "Metal", [9] = "VPI", [10] = "ROCm",
  [11] = "ROCm's host memory", [12] = "an extension", [14] = "oneAPI", [15] = "WebGPU", [16] = "Hexagon",
  [17] = "MAIA" }

-- ---- theirs ---------------------------------------------------------------------------------------------------------

-- Is memory mapped there? What is not would end the process.
local function is_mapped(address, bytes)
  local first = address - address % PAGE
  if ffi.C.cudalua_msync(ffi.cast("void *", first), address + bytes - first, ASYNC) == 0 then return true end
  return ffi.errno() ~= NO_MEMORY
end

local function address_of(what, x)
  local address
  if type(x) == "cdata" and host.is_pointer(x) then
    address = tonumber(ffi.cast("uintptr_t", x))
  else
    address = layout.whole(x)
  end
  if not address or address <= 0 or address % 8 ~= 0 then
    refuse(what, "expected the address of a managed tensor, got " .. element.describe(x))
  end
  return address
end

-- The list of int64_t at an address.
local function integers(what, name, list, n, lowest)
  local out = {}
  for k = 1, n do
    local x = layout.whole(list[k - 1])
    if not x or x < lowest then
      refuse(what, "the tensor's %s[%d] is %s, which is not supported", name, k, element.describe(list[k - 1]))
    end
    out[k] = x
  end
  return out
end

local function dtype_of(what, t)
  local code, bits, lanes = t.code, t.bits, t.lanes
  local name = (code_names[code] or "type code " .. code) .. " of " .. bits .. " bits"
  if lanes ~= 1 then refuse(what, "the tensor has elements of %d lanes (%s), which are not supported", lanes, name) end
  local dtype = by_code[code * 256 + bits]
  if not dtype then refuse(what, "the tensor has elements of %s, which are not supported", name) end
  return dtype
end

local states = { taken = "was taken already", back = "was given back already" }

local function refuse_state(what, address)
  refuse(what, "the tensor at the address %.0f %s; an address that interop.to_dlpack gave goes to one consumer, once",
    address, states[core.tensor_state(address)] or states.taken)
end

-- What is at an address, checked; nothing is taken yet.
local function read(what, x, versioned)
  local address = address_of(what, x)
  if states[core.tensor_state(address)] then refuse_state(what, address) end
  local type_of = versioned and versioned_t or plain_t
  if not is_mapped(address, versioned and 80 or 64) then refuse(what, "no memory is at the address %.0f", address) end
  local managed = ffi.cast(type_of, address)
  if versioned and managed.major ~= 1 then
    refuse(what, "the tensor has DLPack's version %.0f.%.0f; version 1 is supported", managed.major, managed.minor)
  end
  local t = managed.tensor
  local ndim = t.ndim
  if ndim < 0 or ndim > layout.MAX_AXES then
    refuse(what, "the tensor has %d axes, at most %d are supported%s", ndim, layout.MAX_AXES,
      versioned and "" or "; pass {versioned = true} for a DLManagedTensorVersioned")
  end
  if not on_host[t.device_type] and not on_device[t.device_type] then
    refuse(what, "the tensor is on a device of type %d (%s), which is not supported", t.device_type,
      device_names[t.device_type] or "unknown")
  end
  local dtype = dtype_of(what, t)
  for _, list in ipairs { "shape", "strides" } do
    local at = tonumber(ffi.cast("uintptr_t", t[list]))
    if ndim > 0 and not (at == 0 and list == "strides") and (at % 8 ~= 0 or at == 0 or not is_mapped(at, 8 * ndim)) then
      refuse(what, "the tensor has no %s", list)
    end
  end
  local shape = integers(what, "shape", t.shape, ndim, 0)
  local size = layout.size(what, shape, dtype.itemsize)
  local strides = layout.dense_strides(shape, dtype.itemsize, "C")
  if t.strides ~= nil and size > 0 then
    strides = integers(what, "strides", t.strides, ndim, -2 ^ 53)
    for k = 1, ndim do strides[k] = strides[k] * dtype.itemsize end
  end
  local low, high = layout.extent(shape, strides, dtype.itemsize)
  local first = tonumber(t.data + t.byte_offset)
  if size > 0 and (t.data == 0 or first + low < 0 or high - low > 2 ^ 53) then
    refuse(what, "the tensor has no memory for %.0f elements", size)
  end
  if size > 0 and first % dtype.itemsize ~= 0 then
    refuse(what, "the tensor's first element is at the address %.0f, which is not a multiple of the %d bytes of %s",
      first, dtype.itemsize, dtype.name)
  end
  return { address = address, deleter = tonumber(managed.deleter), on_host = on_host[t.device_type], dtype = dtype,
    shape = shape, strides = strides, size = size, first = first, low = low, high = high,
    read_only = versioned and managed.flags % 2 == READ_ONLY }
end

local function call_deleter(t)
  if t.deleter ~= 0 then ffi.cast(deleter_t, t.deleter)(ffi.cast("void *", t.address)) end
end

-- A host array; the collector calls the deleter.
local function host_array(what, t)
  if not core.tensor_take(t.address) then refuse_state(what, t.address) end
  local memory = ffi.cast("void *", t.address)
  if t.deleter ~= 0 then ffi.gc(memory, ffi.cast(deleter_t, t.deleter)) end
  return arrays.over(t.dtype, ffi.cast("uint8_t *", t.first), t.shape, t.strides, t.size, { memory = memory })
end

local function device_array(what, t)
  local o = { strides = t.strides, offset = -t.low }
  local begin, stop = t.first + t.low, t.first + t.high
  core.tensor_check(begin)
  core.tensor_check(stop - 1)
  gpuarray.wrap(core.pointer(begin), t.shape, t.dtype, o) -- raises what it has to, before the tensor is taken
  local memory = core.tensor_borrow(t.address, t.deleter, begin, stop - begin) or refuse_state(what, t.address)
  return gpuarray.wrap(memory, t.shape, t.dtype, o)
end

local options_known = { versioned = true }

---Returns an array over the memory of another library's tensor, without a copy, as a consumer of DLPack. It takes
---ownership of the tensor. The tensor's deleter is called once, when nothing refers to the array and its views any
---more, and all work of the context that may use it is done. If from_dlpack raises an error, the tensor still belongs
---to the caller.
---@param address integer|ffi.cdata*  the address of a DLManagedTensor, or a pointer to it
---@param options? {versioned: boolean, stream: cudalua.Stream}  versioned: the address is that of a
---  DLManagedTensorVersioned; default: false. stream: the elements must be valid for work in this stream; default: the
---  current stream
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array a  a gpuarray for device or managed memory, a host array for
---  host memory; a copy if the tensor is read-only
---@raise LogicError if there is not a tensor at the address; if its version, device or element type is not supported;
---  if its memory belongs to another context than the current one; or if it came from interop.to_dlpack and was
---  consumed before
function M.from_dlpack(address, options)
  local what = "interop.from_dlpack"
  local o = errors.options(what, options, options_known)
  local t = read(what, address, layout.flag(what, o, "versioned"))
  local out
  if t.size == 0 then
    out = (t.on_host and ndarray or gpuarray).empty(t.shape, t.dtype)
    call_deleter(t)
    return out
  end
  out = (t.on_host and host_array or device_array)(what, t)
  return t.read_only and out:copy() or out
end

-- ---- ours -----------------------------------------------------------------------------------------------------------

local function code_for(what, dtype)
  local code = code_of[dtype.name]
  if not code then refuse(what, "DLPack has no elements of %s", dtype.name) end
  return code
end

local function in_elements(what, strides, ndim, itemsize)
  local out = {}
  for k = 1, ndim do
    if strides[k] % itemsize ~= 0 then
      refuse(what, "strides[%d] is %.0f bytes, which is not a number of elements; copy() the array", k, strides[k])
    end
    out[k] = strides[k] / itemsize
  end
  return out
end

local function list_of(shape)
  local out = {}
  for k = 1, #shape do out[k] = shape[k] end
  return out
end

-- The elements of a host array are the collector's, which other libraries cannot wait for.
local function lend_host(what, a, versioned)
  local dtype, code = a.dtype, code_for(what, a.dtype)
  if not a.flags.c_contiguous then a = a:copy "C" end
  local shape, nbytes = list_of(a.shape), a.nbytes
  local strides = in_elements(what, layout.dense_strides(shape, dtype.itemsize, "C"), #shape, dtype.itemsize)
  local address, at = core.tensor_lend(false, nbytes, code, 8 * dtype.itemsize, shape, strides, versioned)
  if nbytes > 0 then ffi.copy(ffi.cast("void *", at), a:data(), nbytes) end
  return address, a -- whose memory has to be there until now
end

---Returns the address of a managed tensor for another library, a consumer of DLPack. An array on the device is computed
---and exported without a copy. The tensor keeps its memory alive until the consumer calls the deleter, in any thread
---and even after this Lua state has ended. Operations on an exported array are computed at once, as the consumer may
---change it. A host array is copied.
---@param a cudalua.gpuarray.Array|cudalua.ndarray.Array  the array to export
---@param options? {versioned: boolean, stream: cudalua.Stream}  versioned: return a DLManagedTensorVersioned (version
---  1.0); default: a DLManagedTensor. stream: the stream whose work may use the elements; default: the current stream
---@return integer address  pass it to one consumer, which calls the deleter
---@raise LogicError if a is not an array, or has elements that DLPack does not support; errors of the kernels that
---  compute the value; MemoryError
function M.to_dlpack(a, options)
  local what = "interop.to_dlpack"
  local o = errors.options(what, options, options_known)
  local versioned = layout.flag(what, o, "versioned")
  if arrays.is_array(a) then
    arrays.check_self(a, what)
    return (lend_host(what, a, versioned))
  end
  if not gpuarray.is_array(a) then refuse(what, "expected an array, got " .. element.describe(a)) end
  local dtype = a.dtype
  local code = code_for(what, dtype)
  local memory = hooks.array_memory(what, a)
  local shape = list_of(memory.shape)
  local strides = in_elements(what, memory.strides, #shape, dtype.itemsize)
  return (core.tensor_lend(memory.buf or nil, 0, code, 8 * dtype.itemsize, shape, strides, versioned))
end

return M
