/* Context: explicit (made by us), primary (retained by us) or foreign (the host program's own). */
#include "streams/capture.h"
#include "streams/pushes.h"
#include "streams/stream.h"
#include "base/lock.h"

#include <stdatomic.h>

void *cl_push_context(lua_State *L, cl_Context *c) {
  return cl_push_interned(L, c, &c->rec, CL_CONTEXT, sizeof(cl_Object));
}

/* One record for each context, whichever thread is first: held where it is looked for and made, and where a
 * primary one is given back. */
CL_LOCK(adopt_lock);

static cl_Context *wrap_foreign(lua_State *L, CUcontext handle, CUdevice dev) {
  cl_Context *c = (cl_Context *)cl_rec_new(CL_CONTEXT, sizeof *c, NULL);
  if (!c) luaL_error(L, "not enough memory");
  c->device = dev;
  c->ownership = CL_FOREIGN;
  c->users = 1;
  c->rec.handle = (uint64_t)(uintptr_t)handle;
  pthread_mutex_lock(&adopt_lock);
  cl_Context *known = cl_context_find(handle); /* another thread may have wrapped it just now */
  if (!known) {
    c->rec.life = CL_LIVE;
    cl_context_register(c);
  }
  pthread_mutex_unlock(&adopt_lock);
  if (!known) return c;
  cl_rec_release(&c->rec);
  return known;
}

static cl_Context *known_or_wrapped(lua_State *L, CUcontext handle) {
  cl_Context *c = cl_context_find(handle);
  if (c) return c;
  if (cl_context_is_gone(handle))
    cl_logic(L, "the current context was detached: Context.pop() it or push another");
  CUdevice dev = 0;
  CL_TRY(L, cuCtxGetDevice, &dev);
  return wrap_foreign(L, handle, dev);
}

cl_Context *cl_context_current(lua_State *L) {
  CUcontext handle = cl_current(L);
  if (!handle) cl_fail(L, "cuCtxGetCurrent", CUDA_ERROR_INVALID_CONTEXT);
  cl_Context *c = known_or_wrapped(L, handle);
  if (c->ownership == CL_FOREIGN) cl_thread_is_hosted();
  return c;
}

void *cl_push_in_current(lua_State *L, cl_Kind kind, size_t object, size_t record) {
  cl_Object *o = cl_push(L, kind, object); /* first, as it may raise: the context is retained */
  cl_Context *c = cl_context_current(L);
  o->rec = cl_rec_new(kind, record, &c->rec);
  cl_rec_release(&c->rec);
  if (!o->rec) luaL_error(L, "not enough memory");
  return o->rec;
}

void cl_still_current(lua_State *L, const cl_Context *c) {
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  if (current != (CUcontext)c->rec.handle || c->rec.life != CL_LIVE)
    cl_logic(L, "a finalizer that ran during this call changed the current context");
}

/* Makes the record and its userdata; the caller fills in handle and life. */
static cl_Context *new_context(lua_State *L, CUdevice dev, cl_Ownership ownership) {
  cl_Object *o = cl_push(L, CL_CONTEXT, sizeof *o);
  cl_Context *c = (cl_Context *)cl_rec_new(CL_CONTEXT, sizeof *c, NULL);
  if (!c) luaL_error(L, "not enough memory");
  c->device = dev;
  c->ownership = ownership;
  c->users = 1;
  o->rec = &c->rec; /* the first reference is this throw-away userdata's: an error below frees it */
  return c;
}

int cl_device_make_context(lua_State *L) {
  const cl_DeviceObject *d = cl_check(L, 1, CL_DEVICE);
  long flags = cl_check_flags(L, 2, "flags", "ctx_flags", CU_CTX_FLAGS_MASK);
  cl_refuse_in_capture(L, "make_context");
  CUdevice dev;
  CL_TRY(L, cuDeviceGet, &dev, d->ordinal);
  cl_Pushes *p = cl_pushes_reserve(L);
  cl_Context *c = new_context(L, dev, CL_EXPLICIT);
  CUcontext handle = NULL;
  if (cl_entry_present((const void *)CU.cuCtxCreate_v4))
    CL_TRY(L, cuCtxCreate_v4, &handle, NULL, (unsigned)flags, dev);
  else
    CL_TRY(L, cuCtxCreate_v2, &handle, (unsigned)flags, dev);
  c->rec.handle = (uint64_t)(uintptr_t)handle;
  c->rec.life = CL_LIVE;
  cl_context_register(c);
  cl_pushes_note(p, c);
  cl_push_context(L, c);
  return 1;
}

int cl_device_retain_primary_context(lua_State *L) {
  const cl_DeviceObject *d = cl_check(L, 1, CL_DEVICE);
  CUdevice dev;
  CL_TRY(L, cuDeviceGet, &dev, d->ordinal);
  cl_Context *c = new_context(L, dev, CL_PRIMARY);
  CUcontext handle = NULL;
  CUresult code = CUDA_SUCCESS;
  pthread_mutex_lock(&adopt_lock);
  cl_Context *known = cl_context_primary(dev);
  if (known) {
    known->users++;
  } else if (!(code = CU.cuDevicePrimaryCtxRetain(&handle, dev))) {
    known = cl_context_find(handle);
    if (known) { /* the host program's, and objects are made in it: it is ours as well now */
      known->ownership = CL_PRIMARY;
    } else {
      c->rec.handle = (uint64_t)(uintptr_t)handle;
      c->rec.life = CL_LIVE;
      cl_context_register(c);
    }
  }
  pthread_mutex_unlock(&adopt_lock);
  if (code) cl_fail(L, "cuDevicePrimaryCtxRetain", code);
  cl_push_context(L, known ? known : c);
  if (known) cl_rec_release(&known->rec);
  return 1;
}

int cl_context_detach(lua_State *L) {
  cl_Object *o = cl_check(L, 1, CL_CONTEXT);
  cl_Context *c = (cl_Context *)o->rec;
  if (c->users == 1) cl_refuse_wait(L, "Context:detach", c);
  /* Page-locked memory of c may be in use in another context, and c go on with the host program. */
  if (c->users == 1) cl_anchors_wait(L);
  cl_queue_drain(); /* while what waits there can still be destroyed in it */
  cl_Pushes *p = cl_pushes(L);
  CUresult code = CUDA_SUCCESS;
  cl_Unseen unseen;
  cl_unseen_begin(&unseen);
  pthread_mutex_lock(&adopt_lock);
  if (atomic_fetch_sub(&c->users, 1) == 1) {
    cl_pushes_take_off(p, &c->rec);
    code = cl_rec_close_here(L, &c->rec);
  }
  pthread_mutex_unlock(&adopt_lock);
  cl_completions_release(L);
  cl_unseen_end(L, &unseen);
  if (code && !cl_code_sticky(code) && code != CUDA_ERROR_DEINITIALIZED)
    cl_fail(L, c->ownership == CL_PRIMARY ? "cuDevicePrimaryCtxRelease_v2" : "cuCtxDestroy_v2", code);
  return 0;
}

/* The Context at index 1, or NULL: the arguments begin there. */
const cl_Object *cl_context_receiver(lua_State *L) {
  cl_refuse_class(L, "Context");
  return cl_to_kind(L, 1, CL_CONTEXT) ? cl_check(L, 1, CL_CONTEXT) : NULL;
}

/* What is current on the thread, which the caller wants to share: nothing is started in its place. */
static cl_Context *attachable(lua_State *L) {
  cl_current_device(L);
  return cl_context_current(L);
}

/* Context.attach([flags]) of the current context, ctx:attach(): one detach() more until it is destroyed. */
int cl_context_attach(lua_State *L) {
  const cl_Object *o = cl_context_receiver(L);
  int flags_at = o ? 2 : 1;
  if (!lua_isnoneornil(L, flags_at)) cl_check_int(L, flags_at, "flags", 0, 0);
  cl_Context *c = o ? (cl_Context *)cl_rec_retain(o->rec) : attachable(L);
  cl_push_context(L, c); /* the userdata holds it from here on */
  cl_rec_release(&c->rec);
  c->users++;
  return 1;
}

cl_Context *cl_context_wrap(lua_State *L, CUcontext handle, const char *what) {
  cl_Context *c = cl_context_find(handle);
  if (c) return c;
  CUcontext popped;
  CUdevice dev = 0;
  if (cl_context_is_gone(handle)) cl_logic(L, "%s: this Context was detached", what);
  CL_TRY(L, cuCtxPushCurrent_v2, handle);
  CUresult code = CU.cuCtxGetDevice(&dev);
  CU.cuCtxPopCurrent_v2(&popped);
  if (code) cl_fail(L, "cuCtxGetDevice", code);
  return wrap_foreign(L, handle, dev);
}

/* wrap_context(handle): the Context that stands for a CUcontext of other code, which keeps owning it. */
int cl_wrap_context(lua_State *L) {
  CUcontext handle = (CUcontext)(uintptr_t)cl_check_bytes(L, 1, "handle");
  if (!handle || !cl_may_be_handle((uintptr_t)handle))
    cl_bad_argument(L, 1, "handle", "the handle of a context");
  cl_Context *c = cl_context_wrap(L, handle, "wrap_context");
  cl_push_context(L, c);
  cl_rec_release(&c->rec);
  return 1;
}

CUdevice cl_current_device(lua_State *L) {
  CUdevice dev = 0;
  CUresult code = CU.cuCtxGetDevice(&dev);
  if (code) cl_fail(L, "cuCtxGetDevice", code);
  return dev;
}

/* Context.get_current() -> Context or nil; starts nothing. */
int cl_context_get_current(lua_State *L) {
  CUcontext handle = NULL;
  CUresult code = CU.cuCtxGetCurrent(&handle);
  if (code && (code != CUDA_ERROR_NOT_INITIALIZED || cl_driver()->open)) cl_fail(L, "cuCtxGetCurrent", code);
  if (!handle || cl_context_is_gone(handle)) {
    lua_pushnil(L);
    return 1;
  }
  cl_Context *c = cl_context_current(L);
  cl_push_context(L, c);
  cl_rec_release(&c->rec);
  return 1;
}

/* ctx:get_device(), or Context.get_device() of the current context. */
int cl_context_get_device(lua_State *L) {
  CUdevice dev = 0;
  if (lua_isnoneornil(L, 1))
    CL_TRY(L, cuCtxGetDevice, &dev);
  else
    dev = ((const cl_Context *)((const cl_Object *)cl_check(L, 1, CL_CONTEXT))->rec)->device;
  cl_push_device(L, dev);
  return 1;
}

int cl_context_handle(lua_State *L) { return cl_handle_method(L, CL_CONTEXT); }
