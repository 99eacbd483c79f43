/* The arithmetic of a texture's filter (blend.h), as measured on an NVIDIA H200 on 2026-11-24.
 *
 * Normalised integers are added as integers of 16 bits, to the nearest, halves up. Floats lose the digits
 * that are too far below the largest texel, whatever its weight, then are added exactly and rounded once to
 * the format's own digits, halves away from 0. Values of sRGB have fewer digits to align. */
#include "base/blend.h"

#include <math.h>
#include <string.h>

/* How floats are added. */
typedef struct Digits {
  int aligned; /* digits after the leading one of the largest texel */
  int result;  /* digits of a sum after its leading one */
  int least;   /* the least exponent of either */
} Digits;

static const Digits single = {27, 23, -126}, half = {14, 10, -14}, srgb = {7, 10, -14};

static uint32_t bits_of(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

/* Of a finite double that is not subnormal, and of 0, whose exponent is below all others. */
static int exponent_of(double v) {
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return (int)(u >> 52 & 0x7ff) - 1023;
}

static double power_of_two(int exponent) {
  const uint64_t u = (uint64_t)(exponent + 1023) << 52;
  double v;
  memcpy(&v, &u, sizeof v);
  return v;
}

/* Subnormal floats of 32 bits are 0, as texels and as results. */
static double flushed(double v, const Digits *d) { return d == &single && fabs(v) < 0x1p-126 ? 0 : v; }

static double rounded(double v, const Digits *d) {
  int exponent = exponent_of(v);
  if (exponent < d->least) exponent = d->least;
  return flushed(round(v * power_of_two(d->result - exponent)) * power_of_two(exponent - d->result), d);
}

static double plain_sum(const SgColour *colours, const uint16_t *weights, unsigned count, unsigned channel) {
  double sum = 0;
  for (unsigned k = 0; k < count; k++) sum += colours[k].value[channel] * weights[k];
  return sum / SG_WHOLE;
}

static float add_floats(const Digits *d, const SgColour *colours, const uint16_t *weights, unsigned count,
                        unsigned channel) {
  int largest = d->least;
  for (unsigned k = 0; k < count; k++) {
    const double v = colours[k].value[channel];
    if (!isfinite(v)) return (float)plain_sum(colours, weights, count, channel);
    const int exponent = exponent_of(v);
    if (exponent > largest) largest = exponent;
  }
  const double up = power_of_two(d->aligned - largest);
  double sum = 0; /* of whole numbers, so exact */
  for (unsigned k = 0; k < count; k++) sum += trunc(flushed(colours[k].value[channel], d) * up) * weights[k];
  return (float)rounded(sum * power_of_two(largest - d->aligned) / SG_WHOLE, d);
}

static float add_integers(SgTexel t, const SgColour *colours, const uint16_t *weights, unsigned count,
                          unsigned channel) {
  const double sum = floor(plain_sum(colours, weights, count, channel) + 0.5);
  return sg_texel_normalised(t, sum);
}

void sg_blend(SgTexel t, SgReading how, const SgColour *colours, const uint16_t *weights, unsigned count,
              uint32_t bits[4]) {
  memset(bits, 0, 4 * sizeof *bits);
  for (unsigned i = 0; i < t.channels; i++) {
    const Digits *d = t.channel == SG_F32 ? &single : t.channel == SG_F16 ? &half : NULL;
    if (sg_texel_srgb(t, how, i)) d = &srgb;
    bits[i] =
        bits_of(d ? add_floats(d, colours, weights, count, i) : add_integers(t, colours, weights, count, i));
  }
}
