-- Kernels that a simulator of the device gets wrong when it is too simple; a GPU is asked the same questions.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

describe("device code", function()
  local mod
  setup(function()
    gpu.context()
    mod = cuda.SourceModule([[
__global__ void arms(int *o)
{
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp();
  if (t < 16) { s[t] += 100; __syncwarp(); o[t] = s[t + 16]; }
  else { s[t] += 200; __syncwarp(); o[t] = s[t - 16]; }
}
__global__ void divide(unsigned long long *o, unsigned long long hi, unsigned long long lo, unsigned long long d)
{
  unsigned __int128 n = ((unsigned __int128)hi << 64) | lo;
  o[0] = (unsigned long long)(n / d);
  o[1] = (unsigned long long)(n % d);
}
__global__ void borrow(unsigned *o, unsigned a, unsigned b)
{
  unsigned low, high, flag;
  asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, 7, 2; addc.u32 %2, 0, 0;"
      : "=r"(low), "=r"(high), "=r"(flag) : "r"(a), "r"(b));
  o[0] = low; o[1] = high; o[2] = flag;
}
__global__ void lock(int *mutex, int *sum)
{
  bool done = false;
  while (!done)
    if (atomicCAS(mutex, 0, 1) == 0) {
      *(volatile int *)sum += 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
}
__global__ void collatz(int *steps, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = 0;
  for (long long v = i + 1; v != 1; s++) v = v & 1 ? 3 * v + 1 : v / 2;
  steps[i] = s;
}
__global__ void block_sum(int *out, const int *in, int n)
{
  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half >= 32; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t >= 32) return;
  sum = part[t];
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (t == 0) atomicAdd(out, sum);
}
]], { options = { "--device-int128" } })
  end)
  before_each(gpu.context)

  it("__syncwarp meets across both arms of a branch", function()
    local o = ffi.new "int[32]"
    mod:get_function "arms"(cuda.Out(o), { block = 32 })
    for t = 0, 31 do assert.equal(t < 16 and t + 216 or t + 84, o[t]) end
  end)

  it("128-bit division, and the carry flag that it relies on", function()
    local o = ffi.new "uint64_t[2]"
    mod:get_function "divide"(cuda.Out(o), 5, 7, 13, { block = 1 })
    assert.equal(7094901566811366006ULL, o[0])
    assert.equal(9ULL, o[1])
    local flags = ffi.new "unsigned[3]"
    mod:get_function "borrow"(cuda.Out(flags), 5, 3, { block = 1 })
    assert.same({ 2, 5, 1 }, { flags[0], flags[1], flags[2] }) -- nothing borrowed: the flag is set
    mod:get_function "borrow"(cuda.Out(flags), 3, 5, { block = 1 })
    assert.same({ 2 ^ 32 - 2, 4, 1 }, { flags[0], flags[1], flags[2] })
  end)

  it("a lock taken by every thread, with blocks that grow", function()
    local mutex, sum = ffi.new "int[1]", ffi.new "int[1]"
    local expected = 0
    for _, block in ipairs { 1, 32, 7, 128 } do
      mod:get_function "lock"(cuda.InOut(mutex), cuda.InOut(sum), { block = block, grid = 3 })
      expected = expected + 3 * block
      assert.equal(expected, sum[0])
    end
  end)

  it("loops of different length in one warp", function()
    local n = 1000
    local steps = ffi.new("int[?]", n)
    mod:get_function "collatz"(cuda.Out(steps), n, { block = 96, grid = 11 })
    for i = 0, n - 1 do
      local v, s = i + 1, 0
      while v ~= 1 do
        v, s = v % 2 == 1 and 3 * v + 1 or v / 2, s + 1
      end
      assert(steps[i] == s, i)
    end
    assert.is_true(true)
  end)

  it("barriers, shuffles and atomics in one reduction, for many shapes", function()
    local n = 10007
    local values, expected = ffi.new("int[?]", n), 0
    for i = 0, n - 1 do
      values[i] = math.random(-1000, 1000)
      expected = expected + values[i]
    end
    local input = cuda.to_device(values)
    for _, shape in ipairs { { 32, 1 }, { 64, 3 }, { 256, 40 }, { 128, 79 } } do
      local out = ffi.new "int[1]"
      mod:get_function "block_sum"(cuda.InOut(out), input, n, { block = shape[1], grid = shape[2] })
      assert.equal(expected, out[0])
    end
  end)
end)
