/* Texture and surface objects: their descriptions, and the images that the machine makes of them. The answers
 * are those of an H200, driver 580. What its driver takes silently although the hardware cannot do it (linear
 * filtering of integers, wrapping of coordinates that are not normalised) is taken here, too, and so is what
 * it does not check: an image that reaches further than its resource is cut to what the resource has. */
#include "driver/copy.h"
#include "driver/format.h"

#include <stdlib.h>

/* Behind both kinds of object. */
typedef struct ImageObject {
  SgObject o;
  SgImage image;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  CUDA_RESOURCE_VIEW_DESC view;
  bool part; /* a reference's (driver/texref.c) */
} ImageObject;

static int attribute(CUdevice_attribute a) { return sg_device_attribute(a); }

#define REFUSE(...) return sg_say(CU_LOG_LEVEL_ERROR, __VA_ARGS__), CUDA_ERROR_INVALID_VALUE

/* --- the resource --- */

static uint32_t layers_of(SgShape s, uint32_t depth) {
  return s == SG_1D_LAYERS || s == SG_2D_LAYERS ? depth : s == SG_CUBE_LAYERS ? depth / 6 : 1;
}

static void take_description(SgImage *m, const CUDA_ARRAY3D_DESCRIPTOR *d, const SgAlloc *storage) {
  m->array = true;
  m->storable = d->Flags & CUDA_ARRAY3D_SURFACE_LDST;
  m->gather = d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER;
  m->shape = sg_array_shape(d);
  m->texel = sg_format_texel(d->Format, d->NumChannels);
  m->layers = layers_of(m->shape, (uint32_t)d->Depth);
  m->memory = storage->base;
  m->serial = storage->serial;
}

static CUresult of_array(SgImage *m, CUarray h, const SgContext *ctx) {
  CUresult code;
  const SgArray *a = sg_handle_get(SG_H_ARRAY, h, &code);
  if (!a || a->o.ctx != ctx) REFUSE("The resource is not a CUDA array of the context");
  take_description(m, &a->desc, a->storage);
  m->array_handle = SG_X(h);
  m->levels = 1;
  m->level[0] = sg_array_level(a);
  return CUDA_SUCCESS;
}

static CUresult of_mipmap(SgImage *m, CUmipmappedArray h, const SgContext *ctx) {
  CUresult code;
  const SgMipmap *a = sg_handle_get(SG_H_MIPMAP, h, &code);
  if (!a || a->o.ctx != ctx) REFUSE("The resource is not a mipmapped array of the context");
  take_description(m, &a->desc, a->storage);
  m->array_handle = SG_X(h);
  m->levels = a->levels;
  for (unsigned i = 0; i < a->levels; i++) m->level[i] = sg_array_level(&a->level[i]);
  return CUDA_SUCCESS;
}

/* How far the memory reaches is seen when it is read. */
static CUresult of_memory(SgImage *m, CUdeviceptr p, CUarray_format format, unsigned channels) {
  const SgAlloc *a = sg_arena_find(p);
  m->texel = sg_format_texel(format, channels);
  if (!m->texel.channels)
    REFUSE("A texture of memory: no texel has format 0x%x and %u channels", (unsigned)format, channels);
  if (p % SG_TEXTURE_ALIGN)
    REFUSE("A texture of memory at 0x%llx: the address has to be a multiple of %d", p, SG_TEXTURE_ALIGN);
  if (!a) REFUSE("A texture of memory at 0x%llx: this is not device memory", p);
  m->memory = a->base;
  m->serial = a->serial;
  m->layers = m->levels = 1;
  return CUDA_SUCCESS;
}

/* No number of elements is refused: none, and more than the device's attribute says. */
static CUresult of_linear(SgImage *m, const CUDA_RESOURCE_DESC *d) {
  CUresult r = of_memory(m, d->res.linear.devPtr, d->res.linear.format, d->res.linear.numChannels);
  if (r) return r;
  m->shape = SG_LINEAR;
  m->elements = d->res.linear.sizeInBytes / m->texel.bytes;
  m->level[0] = (SgLevel){.width = m->elements > UINT32_MAX ? UINT32_MAX : (uint32_t)m->elements,
                          .height = 1,
                          .depth = 1,
                          .base = d->res.linear.devPtr};
  return CUDA_SUCCESS;
}

/* A row may be wider than the pitch, so that rows overlap. A width of 0 counts as 1: the machine has no empty
 * images. */
static CUresult of_pitch(SgImage *m, const CUDA_RESOURCE_DESC *d) {
  CUresult r = of_memory(m, d->res.pitch2D.devPtr, d->res.pitch2D.format, d->res.pitch2D.numChannels);
  if (r) return r;
  const size_t width = d->res.pitch2D.width, height = d->res.pitch2D.height,
               pitch = d->res.pitch2D.pitchInBytes;
  const int align = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT),
            widest = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
            highest = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
            longest = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
  m->shape = SG_2D;
  if (width > (size_t)widest || !height || height > (size_t)highest)
    REFUSE(
        "A texture of pitched memory, %zu x %zu elements: at most %d x %d are possible, and at least one row",
        width, height, widest, highest);
  if (pitch % (size_t)align || pitch > (size_t)longest)
    REFUSE("A texture of pitched memory with a pitch of %zu bytes: it has to be a multiple of %d, and %d at "
           "most",
           pitch, align, longest);
  m->level[0] = (SgLevel){.width = width ? (uint32_t)width : 1,
                          .height = (uint32_t)height,
                          .depth = 1,
                          .base = d->res.pitch2D.devPtr,
                          .pitch = pitch};
  return CUDA_SUCCESS;
}

static CUresult of_resource(SgImage *m, const CUDA_RESOURCE_DESC *d, const SgContext *ctx) {
  if (d->flags) REFUSE("The resource's flags are 0x%x: they have to be 0", d->flags);
  switch (d->resType) {
  case CU_RESOURCE_TYPE_ARRAY: return of_array(m, d->res.array.hArray, ctx);
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return of_mipmap(m, d->res.mipmap.hMipmappedArray, ctx);
  case CU_RESOURCE_TYPE_LINEAR: return of_linear(m, d);
  case CU_RESOURCE_TYPE_PITCH2D: return of_pitch(m, d);
  default: REFUSE("The resource's type is %u: no such type", (unsigned)d->resType);
  }
}

/* --- the sampler --- */

static CUresult of_texture(SgImage *m, const CUDA_TEXTURE_DESC *d) {
  const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                         CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
  SgSampler *s = &m->sampler;
  if (d->flags & ~known) REFUSE("The texture's flags have 0x%x: no such flag", d->flags & ~known);
  if ((unsigned)d->filterMode > CU_TR_FILTER_MODE_LINEAR ||
      (unsigned)d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
    REFUSE("The texture's filter modes are %u and, between levels, %u: no such mode", (unsigned)d->filterMode,
           (unsigned)d->mipmapFilterMode);
  for (int i = 0; i < 3; i++) {
    if ((unsigned)d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
      REFUSE("The texture's address mode of dimension %d is %u: no such mode", i,
             (unsigned)d->addressMode[i]);
    s->address[i] = (uint8_t)d->addressMode[i];
    s->border[i] = d->borderColor[i];
  }
  s->border[3] = d->borderColor[3];
  s->linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
  s->mip_linear = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
  s->normalised = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
  s->integers = d->flags & CU_TRSF_READ_AS_INTEGER;
  s->srgb = d->flags & CU_TRSF_SRGB;
  s->seamless = d->flags & CU_TRSF_SEAMLESS_CUBEMAP;
  s->anisotropy = d->maxAnisotropy < 1 ? 1 : d->maxAnisotropy > 16 ? 16 : d->maxAnisotropy;
  s->bias = d->mipmapLevelBias;
  s->least = d->minMipmapLevelClamp;
  s->most = d->maxMipmapLevelClamp;
  if (s->seamless && m->shape != SG_CUBE && m->shape != SG_CUBE_LAYERS)
    REFUSE("CU_TRSF_SEAMLESS_CUBEMAP is for cube maps, not for %s", sg_shape_names[m->shape]);
  if (s->anisotropy > 1)
    sg_say(CU_LOG_LEVEL_WARNING,
           "The software device does not model anisotropy: a texture with maxAnisotropy %u is filtered as "
           "with 1",
           d->maxAnisotropy);
  return CUDA_SUCCESS;
}

/* --- the view of the resource --- */

static CUresult view_format(SgImage *m, CUresourceViewFormat f) {
  if (f == CU_RES_VIEW_FORMAT_NONE)
    REFUSE(
        "A resource view needs a format: CU_RES_VIEW_FORMAT_NONE is refused, the resource's own has a name, "
        "too");
  const SgTexel t = sg_view_texel(f);
  if (!t.channels && f >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 && f <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7) {
    sg_say(CU_LOG_LEVEL_ERROR, "The software device lacks the compressed format 0x%x of resource views",
           (unsigned)f);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!t.channels) REFUSE("The resource view's format is 0x%x: no such format", (unsigned)f);
  if (t.bytes != m->texel.bytes)
    REFUSE("A resource view of elements of %d bytes, of a resource whose elements have %d", t.bytes,
           m->texel.bytes);
  m->texel = t;
  return CUDA_SUCCESS;
}

/* A GPU's driver takes a view that reaches beyond the resource. Here it ends where the resource does. */
static void beyond(const char *what, unsigned first, unsigned last, unsigned n) {
  sg_say(CU_LOG_LEVEL_WARNING,
         "A resource view of the %s %u to %u; there are 0 to %u, which are all that the texture reads", what,
         first, last, n - 1);
}

static CUresult view_levels(SgImage *m, unsigned first, unsigned last, CUresourcetype type) {
  if (type != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
    if (first || last)
      REFUSE("A resource view with levels %u to %u, of a resource without levels", first, last);
    return CUDA_SUCCESS;
  }
  if (first > last || first >= m->levels)
    REFUSE("A resource view of the levels %u to %u; there are 0 to %u", first, last, m->levels - 1);
  if (last >= m->levels) {
    beyond("levels", first, last, m->levels);
    last = m->levels - 1;
  }
  m->levels = last - first + 1;
  for (unsigned i = 0; i < m->levels; i++) m->level[i] = m->level[first + i];
  return CUDA_SUCCESS;
}

static CUresult view_layers(SgImage *m, unsigned first, unsigned last) {
  const bool layered = m->shape == SG_1D_LAYERS || m->shape == SG_2D_LAYERS || m->shape == SG_CUBE_LAYERS;
  if (!layered) {
    if (first || last)
      REFUSE("A resource view with layers %u to %u, of a resource without layers", first, last);
    return CUDA_SUCCESS;
  }
  if (first > last || first >= m->layers)
    REFUSE("A resource view of the layers %u to %u; there are 0 to %u", first, last, m->layers - 1);
  if (last >= m->layers) {
    beyond("layers", first, last, m->layers);
    last = m->layers - 1;
  }
  m->first_layer = first;
  m->layers = last - first + 1;
  return CUDA_SUCCESS;
}

static CUDA_ARRAY3D_DESCRIPTOR extents_of(const CUDA_RESOURCE_DESC *d) {
  CUresult code;
  if (d->resType == CU_RESOURCE_TYPE_ARRAY)
    return ((const SgArray *)sg_handle_get(SG_H_ARRAY, d->res.array.hArray, &code))->desc;
  return ((const SgMipmap *)sg_handle_get(SG_H_MIPMAP, d->res.mipmap.hMipmappedArray, &code))->desc;
}

/* Of memory it is taken, and has no effect. */
static CUresult of_view(SgImage *m, const CUDA_RESOURCE_VIEW_DESC *v, const CUDA_RESOURCE_DESC *d) {
  if (!m->array) {
    sg_say(CU_LOG_LEVEL_WARNING, "A resource view of memory has no effect: it is for arrays");
    return CUDA_SUCCESS;
  }
  CUresult r = view_format(m, v->format);
  if (r) return r;
  const CUDA_ARRAY3D_DESCRIPTOR of = extents_of(d);
  if (v->width != of.Width || v->height != of.Height || v->depth != of.Depth)
    REFUSE("A resource view of %zu x %zu x %zu elements, of a resource of %zu x %zu x %zu: they have to be "
           "equal",
           v->width, v->height, v->depth, of.Width, of.Height, of.Depth);
  r = view_levels(m, v->firstMipmapLevel, v->lastMipmapLevel, d->resType);
  return r ? r : view_layers(m, v->firstLayer, v->lastLayer);
}

/* --- making and destroying --- */

static CUresult image_add(ImageObject *i, SgContext *ctx, unsigned long long *out) {
  if (!ctx->images) ctx->images = sg_images_new();
  sg_place_text(sg_arena_place, sg_arena_caller, i->image.made);
  if (!ctx->images || !sg_images_add(ctx->images, &i->image)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!sg_handle_new(i->image.kind == SG_TEXTURE ? SG_H_TEXTURE : SG_H_SURFACE, &i->o, ctx)) {
    sg_images_remove(ctx->images, &i->image);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = i->image.number;
  return CUDA_SUCCESS;
}

static CUresult fill_texture(ImageObject *i, const CUDA_RESOURCE_DESC *d, const CUDA_TEXTURE_DESC *t,
                             const CUDA_RESOURCE_VIEW_DESC *v, const SgContext *ctx) {
  i->image.kind = SG_TEXTURE;
  i->resource = *d;
  i->texture = *t;
  if (v) i->view = *v;
  CUresult r = of_resource(&i->image, d, ctx);
  if (!r) r = of_texture(&i->image, t);
  return r || !v ? r : of_view(&i->image, v, d);
}

/* Arrays without CUDA_ARRAY3D_SURFACE_LDST are taken (measured on an H200, where stores to them arrive). */
static CUresult fill_surface(ImageObject *i, const CUDA_RESOURCE_DESC *d, const SgContext *ctx) {
  i->image.kind = SG_SURFACE;
  i->resource = *d;
  if (d->resType != CU_RESOURCE_TYPE_ARRAY)
    REFUSE("A surface of a resource of type %u: it has to be a CUDA array", (unsigned)d->resType);
  return of_resource(&i->image, d, ctx);
}

static CUresult texture_new(CUtexObject *out, const CUDA_RESOURCE_DESC *d, const CUDA_TEXTURE_DESC *t,
                            const CUDA_RESOURCE_VIEW_DESC *v) {
  if (!out || !d || !t) return CUDA_ERROR_INVALID_VALUE;
  ImageObject *i = calloc(1, sizeof *i);
  if (!i) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = fill_texture(i, d, t, v, sg_ctx());
  if (!r) r = image_add(i, sg_ctx(), out);
  if (r) free(i);
  return r;
}

SG_API CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                                  const CUDA_TEXTURE_DESC *pTexDesc,
                                  const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, texture_new(pTexObject, pResDesc, pTexDesc, pResViewDesc),
          "texture=0x%llx type=%u array=0x%llx view=%d", SG_OUT(pTexObject),
          pResDesc ? (unsigned)pResDesc->resType : 0, pResDesc ? SG_X(pResDesc->res.array.hArray) : 0,
          pResViewDesc != NULL);
}

static CUresult surface_new(CUsurfObject *out, const CUDA_RESOURCE_DESC *d) {
  if (!out || !d) return CUDA_ERROR_INVALID_VALUE;
  ImageObject *i = calloc(1, sizeof *i);
  if (!i) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = fill_surface(i, d, sg_ctx());
  if (!r) r = image_add(i, sg_ctx(), out);
  if (r) free(i);
  return r;
}

SG_API CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, surface_new(pSurfObject, pResDesc),
          "surface=0x%llx type=%u array=0x%llx", SG_OUT(pSurfObject),
          pResDesc ? (unsigned)pResDesc->resType : 0, pResDesc ? SG_X(pResDesc->res.array.hArray) : 0);
}

SgObject *sg_image_part(SgContext *ctx, const CUDA_RESOURCE_DESC *d, const CUDA_TEXTURE_DESC *t,
                        CUresult *code) {
  unsigned long long number;
  ImageObject *i = calloc(1, sizeof *i);
  *code = CUDA_ERROR_OUT_OF_MEMORY;
  if (!i) return NULL;
  i->part = true;
  *code = t ? fill_texture(i, d, t, NULL, ctx) : fill_surface(i, d, ctx);
  if (!*code) *code = image_add(i, ctx, &number);
  if (!*code) return &i->o;
  free(i);
  return NULL;
}

bool sg_image_is_part(const SgObject *o) { return ((const ImageObject *)o)->part; }

uint64_t sg_image_number(const SgObject *o) { return ((const ImageObject *)o)->image.number; }

void sg_image_free(SgObject *o, bool orphan) {
  ImageObject *i = (ImageObject *)o;
  sg_images_remove(o->ctx->images, &i->image);
  sg_handle_free(o, orphan);
  free(i);
}

/* The current context's object of that number; NULL: said, and marked as a use of what is not there. */
static ImageObject *image_of(uint64_t number, SgImageKind kind) {
  static const char *const whys[] = {[SG_IMAGE_NULL] = "none was made",
                                     [SG_IMAGE_NEVER] = "the current context never had it",
                                     [SG_IMAGE_DESTROYED] = "it was destroyed",
                                     [SG_IMAGE_FOREIGN] = "it is another context's"};
  const char *what = kind == SG_TEXTURE ? "texture" : "surface";
  SgImageWhy why;
  SgImage *m = sg_images_find(sg_ctx()->images, number, &why);
  if (m && m->kind == kind) return (ImageObject *)((char *)m - offsetof(ImageObject, image));
  if (number) sg_note_stale(what, number);
  sg_say(CU_LOG_LEVEL_ERROR, "0x%llx is no %s object: %s", (unsigned long long)number, what,
         m ? (kind == SG_TEXTURE ? "it is a surface" : "it is a texture") : whys[why]);
  return NULL;
}

/* Does not wait, though kernels that are queued may still use it. 0 may be destroyed, as NULL may be freed.
 */
static CUresult image_destroy(uint64_t number, SgImageKind kind) {
  if (!number) return CUDA_SUCCESS;
  ImageObject *i = image_of(number, kind);
  if (!i) return CUDA_ERROR_INVALID_VALUE;
  sg_image_free(&i->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuTexObjectDestroy(CUtexObject texObject) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, image_destroy(texObject, SG_TEXTURE), "texture=0x%llx", texObject);
}

SG_API CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, image_destroy(surfObject, SG_SURFACE), "surface=0x%llx", surfObject);
}

/* --- asking --- */

static CUresult resource_of(CUDA_RESOURCE_DESC *out, uint64_t number, SgImageKind kind) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const ImageObject *i = image_of(number, kind);
  if (!i) return CUDA_ERROR_INVALID_VALUE;
  *out = i->resource;
  return CUDA_SUCCESS;
}

SG_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject) {
  SG_CALL(SG_NEED_CONTEXT, resource_of(pResDesc, texObject, SG_TEXTURE), "texture=0x%llx", texObject);
}

SG_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject) {
  SG_CALL(SG_NEED_CONTEXT, resource_of(pResDesc, surfObject, SG_SURFACE), "surface=0x%llx", surfObject);
}

static CUresult texture_of(CUDA_TEXTURE_DESC *out, uint64_t number) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const ImageObject *i = image_of(number, SG_TEXTURE);
  if (!i) return CUDA_ERROR_INVALID_VALUE;
  *out = i->texture;
  return CUDA_SUCCESS;
}

SG_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject) {
  SG_CALL(SG_NEED_CONTEXT, texture_of(pTexDesc, texObject), "texture=0x%llx", texObject);
}

/* Zeros, where the texture was made without one. */
static CUresult view_of(CUDA_RESOURCE_VIEW_DESC *out, uint64_t number) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const ImageObject *i = image_of(number, SG_TEXTURE);
  if (!i) return CUDA_ERROR_INVALID_VALUE;
  *out = i->view;
  return CUDA_SUCCESS;
}

SG_API CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject) {
  SG_CALL(SG_NEED_CONTEXT, view_of(pResViewDesc, texObject), "texture=0x%llx", texObject);
}
