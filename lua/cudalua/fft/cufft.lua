-- Transforms by cuFFT. It takes up to three axes at the end of an array in one call; other axes go one at a time, where
-- they are if that takes few calls, and otherwise as the last axis of a copy. Its transforms have no factors: a kernel
-- multiplies behind them (kernels/fft/vendor.cu).

local choice = require "cudalua.vendor.choice"
local core = require "cudalua.core"
local cufft = require "cudalua.fft.cufft_plan"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local layout = require "cudalua.base.layout"
local own = require "cudalua.fft.own"
local passes = require "cudalua.fft.passes"
local pointwise = require "cudalua.fft.pointwise"
local runs = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local min = math.min

local M = {}

local MOST_CALLS = 16 -- for one axis
local MOST_AXES = 3 -- of one plan

-- ---- steps ----------------------------------------------------------------------------------------------------------

---A transform under way: arrays that were made for it are given back as soon as the next one is there.
---@class cudalua.fft.Work
---@field what string
---@field kind string
---@field direction? integer
---@field complex cudalua.dtype.DType
---@field to cudalua.dtype.DType       of the results
---@field why? string                  what cuFFT cannot do
---@field out? any                    gets the result, if cuFFT can write it there
---@field is_last boolean             the next transform is the last one
---@field made table<cudalua.gpuarray.Array, boolean>

-- Replaces x by y. A graph that is being captured has the memory of x.
local function replaced(w, x, y)
  w.made[y] = y ~= w.out
  if w.made[x] and x ~= y and not core.array_ready(storage.leaf_of(x).buf) then storage.release_array(x) end
  return y
end

-- x in C order without gaps, where cuFFT may read it: real numbers, too, are at places for pairs of them.
local function dense(w, x)
  local leaf = evaluate(x)
  if leaf.dense and runs.address(leaf) % w.complex.itemsize == 0 then return x end
  return replaced(w, x, view.copy(x, "C"))
end

local function launched(since, step, from, to)
  return runs.sequence { since = since, leaves = { from }, writes = { to }, step } or runs.AGAIN
end

-- A kernel from x to y, which has another extent along an axis.
local function pointed(w, part, x, y, axis, more)
  local outer, inner = own.around(x._shape, axis)
  local double, real = w.complex.itemsize == 16, x._dtype.kind == "float"
  local from, to = evaluate(x), y._leaf
  local list = { from.buf, from.off, to.buf, to.off, y._size, inner, x._shape[axis], y._shape[axis], more }
  local index = passes.index_of(outer * inner * math.max(x._shape[axis], y._shape[axis]))
  runs.until_done(function(since)
    local arguments = { unpack(list) } -- memory is taken out of it
    return launched(since, pointwise("vendor", part, double, index, y._size, arguments, real), from, to)
  end)
  return replaced(w, x, y)
end

local function empty(w, x, dtype, axis, n)
  local shape, size = own.resized(w.what, x._shape, axis, n, dtype.itemsize)
  return storage.empty(dtype, shape, size)
end

local function resized(w, x, axis, n) return pointed(w, "resize", x, empty(w, x, x._dtype, axis, n), axis) end

-- The transform, into new memory or `out`; nil: cuFFT cannot do this, and `why` is in w.
local function transformed(w, x, shape, l)
  local from = evaluate(x)
  local is_new = not (w.is_last and write.dense_at_once(w.out, w.to, shape, { from }))
  local y = is_new and storage.empty(w.to, shape, layout.size(w.what, shape, w.to.itemsize)) or w.out
  local done, why = cufft.transform(w.what, l, from, y, is_new, w.direction)
  if not done then
    w.why = ("%s: it answers %s"):format(cufft.text(l), why)
    return nil
  end
  return replaced(w, x, y)
end

local function product(list)
  local p = 1
  for _, n in ipairs(list) do p = p * n end
  return p
end

-- How many elements an axis has for a transform of n: in the source of one to real numbers, and in the result of one
-- from real numbers, about half of them.
local function extents_of(kind, n)
  local half = math.floor(n / 2) + 1
  local from_real, to_real = kind:find "^[RD]2" ~= nil, kind:find "2[RD]$" ~= nil
  return to_real and half or n, from_real and half or n
end

-- ---- axes -----------------------------------------------------------------------------------------------------------

-- The last axes, from `first` on, with these lengths. Extents of 1 are no axes to cuFFT.
local function last_axes(w, x, first, lengths)
  x = dense(w, x)
  local shape, n, from, to = { unpack(x._shape) }, {}, {}, {}
  for i, length in ipairs(lengths) do
    local axis = first + i - 1
    local _, count = extents_of(w.kind, length)
    shape[axis] = count
    if length > 1 then n[#n + 1], from[#from + 1], to[#to + 1] = length, x._shape[axis], count end
  end
  if #n == 0 then return x end
  local all, each = product(from), product(to)
  return transformed(w, x, shape, { kind = w.kind, n = n, from = from, to = to, from_stride = 1, to_stride = 1,
    from_distance = all, to_distance = each, batch = x._size / all, times = 1, from_step = 0, to_step = 0 })
end

local function swapped(x, axis)
  local order = {}
  for k = 1, x._ndim do order[k] = k end
  order[axis], order[x._ndim] = x._ndim, axis
  return view.copy(view.transpose("fft", x, order), "C")
end

-- An axis that others follow: outer * inner transforms. One call computes `outer` of them, or `inner`.
local function inner_axis(w, x, axis, n)
  local outer, inner = own.around(x._shape, axis)
  local extent = x._shape[axis]
  local _, count = extents_of(w.kind, n)
  local by_outer = outer > inner -- the batch of a call
  -- Real numbers begin at places for pairs of them.
  local odd = w.kind ~= "C2C" and w.kind ~= "Z2Z" and (by_outer or extent * inner % 2 == 1 or count * inner % 2 == 1)
  local times = min(outer, inner)
  if times > MOST_CALLS or odd and times > 1 then
    w.is_last = false -- a copy follows
    local y = last_axes(w, replaced(w, x, swapped(x, axis)), x._ndim, { n })
    return y and replaced(w, y, swapped(y, axis))
  end
  x = dense(w, x)
  local from, to = extent * inner, count * inner
  local shape = own.resized(w.what, x._shape, axis, count, w.to.itemsize)
  return transformed(w, x, shape, { kind = w.kind, n = { n }, from = { extent }, to = { count },
    from_stride = inner, to_stride = inner, from_distance = by_outer and from or 1,
    to_distance = by_outer and to or 1, batch = by_outer and outer or inner, times = times,
    from_step = by_outer and 1 or from, to_step = by_outer and 1 or to })
end

-- x with enough elements along an axis; of a transform of 1 element, with that one alone.
local function filled(w, x, axis, n)
  local wanted, extent = extents_of(w.kind, n), x._shape[axis]
  if extent < wanted or n == 1 and extent > 1 then return resized(w, dense(w, x), axis, wanted) end
  return x
end

-- Along one axis of several elements.
local function along(w, x, axis, n)
  local _, inner = own.around(x._shape, axis)
  x = filled(w, x, axis, n)
  if inner > 1 then return inner_axis(w, x, axis, n) end
  local lengths = { n }
  for k = axis + 1, x._ndim do lengths[k - axis + 1] = 1 end
  return last_axes(w, x, axis, lengths)
end

local function multiplied(w, x, scale)
  if scale == 1 then return x end
  local count, is_new = x._size * (x._dtype.kind == "complex" and 2 or 1), x ~= w.out
  runs.until_done(function(since)
    local leaf = is_new and x._leaf or write.prepare(x)
    local step = pointwise("vendor", "scale", w.complex.itemsize == 16, passes.index_of(count), count,
      { leaf.buf, leaf.off, count, scale })
    if not is_new and write.is_moved(x, leaf) then return runs.AGAIN end
    return runs.sequence { since = since, leaves = {}, writes = { leaf }, changes = not is_new, step } or runs.AGAIN
  end)
  return x
end

-- The result, or nil: own kernels compute it. It raises under "vendor".
local function finished(w, x, scale)
  if x then return multiplied(w, x, scale) end
  choice.vendor(w.what, "cufft", w.why)
  return nil
end

---@return cudalua.fft.Work
local function begun(what, kind, complex, to, out, direction)
  return { what = what, kind = kind, complex = complex, to = to, out = out, direction = direction, is_last = true,
    made = {} }
end

-- ---- complex transforms ---------------------------------------------------------------------------------------------

-- The axes in ascending order, and the length of each.
local function sorted(axes, lengths)
  local list, of = { unpack(axes) }, {}
  for i, axis in ipairs(axes) do of[axis] = lengths[i] end
  table.sort(list)
  return list, of
end

-- How many of the axes are the last ones of the array, without others between them.
local function trailing(list, ndim)
  local count = 0
  while count < min(#list, MOST_AXES) and list[#list - count] == ndim - count do count = count + 1 end
  return count
end

---A complex transform along one axis or several, by cuFFT. The array's context is the current one.
---@param what string
---@param x cudalua.gpuarray.Array
---@param dtype cudalua.dtype.DType  complex64 or complex128
---@param axes integer[]
---@param lengths integer[]  for each of them
---@param inverse boolean
---@param scale number  a factor
---@param out? any  gets the result, if it can be written there at once
---@return cudalua.gpuarray.Array?  out, or a new one; nil: own kernels compute it
---@raise LogicError under "vendor", if cuFFT cannot; inside a capture, if there is no plan yet
function M.complex(what, x, dtype, axes, lengths, inverse, scale, out)
  if x._size == 0 or product(lengths) == 1 or not choice.vendor(what, "cufft", true) then return nil end
  local w = begun(what, dtype.itemsize == 16 and "Z2Z" or "C2C", dtype, dtype, out,
    inverse and cufft.INVERSE or cufft.FORWARD)
  if x._dtype ~= dtype then x = graph.convert(x, dtype, what) end
  local list, of = sorted(axes, lengths)
  for _, axis in ipairs(list) do x = filled(w, x, axis, of[axis]) end
  local count, last = trailing(list, x._ndim), #list
  local before = 0 -- axes that are transformed after the trailing ones
  for i = 1, last - count do before = before + (of[list[i]] > 1 and 1 or 0) end
  w.is_last = before == 0
  if count > 0 then
    local some = {}
    for i = 1, count do some[i] = of[list[last - count + i]] end
    x = last_axes(w, x, list[last - count + 1], some)
  end
  for i = last - count, 1, -1 do
    if x and of[list[i]] > 1 then
      before = before - 1
      w.is_last = before == 0
      x = along(w, x, list[i], of[list[i]])
    end
  end
  return finished(w, x, scale)
end

-- ---- real numbers ---------------------------------------------------------------------------------------------------

---The transform of real numbers along one axis, by cuFFT.
---@param what string
---@param x cudalua.gpuarray.Array
---@param real cudalua.dtype.DType     its elements become this type
---@param complex cudalua.dtype.DType  the result's
---@param axis integer
---@param n integer
---@param scale number
---@param out? any  as of complex()
---@return cudalua.gpuarray.Array?  as of fft/real.lua; nil: own kernels compute it
---@raise LogicError as complex()
function M.forward(what, x, real, complex, axis, n, scale, out)
  if x._size == 0 or n == 1 or not choice.vendor(what, "cufft", true) then return nil end
  local w = begun(what, real.itemsize == 8 and "D2Z" or "R2C", complex, complex, out)
  if x._dtype ~= real then x = graph.convert(x, real, what) end
  return finished(w, along(w, x, axis, n), scale)
end

---Real numbers from the transform of them, by cuFFT. It writes to what it reads, and is not asked what it makes of the
---imaginary parts that do not count: it gets a copy without them.
---@param what string
---@param x cudalua.gpuarray.Array
---@param complex cudalua.dtype.DType  its elements become this type
---@param real cudalua.dtype.DType     the result's
---@param axis integer
---@param n integer                    of the result
---@param scale number
---@param out? any  as of complex()
---@return cudalua.gpuarray.Array?  nil: own kernels compute it
---@raise LogicError as complex()
function M.backward(what, x, complex, real, axis, n, scale, out)
  if x._size == 0 or n == 1 or not choice.vendor(what, "cufft", true) then return nil end
  local w = begun(what, real.itemsize == 8 and "Z2D" or "C2R", complex, real, out)
  if x._dtype ~= complex then x = graph.convert(x, complex, what) end
  x = dense(w, x)
  x = pointed(w, "half", x, empty(w, x, complex, axis, math.floor(n / 2) + 1), axis, n % 2 == 0 and 1 or 0)
  return finished(w, along(w, x, axis, n), scale)
end

return M
