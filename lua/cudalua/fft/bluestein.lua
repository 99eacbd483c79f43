-- Transforms of lengths with a prime factor above 7, through transforms of a power of two: kernels/fft/bluestein.cu.

local factors = require "cudalua.fft.factors"
local passes = require "cudalua.fft.passes"
local pointwise = require "cudalua.fft.pointwise"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local tables = require "cudalua.fft.tables"

local M = {}

local function step(part, double, index, all, list, real)
  return pointwise("bluestein", part, double, index, all, list, real)
end

-- Makes the chirp and the transform of the filter, in private memory.
local function filled(since, plan, powers, chirp, filter)
  local steps = { since = since, leaves = { powers }, writes = {}, scratch = {} }
  local turned = { buf = storage.buffer(plan.padded * plan.itemsize), off = 0 }
  steps.scratch[1] = turned.buf
  steps[1] = step("chirp", plan.double, "unsigned long long", plan.padded, { chirp.buf, 0, turned.buf, 0, powers.buf, 0,
    powers.shift, plan.n, plan.padded })
  passes.add(steps, plan.row, { outer = 1, inner = 1, extent = plan.padded, from = turned, to = filter, inverse = false,
    scale = 1 })
  return runs.sequence(steps) or runs.AGAIN
end

---@param what string
---@param n integer
---@param double boolean
---@param rows boolean
---@return table plan
function M.plan(what, n, double, rows)
  local itemsize = double and 16 or 8
  local padded = factors.padded(n)
  local row = passes.plan(what, padded, double, true)
  local plan = { n = n, double = double, itemsize = itemsize, padded = padded, row = row,
    inside = rows and row or passes.plan(what, padded, double, false), leaves = {} }
  local powers = tables.powers(what, 2 * n)
  local chirp, filter = tables.memory(what, n * itemsize), tables.memory(what, padded * itemsize)
  runs.until_done(filled, plan, powers, chirp, filter)
  plan.chirp, plan.filter = chirp, filter
  for _, leaf in ipairs(plan.inside.leaves) do plan.leaves[#plan.leaves + 1] = leaf end
  plan.leaves[#plan.leaves + 1] = chirp
  plan.leaves[#plan.leaves + 1] = filter
  return plan
end

---Adds the launches of a transform to a sequence.
---@param steps cudalua.gpuarray.Sequence
---@param plan table
---@param job cudalua.fft.Job
function M.add(steps, plan, job)
  local double, inner, padded, n = plan.double, job.inner, plan.padded, plan.n
  local all = job.outer * padded * inner
  local index = passes.index_of(math.max(all, job.outer * inner * job.extent))
  local a = { buf = storage.buffer(all * plan.itemsize), off = 0 }
  local b = { buf = storage.buffer(all * plan.itemsize), off = 0 }
  steps.scratch[#steps.scratch + 1] = a.buf
  steps.scratch[#steps.scratch + 1] = b.buf
  steps[#steps + 1] = step("spread", double, index, all, { job.from.buf, job.from.off, a.buf, 0, plan.chirp.buf, 0, all,
    inner, job.extent, padded, math.min(job.extent, n), job.inverse and 1 or 0 }, job.real)
  local inside = { outer = job.outer, inner = inner, extent = padded, from = a, to = b, inverse = false, scale = 1 }
  passes.add(steps, plan.inside, inside)
  steps[#steps + 1] = step("convolve", double, index, all, { b.buf, 0, plan.filter.buf, 0, all, inner, padded })
  inside.from, inside.to, inside.inverse, inside.scale = b, a, true, 1 / padded
  passes.add(steps, plan.inside, inside)
  local count = job.outer * n * inner
  steps[#steps + 1] = step("gather", double, index, count, { a.buf, 0, job.to.buf, job.to.off, plan.chirp.buf, 0, count,
    inner, n, padded, job.scale, job.inverse and 1 or 0 })
end

return M
