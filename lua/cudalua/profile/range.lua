-- Ranges: parts of a program with names, in profiles and traces.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

---@class cudalua
local M = {}

---A named part of the program, up to close(). Work that is started in it belongs to it in profiles.
---@class cudalua.Range
local Range = {}
Range.__index = Range

---Ends the range; a second call does nothing.
function Range:close()
  if self.closed then return end
  self.closed = true
  core.range_close(self.number, self.profile, self.id)
end

function Range:__tostring() return ("cudalua.Range: %s%s"):format(self.name, self.closed and " (closed)" or "") end

local function open(name)
  local number, profile, id = core.range_open(name)
  return setmetatable({ name = name, number = number, profile = profile, id = id }, Range)
end

local function leave(range, ok, ...)
  range:close()
  if not ok then error((...), 0) end
  return ...
end

---Names a part of the program: `cuda.range("load", f, ...)` calls f in it; `local r = cuda.range "load"` starts a range
---that ends with `r:close()`. You can nest ranges. They appear in traces of cuda.profile(), and in tools that read
---NVTX, such as Nsight Systems. Without either a range costs less than a microsecond.
---@param name string  the name of the range
---@param f? function  the function to call with the other arguments; the range ends when it returns or raises an error
---@param ... any  the arguments of f
---@return any  the results of f; without f a cudalua.Range
---@raise LogicError if the name is not a string; errors of f
function M.range(name, f, ...)
  if type(name) ~= "string" then
    errors.raise("LogicError", "range: name must be a string, got " .. errors.text(name))
  end
  if f == nil then return open(name) end
  if type(f) ~= "function" then
    errors.raise("LogicError", "range: f must be a function, got " .. errors.text(f))
  end
  return leave(open(name), pcall(f, ...))
end

return M
