-- A product of matrices in tiles, from a template that is filled in while the program runs. The fastest tile wins. In
-- PyCUDA the template is a string of Cheetah or Jinja:
--   for size in (4, 8, 16):
--       mod = SourceModule(template.substitute(size=size, n=n))
--       func = mod.get_function("matmul").prepare("PPP")
--       seconds = func.prepared_timed_call((n // size, n // size), (size, size, 1), a.gpudata, b.gpudata, c.gpudata)()
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

local template = [[
#define SIZE ${size}
#define N ${n}
__global__ void matmul(float *a, float *b, float *c)
{
  __shared__ float as[SIZE][SIZE], bs[SIZE][SIZE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * SIZE + y, column = blockIdx.x * SIZE + x;
  float sum = 0;
  for (int tile = 0; tile < N / SIZE; tile++) {
    as[y][x] = a[row * N + tile * SIZE + x];
    bs[y][x] = b[(tile * SIZE + y) * N + column];
    __syncthreads();
${steps}
    __syncthreads();
  }
  c[row * N + column] = sum;
}
]]

local n = 32
local a = gpuarray.arange(n * n):reshape(n, n):astype "float32" / n
local b = (gpuarray.arange(n * n, "float32") % 7):reshape(n, n)
local best, best_size
local worst = 0
for _, size in ipairs { 4, 8, 16 } do
  local steps = {}
  for k = 0, size - 1 do steps[#steps + 1] = ("    sum += as[y][%d] * bs[%d][x];"):format(k, k) end
  local source = template:gsub("%${(%w+)}", { size = size, n = n, steps = table.concat(steps, "\n") })
  local c = gpuarray.empty({ n, n }, "float32")
  local func = cuda.SourceModule(source):get_function "matmul":prepare "PPP"
  local seconds = func:prepared_timed_call({ n / size, n / size }, { size, size, 1 }, a.gpudata, b.gpudata, c.gpudata)()
  worst = math.max(worst, (c - a:dot(b)):abs():max():get())
  if not best or seconds < best then best, best_size = seconds, size end
  print("corner of size " .. size, c[{ n, n }])
end
print("largest difference", worst)
print("a size won", best_size ~= nil)
