// Factors of matrices by elimination with partial pivoting. A matrix has m x n elements in C order; several lie one
// behind the other.

//: lu
// Eliminates the columns first to end - 1, with the rows below and the columns up to `last`; whole rows are swapped. All
// threads of the block take part. Of equal pivots the first row is taken; NaN counts as the greatest. A pivot that is 0
// leaves its column as it is, and its number is written to info.
__device__ void eliminate(Value *const a, const long long pitch, const long long m, const long long n,
                          const long long first, const long long end, const long long last, long long *const p,
                          int *const info, int *const sign) {
  __shared__ Real sizes[256];
  __shared__ long long places[256];
  const unsigned t = threadIdx.x, threads = blockDim.x;
  for (long long j = first; j < end; j++) {
    Real size = -1;
    long long place = j;
    for (long long i = j + t; i < m; i += threads) {
      const Real x = cl_size(a[i * pitch + j]);
      if (x > size || (x != x && size == size)) {
        size = x;
        place = i;
      }
    }
    sizes[t] = size;
    places[t] = place;
    __syncthreads();
    for (unsigned step = threads / 2; step > 0; step /= 2) {
      if (t < step) {
        const Real x = sizes[t + step], own = sizes[t];
        const bool is_nan = x != x, own_nan = own != own;
        const bool larger = is_nan ? !own_nan : !own_nan && x > own, equal = is_nan ? own_nan : x == own;
        if (larger || (equal && places[t + step] < places[t])) {
          sizes[t] = x;
          places[t] = places[t + step];
        }
      }
      __syncthreads();
    }
    const long long r = places[0];
    const bool is_singular = sizes[0] == 0;
    if (r != j)
      for (long long c = t; c < n; c += threads) {
        const Value x = a[j * pitch + c];
        a[j * pitch + c] = a[r * pitch + c];
        a[r * pitch + c] = x;
      }
    if (t == 0) {
      if (r != j) {
        const long long x = p[j];
        p[j] = p[r];
        p[r] = x;
        *sign = -*sign;
      }
      if (is_singular && *info == 0) *info = (int)(j + 1);
    }
    __syncthreads();
    if (!is_singular) {
      const Value pivot = a[j * pitch + j];
      for (long long i = j + 1 + t; i < m; i += threads) a[i * pitch + j] = cl_div(a[i * pitch + j], pivot);
      __syncthreads();
      const long long width = last - j - 1, todo = (m - j - 1) * width;
      for (long long e = t; e < todo; e += threads) {
        const long long i = j + 1 + e / width, c = j + 1 + e % width;
        a[i * pitch + c] = cl_fma(cl_neg(a[i * pitch + j]), a[j * pitch + c], a[i * pitch + c]);
      }
      __syncthreads();
    }
  }
}

__device__ void begin(const long long m, long long *const p, int *const info, int *const sign) {
  for (long long i = threadIdx.x; i < m; i += blockDim.x) p[i] = i + 1;
  if (threadIdx.x == 0) {
    *info = 0;
    *sign = 1;
  }
}

//: interchanges
// The permutations that interchanges of rows make, which cuSOLVER counts from 1. One thread of a block follows them.
extern "C" __global__ void __launch_bounds__(256)
    linalg_interchanges(const unsigned long long all, const unsigned long long m, const unsigned long long k,
                        const long long *const pivots, long long *const p) {
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    long long *const own = p + matrix * m;
    for (unsigned long long i = threadIdx.x; i < m; i += blockDim.x) own[i] = (long long)i + 1;
    __syncthreads();
    if (threadIdx.x == 0)
      for (unsigned long long j = 0; j < k; j++) {
        const unsigned long long r = (unsigned long long)pivots[matrix * k + j] - 1;
        if (r <= j || r >= m) continue;
        const long long x = own[j];
        own[j] = own[r];
        own[r] = x;
      }
    __syncthreads();
  }
}

//: small
extern "C" __global__ void __launch_bounds__(256)
    linalg_lu_small(const unsigned long long all, const unsigned long long m, const unsigned long long n,
                    Value *const a0, long long *const p, int *const info, int *const sign) {
  __shared__ __align__(16) Value a[SIDE * SIDE];
  const long long size = (long long)(m * n), steps = (long long)min(m, n);
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    Value *const own = a0 + (long long)matrix * size;
    for (long long e = threadIdx.x; e < size; e += blockDim.x) a[e] = own[e];
    begin((long long)m, p + matrix * m, info + matrix, sign + matrix);
    __syncthreads();
    eliminate(a, (long long)n, (long long)m, (long long)n, 0, steps, (long long)n, p + matrix * m, info + matrix,
              sign + matrix);
    __syncthreads();
    for (long long e = threadIdx.x; e < size; e += blockDim.x) own[e] = a[e];
    __syncthreads();
  }
}

//: panel
extern "C" __global__ void __launch_bounds__(256)
    linalg_lu_panel(const unsigned long long all, const unsigned long long m, const unsigned long long n,
                    const unsigned long long first, const unsigned long long end, Value *const a0, long long *const p,
                    int *const info, int *const sign) {
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    if (first == 0) begin((long long)m, p + matrix * m, info + matrix, sign + matrix);
    __syncthreads();
    eliminate(a0 + (long long)(matrix * m * n), (long long)n, (long long)m, (long long)n, (long long)first,
              (long long)end, (long long)end, p + matrix * m, info + matrix, sign + matrix);
    __syncthreads();
  }
}
