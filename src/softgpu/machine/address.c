/* Checks every access: alignment, the bounds of its space or allocation, and that it may be written.
 *
 * The common case is decided for all lanes at once from the base register's plan. When that fails, for the
 * plan also covers lanes that are off or reach into several allocations, each active lane is looked at. */
#include "machine/device_functions.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <stdarg.h>
#include <stdio.h>

void sg_raise(Gang *g, int code, uint32_t lane, const char *format, ...) {
  Trouble *t = &g->trouble;
  va_list ap;
  t->code = code;
  t->lane = lane;
  va_start(ap, format);
  vsnprintf(t->text, sizeof t->text, format, ap);
  va_end(ap);
}

static bool inside(uint64_t addr, uint64_t span, uint64_t size) {
  return addr <= size && span <= size - addr;
}

/* The allocation that holds [addr, addr + span), through the instruction's cache. */
static inline bool global_span(Gang *g, const Ins *in, uint64_t addr, uint64_t span) {
  AllocCache *c = &g->caches[in->cache];
  if (!(addr >= c->base && inside(addr - c->base, span, c->end - c->base))) {
    SgAlloc *a = sg_arena_reach(addr);
    if (!a || !inside(addr - a->base, span, sg_arena_bytes(a)) || !sg_open_to(g, a)) return false;
    c->alloc = a;
    c->base = a->base;
    c->end = a->base + sg_arena_bytes(a);
    c->writable = !a->read_only;
  }
  return c->writable || !(in->flags & INS_STORE);
}

/* Host address of lane 0's copy of [addr, addr + span) in a space, or NULL; *per_lane is the distance to the
 * next lane's copy. */
static inline uint8_t *locate(Gang *g, const Ins *in, uint64_t addr, uint64_t span, uint32_t *per_lane) {
  uint32_t space = in->sub;
  if (space == SP_GENERIC) {
    space = SP_GLOBAL;
    if (addr - g->run->shared_window < SG_WINDOW_BYTES) {
      space = SP_SHARED;
      addr -= g->run->shared_window;
    } else if (addr - g->run->local_window < PARAM_WINDOW) {
      space = SP_LOCAL;
      addr -= g->run->local_window;
    } else if (addr - g->run->local_window < SG_WINDOW_BYTES) {
      space = SP_PARAM;
      addr -= g->run->local_window + PARAM_WINDOW;
    }
  }
  *per_lane = 0;
  switch (space) {
  case SP_SHARED: return inside(addr, span, g->shared_bytes) ? g->shared + addr : NULL;
  case SP_LOCAL:
    *per_lane = g->local_stride;
    return inside(addr, span, g->local_bytes) ? g->local + addr : NULL;
  case SP_PARAM:
    if (in->flags & INS_STORE) return NULL;
    return inside(addr, span, g->param_bytes) ? (uint8_t *)(uintptr_t)g->params + addr : NULL;
  default: return global_span(g, in, addr, span) ? (uint8_t *)(uintptr_t)addr : NULL;
  }
}

/* Atomic operations on bytes and halves are made of loads and swaps of the word around them, of which the
 * last one of an allocation may lie in it only in part. */
static bool may_reach_out(const Ins *in) {
  return in->bytes == 4 && (in->flags & INS_ATOM || (in->traits & TRAIT_STRONG && !(in->flags & INS_STORE)));
}

static bool refuse(Gang *g, const Ins *in, int code, uint32_t lane, uint64_t addr) {
  Trouble *t = &g->trouble;
  t->code = code;
  t->lane = lane;
  t->memory = true;
  t->address = addr;
  t->bytes = in->bytes;
  t->store = (in->flags & INS_STORE) != 0;
  t->text[0] = 0;
  return false;
}

static bool lane_pointer(Gang *g, const Ins *in, uint32_t lane, uint64_t addr) {
  uint32_t per_lane;
  if (addr & (in->bytes - 1u)) return refuse(g, in, SG_MISALIGNED, lane, addr);
  uint8_t *p = locate(g, in, addr, in->bytes, &per_lane);
  if (!p && may_reach_out(in)) p = locate(g, in, addr, 1, &per_lane);
  if (!p) return refuse(g, in, SG_ILLEGAL_ADDRESS, lane, addr);
  g->ptrs[lane] = p + (size_t)per_lane * lane + in->part;
  return true;
}

void *sg_lane_memory(Gang *g, uint32_t lane, uint64_t address, uint64_t bytes, bool store) {
  const bool window =
      address - g->run->shared_window < SG_WINDOW_BYTES || address - g->run->local_window < SG_WINDOW_BYTES;
  if (window) {
    const Ins in = {.sub = SP_GENERIC, .flags = store ? INS_STORE : 0};
    uint32_t per_lane;
    uint8_t *p = locate(g, &in, address, bytes, &per_lane);
    return p ? p + (size_t)per_lane * lane : NULL;
  }
  const SgAlloc *a = sg_arena_reach(address);
  const bool open = a && inside(address - a->base, bytes, sg_arena_bytes(a)) && sg_open_to(g, a);
  return open && !(store && a->read_only) ? (void *)(uintptr_t)address : NULL;
}

static uint64_t lane_address(const Gang *g, const Ins *in, uint32_t lane) {
  const void *row = g->regs + (size_t)in->s[0] * g->nl;
  const uint64_t a = !in->plan                  ? 0
                     : (in->flags & INS_NARROW) ? ((const uint32_t *)row)[lane]
                                                : ((const uint64_t *)row)[lane];
  return a + (uint64_t)in->imm;
}

void sg_aligned(Gang *g, const Ins *in) {
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    const uint64_t a = g->m[i] ? lane_address(g, in, i) : 0;
    if (!(a & (in->bytes - 1u))) continue;
    refuse(g, in, SG_MISALIGNED, i, a);
    return;
  }
}

void sg_peek(Gang *g, const Ins *in, uint64_t *to) {
  enum { NOTHING = 0xA5 };
  for (uint32_t i = g->lo; i < g->lo + g->n; i++) {
    if (!g->m[i]) continue;
    const uint64_t a = lane_address(g, in, i);
    uint32_t per_lane;
    const uint8_t *p = locate(g, in, a, in->bytes, &per_lane);
    to[i] = 0;
    for (uint32_t k = 0; k < in->bytes; k++) {
      const uint8_t *byte = p ? p + k : locate(g, in, a + k, 1, &per_lane);
      to[i] |= (uint64_t)(byte ? byte[(size_t)per_lane * i] : NOTHING) << (8 * k);
    }
  }
}

bool sg_resolve_lanes(Gang *g, const Ins *in) {
  if (g->resolved) { /* by the checks, lane by lane */
    g->resolved = false;
    return true;
  }
  for (uint32_t i = g->lo; i < g->lo + g->n; i++)
    if (g->m[i] && !lane_pointer(g, in, i, lane_address(g, in, i))) return false;
  return true;
}

bool sg_resolve(Gang *g, const Ins *in, Spot *spot) {
  if (g->resolved) {
    g->resolved = false;
    *spot = g->spot;
    return true;
  }
  Plan *pl = &g->plans[in->plan];
  if (pl->serial != g->serial && pl->serial != PLAN_ALWAYS) g->run->isa->scan(g, in);
  const uint64_t base = pl->a0 + (uint64_t)in->imm;
  int64_t lo = pl->lo, hi = pl->hi;
  uint32_t per_lane;
  uint8_t *p = NULL;
  if (pl->shape == PLAN_REGULAR) {
    /* Of the lanes of the front alone: a plan that is always good covers all threads of the block. */
    const int64_t a = pl->stride * ((int64_t)g->cur.first - pl->first);
    const int64_t b = pl->stride * ((int64_t)g->cur.end - 1 - pl->first);
    lo = a < b ? a : b;
    hi = a < b ? b : a;
  }
  if (pl->shape != PLAN_WIDE && ((base | pl->low) & (in->bytes - 1u)) == 0)
    p = locate(g, in, base + (uint64_t)lo, (uint64_t)(hi - lo) + in->bytes, &per_lane);
  if (p && pl->shape == PLAN_REGULAR) {
    spot->shape = SPOT_FLAT;
    spot->stride = pl->stride + per_lane;
    /* By way of integers: lane 0 may lie outside of any object. */
    spot->p =
        (uint8_t *)((uintptr_t)p + in->part - (uintptr_t)lo - (uintptr_t)(pl->stride * (int64_t)pl->first));
    return true;
  }
  if (p && per_lane == 0) {
    spot->shape = SPOT_OFFSETS;
    spot->p = (uint8_t *)((uintptr_t)p + in->part - (uintptr_t)lo);
    spot->off = pl->off;
    spot->cls = pl->cls;
    spot->all = pl->all;
    spot->row_bytes = pl->row_bytes;
    return true;
  }
  spot->shape = SPOT_POINTERS;
  return sg_resolve_lanes(g, in);
}
