-- Numbers as text for people: tables with aligned columns, and short numbers for captions and axes.

local element = require "cudalua.base.element"

local M = {}

---A number with few digits.
---@param x number
---@param digits? integer  significant ones; default: 4
---@return string
function M.short(x, digits)
  if x ~= x then return "nan" end
  if x == 0 then return "0" end
  local text = ("%%.%dg"):format(digits or 4):format(x)
  return (text:gsub("e([+-])0*(%d)", function(sign, digit) return "e" .. (sign == "-" and "-" or "") .. digit end))
end

-- How all of these floats are written: the same digits after the point, or all with an exponent.
local function float_format(values)
  local largest, smallest = 0, math.huge
  for _, x in ipairs(values) do
    local size = math.abs(x)
    if size > 0 and size < math.huge then largest, smallest = math.max(largest, size), math.min(smallest, size) end
  end
  if largest == 0 then return "%.0f" end
  local places = math.max(0, math.min(6, 4 - math.floor(math.log10(largest))))
  if largest >= 1e7 or smallest < 10 ^ -places then return "%.4e" end
  while places > 0 do -- zeros at all ends are left out
    local shorter = ("%%.%df"):format(places - 1)
    for _, x in ipairs(values) do
      if x - x == 0 and tonumber(shorter:format(x)) ~= tonumber(("%%.%df"):format(places):format(x)) then
        return ("%%.%df"):format(places)
      end
    end
    places = places - 1
  end
  return "%.0f"
end

-- A function that writes values of a dtype.
local function writer(dtype, values)
  if dtype.kind == "complex" then
    return function(x)
      local im = M.short(tonumber(x.im))
      return M.short(tonumber(x.re)) .. (im:find "^%-" and "" or "+") .. im .. "i"
    end
  end
  if dtype.kind ~= "float" then return element.describe end
  local format = float_format(values)
  return function(x)
    if x ~= x then return "nan" end
    if x - x ~= 0 then return x > 0 and "inf" or "-inf" end
    return format:format(x)
  end
end

---The lines of a table: an array of one or two axes with its positions.
---@param a cudalua.ndarray.Array  few elements
---@return string[]
---@return integer width  characters
function M.table(a)
  local shape, load = a.shape, a.dtype._load
  local rows, columns = #shape == 2 and shape[1] or 1, shape[#shape]
  local strides = a.strides
  local sy, sx = #shape == 2 and strides[1] or 0, strides[#shape]
  local values = {}
  for y = 0, rows - 1 do
    for x = 0, columns - 1 do values[#values + 1] = load(a._p, y * sy + x * sx) end
  end
  local write, cells, widths = writer(a.dtype, values), {}, {}
  for x = 1, columns do
    widths[x] = #tostring(x)
    for y = 1, rows do
      local text = write(values[(y - 1) * columns + x])
      cells[(y - 1) * columns + x] = text
      widths[x] = math.max(widths[x], #text)
    end
  end
  local lines, left = {}, #shape == 2 and #tostring(rows) or 0
  local function add(position, between, row)
    local words = {}
    for x = 1, columns do words[x] = ("%" .. widths[x] .. "s"):format(row(x)) end
    local before = left > 0 and ("%" .. left .. "s"):format(position) .. between or ""
    lines[#lines + 1] = before .. table.concat(words, "  ")
  end
  add("", " \226\148\130 ", function(x) return x end)
  local rule = 0
  for x = 1, columns do rule = rule + widths[x] + (x > 1 and 2 or 0) end
  local dash = "\226\148\128"
  lines[2] = (left > 0 and dash:rep(left + 1) .. "\226\148\188" .. dash or "") .. dash:rep(rule)
  for y = 1, rows do
    add(y, " \226\148\130 ", function(x) return cells[(y - 1) * columns + x] end)
  end
  return lines, left + (left > 0 and 3 or 0) + rule
end

return M
