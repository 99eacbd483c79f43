// One value for each output, of many elements.
//
// Which values are combined with which depends on their number n alone, and not on how the arrays lie in
// memory, which of the kernels below does it, or on the device. The elements of an output make units of 1024.
// In a unit, lane l has the elements l, l + 32, l + 64, ... (32 lanes, of up to 32 elements); the lane's
// elements are combined pairwise: (0, 1) (2, 3) ..., then pairs with pairs, and so on; then the lanes, in the
// same way; then the units. What is missing to a power of two is neutral. So the values go through a binary
// tree of the least depth, which is what bounds the error of sums of floats; and any 2^k neighbours at any
// level can be combined by somebody else.
//
// A kernel's own part is written before this: acc_t neutral() start() combine() finish(), and in the kernels
// four functions: bases(k), where the elements of output k begin in all arrays; load(bases, r), element r of
// each array; value(raw), what is computed of them; out_at(k).

//: common
// Values that come one after the other, combined pairwise: as a binary number counts.
template <int LEVELS> struct Pairwise {
  acc_t left[LEVELS];
  unsigned count = 0;
  __device__ __forceinline__ void add(acc_t x) {
    bool done = false;
#pragma unroll
    for (int level = 0; level < LEVELS; level++) {
      if (!done) {
        if (count >> level & 1) {
          x = combine(left[level], x);
        } else {
          left[level] = x;
          done = true;
        }
      }
    }
    count++;
  }
  __device__ __forceinline__ acc_t result() const {
    acc_t x = neutral();
#pragma unroll
    for (int level = 0; level < LEVELS; level++)
      if (count >> level & 1) x = combine(left[level], x);
    return x;
  }
};

template <int N> static __device__ __forceinline__ acc_t pairwise(acc_t (&v)[N]) {
#pragma unroll
  for (int width = 1; width < N; width *= 2)
#pragma unroll
    for (int i = 0; i < N; i += 2 * width) v[i] = combine(v[i], v[i + width]);
  return v[0];
}

// The elements r, r + step, ... : the first m of N. All are loaded before the first is used.
template <int N, class Load, class Value>
static __device__ __forceinline__ acc_t batch(const Load &load, const Value &value, const bases_t &b, const index_t r,
                                              const unsigned step, const int m) {
  raw_t raw[N];
#pragma unroll
  for (int i = 0; i < N; i++)
    if (i < m) raw[i] = load(b, r + step * i);
  acc_t v[N];
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = i < m ? start(value(raw[i]), r + step * i) : neutral();
  return pairwise(v);
}

// What a lane has of the unit that begins at `first`.
template <class Load, class Value>
static __device__ __forceinline__ acc_t lane_of_unit(const Load &load, const Value &value, const bases_t &b,
                                                     const index_t n, const index_t first, const unsigned lane) {
  const index_t r = first + lane;
  if (r >= n) return neutral();
  const int m = min((int)(n - first < 1024 ? n - first : 1024) - (int)lane + 31 >> 5, 32);
  if (m == 1) return batch<1>(load, value, b, r, 32, 1);
  Pairwise<@levels@> sum;
#pragma unroll 1
  for (int i = 0; i < m; i += @batch@) sum.add(batch<@batch@>(load, value, b, r + 32 * i, 32, m - i));
  return sum.result();
}

//: warp
static __device__ __forceinline__ acc_t shuffle(const acc_t x, const unsigned mask) {
  union Words {
    acc_t x;
    unsigned word[sizeof(acc_t) / 4];
    __device__ Words() {}
  } words;
  words.x = x;
#pragma unroll
  for (int i = 0; i < sizeof(acc_t) / 4; i++) words.word[i] = __shfl_xor_sync(0xffffffffu, words.word[i], mask);
  return words.x;
}

// Combines 2^k neighbouring lanes of a warp; the first one has the result.
static __device__ __forceinline__ acc_t lanes(acc_t x, const unsigned count) {
  for (unsigned distance = 1; distance < count; distance *= 2) x = combine(x, shuffle(x, distance));
  return x;
}

//: block
// Combines 2^k neighbouring slots of the block, a slot being every `step`-th thread; the first one has the result.
static __device__ __forceinline__ acc_t slots(acc_t *shared, acc_t x, const unsigned step, const unsigned count) {
  const unsigned slot = threadIdx.x / step;
  __syncthreads();
  shared[threadIdx.x] = x;
  for (unsigned distance = 1; distance < count; distance *= 2) {
    __syncthreads();
    if ((slot & (2 * distance - 1)) == 0) {
      x = combine(x, shared[threadIdx.x + distance * step]);
      shared[threadIdx.x] = x;
    }
  }
  return x;
}

//: split
// An output that several blocks share: each leaves its part in memory, and the last one of them combines all parts.

// Is this the last one? It finds the counter as 0, and leaves it so.
static __device__ __forceinline__ bool is_last(unsigned *counter, const unsigned parts) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(counter, parts - 1) == parts - 1;
  __syncthreads();
  __threadfence();
  return last;
}

static __device__ __forceinline__ acc_t read(const acc_t *p) {
  union Words {
    acc_t x;
    unsigned word[sizeof(acc_t) / 4];
    __device__ Words() {}
  } words;
#pragma unroll
  for (int i = 0; i < sizeof(acc_t) / 4; i++) words.word[i] = ((const volatile unsigned *)p)[i];
  return words.x;
}

// Combines the parts of an output, `step` apart, by `count` slots of the block.
static __device__ __forceinline__ acc_t combine_parts(acc_t *shared, const acc_t *p, const unsigned long long step,
                                                      const unsigned parts, const unsigned threads_of_slot,
                                                      const unsigned count) {
  unsigned each = 1;
  while (each * count < parts) each *= 2;
  const unsigned first = threadIdx.x / threads_of_slot * each;
  acc_t left[16], x = neutral(); // of 2^3, 2^4 ... parts; few threads do this, so that it may be in memory
  unsigned done = 0;
#pragma unroll 1
  for (unsigned i = first; i < first + each && i < parts; i += 8, done++) {
    acc_t v[8];
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = j < each && i + j < parts ? read(p + (i + j) * step) : neutral();
    x = pairwise(v);
    unsigned level = 0;
#pragma unroll 1
    for (; done >> level & 1; level++) x = combine(left[level], x);
    left[level] = x;
  }
  x = neutral();
#pragma unroll 1
  for (unsigned level = 0; done >> level; level++)
    if (done >> level & 1) x = combine(left[level], x);
  return slots(shared, x, threads_of_slot, count);
}

//: rows
// Up to 1024 elements: 2^log_lanes neighbouring threads have an output together.
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned log_lanes,
    const unsigned@params@) {
@functions@
  const unsigned long long k = (blockIdx.x * 256ull + threadIdx.x) >> log_lanes;
  const unsigned lane = threadIdx.x & (1u << log_lanes) - 1;
  acc_t x = neutral();
  if (k < outputs) x = lane_of_unit(load, value, bases(k), n, 0, lane);
  x = lanes(x, 1u << log_lanes);
  if (lane == 0 && k < outputs) out[out_at(k)] = finish(x, count);
}

//: units
// More elements: a warp has a unit. A block has 2^log_units units of each of `rows` outputs.
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned rows,
    const unsigned log_units@params@) {
@functions@
  __shared__ acc_t shared[256];
  const unsigned units = 1u << log_units, lane = threadIdx.x & 31;
  const unsigned long long first = (unsigned long long)blockIdx.x * rows;
  for (unsigned task = threadIdx.x >> 5; task < rows << log_units; task += 8) {
    const unsigned long long k = first + (task >> log_units);
    acc_t x = neutral();
    if (k < outputs) x = lane_of_unit(load, value, bases(k), n, (index_t)(task & units - 1) * 1024, lane);
    x = lanes(x, 32);
    if (lane == 0) shared[task] = x;
  }
  __syncthreads();
  const unsigned row = threadIdx.x >> log_units;
  const acc_t x = slots(shared, row < rows ? shared[threadIdx.x] : neutral(), 1, units);
  if ((threadIdx.x & units - 1) == 0 && row < rows && first + row < outputs)
    out[out_at(first + row)] = finish(x, count);
}

//: units_split
// The same where a block has but a part of an output.
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned,
    const unsigned log_units, const unsigned parts, acc_t *partial, unsigned *counters@params@) {
@functions@
  __shared__ acc_t shared[256];
  const unsigned units = 1u << log_units, lane = threadIdx.x & 31;
  const unsigned long long k = blockIdx.x / parts;
  const unsigned part = blockIdx.x % parts;
  const bases_t b = bases(k);
  for (unsigned task = threadIdx.x >> 5; task < units; task += 8) {
    const unsigned long long unit = ((unsigned long long)part << log_units) + task;
    acc_t x = neutral();
    if (unit * 1024 < n) x = lane_of_unit(load, value, b, n, (index_t)unit * 1024, lane);
    x = lanes(x, 32);
    if (lane == 0) shared[task] = x;
  }
  __syncthreads();
  acc_t x = slots(shared, threadIdx.x < units ? shared[threadIdx.x] : neutral(), 1, units);
  if (threadIdx.x == 0) partial[k * parts + part] = x;
  if (!is_last(counters + k, parts)) return;
  x = combine_parts(shared, partial + k * parts, 1, parts, 1, 256);
  if (threadIdx.x == 0) out[out_at(k)] = finish(x, count);
}

//: columns
// Neighbouring outputs lie side by side in memory: 2^log_x of them have neighbouring threads. Behind each of
// these are 2^log_y threads for a unit, with four lanes each, and as many units as fit into the block.
@signature@
@functions@
  __shared__ acc_t shared[256];
  const unsigned width = 1u << log_x, slot = threadIdx.x >> log_x, y = slot & (1u << log_y) - 1;
  const unsigned depth = 256u >> log_x;
  const unsigned long long group = blockIdx.x@per_group@, part = @part@;
  const unsigned long long k = (group << log_x) + (threadIdx.x & width - 1);
  const unsigned long long first = (part * (depth >> log_y) + (slot >> log_y)) * 1024;
  acc_t x = neutral();
  if (k < outputs && first < n) {
    const bases_t b = bases(k);
    if (n <= 32) {
      x = batch<4>(load, value, b, 4 * y, 1, (int)n - (int)(4 * y));
    } else {
      Pairwise<3> sum;
#pragma unroll 1
      for (int i = 0; i < 4; i++) sum.add(lane_of_unit(load, value, b, n, (index_t)first, 4 * y + i));
      x = sum.result();
    }
  }
  x = slots(shared, x, width, depth);
@ending@
}

//: columns_whole
  if (slot == 0 && k < outputs) out[out_at(k)] = finish(x, count);

//: columns_split
  if (slot == 0 && k < outputs) partial[part * outputs + k] = x;
  if (!is_last(counters + group, parts)) return;
  x = combine_parts(shared, partial + (k < outputs ? k : 0), outputs, parts, width, depth);
  if (slot == 0 && k < outputs) out[out_at(k)] = finish(x, count);
