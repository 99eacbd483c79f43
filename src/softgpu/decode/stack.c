/* Memory that a thread takes from its stack while it runs: alloca, stacksave, stackrestore.
 *
 * Frames of functions that call themselves grow from the low end of the stack, this memory from the high end
 * down. Its lower end is in the register d->taken, which a function that takes memory puts back when it
 * returns. */
#include "decode/decode.h"

#include <string.h>

bool dec_takes_stack(const PtxFunc *f) {
  for (uint32_t i = 0; i < f->ninst; i++) {
    const char *op = f->inst[i].op;
    if (op[0] == 'a' ? strcmp(op, "alloca") == 0 : op[0] == 's' && strncmp(op, "stack", 5) == 0) return true;
  }
  return false;
}

/* A row of 64 bits, to or from an operand of the form's type. */
static uint32_t widened(Decoder *d, const PtxOpnd *o, char letter) {
  const uint32_t v = dec_src(d, o, letter);
  if (letter == 'x') return v;
  const uint32_t t = dec_temp(d, 8);
  dec_calc(d, OP_ext_x_uw, t, v, NO_ROW, NO_ROW);
  return t;
}
static void give(Decoder *d, const PtxOpnd *o, char letter, uint32_t v) {
  if (letter == 'x')
    dec_move(d, dec_dst(d, o, 'x'), v, true);
  else
    dec_emit(d, OP_cut_w_x, dec_dst(d, o, 'w'), v, NO_ROW, NO_ROW);
}

/* alloca.u32|u64 d, size{, alignment} */
void dec_alloca(Decoder *d) {
  dec_count(d, 2, 3);
  const char letter = dec_letter(dec_type(d, 0));
  uint64_t align = 8;
  if (d->at->nopnd == 3) {
    const PtxOpnd *o = dec_opnd(d, 2);
    align = o->imm;
    if (o->kind != PTX_O_INT || align == 0 || align > 1 << 16 || align & (align - 1))
      dec_fail(d, "`%s` takes a power of two as alignment", d->at->form);
  }
  const uint32_t size = widened(d, dec_opnd(d, 1), letter);
  Ins *in = dec_emit(d, OP_take, d->taken, d->taken, size, d->stacks ? d->sp : NO_ROW);
  in->kind = K_MEM;
  in->sub = SP_LOCAL;
  in->imm = (int64_t)align;
  in->target = d->routine && d->routine->cyclic ? (uint32_t)(d->routine - d->routines) : NO_ROW;
  give(d, dec_opnd(d, 0), letter, d->taken);
}

/* stacksave.type d   stackrestore.type a */
void dec_stack(Decoder *d) {
  dec_count(d, 1, 1);
  const char letter = dec_letter(dec_type(d, 0));
  if (d->at->op[5] == 's')
    give(d, dec_opnd(d, 0), letter, d->taken);
  else
    dec_move(d, d->taken, widened(d, dec_opnd(d, 0), letter), true);
}
