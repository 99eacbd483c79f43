/* Managed memory: made here, attached to streams, advised about and prefetched. Host and device share every
 * byte of the arena anyway, so that advice changes nothing; it is kept, page by page, to be asked for. */
#include "driver/memory.h"

#include <stdlib.h>

static CUresult mem_alloc_managed(CUdeviceptr *out, size_t bytes, unsigned flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return sg_mem_alloc(out, bytes, SG_MANAGED);
}

SG_API CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, mem_alloc_managed(dptr, bytesize, flags),
          "ptr=0x%llx bytes=%zu flags=%u", SG_OUT(dptr), bytesize, flags);
}

/* --- what is known about the pages of an allocation --- */

enum { PAGE = 4096, HOST_BIT = SG_MAX_DEVICES }; /* HOST_BIT: of accessed_by */

typedef struct Place {
  CUmemLocationType type; /* DEVICE, HOST, HOST_NUMA; INVALID: none */
  int id;
} Place;

typedef struct Advice {
  bool read_mostly;
  unsigned accessed_by; /* a bit per device */
  Place preferred, prefetched;
} Advice;

/* From `at` on to the next one, or the end. */
typedef struct Stretch {
  uint64_t at;
  Advice advice;
} Stretch;

typedef struct Advised {
  size_t count;
  Stretch stretch[];
} Advised;

void sg_managed_forget(SgAlloc *a) {
  free(a->more);
  a->more = NULL;
}

/* Where it is kept. */
static Advised **advised(SgAlloc *a) {
  return (Advised **)(a->kind == SG_POOL_MANAGED ? sg_pool_advice(a) : &a->more);
}

static const Place nowhere;      /* of the type INVALID */
static const Stretch everything; /* of an allocation that nothing was said about */

/* The pages of [p, p + count) as offsets. False: it is not all in one managed allocation. */
static bool pages_of(CUdeviceptr p, size_t count, SgAlloc **out, uint64_t *lo, uint64_t *hi) {
  SgAlloc *a = sg_arena_find(p);
  if (!a || !sg_is_managed(a) || !count || count > a->base + a->size - p) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %zu bytes at 0x%llx are not managed memory, or not all of them", count,
           (unsigned long long)p);
    return false;
  }
  *out = a;
  *lo = (p - a->base) / PAGE * PAGE;
  *hi = (p - a->base + count + PAGE - 1) / PAGE * PAGE;
  return true;
}

/* Copies n stretches to `to`, with one that begins at `at` among them. How many there are then. */
static size_t split(Stretch *to, const Stretch *from, size_t n, uint64_t at) {
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    to[m++] = from[i];
    bool inside = at > from[i].at && (i + 1 == n || at < from[i + 1].at);
    if (inside) to[m++] = (Stretch){at, from[i].advice};
  }
  return m;
}

static bool same_place(Place a, Place b) { return a.type == b.type && a.id == b.id; }

static bool same(const Advice *a, const Advice *b) {
  return a->read_mostly == b->read_mostly && a->accessed_by == b->accessed_by &&
         same_place(a->preferred, b->preferred) && same_place(a->prefetched, b->prefetched);
}

/* Joins neighbours that say the same. How many are left. */
static size_t join(Stretch *s, size_t n) {
  size_t m = 1;
  for (size_t i = 1; i < n; i++)
    if (!same(&s[m - 1].advice, &s[i].advice)) s[m++] = s[i];
  return m;
}

/* Applies f to the advice of [lo, hi). */
static CUresult change(SgAlloc *a, uint64_t lo, uint64_t hi, void (*f)(Advice *, CUmem_advise, Place),
                       CUmem_advise advice, Place place) {
  Advised **at = advised(a), *old = *at;
  size_t n = old ? old->count : 1;
  Advised *new = malloc(sizeof *new + (n + 2) * sizeof new->stretch[0]);
  Stretch *half = malloc((n + 1) * sizeof *half);
  if (!new || !half) {
    free(new);
    free(half);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  n = split(half, old ? old->stretch : &everything, n, lo);
  n = split(new->stretch, half, n, hi);
  for (size_t i = 0; i < n; i++)
    if (new->stretch[i].at >= lo &&new->stretch[i].at < hi) f(&new->stretch[i].advice, advice, place);
  new->count = join(new->stretch, n);
  free(half);
  free(old);
  *at = new;
  return CUDA_SUCCESS;
}

/* --- advice --- */

/* A location as it is kept; the NUMA node that the thread runs on is always 0 here. */
static CUresult place_from(CUmemLocation l, Place *out) {
  *out = (Place){l.type, l.id};
  switch ((int)l.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE: return sg_device_valid(l.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  case CU_MEM_LOCATION_TYPE_HOST: out->id = 0; return CUDA_SUCCESS;
  case CU_MEM_LOCATION_TYPE_HOST_NUMA: return l.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
    *out = (Place){CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUmemLocation location_from(CUdevice dev) {
  if (dev == CU_DEVICE_CPU) return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST};
  return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev};
}

static unsigned bit_of(Place p) { return 1u << (p.type == CU_MEM_LOCATION_TYPE_DEVICE ? p.id : HOST_BIT); }

static void advise(Advice *a, CUmem_advise advice, Place place) {
  switch (advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY: a->read_mostly = true; break;
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY: a->read_mostly = false; break;
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION: a->preferred = place; break;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: a->preferred = nowhere; break;
  case CU_MEM_ADVISE_SET_ACCESSED_BY: a->accessed_by |= bit_of(place); break;
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY: a->accessed_by &= ~bit_of(place); break;
  }
}

static CUresult mem_advise(CUdeviceptr p, size_t count, CUmem_advise advice, CUmemLocation location) {
  SgAlloc *a;
  uint64_t lo, hi;
  Place place = nowhere;
  if ((int)advice < CU_MEM_ADVISE_SET_READ_MOSTLY || (int)advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY ||
      !pages_of(p, count, &a, &lo, &hi))
    return CUDA_ERROR_INVALID_VALUE;
  bool accessed = advice == CU_MEM_ADVISE_SET_ACCESSED_BY || advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  if (accessed || advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION) {
    CUresult r = place_from(location, &place);
    if (r) return r;
    if (accessed && place.type == CU_MEM_LOCATION_TYPE_HOST_NUMA) return CUDA_ERROR_INVALID_VALUE;
  }
  return change(a, lo, hi, advise, advice, place);
}

SG_API CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, mem_advise(devPtr, count, advice, location_from(device)),
          "ptr=0x%llx bytes=%zu advice=%d dev=%d", devPtr, count, (int)advice, device);
}

/* Of a device that there is not it answers as of any place that there is not. */
static CUresult mem_advise_at(CUdeviceptr p, size_t count, CUmem_advise advice, CUmemLocation location) {
  CUresult r = mem_advise(p, count, advice, location);
  return r == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_INVALID_VALUE : r;
}

SG_API CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                               CUmemLocation location) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, mem_advise_at(devPtr, count, advice, location),
          "ptr=0x%llx bytes=%zu advice=%d type=%d id=%d", devPtr, count, (int)advice, (int)location.type,
          location.id);
}

/* --- prefetching and attaching: operations that take their time and do nothing --- */

static CUresult submit_hint(SgStream *s) {
  static const SgOpType type = {.name = "hint", .lasts = SG_HINT_NS};
  SgOp *op = malloc(sizeof *op);
  if (!op) return CUDA_ERROR_OUT_OF_MEMORY;
  *op = (SgOp){.type = &type};
  return sg_stream_submit(s, op);
}

static void note_prefetch(Advice *a, CUmem_advise advice, Place place) {
  (void)advice;
  a->prefetched = place;
}

static CUresult prefetch(CUdeviceptr p, size_t count, CUmemLocation location, unsigned flags,
                         CUstream stream) {
  CUresult code;
  SgAlloc *a;
  uint64_t lo, hi;
  Place place;
  if (flags || !pages_of(p, count, &a, &lo, &hi)) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = place_from(location, &place);
  if (r) return r;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  r = change(a, lo, hi, note_prefetch, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place);
  return r ? r : submit_hint(s);
}

SG_API CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, prefetch(devPtr, count, location_from(dstDevice), 0, hStream),
          "ptr=0x%llx bytes=%zu dev=%d stream=0x%llx", devPtr, count, dstDevice, SG_X(hStream));
}

SG_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                      unsigned int flags, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, prefetch(devPtr, count, location, flags, hStream),
          "ptr=0x%llx bytes=%zu type=%d id=%d flags=%u stream=0x%llx", devPtr, count, (int)location.type,
          location.id, flags, SG_X(hStream));
}

/* Nothing but the whole of an allocation can be attached. */
static CUresult attach(CUstream stream, CUdeviceptr p, size_t length, unsigned flags) {
  CUresult code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  const SgAlloc *a = sg_arena_find(p);
  if (!a || a->kind != SG_MANAGED || a->base != p || (length && length != a->size))
    return CUDA_ERROR_INVALID_VALUE;
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
    return CUDA_ERROR_INVALID_VALUE;
  if (flags == CU_MEM_ATTACH_SINGLE && s->kind == SG_LEGACY) return CUDA_ERROR_INVALID_VALUE;
  return submit_hint(s);
}

SG_API CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                       unsigned int flags) {
  SG_CALL(SG_NEED_HEALTH | SG_UNSAFE, attach(hStream, dptr, length, flags),
          "stream=0x%llx ptr=0x%llx bytes=%zu flags=%u", SG_X(hStream), dptr, length, flags);
}

/* --- asking --- */

/* What holds for all pages of [lo, hi): where they differ, nothing does. */
static Advice common(SgAlloc *a, uint64_t lo, uint64_t hi) {
  const Advised *all = *advised(a);
  size_t n = all ? all->count : 1;
  const Stretch *s = all ? all->stretch : &everything;
  Advice c = everything.advice;
  bool first = true;
  for (size_t i = 0; i < n; i++) {
    uint64_t end = i + 1 < n ? s[i + 1].at : UINT64_MAX;
    if (s[i].at >= hi || end <= lo) continue;
    const Advice *v = &s[i].advice;
    if (first) c = *v;
    first = false;
    c.read_mostly &= v->read_mostly;
    c.accessed_by &= v->accessed_by;
    if (!same_place(c.preferred, v->preferred)) c.preferred = nowhere;
    if (!same_place(c.prefetched, v->prefetched)) c.prefetched = nowhere;
  }
  return c;
}

/* A place as the older attributes give it. */
static int device_of(Place p) {
  return p.type == CU_MEM_LOCATION_TYPE_INVALID  ? CU_DEVICE_INVALID
         : p.type == CU_MEM_LOCATION_TYPE_DEVICE ? p.id
                                                 : CU_DEVICE_CPU;
}

static CUresult list_devices(int *out, size_t bytes, unsigned set) {
  size_t n = bytes / 4, k = 0;
  if (!bytes || bytes % 4) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i <= HOST_BIT && k < n; i++)
    if (set >> i & 1) out[k++] = i == HOST_BIT ? CU_DEVICE_CPU : i;
  while (k < n) out[k++] = CU_DEVICE_INVALID;
  return CUDA_SUCCESS;
}

static CUresult range_attribute(void *data, size_t bytes, CUmem_range_attribute attribute, CUdeviceptr p,
                                size_t count) {
  SgAlloc *a;
  uint64_t lo, hi;
  if (!data || !pages_of(p, count, &a, &lo, &hi)) return CUDA_ERROR_INVALID_VALUE;
  Advice c = common(a, lo, hi);
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) return list_devices(data, bytes, c.accessed_by);
  if (bytes != 4) return CUDA_ERROR_INVALID_VALUE;
  int v;
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: v = c.read_mostly; break;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: v = device_of(c.preferred); break;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: v = device_of(c.prefetched); break;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: v = (int)c.preferred.type; break;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: v = c.preferred.id; break;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: v = (int)c.prefetched.type; break;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: v = c.prefetched.id; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  *(int *)data = v;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                       CUdeviceptr devPtr, size_t count) {
  SG_CALL(SG_NEED_CONTEXT, range_attribute(data, dataSize, attribute, devPtr, count),
          "attribute=%d ptr=0x%llx bytes=%zu", (int)attribute, devPtr, count);
}

static CUresult range_attributes(void **data, const size_t *bytes, const CUmem_range_attribute *attributes,
                                 size_t n, CUdeviceptr p, size_t count) {
  if (!data || !bytes || !attributes || !n) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < n; i++) {
    CUresult r = range_attribute(data[i], bytes[i], attributes[i], p, count);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                        size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  SG_CALL(SG_NEED_CONTEXT, range_attributes(data, dataSizes, attributes, numAttributes, devPtr, count),
          "attributes=%zu ptr=0x%llx bytes=%zu", numAttributes, devPtr, count);
}
