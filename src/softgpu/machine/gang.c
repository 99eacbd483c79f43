/* Executes one thread block: one instruction for all lanes of the running front, then the next. */
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <inttypes.h>
#include <string.h>

enum {
  QUANTUM = 20000,     /* backward branches until another block gets its turn */
  SPIN_COST = 625,     /* ... a branch of a loop that waits for others counts as many */
  ROTATE_EDGES = 4096, /* backward branches until another front of the block gets its turn */
  OVERHEAD = 64        /* an instruction costs as much as so many threads, besides */
};

void sg_gang_begin_block(Gang *g, uint64_t linear) {
  const SgKernel *k = g->kernel;
  const uint32_t *grid = g->run->launch->grid;
  g->ctaid[0] = (uint32_t)(linear % grid[0]);
  g->ctaid[1] = (uint32_t)(linear / grid[0] % grid[1]);
  g->ctaid[2] = (uint32_t)(linear / grid[0] / grid[1]);
  for (uint32_t i = k->nlaunch_fills; i < k->nfills; i++) {
    const Fill *f = &k->fills[i];
    const uint32_t v = g->ctaid[f->kind - FILL_CTAID_X];
    g->run->isa->fill((uint32_t *)(void *)(g->regs + (size_t)f->row * g->nl), v, g->nl);
  }
  memset(g->barrier, 0, sizeof g->barrier);
  g->linear = linear;
  g->icount = 0;
  g->edges = 0;
  sg_gang_new_turn(g);
  sg_front_start(g, g->run->group_lanes);
}

void sg_gang_new_turn(Gang *g) { g->quantum = QUANTUM; }

typedef enum How { PLAIN, CHECKED, WATCHED, COUNTED } How;

/* Some value of the block is undefined, and followed. */
static inline __attribute__((always_inline)) bool follows(const Gang *g, How how) {
  return how != PLAIN && how != COUNTED && g->undefined;
}

/* The report of a value that counts is about the shuffle that it is from. */
static void blame(Gang *g, uint32_t pc) {
  if (g->trouble.check != CHECK_SHUFFLE) g->trouble.pc = pc;
}

/* One instruction, for the lanes that g->m has. */
static inline __attribute__((always_inline)) void execute(Gang *g, const Ins *in, How how) {
  if (follows(g, how) && !(in->kind == K_MEM && in->unit)) sg_undefined_step(g, in);
  if (how == WATCHED && in->kind == K_MEM)
    sg_watch_step(g, in);
  else if (how != CHECKED || in->kind != K_MEM || sg_check(g, in))
    in->fn[g->masked](g, in);
}

/* Which lanes of the front a guard lets through: their number; f gets the mask. */
static inline uint32_t guarded(Gang *g, const Ins *in, uint64_t *bits) {
  const uint8_t *p = (const uint8_t *)g->regs + (size_t)in->pred * g->nl;
  return g->run->isa->test(bits, &g->cur, p, (in->flags & INS_NEG) != 0, g->nl);
}

/* --- counting --- */

static uint32_t warps_of(const Gang *g, const uint64_t *mask) {
  uint32_t n = 0;
  for (uint32_t w = 0; w < g->words; w++) n += ((uint32_t)mask[w] ? 1u : 0u) + (mask[w] >> 32 ? 1u : 0u);
  return n;
}

/* Bytes that go to shared memory by generic addresses; the others are global or local ones. */
static uint64_t generic_shared(const Gang *g, const Ins *in, const uint64_t *mask) {
  const uint64_t *base = (const uint64_t *)(const void *)(g->regs + (size_t)in->s[0] * g->nl);
  uint64_t bytes = 0;
  for (uint32_t i = g->cur.first; i < g->cur.end; i++)
    if (mask[i / 64] >> (i % 64) & 1 && base[i] + (uint64_t)in->imm - g->run->shared_window < SG_WINDOW_BYTES)
      bytes += in->unit;
  return bytes;
}

static void count_access(Gang *g, const Ins *in, const uint64_t *mask, uint32_t lanes) {
  enum { WIDEST = 16 };
  if (!in->unit || in->unit > WIDEST || in->sub == SP_LOCAL || in->sub == SP_PARAM) return;
  const uint64_t bytes = (uint64_t)in->unit * lanes;
  const uint64_t shared = in->sub == SP_SHARED                                 ? bytes
                          : in->sub == SP_GENERIC && !(in->flags & INS_NARROW) ? generic_shared(g, in, mask)
                                                                               : 0;
  if (!(in->flags & INS_STORE) || in->flags & INS_ATOM) {
    g->counts.shared_read += shared;
    g->counts.global_read += bytes - shared;
  }
  if (in->flags & (INS_STORE | INS_ATOM)) {
    g->counts.shared_written += shared;
    g->counts.global_written += bytes - shared;
  }
}

/* Do threads of one warp go different ways? */
static void count_branch(Gang *g, const Ins *in) {
  uint64_t taken[MASK_WORDS];
  g->counts.branches += warps_of(g, g->cur.mask);
  if (in->pred == NO_ROW) return;
  guarded(g, in, taken);
  for (uint32_t w = 0; w < g->words; w++) {
    const uint64_t other = g->cur.mask[w] & ~taken[w];
    g->counts.parted +=
        ((uint32_t)taken[w] && (uint32_t)other ? 1u : 0u) + (taken[w] >> 32 && other >> 32 ? 1u : 0u);
  }
}

/* Before the instruction is executed. */
static void count_instruction(Gang *g, const Ins *in) {
  g->counts.instructions += warps_of(g, g->cur.mask);
  g->counts.threads += g->cur.count;
  if (in->kind == K_BRA) count_branch(g, in);
  if (in->kind != K_MEM) return;
  uint64_t some[MASK_WORDS];
  if (in->pred == NO_ROW)
    count_access(g, in, g->cur.mask, g->cur.count);
  else
    count_access(g, in, some, guarded(g, in, some));
}

static inline __attribute__((always_inline)) void run_guarded(Gang *g, const Ins *in, How how) {
  uint64_t bits[MASK_WORDS];
  const uint32_t count = guarded(g, in, bits);
  if (count == 0) return;
  if (count == g->cur.count) {
    execute(g, in, how);
    return;
  }
  const uint32_t lo = g->lo, n = g->n;
  const bool masked = g->masked;
  g->run->isa->spread(g->pm, bits, g->nl);
  g->lo = g->cur.first & ~7u;
  g->n = ((g->cur.end + 7) & ~7u) - g->lo;
  g->m = g->pm;
  g->masked = true;
  execute(g, in, how);
  g->lo = lo;
  g->n = n;
  g->m = g->fm;
  g->masked = masked;
}

/* A branch with a predicate: cur.pc is set; lanes that go to the higher address are parked there. */
static bool branch(Gang *g, const Ins *in) {
  const uint32_t next = g->cur.pc + 1;
  if (in->pred == NO_ROW) {
    g->cur.pc = in->target;
    return true;
  }
  Front away;
  const uint32_t count = guarded(g, in, away.mask);
  if (count == 0 || count == g->cur.count) {
    g->cur.pc = count ? in->target : next;
    return count != 0;
  }
  away.group = g->cur.group;
  away.state = F_RUN;
  sg_front_remove(g, &away);
  if (in->target < next) {
    /* The lanes that branch back go on, the others wait. */
    g->cur.pc = next;
    sg_front_park(g, &g->cur);
    memcpy(g->cur.mask, away.mask, g->words * sizeof *away.mask);
    sg_front_set(g);
    g->cur.pc = in->target;
    return true;
  }
  away.pc = in->target;
  sg_front_park(g, &away);
  g->cur.pc = next;
  return true;
}

/* brx.idx: a front for each target that a lane chooses. */
static bool branch_indexed(Gang *g, const Ins *in) {
  const uint32_t *list = g->kernel->targets + in->target, n = list[0];
  const uint32_t *index = (const uint32_t *)(const void *)(g->regs + (size_t)in->s[0] * g->nl);
  const Front all = g->cur;
  for (uint32_t t = 0; t < n; t++) {
    Front f = {.group = all.group, .pc = list[1 + t]};
    bool any = false;
    for (uint32_t i = all.first; i < all.end; i++) {
      if (!(all.mask[i / 64] >> (i % 64) & 1) || index[i] != t) continue;
      f.mask[i / 64] |= (uint64_t)1 << (i % 64);
      any = true;
    }
    if (!any) continue;
    sg_front_remove(g, &f);
    sg_front_park(g, &f);
  }
  if (g->cur.count) {
    sg_raise(g, SG_LAUNCH_FAILED, g->cur.first, "index %u of brx.idx is beyond its %u targets",
             index[g->cur.first], n);
    return false;
  }
  return sg_front_next(g);
}

/* The lanes of the front go on where `to` says, lane by lane. False: all are parked. */
static bool jump(Gang *g, const uint32_t *to) {
  const Front all = g->cur;
  uint32_t differ = 0;
  for (uint32_t i = all.first; i < all.end; i++) differ |= g->fm[i] ? to[i] ^ to[all.first] : 0;
  if (!differ) {
    g->cur.pc = to[all.first];
    return true;
  }
  while (g->cur.count) {
    Front f = {.group = all.group, .pc = to[g->cur.first]};
    for (uint32_t i = g->cur.first; i < g->cur.end; i++)
      if (g->fm[i] && to[i] == f.pc) f.mask[i / 64] |= (uint64_t)1 << (i % 64);
    sg_front_remove(g, &f);
    sg_front_park(g, &f);
  }
  return sg_front_next(g);
}

#define ROWS(T, row) ((T *)(void *)(g->regs + (size_t)(row)*g->nl))

static void set_link(Gang *g, const Ins *in) {
  uint32_t *link = ROWS(uint32_t, in->d);
  for (uint32_t i = g->cur.first; i < g->cur.end; i++)
    if (g->fm[i]) link[i] = g->cur.pc + 1;
}

/* A call through a pointer. False: a lane's value is the address of no function. */
static bool call_pointer(Gang *g, const Ins *in) {
  const SgKernel *k = g->kernel;
  const uint64_t *pointer = ROWS(const uint64_t, in->s[0]);
  uint32_t *to = (uint32_t *)(void *)g->scratch;
  for (uint32_t i = g->cur.first; i < g->cur.end; i++) {
    if (!g->fm[i]) continue;
    const uint64_t at = pointer[i] - CODE_WINDOW;
    to[i] = at % CODE_STEP == 0 && at / CODE_STEP < k->nfunctions ? k->functions[at / CODE_STEP] : NO_ROW;
    if (to[i] != NO_ROW) continue;
    sg_raise(g, SG_INVALID_PC, i,
             "call through a pointer: 0x%" PRIx64 " is the address of no function of the module", pointer[i]);
    return false;
  }
  set_link(g, in);
  jump(g, to);
  return true;
}

/* The lanes of the front, or those that the predicate names, are done. False: none are left. */
static bool exit_lanes(Gang *g, const Ins *in) {
  uint32_t count = g->cur.count;
  Front gone;
  if (in->pred != NO_ROW && (count = guarded(g, in, gone.mask)) == 0) {
    g->cur.pc++;
    return true;
  }
  if (count == g->live_count) {
    g->cur.count = g->live_count = 0;
    return false;
  }
  if (count == g->cur.count) gone = g->cur;
  for (uint32_t w = 0; w < g->words; w++) g->live[w] &= ~gone.mask[w];
  g->live_count -= count;
  sg_front_remove(g, &gone);
  g->cur.pc++;
  sg_lanes_exited(g);
  return g->cur.count != 0;
}

static bool next_front(Gang *g) { return sg_front_next(g) || (sg_warps_meet(g) && sg_front_next(g)); }

/* Its turn is over, or it is time to look at the clock. */
static inline bool stops(const Gang *g, uint64_t slice) { return g->quantum <= 0 || g->icount >= slice; }

static inline __attribute__((always_inline)) GangStatus run(Gang *g, How how) {
  const Ins *code = g->kernel->code;
  const bool checked = how == CHECKED || (how == WATCHED && g->check);
  const uint64_t slice = g->icount + g->run->slice / (g->threads + OVERHEAD);
#define STOP() return g->quantum <= 0 ? GANG_YIELD : GANG_PAUSE
  for (;;) {
    const Ins *in = &code[g->cur.pc];
    for (; in->kind <= K_MEM; in++) {
      g->icount++;
      if (how == COUNTED) count_instruction(g, in);
      if (in->pred != NO_ROW) {
        run_guarded(g, in, how);
        if (follows(g, how)) sg_undefined_guard(g, in);
      } else {
        execute(g, in, how);
      }
      if (in->kind == K_MEM && g->trouble.code) {
        blame(g, (uint32_t)(in - code));
        return GANG_FAULT;
      }
      if (in->kill) g->plans[in->kill].serial = 0;
    }
    g->cur.pc = (uint32_t)(in - code);
    g->icount++;
    if (how == COUNTED && in->kind != K_LEADER) count_instruction(g, in);
    if (follows(g, how) && !sg_undefined_control(g, in)) return GANG_FAULT;
    switch ((Kind)in->kind) {
    case K_ALU:
    case K_MEM:
    case K_LEADER: break;
    case K_BRA:
      if (branch(g, in) && (in->flags & INS_BACK)) {
        g->quantum -= in->flags & INS_SPIN ? SPIN_COST : 1;
        g->edges++;
        if (g->others && ((in->flags & INS_SPIN) || g->edges >= ROTATE_EDGES)) {
          sg_front_rotate(g);
          if (!stops(g, slice)) continue;
        }
        if (stops(g, slice) || (how == WATCHED && g->touched)) STOP();
      }
      break;
    case K_BRX:
      if (!branch_indexed(g, in)) {
        g->trouble.pc = g->cur.pc;
        return GANG_FAULT;
      }
      g->quantum--; /* it may go back: an endless loop has to meet the time limit */
      if (stops(g, slice)) STOP();
      break;
    case K_CALL:
    case K_CALLX:
      if (in->kind == K_CALL) {
        set_link(g, in);
        g->cur.pc = in->target;
      } else if (!call_pointer(g, in)) {
        g->trouble.pc = g->cur.pc;
        return GANG_FAULT;
      }
      /* Recursion is a loop too, for whoever waits for a turn. */
      g->quantum--;
      if (++g->edges >= ROTATE_EDGES && g->others) {
        sg_front_rotate(g);
        if (!stops(g, slice)) continue;
      }
      if (stops(g, slice)) STOP();
      break;
    case K_RET: jump(g, ROWS(const uint32_t, in->s[0])); break;
    case K_BAR: {
      const uint32_t pc = g->cur.pc;
      const bool on = sg_bar(g, in);
      if (g->trouble.code) {
        if (!g->trouble.check) g->trouble.pc = pc;
        return GANG_FAULT;
      }
      if (!on && !next_front(g)) {
        sg_deadlock(g);
        return GANG_FAULT;
      }
      if (!on) continue;
      break;
    }
    case K_WARP:
      if (!sg_warp(g, in)) {
        if (!next_front(g)) {
          sg_deadlock(g);
          return GANG_FAULT;
        }
        continue;
      }
      if (g->trouble.code || (checked && !sg_check_warp(g, in))) {
        blame(g, g->cur.pc);
        return GANG_FAULT;
      }
      in->fn[0](g, in);
      if (in->kill) g->plans[in->kill].serial = 0;
      g->cur.pc++;
      continue;
    case K_EXIT:
      if (!exit_lanes(g, in)) {
        if (checked && g->trouble.code) return GANG_FAULT;
        if (g->live_count == 0) return GANG_DONE;
        if (!next_front(g)) {
          sg_deadlock(g);
          return GANG_FAULT;
        }
        continue;
      }
      if (checked && g->trouble.code) return GANG_FAULT;
      break;
    case K_TRAP:
      g->trouble.pc = g->cur.pc;
      sg_raise(g, SG_LAUNCH_FAILED, g->cur.first, "trap: the kernel stopped itself");
      return GANG_FAULT;
    }
    if (in->kind == K_LEADER) {
      if (g->cur.pc < g->nextpc) {
        g->cur.pc++;
        continue;
      }
      if (sg_front_meet(g)) g->cur.pc++;
      continue;
    }
    if (g->cur.pc >= g->nextpc) sg_front_meet(g);
  }
}

GangStatus sg_gang_run(Gang *g) { return run(g, PLAIN); }
GangStatus sg_gang_run_checked(Gang *g) { return run(g, CHECKED); }
GangStatus sg_gang_run_watched(Gang *g) { return run(g, WATCHED); }
GangStatus sg_gang_run_counted(Gang *g) { return run(g, COUNTED); }
