// Gamma-distributed numbers (Marsaglia and Tsang, A simple method for generating gamma variables, 2000), in
// double precision: each element takes what attempts it needs from blocks of its own.
extern "C++" {
// The logarithm of a gamma-distributed number of this shape; minus infinity for a shape of 0, NaN for what is
// none. It is called: copies for all the elements of a thread would not fit into the caches of instructions.
__device__ __noinline__ double cl_random_log_gamma(const unsigned long long i, const double2 state,
                                                   const double shape) {
  if (!(shape > 0) || shape > 1e300)
    return shape == 0 ? -__longlong_as_double(0x7ff0000000000000) : __longlong_as_double(0x7ff8000000000000);
  // Below 1: a number of the shape + 1, times u^(1 / shape).
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / __dsqrt_rn(__dmul_rn(9, d));
  double v = 1, log_v = 0;
  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    const uint4 w = cl_random_block(state, i, attempt);
    const double x = __dmul_rn(cl_random_radius(cl_random_middle(0, w.x)),
                               cl_random_circle((unsigned long long)w.y << 32 | w.w).x);
    v = __fma_rn(c, x, 1);
    if (!(v > 0)) continue;
    v = __dmul_rn(__dmul_rn(v, v), v);
    log_v = cl_random_log(v);
    const double bound = __fma_rn(d, __dadd_rn(__dadd_rn(1, -v), log_v), __dmul_rn(__dmul_rn(0.5, x), x));
    if (cl_random_log(cl_random_middle(0, w.z)) < bound) break;
  }
  double result = __dadd_rn(cl_random_log(d), log_v);
  if (shape < 1) {
    const uint4 w = cl_random_block(state, i, 0xffffffffu);
    result = __dadd_rn(result, cl_random_log(cl_random_middle(w.x, w.y)) / shape);
  }
  return result;
}
__device__ __forceinline__ double cl_random_gamma(const unsigned long long i, const double2 state,
                                                  const double shape) {
  const double x = cl_random_log_gamma(i, state, shape);
  return x == x ? cl_random_exp(x) : x;
}
// a / (a + b), from the logarithms of a and b: which hold what is far too small for a number.
__device__ __forceinline__ double cl_random_ratio(const double log_a, const double log_b) {
  const double difference = log_b - log_a;
  return difference == difference ? 1 / __dadd_rn(1, cl_random_exp(difference)) : difference;
}
}
