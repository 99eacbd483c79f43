/* Records and userdata: see object.h for the protocol. */
#include "base/interrupt.h"
#include "base/account.h"
#include "base/lock.h"
#include "base/state.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cl_magic = 0;
cl_Rec cl_no_owner = {.refs = 1, .life = CL_LIVE, .kind = CL_POINTER};

cl_Family cl_families[CL_NKINDS];

static const struct {
  const char *name;
  const char *closed;
  unsigned traits;
} kinds[CL_NKINDS] = {
#define CL_KIND(kind, name, closed, traits) [kind] = {name, closed, traits},
#include "base/kinds.def"
#undef CL_KIND
};

const char *cl_kind_name(cl_Kind kind) { return kinds[kind].name; }
const char *cl_kind_closed(cl_Kind kind) { return kinds[kind].closed; }
bool cl_kind_is_memory(cl_Kind kind) { return kinds[kind].traits & CL_MEMORY; }

static _Atomic uint64_t generations, failed_destroys;
/* A context is destroyed under the write lock, everything else under the read lock: so nothing is
 * destroyed in a context that another thread is destroying. */
static pthread_rwlock_t destroy_lock = PTHREAD_RWLOCK_INITIALIZER;
CL_IN_FORK(destroy_lock, pthread_rwlock_init(&destroy_lock, NULL));

uint64_t cl_failed_destroys(void) { return failed_destroys; }

_Atomic uint64_t cl_write_mark;

void cl_rec_open(cl_Rec *r, cl_Kind kind, size_t bytes, cl_Rec *parent) {
  memset(r, 0, bytes);
  atomic_init(&r->refs, 1);
  atomic_init(&r->life, CL_NEW);
  r->kind = kind;
  r->waits = kinds[kind].traits & CL_WAITS;
  r->generation = ++generations;
  r->written = atomic_load_explicit(&cl_write_mark, memory_order_relaxed);
  r->parent = parent ? cl_rec_retain(parent) : NULL;
}

cl_Rec *cl_rec_new(cl_Kind kind, size_t bytes, cl_Rec *parent) {
  cl_Rec *r = malloc(bytes); /* calloc() has no cache for each thread */
  if (r) cl_rec_open(r, kind, bytes, parent);
  return r;
}

bool cl_closing_enter(void) { return !pthread_rwlock_tryrdlock(&destroy_lock); }
void cl_closing_leave(void) { pthread_rwlock_unlock(&destroy_lock); }

cl_Rec *cl_rec_retain(cl_Rec *r) {
  atomic_fetch_add(&r->refs, 1);
  return r;
}

bool cl_rec_retain_if(cl_Rec *r) {
  uint32_t n = r->refs;
  while (n)
    if (atomic_compare_exchange_weak(&r->refs, &n, n + 1)) return true;
  return false;
}

bool cl_rec_live(const cl_Rec *r) {
  if (!r) return false; /* finalized, or never made */
  for (; r; r = r->parent)
    if (r->life != CL_LIVE) return false;
  return true;
}

cl_Context *cl_rec_context(cl_Rec *r) {
  while (r && r->kind != CL_CONTEXT) r = r->parent;
  return (cl_Context *)r;
}

/* The owner must be current for some destroys, and none of them may break a stream capture that the program
 * has under way on this thread. What goes in the order of a stream, or has no owner, sees to that itself. */
static CUresult destroy_in(const cl_Context *c, cl_Rec *r) {
  if (r->tracks) return cl_families[r->kind].destroy(r);
  CUcontext mine = (CUcontext)c->rec.handle, current = NULL, popped;
  const CUresult pushed = CU.cuCtxPushCurrent_v2(mine);
  if (pushed) { /* which the context that is current can do without */
    if (cl_code_sticky(pushed) || CU.cuCtxGetCurrent(&current) || current != mine) return pushed;
    cl_log_clear();
  }
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = cl_families[r->kind].destroy(r);
  cl_unrelax(mode);
  if (!pushed) CU.cuCtxPopCurrent_v2(&popped);
  return code;
}

static CUresult destroy(cl_Rec *r) {
  cl_Context *c = cl_rec_context(r);
  bool poisoned = c && cl_poison[c->device];
  if (r->kind == CL_CONTEXT) cl_unaccount_context(c, !poisoned);
  if (poisoned) return CUDA_SUCCESS; /* no call can succeed any more */
  if (!c || r->kind == CL_CONTEXT) return cl_families[r->kind].destroy(r);
  if (!cl_rec_live(r->parent)) return CUDA_SUCCESS; /* went with its parent */
  return destroy_in(c, r);
}

_Atomic uint64_t cl_closes;

/* `seen`: others may refer to r, so they have to look again. Counted between its end and that of its handle:
 * not before, or another thread could look too early. */
static CUresult close_locked(cl_Rec *r, bool seen) {
  uint32_t live = CL_LIVE, lost = CL_LOST;
  CUresult code = CUDA_SUCCESS;
  if (atomic_compare_exchange_strong(&r->life, &live, CL_CLOSED) ||
      atomic_compare_exchange_strong(&r->life, &lost, CL_CLOSED)) {
    if (seen) cl_closes++;
    code = destroy(r);
    cl_unaccount(r);
  }
  pthread_rwlock_unlock(&destroy_lock);
  return code;
}

CUresult cl_rec_close(cl_Rec *r) {
  if (!cl_families[r->kind].destroy || cl_forked) return CUDA_SUCCESS;
  if (r->kind == CL_CONTEXT)
    pthread_rwlock_wrlock(&destroy_lock);
  else
    pthread_rwlock_rdlock(&destroy_lock);
  return close_locked(r, true);
}

CUresult cl_rec_close_here(lua_State *L, cl_Rec *r) {
  if (r->waits) cl_tie_up();
  if (cl_interrupts_on() && r->waits && cl_rec_live(r)) CL_RUN_HOOKS(cl_on_waiting_close, L);
  r->closed_at = cl_here(L);
  if (cl_driver()->soft) cl_say_place(r->closed_at);
  const CUresult code = cl_rec_close(r);
  if (cl_driver()->soft) cl_say_place(NULL);
  return code;
}

void cl_rec_give_back(cl_Rec *r) {
  if (r->life == CL_LIVE) cl_note_failure(destroy_in(cl_rec_context(r), r));
}

/* Not raised: this may run inside the collector. Gone with the driver is gone. The report of a kernel's
 * fault, which the driver gives once, is for the next error. */
void cl_note_failure(CUresult code) {
  if (!code || code == CUDA_ERROR_DEINITIALIZED || code == CUDA_ERROR_CONTEXT_IS_DESTROYED) return;
  failed_destroys++;
  if (cl_code_sticky(code))
    cl_log_keep();
  else
    cl_log_clear();
}

/* Frees a record that nobody refers to and that is closed; returns its parent, whose reference it held. */
static cl_Rec *dispose(cl_Rec *r) {
  cl_Rec *parent = r->parent;
  if (cl_families[r->kind].dispose) cl_families[r->kind].dispose(r);
  free(r);
  return parent;
}

/* The queue: records without a reference, in the order of their release, so children come before what they
 * held. */
CL_LOCK(queue_lock);
static cl_Rec *queue_head, **queue_tail = &queue_head;
_Atomic uint32_t cl_queue_length;

static void enqueue(cl_Rec *r) {
  pthread_mutex_lock(&queue_lock);
  r->queued = NULL;
  *queue_tail = r;
  queue_tail = &r->queued;
  cl_queue_length++;
  cl_account_queued(r, 1);
  pthread_mutex_unlock(&queue_lock);
}

static bool is_held_back(const cl_Rec *r) {
  bool (*held_back)(const cl_Rec *) = cl_families[r->kind].held_back;
  return held_back && held_back(r);
}

/* The oldest one that can go now. */
static cl_Rec *dequeue(void) {
  pthread_mutex_lock(&queue_lock);
  cl_Rec **p = &queue_head;
  while (*p && is_held_back(*p)) p = &(*p)->queued;
  cl_Rec *r = *p;
  if (r) {
    *p = r->queued;
    if (queue_tail == &r->queued) queue_tail = p;
    cl_queue_length--;
    cl_account_queued(r, -1);
  }
  pthread_mutex_unlock(&queue_lock);
  return r;
}

/* False: destroying it now would wait, for running work or for another thread that destroys a context. */
static bool close_at_once(cl_Rec *r) {
  if ((r->life != CL_LIVE && r->life != CL_LOST) || !cl_families[r->kind].destroy) return true;
  if (r->waits || (r->tracks && cl_families[r->kind].busy(r))) return false;
  if (pthread_rwlock_tryrdlock(&destroy_lock)) return false;
  cl_note_failure(close_locked(r, false));
  return true;
}

/* In a fork nothing goes: another thread may have been in the middle of changing what hangs together here. */
void cl_rec_release(cl_Rec *r) {
  if (cl_forked) return;
  while (r && atomic_fetch_sub(&r->refs, 1) == 1) {
    if (!close_at_once(r)) {
      enqueue(r);
      return;
    }
    r = dispose(r);
  }
}

/* Every record of a moment's queue and what that releases: a context may wait behind its last child. */
void cl_queue_drain(void) {
  for (cl_Rec *r; !cl_forked && (r = dequeue());) {
    if (r->waits) cl_tie_up();
    cl_note_failure(cl_rec_close(r));
    cl_rec_release(dispose(r));
  }
}

CL_HOOK_LIST(cl_on_waiting_close);

void cl_queue_drain_in(lua_State *L) {
  if (cl_interrupts_on() && !cl_forked && cl_queue_length) CL_RUN_HOOKS(cl_on_waiting_close, L);
  cl_queue_drain();
}

/* Userdata */

static const char interned_key = 0;
CL_LOCK(closed_lock);

void cl_push_metatable(lua_State *L, cl_Kind kind) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, cl_state(L)->metatables[kind]);
}

void *cl_push(lua_State *L, cl_Kind kind, size_t bytes) {
  cl_Object *o = lua_newuserdata(L, bytes);
  memset(o, 0, bytes);
  o->magic = &cl_magic;
  o->kind = kind;
  cl_push_metatable(L, kind);
  lua_setmetatable(L, -2);
  /* Memory says so itself, right before the call (cl_allocate). */
  if (cl_driver()->soft && cl_families[kind].destroy && !cl_kind_is_memory(kind)) cl_say_place(cl_here(L));
  return o;
}

void *cl_push_interned(lua_State *L, const void *key, cl_Rec *rec, cl_Kind kind, size_t bytes) {
  luaL_checkstack(L, 6, "object");
  cl_registry_get(L, &interned_key);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    cl_registry_set(L, &interned_key);
  }
  lua_pushlightuserdata(L, (void *)key);
  lua_rawget(L, -2);
  const cl_Object *found = lua_touserdata(L, -1);
  if (!found || !found->rec) { /* none yet, or one that was finalized but is still seen */
    lua_pop(L, 1);
    cl_Object *o = cl_push(L, kind, bytes);
    o->rec = cl_rec_retain(rec);
    lua_pushlightuserdata(L, (void *)key);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
  return lua_touserdata(L, -1);
}

cl_Object *cl_to(lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TUSERDATA ? cl_to_userdata(L, idx) : NULL;
}

void *cl_to_kind(lua_State *L, int idx, cl_Kind kind) {
  cl_Object *o = cl_to(L, idx);
  return o && o->kind == kind ? o : NULL;
}

/* --- lost memory --- */

static char why_lost[4608];

static bool lose(cl_Rec *r, void *mark) {
  uint32_t live = CL_LIVE;
  if (cl_kind_is_memory(r->kind) && r->written > *(const uint64_t *)mark)
    atomic_compare_exchange_strong(&r->life, &live, CL_LOST);
  return false;
}

void cl_lose_written(cl_Context *c, uint64_t mark, const char *why) {
  snprintf(why_lost, sizeof why_lost, "%s", why);
  cl_closes++; /* who has seen that memory is alive looks again */
  cl_account_any(c, lose, &mark);
  cl_closes++;
}

void cl_check_lost(lua_State *L, const cl_Rec *r) {
  if (!r || r->life != CL_LOST) return;
  cl_error_new(L, CL_RUNTIME_ERROR, "the data of this array or memory is incomplete: %s", why_lost);
  cl_throw(L);
}

int cl_dead(lua_State *L, const cl_Object *o) {
  const char *name = kinds[o->kind].name;
  if (cl_forked) cl_fail_forked(L);
  if (!o->rec || o->rec->life == CL_NEW) cl_logic(L, "this %s was never created, or was collected", name);
  if (o->rec->life == CL_CLOSED && o->rec->kind == o->kind)
    cl_logic(L, "this %s was %s%s%s and can no longer be used", name, kinds[o->kind].closed,
             o->rec->closed_at ? " at " : "", o->rec->closed_at ? o->rec->closed_at : "");
  cl_check_lost(L, o->rec);
  for (const cl_Rec *r = o->rec; r; r = r->parent)
    if (r->life != CL_LIVE)
      cl_logic(L, "this %s can no longer be used: its %s is gone (%s%s%s)%s", name, kinds[r->kind].name,
               kinds[r->kind].closed, r->closed_at ? " at " : "", r->closed_at ? r->closed_at : "",
               r->kind == CL_CONTEXT ? ", with its arrays, memory and kernels" : "");
  cl_logic(L, "this %s can no longer be used", name);
}

void *cl_check(lua_State *L, int idx, cl_Kind kind) {
  cl_Object *o = cl_to(L, idx);
  if (!o || o->kind != kind) cl_bad_self(L, idx, kinds[kind].name);
  if (kind != CL_DEVICE && (cl_forked || !cl_rec_live(o->rec))) cl_dead(L, o);
  return o;
}

void *cl_check_to_close(lua_State *L, int idx, cl_Kind kind) {
  cl_Object *o = cl_to_kind(L, idx, kind);
  if (o && o->rec && o->rec->life == CL_LOST && !cl_forked && cl_rec_live(o->rec->parent)) return o;
  return cl_check(L, idx, kind);
}

cl_MemoryObject *cl_to_memory(lua_State *L, int idx) {
  cl_Object *o = cl_to(L, idx);
  return o && kinds[o->kind].traits & CL_MEMORY ? (cl_MemoryObject *)o : NULL;
}

cl_MemoryObject *cl_check_memory(lua_State *L, int idx, const char *what) {
  cl_MemoryObject *m = cl_to_memory(L, idx);
  if (!m && !strcmp(what, "self")) cl_bad_self(L, idx, "device memory");
  if (!m)
    cl_bad_argument(L, idx, what, "device memory (DeviceAllocation, DevicePointer ..., gpudata of an array)");
  if (cl_forked || !cl_rec_live(m->o.rec)) cl_dead(L, &m->o);
  return m;
}

/* What a closed object has to say: one record for each kind and place, for the life of the process. NULL:
 * there are too many. */
static cl_Rec *stand_in(const cl_Rec *r) {
  enum { RECENT = 8, MOST = 512 };
  typedef struct Closed {
    cl_Rec rec;
    struct Closed *next;
  } Closed;
  static __thread cl_Rec *recent[RECENT];
  static Closed *list;
  static unsigned length;
  cl_Rec **slot = &recent[((uintptr_t)r->closed_at >> 4) % RECENT];
  if (*slot && (*slot)->kind == r->kind && (*slot)->closed_at == r->closed_at) return *slot;
  pthread_mutex_lock(&closed_lock);
  Closed *c = list;
  while (c && (c->rec.kind != r->kind || c->rec.closed_at != r->closed_at)) c = c->next;
  if (!c && length < MOST && (c = calloc(1, sizeof *c))) {
    c->rec = (cl_Rec){.refs = 1, .life = CL_CLOSED, .kind = r->kind, .closed_at = r->closed_at};
    c->next = list;
    list = c;
    length++;
  }
  pthread_mutex_unlock(&closed_lock);
  return *slot = c ? &c->rec : NULL;
}

static void retire_to(lua_State *L, int idx, cl_Object *o, cl_Rec *instead) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, cl_state(L)->retired[o->kind]);
  lua_setmetatable(L, idx < 0 ? idx - 1 : idx);
  o->rec = instead;
}

void cl_object_retire(lua_State *L, int idx) {
  cl_Object *o = lua_touserdata(L, idx);
  cl_Rec *r = o->rec, *instead = r->refs == 1 && r->life == CL_CLOSED ? stand_in(r) : NULL;
  if (!instead) return;
  retire_to(L, idx, o, instead);
  cl_rec_release(dispose(r));
}

bool cl_object_give(lua_State *L, int idx, bool (*take)(cl_Rec *)) {
  cl_Object *o = lua_touserdata(L, idx);
  cl_Rec *instead = o->rec->refs == 1 ? stand_in(o->rec) : NULL;
  if (!instead || !take(o->rec)) return false;
  cl_closes++;
  retire_to(L, idx, o, instead);
  return true;
}

int cl_close_method(lua_State *L, cl_Kind kind, const char *call) {
  const cl_Object *o = cl_check_to_close(L, 1, kind);
  CUresult code = cl_rec_close_here(L, o->rec);
  if (code) cl_fail(L, call, code);
  return 0;
}

int cl_handle_method(lua_State *L, cl_Kind kind) {
  lua_pushnumber(L, (lua_Number)((const cl_Object *)cl_check(L, 1, kind))->rec->handle);
  return 1;
}

_Atomic uint64_t cl_collected;

int cl_object_gc(lua_State *L) {
  cl_Object *o = cl_to(L, 1);
  if (!o) return 0;
  if (kinds[o->kind].traits & CL_MEMORY) cl_collected++;
  cl_Rec *r = o->rec;
  o->rec = NULL;
  cl_rec_release(r);
  return 0;
}

int cl_object_tostring(lua_State *L) {
  cl_Object *o = cl_to(L, 1);
  if (!o) return luaL_argerror(L, 1, "expected an object of cudalua");
  const char *name = kinds[o->kind].name;
  if (!cl_rec_live(o->rec))
    lua_pushfstring(L, "cudalua.%s (%s)", name, kinds[o->kind].closed);
  else if (kinds[o->kind].traits & CL_MEMORY) {
    const cl_MemoryObject *m = (const cl_MemoryObject *)o;
    lua_pushfstring(L, "cudalua.%s: %p (%f bytes)", name, (void *)m->address, (lua_Number)m->size);
  } else
    lua_pushfstring(L, "cudalua.%s: %p", name, (void *)o->rec->handle);
  return 1;
}

int cl_class_index(lua_State *L) {
  lua_settop(L, 2);
  lua_gettable(L, lua_upvalueindex(1));
  return 1;
}

/* Leaves the table of methods on the stack. `meta` may override __index, __gc and __tostring; an
 * __index function gets the methods as its first upvalue. */
void cl_new_class(lua_State *L, cl_Kind kind, const luaL_Reg *methods, const luaL_Reg *meta) {
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_newtable(L);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, cl_object_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, cl_object_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushfstring(L, "cudalua.%s", kinds[kind].name);
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushvalue(L, -2);
  if (meta)
    luaL_setfuncs(L, meta, 1);
  else
    lua_pop(L, 1);
  if (kinds[kind].traits & CL_MEMORY) {
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, -3);) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    }
    lua_pushnil(L);
    lua_setfield(L, -2, "__gc");
    cl_state(L)->retired[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  cl_state(L)->metatables[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* kind(value) -> "DeviceAllocation", ... for objects of this module, else nil */
int cl_object_kind(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  if (!o) return 0;
  lua_pushstring(L, cl_kind_name(o->kind));
  return 1;
}

/* failed_destroys() -> how many finalizers the driver answered with an error */
int cl_lua_failed_destroys(lua_State *L) {
  lua_pushnumber(L, (lua_Number)cl_failed_destroys());
  return 1;
}
