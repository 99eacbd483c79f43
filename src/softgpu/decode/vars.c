/* Where a kernel's variables lie: shared ones at fixed addresses from 0, dynamic ones behind them; local ones
 * one after the other, those of functions called included, or, in functions that may be active several times,
 * from the thread's stack pointer on. */
#include "decode/decode.h"

enum { MAX_LOCAL = 512 << 10, MAX_SHARED = 16 << 20 };

uint32_t dec_local_room(Decoder *d, uint64_t size, uint32_t align) {
  const uint32_t a = align ? align : 1;
  uint32_t *bytes = dec_local_base(d) == NO_ROW ? &d->local_bytes : &d->routine->frame;
  const uint32_t at = (*bytes + a - 1) & ~(a - 1);
  if (size > MAX_LOCAL || at + size > MAX_LOCAL) dec_fail(d, "more than %d bytes of local memory", MAX_LOCAL);
  *bytes = at + (uint32_t)size;
  return at;
}

uint32_t dec_local_base(const Decoder *d) { return d->routine && d->routine->cyclic ? d->sp : NO_ROW; }

bool dec_is_local(const Decoder *d, const PtxSym *s) {
  const PtxFunc *entry = d->reached[0];
  for (uint32_t i = 0; s->func == entry && i < entry->nparams; i++)
    if (entry->params[i] == s) return false;
  return s->space == PTX_LOCAL || s->space == PTX_PARAM;
}

/* A symbol remembers for which kernel it was placed, and where: a module's kernels are decoded one by one. */
static uintptr_t mark(const Decoder *d) { return (uintptr_t)(d->module->nkernels + 1) << 32; }

static void place(Decoder *d, PtxSym *s, bool dynamic) {
  if (s->kind != PTX_SYM_VAR || s->space != PTX_SHARED || (s->size == 0) != dynamic) return;
  const uintptr_t old = (uintptr_t)s->user, m = mark(d);
  if ((old & ~(uintptr_t)UINT32_MAX) == m) return;
  const uint32_t align = s->align ? s->align : 1;
  const uint64_t at = ((uint64_t)d->shared_bytes + align - 1) & ~(uint64_t)(align - 1);
  if (at + s->size > MAX_SHARED) dec_fail(d, "more than %d bytes of shared memory", MAX_SHARED);
  s->user = (void *)(m | (uintptr_t)at);
  dec_grow(d, &d->shared, &d->shared_room, d->nshared + 1, sizeof *d->shared);
  d->shared[d->nshared++] = s;
  d->shared_bytes = (uint32_t)(at + s->size);
}

static void operand(Decoder *d, const PtxOpnd *o, bool dynamic) {
  if (o->sym && o->sym->kind == PTX_SYM_VAR) place(d, o->sym, dynamic);
  for (uint32_t i = 0; i < o->nsub; i++) operand(d, &o->sub[i], dynamic);
}

static void function(Decoder *d, const PtxFunc *f, bool dynamic) {
  for (uint32_t i = 0; i < f->ninst; i++) {
    const PtxInst *in = &f->inst[i];
    for (uint32_t j = 0; j < in->nopnd; j++) operand(d, &in->opnd[j], dynamic);
    for (uint32_t j = 0; in->call && j < in->call->nargs; j++) operand(d, &in->call->args[j], dynamic);
  }
}

void dec_place_shared(Decoder *d) {
  for (uint32_t i = 0; i < d->nreached; i++) function(d, d->reached[i], false);
  for (uint32_t i = 0; i < d->nreached; i++) function(d, d->reached[i], true);
}

uint64_t dec_shared_address(Decoder *d, const PtxSym *s) {
  const uintptr_t v = (uintptr_t)s->user;
  if ((v & ~(uintptr_t)UINT32_MAX) != mark(d)) dec_fail(d, "shared variable %s has no place", s->name);
  return v & UINT32_MAX;
}
