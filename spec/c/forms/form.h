/* Forms of instructions, taken apart, and the cases that are made of them.
 *
 * A case is a piece of code with results and operands, and a reference that says what it computes: of a lane
 * by itself, or of a warp. lanes.c runs it; forms whose effect is not in registers alone are run by files of
 * their own. None of the references looks at how the device does it. */
#ifndef SPEC_FORMS_FORM_H
#define SPEC_FORMS_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODIFIERS = 14, MAX_OPERANDS = 6, MAX_RESULTS = 4, MAX_CODE = 480 };

typedef struct Form {
  char text[128], op[20];
  char mod[MODIFIERS][32];
  int nmods;
} Form;

void form_parse(Form *f, const char *text);
bool has(const Form *f, const char *mod);

/* kind: u, s, b, f; n for bfloat16; e for formats of eight bits or less; p for pred; 0: no type. */
typedef struct Type {
  char kind;
  int bits, parts; /* bits of one part */
} Type;
Type type_named(const char *word);
Type type_of(const Form *f, int from_end); /* the last type among the modifiers, the last but one ... */
/* Letter of the registers: p b h w x f d as in ops.def, H and B for 16 bits of floats, J and K for pairs of
 * those, P for a pair of floats. */
char letter_of(Type t);
int letter_bytes(char letter);
const char *register_type(char letter); /* b32 ... */

/* Calls f for every form that the patterns of the decoder stand for: each once; of patterns that stand for
 * very many, for some in which each of their words is. */
void each_form(void (*f)(const Form *form));
/* The instructions that the decoder has functions for, and no pattern: none, or NULL at the end. */
const char *unlisted_instruction(size_t *at);

/* ---- cases -------------------------------------------------------------------------------------- */

typedef struct Case Case;
typedef void Reference(const Case *c, const uint64_t *operands, uint64_t *results);
/* Operands of the 32 lanes of a warp, of which `active` execute this together. */
typedef struct Warp {
  const uint64_t (*operands)[MAX_OPERANDS];
  uint32_t active;
} Warp;
/* False: nothing is promised of the first result. */
typedef bool WarpReference(const Case *c, const Warp *w, uint32_t lane, uint64_t *results);
/* Of an approximate result: is it near enough? */
typedef bool Near(const Case *c, const uint64_t *operands, uint64_t got);

struct Case {
  Form form;
  /* Letters of results and operands. Of operands also: s, a count of bits; c, what limits a shuffle; m,
   * the lanes of the warp that execute the instruction. */
  char results[MAX_RESULTS + 1], operands[MAX_OPERANDS + 1];
  /* Instructions, each begun with @ where its guard goes; results are %d0 %d1, operands %a0 %a1 ... */
  char code[MAX_CODE];
  Reference *reference;
  WarpReference *warp;
  Near *near;
  uint64_t constant; /* for the reference */
  Type to, from;
  int choice;
};

/* A case of a form in its usual shape: "form %d0,%a0,%a1...;". case_add() takes it. */
Case case_of(const Form *f, const char *results, const char *operands, Reference *reference);
void case_code(Case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void case_add(const Case *c);

/* Makers of cases, by instruction. False: they have no reference for the form. */
typedef bool Maker(const Form *f);
Maker int_arithmetic, int_carry;                             /* int.c */
Maker int_logic, int_shift, int_bits, int_bytes, int_select; /* bits.c */
Maker float_arithmetic, float_least, float_sign;             /* float.c */
Maker float_mixed, float_least_of_three;                     /* float.c */
Maker float_approximate;                                     /* approximate.c */
Maker comparison, selection, class_test;                     /* compare.c */
Maker conversion;                                            /* convert.c */
Maker video_word, video_sum, video_parts;                    /* video.c */
Maker warp_operation;                                        /* warp.c */
Maker move;                                                  /* move.c */
Maker space_of_address;                                      /* address.c */
Maker no_effect;                                             /* quiet.c */
Maker load, store;                                           /* memory.c */
Maker atomic;                                                /* atomic.c */
Maker store_async;                                           /* async.c */
Maker copy_async;                                            /* copy.c */
Maker copy_bulk;                                             /* bulk.c */
Maker memory_barrier;                                        /* mbarrier.c */
Maker block_barrier;                                         /* barrier.c */
Maker control_flow, stack_memory;                            /* flow.c */
Maker texture, texture_gather, surface, image_query;         /* image.c */

/* Runs the cases that were added, with both builds of the handlers. */
void lanes_run(void);

#endif
