// Powers of complex numbers. Those with a small whole exponent are products, as accurate as these.
extern "C++" {
template <class C> __device__ __forceinline__ C cl_cpow(C a, C b) {
  if (b.x == 0 && b.y == 0) return cl_make(1 + b.x, b.x);
  if (a.x == 0 && a.y == 0) {
    auto part = b.x > 0 ? 0 / b.x : (b.x - b.x) / (b.x - b.x); // 0 or NaN
    return cl_make(part, part);
  }
  int n = (int)b.x;
  if (b.y == 0 && n == b.x && n > -100 && n < 100) {
    C power = a, result = a;
    bool first = true;
    for (int left = n < 0 ? -n : n; left != 0; left >>= 1) {
      if (left & 1) result = first ? power : cl_mul(result, power), first = false;
      power = cl_mul(power, power);
    }
    return n < 0 ? cl_reciprocal(result) : result;
  }
  C w = cl_log(a);
  return cl_exp(cl_mul(b, w));
}
}
