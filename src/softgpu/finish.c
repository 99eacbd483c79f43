/* The last steps of decoding: instructions whose result is the same in every block leave the code, address
 * registers get plans, loops that wait for others are marked, and virtual registers become rows. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

typedef struct Facts {
  uint32_t *defs;  /* how many instructions write it */
  uint32_t *alias; /* the row that a copy stands for, or itself */
  uint8_t *fixed;  /* 1: the same in every block; 2: per block, but never written */
  uint32_t *plan;  /* of a base register */
  uint32_t *row;
} Facts;

static void count_defs(Decoder *d, Facts *f) {
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    if (in->d != NO_ROW) f->defs[in->d]++;
    if (in->e != NO_ROW) f->defs[in->e]++;
  }
  for (uint32_t i = 0; i < d->nfills; i++)
    f->fixed[d->fills[i].v] = d->fills[i].kind < FILL_PER_BLOCK ? 1 : 2;
}

static bool is_move(const Ins *in) {
  return in->op == OP_mov_b || in->op == OP_mov_p || in->op == OP_mov_h || in->op == OP_mov_w ||
         in->op == OP_mov_x;
}

static uint32_t resolve(const Facts *f, uint32_t v) { return v == NO_ROW ? v : f->alias[v]; }

/* Marks what can be computed before the first block, in an order that respects uses; copies of rows that
 * never change are replaced by these rows. Returns how many instructions leave the code. */
static uint32_t hoist(Decoder *d, Facts *f, uint32_t *order) {
  uint32_t n = 0;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < d->n; i++) {
      Ins *in = &d->ins[i];
      if (in->kind != K_ALU || (in->flags & (INS_HOISTED | INS_IMPURE)) || in->pred != NO_ROW ||
          in->d == NO_ROW)
        continue;
      if (f->defs[in->d] != 1 || (in->e != NO_ROW && f->defs[in->e] != 1)) continue;
      bool fixed = true, known = true;
      for (int k = 0; k < 4; k++) {
        const uint32_t s = resolve(f, in->s[k]);
        if (s == NO_ROW) continue;
        known &= f->fixed[s] != 0;
        fixed &= f->fixed[s] == 1;
      }
      if (is_move(in) && known) {
        f->alias[in->d] = resolve(f, in->s[0]);
        f->fixed[in->d] = f->fixed[resolve(f, in->s[0])];
        in->flags |= INS_HOISTED;
        again = true;
      } else if (fixed) {
        f->fixed[in->d] = 1;
        if (in->e != NO_ROW) f->fixed[in->e] = 1;
        in->flags |= INS_HOISTED;
        order[n++] = i;
        again = true;
      }
    }
  }
  return n;
}

/* Removes what was hoisted; branches follow. */
static void compact(Decoder *d) {
  uint32_t *to = dec_alloc(d, (d->n + 1) * sizeof *to), n = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    to[i] = n;
    if (!(d->ins[i].flags & INS_HOISTED)) n++;
  }
  to[d->n] = n;
  for (uint32_t i = 0; i < d->n; i++) {
    if (d->ins[i].flags & INS_HOISTED) continue;
    d->ins[to[i]] = d->ins[i];
    d->locs[to[i]] = d->locs[i];
  }
  d->n = n;
  for (uint32_t i = 0; i < n; i++)
    if (d->ins[i].kind == K_BRA) d->ins[i].target = to[d->ins[i].target];
  for (uint32_t i = 0; i < d->ntargets; i += d->targets[i] + 1)
    for (uint32_t k = 1; k <= d->targets[i]; k++) d->targets[i + k] = to[d->targets[i + k]];
}

static void mark_loops(Decoder *d) {
  uint32_t *spins = dec_alloc(d, (d->n + 1) * sizeof *spins);
  for (uint32_t i = 0; i < d->n; i++) spins[i + 1] = spins[i] + ((d->ins[i].flags & INS_SPIN) != 0);
  for (uint32_t i = 0; i < d->n; i++) {
    Ins *in = &d->ins[i];
    if (in->kind != K_BRA || in->target > i) continue;
    in->flags |= INS_BACK;
    if (spins[i] > spins[in->target]) in->flags |= INS_SPIN;
  }
}

static void make_plans(Decoder *d, Facts *f) {
  SgKernel *k = d->k;
  uint32_t nplans = 1, ncaches = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    Ins *in = &d->ins[i];
    if (in->kind != K_MEM) continue;
    if (in->sub == SP_GLOBAL || in->sub == SP_GENERIC) in->cache = ncaches++;
    if (in->s[0] == NO_ROW) continue;
    if (f->plan[in->s[0]] == 0) f->plan[in->s[0]] = nplans++;
    in->plan = f->plan[in->s[0]];
  }
  k->plan_invariant = calloc(nplans, sizeof *k->plan_invariant);
  if (!k->plan_invariant) dec_no_memory(d);
  for (uint32_t v = 0; v < d->nv; v++)
    if (f->plan[v]) k->plan_invariant[f->plan[v]] = f->fixed[v] == 1;
  for (uint32_t i = 0; i < d->n; i++)
    if (d->ins[i].d != NO_ROW) d->ins[i].kill = f->plan[d->ins[i].d];
  k->nplans = nplans;
  k->ncaches = ncaches;
}

static void use(Decoder *d, Facts *f, uint32_t *v, uint32_t *bytes) {
  if (*v == NO_ROW) return;
  if (f->row[*v] == NO_ROW) {
    f->row[*v] = *bytes;
    *bytes += d->width[*v];
  }
  *v = f->row[*v];
}

static void *keep(Decoder *d, const void *from, size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p) dec_no_memory(d);
  if (bytes) memcpy(p, from, bytes);
  return p;
}

void dec_finish(Decoder *d) {
  SgKernel *k = d->k;
  Facts f;
  f.defs = dec_alloc(d, d->nv * sizeof *f.defs);
  f.alias = dec_alloc(d, d->nv * sizeof *f.alias);
  f.fixed = dec_alloc(d, d->nv);
  f.plan = dec_alloc(d, d->nv * sizeof *f.plan);
  f.row = dec_alloc(d, d->nv * sizeof *f.row);
  for (uint32_t v = 0; v < d->nv; v++) f.alias[v] = v, f.row[v] = NO_ROW;
  count_defs(d, &f);
  uint32_t *order = dec_alloc(d, d->n * sizeof *order);
  const uint32_t nprologue = hoist(d, &f, order);
  for (uint32_t i = 0; i < d->n; i++) {
    for (int s = 0; s < 4; s++) d->ins[i].s[s] = resolve(&f, d->ins[i].s[s]);
    d->ins[i].pred = resolve(&f, d->ins[i].pred);
  }
  Ins *prologue = k->prologue = malloc((nprologue + 1) * sizeof *prologue);
  if (!prologue) dec_no_memory(d);
  for (uint32_t i = 0; i < nprologue; i++) prologue[i] = d->ins[order[i]];
  k->nprologue = nprologue;
  compact(d);
  mark_loops(d);
  make_plans(d, &f);

  uint32_t bytes = 0, peak;
  dec_rows(d, f.fixed, f.row, &bytes, &peak);
  for (uint32_t pass = 0; pass < 2; pass++) {
    Ins *list = pass ? d->ins : prologue;
    for (uint32_t i = 0, n = pass ? d->n : nprologue; i < n; i++) {
      Ins *in = &list[i];
      use(d, &f, &in->d, &bytes);
      use(d, &f, &in->e, &bytes);
      use(d, &f, &in->pred, &bytes);
      for (int s = 0; s < 4; s++) use(d, &f, &in->s[s], &bytes);
    }
  }
  k->bytes_per_lane = bytes;
  /* What a compiler would need, roughly: the live values, and a few for addresses and parameters. */
  const uint32_t regs = peak / 4 + (nprologue < 16 ? nprologue : 16) + 4;
  k->info.num_regs = regs > 255 ? 255 : regs;

  Fill *fills = k->fills = malloc((d->nfills + 1) * sizeof *fills);
  if (!fills) dec_no_memory(d);
  for (uint32_t late = 0; late < 2; late++) {
    for (uint32_t i = 0; i < d->nfills; i++) {
      const uint32_t row = f.row[d->fills[i].v];
      if (row == NO_ROW || (d->fills[i].kind >= FILL_PER_BLOCK) != late) continue;
      fills[k->nfills++] = (Fill){d->fills[i].kind, d->fills[i].width, row, d->fills[i].bits};
    }
    if (!late) k->nlaunch_fills = k->nfills;
  }
  k->code = keep(d, d->ins, d->n * sizeof *d->ins);
  k->locs = keep(d, d->locs, d->n * sizeof *d->locs);
  k->targets = keep(d, d->targets, d->ntargets * sizeof *d->targets);
  k->ncode = d->n;
}
