/* Races: two accesses of a word, one of them a store, by threads that nothing puts in order.
 *
 * What orders threads: barriers of the block, for the threads that come to them; synchronising operations of
 * a warp, for its lanes; and a fence in one thread (or a release), seen by another thread in an atomic
 * operation or a volatile load (or an acquire) after it. Whether that one read what was written behind the
 * fence is not followed up. */
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <stdlib.h>
#include <string.h>

typedef struct Turn {
  uint32_t time; /* from then on a block was running */
  uint64_t block;
} Turn;

/* Times of one block's releases, least first. */
typedef struct Releases {
  uint64_t block;
  uint32_t *time, n, room;
  uint32_t forgotten; /* there were releases up to then */
} Releases;

enum { RELEASES = 8192 }; /* that are remembered of a block */

struct CheckRun {
  bool lost; /* no memory, or no times left: races are not looked for any more */
  uint32_t base;
  Gang *last;
  Turn *turn;
  size_t turns, turn_room;
  Releases *table; /* by a hash of the block */
  size_t blocks, table_room;
};

/* The last time that was given out. Kernels run one at a time. */
static uint32_t times;
uint32_t sg_race_generation;

static void forget(SgAlloc *a, void *arg) {
  (void)arg;
  free(a->track);
  a->track = NULL;
}

bool sg_check_run_begin(Run *run) {
  CheckRun *r = calloc(1, sizeof *r);
  if (!r) return false;
  if (times > TIME_MOST / 2) {
    sg_arena_each(0, forget, NULL);
    times = 0;
    sg_race_generation++;
  }
  r->base = times + 1;
  run->check = r;
  return true;
}

void sg_check_run_end(Run *run) {
  CheckRun *r = run->check;
  if (!r) return;
  for (size_t i = 0; i < r->table_room; i++) free(r->table[i].time);
  free(r->table);
  free(r->turn);
  free(r);
  run->check = NULL;
}

bool sg_race_lost(const Run *run) { return run->check->lost; }
uint32_t sg_race_base(const Run *run) { return run->check->base; }

uint32_t sg_race_tick(Gang *g) {
  if (times < TIME_MOST)
    g->check->now = ++times;
  else
    g->run->check->lost = true;
  return g->check->now;
}

static uint64_t linear(const Gang *g) {
  const uint32_t *grid = g->run->launch->grid;
  return g->ctaid[0] + (uint64_t)grid[0] * (g->ctaid[1] + (uint64_t)grid[1] * g->ctaid[2]);
}

void sg_race_turn(Gang *g) {
  CheckRun *r = g->run->check;
  Check *c = g->check;
  const uint64_t block = linear(g);
  if (r->last == g && r->turns && r->turn[r->turns - 1].block == block) return;
  r->last = g;
  sg_race_tick(g);
  if (r->turns == r->turn_room) {
    const size_t room = r->turn_room ? r->turn_room * 2 : 64;
    Turn *t = realloc(r->turn, room * sizeof *t);
    if (!t) {
      r->lost = true;
      return;
    }
    r->turn = t;
    r->turn_room = room;
  }
  r->turn[r->turns++] = (Turn){c->now, block};
  c->interleaved = c->first != 0;
  c->first = c->now;
}

/* Whose time it is. */
static uint64_t block_at(const CheckRun *r, uint32_t time) {
  size_t lo = 0, hi = r->turns;
  while (hi - lo > 1) {
    const size_t mid = (lo + hi) / 2;
    if (r->turn[mid].time <= time)
      lo = mid;
    else
      hi = mid;
  }
  return r->turn[lo].block;
}

/* --- releases --- */

static Releases *releases_of(CheckRun *r, uint64_t block, bool make) {
  if (make && (r->blocks + 1) * 2 > r->table_room) {
    const size_t room = r->table_room ? r->table_room * 2 : 64;
    Releases *table = calloc(room, sizeof *table);
    if (!table) return NULL;
    for (size_t i = 0; i < r->table_room; i++) {
      if (!r->table[i].time) continue;
      size_t k = r->table[i].block * 0x9e3779b97f4a7c15u >> 20 & (room - 1);
      while (table[k].time) k = (k + 1) & (room - 1);
      table[k] = r->table[i];
    }
    free(r->table);
    r->table = table;
    r->table_room = room;
  }
  if (!r->table_room) return NULL;
  size_t k = block * 0x9e3779b97f4a7c15u >> 20 & (r->table_room - 1);
  while (r->table[k].time && r->table[k].block != block) k = (k + 1) & (r->table_room - 1);
  if (r->table[k].time) return &r->table[k];
  if (!make || !(r->table[k].time = malloc(4 * sizeof *r->table[k].time))) return NULL;
  r->table[k].room = 4;
  r->table[k].block = block;
  r->blocks++;
  return &r->table[k];
}

static void note_release(Gang *g) {
  CheckRun *r = g->run->check;
  Releases *s = releases_of(r, linear(g), true);
  const uint32_t now = g->check->now;
  if (s && s->n && s->time[s->n - 1] == now) return;
  if (s && s->n == RELEASES) {
    s->forgotten = s->time[RELEASES / 2 - 1];
    s->n -= RELEASES / 2;
    memmove(s->time, s->time + RELEASES / 2, s->n * sizeof *s->time);
  }
  if (s && s->n == s->room) {
    const uint32_t room = s->room ? s->room * 2 : 4;
    uint32_t *t = realloc(s->time, room * sizeof *t);
    if (!t) s = NULL;
    if (s) s->time = t, s->room = room;
  }
  if (s)
    s->time[s->n++] = now;
  else
    r->lost = true;
}

/* Has the block released what it did at `time`, so that somebody who acquired at `upto` knows it? */
static bool released(CheckRun *r, uint64_t block, uint32_t time, uint32_t upto) {
  const Releases *s = releases_of(r, block, false);
  if (!s) return false;
  if (time <= s->forgotten) return true;
  size_t lo = 0, hi = s->n;
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    if (s->time[mid] < time)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < s->n && s->time[lo] <= upto;
}

static uint32_t warps_of(const Gang *g, const uint64_t *mask) {
  uint32_t warps = 0;
  for (uint32_t w = 0; w < g->words; w++) {
    if ((uint32_t)mask[w]) warps |= (uint32_t)1 << (2 * w);
    if (mask[w] >> 32) warps |= (uint32_t)1 << (2 * w + 1);
  }
  return warps;
}

void sg_race_fence(Gang *g, bool release, bool acquire, bool block) {
  Check *c = g->check;
  const uint32_t warps = warps_of(g, g->cur.mask), count = (g->threads + SG_WARP - 1) / SG_WARP;
  if (acquire) {
    for (uint32_t w = 0; w < count; w++)
      for (uint32_t u = 0; warps >> w & 1 && u < count; u++)
        if (c->known[w][u] < c->released[u]) c->known[w][u] = c->released[u];
    if (!block) c->acquired = times;
  }
  if (!release) return;
  for (uint32_t w = 0; w < count; w++)
    if (warps >> w & 1) c->released[w] = c->now;
  if (!block) note_release(g);
  sg_race_tick(g);
}

/* --- barriers and warps --- */

void sg_race_arrive(Gang *g, const Front *f, uint32_t id) { g->check->arrived[id] |= warps_of(g, f->mask); }

void sg_race_open(Gang *g, uint32_t id) {
  Check *c = g->check;
  const uint32_t met = c->arrived[id], now = c->now, count = (g->threads + SG_WARP - 1) / SG_WARP;
  uint32_t live = 0;
  c->arrived[id] = 0;
  live = warps_of(g, g->live);
  sg_race_tick(g);
  if ((met & live) == live) { /* of a part of a warp, too */
    c->sync = c->now;
    c->noted.rows = 0;
    c->noted.storing = c->npending > 0;
    return;
  }
  uint32_t all[WARPS] = {0};
  for (uint32_t w = 0; w < count; w++)
    for (uint32_t u = 0; met >> w & 1 && u < count; u++)
      if (all[u] < c->known[w][u]) all[u] = c->known[w][u];
  for (uint32_t u = 0; u < count; u++)
    if (met >> u & 1) all[u] = now;
  for (uint32_t w = 0; w < count; w++) {
    if (!(met >> w & 1)) continue;
    memcpy(c->known[w], all, sizeof all);
    c->warp_sync[w] = now;
  }
}

void sg_race_warps(Gang *g, const uint64_t *mask) {
  Check *c = g->check;
  const uint32_t warps = warps_of(g, mask);
  for (uint32_t w = 0; w < WARPS; w++)
    if (warps >> w & 1) c->warp_sync[w] = c->now;
  sg_race_tick(g);
}

/* --- asynchronous copies --- */

void sg_race_copied(Gang *g, uint64_t at, uint32_t lane) {
  Check *c = g->check;
  if (c->npending == c->pending_room) {
    const uint32_t room = c->pending_room ? 2 * c->pending_room : 256;
    Pending *p = realloc(c->pending, room * sizeof *p);
    if (!p) {
      g->run->check->lost = true;
      return;
    }
    c->pending = p;
    c->pending_room = room;
  }
  c->pending[c->npending++] = (Pending){(uint32_t)at, lane, c->groups[lane]};
  c->shared.wtime[at] = TIME_PENDING;
}

void sg_race_forget_copies(Gang *g) {
  Check *c = g->check;
  for (uint32_t i = 0; i < c->npending; i++) {
    uint32_t *time = &c->shared.wtime[c->pending[i].at];
    if (*time == TIME_PENDING) *time = 0;
  }
  c->npending = 0;
  if (c->grouped) memset(c->groups, 0, sizeof c->groups);
  c->grouped = false;
}

#define EACH_ACTIVE(i)                                                                                       \
  for (uint32_t i = g->lo; i < g->lo + g->n; i++)                                                            \
    if (g->m[i])

void sg_race_commit(Gang *g) {
  EACH_ACTIVE(i) g->check->groups[i]++;
  g->check->grouped = true;
}

void sg_race_wait(Gang *g, uint32_t left) {
  Check *c = g->check;
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->npending; i++) {
    const Pending *p = &c->pending[i];
    const bool here = p->lane >= g->lo && p->lane < g->lo + g->n && g->m[p->lane];
    const bool done = here && (left == NO_ROW || (uint64_t)p->group + left < c->groups[p->lane]);
    if (!done) {
      c->pending[n++] = *p;
    } else if (c->shared.wtime[p->at] == TIME_PENDING &&
               sg_detail_lane(c->shared.wdetail[p->at]) == p->lane) {
      c->shared.wtime[p->at] = c->now;
    }
  }
  c->npending = n;
}

/* --- one access --- */

/* What threads of warp u did at `time`, for warp w of the same block. */
static bool known(const Check *c, uint32_t w, uint32_t u, uint32_t time) {
  return time < c->sync || time <= c->known[w][u] || (u == w && time <= c->warp_sync[w]);
}

static void conflict(Gang *g, const Access *a, Other other, uint32_t detail) {
  other.pc = other.many || detail >> DETAIL_PC == DETAIL_PC_MOST ? NO_ROW : detail >> DETAIL_PC;
  other.lane = sg_detail_lane(detail);
  other.warps = other.many ? detail : 0;
  if (other.pc != NO_ROW) {
    const Ins *in = &g->kernel->code[other.pc];
    other.store = (in->flags & INS_STORE) != 0;
    other.atomic = (in->flags & INS_ATOM) != 0;
  }
  g->trouble.other = other;
  sg_check_raise(g, a->in, a->lane, CHECK_RACE);
}

static bool is_cas(const Ins *in) {
  return in->op == OP_atom_cas_h || in->op == OP_atom_cas_w || in->op == OP_atom_cas_x ||
         in->op == OP_atom_cas_q;
}

/* A plain load and a compare-and-swap: so begins every loop of the latter, and if the value is an old one, it
 * goes round once more. */
static bool swapped(const Gang *g, uint32_t detail) {
  return detail >> DETAIL_PC != DETAIL_PC_MOST && is_cas(&g->kernel->code[detail >> DETAIL_PC]);
}

bool sg_race(Gang *g, const Access *a, bool silent) {
  const Check *c = g->check;
  CheckRun *r = g->run->check;
  const uint32_t w = a->lane / SG_WARP, base = a->global ? r->base : 1;
  const uint64_t here = linear(g);
  const uint32_t wt = a->track->wtime[a->at], wd = a->track->wdetail[a->at];
  const bool both_strong = a->in->traits & TRAIT_STRONG && wd >> DETAIL_STRONG & 1;
  const bool fetched = !a->store && wt >= base && swapped(g, wd);
  if (wt == TIME_PENDING && wd & a->bytes) {
    conflict(g, a, (Other){.store = true, .pending = true, .block = here}, wd);
    return false;
  }
  if (wt >= base && wd & a->bytes && !both_strong && !fetched && !(silent && !a->load)) {
    const uint64_t block = a->global ? block_at(r, wt) : here;
    const uint32_t lane = sg_detail_lane(wd);
    const bool fine = block == here ? lane == a->lane || known(c, w, lane / SG_WARP, wt)
                                    : released(r, block, wt, c->acquired);
    if (!fine) {
      conflict(g, a, (Other){.store = true, .block = block}, wd);
      return false;
    }
  }
  const uint32_t was = a->track->rtime[a->at], rd = a->track->rdetail[a->at], rt = was & TIME_MASK;
  if (!a->store || silent || rt < base || is_cas(a->in)) return true;
  const uint64_t block = a->global ? block_at(r, rt) : here;
  bool fine;
  if (block != here || was & TIME_BLOCKS) {
    fine = rt <= c->acquired;
  } else if (was & TIME_MANY) {
    fine = true;
    for (uint32_t u = 0; u < WARPS; u++) fine &= !(rd >> u & 1) || known(c, w, u, rt);
  } else {
    const uint32_t lane = sg_detail_lane(rd);
    fine = !(rd & a->bytes) || lane == a->lane || known(c, w, lane / SG_WARP, rt);
  }
  if (!fine)
    conflict(g, a,
             (Other){.many = (was & TIME_MANY) != 0, .blocks = (was & TIME_BLOCKS) != 0, .block = block}, rd);
  return fine;
}

void sg_race_note(Gang *g, const Access *a) {
  const Check *c = g->check;
  CheckRun *r = g->run->check;
  const uint32_t detail =
      sg_detail((uint32_t)(a->in - g->kernel->code), a->in->traits & TRAIT_STRONG, a->lane, a->bytes);
  const Track *t = a->track;
  if (a->store) {
    t->wtime[a->at] = c->now;
    t->wdetail[a->at] = detail;
    t->rtime[a->at] = 0;
    return;
  }
  if (a->in->traits & TRAIT_STRONG) return;
  const uint32_t was = t->rtime[a->at], old = t->rdetail[a->at], time = was & TIME_MASK;
  const uint32_t base = a->global ? r->base : 1;
  const bool none = time < base;
  const bool here = !none && !(was & TIME_BLOCKS) && (!a->global || block_at(r, time) == linear(g));
  const bool over = none || (here ? time < c->sync : time <= c->acquired);
  const uint32_t lane = sg_detail_lane(old), warp = (uint32_t)1 << (a->lane / SG_WARP);
  if (over || (here && !(was & TIME_MANY) && (lane == a->lane || !(old & a->bytes)))) {
    t->rtime[a->at] = c->now;
    t->rdetail[a->at] = detail;
  } else {
    t->rtime[a->at] = c->now | TIME_MANY | (here ? 0 : TIME_BLOCKS);
    t->rdetail[a->at] = (was & TIME_MANY ? old : (uint32_t)1 << (lane / SG_WARP)) | warp;
  }
}
