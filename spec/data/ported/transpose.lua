-- Transposes a matrix through shared memory, with a kernel that is made once for each context and dtype. In PyCUDA:
--   @context_dependent_memoize
--   def get_transpose(block_size, dtype):
--       mod = SourceModule("..." % {"type": dtype_to_ctype(dtype), "block_size": block_size})
--       return mod.get_function("transpose").prepare("PPii")
--   def transpose(src):
--       h, w = src.shape
--       result = gpuarray.empty((w, h), dtype=src.dtype)
--       krnl.prepared_call((w // 16, h // 16), (16, 16, 1), result.gpudata, src.gpudata, w, h)
local cuda = require "cudalua"
local gpuarray, tools = cuda.gpuarray, cuda.tools

local made = 0
local get_transpose = tools.context_dependent_memoize(function(block_size, dtype)
  made = made + 1
  local source = ([[
#define BLOCK_SIZE ${block_size}
typedef ${type} T;
__global__ void transpose(T *result, T *a, int width, int height)
{
  __shared__ T tile[BLOCK_SIZE][BLOCK_SIZE + 1];
  int x = blockIdx.x * BLOCK_SIZE + threadIdx.x, y = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = a[y * width + x];
  __syncthreads();
  x = blockIdx.y * BLOCK_SIZE + threadIdx.x, y = blockIdx.x * BLOCK_SIZE + threadIdx.y;
  if (x < height && y < width) result[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
]]):gsub("%${([%w_]+)}", { block_size = block_size, type = tools.dtype_to_ctype(dtype) })
  return cuda.SourceModule(source):get_function "transpose":prepare "PPii"
end)

local function transpose(src)
  local size = 16
  local h, w = unpack(src.shape)
  local result = gpuarray.empty({ w, h }, src.dtype)
  local kernel = get_transpose(size, src.dtype)
  kernel:prepared_call({ math.ceil(w / size), math.ceil(h / size) }, { size, size, 1 }, result.gpudata, src.gpudata,
    w, h)
  return result
end

local ok = true
for _, shape in ipairs { { 16, 16 }, { 20, 50 }, { 1, 33 } } do
  for _, dtype in ipairs { "float32", "float64" } do
    local source = gpuarray.arange(shape[1] * shape[2], dtype):reshape(shape)
    ok = ok and transpose(source):array_equal(source.T)
  end
end
print("all equal", ok)
print("kernels", made)
local last = transpose(gpuarray.arange(6, "float32"):reshape(2, 3))
print("small", last:tolist()[3][2])
