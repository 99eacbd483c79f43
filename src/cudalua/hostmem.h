/* Host memory that the GPU reaches, and memory that both share. */
#ifndef CUDALUA_HOSTMEM_H
#define CUDALUA_HOSTMEM_H

#include "memory.h"
#include "pressure.h"

/* HostAllocation, AlignedHostAllocation, RegisteredHostMemory, ManagedAllocation, IPCMemoryHandle. rec.handle
 * is the host's address (of an IPC handle: the device's); the userdata's address is the device's, 0 if it has
 * none. */
typedef struct cl_HostMemory {
  cl_Rec rec;
  uint64_t size;
} cl_HostMemory;

typedef struct cl_HostObject {
  cl_MemoryObject m;
  int anchor; /* RegisteredHostMemory: registry reference of what owns the memory, or LUA_NOREF */
} cl_HostObject;

#endif
