/* Values that a shuffle took from a lane that does not take part in it: CUDA leaves them undefined, and a
 * thread may throw them away. So they are followed, lane by lane, through registers, also those that calls
 * save, through shared and local memory and through further shuffles, until one counts: it decides a branch,
 * an address, who takes part in a warp's or a block's operation, it is stored to global memory, or one of the
 * device's functions (printf ...) takes it. That is reported, at the shuffle.
 *
 * Until a block's first such value nothing of this costs anything. */
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ORIGINS = 255 };

typedef struct Origin {
  uint32_t pc, lane, from; /* the shuffle; who read the value of whom */
} Origin;

/* Words of memory that hold such a value, a hash by address. */
typedef struct Word {
  uintptr_t at;      /* address / 4; 0: free */
  uint8_t origin[4]; /* by byte; 0: defined, or overwritten since */
} Word;

struct Undefined {
  uint8_t *rows; /* by row and lane: number of the origin, or 0 */
  uint8_t *some; /* by row: a lane has one */
  size_t nrows;
  uint32_t lanes;
  Origin origin[MOST_ORIGINS];
  uint32_t norigins;
  Word *words;
  size_t nwords, buckets;
};

void sg_undefined_free(Undefined *u) {
  if (!u) return;
  free(u->rows);
  free(u->some);
  free(u->words);
  free(u);
}

/* NULL: no memory, and the value passes for a defined one. */
static Undefined *begin(Gang *g) {
  Check *c = g->check;
  Undefined *u = c->undefined;
  const size_t rows = g->kernel->bytes_per_lane;
  if (u && (u->nrows < rows || u->lanes != g->nl)) {
    sg_undefined_free(u);
    c->undefined = u = NULL;
  }
  if (!u) {
    u = c->undefined = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->nrows = rows;
    u->lanes = g->nl;
    u->rows = calloc(rows + 1, g->nl);
    u->some = calloc(rows + 1, 1);
    if (!u->rows || !u->some) {
      sg_undefined_free(u);
      c->undefined = NULL;
      return NULL;
    }
  }
  g->undefined = true;
  return u;
}

void sg_undefined_forget(Gang *g) {
  Undefined *u = g->check->undefined;
  if (!g->undefined) return;
  g->undefined = false;
  for (size_t r = 0; r < u->nrows; r++)
    if (u->some[r]) memset(u->rows + r * u->lanes, 0, u->lanes);
  memset(u->some, 0, u->nrows);
  if (u->words) memset(u->words, 0, u->buckets * sizeof *u->words);
  u->nwords = u->norigins = 0;
}

static uint8_t *row_of(const Undefined *u, uint32_t row) { return u->rows + (size_t)row * u->lanes; }
static bool has_some(const Undefined *u, uint32_t row) { return row != NO_ROW && u->some[row]; }

static uint8_t of_lane(const Undefined *u, uint32_t row, uint32_t lane) {
  return has_some(u, row) ? row_of(u, row)[lane] : 0;
}

static void set(Undefined *u, uint32_t row, uint32_t lane, uint8_t origin) {
  row_of(u, row)[lane] = origin;
  u->some[row] |= origin != 0;
}

/* After a row was written. */
static void look_again(Undefined *u, uint32_t row) {
  if (!has_some(u, row)) return;
  const uint8_t *r = row_of(u, row);
  u->some[row] = r[0] || memcmp(r, r + 1, u->lanes - 1) != 0;
}

/* --- what counts --- */

static bool counts(Gang *g, uint32_t pc, uint32_t lane, uint8_t origin, const char *how) {
  const Origin *o = &g->check->undefined->origin[origin - 1];
  g->trouble.check = CHECK_SHUFFLE;
  g->trouble.other = (Other){.pc = pc, .lane = lane, .block = UINT64_MAX};
  sg_raise(g, SG_LAUNCH_FAILED, o->lane,
           "the shuffle reads the value of lane %u of the warp, which does not take part in it; the value %s",
           o->from % SG_WARP, how);
  g->trouble.pc = o->pc;
  return false;
}

/* Does an active lane have an undefined value in this row? False: it was reported. */
static bool is_defined(Gang *g, const Ins *in, uint32_t row, const char *how) {
  const Undefined *u = g->check->undefined;
  if (!has_some(u, row)) return true;
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    const uint8_t origin = g->m[i] ? row_of(u, row)[i] : 0;
    if (origin) return counts(g, (uint32_t)(in - g->kernel->code), i, origin, how);
  }
  return true;
}

/* --- registers --- */

static uint64_t bits_of(const Gang *g, uint32_t row, uint32_t lane, uint32_t width) {
  const char *r = g->regs + (size_t)row * g->nl + (size_t)lane * width;
  uint64_t v = 0;
  memcpy(&v, r, width);
  return v;
}

/* Does one operand alone tell the result, whatever the other one is? */
typedef struct Absorbing {
  uint32_t width; /* 0: none does */
  uint64_t value;
} Absorbing;

static Absorbing absorbing(const Ins *in) {
  switch (in->op) {
  case OP_and_p: return (Absorbing){1, 0};
  case OP_and_h: return (Absorbing){2, 0};
  case OP_and_w: return (Absorbing){4, 0};
  case OP_and_x: return (Absorbing){8, 0};
  case OP_or_p: return (Absorbing){1, 1};
  case OP_or_h: return (Absorbing){2, UINT16_MAX};
  case OP_or_w: return (Absorbing){4, UINT32_MAX};
  case OP_or_x: return (Absorbing){8, UINT64_MAX};
  default: return (Absorbing){0};
  }
}

static bool chooses(const Ins *in) {
  return in->op == OP_selp_h || in->op == OP_selp_w || in->op == OP_selp_x || in->op == OP_selp_p;
}

static uint8_t result(const Gang *g, const Ins *in, uint32_t lane, Absorbing absorbs) {
  const Undefined *u = g->check->undefined;
  uint8_t of[4];
  for (int k = 0; k < 4; k++) of[k] = of_lane(u, in->s[k], lane);
  if (chooses(in)) return of[2] ? of[2] : bits_of(g, in->s[2], lane, 1) ? of[0] : of[1];
  if (absorbs.width && !of[0] != !of[1]) {
    const uint32_t known = in->s[of[0] ? 1 : 0];
    if (bits_of(g, known, lane, absorbs.width) == absorbs.value) return 0;
  }
  return of[0] ? of[0] : of[1] ? of[1] : of[2] ? of[2] : of[3];
}

static bool concerns(const Undefined *u, const Ins *in) {
  bool some = has_some(u, in->d) || has_some(u, in->e);
  for (int k = 0; k < 4; k++) some |= has_some(u, in->s[k]);
  return some;
}

/* Whether the instruction was executed is not defined: neither is its result. */
bool sg_undefined_guard(Gang *g, const Ins *in) {
  Undefined *u = g->check->undefined;
  if (!has_some(u, in->pred)) return true;
  if (in->flags & INS_STORE) return is_defined(g, in, in->pred, "decides whether memory is written");
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    const uint8_t origin = g->m[i] ? row_of(u, in->pred)[i] : 0;
    if (origin && in->d != NO_ROW) set(u, in->d, i, origin);
    if (origin && in->e != NO_ROW) set(u, in->e, i, origin);
  }
  return true;
}

static bool barrier(Gang *g, const Ins *in) {
  Undefined *u = g->check->undefined;
  for (int k = 0; k < 4; k++)
    if (!is_defined(g, in, in->s[k], "decides a barrier")) return false;
  for (uint32_t i = g->lo; has_some(u, in->d) && i < g->lo + g->n; i++)
    if (g->m[i]) row_of(u, in->d)[i] = 0;
  return true;
}

bool sg_undefined_control(Gang *g, const Ins *in) {
  switch ((Kind)in->kind) {
  case K_BRA:
  case K_EXIT: return is_defined(g, in, in->pred, "decides a branch");
  case K_BRX: return is_defined(g, in, in->s[0], "decides a branch");
  case K_CALLX: return is_defined(g, in, in->s[0], "decides which function is called");
  case K_BAR: return barrier(g, in);
  default: return true;
  }
}

/* --- memory --- */

static Word *word_at(const Undefined *u, uintptr_t at) {
  size_t k = (at * 0x9e3779b97f4a7c15u) >> 20 & (u->buckets - 1);
  while (u->words[k].at && u->words[k].at != at) k = (k + 1) & (u->buckets - 1);
  return &u->words[k];
}

static bool make_room(Undefined *u) {
  if ((u->nwords + 1) * 2 <= u->buckets) return true;
  Undefined more = *u;
  more.buckets = u->buckets ? u->buckets * 2 : 256;
  more.words = calloc(more.buckets, sizeof *more.words);
  if (!more.words) return false;
  for (size_t i = 0; i < u->buckets; i++)
    if (u->words[i].at) *word_at(&more, u->words[i].at) = u->words[i];
  free(u->words);
  u->words = more.words;
  u->buckets = more.buckets;
  return true;
}

/* The bytes of one word that an access has. */
typedef struct Part {
  uintptr_t at;
  uint32_t first, bytes;
} Part;

static Part part_of(const uint8_t *p, size_t bytes) {
  const uint32_t first = (uintptr_t)p % 4;
  return (Part){(uintptr_t)p / 4, first, bytes < 4 - first ? (uint32_t)bytes : 4 - first};
}

static void store(Undefined *u, const uint8_t *p, size_t bytes, uint8_t origin) {
  for (Part part; bytes; p += part.bytes, bytes -= part.bytes) {
    part = part_of(p, bytes);
    if (!origin && !u->nwords) return;
    if (origin && !make_room(u)) return;
    Word *w = word_at(u, part.at);
    if (!origin && !w->at) continue;
    u->nwords += !w->at;
    w->at = part.at;
    memset(w->origin + part.first, origin, part.bytes);
  }
}

static uint8_t load(const Undefined *u, const uint8_t *p, size_t bytes) {
  for (Part part; u->nwords && bytes; p += part.bytes, bytes -= part.bytes) {
    part = part_of(p, bytes);
    const Word *w = word_at(u, part.at);
    for (uint32_t i = 0; i < part.bytes; i++)
      if (w->origin[part.first + i]) return w->origin[part.first + i];
  }
  return 0;
}

/* Shared memory and the threads' own. */
static bool is_followed(const Gang *g, const uint8_t *p) {
  return (uintptr_t)p - (uintptr_t)g->shared < g->shared_bytes ||
         (uintptr_t)p - (uintptr_t)g->local < (size_t)g->local_stride * g->nl;
}

bool sg_undefined_access(Gang *g, const Ins *in, const Spot *s) {
  Undefined *u = g->check->undefined;
  const uint32_t pc = (uint32_t)(in - g->kernel->code);
  const bool stores = (in->flags & INS_STORE) != 0, atom = (in->flags & INS_ATOM) != 0;
  if (!is_defined(g, in, in->s[0], "decides an address")) return false;
  if (!u->nwords && !concerns(u, in)) return true;
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    const uint8_t *p = sg_spot_pointer(g, s, i);
    const uint8_t was = stores && !atom ? 0 : load(u, p, in->unit);
    uint8_t value = 0;
    for (int k = 1; k < 4 && !value; k++) value = of_lane(u, in->s[k], i);
    if (stores && value && !is_followed(g, p)) return counts(g, pc, i, value, "is stored to global memory");
    if (stores) store(u, p, in->unit, value ? value : atom ? was : 0);
    if (in->d != NO_ROW) set(u, in->d, i, was);
  }
  look_again(u, in->d);
  return true;
}

bool sg_undefined_taken(Gang *g, uint32_t lane, const void *p, size_t bytes, const char *how) {
  const uint8_t origin = load(g->check->undefined, p, bytes);
  return !origin || counts(g, g->calling, lane, origin, how);
}

void sg_undefined_made(Gang *g, const void *p, size_t bytes) { store(g->check->undefined, p, bytes, 0); }

/* --- a step --- */

/* Registers that a call saves in the frame of list[0] bytes (exec_call.c), and gets back. */
static void frame(Gang *g, const Ins *in) {
  Undefined *u = g->check->undefined;
  const uint32_t *list = g->kernel->targets + in->target;
  const bool saves = in->op == OP_save;
  for (uint32_t k = 0; k < list[1]; k++) {
    const uint32_t row = list[2 + 3 * k], width = list[3 + 3 * k], offset = list[4 + 3 * k];
    for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
      if (!g->m[i]) continue;
      const uint64_t base = bits_of(g, in->d, i, 8) - (saves ? 0 : list[0]);
      const uint8_t *p = g->local + (size_t)i * g->local_stride + base + offset;
      if (saves)
        store(u, p, width, of_lane(u, row, i));
      else
        set(u, row, i, load(u, p, width));
    }
    look_again(u, row);
  }
}

void sg_undefined_step(Gang *g, const Ins *in) {
  Undefined *u = g->check->undefined;
  if (in->op == OP_save || in->op == OP_restore) {
    frame(g, in);
    return;
  }
  if (in->d == NO_ROW || !concerns(u, in)) return;
  const Absorbing absorbs = absorbing(in);
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    const uint8_t origin = in->kind == K_ALU ? result(g, in, i, absorbs) : 0;
    set(u, in->d, i, origin);
    if (in->e != NO_ROW) set(u, in->e, i, origin);
  }
  look_again(u, in->d);
  look_again(u, in->e);
}

/* --- warps --- */

static uint8_t origin_of(Undefined *u, uint32_t pc, uint32_t lane, uint32_t from) {
  for (uint32_t i = u->norigins; i-- > 0;)
    if (u->origin[i].pc == pc && u->origin[i].lane == lane && u->origin[i].from == from)
      return (uint8_t)(i + 1);
  if (u->norigins < MOST_ORIGINS) u->norigins++;
  u->origin[u->norigins - 1] = (Origin){pc, lane, from};
  return (uint8_t)u->norigins;
}

/* From which lane of the block lane i reads: itself, where its place is beyond its segment. */
static uint32_t source_of(const Gang *g, const Ins *in, uint32_t i) {
  const int32_t lane = (int32_t)(i % SG_WARP), b = (int32_t)bits_of(g, in->s[1], i, 4) & 31;
  const int32_t limits = (int32_t)bits_of(g, in->s[2], i, 4), clamp = limits & 31, seg = limits >> 8 & 31;
  const int32_t least = lane & seg, most = least | (clamp & ~seg);
  const int32_t from = in->op == OP_shfl_up     ? lane - b
                       : in->op == OP_shfl_down ? lane + b
                       : in->op == OP_shfl_bfly ? lane ^ b
                                                : least | (b & ~seg);
  const bool within = in->op == OP_shfl_up ? from >= most : from <= most;
  return within ? (i & ~31u) + ((uint32_t)from & 31) : i;
}

static void shuffle(Gang *g, const Ins *in) {
  Undefined *u = g->undefined ? g->check->undefined : NULL;
  uint8_t now[MAX_LANES];
  for (uint32_t i = g->cur.first; i < g->cur.end; i++) {
    if (!g->fm[i]) continue;
    const uint32_t from = source_of(g, in, i);
    now[i] = u ? of_lane(u, in->s[0], from) : 0;
    if (g->fm[from]) continue;
    if (!u && !(u = begin(g))) return;
    now[i] = origin_of(u, (uint32_t)(in - g->kernel->code), i, from);
  }
  if (!u) return;
  for (uint32_t i = g->cur.first; i < g->cur.end; i++) {
    if (!g->fm[i]) continue;
    set(u, in->d, i, now[i]);
    if (in->e != NO_ROW) set(u, in->e, i, 0);
  }
  look_again(u, in->d);
  look_again(u, in->e);
}

/* One undefined operand makes the results of all its warp undefined. */
static void together(Gang *g, const Ins *in) {
  Undefined *u = g->check->undefined;
  if (in->d == NO_ROW || !concerns(u, in)) return;
  for (uint32_t w = g->cur.first & ~31u; w < g->cur.end; w += 32) {
    uint8_t origin = 0;
    for (uint32_t i = w; i < w + 32 && !origin; i++) origin = g->fm[i] ? of_lane(u, in->s[0], i) : 0;
    for (uint32_t i = w; i < w + 32; i++) {
      if (!g->fm[i]) continue;
      set(u, in->d, i, origin);
      if (in->e != NO_ROW) set(u, in->e, i, origin);
    }
  }
  look_again(u, in->d);
  look_again(u, in->e);
}

bool sg_undefined_warp(Gang *g, const Ins *in) {
  const bool shuffles = in->op >= OP_shfl_up && in->op <= OP_shfl_idx;
  if (g->undefined) {
    for (int64_t k = shuffles ? 1 : in->imm; k <= in->imm; k++)
      if (!is_defined(g, in, in->s[k], "decides what a warp does")) return false;
    if (!shuffles) together(g, in);
  }
  if (shuffles) shuffle(g, in);
  return true;
}
