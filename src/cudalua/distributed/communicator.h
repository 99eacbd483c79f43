/* Communicators of NCCL, and what becomes of them when a rank fails.
 *
 * They are blocking ones: the others make a thread for each call, which takes 100 us. A call of a blocking
 * one returns when its work is in the stream. The first calls of a kind connect the ranks, though, and wait
 * for all of them. So the main thread marks a communicator as busy and makes the call without the lock, which
 * is around all else: states, other calls, and calls of the watchdog's thread, which leaves busy
 * communicators alone. Only if the world has failed and a call does not return, the watchdog aborts it, which
 * makes it return. What opens and ends a communicator waits for other ranks at length, and runs in a thread
 * of its own that is left behind if the wait has to end.
 *
 * After an abort, kernels end without an error, but only a part of the data has arrived. So calls are
 * numbered. `confirmed` is the number of the last call that is known to have ended before the abort, together
 * with all calls before it. */
#ifndef CUDALUA_COMMUNICATOR_H
#define CUDALUA_COMMUNICATOR_H

#include <stdatomic.h>

#include "distributed/groups.h"
#include "distributed/nccl.h"
#include "streams/stream.h"

typedef enum cl_CommState { CL_COMM_OPEN, CL_COMM_ABORTED, CL_COMM_CLOSED } cl_CommState;

/* One rank's part of a group. The list below holds it, so the collector never ends it: other ranks would have
 * to end theirs at the same time. */
typedef struct cl_Comm {
  cl_Rec rec; /* parent: its context, which is the primary one */
  cl_NcclComm comm;
  cl_CommState state;
  _Atomic bool busy; /* the main thread is in a call of it */
  int size, me;
  cl_NcclId id;
  struct cl_Comm *next;
} cl_Comm;

/* What was put into one stream and is not known to be done: the calls from `first` on. event[0] is behind
 * those before `second`, event[1] behind the rest, if there are any. Recording an event takes a microsecond
 * of host time, and more of the device's. So in the default stream, which always exists, the last event is
 * often recorded later: before a launch or a wait, or when another stream needs it. */
typedef struct cl_CallLane {
  uint64_t stream; /* the generation of its record, so that nothing holds it */
  CUevent event[2];
  uint64_t first, second; /* 0: none */
  double since;           /* when event[0] became the one to wait for */
  bool is_short;          /* the last event is still to be recorded */
  struct cl_CallLane *other;
} cl_CallLane;

/* What this process has of NCCL. */
typedef struct cl_Collectives {
  cl_Nccl f;
  bool open;
  _Atomic bool used;      /* there was a communicator */
  _Atomic bool failed;    /* set once, before the abort */
  cl_World *w;            /* of the group that carries texts; retained */
  cl_Context *ctx;        /* retained */
  struct cl_State *state; /* the Lua state that has them */
  cl_Comm *comms;
  cl_CallLane *lanes;
  cl_CallLane *latest;        /* of the last call; NULL: none, or there was no memory for it */
  double recorded;            /* when an event was recorded in the default stream */
  _Atomic uint64_t confirmed; /* of cl_write_mark calls */
  char last[32];              /* the function whose call was the last one; empty: none */
  struct {                    /* the call that the main thread is in; under the lock */
    double since;             /* 0: none */
    cl_Watch watch;
    _Atomic bool interrupted; /* by Ctrl-C, which the watchdog saw */
  } call;
  int rank;        /* of this process in the world */
  bool alone;      /* w is the world of this process alone: another transport carries texts */
  bool captured;   /* a graph has calls */
  bool seen, told; /* of a failure: the memory is marked; a wait has raised it */
} cl_Collectives;

extern cl_Collectives cl_nccl;

/* For the main thread; false: the world has failed. */
bool cl_nccl_enter(void);
void cl_nccl_leave(void);
void cl_nccl_lock(void);            /* for the watchdog */
bool cl_nccl_lock_for(int seconds); /* false: another thread has it for longer */

double cl_nccl_now(void);

/* Under the lock, with the context current: asks which calls are done. */
void cl_nccl_confirm(void);
/* Returns how many seconds the main thread has been in a call, or how many seconds ago the oldest call that
 * is known to be unfinished was put into its stream; 0: there is none. */
double cl_nccl_waiting(void);
/* Under the lock: the world is failed from here on. What is done by now is confirmed; later answers of the
 * device are not believed. */
void cl_nccl_set_failed(void);
/* Under the lock: aborts all communicators; busy ones only if `all`. */
void cl_nccl_abort(bool all);

/* Finalizes a communicator and destroys it, in another thread. False: that has not ended within `seconds`, or
 * the world has failed meanwhile. Not under the lock. */
bool cl_nccl_end(cl_Comm *c, double seconds);

/* A call was put into s, which is not being captured; under the lock. */
void cl_nccl_note(const cl_Stream *s);

/* Raises why the world has failed. */
int cl_nccl_raise(lua_State *L, const char *where) __attribute__((noreturn));

/* watchdog.c: starts the thread, once. */
bool cl_watchdog_start(void);

#endif
