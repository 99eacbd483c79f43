/* Which contexts a Lua state put on the stacks of current contexts that the driver keeps, one for each
 * thread.
 *
 * A context that stands on one must not be collected, so each Lua state remembers the pushes it made and
 * holds a reference for each. A state that closes takes them off again: the host program finds the stack as
 * it was. */
#include "streams/pushes.h"
#include "base/lock.h"
#include "base/state.h"

#include <stdlib.h>
#include <string.h>

typedef struct Push {
  cl_Rec *rec;      /* retained */
  pthread_t thread; /* whose stack it is on */
  bool owed;        /* the other way round: the program popped a context of the host program's */
} Push;

struct cl_Pushes {
  Push *list; /* oldest first */
  size_t n, room;
  uint64_t *threads; /* numbers of those in which this state has had a context, the latest last */
  size_t nthreads, thread_room;
  bool closed; /* the state is closing: nobody would give back what is pushed now */
};

static const char pushes_key = 0;

static CUcontext handle_of(const Push *e) { return (CUcontext)(uintptr_t)e->rec->handle; }

/* Is it on the stack of this thread, and of r (NULL: of whatever)? */
static bool stands_here(const Push *e, const cl_Rec *r) {
  return !e->owed && pthread_equal(e->thread, pthread_self()) && (!r || e->rec == r);
}

static void forget_at(cl_Pushes *p, size_t i) {
  cl_Rec *r = p->list[i].rec;
  memmove(&p->list[i], &p->list[i + 1], (p->n - i - 1) * sizeof *p->list);
  p->n--;
  cl_rec_release(r);
}

/* The newest one below `end`; p->n: there is none. */
static size_t newest_below(const cl_Pushes *p, size_t end, const cl_Rec *r) {
  for (size_t i = end; i-- > 0;)
    if (stands_here(&p->list[i], r)) return i;
  return p->n;
}

/* Takes what this state pushed (of r alone, or with NULL everything) off this thread's stack. Entries of
 * others that stand above come off as well and go back. One of ours may be missing: somebody else popped it.
 */
void cl_pushes_take_off(cl_Pushes *p, const cl_Rec *r) {
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

void cl_thread_is_hosted(void) { hosted = true; }

/* Entries on other threads' stacks are out of reach. There, an explicit context that is destroyed answers
 * with an error; but a primary one is the host program's too, so it stays retained. */
static int pushes_gc(lua_State *L) {
  cl_Pushes *p = lua_touserdata(L, 1);
  if (cl_forked) return 0;
  cl_pushes_take_off(p, NULL);
  while (p->n) {
    const Push *e = &p->list[--p->n];
    if (((const cl_Context *)e->rec)->ownership != CL_PRIMARY) cl_rec_release(e->rec);
  }
  free(p->list);
  free(p->threads);
  *p = (cl_Pushes){.closed = true};
  return 0;
}

cl_Pushes *cl_pushes(lua_State *L) {
  cl_registry_get(L, &pushes_key);
  cl_Pushes *p = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return p;
}

/* Made before every other userdata, so finalized after them. */
static void open_pushes(lua_State *L) {
  cl_push_finalized(L, sizeof(cl_Pushes), pushes_gc);
  cl_registry_set(L, &pushes_key);
}
CL_HOOK(cl_on_state_open, 2, open_pushes);

static bool had_here(const cl_Pushes *p) {
  const uint64_t me = thread_number();
  for (size_t i = p->nthreads; i-- > 0;)
    if (p->threads[i] == me) return true;
  return false;
}

bool cl_had_context(lua_State *L) { return hosted || had_here(cl_pushes(L)); }
bool cl_contexts_closed(lua_State *L) { return cl_pushes(L)->closed; }

/* The device starts anew, and so may this state. */
static void forget(lua_State *L) { cl_pushes(L)->nthreads = 0; }
CL_HOOK(cl_on_driver_reset, 3, forget);

/* Room for one more, before the driver call: so that nothing can fail after it. */
static cl_Pushes *reserve(lua_State *L) {
  cl_Pushes *p = cl_pushes(L);
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

cl_Pushes *cl_pushes_reserve(lua_State *L) {
  cl_Pushes *p = reserve(L);
  if (p->closed) cl_logic(L, "this Lua state is closing: no context can be created or pushed now");
  return p;
}

void cl_pushes_note(cl_Pushes *p, cl_Context *c) {
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
static void note_pop(cl_Pushes *p, CUcontext popped, cl_Context *c) {
  for (size_t i = newest_below(p, p->n, NULL); i < p->n; i = newest_below(p, i, NULL))
    if (handle_of(&p->list[i]) == popped) {
      forget_at(p, i);
      return;
    }
  if (c && c->ownership == CL_FOREIGN && !p->closed)
    p->list[p->n++] = (Push){cl_rec_retain(&c->rec), pthread_self(), true};
}

/* INVALID_CONTEXT is about r here: nothing is started. */
void cl_push_current(lua_State *L, const cl_Rec *r) {
  CUresult code = CU.cuCtxPushCurrent_v2((CUcontext)r->handle);
  if (code) cl_fail(L, "cuCtxPushCurrent_v2", code);
}

int cl_context_push(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_CONTEXT);
  cl_Pushes *p = cl_pushes_reserve(L);
  cl_push_current(L, o->rec);
  cl_pushes_note(p, (cl_Context *)o->rec);
  lua_settop(L, 1);
  return 1;
}

/* Context.pop() -> the context taken off. Entries of destroyed contexts are skipped; a context that
 * somebody else made is wrapped while it is still current. */
int cl_context_pop(lua_State *L) {
  for (;;) {
    cl_Pushes *p = reserve(L);
    CUcontext handle = NULL;
    CUresult code = CU.cuCtxGetCurrent(&handle); /* which starts nothing */
    if (code) cl_fail(L, "cuCtxGetCurrent", code);
    cl_Context *c = handle && !cl_context_is_gone(handle) ? cl_context_current(L) : NULL;
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
  const cl_Pushes *p = cl_pushes(L);
  lua_Integer depth = 0;
  for (size_t i = 0; i < p->n; i++) depth += p->list[i].owed ? -1 : 1;
  lua_pushinteger(L, depth);
  return 1;
}
