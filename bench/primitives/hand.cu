// By hand, for the rows of bench/primitives.lua that CUB has nothing for: 16 bytes a load, several under way. The counts
// are of 16 bytes, and multiples of what a block takes.
extern "C" {
// Where an array is: its pointer, taken by the program, would change how the array is evaluated.
__global__ void address(unsigned long long *out, const void *x) { *out = (unsigned long long)x; }

// Reads 1024 times 16 bytes a block, and nothing else.
__global__ void read(void *out, const void *x)
{
  const uint4 *const p = (const uint4 *)x + (size_t)blockIdx.x * 1024 + threadIdx.x;
  const uint4 a = p[0], b = p[256], c = p[512], d = p[768];
  const unsigned bits = a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w ^ c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
  if (bits == 0x9e3779b9u) *(unsigned *)out = bits;
}

// The sum of a row by a block of 256.
__global__ void rows(float *out, const void *x, int width)
{
  __shared__ float sums[8];
  const float4 *const row = (const float4 *)x + (size_t)blockIdx.x * width;
  float sum = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < width; i += 256) {
    const float4 v = row[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  for (int k = 1; k < 8; k++) sum += sums[k];
  out[blockIdx.x] = sum;
}

// Sums of columns: 64 x 4 threads for 256 columns and `rows` rows, put together by atomic additions to zeros.
__global__ void columns(float *out, const void *x, int width, int rows)
{
  __shared__ float4 sums[4][64];
  const int column = blockIdx.x * 64 + threadIdx.x;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int r = threadIdx.y; r < rows; r += 4) {
    const float4 v = ((const float4 *)x)[((size_t)blockIdx.y * rows + r) * width + column];
    sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y) return;
  for (int k = 1; k < 4; k++) {
    const float4 v = sums[k][threadIdx.x];
    sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
  }
  float *const to = out + column * 4;
  atomicAdd(to, sum.x), atomicAdd(to + 1, sum.y), atomicAdd(to + 2, sum.z), atomicAdd(to + 3, sum.w);
}
}
