/* The driver's lock. A call has it from its beginning to its end, and so has the thread that runs an
 * operation. A kernel that runs in the background lets calls in between two of its instructions: those that
 * may be made beside it. The others wait until it is done. */
#include "driver/lock.h"
#include "driver/drv.h"

#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Rung when an operation is done. It has a lock of its own, so that who has heard it asks for the driver's
 * lock as calls do: a kernel may have that by then. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t rung;
  uint64_t rings;
  unsigned listeners; /* with the driver's lock */
} bell = {.lock = PTHREAD_MUTEX_INITIALIZER, .rung = PTHREAD_COND_INITIALIZER};

/* Of calls, and of the thread that lets them in. */
static struct {
  _Atomic unsigned outside; /* calls that have to wait for the lock */
  unsigned held_up;         /* calls that wait until no kernel runs */
  bool kernel;              /* a kernel runs, and lets calls in */
  uint64_t left;            /* how often a call has left, or gone to wait for an operation */
  bool pausing;             /* a thread waits for that */
  pthread_cond_t one_left;
} calls = {.one_left = PTHREAD_COND_INITIALIZER};

/* The lock is about to be free. */
static void leave(void) {
  calls.left++;
  if (calls.pausing) pthread_cond_signal(&calls.one_left);
}

void sg_lock_take_beside(void) {
  if (pthread_mutex_trylock(&lock) == 0) return;
  atomic_fetch_add(&calls.outside, 1);
  pthread_mutex_lock(&lock);
  atomic_fetch_sub(&calls.outside, 1);
}

void sg_lock_take(void) {
  sg_lock_take_beside();
  calls.held_up++;
  while (calls.kernel) sg_lock_wait();
  calls.held_up--;
}

void sg_lock_drop(void) {
  leave();
  pthread_mutex_unlock(&lock);
}

static void wait_for_bell(const struct timespec *until) {
  bell.listeners++;
  pthread_mutex_lock(&bell.lock);
  const uint64_t before = bell.rings;
  leave();
  pthread_mutex_unlock(&lock);
  int late = 0;
  while (bell.rings == before && !late)
    late = until ? pthread_cond_timedwait(&bell.rung, &bell.lock, until)
                 : pthread_cond_wait(&bell.rung, &bell.lock);
  pthread_mutex_unlock(&bell.lock);
  sg_lock_take_beside();
  bell.listeners--;
}

void sg_lock_wait(void) { wait_for_bell(NULL); }

void sg_lock_wait_ms(long ms) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ms * 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  wait_for_bell(&until);
}

void sg_lock_wake(void) {
  if (!bell.listeners) return;
  pthread_mutex_lock(&bell.lock);
  bell.rings++;
  pthread_cond_broadcast(&bell.rung);
  pthread_mutex_unlock(&bell.lock);
}

void sg_lock_sleep(pthread_cond_t *until) {
  leave();
  pthread_cond_wait(until, &lock);
}

void sg_lock_open(bool kernel) { calls.kernel = kernel; }

bool sg_lock_is_wanted(void) { return atomic_load_explicit(&calls.outside, memory_order_relaxed) != 0; }

/* One call and no more, so that a program that asks all the time does not keep the kernel from running. */
void sg_lock_let_in(void) {
  const uint64_t before = calls.left;
  calls.pausing = true;
  while (calls.left == before && (sg_lock_is_wanted() || (!calls.kernel && calls.held_up)))
    pthread_cond_wait(&calls.one_left, &lock);
  calls.pausing = false;
}

/* Threads that waited are not in the child. */
void sg_lock_in_child(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_init(&bell.lock, NULL);
  pthread_cond_init(&bell.rung, NULL);
  bell.listeners = 0;
  pthread_cond_init(&calls.one_left, NULL);
  calls.outside = calls.held_up = 0;
  calls.kernel = calls.pausing = false;
}
