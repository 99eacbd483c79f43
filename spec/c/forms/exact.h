/* Numbers that floating-point operations give before they are rounded, in integers; rounded once, in any
 * mode, to any format. Nothing here uses the host's floating point. */
#ifndef SPEC_FORMS_EXACT_H
#define SPEC_FORMS_EXACT_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

/* m * 2^e; the last digit of m may stand for any number of digits behind it that are not all zero. */
typedef struct Exact {
  enum { NUMBER, INFINITE, NOT_A_NUMBER } kind;
  bool negative;
  u128 m;
  int e;
} Exact;

/* `digits` of the mantissa, the leading one included; `last`: the exponent of a subnormal's last digit;
 * `top`: of the largest number's first. */
typedef struct Format {
  int bits, digits, last, top;
} Format;
extern const Format HALF, BRAIN, SINGLE, DOUBLE;

typedef enum Rounding { NEAREST, ZERO, DOWN, UP, NEAREST_AWAY } Rounding;

Exact exact_of(const Format *f, uint64_t bits);
Exact exact_integer(s128 v);
bool is_zero(Exact x);
bool is_below(Exact x, int exponent); /* |x| < 2^exponent */
int compare(Exact a, Exact b);        /* of numbers and infinities: -1, 0, 1 */

Exact exact_add(Exact a, Exact b, Rounding zero); /* how a sum of zero is rounded tells its sign */
Exact exact_multiply(Exact a, Exact b);
Exact exact_fma(Exact a, Exact b, Exact c, Rounding zero);
Exact exact_divide(Exact a, Exact b);
Exact exact_root(Exact a);
Exact exact_integral(Exact x, Rounding mode);
s128 integer_of(Exact x, s128 least, s128 most); /* of an integral number or infinity, cut to a range */

Exact to_digits(Exact x, int digits, Rounding mode);        /* whatever its exponent is */
uint64_t round_to(const Format *f, Exact x, Rounding mode); /* no NaN */
long double near_value(Exact x);                            /* for bounds */

#endif
