/* The calls about memory pools: making them, their attributes, who may use their memory, and which pools a
 * device, the host and managed memory have. */
#include "driver/pool.h"

#include <stdlib.h>

/* The home that a location and a type of allocation name; -1 and *code: there is none. */
static int home_of(const CUmemLocation *l, CUmemAllocationType type, CUresult *code) {
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  *code = CUDA_ERROR_INVALID_VALUE;
  if (!l || (!managed && type != CU_MEM_ALLOCATION_TYPE_PINNED)) return -1;
  switch ((int)l->type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return sg_device_valid(l->id) ? (managed ? SG_HOME_MANAGED : SG_HOME_DEVICE) + l->id : -1;
  case CU_MEM_LOCATION_TYPE_HOST: return managed ? SG_HOME_MANAGED_HOST : SG_HOME_HOST;
  case CU_MEM_LOCATION_TYPE_HOST_NUMA: return l->id != 0 ? -1 : managed ? SG_HOME_MANAGED_NUMA : SG_HOME_NUMA;
  case CU_MEM_LOCATION_TYPE_NONE: return managed ? SG_HOME_MANAGED_ANYWHERE : -1;
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: *code = CUDA_ERROR_NOT_SUPPORTED; return -1;
  default: return -1;
  }
}

/* Which pools can be shared: those of devices and of NUMA nodes. Fabric handles are accepted, as measured on
 * an H200, driver 580; exporting one fails. */
static CUresult share_check(int home, CUmemAllocationHandleType types) {
  const unsigned all = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
  if (types == CU_MEM_HANDLE_TYPE_NONE) return CUDA_SUCCESS;
  if ((unsigned)types & ~all || (home >= SG_HOME_MANAGED && home != SG_HOME_NUMA))
    return CUDA_ERROR_INVALID_VALUE;
  if (!(types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) || sg_ipc_possible()) return CUDA_SUCCESS;
  sg_say(CU_LOG_LEVEL_ERROR,
         "The software device's memory is not a file here, so its pools cannot be shared");
  return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult pool_create(CUmemoryPool *out, const CUmemPoolProps *props) {
  CUresult code;
  if (!out || !props) return CUDA_ERROR_INVALID_VALUE;
  const int home = home_of(&props->location, props->allocType, &code);
  if (home < 0) return CUDA_ERROR_INVALID_VALUE;
  code = share_check(home, props->handleTypes);
  if (code) return code;
  SgPool *p = sg_pool_standard_of(home) ? sg_pool_new(home, props->maxSize) : NULL;
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  p->handle_types = props->handleTypes;
  *out = p->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_create(pool, poolProps), "pool=0x%llx type=%d location=%d dev=%d",
          SG_OUT(pool), poolProps ? (int)poolProps->allocType : -1,
          poolProps ? (int)poolProps->location.type : -1, poolProps ? poolProps->location.id : -1);
}

static CUresult pool_destroy(CUmemoryPool h) {
  SgPool *p = sg_pool_get(h);
  if (!p || p->standard) return CUDA_ERROR_INVALID_VALUE;
  sg_pool_close(p);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_destroy(pool), "pool=0x%llx", SG_X(pool));
}

static CUresult pool_trim_to(CUmemoryPool h, size_t keep) {
  SgPool *p = sg_pool_get(h);
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  sg_pool_trim(p, keep, keep);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_trim_to(pool, minBytesToKeep), "pool=0x%llx keep=%zu", SG_X(pool),
          minBytesToKeep);
}

static CUresult pool_set(CUmemoryPool h, CUmemPool_attribute attribute, const void *value) {
  SgPool *p = sg_pool_get(h);
  if (!p || !value) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(const int *)value != 0;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: p->threshold = *(const cuuint64_t *)value; return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    if (*(const cuuint64_t *)value) return CUDA_ERROR_INVALID_VALUE;
    p->reserved_high = p->reserved;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    if (*(const cuuint64_t *)value) return CUDA_ERROR_INVALID_VALUE;
    p->used_high = p->used;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

SG_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_set(pool, attr, value), "pool=0x%llx attribute=%d", SG_X(pool),
          (int)attr);
}

static CUresult pool_ask(CUmemoryPool h, CUmemPool_attribute attribute, void *value) {
  const SgPool *p = sg_pool_get(h);
  if (!p || !value) return CUDA_ERROR_INVALID_VALUE;
  cuuint64_t *number = value;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *(int *)value = p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
    break;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *number = p->threshold; break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *number = p->reserved; break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *number = p->reserved_high; break;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *number = p->used; break;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *number = p->used_high; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_ask(pool, attr, value), "pool=0x%llx attribute=%d", SG_X(pool),
          (int)attr);
}

/* Who may use the pool's memory: peer access between contexts has no part in it. The host uses memory of its
 * own, and everybody managed memory. Access that a device is denied to managed memory is told as denied
 * (measured on an H200, driver 580); its kernels use that memory still. */
static CUresult access_check(const SgPool *p, const CUmemAccessDesc *d) {
  const bool host = d->location.type == CU_MEM_LOCATION_TYPE_HOST;
  if (!host && d->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  if (host && p->kind == SG_POOL) return CUDA_ERROR_NOT_SUPPORTED;
  if (d->flags == CU_MEM_ACCESS_FLAGS_PROT_READ) return CUDA_ERROR_NOT_SUPPORTED;
  if (d->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && d->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return CUDA_ERROR_INVALID_VALUE;
  const bool none = d->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
  if (none && host) return CUDA_ERROR_NOT_SUPPORTED;
  const bool own = p->kind == SG_POOL && d->location.id == p->device;
  return !host && (!sg_device_valid(d->location.id) || (own && none)) ? CUDA_ERROR_INVALID_DEVICE
                                                                      : CUDA_SUCCESS;
}

static CUresult set_access(CUmemoryPool h, const CUmemAccessDesc *map, size_t count) {
  SgPool *p = sg_pool_get(h);
  if (!p || !map) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    CUresult r = access_check(p, &map[i]);
    if (r) return r;
  }
  for (size_t i = 0; i < count; i++)
    if (map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE) p->access[map[i].location.id] = map[i].flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, set_access(pool, map, count), "pool=0x%llx count=%zu", SG_X(pool), count);
}

static CUresult get_access(CUmemAccess_flags *out, CUmemoryPool h, const CUmemLocation *l) {
  const SgPool *p = sg_pool_get(h);
  if (!out || !p || !l) return CUDA_ERROR_INVALID_VALUE;
  const bool host = l->type == CU_MEM_LOCATION_TYPE_HOST;
  if (!host && (l->type != CU_MEM_LOCATION_TYPE_DEVICE || !sg_device_valid(l->id)))
    return CUDA_ERROR_INVALID_VALUE;
  if (host)
    *out = p->kind == SG_POOL ? CU_MEM_ACCESS_FLAGS_PROT_NONE : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  else
    *out = p->access[l->id];
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, get_access(flags, memPool, location), "pool=0x%llx flags=%llu",
          SG_X(memPool), SG_OUT(flags));
}

/* --- exported: the pools of a device, and of the other homes --- */

typedef enum Which { STANDARD, CURRENT } Which;

static CUresult home_pool(CUmemoryPool *out, int home, Which which) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgPool *p = which == STANDARD ? sg_pool_standard_of(home) : sg_pool_current_of(home);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = p->o.handle;
  return CUDA_SUCCESS;
}

static CUresult set_home_pool(int home, CUmemoryPool h) {
  SgPool *p = sg_pool_get(h);
  if (!p || p->home != home || p->imported) return CUDA_ERROR_INVALID_VALUE;
  sg_pool_make_current(p);
  return CUDA_SUCCESS;
}

static CUresult device_pool(CUmemoryPool *out, CUdevice dev, Which which) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return which == STANDARD ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  return home_pool(out, SG_HOME_DEVICE + dev, which);
}

static CUresult set_device_pool(CUdevice dev, CUmemoryPool h) {
  return sg_device_valid(dev) ? set_home_pool(SG_HOME_DEVICE + dev, h) : CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_pool(pool_out, dev, STANDARD), "pool=0x%llx dev=%d", SG_OUT(pool_out), dev);
}

SG_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, device_pool(pool, dev, CURRENT), "pool=0x%llx dev=%d", SG_OUT(pool), dev);
}

SG_API CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, set_device_pool(dev, pool), "dev=%d pool=0x%llx", dev, SG_X(pool));
}

static CUresult place_pool(CUmemoryPool *out, const CUmemLocation *l, CUmemAllocationType type, Which which) {
  CUresult code;
  const int home = home_of(l, type, &code);
  return home < 0 ? code : home_pool(out, home, which);
}

static CUresult set_place_pool(const CUmemLocation *l, CUmemAllocationType type, CUmemoryPool h) {
  CUresult code;
  const int home = home_of(l, type, &code);
  return home < 0 ? code : set_home_pool(home, h);
}

SG_API CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                       CUmemAllocationType type) {
  SG_CALL(SG_NEED_INIT, place_pool(pool_out, location, type, STANDARD), "pool=0x%llx type=%d",
          SG_OUT(pool_out), (int)type);
}

SG_API CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  SG_CALL(SG_NEED_INIT, place_pool(pool, location, type, CURRENT), "pool=0x%llx type=%d", SG_OUT(pool),
          (int)type);
}

SG_API CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, set_place_pool(location, type, pool), "pool=0x%llx type=%d", SG_X(pool),
          (int)type);
}
