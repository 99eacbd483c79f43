-- From the number of an element to where it lies in each of several arrays, as CUDA C: what the kernels of index.cu
-- that are generated have in common.

local address = require "cudalua.gpuarray.kernel.address"
local plan = require "cudalua.gpuarray.core.plan"

local abs = math.abs

local M = {}

---Counts in 64 bits even where 32 would do: for testing what only arrays of more than 2^31 elements need.
M.always_wide = false

---The axes that several arrays are walked along in C order, joined where all of them step alike.
---@class cudalua.gpuarray.Loop : cudalua.gpuarray.Axes
---@field extents integer[]
---@field steps integer[][]    for each operand, the step along each axis, in elements

---@param shape integer[]
---@param size integer          the shape's
---@param operands integer[][]  steps along the shape's axes, in elements
---@param reach? integer        elements that the places may lie further away than these steps go
---@return cudalua.gpuarray.Loop
function M.new(shape, size, operands, reach)
  local axes = {}
  for k = 1, #shape do axes[k] = k end
  local extents, steps = plan.collapse(shape, operands, axes)
  local wide = M.always_wide or size >= plan.LIMIT
  for i = 1, #steps do
    local far = reach or 0
    for k = 1, #extents do far = far + (extents[k] - 1) * abs(steps[i][k]) end
    wide = wide or far >= plan.LIMIT
  end
  local loop = address.axes(#extents, wide)
  loop.extents, loop.steps = extents, steps
  return loop
end

---What a kernel with this loop is kept by.
---@param loop cudalua.gpuarray.Loop
---@return string
function M.key(loop) return (loop.wide and "w" or "n") .. loop.rank end

---The kernel's parameters for the loop; arguments() gives their values.
---@param loop cudalua.gpuarray.Loop
---@return string
function M.params(loop)
  local list = { "" }
  address.extents(list, loop)
  for i = 1, #loop.steps do address.strides(list, loop, "s" .. i) end
  return table.concat(list, ", ")
end

---@param loop cudalua.gpuarray.Loop
---@param list any[]  arguments, added to
function M.arguments(loop, list)
  local n = plan.put_extents(list, #list, loop.extents, loop.rank, loop.wide)
  for i = 1, #loop.steps do
    for axis = 1, loop.rank do
      n = n + 1
      list[n] = loop.steps[i][axis]
    end
  end
end

---Lines that make c1, c2 ... the coordinates of element i.
---@param loop cudalua.gpuarray.Loop
---@return string
function M.coordinates(loop)
  local lines = {}
  address.coordinates(lines, "      ", "i", loop)
  return table.concat(lines, "\n")
end

---The expression that gives, from the coordinates, where an operand's element is.
---@param loop cudalua.gpuarray.Loop
---@param i integer  the operand's number
---@return string
function M.place(loop, i) return address.sum(loop, "s" .. i) end

return M
