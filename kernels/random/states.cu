// Generators with a state in memory, many side by side: word k of generator g is states[k * count + g].

//: xorwow
// XORWOW of Marsaglia (Xorshift RNGs, 2003): 160 bits that a linear map moves on, and a counter.
struct Rng {
  enum { WORDS = 6, LINEAR = 5, STEP = 362437 };
  unsigned s[6];
  __device__ __forceinline__ void begin(const double2 key) {
    const uint4 a = cl_random_block(key, 0, 0), b = cl_random_block(key, 1, 0);
    s[0] = a.x | 1; // all zeros would stay so
    s[1] = a.y;
    s[2] = a.z;
    s[3] = a.w;
    s[4] = b.x;
    s[5] = b.y;
  }
  __device__ __forceinline__ unsigned next() {
    const unsigned t = s[0] ^ s[0] >> 2;
    s[0] = s[1];
    s[1] = s[2];
    s[2] = s[3];
    s[3] = s[4];
    s[4] = s[4] ^ s[4] << 4 ^ t ^ t << 1;
    s[5] += STEP;
    return s[4] + s[5];
  }
  // The image of the linear part: of each bit that is set.
  __device__ void apply(const unsigned *matrix) {
    unsigned y[5] = {0, 0, 0, 0, 0};
    for (int word = 0; word < 5; word++)
      for (int bit = 0; bit < 32; bit++) {
        const unsigned *image = matrix + (word * 32 + bit) * 5, mask = 0u - (s[0] >> bit & 1);
#pragma unroll
        for (int k = 0; k < 5; k++) y[k] ^= image[k] & mask;
        if (bit == 31) { // the next word comes first: indices stay constants
          const unsigned first = s[0];
#pragma unroll
          for (int k = 0; k < 4; k++) s[k] = s[k + 1];
          s[4] = first;
        }
      }
#pragma unroll
    for (int k = 0; k < 5; k++) s[k] = y[k];
  }
  __device__ __forceinline__ void count_on(const unsigned steps) { s[5] += steps * STEP; }
};
enum { MATRIX = 800 };

//: mrg32k3a
// MRG32k3a of L'Ecuyer (Good parameters and implementations for combined multiple recursive random number generators,
// 1999): two recurrences of order 3, whose difference counts.
struct Rng {
  enum { WORDS = 6 };
  static const unsigned M1 = 4294967087u, M2 = 4294944443u;
  unsigned s[6];
  __device__ __forceinline__ void begin(const double2 key) {
    const uint4 a = cl_random_block(key, 2, 0), b = cl_random_block(key, 3, 0);
    s[0] = 1 + a.x % (M1 - 1); // never all zeros
    s[1] = a.y % M1;
    s[2] = a.z % M1;
    s[3] = 1 + a.w % (M2 - 1);
    s[4] = b.x % M2;
    s[5] = b.y % M2;
  }
  // 1 to M1.
  __device__ __forceinline__ unsigned step() {
    const unsigned p = (1403580ull * s[1] + 810728ull * (M1 - s[0])) % M1;
    const unsigned q = (527612ull * s[5] + 1370589ull * (M2 - s[3])) % M2;
    s[0] = s[1];
    s[1] = s[2];
    s[2] = p;
    s[3] = s[4];
    s[4] = s[5];
    s[5] = q;
    return p > q ? p - q : p - q + M1;
  }
  // Stretched to 32 bits.
  __device__ __forceinline__ unsigned next() {
    return (unsigned)__dmul_rn(__uint2double_rn(step()) - 1, 0x1p32 / 4294967087.0);
  }
  __device__ static unsigned row(const unsigned *matrix, const unsigned *x, const unsigned m) {
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 3; k++) sum = (unsigned)(((unsigned long long)matrix[k] * x[k] + sum) % m);
    return sum;
  }
  __device__ void apply(const unsigned *matrix) {
    unsigned y[6];
#pragma unroll
    for (int k = 0; k < 3; k++) {
      y[k] = row(matrix + 3 * k, s, M1);
      y[k + 3] = row(matrix + 9 + 3 * k, s + 3, M2);
    }
#pragma unroll
    for (int k = 0; k < 6; k++) s[k] = y[k];
  }
  __device__ __forceinline__ void count_on(const unsigned) {}
};
enum { MATRIX = 18 };

//: common
__device__ __forceinline__ Rng read(const unsigned *states, const unsigned count, const unsigned g) {
  Rng rng;
#pragma unroll
  for (int k = 0; k < Rng::WORDS; k++) rng.s[k] = states[(unsigned long long)k * count + g];
  return rng;
}
__device__ __forceinline__ void write(const Rng &rng, unsigned *states, const unsigned count, const unsigned g) {
#pragma unroll
  for (int k = 0; k < Rng::WORDS; k++) states[(unsigned long long)k * count + g] = rng.s[k];
}
// Blocks of four words, as cl_random_block() gives them.
struct Blocks {
  Rng &rng;
  __device__ __forceinline__ uint4 block(unsigned) {
    const unsigned a = rng.next(), b = rng.next(), c = rng.next();
    return make_uint4(a, b, c, rng.next());
  }
};

//: begin
// The state that belongs to a seed.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long count, unsigned *states,
                                                         const int *seeds) {
  const unsigned g = blockIdx.x * 256 + threadIdx.x;
  if (g >= count) return;
  Rng rng;
  rng.begin(make_double2(__longlong_as_double((long long)(unsigned)seeds[g]), 0));
  write(rng, states, count, g);
}

//: jump
// Moves generators on: matrix j where bit j of a generator's number is set, which is that of the list, its own, or 1.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long count, unsigned *states,
                                                         const unsigned *matrices, const unsigned bits,
                                                         const unsigned long long *numbers, const unsigned own,
                                                         const unsigned steps) {
  const unsigned g = blockIdx.x * 256 + threadIdx.x;
  if (g >= count) return;
  Rng rng = read(states, count, g);
  const unsigned long long number = numbers ? numbers[g] : own ? g : 1;
  for (unsigned j = 0; j < bits; j++)
    if (number >> j & 1) rng.apply(matrices + j * MATRIX);
  rng.count_on((unsigned)number * steps);
  write(rng, states, count, g);
}

//: draw_uniform_float32
    const uint4 w = Blocks{rng}.block(0);
    r.e[0] = __uint2float_rn((w.x >> 8) + 1) * 0x1p-24f;
    r.e[1] = __uint2float_rn((w.y >> 8) + 1) * 0x1p-24f;
    r.e[2] = __uint2float_rn((w.z >> 8) + 1) * 0x1p-24f;
    r.e[3] = __uint2float_rn((w.w >> 8) + 1) * 0x1p-24f;

//: draw_uniform_float64
    const uint4 w = Blocks{rng}.block(0);
    r.e[0] = __ull2double_rn((((unsigned long long)w.y << 32 | w.x) >> 11) + 1) * 0x1p-53;
    r.e[1] = __ull2double_rn((((unsigned long long)w.w << 32 | w.z) >> 11) + 1) * 0x1p-53;

//: draw_bits_uint32
    const uint4 w = Blocks{rng}.block(0);
    r.e[0] = w.x, r.e[1] = w.y, r.e[2] = w.z, r.e[3] = w.w;

//: draw_bits_uint64
    const uint4 w = Blocks{rng}.block(0);
    r.e[0] = (unsigned long long)w.y << 32 | w.x;
    r.e[1] = (unsigned long long)w.w << 32 | w.z;

//: draw_normal_float32
    const uint4 w = Blocks{rng}.block(0);
    const float2 a = cl_random_normals(w.x, w.y), b = cl_random_normals(w.z, w.w);
    r.e[0] = a.x, r.e[1] = a.y, r.e[2] = b.x, r.e[3] = b.y;

//: draw_normal_float64
    const double2 a = cl_random_normals(Blocks{rng}.block(0));
    r.e[0] = a.x, r.e[1] = a.y;

//: draw_poisson
    for (int k = 0; k < 2; k++)
      if (i + k < n) r.e[k] = cl_random_poisson_from(Blocks{rng}, mean);

//: draw_poisson_of
    for (int k = 0; k < 2; k++)
      if (i + k < n) r.e[k] = cl_random_poisson_from(Blocks{rng}, means[i + k]);

//: fill
// Each generator makes the elements of packs that are `count` packs apart.
extern "C" __global__ void __launch_bounds__(256) @name@(const unsigned long long n, @memory@ *out, unsigned *states,
                                                         const unsigned count@params@) {
  const unsigned g = blockIdx.x * 256 + threadIdx.x;
  if (g >= count || g * @pack@ull >= n) return;
  Rng rng = read(states, count, g);
  for (unsigned long long i = g * @pack@ull; i < n; i += count * @pack@ull) {
    struct __align__(16) { @memory@ e[@pack@]; } r;
@draw@
    if (i + @pack@ <= n) {
      *(decltype(r) *)(out + i) = r;
    } else {
#pragma unroll
      for (int k = 0; k < @pack@; k++)
        if (i + k < n) out[i + k] = r.e[k];
    }
  }
  write(rng, states, count, g);
}
