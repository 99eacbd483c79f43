/* Which texels a texture instruction reads, and with what weights: a function of the texture and of the
 * coordinates alone. */
#ifndef SOFTGPU_SAMPLER_H
#define SOFTGPU_SAMPLER_H

#include "base/image.h"
#include "decode/image_form.h"

typedef struct SgTap {
  bool border; /* none of its texels: the colour of its border */
  uint8_t level;
  uint32_t x, y, z; /* z: the slice, or the layer or face */
  uint16_t weight;  /* out of 256 */
} SgTap;

enum { SG_TAPS_MOST = 16 }; /* eight texels of two levels */

typedef struct SgTaps {
  unsigned n;   /* 0: outside of what can be read, which gives zeros */
  bool blended; /* by a filter, even where that leaves one texel alone */
  SgTap tap[SG_TAPS_MOST];
} SgTaps;

typedef struct SgPoint {
  uint32_t layer;
  double at[3];
  SgLod lod;
  double level;
  double dx[3], dy[3];
} SgPoint;

/* Texels whose weight is 0 are left out. */
void sg_sample(const SgImage *m, const SgPoint *p, SgTaps *out);
/* The four texels of a gather, in the order of its results, all with the whole weight. */
void sg_gather(const SgImage *m, const SgPoint *p, SgTaps *out);
/* The texel at integer coordinates. */
void sg_fetch(const SgImage *m, const int32_t at[3], uint32_t layer, int32_t level, SgTaps *out);

#endif
