/* The one lifetime protocol. Behind every object is a C record, reference-counted atomically, that holds
 * its parent's record: module -> context, function -> module. A driver handle is destroyed once, when it
 * is closed or when its last reference goes, and only while its parents are alive; so the order in which
 * the collector finds things never matters, and a handle value that the driver reuses is never hit.
 *
 * Lua sees userdata that hold one reference. Closed is a state: the record stays until nobody refers to
 * it, and every method asks cl_check() first. */
#ifndef CUDALUA_OBJECT_H
#define CUDALUA_OBJECT_H

#include <cuda.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#define CL_KIND(kind, name, destroy, dispose, closed, traits) kind,
typedef enum cl_Kind {
#include "base/kinds.def"
  CL_NKINDS
} cl_Kind;
#undef CL_KIND
enum { CL_MEMORY = 1, CL_WAITS = 2 };

typedef enum cl_Life { CL_NEW, CL_LIVE, CL_CLOSED } cl_Life;

typedef struct cl_Rec {
  _Atomic uint32_t refs;
  _Atomic uint32_t life;
  cl_Kind kind;
  bool waits;            /* destroying it waits for running work: finalizers leave it to the queue */
  bool tracks;           /* memory whose release does not wait: it remembers who uses it (memory.h) */
  bool accounted;        /* in its context's list, or counted */
  uint8_t account;       /* what its bytes count as (pressure.h) */
  uint64_t generation;   /* number of this record: never reused, unlike handle values */
  uint64_t handle;       /* CUcontext, CUdeviceptr, CUmodule ... as an integer */
  struct cl_Rec *parent; /* holds one reference */
  struct cl_Rec *queued; /* next in the queue of what finalizers left */
  const char *closed_at; /* interned "file:line" of the call that closed it, or NULL */
  uint64_t bytes;
  struct cl_Rec *sibling, **link; /* in its context's list of accounted records */
} cl_Rec;

/* Payload of every userdata of this module. */
typedef struct cl_Object {
  const void *magic; /* &cl_magic: tells our userdata from anybody else's */
  cl_Kind kind;
  cl_Rec *rec; /* NULL: not made yet, finalized, or a kind without record */
} cl_Object;

typedef enum cl_Ownership { CL_EXPLICIT, CL_PRIMARY, CL_FOREIGN } cl_Ownership;

typedef struct cl_Context {
  cl_Rec rec;
  CUdevice device;
  cl_Ownership ownership;
  _Atomic uint32_t users;          /* make_context and retain count up, detach counts down */
  const char *_Atomic last_kernel; /* launched last (interned): named when a later call reports an error */
  struct cl_Context *next;         /* list of live contexts */
  cl_Rec *accounted;               /* what memory lives in it (pressure.c) */
  _Atomic bool pool_ready;         /* the device's pool was looked at (mempool.c) */
  /* Generations of contexts on other devices whose memory kernels of this one may use; 0: none. */
  _Atomic uint64_t peers[CL_MAX_DEVICES];
} cl_Context;

typedef struct cl_DeviceObject {
  cl_Object o;
  int ordinal;
} cl_DeviceObject;

/* Memory that kernels and copies take: owners (DeviceAllocation ...) and views (DevicePointer). A bare
 * address is a view with rec &cl_no_owner and size 0. */
typedef struct cl_MemoryObject {
  cl_Object o;
  uint64_t address, size;
} cl_MemoryObject;

extern const char cl_magic;
extern cl_Rec cl_no_owner; /* always live, in no context: what a bare address refers to */

/* Records. */
cl_Rec *cl_rec_new(cl_Kind kind, size_t bytes, cl_Rec *parent); /* NULL: no host memory. One reference. */
/* The same in memory that is there. */
void cl_rec_open(cl_Rec *r, cl_Kind kind, size_t bytes, cl_Rec *parent);
cl_Rec *cl_rec_retain(cl_Rec *r);
/* NULL is fine. Destroys what it was the last reference to, or queues it where that would wait; never fails,
 * never waits: finalizers call it. */
void cl_rec_release(cl_Rec *r);
bool cl_rec_retain_if(cl_Rec *r); /* false when the last reference is already gone */
bool cl_rec_live(const cl_Rec *r);
/* Destroys the handle now, waiting if need be. CUDA_SUCCESS too if a parent was already gone. */
CUresult cl_rec_close(cl_Rec *r);
/* Between the two no context is destroyed; false: one is, right now. */
bool cl_closing_enter(void);
void cl_closing_leave(void);
/* Destroys the handle of r, whose context is about to end while the driver would keep it. */
void cl_rec_give_back(cl_Rec *r);
/* The same for a call of the user's, whose place is remembered for later errors. */
CUresult cl_rec_close_here(lua_State *L, cl_Rec *r);

extern _Atomic uint64_t cl_closes; /* how many records were closed: what was alive may not be any more */
extern _Atomic uint64_t
    cl_collected; /* how many userdata of memory were finalized: their addresses come again */

/* What finalizers left: destroyed by whoever allocates, synchronises, detaches or closes a state next. */
void cl_queue_drain(void);
extern _Atomic uint32_t cl_queue_length;
static inline void cl_queue_check(void) { /* for paths that are called often */
  if (__builtin_expect(cl_queue_length != 0, 0)) cl_queue_drain();
}
cl_Context *cl_rec_context(cl_Rec *r); /* nearest context record, r itself included */
/* Finalizers that the driver answered with an error since the start (never raised). */
uint64_t cl_failed_destroys(void);
void cl_note_failure(CUresult code); /* counts one more, if it is one */

/* After a synchronisation that succeeded: drops the anchors that are done, drains the queue. */
void cl_after_wait(lua_State *L);

/* What each family does to its handle, and to what hangs off its record: see kinds.def. */
CUresult cl_context_destroy(cl_Rec *r);
CUresult cl_stream_destroy(cl_Rec *r);
void cl_stream_dispose(cl_Rec *r);
CUresult cl_event_destroy(cl_Rec *r);
CUresult cl_graph_destroy(cl_Rec *r);
void cl_graph_dispose(cl_Rec *r);
CUresult cl_graph_exec_destroy(cl_Rec *r);
void cl_graph_exec_dispose(cl_Rec *r);
void cl_kept_dispose(cl_Rec *r);
CUresult cl_alloc_destroy(cl_Rec *r);
void cl_alloc_dispose(cl_Rec *r);
bool cl_memory_waits(const cl_Rec *r);     /* r->tracks, and yet freeing it now would wait */
bool cl_pool_stopped(const cl_Rec *r);     /* of a pool's block: the pool takes nothing back */
bool cl_memory_held_back(const cl_Rec *r); /* r->tracks, and it cannot be freed for the time being */
CUresult cl_mempool_destroy(cl_Rec *r);
void cl_mempool_dispose(cl_Rec *r);
CUresult cl_pool_destroy(cl_Rec *r);
void cl_pool_dispose(cl_Rec *r);
CUresult cl_block_destroy(cl_Rec *r);
void cl_block_dispose(cl_Rec *r);
CUresult cl_module_destroy(cl_Rec *r);
void cl_module_dispose(cl_Rec *r);
CUresult cl_host_destroy(cl_Rec *r);
CUresult cl_aligned_destroy(cl_Rec *r);
void cl_aligned_dispose(cl_Rec *r);
CUresult cl_registered_destroy(cl_Rec *r);
void cl_registered_dispose(cl_Rec *r);
CUresult cl_managed_destroy(cl_Rec *r);
CUresult cl_ipc_destroy(cl_Rec *r);
CUresult cl_array_destroy(cl_Rec *r);
CUresult cl_linker_destroy(cl_Rec *r);
void cl_linker_dispose(cl_Rec *r);

/* Contexts that this library knows of. */
void cl_context_register(cl_Context *c);
void cl_context_unregister(cl_Context *c);
void cl_context_abandon_all(void); /* the driver dropped them all: their objects are dead from here on */
/* Waits for the work of all contexts on the devices of the mask but one; not while captures are on, which the
 * waiting would break. */
void cl_contexts_wait(uint64_t devices, const cl_Context *except);
cl_Context *cl_context_find(CUcontext handle); /* retained; NULL when unknown */
cl_Context *cl_context_primary(CUdevice dev);  /* retained; NULL when there is none */
cl_Context *
cl_context_after(uint64_t generation); /* retained: the next younger live one; NULL past the last */
/* The context current on this thread, retained; raises 201 when there is none and none is started. A context
 * that somebody else made is wrapped, unowned. */
cl_Context *cl_context_current(lua_State *L);
/* Its handle; in a thread that never had a context, one is started. NULL: there is none. */
CUcontext cl_current_slow(lua_State *L);
static inline CUcontext cl_current(lua_State *L) {
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  return __builtin_expect(current != NULL, 1) ? current : cl_current_slow(L);
}
void cl_push_current(lua_State *L, const cl_Rec *r); /* the driver's call alone, or raises */
CUdevice cl_current_device(lua_State *L);            /* of the current context; starts none, raises 201 */
/* Has this state made, pushed or started a context on this thread, or has the host program one of its own? */
bool cl_had_context(lua_State *L);
bool cl_contexts_closed(lua_State *L); /* the state is closing: nothing starts any more */
void cl_contexts_forget(lua_State *L); /* the device starts anew, and so may this state */
/* Raises if c is not the current one any more: what is new in Lua may run finalizers, and they may do
 * anything. */
void cl_still_current(lua_State *L, const cl_Context *c);
/* The Context that stands for the handle of one of other code, retained. */
cl_Context *cl_context_wrap(lua_State *L, CUcontext handle, const char *what);

/* Userdata. cl_push makes one with rec = NULL; assign rec after the driver call succeeded. */
void *cl_push(lua_State *L, cl_Kind kind, size_t bytes);
/* Pushes the userdata that stands for `key` in this state, making one that holds rec if there is none:
 * contexts and functions, so that == and table keys work. Takes no reference from the caller. */
void *cl_push_interned(lua_State *L, const void *key, cl_Rec *rec, cl_Kind kind, size_t bytes);
cl_Object *cl_to(lua_State *L, int idx); /* any object of this module, or NULL */
/* The same for a value that is known to be a userdata, of whatever kind. */
static inline cl_Object *cl_to_userdata(lua_State *L, int idx) {
  cl_Object *o = lua_touserdata(L, idx);
  return lua_objlen(L, idx) >= sizeof *o && o->magic == &cl_magic ? o : NULL;
}
void *cl_to_kind(lua_State *L, int idx, cl_Kind kind); /* an object of that kind, alive or not, or NULL */
/* The object at idx: of that kind, made and alive, else a LogicError. */
void *cl_check(lua_State *L, int idx, cl_Kind kind);
cl_MemoryObject *cl_check_memory(lua_State *L, int idx, const char *what); /* of any kind with CL_MEMORY */
cl_MemoryObject *cl_to_memory(lua_State *L, int idx); /* of any kind with CL_MEMORY, alive or not, or NULL */
const char *cl_kind_name(cl_Kind kind);
const char *cl_kind_closed(cl_Kind kind); /* "freed", "detached" ... */
bool cl_kind_is_memory(cl_Kind kind);
/* The body of a method that closes: checks self, destroys now, raises what the driver answers as an error of
 * `call`. */
int cl_close_method(lua_State *L, cl_Kind kind, const char *call);

/* For memory at idx that was just closed: if nothing else refers to it, its record goes now, and the
 * collector is spared a finalizer. It says where it was closed as before. */
void cl_object_retire(lua_State *L, int idx);
/* The same for memory at idx that is not closed: take() closes its record and keeps it. False: others refer
 * to it, or take() answered that; nothing was done. */
bool cl_object_give(lua_State *L, int idx, bool (*take)(cl_Rec *));

/* For an __index function that knows no such key: as the class has it, whose own __index raises for names. */
int cl_class_index(lua_State *L);
int cl_object_gc(lua_State *L);
int cl_object_tostring(lua_State *L);
/* Why an object cannot be used: "was freed", "belongs to a context that is gone" ... Raises. */
int cl_dead(lua_State *L, const cl_Object *o) __attribute__((noreturn));

void cl_push_metatable(lua_State *L, cl_Kind kind);
void cl_new_class(lua_State *L, cl_Kind kind, const luaL_Reg *methods, const luaL_Reg *meta);

#endif
