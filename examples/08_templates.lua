-- One kernel for many types: C++ templates, whose instances are asked for by name; and kernels for what is known at run
-- time only: source made by Lua.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()
local n = 1000

-- Templates are C++, so the source must not be wrapped in extern "C". A template has no code until somebody uses it:
-- name expressions do, and get_function() knows the kernels by them.
local types = { float = "float", double = "double", short = "int16_t", ["unsigned char"] = "uint8_t",
  ["long long"] = "int64_t" } -- C++'s name => the FFI's
local expressions = {}
for cpp in pairs(types) do
  expressions[#expressions + 1] = ("axpy<%s>"):format(cpp)
  expressions[#expressions + 1] = ("reverse<%s, 64>"):format(cpp)
end

local mod = cuda.SourceModule([[
template <class T> __global__ void axpy(T *y, const T *x, T a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

// Reverses each run of N elements.
template <class T, int N> __global__ void reverse(T *y, int n)
{
  __shared__ T run[N];
  int i = blockIdx.x * N + threadIdx.x, last = min(N, n - blockIdx.x * N) - 1;
  if (i < n) run[threadIdx.x] = y[i];
  __syncthreads();
  if (i < n) y[i] = run[last - threadIdx.x];
}
]], { no_extern_c = true, name_expressions = expressions })

local instances = 0
for cpp, ctype in pairs(types) do
  local array = ffi.typeof(ctype .. "[?]")
  local x, y, want = array(n), array(n), array(n)
  for i = 0, n - 1 do
    x[i], y[i] = i % 100, i % 7
    want[i] = y[i] + 2 * x[i]
  end
  -- Arguments are converted by the instance's own signature: here a T is a float, there a long long.
  mod:get_function(("axpy<%s>"):format(cpp))(cuda.InOut(y), cuda.In(x), 2, n,
    { block = 256, grid = math.ceil(n / 256) })
  mod:get_function(("reverse<%s, 64>"):format(cpp))(cuda.InOut(y), n, { block = 64, grid = math.ceil(n / 64) })
  for i = 0, n - 1 do
    local first = i - i % 64
    local from = first + math.min(64, n - first) - 1 - i % 64
    assert(y[i] == want[from], ("%s: element %d is wrong"):format(cpp, i))
  end
  instances = instances + 2
end
print(("%d instances of two templates, from one source"):format(instances))

-- Text is a template, too: what stands for $name is filled in.
local function fill(text, values) return (text:gsub("%$(%a+)", values)) end

local function map(ctype, expression)
  local source = fill([[
__global__ void map($type *y, const $type *x, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    $type x_i = x[i];
    y[i] = $expression;
  }
}
]], { type = ctype, expression = expression })
  local kernel = cuda.SourceModule(source):get_function "map"
  return function(y, x, count)
    kernel(cuda.Out(y), cuda.In(x), count, { block = 256, grid = math.ceil(count / 256) })
    return y
  end
end

-- A polynomial that the program learns at run time becomes straight code, by Horner's rule: ((4 * x + 3) * x + 2) ...
local function horner(coefficients)
  local code = ("%.17g"):format(coefficients[#coefficients])
  for i = #coefficients - 1, 1, -1 do code = ("(%s) * x_i + %.17g"):format(code, coefficients[i]) end
  return code
end

local coefficients = {}
for i = 1, 12 do coefficients[i] = math.random(-9, 9) / 2 ^ i end
local polynomial = map("double", horner(coefficients))

local x, y = ffi.new("double[?]", n), ffi.new("double[?]", n)
for i = 0, n - 1 do x[i] = i / n * 4 - 2 end
polynomial(y, x, n)
for i = 0, n - 1 do
  local sum = 0
  for k, c in ipairs(coefficients) do sum = sum + c * x[i] ^ (k - 1) end
  assert(math.abs(y[i] - sum) < 1e-12, ("p(%g) is %.17g, not %.17g"):format(x[i], y[i], sum))
end
print(("a polynomial of degree %d, as code: %s ..."):format(#coefficients - 1, horner(coefficients):sub(1, 40)))

-- The same generator serves any expression: integers of 32 bits, wrapped as C does it.
local hash = map("unsigned int", "(x_i ^ x_i >> 16) * 0x45d9f3bu")
local a, b = ffi.new("uint32_t[?]", n), ffi.new("uint32_t[?]", n)
for i = 0, n - 1 do a[i] = i * 2654435 end
hash(b, a, n)
for i = 0, n - 1 do
  local mixed = ffi.cast("uint64_t", bit.bxor(bit.tobit(a[i]), bit.rshift(a[i], 16)) % 2 ^ 32)
  assert(b[i] == tonumber(mixed * 0x45d9f3b % 2 ^ 32), "hash " .. i .. " is wrong")
end
print(("templates and generated kernels on %s, all as expected"):format(ctx:get_device():name()))
