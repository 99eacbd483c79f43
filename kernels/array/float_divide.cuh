// Quotient rounded down, and the remainder that goes with it, which has the divisor's sign: also where they
// are 0 or infinite. Of a division by 0 the quotient is that of /, the remainder NaN.
extern "C++" {
template <class T> __device__ __forceinline__ T cl_mod_real(T a, T b) {
  T rest = fmod(a, b);
  if (b == 0 || rest != rest) return rest;
  if (rest == 0) return copysign((T)0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}
template <class T> __device__ __forceinline__ T cl_floordiv_real(T a, T b) {
  if (b == 0) return a / b;
  T rest = fmod(a, b), quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return copysign((T)0, a / b);
  T whole = floor(quotient);
  return quotient - whole > (T)0.5 ? whole + 1 : whole;
}
}
