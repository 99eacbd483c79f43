// Atomic operations: every operation and type, in every space and scope, and what is made of compare and swap.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "common.cuh"

__device__ u32 words[8];
__device__ u64 longs[8];
__device__ double doubles[2];

KERNEL(shared) // 128 x 2
{
  LANE;
  __shared__ u32 s[12];
  __shared__ u64 x[6];
  __shared__ float f[2];
  __shared__ double d[2];
  int t = threadIdx.x;
  if (t < 12) s[t] = t == 4 ? ~0u : t == 3 || t == 2 ? 1000 : 0;
  if (t < 6) x[t] = t == 2 ? ~0ull : 0;
  if (t < 2) f[t] = 0, d[t] = 0;
  __syncthreads();
  atomicAdd(&s[0], 2u), atomicSub(&s[1], 3u), atomicMin((int *)&s[2], t - 64), atomicMin(&s[3], (u32)t + 5);
  atomicAnd(&s[4], ~(1u << (t & 31))), atomicOr(&s[5], 1u << (t & 31)), atomicXor(&s[6], t + 1u);
  atomicMax((int *)&s[7], t), atomicMax(&s[8], (u32)t * 2), atomicInc(&s[9], 9), atomicDec(&s[10], 9);
  u32 was = atomicExch(&s[11], t + 1u);
  atomicAdd(&x[0], 1ull << 33), atomicMax(&x[1], (u64)t << 40), atomicMin(&x[2], (u64)(t + 1) << 36);
  atomicOr(&x[3], 1ull << (t & 63)), atomicXor(&x[4], (u64)t << 32), atomicMax((s64 *)&x[5], (s64)t - 5);
  atomicAdd(&f[0], 0.5f), atomicAdd(&d[0], 0.25);
  __syncthreads();
  CHECK(s[0] == 256 && s[1] == -384u && (int)s[2] == -64 && s[3] == 5 && s[4] == 0 && s[5] == ~0u && s[6] == 128);
  CHECK(s[7] == 127 && s[8] == 254 && s[9] == 8 && s[10] == 2 && s[11] >= 1 && s[11] <= 128 && was <= 128);
  CHECK(x[0] == 128ull << 33 && x[1] == 127ull << 40 && x[2] == 1ull << 36 && x[3] == ~0ull && x[4] == 0 &&
      x[5] == 122);
  CHECK(f[0] == 64 && d[0] == 32);
}

KERNEL(global) // 64 x 2
{
  LANE;
  u32 *mine = l.out + (i & ~31); // a warp's words
  u32 lane = threadIdx.x & 31;
  mine[lane] = 0;
  __syncwarp();
  atomicAdd(mine + 0, 1), atomicAdd_block(mine + 1, 2), atomicAdd_system(mine + 2, 3);
  atomicMax_block(mine + 3, lane), atomicOr_system(mine + 4, 1u << lane), atomicCAS(mine + 5, 0, 7u);
  atomicCAS_block(mine + 6, 0, lane + 1), atomicExch_system(mine + 7, 9u), atomicXor_block(mine + 8, 1u << lane);
  atomicAdd((float *)mine + 9, 0.5f), atomicMin_system((int *)mine + 10, -(int)lane), atomicInc_block(mine + 11, 40);
  atomicCAS((u16 *)(mine + 12), (u16)0, (u16)5);
  __syncwarp();
  CHECK(mine[0] == 32 && mine[1] == 64 && mine[2] == 96 && mine[3] == 31 && mine[4] == ~0u && mine[5] == 7 &&
      mine[6] >= 1);
  CHECK(mine[7] == 9 && mine[8] == ~0u && ((float *)mine)[9] == 16 && (int)mine[10] == -31 && mine[11] == 32 &&
      mine[12] == 5);
  __syncwarp();
  atomicAdd(&words[0], 1u);
  atomicAdd(&longs[0], 1ull);
  atomicAdd(&doubles[0], 1.0);
  u64 old = atomicCAS(&longs[1], 0ull, 99ull);
  CHECK(old == 0 || old == 99);
  CHECK(atomicExch(&longs[2], 5ull) <= 5);
  CHECK(*(volatile u32 *)words >= 1 && *(volatile u64 *)longs >= 1 && *(volatile double *)doubles >= 1);
}

KERNEL(generic) // 64 x 2
{
  LANE;
  __shared__ u32 s[64];
  s[threadIdx.x] = 0, l.out[i] = 0;
  __syncthreads();
  u32 *p = l.w(0) & 1 ? &s[threadIdx.x] : l.out + i;
  CHECK(atomicAdd(p, 5u) == 0 && atomicExch(p, 8u) == 5 && atomicCAS(p, 8u, 11u) == 8 && *p == 11);
  u32 old;
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 2;" : "=r"(old) : "l"(p) : "memory");
  CHECK(old == 11);
  asm volatile("atom.cas.acquire.cta.b32 %0, [%1], 13, 4;" : "=r"(old) : "l"(p) : "memory");
  asm volatile("red.relaxed.sys.add.u32 [%0], 1; red.release.gpu.max.u32 [%0], 3;" :: "l"(p) : "memory");
  CHECK(old == 13 && *p == 5);
}

__device__ int lock;
__device__ volatile u32 guarded[2];
KERNEL(spinning) // 64 x 3
{
  LANE;
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      guarded[0] = guarded[0] + 1;
      guarded[1] = guarded[1] + (guarded[0] & 1);
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  CHECK(guarded[0] >= 1);
}

KERNEL(swapping) // 64 x 1
{
  LANE;
  __shared__ double product;
  __shared__ float least;
  if (i == 0) product = 1, least = 1e9f;
  __syncthreads();
  u64 *p = (u64 *)&product, old = *p, was;
  do {
    was = old;
    old = atomicCAS(p, was,
        (u64)__double_as_longlong(__longlong_as_double(was) * (i == 9 ? 3.0 : i == 20 ? 0.5 : 1.0)));
  } while (old != was);
  float v = 100.0f - i;
  int *q = (int *)&least, seen = *q;
  while (v < __int_as_float(seen)) {
    int now = atomicCAS(q, seen, __float_as_int(v));
    if (now == seen) break;
    seen = now;
  }
  __syncthreads();
  CHECK(product == 1.5 && least == 37);
}

KERNEL(halves) // 64 x 1
{
  LANE;
  __shared__ __half2 h2;
  __shared__ __nv_bfloat162 b2;
  __shared__ __half h;
  __shared__ __nv_bfloat16 b;
  if (i == 0) h2 = __floats2half2_rn(0, 0), b2 = __floats2bfloat162_rn(0, 0), h = __float2half(0),
      b = __float2bfloat16(0);
  __syncthreads();
  atomicAdd(&h2, __floats2half2_rn(1, 0.5f));
  atomicAdd(&b2, __floats2bfloat162_rn(1, 2));
  atomicAdd(&h, __float2half(0.25f));
  atomicAdd(&b, __float2bfloat16(1));
  __syncthreads();
  CHECK(__low2float(h2) == 64 && __high2float(h2) == 32 && __low2float(b2) == 64 && __high2float(b2) == 128);
  CHECK(__half2float(h) == 16 && __bfloat162float(b) == 64);
}

#if ARCH >= 900 || ARCH == 0
__device__ float4 quads[2];
__device__ unsigned __int128 wide[2];
KERNEL(vectors) // 32 x 2, from 90
{
  LANE;
  float4 was = atomicAdd(&quads[0], make_float4(1, 2, 3, 4));
  atomicAdd((float2 *)&quads[1], make_float2(0.5f, 0.25f));
  volatile float4 *sums = quads;
  CHECK(was.y >= 0 && sums[0].w >= 4 && sums[1].y >= 0.25f);
  unsigned __int128 old = wide[0], seen;
  do {
    seen = old;
    old = atomicCAS((unsigned __int128 *)wide, seen, seen + ((unsigned __int128)1 << 64) + 2);
  } while (old != seen);
  seen = atomicCAS((unsigned __int128 *)wide, (unsigned __int128)0, (unsigned __int128)0);
  CHECK((u64)(seen >> 64) * 2 == (u64)seen && seen != 0);
  unsigned __int128 mine = (unsigned __int128)7 << 64 | 7, other = atomicExch((unsigned __int128 *)wide + 1, mine);
  CHECK(other == 0 || other == mine);
}
#endif
