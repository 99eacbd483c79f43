-- A function as text: its parameters and where it is written.

local getinfo, getlocal = debug.getinfo, debug.getlocal
local concat, find, format = table.concat, string.find, string.format
local rawget, tostring, type = rawget, tostring, type

local pairs_of = require "cudalua.base.pairs_of"

local M = {}

-- Functions of Lua itself by their names: "string.rep". They have no source.
local function is_builtin(f)
  local place = type(f) == "function" and getinfo(f, "S").short_src
  return place and (place == "[C]" or find(place, "^%[builtin:") ~= nil)
end

local builtin = setmetatable({}, { __mode = "k" })
for library in ("bit coroutine debug ffi io jit math os package string table"):gmatch "%S+" do
  local functions = package.loaded[library] or rawget(_G, library)
  if type(functions) == "table" then
    for name, value in pairs_of(functions) do
      if is_builtin(value) then builtin[value] = library .. "." .. name end
    end
  end
end
for name, value in pairs_of(_G) do
  if is_builtin(value) and not builtin[value] then builtin[value] = name end
end

---The parameters of a function that is written in Lua: "(a, b, ...)".
---@param f function
---@return string
function M.parameters(f)
  local info, list = getinfo(f, "u"), {}
  for i = 1, info.nparams do list[i] = getlocal(f, i) or "?" end
  if info.isvararg then list[#list + 1] = "..." end
  return "(" .. concat(list, ", ") .. ")"
end

local LIBRARY = "^" .. getinfo(1, "S").source:match "^(.*)text/function%.lua$":gsub("%p", "%%%0")

-- May it be a function of the library? Those that check their arguments have no file of their own.
local function is_library(info)
  return info.what == "C" or find(info.source, LIBRARY) ~= nil or find(info.source, "^=cudalua%.") ~= nil
end

---A function of the library by its name: "function cuda.gpuarray.sum(a, options)". The prompt sets it.
---@type (fun(f: function): string?)?
M.of_library = nil

---@param f function
---@return string  "function(a, b) file.lua:12"; of one that is written in C its name, if it is one of Lua's own
function M.text(f)
  if builtin[f] then return "function " .. builtin[f] end
  local info = getinfo(f, "S")
  local own = M.of_library and is_library(info) and M.of_library(f)
  if own then return own end
  if info.what == "C" then return tostring(f) end
  return format("function%s %s:%d", M.parameters(f), info.short_src, info.linedefined)
end

return M
