// Division of integers: floordiv and mod take the divisor's sign, fmod the dividend's. By 0, all give 0. By
// -1 the processor is not asked: the lowest number has no quotient, but wraps.
extern "C++" {
__device__ __forceinline__ int cl_floordiv(int a, int b) {
  if (b == 0) return 0;
  if (b == -1) return (int)(0u - (unsigned int)a);
  int quotient = a / b;
  return quotient - (quotient * b != a && (a < 0) != (b < 0));
}
__device__ __forceinline__ int cl_fmod(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }
__device__ __forceinline__ int cl_mod(int a, int b) {
  int rest = cl_fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
__device__ __forceinline__ long long cl_floordiv(long long a, long long b) {
  if (b == 0) return 0;
  if (b == -1) return (long long)(0ull - (unsigned long long)a);
  long long quotient = a / b;
  return quotient - (quotient * b != a && (a < 0) != (b < 0));
}
__device__ __forceinline__ long long cl_fmod(long long a, long long b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
__device__ __forceinline__ long long cl_mod(long long a, long long b) {
  long long rest = cl_fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
__device__ __forceinline__ unsigned int cl_floordiv(unsigned int a, unsigned int b) { return b ? a / b : 0; }
__device__ __forceinline__ unsigned int cl_fmod(unsigned int a, unsigned int b) { return b ? a % b : 0; }
__device__ __forceinline__ unsigned int cl_mod(unsigned int a, unsigned int b) { return b ? a % b : 0; }
__device__ __forceinline__ unsigned long long cl_floordiv(unsigned long long a, unsigned long long b) {
  return b ? a / b : 0;
}
__device__ __forceinline__ unsigned long long cl_fmod(unsigned long long a, unsigned long long b) {
  return b ? a % b : 0;
}
__device__ __forceinline__ unsigned long long cl_mod(unsigned long long a, unsigned long long b) {
  return b ? a % b : 0;
}
}
