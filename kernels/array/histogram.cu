// How many elements fall into each bin. Counts are integers: they are the same in whichever order they are made.
//
// A block counts in shared memory. Each bin has a counter for every lane of a warp, as far as there is room, so that
// lanes with the same element do not wait for each other, and each lane stays on its own bank.

//: tools
enum { WORDS = 8192, PER = @per@, AT_ONCE = 4, NEAR_EDGES = 1024 };
typedef @edge@ Edge;

//: bytes
// Elements of 8 bits: each of the 256 has counters of its own; `bins` tells in which bin it is, negative: none.
extern "C" __global__ void __launch_bounds__(256)
    array_count_bytes(const unsigned long long n, const uint4 *in, unsigned long long *counts, const int *bins) {
  __shared__ unsigned counters[WORDS];
  for (unsigned i = threadIdx.x; i < WORDS; i += 256) counters[i] = 0;
  __syncthreads();
  const unsigned first_counter = (unsigned)__cvta_generic_to_shared(counters), lane = threadIdx.x % 32 * 4;
  const auto add_one = [&](const unsigned shifted) { // by 7 bits: to counters of 128 bytes
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"((shifted & 0x7f80 | lane) + first_counter) : "memory");
  };
  const auto add = [&](const unsigned word) {
    add_one(word << 7);
    add_one(word >> 1);
    add_one(word >> 9);
    add_one(word >> 17);
  };
  const unsigned long long packs = n / 16, step = gridDim.x * 1024ull;
  for (unsigned long long first = blockIdx.x * 1024ull; first < packs; first += step) {
    const unsigned long long at = first + threadIdx.x;
    if (first + 1024 <= packs) {
      uint4 x[4];
#pragma unroll
      for (int k = 0; k < 4; k++) x[k] = in[at + k * 256];
#pragma unroll
      for (int k = 0; k < 4; k++) add(x[k].x), add(x[k].y), add(x[k].z), add(x[k].w);
    } else {
      for (unsigned long long i = at; i < packs; i += 256) {
        const uint4 x = in[i];
        add(x.x), add(x.y), add(x.z), add(x.w);
      }
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 16)
    add_one(((const unsigned char *)in)[packs * 16 + threadIdx.x] << 7);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned lane = 0; lane < 32; lane++) sum += counters[threadIdx.x * 32 + (lane + threadIdx.x) % 32];
  const int bin = bins[threadIdx.x];
  if (sum && bin >= 0) atomicAdd(counts + bin, (unsigned long long)sum);
}

//: values
// How bins are found. place() is the number of a bin, from 0, or lower or higher than there are bins, but by no more
// than one; sure: it is so. Otherwise settled() knows.
//
// Integers are the number of their bin, from 1.
struct Bins {
  const int bins;
  __device__ __forceinline__ Bins(const int bins) : bins(bins) {}
  __device__ __forceinline__ int place(const @type@ x, bool &) const {
    return x < 1 || (unsigned long long)x > (unsigned long long)bins ? bins : (int)x - 1;
  }
  __device__ __forceinline__ int settled(const @type@, const int place) const { return place; }
};

//: uniform
// How bins are found. place() is the number of a bin, from 0, or lower or higher than there are bins, but by no more
// than one; sure: it is so. Otherwise settled() knows.
//
// Bins of one width from `low` on, whose edges are rounded: they decide. What lies well between two edges is told by a
// multiplication; `near` is how far from one, in bins, that may be wrong, a part of a bin.
struct Bins {
  const int bins;
  const Edge low, scale, end, far;
  const Edge *const edges;
  __device__ __forceinline__ Bins(const int bins, const Edge low, const Edge scale, const Edge near, const Edge *edges)
      : bins(bins), low(low), scale(scale), end((Edge)bins + (Edge)0.5), far((Edge)0.5 - near), edges(edges) {}
  __device__ __forceinline__ int place(const @type@ element, bool &sure) const {
    // NaN becomes -0.5, which is outside.
    const Edge t = min(max(((Edge)element - low) * scale, (Edge)-0.5), end);
    const Edge down = @down@(t, (Edge)@magic@); // its last bits are the whole number that is not greater
    sure = fabs(t - (down - (Edge)@magic@) - (Edge)0.5) < far;
    return @whole@;
  }
  __device__ __forceinline__ int settled(const @type@ element, const int place) const {
    const Edge x = (Edge)element, t = min(max((x - low) * scale, (Edge)-0.5), end);
    const int edge = min(max(@nearest@(t), 0), bins); // the nearest one
    const Edge at = edges[edge];
    if (x >= at) return edge == bins && x == at ? bins - 1 : edge;
    return x < at ? edge - 1 : -1;
  }
};

//: edges
// How bins are found. place() is the number of a bin, from 0, or lower or higher than there are bins, but by no more
// than one; sure: it is so. Otherwise settled() knows.
//
// Between which edges an element is; the last bin includes its upper one.
struct Bins {
  const int bins;
  const Edge *const edges;
  __device__ __forceinline__ Bins(const int bins, const Edge *edges) : bins(bins), edges(edges) {}
  __device__ __forceinline__ int place(const @type@ element, bool &) const {
    const Edge x = (Edge)element;
    if (!(x >= edges[0] && x <= edges[bins])) return bins;
    int low = 0, high = bins - 1; // the last edge that is not greater, of these
    while (low < high) {
      const int middle = low + (high - low + 1) / 2;
      if (edges[middle] <= x) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  __device__ __forceinline__ int settled(const @type@, const int place) const { return place; }
};

//: count
typedef @memory@ Element;
struct __align__(16) Pack {
  Element e[PER];
};

// Counts in shared memory, 2^log_columns counters for a bin, and for one before and one behind all.
extern "C" __global__ void __launch_bounds__(256)
    array_count(const unsigned long long n, const Element *in, unsigned long long *counts, const int bins,
                const unsigned log_columns@params@) {
  __shared__ unsigned counters[WORDS + 2 * 32];
@copy@
  for (unsigned i = threadIdx.x; i < bins + 2 << log_columns; i += 256) counters[i] = 0;
  __syncthreads();
  const Bins b(bins@arguments@);
  const unsigned shift = log_columns + 2, own = (unsigned)__cvta_generic_to_shared(counters) + (1u << shift) +
                                                 (threadIdx.x & (1u << log_columns) - 1) * 4;
  const auto add = [&](const int bin) {
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"((bin << shift) + own) : "memory");
  };
  const auto add_one = [&](const Element raw) {
    bool sure = true;
    int bin = b.place(@load@, sure);
    if (!sure) bin = b.settled(@load@, bin);
    add(bin);
  };
  const auto add_pack = [&](const Pack &x) {
    int bin[PER];
    bool sure = true;
#pragma unroll
    for (int e = 0; e < PER; e++) {
      const Element raw = x.e[e];
      bool own_sure = true;
      bin[e] = b.place(@load@, own_sure);
      sure = sure && own_sure;
    }
    if (!sure)
#pragma unroll
      for (int e = 0; e < PER; e++) {
        const Element raw = x.e[e];
        bin[e] = b.settled(@load@, bin[e]);
      }
#pragma unroll
    for (int e = 0; e < PER; e++) add(bin[e]);
  };
  const unsigned long long packs = n / PER, step = gridDim.x * (256ull * AT_ONCE);
  unsigned long long first = blockIdx.x * (256ull * AT_ONCE);
  const Pack *from = (const Pack *)in + first + threadIdx.x;
  Pack now[AT_ONCE], next[AT_ONCE]; // what is counted, and what is loaded meanwhile
  const auto is_whole = [&] { return first + 256 * AT_ONCE <= packs; };
  if (is_whole())
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) now[k] = from[k * 256];
  while (is_whole()) {
    first += step;
    from += step;
    if (is_whole())
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) next[k] = from[k * 256];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) add_pack(now[k]);
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) now[k] = next[k];
  }
  for (unsigned i = threadIdx.x; first + i < packs; i += 256, from += 256) add_pack(*from);
  if (blockIdx.x == 0 && threadIdx.x < n % PER) add_one(in[packs * PER + threadIdx.x]);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += 256) {
    unsigned sum = 0;
    for (unsigned c = 0; c < 1u << log_columns; c++)
      sum += counters[(bin + 1 << log_columns) + ((c + threadIdx.x) & (1u << log_columns) - 1)];
    if (sum) atomicAdd(counts + bin, (unsigned long long)sum);
  }
}

//: copy
  __shared__ Edge near_edges[NEAR_EDGES + 1];
  const Edge *close_edges = edges;
  if (bins <= NEAR_EDGES) {
    for (int i = threadIdx.x; i <= bins; i += 256) near_edges[i] = edges[i];
    close_edges = near_edges;
  }
//: many
// The same for more bins than shared memory has room for.
typedef @memory@ Element;

extern "C" __global__ void __launch_bounds__(256)
    array_count_many(const unsigned long long n, const Element *in, unsigned long long *counts,
                     const int bins@params@) {
  const Bins b(bins@arguments@);
  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) {
    const Element raw = in[i];
    bool sure = true;
    int bin = b.place(@load@, sure);
    if (!sure) bin = b.settled(@load@, bin);
    if ((unsigned)bin < bins) { // those of the warp with this bin, at once
      const unsigned same = __match_any_sync(__activemask(), bin);
      if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(counts + bin, (unsigned long long)__popc(same));
    }
  }
}

//: bins
// The bin of each element as a number; `bins` for those that are in none.
typedef @memory@ Element;

extern "C" __global__ void __launch_bounds__(256)
    array_count_bins(const unsigned long long n, const Element *in, unsigned *out, const int bins@params@) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i >= n) return;
  const Bins b(bins@arguments@);
  const Element raw = in[i];
  bool sure = true;
  int bin = b.place(@load@, sure);
  if (!sure) bin = b.settled(@load@, bin);
  out[i] = (unsigned)(bin < 0 ? bins : bin);
}

//: sums
// Sums of weights that lie in the order of their bins, which are in `of`. A warp has one of `parts` equal parts of a
// bin's weights; which lane adds what, and in which order, depends on their number alone.
static __device__ __forceinline__ unsigned long long first_of(const unsigned *of, const unsigned long long n,
                                                              const unsigned bin) {
  unsigned long long low = 0, high = n;
  while (low < high) {
    const unsigned long long middle = low + (high - low) / 2;
    if (of[middle] < bin) low = middle + 1;
    else high = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(256)
    array_count_sums(const unsigned long long n, const unsigned *of, const @weight@ *weights, double *out,
                     const unsigned long long outputs, const unsigned parts) {
  const unsigned long long output = blockIdx.x * 8ull + threadIdx.x / 32;
  if (output >= outputs) return;
  const unsigned bin = (unsigned)(output / parts), part = (unsigned)(output % parts), lane = threadIdx.x % 32;
  const unsigned long long start = first_of(of, n, bin), size = first_of(of, n, bin + 1) - start;
  const unsigned long long each = (size + parts - 1) / parts, from = min(part * each, size);
  const unsigned long long to = min(from + each, size);
  double sum[4] = {0, 0, 0, 0};
  unsigned long long i = start + from + lane;
  for (; i + 96 < start + to; i += 128)
#pragma unroll
    for (int k = 0; k < 4; k++) sum[k] += (double)weights[i + k * 32];
#pragma unroll
  for (int k = 0; k < 3; k++)
    if (i + k * 32 < start + to) sum[k] += (double)weights[i + k * 32];
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) all += __shfl_down_sync(0xffffffffu, all, step);
  if (lane == 0) out[output] = all;
}
