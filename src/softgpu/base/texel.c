/* Formats of texels (texel.h). */
#include "base/texel.h"

static const uint8_t channel_bytes[] = {
    [SG_U8] = 1,  [SG_S8] = 1,  [SG_U16] = 2, [SG_S16] = 2,  [SG_U32] = 4,  [SG_S32] = 4,       [SG_F16] = 2,
    [SG_F32] = 4, [SG_UN8] = 1, [SG_SN8] = 1, [SG_UN16] = 2, [SG_SN16] = 2, [SG_UN101010_2] = 1};

SgTexel sg_texel(SgChannel channel, unsigned channels) {
  const bool fits = channels == 1 || channels == 2 || channels == 4;
  const bool whole = channel != SG_UN101010_2 || channels == 4;
  if (!channel || !fits || !whole) return (SgTexel){0};
  return (SgTexel){channel, (uint8_t)channels, (uint8_t)(channel_bytes[channel] * channels)};
}
