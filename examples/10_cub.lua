-- CUB's block primitives in a kernel of one's own: pick the numbers that are wanted, add them up. The headers come with
-- the CUDA toolkit and are found by themselves.
--   luajit examples/10_cub.lua [millions of numbers, default 1; on the software device 0.1]
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()
local n = math.floor((tonumber(arg and arg[1]) or (cuda.driver_info().soft and 0.1 or 1)) * 2 ^ 20)
local threads, per_thread = 128, 4

-- CUB's templates need the block's size at compile time: the program fills it in.
local mod = cuda.SourceModule([=[
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

typedef cub::BlockLoad<int, THREADS, PER_THREAD, cub::BLOCK_LOAD_TRANSPOSE> Load;
typedef cub::BlockScan<int, THREADS> Scan;
typedef cub::BlockReduce<long long, THREADS> Reduce;

// The numbers from lo to hi go to out, and into the sum. A scan counts those of the block and gives each its place
// among them; one atomic addition asks for so many places in out. Which block comes first is left to chance.
__global__ void pick(int *out, int *count, unsigned long long *sum, const int *in, int n, int lo, int hi)
{
  __shared__ union {
    Load::TempStorage load;
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
  } temp;
  __shared__ int first;

  const int start = blockIdx.x * (THREADS * PER_THREAD);
  int item[PER_THREAD], wanted[PER_THREAD], place[PER_THREAD], total;
  Load(temp.load).Load(in + start, item, n - start, hi + 1); // past the end: a number that nobody wants
  __syncthreads(); // the union is used again

  long long mine = 0;
  for (int i = 0; i < PER_THREAD; i++) {
    wanted[i] = item[i] >= lo && item[i] <= hi;
    if (wanted[i]) mine += item[i];
  }
  Scan(temp.scan).ExclusiveSum(wanted, place, total);
  if (threadIdx.x == 0) first = atomicAdd(count, total);
  __syncthreads();
  for (int i = 0; i < PER_THREAD; i++)
    if (wanted[i]) out[first + place[i]] = item[i];

  const long long all = Reduce(temp.reduce).Sum(mine);
  if (threadIdx.x == 0) atomicAdd(sum, (unsigned long long)all);
}
]=], { options = { "-DTHREADS=" .. threads, "-DPER_THREAD=" .. per_thread } })
local pick = mod:get_function "pick"

local input, output = ffi.new("int[?]", n), ffi.new("int[?]", n)
for i = 0, n - 1 do input[i] = math.random(-1e6, 1e6) end
local lo, hi = -1000, 250000

local total, count = ffi.new "int64_t[1]", ffi.new "int[1]"
local grid = math.ceil(n / (threads * per_thread))
pick(cuda.Out(output), cuda.InOut(count), cuda.InOut(total), cuda.In(input), n, lo, hi,
  { block = threads, grid = grid })

-- In whatever order they came: the same numbers, each as often.
local left, want_count, want_sum = {}, 0, 0
for i = 0, n - 1 do
  local v = input[i]
  if v >= lo and v <= hi then left[v], want_count, want_sum = (left[v] or 0) + 1, want_count + 1, want_sum + v end
end
assert(count[0] == want_count and total[0] == want_sum, "the block primitives counted something else")
for i = 0, want_count - 1 do
  local v = output[i]
  assert(left[v] and left[v] > 0, "a number that is not in the input, or too often")
  left[v] = left[v] - 1
end
print(("%d of %d numbers selected by %d blocks on %s, sum %d, all as expected"):format(want_count, n, grid,
  ctx:get_device():name(), want_sum))
