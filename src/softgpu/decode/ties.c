/* What ties the blocks of a kernel together. Where nothing does, each block computes the same whenever and
 * wherever it runs, so that several threads may run them (sched.c).
 *
 * Only what a kernel may do is looked at: a store by one block that another one loads without more ado is a
 * race, whose result no order of blocks promises. */
#include "decode/builtin.h"
#include "decode/decode.h"

#include <string.h>

/* The same result in whatever order blocks come, as long as no other operation comes between. */
static bool commutes(uint16_t op) {
  switch (op) {
  case OP_atom_add_w:
  case OP_atom_add_x:
  case OP_atom_min_uw:
  case OP_atom_min_sw:
  case OP_atom_min_ux:
  case OP_atom_min_sx:
  case OP_atom_max_uw:
  case OP_atom_max_sw:
  case OP_atom_max_ux:
  case OP_atom_max_sx:
  case OP_atom_and_w:
  case OP_atom_and_x:
  case OP_atom_or_w:
  case OP_atom_or_x:
  case OP_atom_xor_w:
  case OP_atom_xor_x: return true;
  default: return false;
  }
}

static bool is_barrier(uint16_t op) { return op >= OP_mbar_init && op <= OP_mbar_parity; }

/* Registers that some instruction reads. */
static uint8_t *find_read(Decoder *d) {
  uint8_t *read = dec_alloc(d, d->nv + 1);
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    for (int s = 0; s < 4; s++)
      if (in->s[s] != NO_ROW) read[in->s[s]] = 1;
    if (in->pred != NO_ROW) read[in->pred] = 1;
  }
  return read;
}

/* An assertion that fails ends the launch, and is said only where it is the launch's error; all other
 * functions of the device show in which order they were called. */
static unsigned of_call(const Ins *in) {
  return sg_builtin_at(in->target)->does == SG_ASSERTS ? 0 : TIE_SINGLE;
}

static unsigned of_memory(const Ins *in, const uint8_t *read, uint16_t *only) {
  if (in->sub != SP_GLOBAL && in->sub != SP_GENERIC) return 0;
  if (is_barrier(in->op)) return 0; /* lies in shared memory */
  if (in->op == OP_atom_exch_q || in->op == OP_atom_cas_q) return TIE_ORDER | TIE_SINGLE;
  if (!(in->flags & INS_ATOM)) return in->traits & TRAIT_STRONG ? TIE_ORDER : 0;
  if (!commutes(in->op) || (in->d != NO_ROW && read[in->d])) return TIE_ORDER;
  if (*only != OP_COUNT && *only != in->op) return TIE_ORDER;
  *only = in->op;
  return 0;
}

void dec_ties(Decoder *d) {
  const uint8_t *read = find_read(d);
  uint16_t only = OP_COUNT;
  unsigned ties = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    if (in->op == OP_builtin)
      ties |= of_call(in);
    else if (in->op >= OP_clock_w && in->op <= OP_timerhi)
      ties |= TIE_CLOCK;
    else if (in->kind == K_LEADER && in->flags & INS_SPIN) /* nanosleep: it waits for somebody */
      ties |= TIE_ORDER;
    else if (in->kind == K_MEM && in->op != OP_fence)
      ties |= of_memory(in, read, &only);
  }
  d->k->ties = ties;
}
