/* Recording for cuda.profile: a list of activities, and when the device did them. On a GPU each has an event
 * before and one behind it in its stream; they are read when they are done, and used again. The software
 * device notes the times of its operations by itself. */
#include "streams/activity.h"
#include "base/nvtx.h"
#include "base/state.h"
#include "streams/cupti.h"
#include "streams/wait.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CHUNK = 1024,
  CHUNKS = 1024,
  LOOK_AFTER = 4096, /* activities whose events are not read, until those that are done are */
  LOOK_EVERY = 256,
  MOST_PENDING = 1 << 16,
  TRIES = 16,
  FITS = 256
};
#define ANCHOR_NS 1e8 /* a float of ms is good to 8 ns up to there */

_Atomic uint32_t cl_profiles;

/* Of a context. */
typedef struct cl_Timeline {
  struct cl_Timeline *next;
  cl_Context *ctx;
  CUstream stream; /* for anchors; NULL: no times can be had */
  CUevent anchor;
  double at; /* its time on the host's clock */
  cl_Activity *first, *last;
  uint32_t pending;
  CUevent *spare;
  size_t nspare, room;
} Timeline;

typedef struct cl_Profile {
  cl_State *st; /* NULL: it is over */
  bool soft;
  bool cupti, pushed; /* CUPTI has the times; a call failed before its number was popped */
  const char *why;    /* CUPTI is not used; NULL: nobody asked for it */
  uint64_t began, ended;
  uint64_t bytes;   /* of the next kernel; 0: not known */
  const char *line; /* that kernels are said to be of, interned; NULL: the one that runs */
  cl_Activity *chunk[CHUNKS];
  uint32_t n, dropped, untimed, range;
  double tie_ns, pair_ns; /* how well the clocks are tied; what an empty pair of events takes */
  Timeline *timelines;
  cl_Fit *fit[FITS];
} cl_Profile;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static cl_Activity *at(const cl_Profile *p, uint32_t i) { return &p->chunk[i / CHUNK][i % CHUNK]; }

/* --- times on a GPU --- */

static bool healthy(const Timeline *t) {
  return !cl_forked && t->ctx->rec.life == CL_LIVE && !cl_poison[t->ctx->device];
}

static CUevent take_event(Timeline *t) {
  CUevent e = NULL;
  if (t->nspare) return t->spare[--t->nspare];
  return CU.cuEventCreate(&e, CU_EVENT_DEFAULT) ? NULL : e;
}

static void keep_event(Timeline *t, CUevent e) {
  if (!e) return;
  if (t->nspare == t->room) {
    const size_t room = t->room ? 2 * t->room : 64;
    CUevent *spare = realloc(t->spare, room * sizeof *spare);
    if (!spare) {
      CU.cuEventDestroy_v2(e);
      return;
    }
    t->spare = spare;
    t->room = room;
  }
  t->spare[t->nspare++] = e;
}

/* The best of several tries: an event that is waited for ran between two looks at the clock. */
static void tie(cl_Profile *p, Timeline *t) {
  double best = 1e18, pair = 1e18;
  CUevent e = take_event(t), f = take_event(t);
  for (int i = 0; e && f && i < TRIES; i++) {
    float ms = 0;
    const uint64_t a = now();
    if (CU.cuEventRecord(e, t->stream) || CU.cuEventSynchronize(e)) break;
    const uint64_t b = now();
    if ((double)(b - a) < best) {
      CUevent was = t->anchor;
      best = (double)(b - a);
      t->anchor = e;
      t->at = (double)a + best / 2;
      e = was ? was : take_event(t);
    }
    if (!e || CU.cuEventRecord(e, t->stream) || CU.cuEventRecord(f, t->stream) || CU.cuEventSynchronize(f) ||
        CU.cuEventElapsedTime(&ms, e, f))
      break;
    if (ms * 1e6 < pair) pair = ms * 1e6;
  }
  keep_event(t, e);
  keep_event(t, f);
  if (!t->anchor) return;
  if (best / 2 > p->tie_ns) p->tie_ns = best / 2;
  if (pair < 1e18) p->pair_ns = pair;
}

static void time_of(Timeline *t, cl_Activity *a) {
  float lasted = 0, since = 0;
  if (CU.cuEventElapsedTime(&lasted, a->before, a->after) ||
      CU.cuEventElapsedTime(&since, t->anchor, a->before))
    return;
  a->timed = true;
  a->gpu_ns = lasted * 1e6;
  a->gpu_begin = t->at + since * 1e6;
  if (since * 1e6 < ANCHOR_NS) return;
  CUevent was = t->anchor;
  t->anchor = a->before;
  t->at = a->gpu_begin;
  a->before = was;
}

/* Reads the events of the oldest ones; those that are not done end it. */
static void read_done(cl_Profile *p, Timeline *t) {
  for (cl_Activity *a; (a = t->first);) {
    if (CU.cuEventQuery(a->after)) break;
    time_of(t, a);
    p->untimed += !a->timed;
    keep_event(t, a->before);
    keep_event(t, a->after);
    a->before = a->after = NULL;
    t->first = a->next;
    if (!t->first) t->last = NULL;
    t->pending--;
  }
  cl_log_clear();
}

static void begin_events(cl_Profile *p, Timeline *t, cl_Activity *a) {
  if (t->pending >= LOOK_AFTER && t->pending % LOOK_EVERY == 0) read_done(p, t);
  if (!t->anchor || t->pending >= MOST_PENDING) {
    p->untimed++;
    return;
  }
  a->before = take_event(t);
  a->after = take_event(t);
  if (a->before && a->after && !CU.cuEventRecord(a->before, (CUstream)(uintptr_t)a->stream)) {
    a->timeline = t;
    return;
  }
  keep_event(t, a->before);
  keep_event(t, a->after);
  a->before = a->after = NULL;
  p->untimed++;
  cl_log_clear();
}

static void end_events(cl_Activity *a) {
  Timeline *t = a->timeline;
  if (CU.cuEventRecord(a->after, (CUstream)(uintptr_t)a->stream)) {
    keep_event(t, a->before);
    keep_event(t, a->after);
    a->before = a->after = NULL;
    cl_log_clear();
    return;
  }
  if (t->last)
    t->last->next = a;
  else
    t->first = a;
  t->last = a;
  t->pending++;
}

/* Of the current context. NULL: there is none. */
static Timeline *timeline(lua_State *L, cl_Profile *p) {
  CUcontext current = NULL;
  if (CU.cuCtxGetCurrent(&current) || !current) return NULL;
  for (Timeline *t = p->timelines; t; t = t->next)
    if ((CUcontext)t->ctx->rec.handle == current && t->ctx->rec.life == CL_LIVE) return t;
  Timeline *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->ctx = cl_context_current(L);
  t->next = p->timelines;
  p->timelines = t;
  if (p->soft) return t;
  const CUstreamCaptureMode mode = cl_relax();
  if (!CU.cuStreamCreate(&t->stream, CU_STREAM_NON_BLOCKING)) tie(p, t);
  cl_unrelax(mode);
  cl_log_clear();
  return t;
}

static void timeline_free(Timeline *t) {
  CUcontext popped;
  const bool lives = t->stream && healthy(t) && !CU.cuCtxPushCurrent_v2((CUcontext)t->ctx->rec.handle);
  if (lives) {
    for (cl_Activity *a = t->first; a; a = a->next) {
      CU.cuEventDestroy_v2(a->before);
      CU.cuEventDestroy_v2(a->after);
    }
    for (size_t i = 0; i < t->nspare; i++) CU.cuEventDestroy_v2(t->spare[i]);
    if (t->anchor) CU.cuEventDestroy_v2(t->anchor);
    CU.cuStreamDestroy_v2(t->stream);
    CU.cuCtxPopCurrent_v2(&popped);
    cl_log_clear();
  }
  cl_rec_release(&t->ctx->rec);
  free(t->spare);
  free(t);
}

/* --- recording --- */

static cl_Activity *add(cl_Profile *p) {
  const uint32_t k = p->n / CHUNK;
  if (k < CHUNKS && !p->chunk[k]) p->chunk[k] = calloc(CHUNK, sizeof(cl_Activity));
  if (k >= CHUNKS || !p->chunk[k]) {
    p->dropped++;
    return NULL;
  }
  cl_Activity *a = at(p, p->n++);
  a->number = p->n;
  return a;
}

cl_Activity *cl_activity_begin(lua_State *L, cl_ActivityKind kind, const char *name, cl_Stream *s,
                               uint64_t bytes) {
  const cl_State *st = cl_state(L);
  cl_Profile *p = st ? st->profile : NULL;
  cl_Activity *a = p ? add(p) : NULL;
  if (!a) return NULL;
  a->kind = kind;
  a->name = name;
  a->line = p->line && kind == CL_A_KERNEL ? p->line : cl_here(L);
  a->bytes = bytes;
  if (kind == CL_A_KERNEL) {
    a->bytes = p->bytes;
    p->bytes = 0;
  }
  a->range = p->range;
  a->device = -1;
  if (s) {
    Timeline *t = timeline(L, p);
    a->stream = (uint64_t)(uintptr_t)cl_stream_handle(s);
    a->device = t ? t->ctx->device : -1;
    a->captured = cl_captures && cl_capture_id(s);
    if (p->soft)
      a->seq = 1;
    else if (p->cupti)
      ;
    else if (t && !cl_captures)
      begin_events(p, t, a);
    else if (!a->captured)
      p->untimed++;
  } else if (p->soft) {
    cl_SoftProfile soft = {0};
    cl_driver()->profile(CL_SOFT_LAST, &soft);
    a->ran = soft.ran;
  }
  if (s && p->cupti && !cl_forked) {
    if (p->pushed) cl_cupti_pop();
    cl_cupti_push(a->number);
    p->pushed = true;
    a->pushed = &p->pushed;
  }
  a->begin = now();
  return a;
}

void cl_activity_end(cl_Activity *a, CUresult code) {
  a->end = now();
  a->failed = code != CUDA_SUCCESS;
  if (a->pushed && *a->pushed) {
    cl_cupti_pop();
    *a->pushed = false;
  }
  a->pushed = NULL;
  if (a->after) {
    end_events(a);
  } else if (cl_driver()->profile && (a->seq || a->kind == CL_A_WAIT)) {
    cl_SoftProfile soft = {0};
    cl_driver()->profile(CL_SOFT_LAST, &soft);
    if (a->seq)
      a->seq = a->captured || a->failed ? 0 : soft.seq;
    else
      a->ran = soft.ran - a->ran;
  }
}

void cl_activity_fit(lua_State *L, cl_Activity *a, CUfunction f) {
  cl_Profile *p = cl_state(L)->profile;
  const unsigned threads = a->block[0] * a->block[1] * a->block[2];
  cl_Fit **head = &p->fit[((uintptr_t)f >> 4 ^ threads ^ a->shared) % FITS];
  for (const cl_Fit *x = *head; x; x = x->next)
    if (x->f == f && x->threads == threads && x->shared == a->shared) {
      a->fit = x;
      return;
    }
  cl_Fit *x = calloc(1, sizeof *x);
  if (!x) return;
  *x = (cl_Fit){.next = *head, .f = f, .threads = threads, .shared = a->shared};
  CUdevice device;
  if (CU.cuFuncGetAttribute(&x->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f)) x->registers = 0;
  if (CU.cuFuncGetAttribute(&x->local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f)) x->local = 0;
  if (CU.cuOccupancyMaxActiveBlocksPerMultiprocessor(&x->blocks, f, (int)threads, a->shared)) x->blocks = 0;
  if (CU.cuCtxGetDevice(&device) ||
      CU.cuDeviceGetAttribute(&x->most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device))
    x->most = 0;
  cl_log_clear();
  *head = x;
  a->fit = x;
}

/* --- for Lua --- */

static void stop(cl_Profile *p) {
  if (!p->st) return;
  p->st->profile = NULL;
  p->st = NULL;
  cl_profiles--;
}

static void empty(cl_Profile *p) {
  stop(p);
  for (Timeline *t = p->timelines, *next; t; t = next) {
    next = t->next;
    timeline_free(t);
  }
  p->timelines = NULL;
  if (p->soft && cl_driver()->profile && !cl_forked && !cl_profiles) cl_driver()->profile(CL_SOFT_OFF, NULL);
  p->soft = false;
}

static void end_cupti(cl_Profile *p, bool healthy);

static int profile_gc(lua_State *L) {
  cl_Profile *p = lua_touserdata(L, 1);
  end_cupti(p, false);
  empty(p);
  for (int i = 0; i < CHUNKS; i++) free(p->chunk[i]);
  for (int i = 0; i < FITS; i++)
    for (cl_Fit *x = p->fit[i], *next; x; x = next) {
      next = x->next;
      free(x);
    }
  memset(p, 0, sizeof *p);
  return 0;
}

static void state_closes(cl_State *st) {
  if (st->profile) stop(st->profile);
}
CL_HOOK(cl_on_state_close, 0, state_closes);

/* All handles are dead. */
static void driver_gone(lua_State *L) {
  cl_Profile *p = cl_state(L)->profile;
  if (!p) return;
  for (Timeline *t = p->timelines; t; t = t->next) {
    t->stream = NULL;
    t->anchor = NULL;
    t->nspare = t->pending = 0;
    t->first = t->last = NULL;
  }
}
CL_HOOK(cl_on_driver_reset, 4, driver_gone);

/* profile_begin(counters, cupti) -> the profile, which records from now on */
int cl_profile_begin(lua_State *L) {
  const int counters = lua_toboolean(L, 1);
  cl_State *st = cl_state(L);
  if (st->profile) cl_logic(L, "profile: this program is already being profiled; profiles cannot be nested");
  cl_refuse_in_capture(L, "profile");
  cl_Profile *p = cl_push_finalized(L, sizeof *p, profile_gc);
  p->soft = cl_driver()->profile != NULL;
  if (p->soft) cl_driver()->profile(counters ? CL_SOFT_COUNTS : CL_SOFT_TIMES, NULL);
  const Timeline *t = cl_driver()->open ? timeline(L, p) : NULL;
  if (!p->soft && lua_toboolean(L, 2)) {
    p->why = t && t->stream ? cl_cupti_start(t->stream, now) : "no context was current at the beginning";
    p->cupti = !p->why;
  }
  p->st = st;
  st->profile = p;
  cl_profiles++;
  p->began = now();
  return 1;
}

static void take(void *of, const cl_CuptiTime *t) {
  const cl_Profile *p = of;
  if (t->number < 1 || t->number > p->n) return;
  cl_Activity *a = at(p, (uint32_t)t->number - 1);
  const double begin = (double)t->begin, end = (double)t->end;
  const double first = a->timed && a->gpu_begin < begin ? a->gpu_begin : begin;
  const double last = a->timed && a->gpu_begin + a->gpu_ns > end ? a->gpu_begin + a->gpu_ns : end;
  a->gpu_begin = first;
  a->gpu_ns = last - first;
  a->timed = true;
}

static void end_cupti(cl_Profile *p, bool healthy) {
  if (!p->cupti || cl_forked) return;
  if (p->pushed) cl_cupti_pop();
  p->cupti = p->pushed = false;
  cl_cupti_stop(healthy ? take : NULL, p);
}

static void wait_for(lua_State *L, cl_Profile *p, Timeline *t, bool *interrupted) {
  CUcontext popped;
  if (!healthy(t) || cl_captures || CU.cuCtxPushCurrent_v2((CUcontext)t->ctx->rec.handle)) return;
  if (!*interrupted && cl_wait_context(L) == CL_INTERRUPTED) {
    *interrupted = true;
    cl_interrupt_take();
  }
  if (t->stream) read_done(p, t);
  p->untimed += t->pending;
  CU.cuCtxPopCurrent_v2(&popped);
}

static void set_number(lua_State *L, const char *key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

static cl_Profile *check_profile(lua_State *L) {
  luaL_checktype(L, 1, LUA_TUSERDATA);
  return lua_touserdata(L, 1);
}

/* profile_end(profile, wait) -> {n =, dropped =, untimed =, began =, ended =, ...}. wait: for the device,
 * whose times are read; false: the program failed. */
int cl_profile_end(lua_State *L) {
  cl_Profile *p = check_profile(L);
  bool interrupted = false;
  stop(p);
  p->ended = now();
  for (Timeline *t = p->timelines; t && lua_toboolean(L, 2); t = t->next) wait_for(L, p, t, &interrupted);
  const bool cupti = p->cupti;
  end_cupti(p, lua_toboolean(L, 2));
  for (uint32_t i = 0; cupti && i < p->n; i++) {
    const cl_Activity *a = at(p, i);
    p->untimed += a->kind <= CL_A_GRAPH && !a->timed && !a->captured && !a->failed;
  }
  for (uint32_t i = 0; p->soft && i < p->n; i++) {
    cl_Activity *a = at(p, i);
    cl_SoftProfile soft = {.seq = a->seq};
    if (!a->seq || cl_driver()->profile(CL_SOFT_ONE, &soft) || !soft.begin) continue;
    a->timed = true;
    a->gpu_begin = (double)soft.begin;
    a->gpu_ns = (double)soft.taken;
  }
  if (!interrupted && lua_toboolean(L, 2)) p->ended = now();
  lua_createtable(L, 0, 12);
  set_number(L, "n", p->n);
  set_number(L, "dropped", p->dropped);
  set_number(L, "untimed", p->untimed);
  set_number(L, "began", (double)p->began);
  set_number(L, "ended", (double)p->ended);
  set_number(L, "tie_ns", p->tie_ns);
  set_number(L, "pair_ns", p->pair_ns);
  lua_pushboolean(L, interrupted);
  lua_setfield(L, -2, "interrupted");
  if (cupti) set_number(L, "cupti", cl_cupti_version());
  if (p->why) {
    lua_pushstring(L, p->why);
    lua_setfield(L, -2, "why");
  }
  lua_pushboolean(L, p->soft);
  lua_setfield(L, -2, "soft");
  return 1;
}

/* profile_close(profile): lets go of what the device has of it */
int cl_profile_close(lua_State *L) {
  empty(check_profile(L));
  return 0;
}

static void set_extents(lua_State *L, const char *key, const unsigned *v) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushnumber(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, key);
}

static void set_counts(lua_State *L, cl_Profile *p, const cl_Activity *a) {
  static const char *const names[] = {"instructions", "thread_instructions", "branches",    "parted_branches",
                                      "global_read",  "global_written",      "shared_read", "shared_written"};
  cl_SoftProfile soft = {.seq = a->seq};
  if (!p->soft || !a->seq || !cl_driver()->profile || cl_driver()->profile(CL_SOFT_ONE, &soft)) return;
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
    set_number(L, names[i], (double)soft.counts[i]);
}

/* profile_record(profile, i, counters) -> the activity with that number, a table */
int cl_profile_record(lua_State *L) {
  static const char *const kinds[] = {"kernel", "copy", "fill", "graph", "compile", "load", "wait", "range"};
  cl_Profile *p = check_profile(L);
  const lua_Integer i = luaL_checkinteger(L, 2);
  if (i < 1 || i > (lua_Integer)p->n) return 0;
  const cl_Activity *a = at(p, (uint32_t)i - 1);
  lua_createtable(L, 0, 20);
  lua_pushstring(L, kinds[a->kind]);
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, a->name);
  lua_setfield(L, -2, "name");
  lua_pushstring(L, a->line);
  lua_setfield(L, -2, "line");
  set_number(L, "begin", (double)a->begin - (double)p->began);
  set_number(L, "host_ns", a->end ? (double)a->end - (double)a->begin : 0);
  if (!a->end) set_number(L, "open", 1);
  if (a->bytes) set_number(L, "bytes", (double)a->bytes);
  if (a->device >= 0) set_number(L, "device", a->device);
  if (a->device >= 0) set_number(L, "stream", (double)a->stream);
  if (a->range) set_number(L, "range", a->range);
  if (a->captured) set_number(L, "captured", 1);
  if (a->failed) set_number(L, "failed", 1);
  if (a->kind == CL_A_WAIT && p->soft) set_number(L, "ran_ns", (double)a->ran);
  if (a->timed) {
    set_number(L, "gpu_begin", a->gpu_begin - (double)p->began);
    set_number(L, "gpu_ns", a->gpu_ns);
  }
  if (a->kind == CL_A_KERNEL) {
    set_extents(L, "grid", a->grid);
    set_extents(L, "block", a->block);
    set_number(L, "shared", a->shared);
    if (a->fit && a->fit->registers) set_number(L, "registers", a->fit->registers);
    if (a->fit && a->fit->local) set_number(L, "local_bytes", a->fit->local);
    if (a->fit && a->fit->most)
      set_number(L, "occupancy", (double)a->fit->blocks * a->fit->threads / a->fit->most);
  }
  if (lua_toboolean(L, 3)) set_counts(L, p, a);
  return 1;
}

/* profile_bytes(n): that the next kernel reads and writes */
int cl_profile_bytes(lua_State *L) {
  cl_Profile *p = cl_state(L)->profile;
  if (p) p->bytes = (uint64_t)lua_tonumber(L, 1);
  return 0;
}

/* profile_line(line): that wrote what kernels compute from here on; nil: the line that runs */
int cl_profile_line(lua_State *L) {
  cl_Profile *p = cl_state(L)->profile;
  if (p) p->line = lua_type(L, 1) == LUA_TSTRING ? cl_intern(lua_tostring(L, 1)) : NULL;
  return 0;
}

/* range_open(name) -> its number, the profile's beginning, or nil twice, and a tool's number: 8 bytes */
int cl_range_open(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  cl_Activity *a = cl_is_profiling() ? cl_activity_begin(L, CL_A_RANGE, cl_intern(name), NULL, 0) : NULL;
  if (a) {
    cl_Profile *p = cl_state(L)->profile;
    p->range = a->number;
    lua_pushnumber(L, a->number);
    lua_pushnumber(L, (lua_Number)p->began);
  } else {
    lua_pushnil(L);
    lua_pushnil(L);
  }
  const uint64_t id = cl_nvtx_start(name);
  if (!id) return 2;
  lua_pushlstring(L, (const char *)&id, sizeof id);
  return 3;
}

/* range_close(number, began, id), as of range_open() */
int cl_range_close(lua_State *L) {
  cl_Profile *p = cl_state(L)->profile;
  const lua_Number i = lua_tonumber(L, 1);
  uint64_t id = 0;
  if (lua_type(L, 3) == LUA_TSTRING && lua_objlen(L, 3) == sizeof id) {
    memcpy(&id, lua_tostring(L, 3), sizeof id);
    cl_nvtx_end(id);
  }
  if (!p || (lua_Number)p->began != lua_tonumber(L, 2) || i < 1 || i > p->n) return 0;
  at(p, (uint32_t)i - 1)->end = now();
  while (p->range && at(p, p->range - 1)->end) p->range = at(p, p->range - 1)->range;
  return 0;
}
