// Reductions of products: each output combines elements of operands that have only its row, or only its column. A block
// computes a tile of outputs. It goes through the reduced axes in chunks, and loads the operands' slices of a chunk into
// shared memory. Values are combined as in reduce.cu.
//
// A thread has ROWS x COLUMNS outputs. A kernel's own part has slices_t, what a thread loads of one reduced element, and
// in the kernel: fill(first), which loads a chunk; at(k), the slices of element k of the chunk; value(s, i, j, r), what
// is computed of them.

//: tile
enum { ROWS = @rows@, COLUMNS = @columns@, ACROSS = @across@, CHUNK = @chunk@, BATCH = @batch@, REST = @rest@ };

//: tree
// The first M of COUNT neighbours, COUNT being a power of two.
template <int COUNT, int M, class At, class Value>
__device__ __forceinline__ void subtree(acc_t (&x)[ROWS][COLUMNS], const At &at, const Value &value, const index_t r,
                                        const unsigned k) {
  if constexpr (COUNT == 1) {
    const slices_t s = at(k);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) x[i][j] = start(value(s, i, j, r), r);
  } else {
    enum { HALF = COUNT / 2 };
    subtree<HALF, (M < HALF ? M : HALF)>(x, at, value, r, k);
    if constexpr (M > HALF) {
      acc_t y[ROWS][COLUMNS];
      subtree<HALF, M - HALF>(y, at, value, r + HALF, k + HALF);
#pragma unroll
      for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) x[i][j] = combine(x[i][j], y[i][j]);
    }
  }
}

//: levels
// Batches that come one after the other, combined pairwise: as a binary number counts.
struct Pending {
  acc_t left[@levels@][ROWS][COLUMNS];
  unsigned count = 0;
  __device__ __forceinline__ void merge(acc_t (&x)[ROWS][COLUMNS], const int level) {
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) x[i][j] = combine(left[level][i][j], x[i][j]);
  }
  // Nested branches; compilers copy all levels for a loop with a flag.
  template <int LEVEL> __device__ __forceinline__ void put(acc_t (&x)[ROWS][COLUMNS]) {
    if constexpr (LEVEL < @levels@) {
      if (count >> LEVEL & 1) {
        merge(x, LEVEL);
        put<LEVEL + 1>(x);
      } else {
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
          for (int j = 0; j < COLUMNS; j++) left[LEVEL][i][j] = x[i][j];
      }
    }
  }
  __device__ __forceinline__ void take(acc_t (&x)[ROWS][COLUMNS]) {
    put<0>(x);
    count++;
  }
  // All that is pending, and what comes behind it.
  __device__ __forceinline__ void close(acc_t (&x)[ROWS][COLUMNS]) {
#pragma unroll
    for (int level = 0; level < @levels@; level++)
      if (count >> level & 1) merge(x, level);
  }
};

//: outer
extern "C" __global__ void __launch_bounds__(256@resident@) @name@(
    const unsigned long long, const index_t n, const double count, const unsigned, const unsigned@params@) {
@coordinates@
@shared@
  const unsigned row = threadIdx.x / ACROSS, column = threadIdx.x % ACROSS;
  const auto at = [&](const unsigned k) {
    slices_t s;
@loads@
    return s;
  };
  const auto value = [&](const slices_t &s, const int i, const int j, const index_t r) { return @value@; };
  const auto fill = [&](const index_t first) {
@fills@
  };
  acc_t v[ROWS][COLUMNS];
@body@
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    const index_t y = first_row + row * ROWS + i;
    if (y < rows_of) {
@puts@
    }
  }
}

//: fill
#pragma unroll
    for (unsigned t = 0; t < @turns@; t++) {
      const unsigned i = threadIdx.x + t * 256;
      @guard@{
        const unsigned k = @k@;
        const index_t r = min(first + k, n - 1);
@place@
        tile@number@[k]@entry@ = b@number@[@at@];
      }
    }

//: put_vector
      const index_t x = first_column + column * COLUMNS;
      pack_out pack;
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) pack.e[j] = finish(v[i][j], count);
      if (x < columns_of) *(pack_out *)(out + (@at@)) = pack;

//: put_each
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) {
        const index_t x = first_column + column + j * ACROSS;
        if (x < columns_of) out[@at@] = finish(v[i][j], count);
      }

//: one_batch
  fill(0);
  __syncthreads();
  subtree<BATCH, REST>(v, at, value, 0, 0);

//: batches
  Pending pending;
#pragma unroll 1
  for (index_t first = 0;; first += CHUNK) {
    fill(first);
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < CHUNK && first + k < n - REST; k += BATCH) {
      subtree<BATCH, BATCH>(v, at, value, first + k, k);
      pending.take(v);
    }
    if (first + CHUNK >= n) {
      subtree<BATCH, REST>(v, at, value, n - REST, (unsigned)(n - REST - first));
      break;
    }
    __syncthreads();
  }
  pending.close(v);

//: free
  part_t part[ROWS][COLUMNS];
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) part[i][j] = none();
  const auto step = [&](const index_t r, const unsigned k) {
    const slices_t s = at(k);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) add(part[i][j], value(s, i, j, r), (int)r);
  };
#pragma unroll 1
  for (index_t first = 0;; first += CHUNK) {
    fill(first);
    __syncthreads();
    const unsigned there = (unsigned)min(n - first, (index_t)CHUNK);
    unsigned k = 0;
#pragma unroll 1
    for (; k + BATCH <= there; k += BATCH) {
#pragma unroll
      for (int e = 0; e < BATCH; e++) step(first + k + e, k + e);
    }
#pragma unroll 1
    for (; k < there; k++) step(first + k, k);
    if (first + CHUNK >= n) break;
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) v[i][j] = end(part[i][j], 0);
