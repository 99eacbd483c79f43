// bfloat16: the upper half of a float in memory, the float in a register.
extern "C++" {
__device__ __forceinline__ float cl_bfloat16_load(unsigned short bits) {
  return __uint_as_float((unsigned int)bits << 16);
}
__device__ __forceinline__ unsigned short cl_bfloat16_store(float x) {
  return (unsigned short)(__float_as_uint(x) >> 16);
}
// To the nearest bfloat16, ties to even; NaN becomes the one whose other bits are 0.
__device__ __forceinline__ float cl_bfloat16_round(float x) {
  unsigned int bits = __float_as_uint(x);
  bits = x != x ? 0x7fc00000u : bits + 0x7fffu + (bits >> 16 & 1u);
  return __uint_as_float(bits & 0xffff0000u);
}
// What a type with more digits than a float rounds to, in one step: cut off first, with a last bit that says
// whether anything was there.
__device__ __forceinline__ float cl_bfloat16_cut(float cut, bool inexact) {
  return cl_bfloat16_round(__uint_as_float(__float_as_uint(cut) | (unsigned int)inexact));
}
__device__ __forceinline__ float cl_bfloat16_round(double x) {
  float cut = __double2float_rz(x);
  return cl_bfloat16_cut(cut, cut != x);
}
__device__ __forceinline__ float cl_bfloat16_round(int x) { return cl_bfloat16_round((double)x); }
__device__ __forceinline__ float cl_bfloat16_round(unsigned int x) { return cl_bfloat16_round((double)x); }
__device__ __forceinline__ float cl_bfloat16_round(long long x) {
  float cut = __ll2float_rz(x);
  return cl_bfloat16_cut(cut, (long long)cut != x);
}
__device__ __forceinline__ float cl_bfloat16_round(unsigned long long x) {
  float cut = __ull2float_rz(x);
  return cl_bfloat16_cut(cut, (unsigned long long)cut != x);
}
}
