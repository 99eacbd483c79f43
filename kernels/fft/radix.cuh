// Discrete Fourier transforms of 2, 3, 4, 5, 7 and 8 values in registers, and what they need. C: float2 or double2. Each
// product is fused with the sum behind it, in the order that is written here, so that the bits are the same on every
// device.

__device__ __forceinline__ float fft_fma(const float a, const float b, const float c)
{
  return __fmaf_rn(a, b, c);
}

__device__ __forceinline__ double fft_fma(const double a, const double b, const double c)
{
  return __fma_rn(a, b, c);
}

__device__ __forceinline__ float2 fft_make(const float x, const float y) { return make_float2(x, y); }

__device__ __forceinline__ double2 fft_make(const double x, const double y) { return make_double2(x, y); }

// An element of the source, which may be real.
__device__ __forceinline__ float2 fft_value(const float x) { return make_float2(x, 0); }

__device__ __forceinline__ float2 fft_value(const float2 x) { return x; }

__device__ __forceinline__ double2 fft_value(const double x) { return make_double2(x, 0); }

__device__ __forceinline__ double2 fft_value(const double2 x) { return x; }

template <typename C> __device__ __forceinline__ C fft_add(const C a, const C b)
{
  return fft_make(a.x + b.x, a.y + b.y);
}

template <typename C> __device__ __forceinline__ C fft_sub(const C a, const C b)
{
  return fft_make(a.x - b.x, a.y - b.y);
}

template <typename C> __device__ __forceinline__ C fft_mul(const C a, const C b)
{
  return fft_make(fft_fma(a.x, b.x, -(a.y * b.y)), fft_fma(a.x, b.y, a.y * b.x));
}

// a - i b and a + i b.
template <typename C> __device__ __forceinline__ C fft_sub_i(const C a, const C b)
{
  return fft_make(a.x + b.y, a.y - b.x);
}

template <typename C> __device__ __forceinline__ C fft_add_i(const C a, const C b)
{
  return fft_make(a.x - b.y, a.y + b.x);
}

// a + f b.
template <typename C, typename T> __device__ __forceinline__ C fft_scaled(const C a, const T f, const C b)
{
  return fft_make(fft_fma(f, b.x, a.x), fft_fma(f, b.y, a.y));
}

template <typename C> __device__ __forceinline__ void fft_radix(C (&v)[2])
{
  const C a = v[0];
  v[0] = fft_add(a, v[1]);
  v[1] = fft_sub(a, v[1]);
}

template <typename C> __device__ __forceinline__ void fft_radix(C (&v)[4])
{
  const C a = fft_add(v[0], v[2]), b = fft_sub(v[0], v[2]), c = fft_add(v[1], v[3]), d = fft_sub(v[1], v[3]);
  v[0] = fft_add(a, c);
  v[1] = fft_sub_i(b, d);
  v[2] = fft_sub(a, c);
  v[3] = fft_add_i(b, d);
}

// The transforms of the even and of the odd places, put together.
template <typename C> __device__ __forceinline__ void fft_radix(C (&v)[8])
{
  typedef decltype(v[0].x + v[0].x) T;
  const T half = (T)0.70710678118654752440;
  C even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  fft_radix(even);
  fft_radix(odd);
  const C b = fft_make(half * (odd[1].x + odd[1].y), half * (odd[1].y - odd[1].x));
  const C d = fft_make(half * (odd[3].y - odd[3].x), -(half * (odd[3].x + odd[3].y)));
  v[0] = fft_add(even[0], odd[0]);
  v[1] = fft_add(even[1], b);
  v[2] = fft_sub_i(even[2], odd[2]);
  v[3] = fft_add(even[3], d);
  v[4] = fft_sub(even[0], odd[0]);
  v[5] = fft_sub(even[1], b);
  v[6] = fft_add_i(even[2], odd[2]);
  v[7] = fft_sub(even[3], d);
}

// Odd ones: with s = v[k] + v[n - k] and d = v[k] - v[n - k], output j is v[0] + sum of cos(2 pi j k / n) s - i times
// the sum of sin(2 pi j k / n) d, and output n - j has the other sign.

template <typename C> __device__ __forceinline__ void fft_radix(C (&v)[3])
{
  typedef decltype(v[0].x + v[0].x) T;
  const T c1 = (T)-0.5, s1 = (T)0.86602540378443864676;
  const C s = fft_add(v[1], v[2]), d = fft_sub(v[1], v[2]);
  const C a = fft_scaled(v[0], c1, s), b = fft_make(s1 * d.x, s1 * d.y);
  v[0] = fft_add(v[0], s);
  v[1] = fft_sub_i(a, b);
  v[2] = fft_add_i(a, b);
}

template <typename C> __device__ __forceinline__ void fft_radix(C (&v)[5])
{
  typedef decltype(v[0].x + v[0].x) T;
  const T c1 = (T)0.30901699437494742410, c2 = (T)-0.80901699437494742410;
  const T s1 = (T)0.95105651629515357212, s2 = (T)0.58778525229247312917;
  const C p = fft_add(v[1], v[4]), q = fft_add(v[2], v[3]), d = fft_sub(v[1], v[4]), e = fft_sub(v[2], v[3]);
  const C a1 = fft_scaled(fft_scaled(v[0], c1, p), c2, q), a2 = fft_scaled(fft_scaled(v[0], c2, p), c1, q);
  const C b1 = fft_scaled(fft_make(s1 * d.x, s1 * d.y), s2, e), b2 = fft_scaled(fft_make(s2 * d.x, s2 * d.y), -s1, e);
  v[0] = fft_add(v[0], fft_add(p, q));
  v[1] = fft_sub_i(a1, b1);
  v[2] = fft_sub_i(a2, b2);
  v[3] = fft_add_i(a2, b2);
  v[4] = fft_add_i(a1, b1);
}

template <typename C> __device__ __forceinline__ void fft_radix(C (&v)[7])
{
  typedef decltype(v[0].x + v[0].x) T;
  const T c1 = (T)0.62348980185873353053, c2 = (T)-0.22252093395631440429, c3 = (T)-0.90096886790241912624;
  const T s1 = (T)0.78183148246802980871, s2 = (T)0.97492791218182360702, s3 = (T)0.43388373911755812048;
  const C p = fft_add(v[1], v[6]), q = fft_add(v[2], v[5]), r = fft_add(v[3], v[4]);
  const C d = fft_sub(v[1], v[6]), e = fft_sub(v[2], v[5]), f = fft_sub(v[3], v[4]);
  const C a1 = fft_scaled(fft_scaled(fft_scaled(v[0], c1, p), c2, q), c3, r);
  const C a2 = fft_scaled(fft_scaled(fft_scaled(v[0], c2, p), c3, q), c1, r);
  const C a3 = fft_scaled(fft_scaled(fft_scaled(v[0], c3, p), c1, q), c2, r);
  const C b1 = fft_scaled(fft_scaled(fft_make(s1 * d.x, s1 * d.y), s2, e), s3, f);
  const C b2 = fft_scaled(fft_scaled(fft_make(s2 * d.x, s2 * d.y), -s3, e), -s1, f);
  const C b3 = fft_scaled(fft_scaled(fft_make(s3 * d.x, s3 * d.y), -s1, e), s2, f);
  v[0] = fft_add(v[0], fft_add(fft_add(p, q), r));
  v[1] = fft_sub_i(a1, b1);
  v[2] = fft_sub_i(a2, b2);
  v[3] = fft_sub_i(a3, b3);
  v[4] = fft_add_i(a3, b3);
  v[5] = fft_add_i(a2, b2);
  v[6] = fft_add_i(a1, b1);
}

// ---- powers of a root of unity --------------------------------------------------------------------------------------

struct fft_power { // as fft/twiddles.lua has them in tables: the parts, and what these lack
  double x, y, x_low, y_low;
};

__device__ __forceinline__ float2 fft_product(const fft_power a, const fft_power b, const float2)
{
  return make_float2((float)__fma_rn(a.x, b.x, -(a.y * b.y)), (float)__fma_rn(a.x, b.y, a.y * b.x));
}

// a b + c d of doubles with low parts, rounded once.
__device__ __forceinline__ double fft_products(const double a, const double al, const double b, const double bl,
                                                      const double c, const double cl, const double d, const double dl)
{
  const double p = a * b, q = c * d, s = p + q, t = s - p;
  const double lost = __fma_rn(a, b, -p) + __fma_rn(c, d, -q) + ((p - (s - t)) + (q - t));
  return s + (lost + (__fma_rn(a, bl, al * b) + __fma_rn(c, dl, cl * d)));
}

__device__ __forceinline__ double2 fft_product(const fft_power a, const fft_power b, const double2)
{
  return make_double2(fft_products(a.x, a.x_low, b.x, b.x_low, -a.y, -a.y_low, b.y, b.y_low),
                      fft_products(a.x, a.x_low, b.y, b.y_low, a.y, a.y_low, b.x, b.x_low));
}

// The power of the root that the tables were made for.
template <typename C, typename Index>
__device__ __forceinline__ C fft_root(const fft_power *powers, const Index power, const int shift)
{
  const Index step = (Index)1 << shift;
  return fft_product(powers[power & (step - 1)], powers[step + (power >> shift)], C());
}

// Powers of the root, one after the other: of `first`, first + step, ...
template <typename C, typename Index> struct fft_powers;

// Of floats by products of doubles, whose errors are far below a float's: four loads for a butterfly.
template <typename Index> struct fft_powers<float2, Index> {
  double2 power, factor;
  __device__ __forceinline__ double2 root(const fft_power *powers, const Index number, const int shift)
  {
    const Index step = (Index)1 << shift;
    const fft_power a = powers[number & (step - 1)], b = powers[step + (number >> shift)];
    return make_double2(__fma_rn(a.x, b.x, -(a.y * b.y)), __fma_rn(a.x, b.y, a.y * b.x));
  }
  __device__ __forceinline__ fft_powers(const fft_power *powers, const Index first, const Index step, const int shift)
  {
    power = root(powers, first, shift);
    factor = root(powers, step, shift);
  }
  __device__ __forceinline__ float2 next()
  {
    const float2 now = make_float2((float)power.x, (float)power.y);
    power = fft_mul(power, factor);
    return now;
  }
};

template <typename Index> struct fft_powers<double2, Index> {
  const fft_power *powers;
  Index number, step;
  int shift;
  __device__ __forceinline__ fft_powers(const fft_power *list, const Index first, const Index distance,
                                        const int bits)
      : powers(list), number(first), step(distance), shift(bits)
  {
  }
  __device__ __forceinline__ double2 next()
  {
    const double2 now = fft_root<double2, Index>(powers, number, shift);
    number += step;
    return now;
  }
};
