// Complex division after Smith: the larger part of the divisor goes first, so that nothing overflows on the
// way.
extern "C++" {
template <class C> __device__ __forceinline__ C cl_div(C a, C b) {
  if (fabs(b.x) >= fabs(b.y)) {
    if (b.x == 0 && b.y == 0) return cl_make(a.x / fabs(b.x), a.y / fabs(b.x));
    auto ratio = b.y / b.x, scale = 1 / (b.x + b.y * ratio);
    return cl_make((a.x + a.y * ratio) * scale, (a.y - a.x * ratio) * scale);
  }
  auto ratio = b.x / b.y, scale = 1 / (b.y + b.x * ratio);
  return cl_make((a.x * ratio + a.y) * scale, (a.y * ratio - a.x) * scale);
}
template <class C> __device__ __forceinline__ C cl_reciprocal(C a) {
  if (fabs(a.x) <= fabs(a.y)) {
    auto ratio = a.x / a.y, divisor = a.x * ratio + a.y;
    return cl_make(ratio / divisor, -1 / divisor);
  }
  auto ratio = a.y / a.x, divisor = a.y * ratio + a.x;
  return cl_make(1 / divisor, -ratio / divisor);
}
// The number of length 1 in the same direction; 0 for 0.
template <class C> __device__ __forceinline__ C cl_sign(C a) {
  auto length = cl_abs(a);
  if (length == 0) return cl_make(length, length);
  if (isinf(length)) {
    length = isinf(a.x) && isinf(a.y) ? length / length : 1; // NaN: no direction
    return cl_make(isinf(a.x) ? copysign(length, a.x) : 0, isinf(a.y) ? copysign(length, a.y) : 0);
  }
  return cl_make(a.x / length, a.y / length);
}
}
