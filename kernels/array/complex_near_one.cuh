// exp(z) - 1 and log(1 + z) of complex numbers, accurate near 0. Special values are those of C's annex G for exp and
// log.
extern "C++" {
template <class C> __device__ __forceinline__ C cl_expm1(C z) {
  if (z.y == 0) return cl_make(expm1(z.x), z.y);
  if (isinf(z.x) || z.x < -1 || cl_is_large(z.x)) {
    C w = cl_exp(z);
    return cl_make(w.x - 1, w.y);
  }
  auto half = sin(z.y / 2);
  return cl_make(expm1(z.x) * cos(z.y) - 2 * half * half, exp(z.x) * sin(z.y));
}

// |1 + z|^2 - 1, that is 2x + x*x + y*y, where these may cancel: what the products and the sums lose is added in the
// end.
template <class R> __device__ __forceinline__ R cl_add_exactly(R a, R b, R &lost) {
  R sum = a + b, from_b = sum - a;
  lost += (a - (sum - from_b)) + (b - from_b);
  return sum;
}
template <class R> __device__ __forceinline__ R cl_square_less_1(R x, R y) {
  R xx = cl_product(x, x), yy = cl_product(y, y), lost = fma(x, x, -xx) + fma(y, y, -yy);
  R sum = cl_add_exactly(2 * x, yy, lost);
  sum = cl_add_exactly(sum, xx, lost);
  return sum + lost;
}
template <class C> __device__ __forceinline__ C cl_log1p(C z) {
  auto x = fabs(1 + z.x), y = fabs(z.y), larger = fmax(x, y);
  bool close = larger >= (decltype(z.x))0.5 && larger <= 2;
  return cl_make(close ? log1p(cl_square_less_1(z.x, z.y)) / 2 : cl_log_length(x, y), atan2(z.y, 1 + z.x));
}
}
