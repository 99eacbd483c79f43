// Sobol sequences (Sobol 1967; in the order of Gray's code, Antonov and Saleev 1979): the numbers of point p are sums,
// without carry, of direction numbers, one for each bit of p ^ p >> 1.

//: fill
// Element i belongs to dimension i % dimensions of point first + i / dimensions. A block of points is SPAN * RUN of them,
// a thread makes a number of every SPAN-th, the next from the one before: p + SPAN differs from p, in Gray's code, in
// two bits. So neighbouring threads write neighbours. Dimensions may be `ahead` of the others.
enum { RUN = 16, LOG_SPAN = 8, SPAN = 1 << LOG_SPAN };
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n, @memory@ *out,
                                                         const @word@ *directions, const @word@ *shifts,
                                                         const unsigned long long *ahead,
                                                         const unsigned dimensions,
                                                         const unsigned long long first@params@) {
  const unsigned long long t = blockIdx.x * 256ull + threadIdx.x, point = t / dimensions;
  const unsigned d = (unsigned)(t - point * dimensions);
  const @word@ *v = directions + d * @bits@ull;
  const unsigned long long begin = (point / SPAN) * (SPAN * RUN) + point % SPAN;
  unsigned long long p = first + begin, i = begin * dimensions + d;
  if (i >= n) return;
  if (ahead) p += ahead[d];
  @word@ x = shifts ? shifts[d] : 0;
  unsigned long long gray = p ^ p >> 1;
  for (int k = 0; gray; k++, gray >>= 1)
    if (gray & 1 && k < @bits@) x ^= v[k];
  const @word@ low = v[LOG_SPAN - 1];
  for (int k = 0; k < RUN && i < n; k++, i += SPAN * (unsigned long long)dimensions) {
    out[i] = @value@;
    p += SPAN;
    const int bit = __ffsll((long long)(p >> LOG_SPAN)) - 1 + LOG_SPAN;
    if (bit < @bits@) x ^= v[bit] ^ low;
  }
}
