/* Images, inside the driver: formats, arrays of levels, and what textures and surfaces of them look like to
 * the machine. driver/array.c, mipmap.c, texture.c and format.c share it. */
#ifndef SOFTGPU_FORMAT_H
#define SOFTGPU_FORMAT_H

#include "base/image.h"
#include "driver/drv.h"

/* SG_NO_CHANNEL: no format that is supported here. */
SgChannel sg_format_channel(CUarray_format f);
/* Channels 0: no such texel. */
SgTexel sg_format_texel(CUarray_format f, unsigned channels);
/* A format of the header that is not supported here: compressed or video. */
bool sg_format_known(CUarray_format f);
/* Of a resource view; channels 0: none, or a compressed one. */
SgTexel sg_view_texel(CUresourceViewFormat f);

typedef enum SgArrayUse { SG_PLAIN_ARRAY, SG_MIPMAPPED_ARRAY } SgArrayUse;

/* driver/array.c: is the description of an array one that the device can make? Says why not. */
CUresult sg_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, SgArrayUse use);
SgAlloc *sg_array_storage(const SgContext *ctx, uint64_t bytes); /* NULL: no memory, which is said */
SgShape sg_array_shape(const CUDA_ARRAY3D_DESCRIPTOR *d);        /* of a checked description */
/* Fills in the description and what follows from it; returns the bytes of all texels. */
uint64_t sg_array_describe(SgArray *a, const CUDA_ARRAY3D_DESCRIPTOR *d);
SgLevel sg_array_level(const SgArray *a);

/* A mipmapped array (driver/mipmap.c): one allocation, in which its levels lie one after another. */
typedef struct SgMipmap {
  SgObject o;
  CUDA_ARRAY3D_DESCRIPTOR desc; /* of level 0 */
  SgAlloc *storage;
  unsigned levels;
  SgArray level[SG_LEVELS_MOST]; /* those that were asked for have handles */
} SgMipmap;

/* driver/texture.c: a texture, or with t NULL a surface, that belongs to a reference; NULL: *code. */
SgObject *sg_image_part(SgContext *ctx, const CUDA_RESOURCE_DESC *d, const CUDA_TEXTURE_DESC *t,
                        CUresult *code);

#endif
