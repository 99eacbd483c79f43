/* NVRTC, opened when something is compiled for the first time. The Lua side (compiler.lua) decides on
 * options and looks for the library; here is only the call. */
#include "streams/activity.h"
#include "code/library.h"
#include "base/interrupt.h"
#include "base/lock.h"
#include "base/progress.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// clang-format off
#define NVRTC_ENTRIES(X) \
  X(nvrtcVersion) \
  X(nvrtcGetErrorString) \
  X(nvrtcGetNumSupportedArchs) \
  X(nvrtcGetSupportedArchs) \
  X(nvrtcCreateProgram) \
  X(nvrtcDestroyProgram) \
  X(nvrtcCompileProgram) \
  X(nvrtcAddNameExpression) \
  X(nvrtcGetLoweredName) \
  X(nvrtcGetProgramLogSize) \
  X(nvrtcGetProgramLog) \
  X(nvrtcGetPTXSize) \
  X(nvrtcGetPTX) \
  X(nvrtcGetCUBINSize) \
  X(nvrtcGetCUBIN) \
  X(nvrtcGetLTOIRSize) \
  X(nvrtcGetLTOIR)
// clang-format on

static struct {
#define X(name) __typeof__(&name) name;
  NVRTC_ENTRIES(X)
#undef X
  bool open;
  int major, minor;
  char path[4096];
} rtc;
CL_LOCK(open_lock);

static bool open_at(const char *path, char *why, size_t size) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    const char *e = dlerror();
    return snprintf(why, size, "%s", e ? e : path), false;
  }
#define X(name)                                                                                              \
  *(void **)&rtc.name = dlsym(lib, #name);                                                                   \
  if (!rtc.name) return snprintf(why, size, "%s has no %s: too old", path, #name), dlclose(lib), false;
  NVRTC_ENTRIES(X)
#undef X
  if (rtc.nvrtcVersion(&rtc.major, &rtc.minor))
    return snprintf(why, size, "%s: nvrtcVersion failed", path), false;
  cl_library_file((void *)rtc.nvrtcVersion, path, rtc.path, sizeof rtc.path);
  /* NVRTC opens its builtins by their bare name: a copy loaded from beside it is found first. The wheels'
   * folder is not among those that the loader searches. */
  const char *slash = strrchr(rtc.path, '/');
  char builtins[4200];
  snprintf(builtins, sizeof builtins, "%.*s/libnvrtc-builtins.so.%d.%d", slash ? (int)(slash - rtc.path) : 1,
           slash ? rtc.path : ".", rtc.major, rtc.minor);
  (void)dlopen(builtins, RTLD_NOW | RTLD_LOCAL);
  rtc.open = true;
  return true;
}

/* nvrtc_open(paths) -> {path, major, minor, archs = {75, 80, ...}}, or nil and why, one line a path */
int cl_nvrtc_open(lua_State *L) {
  if (!cl_library_open(L, &open_lock, &rtc.open, open_at)) return 2;
  lua_createtable(L, 0, 4);
  lua_pushstring(L, rtc.path);
  lua_setfield(L, -2, "path");
  lua_pushinteger(L, rtc.major);
  lua_setfield(L, -2, "major");
  lua_pushinteger(L, rtc.minor);
  lua_setfield(L, -2, "minor");
  int archs[256], count = 0;
  if (rtc.nvrtcGetNumSupportedArchs(&count) || count > 256 || rtc.nvrtcGetSupportedArchs(archs)) count = 0;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushinteger(L, archs[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "archs");
  return 1;
}

/* What to do if the driver refuses PTX, which must not be of a newer CUDA than the driver. */
static const char *ptx_hint(void) {
  if (cl_driver()->soft) return "compile with NVRTC of CUDA %d.%d or older, which `cudalua setup` installs";
  if (!rtc.open)
    return "compile with NVRTC of CUDA %d.%d or older, which `cudalua setup --check` tells how to install, "
           "or "
           "install a newer driver";
  return "compile with NVRTC of CUDA %d.%d or older, which `cudalua setup --check` tells how to install, or "
         "install a driver for CUDA %d.%d or newer";
}

static void add_hint(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  const int version = cl_driver()->version;
  (void)call;
  (void)waited;
  if (code != CUDA_ERROR_UNSUPPORTED_PTX_VERSION || !lua_checkstack(L, 4)) return;
  lua_pushfstring(L, ptx_hint(), version / 1000, version % 1000 / 10, rtc.major, rtc.minor);
  lua_setfield(L, -2, "hint");
}
CL_HOOK(cl_on_failed_call, 5, add_hint);

/* Strings of the list at idx, as an array that lives on the Lua stack. */
static const char **strings(lua_State *L, int idx, int *n) {
  *n = lua_istable(L, idx) ? (int)lua_objlen(L, idx) : 0;
  const char **v = lua_newuserdata(L, (size_t)(*n + 1) * sizeof *v);
  for (int i = 0; i < *n; i++) {
    lua_rawgeti(L, idx, i + 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "compile: expected a list of strings");
    v[i] = lua_tostring(L, -1); /* stays alive: the table holds it */
    lua_pop(L, 1);
  }
  return v;
}

typedef nvrtcResult (*SizeFn)(nvrtcProgram, size_t *);
typedef nvrtcResult (*DataFn)(nvrtcProgram, char *);

static void set_output(lua_State *L, nvrtcProgram prog, const char *key, SizeFn size_of, DataFn get,
                       bool text) {
  size_t n = 0;
  if (size_of(prog, &n) || n <= 1) return;
  char *buf = lua_newuserdata(L, n);
  if (!get(prog, buf)) {
    lua_pushlstring(L, buf, text ? n - 1 : n);
    lua_setfield(L, -3, key);
  }
  lua_pop(L, 1);
}

/* A compilation; a userdata, so that an error on the way (out of memory) cannot lose it. */
typedef struct Job {
  nvrtcProgram prog;
  const char *name; /* of its source */
  int nopts;
  const char **opts;
  nvrtcResult result;
  /* While its thread runs: */
  bool running;
  pthread_t thread;
  char *stack;
  size_t stack_size;
} Job;

static void *run_job(void *arg) {
  Job *job = arg;
  job->result = rtc.nvrtcCompileProgram(job->prog, job->nopts, job->opts);
  CL_RUN_HOOKS(cl_on_handler_at_risk, false);
  return NULL;
}

static void free_stack(Job *job) {
  if (job->stack) munmap(job->stack, job->stack_size);
  job->stack = NULL;
}

/* True: the thread has ended. `wait`: until it does. */
static bool join_job(Job *job, bool wait) {
  if (!job->running) return true;
  if (wait ? pthread_join(job->thread, NULL) : pthread_tryjoin_np(job->thread, NULL)) return false;
  job->running = false;
  free_stack(job);
  return true;
}

static void show_job(const Job *job, uint64_t ms) {
  const cl_ProgressPart *part = &cl_progress_part;
  char text[512], of[32] = "", taken[24];
  if (part->n) snprintf(of, sizeof of, ", %u of %u", part->i, part->n);
  snprintf(text, sizeof text, "compiling %.300s%s, %s", job->name, of,
           cl_progress_time(ms / 1000, taken, sizeof taken));
  cl_progress_show(STDERR_FILENO, text, false);
}

/* Until the thread ends, or somebody interrupts the wait: false. */
static bool await_job(lua_State *L, Job *job) {
  enum { PAUSE_NS = 2000000, SHOW_AFTER_MS = 1000, SHOW_EVERY_MS = 100 };
  const bool interruptible = cl_interrupts_here(L), tells = cl_progress_is_on();
  if (!interruptible && !tells) return join_job(job, true);
  bool ended = false, shown = false;
  const uint64_t start = cl_progress_part.n ? cl_progress_part.since : cl_progress_ms();
  uint64_t next = start + SHOW_AFTER_MS;
  if (interruptible) atomic_store(&cl_busy_with, "the compiler");
  while (!ended && !(interruptible && cl_interrupt_look())) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PAUSE_NS;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    ended = !pthread_timedjoin_np(job->thread, NULL, &until);
    if (interruptible) CL_RUN_HOOKS(cl_on_handler_at_risk, false);
    const uint64_t now = tells && !ended ? cl_progress_ms() : 0;
    if (now >= next) {
      show_job(job, now - start);
      next = now + SHOW_EVERY_MS;
      shown = true;
    }
  }
  if (shown) cl_progress_erase();
  if (interruptible) atomic_store(&cl_busy_with, NULL);
  if (!ended) return false;
  job->running = false;
  free_stack(job);
  return true;
}

/* The compiler descends into a source recursively, about two KiB of stack a level: ten thousand nested
 * brackets, as programs that are generated may have, overflow the usual stack, and a coroutine of the host
 * may have less. So it gets a thread with a stack of its own, large enough for one level with each byte of
 * the source. Memory is used as deep as the recursion goes. False: the wait for it was interrupted, and it
 * still runs. */
static bool compile_on_own_stack(lua_State *L, Job *job, size_t source_bytes) {
  size_t size = (size_t)256 << 20, page = 4096;
  if (source_bytes > size >> 12) size = source_bytes << 12;
  if (size > (size_t)64 << 30) size = (size_t)64 << 30;
  size = (size + page - 1) & ~(page - 1);
  char *stack = MAP_FAILED;
  while (stack == MAP_FAILED && size >= (size_t)8 << 20) {
    stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                 -1, 0);
    if (stack == MAP_FAILED) size = size / 2 & ~(page - 1);
  }
  if (stack != MAP_FAILED) {
    job->stack = stack;
    job->stack_size = size;
  }
  if (job->stack && !mprotect(stack, page, PROT_NONE)) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    if (!pthread_attr_init(&attributes)) {
      pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's business, not this thread's */
      job->running = !pthread_attr_setstack(&attributes, stack, size) &&
                     !pthread_create(&job->thread, &attributes, run_job, job);
      pthread_sigmask(SIG_SETMASK, &before, NULL);
      pthread_attr_destroy(&attributes);
      if (job->running) return await_job(L, job);
    }
  }
  run_job(job);
  free_stack(job);
  return true;
}

static void end_job(Job *job) {
  join_job(job, true);
  free_stack(job);
  if (job->prog) rtc.nvrtcDestroyProgram(&job->prog);
  job->prog = NULL;
}

static int job_gc(lua_State *L) {
  end_job(lua_touserdata(L, 1));
  return 0;
}

/* Compilations that somebody gave up waiting for. Each ends by itself; until then this table has the job and
 * all that it reads, {job = {what else}}. */
static const char given_up_key = 0;

static void push_given_up(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&given_up_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushlightuserdata(L, (void *)&given_up_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* Before the compiler's thread starts, since an error on the way would end in job_gc(), which waits.
 * Everything on the stack up to the job at index `at` is kept. */
static void keep_job(lua_State *L, int at) {
  push_given_up(L);
  lua_pushvalue(L, at);
  lua_createtable(L, at, 0);
  for (int i = 1; i < at; i++) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Lets go of those that have ended. */
static void drop_ended(lua_State *L) {
  push_given_up(L);
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pop(L, 1);
    Job *job = lua_touserdata(L, -1);
    if (!join_job(job, false)) continue;
    end_job(job);
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
}

/* nvrtc_compile(source, name, options, header_names, header_sources, name_expressions)
 *   -> {ok, status, result, time_ms, log, ptx, cubin, ltoir, lowered = {expression = symbol}} */
int cl_nvrtc_compile(lua_State *L) {
  size_t bytes, header;
  const char *source = luaL_checklstring(L, 1, &bytes), *name = luaL_checkstring(L, 2);
  if (!rtc.open) return luaL_error(L, "nvrtc_compile before nvrtc_open");
  lua_settop(L, 6);
  int nopts, nheaders, nsources, nexprs;
  const char **opts = strings(L, 3, &nopts), **headers = strings(L, 4, &nheaders);
  const char **sources = strings(L, 5, &nsources), **exprs = strings(L, 6, &nexprs);
  if (nheaders != nsources)
    return luaL_error(L, "compile: %d header names and %d headers", nheaders, nsources);
  for (int i = 0; i < nsources; i++, bytes += header) {
    lua_rawgeti(L, 5, i + 1);
    lua_tolstring(L, -1, &header);
    lua_pop(L, 1);
  }

  drop_ended(L);
  Job *job = cl_push_finalized(L, sizeof *job, job_gc);
  job->name = name;
  job->nopts = nopts;
  job->opts = opts;
  nvrtcProgram *prog = &job->prog;

  lua_createtable(L, 0, 6);
  nvrtcResult r = rtc.nvrtcCreateProgram(prog, source, name, nheaders, sources, headers);
  for (int i = 0; !r && i < nexprs; i++) r = rtc.nvrtcAddNameExpression(*prog, exprs[i]);
  if (!r) {
    if (cl_interrupts_here(L)) keep_job(L, lua_gettop(L) - 1);
    CL_RUN_HOOKS(cl_on_handler_at_risk, true);
    cl_Activity *a = cl_is_profiling() ? cl_activity_begin(L, CL_A_COMPILE, cl_intern(name), NULL, 0) : NULL;
    const uint64_t began = cl_progress_ms();
    const bool done = compile_on_own_stack(L, job, bytes);
    if (a) cl_activity_end(a, done ? CUDA_SUCCESS : CL_INTERRUPTED);
    lua_pushnumber(L, (lua_Number)(cl_progress_ms() - began));
    lua_setfield(L, -2, "time_ms");
    if (!done) cl_fail(L, "nvrtcCompileProgram", CL_INTERRUPTED);
    r = job->result;
  }
  lua_pushboolean(L, r == NVRTC_SUCCESS);
  lua_setfield(L, -2, "ok");
  lua_pushstring(L, rtc.nvrtcGetErrorString(r));
  lua_setfield(L, -2, "status");
  lua_pushinteger(L, (int)r);
  lua_setfield(L, -2, "result");
  if (*prog) set_output(L, *prog, "log", rtc.nvrtcGetProgramLogSize, rtc.nvrtcGetProgramLog, true);
  if (!r) {
    set_output(L, *prog, "ptx", rtc.nvrtcGetPTXSize, rtc.nvrtcGetPTX, true);
    set_output(L, *prog, "cubin", rtc.nvrtcGetCUBINSize, rtc.nvrtcGetCUBIN, false);
    set_output(L, *prog, "ltoir", rtc.nvrtcGetLTOIRSize, rtc.nvrtcGetLTOIR, false);
    lua_createtable(L, 0, nexprs);
    for (int i = 0; i < nexprs; i++) {
      const char *lowered = NULL;
      if (rtc.nvrtcGetLoweredName(*prog, exprs[i], &lowered) || !lowered) continue;
      lua_pushstring(L, lowered);
      lua_setfield(L, -2, exprs[i]);
    }
    lua_setfield(L, -2, "lowered");
  }
  end_job(job);
  if (cl_interrupts_here(L)) drop_ended(L);
  return 1;
}
