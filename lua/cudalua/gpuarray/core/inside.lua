-- An expression that is created inside stream:use() must run in that stream, whoever reads it and when. So stream:use()
-- computes the pending ones before it returns: those that its function returns, and those that no other expression
-- uses. An expression that is another's operand is most likely not needed for itself.

local attempt = require("cudalua.gpuarray.core.evaluate").attempt
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local object = require "cudalua.gpuarray.core.object"
local results = require "cudalua.gpuarray.core.results"
local storage = require "cudalua.gpuarray.core.storage"
local waiting = require "cudalua.gpuarray.core.waiting"

---Before the function of stream:use() runs.
function hooks.enter_stream()
  storage.record(graph.written())
  return true
end

---After it has run; the stream is still the current one.
---@param entered boolean  enter() was called; else arrays came up inside
---@param ok boolean       it returned
---@param ... any          what it returned
function hooks.leave_stream(entered, ok, ...)
  if ok and not graph.limits_lifted() then waiting.start() end
  local list = entered and storage.record_end() or storage.all_pending()
  if not ok or #list == 0 or graph.limits_lifted() then return end
  local returned = {}
  for i = 1, select("#", ...) do
    local x = select(i, ...)
    if object.is_array(x) then returned[x] = true end
  end
  local wanted = {}
  for i = 1, #list do
    local x = list[i]
    if x and x._sig and (returned[x] or x._used < 0) then wanted[#wanted + 1] = x end
  end
  results.together(wanted)
  for i = 1, #wanted do attempt(wanted[i]) end -- what cannot be computed says so to whoever reads it
end
