/* Gives each virtual register a row of the register file. Rows are shared by registers of one width whose
 * lives do not overlap, so that a gang's registers stay in the cache.
 *
 * A life is the stretch of code from the first to the last place where the register is live; rows that hold
 * constants and results of the prologue live throughout. Sharing is safe under divergence: a thread only ever
 * touches its own lane of a row, and lanes of rows of one width lie at the same places. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SET_WORDS                                                                                        \
  ((size_t)64 << 20) /* above this no rows are shared: the analysis would take too long                      \
                      */

typedef struct Life {
  uint32_t v, from, to;
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
    if (in->kind == K_BRA || in->kind == K_BRX || in->kind == K_EXIT) start[i + 1] = 1;
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
      const bool falls =
          last->kind != K_BRX && !((last->kind == K_BRA || last->kind == K_EXIT) && last->pred == NO_ROW);
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

/* Lives of the registers that are not fixed. Returns their number, or UINT32_MAX: too large to tell. */
static uint32_t find_lives(Decoder *d, const uint8_t *fixed, Life *lives) {
  const Blocks b = find_blocks(d);
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
        lives[nlives++] = (Life){r, i, i};
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

static int by_start(const void *a, const void *b) {
  const Life *x = a, *y = b;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->v < y->v ? -1 : x->v > y->v;
}

void dec_rows(Decoder *d, const uint8_t *fixed, uint32_t *row, uint32_t *bytes, uint32_t *peak) {
  Life *lives = dec_alloc(d, d->nv * sizeof *lives);
  const uint32_t n = find_lives(d, fixed, lives);
  *peak = 0;
  if (n == UINT32_MAX) return; /* finish.c gives each its own */
  qsort(lives, n, sizeof *lives, by_start);
  /* Lists by the place where a life ends, and of free rows by width. */
  uint32_t *ends = dec_alloc(d, (d->n + 1) * sizeof *ends), *next = dec_alloc(d, (n + 1) * sizeof *next);
  uint32_t *free_rows[4], nfree[4] = {0}, live = 0, at = 0;
  for (int k = 0; k < 4; k++) free_rows[k] = dec_alloc(d, (n + 1) * sizeof **free_rows);
  for (uint32_t i = 0; i < n; i++) {
    const Life *l = &lives[i];
    for (; at < l->from; at++) {
      for (uint32_t e = ends[at]; e; e = next[e]) {
        const uint32_t v = lives[e - 1].v, k = (uint32_t)__builtin_ctz(d->width[v]);
        free_rows[k][nfree[k]++] = row[v];
        live -= d->width[v];
      }
    }
    const uint32_t w = d->width[l->v], k = (uint32_t)__builtin_ctz(w);
    if (nfree[k]) {
      row[l->v] = free_rows[k][--nfree[k]];
    } else {
      row[l->v] = *bytes;
      *bytes += w;
    }
    live += w;
    if (live > *peak) *peak = live;
    next[i + 1] = ends[l->to];
    ends[l->to] = i + 1;
  }
}
