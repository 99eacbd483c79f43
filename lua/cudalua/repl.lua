-- The prompt for any program: `require("cudalua.repl").run()`.

---@class cudalua.repl
local M = {}

---The input and output of a prompt. Unknown options are errors.
---@class cudalua.repl.Options
---@field env? table  the globals of the chunks; default _G. Chunks assign to it; `cuda`, `help` and `_` are available,
---  too
---@field input? file*|fun(prompt: string): string?  a file, or a function that returns the next line without its line
---  feed, and nil at the end; default io.stdin. A terminal that can move its cursor has line editing
---@field output? file*|fun(text: string)  receives prompts, values and errors; default io.stdout
---@field banner? string  the first line; default: none

local known = { env = true, input = true, output = true, banner = true }

local function is_file_or_function(x) return type(x) == "function" or io.type(x) == "file" end

---Runs a prompt until the end of its input or `:quit`. A top-level `local` is visible in later chunks.
---@param options? cudalua.repl.Options  input, output, environment and banner
---@raise LogicError for unknown options, an env that is not a table, and an input or output that is neither an open
---  file nor a function
function M.run(options)
  local errors = require "cudalua.base.errors"
  options = errors.options("repl.run", options, known)
  local function check(name, expected, valid)
    local value = options[name]
    if value == nil or valid(value) then return end
    errors.raise("LogicError", ("repl.run: %s must be %s, got %s"):format(name, expected, errors.text(value)))
  end
  check("env", "a table", function(x) return type(x) == "table" end)
  check("input", "an open file or a function", is_file_or_function)
  check("output", "an open file or a function", is_file_or_function)
  check("banner", "a string", function(x) return type(x) == "string" end)
  require("cudalua.prompt.repl").run(options)
end

return M
