/* Streams in the background: a thread of the device runs the work, in the order of submission over all
 * streams, while the program does something else. It is started by the first operation that is submitted in
 * that mode. Waiting calls leave the work to it, so that host functions are always called on this thread. */
#include "driver/background.h"
#include "driver/drv.h"
#include "driver/lock.h"

#include <pthread.h>
#include <signal.h>

static struct {
  pthread_t thread;
  pthread_cond_t work;
  bool started, failed; /* failed: no thread is to be had, and whoever waits runs the work */
  bool busy;            /* with an operation */
  bool away;            /* in a function of the program's */
  bool ending;          /* the process ends: no more work, and a kernel stops where it is */
} B = {.work = PTHREAD_COND_INITIALIZER};

static _Atomic bool is_started; /* for who has no lock */

static bool is_here(void) { return B.started && pthread_equal(B.thread, pthread_self()); }

bool sg_background(void) { return sg_config.streams == SG_BACKGROUND && !B.failed && !B.ending; }

bool sg_background_waits(void) { return sg_background() && B.started && !is_here(); }

bool sg_background_is_here(void) { return is_here(); }

static void *serve(void *unused) {
  sg_lock_take_beside();
  while (!B.ending) {
    B.busy = sg_background();
    const bool ran = B.busy && sg_streams_run_oldest();
    B.busy = false;
    if (!ran) {
      sg_lock_sleep(&B.work);
      continue;
    }
    sg_lock_let_in();
    sg_lock_drop();
    sg_user_objects_deliver();
    sg_lock_take_beside();
  }
  sg_lock_wake(); /* the end waits for it */
  sg_lock_drop();
  return unused;
}

/* Signals of the program are not for this thread, but for those that say where it went wrong. */
static void start(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  B.started = pthread_create(&B.thread, NULL, serve, NULL) == 0;
  B.failed = !B.started;
  atomic_store(&is_started, B.started);
  if (B.started) (void)pthread_setname_np(B.thread, "softgpu streams");
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sg_background_wake(void) {
  if (!sg_background()) return;
  if (!B.started && !sg_streams_ran(UINT64_MAX)) start();
  pthread_cond_signal(&B.work);
}

void sg_background_away(bool away) {
  if (!is_here()) return;
  B.away = away;
  if (away) sg_lock_wake(); /* the end no longer waits */
}

void sg_background_ends(void) {
  if (atomic_load(&is_started)) atomic_store(&sg_grids_end, true);
}

/* A host function may wait for the thread that ends the process, or end it itself: nothing waits for it. */
void sg_background_end(void) {
  B.ending = true;
  pthread_cond_signal(&B.work);
  if (!is_here())
    while (B.busy && !B.away) sg_lock_wait();
}

void sg_background_in_child(void) {
  pthread_cond_init(&B.work, NULL);
  B.started = B.failed = B.busy = B.away = false;
  atomic_store(&is_started, false);
}

/* The library goes, after sg_background_end(). */
__attribute__((destructor)) static void end(void) {
  sg_lock_take_beside();
  const bool wait = B.started && B.ending && !B.busy && !is_here();
  sg_lock_drop();
  if (wait) pthread_join(B.thread, NULL);
  if (wait) B.started = false;
}
