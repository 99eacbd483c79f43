/* The checks of an instruction before it is executed: what memory it is about, which of its bytes were
 * written, and whether other threads are at it (race.c). Barriers and shuffles too. */
#include "check.h"
#include "builtin.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* --- the memory of a gang's checks --- */

void sg_check_detach(Gang *g) {
  Check *c = g->check;
  if (!c) return;
  free(c->shared_init);
  free(c->local_init);
  free(c->shared.wtime);
  free(c);
  g->check = NULL;
}

static void use_track(Track *t, void *memory, size_t words) {
  t->wtime = memory;
  t->wdetail = t->wtime + words;
  t->rtime = t->wdetail + words;
  t->rdetail = t->rtime + words;
}

bool sg_check_attach(Gang *g, const Run *run) {
  const unsigned on = run->checks;
  const size_t shared = g->shared_room / 4 + 1, local = (size_t)g->local_stride * g->nl / 4 + 1;
  Check *c = g->check;
  if (!c && !on) return true;
  if (!on || !c || c->on != on || c->generation != sg_race_generation || c->shared_words < shared ||
      c->local_words < local) {
    sg_check_detach(g);
    if (!on) return true;
    c = g->check = calloc(1, sizeof *c);
    if (!c) return false;
    c->on = on;
    c->generation = sg_race_generation;
    c->shared_words = shared;
    c->local_words = local;
  }
  if (on & SG_CHECK_UNINITIALISED && !c->shared_init) {
    c->shared_init = calloc(shared, 1);
    c->local_init = calloc(local, 1);
    if (!c->shared_init || !c->local_init) return false;
  }
  if (on & SG_CHECK_RACES && !c->shared.wtime) {
    void *p = calloc(shared, 4 * sizeof(uint32_t));
    if (!p) return false;
    use_track(&c->shared, p, shared);
  }
  return true;
}

void sg_check_begin_block(Gang *g) {
  Check *c = g->check;
  if (c->on & SG_CHECK_UNINITIALISED) {
    memset(c->shared_init, 0, c->shared_words);
    memset(c->local_init, 0, c->local_words);
  }
  memset(c->arrived, 0, sizeof c->arrived);
  c->first = c->acquired = 0;
  c->interleaved = false;
  if (!(c->on & SG_CHECK_RACES)) return;
  sg_race_turn(g);
  c->sync = c->now;
}

void sg_check_turn(Gang *g) {
  if (g->check->on & SG_CHECK_RACES) sg_race_turn(g);
}

/* --- faults --- */

/* The address that a lane gives, in the instruction's space. */
static uint64_t address(const Gang *g, const Ins *in, uint32_t lane) {
  const void *row = g->regs + (size_t)in->s[0] * g->nl;
  const uint64_t base = !in->plan                  ? 0
                        : (in->flags & INS_NARROW) ? ((const uint32_t *)row)[lane]
                                                   : ((const uint64_t *)row)[lane];
  return base + (uint64_t)in->imm + in->part;
}

void sg_check_raise(Gang *g, const Ins *in, uint32_t lane, CheckKind kind) {
  Trouble *t = &g->trouble;
  t->code = 719;
  t->check = kind;
  t->lane = lane;
  t->memory = true;
  t->address = address(g, in, lane);
  t->bytes = in->unit;
  t->store = (in->flags & INS_STORE) != 0;
  t->text[0] = 0;
}

/* --- what an access is about --- */

typedef struct Area {
  const uint8_t *base, *end;
  uint8_t *init; /* NULL: all of it was written */
  bool tracked, global;
  Track track;
} Area;

static bool make_track(SgAlloc *a, Track *t) {
  const size_t words = a->room / 4 + 2;
  if (!a->track) a->track = calloc(words, 4 * sizeof(uint32_t));
  if (a->track) use_track(t, a->track, words);
  return a->track != NULL;
}

static Area area_of(const Gang *g, const Ins *in, const uint8_t *p) {
  const Check *c = g->check;
  const bool races = (c->on & SG_CHECK_RACES) != 0;
  const uint32_t reserved = g->kernel->reserves ? RESERVED_SHARED : 0;
  const size_t local = (size_t)g->local_stride * g->nl;
  if ((uintptr_t)p - (uintptr_t)g->shared < g->shared_bytes - reserved)
    return (Area){.base = g->shared,
                  .end = g->shared + g->shared_bytes - reserved,
                  .init = c->shared_init,
                  .tracked = races,
                  .track = c->shared};
  if ((uintptr_t)p - (uintptr_t)g->local < local)
    return (Area){.base = g->local, .end = g->local + local, .init = c->local_init};
  if (in->sub != SP_GLOBAL && in->sub != SP_GENERIC) return (Area){.base = p, .end = p};
  const uint64_t at = (uint64_t)(uintptr_t)p;
  const AllocCache *cache = &g->caches[in->cache];
  SgAlloc *a = at - cache->base < cache->end - cache->base ? cache->alloc : sg_arena_reach(at);
  if (!a) return (Area){.base = p, .end = p}; /* parameters; the system's shared memory */
  Area area = {.base = (const uint8_t *)(uintptr_t)(a->base & ~(uint64_t)3),
               .end = (const uint8_t *)(uintptr_t)(a->base + a->size),
               .init = c->on & SG_CHECK_UNINITIALISED ? a->init : NULL,
               .global = true};
  area.tracked = races && !a->read_only && make_track(a, &area.track);
  return area;
}

static inline uint8_t *pointer(const Gang *g, const Spot *s, uint32_t lane) {
  return s->shape == SPOT_FLAT      ? s->p + (int64_t)lane * s->stride
         : s->shape == SPOT_OFFSETS ? s->p + s->off[lane]
                                    : g->ptrs[lane];
}

#define ACTIVE(i)                                                                                            \
  for (uint32_t i = g->lo; i < g->lo + g->n; i++)                                                            \
    if (g->m[i])

/* The bytes from the first of any lane of the front to the last. False: they lie here and there. */
static bool reach(const Gang *g, const Ins *in, const Spot *s, const uint8_t **from, uint64_t *bytes) {
  const Plan *pl = &g->plans[in->plan];
  if (s->shape == SPOT_POINTERS) return false;
  if (s->shape == SPOT_OFFSETS) {
    *from = s->p + pl->lo;
    *bytes = (uint64_t)(pl->hi - pl->lo) + in->unit;
    return true;
  }
  const uint8_t *a = pointer(g, s, g->cur.first), *b = pointer(g, s, g->cur.end - 1);
  *from = a < b ? a : b;
  *bytes = (uint64_t)(a < b ? b - a : a - b) + in->unit;
  return true;
}

/* --- memory that nobody wrote --- */

/* Libraries load ahead what they then do not use; their own memory is their own business. */
static bool is_library(const Gang *g, const Ins *in, const Area *a) {
  static const char *const parts[] = {"/cub/", "/thrust/", "/libcudacxx/", "/cuda/std/",
                                      "/cooperative_groups"};
  const Loc *loc = &g->kernel->locs[in - g->kernel->code];
  const SgModule *m = g->kernel->module;
  const char *file = loc->file && loc->file < m->nfiles ? m->files[loc->file] : NULL;
  for (size_t i = 0; file && !a->global && i < sizeof parts / sizeof *parts; i++)
    if (strstr(file, parts[i])) return true;
  return false;
}

static bool lane_written(const Area *a, const Ins *in, const uint8_t *p) {
  const uint64_t at = (uint64_t)(p - a->base);
  if (in->traits & TRAIT_COPIED && in->unit == 8) /* padding may be copied with what it pads */
    return sg_written_at(a->init, at, 4) || sg_written_at(a->init, at + 4, 4);
  return sg_written_at(a->init, at, in->unit);
}

static bool check_written(Gang *g, const Ins *in, const Spot *s, Area area) {
  const uint8_t *from;
  uint64_t bytes;
  const bool one = reach(g, in, s, &from, &bytes);
  if (one && (!area.init || (bytes <= 64 * (uint64_t)g->n * in->unit &&
                             sg_written_all(area.init, (uint64_t)(from - area.base), bytes))))
    return true;
  /* In local memory what is copied may well be a structure of which a part was written. */
  if (area.init && area.init == g->check->local_init && in->traits & TRAIT_COPIED) return true;
  ACTIVE(i) {
    const uint8_t *p = pointer(g, s, i);
    if (p < area.base || p >= area.end) area = area_of(g, in, p);
    if (!area.init || lane_written(&area, in, p) || is_library(g, in, &area)) continue;
    sg_check_raise(g, in, i, CHECK_UNWRITTEN);
    return false;
  }
  return true;
}

static void note_written(Gang *g, const Ins *in, const Spot *s, Area area) {
  const uint8_t *from;
  uint64_t bytes;
  const bool one = reach(g, in, s, &from, &bytes);
  if (one && !area.init) return;
  if (one && !g->masked && bytes == (uint64_t)g->n * in->unit) { /* a row without gaps */
    sg_write_at(area.init, (uint64_t)(from - area.base), bytes);
    return;
  }
  ACTIVE(i) {
    const uint8_t *p = pointer(g, s, i);
    if (p < area.base || p >= area.end) area = area_of(g, in, p);
    if (area.init) sg_write_at(area.init, (uint64_t)(p - area.base), in->unit);
  }
}

/* --- races --- */

/* Does the store leave memory as it is? */
static const uint8_t *stored(const Gang *g, const Ins *in, uint32_t lane) {
  static const uint8_t width[] = {1, 2, 4, 8, 2, 4, 8, 4, 8, 8}; /* of the register: st_b_b ... st_x_x */
  return (const uint8_t *)g->regs + (size_t)in->s[1] * g->nl + (size_t)lane * width[in->op - OP_st_b_b];
}

static Access access_of(const Ins *in, const Area *a) {
  return (Access){.in = in,
                  .track = &a->track,
                  .global = a->global,
                  .load = !(in->flags & INS_STORE) || (in->flags & INS_ATOM && in->op != OP_mbar_init),
                  .store = (in->flags & INS_STORE) != 0};
}

/* The words of a lane's element: f for each. */
#define WORDS(acc, a, in, p)                                                                                 \
  for (uint64_t at = (uint64_t)((p) - (a)->base), end = at + (in)->unit; at < end; at = (at | 3) + 1)        \
    if ((acc).at = at / 4,                                                                                   \
        (acc).bytes = ((in)->unit >= 4 ? 15u : ((1u << (in)->unit) - 1) << (at & 3)) & 15u, true)

/* All are looked at before any is noted: what one lane does must not hide what another did before. */
static bool lanes_check(Gang *g, const Ins *in, const Spot *s, Area a, uint32_t lo, uint32_t hi) {
  const bool plain = (in->flags & (INS_STORE | INS_ATOM)) == INS_STORE;
  for (uint32_t i = lo; i < hi; i++) {
    if (!g->m[i]) continue;
    const uint8_t *p = pointer(g, s, i);
    if (p < a.base || p >= a.end) a = area_of(g, in, p);
    if (!a.tracked) continue;
    Access acc = access_of(in, &a);
    acc.lane = i;
    const bool silent = plain && memcmp(p, stored(g, in, i), in->unit) == 0;
    WORDS(acc, &a, in, p) {
      if (!sg_race(g, &acc, silent)) return false;
      if (!acc.store) sg_race_note(g, &acc);
    }
  }
  if (!(in->flags & INS_STORE)) return true;
  for (uint32_t i = lo; i < hi; i++) {
    if (!g->m[i]) continue;
    const uint8_t *p = pointer(g, s, i);
    if (p < a.base || p >= a.end) a = area_of(g, in, p);
    if (!a.tracked) continue;
    Access acc = access_of(in, &a);
    acc.lane = i;
    WORDS(acc, &a, in, p) sg_race_note(g, &acc);
  }
  return true;
}

/* Lanes that store different values to one place with one instruction; all have been noted. */
static bool same_place(Gang *g, const Ins *in, const Spot *s, Area a) {
  ACTIVE(i) {
    const uint8_t *p = pointer(g, s, i);
    if (p < a.base || p >= a.end) a = area_of(g, in, p);
    if (!a.tracked) continue;
    const uint32_t other = sg_detail_lane(a.track.wdetail[(p - a.base) / 4]);
    if (other == i || !g->m[other] || pointer(g, s, other) != p) continue;
    if (in->traits & TRAIT_STRONG || memcmp(stored(g, in, i), stored(g, in, other), in->unit) == 0) continue;
    g->trouble.other = (Other){
        .store = true, .same = true, .pc = (uint32_t)(in - g->kernel->code), .lane = i, .block = UINT64_MAX};
    sg_check_raise(g, in, other, CHECK_RACE);
    return false;
  }
  return true;
}

/* Several lanes of one or more warps load one element. False: look closer. */
static bool together(Gang *g, const Ins *in, const Area *a, const uint8_t *p, uint32_t warps) {
  const Check *c = g->check;
  const uint32_t base = a->global ? sg_race_base(g->run) : c->sync, first = a->global ? c->first : c->sync;
  for (uint32_t w = 0; w < in->unit; w += 4) {
    const size_t at = (size_t)(p + w - a->base) / 4;
    const uint32_t wt = a->track.wtime[at], was = a->track.rtime[at], t = was & TIME_MASK;
    if (!(wt < base || (wt >= first && wt < c->sync))) return false;
    const bool here = t >= first && !(was & TIME_BLOCKS);
    const bool over = t < base || (here ? t < c->sync : t <= c->acquired);
    const uint32_t old = a->track.rdetail[at];
    a->track.rdetail[at] = warps | (over              ? 0
                                    : was & TIME_MANY ? old
                                                      : (uint32_t)1 << (sg_detail_lane(old) / 32));
    a->track.rtime[at] = c->now | TIME_MANY | (over || here ? 0 : TIME_BLOCKS);
  }
  return true;
}

static bool row(Gang *g, const Ins *in, const Area *a, const uint8_t *p, uint32_t lane, uint32_t lanes,
                const uint8_t *m) {
  const Check *c = g->check;
  const size_t at = (size_t)(p - a->base) / 4;
  const uint32_t pc = (uint32_t)(in - g->kernel->code);
  TrackRow r = {.t = {a->track.wtime + at, a->track.wdetail + at, a->track.rtime + at, a->track.rdetail + at},
                .m = m,
                .lanes = lanes,
                .lane = lane,
                .per = in->unit / 4,
                .base = a->global ? sg_race_base(g->run) : c->sync,
                .first = a->global ? c->first : c->sync,
                .sync = c->sync,
                .acquired = a->global ? c->acquired : 0,
                .now = c->now,
                .detail = sg_detail(pc, false, 0, 15)};
  return in->flags & INS_STORE ? g->run->isa->write_row(&r) : g->run->isa->read_row(&r);
}

static bool check_races(Gang *g, const Ins *in, const Spot *s, const Area *a) {
  const uint32_t lo = g->masked ? g->cur.first : g->lo, hi = g->masked ? g->cur.end : g->lo + g->n;
  const bool store = (in->flags & INS_STORE) != 0;
  const bool words = in->unit >= 4 && !(in->traits & TRAIT_STRONG) && !(a->global && g->check->interleaved);
  if (s->shape != SPOT_POINTERS && !a->tracked) return true;
  if (words && s->shape == SPOT_FLAT && s->stride == in->unit) {
    if (row(g, in, a, pointer(g, s, lo), lo, hi - lo, g->masked ? g->m + lo : NULL)) return true;
    return lanes_check(g, in, s, *a, lo, hi);
  }
  if (words && !store && s->shape == SPOT_FLAT && s->stride == 0) {
    uint32_t warps = 0, count = 0;
    for (uint32_t i = lo; i < hi; i += 32 - i % 32) {
      const uint32_t end = i + 32 - i % 32 < hi ? i + 32 - i % 32 : hi;
      uint32_t here = 0;
      for (uint32_t k = i; k < end; k++) here += g->m[k];
      if (here) warps |= (uint32_t)1 << (i / 32);
      count += here;
    }
    if (count > 1 && together(g, in, a, pointer(g, s, lo), warps)) return true;
  }
  if (words && s->shape == SPOT_OFFSETS && s->row_bytes == in->unit) {
    for (uint32_t b = lo & ~7u; b < hi; b += 8) {
      uint64_t all;
      memcpy(&all, g->m + b, 8);
      if (!all) continue;
      const bool full = all == 0x0101010101010101u && b >= lo && b + 8 <= hi;
      const uint8_t *p = s->p + s->off[b];
      if (full && s->cls[b / 8] == CLASS_ROW && row(g, in, a, p, b, 8, NULL)) continue;
      if (full && !store && s->cls[b / 8] == CLASS_BROADCAST && together(g, in, a, p, 1u << (b / 32)))
        continue;
      if (!lanes_check(g, in, s, *a, b > lo ? b : lo, b + 8 < hi ? b + 8 : hi)) return false;
    }
  } else if (!lanes_check(g, in, s, *a, lo, hi)) {
    return false;
  }
  return !store || in->flags & INS_ATOM || same_place(g, in, s, *a);
}

/* --- instructions --- */

/* Results of the device's functions, and fences. */
static bool check_special(Gang *g, const Ins *in) {
  const Check *c = g->check;
  if (in->op == OP_builtin && c->local_init) {
    const SgBuiltin *b = sg_builtin_at(in->target);
    const uint64_t result = (uint64_t)in->imm >> 32;
    ACTIVE(i) sg_write_at(c->local_init, (uint64_t)i * g->local_stride + result, b->result_bytes);
  }
  if (in->op == OP_fence && c->on & SG_CHECK_RACES)
    sg_race_fence(g, true, true, (in->traits & TRAIT_BLOCK) != 0);
  return true;
}

bool sg_check(Gang *g, const Ins *in) {
  const Check *c = g->check;
  Spot s;
  if (!in->unit) return check_special(g, in);
  if (!sg_resolve(g, in, &s)) return false;
  uint32_t lane = g->lo;
  while (!g->m[lane]) lane++;
  const Area a = area_of(g, in, pointer(g, &s, lane));
  const bool store = (in->flags & INS_STORE) != 0, atom = (in->flags & INS_ATOM) != 0;
  if (c->on & SG_CHECK_UNINITIALISED) {
    const bool load =
        (!store || atom) && in->op != OP_mbar_init && !(in->traits & (TRAIT_UNUSED | TRAIT_OWN | TRAIT_KEPT));
    if (load && !check_written(g, in, &s, a)) return false;
    if (store) note_written(g, in, &s, a);
  }
  if (!(c->on & SG_CHECK_RACES) || sg_race_lost(g->run)) return true;
  const bool acquire = atom ? (in->flags & INS_SPIN) != 0 : !store && in->traits & TRAIT_STRONG;
  if (acquire) sg_race_fence(g, false, true, false);
  if (!check_races(g, in, &s, &a)) return false;
  /* A release orders what was done before it; the access itself is strong. */
  if (in->traits & TRAIT_RELEASE) sg_race_fence(g, true, false, false);
  return true;
}

/* --- barriers, and operations of a warp --- */

void sg_check_arrive(Gang *g, const Front *f, uint32_t id) {
  if (g->check->on & SG_CHECK_RACES) sg_race_arrive(g, f, id);
}

/* Threads that meet at a barrier though they stand at different places: which a barrier of warps does not
 * allow inside one warp, and __syncthreads() nowhere in the block. */
static void check_places(Gang *g, const Front *f, uint32_t id) {
  const Ins *code = g->kernel->code;
  for (uint32_t i = 0; i <= g->nparked; i++) {
    const Front *a = i < g->nparked ? &g->parked[i] : f;
    if (!a) return;
    if (a != f && (a->state != F_BAR || a->bar != id)) continue;
    const Ins *in = &code[a->pc];
    if (!(in->traits & TRAIT_ALIGNED)) continue;
    for (uint32_t k = 0; k < i; k++) {
      const Front *b = &g->parked[k];
      if (b->state != F_BAR || b->bar != id || b->pc == a->pc) continue;
      uint32_t lane = NO_ROW;
      for (uint32_t w = 0; w < g->words && lane == NO_ROW; w++)
        for (uint32_t half = 0; half < 64 && lane == NO_ROW; half += 32) {
          const uint32_t x = (uint32_t)(a->mask[w] >> half), y = (uint32_t)(b->mask[w] >> half);
          if (x && y) lane = w * 64 + half + (uint32_t)__builtin_ctz(x);
        }
      const bool warp = lane != NO_ROW, whole = in->s[1] == NO_ROW;
      if (!warp && !whole) continue;
      if (!warp) lane = a->first;
      g->trouble.pc = a->pc;
      g->trouble.check = CHECK_BARRIER;
      g->trouble.other = (Other){.pc = b->pc, .lane = b->first, .block = UINT64_MAX};
      sg_raise(g, 719, lane, "threads of one %s wait for each other at different barriers",
               warp ? "warp" : "block");
      return;
    }
  }
}

void sg_check_open(Gang *g, const Front *f, uint32_t id) {
  if (g->check->on & SG_CHECK_BARRIERS) check_places(g, f, id);
  if (g->check->on & SG_CHECK_RACES) sg_race_open(g, id);
}

/* A lane that reads the register of one that is not here: whatever it gets. */
static bool check_shuffle(Gang *g, const Ins *in) {
  const uint32_t *row = (const uint32_t *)(const void *)(g->regs + (size_t)in->s[1] * g->nl);
  const uint32_t *limits = (const uint32_t *)(const void *)(g->regs + (size_t)in->s[2] * g->nl);
  for (uint32_t i = g->cur.first; i < g->cur.end; i++) {
    if (!g->fm[i]) continue;
    const int32_t lane = (int32_t)(i % 32), b = row[i] & 31, clamp = limits[i] & 31,
                  seg = limits[i] >> 8 & 31;
    const int32_t least = lane & seg, most = least | (clamp & ~seg);
    const int32_t from = in->op == OP_shfl_up     ? lane - b
                         : in->op == OP_shfl_down ? lane + b
                         : in->op == OP_shfl_bfly ? lane ^ b
                                                  : least | (b & ~seg);
    const bool within = in->op == OP_shfl_up ? from >= most : from <= most;
    const uint32_t other = (i & ~31u) + ((uint32_t)from & 31);
    if (!within || g->fm[other]) continue;
    g->trouble.check = CHECK_SHUFFLE;
    sg_raise(g, 719, i, "the shuffle reads the value of lane %u of the warp, which does not take part in it",
             other % 32);
    return false;
  }
  return true;
}

void sg_check_warps_meet(Gang *g, const Front *f) {
  if (g->check->on & SG_CHECK_RACES) sg_race_warps(g, f->mask);
}

bool sg_check_warp(Gang *g, const Ins *in) {
  const Check *c = g->check;
  if (c->on & SG_CHECK_RACES) sg_race_warps(g, g->cur.mask);
  if (!(c->on & SG_CHECK_SHUFFLES) || in->op < OP_shfl_up || in->op > OP_shfl_idx) return true;
  return check_shuffle(g, in);
}
