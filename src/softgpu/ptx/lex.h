/* Inside the PTX front end only: the pool (arena and interned names), the lexer, and the state of the
 * parser that ptx/parse.c, ptx/decl.c, ptx/body.c and ptx/expr.c share. Everybody else sees ptx.h.
 *
 * Errors leave by longjmp to ptx_parse(): parse functions return only when they succeeded. All memory
 * hangs in the pool or in the parser's work lists, so nothing is lost on the way out. */
#ifndef SOFTGPU_PTX_LEX_H
#define SOFTGPU_PTX_LEX_H

#include "ptx/ptx.h"

#include <setjmp.h>

/* ---- pool ------------------------------------------------------------------------------------ */

/* Words with a meaning of their own, written after a dot. Types and spaces are told apart by tables. */
#define PTX_KEYWORDS(X)                                                                                      \
  X(VERSION, "version")                                                                                      \
  X(TARGET, "target")                                                                                        \
  X(ADDRESS_SIZE, "address_size")                                                                            \
  X(FILE, "file")                                                                                            \
  X(LOC, "loc")                                                                                              \
  X(SECTION, "section")                                                                                      \
  X(PRAGMA, "pragma")                                                                                        \
  X(ALIAS, "alias")                                                                                          \
  X(ENTRY, "entry")                                                                                          \
  X(FUNC, "func")                                                                                            \
  X(EXTERN, "extern")                                                                                        \
  X(VISIBLE, "visible")                                                                                      \
  X(WEAK, "weak")                                                                                            \
  X(COMMON, "common")                                                                                        \
  X(REG, "reg")                                                                                              \
  X(CONST, "const")                                                                                          \
  X(GLOBAL, "global")                                                                                        \
  X(LOCAL, "local")                                                                                          \
  X(PARAM, "param")                                                                                          \
  X(SHARED, "shared")                                                                                        \
  X(TEX, "tex")                                                                                              \
  X(ALIGN, "align")                                                                                          \
  X(ATTRIBUTE, "attribute")                                                                                  \
  X(PTR, "ptr")                                                                                              \
  X(V2, "v2")                                                                                                \
  X(V4, "v4")                                                                                                \
  X(MAXNTID, "maxntid")                                                                                      \
  X(REQNTID, "reqntid")                                                                                      \
  X(MINNCTAPERSM, "minnctapersm")                                                                            \
  X(MAXNCTAPERSM, "maxnctapersm")                                                                            \
  X(MAXNREG, "maxnreg")                                                                                      \
  X(NORETURN, "noreturn")                                                                                    \
  X(EXPLICITCLUSTER, "explicitcluster")                                                                      \
  X(REQNCTAPERCLUSTER, "reqnctapercluster")                                                                  \
  X(MAXCLUSTERRANK, "maxclusterrank")                                                                        \
  X(BLOCKSARECLUSTERS, "blocksareclusters")                                                                  \
  X(ABI_PRESERVE, "abi_preserve")                                                                            \
  X(ABI_PRESERVE_CONTROL, "abi_preserve_control")                                                            \
  X(CALLPROTOTYPE, "callprototype")                                                                          \
  X(CALLTARGETS, "calltargets")                                                                              \
  X(BRANCHTARGETS, "branchtargets")

typedef enum PtxKeyword {
  PTX_K_NONE,
#define X(name, text) PTX_K_##name,
  PTX_KEYWORDS(X)
#undef X
      PTX_K_TYPE, /* any type name: PtxAtom.type says which */
} PtxKeyword;

/* An opcode with its modifiers, cut up once for all instructions that use it. */
typedef struct PtxForm {
  const char *op;
  const char **mods;
  uint32_t nmods;
} PtxForm;

/* An interned name. What it means where the parser stands hangs on it, so a lookup costs no search. */
typedef struct PtxAtom {
  struct PtxAtom *next; /* in its hash bucket */
  uint64_t hash;
  struct PtxBind *bind;   /* innermost declaration of this very name */
  struct PtxRange *range; /* innermost `.reg name<count>` */
  PtxForm *form;
  uint32_t len;
  uint8_t keyword; /* PtxKeyword */
  uint8_t type;    /* PtxType */
  enum { PTX_SREG_UNKNOWN, PTX_SREG_NO, PTX_SREG_SCALAR, PTX_SREG_VECTOR } sreg;
  char text[];
} PtxAtom;

typedef struct PtxBind {
  PtxSym *sym;
  PtxAtom *atom;
  struct PtxBind *outer;   /* the declaration that this one hides */
  struct PtxBind *sibling; /* of the same scope */
  uint32_t depth;
} PtxBind;

typedef struct PtxRange {
  PtxAtom *atom;
  struct PtxRange *outer, *sibling;
  uint64_t count;
  PtxType type;
  uint8_t vec;
  uint32_t depth, line, col;
} PtxRange;

typedef struct PtxChunk {
  struct PtxChunk *next;
  size_t used, size;
} PtxChunk;

/* What PtxModule.arena points to. */
typedef struct PtxPool {
  PtxChunk *chunks;
  PtxAtom **bucket;
  size_t nbuckets, natoms;
} PtxPool;

PtxPool *ptx_pool_new(size_t hint);
void ptx_pool_free(PtxPool *pool);
void *ptx_pool_alloc(PtxPool *pool, size_t bytes); /* zeroed; NULL when out of memory */
PtxAtom *ptx_pool_find(const PtxPool *pool, const char *text, size_t len);
PtxAtom *ptx_pool_intern(PtxPool *pool, const char *text, size_t len); /* NULL when out of memory */
bool ptx_pool_keywords(PtxPool *pool);
bool ptx_is_sreg(const char *name, bool *vector); /* "%tid": vector, "%clock64": scalar */

/* ---- lexer ----------------------------------------------------------------------------------- */

typedef enum PtxTokKind {
  PTX_TOK_END,
  PTX_TOK_WORD, /* identifier, also with % $ _ */
  PTX_TOK_DOT,  /* .word: the atom holds the word without its dot */
  PTX_TOK_INT,
  PTX_TOK_F32,
  PTX_TOK_F64,
  PTX_TOK_STRING, /* text and len, quotes excluded */
  PTX_TOK_PUNCT   /* punct: one character, or two packed by PTX_P2 */
} PtxTokKind;

#define PTX_P2(a, b) ((uint32_t)(a) << 8 | (uint32_t)(b))

typedef struct PtxTok {
  PtxTokKind kind;
  bool is_unsigned; /* INT: U suffix, or too big for 63 bits */
  uint32_t punct;
  uint32_t line, col;
  PtxAtom *atom;
  uint64_t bits; /* INT, F32, F64 */
  const char *text;
  size_t len;
} PtxTok;

typedef struct PtxLexer {
  const char *at, *end; /* *end is 0, so that scanning loops need no other stop */
  const char *line_start;
  uint32_t line;
  PtxTok tok; /* the current token */
} PtxLexer;

/* ---- parser state ---------------------------------------------------------------------------- */

enum {
  PTX_MAX_TEXT = 1 << 30,     /* bytes */
  PTX_TEXT_PAD = 8,           /* zero bytes behind our copy of the text */
  PTX_MAX_NESTING = 64,       /* { } blocks, vectors, initialisers */
  PTX_MAX_EXPR_DEPTH = 128,   /* parentheses and unary operators of one expression */
  PTX_MAX_DIMS = 16,          /* of an array */
  PTX_MAX_FILES = 65536,      /* highest .file number */
  PTX_MAX_EXPANSION = 1 << 20 /* things that one short text may stand for, over a whole module */
};

/* A name to be looked up again when its scope ends: a label may be used before it stands. */
typedef struct PtxPending {
  PtxSym **where;
  PtxAtom *atom;
  uint32_t line, col;
} PtxPending;

typedef struct PtxScope {
  PtxBind *binds;
  PtxRange *ranges;
  size_t first_pending;
} PtxScope;

typedef struct PtxList { /* a work list, grown with realloc and reused */
  void *items;
  size_t n, room;
} PtxList;

typedef struct PtxParser {
  PtxLexer lex;
  PtxPool *pool;
  PtxModule *m;
  PtxError *err;
  jmp_buf fail;

  PtxScope scope[PTX_MAX_NESTING + 2]; /* [0]: the module */
  uint32_t depth;
  uint32_t range_depth; /* innermost scope that declares a register range; 0: none */
  uint32_t expr_depth, opnd_depth;
  uint32_t expansion; /* how much of PTX_MAX_EXPANSION is used up */

  PtxFunc *func; /* the one being parsed */
  uint32_t nregs, nvars;
  uint32_t file, src_line, src_col; /* of the last .loc */
  uint32_t outer_file, outer_line;  /* ... and where it is inlined, in the end */
  uint32_t used;                    /* PtxInst.used of the next instruction: a pragma said so */
  struct {
    uint32_t file, line, col, outer_file, outer_line;
  } inlined[32]; /* the last ones, to find the end of a chain */
  uint32_t ninlined;

  PtxList insts;   /* PtxInst */
  PtxList syms;    /* PtxSym * */
  PtxList opnds;   /* PtxOpnd, used as a stack */
  PtxList pending; /* PtxPending */
  PtxList inits;   /* PtxInit */
  PtxList vars;    /* PtxSym *: of the module */
  PtxList funcs;   /* PtxSym *: functions in order */
  PtxList files;   /* const char * */
  PtxList targets; /* PtxAtom *: of one .branchtargets; PtxSym *: of one list of parameters */
  PtxList aliases; /* PtxSym *: pairs */
  char *text;      /* our copy, zero-terminated */
} PtxParser;

/* Never returns. The position is the current token's, or the one given. */
_Noreturn void ptx_fail(PtxParser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void ptx_fail_at(PtxParser *p, uint32_t line, uint32_t col, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void ptx_fail_memory(PtxParser *p);
/* "Expected WHAT, found TOKEN." */
_Noreturn void ptx_expected(PtxParser *p, const char *what);

void *ptx_alloc(PtxParser *p, size_t bytes);
void *ptx_list_add(PtxParser *p, PtxList *list, size_t item_size); /* room for one more, zeroed */
/* Moves items from `from` on out of the list into the pool; NULL when there are none. */
void *ptx_list_take(PtxParser *p, PtxList *list, size_t from, size_t item_size);
PtxAtom *ptx_intern(PtxParser *p, const char *text, size_t len);
void ptx_expand(PtxParser *p, uint64_t n); /* accounts for n items made out of a short text */

void ptx_next(PtxParser *p);
PtxAtom *ptx_lex_form(PtxParser *p); /* at a WORD: takes it and its modifiers, "ld.global.f32" */
void ptx_skip_block(PtxParser *p);   /* from the current '{' to the token after its '}' */
PtxTokKind ptx_peek(PtxParser *p);   /* kind of the token after the current one */
bool ptx_point_number(PtxParser *p); /* at a DOT: true if it is ".5", with tok.bits the double's */

static inline bool ptx_at(const PtxParser *p, uint32_t punct) {
  return p->lex.tok.kind == PTX_TOK_PUNCT && p->lex.tok.punct == punct;
}
static inline bool ptx_accept(PtxParser *p, uint32_t punct) {
  if (!ptx_at(p, punct)) return false;
  ptx_next(p);
  return true;
}
static inline PtxKeyword ptx_keyword(const PtxParser *p) {
  return p->lex.tok.kind == PTX_TOK_DOT ? (PtxKeyword)p->lex.tok.atom->keyword : PTX_K_NONE;
}
void ptx_expect(PtxParser *p, char punct, const char *where); /* "Expected ';' WHERE, found ..." */
PtxAtom *ptx_expect_name(PtxParser *p, const char *what);

/* ---- ptx/scope.c: names ---------------------------------------------------------------------- */

void ptx_scope_push(PtxParser *p);
void ptx_scope_pop(PtxParser *p); /* binds forward references to the labels of the scope */
PtxSym *ptx_declare(PtxParser *p, PtxSymKind kind, PtxAtom *atom, uint32_t line, uint32_t col);
void ptx_declare_range(PtxParser *p, PtxAtom *atom, const PtxSym *like, uint64_t count);
PtxSym *ptx_lookup(PtxParser *p, PtxAtom *atom); /* NULL when unknown */
_Noreturn void ptx_fail_unknown(PtxParser *p, const PtxAtom *atom, uint32_t line, uint32_t col);
/* A place that wants a label or another name which may come later. */
void ptx_refer(PtxParser *p, PtxSym **where, PtxAtom *atom, uint32_t line, uint32_t col);

/* ---- ptx/expr.c: constant expressions and initialisers --------------------------------------- */

typedef struct PtxValue {
  enum { PTX_V_INT, PTX_V_FLOAT, PTX_V_SYM } kind;
  bool is_unsigned;     /* INT */
  bool single;          /* FLOAT: an 0f literal as it stands */
  bool generic, masked; /* SYM */
  uint8_t mask_shift;
  uint64_t bits; /* INT; FLOAT: of a double, or of a float when `single`; SYM: offset */
  PtxSym *sym;
} PtxValue;

PtxValue ptx_const(PtxParser *p, bool symbols); /* a whole expression */
PtxValue ptx_const_term(PtxParser *p);          /* no operator looser than * / % */
uint64_t ptx_const_uint(PtxParser *p, uint64_t max, const char *what);
void ptx_initialiser(PtxParser *p, PtxSym *s, const uint64_t *dims, uint32_t ndims);

/* ---- ptx/decl.c: variables, parameters, prototypes ------------------------------------------- */

void ptx_var_decl(PtxParser *p, uint32_t linkage); /* at the space's token; up to and with the ';' */
void ptx_param_list(PtxParser *p, PtxSym ***list, uint32_t *n, bool binds);
bool ptx_attribute(PtxParser *p, uint32_t *linkage);
bool ptx_linkage(PtxParser *p, uint32_t *linkage);
void ptx_prototype(PtxParser *p, PtxAtom *atom, uint32_t line, uint32_t col);
void ptx_perf_directives(PtxParser *p, PtxFunc *f);
void ptx_pragma(PtxParser *p);

/* ---- ptx/body.c, ptx/parse.c ----------------------------------------------------------------- */

void ptx_body(PtxParser *p); /* at the '{' of a function: everything up to and with its '}' */
void ptx_loc(PtxParser *p);
void ptx_file(PtxParser *p);
void ptx_section(PtxParser *p);
PtxOpnd ptx_operand(PtxParser *p, bool labels, bool address_of);

#endif
