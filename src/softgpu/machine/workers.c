/* The pool of threads behind workers.h. */
#include "machine/workers.h"
#include "base/config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

enum { USUAL_MOST = 16, STACK_BYTES = 1 << 20 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  pthread_t thread[SG_MOST_THREADS];
  unsigned started;
  /* the call that is going on */
  void (*f)(void *arg, bool helps);
  void *arg;
  unsigned places; /* helpers that may still join */
  unsigned busy;   /* helpers that have joined */
  bool running, leave, hooked;
} P = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

unsigned sg_workers_usable(void) {
  cpu_set_t set;
  const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return n > USUAL_MOST ? USUAL_MOST : n > 0 ? (unsigned)n : 1;
}

static void *helper(void *unused) {
  pthread_mutex_lock(&P.lock);
  for (;;) {
    while (!P.places && !P.leave) pthread_cond_wait(&P.work, &P.lock);
    if (P.leave) break;
    P.places--;
    P.busy++;
    pthread_mutex_unlock(&P.lock);
    P.f(P.arg, true);
    pthread_mutex_lock(&P.lock);
    if (--P.busy == 0) pthread_cond_signal(&P.done);
  }
  pthread_mutex_unlock(&P.lock);
  return unused;
}

/* A forked child has none of the threads, and whatever the locks were like, they are free. */
static void in_child(void) {
  pthread_mutex_init(&P.lock, NULL);
  pthread_cond_init(&P.work, NULL);
  pthread_cond_init(&P.done, NULL);
  P.started = P.places = P.busy = 0;
  P.running = false;
}

/* Signals of the program are not for these threads, but for those that say where one of them went wrong. */
static void start(unsigned wanted) {
  sigset_t all, before;
  pthread_attr_t attr;
  if (!P.hooked && pthread_atfork(NULL, NULL, in_child) != 0) return;
  P.hooked = true;
  sigfillset(&all);
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  if (pthread_attr_init(&attr) != 0) return;
  (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (P.started < wanted && pthread_create(&P.thread[P.started], &attr, helper, NULL) == 0)
    (void)pthread_setname_np(P.thread[P.started++], "softgpu");
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
}

void sg_workers_run(unsigned helpers, void (*f)(void *arg, bool helps), void *arg) {
  pthread_mutex_lock(&P.lock);
  const bool alone = P.running;
  if (!alone) {
    if (helpers > SG_MOST_THREADS) helpers = SG_MOST_THREADS;
    if (P.started < helpers) start(helpers);
    P.running = true;
    P.f = f;
    P.arg = arg;
    P.places = helpers < P.started ? helpers : P.started;
    if (P.places == 1)
      pthread_cond_signal(&P.work);
    else
      pthread_cond_broadcast(&P.work);
  }
  pthread_mutex_unlock(&P.lock);
  f(arg, false);
  if (alone) return;
  pthread_mutex_lock(&P.lock);
  P.places = 0;
  while (P.busy) pthread_cond_wait(&P.done, &P.lock);
  P.running = false;
  pthread_mutex_unlock(&P.lock);
}

/* The library goes, or the process ends; then another thread may be in the middle of a launch, which nobody
 * waits for. */
__attribute__((destructor)) static void end(void) {
  pthread_mutex_lock(&P.lock);
  const bool wait = !P.running;
  if (wait) P.leave = true;
  pthread_cond_broadcast(&P.work);
  pthread_mutex_unlock(&P.lock);
  for (unsigned i = 0; wait && i < P.started; i++) pthread_join(P.thread[i], NULL);
  if (wait) P.started = 0;
}
