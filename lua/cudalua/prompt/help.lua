-- help() of the prompt. It loads the index of reference entries when it is first called.

local require, select, setmetatable = require, select, setmetatable

local function_text = require "cudalua.text.function"

local M = {}

local WIDEST, DEFAULT = 100, 80 -- columns

-- The columns of the terminal that the prompt writes to; of other outputs there is nothing to ask.
local function width(prompt)
  local columns = prompt.terminal and require("cudalua.prompt.editor.terminal").size() or DEFAULT
  return columns < WIDEST and columns or WIDEST
end

---Writes what is said of a name, of words or of a value; without any how to start.
---@param prompt cudalua.prompt.Prompt
---@param ... any
function M.write(prompt, ...)
  local answer = require "cudalua.help.answer"
  local columns = width(prompt)
  local text = select("#", ...) == 0 and answer.start(columns) or answer.of_value((...), columns)
  prompt.write(text .. "\n")
end

---What chunks have as `help`. Printed, it says how it is called.
---@param prompt cudalua.prompt.Prompt
---@return table
function M.new(prompt)
  -- A library that is there has names for its functions.
  function_text.of_library = function(f) return require("cudalua.help.values").function_text(f) end
  return setmetatable({}, {
    __call = function(_, ...) return M.write(prompt, ...) end,
    __tostring = function() return 'help() says how to start, help(x) what x is, help "words" looks for words' end,
  })
end

return M
