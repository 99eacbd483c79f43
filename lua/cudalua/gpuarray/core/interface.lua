-- What code outside of this library takes of an array: its memory, and the description of it that Python's array
-- libraries know as __cuda_array_interface__.

local core = require "cudalua.core"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local write = require "cudalua.gpuarray.core.write"

---@class cudalua.gpuarray.Array
local Array = object.Array
local legacy, per_thread = core.default_streams()

-- The fields of a struct as NumPy's `descr` lists them, gaps included.
local function description(dtype)
  local list, at = {}, 0
  local function gap(to)
    if to > at then list[#list + 1] = { "", ("|V%d"):format(to - at) } end
  end
  for _, f in ipairs(dtype.fields) do
    gap(f.offset)
    local count, of = 1, f.dtype
    for _, extent in ipairs(f.shape) do count = count * extent end
    list[#list + 1] = { f.name, of.kind == "struct" and description(of) or of.code, #f.shape > 0 and f.shape or nil }
    at = f.offset + count * of.itemsize
  end
  gap(dtype.itemsize)
  return list
end

-- As the protocol numbers streams: 1 and 2 are the default ones.
local function number_of(stream)
  if stream == legacy then return 1 end
  return stream == per_thread and 2 or stream:handle()
end

-- The array's memory is at an address that others know from now on, and what the current stream does next comes after
-- what all streams did with it.
local function handed_out(what, self)
  local leaf = write.export(self)
  if leaf.buf and leaf.store.context ~= core.context_id() then
    layout.refuse(what, "the array belongs to another context than the current one")
  end
  if leaf.buf and core.array_ready(leaf.buf) then run.captured(leaf) end
  return leaf
end

-- A texture of an array reads its storage, which therefore outlives the scopes that it was made in.
function hooks.array_memory(what, x)
  if not object.is_array(x) then return nil end
  local leaf = handed_out(what, x)
  storage.keep_always(leaf.store)
  return { buf = leaf.buf and (leaf.off == 0 and leaf.buf or leaf.buf + leaf.off), dtype = leaf.dtype, shape = leaf.shape,
    strides = leaf.strides, dense = leaf.dense }
end

---Describes the array to code outside of this library: version 3 of Numba's CUDA Array Interface. As
---with `ptr`, this computes the array, and all pending work on it. The memory lives as long as the array or this table.
---@return table description
---  shape, typestr ("<f4"), version; data: {ptr, readonly}, ptr is 0 if there are no elements; strides: in bytes,
---  nil for C order; descr: of structs, {name, typestr or descr, shape?} for each field, with unnamed ones for gaps;
---  stream: the current one, 1 for the legacy and 2 for the per-thread default stream, otherwise the handle: work in it
---  may use the array; owner: the array
---@raise LogicError if the memory was released; what the kernels raise that compute the value
function Array:cuda_array_interface()
  object.check_self(self, "gpuarray:cuda_array_interface")
  local leaf, dtype = handed_out("gpuarray:cuda_array_interface", self), self._dtype
  return { shape = self.shape, typestr = dtype.code, version = 3, owner = self,
    data = { ptr = object.properties.ptr(self), readonly = false },
    strides = not leaf.dense and { unpack(leaf.strides, 1, self._ndim) } or nil,
    descr = dtype.kind == "struct" and description(dtype) or nil,
    stream = number_of(core.current_stream()) }
end

-- The protocol's own name for it: a.__cuda_array_interface__.
function object.properties.__cuda_array_interface__(self) return Array.cuda_array_interface(self) end

-- PyCUDA's a.gpudata: what the functions of the driver layer take.
function object.properties.gpudata(self)
  local leaf = handed_out("gpuarray.gpudata", self)
  if not leaf.buf then return nil end
  return leaf.off == 0 and leaf.buf or leaf.buf + leaf.off
end
