// Memory: shared, dynamic shared and local memory, generic addresses, hints for caches, vectors, volatile accesses
// and fences, memory of the device's heap, printf, assert.
#include "common.cuh"

KERNEL(staged) // 128 x 2
{
  LANE;
  __shared__ u32 s[128];
  __shared__ struct { u16 a; double d; u8 c[5]; } r[128];
  int t = threadIdx.x;
  s[t] = l.w(0);
  r[t].a = l.w(1), r[t].d = t * 0.5, r[t].c[t % 5] = t;
  __syncthreads();
  CHECK(s[t ^ 1] == __shfl_xor_sync(~0u, l.w(0), 1));
  CHECK(r[127 - t].d == (127 - t) * 0.5 && r[127 - t].c[(127 - t) % 5] == 127 - t);
  V(r[t ^ 5].a);
  __syncthreads();
  for (int h = 64; h; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  V(s[0]);
  CHECK(__syncthreads_count(t < 77) == 77 && __syncthreads_and(t < 128) && !__syncthreads_or(t > 127));
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.arrive 2, 64; barrier.sync 3, 64;" ::: "memory");
}

extern __shared__ __align__(16) u8 dynamic[];
KERNEL(dynamic_shared) // 96 x 2 + 4096
{
  LANE;
  u32 *words = (u32 *)dynamic;
  double *reals = (double *)(dynamic + 1024);
  uint4 *quads = (uint4 *)(dynamic + 2048);
  int t = threadIdx.x;
  words[t] = l.w(0), reals[t] = t;
  quads[t] = make_uint4(t, l.w(1), l.w(2), l.w(3));
  __syncthreads();
  uint4 q = quads[95 - t];
  CHECK(q.x == 95 - t && reals[95 - t] == 95 - t);
  V(words[(t + 7) % 96] + q.y * 3 + q.z * 5 + q.w);
}

KERNEL(local_arrays) // 64 x 2
{
  LANE;
  u32 a[16];
  double d[6];
  u8 b[20];
  for (int k = 0; k < 16; k++) a[k] = l.w(k);
  for (int k = 0; k < 6; k++) d[k] = (l.w(k) & 255) * 0.25;
  for (int k = 0; k < 20; k++) b[k] = l.w(k) >> 3;
  for (int k = 0; k < 9; k++) a[(a[k] + k) & 15] ^= a[a[k + 1] & 15] + k;
  d[l.w(1) % 6] += 1;
  b[l.w(2) % 20] = 200;
  u32 sum = 0;
  double total = 0;
  for (int k = 0; k < 20; k++) sum = sum * 3 + b[(k + l.w(3)) % 20];
  for (int k = 0; k < 6; k++) total += d[k];
  V(a[l.w(4) & 15]), V(sum), V(__double_as_longlong(total));
}

KERNEL(generic) // 64 x 2
{
  LANE;
  __shared__ u32 s[64];
  u32 a[4] = { l.w(0), l.w(1), l.w(2), l.w(3) }, which = l.w(4) % 3;
  int t = threadIdx.x;
  s[t] = l.w(5);
  __syncthreads();
  const u32 *p = which == 0 ? &s[t ^ 3] : which == 1 ? &a[l.w(6) & 3] : l.in + (i & 255);
  CHECK(__isShared(p) == (which == 0) && __isLocal(p) == (which == 1) && __isGlobal(p) == (which == 2));
  CHECK(!__isConstant(p));
  V(*p);
  __syncthreads();
  u32 at = (u32)__cvta_generic_to_shared(&s[t]), v;
  asm volatile("st.shared.u32 [%1], %2; ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at), "r"(77u + t) : "memory");
  CHECK(v == 77u + t);
  u32 *q = which == 0 ? &s[t] : &a[1];
  *q = 5;
  asm volatile("" ::: "memory");
  CHECK(*q == 5);
  CHECK(*(u32 *)__cvta_shared_to_generic(__cvta_generic_to_shared(&s[t])) == s[t]);
  size_t g = __cvta_generic_to_global(l.in);
  CHECK((const u32 *)__cvta_global_to_generic(g) == l.in);
}

KERNEL(hints) // 64 x 2
{
  LANE;
  const u32 *p = l.in + i;
  u32 want = *p;
  CHECK(__ldg(p) == want && __ldca(p) == want && __ldcg(p) == want && __ldcs(p) == want && __ldcv(p) == want &&
      __ldlu(p) == want);
  uint4 q = __ldg((const uint4 *)l.in + i), c = __ldcs((const uint4 *)l.in + i);
  CHECK(q.x == l.in[4 * i] && q.w == l.in[4 * i + 3] && c.z == q.z);
  double2 d = __ldg((const double2 *)l.in + (i & 63));
  V(__double_as_longlong(d.x)), V(__double_as_longlong(d.y));
  CHECK(__ldg((const short *)l.in + i) == ((const short *)l.in)[i] &&
      __ldcg((const signed char *)l.in + i) == ((const signed char *)l.in)[i]);
  __stcs(l.out + i, 1u), __stcg(l.out + i, 2u), __stwb(l.out + i, 3u), __stwt(l.out + i, 4u);
  CHECK(l.out[i] == 4);
  asm volatile("prefetch.global.L1 [%0]; prefetch.global.L2 [%0]; prefetchu.L1 [%0];" :: "l"(p));
#if ARCH >= 800
  u64 policy;
  u32 v;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %0, [%1], %2;" : "=r"(v) : "l"(p), "l"(policy));
  CHECK(v == want);
  asm volatile("st.global.L1::evict_first.L2::cache_hint.u32 [%0], %1, %2;" :: "l"(l.out + i), "r"(v), "l"(policy)
      : "memory");
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" :: "l"(l.in));
#endif
}

struct Packed { char a; int b; short c; double d; long long e; };
KERNEL(vectors) // 64 x 2
{
  LANE;
  u32 k = i & 63;
  uchar4 c = ((const uchar4 *)l.in)[k];
  ushort4 h = ((const ushort4 *)l.in)[k];
  uint3 t = ((const uint3 *)l.in)[k];
  float4 f = make_float4(c.x, c.y, h.z, h.w);
  longlong4_16a x = ((const longlong4_16a *)l.in)[k & 15];
#if ARCH >= 1000
  longlong4_32a y = ((const longlong4_32a *)l.in)[k & 15];
  CHECK(y.x == x.x && y.w == x.w);
#endif
  char3 b = ((const char3 *)l.in)[k];
  V(c.x | c.y << 8 | c.z * 3 | c.w), V(h.x + h.y * 2 + h.z * 3 + h.w), V(t.x ^ t.y ^ t.z), V(x.x - x.y + x.z - x.w);
  V((int)(f.x + f.y + f.z + f.w)), V(b.x + b.y * 2 + b.z * 3);
  Packed p = { (char)l.w(0), (int)l.w(1), (short)l.w(2), 0.5 * i, (s64)l.x(3) }, q = p;
  q.b += 3, q.c ^= 1;
  V(q.a + q.b + q.c + (int)q.d + q.e);
  ((uint2 *)l.real)[i] = make_uint2(1, 2);
  CHECK(l.real[2 * i] == __uint_as_float(1));
  union { u32 w[2]; u64 x; double d; u8 b[8]; } u;
  u.d = l.d(1);
  u.b[2] ^= 1;
  V(u.x);
}

KERNEL(order) // 64 x 2
{
  LANE;
  __shared__ volatile u32 s[64];
  volatile u32 *p = l.out + i;
  *p = 3;
  *p += 4;
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  CHECK(*p == 7);
  s[threadIdx.x] = *p;
  s[threadIdx.x] += 1;
  CHECK(s[threadIdx.x] == 8);
  u32 v;
  asm volatile("st.release.gpu.u32 [%1], 9; ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(l.out + i) : "memory");
  CHECK(v == 9);
  asm volatile("st.relaxed.sys.global.u32 [%1], 10; fence.acq_rel.gpu; fence.sc.cta;"
               "ld.relaxed.cta.global.u32 %0, [%1];"
               : "=r"(v) : "l"(l.out + i) : "memory");
  CHECK(v == 10);
}

__device__ u32 tickets;
KERNEL(last_block) // 64 x 4
{
  LANE;
  __shared__ bool last;
  l.real[i] = i;
  __threadfence();
  if (threadIdx.x == 0) last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    for (int k = threadIdx.x; k < l.n; k += blockDim.x) CHECK(((volatile float *)l.real)[k] == k);
  }
}

KERNEL(heap) // 32 x 2
{
  LANE;
  u32 *list = (u32 *)malloc(64);
  CHECK(list != nullptr);
  for (int k = 0; k < 16; k++) list[k] = l.w(k);
  u32 sum = 0;
  for (int k = 0; k < 16; k++) sum = sum * 3 + list[(k * 5 + i) & 15];
  V(sum);
  free(list);
  double *d = new double[4];
  d[i & 3] = 2;
  CHECK(d[i & 3] == 2);
  delete[] d;
  void *p = malloc(100);
  CHECK(p == nullptr || ((u64)p & 15) == 0);
  free(p);
}

KERNEL(messages) // 32 x 1
{
  LANE;
  if (l.w(0) == 0xdeadbeef && l.in == nullptr) printf("%d %s %f %c %llx\n", i, "text", 0.5, 'c', l.x(1));
  assert(l.in != nullptr);
  if (l.in == nullptr) assert(i < 0);
  if (l.in == nullptr) asm volatile("trap;");
  V(1);
}

#if ARCH >= 800 || ARCH == 0
KERNEL(asynchronous) // 64 x 2, from 80
{
  LANE;
  __shared__ __align__(16) uint4 s[64];
  __shared__ u32 one[64];
  int t = threadIdx.x;
  u32 a = (u32)__cvta_generic_to_shared(s + t), b = (u32)__cvta_generic_to_shared(one + t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(a), "l"((const uint4 *)l.in + t) : "memory");
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" :: "r"(b), "l"(l.in + t) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;" ::: "memory");
  __syncthreads();
  CHECK(s[t ^ 1].y == l.in[4 * (t ^ 1) + 1] && one[63 - t] == l.in[63 - t]);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(a), "l"(l.in + 2 * t), "r"(t % 9) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  CHECK(t % 9 < 4 || s[t].x == l.in[2 * t]);
  CHECK(t % 9 > 4 || s[t].y == 0);
}
#endif
