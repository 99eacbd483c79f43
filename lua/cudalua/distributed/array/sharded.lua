-- Distributed arrays: each rank of a group has a block of the positions along one axis, or the whole array.
-- Element-wise operations run on the blocks and do not communicate (elementwise.lua). Operations that need several
-- blocks are in move.lua, reduce.lua, multiply.lua and order.lua.

local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local equal = require "cudalua.distributed.equal"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local groups = require "cudalua.distributed.group"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local object = require "cudalua.gpuarray.core.object"
local operands = require "cudalua.distributed.operands"
local tables = require "cudalua.base.tables"
local transport = require "cudalua.distributed.transport"

local refuse = layout.refuse

---An array that is distributed among the ranks of a group. Each rank has a block of neighbouring positions along one
---axis. If the array is replicated, each rank has all of it. Operators and element-wise methods such as `a:exp()`
---compute on the blocks, without a call between ranks. All ranks must call the other methods together.
---@class cudalua.distributed.Array
---@field shape integer[]   the extents of the whole array
---@field dtype cudalua.dtype.DType  the element type
---@field ndim integer      the number of axes
---@field size integer      the number of elements of the whole array
---@field axis? integer     the axis that is divided among the ranks, from 1; nil if the array is replicated
---@field T cudalua.distributed.Array  a view with the axes reversed
---@field block cudalua.gpuarray.Array  the part of this rank, which the program may read and write
---@field first integer     the first position of the block on the divided axis, from 1
---@field last integer      its last position; first - 1 if the block is empty
---@field group cudalua.distributed.Group  the ranks that have the array
---@operator add(cudalua.distributed.Array|number|ffi.cdata*): cudalua.distributed.Array
---@operator sub(cudalua.distributed.Array|number|ffi.cdata*): cudalua.distributed.Array
---@operator mul(cudalua.distributed.Array|number|ffi.cdata*): cudalua.distributed.Array
---@operator div(cudalua.distributed.Array|number|ffi.cdata*): cudalua.distributed.Array
---@operator mod(cudalua.distributed.Array|number|ffi.cdata*): cudalua.distributed.Array
---@operator pow(cudalua.distributed.Array|number|ffi.cdata*): cudalua.distributed.Array
---@operator unm: cudalua.distributed.Array
local Array = {}

local TAG = "cudalua.distributed.Array"
local mt = { __metatable = TAG, __name = TAG }

local M = { Array = Array, mt = mt }

---Is it a distributed array?
---@param x any
---@return boolean
function M.is(x) return type(x) == "table" and getmetatable(x) == TAG end

---@param self any
---@param what string  the method, for the message
function M.check_self(self, what)
  if not M.is(self) then
    refuse(what, "expected a distributed array (call it as a:%s(...)), got %s", what, element.describe(self))
  end
  M.check_group(what, self._group)
end

---@param what string
---@param group cudalua.distributed.Group
function M.check_group(what, group)
  if group._closed then refuse(what, "the group of the array was closed") end
end

---The group that an option names.
---@param what string
---@param group any  nil: the world
---@return cudalua.distributed.Group
function M.group_of(what, group)
  if group == nil then return M.world() end
  if not groups.is(group) then
    refuse(what, "group must be a group of ranks, got %s; create one with world:group { 0, 1 }",
      element.describe(group))
  end
  M.check_group(what, group)
  return group
end

---An array of a block of each rank.
---@param group cudalua.distributed.Group
---@param block cudalua.gpuarray.Array
---@param shape integer[]  of the whole array; not to be changed any more
---@param axis? integer    nil: replicated
---@return cudalua.distributed.Array
function M.new(group, block, shape, axis)
  local first, past = 0, nil
  if axis then first, past = blocks.of(shape[axis], group.size, group.rank) end
  return setmetatable({ _group = group, _block = block, _shape = shape, _axis = axis, _first = first, _past = past,
    _text = false }, mt) -- agree() sets the text
end

---The shape of a rank's block.
---@param shape integer[]
---@param axis? integer
---@param group cudalua.distributed.Group
---@return integer[]  a new list
function M.block_shape(shape, axis, group)
  local own = { unpack(shape) }
  if axis then
    local first, past = blocks.of(shape[axis], group.size, group.rank)
    own[axis] = past - first
  end
  return own
end

---How messages call it: "float32 (4, 3) along axis 1".
---@param x cudalua.distributed.Array
---@return string
function M.describe(x)
  return ("%s %s %s"):format(x._block._dtype.name, layout.text(x._shape),
    x._axis and "along axis " .. x._axis or "on all ranks")
end

---With CUDALUA_DIST_CHECK=1, raises on all ranks if a replicated array differs between them, as the program may write
---to its blocks. The array is copied to host memory for that.
---@param what string
---@param x cudalua.distributed.Array
function M.check_replicated(what, x)
  if x._axis or x._group.size == 1 or not transport.compares() or core.current_stream():is_capturing() then return end
  local a = calls.prepared(x._group, what, operands.to_host, what, operands.of(what, "a", x._block))
  equal.check(x._group, what, "a replicated array", M.describe(x), a,
    "write the same to a.block on all ranks, or call cuda.distributed.replicate(a.block)")
end

local MOST_AGREED = 1024 -- calls that a group remembers; all of its ranks forget them at the same time

---Raises on all ranks unless all of them make the same call with arrays of one shape, dtype and axis. Ranks whose calls
---do not wait for each other on the host compare a call when they make it for the first time.
---@param what string
---@param x cudalua.distributed.Array
---@param more? string  what else has to be the same
---@param other? cudalua.distributed.Array  another operand
function M.agree(what, x, more, other)
  local group, text = x._group, x._text
  if not text then
    text = M.describe(x)
    x._text = text
  end
  if more then text = text .. ", " .. more end
  if group._checks then
    calls.check_same(what, calls.exchange(group, what, text))
    M.check_replicated(what, x)
    return other and M.check_replicated(what, other)
  end
  local call, known = what .. " " .. text, group._agreed
  if known and known[call] then return end
  calls.check_same(what, calls.exchange(group, what, text))
  tables.remember(tables.memo(group, "_agreed", MOST_AGREED), call, true)
end

-- ---- properties -----------------------------------------------------------------------------------------------------

local properties = {}
function properties.shape(self) return layout.shown { unpack(self._shape) } end
function properties.dtype(self) return self._block._dtype end
function properties.ndim(self) return #self._shape end
function properties.size(self) return graph.size_of(self._shape) end
function properties.axis(self) return self._axis end
function properties.block(self) return self._block end
function properties.group(self) return self._group end
function properties.first(self) return self._first + 1 end
function properties.T(self) return self:transpose() end
function properties.last(self) return self._past or self._shape[1] or 1 end

---Methods that are computed for each element by itself, by name (elementwise.lua).
---@type table<string, function>
M.elementwise = {}

---What a[key] is (views.lua).
---@type fun(x: cudalua.distributed.Array, key: any): cudalua.distributed.Array
M.index = nil

local members = names.of_objects(TAG, { text = "a distributed array", kind = "distributed_array",
  optional = { axis = true }, tables = { Array, properties, M.elementwise } })
names.strict(Array, members)

function mt.__index(self, key)
  local method = rawget(Array, key)
  if method then return method end
  local property = properties[key]
  if property then return property(self) end
  method = M.elementwise[key]
  if method then return method end
  if type(key) == "number" or type(key) == "table" then return M.index(self, key) end -- views.lua
  return names.unknown(members, key)
end

function mt.__newindex(_, key)
  if type(key) == "number" or type(key) == "table" then
    refuse("distributed.Array", "cannot set elements of an array of several ranks; write to a.block")
  end
  local remedy = key == "block" and "; write to it with a.block:set(x), or make another array with a:with_block(x)"
    or ""
  refuse("distributed.Array", "cannot set %s of an array%s", errors.text(key), remedy)
end

function mt.__tostring(self)
  local text = tostring(self._block)
  if not self._axis then return text end
  local n = self._shape[self._axis]
  if self._past == self._first then return ("no positions of %.0f along axis %d"):format(n, self._axis) end
  return ("positions %.0f to %.0f of %.0f along axis %d:\n%s"):format(self._first + 1, self._past, n, self._axis, text)
end

function mt.__concat(a, b) return tostring(a) .. tostring(b) end

-- ---- methods without a call between ranks ---------------------------------------------------------------------------

---Returns the elements converted to another dtype.
---@param dtype any  the new dtype, as for dtype.of
---@return cudalua.distributed.Array
---@raise LogicError if the dtype is unknown
function Array:astype(dtype)
  M.check_self(self, "astype")
  return M.new(self._group, self._block:astype(dtypes._of("distributed.Array:astype", dtype)), self._shape, self._axis)
end

---Computes the block now, if it is pending.
---@return cudalua.distributed.Array self
function Array:eval()
  M.check_self(self, "eval")
  self._block:eval()
  return self
end

---Returns the value of a replicated array of one element, such as a sum.
---@return boolean|number|ffi.cdata*
---@raise LogicError if the array is divided among ranks or has more elements
function Array:item()
  M.check_self(self, "item")
  local size = graph.size_of(self._shape)
  if size ~= 1 then
    refuse("distributed.Array:item", "the array has %.0f elements, not one; call x:gather() for all of them, or reduce "
      .. "it first, such as x:sum():item()", size)
  end
  if self._axis then
    refuse("distributed.Array:item", "the array is divided along axis %d; call redistribute() first", self._axis)
  end
  return self._block:item()
end

---Returns an array that has other blocks, divided as this one: for blocks that the program computed by itself.
---@param block cudalua.gpuarray.Array  the new block of this rank. It has as many axes as this array, and as many
---  positions on the divided axis; the other extents may differ, but must be the same on all ranks
---@return cudalua.distributed.Array
---@raise LogicError if the block has another number of axes or of positions
function Array:with_block(block)
  local what = "distributed.Array:with_block"
  M.check_self(self, "with_block")
  if not object.is_array(block) then refuse(what, "expected a gpuarray, got %s", element.describe(block)) end
  local axis, own, shape = self._axis, block._shape, { unpack(block._shape) }
  if #own ~= #self._shape or axis and own[axis] ~= self._past - self._first then
    refuse(what, "expected %d axes%s, got a block of the shape %s", #self._shape,
      axis and (" and %.0f positions on axis %d"):format(self._past - self._first, axis) or "", layout.text(own))
  end
  if axis then shape[axis] = self._shape[axis] end
  return M.new(self._group, block, shape, axis)
end

---Returns a copy.
---@return cudalua.distributed.Array
function Array:copy()
  M.check_self(self, "copy")
  return M.new(self._group, self._block:copy(), self._shape, self._axis)
end

---Returns a view with the axes reversed.
---@return cudalua.distributed.Array
function Array:transpose()
  M.check_self(self, "transpose")
  local shape, n = {}, #self._shape
  for k = 1, n do shape[k] = self._shape[n + 1 - k] end
  return M.new(self._group, self._block:transpose(), shape, self._axis and n + 1 - self._axis)
end

return M
