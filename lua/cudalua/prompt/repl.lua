-- The loop of the prompt: reads a chunk, runs it, prints its values. Errors are printed and lose nothing.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local concat, find, format, gsub, match = table.concat, string.find, string.format, string.gsub, string.match
local error, ipairs, pcall, rawget, rawset, require, select, type = error, ipairs, pcall, rawget, rawset, require,
  select, type
local stdin, stdout, globals = io.stdin, io.stdout, _G
local getinfo, getmetatable, loaded, loadstring, rawequal, sub = debug.getinfo, debug.getmetatable, package.loaded,
  loadstring, rawequal, string.sub

local advice = require "cudalua.prompt.advice"
local chunks = require "cudalua.prompt.chunk"
local commands = require "cudalua.prompt.commands"
local is_terminal = require "cudalua.prompt.is_terminal"
local frames = require "cudalua.text.frames"
local help = require "cudalua.prompt.help"
local lost = require "cudalua.prompt.lost"
local new_session = require("cudalua.prompt.session").new
local plain = require "cudalua.prompt.plain"
local shell = require "cudalua.prompt.shell"
local value_text = require("cudalua.text.value").text
local wrong = require "cudalua.prompt.wrong"

local M = {}

-- ---- a chunk --------------------------------------------------------------------------------------------------------

---A prompt at work.
---@class cudalua.prompt.Prompt
---@field session cudalua.prompt.Session
---@field write fun(text: string)
---@field terminal boolean  what it writes goes to the process's own output
---@field take fun(): boolean?  takes a press of Ctrl-C that came too late for the chunk before; whether one came
---@field interrupt? table  the metatable of errors that Ctrl-C raises
---@field leave fun()  lets a line of progress stay where a loop that was left has drawn it
---@field command boolean  the process is the cudalua command, which may be replaced
---@field told boolean     what a lost GPU means was said
---@field again? integer[] chunks of the session that are to run first

-- Has a value just written itself, as a profile does? Once: the next time it is printed as any other.
local function has_shown(x)
  local mt = type(x) == "table" and getmetatable(x)
  local take = type(mt) == "table" and rawget(mt, "__take_shown")
  if not take then return false end
  local ok, shown = pcall(take, x) -- anybody's table may have such a field
  return ok and shown
end

-- A report, such as gpuarray.explain() returns, is shown as it is, and not as a string in quotes.
local function is_report(x) return type(x) == "string" and find(x, "\n.") and not find(x, "[%z\1-\8\11-\31\127]") end

-- The texts of values: on one line, unless one has several. Ctrl-C while they are made is an error, and so is what has
-- told meanwhile that the GPU is lost.
local function texts(prompt, ...)
  local list, between, err = {}, "\t", nil
  if select("#", ...) == 1 and has_shown((...)) then return true end
  if select("#", ...) == 1 and is_report((...)) then
    prompt.write((gsub((...), "\n*$", "\n")))
    return true
  end
  for i = 1, select("#", ...) do
    list[i] = value_text((select(i, ...)), function(failed, x)
      err = err or failed
      return lost.value_text(x)
    end)
    if find(list[i], "\n", 1, true) then between = "\n" end
  end
  local interrupted = err and rawequal(getmetatable(err), prompt.interrupt)
  if err and (interrupted or not prompt.told and lost.why()) then
    prompt.write(frames.message(err) .. "\n")
    lost.tell(prompt, err)
    return false
  end
  prompt.write(concat(list, between) .. "\n")
  return true
end

local STOPPED = {} -- the error that ends a chunk whose value could not be printed, which was told

-- What prints the values of a chunk's expressions on the way.
local function shower(prompt)
  return function(...)
    if select("#", ...) == 0 then return end
    prompt.leave()
    prompt.session:remember((...))
    if not texts(prompt, ...) then error(STOPPED, 0) end
  end
end

local function write_hint(prompt, hint)
  if hint then prompt.write("hint: " .. hint .. "\n") end
end

local function results(prompt, text, chunk, ok, ...)
  if not ok then
    if rawequal((...).err, STOPPED) then return false end
    prompt.write(lost.text(prompt, (...)) .. "\n")
    write_hint(prompt, advice.of_error(text, (...).err))
    lost.tell(prompt, (...).err)
    return false
  end
  if not chunk.silent and select("#", ...) > 0 then
    prompt.session:remember((...))
    if not texts(prompt, ...) then return false end
    write_hint(prompt, advice.of_result(prompt.session, text, chunk.names, ...))
  else
    write_hint(prompt, advice.of_result(prompt.session, text, chunk.names))
  end
  return not lost.tell(prompt)
end

-- The message of io.lines() and the like when Ctrl-C came while they read.
local EINTR = "Interrupted system call"

-- The prompt has control again: a second press no longer stops what it calls.
local function ended(prompt, ok, ...)
  local pressed = prompt.take()
  prompt.leave()
  if ok then return ok, ... end
  local err, editor = (...).err, loaded["cudalua.prompt.editor"]
  local cut_off = pressed and type(err) == "string" and sub(err, -#EINTR) == EINTR
  if cut_off then (...).err = sub(err, 1, -#EINTR - 1) .. "interrupted" end
  if editor and (cut_off or rawequal(getmetatable(err), prompt.interrupt)) then editor.drop_queued() end
  return ok, ...
end

---Runs a chunk and prints its values or its error.
---@param prompt cudalua.prompt.Prompt
---@param text string
---@param call? fun(run: function): boolean, any  in place of the session's own way to run it
---@param entry? cudalua.prompt.Entry  of the session's chunks, if it is one of them
---@return boolean ok
function M.run_chunk(prompt, text, call, entry)
  local session = prompt.session
  local run, chunk = session:compile(text, shower(prompt))
  if not run then
    prompt.write(wrong.text(text, chunk) .. "\n")
    return false
  end
  entry = session:begin(text, entry)
  local ok
  if call then
    ok = results(prompt, text, chunk, ended(prompt, call(run)))
  else
    ok = results(prompt, text, chunk, ended(prompt, session.run(run)))
  end
  session:finish(entry, ok, chunk.names)
  return ok
end

-- Runs the chunks that a restart has chosen, up to the first error.
local function run_again(prompt)
  local list, entries = prompt.again or {}, prompt.session.chunks
  prompt.again = nil
  for n, i in ipairs(list) do
    local text = entries[i].text
    prompt.write("> " .. gsub(text, "\n", "\n>> ") .. "\n")
    if not M.run_chunk(prompt, text, nil, entries[i]) then
      if n < #list then prompt.write(format("stopped at chunk %d; %d more did not run\n", i, #list - n)) end
      return
    end
  end
end

-- ---- the loop -------------------------------------------------------------------------------------------------------

local END = {} -- what a command returns that ends the prompt

-- What people type at other prompts, and what it is called here: no Lua program means it.
local function hint(prompt, text)
  local asked = match(text, "^%s*%?%s*([%w_.:]+)%s*$") or match(text, "^%s*([%w_.:]+)%s*%?%s*$")
  if asked then
    local first, env, cells = match(asked, "^[%a_][%w_]*"), prompt.session.env, prompt.session.cells
    if first == "cuda" or first and (cells[first] or env[first] ~= nil) then -- a variable: what its value is
      M.run_chunk(prompt, "help(" .. gsub(asked, ":", ".") .. ");")
    else
      commands.list.help.run(prompt, asked)
    end
    return true
  end
  local words = match(text, "^help%s+([%a_][%w_%s.:]*)$")
  if words and not loadstring(text) then
    commands.list.help.run(prompt, match(words, "^(.-)%s*$"))
    return true
  end
  local leave = match(text, "^%s*(%a+)%s*%(?[%s%d]*%)?%s*;?%s*$")
  if (leave == "exit" or leave == "quit") and prompt.session.env[leave] == nil and not prompt.session.cells[leave] then
    prompt.write(leave .. " is not a function of Lua; leave the prompt with :quit or Ctrl-D\n")
    return true
  end
  local line = shell.hint(text, function(name)
    return prompt.session.cells[name] ~= nil or prompt.session.env[name] ~= nil
  end)
  if line then
    prompt.write(line .. "\n")
    return true
  end
  local word = match(text, "^:(%S*)")
  if word then
    prompt.write(format("unknown command :%s; :help lists the commands\n", word))
    return true
  end
end

-- What was read: a command if it is typed and one of ours, else Lua.
local function handle(prompt, text, pasted)
  local word, rest = chunks.command(text)
  local command = word and not pasted and commands.list[word]
  prompt.take()
  if command then return command.run(prompt, rest) end
  if not pasted and hint(prompt, text) then return end
  if find(text, "%S") then M.run_chunk(prompt, text) end
end

-- Calls f(prompt, ...). Errors of the prompt itself must not end the session. Those of chunks were caught before.
local function sheltered(prompt, f, ...)
  local ok, result = pcall(f, prompt, ...)
  if ok then return result end
  prompt.write(format("the prompt could not report what happened, and goes on: %s\n",
    (gsub(frames.message(result), "%s*\n%s*", " "))))
end

---@param prompt cudalua.prompt.Prompt
---@param read fun(prompt: string, continuation: string): text: string?, pasted: boolean?
function M.loop(prompt, read)
  while true do
    local text, pasted = read("> ", ">> ")
    if not text then return end
    if sheltered(prompt, handle, text, pasted) == END then return end
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

-- Calls loop() with Ctrl-C for its chunks. An input that is not the process's own belongs to a host, which
-- turns interrupts on by itself. So do prompts beside a state that has them on.
local function interruptible(input, prompt, loop)
  local core = input == stdin and require "cudalua.core"
  local on, before
  if core then
    -- Before the library is loaded, too, Ctrl-C shall not raise in the prompt's own functions.
    core.set_library_root(match(getinfo(1, "S").source, "^@(.*)prompt/repl%.lua$") or "=none")
    on, before = pcall(core.interrupts, true)
    prompt.interrupt = core.errors.InterruptError
  end
  prompt.take = on and core.interrupt_take or nothing
  prompt.leave = core and core.progress_leave or nothing
  loop()
  if on then core.interrupts(before) end
end

---A prompt that has read nothing yet.
---@param options cudalua.repl.Options|{command: boolean, chunks: cudalua.prompt.Entry[], again: integer[]}  command:
---  the process is the command's; chunks: of the session before, with those that run again
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
  local prompt = { session = new_session(options.env or globals, options.chunks), write = write,
    terminal = output == stdout, command = options.command or false, told = false, again = options.again }
  rawset(prompt.session.env, "help", help.new(prompt))
  prompt.run_chunk, prompt.END = M.run_chunk, END
  return prompt
end

---Reads and runs chunks until the input ends.
---@param prompt cudalua.prompt.Prompt
---@param input file*|function
---@param read fun(prompt: string, continuation: string): text: string?, pasted: boolean?
function M.serve(prompt, input, read)
  interruptible(input, prompt, function()
    sheltered(prompt, run_again)
    M.loop(prompt, read)
  end)
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
