// The first few elements of each row in their order, without sorting the others. It stands behind keys and ranks of
// sort.cu: rows of up to TILE elements are kept in shared memory.

//: rows
// A block for each row. It finds the key of the last element that counts, digit by digit from the highest: in each pass,
// of the elements that agree with the digits found so far. What comes before that key is taken, and of the equal ones
// those that come first in the row. Then these few are sorted, equal ones by their places.
enum { MOST = @most@, RESIDENT = @resident@ };

extern "C" __global__ void __launch_bounds__(THREADS)
    array_topk_rows(const unsigned n, const unsigned count, const unsigned order_of, const Key *in, Key *out,
                    long long *positions) {
  __shared__ Key keys[RESIDENT ? TILE : 1];
  __shared__ Key chosen[MOST];
  __shared__ unsigned places[MOST];
  __shared__ unsigned counters[WARPS][DIGITS];
  __shared__ unsigned found_digit, found_before, found_equal, taken;
  const Order order(order_of);
  const Key *row = in + (unsigned long long)blockIdx.x * n;
  const auto key_of = [&](const unsigned i) { return RESIDENT ? keys[i] : order.encode(row[i]); };
  if (RESIDENT)
    for (unsigned i = threadIdx.x; i < n; i += THREADS) keys[i] = order.encode(row[i]);
  if (threadIdx.x == 0) taken = 0;

  Key last = 0;             // the digits that are known
  unsigned missing = count; // elements with these digits that are to be taken,
  unsigned equal = 0;       // of so many
#pragma unroll 1
  for (int pass = PASSES - 1; pass >= 0; pass--) {
    for (unsigned i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) counters[i / DIGITS][i % DIGITS] = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += THREADS) {
      const Key key = order.plain(key_of(i));
      if (pass == PASSES - 1 || (Key)(key >> 8 * (pass + 1) % BITS) == last)
        atomicAdd(&counters[threadIdx.x / 32][key >> 8 * pass & DIGITS - 1], 1u);
    }
    __syncthreads();
    unsigned mine = 0; // of the digit with this thread's number
#pragma unroll
    for (int w = 0; w < WARPS; w++) mine += counters[w][threadIdx.x];
    const unsigned before = sum_before(mine);
    if (before < missing && missing <= before + mine) {
      found_digit = threadIdx.x;
      found_before = before;
      found_equal = mine;
    }
    __syncthreads();
    last = (Key)((pass == PASSES - 1 ? (Key)0 : (Key)(last << 8 % BITS)) | found_digit);
    missing -= found_before;
    equal = found_equal;
  }

  const bool all = equal == missing;
  for (unsigned i = threadIdx.x; i < n; i += THREADS) {
    const Key key = order.plain(key_of(i));
    if (key < last || all && key == last) {
      const unsigned slot = atomicAdd(&taken, 1u);
      chosen[slot] = key_of(i);
      places[slot] = i;
    }
  }
  if (!all) {
    unsigned found = 0;
    for (unsigned first = 0; first < n && found < missing; first += THREADS) {
      const unsigned i = first + threadIdx.x;
      const bool is = i < n && order.plain(key_of(i)) == last;
      const unsigned rank = found + sum_before((unsigned)is);
      if (is && rank < missing) {
        chosen[count - missing + rank] = key_of(i);
        places[count - missing + rank] = i;
      }
      found += __syncthreads_count(is);
    }
  }

  unsigned room = 1;
  while (room < count) room *= 2;
  for (unsigned i = count + threadIdx.x; i < room; i += THREADS) {
    chosen[i] = (Key)~(Key)0;
    places[i] = ~0u;
  }
  __syncthreads();
  for (unsigned width = 2; width <= room; width *= 2) {
    for (unsigned step = width / 2; step > 0; step /= 2) {
      for (unsigned t = threadIdx.x; t < room / 2; t += THREADS) {
        const unsigned i = t / step * (2 * step) + t % step, j = i + step;
        const Key a = order.plain(chosen[i]), b = order.plain(chosen[j]);
        if ((a > b || a == b && places[i] > places[j]) == ((i & width) == 0)) {
          const Key key = chosen[i];
          const unsigned place = places[i];
          chosen[i] = chosen[j];
          places[i] = places[j];
          chosen[j] = key;
          places[j] = place;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < count; i += THREADS) {
    const unsigned long long to = (unsigned long long)blockIdx.x * count + i;
    out[to] = order.decode(chosen[i]);
    positions[to] = (long long)places[i] + 1;
  }
}
