-- What each rank has of an array that goes to a file or comes from one: an ordinary array is the same on all ranks; of
-- a distributed array each rank has a block.

local calls = require "cudalua.distributed.calls"
local errors = require "cudalua.base.errors"
local host = require "cudalua.base.ffi"
local ffi = require "ffi"
local layout = require "cudalua.base.layout"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.distributed.operands"
local sharded = require "cudalua.distributed.array.sharded"

local M = {}

---A rank's share of an array.
---@class cudalua.distributed.Share
---@field operand cudalua.distributed.Operand  the whole array, or the block
---@field dtype cudalua.dtype.DType
---@field shape integer[]  of the whole array
---@field axis? integer    the divided axis; nil: all ranks have the whole array
---@field first integer    the block's first position there, from 0
---@field count integer    its positions

---Is it an array of any kind?
---@param x any
---@return boolean
function M.is_array(x)
  return object.is_array(x) or ndarray.is_array(x) or sharded.is(x)
end

---@param what string
---@param name string  for messages
---@param x any
---@param group cudalua.distributed.Group
---@return cudalua.distributed.Share
function M.of(what, name, x, group)
  local whole = not sharded.is(x)
  if not whole and x.group ~= group then
    layout.refuse(what, "%s is an array of other ranks; pass group = a.group", name)
  end
  local operand = operands.of(what, name, not whole and x.block or x) -- x may be nil or false
  if operand.dtype.kind == "struct" then
    layout.refuse(what, "%s is an array of structs (%s), which cannot be saved; save its fields", name,
      operand.dtype.name)
  end
  if whole or not x.axis then
    return { operand = operand, dtype = operand.dtype, shape = operand.shape, first = 0, count = 0 }
  end
  return { operand = operand, dtype = operand.dtype, shape = { unpack(x.shape) }, axis = x.axis, first = x.first - 1,
    count = x.last - x.first + 1 }
end

---"float32 (4, 3) along axis 1"
---@param s {dtype: cudalua.dtype.DType, shape: integer[], axis: integer?}
---@return string
function M.text(s) return operands.text(s.dtype, s.shape) .. (s.axis and " along axis " .. s.axis or "") end

local bytes_t = ffi.typeof "uint8_t *"

---The elements of a host array, in C order; nil if it has none.
---@param what string
---@param a cudalua.ndarray.Array
---@param writable? boolean
---@return ffi.cdata*?
function M.bytes(what, a, writable)
  if a.size == 0 then return nil end
  return ffi.cast(bytes_t, (host.host_buffer(what, a, nil, writable))[0])
end

---Where a block lies in a file of the whole array in C order: calls f(place in the file, place in the block, bytes).
---@param s {dtype: cudalua.dtype.DType, shape: integer[], axis: integer, first: integer, count: integer}
---@param f fun(file: integer, block: integer, bytes: integer)
function M.each_run(s, f)
  local inner, outer = s.dtype.itemsize, 1
  for k, extent in ipairs(s.shape) do
    if k < s.axis then outer = outer * extent elseif k > s.axis then inner = inner * extent end
  end
  if s.count * inner == 0 then return end
  for k = 0, outer - 1 do
    f((k * s.shape[s.axis] + s.first) * inner, k * s.count * inner, s.count * inner)
  end
end

---Runs f() on each rank, and tells all ranks whether it raised on one.
---@param group cudalua.distributed.Group
---@param what string
---@param f fun(): any
---@return boolean  did it come to its end on all ranks?
---@return any      what it gave on this rank; or the rank's own error, or a RuntimeError with that of another rank
---@raise RuntimeError if the ranks cannot tell each other
function M.attempt(group, what, f)
  local ok, result = pcall(f)
  local text = "done"
  if not ok then
    text = errors.is_error(result) and result.message or tostring(result)
    text = "failed: " .. text:gsub("^" .. what .. ": ", ""):sub(1, 3000)
  end
  for k, other in ipairs(calls.exchange(group, what, text)) do
    local why = ok and other:match "^failed: (.*)"
    if why then
      local _, err = pcall(errors.raise, "RuntimeError", ("%s: rank %d failed: %s"):format(what, k - 1, why),
        { rank = k - 1 })
      return false, err
    end
  end
  return ok, result
end

---Runs f() on each rank, and raises on all of them if it raises on one.
---@param group cudalua.distributed.Group
---@param what string
---@param f fun(): any
---@return any  what it gave on this rank
---@raise the rank's own error; RuntimeError with the error of another rank, whose number is err.rank
function M.together(group, what, f)
  local ok, result = M.attempt(group, what, f)
  if not ok then error(result, 0) end
  return result
end

return M
