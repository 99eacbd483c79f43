// Elements for which a mask is true, or their positions, in C order, in two passes. The first one computes the mask's
// elements and keeps a bit of each; the second one reads the bits, and the elements that it keeps. A tile is 8192
// elements, which a block has: 256 words of bits, one for each thread.

//: sums
// The sum of the values of all threads before this one, of WARPS warps; *all is that of all threads.
template <int WARPS, typename T> static __device__ __forceinline__ T sum_before(const T value, T *all) {
  __shared__ T of_warp[WARPS];
  T sum = value;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 >= step) sum += other;
  }
  if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  T before = sum - value;
  *all = 0;
#pragma unroll
  for (int warp = 0; warp < WARPS; warp++) {
    if (warp < threadIdx.x / 32) before += of_warp[warp];
    *all += of_warp[warp];
  }
  __syncthreads();
  return before;
}

//: bits
// The bits of a mask, and how many of each tile are set. A thread has PER neighbours of each of its CHUNKS; the lanes of
// a warp have the next ones. Behind the last element there are no bits.
enum { PER = @per@, CHUNKS = 32 / PER, AT_ONCE = @at_once@ };

// Blocks of PER bits change places within CHUNKS neighbouring lanes: block i of lane k and block k of lane i.
static __device__ __forceinline__ unsigned transposed(unsigned x) {
#pragma unroll
  for (int step = CHUNKS / 2; step > 0; step /= 2) {
    unsigned low = 0; // the blocks whose number does not have this bit
#pragma unroll
    for (int i = 0; i < CHUNKS; i++)
      if (!(i & step)) low |= (unsigned)((1ull << PER) - 1) << i * PER;
    const unsigned other = __shfl_xor_sync(0xffffffffu, x, step);
    x = threadIdx.x & step ? x & ~low | other >> step * PER & low : x & low | other << step * PER & ~low;
  }
  return x;
}

extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned long long n, unsigned *bits, unsigned *counts@params@) {
@uniform@
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long tile = blockIdx.x * 8192ull, first = tile + threadIdx.x / 32 * 1024 + lane * PER;
  unsigned own = 0;
  if (tile + 8192 <= n) {
#pragma unroll 1
    for (int chunk = 0; chunk < CHUNKS; chunk += AT_ONCE) {
@declared@
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) {
        const unsigned long long at = first + (chunk + k) * (32 * PER);
@loads@
      }
      unsigned some = 0;
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) {
@pack@
      }
      own |= some << chunk * PER;
    }
  } else {
#pragma unroll 1
    for (int b = 0; b < 32; b++) {
      const unsigned long long j = first + b / PER * (32 * PER) + b % PER;
      if (j < n) {
        @memory@ is;
        @evaluate_one@
        own |= (unsigned)(is != 0) << b;
      }
    }
  }
  own = transposed(own);
  bits[blockIdx.x * 256ull + threadIdx.x / 32 * 32 + lane % CHUNKS * PER + lane / CHUNKS] = own;
  unsigned all;
  sum_before<8, unsigned>(__popc(own), &all);
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

//: computed
#pragma unroll
        for (int w = 0; w < PER; w++) {
          @memory@ is;
          @evaluate@
          some |= (unsigned)(is != 0) << k * PER + w;
        }

//: stored
        // The 16 bytes of a stored mask: 4 of them at once.
        const uint4 words = *(const uint4 *)&x1[k];
        some |= (not_zero(words.x) | not_zero(words.y) << 4 | not_zero(words.z) << 8 | not_zero(words.w) << 12) << k * 16;

//: not_zero
static __device__ __forceinline__ unsigned not_zero(const unsigned word) { // a byte's bit of 4, where it is not 0
  const unsigned top = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
  return (top >> 7) * 0x00204081u >> 21 & 15;
}

//: offsets
// How many all tiles before each one have; behind the last one, how many there are, which goes to the host as well: see
// tell in reduce.cu. One block.
extern "C" __global__ void __launch_bounds__(1024)
    mask_offsets(const unsigned *counts, long long *offsets, const unsigned long long tiles,
                 const unsigned long long told, const unsigned ticket) {
  enum { EACH = 8 };
  long long before = 0;
  for (unsigned long long from = 0; from < tiles; from += 1024 * EACH) {
    const unsigned long long first = from + EACH * threadIdx.x;
    unsigned own[EACH], sum = 0, all;
#pragma unroll
    for (int k = 0; k < EACH; k++) own[k] = first + k < tiles ? counts[first + k] : 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) sum += own[k];
    long long at = before + sum_before<32, unsigned>(sum, &all);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      if (first + k < tiles) offsets[first + k] = at;
      at += own[k];
    }
    before += all;
  }
  if (threadIdx.x == 0) {
    offsets[tiles] = before;
    tell(told, ticket, before);
  }
}

//: write
// Where a bit is set, @value@ of element i goes to the next place of `out`. A lane has EACH neighbours at once, and the
// lanes of a warp have the next ones; they read several packs before they write the first. Blocks begin with the last
// tiles, since the first pass left some of them in the second-level cache.
//
// Where few bits are set, each lane goes through those of its word.
enum { EACH = @each@, BATCH = @batch@, WORDS = EACH * BATCH, FEW = @few@ };

extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned *__restrict__ bits, const long long *__restrict__ offsets, @item@ *out@params@) {
  const unsigned lane = threadIdx.x % 32, shift = lane * EACH % 32, below = (1u << shift) - 1;
  const unsigned tile = @tile@;
  const unsigned own = bits[tile * 256ull + threadIdx.x];
  unsigned all;
  const unsigned own_place = sum_before<8, unsigned>(__popc(own), &all); // of the thread's word in the tile's part
  const long long start = offsets[tile];
  const auto put = [&](const long long to, [[maybe_unused]] const @index@ i, [[maybe_unused]] const Item &x) {
@put@
  };
  if (__all_sync(0xffffffffu, __popc(own) <= FEW)) {
    const @index@ base = tile * (@index@)8192 + threadIdx.x * 32;
    [[maybe_unused]] Item x[FEW + 1];
    unsigned rest = own;
@few_loads@
    rest = own;
#pragma unroll
    for (int k = 0; k < FEW; k++, rest &= rest - 1)
      if (rest) put(start + own_place + k, base + __ffs(rest) - 1, x[k]);
    return;
  }
  const unsigned words = __ballot_sync(0xffffffffu, own != 0);
  const @index@ first = tile * (@index@)8192 + threadIdx.x / 32 * 1024 + lane * EACH;
@dense@
}

//: dense
#pragma unroll 1
  for (int from_word = 0; from_word < 32; from_word += WORDS) {
    if (!(words >> from_word & (unsigned)((1ull << WORDS) - 1))) continue;
@loads@
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const unsigned source = from_word + (k * 32 + lane) * EACH / 32;
      const unsigned word = __shfl_sync(0xffffffffu, own, source);
      long long to = start + __shfl_sync(0xffffffffu, own_place, source) + __popc(word & below);
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        if (word >> shift >> e & 1) put(to++, first + (from_word + k * EACH) * 32 + e, @value_read@);
      }
    }
  }

//: staged
  // Elements are put side by side in shared memory, from where neighbouring lanes write neighbours.
  __shared__ Item stage[8][32 * WORDS];
  Item *const room = stage[threadIdx.x / 32];
#pragma unroll 1
  for (int from_word = 0; from_word < 32; from_word += WORDS) {
    if (!(words >> from_word & (unsigned)((1ull << WORDS) - 1))) continue;
@loads@
    const unsigned begin = __shfl_sync(0xffffffffu, own_place, from_word);
    const unsigned end = __shfl_sync(0xffffffffu, own_place + __popc(own), from_word + WORDS - 1);
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const unsigned source = from_word + (k * 32 + lane) * EACH / 32;
      const unsigned word = __shfl_sync(0xffffffffu, own, source);
      unsigned to = __shfl_sync(0xffffffffu, own_place, source) + __popc(word & below) - begin;
#pragma unroll
      for (int e = 0; e < EACH; e++)
        if (word >> shift >> e & 1) room[to++] = x[k].e[e];
    }
    __syncwarp();
    for (unsigned i = lane; i < end - begin; i += 32) out[start + begin + i] = room[i];
    __syncwarp();
  }

//: load_few
#pragma unroll
    for (int k = 0; k < FEW; k++, rest &= rest - 1)
      if (rest) x[k] = from[base + __ffs(rest) - 1];

//: load_items
    Item x[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++)
      if (__shfl_sync(0xffffffffu, own, from_word + k) >> lane & 1) x[k] = from[first + (from_word + k) * 32];

//: load_packs
    struct __align__(EACH * sizeof(Item)) Pack {
      Item e[EACH];
    };
    Pack x[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const unsigned word = __shfl_sync(0xffffffffu, own, from_word + (k * 32 + lane) * EACH / 32) >> shift;
      const @index@ i = first + (from_word + k * EACH) * 32;
      if (!(word & (1u << EACH) - 1)) continue;
      if (i + EACH <= n) {
        x[k] = *(const Pack *)(from + i);
      } else {
#pragma unroll
        for (int e = 0; e < EACH; e++)
          if (word >> e & 1) x[k].e[e] = from[i + e];
      }
    }
