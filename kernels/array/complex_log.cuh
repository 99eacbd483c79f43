// Logarithms of complex numbers. Special values are those of C's annex G.
extern "C++" {
// Rounded products, also where the compiler may fuse multiplications and additions.
__device__ __forceinline__ float cl_product(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ double cl_product(double a, double b) { return __dmul_rn(a, b); }

// x*x + y*y - 1, accurate also near 0: what the products and the sums lose is added in the end.
template <class R> __device__ __forceinline__ R cl_squares_less_1(R x, R y) {
  R xx = cl_product(x, x), yy = cl_product(y, y);
  R lost = fma(x, x, -xx) + fma(y, y, -yy);
  R a = xx - 1, from_xx = a + 1;
  lost += (xx - from_xx) - (1 - (from_xx - a));
  R b = a + yy, from_yy = b - a;
  lost += (a - (b - from_yy)) + (yy - from_yy);
  return b + lost;
}
// log(sqrt(x*x + y*y)) of numbers that are not negative.
template <class R> __device__ __forceinline__ R cl_log_length(R x, R y) {
  if (isinf(x) || isinf(y)) return x + y != x + y ? fmax(x, y) : x + y;
  if (x != x || y != y) return x + y;
  R larger = fmax(x, y);
  if (larger >= (R)0.5 && larger <= 2) return log1p(cl_squares_less_1(x, y)) / 2;
  if (larger > (R)1e37) return log(hypot(x / 2, y / 2)) + (R)0.6931471805599453;
  if (larger < (R)1e-30) {
    R scale = (R)18446744073709551616.0; // 2^64
    return log(hypot(x * scale, y * scale)) - (R)44.3614195558365;
  }
  return log(hypot(x, y));
}
template <class C> __device__ __forceinline__ C cl_log(C z) {
  return cl_make(cl_log_length(fabs(z.x), fabs(z.y)), atan2(z.y, z.x));
}
template <class C> __device__ __forceinline__ C cl_log10(C z) {
  C w = cl_log(z);
  decltype(z.x) scale = 0.4342944819032518;
  return cl_make(w.x * scale, w.y * scale);
}
template <class C> __device__ __forceinline__ C cl_log2(C z) {
  C w = cl_log(z);
  decltype(z.x) scale = 1.4426950408889634;
  return cl_make(w.x * scale, w.y * scale);
}
}
