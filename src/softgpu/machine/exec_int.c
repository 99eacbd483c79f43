/* Integer arithmetic, logic, shifts, bit fields, selection and comparison. */
#include "machine/simd.h"

typedef uint8_t b8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

/* --- moves, widening, narrowing --- */
OP1(mov_b, b8, b8, x)
OP1(mov_p, b8, b8, x)
OP1(mov_h, u16, u16, x)
OP1(mov_w, u32, u32, x)
OP1(mov_x, u64, u64, x)
OP1(ext_h_ub, u16, b8, x)
OP1(ext_h_sb, u16, int8_t, x)
OP1(ext_w_ub, u32, b8, x)
OP1(ext_w_sb, u32, int8_t, x)
OP1(ext_x_ub, u64, b8, x)
OP1(ext_x_sb, u64, int8_t, x)
OP1(ext_w_uh, u32, u16, x)
OP1(ext_w_sh, u32, s16, x)
OP1(ext_x_uh, u64, u16, x)
OP1(ext_x_sh, u64, s16, x)
OP1(ext_x_uw, u64, u32, x)
OP1(ext_x_sw, u64, s32, x)
OP1(cut_b_h, b8, u16, x)
OP1(cut_b_w, b8, u32, x)
OP1(cut_b_x, b8, u64, x)
OP1(cut_h_w, u16, u32, x)
OP1(cut_h_x, u16, u64, x)
OP1(cut_w_x, u32, u64, x)
OP1(high_b_h, b8, u16, x >> 8)
OP1(high_h_w, u16, u32, x >> 16)
OP1(high_w_x, u32, u64, x >> 32)
OP2(pack_h, u16, b8, b8, x | (u32)y << 8)
OP2(pack_w, u32, u16, u16, x | (u32)y << 16)
OP2(pack_x, u64, u32, u32, x | (u64)y << 32)

/* --- arithmetic: wraps, so it is done in unsigned types --- */
#define INT3(name, expr)                                                                                     \
  OP2(name##_h, u16, u16, u16, expr)                                                                         \
  OP2(name##_w, u32, u32, u32, expr)                                                                         \
  OP2(name##_x, u64, u64, u64, expr)
#define INT6(name, expr)                                                                                     \
  OP2(name##_uh, u16, u16, u16, expr)                                                                        \
  OP2(name##_uw, u32, u32, u32, expr)                                                                        \
  OP2(name##_ux, u64, u64, u64, expr)                                                                        \
  OP2(name##_sh, s16, s16, s16, expr)                                                                        \
  OP2(name##_sw, s32, s32, s32, expr)                                                                        \
  OP2(name##_sx, s64, s64, s64, expr)

INT3(add, x + y)
INT3(sub, x - y)
OP2(mul_h, u16, u16, u16, (u32)x *y)
OP2(mul_w, u32, u32, u32, x *y)
OP2(mul_x, u64, u64, u64, x *y)
OP2(mulhi_uh, u16, u16, u16, ((u32)x * y) >> 16)
OP2(mulhi_sh, s16, s16, s16, ((s32)x * y) >> 16)
OP2(mulhi_uw, u32, u32, u32, ((u64)x * y) >> 32)
OP2(mulhi_sw, s32, s32, s32, ((s64)x * y) >> 32)
OP2(mulhi_ux, u64, u64, u64, ((u128)x * y) >> 64)
OP2(mulhi_sx, s64, s64, s64, ((s128)x * y) >> 64)
INT6(min, x < y ? x : y)
INT6(max, x > y ? x : y)

static inline s32 clamp32(s64 v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v; }
/* Two numbers of 16 bits each. */
#define PAIRS(name, T, expr)                                                                                 \
  static inline u16 name##_half(u16 a, u16 b, unsigned sub) {                                                \
    const T x = (T)a, y = (T)b;                                                                              \
    (void)sub;                                                                                               \
    return (u16)(expr);                                                                                      \
  }                                                                                                          \
  OP2(name, u32, u32, u32,                                                                                   \
      name##_half((u16)x, (u16)y, in->sub) | (u32)name##_half((u16)(x >> 16), (u16)(y >> 16), in->sub)       \
                                                 << 16)
#define AT_LEAST_0(v) ((sub & SUB_RELU) && (v) < 0 ? 0 : (v))
PAIRS(add_hh, u16, x + y)
PAIRS(min_uhh, u16, x < y ? x : y)
PAIRS(max_uhh, u16, x > y ? x : y)
PAIRS(min_shh, s16, AT_LEAST_0(x < y ? x : y))
PAIRS(max_shh, s16, AT_LEAST_0(x > y ? x : y))
OP2(minr_sw, s32, s32, s32, (x < y ? x : y) < 0 ? 0 : x < y ? x : y)
OP2(maxr_sw, s32, s32, s32, (x > y ? x : y) < 0 ? 0 : x > y ? x : y)
OP2(adds_sw, s32, s32, s32, clamp32((s64)x + y))
OP2(subs_sw, s32, s32, s32, clamp32((s64)x - y))

OP2(mulw_uh, u32, u16, u16, (u32)x *y)
OP2(mulw_sh, s32, s16, s16, (s32)x *y)
OP2(mulw_uw, u64, u32, u32, (u64)x *y)
OP2(mulw_sw, s64, s32, s32, (s64)x *y)
OP3(mad_h, u16, u16, u16, u16, (u32)x *y + z)
OP3(mad_w, u32, u32, u32, u32, x *y + z)
OP3(mad_x, u64, u64, u64, u64, x *y + z)
OP3(madhi_uh, u16, u16, u16, u16, (((u32)x * y) >> 16) + z)
OP3(madhi_sh, u16, s16, s16, u16, (u32)(((s32)x * y) >> 16) + z)
OP3(madhi_uw, u32, u32, u32, u32, (u32)(((u64)x * y) >> 32) + z)
OP3(madhi_sw, u32, s32, s32, u32, (u32)(((s64)x * y) >> 32) + z)
OP3(madhi_ux, u64, u64, u64, u64, (u64)(((u128)x * y) >> 64) + z)
OP3(madhi_sx, u64, s64, s64, u64, (u64)(((s128)x * y) >> 64) + z)
OP3(madhis_sw, s32, s32, s32, s32, clamp32((((s64)x * y) >> 32) + z))
OP3(madw_uh, u32, u16, u16, u32, (u32)x *y + z)
OP3(madw_sh, u32, s16, s16, u32, (u32)((s32)x *y) + z)
OP3(madw_uw, u64, u32, u32, u64, (u64)x *y + z)
OP3(madw_sw, u64, s32, s32, u64, (u64)((s64)x *y) + z)

/* 24-bit operands: the low bits, with or without sign. .hi is bits 16 to 47 of the product. */
#define U24(v) ((u64)((v)&0xffffff))
#define S24(v) ((s64)((s32)((u32)(v) << 8) >> 8))
OP2(mul24_u, u32, u32, u32, U24(x) * U24(y))
OP2(mul24_s, u32, u32, u32, S24(x) * S24(y))
OP2(mul24hi_u, u32, u32, u32, (U24(x) * U24(y)) >> 16)
OP2(mul24hi_s, u32, u32, u32, (S24(x) * S24(y)) >> 16)
OP3(mad24_u, u32, u32, u32, u32, U24(x) * U24(y) + z)
OP3(mad24_s, u32, u32, u32, u32, (u64)(S24(x) * S24(y)) + z)
OP3(mad24hi_u, u32, u32, u32, u32, ((U24(x) * U24(y)) >> 16) + z)
OP3(mad24hi_s, u32, u32, u32, u32, (u64)((S24(x) * S24(y)) >> 16) + z)
OP3(mad24his_s, s32, u32, u32, s32, clamp32((s64)(s32)((S24(x) * S24(y)) >> 16) + z))

#define DISTANCE(U) (x > y ? (U)((U)x - (U)y) : (U)((U)y - (U)x))
OP3(sad_uh, u16, u16, u16, u16, DISTANCE(u16) + z)
OP3(sad_sh, u16, s16, s16, u16, DISTANCE(u16) + z)
OP3(sad_uw, u32, u32, u32, u32, DISTANCE(u32) + z)
OP3(sad_sw, u32, s32, s32, u32, DISTANCE(u32) + z)
OP3(sad_ux, u64, u64, u64, u64, DISTANCE(u64) + z)
OP3(sad_sx, u64, s64, s64, u64, DISTANCE(u64) + z)
OP1(abs_h, u16, u16, (s16)x < 0 ? 0u - x : x)
OP1(abs_w, u32, u32, (s32)x < 0 ? 0u - x : x)
OP1(abs_x, u64, u64, (s64)x < 0 ? 0u - x : x)
OP1(neg_h, u16, u16, 0u - x)
OP1(neg_w, u32, u32, 0u - x)
OP1(neg_x, u64, u64, 0u - x)

/* Division by zero gives all ones for quotient and remainder, the least number by -1 wraps. Lanes that are
 * off are divided too, by whatever they hold, so the divisor is made safe in all of them. */
#define UDIV(name, T, zero, op) OP2(name, T, T, T, y == 0 ? (T)(zero) : (T)(x op(y == 0 ? 1 : y)))
UDIV(div_uh, u16, 0xffff, /)
UDIV(rem_uh, u16, 0xffff, %)
UDIV(div_ux, u64, UINT64_MAX, /)
UDIV(rem_ux, u64, UINT64_MAX, %)
#define SAFE (y == 0 || y == -1 ? 1 : y)
#define SDIV(name, U, S) OP2(name, S, S, S, y == 0 ? (S)-1 : y == -1 ? (S)(0 - (U)x) : (S)(x / SAFE))
#define SREM(name, S) OP2(name, S, S, S, y == 0 ? (S)-1 : (S)(x % SAFE))
SDIV(div_sh, u16, s16)
SDIV(div_sx, u64, s64)
SREM(rem_sh, s16)
SREM(rem_sx, s64)
#ifdef __AVX2__
/* 32 bits by way of doubles, which a vector unit can divide: the quotient is at least 2^-32 of itself away
 * from the next integer, and a double's error is 2^-53. Adding 2^52 (and 2^51 for the sign) puts an integral
 * number in the low bits. */
static inline u32 low_word(double x) {
  u64 u;
  __builtin_memcpy(&u, &x, sizeof u);
  return (u32)u;
}
static inline u32 quotient_u(u32 x, u32 y) {
  return low_word(__builtin_floor((double)x / (double)y) + 0x1p52);
}
static inline u32 quotient_s(s32 x, s32 y) {
  return low_word(__builtin_trunc((double)x / (double)y) + 0x1.8p52);
}
#else
static inline u32 quotient_u(u32 x, u32 y) { return x / y; }
static inline u32 quotient_s(s32 x, s32 y) { return y == -1 ? 0u - (u32)x : (u32)(x / y); }
#endif
OP2(div_uw, u32, u32, u32, y == 0 ? UINT32_MAX : quotient_u(x, y == 0 ? 1 : y))
OP2(rem_uw, u32, u32, u32, y == 0 ? UINT32_MAX : x - y * quotient_u(x, y == 0 ? 1 : y))
OP2(div_sw, u32, s32, s32, y == 0 ? UINT32_MAX : quotient_s(x, y == 0 ? 1 : y))
OP2(rem_sw, u32, s32, s32, y == 0 ? UINT32_MAX : (u32)x - (u32)y * quotient_s(x, y == 0 ? 1 : y))

/* --- carry chain --- */
#define CARRY(name, T, expr, carry_in, carry_out)                                                            \
  static inline void FN(name##_body)(Gang * g, const Ins *in, const uint8_t *m) {                            \
    T *d = ROW(T, in->d);                                                                                    \
    uint8_t *e = (carry_out) ? ROW(uint8_t, in->e) : NULL;                                                   \
    const T *a = ROW(const T, in->s[0]), *b = ROW(const T, in->s[1]);                                        \
    const uint8_t *c = (carry_in) ? ROW(const uint8_t, in->s[2]) : NULL;                                     \
    for (uint32_t i = 0; i < g->n; i++) {                                                                    \
      if (m && !m[i]) continue;                                                                              \
      u128 x = a[i], y = b[i], z = c ? c[i] : 0;                                                             \
      u128 r = expr;                                                                                         \
      d[i] = (T)r;                                                                                           \
      if (e) e[i] = (r >> (8 * sizeof(T))) & 1;                                                              \
    }                                                                                                        \
  }                                                                                                          \
  void FN(name##_d)(Gang * g, const Ins *in) { FN(name##_body)(g, in, NULL); }                               \
  void FN(name##_m)(Gang * g, const Ins *in) { FN(name##_body)(g, in, MASK()); }
/* A GPU subtracts by adding the complement: after sub.cc the flag is the carry of that sum, set where nothing
 * was borrowed, and subc takes it so. Shows where code reads it with addc, as 128-bit division does. */
CARRY(addcc_w, u32, x + y + z, false, true)
CARRY(addcc_x, u64, x + y + z, false, true)
CARRY(addc_w, u32, x + y + z, true, false)
CARRY(addc_x, u64, x + y + z, true, false)
CARRY(addccc_w, u32, x + y + z, true, true)
CARRY(addccc_x, u64, x + y + z, true, true)
CARRY(subcc_w, u32, x + (u32)~y + 1 + z, false, true)
CARRY(subcc_x, u64, x + (u64)~y + 1 + z, false, true)
CARRY(subc_w, u32, x + (u32)~y + z, true, false)
CARRY(subc_x, u64, x + (u64)~y + z, true, false)
CARRY(subccc_w, u32, x + (u32)~y + z, true, true)
CARRY(subccc_x, u64, x + (u64)~y + z, true, true)

/* --- logic and shifts --- */
OP2(and_p, b8, b8, b8, x &y)
OP2(or_p, b8, b8, b8, x | y)
OP2(xor_p, b8, b8, b8, x ^ y)
OP1(not_p, b8, b8, x ^ 1)
OP2(andn_p, b8, b8, b8, (x ^ 1) & y)
INT3(and, x &y)
INT3(or, x | y)
INT3(xor, x ^ y)
OP1(not_h, u16, u16, ~x)
OP1(not_w, u32, u32, ~x)
OP1(not_x, u64, u64, ~x)
OP1(cnot_h, u16, u16, x == 0)
OP1(cnot_w, u32, u32, x == 0)
OP1(cnot_x, u64, u64, x == 0)
OP2(shl_h, u16, u16, u32, y > 15 ? 0 : (u32)x << (y & 15))
OP2(shl_w, u32, u32, u32, y > 31 ? 0 : x << (y & 31))
OP2(shl_x, u64, u64, u32, y > 63 ? 0 : x << (y & 63))
OP2(shr_uh, u16, u16, u32, y > 15 ? 0 : x >> (y & 15))
OP2(shr_uw, u32, u32, u32, y > 31 ? 0 : x >> (y & 31))
OP2(shr_ux, u64, u64, u32, y > 63 ? 0 : x >> (y & 63))
OP2(shr_sh, s16, s16, u32, x >> (y > 15 ? 15 : y))
OP2(shr_sw, s32, s32, u32, x >> (y > 31 ? 31 : y))
OP2(shr_sx, s64, s64, u32, x >> (y > 63 ? 63 : y))
#define SHIFT_BY(name, T, op)                                                                                \
  void FN(name##_d)(Gang * g, const Ins *in) {                                                               \
    const uint32_t by = (uint32_t)in->imm;                                                                   \
    T *d = ROW(T, in->d);                                                                                    \
    const T *a = ROW(const T, in->s[0]);                                                                     \
    LANES(g->n) d[i] = (T)(a[i] op by);                                                                      \
  }                                                                                                          \
  void FN(name##_m)(Gang * g, const Ins *in) {                                                               \
    const uint32_t by = (uint32_t)in->imm;                                                                   \
    T *d = ROW(T, in->d);                                                                                    \
    const T *a = ROW(const T, in->s[0]);                                                                     \
    const uint8_t *m = MASK();                                                                               \
    LANES(g->n & ~7u) {                                                                                      \
      const T r = (T)(a[i] op by);                                                                           \
      d[i] = m[i] ? r : d[i];                                                                                \
    }                                                                                                        \
  }
SHIFT_BY(shli_w, u32, <<)
SHIFT_BY(shli_x, u64, <<)
SHIFT_BY(shri_uw, u32, >>)
SHIFT_BY(shri_ux, u64, >>)
SHIFT_BY(shri_sw, s32, >>)
SHIFT_BY(shri_sx, s64, >>)
/* Funnel shifts of y:x, 64 bits: the upper half shifted left, the lower half shifted right. */
OP3(shf_lw, u32, u32, u32, u32, ((((u64)y << 32) | x) << (z & 31)) >> 32)
OP3(shf_lc, u32, u32, u32, u32, ((((u64)y << 32) | x) << (z > 32 ? 32 : z)) >> 32)
OP3(shf_rw, u32, u32, u32, u32, (((u64)y << 32) | x) >> (z & 31))
OP3(shf_rc, u32, u32, u32, u32, (((u64)y << 32) | x) >> (z > 32 ? 32 : z))

/* Truth table in imm: bit 4a + 2b + c is the result. */
static inline u32 lop3(u32 a, u32 b, u32 c, u32 t) {
  u32 r = 0;
  for (u32 k = 0; k < 8; k++)
    r |= (0u - ((t >> k) & 1)) & ((k & 4) ? a : ~a) & ((k & 2) ? b : ~b) & ((k & 1) ? c : ~c);
  return r;
}
OP3(lop3, u32, u32, u32, u32, lop3(x, y, z, (u32)in->imm))

/* --- bits --- */
static inline u32 reverse32(u32 v) {
  v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
  v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
  v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(v);
}
static inline u64 reverse64(u64 v) { return (u64)reverse32((u32)v) << 32 | reverse32((u32)(v >> 32)); }
OP1(brev_w, u32, u32, reverse32(x))
OP1(brev_x, u64, u64, reverse64(x))
OP1(clz_w, u32, u32, x ? (u32)__builtin_clz(x) : 32)
OP1(clz_x, u32, u64, x ? (u32)__builtin_clzll(x) : 64)
OP1(popc_w, u32, u32, __builtin_popcount(x))
OP1(popc_x, u32, u64, __builtin_popcountll(x))
/* Highest bit that differs from the sign; none: all ones. */
#define BFIND(name, U, S, bits, clz, shift)                                                                  \
  static inline u32 name##_of(S s) {                                                                         \
    U v = (U)(s < 0 ? ~s : s);                                                                               \
    return v == 0 ? UINT32_MAX : (shift) ? (u32)clz(v) : (u32)(bits - 1 - clz(v));                           \
  }                                                                                                          \
  OP1(name, u32, S, name##_of(x))
BFIND(bfind_sw, u32, s32, 32, __builtin_clz, false)
BFIND(bfind_sx, u64, s64, 64, __builtin_clzll, false)
BFIND(bfinds_sw, u32, s32, 32, __builtin_clz, true)
BFIND(bfinds_sx, u64, s64, 64, __builtin_clzll, true)
OP1(bfind_uw, u32, u32, x ? 31 - (u32)__builtin_clz(x) : UINT32_MAX)
OP1(bfind_ux, u32, u64, x ? 63 - (u32)__builtin_clzll(x) : UINT32_MAX)
OP1(bfinds_uw, u32, u32, x ? (u32)__builtin_clz(x) : UINT32_MAX)
OP1(bfinds_ux, u32, u64, x ? (u32)__builtin_clzll(x) : UINT32_MAX)

/* The offset-th set bit of `mask`, counting from `base` upward (offset > 0) or downward; offset 0: base
 * itself. */
static inline u32 find_nth(u32 mask, u32 base, s32 offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return (mask >> base & 1) ? base : UINT32_MAX;
  s64 count = offset < 0 ? -(s64)offset : offset;
  for (s32 pos = (s32)base; pos >= 0 && pos < 32; pos += offset < 0 ? -1 : 1) {
    if (mask >> pos & 1) count--;
    if (count == 0) return (u32)pos;
  }
  return UINT32_MAX;
}
OP3(fns, u32, u32, u32, s32, find_nth(x, y, z))

/* What lies beyond the word is filled with the sign. Of position and length the low byte counts, but with 64
 * bits, which a GPU does in several steps, all of them (seen on an H200). */
static inline u32 bfe32(u32 a, u32 pos, u32 len, bool sign) {
  pos &= 255;
  len &= 255;
  if (len == 0) return 0;
  u32 top = pos + len - 1 > 31 ? 31 : pos + len - 1;
  u32 fill = sign && (a >> top & 1) ? UINT32_MAX : 0;
  u32 field = pos > 31 ? fill : a >> pos;
  if (pos > 31 || len > 31) return pos > 31 ? fill : pos == 0 ? field : (field | (fill << (32 - pos)));
  u32 keep = (1u << len) - 1;
  if (pos + len > 32) return field | (fill << (32 - pos));
  return (field & keep) | (fill & ~keep);
}
static inline u64 bfe64(u64 a, u32 pos, u32 len, bool sign) {
  if (len == 0) return 0;
  const u64 end = (u64)pos + len;
  u32 top = end > 64 ? 63 : (u32)end - 1;
  u64 fill = sign && (a >> top & 1) ? UINT64_MAX : 0;
  if (pos > 63) return fill;
  u64 field = a >> pos;
  if (end >= 64) return pos == 0 ? field : field | (fill << (64 - pos));
  u64 keep = ((u64)1 << len) - 1;
  return (field & keep) | (fill & ~keep);
}
OP3(bfe_uw, u32, u32, u32, u32, bfe32(x, y, z, false))
OP3(bfe_sw, u32, u32, u32, u32, bfe32(x, y, z, true))
OP3(bfe_ux, u64, u64, u32, u32, bfe64(x, y, z, false))
OP3(bfe_sx, u64, u64, u32, u32, bfe64(x, y, z, true))

/* Puts the low `len` bits of a into b at `pos`. */
static inline u64 bfi(u64 a, u64 b, u32 pos, u32 len, u32 bits) {
  if (bits == 32) {
    pos &= 255;
    len &= 255;
  }
  if (pos >= bits || len == 0) return b;
  u64 ones = len >= 64 ? UINT64_MAX : ((u64)1 << len) - 1;
  u64 field = ones << pos;
  return (b & ~field) | ((a << pos) & field);
}
OP4(bfi_w, u32, u32, u32, u32, u32, bfi(x, y, z, w, 32))
OP4(bfi_x, u64, u64, u64, u32, u32, bfi(x, y, z, w, 64))

/* `len` ones from bit `pos` on. */
static inline u32 bit_mask(u32 pos, u32 len, bool clamp) {
  if (clamp) {
    pos = pos > 32 ? 32 : pos;
    len = len > 32 ? 32 : len;
  } else {
    pos &= 31;
    len &= 31;
  }
  return (u32)((((u64)1 << len) - 1) << pos);
}
OP2(bmsk_c, u32, u32, u32, bit_mask(x, y, true))
OP2(bmsk_w, u32, u32, u32, bit_mask(x, y, false))

/* Keeps the low n bits, extended by zeros or the sign. */
static inline u32 extend_low(u32 a, u32 n, bool sign, bool clamp) {
  if (!clamp) n &= 31;
  if (n >= 32) return a;
  if (n == 0) return 0;
  u32 keep = (1u << n) - 1;
  return sign && (a >> (n - 1) & 1) ? a | ~keep : a & keep;
}
OP2(szext_uc, u32, u32, u32, extend_low(x, y, false, true))
OP2(szext_uw, u32, u32, u32, extend_low(x, y, false, false))
OP2(szext_sc, u32, u32, u32, extend_low(x, y, true, true))
OP2(szext_sw, u32, u32, u32, extend_low(x, y, true, false))

/* --- bytes --- */
static inline u32 pick(u64 ab, u32 nibble) {
  u32 byte = (u32)(ab >> (8 * (nibble & 7))) & 255;
  return nibble & 8 ? (byte & 128 ? 255 : 0) : byte;
}
#define PRMT(name, s0, s1, s2, s3)                                                                           \
  static inline u32 name##_of(u64 ab, u32 c) {                                                               \
    (void)c;                                                                                                 \
    return pick(ab, s0) | pick(ab, s1) << 8 | pick(ab, s2) << 16 | pick(ab, s3) << 24;                       \
  }                                                                                                          \
  OP3(name, u32, u32, u32, u32, name##_of((u64)y << 32 | x, z))
#define C3 (c & 3)
PRMT(prmt, c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15)
PRMT(prmt_f4e, C3, C3 + 1, C3 + 2, C3 + 3)
PRMT(prmt_b4e, C3, (C3 - 1) & 7, (C3 - 2) & 7, (C3 - 3) & 7)
PRMT(prmt_rc8, C3, C3, C3, C3)
PRMT(prmt_ecl, C3, C3 > 1 ? C3 : 1, C3 > 2 ? C3 : 2, 3)
PRMT(prmt_ecr, 0, C3 < 1 ? C3 : 1, C3 < 2 ? C3 : 2, C3)
PRMT(prmt_rc16, (C3 & 1) * 2, (C3 & 1) * 2 + 1, (C3 & 1) * 2, (C3 & 1) * 2 + 1)

#define BYTE(T, v, k) ((s32)(T)((v) >> (8 * (k))))
#define DP4(name, TA, TB)                                                                                    \
  static inline u32 name##_of(u32 a, u32 b, u32 c) {                                                         \
    for (u32 k = 0; k < 4; k++) c += (u32)(BYTE(TA, a, k) * BYTE(TB, b, k));                                 \
    return c;                                                                                                \
  }                                                                                                          \
  OP3(name, u32, u32, u32, u32, name##_of(x, y, z))
DP4(dp4a_uu, uint8_t, uint8_t)
DP4(dp4a_us, uint8_t, int8_t)
DP4(dp4a_su, int8_t, uint8_t)
DP4(dp4a_ss, int8_t, int8_t)
#define DP2(name, TA, TB, first)                                                                             \
  static inline u32 name##_of(u32 a, u32 b, u32 c) {                                                         \
    for (u32 k = 0; k < 2; k++) c += (u32)((s32)(TA)(a >> (16 * k)) * BYTE(TB, b, k + (first)));             \
    return c;                                                                                                \
  }                                                                                                          \
  OP3(name, u32, u32, u32, u32, name##_of(x, y, z))
DP2(dp2alo_uu, uint16_t, uint8_t, 0)
DP2(dp2alo_us, uint16_t, int8_t, 0)
DP2(dp2alo_su, int16_t, uint8_t, 0)
DP2(dp2alo_ss, int16_t, int8_t, 0)
DP2(dp2ahi_uu, uint16_t, uint8_t, 2)
DP2(dp2ahi_us, uint16_t, int8_t, 2)
DP2(dp2ahi_su, int16_t, uint8_t, 2)
DP2(dp2ahi_ss, int16_t, int8_t, 2)

/* --- bytes and halves of a word: decode/video.c has made the shape --- */
static inline s32 video_part(u32 v, u32 bits, u32 k, bool sign) {
  const u32 part = v >> (bits * k) & ((1u << bits) - 1);
  return sign ? (s32)(part << (32 - bits)) >> (32 - bits) : (s32)part;
}
static inline u32 video(u32 x, u32 y, u32 z, u64 shape) {
  const u32 bits = shape & VIDEO_BYTES ? 8 : 16, parts = 32 / bits, mask = (1u << bits) - 1;
  const bool sign = shape & VIDEO_SIGNED_D;
  const s32 least = sign ? -(s32)(1u << (bits - 1)) : 0, most = sign ? (s32)(mask >> 1) : (s32)mask;
  u32 d = 0, sum = z;
  for (u32 k = 0; k < parts; k++) {
    const s32 a = video_part(x, bits, k, shape & VIDEO_SIGNED_A),
              b = video_part(y, bits, k, shape & VIDEO_SIGNED_B);
    s32 r;
    switch (shape & VIDEO_OP) {
    case VIDEO_ADD: r = a + b; break;
    case VIDEO_SUB: r = a - b; break;
    case VIDEO_AVRG: r = (a + b + (a + b >= 0)) >> 1; break;
    case VIDEO_ABSDIFF: r = a < b ? b - a : a - b; break;
    case VIDEO_MIN: r = a < b ? a : b; break;
    case VIDEO_MAX: r = a > b ? a : b; break;
    case VIDEO_EQ: r = a == b; break;
    case VIDEO_NE: r = a != b; break;
    case VIDEO_LT: r = a < b; break;
    default: r = a <= b; break;
    }
    if (shape & VIDEO_SAT) r = r < least ? least : r > most ? most : r;
    sum += (u32)r;
    d |= ((u32)r & mask) << (bits * k);
  }
  return shape & VIDEO_SUM ? sum : d;
}
OP3(video, u32, u32, u32, u32, video(x, y, z, (u64)in->imm))

/* --- selection and comparison --- */
OP3(selp_h, u16, u16, u16, b8, z ? x : y)
OP3(selp_w, u32, u32, u32, b8, z ? x : y)
OP3(selp_x, u64, u64, u64, b8, z ? x : y)
OP3(selp_p, b8, b8, b8, b8, z ? x : y)
#define EQUAL(name, expr)                                                                                    \
  OP2(name##_h, b8, u16, u16, expr)                                                                          \
  OP2(name##_w, b8, u32, u32, expr)                                                                          \
  OP2(name##_x, b8, u64, u64, expr)
EQUAL(eq, x == y)
EQUAL(ne, x != y)
#define ORDER(name, expr)                                                                                    \
  OP2(name##_uh, b8, u16, u16, expr)                                                                         \
  OP2(name##_uw, b8, u32, u32, expr)                                                                         \
  OP2(name##_ux, b8, u64, u64, expr)                                                                         \
  OP2(name##_sh, b8, s16, s16, expr)                                                                         \
  OP2(name##_sw, b8, s32, s32, expr)                                                                         \
  OP2(name##_sx, b8, s64, s64, expr)
ORDER(lt, x < y)
ORDER(le, x <= y)
OP1(within, b8, u64, x - (u64)in->imm < in->target)
