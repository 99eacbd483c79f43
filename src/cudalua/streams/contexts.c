/* The contexts of this process that this library knows of: made, retained or wrapped here. */
#include "base/lock.h"
#include "streams/stream.h"
#include "streams/wait.h"

#include <stdlib.h>

/* A context that we destroyed may still stand on a thread's stack, and the driver takes pushes of it.
 * Its handle is remembered until the driver gives it to a new context. */
typedef struct Tombstone {
  uint64_t handle;
  struct Tombstone *next;
} Tombstone;

CL_LOCK(list_lock);
static cl_Context *list;
static Tombstone *tombstones;

void cl_context_register(cl_Context *c) {
  pthread_mutex_lock(&list_lock);
  c->next = list;
  list = c;
  for (Tombstone **p = &tombstones; *p; p = &(*p)->next)
    if ((*p)->handle == c->rec.handle) {
      Tombstone *t = *p;
      *p = t->next;
      free(t);
      break;
    }
  pthread_mutex_unlock(&list_lock);
}

static void unregister(cl_Rec *r) {
  const cl_Context *c = (const cl_Context *)r;
  pthread_mutex_lock(&list_lock);
  bool listed = false, reused = false;
  for (cl_Context **p = &list; *p;)
    if (*p == c) {
      *p = c->next;
      listed = true;
    } else {
      reused = reused || (*p)->rec.handle == c->rec.handle;
      p = &(*p)->next;
    }
  Tombstone *t = listed && !reused && c->ownership == CL_EXPLICIT ? malloc(sizeof *t) : NULL;
  if (t) {
    t->handle = c->rec.handle;
    t->next = tombstones;
    tombstones = t;
  }
  pthread_mutex_unlock(&list_lock);
}

static cl_Context *find(bool (*matches)(const cl_Context *, const void *), const void *what) {
  cl_Context *found = NULL;
  pthread_mutex_lock(&list_lock);
  for (cl_Context *c = list; c && !found; c = c->next)
    if (c->rec.life == CL_LIVE && matches(c, what) && cl_rec_retain_if(&c->rec)) found = c;
  pthread_mutex_unlock(&list_lock);
  return found;
}

static bool has_handle(const cl_Context *c, const void *what) {
  return c->rec.handle == (uint64_t)(uintptr_t)what;
}
static bool is_primary_of(const cl_Context *c, const void *what) {
  return c->ownership == CL_PRIMARY && c->device == *(const CUdevice *)what;
}

cl_Context *cl_context_find(CUcontext handle) { return find(has_handle, handle); }
cl_Context *cl_context_primary(CUdevice dev) { return find(is_primary_of, &dev); }

/* The next younger live one, retained; NULL past the last. */
static cl_Context *next_after(uint64_t generation) {
  cl_Context *next = NULL;
  pthread_mutex_lock(&list_lock);
  for (cl_Context *c = list; c; c = c->next)
    if (c->rec.life == CL_LIVE && c->rec.refs && c->rec.generation > generation &&
        (!next || c->rec.generation < next->rec.generation))
      next = c;
  if (next && !cl_rec_retain_if(&next->rec)) next = NULL;
  pthread_mutex_unlock(&list_lock);
  return next;
}

/* Was it destroyed? A primary one that is given back may be the host program's as well, and go on. */
bool cl_context_is_gone(CUcontext handle) {
  bool gone = false, live = false, primary = false;
  CUdevice dev = 0;
  pthread_mutex_lock(&list_lock);
  for (const cl_Context *c = list; c; c = c->next)
    if (c->ownership != CL_FOREIGN && has_handle(c, handle)) {
      *(c->rec.life == CL_LIVE ? &live : &gone) = true;
      primary = primary || c->ownership == CL_PRIMARY;
      dev = c->device;
    }
  for (const Tombstone *t = tombstones; t && !gone; t = t->next)
    gone = t->handle == (uint64_t)(uintptr_t)handle;
  gone = gone && !live; /* the driver gave the handle out again */
  pthread_mutex_unlock(&list_lock);
  unsigned flags;
  int active = 0;
  return gone && !(primary && !CU.cuDevicePrimaryCtxGetState(dev, &flags, &active) && active);
}

/* The objects of all of them are dead from here on. */
static void abandon(lua_State *L) {
  (void)L;
  pthread_mutex_lock(&list_lock);
  for (cl_Context *c = list; c; c = c->next) c->rec.life = CL_CLOSED;
  cl_closes++;
  pthread_mutex_unlock(&list_lock);
}
CL_HOOK(cl_on_driver_reset, 1, abandon);

/* Did its work end with our part of it? Of a primary one the host program may have a part. */
static bool is_over(const cl_Context *c) {
  unsigned flags;
  int active = 0;
  return c->ownership == CL_EXPLICIT || cl_poison[c->device] ||
         (!CU.cuDevicePrimaryCtxGetState(c->device, &flags, &active) && !active);
}

static CUresult destroy(cl_Rec *r) {
  const cl_Context *c = (const cl_Context *)r;
  if (c->ownership == CL_FOREIGN) return CUDA_SUCCESS;
  CUstreamCaptureMode mode = cl_relax();
  cl_tell_unseen(c);
  CUresult code = c->ownership == CL_EXPLICIT ? CU.cuCtxDestroy_v2((CUcontext)r->handle)
                                              : CU.cuDevicePrimaryCtxRelease_v2(c->device);
  if (is_over(c)) cl_completions_drop(r->handle, (CUresult)cl_poison[c->device]);
  cl_unrelax(mode);
  return code;
}

CL_FAMILY(CL_CONTEXT, .destroy = destroy, .dispose = unregister);

void cl_contexts_wait(uint64_t devices, const cl_Context *except) {
  uint64_t last = 0;
  if (cl_captures) return;
  for (cl_Context *c; (c = next_after(last)); cl_rec_release(&c->rec)) {
    CUcontext popped;
    last = c->rec.generation;
    if (c == except || !(devices >> c->device & 1) || cl_poison[c->device] ||
        CU.cuCtxPushCurrent_v2((CUcontext)c->rec.handle))
      continue;
    cl_wait_context_anyway();
    CU.cuCtxPopCurrent_v2(&popped);
  }
}

/* A kernel's failure is reported by whatever call comes next: the kernel launched last in the stream that was
 * waited for, else in the context, is the one to name. */
static void name_last_kernel(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  (void)call;
  if (!cl_code_sticky(code) && code != CL_INTERRUPTED) return;
  CUcontext handle = NULL;
  cl_Context *c = NULL;
  const char *kernel = NULL;
  if (waited && waited->parent) {
    if (waited->kind == CL_STREAM) kernel = ((const cl_Stream *)waited)->last_kernel;
    c = (cl_Context *)cl_rec_retain(waited->parent);
  } else if (!CU.cuCtxGetCurrent(&handle) && handle)
    c = cl_context_find(handle);
  if (!kernel && c) kernel = c->last_kernel;
  cl_rec_release(c ? &c->rec : NULL);
  if (!kernel) return;
  lua_pushstring(L, kernel);
  lua_setfield(L, -2, "kernel");
}
CL_HOOK(cl_on_failed_call, 2, name_last_kernel);
