/* In whose order device memory is used: what a block remembers of the streams that work on it. */
#ifndef CUDALUA_ORDER_H
#define CUDALUA_ORDER_H

#include "streams/stream.h"

/* Where a block comes from decides how it goes back. */
typedef enum cl_Origin {
  CL_PLAIN, /* cuMemAlloc: freeing it waits for everything that might use it */
  CL_ASYNC, /* cuMemAllocAsync: freed in the order of its home stream, without waiting */
  CL_BLOCK, /* of a DeviceMemoryPool: handed out again once everybody else is done with it */
  CL_IMPORT /* of another process's pool: freed as CL_PLAIN is */
} cl_Origin;

/* A stream besides the home stream that worked on the block: `event` comes after the last such work. */
typedef struct cl_Use {
  cl_Stream *stream; /* retained: so that its address stands for it */
  CUevent event;
} cl_Use;

/* In whose order a block is used (order.c). */
typedef struct cl_Order {
  cl_Stream *home; /* retained; NULL where the release waits by itself */
  cl_Use *uses;
  uint32_t nuses;
} cl_Order;

/* Memory whose release does not wait has rec.tracks set, and an order. */
typedef struct cl_Allocation cl_Allocation;
struct cl_Allocation {
  cl_Rec rec; /* handle: the address */
  cl_Origin origin;
  bool captured;          /* a graph works on it, or did */
  _Atomic uint64_t peers; /* other devices whose kernels were given it: nothing but us waits for those */
  uint64_t size;
  cl_Order order;
  cl_Allocation *next_import; /* of the imported ones that are not freed */
};

/* Destroys an event of c's that is not an object of Lua's, if c is alive. Never fails. */
void cl_event_discard(const cl_Context *c, CUevent event);

/* To be called after work on m was submitted to s, with its context current: memory whose release does not
 * wait by itself remembers it, so that it is not given away while that work runs. */
void cl_memory_use_slow(lua_State *L, cl_Allocation *a, cl_Stream *s);
static inline void cl_memory_used(lua_State *L, const cl_MemoryObject *m, cl_Stream *s) {
  if (__builtin_expect(cl_captures != 0, 0) && cl_capture_keep_rec(L, s, m->o.rec)) return;
  if (__builtin_expect(!m->o.rec->tracks, 1)) return;
  cl_Allocation *a = (cl_Allocation *)m->o.rec;
  if (__builtin_expect(a->order.home != s, 0)) cl_memory_use_slow(L, a, s);
}

/* A graph works on r. Its launches hold r, and so keep finalizers away; an explicit free waits. */
void cl_memory_captured(cl_Rec *r);

void cl_order_open(cl_Order *o, cl_Stream *home);
/* Forgets everything, in a context that may be gone. */
void cl_order_close(cl_Order *o, const cl_Context *c);
/* Makes s wait for all work on the block. Not CUDA_SUCCESS: only waiting here helps. */
CUresult cl_order_join(const cl_Order *o, cl_Stream *s);
/* True where work submitted to s (NULL, for what has no home: any) from now on comes after everything. Asks,
 * and does not wait. */
bool cl_order_done(cl_Order *o, const cl_Context *c, cl_Stream *s);
/* The home stream, or where that was closed the legacy stream. */
cl_Stream *cl_order_stream(const cl_Order *o);
/* False: the home stream was closed, and no event stands for its work. */
bool cl_order_known(const cl_Order *o);

#endif
