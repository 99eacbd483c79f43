/* Decoded instructions: what decode.c makes of a PTX tree and gang.c executes.
 *
 * Operands are rows of the register file: row r of a gang with nl lanes starts at regs + r * nl, where r is
 * the number of bytes per lane that lie before it. While a kernel is being decoded the same fields hold
 * numbers of virtual registers. Constants and special registers are rows like any other. */
#ifndef SOFTGPU_INS_H
#define SOFTGPU_INS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Gang Gang;
typedef struct Ins Ins;
typedef void SgFn(Gang *g, const Ins *in);

#define NO_ROW UINT32_MAX

typedef enum Kind {
  K_ALU,    /* cannot fail */
  K_MEM,    /* may raise a fault */
  K_LEADER, /* a label: fronts meet here */
  K_BRA,    /* with or without a predicate */
  K_BRX,    /* indexed branch */
  K_BAR,    /* bar.sync and friends: lanes of the block wait for each other */
  K_WARP,   /* *.sync of a warp: lanes of the member mask wait for each other */
  K_CALL,   /* to a routine; d takes the pc to return to */
  K_CALLX,  /* through a pointer, s[0] */
  K_RET,    /* to the pc in s[0] */
  K_EXIT,
  K_TRAP
} Kind;

/* Ins.sub of float operations */
enum {
  RND_N,
  RND_Z,
  RND_M,
  RND_P,
  RND_MASK = 3,
  SUB_FTZ = 4,
  SUB_SAT = 8,
  SUB_NAN = 16,
  SUB_RELU = 32,
  SUB_XOR = 64
};
/* Ins.sub of memory operations: the space of the address */
enum { SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_PARAM, SP_GENERIC };
/* Ins.traits: what only the checks (check.h) want to know */
enum {
  TRAIT_STRONG = 1,  /* volatile, relaxed, atomic ...: accesses that may meet others of the kind */
  TRAIT_RELEASE = 2, /* orders what the thread did before it; fences too */
  TRAIT_ACQUIRE = 4,
  TRAIT_BLOCK = 8,    /* ... within the thread block only */
  TRAIT_COPIED = 16,  /* what is loaded is stored elsewhere, and not used otherwise */
  TRAIT_UNUSED = 32,  /* ... is not even that */
  TRAIT_OWN = 64,     /* not of the program: how calls pass arguments */
  TRAIT_ASYNC = 16,   /* of a store: by an asynchronous copy, of which nobody knows that it is done */
  TRAIT_KEPT = 128,   /* memory: other bits are put into what is loaded, and it is stored: a bit field */
  TRAIT_ALIGNED = 128 /* K_BAR: all threads of a warp have to come to it together */
};
/* Ins.sub of OP_fence; FENCE_WAIT: imm groups may be left, NO_ROW: no copy at all */
enum { FENCE_MEMORY, FENCE_COMMIT, FENCE_WAIT };
/* Ins.sub of K_BAR */
enum { BAR_SYNC, BAR_ARRIVE, BAR_AND, BAR_OR, BAR_POPC };

/* Ins.imm of OP_video */
enum {
  VIDEO_ADD,
  VIDEO_SUB,
  VIDEO_AVRG,
  VIDEO_ABSDIFF,
  VIDEO_MIN,
  VIDEO_MAX,
  VIDEO_EQ,
  VIDEO_NE,
  VIDEO_LT,
  VIDEO_LE,
  VIDEO_OP = 15,
  VIDEO_BYTES = 16, /* four bytes, else two halves */
  VIDEO_SIGNED_D = 32,
  VIDEO_SIGNED_A = 64,
  VIDEO_SIGNED_B = 128,
  VIDEO_SAT = 256,
  VIDEO_SUM = 512 /* the third operand and all parts are added up */
};

/* Ins.flags */
enum {
  INS_SPIN = 1,     /* waits for others: atomics, volatile loads, or a backward branch of a loop with these */
  INS_BACK = 2,     /* backward branch */
  INS_STORE = 4,    /* memory operation writes */
  INS_IMPURE = 8,   /* result depends on more than the operands: never hoisted */
  INS_NEG = 16,     /* branch or guard is taken where the predicate is false */
  INS_HOISTED = 32, /* decode only: moved to the prologue */
  INS_ATOM = 64,
  INS_NARROW = 128 /* the base register has 32 bits */
};

struct Ins {
  SgFn *fn[2]; /* all lanes of [lo, lo + n) active; some by the mask */
  uint32_t d, e;
  uint32_t s[4];
  uint32_t pred; /* guard, or NO_ROW */
  uint32_t
      target;  /* branch, call: pc; K_BRX: first of a run in the kernel's target table; what calls save too */
  int64_t imm; /* address offset, or a small constant of the form */
  uint32_t plan;  /* address plan of the base register; 0: the address is imm itself */
  uint32_t kill;  /* plan that this write makes stale; 0: none */
  uint32_t cache; /* slot for the allocation last seen */
  uint16_t op;    /* row of ops.def */
  uint8_t kind, flags, sub;
  uint8_t bytes; /* memory: whole width of the access, for alignment and reports */
  uint8_t part;  /* ... and byte offset of this element in it (vectors); K_WARP: the member mask is full */
  uint8_t unit;  /* memory: bytes of this element; K_WARP: a shuffle that is the same in all warps */
  uint8_t traits;
};

typedef struct Loc {
  uint32_t ptx_line, file, line;
  uint32_t outer_file, outer_line; /* where it is inlined, or 0 */
  uint32_t object; /* memory: number + 1 of the shared variable that its address is made from */
} Loc;

/* One row per form: handler, operand signature, flags, patterns. */
#define OP(name, sig, flags, forms) OP_##name,
#define MOP OP
#define ROP OP
enum Op {
#include "decode/ops.def"
  OP_COUNT
};
#undef OP
#undef MOP
#undef ROP

typedef struct OpRow {
  const char *name, *sig, *forms;
  uint8_t flags;
} OpRow;
extern const OpRow sg_op_rows[OP_COUNT];

/* What one build of the handlers (baseline or AVX2) gives to the rest. */
typedef struct Front Front;
struct TrackRow;
typedef struct Isa {
  const char *name;
  SgFn *const (*fn)[2]; /* by row of ops.def */
  /* The lanes of f whose predicate is true (neg 0) or false (neg 1), as bits; how many they are. */
  uint32_t (*test)(uint64_t *bits, const Front *f, const uint8_t *p, uint32_t neg, uint32_t lanes);
  void (*scan)(Gang *g, const Ins *in); /* makes the plan of the base register */
  /* Mask bits to bytes, for a number of lanes divisible by 32. */
  void (*spread)(uint8_t *bytes, const uint64_t *bits, uint32_t lanes);
  void (*measure)(Front *f, uint32_t lanes); /* count, first and end from the mask */
  void (*fill)(uint32_t *row, uint32_t value, uint32_t lanes);
  /* exec_check.c. Loads are noted; may these stores be made? False: a word may be raced for. Stores are
   * noted; false: several lanes store to one word. */
  bool (*read_row)(const struct TrackRow *r);
  bool (*store_row)(const struct TrackRow *r);
  bool (*note_row)(const struct TrackRow *r);
} Isa;

/* Does a pattern as those of ops.def stand for a form whose modifiers are in any order? Types keep theirs; a
 * part * stands for any others. `place`, where it is not NULL, gets by modifier which part it is. */
bool sg_form_fits(const char *pattern, size_t len, const char *op, const char *const *mods, uint32_t nmods,
                  uint8_t *place);
/* Row of ops.def that a form such as "add.rn.f32" belongs to, or OP_COUNT. `mods` are its parts. */
enum Op sg_op_find(const char *op, const char *const *mods, uint32_t nmods);

#endif
