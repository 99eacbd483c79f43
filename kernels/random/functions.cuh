// The functions that random numbers are made with, of + - * / sqrt and fma alone, which every device rounds
// alike: so they are the same everywhere, bit for bit. They know what they are given: no NaN, nothing
// negative.
extern "C++" {
// log(x), x normal and positive: x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). The polynomial is
// (log(1 + f) - f) / f^2.
__device__ __forceinline__ float cl_random_log(const float x, const float scale = 1) {
  const int bits = __float_as_int(x), e = (bits - 0x3f3504f3) & 0xff800000; // 2^23 times
  const float f = __fadd_rn(__int_as_float(bits - e), -1);
  float p = -0x1.a15312p-4f * scale;
  p = __fmaf_rn(p, f, 0x1.475ab2p-3f * scale);
  p = __fmaf_rn(p, f, -0x1.5edf0cp-3f * scale);
  p = __fmaf_rn(p, f, 0x1.9825a8p-3f * scale);
  p = __fmaf_rn(p, f, -0x1.ffa3fep-3f * scale);
  p = __fmaf_rn(p, f, 0x1.55576p-2f * scale);
  p = __fmaf_rn(p, f, -0x1.00001ep-1f * scale);
  p = __fmaf_rn(p, f, scale);
  return __fmaf_rn(p, f, __fmul_rn(__int2float_rn(e), 0x1.62e43p-24f * scale));
}
// With s = f / (2 + f): log(1 + f) = 2 (s + s^3 / 3 + s^5 / 5 + ...).
__device__ __forceinline__ double cl_random_log(const double x) {
  const int high = __double2hiint(x), e = (high - 0x3fe6a09e) >> 20;
  const double f = __hiloint2double(high - (e << 20), __double2loint(x)) - 1;
  const double s = f / (2 + f), z = __dmul_rn(s, s);
  double p = 2.0 / 21;
  p = __fma_rn(p, z, 2.0 / 19);
  p = __fma_rn(p, z, 2.0 / 17);
  p = __fma_rn(p, z, 2.0 / 15);
  p = __fma_rn(p, z, 2.0 / 13);
  p = __fma_rn(p, z, 2.0 / 11);
  p = __fma_rn(p, z, 2.0 / 9);
  p = __fma_rn(p, z, 2.0 / 7);
  p = __fma_rn(p, z, 2.0 / 5);
  p = __fma_rn(p, z, 2.0 / 3);
  return __fma_rn((double)e, 0x1.62e42fefa39efp-1, __fma_rn(__dmul_rn(s, z), p, 2 * s));
}
// exp(x) = 2^n exp(r), r at most log(2) / 2. Twice half of n: neither overflows before the result does.
__device__ __forceinline__ float cl_random_exp(float x) {
  x = fminf(fmaxf(x, -110), 100);
  const float n = rintf(__fmul_rn(x, 0x1.715476p+0f));
  const float r = __fmaf_rn(n, -0x1.7f7d1cp-20f, __fmaf_rn(n, -0x1.62e4p-1f, x));
  float p = 1.0f / 5040;
  p = __fmaf_rn(p, r, 1.0f / 720);
  p = __fmaf_rn(p, r, 1.0f / 120);
  p = __fmaf_rn(p, r, 1.0f / 24);
  p = __fmaf_rn(p, r, 1.0f / 6);
  p = __fmaf_rn(p, r, 0.5f);
  p = __fmaf_rn(p, r, 1);
  p = __fmaf_rn(p, r, 1);
  const int whole = (int)n, half = whole >> 1;
  return __fmul_rn(__fmul_rn(p, __int_as_float((half + 127) << 23)),
                   __int_as_float((whole - half + 127) << 23));
}
__device__ __forceinline__ double cl_random_exp(double x) {
  x = fmin(fmax(x, -800.0), 720.0);
  const double n = rint(__dmul_rn(x, 0x1.71547652b82fep+0));
  const double r = __fma_rn(n, -0x1.abc9e3b39803fp-56, __fma_rn(n, -0x1.62e42fefa39efp-1, x));
  double p = 1 / 87178291200.0; // 1/14!
  p = __fma_rn(p, r, 1 / 6227020800.0);
  p = __fma_rn(p, r, 1 / 479001600.0);
  p = __fma_rn(p, r, 1 / 39916800.0);
  p = __fma_rn(p, r, 1 / 3628800.0);
  p = __fma_rn(p, r, 1 / 362880.0);
  p = __fma_rn(p, r, 1 / 40320.0);
  p = __fma_rn(p, r, 1 / 5040.0);
  p = __fma_rn(p, r, 1 / 720.0);
  p = __fma_rn(p, r, 1 / 120.0);
  p = __fma_rn(p, r, 1 / 24.0);
  p = __fma_rn(p, r, 1 / 6.0);
  p = __fma_rn(p, r, 0.5);
  p = __fma_rn(p, r, 1);
  p = __fma_rn(p, r, 1);
  const int whole = (int)n, half = whole >> 1;
  return __dmul_rn(__dmul_rn(p, __hiloint2double((half + 1023) << 20, 0)),
                   __hiloint2double((whole - half + 1023) << 20, 0));
}
// The square root, rounded correctly, of a positive number that is neither tiny nor huge: an estimate, and a
// step from there that rounds right whatever the estimate's last bit is. It is what sqrtf() does, but for its
// questions.
__device__ __forceinline__ float cl_random_sqrt(const float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float s = __fmul_rn(x, y);
  return __fmaf_rn(__fmaf_rn(-s, s, x), __fmul_rn(y, 0.5f), s);
}
// sqrt(-2 log(u)) of u in (0, 1): the distance from 0 of two independent normal numbers.
__device__ __forceinline__ float cl_random_radius(const float u) {
  return cl_random_sqrt(cl_random_log(u, -2));
}
__device__ __forceinline__ double cl_random_radius(const double u) {
  return __dsqrt_rn(__dmul_rn(cl_random_log(u), -2));
}
// A point on the unit circle. The low bits are an angle within 45 degrees of 0, in right angles; the high two
// say to which of the four quarters it is turned.
__device__ __forceinline__ float2 cl_random_circle(const unsigned bits) {
  const float t = __fmul_rn(__int2float_rn((int)(bits << 2)), 0x1p-32f), z = __fmul_rn(t, t);
  float s = -0x1.2d9b4p-8f, c = -0x1.503902p-6f;
  s = __fmaf_rn(s, z, 0x1.465ec4p-4f);
  s = __fmaf_rn(s, z, -0x1.4abbbap-1f);
  s = __fmaf_rn(s, z, 0x1.921fb6p+0f);
  c = __fmaf_rn(c, z, 0x1.03b98ep-2f);
  c = __fmaf_rn(c, z, -0x1.3bd3c6p+0f);
  s = __fmul_rn(s, t);
  c = __int_as_float(__float_as_int(__fmaf_rn(c, z, 1)) ^ (int)(bits & 0x80000000u));
  return bits & 0x40000000u ? make_float2(s, c) : make_float2(c, s);
}
__device__ __forceinline__ double2 cl_random_circle(const unsigned long long bits) {
  const double a = __dmul_rn(__ll2double_rn((long long)(bits << 2)), 0x1.921fb54442d18p-64),
               z = __dmul_rn(a, a);
  double s = 1 / 355687428096000.0, c = 1 / 20922789888000.0; // 1/17!, 1/16!
  s = __fma_rn(s, z, -1 / 1307674368000.0);
  c = __fma_rn(c, z, -1 / 87178291200.0);
  s = __fma_rn(s, z, 1 / 6227020800.0);
  c = __fma_rn(c, z, 1 / 479001600.0);
  s = __fma_rn(s, z, -1 / 39916800.0);
  c = __fma_rn(c, z, -1 / 3628800.0);
  s = __fma_rn(s, z, 1 / 362880.0);
  c = __fma_rn(c, z, 1 / 40320.0);
  s = __fma_rn(s, z, -1 / 5040.0);
  c = __fma_rn(c, z, -1 / 720.0);
  s = __fma_rn(s, z, 1 / 120.0);
  c = __fma_rn(c, z, 1 / 24.0);
  s = __fma_rn(s, z, -1 / 6.0);
  c = __fma_rn(c, z, -0.5);
  s = __fma_rn(s, __dmul_rn(z, a), a);
  c = __fma_rn(c, z, 1);
  c = __longlong_as_double(__double_as_longlong(c) ^ (long long)(bits & 0x8000000000000000ull));
  return bits & 0x4000000000000000ull ? make_double2(s, c) : make_double2(c, s);
}
}
