-- Arrays as text, laid out as NumPy does it: brackets for axes, columns aligned, long arrays by their ends.
-- Works on any array whose shown elements can be read; nothing else of it is looked at.

local ffi = require "ffi"
local element = require "cudalua.base.element"
local float16 = require "cudalua.base.float16"

local M = {}

local WIDTH = 75       -- characters in a line
local THRESHOLD = 1000 -- elements; an array with more is shown by its ends
local EDGE = 3         -- elements shown at each end of an axis
local PRECISION = 8    -- digits after the point

-- ---- floats -----------------------------------------------------------------------------------------------

local float_t = ffi.typeof "float"

ffi.cdef [[int cudalua_host_snprintf(char *s, size_t n, const char *format, ...) __asm__("snprintf");]]
local buffer, BUFFER = ffi.new "char[64]", 64

-- A number with n digits after the point, "%.*e" or "%.*f". The C library breaks ties to even, as NumPy; LuaJIT's
-- string.format does not. The point is the locale's.
local function formatted(format, n, x)
  local length = ffi.C.cudalua_host_snprintf(buffer, BUFFER, format, ffi.cast("int", n), x)
  return (ffi.string(buffer, math.min(length, BUFFER - 1)):gsub("[^%deE+-]", "."))
end

-- What a type makes of a number: a text is long enough when it leads back to the same value.
local rounds = {
  float16 = function(x) return float16.unpack_float16(float16.pack_float16(x)) end,
  bfloat16 = function(x) return float16.unpack_bfloat16(float16.pack_bfloat16(x)) end,
  float32 = function(x) return tonumber(float_t(x)) end,
  float64 = function(x) return x end,
}
-- Numbers from here on are written with an exponent: where their type no longer holds every digit.
local cutoffs = { float16 = 1e3, bfloat16 = 1e2, float32 = 1e6, float64 = 1e8 }

-- The fewest digits after the first that tell this value from all others of its type.
local function digits_of(x, round)
  for n = 0, 16 do
    if round(tonumber(formatted("%.*e", n, x))) == x then return n end
  end
  return 16
end

local function trimmed(text) return (text:gsub("(%.%d-)0+$", "%1")) end

-- "12.5", "3.": positional, with the point, without zeros at the end.
local function positional(x, round)
  local exponent = x == 0 and 0 or tonumber(formatted("%.*e", 16, x):match "e(.*)$")
  local after = math.max(math.min(digits_of(x, round) - exponent, PRECISION), 0)
  local text = formatted("%.*f", after, x)
  return text:find(".", 1, true) and trimmed(text) or text .. "."
end

-- "1.25", "+08": the parts of scientific notation.
local function scientific(x, round)
  local mantissa, exponent = formatted("%.*e", math.min(digits_of(x, round), PRECISION), x):match "^(.*)e(.*)$"
  if not mantissa:find(".", 1, true) then mantissa = mantissa .. "." end
  return trimmed(mantissa), exponent
end

local function pad_left(text, width) return (" "):rep(width - #text) .. text end

local function is_finite(x) return x == x and x ~= math.huge and x ~= -math.huge end

-- A number alone, with all the digits it takes: "3.0", "1e+16"; of a complex number, without the ".0".
local function alone(x, dtype, is_part)
  if x ~= x then return "nan" end
  if not is_finite(x) then return x < 0 and "-inf" or "inf" end
  local round, size = rounds[dtype], math.abs(x)
  local digits = digits_of(x, round)
  if size ~= 0 and (size < 1e-4 or size >= (dtype == "float64" and 1e16 or cutoffs[dtype])) then
    return (formatted("%.*e", digits, x))
  end
  local exponent = size == 0 and 0 or tonumber(formatted("%.*e", 16, x):match "e(.*)$")
  local text = formatted("%.*f", math.max(digits - exponent, 0), x)
  return (is_part or text:find(".", 1, true)) and text or text .. ".0"
end

-- A function that writes any of these numbers, all with the same width. `plus`: the sign of positive ones, too.
local function float_writer(values, dtype, plus)
  local round = rounds[dtype]
  local largest, smallest = 0, math.huge
  for _, x in ipairs(values) do
    if is_finite(x) then
      local size = math.abs(x)
      if size ~= 0 then largest, smallest = math.max(largest, size), math.min(smallest, size) end
    end
  end
  -- The limits are compared as NumPy does it, in the type itself.
  local exponential = largest ~= 0 and (largest >= cutoffs[dtype] or smallest < round(1e-4) or
    round(largest / smallest) > 1000)

  local function signed(text, x) return plus and (x >= 0 and 1 / x ~= -math.huge) and "+" .. text or text end

  local before, after, places = 0, 0, 0 -- widths: up to the point, behind it, digits behind it
  local exponent_digits = 0
  for _, x in ipairs(values) do
    if is_finite(x) then
      local whole, fraction, exponent
      if exponential then
        local mantissa
        mantissa, exponent = scientific(x, round)
        whole, fraction = signed(mantissa, x):match "^(.*)%.(.*)$"
        places = math.max(places, #fraction)
        after = math.max(after, #exponent + 1)
        exponent_digits = math.max(exponent_digits, #exponent - 1)
      else
        whole, fraction = signed(positional(x, round), x):match "^(.*)%.(.*)$"
        after = math.max(after, #fraction)
      end
      before = math.max(before, #whole)
    end
  end
  if exponential then after = after + places end
  for _, x in ipairs(values) do
    if not is_finite(x) then
      before = math.max(before, ((plus or x < 0) and 4 or 3) - after - 1)
    end
  end

  return function(x)
    if not is_finite(x) then
      local text = x ~= x and "nan" or x < 0 and "-inf" or "inf"
      if plus and x ~= -math.huge then text = "+" .. text end
      return pad_left(text, before + after + 1)
    end
    local whole, fraction
    if exponential then
      local text = formatted("%.*e", places, x)
      if places == 0 then text = text:gsub("e", ".e") end
      text = text:gsub("%d+$", function(exponent) return ("0"):rep(exponent_digits - #exponent) .. exponent end)
      whole, fraction = signed(text, x):match "^(.*)%.(.*)$"
    else
      whole, fraction = signed(positional(x, round), x):match "^(.*)%.(.*)$"
    end
    return pad_left(whole, before) .. "." .. fraction .. (" "):rep(after - #fraction)
  end
end

-- ---- every kind ---------------------------------------------------------------------------------------------

local function aligned_writer(values, width)
  for _, x in ipairs(values) do width = math.max(width, #element.describe(x)) end
  return function(x) return pad_left(element.describe(x), width) end
end

local function complex_writer(values, dtype)
  local re, im = {}, {}
  for i, x in ipairs(values) do re[i], im[i] = tonumber(x.re), tonumber(x.im) end
  local write_re, write_im = float_writer(re, dtype), float_writer(im, dtype, true)
  return function(x)
    local text = write_im(tonumber(x.im))
    local number = text:match "^(.-) *$"
    return write_re(tonumber(x.re)) .. number .. "i" .. text:sub(#number + 1)
  end
end

local parts = { complex64 = "float32", complex128 = "float64" }

local function writer(dtype, values)
  if dtype.kind == "float" then return float_writer(values, dtype.name) end
  if dtype.kind == "complex" then return complex_writer(values, parts[dtype.name]) end
  if dtype.kind == "struct" then return require("cudalua.types.struct_text").writer(dtype, values, writer) end
  return aligned_writer(values, dtype.kind == "bool" and #"false" or 0)
end

-- The text of a 0-d array.
local function value_text(dtype, x)
  if dtype.kind == "float" then return alone(x, dtype.name) end
  if dtype.kind == "struct" then
    return require("cudalua.types.struct_text").writer(dtype, { x }, function(of)
      return function(value) return value_text(of, value) end
    end)(x)
  end
  if dtype.kind ~= "complex" then return element.describe(x) end
  local re, im = tonumber(x.re), tonumber(x.im)
  local imaginary = alone(im, parts[dtype.name], true) .. "i"
  if re == 0 and 1 / re > 0 then return imaginary end
  local sign = imaginary:sub(1, 1) ~= "-" and "+" or ""
  return alone(re, parts[dtype.name], true) .. sign .. imaginary
end

-- Which positions of an axis are shown: from, to, from, to.
local function shown(extent, summarised)
  if summarised and extent > 2 * EDGE then return 1, EDGE, extent - EDGE + 1, extent end
  return 1, extent, 1, 0
end

-- All shown elements, in order.
local function collect(shape, summarised, fetch)
  local values, index = {}, {}
  local function walk(axis)
    if axis > #shape then
      values[#values + 1] = fetch(index)
      return
    end
    local a, b, c, d = shown(shape[axis], summarised)
    for i = a, b do
      index[axis] = i
      walk(axis + 1)
    end
    for i = c, d do
      index[axis] = i
      walk(axis + 1)
    end
  end
  walk(1)
  return values
end

---The text of an array.
---@param shape integer[]
---@param dtype cudalua.dtype.DType
---@param fetch fun(index: integer[]): any  the element at an index from 1; called for the shown elements only, in
---  C order, with the same table each time
---@return string
function M.render(shape, dtype, fetch)
  local size = 1
  for _, extent in ipairs(shape) do size = size * extent end
  if size == 0 then return "[]" end
  if #shape == 0 then return value_text(dtype, fetch {}) end
  local summarised = size > THRESHOLD
  local values = collect(shape, summarised, fetch)
  local write = writer(dtype, values)
  local next_value = 0

  -- The text of the axes from this one on; `width` is what is left of a line before the closing brackets.
  local function axis_text(axis, indent, width)
    local a, b, c, d = shown(shape[axis], summarised)
    local lines = {}
    if axis == #shape then
      local line = indent
      local function add(word)
        if #line + #word > width - 1 and #line > #indent then
          lines[#lines + 1] = line:gsub(" +$", "") .. "\n"
          line = indent
        end
        line = line .. word .. " "
      end
      for i = a, d > 0 and b + d - c + 1 or b do
        if d > 0 and i == EDGE + 1 then add "..." end
        next_value = next_value + 1
        add(write(values[next_value]))
      end
      lines[#lines + 1] = line:sub(1, -2)
      return "[" .. table.concat(lines):sub(#indent + 1) .. "]"
    end
    for _ = a, b do lines[#lines + 1] = axis_text(axis + 1, indent .. " ", width - 1) end
    if d > 0 then lines[#lines + 1] = "..." end
    for _ = c, d do lines[#lines + 1] = axis_text(axis + 1, indent .. " ", width - 1) end
    return "[" .. table.concat(lines, ("\n"):rep(#shape - axis) .. indent) .. "]"
  end
  return axis_text(1, " ", WIDTH)
end

M.THRESHOLD, M.EDGE = THRESHOLD, EDGE

return M
