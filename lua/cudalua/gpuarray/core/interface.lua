-- What code outside of this library takes of an array: its memory, and the description of it that Python's array
-- libraries know as __cuda_array_interface__.

local core = require "cudalua.core"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local stream_numbers = require "cudalua.gpuarray.core.stream_numbers"
local texel = require "cudalua.driver.texel"
local write = require "cudalua.gpuarray.core.write"

---@class cudalua.gpuarray.Array
local Array = object.Array

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

-- The array's memory is at an address that others know from now on, and what the current stream does next comes after
-- what all streams did with it.
local function handed_out(what, self)
  local leaf = write.export(self)
  if leaf.buf and leaf.store.context ~= core.context_id() then
    layout.refuse(what, "the array does not belong to the current context")
  end
  if leaf.buf and core.array_ready(leaf.buf) then run.captured(leaf) end
  return leaf
end

-- A texture of an array reads its storage, which therefore outlives the scopes that it was made in.
function hooks.array_memory(what, x)
  if not object.is_array(x) then return nil end
  local leaf = handed_out(what, x)
  storage.keep_always(leaf.store)
  return { buf = leaf.buf and (leaf.off == 0 and leaf.buf or leaf.buf + leaf.off), dtype = leaf.dtype,
    shape = leaf.shape, strides = leaf.strides, dense = leaf.dense }
end

---Describes the array to other libraries: version 3 of Numba's CUDA Array Interface. As with `ptr`, this computes the
---array and all pending operations on it. The memory lives as long as the array or this table.
---@return table description  fields: shape, typestr ("<f4") and version; data: {ptr, readonly}, where ptr is 0 for an
---  array without elements; strides: in bytes, nil for C order; descr: for structs, {name, typestr or descr, shape?}
---  for each field, with unnamed ones for gaps; stream: the current stream, as 1 for the legacy default stream, 2 for
---  the per-thread default stream, otherwise its handle; work in it may use the array; owner: the array
---@raise LogicError if the memory was released; errors of the kernels that compute the value
function Array:cuda_array_interface()
  object.check_self(self, "gpuarray:cuda_array_interface")
  local leaf, dtype = handed_out("gpuarray:cuda_array_interface", self), self._dtype
  return { shape = self.shape, typestr = dtype.code, version = 3, owner = self,
    data = { ptr = object.properties.ptr(self), readonly = false },
    strides = not leaf.dense and { unpack(leaf.strides, 1, self._ndim) } or nil,
    descr = dtype.kind == "struct" and description(dtype) or nil,
    stream = stream_numbers.number_of(core.current_stream()) }
end

-- The protocol's own name for it: a.__cuda_array_interface__.
function object.properties.__cuda_array_interface__(self) return Array.cuda_array_interface(self) end

-- PyCUDA's a.gpudata: what the functions of the driver layer take.
function object.properties.gpudata(self)
  local leaf = handed_out("gpuarray.gpudata", self)
  if not leaf.buf then return nil end
  return leaf.off == 0 and leaf.buf or leaf.buf + leaf.off
end

local function bind(what, self, reference, options, format, channels)
  local offset = reference:set_address(self, self.nbytes, options.allow_offset)
  reference:set_format(format, channels)
  if constants.lookup("array_format").FLOAT ~= format and constants.lookup("array_format").HALF ~= format then
    local flags, bit = reference:get_flags(), constants.lookup "TRSF_READ_AS_INTEGER"
    if flags % (2 * bit) < bit then reference:set_flags(flags + bit) end
  end
  if offset % self.dtype.itemsize ~= 0 then
    layout.refuse(what, "the array begins %d bytes after the start of the texture, which is not a whole number of " ..
      "elements", offset)
  end
  return offset / self.dtype.itemsize
end

local function check_bind(what, self, reference)
  object.check_self(self, what)
  if not require("cudalua.driver.texref").is_texref(reference) then
    layout.refuse(what, "expected a TextureReference, got %s", errors.text(reference))
  end
  if self._size == 0 then layout.refuse(what, "the array has no elements") end
  if not self.flags.forc then
    layout.refuse(what, "the array is not contiguous; copy it with copy()")
  end
end

local texref_options = { channels = true, allow_double_hack = true, allow_complex_hack = true, allow_offset = true }

---Binds the array to a texture reference, so that tex1Dfetch(t, i) reads its i-th element in memory. PyCUDA's
---GPUArray.bind_to_texref.
---@param reference cudalua.TextureReference  the texture reference
---@param options? {allow_offset: boolean?}  allow_offset: the array may begin at any address, and kernels add the
---  returned offset
---@return integer offset  elements from the start of the texture to the array
---@raise LogicError if the array is not contiguous, or no texture can begin at its address and allow_offset is not set
function Array:bind_to_texref(reference, options)
  local what = "gpuarray:bind_to_texref"
  if type(options) == "boolean" then options = { allow_offset = options } end
  options = errors.options(what, options, { allow_offset = true })
  check_bind(what, self, reference)
  local offset = reference:set_address(self, self.nbytes, options.allow_offset)
  return offset / self.dtype.itemsize
end

-- What stands for doubles and complex numbers in textures: {format, channels}.
local hacks = {
  float64 = { "allow_double_hack", "SIGNED_INT32", 2 },
  complex64 = { "allow_complex_hack", "UNSIGNED_INT32", 2 },
  complex128 = { "allow_complex_hack", "SIGNED_INT32", 4 },
}

---@class cudalua.BindOptions
---@field channels? integer  the number of elements in one texel; default 1
---@field allow_double_hack? boolean  read float64 as two 32-bit channels, for fp_tex1Dfetch() of pycuda-helpers.hpp
---@field allow_complex_hack? boolean  read complex64 as two 32-bit channels, complex128 as four
---@field allow_offset? boolean  the array may begin at any address, and kernels add the returned offset

---As bind_to_texref, and sets the format of the reference to the array's dtype. PyCUDA's GPUArray.bind_to_texref_ext.
---@param reference cudalua.TextureReference  the texture reference
---@param options? cudalua.BindOptions  channels and the hacks for double and complex
---@return integer offset  elements from the start of the texture to the array
---@raise LogicError as bind_to_texref, and if textures do not support the dtype
function Array:bind_to_texref_ext(reference, options)
  local what = "gpuarray:bind_to_texref_ext"
  options = errors.options(what, options, texref_options)
  check_bind(what, self, reference)
  local channels, hack = options.channels == nil and 1 or options.channels, hacks[self.dtype.name]
  if hack then
    if not options[hack[1] ] then
      layout.refuse(what, "textures cannot read %s; with %s its words become channels", self.dtype.name, hack[1])
    end
    if channels ~= 1 then
      layout.refuse(what, "channels must be 1 for %s, got %s", self.dtype.name, errors.text(channels))
    end
    return bind(what, self, reference, options, constants.lookup("array_format")[hack[2] ], hack[3])
  end
  local format, of_element = texel.of_dtype(self.dtype)
  if not format then layout.refuse(what, "textures cannot read %s", self.dtype.name) end
  if of_element > 1 and channels ~= 1 then
    layout.refuse(what, "elements of %s already have %d channels", self.dtype.name, of_element)
  end
  return bind(what, self, reference, options, format, of_element > 1 and of_element or channels)
end
