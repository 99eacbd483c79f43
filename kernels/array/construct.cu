// Arrays whose elements are computed from their places.

//: range
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n, @memory@ *out@params@) {
  const unsigned long long base = blockIdx.x * 1024ull + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const unsigned long long i = base + k * 256;
    if (i < n) {
@element@
    }
  }
}

//: columns
// Up to 16 small arrays of as many rows, side by side: element `i` of `width` columns comes from the array whose columns
// end behind it, at end1 to end16.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned n, @word@ *out@pointers@, const unsigned width,
                                                         const unsigned pitch@ends@) {
  const unsigned base = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const unsigned i = base + k * 256;
    if (i < n) {
      const unsigned row = i / width, column = i - row * width;
      const @word@ *p = p1;
      unsigned begin = 0, end = end1;
@choice@
      out[row * (unsigned long long)pitch + column] = p[row * (end - begin) + column - begin];
    }
  }
}
