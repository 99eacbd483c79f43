/* Pools of blocks: DeviceMemoryPool over cuMemAlloc, PageLockedMemoryPool over cuMemHostAlloc. */
#ifndef CUDALUA_POOL_H
#define CUDALUA_POOL_H

#include "memory/memory.h"

enum { CL_MANTISSA_BITS = 4, CL_BINS = 54 << CL_MANTISSA_BITS }; /* sizes up to 2^53 */

/* Small blocks of a pool with `slabs` are parts of one piece of the driver's memory, which goes back to it
 * with the last of them. */
typedef struct cl_Slab {
  CUdeviceptr device;
  _Atomic uint32_t blocks; /* that are not given back */
} cl_Slab;

/* One piece of the driver's memory. Its record of who used it goes along. */
typedef struct cl_Block {
  uint64_t address;   /* of host memory: the host's */
  CUdeviceptr device; /* the same for the device; 0: it has none */
  uint32_t bin;
  cl_Slab *slab;  /* or NULL */
  cl_Order order; /* host memory has no home */
  struct cl_Block *next;
  struct cl_Pooled *record; /* while it is held: memory for the next one, or NULL */
} cl_Block;

typedef struct cl_Pool {
  cl_Rec rec;           /* kind CL_DEVICE_POOL or CL_HOST_POOL. Parent: the context */
  unsigned flags;       /* of cuMemHostAlloc */
  _Atomic bool stopped; /* keeps nothing any more: what comes back goes to the driver */
  bool slabs;           /* of device memory: small blocks are made many at a time */
  uint64_t held_blocks, held_bytes, active_blocks, active_bytes, managed_bytes;
  cl_Block *bins[CL_BINS]; /* what is held, the last one first */
  struct cl_Pool *next;
} cl_Pool;

/* What allocate() gives: kind CL_POOLED or CL_POOLED_HOST. The block goes back to its pool. */
typedef struct cl_Pooled {
  cl_Allocation a;
  cl_Pool *pool; /* retained */
  cl_Block *block;
} cl_Pooled;

/* A block for work in s that is there, with nobody else to wait for; NULL: allocate() has to find one. Does
 * not call Lua, nor the driver but for a slab; with the pool's context current. */
cl_Pooled *cl_pool_ready(lua_State *L, cl_Pool *p, uint64_t bytes, cl_Stream *s);

#endif
