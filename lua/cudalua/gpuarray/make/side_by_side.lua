-- Many small arrays side by side in one kernel, where a kernel for each would be all overhead.

local core = require "cudalua.core"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"

local M = {}

-- Arrays of a kernel, and the most elements that one of them has: beyond that a kernel of its own is not a loss.
local MOST, SMALL = 16, 2 ^ 16
local PER_BLOCK = 1024 -- elements, see kernels/array/construct.cu

local words = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned", [8] = "unsigned long long",
  [16] = "ulonglong2" }

local kernels = {} -- by itemsize

local function kernel(itemsize)
  local k = kernels[itemsize]
  if k then return k end
  local word, pointers, ends, choice = words[itemsize], {}, {}, {}
  for i = 1, MOST do
    pointers[i] = (", const %s *p%d"):format(word, i)
    ends[i] = (", const unsigned end%d"):format(i)
    if i > 1 then
      choice[i - 1] = ("      if (column >= end%d) p = p%d, begin = end%d, end = end%d;"):format(i - 1, i, i - 1, i)
    end
  end
  local name = "array_columns_" .. itemsize
  k = { pieces = {}, device = "", name = name, loaded = {}, kernel = template.fill("construct", "columns", {
    name = name, word = word, pointers = table.concat(pointers), ends = table.concat(ends),
    choice = table.concat(choice, "\n") }) }
  kernels[itemsize] = k
  return k
end

-- The leaf of an array that a batch can take.
local function candidate(x, out, id)
  if x._sig or x._dtype ~= out.dtype or x._size > SMALL then return nil end
  local leaf = storage.leaf_of(x)
  return leaf.dense and leaf.store.context == id and leaf or nil
end

---Columns of an array, and what is written to them.
---@class cudalua.gpuarray.Columns
---@field out table      leaf, without gaps
---@field rows integer
---@field pitch integer  columns of the whole array
---@field first integer  columns before these
---@field width integer  how many these are
---@field [integer] {array: cudalua.gpuarray.Array, to: integer, number: integer}  the arrays that are written, at most
--- MOST: the last one of the columns of each, and its number in the list

-- An attempt to write them.
---@param since integer
---@param batch cudalua.gpuarray.Columns
local function attempt(since, batch)
  local n, leaves, out, first, width = #batch, {}, batch.out, batch.first, batch.width
  local size = batch.rows * width
  local arguments = { size, out.buf, out.off + first * out.dtype.itemsize }
  for i = 1, MOST do
    local leaf = storage.leaf_of(batch[math.min(i, n)].array)
    arguments[2 + 2 * i], arguments[3 + 2 * i], leaves[i] = leaf.buf, leaf.off, leaf
  end
  local at = 3 + 2 * MOST
  arguments[at + 1], arguments[at + 2] = width, batch.pitch
  for i = 1, MOST do arguments[at + 2 + i] = batch[math.min(i, n)].to - first end
  return run.kernel { kernel = kernel(out.dtype.itemsize), blocks = math.ceil(size / PER_BLOCK),
    arguments = arguments, since = since, leaves = leaves, writes = { out } } or run.AGAIN
end

---Writes arrays side by side into a fresh array without gaps, as far as they are small and lie without gaps themselves.
---@param list cudalua.gpuarray.Array[]
---@param out table      leaf
---@param rows integer   of each array, and of the output
---@return table<integer, boolean> done  which ones were written
function M.write(list, out, rows)
  local done, itemsize, id = {}, out.dtype.itemsize, core.context_id()
  if #list < 3 or not words[itemsize] or out.store.context ~= id then return done end
  local pitch = 0
  for _, x in ipairs(list) do pitch = pitch + x._size / math.max(rows, 1) end
  if rows == 0 or rows * pitch >= 2 ^ 31 then return done end

  local column = 0
  local function from(first) return { out = out, rows = rows, pitch = pitch, first = first, width = 0 } end
  local batch = from(0)
  local function flush()
    if #batch > 1 then
      batch.width = column - batch.first
      run.until_done(attempt, batch)
      for i = 1, #batch do done[batch[i].number] = true end
    end
    batch = from(column)
  end
  for i, x in ipairs(list) do
    if x._size > 0 then
      local leaf = candidate(x, out, id)
      if not leaf or #batch == MOST then flush() end
      column = column + x._size / rows
      if leaf then
        batch[#batch + 1] = { array = x, to = column, number = i }
      else
        batch.first = column
      end
    end
  end
  flush()
  return done
end

return M
