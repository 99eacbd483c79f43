/* Textures and surfaces in the machine: one thread's use of an image, and what is wrong with it. */
#ifndef SOFTGPU_MACHINE_IMAGE_H
#define SOFTGPU_MACHINE_IMAGE_H

#include "machine/gang.h"
#include "machine/sampler.h"

typedef struct ImageUse {
  Gang *g;
  const Ins *in;
  uint32_t lane;
  SgImageForm form;
  SgImageArgs *args;
  const SgImage *image; /* NULL: the handle is none */
  SgAlloc *memory;
} ImageUse;

/* image_fault.c: each raises a fault. */
void sg_image_no_handle(const ImageUse *u, SgImageWhy why);
void sg_image_wrong_kind(const ImageUse *u);
void sg_image_misfit(const ImageUse *u);
void sg_image_freed(const ImageUse *u);
void sg_image_closed(const ImageUse *u);
void sg_image_no_gather(const ImageUse *u);
void sg_image_float_fetch(const ImageUse *u);
/* A load or store at x bytes; layers are z. */
void sg_image_outside(const ImageUse *u, const int64_t at[3]);
void sg_image_misaligned(const ImageUse *u, int64_t x);
/* The texel that a texture instruction reads: beyond its memory, written by the same kernel, or as a check
 * has found. */
void sg_image_beyond(const ImageUse *u, const SgTap *t);
void sg_image_stored(const ImageUse *u, const SgTap *t);
void sg_image_checked(const ImageUse *u, const int64_t at[3], uint32_t bytes);

#endif
