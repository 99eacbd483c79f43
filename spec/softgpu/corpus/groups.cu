// Cooperative groups: tiles, reductions, scans, coalesced groups, partitions, asynchronous copies, the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "common.cuh"
namespace cg = cooperative_groups;

KERNEL(tiles) // 128 x 2
{
  LANE;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  u32 v = l.w(0) & 0xffff, sum = 0, most = 0, scan = 0, rank = tile.thread_rank();
  for (int k = 0; k < 8; k++) {
    u32 t = tile.shfl(v, k);
    sum += t, most = max(most, t);
    if (k <= (int)rank) scan += t;
  }
  CHECK(rank == threadIdx.x % 8 && tile.size() == 8 && tile.meta_group_rank() == threadIdx.x / 8 &&
      tile.meta_group_size() == 16);
  CHECK(cg::reduce(tile, v, cg::plus<u32>()) == sum && cg::reduce(tile, v, cg::greater<u32>()) == most);
  CHECK(cg::inclusive_scan(tile, v) == scan && cg::exclusive_scan(tile, v) == scan - v);
  CHECK(cg::reduce(tile, v, [](u32 a, u32 b) { return a + b; }) == sum);
  CHECK(cg::reduce(tile, (float)v, cg::plus<float>()) == (float)sum);
  CHECK(tile.any(rank == 3) && tile.all(rank < 8) && tile.ballot(rank & 1) == 0xaa &&
      __popc(tile.match_any(v & 1)) <= 8);
  CHECK(tile.shfl_xor(v, 1) == __shfl_xor_sync(~0u, v, 1) && tile.shfl_down(rank, 2) == (rank < 6 ? rank + 2 : rank));
  auto half = cg::tiled_partition<4>(tile);
  CHECK(half.size() == 4 && half.thread_rank() == rank % 4);
  tile.sync();
  block.sync();
  CHECK(block.thread_rank() == threadIdx.x && block.size() == 128 && block.group_index().x == blockIdx.x);
  struct Pair { float a; int b; } p = { (float)v, (int)rank };
  p = tile.shfl(p, 5);
  CHECK(p.b == 5);
  V(sum + most + scan);
}

KERNEL(wide) // 128 x 1
{
  LANE;
  __shared__ cg::block_tile_memory<128> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  u32 r = cg::reduce(tile, 1u, cg::plus<u32>());
  CHECK(r == 64 && tile.thread_rank() == threadIdx.x % 64);
  V(cg::inclusive_scan(tile, l.w(0) & 255));
}

KERNEL(coalesced) // 64 x 2
{
  LANE;
  u32 v = l.w(0);
  if (v & 1) {
    auto g = cg::coalesced_threads();
    CHECK(g.size() == __popc(__activemask()) && g.thread_rank() == __popc(__activemask()
        & ((1u << (threadIdx.x & 31)) - 1)));
    V(cg::reduce(g, v, cg::plus<u32>()));
    V(cg::inclusive_scan(g, v));
    V(g.shfl(v, 0));
    auto part = cg::labeled_partition(g, v >> 1 & 1);
    V(part.size());
    cg::invoke_one(part, [] {});
  }
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto parts = cg::binary_partition(warp, v & 2);
  V(cg::reduce(parts, v, cg::bit_xor<u32>()));
  V(parts.size());
}

KERNEL(copies) // 64 x 2
{
  LANE;
  __shared__ __align__(16) u32 s[64], t[64];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  cg::memcpy_async(block, s, l.in, sizeof s);
  cg::wait(block);
  CHECK(s[threadIdx.x ^ 9] == l.in[threadIdx.x ^ 9]);
  u32 first = threadIdx.x / 32 * 32;
  cg::memcpy_async(tile, t + first, l.in + first, 32 * 4);
  cg::wait_prior<0>(tile);
  CHECK(t[first + (threadIdx.x + 1) % 32] == l.in[first + (threadIdx.x + 1) % 32]);
  auto token = block.barrier_arrive();
  block.barrier_wait(static_cast<decltype(token) &&>(token));
}

KERNEL(grid) // 64 x 4, cooperative
{
  LANE;
  auto grid = cg::this_grid();
  CHECK(grid.is_valid() && grid.size() == 256 && grid.thread_rank() == i && grid.num_blocks() == 4);
  l.real[i] = i;
  grid.sync();
  CHECK(l.real[(i + 101) % 256] == (i + 101) % 256);
  grid.sync();
  l.real[i] = 1;
}
