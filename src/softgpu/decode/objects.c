/* Which shared variable the address of an access is made from: shared variables lie next to each other, so
 * that an index beyond one ends up in the next one, which only this can tell.
 *
 * Where an instruction takes the address of a variable, its register is marked with the variable; marks
 * follow additions and copies. What is made of two variables, or by way of memory, has none, and is not
 * checked. */
#include "decode/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>

enum { MOST = 254, UNSEEN = 0, PLAIN = 1, MIXED = 2, FIRST = 3 }; /* marks: FIRST + number of a variable */

uint32_t dec_shared_symbol(Decoder *d, uint32_t width, uint64_t at, const PtxSym *s) {
  uint32_t i = 0;
  while (i < d->nobjects && d->objects[i] != s) i++;
  if (i == MOST || at > UINT32_MAX) return dec_const(d, width, at);
  if (i == d->nobjects) {
    if (!d->objects) d->objects = dec_alloc(d, MOST * sizeof *d->objects);
    d->objects[d->nobjects++] = s;
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

/* "_ZN4deep3rowE": the last of the names, each behind its length. Its length; 0: the symbol is none of these.
 */
static size_t last_of_names(const char *symbol, const char **name) {
  char *at = NULL;
  const char *p = symbol + 3;
  size_t len = 0;
  for (; strncmp(symbol, "_ZN", 3) == 0 && *p >= '1' && *p <= '9'; p = at + len) {
    len = strtoul(p, &at, 10);
    if (len > strlen(at)) return 0;
    *name = at;
  }
  return len && strcmp(p, "E") == 0 ? len : 0;
}

/* "_ZZ4tilePfE3row": a variable inside of a function; its name comes last, perhaps with a number ("_0",
 * "_0_$_1"). */
static size_t name_in_function(const char *symbol, const char **name) {
  for (const char *e = strncmp(symbol, "_ZZ", 3) == 0 ? strchr(symbol, 'E') : NULL; e;
       e = strchr(e + 1, 'E')) {
    char *at;
    if (e[1] < '1' || e[1] > '9') continue;
    const size_t len = strtoul(e + 1, &at, 10), left = strlen(at);
    if (len > left || (len < left && (at[len] != '_' || at[len + strspn(at + len, "_$0123456789")])))
      continue;
    *name = at;
    return len;
  }
  return 0;
}

/* As the source has it, without scopes. */
static void source_name(char *out, size_t room, const char *symbol) {
  const char *name = symbol;
  size_t len = last_of_names(symbol, &name);
  if (!len) len = name_in_function(symbol, &name);
  if (!len) name = symbol, len = strlen(symbol);
  snprintf(out, room, "%.*s", (int)(len < room ? len : room - 1), name);
}

/* Where accesses have their address from. */
static void mark_accesses(Decoder *d) {
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
}

static void keep_object(Decoder *d, const PtxSym *s) {
  SgObjectAt *o = &d->k->objects[d->k->nobjects++];
  o->at = (uint32_t)dec_shared_address(d, s);
  o->end = s->size ? o->at + (uint32_t)s->size : UINT32_MAX; /* dynamic: as many as the launch says */
  source_name(o->name, sizeof o->name, s->name);
}

void dec_objects(Decoder *d) {
  if (!d->nshared) return;
  if (d->nobjects) mark_accesses(d);
  d->k->objects = calloc(d->nshared, sizeof *d->k->objects);
  if (!d->k->objects) dec_no_memory(d);
  for (uint32_t i = 0; i < d->nobjects; i++) keep_object(d, d->objects[i]);
  for (uint32_t i = 0; i < d->nshared; i++) {
    bool taken = false;
    for (uint32_t k = 0; k < d->nobjects; k++) taken |= d->objects[k] == d->shared[i];
    if (!taken) keep_object(d, d->shared[i]);
  }
}
