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

#include "base/hook.h"

#define CL_KIND(kind, name, closed, traits) kind,
typedef enum cl_Kind {
#include "base/kinds.def"
  CL_NKINDS
} cl_Kind;
#undef CL_KIND
enum { CL_MEMORY = 1, CL_WAITS = 2 };

/* Lost: it is there, and is freed as usual, but what is in it cannot be used. */
typedef enum cl_Life { CL_NEW, CL_LIVE, CL_CLOSED, CL_LOST } cl_Life;

typedef struct cl_Rec {
  _Atomic uint32_t refs;
  _Atomic uint32_t life;
  cl_Kind kind;
  bool waits;            /* destroying it waits for running work: finalizers leave it to the queue */
  bool tracks;           /* memory whose release does not wait: it remembers who uses it (order.h) */
  bool accounted;        /* in its context's list, or counted */
  uint8_t account;       /* what its bytes count as (account.h) */
  uint64_t generation;   /* number of this record: never reused, unlike handle values */
  uint64_t handle;       /* CUcontext, CUdeviceptr, CUmodule ... as an integer */
  struct cl_Rec *parent; /* holds one reference */
  struct cl_Rec *queued; /* next in the queue of what finalizers left */
  const char *closed_at; /* interned "file:line" of the call that closed it, or NULL */
  uint64_t bytes;
  uint64_t written; /* of memory: cl_write_mark when something was written to it last, at least */
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
  cl_Rec *accounted;               /* what memory lives in it (account.c) */
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

/* What each family of objects does to its handle, and to what hangs off its record. NULL: nothing. Its file
 * says it at file scope: CL_FAMILY(CL_STREAM, .destroy = destroy, .dispose = dispose), a constructor as
 * CL_HOOK is. */
typedef struct cl_Family {
  CUresult (*destroy)(cl_Rec *);     /* gives the driver handle back, with the owning context current */
  void (*dispose)(cl_Rec *);         /* frees what hangs off the record */
  void (*abandon)(cl_Rec *);         /* its context goes, and what it keeps with it */
  bool (*busy)(const cl_Rec *);      /* of memory with r->tracks: freeing it now would wait */
  bool (*held_back)(const cl_Rec *); /* it cannot be destroyed for the time being: the queue keeps it */
  bool (*outlives)(const cl_Rec *);  /* the driver's object is there when its context is gone */
} cl_Family;

extern cl_Family cl_families[CL_NKINDS];
#define CL_FAMILY(kind, ...)                                                                                 \
  __attribute__((constructor)) static void kind##_family(void) {                                             \
    cl_families[kind] = (cl_Family){__VA_ARGS__};                                                            \
  }                                                                                                          \
  struct cl_Family

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

/* Calls that may end without all of their data are numbered (distributed/communicator.h). This is the last
 * number; 0: there are none, and what is written need not be noted. */
extern _Atomic uint64_t cl_write_mark;
static inline void cl_rec_written(cl_Rec *r) {
  r->written = atomic_load_explicit(&cl_write_mark, memory_order_relaxed);
}
/* Memory of c that was written later than with this mark is lost. `why` is for those who use it, and is
 * copied. */
void cl_lose_written(cl_Context *c, uint64_t mark, const char *why);
void cl_check_lost(lua_State *L, const cl_Rec *r); /* raises if it is lost; NULL is fine */

extern _Atomic uint64_t cl_closes; /* how many records were closed: what was alive may not be any more */
extern _Atomic uint64_t
    cl_collected; /* how many userdata of memory were finalized: their addresses come again */

/* What finalizers left: destroyed by whoever allocates, synchronises, detaches or closes a state next. */
void cl_queue_drain(void);
extern _Atomic uint32_t cl_queue_length;
/* The same for a call that may be interrupted while the device still works. */
void cl_queue_drain_in(lua_State *L);
static inline void cl_queue_check(lua_State *L) { /* for paths that are called often */
  if (__builtin_expect(cl_queue_length != 0, 0)) cl_queue_drain_in(L);
}
/* Before calls of the driver that wait for the device by themselves, if interrupts are on. May raise. */
CL_HOOKS(cl_on_waiting_close, lua_State *L);
cl_Context *cl_rec_context(cl_Rec *r); /* nearest context record, r itself included */
/* Finalizers that the driver answered with an error since the start (never raised). */
uint64_t cl_failed_destroys(void);
void cl_note_failure(CUresult code); /* counts one more, if it is one */

/* After a synchronisation that succeeded: drops the anchors that are done, drains the queue. */
void cl_after_wait(lua_State *L);

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
/* The same for what is to be closed, which may be lost. */
void *cl_check_to_close(lua_State *L, int idx, cl_Kind kind);
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

/* The body of a method that gives the driver's handle. */
int cl_handle_method(lua_State *L, cl_Kind kind);

/* Pushes the method that an __index function is asked for, from its first upvalue; false: there is none, and
 * nothing was pushed. */
static inline bool cl_push_method(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}
/* For an __index function that knows no such key: as the class has it, whose own __index raises for names. */
int cl_class_index(lua_State *L);
int cl_object_gc(lua_State *L);
int cl_object_tostring(lua_State *L);
/* Why an object cannot be used: "was freed", "belongs to a context that is gone" ... Raises. */
int cl_dead(lua_State *L, const cl_Object *o) __attribute__((noreturn));

void cl_push_metatable(lua_State *L, cl_Kind kind);
void cl_new_class(lua_State *L, cl_Kind kind, const luaL_Reg *methods, const luaL_Reg *meta);

#endif
