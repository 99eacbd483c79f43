// A sparse matrix times a vector by the merge path: the ends of lines and the elements are merged into one sequence, of
// which each thread has ITEMS steps. So a thread's work does not depend on how long lines are, and the order of every
// sum depends on the structure alone.

//: tile
#define THREADS 128
#define ITEMS 7
#define TILE (THREADS * ITEMS)

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

//: product
// y[line], the lines that begin and end in this block; heads[block], the end of the first line, which blocks before may
// have begun; carries[block], the beginning of the line that the next block goes on with.
extern "C" __global__ void __launch_bounds__(THREADS)
    sparse_merge(const Place lines, const Place count, const Place *__restrict__ indptr,
                 const Place *__restrict__ indices, const Place *__restrict__ order, const @data@ *__restrict__ data,
                 const @other@ *__restrict__ x, const Place *__restrict__ starts, @result@ *__restrict__ y,
                 Sum *__restrict__ heads, Sum *__restrict__ carries) {
  __shared__ Sum products[TILE];
  __shared__ int ends[TILE + 1];
  __shared__ Sum warp_sums[THREADS / 32];
  __shared__ int warp_ended[THREADS / 32];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const Place line0 = starts[blockIdx.x], line1 = starts[blockIdx.x + 1];
  const Place diagonal = (Place)blockIdx.x * TILE, total = lines + count;
  const int steps = total - diagonal < TILE ? (int)(total - diagonal) : TILE;
  const Place first = diagonal - line0;
  const int here = (int)(line1 - line0), elements = steps - here;

  const Place end = t < here ? indptr[line0 + t + 1] : 0;
  // All loads are under way before the first is needed: what is behind the last element is the last one again.
  if (elements > 0) {
    Place at[ITEMS];
    Sum value[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      const int i = min(t + k * THREADS, elements - 1);
      at[k] = indices[first + i];
      value[k] = load_a(data, @order@);
    }
    // Does nothing but need all indices, so that the compiler puts no load of x before the last of these.
    asm volatile("" : @indices@);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) value[k] = product_of(value[k], load_x(x, at[k]));
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
      if (t + k * THREADS < elements) products[t + k * THREADS] = value[k];
  }
  if (t < here) ends[t] = (int)(end - first);
  for (int i = t + THREADS; i < here; i += THREADS) ends[i] = (int)(indptr[line0 + i + 1] - first);
  if (t == 0) ends[here] = 2 * TILE; // no element is behind the line that goes on
  __syncthreads();

  // Where this thread's steps begin.
  const int begin = min(t * ITEMS, steps);
  int low = max(begin - elements, 0), high = min(begin, here);
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (ends[middle] <= begin - middle - 1) low = middle + 1;
    else high = middle;
  }
  const int mine = low;
  int line = low, element = begin - low;
  Sum sum = zero_sum(), head = zero_sum();
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if (begin + k < steps) {
      if (element < ends[line]) {
        sum = sum_of(sum, products[element++]);
      } else {
        if (line == mine) head = sum;
        else store(y, line0 + line, sum);
        line++;
        sum = zero_sum();
      }
    }
  }

  // What threads before have of the line that this one begins in: a scan that begins anew behind each end of a line.
  const bool ended = line > mine;
  int over = ended;
#pragma unroll
  for (int n = 1; n < 32; n *= 2) {
    const Sum before = from_below(sum, n);
    const int over_before = __shfl_up_sync(0xffffffffu, over, n);
    if (lane >= n) {
      if (!over) sum = sum_of(before, sum);
      over |= over_before;
    }
  }
  if (lane == 31) {
    warp_sums[warp] = sum;
    warp_ended[warp] = over;
  }
  __syncthreads();
  Sum carry = zero_sum();
  for (int w = 0; w < warp; w++) carry = warp_ended[w] ? warp_sums[w] : sum_of(carry, warp_sums[w]);
  if (t == THREADS - 1) carries[blockIdx.x] = over ? sum : sum_of(carry, sum);
  const Sum below = from_below(sum, 1);
  const int over_below = __shfl_up_sync(0xffffffffu, over, 1);
  if (lane > 0) carry = over_below ? below : sum_of(carry, below);
  if (ended) {
    head = sum_of(carry, head);
    store(y, line0 + mine, head);
    if (mine == 0) heads[blockIdx.x] = head;
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
