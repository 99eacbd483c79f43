// Normal numbers by Box and Muller's method, two from two words: a distance from 0 and a direction. In single
// precision two such pairs from a block, in double precision one pair. Exponential numbers.
extern "C++" {
// In (0, 1): the middle of the interval that the word stands for, less what a float does not hold of it.
__device__ __forceinline__ float cl_random_middle(const unsigned bits) {
  return __fmaf_rn(__uint2float_rz(bits), 0x1p-32f, 0x1p-33f);
}
// In (0, 1], rounded.
__device__ __forceinline__ double cl_random_middle(const unsigned low, const unsigned high) {
  return __fma_rn(__ull2double_rn((unsigned long long)high << 32 | low), 0x1p-64, 0x1p-65);
}
__device__ __forceinline__ float2 cl_random_normals(const unsigned a, const unsigned b) {
  const float radius = cl_random_radius(cl_random_middle(a));
  const float2 point = cl_random_circle(b);
  return make_float2(__fmul_rn(radius, point.x), __fmul_rn(radius, point.y));
}
__device__ __forceinline__ double2 cl_random_normals(const uint4 w) {
  const double radius = cl_random_radius(cl_random_middle(w.x, w.y));
  const double2 point = cl_random_circle((unsigned long long)w.w << 32 | w.z);
  return make_double2(__dmul_rn(radius, point.x), __dmul_rn(radius, point.y));
}
template <class State>
__device__ __forceinline__ float cl_random_normal_float32(const unsigned long long i, const State state) {
  const uint4 w = cl_random_block(state, i >> 2, 0);
  const float2 two = i & 2 ? cl_random_normals(w.z, w.w) : cl_random_normals(w.x, w.y);
  return i & 1 ? two.y : two.x;
}
template <class State>
__device__ __forceinline__ double cl_random_normal_float64(const unsigned long long i, const State state) {
  const double2 two = cl_random_normals(cl_random_block(state, i >> 1, 0));
  return i & 1 ? two.y : two.x;
}
template <class State>
__device__ __forceinline__ float cl_random_exponential_float32(const unsigned long long i,
                                                               const State state) {
  return cl_random_log(cl_random_middle(cl_random_bits_uint32(i, state)), -1);
}
template <class State>
__device__ __forceinline__ double cl_random_exponential_float64(const unsigned long long i,
                                                                const State state) {
  const unsigned long long bits = cl_random_bits_uint64(i, state);
  return fabs(cl_random_log(cl_random_middle((unsigned)bits, (unsigned)(bits >> 32))));
}
}
