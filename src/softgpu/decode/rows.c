/* Gives each virtual register a row of the register file. Rows are shared by registers of one width whose
 * lives do not overlap, so that a gang's registers stay in the cache.
 *
 * A life is the stretch of code from the first to the last place where the register is live; rows that hold
 * constants and results of the prologue live throughout. Sharing is safe under divergence: a thread only ever
 * touches its own lane of a row, and lanes of rows of one width lie at the same places.
 *
 * Most registers are short-lived: no front is ever parked while they are live. Their rows are shared among
 * themselves alone, so that what an instruction leaves there in lanes that are off does no harm, and it can
 * do without the mask. */
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SET_WORDS                                                                                        \
  ((size_t)64 << 20) /* above this no rows are shared: the analysis would take too long                      \
                      */

typedef struct Life {
  uint32_t v, from, to;
  bool brief; /* no front is parked from its first to its last place */
} Life;

typedef struct Blocks {
  uint32_t n;
  uint32_t *start; /* n + 1 of them */
  uint32_t *of;    /* by instruction */
} Blocks;

static uint32_t sources(const Ins *in, uint32_t out[7]) {
  uint32_t n = 0;
  for (int k = 0; k < 4; k++)
    if (in->s[k] != NO_ROW) out[n++] = in->s[k];
  if (in->pred != NO_ROW) {
    out[n++] = in->pred;
    /* Where the guard is false the old value stays. */
    if (in->d != NO_ROW) out[n++] = in->d;
    if (in->e != NO_ROW) out[n++] = in->e;
  }
  return n;
}

static Blocks find_blocks(Decoder *d) {
  Blocks b = {0};
  uint8_t *start = dec_alloc(d, d->n + 1);
  start[0] = 1;
  for (uint32_t i = 0; i < d->n; i++) {
    const Ins *in = &d->ins[i];
    if (in->kind >= K_BRA && in->kind != K_BAR && in->kind != K_WARP && in->kind != K_TRAP) start[i + 1] = 1;
    if (in->kind == K_BRA) start[in->target] = 1;
    if (in->kind == K_BRX)
      for (uint32_t k = 1; k <= d->targets[in->target]; k++) start[d->targets[in->target + k]] = 1;
  }
  b.of = dec_alloc(d, d->n * sizeof *b.of);
  for (uint32_t i = 0; i < d->n; i++) {
    b.n += start[i];
    b.of[i] = b.n - 1;
  }
  b.start = dec_alloc(d, (b.n + 1) * sizeof *b.start);
  for (uint32_t i = 0, n = 0; i < d->n; i++)
    if (start[i]) b.start[n++] = i;
  b.start[b.n] = d->n;
  return b;
}

typedef struct Sets {
  size_t words;
  uint64_t *in, *out, *use, *def;
} Sets;

static bool flow(Sets *s, uint32_t from, uint32_t to) {
  uint64_t *out = s->out + from * s->words;
  const uint64_t *in = s->in + to * s->words;
  uint64_t grew = 0;
  for (size_t w = 0; w < s->words; w++) {
    grew |= in[w] & ~out[w];
    out[w] |= in[w];
  }
  return grew != 0;
}

/* Which registers are live into and out of each block. */
static void solve(Decoder *d, const Blocks *b, Sets *s) {
  memcpy(s->in, s->use, b->n * s->words * sizeof *s->in);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t x = b->n; x-- > 0;) {
      const uint32_t at = b->start[x + 1] - 1;
      const Ins *last = &d->ins[at];
      bool grew = false;
      const bool falls = last->kind != K_BRX && last->kind != K_RET &&
                         !((last->kind == K_BRA || last->kind == K_EXIT) && last->pred == NO_ROW);
      if (falls && x + 1 < b->n) grew |= flow(s, x, x + 1);
      if (last->kind == K_BRA) grew |= flow(s, x, b->of[last->target]);
      if (last->kind == K_BRX)
        for (uint32_t k = 1; k <= d->targets[last->target]; k++)
          grew |= flow(s, x, b->of[d->targets[last->target + k]]);
      if (!grew) continue;
      again = true;
      uint64_t *in = s->in + x * s->words;
      const uint64_t *out = s->out + x * s->words, *def = s->def + x * s->words;
      for (size_t w = 0; w < s->words; w++) in[w] |= out[w] & ~def[w];
    }
  }
}

/* What is known of lives once they are found, for the calls that save registers. */
typedef struct Found {
  Blocks blocks;
  Sets sets;
  const uint32_t *by_wide; /* index of the life, by number in the sets */
  uint32_t nwide;
} Found;

/* Lives of the registers that are not fixed. Returns their number, or UINT32_MAX: too large to tell. */
static uint32_t find_lives(Decoder *d, const uint8_t *fixed, Life *lives, Found *found) {
  const Blocks b = found->blocks = find_blocks(d);
  uint32_t *index = dec_alloc(d, d->nv * sizeof *index), *home = dec_alloc(d, d->nv * sizeof *home);
  uint32_t *wide = dec_alloc(d, d->nv * sizeof *wide), nlives = 0, nwide = 0;
  for (uint32_t v = 0; v < d->nv; v++) index[v] = wide[v] = NO_ROW;
  for (uint32_t i = 0; i < d->n; i++) {
    uint32_t v[9], n = sources(&d->ins[i], v);
    if (d->ins[i].d != NO_ROW) v[n++] = d->ins[i].d;
    if (d->ins[i].e != NO_ROW) v[n++] = d->ins[i].e;
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t r = v[k];
      if (fixed[r]) continue;
      if (index[r] == NO_ROW) {
        index[r] = nlives;
        home[r] = b.of[i];
        lives[nlives++] = (Life){r, i, i, false};
      }
      lives[index[r]].to = i;
      if (home[r] != b.of[i] && wide[r] == NO_ROW) wide[r] = nwide++;
    }
  }
  /* Registers that several blocks know; and those that a loop of one block may carry to its next round. */
  for (uint32_t i = 0; i < d->n; i++) {
    uint32_t v[9];
    const uint32_t n = sources(&d->ins[i], v);
    for (uint32_t k = 0; k < n; k++)
      if (!fixed[v[k]] && wide[v[k]] == NO_ROW && lives[index[v[k]]].from == i) wide[v[k]] = nwide++;
  }
  Sets s = {.words = (nwide + 63) / 64};
  if (s.words * b.n > MAX_SET_WORDS) return UINT32_MAX;
  if (nwide == 0) return nlives;
  s.in = dec_alloc(d, s.words * b.n * sizeof *s.in);
  s.out = dec_alloc(d, s.words * b.n * sizeof *s.out);
  s.use = dec_alloc(d, s.words * b.n * sizeof *s.use);
  s.def = dec_alloc(d, s.words * b.n * sizeof *s.def);
  for (uint32_t i = 0; i < d->n; i++) {
    uint64_t *use = s.use + b.of[i] * s.words, *def = s.def + b.of[i] * s.words;
    uint32_t v[9];
    const uint32_t n = sources(&d->ins[i], v);
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t x = wide[v[k]];
      if (x != NO_ROW && !(def[x / 64] >> (x % 64) & 1)) use[x / 64] |= (uint64_t)1 << (x % 64);
    }
    const uint32_t to[2] = {d->ins[i].d, d->ins[i].e};
    for (int k = 0; k < 2; k++)
      if (to[k] != NO_ROW && wide[to[k]] != NO_ROW)
        def[wide[to[k]] / 64] |= (uint64_t)1 << (wide[to[k]] % 64);
  }
  solve(d, &b, &s);
  uint32_t *by_wide = dec_alloc(d, nwide * sizeof *by_wide);
  for (uint32_t v = 0; v < d->nv; v++)
    if (wide[v] != NO_ROW) by_wide[wide[v]] = index[v];
  found->sets = s;
  found->by_wide = by_wide;
  found->nwide = nwide;
  for (uint32_t x = 0; x < b.n; x++) {
    for (size_t w = 0; w < s.words; w++) {
      uint64_t in = s.in[x * s.words + w], out = s.out[x * s.words + w];
      for (; in; in &= in - 1) {
        Life *l = &lives[by_wide[w * 64 + (uint32_t)__builtin_ctzll(in)]];
        if (b.start[x] < l->from) l->from = b.start[x];
        if (b.start[x] > l->to) l->to = b.start[x];
      }
      for (; out; out &= out - 1) {
        Life *l = &lives[by_wide[w * 64 + (uint32_t)__builtin_ctzll(out)]];
        const uint32_t end = b.start[x + 1] - 1;
        if (end < l->from) l->from = end;
        if (end > l->to) l->to = end;
      }
    }
  }
  return nlives;
}

/* Which lives are brief: those of one block (they are in no set) during which nothing but arithmetic and
 * memory is done. An operation of a warp may begin one, for lanes that wait for it have no result yet; a
 * branch may end one, for it parks nobody before it has read its predicate. */
static void find_brief(Decoder *d, const Found *found, Life *lives, uint32_t n) {
  uint32_t *stops = dec_alloc(d, (d->n + 1) * sizeof *stops);
  uint8_t *wide = dec_alloc(d, n + 1);
  for (uint32_t i = 0; i < d->n; i++) stops[i + 1] = stops[i] + (d->ins[i].kind > K_MEM);
  for (uint32_t x = 0; x < found->nwide; x++) wide[found->by_wide[x]] = 1;
  for (uint32_t i = 0; i < n; i++) {
    Life *l = &lives[i];
    const Kind first = d->ins[l->from].kind, last = d->ins[l->to].kind;
    const uint32_t from = l->from + (first == K_WARP), to = l->to + (last != K_BRA && last != K_EXIT);
    l->brief = !wide[i] && (to <= from || stops[to] == stops[from]);
  }
}

/* Where all results are brief the lanes that are off need no care. */
static void drop_masks(Decoder *d, const Life *lives, uint32_t n) {
  uint8_t *brief = dec_alloc(d, d->nv);
  for (uint32_t i = 0; i < n; i++) brief[lives[i].v] = lives[i].brief;
  for (uint32_t i = 0; i < d->n; i++) {
    Ins *in = &d->ins[i];
    if (in->kind != K_ALU || in->pred != NO_ROW || in->d == NO_ROW || !brief[in->d]) continue;
    if (in->e == NO_ROW || brief[in->e]) in->fn[1] = in->fn[0];
  }
}

static int by_start(const void *a, const void *b) {
  const Life *x = a, *y = b;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->v < y->v ? -1 : x->v > y->v;
}

/* --- registers that a call saves --- */

static void list_add(Decoder *d, uint32_t v) {
  dec_grow(d, &d->targets, &d->targets_room, d->ntargets + 1, sizeof *d->targets);
  d->targets[d->ntargets++] = v;
}

static void save_one(Decoder *d, uint32_t list, uint32_t v, uint32_t *at) {
  list_add(d, v);
  list_add(d, d->width[v]);
  list_add(d, *at);
  *at += d->width[v];
  d->targets[list + 1]++;
}

/* What is known of registers where calls save them. */
typedef struct Known {
  const Found *found;
  const Life *lives; /* NULL: without an analysis */
  const uint8_t *fixed;
} Known;

/* Registers that are live where a call returns to, at pc; without an analysis, all of the routine. */
static void save_live(Decoder *d, const Known *known, uint32_t pc, uint32_t list, uint32_t *at) {
  const Found *found = known->found;
  if (known->lives) {
    const uint64_t *in = found->sets.in + found->blocks.of[pc] * found->sets.words;
    for (size_t w = 0; w < found->sets.words; w++)
      for (uint64_t bits = in[w]; bits; bits &= bits - 1)
        save_one(d, list, known->lives[found->by_wide[w * 64 + (uint32_t)__builtin_ctzll(bits)]].v, at);
    return;
  }
  const Routine *r = &d->routines[d->targets[list]];
  uint8_t *seen = dec_alloc(d, d->nv);
  for (uint32_t i = r->start; i < r->end; i++) {
    const uint32_t v[2] = {d->ins[i].d, d->ins[i].e};
    for (int k = 0; k < 2; k++) {
      if (v[k] == NO_ROW || known->fixed[v[k]] || seen[v[k]]) continue;
      seen[v[k]] = 1;
      save_one(d, list, v[k], at);
    }
  }
}

static void save_lists(Decoder *d, const Known *known) {
  uint32_t *locals = dec_alloc(d, d->nroutines * sizeof *locals);
  for (uint32_t i = 0; i < d->nroutines; i++) locals[i] = d->routines[i].frame;
  for (uint32_t i = 0; i < d->n; i++) {
    if (d->ins[i].op != OP_save) continue;
    /* save, call, label, restore */
    Ins *save = &d->ins[i], *restore = &d->ins[i + 3];
    Routine *r = &d->routines[save->target];
    const uint32_t list = d->ntargets;
    uint32_t at = locals[save->target];
    list_add(d, save->target);
    list_add(d, 0);
    if (save->imm) save_live(d, known, i + 2, list, &at);
    if (at > r->frame) r->frame = at;
    save->target = restore->target = list;
  }
  for (uint32_t i = 0; i < d->nroutines; i++)
    d->routines[i].frame = (d->routines[i].frame + STACK_ALIGN - 1) & ~(STACK_ALIGN - 1u);
}

/* --- rows --- */

/* How many rows of 1, 2, 4 and 8 bytes, and of these widths for brief lives. Rows of different pools never
 * share memory, not even those of functions that are not active at the same time in a thread: another thread
 * may be in the other function. */
enum { WIDTHS = 4, POOLS = 2 * WIDTHS };
typedef struct Pools {
  uint32_t n[POOLS];
} Pools;

static uint32_t pool_of(const Decoder *d, const Life *l) {
  return (uint32_t)__builtin_ctz(d->width[l->v]) + (l->brief ? WIDTHS : 0);
}

static void raise_to(Pools *p, const Pools *least) {
  for (int k = 0; k < POOLS; k++)
    if (least->n[k] > p->n[k]) p->n[k] = least->n[k];
}

/* Room for giving rows to the lives of one function after another. */
typedef struct Rows {
  uint32_t *row;              /* of each register */
  uint32_t *ends, *next;      /* lists of lives by the place where they end */
  uint32_t *free_rows[POOLS]; /* that ended lives had */
  uint32_t peak;              /* bytes of the registers that are live at once */
} Rows;

/* Gives rows to the lives of one function, which are in order; `pools` has the rows of its callers. */
static void assign(const Decoder *d, const Life *lives, uint32_t n, Pools *pools, Rows *rows) {
  uint32_t *row = rows->row, *ends = rows->ends, *next = rows->next;
  uint32_t nfree[POOLS] = {0}, live = 0, at = n ? lives[0].from : 0;
  for (uint32_t i = 0; i < n; i++) {
    const Life *l = &lives[i];
    for (; at < l->from; at++) {
      for (uint32_t e = ends[at]; e; e = next[e]) {
        const uint32_t v = lives[e - 1].v, k = pool_of(d, &lives[e - 1]);
        rows->free_rows[k][nfree[k]++] = row[v];
        live -= d->width[v];
      }
    }
    const uint32_t w = d->width[l->v], k = pool_of(d, l);
    row[l->v] = nfree[k] ? rows->free_rows[k][--nfree[k]] : pools->n[k]++;
    live += w;
    if (live > rows->peak) rows->peak = live;
    next[i + 1] = ends[l->to];
    ends[l->to] = i + 1;
  }
}

/* Who is called by routine r begins with the rows behind its own; functions that call each other, a
 * component, save theirs. `base` goes by component, *c counts down the calls. */
static void pass_down(const Decoder *d, uint32_t r, const Pools *end, Pools *base, uint32_t *c) {
  const uint32_t own = r < d->nroutines ? d->routines[r].component : NO_ROW;
  bool pointers = false;
  for (; *c > 0 && d->calls[*c - 1][0] == r; --*c) {
    const uint32_t to = d->calls[*c - 1][1];
    if (to == NO_ROW)
      pointers = true;
    else if (d->routines[to].component != own)
      raise_to(&base[d->routines[to].component], end);
  }
  for (uint32_t i = 0; pointers && i < d->nroutines; i++)
    if (d->routines[i].pointed && d->routines[i].component != own)
      raise_to(&base[d->routines[i].component], end);
}

void dec_rows(Decoder *d, const uint8_t *fixed, uint32_t *row, uint32_t *bytes, uint32_t *peak) {
  Life *lives = dec_alloc(d, d->nv * sizeof *lives);
  Found found = {0};
  const uint32_t n = find_lives(d, fixed, lives, &found);
  *peak = 0;
  save_lists(d, &(Known){&found, n != UINT32_MAX ? lives : NULL, fixed});
  if (n == UINT32_MAX) return; /* finish.c gives each its own */
  find_brief(d, &found, lives, n);
  drop_masks(d, lives, n);
  qsort(lives, n, sizeof *lives, by_start);
  Rows rows = {.row = row};
  rows.ends = dec_alloc(d, (d->n + 1) * sizeof *rows.ends);
  rows.next = dec_alloc(d, (n + 1) * sizeof *rows.next);
  for (int k = 0; k < POOLS; k++) rows.free_rows[k] = dec_alloc(d, (n + 1) * sizeof *rows.free_rows[k]);
  Pools *base = dec_alloc(d, (d->ncomponents + 1) * sizeof *base), all = {{0}};
  uint32_t calls = d->ncalls;
  for (uint32_t r = d->nroutines + 1, end = n; r-- > 0;) {
    const uint32_t start = r < d->nroutines ? d->routines[r].start : d->entry_start;
    uint32_t first = end;
    while (first > 0 && lives[first - 1].from >= start) first--;
    Pools pools = r < d->nroutines ? base[d->routines[r].component] : (Pools){{0}};
    assign(d, lives + first, end - first, &pools, &rows);
    pass_down(d, r, &pools, base, &calls);
    raise_to(&all, &pools);
    end = first;
  }
  *peak = rows.peak;
  uint32_t at[POOLS];
  for (int k = POOLS - 1; k >= 0; k--) {
    at[k] = *bytes;
    *bytes += all.n[k] << k % WIDTHS;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = pool_of(d, &lives[i]);
    row[lives[i].v] = at[k] + (row[lives[i].v] << k % WIDTHS);
  }
}
