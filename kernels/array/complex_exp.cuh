// Exponentials of complex numbers. Special values are those of C's annex G.
extern "C++" {
// Where exp(x) is infinite, or nearly so; there it is computed as a square.
__device__ __forceinline__ bool cl_is_large(float x) { return fabsf(x) > 88; }
__device__ __forceinline__ bool cl_is_large(double x) { return fabs(x) > 709; }

template <class C> __device__ __forceinline__ C cl_exp(C z) {
  auto zero = 0 * z.y; // NaN where y is not finite
  if (z.y == 0) return cl_make(exp(z.x), z.y);
  if (isinf(z.x) && zero != 0) return z.x < 0 ? cl_make(exp(z.x), exp(z.x)) : cl_make(z.x, zero);
  auto s = sin(z.y), c = cos(z.y);
  if (cl_is_large(z.x)) {
    auto root = exp(z.x / 2);
    return cl_make(root * c * root, root * s * root);
  }
  auto power = exp(z.x);
  return cl_make(power * c, power * s);
}
}
