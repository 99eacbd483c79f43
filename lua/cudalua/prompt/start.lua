-- The first prompt on a terminal. It is there before the parts of the prompt that it can do without: they are loaded
-- while it waits for keys, and all of them before a key needs one or a chunk runs.

local editor = require "cudalua.prompt.editor"

local require, stdin, stdout = require, io.stdin, io.stdout
local write, flush = stdout.write, stdout.flush

local M = {}

-- Between two of these a key is taken.
local parts = { "cudalua.prompt.chunk", "cudalua.text.frames", "cudalua.text.function", "cudalua.text.value",
  "cudalua.prompt.commands", "cudalua.prompt.repl", "cudalua.prompt.history", "cudalua.prompt.complete" }

---The prompt of the command, if its input and output are terminals.
---@param banner string
function M.run(banner)
  if not editor.is_usable() then -- Ctrl-C is a signal there, and needs the core
    return require("cudalua.prompt.repl").run { banner = banner, command = true }
  end
  write(stdout, banner .. "\n")
  flush(stdout)
  local repl, prompt, options
  local function rest()
    if not options then
      repl = require "cudalua.prompt.repl"
      prompt = repl.new { command = true }
      options = repl.editor_options(prompt.session)
    end
    return options
  end
  local loaded = 0
  local function load_next()
    if options then return false end
    loaded = loaded + 1
    if parts[loaded] then require(parts[loaded]) else rest() end
    return true
  end
  local first_options = {
    idle = load_next,
    complete_chunk = function(text) return rest().complete_chunk(text) end,
    candidates = function(...) return rest().candidates(...) end,
    history = {
      count = function() return rest().history:count() end,
      get = function(_, i) return rest().history:get(i) end,
      add = function(_, text) return rest().history:add(text) end,
    },
  }
  local first, pasted = editor.read("> ", ">> ", first_options)
  rest()
  repl.serve(prompt, stdin, function(sign, continuation)
    if loaded then -- the first time
      loaded = nil
      return first, pasted
    end
    return editor.read(sign, continuation, options)
  end)
end

return M
