/* s:on_complete(fn), and functions of graphs' host nodes: the driver calls back on a thread of its own, where
 * Lua must not be entered. So the callback only puts a number into an inbox; the function itself is called by
 * whoever waits or polls next in its state.
 *
 * After a kernel has failed, the driver makes no more calls. The waiting functions are dropped as soon as the
 * fault is known or the context is destroyed: they are never called, and cuda.poll() raises the fault. */
#include "streams/graph.h"
#include "streams/pending.h"
#include "base/state.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A function that has a time to come. */
typedef struct Completion {
  cl_Pending pending;     /* first: until the driver calls back; not of a host node */
  struct cl_Inbox *inbox; /* retained */
  int ref;                /* of the function, in the registry of its state */
  cl_Rec *host;           /* of a host node, whose function it is; retained, or NULL */
  struct Completion *next;
} Completion;

/* The function of a graph's host node, which runs again and again. */
typedef struct HostFunction {
  cl_Rec rec;
  struct cl_Inbox *inbox; /* retained */
  int ref;
} HostFunction;

/* Outlives its state while callbacks are still to come. */
typedef struct cl_Inbox {
  pthread_mutex_t lock;
  uint32_t refs;
  bool closed;
  int fd;    /* an eventfd, readable while functions wait to be called; -1: no program asked for it */
  bool told; /* the software device knows that the program sleeps until then */
  Completion *head, **tail;
  _Atomic uint32_t length;
  Completion *dropped; /* will not be called: their functions wait to be released */
  CUresult lost;       /* the fault that dropped some, which cuda.poll() has not raised yet; else 0 */
  int *unused;         /* registry references of functions that no node has any more */
  uint32_t unused_count, unused_room;
} cl_Inbox;

static void unref(cl_Inbox *box) { /* locked */
  bool last = --box->refs == 0;
  pthread_mutex_unlock(&box->lock);
  if (!last) return;
  pthread_mutex_destroy(&box->lock);
  free(box->unused);
  free(box);
}

/* The descriptor is readable exactly while there is something in the box, however the last function ended. A
 * write fails only for a program that closed the descriptor; no call could say so to it. */
static void wake(const cl_Inbox *box) { /* locked */
  if (box->fd >= 0) (void)!write(box->fd, &(uint64_t){1}, sizeof(uint64_t));
}

static void calm(const cl_Inbox *box) { /* locked */
  uint64_t count;
  if (box->fd >= 0) (void)!read(box->fd, &count, sizeof count);
}

static void append(cl_Inbox *box, Completion *c) { /* locked */
  c->next = NULL;
  *box->tail = c;
  box->tail = &c->next;
  if (!box->length++ && !box->lost) wake(box);
}

/* A program that has the descriptor sleeps until it is readable: the software device has to work meanwhile.
 * It changes nothing if a mode was chosen for its streams. */
static void tell_device(cl_Inbox *box) {
  const cl_Driver *d = cl_driver();
  if (box->fd < 0 || box->told || !d) return;
  if (d->soft) (void)d->control("unattended", NULL, 0, NULL);
  box->told = true;
}

/* On the driver's thread. */
static void CUDA_CB arrived(void *ticket) {
  Completion *c = (Completion *)cl_pending_take((uintptr_t)ticket);
  if (!c) return;
  cl_Inbox *box = c->inbox;
  pthread_mutex_lock(&box->lock);
  if (box->closed) {
    unref(box);
    free(c);
    return;
  }
  append(box, c);
  pthread_mutex_unlock(&box->lock);
}

/* Drops the functions that wait for work of a context; 0: of any. code: the fault that stopped the work, or
 * 0. */
void cl_completions_drop(uint64_t context, CUresult code) {
  if (cl_forked) return; /* they are the parent's */
  for (cl_Pending *p = cl_pending_take_all(context), *next; p; p = next) {
    next = p->next;
    Completion *c = (Completion *)p;
    cl_Inbox *box = c->inbox;
    pthread_mutex_lock(&box->lock);
    if (box->closed) {
      unref(box);
      free(c);
      continue;
    }
    c->next = box->dropped;
    box->dropped = c;
    if (code && !box->lost) {
      if (!box->length) wake(box);
      box->lost = code;
    }
    pthread_mutex_unlock(&box->lock);
  }
}

static void driver_gone(lua_State *L) {
  (void)L;
  cl_completions_drop(0, CUDA_SUCCESS);
}
CL_HOOK(cl_on_driver_reset, 5, driver_gone);

/* On the driver's thread, each time that the node runs: the graph's launch holds the record. */
void CUDA_CB cl_host_arrived(void *record) {
  HostFunction *f = record;
  cl_Inbox *box = f->inbox;
  Completion *c = malloc(sizeof *c);
  if (!c) return;
  *c = (Completion){.inbox = box, .host = cl_rec_retain(&f->rec)};
  pthread_mutex_lock(&box->lock);
  const bool closed = box->closed;
  if (!closed) {
    append(box, c);
    box->refs++;
  }
  pthread_mutex_unlock(&box->lock);
  if (!closed) return;
  cl_rec_release(c->host);
  free(c);
}

static cl_Inbox *inbox_of(lua_State *L, cl_State *st) {
  if (st->inbox) return st->inbox;
  if (st->closed) cl_logic(L, "this Lua state is closing: no function can be scheduled now");
  cl_Inbox *box = calloc(1, sizeof *box);
  if (!box) luaL_error(L, "not enough memory");
  pthread_mutex_init(&box->lock, NULL);
  box->refs = 1;
  box->fd = -1;
  box->tail = &box->head;
  return st->inbox = box;
}

/* What arrives later is dropped. */
static void close_inbox(cl_State *st) {
  cl_Inbox *box = st->inbox;
  st->inbox = NULL;
  if (!box || cl_forked) return; /* in a fork its lock may be held by a thread that is not there */
  pthread_mutex_lock(&box->lock);
  box->closed = true;
  if (box->fd >= 0) close(box->fd); /* the box may outlive the state, the program's number must not */
  box->fd = -1;
  *box->tail = box->dropped;
  Completion *first = box->head;
  box->head = box->dropped = NULL;
  for (const Completion *c = first; c; c = c->next) box->refs--; /* the state's own is left */
  pthread_mutex_unlock(&box->lock);
  for (Completion *c = first; c;) {
    Completion *next = c->next;
    cl_rec_release(c->host); /* which may take the lock */
    free(c);
    c = next;
  }
  pthread_mutex_lock(&box->lock);
  unref(box);
}
CL_HOOK(cl_on_state_close, 3, close_inbox);

/* A record may go anywhere, where Lua must not be called: the reference is given back by who calls functions.
 */
static void host_dispose(cl_Rec *r) {
  HostFunction *f = (HostFunction *)r;
  cl_Inbox *box = f->inbox;
  if (!box) return;
  pthread_mutex_lock(&box->lock);
  if (!box->closed && box->unused_count == box->unused_room) {
    uint32_t room = box->unused_room ? 2 * box->unused_room : 8;
    int *more = realloc(box->unused, room * sizeof *more);
    if (more) {
      box->unused = more;
      box->unused_room = room;
    }
  }
  if (!box->closed && box->unused_count < box->unused_room) box->unused[box->unused_count++] = f->ref;
  unref(box);
}
CL_FAMILY(CL_HOST_FUNCTION, .dispose = host_dispose);

static void give_back_dropped(lua_State *L, cl_Inbox *box) {
  pthread_mutex_lock(&box->lock);
  Completion *first = box->dropped;
  box->dropped = NULL;
  for (const Completion *c = first; c; c = c->next) box->refs--; /* the state's own is left */
  pthread_mutex_unlock(&box->lock);
  for (Completion *c = first; c;) {
    Completion *next = c->next;
    luaL_unref(L, LUA_REGISTRYINDEX, c->ref); /* raises nothing */
    free(c);
    c = next;
  }
}

static void give_back_unused(lua_State *L, cl_Inbox *box) {
  give_back_dropped(L, box);
  for (;;) {
    pthread_mutex_lock(&box->lock);
    int ref = box->unused_count ? box->unused[--box->unused_count] : LUA_NOREF;
    pthread_mutex_unlock(&box->lock);
    if (ref == LUA_NOREF) return;
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
  }
}

cl_Rec *cl_host_function(lua_State *L, int idx) {
  cl_Inbox *box = inbox_of(L, cl_state(L));
  tell_device(box);
  give_back_unused(L, box);
  lua_pushvalue(L, idx);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  HostFunction *f = (HostFunction *)cl_rec_new(CL_HOST_FUNCTION, sizeof *f, NULL);
  if (!f) {
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
    luaL_error(L, "not enough memory");
  }
  f->inbox = box;
  f->ref = ref;
  f->rec.life = CL_LIVE;
  pthread_mutex_lock(&box->lock);
  box->refs++;
  pthread_mutex_unlock(&box->lock);
  return &f->rec;
}

void cl_completions_release(lua_State *L) {
  cl_Inbox *box = cl_forked ? NULL : cl_state(L)->inbox;
  if (box) give_back_unused(L, box);
}

/* After a fault, the driver makes no more calls on any device. */
static void on_fault(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  (void)call;
  (void)waited;
  if (!cl_code_sticky(code)) return;
  cl_completions_drop(0, code);
  cl_completions_release(L);
}
CL_HOOK(cl_on_failed_call, 5, on_fault);

/* The context that work in s belongs to: its handle. */
static uint64_t context_of(const cl_Stream *s) {
  CUcontext current = NULL;
  if (s->rec.parent) return s->rec.parent->handle;
  if (CU.cuCtxGetCurrent(&current)) current = NULL;
  return (uint64_t)(uintptr_t)current;
}

/* s:on_complete(fn) -> s */
int cl_stream_on_complete(lua_State *L) {
  cl_check(L, 1, CL_STREAM);
  cl_check_function(L, 2, "fn");
  const cl_Stream *s = cl_check_stream(L, 1, "Stream:on_complete", NULL);
  if (cl_captures && cl_capture_id(s))
    cl_logic(L, "Stream:on_complete is not possible in a stream that is being captured: a graph runs many "
                "times, but the function would be called only once");
  cl_Inbox *box = inbox_of(L, cl_state(L));
  tell_device(box);
  give_back_unused(L, box);
  lua_settop(L, 2);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  Completion *c = malloc(sizeof *c);
  CUresult code = CUDA_ERROR_OUT_OF_MEMORY;
  if (c) {
    *c = (Completion){.inbox = box, .ref = ref};
    pthread_mutex_lock(&box->lock);
    box->refs++;
    pthread_mutex_unlock(&box->lock);
    const uint64_t ticket = cl_pending_add(&c->pending, context_of(s));
    code = CU.cuLaunchHostFunc(cl_stream_handle(s), arrived, (void *)(uintptr_t)ticket);
    if (code && !cl_pending_take(ticket)) c = NULL; /* another thread dropped it */
  }
  if (code) {
    if (c) {
      luaL_unref(L, LUA_REGISTRYINDEX, ref);
      pthread_mutex_lock(&box->lock);
      unref(box);
      free(c);
    }
    cl_fail(L, "cuLaunchHostFunc", code);
  }
  return 1;
}

/* Each is taken out before its function runs: the function may raise, or wait and so come here again. */
int cl_run_completions(lua_State *L) {
  cl_Inbox *box = cl_forked ? NULL : cl_state(L)->inbox; /* the parent's */
  int n = 0;
  while (box && box->length) {
    pthread_mutex_lock(&box->lock);
    Completion *c = box->head;
    box->head = c->next;
    if (!box->head) box->tail = &box->head;
    if (!--box->length && !box->lost) calm(box);
    box->refs--; /* never the last: the state has one */
    pthread_mutex_unlock(&box->lock);
    cl_Rec *host = c->host;
    int ref = host ? ((const HostFunction *)host)->ref : c->ref;
    free(c);
    luaL_checkstack(L, 4, "completions");
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    if (!host) luaL_unref(L, LUA_REGISTRYINDEX, ref);
    cl_rec_release(host);
    lua_call(L, 0, 0);
    n++;
  }
  if (box) give_back_unused(L, box);
  return n;
}

/* Raises the fault that caused functions to be dropped, once. */
static void raise_lost(lua_State *L) {
  cl_Inbox *box = cl_forked ? NULL : cl_state(L)->inbox;
  if (!box) return;
  pthread_mutex_lock(&box->lock);
  const CUresult code = box->lost;
  box->lost = CUDA_SUCCESS;
  if (code && !box->length) calm(box);
  pthread_mutex_unlock(&box->lock);
  if (code) cl_fail(L, "cuLaunchHostFunc", code);
}

/* poll() -> how many functions given to on_complete() were called */
int cl_poll(lua_State *L) {
  cl_anchors_poll(L);
  cl_queue_check(L);
  const int n = cl_run_completions(L);
  raise_lost(L);
  lua_pushinteger(L, n);
  return 1;
}

/* completion_fd() -> the descriptor, made by the first call */
int cl_completion_fd(lua_State *L) {
  if (cl_forked) cl_fail_forked(L); /* it is the parent's, as is the box */
  cl_Inbox *box = inbox_of(L, cl_state(L));
  pthread_mutex_lock(&box->lock);
  int failed = 0;
  if (box->fd < 0) {
    box->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (box->fd < 0)
      failed = errno;
    else if (box->length || box->lost)
      wake(box);
  }
  pthread_mutex_unlock(&box->lock);
  if (failed) {
    cl_error_new(L, CL_RUNTIME_ERROR, "completion_fd: no descriptor could be made: %s", strerror(failed));
    cl_throw(L);
  }
  tell_device(box);
  lua_pushinteger(L, box->fd);
  return 1;
}
