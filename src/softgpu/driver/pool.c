/* Memory pools: allocation and freeing in the order of a stream.
 *
 * A pool reserves blocks of memory, each by itself (a GPU's driver in steps of 32 MiB). A freed
 * block stays reserved, so that the next allocation of its size costs nothing; what a pool keeps beyond its
 * release threshold goes back to the device at the next synchronising call. A block that was freed behind
 * work still queued waits for it: until then only the stream that freed it can have it again. */
#include "driver/pool.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 512, TRIES = 64 };
#define MOST_AT_ONCE ((uint64_t)1 << 45)   /* more than any pool has */
#define WAITING_MOST ((uint64_t)256 << 20) /* waiting bytes of a pool above which an allocation waits too */

typedef struct SgPoolBlock Block;
typedef struct FreeOp FreeOp;

struct SgPoolBlock {
  SgAlloc *a;
  SgPool *pool;
  uint64_t room; /* what it can give out */
  void *advice;  /* of managed memory (driver/managed.c) */
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

static SgPool *pools;
static struct { SgPool *standard, *current; } homes[SG_HOMES];

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
  sg_ipc_peer_drop(p->peer);
  free(p);
}

/* Gives an idle block that waits for nothing back to the device; its pool stays. */
static void give_back(Block *b) {
  idle_remove(b);
  b->pool->reserved -= b->room;
  sg_arena_free(b->a); /* which frees b, see sg_pool_forget */
}

void sg_pool_forget(SgAlloc *a) {
  Block *b = a->more;
  if (!b) return;
  free(b->advice);
  free(b);
  a->more = NULL;
}

void **sg_pool_advice(SgAlloc *a) { return &((Block *)a->more)->advice; }

void sg_pool_trim(SgPool *p, uint64_t keep, uint64_t below) {
  for (Block *b = p->oldest, *newer; b && p->reserved > below; b = newer) {
    newer = b->newer;
    if (!b->wait && p->reserved - b->room >= keep) give_back(b);
  }
}

void sg_pools_trim(int device) {
  for (SgPool *p = pools; p; p = p->next)
    if (p->device == device || p->kind == SG_POOL_HOST) sg_pool_trim(p, 0, 0);
}

void sg_pools_settle(int device) {
  for (SgPool *p = pools; p; p = p->next)
    if ((p->device == device || p->kind == SG_POOL_HOST) && p->reserved > p->threshold)
      sg_pool_trim(p, 0, p->threshold);
}

/* --- pools --- */

static SgKind kind_of(int home) {
  if (home < SG_HOME_MANAGED) return SG_POOL;
  return home == SG_HOME_HOST || home == SG_HOME_NUMA ? SG_POOL_HOST : SG_POOL_MANAGED;
}

SgPool *sg_pool_new(int home, uint64_t most) {
  SgPool *p = calloc(1, sizeof *p);
  if (!p || !sg_handle_new(SG_H_POOL, &p->o, NULL)) {
    free(p);
    return NULL;
  }
  p->home = home;
  p->kind = kind_of(home);
  p->device = home < SG_HOME_HOST ? home % SG_MAX_DEVICES : 0;
  p->most = most;
  p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
  for (int i = 0; i < SG_MAX_DEVICES; i++)
    if (p->kind == SG_POOL_MANAGED || (p->kind == SG_POOL && i == p->device))
      p->access[i] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  p->next = pools;
  pools = p;
  return p;
}

SgPool *sg_pool_standard_of(int home) {
  SgPool *p = homes[home].standard;
  if (p) return p;
  p = sg_pool_new(home, 0);
  if (!p) return NULL;
  p->standard = true;
  homes[home].standard = p;
  if (!homes[home].current) homes[home].current = p;
  return p;
}

SgPool *sg_pool_current_of(int home) { return sg_pool_standard_of(home) ? homes[home].current : NULL; }

void sg_pool_make_current(SgPool *p) { homes[p->home].current = p; }

SgPool *sg_pool_get(CUmemoryPool h) {
  CUresult code;
  return sg_handle_get(SG_H_POOL, h, &code);
}

/* All blocks must be idle or the program's, none waiting. */
void sg_pool_close(SgPool *p) {
  if (homes[p->home].current == p) homes[p->home].current = homes[p->home].standard;
  sg_handle_free(&p->o, false);
  p->o.handle = NULL;
  sg_pool_trim(p, 0, 0);
  drop_if_done(p);
}

static void free_block(SgAlloc *a, void *arg) {
  (void)arg;
  if (sg_is_pooled(a)) sg_arena_free(a);
}

void sg_pools_reset(void) {
  sg_arena_each(0, free_block, NULL);
  while (pools) {
    SgPool *p = pools;
    pools = p->next;
    if (p->o.handle) sg_handle_free(&p->o, false);
    sg_ipc_peer_drop(p->peer);
    free(p);
  }
  memset(homes, 0, sizeof homes);
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

SgPool *sg_pool_behind(const SgAlloc *a) {
  return sg_is_pooled(a) && a->more ? ((const Block *)a->more)->pool : NULL;
}

CUmemoryPool sg_pool_of(const SgAlloc *a) {
  const SgPool *p = sg_pool_behind(a);
  return p ? p->o.handle : NULL;
}

unsigned sg_pool_handle_types(const SgAlloc *a) {
  const SgPool *p = sg_pool_behind(a);
  return p ? p->handle_types : CU_MEM_HANDLE_TYPE_NONE;
}

bool sg_pool_open_to(const SgAlloc *a, int device) {
  const SgPool *p = sg_pool_behind(a);
  return a->kind == SG_POOL_MANAGED || (p && p->access[device] != CU_MEM_ACCESS_FLAGS_PROT_NONE);
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
  if (over(p, room)) sg_pool_trim(p, 0, p->most - (room < p->most ? room : p->most));
  if (over(p, room)) return NULL;
  Block *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  SgAlloc *a = hard ? sg_alloc_hard(p->device, room, p->kind, 0)
                    : sg_arena_alloc(p->device, room, sg_alloc_align(room), p->kind, 0, "");
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
  if (n > MOST_AT_ONCE) return CUDA_ERROR_OUT_OF_MEMORY;
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
    SgPool *p = given ? sg_pool_get(pool) : sg_pool_current_of(SG_HOME_DEVICE + s->o.ctx->device);
    if (!p) return given ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    if (p->imported) {
      *out = 0;
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (!again || p->waiting <= WAITING_MOST) return pool_alloc(out, n, p, s);
    relieve(p); /* during which another thread may have destroyed pool or stream */
  }
}

SG_API CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, alloc_async(dptr, bytesize, NULL, false, hStream),
          "ptr=0x%llx bytes=%zu stream=0x%llx", SG_OUT(dptr), bytesize, SG_X(hStream));
}

SG_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                        CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, alloc_async(dptr, bytesize, pool, true, hStream),
          "ptr=0x%llx bytes=%zu pool=0x%llx stream=0x%llx", SG_OUT(dptr), bytesize, SG_X(pool),
          SG_X(hStream));
}

/* --- freeing --- */

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

static const SgOpType free_type = {.name = "free", .lasts = SG_FREE_NS, .drop = free_drop};

/* The program has it no more; the pool has. */
static void retire(Block *b, uint64_t until) {
  SgPool *p = b->pool;
  p->used -= b->a->size;
  p->out--;
  sg_ipc_unexport(b->a);
  free(b->advice);
  b->advice = NULL;
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
