-- What the editor has on the screen, and the bytes that change it into something else.
--
-- The screen knows the rows that it has written, and nothing of what is above them. Only what differs is written.

local layout = require "cudalua.prompt.editor.layout"

local rep, concat, min, max, setmetatable = string.rep, table.concat, math.min, math.max, setmetatable

local Screen = {}
Screen.__index = Screen

local M = {}

local CLEAR_LINE, CLEAR_BELOW, CLEAR_ALL = "\27[K", "\27[J", "\27[H\27[2J"

---A screen whose cursor is at the beginning of an empty row.
---@param columns integer
---@param rows integer
function M.new(columns, rows)
  return setmetatable({ columns = columns, height = rows, drawn = {}, y = 1, x = 0, top = 1 }, Screen)
end

local function sequence(n, final)
  if n == 1 then return "\27[" .. final end
  return "\27[" .. n .. final
end

-- Moves to a row of those that were drawn, or to the one below them, and to a column.
local function move(self, out, y, x)
  if self.x >= self.columns then -- behind the last column, where terminals differ
    out[#out + 1] = "\r"
    self.x = 0
  end
  if y > self.y then
    out[#out + 1] = "\r" .. rep("\n", y - self.y) -- scrolls at the bottom, which CSI B does not
    self.x = 0
  elseif y < self.y then
    out[#out + 1] = sequence(self.y - y, "A")
  end
  self.y = y
  if x == self.x then return end
  if x == 0 then
    out[#out + 1] = "\r"
  elseif x > self.x then
    out[#out + 1] = sequence(x - self.x, "C")
  elseif self.x - x <= 3 then
    out[#out + 1] = rep("\b", self.x - x)
  else
    out[#out + 1] = sequence(self.x - x, "D")
  end
  self.x = x
end

-- The number of glyphs that two rows have in common at their beginning.
local function common(a, b)
  local n, i = min(#a.glyphs, #b.glyphs), 0
  while i < n and a.glyphs[i + 1] == b.glyphs[i + 1] do i = i + 1 end
  return i
end

local empty = { glyphs = {}, columns = {}, width = 0, wraps = false }

-- The rows that the screen has room for: those around the cursor.
local function visible(self, frame)
  local n, height = #frame.rows, self.height
  if n <= height then
    self.top = 1
    return frame.rows, frame.y
  end
  local top = min(max(self.top, frame.y - height + 1), frame.y, n - height + 1)
  self.top = max(top, 1)
  local rows = {}
  for y = 1, height do rows[y] = frame.rows[self.top + y - 1] end
  return rows, frame.y - self.top + 1
end

-- Changes row y. `runs_on`: the row before was just written to its end, so that the next glyph wraps into this row.
-- Terminals then know that both rows are one line, which they wrap anew if they get another size.
local function draw_row(self, out, y, row, runs_on)
  local before = self.drawn[y] or empty
  local same = common(row, before)
  local start, stop = same, #row.glyphs
  if runs_on then
    start, stop = 0, same < stop and stop or min(1, stop)
  end
  if start < stop then
    local x = 0
    for i = 1, start do x = x + row.columns[i] end
    if runs_on then self.y, self.x = y, 0 else move(self, out, y, x) end
    for i = start + 1, stop do
      out[#out + 1] = row.glyphs[i]
      self.x = self.x + row.columns[i]
    end
  end
  if row.width < before.width then
    move(self, out, y, row.width)
    out[#out + 1] = CLEAR_LINE
  elseif not self.drawn[y] then
    if self.y < y then move(self, out, y, 0) end -- an empty row has to be there, too
  end
  return row.wraps and start < stop and stop == #row.glyphs and self.x >= self.columns
end

---The bytes that bring a view on the screen.
---@param view table  as layout.of() takes it
---@return string
function Screen:draw(view)
  local frame = layout.of(view, self.columns, self.height)
  local rows, cursor = visible(self, frame)
  local out, runs_on = {}, false
  for y = 1, #rows do runs_on = draw_row(self, out, y, rows[y], runs_on) end
  if #self.drawn > #rows then
    move(self, out, #rows + 1, 0)
    out[#out + 1] = CLEAR_BELOW
  end
  self.drawn, self.view = rows, view
  move(self, out, cursor, frame.x)
  return concat(out)
end

---The bytes that leave the text on the screen, as it is, and go to the row below.
function Screen:finish()
  local view = self.view
  local bytes = self:draw { text = view.text, position = #view.text, prompt = view.prompt,
    continuation = view.continuation }
  self:forget()
  return bytes .. "\r\n"
end

---The bytes that empty the screen.
function Screen:clear()
  self:forget()
  return CLEAR_ALL
end

---Nothing of what was drawn is there any more, and the cursor is at the beginning of a row.
function Screen:forget() self.drawn, self.y, self.x, self.top = {}, 1, 0, 1 end

---The terminal has another size. The bytes go to where the text began and clear what is below. Terminals that wrap
---lines anew have done so by now: the cursor is where a layout of the new width has it.
function Screen:resize(columns, rows)
  if not self.view or #self.drawn == 0 then
    self.columns, self.height = columns, rows
    return ""
  end
  local up = min(layout.of(self.view, columns, rows).y, rows) - 1
  if #self.drawn >= self.height then up = rows - 1 end
  self.columns, self.height = columns, rows
  self:forget()
  return "\r" .. (up > 0 and sequence(up, "A") or "") .. CLEAR_BELOW
end

return M
