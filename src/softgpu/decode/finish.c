/* The last steps of decoding: instructions whose result is the same in every block leave the code, address
 * registers get plans, loops that wait for others are marked, and virtual registers become rows. */
#include "decode/decode.h"

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

/* Warp operations whose member mask is the constant that names all lanes, and shuffles that are alike in all
 * warps. */
static void mark_warps(Decoder *d) {
  uint8_t *constant = dec_alloc(d, d->nv), *full = dec_alloc(d, d->nv);
  for (uint32_t i = 0; i < d->nfills; i++) {
    if (d->fills[i].kind != FILL_CONST || d->fills[i].width != 4) continue;
    constant[d->fills[i].v] = 1;
    full[d->fills[i].v] = d->fills[i].bits == UINT32_MAX;
  }
  for (uint32_t i = 0; i < d->n; i++) {
    Ins *in = &d->ins[i];
    if (in->kind != K_WARP) continue;
    in->part = full[in->s[in->imm]];
    if (in->imm == 3) in->unit = constant[in->s[1]] && constant[in->s[2]];
  }
}

static bool is_and(const Ins *in) { return in->op == OP_and_h || in->op == OP_and_w || in->op == OP_and_x; }
static bool is_or(const Ins *in) { return in->op == OP_or_h || in->op == OP_or_w || in->op == OP_or_x; }

/* Loads whose value is only stored again, or not used at all, or used for its bits but a few. */
static void mark_copies(Decoder *d) {
  uint32_t *uses = dec_alloc(d, d->nv * sizeof *uses), *stored = dec_alloc(d, d->nv * sizeof *stored);
  uint32_t *masked = dec_alloc(d, d->nv * sizeof *masked), *joined = dec_alloc(d, d->nv * sizeof *joined);
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    if (in->flags & INS_HOISTED) continue;
    for (int k = 0; k < 4; k++)
      if (in->s[k] != NO_ROW) uses[in->s[k]]++;
    if (in->pred != NO_ROW) uses[in->pred]++;
    if ((in->flags & (INS_STORE | INS_ATOM)) == INS_STORE && in->s[1] != NO_ROW) stored[in->s[1]]++;
    if (in->op == OP_bfi_w || in->op == OP_bfi_x) masked[in->s[1]]++;
    for (int k = 0; k < 2 && is_or(in); k++) joined[in->s[k]]++;
  }
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    if (is_and(in) && uses[in->d] && uses[in->d] == joined[in->d] + stored[in->d])
      masked[in->s[0]]++, masked[in->s[1]]++;
  }
  for (uint32_t i = 0; i < d->n; i++) {
    Ins *in = &d->ins[i];
    if (in->kind != K_MEM || !in->unit || in->flags & INS_STORE || in->d == NO_ROW) continue;
    if (uses[in->d] == stored[in->d])
      in->traits |= uses[in->d] ? TRAIT_COPIED : TRAIT_UNUSED;
    else if (uses[in->d] == masked[in->d])
      in->traits |= TRAIT_KEPT;
  }
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
  for (uint32_t i = 0; i < d->nroutines; i++) {
    d->routines[i].start = to[d->routines[i].start];
    d->routines[i].end = to[d->routines[i].end];
  }
  d->entry_start = to[d->entry_start];
  for (uint32_t i = 0; i < n; i++) {
    Ins *in = &d->ins[i];
    if (in->kind == K_BRA) in->target = to[in->target];
    if (in->kind == K_CALL) in->target = d->routines[in->target].start;
  }
  for (uint32_t i = 0; i < d->ntargets; i += d->targets[i] + 1)
    for (uint32_t k = 1; k <= d->targets[i]; k++) d->targets[i + k] = to[d->targets[i + k]];
}

static void mark_loops(Decoder *d) {
  uint32_t *spins = dec_alloc(d, (d->n + 1) * sizeof *spins);
  bool waits = false; /* a routine may wait for others: then so may a loop with a call in it */
  for (uint32_t i = 0; i < d->entry_start; i++) waits |= (d->ins[i].flags & INS_SPIN) != 0;
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    const bool calls = in->kind == K_CALL || in->kind == K_CALLX;
    spins[i + 1] = spins[i] + ((in->flags & INS_SPIN) != 0 || (waits && calls));
  }
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

/* What calls save, and how large frames are: dec_rows has made the lists, with registers in them. */
static void finish_frames(Decoder *d, const Facts *f) {
  for (uint32_t i = 0; i < d->n; i++) {
    Ins *in = &d->ins[i];
    if (in->op == OP_enter) in->imm = d->routines[in->target].frame;
    if (in->op == OP_take) in->target = in->target == NO_ROW ? 0 : d->routines[in->target].frame;
    if (in->op != OP_save) continue;
    uint32_t *list = d->targets + in->target;
    list[0] = d->routines[list[0]].frame;
    for (uint32_t k = 0; k < list[1]; k++) list[2 + 3 * k] = f->row[list[2 + 3 * k]];
  }
}

/* For calls through pointers. */
static void function_table(Decoder *d) {
  SgKernel *k = d->k;
  bool any = false;
  for (uint32_t i = 0; i < d->n; i++) any |= d->ins[i].kind == K_CALLX;
  if (!any) return;
  k->nfunctions = d->px->nfuncs;
  k->functions = malloc((k->nfunctions + 1) * sizeof *k->functions);
  if (!k->functions) dec_no_memory(d);
  for (uint32_t i = 0; i < k->nfunctions; i++) k->functions[i] = NO_ROW;
  for (uint32_t i = 0; i < d->nroutines; i++)
    if (d->routines[i].pointed)
      k->functions[dec_function_number(d->routines[i].f->sym)] = d->routines[i].start;
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
  mark_warps(d);
  mark_copies(d);
  dec_objects(d);
  Ins *prologue = k->prologue = malloc((nprologue + 1) * sizeof *prologue);
  if (!prologue) dec_no_memory(d);
  for (uint32_t i = 0; i < nprologue; i++) prologue[i] = d->ins[order[i]];
  k->nprologue = nprologue;
  compact(d);
  mark_loops(d);
  dec_ties(d);
  make_plans(d, &f);

  if (d->nroutines) {
    /* These are the same in all functions. */
    f.fixed[d->sp] = f.fixed[d->link] = 3;
    if (d->carry != NO_ROW) f.fixed[d->carry] = 3;
    if (d->taken != NO_ROW) f.fixed[d->taken] = 3;
  }
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
  finish_frames(d, &f);
  function_table(d);
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
  k->start = d->entry_start;
  k->stacks = d->stacks || d->taken != NO_ROW;
}
