// The first few elements of each row in their order, without sorting the others. It stands behind keys and tile of
// sort.cu, and behind sums if rows are read again.
//
// A block has a row. It looks for a bound that `count` elements at least do not exceed, gathers the elements up to the
// bound, and sorts these few, equal ones by their places. Threads keep short rows in registers and read long ones again.
//
// A cheap bound comes first: each thread takes the best element of each of its GROUPS, and `count` of the best do not
// exceed the count-th of them. Of random elements few more than `count` are within it. Where too many are, as in rows
// that repeat every so many elements, the bound is the count-th element of the row itself.

//: entry_short
// An element that may be one of the first: its key and its place, which are compared at once.
typedef unsigned long long Entry;
static __device__ __forceinline__ Entry entry(const Key key, const unsigned place) { return (Entry)key << 32 | place; }
static __device__ __forceinline__ unsigned place_of(const Entry e) { return (unsigned)e; }
static __device__ __forceinline__ bool before(const Entry a, const Entry b) { return a < b; }
static __device__ __forceinline__ Entry of_lane(const Entry e, const unsigned distance) {
  return __shfl_xor_sync(0xffffffffu, e, distance);
}

//: entry_long
// An element that may be one of the first: its key and its place.
struct __align__(16) Entry {
  Key key;
  unsigned long long place;
};
static __device__ __forceinline__ Entry entry(const Key key, const unsigned place) { return {key, place}; }
static __device__ __forceinline__ unsigned place_of(const Entry e) { return (unsigned)e.place; }
static __device__ __forceinline__ bool before(const Entry a, const Entry b) {
  return a.key < b.key || a.key == b.key && a.place < b.place;
}
static __device__ __forceinline__ Entry of_lane(const Entry e, const unsigned distance) {
  return {__shfl_xor_sync(0xffffffffu, e.key, distance), __shfl_xor_sync(0xffffffffu, e.place, distance)};
}

//: bound
// How many values of all threads fulfil something; `own` is this thread's number. Successive calls take turns with
// `flip`, so that one barrier is enough.
static __device__ __forceinline__ unsigned count_all(unsigned own, const unsigned flip) {
  __shared__ unsigned of_warp[2][WARPS];
#pragma unroll
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xffffffffu, own, step);
  if (threadIdx.x % 32 == 0) of_warp[flip][threadIdx.x / 32] = own;
  __syncthreads();
  unsigned all = 0;
#pragma unroll
  for (int w = 0; w < WARPS; w++) all += of_warp[flip][w];
  return all;
}

// A bound that at least `count` values of all threads do not exceed: the count-th value, or a higher bound that exactly
// `count` values do not exceed. Only the first n values exist. The search sets one bit of the bound after the other. It
// begins with the highest bit in which any two values differ.
template <int N> static __device__ __forceinline__ Key bound_of(const Key (&x)[N], const unsigned n,
                                                                const unsigned count) {
  __shared__ Key of_warp[2][WARPS];
  Key low = (Key)~(Key)0, high = 0;
#pragma unroll
  for (int k = 0; k < N; k++)
    if (threadIdx.x + k * THREADS < n) low = min(low, x[k]), high = max(high, x[k]);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    low = min(low, (Key)__shfl_xor_sync(0xffffffffu, low, step));
    high = max(high, (Key)__shfl_xor_sync(0xffffffffu, high, step));
  }
  __syncthreads(); // a row may have two bounds
  if (threadIdx.x % 32 == 0) of_warp[0][threadIdx.x / 32] = low, of_warp[1][threadIdx.x / 32] = high;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < WARPS; w++) low = min(low, of_warp[0][w]), high = max(high, of_warp[1][w]);
  if (count == 1 || low == high) return low;
  int bit = 63 - __clzll((long long)(unsigned long long)(Key)(low ^ high));
  Key found = (Key)(low >> bit << bit);
  unsigned flip = 0;
#pragma unroll 1
  for (;; bit--, flip ^= 1) {
    const Key here = (Key)((Key)1 << bit), tried = (Key)(found & (Key)~here | (Key)(here - 1));
    unsigned within;
    if (N == 1) {
      within = __syncthreads_count(x[0] <= tried);
    } else {
      unsigned own = 0;
#pragma unroll
      for (int k = 0; k < N; k++) own += x[k] <= tried; // what is not there has all bits, which this has not
      within = count_all(own, flip);
    }
    if (within == count) return tried;
    found = within < count ? (Key)(found | here) : (Key)(found & (Key)~here);
    if (bit == 0) return found;
  }
}

//: digits
// The count-th of the keys of a row that is read again each time, digit by digit from the highest: in each pass, of the
// elements that agree with the digits found so far.
template <class Visit> static __device__ __forceinline__ Key bound_by_digits(const Visit &visit, unsigned count) {
  __shared__ unsigned counters[WARPS][DIGITS];
  __shared__ unsigned found_digit, found_before;
  Key last = 0;
#pragma unroll 1
  for (int pass = PASSES - 1; pass >= 0; pass--) {
    for (unsigned i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) counters[i / DIGITS][i % DIGITS] = 0;
    __syncthreads();
    visit([&](const unsigned, const Key key) {
      if (pass < PASSES - 1 && (Key)(key >> 8 * (pass + 1) % BITS) != last) return;
      const unsigned digit = key >> 8 * pass & DIGITS - 1, active = __activemask();
      // Elements of one digit would wait for each other: those of the first lane's are added at once.
      const unsigned leader = __ffs(active) - 1;
      const bool same = __shfl_sync(active, digit, leader) == digit;
      const unsigned all = __ballot_sync(active, same);
      if (!same) atomicAdd(&counters[threadIdx.x / 32][digit], 1u);
      else if (threadIdx.x % 32 == leader) atomicAdd(&counters[threadIdx.x / 32][digit], (unsigned)__popc(all));
    });
    __syncthreads();
    unsigned mine = 0; // of the digit with this thread's number
#pragma unroll
    for (int w = 0; w < WARPS; w++) mine += counters[w][threadIdx.x];
    const unsigned lower = sum_before(mine);
    if (lower < count && count <= lower + mine) found_digit = threadIdx.x, found_before = lower;
    __syncthreads();
    last = (Key)((pass == PASSES - 1 ? (Key)0 : (Key)(last << 8 % BITS)) | found_digit);
    count -= found_before;
  }
  return last;
}

//: order
// A bitonic sort of up to E * THREADS entries. A thread has E neighbours; those that are further apart are exchanged by
// shuffles, and beyond a warp in shared memory.
template <int E> static __device__ __forceinline__ void sort_entries(Entry *const chosen, const unsigned m) {
  Entry own[E];
#pragma unroll
  for (int r = 0; r < E; r++) {
    const unsigned i = r * THREADS + threadIdx.x;
    own[r] = i < m ? chosen[i] : entry((Key)~(Key)0, ~0u);
  }
  unsigned room = 32 * E;
  while (room < m) room *= 2;
  const unsigned first = threadIdx.x * E;
  const bool has_some = threadIdx.x / 32 * (32 * E) < room; // the same for all threads of a warp
  const auto keep = [&](const int r, const Entry other, const unsigned width, const unsigned step) {
    const bool lower = ((first + r & width) == 0) == ((first + r & step) == 0);
    if (before(other, own[r]) == lower) own[r] = other;
  };
#pragma unroll 1
  for (unsigned width = 2; width <= room; width *= 2) {
#pragma unroll 1
    for (unsigned step = width / 2; step > 0; step /= 2) {
      if (step >= 32 * E) {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < E; r++) chosen[r * THREADS + threadIdx.x] = own[r];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < E; r++) keep(r, chosen[r * THREADS + (threadIdx.x ^ step / E)], width, step);
      } else if (step >= E) {
        if (has_some)
#pragma unroll
          for (int r = 0; r < E; r++) keep(r, of_lane(own[r], step / E), width, step);
      } else {
#pragma unroll
        for (int r = 0; r < E; r++) {
#pragma unroll
          for (int s = 1; s < E; s *= 2) {
            if (s != step || r & s) continue;
            const Entry a = own[r], b = own[(r | s) % E];
            keep(r, b, width, s);
            keep((r | s) % E, a, width, s);
          }
        }
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < E; r++)
    if (first + r < m) chosen[first + r] = own[r];
  __syncthreads();
}

// Puts entries in their order: each of a few counts those before it.
static __device__ __forceinline__ void put_in_order(Entry *const chosen, const unsigned m) {
  if (m <= RANKED) {
    const Entry own = chosen[threadIdx.x < m ? threadIdx.x : 0];
    unsigned rank = 0;
    if (threadIdx.x / 32 * 32 < m)
#pragma unroll 8
      for (unsigned i = 0; i < m; i++) rank += before(chosen[i], own);
    __syncthreads();
    if (threadIdx.x < m) chosen[rank] = own;
    __syncthreads();
  } else if (m <= THREADS) {
    sort_entries<1>(chosen, m);
  } else if (m <= 2 * THREADS) {
    sort_entries<2>(chosen, m);
  } else {
    sort_entries<4>(chosen, m);
  }
}

//: rows
enum { MOST = @most@, RESIDENT = @resident@, WHOLE = @whole@, GROUPS = @groups@, RANKED = @ranked@ };
@entry@
@order@

extern "C" __global__ void __launch_bounds__(THREADS, @blocks@)
    array_topk_rows(const unsigned n, const unsigned count, const unsigned order_of, const Key *in, Key *out,
                    long long *positions) {
  __shared__ Entry chosen[MOST];
  __shared__ unsigned long long of_warp[WARPS];
  __shared__ unsigned tally[2][WARPS];
  const Order order(order_of);
  const Key *const row = in + (unsigned long long)blockIdx.x * n;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto key_at = [&](const unsigned i) { return order.plain(order.encode(row[i])); };
  const auto is_there = [&](const unsigned i) { return WHOLE || i < n; };
  Key keys[RESIDENT ? ITEMS : 1];
  if (RESIDENT)
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const unsigned i = threadIdx.x + k * THREADS;
      keys[k] = is_there(i) ? row[i] : 0;
    }
  if (RESIDENT)
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const unsigned i = threadIdx.x + k * THREADS;
      keys[k] = is_there(i) ? order.plain(order.encode(keys[k])) : (Key)~(Key)0;
    }
  const auto visit = [&](const auto &f) { // the elements of this thread
    if (RESIDENT) {
#pragma unroll
      for (int k = 0; k < ITEMS; k++)
        if (is_there(threadIdx.x + k * THREADS)) f(threadIdx.x + k * THREADS, keys[RESIDENT ? k : 0]);
    } else {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < n; i += THREADS) f(i, key_at(i));
    }
  };
  const auto bound_of_row = [&] { return @bound_of_row@; };

  Key bound;
  if (GROUPS > 0) {
    Key best[GROUPS > 0 ? GROUPS : 1];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) best[g] = (Key)~(Key)0;
    if (RESIDENT) {
#pragma unroll
      for (int k = 0; k < ITEMS; k++) best[k % @some_groups@] = min(best[k % @some_groups@], keys[RESIDENT ? k : 0]);
    } else {
#pragma unroll 1
      for (unsigned first = threadIdx.x; first < n; first += 8 * THREADS) {
        Key raw[8];
#pragma unroll
        for (int k = 0; k < 8; k++) raw[k] = first + k * THREADS < n ? row[first + k * THREADS] : row[first];
#pragma unroll
        for (int k = 0; k < 8; k++)
          if (first + k * THREADS < n)
            best[k % @some_groups@] = min(best[k % @some_groups@], order.plain(order.encode(raw[k])));
      }
    }
    bound = bound_of(best, GROUPS * THREADS, count);
  } else {
    bound = bound_of_row();
  }

  unsigned lower, equal, m, to; // elements below the bound and on it; how many are gathered, where this thread's go
  bool with_equal;              // all elements on the bound are gathered, too
#pragma unroll 1
  for (bool cheap = GROUPS > 0;; cheap = false) {
    unsigned own_lower = 0, own_equal = 0;
    visit([&](const unsigned, const Key key) { own_lower += key < bound, own_equal += key == bound; });
    unsigned long long sum = (unsigned long long)own_lower << 32 | own_equal;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const unsigned long long other = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += other;
    }
    __syncthreads();
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    unsigned long long all = 0, earlier = sum - ((unsigned long long)own_lower << 32 | own_equal);
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
      if (w < warp) earlier += of_warp[w];
      all += of_warp[w];
    }
    lower = (unsigned)(all >> 32), equal = (unsigned)all;
    with_equal = lower < count && equal <= min((unsigned)MOST, max(2 * count, 128u)) - lower;
    m = with_equal ? lower + equal : max(lower, count);
    to = (unsigned)(earlier >> 32) + (with_equal ? (unsigned)earlier : 0);
    if (!cheap || lower <= MOST) break;
    bound = bound_of_row();
  }

  visit([&](const unsigned i, const Key key) {
    if (key < bound || with_equal && key == bound) chosen[to++] = entry(key, i);
  });
  if (lower < count && !with_equal) { // of equal ones the first in the row
    const unsigned missing = count - lower;
    unsigned found = 0, flip = 0;
#pragma unroll 1
    for (unsigned first = 0; first < n && found < missing; first += THREADS, flip ^= 1) {
      const unsigned i = first + threadIdx.x;
      const bool is = i < n && key_at(i) == bound;
      const unsigned equals = __ballot_sync(0xffffffffu, is);
      if (lane == 0) tally[flip][warp] = __popc(equals);
      __syncthreads();
      unsigned rank = found + __popc(equals & (1u << lane) - 1);
#pragma unroll
      for (int w = 0; w < WARPS; w++) {
        const unsigned some = tally[flip][w];
        if (w < warp) rank += some;
        found += some;
      }
      if (is && rank < missing) chosen[lower + rank] = entry(bound, i);
    }
  }
  __syncthreads();
  put_in_order(chosen, m);
  for (unsigned i = threadIdx.x; i < count; i += THREADS) {
    const unsigned long long at = (unsigned long long)blockIdx.x * count + i;
    const unsigned place = place_of(chosen[i]);
    out[at] = order.decode(order.encode(row[place]));
    positions[at] = (long long)place + 1;
  }
}
