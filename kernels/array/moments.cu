// Variances in one pass: the elements' number, their mean, and the sum of their squared distances from it.
//
// CHUNK neighbouring elements are a chunk, which begins at a multiple of CHUNK. Two passes over registers give its
// mean and squares: first in the order of the tree, as reduce.cu combines sums. Then chunks are combined in the tree by
// the formula of Chan, Golub and LeVeque. So the result depends on the number of elements alone. The mean has more
// digits than elements have: else its rounding errors, which grow with the mean, were most of the distances of chunks.
// Combining takes many more instructions than an element of a chunk, so chunks are as long as registers permit.
//
// In addition to what reduce.cu says, kernels that combine chunks have of_values(x, r, m): the first m of N elements
// from element r on, combined.

//: float32
struct acc_t {
  double mean;
  float squares;
  index_t n;
};
__device__ __forceinline__ acc_t neutral() { return acc_t{0, 0, 0}; }
__device__ __forceinline__ acc_t made(const float mean, const float rest, const float squares, const int n) {
  return acc_t{(double)mean + (double)rest, squares, (index_t)n};
}
__device__ __forceinline__ double distance(const acc_t &a, const acc_t &b) { return b.mean - a.mean; }
__device__ __forceinline__ acc_t moved(const acc_t &a, const double by, const float squares, const index_t n) {
  return acc_t{a.mean + by, squares, n};
}

//: float64
// The mean is mean + low.
struct acc_t {
  double mean, low, squares;
  index_t n;
};
__device__ __forceinline__ acc_t neutral() { return acc_t{0, 0, 0, 0}; }
__device__ __forceinline__ acc_t moved(const acc_t &a, const double by, const double squares, const index_t n) {
  const double mean = a.mean + by, part = mean - a.mean;
  return acc_t{mean, a.low + ((a.mean - (mean - part)) + (by - part)), squares, n};
}
__device__ __forceinline__ acc_t made(const double mean, const double rest, const double squares, const int n) {
  return moved(acc_t{mean, 0, 0, 0}, rest, squares, (index_t)n);
}
__device__ __forceinline__ double distance(const acc_t &a, const acc_t &b) {
  return (b.mean - a.mean) + (b.low - a.low);
}

//: chunks
enum { CHUNK = @chunk@ };

// Combines as many elements with as many.
__device__ __forceinline__ acc_t equal(const acc_t a, const acc_t b) {
  const double by = distance(a, b);
  const value_t d = (value_t)by;
  return moved(a, by * 0.5, (a.squares + b.squares) + d * d * ((value_t)a.n * (value_t)0.5), 2 * a.n);
}

// 1 / x by Newton's method, for numbers that are not powers of two. A division would take registers wherever chunks are
// combined.
__device__ __forceinline__ double inverse(const double x) {
  double y = __longlong_as_double(0x7fde623822fc16e6ll - __double_as_longlong(x));
#pragma unroll
  for (int i = 0; i < 5; i++) y = y * (2 - x * y);
  return y;
}

__device__ __forceinline__ acc_t combine(const acc_t a, const acc_t b) {
  if (b.n == 0) return a;
  if (a.n == b.n) return equal(a, b);
  const double by = distance(a, b), part = (double)b.n * inverse((double)a.n + (double)b.n);
  const value_t d = (value_t)by;
  return moved(a, by * part, (a.squares + b.squares) + d * d * ((value_t)a.n * (value_t)part), a.n + b.n);
}

// The sum of a chunk. Each of LANES lanes has N of its elements and gets the sum.
template <int LANES, int N, class T> __device__ __forceinline__ T chunk_sum(T (&v)[N]) {
#pragma unroll
  for (int width = 1; width < N; width *= 2)
#pragma unroll
    for (int i = 0; i < N; i += 2 * width) v[i] += v[i + width];
#pragma unroll
  for (int mask = 1; mask < LANES; mask *= 2) v[0] += __shfl_xor_sync(0xffffffffu, v[0], mask << LOG_X);
  return v[0];
}

// The moments of a chunk, for all of its lanes. This lane has N of the elements; bit e of `there` is set if element e
// exists. If the squares are not finite, the mean becomes 0, so that the result is infinite or NaN as the squares are.
// Bits and not a count: for a count, ptxas of CUDA 13.0 takes min(max(m, 0), 8) == 8 to be always true (VIMNMX.RELU on
// sm_90).
template <int N> __device__ __forceinline__ acc_t chunk_of(const value_t (&x)[N], const unsigned there) {
  enum { LANES = CHUNK / N };
  int counts[1] = {__popc(there)};
  const int n = chunk_sum<LANES>(counts);
  value_t v[N], rests[N];
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = there >> e & 1 ? x[e] : (value_t)0;
  const value_t sum = chunk_sum<LANES>(v), mean = n == CHUNK ? sum * ((value_t)1 / CHUNK) : sum / (value_t)n;
#pragma unroll
  for (int e = 0; e < N; e++) {
    rests[e] = there >> e & 1 ? x[e] - mean : (value_t)0;
    v[e] = rests[e] * rests[e];
  }
  const value_t squares = chunk_sum<LANES>(v), rest = chunk_sum<LANES>(rests);
  const value_t more = n == CHUNK ? rest * ((value_t)1 / CHUNK) : rest / (value_t)n;
  if (n == 0) return neutral();
  if (!(squares < (value_t)@infinite@)) {
    acc_t y = neutral();
    y.squares = squares;
    y.n = n;
    return y;
  }
  return made(mean, more, squares - rest * more, n);
}

template <int N> __device__ __forceinline__ acc_t of_values(const value_t (&x)[N], const index_t, const int m) {
  static_assert(N <= 32, "a bit for each element");
  const unsigned there = (unsigned)((1ull << m) - 1);
  const acc_t y = chunk_of<N>(x, there);
  // If neighbouring lanes share a chunk, the first one keeps it.
  return N == CHUNK || (threadIdx.x >> LOG_X & CHUNK / N - 1) == 0 ? y : neutral();
}

//: tree_values
template <int N> __device__ __forceinline__ acc_t of_values(const value_t (&x)[N], const index_t r, const int m) {
  acc_t v[N];
#pragma unroll
  for (int e = 0; e < N; e++) v[e] = e < m ? start(x[e], r + e) : neutral();
#pragma unroll
  for (int width = 1; width < N; width *= 2)
#pragma unroll
    for (int i = 0; i < N; i += 2 * width) v[i] = combine(v[i], v[i + width]);
  return v[0];
}
