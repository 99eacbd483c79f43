// From a number in (0, 1) to the one that a distribution exceeds with that probability: what sequences are
// transformed with whose numbers must not be thrown away.
extern "C++" {
// Of the normal distribution (Wichura, Algorithm AS 241, 1988).
__device__ __forceinline__ double cl_random_ratio_of(const double r, const double *a, const double *b) {
  double p = a[7], q = b[7];
#pragma unroll
  for (int k = 6; k >= 0; k--) {
    p = __fma_rn(p, r, a[k]);
    q = __fma_rn(q, r, b[k]);
  }
  return p / q;
}
__device__ __forceinline__ double cl_random_normal_quantile(const double u) {
  const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                      1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                      3.3430575583588128105e+4, 2.5090809287301226727e+3};
  const double b[] = {1,
                      4.2313330701600911252e+1,
                      6.8718700749205790830e+2,
                      5.3941960214247511077e+3,
                      2.1213794301586595867e+4,
                      3.9307895800092710610e+4,
                      2.8729085735721942674e+4,
                      5.2264952788528545610e+3};
  const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                      3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
  const double d[] = {1,
                      2.05319162663775882187e0,
                      1.67638483018380384940e0,
                      6.89767334985100004550e-1,
                      1.48103976427480074590e-1,
                      1.51986665636164571966e-2,
                      5.47593808499534494600e-4,
                      1.05075007164441684324e-9};
  const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                      2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
  const double f[] = {1,
                      5.99832206555887937690e-1,
                      1.36929880922735805310e-1,
                      1.48753612908506148525e-2,
                      7.86869131145613259100e-4,
                      1.84631831751005468180e-5,
                      1.42151175831644588870e-7,
                      2.04426310338993978564e-15};
  const double q = u - 0.5;
  if (fabs(q) <= 0.425) return __dmul_rn(q, cl_random_ratio_of(__fma_rn(-q, q, 0.180625), a, b));
  double r = __dsqrt_rn(-cl_random_log(q < 0 ? u : 1 - u));
  r = r <= 5 ? cl_random_ratio_of(r - 1.6, c, d) : cl_random_ratio_of(r - 5, e, f);
  return q < 0 ? -r : r;
}
// Of Poisson's distribution: from the most likely number down or up, until the sum of all up to it reaches u.
__device__ __forceinline__ long long cl_random_poisson_quantile(const double u, double mean) {
  if (!(mean > 0)) return 0;
  mean = fmin(mean, 0x1p30);
  const double mode = floor(mean);
  const double top =
      cl_random_exp(__dadd_rn(__fma_rn(mode, cl_random_log(mean), -mean), -cl_random_log_factorial(mode)));
  double sum = 0, p = top, k = mode;
  for (; k >= 0 && p > 1e-18 * top; k--) {
    sum = __dadd_rn(sum, p);
    p = __dmul_rn(p, k) / mean;
  }
  p = top;
  k = mode;
  if (u < sum) {
    while (k > 0 && u < __dadd_rn(sum, -p)) {
      sum = __dadd_rn(sum, -p);
      p = __dmul_rn(p, k) / mean;
      k--;
    }
  } else {
    while (u >= sum && p > 1e-18 * top) {
      k++;
      p = __dmul_rn(p, mean) / k;
      sum = __dadd_rn(sum, p);
    }
  }
  return (long long)k;
}
}
