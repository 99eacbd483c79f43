/* Formats of texels (texel.h). All conversions of one texel are here, so that what a GPU is seen to do
 * changes one place. */
#include "base/texel.h"

#include <math.h>
#include <string.h>

typedef enum Class { INTEGER, NORMALISED, FLOATING } Class;

static const struct {
  uint8_t bits;
  bool sign;
  Class class;
} channels[] = {[SG_U8] = {8, false, INTEGER},           [SG_S8] = {8, true, INTEGER},
                [SG_U16] = {16, false, INTEGER},         [SG_S16] = {16, true, INTEGER},
                [SG_U32] = {32, false, INTEGER},         [SG_S32] = {32, true, INTEGER},
                [SG_F16] = {16, true, FLOATING},         [SG_F32] = {32, true, FLOATING},
                [SG_UN8] = {8, false, NORMALISED},       [SG_SN8] = {8, true, NORMALISED},
                [SG_UN16] = {16, false, NORMALISED},     [SG_SN16] = {16, true, NORMALISED},
                [SG_UN101010_2] = {8, false, NORMALISED}};

SgTexel sg_texel(SgChannel channel, unsigned count) {
  const bool fits = count == 1 || count == 2 || count == 4;
  const bool whole = channel != SG_UN101010_2 || count == 4;
  if (!channel || !fits || !whole) return (SgTexel){0};
  return (SgTexel){channel, (uint8_t)count, (uint8_t)(channels[channel].bits / 8 * count)};
}

bool sg_texel_integral(SgTexel t, SgReading how) {
  return channels[t.channel].class == INTEGER && (how.integers || channels[t.channel].bits == 32);
}

static uint32_t bits_of(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static float float_of(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

/* --- halves --- */

static float half_value(uint32_t h) {
  const uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, digits = h & 0x3ff;
  if (exponent == 31) return float_of(sign | 0x7f800000 | digits << 13);
  if (exponent) return float_of(sign | (exponent + 112) << 23 | digits << 13);
  const float f = (float)digits * 0x1p-24f;
  return sign ? -f : f;
}

uint16_t sg_half_of(float f) {
  const uint32_t u = bits_of(f), sign = u >> 16 & 0x8000, abs = u & 0x7fffffff;
  if (abs > 0x7f800000) return 0x7fff; /* NaN */
  if (abs >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (abs < 0x38800000) return (uint16_t)(sign | (uint32_t)nearbyint((double)fabsf(f) * 0x1p24));
  return (uint16_t)(sign | (((abs + 0xfff + (abs >> 13 & 1)) >> 13) - (112 << 10)));
}

/* --- reading --- */

static double of_srgb(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

/* A channel's integer, its sign extended. */
static int64_t integer_at(const uint8_t *p, unsigned bits, bool sign) {
  uint32_t u = 0;
  memcpy(&u, p, bits / 8);
  if (!sign) return u;
  return bits == 8 ? (int8_t)u : bits == 16 ? (int16_t)u : (int32_t)u;
}

/* From 0 to 1, or from -1 to 1, where the least integer and the next one are both -1. */
static double normalised(int64_t v, unsigned bits, bool sign) {
  const double most = (double)(((int64_t)1 << (bits - sign)) - 1), x = (double)v / most;
  return x < -1 ? -1 : x;
}

static void set_float(SgColour *c, unsigned i, double v) {
  c->value[i] = v;
  c->bits[i] = bits_of((float)v);
}

static void read_packed(SgColour *c, const void *p) {
  uint32_t u;
  memcpy(&u, p, sizeof u);
  for (unsigned i = 0; i < 3; i++) set_float(c, i, normalised(u >> (10 * i) & 1023, 10, false));
  set_float(c, 3, normalised(u >> 30, 2, false));
}

/* All channels as what the format lacks. */
static SgColour lacking(bool integral) {
  SgColour c = {.integral = integral};
  for (unsigned i = 0; i < 3; i++) set_float(&c, i, 0);
  set_float(&c, 3, 1);
  if (integral) c.bits[3] = 1;
  return c;
}

SgColour sg_texel_read(SgTexel t, SgReading how, const void *p) {
  const unsigned bits = channels[t.channel].bits;
  const bool sign = channels[t.channel].sign;
  /* Of bytes without a sign alone, and the fourth channel stays as it is. */
  const bool srgb = how.srgb && (t.channel == SG_U8 || t.channel == SG_UN8);
  SgColour c = lacking(sg_texel_integral(t, how));
  if (t.channel == SG_UN101010_2) {
    read_packed(&c, p);
    return c;
  }
  for (unsigned i = 0; i < t.channels; i++) {
    const uint8_t *at = (const uint8_t *)p + bits / 8 * i;
    const int64_t v = integer_at(at, bits, sign);
    if (t.channel == SG_F32) {
      c.bits[i] = (uint32_t)v;
      c.value[i] = float_of(c.bits[i]);
    } else if (t.channel == SG_F16) {
      set_float(&c, i, half_value((uint32_t)v & 0xffff));
    } else if (c.integral) {
      c.bits[i] = (uint32_t)v;
      c.value[i] = (double)v;
    } else {
      const double x = normalised(v, bits, sign);
      set_float(&c, i, srgb && i < 3 ? of_srgb(x) : x);
    }
  }
  return c;
}

static int64_t limited(double v, double least, double most) {
  return !(v > least) ? (int64_t)least : v > most ? (int64_t)most : (int64_t)v;
}

SgColour sg_texel_border(SgTexel t, SgReading how, const float border[4]) {
  const unsigned bits = channels[t.channel].bits;
  const bool sign = channels[t.channel].sign;
  SgColour c = lacking(sg_texel_integral(t, how));
  for (unsigned i = 0; i < t.channels; i++) {
    set_float(&c, i, border[i]);
    if (!c.integral) continue;
    const double most = ldexp(1, (int)bits - sign) - 1, least = sign ? -most - 1 : 0;
    const int64_t v = limited(border[i], least, most);
    c.bits[i] = (uint32_t)v;
    c.value[i] = (double)v;
  }
  return c;
}

/* --- writing --- */

/* The nearest integer of the format. */
static int64_t of_normalised(float f, unsigned bits, bool sign) {
  const double most = (double)(((int64_t)1 << (bits - sign)) - 1);
  return (int64_t)nearbyint((double)limited(f * 0x1p30, sign ? -0x1p30 : 0, 0x1p30) * 0x1p-30 * most);
}

static void write_packed(const uint32_t value[4], void *p) {
  uint32_t u = 0;
  for (unsigned i = 0; i < 3; i++) u |= (uint32_t)of_normalised(float_of(value[i]), 10, false) << (10 * i);
  u |= (uint32_t)of_normalised(float_of(value[3]), 2, false) << 30;
  memcpy(p, &u, sizeof u);
}

static uint32_t channel_of(SgTexel t, uint32_t value) {
  const unsigned bits = channels[t.channel].bits;
  const bool sign = channels[t.channel].sign;
  if (t.channel == SG_F16) return sg_half_of(float_of(value));
  if (channels[t.channel].class == NORMALISED) return (uint32_t)of_normalised(float_of(value), bits, sign);
  if (bits == 32) return value;
  const int64_t v = sign ? (int64_t)(int32_t)value : (int64_t)value;
  const double most = ldexp(1, (int)bits - sign) - 1;
  return (uint32_t)limited((double)v, sign ? -most - 1 : 0, most);
}

void sg_texel_write(SgTexel t, const uint32_t value[4], void *p) {
  if (t.channel == SG_UN101010_2) {
    write_packed(value, p);
    return;
  }
  const unsigned bytes = channels[t.channel].bits / 8;
  for (unsigned i = 0; i < t.channels; i++) {
    const uint32_t v = channel_of(t, value[i]);
    memcpy((uint8_t *)p + bytes * i, &v, bytes); /* the low bytes come first */
  }
}
