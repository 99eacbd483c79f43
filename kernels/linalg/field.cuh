// Arithmetic of solvers: what complex.cuh has for complex numbers, of real ones, and parts and sizes of both. No
// function of CUDA's libm is used but the root, which is exact, so that bits are the same on every device.
extern "C++" {
__device__ __forceinline__ float cl_sub(const float a, const float b) { return a - b; }
__device__ __forceinline__ double cl_sub(const double a, const double b) { return a - b; }
__device__ __forceinline__ float cl_add(const float a, const float b) { return a + b; }
__device__ __forceinline__ double cl_add(const double a, const double b) { return a + b; }
__device__ __forceinline__ float cl_neg(const float a) { return -a; }
__device__ __forceinline__ double cl_neg(const double a) { return -a; }
__device__ __forceinline__ float cl_mul(const float a, const float b) { return a * b; }
__device__ __forceinline__ double cl_mul(const double a, const double b) { return a * b; }
__device__ __forceinline__ float cl_div(const float a, const float b) { return a / b; }
__device__ __forceinline__ double cl_div(const double a, const double b) { return a / b; }
__device__ __forceinline__ float cl_real(const float a) { return a; }
__device__ __forceinline__ double cl_real(const double a) { return a; }
__device__ __forceinline__ float cl_real(const float2 a) { return a.x; }
__device__ __forceinline__ double cl_real(const double2 a) { return a.x; }
__device__ __forceinline__ float cl_scaled(const float a, const float r) { return a * r; }
__device__ __forceinline__ double cl_scaled(const double a, const double r) { return a * r; }
__device__ __forceinline__ float2 cl_scaled(const float2 a, const float r) { return make_float2(a.x * r, a.y * r); }
__device__ __forceinline__ double2 cl_scaled(const double2 a, const double r) { return make_double2(a.x * r, a.y * r); }
// The sum of the parts' absolute values, by which pivots are compared.
__device__ __forceinline__ float cl_size(const float a) { return fabsf(a); }
__device__ __forceinline__ double cl_size(const double a) { return fabs(a); }
__device__ __forceinline__ float cl_size(const float2 a) { return fabsf(a.x) + fabsf(a.y); }
__device__ __forceinline__ double cl_size(const double2 a) { return fabs(a.x) + fabs(a.y); }
// The root of the sum of two squares, which neither overflows nor vanishes on the way.
template <class R> __device__ __forceinline__ R cl_length2(R a, R b) {
  a = fabs(a);
  b = fabs(b);
  const R large = a > b ? a : b, small = a > b ? b : a;
  if (a != a || b != b) return a + b;
  if (large == 0 || isinf(large)) return large;
  const R ratio = small / large;
  return large * sqrt(1 + ratio * ratio);
}
__device__ __forceinline__ float cl_length(const float a) { return fabsf(a); }
__device__ __forceinline__ double cl_length(const double a) { return fabs(a); }
__device__ __forceinline__ float cl_length(const float2 a) { return cl_length2(a.x, a.y); }
__device__ __forceinline__ double cl_length(const double2 a) { return cl_length2(a.x, a.y); }
}
// The value of the lane whose number differs in these bits.
extern "C++" {
__device__ __forceinline__ float cl_across(const float a, const int bits) {
  return __shfl_xor_sync(0xffffffffu, a, bits);
}
__device__ __forceinline__ double cl_across(const double a, const int bits) {
  return __shfl_xor_sync(0xffffffffu, a, bits);
}
__device__ __forceinline__ float2 cl_across(const float2 a, const int bits) {
  return make_float2(cl_across(a.x, bits), cl_across(a.y, bits));
}
__device__ __forceinline__ double2 cl_across(const double2 a, const int bits) {
  return make_double2(cl_across(a.x, bits), cl_across(a.y, bits));
}
// The sum of a warp's values, in one order: in all lanes.
template <class V> __device__ __forceinline__ V cl_warp_sum(V a) {
#pragma unroll
  for (int bits = 16; bits > 0; bits /= 2) a = cl_add(a, cl_across(a, bits));
  return a;
}
}
