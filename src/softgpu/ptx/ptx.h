/* PTX text -> tree. The parser knows the grammar of PTX and the scopes of its names; it knows
 * nothing of what an instruction means: that is decode.c's job, driven by ops.def.
 *
 * Everything hangs in one arena owned by the PtxModule and lives until ptx_free(). Strings that
 * name opcodes and modifiers are interned per module; compare with strcmp all the same. */
#ifndef SOFTGPU_PTX_H
#define SOFTGPU_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PtxType {
  PTX_T_NONE,
  PTX_B8,
  PTX_B16,
  PTX_B32,
  PTX_B64,
  PTX_B128,
  PTX_U8,
  PTX_U16,
  PTX_U32,
  PTX_U64,
  PTX_S8,
  PTX_S16,
  PTX_S32,
  PTX_S64,
  PTX_F16,
  PTX_F16X2,
  PTX_BF16,
  PTX_BF16X2,
  PTX_F32,
  PTX_F64,
  PTX_PRED,
  PTX_TEXREF,
  PTX_SAMPLERREF,
  PTX_SURFREF,
  PTX_T_COUNT
} PtxType;

typedef enum PtxSpace {
  PTX_GENERIC,
  PTX_REG,
  PTX_CONST,
  PTX_GLOBAL,
  PTX_LOCAL,
  PTX_PARAM,
  PTX_SHARED
} PtxSpace;

enum { PTX_EXTERN = 1, PTX_VISIBLE = 2, PTX_WEAK = 4, PTX_COMMON = 8, PTX_MANAGED = 16 };

typedef struct PtxSym PtxSym;
typedef struct PtxFunc PtxFunc;
typedef struct PtxOpnd PtxOpnd;

/* One element of an initialiser, in declaration order, nested braces flattened. Elements that
 * are missing at the end are zero. */
typedef struct PtxInit {
  enum { PTX_INIT_INT, PTX_INIT_FLOAT, PTX_INIT_SYM } kind;
  bool generic;       /* generic(sym): the generic address of the symbol */
  uint64_t bits;      /* INT: two's complement; FLOAT: the bits of a double */
  PtxSym *sym;        /* SYM: variable or function; bits is the byte offset added to it */
  uint8_t mask_shift; /* mask(sym) forms: 0xFF(sym), 0xFF00(sym)...: right shift in bits; else 0 */
  bool masked;        /* ... keep the low 8 bits after the shift */
} PtxInit;

typedef enum PtxSymKind { PTX_SYM_REG, PTX_SYM_VAR, PTX_SYM_LABEL, PTX_SYM_FUNC, PTX_SYM_PROTO } PtxSymKind;

struct PtxSym {
  PtxSymKind kind;
  const char *name; /* as written, e.g. "%r1", "$L__BB0_2", "buf" */
  PtxFunc *func;    /* function whose body declares it; NULL at module level */
  PtxSpace space;   /* REG, or the space of a VAR */
  PtxType type;
  uint8_t vec;      /* 1, 2 or 4 */
  uint32_t linkage; /* PTX_EXTERN | ... */
  uint32_t align;   /* bytes; natural alignment where the text gives none */
  uint64_t count;   /* number of (vector) elements; 1 for a scalar; 0 for an unsized [] */
  uint64_t size;    /* bytes: count * vec * element size; 0 for an unsized [] */
  bool is_array;
  bool ptr;      /* parameter marked .ptr */
  PtxInit *init; /* VAR with an initialiser */
  size_t ninit;
  uint32_t target;         /* LABEL: index of the instruction it stands before (may be ninst: the end) */
  PtxFunc *def;            /* FUNC: its definition, or the declaration when there is none;
                              PROTO: a nameless PtxFunc with params and rets only */
  PtxSym **branch_targets; /* LABEL of a .branchtargets list */
  size_t nbranch_targets;
  uint32_t id; /* REG, VAR: dense number inside its function (module-level VARs: in the module) */
  uint32_t line, col;
  void *user; /* for the decoder */
};

typedef enum PtxOpndKind {
  PTX_O_SYM,  /* register, label, function, or a variable used as an address value */
  PTX_O_SREG, /* special register: name, e.g. "%tid.x", "%clock64" */
  PTX_O_INT,  /* integer immediate */
  PTX_O_F32,  /* 0fXXXXXXXX: bits in the low word of imm */
  PTX_O_F64,  /* 0dX.. or a decimal float: bits of the double in imm */
  PTX_O_ADDR, /* [base + imm]; base NULL for an absolute address; coord for [tex, {..}] forms */
  PTX_O_VEC,  /* {a, b, ..} */
  PTX_O_PAIR, /* a|b (two destinations), parts in sub[0], sub[1] */
  PTX_O_SINK  /* _ */
} PtxOpndKind;

struct PtxOpnd {
  PtxOpndKind kind;
  bool neg;         /* !p on a predicate operand, or - before a register */
  uint8_t comp;     /* %v.x .. %v.w of a vector register: 1..4; 0 for the whole */
  const char *part; /* "b0", "h10" ... of a register of video instructions; NULL for the whole */
  PtxSym *sym;      /* SYM, ADDR (base) */
  const char *name; /* SREG */
  uint64_t imm;     /* immediates (two's complement); ADDR, SYM: byte offset added */
  PtxOpnd *sub;     /* VEC, PAIR elements; ADDR: the operands after the comma */
  uint32_t nsub;
  uint32_t col;
};

typedef struct PtxCall {
  PtxOpnd *rets, *args;
  uint32_t nrets, nargs;
  PtxOpnd target; /* SYM of a function, or of a register (indirect) */
  PtxSym *proto;  /* .callprototype or .calltargets label of an indirect call */
} PtxCall;

typedef struct PtxInst {
  const char *op;    /* "ld" */
  const char *form;  /* "ld.global.nc.v4.f32": opcode and modifiers as written */
  const char **mods; /* "global", "nc", "v4", "f32" ("shared::cta" is one modifier) */
  uint32_t nmods;
  PtxSym *pred;  /* @p, or NULL */
  bool pred_neg; /* @!p */
  PtxOpnd *opnd; /* call: none, see `call` */
  uint32_t nopnd;
  PtxCall *call;
  uint32_t used;                    /* of a load: mask of the bytes that are used; 0: all */
  uint32_t line, col;               /* place in the PTX text */
  uint32_t file, src_line, src_col; /* from .loc; file 0: none */
  uint32_t outer_file,
      outer_line; /* where the kernel, or a function that is called, has what was inlined; or 0 */
} PtxInst;

struct PtxFunc {
  const char *name;
  PtxSym *sym;
  bool entry, has_body, noreturn;
  PtxSym **params;
  uint32_t nparams; /* .param (or .reg) variables, in order */
  PtxSym **rets;
  uint32_t nrets;
  PtxInst *inst;
  uint32_t ninst;
  PtxSym **syms;
  uint32_t nsyms;                              /* every REG and VAR declared in the body or as a parameter */
  uint32_t nregs;                              /* REG ids run from 0 to nregs - 1 */
  uint32_t maxntid[3], reqntid[3], cluster[3]; /* 0: not given */
  bool explicit_cluster;                       /* launched in clusters only */
  uint32_t minnctapersm, maxnreg;
  uint32_t line;
};

typedef struct PtxModule {
  int version;        /* 90 for .version 9.0 */
  const char *target; /* "sm_80" */
  int target_sm;      /* 80 */
  bool debug;         /* the target says so: compiled with -G */
  int address_size;
  PtxSym **vars;
  uint32_t nvars; /* module-level variables, in order */
  PtxFunc **funcs;
  uint32_t nfuncs; /* definitions and declarations, one entry a name */
  const char **files;
  uint32_t nfiles; /* .file table: files[n] for .loc n (1-based; [0] is NULL) */
  void *arena;
} PtxModule;

typedef struct PtxError {
  uint32_t line, col;
  char text[480]; /* one sentence without the position */
} PtxError;

/* Parses `len` bytes (no terminator needed). NULL on error, with *err filled in. Total: any byte
 * sequence gives a tree or an error, in time and memory linear in its length. */
PtxModule *ptx_parse(const char *text, size_t len, PtxError *err);
void ptx_free(PtxModule *m);

/* Module-level lookup by name, hashed. NULL when absent. */
PtxSym *ptx_find(const PtxModule *m, const char *name);

size_t ptx_type_size(PtxType t);            /* bytes; PRED 1, NONE 0 */
PtxType ptx_type_by_name(const char *name); /* "f32" -> PTX_F32; PTX_T_NONE when unknown */

#endif
