-- Textures and surfaces of a recorded launch: what they read, copied to the host before the kernel runs, and made again
-- in the process of a replay.

local core = require "cudalua.core"
local ffi = require "ffi"
local pairs_of = require "cudalua.base.pairs_of"
local texel = require "cudalua.driver.texel"

local M = {}

-- ---- to the host ----------------------------------------------------------------------------------------------------

local function extents(d) return d.width, math.max(d.height, 1), math.max(d.depth, 1) end

-- The texels of an array, x first; nil: there are more bytes than `limit`, or they cannot be counted.
local function texels_of(array, limit)
  local d = array:get_descriptor_3d()
  local width, height, depth = extents(d)
  local row = width * texel.bytes(d.format, d.num_channels)
  local bytes = row * height * depth
  if bytes == 0 or bytes > limit then return nil end
  local out = ffi.new("uint8_t[?]", bytes)
  local copy = require("cudalua.driver.memcpy_box").Memcpy3D()
  copy:set_src_array(array)
  copy:set_dst_host(out)
  copy.dst_pitch, copy.dst_height = row, height
  copy.width_in_bytes, copy.height, copy.depth = row, height, depth
  copy()
  return ffi.string(out, bytes)
end

local function descriptor_of(x)
  local d = x:get_descriptor_3d()
  return { width = d.width, height = d.height, depth = d.depth, format = d.format, num_channels = d.num_channels,
    flags = d.flags }
end

-- What an image reads as plain values, and its texels.
local function source_of(source, desc, limit)
  local kind = core.kind(source)
  if kind == "Array" then return { array = descriptor_of(source), texels = texels_of(source, limit) } end
  if kind == "MipmappedArray" then
    local parts = {}
    for level = 0, source:levels() - 1 do
      parts[#parts + 1] = texels_of(source:level(level), limit)
      limit = limit - #(parts[level + 1] or "")
      if not parts[level + 1] then break end
    end
    return { array = descriptor_of(source), levels = source:levels(),
      texels = #parts == source:levels() and table.concat(parts) or nil }
  end
  local bytes = desc.bytes or (desc.height - 1) * desc.pitch + desc.row
  if bytes > limit then return { memory = bytes } end
  local out = ffi.new("uint8_t[?]", bytes)
  core.memcpy_dtoh(ffi.new("void *[1]", out), source, bytes)
  return { memory = bytes, texels = ffi.string(out, bytes) }
end

-- Texts of values: numbers, strings, and tables of such by name.
local function encode(x)
  if type(x) ~= "table" then return (type(x) == "number" and "%.17g;" or "%s;"):format(x) end
  local list = {}
  for key, value in pairs_of(x) do
    if key ~= "texels" then list[#list + 1] = ("%s=%s"):format(key, encode(value)) end
  end
  table.sort(list)
  return "{" .. table.concat(list) .. "}"
end

---What a launch reads by textures and surfaces. src/cudalua/launch/record.c calls it before the kernel runs.
---@param list {offset: integer, object: userdata}[]  its arguments
---@param env table     that the kernel's module shares with its kernels
---@param limit number  most bytes of texels
---@return string[] images  each a text, a line end, and the texels
function M.keep(list, env, limit)
  for _, bound in ipairs(require("cudalua.driver.texref").bound(env)) do list[#list + 1] = bound end
  local images = {}
  for i, entry in ipairs(list) do
    local source, desc = core.image_parts(entry.object)
    local what = source_of(source, desc or {}, limit)
    limit = limit - #(what.texels or "")
    images[i] = encode{ offset = entry.offset, name = entry.name, kind = core.kind(entry.object), source = what,
      desc = desc, kept = what.texels and 1 or 0 } .. "\n" .. (what.texels or "")
  end
  return images
end

-- ---- in the replay --------------------------------------------------------------------------------------------------

local function decode(text, at)
  if text:sub(at, at) ~= "{" then
    local value, after = text:match("^([^;]*);()", at)
    return tonumber(value) or value, after
  end
  local t = {}
  at = at + 1
  while text:sub(at, at) ~= "}" do
    local key, first = text:match("^([%w_]+)=()", at)
    t[tonumber(key) or key], at = decode(text, first)
  end
  return t, at + 1
end

local function fill(array, texels, at)
  local d = array:get_descriptor_3d()
  local width, height, depth = extents(d)
  local row = width * texel.bytes(d.format, d.num_channels)
  local bytes = row * height * depth
  if bytes == 0 then return at end
  local copy = require("cudalua.driver.memcpy_box").Memcpy3D()
  copy:set_src_host(texels and texels:sub(at + 1, at + bytes) or ("\0"):rep(bytes))
  copy:set_dst_array(array)
  copy.src_pitch, copy.src_height = row, height
  copy.width_in_bytes, copy.height, copy.depth = row, height, depth
  copy()
  return at + bytes
end

local function make_source(what, texels)
  if what.memory then
    local memory = core.mem_alloc(what.memory)
    core.memcpy_htod(memory, texels or ("\0"):rep(what.memory), what.memory)
    return memory
  end
  if not what.levels then
    local array = core.array(what.array)
    fill(array, texels, 0)
    return array
  end
  local mipmap, at = core.mipmap(what.array, what.levels), 0
  for level = 0, what.levels - 1 do at = fill(mipmap:level(level), texels, at) end
  return mipmap
end

---Makes an image of a recording.
---@param text string  as keep() gives it
---@return {offset: integer?, name: string?, kept: boolean, object: userdata}
function M.make(text)
  local head, at = text:match "^([^\n]*)\n()"
  local image = decode(head, 1)
  require "cudalua.driver.array" -- the methods of arrays
  local source = make_source(image.source, image.kept == 1 and text:sub(at) or nil)
  local object = image.kind == "SurfaceObject" and core.surface(source) or core.texture(source, image.desc)
  return { offset = image.offset, name = image.name, kept = image.kept == 1, object = object }
end

return M
