/* Host memory that the GPU reaches, and memory that both share. */
#ifndef CUDALUA_HOSTMEM_H
#define CUDALUA_HOSTMEM_H

#include "memory/memory.h"
#include "base/state.h"
#include "memory/collect.h"

/* HostAllocation, AlignedHostAllocation, RegisteredHostMemory, ManagedAllocation. rec.handle is the host's
 * address; the userdata's address is the device's, 0 if it has none. */
typedef struct cl_HostMemory {
  cl_Rec rec;
  /* Of a RegisteredHostMemory: */
  cl_Rec *owner;              /* retained: the AlignedHostAllocation whose memory it is, or NULL */
  int slot;                   /* in the registry: for its Lua value, once its userdata is collected */
  struct cl_HostMemory *next; /* of those that were collected and wait to be unregistered */
} cl_HostMemory;

/* Unregisters what finalizers found and nobody uses. L NULL: at the end of the state, all of it. */
void cl_registered_drain(lua_State *L, cl_State *st);

#endif
