/* Memory pressure: Lua's collector sees a few bytes of each object and nothing of the gigabytes behind it. So
 * the bytes are counted here, collections are paced by them, and an allocation that fails is tried once more
 * after everything that could be let go of was. */
#ifndef CUDALUA_PRESSURE_H
#define CUDALUA_PRESSURE_H

#include "base/base.h"

typedef enum cl_Class {
  CL_BYTES_NONE,
  CL_BYTES_PLAIN,       /* cuMemAlloc, cuMemAllocPitch */
  CL_BYTES_ASYNC,       /* cuMemAllocAsync */
  CL_BYTES_POOLED,      /* blocks of DeviceMemoryPools in use */
  CL_BYTES_MANAGED,     /* cuMemAllocManaged */
  CL_BYTES_ARRAYS,      /* cuArrayCreate */
  CL_BYTES_PINNED,      /* page-locked host memory, also of PageLockedMemoryPools */
  CL_BYTES_REGISTERED,  /* host memory of the program's, page-locked */
  CL_BYTES_ALIGNED,     /* plain host memory of aligned_empty() */
  CL_BYTES_HELD,        /* blocks that DeviceMemoryPools keep */
  CL_BYTES_PINNED_HELD, /* blocks that PageLockedMemoryPools keep */
  CL_BYTES_QUEUED,      /* of the above: collected, and waiting to be given back */
  CL_NCLASSES
} cl_Class;

/* Counts r, which just became live. Taken off by object.c when r closes, or its context. Class CL_BYTES_NONE:
 * r only wants to be told of that. */
void cl_account(cl_Rec *r, cl_Class k, uint64_t bytes);
void cl_unaccount(cl_Rec *r);
/* c is about to be destroyed: takes off what lives in it, and lets go of what would outlive it if the driver
 * can still be called. */
void cl_unaccount_context(cl_Context *c, bool usable);
/* For bytes without a record: what pools keep. */
void cl_account_shift(cl_Class k, int64_t bytes, int64_t count);
/* Both at once: r counts as k from here on, and its bytes as `from` no more; and the other way round. */
void cl_account_from(cl_Rec *r, cl_Class k, uint64_t bytes, cl_Class from);
void cl_unaccount_to(cl_Rec *r, cl_Class to);
void cl_account_queued(const cl_Rec *r, int count); /* r enters the queue (1) or leaves it (-1) */

/* To be called first in whatever allocates, before anything half-made exists: gives back what finalizers
 * left, and collects garbage if enough was allocated since. True: that ran finalizers of the user's, so
 * nothing that was read before can be relied on: not the current context, not that an object is still open.
 */
bool cl_pressure(lua_State *L);

/* Would cl_pressure() do nothing? Then it need not be called. */
bool cl_pressure_none(lua_State *L);

/* The program collected everything itself: what is alive now is no garbage. */
void cl_pressure_collected(lua_State *L);

/* call(arg), and where there is no memory, once more after the ladder: caches of pools, two collections, the
 * queue, a synchronisation, the driver's pools. */
CUresult cl_allocate(lua_State *L, CUresult (*call)(void *), void *arg);
/* Raises what the driver answered to `call`, for CUDA_ERROR_OUT_OF_MEMORY with who has the memory. */
int cl_fail_memory(lua_State *L, const char *call, CUresult code, uint64_t bytes) __attribute__((noreturn));

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
  double recent[4];    /* the last ones, in turn */
} cl_Pressure;

/* pool.c */
void cl_pools_free_held(void);      /* of all DeviceMemoryPools of this process, and of the others */
void cl_pool_abandon(cl_Rec *pool); /* its context goes, and what it keeps with it */
/* mempool.c: the driver's pools of a device. */
uint64_t cl_mempools_idle(CUdevice dev); /* bytes that they keep and nobody uses */
void cl_mempools_trim(CUdevice dev);

#endif
