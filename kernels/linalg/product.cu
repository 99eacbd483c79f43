// Products of matrices. The order of each sum follows from the extents alone (gpuarray/product/plan.lua), so that no
// bit depends on the tile, on how the operands lie in memory, or on which block does what.

//: types
// Element: in memory; Value: of sums, and of what is multiplied; Result: in memory.
typedef @element@ Element;
typedef @value@ Value;
typedef @result@ Result;

__device__ __forceinline__ Value widened(const Element x) { @widened@ }
__device__ __forceinline__ Value widened_result(const Result x) { @widened_result@ }
__device__ __forceinline__ Result rounded(const Value x) { @rounded@ }
__device__ __forceinline__ Value none() { return @zero@; }
__device__ __forceinline__ Value plus(const Value x, const Value y) { return @plus@; }
__device__ __forceinline__ Value times(const Value x, const Value y) { return @times@; }

enum { SCALED = 1, ADDED = 2 };

// What becomes of a sum: alpha times it, then beta times c is added, then it is rounded.
__device__ __forceinline__ Result ended(Value sum, const unsigned ends, const Value alpha, const Value beta,
                                               const Result *const c) {
  if (ends & SCALED) sum = times(alpha, sum);
  if (ends & ADDED) sum = cl_fma(beta, widened_result(*c), sum);
  return rounded(sum);
}

//: tile
// A block computes tiles of SIDE x SIDE results, 16 terms at a time; a thread has T x T of them, in groups of G
// neighbours.
enum { T = @t@, G = T < 4 ? T : 4, SIDE = 16 * T, DEPTH = 16, THREADS = 256, PITCH = SIDE + @pad@ };

// So many neighbours in memory, read at once.
template <int count> struct __align__(count * sizeof(Element)) Pack {
  Element x[count];
};

// A thread's part of 16 terms of SIDE rows (or columns): packs of neighbours. With `along`, neighbours in memory are
// along the terms, and threads are numbered so, too. Packs are read where the whole tile is within the matrix; elsewhere
// each element is looked at.
template <bool along, int pack> struct Part {
  enum { PACKS = T / pack, ACROSS = along ? DEPTH / pack : SIDE / pack, FORWARD = THREADS / ACROSS };
  Value part[T];
  const Element *at;       // what the thread reads first
  long long next, forward; // from one of its packs to the next; from 16 terms to the next 16
  long long inner;         // from an element of a pack to the next
  unsigned side, depth;    // the first one's place in the tile
  unsigned left;           // so many rows of the tile are within the matrix

  __device__ __forceinline__ Part(const Element *const from, const long long step_side, const long long step_depth,
                                  const unsigned long long rows) {
    const unsigned first = threadIdx.x % ACROSS * pack, other = threadIdx.x / ACROSS;
    side = along ? other : first;
    depth = along ? first : other;
    at = from + (long long)side * step_side + (long long)depth * step_depth;
    next = FORWARD * (along ? step_side : step_depth);
    inner = along ? step_depth : step_side;
    forward = DEPTH * step_depth;
    left = (unsigned)min(rows, (unsigned long long)SIDE);
  }
  __device__ __forceinline__ void fetch(const unsigned long long terms) {
    const Element *from = at;
    if (terms >= DEPTH && left == SIDE) {
#pragma unroll
      for (int i = 0; i < PACKS; i++) {
        const Pack<pack> x = *(const Pack<pack> *)from;
#pragma unroll
        for (int j = 0; j < pack; j++) part[i * pack + j] = widened(x.x[j]);
        from += next;
      }
    } else {
      const unsigned some = (unsigned)min(terms, (unsigned long long)DEPTH);
#pragma unroll
      for (int i = 0; i < PACKS; i++)
#pragma unroll
        for (int j = 0; j < pack; j++) {
          const unsigned row = along ? side + i * FORWARD : side + j, term = along ? depth + j : depth + i * FORWARD;
          part[i * pack + j] = row < left && term < some ? widened(from[i * next + j * inner]) : none();
        }
    }
    at += forward;
  }
  __device__ __forceinline__ void put(Value (*const tile)[PITCH]) const {
#pragma unroll
    for (int i = 0; i < PACKS; i++)
#pragma unroll
      for (int j = 0; j < pack; j++) {
        if (along)
          tile[depth + j][side + i * FORWARD] = part[i * pack + j];
        else
          tile[depth + i * FORWARD][side + j] = part[i * pack + j];
      }
  }
};

// The place in the tile of a thread's i-th row or column, of those of the group `own`.
__device__ __forceinline__ unsigned place_of(const int i, const unsigned own) {
  return i / G * (SIDE / (T / G)) + own * G + i % G;
}

__device__ __forceinline__ void add_term(Value (&sum)[T][T], const Value *const rows, const Value *const columns,
                                                const unsigned own_row, const unsigned own_column) {
  Value x[T], y[T];
#pragma unroll
  for (int i = 0; i < T; i++) x[i] = rows[place_of(i, own_row)];
#pragma unroll
  for (int j = 0; j < T; j++) y[j] = columns[place_of(j, own_column)];
#pragma unroll
  for (int i = 0; i < T; i++)
#pragma unroll
    for (int j = 0; j < T; j++) sum[i][j] = cl_fma(x[i], y[j], sum[i][j]);
}

//: walk
  // `all` tiles: of the rows and columns of a chunk, which are taken in strips of 8 rows of tiles, then of all chunks,
  // then of the batch.
  const unsigned long long tile_rows = (m + SIDE - 1) / SIDE, tile_columns = (n + SIDE - 1) / SIDE;
  const unsigned long long tiles = tile_rows * tile_columns;
  for (unsigned long long work = blockIdx.x; work < all; work += gridDim.x) {
    const unsigned long long rest = work / tiles, tile = work - rest * tiles, batch = rest / chunks;
    const unsigned long long number = rest - batch * chunks, strip = tile / (8 * tile_columns);
    const unsigned long long within = tile - strip * 8 * tile_columns, height = min(tile_rows - strip * 8, 8ull);
    const unsigned long long row = (strip * 8 + within % height) * SIDE, column = within / height * SIDE;
    const unsigned long long first = number * chunk, terms = min(k - first, chunk);
@places@

//: product
// A chunk's sum goes to `sums`, or, if it is the only one, its end to `out`.
extern "C" __global__ void __launch_bounds__(THREADS, @blocks@)
    array_product(const unsigned long long all, const unsigned long long m, const unsigned long long n,
                  const unsigned long long k, const unsigned long long chunk, const unsigned long long chunks,
                  const Element *const a0, const long long a_row, const long long a_term, const Element *const b0,
                  const long long b_term, const long long b_column, @params@) {
  __shared__ __align__(16) Value left[2][DEPTH][PITCH], right[2][DEPTH][PITCH];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32; // a warp has 4 x 8 threads of the 16 x 16
  const unsigned own_row = warp / 2 * 4 + lane / 8, own_column = warp % 2 * 8 + lane % 8;
@walk@
    Part<@a_along@, @a_pack@> a(a0 + a_at + (long long)row * a_row + (long long)first * a_term, a_row, a_term, m - row);
    Part<@b_along@, @b_pack@> b(b0 + b_at + (long long)column * b_column + (long long)first * b_term, b_column, b_term,
                      n - column);
    Value sum[T][T];
#pragma unroll
    for (int i = 0; i < T; i++)
#pragma unroll
      for (int j = 0; j < T; j++) sum[i][j] = none();
    unsigned buffer = 0;
    if (terms > 0) {
      a.fetch(terms);
      b.fetch(terms);
      a.put(left[0]);
      b.put(right[0]);
    }
    __syncthreads();
    for (unsigned long long term = 0; term < terms; term += DEPTH) {
      const unsigned long long todo = terms - term;
      if (todo > DEPTH) {
        a.fetch(todo - DEPTH);
        b.fetch(todo - DEPTH);
      }
      if (todo >= DEPTH) {
#pragma unroll
        for (int t = 0; t < DEPTH; t++) add_term(sum, left[buffer][t], right[buffer][t], own_row, own_column);
      } else { // no zeros are added behind the last term, as these would show in a sum of -0
        for (int t = 0; t < (int)todo; t++) add_term(sum, left[buffer][t], right[buffer][t], own_row, own_column);
      }
      if (todo > DEPTH) {
        buffer ^= 1;
        a.put(left[buffer]);
        b.put(right[buffer]);
        __syncthreads();
      }
    }
#pragma unroll
    for (int i = 0; i < T; i++)
#pragma unroll
      for (int j = 0; j < T; j++) {
        const unsigned long long r = row + place_of(i, own_row), c = column + place_of(j, own_column);
        if (r < m && c < n) {
          const Value value = sum[i][j];
@put@
        }
      }
    __syncthreads();
  }
}

//: chunks
// Adds the sums of chunks, in their order: a thread for each result.
extern "C" __global__ void array_product_chunks(const unsigned long long all, const unsigned long long m,
                                                const unsigned long long n, const unsigned long long chunks,
                                                const Value *const sums, @params@) {
  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < all; i += gridDim.x * 256ull) {
    const unsigned long long batch = i / (m * n), r = i / n - batch * m, c = i % n;
@places@
    Value value = sums[i];
#pragma unroll 8
    for (unsigned long long number = 1; number < chunks; number++) value = plus(value, sums[number * all + i]);
@put@
  }
}

//: put_sum
sums[((number * batches + batch) * m + r) * n + c] = value;
//: put_result
out[out_at + (long long)r * out_row + (long long)c * out_column] = rounded(value);
//: put_end
out[out_at + (long long)r * out_row + (long long)c * out_column] =
    ended(value, ends, alpha, beta, c0 + c_at + (long long)r * c_row + (long long)c * c_column);
