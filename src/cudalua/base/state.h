/* What this library keeps for each Lua state: made when the module is opened, before every other userdata, so
 * finalized after them. */
#ifndef CUDALUA_STATE_H
#define CUDALUA_STATE_H

#include "base/base.h"
#include "base/hook.h"

/* What a Lua state knows of its collector. */
typedef struct cl_Pressure {
  bool started, collecting;
  uint64_t base;      /* bytes alive when there was no garbage: after the last collection, or less since */
  uint64_t budget;    /* a collection comes when so many more are alive */
  uint64_t spare;     /* as much garbage the device has room for; 0: not known */
  uint64_t setting;   /* the user's budget; 0: from the cost of a collection, UINT64_MAX: no collections */
  uint64_t fruitless; /* collections in a row that freed next to nothing */
  uint64_t collections, finalizer_errors;
  double seconds;      /* spent in all collections */
  double since;        /* when the last one ended */
  int64_t allocations; /* that there had been by then */
  double rate;         /* before it: bytes a second that were allocated */
  uint64_t block;      /* and bytes that stayed of each allocation */
  uint64_t busy;       /* collections in a row at a rate that keeps a device busy */
  double recent[4];    /* the last ones, in turn */
} cl_Pressure;

typedef struct cl_State {
  struct cl_Stream *stream;         /* the current one, retained; NULL: the legacy stream */
  struct cl_Frame *frame;           /* innermost stream:use() or stream:capture(), or NULL */
  struct cl_Lane *lanes;            /* anchors.c: what asynchronous work still uses */
  struct cl_Capture *captures;      /* under way, innermost first */
  struct cl_Inbox *inbox;           /* of stream:on_complete(), or NULL */
  struct cl_HostMemory *registered; /* hostmem.c: to be unregistered when somebody may wait */
  struct cl_Profile *profile;       /* activity.c: under way, or NULL */
  uint64_t trace;                   /* trace.c: when the last launch began, ns; 0: launches are not traced */
  bool closed;
  cl_Pressure pressure;
  int spare; /* registry reference of a PooledDeviceAllocation without memory (array_run.c); 0: none yet */
  struct cl_Recording *recording; /* record.c: while launches are recorded, or NULL */
  struct cl_LibraryCall
      *library;           /* library.c: calls of a vendor's library that are under way, innermost first */
  uint64_t launches;      /* of kernels, outside of graphs */
  uint64_t launches_told; /* after the one with the last ticket (mailbox.c) */
  uint32_t ticket;
  int metatables[CL_NKINDS]; /* registry references */
  int retired[CL_NKINDS];    /* the same without a finalizer */
} cl_State;

cl_State *cl_state(lua_State *L);
void cl_open_state(lua_State *L);

/* A new state: its record is there. */
CL_HOOKS(cl_on_state_open, lua_State *L);
/* The end of a state, the one place where a finalizer waits. Must not call Lua. */
CL_HOOKS(cl_on_state_close, cl_State *st);
/* Called before each launch and before each driver call that may wait; NULL while nothing is left to do.
 * distributed/communicator.c sets it. */
extern void (*_Atomic cl_loose_end)(void);
static inline void cl_tie_up(void) {
  void (*tie)(void) = atomic_load_explicit(&cl_loose_end, memory_order_relaxed);
  if (__builtin_expect(tie != NULL, 0)) tie();
}
/* A call has waited for the device, so work that was under way may be done. */
CL_HOOKS(cl_on_wait, lua_State *L);
/* A question has been answered with yes, or a copy to the host is done: what came before has ended. */
CL_HOOKS(cl_on_answer, lua_State *L);

#endif
