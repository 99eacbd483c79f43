// Powers of integers, modulo the type's range. A negative power of 1 and -1 is one of them, of any other
// number 0.
extern "C++" {
__device__ __forceinline__ unsigned long long cl_pow(unsigned long long a, unsigned long long b) {
  unsigned long long result = 1;
  for (; b != 0; b >>= 1) {
    if (b & 1) result *= a;
    a *= a;
  }
  return result;
}
__device__ __forceinline__ unsigned int cl_pow(unsigned int a, unsigned int b) {
  unsigned int result = 1;
  for (; b != 0; b >>= 1) {
    if (b & 1) result *= a;
    a *= a;
  }
  return result;
}
__device__ __forceinline__ long long cl_pow(long long a, long long b) {
  if (b < 0) return a == 1 || a == -1 && !(b & 1) ? 1 : a == -1 ? -1 : 0;
  return (long long)cl_pow((unsigned long long)a, (unsigned long long)b);
}
__device__ __forceinline__ int cl_pow(int a, int b) {
  if (b < 0) return a == 1 || a == -1 && !(b & 1) ? 1 : a == -1 ? -1 : 0;
  return (int)cl_pow((unsigned int)a, (unsigned int)b);
}
}
