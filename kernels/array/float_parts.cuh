// Taking floats apart and putting them together.
extern "C++" {
__device__ __forceinline__ float cl_modf_fraction(float x) {
  return copysignf(isinf(x) ? 0 : x - truncf(x), x);
}
__device__ __forceinline__ double cl_modf_fraction(double x) {
  return copysign(isinf(x) ? 0 : x - trunc(x), x);
}

__device__ __forceinline__ float cl_frexp_mantissa(float x) {
  int exponent;
  return frexpf(x, &exponent);
}
__device__ __forceinline__ double cl_frexp_mantissa(double x) {
  int exponent;
  return frexp(x, &exponent);
}
__device__ __forceinline__ int cl_frexp_exponent(float x) {
  int exponent;
  frexpf(x, &exponent);
  return x != 0 && isfinite(x) ? exponent : 0;
}
__device__ __forceinline__ int cl_frexp_exponent(double x) {
  int exponent;
  frexp(x, &exponent);
  return x != 0 && isfinite(x) ? exponent : 0;
}

__device__ __forceinline__ float cl_ldexp(float x, int e) { return ldexpf(x, e); }
__device__ __forceinline__ double cl_ldexp(double x, int e) { return ldexp(x, e); }
template <class T> __device__ __forceinline__ T cl_ldexp(T x, long long e) {
  return cl_ldexp(x, (int)max(min(e, 100000ll), -100000ll));
}
template <class T> __device__ __forceinline__ T cl_ldexp(T x, unsigned long long e) {
  return cl_ldexp(x, (int)min(e, 100000ull));
}
}
