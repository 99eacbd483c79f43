// Reductions in two phases, such as the variance: the second phase sees each element once more, beside a value that
// the first phase made of all elements of the output. A block has all elements of its outputs, so the second phase
// reads them from the cache, or has them in registers. Both phases combine values as reduce.cu does: its functions
// stand in two namespaces, first and second.
//
// In addition to what reduce.cu says, a kernel's own part has seen(), which is value() for an element that the kernel has
// already read; middle_t middle_of(x, count), the value that the first phase makes; square(v, middle), what the second
// phase computes of an element; and finish(x, y, ...), of both phases.

//: rows
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned log_lanes,
    const unsigned@params@) {
@functions@
  const unsigned lanes_of = 1u << log_lanes, lane = threadIdx.x & lanes_of - 1, rows = 256u >> log_lanes;
  const unsigned long long k = blockIdx.x * (@rows@ull * rows) + (threadIdx.x >> log_lanes);
  const index_t r = lane * @width@;
  const int m = r >= n ? 0 : n - r < @width@ ? (int)(n - r) : @width@;
  packs_t raw[@rows@];
#pragma unroll
  for (int i = 0; i < @rows@; i++) {
    if (k + i * rows < outputs) {
      const bases_t b = bases(k + i * rows);
      if (m == @width@)
        raw[i] = load(b, r);
      else
        raw[i] = some(b, r, m);
    }
  }
#pragma unroll
  for (int i = 0; i < @rows@; i++) {
    const bool there = k + i * rows < outputs;
    const first::acc_t x = first::lanes(first::of_pack(value, raw[i], r, there ? m : 0), 1, lanes_of);
    const middle_t middle =
        __shfl_sync(0xffffffffu, middle_of(x, count), threadIdx.x & 31 & ~(lanes_of - 1));
    const auto squared = [&](const packs_t &p, const int e, const index_t at) {
      return square(seen(p, e, at), middle);
    };
    const second::acc_t y = second::lanes(second::of_pack(squared, raw[i], r, there ? m : 0), 1, lanes_of);
    if (lane == 0 && there) put(k + i * rows, finish(x, y, count@divisors@));
  }
}

//: units
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned rows,
    const unsigned log_units@params@) {
@functions@
  __shared__ first::words_t shared[256];
  __shared__ second::words_t shared_second[256];
  __shared__ middle_t middles[64]; // of as many rows as a block has at most: reduce/run.lua
  const unsigned units = 1u << log_units, lane = threadIdx.x & 31;
  const unsigned long long begin_row = (unsigned long long)blockIdx.x * rows;
  for (unsigned task = threadIdx.x >> 5; task < rows << log_units; task += 8) {
    const unsigned long long k = begin_row + (task >> log_units);
    const index_t begin = (index_t)(task & units - 1) * first::UNIT;
    first::acc_t x = first::neutral();
    if (k < outputs && begin < n) x = first::some_unit(load, some, value, bases(k), n, begin);
    if (lane == 0) shared[task].x = x;
  }
  __syncthreads();
  const unsigned row = threadIdx.x >> log_units;
  const first::acc_t x =
      first::slots(shared, row < rows ? shared[threadIdx.x].x : first::neutral(), 1, units);
  const bool leads = (threadIdx.x & units - 1) == 0 && row < rows;
  if (leads) middles[row] = middle_of(x, count);
  __syncthreads();
  for (unsigned task = threadIdx.x >> 5; task < rows << log_units; task += 8) {
    const unsigned long long k = begin_row + (task >> log_units);
    const index_t begin = (index_t)(task & units - 1) * second::UNIT;
    const middle_t middle = middles[task >> log_units];
    const auto squared = [&](const packs_t &p, const int e, const index_t at) {
      return square(seen(p, e, at), middle);
    };
    second::acc_t y = second::neutral();
    if (k < outputs && begin < n) y = second::some_unit(load, some, squared, bases(k), n, begin);
    if (lane == 0) shared_second[task].x = y;
  }
  __syncthreads();
  const second::acc_t y =
      second::slots(shared_second, row < rows ? shared_second[threadIdx.x].x : second::neutral(), 1, units);
  if (leads && begin_row + row < outputs) put(begin_row + row, finish(x, y, count@divisors@));
}

//: columns_pass
  @phase@::Column column_@phase@[@width@];
  if (k < outputs && begin < n) {
    const bases_t b = bases(k);
    const int elements = (int)(n - begin < chunk ? n - begin : chunk);
#pragma unroll 1
    for (int i = 0; i < elements; i += @batch@) {
      const index_t r = (index_t)begin + i;
      packs_t raw[@batch@];
      if (i + @batch@ <= elements) {
#pragma unroll
        for (int j = 0; j < @batch@; j++) raw[j] = load(b, r + j);
#pragma unroll
        for (int e = 0; e < @width@; e++) column_@phase@[e].elements(@values@, raw, e, r, @batch@, i);
      } else {
#pragma unroll
        for (int j = 0; j < @batch@; j++)
          if (i + j < elements) raw[j] = load(b, r + j);
#pragma unroll
        for (int e = 0; e < @width@; e++) column_@phase@[e].elements(@values@, raw, e, r, elements - i, i);
      }
    }
  }

//: columns
extern "C" __global__ void __launch_bounds__(256, 2) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned log_x,
    const unsigned chunk@params@) {
@functions@
  __shared__ first::words_t shared[256 * @width@];
  __shared__ second::words_t shared_second[256 * @width@];
  __shared__ middle_t middles[256 * @width@];
  const unsigned width = 1u << log_x, slot = threadIdx.x >> log_x, depth = 256u >> log_x;
  const unsigned beside = threadIdx.x & width - 1;
  const unsigned long long k = (((unsigned long long)blockIdx.x << log_x) + beside) * @width@;
  const unsigned long long begin = (unsigned long long)slot * chunk;
@pass_first@
  first::acc_t x[@width@];
#pragma unroll
  for (int e = 0; e < @width@; e++) x[e] = column_first[e].combined((index_t)begin);
  if (depth > 1) first::slots(shared, x, width, depth);
  if (slot == 0) {
#pragma unroll
    for (int e = 0; e < @width@; e++) middles[beside * @width@ + e] = middle_of(x[e], count);
  }
  __syncthreads();
  middle_t middle[@width@];
#pragma unroll
  for (int e = 0; e < @width@; e++) middle[e] = middles[beside * @width@ + e];
  const auto squared = [&](const packs_t &p, const int e, const index_t at) {
    return square(seen(p, e, at), middle[e]);
  };
@pass_second@
  second::acc_t y[@width@];
#pragma unroll
  for (int e = 0; e < @width@; e++) y[e] = column_second[e].combined((index_t)begin);
  if (depth > 1) second::slots(shared_second, y, width, depth);
  if (slot == 0 && k < outputs) {
#pragma unroll
    for (int e = 0; e < @width@; e++) put(k + e, finish(x[e], y[e], count@divisors@));
  }
}
