-- Roots of unity in device memory: tables of twiddles.lua, uploaded once for each context and shared by the plans that
-- need them. Nothing else keeps them alive.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local storage = require "cudalua.gpuarray.core.storage"
local transfer = require "cudalua.gpuarray.core.transfer"
local twiddles = require "cudalua.fft.twiddles"

local M = {}

local known = setmetatable({}, { __mode = "v" })

---New memory for a plan, which a graph that is being captured could not fill only once.
---@param what string
---@param bytes integer
---@return table leaf
---@raise LogicError inside a capture
function M.memory(what, bytes)
  local buf, context = storage.buffer(bytes)
  if core.array_ready(buf) then
    errors.raise("LogicError", what .. ": inside a capture, the tables of a transform must exist; call it once " ..
      "before, with the same length and dtype")
  end
  return { buf = buf, off = 0, store = { context = context, buf = buf } }
end

local function uploaded(what, key, make, ...)
  key = key .. " " .. core.context_id()
  local leaf = known[key]
  if leaf then return leaf end
  local list, bytes, shift = make(...)
  leaf = M.memory(what, bytes)
  local slot, size, anchor = host.host_buffer(what, list, bytes)
  transfer.upload(leaf, slot, size, anchor)
  leaf.shift = shift
  known[key] = leaf
  return leaf
end

---All powers of the n-th root, for the passes of n elements.
---@param what string  for messages
---@param n integer
---@param double boolean
---@return table leaf
function M.roots(what, n, double)
  return uploaded(what, ("roots %d %s"):format(n, double and "double" or "float"), twiddles.list, n, double)
end

---Two tables: each power of the n-th root is a product of an element of both.
---@param what string
---@param n integer
---@return table leaf  shift: see twiddles.tables()
function M.powers(what, n) return uploaded(what, ("powers %.0f"):format(n), twiddles.tables, n) end

return M
