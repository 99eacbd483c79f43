/* Memory pools, inside: what their blocks (driver/pool.c), the calls about them (driver/pools.c) and their
 * sharing between processes (driver/ipc_pool.c) have in common. */
#ifndef SOFTGPU_POOL_H
#define SOFTGPU_POOL_H

#include "driver/ipc.h"
#include "driver/memory.h"

/* Where the memory of a pool is: one number for each pair of location and allocation type that there is. */
enum {
  SG_HOME_DEVICE,                   /* + device: pinned to it */
  SG_HOME_MANAGED = SG_MAX_DEVICES, /* + device: managed, which prefers it */
  SG_HOME_HOST = SG_HOME_MANAGED + SG_MAX_DEVICES,
  SG_HOME_NUMA, /* node 0, the only one */
  SG_HOME_MANAGED_HOST,
  SG_HOME_MANAGED_NUMA,
  SG_HOME_MANAGED_ANYWHERE,
  SG_HOMES
};

typedef struct SgPoolBlock SgPoolBlock;
enum { SG_POOL_BUCKETS = 128 };

typedef struct SgPool SgPool;
struct SgPool {
  SgObject o; /* o.handle NULL: destroyed, and kept for what it still has out */
  int home;
  SgKind kind; /* of its blocks */
  int device; /* whose memory it is; that of the host and managed memory of no device counts as the first's */
  bool standard;
  unsigned handle_types; /* that other processes may import it by */
  bool imported;         /* its memory is made by the pool that was exported */
  SgPeer *peer;          /* the process that it was imported from; NULL: of no import */
  SgPool *next;
  uint64_t most; /* bytes it may reserve; 0: any */
  uint64_t threshold;
  int reuse[3]; /* follow events, opportunistic, internal dependencies */
  uint64_t reserved, reserved_high, used, used_high, waiting;
  uint32_t out; /* blocks that the program has, and calls at work */
  CUmemAccess_flags access[SG_MAX_DEVICES];
  SgPoolBlock *bucket[SG_POOL_BUCKETS];
  SgPoolBlock *oldest, *newest; /* of the idle ones */
};

SgPool *sg_pool_get(CUmemoryPool h); /* NULL: none */
SgPool *sg_pool_new(int home, uint64_t most);
void sg_pool_close(SgPool *p);
/* Gives back the oldest idle blocks, but no more than leaves `keep` bytes, and no more than it takes to reach
 * `below`. */
void sg_pool_trim(SgPool *p, uint64_t keep, uint64_t below);
/* The pools of a home: its own, made when first asked for (NULL: out of memory), and the current one. */
SgPool *sg_pool_standard_of(int home);
SgPool *sg_pool_current_of(int home);
void sg_pool_make_current(SgPool *p);
SgPool *sg_pool_behind(const SgAlloc *a); /* the pool of a block that the program has, destroyed or not */

#endif
