/* DeviceMemoryPool and PageLockedMemoryPool: freed blocks are kept by size, and handed out again.
 *
 * Sizes fall into bins, 16 to an octave, and a block has the size of the largest member of its bin; so at
 * most 1/16 is wasted. A block of device memory that several streams used is handed out again when all but
 * the stream that asks are done with it. */
#include "memory/pool.h"
#include "base/state.h"
#include "streams/capture.h"
#include "base/lock.h"
#include "memory/collect.h"

#include <stdlib.h>
#include <string.h>

/* --- bins --- */

static uint32_t bin_of(uint64_t size) {
  uint32_t exponent = 63 - (uint32_t)__builtin_clzll(size | 1);
  uint64_t mantissa = exponent > CL_MANTISSA_BITS ? size >> (exponent - CL_MANTISSA_BITS)
                                                  : size << (CL_MANTISSA_BITS - exponent);
  return exponent << CL_MANTISSA_BITS | (mantissa & ((1u << CL_MANTISSA_BITS) - 1));
}

static uint64_t size_of(uint32_t bin) {
  uint32_t exponent = bin >> CL_MANTISSA_BITS;
  uint64_t head = (1u << CL_MANTISSA_BITS) | (bin & ((1u << CL_MANTISSA_BITS) - 1));
  if (exponent <= CL_MANTISSA_BITS) return head >> (CL_MANTISSA_BITS - exponent);
  uint32_t shift = exponent - CL_MANTISSA_BITS;
  return ((head + 1) << shift) - 1;
}

static cl_Pool *check_any(lua_State *L);

/* These two need no pool: pool:bin_number(size) and DeviceMemoryPool.bin_number(size) are the same. */
static int argument(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) return 1;
  check_any(L);
  return 2;
}

/* bin_number(size) -> number */
int cl_pool_bin_number(lua_State *L) {
  uint64_t size = cl_check_bytes(L, argument(L), "size");
  lua_pushnumber(L, bin_of(size));
  return 1;
}

/* alloc_size(bin) -> bytes of a block in that bin */
int cl_pool_alloc_size(lua_State *L) {
  long bin = cl_check_int(L, argument(L), "bin", 0, CL_BINS - 1);
  lua_pushnumber(L, (lua_Number)size_of((uint32_t)bin));
  return 1;
}

/* --- blocks; the lock guards all pools' bins and counts, and their list --- */

CL_LOCK(lock);
static cl_Pool *list;

static bool on_host(const cl_Pool *p) { return p->rec.kind == CL_HOST_POOL; }
static cl_Class held_class(const cl_Pool *p) { return on_host(p) ? CL_BYTES_PINNED_HELD : CL_BYTES_HELD; }

/* The memory that goes with this block, whose it is no more; 0: that of others goes on. */
static CUdeviceptr leave_slab(cl_Block *b) {
  cl_Slab *slab = b->slab;
  b->slab = NULL;
  const CUdeviceptr device = slab->device;
  if (--slab->blocks) return 0;
  free(slab);
  return device;
}

static CUresult driver_free(const cl_Pool *p, cl_Block *b) {
  if (on_host(p)) return CU.cuMemFreeHost((void *)b->address);
  const CUdeviceptr device = b->slab ? leave_slab(b) : b->device;
  return device ? CU.cuMemFree_v2(device) : CUDA_SUCCESS;
}

static void count_held(cl_Pool *p, const cl_Block *b, int sign) {
  int64_t bytes = sign * (int64_t)size_of(b->bin);
  p->held_blocks += (uint64_t)(int64_t)sign;
  p->held_bytes += (uint64_t)bytes;
  cl_account_shift(held_class(p), bytes, sign);
}

static void drop_block(const cl_Pool *p, cl_Block *b) {
  cl_order_close(&b->order, cl_rec_context(p->rec.parent));
  if (b->slab) leave_slab(b);
  free(b->record);
  free(b);
}

static void hold(cl_Pool *p, cl_Block *b) { /* locked */
  b->next = p->bins[b->bin];
  p->bins[b->bin] = b;
  count_held(p, b, 1);
}

static void unlink_held(cl_Pool *p, cl_Block **at) { /* locked */
  cl_Block *b = *at;
  *at = b->next;
  count_held(p, b, -1);
}

/* The largest of what is held. */
static cl_Block *take_largest(cl_Pool *p) {
  cl_Block *b = NULL;
  pthread_mutex_lock(&lock);
  for (uint32_t bin = CL_BINS; bin-- > 0 && p->held_blocks && !b;)
    if (p->bins[bin]) {
      b = p->bins[bin];
      unlink_held(p, &p->bins[bin]);
      p->managed_bytes -= size_of(bin);
    }
  pthread_mutex_unlock(&lock);
  return b;
}

/* Gives a block back to the driver, which waits for all work on it. */
static CUresult release_block(cl_Pool *p, cl_Block *b) {
  CUcontext mine = (CUcontext)cl_rec_context(p->rec.parent)->rec.handle, current = NULL, popped;
  CUstreamCaptureMode mode = cl_relax();
  CU.cuCtxGetCurrent(&current);
  CUresult code = current == mine ? CUDA_SUCCESS : CU.cuCtxPushCurrent_v2(mine);
  if (!code) {
    code = driver_free(p, b);
    if (current != mine) CU.cuCtxPopCurrent_v2(&popped);
  }
  cl_unrelax(mode);
  drop_block(p, b);
  return code;
}

static CUresult free_held(cl_Pool *p) {
  CUresult first = CUDA_SUCCESS;
  for (cl_Block *b; (b = take_largest(p));) {
    CUresult code = release_block(p, b);
    if (!first) first = code;
  }
  return first;
}

/* A block of the bin that s may use now, or of host memory, that everybody is done with. While something is
 * being captured none is: the work of a graph is in nobody's order. */
static cl_Block *take(cl_Pool *p, uint32_t bin, cl_Stream *s) {
  cl_Block *found = NULL, *lost = NULL;
  if (cl_captures && !on_host(p)) return NULL;
  pthread_mutex_lock(&lock);
  for (cl_Block **at = &p->bins[bin]; *at && !found;) {
    cl_Block *b = *at;
    bool known = on_host(p) || cl_order_known(&b->order);
    if (known && !cl_order_done(&b->order, cl_rec_context(p->rec.parent), s)) {
      at = &b->next;
      continue;
    }
    unlink_held(p, at);
    if (known)
      found = b;
    else { /* nothing tells when it is free: the driver waits for it */
      p->managed_bytes -= size_of(b->bin);
      b->next = lost;
      lost = b;
    }
  }
  pthread_mutex_unlock(&lock);
  for (cl_Block *next; lost; lost = next) {
    next = lost->next;
    release_block(p, lost);
  }
  return found;
}

/* --- allocating --- */

typedef struct Request {
  cl_Pool *pool;
  cl_Stream *stream; /* NULL for host memory */
  uint32_t bin;
  bool unseen;     /* captures that are under way need not notice */
  cl_Block *block; /* that was found or made */
} Request;

static CUresult driver_alloc(const cl_Pool *p, cl_Block *b) {
  cl_tie_up();
  if (!on_host(p)) {
    CUresult code = CU.cuMemAlloc_v2(&b->device, size_of(b->bin));
    b->address = b->device;
    return code;
  }
  void *host = NULL;
  CUresult code = CU.cuMemHostAlloc(&host, size_of(b->bin), p->flags);
  b->address = (uint64_t)(uintptr_t)host;
  if (!code && CU.cuMemHostGetDevicePointer_v2(&b->device, host, 0)) cl_log_clear();
  return code;
}

/* Gives back what is held, the largest blocks first, until so many bytes went or nothing is left. */
static bool make_room(cl_Pool *p, uint64_t bytes) {
  uint64_t freed = 0;
  for (cl_Block *b; freed < bytes && (b = take_largest(p));) {
    freed += size_of(b->bin);
    release_block(p, b);
  }
  return freed > 0;
}

/* Where the driver has no memory, what is held of other sizes goes to it: the largest block, which often is
 * enough, then as much as is asked for. It is asked a few times only: it takes long to find out that it has
 * no memory, and holds up other processes meanwhile. */
static CUresult make(Request *q) {
  cl_Block *b = calloc(1, sizeof *b);
  if (!b) return CUDA_ERROR_OUT_OF_MEMORY;
  b->bin = q->bin;
  uint64_t room = 1;
  CUresult code;
  while ((code = driver_alloc(q->pool, b)) == CUDA_ERROR_OUT_OF_MEMORY && make_room(q->pool, room))
    room = size_of(b->bin);
  if (code) {
    free(b);
    return code;
  }
  q->block = b;
  pthread_mutex_lock(&lock);
  q->pool->managed_bytes += size_of(b->bin);
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

static CUresult ask(void *arg) {
  Request *q = arg;
  if (q->stream && !cl_rec_live(&q->stream->rec))
    return CUDA_ERROR_INVALID_HANDLE; /* a finalizer closed it */
  q->block = take(q->pool, q->bin, q->stream);
  if (q->block) return CUDA_SUCCESS;
  if (!q->unseen) return make(q);
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = make(q);
  cl_unrelax(mode);
  return code;
}

static cl_Pool *check_pool(lua_State *L, cl_Kind kind) {
  return (cl_Pool *)((const cl_Object *)cl_check(L, 1, kind))->rec;
}

static void fill(lua_State *L, cl_Pooled *a, cl_Block *b, uint64_t bytes) {
  if (cl_driver()->soft && !b->slab) cl_say_block(b->address, bytes, cl_here(L));
  a->block = b;
  a->a.origin = CL_BLOCK;
  a->a.size = bytes;
  a->a.rec.handle = b->address;
  a->a.order = b->order;
  b->order = (cl_Order){0};
  a->a.rec.tracks = true;
}

/* unseen: also while something is captured. */
static int allocate(lua_State *L, cl_Kind pool_kind, cl_Kind kind, const char *what, bool unseen) {
  cl_Pool *pool = check_pool(L, pool_kind);
  uint64_t bytes = cl_check_allocation(L, 2);
  if (bytes == 0) cl_logic(L, "%s: cannot allocate 0 bytes", what);
  if (!unseen) cl_refuse_in_capture(L, what);
  if (cl_pressure(L)) check_pool(L, pool_kind);
  cl_Context *ctx = cl_rec_context(pool->rec.parent);
  if (cl_current(L) != (CUcontext)ctx->rec.handle)
    cl_logic(L, "%s: the pool's context is not current; use ctx:push() or ctx:with()", what);
  Request q = {.pool = pool, .bin = bin_of(bytes), .unseen = unseen};
  if (!on_host(pool)) q.stream = cl_check_stream(L, 3, what, ctx);

  cl_MemoryObject *m = cl_push(L, kind, sizeof *m);
  cl_Pooled *a = (cl_Pooled *)cl_rec_new(kind, sizeof *a, &ctx->rec);
  if (!a) luaL_error(L, "not enough memory");
  m->o.rec = &a->a.rec;
  a->pool = (cl_Pool *)cl_rec_retain(&pool->rec);
  CUresult code = cl_allocate(L, ask, &q);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) cl_log_clear(); /* what the driver said has the block's size */
  if (code) cl_fail_memory(L, on_host(pool) ? "cuMemHostAlloc" : "cuMemAlloc_v2", code, bytes);
  free(q.block->record);
  q.block->record = NULL;
  fill(L, a, q.block, bytes);
  m->size = bytes;
  m->address = q.block->device;
  if (q.stream && !a->a.order.home) cl_order_open(&a->a.order, q.stream);
  pthread_mutex_lock(&lock);
  pool->active_blocks++;
  pool->active_bytes += bytes;
  pthread_mutex_unlock(&lock);
  cl_account(&a->a.rec, on_host(pool) ? CL_BYTES_PINNED : CL_BYTES_POOLED, size_of(q.bin));
  a->a.rec.life = CL_LIVE;
  return 1;
}

/* pool:allocate(bytes [, stream]) -> PooledDeviceAllocation */
int cl_device_pool_allocate(lua_State *L) {
  return allocate(L, CL_DEVICE_POOL, CL_POOLED, "DeviceMemoryPool:allocate", false);
}

/* Holds more blocks of the bin, for work in s. False: it is not for slabs, or there is no memory at hand. */
static bool make_slab(cl_Pool *p, uint32_t bin, cl_Stream *s) {
  enum { LARGEST = 4096, BYTES = 1 << 16, ALIGNMENT = 512 }; /* of textures */
  if (!p->slabs || size_of(bin) > LARGEST) return false;
  const uint64_t size = (size_of(bin) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  cl_Slab *slab = calloc(1, sizeof *slab);
  cl_Block *first = NULL;
  cl_tie_up();
  if (!slab || CU.cuMemAlloc_v2(&slab->device, BYTES)) {
    cl_log_clear();
    free(slab);
    return false;
  }
  for (uint64_t at = BYTES / size; at--;) {
    cl_Block *b = calloc(1, sizeof *b);
    if (!b) continue;
    b->address = b->device = slab->device + at * size;
    b->bin = bin;
    b->slab = slab;
    cl_order_open(&b->order, s);
    b->next = first;
    first = b;
    slab->blocks++;
  }
  if (!first) {
    CU.cuMemFree_v2(slab->device);
    free(slab);
    return false;
  }
  pthread_mutex_lock(&lock);
  p->managed_bytes += slab->blocks * size_of(bin);
  for (cl_Block *b; (b = first);) {
    first = b->next;
    hold(p, b);
  }
  pthread_mutex_unlock(&lock);
  return true;
}

/* none: nothing is held of this size at all. */
static cl_Block *take_ready(cl_Pool *p, uint32_t bin, uint64_t bytes, const cl_Stream *s, bool *none) {
  pthread_mutex_lock(&lock);
  cl_Block *b = p->bins[bin];
  *none = !b;
  if (!b || b->order.home != s || b->order.nuses || !(b->record || (b->record = malloc(sizeof *b->record)))) {
    pthread_mutex_unlock(&lock);
    return NULL;
  }
  p->bins[bin] = b->next;
  p->held_blocks--;
  p->held_bytes -= size_of(bin);
  p->active_blocks++;
  p->active_bytes += bytes;
  pthread_mutex_unlock(&lock);
  return b;
}

cl_Pooled *cl_pool_ready(lua_State *L, cl_Pool *p, uint64_t bytes, cl_Stream *s) {
  const uint32_t bin = bin_of(bytes);
  if (cl_captures) return NULL;
  bool none;
  cl_Block *b = take_ready(p, bin, bytes, s, &none);
  if (none && make_slab(p, bin, s)) b = take_ready(p, bin, bytes, s, &none);
  if (!b) return NULL;
  cl_Pooled *a = b->record;
  b->record = NULL;
  cl_rec_open(&a->a.rec, CL_POOLED, sizeof *a, p->rec.parent);
  a->pool = (cl_Pool *)cl_rec_retain(&p->rec);
  fill(L, a, b, bytes);
  cl_account_from(&a->a.rec, CL_BYTES_POOLED, size_of(bin), CL_BYTES_HELD);
  a->a.rec.life = CL_LIVE;
  return a;
}

/* array_allocate(pool, bytes): memory of an array for work in the current stream. While that is captured it
 * is not a node of the graph, which keeps it. Nil: the pool's context is not the current one. */
int cl_array_allocate(lua_State *L) {
  lua_settop(L, 2);
  const cl_Object *o = cl_to_kind(L, 1, CL_DEVICE_POOL);
  if (!o || !cl_rec_live(o->rec)) return 0;
  cl_Pool *pool = (cl_Pool *)o->rec;
  const cl_Context *ctx = cl_rec_context(&pool->rec);
  const uint64_t bytes = cl_check_allocation(L, 2);
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  if (current != (CUcontext)ctx->rec.handle) return 0;
  if (bytes && cl_pressure_none(L)) {
    cl_MemoryObject *m = cl_push(L, CL_POOLED, sizeof *m); /* may collect: looks at everything again */
    CL_TRY(L, cuCtxGetCurrent, &current);
    cl_Pooled *a = cl_rec_live(&pool->rec) && current == (CUcontext)ctx->rec.handle
                       ? cl_pool_ready(L, pool, bytes, cl_current_stream(L, "array", ctx))
                       : NULL;
    if (a) {
      m->o.rec = &a->a.rec;
      m->address = a->block->device;
      m->size = bytes;
      return 1;
    }
    lua_settop(L, 2);
  }
  return allocate(L, CL_DEVICE_POOL, CL_POOLED, "array", true);
}

/* host_pool_allocate(pool, bytes) -> PooledHostAllocation */
int cl_host_pool_allocate(lua_State *L) {
  return allocate(L, CL_HOST_POOL, CL_POOLED_HOST, "PageLockedMemoryPool:allocate", false);
}

/* --- giving back --- */

/* Takes the block out of the allocation, which is freed; NULL where it is gone already. */
static cl_Block *leave(cl_Pooled *a) { /* locked */
  cl_Block *b = a->block;
  if (!b) return NULL;
  a->block = NULL;
  b->order = a->a.order;
  a->a.order = (cl_Order){0};
  a->pool->active_blocks--;
  a->pool->active_bytes -= a->a.size;
  return b;
}

static void say_kept(const cl_Pooled *a) { /* before anybody else can have the block */
  const cl_Block *b = a->block;
  if (cl_driver()->soft && b && !b->slab) cl_say_block(b->address, 0, a->a.rec.closed_at);
}

static bool pool_stopped(const cl_Rec *r) { return ((const cl_Pooled *)r)->pool->stopped; }

static CUresult block_destroy(cl_Rec *r) {
  cl_Pooled *a = (cl_Pooled *)r;
  cl_Pool *p = a->pool;
  say_kept(a);
  pthread_mutex_lock(&lock);
  cl_Block *b = leave(a);
  bool keep = !p->stopped;
  if (b && keep) hold(p, b);
  if (b && !keep) p->managed_bytes -= size_of(b->bin);
  pthread_mutex_unlock(&lock);
  return b && !keep ? release_block(p, b) : CUDA_SUCCESS;
}

/* What cl_rec_release() does with the last reference to a block that is simply held again: its record is kept
 * with it. False: that is not so. */
static bool take_back(cl_Rec *r) {
  cl_Pooled *a = (cl_Pooled *)r;
  cl_Rec *parent = r->parent;
  cl_Pool *p = a->pool;
  if (cl_forked || r->refs != 1 || r->life != CL_LIVE || !a->block || p->stopped) return false;
  if (!cl_closing_enter()) return false;
  const bool usual = cl_rec_live(&p->rec) && !cl_poison[cl_rec_context(parent)->device];
  if (usual) {
    r->life = CL_CLOSED;
    cl_unaccount_to(r, CL_BYTES_HELD);
    say_kept(a);
    pthread_mutex_lock(&lock);
    cl_Block *b = leave(a);
    b->record = a;
    b->next = p->bins[b->bin];
    p->bins[b->bin] = b;
    p->held_blocks++;
    p->held_bytes += size_of(b->bin);
    pthread_mutex_unlock(&lock);
  }
  cl_closing_leave();
  if (!usual) return false;
  cl_rec_release(parent);
  cl_rec_release(&p->rec);
  return true;
}

/* The finalizer of PooledDeviceAllocation. */
int cl_pooled_gc(lua_State *L) {
  cl_Object *o = cl_to(L, 1);
  if (!o || o->kind != CL_POOLED || !o->rec) return cl_object_gc(L);
  if (!take_back(o->rec)) return cl_object_gc(L);
  o->rec = NULL;
  cl_collected++;
  return 0;
}

/* With its block still there: the context is gone, or nothing can be called any more. */
static void block_dispose(cl_Rec *r) {
  cl_Pooled *a = (cl_Pooled *)r;
  if (!a->pool) return;
  pthread_mutex_lock(&lock);
  cl_Block *b = leave(a);
  if (b) a->pool->managed_bytes -= size_of(b->bin);
  pthread_mutex_unlock(&lock);
  if (b) drop_block(a->pool, b);
  cl_order_close(&a->a.order, cl_rec_context(r));
  cl_rec_release(&a->pool->rec);
}

CL_FAMILY(CL_POOLED, .destroy = block_destroy, .dispose = block_dispose, .busy = pool_stopped);
CL_FAMILY(CL_POOLED_HOST, .destroy = block_destroy, .dispose = block_dispose, .busy = pool_stopped);

int cl_pooled_free(lua_State *L) {
  cl_Pooled *a = (cl_Pooled *)((const cl_Object *)cl_check_to_close(L, 1, CL_POOLED))->rec;
  if (a->a.captured) cl_memory_before_free(L, &a->a, NULL, "free");
  CUresult code = cl_rec_close_here(L, &a->a.rec);
  if (code) cl_fail(L, "cuMemFree_v2", code);
  cl_object_retire(L, 1);
  return 0;
}

/* array_release(memory [, spare]): the same where nobody asks where that was. spare: memory that a graph has,
 * or that was freed, is left as it is. */
int cl_array_release(lua_State *L) {
  if (lua_toboolean(L, 2)) {
    const cl_Object *o = cl_to_kind(L, 1, CL_POOLED);
    cl_Rec *r = o ? o->rec : NULL;
    if (!r || (r->life != CL_LOST && !cl_rec_live(r)) || ((const cl_Pooled *)r)->a.captured) return 0;
  }
  cl_Pooled *a = (cl_Pooled *)((const cl_Object *)cl_check_to_close(L, 1, CL_POOLED))->rec;
  if (cl_driver()->soft) a->a.rec.closed_at = cl_here(L);
  if (!a->a.captured && cl_object_give(L, 1, take_back)) return 0;
  return cl_pooled_free(L);
}

/* Copies that still use it come first: a block is handed out again at once. */
int cl_pooled_host_free(lua_State *L) {
  const cl_Pooled *a = (const cl_Pooled *)((const cl_Object *)cl_check(L, 1, CL_POOLED_HOST))->rec;
  if (a->a.captured) cl_memory_before_free(L, &a->a, NULL, "free");
  cl_anchors_wait(L);
  return cl_close_method(L, CL_POOLED_HOST, "cuMemFreeHost");
}

/* --- pools --- */

static int new_pool(lua_State *L, cl_Kind kind, unsigned flags, bool slabs) {
  cl_Pool *p = cl_push_in_current(L, kind, sizeof(cl_Object), sizeof *p);
  p->flags = flags;
  p->slabs = slabs;
  pthread_mutex_lock(&lock);
  p->next = list;
  list = p;
  pthread_mutex_unlock(&lock);
  p->rec.life = CL_LIVE;
  cl_account(&p->rec, CL_BYTES_NONE, 0);
  return 1;
}

/* device_pool([slabs]) -> DeviceMemoryPool in the current context. slabs: small blocks lie in one piece of
 * memory, many of them; for those who know their own way around. */
int cl_device_pool(lua_State *L) {
  const bool slabs = lua_toboolean(L, 1);
  return new_pool(L, CL_DEVICE_POOL, 0, slabs);
}

/* host_pool(flags) -> PageLockedMemoryPool in the current context */
int cl_host_pool(lua_State *L) {
  return new_pool(L, CL_HOST_POOL, (unsigned)cl_check_flags(L, 1, "mem_flags", "host_alloc_flags", -1),
                  false);
}

static CUresult pool_destroy(cl_Rec *r) {
  ((cl_Pool *)r)->stopped = true;
  return free_held((cl_Pool *)r);
}

/* What it keeps is gone, or out of reach. */
static void pool_abandon(cl_Rec *r) {
  cl_Pool *p = (cl_Pool *)r;
  for (cl_Block *b; (b = take_largest(p));) drop_block(p, b);
}

static void pool_dispose(cl_Rec *r) {
  pool_abandon(r);
  pthread_mutex_lock(&lock);
  for (cl_Pool **p = &list; *p; p = &(*p)->next)
    if (&(*p)->rec == r) {
      *p = (*p)->next;
      break;
    }
  pthread_mutex_unlock(&lock);
}

CL_FAMILY(CL_DEVICE_POOL, .destroy = pool_destroy, .dispose = pool_dispose, .abandon = pool_abandon);
CL_FAMILY(CL_HOST_POOL, .destroy = pool_destroy, .dispose = pool_dispose, .abandon = pool_abandon);

/* One that keeps something, retained. */
static cl_Pool *find_holding(void) {
  cl_Pool *found = NULL;
  pthread_mutex_lock(&lock);
  for (cl_Pool *p = list; p && !found; p = p->next)
    if (p->held_blocks && cl_rec_live(&p->rec) && cl_rec_retain_if(&p->rec)) found = p;
  pthread_mutex_unlock(&lock);
  return found;
}

static void free_all_held(void) {
  for (cl_Pool *p; (p = find_holding());) {
    free_held(p);
    cl_rec_release(&p->rec);
  }
}
CL_HOOK(cl_on_memory_short, 1, free_all_held);

static cl_Pool *check_any(lua_State *L) {
  cl_Object *o = cl_to_kind(L, 1, CL_HOST_POOL);
  return check_pool(L, o ? CL_HOST_POOL : CL_DEVICE_POOL);
}

int cl_pool_free_held(lua_State *L) {
  CUresult code = free_held(check_any(L));
  if (code) cl_fail(L, "cuMemFree_v2", code);
  return 0;
}

int cl_pool_stop_holding(lua_State *L) {
  check_any(L)->stopped = true;
  return cl_pool_free_held(L);
}

int cl_pool_close(lua_State *L) {
  const cl_Pool *p = check_any(L);
  return cl_close_method(L, p->rec.kind, on_host(p) ? "cuMemFreeHost" : "cuMemFree_v2");
}

/* Statistics are fields: pool.held_blocks. Upvalue 1: the methods. */
int cl_pool_index(lua_State *L) {
  if (cl_push_method(L)) return 1;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  const cl_Object *o = cl_to(L, 1);
  if (!o || (o->kind != CL_DEVICE_POOL && o->kind != CL_HOST_POOL)) return 0;
  const struct {
    const char *key;
    size_t at;
  } fields[] = {{"held_blocks", offsetof(cl_Pool, held_blocks)},
                {"held_bytes", offsetof(cl_Pool, held_bytes)},
                {"active_blocks", offsetof(cl_Pool, active_blocks)},
                {"active_bytes", offsetof(cl_Pool, active_bytes)},
                {"managed_bytes", offsetof(cl_Pool, managed_bytes)}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!strcmp(key, fields[i].key)) {
      const cl_Pool *p = check_any(L);
      pthread_mutex_lock(&lock);
      uint64_t value = *(const uint64_t *)((const char *)p + fields[i].at);
      pthread_mutex_unlock(&lock);
      lua_pushnumber(L, (lua_Number)value);
      return 1;
    }
  return cl_class_index(L);
}
