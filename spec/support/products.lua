-- Products of matrices in plain Lua, in the order of sums that docs/linalg.md gives: each term is one fmaf of
-- the C library's, so that the bits are those of own kernels (own_kernels.lua).
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local ndarray = require "cudalua.ndarray"

ffi.cdef [[ float fmaf(float, float, float); double fma(double, double, double); ]]

local M = {}

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local new_float, new_bytes = ffi.typeof "float[1]", ffi.typeof "uint8_t[?]"

local function to_float(x)
  local cell = new_float(x)
  return tonumber(cell[0])
end

-- How sums of a type are made: fma, plus, times; of integers with 64 bits, which are cut later.
local real = {
  float32 = { fma = ffi.C.fmaf, plus = function(x, y) return to_float(x + y) end,
    times = function(x, y) return to_float(x * y) end, zero = 0 },
  float64 = { fma = ffi.C.fma, plus = function(x, y) return x + y end, times = function(x, y) return x * y end,
    zero = 0 },
  int64 = { fma = function(x, y, z) return x * y + z end, plus = function(x, y) return x + y end,
    times = function(x, y) return x * y end, zero = 0LL },
}

-- The same of pairs.
local function complex(part)
  local fma = part.fma
  local function pair(re, im) return { re, im } end
  return {
    fma = function(x, y, z)
      return pair(fma(-x[2], y[2], fma(x[1], y[1], z[1])), fma(x[2], y[1], fma(x[1], y[2], z[2])))
    end,
    plus = function(x, y) return pair(part.plus(x[1], y[1]), part.plus(x[2], y[2])) end,
    times = function(x, y)
      return pair(fma(-x[2], y[2], part.times(x[1], y[1])), fma(x[2], y[1], part.times(x[1], y[2])))
    end,
    zero = pair(0, 0),
  }
end

local kinds = { float16 = real.float32, bfloat16 = real.float32, float32 = real.float32, float64 = real.float64,
  complex64 = complex(real.float32), complex128 = complex(real.float64) }

local function kind_of(t) return kinds[t.name] or real.int64 end

local pointers = { float32 = "const float *", float64 = "const double *", int64 = "const int64_t *",
  complex64 = "const float *", complex128 = "const double *" }

-- The elements of an array of the device in C order, as the reference computes with them: a function of their numbers
-- from 0.
local function elements(x)
  local t = x.dtype
  local is_float = t.kind == "float" or t.kind == "complex"
  local as = is_float and (t.itemsize == 2 and "float32" or t.name) or "int64"
  local host = x:astype(as):copy("C"):get { array = true }
  local p = ffi.cast(pointers[as], host:data())
  if t.kind == "complex" then return function(i) return { tonumber(p[2 * i]), tonumber(p[2 * i + 1]) }, host end end
  if as == "int64" then return function(i) return p[i], host end end
  return function(i) return tonumber(p[i]), host end
end

-- The chunks of k terms.
local function chunks_of(m, n, k, batches)
  if m == 1 or n == 1 then return 4096, true end
  local tiles = ceil(m / 64) * ceil(n / 64) * batches
  if tiles >= 64 or k < 512 then return max(k, 1), false end
  local s = max(min(32, floor(k / 256), ceil(64 / tiles)), min(ceil(k / 2048), floor(1024 / tiles)))
  return 32 * ceil(k / (32 * s)), false
end

-- One chunk: terms first to last of f(t), which gives two factors.
local function chunk(kind, first, last, f, by_lanes)
  if not by_lanes then
    local sum = kind.zero
    for t = first, last do
      local x, y = f(t)
      sum = kind.fma(x, y, sum)
    end
    return sum
  end
  local lanes = {}
  for lane = 0, 31 do
    local sum = kind.zero
    for t = first + lane, last, 32 do
      local x, y = f(t)
      sum = kind.fma(x, y, sum)
    end
    lanes[lane] = sum
  end
  local step = 16
  while step >= 1 do
    for lane = 0, step - 1 do lanes[lane] = kind.plus(lanes[lane], lanes[lane + step]) end
    step = step / 2
  end
  return lanes[0]
end

-- Writes a sum into memory as an element, rounded once.
local function store(p, i, x, t)
  local part = t.itemsize == 2 and t.kind == "float" and dtype["pack_" .. t.name]
  if t.kind == "complex" then
    p[2 * i], p[2 * i + 1] = x[1], x[2]
  else
    p[i] = part and part(x) or x
  end
end

local stores = { float16 = "uint16_t *", bfloat16 = "uint16_t *", float32 = "float *", float64 = "double *",
  complex64 = "float *", complex128 = "double *" }

---The product of two arrays of the device, as a host array.
---@param a cudalua.gpuarray.Array  batch..., m, k, of one dtype with b
---@param b cudalua.gpuarray.Array  batch..., k, n: of the same batch
---@param result any  dtype
---@param ends? {alpha: any, beta: any, c: cudalua.gpuarray.Array}  numbers, or pairs; c: as the result
---@return cudalua.ndarray.Array
function M.product(a, b, result, ends)
  local kind, t, r = kind_of(a.dtype), dtype(result), #a.shape
  local m, k, n, batches = a.shape[r - 1], a.shape[r], b.shape[r], 1
  local shape = {}
  for axis = 1, r - 2 do shape[axis], batches = a.shape[axis], batches * a.shape[axis] end
  shape[r - 1], shape[r] = m, n
  local length, by_lanes = chunks_of(m, n, k, batches)
  local x, y = elements(a), elements(b)
  local c = ends and ends.c and elements(ends.c)
  local out = ndarray.empty(shape, t)
  local p = ffi.cast(stores[t.name] or t.name .. "_t *", out:data())
  for batch = 0, batches - 1 do
    for i = 0, m - 1 do
      for j = 0, n - 1 do
        local function term(at) return (x((batch * m + i) * k + at)), (y((batch * k + at) * n + j)) end
        local sum
        for first = 0, max(k - 1, 0), length do
          local part = chunk(kind, first, min(first + length, k) - 1, term, by_lanes)
          sum = sum and kind.plus(sum, part) or part
        end
        local place = (batch * m + i) * n + j
        if ends and ends.alpha ~= 1 then sum = kind.times(ends.alpha, sum) end
        if c then sum = kind.fma(ends.beta, (c(place)), sum) end
        store(p, place, sum, t)
      end
    end
  end
  return out
end

---The bytes of a host array in C order, or of an array of the device.
---@param x any
---@return string
function M.bytes(x)
  local host = ndarray.is_array(x) and x or x:copy "C":get { array = true }
  return host.nbytes == 0 and "" or ffi.string(ffi.cast("const char *", host:data()), host.nbytes)
end

---Random elements of a type: floats of many sizes, small or large integers.
---@param shape integer[]
---@param t string
---@param next_number fun(): number  from 0 up to below 1
---@return cudalua.gpuarray.Array
function M.random(shape, t, next_number)
  local gpuarray = require "cudalua.gpuarray"
  local dt, n = dtype(t), 1
  for _, extent in ipairs(shape) do n = n * extent end
  if n == 0 then return gpuarray.empty(shape, t) end
  local memory = new_bytes(n * dt.itemsize)
  local p = ffi.cast(stores[t] or t == "bool" and "uint8_t *" or t .. "_t *", memory)
  local pack = rawget(dtype, "pack_" .. t)
  for i = 0, (dt.kind == "complex" and 2 * n or n) - 1 do
    local u = next_number()
    if dt.kind == "float" or dt.kind == "complex" then
      local x = (2 * u - 1) * 2 ^ floor(next_number() * 6 - 3)
      p[i] = pack and pack(x) or x
    elseif t == "bool" then
      p[i] = u < 0.5 and 0 or 1
    else
      local low = dt.kind == "uint" and 0 or 0.5
      p[i] = floor((u - low) * 2 ^ min(8 * dt.itemsize, 40))
    end
  end
  return gpuarray.to_gpu(ndarray.from_buffer(ffi.string(memory, n * dt.itemsize), shape, t):copy())
end

---Numbers from 0 up to below 1 that are the same each time.
---@param seed integer
---@return fun(): number
function M.numbers(seed)
  local state = seed * 7919 % 2 ^ 31
  return function()
    state = (state * 1103515245 + 12345) % 2 ^ 31
    return state / 2 ^ 31
  end
end

return M
