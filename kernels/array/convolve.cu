// Sums of products of a long vector and a short one that is laid along it at each place. A sum takes the short one's
// elements in their order, one fused step each, and only those that have an element of the long one beside them: no
// zeros are added, which would show in the sign of a zero and beside an infinity.

//: convolve
// A block has TILE neighbouring sums, a thread R of them; CHUNK elements of the short vector are taken at a time, with
// the part of the long one that they meet. A thread keeps the 2 R elements that R terms need in registers. Behind R
// elements of the window one place is free, so that the threads of a warp read different banks.
enum { R = @r@, THREADS = 256, TILE = R * THREADS, CHUNK = 256, PITCH = R == 1 ? 1 : R + 1 };

__device__ __forceinline__ unsigned place(const unsigned p) { return p / R * PITCH + p % R; }

// Elements of the short vector, which all threads read at once, as wide as loads are.
struct __align__(16) Terms {
  Value x[R];
};

// first: where the long vector's element is that the first term of sum 0 takes, which may be before its beginning.
extern "C" __global__ void __launch_bounds__(256)
    array_convolve(const unsigned long long count, Result *const out, const long long out_step,
                   const Element *const longer, const long long longer_step, const long long longer_size,
                   const Element *const shorter, const long long shorter_step, const long long shorter_size,
                   const long long first) {
  __shared__ __align__(16) Value window[(TILE + CHUNK) / R * PITCH];
  __shared__ Terms terms[CHUNK / R];
  const unsigned long long begin = (unsigned long long)blockIdx.x * TILE;
  const unsigned own = threadIdx.x * PITCH; // the thread's part of the window
  Value sum[R];
#pragma unroll
  for (int r = 0; r < R; r++) sum[r] = none();
  for (long long t = 0; t < shorter_size; t += CHUNK) {
    const int size = (int)min((long long)CHUNK, shorter_size - t);
    const long long from = first + (long long)begin + t; // of the window
    if (from + TILE + size <= 1 || from >= longer_size) continue; // of all threads
    __syncthreads();
    for (unsigned p = threadIdx.x; p < TILE + CHUNK; p += THREADS) {
      const long long at = from + p;
      window[place(p)] = at >= 0 && at < longer_size ? widened(longer[at * longer_step]) : none();
    }
    terms[threadIdx.x / R].x[threadIdx.x % R] =
        threadIdx.x < size ? widened(shorter[(t + threadIdx.x) * shorter_step]) : none();
    __syncthreads();
    const long long at = from + threadIdx.x * R, end = at + R + size - 1; // what the thread's sums meet
    if (end <= 0 || at >= longer_size) continue;
    const bool inside = at >= 0 && end <= longer_size;
    Value x[2 * R];
#pragma unroll
    for (int r = 0; r < R; r++) x[r] = window[own + r];
    for (int g = 0; g < size; g += R) {
      const unsigned next = own + (g / R + 1) * PITCH;
      const Terms term = terms[g / R];
#pragma unroll
      for (int r = 0; r < R; r++) x[R + r] = window[next + r];
      if (inside && g + R <= size) {
#pragma unroll
        for (int j = 0; j < R; j++)
#pragma unroll
          for (int r = 0; r < R; r++) sum[r] = cl_fma(x[r + j], term.x[j], sum[r]);
      } else {
#pragma unroll
        for (int j = 0; j < R; j++)
#pragma unroll
          for (int r = 0; r < R; r++) {
            const long long k = at + g + r + j;
            if (g + j < size && (inside || k >= 0 && k < longer_size)) sum[r] = cl_fma(x[r + j], term.x[j], sum[r]);
          }
      }
#pragma unroll
      for (int r = 0; r < R; r++) x[r] = x[R + r];
    }
  }
  __syncthreads(); // neighbours are written by neighbours
#pragma unroll
  for (int r = 0; r < R; r++) window[own + r] = sum[r];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < R; r++) {
    const unsigned p = threadIdx.x + r * THREADS;
    if (begin + p < count) out[(long long)(begin + p) * out_step] = rounded(window[place(p)]);
  }
}
