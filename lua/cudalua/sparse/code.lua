-- The CUDA C of the kernels in kernels/sparse: files with a place type, value types and the type of sums filled in; and
-- their launches, whose arguments are arrays.

local ctype = require "cudalua.gpuarray.kernel.ctype"
local dtypes = require "cudalua.dtype"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local is_array = require("cudalua.gpuarray.core.object").is_array
local kernels = require "cudalua.gpuarray.index.kernels"
local prelude = require "cudalua.base.prelude"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local M = {}

---The types of values: what a kernel reads from the matrix and from the other operand, and what it writes.
---@class cudalua.sparse.Types
---@field data cudalua.dtype.DType
---@field other? cudalua.dtype.DType
---@field result? cudalua.dtype.DType  default: data
---@field sum? cudalua.dtype.DType     what sums are computed in; default: that of the result

---The type that sums of a type are computed in: 16-bit floats have float32.
---@param dtype cudalua.dtype.DType
---@return cudalua.dtype.DType
function M.sum_type(dtype) return dtype.kind == "float" and dtype.itemsize == 2 and dtypes.float32 or dtype end

-- The functions on sums.
local function scalar(sum)
  local name = ctype.register(sum)
  if sum.kind == "complex" then
    return template.fill("sparse/scalar", "complex", { sum = name, fma = sum.itemsize == 8 and "fmaf" or "fma" })
  end
  return template.fill("sparse/scalar", sum.kind == "int" and "integer" or "real", { sum = name })
end

local function load(name, from, sum)
  return template.fill("sparse/scalar", "load", { name = name, memory = ctype.memory(from),
    register = ctype.register(from), value = ctype.load(from, "p[i]"), converted = ctype.convert(from, sum, "v") })
end

local function store(sum, to)
  return template.fill("sparse/scalar", "store", { memory = ctype.memory(to), register = ctype.register(to),
    value = ctype.store(to, "v"), converted = ctype.convert(sum, to, "s") })
end

-- Which parts of its file stand before a kernel's.
local before = { ["merge/partition"] = { "tile" }, ["merge/product"] = { "tile", "staging", "sums" },
  ["rows/product"] = { "piece" }, ["rows/pieces"] = { "piece" } }

-- What kernels/sparse/merge.cu needs beyond the types. Sums of 4 bytes fit into the registers of 12 blocks for each
-- multiprocessor; wider ones would be spilled.
local function merge_fields(place, data, sum, ordered)
  local fields = { align = math.min(16, 4 * data.itemsize), word = data.itemsize == 2 and "uint2" or "uint4",
    data = ctype.memory(data), bounds = sum.itemsize == 4 and place.itemsize == 4 and 12 or 1 }
  fields.stage = template.fill("sparse/merge", ordered and "stage_ordered" or "stage", fields):gsub("\n+$", "")
  return fields
end

---A kernel, "merge/product" of kernels/sparse/merge.cu, for types.
---@param path string
---@param name string                      the function's
---@param place cudalua.dtype.DType        of positions: int32 or int64
---@param types? cudalua.sparse.Types      nil: the kernel reads no values
---@param ordered? boolean                 values are read through `order`
---@return table
function M.kernel(path, name, place, types, ordered)
  local key = { path, name, place.name, ordered and "ordered" or "" }
  local data, other, result, sum
  if types then
    data, other, result = types.data, types.other or types.data, types.result or types.data
    sum = types.sum or M.sum_type(result)
    key[#key + 1], key[#key + 2], key[#key + 3], key[#key + 4] = data.name, other.name, result.name, sum.name
  end
  return kernels.get(table.concat(key, " "), function()
    local file, part = path:match "^(.*)/([^/]*)$"
    file = "sparse/" .. file
    local fields, list = {}, { template.fill("sparse/build", "place", { place = ctype.memory(place) }) }
    if types then
      list[#list + 1] = scalar(sum) .. load("load_a", data, sum) .. load("load_x", other, sum) .. store(sum, result)
      fields = path == "merge/product" and merge_fields(place, data, sum, ordered) or { data = ctype.memory(data) }
      fields.other, fields.result = ctype.memory(other), ctype.memory(result)
      fields.order = ordered and "order[i]" or "i"
    end
    for _, p in ipairs(before[path] or {}) do list[#list + 1] = template.fill(file, p, fields) end
    list[#list + 1] = template.fill(file, part, fields)
    local text = table.concat(list)
    return name, text, prelude.needed(text)
  end, true)
end

---An array whose elements lie in C order without gaps.
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.dense(x) return evaluate(x).dense and x or view.copy(x, "C") end

---An array as dense() gives it, whose first element lies at a multiple of 16 bytes.
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.aligned(x)
  local leaf = evaluate(x)
  return leaf.dense and leaf.aligned and x or view.copy(x, "C")
end

---Frees arrays that are not shared, before the collector would.
---@param ... cudalua.gpuarray.Array
function M.release(...)
  for k = 1, select("#", ...) do storage.release_array((select(k, ...))) end
end

---Memory that the kernels of one job alone use: it is freed behind them.
---@param bytes integer
---@return table  stands among the arguments
function M.scratch(bytes) return { scratch = bytes } end

---One kernel of a job: `n` threads, or `blocks` of `threads`; arrays among the arguments are pointers to their first
---elements, and so are those of scratch(). `fill`, an array that is set to zeros, in place of a kernel.
---@class cudalua.sparse.Step
---@field kernel? table
---@field n? integer
---@field blocks? integer
---@field threads? integer
---@field arguments? any[]
---@field fill? cudalua.gpuarray.Array

local NO_MEMORY = {} -- stands in a list of arguments for memory of an array without elements

-- The arguments as array_run takes them, and what is read.
local function listed(step, leaves, made, scratch)
  local list, n, some = {}, 0, nil
  for _, x in ipairs(step.arguments) do
    if is_array(x) then
      local leaf = evaluate(x)
      leaves[#leaves + 1] = leaf
      some = leaf.buf or some
      list[n + 1], list[n + 2] = leaf.buf or NO_MEMORY, leaf.buf and leaf.off or 0
      n = n + 2
    elseif type(x) == "table" then
      if not made[x] then
        made[x] = storage.buffer(x.scratch)
        scratch[#scratch + 1] = made[x]
      end
      list[n + 1], list[n + 2] = made[x], 0
      n = n + 2
    else
      n = n + 1
      list[n] = x
    end
  end
  for k = 1, n do
    if list[k] == NO_MEMORY then list[k] = some end -- which is not looked at
  end
  return list
end

local function attempt(since, job, writes, into)
  local to = into and write.prepare(into)
  local leaves, written, scratch, made = {}, {}, {}, {}
  local sequence = { since = since, leaves = leaves, writes = written, scratch = scratch,
    changes = into ~= nil }
  for _, step in ipairs(job) do
    if step.fill then
      local leaf = evaluate(step.fill)
      if leaf.buf then
        sequence[#sequence + 1] = { fill = leaf.buf, words = math.ceil(step.fill._size * leaf.dtype.itemsize / 4) }
      end
    elseif step.n ~= 0 then
      sequence[#sequence + 1] = { kernel = step.kernel, blocks = step.blocks or math.ceil(step.n / runs.BLOCK),
        threads = step.threads, arguments = listed(step, leaves, made, scratch) }
    end
  end
  for k, x in ipairs(writes) do written[k] = evaluate(x) end
  if into and write.is_moved(into, to) then return runs.AGAIN end
  local done, captured = runs.sequence(sequence)
  if not done then return runs.AGAIN end
  return true, captured
end

---Launches the kernels of a job in their order. They write to new memory that is not shared, but for the last one.
---@param job cudalua.sparse.Step[]
---@param writes cudalua.gpuarray.Array[]
---@param into? cudalua.gpuarray.Array  is among these, was there before, and only the last kernel writes to it
---@return boolean captured
function M.launch(job, writes, into)
  local _, captured = runs.until_done(attempt, job, writes, into)
  return captured or false
end

return M
