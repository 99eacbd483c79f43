/* Communicators of NCCL, and what becomes of them when a rank fails.
 *
 * One lock is around every call of NCCL, also of the watchdog's thread: a question may complete work that
 * another thread has begun, and an abort frees what another one is about to use. So a communicator's state is
 * looked at under the lock. Who wants the lock while the world is failed does not wait for it, since an abort
 * may take long.
 *
 * After an abort kernels end without an error, and with a part of the data. So calls are numbered, and
 * `confirmed` is the last one of which it is known that it and all before it were done by then. */
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
  bool busy; /* the main thread has a call of it under way, or makes it */
  int size, me;
  struct cl_Comm *next;
} cl_Comm;

/* What was put into one stream and is not known to be done: the calls from `first` on. event[0] is behind
 * those before `second`, event[1] behind the rest, if there are any. */
typedef struct cl_CallLane {
  uint64_t stream; /* the generation of its record, so that nothing holds it */
  CUevent event[2];
  uint64_t first, second; /* 0: none */
  double since;           /* when event[0] became the one to wait for */
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
  _Atomic uint64_t calls, confirmed;
  const char *last; /* the name of the last call */
  bool captured;    /* a graph has calls */
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
/* The oldest call that is not known to be done has been in its stream for so many seconds; 0: all are done.
 */
double cl_nccl_waiting(void);
/* Under the lock: the world is failed from here on. What is done by now is confirmed; later answers of the
 * device are not believed. */
void cl_nccl_set_failed(void);
/* Under the lock: aborts all communicators that no call of the main thread has under way. */
void cl_nccl_abort(void);

/* A call was put into s, which is not being captured; under the lock. */
void cl_nccl_note(const cl_Stream *s);

/* Raises why the world has failed. */
int cl_nccl_raise(lua_State *L, const char *where) __attribute__((noreturn));

/* watchdog.c: starts the thread, once. */
bool cl_watchdog_start(void);

#endif
