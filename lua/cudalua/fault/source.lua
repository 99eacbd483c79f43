-- What the library knows of a kernel that failed on the software device: the lines of its source, and where these are
-- in the program. Nothing is shown unless it is certain: the device says which function failed, and lines that the
-- source numbers itself (#line) are left out.

local core = require "cudalua.core"
local excerpt = require "cudalua.compiler.excerpt"
local functions = require "cudalua.driver.function"

local M = {}

local MAX_PROGRAM = 2 ^ 24 -- bytes of a program's file

local function numbers_itself(source)
  return source:find "#%s*line" or source:find "%%:%s*line" or ("\n" .. source):find "\n%s*#%s*%d"
end

-- The line of the program's file, which has the source once, as a long string of its own. It may have been written
-- again since: then the string is no longer in it, or the line is that of the new text.
local function line_in_program(path, source, line)
  local text = #source > 0 and path:sub(1, 3) ~= "..." and core.read_file(path, MAX_PROGRAM)
  if not text then return nil end
  text = text:gsub("\r\n", "\n")
  local from, to = text:find(source, 1, true)
  if not from or text:find(source, from + 1, true) then return nil end
  local before = text:sub(1, from - 1)
  local dashes, level = before:match "(%-?%-?)%[(=*)%[\n?$"
  if not level or dashes == "--" or text:sub(to + 1, to + 2 + #level) ~= "]" .. level .. "]" then return nil end
  return select(2, before:gsub("\n", "")) + line
end

-- "kernel.cu:5 is script.lua:11:", as far as that is known.
local function heading(name, line, source, place)
  local path = place and place:match "^(.+):%d+$"
  local at = path and line_in_program(path, source, line)
  if at then return ("%s:%d is %s:%d:"):format(name, line, path, at) end
  return place and ("%s:%d, compiled at %s:"):format(name, line, place) or ("%s:%d:"):format(name, line)
end

-- The place in the file: of the instruction, or of the call that was inlined.
local function line_of(json, name)
  for _, prefix in ipairs{ "", "inlined_" } do
    local file, line = json:match('"' .. prefix .. 'file":"([^"]*)","' .. prefix .. 'line":(%d+)')
    if file == name then return tonumber(line) end
  end
end

---Adds the failed kernel and the lines of its source to an error.
---@param err cudalua.Error
function M.explain(err)
  local report = core.softgpu_control "report"
  if report == "" or not (err.detail and err.detail:find(report, 1, true)) then return end
  local json = core.softgpu_control "report json"
  local kernel = json:match '^{"kind":"[^"]*","code":%d+,"kernel":"([^"]*)"'
  if not kernel then return end
  err.kernel = kernel
  local serial, argument = json:match '"allocation":{"serial":(%d+)[^}]-"argument":(%d+)'
  local place, source, opts, parameter = functions.of_handle(core.softgpu_control "report function",
    tonumber(argument))
  if type(source) ~= "string" or numbers_itself(source) then return end
  local name = opts and opts.name or "kernel.cu"
  local line = line_of(json, name)
  local lines = line and excerpt(source, line)
  if not lines then return end
  err.excerpt = heading(name, line, source, place) .. "\n" .. lines
  if parameter then
    err.excerpt = ("%s\nallocation %s is argument %s, %s"):format(err.excerpt, serial, argument, parameter)
  end
end

return M
