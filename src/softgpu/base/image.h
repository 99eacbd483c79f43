/* Images: what textures and surfaces are to the machine, and the tables that their handles are looked up in.
 *
 * A context has one space of numbers for both. A number has the slot in its low bits and kind, context and
 * generation above, all below 2^53, so that the machine can tell a surface from a texture, a destroyed image
 * from the one that took its slot, and another context's. With CUDALUA_SOFT_HANDLES=small it is the slot
 * alone, which another image gets as soon as it is free: what a GPU's driver does.
 *
 * Slots stand in chunks that never move. A launch reads them without a lock: only the driver's calls change
 * them, and those wait while a kernel runs. */
#ifndef SOFTGPU_IMAGE_H
#define SOFTGPU_IMAGE_H

#include "base/arena.h"
#include "base/texel.h"

typedef enum SgImageKind { SG_NO_IMAGE, SG_TEXTURE, SG_SURFACE } SgImageKind;

/* What an image is in space. A cube map has its faces as layers. */
typedef enum SgShape {
  SG_LINEAR, /* elements of plain memory, one after another */
  SG_1D,
  SG_2D, /* of an array, or rows of plain memory */
  SG_3D,
  SG_1D_LAYERS,
  SG_2D_LAYERS,
  SG_CUBE,
  SG_CUBE_LAYERS
} SgShape;

typedef enum SgAddress { SG_WRAP, SG_CLAMP, SG_MIRROR, SG_BORDER } SgAddress; /* as CUaddress_mode */

enum { SG_LEVELS_MOST = 18 }; /* 1 + log2 of the largest width, 131072 */

typedef struct SgLevel {
  uint32_t width, height, depth; /* none is 0; depth: slices of a 3D image, else layers or faces */
  uint64_t base;
  uint64_t pitch, slice; /* bytes from row to row, from slice to slice */
} SgLevel;

typedef struct SgSampler {
  uint8_t address[3]; /* SgAddress */
  bool linear, mip_linear;
  bool normalised; /* coordinates from 0 to 1 */
  bool integers;   /* integers stay what they are; else those of 8 and 16 bits become floats */
  bool srgb, seamless;
  unsigned anisotropy;
  float bias, least, most; /* of the level */
  float border[4];
} SgSampler;

typedef struct SgImage {
  SgImageKind kind;
  uint64_t number; /* what programs have */
  SgShape shape;
  SgTexel texel;
  bool array;    /* texels of a CUDA array; else of plain memory */
  bool storable; /* the array was made for surfaces */
  bool gather;   /* ... for texture gather */
  SgSampler sampler;
  uint32_t first_layer, layers; /* those that are seen, cubes of a layered cube map; 0 and 1 without layers */
  uint64_t elements;            /* SG_LINEAR */
  uint64_t memory, serial;      /* the allocation: where it begins, and which one it was */
  uint64_t array_handle;        /* for reports */
  unsigned levels;
  SgLevel level[SG_LEVELS_MOST];
  char made[SG_PLACE]; /* place in the program, or "" */
} SgImage;

typedef struct SgImages SgImages;

/* NULL: no memory. */
SgImages *sg_images_new(void);
void sg_images_free(SgImages *t);
/* Gives the image its number; false: no memory. */
bool sg_images_add(SgImages *t, SgImage *image);
void sg_images_remove(SgImages *t, const SgImage *image);

/* Why there is no image of that number. */
typedef enum SgImageWhy {
  SG_IMAGE_FOUND,
  SG_IMAGE_NULL,      /* number 0 */
  SG_IMAGE_NEVER,     /* no image ever had it */
  SG_IMAGE_DESTROYED, /* an image had it */
  SG_IMAGE_FOREIGN    /* it is another context's */
} SgImageWhy;
/* t may be NULL: the context never had an image. */
SgImage *sg_images_find(const SgImages *t, uint64_t number, SgImageWhy *why);
/* The kind that a number without an image stands for, as far as it tells. */
SgImageKind sg_image_kind(uint64_t number);

extern const char *const sg_shape_names[]; /* "a 2D array with layers", by SgShape */

#endif
