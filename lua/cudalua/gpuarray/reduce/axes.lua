-- What the planning and the calls of reductions and scans have in common: kernels to which the axes of an expression's
-- arrays are of two kinds, those that are gone along (a sum's elements, a scan's line) and those that are kept.

local codegen = require "cudalua.gpuarray.kernel.codegen"
local graph = require "cudalua.gpuarray.core.graph"
local plan = require "cudalua.gpuarray.core.plan"
local storage = require "cudalua.gpuarray.core.storage"

local abs, min = math.abs, math.min

local M = {}

---The operand of a reduction or a scan that waited: as it was when that was written. It stands in place of an array.
---@class cudalua.gpuarray.Operand
---@field _operand table  pending array or leaf
---@field _shape integer[]
---@field _size integer
---@field _dtype cudalua.dtype.DType
---@field _born integer
---@field _low integer

---What a walk begins with.
---@param x cudalua.gpuarray.Array|cudalua.gpuarray.Operand
---@return table
function M.operand_of(x) return x._operand or graph.operand(x) end

---Do two reductions go along the same axes?
---@param a table<integer, boolean>
---@param b table<integer, boolean>
---@param rank integer
---@return boolean
function M.same_axes(a, b, rank)
  for k = 1, rank do
    if (a[k] or false) ~= (b[k] or false) then return false end
  end
  return true
end

-- 4 KiB hold so many arguments, and those that each kernel has.
local MOST_ARGUMENTS = 490

---Does a kernel take all arguments: arrays, values, and the numbers of strides and extents?
---@param w cudalua.gpuarray.Walk
---@param p {count: integer}
---@return boolean
function M.fits(w, p) return p.count + w.nleaves + w.nscalars <= MOST_ARGUMENTS end

---The exponent of the smallest power of two that is not less.
---@param n number
---@return integer
function M.exponent(n)
  local e = 0
  while 2 ^ e < n do e = e + 1 end
  return e
end

-- Bytes of memory traffic for each element where neighbouring threads are so many elements apart.
local function traffic(stride, itemsize) return min(abs(stride) * itemsize, 32) end

---Do neighbouring threads take neighbours along the last of the axes that are kept, and not along that which is gone
---along?
---@param w cudalua.gpuarray.Walk
---@param s cudalua.gpuarray.Split
---@param result? integer            bytes of the result's elements, if it has one for each of the operands'
---@return boolean
function M.side_by_side(w, s, result)
  local kept, gone, along_kept, along_gone, operand = s.kept, s.gone, 0, 0, 1
  local function both(i, itemsize)
    along_kept = along_kept + traffic(kept[i][#kept[i]], itemsize)
    along_gone = along_gone + traffic(gone[i][#gone[i]], itemsize)
  end
  if result then both(1, result) end
  for i = 1, w.nleaves do
    if w.classes[i] == "strided" then
      operand = operand + 1
      both(operand, w.leaves[i].dtype.itemsize)
    end
  end
  return along_kept < along_gone
end

---How far apart the first and the last element are.
---@param extents integer[]
---@param strides integer[]
---@return number
function M.reach(extents, strides)
  local sum = 0
  for k = 1, #extents do sum = sum + (extents[k] - 1) * abs(strides[k]) end
  return sum
end
local reach = M.reach

---How elements lie along both kinds of axes; a plan of a reduction or a scan has this in it. Axes along which all
---operands step alike are one. Strides are in elements, by operand; the result is the first.
---@class cudalua.gpuarray.Split
---@field outputs integer         results, or lines of a scan
---@field n integer               elements of each
---@field kept_extents integer[]  of the axes that are kept
---@field kept integer[][]        strides along these
---@field kept_rank integer       0 if there is one output
---@field gone_extents integer[]  of the axes that are gone along
---@field gone integer[][]        strides along these
---@field gone_rank integer
---@field wide boolean            elements are numbered with 64 bits

---Fills in how elements lie.
---@param s cudalua.gpuarray.Split  has outputs and n
---@param shape integer[]
---@param operands integer[][]       strides along all axes of the shape
---@param stay integer[]             the axes that are kept
---@param go integer[]
---@return cudalua.gpuarray.Split s
function M.split(s, shape, operands, stay, go)
  s.kept_extents, s.kept = plan.collapse(shape, operands, stay)
  s.gone_extents, s.gone = plan.collapse(shape, operands, go)
  s.kept_rank, s.gone_rank = s.outputs == 1 and 0 or #s.kept_extents, #s.gone_extents
  s.wide = s.outputs * s.n >= plan.LIMIT
  for i = 1, #operands do
    s.wide = s.wide or reach(s.kept_extents, s.kept[i]) + reach(s.gone_extents, s.gone[i]) >= plan.LIMIT
  end
  return s
end

---The first numbers of a kernel: the extents of both kinds of axes.
---@param numbers number[]
---@param s cudalua.gpuarray.Split
---@return integer count
function M.put_extents(numbers, s)
  local count = plan.put_extents(numbers, 0, s.kept_extents, s.kept_rank, s.wide)
  return plan.put_extents(numbers, count, s.gone_extents, s.gone_rank, s.wide)
end

---Adds the strides of an operand.
---@param numbers number[]
---@param count integer
---@param s cudalua.gpuarray.Split
---@param i integer       the operand
---@param fixed? boolean  the kernel knows the step along the last axis that is gone along
---@return integer count
function M.put_operand(numbers, count, s, i, fixed)
  count = M.put(numbers, count, s.kept[i], s.kept_rank)
  return M.put(numbers, count, s.gone[i], s.gone_rank - (fixed and 1 or 0))
end

---Adds strides.
---@param numbers number[]
---@param count integer
---@param strides integer[]
---@param rank integer
---@return integer count
function M.put(numbers, count, strides, rank)
  for k = 1, rank do numbers[count + k] = strides[k] end
  return count + rank
end

---Adds the arrays, scalars and numbers of a program to a kernel's arguments; a pointer takes two places.
---@param w cudalua.gpuarray.Walk
---@param at integer     how many arguments there are already
---@param out table      the leaf that is written
---@param count integer  of the numbers
---@return integer at
function M.put_program(w, at, out, count)
  w.arguments[at + 1], w.arguments[at + 2] = out.buf, out.off
  return M.put_operands(w, at + 2, count)
end

---The same without what is written.
---@param w cudalua.gpuarray.Walk
---@param at integer     how many arguments there are already
---@param count integer  of the numbers
---@return integer at
function M.put_operands(w, at, count)
  local list, numbers = w.arguments, w.numbers
  for i = 1, w.nleaves do
    local l = w.leaves[i]
    list[at + 1], list[at + 2] = l.buf, l.off
    at = at + 2
  end
  for i = 1, w.nscalars do
    at = at + 1
    list[at] = w.scalars[i]
  end
  for i = 1, count do list[at + i] = numbers[i] end
  return at + count
end

---The kernel of a program.
---@param state table
---@param make fun(program: cudalua.gpuarray.Program): table
---@return table
function M.kernel_of(state, make)
  local k = state.kernel
  if not k then
    k = make(codegen.program(plan.tokens(state)))
    k.loaded = {}
    state.kernel = k
  end
  return k
end

---The same in the context that an array is of.
---@param compute function
---@param buf userdata  the array's memory
---@param ... any       for compute
---@return any
function M.elsewhere(compute, buf, ...)
  return storage.with_context(buf, compute, ...)
end

return M
