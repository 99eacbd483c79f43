// The next 16-bit float after a, towards b. The order of magnitudes is that of their bits.
extern "C++" {
__device__ __forceinline__ unsigned short cl_next_bits(unsigned short bits, float a, float b) {
  if (a == 0) return b < 0 ? 0x8001 : 1;
  return (a < b) == (a > 0) ? bits + 1 : bits - 1;
}
__device__ __forceinline__ float cl_float16_next(float a, float b) {
  if (a != a || b != b) return a + b;
  return a == b ? b : cl_float16_load(cl_next_bits(cl_float16_store(a), a, b));
}
__device__ __forceinline__ float cl_bfloat16_next(float a, float b) {
  if (a != a || b != b) return a + b;
  return a == b ? b : cl_bfloat16_load(cl_next_bits(cl_bfloat16_store(a), a, b));
}
}
