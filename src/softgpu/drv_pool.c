/* Memory pools: allocation and freeing in the order of a stream.
 *
 * A pool reserves blocks of the device's memory, each by itself (a GPU's driver in steps of 32 MiB). A freed
 * block stays reserved, so that the next allocation of its size costs nothing; what a pool keeps beyond its
 * release threshold goes back to the device at the next synchronising call. A block that was freed behind
 * work still queued waits for it: until then only the stream that freed it can have it again. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 128, UNIT = 512, TRIES = 64 };
#define WAITING_MOST ((uint64_t)256 << 20) /* waiting bytes of a pool above which an allocation waits too */

typedef struct Block Block;
typedef struct FreeOp FreeOp;
typedef struct SgPool SgPool;

struct Block {
  SgAlloc *a;
  SgPool *pool;
  uint64_t room; /* what it can give out */
  /* of an idle one, which the pool keeps: */
  Block *prev, *next;   /* its bucket, freed last comes first */
  Block *older, *newer; /* its pool, in the order of freeing */
  FreeOp *wait;         /* the queued free that it waits for, or NULL */
  Block *above, *below; /* of that free */
};

/* Ends the wait of its blocks. */
struct FreeOp {
  SgOp op;
  SgStream *stream;
  Block *blocks;
};

struct SgPool {
  SgObject o; /* o.handle NULL: destroyed, and kept for what it still has out */
  int device;
  bool standard; /* the device's own */
  SgPool *next;
  uint64_t most; /* bytes it may reserve; 0: any */
  uint64_t threshold;
  int reuse[3]; /* follow events, opportunistic, internal dependencies */
  uint64_t reserved, reserved_high, used, used_high, waiting;
  uint32_t out; /* blocks that the program has, and calls at work */
  CUmemAccess_flags access[SG_MAX_DEVICES];
  Block *bucket[BUCKETS];
  Block *oldest, *newest;
};

static SgPool *pools;
static struct { SgPool *standard, *current; } of_device[SG_MAX_DEVICES];

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/* --- idle blocks --- */

static Block **bucket_of(SgPool *p, uint64_t room) {
  return &p->bucket[room / UNIT * 0x9e3779b97f4a7c15u >> 57];
}

static void idle_add(Block *b) {
  SgPool *p = b->pool;
  Block **at = bucket_of(p, b->room);
  b->prev = NULL;
  b->next = *at;
  if (b->next) b->next->prev = b;
  *at = b;
  b->newer = NULL;
  b->older = p->newest;
  if (b->older)
    b->older->newer = b;
  else
    p->oldest = b;
  p->newest = b;
}

static void idle_remove(Block *b) {
  SgPool *p = b->pool;
  if (b->prev)
    b->prev->next = b->next;
  else
    *bucket_of(p, b->room) = b->next;
  if (b->next) b->next->prev = b->prev;
  if (b->older)
    b->older->newer = b->newer;
  else
    p->oldest = b->newer;
  if (b->newer)
    b->newer->older = b->older;
  else
    p->newest = b->older;
}

static void wait_begin(Block *b, FreeOp *f) {
  b->wait = f;
  b->above = NULL;
  b->below = f->blocks;
  if (b->below) b->below->above = b;
  f->blocks = b;
  b->pool->waiting += b->room;
}

static void wait_end(Block *b, FreeOp *f) {
  if (b->above)
    b->above->below = b->below;
  else
    f->blocks = b->below;
  if (b->below) b->below->above = b->above;
  b->wait = NULL;
  b->pool->waiting -= b->room;
}

/* A destroyed pool goes with the last of its blocks. */
static void drop_if_done(SgPool *p) {
  if (p->o.handle || p->out || p->oldest) return;
  SgPool **at = &pools;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  free(p);
}

/* Gives an idle block that waits for nothing back to the device; its pool stays. */
static void give_back(Block *b) {
  idle_remove(b);
  b->pool->reserved -= b->room;
  sg_arena_free(b->a); /* which frees b, see sg_pool_forget */
}

void sg_pool_forget(SgAlloc *a) {
  free(a->more);
  a->more = NULL;
}

/* Gives back the oldest blocks, but no more than leaves `keep` bytes, and with `below` no more than it takes
 * to reach it. */
static void trim(SgPool *p, uint64_t keep, uint64_t below) {
  for (Block *b = p->oldest, *newer; b && p->reserved > below; b = newer) {
    newer = b->newer;
    if (!b->wait && p->reserved - b->room >= keep) give_back(b);
  }
}

void sg_pools_trim(int device) {
  for (SgPool *p = pools; p; p = p->next)
    if (p->device == device) trim(p, 0, 0);
}

void sg_pools_settle(int device) {
  for (SgPool *p = pools; p; p = p->next)
    if (p->device == device && p->reserved > p->threshold) trim(p, 0, p->threshold);
}

/* --- pools --- */

static SgPool *pool_new(int device, uint64_t most) {
  SgPool *p = calloc(1, sizeof *p);
  if (!p || !sg_handle_new(SG_H_POOL, &p->o, NULL)) {
    free(p);
    return NULL;
  }
  p->device = device;
  p->most = most;
  p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
  p->access[device] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  p->next = pools;
  pools = p;
  return p;
}

/* Made when first asked for. NULL: out of memory. */
static SgPool *standard_pool(int device) {
  SgPool *p = of_device[device].standard;
  if (p) return p;
  p = pool_new(device, 0);
  if (!p) return NULL;
  p->standard = true;
  of_device[device].standard = of_device[device].current = p;
  return p;
}

static SgPool *current_pool(int device) { return standard_pool(device) ? of_device[device].current : NULL; }

static SgPool *pool_get(CUmemoryPool h) {
  CUresult code;
  return sg_handle_get(SG_H_POOL, h, &code);
}

/* All blocks must be idle or the program's, none waiting. */
static void pool_close(SgPool *p) {
  int d = p->device;
  if (of_device[d].current == p) of_device[d].current = of_device[d].standard;
  sg_handle_free(&p->o, false);
  p->o.handle = NULL;
  trim(p, 0, 0);
  drop_if_done(p);
}

static void free_block(SgAlloc *a, void *arg) {
  (void)arg;
  if (a->kind == SG_POOL) sg_arena_free(a);
}

void sg_pools_reset(void) {
  sg_arena_each(0, free_block, NULL);
  while (pools) {
    SgPool *p = pools;
    pools = p->next;
    if (p->o.handle) sg_handle_free(&p->o, false);
    free(p);
  }
  memset(of_device, 0, sizeof of_device);
}

bool sg_pool_standard(const SgObject *o) { return ((const SgPool *)o)->standard; }

uint32_t sg_pools_live(void) {
  uint32_t n = 0;
  for (const SgPool *p = pools; p; p = p->next) n += p->o.handle && !p->standard;
  return n;
}

uint64_t sg_pools_reserved(void) {
  uint64_t n = 0;
  for (const SgPool *p = pools; p; p = p->next) n += p->reserved;
  return n;
}

CUmemoryPool sg_pool_of(const SgAlloc *a) {
  return a->more ? ((const Block *)a->more)->pool->o.handle : NULL;
}

bool sg_pool_open_to(const SgAlloc *a, int device) {
  return a->more && ((const Block *)a->more)->pool->access[device] != CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

/* --- allocating --- */

/* Sizes are rounded so that blocks are found again by sizes close to theirs: eight steps per power of two. */
static uint64_t room_for(uint64_t n) {
  uint64_t unit = UNIT;
  if (n > 16 * UNIT) unit = max64(unit, (uint64_t)1 << (63 - __builtin_clzll(n - 1) - 3));
  return round_up(n, unit);
}

/* An idle block for n bytes, or NULL. One that waits serves the stream that freed it, for what was submitted
 * before comes first there; but it must not get shorter, for that earlier work's sake. */
static Block *idle_take(SgPool *p, uint64_t room, uint64_t n, const SgStream *s, bool *fresh) {
  int tries = TRIES;
  for (Block *b = *bucket_of(p, room); b && tries; b = b->next, tries--) {
    if (b->room != room || (b->wait && (b->wait->stream != s || n < b->a->size))) continue;
    *fresh = !b->wait;
    if (b->wait) wait_end(b, b->wait);
    idle_remove(b);
    return b;
  }
  return NULL;
}

static bool over(const SgPool *p, uint64_t room) {
  return p->most && (room > p->most || p->reserved > p->most - room);
}

/* A new block of `room` bytes, NULL if that is too much for the pool or the device. */
static Block *reserve(SgPool *p, uint64_t room, bool hard) {
  if (over(p, room)) trim(p, 0, p->most - (room < p->most ? room : p->most));
  if (over(p, room)) return NULL;
  Block *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  SgAlloc *a = hard ? sg_alloc_hard(p->device, room, SG_POOL, 0)
                    : sg_arena_alloc(p->device, room, sg_alloc_align(room), SG_POOL, 0, "");
  if (!a) {
    free(b);
    return NULL;
  }
  *b = (Block){.a = a, .pool = p, .room = room};
  a->more = b;
  p->reserved += room;
  p->reserved_high = max64(p->reserved_high, p->reserved);
  return b;
}

static CUresult pool_alloc(CUdeviceptr *out, uint64_t n, SgPool *p, const SgStream *s) {
  uint64_t free_bytes, total;
  sg_arena_info(p->device, &free_bytes, &total);
  if (n > total) return CUDA_ERROR_OUT_OF_MEMORY;
  bool fresh = false;
  uint64_t room = room_for(n);
  Block *b = idle_take(p, room, n, s, &fresh);
  p->out++; /* so that the pool outlives the wait below */
  if (!b) b = reserve(p, room, false);
  if (!b) b = reserve(p, round_up(n, UNIT), true);
  if (!b) {
    p->out--;
    drop_if_done(p);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  sg_arena_hold(b->a, n, fresh);
  p->used += n;
  p->used_high = max64(p->used_high, p->used);
  *out = b->a->base;
  return CUDA_SUCCESS;
}

/* Lets the work run whose end the oldest freed blocks wait for, if they have become too many. */
static void relieve(SgPool *p) {
  Block *b = p->oldest;
  while (b && !b->wait) b = b->newer;
  if (b && p->waiting > WAITING_MOST) (void)sg_stream_wait(b->wait->stream);
}

static CUresult alloc_async(CUdeviceptr *out, size_t n, CUmemoryPool pool, bool given, CUstream stream) {
  for (bool again = true;; again = false) {
    CUresult code;
    SgStream *s = sg_stream_get(stream, &code);
    if (!s) return code;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (!n) {
      *out = 0;
      return CUDA_SUCCESS;
    }
    if (s->branch) return sg_capture_refuse(s, "cuMemAllocAsync");
    code = sg_capture_unsafe(); /* in other streams too: measured on an H200, driver 580 */
    if (code) return code;
    SgPool *p = given ? pool_get(pool) : current_pool(s->o.ctx->device);
    if (!p) return given ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    if (!again || p->waiting <= WAITING_MOST) return pool_alloc(out, n, p, s);
    relieve(p); /* during which another thread may have destroyed pool or stream */
  }
}

SG_API CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, alloc_async(dptr, bytesize, NULL, false, hStream),
          "ptr=0x%llx bytes=%zu stream=0x%llx", SG_OUT(dptr), bytesize, SG_X(hStream));
}

SG_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                        CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, alloc_async(dptr, bytesize, pool, true, hStream),
          "ptr=0x%llx bytes=%zu pool=0x%llx stream=0x%llx", SG_OUT(dptr), bytesize, SG_X(pool),
          SG_X(hStream));
}

/* --- freeing --- */

static uint64_t free_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)op;
  (void)s;
  (void)code;
  return 100;
}

static void free_drop(SgOp *op) {
  FreeOp *f = (FreeOp *)op;
  while (f->blocks) {
    Block *b = f->blocks;
    SgPool *p = b->pool;
    wait_end(b, f);
    if (p->o.handle) continue;
    give_back(b);
    drop_if_done(p);
  }
}

static const SgOpType free_type = {.name = "free", .run = free_run, .drop = free_drop};

/* The program has it no more; the pool has. */
static void retire(Block *b, uint64_t until) {
  SgPool *p = b->pool;
  p->used -= b->a->size;
  p->out--;
  sg_arena_let_go(b->a, until);
  idle_add(b);
}

/* The program says that nothing uses the block any more. */
void sg_pool_free(SgAlloc *a) {
  Block *b = a->more;
  SgPool *p = b->pool;
  retire(b, 0);
  if (p->o.handle) return;
  give_back(b);
  drop_if_done(p);
}

CUresult sg_pool_free_async(SgAlloc *a, SgStream *s) {
  Block *b = a->more;
  uint64_t last = sg_stream_last();
  if (sg_stream_idle(s)) {
    sg_pool_free(a);
    return CUDA_SUCCESS;
  }
  /* A free that was the latest of all operations takes this block along. */
  FreeOp *f = s->tail && s->tail->type == &free_type && s->tail->seq == last ? (FreeOp *)s->tail : NULL;
  bool new = !f;
  if (new) {
    f = malloc(sizeof *f);
    if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
    *f = (FreeOp){{.type = &free_type}, s, NULL};
  }
  retire(b, last);
  wait_begin(b, f);
  return new ? sg_stream_submit(s, &f->op) : CUDA_SUCCESS;
}

/* --- exported: pools --- */

static CUresult pool_create(CUmemoryPool *out, const CUmemPoolProps *props) {
  if (!out || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (props->location.type == CU_MEM_LOCATION_TYPE_HOST ||
      props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(props->location.id)) return CUDA_ERROR_INVALID_VALUE;
  const unsigned exports = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_WIN32 |
                           CU_MEM_HANDLE_TYPE_WIN32_KMT | CU_MEM_HANDLE_TYPE_FABRIC;
  if ((unsigned)props->handleTypes & ~exports) return CUDA_ERROR_INVALID_VALUE;
  if (props->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
    sg_say(CU_LOG_LEVEL_ERROR, "The software device has no pools that can be exported to other processes");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  SgPool *p = standard_pool(props->location.id) ? pool_new(props->location.id, props->maxSize) : NULL;
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = p->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_create(pool, poolProps), "pool=0x%llx dev=%d", SG_OUT(pool),
          poolProps ? poolProps->location.id : -1);
}

static CUresult pool_destroy(CUmemoryPool h) {
  SgPool *p = pool_get(h);
  if (!p || p->standard) return CUDA_ERROR_INVALID_VALUE;
  pool_close(p);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_destroy(pool), "pool=0x%llx", SG_X(pool));
}

static CUresult pool_trim_to(CUmemoryPool h, size_t keep) {
  SgPool *p = pool_get(h);
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  trim(p, keep, keep);
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, pool_trim_to(pool, minBytesToKeep), "pool=0x%llx keep=%zu", SG_X(pool),
          minBytesToKeep);
}

static CUresult pool_set(CUmemoryPool h, CUmemPool_attribute attribute, const void *value) {
  SgPool *p = pool_get(h);
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
  const SgPool *p = pool_get(h);
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

/* Which devices may use the pool's memory: peer access between contexts has no part in it. */
static CUresult access_check(const SgPool *p, const CUmemAccessDesc *d) {
  if (d->location.type == CU_MEM_LOCATION_TYPE_HOST) return CUDA_ERROR_NOT_SUPPORTED;
  if (d->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  if (d->flags == CU_MEM_ACCESS_FLAGS_PROT_READ) return CUDA_ERROR_NOT_SUPPORTED;
  if (d->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && d->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return CUDA_ERROR_INVALID_VALUE;
  bool own = d->location.id == p->device;
  return !sg_device_valid(d->location.id) || (own && d->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
             ? CUDA_ERROR_INVALID_DEVICE
             : CUDA_SUCCESS;
}

static CUresult set_access(CUmemoryPool h, const CUmemAccessDesc *map, size_t count) {
  SgPool *p = pool_get(h);
  if (!p || !map) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    CUresult r = access_check(p, &map[i]);
    if (r) return r;
  }
  for (size_t i = 0; i < count; i++) p->access[map[i].location.id] = map[i].flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, set_access(pool, map, count), "pool=0x%llx count=%zu", SG_X(pool), count);
}

static CUresult get_access(CUmemAccess_flags *out, CUmemoryPool h, const CUmemLocation *l) {
  const SgPool *p = pool_get(h);
  if (!out || !p || !l) return CUDA_ERROR_INVALID_VALUE;
  if (l->type == CU_MEM_LOCATION_TYPE_HOST) {
    *out = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  }
  if (l->type != CU_MEM_LOCATION_TYPE_DEVICE || !sg_device_valid(l->id)) return CUDA_ERROR_INVALID_VALUE;
  *out = p->access[l->id];
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, get_access(flags, memPool, location), "pool=0x%llx flags=%llu",
          SG_X(memPool), SG_OUT(flags));
}

/* --- exported: the pools of a device --- */

typedef enum Which { STANDARD, CURRENT } Which;

static CUresult device_pool(CUmemoryPool *out, CUdevice dev, Which which) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return which == STANDARD ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  SgPool *p = which == STANDARD ? standard_pool(dev) : current_pool(dev);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = p->o.handle;
  return CUDA_SUCCESS;
}

static CUresult set_device_pool(CUdevice dev, CUmemoryPool h) {
  SgPool *p = sg_device_valid(dev) ? pool_get(h) : NULL;
  if (!p || p->device != dev) return CUDA_ERROR_INVALID_VALUE;
  of_device[dev].current = p;
  return CUDA_SUCCESS;
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

/* There are pools of device memory; of host and managed memory there are none here. */
static CUresult place_check(const CUmemLocation *l, CUmemAllocationType type) {
  if (!l || (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED))
    return CUDA_ERROR_INVALID_VALUE;
  bool device = l->type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (device && type == CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_SUCCESS;
  if (device || l->type == CU_MEM_LOCATION_TYPE_HOST || l->type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
      l->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ||
      (l->type == CU_MEM_LOCATION_TYPE_NONE && type == CU_MEM_ALLOCATION_TYPE_MANAGED))
    return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult place_pool(CUmemoryPool *out, const CUmemLocation *l, CUmemAllocationType type, Which which) {
  CUresult r = place_check(l, type);
  if (!r && !sg_device_valid(l->id)) r = CUDA_ERROR_INVALID_VALUE;
  return r ? r : device_pool(out, l->id, which);
}

static CUresult set_place_pool(const CUmemLocation *l, CUmemAllocationType type, CUmemoryPool h) {
  CUresult r = place_check(l, type);
  return r ? r : set_device_pool(l->id, h);
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
