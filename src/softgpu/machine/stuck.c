/* Blocks that do not get on: where their threads stand, in words, and the proof that a block which waits for
 * memory waits for ever.
 *
 * A block whose threads all wait for each other needs no proof: nobody else can let them go. One that spins
 * is watched for a while: when it comes to a state in which it was before, and memory has not changed
 * meanwhile, it will do the same again, unless somebody else changes memory. sched.c watches all who could.
 */
#include "machine/device_functions.h"
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* --- words --- */

static bool has(const uint64_t *mask, uint32_t i) { return mask[i / 64] >> (i % 64) & 1; }

/* "thread 5", "threads 0-31, 40 and others" */
static void say_threads(Text *t, const Gang *g, const uint64_t *mask) {
  uint32_t count = 0, runs = 0;
  for (uint32_t w = 0; w < g->words; w++) count += (uint32_t)__builtin_popcountll(mask[w]);
  sg_text(t, count == 1 ? "thread" : "threads");
  for (uint32_t i = 0; i < g->threads; i++) {
    if (!has(mask, i)) continue;
    uint32_t end = i;
    while (end + 1 < g->threads && has(mask, end + 1)) end++;
    if (++runs > 5) {
      sg_text(t, " and others, %u in all", count);
      return;
    }
    sg_text(t, end > i ? "%s %u-%u" : "%s %u", runs > 1 ? "," : "", i, end);
    i = end;
  }
}

/* Those who were to come: alive, but not there. */
static bool missing_at_barrier(const Gang *g, uint32_t id, uint64_t *out) {
  bool any = false;
  memcpy(out, g->live, g->words * sizeof *out);
  for (uint32_t i = 0; i < g->nparked; i++) {
    const Front *f = &g->parked[i];
    if (f->state != F_BAR || f->bar != id) continue;
    for (uint32_t w = 0; w < g->words; w++) out[w] &= ~f->mask[w];
  }
  for (uint32_t w = 0; w < g->words; w++) any |= out[w] != 0;
  return any;
}

static void say_barrier(Text *t, const Gang *g, uint32_t id) {
  const Barrier *b = &g->barrier[id];
  const uint32_t wanted = b->expected ? b->expected : g->live_count, ended = g->threads - g->live_count;
  uint64_t out[MASK_WORDS];
  sg_text(t, " (%u of %u came", b->arrived, wanted);
  if (missing_at_barrier(g, id, out)) {
    sg_text(t, ", not ");
    say_threads(t, g, out);
  }
  if (wanted > g->threads)
    sg_text(t, ", and the block has no more than %u", g->threads);
  else if (b->expected && ended)
    sg_text(t, ", and %u ended", ended);
  sg_text(t, ")");
}

/* Whom lanes that wait in their warp wait for. */
static void say_lanes(Text *t, const Gang *g, const Front *f) {
  const Ins *in = &g->kernel->code[f->pc];
  const uint32_t *mask = (const uint32_t *)(const void *)(g->regs + (size_t)in->s[in->imm] * g->nl);
  uint64_t out[MASK_WORDS] = {0};
  for (uint32_t i = f->first; i < f->end; i++)
    if (has(f->mask, i)) out[i / 64] |= (uint64_t)mask[i] << (i & 32);
  for (uint32_t w = 0; w < g->words; w++) out[w] &= g->live[w] & ~f->mask[w];
  sg_text(t, " for lanes of their warp that never come: ");
  say_threads(t, g, out);
}

static void say_front(Text *t, const Gang *g, const Front *f) {
  char place[300];
  say_threads(t, g, f->mask);
  sg_place(g->kernel, f->pc, place, sizeof place);
  if (f->state == F_RUN) {
    sg_text(t, f->count == 1 ? " is at %s" : " are at %s", place);
    return;
  }
  sg_text(t, f->count == 1 ? " waits" : " wait");
  if (f->state == F_BAR) sg_text(t, " at barrier %u", f->bar);
  sg_text(t, " in %s", place);
  if (f->state == F_BAR)
    say_barrier(t, g, f->bar);
  else
    say_lanes(t, g, f);
}

static const Front *front_at(const Gang *g, uint32_t i) { return i < g->nparked ? &g->parked[i] : &g->cur; }

static bool together(const Front *x, const Front *y) {
  return x->pc == y->pc && x->state == y->state && (x->state != F_BAR || x->bar == y->bar);
}

/* The front of `lane` among the first n, with all that stand at the same place; false: there is none. */
static bool find_front(const Gang *g, uint32_t n, uint32_t lane, Front *out) {
  const Front *found = NULL;
  for (uint32_t i = 0; i < n && !found; i++)
    if (has(front_at(g, i)->mask, lane)) found = front_at(g, i);
  if (!found) return false;
  *out = *found;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t w = 0; together(front_at(g, i), found) && w < g->words; w++)
      out->mask[w] |= front_at(g, i)->mask[w];
  g->run->isa->measure(out, g->nl);
  return true;
}

/* Where the threads stand, in the order of the first ones; `cur` counts where it runs. */
static void say_fronts(Text *t, const Gang *g, bool running) {
  enum { REST = 160 };
  const uint32_t n = g->nparked + running;
  uint64_t said[MASK_WORDS] = {0};
  const char *between = "";
  Front f;
  for (uint32_t lane = 0; lane < g->threads; lane++) {
    if (has(said, lane) || !find_front(g, n, lane, &f)) continue;
    sg_text(t, "%s", between);
    if (t->room < REST) {
      sg_text(t, "and so on");
      break;
    }
    say_front(t, g, &f);
    for (uint32_t w = 0; w < g->words; w++) said[w] |= f.mask[w];
    between = "; ";
  }
  if (g->block[1] > 1 || g->block[2] > 1) sg_text(t, " (threads are counted along x, then y, then z)");
}

void sg_standing(const Gang *g, char *text, size_t room) {
  Text t = {text, room};
  *text = 0;
  say_fronts(&t, g, true);
}

void sg_deadlock(Gang *g) {
  char text[sizeof g->trouble.text - 1];
  Text t = {text, sizeof text};
  const Front *first = &g->parked[0];
  for (uint32_t i = 1; i < g->nparked; i++)
    if (g->parked[i].first < first->first) first = &g->parked[i];
  sg_text(&t, "deadlock: ");
  say_fronts(&t, g, false);
  g->trouble.pc = first->pc;
  sg_raise(g, SG_LAUNCH_FAILED, first->first, "%s", text);
}

/* --- the proof --- */

/* May somebody else change what lies there? The host and other processes may where they have the memory in
 * their own address space, and for a block of its own everybody. */
static bool is_open(const Gang *g, const uint8_t *p) {
  const SgAlloc *a = sg_arena_reach((uint64_t)(uintptr_t)p);
  if (!a) return false; /* shared, local ... */
  if (g->run->independent) return a->kind != SG_CONST;
  return a->exported || sg_is_pinned(a) || sg_is_managed(a) || a->kind == SG_IMPORTED;
}

static bool reads_open(const Gang *g, const Ins *in) {
  if (in->sub != SP_GLOBAL && in->sub != SP_GENERIC) return false;
  for (uint32_t i = g->lo; i < g->lo + g->n; i++)
    if (g->m[i] && is_open(g, g->ptrs[i])) return true;
  return false;
}

static void run_step(Gang *g, const Ins *in) {
  if (!g->check || sg_check(g, in)) in->fn[g->masked](g, in);
}

void sg_watch_step(Gang *g, const Ins *in) {
  const bool known = in->unit && in->unit <= 8 && !g->touched;
  g->used_memory |= in->unit != 0;
  if (!known) {
    g->touched |= in->op != OP_fence && in->op != OP_enter && in->op != OP_aligned;
    run_step(g, in);
    return;
  }
  if (!sg_resolve_lanes(g, in)) { /* it will be found again in a moment */
    memset(&g->trouble, 0, sizeof g->trouble);
    g->touched = true;
    run_step(g, in);
    return;
  }
  g->touched = reads_open(g, in);
  if (!(in->flags & INS_STORE)) {
    run_step(g, in);
    return;
  }
  uint8_t *at[MAX_LANES];
  uint64_t old[MAX_LANES];
  uint32_t n = 0;
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    at[n] = g->ptrs[i];
    old[n] = 0;
    memcpy(&old[n], at[n], in->unit);
    n++;
  }
  run_step(g, in);
  for (uint32_t i = 0; i < n && !g->touched; i++) g->touched = memcmp(&old[i], at[i], in->unit) != 0;
}

static uint64_t stir(uint64_t h, const void *p, size_t bytes) {
  const uint8_t *b = p;
  for (; bytes >= 8; bytes -= 8, b += 8) {
    uint64_t v;
    memcpy(&v, b, 8);
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  for (; bytes; bytes--, b++) h = (h ^ *b) * 0x100000001b3u;
  return h;
}

static uint64_t stir_front(uint64_t h, const Gang *g, const Front *f) {
  const uint32_t v[] = {f->pc, f->group, f->state, f->state == F_BAR ? f->bar : 0};
  return stir(stir(h, v, sizeof v), f->mask, g->words * sizeof *f->mask);
}

uint64_t sg_watch_state(const Gang *g) {
  uint64_t h = stir(1, g->regs, (size_t)g->kernel->bytes_per_lane * g->nl);
  h = stir_front(h, g, &g->cur);
  h = stir(h, g->barrier, sizeof g->barrier);
  if (g->others) h = stir(h, &g->edges, sizeof g->edges);
  /* They run in the order of their ages. */
  uint64_t sum = 0;
  for (uint32_t i = 0; i < g->nparked; i++) {
    uint64_t rank = 0;
    for (uint32_t k = 0; k < g->nparked; k++) rank += g->parked[k].age < g->parked[i].age;
    sum += stir_front(rank + 2, g, &g->parked[i]);
  }
  return stir(h, &sum, sizeof sum);
}
