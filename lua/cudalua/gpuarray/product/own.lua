-- Products by the library's own kernels, kernels/linalg/product.cu, tensor.cu and vector.cu: their sources and
-- launches.

local ctype = require "cudalua.gpuarray.kernel.ctype"
local hooks = require "cudalua.base.hooks"
local kernels = require "cudalua.gpuarray.index.kernels"
local operands = require "cudalua.gpuarray.product.operands"
local plan = require "cudalua.gpuarray.product.plan"
local prelude = require "cudalua.base.prelude"
local runs = require "cudalua.gpuarray.core.run"
local scalar = require("cudalua.gpuarray.core.scalar").operand
local storage = require "cudalua.gpuarray.core.storage"
local template = require "cudalua.gpuarray.kernel.template"
local tensor = require "cudalua.gpuarray.product.tensor"
local write = require "cudalua.gpuarray.core.write"

local abs, ceil, concat, max, min = math.abs, math.ceil, table.concat, math.max, math.min

local M = {}

local GRID = 2 ^ 31 - 1 -- blocks; kernels go on to what is left
local SCALED, ADDED = 1, 2 -- of product.cu
local ROWS = 32 -- of a block of array_product_columns, which has 32 threads for each
local WARPS = 8 -- of another block
local BUSY = 32 -- warps for each multiprocessor; a product that has as many need not divide its sums

-- ---- sources --------------------------------------------------------------------------------------------------------

-- A value of one type as another's, from a parameter x.
local function converted(from, to, is_stored)
  local value = is_stored and ctype.load(from, "x") or "x"
  local text = ("const %s v = %s; return "):format(ctype.register(from), value)
  local result = ctype.convert(from, to, "v")
  if is_stored then return text .. result .. ";" end
  return text .. ("%s;"):format(ctype.store(to, result))
end

---CUDA C of the types of a product and of what is done with its values: the part `types` of product.cu.
---@param r {dtype: cudalua.dtype.DType, accumulator: cudalua.dtype.DType, result: cudalua.dtype.DType}
---@return string
local function types_part(r)
  local acc = r.accumulator
  local complex, value = acc.kind == "complex", ctype.register(acc)
  local unsigned = acc.kind ~= "complex" and acc.kind ~= "float" and acc.itemsize == 8 and "unsigned long long" or
    "unsigned"
  local text = { zero = "0", plus = "x + y", times = "x * y" }
  if complex then
    text.zero = ("make_%s(0, 0)"):format(value)
    text.plus = ("make_%s(x.x + y.x, x.y + y.y)"):format(value)
    local fma = acc.itemsize == 8 and "fmaf" or "fma"
    text.times = ("make_%s(%s(-x.y, y.y, x.x * y.x), %s(x.y, y.x, x.x * y.y))"):format(value, fma, fma)
  elseif acc.kind ~= "float" then
    text.plus = ("(%s)((%s)x + (%s)y)"):format(value, unsigned, unsigned)
    text.times = ("(%s)((%s)x * (%s)y)"):format(value, unsigned, unsigned)
  end
  return template.fill("linalg/product", "types", { element = ctype.memory(r.dtype), value = value,
    result = ctype.memory(r.result), widened = converted(r.dtype, acc, true),
    widened_result = converted(r.result, acc, true), rounded = converted(acc, r.result, false), zero = text.zero,
    plus = text.plus, times = text.times })
end

M.types_part = types_part

-- How far the parameters and lines of a kernel know where operands begin in the batch.
---@param rank integer      axes of the batch
---@param names string[]    operands
local function batch_code(rank, names)
  local params, lines = {}, {}
  for _, name in ipairs(names) do lines[#lines + 1] = ("    long long %s_at = 0;"):format(name) end
  if rank > 0 and #names > 0 then lines[#lines + 1] = "    unsigned long long at = batch;" end
  for axis = rank, 1, -1 do
    if #names > 0 then
      params[#params + 1] = (", const unsigned long long extent_%d"):format(axis)
      if axis > 1 then
        lines[#lines + 1] = ("    const long long x_%d = (long long)(at %% extent_%d);"):format(axis, axis)
        lines[#lines + 1] = ("    at /= extent_%d;"):format(axis)
      else
        lines[#lines + 1] = "    const long long x_1 = (long long)at;"
      end
    end
    for _, name in ipairs(names) do
      params[#params + 1] = (", const long long %s_%d"):format(name, axis)
      lines[#lines + 1] = ("    %s_at += x_%d * %s_%d;"):format(name, axis, name, axis)
    end
  end
  return concat(params), concat(lines, "\n")
end

-- What a kernel writes: the sums of chunks, results, or results with alpha, beta and c.
local targets = {
  sum = "Value *const sums, const unsigned long long batches",
  result = "Result *const out, const long long out_row, const long long out_column",
  ["end"] = "Result *const out, const long long out_row, const long long out_column, const unsigned ends, " ..
    "const Value alpha, const Value beta, const Result *const c0, const long long c_row, const long long c_column",
}
local written = { sum = {}, result = { "out" }, ["end"] = { "out", "c" } }

local function kernel(name, file, part, r, rank, target, read, key, before, fields)
  local text = ("%s %s %s %s %d %s %s"):format(name, r.dtype.name, r.accumulator.name, r.result.name, rank, target, key)
  return kernels.get(text, function()
    local names = { unpack(read) }
    for _, own in ipairs(written[target]) do names[#names + 1] = own end
    local params, lines = batch_code(rank, names)
    fields.params, fields.places = targets[target] .. params, lines
    fields.put = template.fill("linalg/product", "put_" .. target, {}):gsub("\n$", "")
    fields.walk = template.fill("linalg/product", "walk", fields):gsub("\n+$", "")
    local source = types_part(r) .. before() .. template.fill(file, part, fields)
    return name, source, prelude.needed(source)
  end, true), read
end

local function tile_kernel(r, rank, target, t, a, b)
  return kernel("array_product", "linalg/product", "product", r, rank, target, { "a", "b" },
    ("%d %s %d %s %d"):format(t, a.along, a.pack, b.along, b.pack), function()
      return template.fill("linalg/product", "tile", { t = t, pad = 16 / r.accumulator.itemsize })
    end, { blocks = t >= 4 and 2 or 1, a_along = a.along, a_pack = a.pack, b_along = b.along, b_pack = b.pack })
end

local function tensor_kernel(r, rank, target, kind, tile, a, b)
  return kernel("array_product_tensor", "linalg/tensor", "product", r, rank, target, { "a", "b" },
    ("%s %d %d %d %s %d %s %d"):format(kind, tile.side, tile.high, tile.wide, a.along, a.pack, b.along, b.pack),
    function() return tensor.before(r.dtype, kind, tile) end,
    { a_along = a.along, a_pack = a.pack, b_along = b.along, b_pack = b.pack })
end

local function vector_kernel(r, rank, target, part, swapped)
  local value = ctype.register(r.accumulator)
  local further = "__shfl_down_sync(0xffffffffu, x, step)"
  if r.accumulator.kind == "complex" then
    further = ("make_%s(__shfl_down_sync(0xffffffffu, x.x, step), __shfl_down_sync(0xffffffffu, x.y, step))"):format(
      value)
  end
  return kernel("array_product_" .. part, "linalg/vector", part, r, rank, target, { "a", "b" }, tostring(swapped),
    function()
      return template.fill("linalg/vector", "lanes", { further = further,
        term = swapped and "cl_fma(y, x, sum)" or "cl_fma(x, y, sum)" })
    end, { ahead = r.dtype.itemsize <= 8 and 8 or 4 }) -- elements that fit into the registers of 1024 threads
end

local function chunks_kernel(r, rank, target)
  return kernel("array_product_chunks", "linalg/product", "chunks", r, rank, target, {}, "",
    function() return "" end, {})
end

-- ---- launches -------------------------------------------------------------------------------------------------------

-- The axes of the batch along which all operands go on as along one are joined.
local function joined(record, list)
  local extents, strides = {}, {}
  for i = 1, #list do strides[i] = {} end
  for axis, extent in ipairs(record.batch) do
    local n = #extents
    local same = n > 0
    for i, x in ipairs(list) do same = same and strides[i][n] == extent * x.batch[axis] end
    if extent ~= 1 then
      if not same then n = n + 1 end
      extents[n] = same and extents[n] * extent or extent
      for i, x in ipairs(list) do strides[i][n] = x.batch[axis] end
    end
  end
  return extents, strides
end

-- One launch's lists of arguments: those of the batch come last, the innermost axis first.
local function append_batch(list, extents, all, wanted)
  for axis = #extents, 1, -1 do
    if #wanted > 0 then list[#list + 1] = extents[axis] end
    for _, i in ipairs(wanted) do list[#list + 1] = all[i][axis] end
  end
end

local A, B, OUT, C = 1, 2, 3, 4 -- in the lists of operands

local function pointer(list, x, instead)
  local n = #list
  list[n + 1], list[n + 2] = x.leaf.buf or instead, x.leaf.buf and x.leaf.off or 0
end

-- What is written: arguments for the parameters of `targets`.
local function append_target(list, target, p)
  local n = #list
  if target == "sum" then
    list[n + 1], list[n + 2], list[n + 3] = p.sums, 0, p.record.batches
    return
  end
  pointer(list, p.out)
  list[n + 3], list[n + 4] = p.out.row, p.out.column
  if target == "end" then
    list[n + 5], list[n + 6], list[n + 7] = p.ends, p.alpha, p.beta
    pointer(list, p.c, p.out.leaf.buf)
    list[n + 10], list[n + 11] = p.c.row, p.c.column
  end
end

local wanted = { sum = { A, B }, result = { A, B, OUT }, ["end"] = { A, B, OUT, C } }
local wanted_later = { result = { OUT }, ["end"] = { OUT, C } }

local function add(steps, k, blocks, list, threads)
  steps[#steps + 1] = { kernel = k, blocks = min(blocks, GRID), arguments = list, threads = threads or 256 }
end

-- How an operand is read into tiles: which way, and how many neighbours at once, at most `most`. `step_side` and
-- `step_term` are its strides along rows (or columns) of the result and along terms; a whole tile has to lie on
-- multiples of the pack.
local function reading(x, strides, step_side, step_term, most)
  local along = abs(step_term) <= abs(step_side)
  local step, other = step_side, step_term
  if along then step, other = step_term, step_side end
  local itemsize, pack = x.leaf.dtype.itemsize, 1
  local leaf = x.leaf
  if most > 1 and step == 1 and leaf.buf then
    local place = (leaf.store.skew + leaf.off) / itemsize
    pack = min(16 / itemsize, most)
    local function fits(n) return n % pack == 0 end
    while pack > 1 do
      local all = fits(place) and fits(other)
      for _, stride in ipairs(strides) do all = all and fits(stride) end
      if all then break end
      pack = pack / 2
    end
  end
  return { along = tostring(along), pack = pack }
end

local function add_matrices(steps, p, target, terms, chunks)
  local r = p.record
  local a, b, instead = r.a, r.b, p.out.leaf.buf
  local function readings(most)
    return reading(a, p.strides[A], a.row, a.column, most), reading(b, p.strides[B], b.column, b.row, most)
  end
  local k, side, threads
  if p.tensor then
    local tile, itemsize = plan.tensor_tile(r, chunks), r.dtype.itemsize
    local of_a, of_b = readings(16 / itemsize)
    for _, x in ipairs { of_a, of_b } do
      if x.pack * itemsize < 4 then x.pack = 1 end -- copies in the background have at least 4 bytes
    end
    k, side = tensor_kernel(r, #p.extents, target, p.tensor, tile, of_a, of_b), tile.side
    threads = 32 * side / tile.high * side / tile.wide
  else
    local t = plan.tile(r, r.accumulator.itemsize, chunks)
    k, side = tile_kernel(r, #p.extents, target, t, readings(t >= 4 and t or 1)), 16 * t
  end
  local tiles = ceil(r.m / side) * ceil(r.n / side) * r.batches * chunks
  local list = { tiles, r.m, r.n, r.k, terms, chunks }
  pointer(list, a, instead)
  list[9], list[10] = a.row, a.column
  pointer(list, b, instead)
  list[13], list[14] = b.row, b.column
  append_target(list, target, p)
  append_batch(list, p.extents, p.strides, wanted[target])
  add(steps, k, tiles, list, threads)
end

-- A matrix and a vector. Where the row is the first operand, the matrix is the second.
local function add_vector(steps, p, target, chunks)
  local r, instead = p.record, p.out.leaf.buf
  local swapped = r.n ~= 1
  local matrix = swapped and { x = r.b, row = r.b.column, term = r.b.row }
    or { x = r.a, row = r.a.row, term = r.a.column }
  local vector = swapped and { x = r.a, term = r.a.column } or { x = r.b, term = r.b.row }
  local rows = swapped and r.n or r.m
  local parts = target == "sum" and chunks or 1
  local along = abs(matrix.term) <= abs(matrix.row) or rows == 1
  local all = (along and rows or ceil(rows / ROWS)) * r.batches * parts
  local list = { all, rows, r.k, parts, chunks / parts }
  pointer(list, matrix.x, instead)
  list[8], list[9] = matrix.row, matrix.term
  pointer(list, vector.x, instead)
  list[12] = vector.term
  local n = #list
  append_target(list, target, p)
  if swapped and target ~= "sum" then -- the results are in a row: it is the kernel's column
    list[n + 3], list[n + 4] = p.out.column, 0
    if target == "end" then list[n + 10], list[n + 11] = p.c.column, 0 end
  end
  local places = p.strides
  if swapped then places = { places[B], places[A], places[OUT], places[C] } end
  append_batch(list, p.extents, places, wanted[target])
  add(steps, vector_kernel(r, #p.extents, target, along and "rows" or "columns", swapped),
    along and ceil(all / WARPS) or all, list, not along and 32 * ROWS or nil)
end

-- Has a product of a matrix and a vector too few rows for all multiprocessors?
local function divides(r)
  return max(r.m, r.n) * r.batches < BUSY * plan.multiprocessors_of_context()
end

local function value(x, dtype)
  local v = scalar(x, dtype)
  return type(v) == "table" and v._scalar or v
end

---Adds the launches of a product with at least one result to a sequence. What chunks need is added to its
---scratch.
---@param steps cudalua.gpuarray.Sequence
---@param record cudalua.gpuarray.ProductRecord
---@param out_leaf table  of the record's result type and shape
---@param alpha? any      default: 1
---@param beta? any       default: 0
---@param c_leaf? table   of the result's type, in a shape that broadcasts to its shape; it may be out_leaf
---@param on_tensor? "native"|"emulated"  on tensor cores
function M.step(steps, record, out_leaf, alpha, beta, c_leaf, on_tensor)
  local acc = record.accumulator
  local out = operands.under(record, out_leaf)
  local adds = c_leaf and beta ~= nil and beta ~= 0
  local ends = (alpha ~= nil and alpha ~= 1 and SCALED or 0) + (adds and ADDED or 0)
  local c = adds and operands.under(record, c_leaf) or out
  local p = { record = record, out = out, c = c, ends = ends, alpha = value(alpha or 1, acc),
    beta = value(beta or 0, acc), tensor = on_tensor }
  p.extents, p.strides = joined(record, { record.a, record.b, out, c })
  local terms, chunks = plan.chunks(record)
  local vector = plan.is_vector(record)
  local last = ends > 0 and "end" or "result"
  local target = chunks > 1 and (not vector or divides(record)) and "sum" or last
  local size = record.m * record.n * record.batches
  if target == "sum" then
    p.sums = storage.buffer(chunks * size * acc.itemsize)
    steps.scratch = steps.scratch or {}
    steps.scratch[#steps.scratch + 1] = p.sums
  end
  if vector then add_vector(steps, p, target, chunks) else add_matrices(steps, p, target, terms, chunks) end
  if target ~= "sum" then return end
  local list = { size, record.m, record.n, chunks, p.sums, 0 }
  append_target(list, last, p)
  append_batch(list, p.extents, p.strides, wanted_later[last])
  add(steps, chunks_kernel(record, #p.extents, last), ceil(size / 256), list)
end

---An attempt to compute a product.
---@param since integer  storage.writes before the operands were looked at
---@param record cudalua.gpuarray.ProductRecord
---@param alpha? any
---@param beta? any
---@param c? table  leaf
---@param to? cudalua.gpuarray.Array  of the result's type and shape, that shares no memory with an operand; c may be it
---@return cudalua.gpuarray.Array  `to`, or a new array; runs.AGAIN: a finalizer wrote to arrays since then
function M.attempt(since, record, alpha, beta, c, to)
  local size = record.m * record.n * record.batches
  local out = to or storage.empty(record.result, record.shape, size)
  if size == 0 then return out end
  local leaf = to and write.prepare(to) or out._leaf
  local steps = { since = since, leaves = { record.a.leaf, record.b.leaf, c }, writes = { leaf }, changes = to ~= nil }
  M.step(steps, record, leaf, alpha, beta, c, plan.tensor(record))
  if to and write.is_moved(to, leaf) then return runs.AGAIN end
  if hooks.profiling then runs.say_bytes(steps.leaves, #steps.leaves, 0, steps.writes, 1) end
  return runs.sequence(steps) and out or runs.AGAIN
end

return M
