/* Page-locked host memory: made here (cuMemHostAlloc), or the program's own and registered. Its device
 * pointer is its host pointer. */
#include "driver/memory.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- allocated --- */

static CUresult host_alloc(void **out, size_t bytes, unsigned flags) {
  unsigned all = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!out || (flags & ~all)) return CUDA_ERROR_INVALID_VALUE;
  *out = NULL;
  if (!bytes) return CUDA_SUCCESS;
  SgContext *ctx = sg_ctx();
  SgAlloc *a = sg_alloc_hard(ctx->device, bytes, SG_HOST, ctx->o.id);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  /* A GPU's driver may tell PORTABLE of another allocation in the same chunk of its own. */
  a->tag = flags | CU_MEMHOSTALLOC_DEVICEMAP;
  *out = (void *)(uintptr_t)a->base;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE | SG_BESIDE, host_alloc(pp, bytesize, Flags),
          "ptr=0x%llx bytes=%zu flags=%u", SG_OUT(pp), bytesize, Flags);
}

SG_API CUresult cuMemAllocHost_v2(void **pp, size_t bytesize) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE | SG_BESIDE, host_alloc(pp, bytesize, 0), "ptr=0x%llx bytes=%zu",
          SG_OUT(pp), bytesize);
}

static CUresult host_free(const void *p) {
  if (!p) return CUDA_SUCCESS;
  SgAlloc *a = sg_alloc_freeable(SG_X(p));
  if (a && a->base == SG_X(p) && a->kind == SG_HOST) return sg_free_drained(a);
  sg_note_stale("host", SG_X(p));
  return CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuMemFreeHost(void *p) {
  SG_CALL(SG_NEED_ALIVE | SG_UNSAFE, host_free(p), "ptr=0x%llx", SG_X(p));
}

/* --- registered --- */

/* May the process read, and if it says so write, all of [at, end)? Where /proc is missing, mapped is enough.
 */
static bool accessible(uint64_t at, uint64_t end, bool write) {
  FILE *f = fopen("/proc/self/maps", "re");
  if (!f) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    at &= ~(page - 1);
    return msync((void *)(uintptr_t)at, end - at, MS_ASYNC) == 0;
  }
  char line[512], mode[5];
  unsigned long long lo, hi;
  while (at < end && fgets(line, sizeof line, f)) {
    if (sscanf(line, "%llx-%llx %4s", &lo, &hi, mode) != 3 || hi <= at) continue;
    if (lo > at || mode[0] != 'r' || (write && mode[1] != 'w')) break;
    at = hi;
  }
  fclose(f);
  return at >= end;
}

static CUresult host_register(void *p, size_t bytes, unsigned flags) {
  unsigned all = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_IOMEMORY |
                 CU_MEMHOSTREGISTER_READ_ONLY;
  uint64_t at = SG_X(p);
  bool read_only = flags & CU_MEMHOSTREGISTER_READ_ONLY;
  if (!p || !bytes || bytes > UINT64_MAX - at || (flags & ~all)) return CUDA_ERROR_INVALID_VALUE;
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY) return CUDA_ERROR_INVALID_VALUE; /* nothing here is that */
  const SgAlloc *there = sg_arena_overlap(at, bytes);
  if (there)
    return there->kind == SG_REGISTERED ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                        : CUDA_ERROR_INVALID_VALUE;
  if (sg_arena_owns(at) || sg_arena_owns(at + bytes - 1)) return CUDA_ERROR_INVALID_VALUE;
  if (!accessible(at, at + bytes, !read_only)) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %zu bytes at 0x%llx to register are not all %s memory of this process",
           bytes, (unsigned long long)at, read_only ? "readable" : "writable");
    return CUDA_ERROR_INVALID_VALUE;
  }
  SgContext *ctx = sg_ctx();
  SgAlloc *a = sg_arena_adopt(at, bytes, ctx->device, SG_REGISTERED, ctx->o.id);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  a->tag = flags | CU_MEMHOSTREGISTER_DEVICEMAP;
  a->read_only = read_only;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, host_register(p, bytesize, Flags), "ptr=0x%llx bytes=%zu flags=%u",
          SG_X(p), bytesize, Flags);
}

/* The first form ignores the flags that came after it: measured on an H200, driver 580. */
SG_API CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags) {
  const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, host_register(p, bytesize, Flags & known),
          "ptr=0x%llx bytes=%zu flags=%u", SG_X(p), bytesize, Flags);
}

static CUresult host_unregister(const void *p) {
  SgAlloc *a = sg_arena_find(SG_X(p));
  if (!p || (a && (a->kind != SG_REGISTERED || a->base != SG_X(p)))) return CUDA_ERROR_INVALID_VALUE;
  if (a) return sg_free_drained(a);
  sg_note_stale("registered", SG_X(p));
  return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

SG_API CUresult cuMemHostUnregister(void *p) {
  SG_CALL(SG_NEED_ALIVE | SG_UNSAFE, host_unregister(p), "ptr=0x%llx", SG_X(p));
}

/* --- both --- */

static const SgAlloc *pinned_find(const void *p) {
  const SgAlloc *a = sg_arena_find(SG_X(p));
  return a && sg_is_pinned(a) ? a : NULL;
}

static CUresult host_device_pointer(CUdeviceptr *out, const void *p, unsigned flags) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = 0;
  if (flags || !pinned_find(p)) return CUDA_ERROR_INVALID_VALUE;
  *out = SG_X(p);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, host_device_pointer(pdptr, p, Flags), "ptr=0x%llx flags=%u", SG_X(p), Flags);
}

static CUresult host_flags(unsigned *out, const void *p) {
  const SgAlloc *a = sg_arena_find(SG_X(p));
  bool managed = a && sg_is_managed(a); /* which the driver tells about too */
  if (!out || !a || (!managed && !sg_is_pinned(a))) return CUDA_ERROR_INVALID_VALUE;
  *out = managed || sg_is_pooled(a) ? CU_MEMHOSTALLOC_DEVICEMAP : a->tag;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p) {
  SG_CALL(SG_NEED_CONTEXT, host_flags(pFlags, p), "ptr=0x%llx flags=%llu", SG_X(p), SG_OUT(pFlags));
}
