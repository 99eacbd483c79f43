/* Device memory: DeviceAllocation owns it, DevicePointer is a view into an allocation or a module's
 * variable (and holds it), or a bare address that the user vouches for. */
#include "memory/memory.h"
#include "streams/capture.h"
#include "base/lock.h"
#include "memory/mempool.h"
#include "memory/collect.h"
#include "streams/wait.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* --- imported memory --- */

/* A driver gives the same address to whoever imports a block again, and the first free ends it: so each has
 * one owner. */
CL_LOCK(imports_lock);
static cl_Allocation *imports;

/* One whose context is gone is never freed. */
static bool owns(const cl_Allocation *a, uint64_t address) {
  return a->rec.handle == address && cl_rec_live(a->rec.parent);
}

/* False: another allocation of this process owns the address. */
static bool import_begin(cl_Allocation *a) {
  pthread_mutex_lock(&imports_lock);
  const cl_Allocation *other = imports;
  while (other && !owns(other, a->rec.handle)) other = other->next_import;
  if (!other) {
    a->origin = CL_IMPORT;
    a->next_import = imports;
    imports = a;
  }
  pthread_mutex_unlock(&imports_lock);
  return !other;
}

static void import_end(cl_Allocation *a) {
  if (a->origin != CL_IMPORT) return;
  pthread_mutex_lock(&imports_lock);
  cl_Allocation **at = &imports;
  while (*at && *at != a) at = &(*at)->next_import;
  if (*at) *at = a->next_import;
  pthread_mutex_unlock(&imports_lock);
}

/* --- giving back --- */

/* In the order of the home stream, after everybody else's work. Where that cannot be had, by waiting:
 * cuMemFree alone does not wait for the work on such a block. */
static CUresult free_in_order(const cl_Allocation *a) {
  cl_Stream *s = cl_order_stream(&a->order);
  CUresult code = cl_order_join(&a->order, s);
  if (!code) code = CU.cuMemFreeAsync(a->rec.handle, cl_stream_handle(s));
  if (!code || cl_code_sticky(code)) return code;
  cl_log_clear();
  code = cl_wait_context_anyway();
  return code ? code : CU.cuMemFree_v2(a->rec.handle);
}

static CUresult destroy(cl_Rec *r) {
  cl_Allocation *a = (cl_Allocation *)r;
  if (a->peers) cl_contexts_wait(a->peers, NULL);
  import_end(a);
  if (!r->tracks) return CU.cuMemFree_v2(r->handle);
  CUcontext mine = (CUcontext)cl_rec_context(r)->rec.handle, current = NULL, popped;
  CU.cuCtxGetCurrent(&current);
  CUresult code = current == mine ? CUDA_SUCCESS : CU.cuCtxPushCurrent_v2(mine);
  if (code) return code;
  bool capturing = cl_captures;
  CUstreamCaptureMode mode = capturing ? cl_relax() : CU_STREAM_CAPTURE_MODE_GLOBAL;
  code = free_in_order(a);
  if (capturing) cl_unrelax(mode);
  if (current != mine) CU.cuCtxPopCurrent_v2(&popped);
  return code;
}

static void dispose(cl_Rec *r) {
  cl_Allocation *a = (cl_Allocation *)r;
  import_end(a);
  cl_order_close(&a->order, cl_rec_context(r));
}

/* A free belongs into no capture, and the order of a stream that was closed may be unknown. */
static bool busy(const cl_Rec *r) {
  return cl_captures || !cl_order_known(&((const cl_Allocation *)r)->order);
}

static bool held_back(const cl_Rec *r) {
  return cl_captures && ((const cl_Allocation *)r)->origin == CL_ASYNC;
}

/* Memory of the driver's pools is of no context. */
static bool outlives(const cl_Rec *r) { return r->tracks; }

CL_FAMILY(CL_ALLOCATION, .destroy = destroy, .dispose = dispose, .busy = busy, .held_back = held_back,
          .outlives = outlives);

/* Launches of a graph are in streams that the block does not know. */
void cl_memory_before_free(lua_State *L, const cl_Allocation *a, const cl_Stream *s, const char *call) {
  if (cl_captures && s) {
    if (cl_capture_id(s))
      cl_logic(L, "%s is not possible in a stream that is being captured: free it after the capture", call);
    cl_capture_check(L, s, call);
  }
  if (!a->captured) return;
  cl_refuse_wait(L, call, cl_rec_context((cl_Rec *)a->rec.parent));
  CL_TRY_WAIT(L, cuCtxSynchronize, cl_wait_context(L));
}

/* --- allocating --- */

typedef struct Request {
  CUdeviceptr p;
  uint64_t bytes;
  const cl_Stream *stream;
  const cl_Rec *pool; /* NULL: the device's current one */
} Request;

static CUresult ask(void *arg) {
  Request *q = arg;
  cl_tie_up();
  return CU.cuMemAlloc_v2(&q->p, q->bytes);
}

/* Between two attempts finalizers may have closed anything. */
static CUresult ask_async(void *arg) {
  Request *q = arg;
  CUstream s = cl_stream_handle(q->stream);
  if (!cl_rec_live(&q->stream->rec) || (q->pool && !cl_rec_live(q->pool))) return CUDA_ERROR_INVALID_HANDLE;
  return q->pool ? CU.cuMemAllocFromPoolAsync(&q->p, q->bytes, (CUmemoryPool)q->pool->handle, s)
                 : CU.cuMemAllocAsync(&q->p, q->bytes, s);
}

static cl_Allocation *push_allocation(lua_State *L, uint64_t bytes, cl_MemoryObject **m) {
  *m = cl_push(L, CL_ALLOCATION, sizeof **m);
  cl_Context *c = cl_context_current(L);
  cl_Allocation *a = (cl_Allocation *)cl_rec_new(CL_ALLOCATION, sizeof *a, NULL);
  if (!a) {
    cl_rec_release(&c->rec);
    luaL_error(L, "not enough memory");
  }
  a->rec.parent = &c->rec; /* whose reference it takes */
  (*m)->o.rec = &a->rec;
  a->size = bytes;
  return a;
}

static int made(cl_Allocation *a, cl_MemoryObject *m, CUdeviceptr p, cl_Class k) {
  a->rec.handle = m->address = p;
  m->size = a->size;
  cl_account(&a->rec, k, a->size);
  atomic_store_explicit(&a->rec.life, CL_LIVE, memory_order_release);
  return 1;
}

/* mem_alloc(bytes) -> DeviceAllocation in the current context */
int cl_mem_alloc(lua_State *L) {
  Request q = {.bytes = cl_check_allocation(L, 1)};
  if (q.bytes == 0) cl_logic(L, "mem_alloc: cannot allocate 0 bytes");
  cl_refuse_in_capture(L, "mem_alloc");
  cl_pressure(L);
  cl_MemoryObject *m;
  cl_Allocation *a = push_allocation(L, q.bytes, &m);
  a->rec.waits = true;
  CUresult code = cl_allocate(L, ask, &q);
  if (code) cl_fail_memory(L, "cuMemAlloc_v2", code, q.bytes);
  return made(a, m, q.p, CL_BYTES_PLAIN);
}

static int alloc_async(lua_State *L, int bytes, const char *name, const cl_Rec *pool) {
  Request q = {.bytes = cl_check_allocation(L, bytes), .pool = pool};
  if (q.bytes == 0) cl_logic(L, "%s: cannot allocate 0 bytes", name);
  lua_settop(L, bytes + 1);
  cl_refuse_in_capture(L, name);
  if (cl_pressure(L) && pool) cl_check(L, 1, CL_MEMPOOL);
  cl_MemoryObject *m;
  cl_Allocation *a = push_allocation(L, q.bytes, &m);
  cl_Context *c = cl_rec_context(&a->rec);
  cl_Stream *s = cl_check_stream(L, bytes + 1, name, c);
  if (__builtin_expect(cl_captures != 0, 0) && cl_capture_id(s))
    cl_logic(L, "%s is not possible in a stream that is being captured: allocate before the capture", name);
  if (__builtin_expect(!c->pool_ready, 0)) cl_mempool_prepare(c);
  a->origin = CL_ASYNC;
  a->rec.tracks = true;
  cl_order_open(&a->order, s);
  q.stream = s;
  CUresult code = cl_allocate(L, ask_async, &q);
  if (code) cl_fail_memory(L, pool ? "cuMemAllocFromPoolAsync" : "cuMemAllocAsync", code, q.bytes);
  return made(a, m, q.p, CL_BYTES_ASYNC);
}

/* mem_alloc_async(bytes [, stream]) -> DeviceAllocation from the device's current pool */
int cl_mem_alloc_async(lua_State *L) { return alloc_async(L, 1, "mem_alloc_async", NULL); }

/* pool:alloc(bytes [, stream]) */
int cl_mempool_alloc(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_MEMPOOL);
  return alloc_async(L, 2, "MemoryPool:alloc", o->rec);
}

/* pool:import_pointer(data) -> DeviceAllocation, which is freed here before it is freed by the process that
 * made it */
int cl_mempool_import_pointer(lua_State *L) {
  CUmemPoolPtrExportData data;
  const cl_Object *o = cl_check(L, 1, CL_MEMPOOL);
  cl_check_given(L, 2, "data", "the 64 bytes that export_pointer() gave", data.reserved,
                 sizeof data.reserved);
  cl_refuse_in_capture(L, "import_pointer");
  cl_MemoryObject *m;
  cl_Allocation *a = push_allocation(L, 0, &m);
  CUdeviceptr p = 0, base = 0;
  size_t size = 0;
  a->rec.waits = true;
  CL_TRY(L, cuMemPoolImportPointer, &p, (CUmemoryPool)o->rec->handle, &data);
  a->rec.handle = m->address = p;
  if (!import_begin(a))
    cl_logic(L, "import_pointer: the memory is already imported; use the DeviceAllocation that the first "
                "import_pointer() returned, or free it before you import again");
  CUresult code = CU.cuMemGetAddressRange_v2(&base, &size, p);
  if (code) cl_log_clear();
  a->size = code ? (uint64_t)1 << 53 : base + size - p; /* no bounds, should the driver not tell */
  m->size = a->size;
  atomic_store_explicit(&a->rec.life, CL_LIVE, memory_order_release);
  return 1;
}

static cl_Allocation *check_allocation(lua_State *L) {
  return (cl_Allocation *)((const cl_Object *)cl_check_to_close(L, 1, CL_ALLOCATION))->rec;
}

static int close_allocation(lua_State *L, cl_Allocation *a) {
  CUresult code = cl_rec_close_here(L, &a->rec);
  if (code) cl_fail(L, a->rec.tracks ? "cuMemFreeAsync" : "cuMemFree_v2", code);
  cl_object_retire(L, 1);
  return 0;
}

int cl_alloc_free(lua_State *L) {
  cl_Allocation *a = check_allocation(L);
  if (a->rec.tracks && __builtin_expect(cl_captures || a->captured, 0))
    cl_memory_before_free(L, a, cl_order_stream(&a->order), "free");
  return close_allocation(L, a);
}

/* a:free_async([stream]): s becomes the home that it is freed in. */
int cl_alloc_free_async(lua_State *L) {
  cl_Allocation *a = check_allocation(L);
  const cl_Context *c = cl_rec_context(&a->rec);
  if (!a->rec.tracks)
    cl_logic(
        L, "free_async: this memory is not from mem_alloc_async() or a MemoryPool; use free(), which waits");
  cl_Stream *s = lua_isnoneornil(L, 2) ? cl_order_stream(&a->order) : cl_check_stream(L, 2, "free_async", c);
  if (cl_captures || a->captured) cl_memory_before_free(L, a, s, "free_async");
  if (s != a->order.home) {
    if (cl_current(L) != (CUcontext)c->rec.handle)
      cl_logic(L, "free_async: the memory's context is not current; use ctx:push() or ctx:with()");
    CUresult code = cl_order_join(&a->order, s);
    if (code) cl_fail(L, "cuStreamWaitEvent", code);
    cl_order_close(&a->order, c);
    cl_order_open(&a->order, s);
  }
  return close_allocation(L, a);
}

int cl_mem_get_info(lua_State *L) {
  size_t left = 0, total = 0;
  CL_TRY(L, cuMemGetInfo_v2, &left, &total);
  lua_pushnumber(L, (lua_Number)left);
  lua_pushnumber(L, (lua_Number)total);
  return 2;
}

void cl_push_pointer(lua_State *L, int owner, uint64_t address, uint64_t size) {
  cl_MemoryObject *m = cl_push(L, CL_POINTER, sizeof *m);
  const cl_Object *o = owner ? cl_to(L, owner) : NULL;
  if (o && !cl_rec_live(o->rec)) cl_dead(L, o); /* by a finalizer that ran just now */
  m->o.rec = cl_rec_retain(o ? o->rec : &cl_no_owner);
  m->address = address;
  m->size = size;
}

/* pointer(address) -> DevicePointer without an owner and without bounds */
int cl_pointer(lua_State *L) {
  cl_push_pointer(L, 0, cl_check_bytes(L, 1, "address"), 0);
  return 1;
}

/* pointer_into(memory, address, bytes) -> DevicePointer that holds what `memory` holds; the address is the
 * caller's business */
int cl_pointer_into(lua_State *L) {
  cl_check_memory(L, 1, "memory");
  cl_push_pointer(L, 1, cl_check_bytes(L, 2, "address"), cl_check_bytes(L, 3, "bytes"));
  return 1;
}

int cl_memory_ptr(lua_State *L) {
  lua_pushnumber(L, (lua_Number)cl_check_memory(L, 1, "self")->address);
  return 1;
}

int cl_memory_len(lua_State *L) {
  lua_pushnumber(L, (lua_Number)cl_check_memory(L, 1, "self")->size);
  return 1;
}

/* memory + bytes -> a view of what follows */
int cl_memory_add(lua_State *L) {
  int mem = cl_to(L, 1) ? 1 : 2;
  const cl_MemoryObject *m = cl_check_memory(L, mem, "operand");
  uint64_t offset = cl_check_bytes(L, 3 - mem, "offset");
  bool bare = m->o.rec == &cl_no_owner;
  if (!bare && offset > m->size)
    cl_logic(L, "offset %llu is past the end of %llu bytes of device memory", (unsigned long long)offset,
             (unsigned long long)m->size);
  cl_push_pointer(L, mem, m->address + offset, bare ? 0 : m->size - offset);
  return 1;
}
