/* Memory, inside: what the calls about device memory (driver/memory.c), pinned and registered memory
 * (driver/pinned.c), managed memory (driver/managed.c), pools (driver/pool.c), pointers (driver/pointer.c)
 * and other processes' memory (driver/ipc.c) share. Which of them an allocation belongs to is its kind. */
#ifndef SOFTGPU_MEMORY_H
#define SOFTGPU_MEMORY_H

#include "driver/drv.h"

/* The context that an allocation was made in: NULL for memory of pools, and when it is gone. */
SgContext *sg_alloc_context(const SgAlloc *a);

/* Where memory of the program begins: as a GPU's driver is seen to have it, which maps large blocks in pages
 * of 2 MiB. Programs rely on it (Taichi's run time asks for 4096). */
static inline uint64_t sg_alloc_align(uint64_t size) {
  return size >= (uint64_t)1 << 20 ? (uint64_t)2 << 20 : SG_TEXTURE_ALIGN;
}

/* NULL and a sentence said: not even after pools gave back what they only keep, and all queued frees ran.
 * Another thread may have done anything meanwhile. */
SgAlloc *sg_alloc_hard(int device, uint64_t size, SgKind kind, uint64_t owner);

/* The body of cuMemAlloc; kind: SG_DEVICE or SG_MANAGED. */
CUresult sg_mem_alloc(CUdeviceptr *out, size_t bytes, SgKind kind);

/* What a free call may take: memory that the program has, or that a pool of its own keeps. */
SgAlloc *sg_alloc_freeable(uint64_t p);

/* Frees it once all that might use it has run. */
CUresult sg_free_drained(SgAlloc *a);

/* What is behind a->tag, by kind: flags of cuMemHostAlloc or cuMemHostRegister; of SG_DEVICE memory and that
 * of pools sg_ipc's; of SG_IMPORTED memory how often it was opened. a->more: of pools' memory the block, of
 * SG_MANAGED the advice, of SG_IMPORTED the mapping. Each is let go of by: */
void sg_managed_forget(SgAlloc *a);
void sg_pool_forget(SgAlloc *a);
void sg_ipc_unexport(SgAlloc *a);
void sg_ipc_unmap(SgAlloc *a);

/* Memory of another process's pool, which is freed as that of one's own. */
bool sg_ipc_from_pool(const SgAlloc *a);

/* --- pools --- */

/* Gives all memory back that the device's pools keep and nobody uses. */
void sg_pools_trim(int device);
/* cuMemFree and cuMemFreeAsync of a block of a pool. */
void sg_pool_free(SgAlloc *a);
CUresult sg_pool_free_async(SgAlloc *a, SgStream *s);
/* The handle of the pool that it comes from, NULL if that was destroyed; and how it can be shared. */
CUmemoryPool sg_pool_of(const SgAlloc *a);
unsigned sg_pool_handle_types(const SgAlloc *a);
void **sg_pool_advice(SgAlloc *a); /* of managed memory: what driver/managed.c keeps about it */

#endif
