/* Formats of texels: bytes to channels. */
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

#endif
