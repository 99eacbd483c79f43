/* What all floating-point results have in common: which NaN they give, flushing, saturation. */
#ifndef SPEC_FORMS_FLOAT_H
#define SPEC_FORMS_FLOAT_H

#include "exact.h"
#include "form.h"

/* Of a half, bfloat16, float or double, or a pair. NULL: of none of these. */
const Format *format_of(Type t);
bool is_nan(const Format *f, uint64_t bits);
/* The one NaN that operations on everything but doubles give. */
uint64_t plain_nan(const Format *f);
/* Of doubles: the first NaN operand, of `n`, made quiet; of an invalid operation, NAN of its own (measured).
 */
uint64_t double_nan(const uint64_t *operands, int n);
uint64_t flushed(const Format *f, uint64_t bits); /* a subnormal becomes a zero of its sign */
/* Rounds x, with the form's .sat and .relu; and with .ftz, which flushes what is less than the least normal
 * number when rounded to as many digits, whatever its exponent is. */
uint64_t limited(const Form *form, const Format *f, Exact x, Rounding mode);
uint64_t finished(const Form *form, const Format *f, Exact x, Rounding mode);
Rounding rounding_of(const Form *form);

#endif
