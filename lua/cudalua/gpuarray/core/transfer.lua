-- Between host memory and arrays. All copies are in the order of the current stream, and done when they return,
-- unless they are asked not to wait.

local ffi = require "ffi"
local cell = require "cudalua.gpuarray.core.mailbox"
local companions = require "cudalua.gpuarray.core.companions"
local core = require "cudalua.core"
local element = require "cudalua.base.element"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"

local legacy, context_id = core.default_streams(), core.context_id

local M = {}

local function copy(leaf, offset, up, slot, nbytes, anchor, stream)
  local buf = leaf.buf
  if leaf.store.context ~= context_id() then
    return core.memory_context(buf):with(copy, leaf, offset, up, slot, nbytes, anchor, stream)
  end
  if core.array_ready(buf, stream) then -- a graph that is being captured copies whenever it is launched
    if not stream then core.current_stream():synchronize() end -- which raises, before the graph has the copy
    if up then leaf.store.exported = true end
    leaf.store.pinned = true
  end
  local at = leaf.off + offset
  local mem = at == 0 and buf or buf + at
  local current = stream or core.current_stream()
  local wait = not stream and current ~= legacy
  if not stream and not wait then
    if up then return core.memcpy_htod(mem, slot, nbytes, anchor) end
    return core.memcpy_dtoh(slot, mem, nbytes, anchor)
  end
  if up then
    core.memcpy_htod_async(mem, slot, nbytes, current, anchor)
  else
    core.memcpy_dtoh_async(slot, mem, nbytes, current, anchor)
  end
  if wait then current:synchronize() end
end

---Bytes from the host to a leaf without gaps.
---@param leaf table
---@param slot any       host buffer as cudalua.ffi gives it
---@param nbytes integer
---@param anchor any
---@param stream? cudalua.Stream  given: does not wait
function M.upload(leaf, slot, nbytes, anchor, stream)
  if nbytes > 0 then copy(leaf, 0, true, slot, nbytes, anchor, stream) end
end

---Bytes of a leaf without gaps to the host.
---@param leaf table
---@param offset integer  bytes from its first element
---@param slot any
---@param nbytes integer
---@param anchor any
---@param stream? cudalua.Stream  given: does not wait
function M.download(leaf, offset, slot, nbytes, anchor, stream)
  if nbytes > 0 then copy(leaf, offset, false, slot, nbytes, anchor, stream) end
end

---A host array as an array on the device; its order is kept if it has no gaps.
---@param a cudalua.ndarray.Array
---@param stream? cudalua.Stream
---@return cudalua.gpuarray.Array
function M.to_gpu(a, stream)
  if not a.order then a = a:copy() end
  local x = storage.empty(a.dtype, a.shape, a.size, a.strides)
  local slot, nbytes, anchor = host.host_buffer("to_gpu", a)
  M.upload(x._leaf, slot, nbytes, anchor, stream)
  return x
end

---Copies a host array straight to where an array of the same shape and dtype lies.
---@param x cudalua.gpuarray.Array
---@param a cudalua.ndarray.Array
---@param stream? cudalua.Stream
---@return boolean  false: it cannot go there straight, as the array has gaps, or pending work still has to read it
function M.set(x, a, stream)
  if x._sig or a.dtype ~= x._dtype or not layout.same(a.shape, x._shape) then return false end
  local leaf = storage.leaf_of(x)
  local c, f = layout.density(leaf.shape, leaf.strides, leaf.dtype.itemsize)
  if not (c or f) then return false end
  if not a.flags[c and "c_contiguous" or "f_contiguous"] then a = a:copy(c and "C" or "F") end
  if x._size > 0 and #storage.readers(leaf.store) > 0 then return false end
  storage.writes = storage.writes + 1
  local slot, nbytes, anchor = host.host_buffer("set", a)
  M.upload(leaf, slot, nbytes, anchor, stream)
  return true
end

-- The memory of a leaf without gaps, in C or F order; of others a copy.
local function packed(x)
  if x._sig then companions.before(x) end
  local leaf = evaluate.evaluate(x)
  local c, f = layout.density(leaf.shape, leaf.strides, leaf.dtype.itemsize)
  if c or f then return leaf, c and "C" or "F" end
  return view.copy(x, "C")._leaf, "C"
end

-- A host array that may get the elements of x.
local function check_target(what, x, to)
  if not ndarray.is_array(to) then layout.refuse(what, "expected a host array, got " .. element.describe(to)) end
  if to.dtype ~= x._dtype or not layout.same(to.shape, x._shape) then
    layout.refuse(what, "%s%s cannot be copied to a host array of %s%s", x._dtype.name, layout.text(x._shape),
      to.dtype.name, layout.text(to.shape))
  end
end

---@param what string
---@param x cudalua.gpuarray.Array
---@param to? cudalua.ndarray.Array  of the same shape and dtype
---@param stream? cudalua.Stream
---@return cudalua.ndarray.Array
function M.get(what, x, to, stream)
  if type(to) ~= "nil" then -- also for a NULL pointer
    check_target(what, x, to)
    if not to.order then
      if stream then layout.refuse(what, "the host array is not contiguous") end
      return to:assign(M.get(what, x))
    end
  end
  local leaf, order = packed(x)
  if to and not to.flags[order == "C" and "c_contiguous" or "f_contiguous"] then
    leaf = view.copy(x, to.order)._leaf
  end
  to = to or ndarray.empty(x._shape, x._dtype, { order = order, pinned = stream ~= nil and x._size > 0 })
  local slot, nbytes, anchor = host.host_buffer("get", to, nil, true)
  M.download(leaf, 0, slot, nbytes, anchor, stream)
  return to
end

local types, pinned, watched = cell.types, cell.cells, cell.watched
local read, told = core.array_read, core.array_told

---The value of an unused array, which its kernel left in the cell; see reduce/run.lua.
---@param x cudalua.gpuarray.Array
---@return boolean|number|nil  nil: its memory tells
function M.told(x)
  local kind = x._b
  return told(watched[kind.context], x._c, types[kind.dtype])
end

-- dtype -> host memory for one element, with its slot, that no read has at the moment. Each read takes one and puts it
-- back, for finalizers may read while another read waits for its stream.
local idle = {}

local function take_memory(dt)
  local c = idle[dt]
  if c then
    idle[dt] = nil
    return c
  end
  local memory = ffi.new("uint8_t[?]", math.max(dt.itemsize, 16))
  local slot, _, anchor = host.host_buffer("item", memory, dt.itemsize, true)
  return { memory = ffi.cast("uint8_t *", memory), slot = slot, anchor = anchor, keep = memory }
end

---One element.
---@param leaf table
---@param offset integer  bytes from the leaf's first element
---@return boolean|number|ffi.cdata*
function M.element(leaf, offset)
  local dt, buf = leaf.dtype, leaf.buf
  local known = types[dt]
  if known and buf then
    local context = leaf.store.context
    local value = read(buf, leaf.off + offset, known, pinned[context] or cell.of(context), watched[context])
    if value ~= nil then return value end
  end
  local c = take_memory(dt)
  M.download(leaf, offset, c.slot, dt.itemsize, c.anchor)
  local value = dt._load(c.memory, 0)
  idle[dt] = c
  return value
end

return M
