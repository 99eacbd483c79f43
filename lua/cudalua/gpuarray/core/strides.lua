-- The strides of an expression's result. They depend only on the expression: an operation keeps the order of its
-- operands' axes, whether an operand was computed before or is computed in the same kernel. So the result has the
-- strides that it would have if each operation were computed by itself.

local layout = require "cudalua.base.layout"
local leaf_of = require("cudalua.gpuarray.core.object").leaf_of

local abs, same = math.abs, layout.same

local M = {}

---Axes in the order of these strides, the largest first; axes of one element come last.
---@param shape integer[]
---@param strides integer[]
---@return integer[]
local function ordered(shape, strides)
  local axes = {}
  for k = 1, #shape do axes[k] = k end
  table.sort(axes, function(a, b)
    if shape[a] == 1 or shape[b] == 1 then
      if shape[a] == shape[b] then return a < b end
      return shape[b] == 1
    end
    local sa, sb = abs(strides[a]), abs(strides[b])
    if sa == sb then return a < b end
    return sa > sb
  end)
  return axes
end
M.ordered = ordered

-- Is this order of axes that of C?
local function is_c(axes, shape)
  for k = 2, #axes do
    if axes[k] < axes[k - 1] and shape[axes[k] ] ~= 1 then return false end
  end
  return true
end

-- Do the axes lie in the order of C, whatever gaps there are?
local function in_order(shape, strides)
  local before = math.huge
  for k = 1, #shape do
    if shape[k] ~= 1 then
      local step = abs(strides[k])
      if step > before then return false end
      before = step
    end
  end
  return true
end

---May an expression of these leaves lie in another order than C?
---@param leaves table[]
---@param n integer
---@param shape integer[]  of the result
---@return boolean
function M.may_differ(leaves, n, shape)
  for i = 1, n do
    local l = leaves[i]
    if not l.dense and not in_order(l.shape, l.strides) and same(l.shape, shape) then return true end
  end
  return false
end

-- The axes of an operand in their order; false: C order without gaps, and so is what is made of it.
local function order_of(x, known)
  local leaf = leaf_of(x)
  if leaf then return not leaf.dense and ordered(leaf.shape, leaf.strides) end
  local order = known[x]
  if order ~= nil then return order end
  order = false
  local sig = x._sig
  if sig and sig.maps and not sig.scans then -- a copy in C order (map.lua)
    known[x] = false
    return false
  end
  local shape, a, b, c = x._shape, x._a, x._b, sig and sig.z and x._c -- a finalizer may compute x on the way
  for k = 1, 3 do
    local o = k == 1 and a or k == 2 and b or k == 3 and c
    local extents = type(o) == "table" and (o._shape or o.shape)
    if extents and (extents == shape or same(extents, shape)) then
      local own = order_of(o, known)
      order = own and (order or own)
      if not own then break end
    end
  end
  known[x] = order and not is_c(order, shape) and order
  return known[x]
end

---The order of the axes of an expression's result.
---@param x any  pending array or leaf
---@return integer[]|false axes  false: C order
function M.order(x)
  local order = order_of(x, {})
  return order and not is_c(order, x._shape or x.shape) and order
end

---Do two results have one order of axes?
---@param a integer[]|false
---@param b integer[]|false
---@return boolean
function M.same_order(a, b) return a == b or a ~= false and b ~= false and same(a, b) end

---Strides of a new array whose axes lie in this order.
---@param axes integer[]
---@param shape integer[]
---@param itemsize integer
---@return integer[] bytes
function M.strides_in(axes, shape, itemsize)
  local strides, bytes = {}, itemsize
  for k = #axes, 1, -1 do
    strides[axes[k]] = bytes
    bytes = bytes * shape[axes[k]]
  end
  return strides
end

return M
