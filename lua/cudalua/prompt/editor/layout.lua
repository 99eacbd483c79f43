-- A text on a screen of so many columns: rows of glyphs, and where the cursor is.
--
-- A row is { glyphs =, columns = (of each glyph), width =, wraps = (the next row goes on with the same line) }.

local characters = require "cudalua.prompt.editor.characters"

local sub, find, byte, rep, match = string.sub, string.find, string.byte, string.rep, string.match
local min, max, floor, ceil = math.min, math.max, math.floor, math.ceil

local M = {}

local mark_on = { pair = "\27[7m", wrong = "\27[7;31m" } -- inverse; and red
local MARK_OFF = "\27[m"

local CARET = 94 -- ^A is two glyphs, which a terminal may wrap between

-- A prompt as glyphs: sequences that set colours take no columns and stay with the glyph that follows.
local function prompt_glyphs(prompt, limit)
  local glyphs, columns, width, i, colour = {}, {}, 0, 1, ""
  while i <= #prompt do
    local sequence = match(prompt, "^\27%[[0-9;]*m", i)
    if sequence then
      colour, i = colour .. sequence, i + #sequence
    else
      local length, n, shown = characters.glyph(prompt, i)
      glyphs[#glyphs + 1], columns[#columns + 1] = colour .. shown, n
      width, i, colour = width + n, i + length, ""
    end
  end
  if #glyphs > 0 then glyphs[#glyphs] = glyphs[#glyphs] .. colour end
  if width > limit then return {}, {}, 0 end -- a screen that narrow has no room for it
  return glyphs, columns, width
end

-- Appends the rows of one line of the text. Byte numbers are those of the text. Returns the cursor's place if it is in
-- this line.
local function lay_line(rows, text, first, last, prompt, width, cursor, marks)
  local glyphs, columns, x = prompt_glyphs(prompt, width - 2)
  local row = { glyphs = glyphs, columns = columns, width = x, wraps = false }
  local n, i, start = #glyphs, first, x
  local cursor_y, cursor_x
  rows[#rows + 1] = row
  local function wrap()
    row.width, row.wraps = x, true
    row = { glyphs = {}, columns = {}, width = 0, wraps = false }
    glyphs, columns, n, x = row.glyphs, row.columns, 0, 0
    rows[#rows + 1] = row
  end
  local line_width = 0 -- for tabs: without the prompt
  while i <= last do
    local length, w, shown
    if byte(text, i) == 9 then
      length, w = 1, 8 - line_width % 8
    else
      length, w, shown = characters.glyph(text, i)
    end
    line_width = line_width + w
    if w > 2 or not shown or w == 2 and byte(shown) == CARET then
      -- Several glyphs of a column each, which may be on two rows.
      shown = shown or rep(" ", w)
      if x >= width then wrap() end
      if cursor >= i and cursor < i + length then cursor_y, cursor_x = #rows, x end
      for k = 1, w do
        if x >= width then wrap() end
        n, x = n + 1, x + 1
        glyphs[n], columns[n] = sub(shown, k, k == w and #shown or k), 1
      end
    else
      if x + w > width then wrap() end
      if cursor >= i and cursor < i + length then cursor_y, cursor_x = #rows, x end
      local mark = marks and marks[i]
      if mark then shown = mark_on[mark] .. shown .. MARK_OFF end
      n, x = n + 1, x + w
      glyphs[n], columns[n] = shown, w
    end
    i = i + length
  end
  if cursor == last + 1 then
    if x >= width then wrap() end
    cursor_y, cursor_x = #rows, x
  end
  row.width = x
  return cursor_y, cursor_x, start
end

local function plain_row(text, width)
  local row = { glyphs = {}, columns = {}, width = 0, wraps = false }
  local i = 1
  while i <= #text do
    local length, w, shown = characters.glyph(text, i)
    if row.width + w > width then break end
    row.glyphs[#row.glyphs + 1], row.columns[#row.columns + 1] = shown, w
    row.width, i = row.width + w, i + length
  end
  return row
end

---Names in columns, as wide as the screen allows: the rows as texts.
---@param names string[]
---@param width integer
---@param most integer    rows
---@return string[]
function M.in_columns(names, width, most)
  local widest = 0
  for i = 1, #names do widest = max(widest, characters.columns(names[i])) end
  local across = max(1, floor((width + 1) / (widest + 2)))
  local down = ceil(#names / across)
  local rows = {}
  for y = 1, min(down, most) do
    local row = ""
    for x = 0, across - 1 do
      local name = names[x * down + y]
      if name then row = row .. rep(" ", x * (widest + 2) - characters.columns(row)) .. name end
    end
    rows[y] = row
  end
  if down > most and most > 0 then
    local shown = (most - 1) * across
    rows[most] = "... " .. #names - shown .. " more"
  end
  return rows
end

---Lays out what the editor shows.
---@param view {text: string, position: integer, prompt: string, continuation: string, below?: string[],
---  marks?: table<integer, "pair"|"wrong">}
---@param width integer   columns of the screen
---@param height integer  rows of the screen
---@return {rows: table[], y: integer, x: integer}  y counts from 1, x from 0
function M.of(view, width, height)
  local text, rows, y, x = view.text, {}, nil, nil
  local cursor, first, prompt = view.position + 1, 1, view.prompt
  while true do
    local last = (find(text, "\n", first, true) or #text + 1) - 1
    local line_y, line_x = lay_line(rows, text, first, last, prompt, width, cursor, view.marks)
    if line_y then y, x = line_y, line_x end
    first, prompt = last + 2, view.continuation
    if last >= #text then break end
  end
  if view.below then
    local texts = M.in_columns(view.below, width, max(1, height - #rows))
    for i = 1, #texts do rows[#rows + 1] = plain_row(texts[i], width) end
  end
  return { rows = rows, y = y, x = x }
end

return M
