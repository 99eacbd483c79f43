// The kernels that bench.c times; loops.c does the same work in plain C.
// saxpy streams memory, block_reduce is nearly all barriers, matmul is arithmetic out of shared memory.

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// One sum a block of 256 elements, as a tree in shared memory.
extern "C" __global__ void block_reduce(const float *x, float *sums) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

// c = a * b for square matrices whose side is a multiple of 16.
extern "C" __global__ void matmul(int n, const float *a, const float *b, float *c) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[ty][tx] = a[row * n + k + tx];
    tb[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
    for (int j = 0; j < 16; j++) sum += ta[ty][j] * tb[j][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
