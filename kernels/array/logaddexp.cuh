// Logarithms of sums of exponentials.
extern "C++" {
template <class T> __device__ __forceinline__ T cl_logaddexp(T a, T b) {
  if (a == b) return a + (T)0.6931471805599453; // also of infinities
  T distance = a - b;
  return distance > 0 ? a + log1p(exp(-distance)) : distance <= 0 ? b + log1p(exp(distance)) : distance;
}
template <class T> __device__ __forceinline__ T cl_logaddexp2(T a, T b) {
  if (a == b) return a + 1;
  T distance = a - b, scale = (T)1.4426950408889634;
  return distance > 0    ? a + scale * log1p(exp2(-distance))
         : distance <= 0 ? b + scale * log1p(exp2(distance))
                         : distance;
}
}
