// float16: bits in memory, the float that equals it in a register.
extern "C++" {
__device__ __forceinline__ float cl_float16_load(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
__device__ __forceinline__ unsigned short cl_float16_store(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
// To the nearest float16, ties to even, in one step. Integers that a float does not hold are beyond all
// float16.
__device__ __forceinline__ float cl_float16_round(float x) { return cl_float16_load(cl_float16_store(x)); }
__device__ __forceinline__ float cl_float16_round(double x) {
  unsigned short bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
  return cl_float16_load(bits);
}
__device__ __forceinline__ float cl_float16_round(int x) { return cl_float16_round((float)x); }
__device__ __forceinline__ float cl_float16_round(unsigned int x) { return cl_float16_round((float)x); }
__device__ __forceinline__ float cl_float16_round(long long x) { return cl_float16_round((float)x); }
__device__ __forceinline__ float cl_float16_round(unsigned long long x) { return cl_float16_round((float)x); }
}
