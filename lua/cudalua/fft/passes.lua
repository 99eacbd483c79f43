-- The passes of transforms whose length has no prime factor above 7: kernels of kernels/fft/stockham.cu, and the steps
-- that launch them. An array is seen as `outer` times `n` times `inner` elements without gaps; the middle axis is
-- transformed. An inverse transform is a forward one of numbers with real and imaginary parts exchanged.

local factors = require "cudalua.fft.factors"
local kernels = require "cudalua.gpuarray.index.kernels"
local storage = require "cudalua.gpuarray.core.storage"
local tables = require "cudalua.fft.tables"
local template = require "cudalua.gpuarray.kernel.template"

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min

local M = {}

M.NARROW = 2 ^ 31 -- fewer elements are counted in 32 bits

---The C type of numbers of so many elements.
---@param count integer
---@return string
function M.index_of(count) return count < M.NARROW and "unsigned" or "unsigned long long" end

---The types of a kernel.
---@param double boolean
---@param index string
---@param real? boolean  elements of the source are real
---@return table fields
function M.types(double, index, real)
  local part = double and "double" or "float"
  return { complex = part .. 2, real = part, source = real and part or part .. 2, index = index }
end

-- ---- kernels --------------------------------------------------------------------------------------------------------

local EACH = 8 -- elements of a thread
local ROW_ELEMENTS = 1024 -- of a block, where rows are shorter
local WIDEST = { float = 64, double = 32 } -- columns of a block

-- Columns of a block: rows, or neighbours in memory, at least a sector of them (32 bytes).
local function columns_of(length, rows, double)
  if rows then return max(1, floor(ROW_ELEMENTS / length)) end
  local wanted, most = (double and 1024 or 2048) / length, double and WIDEST.double or WIDEST.float
  local columns = double and 2 or 4
  while columns * 2 <= wanted and columns < most do columns = columns * 2 end
  return columns
end

local function threads_of(shape)
  return max(32, ceil(shape.length * columns_of(shape.length, shape.rows, shape.double) / EACH / 32) * 32)
end

local function store_text(at, radices, shape, before, rows)
  local fields = { radix = radices[at], before = before, rows = rows, wait = at > 1 and "    __syncthreads();" or "",
    between = shape.between and template.fill("fft/stockham", "between", {}):sub(1, -2) or "",
    powers = shape.between and template.fill("fft/stockham", "powers", { radix = radices[at] }):sub(1, -2) or "" }
  return template.fill("fft/stockham", at < #radices and "exchange" or "write", fields):sub(1, -2)
end

-- The radices one after the other. Loads go along rows or columns, and so does the rest.
local function stages(radices, shape)
  local list, before = {}, 1
  for at, radix in ipairs(radices) do
    local rows = shape.rows or at == 1 and shape.loads_rows or false
    list[at] = template.fill("fft/stockham", at == 1 and "first" or "next", { radix = radix, before = before,
      rows = tostring(rows), store = store_text(at, radices, shape, before, tostring(rows)) })
    before = before * radix
  end
  return table.concat(list)
end

---What a kernel of a pass is made for.
---@class cudalua.fft.Shape
---@field length integer
---@field double boolean
---@field rows boolean        columns of the array are rows in memory: their elements lie side by side
---@field loads_rows boolean  the same where they are read, not where they are written
---@field one boolean         `inner` is 1
---@field passes integer      of the last of several passes how many there are, 3 for more; 1 for the others
---@field between boolean     results are multiplied by powers of the root, for the next pass
---@field real boolean        elements of the source are real
---@field index string

-- How the elements of a block lie in shared memory, where the lanes of a request (16 of float2, 8 of double2) meet no
-- other one of them in their bank: place() in the kernel.
local function room(fields, shape, columns)
  local length, double = shape.length, shape.double
  local lanes = double and 8 or 16
  fields.shift, fields.pad, fields.pitch = double and 3 or 4, 0, 0
  if shape.rows or shape.loads_rows then -- later radices take as many neighbours of each column as lanes are left
    local pitch, wanted = length + floor((length - 1) / lanes), shape.rows and 1 or lanes / min(columns, lanes)
    fields.pitch = pitch + (wanted - pitch) % lanes
    return columns * fields.pitch
  end
  if columns <= (double and 2 or 4) and length % 2 == 0 then fields.pad = columns end
  local elements = length * columns
  return elements + floor((elements - 1) / lanes) * fields.pad
end

---@param shape cudalua.fft.Shape
local function source_of(shape)
  local length, double = shape.length, shape.double
  local fields = M.types(double, shape.index, shape.real)
  local columns = columns_of(length, shape.rows, double)
  fields.length, fields.columns, fields.passes = length, columns, shape.passes
  fields.rows, fields.one = shape.rows and 1 or 0, shape.one and 1 or 0
  fields.threads = threads_of(shape)
  local places = room(fields, shape, columns)
  local radices = factors.radices(length)
  local shared = #radices > 1 and ("  __shared__ Complex values[%d];"):format(places) or ""
  return "array_fft_pass", template.fill("fft/stockham", "numbers", fields) ..
    template.fill("fft/stockham", "columns", fields) .. template.fill("fft/stockham", "begin", { shared = shared }) ..
    stages(radices, shape) .. "}\n", { radix = true }
end

local function kernel_of(shape)
  local key = ("fft pass %d %s %s %s %s %d %s %s %s"):format(shape.length, shape.double, shape.rows, shape.loads_rows,
    shape.one, shape.passes, shape.between, shape.index, shape.real)
  return kernels.get(key, function() return source_of(shape) end, true)
end

-- ---- plans ----------------------------------------------------------------------------------------------------------

---The tables of a length.
---@param what string
---@param n integer
---@param double boolean
---@param rows boolean   the axis is the last one
---@return table? plan   nil: it has a prime factor above 7
function M.plan(what, n, double, rows)
  if not factors.radices(n) then return nil end
  local plan = { n = n, double = double, rows = rows, lengths = {}, roots = {}, powers = {}, leaves = {} }
  if n == 1 then return plan end
  plan.lengths = factors.passes(n, rows and factors.most_of_row(double) or factors.MOST)
  if not plan.lengths then return nil end
  local rest = n
  for p, length in ipairs(plan.lengths) do
    plan.roots[p] = tables.roots(what, length, double)
    plan.leaves[#plan.leaves + 1] = plan.roots[p]
    if p < #plan.lengths then
      plan.powers[p] = tables.powers(what, rest)
      plan.leaves[#plan.leaves + 1] = plan.powers[p]
      rest = rest / length
    end
  end
  return plan
end

---What is transformed.
---@class cudalua.fft.Job
---@field outer integer
---@field inner integer
---@field extent integer     elements of the source along the axis: the rest is 0, or is left out
---@field from table         the source: `buf` and `off`
---@field to table           the result, other memory
---@field real? boolean      elements of the source are real
---@field inverse boolean
---@field scale number       a factor of the results

local THREADS = 256

local function copy(steps, plan, job)
  local width, all = job.inner, job.outer * job.inner
  local index = M.index_of(all * max(job.extent, 1))
  local k = kernels.get(("fft copy %s %s %s"):format(plan.double, index, job.real or false), function()
    local fields = M.types(plan.double, index, job.real)
    return "array_fft_copy", template.fill("fft/stockham", "numbers", fields) ..
      template.fill("fft/stockham", "copy", {}), { radix = true }
  end, true)
  steps[#steps + 1] = { kernel = k, blocks = ceil(all / THREADS), threads = THREADS, arguments = { job.from.buf,
    job.from.off, job.to.buf, job.to.off, all, width, job.extent * job.inner, job.scale } }
end

---Adds the launches of a transform to a sequence (core/run.lua).
---@param steps cudalua.gpuarray.Sequence
---@param plan table
---@param job cudalua.fft.Job
function M.add(steps, plan, job)
  if plan.n == 1 then return copy(steps, plan, job) end
  local n, double, lengths, inner = plan.n, plan.double, plan.lengths, job.inner
  local count, itemsize = #lengths, plan.double and 16 or 8
  local index = M.index_of(job.outer * max(n, job.extent) * inner)
  local from, extent = job.from, job.extent * inner
  local between -- where results between passes are
  if count > 1 then
    between = { buf = storage.buffer(job.outer * n * inner * itemsize), off = 0 }
    steps.scratch[#steps.scratch + 1] = between.buf
  end
  local outer, rest = job.outer, n
  for p, length in ipairs(lengths) do
    local last = p == count
    local rows = plan.rows and inner == 1
    local shape = { length = length, double = double, rows = rows and count == 1, loads_rows = rows and last,
      one = inner == 1, passes = last and min(count, 3) or 1, between = not last,
      index = index, real = p == 1 and job.real or false }
    rest = rest / length
    local width, times = rest * inner, outer
    if last then width, times = n / length * inner, job.outer end
    local to, all = last and job.to or between, width * times
    local roots, powers = plan.roots[p], plan.powers[p] or plan.roots[p]
    local swapped = job.inverse and (p == 1 and 1 or 0) + (last and 2 or 0) or 0
    steps[#steps + 1] = { kernel = kernel_of(shape), threads = threads_of(shape),
      blocks = ceil(all / columns_of(length, shape.rows, double)),
      arguments = { from.buf, from.off, to.buf, to.off, roots.buf, 0, powers.buf, 0, powers.shift or 0, width, all,
        extent, inner, lengths[1], count > 2 and lengths[2] or 1, last and job.scale or 1, swapped } }
    outer, from, extent = outer * length, between, (p + 1 == count and n or rest) * inner
  end
end

return M
