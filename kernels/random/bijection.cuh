// A permutation of 0 to n - 1, an element at a time: a keyed cipher by Feistel's construction permutes the
// numbers of as few bits as hold them, and what comes out beyond n goes in again.
extern "C++" {
__device__ __forceinline__ unsigned cl_random_mix(unsigned x, const unsigned key) {
  x = (x ^ key) * 0x9e3779b1u;
  x = (x ^ x >> 15) * 0x85ebca77u;
  x = (x ^ x >> 13) * 0xc2b2ae3du;
  return x ^ x >> 16;
}
__device__ __noinline__ unsigned long long cl_random_bijection(unsigned long long i, const double2 state,
                                                               const unsigned long long n) {
  const int bits = max(2, 64 - __clzll((long long)(n - 1))), low = bits / 2, high = bits - low;
  const unsigned low_mask = (unsigned)((1ull << low) - 1), high_mask = (unsigned)((1ull << high) - 1);
  do {
    unsigned a = (unsigned)(i >> low) & high_mask, b = (unsigned)i & low_mask;
#pragma unroll 1
    for (int round = 0; round < 6; round++) {
      const uint4 key = cl_random_block(state, round, 0);
      a ^= cl_random_mix(b, key.x) & high_mask;
      b ^= cl_random_mix(a, key.y) & low_mask;
      a ^= cl_random_mix(b, key.z) & high_mask;
      b ^= cl_random_mix(a, key.w) & low_mask;
    }
    i = (unsigned long long)a << low | b;
  } while (i >= n);
  return i;
}
}
