// One value for each output, of many elements.
//
// Where the order of combinations is seen in the result, as in sums of floats, values go through a binary tree over
// their numbers: 0 with 1, 2 with 3 ..., then pairs with pairs, and so on; what is missing to a power of two is
// neutral. So which values are combined with which depends on their number n alone, and not on how the arrays lie in
// memory, which of the kernels below does it, or on the device; the tree's depth, which is what bounds the error of
// sums of floats, is the least one; and any 2^k neighbours that begin at a multiple of 2^k can be combined by
// somebody else. Where the order is not seen, any is taken.
//
// A kernel's own part is written before this: acc_t neutral() start() combine() finish(), or where the order is free
// what a thread has, part_t none() add() end(); and in the kernels functions: bases(k), where the elements of output
// k begin in all arrays; load(bases, r), WIDTH neighbours of each array; some(bases, r, m), the first m of these;
// value(pack, e, r), what is computed of one of them, which is element r; put(k, x), where output k goes.

//: common
template <int N> __device__ __forceinline__ acc_t pairwise(acc_t (&v)[N]) {
#pragma unroll
  for (int width = 1; width < N; width *= 2)
#pragma unroll
    for (int i = 0; i < N; i += 2 * width) v[i] = combine(v[i], v[i + width]);
  return v[0];
}

// A value as words, for what moves only those; so it is handed on through memory, too.
union words_t {
  acc_t x;
  unsigned word[(sizeof(acc_t) + 3) / 4];
  __device__ __forceinline__ words_t() {}
};

__device__ __forceinline__ acc_t shuffle(const acc_t x, const unsigned mask) {
  words_t words;
  words.x = x;
#pragma unroll
  for (int i = 0; i < (sizeof(acc_t) + 3) / 4; i++)
    words.word[i] = __shfl_xor_sync(0xffffffffu, words.word[i], mask);
  return words.x;
}

// Combines two values. FULL: all elements of both are there, and they are equally many.
template <bool FULL> __device__ __forceinline__ acc_t joined(const acc_t a, const acc_t b) {
  return @joined@;
}

// Combines the lanes of a warp whose numbers differ in these bits; the first one has the result.
template <bool FULL = false>
__device__ __forceinline__ acc_t lanes(acc_t x, const unsigned from, const unsigned to) {
  for (unsigned mask = from; mask < to; mask *= 2) x = joined<FULL>(x, shuffle(x, mask));
  return x;
}

//: tell
// The one value goes to the host as well, who looks for it at this address: its halves, each with the ticket of the
// launch, so that he knows both when they are there. 0: he is not interested.
template <class T>
__device__ __forceinline__ void tell(const unsigned long long told, const unsigned ticket, const T y) {
  if (!told) return;
  union {
    T y;
    unsigned word[2];
  } value;
  value.word[0] = value.word[1] = 0;
  value.y = y;
  volatile unsigned long long *to = (volatile unsigned long long *)told;
  to[0] = (unsigned long long)ticket << 32 | value.word[0];
  if (sizeof(T) > 4) to[1] = (unsigned long long)ticket << 32 | value.word[1];
}

//: tree_pack
// The first m of a thread's neighbours.
template <class Value>
__device__ __forceinline__ acc_t of_pack(const Value &value, const packs_t &x, const index_t r, const int m) {
  acc_t v[@width@];
#pragma unroll
  for (int e = 0; e < @width@; e++) v[e] = e < m ? start(value(x, e, r + e), r + e) : neutral();
  return pairwise(v);
}

//: free_pack
template <class Value>
__device__ __forceinline__ acc_t of_pack(const Value &value, const packs_t &x, const index_t r, const int m) {
  part_t part = none();
#pragma unroll
  for (int e = 0; e < @width@; e++)
    if (e < m) add(part, value(x, e, r + e), e);
  return end(part, r);
}

//: unit
// A warp combines a unit: lane l has the elements [l * WIDTH, (l + 1) * WIDTH) of each of TURNS turns. Where 2^log_x
// outputs lie side by side, neighbouring lanes have one each, and as many lanes less are left for the elements.
enum { TURN = (32 >> @log_x@) * @width@, UNIT = TURN * @turns@ };

// The packs that a lane has of `BATCH` turns; all are loaded before the first is used.
template <bool FULL, int BATCH, class Load, class Some>
__device__ __forceinline__ void load_turns(packs_t (&x)[BATCH], const Load &load, const Some &some,
                                                  const bases_t &b, const index_t n, const index_t r) {
#pragma unroll
  for (int j = 0; j < BATCH; j++) {
    const index_t at = r + j * TURN;
    if (FULL || at + @width@ <= n)
      x[j] = load(b, at);
    else if (at < n)
      x[j] = some(b, at, (int)(n - at));
  }
}

__device__ __forceinline__ int valid(const index_t n, const index_t r) {
  return r >= n ? 0 : n - r < @width@ ? (int)(n - r) : @width@;
}

//: exchange
// One of two values, word by word: compilers keep structs that are chosen as a whole in memory.
__device__ __forceinline__ acc_t chosen(const bool first, const acc_t a, const acc_t b) {
  words_t x, y;
  x.x = a;
  y.x = b;
#pragma unroll
  for (int i = 0; i < (sizeof(acc_t) + 3) / 4; i++) x.word[i] = first ? x.word[i] : y.word[i];
  return x.x;
}

// Two turns' values a and b that all lanes have, combined between lanes that differ in one bit: those without it have
// a's then, the others b's.
template <bool FULL = false>
__device__ __forceinline__ acc_t exchange(const acc_t a, const acc_t b, const unsigned mask) {
  const bool upper = (threadIdx.x & mask) != 0;
  const acc_t other = shuffle(chosen(upper, a, b), mask);
  return joined<FULL>(chosen(upper, other, a), chosen(upper, b, other));
}

//: tree_unit
template <bool FULL, int BATCH, class Load, class Some, class Value>
__device__ __forceinline__ acc_t unit(const Load &load, const Some &some, const Value &value, const bases_t &b,
                                             const index_t n, const index_t first) {
  enum { LEVELS = 4 };
  acc_t left[LEVELS], x = neutral();
  const index_t r = first + (threadIdx.x >> @log_x@ & (31 >> @log_x@)) * @width@;
#pragma unroll 1
  for (unsigned done = 0; done < @turns@ / BATCH; done++) {
    packs_t raw[BATCH];
    const index_t begin = r + done * (BATCH * TURN);
    load_turns<FULL>(raw, load, some, b, n, begin);
    acc_t v[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++)
      v[j] = of_pack(value, raw[j], begin + j * TURN, FULL ? @width@ : valid(n, begin + j * TURN));
    unsigned mask = 1 << @log_x@;
#pragma unroll
    for (int count = BATCH; count > 1; count /= 2, mask *= 2)
#pragma unroll
      for (int i = 0; i < count / 2; i++) v[i] = exchange<FULL>(v[2 * i], v[2 * i + 1], mask);
    x = v[0];
    if (BATCH < @turns@) { // as a binary number counts
      bool stored = false;
#pragma unroll
      for (int level = 0; level < LEVELS; level++, mask *= 2) {
        if (stored) continue;
        if (done >> level & 1) {
          x = exchange<FULL>(left[level], x, mask);
        } else {
          left[level] = x;
          stored = true;
        }
      }
    }
  }
  return lanes<FULL>(lanes<FULL>(x, @turns@ << @log_x@, 32), 1 << @log_x@, @turns@ << @log_x@);
}

//: chunks_unit
// Elements go through shared memory to the lane that has their chunk: lanes load side by side, but a chunk is a lane's.
// BATCH turns are loaded, and PASS elements of each output are on the way, at once.
enum {
  LANES = 32 >> @log_x@,
  PASS = TURN * @batch@,
  SLOTS = PASS / @chunk@, // lanes that get their elements at once
  LINE = 16 / sizeof(staged_t)
};
struct __align__(16) line_t {
  staged_t e[LINE];
};
// One line more, so that neighbouring lanes use other banks.
struct slot_t {
  line_t line[@chunk@ / LINE + 1];
};

__device__ __forceinline__ slot_t *slots_of_warp() {
  __shared__ slot_t slots[8 * SLOTS << @log_x@];
  return slots + (threadIdx.x >> 5) * (SLOTS << @log_x@);
}

// A lane's place, in elements, in the slots of its output.
__device__ __forceinline__ staged_t *place_in(slot_t *slot, const unsigned at) {
  return slot[at / @chunk@].line[0].e + at % @chunk@;
}

template <bool FULL, int BATCH, class Load, class Some, class Value>
__device__ __forceinline__ acc_t of_round(const Load &load, const Some &some, const Value &value, const bases_t &b,
                                          const index_t n, const index_t first) {
  struct __align__(@piece_bytes@) piece_t {
    staged_t e[@width@];
  };
  const unsigned lane = (threadIdx.x & 31) >> @log_x@;
  slot_t *const slot = slots_of_warp() + (threadIdx.x & (1 << @log_x@) - 1) * SLOTS;
  value_t v[@chunk@];
#pragma unroll
  for (int pass = 0; pass < LANES / SLOTS; pass++) {
    __syncwarp(); // slots were read
#pragma unroll 1
    for (int done = 0; done < @batch@; done += BATCH) {
      packs_t raw[BATCH];
      const unsigned at = done * TURN + lane * @width@;
      const index_t begin = first + pass * PASS + at;
      load_turns<FULL>(raw, load, some, b, n, begin);
#pragma unroll
      for (int j = 0; j < BATCH; j++) {
        const index_t r = begin + j * TURN;
        const int m = FULL ? @width@ : valid(n, r);
        piece_t piece;
#pragma unroll
        for (int e = 0; e < @width@; e++)
          if (e < m) piece.e[e] = value(raw[j], e, r + e);
        if (m > 0) *(piece_t *)place_in(slot, at + j * TURN) = piece;
      }
    }
    __syncwarp();
    if (lane / SLOTS == pass) {
#pragma unroll
      for (int i = 0; i < @chunk@ / LINE; i++) {
        const line_t line = slot[lane % SLOTS].line[i];
#pragma unroll
        for (int e = 0; e < LINE; e++) v[i * LINE + e] = unstaged(line.e[e]);
      }
    }
  }
  const index_t r = first + lane * @chunk@;
  return of_values(v, r, FULL ? @chunk@ : r >= n ? 0 : n - r < @chunk@ ? (int)(n - r) : @chunk@);
}

// The warp's rounds, combined as the turns of other kernels are.
template <bool FULL, int BATCH, class Load, class Some, class Value>
__device__ __forceinline__ acc_t unit(const Load &load, const Some &some, const Value &value, const bases_t &b,
                                      const index_t n, const index_t first) {
  enum { LEVELS = 2, ROUND = LANES * @chunk@, ROUNDS = UNIT / ROUND };
  static_assert(ROUNDS <= 1 << LEVELS && ROUNDS <= LANES, "a level for each doubling of the rounds");
  acc_t left[LEVELS], x = neutral();
#pragma unroll 1
  for (unsigned done = 0; done < ROUNDS; done++) {
    x = of_round<FULL, BATCH>(load, some, value, b, n, first + done * ROUND);
    unsigned mask = 1 << @log_x@;
    bool stored = false;
#pragma unroll
    for (int level = 0; level < LEVELS; level++, mask *= 2) {
      if (stored) continue;
      if (done >> level & 1) {
        x = exchange<FULL>(left[level], x, mask);
      } else {
        left[level] = x;
        stored = true;
      }
    }
  }
  return lanes<FULL>(lanes<FULL>(x, ROUNDS << @log_x@, 32), 1 << @log_x@, ROUNDS << @log_x@);
}

//: each
template <class Value>
__device__ __forceinline__ void add_pack(part_t &part, const Value &value, const packs_t &x, const index_t r,
                                         const int at) {
#pragma unroll
  for (int e = 0; e < @width@; e++) add(part, value(x, e, r + e), at + e);
}

//: words
// Elements of one byte, four at once.
template <class Value>
__device__ __forceinline__ void add_pack(part_t &part, const Value &, const packs_t &x, const index_t, const int) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const unsigned word = x.a1.word[i];
    @word@
  }
}

//: word_signed
part = __dp4a((int)word, 0x01010101, part);
//: word_unsigned
part = (int)__dp4a(word, 0x01010101u, (unsigned)part);
//: word_count
part = (int)__dp4a(((word & 0x7f7f7f7fu) + 0x7f7f7f7fu | word) >> 7 & 0x01010101u, 0x01010101u, (unsigned)part);
//: word_any
part |= (int)word;
//: word_all
part &= (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu | word) & 0x80808080u) == 0x80808080u;

//: free_unit
template <bool FULL, int BATCH, class Load, class Some, class Value>
__device__ __forceinline__ acc_t unit(const Load &load, const Some &some, const Value &value, const bases_t &b,
                                             const index_t n, const index_t first) {
  part_t part = none();
  const index_t r = first + (threadIdx.x >> @log_x@ & (31 >> @log_x@)) * @width@;
#pragma unroll 1
  for (int done = 0; done < @turns@; done += BATCH) {
    packs_t raw[BATCH];
    const index_t begin = r + done * TURN;
    load_turns<FULL>(raw, load, some, b, n, begin);
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      if (FULL) {
        add_pack(part, value, raw[j], begin + j * TURN, (done + j) * TURN);
      } else {
        const int m = valid(n, begin + j * TURN);
#pragma unroll
        for (int e = 0; e < @width@; e++)
          if (e < m) add(part, value(raw[j], e, begin + j * TURN + e), (done + j) * TURN + e);
      }
    }
  }
  return lanes(end(part, r), 1 << @log_x@, 32);
}

//: any_unit
template <class Load, class Some, class Value>
__device__ __forceinline__ acc_t some_unit(const Load &load, const Some &some, const Value &value,
                                                  const bases_t &b, const index_t n, const index_t first) {
  if (first + UNIT <= n) return unit<true, @batch@>(load, some, value, b, n, first);
  return unit<false, @rest@>(load, some, value, b, n, first);
}

//: block
// Combines 2^k neighbouring slots of the block, a slot being every `step`-th thread; the first one has the result.
__device__ __forceinline__ acc_t slots(words_t *shared, acc_t x, const unsigned step, const unsigned count) {
  if (step == 1) { // neighbours of a warp first; where there are more, the block has no other slots
    x = lanes(x, 1, min(count, 32));
    if (count > 32) {
      __syncthreads();
      if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5].x = x;
      __syncthreads();
      if (threadIdx.x < 32) x = lanes(threadIdx.x < count >> 5 ? shared[threadIdx.x].x : neutral(), 1, count >> 5);
    }
    return x;
  }
  const unsigned slot = threadIdx.x / step;
  __syncthreads();
  shared[threadIdx.x].x = x;
  for (unsigned distance = 1; distance < count; distance *= 2) {
    __syncthreads();
    if ((slot & (2 * distance - 1)) == 0) {
      x = combine(x, shared[threadIdx.x + distance * step].x);
      shared[threadIdx.x].x = x;
    }
  }
  return x;
}

// The same of V outputs at a time, with as many times 256 words.
template <int V>
__device__ __forceinline__ void slots(words_t *shared, acc_t (&x)[V], const unsigned step, const unsigned count) {
  if (V == 1 || step == 1) {
#pragma unroll
    for (int e = 0; e < V; e++) x[e] = slots(shared, x[e], step, count);
    return;
  }
  const unsigned slot = threadIdx.x / step;
  __syncthreads();
#pragma unroll
  for (int e = 0; e < V; e++) shared[e * 256 + threadIdx.x].x = x[e];
  for (unsigned distance = 1; distance < count; distance *= 2) {
    __syncthreads();
    if ((slot & (2 * distance - 1)) == 0) {
#pragma unroll
      for (int e = 0; e < V; e++) {
        x[e] = combine(x[e], shared[e * 256 + threadIdx.x + distance * step].x);
        shared[e * 256 + threadIdx.x].x = x[e];
      }
    }
  }
}

//: split
// An output that several blocks share: each leaves its part in memory, and the last one of them combines all parts.

// Is this the last one? It finds the counter as 0, and leaves it so. One thread's operation, which releases and
// acquires, does for the whole block, as what the others wrote before the barrier comes before it.
__device__ __forceinline__ bool is_last(unsigned *counter, const unsigned parts) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(counter)), "r"(parts - 1)
                 : "memory");
    last = before == parts - 1;
  }
  __syncthreads();
  return last;
}

__device__ __forceinline__ acc_t read(const words_t *p) {
  words_t words;
#pragma unroll
  for (int i = 0; i < (sizeof(acc_t) + 3) / 4; i++) words.word[i] = __ldcg(p->word + i);
  return words.x;
}

// Combines the parts of V neighbouring outputs, `step` apart, by `count` slots of the block.
template <int V>
__device__ __forceinline__ void combine_parts(acc_t (&x)[V], words_t *shared, const words_t *p,
                                              const unsigned long long step, const unsigned parts,
                                              const unsigned threads_of_slot, const unsigned count) {
  enum { N = V > 4 ? 2 : V * sizeof(acc_t) > 32 ? 4 : 8 }; // parts that are read before the first is used
  if (parts <= count) { // as is common
    const unsigned i = threadIdx.x / threads_of_slot;
#pragma unroll
    for (int e = 0; e < V; e++) x[e] = i < parts ? read(p + i * step + e) : neutral();
    slots(shared, x, threads_of_slot, count);
    return;
  }
  unsigned each = 1;
  while (each * count < parts) each *= 2;
  const unsigned first = threadIdx.x / threads_of_slot * each;
  acc_t left[V][16]; // of N, 2 N ... parts; few threads do this, so that it may be in memory
  unsigned done = 0;
#pragma unroll 1
  for (unsigned i = first; i < first + each && i < parts; i += N, done++) {
    acc_t v[V][N];
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int e = 0; e < V; e++) v[e][j] = j < each && i + j < parts ? read(p + (i + j) * step + e) : neutral();
    unsigned level = 0;
#pragma unroll
    for (int e = 0; e < V; e++) x[e] = pairwise(v[e]);
#pragma unroll 1
    for (; done >> level & 1; level++)
#pragma unroll
      for (int e = 0; e < V; e++) x[e] = combine(left[e][level], x[e]);
#pragma unroll
    for (int e = 0; e < V; e++) left[e][level] = x[e];
  }
#pragma unroll
  for (int e = 0; e < V; e++) x[e] = neutral();
#pragma unroll 1
  for (unsigned level = 0; done >> level; level++)
    if (done >> level & 1)
#pragma unroll
      for (int e = 0; e < V; e++) x[e] = combine(left[e][level], x[e]);
  slots(shared, x, threads_of_slot, count);
}

//: rows
// Few elements: 2^log_lanes neighbouring threads have an output together, and several outputs one after the other.
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned log_lanes,
    const unsigned@params@) {
@functions@
  const unsigned lane = threadIdx.x & (1u << log_lanes) - 1, rows = 256u >> log_lanes;
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
    const acc_t x = lanes(of_pack(value, raw[i], r, there ? m : 0), 1, 1u << log_lanes);
    if (lane == 0 && there) put(k + i * rows, finish(x, count@divisors@));
  }
}

//: units
// More elements: a warp has a unit. A block has 2^log_units units of each of `rows` outputs.
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long outputs, const index_t n, const double count, const unsigned rows,
    const unsigned log_units@params@) {
@functions@
  __shared__ words_t shared[256];
  const unsigned units = 1u << log_units, lane = threadIdx.x & 31;
  const unsigned long long first = (unsigned long long)blockIdx.x * rows;
  for (unsigned task = threadIdx.x >> 5; task < rows << log_units; task += 8) {
    const unsigned long long k = first + (task >> log_units);
    const index_t begin = (index_t)(task & units - 1) * UNIT;
    acc_t x = neutral();
    if (k < outputs && begin < n) x = some_unit(load, some, value, bases(k), n, begin);
    if (lane == 0) shared[task].x = x;
  }
  __syncthreads();
  const unsigned row = threadIdx.x >> log_units;
  const acc_t x = slots(shared, row < rows ? shared[threadIdx.x].x : neutral(), 1, units);
  if ((threadIdx.x & units - 1) == 0 && row < rows && first + row < outputs)
    put(first + row, finish(x, count@divisors@));
}

//: units_split
// The same where a block has but a part of an output, or of `side` outputs that lie side by side.
extern "C" __global__ void __launch_bounds__(256) @name@(
    const unsigned long long, const index_t n, const double count, const unsigned side,
    const unsigned log_units, const unsigned parts, words_t *partial, unsigned *counters@params@) {
@functions@
  __shared__ words_t shared[256];
  const unsigned units = 1u << log_units, x_of = threadIdx.x & (1 << @log_x@) - 1;
  const unsigned long long group = @group@;
  const unsigned part = @part@;
  const unsigned long long k = group * side + min(x_of, side - 1);
  const bases_t b = bases(k);
  for (unsigned task = threadIdx.x >> 5; task < units; task += 8) {
    const unsigned long long first = (((unsigned long long)part << log_units) + task) * UNIT;
    acc_t x = neutral();
    if (first < n) x = some_unit(load, some, value, b, n, (index_t)first);
    if ((threadIdx.x & 31) < 1 << @log_x@) shared[(task << @log_x@) + x_of].x = x;
  }
  __syncthreads();
  acc_t x[1];
  x[0] = slots(shared, threadIdx.x < units << @log_x@ ? shared[threadIdx.x].x : neutral(), 1 << @log_x@, units);
  if (threadIdx.x < side) partial[k * parts + part].x = x[0];
  if (!is_last(counters + group, parts)) return;
  combine_parts(x, shared, partial + k * parts, 1, parts, 1 << @log_x@, 256 >> @log_x@);
  if (threadIdx.x < side) put(k, finish(x[0], count@divisors@));
}

//: tree_column
// Values that come one after the other, combined pairwise: as a binary number counts. Those of high levels are used
// seldom, so they can be in memory, where they take no registers.
struct Column {
  acc_t left[@levels@], *high = nullptr;
  unsigned count = 0;
  template <bool FULL> __device__ __forceinline__ void add(acc_t x) {
    bool done = false;
#pragma unroll
    for (int level = 0; level < @levels@; level++) {
      if (!done) {
        if (count >> level & 1) {
          x = joined<FULL>(left[level], x);
        } else {
          left[level] = x;
          done = true;
        }
      }
    }
    if (@high@ > 0 && !done) {
      unsigned level = 0;
#pragma unroll 1
      for (; count >> @levels@ + level & 1; level++) x = joined<FULL>(high[level], x);
      high[level] = x;
    }
    count++;
  }
  __device__ __forceinline__ acc_t combined(index_t) const {
    acc_t x = neutral();
#pragma unroll
    for (int level = 0; level < @levels@; level++)
      if (count >> level & 1) x = combine(left[level], x);
#pragma unroll 1
    for (int level = 0; level < @high@; level++)
      if (count >> @levels@ + level & 1) x = combine(high[level], x);
    return x;
  }
  template <class Value>
  __device__ __forceinline__ void elements(const Value &value, const packs_t (&raw)[@batch@], const int e,
                                           const index_t r, const int m, int) {
@elements@
  }
};

//: tree_elements
    acc_t v[@batch@];
#pragma unroll
    for (int i = 0; i < @batch@; i++) v[i] = i < m ? start(value(raw[i], e, r + i), r + i) : neutral();
    add<false>(pairwise(v));

//: chunks_elements
    value_t v[@batch@];
#pragma unroll
    for (int i = 0; i < @batch@; i++)
      if (i < m) v[i] = value(raw[i], e, r + i);
    if (m == @batch@)
      add<true>(of_values(v, r, m));
    else
      add<false>(of_values(v, r, m));

//: high_levels
  acc_t high[@width@][@high@];
#pragma unroll
  for (int e = 0; e < @width@; e++) column[e].high = high[e];

//: free_column
struct Column {
  part_t part = none();
  __device__ __forceinline__ acc_t combined(const index_t first) const { return end(part, first); }
  template <class Value>
  __device__ __forceinline__ void elements(const Value &value, const packs_t (&raw)[@batch@], const int e,
                                           const index_t r, const int m, const int done) {
#pragma unroll
    for (int i = 0; i < @batch@; i++)
      if (i < m) add(part, value(raw[i], e, r + i), done + i);
  }
};

//: columns
// Neighbouring outputs lie side by side in memory: a thread has WIDTH of them, and 2^log_x threads are side by side.
// Behind each of these are as many threads as fit into the block, with `chunk` elements one after the other.
@signature@
@functions@
  __shared__ words_t shared[256 * @width@];
  const unsigned width = 1u << log_x, slot = threadIdx.x >> log_x, depth = 256u >> log_x;
  const unsigned long long group = blockIdx.x@per_group@, part = @part@;
  const unsigned long long k = ((group << log_x) + (threadIdx.x & width - 1)) * @width@;
  const unsigned long long first = (part * depth + slot) * chunk;
  Column column[@width@];
@high_levels@
  if (k < outputs && first < n) {
    const bases_t b = bases(k);
    const int count = (int)(n - first < chunk ? n - first : chunk);
@loop@
  }
  acc_t x[@width@];
#pragma unroll
  for (int e = 0; e < @width@; e++) x[e] = column[e].combined((index_t)first);
  if (depth > 1) slots(shared, x, width, depth);
@ending@
}

//: columns_loop
#pragma unroll 1
    for (int i = 0; i < count; i += @batch@) {
      const index_t r = (index_t)first + i;
      packs_t raw[@batch@];
      if (i + @batch@ <= count) {
#pragma unroll
        for (int j = 0; j < @batch@; j++) raw[j] = load(b, r + j);
#pragma unroll
        for (int e = 0; e < @width@; e++) column[e].elements(value, raw, e, r, @batch@, i);
      } else {
#pragma unroll
        for (int j = 0; j < @batch@; j++)
          if (i + j < count) raw[j] = load(b, r + j);
#pragma unroll
        for (int e = 0; e < @width@; e++) column[e].elements(value, raw, e, r, count - i, i);
      }
    }
//: columns_ahead
    // The next elements are on their way while these are combined.
    packs_t raw[@batch@];
    int i = 0;
    if (@batch@ <= count) {
#pragma unroll
      for (int j = 0; j < @batch@; j++) raw[j] = load(b, (index_t)first + j);
    }
#pragma unroll 1
    for (; i + @batch@ <= count; i += @batch@) {
      const index_t r = (index_t)first + i;
      packs_t now[@batch@];
#pragma unroll
      for (int j = 0; j < @batch@; j++) now[j] = raw[j];
      if (i + 2 * @batch@ <= count) {
#pragma unroll
        for (int j = 0; j < @batch@; j++) raw[j] = load(b, r + @batch@ + j);
      }
#pragma unroll
      for (int e = 0; e < @width@; e++) column[e].elements(value, now, e, r, @batch@, i);
    }
    if (i < count) {
      const index_t r = (index_t)first + i;
#pragma unroll
      for (int j = 0; j < @batch@; j++)
        if (i + j < count) raw[j] = load(b, r + j);
#pragma unroll
      for (int e = 0; e < @width@; e++) column[e].elements(value, raw, e, r, count - i, i);
    }
//: columns_whole
  if (slot == 0 && k < outputs) {
#pragma unroll
    for (int e = 0; e < @width@; e++) put(k + e, finish(x[e], count_of@divisors@));
  }

//: columns_split
  if (slot == 0 && k < outputs) {
#pragma unroll
    for (int e = 0; e < @width@; e++) partial[part * outputs + k + e].x = x[e];
  }
  if (!is_last(counters + group, parts)) return;
  combine_parts(x, shared, partial + (k < outputs ? k : 0), outputs, parts, width, depth);
  if (slot == 0 && k < outputs) {
#pragma unroll
    for (int e = 0; e < @width@; e++) put(k + e, finish(x[e], count_of@divisors@));
  }
