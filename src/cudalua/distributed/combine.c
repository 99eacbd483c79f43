/* Sums, products and extremes of buffers: see combine.h. Extremes are those of arrays: NaN wins, and -0 is
 * less than 0. */
#include "distributed/combine.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 256, LEVELS = 12, WIDEST = 16 }; /* elements at a time; of 4095 buffers; bytes of a value */

typedef struct {
  float x, y;
} Complex64;
typedef struct {
  double x, y;
} Complex128;

const char *const cl_combine_ops[CL_NOPS + 1] = {
    [CL_SUM] = "sum", [CL_PROD] = "prod", [CL_MIN] = "min", [CL_MAX] = "max", [CL_MEAN] = "mean"};

struct cl_Combine {
  const char *name;
  size_t size, wide; /* bytes of an element, and of a value that is computed with */
  void (*load)(void *values, const void *elements, size_t n);
  void (*store)(void *elements, const void *values, size_t n);
  void (*op[CL_MEAN])(void *a, const void *b, size_t n); /* a = a op b; NULL: it has none */
  void (*divide)(void *a, size_t n, unsigned by);
};

/* --- 16-bit floats --- */

static float of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t bits_of(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static float from_half(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
  if (exponent == 31) return of_bits(sign | 0x7f800000 | fraction << 13);
  if (exponent) return of_bits(sign | (exponent + 112) << 23 | fraction << 13);
  return of_bits(sign | bits_of((float)fraction * 0x1p-24f));
}

/* To the nearest, ties to even. */
static uint16_t to_half(float f) {
  const uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return (uint16_t)(sign | 0x7fff);
  if (size >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (size < 0x38800000) /* below 2^-14 its step is 2^-24, as that of floats from 0.5 to 1 */
    return (uint16_t)(sign | (bits_of(of_bits(size) + 0.5f) - bits_of(0.5f)));
  return (uint16_t)(sign | ((size + 0xfff + (size >> 13 & 1) - (112u << 23)) >> 13));
}

static float from_bfloat(uint16_t h) { return of_bits((uint32_t)h << 16); }

static uint16_t to_bfloat(float f) {
  const uint32_t bits = bits_of(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#define SHORT(name)                                                                                          \
  static void load_##name(void *values, const void *elements, size_t n) {                                    \
    uint16_t e[BLOCK];                                                                                       \
    float *v = values;                                                                                       \
    memcpy(e, elements, n * sizeof *e);                                                                      \
    for (size_t i = 0; i < n; i++) v[i] = from_##name(e[i]);                                                 \
  }                                                                                                          \
  static void store_##name(void *elements, const void *values, size_t n) {                                   \
    uint16_t e[BLOCK];                                                                                       \
    const float *v = values;                                                                                 \
    for (size_t i = 0; i < n; i++) e[i] = to_##name(v[i]);                                                   \
    memcpy(elements, e, n * sizeof *e);                                                                      \
  }
SHORT(half)
SHORT(bfloat)

/* --- operations --- */

#define OPERATION(what, type, name, expression)                                                              \
  static void what##_##name(void *to, const void *from, size_t n) {                                          \
    type *a = to;                                                                                            \
    const type *b = from;                                                                                    \
    for (size_t i = 0; i < n; i++) {                                                                         \
      const type x = a[i], y = b[i];                                                                         \
      a[i] = expression;                                                                                     \
    }                                                                                                        \
  }

#define EXTREMES(type, name)                                                                                 \
  OPERATION(min, type, name, x < y ? x : y)                                                                  \
  OPERATION(max, type, name, x > y ? x : y)

/* Integers wrap. Unsigned short ones become int in C, whose product of two may overflow. */
#define INTEGER(type, name)                                                                                  \
  OPERATION(sum, type, name, (type)((uint64_t)x + (uint64_t)y))                                              \
  OPERATION(prod, type, name, (type)((uint64_t)x * (uint64_t)y))                                             \
  EXTREMES(type, name)
INTEGER(int8_t, int8)
INTEGER(int16_t, int16)
INTEGER(int32_t, int32)
INTEGER(int64_t, int64)
INTEGER(uint8_t, uint8)
INTEGER(uint16_t, uint16)
INTEGER(uint32_t, uint32)
INTEGER(uint64_t, uint64)

#define FLOAT(type, name)                                                                                    \
  OPERATION(sum, type, name, x + y)                                                                          \
  OPERATION(prod, type, name, x *y)                                                                          \
  OPERATION(min, type, name, x != x || x < y || (x == y && signbit(x)) ? x : y)                              \
  OPERATION(max, type, name, x != x || x > y || (x == y && !signbit(x)) ? x : y)                             \
  static void divide_##name(void *to, size_t n, unsigned by) {                                               \
    type *a = to;                                                                                            \
    for (size_t i = 0; i < n; i++) a[i] /= (type)by;                                                         \
  }
FLOAT(float, float32)
FLOAT(double, float64)

#define COMPLEX(type, part, name)                                                                            \
  OPERATION(sum, type, name, ((type){x.x + y.x, x.y + y.y}))                                                 \
  OPERATION(prod, type, name, ((type){x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}))                        \
  static void divide_##name(void *to, size_t n, unsigned by) {                                               \
    type *a = to;                                                                                            \
    for (size_t i = 0; i < n; i++) a[i] = (type){a[i].x / (part)by, a[i].y / (part)by};                      \
  }
COMPLEX(Complex64, float, complex64)
COMPLEX(Complex128, double, complex128)

/* --- types --- */

#define ORDERED(name)                                                                                        \
  { sum_##name, prod_##name, min_##name, max_##name }

static const struct cl_Combine types[] = {
    {"bool", 1, 1, NULL, NULL, {NULL, NULL, min_uint8, max_uint8}, NULL},
    {"int8", 1, 1, NULL, NULL, ORDERED(int8), NULL},
    {"int16", 2, 2, NULL, NULL, ORDERED(int16), NULL},
    {"int32", 4, 4, NULL, NULL, ORDERED(int32), NULL},
    {"int64", 8, 8, NULL, NULL, ORDERED(int64), NULL},
    {"uint8", 1, 1, NULL, NULL, ORDERED(uint8), NULL},
    {"uint16", 2, 2, NULL, NULL, ORDERED(uint16), NULL},
    {"uint32", 4, 4, NULL, NULL, ORDERED(uint32), NULL},
    {"uint64", 8, 8, NULL, NULL, ORDERED(uint64), NULL},
    {"float16", 2, 4, load_half, store_half, ORDERED(float32), divide_float32},
    {"bfloat16", 2, 4, load_bfloat, store_bfloat, ORDERED(float32), divide_float32},
    {"float32", 4, 4, NULL, NULL, ORDERED(float32), divide_float32},
    {"float64", 8, 8, NULL, NULL, ORDERED(float64), divide_float64},
    {"complex64", 8, 8, NULL, NULL, {sum_complex64, prod_complex64}, divide_complex64},
    {"complex128", 16, 16, NULL, NULL, {sum_complex128, prod_complex128}, divide_complex128},
};

const cl_Combine *cl_combine_by_name(const char *dtype) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i].name, dtype)) return &types[i];
  return NULL;
}

bool cl_combine_has(const cl_Combine *c, cl_CombineOp op) {
  return op == CL_MEAN ? c->divide != NULL : c->op[op] != NULL;
}

size_t cl_combine_size(const cl_Combine *c) { return c->size; }

/* --- the tree --- */

static void load(const cl_Combine *c, void *values, const void *elements, size_t n) {
  if (c->load)
    c->load(values, elements, n);
  else
    memcpy(values, elements, n * c->size);
}

/* A block of elements: partial trees are kept as a binary number counts. */
static void combine_block(const cl_Combine *c, cl_CombineOp op, const void *const *from, unsigned buffers,
                          size_t first, size_t n, void *out) {
  _Alignas(16) uint8_t left[LEVELS][BLOCK * WIDEST];
  _Alignas(16) uint8_t x[BLOCK * WIDEST];
  void (*const operation)(void *, const void *, size_t) = c->op[op == CL_MEAN ? CL_SUM : op];
  for (unsigned k = 0; k < buffers; k++) {
    load(c, x, (const uint8_t *)from[k] + first * c->size, n);
    unsigned level = 0;
    for (; k >> level & 1; level++) {
      operation(left[level], x, n);
      memcpy(x, left[level], n * c->wide);
    }
    memcpy(left[level], x, n * c->wide);
  }
  unsigned level = 0;
  while (!(buffers >> level & 1)) level++;
  uint8_t *total = left[level];
  for (level++; buffers >> level; level++) {
    if (!(buffers >> level & 1)) continue;
    operation(left[level], total, n);
    total = left[level];
  }
  if (op == CL_MEAN) c->divide(total, n, buffers);
  if (c->store)
    c->store((uint8_t *)out + first * c->size, total, n);
  else
    memcpy((uint8_t *)out + first * c->size, total, n * c->size);
}

void cl_combine(const cl_Combine *c, cl_CombineOp op, const void *const *from, unsigned n, size_t count,
                void *out) {
  for (size_t i = 0; i < count; i += BLOCK)
    combine_block(c, op, from, n, i, count - i < BLOCK ? count - i : BLOCK, out);
}
