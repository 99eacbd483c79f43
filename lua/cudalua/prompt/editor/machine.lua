-- The editor as a machine: it takes keys and says what the screen has to show. It reads and writes nothing.
--
--   local m = machine.new { history = list, complete_chunk = f, candidates = f }
--   local event = m:press(key)     "accept", "interrupt", "end", "suspend", "clear", "bell" or nil
--   m:view()                       what the screen has to show
--
-- What a key does is a function in `actions`. Names of keys are those of keys.lua.

local brackets = require "cudalua.prompt.editor.brackets"
local buffer = require "cudalua.prompt.editor.buffer"
local indent = require "cudalua.prompt.editor.indent"
local transcript = require "cudalua.prompt.editor.transcript"

local sub, find, match, rep, gsub, upper, lower = string.sub, string.find, string.match, string.rep, string.gsub,
  string.upper, string.lower
local format, min, max, ceil, remove = string.format, math.min, math.max, math.ceil, table.remove
local setmetatable, pcall, type = setmetatable, pcall, type

local Machine = {}
Machine.__index = Machine

local M = {}

local most_kills = 60

---@class cudalua.prompt.View
---@field text string
---@field position integer
---@field prompt? string   instead of the usual one, while searching
---@field below? string[]  candidates of a completion
---@field marks? table<integer, "pair"|"wrong">  brackets to show, by their bytes

---A machine with an empty text.
---@param options {history?: table, complete_chunk?: fun(text: string): boolean, candidates?: function}
function M.new(options)
  return setmetatable({
    options = options,
    history = options.history,
    buffer = buffer.new(),
    kills = options.kills or {}, -- kept between texts if the caller has a table for it
    entry = nil,                 -- index in the history of what is shown; nil: a new text
    drafts = {},                 -- edited entries, and the new text
    transcript = false,          -- whether the text is that of a pasted session, of several chunks
    now = {},                    -- what an action leaves for the key that follows, and for no other
    before = {},                 -- what the action of the key before has left
  }, Machine)
end

-- The bracket that belongs to a closing one before the cursor; if it is another kind, both.
local function marks_of(text, position)
  local partner, fits = brackets.partner(text, position)
  if fits == nil then return nil end
  local marks = fits and {} or { [position] = "wrong" }
  if partner then marks[partner] = fits and "pair" or "wrong" end
  return marks
end

function Machine:view()
  local search = self.search
  if search then
    return { text = self.buffer.text, position = self.buffer.position,
      prompt = format("(%s%si-search)`%s': ", search.failed and "failed " or "",
        search.direction < 0 and "reverse-" or "", search.query) }
  end
  local text, position = self.buffer.text, self.buffer.position
  return { text = text, position = position, below = self.now.below, marks = marks_of(text, position) }
end

-- ---- actions: what a key does -------------------------------------------------------------------------------

local actions = {}

-- Movement: functions that give a position.
local function to(where)
  return function(m) m.buffer.position = where(m.buffer) end
end

actions.left = to(function(b) return b:left() end)
actions.right = to(function(b) return b:right() end)
actions.word_left = to(function(b) return b:word_left() end)
actions.word_right = to(function(b) return b:word_right() end)
actions.line_start = to(function(b) return (b:line()) end)
actions.line_end = to(function(b)
  local _, last = b:line()
  return last
end)
actions.text_start = to(function() return 0 end)
actions.text_end = to(function(b) return #b.text end)

function actions.type(m, key) m.buffer:insert(key.text, true) end

-- A paste is text, whatever is in it: the screen shows its control characters as ^A. Of a session, what was typed, and
-- of Markdown, what is between the fences.
function actions.paste(m, key)
  local first = not find(m.buffer.text, "%S")
  local text = first and transcript.unfenced(key.text) or key.text
  local code = first and transcript.code(text)
  m.buffer:insert(code or text)
  if code then m.transcript = true end
end

-- Deleting: from the cursor to a position, into the kill ring or not.
local function delete(where, kill)
  return function(m)
    local b = m.buffer
    local from, past = b.position, where(b)
    if from == past then return "bell" end
    local backward = past < from
    if backward then from, past = past, from end
    local text = sub(b.text, from + 1, past)
    b:replace(from, past, "")
    if not kill then return end
    local kills = m.kills
    if m.before.killed and #kills > 0 then -- one after another is one entry
      kills[#kills] = backward and text .. kills[#kills] or kills[#kills] .. text
    else
      kills[#kills + 1] = text
      if #kills > most_kills then remove(kills, 1) end
    end
    m.now.killed = true
  end
end

actions.delete = delete(function(b) return b:right() end)
actions.kill_word_left = delete(function(b) return b:word_left() end, true)
actions.kill_word_right = delete(function(b) return b:word_right() end, true)
actions.kill_blank_left = delete(function(b) return b:blank_left() end, true)
actions.kill_to_end = delete(function(b)
  local _, last = b:line()
  if last == b.position and last < #b.text then return last + 1 end -- joins the next line
  return last
end, true)
actions.kill_to_start = delete(function(b)
  local start = b:line()
  if start == b.position and start > 0 then return start - 1 end
  return start
end, true)

-- Backspace in the blanks before a line's text goes back one level.
actions.backspace = delete(function(b)
  local start = b:line()
  local before = sub(b.text, start + 1, b.position)
  if #before > 0 and not find(before, "[^ ]") then
    return start + (ceil(#before / indent.step) - 1) * indent.step
  end
  return b:left()
end)

function actions.delete_or_end(m)
  if m.buffer.text == "" then return "end" end
  return actions.delete(m)
end

function actions.yank(m)
  local text = m.kills[#m.kills]
  if not text then return "bell" end
  local from = m.buffer.position
  m.buffer:insert(text)
  m.now.yanked = { from = from, index = #m.kills }
end

-- The kill before, in the place of the one that was just inserted.
function actions.yank_pop(m)
  local yanked = m.before.yanked
  if not yanked then return "bell" end
  local index = yanked.index > 1 and yanked.index - 1 or #m.kills
  m.buffer:replace(yanked.from, m.buffer.position, m.kills[index])
  m.now.yanked = { from = yanked.from, index = index }
end

-- The last word of an entry of the history; again: of the entry before.
function actions.yank_last_word(m)
  if not m.history then return "bell" end
  local index = m.before.word and m.before.word.index - 1 or m.history:count()
  local from = m.before.word and m.before.word.from or m.buffer.position
  while index >= 1 do
    local found = match(m.history:get(index), "(%S+)%s*$")
    if found then
      m.buffer:replace(from, m.buffer.position, found)
      m.now.word = { from = from, index = index }
      return
    end
    index = index - 1
  end
  m.now.word = m.before.word
  return "bell"
end

function actions.transpose(m) m.buffer:transpose() end

function actions.undo(m)
  if not m.buffer:undo() then return "bell" end
end

function actions.redo(m)
  if not m.buffer:redo() then return "bell" end
end

local function change_word(change)
  return function(m)
    local b = m.buffer
    local past = b:word_right()
    b:replace(b.position, past, change(sub(b.text, b.position + 1, past)))
  end
end
actions.upper_word = change_word(upper)
actions.lower_word = change_word(lower)
actions.capital_word = change_word(function(word)
  return (gsub(lower(word), "%a", upper, 1))
end)

-- ---- history --------------------------------------------------------------------------------------------------

local function entry_text(m, index)
  return m.drafts[index] or m.history:get(index)
end

-- Shows an entry; what is edited here is kept until the text is accepted.
local function show_entry(m, index, position)
  local count = m.history:count()
  local here = m.entry or count + 1
  m.drafts[here] = m.buffer.text
  m.entry = index <= count and index or nil
  local text = index <= count and entry_text(m, index) or m.drafts[count + 1] or ""
  m.buffer:set(text, position and min(position, #text))
  return text
end

-- The next entry in a direction that begins with a text; "" takes each one.
local function find_entry(m, direction, prefix)
  local count, skip = m.history:count(), m.buffer.text
  local index = (m.entry or count + 1) + direction
  while index >= 1 and index <= count do
    local text = entry_text(m, index)
    if sub(text, 1, #prefix) == prefix and (prefix == "" or text ~= skip) then return index end
    index = index + direction
  end
  if index == count + 1 then return index end
end

local function walk(m, direction)
  if not m.history then return "bell" end
  local walking = m.before.walk -- goes on with the prefix that it began with
  local prefix = walking and walking.prefix or sub(m.buffer.text, 1, m.buffer.position)
  if not walking and m.entry and m.buffer.text == entry_text(m, m.entry) then prefix = "" end
  local index = find_entry(m, direction, prefix)
  if not index then
    m.now.walk = walking
    return "bell"
  end
  local text = show_entry(m, index)
  if prefix ~= "" then
    m.buffer.position = min(#prefix, #text)
    m.now.walk = { prefix = prefix }
  end
end

-- A line up or down in the text, and beyond it the history.
local function vertical(direction)
  return function(m)
    if m.before.walk then return walk(m, direction) end
    local column = m.before.column or m.buffer:column()
    if m.buffer:move_line(direction, column) then
      m.now.column = column
      return
    end
    return walk(m, direction)
  end
end
actions.up = vertical(-1)
actions.down = vertical(1)

function actions.history_first(m)
  if not m.history or m.history:count() == 0 then return "bell" end
  show_entry(m, 1)
end

function actions.history_last(m)
  if not m.history then return "bell" end
  show_entry(m, m.history:count() + 1)
end

-- ---- incremental search ---------------------------------------------------------------------------------------

-- Looks from an entry on for the query; shows what it finds.
local function look(m, index)
  local search, count = m.search, m.history:count()
  while index >= 1 and index <= count do
    local text = m.history:get(index)
    local first = find(text, search.query, 1, true)
    if first and not (search.skip and text == search.skip) then
      search.failed, search.index, search.skip = false, index, nil
      show_entry(m, index, first - 1)
      return
    end
    index = index + search.direction
  end
  search.failed, search.skip = true, nil
  return "bell"
end

local function start_search(direction)
  return function(m)
    if not m.history then return "bell" end
    m.search = { query = "", direction = direction, text = m.buffer.text, position = m.buffer.position,
      entry = m.entry, index = m.entry or m.history:count() + 1 }
  end
end
actions.search_back = start_search(-1)
actions.search_forward = start_search(1)

local function search_again(direction)
  return function(m)
    local search = m.search
    search.direction = direction
    if search.query == "" then search.query = m.last_query or "" end
    if search.query == "" then return end
    search.skip = m.buffer.text
    return look(m, search.index + direction)
  end
end

local function cancel_search(m)
  local search = m.search
  m.search = nil
  m.entry = search.entry
  m.buffer:set(search.text, search.position)
end

local searching = {
  ["ctrl-r"] = search_again(-1),
  ["ctrl-s"] = search_again(1),
  ["ctrl-g"] = cancel_search,
  ["ctrl-c"] = cancel_search,
  text = function(m, key)
    local search = m.search
    search.query = search.query .. key.text
    local count = m.history:count()
    return look(m, max(1, min(count, search.index)))
  end,
  backspace = function(m)
    local search = m.search
    search.query = match(search.query, "^(.*)[^\128-\191][\128-\191]*$") or ""
    if search.query == "" then
      m.entry = search.entry
      m.buffer:set(search.text, search.position)
      search.index, search.failed = search.entry or m.history:count() + 1, false
      return
    end
    return look(m, max(1, min(m.history:count(), search.index)))
  end,
}
searching["ctrl-h"] = searching.backspace
searching.paste = function(m, key)
  return searching.text(m, { text = match(key.text, "^[^\n]*") })
end

-- ---- enter, tab and what ends the text ------------------------------------------------------------------------

-- A line that closes a block and still has the blanks that it was given goes one level to the left.
local function outdent(m)
  local given, b = m.indented, m.buffer
  m.indented = nil
  if not given or given == "" then return end
  local start, last = b:line()
  local line = sub(b.text, start + 1, last)
  if match(line, "^[ \t]*") ~= given or not indent.closes(line) then return end
  local less = min(#given, indent.step)
  local position = b.position
  b:replace(start, start + less, "")
  b.position = max(start, position - less)
end

function actions.newline(m, key)
  outdent(m)
  local b = m.buffer
  if key.more then return b:insert "\n" end -- a paste without its marks has its own blanks
  local blanks = indent.after(sub(b.text, 1, b.position))
  b:insert("\n" .. blanks)
  m.indented = blanks
end

-- In a pasted session, only the last chunk must be complete: a command after a call is not a method.
local function is_complete(m)
  local complete_chunk = m.options.complete_chunk
  if not complete_chunk then return true end
  if not m.transcript then return complete_chunk(m.buffer.text) end
  local _, open = transcript.chunks(m.buffer.text, complete_chunk)
  return not open
end

function actions.enter(m, key)
  outdent(m)
  local ok, complete = pcall(is_complete, m)
  if ok and not complete then return actions.newline(m, key) end
  m.buffer.position = #m.buffer.text
  return "accept"
end

function actions.interrupt(m)
  m.buffer.position = #m.buffer.text
  return "interrupt"
end

function actions.suspend() return "suspend" end

function actions.clear() return "clear" end

local function common_prefix(list)
  local prefix = list[1]
  for i = 2, #list do
    local text, n = list[i], 0
    while n < #prefix and n < #text and sub(prefix, n + 1, n + 1) == sub(text, n + 1, n + 1) do n = n + 1 end
    prefix = sub(prefix, 1, n)
  end
  return prefix
end

function actions.tab(m)
  local b = m.buffer
  local start = b:line()
  if not find(sub(b.text, start + 1, b.position), "%S") then
    b:insert(rep(" ", indent.step - (b.position - start) % indent.step))
    return
  end
  local candidates = m.options.candidates
  if not candidates then return "bell" end
  local ok, list, from = pcall(candidates, b.text, b.position)
  if not ok or type(list) ~= "table" or #list == 0 then return "bell" end
  local prefix = common_prefix(list)
  if from and prefix ~= sub(b.text, from, b.position) and #prefix >= b.position - from + 1 then
    b:replace(from - 1, b.position, prefix)
  elseif #list > 1 then
    m.now.tabbed = true
    if m.before.tabbed then m.now.below = list end
    return "bell"
  end
  if #list > 1 then m.now.tabbed = true end
end

function actions.outdent_line(m)
  local b = m.buffer
  local start, blanks, position = b:line(), b:indentation(), b.position
  local less = min(#blanks, indent.step)
  if less == 0 then return "bell" end
  b:replace(start, start + less, "")
  b.position = max(start, position - less)
end

function actions.quote(m) m.now.quoted = true end

function actions.ignore() return "bell" end

-- ---- keys -----------------------------------------------------------------------------------------------------

local keymap = {
  text = "type", paste = "paste", enter = "enter", tab = "tab", ["shift-tab"] = "outdent_line",
  ["alt-enter"] = "newline", ["ctrl-enter"] = "newline", ["shift-enter"] = "newline", ["ctrl-alt-enter"] = "newline",
  left = "left", right = "right", up = "up", down = "down", home = "line_start", ["end"] = "line_end",
  ["ctrl-a"] = "line_start", ["ctrl-e"] = "line_end", ["ctrl-b"] = "left", ["ctrl-f"] = "right",
  ["ctrl-p"] = "up", ["ctrl-n"] = "down",
  ["alt-b"] = "word_left", ["alt-f"] = "word_right", ["ctrl-left"] = "word_left", ["ctrl-right"] = "word_right",
  ["alt-left"] = "word_left", ["alt-right"] = "word_right", ["ctrl-home"] = "text_start", ["ctrl-end"] = "text_end",
  backspace = "backspace", ["ctrl-h"] = "backspace", delete = "delete", ["ctrl-d"] = "delete_or_end",
  ["ctrl-k"] = "kill_to_end", ["ctrl-u"] = "kill_to_start", ["ctrl-w"] = "kill_blank_left",
  ["alt-backspace"] = "kill_word_left", ["ctrl-alt-h"] = "kill_word_left", ["ctrl-backspace"] = "kill_word_left",
  ["alt-d"] = "kill_word_right", ["ctrl-delete"] = "kill_word_right", ["alt-delete"] = "kill_word_right",
  ["ctrl-y"] = "yank", ["alt-y"] = "yank_pop", ["alt-."] = "yank_last_word",
  ["ctrl-t"] = "transpose", ["ctrl-_"] = "undo", ["alt-_"] = "redo", ["ctrl-alt-_"] = "redo",
  ["alt-u"] = "upper_word", ["alt-l"] = "lower_word", ["alt-c"] = "capital_word",
  ["page-up"] = "history_first", ["page-down"] = "history_last", ["alt-<"] = "history_first",
  ["alt->"] = "history_last", ["ctrl-r"] = "search_back", ["ctrl-s"] = "search_forward",
  ["ctrl-c"] = "interrupt", ["ctrl-z"] = "suspend", ["ctrl-l"] = "clear", ["ctrl-v"] = "quote", ["ctrl-q"] = "quote",
}

-- Behind these a line's blanks are still those that it was given.
local keeps_indentation = { type = true, newline = true, enter = true, backspace = true, left = true, right = true,
  undo = true, redo = true, tab = true }

---Takes a key.
---@param key {name: string, text?: string, more?: boolean}  more: other keys have come with it
---@return string? event  "accept": the text is complete; "interrupt": clear it; "end": end of input; "suspend": stop
---  the process; "clear": clear the screen; "bell": the key could do nothing
function Machine:press(key)
  if self.now.quoted then
    self.now = {}
    if key.text and key.name ~= "paste" then
      self.buffer:insert(key.text)
      return
    end
  end
  if self.search then
    local action = searching[key.name]
    if action then return action(self, key) end
    self.last_query = self.search.query ~= "" and self.search.query or self.last_query
    self.search = nil
    if key.name == "escape" then return end
  end
  local name = keymap[key.name] or "ignore"
  self.before, self.now = self.now, {}
  local event = actions[name](self, key)
  if not keeps_indentation[name] then self.indented = nil end
  if self.buffer.text == "" then self.transcript = false end
  return event
end

---The actions of keys, as names: for specs and for a list of them.
M.keymap = keymap

return M
