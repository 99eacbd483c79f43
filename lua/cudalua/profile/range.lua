-- Ranges: parts of a program with names, in profiles and traces.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"

---@class cudalua
local M = {}

---A part of the program with a name, until close(). What is started meanwhile belongs to it in profiles.
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

---Names a part of the program: `cuda.range("load", f, ...)` calls f in it; `local r = cuda.range "load"` begins one
---that ends with `r:close()`. Ranges may stand in each other. They are in the traces of cuda.profile(), and tools that
---read NVTX, such as Nsight Systems, show them. Without either a range costs less than a microsecond.
---@param name string
---@param f? function  is called with the other arguments; the range ends with it, also by an error
---@param ... any
---@return any  what f returns; without f a cudalua.Range
---@raise LogicError for a name that is no string; what f raises
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
