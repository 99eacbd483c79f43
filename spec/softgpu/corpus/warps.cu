// Threads of a warp: shuffles, votes, match, reductions, divergence, special registers.
#include "common.cuh"
#define ALL 0xffffffffu

KERNEL(shuffles) // 128 x 2
{
  LANE;
  u32 v = l.w(0), lane = threadIdx.x & 31;
  u64 x = l.x(1);
  float f = l.f(3);
  double d = l.d(4);
  CHECK(__shfl_sync(ALL, lane, 7) == 7 && __shfl_sync(ALL, lane, 3, 8) == (lane & 24) + 3);
  CHECK(__shfl_up_sync(ALL, lane, 3) == (lane < 3 ? lane : lane - 3));
  CHECK(__shfl_down_sync(ALL, lane, 4, 16) == ((lane & 15) < 12 ? lane + 4 : lane));
  CHECK(__shfl_xor_sync(ALL, lane, 21) == (lane ^ 21));
  V(__shfl_sync(ALL, v, v)), V(__shfl_xor_sync(ALL, x, 5)), V(__double_as_longlong(__shfl_down_sync(ALL, d, 9)));
  V(__float_as_uint(__shfl_up_sync(ALL, f, 2, 4)));
  u32 sum = v;
  for (int k = 16; k; k /= 2) sum += __shfl_xor_sync(ALL, sum, k);
  u32 scan = v;
  for (u32 k = 1; k < 32; k *= 2) {
    u32 t = __shfl_up_sync(ALL, scan, k);
    if (lane >= k) scan += t;
  }
  CHECK(__shfl_sync(ALL, scan, 31) == sum);
  V(scan);
}

KERNEL(votes) // 128 x 2
{
  LANE;
  u32 v = l.w(0), lane = threadIdx.x & 31;
  u32 odd = __ballot_sync(ALL, v & 1);
  CHECK((odd >> lane & 1) == (v & 1) && __any_sync(ALL, v & 1) == (odd != 0) && __all_sync(ALL,
      v & 1) == (odd == ALL));
  V(odd);
  if (v & 1) {
    CHECK(__activemask() == odd);
    V(__popc(__ballot_sync(odd, v & 2)));
    CHECK(__all_sync(odd, v & 1));
    __syncwarp(odd);
  }
  __syncwarp();
  u32 same = __match_any_sync(ALL, v & 7);
  for (int k = 0; k < 32; k++) CHECK((__shfl_sync(ALL, v & 7, k) == (v & 7)) == (same >> k & 1));
  int all;
  CHECK(__match_all_sync(ALL, lane / 32, &all) == ALL && all);
  CHECK(__match_all_sync(ALL, lane / 2, &all) == 0 && !all);
  V(__match_any_sync(ALL, l.x(2) & 0x700000003ull));
  int uniform;
  asm("{ .reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.uni.pred q, p, -1; selp.s32 %0, 1, 0, q; }"
      : "=r"(uniform) : "r"(lane));
  CHECK(uniform);
}

KERNEL(reductions) // 128 x 2
{
  LANE;
  u32 v = l.w(0);
  u32 sum = v, least = v, x = v, both = v;
  s32 most = v;
  for (int k = 16; k; k /= 2) {
    sum += __shfl_xor_sync(ALL, sum, k);
    least = min(least, __shfl_xor_sync(ALL, least, k));
    most = max(most, __shfl_xor_sync(ALL, most, k));
    x ^= __shfl_xor_sync(ALL, x, k);
    both &= __shfl_xor_sync(ALL, both, k);
  }
#if ARCH >= 800
  CHECK(__reduce_add_sync(ALL, v) == sum && __reduce_min_sync(ALL, v) == least && __reduce_xor_sync(ALL, v) == x);
  CHECK(__reduce_max_sync(ALL, (s32)v) == most && __reduce_and_sync(ALL, v) == both);
  if (v & 1) {
    u32 m = __activemask();
    CHECK(__reduce_or_sync(m, 1u << (threadIdx.x & 31)) == m && __reduce_add_sync(m, (s32)1) == __popc(m));
    CHECK(__reduce_max_sync(m, threadIdx.x & 31) == 31 - __clz(m) && __reduce_min_sync(m,
        (s32)(threadIdx.x & 31)) == __ffs(m) - 1);
  }
#endif
  V(sum ^ least ^ most ^ x ^ both);
}

KERNEL(divergence) // 96 x 2
{
  LANE;
  u32 v = l.w(0), steps = 0;
  while (v > 1 && steps < 200) {
    v = v & 1 ? v * 3 + 1 : v / 2;
    if (v % 64 == 63) break;
    if (v % 128 == 77) { steps += 3; continue; }
    steps++;
  }
  V(steps);
  u32 r = 0;
  for (int k = 0; k < 12; k++) {
    switch ((l.w(k) >> 3) % 19) {
    case 0: r += 1; break;
    case 1: r ^= 0x55;
    case 2: r *= 3; break;
    case 3: case 4: case 5: r = r << 3 | r >> 29; break;
    case 6: if (r & 1) goto out; r++; break;
    case 7: r -= __popc(r); break;
    case 8: r ^= r >> 7; break;
    case 9: r += threadIdx.x; break;
    case 10: r = r % 1000; break;
    case 11: r |= 0x10000; break;
    case 12: r &= 0xfff0fff; break;
    case 13: r = __brev(r); break;
    case 14: for (int j = 0; j < (int)(r & 7); j++) r += j * r; break;
    case 15: return;
    case 16: r += 77; break;
    default: r += 5;
    }
  }
out:
  V(r);
  __syncthreads();
}

KERNEL(registers) // 64 2 x 3
{
  LANE;
  u32 r, lane = (threadIdx.y * blockDim.x + threadIdx.x) & 31;
  u64 x, t0, t1;
#define SREG(name, want) asm volatile("mov.u32 %0, %%" #name ";" : "=r"(r)); CHECK(r == (u32)(want))
  SREG(tid.x, threadIdx.x);
  SREG(tid.y, threadIdx.y);
  SREG(ntid.x, 64);
  SREG(ntid.y, 2);
  SREG(ntid.z, 1);
  SREG(ctaid.x, blockIdx.x);
  SREG(nctaid.x, 3);
  SREG(nctaid.y, 1);
  SREG(laneid, lane);
  SREG(lanemask_eq, 1u << lane);
  SREG(lanemask_lt, (1u << lane) - 1);
  SREG(lanemask_le, (2u << lane) - 1);
  SREG(lanemask_gt, lane == 31 ? 0 : ALL << (lane + 1));
  SREG(lanemask_ge, ALL << lane);
  asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
  u32 sms;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
  CHECK(r < sms);
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(x));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  long long c0 = clock64();
  __nanosleep(20);
  long long c1 = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  CHECK(c1 > c0 && t1 >= t0 && (clock() | 1));
  CHECK(warpSize == 32);
  __prof_trigger(0);
  u32 dynamic;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
  CHECK(dynamic == 0);
  if (l.in == nullptr) asm volatile("brkpt;");
  if (l.in == nullptr) asm volatile("exit;");
#if ARCH >= 900
  SREG(cluster_ctarank, 0);
  SREG(cluster_nctarank, 1);
  SREG(clusterid.x, blockIdx.x);
  SREG(nclusterid.x, 3);
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(r));
  CHECK(__popc(__ballot_sync(ALL, r)) == 1);
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
#endif
}
