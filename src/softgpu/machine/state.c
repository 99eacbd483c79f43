/* The memory of a gang: register file, shared and local memory, plans, masks, in one piece. */
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static size_t take(size_t *at, size_t bytes) {
  const size_t here = *at;
  *at += (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  return here;
}

static uint32_t thread_count(const SgLaunch *l) { return l->block[0] * l->block[1] * l->block[2]; }
static size_t shared_size(const SgKernel *k, const SgLaunch *l) {
  const size_t bytes = (size_t)k->info.shared_bytes + l->dynamic_shared;
  return k->reserves ? ((bytes + 15) & ~(size_t)15) + RESERVED_SHARED : bytes;
}

/* Frames are less tightly packed than a compiler's: twice what is asked for is about as many calls. */
static uint32_t stack_size(const SgKernel *k, const SgLaunch *l) {
  return k->stacks ? 2 * ((l->stack_bytes ? l->stack_bytes : SG_STACK) + 15u) & ~15u : 0;
}

Gang *sg_gang_new(SgKernel *k, const SgLaunch *launch) {
  const uint32_t threads = thread_count(launch);
  const uint32_t nl = (threads + LANE_PAD - 1) & ~(LANE_PAD - 1u);
  const size_t shared = shared_size(k, launch);
  const uint32_t local_stride = ((k->info.local_bytes + 15u) & ~15u) + stack_size(k, launch);
  size_t at = 0;
  const size_t o_gang = take(&at, sizeof(Gang));
  const size_t o_regs = take(&at, (size_t)k->bytes_per_lane * nl);
  const size_t o_fm = take(&at, nl), o_pm = take(&at, nl);
  const size_t o_ptrs = take(&at, nl * sizeof(uint8_t *)), o_scratch = take(&at, nl * sizeof(uint64_t));
  const size_t o_plans = take(&at, k->nplans * sizeof(Plan));
  const size_t o_caches = take(&at, k->ncaches * sizeof(AllocCache));
  const size_t o_off = take(&at, (size_t)k->nplans * nl * sizeof(int32_t));
  const size_t o_cls = take(&at, (size_t)k->nplans * nl / 8);
  const size_t o_parked = take(&at, (nl + 1) * sizeof(Front));
  const size_t o_shared = take(&at, shared + ALIGN);
  const size_t o_local = take(&at, (size_t)local_stride * nl);
  char *memory = calloc(1, at + ALIGN);
  if (!memory) return NULL;
  char *base = (char *)(((uintptr_t)memory + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
  Gang *g = (Gang *)(void *)(base + o_gang);
  g->memory = memory;
  g->kernel = k;
  g->nl = nl;
  g->words = (nl + 63) / 64;
  g->bytes = at;
  g->regs = base + o_regs;
  g->fm = (uint8_t *)base + o_fm;
  g->pm = (uint8_t *)base + o_pm;
  g->ptrs = (uint8_t **)(void *)(base + o_ptrs);
  g->scratch = (uint8_t *)base + o_scratch;
  g->plans = (Plan *)(void *)(base + o_plans);
  g->caches = (AllocCache *)(void *)(base + o_caches);
  g->parked = (Front *)(void *)(base + o_parked);
  g->shared = (uint8_t *)base + o_shared;
  g->local = (uint8_t *)base + o_local;
  g->shared_room = shared;
  g->local_stride = local_stride;
  g->param_bytes = k->info.param_bytes;
  for (uint32_t i = 0; i < k->nplans; i++) {
    Plan *p = &g->plans[i];
    p->off = (int32_t *)(void *)(base + o_off) + (size_t)i * nl;
    p->cls = (uint8_t *)base + o_cls + (size_t)i * (nl / 8);
    p->invariant = k->plan_invariant[i];
  }
  g->plans[0].serial = PLAN_ALWAYS; /* absolute addresses: base 0 for all lanes */
  memset(g->shared, sg_arena_poison < 0 ? 0 : sg_arena_poison, shared);
  return g;
}

bool sg_gang_fits(const Gang *g, const SgLaunch *launch) {
  return g->nl >= thread_count(launch) && g->shared_room >= shared_size(g->kernel, launch) &&
         g->local_stride >= g->kernel->info.local_bytes + stack_size(g->kernel, launch);
}

void sg_gang_free(Gang *g) {
  if (!g) return;
  sg_check_detach(g);
  free(g->memory);
}

static uint64_t fill_value(const Gang *g, const Fill *f, uint32_t lane) {
  const SgLaunch *l = g->run->launch;
  const uint32_t x = l->block[0], y = l->block[1], w = lane % SG_WARP;
  switch (f->kind) {
  case FILL_CONST: return f->bits;
  case FILL_SHARED: return (uint32_t)f->bits;
  case FILL_TID_X: return lane % x;
  case FILL_TID_Y: return lane / x % y;
  case FILL_TID_Z: return lane / x / y;
  case FILL_NTID_X: return x;
  case FILL_NTID_Y: return y;
  case FILL_NTID_Z: return l->block[2];
  case FILL_NCTAID_X: return l->grid[0];
  case FILL_NCTAID_Y: return l->grid[1];
  case FILL_NCTAID_Z: return l->grid[2];
  case FILL_LANEID: return w;
  case FILL_WARPID: return lane / SG_WARP;
  case FILL_NWARPID: return MAX_LANES / SG_WARP;
  case FILL_LANEMASK_EQ: return (uint32_t)1 << w;
  case FILL_LANEMASK_LE: return UINT32_MAX >> (31 - w);
  case FILL_LANEMASK_LT: return ((uint32_t)1 << w) - 1;
  case FILL_LANEMASK_GE: return UINT32_MAX << w;
  case FILL_LANEMASK_GT: return ~(UINT32_MAX >> (31 - w));
  case FILL_SMID: return 0;
  case FILL_NSMID: return SG_SM_COUNT;
  case FILL_GRIDID: return g->run->grid_id;
  case FILL_DYNAMIC_SMEM: return l->dynamic_shared;
  case FILL_TOTAL_SMEM: return g->kernel->info.shared_bytes + l->dynamic_shared;
  case FILL_RESERVED_BEGIN: return g->shared_bytes - RESERVED_SHARED;
  case FILL_RESERVED_END: return g->shared_bytes;
  case FILL_ENVREG1: return (uint32_t)(g->run->workspace >> 32);
  case FILL_ENVREG2: return (uint32_t)g->run->workspace;
  case FILL_STACK_END: return g->local_bytes;
  case FILL_CTAID_X:
  case FILL_CTAID_Y:
  case FILL_CTAID_Z: break; /* per block */
  }
  return 0;
}

static bool same_in_every_launch(FillKind k) {
  return k <= FILL_NTID_Z || (k >= FILL_LANEID && k <= FILL_NSMID);
}
static bool same_in_every_lane(FillKind k) {
  return !(k >= FILL_TID_X && k <= FILL_TID_Z) && !(k >= FILL_LANEID && k <= FILL_LANEMASK_GT);
}

static void fill_row(Gang *g, const Fill *f) {
  char *row = g->regs + (size_t)f->row * g->nl;
  uint64_t v = 0;
  for (uint32_t i = 0; i < g->nl; i++) {
    if (i == 0 || !same_in_every_lane(f->kind)) v = fill_value(g, f, i);
    switch (f->width) {
    case 1: ((uint8_t *)row)[i] = (uint8_t)v; break;
    case 2: ((uint16_t *)(void *)row)[i] = (uint16_t)v; break;
    case 4: ((uint32_t *)(void *)row)[i] = (uint32_t)v; break;
    default: ((uint64_t *)(void *)row)[i] = v; break;
    }
  }
}

void sg_gang_begin_launch(Gang *g, Run *run) {
  const SgKernel *k = g->kernel;
  const SgLaunch *l = run->launch;
  const bool same_shape = memcmp(g->block, l->block, sizeof g->block) == 0;
  g->run = run;
  g->params = l->params;
  g->threads = thread_count(l);
  g->shared_bytes = (uint32_t)shared_size(k, l);
  g->local_bytes = k->info.local_bytes + stack_size(k, l);
  g->stack_limit = l->stack_bytes ? l->stack_bytes : SG_STACK;
  memcpy(g->block, l->block, sizeof g->block);
  for (uint32_t i = 0; i < k->nlaunch_fills; i++)
    if (!same_shape || !same_in_every_launch(k->fills[i].kind)) fill_row(g, &k->fills[i]);
  memset(g->caches, 0, k->ncaches * sizeof *g->caches);
  for (uint32_t i = 1; i < k->nplans; i++) g->plans[i].serial = 0;
  memset(&g->trouble, 0, sizeof g->trouble);
  g->resolved = false;
  g->whole = 0;
  g->masked = false;
  g->lo = 0;
  g->n = g->nl;
  g->m = g->fm;
  for (uint32_t i = 0; i < k->nprologue; i++) k->prologue[i].fn[0](g, &k->prologue[i]);
}
