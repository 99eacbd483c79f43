// Rows on chip: a kernel reads each row once, and computes several reductions of it, one after the other, and what is
// made of them and the row again. Values are combined as in reduce.cu, whose functions each reduction has in a
// namespace of its own.
//
// A row has LANES neighbouring threads, or all lanes of WARPS warps. A lane has PACKS packs of WIDTH neighbours, in
// registers. Pack j of a lane begins at element ((warp * PACKS + j) * LANES + lane) * WIDTH.
//
// Rows whose neighbours are neighbours in memory, such as columns, lie across the block: a row has WARPS threads, one in
// each of as many groups of ROWS neighbours, and element j of a thread is element group * PACKS + j of the row.

//: row
// Of COUNT values of each lane, neighbouring lanes keep half. Not a loop: compilers do not always unroll it, and keep the
// values in memory then.
template <int COUNT, int N> __device__ __forceinline__ void halve(acc_t (&v)[N]) {
  if constexpr (COUNT > 1) {
#pragma unroll
    for (int i = 0; i < COUNT / 2; i++) v[i] = exchange(v[2 * i], v[2 * i + 1], N / COUNT);
    halve<COUNT / 2>(v);
  }
}

// Combines the values that the lanes of a warp have of each pack: in lane 0, and where rows are shorter, in the first
// lane of each row.
template <int N> __device__ __forceinline__ acc_t of_warp(acc_t (&v)[N]) {
  halve<N>(v);
  return lanes(lanes(v[0], N, @lanes@), 1, N);
}

//: hand_round
// All lanes of a row get the first one's value.
__device__ __forceinline__ acc_t of_row(words_t *, const acc_t x) {
  words_t words;
  words.x = x;
#pragma unroll
  for (int i = 0; i < (sizeof(acc_t) + 3) / 4; i++)
    words.word[i] = __shfl_sync(0xffffffffu, words.word[i], threadIdx.x & 31 & ~(@lanes@ - 1));
  return words.x;
}

//: across_warps
// All threads of a row combine its warps' values.
__device__ __forceinline__ acc_t of_row(words_t *shared, const acc_t x) {
  if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5].x = x;
  __syncthreads();
  acc_t v[@warps@];
#pragma unroll
  for (int i = 0; i < @warps@; i++) v[i] = shared[(threadIdx.x >> 5 & ~(@warps@ - 1)) + i].x;
  return pairwise(v);
}

//: of_thread
// Combines a thread's values.
template <int N> __device__ __forceinline__ acc_t of_warp(acc_t (&v)[N]) { return pairwise(v); }

//: across_groups
// All threads of a row combine its groups' values.
__device__ __forceinline__ acc_t of_row(words_t *shared, const acc_t x) {
  if (@warps@ == 1) return x;
  shared[threadIdx.x].x = x;
  __syncthreads();
  acc_t v[@warps@];
#pragma unroll
  for (int i = 0; i < @warps@; i++) v[i] = shared[i * (256 / @warps@) + threadIdx.x % (256 / @warps@)].x;
  return pairwise(v);
}

//: rows
extern "C" __global__ void __launch_bounds__(@bounds@) @name@(const unsigned long long outputs, const index_t n,
                                                         const double count@params@) {
@bases@
  enum { LANES = @lanes@, WARPS = @warps@, PACKS = @packs@, WIDTH = @width@, ROWS = 256 / LANES / WARPS };
  enum { STEP = LANES * WIDTH };
  const unsigned lane = threadIdx.x & LANES - 1, warp = threadIdx.x >> 5 & WARPS - 1;
  const unsigned long long row = blockIdx.x * (unsigned long long)ROWS + threadIdx.x / (LANES * WARPS);
  const bool there = row < outputs; // other threads compute the last row, and store nothing
  const bases_t b = bases(there ? row : outputs - 1);
  const index_t begin = (warp * (PACKS * LANES) + lane) * WIDTH;
@first@
@functions@
@phases@
}

//: across
extern "C" __global__ void __launch_bounds__(@bounds@) @name@(const unsigned long long outputs, const index_t n,
                                                         const double count@params@) {
@bases@
  enum { LANES = 1, WARPS = @warps@, PACKS = @packs@, WIDTH = 1, ROWS = 256 / WARPS, STEP = 1 };
  const unsigned long long row = blockIdx.x * (unsigned long long)ROWS + threadIdx.x % ROWS;
  const bool there = row < outputs; // other threads compute the last row, and store nothing
  const bases_t b = bases(there ? row : outputs - 1);
  const index_t begin = threadIdx.x / ROWS * PACKS;
@first@
@functions@
@phases@
}

//: loads
// All packs are loaded before one is stored: the compiler does not know that they are other memory.
#pragma unroll
  for (int j = 0; j < PACKS; j++) {
    const index_t r = begin + j * STEP;
    const int m = @valid@;
@loads@
  }

//: phase
  // Phase @number@.
@declared@
@loading@
#pragma unroll
  for (int j = 0; j < PACKS; j++) {
@place@
    const int m = @valid@;
@packs_of@
#pragma unroll
    for (int e = 0; e < WIDTH; e++) {
      if (e < m) {
@lines@
      }@otherwise@
    }
@pack_ends@
  }
@ends@
