// Jacobi's rotations. A round has disjoint pairs of columns, so that all of them turn at once; after as many rounds as
// there are columns but one, each has met each.

//: pairs
// The columns that the i-th pair of a round has; of an odd number one column is alone, and its pair has n for the other.
__device__ __forceinline__ void pair_of(const long long n, const long long round, const long long i, long long &p,
                                        long long &q) {
  const long long last = n - 1 + n % 2;
  const long long x = i == 0 ? last : (round + i) % last, y = i == 0 ? round : (round - i + last) % last;
  p = min(x, y);
  q = max(x, y);
}

// The turn that makes columns orthogonal whose squares are a and b and whose product is g, of length `size`: t is the
// tangent, s the sine, `half` the tangent of half the angle. A product below the bound is left as it is, and NaN.
struct Turn {
  Real s, t, half;
  Value phase; // of g, conjugated
};
__device__ __forceinline__ Turn turn_of(const Real a, const Real b, const Value g, const Real size) {
  Turn turn;
  const Real zeta = (b - a) / (2 * size), length = fabs(zeta);
  const Real t = isinf(length) ? 0 : 1 / (length + cl_length2(length, (Real)1));
  turn.t = zeta < 0 ? -t : t;
  const Real c = 1 / sqrt(1 + t * t);
  turn.s = c * turn.t;
  turn.half = turn.s / (1 + c);
  turn.phase = cl_conj(cl_div(g, made(size)));
  return turn;
}
// The cosine is 1 - s * half: of a small angle it would be rounded to 1, and each such turn would make columns longer.
__device__ __forceinline__ void turn_pair(const Turn &turn, const Value phase, Value &x, Value &y) {
  const Value own = x, other = cl_mul(phase, y);
  x = cl_sub(own, cl_scaled(cl_add(other, cl_scaled(own, turn.half)), turn.s));
  y = cl_add(other, cl_scaled(cl_sub(own, cl_scaled(other, turn.half)), turn.s));
}

//: sides
// One warp turns two columns of w, and those of v with them; columns have n elements. Says whether it did.
__device__ bool orthogonalise(Value *const w, Value *const v, const long long n, const long long p, const long long q,
                              const unsigned lane) {
  Value *const x = w + p * n, *const y = w + q * n;
  Real a = 0, b = 0;
  Value g = made((Real)0);
  for (long long i = lane; i < n; i += 32) {
    a += cl_norm2(x[i]);
    b += cl_norm2(y[i]);
    g = cl_fma(cl_conj(x[i]), y[i], g);
  }
  a = cl_warp_sum(a);
  b = cl_warp_sum(b);
  g = cl_warp_sum(g);
  const Real size = cl_length(g);
  // Squares of shorter columns have too few digits; the matrix was scaled, so that its largest element is 1.
  if (!(size > EPSILON * sqrt((Real)n) * sqrt(a) * sqrt(b)) || min(a, b) < LEAST / (EPSILON * EPSILON)) return false;
  const Turn turn = turn_of(a, b, g, size);
  for (long long i = lane; i < n; i += 32) {
    turn_pair(turn, turn.phase, x[i], y[i]);
    turn_pair(turn, turn.phase, v[p * n + i], v[q * n + i]);
  }
  return true;
}

//: frame
// A block for each matrix: sweeps until nothing turns. info: 1 if something still turned in the last one. All threads
// call turn_round(x, v, round, turned), which sets `turned` if it turns something.
template <class Round>
__device__ __forceinline__ void sweep_small(const unsigned long long all, const unsigned n, const unsigned sweeps,
                                            Value *const x0, Value *const v0, int *const info,
                                            const Round &turn_round) {
  __shared__ __align__(16) Value x[SIDE * SIDE], v[SIDE * SIDE];
  __shared__ int turned;
  const unsigned rounds = 2 * ((n + 1) / 2) - 1;
  for (unsigned long long matrix = blockIdx.x; matrix < all; matrix += gridDim.x) {
    for (unsigned e = threadIdx.x; e < n * n; e += blockDim.x) {
      x[e] = x0[matrix * n * n + e];
      v[e] = made((Real)(e / n == e % n ? 1 : 0));
    }
    bool goes_on = true;
    for (unsigned sweep = 0; sweep < sweeps && goes_on; sweep++) {
      __syncthreads();
      if (threadIdx.x == 0) turned = 0;
      __syncthreads();
      for (unsigned round = 0; round < rounds; round++) {
        turn_round(x, v, round, turned);
        __syncthreads();
      }
      goes_on = turned != 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) info[matrix] = goes_on;
    for (unsigned e = threadIdx.x; e < n * n; e += blockDim.x) {
      x0[matrix * n * n + e] = x[e];
      v0[matrix * n * n + e] = v[e];
    }
    __syncthreads();
  }
}

//: sides_small
extern "C" __global__ void __launch_bounds__(256)
    linalg_jacobi_sides_small(const unsigned long long all, const unsigned n, const unsigned sweeps, Value *const w0,
                              Value *const v0, int *const info) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, pairs = (n + 1) / 2;
  sweep_small(all, n, sweeps, w0, v0, info, [&](Value *const w, Value *const v, const unsigned round, int &turned) {
    for (unsigned i = warp; i < pairs; i += warps) {
      long long p, q;
      pair_of(n, round, i, p, q);
      if (q < n && orthogonalise(w, v, n, p, q, lane) && lane == 0) turned = 1;
    }
  });
}

//: sides_round
extern "C" __global__ void __launch_bounds__(256)
    linalg_jacobi_sides_round(const unsigned long long all, const unsigned long long n, const unsigned long long round,
                              Value *const w, Value *const v, int *const turned) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long pairs = (n + 1) / 2;
  for (unsigned long long work = blockIdx.x * 8ull + threadIdx.x / 32; work < all; work += gridDim.x * 8ull) {
    const unsigned long long matrix = work / pairs;
    long long p, q;
    pair_of((long long)n, (long long)round, (long long)(work - matrix * pairs), p, q);
    if (q < (long long)n && orthogonalise(w + matrix * n * n, v + matrix * n * n, (long long)n, p, q, lane) && lane == 0)
      turned[matrix] = 1;
  }
}

//: angles
// The turn of a pair of a Hermitian matrix; one that turns nothing has a sine of 0.
struct Angle {
  Turn turn;
  Real size; // of the element that becomes 0, or 0
};
__device__ Angle angle_of(const Value *const a, const long long n, const long long p, const long long q) {
  Angle angle;
  angle.turn.s = angle.turn.t = angle.turn.half = 0;
  angle.turn.phase = made((Real)1);
  angle.size = 0;
  if (q >= n) return angle;
  const Value g = a[p * n + q];
  const Real size = cl_length(g);
  // the matrix was scaled, so that its largest element is 1
  if (!(size > EPSILON / 4) || size < LEAST) return angle;
  angle.turn = turn_of(cl_real(a[p * n + p]), cl_real(a[q * n + q]), g, size);
  angle.size = size;
  return angle;
}

// Turns the block of the i-th pair's rows and the k-th pair's columns.
__device__ void turn_block(Value *const a, const long long n, const long long round, const long long i,
                           const long long k, const Angle &rows, const Angle &columns) {
  long long r[2], c[2];
  pair_of(n, round, i, r[0], r[1]);
  pair_of(n, round, k, c[0], c[1]);
  if (rows.size == 0 && columns.size == 0) return;
  Value x[2][2];
#pragma unroll
  for (int e = 0; e < 4; e++)
    x[e / 2][e % 2] = r[e / 2] < n && c[e % 2] < n ? a[r[e / 2] * n + c[e % 2]] : made((Real)0);
  if (i == k) { // one that becomes 0
    const Real change = rows.turn.t * rows.size;
    x[0][0] = made(cl_real(x[0][0]) - change);
    x[1][1] = made(cl_real(x[1][1]) + change);
    x[0][1] = x[1][0] = made((Real)0);
  } else {
    turn_pair(columns.turn, columns.turn.phase, x[0][0], x[0][1]);
    turn_pair(columns.turn, columns.turn.phase, x[1][0], x[1][1]);
    const Value phase = cl_conj(rows.turn.phase);
    turn_pair(rows.turn, phase, x[0][0], x[1][0]);
    turn_pair(rows.turn, phase, x[0][1], x[1][1]);
  }
#pragma unroll
  for (int e = 0; e < 4; e++)
    if (r[e / 2] < n && c[e % 2] < n) a[r[e / 2] * n + c[e % 2]] = x[e / 2][e % 2];
}

//: both_small
extern "C" __global__ void __launch_bounds__(256)
    linalg_jacobi_both_small(const unsigned long long all, const unsigned n, const unsigned sweeps, Value *const a0,
                             Value *const v0, int *const info) {
  __shared__ Angle angles[SIDE];
  const unsigned pairs = (n + 1) / 2;
  sweep_small(all, n, sweeps, a0, v0, info, [&](Value *const a, Value *const v, const unsigned round, int &turned) {
    for (unsigned i = threadIdx.x; i < pairs; i += blockDim.x) {
      long long p, q;
      pair_of(n, round, i, p, q);
      angles[i] = angle_of(a, n, p, q);
      if (angles[i].size > 0) turned = 1;
    }
    __syncthreads();
    for (unsigned e = threadIdx.x; e < pairs * pairs; e += blockDim.x)
      turn_block(a, n, round, e / pairs, e % pairs, angles[e / pairs], angles[e % pairs]);
    for (unsigned e = threadIdx.x; e < pairs * n; e += blockDim.x) {
      const unsigned i = e / n, at = e - i * n;
      long long p, q;
      pair_of(n, round, i, p, q);
      if (angles[i].size > 0) turn_pair(angles[i].turn, angles[i].turn.phase, v[p * n + at], v[q * n + at]);
    }
  });
}

//: both_angles
extern "C" __global__ void linalg_jacobi_both_angles(const unsigned long long all, const unsigned long long n,
                                                     const unsigned long long round, const Value *const a,
                                                     Angle *const angles, int *const turned) {
  const unsigned long long pairs = (n + 1) / 2;
  for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += gridDim.x * 256ull) {
    const unsigned long long matrix = e / pairs;
    long long p, q;
    pair_of((long long)n, (long long)round, (long long)(e - matrix * pairs), p, q);
    angles[e] = angle_of(a + matrix * n * n, (long long)n, p, q);
    if (angles[e].size > 0) turned[matrix] = 1;
  }
}

//: both_round
extern "C" __global__ void linalg_jacobi_both_round(const unsigned long long all, const unsigned long long n,
                                                    const unsigned long long round, Value *const a0, Value *const v0,
                                                    const Angle *const angles) {
  const unsigned long long pairs = (n + 1) / 2, lines = pairs + n; // of blocks, and of v's elements
  for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += gridDim.x * 256ull) {
    const unsigned long long line = e / lines, at = e - line * lines, matrix = line / pairs, i = line - matrix * pairs;
    const Angle *const own = angles + matrix * pairs;
    if (at < pairs) {
      turn_block(a0 + matrix * n * n, (long long)n, (long long)round, (long long)i, (long long)at, own[i], own[at]);
    } else if (own[i].size > 0) {
      long long p, q;
      pair_of((long long)n, (long long)round, (long long)i, p, q);
      Value *const v = v0 + matrix * n * n + (at - pairs);
      turn_pair(own[i].turn, own[i].turn.phase, v[p * (long long)n], v[q * (long long)n]);
    }
  }
}
