// Products of a matrix and a vector: a result for each row. Term t of a chunk of 4096 belongs to lane t % 32; a lane
// adds its terms in their order, lanes are added by halving, and chunks in their order. A part is some chunks one after the
// other; where parts have one chunk each, their sums go to `sums`.

//: lanes
enum { CHUNK = 4096, n = 1, c = 0 }; // the results are one column

// The value of the lane that is so many further.
__device__ __forceinline__ Value further(const Value x, const unsigned step) { return @further@; }
__device__ __forceinline__ Value added(const Value x, const Value y, const Value sum) { return @term@; }

//: rows
// Neighbours in memory are along the terms: a warp for each row.
extern "C" __global__ void __launch_bounds__(256)
    array_product_rows(const unsigned long long all, const unsigned long long m, const unsigned long long k,
                       const unsigned long long parts, const unsigned long long chunks, const Element *const a0,
                       const long long a_row, const long long a_term, const Element *const b0, const long long b_term,
                       @params@) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned long long work = blockIdx.x * 8ull + threadIdx.x / 32; work < all; work += gridDim.x * 8ull) {
    const unsigned long long rest = work / m, r = work - rest * m, batch = rest / parts, number = rest - batch * parts;
@places@
    const Element *const a = a0 + a_at + (long long)r * a_row, *const b = b0 + b_at;
    Value value = none();
    for (unsigned long long i = 0; i < chunks; i++) {
      const unsigned long long first = (number * chunks + i) * CHUNK, end = min(first + CHUNK, k);
      Value sum = none();
#pragma unroll 8
      for (unsigned long long t = first + lane; t < end; t += 32)
        sum = added(widened(a[(long long)t * a_term]), widened(b[(long long)t * b_term]), sum);
#pragma unroll
      for (unsigned step = 16; step > 0; step /= 2) sum = plus(sum, further(sum, step));
      value = i == 0 ? sum : plus(value, sum);
    }
    if (lane == 0) {
@put@
    }
  }
}

//: columns
// Neighbours in memory are rows: a block has 32 of them, and a thread one lane of one. A thread loads AHEAD terms before
// it adds the first.
extern "C" __global__ void __launch_bounds__(1024)
    array_product_columns(const unsigned long long all, const unsigned long long m, const unsigned long long k,
                          const unsigned long long parts, const unsigned long long chunks, const Element *const a0,
                          const long long a_row, const long long a_term, const Element *const b0,
                          const long long b_term, @params@) {
  enum { AHEAD = @ahead@ };
  __shared__ __align__(16) Value lanes[32][33];
  const unsigned own = threadIdx.x % 32, other = threadIdx.x / 32; // a row and a lane; after the terms, the other way
  const unsigned long long blocks = (m + 31) / 32;
  for (unsigned long long work = blockIdx.x; work < all; work += gridDim.x) {
    const unsigned long long rest = work / blocks, row0 = (work - rest * blocks) * 32, batch = rest / parts;
    const unsigned long long number = rest - batch * parts, r = row0 + other;
@places@
    const Element *const a = a0 + a_at + (long long)min(row0 + own, m - 1) * a_row, *const b = b0 + b_at;
    Value value = none();
    for (unsigned long long i = 0; i < chunks; i++) {
      const unsigned long long first = (number * chunks + i) * CHUNK, end = min(first + CHUNK, k);
      Value sum = none();
      unsigned long long t = first + other;
      const Element *pa = a + (long long)t * a_term, *pb = b + (long long)t * b_term;
      for (; t + 32 * (AHEAD - 1) < end; t += 32 * AHEAD) {
        Element x[AHEAD], y[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
          x[j] = pa[32 * j * a_term];
          y[j] = pb[32 * j * b_term];
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++) sum = added(widened(x[j]), widened(y[j]), sum);
        pa += 32 * AHEAD * a_term;
        pb += 32 * AHEAD * b_term;
      }
      for (; t < end; t += 32) {
        sum = added(widened(*pa), widened(*pb), sum);
        pa += 32 * a_term;
        pb += 32 * b_term;
      }
      lanes[other][own] = sum;
      __syncthreads();
      Value chunk = lanes[own][other];
#pragma unroll
      for (unsigned step = 16; step > 0; step /= 2) chunk = plus(chunk, further(chunk, step));
      value = i == 0 ? chunk : plus(value, chunk);
      __syncthreads();
    }
    if (own == 0 && r < m) {
@put@
    }
  }
}
