// What somebody writes by hand for the rows of bench/arrays.lua: 16 bytes a thread, no loops. The counts are of 16 bytes.
#include <cuda_fp16.h>

template <class T> struct alignas(16) Pack {
  T e[16 / sizeof(T)];
};

static __device__ unsigned place() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class T> static __device__ void add(void *z, const void *x, const void *y, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const Pack<T> v = ((const Pack<T> *)x)[i], w = ((const Pack<T> *)y)[i];
  Pack<T> r;
#pragma unroll
  for (int k = 0; k < 16 / sizeof(T); k++) r.e[k] = v.e[k] + w.e[k];
  ((Pack<T> *)z)[i] = r;
}

static __device__ float expression(float a, float b, float c) { return a * b + c * 2.0f - sinf(a); }

static __device__ float chain(float a, float b)
{
  float x = a + b;
#pragma unroll
  for (int k = 0; k < 6; k++) x = x * 0.9f + b;
  x = fminf(fmaxf(fabsf(x), a), 3.0f) - b;
  return sqrtf(x * x + 1.0f);
}

extern "C" {
// Numbers in [0, 1) that look like chance.
__global__ void fill(float *p, int n, unsigned seed)
{
  const unsigned i = place();
  if (i >= n) return;
  unsigned x = i * 747796405u + seed;
  x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
  p[i] = ((x ^ (x >> 22)) >> 8) * (1.0f / 16777216.0f);
}

// How many words differ; as numbers, by more than `most`, where that is not negative.
__global__ void differences(unsigned *count, const void *x, const void *y, int n, float most)
{
  const unsigned i = place();
  if (i >= n) return;
  const unsigned v = ((const unsigned *)x)[i], w = ((const unsigned *)y)[i];
  const bool same = most < 0 ? v == w : fabsf(__uint_as_float(v) - __uint_as_float(w)) <= most;
  if (!same) atomicAdd(count, 1);
}

__global__ void add_float32(void *z, const void *x, const void *y, int n) { add<float>(z, x, y, n); }
__global__ void add_float64(void *z, const void *x, const void *y, int n) { add<double>(z, x, y, n); }

__global__ void add_float16(void *z, const void *x, const void *y, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const Pack<__half2> v = ((const Pack<__half2> *)x)[i], w = ((const Pack<__half2> *)y)[i];
  Pack<__half2> r;
#pragma unroll
  for (int k = 0; k < 4; k++) r.e[k] = __hadd2(v.e[k], w.e[k]);
  ((Pack<__half2> *)z)[i] = r;
}

__global__ void add_int8(void *z, const void *x, const void *y, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const uint4 v = ((const uint4 *)x)[i], w = ((const uint4 *)y)[i];
  ((uint4 *)z)[i] = make_uint4(__vadd4(v.x, w.x), __vadd4(v.y, w.y), __vadd4(v.z, w.z), __vadd4(v.w, w.w));
}

__global__ void fused(void *z, const void *a, const void *b, const void *c, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const float4 p = ((const float4 *)a)[i], q = ((const float4 *)b)[i], r = ((const float4 *)c)[i];
  ((float4 *)z)[i] = make_float4(expression(p.x, q.x, r.x), expression(p.y, q.y, r.y), expression(p.z, q.z, r.z),
                                 expression(p.w, q.w, r.w));
}

__global__ void twenty(void *z, const void *a, const void *b, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const float4 p = ((const float4 *)a)[i], q = ((const float4 *)b)[i];
  ((float4 *)z)[i] = make_float4(chain(p.x, q.x), chain(p.y, q.y), chain(p.z, q.z), chain(p.w, q.w));
}

// Broadcasting; n: of a row, which is blockIdx.y.
__global__ void add_row(void *z, const void *m, const void *row, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const size_t at = (size_t)blockIdx.y * n + i;
  const float4 v = ((const float4 *)m)[at], w = ((const float4 *)row)[i];
  ((float4 *)z)[at] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
}

__global__ void add_column(void *z, const void *m, const float *column, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const size_t at = (size_t)blockIdx.y * n + i;
  const float4 v = ((const float4 *)m)[at];
  const float w = column[blockIdx.y];
  ((float4 *)z)[at] = make_float4(v.x + w, v.y + w, v.z + w, v.w + w);
}

// The transpose of a square matrix in tiles of 32 x 32, by 32 x 8 threads; and of 64 x 64, 16 bytes at a time, by 16 x 16.
__global__ void transpose32(float *z, const float *m, int side)
{
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = m[(size_t)(y + threadIdx.y + k) * side + x + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    z[(size_t)(x + threadIdx.y + k) * side + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void transpose64(float *z, const float *m, int side)
{
  __shared__ float tile[64][65];
  const int x = blockIdx.x * 64, y = blockIdx.y * 64, column = 4 * threadIdx.x;
#pragma unroll
  for (int k = 0; k < 64; k += 16) {
    const float4 v = *(const float4 *)(m + (size_t)(y + threadIdx.y + k) * side + x + column);
    float *const row = &tile[threadIdx.y + k][column];
    row[0] = v.x, row[1] = v.y, row[2] = v.z, row[3] = v.w;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 64; k += 16) {
    const int row = threadIdx.y + k;
    *(float4 *)(z + (size_t)(x + row) * side + y + column) =
        make_float4(tile[column][row], tile[column + 1][row], tile[column + 2][row], tile[column + 3][row]);
  }
}

// A step of x = x * 1.0001 + y as one kernel, and as a product and add_float32.
__global__ void step(void *z, const void *x, const void *y, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const float4 v = ((const float4 *)x)[i], w = ((const float4 *)y)[i];
  ((float4 *)z)[i] = make_float4(v.x * 1.0001f + w.x, v.y * 1.0001f + w.y, v.z * 1.0001f + w.z, v.w * 1.0001f + w.w);
}

__global__ void scale(void *z, const void *x, float a, int n)
{
  const unsigned i = place();
  if (i >= n) return;
  const float4 v = ((const float4 *)x)[i];
  ((float4 *)z)[i] = make_float4(v.x * a, v.y * a, v.z * a, v.w * a);
}
}
