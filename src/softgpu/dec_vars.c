/* Where a kernel's variables lie: shared ones at fixed addresses from 0, dynamic ones behind them; local ones
 * one after the other, those of functions called included. */
#include "decode.h"

enum { MAX_LOCAL = 512 << 10, MAX_SHARED = 16 << 20 };

uint32_t dec_local_room(Decoder *d, uint64_t size, uint32_t align) {
  const uint32_t a = align ? align : 1;
  const uint32_t at = (d->local_bytes + a - 1) & ~(a - 1);
  if (size > MAX_LOCAL || at + size > MAX_LOCAL) dec_fail(d, "more than %d bytes of local memory", MAX_LOCAL);
  d->local_bytes = at + (uint32_t)size;
  return at;
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
  d->shared_bytes = (uint32_t)(at + s->size);
}

typedef struct Seen {
  const PtxFunc **f;
  uint32_t n, room;
} Seen;

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

/* Functions that f reaches by direct calls, f first. */
static void reach(Decoder *d, Seen *seen, const PtxFunc *f) {
  for (uint32_t i = 0; i < seen->n; i++)
    if (seen->f[i] == f) return;
  if (seen->n == seen->room) {
    const PtxFunc **more = dec_alloc(d, (seen->room * 2 + 16) * sizeof *more);
    for (uint32_t i = 0; i < seen->n; i++) more[i] = seen->f[i];
    seen->f = more;
    seen->room = seen->room * 2 + 16;
  }
  seen->f[seen->n++] = f;
}

void dec_place_shared(Decoder *d, const PtxFunc *f) {
  Seen seen = {0};
  reach(d, &seen, f);
  for (uint32_t i = 0; i < seen.n; i++) {
    const PtxFunc *g = seen.f[i];
    for (uint32_t j = 0; j < g->ninst; j++) {
      const PtxCall *c = g->inst[j].call;
      if (c && c->target.sym && c->target.sym->kind == PTX_SYM_FUNC && c->target.sym->def)
        reach(d, &seen, c->target.sym->def);
    }
  }
  for (uint32_t i = 0; i < seen.n; i++) function(d, seen.f[i], false);
  for (uint32_t i = 0; i < seen.n; i++) function(d, seen.f[i], true);
}

uint64_t dec_shared_address(Decoder *d, const PtxSym *s) {
  const uintptr_t v = (uintptr_t)s->user;
  if ((v & ~(uintptr_t)UINT32_MAX) != mark(d)) dec_fail(d, "shared variable %s has no place", s->name);
  return v & UINT32_MAX;
}
