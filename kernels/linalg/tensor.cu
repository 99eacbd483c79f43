// Products of matrices on tensor cores: int8, float16, bfloat16, and float32 as TF32. All four types are the same to
// them: an instruction takes 32 bytes of terms of 16 rows and of 8 columns. A word is 4 bytes of terms, a half 16
// bytes, a group 8 rows or 8 columns. Of each group and half, lane 4 g + t has word t of neighbour g.
//
// What the instructions do is in `native`, and once more without them in `emulated`, for the software device.

//: native
enum { UNROLLED = 64 }; // times, at most, of loops over a warp's results

// Four matrices of 8 lines of 16 bytes: lane 8 i + j names line j of matrix i. x[i] is lane 4 g + t's word t of line g;
// turned, for 16-bit elements, its elements g of lines 2 t and 2 t + 1.
template <bool turned>
__device__ __forceinline__ void load_matrices(unsigned (&x)[4], const unsigned char *const line) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(line);
  if (turned)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
}
// Adds products of two groups of rows and a group of columns. Of the sums, a lane has columns 2 t and 2 t + 1 of row g
// of the upper group, then of the lower one.
__device__ __forceinline__ void multiply(Value (&sum)[4], const unsigned (&upper)[2], const unsigned (&lower)[2],
                                         const unsigned (&b)[2]) {
  asm("@mma@ {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+@register@"(sum[0]), "+@register@"(sum[1]), "+@register@"(sum[2]), "+@register@"(sum[3])
      : "r"(upper[0]), "r"(lower[0]), "r"(upper[1]), "r"(lower[1]), "r"(b[0]), "r"(b[1]));
}

//: emulated
// The same from shared memory and by shuffles.
enum { UNROLLED = 1 }; // compiles faster

template <bool turned>
__device__ __forceinline__ void load_matrices(unsigned (&x)[4], const unsigned char *const line) {
  const unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  __syncwarp();
#pragma unroll UNROLLED
  for (unsigned i = 0; i < 4; i++)
    if (turned) {
      const unsigned long long at = (unsigned long long)line;
      const unsigned short *const even = (const unsigned short *)__shfl_sync(~0u, at, 8 * i + 2 * t);
      const unsigned short *const odd = (const unsigned short *)__shfl_sync(~0u, at, 8 * i + 2 * t + 1);
      x[i] = even[g] | (unsigned)odd[g] << 16;
    } else {
      x[i] = ((const unsigned *)__shfl_sync(~0u, (unsigned long long)line, 8 * i + g))[t];
    }
}
// A word's element, as what is multiplied.
__device__ __forceinline__ Value element_of(const unsigned word, const unsigned i) { return @element_of@; }
// Terms are added in their order, each with one fused multiply-add.
__device__ __forceinline__ void multiply(Value (&sum)[4], const unsigned (&upper)[2], const unsigned (&lower)[2],
                                         const unsigned (&b)[2]) {
  const unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll UNROLLED
  for (unsigned half = 0; half < 2; half++)
#pragma unroll UNROLLED
    for (unsigned word = 0; word < 4; word++) {
      const unsigned above = __shfl_sync(~0u, upper[half], 4 * g + word);
      const unsigned below = __shfl_sync(~0u, lower[half], 4 * g + word);
      const unsigned even = __shfl_sync(~0u, b[half], 8 * t + word);
      const unsigned odd = __shfl_sync(~0u, b[half], 8 * t + 4 + word);
#pragma unroll UNROLLED
      for (unsigned i = 0; i < 4 / sizeof(Element); i++) {
        sum[0] = cl_fma(element_of(above, i), element_of(even, i), sum[0]);
        sum[1] = cl_fma(element_of(above, i), element_of(odd, i), sum[1]);
        sum[2] = cl_fma(element_of(below, i), element_of(even, i), sum[2]);
        sum[3] = cl_fma(element_of(below, i), element_of(odd, i), sum[3]);
      }
    }
}

//: tile
// A block computes tiles of SIDE x SIDE results, a warp HIGH x WIDE of them, 64 bytes of terms at a time. STAGES such
// pieces are in shared memory: while one is multiplied, the next ones are copied.
enum { SIDE = @side@, HIGH = @high@, WIDE = @wide@, ACROSS = SIDE / WIDE, THREADS = 32 * (SIDE / HIGH) * ACROSS };
enum { SIZE = sizeof(Element), DEPTH = 64 / SIZE, STAGES = 3, PIECE = 64 * SIDE };

// Copies some bytes into shared memory in the background, and fills up with zeros.
template <int bytes> __device__ __forceinline__ void copy(unsigned char *const to, const Element *const from,
                                                          const unsigned some) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "n"(bytes), "r"(some) : "memory");
}
template <> __device__ __forceinline__ void copy<16>(unsigned char *const to, const Element *const from,
                                                     const unsigned some) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(some) : "memory");
}
template <> __device__ __forceinline__ void copy<2>(unsigned char *const to, const Element *const from,
                                                    const unsigned some) {
  *(Element *)to = some > 0 ? *from : (Element)0;
}
template <> __device__ __forceinline__ void copy<1>(unsigned char *const to, const Element *const from,
                                                    const unsigned some) {
  *(Element *)to = some > 0 ? *from : (Element)0;
}
// What was copied since the last call is a group. Waits for all groups but the last STAGES - 2.
__device__ __forceinline__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_groups() { asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory"); }

// The word as the cores read it: TF32 has the upper 19 bits of a float32. Half a unit is rounded away from 0.
__device__ __forceinline__ unsigned prepared(const unsigned word) { return @prepared@; }

// An operand's pieces. A line holds neighbours in memory: terms (`along`), or rows of a or columns of b, called sides
// here. Lines are copied in units of `pack` elements, each by one thread. Within a line, blocks of 16 bytes change
// places, so that lanes that read at once read from different banks.
template <bool along, int pack> struct Part {
  enum { LINE = along ? 64 : SIDE * SIZE, UNIT = pack * SIZE, UNITS = LINE / UNIT, FORWARD = THREADS / UNITS };
  enum { COUNT = PIECE / LINE / FORWARD };
  const Element *at, *const base; // what the thread copies first; an address to name where nothing is read
  long long next, forward;        // from one of its units to the next; from a piece to the next
  unsigned line, first;           // the first unit's line, and its first element there
  unsigned left;                  // so many sides of the tile are within the matrix

  __device__ __forceinline__ Part(const Element *const from, const long long step_side, const long long step_term,
                                  const unsigned long long sides)
      : base(from) {
    line = threadIdx.x / UNITS;
    first = threadIdx.x % UNITS * pack;
    at = from + (long long)line * (along ? step_side : step_term) + (long long)first * (along ? step_term : step_side);
    next = FORWARD * (along ? step_side : step_term);
    forward = DEPTH * step_term;
    left = (unsigned)min(sides, (unsigned long long)SIDE);
  }
  static __device__ __forceinline__ unsigned place(const unsigned of, const unsigned byte) {
    const unsigned turn = along       ? of / 2 % 4
                          : SIZE == 2 ? of % 8
                          : SIZE == 4 ? of % 4 * 2
                                      : of / 4 % 4 * 2 % (LINE / 16);
    return of * LINE + (byte / 16 ^ turn) * 16 + byte % 16;
  }
  __device__ __forceinline__ void fetch(unsigned char *const piece, const unsigned long long terms) {
    if (terms >= DEPTH && left == SIDE) {
#pragma unroll
      for (int i = 0; i < COUNT; i++) copy<UNIT>(piece + place(line + i * FORWARD, first * SIZE), at + i * next, UNIT);
    } else {
      const unsigned some = (unsigned)min(terms, (unsigned long long)DEPTH);
      const unsigned lines = along ? left : some, elements = along ? some : left;
      const unsigned within = elements > first ? min(elements - first, (unsigned)pack) : 0;
#pragma unroll
      for (int i = 0; i < COUNT; i++) {
        const unsigned number = line + i * FORWARD < lines ? within : 0;
        copy<UNIT>(piece + place(line + i * FORWARD, first * SIZE), number > 0 ? at + i * next : base, number * SIZE);
      }
    }
    at += forward;
  }
  // The side of a neighbour of a group. Where a lane reads its words of four groups at once, these are mixed.
  static __device__ __forceinline__ unsigned side_of(const unsigned group, const unsigned neighbour) {
    return !along && SIZE != 2 ? group / 4 * 32 + neighbour * 4 + group % 4 : group * 8 + neighbour;
  }
  // The words of 32 bytes of terms, number `step` of the piece, of groups from `side` on.
  template <int groups>
  static __device__ __forceinline__ void load(unsigned (&x)[groups][2], const unsigned char *const piece,
                                              const unsigned side, const unsigned step) {
    const unsigned lane = threadIdx.x % 32;
    if (along || SIZE == 2) {
      const unsigned neighbour = lane % 8, second = lane / 8 % 2 * 8, half = lane / 16;
#pragma unroll UNROLLED
      for (int i = 0; i < groups; i += 2) {
        const unsigned own = side + 8 * i + second;
        unsigned y[4];
        load_matrices<!along>(y, piece + (along ? place(own + neighbour, 32 * step + 16 * half)
                                                : place(16 * step + 8 * half + neighbour, own * SIZE)));
#pragma unroll
        for (int j = 0; j < 4; j++) x[i + j % 2][j / 2] = prepared(y[j]);
      }
    } else {
      const unsigned g = lane / 4, t = lane % 4;
#pragma unroll UNROLLED
      for (int i = 0; i < groups; i += 4)
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const unsigned own = (side + 8 * i + 4 * g) * SIZE;
          if (SIZE == 4) {
            const uint4 y = *(const uint4 *)(piece + place(8 * step + 4 * half + t, own));
            x[i][half] = prepared(y.x), x[i + 1][half] = prepared(y.y);
            x[i + 2][half] = prepared(y.z), x[i + 3][half] = prepared(y.w);
          } else { // four words are turned as a matrix of 4 x 4 bytes
            unsigned y[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
              y[j] = *(const unsigned *)(piece + place(32 * step + 16 * half + 4 * t + j, own));
            const unsigned low = __byte_perm(y[0], y[1], 0x5140), high = __byte_perm(y[0], y[1], 0x7362);
            const unsigned low2 = __byte_perm(y[2], y[3], 0x5140), high2 = __byte_perm(y[2], y[3], 0x7362);
            x[i][half] = __byte_perm(low, low2, 0x5410), x[i + 1][half] = __byte_perm(low, low2, 0x7632);
            x[i + 2][half] = __byte_perm(high, high2, 0x5410), x[i + 3][half] = __byte_perm(high, high2, 0x7632);
          }
        }
    }
  }
};

//: product
// Tiles are taken in the order of array_product, and written as there.
typedef Part<@a_along@, @a_pack@> Left;
typedef Part<@b_along@, @b_pack@> Right;

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    array_product_tensor(const unsigned long long all, const unsigned long long m, const unsigned long long n,
                         const unsigned long long k, const unsigned long long chunk, const unsigned long long chunks,
                         const Element *const a0, const long long a_row, const long long a_term,
                         const Element *const b0, const long long b_term, const long long b_column, @params@) {
  __shared__ __align__(128) unsigned char left[STAGES][PIECE], right[STAGES][PIECE];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned own_row = warp / ACROSS * HIGH, own_column = warp % ACROSS * WIDE;
@walk@
    Left a(a0 + a_at + (long long)row * a_row + (long long)first * a_term, a_row, a_term, m - row);
    Right b(b0 + b_at + (long long)column * b_column + (long long)first * b_term, b_column, b_term, n - column);
    Value sum[HIGH / 16][WIDE / 8][4];
#pragma unroll UNROLLED
    for (int i = 0; i < HIGH / 16; i++)
#pragma unroll UNROLLED
      for (int j = 0; j < WIDE / 8; j++)
#pragma unroll UNROLLED
        for (int e = 0; e < 4; e++) sum[i][j][e] = none();
    unsigned long long fetched = 0;
    unsigned into = 0, from = 0;
#pragma unroll UNROLLED
    for (int stage = 0; stage < STAGES - 1; stage++) {
      if (fetched < terms) {
        a.fetch(left[into], terms - fetched);
        b.fetch(right[into], terms - fetched);
      }
      end_group();
      fetched += DEPTH, into++;
    }
    for (unsigned long long term = 0; term < terms; term += DEPTH) {
      wait_groups();
      __syncthreads();
      if (fetched < terms) {
        a.fetch(left[into], terms - fetched);
        b.fetch(right[into], terms - fetched);
      }
      end_group();
      fetched += DEPTH, into = into + 1 < STAGES ? into + 1 : 0;
#pragma unroll UNROLLED
      for (int step = 0; step < 2; step++) {
        unsigned x[HIGH / 8][2], y[WIDE / 8][2];
        Left::load(x, left[from], own_row, step);
        Right::load(y, right[from], own_column, step);
#pragma unroll UNROLLED
        for (int i = 0; i < HIGH / 16; i++)
#pragma unroll UNROLLED
          for (int j = 0; j < WIDE / 8; j++) multiply(sum[i][j], x[2 * i], x[2 * i + 1], y[j]);
      }
      from = from + 1 < STAGES ? from + 1 : 0;
    }
#pragma unroll UNROLLED
    for (int i = 0; i < HIGH / 16; i++)
#pragma unroll UNROLLED
      for (int j = 0; j < WIDE / 8; j++)
#pragma unroll UNROLLED
        for (int e = 0; e < 4; e++) {
          const unsigned long long r = row + own_row + Left::side_of(2 * i + e / 2, lane / 4);
          const unsigned long long c = column + own_column + Right::side_of(j, lane % 4 * 2 + e % 2);
          if (r < m && c < n) {
            const Value value = sum[i][j][e];
@put@
          }
        }
    __syncthreads();
  }
}
