/* Counting bytes: see account.h. */
#include "base/account.h"
#include "base/lock.h"

#include <stdatomic.h>

cl_Count cl_counts[CL_NCLASSES];

/* Guards all of this and the lists of accounted records of all contexts, for a few instructions at a time: so
 * it spins. Totals are read without it. */
static pthread_spinlock_t lock;
CL_IN_FORK(lock, pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
__attribute__((constructor)) static void make_lock(void) { lock_renew(); }

static void set(_Atomic int64_t *n, int64_t v) { atomic_store_explicit(n, v, memory_order_relaxed); }

static void shift(cl_Class k, int64_t bytes, int64_t count) { /* locked */
  cl_Count *c = &cl_counts[k];
  int64_t now = cl_count_get(&c->bytes) + bytes;
  set(&c->bytes, now);
  set(&c->count, cl_count_get(&c->count) + count);
  if (now > cl_count_get(&c->peak)) set(&c->peak, now);
}

void cl_account_shift(cl_Class k, int64_t bytes, int64_t count) {
  pthread_spin_lock(&lock);
  shift(k, bytes, count);
  pthread_spin_unlock(&lock);
}

static _Atomic int64_t allocations; /* ever */

int64_t cl_accounts(void) { return cl_count_get(&allocations); }

static void put_on(cl_Rec *r, cl_Class k, uint64_t bytes) { /* locked */
  cl_Context *c = cl_rec_context(r);
  r->accounted = true;
  r->account = (uint8_t)k;
  r->bytes = bytes;
  if (k) {
    shift(k, (int64_t)bytes, 1);
    set(&allocations, cl_count_get(&allocations) + 1);
  }
  if (!c) return;
  r->sibling = c->accounted;
  if (r->sibling) r->sibling->link = &r->sibling;
  c->accounted = r;
  r->link = &c->accounted;
}

void cl_account(cl_Rec *r, cl_Class k, uint64_t bytes) {
  pthread_spin_lock(&lock);
  put_on(r, k, bytes);
  pthread_spin_unlock(&lock);
}

void cl_account_from(cl_Rec *r, cl_Class k, uint64_t bytes, cl_Class from) {
  pthread_spin_lock(&lock);
  shift(from, -(int64_t)bytes, -1);
  put_on(r, k, bytes);
  pthread_spin_unlock(&lock);
}

static void take_off(cl_Rec *r) { /* locked */
  if (r->link) {
    *r->link = r->sibling;
    if (r->sibling) r->sibling->link = r->link;
  }
  r->link = NULL;
  r->accounted = false;
  if (r->account) shift((cl_Class)r->account, -(int64_t)r->bytes, -1);
  r->account = CL_BYTES_NONE;
}

void cl_unaccount(cl_Rec *r) {
  if (!r->accounted) return;
  pthread_spin_lock(&lock);
  take_off(r);
  pthread_spin_unlock(&lock);
}

void cl_unaccount_to(cl_Rec *r, cl_Class to) {
  pthread_spin_lock(&lock);
  shift(to, (int64_t)r->bytes, 1);
  take_off(r);
  pthread_spin_unlock(&lock);
}

/* A context that others use as well goes on, and some objects of the driver are of no context. */
static bool outlives(const cl_Rec *r, const cl_Context *c) {
  bool (*of_no_context)(const cl_Rec *) = cl_families[r->kind].outlives;
  return c->ownership != CL_EXPLICIT || (of_no_context && of_no_context(r));
}

/* Under object.c's write lock: nothing else of c is being closed. */
void cl_unaccount_context(cl_Context *c, bool usable) {
  for (;;) {
    pthread_spin_lock(&lock);
    cl_Rec *r = c->accounted;
    if (r) take_off(r);
    pthread_spin_unlock(&lock);
    if (!r) return;
    if (usable && outlives(r, c)) cl_rec_give_back(r);
    if (cl_families[r->kind].abandon) cl_families[r->kind].abandon(r);
  }
}

bool cl_account_any(const cl_Context *c, bool (*is)(cl_Rec *, void *), void *arg) {
  bool found = false;
  pthread_spin_lock(&lock);
  for (cl_Rec *r = c->accounted; r && !found; r = r->sibling) found = is(r, arg);
  pthread_spin_unlock(&lock);
  return found;
}

void cl_account_queued(const cl_Rec *r, int count) {
  if (r->account >= CL_BYTES_PLAIN && r->account <= CL_BYTES_ARRAYS)
    cl_account_shift(CL_BYTES_QUEUED, count * (int64_t)r->bytes, count);
}
