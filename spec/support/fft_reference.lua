-- What specs of Fourier transforms compare with: NumPy's results, and the inputs that they belong to, as
-- spec/data/golden/make_fft.py makes them.
local assert = require "luassert"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"

local M = {}

M.golden = ndarray.load "spec/data/golden/fft.npz"

-- Numbers from -0.5 to below 0.5, the same for a seed here and there.
local function source(seed)
  local state = seed
  return function()
    state = state * 16807 % 2147483647
    return state % 1048576 / 1048576 - 0.5
  end
end

---@param shape integer|integer[]
---@param seed integer
---@param t? string  "complex128" by default, "complex64", or a real type
---@return cudalua.gpuarray.Array
function M.input(shape, seed, t)
  t = dtype(t or "complex128")
  local h, next_number = ndarray.empty(shape, t), source(seed)
  local flat = h:reshape(-1)
  for i = 1, h.size do
    if t.kind == "complex" then
      local x = next_number()
      flat[i] = t.ctype(x, next_number())
    else
      flat[i] = next_number()
    end
  end
  return gpuarray.to_gpu(h)
end

local function parts(h)
  local copy = h:copy()
  local count = copy.size * (copy.dtype.kind == "complex" and 2 or 1)
  local real = copy.dtype.itemsize * copy.size / math.max(count, 1)
  return ffi.cast(real == 4 and "float *" or "double *", copy:data()), count, copy
end

local eps = { complex64 = 2 ^ -23, complex128 = 2 ^ -52, float32 = 2 ^ -23, float64 = 2 ^ -52 }

---How far an array is from a host array, over the length of that: in the Euclidean norm.
function M.distance(a, expected)
  local p, n, keep = parts(a)
  local q, m, keep_too = parts(expected)
  assert.equal(m, n)
  local far, all = 0, 0
  for i = 0, n - 1 do
    far, all = far + (p[i] - q[i]) ^ 2, all + q[i] ^ 2
  end
  assert.truthy(keep and keep_too)
  return math.sqrt(far / math.max(all, 1e-300))
end

---The largest distance that docs/fourier.md promises for a transform of n elements.
function M.bound(t, n) return eps[tostring(t)] * (1 + math.log(math.max(n, 1)) / math.log(2)) end

-- The elements that are stored of a result.
local function sampled(h, expected)
  if h.size == expected.size then return h end
  return h:reshape(-1)[{ { 1, -1, math.floor(h.size / 64) } }]
end

---Compares a result with NumPy's.
---@param name string  in the file
---@param a cudalua.gpuarray.Array
---@param n integer    elements that were transformed together
function M.check(name, a, n)
  local h, expected = a:get { array = true }, M.golden:get(name)
  if h.size == expected.size then assert.same({ unpack(expected.shape) }, { unpack(h.shape) }, name) end
  local far = M.distance(sampled(h, expected), expected)
  assert.is_true(far <= M.bound(a.dtype, n), ("%s %s: %g"):format(name, a.dtype, far))
end

return M
