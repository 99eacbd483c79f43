-- The loop of the prompt: reads a chunk, runs it, prints its values. Errors are printed and lose nothing.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local concat, find = table.concat, string.find
local pcall, rawset, require, select, type, stdin, stdout, globals = pcall, rawset, require, select, type, io.stdin,
  io.stdout, _G

local chunks = require "cudalua.prompt.chunk"
local commands = require "cudalua.prompt.commands"
local is_terminal = require "cudalua.prompt.is_terminal"
local frames = require "cudalua.text.frames"
local help = require "cudalua.prompt.help"
local new_session = require("cudalua.prompt.session").new
local plain = require "cudalua.prompt.plain"
local value_text = require("cudalua.text.value").text

local M = {}

-- ---- a chunk --------------------------------------------------------------------------------------------------------

---A prompt at work.
---@class cudalua.prompt.Prompt
---@field session cudalua.prompt.Session
---@field write fun(text: string)
---@field terminal boolean  what it writes goes to the process's own output
---@field take fun()  takes a press of Ctrl-C that came too late for the chunk before
---@field leave fun()  lets a line of progress stay where a loop that was left has drawn it

-- The texts of values: on one line, unless one has several.
local function texts(...)
  local list, between = {}, "\t"
  for i = 1, select("#", ...) do
    list[i] = value_text((select(i, ...)))
    if find(list[i], "\n", 1, true) then between = "\n" end
  end
  return concat(list, between)
end

local function results(prompt, silent, ok, ...)
  if not ok then return prompt.write(frames.text((...)) .. "\n") end
  if silent or select("#", ...) == 0 then return end
  prompt.session:remember((...))
  prompt.write(texts(...) .. "\n")
end

-- The prompt has control again: a second press no longer stops what it calls.
local function ended(prompt, ...)
  prompt.take()
  prompt.leave()
  return ...
end

---Runs a chunk and prints its values or its error.
---@param prompt cudalua.prompt.Prompt
---@param text string
---@param call? fun(run: function): boolean, any  in place of the session's own way to run it
function M.run_chunk(prompt, text, call)
  local run, chunk = prompt.session:compile(text)
  if not run then return prompt.write(chunk .. "\n") end
  if call then return results(prompt, chunk.silent, ended(prompt, call(run))) end
  return results(prompt, chunk.silent, ended(prompt, prompt.session.run(run)))
end

-- ---- the loop -------------------------------------------------------------------------------------------------------

local END = {} -- what a command returns that ends the prompt

-- What was read: a command if it is typed and one of ours, else Lua.
local function handle(prompt, text, pasted)
  local word, rest = chunks.command(text)
  local command = word and not pasted and commands.list[word]
  prompt.take()
  if command then return command.run(prompt, rest) end
  if find(text, "%S") then M.run_chunk(prompt, text) end
end

---@param prompt cudalua.prompt.Prompt
---@param read fun(prompt: string, continuation: string): text: string?, pasted: boolean?
function M.loop(prompt, read)
  while true do
    local text, pasted = read("> ", ">> ")
    if not text then return end
    if handle(prompt, text, pasted) == END then return end
  end
end
M.END = END

-- ---- input and output -----------------------------------------------------------------------------------------------

---What the editor has to know of a session.
---@param session cudalua.prompt.Session
---@return cudalua.prompt.EditorOptions
function M.editor_options(session)
  local history = require "cudalua.prompt.history"
  local function locals() return session:locals() end
  return { complete_chunk = chunks.complete, history = history.open(history.path()),
    candidates = require("cudalua.prompt.complete").new { env = session.env, locals = locals } }
end

-- The editor, for the process's own terminal; it reads plain lines if the terminal cannot move its cursor.
local function edited(session)
  local editor, options = require "cudalua.prompt.editor", M.editor_options(session)
  return function(prompt, continuation) return editor.read(prompt, continuation, options) end
end

local function reader(input, output, write, session)
  if type(input) == "function" then return plain.reader(input) end
  if input == stdin and output == stdout and is_terminal(input) then return edited(session) end
  return plain.of_file(input, write)
end

local function nothing() end

-- Calls loop(prompt, read) with Ctrl-C for its chunks. An input that is not the process's own belongs to a host, which
-- turns interrupts on by itself. So do prompts beside a state that has them on.
local function interruptible(input, loop, prompt, read)
  local core = input == stdin and require "cudalua.core"
  local on, before
  if core then on, before = pcall(core.interrupts, true) end
  prompt.take = on and core.interrupt_take or nothing
  prompt.leave = core and core.progress_leave or nothing
  loop(prompt, read)
  if on then core.interrupts(before) end
end

---A prompt that has read nothing yet.
---@param options cudalua.repl.Options
---@return cudalua.prompt.Prompt
function M.new(options)
  local output = options.output or stdout
  local write = output
  if type(output) ~= "function" then
    local put, flush = output.write, output.flush
    write = function(text)
      put(output, text)
      flush(output)
    end
  end
  local prompt = { session = new_session(options.env or globals), write = write, terminal = output == stdout }
  rawset(prompt.session.env, "help", help.new(prompt))
  prompt.run_chunk, prompt.END = M.run_chunk, END
  return prompt
end

---Reads and runs chunks until the input ends.
---@param prompt cudalua.prompt.Prompt
---@param input file*|function
---@param read fun(prompt: string, continuation: string): text: string?, pasted: boolean?
function M.serve(prompt, input, read)
  interruptible(input, M.loop, prompt, read)
  if input == stdin then prompt.write "\n" end
end

---The prompt of cudalua.repl.
---@param options cudalua.repl.Options
function M.run(options)
  local input, prompt = options.input or stdin, M.new(options)
  if options.banner then prompt.write(options.banner .. "\n") end
  M.serve(prompt, input, reader(input, options.output or stdout, prompt.write, prompt.session))
end

return M
