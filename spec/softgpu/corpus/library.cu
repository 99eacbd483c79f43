// libcu++: atomics of every order and scope, barriers, pipelines, latches, semaphores, asynchronous copies.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include "common.cuh"
#pragma nv_diag_suppress static_var_with_dynamic_init

__device__ cuda::atomic<u64, cuda::thread_scope_device> everywhere;
KERNEL(atomics) // 64 x 2
{
  LANE;
  __shared__ cuda::atomic<u32, cuda::thread_scope_block> a;
  __shared__ cuda::atomic<float, cuda::thread_scope_block> f;
  __shared__ u32 plain;
  __shared__ u8 byte;
  __shared__ cuda::atomic<s64, cuda::thread_scope_thread> own[64]; // not in local memory, where a GPU has none
  if (threadIdx.x == 0) a = 0, f = 0.0f, plain = 0, byte = 0;
  __syncthreads();
  a.fetch_add(2, cuda::memory_order_relaxed);
  f.fetch_add(0.5f);
  cuda::atomic_ref<u32, cuda::thread_scope_block> r(plain);
  r.fetch_max(threadIdx.x, cuda::memory_order_acq_rel);
  cuda::atomic_ref<u8, cuda::thread_scope_block> b(byte);
  b.fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  CHECK(a.load(cuda::memory_order_acquire) == 128 && f.load() == 32 && plain == 63 && byte == 64);
  u32 want = 128;
  __syncthreads();
  if (threadIdx.x == 3) {
    CHECK(!a.compare_exchange_strong(want = 1, 5u, cuda::memory_order_release, cuda::memory_order_relaxed) &&
        want == 128);
    CHECK(a.compare_exchange_strong(want, 6u) && a.exchange(7, cuda::memory_order_acquire) == 6);
    a.store(9, cuda::memory_order_release);
    a |= 16, a &= ~8u, a ^= 3;
    CHECK(a.load(cuda::memory_order_seq_cst) == 18);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    cuda::std::atomic_signal_fence(cuda::memory_order_acquire);
  }
  everywhere.fetch_add(3, cuda::memory_order_release);
  CHECK(everywhere.load(cuda::memory_order_acquire) % 3 == 0);
  cuda::std::atomic_flag flag;
  flag.clear();
  CHECK(!flag.test_and_set() && flag.test_and_set());
  own[threadIdx.x] = l.x(0) >> 1;
  V(own[threadIdx.x].fetch_sub(5)), V(own[threadIdx.x].load());
}

KERNEL(barriers) // 64 x 2
{
  LANE;
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ u32 s[64], copy[64];
  int t = threadIdx.x;
  if (t == 0) init(&b, 64);
  __syncthreads();
  s[t] = l.w(0);
  for (int k = 0; k < 3; k++) {
    b.arrive_and_wait();
    u32 v = s[(t + 1) & 63];
    auto token = b.arrive();
    b.wait(cuda::std::move(token));
    s[t] = v;
  }
  b.arrive_and_wait();
  V(s[t]);
  cuda::memcpy_async(copy + t, l.in + t, cuda::aligned_size_t<4>(4), b);
  b.arrive_and_wait();
  CHECK(copy[63 - t] == l.in[63 - t]);
  if (t < 32) b.arrive_and_drop(); else b.arrive_and_wait();
}

KERNEL(pipelines) // 64 x 2
{
  LANE;
  __shared__ u32 stage[2][64];
  auto own = cuda::make_pipeline();
  int t = threadIdx.x;
  u32 sum = 0;
  own.producer_acquire();
  cuda::memcpy_async(&stage[0][t], l.in + t, sizeof(u32), own);
  own.producer_commit();
  for (int k = 1; k < 5; k++) {
    own.producer_acquire();
    cuda::memcpy_async(&stage[k & 1][t], l.in + k * 64 + t, sizeof(u32), own);
    own.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(own);
    sum = sum * 7 + stage[(k - 1) & 1][t];
    own.consumer_release();
  }
  cuda::pipeline_consumer_wait_prior<0>(own);
  sum = sum * 7 + stage[0][t];
  own.quit();
  V(sum);
}

KERNEL(others) // 64 x 1
{
  LANE;
  __shared__ __align__(16) u8 memory[2][64];
  auto &latch = *(cuda::latch<cuda::thread_scope_block> *)memory[0];
  auto &semaphore = *(cuda::counting_semaphore<cuda::thread_scope_block> *)memory[1];
  __shared__ u32 inside;
  if (i == 0) new (&latch) cuda::latch<cuda::thread_scope_block>(64),
      new (&semaphore) cuda::counting_semaphore<cuda::thread_scope_block>(2), inside = 0;
  __syncthreads();
  atomicAdd(&inside, 1);
  latch.arrive_and_wait();
  CHECK(inside == 64);
  __syncthreads();
  semaphore.acquire();
  atomicSub(&inside, 1);
  semaphore.release();
  cuda::std::array<u32, 4> a = { l.w(0), l.w(1), l.w(2), l.w(3) };
  cuda::std::complex<float> z(l.f(0), l.f(1)), w(2, -1);
  auto t = cuda::std::make_tuple(a[1], l.f(2), (u8)3);
  V(a[l.w(4) & 3]);
  R((z * w).real()), R((z * w).imag()), R(cuda::std::get<1>(t));
  CHECK(cuda::std::numeric_limits<int>::max() == 0x7fffffff);
  __syncthreads();
  CHECK(inside == 0);
}
