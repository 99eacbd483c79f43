-- The prompt's editor without a terminal: keys go to the machine, what it shows to a screen of the specs.
local keys = require "cudalua.prompt.editor.keys"
local machine = require "cudalua.prompt.editor.machine"
local drawing = require "cudalua.prompt.editor.screen"
local emulator = require "spec.support.screen"

local Editing = {}
Editing.__index = Editing

local M = {}

---A history that is a list.
function M.history(entries)
  local h = { entries = entries }
  function h:count() return #self.entries end
  function h:get(i) return self.entries[i] end
  function h:add(text) self.entries[#self.entries + 1] = text end
  return h
end

---Whether LuaJIT would not go on with a text.
function M.complete_chunk(text)
  if loadstring("return " .. text) then return true end
  local chunk, err = loadstring(text)
  return chunk ~= nil or not err:find("<eof>", 1, true)
end

---@param options? {columns?: integer, rows?: integer, history?: string[], candidates?: function, above?: string}
---  above: what is on the screen before
function M.new(options)
  options = options or {}
  local e = setmetatable({}, Editing)
  e.columns, e.rows = options.columns or 40, options.rows or 10
  e.machine = machine.new { history = options.history and M.history(options.history),
    complete_chunk = options.complete_chunk or M.complete_chunk, candidates = options.candidates }
  e.drawing = drawing.new(e.columns, e.rows)
  e.screen = emulator.new(e.columns, e.rows)
  e.events = {}
  e.screen:feed(options.above or "")
  e:draw()
  return e
end

local function with_prompts(view)
  view.prompt, view.continuation = view.prompt or "> ", ">> "
  return view
end

---Brings the screen up to date. Returns the bytes that were sent.
function Editing:draw()
  local bytes = self.drawing:draw(with_prompts(self.machine:view()))
  self.screen:feed(bytes)
  return bytes
end

---Presses keys, as the bytes that a terminal sends.
function Editing:type(bytes)
  local list = keys.of(bytes)
  for i = 1, #list do
    local event = self.machine:press(list[i])
    if event then self.events[#self.events + 1] = event end
    self.sent = self:draw()
  end
  return self
end

---Another number of columns, on a terminal that wraps its lines anew.
function Editing:rewrap(columns)
  self.columns = columns
  self.screen:rewrap(columns)
  self.screen:feed(self.drawing:resize(columns, self.rows))
  self:draw()
end

---The text with a | where the cursor is.
function Editing:text()
  local b = self.machine.buffer
  return b.text:sub(1, b.position) .. "|" .. b.text:sub(b.position + 1)
end

---The screen that the view would give if it were drawn on an empty one: text, row and column of the cursor.
function Editing:redrawn()
  local fresh, screen = drawing.new(self.columns, self.rows), emulator.new(self.columns, self.rows)
  fresh.top = self.drawing.top -- which part of a long text is seen depends on how it got there
  screen:feed(fresh:draw(with_prompts(self.machine:view())))
  return screen
end

return M
