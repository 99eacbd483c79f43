-- What specs of pictures compare with: the results of SciPy, Pillow and OpenCV that spec/data/golden/make_image.py
-- makes.
local assert = require "luassert"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

local M = {}

M.golden = ndarray.load "spec/data/golden/image.npz"

---An input of the file.
---@param name string
---@param t? string  converted to this type
---@return cudalua.gpuarray.Array
function M.input(name, t)
  local a = gpuarray.to_gpu(M.golden:get(name))
  return t and a:astype(t):copy() or a
end

---How far results of a type may be from those in double, for sums of some tens of terms of about 1.
M.bounds = { float16 = 4e-3, bfloat16 = 3e-2, float32 = 1e-5, float64 = 1e-13, complex64 = 1e-5, complex128 = 1e-13 }

local function parts(h)
  local copy = h:copy()
  local is_complex = copy.dtype.kind == "complex"
  local wide = copy:astype(is_complex and "complex128" or "float64")
  return ffi.cast("double *", wide:data()), wide.size * (is_complex and 2 or 1), wide
end

---The largest difference of two host arrays.
---@param a cudalua.ndarray.Array
---@param b cudalua.ndarray.Array
---@return number
function M.distance(a, b)
  assert.same({ unpack(b.shape) }, { unpack(a.shape) })
  local p, n, keep = parts(a)
  local q, m, keep_too = parts(b)
  assert.equal(m, n)
  local far = 0
  for i = 0, n - 1 do
    local d = math.abs(p[i] - q[i])
    if p[i] ~= q[i] then far = d == d and math.max(d, far) or math.huge end
  end
  assert.truthy(keep and keep_too)
  return far
end

---Compares a result with another array's elements.
---@param a cudalua.gpuarray.Array
---@param expected cudalua.gpuarray.Array|cudalua.ndarray.Array
---@param name? string
---@param bound? number
function M.near(a, expected, name, bound)
  local h = gpuarray.is_array(expected) and expected:get { array = true } or expected
  local far = M.distance(a:get { array = true }, h)
  local most = bound or M.bounds[tostring(a.dtype)] or 0
  assert.is_true(far <= most, ("%s %s: %g from it"):format(name or "", a.dtype, far))
end

---Compares a result with one of the file.
---@param a cudalua.gpuarray.Array
---@param name string
---@param bound? number
function M.check(a, name, bound) M.near(a, M.golden:get(name), name, bound) end

---Whole numbers below 2^8, the same for a seed everywhere.
---@param shape integer[]
---@param t string
---@param seed integer
---@return cudalua.gpuarray.Array
function M.pixels(shape, t, seed)
  local state = seed
  local h = ndarray.from_function(shape, function()
    state = state * 16807 % 2147483647
    return state % 251
  end, "float64")
  return gpuarray.to_gpu(h):astype(dtype(t)):copy()
end

return M
