-- Reads a chunk of Lua from a person: the editor on a terminal, plain lines where there is none.

local keys = require "cudalua.prompt.editor.keys"
local machine = require "cudalua.prompt.editor.machine"
local screen = require "cudalua.prompt.editor.screen"
local terminal = require "cudalua.prompt.editor.terminal"
local transcript = require "cudalua.prompt.editor.transcript"
local posix = require "cudalua.prompt.posix"

local stdout, pcall, error, type, find, rep = io.stdout, pcall, error, type, string.find, string.rep
local remove = table.remove
local write, flush = stdout.write, stdout.flush

local M = {}

-- How long an ESC waits for the rest of a sequence, in milliseconds.
local ESCAPE_MS = 50
-- When a paste has paused for so long, Ctrl-C is a key again: its end may never come.
local PASTE_MS = 200
local PASTE_ON, PASTE_OFF = "\27[?2004h", "\27[?2004l"

local CTRL_C = "\3"

local plain -- the reader of lines without an editor, made when it is needed

local function read_plain(prompt, continuation)
  plain = plain or require("cudalua.prompt.plain").of_terminal(function(text)
    write(stdout, text)
    flush(stdout)
  end)
  return plain(prompt, continuation)
end

local decoder = keys.new()
local waiting = {} -- keys that came with others, for the next chunk
local kills = {}
local queued = {} -- chunks of a pasted session that run one after the other

-- A chunk may have left the cursor behind its last output. A mark and as many blanks as the row has columns then end in
-- the next row, and in the same one otherwise, where the prompt covers the mark.
local function fresh_row(columns) return "\27[7m%\27[27m" .. rep(" ", columns - 1) .. "\r\27[K" end

-- The next key, or "signal" and its number, or "end". What is drawn is up to date whenever it waits.
local function next_key(draw, idle)
  local paused = false -- in a paste
  while #waiting == 0 do
    local pasting = decoder:is_pasting()
    local what, number = terminal.wait(0)
    if what == "timeout" then
      draw()
      local again = idle and idle()
      what, number = terminal.wait(again and 0 or decoder:is_waiting() and ESCAPE_MS or
        pasting and not paused and PASTE_MS or -1)
      if again and what == "timeout" then what = "idle" end
    end
    if what == "signal" then return "signal", number end
    if what == "end" then return "end" end
    if what == "input" then
      -- One byte at a time: what is typed ahead stays with the terminal, where the chunk's io.read finds it.
      local bytes = terminal.read(pasting and 4096 or 1)
      if not bytes then return "end" end
      if paused and bytes == CTRL_C then decoder:drop_paste() end
      decoder:feed(bytes, waiting)
      paused = false
    elseif pasting and what == "timeout" then
      paused = true
    elseif decoder:is_waiting() and what == "timeout" then
      decoder:feed("", waiting, true)
    end
  end
  local key = remove(waiting, 1)
  key.more = #waiting > 0 or key.name == "enter" and terminal.has_input()
  return key
end

-- Works on the terminal, which is raw. The text, or nil at the end of the input.
local function edit(prompt, continuation, options)
  local columns, rows = terminal.size()
  local seen = screen.new(columns, rows)
  local m
  local pasted
  local function begin()
    pasted = false
    m = machine.new { history = options.history, complete_chunk = options.complete_chunk,
      candidates = options.candidates, kills = kills }
  end
  local function draw()
    local view = m:view()
    view.prompt, view.continuation = view.prompt or prompt, continuation
    local bytes = seen:draw(view)
    if bytes ~= "" then terminal.write(bytes) end
  end
  local function resize()
    local new_columns, new_rows = terminal.size()
    if new_columns and (new_columns ~= columns or new_rows ~= rows) then
      columns, rows = new_columns, new_rows
      terminal.write(seen:resize(columns, rows))
    end
  end
  local function stop(signal, group)
    draw()
    terminal.write(seen:finish() .. PASTE_OFF)
    terminal.raise(signal, group)
    resize()
    terminal.write(PASTE_ON .. fresh_row(columns))
  end
  local function on_signal(number)
    if number == posix.SIGWINCH then
      resize()
    elseif number == posix.SIGINT then
      decoder:drop_paste()
      return "interrupt"
    elseif number == posix.SIGCONT then -- stopped and gone on without our doing: the shell has changed the settings
      terminal.leave()
      terminal.enter()
      terminal.write(PASTE_ON .. fresh_row(columns))
      seen:forget()
      resize()
    else
      stop(number)
    end
  end

  local function accept(text)
    m.buffer:set(text)
    draw()
    terminal.write(seen:finish())
    return text, pasted
  end

  begin()
  terminal.write(PASTE_ON .. fresh_row(columns))
  if queued[1] then return accept(remove(queued, 1)) end
  while true do
    local key, number = next_key(draw, options.idle)
    local event
    if key == "end" then return nil end
    if key == "signal" then event = on_signal(number) else event = m:press(key) end
    pasted = pasted or type(key) == "table" and key.name == "paste"
    if event == "accept" then
      if m.transcript then -- as if each of its chunks were typed
        queued, pasted = transcript.chunks(m.buffer.text, options.complete_chunk), false
        return accept(remove(queued, 1) or "")
      end
      return accept(m.buffer.text)
    elseif event == "interrupt" then
      m:press { name = "ctrl-c" }
      draw()
      terminal.write(seen:finish "^C")
      begin()
    elseif event == "end" then
      draw()
      terminal.write(seen:finish())
      return nil
    elseif event == "suspend" then
      stop(posix.SIGTSTP, true)
    elseif event == "clear" then
      terminal.write(seen:clear())
    elseif event == "bell" then
      terminal.write "\a"
    end
  end
end

---Forgets the chunks of a pasted session that have not run yet.
function M.drop_queued() queued = {} end

---@class cudalua.prompt.EditorOptions
---@field complete_chunk? fun(text: string): boolean  whether Enter ends the text or adds a line
---@field history? table  as cudalua.prompt.history makes it; the text is added
---@field candidates? fun(text: string, position: integer): string[], integer  the completions of the word before a
---  position, and where its first byte is
---@field idle? fun(): boolean  called while no key comes, until it returns false

---Whether a person can edit here; if not, plain lines are read.
M.is_usable = terminal.is_usable

---Reads a chunk.
---@param prompt string        may hold sequences that set colours
---@param continuation string  prompt of the lines that follow
---@param options? cudalua.prompt.EditorOptions
---@return string? text  nil at the end of the input
---@return boolean? pasted  a part of it came from a paste
function M.read(prompt, continuation, options)
  options = options or {}
  if not terminal.is_usable() or not terminal.enter() then return read_plain(prompt, continuation) end
  local ok, text, pasted = pcall(edit, prompt, continuation, options)
  terminal.write(PASTE_OFF)
  terminal.leave()
  if not ok then error(text, 0) end
  if text and options.history and find(text, "%S") then options.history:add(text) end
  return text, pasted
end

return M
