// Lower triangular factors of positive definite matrices.

//: small
// A block for each matrix: n x n elements, rows so many elements apart. Reads the lower triangle. The number of a minor
// that is not positive, counted from `before`, is written to info; with before = 0, info is set first. With `alone`, what
// is above the diagonal becomes 0.
extern "C" __global__ void __launch_bounds__(256)
    linalg_cholesky_small(const unsigned long long all, const unsigned n, const unsigned before, const unsigned alone,
                          Value *const a0, const long long batch_step, const long long pitch, int *const info) {
  __shared__ __align__(16) Value a[SIDE * SIDE];
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    Value *const own = a0 + (long long)matrix * batch_step;
    for (unsigned e = threadIdx.x; e < n * n; e += blockDim.x) {
      const unsigned i = e / n, k = e - i * n;
      if (k <= i) a[e] = own[(long long)i * pitch + k];
    }
    if (threadIdx.x == 0 && before == 0) info[matrix] = 0;
    __syncthreads();
    for (unsigned j = 0; j < n; j++) {
      const Real d = cl_real(a[j * n + j]), root = sqrt(d);
      __syncthreads();
      if (threadIdx.x == 0) {
        a[j * n + j] = made(root);
        if (d <= 0 && info[matrix] == 0) info[matrix] = (int)(before + j + 1);
      }
      for (unsigned i = j + 1 + threadIdx.x; i < n; i += blockDim.x) a[i * n + j] = cl_div(a[i * n + j], made(root));
      __syncthreads();
      const unsigned left = n - j - 1;
      for (unsigned e = threadIdx.x; e < left * left; e += blockDim.x) {
        const unsigned i = j + 1 + e / left, k = j + 1 + e % left;
        if (k <= i) a[i * n + k] = cl_fma(cl_neg(a[i * n + j]), cl_conj(a[k * n + j]), a[i * n + k]);
      }
      __syncthreads();
    }
    for (unsigned e = threadIdx.x; e < n * n; e += blockDim.x) {
      const unsigned i = e / n, k = e - i * n;
      if (k <= i)
        own[(long long)i * pitch + k] = a[e];
      else if (alone)
        own[(long long)i * pitch + k] = made((Real)0);
    }
    __syncthreads();
  }
}
