/* What an image instruction does, as decoder and machine agree on it: its form, in Ins.imm, and the bytes of
 * the thread's local memory, from Ins.target on, through which its operands and results pass, as those of
 * calls do. A texture instruction has up to ten operands and four results, more than an Ins. */
#ifndef SOFTGPU_IMAGE_FORM_H
#define SOFTGPU_IMAGE_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/image.h"

typedef enum SgImageDoes {
  SG_SAMPLE,      /* tex */
  SG_GATHER,      /* tld4 */
  SG_LOAD_BYTES,  /* suld.b */
  SG_STORE_BYTES, /* sust.b */
  SG_STORE_TEXEL, /* sust.p */
  SG_ASK_TEXTURE, /* txq */
  SG_ASK_SURFACE  /* suq */
} SgImageDoes;

typedef enum SgLod { SG_LOD_NONE, SG_LOD_BASE, SG_LOD_LEVEL, SG_LOD_GRADIENT } SgLod;

typedef enum SgOutside { SG_TRAP, SG_CLAMPED, SG_ZERO } SgOutside;

/* What txq and suq are asked. */
typedef enum SgAsk {
  SG_ASK_WIDTH,
  SG_ASK_HEIGHT,
  SG_ASK_DEPTH,
  SG_ASK_DATA_TYPE,
  SG_ASK_ORDER,
  SG_ASK_NORMALISED,
  SG_ASK_LAYERS,
  SG_ASK_LEVELS,
  SG_ASK_SAMPLES,
  SG_ASK_LAYOUT,
  SG_ASK_FORCED,
  SG_ASK_FILTER,
  SG_ASK_ADDRESS /* of the first dimension; those of the others follow */
} SgAsk;

typedef struct SgImageForm {
  uint8_t does;         /* SgImageDoes */
  uint8_t shape;        /* SgShape that it is for; SG_LINEAR where it asks */
  uint8_t lod;          /* SgLod */
  uint8_t half;         /* SG_SAMPLE: results have 16 bits; 2: in pairs */
  uint8_t texels;       /* ... coordinates are integers */
  uint8_t bytes, count; /* of a load or store: bytes of an element, elements */
  uint8_t choice;       /* SG_GATHER: the component; loads and stores: SgOutside; else SgAsk */
} SgImageForm;

/* One thread's. */
typedef struct SgImageArgs {
  uint64_t handle;
  uint32_t value[4]; /* what is stored */
  uint32_t layer;
  uint32_t at[3]; /* coordinates: integers or floats */
  uint32_t lod;
  uint32_t dx[3], dy[3];
  _Alignas(8) uint32_t result[4]; /* what comes back */
} SgImageArgs;

#endif
