-- The text that is edited: a cursor, edits that can be undone, words, lines.
--
-- Positions count the bytes before them: 0 is the beginning, #text the end.

local characters = require "cudalua.prompt.editor.characters"

local sub, find, match, byte = string.sub, string.find, string.match, string.byte
local setmetatable, max = setmetatable, math.max

---@class cudalua.prompt.Buffer
---@field text string
---@field position integer
---@field edits table[]   what undo() takes back: {at =, removed =, inserted =, position =}
---@field undone table[]  what redo() makes again
local Buffer = {}
Buffer.__index = Buffer

local M = {}

local most_edits = 2000

---Puts text instead of what is between two positions. The cursor goes behind it.
---@param from integer
---@param to integer
---@param text string
---@param typed? boolean  true: one undo takes back a run of such edits
function Buffer:replace(from, to, text, typed)
  local before, edits = self.text, self.edits
  local removed = sub(before, from + 1, to)
  if removed == "" and text == "" then return end
  local last = edits[#edits]
  if typed and removed == "" and last and last.typed and last.at + #last.inserted == from and
      not (find(text, "^%s") and not find(last.inserted, "%s$")) then
    last.inserted = last.inserted .. text
  else
    if #edits >= most_edits then
      local half = most_edits / 2
      for i = 1, half do edits[i], edits[i + half] = edits[i + half], nil end
    end
    edits[#edits + 1] = { at = from, removed = removed, inserted = text, position = self.position, typed = typed }
  end
  self.undone = {}
  self.text = sub(before, 1, from) .. text .. sub(before, to + 1)
  self.position = from + #text
end

---Takes the last edit back. false if there is none.
function Buffer:undo()
  local edits = self.edits
  local edit = edits[#edits]
  if not edit then return false end
  edits[#edits] = nil
  self.undone[#self.undone + 1] = edit
  self.text = sub(self.text, 1, edit.at) .. edit.removed .. sub(self.text, edit.at + #edit.inserted + 1)
  self.position = edit.position
  return true
end

---Makes the last edit again that undo() took back. false if there is none, or the text was edited since.
function Buffer:redo()
  local undone = self.undone
  local edit = undone[#undone]
  if not edit then return false end
  undone[#undone] = nil
  self.edits[#self.edits + 1] = edit
  self.text = sub(self.text, 1, edit.at) .. edit.inserted .. sub(self.text, edit.at + #edit.removed + 1)
  self.position = edit.at + #edit.inserted
  return true
end

---Inserts at the cursor.
function Buffer:insert(text, typed) self:replace(self.position, self.position, text, typed) end

---Another text instead of the whole.
function Buffer:set(text, position)
  if text ~= self.text then self:replace(0, #self.text, text) end
  self.position = position or #text
end

---Where the line that holds a position begins and ends.
function Buffer:line(position)
  position = position or self.position
  local start = position
  while start > 0 and byte(self.text, start) ~= 10 do start = start - 1 end
  return start, (find(self.text, "\n", position + 1, true) or #self.text + 1) - 1
end

function Buffer:is_first_line() return (self:line()) == 0 end

function Buffer:is_last_line()
  local _, last = self:line()
  return last == #self.text
end

---The column of the cursor in its line.
function Buffer:column() return characters.columns(sub(self.text, self:line() + 1, self.position)) end

-- The position in a line that is nearest to a column.
local function at_column(text, start, last, column)
  local position = start
  while position < last do
    local after = characters.right(text, position)
    if after > last then after = last end
    if characters.columns(sub(text, start + 1, after)) > column then break end
    position = after
  end
  return position
end

---Moves to the line before or after, to a column. false at the first and at the last line.
---@param direction integer  -1 or 1
---@param column integer
function Buffer:move_line(direction, column)
  local start, last = self:line()
  local to = direction < 0 and start - 1 or last + 1
  if to < 0 or to > #self.text then return false end
  start, last = self:line(to)
  self.position = at_column(self.text, start, last, column)
  return true
end

function Buffer:left(position) return characters.left(self.text, position or self.position) end

function Buffer:right(position) return characters.right(self.text, position or self.position) end

-- Words of movement are letters, digits, _ and what is no ASCII.
local word, gap = "[%w_\128-\255]", "[^%w_\128-\255]"

---The end of the word that follows.
function Buffer:word_right(position)
  local start = find(self.text, word, (position or self.position) + 1)
  if not start then return #self.text end
  return (find(self.text, gap, start) or #self.text + 1) - 1
end

-- The beginning of the run of one class of bytes before a position, behind what is not of the class.
local function run_left(text, position, class)
  while position > 0 and not find(sub(text, position, position), class) do position = position - 1 end
  while position > 0 and find(sub(text, position, position), class) do position = position - 1 end
  return position
end

---The beginning of the word that precedes.
function Buffer:word_left(position) return run_left(self.text, position or self.position, word) end

---The beginning of what precedes up to a blank.
function Buffer:blank_left(position) return run_left(self.text, position or self.position, "%S") end

---Exchanges the characters before and at the cursor; at a line's end, the two before it.
function Buffer:transpose()
  local start, last = self:line()
  local middle = self.position
  if middle == last then middle = self:left(middle) end
  if middle <= start or middle >= last then return end
  local from, to = max(start, self:left(middle)), self:right(middle)
  local text = self.text
  self:replace(from, to, sub(text, middle + 1, to) .. sub(text, from + 1, middle))
end

---The blanks at the beginning of the cursor's line.
function Buffer:indentation()
  local start, last = self:line()
  return match(sub(self.text, start + 1, last), "^[ \t]*")
end

---An empty buffer.
---@return cudalua.prompt.Buffer
function M.new() return setmetatable({ text = "", position = 0, edits = {}, undone = {} }, Buffer) end

return M
