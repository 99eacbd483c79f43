-- Pictures as text: two pixels in a character, one above the other, by half blocks with colours; without colours a
-- character is as dark as its pixel.

local terminal = require "cudalua.look.terminal"

local M = {}

local HALF = "\226\150\128" -- the upper half block
local RAMP = " .:-=+*#%@"   -- from the lowest level to the highest

---A picture.
---@class cudalua.look.Image
---@field width integer
---@field height integer
---@field rgb ffi.cdata*    uint8_t[height * width * 3]
---@field level ffi.cdata*  double[height * width], 0 to 1, or NaN

---The character of a level.
---@param level number  0 to 1, or NaN
---@return string
function M.character(level)
  if level ~= level then return "?" end
  local i = math.min(math.floor(level * #RAMP), #RAMP - 1)
  return RAMP:sub(i + 1, i + 1)
end

-- A function that gives the escape code of a colour, or nothing where it is the one that was set last.
local function pen(colour, background)
  local last
  return function(p)
    local code = terminal.code(colour, background, p[0], p[1], p[2])
    if code == last then return "" end
    last = code
    return code
  end
end

---The lines of a picture.
---@param image cudalua.look.Image
---@param to cudalua.look.Terminal
function M.draw(image, to)
  local width, height = image.width, image.height
  local function pixel(x, y) return image.rgb + 3 * (y * width + x) end
  for y = 0, height - 1, to.colour == 0 and 1 or 2 do
    local line = {}
    if to.colour == 0 then
      for x = 0, width - 1 do line[x + 1] = M.character(image.level[y * width + x]) end
      to.write((table.concat(line):gsub(" +$", "")) .. "\n")
    else
      local upper, lower = pen(to.colour, false), pen(to.colour, true)
      for x = 0, width - 1 do
        line[#line + 1] = upper(pixel(x, y))
        if y + 1 < height then line[#line + 1] = lower(pixel(x, y + 1)) end
        line[#line + 1] = HALF
      end
      to.write(table.concat(line) .. terminal.RESET .. "\n")
    end
  end
end

local EIGHTHS = { "\226\150\129", "\226\150\130", "\226\150\131", "\226\150\132", "\226\150\133", "\226\150\134",
  "\226\150\135", "\226\150\136" } -- of a character's height, from below

---Bars side by side, from the lowest level at the bottom; each is at least an eighth of a character high.
---@param image cudalua.look.Image  of one row
---@param lines integer
---@param to cudalua.look.Terminal
function M.bars(image, lines, to)
  for line = lines, 1, -1 do
    local text = {}
    local upper = to.colour > 0 and pen(to.colour, false)
    for x = 0, image.width - 1 do
      local level, word = image.level[x], " "
      if level ~= level then
        word = line == 1 and "?" or " "
      else
        local eighths = math.max(1, math.floor(level * 8 * lines + 0.5)) - 8 * (line - 1)
        if eighths > 0 then word = EIGHTHS[math.min(eighths, 8)] end
      end
      if word ~= " " and upper then word = upper(image.rgb + 3 * x) .. word end
      text[x + 1] = word
    end
    local written = table.concat(text):gsub(" +$", "")
    to.write(written .. (upper and written ~= "" and terminal.RESET or "") .. "\n")
  end
end

---The colours of a map side by side, or all characters: what a picture's caption shows.
---@param map ffi.cdata*  uint8_t[256][3]
---@param n integer       how many colours
---@param to cudalua.look.Terminal
---@return string
function M.gradient(map, n, to)
  if to.colour == 0 then return "'" .. RAMP .. "'" end
  local text, back = {}, pen(to.colour, true)
  for i = 0, n - 1 do text[i + 1] = back(map[math.floor(255 * i / (n - 1) + 0.5)]) .. " " end
  return table.concat(text) .. terminal.RESET
end

return M
