-- A call like one before: of an ElementwiseKernel with arrays of one shape, that lie without gaps in memory of their
-- own, and numbers. Which kernel does that was found out then, so that such a call costs little more than its launch.
-- Anything else about a call is none of this file's business: it is done the long way, where errors are told as well.

local core = require "cudalua.core"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local prepared = require("cudalua.gpuarray.core.scalar").operand
local run_kernel = require("cudalua.gpuarray.core.run").kernel
local storage = require "cudalua.gpuarray.core.storage"

local context_id = core.context_id
local leaf_of, has_readers = storage.leaf_of, storage.has_readers
local getmetatable, type, select, same = getmetatable, type, select, layout.same
local TAG = object.TAG

local M = {}

---Remembers a call that was made.
---@param k table           the ElementwiseKernel
---@param values any[]      its arguments
---@param leaves table[]    of those that are arrays, as the kernel was given them
---@param fn cudalua.Function
---@param blocks integer
---@param n integer         number of elements
function M.remember(k, values, leaves, fn, blocks, n)
  local r = { forms = k.forms, size = n, count = #k.args, dtypes = {}, written = {}, context = context_id(), fn = fn,
    blocks = blocks, arguments = {}, leaves = {}, nleaves = 0, writes = {}, nwrites = 0 } -- a Launch, too
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if not arg.is_vector then
      if arg.dtype.kind == "struct" then return end
      r.dtypes[i] = arg.dtype
    elseif not object.is_array(x) or not k.usage.at_i[arg.name] or not leaves[i].dense or x._size ~= n or
      leaves[i] ~= leaf_of(x) then
      return
    else
      r.shape = r.shape or x._shape
      if not same(x._shape, r.shape) then return end
      r.dtypes[i], r.written[i], r.nleaves = false, not k.const[arg.name], r.nleaves + 1
      if r.written[i] then r.nwrites = r.nwrites + 1 end
    end
  end
  r.changes = r.nwrites > 0
  k.again = r
end

-- The argument as the kernel takes it: a leaf or a number; nil: it is not like the one before.
local function argument(k, r, i, x)
  local dt = r.dtypes[i]
  if dt then
    if type(x) ~= "number" then return nil end
    local v = dt._check(x)
    if v == nil then return nil end
    local p = prepared(v, dt)
    return type(p) == "table" and p._scalar or p
  end
  if getmetatable(x) ~= TAG or x._sig or x._dtype ~= k.args[i].dtype then return nil end
  if x._shape ~= r.shape and not same(x._shape, r.shape) then return nil end
  local leaf = leaf_of(x)
  if not leaf.dense or leaf.store.context ~= r.context or r.written[i] and has_readers(leaf.store) then return nil end
  return leaf
end

-- Has none of the written ones its memory in common with another one?
local function are_apart(r, values)
  for i = 1, r.count do
    if r.written[i] then
      local buf = values[i].buf
      for j = 1, r.count do
        if j ~= i and not r.dtypes[j] and values[j].buf == buf then return false end
      end
    end
  end
  return true
end

---Makes the call if it is like the remembered one.
---@param k table
---@param ... any   the arguments
---@return boolean  false: nothing was done
function M.run(k, ...)
  local r = k.again
  if not r or r.count ~= select("#", ...) or r.forms ~= k.forms or r.context ~= context_id() then return false end
  local values, writes = { ... }, storage.writes
  for i = 1, r.count do
    local v = argument(k, r, i, values[i])
    if v == nil then return false end
    values[i] = v
  end
  if not are_apart(r, values) or writes ~= storage.writes then return false end
  k.again = nil -- a finalizer that calls the kernel must not use the same record
  local list, leaves, written, at, n, m = r.arguments, r.leaves, r.writes, 0, 0, 0
  for i = 1, r.count do
    local v = values[i]
    if r.dtypes[i] then
      at = at + 1
      list[at] = v
    else
      list[at + 1], list[at + 2] = v.buf, v.off
      at, n = at + 2, n + 1
      leaves[n] = v
      if r.written[i] then
        m = m + 1
        written[m] = v
      end
    end
  end
  list[at + 1], r.since = r.size, writes
  local launched = run_kernel(r)
  for i = 1, n do leaves[i] = false end -- memory must not live on here
  for i = 1, m do written[i] = false end
  k.again = r
  return launched
end

return M
