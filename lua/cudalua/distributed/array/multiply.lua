-- Products of distributed matrices: each rank computes one block of the result with complete sums (grid.lua). If the
-- sums are divided among ranks, they are added up over the ranks.

local blocks = require "cudalua.distributed.array.blocks"
local calls = require "cudalua.distributed.calls"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local grid = require "cudalua.distributed.array.grid"
local layout = require "cudalua.base.layout"
local move = require "cudalua.distributed.array.move"
local operands = require "cudalua.gpuarray.product.operands"
local pieces = require "cudalua.distributed.array.pieces"
local product = require("cudalua.gpuarray.product.compute").of
local regions = require "cudalua.distributed.array.regions"
local sharded = require "cudalua.distributed.array.sharded"

local refuse = layout.refuse

---@class cudalua.distributed.Array
local Array = sharded.Array

local OPTIONS = { dtype = true }

local function check_operands(what, a, b)
  if not sharded.is(b) then
    refuse(what, "expected a distributed array, got %s; call cuda.distributed.replicate(b) or shard(b, axis)",
      element.describe(b))
  end
  if a._group ~= b._group then refuse(what, "the arrays belong to different groups of ranks") end
  local of_a, of_b = #a._shape, #b._shape
  if of_a ~= 2 or of_b < 1 or of_b > 2 then
    local remedy = "; multiply the blocks of batches that are divided along axis 1: "
      .. "a:with_block(a.block:matmul(b.block))"
    if of_a == 1 and of_b == 1 then remedy = "; call a:dot(b)" end
    if of_a == 1 and of_b == 2 then remedy = "; call b.T:matmul(a)" end
    if of_a == 0 or of_b == 0 then remedy = "; write a * b" end
    refuse(what, "expected a matrix and a matrix or vector, got the shapes %s and %s%s", layout.text(a._shape),
      layout.text(b._shape), remedy)
  end
  if a._shape[2] ~= b._shape[1] then
    refuse(what, "the shapes %s and %s do not fit: the second axis must be as long as the first axis of the second "
      .. "operand", layout.text(a._shape), layout.text(b._shape))
  end
end

-- The divided axis of the result, which follows from the axes of the operands alone; "sum": it is a sum over the ranks.
local function result_axis(a, b)
  local of_a, of_b, is_matrix = a._axis, b._axis, #b._shape == 2
  if not of_a and not of_b then return nil end
  if of_a == 2 and (of_b == 1 or not is_matrix) then return "sum" end
  if not is_matrix then return 1 end
  return (not of_a or of_a == 2 and of_b == 2) and 2 or 1
end

-- ---- ways -----------------------------------------------------------------------------------------------------------

---A product that all ranks have agreed on.
---@class cudalua.distributed.Product
---@field what string
---@field group cudalua.distributed.Group
---@field a cudalua.distributed.Array
---@field b cudalua.distributed.Array
---@field asked? cudalua.dtype.DType
---@field result cudalua.dtype.DType
---@field whole {m: integer, n: integer}

-- Terms are divided: parts with all bits of their sums, added up over the ranks and rounded once.
local function summed(p)
  local a, b, asked, result = p.a._block, p.b._block, p.asked, p.result
  if not p.b._axis then b = pieces.cut(b, 1, p.a._first, p.a._past) end
  local _, accumulator = operands.types(p.what, a._dtype, b._dtype, asked)
  local wide = result.itemsize == 2 and result.kind == "float" and accumulator or result
  local part = product(p.what, a, b, wide ~= result and wide or asked)
  return graph.as_type(calls.from_all(p.group, "all_reduce", part, nil, p.what), result)
end

-- Each rank has rows of a, and gets the whole vector, which is short.
local function by_rows(p)
  local a, group = p.a, p.group
  local rows = a._axis and a._block or
    pieces.cut(a._block, 1, blocks.of(p.whole.m, group.size, group.rank))
  return product(p.what, rows, move.redistributed(p.what, p.b, nil)._block, p.asked, nil, nil, p.whole)
end

local function bytes_of(x) return graph.size_of(x._shape) * x._block._dtype.itemsize end

-- What this rank needs of an operand.
local function needed(x, wants)
  local group = x._group
  if not x._axis then return regions.cut(x._block, wants[group.rank + 1]) end
  return regions.moved("matmul", group, x._block, grid.divided(x._shape[1], x._shape[2], x._axis, group.size), wants)
end

local function on_grid(p, axis)
  local a, b, group = p.a, p.b, p.group
  local m, n = p.whole.m, p.whole.n
  local shared = { m = m, k = a._shape[2], n = n, a = bytes_of(a), b = bytes_of(b), c = m * n * p.result.itemsize,
    a_axis = a._axis, b_axis = b._axis, axis = axis }
  local of_a, of_b, of_c = grid.regions(shared, grid.choose(shared, group.size))
  local block = product(p.what, needed(a, of_a), needed(b, of_b), p.asked, nil, nil, p.whole)
  return regions.moved("matmul", group, block, of_c, grid.divided(m, n, axis, group.size))
end

local function computed(p, axis)
  if axis == "sum" then return summed(p) end
  if not axis then return product(p.what, p.a._block, p.b._block, p.asked) end
  if #p.b._shape == 1 then return by_rows(p) end
  return on_grid(p, axis)
end

-- ---- matmul ---------------------------------------------------------------------------------------------------------

---Returns the matrix product, for operands that are divided along any axes. If this array is divided along axis 1, so
---is the result. Columns of this array, with rows of `b` or with a vector, give a replicated array. It adds up a
---product of each rank, so its bits depend on the number of ranks. All other products have the bits of one device if
---the library's own kernels compute them.
---@param b cudalua.distributed.Array  a matrix or vector, with as many rows as this array has columns
---@param options? {dtype: any}  dtype: the dtype of the result, as for gpuarray.matmul
---@return cudalua.distributed.Array
---@raise LogicError if the shapes do not fit, or if the calls of the ranks differ; RuntimeError if a rank ends, fails
---  or does not come in time
function Array:matmul(b, options)
  local what = "matmul"
  sharded.check_self(self, what)
  local group = self._group
  local asked, result = nil, nil
  calls.prepared(group, what, function()
    local o = errors.options(what, options, OPTIONS)
    asked = o.dtype ~= nil and dtypes._of(what, o.dtype) or nil
    check_operands(what, self, b)
    result = select(3, operands.types(what, self._block._dtype, b._block._dtype, asked))
  end)
  sharded.agree(what, self, ("by %s%s"):format(sharded.describe(b), asked and " as " .. asked.name or ""), b)
  local axis, shape = result_axis(self, b), { self._shape[1], b._shape[2] }
  local block = computed({ what = what, group = group, a = self, b = b, asked = asked, result = result,
    whole = { m = shape[1], n = shape[2] or 1 } }, axis)
  return sharded.new(group, block, shape, axis ~= "sum" and axis or nil)
end

return {}
