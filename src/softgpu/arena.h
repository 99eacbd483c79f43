/* The device address space: one reserved range of host addresses, so that a device pointer is a
 * host pointer and a copy is a memcpy. The table of allocations is what every bounds check asks.
 *
 * Layout of the range: [null page][shared window][local window][const bank][device 0][device 1]...
 * Memory is a shared mapping of an unlinked file, so that another process can map one allocation
 * (IPC). Not thread-safe by itself: callers hold the driver lock (sg_lock, driver.h). */
#ifndef SOFTGPU_ARENA_H
#define SOFTGPU_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SgKind {
  SG_DEVICE, /* cuMemAlloc */
  SG_MODULE, /* .global variable of a module */
  SG_CONST,  /* .const variable of a module: kernels may read, not write */
  SG_HOST,   /* pinned host memory (cuMemHostAlloc) */
  SG_MANAGED
} SgKind;

typedef struct SgAlloc {
  uint64_t base; /* device address == host address */
  uint64_t size; /* bytes as asked for */
  uint64_t room; /* bytes reserved, rounding and red zone included */
  int device;
  SgKind kind;
  uint64_t serial; /* 1, 2, 3 ... over the process: never reused */
  uint64_t owner;  /* context id (driver layer); 0 for none */
  uint32_t tag;    /* the driver layer's own; 0 at first */
  char name[64];   /* variable's name, or "" */
} SgAlloc;

enum { SG_ALIGN = 256, SG_REDZONE = 256 };
#define SG_WINDOW_BYTES ((uint64_t)16 << 20)

/* Opens the arena for `devices` (1..8) devices of `bytes` each, fewer bytes where the address space is
 * limited; false: none to be had, or open already. Close frees every allocation; the windows stay put. */
bool sg_arena_open(int devices, uint64_t bytes);
void sg_arena_close(void);
uint64_t sg_arena_shared_window(void); /* generic address of shared address 0 */
uint64_t sg_arena_local_window(void);  /* generic address of local address 0 */

/* Fill byte of fresh memory, -1 for none. Allocations above 1 MiB are filled at both ends only. */
extern int sg_arena_poison;

/* NULL when the device's memory is exhausted. Contents are the poison byte (default 0xA5).
 * Addresses freed last are given out first (as the real driver does), at any alignment up to 4096. */
SgAlloc *sg_arena_alloc(int device, uint64_t size, uint64_t align, SgKind kind, uint64_t owner,
                        const char *name);
void sg_arena_free(SgAlloc *a);

/* The live allocation that holds `addr`, else NULL. O(log n). The pointer stays valid until that
 * allocation is freed; `sg_arena_epoch` changes whenever any allocation is made or freed. */
SgAlloc *sg_arena_find(uint64_t addr);
/* For reports: the live allocation closest to `addr`, and the freed one that last held it (or NULL). */
SgAlloc *sg_arena_nearest(uint64_t addr);
const SgAlloc *sg_arena_freed_at(uint64_t addr);
extern uint64_t sg_arena_epoch;

void sg_arena_info(int device, uint64_t *free_bytes, uint64_t *total_bytes);
uint64_t sg_arena_damaged(void); /* allocations whose red zone was found overwritten when freed */
/* Calls f for every live allocation of `owner` (0: all). f may free the allocation it is given. */
void sg_arena_each(uint64_t owner, void (*f)(SgAlloc *, void *), void *arg);

#endif
