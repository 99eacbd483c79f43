/* Pacing the collector, the out-of-memory ladder: see collect.h.
 *
 * The pace. A full collection costs what the Lua heap costs, from 0.1 ms to seconds, and its result is worth
 * the device memory that it frees. So the budget of bytes between two collections is the time that one takes
 * at the rate at which the program allocates: then no more than half of the time goes into collections. The
 * rate is bounded: a program that allocates little must not pay for saving next to no memory, and what a
 * device does in the meantime hides the collections of one that allocates much. Small budgets are not worth
 * their bytes: the least one does, as long as two thirds of the time go into collections at most. Blocks that
 * are large are worked on for long, which hides a collection if it comes after enough of them. A program that
 * allocates faster than a host writes memory keeps a device busy with each byte: its budgets grow, up to
 * four times, if they are a small part of free memory, so that the device hides collections. They grow with
 * each collection and not at once, as new memory is slow to come. The budget shrinks with free memory, and
 * grows while collections find nothing: then the bytes are in use. */
#include "memory/collect.h"
#include "streams/capture.h"
#include "memory/hostmem.h"
#include "base/state.h"
#include "streams/wait.h"

#include <luajit.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define MIB(n) ((uint64_t)(n) << 20)

static const uint64_t budget_floor = MIB(64), budget_ceiling = MIB(7 * 1024);
/* Bytes for a second of collecting. */
static const double least_rate = 64.0 * (1 << 30), most_rate = 4096.0 * (1 << 30);
/* From this rate on a device works for as long as the host or longer; four times that is the full effect. */
static const double busy_rate = 128.0 * (1 << 30), most_busy = 4, busy_step = 1.0 / 8;
/* That a budget has room for: one for each 512 KiB of a block, from 16 to 128. */
enum { LEAST_BLOCKS = 16, MOST_BLOCKS = 128, BLOCK_SHIFT = 19 };
enum { MAX_DOUBLINGS = 20, MAX_FINALIZER_ERRORS = 1000, MAX_STEPS = 1000 };

static uint64_t on_device(void) {
  return cl_accounted(CL_BYTES_PLAIN) + cl_accounted(CL_BYTES_ASYNC) + cl_accounted(CL_BYTES_POOLED) +
         cl_accounted(CL_BYTES_MANAGED) + cl_accounted(CL_BYTES_ARRAYS);
}

/* What a collection can bring back. */
static uint64_t collectable(void) {
  return on_device() + cl_accounted(CL_BYTES_PINNED) + cl_accounted(CL_BYTES_REGISTERED) +
         cl_accounted(CL_BYTES_ALIGNED) + cl_accounted(CL_BYTES_TEXTURES);
}

/* --- collecting --- */

/* For tests: what each collection is said to take, and to come after the one before. */
static double fixed_cost = -1, fixed_time = -1;

static double time_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double now(void) { return time_of(CLOCK_MONOTONIC); }
/* What a collection takes, whatever else the machine does. */
static double work(void) { return time_of(CLOCK_THREAD_CPUTIME_ID); }

/* gc_cost(seconds [, between]): from here on each collection counts as that long, and as so long after the
 * one before; nil: as long as it takes. */
int cl_gc_cost(lua_State *L) {
  fixed_cost = lua_isnoneornil(L, 1) ? -1 : luaL_checknumber(L, 1);
  fixed_time = lua_isnoneornil(L, 2) ? -1 : luaL_checknumber(L, 2);
  return 0;
}

static const char notice_key = 0;

/* on_finalizer_error(f): f(err) is called with what finalizers raise in a collection of this file. */
int cl_on_finalizer_error(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &notice_key);
  return 0;
}

static int full(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

/* To the end of the collector's cycle that is under way, or else of a whole one: two thirds of what a full
 * collection takes, which sweeps the heap twice. */
static int cycle(lua_State *L) {
  for (int i = 0; i < MAX_STEPS && !lua_gc(L, LUA_GCSTEP, 1 << 21); i++) /* KiB: more than there can be */
    ;
  return 0;
}

static void tell(lua_State *L) { /* the error is on top, and goes */
  cl_registry_get(L, &notice_key);
  lua_insert(L, -2);
  if (lua_isnil(L, -2))
    lua_pop(L, 2);
  else if (lua_pcall(L, 1, 0, 0))
    lua_pop(L, 1);
}

/* An error in a finalizer of the user's ends a collection; it is none of the allocation's business. */
static void run(lua_State *L, cl_Pressure *p, lua_CFunction how) {
  luaL_checkstack(L, 6, "collection");
  p->collecting = true;
  for (int i = 0; i < MAX_FINALIZER_ERRORS && lua_cpcall(L, how, NULL); i++) {
    p->finalizer_errors++;
    lua_gc(L, LUA_GCSTOP, 0); /* other finalizers would raise in the midst of telling */
    tell(L);
    lua_gc(L, LUA_GCRESTART, 0);
  }
  p->collecting = false;
}

/* What giving memory back takes does not count: it is the same however often that is done, and may be a wait
 * for kernels that use it. */
static void note(cl_Pressure *p, double seconds) {
  double cost = fixed_cost >= 0 ? fixed_cost : seconds;
  p->recent[p->collections++ % 4] = cost;
  p->seconds += cost;
}

static void collect_whole(lua_State *L, cl_Pressure *p) {
  double start = work();
  run(L, p, full);
  note(p, work() - start);
}

/* Returns the bytes that it freed. Half of a cycle finds little of the latest garbage: then more is done. */
static uint64_t collect(lua_State *L, cl_Pressure *p, uint64_t alive) {
  double seconds = 0;
  uint64_t wanted = (alive - p->base) / 2, freed = 0;
  for (int i = 0; i < 2 && freed <= wanted; i++) {
    double start = work();
    run(L, p, i ? full : cycle);
    seconds += work() - start;
    cl_queue_drain_in(L);
    uint64_t left = collectable();
    freed = alive > left ? alive - left : 0;
  }
  note(p, seconds);
  return freed;
}

/* The smallest of the last few: what comes on top is other people's work on the machine. */
static double cost_of(const cl_Pressure *p) {
  size_t n = p->collections < 4 ? (size_t)p->collections : 4;
  double least = n ? p->recent[0] : 0;
  for (size_t i = 1; i < n; i++)
    if (p->recent[i] < least) least = p->recent[i];
  return least;
}

static uint64_t idle(CUdevice dev) {
  uint64_t bytes = 0;
  CL_RUN_HOOKS(cl_on_count_idle, dev, &bytes);
  return bytes;
}

/* No more garbage than half of what the device could still give out; at the end, where that is next to
 * nothing, the ladder does the work. 0: not known. */
static uint64_t spare(void) {
  size_t left = 0, total = 0;
  CUdevice dev = 0;
  CUcontext current = NULL;
  if (CU.cuCtxGetCurrent(&current) || !current || CU.cuCtxGetDevice(&dev) || cl_poison[dev] ||
      CU.cuMemGetInfo_v2(&left, &total))
    return 0;
  uint64_t half = (left + idle(dev) + cl_accounted(CL_BYTES_HELD)) / 2, least = total / 64;
  return half > least ? half : least;
}

static uint64_t large_blocks(const cl_Pressure *p) {
  uint64_t n = p->block >> BLOCK_SHIFT;
  n = n < LEAST_BLOCKS ? LEAST_BLOCKS : n > MOST_BLOCKS ? MOST_BLOCKS : n;
  n = p->block > budget_ceiling / n ? budget_ceiling : n * p->block;
  return p->spare && n > p->spare / 4 ? p->spare / 4 : n;
}

/* Never more than an eighth of what the device could still give out. */
static double hidden_by_device(const cl_Pressure *p, double wanted) {
  double times = p->rate / busy_rate, grown = 1 + busy_step * (double)p->busy;
  if (times > grown) times = grown;
  const uint64_t most = p->spare / 4;
  double more = wanted * (times > most_busy ? most_busy : times);
  if (more > (double)most) more = (double)most;
  return more > wanted ? more : wanted;
}

static void set_budget(cl_Pressure *p) {
  if (p->setting) {
    p->budget = p->setting;
    return;
  }
  double rate = p->rate < least_rate ? least_rate : p->rate > most_rate ? most_rate : p->rate;
  double wanted = cost_of(p) * rate;
  if (wanted < 2 * (double)budget_floor) wanted = 0;
  wanted = hidden_by_device(p, wanted);
  double large = (double)large_blocks(p);
  if (wanted < large) wanted = large;
  uint64_t budget = wanted < (double)budget_floor     ? budget_floor
                    : wanted > (double)budget_ceiling ? budget_ceiling
                                                      : (uint64_t)wanted;
  budget <<= p->fruitless < MAX_DOUBLINGS ? (unsigned)p->fruitless : MAX_DOUBLINGS;
  if (budget > p->spare / 4 || p->collections % 8 == 0)
    p->spare = spare(); /* asking the driver takes its time */
  p->budget = p->spare && budget > p->spare ? p->spare : budget;
}

static void set_base(cl_Pressure *p) {
  p->base = collectable();
  p->allocations = cl_accounts();
  p->since = now();
}

bool cl_pressure_none(lua_State *L) {
  const cl_State *st = cl_state(L);
  const cl_Pressure *p = &st->pressure;
  const uint64_t alive = collectable();
  return !cl_queue_length && !st->registered && p->started && alive >= p->base &&
         alive - p->base <= p->budget;
}

bool cl_pressure(lua_State *L) {
  cl_queue_check(L);
  cl_State *st = cl_state(L);
  if (__builtin_expect(st->registered != NULL, 0)) cl_registered_drain(L, st);
  cl_Pressure *p = &st->pressure;
  uint64_t alive = collectable();
  if (__builtin_expect(!p->started, 0)) {
    set_base(p);
    set_budget(p);
    p->started = p->setting || p->spare; /* else there is no context yet */
  }
  if (alive < p->base) p->base = alive;
  if (__builtin_expect(alive - p->base <= p->budget, 1)) return false;
  if (p->collecting || st->closed || p->setting == UINT64_MAX) return false;
  double time = fixed_time >= 0 ? fixed_time : now() - p->since;
  p->rate = (double)(alive - p->base) / (time > 1e-9 ? time : 1e-9);
  int64_t blocks = cl_accounts() - p->allocations;
  p->block = (alive - p->base) / (uint64_t)(blocks > 0 ? blocks : 1);
  p->busy = p->rate < busy_rate ? 0 : p->busy + 1;
  uint64_t freed = collect(L, p, alive);
  set_base(p);
  if (freed < p->budget / 4)
    p->fruitless++;
  else if (freed >= p->budget / 2)
    p->fruitless = 0;
  set_budget(p);
  return true;
}

/* The program collected everything itself: what is alive now is no garbage. */
static void collected(lua_State *L) {
  cl_Pressure *p = &cl_state(L)->pressure;
  if (!p->started || cl_captures)
    return; /* what set_budget() asks the driver does not belong into a capture */
  set_base(p);
  p->fruitless = 0;
  set_budget(p);
}

/* --- out of memory --- */

CL_HOOK_LIST(cl_on_memory_short);
CL_HOOK_LIST(cl_on_memory_settled);
CL_HOOK_LIST(cl_on_count_idle);

CUresult cl_allocate(lua_State *L, CUresult (*call)(void *), void *arg) {
  if (cl_driver()->soft) cl_say_place(cl_here(L));
  CUresult code = call(arg);
  if (__builtin_expect(code != CUDA_ERROR_OUT_OF_MEMORY, 1)) return code;
  CUcontext before = NULL, after = NULL;
  CUdevice dev = 0;
  CU.cuCtxGetCurrent(&before);
  CL_RUN_HOOKS(cl_on_memory_short, );
  cl_State *st = cl_state(L);
  if (!st->pressure.collecting && !st->closed) {
    luaJIT_setmode(L, 0,
                   LUAJIT_MODE_ENGINE | LUAJIT_MODE_FLUSH); /* machine code holds what it was made for */
    collect_whole(L, &st->pressure);
    collect_whole(L, &st->pressure); /* what a finalized object held goes in the second one */
    st->pressure.base = collectable();
  }
  cl_queue_drain_in(L);
  CU.cuCtxGetCurrent(&after);
  if (after != before) cl_logic(L, "a finalizer that ran during this allocation changed the current context");
  if (!cl_captures) { /* a capture does not survive that */
    code = cl_wait_context(L);
    if (code) return code;
    cl_after_wait(L);
  }
  if (!CU.cuCtxGetDevice(&dev)) CL_RUN_HOOKS(cl_on_memory_settled, dev);
  cl_log_clear();
  return call(arg);
}

static void set_bytes(lua_State *L, const char *key, uint64_t bytes) {
  lua_pushnumber(L, (lua_Number)bytes);
  lua_setfield(L, -2, key);
}

int cl_fail_memory(lua_State *L, const char *call, CUresult code, uint64_t bytes) {
  cl_fail_new(L, call, code);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t left = 0, total = 0;
    CUdevice dev = 0;
    uint64_t pooled = cl_accounted(CL_BYTES_HELD), queued = cl_accounted(CL_BYTES_QUEUED), live = on_device();
    set_bytes(L, "requested", bytes);
    if (!CU.cuMemGetInfo_v2(&left, &total)) {
      set_bytes(L, "free", left);
      set_bytes(L, "total", total);
    }
    if (!CU.cuCtxGetDevice(&dev)) pooled += idle(dev);
    set_bytes(L, "live", live > queued ? live - queued : 0);
    set_bytes(L, "pooled", pooled);
    set_bytes(L, "queued", queued);
    cl_log_clear();
  }
  cl_throw(L);
}

/* --- what Lua sees of it --- */

static const char *const class_names[CL_NCLASSES] = {
    [CL_BYTES_PLAIN] = "plain",     [CL_BYTES_ASYNC] = "async",
    [CL_BYTES_POOLED] = "pooled",   [CL_BYTES_MANAGED] = "managed",
    [CL_BYTES_ARRAYS] = "arrays",   [CL_BYTES_PINNED] = "pinned",
    [CL_BYTES_ALIGNED] = "aligned", [CL_BYTES_REGISTERED] = "registered",
    [CL_BYTES_HELD] = "held",       [CL_BYTES_PINNED_HELD] = "pinned_held",
    [CL_BYTES_QUEUED] = "queued",   [CL_BYTES_TEXTURES] = "textures"};

/* gc_budget() -> bytes, 0 for automatic, math.huge for never; gc_budget(n) sets it */
int cl_gc_budget(lua_State *L) {
  cl_Pressure *p = &cl_state(L)->pressure;
  if (!lua_isnoneornil(L, 1)) {
    lua_Number n = luaL_checknumber(L, 1);
    p->setting = n >= 9007199254740992.0 ? UINT64_MAX : n > 0 ? (uint64_t)n : 0;
    p->fruitless = 0;
    if (p->started) set_budget(p);
  }
  lua_pushnumber(L, p->setting == UINT64_MAX ? HUGE_VAL : (lua_Number)p->setting);
  return 1;
}

int cl_mem_stats(lua_State *L) {
  const cl_Pressure *p = &cl_state(L)->pressure;
  lua_createtable(L, 0, 20);
  for (int k = 1; k < CL_NCLASSES; k++) {
    lua_createtable(L, 0, 3);
    set_bytes(L, "bytes", cl_accounted((cl_Class)k));
    set_bytes(L, "count", (uint64_t)cl_count_get(&cl_counts[k].count));
    set_bytes(L, "peak", (uint64_t)cl_count_get(&cl_counts[k].peak));
    lua_setfield(L, -2, class_names[k]);
  }
  uint64_t queued = cl_accounted(CL_BYTES_QUEUED), live = on_device();
  set_bytes(L, "live", live > queued ? live - queued : 0);
  set_bytes(L, "collections", p->collections);
  set_bytes(L, "finalizer_errors", p->finalizer_errors);
  lua_pushnumber(L, p->seconds);
  lua_setfield(L, -2, "collect_seconds");
  lua_pushnumber(L, p->budget == UINT64_MAX ? HUGE_VAL : (lua_Number)p->budget);
  lua_setfield(L, -2, "budget");
  set_bytes(L, "failed_destroys", cl_failed_destroys());
  return 1;
}

/* drain(): destroys what finalizers left to the state and to the queue */
int cl_drain(lua_State *L) {
  cl_registered_drain(L, cl_state(L));
  cl_queue_drain_in(L);
  collected(L);
  return 0;
}
