-- The product of two matrices, in many variants from one template: a program that writes kernels tries them all, and
-- keeps the fastest.
--   luajit examples/09_matmul.lua [n]      n x n matrices; default: 2048, on the software device 100
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local n = tonumber(arg and arg[1]) or (soft and 100 or 2048)

-- A template is a Lua program that writes the source: lines that begin with @ are Lua, $(...) in others is a value.
local function template(text)
  local code = {}
  for line in text:gmatch "([^\n]*)\n" do
    code[#code + 1] = line:match "^@(.*)"
      or ("put(%q)"):format(line .. "\\n"):gsub("\\\\n", "\\n"):gsub("%$(%b())", '" .. %1 .. "')
  end
  local program = assert(loadstring(table.concat(code, "\n")))
  return function(values)
    local out = {}
    values.put = function(s) out[#out + 1] = s end
    setfenv(program, setmetatable(values, { __index = _G }))()
    return table.concat(out)
  end
end

-- One thread for each element, and everything from global memory.
local naive = template [[
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
]]

-- tile x tile threads compute a square of (tile * work)^2 elements, work x work for each thread, in registers that have
-- names of their own. They walk along k in steps of depth, through tiles of a and b in shared memory.
local tiled = template [[
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
  __shared__ float as[$(depth)][$(tile * work + 1)], bs[$(depth)][$(tile * work)];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * $(tile) + tx;
  const int x0 = blockIdx.x * $(tile * work), y0 = blockIdx.y * $(tile * work);
@ for i = 0, work - 1 do
@ for j = 0, work - 1 do
  float c$(i)_$(j) = 0;
@ end
@ end
  for (int k0 = 0; k0 < n; k0 += $(depth)) {
    for (int i = t; i < $(depth * tile * work); i += $(tile * tile)) {
      int k = i % $(depth), y = i / $(depth), x = i % $(tile * work), l = i / $(tile * work);
      as[k][y] = k0 + k < n && y0 + y < n ? a[(y0 + y) * n + k0 + k] : 0;
      bs[l][x] = k0 + l < n && x0 + x < n ? b[(k0 + l) * n + x0 + x] : 0;
    }
    __syncthreads();
    for (int k = 0; k < $(depth); k++) {
@ for i = 0, work - 1 do
      const float a$(i) = as[k][ty + $(i * tile)], b$(i) = bs[k][tx + $(i * tile)];
@ end
@ for i = 0, work - 1 do
@ for j = 0, work - 1 do
      c$(i)_$(j) += a$(i) * b$(j);
@ end
@ end
    }
    __syncthreads();
  }
@ for i = 0, work - 1 do
@ for j = 0, work - 1 do
  if (y0 + ty + $(i * tile) < n && x0 + tx + $(j * tile) < n)
    c[(y0 + ty + $(i * tile)) * n + x0 + tx + $(j * tile)] = c$(i)_$(j);
@ end
@ end
}
]]

local variants = { { name = "naive", source = naive {}, tile = 16, work = 1 } }
for _, shape in ipairs { { 8, 1 }, { 16, 1 }, { 32, 1 }, { 8, 4 }, { 16, 2 }, { 16, 4 }, { 16, 8 }, { 32, 2 } } do
  for _, depth in ipairs { 8, 16 } do
    local tile, work = shape[1], shape[2]
    variants[#variants + 1] = { name = ("tile %2d, work %dx%d, depth %2d"):format(tile, work, work, depth),
      source = tiled { tile = tile, work = work, depth = depth }, tile = tile, work = work }
  end
end

-- Small whole numbers: every sum is exact in a float, so that the order of additions does not matter.
local a, b, c = ffi.new("float[?]", n * n), ffi.new("float[?]", n * n), ffi.new("float[?]", n * n)
for i = 0, n * n - 1 do a[i], b[i] = math.random(-4, 4), math.random(-4, 4) end
local a_gpu, b_gpu, c_gpu = cuda.to_device(a), cuda.to_device(b), cuda.mem_alloc(n * n * 4)

-- c * r has to be a * (b * r), for a random r: n^2 operations check n^3, and miss a wrong element once in two million
-- times. Exact as well: doubles hold all of these sums.
local function times(matrix, vector)
  local out = ffi.new("double[?]", n)
  for y = 0, n - 1 do
    local sum = 0
    for x = 0, n - 1 do sum = sum + matrix[y * n + x] * vector[x] end
    out[y] = sum
  end
  return out
end
local r = ffi.new("double[?]", n)
for i = 0, n - 1 do r[i] = math.random(-2 ^ 20, 2 ^ 20) end
local want = times(a, times(b, r))

local function check(name)
  cuda.memcpy_dtoh(c, c_gpu)
  local got = times(c, r)
  for y = 0, n - 1 do
    if got[y] ~= want[y] then error(("%s: row %d of the product is wrong"):format(name, y)) end
  end
end

local best
for _, v in ipairs(variants) do
  local kernel = cuda.SourceModule(v.source):get_function "matmul"
  local blocks = math.ceil(n / (v.tile * v.work))
  local options = { block = { v.tile, v.tile }, grid = { blocks, blocks }, time_kernel = true }
  cuda.memset_d32(c_gpu, 0xffffffff, n * n) -- NaN everywhere: what is not computed does not go unnoticed
  kernel(c_gpu, a_gpu, b_gpu, n, options)
  check(v.name)
  v.seconds = math.huge
  for _ = 1, 5 do
    v.seconds = math.min(v.seconds, kernel(c_gpu, a_gpu, b_gpu, n, options))
  end
  if not best or v.seconds < best.seconds then best = v end
  local speed = soft and " of simulation" or (" %9.0f GFLOP/s"):format(2 * n ^ 3 / v.seconds / 1e9)
  print(("%-28s %3d registers %10.3f ms%s"):format(v.name, kernel:get_attribute "num_regs", v.seconds * 1e3, speed))
end
print(("%d variants of a %d x %d product on %s, all as expected; the best: %s"):format(#variants, n, n,
  ctx:get_device():name(), best.name))
