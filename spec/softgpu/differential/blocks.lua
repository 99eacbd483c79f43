-- What CUDA's libraries for device code are made of: CUB's primitives of a block and a warp, cooperative groups.
return function(corpus)
  local function C(headers, name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code, headers = headers }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  local cub = "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n" ..
    "#include <cub/block/block_radix_sort.cuh>\n" ..
    "#include <cub/block/block_exchange.cuh>\n#include <cub/block/block_histogram.cuh>\n" ..
    "#include <cub/block/block_discontinuity.cuh>\n" ..
    "#include <cub/warp/warp_reduce.cuh>\n#include <cub/warp/warp_scan.cuh>\n" ..
    "#include <cub/block/block_merge_sort.cuh>\n"
  local function B(...) C(cub, ...) end
  B("cub_block_reduce", "sum:w max:w float:f", [[
    typedef cub::BlockReduce<u32, 256> R; typedef cub::BlockReduce<float, 256, cub::BLOCK_REDUCE_RAKING> Q;
    __shared__ union { R::TempStorage r; Q::TempStorage q; } s;
    u32 v = R(s.r).Sum(W(0)); __syncthreads(); u32 m = R(s.r).Reduce(W(1), cuda::maximum<>{}); __syncthreads();
    float f = Q(s.q).Sum((float)(W(2) & 1023));
    if (threadIdx.x == 0) { OUT(0, v); OUT(1, m); OUT(2, f); }]])
  B("cub_block_scan", "inclusive:w exclusive:w total:w max:w", [[
    typedef cub::BlockScan<u32, 256> S_; __shared__ S_::TempStorage s; u32 a, b, t; S_(s).InclusiveSum(W(0), a);
    __syncthreads(); S_(s).ExclusiveSum(W(1) & 255, b, t); __syncthreads(); u32 m;
    S_(s).InclusiveScan(W(2), m, cuda::maximum<>{});
    OUT(0, a); OUT(1, b); OUT(2, t); OUT(3, m);]])
  B("cub_block_radix_sort", "keys:w pairs:w", [[
    typedef cub::BlockRadixSort<u32, 256, 1, u32> Q; __shared__ Q::TempStorage s;
    u32 k[1] = { W(0) * 2654435761u }, v[1] = { threadIdx.x }; Q(s).Sort(k, v); OUT(0, k[0]); OUT(1, v[0]);]])
  B("cub_block_radix_sort_4", "k0:w k1:w k2:w k3:w", [[
    typedef cub::BlockRadixSort<int, 128, 4> Q; __shared__ Q::TempStorage s;
    int k[4] = { (int)W(0), (int)W(1), (int)W(2), (int)W(3) }; Q(s).SortDescending(k); OUT(0, k[0]); OUT(1, k[1]);
    OUT(2, k[2]); OUT(3, k[3]);]],
    { lanes = 1024, block = 128 })
  B("cub_block_merge_sort", "k0:w k1:w", [[
    typedef cub::BlockMergeSort<u32, 128, 2> Q; __shared__ Q::TempStorage s; u32 k[2] = { W(0), W(1) * 7 };
    Q(s).Sort(k, cub_less()); OUT(0, k[0]); OUT(1, k[1]);]],
    { lanes = 1024, block = 128,
      before = "struct cub_less { __device__ bool operator()(u32 a, u32 b) const { return a < b; } };" })
  B("cub_block_exchange", "a:w b:w c:w d:w", [[
    typedef cub::BlockExchange<u32, 128, 4> Q; __shared__ Q::TempStorage s; u32 v[4] = { W(0), W(1), W(2), W(3) };
    Q(s).BlockedToStriped(v, v); OUT(0, v[0]); OUT(1, v[1]); OUT(2, v[2]);
    OUT(3, v[3]);]], { lanes = 1024, block = 128 })
  B("cub_block_histogram", "count:w", [[
    typedef cub::BlockHistogram<u8, 128, 4, 64, cub::BLOCK_HISTO_ATOMIC> Q; __shared__ Q::TempStorage s;
    __shared__ u32 h[64]; u8 v[4] = { (u8)(W(0) & 63), (u8)(W(1) & 63), (u8)(W(2) & 63), (u8)(W(3) & 63) };
    Q(s).Histogram(v, h); __syncthreads(); OUT(0, h[threadIdx.x & 63]);]], { lanes = 1024, block = 128 })
  B("cub_block_discontinuity", "heads:w", [[
    typedef cub::BlockDiscontinuity<u32, 256> Q; __shared__ Q::TempStorage s; u32 v[1] = { W(0) >> 4 }; int f[1];
    Q(s).FlagHeads(f, v, cub_differ()); OUT(0, f[0]);]],
    { before = "struct cub_differ { __device__ bool operator()(u32 a, u32 b) const { return a != b; } };" })
  B("cub_warp_reduce", "sum:w min:w segments:w", [[
    typedef cub::WarpReduce<u32> Q; typedef cub::WarpReduce<u32, 8> Eight; __shared__ Q::TempStorage s[8];
    __shared__ Eight::TempStorage e[32]; int w = threadIdx.x / 32;
    u32 a = Q(s[w]).Sum(W(0)), b; __syncwarp(); b = Q(s[w]).Reduce(W(1), cuda::minimum<>{});
    u32 c = Eight(e[threadIdx.x / 8]).Sum(W(2)); if (threadIdx.x % 32 == 0) { OUT(0, a); OUT(1, b); }
    if (threadIdx.x % 8 == 0) OUT(2, c);]])
  B("cub_warp_scan", "inclusive:w exclusive:w", [[
    typedef cub::WarpScan<u32> Q; __shared__ Q::TempStorage s[8]; u32 a, b;
    Q(s[threadIdx.x / 32]).InclusiveSum(W(0), a); __syncwarp(); Q(s[threadIdx.x / 32]).ExclusiveSum(W(1), b);
    OUT(0, a); OUT(1, b);]])
  B("cub_double_scan", "sum:d", [[
      typedef cub::BlockScan<double, 128, cub::BLOCK_SCAN_RAKING> Q; __shared__ Q::TempStorage s; double v;
      Q(s).InclusiveSum((double)(W(0) & 0xffff) * 0.25, v); OUT(0, v);]], { lanes = 1024, block = 128 })

  local cg = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n" ..
    "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
  local function G(...) C(cg, ...) end
  G("cg_block", "rank:w size:w value:w", [[
    __shared__ u32 s[256]; auto b = cg::this_thread_block(); s[b.thread_rank()] = W(0); b.sync();
    OUT(0, b.thread_rank()); OUT(1, b.size()); OUT(2, s[(b.thread_rank() * 3 + 1) % b.size()]);]])
  for _, size in ipairs { 32, 16, 8, 4, 2 } do
    G("cg_tile_" .. size, "shfl:w up:w down:w xor:w ballot:w any:w match:w rank:w", (([[
      auto t = cg::tiled_partition<SIZE>(cg::this_thread_block()); u32 v = W(0);
      OUT(0, t.shfl(v, (int)(W(1) % SIZE))); OUT(1, t.shfl_up(v, 1)); OUT(2, t.shfl_down(v, 1));
      OUT(3, t.shfl_xor(v, 1));
      OUT(4, t.ballot(v & 1)); OUT(5, t.any(v == 7) + 2 * t.all(v != 7)); OUT(6, t.match_any(v & 3));
      OUT(7, t.thread_rank() + t.meta_group_rank() * 256 + t.size() * 65536);]]):gsub("SIZE", size)))
  end
  G("cg_reduce", "sum:w max:w xor:w float:f small:w", [[
    auto t = cg::tiled_partition<32>(cg::this_thread_block());
    auto q = cg::tiled_partition<8>(cg::this_thread_block()); OUT(0, cg::reduce(t, W(0), cg::plus<u32>()));
    OUT(1, cg::reduce(t, (int)W(1), cg::greater<int>()));
    OUT(2, cg::reduce(t, W(2), cg::bit_xor<u32>())); OUT(3, cg::reduce(t, (float)(W(3) & 255), cg::plus<float>()));
    OUT(4, cg::reduce(q, W(0), cg::less<u32>()));]])
  G("cg_scan", "inclusive:w exclusive:w", [[
      auto t = cg::tiled_partition<32>(cg::this_thread_block());
      OUT(0, cg::inclusive_scan(t, W(0), cg::plus<u32>())); OUT(1, cg::exclusive_scan(t, W(1), cg::plus<u32>()));]])
  G("cg_coalesced", "sum:w rank:w", [[
    u32 r = 0, k = 99; if (W(0) % 3 == 1) { auto g = cg::coalesced_threads();
    r = cg::reduce(g, W(1), cg::plus<u32>()); k = g.thread_rank() + g.size() * 32; } OUT(0, r); OUT(1, k);]])
  G("cg_labeled", "size:w sum:w", [[
      auto w = cg::coalesced_threads(); auto g = cg::labeled_partition(w, W(0) & 3);
      OUT(0, g.size() * 32 + g.thread_rank()); OUT(1, g.shfl(W(1), 0));]])
  G("cg_binary", "value:w", [[
      auto t = cg::tiled_partition<32>(cg::this_thread_block()); auto g = cg::binary_partition(t, (W(0) & 2) != 0);
      OUT(0, g.size() * 32 + g.thread_rank());]])
end
