// sinh, cosh and tanh of complex numbers, and with them sin, cos and tan. Special values are those of C's
// annex G.
extern "C++" {
template <class C> __device__ __forceinline__ C cl_sinh(C z) {
  if (z.y == 0) return cl_make(sinh(z.x), z.y);
  auto zero = 0 * z.y; // NaN where y is not finite
  if (zero != 0 && (z.x == 0 || isinf(z.x))) return cl_make(z.x, zero);
  auto s = sin(z.y), c = cos(z.y);
  if (cl_is_large(z.x)) {
    auto root = exp(fabs(z.x) / 2), half = root / 2;
    return cl_make(copysign(half, z.x) * c * root, half * s * root);
  }
  return cl_make(sinh(z.x) * c, cosh(z.x) * s);
}
template <class C> __device__ __forceinline__ C cl_cosh(C z) {
  if (z.y == 0) return cl_make(cosh(z.x), copysign(1 + z.y, z.x) * z.y);
  auto zero = 0 * z.y;
  if (zero != 0 && z.x == 0) return cl_make(zero, z.x);
  if (zero != 0 && isinf(z.x)) return cl_make(fabs(z.x), zero);
  auto s = sin(z.y), c = cos(z.y);
  if (cl_is_large(z.x)) {
    auto root = exp(fabs(z.x) / 2), half = root / 2;
    return cl_make(half * c * root, copysign(half, z.x) * s * root);
  }
  return cl_make(cosh(z.x) * c, sinh(z.x) * s);
}
// After Kahan.
template <class C> __device__ __forceinline__ C cl_tanh(C z) {
  if (z.y == 0) return cl_make(tanh(z.x), z.y);
  auto zero = 0 * z.y;
  if (zero != 0) {
    if (isinf(z.x)) return cl_make(copysign(1 / z.x + 1, z.x), 0 / z.x);
    return cl_make(z.x == 0 ? z.x : zero, zero);
  }
  if (fabs(z.x) > 20) {
    auto e = exp(-fabs(z.x));
    return cl_make(copysign(1 + e * e, z.x), 4 * sin(z.y) * cos(z.y) * e * e);
  }
  auto t = tan(z.y), s = sinh(z.x), beta = 1 + t * t, rho = sqrt(1 + s * s), divisor = 1 + beta * s * s;
  return cl_make(beta * rho * s / divisor, t / divisor);
}

// In terms of the above with iz = (-y, x).
template <class C> __device__ __forceinline__ C cl_sin(C z) {
  C w = cl_sinh(cl_make(-z.y, z.x));
  return cl_make(w.y, -w.x);
}
template <class C> __device__ __forceinline__ C cl_cos(C z) { return cl_cosh(cl_make(-z.y, z.x)); }
template <class C> __device__ __forceinline__ C cl_tan(C z) {
  C w = cl_tanh(cl_make(-z.y, z.x));
  return cl_make(w.y, -w.x);
}
}
