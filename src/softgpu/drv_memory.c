/* Device and host memory: making it, freeing it, asking about it. */
#include "drv.h"

#include <stdlib.h>

enum { TAG_POOL = 1u << 30, TAG_FREEING = 1u << 31 }; /* SgAlloc.tag; below them the flags of host memory */
enum { PITCH_ALIGN = 512 };

static SgContext *owner_of(const SgAlloc *a) {
  for (SgContext *c = sg_state.contexts; c; c = c->next)
    if (c->o.id == a->owner) return c;
  return NULL;
}

/* Memory that a queued free still holds is worth waiting for before giving up. */
static SgAlloc *alloc_hard(int device, uint64_t size, SgKind kind, uint64_t owner) {
  SgAlloc *a = sg_arena_alloc(device, size, SG_TEXTURE_ALIGN, kind, owner, "");
  if (a) return a;
  sg_drain(NULL);
  return sg_arena_alloc(device, size, SG_TEXTURE_ALIGN, kind, owner, "");
}

static CUresult mem_alloc(CUdeviceptr *out, size_t bytes, SgKind kind) {
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  SgContext *ctx = sg_ctx();
  SgAlloc *a = alloc_hard(ctx->device, bytes, kind, ctx->o.id);
  if (!a) {
    uint64_t free_bytes, total;
    sg_arena_info(ctx->device, &free_bytes, &total);
    sg_say(CU_LOG_LEVEL_ERROR, "An allocation of %zu bytes failed: %llu of %llu bytes are free on device %d",
           bytes, (unsigned long long)free_bytes, (unsigned long long)total, ctx->device);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = a->base;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  SG_CALL(SG_NEED_CONTEXT, mem_alloc(dptr, bytesize, SG_DEVICE), "ptr=0x%llx bytes=%zu", SG_OUT(dptr),
          bytesize);
}

static CUresult mem_alloc_managed(CUdeviceptr *out, size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return mem_alloc(out, bytes, SG_MANAGED);
}

SG_API CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
  SG_CALL(SG_NEED_CONTEXT, mem_alloc_managed(dptr, bytesize, flags), "ptr=0x%llx bytes=%zu flags=%u",
          SG_OUT(dptr), bytesize, flags);
}

static CUresult mem_alloc_pitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                                unsigned element) {
  if (!out || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
    return CUDA_ERROR_INVALID_VALUE;
  if (width > SIZE_MAX - PITCH_ALIGN) return CUDA_ERROR_OUT_OF_MEMORY;
  size_t p = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN, bytes;
  if (__builtin_mul_overflow(p, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = mem_alloc(out, bytes, SG_DEVICE);
  if (!r) *pitch = p;
  return r;
}

SG_API CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                                   unsigned int ElementSizeBytes) {
  SG_CALL(SG_NEED_CONTEXT, mem_alloc_pitch(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes),
          "ptr=0x%llx pitch=%llu width=%zu height=%zu element=%u", SG_OUT(dptr), SG_OUT(pPitch), WidthInBytes,
          Height, ElementSizeBytes);
}

/* Frees the allocation once all that might use it has run. */
static CUresult free_drained(SgAlloc *a) {
  uint64_t base = a->base, serial = a->serial;
  int device = a->device;
  sg_drain(a->kind == SG_HOST ? NULL : owner_of(a));
  if (sg_state.device[device].sticky) return sg_state.device[device].sticky;
  a = sg_arena_find(base); /* a host function may have let another thread in */
  if (!a || a->serial != serial) return CUDA_ERROR_INVALID_VALUE;
  sg_arena_free(a);
  return CUDA_SUCCESS;
}

/* The start of a live allocation that a free call may take. */
static SgAlloc *freeable(uint64_t p, bool host) {
  SgAlloc *a = sg_arena_find(p);
  bool right = a && (host ? a->kind == SG_HOST : a->kind == SG_DEVICE || a->kind == SG_MANAGED);
  if (right && a->base == p && !(a->tag & TAG_FREEING)) return a;
  sg_note_stale(host ? "host" : "memory", p);
  return NULL;
}

static CUresult mem_free(CUdeviceptr p) {
  SgAlloc *a = freeable(p, false);
  return a ? free_drained(a) : CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuMemFree_v2(CUdeviceptr dptr) {
  SG_CALL(SG_NEED_HEALTH, mem_free(dptr), "ptr=0x%llx", dptr);
}

static CUresult mem_info(size_t *free_bytes, size_t *total) {
  if (!free_bytes || !total) return CUDA_ERROR_INVALID_VALUE;
  uint64_t f, t;
  sg_arena_info(sg_ctx()->device, &f, &t);
  *free_bytes = f;
  *total = t;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  SG_CALL(SG_NEED_CONTEXT, mem_info(free, total), "free=%llu total=%llu", SG_OUT(free), SG_OUT(total));
}

static CUresult address_range(CUdeviceptr *base, size_t *size, CUdeviceptr p) {
  SgAlloc *a = sg_arena_find(p);
  if (!a) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = a->base;
  if (size) *size = a->size;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  SG_CALL(SG_NEED_CONTEXT, address_range(pbase, psize, dptr), "ptr=0x%llx base=0x%llx size=%llu", dptr,
          SG_OUT(pbase), SG_OUT(psize));
}

/* --- host memory --- */

static CUresult host_alloc(void **out, size_t bytes, unsigned flags) {
  unsigned all = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!out || !bytes || (flags & ~all)) return CUDA_ERROR_INVALID_VALUE;
  SgContext *ctx = sg_ctx();
  SgAlloc *a = alloc_hard(ctx->device, bytes, SG_HOST, ctx->o.id);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  a->tag = flags;
  *out = (void *)(uintptr_t)a->base;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, host_alloc(pp, bytesize, Flags), "ptr=0x%llx bytes=%zu flags=%u", SG_OUT(pp),
          bytesize, Flags);
}

SG_API CUresult cuMemAllocHost_v2(void **pp, size_t bytesize) {
  SG_CALL(SG_NEED_CONTEXT, host_alloc(pp, bytesize, 0), "ptr=0x%llx bytes=%zu", SG_OUT(pp), bytesize);
}

static CUresult host_free(void *p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgAlloc *a = freeable(SG_X(p), true);
  return a ? free_drained(a) : CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuMemFreeHost(void *p) { SG_CALL(SG_NEED_HEALTH, host_free(p), "ptr=0x%llx", SG_X(p)); }

static SgAlloc *host_find(const void *p) {
  SgAlloc *a = sg_arena_find(SG_X(p));
  return a && a->kind == SG_HOST ? a : NULL;
}

static CUresult host_device_pointer(CUdeviceptr *out, const void *p, unsigned flags) {
  if (!out || flags || !host_find(p)) return CUDA_ERROR_INVALID_VALUE;
  *out = SG_X(p);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, host_device_pointer(pdptr, p, Flags), "ptr=0x%llx flags=%u", SG_X(p), Flags);
}

static CUresult host_flags(unsigned *out, const void *p) {
  SgAlloc *a = host_find(p);
  if (!out || !a) return CUDA_ERROR_INVALID_VALUE;
  *out = a->tag;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p) {
  SG_CALL(SG_NEED_CONTEXT, host_flags(pFlags, p), "ptr=0x%llx flags=%llu", SG_X(p), SG_OUT(pFlags));
}

/* --- stream-ordered memory. It belongs to the device's pool, so it outlives contexts. --- */

static CUresult mem_alloc_async(CUdeviceptr *out, size_t bytes, CUstream stream) {
  CUresult code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  SgAlloc *a = alloc_hard(s->o.ctx->device, bytes, SG_DEVICE, 0);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  a->tag = TAG_POOL;
  *out = a->base;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, mem_alloc_async(dptr, bytesize, hStream), "ptr=0x%llx bytes=%zu stream=0x%llx",
          SG_OUT(dptr), bytesize, SG_X(hStream));
}

typedef struct FreeOp {
  SgOp op;
  uint64_t base, serial;
} FreeOp;

static uint64_t free_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)op;
  (void)s;
  (void)code;
  return 100;
}

/* Here and not in run, so that the memory goes even when a dead device runs nothing any more. */
static void free_drop(SgOp *op) {
  FreeOp *f = (FreeOp *)op;
  SgAlloc *a = sg_arena_find(f->base);
  if (a && a->serial == f->serial) sg_arena_free(a);
}

static CUresult mem_free_async(CUdeviceptr p, CUstream stream) {
  static const SgOpType type = {"free", free_run, free_drop, NULL};
  CUresult code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  SgAlloc *a = freeable(p, false);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  FreeOp *f = malloc(sizeof *f);
  if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
  a->tag |= TAG_FREEING;
  *f = (FreeOp){{.type = &type}, a->base, a->serial};
  return sg_stream_submit(s, &f->op);
}

SG_API CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, mem_free_async(dptr, hStream), "ptr=0x%llx stream=0x%llx", dptr, SG_X(hStream));
}

/* --- pointer attributes --- */

static CUresult pointer_attribute(void *out, CUpointer_attribute attribute, CUdeviceptr p) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  SgAlloc *a = sg_arena_find(p);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  SgContext *ctx = owner_of(a);
  bool host = a->kind == SG_HOST, managed = a->kind == SG_MANAGED;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)out = ctx ? ctx->o.handle : NULL; break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(CUmemorytype *)out = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)out = p; break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!host && !managed) return CUDA_ERROR_INVALID_VALUE;
    *(void **)out = (void *)(uintptr_t)p;
    break;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(unsigned *)out = 0; break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: *(unsigned long long *)out = a->serial; break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)out = managed; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)out = a->device; break;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    *(unsigned *)out = a->kind == SG_DEVICE && !(a->tag & TAG_POOL);
    break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: *(CUdeviceptr *)out = a->base; break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: *(size_t *)out = a->size; break;
  case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)out = 1; break;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(unsigned long long *)out = 0; break;
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: *(unsigned *)out = 0; break;
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    *(CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS *)out = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    break;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *(CUmemoryPool *)out = NULL; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  SG_CALL(SG_NEED_INIT, pointer_attribute(data, attribute, ptr), "attribute=%d ptr=0x%llx", (int)attribute,
          ptr);
}
