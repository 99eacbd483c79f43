/* What an address is: the attributes of pointers. */
#include "driver/memory.h"

#include <string.h>

typedef union Value {
  uint64_t number;
  CUcontext context;
  CUmemoryPool pool;
  void *pointer;
} Value;

/* The bytes that an attribute takes; 0: there is no such attribute. */
static size_t size_of(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return 8;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return 4;
  /* Truth values: the header names no type, the driver writes an unsigned int. */
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return 4;
  default: return 0;
  }
}

static CUresult value_of(const SgAlloc *a, CUpointer_attribute attribute, CUdeviceptr p, Value *v) {
  bool managed = sg_is_managed(a);
  v->number = 0;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: {
    const SgContext *ctx = sg_alloc_context(a);
    v->context = ctx ? ctx->o.handle : NULL;
    break;
  }
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    v->number = sg_is_pinned(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: {
    CUresult code;
    if (!sg_current(&code)) return code;
    v->number = p;
    break;
  }
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!sg_is_pinned(a) && !managed) return CUDA_ERROR_INVALID_VALUE;
    v->number = p;
    break;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: v->number = a->sync_memops; break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: v->number = a->serial; break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: v->number = managed; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: v->number = (unsigned)a->device; break;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: v->number = a->kind == SG_DEVICE; break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: v->number = a->base; break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: v->number = a->size; break;
  case CU_POINTER_ATTRIBUTE_MAPPED: v->number = 1; break;
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: {
    const SgContext *ctx = sg_ctx();
    v->number = ctx && !sg_may_use(ctx, a) ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE
                : a->read_only             ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                           : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    break;
  }
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: v->pool = sg_pool_of(a); break;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: v->number = sg_pool_handle_types(a); break;
  default: break; /* what this device never has is 0 */
  }
  return CUDA_SUCCESS;
}

static void store(void *out, CUpointer_attribute attribute, Value v) { memcpy(out, &v, size_of(attribute)); }

static CUresult pointer_attribute(void *out, CUpointer_attribute attribute, CUdeviceptr p) {
  const SgAlloc *a = sg_arena_find(p);
  Value v;
  if (!out || !a || !size_of(attribute)) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = value_of(a, attribute, p, &v);
  if (!r) store(out, attribute, v);
  return r;
}

SG_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, pointer_attribute(data, attribute, ptr), "attribute=%d ptr=0x%llx",
          (int)attribute, ptr);
}

/* Of an address that is nothing of the driver's, and where there is no answer, all is NULL, 0 or no device.
 */
static CUresult pointer_attributes(unsigned n, const CUpointer_attribute *attributes, void **out,
                                   CUdeviceptr p) {
  if (!n || !attributes || !out) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < n; i++)
    if (!out[i] || !size_of(attributes[i])) return CUDA_ERROR_INVALID_VALUE;
  const SgAlloc *a = sg_arena_find(p);
  for (unsigned i = 0; i < n; i++) {
    Value v = {0};
    if (a)
      (void)value_of(a, attributes[i], p, &v);
    else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      v.number = (unsigned)CU_DEVICE_INVALID;
    store(out[i], attributes[i], v);
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                       void **data, CUdeviceptr ptr) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, pointer_attributes(numAttributes, attributes, data, ptr),
          "attributes=%u ptr=0x%llx", numAttributes, ptr);
}

/* Work that was not waited for ends first. A dead device does not matter, a destroyed context does. */
static CUresult pointer_set(const void *value, CUpointer_attribute attribute, CUdeviceptr p) {
  CUresult code = CUDA_SUCCESS;
  SgAlloc *a = sg_arena_find(p);
  if ((!sg_current(&code) && code == CUDA_ERROR_CONTEXT_IS_DESTROYED) || !value || !a ||
      attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t serial = a->serial;
  bool on = *(const unsigned *)value != 0;
  if (on) sg_drain(sg_alloc_context(a));
  a = sg_arena_find(p);
  if (!a || a->serial != serial) return CUDA_ERROR_INVALID_VALUE;
  a->sync_memops = on;
  return CUDA_SUCCESS;
}

SG_API CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pointer_set(value, attribute, ptr), "attribute=%d ptr=0x%llx",
          (int)attribute, ptr);
}
