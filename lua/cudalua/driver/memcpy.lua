-- Copies and fills of linear memory. Extents, pitches and offsets of boxes: memcpy_box.lua; CUDA arrays: array.lua.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"

---@class cudalua
local M = {}

local device, number = host.device, host.plain_number

---Allocates device memory and copies a host buffer to it.
---@param buf any  a string, an FFI array or struct, a host array, {ptr =, nbytes =}, or an object with :buffer()
---@return cudalua.DeviceAllocation
---@raise MemoryError, LogicError if buf is not a host buffer or is empty
function M.to_device(buf)
  local src, n, owner = host.host_buffer("to_device", buf)
  local mem = core.mem_alloc(n)
  core.memcpy_htod(mem, src, n, owner)
  return mem
end

---Copies device memory to a new host array.
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param shape integer|integer[]  the extents of the array: a list, or a number for a 1-D array
---@param dtype any  the dtype of the array, as for dtype.of
---@param order? "C"|"F"  the order of the elements; default "C"
---@return cudalua.ndarray.Array
---@raise LogicError if the memory is smaller than the array
function M.from_device(src, shape, dtype, order)
  local ary = require("cudalua.ndarray").empty(shape, dtype, order and { order = order } or nil)
  if ary.nbytes > 0 then M.memcpy_dtoh(ary, src) end
  return ary
end

---Copies device memory to a new host array with the shape, dtype and order of another host array.
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param other cudalua.ndarray.Array  the array whose shape, dtype and order are used
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

---Copies host memory to the device, after all earlier work of the default and the blocking streams. Returns when you
---may reuse the host buffer.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param src any  a string, an FFI array or struct, a host array, {ptr =, nbytes =}, or an object with :buffer()
---@param opts? {nbytes: integer}  nbytes: the number of bytes; default: the whole host buffer
---@raise LogicError if the destination is too small.
function M.memcpy_htod(dest, src, opts)
  local slot, n, owner = host.host_buffer("memcpy_htod: src", src, nbytes_of("memcpy_htod", opts))
  core.memcpy_htod(device(dest), slot, n, owner)
end

---Copies device memory to the host, after all earlier work of the default and the blocking streams. Returns when the
---data has arrived.
---@param dest any  an FFI array or struct, a host array, {ptr =, nbytes =}, or an object with :buffer()
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param opts? {nbytes: integer}  nbytes: the number of bytes; default: the whole host buffer
---@raise LogicError if the buffers are too small; errors of earlier kernels are raised here, too.
function M.memcpy_dtoh(dest, src, opts)
  local slot, n, owner = host.host_buffer("memcpy_dtoh: dest", dest, nbytes_of("memcpy_dtoh", opts), true)
  core.memcpy_dtoh(slot, device(src), n, owner)
end

---Copies within device memory. May return before the copy is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param nbytes integer  the number of bytes
---@raise LogicError if the memory is too small.
function M.memcpy_dtod(dest, src, nbytes) core.memcpy_dtod(device(dest), device(src), number(nbytes)) end

---Copies host memory to the device in stream order. The buffer is kept alive until the copy is done. Page-locked memory
---is read when the copy runs, so do not change it before.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param src any               as for memcpy_htod
---@param stream? cudalua.Stream  default: the current stream
---@param opts? {nbytes: integer}  nbytes: as for memcpy_htod
---@raise LogicError if the destination is too small
function M.memcpy_htod_async(dest, src, stream, opts)
  local slot, n, anchor = host.host_buffer("memcpy_htod_async: src", src, nbytes_of("memcpy_htod_async", opts))
  core.memcpy_htod_async(device(dest), slot, n, stream, anchor)
end

---Copies device memory to the host in stream order. The buffer is kept alive until the copy is done. Its contents are
---undefined until you synchronise the stream. For memory that is not page-locked the call itself waits.
---@param dest any              as for memcpy_dtoh
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param stream? cudalua.Stream  default: the current stream
---@param opts? {nbytes: integer}  nbytes: as for memcpy_dtoh
---@raise LogicError if the buffers are too small
function M.memcpy_dtoh_async(dest, src, stream, opts)
  local slot, n, anchor = host.host_buffer("memcpy_dtoh_async: dest", dest, nbytes_of("memcpy_dtoh_async", opts), true)
  core.memcpy_dtoh_async(slot, device(src), n, stream, anchor)
end

---Copies within device memory in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param nbytes integer  the number of bytes
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError if the memory is too small
function M.memcpy_dtod_async(dest, src, nbytes, stream)
  core.memcpy_dtod_async(device(dest), device(src), number(nbytes), stream)
end

local peer_options = { dest_context = true, src_context = true, stream = true }

local function peer(where, async, dest, src, size, opts)
  opts = errors.options(where, opts, peer_options)
  core.memcpy_peer(device(dest), device(src), number(size), opts.dest_context, opts.src_context,
    async or opts.stream ~= nil, opts.stream)
end

---Copies between the memory of two contexts, on one device or two.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param size integer  the number of bytes
---@param opts? {dest_context: cudalua.Context?, src_context: cudalua.Context?, stream: cudalua.Stream?}  dest_context:
---  the context of the destination; default: the current context; src_context: the context of the source; default: the
---  current context; stream: with a stream the copy is asynchronous
---@raise LogicError if the memory is too small or belongs to another context
function M.memcpy_peer(dest, src, size, opts) peer("memcpy_peer", false, dest, src, size, opts) end

---As memcpy_peer, in the order of the stream opts.stream; default: the current stream.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the destination
---@param src cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the source
---@param size integer  the number of bytes
---@param opts? {dest_context: cudalua.Context?, src_context: cudalua.Context?, stream: cudalua.Stream?}  dest_context:
---  as for memcpy_peer; src_context: as for memcpy_peer
---@raise LogicError as memcpy_peer
function M.memcpy_peer_async(dest, src, size, opts) peer("memcpy_peer_async", true, dest, src, size, opts) end

---Fills device memory with a byte. May return before the fill is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the memory to fill
---@param data integer  a value from 0 to 255
---@param count integer  the number of elements, of one byte each
---@raise LogicError if the memory is too small or data is out of range
function M.memset_d8(dest, data, count) core.memset(8, device(dest), number(data), number(count)) end

---Fills device memory with a 16-bit value. May return before the fill is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the memory to fill, aligned to 2 bytes
---@param data integer  a value from 0 to 65535
---@param count integer  the number of elements, of two bytes each
---@raise LogicError if the memory is too small or not aligned, or data is out of range
function M.memset_d16(dest, data, count) core.memset(16, device(dest), number(data), number(count)) end

---Fills device memory with a 32-bit value. May return before the fill is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the memory to fill, aligned to 4 bytes
---@param data integer  a value from 0 to 2^32 - 1
---@param count integer  the number of elements, of four bytes each
---@raise LogicError if the memory is too small or not aligned, or data is out of range
function M.memset_d32(dest, data, count) core.memset(32, device(dest), number(data), number(count)) end

---As memset_d8, in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  as for memset_d8
---@param data integer  a value from 0 to 255
---@param count integer  the number of elements, of one byte each
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError as memset_d8
function M.memset_d8_async(dest, data, count, stream)
  core.memset(8, device(dest), number(data), number(count), true, stream)
end

---As memset_d16, in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the memory to fill, aligned to 2 bytes
---@param data integer  a value from 0 to 65535
---@param count integer  the number of elements, of two bytes each
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError as memset_d16
function M.memset_d16_async(dest, data, count, stream)
  core.memset(16, device(dest), number(data), number(count), true, stream)
end

---As memset_d32, in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the memory to fill, aligned to 4 bytes
---@param data integer  a value from 0 to 2^32 - 1
---@param count integer  the number of elements, of four bytes each
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError as memset_d32
function M.memset_d32_async(dest, data, count, stream)
  core.memset(32, device(dest), number(data), number(count), true, stream)
end

local function memset_2d(bits, async, dest, pitch, data, width, height, stream)
  core.memset_2d(bits, device(dest), number(pitch), number(data), number(width), number(height), async, stream)
end

---Fills a rectangle of device memory with a byte. May return before the fill is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the first row of the rectangle
---@param pitch integer  bytes from one row to the next
---@param data integer  a value from 0 to 255
---@param width integer  elements in each row, of one byte each
---@param height integer  the number of rows
---@raise LogicError if the memory is too small or data is out of range
function M.memset_d2d8(dest, pitch, data, width, height) memset_2d(8, false, dest, pitch, data, width, height) end

---Fills a rectangle of device memory with a 16-bit value. May return before the fill is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the first row of the rectangle, aligned to 2
---  bytes
---@param pitch integer  bytes from one row to the next, a multiple of 2
---@param data integer  a value from 0 to 65535
---@param width integer  elements in each row, of two bytes each
---@param height integer  the number of rows
---@raise LogicError if the memory is too small, if data is out of range, or if the address or the pitch is not aligned
function M.memset_d2d16(dest, pitch, data, width, height) memset_2d(16, false, dest, pitch, data, width, height) end

---Fills a rectangle of device memory with a 32-bit value. May return before the fill is done.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  the first row of the rectangle, aligned to 4
---  bytes
---@param pitch integer  bytes from one row to the next, a multiple of 4
---@param data integer  a value from 0 to 2^32 - 1
---@param width integer  elements in each row, of four bytes each
---@param height integer  the number of rows
---@raise LogicError if the memory is too small, if data is out of range, or if the address or the pitch is not aligned
function M.memset_d2d32(dest, pitch, data, width, height) memset_2d(32, false, dest, pitch, data, width, height) end

---As memset_d2d8, in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  as for memset_d2d8
---@param pitch integer  bytes from one row to the next
---@param data integer  a value from 0 to 255
---@param width integer  elements in each row, of one byte each
---@param height integer  the number of rows
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError as memset_d2d8
function M.memset_d2d8_async(dest, pitch, data, width, height, stream)
  memset_2d(8, true, dest, pitch, data, width, height, stream)
end

---As memset_d2d16, in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  as for memset_d2d16
---@param pitch integer  bytes from one row to the next, a multiple of 2
---@param data integer  a value from 0 to 65535
---@param width integer  elements in each row, of two bytes each
---@param height integer  the number of rows
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError as memset_d2d16
function M.memset_d2d16_async(dest, pitch, data, width, height, stream)
  memset_2d(16, true, dest, pitch, data, width, height, stream)
end

---As memset_d2d32, in stream order.
---@param dest cudalua.DeviceAllocation|cudalua.DevicePointer|integer  as for memset_d2d32
---@param pitch integer  bytes from one row to the next, a multiple of 4
---@param data integer  a value from 0 to 2^32 - 1
---@param width integer  elements in each row, of four bytes each
---@param height integer  the number of rows
---@param stream? cudalua.Stream  default: the current stream
---@raise LogicError as memset_d2d32
function M.memset_d2d32_async(dest, pitch, data, width, height, stream)
  memset_2d(32, true, dest, pitch, data, width, height, stream)
end

return M
