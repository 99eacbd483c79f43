// What came with compute capability 9.0 and 10.0: copies in bulk, barriers that count bytes, clusters of one block,
// pairs of floats, the least and the greatest of three.
#include <cuda/barrier>
#include <cuda/ptx>
#include "common.cuh"
namespace ptx = cuda::ptx;
#pragma nv_diag_suppress static_var_with_dynamic_init

KERNEL(bulk) // 64 x 2, from 90
{
  LANE;
#if ARCH >= 900
  __shared__ __align__(128) u32 s[256];
  __shared__ __align__(128) u32 sums[64];
  __shared__ u64 bar;
  int t = threadIdx.x;
  sums[t] = t;
  if (t == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (t == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, l.in, sizeof s, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof s);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  for (int k = 0; k < 4; k++) CHECK(s[t * 4 + k] == l.in[t * 4 + k]);
  u32 v = s[t];
  __syncthreads();
  s[t] = v * 3 + 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  u32 *mine = l.out + blockIdx.x * 64;
  if (t == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, s, 256);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, mine, sums, 256);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
  __syncthreads();
  CHECK(((volatile u32 *)mine)[t] == l.in[t] * 3 + 1 + t);
  __syncthreads();
#endif
}

#if ARCH >= 900
#define CLUSTER __cluster_dims__(1, 1, 1) // a GPU wants one for what may concern another block's shared memory
#else
#define CLUSTER
#endif
extern "C" __global__ void CLUSTER
    stores(const u32 *in, u32 *out, float *real, u32 *bad) // 32 x 2, from 90
{
  LANE;
#if ARCH >= 900
  __shared__ __align__(16) u32 s[128];
  __shared__ u64 bar;
  int t = threadIdx.x;
  s[t] = 0;
  if (t == 0) ptx::mbarrier_init(&bar, 32);
  __syncthreads();
  u32 here = (u32)__cvta_generic_to_shared(s + 4 * t), there, remote;
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(here));
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(remote) : "r"(there));
  CHECK(remote == 0);
  u64 state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 20);
  int v[4] = { t, 2, 3, 4 };
  ptx::st_async(s + 4 * t, (const u32(&)[4])v, &bar);
  ptx::red_async(ptx::op_add, s + 4 * t + 3, 5u, &bar);
  while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &bar, state)) {}
  CHECK(s[4 * t] == t && s[4 * t + 2] == 3 && s[4 * t + 3] == 9);
  asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

KERNEL(library) // 64 x 2, from 90
{
  LANE;
#if ARCH >= 900
  __shared__ __align__(128) u32 s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  int t = threadIdx.x;
  if (t == 0) {
    init(&b, 64);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  if (t == 0) cuda::device::memcpy_async_tx(s, l.in, cuda::aligned_size_t<16>(sizeof s), b);
  auto token = t == 0 ? cuda::device::barrier_arrive_tx(b, 1, sizeof s) : b.arrive();
  b.wait(cuda::std::move(token));
  CHECK(s[t ^ 5] == l.in[t ^ 5]);
#endif
}

KERNEL(floats) // 64 x 2
{
  LANE;
  float a = l.f(0), b = l.f(1), c = l.f(2), d = l.f(3);
  float2 sum, product, both;
#if ARCH >= 1000
  sum = __fadd2_rn(make_float2(a, b), make_float2(c, d)), product = __fmul2_rn(make_float2(a, b), make_float2(c, d));
  both = __ffma2_rz(make_float2(a, b), make_float2(c, d), make_float2(d, a));
#else
  sum = make_float2(__fadd_rn(a, c), __fadd_rn(b, d)), product = make_float2(__fmul_rn(a, c), __fmul_rn(b, d));
  both = make_float2(__fmaf_rz(a, c, d), __fmaf_rz(b, d, a));
#endif
  V(__float_as_uint(sum.x)), V(__float_as_uint(sum.y)), V(__float_as_uint(product.x)), V(__float_as_uint(product.y));
  V(__float_as_uint(both.x)), V(__float_as_uint(both.y));
  V(__float_as_uint(fmaxf(fmaxf(a, b), c))), V(__float_as_uint(fminf(a, fminf(b, d)))),
      V(__float_as_uint(fmaxf(fabsf(a), fmaxf(b, fabsf(c)))));
}
