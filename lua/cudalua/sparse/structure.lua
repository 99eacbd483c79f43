-- Where the elements of a sparse matrix are, apart from their values: compressed lines, which are rows of CSR or
-- columns of CSC. Structures are immutable and shared between matrices.
--
-- A structure:
--   place           dtype of positions: int32, or int64 for what is larger
--   lines extent    how many lines, and how many indices a line may have
--   count           elements
--   indptr          lines + 1 places: where each line begins, from 0
--   indices         of the elements, from 0, ascending in each line
-- What is made when it is first needed, and kept:
--   flipped         the structure of the transposed matrix; its `order` says where each of its elements is in this one
--   line_list       the line of each element
--   starts blocks   the parts of the merge path (merge.lua)
--   pieces          long lines in pieces (pieces.lua); "none": no line is long

local code = require "cudalua.sparse.code"
local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local layout = require "cudalua.base.layout"
local sorting = require "cudalua.gpuarray.order.sort_run"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

M.SHORT = 2 ^ 31 - 2 ^ 16 -- so that places fit in 32 bits also at the end of the last block

---The type of positions of a matrix.
---@param lines integer
---@param extent integer
---@param count integer
---@return cudalua.dtype.DType
function M.place_of(lines, extent, count)
  return lines + count < M.SHORT and extent < M.SHORT and dtypes.int32 or dtypes.int64
end

---An array of one axis that is not set to anything.
---@param dtype cudalua.dtype.DType
---@param n integer
---@return cudalua.gpuarray.Array
function M.list(dtype, n) return storage.empty(dtype, { n }, n) end

---@param place cudalua.dtype.DType
---@param lines integer
---@param extent integer
---@param indptr cudalua.gpuarray.Array
---@param indices cudalua.gpuarray.Array
---@return table
function M.new(place, lines, extent, indptr, indices)
  return { place = place, lines = lines, extent = extent, count = indices._size, indptr = indptr, indices = indices,
    flipped = false, order = false, line_list = false, starts = false, blocks = 0, pieces = false }
end

---Raises inside a capture: what is kept must have been computed, and not only have been written into a graph.
---@param s table
---@param what string  for messages
function M.check_no_capture(s, what)
  if core.array_ready(evaluate(s.indptr).buf) then
    layout.refuse(what, "inside a capture, the matrix needs positions that are computed once; " ..
      "call the function with this matrix once before the capture")
  end
end

---The line of each element.
---@param s table
---@param what string  for messages
---@return cudalua.gpuarray.Array
function M.lines(s, what)
  if s.line_list then return s.line_list end
  M.check_no_capture(s, what)
  local out = M.list(s.place, s.count)
  if s.lines > 0 then
    code.launch({ { kernel = code.kernel("build/lines", "sparse_lines", s.place), n = s.count,
      arguments = { s.count, s.lines, s.indptr, s.indptr, 0, out } } }, { out })
  end
  s.line_list = out
  return out
end

---Where lines begin whose elements are listed line by line.
---@param place cudalua.dtype.DType
---@param lines integer
---@param list cudalua.gpuarray.Array  the line of each element, ascending
---@return cudalua.gpuarray.Array
function M.pointers(place, lines, list)
  local out = M.list(place, lines + 1)
  code.launch({ { kernel = code.kernel("build/starts", "sparse_starts", place), n = lines + 1,
    arguments = { lines + 1, list._size, list, out } } }, { out })
  return out
end

local array_of = storage.array_of

---The structure of the transposed matrix. Its `order` is the place of each of its elements in this one, and false if
---that is the same.
---@param s table
---@param what string  for messages
---@return table
function M.flipped(s, what)
  if s.flipped then return s.flipped end
  M.check_no_capture(s, what)
  local numbers, list = M.list(s.place, s.count), M.list(s.place, s.count)
  local keys, order = s.indices, numbers
  if s.count > 0 then
    code.launch({ { kernel = code.kernel("build/numbers", "sparse_numbers", s.place), n = s.count,
      arguments = { s.count, numbers } } }, { numbers })
    local k, o = sorting.sort_pairs(evaluate(s.indices), evaluate(numbers), s.count)
    keys, order = array_of(k), array_of(o)
    code.release(numbers)
    code.launch({ { kernel = code.kernel("build/lines", "sparse_lines", s.place), n = s.count,
      arguments = { s.count, s.lines, s.indptr, order, 1, list } } }, { list })
  end
  local f = M.new(s.place, s.extent, s.lines, M.pointers(s.place, s.extent, keys), list)
  f.order, f.line_list = order, keys
  s.flipped = f
  return f
end

local TILE = 128 * 8 - 4 -- steps of a block: kernels/sparse/merge.cu

---Where each block's part of the merge path begins.
---@param s table
---@param what string  for messages
---@return cudalua.gpuarray.Array starts
---@return integer blocks
function M.partition(s, what)
  if s.starts then return s.starts, s.blocks end
  M.check_no_capture(s, what)
  local blocks = math.ceil((s.lines + s.count) / TILE)
  local starts = M.list(s.place, blocks + 1)
  code.launch({ { kernel = code.kernel("merge/partition", "sparse_partition", s.place), n = blocks + 1,
    arguments = { blocks + 1, s.lines, s.count, s.indptr, starts } } }, { starts })
  s.starts, s.blocks = starts, blocks
  return starts, blocks
end

return M
