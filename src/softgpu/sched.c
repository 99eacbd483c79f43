/* Runs a grid on the calling thread. Blocks are admitted in order of their number; one that waits for others
 * too long is set aside and the next one is admitted beside it, so that a block may wait for one that has not
 * begun, up to the number of blocks that a device holds at a time. */
#include "check.h"
#include "config.h"
#include "kernel.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESIDENT_MEMORY ((size_t)1 << 30) /* gangs beyond this are not admitted beside others */

static _Atomic uint64_t ticks, grids;

uint64_t sg_machine_ticks(void) { return atomic_load_explicit(&ticks, memory_order_relaxed); }

uint64_t sg_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

typedef struct Queue {
  Gang *head, *tail;
  uint32_t count;
  size_t bytes;
} Queue;

static void push(Queue *q, Gang *g) {
  g->next = NULL;
  if (q->tail)
    q->tail->next = g;
  else
    q->head = g;
  q->tail = g;
  q->count++;
  q->bytes += g->bytes;
}

static Gang *pop(Queue *q) {
  Gang *g = q->head;
  q->head = g->next;
  if (!q->head) q->tail = NULL;
  q->count--;
  q->bytes -= g->bytes;
  return g;
}

static uint32_t group_lanes(void) {
  const char *text = getenv("CUDALUA_SOFT_GANG");
  const unsigned long n = text ? strtoul(text, NULL, 10) : MAX_LANES;
  return n >= 32 && n <= MAX_LANES ? (uint32_t)(n & ~31ul) : MAX_LANES;
}

static uint32_t residency(const SgLaunch *l, uint64_t blocks) {
  const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  const uint32_t per_sm = SM_THREADS / ((threads + 31) & ~31u);
  const uint64_t all = SM_COUNT * (uint64_t)(per_sm < SM_BLOCKS ? per_sm : SM_BLOCKS);
  return (uint32_t)(l->cooperative || all > blocks ? blocks : all);
}

static void out_of_memory(const SgLaunch *l, SgFault *fault) {
  memset(fault, 0, sizeof *fault);
  fault->code = 2;
  snprintf(fault->kernel, sizeof fault->kernel, "%s", l->kernel->info.name);
  snprintf(fault->text, sizeof fault->text, "kernel %s: no host memory for the state of a thread block",
           l->kernel->info.name);
}

/* A gang that is free, or the one of the last launch, or a new one. */
static Gang *admit(Queue *idle, Run *run) {
  if (idle->head) return pop(idle);
  Gang *g = atomic_exchange(&run->kernel->spare, NULL);
  if (g && !sg_gang_fits(g, run->launch)) {
    sg_gang_free(g);
    g = NULL;
  }
  if (!g) g = sg_gang_new(run->kernel, run->launch);
  if (!g) return NULL;
  if (!sg_check_attach(g, run)) {
    sg_gang_free(g);
    return NULL;
  }
  sg_gang_begin_launch(g, run);
  g->sibling = run->gangs;
  run->gangs = g;
  return g;
}

void sg_forget_allocations(const Run *run) {
  for (Gang *g = run->gangs; g; g = g->sibling) memset(g->caches, 0, g->kernel->ncaches * sizeof *g->caches);
}

int sg_machine_run(const SgLaunch *launch, SgFault *fault) {
  if (launch->kernel->missing) {
    memset(fault, 0, sizeof *fault);
    snprintf(fault->text, sizeof fault->text, "kernel %s cannot run on the software device: %s",
             launch->kernel->info.name, launch->kernel->missing);
    return fault->code = 801;
  }
  Run run = {.launch = launch,
             .kernel = launch->kernel,
             .isa = sg_isa(),
             .shared_window = sg_arena_shared_window(),
             .local_window = sg_arena_local_window(),
             .group_lanes = group_lanes(),
             .grid_id = atomic_fetch_add(&grids, 1) + 1,
             .checks = launch->checks};
  if (run.checks && !sg_check_run_begin(&run)) run.checks = 0;
  const double limit = sg_config.timeout;
  if (limit > 0) run.deadline = sg_nanoseconds() + (uint64_t)(limit * 1e9);
  SgAlloc *workspace = NULL;
  if (launch->cooperative) {
    workspace = sg_arena_alloc(launch->kernel->module->device, 64, SG_ALIGN, SG_MODULE, 0, "grid barrier");
    if (workspace) {
      run.workspace = workspace->base;
      memset((void *)(uintptr_t)workspace->base, 0, 64);
    }
  }

  const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  const uint32_t most = residency(launch, blocks);
  Queue waiting = {0}, idle = {0};
  uint64_t next = 0, done = 0, executed = 0;
  int code = 0;
  while (code == 0 && done < blocks) {
    Gang *g = NULL;
    const bool room =
        next < blocks && waiting.count < most && (launch->cooperative || waiting.bytes < RESIDENT_MEMORY);
    if (room && (g = admit(&idle, &run))) {
      sg_gang_begin_block(g, next++);
      if (run.checks) sg_check_begin_block(g);
    } else if (waiting.head) {
      g = pop(&waiting);
      if (run.checks) sg_check_turn(g);
    }
    if (!g) {
      out_of_memory(launch, fault);
      code = 2;
      break;
    }
    const uint64_t before = g->icount;
    const GangStatus status = run.checks ? sg_gang_run_checked(g) : sg_gang_run(g);
    executed += g->icount - before;
    if (status == GANG_FAULT) {
      sg_explain(g, fault);
      code = fault->code;
    } else if (run.deadline && sg_nanoseconds() > run.deadline &&
               !(status == GANG_DONE && done + 1 == blocks)) {
      g->trouble.pc = g->cur.pc;
      sg_raise(g, 702, g->cur.first, "stopped after %g s (CUDALUA_SOFT_TIMEOUT)", limit);
      sg_explain(g, fault);
      code = 702;
    }
    if (status == GANG_YIELD) {
      push(&waiting, g);
    } else {
      push(&idle, g);
      done++;
    }
  }
  /* One gang is kept for the next launch of the kernel. */
  while (waiting.head) push(&idle, pop(&waiting));
  while (idle.head) {
    Gang *g = pop(&idle);
    if (!idle.head) g = atomic_exchange(&run.kernel->spare, g);
    sg_gang_free(g);
  }
  sg_check_run_end(&run);
  if (workspace) sg_arena_free(workspace);
  atomic_fetch_add_explicit(&ticks, executed, memory_order_relaxed);
  return code;
}
