-- Transforms of real numbers along one axis, and back to these: kernels/fft/real.cu. Of an even length by a complex one
-- of half the length, of an odd one by a complex one.

local own = require "cudalua.fft.own"
local passes = require "cudalua.fft.passes"
local plans = require "cudalua.fft.plan"
local pointwise = require "cudalua.fft.pointwise"
local storage = require "cudalua.gpuarray.core.storage"

local max = math.max

local M = {}

-- Memory of a sequence, of complex numbers.
local function scratch(steps, plan, count)
  local buf = storage.buffer(count * (plan.double and 16 or 8))
  steps.scratch[#steps.scratch + 1] = buf
  return { buf = buf, off = 0 }
end

local function add(steps, part, plan, job, all, list)
  local most = max(all, job.outer * job.inner * max(job.extent, plan.n + 2))
  steps[#steps + 1] = pointwise("real", part, plan.double, passes.index_of(most), all, list)
end

-- ---- from real numbers ----------------------------------------------------------------------------------------------

-- Are the pairs of neighbours already complex numbers in memory?
local function is_packed(job) return job.inner == 1 and job.extent % 2 == 0 and job.from.aligned end

local function forward_even(steps, plan, job)
  local half, outer, inner = plan.n / 2, job.outer, job.inner
  local from, extent = job.from, job.extent / 2
  if not is_packed(job) then
    local all = outer * half * inner
    from, extent = scratch(steps, plan, all), half
    add(steps, "pack", plan, job, all, { job.from.buf, job.from.off, from.buf, 0, all, inner, job.extent, half })
  end
  local to = scratch(steps, plan, outer * half * inner)
  plans.add(steps, plan.half, { outer = outer, inner = inner, extent = extent, from = from, to = to, inverse = false,
    scale = 1 })
  local all = outer * (half + 1) * inner
  add(steps, "unpack", plan, job, all, { to.buf, 0, job.to.buf, job.to.off, plan.powers.buf, 0, plan.powers.shift, all,
    inner, half, job.scale })
end

local function forward_odd(steps, plan, job)
  local n, kept = plan.n, (plan.n + 1) / 2
  local to = scratch(steps, plan, job.outer * n * job.inner)
  plans.add(steps, plan, { outer = job.outer, inner = job.inner, extent = job.extent, from = job.from, to = to,
    real = true, inverse = false, scale = job.scale })
  local all = job.outer * kept * job.inner
  add(steps, "first_half", plan, job, all, { to.buf, 0, job.to.buf, job.to.off, all, job.inner, n, kept })
end

-- ---- to real numbers ------------------------------------------------------------------------------------------------

local function backward_even(steps, plan, job)
  local half, outer, inner = plan.n / 2, job.outer, job.inner
  local all = outer * half * inner
  local pairs_in = scratch(steps, plan, all)
  add(steps, "repack", plan, job, all, { job.from.buf, job.from.off, pairs_in.buf, 0, plan.powers.buf, 0,
    plan.powers.shift, all, inner, job.extent, half })
  local to = inner == 1 and job.to or scratch(steps, plan, all)
  plans.add(steps, plan.half, { outer = outer, inner = inner, extent = half, from = pairs_in, to = to, inverse = true,
    scale = job.scale })
  if inner > 1 then
    add(steps, "unpair", plan, job, all, { to.buf, 0, job.to.buf, job.to.off, all, inner, half })
  end
end

local function backward_odd(steps, plan, job)
  local all = job.outer * plan.n * job.inner
  local whole, to = scratch(steps, plan, all), scratch(steps, plan, all)
  add(steps, "mirror", plan, job, all, { job.from.buf, job.from.off, whole.buf, 0, all, job.inner, job.extent, plan.n })
  plans.add(steps, plan, { outer = job.outer, inner = job.inner, extent = plan.n, from = whole, to = to, inverse = true,
    scale = job.scale })
  add(steps, "real_part", plan, job, all, { to.buf, 0, job.to.buf, job.to.off, all })
end

-- ---- both -----------------------------------------------------------------------------------------------------------

-- from: the type in which elements are read; to: of the result, which has `count` of them along the axis.
local function transform(what, x, from, to, axis, n, count, inverse, scale, out)
  local shape, size = own.resized(what, x._shape, axis, count, to.itemsize)
  if x._size == 0 or size == 0 then return own.zeros(what, to, shape, size) end
  local outer, inner = own.around(shape, axis)
  local leaf = own.dense(what, x, from)
  local double = (inverse and from or to).itemsize == 16
  local even = n % 2 == 0
  local plan = (even and plans.real or plans.complex)(what, n, double, inner == 1)
  local job = { outer = outer, inner = inner, extent = x._shape[axis], from = leaf, scale = scale }
  local steps_of = inverse and (even and backward_even or backward_odd) or even and forward_even or forward_odd
  return own.launched(job, to, shape, size, plan, steps_of, out)
end

---The transform of real numbers along one axis; the array's context is the current one.
---@param what string
---@param x cudalua.gpuarray.Array
---@param real cudalua.dtype.DType     its elements become this type
---@param complex cudalua.dtype.DType  the result's
---@param axis integer
---@param n integer
---@param scale number
---@param out? any  as of own.transform
---@return cudalua.gpuarray.Array  floor(n / 2) + 1 elements along the axis
function M.forward(what, x, real, complex, axis, n, scale, out)
  local count = math.floor(n / 2) + 1
  return transform(what, x, real, complex, axis, n, count, false, scale, out)
end

---Real numbers from the transform of them.
---@param what string
---@param x cudalua.gpuarray.Array
---@param complex cudalua.dtype.DType  its elements become this type
---@param real cudalua.dtype.DType     the result's
---@param axis integer
---@param n integer                    of the result
---@param scale number
---@param out? any  as of own.transform
---@return cudalua.gpuarray.Array
function M.backward(what, x, complex, real, axis, n, scale, out)
  return transform(what, x, complex, real, axis, n, n, true, scale, out)
end

return M
