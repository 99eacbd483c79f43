/* Counting the bytes behind objects, by class; and what lives in a context. */
#ifndef CUDALUA_ACCOUNT_H
#define CUDALUA_ACCOUNT_H

#include "base/base.h"

typedef enum cl_Class {
  CL_BYTES_NONE,
  CL_BYTES_PLAIN,       /* cuMemAlloc, cuMemAllocPitch */
  CL_BYTES_ASYNC,       /* cuMemAllocAsync */
  CL_BYTES_POOLED,      /* blocks of DeviceMemoryPools in use */
  CL_BYTES_MANAGED,     /* cuMemAllocManaged */
  CL_BYTES_ARRAYS,      /* cuArrayCreate, cuMipmappedArrayCreate */
  CL_BYTES_TEXTURES,    /* texture and surface objects, each as CL_TEXTURE_WEIGHT bytes */
  CL_BYTES_PINNED,      /* page-locked host memory, also of PageLockedMemoryPools */
  CL_BYTES_REGISTERED,  /* host memory of the program's, page-locked */
  CL_BYTES_ALIGNED,     /* plain host memory of aligned_empty() */
  CL_BYTES_HELD,        /* blocks that DeviceMemoryPools keep */
  CL_BYTES_PINNED_HELD, /* blocks that PageLockedMemoryPools keep */
  CL_BYTES_QUEUED,      /* of the above: collected, and waiting to be given back */
  CL_NCLASSES
} cl_Class;

/* A texture object has next to no memory of its own, but a driver has room for a limited number of them: so
 * dropped ones make the collector hurry as this much memory does. */
enum { CL_TEXTURE_WEIGHT = 16 << 10 };

/* Counts r, which just became live. Taken off by object.c when r closes, or its context. Class CL_BYTES_NONE:
 * r only wants to be told of that. */
void cl_account(cl_Rec *r, cl_Class k, uint64_t bytes);
void cl_unaccount(cl_Rec *r);
/* c is about to be destroyed: takes off what lives in it, and lets go of what would outlive it if the driver
 * can still be called. */
void cl_unaccount_context(cl_Context *c, bool usable);
/* Asks is(r, arg) about what lives in c, until it says yes. It runs under a spin lock: no calls of others. */
bool cl_account_any(const cl_Context *c, bool (*is)(cl_Rec *, void *), void *arg);
/* For bytes without a record: what pools keep. */
void cl_account_shift(cl_Class k, int64_t bytes, int64_t count);
/* Both at once: r counts as k from here on, and its bytes as `from` no more; and the other way round. */
void cl_account_from(cl_Rec *r, cl_Class k, uint64_t bytes, cl_Class from);
void cl_unaccount_to(cl_Rec *r, cl_Class to);
void cl_account_queued(const cl_Rec *r, int count); /* r enters the queue (1) or leaves it (-1) */

typedef struct cl_Count {
  _Atomic int64_t bytes, count, peak;
} cl_Count;
extern cl_Count cl_counts[CL_NCLASSES]; /* read without the lock */

static inline int64_t cl_count_get(const _Atomic int64_t *n) {
  return atomic_load_explicit(n, memory_order_relaxed);
}
static inline uint64_t cl_accounted(cl_Class k) { /* bytes */
  int64_t n = cl_count_get(&cl_counts[k].bytes);
  return n > 0 ? (uint64_t)n : 0;
}
int64_t cl_accounts(void); /* how many there have ever been of a class */

#endif
