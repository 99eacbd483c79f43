-- TextureReference and SurfaceReference: variables of a module that kernels read by name, texture<float, 2> t; as old
-- sources have them, or a cudaTextureObject_t that the user declared __device__. A reference is a description that can
-- be changed; the object that it stands for is made when a launch needs it, and src/cudalua/code/texref.c writes its
-- handle.

local ffi = require "ffi"
local core = require "cudalua.core"
local constants = require "cudalua.base.constants"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local names = require "cudalua.base.names"
local pairs_of = require "cudalua.base.pairs_of"
local texel = require "cudalua.driver.texel"
local surface = require "cudalua.driver.surface"
local texture = require "cudalua.driver.texture"
local texture_source = require "cudalua.driver.texture_source"

---@class cudalua
local M = {}

local REFERENCES = {} -- key of the table that a module and its kernels share: name -> reference

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

-- ---- what the source says of a reference (kernels/compat/texture.cuh) -----------------------------------------------

ffi.cdef [[
  typedef struct { uint64_t object; uint32_t magic, dimensions, element, how; } cudalua_texref;
]]
local declared_t = ffi.typeof "cudalua_texref"
local SIZE = ffi.sizeof(declared_t)
local MAGIC = { texture = 0x74786c63, surface = 0x66736c63 }

local dimensions = { [1] = "1D", [2] = "2D", [3] = "3D", [0xf1] = "1D layered", [0xf2] = "2D layered",
  [0x0c] = "cube map", [0xfc] = "layered cube map" }

local formats = { [1] = { [8] = "SIGNED_INT8", [16] = "SIGNED_INT16", [32] = "SIGNED_INT32" },
  [2] = { [8] = "UNSIGNED_INT8", [16] = "UNSIGNED_INT16", [32] = "UNSIGNED_INT32" }, [3] = { [32] = "FLOAT" } }

---What the source declares.
---@class cudalua.DeclaredReference
---@field kind "texture"|"surface"|nil  nil: it is a handle and nothing more
---@field shape string?       "2D", "cube map" ...
---@field format integer?     of its elements
---@field num_channels integer?
---@field flags integer       of cuda.TRSF_*
---@field filter integer
---@field address integer

local function flag(name) return constants.lookup("TRSF_" .. name) end

local function declared_of(where, name, memory, bytes)
  if bytes == 8 then return { flags = 0, filter = 0, address = 1 } end
  if bytes ~= SIZE then
    refuse(where, bytes % SIZE == 0 and
      "'%s' is an array of references, whose elements have no names; declare them one by " ..
      "one" or "'%s' is a variable of %d bytes, not a reference", name, bytes)
  end
  local d = declared_t()
  errors.within(where, core.memcpy_dtoh, ffi.new("void *[1]", d), memory, SIZE)
  local kind = d.magic == MAGIC.texture and "texture" or d.magic == MAGIC.surface and "surface" or nil
  -- One that is declared and not defined here, extern texture<float, 2> t;, has nothing in it.
  local empty = d.magic == 0 and d.dimensions == 0 and d.element == 0 and d.how == 0 and d.object == 0
  if not kind and not empty then refuse(where, "'%s' is a variable, not a reference", name) end
  local row = formats[math.floor(d.element / 2 ^ 16)]
  local code = row and row[math.floor(d.element / 256) % 256]
  local normalized_read, normalized = d.how % 256 == 1, math.floor(d.how / 256) % 2 == 1
  local integers = code and code ~= "FLOAT" and not normalized_read
  return {
    kind = kind, shape = dimensions[d.dimensions], num_channels = code and d.element % 256 or nil,
    format = code and constants.lookup("array_format")[code],
    flags = (integers and flag "READ_AS_INTEGER" or 0) + (normalized and flag "NORMALIZED_COORDINATES" or 0),
    filter = math.floor(d.how / 512) % 2, address = kind == "texture" and math.floor(d.how / 1024) % 4 or 1,
  }
end

-- ---- references of modules ------------------------------------------------------------------------------------------

local states = setmetatable({}, { __mode = "k" }) -- by reference

-- Names a reference in messages.
local function place(s) return s.name and ("%s '%s'"):format(s.class, s.name) or s.class end

-- The state of a reference whose method was called.
local function state_of(self, class, method)
  local s = states[self]
  if not s or s.class ~= class then
    errors.raise("LogicError", ("%s:%s: self: expected %s, got %s; call the method with a colon"):format(class,
      method, class, errors.text(self)))
  end
  return s
end

-- Launches to come ask what the reference is bound to.
local function changed(s)
  s.changed = true
  if s.module then core.reference_changed(s.module) end
end

-- The symbol of a name: as it is, or as C++ spells it in a namespace.
local function find(mod, name)
  local get = core.classes.Module.get_global
  local ok, memory, bytes = pcall(get, mod, name)
  if ok then return name, memory, bytes end
  if not (errors.is_error(memory) and memory.code == core.result.NOT_FOUND) then error(memory, 0) end
  local parts, n = {}, 0
  for part in name:gmatch "[^:]+" do parts[#parts + 1], n = #part .. part, n + 1 end
  if n < 2 then return nil end
  local symbol = "_ZN" .. table.concat(parts) .. "E"
  ok, memory, bytes = pcall(get, mod, symbol)
  if ok then return symbol, memory, bytes end
end

local function new(class, methods, fields)
  local self = setmetatable({}, methods)
  fields.class = class
  states[self] = fields
  return self
end

-- The reference of that name, made once for a module.
local function reference_of(where, mod, name, kind, make)
  core.module_environment(mod) -- raises unless it is a module that is there
  if type(name) ~= "string" or name:find "%z" then refuse(where, "expected a name, got %s", errors.text(name)) end
  local env = core.module_environment(mod)
  local all = env[REFERENCES]
  local known = all and all[name]
  if not known then
    local symbol, memory, bytes = find(mod, name)
    if not symbol then
      errors.raise("LogicError", ("%s: no %s reference named '%s' in this module"):format(where, kind, name), {
        code = core.result.NOT_FOUND, name = "CUDA_ERROR_NOT_FOUND",
        hint = ("the source declares it at file scope, %s<...> %s; references in images of compilers before CUDA 12 " ..
          "are not found: compile the source"):format(kind, name:match "[%w_]+$" or "t"),
      })
    end
    local declared = declared_of(where, name, memory, bytes)
    if declared.kind and declared.kind ~= kind then
      refuse(where, "'%s' is a %s reference: get_%s() gives it", name, declared.kind,
        declared.kind == "texture" and "texref" or "surfref")
    end
    local made = make(declared, { name = name, symbol = symbol, module = mod, env = env, declared = declared,
      number = core.reference(mod, name, memory) })
    env[REFERENCES] = env[REFERENCES] or {}
    if not env[REFERENCES][name] then env[REFERENCES][name] = made end -- else a finalizer was faster
    known = env[REFERENCES][name]
  end
  local class = states[known].class
  if class ~= (kind == "texture" and "TextureReference" or "SurfaceReference") then
    refuse(where, "'%s' is in use as a %s", name, class)
  end
  return known
end

-- ---- TextureReference -----------------------------------------------------------------------------------------------

---A texture that kernels access by the name of a variable. `mod:get_texref(name)` returns it. Its methods set the
---memory and how it is read, from the next launch of one of the module's kernels on. PyCUDA's TextureReference.
---@class cudalua.TextureReference
---@overload fun(): cudalua.TextureReference  a reference that does not belong to a module
local TextureReference = {}
TextureReference.__index = TextureReference
TextureReference.__name = "cudalua.TextureReference"

local function new_texref(declared, fields)
  fields.source, fields.format, fields.num_channels = false, declared.format or constants.lookup("array_format").FLOAT,
    declared.num_channels or 1
  fields.flags, fields.filter = declared.flags, declared.filter
  fields.address = { declared.address, declared.address, declared.address }
  return new("TextureReference", TextureReference, fields)
end

local function texref(self, method) return state_of(self, "TextureReference", method) end

function TextureReference:__tostring()
  local s = states[self]
  return s.name and ("cudalua.TextureReference: %s"):format(s.name) or "cudalua.TextureReference"
end

-- Which shape of texture reads an array.
local function shape_of(d)
  local layered, cube = d.flags % 2 >= 1, d.flags % 8 >= 4
  if cube then return layered and "layered cube map" or "cube map" end
  if layered then return d.height > 0 and "2D layered" or "1D layered" end
  return d.depth > 0 and "3D" or d.height > 0 and "2D" or "1D"
end

local function check_shape(where, declared, shape, flat)
  if not declared or not declared.shape or declared.shape == shape then return end
  if flat and declared.shape == "1D" then return end
  refuse(where, "the source declares a %s texture, which cannot read a %s array", declared.shape, shape)
end

---Binds the texture to an array, which it keeps alive.
---@param array cudalua.Array  the array to read
---@raise LogicError if array is not an array, was freed, or has other dimensions than the source declares
function TextureReference:set_array(array)
  local s = texref(self, "set_array")
  local where = place(s) .. ":set_array"
  if core.kind(array) ~= "Array" then refuse(where, "array: expected an Array, got %s", errors.text(array)) end
  local d = array:get_descriptor_3d()
  check_shape(where, s.declared, shape_of(d), d.height == 1 and d.depth == 0)
  s.source = { array = array, format = d.format, num_channels = d.num_channels }
  changed(s)
end

---@return cudalua.Array? array  the bound array; nil: none
function TextureReference:get_array()
  local source = texref(self, "get_array").source
  return source and source.array or nil
end

-- Device memory of an argument, which holds its owner if it has one.
local function memory_of(where, x)
  local hooks = require "cudalua.base.hooks"
  local array = hooks.array_memory(where, x)
  local memory = host.device(array and array.buf or x)
  if type(memory) == "number" then memory = core.pointer(memory) end
  if type(memory) ~= "userdata" or not core.kind(memory) or not rawget(core.classes[core.kind(memory)], "ptr") then
    refuse(where, "expected device memory or an address, got %s", errors.text(x))
  end
  return memory
end

local function count(where, name, x)
  x = host.plain_number(x)
  if type(x) ~= "number" or x ~= math.floor(x) or x < 1 or x > 2 ^ 53 then
    refuse(where, "%s must be a positive integer, got %s", name, errors.text(x))
  end
  return x
end

---Binds the texture to linear memory, which kernels read by number: tex1Dfetch(t, i). Textures begin at multiples of
---the device's texture_alignment. For another address the texture begins at the preceding multiple, and kernels add the
---offset.
---@param memory any  device memory, which it keeps alive, or an address
---@param bytes integer  the size in bytes
---@param allow_offset? boolean  true: accept any address
---@return integer offset  bytes from the start of the texture to the address
---@raise LogicError if the offset is not 0 and not allowed, or the memory is smaller
function TextureReference:set_address(memory, bytes, allow_offset)
  local s = texref(self, "set_address")
  local where = place(s) .. ":set_address"
  check_shape(where, s.declared, "1D")
  memory, bytes = memory_of(where, memory), count(where, "bytes", bytes)
  local address, size = memory:ptr(), #memory
  if size > 0 and bytes > size then refuse(where, "%d bytes do not fit in the %d of the memory", bytes, size) end
  local alignment = core.classes.Context.get_device():get_attribute "texture_alignment"
  local offset = address % alignment
  if offset ~= 0 and not allow_offset then
    refuse(where, "the address 0x%x is %d bytes past a multiple of %d, the alignment of textures " ..
      "(texture_alignment); with allow_offset = true the texture begins at that multiple, and kernels add the " ..
      "returned offset", address,
      offset, alignment)
  end
  if offset ~= 0 then
    local base = core.mem_get_address_range(memory)
    if base > address - offset then
      refuse(where, "the multiple of %d before the address 0x%x, where the texture would begin, is outside the " ..
        "allocation", alignment, address)
    end
  end
  local from = offset == 0 and memory or core.pointer_into(memory, address - offset, bytes + offset)
  s.source = { linear = { ptr = from, bytes = bytes + offset }, address = memory }
  changed(s)
  return offset
end

---Binds the texture to rows in device memory.
---@param memory any  device memory, which it keeps alive, or an address; a multiple of texture_alignment
---@param descriptor cudalua.ArrayDescriptor  width, height, format, num_channels
---@param pitch integer  bytes from one row to the next, a multiple of texture_pitch_alignment
---@raise LogicError for other addresses and pitches, and if the rows exceed the memory
function TextureReference:set_address_2d(memory, descriptor, pitch)
  local s = texref(self, "set_address_2d")
  local where = place(s) .. ":set_address_2d"
  check_shape(where, s.declared, "2D")
  memory, pitch = memory_of(where, memory), count(where, "pitch", pitch)
  local ok, width = pcall(function() return descriptor.width end)
  if not ok or type(descriptor) ~= "table" or not width then
    refuse(where, "descriptor: expected an ArrayDescriptor, got %s", errors.text(descriptor))
  end
  local bytes = #memory
  if bytes == 0 then bytes = pitch * descriptor.height end -- a bare address: the caller's to know
  local source = { pitch2d = { ptr = memory, bytes = bytes }, width = width, height = descriptor.height, pitch = pitch,
    format = descriptor.format, num_channels = descriptor.num_channels }
  texture_source.read(where, source) -- checks it
  source.address = memory
  s.source, s.format, s.num_channels = source, source.format, source.num_channels
  changed(s)
end

---@return any? memory  the argument of set_address() or set_address_2d(); nil: none
function TextureReference:get_address()
  local source = texref(self, "get_address").source
  return source and source.address or nil
end

---Sets the element format of linear memory; for an array it must be the array's format.
---@param format integer|string  a value of cuda.array_format
---@param num_components integer  1, 2 or 4
---@raise LogicError for other values, and for another format than the bound array's
function TextureReference:set_format(format, num_components)
  local s = texref(self, "set_format")
  local where = place(s) .. ":set_format"
  local number = texel.read(where, format)
  local channels = texel.read_channels(where, host.plain_number(num_components))
  local source = s.source
  if source and source.array and texel.bytes(source.format, source.num_channels) ~= texel.bytes(number, channels) then
    refuse(where, "texels of %s and %d channels have %d bytes, but the array's have " ..
      "%d", texel.of(number).name, channels,
      texel.bytes(number, channels), texel.bytes(source.format, source.num_channels))
  end
  s.format, s.num_channels = number, channels
  changed(s)
end

---@return integer format  a value of cuda.array_format
---@return integer num_components
function TextureReference:get_format()
  local s = texref(self, "get_format")
  return s.format, s.num_channels
end

local function axis(where, dim)
  dim = host.plain_number(dim)
  if dim ~= 0 and dim ~= 1 and dim ~= 2 then
    refuse(where, "dim must be 0, 1 or 2, got %s", errors.text(dim))
  end
  return dim + 1
end

---Sets how reads outside the array are handled.
---@param dim integer          0 for x, 1 for y, 2 for z
---@param mode integer|string  a value of cuda.address_mode; wrap and mirror require normalized coordinates
---@raise LogicError for other values
function TextureReference:set_address_mode(dim, mode)
  local s = texref(self, "set_address_mode")
  local where = place(s) .. ":set_address_mode"
  local at, number = axis(where, dim), constants.enum(where .. ": mode", mode, "address_mode")
  s.address[at] = number
  changed(s)
end

---@param dim integer  0 for x, 1 for y, 2 for z
---@return integer mode  a value of cuda.address_mode
---@raise LogicError for another dim
function TextureReference:get_address_mode(dim)
  local s = texref(self, "get_address_mode")
  return s.address[axis(place(s) .. ":get_address_mode", dim)]
end

---Sets how reads between texels are handled.
---@param mode integer|string  a value of cuda.filter_mode; linear requires texels that are read as floats
---@raise LogicError for other values
function TextureReference:set_filter_mode(mode)
  local s = texref(self, "set_filter_mode")
  s.filter = constants.enum(place(s) .. ":set_filter_mode: mode", mode, "filter_mode")
  changed(s)
end

---@return integer mode  a value of cuda.filter_mode
function TextureReference:get_filter_mode() return texref(self, "get_filter_mode").filter end

local TRSF = { "READ_AS_INTEGER", "NORMALIZED_COORDINATES", "SRGB", "DISABLE_TRILINEAR_OPTIMIZATION",
  "SEAMLESS_CUBEMAP" }

local function has(flags, name)
  local bit = flag(name)
  return flags % (2 * bit) >= bit
end

---Sets how coordinates and integers are interpreted.
---@param flags integer  the sum of cuda.TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES ...; initially
---  TRSF_READ_AS_INTEGER if the source declares integers that are read as integers, otherwise 0
---@raise LogicError for other bits
function TextureReference:set_flags(flags)
  local s = texref(self, "set_flags")
  flags = host.plain_number(flags)
  local all = 0
  for _, name in ipairs(TRSF) do all = all + flag(name) end
  local rest = flags
  if type(flags) == "number" and flags >= 0 and flags <= all and flags == math.floor(flags) then
    for _, name in ipairs(TRSF) do rest = rest - (has(flags, name) and flag(name) or 0) end
  end
  if rest ~= 0 then
    refuse(place(s) .. ":set_flags", "expected a sum of cuda.TRSF_READ_AS_INTEGER, " ..
      "cuda.TRSF_NORMALIZED_COORDINATES, cuda.TRSF_SRGB ..., got %s", errors.text(flags))
  end
  s.flags = flags
  changed(s)
end

---@return integer flags  the sum of cuda.TRSF_READ_AS_INTEGER ...
function TextureReference:get_flags() return texref(self, "get_flags").flags end

-- The options of the texture object that the reference stands for now.
local function options_of(s)
  local source, options = s.source, {}
  local format = source.array and source.format or s.format
  local of = texel.of(format)
  local small = (of.kind == "unsigned" or of.kind == "signed") and of.bits < 32
  if small then options.read = has(s.flags, "READ_AS_INTEGER") and "element" or "normalized" end
  if has(s.flags, "SRGB") then options.srgb, options.read = true, nil end
  if source.linear then
    options.linear, options.format, options.num_channels = source.linear, s.format, s.num_channels
    return options
  end
  options.array, options.pitch2d = source.array, source.pitch2d
  if source.pitch2d then
    options.width, options.height, options.pitch = source.width, source.height, source.pitch
    options.format, options.num_channels = s.format, s.num_channels
  end
  options.filter, options.address = s.filter, { unpack(s.address) }
  options.normalized = has(s.flags, "NORMALIZED_COORDINATES")
  options.seamless = has(s.flags, "SEAMLESS_CUBEMAP") or nil
  options.trilinear = not has(s.flags, "DISABLE_TRILINEAR_OPTIMIZATION")
  return options
end

local makers = {}

function makers.TextureReference(s)
  if not s.source then return nil end
  return texture.make(place(s), options_of(s))
end

M.TextureReference = setmetatable({}, { __index = TextureReference,
  __call = function() return new_texref({ flags = 0, filter = 0, address = 1 }, {}) end })

-- ---- SurfaceReference -----------------------------------------------------------------------------------------------

---A surface that kernels access by the name of a variable. `mod:get_surfref(name)` returns it.
---@class cudalua.SurfaceReference
---@overload fun(): cudalua.SurfaceReference  a reference that does not belong to a module
local SurfaceReference = {}
SurfaceReference.__index = SurfaceReference
SurfaceReference.__name = "cudalua.SurfaceReference"

local function new_surfref(_, fields)
  fields.source = false
  return new("SurfaceReference", SurfaceReference, fields)
end

function SurfaceReference:__tostring()
  local s = states[self]
  return s.name and ("cudalua.SurfaceReference: %s"):format(s.name) or "cudalua.SurfaceReference"
end

---Binds the surface to an array, which it keeps alive.
---@param array cudalua.Array  an array created with the flag "surface_ldst"
---@param flags? integer  must be 0
---@raise LogicError for other arrays
function SurfaceReference:set_array(array, flags)
  local s = state_of(self, "SurfaceReference", "set_array")
  local where = place(s) .. ":set_array"
  if flags ~= nil and host.plain_number(flags) ~= 0 then
    refuse(where, "flags must be 0, got %s", errors.text(flags))
  end
  local made = surface.make(where, array)
  check_shape(where, s.declared, shape_of(array:get_descriptor_3d()))
  s.source, s.made = { array = array }, made
  changed(s)
end

---@return cudalua.Array? array  the bound array; nil: none
function SurfaceReference:get_array()
  local source = state_of(self, "SurfaceReference", "get_array").source
  return source and source.array or nil
end

function makers.SurfaceReference(s) return s.made end

M.SurfaceReference = setmetatable({}, { __index = SurfaceReference,
  __call = function() return new_surfref(nil, {}) end })

names.class(TextureReference, "TextureReference")
names.class(SurfaceReference, "SurfaceReference")

-- ---- modules and launches -------------------------------------------------------------------------------------------

---@param where string
---@param mod cudalua.Module
---@param name any
---@return cudalua.TextureReference
function M.texref_of(where, mod, name) return reference_of(where, mod, name, "texture", new_texref) end

---@param where string
---@param mod cudalua.Module
---@param name any
---@return cudalua.SurfaceReference
function M.surfref_of(where, mod, name) return reference_of(where, mod, name, "surface", new_surfref) end

-- Makes what the changed ones of a module stand for now. One that cannot be made stays changed: the launch is refused.
local function update(env)
  for _, reference in pairs_of(env[REFERENCES] or {}) do
    local s = states[reference]
    if s.changed then
      s.changed = false
      local ok, made = pcall(makers[s.class], s)
      local object = ok and made
      if ok then ok, made = pcall(core.reference_bind, s.module, s.number, object) end
      if ok then s.object = object end
      if not ok then
        changed(s)
        error(made, 0)
      end
    end
  end
end

---The references of a module that are bound, as images.lua of a recording wants them.
---@param env table
---@return {name: string, object: userdata}[]
function M.bound(env)
  local list = {}
  for _, reference in pairs_of(env[REFERENCES] or {}) do
    local s = states[reference]
    if s.object then list[#list + 1] = { name = s.symbol, object = s.object } end
  end
  return list
end

local function check_one(where, env, reference)
  local s = states[reference]
  if not s then refuse(where, "expected a TextureReference, got %s", errors.text(reference)) end
  if s.env == env then return end
  refuse(where, s.env and "the %s belongs to another module; kernels read only those of their own module"
    or "the %s belongs to no module; kernels read those that mod:get_texref(name) returns", place(s))
end

---Raises unless all in a list are references of the module.
---@param where string
---@param env table   that the module's kernels share
---@param list any
function M.check(where, env, list)
  if type(list) ~= "table" or states[list] then
    refuse(where, "expected a list of TextureReferences, got %s",
      states[list] and "one; write {t}" or errors.text(list))
  end
  for _, reference in pairs_of(list) do check_one(where, env, reference) end
end

---What src/cudalua/code/texref.c asks before a launch.
---@param env table   that the module and its kernels share
---@param list? any   option texrefs; nil: what changed is to be made
function M.asked(env, list)
  if list ~= nil then return M.check("option texrefs", env, list) end
  update(env)
end

---Raises unless a reference is one of the module of a kernel.
---@param fn cudalua.Function
---@param reference any
function M.param_set_texref(fn, reference) check_one("param_set_texref", core.module_table(fn), reference) end

---@param x any
---@return boolean
function M.is_texref(x)
  local s = states[x]
  return s ~= nil and s.class == "TextureReference"
end

---Binds a texture to an array, with clamped addresses and point filtering. PyCUDA's bind_array_to_texref.
---@param array cudalua.Array  the array to read
---@param reference cudalua.TextureReference  the texture to bind
---@raise LogicError as TextureReference:set_array
function M.bind_array_to_texref(array, reference)
  if not M.is_texref(reference) then
    refuse("bind_array_to_texref", "expected a TextureReference, got %s", errors.text(reference))
  end
  reference:set_array(array)
  reference:set_address_mode(0, "clamp")
  reference:set_address_mode(1, "clamp")
  reference:set_filter_mode "point"
end

---Binds a texture to a new CUDA array with the elements of an array with two axes. PyCUDA's matrix_to_texref.
---@param matrix cudalua.ndarray.Array|cudalua.gpuarray.Array  an array with two axes
---@param reference cudalua.TextureReference  the texture to bind
---@param order "C"|"F"  C: tex2D(x, y) is matrix[y][x]; F: it is matrix[x][y] (0-based)
---@raise LogicError as matrix_to_array and TextureReference:set_array
function M.matrix_to_texref(matrix, reference, order)
  M.bind_array_to_texref(require("cudalua.driver.array")._of_matrix("matrix_to_texref", matrix, order), reference)
end

return M
