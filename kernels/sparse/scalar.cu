// Sums of products in the type that they are summed in, Sum: what the other files of this folder compute with.

//: real
typedef @sum@ Sum;

__device__ __forceinline__ Sum zero_sum() { return 0; }

__device__ __forceinline__ Sum sum_of(const Sum a, const Sum b) { return a + b; }

__device__ __forceinline__ Sum product_of(const Sum a, const Sum b) { return a * b; }

// The value of the lane that is n above.
__device__ __forceinline__ Sum from_above(const Sum a, const int n) { return __shfl_down_sync(0xffffffffu, a, n); }

//: integer
// Integers wrap.
typedef @sum@ Sum;

__device__ __forceinline__ Sum zero_sum() { return 0; }

__device__ __forceinline__ Sum sum_of(const Sum a, const Sum b) {
  return (Sum)((unsigned long long)a + (unsigned long long)b);
}

__device__ __forceinline__ Sum product_of(const Sum a, const Sum b) {
  return (Sum)((unsigned long long)a * (unsigned long long)b);
}

__device__ __forceinline__ Sum from_above(const Sum a, const int n) { return __shfl_down_sync(0xffffffffu, a, n); }

//: complex
typedef @sum@ Sum;

__device__ __forceinline__ Sum zero_sum() { return make_@sum@(0, 0); }

__device__ __forceinline__ Sum sum_of(const Sum a, const Sum b) { return make_@sum@(a.x + b.x, a.y + b.y); }

__device__ __forceinline__ Sum product_of(const Sum a, const Sum b) {
  return make_@sum@(@fma@(-a.y, b.y, a.x * b.x), @fma@(a.y, b.x, a.x * b.y));
}

__device__ __forceinline__ Sum from_above(const Sum a, const int n) {
  return make_@sum@(__shfl_down_sync(0xffffffffu, a.x, n), __shfl_down_sync(0xffffffffu, a.y, n));
}

//: load
__device__ __forceinline__ Sum @name@(const @memory@ *p, const long long i) {
  const @register@ v = @value@;
  return @converted@;
}

//: store
__device__ __forceinline__ void store(@memory@ *p, const long long i, const Sum s) {
  const @register@ v = @converted@;
  p[i] = @value@;
}
