/* Host memory: page-locked by the driver, aligned by us, the program's own registered; and managed memory.
 * What makes arrays of it is in lua/cudalua/driver/hostmem.lua. */
#include "memory/hostmem.h"
#include "streams/capture.h"
#include "memory/pool.h"
#include "base/state.h"

#include <stdlib.h>
#include <string.h>

/* --- giving back --- */

/* The driver waits for the work of the memory's own context only. Measured: a copy that another context has
 * under way then is a fault, which ends both. */
static void wait_for_others(cl_Rec *r) { cl_contexts_wait(~0ull, cl_rec_context(r)); }

static CUresult host_destroy(cl_Rec *r) {
  wait_for_others(r);
  return CU.cuMemFreeHost((void *)(uintptr_t)r->handle);
}
CL_FAMILY(CL_HOST, .destroy = host_destroy);

static CUresult managed_destroy(cl_Rec *r) {
  wait_for_others(r);
  return CU.cuMemFree_v2(r->handle);
}
CL_FAMILY(CL_MANAGED, .destroy = managed_destroy);

static CUresult registered_destroy(cl_Rec *r) {
  wait_for_others(r);
  return CU.cuMemHostUnregister((void *)(uintptr_t)r->handle);
}

static void registered_dispose(cl_Rec *r) { cl_rec_release(((cl_HostMemory *)r)->owner); }
CL_FAMILY(CL_REGISTERED, .destroy = registered_destroy, .dispose = registered_dispose);

/* The driver knows nothing of aligned memory and waits for nothing when it goes. So it goes with the last
 * reference: copies under way, registrations and graphs have one. Closing it only ends its use. */
static CUresult aligned_destroy(cl_Rec *r) {
  (void)r;
  return CUDA_SUCCESS;
}

static void aligned_dispose(cl_Rec *r) {
  cl_closes++; /* arrays must not read it any more */
  free((void *)(uintptr_t)r->handle);
}
CL_FAMILY(CL_ALIGNED, .destroy = aligned_destroy, .dispose = aligned_dispose);

/* --- making --- */

typedef struct Request {
  void *p;
  CUdeviceptr device;
  size_t bytes;
  unsigned flags;
} Request;

static CUresult ask_host(void *arg) {
  Request *q = arg;
  cl_tie_up();
  return CU.cuMemHostAlloc(&q->p, q->bytes, q->flags);
}

static CUresult ask_managed(void *arg) {
  Request *q = arg;
  cl_tie_up();
  return CU.cuMemAllocManaged(&q->device, q->bytes, q->flags);
}

static CUresult ask_register(void *arg) {
  const Request *q = arg;
  cl_tie_up();
  return CU.cuMemHostRegister_v2(q->p, q->bytes, q->flags);
}

/* Pushes userdata with a record that is not made yet, of the current context or, if aligned, of none. */
static cl_HostMemory *new_memory(lua_State *L, cl_Kind kind, uint64_t bytes, cl_MemoryObject **out) {
  cl_MemoryObject *m = *out = cl_push(L, kind, sizeof *m);
  cl_Context *c = kind == CL_ALIGNED ? NULL : cl_context_current(L);
  cl_HostMemory *h = (cl_HostMemory *)cl_rec_new(kind, sizeof *h, c ? &c->rec : NULL);
  if (c) cl_rec_release(&c->rec);
  if (!h) luaL_error(L, "not enough memory");
  h->slot = LUA_NOREF;
  m->o.rec = &h->rec;
  m->size = bytes;
  return h;
}

static int made(cl_HostMemory *h, const void *p, cl_MemoryObject *m, CUdeviceptr device, cl_Class k) {
  h->rec.handle = (uint64_t)(uintptr_t)p;
  m->address = device;
  h->rec.life = CL_LIVE;
  cl_account(&h->rec, k, m->size);
  return 1;
}

static uint64_t check_size(lua_State *L, int idx) {
  uint64_t bytes = cl_check_allocation(L, idx);
  if (!bytes) cl_logic(L, "cannot allocate 0 bytes of host memory");
  return bytes;
}

/* The device's address of page-locked memory; 0 where it has none. */
static CUdeviceptr device_address(void *p) {
  CUdeviceptr d = 0;
  if (!CU.cuMemHostGetDevicePointer_v2(&d, p, 0)) return d;
  cl_log_clear();
  return 0;
}

/* host_alloc(bytes, flags) -> HostAllocation */
int cl_host_alloc(lua_State *L) {
  Request q = {.bytes = check_size(L, 1),
               .flags = (unsigned)cl_check_flags(L, 2, "mem_flags", "host_alloc_flags", -1)};
  cl_refuse_in_capture(L, "allocating page-locked memory");
  cl_pressure(L);
  cl_MemoryObject *m;
  cl_HostMemory *h = new_memory(L, CL_HOST, q.bytes, &m);
  CUresult code = cl_allocate(L, ask_host, &q);
  if (code) cl_fail_memory(L, "cuMemHostAlloc", code, q.bytes);
  return made(h, q.p, m, device_address(q.p), CL_BYTES_PINNED);
}

/* managed_alloc(bytes, flags) -> ManagedAllocation */
int cl_managed_alloc(lua_State *L) {
  Request q = {.bytes = check_size(L, 1), .flags = CU_MEM_ATTACH_GLOBAL};
  if (!lua_isnoneornil(L, 2)) q.flags = (unsigned)cl_check_flags(L, 2, "mem_flags", "mem_attach_flags", -1);
  if (q.flags != CU_MEM_ATTACH_GLOBAL && q.flags != CU_MEM_ATTACH_HOST)
    cl_bad_argument(L, 2, "mem_flags", "\"global\" or \"host\"");
  cl_refuse_in_capture(L, "allocating managed memory");
  cl_pressure(L);
  cl_MemoryObject *m;
  cl_HostMemory *h = new_memory(L, CL_MANAGED, q.bytes, &m);
  CUresult code = cl_allocate(L, ask_managed, &q);
  if (code) cl_fail_memory(L, "cuMemAllocManaged", code, q.bytes);
  return made(h, (void *)(uintptr_t)q.device, m, q.device, CL_BYTES_MANAGED);
}

/* aligned_alloc(bytes, alignment) -> AlignedHostAllocation: plain host memory, of no context */
int cl_aligned_alloc(lua_State *L) {
  uint64_t bytes = check_size(L, 1), alignment = cl_check_bytes(L, 2, "alignment");
  if (!alignment || (alignment & (alignment - 1)) || alignment > 1u << 30)
    cl_bad_argument(L, 2, "alignment", "a power of two up to 2^30");
  cl_pressure(L);
  cl_MemoryObject *m;
  cl_HostMemory *h = new_memory(L, CL_ALIGNED, bytes, &m);
  void *p = NULL;
  bool possible = bytes < 1ull << 47; /* there are no more addresses */
  if (!possible || posix_memalign(&p, alignment < sizeof p ? sizeof p : alignment, bytes)) {
    cl_error_new(L, CL_MEMORY_ERROR, "cannot allocate %.0f bytes of host memory", (double)bytes);
    lua_pushnumber(L, (lua_Number)bytes);
    lua_setfield(L, -2, "requested");
    cl_throw(L);
  }
  return made(h, p, m, 0, CL_BYTES_ALIGNED);
}

static const char *register_hint(CUresult code) {
  if (code == CUDA_ERROR_INVALID_VALUE)
    return "older drivers take whole pages only: address and size must be multiples of 4096 bytes, as with "
           "cuda.aligned_empty; the memory must be writable, unless flags have \"read_only\", and it must be "
           "plain: "
           "that of pagelocked_empty is page-locked as it is";
  if (code == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
    return "this memory, or part of it, is already page-locked: by pagelocked_empty, or by a "
           "register_host_memory that was not unregistered";
  return NULL;
}

static int register_failed(lua_State *L, CUresult code, uint64_t bytes) {
  const char *hint = register_hint(code);
  if (!hint) cl_fail_memory(L, "cuMemHostRegister_v2", code, bytes);
  cl_fail_new(L, "cuMemHostRegister_v2", code);
  lua_pushstring(L, hint);
  lua_setfield(L, -2, "hint");
  return cl_throw(L);
}

/* host_register(slot, bytes, flags, value, owner) -> RegisteredHostMemory of `value`; slot, bytes and owner
 * as host_buffer() gives them */
int cl_host_register(lua_State *L) {
  lua_settop(L, 5);
  if (lua_type(L, 1) != CL_TCDATA) return cl_bad_argument(L, 1, "ary", "host memory");
  Request q = {.p = *(void *const *)lua_topointer(L, 1),
               .bytes = check_size(L, 2),
               .flags = (unsigned)cl_check_flags(L, 3, "flags", "mem_host_register_flags", -1)};
  cl_refuse_in_capture(L, "registering host memory");
  cl_pressure(L);
  cl_MemoryObject *m;
  cl_HostMemory *h = new_memory(L, CL_REGISTERED, q.bytes, &m);
  const cl_Object *owner = cl_to_kind(L, 5, CL_ALIGNED);
  if (owner && owner->rec) h->owner = cl_rec_retain(owner->rec);
  lua_createtable(L, 1, 0); /* the userdata's environment: what it is of, and may refer to it in turn */
  lua_pushvalue(L, 4);
  lua_rawseti(L, -2, 1);
  lua_setfenv(L, -2);
  lua_pushboolean(L, 0);
  h->slot = luaL_ref(L, LUA_REGISTRYINDEX);
  CUresult code = cl_allocate(L, ask_register, &q);
  if (code) return register_failed(L, code, q.bytes);
  return made(h, q.p, m, device_address(q.p), CL_BYTES_REGISTERED);
}

/* --- registrations that finalizers found --- */

static void let_go(lua_State *L, cl_HostMemory *h) {
  luaL_unref(L, LUA_REGISTRYINDEX, h->slot);
  h->slot = LUA_NOREF;
}

/* The memory must not go before it is unregistered, and a finalizer must not wait for that: the state keeps
 * both until it may wait. Everything needed is there already, so this cannot fail. */
int cl_registered_gc(lua_State *L) {
  cl_Object *o = cl_to_kind(L, 1, CL_REGISTERED);
  if (!o || !o->rec) return 0;
  cl_HostMemory *h = (cl_HostMemory *)o->rec;
  cl_State *st = cl_state(L);
  o->rec = NULL;
  cl_collected++;
  if (h->rec.life != CL_LIVE || cl_forked || st->closed) {
    let_go(L, h);
    cl_rec_release(&h->rec);
    return 0;
  }
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 1);
  lua_rawseti(L, LUA_REGISTRYINDEX, h->slot);
  h->next = st->registered;
  st->registered = h;
  return 0;
}

/* Copies, graphs and views that still have one are waited for by leaving it where it is. */
void cl_registered_drain(lua_State *L, cl_State *st) {
  for (cl_HostMemory **p = &st->registered; *p;) {
    cl_HostMemory *h = *p;
    if (L && h->rec.refs > 1) {
      p = &h->next;
      continue;
    }
    *p = h->next;
    cl_note_failure(cl_rec_close(&h->rec));
    if (L) let_go(L, h);
    cl_rec_release(&h->rec);
  }
}

static void drain_after_wait(lua_State *L) { cl_registered_drain(L, cl_state(L)); }
CL_HOOK(cl_on_wait, 2, drain_after_wait);

static void drain_all(cl_State *st) { cl_registered_drain(NULL, st); }
CL_HOOK(cl_on_state_close, 2, drain_all);

/* --- methods --- */

/* Page-locked memory may be used in every context, and the driver waits for the work of one. */
static cl_Rec *check_and_wait(lua_State *L, cl_Kind kind) {
  cl_Object *o = cl_check_to_close(L, 1, kind);
  cl_anchors_wait(L);
  return o->rec;
}

int cl_host_free(lua_State *L) {
  check_and_wait(L, CL_HOST);
  return cl_close_method(L, CL_HOST, "cuMemFreeHost");
}

int cl_managed_free(lua_State *L) {
  check_and_wait(L, CL_MANAGED);
  return cl_close_method(L, CL_MANAGED, "cuMemFree_v2");
}

int cl_aligned_free(lua_State *L) { return cl_close_method(L, CL_ALIGNED, "free"); }

int cl_host_unregister(lua_State *L) {
  cl_Rec *r = check_and_wait(L, CL_REGISTERED);
  CUresult code = cl_rec_close_here(L, r);
  let_go(L, (cl_HostMemory *)r);
  lua_getfenv(L, 1);
  lua_pushnil(L);
  lua_rawseti(L, -2, 1);
  if (code) cl_fail(L, "cuMemHostUnregister", code);
  return 0;
}

/* mem.base is what the memory is of; else methods (upvalue 1). */
int cl_registered_index(lua_State *L) {
  if (cl_push_method(L)) return 1;
  const cl_Object *o = cl_to_kind(L, 1, CL_REGISTERED);
  if (!o || !o->rec || lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "base"))
    return cl_class_index(L);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, 1);
  return 1;
}

/* mem:get_device_pointer() -> DevicePointer */
int cl_host_device_pointer(lua_State *L) {
  const cl_MemoryObject *m = cl_check_memory(L, 1, "self");
  if (!m->address) cl_logic(L, "this %s has no address on the device", cl_kind_name(m->o.kind));
  cl_push_pointer(L, 1, m->address, m->size);
  return 1;
}

/* mem:get_flags() -> those that the driver made it with */
int cl_host_get_flags(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_HOST);
  unsigned flags = 0;
  CL_TRY(L, cuMemHostGetFlags, &flags, (void *)(uintptr_t)o->rec->handle);
  lua_pushinteger(L, (lua_Integer)flags);
  return 1;
}

/* managed:attach(flags [, stream]) */
int cl_managed_attach(lua_State *L) {
  const cl_MemoryObject *m = cl_check(L, 1, CL_MANAGED);
  unsigned flags = (unsigned)cl_check_enum(L, 2, "flags", "mem_attach_flags");
  const cl_Context *c = cl_rec_context(m->o.rec);
  cl_Stream *s = cl_check_stream(L, 3, "attach", c);
  if (cl_current(L) != (CUcontext)c->rec.handle)
    cl_logic(L, "attach: the memory's context is not current; use ctx:push() or ctx:with()");
  if (flags == CU_MEM_ATTACH_SINGLE && s == &cl_legacy_stream)
    cl_logic(L, "attach: memory cannot be attached to the default stream alone; pass a stream");
  if (cl_captures && cl_capture_id(s))
    cl_logic(L, "attach is not possible in a stream that is being captured");
  cl_refuse_in_capture(L, "ManagedAllocation:attach");
  CL_TRY(L, cuStreamAttachMemAsync, cl_stream_handle(s), m->address, 0, flags);
  return 0;
}

/* --- for the arrays over it --- */

static bool usable(const cl_Object *o) {
  return cl_rec_live(o->rec) && (!cl_forked || o->kind == CL_ALIGNED); /* a fork has a copy of that */
}

/* host_address(mem) -> number; raises where it is closed */
int cl_host_address(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  if (!o || (o->kind != CL_HOST && o->kind != CL_POOLED_HOST && o->kind != CL_ALIGNED &&
             o->kind != CL_REGISTERED && o->kind != CL_MANAGED))
    cl_bad_argument(L, 1, "memory", "host memory");
  if (!usable(o)) cl_dead(L, o);
  lua_pushnumber(L, (lua_Number)o->rec->handle);
  return 1;
}

/* why_dead(object) -> nil where it can be used, else the sentence that an error has */
int cl_why_dead(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  if (!o) return luaL_argerror(L, 1, "expected an object of cudalua");
  if (usable(o)) return 0;
  if (cl_forked) {
    lua_pushstring(L, cl_forked_text);
    return 1;
  }
  for (const cl_Rec *r = o->rec; r; r = r->parent)
    if (r->life == CL_CLOSED) {
      lua_pushfstring(L, "its %s was %s%s%s", cl_kind_name(r->kind), cl_kind_closed(r->kind),
                      r->closed_at ? " at " : "", r->closed_at ? r->closed_at : "");
      return 1;
    }
  lua_pushfstring(L, "its %s was collected", cl_kind_name(o->kind));
  return 1;
}

/* closes() -> address of a 32-bit number that changes whenever an object was closed: what was alive before
 * may not be any more */
int cl_closes_address(lua_State *L) {
  lua_pushnumber(L, (lua_Number)(uintptr_t)&cl_closes);
  return 1;
}

static int not_on_device(lua_State *L) {
  cl_logic(L, "expected device memory, got a host array, which the device cannot access; pass it to a kernel "
              "with In, Out or InOut, copy it with memcpy_htod, or create it with pagelocked_empty");
}

/* host_to_device(mem, address) -> DevicePointer to what the host has at `address`, within mem */
int cl_host_to_device(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  uint64_t at = cl_check_bytes(L, 2, "address");
  if (!o) return not_on_device(L);
  if (!usable(o)) cl_dead(L, o);
  if (o->kind == CL_ALIGNED) return not_on_device(L);
  CUdeviceptr device = 0;
  uint64_t host = o->rec->handle, size = 0;
  if (o->kind == CL_POOLED_HOST) {
    CL_TRY(L, cuMemHostGetDevicePointer_v2, &device, (void *)(uintptr_t)host, 0);
    size = ((const cl_Pooled *)o->rec)->a.size;
  } else if (cl_kind_is_memory(o->kind)) {
    const cl_MemoryObject *m = (const cl_MemoryObject *)o;
    device = m->address;
    size = m->size;
    if (o->kind != CL_HOST && o->kind != CL_REGISTERED) host = device; /* managed, or a view */
  } else
    return not_on_device(L);
  if (!device) cl_logic(L, "this %s has no address on the device", cl_kind_name(o->kind));
  if (at < host || at - host > size) cl_logic(L, "this array does not lie in its %s", cl_kind_name(o->kind));
  cl_push_pointer(L, 1, device + (at - host), size - (at - host));
  return 1;
}
