/* What a context is asked and told: limits, preferences, access to the memory of other devices. */
#include "streams/capture.h"
#include "streams/wait.h"

#include <stdatomic.h>

/* What the driver does for the current context alone, ctx:method() does for ctx and Context.method() for the
 * current one. */

static void enter(lua_State *L, const cl_Object *o) {
  if (o)
    cl_push_current(L, o->rec);
  else
    cl_current(L); /* if there is none, the driver says so */
}

/* After the call: takes o off again, and raises unless code is CUDA_SUCCESS. The error is made while o is
 * still current: it notes which device is lost, and which kernel ran last. */
static void leave(lua_State *L, const cl_Object *o, const char *call, CUresult code) {
  CUcontext popped;
  if (code) cl_fail_new(L, call, code);
  if (o) CU.cuCtxPopCurrent_v2(&popped);
  if (code) cl_throw(L);
}

/* ctx:synchronize() waits for that context's work, Context.synchronize() for the current one's. */
int cl_context_synchronize(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  if (!o && !lua_isnoneornil(L, 1)) cl_check(L, 1, CL_CONTEXT);
  cl_refuse_wait(L, "Context.synchronize", o ? (const cl_Context *)o->rec : NULL);
  if (o && !cl_interrupts_on() && cl_entry_present((const void *)CU.cuCtxSynchronize_v2)) {
    CUresult code = CU.cuCtxSynchronize_v2((CUcontext)o->rec->handle);
    if (code) {
      enter(L, o);
      leave(L, o, "cuCtxSynchronize_v2", code);
    }
  } else {
    enter(L, o);
    leave(L, o, "cuCtxSynchronize", cl_wait_context(L));
  }
  cl_after_wait(L);
  return 0;
}

int cl_context_get_flags(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  unsigned flags = 0;
  enter(L, o);
  leave(L, o, "cuCtxGetFlags", CU.cuCtxGetFlags(&flags));
  lua_pushinteger(L, flags);
  return 1;
}

int cl_context_get_api_version(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  unsigned version = 0;
  CL_TRY(L, cuCtxGetApiVersion, o ? (CUcontext)o->rec->handle : NULL, &version);
  lua_pushinteger(L, version);
  return 1;
}

/* Has a sticky error ended the context's device for this process? Asking starts no context. */
int cl_context_is_poisoned(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUdevice dev = 0;
  if (o)
    dev = ((const cl_Context *)o->rec)->device;
  else
    dev = cl_current_device(L);
  lua_pushboolean(L, dev >= 0 && dev < CL_MAX_DEVICES && cl_poison[dev]);
  return 1;
}

int cl_context_get_limit(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUlimit limit = (CUlimit)cl_check_attribute(L, o ? 2 : 1, "limit", "limit");
  size_t value = 0;
  enter(L, o);
  leave(L, o, "cuCtxGetLimit", CU.cuCtxGetLimit(&value, limit));
  lua_pushnumber(L, (lua_Number)value);
  return 1;
}

int cl_context_set_limit(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUlimit limit = (CUlimit)cl_check_attribute(L, o ? 2 : 1, "limit", "limit");
  size_t value = cl_check_bytes(L, o ? 3 : 2, "value");
  cl_refuse_in_capture(L, "Context.set_limit");
  enter(L, o);
  leave(L, o, "cuCtxSetLimit", CU.cuCtxSetLimit(limit, value));
  return 0;
}

int cl_context_get_cache_config(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_NONE;
  enter(L, o);
  leave(L, o, "cuCtxGetCacheConfig", CU.cuCtxGetCacheConfig(&config));
  lua_pushinteger(L, config);
  return 1;
}

int cl_context_set_cache_config(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUfunc_cache config = (CUfunc_cache)cl_check_enum(L, o ? 2 : 1, "config", "func_cache");
  enter(L, o);
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuCtxSetCacheConfig(config);
  cl_unrelax(mode);
  leave(L, o, "cuCtxSetCacheConfig", code);
  return 0;
}

/* Bank sizes can be chosen on no GPU that this library runs on, and a driver may drop the calls: then there
 * is the default, and nothing to set. */
static bool has_banks(const void *entry) { return !cl_driver()->open || cl_entry_present(entry); }

int cl_context_get_shared_config(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUsharedconfig config = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
  if (has_banks((const void *)CU.cuCtxGetSharedMemConfig)) {
    enter(L, o);
    leave(L, o, "cuCtxGetSharedMemConfig", CU.cuCtxGetSharedMemConfig(&config));
  }
  lua_pushinteger(L, config);
  return 1;
}

int cl_context_set_shared_config(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  CUsharedconfig config = (CUsharedconfig)cl_check_enum(L, o ? 2 : 1, "config", "shared_config");
  if (!has_banks((const void *)CU.cuCtxSetSharedMemConfig)) return 0;
  enter(L, o);
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuCtxSetSharedMemConfig(config);
  cl_unrelax(mode);
  leave(L, o, "cuCtxSetSharedMemConfig", code);
  return 0;
}

/* The peer of ctx:enable_peer_access(peer), or of Context.enable_peer_access(peer), where nothing but flags
 * can follow; *o is the Context that gets access, NULL for the current one. */
static const cl_Context *peer_of(lua_State *L, const cl_Object **o, int *flags_at) {
  bool method = lua_gettop(L) >= 2 && lua_type(L, 2) != LUA_TNUMBER;
  int at = method ? 2 : 1;
  *o = method ? cl_check(L, 1, CL_CONTEXT) : NULL;
  *flags_at = at + 1;
  if (!cl_to_kind(L, at, CL_CONTEXT)) cl_bad_argument(L, at, "peer", "a Context");
  return (const cl_Context *)((const cl_Object *)cl_check(L, at, CL_CONTEXT))->rec;
}

/* The context that gets or loses access: o's, or the current one. The Lua stack holds it. */
static cl_Context *opening(lua_State *L, const cl_Object *o) {
  if (o) return (cl_Context *)o->rec;
  cl_Context *c = cl_context_current(L);
  cl_push_context(L, c);
  cl_rec_release(&c->rec);
  return c;
}

static void note_peer(cl_Context *c, uint64_t before, uint64_t after) {
  for (size_t i = 0; i < CL_MAX_DEVICES; i++) {
    uint64_t expected = before;
    if (atomic_compare_exchange_strong(&c->peers[i], &expected, after)) return;
  }
}

int cl_context_enable_peer_access(lua_State *L) {
  const cl_Object *o;
  int flags_at;
  const cl_Context *peer = peer_of(L, &o, &flags_at);
  if (!lua_isnoneornil(L, flags_at)) cl_check_int(L, flags_at, "flags", 0, 0);
  cl_Context *c = opening(L, o);
  cl_check(L, flags_at - 1, CL_CONTEXT); /* again: finalizers may have run */
  enter(L, o);
  leave(L, o, "cuCtxEnablePeerAccess", CU.cuCtxEnablePeerAccess((CUcontext)peer->rec.handle, 0));
  note_peer(c, 0, peer->rec.generation);
  return 0;
}

int cl_context_disable_peer_access(lua_State *L) {
  const cl_Object *o;
  int flags_at;
  const cl_Context *peer = peer_of(L, &o, &flags_at);
  cl_Context *c = opening(L, o);
  cl_check(L, flags_at - 1, CL_CONTEXT);
  cl_refuse_wait(L, "Context:disable_peer_access", c);
  cl_contexts_wait(1ull << c->device, NULL); /* the driver does not, and their accesses would be faults */
  enter(L, o);
  leave(L, o, "cuCtxDisablePeerAccess", CU.cuCtxDisablePeerAccess((CUcontext)peer->rec.handle));
  note_peer(c, peer->rec.generation, 0);
  return 0;
}
