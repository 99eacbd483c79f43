/* A decoded kernel and its module: what decode.c fills, gang.c runs and module.c hands out. */
#ifndef SOFTGPU_KERNEL_H
#define SOFTGPU_KERNEL_H

#include <stdatomic.h>

#include "base/arena.h"
#include "decode/ins.h"
#include "decode/kernel_info.h"

/* Addresses of functions: values that no access can reach. */
#define CODE_WINDOW ((uint64_t)1 << 60)
/* Generic addresses of parameters: the upper half of the window of local memory. */
#define PARAM_WINDOW (SG_WINDOW_BYTES / 2)
enum { CODE_STEP = 16, STACK_ALIGN = 16 };

/* Shared memory of the system, behind that of the program: cooperative groups of several warps work with it.
 */
enum { RESERVED_SHARED = 1024 };

/* A row with the same content in every launch, or set per launch or per block. */
typedef enum FillKind {
  FILL_CONST,
  FILL_SHARED, /* an address in shared memory; the upper half of bits says which variable's (decode/objects.c)
                */
  FILL_TID_X,
  FILL_TID_Y,
  FILL_TID_Z,
  FILL_NTID_X,
  FILL_NTID_Y,
  FILL_NTID_Z,
  FILL_NCTAID_X,
  FILL_NCTAID_Y,
  FILL_NCTAID_Z,
  FILL_LANEID,
  FILL_WARPID,
  FILL_NWARPID,
  FILL_LANEMASK_EQ,
  FILL_LANEMASK_LE,
  FILL_LANEMASK_LT,
  FILL_LANEMASK_GE,
  FILL_LANEMASK_GT,
  FILL_SMID,
  FILL_NSMID,
  FILL_GRIDID,
  FILL_DYNAMIC_SMEM,
  FILL_TOTAL_SMEM,
  FILL_RESERVED_BEGIN,
  FILL_RESERVED_END,
  FILL_ENVREG1,
  FILL_ENVREG2,
  FILL_STACK_END,
  FILL_PER_BLOCK,
  FILL_CTAID_X = FILL_PER_BLOCK,
  FILL_CTAID_Y,
  FILL_CTAID_Z
} FillKind;

typedef struct Fill {
  FillKind kind;
  uint8_t width;
  uint32_t row;
  uint64_t bits; /* FILL_CONST */
} Fill;

/* What ties the blocks of a kernel together (ties.c). */
enum {
  TIE_ORDER = 1, /* they may wait for each other, or compute something else in another order */
  TIE_SINGLE =
      2, /* one thread has to run them: they call functions of the device, or exchange 16 bytes at once */
  TIE_CLOCK = 4 /* they read clocks: the same state does not make them do the same again */
};

/* A shared variable; those whose address is taken come first, by the numbers that FILL_SHARED has. */
typedef struct SgObjectAt {
  uint32_t at, end; /* end of a dynamic one: UINT32_MAX */
  char name[64];
} SgObjectAt;

struct SgKernel {
  SgKernelInfo info;
  SgModule *module;
  Ins *code;
  Loc *locs; /* by pc */
  SgObjectAt *objects;
  uint32_t nobjects;
  uint32_t ncode;
  Ins *prologue;
  uint32_t nprologue;
  Fill *fills; /* per launch ones first */
  uint32_t nfills, nlaunch_fills;
  uint32_t *targets; /* K_BRX lists: count, pc, pc, ...; OP_save lists: see exec_call.c */
  uint32_t start;    /* pc of the first instruction */
  uint32_t
      *functions; /* pc by function of the module, or NO_ROW; where a pointer may lead to one, else NULL */
  uint32_t nfunctions;
  bool reserves; /* uses the system's part of shared memory */
  bool stacks;   /* functions call themselves: threads need a stack */
  bool debug;    /* code for a debugger */
  bool reads_textures, stores_images;
  unsigned ties; /* TIE_* */
  char *missing; /* why it cannot run here, or NULL; then there is no code */
  uint32_t bytes_per_lane, nplans, ncaches;
  bool *plan_invariant;
  Gang *spare; /* a gang of the last launch, to begin the next one with (spares.c) */
};

struct SgModule {
  int device;
  uint64_t owner;
  SgKernel **kernels;
  uint32_t nkernels;
  SgAlloc **globals;
  char **global_names;
  uint8_t *references; /* by global: SgReference */
  uint32_t nglobals;
  uint32_t *buckets; /* hash of names: kernels first, then globals */
  uint32_t nbuckets;
  char **files; /* of .loc, from 1 */
  uint32_t nfiles;
};

#endif
