// Uniform numbers: in [0, 1), with as many random bits as the type's mantissa has; in (0, 1]; and integers
// below a bound.
extern "C++" {
template <class State>
__device__ __forceinline__ float cl_random_uniform_float32(const unsigned long long i, const State state) {
  return __uint2float_rn(cl_random_bits_uint32(i, state) >> 8) * 0x1p-24f;
}
template <class State>
__device__ __forceinline__ double cl_random_uniform_float64(const unsigned long long i, const State state) {
  return __ull2double_rn(cl_random_bits_uint64(i, state) >> 11) * 0x1p-53;
}
template <class State>
__device__ __forceinline__ float cl_random_uniform_float16(const unsigned long long i, const State state) {
  return __uint2float_rn(cl_random_bits_uint32(i, state) >> 21) * 0x1p-11f;
}
template <class State>
__device__ __forceinline__ float cl_random_uniform_bfloat16(const unsigned long long i, const State state) {
  return __uint2float_rn(cl_random_bits_uint32(i, state) >> 24) * 0x1p-8f;
}
template <class State>
__device__ __forceinline__ float cl_random_positive_float32(const unsigned long long i, const State state) {
  return __uint2float_rn((cl_random_bits_uint32(i, state) >> 8) + 1) * 0x1p-24f;
}
template <class State>
__device__ __forceinline__ double cl_random_positive_float64(const unsigned long long i, const State state) {
  return __ull2double_rn((cl_random_bits_uint64(i, state) >> 11) + 1) * 0x1p-53;
}
// Each of 0 to bound - 1 as often as all others (Lemire, Fast random integer generation in an interval,
// 2019): the high word of a product, but for the few products that would come up once too often. A bound of 0
// is one of 2^32 or 2^64.
__device__ __noinline__ unsigned cl_random_again(const unsigned long long i, const double2 state, unsigned x,
                                                 const unsigned bound) {
  const unsigned least = -bound % bound;
  for (unsigned attempt = 1; x * bound < least; attempt++) x = cl_random_bits_uint32(i, state, attempt);
  return x;
}
__device__ __noinline__ unsigned long long cl_random_again(const unsigned long long i, const double2 state,
                                                           unsigned long long x,
                                                           const unsigned long long bound) {
  const unsigned long long least = -bound % bound;
  for (unsigned attempt = 1; x * bound < least; attempt++) x = cl_random_bits_uint64(i, state, attempt);
  return x;
}
template <class State>
__device__ __forceinline__ unsigned cl_random_bounded_uint32(const unsigned long long i, const State state,
                                                             const unsigned bound) {
  const unsigned x = cl_random_bits_uint32(i, state);
  if (bound == 0) return x;
  return __umulhi(x * bound < bound ? cl_random_again(i, state, x, bound) : x, bound);
}
template <class State>
__device__ __forceinline__ unsigned long long
cl_random_bounded_uint64(const unsigned long long i, const State state, const unsigned long long bound) {
  const unsigned long long x = cl_random_bits_uint64(i, state);
  if (bound == 0) return x;
  return __umul64hi(x * bound < bound ? cl_random_again(i, state, x, bound) : x, bound);
}
}
