-- Fourier transforms: cuda.fft.
--   fft/arguments  what functions are given          fft/own        complex transforms along one axis
--   fft/twiddles   roots of unity on the host        fft/tables     the same in device memory
--   fft/factors    lengths in passes and radices     fft/passes     their kernels
--   fft/bluestein  lengths with large prime factors  fft/pointwise  kernels with a thread for each element
--   fft/frequencies  of the elements, and their order
--   fft/real       transforms of real numbers        fft/plan       what a length needs, kept
--   fft/cufft      all of them by NVIDIA's cuFFT     fft/cufft_plan  its plans

local arguments = require "cudalua.fft.arguments"
local calls = require "cudalua.gpuarray.core.calls"
local cufft = require "cudalua.fft.cufft"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local functions = require "cudalua.gpuarray.core.functions"
local move = require "cudalua.gpuarray.index.move"
local names = require "cudalua.base.names"
local own = require "cudalua.fft.own"
local pairs_of = require "cudalua.base.pairs_of"
local plans = require "cudalua.fft.plan"
local real = require "cudalua.fft.real"

local refuse = require("cudalua.base.layout").refuse

require "cudalua.gpuarray"

---Fourier transforms of arrays.
---@class cudalua.fft
local M = {}

-- What was not written to out at once is copied there.
local function delivered(what, x, out)
  return (out == nil or rawequal(x, out)) and x or functions.deliver(what, x, out)
end

-- ---- one axis -------------------------------------------------------------------------------------------------------

local along = { n = true, axis = true, norm = true, out = true, stream = true, allocator = true }

-- What a transform along one axis is given.
local function read(what, a, options)
  local o = arguments.options(what, options, along)
  arguments.array(what, a)
  local axis = arguments.axis(what, a, o.axis)
  return o, axis, o.n ~= nil and arguments.length(what, "n", o.n) or nil
end

-- The extent of an axis, which must have elements unless the call says how many.
local function extent(what, a, axis)
  return arguments.length(what, ("without the option n, the extent of axis %d"):format(axis), a._shape[axis])
end

-- cuFFT computes, or own kernels: linalg.backend.
local function transformed(what, x, dtype, axis, n, inverse, scale, out)
  return cufft.complex(what, x, dtype, { axis }, { n }, inverse, scale, out)
    or own.transform(what, x, dtype, axis, n, inverse, scale, out)
end

local function complex(what, a, options, inverse)
  local o, axis, n = read(what, a, options)
  local dtype = arguments.type_of(what, a._dtype)
  n = n or extent(what, a, axis)
  local scale = arguments.scale(what, o.norm, n, inverse)
  local x = move.inside(evaluate(a), transformed, what, a, dtype, axis, n, inverse, scale, o.out)
  return delivered(what, x, o.out)
end

---The discrete Fourier transform along an axis, as NumPy's fft: element k is the sum of a[j] exp(-2 pi i (j - 1) (k -
---1) / n). The time for any length is proportional to n log n. float16 and bfloat16 are not supported.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? {n: integer, axis: integer, norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  n: the number of elements to transform; default: the extent of the axis; the axis is cut or
---  padded with zeros; axis: default the last one; norm: "backward" (default): divide the inverse by n; "ortho": divide
---  both by the root of n; "forward": divide this one by n
---@return cudalua.gpuarray.Array  complex64; complex128 for float64 and complex128
---@raise LogicError for a 0-d array, an axis out of range, n < 1, an unknown norm, and unsupported dtypes
function M.fft(a, options) return complex("fft.fft", a, options, false) end

---The inverse of fft(), as NumPy's ifft: element j is the sum of a[k] exp(2 pi i (j - 1) (k - 1) / n), divided by n.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? {n: integer, axis: integer, norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  n: as for fft.fft; norm: as for fft.fft
---@return cudalua.gpuarray.Array  complex64; complex128 for float64 and complex128
---@raise LogicError as fft.fft
function M.ifft(a, options) return complex("fft.ifft", a, options, true) end

-- ---- real numbers ---------------------------------------------------------------------------------------------------

local function forward(...) return cufft.forward(...) or real.forward(...) end
local function backward(...) return cufft.backward(...) or real.backward(...) end

---The transform of real numbers along an axis, as NumPy's rfft: elements 1 to n / 2 + 1 of the result of fft(); the
---others are their conjugates. It takes half the time and memory; an odd n saves less.
---@param a cudalua.gpuarray.Array  an array of real numbers or integers
---@param options? {n: integer, axis: integer, norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  n: as for fft.fft; norm: as for fft.fft
---@return cudalua.gpuarray.Array  with floor(n / 2) + 1 elements along the axis
---@raise LogicError for complex numbers, and as fft.fft
function M.rfft(a, options)
  local what = "fft.rfft"
  local o, axis, n = read(what, a, options)
  if a._dtype.kind == "complex" then
    refuse(what, a._dtype.name .. " is not real; fft.fft transforms complex numbers")
  end
  local dtype, part = arguments.type_of(what, a._dtype)
  n = n or extent(what, a, axis)
  local scale = arguments.scale(what, o.norm, n, false)
  local x = move.inside(evaluate(a), forward, what, a, part, dtype, axis, n, scale, o.out)
  return delivered(what, x, o.out)
end

---The inverse of rfft(), as NumPy's irfft: real numbers from the first half of their transform. The imaginary part of
---the first element is ignored, and for an even n that of element n / 2 + 1, too.
---@param a cudalua.gpuarray.Array  floor(n / 2) + 1 elements along the axis; the axis is cut or padded with zeros
---@param options? {n: integer, axis: integer, norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  n: the number of elements of the result; default: 2 (m - 1) for m elements, so you have to
---  pass an odd n; norm: as for fft.fft
---@return cudalua.gpuarray.Array  float32, or float64
---@raise LogicError as fft.fft, and for one element without n
function M.irfft(a, options)
  local what = "fft.irfft"
  local o, axis, n = read(what, a, options)
  local dtype, part = arguments.type_of(what, a._dtype)
  local m = a._shape[axis]
  if not n and m < 2 then
    refuse(what, ("axis %d has %.0f element%s; without the option n, the result would have none"):format(axis, m,
      m == 1 and "" or "s"))
  end
  n = n or 2 * (m - 1)
  local scale = arguments.scale(what, o.norm, n, true)
  local x = move.inside(evaluate(a), backward, what, a, dtype, part, axis, n, scale, o.out)
  return delivered(what, x, o.out)
end

-- ---- several axes ---------------------------------------------------------------------------------------------------

local along_several = { s = true, axes = true, norm = true, out = true, stream = true, allocator = true }

local function along_axes(...) return cufft.complex(...) or own.several(...) end

local function several(what, a, options, count, inverse)
  local o = arguments.options(what, options, along_several)
  arguments.array(what, a)
  local dtype = arguments.type_of(what, a._dtype)
  local axes, lengths = arguments.several(what, a, o.axes, o.s, count or a._ndim)
  local n = 1
  for _, length in ipairs(lengths) do n = n * length end
  local scale = arguments.scale(what, o.norm, n, inverse)
  local x = move.inside(evaluate(a), along_axes, what, a, dtype, axes, lengths, inverse, scale, o.out)
  return delivered(what, x, o.out)
end

---The transform along several axes, as NumPy's fftn: along one axis after the other.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? {s: integer[], axes: integer[], norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  s: the number of elements to transform along each axis, as n of fft.fft; axes: default: all,
---  or the last ones, as many as s has; norm: as for fft.fft
---@return cudalua.gpuarray.Array  complex64; complex128 for float64 and complex128
---@raise LogicError for axes that are out of range or appear twice, if s does not fit, and as fft.fft
function M.fftn(a, options) return several("fft.fftn", a, options, nil, false) end

---The inverse of fftn(), as NumPy's ifftn.
---@param a cudalua.gpuarray.Array  an array with at least one axis
---@param options? {s: integer[], axes: integer[], norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  s: as for fft.fftn; axes: as for fft.fftn; norm: as for fft.fft
---@return cudalua.gpuarray.Array  complex64; complex128 for float64 and complex128
---@raise LogicError as fft.fftn
function M.ifftn(a, options) return several("fft.ifftn", a, options, nil, true) end

---The transform along the last two axes, as NumPy's fft2.
---@param a cudalua.gpuarray.Array  an array with at least two axes
---@param options? {s: integer[], axes: integer[], norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  s: as for fft.fftn; axes: default the last two; norm: as for fft.fft
---@return cudalua.gpuarray.Array  complex64; complex128 for float64 and complex128
---@raise LogicError as fft.fftn
function M.fft2(a, options) return several("fft.fft2", a, options, 2, false) end

---The inverse of fft2(), as NumPy's ifft2.
---@param a cudalua.gpuarray.Array  an array with at least two axes
---@param options? {s: integer[], axes: integer[], norm: string, out: cudalua.gpuarray.Array, stream: cudalua.Stream,
---  allocator: function}  s: as for fft.fftn; axes: default the last two; norm: as for fft.fft
---@return cudalua.gpuarray.Array  complex64; complex128 for float64 and complex128
---@raise LogicError as fft.fftn
function M.ifft2(a, options) return several("fft.ifft2", a, options, 2, true) end

-- ---- frequencies ----------------------------------------------------------------------------------------------------

for name, f in pairs_of(require "cudalua.fft.frequencies") do M[name] = f end

-- ---- plans ----------------------------------------------------------------------------------------------------------

---Returns how many plans each context keeps, initially 16, and optionally sets it. A plan is a set of tables in device
---memory for a length, a dtype and a layout, or a plan of cuFFT (linalg.backend). The least recently used plan is
---dropped.
---@param n? integer  the new number of plans; default: leave it unchanged
---@return integer
---@raise LogicError if n is not a non-negative integer
function M.plan_limit(n) return plans.limit(n) end

---Drops all plans; their memory is freed when the collector has run.
function M.clear_plans() plans.clear() end

for name, f in pairs_of(M) do M[name] = calls.wrap("fft." .. name, f) end
names.strict(M, { text = "fft", kind = "module" })

return M
