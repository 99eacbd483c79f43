-- Makes a picture to work on: make_image.lua OUT.ppm [WIDTH HEIGHT]. A landscape by layered value noise under
-- a sky with a sun: smooth areas, texture and hard edges, the same on every machine. And reads pictures, which is
-- what other examples need to begin with.

local M = {}

-- A 32-bit hash of two integers: noise without a state.
local bit = require "bit"
local function hash(x, y)
  local h = bit.tobit(x * 374761393 + y * 668265263)
  h = bit.bxor(h, bit.rshift(h, 13))
  h = bit.tobit(bit.band(h, 0xffff) * 60493 + bit.lshift(bit.rshift(h, 16) * 19990303 % 65536, 16))
  return bit.band(bit.bxor(h, bit.rshift(h, 16)), 0xffff) / 65535
end

local function noise(x, y)
  local xi, yi = math.floor(x), math.floor(y)
  local fx, fy = x - xi, y - yi
  fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
  local top = hash(xi, yi) * (1 - fx) + hash(xi + 1, yi) * fx
  local bottom = hash(xi, yi + 1) * (1 - fx) + hash(xi + 1, yi + 1) * fx
  return top * (1 - fy) + bottom * fy
end

local function layered(x, y)
  local sum, amplitude = 0, 0.5
  for _ = 1, 5 do
    sum = sum + amplitude * noise(x, y)
    x, y, amplitude = x * 2.03, y * 2.03, amplitude / 2
  end
  return sum
end

---@param width integer
---@param height integer
---@return string ppm  a binary PPM (P6)
function M.ppm(width, height)
  local ffi = require "ffi"
  local pixels = ffi.new("uint8_t[?]", width * height * 3)
  local function put(x, y, r, g, b)
    local p = (y * width + x) * 3
    pixels[p], pixels[p + 1], pixels[p + 2] = r, g, b
  end
  local ridge = {}
  for x = 0, width - 1 do ridge[x] = height * (0.35 + 0.35 * layered(x / width * 6, 7.7)) end
  local sun_x, sun_y, sun_r = 0.72 * width, 0.2 * height, 0.06 * width
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      if y < ridge[x] then
        local dx, dy = x - sun_x, y - sun_y
        if dx * dx + dy * dy < sun_r * sun_r then
          put(x, y, 255, 236, 170)
        else
          local t, cloud = y / height, layered(x / width * 5, y / height * 9)
          put(x, y, 90 + 120 * t + 60 * cloud, 140 + 80 * t + 40 * cloud, 230)
        end
      else
        local rock, depth = layered(x / width * 24, y / height * 24), (y - ridge[x]) / height
        put(x, y, 60 + 110 * rock, 80 + 120 * rock * (1 - depth), 40 + 60 * rock)
      end
    end
  end
  return ("P6\n%d %d\n255\n"):format(width, height) .. ffi.string(pixels, width * height * 3)
end

-- The three numbers of a PPM's header, among which there may be comments, and where the pixels begin.
local function header(data)
  local numbers, at = {}, 3
  while data:sub(1, 2) == "P6" and #numbers < 3 do
    local behind_comment = data:match("^%s*#[^\n]*\n()", at)
    local number, behind = data:match("^%s*(%d+)()", at)
    if not (behind_comment or number) then break end
    if not behind_comment then numbers[#numbers + 1] = tonumber(number) end
    at = behind_comment or behind
  end
  assert(numbers[3] == 255, "a binary PPM (P6) with 8 bits a channel is needed")
  return numbers[1], numbers[2], at + 1
end

---The pixels of a picture, of a file or made here: rows of bytes, red, green and blue in turn.
---@param path? string     a binary PPM (P6); nil: one is made
---@param made_width? integer
---@param made_height? integer
---@return string pixels, integer width, integer height
function M.read(path, made_width, made_height)
  local data
  if path then
    local file = assert(io.open(path, "rb"))
    data = file:read "*a"
    file:close()
  else
    data = M.ppm(made_width, made_height)
  end
  local width, height, at = header(data)
  assert(#data - at + 1 >= width * height * 3, "the file is shorter than its header says")
  return data:sub(at, at + width * height * 3 - 1), width, height
end

if arg and arg[0] and arg[0]:find "make_image%.lua$" then
  local out, width, height = arg[1], tonumber(arg[2] or 1280), tonumber(arg[3] or 853)
  assert(out, "usage: make_image.lua OUT.ppm [WIDTH HEIGHT]")
  local file = assert(io.open(out, "wb"))
  assert(file:write(M.ppm(width, height)))
  file:close()
end

return M
