/* Fronts: which lanes run, which are parked where. The running front is the one with the lowest pc, so that
 * lanes which took different ways meet at the first instruction common to both. */
#include "gang.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* Eight mask bytes to eight bits: a multiplication gathers the low bits in the top byte. */
static uint64_t pack8(const uint8_t *m) {
  uint64_t v;
  memcpy(&v, m, 8);
  return v * 0x0102040810204080u >> 56;
}

void sg_front_measure(Front *f) {
  f->count = f->first = f->end = 0;
  for (uint32_t w = 0; w < MASK_WORDS; w++) {
    const uint64_t v = f->mask[w];
    if (!v) continue;
    if (f->count == 0) f->first = w * 64 + (uint32_t)__builtin_ctzll(v);
    f->end = w * 64 + 64 - (uint32_t)__builtin_clzll(v);
    f->count += (uint32_t)__builtin_popcountll(v);
  }
}

void sg_front_bits(const Gang *g, const uint8_t *bytes, Front *f) {
  memset(f->mask, 0, sizeof f->mask);
  for (uint32_t i = 0; i < g->nl; i += 8) f->mask[i / 64] |= pack8(bytes + i) << (i % 64);
  sg_front_measure(f);
}

/* Mask bytes and the range that handlers work on, from cur.mask. */
void sg_front_set(Gang *g) {
  Front *f = &g->cur;
  sg_front_measure(f);
  for (uint32_t i = 0; i < g->nl; i += 8) {
    uint64_t bits = f->mask[i / 64] >> (i % 64) & 255, v;
    /* Each byte gets a copy of the eight bits, keeps its own and turns it into 0 or 1. */
    v = (bits * 0x0101010101010101u) & 0x8040201008040201u;
    v = ((v + 0x7f7f7f7f7f7f7f7fu) | v) >> 7 & 0x0101010101010101u;
    memcpy(g->fm + i, &v, 8);
  }
  g->m = g->fm;
  g->masked = f->count != f->end - f->first;
  g->lo = g->masked ? f->first & ~7u : f->first;
  g->n = g->masked ? ((f->end + 7) & ~7u) - g->lo : f->count;
  if (++g->serial == PLAN_ALWAYS) g->serial = 1;
}

void sg_front_start(Gang *g, uint32_t group_lanes) {
  g->nparked = 0;
  g->clock = 0;
  for (uint32_t first = 0, group = 0; first < g->threads; first += group_lanes, group++) {
    Front f = {.group = group};
    for (uint32_t i = first; i < g->threads && i < first + group_lanes; i++)
      f.mask[i / 64] |= (uint64_t)1 << (i % 64);
    if (group == 0) {
      g->cur = f;
      sg_front_set(g);
    } else {
      sg_front_measure(&f);
      sg_front_park(g, &f);
    }
  }
  memset(g->live, 0, sizeof g->live);
  for (uint32_t i = 0; i < g->threads; i++) g->live[i / 64] |= (uint64_t)1 << (i % 64);
  g->live_count = g->threads;
  sg_front_refresh(g);
}

void sg_front_refresh(Gang *g) {
  g->nextpc = UINT32_MAX;
  g->others = false;
  for (uint32_t i = 0; i < g->nparked; i++) {
    const Front *f = &g->parked[i];
    if (f->state != F_RUN) continue;
    g->others = true;
    if (f->group == g->cur.group && f->pc < g->nextpc) g->nextpc = f->pc;
  }
}

static void unite(Front *to, const Front *from) {
  for (uint32_t w = 0; w < MASK_WORDS; w++) to->mask[w] |= from->mask[w];
  if (from->age < to->age) to->age = from->age;
  sg_front_measure(to);
}

static void drop(Gang *g, uint32_t i) { g->parked[i] = g->parked[--g->nparked]; }

void sg_front_park(Gang *g, const Front *f) {
  if (f->state == F_RUN) {
    g->others = true;
    if (f->group == g->cur.group && f->pc < g->nextpc) g->nextpc = f->pc;
    for (uint32_t i = 0; i < g->nparked; i++) {
      Front *p = &g->parked[i];
      if (p->pc == f->pc && p->group == f->group && p->state == F_RUN) {
        unite(p, f);
        return;
      }
    }
  }
  /* At most one front a lane, and there is room for that many. */
  Front *p = &g->parked[g->nparked++];
  *p = *f;
  p->age = ++g->clock;
}

/* Makes parked front i the running one, together with all that wait at the same place. */
static void resume(Gang *g, uint32_t i) {
  g->cur = g->parked[i];
  drop(g, i);
  for (i = 0; i < g->nparked;) {
    const Front *p = &g->parked[i];
    if (p->pc == g->cur.pc && p->group == g->cur.group && p->state == F_RUN) {
      unite(&g->cur, p);
      drop(g, i);
    } else {
      i++;
    }
  }
  sg_front_set(g);
  sg_front_refresh(g);
  g->edges = 0;
  /* It has been at its label: another check there would swap it out again before it has done anything. */
  if (g->kernel->code[g->cur.pc].kind == K_LEADER) g->cur.pc++;
}

bool sg_front_next(Gang *g) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < g->nparked; i++) {
    const Front *p = &g->parked[i];
    if (p->state != F_RUN) continue;
    if (best == UINT32_MAX) {
      best = i;
      continue;
    }
    const Front *b = &g->parked[best];
    const bool p_same = p->group == g->cur.group, b_same = b->group == g->cur.group;
    if (p_same != b_same ? p_same : p->group != b->group ? p->group < b->group : p->pc < b->pc) best = i;
  }
  if (best == UINT32_MAX) return false;
  resume(g, best);
  return true;
}

bool sg_front_meet(Gang *g) {
  sg_front_bits(g, g->fm, &g->cur);
  if (g->cur.pc > g->nextpc) {
    sg_front_park(g, &g->cur);
    return !sg_front_next(g);
  }
  for (uint32_t i = 0; i < g->nparked;) {
    const Front *p = &g->parked[i];
    if (p->pc == g->cur.pc && p->group == g->cur.group && p->state == F_RUN) {
      unite(&g->cur, p);
      drop(g, i);
    } else {
      i++;
    }
  }
  sg_front_set(g);
  sg_front_refresh(g);
  return true;
}

void sg_front_rotate(Gang *g) {
  sg_front_bits(g, g->fm, &g->cur);
  sg_front_park(g, &g->cur);
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < g->nparked; i++) {
    const Front *p = &g->parked[i];
    if (p->state == F_RUN && (best == UINT32_MAX || p->age < g->parked[best].age)) best = i;
  }
  resume(g, best);
}

void sg_front_remove(Gang *g, const Front *f) {
  sg_front_bits(g, g->fm, &g->cur);
  for (uint32_t w = 0; w < MASK_WORDS; w++) g->cur.mask[w] &= ~f->mask[w];
  sg_front_set(g);
}
