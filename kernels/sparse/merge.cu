// A sparse matrix times a vector by the merge path: the ends of lines and the elements are merged into one sequence, of
// which each block has TILE steps. So the work of a block does not depend on the lengths of lines, and the order of every
// sum depends only on the structure.

//: tile
#define THREADS 128
#define SLOTS (THREADS * 8)
#define TILE (SLOTS - 4) // so that a tile's elements and those before them in a group of four have slots
#define LONGEST 32       // elements of a segment that one thread adds
#define BATCH 4          // elements of x that a thread has under way

//: partition
// The line at which each block's part of the merge begins.
extern "C" __global__ void __launch_bounds__(256)
    sparse_partition(const long long n, const Place lines, const Place count, const Place *indptr, Place *starts) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  const long long diagonal = min(i * TILE, (long long)lines + count);
  long long low = max(diagonal - count, 0ll), high = min(diagonal, (long long)lines);
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (indptr[middle + 1] <= diagonal - middle - 1) low = middle + 1;
    else high = middle;
  }
  starts[i] = (Place)low;
}

//: staging
// Four neighbours. Their loads leave the first-level cache to x.
struct __align__(16) FourPlaces { Place v[4]; };
struct __align__(@align@) FourValues { @data@ v[4]; };

__device__ __forceinline__ uint4 streamed_word(const uint4 *p) {
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(p));
  return v;
}

__device__ __forceinline__ uint2 streamed_word(const uint2 *p) {
  uint2 v;
  asm("ld.global.nc.L1::no_allocate.v2.b32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
  return v;
}

template <class Four, class Word> __device__ __forceinline__ Four streamed(const void *p) {
  union {
    Four four;
    Word words[sizeof(Four) / sizeof(Word)];
  } u;
#pragma unroll
  for (int k = 0; k < sizeof(Four) / sizeof(Word); k++) u.words[k] = streamed_word((const Word *)p + k);
  return u.four;
}

//: sums
// Where a slot lies in shared memory: rows of 32 elements do not begin in one bank.
__device__ __forceinline__ int padded(const int i) { return i + 4 * (i >> 5); }

// The sum of one of 2^e threads: every 2^e-th element of a segment, starting with its own, in ascending order.
__device__ __forceinline__ Sum part_of(const int low, const int high, const int own, const int e,
                                       const @data@ *const values, const Place *const places,
                                       const @other@ *__restrict__ x) {
  Sum sum = zero_sum();
  for (int i = low + own; i < high; i += BATCH << e) {
    Sum value[BATCH], other[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const int j = i + (k << e), p = padded(j);
      if (j < high) {
        other[k] = load_x(x, places[p]);
        value[k] = load_a(values, p);
      }
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++)
      if (i + (k << e) < high) sum = cl_fma(value[k], other[k], sum);
  }
  return sum;
}

// The sum over 2^e neighbouring threads, which the first one gets.
__device__ __forceinline__ Sum sum_of_team(Sum sum, const int e) {
  for (int n = 1 << e >> 1; n > 0; n >>= 1) sum = sum_of(sum, from_above(sum, n));
  return sum;
}

//: product
// y[line], the lines that begin and end in this block; heads[block], the end of the first line, which blocks before may
// have begun; carries[block], the beginning of the line that the next block goes on with. A line's elements in a block
// are a segment, which a team of threads adds.
extern "C" __global__ void __launch_bounds__(THREADS, @bounds@)
    sparse_merge(const Place lines, const Place count, const Place *__restrict__ indptr,
                 const Place *__restrict__ indices, const Place *__restrict__ order, const @data@ *__restrict__ data,
                 const @other@ *__restrict__ x, const Place *__restrict__ starts, @result@ *__restrict__ y,
                 Sum *__restrict__ heads, Sum *__restrict__ carries) {
  __shared__ __align__(16) @data@ values[SLOTS + SLOTS / 8];
  __shared__ __align__(16) Place places[SLOTS + SLOTS / 8];
  __shared__ unsigned short ends[TILE + 2], longs[SLOTS / LONGEST];
  __shared__ int long_count;
  const int t = threadIdx.x, lane = t & 31;
  const Place line0 = starts[blockIdx.x], line1 = starts[blockIdx.x + 1];
  const Place diagonal = (Place)blockIdx.x * TILE, total = lines + count;
  const int steps = total - diagonal < TILE ? (int)(total - diagonal) : TILE;
  const Place first = diagonal - line0;
  const int here = (int)(line1 - line0), elements = steps - here;

  const Place end = t < here ? indptr[line0 + t + 1] : 0;
@stage@
  if (t < here) ends[t + 1] = (unsigned short)(end - first + shift);
  for (int i = t + THREADS; i < here; i += THREADS)
    ends[i + 1] = (unsigned short)(indptr[line0 + i + 1] - first + shift);
  if (t == 0) {
    ends[0] = shift;
    ends[here + 1] = elements + shift;
    long_count = 0;
  }
  __syncthreads();

  // A team has 2^e threads. The last segment belongs to the line that goes on, and may be empty.
  const int segments = here + 1;
  const int e = min(31 - __clz(THREADS / segments | 1), 5), own = t & ((1 << e) - 1);
  for (int from = 0; from < segments; from += THREADS >> e) {
    const int s = from + (t >> e);
    int low = 0, high = 0;
    if (s < segments) {
      low = ends[s];
      high = ends[s + 1];
      if (e < 5 && high - low > LONGEST << e) { // later, by a warp
        if (own == 0) longs[atomicAdd(&long_count, 1)] = (unsigned short)s;
        high = -1;
      }
    }
    const Sum sum = sum_of_team(part_of(low, high, own, e, values, places, x), e);
    if (own == 0 && s < segments && high >= 0) {
      if (s < here) store(y, line0 + s, sum);
      if (s == 0) heads[blockIdx.x] = sum;
      if (s == here) carries[blockIdx.x] = sum;
    }
  }
  if (e == 5) return;
  __syncthreads();
  const int n = long_count;
  for (int k = t >> 5; k < n; k += THREADS / 32) {
    const int s = longs[k];
    const Sum sum = sum_of_team(part_of(ends[s], ends[s + 1], lane, 5, values, places, x), 5);
    if (lane == 0) {
      if (s < here) store(y, line0 + s, sum);
      if (s == 0) heads[blockIdx.x] = sum;
      if (s == here) carries[blockIdx.x] = sum;
    }
  }
}

//: stage
  // Loads of four elements begin where their number is a multiple of four: `shift` slots are before the first.
  const int shift = (int)(first & 3), have = shift + elements;
  const Place base = first - shift;
  if (base + SLOTS <= count) {
    FourPlaces at[2];
    FourValues value[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const int i = 4 * (t + k * THREADS);
      if (i < have) {
        at[k] = streamed<FourPlaces, uint4>(indices + base + i);
        value[k] = streamed<FourValues, @word@>(data + base + i);
      }
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
      const int p = padded(4 * t) + k * padded(4 * THREADS);
      if (4 * (t + k * THREADS) < have) {
        *(FourPlaces *)(places + p) = at[k];
        *(FourValues *)(values + p) = value[k];
      }
    }
  } else {
    for (int i = t; i < have; i += THREADS) {
      places[padded(i)] = indices[base + i];
      values[padded(i)] = data[base + i];
    }
  }

//: stage_ordered
  // All loads are under way before the first is needed.
  const int shift = 0;
  Place at[8], from[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const int i = t + k * THREADS;
    if (i < elements) {
      at[k] = indices[first + i];
      from[k] = order[first + i];
    }
  }
  @data@ value[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    if (t + k * THREADS < elements) value[k] = data[from[k]];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const int i = t + k * THREADS;
    if (i < elements) {
      places[padded(i)] = at[k];
      values[padded(i)] = value[k];
    }
  }

//: carries
// Lines that several blocks have a part of. The part of block b belongs to line starts[b + 1]; the block behind the
// last of a line's carries ended it. Few carries are added by one thread in ascending order, many by the whole block:
// thread t has every 256th from the t-th on, and threads are added by halving.
extern "C" __global__ void __launch_bounds__(256)
    sparse_carries(const long long blocks, const Place lines, const Place *starts, const Sum *heads, const Sum *carries,
                   @result@ *y) {
  __shared__ Sum sums[256];
  __shared__ long long first_of[256], last_of[256];
  __shared__ int many;
  const int t = threadIdx.x;
  const long long b = blockIdx.x * 256ll + t;
  if (t == 0) many = 0;
  first_of[t] = -1;
  __syncthreads();
  if (b + 1 < blocks && (b == 0 || starts[b + 1] != starts[b])) {
    const Place line = starts[b + 1];
    long long low = b + 1, high = blocks; // the first block that begins behind this line
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      if (starts[middle] <= line) low = middle + 1;
      else high = middle;
    }
    if (line < lines) {
      if (low - 1 - b <= 32) {
        Sum sum = carries[b];
        for (long long k = b + 1; k < low - 1; k++) sum = sum_of(sum, carries[k]);
        store(y, line, sum_of(sum, heads[low - 1]));
      } else {
        first_of[t] = b;
        last_of[t] = low - 1;
        many = 1;
      }
    }
  }
  __syncthreads();
  if (!many) return;
  for (int k = 0; k < 256; k++) {
    if (first_of[k] < 0) continue;
    Sum sum = zero_sum();
    for (long long c = first_of[k] + t; c < last_of[k]; c += 256) sum = sum_of(sum, carries[c]);
    sums[t] = sum;
    __syncthreads();
    for (int n = 128; n > 0; n /= 2) {
      if (t < n) sums[t] = sum_of(sums[t], sums[t + n]);
      __syncthreads();
    }
    if (t == 0) store(y, starts[last_of[k]], sum_of(sums[0], heads[last_of[k]]));
    __syncthreads();
  }
}
