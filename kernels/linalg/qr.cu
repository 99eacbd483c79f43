// Factors by Householder's reflections, h = 1 - tau v v'. Matrices lie column by column: m elements each, without gaps.

//: reflect
// Reflects the columns first to end - 1 onto the diagonal, with the columns up to `last`. What v has below its 1 stays
// below the diagonal. All threads of the block take part, a warp for each column; every warp computes the norm.
__device__ void reflect(Value *const a, const long long m, const long long first, const long long end,
                        const long long last, Value *const tau) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (long long j = first; j < end; j++) {
    Value *const v = a + j * m;
    Real scale = 0;
    for (long long i = j + 1 + lane; i < m; i += 32) {
      const Real size = cl_size(v[i]);
      if (size > scale || size != size) scale = size;
    }
#pragma unroll
    for (int bits = 16; bits > 0; bits /= 2) {
      const Real other = cl_across(scale, bits);
      if (other > scale || other != other) scale = other;
    }
    Real sum = 0;
    if (scale != 0)
      for (long long i = j + 1 + lane; i < m; i += 32) {
        const Value x = v[i];
        sum += cl_norm2(cl_div(x, made(scale)));
      }
    const Value alpha = v[j];
    const Real tail = scale == 0 ? 0 : scale * sqrt(cl_warp_sum(sum));
    const Value rest = cl_sub(alpha, made(cl_real(alpha)));
    Value factor = made((Real)0), beta = alpha;
    const bool is_done = tail == 0 && cl_size(rest) == 0;
    if (!is_done) {
      const Real length = cl_length2(cl_length(alpha), tail);
      const Real b = cl_real(alpha) > 0 ? -length : length;
      beta = made(b);
      factor = cl_div(cl_sub(beta, alpha), beta);
    }
    __syncthreads();
    if (!is_done) {
      const Value divisor = cl_sub(alpha, beta);
      for (long long i = j + 1 + threadIdx.x; i < m; i += blockDim.x) v[i] = cl_div(v[i], divisor);
    }
    if (threadIdx.x == 0) {
      v[j] = beta;
      tau[j] = factor;
    }
    __syncthreads();
    if (!is_done)
      for (long long c = j + 1 + warp; c < last; c += warps) {
        Value *const x = a + c * m;
        Value dot = made((Real)0);
        for (long long i = j + 1 + lane; i < m; i += 32) dot = cl_fma(cl_conj(v[i]), x[i], dot);
        dot = cl_neg(cl_mul(cl_conj(factor), cl_add(x[j], cl_warp_sum(dot))));
        __syncwarp();
        if (lane == 0) x[j] = cl_add(x[j], dot);
        for (long long i = j + 1 + lane; i < m; i += 32) x[i] = cl_fma(v[i], dot, x[i]);
      }
    __syncthreads();
  }
}

//: small
// A block for each matrix; of q so many columns are formed.
extern "C" __global__ void __launch_bounds__(256)
    linalg_qr_small(const unsigned long long all, const unsigned m, const unsigned n, const unsigned columns,
                    Value *const a0, Value *const q0) {
  __shared__ __align__(16) Value a[SIDE * SIDE], q[SIDE * SIDE], tau[SIDE];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, steps = min(m, n);
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    Value *const own = a0 + matrix * m * n;
    for (unsigned e = threadIdx.x; e < m * n; e += blockDim.x) a[e] = own[e];
    for (unsigned e = threadIdx.x; e < m * columns; e += blockDim.x) q[e] = made((Real)(e / m == e % m ? 1 : 0));
    __syncthreads();
    reflect(a, m, 0, steps, n, tau);
    for (unsigned e = threadIdx.x; e < m * n; e += blockDim.x) own[e] = a[e];
    for (unsigned c = warp; c < columns; c += warps) // each warp has its columns
      for (unsigned j = min(c + 1, steps); j-- > 0;) {
        const Value *const v = a + j * m;
        Value *const x = q + c * m;
        Value dot = made((Real)0);
        for (unsigned i = j + 1 + lane; i < m; i += 32) dot = cl_fma(cl_conj(v[i]), x[i], dot);
        dot = cl_neg(cl_mul(tau[j], cl_add(x[j], cl_warp_sum(dot))));
        __syncwarp();
        if (lane == 0) x[j] = cl_add(x[j], dot);
        for (unsigned i = j + 1 + lane; i < m; i += 32) x[i] = cl_fma(v[i], dot, x[i]);
        __syncwarp();
      }
    __syncthreads();
    for (unsigned e = threadIdx.x; e < m * columns; e += blockDim.x) q0[matrix * m * columns + e] = q[e];
    __syncthreads();
  }
}

//: panel
extern "C" __global__ void __launch_bounds__(256)
    linalg_qr_panel(const unsigned long long all, const unsigned long long m, const unsigned long long n,
                    const unsigned long long first, const unsigned long long end, Value *const a, Value *const tau) {
  const unsigned long long steps = min(m, n);
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    reflect(a + matrix * m * n, (long long)m, (long long)first, (long long)end, (long long)end, tau + matrix * steps);
    __syncthreads();
  }
}

//: vectors
// The panel's v as a matrix of their own, column by column, and their conjugates.
extern "C" __global__ void linalg_qr_vectors(const unsigned long long all, const unsigned long long m,
                                             const unsigned long long n, const unsigned long long first,
                                             const unsigned long long width, const Value *const a, Value *const v,
                                             Value *const conjugates) {
  const unsigned long long rows = m - first;
  for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += gridDim.x * 256ull) {
    const unsigned long long line = e / rows, i = e - line * rows, batch = line / width, c = line - batch * width;
    Value x = made((Real)(i == c ? 1 : 0));
    if (i > c) x = a[(batch * n + first + c) * m + first + i];
    v[e] = x;
    conjugates[e] = cl_conj(x);
  }
}

//: factor
// The triangle t of 1 - v t v' = h1 h2 ..., row by row, from v' v; and its conjugate.
extern "C" __global__ void __launch_bounds__(32)
    linalg_qr_factor(const unsigned long long all, const unsigned width, const Value *const squares,
                     const Value *const tau, const unsigned long long steps, const unsigned long long first,
                     Value *const t0, Value *const conjugates) {
  __shared__ __align__(16) Value t[32 * 32];
  const unsigned i = threadIdx.x;
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    const Value *const g = squares + matrix * width * width;
    for (unsigned j = 0; j < width; j++) {
      const Value own = tau[matrix * steps + first + j];
      Value sum = made((Real)0);
      if (i < j)
        for (unsigned k = i; k < j; k++) sum = cl_fma(t[i * 32 + k], g[k * width + j], sum);
      if (i < width) t[i * 32 + j] = i < j ? cl_neg(cl_mul(own, sum)) : i == j ? own : made((Real)0);
      __syncthreads();
    }
    for (unsigned j = 0; j < width && i < width; j++) {
      t0[(matrix * width + i) * width + j] = t[i * 32 + j];
      conjugates[(matrix * width + i) * width + j] = cl_conj(t[i * 32 + j]);
    }
    __syncthreads();
  }
}
