-- Writes PNG files: gray, gray and alpha, RGB, RGBA, of 8 or 16 bits. Each row gets the filter that leaves the least.

local ffi = require "ffi"
local bit = require "bit"
local crc32 = require "cudalua.ndarray.crc32"
local deflate = require "cudalua.files.deflate"
local pace = require "cudalua.base.pace"
local png = require "cudalua.files.png"

local rshift, abs = bit.rshift, math.abs

local M = {}

local COLOURS = { 0, 4, 2, 6 } -- colour types by the number of channels

local function be32(x)
  return string.char(math.floor(x / 2 ^ 24), math.floor(x / 2 ^ 16) % 256, math.floor(x / 2 ^ 8) % 256, x % 256)
end

local function chunk(name, data)
  local body = name .. data
  return be32(#data) .. body .. be32(crc32(ffi.cast("const uint8_t *", body), #body))
end

local function paeth(a, b, c)
  local pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
  return (pa <= pb and pa <= pc) and a or pb <= pc and b or c
end

-- How far bytes are from 0, counted from both sides.
local function weight(row, n)
  local sum = 0
  for i = 0, n - 1 do sum = sum + (row[i] < 128 and row[i] or 256 - row[i]) end
  return sum
end

-- A row by each of the five filters.
local function filter(row, up, n, unit, to)
  local none, sub, above, average, predicted = to[0], to[1], to[2], to[3], to[4]
  for i = 0, n - 1 do
    local x, b = row[i], up[i]
    local a, c = 0, 0
    if i >= unit then a, c = row[i - unit], up[i - unit] end
    none[i], sub[i], above[i] = x, x - a, x - b
    average[i], predicted[i] = x - rshift(a + b, 1), x - paeth(a, b, c)
  end
end

-- The rows as PNG has them: a byte for the filter, then the bytes of the row.
local function filtered(p, h, n, unit)
  local out = ffi.new("uint8_t[?]", h * (n + 1))
  local rows, memory = {}, {}
  for k = 0, 4 do
    memory[k] = ffi.new("uint8_t[?]", n)
    rows[k] = ffi.cast("uint8_t *", memory[k])
  end
  local zeros = ffi.new("uint8_t[?]", n)
  local up = ffi.cast("const uint8_t *", zeros)
  for y = 0, h - 1 do
    local row = p + y * n
    pace(n)
    filter(row, up, n, unit, rows)
    local best, least = 0, math.huge
    for k = 0, 4 do
      local w = weight(rows[k], n)
      if w < least then best, least = k, w end
    end
    out[y * (n + 1)] = best
    ffi.copy(out + y * (n + 1) + 1, rows[best], n)
    up = row
  end
  return out, h * (n + 1), memory, zeros -- which have to be there until now
end

---The bytes of a PNG file.
---@param a cudalua.ndarray.Array  uint8 or uint16, in C order, (h, w) or (h, w, 1 to 4), not empty
---@return string
function M.encode(a)
  local shape, depth = a.shape, 8 * a.dtype.itemsize
  local h, w, channels = shape[1], shape[2], shape[3] or 1
  local n, unit = w * channels * depth / 8, channels * depth / 8
  local p, keep = ffi.cast("const uint8_t *", a:data()), nil
  if depth == 16 then -- the high byte comes first
    keep = ffi.new("uint8_t[?]", h * n)
    for i = 0, h * n - 1, 2 do keep[i], keep[i + 1] = p[i + 1], p[i] end
    p = ffi.cast("const uint8_t *", keep)
  end
  local data, size = filtered(p, h, n, unit)
  local header = be32(w) .. be32(h) .. string.char(depth, COLOURS[channels], 0, 0, 0)
  local bytes = png.SIGNATURE .. chunk("IHDR", header) .. chunk("IDAT", deflate.pack(data, size)) .. chunk("IEND", "")
  return bytes, keep, a -- whose memory has to be there until now
end

return M
