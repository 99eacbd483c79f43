-- Plots in a terminal: dots of braille characters, two by four in each, with axes, ticks and a legend around them.

local ffi = require "ffi"
local bit = require "bit"
local scale = require "cudalua.look.scale"
local terminal = require "cudalua.look.terminal"

local floor = math.floor

local M = {}

local MARKS = { "*", "+", "o", "x", "#", "%" } -- series that colours do not tell apart
local DOTS = { [0] = { [0] = 1, 2, 4, 64 }, { [0] = 8, 16, 32, 128 } } -- bit of a dot by column and row

-- The braille character of eight dots.
local function braille(dots)
  return string.char(0xe2, 0xa0 + bit.rshift(dots, 6), 0x80 + bit.band(dots, 63))
end

---A place for dots.
---@class cudalua.look.Canvas
local Canvas = {}
Canvas.__index = Canvas

-- A canvas of so many characters.
local function new(columns, lines)
  return setmetatable({ columns = columns, lines = lines, dots = ffi.new("uint8_t[?]", columns * lines),
    owner = ffi.new("uint16_t[?]", columns * lines) }, Canvas)
end

-- The dot of a place from 0 to 1 among n.
local function nearest(u, n) return math.min(floor(u * n), n - 1) end

function Canvas:set(x, y, series)
  local cell = floor(y / 4) * self.columns + floor(x / 2)
  self.dots[cell] = bit.bor(self.dots[cell], DOTS[x % 2][y % 4])
  self.owner[cell] = series
end

function Canvas:point(u, v, series)
  if not (u >= 0 and u <= 1 and v >= 0 and v <= 1) then return end
  self:set(nearest(u, 2 * self.columns), nearest(1 - v, 4 * self.lines), series)
end

function Canvas:line(u0, v0, u1, v1, series)
  local w, h = 2 * self.columns, 4 * self.lines
  local x0, y0, x1, y1 = nearest(u0, w), nearest(1 - v0, h), nearest(u1, w), nearest(1 - v1, h)
  local steps = math.max(math.abs(x1 - x0), math.abs(y1 - y0))
  for i = 0, steps do
    local t = steps > 0 and i / steps or 0
    self:set(floor(x0 + t * (x1 - x0) + 0.5), floor(y0 + t * (y1 - y0) + 0.5), series)
  end
end

function Canvas:rect(u0, v0, u1, v1, series)
  local w, h = 2 * self.columns, 4 * self.lines
  local left, right = floor(u0 * w + 0.5), floor(u1 * w + 0.5) - 1
  local top, bottom = floor((1 - v1) * h + 0.5), floor((1 - v0) * h + 0.5) - 1
  for x = math.max(left, 0), math.min(math.max(right, left), w - 1) do
    for y = math.max(top, 0), math.min(bottom, h - 1) do self:set(x, y, series) end
  end
end

-- A line of characters, one a column.
local function row_text(self, line, to, colours, marked)
  local words, last = {}, nil
  for x = 0, self.columns - 1 do
    local cell = line * self.columns + x
    local dots, owner = self.dots[cell], self.owner[cell]
    local word = dots == 0 and " " or marked and MARKS[(owner - 1) % #MARKS + 1] or braille(dots)
    if dots ~= 0 and to.colour > 0 and owner ~= last then
      local c = colours(owner)
      word = terminal.code(to.colour, false, c[1], c[2], c[3]) .. word
      last = owner
    end
    words[x + 1] = word
  end
  return (table.concat(words):gsub(" +$", "")) .. (last and terminal.RESET or "")
end

---How many characters a text has.
---@param text string  UTF-8
---@return integer
function M.width(text) return (select(2, text:gsub("[^\128-\191]", ""))) end

-- A text of at most n characters.
local function cut(text, n)
  while M.width(text) > n do text = text:gsub("[^\128-\191][\128-\191]*$", "") end
  return text
end

local function right(text, n) return (" "):rep(n - M.width(text)) .. text end

local function centred(text, before, n)
  text = cut(text, n)
  return (" "):rep(before + floor((n - M.width(text)) / 2)) .. text .. "\n"
end

-- The labels of the axis below, where they do not touch: one line, and which ticks have a mark.
local function bottom(ticks, place, columns, before)
  local line, marks, free = {}, {}, -before
  for i = 1 - before, columns + 1 do line[i] = " " end
  for _, tick in ipairs(ticks) do
    local at = nearest(place(tick.x), columns)
    local n = M.width(tick.text)
    local from = math.max(math.min(at - floor(n / 2), columns + 1 - n), -before)
    marks[at] = true
    if from >= free and from + n <= columns + 1 then
      local k = from
      for character in tick.text:gmatch "[^\128-\191][\128-\191]*" do
        k = k + 1
        line[k] = character
      end
      free = from + n + 1
    end
  end
  return (table.concat(line, "", 1 - before, columns + 1):gsub(" +$", "")), marks
end

-- Of the kinds of series in a legend: a piece of a line, a point, a piece of a bar.
local SIGNS = { line = "──", scatter = "•", hist = "■", bars = "■" }

---Draws a plot.
---@param plot cudalua.look.Plot
---@param to cudalua.look.Terminal
function M.draw(plot, to)
  local marked = to.colour == 0 and #plot.series > 1
  local other = 2 + (plot.title and 1 or 0) + (plot.legend and 1 or 0) + (plot.xlabel and 1 or 0) +
    (plot.ylabel and 1 or 0) -- lines
  local lines = math.max(2, to.height - other)
  local yticks = scale.ticks(plot.y, math.max(2, floor(lines / 3)))
  local left = 0
  for _, tick in ipairs(yticks) do left = math.max(left, M.width(tick.text)) end
  local columns = math.max(4, to.width - left - 2)
  local xticks = plot.names and plot.names or scale.ticks(plot.x, math.max(2, floor(columns / 10)))
  local canvas = new(columns, lines)
  plot.draw(canvas)

  if plot.title then to.write(centred(plot.title, left + 1, columns)) end
  if plot.legend then
    local words = {}
    for i, s in ipairs(plot.series) do
      if s.label then
        local c = plot.colour(i)
        local mark = marked and MARKS[(i - 1) % #MARKS + 1] or SIGNS[s.kind]
        if to.colour > 0 then mark = terminal.code(to.colour, false, c[1], c[2], c[3]) .. mark .. terminal.RESET end
        words[#words + 1] = mark .. " " .. s.label
      end
    end
    to.write((" "):rep(left + 1) .. table.concat(words, "   ") .. "\n")
  end
  if plot.ylabel then to.write(cut(plot.ylabel, to.width) .. "\n") end
  local labels = {}
  for _, tick in ipairs(yticks) do labels[nearest(1 - plot.y.place(tick.x), lines)] = tick.text end
  for line = 0, lines - 1 do
    local mark = labels[line] and "\226\148\164" or "\226\148\130"
    to.write(right(labels[line] or "", left) .. mark .. row_text(canvas, line, to, plot.colour, marked) .. "\n")
  end
  local text, marks = bottom(xticks, plot.x.place, columns, left + 1)
  local axis = {}
  for x = 0, columns - 1 do axis[x + 1] = marks[x] and "\226\148\172" or "\226\148\128" end
  to.write((" "):rep(left) .. "\226\148\148" .. table.concat(axis) .. "\n")
  to.write(text .. "\n")
  if plot.xlabel then to.write(centred(plot.xlabel, left + 1, columns)) end
end

return M
