// The kernels that bench.c times; loops.c does the same work in plain C.
// saxpy streams memory, block_reduce is nearly all barriers, matmul is arithmetic out of shared memory, mandelbrot
// diverges, sum is shuffles behind a long loop, and the blocks of scan wait for each other.

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

// How many steps each point of a square image takes to leave the circle; nothing is fused, so that the counts
// are those of the C loop.
extern "C" __global__ void mandelbrot(int side, int most, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= side * side) return;
  float scale = 3.0f / side, cx = __fadd_rn(__fmul_rn(i % side, scale), -2.25f);
  float cy = __fadd_rn(__fmul_rn(i / side, scale), -1.5f);
  float x = 0, y = 0;
  int n = 0;
  while (n < most) {
    float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
    if (__fadd_rn(xx, yy) > 4) break;
    float xy = __fmul_rn(x, y);
    x = __fadd_rn(__fsub_rn(xx, yy), cx);
    y = __fadd_rn(__fadd_rn(xy, xy), cy);
    n++;
  }
  counts[i] = n;
}

__device__ float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
  return v;
}

// Adds everything up: each thread strides over the array, then warps, then blocks meet.
extern "C" __global__ void sum(int n, const float *x, float *total) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  v = warp_sum(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = warp_sum(lane < blockDim.x / 32 ? part[lane] : 0.0f);
    if (lane == 0) atomicAdd(total, v);
  }
}

__device__ unsigned warp_scan(unsigned v, int lane) {
  for (int step = 1; step < 32; step *= 2) {
    unsigned below = __shfl_up_sync(~0u, v, step);
    if (lane >= step) v += below;
  }
  return v;
}

// Inclusive prefix sums in one pass. A block takes the next number, adds up its 256 elements, publishes that, and
// looks back over its predecessors until one has published the sum of all up to itself. A word of `state` holds
// a sum, and above it what it is the sum of.
enum { NOTHING, BLOCK_ONLY, ALL_BEFORE_TOO };

extern "C" __global__ void scan(const unsigned *x, unsigned *sums, unsigned *ticket,
                                volatile unsigned long long *state) {
  __shared__ unsigned number, before, part[8];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) number = atomicAdd(ticket, 1);
  __syncthreads();
  unsigned block = number, v = warp_scan(x[block * 256 + t], lane);
  if (lane == 31) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    unsigned s = warp_scan(lane < 8 ? part[lane] : 0, lane);
    if (lane < 8) part[lane] = s;
  }
  __syncthreads();
  if (t == 0) {
    unsigned sum = part[7], from_back = 0;
    unsigned long long kind = block == 0 ? ALL_BEFORE_TOO : BLOCK_ONLY;
    state[block] = kind << 32 | sum;
    for (int b = (int)block - 1; b >= 0;) {
      unsigned long long s = state[b];
      if (s >> 32 == NOTHING) continue;
      from_back += (unsigned)s;
      if (s >> 32 == ALL_BEFORE_TOO) break;
      b--;
    }
    if (block != 0) state[block] = (unsigned long long)ALL_BEFORE_TOO << 32 | (from_back + sum);
    before = from_back;
  }
  __syncthreads();
  sums[block * 256 + t] = v + before + (warp ? part[warp - 1] : 0);
}

extern "C" __global__ void empty() {}
