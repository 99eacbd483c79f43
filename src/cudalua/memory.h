/* Device memory that this library allocated, and which streams use it. */
#ifndef CUDALUA_MEMORY_H
#define CUDALUA_MEMORY_H

#include "stream.h"

/* Where a block comes from decides how it goes back. */
typedef enum cl_Origin {
  CL_PLAIN, /* cuMemAlloc: freeing it waits for everything that might use it */
  CL_ASYNC  /* cuMemAllocAsync: freed in the order of its home stream, without waiting */
} cl_Origin;

/* A stream besides the home stream that worked on the block: `event` comes after the last such work. */
typedef struct cl_Use {
  cl_Stream *stream; /* retained: so that its address stands for it */
  CUevent event;
} cl_Use;

typedef struct cl_Allocation {
  cl_Rec rec; /* handle: the address */
  cl_Origin origin;
  uint64_t size;
  cl_Stream *home; /* retained; NULL for CL_PLAIN */
  cl_Use *uses;
  uint32_t nuses;
} cl_Allocation;

/* Destroys an event of c's that is not an object of Lua's, if c is alive. Never fails. */
void cl_event_discard(const cl_Context *c, CUevent event);

/* To be called after work on m was submitted to s, with its context current: memory whose release does not
 * wait by itself remembers it, so that it is not given away while that work runs. */
void cl_memory_use_slow(lua_State *L, cl_Allocation *a, cl_Stream *s);
static inline void cl_memory_used(lua_State *L, const cl_MemoryObject *m, cl_Stream *s) {
  if (m->o.rec->kind != CL_ALLOCATION) return;
  cl_Allocation *a = (cl_Allocation *)m->o.rec;
  if (__builtin_expect(a->origin != CL_PLAIN && a->home != s, 0)) cl_memory_use_slow(L, a, s);
}

#endif
