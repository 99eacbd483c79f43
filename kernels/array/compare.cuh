// Comparisons of 64-bit integers by their values, also of a signed with an unsigned one.
extern "C++" {
template <class T> __device__ __forceinline__ bool cl_lt(T a, T b) { return a < b; }
template <class T> __device__ __forceinline__ bool cl_eq(T a, T b) { return a == b; }
__device__ __forceinline__ bool cl_lt(long long a, unsigned long long b) {
  return a < 0 || (unsigned long long)a < b;
}
__device__ __forceinline__ bool cl_lt(unsigned long long a, long long b) {
  return b >= 0 && a < (unsigned long long)b;
}
__device__ __forceinline__ bool cl_eq(long long a, unsigned long long b) {
  return a >= 0 && (unsigned long long)a == b;
}
__device__ __forceinline__ bool cl_eq(unsigned long long a, long long b) { return cl_eq(b, a); }
template <class A, class B> __device__ __forceinline__ bool cl_gt(A a, B b) { return cl_lt(b, a); }
template <class A, class B> __device__ __forceinline__ bool cl_le(A a, B b) { return !cl_lt(b, a); }
template <class A, class B> __device__ __forceinline__ bool cl_ge(A a, B b) { return !cl_lt(a, b); }
template <class A, class B> __device__ __forceinline__ bool cl_ne(A a, B b) { return !cl_eq(a, b); }
}
