-- The `cudalua` command: runs a script or a line, tells what is on this machine, or prompts.

-- Taken now: the program may put anything in their place.
local require, loaded, exit = require, package.loaded, os.exit

local usage = [=[
usage: cudalua [options] [script [args]]
  (nothing)      interactive prompt, or a script from standard input if it is not a terminal
  script [args]  run a Lua program;  -  reads it from standard input
  -e CODE        run a line of Lua;  may be given several times
  -l NAME        require a module
  -i             prompt after the script or the lines
  -E             ignore LUA_PATH, LUA_CPATH and LUA_INIT
  --             ends the options
  -O[LEVEL] -j CMD -b ...  LuaJIT's optimizer, its commands, saving or listing bytecode, as for luajit
  run ...        a program as several processes with a device each; run --help says how
  build ...      a folder with a program, its modules, the library and its kernels; build --help says how
  setup ...      install NVIDIA's compiler if it is missing, and run a kernel; setup --help says how
  info           driver, devices, NVRTC: what was found, and where
  env            the search paths for any LuaJIT: eval "$(cudalua env)"
  help           this text
  -v, --version  versions of cudalua, LuaJIT and CUDA
  -h, --help     this text as well
CUDALUA_DRIVER=auto|cuda|soft|PATH chooses the driver.
]=]

local function report(text)
  local core = package.loaded["cudalua.core"]
  if core then
    core.progress_leave()
    core.shared_fail((text:gsub("\nstack traceback:.*", ""))) -- a rank of cudalua run: the others raise it
  end
  io.stdout:flush()
  io.stderr:write("cudalua: ", text, "\n")
  return 1
end

-- What works at the prompt, where cuda is there by itself.
local NO_CUDA = "attempt to index global 'cuda' (a nil value)"

local function run(chunk, ...)
  local frames = require "cudalua.text.frames"
  local ok, failure = frames.call(chunk, ...)
  if ok then return 0 end
  local text = frames.text(failure)
  if text:find(NO_CUDA, 1, true) then
    text = text .. '\nat the prompt, cuda is already defined; a program begins with: local cuda = require "cudalua"'
  end
  return report(text)
end

local function run_line(line)
  if line:find("cuda", 1, true) then cuda = require "cudalua" end -- luacheck: ignore 111
  local chunk, err = loadstring(line, "=(command line)")
  return chunk and run(chunk) or not chunk and report(err)
end

-- ---- options of LuaJIT ----------------------------------------------------------------------------------------------

-- f("a", "b") for "a,b".
local function call_with_list(f, list)
  local values = {}
  for value in (list or ""):gmatch "[^,]+" do values[#values + 1] = value end
  return f(unpack(values))
end

-- -jNAME=LIST: a function of the module jit, or start() of the module jit.NAME.
local function jit_command(text)
  local name, list = text:match "^([^=]*)=?(.*)$"
  local f = type(jit[name]) == "function" and jit[name]
  if not f then
    local found, module = pcall(require, "jit." .. name)
    if not found then return report("unknown command of -j, or LuaJIT's jit.* modules are not installed: " .. name) end
    f = module.start
  end
  return run(call_with_list, f, list)
end

-- What options with an argument do with it. It follows the letter, or is the next argument; that of -O only follows.
local actions = {
  e = run_line,
  j = jit_command,
  l = function(name) return run(require, name) end,
  O = function(list) return run(call_with_list, jit.opt.start, list) end,
}

local wanted = { e = "-e needs a line of Lua after it", j = "-j needs a command after it: -jv",
  l = "-l needs a module's name after it" }

-- ---- the arguments --------------------------------------------------------------------------------------------------

---What the arguments say.
---@class cudalua.prompt.Arguments
---@field steps {[1]: fun(value: string): integer, [2]: string}[]  in their order
---@field interactive boolean
---@field ran boolean          there is a line of Lua
---@field script? integer      its place

---@return cudalua.prompt.Arguments|integer  or the exit status of a command that ends here
local function read_arguments(argv)
  local found, i = { steps = {}, interactive = false, ran = false }, 1
  while argv[i] and argv[i]:find "^%-." do
    local option = argv[i]
    local letter, value = option:match "^%-([ejlO])(.*)$"
    if option == "-h" or option == "--help" then
      io.write(usage)
      return 0
    elseif option == "-v" or option == "--version" then
      print(require("cudalua.setup.info").version())
      return 0
    elseif option == "-i" then
      found.interactive = true
    elseif option == "-E" then -- luacheck: ignore 542
      -- bin/cudalua has done it.
    elseif option == "--" then
      i = i + 1
      break
    elseif option:find "^%-b" and #found.steps == 0 then
      argv[i] = "-" .. option:sub(3)
      return run(require("jit.bcsave").start, unpack(argv, #option > 2 and i or i + 1))
    elseif letter then
      if value == "" and letter ~= "O" then
        i = i + 1
        value = argv[i]
      end
      if not value then return report(wanted[letter]) end
      found.steps[#found.steps + 1] = { actions[letter], value }
      found.ran = found.ran or letter == "e"
    elseif option:find "^%-np?%d*$" then
      return report(("%s is an option of cudalua run: cudalua run %s"):format(option, table.concat(argv, " ", i)))
    else
      return report("unknown option " .. option .. "\n" .. usage)
    end
    i = i + 1
  end
  found.script = argv[i] and i
  return found
end

-- Words that stand for no file. What they need is loaded when they are given.
local commands = {
  info = function() return require("cudalua.setup.info").print() end,
  env = function() return require("cudalua.setup.env").run() end,
  setup = function(arguments) return require("cudalua.setup.run").run(arguments) end,
  build = function(arguments) return require("cudalua.ship.build").run(arguments) end,
  run = function(arguments) return require("cudalua.distributed.run").run(arguments) end,
}

-- What was meant by a file's name that no file has: a command.
local function command_like(name)
  local found, core = pcall(require, "cudalua.core")
  if not found or not name or name:find "[./]" then return nil end
  local words = { "help" }
  for word in require("cudalua.base.pairs_of")(commands) do words[#words + 1] = word end
  return core.near(name, words)[1]
end

-- Runs the program that argument i names, or (nil) standard input.
local function run_script(argv, i)
  local name = i and argv[i] ~= "-" and argv[i] or nil
  local args = { [0] = i and argv[i] or nil }
  for k = (i or #argv) + 1, #argv do args[k - i] = argv[k] end
  _G.arg, _G.cuda = args, nil -- luacheck: ignore 122
  local chunk, err = loadfile(name)
  if not chunk then
    local near = err:find "^cannot open" and command_like(name)
    return report(near and ("%s; did you mean the command '%s'?"):format(err, near) or err)
  end
  return run(chunk, unpack(args))
end

local takes_options = { setup = true, build = true, run = true }

-- What takes long says how far it is. A core that cannot be loaded is for the program to hear of.
local function show_progress()
  local found, core = pcall(require, "cudalua.core")
  if found then core.show_progress(true) end
end

local function main(argv)
  if os.getenv "CUDALUA_RANK" then io.stdout:setvbuf "line" end -- of cudalua run, which relays lines
  local chunks, again -- of the process that this one replaces
  if os.getenv "CUDALUA_RESTART" then chunks, again = require("cudalua.prompt.restart").taken() end
  local found = read_arguments(argv)
  if type(found) == "number" then return found end
  show_progress()
  for _, step in ipairs(found.steps) do
    local status = step[1](step[2])
    if status ~= 0 and not chunks then return status end
  end
  local script = found.script and argv[found.script]
  local command = commands[script]
  if command then
    if found.script > 1 and takes_options[script] then return report(script .. " must come before its options") end
    return command { unpack(argv, found.script + 1) }
  end
  if script == "help" then
    io.write(usage)
    return 0
  end
  local repl = not script and not found.ran and not found.interactive and require "cudalua.prompt.is_terminal"
  if script or repl and not repl(io.stdin) then
    local status = run_script(argv, found.script)
    if not found.interactive then return status end
  end
  if found.interactive or not script and not found.ran then
    local banner = ("cudalua %s, %s; :help for help, ^D ends"):format(
      require("cudalua.base.version").VERSION_TEXT, jit.version)
    local is_terminal = require "cudalua.prompt.is_terminal"
    if chunks then
      banner = banner .. "; restarted"
      require("cudalua.prompt.repl").run { banner = banner, command = true, chunks = chunks, again = again }
    elseif is_terminal(io.stdin) and is_terminal(io.stdout) then
      require("cudalua.prompt.start").run(banner)
    else
      io.stdin:setvbuf "no" -- :restart leaves the rest of the input to the new process
      require("cudalua.prompt.repl").run { banner = banner, command = true }
    end
  end
  return 0
end

local status = main(arg)
-- Closing the state would wait for a kernel that an interrupted wait has left running.
local core = loaded["cudalua.core"]
exit(status, not (core and core.still_running()))
