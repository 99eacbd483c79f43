/* CUDA arrays: making them, asking about them, and the copies that take a byte offset into a row of one.
 * Boxes of arrays are driver/copy2d.c's. */
#include "driver/copy.h"
#include "driver/format.h"

#include <stdlib.h>

/* --- shapes --- */

/* For extents that do not go together: no array has this shape. */
#define NO_SHAPE SG_LINEAR

#define A(id) CU_DEVICE_ATTRIBUTE_MAXIMUM_##id

/* The attributes that bound width, height and depth; 0: that extent is not there, or given by the shape. */
typedef struct Bounds {
  CUdevice_attribute of[3];
} Bounds;

static const Bounds texture_bounds[] = {
    [SG_1D] = {{A(TEXTURE1D_WIDTH)}},
    [SG_2D] = {{A(TEXTURE2D_WIDTH), A(TEXTURE2D_HEIGHT)}},
    [SG_3D] = {{A(TEXTURE3D_WIDTH), A(TEXTURE3D_HEIGHT), A(TEXTURE3D_DEPTH)}},
    [SG_1D_LAYERS] = {{A(TEXTURE1D_LAYERED_WIDTH), 0, A(TEXTURE1D_LAYERED_LAYERS)}},
    [SG_2D_LAYERS] = {{A(TEXTURE2D_LAYERED_WIDTH), A(TEXTURE2D_LAYERED_HEIGHT), A(TEXTURE2D_LAYERED_LAYERS)}},
    [SG_CUBE] = {{A(TEXTURECUBEMAP_WIDTH), A(TEXTURECUBEMAP_WIDTH)}},
    [SG_CUBE_LAYERS] = {{A(TEXTURECUBEMAP_LAYERED_WIDTH), A(TEXTURECUBEMAP_LAYERED_WIDTH),
                         A(TEXTURECUBEMAP_LAYERED_LAYERS)}},
};
static const Bounds surface_bounds[] = {
    [SG_1D] = {{A(SURFACE1D_WIDTH)}},
    [SG_2D] = {{A(SURFACE2D_WIDTH), A(SURFACE2D_HEIGHT)}},
    [SG_3D] = {{A(SURFACE3D_WIDTH), A(SURFACE3D_HEIGHT), A(SURFACE3D_DEPTH)}},
    [SG_1D_LAYERS] = {{A(SURFACE1D_LAYERED_WIDTH), 0, A(SURFACE1D_LAYERED_LAYERS)}},
    [SG_2D_LAYERS] = {{A(SURFACE2D_LAYERED_WIDTH), A(SURFACE2D_LAYERED_HEIGHT), A(SURFACE2D_LAYERED_LAYERS)}},
    [SG_CUBE] = {{A(SURFACECUBEMAP_WIDTH), A(SURFACECUBEMAP_WIDTH)}},
    [SG_CUBE_LAYERS] = {{A(SURFACECUBEMAP_LAYERED_WIDTH), A(SURFACECUBEMAP_LAYERED_WIDTH),
                         A(SURFACECUBEMAP_LAYERED_LAYERS)}},
};
/* Long and thin 3D arrays are allowed as well. */
static const Bounds long_bounds = {
    {A(TEXTURE3D_WIDTH_ALTERNATE), A(TEXTURE3D_HEIGHT_ALTERNATE), A(TEXTURE3D_DEPTH_ALTERNATE)}};
/* Mipmapped arrays of one and two dimensions have bounds of their own. */
static const Bounds mipmap_bounds[] = {
    [SG_1D] = {{A(TEXTURE1D_MIPMAPPED_WIDTH)}},
    [SG_2D] = {{A(TEXTURE2D_MIPMAPPED_WIDTH), A(TEXTURE2D_MIPMAPPED_HEIGHT)}},
};
static const Bounds gather_bounds = {{A(TEXTURE2D_GATHER_WIDTH), A(TEXTURE2D_GATHER_HEIGHT)}};

#undef A

SgShape sg_array_shape(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  const bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;
  if (!d->Width) return NO_SHAPE;
  if (d->Flags & CUDA_ARRAY3D_CUBEMAP) {
    if (d->Width != d->Height) return NO_SHAPE;
    if (layered) return d->Depth && d->Depth % 6 == 0 ? SG_CUBE_LAYERS : NO_SHAPE;
    return d->Depth == 6 ? SG_CUBE : NO_SHAPE;
  }
  if (layered) return !d->Depth ? NO_SHAPE : d->Height ? SG_2D_LAYERS : SG_1D_LAYERS;
  if (d->Depth) return d->Height ? SG_3D : NO_SHAPE;
  return d->Height ? SG_2D : SG_1D;
}

static bool fits(const CUDA_ARRAY3D_DESCRIPTOR *d, const Bounds *b) {
  const size_t extent[] = {d->Width, d->Height, d->Depth};
  for (int i = 0; i < 3; i++)
    if (b->of[i] && extent[i] > (size_t)sg_device_attribute(b->of[i])) return false;
  return true;
}

static bool shape_allowed(const CUDA_ARRAY3D_DESCRIPTOR *d, SgArrayUse use) {
  const SgShape s = sg_array_shape(d);
  bool gather = d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER;
  if (s == NO_SHAPE || (gather && s != SG_2D)) return false;
  const Bounds *bounds = use == SG_MIPMAPPED_ARRAY && s <= SG_2D ? mipmap_bounds : texture_bounds;
  bool texture = fits(d, &bounds[s]) || (s == SG_3D && fits(d, &long_bounds));
  bool surface = !(d->Flags & CUDA_ARRAY3D_SURFACE_LDST) || fits(d, &surface_bounds[s]);
  return texture && surface && (!gather || fits(d, &gather_bounds));
}

/* --- making and destroying --- */

CUresult sg_array_check(const CUDA_ARRAY3D_DESCRIPTOR *d, SgArrayUse use) {
  const unsigned here =
      CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
  /* Depth textures and colour attachments come from graphics, and cannot be made (measured on an H200). */
  const unsigned known =
      here | CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  const SgChannel channel = sg_format_channel(d->Format);
  if (d->Flags & ~known) {
    sg_say(CU_LOG_LEVEL_ERROR, "A CUDA array with flags 0x%x: no such flag, or none for new arrays",
           d->Flags & ~known);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!channel && !sg_format_known(d->Format)) {
    sg_say(CU_LOG_LEVEL_ERROR, "A CUDA array of format 0x%x: no such format", (unsigned)d->Format);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if ((d->Flags & ~here) || !channel) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "A CUDA array of format 0x%x with flags 0x%x: the software device lacks the %s",
           (unsigned)d->Format, d->Flags, d->Flags & ~here ? "flag" : "format");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!sg_format_texel(d->Format, d->NumChannels).channels) {
    sg_say(CU_LOG_LEVEL_ERROR, "A CUDA array of %u channels: it must be 1, 2 or 4 and match the format",
           d->NumChannels);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!shape_allowed(d, use)) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "A CUDA array of width %zu, height %zu, depth %zu with flags 0x%x: these extents do not fit "
           "together, or exceed the device's limits",
           d->Width, d->Height, d->Depth, d->Flags);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static size_t at_least_one(size_t n) { return n ? n : 1; }

SgLevel sg_array_level(const SgArray *a) {
  const CUDA_ARRAY3D_DESCRIPTOR *d = &a->desc;
  return (SgLevel){.width = (uint32_t)d->Width,
                   .height = (uint32_t)at_least_one(d->Height),
                   .depth = (uint32_t)at_least_one(d->Depth),
                   .base = a->base,
                   .pitch = a->pitch,
                   .slice = a->slice};
}

uint64_t sg_array_describe(SgArray *a, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  a->desc = *d;
  a->element = sg_format_texel(d->Format, d->NumChannels).bytes;
  a->pitch = d->Width * a->element;
  a->slice = a->pitch * at_least_one(d->Height);
  return a->slice * at_least_one(d->Depth); /* the limits keep this below 2^64 */
}

static void say_no_memory(const SgContext *ctx, uint64_t bytes) {
  uint64_t free_bytes, total;
  sg_arena_info(ctx->device, &free_bytes, &total);
  sg_say(CU_LOG_LEVEL_ERROR, "A CUDA array of %llu bytes failed: %llu of %llu bytes are free on device %d",
         (unsigned long long)bytes, (unsigned long long)free_bytes, (unsigned long long)total, ctx->device);
}

SgAlloc *sg_array_storage(const SgContext *ctx, uint64_t bytes) {
  SgAlloc *a = sg_arena_alloc(ctx->device, bytes, SG_TEXTURE_ALIGN, SG_ARRAY, ctx->o.id, "");
  if (!a) {
    sg_drain(NULL); /* memory that a queued free still holds is worth waiting for */
    a = sg_arena_alloc(ctx->device, bytes, SG_TEXTURE_ALIGN, SG_ARRAY, ctx->o.id, "");
  }
  if (!a) say_no_memory(ctx, bytes);
  return a;
}

SgArray *sg_array_new(const CUDA_ARRAY3D_DESCRIPTOR *d, SgContext *ctx, CUresult *code) {
  *code = sg_array_check(d, SG_PLAIN_ARRAY);
  if (*code) return NULL;
  *code = CUDA_ERROR_OUT_OF_MEMORY;
  SgArray *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->storage = sg_array_storage(ctx, sg_array_describe(a, d));
  if (!a->storage || !sg_handle_new(SG_H_ARRAY, &a->o, ctx)) {
    if (a->storage) sg_arena_free(a->storage);
    free(a);
    return NULL;
  }
  a->base = a->storage->base;
  *code = CUDA_SUCCESS;
  return a;
}

static CUresult array_new(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  CUresult code;
  const SgArray *a = sg_array_new(d, sg_ctx(), &code);
  if (a) *out = a->o.handle;
  return code;
}

/* A level is freed with its mipmapped array, which has its memory. */
void sg_array_free(SgObject *o, bool orphan) {
  SgArray *a = (SgArray *)o;
  if (a->mipmap) return;
  sg_handle_free(o, orphan);
  sg_arena_free(a->storage);
  free(a);
}

static CUresult array_create(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d) {
  if (!out || !d) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR full = {
      .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
  return array_new(out, &full);
}

SG_API CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, array_create(pHandle, pAllocateArray),
          "array=0x%llx width=%zu height=%zu format=0x%x channels=%u", SG_OUT(pHandle),
          pAllocateArray ? pAllocateArray->Width : 0, pAllocateArray ? pAllocateArray->Height : 0,
          pAllocateArray ? (unsigned)pAllocateArray->Format : 0,
          pAllocateArray ? pAllocateArray->NumChannels : 0);
}

static CUresult array_create_3d(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return out && d ? array_new(out, d) : CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, array_create_3d(pHandle, pAllocateArray),
          "array=0x%llx width=%zu height=%zu depth=%zu format=0x%x channels=%u flags=0x%x", SG_OUT(pHandle),
          pAllocateArray ? pAllocateArray->Width : 0, pAllocateArray ? pAllocateArray->Height : 0,
          pAllocateArray ? pAllocateArray->Depth : 0, pAllocateArray ? (unsigned)pAllocateArray->Format : 0,
          pAllocateArray ? pAllocateArray->NumChannels : 0, pAllocateArray ? pAllocateArray->Flags : 0);
}

/* Waits for the context's work, as a free does. */
static CUresult array_destroy(CUarray h) {
  CUresult code;
  SgArray *a = sg_handle_get(SG_H_ARRAY, h, &code);
  if (!a) return code;
  if (a->mapped) return CUDA_ERROR_ARRAY_IS_MAPPED;
  if (a->mipmap) {
    sg_say(CU_LOG_LEVEL_ERROR, "The CUDA array is a level of a mipmapped array, and is destroyed with that");
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint32_t use = sg_handle_generation(SG_H_ARRAY, h);
  int device = a->o.ctx->device;
  sg_drain(a->o.ctx);
  if (sg_state.device[device].sticky) return sg_state.device[device].sticky;
  a = sg_handle_peek(SG_H_ARRAY, h, use); /* a host function may have let another thread in */
  if (!a) return CUDA_ERROR_INVALID_HANDLE;
  sg_array_free(&a->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuArrayDestroy(CUarray hArray) {
  SG_CALL(SG_NEED_HEALTH | SG_UNSAFE, array_destroy(hArray), "array=0x%llx", SG_X(hArray));
}

/* --- asking --- */

static CUresult descriptor(CUDA_ARRAY_DESCRIPTOR *out, CUarray h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgArray *a = sg_handle_get(SG_H_ARRAY, h, &code);
  if (!a) return code;
  *out = (CUDA_ARRAY_DESCRIPTOR){a->desc.Width, a->desc.Height, a->desc.Format, a->desc.NumChannels};
  return CUDA_SUCCESS;
}

SG_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
  SG_CALL(SG_NEED_HEALTH, descriptor(pArrayDescriptor, hArray), "array=0x%llx", SG_X(hArray));
}

static CUresult descriptor_3d(CUDA_ARRAY3D_DESCRIPTOR *out, CUarray h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgArray *a = sg_handle_get(SG_H_ARRAY, h, &code);
  if (!a) return code;
  *out = a->desc;
  return CUDA_SUCCESS;
}

SG_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
  SG_CALL(SG_NEED_HEALTH, descriptor_3d(pArrayDescriptor, hArray), "array=0x%llx", SG_X(hArray));
}

/* Asked of arrays whose memory is mapped later, which this device lacks: any array is the wrong one. */
static CUresult memory_requirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUarray h, CUdevice device) {
  CUresult code;
  if (!out || !h || !sg_device_valid(device)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_handle_get(SG_H_ARRAY, h, &code)) return code;
  sg_say(CU_LOG_LEVEL_ERROR, "The CUDA array was made without CUDA_ARRAY3D_DEFERRED_MAPPING");
  return CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                             CUarray array, CUdevice device) {
  SG_CALL(SG_NEED_INIT, memory_requirements(memoryRequirements, array, device), "array=0x%llx dev=%d",
          SG_X(array), device);
}

/* --- as an end of a copy --- */

static bool within(size_t at, size_t n, size_t all) { return at <= all && n <= all - at; }

CUresult sg_end_array(CUarray array, const size_t at[3], const size_t extent[3], const char *what, SgEnd *e) {
  CUresult code;
  const SgArray *a = sg_handle_get(SG_H_ARRAY, array, &code);
  if (!a) return array ? code : CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR *d = &a->desc;
  if (at[0] % a->element || extent[0] % a->element)
    sg_say(CU_LOG_LEVEL_WARNING,
           "The %s of a copy, a CUDA array: offset %zu and width %zu are not multiples of the element's %zu "
           "bytes",
           what, at[0], extent[0], a->element);
  if (!within(at[0], extent[0], a->pitch) || !within(at[1], extent[1], at_least_one(d->Height)) ||
      !within(at[2], extent[2], at_least_one(d->Depth))) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "The %s of a copy, %zu x %zu x %zu bytes at (%zu,%zu,%zu), is not inside its CUDA array of "
           "%zu x %zu x %zu bytes",
           what, extent[0], extent[1], extent[2], at[0], at[1], at[2], a->pitch, at_least_one(d->Height),
           at_least_one(d->Depth));
    return CUDA_ERROR_INVALID_VALUE;
  }
  *e = (SgEnd){.place = SG_IN_ARRAY,
               .device = a->storage->device,
               .p = a->base + at[2] * a->slice + at[1] * a->pitch + at[0],
               .pitch = a->pitch,
               .slice = a->slice,
               .span = (extent[2] - 1) * a->slice + (extent[1] - 1) * a->pitch + extent[0],
               .element = a->element,
               .lines = (d->Flags & CUDA_ARRAY3D_LAYERED) && !d->Height,
               .array = array,
               .generation = sg_handle_generation(SG_H_ARRAY, array)};
  return CUDA_SUCCESS;
}

#define LOG_TO "dst=0x%llx+%zu src=0x%llx bytes=%zu"
#define LOG_FROM "dst=0x%llx src=0x%llx+%zu bytes=%zu"

SG_API CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT,
          sg_copy_span(sg_first_row(dstArray, dstOffset), sg_device_memory(srcDevice), ByteCount, NULL,
                       SG_COPY_PLAIN),
          LOG_TO, SG_X(dstArray), dstOffset, srcDevice, ByteCount);
}

SG_API CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT,
          sg_copy_span(sg_device_memory(dstDevice), sg_first_row(srcArray, srcOffset), ByteCount, NULL,
                       SG_COPY_PLAIN),
          LOG_FROM, dstDevice, SG_X(srcArray), srcOffset, ByteCount);
}

SG_API CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT,
          sg_copy_span(sg_first_row(dstArray, dstOffset), sg_any_memory(SG_X(srcHost)), ByteCount, NULL,
                       SG_COPY_PLAIN),
          LOG_TO, SG_X(dstArray), dstOffset, SG_X(srcHost), ByteCount);
}

SG_API CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT,
          sg_copy_span(sg_any_memory(SG_X(dstHost)), sg_first_row(srcArray, srcOffset), ByteCount, NULL,
                       SG_COPY_PLAIN),
          LOG_FROM, SG_X(dstHost), SG_X(srcArray), srcOffset, ByteCount);
}

SG_API CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                                size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT,
          sg_copy_span(sg_first_row(dstArray, dstOffset), sg_first_row(srcArray, srcOffset), ByteCount, NULL,
                       SG_COPY_PLAIN),
          "dst=0x%llx+%zu src=0x%llx+%zu bytes=%zu", SG_X(dstArray), dstOffset, SG_X(srcArray), srcOffset,
          ByteCount);
}

SG_API CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                                     size_t ByteCount, CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE,
          sg_copy_span(sg_first_row(dstArray, dstOffset), sg_any_memory(SG_X(srcHost)), ByteCount, hStream,
                       SG_COPY_ASYNC),
          LOG_TO " stream=0x%llx", SG_X(dstArray), dstOffset, SG_X(srcHost), ByteCount, SG_X(hStream));
}

SG_API CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE,
          sg_copy_span(sg_any_memory(SG_X(dstHost)), sg_first_row(srcArray, srcOffset), ByteCount, hStream,
                       SG_COPY_ASYNC),
          LOG_FROM " stream=0x%llx", SG_X(dstHost), SG_X(srcArray), srcOffset, ByteCount, SG_X(hStream));
}
