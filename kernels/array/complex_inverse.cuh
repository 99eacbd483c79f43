// asin, acos, asinh, acosh, atan and atanh of complex numbers. The first four share two lengths (Hull, Fairgrieve and
// Tang, Implementing the complex arcsine and arccosine functions using exception handling, 1997), the last two are
// logarithms of a quotient (Kahan, Branch cuts for complex elementary functions, 1987). No sum below has a difference
// of rounded terms in it, so that both parts are accurate also beside the branch points 1, -1, i and -i. Special values
// are those of C's annex G; the sign of a zero tells the sides of a branch cut.
extern "C++" {
// Beyond it 1 is lost beside a square.
__device__ __forceinline__ float cl_far(float) { return 0x1p24f; }
__device__ __forceinline__ double cl_far(double) { return 0x1p53; }

// For x, y >= 0: w = asin(x + iy) is atan2(x, across) + i height, and acos(x + iy) is atan2(across, x) - i height.
template <class R> __device__ __forceinline__ R cl_sine_height(R x, R y, R &across) {
  if (x != x || y != y) {
    across = x == 0 ? 1 : x + y;
    return isinf(x) || isinf(y) ? fmax(x, y) : x + y;
  }
  if (x > cl_far(x) || y > cl_far(x)) { // asin(z) is -i log(2iz) there
    across = y;
    return log(hypot(x / 2, y / 2)) + (R)1.3862943611198906;
  }
  // Distances from -1 and 1; their mean a is the longer axis of the ellipse through z that has its foci there.
  R to_left = hypot(x + 1, y), to_right = hypot(x - 1, y), a = (to_left + to_right) / 2;
  R left = to_left + (x + 1);
  if (x < 1) {
    R right = to_right + (1 - x), slope = (1 / left + 1 / right) / 2; // a - 1 is y * y * slope
    across = sqrt((y * (y / left) + right) * ((a + x) / 2));
    return log1p(y * (y * slope) + y * sqrt(slope * (a + 1)));
  }
  R right = to_right + (x - 1), twice = y * (y / left) + right; // 2 (a - 1)
  across = x == 1 ? sqrt(twice * ((a + x) / 2)) : y * sqrt((a + x) * ((1 / left + 1 / right) / 2));
  return log1p(twice / 2 + sqrt(twice * ((a + 1) / 2)));
}

template <class C> __device__ __forceinline__ C cl_asin(C z) {
  decltype(z.x) across, height = cl_sine_height(fabs(z.x), fabs(z.y), across);
  return cl_make(atan2(z.x, across), copysign(height, z.y));
}
template <class C> __device__ __forceinline__ C cl_acos(C z) {
  decltype(z.x) across, height = cl_sine_height(fabs(z.x), fabs(z.y), across);
  return cl_make(atan2(across, z.x), signbit(z.y) ? height : -height);
}
template <class C> __device__ __forceinline__ C cl_asinh(C z) {
  decltype(z.x) across, height = cl_sine_height(fabs(z.y), fabs(z.x), across);
  return cl_make(copysign(height, z.x), atan2(z.y, across));
}
template <class C> __device__ __forceinline__ C cl_acosh(C z) {
  decltype(z.x) across, height = cl_sine_height(fabs(z.x), fabs(z.y), across);
  return cl_make(height, copysign(atan2(across, z.x), z.y));
}

template <class C> __device__ __forceinline__ C cl_atanh(C z) {
  typedef decltype(z.x) R;
  const R quarter_turn = (R)1.5707963267948966, x = fabs(z.x), y = fabs(z.y);
  R real, imaginary;
  if (isinf(x) || isinf(y)) {
    real = 0;
    imaginary = y != y ? y : quarter_turn;
  } else if (x != x || y != y) {
    real = x == 0 ? 0 : x + y;
    imaginary = x + y;
  } else if (x > cl_far(x) || y > cl_far(x)) { // 1 / z and a quarter turn
    R length = hypot(x / 2, y / 2);
    real = x / 2 / length / length / 2;
    imaginary = quarter_turn;
  } else if (x == 1) {
    real = y < (R)0x1p-30 ? ((R)0.6931471805599453 - log(y)) / 2 : log1p(4 / (y * y)) / 4;
    imaginary = y == 0 ? 0 : atan2((R)2, -y) / 2;
  } else {
    R before = 1 - x;
    real = log1p(4 * x / (before * before + y * y)) / 4;
    imaginary = atan2(2 * y, before * (1 + x) - y * y) / 2;
  }
  return cl_make(copysign(real, z.x), copysign(imaginary, z.y));
}
template <class C> __device__ __forceinline__ C cl_atan(C z) {
  C w = cl_atanh(cl_make(z.y, z.x));
  return cl_make(w.y, w.x);
}
}
