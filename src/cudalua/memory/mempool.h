/* The driver's memory pools: each device's default pool, and those made here. */
#ifndef CUDALUA_MEMPOOL_H
#define CUDALUA_MEMPOOL_H

#include "base/base.h"

typedef struct cl_Mempool {
  cl_Rec rec;      /* handle: the CUmemoryPool. No parent: it belongs to a device */
  CUdevice device; /* whose memory it is, or which was given access to it */
  CUmemLocation location;
  CUmemAllocationType type;
  bool is_default;         /* the driver's own: never destroyed */
  bool imported;           /* from another process, which allocates */
  struct cl_Mempool *next; /* list of those made here */
} cl_Mempool;

/* Before the first allocation of a context: the default pool of its device keeps freed blocks from here on,
 * unless somebody has set how much it keeps. */
void cl_mempool_prepare(cl_Context *c);

#endif
