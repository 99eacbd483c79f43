-- What the editor has on the screen, and the bytes that change it into something else.
--
-- The screen knows the rows that it has written, and nothing of what is above them. Only what differs is written.
--
-- A terminal that gets another width wraps its lines anew. It takes two rows for one line if a glyph that did not fit
-- into the first began the second. So each row that goes on in the next is written in this way, and only those.

local layout = require "cudalua.prompt.editor.layout"

local rep, concat, min, max, setmetatable = string.rep, table.concat, math.min, math.max, setmetatable

local Screen = {}
Screen.__index = Screen

local M = {}

local CLEAR_LINE, CLEAR_BELOW, CLEAR_ALL = "\27[K", "\27[J", "\27[H\27[2J"
-- The row and what is below it. In the screen's first column tmux would take a clear for one of the whole screen, which
-- it keeps in its history.
local CLEAR_FROM_HERE = "\27[C" .. CLEAR_BELOW .. "\r" .. CLEAR_LINE

---A screen whose cursor is at the beginning of an empty row.
---@param columns integer
---@param rows integer
function M.new(columns, rows)
  return setmetatable({ columns = columns, height = rows, drawn = {}, written = 1, y = 1, x = 0, top = 1 }, Screen)
end

local function sequence(n, final)
  if n == 1 then return "\27[" .. final end
  return "\27[" .. n .. final
end

-- Moves to a row that was written, or to the one below them, and to a column. A newline would end the row's line for
-- the terminal.
local function move(self, out, y, x)
  if self.x >= self.columns then -- behind the last column, where terminals differ
    out[#out + 1] = "\r"
    self.x = 0
  end
  if y > self.written then
    if self.written > self.y then out[#out + 1] = sequence(self.written - self.y, "B") end
    out[#out + 1] = "\r" .. rep("\n", y - self.written) -- scrolls at the bottom, which CSI B does not
    self.x, self.written = 0, y
  elseif y ~= self.y then
    out[#out + 1] = y > self.y and sequence(y - self.y, "B") or sequence(self.y - y, "A")
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

-- Writes the glyphs from `start` + 1 to `stop` of row y.
local function write_glyphs(self, out, y, row, start, stop)
  local x = 0
  for i = 1, start do x = x + row.columns[i] end
  move(self, out, y, x)
  for i = start + 1, stop do
    out[#out + 1] = row.glyphs[i]
    self.x = self.x + row.columns[i]
  end
end

-- The terminal wraps into row y, by its first glyph or, if it is empty, by a blank.
local function wrap_into(self, out, y, row)
  out[#out + 1] = row.glyphs[1] or " \r"
  self.y, self.x, self.written = y, row.columns[1] or 0, max(self.written, y)
end

-- Changes row y. `runs_on`: the end of the row before was just written, and its line goes on in this row. Returns
-- whether the same holds for the next row.
local function draw_row(self, out, y, row, runs_on)
  local before = self.drawn[y] or empty
  local start, stop = common(row, before), #row.glyphs
  local is_new = start < stop or row.width < before.width or row.wraps ~= before.wraps
  if runs_on then
    wrap_into(self, out, y, row)
    start = max(start, min(1, stop))
  end
  if row.wraps and is_new then start = min(start, stop - 1) end -- the terminal has to wrap behind the last glyph
  if before.wraps and not row.wraps then -- only an empty row has no end that wraps
    move(self, out, y, 0)
    out[#out + 1] = CLEAR_LINE
    start = 0
  elseif row.width < before.width then
    move(self, out, y, row.width)
    out[#out + 1] = CLEAR_LINE
  end
  if start < stop then
    write_glyphs(self, out, y, row, start, stop)
  elseif y > self.written then
    move(self, out, y, 0) -- an empty row has to be there, too
  end
  return row.wraps and is_new
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
    self.written = #rows + 1
  end
  self.drawn, self.view = rows, view
  move(self, out, cursor, frame.x)
  return concat(out)
end

---The bytes that leave the text on the screen, as it is, and go to the row below.
---@param mark? string  written behind the text
function Screen:finish(mark)
  local view = self.view
  local bytes = self:draw { text = view.text, position = #view.text, prompt = view.prompt,
    continuation = view.continuation }
  self:forget()
  return bytes .. (mark or "") .. "\r\n"
end

---The bytes that empty the screen.
function Screen:clear()
  self:forget()
  return CLEAR_ALL
end

---Nothing of what was drawn is there any more, and the cursor is at the beginning of a row.
function Screen:forget() self.drawn, self.written, self.y, self.x, self.top = {}, 1, 1, 0, 1 end

---The terminal has another size. The bytes go to where the text began and clear what is below. Terminals that wrap
---lines again have done so by now: the cursor is where a layout of the new width has it.
function Screen:resize(columns, rows)
  if not self.view or #self.drawn == 0 then
    self.columns, self.height = columns, rows
    return ""
  end
  local up = min(layout.of(self.view, columns, rows).y, rows) - 1
  if #self.drawn >= self.height then up = rows - 1 end
  self.columns, self.height = columns, rows
  self:forget()
  return "\r" .. (up > 0 and sequence(up, "A") or "") .. CLEAR_FROM_HERE
end

return M
