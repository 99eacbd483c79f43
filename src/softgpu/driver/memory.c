/* Device memory: making it, freeing it, how much there is. */
#include "driver/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { PITCH_ALIGN = 512 };

SgContext *sg_alloc_context(const SgAlloc *a) {
  for (SgContext *c = sg_state.contexts; c; c = c->next)
    if (c->o.id == a->owner) return c;
  return NULL;
}

static void before_free(SgAlloc *a) {
  switch (a->kind) {
  case SG_DEVICE: sg_ipc_unexport(a); break;
  case SG_MANAGED: sg_managed_forget(a); break;
  case SG_POOL:
  case SG_POOL_HOST:
  case SG_POOL_MANAGED:
    sg_ipc_unexport(a);
    sg_pool_forget(a);
    break;
  case SG_IMPORTED: sg_ipc_unmap(a); break;
  default: break;
  }
}

void sg_memory_init(void) { sg_arena_before_free = before_free; }

SgAlloc *sg_alloc_hard(int device, uint64_t size, SgKind kind, uint64_t owner) {
  const uint64_t align = sg_alloc_align(size);
  SgAlloc *a = sg_arena_alloc(device, size, align, kind, owner, "");
  if (a) return a;
  sg_pools_trim(device);
  a = sg_arena_alloc(device, size, align, kind, owner, "");
  if (a) return a;
  sg_drain(NULL);
  sg_pools_trim(device);
  a = sg_arena_alloc(device, size, align, kind, owner, "");
  if (a) return a;
  uint64_t free_bytes, total;
  sg_arena_info(device, &free_bytes, &total);
  if (kind == SG_HOST || kind == SG_POOL_HOST)
    sg_say(CU_LOG_LEVEL_ERROR, "An allocation of %llu bytes of page-locked host memory failed",
           (unsigned long long)size);
  else
    sg_say(CU_LOG_LEVEL_ERROR, "An allocation of %llu bytes failed: %llu of %llu bytes are free on device %d",
           (unsigned long long)size, (unsigned long long)free_bytes, (unsigned long long)total, device);
  return NULL;
}

CUresult sg_mem_alloc(CUdeviceptr *out, size_t bytes, SgKind kind) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  SgContext *ctx = sg_ctx();
  SgAlloc *a = sg_alloc_hard(ctx->device, bytes, kind, ctx->o.id);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = a->base;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE | SG_BESIDE, sg_mem_alloc(dptr, bytesize, SG_DEVICE),
          "ptr=0x%llx bytes=%zu", SG_OUT(dptr), bytesize);
}

static CUresult mem_alloc_pitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                                unsigned element) {
  if (!out || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
    return CUDA_ERROR_INVALID_VALUE;
  if (width > SIZE_MAX - PITCH_ALIGN) return CUDA_ERROR_OUT_OF_MEMORY;
  size_t p = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN, bytes;
  if (__builtin_mul_overflow(p, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = sg_mem_alloc(out, bytes, SG_DEVICE);
  if (!r) *pitch = p;
  return r;
}

SG_API CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                   unsigned int ElementSizeBytes) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE | SG_BESIDE,
          mem_alloc_pitch(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes),
          "ptr=0x%llx pitch=%llu width=%zu height=%zu element=%u", SG_OUT(dptr), SG_OUT(pPitch), WidthInBytes,
          Height, ElementSizeBytes);
}

SgAlloc *sg_alloc_freeable(uint64_t p) {
  SgAlloc *a = sg_arena_at(p);
  return a && (a->held ? a == sg_arena_find(p) : a->kept) ? a : NULL;
}

CUresult sg_free_drained(SgAlloc *a) {
  uint64_t base = a->base, serial = a->serial;
  int device = a->device;
  sg_drain(sg_is_pinned(a) ? NULL : sg_alloc_context(a));
  if (sg_state.device[device].sticky) return sg_state.device[device].sticky;
  a = sg_alloc_freeable(base); /* a host function may have let another thread in */
  if (!a || a->serial != serial) return CUDA_ERROR_INVALID_VALUE;
  sg_arena_free(a);
  return CUDA_SUCCESS;
}

/* The allocation that starts at p, if a free call may take it. A managed variable is its module's. */
static SgAlloc *freeable(CUdeviceptr p) {
  SgAlloc *a = sg_alloc_freeable(p);
  if (a && a->base == p && !a->name[0] &&
      (a->kind == SG_DEVICE || a->kind == SG_MANAGED || sg_is_pooled(a) || sg_ipc_from_pool(a)))
    return a;
  sg_note_stale("memory", p);
  return NULL;
}

static CUresult mem_free(CUdeviceptr p) {
  if (!p) return CUDA_SUCCESS;
  SgAlloc *a = freeable(p);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_is_pooled(a)) return sg_free_drained(a);
  sg_pool_free(a);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemFree_v2(CUdeviceptr dptr) {
  SG_CALL(SG_NEED_ALIVE | SG_UNSAFE, mem_free(dptr), "ptr=0x%llx", dptr);
}

/* --- freeing in the order of a stream --- */

typedef struct FreeOp {
  SgOp op;
  uint64_t base, serial;
} FreeOp;

/* Here and not in run(), so that the memory goes even when a dead device runs nothing any more. */
static void free_drop(SgOp *op) {
  FreeOp *f = (FreeOp *)op;
  SgAlloc *a = sg_arena_at(f->base);
  if (a && a->serial == f->serial) sg_arena_free(a);
}

static CUresult mem_free_async(CUdeviceptr p, CUstream stream) {
  static const SgOpType type = {.name = "free", .lasts = SG_FREE_NS, .drop = free_drop};
  CUresult code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->branch) return sg_capture_refuse(s, "cuMemFreeAsync");
  code = sg_capture_unsafe(); /* in other streams too: measured on an H200, driver 580 */
  if (code || !p) return code;
  SgAlloc *a = freeable(p);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  if (sg_is_pooled(a)) return sg_pool_free_async(a, s);
  if (a->kind == SG_MANAGED) { /* measured on an H200, driver 580 */
    sg_say(CU_LOG_LEVEL_ERROR, "Managed memory cannot be freed in the order of a stream");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  FreeOp *f = malloc(sizeof *f);
  if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
  *f = (FreeOp){{.type = &type}, a->base, a->serial};
  sg_arena_let_go(a, sg_stream_last());
  return sg_stream_submit(s, &f->op);
}

SG_API CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, mem_free_async(dptr, hStream), "ptr=0x%llx stream=0x%llx", dptr,
          SG_X(hStream));
}

/* --- pools of the program's own --- */

SG_API CUresult cuSoftgpuBlock(CUdeviceptr base, size_t bytes, const char *place) {
  sg_lock_take_beside();
  SgAlloc *a = sg_arena_at(base);
  const bool known = a && a->base == base && (a->kind == SG_DEVICE || a->kind == SG_HOST);
  const bool back = known && !bytes && a->held;
  const bool fits = known && bytes && bytes + SG_REDZONE <= a->room && (a->held || a->kept);
  if (place) snprintf(sg_arena_place, sizeof sg_arena_place, "%s", place);
  sg_arena_caller = NULL;
  if (back) {
    sg_arena_let_go(a, sg_stream_last());
    a->kept = true;
  } else if (fits && a->held) {
    sg_arena_trim(a, bytes);
  } else if (fits) {
    sg_arena_hold(a, bytes, sg_streams_ran(a->until));
  }
  sg_arena_place[0] = 0;
  sg_lock_drop();
  return back || fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- how much, and where --- */

static CUresult mem_info(size_t *free_bytes, size_t *total) {
  uint64_t f, t;
  sg_arena_info(sg_ctx()->device, &f, &t);
  if (free_bytes) *free_bytes = f;
  if (total) *total = t;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, mem_info(free, total), "free=%llu total=%llu", SG_OUT(free),
          SG_OUT(total));
}

static CUresult address_range(CUdeviceptr *base, size_t *size, CUdeviceptr p) {
  const SgAlloc *a = sg_arena_find(p);
  if (!a) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = a->base;
  if (size) *size = a->size;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, address_range(pbase, psize, dptr), "ptr=0x%llx base=0x%llx size=%llu",
          dptr, SG_OUT(pbase), SG_OUT(psize));
}
