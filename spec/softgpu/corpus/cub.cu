// CUB: what blocks and warps do together.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include "common.cuh"

KERNEL(reductions) // 128 x 2
{
  LANE;
  typedef cub::BlockReduce<u32, 128> Warps;
  typedef cub::BlockReduce<u64, 128, cub::BLOCK_REDUCE_RAKING> Raking;
  typedef cub::WarpReduce<u32> Warp;
  __shared__ union { typename Warps::TempStorage w; typename Raking::TempStorage r; typename Warp::TempStorage p[4];
  } s;
  __shared__ u32 all;
  u32 v = l.w(0) & 0xfffff;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  atomicAdd(&all, v);
  __syncthreads();
  u32 sum = Warps(s.w).Sum(v);
  __syncthreads();
  u64 most = Raking(s.r).Reduce(l.x(1), [](u64 a, u64 b) { return a > b ? a : b; });
  __syncthreads();
  u32 part = Warp(s.p[threadIdx.x / 32]).Sum(v, 20);
  if (threadIdx.x == 0) {
    CHECK(sum == all);
    V(most);
  }
  if (threadIdx.x % 32 == 0) V(part);
}

KERNEL(scans) // 128 x 2
{
  LANE;
  typedef cub::BlockLoad<u32, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
  typedef cub::BlockScan<u32, 128> Scan;
  typedef cub::BlockExchange<u32, 128, 4> Exchange;
  typedef cub::BlockDiscontinuity<u32, 128> Heads;
  typedef cub::WarpScan<u32> Warp;
  __shared__ union { typename Load::TempStorage l; typename Scan::TempStorage s; typename Exchange::TempStorage e;
                     typename Heads::TempStorage h; typename Warp::TempStorage w[4]; } s;
  u32 v[4], total;
  int flags[4];
  Load(s.l).Load(l.in, v);
  __syncthreads();
  u32 first = v[0];
  CHECK(first == l.in[threadIdx.x * 4]);
  Scan(s.s).ExclusiveSum(v, v, total);
  __syncthreads();
  V(v[0] ^ v[3] ^ total);
  Exchange(s.e).BlockedToStriped(v);
  __syncthreads();
  V(v[1]);
  for (int k = 0; k < 4; k++) v[k] >>= 30;
  Heads(s.h).FlagHeads(flags, v, [](u32 a, u32 b) { return a != b; });
  __syncthreads();
  V(flags[0] + flags[1] * 2 + flags[2] * 4 + flags[3] * 8);
  u32 w;
  Warp(s.w[threadIdx.x / 32]).InclusiveSum(first, w);
  V(w);
}

KERNEL(sorts) // 64 x 1
{
  LANE;
  typedef cub::BlockRadixSort<u32, 64, 3, u32> Radix;
  typedef cub::BlockMergeSort<s32, 64, 3> Merge;
  typedef cub::BlockHistogram<u8, 64, 3, 16, cub::BLOCK_HISTO_ATOMIC> Histogram;
  __shared__ union { typename Radix::TempStorage r; typename Merge::TempStorage m;
  typename Histogram::TempStorage h; } s;
  __shared__ u32 bins[16], last[64];
  u32 key[3], value[3];
  s32 number[3];
  u8 digit[3];
  for (int k = 0; k < 3; k++) key[k] = l.w(k), value[k] = ~key[k], number[k] = (s32)l.w(k + 3),
      digit[k] = key[k] & 15;
  Radix(s.r).Sort(key, value);
  CHECK(key[0] <= key[1] && key[1] <= key[2] && value[1] == ~key[1]);
  last[threadIdx.x] = key[2];
  __syncthreads();
  CHECK(threadIdx.x == 0 || last[threadIdx.x - 1] <= key[0]);
  V(key[1]);
  Merge(s.m).Sort(number, [](s32 a, s32 b) { return a < b; });
  CHECK(number[0] <= number[1] && number[1] <= number[2]);
  V(number[2]);
  __syncthreads();
  Histogram(s.h).Histogram(digit, bins);
  __syncthreads();
  V(bins[threadIdx.x & 15]);
}
