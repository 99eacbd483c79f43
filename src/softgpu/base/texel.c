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

/* What bytes of sRGB are, times 2^14: a GPU has them in a table of eight digits (measured on an H200,
 * 2026-11-24). */
static const uint16_t of_srgb[256] = {
    0,     5,     10,    15,    20,    25,    30,    35,    40,    45,    50,    55,    60,    66,    72,
    78,    85,    92,    99,    107,   115,   123,   131,   140,   150,   159,   169,   180,   190,   201,
    213,   224,   236,   250,   262,   276,   290,   304,   318,   332,   348,   364,   380,   396,   412,
    430,   448,   466,   484,   504,   524,   544,   564,   584,   604,   624,   648,   672,   692,   716,
    740,   764,   788,   816,   840,   864,   896,   920,   944,   976,   1000,  1032,  1064,  1088,  1120,
    1152,  1184,  1216,  1248,  1280,  1312,  1352,  1384,  1416,  1456,  1488,  1528,  1560,  1600,  1640,
    1672,  1712,  1752,  1792,  1832,  1872,  1920,  1952,  2000,  2048,  2080,  2128,  2176,  2224,  2272,
    2320,  2368,  2416,  2464,  2512,  2560,  2608,  2656,  2704,  2752,  2816,  2864,  2912,  2976,  3024,
    3072,  3136,  3184,  3248,  3296,  3360,  3424,  3472,  3536,  3600,  3664,  3712,  3776,  3840,  3904,
    3968,  4032,  4096,  4160,  4224,  4288,  4352,  4416,  4512,  4576,  4640,  4704,  4768,  4864,  4928,
    4992,  5056,  5152,  5216,  5280,  5376,  5440,  5536,  5600,  5696,  5760,  5824,  5920,  6016,  6080,
    6176,  6240,  6336,  6400,  6496,  6592,  6688,  6752,  6848,  6944,  7008,  7104,  7200,  7296,  7392,
    7488,  7584,  7680,  7744,  7872,  7936,  8064,  8128,  8256,  8320,  8448,  8512,  8640,  8768,  8832,
    8960,  9024,  9152,  9280,  9344,  9472,  9600,  9664,  9792,  9920,  9984,  10112, 10240, 10304, 10432,
    10560, 10688, 10816, 10880, 11008, 11136, 11264, 11392, 11456, 11584, 11712, 11840, 11968, 12096, 12224,
    12352, 12480, 12608, 12736, 12864, 12992, 13120, 13248, 13376, 13504, 13632, 13760, 13888, 14016, 14144,
    14272, 14400, 14528, 14656, 14848, 14976, 15104, 15232, 15360, 15488, 15616, 15744, 16000, 16128, 16256,
    16384};

/* A channel's integer, its sign extended. */
static int64_t integer_at(const uint8_t *p, unsigned bits, bool sign) {
  uint32_t u = 0;
  memcpy(&u, p, bits / 8);
  if (!sign) return u;
  return bits == 8 ? (int8_t)u : bits == 16 ? (int16_t)u : (int32_t)u;
}

/* An integer of a channel, in a filter's units: integers of 16 bits. -128 stays below -127 until it is
 * filtered. */
static double widened(int64_t v, unsigned bits, bool sign) {
  if (bits == 10) return (double)(v << 6 | v >> 4); /* its bits once more */
  return (double)v * (sign ? 32767 : 65535) / (double)(((int64_t)1 << (bits - sign)) - 1);
}

float sg_texel_normalised(SgTexel t, double v) {
  const double x = v / (channels[t.channel].sign ? 32767 : 65535);
  return (float)(x < -1 ? -1 : x);
}

bool sg_texel_srgb(SgTexel t, SgReading how, unsigned channel) {
  return how.srgb && channel < (t.channels == 2 ? 1 : 3) && (t.channel == SG_U8 || t.channel == SG_UN8);
}

static void set_float(SgColour *c, unsigned i, double v) {
  c->value[i] = v;
  c->bits[i] = bits_of((float)v);
}

/* From 0 to 1, or from -1 to 1, where the least integer and the next one are both -1. */
static void set_normalised(SgColour *c, unsigned i, int64_t v, unsigned bits, bool sign) {
  const double x = (double)v / (double)(((int64_t)1 << (bits - sign)) - 1);
  c->value[i] = widened(v, bits, sign);
  c->bits[i] = bits_of((float)(x < -1 ? -1 : x));
}

static void read_packed(SgColour *c, const void *p) {
  uint32_t u;
  memcpy(&u, p, sizeof u);
  for (unsigned i = 0; i < 3; i++) set_normalised(c, i, u >> (10 * i) & 1023, 10, false);
  set_normalised(c, 3, u >> 30, 2, false);
}

SgColour sg_texel_read(SgTexel t, SgReading how, const void *p) {
  const unsigned bits = channels[t.channel].bits;
  const bool sign = channels[t.channel].sign;
  SgColour c = {.integral = sg_texel_integral(t, how)};
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
    } else if (sg_texel_srgb(t, how, i)) {
      set_float(&c, i, of_srgb[v] * 0x1p-14);
    } else {
      set_normalised(&c, i, v, bits, sign);
    }
  }
  return c;
}

static int64_t limited(double v, double least, double most) {
  return !(v > least) ? (int64_t)least : v > most ? (int64_t)most : (int64_t)v;
}

/* The nearest integer of the format. */
static int64_t of_normalised(float f, unsigned bits, bool sign) {
  const double most = (double)(((int64_t)1 << (bits - sign)) - 1);
  return (int64_t)nearbyint((double)limited(f * 0x1p30, sign ? -0x1p30 : 0, 0x1p30) * 0x1p-30 * most);
}

/* The half next to f on the side of 0. */
static float cut_to_half(float f) {
  if (!(fabsf(f) < 65536)) return half_value(sg_half_of(f));
  if (fabsf(f) < 0x1p-14f) return truncf(f * 0x1p24f) * 0x1p-24f;
  return float_of(bits_of(f) & 0xffffe000);
}

/* A border's channel is kept as one of the format: halves are cut, integers the nearest, with 16 bits in
 * packed texels. Of one that is read as an integer it is the float's own bits, as far as they fit (measured
 * on an H200, 2026-11-24). */
SgColour sg_texel_border(SgTexel t, SgReading how, const float border[4]) {
  const unsigned bits = channels[t.channel].bits;
  const bool sign = channels[t.channel].sign;
  SgColour c = {.integral = sg_texel_integral(t, how)};
  for (unsigned i = 0; i < t.channels; i++) {
    if (t.channel == SG_UN101010_2) {
      const int64_t v = of_normalised(border[i], 16, false);
      set_normalised(&c, i, i < 3 ? v >> 6 : v, i < 3 ? 10 : 16, false);
      c.value[i] = (double)v;
    } else if (c.integral) {
      const uint32_t u = bits_of(border[i]), up = 32 - bits;
      c.bits[i] = sign ? (uint32_t)((int32_t)(u << up) >> up) : u << up >> up;
      c.value[i] = sign ? (double)(int32_t)c.bits[i] : c.bits[i];
    } else if (t.channel == SG_F32) {
      set_float(&c, i, border[i]);
    } else if (t.channel == SG_F16) {
      set_float(&c, i, cut_to_half(border[i]));
    } else if (sg_texel_srgb(t, how, i)) {
      set_float(&c, i, (double)of_normalised(border[i], 8, false) / 255);
    } else {
      set_normalised(&c, i, of_normalised(border[i], bits, sign), bits, sign);
    }
  }
  return c;
}

/* Of packed texels tex2Dgather() gives 16 bits, whatever the filter (measured on an H200, 2026-11-24). */
uint32_t sg_texel_gathered(SgTexel t, const SgColour *c, unsigned channel) {
  return t.channel == SG_UN101010_2 ? bits_of((float)(c->value[channel] / 65535)) : c->bits[channel];
}

/* --- writing --- */

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
