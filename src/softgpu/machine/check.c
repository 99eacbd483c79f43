/* The checks of an instruction before it is executed: what memory it is about, which of its bytes were
 * written, and whether other threads are at it (race.c). Barriers and shuffles too. */
#include "machine/check.h"
#include "machine/device_functions.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <stdlib.h>
#include <string.h>

/* --- the memory of a gang's checks --- */

void sg_check_detach(Gang *g) {
  Check *c = g->check;
  if (!c) return;
  free(c->shared_init);
  free(c->local_init);
  free(c->shared.wtime);
  free(c->pending);
  sg_undefined_free(c->undefined);
  free(c);
  g->check = NULL;
  g->undefined = false;
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
    c->noted.row = c->room;
    c->noted.room = NOTED;
  }
  return true;
}

void sg_check_begin_block(Gang *g) {
  Check *c = g->check;
  if (c->on & SG_CHECK_UNINITIALISED) {
    memset(c->shared_init, 0, c->shared_words);
    memset(c->local_init, 0, c->local_words);
    c->shared_full = 0;
  }
  sg_undefined_forget(g);
  memset(c->arrived, 0, sizeof c->arrived);
  c->noted.rows = 0;
  c->noted.storing = false;
  c->first = c->acquired = 0;
  c->interleaved = false;
  if (!(c->on & SG_CHECK_RACES)) return;
  sg_race_forget_copies(g);
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
  t->code = SG_LAUNCH_FAILED;
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
  Noted *noted;
} Area;

/* NULL: no memory. */
static Tracked *make_track(const Gang *g, SgAlloc *a) {
  const size_t words = a->room / 4 + 2, rows = words / 128 + 16 < NOTED_MOST ? words / 128 + 16 : NOTED_MOST;
  const uint32_t base = sg_race_base(g->run);
  Tracked *t = a->track;
  if (!t) {
    t = a->track = calloc(1, sizeof *t + rows * sizeof *t->noted.row + words * 4 * sizeof(uint32_t));
    if (!t) return NULL;
    t->noted.row = (TrackRow *)(void *)(t + 1);
    t->noted.room = (uint32_t)rows;
    use_track(&t->t, t->noted.row + rows, words);
  }
  if (t->base != base) {
    t->base = base;
    t->noted.storing = false;
    t->noted.rows = 0;
  }
  return t;
}

/* Bytes of shared memory that are not the system's. */
static uint32_t program_shared(const Gang *g) {
  return g->shared_bytes - (g->kernel->reserves ? RESERVED_SHARED : 0);
}

static Area area_of(const Gang *g, const Ins *in, const uint8_t *p) {
  const Check *c = g->check;
  const uintptr_t at = (uintptr_t)p;
  const bool generic = in->sub == SP_GENERIC;
  if ((in->sub == SP_SHARED || generic) && at - (uintptr_t)g->shared < program_shared(g))
    return (Area){.base = g->shared,
                  .end = g->shared + program_shared(g),
                  .init = c->shared_init,
                  .tracked = (c->on & SG_CHECK_RACES) != 0,
                  .noted = &g->check->noted,
                  .track = c->shared};
  const size_t local = (size_t)g->local_stride * g->nl;
  if ((in->sub == SP_LOCAL || generic) && at - (uintptr_t)g->local < local)
    return (Area){.base = g->local, .end = g->local + local, .init = c->local_init};
  const Area nothing = {.base = p, .end = p}; /* parameters; the system's shared memory */
  if (in->sub != SP_GLOBAL && !generic) return nothing;
  const AllocCache *cache = &g->caches[in->cache];
  SgAlloc *a = at - cache->base < cache->end - cache->base ? cache->alloc : sg_arena_reach(at);
  if (!a) return nothing;
  Area area = {.base = (const uint8_t *)(uintptr_t)(a->base & ~(uint64_t)3),
               .end = (const uint8_t *)(uintptr_t)(a->base + sg_arena_bytes(a)),
               .init = c->on & SG_CHECK_UNINITIALISED ? a->init : NULL,
               .global = true};
  Tracked *t = c->on & SG_CHECK_RACES && !a->read_only ? make_track(g, a) : NULL;
  if (t) {
    area.tracked = true;
    area.noted = &t->noted;
    area.track = t->t;
  }
  return area;
}

/* The first active lane from i on; most of a masked range may be off. Masks have room for more lanes. */
static inline uint32_t next_active(const Gang *g, uint32_t i) {
  const uint32_t end = g->lo + g->n;
  for (uint64_t eight; i < end; i += 8) {
    memcpy(&eight, g->m + i, 8);
    if (eight) return i + (uint32_t)__builtin_ctzll(eight) / 8;
  }
  return end;
}

#define ACTIVE(i) for (uint32_t i = next_active(g, g->lo); i < g->lo + g->n; i = next_active(g, i + 1))

/* The bytes from the first of any lane of the front to the last. False: they lie here and there. */
static bool reach(const Gang *g, const Ins *in, const Spot *s, const uint8_t **from, uint64_t *bytes) {
  const Plan *pl = &g->plans[in->plan];
  if (s->shape == SPOT_POINTERS) return false;
  if (s->shape == SPOT_OFFSETS) {
    *from = s->p + pl->lo;
    *bytes = (uint64_t)(pl->hi - pl->lo) + in->unit;
    return true;
  }
  const uint8_t *a = sg_spot_pointer(g, s, g->cur.first), *b = sg_spot_pointer(g, s, g->cur.end - 1);
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

/* Whole words, wherever they are in one area: written from now on, or have they all been? */
static bool each_word(const Gang *g, const Ins *in, const Spot *s, const Area *area, bool write) {
  const uint32_t words = in->unit / 4;
  const uint8_t *m = g->masked ? g->m : NULL;
  if (s->shape == SPOT_POINTERS || (words != 1 && words != 2)) return false;
  const int64_t start = s->p - area->base, stride = s->shape == SPOT_FLAT ? s->stride : 0;
  const int32_t *off = s->shape == SPOT_FLAT ? NULL : s->off;
  uint32_t missing = 0;
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (m && !m[i]) continue;
    uint8_t *word = area->init + (start + (off ? off[i] : i * stride)) / 4;
    if (write)
      word[0] = word[words - 1] = 15;
    else
      missing |= !word[0] | !word[words - 1];
  }
  return !missing;
}

static bool check_written(Gang *g, const Ins *in, const Spot *s, Area area) {
  const uint8_t *from;
  uint64_t bytes;
  const bool one = reach(g, in, s, &from, &bytes);
  if (one && (!area.init || (bytes <= 64 * (uint64_t)g->n * in->unit &&
                             sg_written_all(area.init, (uint64_t)(from - area.base), bytes))))
    return true;
  if (one && area.init && each_word(g, in, s, &area, false)) return true;
  /* In local memory what is copied may well be a structure of which a part was written. */
  if (area.init && area.init == g->check->local_init && in->traits & TRAIT_COPIED) return true;
  ACTIVE(i) {
    const uint8_t *p = sg_spot_pointer(g, s, i);
    if (p < area.base || p >= area.end) area = area_of(g, in, p);
    if (!area.init || lane_written(&area, in, p) || is_library(g, in, &area)) continue;
    sg_check_raise(g, in, i, CHECK_UNWRITTEN);
    return false;
  }
  return true;
}

/* Lanes that store to one element after the other: all of it is written, for the other parts of a vector
 * follow at once. */
static bool is_row(const Gang *g, const Ins *in, const Spot *s) {
  const bool store = (in->flags & (INS_STORE | INS_ATOM)) == INS_STORE;
  return store && !g->masked && s->shape == SPOT_FLAT && (g->n == 1 || s->stride == in->bytes);
}

static void note_written(Gang *g, const Ins *in, const Spot *s, Area area) {
  const uint8_t *from;
  uint64_t bytes;
  const bool one = reach(g, in, s, &from, &bytes);
  if (one && !area.init) return;
  if (one && is_row(g, in, s)) {
    sg_write_at(area.init, (uint64_t)(from - area.base) - in->part, (uint64_t)g->n * in->bytes);
    return;
  }
  if (one && each_word(g, in, s, &area, true)) return;
  ACTIVE(i) {
    const uint8_t *p = sg_spot_pointer(g, s, i);
    if (p < area.base || p >= area.end) area = area_of(g, in, p);
    if (area.init) sg_write_at(area.init, (uint64_t)(p - area.base), in->unit);
  }
}

/* What is written from its beginning on needs no closer look. False: it may. */
static bool is_plainly_written(Gang *g, const Ins *in, const Spot *s) {
  Check *c = g->check;
  SgAlloc *a = in->sub == SP_GLOBAL ? g->caches[in->cache].alloc : NULL;
  const uint8_t *from, *base = a ? (const uint8_t *)(uintptr_t)a->base : g->shared;
  uint8_t *init = a ? a->init : c->shared_init;
  uint64_t bytes, *full = a ? &a->full : &c->shared_full;
  if (s->shape == SPOT_POINTERS || (in->sub != SP_SHARED && in->sub != SP_GLOBAL)) return false;
  if (!init) return true;
  reach(g, in, s, &from, &bytes);
  const uint64_t at = (uint64_t)(from - base);
  if (at + bytes <= *full) return true;
  if (!is_row(g, in, s)) return false;
  sg_write_row(init, full, at - in->part, (uint64_t)g->n * in->bytes);
  if (a && a->full >= a->size) sg_arena_all_written(a);
  return true;
}

/* Nothing to look at, where only the unwritten is looked for. */
static bool all_is_written(const Gang *g, const Ins *in) {
  const Check *c = g->check;
  if (c->on & (SG_CHECK_RACES | SG_CHECK_ARRAYS) || g->undefined) return false;
  if (in->sub == SP_SHARED) return c->shared_full >= program_shared(g);
  return in->sub == SP_GLOBAL && sg_arena_inits == 0;
}

/* --- variables of shared memory --- */

static bool check_object(Gang *g, const Ins *in, const Spot *s) {
  const uint32_t object = g->kernel->locs[in - g->kernel->code].object;
  if (!object) return true;
  const SgObjectAt *o = &g->kernel->objects[object - 1];
  const uint8_t *from;
  uint64_t bytes;
  if (reach(g, in, s, &from, &bytes) && from >= g->shared + o->at &&
      bytes <= (uint64_t)(g->shared + o->end - from))
    return true;
  ACTIVE(i) {
    const uint64_t at = (uintptr_t)sg_spot_pointer(g, s, i) - (uintptr_t)g->shared;
    if (at >= g->shared_bytes || (at >= o->at && at + in->unit <= o->end)) continue;
    sg_check_raise(g, in, i, CHECK_ARRAY);
    return false;
  }
  return true;
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
    const uint8_t *p = sg_spot_pointer(g, s, i);
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
    const uint8_t *p = sg_spot_pointer(g, s, i);
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
    const uint8_t *p = sg_spot_pointer(g, s, i);
    if (p < a.base || p >= a.end) a = area_of(g, in, p);
    if (!a.tracked) continue;
    const uint32_t other = sg_detail_lane(a.track.wdetail[(p - a.base) / 4]);
    if (other == i || !g->m[other] || sg_spot_pointer(g, s, other) != p) continue;
    if (in->traits & TRAIT_STRONG || memcmp(stored(g, in, i), stored(g, in, other), in->unit) == 0) continue;
    g->trouble.other = (Other){
        .store = true, .same = true, .pc = (uint32_t)(in - g->kernel->code), .lane = i, .block = UINT64_MAX};
    sg_check_raise(g, in, other, CHECK_RACE);
    return false;
  }
  return true;
}

/* Lanes lo to hi. False: addresses of a kind that the loops do not take. */
static bool row_of(const Gang *g, const Ins *in, const Spot *s, const Area *a, uint32_t lo, uint32_t hi,
                   TrackRow *r) {
  const Check *c = g->check;
  const uint32_t width = in->unit < 4 ? 1 : 4; /* what places are counted in */
  if (s->shape == SPOT_POINTERS || in->unit > 8 || in->traits & TRAIT_STRONG) return false;
  if (a->global && c->interleaved) return false;
  *r = (TrackRow){.t = a->track,
                  .lanes = hi - lo,
                  .lane = lo,
                  .m = g->masked ? g->m + lo : NULL,
                  .per = in->unit / 4,
                  .unit = in->unit,
                  .base = a->global ? sg_race_base(g->run) : c->sync,
                  .first = a->global ? c->first : c->sync,
                  .sync = c->sync,
                  .acquired = a->global ? c->acquired : 0,
                  .now = c->now,
                  .detail = sg_detail((uint32_t)(in - g->kernel->code), false, 0, 0)};
  if (s->shape == SPOT_FLAT) {
    r->at = (size_t)(sg_spot_pointer(g, s, lo) - a->base) / width;
    r->step = s->stride / width;
    return true;
  }
  const uint32_t from = lo & ~7u;
  if (from != lo) r->m = g->m + from;
  r->lane = from;
  r->lanes = hi - from;
  r->at = (size_t)(s->p - a->base) / width;
  r->off = s->off + from;
  r->cls = s->row_bytes == in->unit ? s->cls + from / 8 : NULL;
  return true;
}

static void catch_up(const Gang *g, Noted *n) {
  for (uint32_t i = 0; i < n->rows; i++) g->run->isa->read_row(&n->row[i]);
  n->rows = 0;
  n->storing = true;
}

/* True: it will be noted when that matters. */
static bool note_later(const Gang *g, const Ins *in, const Spot *s, const TrackRow *r, Noted *n) {
  /* What the row points to has to last. */
  const bool lasts = s->shape == SPOT_FLAT || g->plans[in->plan].serial == PLAN_ALWAYS;
  if (in->flags & INS_STORE || r->m || !lasts || n->rows == n->room) return false;
  n->row[n->rows++] = *r;
  return true;
}

static bool check_races(Gang *g, const Ins *in, const Spot *s, const Area *a) {
  const uint32_t lo = g->masked ? g->cur.first : g->lo, hi = g->masked ? g->cur.end : g->lo + g->n;
  const bool store = (in->flags & INS_STORE) != 0, atom = (in->flags & INS_ATOM) != 0;
  TrackRow r;
  if (s->shape == SPOT_POINTERS) { /* of any memory */
    ACTIVE(i) {
      const Area each = area_of(g, in, g->ptrs[i]);
      if (each.tracked && !each.noted->storing) catch_up(g, each.noted);
    }
  } else if (!a->tracked) {
    return true;
  }
  const bool rows = row_of(g, in, s, a, lo, hi, &r);
  if (s->shape != SPOT_POINTERS && !a->noted->storing) {
    if (rows && note_later(g, in, s, &r, a->noted)) return true;
    catch_up(g, a->noted);
  }
  if (rows && !store && g->run->isa->read_row(&r)) return true;
  if (rows && store && !atom && g->run->isa->store_row(&r)) {
    if (!g->run->isa->note_row(&r) && !same_place(g, in, s, *a)) return false;
  } else {
    if (!lanes_check(g, in, s, *a, lo, hi)) return false;
    if (store && !atom && !same_place(g, in, s, *a)) return false;
  }
  if (store && in->traits & TRAIT_ASYNC && a->tracked && !a->global) {
    Access acc;
    ACTIVE(i) WORDS(acc, a, in, sg_spot_pointer(g, s, i)) sg_race_copied(g, acc.at, i);
  }
  return true;
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
  if (in->op != OP_fence || !(c->on & SG_CHECK_RACES)) return true;
  switch (in->sub) {
  case FENCE_COMMIT: sg_race_commit(g); break;
  case FENCE_WAIT: sg_race_wait(g, (uint32_t)in->imm); break;
  default: sg_race_fence(g, true, true, (in->traits & TRAIT_BLOCK) != 0);
  }
  return true;
}

bool sg_check(Gang *g, const Ins *in) {
  const Check *c = g->check;
  Spot *s = &g->spot;
  g->resolved = false;
  if (!in->unit) return check_special(g, in);
  if (all_is_written(g, in)) return true;
  const bool atom = (in->flags & INS_ATOM) != 0, store = (in->flags & INS_STORE) != 0;
  const bool races = c->on & SG_CHECK_RACES && !sg_race_lost(g->run);
  const bool unwritten = (c->on & SG_CHECK_UNINITIALISED) != 0;
  if (atom) s->shape = SPOT_POINTERS;
  if (!(atom ? sg_resolve_lanes(g, in) : sg_resolve(g, in, s))) return false;
  if (c->on & SG_CHECK_ARRAYS && !check_object(g, in, s)) return false;
  if (g->undefined && !sg_undefined_access(g, in, s)) return false;
  const bool written = !unwritten || is_plainly_written(g, in, s);
  g->resolved = true; /* the handler need not look again */
  if (written && !races) return true;
  const Area a = area_of(g, in, sg_spot_pointer(g, s, next_active(g, g->lo)));
  if (!written) {
    const bool load =
        (!store || atom) && in->op != OP_mbar_init && !(in->traits & (TRAIT_UNUSED | TRAIT_OWN | TRAIT_KEPT));
    if (load && !check_written(g, in, s, a)) return false;
    if (store) note_written(g, in, s, a);
  }
  if (races) {
    const bool acquire = atom ? (in->flags & INS_SPIN) != 0 : !store && in->traits & TRAIT_STRONG;
    if (acquire) sg_race_fence(g, false, true, false);
    if (!check_races(g, in, s, &a)) return false;
    /* A release orders what was done before it; the access itself is strong. */
    if (in->traits & TRAIT_RELEASE) sg_race_fence(g, true, false, false);
  }
  return true;
}

/* --- images --- */

/* NULL: races are not looked for there. */
static Tracked *track_of(const Gang *g, SgAlloc *a) {
  const bool on = g->check->on & SG_CHECK_RACES && !sg_race_lost(g->run) && !a->read_only;
  Tracked *t = on ? make_track(g, a) : NULL;
  if (t && !t->noted.storing) catch_up(g, &t->noted);
  return t;
}

bool sg_check_stored(Gang *g, SgAlloc *a, uint64_t at, uint32_t bytes) {
  const Tracked *t = track_of(g, a);
  for (uint64_t w = at / 4; t && w * 4 < at + bytes; w++) {
    const uint64_t from = at > w * 4 ? at - w * 4 : 0, to = at + bytes - w * 4 < 4 ? at + bytes - w * 4 : 4;
    const uint32_t touched = (1u << to) - (1u << from);
    if (t->t.wtime[w] >= t->base && t->t.wdetail[w] & touched) return true;
  }
  return false;
}

bool sg_check_texels(Gang *g, const Ins *in, uint32_t lane, SgAlloc *a, uint64_t from, uint32_t bytes,
                     const void *stored) {
  const Tracked *t = track_of(g, a);
  const uint8_t *p = (const uint8_t *)(uintptr_t)a->base + from;
  if (g->check->on & SG_CHECK_UNINITIALISED && a->init) {
    if (!stored && !sg_written_at(a->init, from, bytes)) {
      g->trouble.check = CHECK_UNWRITTEN;
      return false;
    }
    if (stored) sg_write_at(a->init, from, bytes);
  }
  if (!t) return true;
  const Area area = {
      .base = (const uint8_t *)(uintptr_t)a->base, .tracked = true, .global = true, .track = t->t};
  const Ins each = {.unit = (uint8_t)bytes};
  Access acc = access_of(in, &area);
  const bool silent = stored && memcmp(p, stored, bytes) == 0;
  acc.lane = lane;
  WORDS(acc, &area, &each, p) {
    if (!sg_race(g, &acc, silent)) return false;
    sg_race_note(g, &acc);
  }
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
      sg_raise(g, SG_LAUNCH_FAILED, lane, "threads of one %s wait for each other at different barriers",
               warp ? "warp" : "block");
      return;
    }
  }
}

void sg_check_open(Gang *g, const Front *f, uint32_t id) {
  if (g->check->on & SG_CHECK_BARRIERS) check_places(g, f, id);
  if (g->check->on & SG_CHECK_RACES) sg_race_open(g, id);
}

void sg_check_warps_meet(Gang *g, const Front *f) {
  if (g->check->on & SG_CHECK_RACES) sg_race_warps(g, f->mask);
}

bool sg_check_warp(Gang *g, const Ins *in) {
  const Check *c = g->check;
  if (c->on & SG_CHECK_RACES) sg_race_warps(g, g->cur.mask);
  return !(c->on & SG_CHECK_SHUFFLES) || sg_undefined_warp(g, in);
}
