#include "exact.h"

#include <math.h>

const Format HALF = {16, 11, -24, 15}, BRAIN = {16, 8, -133, 127}, SINGLE = {32, 24, -149, 127},
             DOUBLE = {64, 53, -1074, 1023};

static int length(u128 m) {
  const uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
  return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* Without its last n digits, which leave a trace. */
static u128 shorten(u128 m, int n) {
  if (n <= 0) return m;
  if (n >= 128) return m != 0;
  return m >> n | ((m & (((u128)1 << n) - 1)) != 0);
}

Exact exact_of(const Format *f, uint64_t bits) {
  const int field = f->digits - 1, biased = (int)(bits >> field & ((1u << (f->bits - f->digits)) - 1));
  const uint64_t m = bits & (((uint64_t)1 << field) - 1);
  Exact x = {NUMBER, (bits >> (f->bits - 1) & 1) != 0, m, f->last};
  if (biased == (1 << (f->bits - f->digits)) - 1) {
    x.kind = m ? NOT_A_NUMBER : INFINITE;
  } else if (biased) {
    x.m |= (u128)1 << field;
    x.e = f->last + biased - 1;
  }
  return x;
}

Exact exact_integer(s128 v) { return (Exact){NUMBER, v < 0, v < 0 ? 0 - (u128)v : (u128)v, 0}; }
bool is_zero(Exact x) { return x.kind == NUMBER && x.m == 0; }
bool is_below(Exact x, int exponent) {
  return is_zero(x) || (x.kind == NUMBER && length(x.m) + x.e <= exponent);
}

/* The first digit of a mantissa that has room for a carry above it. */
enum { FIRST = 125 };

static void normalise(Exact *x) {
  const int up = FIRST - length(x->m);
  if (up > 0)
    x->m <<= up;
  else
    x->m = shorten(x->m, -up);
  x->e -= up;
}

Exact exact_add(Exact a, Exact b, Rounding zero) {
  if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER) return (Exact){.kind = NOT_A_NUMBER};
  if (a.kind == INFINITE && b.kind == INFINITE && a.negative != b.negative)
    return (Exact){.kind = NOT_A_NUMBER};
  if (a.kind == INFINITE) return a;
  if (b.kind == INFINITE) return b;
  if (a.m == 0 && b.m == 0)
    return (Exact){NUMBER, a.negative == b.negative ? a.negative : zero == DOWN, 0, 0};
  if (a.m == 0) return b;
  if (b.m == 0) return a;
  normalise(&a);
  normalise(&b);
  if (a.e < b.e) {
    const Exact t = a;
    a = b;
    b = t;
  }
  b.m = shorten(b.m, a.e - b.e);
  b.e = a.e;
  if (a.negative == b.negative) {
    a.m += b.m;
  } else if (a.m == b.m) {
    a = (Exact){NUMBER, zero == DOWN, 0, 0};
  } else if (a.m > b.m) {
    a.m -= b.m;
  } else {
    b.m -= a.m;
    a = b;
  }
  return a;
}

Exact exact_multiply(Exact a, Exact b) {
  if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER) return (Exact){.kind = NOT_A_NUMBER};
  if ((a.kind == INFINITE && is_zero(b)) || (b.kind == INFINITE && is_zero(a)))
    return (Exact){.kind = NOT_A_NUMBER};
  const bool infinite = a.kind == INFINITE || b.kind == INFINITE;
  return (Exact){infinite ? INFINITE : NUMBER, a.negative != b.negative, infinite ? 0 : a.m * b.m, a.e + b.e};
}

Exact exact_fma(Exact a, Exact b, Exact c, Rounding zero) { return exact_add(exact_multiply(a, b), c, zero); }

Exact exact_divide(Exact a, Exact b) {
  if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER) return (Exact){.kind = NOT_A_NUMBER};
  if ((a.kind == INFINITE && b.kind == INFINITE) || (is_zero(a) && is_zero(b)))
    return (Exact){.kind = NOT_A_NUMBER};
  const bool negative = a.negative != b.negative;
  if (a.kind == INFINITE || is_zero(b)) return (Exact){INFINITE, negative, 0, 0};
  if (b.kind == INFINITE || is_zero(a)) return (Exact){NUMBER, negative, 0, 0};
  normalise(&a);
  while (!(b.m & 1)) {
    b.m >>= 1;
    b.e++;
  }
  return (Exact){NUMBER, negative, a.m / b.m << 1 | (a.m % b.m != 0), a.e - b.e - 1};
}

Exact exact_root(Exact a) {
  if (a.kind == NOT_A_NUMBER || is_zero(a)) return a;
  if (a.negative) return (Exact){.kind = NOT_A_NUMBER};
  if (a.kind == INFINITE) return a;
  normalise(&a);
  if (a.e & 1) {
    a.m <<= 1;
    a.e--;
  }
  u128 root = 0;
  for (int bit = 63; bit >= 0; bit--) {
    const u128 more = root | (u128)1 << bit;
    if (more * more <= a.m) root = more;
  }
  return (Exact){NUMBER, false, root << 1 | (root * root != a.m), a.e / 2 - 1};
}

/* m, of which the last n digits are dropped, is rounded. */
static u128 rounded(u128 m, int n, bool negative, Rounding mode) {
  if (n <= 0) return m << -n;
  const u128 kept = n < 128 ? m >> n : 0, rest = n < 128 ? m & (((u128)1 << n) - 1) : m;
  const u128 half = n <= 128 ? (u128)1 << (n - 1) : 0; /* 0: more than there can be */
  bool up = false;
  switch (mode) {
  case NEAREST: up = half && (rest > half || (rest == half && (kept & 1))); break;
  case NEAREST_AWAY: up = half && rest >= half; break;
  case ZERO: break;
  case DOWN: up = negative && rest; break;
  case UP: up = !negative && rest; break;
  }
  return kept + up;
}

Exact exact_integral(Exact x, Rounding mode) {
  if (x.kind != NUMBER || x.e >= 0) return x;
  x.m = rounded(x.m, -x.e, x.negative, mode);
  x.e = 0;
  return x;
}

s128 integer_of(Exact x, s128 least, s128 most) {
  const bool large = x.kind == INFINITE || (x.m && length(x.m) + x.e > 100);
  if (large) return x.negative ? least : most;
  const s128 size = (s128)(x.e >= 0 ? x.m << x.e : x.m >> -x.e), v = x.negative ? -size : size;
  return v < least ? least : v > most ? most : v;
}

int compare(Exact a, Exact b) {
  if (a.kind == INFINITE || b.kind == INFINITE) {
    const int x = a.kind == INFINITE ? a.negative ? -1 : 1 : 0,
              y = b.kind == INFINITE ? b.negative ? -1 : 1 : 0;
    return x < y ? -1 : x > y;
  }
  const Exact difference = exact_add(a, (Exact){NUMBER, !b.negative, b.m, b.e}, NEAREST);
  return difference.m == 0 ? 0 : difference.negative ? -1 : 1;
}

Exact to_digits(Exact x, int digits, Rounding mode) {
  const int last = length(x.m) + x.e - digits;
  if (x.kind != NUMBER || x.m == 0 || last <= x.e) return x;
  return (Exact){NUMBER, x.negative, rounded(x.m, last - x.e, x.negative, mode), last};
}

uint64_t round_to(const Format *f, Exact x, Rounding mode) {
  const uint64_t sign = x.negative ? (uint64_t)1 << (f->bits - 1) : 0;
  const uint64_t infinity = (((uint64_t)1 << (f->bits - f->digits)) - 1) << (f->digits - 1);
  const bool outward = mode == NEAREST || mode == NEAREST_AWAY || mode == (x.negative ? DOWN : UP);
  if (x.kind == INFINITE) return sign | infinity;
  if (x.m == 0) return sign;
  int last = length(x.m) + x.e - f->digits;
  if (last < f->last) last = f->last;
  u128 m = rounded(x.m, last - x.e, x.negative, mode);
  if (length(m) > f->digits) {
    m >>= 1;
    last++;
  }
  if (length(m) + last - 1 > f->top) return sign | (outward ? infinity : infinity - 1);
  if (length(m) < f->digits) return sign | (uint64_t)m;
  const int biased = last - f->last + 1;
  return sign | (uint64_t)biased << (f->digits - 1) | ((uint64_t)m & (((uint64_t)1 << (f->digits - 1)) - 1));
}

long double near_value(Exact x) {
  if (x.kind == NOT_A_NUMBER) return NAN;
  const long double v = x.kind == INFINITE ? INFINITY : ldexpl((long double)x.m, x.e);
  return x.negative ? -v : v;
}
