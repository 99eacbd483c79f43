// Complex numbers.
extern "C++" {
__device__ __forceinline__ float2 cl_make(float x, float y) { return make_float2(x, y); }
__device__ __forceinline__ double2 cl_make(double x, double y) { return make_double2(x, y); }

template <class C> __device__ __forceinline__ C cl_add(C a, C b) { return cl_make(a.x + b.x, a.y + b.y); }
template <class C> __device__ __forceinline__ C cl_sub(C a, C b) { return cl_make(a.x - b.x, a.y - b.y); }
template <class C> __device__ __forceinline__ C cl_neg(C a) { return cl_make(-a.x, -a.y); }
template <class C> __device__ __forceinline__ C cl_conj(C a) { return cl_make(a.x, -a.y); }
template <class C> __device__ __forceinline__ C cl_mul(C a, C b) {
  return cl_make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
template <class C> __device__ __forceinline__ C cl_rint(C a) { return cl_make(rint(a.x), rint(a.y)); }
__device__ __forceinline__ float cl_abs(float2 a) { return hypotf(a.x, a.y); }
__device__ __forceinline__ double cl_abs(double2 a) { return hypot(a.x, a.y); }
__device__ __forceinline__ float cl_angle(float2 a) { return atan2f(a.y, a.x); }
__device__ __forceinline__ double cl_angle(double2 a) { return atan2(a.y, a.x); }
}
