/* Fronts: which lanes run, which are parked where. The running front is the one with the lowest pc, so that
 * lanes which took different ways meet at the first instruction common to both. */
#include "machine/gang.h"
#include "decode/kernel.h"

#include <stdlib.h>
#include <string.h>

static void new_serial(Gang *g) {
  if (++g->serial == PLAN_ALWAYS) g->serial = 1;
}

/* Mask bytes and the range that handlers work on, from cur.mask. */
void sg_front_set(Gang *g) {
  Front *f = &g->cur;
  g->run->isa->measure(f, g->nl);
  g->run->isa->spread(g->fm, f->mask, g->nl);
  g->m = g->fm;
  g->masked = f->count != f->end - f->first;
  g->lo = g->masked ? f->first & ~7u : f->first;
  g->n = g->masked ? ((f->end + 7) & ~7u) - g->lo : f->count;
  new_serial(g);
}

/* Lanes [from, to) of a mask. */
static void set_range(uint64_t *mask, uint32_t from, uint32_t to) {
  for (uint32_t w = from / 64; w * 64 < to; w++) {
    uint64_t v = UINT64_MAX;
    if (w == from / 64) v <<= from % 64;
    if (to - w * 64 < 64) v &= ((uint64_t)1 << (to - w * 64)) - 1;
    mask[w] |= v;
  }
}

void sg_front_start(Gang *g, uint32_t group_lanes) {
  g->nparked = 0;
  g->clock = 0;
  g->live_count = g->threads;
  if (g->whole && g->whole == g->serial) {
    /* The block before never split: all is as it was in its beginning. */
    g->cur.pc = g->kernel->start;
    g->cur.count = g->threads;
    for (uint32_t w = 0; w < g->words; w++) g->live[w] = g->cur.mask[w];
    new_serial(g);
    g->whole = g->serial;
    return;
  }
  memset(g->live, 0, sizeof g->live);
  set_range(g->live, 0, g->threads);
  memset(&g->cur, 0, sizeof g->cur);
  g->cur.pc = g->kernel->start;
  const uint32_t here = g->threads < group_lanes ? g->threads : group_lanes;
  set_range(g->cur.mask, 0, here);
  sg_front_set(g);
  for (uint32_t first = here, group = 1; first < g->threads; first += group_lanes, group++) {
    Front f = {.group = group, .pc = g->kernel->start};
    set_range(f.mask, first, first + group_lanes < g->threads ? first + group_lanes : g->threads);
    sg_front_park(g, &f);
  }
  sg_front_refresh(g);
  g->whole = g->threads <= group_lanes ? g->serial : 0;
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

static void unite(const Gang *g, Front *to, const Front *from) {
  for (uint32_t w = 0; w < g->words; w++) to->mask[w] |= from->mask[w];
}

static void copy(const Gang *g, Front *to, const Front *from) {
  memcpy(to, from, offsetof(Front, mask) + g->words * sizeof *from->mask);
}

static void drop(Gang *g, uint32_t i) {
  if (i != --g->nparked) copy(g, &g->parked[i], &g->parked[g->nparked]);
}

void sg_front_park(Gang *g, const Front *f) {
  if (f->state == F_RUN) {
    g->others = true;
    if (f->group == g->cur.group && f->pc < g->nextpc) g->nextpc = f->pc;
    for (uint32_t i = 0; i < g->nparked; i++) {
      Front *p = &g->parked[i];
      if (p->pc == f->pc && p->group == f->group && p->state == F_RUN) {
        unite(g, p, f);
        return;
      }
    }
  }
  /* At most one front a lane, and there is room for that many. */
  Front *p = &g->parked[g->nparked++];
  copy(g, p, f);
  p->age = ++g->clock;
}

/* Takes all that wait where the running front is into it. */
static void gather(Gang *g) {
  for (uint32_t i = 0; i < g->nparked;) {
    const Front *p = &g->parked[i];
    if (p->pc == g->cur.pc && p->group == g->cur.group && p->state == F_RUN) {
      unite(g, &g->cur, p);
      drop(g, i);
    } else {
      i++;
    }
  }
  sg_front_set(g);
  sg_front_refresh(g);
}

/* Makes parked front i the running one, together with all that wait at the same place. */
static void resume(Gang *g, uint32_t i) {
  copy(g, &g->cur, &g->parked[i]);
  drop(g, i);
  gather(g);
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
  if (g->cur.pc > g->nextpc) {
    sg_front_park(g, &g->cur);
    return !sg_front_next(g);
  }
  gather(g);
  return true;
}

void sg_front_rotate(Gang *g) {
  sg_front_park(g, &g->cur);
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < g->nparked; i++) {
    const Front *p = &g->parked[i];
    if (p->state == F_RUN && (best == UINT32_MAX || p->age < g->parked[best].age)) best = i;
  }
  resume(g, best);
}

void sg_front_remove(Gang *g, const Front *f) {
  for (uint32_t w = 0; w < g->words; w++) g->cur.mask[w] &= ~f->mask[w];
  sg_front_set(g);
}
