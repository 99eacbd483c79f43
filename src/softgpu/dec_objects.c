/* Which shared variable the address of an access is made from: shared variables lie next to each other, so
 * that an index beyond one ends up in the next one, which only this can tell.
 *
 * Where an instruction takes the address of a variable, its register is marked with the variable; marks
 * follow additions and copies. What is made of two variables, or by way of memory, has none, and is not
 * checked. */
#include "decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 254, UNSEEN = 0, PLAIN = 1, MIXED = 2, FIRST = 3 }; /* marks: FIRST + number of a variable */

uint32_t dec_shared_symbol(Decoder *d, uint32_t width, uint64_t at, const PtxSym *s) {
  uint32_t i = 0;
  while (i < d->nobjects && d->objects[i].symbol != s) i++;
  if (i == MOST || at > UINT32_MAX) return dec_const(d, width, at);
  if (i == d->nobjects) {
    if (!d->objects) d->objects = dec_alloc(d, MOST * sizeof *d->objects);
    d->objects[d->nobjects].symbol = s;
    d->objects[d->nobjects++].at = (uint32_t)dec_shared_address(d, s);
  }
  return dec_symbol(d, width, at | (uint64_t)i << 32);
}

static uint16_t either(uint16_t a, uint16_t b) { return a == UNSEEN ? b : b == UNSEEN || a == b ? a : MIXED; }

/* Of a sum. */
static uint16_t both(uint16_t a, uint16_t b) {
  return a <= PLAIN ? (b == UNSEEN ? a : b) : b <= PLAIN ? a : MIXED;
}

static uint16_t mark_of(const uint16_t *marks, uint32_t v) { return v == NO_ROW ? UNSEEN : marks[v]; }

static uint16_t result(const Ins *in, const uint16_t *marks) {
  const uint16_t a = mark_of(marks, in->s[0]), b = mark_of(marks, in->s[1]), c = mark_of(marks, in->s[2]);
  if (in->kind == K_MEM) return PLAIN; /* what memory holds */
  switch (in->op) {
  case OP_mov_w:
  case OP_mov_x:
  case OP_ext_x_uw:
  case OP_ext_x_sw:
  case OP_cut_w_x: return a;
  case OP_add_w:
  case OP_add_x:
  case OP_or_w: /* of bits that are not set: an addition, to compilers */
  case OP_or_x:
  case OP_xor_w:
  case OP_xor_x: return both(a, b);
  case OP_sub_w:
  case OP_sub_x: return b <= PLAIN ? a : a == b ? PLAIN : MIXED;
  case OP_mad_w:
  case OP_mad_x:
  case OP_madw_uw:
  case OP_madw_sw: return a <= PLAIN && b <= PLAIN ? both(PLAIN, c) : MIXED;
  case OP_selp_w:
  case OP_selp_x: return either(a, b);
  default: break;
  }
  for (int k = 0; k < 4; k++)
    if (mark_of(marks, in->s[k]) > PLAIN) return MIXED;
  return PLAIN;
}

void dec_objects(Decoder *d) {
  SgKernel *k = d->k;
  if (!d->nobjects) return;
  uint16_t *marks = dec_alloc(d, d->nv * sizeof *marks);
  for (uint32_t i = 0; i < d->nfills; i++)
    marks[d->fills[i].v] =
        d->fills[i].kind == FILL_SHARED ? (uint16_t)(FIRST + (d->fills[i].bits >> 32)) : PLAIN;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < d->n; i++) {
      const Ins *in = &d->ins[i];
      if (in->d == NO_ROW) continue;
      const uint16_t mark = either(marks[in->d], result(in, marks));
      again |= mark != marks[in->d];
      marks[in->d] = mark;
      if (in->e != NO_ROW) marks[in->e] = MIXED;
    }
  }
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    const uint16_t mark = mark_of(marks, in->s[0]);
    const bool there = in->kind == K_MEM && in->unit && (in->sub == SP_SHARED || in->sub == SP_GENERIC);
    if (there && mark >= FIRST) d->locs[i].object = (uint32_t)(mark - FIRST + 1);
  }
  k->objects = calloc(d->nobjects, sizeof *k->objects);
  if (!k->objects) dec_no_memory(d);
  for (uint32_t i = 0; i < d->nobjects; i++) {
    SgObjectAt *o = &k->objects[i];
    const PtxSym *s = d->objects[i].symbol;
    o->at = d->objects[i].at;
    o->end = s->size ? o->at + (uint32_t)s->size : UINT32_MAX; /* dynamic: as many as the launch says */
    snprintf(o->name, sizeof o->name, "%s", s->name);
  }
  k->nobjects = d->nobjects;
}
