// Elements that are fetched from, or put to, places that arrays of positions name.
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
