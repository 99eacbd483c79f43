// Numbers of events, in double precision. Where few are expected, by looking for a uniform number in the
// distribution's sums; where many are, by transformed rejection (Hoermann, The transformed rejection method
// for generating Poisson random variables, and The generation of binomial random variates, both 1993). They
// are called: copies for all the elements of a thread would not fit into the caches of instructions.
extern "C++" {
__device__ __forceinline__ double2 cl_random_pair(const double x, const double y) {
  return make_double2(x, y);
}
__device__ __forceinline__ double cl_random_53(const unsigned low, const unsigned high) {
  return __fma_rn(__ull2double_rn(((unsigned long long)high << 32 | low) >> 11), 0x1p-53, 0x1p-54);
}
// log(k!) less (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2.
__device__ __forceinline__ double cl_random_stirling(const double k) {
  const double tail[10] = {0.08106146679532726,  0.041340695955409294, 0.02767792568499834,
                           0.020790672103765093, 0.016644691189821193, 0.013876128823070748,
                           0.01189670994589177,  0.010411265261972096, 0.009255462182712733,
                           0.00833056343336287};
  if (k < 10) {
    double x = tail[0];
#pragma unroll
    for (int i = 1; i < 10; i++) x = k == i ? tail[i] : x;
    return x;
  }
  const double r = 1 / (k + 1), z = __dmul_rn(r, r);
  return __dmul_rn(__fma_rn(__fma_rn(__fma_rn(-1.0 / 1680, z, 1.0 / 1260), z, -1.0 / 360), z, 1.0 / 12), r);
}
__device__ __forceinline__ double cl_random_log_factorial(const double k) {
  return __dadd_rn(__dadd_rn(__fma_rn(k + 0.5, cl_random_log(k + 1), -(k + 1)), 0.9189385332046727),
                   cl_random_stirling(k));
}
// Where an element gets blocks of words from, one for each attempt.
struct cl_random_blocks {
  unsigned long long i;
  double2 state;
  __device__ __forceinline__ uint4 block(const unsigned attempt) const {
    return cl_random_block(state, i, attempt);
  }
};
// Counts so large that the logarithms below, which nearly cancel each other, have too few digits. They are
// normally distributed but for their skewness; `skewed` is the third central moment by the variance.
__device__ __forceinline__ double cl_random_large_count(const uint4 w, const double mean,
                                                        const double variance, const double skewed) {
  const double z = __dmul_rn(cl_random_radius(cl_random_53(w.x, w.y)),
                             cl_random_circle((unsigned long long)w.w << 32 | w.z).x);
  const double off = __fma_rn(__dmul_rn(skewed, 1.0 / 6), __fma_rn(z, z, -1), 0.5);
  return floor(__dadd_rn(mean, __fma_rn(__dsqrt_rn(variance), z, off)));
}
// 0 where the expectation is not a number above 0.
template <class Source> __device__ __noinline__ long long cl_random_poisson_from(Source source, double mean) {
  if (!(mean > 0)) return 0;
  mean = fmin(mean, 0x1p60);
  if (mean > 0x1p40) return (long long)cl_random_large_count(source.block(0), mean, mean, 1);
  if (mean < 10) {
    const uint4 w = source.block(0);
    const double u = cl_random_53(w.x, w.y);
    double p = cl_random_exp(-mean), sum = p;
    int k = 0;
    while (u >= sum && k < 100) {
      k++;
      p = __dmul_rn(p, mean) / k;
      sum = __dadd_rn(sum, p);
    }
    return k;
  }
  const double b = __fma_rn(2.53, __dsqrt_rn(mean), 0.931), a = __fma_rn(0.02483, b, -0.059);
  const double least = 0.9277 - 3.6224 / (b - 2), factor = cl_random_log(1.1239 + 1.1328 / (b - 3.4));
  const double log_mean = cl_random_log(mean);
  double k = 0;
  for (unsigned attempt = 0; attempt < 1000; attempt++) {
    const uint4 w = source.block(attempt);
    const double u = cl_random_53(w.x, w.y) - 0.5, v = cl_random_53(w.z, w.w), us = 0.5 - fabs(u);
    k = floor(__fma_rn(2 * a / us + b, u, mean + 0.43));
    if (us >= 0.07 && v <= least) break;
    if (k < 0 || us < 0.013 && v > us) continue;
    const double left =
        __dadd_rn(__dadd_rn(cl_random_log(v), factor), -cl_random_log(a / __dmul_rn(us, us) + b));
    if (left <= __dadd_rn(__fma_rn(k, log_mean, -mean), -cl_random_log_factorial(k))) break;
  }
  return (long long)fmax(k, 0.0);
}
__device__ __forceinline__ long long cl_random_poisson(const unsigned long long i, const double2 state,
                                                       const double mean) {
  return cl_random_poisson_from(cl_random_blocks{i, state}, mean);
}
// log(1 - p), p at most 1/2.
__device__ __forceinline__ double cl_random_log_of_rest(const double p) {
  if (p >= 1e-4) return cl_random_log(1 - p);
  return -__dmul_rn(p, __fma_rn(p, __fma_rn(p, __fma_rn(p, 0.25, 1.0 / 3), 0.5), 1));
}
// Of x tries, each of which succeeds with probability y. 0 where there are none, or the probability is not
// one.
__device__ __noinline__ long long cl_random_binomial(const unsigned long long i, const double2 state,
                                                     const double2 of) {
  const double n = floor(of.x);
  if (!(n > 0 && n < 0x1p63 && of.y > 0 && of.y <= 1)) return 0;
  const bool flipped = of.y > 0.5;
  const double p = flipped ? 1 - of.y : of.y, q = 1 - p, odds = p / q, expected = __dmul_rn(n, p);
  double k = 0;
  if (expected < 10) {
    const uint4 w = cl_random_block(state, i, 0);
    const double u = cl_random_53(w.x, w.y);
    double chance = cl_random_exp(__dmul_rn(n, cl_random_log_of_rest(p))), sum = chance;
    while (u >= sum && k < n && k < 150) {
      k++;
      chance = __dmul_rn(__dmul_rn(chance, odds), n - k + 1) / k;
      sum = __dadd_rn(sum, chance);
    }
  } else if (__dmul_rn(expected, q) > 0x1p40) {
    const uint4 w = cl_random_block(state, i, 0);
    k = cl_random_large_count(w, expected, __dmul_rn(expected, q), q - p);
  } else {
    const double spread = __dsqrt_rn(__dmul_rn(expected, q)), b = __fma_rn(2.53, spread, 1.15);
    const double a = __fma_rn(0.01, p, __fma_rn(0.0248, b, -0.0873)), c = expected + 0.5;
    const double least = 0.92 - 4.2 / b, alpha = __dmul_rn(2.83 + 5.1 / b, spread),
                 m = floor(__dmul_rn(n + 1, p));
    const double at_m = __dadd_rn(__dmul_rn(m + 0.5, cl_random_log((m + 1) / __dmul_rn(odds, n - m + 1))),
                                  __dadd_rn(cl_random_stirling(m), cl_random_stirling(n - m)));
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
      const uint4 w = cl_random_block(state, i, attempt);
      const double u = cl_random_53(w.x, w.y) - 0.5, v = cl_random_53(w.z, w.w), us = 0.5 - fabs(u);
      k = floor(__fma_rn(2 * a / us + b, u, c));
      if (us >= 0.07 && v <= least) break;
      if (k < 0 || k > n) continue;
      const double left = cl_random_log(__dmul_rn(v, alpha) / (a / __dmul_rn(us, us) + b));
      // The quotient is 1 - x. Of very many tries few succeed here: then x tells more than 1 - x does.
      const double x = (m - k) / (n - k + 1);
      const double of_rest =
          n > 0x1p40 && fabs(x) < 1e-4 ? cl_random_log_of_rest(x) : cl_random_log((n - m + 1) / (n - k + 1));
      double right = __fma_rn(n + 1, of_rest, at_m);
      right = __fma_rn(k + 0.5, cl_random_log(__dmul_rn(odds, n - k + 1) / (k + 1)), right);
      right = __dadd_rn(right, -__dadd_rn(cl_random_stirling(k), cl_random_stirling(n - k)));
      if (left <= right) break;
    }
    k = fmin(fmax(k, 0.0), n);
  }
  return (long long)(flipped ? n - k : k);
}
}
