-- The prompt for any program: `require("cudalua.repl").run()`.

---@class cudalua.repl
local M = {}

---What a prompt reads and writes. Unknown options are errors.
---@class cudalua.repl.Options
---@field env? table  globals of the chunks; default _G. Chunks assign to it, and find `cuda`, `help` and `_` besides it
---@field input? file*|fun(prompt: string): string?  a file, or a function that returns the next line without its line
---  feed, nil at the end; default io.stdin. A terminal that can move its cursor is edited on
---@field output? file*|fun(text: string)  where prompts, values and errors go; default io.stdout
---@field banner? string  the first line; default: none

local known = { env = true, input = true, output = true, banner = true }

local function is_file_or_function(x) return type(x) == "function" or io.type(x) == "file" end

---Runs a prompt until the end of its input or `:quit`. A top-level `local` stays one in later chunks.
---@param options? cudalua.repl.Options
---@raise LogicError for unknown options, an env that is no table, and an input or output that is neither an open file
---  nor a function
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
