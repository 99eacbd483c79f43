-- Colour maps by name, and values as their levels. A map is a few control points, between which colours run evenly for
-- the eye, in Oklab (B. Ottosson, "A perceptual color space for image processing", 2020).

local ffi = require "ffi"
local layout = require "cudalua.base.layout"
local element = require "cudalua.base.element"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- Control points at equal distances, as RRGGBB.
local points = {
  gray = "000000 ffffff",
  viridis = "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
  magma = "000004 1d1147 51127c 832681 b73779 e75263 fc8961 fec488 fcfdbf",
  inferno = "000004 210c4a 57106e 8a226a bc3754 e45a31 f98e09 f9cb35 fcffa4",
  plasma = "0d0887 4c02a1 7e03a8 aa2395 cc4778 e66c5c f89540 fdc527 f0f921",
  coolwarm = "3b4cc0 6788ee 9abbff c9d7f0 dddddd f2cbb7 f7a889 e26952 b40426",
}

---The colour of NaN in all of them.
M.NAN = { 255, 0, 255 }

local function linear(x)
  x = x / 255
  return x <= 0.04045 and x / 12.92 or ((x + 0.055) / 1.055) ^ 2.4
end

local function encoded(x)
  x = math.max(0, math.min(1, x))
  x = x <= 0.0031308 and 12.92 * x or 1.055 * x ^ (1 / 2.4) - 0.055
  return math.floor(255 * x + 0.5)
end

local function to_oklab(r, g, b)
  r, g, b = linear(r), linear(g), linear(b)
  local l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ^ (1 / 3)
  local m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ^ (1 / 3)
  local s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ^ (1 / 3)
  return { 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s }
end

local function from_oklab(light, a, b)
  local l = (light + 0.3963377774 * a + 0.2158037573 * b) ^ 3
  local m = (light - 0.1055613458 * a - 0.0638541728 * b) ^ 3
  local s = (light - 0.0894841775 * a - 1.2914855480 * b) ^ 3
  return encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)
end

local function made(text)
  local stops = {}
  for r, g, b in text:gmatch "(%x%x)(%x%x)(%x%x)" do
    stops[#stops + 1] = to_oklab(tonumber(r, 16), tonumber(g, 16), tonumber(b, 16))
  end
  local map = ffi.new "uint8_t[256][3]"
  for i = 0, 255 do
    local at = i / 255 * (#stops - 1)
    local k = math.min(math.floor(at), #stops - 2)
    local p, q, t = stops[k + 1], stops[k + 2], at - k
    map[i][0], map[i][1], map[i][2] = from_oklab(p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2]),
      p[3] + t * (q[3] - p[3]))
  end
  return map
end

local maps = {}

---The names of the maps, sorted; each may end in "_r" for the reverse.
---@return string[]
function M.names()
  local list = {}
  for name in pairs_of(points) do list[#list + 1] = name end
  table.sort(list)
  return list
end

---A colour map.
---@param what string  function, for messages
---@param name any
---@return ffi.cdata*  uint8_t[256][3]
---@raise LogicError for an unknown name
function M.get(what, name)
  if type(name) == "string" and not maps[name] then
    local base = name:match "^(.*)_r$" or name
    if points[base] then
      local map = made(points[base])
      if base ~= name then
        local reversed = ffi.new "uint8_t[256][3]"
        for i = 0, 255 do ffi.copy(reversed[i], map[255 - i], 3) end
        map = reversed
      end
      maps[name] = map
    end
  end
  return maps[name] or layout.refuse(what, ("unknown map %s; valid maps: %s"):format(
    type(name) == "string" and "'" .. name:sub(1, 40) .. "'" or element.describe(name), table.concat(M.names(), ", ")))
end

-- ---- values as levels ----------------------------------------------------------------------------------------------

---Options vmin and vmax.
---@param what string
---@param o table
---@raise LogicError unless they are finite and in order
function M.check_limits(what, o)
  for _, name in ipairs { "vmin", "vmax" } do
    local x = o[name]
    if x ~= nil and (type(x) ~= "number" or x - x ~= 0) then
      layout.refuse(what, ("%s must be a finite number, got %s"):format(name, element.describe(x)))
    end
  end
  if o.vmin and o.vmax and o.vmin > o.vmax then
    layout.refuse(what, ("vmin is %s, greater than vmax, %s"):format(element.describe(o.vmin),
      element.describe(o.vmax)))
  end
end

---The values of the first and last colour: options, or the smallest and the largest of n finite values.
---@param values ffi.cdata*  double *
---@param n integer
---@param o {vmin: number?, vmax: number?}
---@param dtype cudalua.dtype.DType  of the array
---@return number low
---@return number high
---@return boolean has_nan
function M.limits(values, n, o, dtype)
  local low, high, has_nan = math.huge, -math.huge, false
  for i = 0, n - 1 do
    local x = values[i]
    if x - x == 0 then
      low, high = math.min(low, x), math.max(high, x)
    else
      has_nan = has_nan or x ~= x
    end
  end
  if low > high then low, high = 0, 1 end
  if dtype.kind == "bool" then low, high = 0, 1 end
  low, high = o.vmin or low, o.vmax or high
  if low > high then low, high = o.vmin or high, o.vmax or low end -- all is beyond the one that was given
  return low, high, has_nan
end

---Where a value lies between limits, from 0 to 1; NaN for NaN.
---@param x number
---@param low number
---@param high number
---@return number
function M.level(x, low, high)
  if x ~= x then return x end
  local level = high > low and (x - low) / (high - low) or x > high and 1 or 0
  if level ~= level then level = x > low and 1 or 0 end -- the range is beyond the numbers
  return math.max(0, math.min(1, level))
end

return M
