/* Host memory: page-locked by the driver, aligned by us, the program's own registered; and managed memory.
 * What makes arrays of it is in lua/cudalua/hostmem.lua. */
#include "hostmem.h"
#include "capture.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* A registration that a finalizer found, and the Lua value whose memory it is of. */
typedef struct cl_Kept {
  cl_Rec *rec; /* the last reference */
  int anchor;
  struct cl_Kept *next;
} cl_Kept;

CUresult cl_host_destroy(cl_Rec *r) { return CU.cuMemFreeHost((void *)(uintptr_t)r->handle); }
CUresult cl_managed_destroy(cl_Rec *r) { return CU.cuMemFree_v2(r->handle); }
CUresult cl_registered_destroy(cl_Rec *r) { return CU.cuMemHostUnregister((void *)(uintptr_t)r->handle); }
CUresult cl_aligned_destroy(cl_Rec *r) {
  free((void *)(uintptr_t)r->handle);
  return CUDA_SUCCESS;
}

typedef struct Request {
  void *p;
  CUdeviceptr device;
  size_t bytes;
  unsigned flags;
} Request;

static CUresult ask_host(void *arg) {
  Request *q = arg;
  return CU.cuMemHostAlloc(&q->p, q->bytes, q->flags);
}

static CUresult ask_managed(void *arg) {
  Request *q = arg;
  return CU.cuMemAllocManaged(&q->device, q->bytes, q->flags);
}

static CUresult ask_register(void *arg) {
  const Request *q = arg;
  return CU.cuMemHostRegister_v2(q->p, q->bytes, q->flags);
}

/* Userdata and record of that kind in the current context (`with_context`) or in none. */
static cl_HostMemory *push_memory(lua_State *L, cl_Kind kind, uint64_t bytes, bool with_context,
                                  cl_HostObject **out) {
  cl_HostObject *o = *out = cl_push(L, kind, sizeof *o);
  o->anchor = LUA_NOREF;
  cl_Context *c = with_context ? cl_context_current(L) : NULL;
  cl_HostMemory *h = (cl_HostMemory *)cl_rec_new(kind, sizeof *h, c ? &c->rec : NULL);
  if (c) cl_rec_release(&c->rec);
  if (!h) luaL_error(L, "not enough memory");
  o->m.o.rec = &h->rec;
  o->m.size = h->size = bytes;
  return h;
}

static uint64_t check_size(lua_State *L, int idx) {
  uint64_t bytes = cl_check_bytes(L, idx, "bytes");
  if (!bytes) cl_logic(L, "cannot allocate 0 bytes");
  return bytes;
}

/* The device's address of host memory; 0 where it has none. */
static CUdeviceptr device_address(void *p) {
  CUdeviceptr d = 0;
  if (CU.cuMemHostGetDevicePointer_v2(&d, p, 0)) {
    cl_log_clear();
    return 0;
  }
  return d;
}

/* host_alloc(bytes, flags) -> HostAllocation */
int cl_host_alloc(lua_State *L) {
  Request q = {.bytes = check_size(L, 1),
               .flags = (unsigned)cl_check_flags(L, 2, "mem_flags", "host_alloc_flags", -1)};
  cl_refuse_in_capture(L, "allocating page-locked memory");
  cl_pressure(L);
  cl_HostObject *o;
  cl_HostMemory *h = push_memory(L, CL_HOST, q.bytes, true, &o);
  CUresult code = cl_allocate(L, ask_host, &q);
  if (code) cl_fail_memory(L, "cuMemHostAlloc", code, q.bytes);
  h->rec.handle = (uint64_t)(uintptr_t)q.p;
  h->rec.life = CL_LIVE;
  o->m.address = device_address(q.p);
  cl_account(&h->rec, CL_BYTES_PINNED, q.bytes);
  return 1;
}

/* managed_alloc(bytes, flags) -> ManagedAllocation */
int cl_managed_alloc(lua_State *L) {
  Request q = {.bytes = check_size(L, 1),
               .flags = (unsigned)cl_check_flags(L, 2, "mem_flags", "mem_attach_flags", -1)};
  if (!q.flags) q.flags = CU_MEM_ATTACH_GLOBAL;
  cl_refuse_in_capture(L, "allocating managed memory");
  cl_pressure(L);
  cl_HostObject *o;
  cl_HostMemory *h = push_memory(L, CL_MANAGED, q.bytes, true, &o);
  CUresult code = cl_allocate(L, ask_managed, &q);
  if (code) cl_fail_memory(L, "cuMemAllocManaged", code, q.bytes);
  h->rec.handle = o->m.address = q.device;
  h->rec.life = CL_LIVE;
  cl_account(&h->rec, CL_BYTES_MANAGED, q.bytes);
  return 1;
}

/* aligned_alloc(bytes, alignment) -> AlignedHostAllocation: plain host memory, of no context */
int cl_aligned_alloc(lua_State *L) {
  uint64_t bytes = check_size(L, 1), alignment = cl_check_bytes(L, 2, "alignment");
  if (!alignment || (alignment & (alignment - 1)) || alignment > 1u << 30)
    cl_bad_argument(L, 2, "alignment", "a power of two up to 2^30");
  cl_HostObject *o;
  cl_HostMemory *h = push_memory(L, CL_ALIGNED, bytes, false, &o);
  void *p = NULL;
  if (posix_memalign(&p, alignment < sizeof p ? sizeof p : alignment, bytes)) {
    cl_error_new(L, CL_MEMORY_ERROR, "no host memory for %.0f bytes", (double)bytes);
    lua_pushnumber(L, (lua_Number)bytes);
    lua_setfield(L, -2, "requested");
    cl_throw(L);
  }
  h->rec.handle = (uint64_t)(uintptr_t)p;
  h->rec.life = CL_LIVE;
  return 1;
}

/* host_register(slot, bytes, flags, owner) -> RegisteredHostMemory; slot and owner as host_buffer() gives
 * them */
int cl_host_register(lua_State *L) {
  lua_settop(L, 4);
  if (lua_type(L, 1) != CL_TCDATA) return cl_bad_argument(L, 1, "ary", "host memory");
  Request q = {.p = *(void *const *)lua_topointer(L, 1),
               .bytes = check_size(L, 2),
               .flags = (unsigned)cl_check_flags(L, 3, "flags", "mem_host_register_flags", -1)};
  cl_refuse_in_capture(L, "registering host memory");
  cl_pressure(L);
  cl_HostObject *o;
  cl_HostMemory *h = push_memory(L, CL_REGISTERED, q.bytes, true, &o);
  lua_pushvalue(L, 4);
  o->anchor = luaL_ref(L, LUA_REGISTRYINDEX);
  CUresult code = cl_allocate(L, ask_register, &q);
  if (code == CUDA_ERROR_INVALID_VALUE) {
    cl_fail_new(L, "cuMemHostRegister_v2", code);
    lua_pushliteral(
        L,
        "older drivers take whole pages only: memory and size must be multiples of 4096 bytes, as those of "
        "cuda.aligned_empty are");
    lua_setfield(L, -2, "hint");
    cl_throw(L);
  }
  if (code) cl_fail_memory(L, "cuMemHostRegister_v2", code, q.bytes);
  h->rec.handle = (uint64_t)(uintptr_t)q.p;
  h->rec.life = CL_LIVE;
  o->m.address = device_address(q.p);
  cl_account(&h->rec, CL_BYTES_REGISTERED, q.bytes);
  return 1;
}

/* --- methods --- */

static cl_HostObject *check(lua_State *L, cl_Kind kind) { return cl_check(L, 1, kind); }

int cl_host_free(lua_State *L) { return cl_close_method(L, CL_HOST, "cuMemFreeHost"); }
int cl_managed_free(lua_State *L) { return cl_close_method(L, CL_MANAGED, "cuMemFree_v2"); }

/* The driver does not know of this memory, so nothing but this waits for copies from and to it. */
int cl_aligned_free(lua_State *L) {
  check(L, CL_ALIGNED);
  cl_anchors_wait(L);
  return cl_close_method(L, CL_ALIGNED, "free");
}

static void drop_anchor(lua_State *L, cl_HostObject *o) {
  luaL_unref(L, LUA_REGISTRYINDEX, o->anchor);
  o->anchor = LUA_NOREF;
}

int cl_host_unregister(lua_State *L) {
  cl_HostObject *o = check(L, CL_REGISTERED);
  CUresult code = cl_rec_close_here(L, o->m.o.rec);
  drop_anchor(L, o);
  if (code) cl_fail(L, "cuMemHostUnregister", code);
  return 0;
}

/* mem.base is what owns the memory; else methods (upvalue 1). */
int cl_registered_index(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  const cl_HostObject *o = cl_to_kind(L, 1, CL_REGISTERED);
  if (o && lua_isnil(L, -1) && lua_type(L, 2) == LUA_TSTRING && !strcmp(lua_tostring(L, 2), "base"))
    lua_rawgeti(L, LUA_REGISTRYINDEX, o->anchor);
  return 1;
}

/* Unregisters what finalizers found; the memory may go after that. L NULL: at the end of the state. */
void cl_registered_drain(lua_State *L, cl_State *st) {
  for (cl_Kept *k; (k = st->registered);) {
    st->registered = k->next;
    cl_rec_close(k->rec);
    cl_rec_release(k->rec);
    if (L) luaL_unref(L, LUA_REGISTRYINDEX, k->anchor);
    free(k);
  }
}

static bool keep(lua_State *L, cl_Rec *r, int anchor) {
  cl_State *st = cl_state(L);
  cl_Kept *k = st->closed ? NULL : malloc(sizeof *k);
  if (!k) return false;
  *k = (cl_Kept){r, anchor, st->registered};
  st->registered = k;
  return true;
}

/* The memory must not go before it is unregistered, and a finalizer must not wait for that: the state keeps
 * both until it may wait. */
int cl_registered_gc(lua_State *L) {
  cl_HostObject *o = cl_to_kind(L, 1, CL_REGISTERED);
  if (!o || !o->m.o.rec) return 0;
  cl_Rec *r = o->m.o.rec;
  o->m.o.rec = NULL;
  if (r->life == CL_LIVE && !cl_driver.forked && keep(L, r, o->anchor)) return 0;
  drop_anchor(L, o);
  cl_rec_release(r);
  return 0;
}

/* mem:get_device_pointer() -> DevicePointer */
int cl_host_device_pointer(lua_State *L) {
  const cl_MemoryObject *m = cl_check_memory(L, 1, "self");
  if (!m->address) cl_logic(L, "this %s has no address on the device", cl_kind_name(m->o.kind));
  cl_push_pointer(L, m->o.rec, m->address, m->size);
  return 1;
}

/* mem:get_flags() -> those of cuMemHostAlloc or cuMemHostRegister */
int cl_host_get_flags(lua_State *L) {
  const cl_Object *o = check(L, CL_HOST) ? cl_to(L, 1) : NULL;
  unsigned flags = 0;
  CL_TRY(L, cuMemHostGetFlags, &flags, (void *)(uintptr_t)o->rec->handle);
  lua_pushinteger(L, (lua_Integer)flags);
  return 1;
}

/* managed:attach(flags [, stream]) */
int cl_managed_attach(lua_State *L) {
  cl_HostObject *o = check(L, CL_MANAGED);
  unsigned flags = (unsigned)cl_check_enum(L, 2, "flags", "mem_attach_flags");
  cl_Context *c = cl_rec_context(o->m.o.rec);
  cl_Stream *s = cl_check_stream(L, 3, "stream", c);
  CL_TRY(L, cuStreamAttachMemAsync, cl_stream_handle(s), o->m.address, 0, flags);
  return 0;
}

/* host_address(mem) -> number; raises where it is closed */
int cl_host_address(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  if (!o ||
      (o->kind != CL_HOST && o->kind != CL_ALIGNED && o->kind != CL_REGISTERED && o->kind != CL_MANAGED))
    cl_bad_argument(L, 1, "memory", "host memory");
  if (o->kind == CL_ALIGNED ? !cl_rec_live(o->rec) : cl_driver.forked || !cl_rec_live(o->rec)) cl_dead(L, o);
  lua_pushnumber(L, (lua_Number)o->rec->handle);
  return 1;
}

/* why_dead(object) -> nil where it can be used, else the sentence that an error would have */
int cl_why_dead(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  if (!o) return luaL_argerror(L, 1, "an object of cudalua expected");
  if (!cl_driver.forked && cl_rec_live(o->rec)) return 0;
  if (o->kind == CL_ALIGNED && o->rec && o->rec->life == CL_LIVE) return 0; /* a fork has its own copy */
  const char *at = o->rec ? o->rec->closed_at : NULL;
  lua_pushfstring(L, "its %s was freed%s%s", cl_kind_name(o->kind), at ? " at " : "", at ? at : "");
  return 1;
}
