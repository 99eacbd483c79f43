/* Runs a grid. Blocks are admitted in order; one that waits for others too long is set aside and the next one
 * is admitted beside it, so that a block may wait for one that has not begun, up to the number of blocks that
 * a device holds at a time.
 *
 * A launch begins on the calling thread. Where nothing ties the blocks together (ties.c) and there is work
 * for more than a moment, other threads help: each takes the next few blocks, and sets aside its own.
 *
 * Errors. Where blocks are independent the error is that of the lowest block that has one, whoever came to
 * its own first: those below it are run to their ends before it is reported. Else the first one in time ends
 * the launch. In either case blocks with higher numbers may have run, as on a GPU. */
#include "machine/choose_isa.h"
#include "machine/block_order.h"
#include "machine/check.h"
#include "base/config.h"
#include "decode/kernel.h"
#include "machine/gang.h"
#include "machine/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SSE__
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

#define RESIDENT_MEMORY ((size_t)1 << 30) /* gangs beyond this are not admitted beside others */
#define ALONE_NS 80000u                   /* that long a launch runs on the calling thread only */
#define TELL_AFTER_NS 2000000000u         /* that long a launch runs until progress is told of, */
#define TELL_EVERY_NS 200000000u          /* and then between two times */

enum {
  GLANCE = 1 << 16,      /* instructions, times threads, until the clock is read: between blocks, */
  FIRST_SLICE = 1 << 18, /* inside of one as long as the calling thread is alone, */
  SLICE = 1 << 22,       /* and later */
  PATIENCE = 64,         /* turns that an independent block has before it is set aside */
  CHUNK = 16,            /* independent blocks that a thread takes at once, at most */
  WATCH_AFTER = 32,      /* rounds without progress until blocks are watched, and how many they are */
  WATCH_ROUNDS = 8
};

static _Atomic uint64_t ticks, grids;

int (*_Atomic sg_interrupt_look)(void);
SgProgress *_Atomic sg_progress;
_Atomic bool sg_grids_end;

uint64_t sg_machine_ticks(void) { return atomic_load_explicit(&ticks, memory_order_relaxed); }

uint64_t sg_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Kernels compute with the processor's usual roundings, whatever the program has set for itself. */
#ifdef __SSE__
typedef unsigned FloatMode;
static FloatMode usual_floats(void) {
  const unsigned was = _mm_getcsr();
  _mm_setcsr(0x1f80);
  return was;
}
static void restore_floats(FloatMode was) { _mm_setcsr(was); }
#else
typedef fenv_t FloatMode;
static FloatMode usual_floats(void) {
  fenv_t was;
  fegetenv(&was);
  fesetenv(FE_DFL_ENV);
  return was;
}
static void restore_floats(FloatMode was) { fesetenv(&was); }
#endif

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

/* What an assertion said that failed. */
typedef struct Said {
  struct Said *next;
  char line[];
} Said;

static void drop_said(Said *s) {
  while (s) {
    Said *next = s->next;
    free(s);
    s = next;
  }
}

/* One launch. */
typedef struct Grid {
  const SgLaunch *launch;
  Run run; /* what those of all threads begin as */
  uint64_t blocks;
  Order order;
  bool independent;   /* its blocks are independent */
  bool interruptible; /* the program may end it */
  unsigned threads;
  uint32_t most;         /* blocks that a thread may have begun at a time */
  size_t room;           /* ... and what they may take, roughly */
  uint32_t chunk;        /* blocks that a thread takes at once */
  _Atomic uint64_t next; /* place in the order */
  _Atomic uint64_t bad;  /* blocks from here on need not run */
  _Atomic uint64_t executed, done;
  _Atomic bool stop;
  uint64_t started;         /* ns; 0: nobody has looked yet */
  uint64_t limit;           /* ns that it may take; 0: any time */
  _Atomic bool asked;       /* the program has asked for its end */
  SgProgress *progress;     /* who is told of it; NULL: nobody */
  _Atomic uint64_t tell_at; /* ns since it started; TELL_AFTER_NS: nobody was told yet */
  pthread_mutex_t lock;     /* of what follows */
  int code;
  SgFault *fault;
  Said *said;
} Grid;

/* One thread of it. */
typedef struct Worker {
  Grid *grid;
  Run run;
  SgLaunch launch; /* where assertions say their lines to said */
  SgSystem system;
  Said *said, **said_end;
  Queue waiting, idle;
  Gang *up;          /* a block in the middle of its turn, or NULL */
  uint64_t from, to; /* places in the order that it has taken */
  /* since it looked at the clock */
  uint64_t since;          /* instructions, times threads */
  uint64_t executed, done; /* instructions, and blocks */
  uint64_t counts[sizeof(SgCounts) / sizeof(uint64_t)];
  uint64_t moment; /* ns until others may help; 0: they do, or never will */
  bool helps;
  struct {
    bool on;
    uint32_t open;               /* blocks that have not been in the same state again */
    uint64_t turns, after, left; /* without progress so far; that begin it; that it lasts */
  } watch;
} Worker;

/* --- ends --- */

static void complain(void *user, const char *line) {
  Worker *w = user;
  const size_t n = strlen(line) + 1;
  Said *s = malloc(sizeof *s + n);
  if (!s) return;
  s->next = NULL;
  memcpy(s->line, line, n);
  *w->said_end = s;
  w->said_end = &s->next;
}

/* The block of g failed. `late`: for time is up, which is no error of its own where there is another one. */
static void fail(Worker *w, Gang *g, bool late) {
  Grid *grid = w->grid;
  pthread_mutex_lock(&grid->lock);
  if (!grid->code || (!late && grid->independent && g->linear < atomic_load(&grid->bad))) {
    sg_explain(g, grid->fault);
    grid->code = grid->fault->code;
    atomic_store(&grid->bad, g->linear);
    drop_said(grid->said);
    grid->said = w->said;
  } else {
    drop_said(w->said);
  }
  w->said = NULL;
  w->said_end = &w->said;
  if (late || !grid->independent) atomic_store(&grid->stop, true);
  pthread_mutex_unlock(&grid->lock);
  memset(&g->trouble, 0, sizeof g->trouble);
  g->resolved = false;
}

static void out_of_memory(Grid *grid) {
  SgFault *f = grid->fault;
  pthread_mutex_lock(&grid->lock);
  if (!grid->code) {
    const char *name = grid->launch->kernel->info.name;
    memset(f, 0, sizeof *f);
    grid->code = f->code = SG_OUT_OF_MEMORY;
    snprintf(f->kernel, sizeof f->kernel, "%s", name);
    snprintf(f->text, sizeof f->text, "kernel %s: no host memory for the state of a thread block", name);
  }
  atomic_store(&grid->stop, true);
  pthread_mutex_unlock(&grid->lock);
}

/* The first of the blocks of this thread that have begun and are not done. g: one that is in no queue. */
static Gang *lowest(const Worker *w, Gang *g) {
  for (Gang *p = w->waiting.head; p; p = p->next)
    if (!g || p->linear < g->linear) g = p;
  return g;
}

/* "; of its 20 blocks, 10 are done and 6 have not started" */
static void say_blocks(const Worker *w, char *text, size_t room) {
  Grid *grid = w->grid;
  uint64_t begun = atomic_load(&grid->next);
  if (begun > grid->blocks) begun = grid->blocks;
  snprintf(text, room, "; of its %llu blocks, %llu are done and %llu have not started",
           (unsigned long long)grid->blocks, (unsigned long long)atomic_load(&grid->done),
           (unsigned long long)(grid->blocks - begun + w->to - w->from));
}

static const char WAITS[] =
    "deadlock: the block repeats itself, and nothing changes the memory that it reads";
static const char SPINS[] = "endless loop: its compiled code uses no memory (the compiler may remove the "
                            "loads and stores of a loop that never "
                            "ends; declare the memory volatile or use atomic functions to keep them)";

/* g has taken too long, or waits for ever; `what` says so. */
static void end_with(Worker *w, Gang *g, int code, const char *what, bool late) {
  char text[1100] = "", blocks[160] = "";
  if (g->live_count) sg_standing(g, text, sizeof text);
  if (w->grid->blocks > 1) say_blocks(w, blocks, sizeof blocks);
  g->trouble.pc = g->cur.pc;
  sg_raise(g, code, g->cur.first, "%s%s%s%s", what, text[0] ? ": " : "", text, blocks);
  fail(w, g, late);
}

static void too_late(Worker *w, Gang *g) {
  char what[96];
  if (atomic_load(&w->grid->asked)) {
    end_with(w, g, SG_INTERRUPTED, "stopped", true);
    return;
  }
  snprintf(what, sizeof what, "stopped after %g s (CUDALUA_SOFT_TIMEOUT)", (double)w->grid->limit * 1e-9);
  end_with(w, g, SG_TIMEOUT, what, true);
}

/* --- the clock --- */

static void count(Worker *w) {
  atomic_fetch_add_explicit(&w->grid->executed, w->executed, memory_order_relaxed);
  atomic_fetch_add_explicit(&w->grid->done, w->done, memory_order_relaxed);
  w->since = w->executed = w->done = 0;
  if (!w->run.counts) return;
  uint64_t *to = (uint64_t *)w->grid->launch->counts;
  pthread_mutex_lock(&w->grid->lock);
  for (size_t i = 0; i < sizeof w->counts / sizeof *w->counts; i++) to[i] += w->counts[i];
  pthread_mutex_unlock(&w->grid->lock);
  memset(w->counts, 0, sizeof w->counts);
}

static void tell(Grid *grid, uint64_t ns) {
  uint64_t at = atomic_load_explicit(&grid->tell_at, memory_order_relaxed);
  if (ns < at || !atomic_compare_exchange_strong(&grid->tell_at, &at, ns + TELL_EVERY_NS)) return;
  grid->progress(grid->launch->kernel->info.name, atomic_load(&grid->done), grid->blocks, ns);
}

/* ns since the launch began, or its first moments were over. */
static uint64_t elapsed(Worker *w) {
  const uint64_t now = sg_nanoseconds();
  count(w);
  if (!w->grid->started) w->grid->started = now;
  const uint64_t ns = now - w->grid->started;
  if (w->grid->progress) tell(w->grid, ns);
  return ns;
}

/* The program wants the end. Once said, it stays said for this grid. */
static bool is_asked(Worker *w) {
  Grid *grid = w->grid;
  if (atomic_load_explicit(&grid->asked, memory_order_relaxed)) return true;
  if (atomic_load_explicit(&sg_grids_end, memory_order_relaxed)) {
    atomic_store(&grid->asked, true);
    return true;
  }
  if (!grid->interruptible) return false;
  int (*look)(void) = atomic_load(&sg_interrupt_look);
  if (!look || !look()) return false;
  atomic_store(&grid->asked, true);
  return true;
}

/* Lets the driver do something else. What is known of allocations may be wrong then. */
static void pause_grid(Worker *w) {
  Grid *grid = w->grid;
  if (!grid->launch->let_in || grid->threads > 1) return;
  grid->launch->let_in();
  sg_forget_allocations(&w->run);
}

/* Time for something else than the block: for an end, or for help. */
static bool is_late(Worker *w) {
  pause_grid(w);
  if (is_asked(w)) return true;
  const uint64_t limit = w->moment ? w->moment : w->grid->limit;
  if (!limit && !w->grid->progress) return false;
  const uint64_t ns = elapsed(w);
  return limit && ns > limit;
}

/* --- blocks --- */

/* A gang that is free, or the one of the last launch, or a new one. */
static Gang *get_gang(Worker *w) {
  Run *run = &w->run;
  if (w->idle.head) return pop(&w->idle);
  Gang *g = w->helps ? NULL : sg_spare_take(run->kernel);
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

static bool any_left(const Worker *w) {
  const Grid *grid = w->grid;
  return w->from < w->to || atomic_load_explicit(&grid->next, memory_order_relaxed) < grid->blocks;
}

/* The number of the next block that has to run. */
static bool take(Worker *w, uint64_t *block) {
  Grid *grid = w->grid;
  for (;;) {
    if (w->from == w->to) {
      w->from = atomic_fetch_add(&grid->next, grid->chunk);
      if (w->from > grid->blocks) w->from = grid->blocks;
      w->to = w->from + grid->chunk < grid->blocks ? w->from + grid->chunk : grid->blocks;
      if (w->from == w->to) return false;
    }
    *block = sg_order_at(&grid->order, w->from++);
    if (*block < atomic_load_explicit(&grid->bad, memory_order_relaxed)) return true;
    if (grid->order.kind == SG_FORWARD) return false;
  }
}

/* There was progress, or another block has its turn whose end does not hang on this one. */
static void watch_again(Worker *w) {
  w->watch.on = false;
  w->watch.turns = 0;
}

static bool begin(Worker *w, Gang *g) {
  uint64_t block;
  if (!take(w, &block)) return false;
  sg_gang_begin_block(g, block);
  if (w->run.checks) sg_check_begin_block(g);
  watch_again(w);
  return true;
}

/* The block whose turn it is; NULL: there is none. */
static Gang *next_gang(Worker *w) {
  Gang *up = w->up;
  w->up = NULL;
  if (up) return up;
  const bool room = w->waiting.count < w->grid->most && w->waiting.bytes < w->grid->room;
  if (room && any_left(w)) {
    Gang *g = get_gang(w);
    if (g && begin(w, g)) return g;
    if (g)
      push(&w->idle, g);
    else if (!w->waiting.head && !w->helps)
      out_of_memory(w->grid);
  }
  while (w->waiting.head) {
    Gang *g = pop(&w->waiting);
    if (g->linear < atomic_load_explicit(&w->grid->bad, memory_order_relaxed)) {
      if (w->run.checks) sg_check_turn(g);
      return g;
    }
    push(&w->idle, g);
  }
  return NULL;
}

/* --- watching: a block that is in the same state again, with no memory changed, never ends --- */

static void watch(Worker *w, Gang *g) {
  g->state = sg_watch_state(g);
  g->recurred = g->touched = g->used_memory = false;
  w->watch.open++;
}

static void unwatch(Worker *w) {
  watch_again(w);
  if (!w->run.independent && w->watch.after < 1 << 20) w->watch.after *= 2;
}

/* The turn of g is over. True: neither it nor any block that is here will ever get on. Where other threads
 * run blocks that matter to it nobody can tell; they get on sooner when this one does not keep the processor.
 */
static bool is_hopeless(Worker *w, Gang *g) {
  const uint32_t n = w->run.independent ? 1 : w->waiting.count + 1;
  if (w->run.parallel && !w->run.independent) {
    if (++w->watch.turns % n == 0) sched_yield();
    return false;
  }
  if (w->run.kernel->ties & TIE_CLOCK) return false;
  if (!w->watch.on) {
    if (++w->watch.turns < w->watch.after * n) return false;
    w->watch.on = true;
    w->watch.open = 0;
    w->watch.left = (uint64_t)WATCH_ROUNDS * n;
    watch(w, g);
    for (Gang *p = w->run.independent ? NULL : w->waiting.head; p; p = p->next) watch(w, p);
    return false;
  }
  if (!g->recurred && sg_watch_state(g) == g->state) {
    g->recurred = true;
    if (--w->watch.open == 0) return true;
  }
  if (--w->watch.left == 0) unwatch(w);
  return false;
}

/* --- running --- */

static bool is_over(const Worker *w, const Gang *g) {
  return atomic_load_explicit(&w->grid->stop, memory_order_relaxed) ||
         g->linear >= atomic_load_explicit(&w->grid->bad, memory_order_relaxed);
}

static void add_counts(Worker *w, Gang *g) {
  const uint64_t *from = (const uint64_t *)&g->counts;
  for (size_t i = 0; i < sizeof g->counts / sizeof *from; i++) w->counts[i] += from[i];
  g->counts = (SgCounts){0};
}

/* A turn of the block. GANG_PAUSE: it was stopped. */
static GangStatus turn(Worker *w, Gang *g) {
  GangStatus status;
  if (g->quantum <= 0) sg_gang_new_turn(g);
  do {
    const uint64_t before = g->icount;
    status = w->watch.on     ? sg_gang_run_watched(g)
             : w->run.checks ? sg_gang_run_checked(g)
             : w->run.counts ? sg_gang_run_counted(g)
                             : sg_gang_run(g);
    if (w->run.counts) add_counts(w, g);
    if (w->watch.on && g->touched) unwatch(w);
    w->executed += g->icount - before;
    w->since += (g->icount - before) * g->threads;
  } while (status == GANG_PAUSE && !is_over(w, g) && !is_late(w));
  return status;
}

/* Runs blocks until none is left, or for a moment. */
static void work(Worker *w) {
  Grid *grid = w->grid;
  w->run.slice = w->moment || grid->launch->let_in ? FIRST_SLICE : SLICE;
  while (!atomic_load_explicit(&grid->stop, memory_order_relaxed)) {
    Gang *g = next_gang(w);
    if (!g) return;
    GangStatus status;
    uint32_t turns = 0;
    bool hopeless = false;
    do {
      status = turn(w, g);
      hopeless = status == GANG_YIELD && is_hopeless(w, g);
    } while (status == GANG_YIELD && !hopeless && grid->independent && ++turns < PATIENCE && !is_over(w, g) &&
             !is_late(w));
    const bool open = status == GANG_YIELD || status == GANG_PAUSE;
    bool enough = false;
    w->done += status == GANG_DONE;
    if (status == GANG_FAULT) {
      fail(w, g, false);
    } else if (hopeless) {
      Gang *named = grid->independent ? g : lowest(w, g);
      end_with(w, named, SG_TIMEOUT, named->used_memory ? WAITS : SPINS, false);
    } else if ((open || w->since > GLANCE) && !is_over(w, g)) {
      pause_grid(w);
      const uint64_t ns = elapsed(w);
      enough = w->moment && ns > w->moment;
      const bool asked = is_asked(w);
      if ((asked || (grid->limit && ns > grid->limit)) && (open || any_left(w) || w->waiting.head)) {
        Gang *named = lowest(w, open ? g : NULL);
        too_late(w, named ? named : g);
      }
    }
    if (!open || grid->independent) watch_again(w);
    if (enough && open)
      w->up = g;
    else
      push(open ? &w->waiting : &w->idle, g);
    if (enough) return;
  }
}

static void worker_begin(Worker *w, Grid *grid) {
  memset(w, 0, sizeof *w);
  w->grid = grid;
  w->run = grid->run;
  w->launch = *grid->launch;
  w->run.launch = &w->launch;
  w->said_end = &w->said;
  w->watch.after = WATCH_AFTER;
  if (grid->independent && w->launch.system) {
    w->system = (SgSystem){.user = w, .complain = complain};
    w->launch.system = &w->system;
  }
}

/* Gangs go; `keep`: but one, for the next launch of the kernel. */
static void worker_end(Worker *w, bool keep) {
  count(w);
  if (w->up) push(&w->idle, w->up);
  while (w->waiting.head) push(&w->idle, pop(&w->waiting));
  while (w->idle.head) {
    Gang *g = pop(&w->idle);
    if (keep && !w->idle.head)
      sg_spare_keep(g);
    else
      sg_gang_free(g);
  }
  drop_said(w->said);
}

static void help(Grid *grid) {
  Worker w;
  const FloatMode floats = usual_floats();
  worker_begin(&w, grid);
  w.helps = true;
  work(&w);
  worker_end(&w, false);
  restore_floats(floats);
}

typedef struct Together {
  Grid *grid;
  Worker *first; /* of the thread that launched */
} Together;

static void run_together(void *arg, bool helps) {
  const Together *t = arg;
  if (helps)
    help(t->grid);
  else
    work(t->first);
}

static uint32_t residency(const SgLaunch *l, uint64_t blocks) {
  const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  const uint32_t per_sm = SG_SM_THREADS / ((threads + 31) & ~31u);
  const uint64_t all = SG_SM_COUNT * (uint64_t)(per_sm < SG_SM_BLOCKS ? per_sm : SG_SM_BLOCKS);
  return (uint32_t)(l->cooperative || all > blocks ? blocks : all);
}

/* How many threads may run the grid. */
static unsigned thread_count(const Grid *grid) {
  const unsigned asked = sg_config.threads;
  if (grid->blocks < 2 || grid->run.checks || grid->launch->kernel->ties & TIE_SINGLE) return 1;
  if (!grid->independent && !sg_config.any_kernel) return 1;
  if (grid->launch->let_in && !sg_config.any_kernel) return 1;
  if (asked) return asked;
  return SG_MOST_THREADS; /* as many as there are: asked for when it is worth the while */
}

/* Blocks that others wait for must not come too late: they are mixed among those only that a device holds at
 * a time, so that what ends in the order of numbers ends in any. */
static void choose_order(Grid *grid, const Gang *g) {
  uint64_t window = grid->room / g->bytes;
  if (window > grid->most) window = grid->most;
  grid->order.window = grid->independent ? grid->blocks : window ? window : 1;
}

/* Blocks that a thread takes at once: so few that all end at about the same time. */
static uint32_t chunk_for(const Grid *grid, uint64_t left, unsigned threads) {
  const uint64_t share = left / (threads * 16u);
  return !grid->independent || share < 1 ? 1 : share > CHUNK ? CHUNK : (uint32_t)share;
}

static void run_grid(Grid *grid) {
  Worker w;
  worker_begin(&w, grid);
  grid->threads = thread_count(grid);
  grid->chunk = grid->threads == 1 ? CHUNK : chunk_for(grid, grid->blocks, SG_MOST_THREADS);
  if (grid->order.kind != SG_FORWARD) {
    Gang *g = get_gang(&w);
    if (g) {
      choose_order(grid, g);
      push(&w.idle, g);
    } else {
      out_of_memory(grid);
    }
  }
  if (!sg_config.any_kernel && grid->threads > 1) {
    w.moment = ALONE_NS;
    work(&w);
    w.moment = 0;
  }
  if (!sg_config.any_kernel && grid->threads > 1 && any_left(&w)) {
    const unsigned usable = sg_workers_usable();
    if (grid->threads > usable) grid->threads = usable;
  }
  if (grid->threads > 1 && any_left(&w) && !atomic_load(&grid->stop)) {
    Together t = {grid, &w};
    const uint64_t begun = atomic_load(&grid->next) + w.from - w.to;
    const uint64_t left = begun < grid->blocks ? grid->blocks - begun : 0;
    grid->chunk = chunk_for(grid, left, grid->threads);
    if (grid->threads > left + 1) grid->threads = (unsigned)left + 1;
    w.run.parallel = grid->run.parallel = true;
    if (!grid->started) grid->started = sg_nanoseconds();
    sg_workers_run(grid->threads - 1, run_together, &t);
  } else {
    work(&w);
  }
  worker_end(&w, true);
}

int sg_machine_run(const SgLaunch *launch, SgFault *fault) {
  SgKernel *k = launch->kernel;
  if (k->missing) {
    memset(fault, 0, sizeof *fault);
    snprintf(fault->text, sizeof fault->text, "kernel %s cannot run on the software device: %s", k->info.name,
             k->missing);
    return fault->code = SG_NOT_SUPPORTED;
  }
  const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  Grid grid = {.launch = launch,
               .blocks = blocks,
               .independent =
                   !launch->checks && !launch->cooperative && !(k->ties & (TIE_ORDER | TIE_SINGLE)),
               .most = residency(launch, blocks),
               .room = launch->cooperative ? SIZE_MAX : RESIDENT_MEMORY,
               .bad = blocks,
               .limit = (uint64_t)(sg_config.timeout * 1e9),
               .interruptible = launch->interruptible && atomic_load(&sg_interrupt_look),
               .progress = atomic_load(&sg_progress),
               .tell_at = TELL_AFTER_NS,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .fault = fault};
  grid.run = (Run){.launch = launch,
                   .kernel = k,
                   .isa = sg_isa(),
                   .shared_window = sg_arena_shared_window(),
                   .local_window = sg_arena_local_window(),
                   .group_lanes = sg_config.gang,
                   .grid_id = atomic_fetch_add(&grids, 1) + 1,
                   .checks = launch->checks,
                   .independent = grid.independent,
                   .counts = launch->counts && !launch->checks};
  grid.order =
      (Order){.kind = sg_config.order, .blocks = blocks, .seed = sg_config.order_seed + grid.run.grid_id};
  if (grid.run.checks && !sg_check_run_begin(&grid.run)) grid.run.checks = 0;
  SgAlloc *workspace = NULL;
  if (launch->cooperative) {
    workspace = sg_arena_alloc(k->module->device, 64, SG_ALIGN, SG_MODULE, 0, "grid barrier");
    if (workspace) {
      grid.run.workspace = workspace->base;
      memset((void *)(uintptr_t)workspace->base, 0, 64);
    }
  }
  const FloatMode floats = usual_floats();
  run_grid(&grid);
  restore_floats(floats);
  if (atomic_load(&grid.tell_at) != TELL_AFTER_NS) grid.progress(NULL, blocks, blocks, 0);
  for (const Said *s = grid.said; s && launch->system; s = s->next)
    launch->system->complain(launch->system->user, s->line);
  drop_said(grid.said);
  sg_check_run_end(&grid.run);
  if (workspace) sg_arena_free(workspace);
  atomic_fetch_add_explicit(&ticks, atomic_load(&grid.executed), memory_order_relaxed);
  return grid.code;
}
