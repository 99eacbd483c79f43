/* Lanes that wait for each other: barriers of the block, and synchronising operations of a warp. */
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <string.h>

#define LANE(T, row, lane) (((const T *)(const void *)(g->regs + (size_t)(row)*g->nl))[lane])

/* bar.red gives all threads the same: here to the lanes of one front. */
static void put_result(Gang *g, const Ins *in, const Front *f, const Barrier *b) {
  if (in->sub < BAR_AND) return;
  const uint32_t v = in->sub == BAR_POPC ? b->ones : in->sub == BAR_AND ? b->ones == b->arrived : b->ones > 0;
  for (uint32_t i = f->first; i < f->end; i++) {
    if (!(f->mask[i / 64] >> (i % 64) & 1)) continue;
    char *row = g->regs + (size_t)in->d * g->nl;
    if (in->sub == BAR_POPC)
      memcpy(row + (size_t)i * 4, &v, 4);
    else
      row[i] = (char)v;
  }
  if (in->kill) g->plans[in->kill].serial = 0;
}

/* The barrier opens, for the threads of `cur` too where it is not NULL. */
static void release(Gang *g, uint32_t id, const Front *cur) {
  Barrier *b = &g->barrier[id];
  if (g->check) sg_check_open(g, cur, id);
  for (uint32_t i = 0; i < g->nparked; i++) {
    Front *f = &g->parked[i];
    if (f->state != F_BAR || f->bar != id) continue;
    put_result(g, &g->kernel->code[f->pc], f, b);
    f->state = F_RUN;
    f->pc++;
  }
  memset(b, 0, sizeof *b);
  if (g->nparked) sg_front_refresh(g);
}

bool sg_bar(Gang *g, const Ins *in) {
  Front *cur = &g->cur;
  const uint32_t first = cur->first;
  const uint32_t id = in->s[0] == NO_ROW ? (uint32_t)in->imm : LANE(uint32_t, in->s[0], first);
  const uint32_t want = in->s[1] == NO_ROW ? 0 : LANE(uint32_t, in->s[1], first);
  if (in->s[0] != NO_ROW && id >= BARRIERS) {
    sg_raise(g, SG_LAUNCH_FAILED, first, "barrier number %u is not one of 0 to %d", id, BARRIERS - 1);
    return true;
  }
  if (in->s[0] != NO_ROW) {
    /* Threads that name another barrier come here again. */
    Front other = {.pc = cur->pc, .group = cur->group, .state = F_RUN};
    bool differ = false;
    for (uint32_t i = first; i < cur->end; i++) {
      if (!g->fm[i] || LANE(uint32_t, in->s[0], i) == id) continue;
      other.mask[i / 64] |= (uint64_t)1 << (i % 64);
      differ = true;
    }
    if (differ) {
      sg_front_remove(g, &other);
      sg_front_park(g, &other);
    }
  }
  Barrier *b = &g->barrier[id];
  b->expected = want;
  b->arrived += cur->count;
  if (g->check) sg_check_arrive(g, cur, id);
  if (in->s[2] != NO_ROW)
    for (uint32_t i = first; i < cur->end; i++) b->ones += g->fm[i] & LANE(uint8_t, in->s[2], i);
  const bool complete = b->arrived >= (want ? want : g->live_count);
  if (in->sub == BAR_ARRIVE) {
    if (complete) release(g, id, NULL);
    cur->pc++;
    return true;
  }
  if (complete) {
    put_result(g, in, cur, b);
    release(g, id, cur);
    cur->pc++;
    return true;
  }
  cur->state = F_BAR;
  cur->bar = id;
  sg_front_park(g, cur);
  return false;
}

void sg_lanes_exited(Gang *g) {
  /* Threads that are gone are not waited for, neither at a barrier nor in a warp. */
  for (uint32_t id = 0; id <= BARRIERS; id++) {
    const Barrier *b = &g->barrier[id];
    if (b->arrived && !b->expected && b->arrived >= g->live_count) release(g, id, NULL);
  }
  bool woken = false;
  for (uint32_t i = 0; i < g->nparked; i++) {
    if (g->parked[i].state != F_WARP) continue;
    g->parked[i].state = F_RUN;
    woken = true;
  }
  if (woken) sg_front_refresh(g);
}

/* A lane that its own mask does not name: an illegal instruction, as an H200 says. */
static bool all_are_members(Gang *g, const Ins *in) {
  const uint32_t *mask = &LANE(uint32_t, in->s[in->imm], 0);
  uint32_t missing = 0;
  for (uint32_t i = g->cur.first; i < g->cur.end; i++) missing |= g->fm[i] & ~(mask[i] >> (i % SG_WARP));
  if (!missing) return true;
  uint32_t i = g->cur.first;
  while (!(g->fm[i] & ~(mask[i] >> (i % SG_WARP)))) i++;
  sg_raise(g, SG_ILLEGAL_INSTRUCTION, i, "lane %u is not in the member mask 0x%08x that it passes",
           i % SG_WARP, mask[i]);
  return false;
}

/* Member masks are in the row s[imm]; part: they are known to be full. */
bool sg_warp(Gang *g, const Ins *in) {
  Front *cur = &g->cur;
  if (!in->part && !all_are_members(g, in)) return true;
  if (cur->count == g->live_count) return true;
  /* Lanes that came here before and waited. */
  bool joined = false;
  for (uint32_t i = 0; i < g->nparked;) {
    Front *p = &g->parked[i];
    if (p->pc == cur->pc && p->group == cur->group && p->state != F_BAR) {
      for (uint32_t w = 0; w < g->words; w++) cur->mask[w] |= p->mask[w];
      *p = g->parked[--g->nparked];
      joined = true;
    } else {
      i++;
    }
  }
  if (joined) {
    sg_front_set(g);
    sg_front_refresh(g);
  }
  if (cur->count == g->live_count) return true;
  Front wait = {.pc = cur->pc, .group = cur->group, .state = F_WARP};
  const uint32_t row = in->s[in->imm];
  bool any = false;
  for (uint32_t i = cur->first; i < cur->end; i++) {
    if (!g->fm[i]) continue;
    const uint32_t word = i / 64, shift = i & 32;
    const uint32_t here = (uint32_t)(cur->mask[word] >> shift), live = (uint32_t)(g->live[word] >> shift);
    if (LANE(uint32_t, row, i) & live & ~here) {
      wait.mask[word] |= (uint64_t)1 << (i % 64);
      any = true;
    }
  }
  if (!any) return true;
  sg_front_remove(g, &wait);
  g->run->isa->measure(&wait, g->nl);
  sg_front_park(g, &wait);
  return cur->count != 0;
}

/* __syncwarp() in both arms of a branch: lanes meet there though they stand at different places. Tried when
 * nothing else can run, for then whoever else would come to one of these places has come. */
bool sg_warps_meet(Gang *g) {
  uint8_t out[MAX_LANES] = {0}; /* no more fronts than lanes */
  uint64_t at[sizeof g->cur.mask / sizeof *g->cur.mask];
  for (bool changed = true; changed;) {
    changed = false;
    memset(at, 0, sizeof at);
    for (uint32_t i = 0; i < g->nparked; i++) {
      const Front *f = &g->parked[i];
      if (f->state != F_WARP || g->kernel->code[f->pc].op != OP_warpsync) out[i] = 1;
      for (uint32_t w = 0; !out[i] && w < g->words; w++) at[w] |= f->mask[w];
    }
    for (uint32_t i = 0; i < g->nparked; i++) {
      const Front *f = &g->parked[i];
      if (out[i]) continue;
      const Ins *in = &g->kernel->code[f->pc];
      for (uint32_t l = f->first; l < f->end && !out[i]; l++) {
        if (!(f->mask[l / 64] >> (l % 64) & 1)) continue;
        const uint64_t missing = g->live[l / 64] & ~at[l / 64];
        if (LANE(uint32_t, in->s[in->imm], l) & (uint32_t)(missing >> (l & 32))) out[i] = 1, changed = true;
      }
    }
  }
  bool any = false;
  for (uint32_t i = 0; i < g->nparked; i++) {
    if (out[i]) continue;
    if (g->check) sg_check_warps_meet(g, &g->parked[i]);
    g->parked[i].state = F_RUN;
    g->parked[i].pc++;
    any = true;
  }
  if (any) sg_front_refresh(g);
  return any;
}
