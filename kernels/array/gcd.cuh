// Greatest common divisor and least common multiple, of the absolute values; they wrap where the type cannot
// hold them.
extern "C++" {
template <class T> __device__ __forceinline__ T cl_gcd_of(T a, T b) {
  while (b != 0) {
    T rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
template <class T> __device__ __forceinline__ T cl_lcm_of(T a, T b) {
  T divisor = cl_gcd_of(a, b);
  return divisor == 0 ? 0 : a / divisor * b;
}
__device__ __forceinline__ unsigned int cl_magnitude(int a) {
  return a < 0 ? 0u - (unsigned int)a : (unsigned int)a;
}
__device__ __forceinline__ unsigned int cl_magnitude(unsigned int a) { return a; }
__device__ __forceinline__ unsigned long long cl_magnitude(unsigned long long a) { return a; }
__device__ __forceinline__ unsigned long long cl_magnitude(long long a) {
  return a < 0 ? 0ull - (unsigned long long)a : (unsigned long long)a;
}
template <class T> __device__ __forceinline__ T cl_gcd(T a, T b) {
  return (T)cl_gcd_of(cl_magnitude(a), cl_magnitude(b));
}
template <class T> __device__ __forceinline__ T cl_lcm(T a, T b) {
  return (T)cl_lcm_of(cl_magnitude(a), cl_magnitude(b));
}
}
