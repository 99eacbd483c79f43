-- Copies and fills of linear memory. Extents, pitches and offsets of boxes: memcpy_box.lua; CUDA arrays: array.lua.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

local device, number = host.device, host.plain_number

---Device memory with a copy of a host buffer.
---@param buf any  string, FFI array or struct, host array, {ptr =, nbytes =}, object with :buffer()
---@return cudalua.DeviceAllocation
---@raise MemoryError, LogicError if it is not a host buffer or holds nothing
function M.to_device(buf)
  local src, n, owner = host.host_buffer("to_device", buf)
  local mem = core.mem_alloc(n)
  core.memcpy_htod(mem, src, n, owner)
  return mem
end

---A host array with a copy of device memory.
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param shape integer|integer[]
---@param dtype any
---@param order? "C"|"F"  default "C"
---@return cudalua.ndarray.Array
---@raise LogicError if the memory is smaller than that
function M.from_device(src, shape, dtype, order)
  local ary = require("cudalua.ndarray").empty(shape, dtype, order and { order = order } or nil)
  if ary.nbytes > 0 then M.memcpy_dtoh(ary, src) end
  return ary
end

---A host array with a copy of device memory, of the shape, dtype and order of another host array.
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param other cudalua.ndarray.Array
---@return cudalua.ndarray.Array
---@raise LogicError as from_device
function M.from_device_like(src, other)
  if not require("cudalua.ndarray").is_array(other) then
    errors.raise("LogicError", "from_device_like: expected a host array, got " .. type(other))
  end
  local flags = other.flags
  return M.from_device(src, other.shape, other.dtype, flags.f_contiguous and not flags.c_contiguous and "F" or "C")
end

local copy_options = { nbytes = true }

local function nbytes_of(where, opts)
  if opts == nil then return nil end
  return number(errors.options(where, opts, copy_options).nbytes)
end

---Copies host memory to the device, after all earlier work of the default and the blocking streams; returns when the
---host buffer may be reused.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src any  string, FFI array or struct, host array, {ptr =, nbytes =}, object with :buffer()
---@param opts? {nbytes: integer}  default: the whole host buffer
---@raise LogicError if it does not fit.
function M.memcpy_htod(dest, src, opts)
  local slot, n, owner = host.host_buffer("memcpy_htod: src", src, nbytes_of("memcpy_htod", opts))
  core.memcpy_htod(device(dest), slot, n, owner)
end

---Copies device memory to the host, after all earlier work of the default and the blocking streams; returns when the
---data is there.
---@param dest any  FFI array or struct, host array, {ptr =, nbytes =}, object with :buffer()
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param opts? {nbytes: integer}  default: the whole host buffer
---@raise LogicError if it does not fit; errors of kernels that ran before show here too.
function M.memcpy_dtoh(dest, src, opts)
  local slot, n, owner = host.host_buffer("memcpy_dtoh: dest", dest, nbytes_of("memcpy_dtoh", opts), true)
  core.memcpy_dtoh(slot, device(src), n, owner)
end

---Copies within device memory. May return before the copy is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param nbytes integer
---@raise LogicError if it does not fit.
function M.memcpy_dtod(dest, src, nbytes) core.memcpy_dtod(device(dest), device(src), number(nbytes)) end

---Copies host memory to the device in the order of a stream. The buffer is kept alive until the copy is done;
---page-locked
---memory is read when the copy runs, so it must not be changed before that.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src any               as for memcpy_htod
---@param stream? cudalua.Stream  default: the current one
---@param opts? {nbytes: integer}
---@raise LogicError if it does not fit
function M.memcpy_htod_async(dest, src, stream, opts)
  local slot, n, anchor = host.host_buffer("memcpy_htod_async: src", src, nbytes_of("memcpy_htod_async", opts))
  core.memcpy_htod_async(device(dest), slot, n, stream, anchor)
end

---Copies device memory to the host in the order of a stream. The buffer is kept alive until the copy is done; what it
---holds before the stream is synchronised is undefined. For memory that is not page-locked the call itself waits.
---@param dest any              as for memcpy_dtoh
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param stream? cudalua.Stream  default: the current one
---@param opts? {nbytes: integer}
---@raise LogicError if it does not fit
function M.memcpy_dtoh_async(dest, src, stream, opts)
  local slot, n, anchor = host.host_buffer("memcpy_dtoh_async: dest", dest, nbytes_of("memcpy_dtoh_async", opts), true)
  core.memcpy_dtoh_async(slot, device(src), n, stream, anchor)
end

---Copies within device memory in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param nbytes integer
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError if it does not fit
function M.memcpy_dtod_async(dest, src, nbytes, stream)
  core.memcpy_dtod_async(device(dest), device(src), number(nbytes), stream)
end

local peer_options = { dest_context = true, src_context = true, stream = true }

local function peer(where, async, dest, src, size, opts)
  opts = errors.options(where, opts, peer_options)
  core.memcpy_peer(device(dest), device(src), number(size), opts.dest_context, opts.src_context,
    async or opts.stream ~= nil, opts.stream)
end

---Copies between the memory of two contexts, of one device or two.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param size integer  bytes
---@param opts? {dest_context: cudalua.Context?, src_context: cudalua.Context?, stream: cudalua.Stream?}  a context
---  that is
---  not given is the current one; with a stream the copy is asynchronous
---@raise LogicError if it does not fit, or memory is of another context
function M.memcpy_peer(dest, src, size, opts) peer("memcpy_peer", false, dest, src, size, opts) end

---The same in the order of a stream: opts.stream, default the current one.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param size integer  bytes
---@param opts? {dest_context: cudalua.Context?, src_context: cudalua.Context?, stream: cudalua.Stream?}
---@raise LogicError as memcpy_peer
function M.memcpy_peer_async(dest, src, size, opts) peer("memcpy_peer_async", true, dest, src, size, opts) end

---Fills device memory with a byte. May return before it is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param data integer   0 to 255
---@param count integer  elements, of one byte
---@raise LogicError if it does not fit or data is out of range
function M.memset_d8(dest, data, count) core.memset(8, device(dest), number(data), number(count)) end

---Fills device memory with a 16-bit value. May return before it is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 2
---@param data integer   0 to 65535
---@param count integer  elements, of two bytes
---@raise LogicError if it does not fit, data is out of range or the address is not aligned
function M.memset_d16(dest, data, count) core.memset(16, device(dest), number(data), number(count)) end

---Fills device memory with a 32-bit value. May return before it is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 4
---@param data integer   0 to 2^32 - 1
---@param count integer  elements, of four bytes
---@raise LogicError if it does not fit, data is out of range or the address is not aligned
function M.memset_d32(dest, data, count) core.memset(32, device(dest), number(data), number(count)) end

---As memset_d8, in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param data integer   0 to 255
---@param count integer  elements, of one byte
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError as memset_d8
function M.memset_d8_async(dest, data, count, stream)
  core.memset(8, device(dest), number(data), number(count), true, stream)
end

---As memset_d16, in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 2
---@param data integer   0 to 65535
---@param count integer  elements, of two bytes
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError as memset_d16
function M.memset_d16_async(dest, data, count, stream)
  core.memset(16, device(dest), number(data), number(count), true, stream)
end

---As memset_d32, in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 4
---@param data integer   0 to 2^32 - 1
---@param count integer  elements, of four bytes
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError as memset_d32
function M.memset_d32_async(dest, data, count, stream)
  core.memset(32, device(dest), number(data), number(count), true, stream)
end

local function memset_2d(bits, async, dest, pitch, data, width, height, stream)
  core.memset_2d(bits, device(dest), number(pitch), number(data), number(width), number(height), async, stream)
end

---Fills a rectangle of device memory with a byte. May return before it is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param pitch integer   bytes from row to row
---@param data integer    0 to 255
---@param width integer   elements of a row, of one byte
---@param height integer  rows
---@raise LogicError if it does not fit or data is out of range
function M.memset_d2d8(dest, pitch, data, width, height) memset_2d(8, false, dest, pitch, data, width, height) end

---Fills a rectangle of device memory with a 16-bit value. May return before it is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 2
---@param pitch integer   bytes from row to row, a multiple of 2
---@param data integer    0 to 65535
---@param width integer   elements of a row, of two bytes
---@param height integer  rows
---@raise LogicError if it does not fit, data is out of range, address or pitch are not aligned
function M.memset_d2d16(dest, pitch, data, width, height) memset_2d(16, false, dest, pitch, data, width, height) end

---Fills a rectangle of device memory with a 32-bit value. May return before it is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 4
---@param pitch integer   bytes from row to row, a multiple of 4
---@param data integer    0 to 2^32 - 1
---@param width integer   elements of a row, of four bytes
---@param height integer  rows
---@raise LogicError if it does not fit, data is out of range, address or pitch are not aligned
function M.memset_d2d32(dest, pitch, data, width, height) memset_2d(32, false, dest, pitch, data, width, height) end

---As memset_d2d8, in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer
---@param pitch integer   bytes from row to row
---@param data integer    0 to 255
---@param width integer   elements of a row, of one byte
---@param height integer  rows
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError as memset_d2d8
function M.memset_d2d8_async(dest, pitch, data, width, height, stream)
  memset_2d(8, true, dest, pitch, data, width, height, stream)
end

---As memset_d2d16, in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 2
---@param pitch integer   bytes from row to row, a multiple of 2
---@param data integer    0 to 65535
---@param width integer   elements of a row, of two bytes
---@param height integer  rows
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError as memset_d2d16
function M.memset_d2d16_async(dest, pitch, data, width, height, stream)
  memset_2d(16, true, dest, pitch, data, width, height, stream)
end

---As memset_d2d32, in the order of a stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  a multiple of 4
---@param pitch integer   bytes from row to row, a multiple of 4
---@param data integer    0 to 2^32 - 1
---@param width integer   elements of a row, of four bytes
---@param height integer  rows
---@param stream? cudalua.Stream  default: the current one
---@raise LogicError as memset_d2d32
function M.memset_d2d32_async(dest, pitch, data, width, height, stream)
  memset_2d(32, true, dest, pitch, data, width, height, stream)
end

return M
