-- Contractions of two arrays whose axes are letters: views of both as batches of matrices, one product,
-- and its shape. For tensordot and einsum.

local compute = require "cudalua.gpuarray.product.compute"
local errors = require "cudalua.base.errors"
local graph = require "cudalua.gpuarray.core.graph"
local ops = require "cudalua.gpuarray.kernel.ops"
local reduce = require "cudalua.gpuarray.reduce.reduce"
local view = require "cudalua.gpuarray.core.view"

local M = {}

---An array whose axes have unique names.
---@class cudalua.gpuarray.Lettered
---@field array cudalua.gpuarray.Array
---@field letters string[]

local function place_of(list, letter)
  for k, x in ipairs(list) do
    if x == letter then return k end
  end
end
M.place_of = place_of

-- The axes of these letters as a view, and the product of extents of each group of letters as one axis.
local function grouped(what, x, groups)
  local order, shape = {}, {}
  for _, group in ipairs(groups) do
    local size = 1
    for _, letter in ipairs(group) do
      local axis = place_of(x.letters, letter)
      order[#order + 1], size = axis, size * x.array._shape[axis]
      if group.apart then shape[#shape + 1] = x.array._shape[axis] end
    end
    if not group.apart then shape[#shape + 1] = size end
  end
  return view.reshape(view.transpose(what, x.array, order), shape, "C")
end

-- The array with an axis of one element for each letter of the list that it does not have.
local function spread(what, x, letters)
  local order, shape = {}, {}
  for k, letter in ipairs(letters) do
    local axis = place_of(x.letters, letter)
    order[#order + 1] = axis
    shape[k] = axis and x.array._shape[axis] or 1
  end
  return view.reshape(view.transpose(what, x.array, order), shape, "C")
end

local function joined(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, letter in ipairs(list) do out[#out + 1] = letter end
  end
  return out
end

---The product of two arrays, summed over the letters that are not kept. A letter that only one of them has is kept.
---@param what string  the function, for messages
---@param x cudalua.gpuarray.Lettered
---@param y cudalua.gpuarray.Lettered
---@param kept table<string, boolean>  of the letters that both have
---@param result cudalua.dtype.DType   of compute.of()
---@return cudalua.gpuarray.Lettered   batch, letters of x alone, letters of y alone
function M.pair(what, x, y, kept, result)
  local batch, sums, rows, columns = { apart = true }, {}, {}, {}
  for _, letter in ipairs(x.letters) do
    local both = place_of(y.letters, letter)
    local list = both and (kept[letter] and batch or sums) or rows
    list[#list + 1] = letter
  end
  for _, letter in ipairs(y.letters) do
    if not place_of(x.letters, letter) then columns[#columns + 1] = letter end
  end
  local letters = joined(batch, rows, columns)
  if #sums == 0 then
    local a, b = graph.as_type(x.array, result, what), graph.as_type(y.array, result, what)
    return { letters = letters, array = graph.binary(ops.mul, spread(what, { array = a, letters = x.letters }, letters),
      spread(what, { array = b, letters = y.letters }, letters)) }
  end
  if #letters == 0 then
    local a, b = grouped(what, x, { sums }), grouped(what, y, { sums })
    return { letters = letters, array = errors.within(what, reduce.dot, a, b, { dtype = result }) }
  end
  local product = compute.of(what, grouped(what, x, { batch, rows, sums }), grouped(what, y, { batch, sums, columns }),
    result)
  local shape = {}
  for k = 1, #batch do shape[k] = product._shape[k] end
  for _, letter in ipairs(rows) do shape[#shape + 1] = x.array._shape[place_of(x.letters, letter)] end
  for _, letter in ipairs(columns) do shape[#shape + 1] = y.array._shape[place_of(y.letters, letter)] end
  return { letters = letters, array = view.reshape(product, shape, "C") }
end

return M
