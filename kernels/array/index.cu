// Elements that are fetched from, or put to, places that arrays of positions name; and the positions of what is not 0.
// Elements are moved as they are: an Item has as many bytes as one.

//: item
struct Item {
  @unit@ e[@count@];
};

//: raise
// A position that counts from 1, or from the end with a minus, as one from 0; where there is none, one that is outside.
static __device__ __forceinline__ long long position(const long long v, const long long extent) {
  return v < 0 ? v + extent : v - 1;
}

//: wrap
// The same; positions go round.
static __device__ __forceinline__ long long position(const long long v, const long long extent) {
  const long long r = (v < 0 ? v : v - 1) % extent;
  return r < 0 ? r + extent : r;
}

//: clip
// From 1 only; what is outside becomes the first or the last one.
static __device__ __forceinline__ long long position(const long long v, const long long extent) {
  return v < 1 ? 0 : v > extent ? extent - 1 : v - 1;
}

//: gather
// out[i] is the element of `from` that the positions of i name. What names none is not read, and the least such i goes
// to bad.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const @index@ n, Item *out, const Item *from, unsigned long long *bad@params@) {
  const @index@ first = blockIdx.x * (@index@)1024 + threadIdx.x;
  Item x[4] = {};
@declared@
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const @index@ i = first + k * 256;
    if (i < n) {
@coordinates@
      @integer@ at = @base@;
      bool there = true;
@positions@
      if (there) x[k] = from[at];
    }
  }
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (first + k * 256 < n) out[first + k * 256] = x[k];
@report@
}

//: scatter
// Element i of `from` goes to the element of `to` that the positions of i name, where there is one.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const @index@ n, Item *to, const Item *from@params@) {
  const @index@ first = blockIdx.x * (@index@)1024 + threadIdx.x;
  Item x[4];
  @integer@ places[4];
  bool put[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const @index@ i = first + k * 256;
    put[k] = false;
    if (i < n) {
@coordinates@
      @integer@ at = @base@;
      bool there = true;
@positions@
      x[k] = from[@source@];
      places[k] = at;
      put[k] = there@keep@;
    }
  }
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (put[k]) to[places[k]] = x[k];
}

//: places
// Where element i would go, from the lowest place on, in units of all distances; for mark and winners.
extern "C" __global__ void __launch_bounds__(256) @name@(const @index@ n, unsigned long long *out,
                                                         const long long lowest, const long long step@params@) {
  const @index@ first = blockIdx.x * (@index@)1024 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const @index@ i = first + k * 256;
    if (i < n) {
@coordinates@
      @integer@ at = @base@;
      bool there = true;
@positions@
      out[i] = there ? (unsigned long long)((at - lowest) / step) : ~0ull;
    }
  }
}

//: check
// The number of the least element that is no position on an axis goes to bad.
extern "C" __global__ void __launch_bounds__(256) @name@(const @index@ n, unsigned long long *bad@params@) {
  const @index@ first = blockIdx.x * (@index@)1024 + threadIdx.x;
@declared@
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const @index@ i = first + k * 256;
    if (i < n) {
@coordinates@
@positions@
    }
  }
@report@
}

//: winners
// Of the elements that go to one place the last one is the winner. Each place has a cell of the table, which holds the
// number of its last element, from 1: the cell of the place's number where there are so many, else the first one from
// its hash on that is free or has the place already; an element of the place that is in there tells.
typedef unsigned long long place_t;

static __device__ __forceinline__ place_t cell_of(const place_t place, const place_t mask) {
  place_t h = place * 0x9e3779b97f4a7c15ull;
  return (h ^ h >> 32) & mask;
}

extern "C" __global__ void __launch_bounds__(256)
    mark(const unsigned long long n, const place_t *places, unsigned long long *table, const unsigned long long cells,
         const bool direct) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i >= n) return;
  const place_t place = places[i];
  if (place == ~0ull) return;
  if (direct) {
    atomicMax(table + place, i + 1);
    return;
  }
  for (place_t cell = cell_of(place, cells - 1);; cell = (cell + 1) & (cells - 1)) {
    const unsigned long long seen = atomicCAS(table + cell, 0ull, i + 1);
    if (seen == 0) return;
    if (places[seen - 1] == place) {
      atomicMax(table + cell, i + 1);
      return;
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    winners(const unsigned long long n, const place_t *places, const unsigned long long *table,
            const unsigned long long cells, const bool direct, unsigned char *keep) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i >= n) return;
  const place_t place = places[i];
  if (place == ~0ull) {
    keep[i] = 0;
    return;
  }
  place_t cell = place;
  if (!direct)
    for (cell = cell_of(place, cells - 1); places[table[cell] - 1] != place;) cell = (cell + 1) & (cells - 1);
  keep[i] = table[cell] == i + 1;
}

//: mask
// Where the bytes of a mask are that are not 0. A block has a tile of 8192, a thread 32 of them.
static __device__ __forceinline__ unsigned not_zero(const unsigned word) { // a byte's bit of 4, where it is not 0
  const unsigned top = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
  return (top >> 7) * 0x00204081u >> 21 & 15;
}

// The bytes of a thread: a bit for each.
static __device__ __forceinline__ unsigned load(const unsigned char *mask, const unsigned long long n,
                                                const unsigned long long first) {
  unsigned bits = 0;
  if (first + 32 <= n) {
    const uint4 a = ((const uint4 *)(mask + first))[0], b = ((const uint4 *)(mask + first))[1];
    const unsigned word[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int k = 0; k < 8; k++) bits |= not_zero(word[k]) << 4 * k;
  } else {
    for (int k = 0; first + k < n && k < 32; k++) bits |= (unsigned)(mask[first + k] != 0) << k;
  }
  return bits;
}

//: mask_sum
// The sum of the values of all threads before this one; *all is that of all threads.
template <typename T> static __device__ __forceinline__ T sum_before(const T value, T *all) {
  __shared__ T of_warp[8];
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
  for (int warp = 0; warp < 8; warp++) {
    if (warp < threadIdx.x / 32) before += of_warp[warp];
    *all += of_warp[warp];
  }
  __syncthreads();
  return before;
}

//: mask_count
// How many each tile has.
extern "C" __global__ void __launch_bounds__(256)
    mask_count(const unsigned char *mask, const unsigned long long n, long long *counts) {
  unsigned all;
  sum_before<unsigned>(__popc(load(mask, n, blockIdx.x * 8192ull + threadIdx.x * 32)), &all);
  if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

//: mask_offsets
// How many all tiles before each one have; behind the last one, how many there are. One block.
extern "C" __global__ void __launch_bounds__(256) mask_offsets(long long *counts, const unsigned long long tiles) {
  long long before = 0;
  for (unsigned long long from = 0; from < tiles; from += 1024) {
    const unsigned long long first = from + 4 * threadIdx.x;
    long long own[4], sum = 0, all;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      own[k] = first + k < tiles ? counts[first + k] : 0;
      sum += own[k];
    }
    long long at = before + sum_before(sum, &all);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (first + k < tiles) counts[first + k] = at;
      at += own[k];
    }
    before += all;
  }
  if (threadIdx.x == 0) counts[tiles] = before;
}

//: mask_write
// Where the mask is true, element i goes to the next place of `out`. The lanes of a warp write side by side: they have
// the 32 bytes of each lane in turn.
extern "C" __global__ void __launch_bounds__(256)
    @name@(const unsigned char *mask, const unsigned long long n, const long long *offsets, @item@ *out@params@) {
  unsigned all;
  const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
  const unsigned long long first = blockIdx.x * 8192ull + threadIdx.x * 32;
  const unsigned own = load(mask, n, first);
  long long at = offsets[blockIdx.x] + sum_before<unsigned>(__popc(own), &all);
  at = __shfl_sync(0xffffffffu, at, 0);
  unsigned long long i = first - 31 * lane;
#pragma unroll 8
  for (int k = 0; k < 32; k++, i += 32) {
    const unsigned bits = __shfl_sync(0xffffffffu, own, k);
    if (bits >> lane & 1) out[at + __popc(bits & below)] = @value@;
    at += __popc(bits);
  }
}

//: unravel
// Positions in C order as positions on each of the axes: `across` and `along` are the distances between those of one
// element and those of one axis.
extern "C" __global__ void __launch_bounds__(256)
    unravel(const unsigned long long n, const long long *positions, long long *out, const unsigned long long across,
            const unsigned long long along@params@) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i >= n) return;
  unsigned long long rest = positions[i] - 1;
  long long *at = out + i * across;
@lines@
}

//: cycle
// The elements of `from`, m of them, over and over.
extern "C" __global__ void __launch_bounds__(256)
    cycle(const unsigned long long n, Item *out, const Item *from, const unsigned long long m) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i < n) out[i] = from[i % m];
}

//: search
// For each value the first position in a sorted array, from 1, before which it can go (right: behind all equal ones).
// NaNs are sorted to the end.
static __device__ __forceinline__ bool less(const @type@ x, const @type@ y) { return x < y || (y != y && x == x); }

extern "C" __global__ void __launch_bounds__(256)
    search(const unsigned long long n, long long *out, const @memory@ *sorted, const long long size,
           const long long step, const @memory@ *values, const unsigned right) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i >= n) return;
  const @memory@ raw = values[i];
  const @type@ value = @load_value@;
  long long low = 0, high = size;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    const @memory@ at_middle = sorted[middle * step];
    const @type@ x = @load_sorted@;
    if (right ? !less(value, x) : less(x, value)) low = middle + 1;
    else high = middle;
  }
  out[i] = low + 1;
}
