-- What calls between ranks return with async = true: a handle of the call.

local element = require "cudalua.base.element"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"

---A call between ranks that was made with `async = true`. With NCCL it goes on while the program computes. With other
---transports it is done when you get the handle.
---@class cudalua.distributed.Handle
local Handle = names.class({}, "Handle")

local TAG = "cudalua.distributed.Handle"
local mt = { __index = Handle, __metatable = TAG, __name = TAG,
  __tostring = function(self) return ("Handle(%s)"):format(self._where) end }

local M = { Handle = Handle }

---@param where string   the call's name
---@param result any     of a call that is done
---@param work? cudalua.distributed.Work  a call that is under way
---@return cudalua.distributed.Handle
function M.new(where, result, work) return setmetatable({ _where = where, _result = result, _work = work }, mt) end

-- What programs do that forget to wait.
local function no_array()
  layout.refuse("Handle", "a handle of a call cannot be used as the array; its wait() returns the array")
end
for name in ("add sub mul div mod pow unm concat len lt le call"):gmatch "%S+" do mt["__" .. name] = no_array end

local function check_self(self, what)
  if type(self) == "table" and getmetatable(self) == TAG then return end
  layout.refuse(what, "expected a handle of a call (call it as handle:%s()), got %s", what, element.describe(self))
end

---Returns the result of the call. With NCCL, the current stream waits for the call. The host only waits for a result in
---host memory. You can call it again.
---@return cudalua.gpuarray.Array|cudalua.ndarray.Array?  what the call returns without `async`: nil for send, and on
---  ranks that get no result
---@raise RuntimeError if another rank has ended or failed before the call was complete; LogicError while the current
---  stream is being captured
function Handle:wait()
  check_self(self, "wait")
  if self._work then return self._work:wait() end
  return self._result
end

---Whether the call has ended. Does not wait.
---@return boolean  also true if it has ended because another rank failed; wait() then raises the error
function Handle:is_done()
  check_self(self, "is_done")
  return self._work == nil or self._work:is_done()
end

return M
