// Philox4x32-10 of Salmon, Moraes, Dror and Shaw (Parallel random numbers: as easy as 1, 2, 3; 2011): from a
// key of 64 bits and a counter of 128 bits, four words.
//
// The state of a generator is its key and the first counter of a draw, both as the bits of a double. What an
// element gets follows from these and its number alone. The counter's high words are 0, or count the attempts
// of those methods that throw values away.
extern "C++" {
__device__ __forceinline__ uint4 cl_philox(uint4 c, unsigned k0, unsigned k1) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    c = make_uint4(__umulhi(c.z, 0xcd9e8d57u) ^ c.y ^ k0, c.z * 0xcd9e8d57u,
                   __umulhi(c.x, 0xd2511f53u) ^ c.w ^ k1, c.x * 0xd2511f53u);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return c;
}
__device__ __forceinline__ uint4 cl_random_block(const double2 state, const unsigned long long n,
                                                 const unsigned attempt) {
  const unsigned long long key = __double_as_longlong(state.x), at = __double_as_longlong(state.y) + n;
  return cl_philox(make_uint4((unsigned)at, (unsigned)(at >> 32), attempt, 0), (unsigned)key,
                   (unsigned)(key >> 32));
}
// The state of a draw whose counters agree in their high words: these are the same for all threads, and so is
// what the first rounds make of them.
struct cl_random_near {
  double2 state;
  __device__ __forceinline__ operator double2() const { return state; }
};
__device__ __forceinline__ uint4 cl_random_block(const cl_random_near near, const unsigned long long n,
                                                 const unsigned attempt) {
  const unsigned long long key = __double_as_longlong(near.state.x), at = __double_as_longlong(near.state.y);
  return cl_philox(make_uint4((unsigned)at + (unsigned)n, (unsigned)(at >> 32), attempt, 0), (unsigned)key,
                   (unsigned)(key >> 32));
}
// A word for each element, four elements from a block; two words for each, two elements from a block.
template <class State>
__device__ __forceinline__ unsigned cl_random_bits_uint32(const unsigned long long i, const State state,
                                                          const unsigned attempt = 0) {
  const uint4 w = cl_random_block(state, i >> 2, attempt);
  return i & 2 ? i & 1 ? w.w : w.z : i & 1 ? w.y : w.x;
}
template <class State>
__device__ __forceinline__ unsigned long long
cl_random_bits_uint64(const unsigned long long i, const State state, const unsigned attempt = 0) {
  const uint4 w = cl_random_block(state, i >> 1, attempt);
  return i & 1 ? (unsigned long long)w.w << 32 | w.z : (unsigned long long)w.y << 32 | w.x;
}
}
