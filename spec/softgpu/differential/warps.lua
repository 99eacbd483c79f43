-- Lanes of a warp: shuffles of every mode and width, votes, matches, reductions, under divergence; and barriers that
-- count or reduce.
return function(corpus)
  local function C(name, rows, code, options)
    local kernel = { name = name, rows = rows, code = code }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
  for _, width in ipairs { 32, 16, 8, 4, 2, 1 } do
    C("warp_shuffle_" .. width, "idx:w up:w down:w xor:w far_up:w far_down:w", (([[
      u32 v = W(0); OUT(0, __shfl_sync(~0u, v, (int)S(1), %d)); OUT(1, __shfl_up_sync(~0u, v, 3, %d));
      OUT(2, __shfl_down_sync(~0u, v, 1, %d));
      OUT(3, __shfl_xor_sync(~0u, v, 5, %d)); OUT(4, __shfl_up_sync(~0u, v, 17, %d));
      OUT(5, __shfl_down_sync(~0u, v, 30, %d));]]):gsub("%%d", width)))
  end
  C("warp_shuffle_types", "s:w f:f d:d x:x s64:x pair:w", [[
    OUT(0, __shfl_xor_sync(~0u, (int)W(0), 1)); OUT(1, __shfl_up_sync(~0u, F(0), 2));
    OUT(2, __shfl_down_sync(~0u, D(0), 3)); OUT(3, __shfl_sync(~0u, X(0), 9));
    OUT(4, __shfl_xor_sync(~0u, (s64)X(1), 16)); OUT(5, (u32)__shfl_sync(~0u, (long)X(0), 3, 8));]])
  C("warp_shuffle_predicate", "up:w up_valid:w down:w down_valid:w idx:w idx_valid:w bfly:w bfly_valid:w", [[
    u32 v = W(0), r, q;
    asm("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 5, 0, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(r),
    "=r"(q) : "r"(v)); OUT(0, r); OUT(1, q);
    asm("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 9, 0x0f1f, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(r),
    "=r"(q) : "r"(v)); OUT(2, r); OUT(3, q);
    asm("{ .reg .pred p; shfl.sync.idx.b32 %0|p, %2, %3, 0x1807, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(r),
    "=r"(q) : "r"(v), "r"(S(1))); OUT(4, r); OUT(5, q);
    asm("{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %2, %3, 0x1c0f, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(r),
    "=r"(q) : "r"(v), "r"(S(1))); OUT(6, r); OUT(7, q);]])
  C("warp_shuffle_clamps", "up:w down:w bfly:w idx:w", [[
    u32 v = W(0), r, c = (threadIdx.x * 37 + 5) & 0x1f1f, b = S(1); // a lane's own clamp and segments
    asm("shfl.sync.up.b32 %0, %1, %2, %3, 0xffffffff;" : "=r"(r) : "r"(v), "r"(b), "r"(c & 0x1f00)); OUT(0, r);
    asm("shfl.sync.down.b32 %0, %1, %2, %3, 0xffffffff;" : "=r"(r) : "r"(v), "r"(b), "r"(c | 31)); OUT(1, r);
    asm("shfl.sync.bfly.b32 %0, %1, %2, %3, 0xffffffff;" : "=r"(r) : "r"(v), "r"(b), "r"(c)); OUT(2, r);
    asm("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;" : "=r"(r) : "r"(v), "r"(b), "r"(c)); OUT(3, r);]])
  C("warp_votes", "all:w any:w ballot:w uni:w active:w", [[
    u32 v = W(0), u; OUT(0, __all_sync(~0u, v != 7)); OUT(1, __any_sync(~0u, v == 7));
    OUT(2, __ballot_sync(~0u, v & 4));
    asm("{ .reg .pred p, q; setp.gt.u32 p, %1, 100;"
      " vote.sync.uni.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }" : "=r"(u) : "r"(v)); OUT(3, u);
    OUT(4, __activemask());]])
  C("warp_match", "any:w all:w all_pred:w any64:w all64:w same:w", [[
    u32 v = W(0) & 7; int p, q, s; OUT(0, __match_any_sync(~0u, v)); OUT(1, __match_all_sync(~0u, v & 8, &p));
    OUT(2, p);
    OUT(3, __match_any_sync(~0u, (u64)v << 33)); OUT(4, __match_all_sync(~0u, (u64)v, &q));
    OUT(5, __match_all_sync(~0u, (u64)blockIdx.x << 40, &s) + s + q);]])
  C("warp_reduce", "add:w min:w max:w and:w or:w xor:w umin:w umax:w", [[
    u32 v = W(0); OUT(0, __reduce_add_sync(~0u, v)); OUT(1, __reduce_min_sync(~0u, (int)v));
    OUT(2, __reduce_max_sync(~0u, (int)v));
    OUT(3, __reduce_and_sync(~0u, v | 0xf0f)); OUT(4, __reduce_or_sync(~0u, v & 0xff00ff));
    OUT(5, __reduce_xor_sync(~0u, v));
    OUT(6, __reduce_min_sync(~0u, v)); OUT(7, __reduce_max_sync(~0u, v));]])
  C("warp_reduce_halves", "low:w high:w", [[
    u32 m = threadIdx.x & 16 ? 0xffff0000u : 0xffffu; if (threadIdx.x & 16) { OUT(0, __reduce_add_sync(m, W(0)));
    OUT(1, __ballot_sync(m, W(0) & 1)); }
    else { OUT(0, __reduce_xor_sync(m, W(0))); OUT(1, __match_any_sync(m, W(0) & 3)); }]])
  C("warp_ballot_divergent", "inside:w outside:w", [[
    u32 v = W(0), m = __ballot_sync(~0u, v & 1), r = 0; if (v & 1) { r = __ballot_sync(m, v & 2);
    r ^= __popc(m) << 8; } else r = __ballot_sync(~m, v & 4);
    __syncwarp(); OUT(0, r); OUT(1, __ballot_sync(~0u, r & 1));]])
  C("warp_leader", "value:w rank:w", [[
    u32 v = W(0) & 3, m = __match_any_sync(~0u, v); int leader = __ffs(m) - 1, lane = threadIdx.x & 31; u32 base = 0;
    if (lane == leader) base = v * 100 + __popc(m);
    base = __shfl_sync(m, base, leader); OUT(0, base); OUT(1, __popc(m & ((1u << lane) - 1)));]])
  C("warp_scan", "inclusive:w exclusive:w segmented:w float:f", [[
    u32 v = W(0) & 0xffff; int lane = threadIdx.x & 31; for (int d = 1; d < 32;
    d *= 2) { u32 t = __shfl_up_sync(~0u, v, d); if (lane >= d) v += t; }
    u32 e = __shfl_up_sync(~0u, v, 1); OUT(0, v); OUT(1, lane ? e : 0); u32 s = W(1) & 255; for (int d = 1; d < 8;
    d *= 2) { u32 t = __shfl_up_sync(~0u, s, d, 8); if ((lane & 7) >= d) s += t; }
    OUT(2, s); float f = (float)(W(2) & 1023) * 0.25f; for (int d = 16; d; d /= 2) f += __shfl_xor_sync(~0u, f, d);
    OUT(3, f);]])
  C("warp_bitonic", "sorted:w", [[
    u32 v = W(0); int lane = threadIdx.x & 31; for (int k = 2; k <= 32; k *= 2) for (int j = k / 2; j;
    j /= 2) { u32 o = __shfl_xor_sync(~0u, v, j);
    bool up = (lane & k) == 0, low = (lane & j) == 0; v = (up == low) ? min(v, o) : max(v, o); } OUT(0, v);]])
  C("warp_transpose", "r0:w r1:w r2:w r3:w", [[
    u32 r[4] = { W(0), W(1), W(2), W(3) }; int lane = threadIdx.x & 3; for (int k = 0; k < 4; k++) { } u32 o[4];
    for (int k = 0; k < 4; k++) { u32 t = 0; for (int j = 0; j < 4; j++) { u32 g = __shfl_sync(~0u, r[j], k, 4);
    if (j == lane) t = g; } o[k] = t; }
    OUT(0, o[0]); OUT(1, o[1]); OUT(2, o[2]); OUT(3, o[3]);]])
  C("warp_sync_exchange", "value:w", [[
    __shared__ u32 s[256]; int t = threadIdx.x; s[t] = W(0); __syncwarp(); u32 a = s[t ^ 1]; __syncwarp();
    s[t] = a + 1; __syncwarp(); u32 b = s[t & ~31 | (t * 5 & 31)];
    OUT(0, a ^ b);]])
  C("warp_partial", "sum:w", [[ // a block that is no multiple of 32
    u32 m = __activemask(), v = W(0); for (int d = 16; d; d /= 2) v += __shfl_xor_sync(m, v, d);
    OUT(0, threadIdx.x < 32 ? v : m);]],
    { lanes = 160, block = 40 })
  C("warp_lane_masks", "eq:w lt:w le:w gt:w ge:w lane:w warp:w", [[
    u32 r; asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r)); OUT(0, r); asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    OUT(1, r); asm("mov.u32 %0, %%lanemask_le;" : "=r"(r)); OUT(2, r);
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(r)); OUT(3, r); asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r)); OUT(4, r);
    asm("mov.u32 %0, %%laneid;" : "=r"(r)); OUT(5, r); OUT(6, threadIdx.x / 32);]])
  C("warp_special_registers", "tid:w ntid:w ctaid:w nctaid:w", [[
    OUT(0, threadIdx.x | threadIdx.y << 16 | threadIdx.z << 24);
    OUT(1, blockDim.x | blockDim.y << 16 | blockDim.z << 24);
    OUT(2, blockIdx.x | blockIdx.y << 16); OUT(3, gridDim.x | gridDim.y << 16);]])
  C("barrier_reduce", "count:w and:w or:w popc:w", [[
    OUT(0, __syncthreads_count(W(0) & 1)); OUT(1, __syncthreads_and(W(1) != 7)); OUT(2, __syncthreads_or(W(2) == 7));
    u32 r;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5000; barrier.sync.aligned 0;"
      " bar.red.popc.u32 %0, 1, p; }" : "=r"(r) : "r"(W(3))); OUT(3, r);]])
  C("barrier_named", "value:w", [[
    __shared__ u32 s[256]; int t = threadIdx.x; s[t] = W(0);
    if (t < 128) { asm volatile("bar.sync 3, 128;" ::: "memory"); s[t] = s[t] + 1; }
    else { asm volatile("bar.sync 4, 128;" ::: "memory"); s[t] ^= 5; } __syncthreads(); OUT(0, s[255 - t]);]])
  C("barrier_producer", "value:w", [[
    __shared__ u32 s[64]; int t = threadIdx.x; if (t < 64) { s[t] = W(0) * 3; __threadfence_block();
    asm volatile("bar.arrive 2, 128;" ::: "memory"); OUT(0, 1); }
    else { asm volatile("bar.sync 2, 128;" ::: "memory"); OUT(0, s[(t * 7) & 63]); }]], { lanes = 1024, block = 128 })
end
