/* The machine: modules of decoded kernels, and one entry that runs a grid. The driver layer sees
 * this header and arena.h only; the machine knows nothing of contexts, streams or handles.
 * Codes are CUresult values as plain ints. */
#ifndef SOFTGPU_MACHINE_H
#define SOFTGPU_MACHINE_H

#include "base/arena.h"
#include "decode/kernel_info.h"

/* Parses and decodes PTX (or a NUL-terminated copy of it), places .global and .const variables in the
 * arena and fills them. NULL on failure, *code a CUresult (218 invalid PTX, 2 out of memory, ...). */
SgModule *sg_module_load(int device, uint64_t owner, const char *ptx, size_t len, SgDiag *diag, int *code);
void sg_module_unload(SgModule *m);
uint32_t sg_module_nkernels(const SgModule *m);
SgKernel *sg_module_kernel_at(const SgModule *m, uint32_t i);
SgKernel *sg_module_kernel(const SgModule *m, const char *name); /* entries only */
SgAlloc *sg_module_global(const SgModule *m, const char *name);  /* .global or .const variable */
/* A .texref or .surfref variable: 8 bytes for the number of a texture or surface. */
SgAlloc *sg_module_reference(const SgModule *m, const char *name, SgReference kind);
const SgKernelInfo *sg_kernel_info(const SgKernel *k);
size_t sg_spare_bytes(void); /* memory kept for the next launches of kernels */
/* Why a kernel cannot run on this machine: it has an instruction that is not implemented. NULL: it can. */
const char *sg_kernel_missing(const SgKernel *k);
/* What a compiler's options impose on all kernels: registers of a thread, threads of a block (0: no limit). A
 * kernel that states its own threads keeps them, unless `override`. */
void sg_module_limit(SgModule *m, uint32_t registers, uint32_t threads, bool override);

/* What the context of a launch does for its kernels. */
typedef struct SgSystem {
  void *user;
  /* Text that a thread printed, and how many bytes of the buffer for such text it takes. */
  void (*print)(void *user, const char *text, size_t bytes, size_t cost);
  /* A line about an assertion that failed. */
  void (*complain)(void *user, const char *line);
  /* Memory of the heap for kernels; NULL: none is left. And back again; false: it is none of that. */
  const SgAlloc *(*take)(void *user, uint64_t bytes);
  bool (*give)(void *user, uint64_t address);
  /* A conditional node of the kernel's graph looks at this value. Not NULL: why that cannot be. */
  const char *(*set_condition)(uint64_t handle, uint32_t value);
} SgSystem;

/* What a launch did, counted if it is asked for. A warp is 32 threads of a block, one after another. */
typedef struct SgCounts {
  uint64_t instructions;                /* of warps: each once, however many of its threads take part */
  uint64_t threads;                     /* of threads: those of a warp that take part, guarded or not */
  uint64_t branches, parted;            /* of warps: all, and those where its threads part */
  uint64_t global_read, global_written; /* bytes */
  uint64_t shared_read, shared_written;
} SgCounts;

typedef struct SgLaunch {
  SgKernel *kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared;
  uint32_t stack_bytes;  /* CU_LIMIT_STACK_SIZE; 0: the default */
  const uint8_t *params; /* info->param_bytes bytes, laid out by SgParam offsets */
  bool cooperative;
  bool (*may_use)(const void *user, const SgAlloc *a); /* whose memory is open to it; NULL: everybody's */
  const void *user;
  const struct SgImages *images; /* textures and surfaces of its context; NULL: it has none */
  const SgSystem *system;        /* NULL: nothing is printed, and there is no heap */
  unsigned checks;               /* SG_CHECK_* */
  bool interruptible;            /* sg_interrupt_look may end it */
  SgCounts *counts;              /* added to, unless there are checks; NULL: nothing is counted */
  /* Called every now and then between two instructions: the arena may change meanwhile. NULL: nothing happens
   * beside it. */
  void (*let_in)(void);
} SgLaunch;

/* Checks that a launch may be run with. */
enum {
  SG_CHECK_RACES = 1,
  SG_CHECK_UNINITIALISED = 2,
  SG_CHECK_BARRIERS = 4,
  SG_CHECK_SHUFFLES = 8,
  SG_CHECK_ARRAYS = 32
};

/* Why a grid stopped. */
typedef struct SgFault {
  int code; /* 700 illegal address, 716 misaligned, 719 failed, 702 timeout, 710 assert ... */
  char kernel[128];
  uint32_t block[3], thread[3];
  uint32_t ptx_line; /* line of the instruction in the PTX */
  char file[256];    /* source file and line by .loc; "" and 0 without -lineinfo */
  uint32_t line;
  uint64_t address; /* of a bad access */
  uint32_t bytes;   /* its width */
  char text[2048];  /* one paragraph for people, all of the above in it */
  char json[4096];  /* an object for programs, in one line */
} SgFault;

/* Asked while an interruptible grid runs, by any thread: does the program want its end? NULL: it never does.
 */
extern int (*_Atomic sg_interrupt_look)(void);

/* The process ends: grids stop where they are, as if they were interrupted. */
extern _Atomic bool sg_grids_end;

/* Called while a grid runs for long, by any of its threads and a few times a second: blocks that are done and
 * all of them, ns since it began. With a NULL name when a grid that was told of is over. NULL: nobody is
 * told.
 */
typedef void SgProgress(const char *kernel, uint64_t done, uint64_t blocks, uint64_t ns);
extern SgProgress *_Atomic sg_progress;

/* Runs the whole grid on the calling thread; 0, or fault->code: SG_INTERRUPTED where the program stopped it.
 */
int sg_machine_run(const SgLaunch *launch, SgFault *fault);

uint64_t sg_nanoseconds(void); /* monotonic */

/* Instructions executed since the start (lane-independent), for virtual time. */
uint64_t sg_machine_ticks(void);

#endif
