/* The device address space: one reserved range of host addresses, so that a device pointer is a
 * host pointer and a copy is a memcpy. The table of allocations is what every bounds check asks; memory from
 * elsewhere that kernels may use (registered by the program, imported from another process) is in it too.
 *
 * Two ranges: [null page][shared window][local window] and [shared page][device 0][device 1]...[pinned
 * memory]. The second is a shared mapping of an unlinked file, so that another process can map one allocation
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
  SG_MANAGED,
  SG_ARRAY,        /* texels of a CUDA array: nobody's address, sg_arena_find does not see them */
  SG_HEAP,         /* malloc in a kernel: seen by kernels alone */
  SG_POOL,         /* a block of a memory pool (cuMemAllocAsync), */
  SG_POOL_HOST,    /* of one of page-locked host memory, */
  SG_POOL_MANAGED, /* and of one of managed memory */
  SG_REGISTERED,   /* host memory of the program (cuMemHostRegister) */
  SG_IMPORTED,     /* an allocation of another process (cuIpcOpenMemHandle) */
  SG_GRAPHICS      /* a mapped buffer of OpenGL */
} SgKind;

enum { SG_PLACE = 128 }; /* room for a place in the program, as text */

typedef struct SgAlloc {
  uint64_t base; /* device address == host address */
  uint64_t size; /* bytes as asked for */
  uint64_t room; /* bytes reserved, rounding and red zone included */
  int device;
  SgKind kind;
  bool held;        /* the program has it; false: freed, but not given back yet */
  bool kept;        /* freed by a pool of the program's own, which will ask for its address again */
  bool read_only;   /* kernels may read, not write */
  bool exported;    /* other processes may have it */
  bool sync_memops; /* the driver layer's own, like the next two; false, 0 and NULL at first */
  uint32_t tag;
  void *more;
  uint64_t until;  /* the last operation that may use it as it was before it was freed, */
  uint64_t was;    /* which had up to so many bytes; 0: nothing of that is queued */
  uint64_t serial; /* 1, 2, 3 ... over the process: never reused */
  uint64_t owner;  /* context id (driver layer); 0 for none */
  uint8_t *init;   /* which bytes were written (shadow.c); NULL: taken to be all */
  uint64_t full;   /* ... and all of those before this one */
  void *track;     /* who used its words (race.c), or NULL */
  uint8_t *stored; /* of texels: bytes that surface stores of the grid stored_by wrote, as bits; or NULL */
  uint64_t stored_by;
  char made[SG_PLACE], freed[SG_PLACE]; /* places in the program, or "" */
  const void *maker, *freer;            /* ... else the code that called the driver, or NULL (place.c) */
  char name[64];                        /* variable's name, or "" */
} SgAlloc;

enum { SG_ALIGN = 256, SG_REDZONE = 256, SG_SHARED_PAGE = 256 << 10 };
#define SG_WINDOW_BYTES ((uint64_t)16 << 20)

/* Opens the arena for `devices` (1..8) devices of `bytes` each, fewer bytes where the address space is
 * limited; false: none to be had, or open already. Close frees every allocation; the windows stay put. */
bool sg_arena_open(int devices, uint64_t bytes);
void sg_arena_close(void);
uint64_t sg_arena_shared_window(void); /* generic address of shared address 0 */
uint64_t sg_arena_local_window(void);  /* generic address of local address 0 */

/* The file behind the arena, -1 if it is plain memory; its first SG_SHARED_PAGE bytes, zeros when opened,
 * which are the driver layer's to use (NULL without a file); and where an address lies in it. */
int sg_arena_fd(void);
void *sg_arena_shared_page(void);
uint64_t sg_arena_offset(uint64_t addr);

/* Fill byte of fresh memory, -1 for none. Allocations above 1 MiB are filled at both ends only. */
extern int sg_arena_poison;

/* NULL when the device's memory is exhausted: what counts is the sum of the sizes, rounded to SG_ALIGN.
 * Contents are the poison byte (default 0xA5). Addresses freed last are given out first (as the real driver
 * does), at any alignment up to 4096. A larger one is a wish: it is given up when the addresses run out. */
SgAlloc *sg_arena_alloc(int device, uint64_t size, uint64_t align, SgKind kind, uint64_t owner,
                        const char *name);
/* Enters memory that is not the arena's into the table. NULL: out of memory, or it overlaps what is there. */
SgAlloc *sg_arena_adopt(uint64_t base, uint64_t size, int device, SgKind kind, uint64_t owner);
/* Takes it out of the table; memory of the arena can be allocated again. */
void sg_arena_free(SgAlloc *a);
/* Where the program's next allocation or free stands: the calling thread's, used up by it. */
extern _Thread_local char sg_arena_place[SG_PLACE];
extern _Thread_local const void *sg_arena_caller; /* the code that called the driver */
/* place.c: `said`, or the name of the code, as text; false: neither is known. */
bool sg_place_text(const char *said, const void *code, char text[SG_PLACE]);
/* Allocations from now on know which of their bytes were written. */
extern bool sg_arena_keeps_init;
extern _Atomic uint32_t sg_arena_inits; /* allocations of which some bytes may not have been */
void sg_arena_all_written(SgAlloc *a);
/* Bytes were written from outside of kernels, or copied. */
void sg_memory_written(uint64_t addr, uint64_t bytes);
void sg_memory_copied(uint64_t to, uint64_t from, uint64_t bytes);
/* Called for every allocation before it is freed, so that the driver layer can let go of a->more. */
extern void (*sg_arena_before_free)(SgAlloc *a);

/* The program freed it, but it stays reserved; operations up to number `until` may still use it. */
void sg_arena_let_go(SgAlloc *a, uint64_t until);
/* The program gets it again, for `size` bytes of it (no more than it had at first), as a new allocation.
 * `fresh`: nobody uses the old contents any more, and its ends are poisoned. */
void sg_arena_hold(SgAlloc *a, uint64_t size, bool fresh);
/* The program uses the first `size` bytes of it only. */
void sg_arena_trim(SgAlloc *a, uint64_t size);

/* The allocation of the program that holds `addr`, else NULL. O(log n). The pointer stays valid until that
 * allocation is freed; `sg_arena_epoch` changes whenever any allocation is made or freed. */
SgAlloc *sg_arena_find(uint64_t addr);
/* The same for an operation that runs on the device, whose number is sg_arena_now: memory that was freed
 * after the operation was submitted is still there. */
SgAlloc *sg_arena_reach(uint64_t addr);
extern uint64_t sg_arena_now;
/* The bytes that this operation may use: if it was submitted before the memory was freed, those of that time.
 */
static inline uint64_t sg_arena_bytes(const SgAlloc *a) {
  return a->was && sg_arena_now <= a->until ? a->was : a->size;
}
/* Whatever is at `addr`, freed or not; and whatever shares a byte with [addr, addr + size), the last if
 * several. */
SgAlloc *sg_arena_at(uint64_t addr);
SgAlloc *sg_arena_overlap(uint64_t addr, uint64_t size);
bool sg_arena_owns(uint64_t addr); /* an address of the range, allocated or not */
/* For reports: the allocation closest to `addr` of those that the running operation may use, and the freed
 * one that last held it (or NULL). */
SgAlloc *sg_arena_nearest(uint64_t addr);
const SgAlloc *sg_arena_freed_at(uint64_t addr);
/* Memory as it was when the running operation was submitted: it may have been freed and handed out since. */
const SgAlloc *sg_arena_then(const SgAlloc *a);
extern uint64_t sg_arena_epoch;

/* Page-locked host memory, of the arena or of the program. */
static inline bool sg_is_pinned(const SgAlloc *a) {
  return a->kind == SG_HOST || a->kind == SG_REGISTERED || a->kind == SG_POOL_HOST;
}
static inline bool sg_is_managed(const SgAlloc *a) {
  return a->kind == SG_MANAGED || a->kind == SG_POOL_MANAGED;
}
static inline bool sg_is_pooled(const SgAlloc *a) {
  return a->kind == SG_POOL || a->kind == SG_POOL_HOST || a->kind == SG_POOL_MANAGED;
}

void sg_arena_info(int device, uint64_t *free_bytes, uint64_t *total_bytes);
uint64_t sg_arena_damaged(void); /* allocations whose red zone was found overwritten when freed */
/* Calls f for every allocation of `owner` (0: all), those not held any more too. f may free the one it is
 * given. */
void sg_arena_each(uint64_t owner, void (*f)(SgAlloc *, void *), void *arg);

#endif
