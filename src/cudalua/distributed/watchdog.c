/* The thread that looks for ranks that have failed while this one computes, or waits for its device. And what
 * is done at the end of the process. */
#include "base/interrupt.h"
#include "base/state.h"
#include "distributed/communicator.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 100 };
#define LEFT_SECONDS 1.0    /* that a call may still take when a rank has ended with success */
#define RELEASE_SECONDS 0.5 /* that the main thread may take to leave a call */
#define END_SECONDS 10.0    /* that NCCL may take to end */

static void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

/* --- the thread --- */

static void fail(const char *why) { cl_fail_world(cl_nccl.w, CL_F_SAID, cl_nccl.w->rank, why); }

/* An error that NCCL has found by itself: of the network, of a remote process. */
static void look_at_errors(void) {
  for (const cl_Comm *c = cl_nccl.comms; c; c = c->next) {
    int result = 0;
    if (c->state != CL_COMM_OPEN || c->busy || !c->comm) continue;
    const int asked = cl_nccl.f.CommGetAsyncError(c->comm, &result);
    if (asked) result = asked;
    if (!result) continue;
    char text[512];
    snprintf(text, sizeof text, "rank %d: NCCL reports an error: %s (%d); NCCL_DEBUG=WARN tells more",
             cl_nccl.rank, cl_nccl.f.GetErrorString(result), result);
    fail(text);
    return;
  }
}

static void look_at_time(void) {
  const double limit = cl_nccl.w->limit;
  char text[256];
  if (cl_nccl_waiting() <= limit) return;
  char other[32] = "other ranks";
  const int late = cl_late_rank(cl_nccl.w);
  if (late >= 0) snprintf(other, sizeof other, "rank %d", late);
  snprintf(text, sizeof text, "rank %d waited for %s in %s for %g s", cl_nccl.rank, other,
           *cl_nccl.last ? cl_nccl.last : "a call", limit);
  fail(text);
}

/* Ctrl-C, which the main thread does not see in a call of NCCL. */
static void look_at_interrupts(void) {
  const cl_Watch *watch = &cl_nccl.call.watch;
  char text[256];
  if (cl_nccl.call.since <= 0) return;
  if (!(cl_interrupts_on() && cl_interrupt_look()) && lua_gethook(watch->L) == watch->hook) return;
  cl_nccl.call.interrupted = true;
  snprintf(text, sizeof text, "rank %d was interrupted in %s", cl_nccl.rank, cl_nccl.last);
  fail(text);
}

/* Under the lock. True: the world has failed. */
static bool look(void) {
  cl_World *w = cl_nccl.w;
  int rank;
  if (cl_world_failed(w)) return true;
  cl_nccl_confirm();
  if ((rank = cl_gone_rank(w, false)) >= 0)
    cl_fail_world(w, CL_F_DIED, (uint32_t)rank, NULL);
  else if (cl_nccl_waiting() > LEFT_SECONDS && (rank = cl_gone_rank(w, true)) >= 0)
    cl_fail_world(w, CL_F_DIED, (uint32_t)rank, NULL);
  look_at_errors();
  look_at_interrupts();
  look_at_time();
  return cl_world_failed(w);
}

static bool any_busy(void) {
  bool busy = false;
  for (const cl_Comm *c = cl_nccl.comms; c; c = c->next) busy = busy || (c->state == CL_COMM_OPEN && c->busy);
  return busy;
}

/* The main thread mostly leaves its call soon. If it waits there for a rank, only an abort helps. */
static void abort_all(void) {
  const double begin = cl_nccl_now();
  while (any_busy() && cl_nccl_now() - begin < RELEASE_SECONDS) {
    cl_nccl_leave();
    pause_ms(1);
    cl_nccl_lock();
  }
  cl_nccl_abort(false);
  cl_nccl_abort(true);
}

static void *watch(void *unused) {
  (void)unused;
  CU.cuCtxPushCurrent_v2((CUcontext)cl_nccl.ctx->rec.handle);
  cl_relax();
  for (bool failed = false; !failed;) {
    pause_ms(LOOK_MS);
    cl_nccl_lock();
    failed = cl_nccl.failed || look();
    if (failed) {
      cl_nccl_set_failed();
      abort_all();
    }
    cl_nccl_leave();
  }
  return NULL;
}

static void at_exit(int status, void *unused);

bool cl_watchdog_start(void) {
  static bool started;
  pthread_t thread;
  sigset_t all, before;
  if (started) return true;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  started = !pthread_create(&thread, NULL, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!started) return false;
  pthread_detach(thread);
  on_exit(at_exit, NULL);
  return true;
}

/* --- ends --- */

/* Until all ranks have come so far, as a device may still read memory of another one. */
static void meet_at_end(cl_World *w) {
  const double begin = cl_nccl_now(), limit = w->limit;
  w->s->rank[w->rank].finished = 1;
  for (;;) {
    uint32_t there = 0;
    for (uint32_t r = 0; r < w->s->size; r++) there += w->s->rank[r].finished || w->s->rank[r].ended;
    if (there == w->s->size || cl_world_failed(w) || cl_nccl_now() - begin > limit) return;
    pause_ms(1);
  }
}

/* A communicator that a graph has calls of waits for the graph when it is destroyed, and is left to the end
 * of the process. So are all if this process does not know when the others have come so far. */
static void finalize_all(void) {
  if (cl_nccl.captured || cl_nccl.alone) return;
  for (cl_Comm *c = cl_nccl.comms; c; c = c->next) {
    if (c->state != CL_COMM_OPEN || c->busy || !c->comm) continue;
    c->state = CL_COMM_CLOSED;
    if (!cl_nccl_end(c, END_SECONDS)) return;
  }
}

/* Polls, so that a failed rank ends the wait: the watchdog then aborts what the device waits for. */
static void await_calls(void) {
  for (bool waits = true; waits && !cl_nccl.failed; pause_ms(1)) {
    cl_tie_up();
    if (!cl_nccl_enter()) return;
    cl_nccl_confirm();
    waits = cl_nccl.confirmed != cl_write_mark && !cl_captures;
    cl_nccl_leave();
    if (!waits) return;
  }
}

static void end(bool well) {
  static bool ended;
  CUcontext popped;
  cl_World *w = cl_nccl.w;
  if (ended || !cl_nccl.used || cl_forked || (uint32_t)getpid() != w->s->rank[w->rank].pid) return;
  ended = true;
  if (CU.cuCtxPushCurrent_v2((CUcontext)cl_nccl.ctx->rec.handle)) return;
  if (well && !cl_world_failed(w)) {
    await_calls();
    meet_at_end(w);
  }
  cl_loose_end = NULL; /* contexts end next */
  if (well && !cl_world_failed(w) && !cl_nccl.failed) {
    finalize_all();
  } else if (cl_nccl_lock_for((int)END_SECONDS)) {
    cl_nccl_set_failed();
    cl_nccl_abort(true);
    cl_nccl_leave();
  }
  CU.cuCtxPopCurrent_v2(&popped);
}

static void at_exit(int status, void *unused) {
  (void)unused;
  end(status == 0);
}

/* Before anything waits for kernels, which may wait for a rank that has failed. */
static void state_closes(cl_State *st) {
  if (st == cl_nccl.state) end(true);
}
CL_HOOK(cl_on_state_close, 0, state_closes);
