/* Context: explicit (made by us), primary (retained by us) or foreign (the host program's own).
 *
 * The driver keeps a stack of current contexts per thread. A context that stands on it must not be
 * collected, so each Lua state remembers the pushes it made and holds a reference for each. A state that
 * closes takes them off again: the host program finds the stack as it was. */
#include "streams/capture.h"
#include "base/lock.h"
#include "base/state.h"
#include "streams/stream.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

cl_Context *cl_context_after(uint64_t generation) {
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
static bool is_gone(CUcontext handle) {
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

static CUresult destroy(cl_Rec *r) {
  const cl_Context *c = (const cl_Context *)r;
  if (c->ownership == CL_FOREIGN) return CUDA_SUCCESS;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = c->ownership == CL_EXPLICIT ? CU.cuCtxDestroy_v2((CUcontext)r->handle)
                                              : CU.cuDevicePrimaryCtxRelease_v2(c->device);
  cl_unrelax(mode);
  return code;
}

CL_FAMILY(CL_CONTEXT, .destroy = destroy, .dispose = unregister);

/* Pushes of this state */

typedef struct Push {
  cl_Rec *rec;      /* retained */
  pthread_t thread; /* whose stack it is on */
  bool owed;        /* the other way round: the program popped a context of the host program's */
} Push;

typedef struct Pushes {
  Push *list; /* oldest first */
  size_t n, room;
  uint64_t *threads; /* numbers of those in which this state has had a context, the latest last */
  size_t nthreads, thread_room;
  bool closed; /* the state is closing: nobody would give back what is pushed now */
} Pushes;

static const char pushes_key = 0;

static CUcontext handle_of(const Push *e) { return (CUcontext)(uintptr_t)e->rec->handle; }

/* Is it on the stack of this thread, and of r (NULL: of whatever)? */
static bool stands_here(const Push *e, const cl_Rec *r) {
  return !e->owed && pthread_equal(e->thread, pthread_self()) && (!r || e->rec == r);
}

static void forget_at(Pushes *p, size_t i) {
  cl_Rec *r = p->list[i].rec;
  memmove(&p->list[i], &p->list[i + 1], (p->n - i - 1) * sizeof *p->list);
  p->n--;
  cl_rec_release(r);
}

/* The newest one below `end`; p->n: there is none. */
static size_t newest_below(const Pushes *p, size_t end, const cl_Rec *r) {
  for (size_t i = end; i-- > 0;)
    if (stands_here(&p->list[i], r)) return i;
  return p->n;
}

/* Takes what this state pushed (of r alone, or with NULL everything) off this thread's stack. Entries of
 * others that stand above come off as well and go back. One of ours may be missing: somebody else popped it.
 */
static void take_off(Pushes *p, const cl_Rec *r) {
  CUcontext *off = NULL, top; /* what came off, topmost first */
  size_t n = 0, room = 0;
  size_t wanted = newest_below(p, p->n, r);
  while (wanted < p->n && !CU.cuCtxGetCurrent(&top) && top) {
    if (n == room) {
      CUcontext *more = realloc(off, (room = 2 * room + 8) * sizeof(CUcontext));
      if (!more) break;
      off = more;
    }
    if (CU.cuCtxPopCurrent_v2(&top)) break;
    off[n++] = top;
    if (top == handle_of(&p->list[wanted])) wanted = newest_below(p, wanted, r);
  }
  size_t from = 0;
  for (size_t i = newest_below(p, p->n, r); i < p->n; i = newest_below(p, i, r)) {
    size_t k = from;
    while (k < n && off[k] != handle_of(&p->list[i])) k++;
    if (k < n) {
      off[k] = NULL;
      from = k + 1;
    }
    forget_at(p, i);
  }
  while (n-- > 0)
    if (off[n]) CU.cuCtxPushCurrent_v2(off[n]);
  free(off);
}

/* Unlike the system's names of threads, a number that is never given again. */
static uint64_t thread_number(void) {
  static _Atomic uint64_t last;
  static __thread uint64_t mine;
  if (!mine) mine = ++last;
  return mine;
}

/* Has the host program had a context of its own current on this thread? Then it decides what is. */
static __thread bool hosted;

/* Entries on other threads' stacks are out of reach. There, an explicit context that is destroyed answers
 * with an error; but a primary one is the host program's too, so it stays retained. */
static int pushes_gc(lua_State *L) {
  Pushes *p = lua_touserdata(L, 1);
  if (cl_forked) return 0;
  take_off(p, NULL);
  while (p->n) {
    const Push *e = &p->list[--p->n];
    if (((const cl_Context *)e->rec)->ownership != CL_PRIMARY) cl_rec_release(e->rec);
  }
  free(p->list);
  free(p->threads);
  *p = (Pushes){.closed = true};
  return 0;
}

static Pushes *pushes(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&pushes_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  Pushes *p = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return p;
}

/* Made before every other userdata, so finalized after them. */
static void open_pushes(lua_State *L) {
  Pushes *p = lua_newuserdata(L, sizeof *p);
  memset(p, 0, sizeof *p);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, pushes_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushlightuserdata(L, (void *)&pushes_key);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}
CL_HOOK(cl_on_state_open, 2, open_pushes);

static bool had_here(const Pushes *p) {
  const uint64_t me = thread_number();
  for (size_t i = p->nthreads; i-- > 0;)
    if (p->threads[i] == me) return true;
  return false;
}

bool cl_had_context(lua_State *L) { return hosted || had_here(pushes(L)); }
bool cl_contexts_closed(lua_State *L) { return pushes(L)->closed; }

/* Their objects are dead from here on, and this state may start anew. */
static void abandon(lua_State *L) {
  pthread_mutex_lock(&list_lock);
  for (cl_Context *c = list; c; c = c->next) c->rec.life = CL_CLOSED;
  cl_closes++;
  pthread_mutex_unlock(&list_lock);
  pushes(L)->nthreads = 0;
}
CL_HOOK(cl_on_driver_reset, 1, abandon);

/* Room for one more, before the driver call: so that nothing can fail after it. */
static Pushes *reserve(lua_State *L) {
  Pushes *p = pushes(L);
  if (p->nthreads == p->thread_room && !p->closed && !had_here(p)) {
    size_t room = p->thread_room ? 2 * p->thread_room : 4;
    uint64_t *more = realloc(p->threads, room * sizeof *more);
    if (!more) luaL_error(L, "not enough memory");
    p->threads = more;
    p->thread_room = room;
  }
  if (p->n == p->room && !p->closed) {
    size_t room = p->room ? 2 * p->room : 8;
    Push *more = realloc(p->list, room * sizeof *more);
    if (!more) luaL_error(L, "not enough memory");
    p->list = more;
    p->room = room;
  }
  return p;
}

static Pushes *reserve_push(lua_State *L) {
  Pushes *p = reserve(L);
  if (p->closed) cl_logic(L, "this Lua state is closing: no context can be made or pushed any more");
  return p;
}

static void note_push(Pushes *p, cl_Context *c) {
  if (!had_here(p)) p->threads[p->nthreads++] = thread_number();
  for (size_t i = c->ownership == CL_FOREIGN ? p->n : 0; i-- > 0;) {
    const Push *e = &p->list[i];
    if (!e->owed || e->rec->handle != c->rec.handle || !pthread_equal(e->thread, pthread_self())) continue;
    forget_at(p, i); /* given back */
    return;
  }
  p->list[p->n++] = (Push){cl_rec_retain(&c->rec), pthread_self(), false};
}

/* `popped` was taken off; c is what it stands for, NULL if it was destroyed. Room was reserved. */
static void note_pop(Pushes *p, CUcontext popped, cl_Context *c) {
  for (size_t i = newest_below(p, p->n, NULL); i < p->n; i = newest_below(p, i, NULL))
    if (handle_of(&p->list[i]) == popped) {
      forget_at(p, i);
      return;
    }
  if (c && c->ownership == CL_FOREIGN && !p->closed)
    p->list[p->n++] = (Push){cl_rec_retain(&c->rec), pthread_self(), true};
}

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
  if (is_gone(handle)) cl_logic(L, "the current context was detached: Context.pop() it or push another");
  CUdevice dev = 0;
  CL_TRY(L, cuCtxGetDevice, &dev);
  return wrap_foreign(L, handle, dev);
}

cl_Context *cl_context_current(lua_State *L) {
  CUcontext handle = cl_current(L);
  if (!handle) cl_fail(L, "cuCtxGetCurrent", CUDA_ERROR_INVALID_CONTEXT);
  cl_Context *c = known_or_wrapped(L, handle);
  if (c->ownership == CL_FOREIGN) hosted = true;
  return c;
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
  Pushes *p = reserve_push(L);
  cl_Context *c = new_context(L, dev, CL_EXPLICIT);
  CUcontext handle = NULL;
  if (cl_entry_present((const void *)CU.cuCtxCreate_v4))
    CL_TRY(L, cuCtxCreate_v4, &handle, NULL, (unsigned)flags, dev);
  else
    CL_TRY(L, cuCtxCreate_v2, &handle, (unsigned)flags, dev);
  c->rec.handle = (uint64_t)(uintptr_t)handle;
  c->rec.life = CL_LIVE;
  cl_context_register(c);
  note_push(p, c);
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

/* INVALID_CONTEXT is about r here: nothing is started. */
void cl_push_current(lua_State *L, const cl_Rec *r) {
  CUresult code = CU.cuCtxPushCurrent_v2((CUcontext)r->handle);
  if (code) cl_fail(L, "cuCtxPushCurrent_v2", code);
}

int cl_context_push(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_CONTEXT);
  Pushes *p = reserve_push(L);
  cl_push_current(L, o->rec);
  note_push(p, (cl_Context *)o->rec);
  lua_settop(L, 1);
  return 1;
}

/* Context.pop() -> the context taken off. Entries of destroyed contexts are skipped; a context that
 * somebody else made is wrapped while it is still current. */
int cl_context_pop(lua_State *L) {
  for (;;) {
    Pushes *p = reserve(L);
    CUcontext handle = NULL;
    CUresult code = CU.cuCtxGetCurrent(&handle); /* which starts nothing */
    if (code) cl_fail(L, "cuCtxGetCurrent", code);
    cl_Context *c = handle && !is_gone(handle) ? cl_context_current(L) : NULL;
    if (c) { /* before the pop: no failure of Lua's may come after it; the userdata holds c from here on */
      cl_push_context(L, c);
      cl_rec_release(&c->rec);
    }
    code = CU.cuCtxPopCurrent_v2(&handle);
    if (!code && !handle) code = CUDA_ERROR_INVALID_CONTEXT;
    if (code) cl_fail(L, "cuCtxPopCurrent_v2", code);
    note_pop(p, handle, c);
    if (c) return 1;
  }
}

/* context_depth() -> how many more pushes than pops this state has made */
int cl_context_depth(lua_State *L) {
  const Pushes *p = pushes(L);
  lua_Integer depth = 0;
  for (size_t i = 0; i < p->n; i++) depth += p->list[i].owed ? -1 : 1;
  lua_pushinteger(L, depth);
  return 1;
}

int cl_context_detach(lua_State *L) {
  cl_Object *o = cl_check(L, 1, CL_CONTEXT);
  cl_Context *c = (cl_Context *)o->rec;
  if (c->users == 1) cl_refuse_wait(L, "Context:detach", c);
  /* Page-locked memory of c may be in use in another context, and c go on with the host program. */
  if (c->users == 1) cl_anchors_wait(L);
  cl_queue_drain(); /* while what waits there can still be destroyed in it */
  Pushes *p = pushes(L);
  CUresult code = CUDA_SUCCESS;
  pthread_mutex_lock(&adopt_lock);
  if (atomic_fetch_sub(&c->users, 1) == 1) {
    take_off(p, &c->rec);
    code = cl_rec_close_here(L, &c->rec);
  }
  pthread_mutex_unlock(&adopt_lock);
  if (code && !cl_code_sticky(code) && code != CUDA_ERROR_DEINITIALIZED)
    cl_fail(L, c->ownership == CL_PRIMARY ? "cuDevicePrimaryCtxRelease_v2" : "cuCtxDestroy_v2", code);
  return 0;
}

/* What the driver does for the current context alone, ctx:method() does for ctx and Context.method() for the
 * current one. */

/* The Context at index 1, or NULL: the arguments begin there. */
static const cl_Object *receiver(lua_State *L) {
  return cl_to_kind(L, 1, CL_CONTEXT) ? cl_check(L, 1, CL_CONTEXT) : NULL;
}

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
  const cl_Object *o = lua_isnoneornil(L, 1) ? NULL : cl_check(L, 1, CL_CONTEXT);
  cl_refuse_wait(L, "Context.synchronize", o ? (const cl_Context *)o->rec : NULL);
  if (o && cl_entry_present((const void *)CU.cuCtxSynchronize_v2)) {
    CUresult code = CU.cuCtxSynchronize_v2((CUcontext)o->rec->handle);
    if (code) {
      enter(L, o);
      leave(L, o, "cuCtxSynchronize_v2", code);
    }
  } else {
    enter(L, o);
    leave(L, o, "cuCtxSynchronize", CU.cuCtxSynchronize());
  }
  cl_after_wait(L);
  return 0;
}

int cl_context_get_flags(lua_State *L) {
  const cl_Object *o = receiver(L);
  unsigned flags = 0;
  enter(L, o);
  leave(L, o, "cuCtxGetFlags", CU.cuCtxGetFlags(&flags));
  lua_pushinteger(L, flags);
  return 1;
}

int cl_context_get_api_version(lua_State *L) {
  const cl_Object *o = receiver(L);
  unsigned version = 0;
  CL_TRY(L, cuCtxGetApiVersion, o ? (CUcontext)o->rec->handle : NULL, &version);
  lua_pushinteger(L, version);
  return 1;
}

/* Has a sticky error ended the context's device for this process? Asking starts no context. */
int cl_context_is_poisoned(lua_State *L) {
  const cl_Object *o = receiver(L);
  CUdevice dev = 0;
  if (o)
    dev = ((const cl_Context *)o->rec)->device;
  else
    dev = cl_current_device(L);
  lua_pushboolean(L, dev >= 0 && dev < CL_MAX_DEVICES && cl_poison[dev]);
  return 1;
}

int cl_context_get_limit(lua_State *L) {
  const cl_Object *o = receiver(L);
  CUlimit limit = (CUlimit)cl_check_attribute(L, o ? 2 : 1, "limit", "limit");
  size_t value = 0;
  enter(L, o);
  leave(L, o, "cuCtxGetLimit", CU.cuCtxGetLimit(&value, limit));
  lua_pushnumber(L, (lua_Number)value);
  return 1;
}

int cl_context_set_limit(lua_State *L) {
  const cl_Object *o = receiver(L);
  CUlimit limit = (CUlimit)cl_check_attribute(L, o ? 2 : 1, "limit", "limit");
  size_t value = cl_check_bytes(L, o ? 3 : 2, "value");
  cl_refuse_in_capture(L, "Context.set_limit");
  enter(L, o);
  leave(L, o, "cuCtxSetLimit", CU.cuCtxSetLimit(limit, value));
  return 0;
}

int cl_context_get_cache_config(lua_State *L) {
  const cl_Object *o = receiver(L);
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_NONE;
  enter(L, o);
  leave(L, o, "cuCtxGetCacheConfig", CU.cuCtxGetCacheConfig(&config));
  lua_pushinteger(L, config);
  return 1;
}

int cl_context_set_cache_config(lua_State *L) {
  const cl_Object *o = receiver(L);
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
  const cl_Object *o = receiver(L);
  CUsharedconfig config = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
  if (has_banks((const void *)CU.cuCtxGetSharedMemConfig)) {
    enter(L, o);
    leave(L, o, "cuCtxGetSharedMemConfig", CU.cuCtxGetSharedMemConfig(&config));
  }
  lua_pushinteger(L, config);
  return 1;
}

int cl_context_set_shared_config(lua_State *L) {
  const cl_Object *o = receiver(L);
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

void cl_contexts_wait(uint64_t devices, const cl_Context *except) {
  uint64_t last = 0;
  if (cl_captures) return;
  for (cl_Context *c; (c = cl_context_after(last)); cl_rec_release(&c->rec)) {
    CUcontext popped;
    last = c->rec.generation;
    if (c == except || !(devices >> c->device & 1) || cl_poison[c->device] ||
        CU.cuCtxPushCurrent_v2((CUcontext)c->rec.handle))
      continue;
    CU.cuCtxSynchronize();
    CU.cuCtxPopCurrent_v2(&popped);
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

/* What is current on the thread, which the caller wants to share: nothing is started in its place. */
static cl_Context *attachable(lua_State *L) {
  cl_current_device(L);
  return cl_context_current(L);
}

/* Context.attach([flags]) of the current context, ctx:attach(): one detach() more until it is destroyed. */
int cl_context_attach(lua_State *L) {
  const cl_Object *o = receiver(L);
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
  if (is_gone(handle)) cl_logic(L, "%s: this Context was detached", what);
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
  if (!handle || is_gone(handle)) {
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

int cl_context_handle(lua_State *L) {
  lua_pushnumber(L, (lua_Number)((const cl_Object *)cl_check(L, 1, CL_CONTEXT))->rec->handle);
  return 1;
}

/* A kernel's failure is reported by whatever call comes next: the kernel launched last in the stream that was
 * waited for, else in the context, is the one to name. */
static void name_last_kernel(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  (void)call;
  if (!cl_code_sticky(code)) return;
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
