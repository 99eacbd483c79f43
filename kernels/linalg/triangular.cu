// Triangular systems, and small kernels of what belongs to them.

//: substitute
// Solves t x = b, and x replaces b: a thread for each column, t lower triangular, up to SIDE rows. Upper triangles are
// lower ones from their last element with negative strides.
enum { UNIT = 1, CONJUGATED = 2 };
extern "C" __global__ void __launch_bounds__(128)
    linalg_substitute(const unsigned long long all, const unsigned long long parts, const unsigned long long columns,
                      const unsigned width, const unsigned flags, const Value *const t0, const long long t_batch,
                      const long long t_row, const long long t_column, Value *const b0, const long long b_batch,
                      const long long b_row, const long long b_column) {
  __shared__ __align__(16) Value t[SIDE * SIDE];
  for (unsigned long long work = blockIdx.x; work < all; work += gridDim.x) {
    const unsigned long long batch = work / parts, column = (work - batch * parts) * blockDim.x + threadIdx.x;
    const Value *const from = t0 + (long long)batch * t_batch;
    for (unsigned e = threadIdx.x; e < width * width; e += blockDim.x) {
      const unsigned i = e / width, k = e - i * width;
      if (k > i) continue;
      const Value x = from[(long long)i * t_row + (long long)k * t_column];
      t[e] = flags & CONJUGATED ? cl_conj(x) : x;
    }
    __syncthreads();
    if (column < columns) {
      Value *const b = b0 + (long long)batch * b_batch + (long long)column * b_column;
      for (unsigned i = 0; i < width; i++) {
        Value sum = b[(long long)i * b_row];
        for (unsigned k = 0; k < i; k++) sum = cl_fma(cl_neg(t[i * width + k]), b[(long long)k * b_row], sum);
        b[(long long)i * b_row] = flags & UNIT ? sum : cl_div(sum, t[i * width + i]);
      }
    }
    __syncthreads();
  }
}

//: rows
// The rows of b in the order that p gives, which counts from 1.
extern "C" __global__ void linalg_rows(const unsigned long long all, const unsigned long long rows,
                                       const unsigned long long columns, const Value *const b, const long long *const p,
                                       const unsigned long long p_batch, Value *const out) {
  for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += gridDim.x * 256ull) {
    const unsigned long long line = e / columns, batch = line / rows, row = line - batch * rows;
    const unsigned long long from = (unsigned long long)p[batch * p_batch + row] - 1;
    out[e] = b[(batch * rows + from) * columns + e % columns];
  }
}

//: spoil
// Fills the matrices where something went wrong with NaN.
extern "C" __global__ void linalg_spoil(const unsigned long long all, const unsigned long long size,
                                        const int *const info, const unsigned long long step, Value *const out) {
  for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += gridDim.x * 256ull)
    if (info[e / size * step] != 0) out[e] = made((Real)NAN);
}

//: conjugate
// The conjugates of m x n elements with a pitch, without gaps.
extern "C" __global__ void linalg_conjugate(const unsigned long long all, const unsigned long long m,
                                            const unsigned long long n, const Value *const a, const long long batch_step,
                                            const long long row_step, const long long column_step, Value *const out) {
  for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += gridDim.x * 256ull) {
    const unsigned long long batch = e / (m * n), row = e / n - batch * m;
    out[e] = cl_conj(a[(long long)batch * batch_step + (long long)row * row_step + (long long)(e % n) * column_step]);
  }
}
