// What the sources of this folder share. A kernel's threads read words of `in`, say with CHECK what has to hold,
// give values that have to be the same whatever the kernel is compiled for with V, and with R numbers that have to be
// about the same.
typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;
#define WORDS 1024
#define NUMBERS 16
#ifndef ARCH // 0 in the code for the host, which is thrown away
#if defined(__CUDA_ARCH__)
#define ARCH __CUDA_ARCH__
#else
#define ARCH 0
#endif
#endif
struct Lane {
  const u32 *in;
  u32 *out, *bad;
  float *real;
  int i, n;
  u32 hash, reals;
  __device__ u32 w(int k = 0) const { return in[(i + k * 37) & (WORDS - 1)]; }
  __device__ u64 x(int k = 0) const { return (u64)w(k) << 32 | w(k + 1); }
  __device__ float f(int k = 0) const { return __fmul_rn((int)(w(k) % 20001) - 10000, 0.0078125f); }
  __device__ double d(int k = 0) const { return __dadd_rn(__dmul_rn((int)w(k), 0.001), w(k + 1)); }
  __device__ void value(u64 v) { hash = (hash ^ (u32)v ^ (u32)(v >> 32) * 0x9e3779b9u) * 0x01000193u + 1; }
  __device__ void number(float v) { real[reals++ * n + i] = v; }
  __device__ void check(bool ok, int line) { if (!ok) atomicCAS(bad, 0, line); }
  __device__ Lane(const u32 *a, u32 *o, float *r, u32 *b)
      : in(a), out(o), bad(b), real(r),
        i((blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x),
        n(gridDim.x * blockDim.x * blockDim.y), hash(0x811c9dc5u), reals(0) {}
  __device__ ~Lane() { out[i] = hash; }
};
#define KERNEL(name) extern "C" __global__ void name(const u32 *in, u32 *out, float *real, u32 *bad)
#define LANE Lane l(in, out, real, bad); const int i = l.i; (void)i
#define V(v) l.value((u64)(v))
#define R(v) l.number((float)(v))
#define CHECK(ok) l.check((ok), __LINE__)
