-- What a texture gives, in Lua: for the cases of texture_cases.lua. It shares nothing with the software device. The
-- rules are those of CUDA's programming guide, and where it leaves something open, what an NVIDIA H200 was measured to
-- do on 2026-11-24 (spec/data/textures/probe.txt): weights are integers out of 256.
local ffi = require "ffi"

local M = {}

local floor = math.floor

-- Halves go up.
local function nearest(x) return floor(x + 0.5) end

local function truncated(x) return x < 0 and math.ceil(x) or floor(x) end

-- ---- texels ---------------------------------------------------------------------------------------------------------

local types = { unsigned_int8 = "uint8_t", signed_int8 = "int8_t", unsigned_int16 = "uint16_t",
  signed_int16 = "int16_t", unsigned_int32 = "uint32_t", signed_int32 = "int32_t", half = "uint16_t", float = "float",
  unorm_int8 = "uint8_t", snorm_int8 = "int8_t", unorm_int16 = "uint16_t", snorm_int16 = "int16_t",
  unorm_int_101010_2 = "uint32_t" }

local function half(bits)
  local sign, exponent, digits = bits >= 0x8000 and -1 or 1, floor(bits / 1024) % 32, bits % 1024
  if exponent == 0 then return sign * digits / 2 ^ 24 end
  return sign * (1 + digits / 1024) * 2 ^ (exponent - 15)
end

-- Decoded sRGB has eight digits, and none below 2^-14. A GPU's table has other neighbours than the nearest for these.
local uneven = { [32] = 944, [33] = 1000, [65] = 3456, [66] = 3584, [68] = 3776, [70] = 4000, [97] = 7808,
  [184] = 31488, [186] = 32256, [249] = 61952, [250] = 62464, [251] = 62976, [252] = 64000, [253] = 64512 }

local function linear_of_srgb(byte)
  if uneven[byte] then return uneven[byte] / 65536 end
  local v = byte / 255
  local linear = v <= 0.04045 and v / 12.92 or ((v + 0.055) / 1.055) ^ 2.4
  local _, exponent = math.frexp(linear)
  local unit = 2 ^ math.max(exponent - 8, -14)
  return nearest(linear / unit) * unit
end

local greatest = { unsigned_int8 = 255, signed_int8 = 127, unsigned_int16 = 65535, signed_int16 = 32767,
  unorm_int8 = 255, snorm_int8 = 127, unorm_int16 = 65535, snorm_int16 = 32767 }

-- Of two channels the second one is a transparency, as the fourth is.
local function is_srgb(c, k) return c.srgb and k < (c.channels == 2 and 2 or 4) end

-- What normalised integers are added as: integers of 16 bits.
local function widest(c)
  return (c.format:find "^snorm" or c.format:find "^signed") and 32767 or 65535
end

local function is_normalized(c) return c.floats and c.format ~= "float" and c.format ~= "half" end

-- Normalised values may be a little below -1 here, until they were filtered.
local function channel(c, raw, k)
  if c.format == "float" then return raw end
  if c.format == "half" then return half(raw) end
  if not c.floats then return raw end
  return is_srgb(c, k) and linear_of_srgb(raw) or raw / greatest[c.format]
end

-- The texel as four numbers: what the format lacks is 0.
local function texel(c, level, x, y, z)
  local w, h = level.width, math.max(level.height, 1)
  local at = ((z * h) + y) * w + x
  local raw = ffi.cast("const " .. types[c.format] .. " *", level.data)
  if c.format == "unorm_int_101010_2" then
    local bits = tonumber(raw[at])
    local function field(from, n) return floor(bits / 2 ^ from) % 2 ^ n / (2 ^ n - 1) end
    return { field(0, 10), field(10, 10), field(20, 10), field(30, 2) }
  end
  local v = { 0, 0, 0, 0 }
  for k = 1, c.channels do v[k] = channel(c, tonumber(raw[at * c.channels + k - 1]), k) end
  return v
end

local function limited(x, least, most) return x < least and least or x > most and most or x end

-- The nearest of the even steps from 0 or -1 to 1; halves to the even one.
local function to_step(x, steps, sign)
  local n = limited(x, sign and -1 or 0, 1) * steps
  local whole = floor(n + 0.5)
  return (n + 0.5 == whole and whole % 2 == 1 and whole - 1 or whole) / steps
end

-- The colour of the border, as the format has it. Halves are cut; packed texels have 16 bits for it.
local function border(c)
  local v = { 0, 0, 0, 0 }
  for k = 1, c.channels do
    local x = c.border[k]
    if c.format == "half" then
      local _, exponent = math.frexp(x)
      local unit = 2 ^ (math.max(exponent - 1, -14) - 10)
      x = truncated(x / unit) * unit
    elseif c.format == "unorm_int_101010_2" then
      x = to_step(x, 65535)
    elseif is_srgb(c, k) then
      x = to_step(x, 255)
    elseif c.floats and c.format ~= "float" then
      x = to_step(x, greatest[c.format], c.format:find "^s")
    end
    v[k] = x
  end
  return v
end

-- ---- adding texels --------------------------------------------------------------------------------------------------

-- Rounded to so many digits after the leading one; halves away from 0.
local function to_digits(x, digits, least)
  local _, exponent = math.frexp(x)
  local unit = 2 ^ (math.max(exponent - 1, least) - digits)
  return (x < 0 and -1 or 1) * nearest(math.abs(x) / unit) * unit
end

-- The digits of texels that are too far below the largest one are lost.
local function add_floats(parts, k, aligned, digits, least)
  local largest = least
  for _, part in ipairs(parts) do
    local v = part.value[k]
    if v ~= 0 then
      local _, exponent = math.frexp(v)
      largest = math.max(largest, exponent - 1)
    end
  end
  local unit, sum = 2 ^ (largest - aligned), 0
  for _, part in ipairs(parts) do sum = sum + part.weight * truncated(part.value[k] / unit) end
  return to_digits(sum * unit / 256, digits, least)
end

-- A value as an integer of 16 bits; one of 10 bits has its upper bits once more behind them.
local function wide(c, part, k)
  local most = widest(c)
  if c.format == "unorm_int_101010_2" and k < 4 and not part.border then
    local v = nearest(part.value[k] * 1023)
    return v * 64 + floor(v / 16)
  end
  return nearest(part.value[k] * most * 127 * 1023) / (127 * 1023) -- n / 65535 * 65535 need not be n again
end

local function add_normalized(c, parts, k)
  local sum, most = 0, widest(c)
  for _, part in ipairs(parts) do sum = sum + part.weight * wide(c, part, k) end
  return math.max(-1, nearest(sum / 256) / most)
end

-- Of the parts that have a weight.
local function mix(c, parts)
  local some, sum = {}, { 0, 0, 0, 0 }
  for _, part in ipairs(parts) do
    if part.weight ~= 0 then some[#some + 1] = part end
  end
  for k = 1, c.channels do
    if c.format == "float" then
      sum[k] = add_floats(some, k, 27, 23, -126)
    elseif c.format == "half" then
      sum[k] = add_floats(some, k, 14, 10, -14)
    elseif is_srgb(c, k) then
      sum[k] = add_floats(some, k, 7, 10, -14)
    else
      sum[k] = add_normalized(c, some, k)
    end
  end
  return sum
end

-- One texel as it is read without a filter. The border of packed texels is cut to their ten bits.
local function lone(c, value, is_border)
  local v = {}
  for k = 1, 4 do
    v[k] = is_normalized(c) and math.max(-1, value[k]) or value[k]
    if is_border and c.format == "unorm_int_101010_2" and k < 4 then
      v[k] = floor(nearest(value[k] * 65535) / 64) / 1023
    end
  end
  return v
end

-- ---- one axis -------------------------------------------------------------------------------------------------------

-- The coordinate in texels: it has 21 digits after the point before it is multiplied.
local function in_texels(c, x, n)
  if math.abs(x) < 2 ^ -126 then x = 0 end
  return c.normalized and floor(x * 2 ^ 21) / 2 ^ 21 * n or x
end

local function mode_of(c, axis)
  local mode = c.address[axis]
  return not c.normalized and (mode == "wrap" or mode == "mirror") and "clamp" or mode
end

-- Which texel stands at the number i of an axis; nil: the border.
local function resolve(c, axis, i, n)
  local mode = mode_of(c, axis)
  if mode == "wrap" then return i % n end
  if mode == "mirror" then
    i = i % (2 * n)
    return math.min(i, 2 * n - 1 - i)
  end
  if mode == "border" and (i < 0 or i >= n) then return nil end
  return math.max(0, math.min(n - 1, i))
end

-- The texels on both sides, and the weight of the second.
local function along(c, axis, x, n, linear)
  local t = in_texels(c, x, n)
  if not linear then return { first = floor(t), second = 0 } end
  local steps = nearest((t - 0.5) * 256)
  if mode_of(c, axis) == "clamp" then steps = math.max(0, math.min(256 * (n - 1), steps)) end
  return { first = floor(steps / 256), second = steps % 256 }
end

-- The weight of two: what the second one gets is rounded, the first has the rest.
local function split(weight, second, halves_down)
  local part = halves_down and math.ceil(weight * second / 256 - 0.5) or nearest(weight * second / 256)
  return weight - part, part
end

-- The four of a slice: [1 + x + 2 * y]
local function four(weight, x, y)
  local left, right = split(weight, x)
  local left_up, left_down = split(left, y, true)
  local right_up, right_down = split(right, y)
  return { left_up, right_up, left_down, right_down }
end

local no_axis = { first = 0, second = 0 }

local function add_box(c, level, s, z_only, linear, weight, parts)
  local axes = c.axes
  local x = along(c, 1, s[1], level.width, linear)
  local y = axes[2] and along(c, 2, s[2], level.height, linear) or no_axis
  local z = axes[3] and along(c, 3, s[3], level.depth, linear) or no_axis
  local slices = { split(weight, z.second) }
  for slice = 0, 1 do
    for n, w in ipairs(four(slices[slice + 1], x.second, y.second)) do
      if w > 0 then
        local i = resolve(c, 1, x.first + (n - 1) % 2, level.width)
        local j = axes[2] and resolve(c, 2, y.first + floor((n - 1) / 2), level.height) or not axes[2] and 0
        local k = axes[3] and resolve(c, 3, z.first + slice, level.depth) or not axes[3] and z_only
        local inside = i and j and k
        parts[#parts + 1] = { weight = w, border = not inside,
          value = inside and texel(c, level, i, j, k) or border(c) }
      end
    end
  end
end

-- ---- cube maps ------------------------------------------------------------------------------------------------------

-- Of each face: the direction of its middle, and those in which its coordinates grow.
local faces = {
  { { 1, 0, 0 }, { 0, 0, -1 }, { 0, -1, 0 } }, { { -1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
  { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, -1 } },
  { { 0, 0, 1 }, { 1, 0, 0 }, { 0, -1, 0 } }, { { 0, 0, -1 }, { -1, 0, 0 }, { 0, -1, 0 } },
}

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

local single = ffi.new "float[1]"

local function float(x)
  single[0] = x
  return tonumber(single[0])
end

-- The face of a direction, and the place on it from 0 to 1. Of faces that are equally near the last axis counts. The
-- largest component's reciprocal, a float, is multiplied with all three first.
local function face_of(direction)
  local x, y, z = math.abs(direction[1]), math.abs(direction[2]), math.abs(direction[3])
  local by = float(1 / math.max(x, y, z))
  local d = { float(direction[1] * by), float(direction[2] * by), float(direction[3] * by) }
  x, y, z = math.abs(d[1]), math.abs(d[2]), math.abs(d[3])
  local axis = z >= math.max(x, y) and 3 or y >= x and 2 or 1
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

local function add_seamless(c, level, cube, face, s, t, weight, parts)
  local n = level.width
  local flat = { normalized = true, address = { "seam", "seam" } }
  local x, y = along(flat, 1, s, n, true), along(flat, 2, t, n, true)
  local function add(w, value) parts[#parts + 1] = { weight = w, value = value } end
  local function add_one(i, j, w)
    local beside_x, beside_y = i < 0 or i >= n, j < 0 or j >= n
    if beside_x and beside_y then -- no texel is there: the three around it share its weight
      local a, b, third = i < 0 and 0 or n - 1, j < 0 and 0 or n - 1, nearest(w / 3)
      add(w - 2 * third, texel(c, level, a, b, 6 * cube + face - 1))
      add(third, across(c, level, cube, face, i, b))
      add(third, across(c, level, cube, face, a, j))
    elseif beside_x or beside_y then
      add(w, across(c, level, cube, face, i, j))
    else
      add(w, texel(c, level, i, j, 6 * cube + face - 1))
    end
  end
  for number, w in ipairs(four(weight, x.second, y.second)) do
    if w > 0 then add_one(x.first + (number - 1) % 2, y.first + floor((number - 1) / 2), w) end
  end
end

local function add_cube(c, level, d, cube, linear, weight, parts)
  local face, s, t = face_of(d)
  if c.seamless and linear then return add_seamless(c, level, cube, face, s, t, weight, parts) end
  local flat = setmetatable({ axes = { level.width, level.width }, normalized = true }, { __index = c })
  if c.seamless then flat.address = { "clamp", "clamp" } end
  add_box(flat, level, { s, t }, 6 * cube + face - 1, linear, weight, parts)
end

-- ---- levels ---------------------------------------------------------------------------------------------------------

-- Ten digits, and no more.
local function ten_digits(x)
  local digits, exponent = math.frexp(x)
  return truncated(digits * 1024) / 1024 * 2 ^ exponent
end

-- The length of a gradient, nearly.
local function length(v)
  local list = { math.abs(v[1]), math.abs(v[2]), math.abs(v[3]) }
  table.sort(list)
  return list[3] + 11 / 32 * (list[1] + list[2])
end

-- Of the ellipse that two gradients span: the longest of both and of their diagonals over the square root of 2, nearly.
-- Diagonals are left out if they leave a face.
local function longest(x, y, sides_only)
  local most, a, b = 0, {}, {}
  for k = 1, 3 do a[k], b[k] = ten_digits(x[k]), ten_digits(y[k]) end
  for _, row in ipairs { { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 11 / 16 }, { 1, -1, 11 / 16 } } do
    if sides_only and row[3] < 1 then break end
    local v = {}
    for k = 1, 3 do v[k] = ten_digits(row[1] * a[k] + row[2] * b[k]) end
    most = math.max(most, row[3] * length(v))
  end
  return most
end

-- The level in 256ths, by the first digits alone: 1 and eight more.
local function logarithm(x)
  local digits, exponent = math.frexp(x)
  local cut = floor(digits * 512)
  if cut == 256 then return 256 * (exponent - 1) end
  return 256 * (exponent - 1) + nearest(256 * math.log((cut + 0.45) / 256) / math.log(2))
end

-- How much a place on a face moves, in texels, and whether it leaves the face: the next one is unfolded then.
local function on_face(d, change, n)
  local there = { d[1] + change[1], d[2] + change[2], d[3] + change[3] }
  local face, other = face_of(d), face_of(there)
  local forth, to = dot(there, faces[face][1]), dot(there, faces[other][1])
  local out = { 0, 0, 0 }
  for k = 1, 2 do
    local axis = faces[face][k + 1]
    local side = dot(axis, faces[other][1]) -- of this axis: 0, or where the other face is
    local place = side ~= 0 and side * (2 - forth / to) or dot(there, axis) / to
    out[k] = 0.5 * n * (place - dot(d, axis) / dot(d, faces[face][1]))
  end
  return out, other ~= face
end

-- In 256ths.
local function lod_of(c, levels, s)
  if c.op == "level" then return floor(256 * s.lod) end
  if c.op ~= "grad" then return 0 end
  local first = levels[1]
  local sizes = { first.width, first.height, first.depth }
  local function in_space(d)
    if c.axes.cube then return on_face(s, d, first.width) end
    local out = { 0, 0, 0 }
    for axis = 1, #c.axes do out[axis] = d[axis] * (c.normalized and sizes[axis] or 1) end
    return out, false
  end
  local x, x_leaves = in_space(s.dx)
  local y, y_leaves = in_space(s.dy)
  return logarithm(longest(x, y, x_leaves or y_leaves))
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

local function add_level(c, level, s, weight, parts)
  local layer = clamp(s.layer, 0, c.last_layer - c.first_layer) + c.first_layer
  if c.axes.cube then return add_cube(c, level, s, c.geometry == "acube" and layer or 0, c.linear, weight, parts) end
  add_box(c, level, s, c.layers > 0 and layer or 0, c.linear, weight, parts)
end

---@return number[] four  numbers: floats, or the integers of a texture of integers
function M.read(c, levels, s)
  if c.op == "fetch" then
    if s[1] < 0 or s[1] >= c.width then return { 0, 0, 0, 0 } end
    return lone(c, texel(c, levels[1], s[1], 0, 0))
  end
  if c.op == "gather" then
    local level, out = levels[1], {}
    local unclamped = { normalized = c.normalized, address = { "seam", "seam" } }
    local x = along(unclamped, 1, s[1], level.width, true).first
    local y = along(unclamped, 2, s[2], level.height, true).first
    for k, step in ipairs { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } } do
      local i, j = resolve(c, 1, x + step[1], level.width), resolve(c, 2, y + step[2], level.height)
      local inside = i and j
      local value, channel_number = inside and texel(c, level, i, j, 0) or border(c), c.component + 1
      if c.format == "unorm_int_101010_2" then -- with 16 bits, whatever the filter
        out[k] = wide(c, { value = value, border = not inside }, channel_number) / 65535
      else
        out[k] = lone(c, value)[channel_number]
      end
    end
    return out
  end
  local bias = c.op == "plain" and 0 or truncated(256 * c.bias) -- for levels that the call gives
  local lod = clamp(lod_of(c, levels, s) + bias, floor(256 * c.clamp[1]), floor(256 * c.clamp[2]))
  lod = clamp(lod, 0, 256 * (#levels - 1))
  local parts = {}
  if not c.mip_linear then lod = 256 * floor((lod + 128) / 256) end
  local first, second = floor(lod / 256), lod % 256
  add_level(c, levels[first + 1], s, 256 - second, parts)
  if second > 0 then add_level(c, levels[first + 2], s, second, parts) end
  return (c.linear or second > 0) and mix(c, parts) or lone(c, parts[1].value, parts[1].border)
end

return M
