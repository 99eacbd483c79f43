/* The arithmetic of a texture's filter: texels with weights become one. */
#ifndef SOFTGPU_BLEND_H
#define SOFTGPU_BLEND_H

#include "base/texel.h"

enum { SG_WHOLE = 256 }; /* what weights add up to */

/* Adds `count` texels of a format; gives the bits of a register for each channel. */
void sg_blend(SgTexel t, SgReading how, const SgColour *colours, const uint16_t *weights, unsigned count,
              uint32_t bits[4]);

#endif
