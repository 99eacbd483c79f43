-- Products of distributed matrices: each rank multiplies what it has. If the sums are divided among ranks, they are
-- added up over the ranks.

local calls = require "cudalua.distributed.calls"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local operands = require "cudalua.gpuarray.product.operands"
local product = require("cudalua.gpuarray.product.compute").of
local sharded = require "cudalua.distributed.sharded"

local refuse = layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

local OPTIONS = { dtype = true }

local function refuse_axes(what, a, b)
  local remedy = a._axis == 2 and "call b:redistribute(1), or a:redistribute(1) and b:redistribute()"
    or a._axis == 1 and "call b:redistribute()" or "call a:redistribute(2)"
  refuse(what, "%s cannot be multiplied by %s; %s", sharded.describe(a), sharded.describe(b), remedy)
end

-- Checks the operands. Returns the extents, and the divided axis of the result; "sum": it is a sum over the ranks.
local function shapes_of(what, a, b)
  if not sharded.is(b) then
    refuse(what, "expected a distributed array, got %s; call cuda.distributed.replicate(b) or shard(b, axis)",
      element.describe(b))
  end
  if a._group ~= b._group then refuse(what, "the arrays belong to different groups of ranks") end
  if #a._shape ~= 2 or #b._shape < 1 or #b._shape > 2 then
    refuse(what, "expected a matrix and a matrix or vector, got the shapes %s and %s", layout.text(a._shape),
      layout.text(b._shape))
  end
  if a._shape[2] ~= b._shape[1] then
    refuse(what, "the shapes %s and %s do not fit: the second axis must be as long as the first axis of the second "
      .. "operand", layout.text(a._shape), layout.text(b._shape))
  end
  local whole = { m = a._shape[1], n = b._shape[2] or 1 }
  if not a._axis and not b._axis then return whole, nil end
  if a._axis == 1 and not b._axis then return whole, 1 end
  if not a._axis and b._axis == 2 then return whole, 2 end
  if a._axis == 2 and b._axis == 1 then return whole, "sum" end
  refuse_axes(what, a, b)
end

-- A product whose terms are divided: parts with all bits of their sums, added up over the ranks and rounded once.
local function summed(group, what, a, b, asked)
  local _, accumulator, result = operands.types(what, a._dtype, b._dtype, asked)
  local wide = result.itemsize == 2 and result.kind == "float" and accumulator or result
  local part = product(what, a, b, wide ~= result and wide or asked)
  return graph.as_type(group:all_reduce(part), result)
end

---Returns the matrix product. Rows of this array and a replicated `b` give rows. This array, replicated, and columns
---of `b` give columns. Columns of this array and rows of `b` give a replicated array, which adds up a product of each
---rank: its bits depend on the number of ranks. On the software device, the other ones have the bits of one device if
---the library's own kernels compute them.
---@param b cudalua.distributed.Array  a matrix or vector, with as many rows as this array has columns
---@param options? {dtype: any}  dtype: the dtype of the result, as for gpuarray.matmul
---@return cudalua.distributed.Array
---@raise LogicError if the shapes do not fit, the arrays are divided in another way, or the calls of the ranks differ.
---  RuntimeError if a rank ends, fails or does not come in time
function Array:matmul(b, options)
  local what = "matmul"
  sharded.check_self(self, what)
  local group = self._group
  local whole, axis, asked = nil, nil, nil
  calls.prepared(group, what, function()
    local o = errors.options(what, options, OPTIONS)
    asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
    whole, axis = shapes_of(what, self, b)
    operands.types(what, self._block._dtype, b._block._dtype, asked)
  end)
  sharded.agree(what, self, "by " .. sharded.describe(b))
  local shape = { whole.m, #b._shape == 2 and whole.n or nil }
  if axis == "sum" then
    return sharded.new(group, summed(group, what, self._block, b._block, asked), shape, nil)
  end
  return sharded.new(group, product(what, self._block, b._block, asked, nil, nil, whole), shape, axis)
end

return {}
