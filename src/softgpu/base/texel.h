/* Formats of texels: bytes to channels, and back. */
#ifndef SOFTGPU_TEXEL_H
#define SOFTGPU_TEXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a channel is. UN and SN: normalised integers, which are floats whatever a texture says. */
typedef enum SgChannel {
  SG_NO_CHANNEL,
  SG_U8,
  SG_S8,
  SG_U16,
  SG_S16,
  SG_U32,
  SG_S32,
  SG_F16,
  SG_F32,
  SG_UN8,
  SG_SN8,
  SG_UN16,
  SG_SN16,
  SG_UN101010_2 /* all four channels in 32 bits, the first one lowest */
} SgChannel;

typedef struct SgTexel {
  SgChannel channel;
  uint8_t channels;
  uint8_t bytes; /* of all channels */
} SgTexel;

/* Channels 0: no such format. */
SgTexel sg_texel(SgChannel channel, unsigned channels);

/* Four channels as a texture gives them: `bits` as a register has them, `value` as a filter adds them
 * (base/blend.h), normalised ones in 65535ths, or in 32767ths with a sign. What a format lacks is 0, the
 * fourth channel too (measured on an H200, 2026-11-24). */
typedef struct SgColour {
  bool integral; /* integers, which are not filtered */
  uint32_t bits[4];
  double value[4];
} SgColour;

/* How a texture reads a format: are its integers left alone, are its values sRGB? */
typedef struct SgReading {
  bool integers, srgb;
} SgReading;

/* Is the channel decoded from sRGB? Of bytes without a sign alone, and the fourth channel stays as it is. */
bool sg_texel_srgb(SgTexel t, SgReading how, unsigned channel);
/* What a filter has added of normalised integers, from 0 to 1, or from -1 to 1. */
float sg_texel_normalised(SgTexel t, double v);
/* Does a texture that reads it so get integers? */
bool sg_texel_integral(SgTexel t, SgReading how);
SgColour sg_texel_read(SgTexel t, SgReading how, const void *p);
/* The colour of the border, for a texel of that format. */
SgColour sg_texel_border(SgTexel t, SgReading how, const float border[4]);
/* What a gather takes of a colour. */
uint32_t sg_texel_gathered(SgTexel t, const SgColour *c, unsigned channel);
/* As sust.p stores: values of 32 bits, which are of the kind that the format's channels are. */
void sg_texel_write(SgTexel t, const uint32_t value[4], void *p);
/* A float's bits as those of a half, rounded to the nearest. */
uint16_t sg_half_of(float f);

#endif
