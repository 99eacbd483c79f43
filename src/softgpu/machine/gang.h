/* A gang: one thread block in execution, all its lanes in lockstep as far as they agree.
 *
 * Lanes that are at the same instruction form a front. One front runs, the others are parked, each at the
 * instruction it will execute next; the front with the lowest pc runs, so that lanes meet again at the
 * first common instruction. Masks are bytes (0 or 1) for the running front, bits for parked ones. */
#ifndef SOFTGPU_GANG_H
#define SOFTGPU_GANG_H

#include "base/device.h"
#include "decode/ins.h"
#include "machine/machine.h"

/* Codes of faults. In code for a debugger a GPU looks at the stack before each call, and traps. */
enum { STACK_OVERFLOW = SG_ILLEGAL_ADDRESS, STACK_OVERFLOW_DEBUG = SG_LAUNCH_FAILED };
enum { MASK_WORDS = MAX_LANES / 64, LANE_PAD = 32 };

typedef enum FrontState { F_RUN, F_BAR, F_WARP } FrontState;

struct Front {
  uint32_t pc;
  uint32_t count, first, end; /* active lanes, first of them, last of them + 1; not kept for a parked F_RUN */
  uint32_t group;             /* fronts of different groups never merge */
  FrontState state;
  uint32_t bar;              /* F_BAR: barrier number */
  uint64_t age;              /* when it was parked */
  uint64_t mask[MASK_WORDS]; /* of the running front too, beside the bytes */
};

typedef struct Barrier {
  uint32_t arrived, expected; /* expected 0: all live threads */
  uint32_t ones;              /* bar.red: arrived threads whose predicate is true */
} Barrier;

/* What is known about the addresses in a base register: from one pass over its lanes, good until the
 * register or the front changes, then each access costs one range check. */
typedef enum PlanShape { PLAN_REGULAR, PLAN_IRREGULAR, PLAN_WIDE } PlanShape;
enum { CLASS_GATHER, CLASS_BROADCAST, CLASS_ROW, CLASS_MIXED };

typedef struct Plan {
  uint32_t serial; /* front it is good for; 0: none */
  PlanShape shape;
  bool invariant;     /* the register is computed once, for all lanes */
  uint32_t first;     /* lane whose address is a0 */
  uint32_t row_bytes; /* IRREGULAR: element width of CLASS_ROW */
  uint64_t a0, low;   /* low: OR of all distances from a0, for alignment */
  uint8_t all;        /* IRREGULAR: class of all groups of eight lanes, or CLASS_MIXED */
  int64_t stride;     /* REGULAR: distance from lane to lane */
  int64_t lo, hi;     /* least and greatest distance */
  int32_t *off;       /* IRREGULAR: distance by lane */
  uint8_t *cls;       /* ... and class by eight lanes */
} Plan;
#define PLAN_ALWAYS UINT32_MAX

/* Where an access goes once it is checked: by an even stride, by offsets, or
 * by a pointer per lane. */
typedef enum SpotShape { SPOT_FLAT, SPOT_OFFSETS, SPOT_POINTERS } SpotShape;
typedef struct Spot {
  SpotShape shape;
  uint8_t *p;         /* FLAT: address of lane 0, which need not be active; OFFSETS: base */
  int64_t stride;     /* FLAT */
  const int32_t *off; /* OFFSETS */
  const uint8_t *cls;
  uint32_t row_bytes;
  uint8_t all;
} Spot;

typedef struct AllocCache {
  uint64_t base, end;
  SgAlloc *alloc;
  bool writable;
  uint64_t last, step; /* address of the last access, and how far it was from the one before */
} AllocCache;

/* The invariants of one launch on one worker thread. */
typedef struct Run {
  const SgLaunch *launch;
  SgKernel *kernel;
  const Isa *isa;
  uint64_t shared_window, local_window;
  uint64_t started, deadline; /* monotonic ns; deadline 0: none */
  uint64_t grid_id;
  uint32_t group_lanes; /* lanes that execute together: the block, or fewer */
  uint64_t workspace;   /* cooperative launch: address behind envreg1 and 2 */
  Gang *gangs;          /* all of them, by Gang.sibling */
  unsigned checks;      /* SG_CHECK_* */
  struct CheckRun *check;
  uint32_t slice; /* instructions, times threads, without a look at the clock */
  bool parallel; /* other threads run blocks of the grid beside: what several lanes change has to be atomic */
  bool independent; /* nothing ties its blocks together */
  bool counts;      /* its instructions are counted: Gang.counts */
} Run;

typedef enum GangStatus {
  GANG_DONE,
  GANG_YIELD, /* another block may have its turn */
  GANG_PAUSE, /* its turn is not over; a chance to look at the clock */
  GANG_FAULT
} GangStatus;

/* What was found by a check. */
typedef enum CheckKind {
  CHECK_NONE,
  CHECK_UNWRITTEN,
  CHECK_RACE,
  CHECK_BARRIER,
  CHECK_SHUFFLE,
  CHECK_ARRAY,
  CHECK_IMAGE /* a texture or surface: not looked for, but always found */
} CheckKind;

/* The other access of a race. */
typedef struct Other {
  bool store, atomic;
  bool many;    /* by several threads: `warps` has a bit for each of their warps */
  bool blocks;  /* ... of several blocks */
  bool same;    /* by the same instruction at the same time */
  bool pending; /* an asynchronous copy that was not waited for */
  uint32_t pc;  /* NO_ROW: not known, with many */
  uint32_t lane, warps;
  uint64_t block; /* linear number */
} Other;

/* What went wrong, in the machine's terms; report.c makes a SgFault of it. */
typedef struct Trouble {
  int code;
  CheckKind check;
  Other other; /* CHECK_RACE; CHECK_BARRIER, CHECK_SHUFFLE: another place */
  uint32_t pc, lane;
  uint64_t address;
  uint32_t bytes;
  bool store, memory;
  const struct SgImage *image; /* that it is about, or NULL */
  uint64_t image_number;       /* its handle; 0: it is about none */
  int64_t texel[3];            /* in it */
  bool has_texel;
  char text[1400];
} Trouble;

struct Gang {
  /* what handlers see */
  char *regs;
  uint32_t nl;    /* lanes a row has room for, a multiple of LANE_PAD */
  uint32_t words; /* ... and mask words for these */
  uint32_t lo, n; /* lanes to work on; groups of eight when masked */
  bool masked;    /* not all of [lo, lo + n) are active */
  uint8_t *m;     /* active lanes, by absolute lane number */
  uint8_t *shared, *local;
  const uint8_t *params;
  uint8_t **ptrs; /* SPOT_POINTERS, by absolute lane number */
  Plan *plans;
  AllocCache *caches; /* by Ins.cache */
  uint8_t *scratch;   /* nl * 8 bytes for handlers that permute lanes */
  Run *run;
  uint32_t threads;
  uint32_t shared_bytes, local_bytes, local_stride, param_bytes;
  uint32_t stack_limit; /* as the launch asked for it, for reports */
  Trouble trouble;
  /* fronts */
  Front cur;
  uint32_t serial; /* changes with the lanes of the running front */
  uint32_t whole;  /* serial with which the block began, all threads in one front; 0: in several */
  uint32_t nextpc; /* least pc of a parked front that may run, of cur's group */
  bool others;     /* a parked front of any group may run */
  Front *parked;
  uint32_t nparked;
  uint64_t clock;   /* for ages */
  uint8_t *fm, *pm; /* mask bytes of the front, and of a guarded instruction */
  uint32_t live_count;
  uint64_t live[MASK_WORDS];
  Barrier barrier[BARRIERS + 1]; /* the last one is the cluster's: a cluster is one block */
  uint64_t icount;               /* instructions executed by this block */
  SgCounts counts;               /* since they were added to the launch's */
  uint64_t edges;                /* backward branches since the last rotation */
  int64_t quantum;               /* what is left of its turn */
  uint64_t linear;               /* number of the block */
  uint32_t ctaid[3];
  /* memory and lists */
  SgKernel *kernel;
  uint32_t block[3]; /* shape that its constant rows are filled for */
  size_t shared_room, bytes;
  void *memory;
  struct Check *check; /* of a launch with checks, else NULL */
  bool undefined;      /* ... which follows an undefined value of the block (undefined.c) */
  bool resolved;       /* ... which has found the place of the next access: `spot` */
  Spot spot;
  uint32_t calling; /* pc of a call to a function of the device */
  /* while it is watched (stuck.c) */
  bool touched;        /* it changed memory, or read what others may change */
  bool used_memory;    /* it read or wrote any, shared memory included */
  bool recurred;       /* it was in the same state again */
  uint64_t state;      /* a hash of the state it was in at first */
  Gang *next;          /* of a list in sched.c */
  Gang *sibling;       /* the next one in this launch */
  Gang *newer, *older; /* among the spare ones (spares.c) */
};

/* --- gang.c: execution of one block --- */
void sg_gang_begin_block(Gang *g, uint64_t linear);
/* Goes on with the block, until its turn is over at the latest. */
GangStatus sg_gang_run(Gang *g);
GangStatus sg_gang_run_checked(Gang *g);
GangStatus sg_gang_run_counted(Gang *g); /* without checks */
GangStatus sg_gang_run_watched(Gang *g); /* with or without checks; until it has touched memory */
void sg_gang_new_turn(Gang *g);

/* --- front.c: which lanes run --- */
void sg_front_start(Gang *g, uint32_t group_lanes); /* all lanes of the block at pc 0 */
void sg_front_set(Gang *g);                         /* after a change of cur.mask */
void sg_front_park(Gang *g, const Front *f);
bool sg_front_next(Gang *g);                   /* the lowest parked front runs; false: none may */
bool sg_front_meet(Gang *g);                   /* at cur.pc >= nextpc: merge, true; or swap */
void sg_front_rotate(Gang *g);                 /* the oldest parked front runs, cur is parked */
void sg_front_remove(Gang *g, const Front *f); /* takes the lanes of f out of cur */
void sg_front_refresh(Gang *g);                /* nextpc after a change of the parked fronts */

/* --- sync.c: lanes that wait for each other. False: cur is parked or empty, another front must run --- */
bool sg_bar(Gang *g, const Ins *in);
bool sg_warp(Gang *g, const Ins *in);
void sg_lanes_exited(Gang *g);
bool sg_warps_meet(Gang *g); /* false: still nobody can run */

/* --- stuck.c: blocks that do not get on --- */
void sg_deadlock(Gang *g); /* none of its threads can run: raises the fault */
/* Where its threads stand, "threads 0-31 are at PTX line 8; ...". */
void sg_standing(const Gang *g, char *text, size_t room);
/* Executes an instruction of kind K_MEM, and sets g->touched. */
void sg_watch_step(Gang *g, const Ins *in);
/* The registers and fronts: with memory as it is they determine what the block does next. */
uint64_t sg_watch_state(const Gang *g);

/* --- state.c: memory of a gang --- */
Gang *sg_gang_new(SgKernel *k, const SgLaunch *launch);
bool sg_gang_fits(const Gang *g, const SgLaunch *launch);
void sg_gang_free(Gang *g);
void sg_gang_begin_launch(Gang *g, Run *run); /* constants, then the prologue */

/* --- spares.c: gangs kept for the next launch of their kernels --- */
enum { SG_SPARES_MOST = 32 << 20 }; /* bytes */
Gang *sg_spare_take(SgKernel *k);   /* NULL: the kernel has none */
void sg_spare_keep(Gang *g);

/* --- address.c --- */
/* Checks the access of every active lane. False: a fault was raised in g->trouble. */
bool sg_resolve(Gang *g, const Ins *in, Spot *spot);
/* The same, lane by lane: fills g->ptrs of the active lanes. */
bool sg_resolve_lanes(Gang *g, const Ins *in);
/* in->bytes of them for each active lane, 0xA5 where there is no memory that the kernel may read. */
void sg_peek(Gang *g, const Ins *in, uint64_t *to);
void sg_image(Gang *g, const Ins *in);   /* image.c: of a texture or surface */
void sg_aligned(Gang *g, const Ins *in); /* raises the fault where an address is no multiple of in->bytes */
void sg_raise(Gang *g, int code, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Is this memory open to the launch? Where it is not, it is as if it were not there. */
static inline bool sg_open_to(const Gang *g, const SgAlloc *a) {
  const SgLaunch *l = g->run->launch;
  return !l->may_use || l->may_use(l->user, a);
}

/* --- sched.c, report.c --- */
/* A kernel freed memory: whatever gangs remember of allocations is looked up again. */
void sg_forget_allocations(const Run *run);
void sg_explain(const Gang *g, SgFault *fault);
void sg_alloc_text(const SgAlloc *a, char *text, size_t room); /* whose memory it is, and where it was made */
/* A place in the program; and where a thread is. */
void sg_place(const SgKernel *k, uint32_t pc, char *text, size_t room);
void sg_where(const Gang *g, uint32_t pc, uint32_t lane, char *text, size_t room);

#endif
