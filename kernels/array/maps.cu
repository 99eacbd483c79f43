// Where an element of a mapped array comes from: each function takes a position on an axis and gives that on the axis
// before it. Numbers are below 2^31 in the narrow forms, which divide by multipliers and shifts as strided kernels do.

//: narrow_part
static __device__ __forceinline__ unsigned map_part(unsigned c, unsigned n, unsigned m, unsigned h) {
  return (__umulhi(c, m) + c) >> h;
}

//: narrow_wrap
static __device__ __forceinline__ unsigned map_wrap(unsigned c, unsigned o, unsigned n, unsigned m, unsigned h) {
  return c + o - map_part(c + o, n, m, h) * n;
}

//: narrow_mirror
static __device__ __forceinline__ unsigned map_mirror(unsigned c, unsigned o, unsigned n, unsigned m, unsigned h,
                                                      unsigned extent, unsigned sum) {
  const unsigned t = map_wrap(c, o, n, m, h);
  return t < extent ? t : sum - t;
}

//: wide_part
static __device__ __forceinline__ unsigned long long map_part(unsigned long long c, unsigned long long n) {
  return c / n;
}

//: wide_wrap
static __device__ __forceinline__ unsigned long long map_wrap(unsigned long long c, unsigned long long o,
                                                              unsigned long long n) {
  return (c + o) % n;
}

//: wide_mirror
static __device__ __forceinline__ unsigned long long map_mirror(unsigned long long c, unsigned long long o,
                                                                unsigned long long n, unsigned long long extent,
                                                                unsigned long long sum) {
  const unsigned long long t = map_wrap(c, o, n);
  return t < extent ? t : sum - t;
}

//: roll
static __device__ __forceinline__ @index@ map_roll(@index@ c, @index@ o, @index@ n) {
  const @index@ t = c + o;
  return t < n ? t : t - n;
}

//: edge
static __device__ __forceinline__ @index@ map_edge(@index@ c, @index@ before, @index@ last) {
  return c < before ? 0 : min(c - before, last);
}
