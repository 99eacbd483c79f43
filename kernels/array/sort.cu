// Sorting by radix: 8 bits of the keys at a time, from the lowest. Each pass keeps the order of equal digits, so that
// the whole is stable, and what comes out does not depend on which block does what.
//
// Keys are the bits of elements as unsigned numbers, changed so that their order is the elements' order: see order.

//: keys
// Key: an unsigned type of an element's size; SignedKey: the signed one.
typedef @key@ Key;
typedef @signed@ SignedKey;
enum { BITS = @bits@, PASSES = BITS / 8, DIGITS = 256, FLOATS = @floats@ };

// What the elements are, in one number: the top 16 bits of a float's infinity, and flags.
enum { SIGNED = 1 << 16, DESCENDING = 1 << 17 };

struct Order {
  Key sign, body, infinity, all;
  __device__ __forceinline__ Order(const unsigned order) {
    const Key top = (Key)1 << (BITS - 1);
    all = order & DESCENDING ? (Key)~(Key)0 : 0;
    sign = FLOATS ? top : order & SIGNED ? (Key)(top ^ all) : all;
    body = (Key)(top - 1);
    infinity = FLOATS ? (Key)((Key)(order & 0xffff) << (BITS >= 16 ? BITS - 16 : 0)) : 0;
  }
  // All NaNs are one key, the highest; -0 keeps its sign, which digit() does not see.
  __device__ __forceinline__ Key encode(const Key x) const {
    if (!FLOATS) return x ^ sign;
    const Key flipped = (Key)((SignedKey)x >> (BITS - 1)) | sign;
    return ((Key)(x & body) > infinity ? (Key)~(Key)0 : (Key)(x ^ flipped)) ^ all;
  }
  __device__ __forceinline__ Key decode(const Key key) const {
    if (!FLOATS) return key ^ sign;
    const Key straight = key ^ all;
    return straight ^ ((Key)~((SignedKey)straight >> (BITS - 1)) | sign);
  }
  // The key of 0 for that of -0.
  __device__ __forceinline__ Key plain(const Key key) const {
    return FLOATS && key == (Key)(body ^ all) ? (Key)(sign ^ all) : key;
  }
  __device__ __forceinline__ unsigned digit(Key key, const unsigned pass) const {
    key = plain(key);
    const unsigned word = BITS == 64 && pass >= 4 ? (unsigned)((unsigned long long)key >> 32) : (unsigned)key;
    return __byte_perm(word, 0, 0x4440 | (pass & 3));
  }
};

//: tile
enum { THREADS = @threads@, ITEMS = @items@, WARPS = THREADS / 32, TILE = THREADS * ITEMS };

//: ranks
// The lanes of the warp that have this digit, too.
static __device__ __forceinline__ unsigned peers(const unsigned digit) {
  unsigned mask = 0xffffffffu;
#pragma unroll
  for (int bit = 1; bit < 256; bit *= 2) {
    unsigned same; // of this bit
    asm volatile("{\n\t.reg .pred set;\n\tsetp.ne.u32 set, %1, 0;\n\t"
                 "vote.sync.ballot.b32 %0, set, 0xffffffff;\n\t@!set not.b32 %0, %0;\n\t}"
                 : "=r"(same)
                 : "r"(digit & bit));
    mask &= same;
  }
  return mask;
}

// How many elements with this digit came before, by a counter of the warp, which counts this one, too. The address is
// that of the warp's counters in shared memory.
static __device__ __forceinline__ unsigned rank(const unsigned counters, const unsigned digit, const unsigned lane,
                                                const unsigned lanes_below) {
  const unsigned mask = peers(digit), leader = 31 - __clz(mask), lower = __popc(mask & lanes_below);
  unsigned before = 0;
  asm volatile("{\n\t.reg .pred leads;\n\tsetp.eq.u32 leads, %1, %2;\n\t"
               "@leads atom.shared.add.u32 %0, [%3], %4;\n\t}"
               : "+r"(before)
               : "r"(lane), "r"(leader), "r"(counters + 4 * digit), "r"(lower + 1)
               : "memory");
  return __shfl_sync(0xffffffffu, before, leader) + lower;
}

//: sums
// The sum of the values of the threads before this one, of the first 256.
template <typename T> static __device__ __forceinline__ T sum_before(const T value) {
  __shared__ T of_warp[8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T sum = value;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31 && warp < 8) of_warp[warp] = sum;
  __syncthreads();
  T before = sum - value;
#pragma unroll
  for (int w = 0; w < 8; w++)
    if (w < warp) before += of_warp[w];
  return before;
}

//: rows
// Short rows: a block sorts as many whole ones as fit in its tile, `per`, at once, the number of the row being the last
// digit. Positions in the row, from 1, go to `positions`. Either result may be missing.
extern "C" __global__ void __launch_bounds__(THREADS, @blocks@)
    array_sort_rows(const unsigned n, const unsigned long long rows, const unsigned per, const unsigned order_of,
                    const Key *in, Key *out, const bool with_keys, long long *positions, const bool with_positions) {
  __shared__ Key keys[TILE];
  __shared__ unsigned short places[TILE];
  __shared__ unsigned counters[WARPS][DIGITS];
  const Order order(order_of);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned long long first_row = (unsigned long long)blockIdx.x * per, first = first_row * n;
  const unsigned count = (unsigned)min((unsigned long long)per, rows - first_row) * n;
  for (unsigned i = threadIdx.x; i < count; i += THREADS) {
    keys[i] = order.encode(in[first + i]);
    places[i] = (unsigned short)i;
  }
  for (unsigned i = count + threadIdx.x; i < TILE; i += THREADS) {
    keys[i] = 0;
    places[i] = 0;
  }
  const unsigned items = (count + THREADS - 1) / THREADS, own = warp * items * 32 + lane;
  const unsigned my_counters = (unsigned)__cvta_generic_to_shared(counters[warp]), below = (1u << lane) - 1;
  const int passes = n == 1 ? 0 : per > 1 ? PASSES + 1 : PASSES;
  const unsigned reciprocal = 0xffffffffu / n + 1; // of 32 bits: exact for places, where n is not 1
  for (int pass = 0; pass < passes; pass++) {
    Key key[ITEMS];
    unsigned rest[ITEMS]; // place, rank in the warp, digit: 12, 12 and 8 bits
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DIGITS; d += 32) counters[warp][d + lane] = 0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const unsigned i = own + k * 32;
      if (k >= items) break;
      key[k] = keys[i];
      const unsigned place = places[i];
      // What fills the last warps up comes behind all that has the highest digit.
      unsigned digit = pass < PASSES ? order.digit(key[k], pass) : __umulhi(place, reciprocal);
      if (i >= count) digit = DIGITS - 1;
      rest[k] = place << 20 | rank(my_counters, digit, lane, below) << 8 | digit;
    }
    __syncthreads();
    unsigned total = 0;
    if (threadIdx.x < DIGITS)
#pragma unroll
      for (int w = 0; w < WARPS; w++) total += counters[w][threadIdx.x];
    unsigned sum = sum_before(total);
    if (threadIdx.x < DIGITS)
#pragma unroll
      for (int w = 0; w < WARPS; w++) {
        const unsigned c = counters[w][threadIdx.x];
        counters[w][threadIdx.x] = sum;
        sum += c;
      }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      if (k >= items) break;
      const unsigned to = counters[warp][rest[k] & 255] + (rest[k] >> 8 & 4095);
      if (own + k * 32 < count) {
        keys[to] = key[k];
        places[to] = (unsigned short)(rest[k] >> 20);
      }
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += THREADS) {
    if (with_keys) out[first + i] = order.decode(keys[i]);
    if (with_positions) positions[first + i] = places[i] % n + 1;
  }
}

//: histogram
// How often each digit comes in each row, for all passes. A block has a part of a row.
typedef @count@ Count;

extern "C" __global__ void __launch_bounds__(256)
    array_sort_histogram(const unsigned long long n, const unsigned parts, const unsigned part_size,
                         const unsigned order_of, const Key *in, Count *histogram) {
  __shared__ unsigned counters[PASSES][DIGITS];
  const Order order(order_of);
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++) counters[pass][threadIdx.x] = 0;
  __syncthreads();
  const unsigned row = blockIdx.x / parts;
  const unsigned long long from = blockIdx.x % parts * (unsigned long long)part_size;
  const unsigned count = (unsigned)min((unsigned long long)part_size, n - from);
  in += row * n + from;
  const auto add = [&](const Key key) {
#pragma unroll
    for (int pass = 0; pass < PASSES; pass++) atomicAdd(&counters[pass][order.digit(key, pass)], 1u);
  };
  unsigned i = threadIdx.x;
  for (; i + 7 * 256 < count; i += 8 * 256) {
    Key key[8];
#pragma unroll
    for (int k = 0; k < 8; k++) key[k] = in[i + k * 256];
#pragma unroll
    for (int k = 0; k < 8; k++) add(order.encode(key[k]));
  }
  for (; i < count; i += 256) add(order.encode(in[i]));
  __syncthreads();
  histogram += row * (unsigned long long)(PASSES * DIGITS) + threadIdx.x;
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++) {
    const unsigned c = counters[pass][threadIdx.x];
    if (c) atomicAdd(histogram + pass * DIGITS, (Count)c);
  }
}

// What each pass does. A pass whose digit is the same everywhere has nothing to do, unless it would be the only one.
extern "C" __global__ void __launch_bounds__(256)
    array_sort_plan(const unsigned long long n, const unsigned rows, const Count *histogram, unsigned *plan) {
  bool run[PASSES];
  int passes = 0;
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++) {
    run[pass] = rows > 1 || !__syncthreads_or(histogram[pass * DIGITS + threadIdx.x] == n);
    passes += run[pass];
  }
  if (threadIdx.x > 0) return;
  if (passes == 0) run[0] = true, passes = 1;
  int left = passes;
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++) {
    unsigned word = 0;
    if (run[pass]) {
      word = RUN | (left == passes ? FIRST : 0) | (left == 1 ? LAST : 0) | (left % 2 ? TO_OUT : 0);
      left--;
    }
    plan[pass] = word;
  }
}

//: plan
// A pass reads from `in`, if it is the first, else from where the one before wrote to: `out` and `spare` in turn, so
// that the last one writes to `out`.
enum { RUN = 1, FIRST = 2, LAST = 4, TO_OUT = 8 };

//: pass
// One digit. A block takes the next tile, ranks its elements, and adds up what the tiles before it have: each tile
// tells its numbers as soon as it has counted (PARTIAL), and the sum with all before once it knows that (INCLUSIVE).
// Tiles are numbered in the order in which blocks begin, so that those before it are under way.
typedef @count@ Count;
typedef @value@ Value;
enum { STATE = 8 * sizeof(Count) - 2, WITH_VALUES = @with_values@, AHEAD = 4 };
static const Count PARTIAL = (Count)1 << STATE, INCLUSIVE = (Count)2 << STATE, NUMBER = PARTIAL - 1;

// The sum of what the tiles before this one have of a digit; `told` is this tile's word.
static __device__ __forceinline__ Count tiles_before(volatile const Count *told, const unsigned tile) {
  Count sum = 0;
  for (unsigned at = 1;; at += AHEAD) {
    Count word[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) word[k] = told[-(long long)min(at + k, tile) * DIGITS];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      while (!(word[k] >> STATE)) word[k] = told[-(long long)min(at + k, tile) * DIGITS];
      sum += word[k] & NUMBER;
      if (word[k] & INCLUSIVE) return sum;
    }
  }
}

// Writes a tile's keys, which lie in their order, to where their digits begin.
template <bool WHOLE, bool DECODED>
static __device__ __forceinline__ void write(const Order &order, const unsigned pass, const unsigned count,
                                             const Key *keys, const Count *base, Key *to) {
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    const unsigned i = threadIdx.x + k * THREADS;
    const Key x = keys[i];
    const Count place = base[order.digit(x, pass)] + i;
    if (WHOLE || i < count) to[place] = DECODED ? order.decode(x) : x;
  }
}

// Values go with the keys: those of `value_in`, or, with `number`, the positions in the row, from 0. With `positions`
// the last pass writes them as long long, from 1. Keys are not written at last without with_keys.
extern "C" __global__ void __launch_bounds__(THREADS, @blocks@)
    array_sort_pass(const unsigned long long n, const unsigned tiles, const unsigned pass, const unsigned order_of,
                    const unsigned *plan, unsigned *tickets, const Count *histogram, Count *words, const Key *in,
                    Key *spare, Key *out, const bool with_keys@value_params@) {
  __shared__ union {
    Key keys[TILE];
    Value values[WITH_VALUES ? TILE : 1];
  } staged;
  __shared__ unsigned counters[WARPS][DIGITS];
  __shared__ Count base[DIGITS];
  __shared__ unsigned ticket;
  const unsigned todo = plan[pass];
  if (!(todo & RUN)) return;
  const Order order(order_of);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) ticket = atomicAdd(tickets + pass, 1u);
  for (unsigned i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) counters[0][i] = 0;
  __syncthreads();
  const unsigned tile = ticket % tiles;
  const unsigned long long row = ticket / tiles, first = tile * (unsigned long long)TILE;
  const unsigned count = (unsigned)min((unsigned long long)TILE, n - first), own = warp * ITEMS * 32 + lane;
  const Key *from = (todo & FIRST ? in : todo & TO_OUT ? spare : out) + row * n + first + own;

  // What fills the last tile up has the highest digit and comes last.
  Key key[ITEMS];
  if (count == TILE) {
#pragma unroll
    for (int k = 0; k < ITEMS; k++) key[k] = from[k * 32];
  } else {
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
      if (own + k * 32 < count) key[k] = from[k * 32];
  }
  if (todo & FIRST)
#pragma unroll
    for (int k = 0; k < ITEMS; k++) key[k] = order.encode(key[k]);
  if (count < TILE)
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
      if (own + k * 32 >= count) key[k] = (Key)~(Key)0;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) atomicAdd(&counters[warp][order.digit(key[k], pass)], 1u);
  __syncthreads();

  // A thread has a digit.
  unsigned total = 0;
  Count *told = words + (row * tiles + tile) * DIGITS + threadIdx.x;
  if (threadIdx.x < DIGITS) {
#pragma unroll
    for (int w = 0; w < WARPS; w++) total += counters[w][threadIdx.x];
    if (tile > 0) *(volatile Count *)told = PARTIAL | total;
  }
  Count start = 0; // of the digit's elements of the row, in the first tile
  if (tile == 0) {
    start = sum_before(threadIdx.x < DIGITS ? histogram[(row * PASSES + pass) * DIGITS + threadIdx.x] : (Count)0);
    if (threadIdx.x < DIGITS) *(volatile Count *)told = INCLUSIVE | (start + total);
    __syncthreads();
  }
  const unsigned before = sum_before(total);
  if (threadIdx.x < DIGITS) {
    unsigned sum = before;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
      const unsigned c = counters[w][threadIdx.x];
      counters[w][threadIdx.x] = sum;
      sum += c;
    }
  }
  __syncthreads();

@at@
  const unsigned my_counters = (unsigned)__cvta_generic_to_shared(counters[warp]), below = (1u << lane) - 1;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    const unsigned place = rank(my_counters, order.digit(key[k], pass), lane, below);
    staged.keys[place] = key[k];
@keep_place@
  }
  if (threadIdx.x < DIGITS) {
    if (tile > 0) {
      start = tiles_before(told, tile);
      *(volatile Count *)told = INCLUSIVE | (start + total);
    }
    base[threadIdx.x] = start - before;
  }
  __syncthreads();

  Key *to = (todo & TO_OUT ? out : spare) + row * n;
  asm volatile("" : "+l"(to)); // which is worth a register
  __builtin_assume(__isGlobal(to));
  if (!(todo & LAST)) {
    if (count == TILE) write<true, false>(order, pass, count, staged.keys, base, to);
    else write<false, false>(order, pass, count, staged.keys, base, to);
  } else if (with_keys) {
    if (count == TILE) write<true, true>(order, pass, count, staged.keys, base, to);
    else write<false, true>(order, pass, count, staged.keys, base, to);
  }
@values@
}

//: value_params
, const Value *value_in, Value *value_spare, Value *value_out, const bool number, const bool positions
//: values
  Count place_of[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    const unsigned i = threadIdx.x + k * THREADS;
    place_of[k] = (Count)(base[order.digit(staged.keys[i], pass)] + i);
  }
  Value value[ITEMS];
  if (number && todo & FIRST) {
#pragma unroll
    for (int k = 0; k < ITEMS; k++) value[k] = (Value)(first + own + k * 32);
  } else {
    const Value *values_from = (todo & FIRST ? value_in : todo & TO_OUT ? value_spare : value_out) + row * n + first;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
      if (own + k * 32 < count) value[k] = values_from[own + k * 32];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++)
    if (at[k] < count) staged.values[at[k]] = value[k];
  __syncthreads();
  if (positions && todo & LAST) {
    long long *last = (long long *)value_out + row * n;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const unsigned i = threadIdx.x + k * THREADS;
      if (i < count) last[place_of[k]] = (long long)staged.values[i] + 1;
    }
  } else {
    Value *values_to = (todo & TO_OUT ? value_out : value_spare) + row * n;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const unsigned i = threadIdx.x + k * THREADS;
      if (i < count) values_to[place_of[k]] = staged.values[i];
    }
  }
//: select_count
// The key of the element that has a rank in the order, by its digits from the highest on: how often each digit comes
// among the elements that have the digits found so far, and in which of them the rank falls. `found` is these digits,
// and the rank among the elements that have them, from 0.

// Each digit has a counter for every lane: elements with the same digit do not wait for each other.
extern "C" __global__ void __launch_bounds__(256)
    array_select_count(const unsigned long long n, const unsigned pass, const unsigned order_of, const Key *in,
                       const unsigned long long *found, unsigned long long *counts) {
  __shared__ unsigned counters[DIGITS * 32];
  for (unsigned i = threadIdx.x; i < DIGITS * 32; i += 256) counters[i] = 0;
  __syncthreads();
  const Order order(order_of);
  const Key higher = pass + 1 < PASSES ? (Key)~(((Key)1 << (8 * (pass + 1) & (BITS - 1))) - 1) : (Key)0;
  const Key digits = (Key)found[0];
  const unsigned own = (unsigned)__cvta_generic_to_shared(counters) + threadIdx.x % 32 * 4;
  const auto add = [&](const Key element) {
    const Key key = order.plain(order.encode(element));
    if (((key ^ digits) & higher) == 0)
      asm volatile("red.shared.add.u32 [%0], 1;" : : "r"((order.digit(key, pass) << 7) + own) : "memory");
  };
  const unsigned long long step = gridDim.x * 2048ull;
  for (unsigned long long first = blockIdx.x * 2048ull + threadIdx.x; first < n; first += step) {
    if (first - threadIdx.x + 2048 <= n) {
      Key x[8];
#pragma unroll
      for (int k = 0; k < 8; k++) x[k] = in[first + k * 256];
#pragma unroll
      for (int k = 0; k < 8; k++) add(x[k]);
    } else {
      for (unsigned long long i = first; i < n; i += 256) add(in[i]);
    }
  }
  __syncthreads();
  unsigned sum = 0;
  for (unsigned lane = 0; lane < 32; lane++) sum += counters[threadIdx.x * 32 + (lane + threadIdx.x) % 32];
  if (sum) atomicAdd(counts + threadIdx.x, (unsigned long long)sum);
}

//: select_digit
// One block. The counts begin as 0 again.
extern "C" __global__ void __launch_bounds__(256)
    array_select_digit(const unsigned pass, const unsigned long long first_rank, unsigned long long *found,
                       unsigned long long *counts) {
  __shared__ unsigned long long sums[DIGITS];
  const unsigned long long count = counts[threadIdx.x], rank = pass + 1 == PASSES ? first_rank : found[1];
  counts[threadIdx.x] = 0;
  unsigned long long sum = count;
  for (unsigned below = 1; below < DIGITS; below *= 2) {
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x >= below) sum += sums[threadIdx.x - below];
    __syncthreads();
  }
  if (rank >= sum - count && rank < sum) {
    found[0] |= (unsigned long long)threadIdx.x << 8 * pass;
    found[1] = rank - (sum - count);
  }
}

//: select_mask
// Which elements come in the order no later than those of the key that was found; 0 up to a multiple of four.
extern "C" __global__ void __launch_bounds__(256)
    array_select_mask(const unsigned long long n, const unsigned order_of, const Key *in,
                      const unsigned long long *found, unsigned *mask) {
  const Order order(order_of);
  const Key last = (Key)found[0];
  const unsigned long long i = (blockIdx.x * 256ull + threadIdx.x) * 4;
  if (i >= n) return;
  unsigned word = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (i + k < n && order.plain(order.encode(in[i + k])) <= last) word |= 1u << 8 * k;
  mask[i / 4] = word;
}

//: spread
// Of sorted elements, of which some begin a group (`starts`, from 1): the group's number, from 1, for each element, at
// the element's own position.
extern "C" __global__ void __launch_bounds__(256)
    array_sort_spread(const unsigned long long n, long long *out, const long long *positions, const long long *starts,
                      const unsigned long long groups) {
  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  if (i >= n) return;
  unsigned long long low = 0, high = groups;
  while (low < high) {
    const unsigned long long middle = low + (high - low) / 2;
    if (starts[middle] <= (long long)i + 1) low = middle + 1;
    else high = middle;
  }
  out[positions[i] - 1] = (long long)low;
}
