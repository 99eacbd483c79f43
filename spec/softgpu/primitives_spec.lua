-- What kernels take from the CUDA C++ libraries: CUB's block and warp primitives, cooperative groups, half precision
-- in pairs, asynchronous copies and barriers in shared memory; against the same in plain Lua.
local gpu = require "spec.support.gpu"
local cuda, ffi, bit = gpu.cuda, require "ffi", require "bit"

local function array(type, n, f)
  local a = ffi.new(type .. "[?]", n)
  for i = 0, f and n - 1 or -1 do a[i] = f(i) end
  return a
end
local function same(n, got, want, tolerance)
  for i = 0, n - 1 do
    local w = type(want) == "function" and want(i) or want[i]
    if got[i] ~= w and not (tolerance and math.abs(got[i] - w) <= tolerance * math.max(1, math.abs(w))) then
      error(("element %d: %s instead of %s"):format(i, tostring(got[i]), tostring(w)), 2)
    end
  end
  assert.is_true(n > 0)
end
local function sorted(n, a, before)
  local t = {}
  for i = 0, n - 1 do t[i + 1] = a[i] end
  table.sort(t, before)
  return function(i) return t[i + 1] end
end
local random = math.random

describe("CUB's block primitives:", function()
  local mod
  setup(function()
    gpu.context()
    mod = cuda.SourceModule([[
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
template <class T, cub::BlockReduceAlgorithm A> __device__ void reduce(T *o, const T *in)
{
  typedef cub::BlockReduce<T, 128, A> R;
  __shared__ typename R::TempStorage s;
  T sum = R(s).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) o[blockIdx.x] = sum;
}
extern "C" {
__global__ void reduce_int(int *o, const int *in) { reduce<int, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(o, in); }
__global__ void reduce_float(float *o, const float *in) { reduce<float, cub::BLOCK_REDUCE_RAKING>(o, in); }
__global__ void reduce_double(double *o, const double *in)
{
  reduce<double, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(o, in);
}
__global__ void scan(int *o, const int *in)
{
  typedef cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
  typedef cub::BlockScan<int, 128> Scan;
  __shared__ union { typename Load::TempStorage l; typename Store::TempStorage s; typename Scan::TempStorage c; } t;
  int v[4];
  Load(t.l).Load(in + blockIdx.x * 512, v);
  __syncthreads();
  Scan(t.c).ExclusiveSum(v, v);
  __syncthreads();
  Store(t.s).Store(o + blockIdx.x * 512, v);
}
__global__ void running_max(float *o, const float *in)
{
  typedef cub::BlockScan<float, 128, cub::BLOCK_SCAN_RAKING> Scan;
  __shared__ typename Scan::TempStorage s;
  float v = in[threadIdx.x];
  Scan(s).InclusiveScan(v, v, [](float a, float b) { return a > b ? a : b; });
  o[threadIdx.x] = v;
}
__global__ void radix_pairs(unsigned *keys, int *values)
{
  typedef cub::BlockRadixSort<unsigned, 128, 4, int> Sort;
  __shared__ typename Sort::TempStorage s;
  unsigned k[4];
  int v[4];
  cub::LoadDirectBlocked(threadIdx.x, keys, k);
  cub::LoadDirectBlocked(threadIdx.x, values, v);
  Sort(s).Sort(k, v);
  cub::StoreDirectBlocked(threadIdx.x, keys, k);
  cub::StoreDirectBlocked(threadIdx.x, values, v);
}
__global__ void radix_floats(float *keys)
{
  typedef cub::BlockRadixSort<float, 64, 3> Sort;
  __shared__ typename Sort::TempStorage s;
  float k[3];
  cub::LoadDirectBlocked(threadIdx.x, keys, k);
  Sort(s).SortDescendingBlockedToStriped(k);
  cub::StoreDirectStriped<64>(threadIdx.x, keys, k);
}
__global__ void merge_doubles(double *keys)
{
  typedef cub::BlockMergeSort<double, 64, 3> Sort;
  __shared__ typename Sort::TempStorage s;
  double k[3];
  cub::LoadDirectBlocked(threadIdx.x, keys, k);
  Sort(s).Sort(k, [](double a, double b) { return a < b; });
  cub::StoreDirectBlocked(threadIdx.x, keys, k);
}
__global__ void histogram(unsigned *o, const unsigned char *in)
{
  typedef cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_SORT> Histogram;
  __shared__ typename Histogram::TempStorage s;
  __shared__ unsigned bins[256];
  unsigned char v[4];
  cub::LoadDirectBlocked(threadIdx.x, in, v);
  Histogram(s).Histogram(v, bins);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) o[i] = bins[i];
}
__global__ void warps(int *sums, double *scans, const int *in)
{
  typedef cub::WarpReduce<int, 16> Reduce;
  typedef cub::WarpScan<double> Scan;
  __shared__ typename Reduce::TempStorage r[8];
  __shared__ typename Scan::TempStorage s[4];
  int t = threadIdx.x, sum = Reduce(r[t / 16]).Sum(in[t]);
  if (t % 16 == 0) sums[t / 16] = sum;
  double v;
  Scan(s[t / 32]).InclusiveSum((double)in[t], v);
  scans[t] = v;
}
}
]], { no_extern_c = true })
  end)
  before_each(gpu.context)

  it("reductions of three kinds", function()
    for name, type in pairs { reduce_int = "int", reduce_float = "float", reduce_double = "double" } do
      local a = array(type, 512, function() return random(-99, 99) end) -- small numbers: sums are exact
      local o = array(type, 4)
      mod:get_function(name)(cuda.Out(o), cuda.In(a), { block = 128, grid = 4 })
      same(4, o, function(b)
        local sum = 0
        for i = b * 128, b * 128 + 127 do sum = sum + a[i] end
        return sum
      end)
    end
  end)

  it("scans, with loads and stores that transpose", function()
    local a, o = array("int", 1024, function() return random(-99, 99) end), array("int", 1024)
    mod:get_function "scan"(cuda.Out(o), cuda.In(a), { block = 128, grid = 2 })
    local sum = 0
    same(1024, o, function(i)
      if i % 512 == 0 then sum = 0 end
      sum = sum + a[i]
      return sum - a[i]
    end)
    local f, most = array("float", 128, random), array("float", 128)
    mod:get_function "running_max"(cuda.Out(most), cuda.In(f), { block = 128 })
    local m = -1
    same(128, most, function(i)
      m = math.max(m, f[i])
      return m
    end)
  end)

  it("radix and merge sort", function()
    local keys, values = array("unsigned", 512, function() return random(0, 2 ^ 32 - 1) end), array("int", 512)
    local owner = {}
    for i = 0, 511 do values[i], owner[keys[i]] = i, i end
    local want = sorted(512, keys)
    mod:get_function "radix_pairs"(cuda.InOut(keys), cuda.InOut(values), { block = 128 })
    same(512, keys, want)
    same(512, values, function(i) return owner[keys[i]] end)
    local f = array("float", 192, function() return random(-1000, 1000) / 8 end)
    want = sorted(192, f, function(a, b) return a > b end)
    mod:get_function "radix_floats"(cuda.InOut(f), { block = 64 })
    same(192, f, want)
    local d = array("double", 192, function() return random() - 0.5 end)
    want = sorted(192, d)
    mod:get_function "merge_doubles"(cuda.InOut(d), { block = 64 })
    same(192, d, want)
  end)

  it("a histogram", function()
    local a, o, count = array("unsigned char", 512, function() return random(0, 255) end), array("unsigned", 256), {}
    for i = 0, 511 do count[a[i]] = (count[a[i]] or 0) + 1 end
    mod:get_function "histogram"(cuda.Out(o), cuda.In(a), { block = 128 })
    same(256, o, function(i) return count[i] or 0 end)
  end)

  it("warp reductions and scans", function()
    local a = array("int", 128, function() return random(-99, 99) end)
    local sums, scans = array("int", 8), array("double", 128)
    mod:get_function "warps"(cuda.Out(sums), cuda.Out(scans), cuda.In(a), { block = 128 })
    same(8, sums, function(w)
      local sum = 0
      for i = w * 16, w * 16 + 15 do sum = sum + a[i] end
      return sum
    end)
    local sum = 0
    same(128, scans, function(i)
      sum = (i % 32 == 0 and 0 or sum) + a[i]
      return sum
    end)
  end)
end)

for _, variant in ipairs { { "optimised" }, { "for a debugger", { "-G" } } } do
  describe("cooperative groups, " .. variant[1] .. ":", function()
    local mod
    setup(function()
      gpu.context()
      cuda.Context.set_limit("stack_size", 8192)
      mod = cuda.SourceModule([[
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" {
__global__ void tiles(int *o, const int *in)
{
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int t = block.thread_rank(), v = in[t];
  o[t * 4] = cg::reduce(tile, v, cg::plus<int>());
  o[t * 4 + 1] = cg::reduce(tile, v, cg::greater<int>());
  o[t * 4 + 2] = cg::inclusive_scan(tile, v);
  o[t * 4 + 3] = tile.shfl_down(v, 1) * 100 + tile.meta_group_rank();
}
__global__ void wide_tiles(int *o, const int *in)
{
  __shared__ cg::block_tile_memory<256> memory;
  auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  o[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}
__global__ void coalesced(int *o, int *count, const int *in)
{
  int t = threadIdx.x;
  if (in[t] <= 0) return;
  auto group = cg::coalesced_threads();
  int base;
  if (group.thread_rank() == 0) base = atomicAdd(count, group.size());
  o[group.shfl(base, 0) + group.thread_rank()] = in[t];
  int sum = cg::reduce(group, in[t], cg::plus<int>());
  if (group.thread_rank() == 0) atomicAdd(count + 1, sum);
}
__global__ void labels(int *o, const int *in)
{
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x;
  auto equal = cg::labeled_partition(warp, in[t] & 3);
  o[t] = cg::reduce(equal, in[t], cg::plus<int>()) * 100 + equal.size();
}
__global__ void copies(int *o, const int *in)
{
  __shared__ int s[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  o[threadIdx.x] = s[255 - threadIdx.x];
}
}
]], { no_extern_c = true, options = variant[2] })
    end)
    teardown(function() cuda.Context.set_limit("stack_size", 1024) end)
    before_each(gpu.context)

    it("tiles of a warp: reduce, scan, shuffle", function()
      local a, o = array("int", 128, function() return random(-99, 99) end), array("int", 512)
      mod:get_function "tiles"(cuda.Out(o), cuda.In(a), { block = 128 })
      for t = 0, 127 do
        local first = t - t % 16
        local sum, most, scan = 0, -100, 0
        for i = first, first + 15 do
          sum, most = sum + a[i], math.max(most, a[i])
          if i <= t then scan = scan + a[i] end
        end
        local next = t % 16 == 15 and a[t] or a[t + 1]
        local got = { o[t * 4], o[t * 4 + 1], o[t * 4 + 2], o[t * 4 + 3] }
        assert.same({ sum, most, scan, next * 100 + first / 16 }, got)
      end
    end)

    it("tiles of two warps", function()
      local a, o = array("int", 256, function() return random(-99, 99) end), array("int", 256)
      mod:get_function "wide_tiles"(cuda.Out(o), cuda.In(a), { block = 256 })
      same(256, o, function(t)
        local sum = 0
        for i = t - t % 64, t - t % 64 + 63 do sum = sum + a[i] end
        return sum
      end)
    end)

    it("the threads that took a branch", function()
      local a, o, count = array("int", 128, function() return random(-99, 99) end), array("int", 128), array("int", 2)
      local list, sum = {}, 0
      for i = 0, 127 do
        if a[i] > 0 then list[#list + 1], sum = a[i], sum + a[i] end
      end
      mod:get_function "coalesced"(cuda.Out(o), cuda.InOut(count), cuda.In(a), { block = 128 })
      assert.same({ #list, sum }, { count[0], count[1] })
      table.sort(list)
      same(#list, { [0] = sorted(#list, o)(0) }, { [0] = list[1] })
      local got = sorted(#list, o)
      for i = 1, #list do assert.equal(list[i], got(i - 1)) end
    end)

    it("partitions by a label", function()
      local a, o = array("int", 64, function() return random(0, 99) end), array("int", 64)
      mod:get_function "labels"(cuda.Out(o), cuda.In(a), { block = 64 })
      same(64, o, function(t)
        local sum, n = 0, 0
        for i = t - t % 32, t - t % 32 + 31 do
          if a[i] % 4 == a[t] % 4 then sum, n = sum + a[i], n + 1 end
        end
        return sum * 100 + n
      end)
    end)

    it("memcpy_async", function()
      local a, o = array("int", 256, function() return random(0, 99) end), array("int", 256)
      mod:get_function "copies"(cuda.Out(o), cuda.In(a), { block = 256 })
      same(256, o, function(t) return a[255 - t] end)
    end)
  end)
end

describe("asynchronous copies and barriers in shared memory:", function()
  local mod
  setup(function()
    gpu.context()
    mod = cuda.SourceModule([[
#include <cuda/barrier>
#include <cuda_pipeline.h>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" {
__global__ void stages(float *o, const float *in)
{
  __shared__ float s[2][64];
  for (int i = 0; i < 2; i++) {
    __pipeline_memcpy_async(&s[i][threadIdx.x], in + i * 64 + threadIdx.x, 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  __syncthreads();
  o[threadIdx.x] = s[0][63 - threadIdx.x];
  __pipeline_wait_prior(0);
  __syncthreads();
  o[64 + threadIdx.x] = s[1][63 - threadIdx.x];
}
__global__ void zero_fill(int4 *o, const int4 *in)
{
  __shared__ int4 s[64];
  s[threadIdx.x] = make_int4(-1, -1, -1, -1);
  __syncthreads(); // else the copy need not come after the store
  __pipeline_memcpy_async(&s[threadIdx.x], in + threadIdx.x, 16, threadIdx.x % 5 * 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  o[threadIdx.x] = s[threadIdx.x];
}
__global__ void phases(int *o)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t == 0) init(&b, blockDim.x);
  __syncthreads();
  s[t] = t;
  for (int i = 0; i < 4; i++) {
    b.arrive_and_wait();
    int v = s[(t + 1) & 63];
    auto token = b.arrive();
    b.wait(std::move(token));
    s[t] = v + 1;
  }
  o[t] = s[t];
}
}
]], { no_extern_c = true })
  end)
  before_each(gpu.context)

  it("copies in two stages", function()
    local a, o = array("float", 128, random), array("float", 128)
    mod:get_function "stages"(cuda.Out(o), cuda.In(a), { block = 64 })
    same(128, o, function(i) return a[i < 64 and 63 - i or 191 - i] end)
  end)

  it("copies of a part, the rest is zero", function()
    local a, o = array("int", 256, function() return random(1, 99) end), array("int", 256)
    mod:get_function "zero_fill"(cuda.Out(o), cuda.In(a), { block = 64 })
    same(256, o, function(i) return i % 4 < 4 - math.floor(i / 4) % 5 and a[i] or 0 end)
  end)

  it("arrive and wait, phase after phase", function()
    local o = array("int", 64)
    mod:get_function "phases"(cuda.Out(o), { block = 64 })
    same(64, o, function(t) return (t + 4) % 64 + 4 end)
  end)
end)

describe("half precision in pairs:", function()
  local mod
  setup(function()
    gpu.context()
    mod = cuda.SourceModule([[
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" {
__global__ void compare(unsigned *o, const __half2 *a, const __half2 *b)
{
  int t = threadIdx.x;
  __half2 x = a[t], y = b[t], g = __hgt2(x, y);
  o[t] = __hbeq2(x, y) | __hbgt2(x, y) << 1 | __hbltu2(x, y) << 2 | (__heq2_mask(x, y) & 0x10001) << 8
    | (__low2float(g) != 0) << 3 | (__high2float(g) != 0) << 4;
}
__global__ void extremes(__half2 *o, const __half2 *a, const __half2 *b)
{
  int t = threadIdx.x;
  o[t * 4] = __hmin2(a[t], b[t]);
  o[t * 4 + 1] = __hmax2(a[t], b[t]);
  o[t * 4 + 2] = __hmax2_nan(a[t], b[t]);
  o[t * 4 + 3] = __hfma2_relu(a[t], b[t], a[t]);
}
__global__ void sums(__half2 *h, __nv_bfloat162 *b)
{
  atomicAdd(h, __floats2half2_rn(0.5f, threadIdx.x));
  atomicAdd(b, __floats2bfloat162_rn(1, -2));
}
}
]], { no_extern_c = true })
  end)
  before_each(gpu.context)

  local function bits(x) -- of a small number that a half can hold
    if x ~= x then return 0x7fff end
    if x == 0 then return 0 end
    local m, e = math.frexp(math.abs(x))
    return (x < 0 and 0x8000 or 0) + (e + 14) * 1024 + (m * 2 - 1) * 1024
  end
  local function pairs_of(list)
    local a = ffi.new("unsigned[?]", #list)
    for i, p in ipairs(list) do a[i - 1] = bits(p[1]) + 65536 * bits(p[2]) end
    return a
  end
  local nan = 0 / 0
  local first = { { 1, 2 }, { -1, 0.5 }, { nan, 3 }, { 4, nan }, { 0, 0 }, { 2, -3 }, { 7, 7 }, { -2, -4 } }
  local second = { { 1, 3 }, { -2, 0.25 }, { 1, 3 }, { 4, 1 }, { 0, 1 }, { -2, -3 }, { 7, 7.5 }, { -4, -2 } }

  it("comparisons", function()
    local o = array("unsigned", 8)
    mod:get_function "compare"(cuda.Out(o), cuda.In(pairs_of(first)), cuda.In(pairs_of(second)), { block = 8 })
    same(8, o, function(i)
      local a, b = first[i + 1], second[i + 1]
      local function both(f) return f(a[1], b[1]) and f(a[2], b[2]) and 1 or 0 end
      local v = both(function(x, y) return x == y end) + 2 * both(function(x, y) return x > y end)
        + 4 * both(function(x, y) return x < y or x ~= x or y ~= y end)
      v = v + (a[1] > b[1] and 8 or 0) + (a[2] > b[2] and 16 or 0)
      return v + (a[1] == b[1] and 0x100 or 0) + (a[2] == b[2] and 0x1000000 or 0)
    end)
  end)

  it("least, greatest, and a product that is not negative", function()
    local o = array("unsigned", 32)
    mod:get_function "extremes"(cuda.Out(o), cuda.In(pairs_of(first)), cuda.In(pairs_of(second)), { block = 8 })
    local function pick(f)
      return function(x, y)
        if x ~= x then return y end
        return y ~= y and x or f(x, y)
      end
    end
    local kinds = { [0] = pick(math.min), pick(math.max),
      function(x, y) return (x ~= x or y ~= y) and nan or math.max(x, y) end,
      function(x, y)
        local r = x * y + x
        return r ~= r and r or math.max(r, 0)
      end }
    same(32, o, function(i)
      local a, b = first[bit.rshift(i, 2) + 1], second[bit.rshift(i, 2) + 1]
      return bits(kinds[i % 4](a[1], b[1])) + 65536 * bits(kinds[i % 4](a[2], b[2]))
    end)
  end)

  it("atomic sums", function()
    local h, b = array("unsigned", 1), array("unsigned", 1)
    mod:get_function "sums"(cuda.InOut(h), cuda.InOut(b), { block = 32 })
    assert.equal(bits(16) + 65536 * bits(496), h[0])
    assert.equal(0x4200 + 65536 * 0xc280, b[0]) -- 32 and -64
  end)
end)
