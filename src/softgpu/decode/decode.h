/* Decoding, inside: a PTX function becomes a row of Ins over virtual registers, calls are expanded in place,
 * then finish.c turns that into a kernel. A family of forms that one row each cannot describe (loads,
 * conversions, ...) has a function here that lowers it to rows of ops.def. */
#ifndef SOFTGPU_DECODE_H
#define SOFTGPU_DECODE_H

#include <setjmp.h>

#include "decode/kernel.h"
#include "ptx/ptx.h"

typedef struct Frame Frame;
struct Frame {
  const PtxFunc *f;
  Frame *up;
  uint32_t *reg; /* virtual register by id of a REG */
  uint32_t
      *place;   /* by id of a VAR: offset in local memory, or in the parameters of an entry; NO_ROW: none */
  uint32_t *pc; /* by instruction, and one for the end */
  uint8_t *leader; /* instructions that a branch leads to */
  uint32_t depth;
};

/* A function that is really called. Its code lies before that of its callers, so that threads inside run
 * first and meet their fellows behind the call. A cyclic one, which may be active several times in a thread,
 * has its variables on the thread's stack; registers that it needs behind a call are saved there. */
typedef struct Routine {
  const PtxFunc *f;
  uint32_t start, end; /* its code */
  uint32_t component;  /* routines of one component may call each other */
  uint32_t frame;      /* cyclic: bytes on the stack */
  uint32_t link;       /* register with the pc to return to */
  bool cyclic;
  bool leaf;    /* calls nothing: parameters and results stay where the caller puts them */
  bool pointed; /* a pointer may lead to it */
} Routine;

typedef struct Fixup {
  uint32_t ins, inst; /* a branch, and the instruction it leads to */
  bool list;          /* ... or an entry of the target table */
} Fixup;

/* Forms met before in the module: a hash by the address of their text. */
typedef struct Forms {
  struct FormSlot *slot;
  uint32_t n, buckets;
} Forms;

typedef struct Decoder {
  SgModule *module;
  const PtxModule *px;
  SgKernel *k;
  const Isa *isa;
  /* code so far */
  Ins *ins;
  Loc *locs;
  uint32_t n, room;
  uint32_t *targets, ntargets, targets_room;
  Fixup *fix;
  uint32_t nfix, fix_room;
  /* virtual registers */
  uint8_t *width;
  uint32_t nv, width_room;
  uint32_t carry; /* the carry flag, once it is used */
  /* rows of constants and special registers */
  struct {
    FillKind kind;
    uint8_t width;
    uint64_t bits;
    uint32_t v;
  } * fills;
  uint32_t nfills, fills_room;
  uint32_t *fill_hash, fill_buckets;
  const PtxSym **objects; /* shared variables whose address is taken (decode/objects.c) */
  uint32_t nobjects;
  const PtxSym **shared; /* all shared variables */
  uint32_t nshared, shared_room;
  uint32_t local_bytes, shared_bytes, shared_align;
  /* calls: callgraph.c fills all of this before the first instruction is decoded */
  const PtxFunc **reached; /* functions that the kernel reaches, the kernel first */
  Routine *routines;       /* those called before those that call */
  uint32_t *routine_of;    /* by function of the module, or NO_ROW */
  uint8_t *in_place;       /* by function: calls are expanded */
  uint32_t nreached, nroutines, ncomponents;
  uint32_t pointer_component;  /* of what pointers lead to: routines in it may be called again by a pointer */
  bool stacks;                 /* a routine is cyclic */
  uint32_t arg_area, ret_area; /* in local memory: arguments and results on their way */
  uint32_t image_area;         /* ... operands and results of an image instruction (decode/image_form.h) */
  uint32_t sp, link;           /* registers: the stack's free end, and the pc to return to */
  uint32_t
      taken; /* register: the low end of what alloca took from the stack's other end; NO_ROW: none does */
  Routine *routine; /* being decoded; NULL: the kernel itself */
  uint32_t entry_start;
  uint32_t (*calls)[2]; /* who calls whom, in the order of the code: routines, `nroutines` for the kernel, and
                           NO_ROW for all pointed ones */
  uint32_t ncalls, calls_room;
  /* the instruction being decoded */
  Frame *frame;
  const PtxInst *at;
  uint32_t guard;
  bool guard_neg;
  const char *sub_form; /* the form that `sub` is of */
  uint32_t sub;
  Forms *forms;
  /* all memory of the decoding; failure jumps out */
  void **blocks;
  size_t nblocks, blocks_room;
  jmp_buf fail;
  int code;
  SgDiag *diag;
} Decoder;

typedef void DecodeFn(Decoder *d);

/* --- decode.c --- */
uint32_t dec_symbol(Decoder *d, uint32_t width, uint64_t bits); /* FILL_SHARED */
void *dec_alloc(Decoder *d, size_t bytes);                      /* zeroed, lives as long as the decoder */
_Noreturn void dec_no_memory(Decoder *d);
void dec_grow(Decoder *d, void *array, uint32_t *room, uint32_t need, size_t size);
_Noreturn void dec_fail(Decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void dec_unsupported(Decoder *d, const char *why); /* decode/missing.c */
uint32_t dec_temp(Decoder *d, uint32_t width);
uint32_t dec_const(Decoder *d, uint32_t width, uint64_t bits);
uint32_t dec_special(Decoder *d, FillKind kind, uint32_t width);
uint32_t dec_carry(Decoder *d);
/* Appends a row's instruction; dec_emit with the guard of the instruction being decoded, dec_calc without. */
Ins *dec_emit(Decoder *d, enum Op op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c);
Ins *dec_calc(Decoder *d, enum Op op, uint32_t dst, uint32_t a, uint32_t b, uint32_t c);
Ins *dec_control(Decoder *d, Kind kind);
/* Operands; `letter` as in ops.def. */
uint32_t dec_src(Decoder *d, const PtxOpnd *o, char letter);
uint32_t dec_dst(Decoder *d, const PtxOpnd *o, char letter);
uint32_t dec_reg(Decoder *d, const PtxOpnd *o); /* a register of any width */
uint32_t dec_wide(Decoder *d,
                  const PtxOpnd *o); /* one of 128 bits: the lower half; the upper one is the next */
const PtxOpnd *dec_opnd(Decoder *d, uint32_t i); /* operand i, or failure */
void dec_count(Decoder *d, uint32_t least, uint32_t most);
char dec_letter(PtxType t); /* letter of a type; 0: none */
static inline bool dec_is_signed(PtxType t) {
  return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}
uint32_t dec_letter_width(char letter);
bool dec_mod(const Decoder *d, const char *mod);       /* the form has this modifier */
uint32_t dec_sub(const Decoder *d);                    /* rounding, .ftz and .sat of the form */
PtxType dec_type(const Decoder *d, uint32_t from_end); /* the last modifier, the last but one, ... */
uint64_t dec_var_address(Decoder *d, const PtxSym *s); /* in its own space */
void dec_move(Decoder *d, uint32_t dst, uint32_t src, bool guarded);
Frame *dec_frame(Decoder *d, const PtxFunc *f);
void dec_function(Decoder *d, Frame *fr);
/* Register that places of local variables count from; NO_ROW: they count from 0. */
uint32_t dec_local_base(const Decoder *d);
bool dec_is_local(const Decoder *d,
                  const PtxSym *s); /* a variable in local memory, parameters of calls included */
/* Base row of an address (NO_ROW: none) and the constant added to it. */
uint32_t dec_address(Decoder *d, const PtxOpnd *o, PtxSpace space, int64_t *imm);

/* --- the families --- */
DecodeFn dec_mov, dec_cvta, dec_isspacep;                                           /* decode/mov.c */
DecodeFn dec_ld, dec_st, dec_atom, dec_red;                                         /* decode/mem.c */
DecodeFn dec_cp, dec_mbarrier;                                                      /* decode/async.c */
DecodeFn dec_video, dec_video_word, dec_video_mad;                                  /* decode/video.c */
DecodeFn dec_alloca, dec_stack;                                                     /* decode/stack.c */
DecodeFn dec_bulk, dec_bulk_reduce, dec_store_async, dec_red_async, dec_store_bulk; /* decode/bulk.c */
bool dec_takes_stack(const PtxFunc *f);
DecodeFn dec_tex, dec_tld4, dec_suld, dec_sust, dec_txq, dec_suq; /* decode/image.c */
bool dec_is_image(const PtxInst *in);
DecodeFn dec_cvt;            /* decode/cvt.c */
bool dec_narrow(Decoder *d); /* decode/narrow.c */
DecodeFn dec_three;          /* decode/floats.c */
DecodeFn *dec_float_family(const PtxInst *in);
DecodeFn dec_setp, dec_set, dec_slct, dec_lop3, dec_carry_op;                      /* decode/cmp.c */
DecodeFn dec_bra, dec_brx, dec_ret, dec_exit, dec_trap, dec_nop, dec_createpolicy; /* decode/flow.c */
DecodeFn dec_call;                                                                 /* decode/call.c */
DecodeFn dec_bar, dec_shfl, dec_vote, dec_match, dec_redux, dec_activemask, dec_nanosleep, dec_fence;
DecodeFn dec_elect, dec_mapa, dec_getctarank;

enum Op dec_atom_row(const char *op, PtxType t); /* or OP_COUNT */
/* An atomic operation at the address in a register, on all lanes. */
Ins *dec_atomic(Decoder *d, enum Op op, uint32_t dst, uint32_t base, uint32_t value, uint8_t space,
                uint32_t bytes);
/* Bytes have come that a barrier in memory waits for: `bytes` is a row. */
void dec_complete(Decoder *d, const PtxOpnd *barrier, uint8_t space, uint32_t bytes);

/* A load of one element or of a vector. */
typedef struct DecLoad {
  PtxType type;
  uint32_t n, dst[8]; /* elements, and their registers */
  uint32_t base;      /* register of the address, or NO_ROW */
  int64_t imm;        /* ... and what is added to it */
  uint8_t space;      /* SP_... */
  uint8_t traits;
  bool spins;
} DecLoad;
/* Element of type t, `at` bytes into the load; as a part of the whole load, or as a load of its own. */
void dec_load_part(Decoder *d, const DecLoad *l, uint32_t dst, PtxType t, uint32_t at, bool alone);
void dec_load_masked(Decoder *d, const DecLoad *l, uint32_t used); /* decode/masked.c */
/* An instruction that accesses memory at the address in `base`; the caller fills in what it does there. */
Ins *dec_access(Decoder *d, enum Op op, uint32_t dst, uint32_t base, uint32_t src, bool guarded);
void dec_load(Decoder *d, uint32_t dst, uint32_t base, int64_t imm, uint8_t space, PtxType t, bool guarded);
void dec_store(Decoder *d, uint32_t src, uint32_t base, int64_t imm, uint8_t space, uint32_t bytes,
               bool guarded);

/* Instructions that cannot be guarded are branched around: between these two. */
uint32_t dec_skip_begin(Decoder *d);
void dec_skip_end(Decoder *d, uint32_t branch);

void dec_instruction(Decoder *d, const PtxInst *in); /* decode/form.c */
/* decode/legal.c: PTX has this form. place[i], where it is not NULL, tells where modifier i stands among
 * those of the form as the manual writes it; a form of more than DEC_MODS is none. */
enum { DEC_MODS = 32 };
bool dec_is_form(const PtxInst *in, uint8_t *place);
/* For who asks for all forms: number i of the instructions that have a function, and of those that have
 * patterns (NULL behind the last one). */
const char *dec_family(size_t i);
const char *dec_patterns(size_t i, const char **op);
uint32_t dec_special_register(Decoder *d, const char *name); /* decode/special.c */

/* --- callgraph.c, decode/call.c: calls --- */
void dec_number_functions(const PtxModule *px); /* once a module, before all others */
uint32_t dec_function_number(const PtxSym *s);
bool dec_function_taken(const PtxSym *s); /* its address is used as a value */
void dec_plan_calls(Decoder *d, const PtxFunc *entry);
const PtxFunc *dec_call_type(const PtxCall *c); /* who has the parameters and results of a call, or NULL */
/* Where parameters lie in a transfer area; returns the bytes of all. */
uint32_t dec_layout(PtxSym *const *params, uint32_t n, uint32_t *offsets);
void dec_routine(Decoder *d, Routine *r);

/* --- decode/vars.c: places of variables --- */
uint32_t dec_local_room(Decoder *d, uint64_t size, uint32_t align);
void dec_place_shared(Decoder *d);
uint64_t dec_shared_address(Decoder *d, const PtxSym *s);

/* --- finish.c, ties.c, rows.c --- */
void dec_finish(Decoder *d);
void dec_ties(Decoder *d);
/* Rows of the registers that are not fixed, from *bytes on; *peak: bytes live at the fullest place. Fills the
 * lists of what calls save. */
void dec_rows(Decoder *d, const uint8_t *fixed, uint32_t *row, uint32_t *bytes, uint32_t *peak);

/* --- decode.c, for module.c: all that a kernel needs. False: d->diag and d->code say why. */
bool dec_kernel(SgModule *m, const PtxModule *px, const PtxFunc *f, SgKernel *k, Forms *forms, const Isa *isa,
                SgDiag *diag, int *code);

/* --- decode/objects.c: what addresses are made from --- */
/* A register with the address `at`, in or at the shared variable `s`. */
uint32_t dec_shared_symbol(Decoder *d, uint32_t width, uint64_t at, const PtxSym *s);
void dec_objects(
    Decoder *d); /* marks accesses: after all instructions are there, before any leaves the code */

#endif
