// Terms of products: one rounding for each step of a sum. A complex term has four steps, in this order.
extern "C++" {
__device__ __forceinline__ float cl_fma(const float a, const float b, const float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double cl_fma(const double a, const double b, const double c) { return fma(a, b, c); }
// Integers wrap.
__device__ __forceinline__ int cl_fma(const int a, const int b, const int c) {
  return (int)((unsigned)a * (unsigned)b + (unsigned)c);
}
__device__ __forceinline__ unsigned long long cl_fma(const unsigned long long a, const unsigned long long b,
                                                     const unsigned long long c) {
  return a * b + c;
}
__device__ __forceinline__ long long cl_fma(const long long a, const long long b, const long long c) {
  return (long long)((unsigned long long)a * (unsigned long long)b + (unsigned long long)c);
}
__device__ __forceinline__ float2 cl_fma(const float2 a, const float2 b, const float2 c) {
  return make_float2(fmaf(-a.y, b.y, fmaf(a.x, b.x, c.x)), fmaf(a.y, b.x, fmaf(a.x, b.y, c.y)));
}
__device__ __forceinline__ double2 cl_fma(const double2 a, const double2 b, const double2 c) {
  return make_double2(fma(-a.y, b.y, fma(a.x, b.x, c.x)), fma(a.y, b.x, fma(a.x, b.y, c.y)));
}
// Real numbers are their own conjugates.
__device__ __forceinline__ float cl_conj(const float a) { return a; }
__device__ __forceinline__ double cl_conj(const double a) { return a; }
// The square of the absolute value.
__device__ __forceinline__ float cl_norm2(const float a) { return a * a; }
__device__ __forceinline__ double cl_norm2(const double a) { return a * a; }
__device__ __forceinline__ float cl_norm2(const float2 a) { return fmaf(a.y, a.y, a.x * a.x); }
__device__ __forceinline__ double cl_norm2(const double2 a) { return fma(a.y, a.y, a.x * a.x); }
}
