/* Mipmapped arrays. A level is a CUDA array without a destroy of its own, which gets its handle when it is
 * first asked for. */
#include "driver/format.h"

#include <stdlib.h>

static size_t half(size_t n, unsigned level) { return n >> level ? n >> level : n != 0; }

static bool has_layers(SgShape s) { return s != SG_1D && s != SG_2D && s != SG_3D; }

/* Levels that there can be. The header counts the depth in; layers and faces do not get fewer, so that they
 * are left out here. */
static unsigned levels_most(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  size_t longest = d->Width > d->Height ? d->Width : d->Height;
  if (!has_layers(sg_array_shape(d)) && d->Depth > longest) longest = d->Depth;
  unsigned n = 1;
  while (longest >>= 1) n++;
  return n;
}

static CUDA_ARRAY3D_DESCRIPTOR level_of(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned i) {
  CUDA_ARRAY3D_DESCRIPTOR level = *d;
  level.Width = half(d->Width, i);
  level.Height = half(d->Height, i);
  if (!has_layers(sg_array_shape(d))) level.Depth = half(d->Depth, i);
  return level;
}

static uint64_t round_up(uint64_t n) {
  return (n + SG_TEXTURE_ALIGN - 1) / SG_TEXTURE_ALIGN * SG_TEXTURE_ALIGN;
}

/* Describes the levels, their bases counted from 0; returns the bytes of all. */
static uint64_t lay_out(SgMipmap *m) {
  uint64_t at = 0;
  for (unsigned i = 0; i < m->levels; i++) {
    const CUDA_ARRAY3D_DESCRIPTOR d = level_of(&m->desc, i);
    m->level[i].base = at;
    m->level[i].mipmap = m;
    at += round_up(sg_array_describe(&m->level[i], &d));
  }
  return at;
}

static CUresult mipmap_new(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
  if (!out || !d) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = sg_array_check(d, SG_MIPMAPPED_ARRAY);
  if (r) return r;
  SgMipmap *m = calloc(1, sizeof *m);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  SgContext *ctx = sg_ctx();
  const unsigned most = levels_most(d);
  m->desc = *d;
  m->levels = levels < 1 ? 1 : levels > most ? most : levels;
  m->storage = sg_array_storage(ctx, lay_out(m));
  if (!m->storage || !sg_handle_new(SG_H_MIPMAP, &m->o, ctx)) {
    if (m->storage) sg_arena_free(m->storage);
    free(m);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  for (unsigned i = 0; i < m->levels; i++) {
    m->level[i].storage = m->storage;
    m->level[i].base += m->storage->base;
  }
  *out = m->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                       const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                       unsigned int numMipmapLevels) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, mipmap_new(pHandle, pMipmappedArrayDesc, numMipmapLevels),
          "mipmap=0x%llx width=%zu height=%zu depth=%zu format=0x%x channels=%u flags=0x%x levels=%u",
          SG_OUT(pHandle), pMipmappedArrayDesc ? pMipmappedArrayDesc->Width : 0,
          pMipmappedArrayDesc ? pMipmappedArrayDesc->Height : 0,
          pMipmappedArrayDesc ? pMipmappedArrayDesc->Depth : 0,
          pMipmappedArrayDesc ? (unsigned)pMipmappedArrayDesc->Format : 0,
          pMipmappedArrayDesc ? pMipmappedArrayDesc->NumChannels : 0,
          pMipmappedArrayDesc ? pMipmappedArrayDesc->Flags : 0, numMipmapLevels);
}

void sg_mipmap_free(SgObject *o, bool orphan) {
  SgMipmap *m = (SgMipmap *)o;
  for (unsigned i = 0; i < m->levels; i++)
    if (m->level[i].o.handle) sg_handle_free(&m->level[i].o, orphan);
  sg_handle_free(o, orphan);
  sg_arena_free(m->storage);
  free(m);
}

/* Waits for the context's work, as cuArrayDestroy does. */
static CUresult mipmap_destroy(CUmipmappedArray h) {
  CUresult code;
  SgMipmap *m = sg_handle_get(SG_H_MIPMAP, h, &code);
  if (!m) return code;
  uint32_t use = sg_handle_generation(SG_H_MIPMAP, h);
  int device = m->o.ctx->device;
  sg_drain(m->o.ctx);
  if (sg_state.device[device].sticky) return sg_state.device[device].sticky;
  m = sg_handle_peek(SG_H_MIPMAP, h, use); /* a host function may have let another thread in */
  if (!m) return CUDA_ERROR_INVALID_HANDLE;
  sg_mipmap_free(&m->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
  SG_CALL(SG_NEED_HEALTH | SG_UNSAFE, mipmap_destroy(hMipmappedArray), "mipmap=0x%llx",
          SG_X(hMipmappedArray));
}

static CUresult get_level(CUarray *out, CUmipmappedArray h, unsigned i) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  SgMipmap *m = sg_handle_get(SG_H_MIPMAP, h, &code);
  if (!m) return code;
  if (i >= m->levels) {
    sg_say(CU_LOG_LEVEL_ERROR, "Level %u of a mipmapped array that has the levels 0 to %u", i, m->levels - 1);
    return CUDA_ERROR_INVALID_VALUE;
  }
  SgArray *a = &m->level[i];
  if (!a->o.handle && !sg_handle_new(SG_H_ARRAY, &a->o, m->o.ctx)) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = a->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                         unsigned int level) {
  SG_CALL(SG_NEED_HEALTH, get_level(pLevelArray, hMipmappedArray, level),
          "array=0x%llx mipmap=0x%llx level=%u", SG_OUT(pLevelArray), SG_X(hMipmappedArray), level);
}

/* As of arrays: asked of those whose memory is mapped later, which this device lacks. */
static CUresult memory_requirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, CUmipmappedArray h,
                                    CUdevice device) {
  CUresult code;
  if (!out || !h || !sg_device_valid(device)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_handle_get(SG_H_MIPMAP, h, &code)) return code;
  sg_say(CU_LOG_LEVEL_ERROR, "The mipmapped array was made without CUDA_ARRAY3D_DEFERRED_MAPPING");
  return CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                                      CUmipmappedArray mipmap, CUdevice device) {
  SG_CALL(SG_NEED_INIT, memory_requirements(memoryRequirements, mipmap, device), "mipmap=0x%llx dev=%d",
          SG_X(mipmap), device);
}
