-- What a texture gives, by the rules of CUDA's programming guide, in Lua: for the cases of texture_cases.lua. It shares
-- nothing with the software device. Weights are fractions of 8 bits, rounded to the nearest.
local ffi = require "ffi"

local M = {}

-- ---- texels ---------------------------------------------------------------------------------------------------------

local types = { unsigned_int8 = "uint8_t", signed_int8 = "int8_t", unsigned_int16 = "uint16_t",
  signed_int16 = "int16_t", unsigned_int32 = "uint32_t", signed_int32 = "int32_t", half = "uint16_t", float = "float",
  unorm_int8 = "uint8_t", snorm_int8 = "int8_t", unorm_int16 = "uint16_t", snorm_int16 = "int16_t",
  unorm_int_101010_2 = "uint32_t" }

local function half(bits)
  local sign, exponent, digits = bits >= 0x8000 and -1 or 1, math.floor(bits / 1024) % 32, bits % 1024
  if exponent == 0 then return sign * digits / 2 ^ 24 end
  return sign * (1 + digits / 1024) * 2 ^ (exponent - 15)
end

local function linear_of_srgb(v)
  if v <= 0.04045 then return v / 12.92 end
  return ((v + 0.055) / 1.055) ^ 2.4
end

local greatest = { unsigned_int8 = 255, signed_int8 = 127, unsigned_int16 = 65535, signed_int16 = 32767,
  unorm_int8 = 255, snorm_int8 = 127, unorm_int16 = 65535, snorm_int16 = 32767 }

local function channel(c, raw, k)
  if c.format == "float" then return raw end
  if c.format == "half" then return half(raw) end
  if not c.floats then return raw end
  local v = math.max(-1, raw / greatest[c.format])
  return c.srgb and k < 4 and linear_of_srgb(v) or v
end

-- The texel as four numbers: what the format lacks is 0, the fourth one 1.
local function texel(c, level, x, y, z)
  local w, h = level.width, math.max(level.height, 1)
  local at = ((z * h) + y) * w + x
  local raw = ffi.cast("const " .. types[c.format] .. " *", level.data)
  if c.format == "unorm_int_101010_2" then
    local bits = tonumber(raw[at])
    local function field(from, n) return math.floor(bits / 2 ^ from) % 2 ^ n / (2 ^ n - 1) end
    return { field(0, 10), field(10, 10), field(20, 10), field(30, 2) }
  end
  local v = { 0, 0, 0, 1 }
  for k = 1, c.channels do v[k] = channel(c, tonumber(raw[at * c.channels + k - 1]), k) end
  return v
end

local function border(c)
  local v = { 0, 0, 0, 1 }
  for k = 1, c.channels do v[k] = c.border[k] end
  return v
end

-- ---- one axis -------------------------------------------------------------------------------------------------------

-- The coordinate in texels, from 0 to n where it is inside.
local function in_texels(c, axis, x, n)
  if not c.normalized then return x end
  local mode = c.address[axis]
  if mode == "wrap" then
    x = x - math.floor(x)
  elseif mode == "mirror" then
    local whole = math.floor(x)
    x = whole % 2 == 0 and x - whole or 1 - (x - whole)
  end
  return x * n
end

-- Which texel stands at the number i of an axis; nil: the border.
local function resolve(c, axis, i, n)
  local mode = c.address[axis]
  if i >= 0 and i < n then return i end
  if mode == "border" then return nil end
  if mode == "wrap" and c.normalized then return i % n end
  return i < 0 and 0 or n - 1
end

-- Numbers and weights of the texels that count.
local function along(c, axis, x, n, linear)
  local t = in_texels(c, axis, x, n)
  if not linear then return { { math.floor(t), 1 } } end
  local rounded = math.floor((t - 0.5) * 256 + 0.5) / 256
  local first = math.floor(rounded)
  return { { first, 1 - (rounded - first) }, { first + 1, rounded - first } }
end

local function mix(parts)
  local sum, only = { 0, 0, 0, 0 }, nil
  local count = 0
  for _, part in ipairs(parts) do
    if part.weight ~= 0 then
      count = count + 1
      only = part.value
      for k = 1, 4 do sum[k] = sum[k] + part.weight * part.value[k] end
    end
  end
  return count == 1 and only or sum
end

local function read_box(c, level, s, z_only, linear)
  local axes = c.axes
  local xs = along(c, 1, s[1], level.width, linear)
  local ys = axes[2] and along(c, 2, s[2], level.height, linear) or { { 0, 1 } }
  local zs = axes[3] and along(c, 3, s[3], level.depth, linear) or { { z_only, 1 } }
  local parts = {}
  for _, z in ipairs(zs) do
    for _, y in ipairs(ys) do
      for _, x in ipairs(xs) do
        local i = resolve(c, 1, x[1], level.width)
        local j = axes[2] and resolve(c, 2, y[1], level.height) or not axes[2] and 0
        local k = axes[3] and resolve(c, 3, z[1], level.depth) or not axes[3] and z_only
        parts[#parts + 1] = { weight = x[2] * y[2] * z[2],
          value = i and j and k and texel(c, level, i, j, k) or border(c) }
      end
    end
  end
  return mix(parts)
end

-- ---- cube maps ------------------------------------------------------------------------------------------------------

-- Of each face: the direction of its middle, and those in which its coordinates grow.
local faces = {
  { { 1, 0, 0 }, { 0, 0, -1 }, { 0, -1, 0 } }, { { -1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
  { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, -1 } },
  { { 0, 0, 1 }, { 1, 0, 0 }, { 0, -1, 0 } }, { { 0, 0, -1 }, { -1, 0, 0 }, { 0, -1, 0 } },
}

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

-- The face of a direction, and the place on it from 0 to 1. Of faces that are equally near the first axis counts.
local function face_of(d)
  local x, y, z = math.abs(d[1]), math.abs(d[2]), math.abs(d[3])
  local axis = (x >= y and x >= z) and 1 or y >= z and 2 or 3
  local face = 2 * axis - (d[axis] < 0 and 0 or 1)
  local m = math.abs(d[axis])
  return face, (dot(d, faces[face][2]) / m + 1) / 2, (dot(d, faces[face][3]) / m + 1) / 2
end

-- The texel of the next face that touches the edge: where its middle is in space tells which.
local function across(c, level, cube, face, x, y)
  local n, f = level.width, faces[face]
  local function inside(i) return (2 * i + 1) / n - 1 end
  local out, along_edge, at
  if x < 0 or x >= n then
    out, along_edge, at = { f[2], x < 0 and -1 or 1 }, f[3], inside(y)
  else
    out, along_edge, at = { f[3], y < 0 and -1 or 1 }, f[2], inside(x)
  end
  local point = {}
  for k = 1, 3 do point[k] = out[1][k] * out[2] + f[1][k] * (1 - 1 / n) + along_edge[k] * at end
  for next_face, g in ipairs(faces) do
    if dot(g[1], out[1]) * out[2] == 1 then
      local i = math.floor((dot(point, g[2]) + 1) / 2 * n)
      local j = math.floor((dot(point, g[3]) + 1) / 2 * n)
      return texel(c, level, i, j, 6 * cube + next_face - 1)
    end
  end
end

local function read_seamless(c, level, cube, face, s, t)
  local n = level.width
  local flat = { normalized = true, address = { "clamp", "clamp" } }
  local parts = {}
  for _, y in ipairs(along(flat, 2, t, n, true)) do
    for _, x in ipairs(along(flat, 1, s, n, true)) do
      local i, j, weight = x[1], y[1], x[2] * y[2]
      local beside_x, beside_y = i < 0 or i >= n, j < 0 or j >= n
      if beside_x and beside_y then -- no texel is there: the three around it share its weight
        local a, b = i < 0 and 0 or n - 1, j < 0 and 0 or n - 1
        parts[#parts + 1] = { weight = weight / 3, value = texel(c, level, a, b, 6 * cube + face - 1) }
        parts[#parts + 1] = { weight = weight / 3, value = across(c, level, cube, face, i, b) }
        parts[#parts + 1] = { weight = weight / 3, value = across(c, level, cube, face, a, j) }
      elseif beside_x or beside_y then
        parts[#parts + 1] = { weight = weight, value = across(c, level, cube, face, i, j) }
      else
        parts[#parts + 1] = { weight = weight, value = texel(c, level, i, j, 6 * cube + face - 1) }
      end
    end
  end
  return mix(parts)
end

local function read_cube(c, level, d, cube, linear)
  local face, s, t = face_of(d)
  if c.seamless and linear then return read_seamless(c, level, cube, face, s, t) end
  local flat = setmetatable({ axes = { level.width, level.width }, normalized = true }, { __index = c })
  if c.seamless then flat.address = { "clamp", "clamp" } end
  return read_box(flat, level, { s, t }, 6 * cube + face - 1, linear)
end

-- ---- levels ---------------------------------------------------------------------------------------------------------

local function length(v) return math.sqrt(dot(v, v)) end

-- How much a place on a face moves, in texels.
local function on_face(d, change, n)
  local face = face_of(d)
  local m, dm = dot(d, faces[face][1]), dot(change, faces[face][1])
  local out = { 0, 0, 0 }
  for k = 1, 2 do
    local v, dv = dot(d, faces[face][k + 1]), dot(change, faces[face][k + 1])
    out[k] = 0.5 * n * (dv / m - v * dm / m ^ 2)
  end
  return out
end

local function lod_of(c, levels, s)
  if c.op == "level" then return s.lod end
  if c.op ~= "grad" then return 0 end
  local first = levels[1]
  local sizes = { first.width, first.height, first.depth }
  local function in_space(d)
    if c.axes.cube then return on_face(s, d, first.width) end
    local out = { 0, 0, 0 }
    for axis = 1, #c.axes do out[axis] = d[axis] * (c.normalized and sizes[axis] or 1) end
    return out
  end
  return math.log(math.max(length(in_space(s.dx)), length(in_space(s.dy)))) / math.log(2)
end

-- ---- all of it ------------------------------------------------------------------------------------------------------

local function clamp(v, low, high) return math.max(low, math.min(high, v)) end

---Prepares a case: the levels that the texture sees.
function M.levels(c, level_extents)
  local list = {}
  for k = c.first_level, c.last_level do
    local w, h, d = level_extents(c, k)
    list[#list + 1] = { width = w, height = h, depth = d, data = c.data[k + 1] }
  end
  return list
end

local function read_level(c, level, s)
  local layer = clamp(s.layer, 0, c.last_layer - c.first_layer) + c.first_layer
  if c.axes.cube then return read_cube(c, level, s, c.geometry == "acube" and layer or 0, c.linear) end
  return read_box(c, level, s, c.layers > 0 and layer or 0, c.linear)
end

---@return number[] four  numbers: floats, or the integers of a texture of integers
function M.read(c, levels, s)
  if c.op == "fetch" then
    if s[1] < 0 or s[1] >= c.width then return { 0, 0, 0, 0 } end
    return texel(c, levels[1], s[1], 0, 0)
  end
  if c.op == "gather" then
    local level, out = levels[1], {}
    local x = along(c, 1, s[1], level.width, true)[1][1]
    local y = along(c, 2, s[2], level.height, true)[1][1]
    for k, step in ipairs { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } } do
      local i, j = resolve(c, 1, x + step[1], level.width), resolve(c, 2, y + step[2], level.height)
      out[k] = (i and j and texel(c, level, i, j, 0) or border(c))[c.component + 1]
    end
    return out
  end
  local lod = clamp(clamp(lod_of(c, levels, s) + c.bias, c.clamp[1], c.clamp[2]), 0, #levels - 1)
  if not c.mip_linear then return read_level(c, levels[math.floor(lod + 0.5) + 1], s) end
  local rounded = math.floor(lod * 256 + 0.5) / 256
  local first = math.floor(rounded)
  local parts = { { weight = 1 - (rounded - first), value = read_level(c, levels[first + 1], s) } }
  if rounded > first then
    parts[2] = { weight = rounded - first, value = read_level(c, levels[first + 2], s) }
  end
  return mix(parts)
end

return M
