// The square root of a complex number, of which the real part is not negative. Special values are those of
// C's annex G.
extern "C++" {
template <class C> __device__ __forceinline__ C cl_sqrt(C z) {
  if (isinf(z.y)) return cl_make(fabs(z.y), z.y);
  if (isinf(z.x)) {
    auto other = z.y - z.y; // 0 or NaN
    if (z.x > 0) return cl_make(z.x, other != 0 ? other : copysign(other, z.y));
    return cl_make(fabs(other), copysign(z.x, z.y));
  }
  if (z.x == 0 && z.y == 0) return cl_make(fabs(z.x), z.y);
  auto x = fabs(z.x), y = fabs(z.y), scale = 1 + 0 * x, larger = fmax(x, y);
  if (larger > (decltype(z.x))1e37) { // the sum below may be too large
    x *= (decltype(z.x))0.0625;
    y *= (decltype(z.x))0.0625;
    scale = 4;
  } else if (larger < (decltype(z.x))1e-30) { // 2^64: or of too few digits
    x *= (decltype(z.x))18446744073709551616.0;
    y *= (decltype(z.x))18446744073709551616.0;
    scale = (decltype(z.x))2.3283064365386963e-10; // 2^-32
  }
  auto root = sqrt((x + hypot(x, y)) / 2), other = y / (2 * root);
  root *= scale;
  other *= scale;
  return z.x < 0 ? cl_make(other, copysign(root, z.y)) : cl_make(root, copysign(other, z.y));
}
}
