/* Communicator: a group of ranks that moves arrays by NCCL (lua/cudalua/distributed/transport/nccl.lua). See
 * communicator.h. */
#include "distributed/communicator.h"
#include "base/interrupt.h"
#include "base/lock.h"
#include "base/state.h"
#include "streams/graph.h"
#include "streams/order.h"
#include "streams/wait.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

cl_Collectives cl_nccl;

CL_LOCK(lock);

double cl_nccl_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pause_ns(long ns) { nanosleep(&(struct timespec){.tv_nsec = ns}, NULL); }

void cl_nccl_lock(void) { pthread_mutex_lock(&lock); }
bool cl_nccl_lock_for(int seconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += seconds;
  return !pthread_mutex_timedlock(&lock, &t);
}
void cl_nccl_leave(void) { pthread_mutex_unlock(&lock); }

bool cl_nccl_enter(void) {
  while (pthread_mutex_trylock(&lock)) {
    if (cl_nccl.failed) return false;
    pause_ns(10000);
  }
  if (!cl_nccl.failed) return true;
  cl_nccl_leave();
  return false;
}

/* --- which calls are done --- */

/* Between two events of the default stream. An event takes a microsecond of host time, and more of the
 * device's. */
#define SHORT_SECONDS 1e-3

static bool is_done(CUevent e) { return CU.cuEventQuery(e) != CUDA_ERROR_NOT_READY; }

/* Is event[0] recorded, so that it tells whether the calls are done? */
static bool is_marked(const cl_CallLane *lane) { return lane->second || !lane->is_short; }

/* Records the last event; called under the lock, but never by the watchdog. While one thread copies to the
 * host, another one that records an event in the same stream waits for the copy. Does nothing while anything
 * is captured, as that might break the capture. */
static void reach_last(cl_CallLane *lane) {
  CUcontext current = NULL, popped;
  const CUcontext own = (CUcontext)cl_nccl.ctx->rec.handle;
  if (!lane->is_short || cl_captures || CU.cuCtxGetCurrent(&current)) return;
  if (current != own && CU.cuCtxPushCurrent_v2(own)) return;
  lane->is_short = CU.cuEventRecord(lane->event[lane->second != 0], NULL) != CUDA_SUCCESS;
  if (current != own) CU.cuCtxPopCurrent_v2(&popped);
  cl_nccl.recorded = cl_nccl_now();
}

static void reach_all(void) {
  bool is_short = false;
  for (cl_CallLane *lane = cl_nccl.lanes; lane; lane = lane->other) {
    reach_last(lane);
    is_short = is_short || lane->is_short;
  }
  if (!is_short) cl_loose_end = NULL;
}

/* Called before a launch, so that the event precedes the kernel, and before a wait, which may last until the
 * call is done. */
static void tie_up(void) {
  if (cl_forked || !cl_nccl_enter()) return;
  reach_all();
  cl_nccl_leave();
}

static void look_at_lane(cl_CallLane *lane) {
  while (lane->first && is_marked(lane) && is_done(lane->event[0])) {
    const CUevent done = lane->event[0];
    lane->event[0] = lane->event[1];
    lane->event[1] = done;
    lane->first = lane->second;
    lane->second = 0;
    lane->since = cl_nccl_now();
  }
}

void cl_nccl_confirm(void) {
  uint64_t confirmed = cl_write_mark;
  const CUstreamCaptureMode mode = cl_relax();
  for (cl_CallLane *lane = cl_nccl.lanes; lane; lane = lane->other) {
    look_at_lane(lane);
    if (lane->first && lane->first - 1 < confirmed) confirmed = lane->first - 1;
  }
  cl_unrelax(mode);
  cl_nccl.confirmed = confirmed;
}

double cl_nccl_waiting(void) {
  double since = cl_nccl.call.since > 0 ? cl_nccl.call.since : -1;
  for (const cl_CallLane *lane = cl_nccl.lanes; lane; lane = lane->other)
    if (lane->first && is_marked(lane) && (since < 0 || lane->since < since)) since = lane->since;
  return since < 0 ? 0 : cl_nccl_now() - since;
}

/* The lane of a stream, or one that has nothing to wait for; NULL: there is no memory for one. */
static cl_CallLane *lane_of(uint64_t stream) {
  cl_CallLane *idle = NULL;
  for (cl_CallLane *lane = cl_nccl.lanes; lane; lane = lane->other) {
    if (lane->stream == stream) return lane;
    if (!lane->first) idle = lane;
  }
  if (!idle && (idle = calloc(1, sizeof *idle))) {
    CU.cuEventCreate(&idle->event[0], CU_EVENT_DISABLE_TIMING);
    CU.cuEventCreate(&idle->event[1], CU_EVENT_DISABLE_TIMING);
    idle->other = cl_nccl.lanes;
    cl_nccl.lanes = idle;
  }
  if (idle) idle->stream = stream;
  return idle;
}

void cl_nccl_note(const cl_Stream *s) {
  const uint64_t n = ++cl_write_mark;
  cl_CallLane *lane = lane_of(s->rec.generation);
  cl_nccl.latest = lane;
  if (!lane) return;
  if (lane->first && !lane->second && !lane->is_short) look_at_lane(lane);
  const double now = cl_nccl_now();
  if (!lane->first) {
    lane->first = n;
    lane->since = now;
  } else if (!lane->second && !lane->is_short) {
    lane->second = n;
  } /* otherwise this call is one of the last ones, whose event comes later */
  lane->is_short = s == &cl_legacy_stream && now - cl_nccl.recorded < SHORT_SECONDS;
  if (lane->is_short) {
    cl_loose_end = tie_up;
    return;
  }
  CU.cuEventRecord(lane->event[lane->second != 0], cl_stream_handle(s));
  if (s == &cl_legacy_stream) cl_nccl.recorded = now;
}

/* Calls run in the order of the program, also in several streams: their kernels wait for other ranks, and of
 * two that do so at the same time, one may keep the other from the device. */
static CUresult join_latest(const cl_Stream *s) {
  cl_CallLane *lane = cl_nccl.latest;
  if (!lane || !lane->first || lane->stream == s->rec.generation) return CUDA_SUCCESS;
  reach_last(lane);
  return CU.cuStreamWaitEvent(cl_stream_handle(s), lane->event[lane->second != 0], 0);
}

/* --- failures --- */

void cl_nccl_set_failed(void) {
  if (cl_nccl.failed) return;
  cl_nccl_confirm();
  cl_nccl.failed = true;
  cl_loose_end = NULL;
}

/* All at once, as a kernel of one keeps the others from ending. */
void cl_nccl_abort(bool all) {
  int n = 0;
  for (cl_Comm *c = cl_nccl.comms; c; c = c->next)
    n += c->state == CL_COMM_OPEN && c->comm && (all || !c->busy);
  if (n > 1) cl_nccl.f.GroupStart();
  for (cl_Comm *c = cl_nccl.comms; c; c = c->next) {
    if (c->state != CL_COMM_OPEN || !c->comm || (c->busy && !all)) continue;
    c->state = CL_COMM_ABORTED;
    cl_nccl.f.CommAbort(c->comm);
  }
  if (n > 1) cl_nccl.f.GroupEnd();
}

/* In the main thread, when it first meets the failure: what was written behind the confirmed calls is lost,
 * and so are values that kernels have left for the host. */
static void see_failure(void) {
  char text[CL_TEXT + 256];
  if (cl_nccl.seen) return;
  cl_nccl.seen = true;
  cl_failure_text(cl_nccl.w, text, sizeof text);
  cl_lose_written(cl_nccl.ctx, cl_nccl.confirmed, text);
  cl_nccl.state->ticket = 0;
}

int cl_nccl_raise(lua_State *L, const char *where) {
  if (cl_nccl.failed && cl_state(L) == cl_nccl.state) see_failure();
  if (cl_nccl.alone) {
    char text[CL_TEXT + 256];
    cl_failure_text(cl_nccl.w, text, sizeof text);
    cl_error_new(L, CL_RUNTIME_ERROR, "%s: %s", where, text);
    lua_pushinteger(L, cl_nccl.rank);
    lua_setfield(L, -2, "rank");
    cl_throw(L);
  }
  cl_fail_wait(L, cl_nccl.w, where, CL_FAILED, NULL);
}

/* This rank cannot go on: the others hear why. */
static void fail_here(cl_Comm *c, const char *why) {
  cl_fail_world(cl_nccl.w, CL_F_SAID, cl_nccl.w->rank, why);
  c->busy = false;
  if (!cl_nccl_enter()) return; /* the watchdog aborts */
  cl_nccl_set_failed();
  cl_nccl_abort(false);
  cl_nccl_leave();
}

static void describe(const cl_Comm *c, const char *call, int result, char *text, size_t size) {
  const char *detail = c->comm && cl_nccl.f.GetLastError ? cl_nccl.f.GetLastError(c->comm) : NULL;
  const bool is_known = detail && *detail;
  snprintf(text, size, "NCCL refused %s: %s (%d)%s%.500s; NCCL_DEBUG=WARN tells more", call,
           cl_nccl.f.GetErrorString(result), result, is_known ? ": " : "", is_known ? detail : "");
}

/* --- what waits for other ranks at length --- */

typedef enum Step { OPENING, ENDING } Step;

typedef struct Job {
  _Atomic uint32_t refs; /* the thread's, and that of whoever waits */
  _Atomic bool done;
  Step step;
  int result, size, rank;
  CUcontext ctx;
  cl_NcclComm comm;
  cl_NcclId id;
} Job;

static void drop_job(Job *job) {
  if (atomic_fetch_sub(&job->refs, 1) == 1) free(job);
}

static void *run_job(void *argument) {
  Job *job = argument;
  CUcontext popped;
  CU.cuCtxPushCurrent_v2(job->ctx);
  if (job->step == OPENING) {
    cl_NcclConfig config = {
        .size = sizeof config, .magic = CL_NCCL_MAGIC, .version = CL_NCCL_OLDEST, .blocking = 1};
    job->result = cl_nccl.f.CommInitRankConfig(&job->comm, job->size, job->id, job->rank, &config);
  } else {
    job->result = cl_nccl.f.CommFinalize(job->comm);
    if (!job->result) job->result = cl_nccl.f.CommDestroy(job->comm);
  }
  CU.cuCtxPopCurrent_v2(&popped);
  job->done = true;
  drop_job(job);
  return NULL;
}

static Job *start_job(Step step, const cl_Comm *c) {
  Job *job = calloc(1, sizeof *job);
  pthread_t thread;
  sigset_t all, before;
  if (!job) return NULL;
  *job = (Job){.refs = 2, .step = step, .size = c->size, .rank = c->me, .comm = c->comm};
  job->ctx = (CUcontext)c->rec.parent->handle;
  if (step == OPENING) job->id = c->id;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = !pthread_create(&thread, NULL, run_job, job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) return pthread_detach(thread), job;
  free(job);
  return NULL;
}

typedef enum JobEnd { JOB_DONE, JOB_FAILED, JOB_LATE, JOB_INTERRUPTED } JobEnd;

/* Waits for it. watch: NULL, or asked for Ctrl-C. */
static JobEnd await_job(Job *job, double seconds, cl_Watch *watch) {
  const double begin = cl_nccl_now();
  while (!job->done) {
    if (watch && cl_watch_wants_to_stop(watch)) return JOB_INTERRUPTED;
    if (cl_nccl_now() - begin > seconds) return JOB_LATE;
    if (cl_world_failed(cl_nccl.w)) return JOB_FAILED;
    pause_ns(200000);
  }
  return JOB_DONE;
}

bool cl_nccl_end(cl_Comm *c, double seconds) {
  Job *job = start_job(ENDING, c);
  if (!job) return false;
  const JobEnd end = await_job(job, seconds, NULL);
  drop_job(job);
  return end == JOB_DONE;
}

/* Opens c, which is busy and in the list; raises. */
static void open_comm(lua_State *L, cl_Comm *c, const char *where) {
  char text[1024];
  cl_Watch watch;
  const double limit = cl_nccl.w->limit;
  Job *job = start_job(OPENING, c);
  if (!job) luaL_error(L, "%s: cannot start a thread", where);
  cl_watch_begin(L, &watch);
  const JobEnd end = await_job(job, limit, &watch);
  const int result = job->result;
  if (end == JOB_DONE && !result) {
    const bool entered = cl_nccl_enter();
    if (entered) c->comm = job->comm;
    if (entered) cl_nccl_leave();
    drop_job(job);
    if (entered) return;
    cl_nccl_raise(L, where);
  }
  drop_job(job);
  if (end == JOB_DONE) {
    describe(c, "to connect the ranks", result, text, sizeof text);
  } else if (end == JOB_INTERRUPTED) {
    snprintf(text, sizeof text, "rank %d was interrupted in %s", cl_nccl.rank, where);
  } else {
    snprintf(text, sizeof text, "rank %d waited for other ranks in %s for %g s", cl_nccl.rank, where, limit);
  }
  fail_here(c, text);
  if (end == JOB_INTERRUPTED) cl_fail_wait(L, cl_nccl.w, where, CL_INTERRUPTED_WAIT, &watch);
  cl_nccl_raise(L, where);
}

/* --- opening --- */

static CUresult comm_destroy(cl_Rec *r) {
  (void)r;
  return CUDA_SUCCESS;
}
CL_FAMILY(CL_COMMUNICATOR, .destroy = comm_destroy);

static void *find(lua_State *L, void *library, const char *name) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "nccl%s", name);
  void *address = dlsym(library, symbol);
  if (address) return address;
  cl_error_new(L, CL_RUNTIME_ERROR, "init: this NCCL has no %s; version 2.14 or later is needed", symbol);
  cl_throw(L);
}

/* nccl_environment(): before NCCL is opened. NVLink multicast stays off unless the user has said otherwise.
 */
int cl_nccl_environment(lua_State *L) {
  (void)L;
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  return 0;
}

/* nccl_open(path) -> version, as NCCL gives it: of the library of that name, which is loaded already */
int cl_nccl_open(lua_State *L) {
  void *library = dlopen(luaL_checkstring(L, 1), RTLD_LAZY | RTLD_NODELETE);
  if (!library) return luaL_error(L, "%s", dlerror());
  cl_Nccl f = {0};
#define FIND(name, parameters)                                                                               \
  do {                                                                                                       \
    void *address = find(L, library, #name);                                                                 \
    memcpy(&f.name, &address, sizeof address);                                                               \
  } while (0);
  CL_NCCL_FUNCTIONS(FIND)
  FIND(GetErrorString, )
#undef FIND
  void *last = dlsym(library, "ncclGetLastError");
  memcpy(&f.GetLastError, &last, sizeof last);
  int version = 0;
  if (f.GetVersion(&version) || version < CL_NCCL_OLDEST) {
    cl_error_new(L, CL_RUNTIME_ERROR,
                 "init: this NCCL has the version number %d; version 2.14 or later is needed", version);
    cl_throw(L);
  }
  if (!cl_nccl.open) cl_nccl.f = f;
  cl_nccl.open = true;
  lua_pushinteger(L, version);
  return 1;
}

/* nccl_id() -> the 128 bytes by which ranks find each other */
int cl_nccl_id(lua_State *L) {
  cl_NcclId id;
  cl_nccl_lock();
  const int result = cl_nccl.f.GetUniqueId(&id);
  cl_nccl_leave();
  if (result) {
    cl_error_new(L, CL_RUNTIME_ERROR, "ncclGetUniqueId failed: %s (%d); NCCL_DEBUG=WARN tells more",
                 cl_nccl.f.GetErrorString(result), result);
    cl_throw(L);
  }
  lua_pushlstring(L, id.bytes, sizeof id.bytes);
  return 1;
}

/* NCCL's own threads work in the primary context. */
static void check_primary(lua_State *L, const cl_Context *ctx) {
  CUcontext primary = NULL;
  CL_TRY(L, cuDevicePrimaryCtxRetain, &primary, ctx->device);
  CU.cuDevicePrimaryCtxRelease_v2(ctx->device);
  if (primary != (CUcontext)ctx->rec.handle)
    cl_logic(L, "init: NCCL needs the primary context of the device; make it current before the call, "
                "Device:retain_primary_context():push(), or leave the choice to init()");
}

static void publish(lua_State *L, cl_Comm *c, cl_World *w, cl_Context *ctx) {
  cl_rec_retain(&c->rec);
  if (!cl_nccl.w) {
    cl_nccl.w = cl_world_retain(w);
    cl_nccl.ctx = ctx;
    cl_nccl.state = cl_state(L);
    cl_rec_retain(&ctx->rec);
  }
  c->next = cl_nccl.comms;
  cl_nccl.comms = c;
  cl_nccl.used = true;
}

/* communicator(shared group, where, id, size, rank, rank in the world) -> Communicator in the current
 * context. All ranks call it. The shared group may be that of this process alone. */
int cl_communicator_new(lua_State *L) {
  cl_World *w = cl_check_group(L, 1)->w;
  const char *where = luaL_checkstring(L, 2);
  size_t length;
  const char *bytes = luaL_checklstring(L, 3, &length);
  const int size = (int)cl_check_int(L, 4, "size", 1, 1 << 20);
  const int rank = (int)cl_check_int(L, 5, "rank", 0, size - 1);
  if (length != sizeof(cl_NcclId)) return luaL_error(L, "communicator: the id has %d bytes", (int)length);
  const int world_rank = (int)cl_check_int(L, 6, "rank", 0, 1 << 20);
  cl_check_rank_process(L, w, where);
  cl_Comm *c = cl_push_in_current(L, CL_COMMUNICATOR, sizeof(cl_Object), sizeof *c);
  cl_Context *ctx = cl_rec_context(&c->rec);
  check_primary(L, ctx);
  c->size = size;
  c->me = rank;
  memcpy(c->id.bytes, bytes, sizeof c->id.bytes);
  c->busy = true;
  c->rec.life = CL_LIVE;
  if (!cl_nccl_enter()) cl_nccl_raise(L, where);
  publish(L, c, w, ctx);
  cl_nccl.rank = world_rank;
  if (w->s->size == 1 && size > 1) cl_nccl.alone = true;
  cl_nccl_leave();
  open_comm(L, c, where);
  c->busy = false;
  if (!cl_watchdog_start()) return luaL_error(L, "%s: cannot start a thread", where);
  return 1;
}

static cl_Comm *check_comm(lua_State *L) {
  return (cl_Comm *)((cl_Object *)cl_check(L, 1, CL_COMMUNICATOR))->rec;
}

/* communicator:close(where): behind its last work; all ranks call it at the same time */
int cl_communicator_close(lua_State *L) {
  cl_Comm *c = check_comm(L);
  const char *where = luaL_checkstring(L, 2);
  cl_check_rank_process(L, cl_nccl.w, where);
  const CUresult code = cl_wait_context(L);
  if (code) cl_fail(L, "cuCtxSynchronize", code);
  if (!cl_nccl_enter()) cl_nccl_raise(L, where);
  const bool is_open = c->state == CL_COMM_OPEN;
  c->state = CL_COMM_CLOSED;
  cl_nccl_leave();
  if (!is_open || cl_nccl_end(c, cl_nccl.w->limit)) return 0;
  fail_here(c, "NCCL did not end a communicator in time");
  cl_nccl_raise(L, where);
}

/* --- calls --- */

/* What one rank gives to one other. */
typedef struct Part {
  uint64_t address;
  size_t bytes;
  int peer;
  bool sent; /* or received */
} Part;

typedef struct Call {
  cl_CallKind kind;
  const Part *parts; /* NULL: it is a call of that kind; otherwise these parts move, whatever the kind */
  int nparts;
  uint64_t in, out;    /* 0: this rank gives or gets nothing */
  size_t count, bytes; /* of one part */
  int type, op, root;
  CUstream stream;
} Call;

static void *at(uint64_t start, size_t offset) { return (void *)(uintptr_t)(start + offset); }

/* Moves parts between ranks. All sends and receives are one group, so they run at the same time. */
static int move_parts(const cl_Comm *c, const Call *k) {
  const cl_Nccl *f = &cl_nccl.f;
  const bool gives_all = k->kind == CL_ALL_TO_ALL || (k->kind == CL_SCATTER && c->me == k->root);
  const bool gets_all = k->kind == CL_ALL_TO_ALL || (k->kind == CL_GATHER && c->me == k->root);
  int result = f->GroupStart();
  for (int r = 0; r < c->size && !result && gives_all; r++)
    result = f->Send(at(k->in, (size_t)r * k->bytes), k->count, k->type, r, c->comm, k->stream);
  for (int r = 0; r < c->size && !result && gets_all; r++)
    result = f->Recv(at(k->out, (size_t)r * k->bytes), k->count, k->type, r, c->comm, k->stream);
  if (!result && k->kind == CL_GATHER)
    result = f->Send(at(k->in, 0), k->count, k->type, k->root, c->comm, k->stream);
  if (!result && k->kind == CL_SCATTER)
    result = f->Recv(at(k->out, 0), k->count, k->type, k->root, c->comm, k->stream);
  const int end = f->GroupEnd();
  return result ? result : end;
}

static int move_list(const cl_Comm *c, const Call *k) {
  const cl_Nccl *f = &cl_nccl.f;
  int result = f->GroupStart();
  for (const Part *p = k->parts; p < k->parts + k->nparts && !result; p++)
    result = p->sent ? f->Send(at(p->address, 0), p->bytes, CL_NCCL_UINT8, p->peer, c->comm, k->stream)
                     : f->Recv(at(p->address, 0), p->bytes, CL_NCCL_UINT8, p->peer, c->comm, k->stream);
  const int end = f->GroupEnd();
  return result ? result : end;
}

static int issue(const cl_Comm *c, const Call *k) {
  const cl_Nccl *f = &cl_nccl.f;
  if (k->parts) return move_list(c, k);
  const void *in = at(k->in, 0);
  void *out = at(k->out, 0);
  switch (k->kind) {
  case CL_ALL_REDUCE: return f->AllReduce(in, out, k->count, k->type, k->op, c->comm, k->stream);
  case CL_REDUCE: return f->Reduce(in, out, k->count, k->type, k->op, k->root, c->comm, k->stream);
  case CL_BROADCAST: return f->Broadcast(in, out, k->count, k->type, k->root, c->comm, k->stream);
  case CL_ALL_GATHER: return f->AllGather(in, out, k->count, k->type, c->comm, k->stream);
  case CL_REDUCE_SCATTER: return f->ReduceScatter(in, out, k->count, k->type, k->op, c->comm, k->stream);
  case CL_SEND: return f->Send(in, k->count, k->type, k->root, c->comm, k->stream);
  case CL_RECV: return f->Recv(out, k->count, k->type, k->root, c->comm, k->stream);
  default: return move_parts(c, k);
  }
}

/* What s does next with this memory comes after what other streams do with it. aside: the memory stays with
 * its home, so that work there waits for this call, and not for later ones in s. */
static CUresult join_users(cl_Allocation *a, const cl_Context *ctx, cl_Stream *s, bool aside) {
  if (a->order.home == s && !a->order.nuses) return CUDA_SUCCESS;
  if (!aside && cl_order_done(&a->order, ctx, s)) return CUDA_SUCCESS;
  return cl_order_join(&a->order, s);
}

/* The memory at idx, an address or nothing: {memory, bytes from its start}. */
static uint64_t address_at(lua_State *L, int idx, const char *where, const cl_Context *ctx, cl_Stream *s,
                           bool aside) {
  if (!lua_toboolean(L, idx)) return 0;
  const cl_MemoryObject *m = cl_check_memory(L, idx, "memory");
  if (cl_rec_context(m->o.rec) != ctx)
    cl_logic(L, "%s: the array belongs to another context than the group", where);
  if (m->o.rec->tracks && !cl_captures) {
    const CUresult code = join_users((cl_Allocation *)m->o.rec, ctx, s, aside);
    if (code) cl_fail(L, "cuStreamWaitEvent", code);
  }
  return m->address + (uint64_t)lua_tonumber(L, idx + 1);
}

/* What a launch notes of memory that it uses. */
static void used(lua_State *L, int idx, bool captured, cl_Stream *s) {
  const cl_MemoryObject *m = lua_toboolean(L, idx) ? cl_to_memory(L, idx) : NULL;
  if (!m || !cl_rec_live(m->o.rec)) return;
  if (captured)
    cl_capture_keep(L, s, idx);
  else
    cl_memory_used(L, m, s);
}

static void fail_state(lua_State *L, const char *where) {
  cl_logic(L, "%s: the communicator of this group was closed", where);
}

/* Raises if the call failed, or the world meanwhile. */
static void check_result(lua_State *L, cl_Comm *c, int result, const char *where) {
  char text[1024];
  if (cl_nccl.call.interrupted) {
    const cl_Watch watch = cl_nccl.call.watch;
    cl_fail_wait(L, cl_nccl.w, where, CL_INTERRUPTED_WAIT, &watch);
  }
  if (result && !cl_world_failed(cl_nccl.w)) {
    describe(c, where, result, text, sizeof text);
    fail_here(c, text);
  }
  cl_nccl_raise(L, where);
}

/* s: where the call goes, or NULL if a graph is being captured that gets it. */
static void make_call(lua_State *L, cl_Comm *c, const Call *call, const char *where, const cl_Stream *s) {
  cl_World *w = cl_nccl.w;
  if (!cl_nccl_enter()) cl_nccl_raise(L, where);
  if (c->state != CL_COMM_OPEN) {
    cl_nccl_leave();
    fail_state(L, where);
  }
  c->busy = true;
  if (strncmp(cl_nccl.last, where, sizeof cl_nccl.last - 1)) /* calls mostly repeat */
    snprintf(cl_nccl.last, sizeof cl_nccl.last, "%s", where);
  cl_nccl.call.since = cl_nccl_now();
  cl_watch_begin(L, &cl_nccl.call.watch);
  const CUresult joined = s ? join_latest(s) : CUDA_SUCCESS;
  if (joined) {
    c->busy = false;
    cl_nccl.call.since = 0;
  }
  cl_nccl_leave();
  if (joined) cl_fail(L, "cuStreamWaitEvent", joined);
  const bool is_for_all = !call->parts && call->kind != CL_SEND && call->kind != CL_RECV;
  if (s && c->size == (int)w->s->size && is_for_all) w->s->rank[w->rank].calls++;
  const CUstreamCaptureMode mode = s ? CU_STREAM_CAPTURE_MODE_GLOBAL : cl_relax();
  const int result = issue(c, call);
  if (!s) cl_unrelax(mode);
  c->busy = false;
  if (!cl_nccl_enter()) check_result(L, c, result, where);
  cl_nccl.call.since = 0;
  if (!result && s) cl_nccl_note(s);
  if (!result && !s) cl_nccl.captured = true;
  cl_nccl_leave();
  if (__builtin_expect(result != 0, 0)) check_result(L, c, result, where);
}

/* Raises if a call cannot be made now. */
static cl_Stream *current_stream(lua_State *L, cl_Context *ctx, const char *where) {
  if (cl_nccl.failed || cl_forked) {
    cl_check_rank_process(L, cl_nccl.w, where);
    cl_nccl_raise(L, where);
  }
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  if (current != (CUcontext)ctx->rec.handle)
    cl_logic(L, "%s: the context of the group's device is not current", where);
  return cl_current_stream(L, where, ctx);
}

/* communicator:run(where, kind, in, offset, out, offset, count, bytes, type, op, root [, aside]) -> is it in
 * a graph that is being captured?, the number of the call. In the current stream. `in` and `out` are memory,
 * or false; `count` elements of NCCL's `type` and `bytes` are those of one part. aside: other streams are to
 * wait for this call alone. Makes nothing in Lua, so it may stand between a look at arrays and the call. */
int cl_communicator_run(lua_State *L) {
  cl_Comm *c = check_comm(L);
  const char *where = luaL_checkstring(L, 2);
  cl_Context *ctx = cl_rec_context(&c->rec);
  cl_Stream *s = current_stream(L, ctx, where);
  const bool captured = cl_captures && cl_capture_id(s), aside = lua_toboolean(L, 13);
  if (aside && cl_captures)
    cl_logic(L, "%s: async is not possible while a stream is being captured; leave it out", where);
  Call call = {
      .kind = (cl_CallKind)luaL_checkoption(L, 3, NULL, cl_call_kinds),
      .in = address_at(L, 4, where, ctx, s, aside),
      .out = address_at(L, 6, where, ctx, s, aside),
      .count = (size_t)lua_tonumber(L, 8),
      .bytes = (size_t)lua_tonumber(L, 9),
      .type = (int)lua_tointeger(L, 10),
      .op = (int)lua_tointeger(L, 11),
      .root = (int)lua_tointeger(L, 12),
      .stream = cl_stream_handle(s),
  };
  if (!call.in) call.in = call.out;
  if (!call.out) call.out = call.in;
  make_call(L, c, &call, where, captured ? NULL : s);
  const uint64_t number = cl_write_mark;
  used(L, 4, captured, s);
  used(L, 6, captured, s);
  const cl_MemoryObject *out = lua_toboolean(L, 6) ? cl_to_memory(L, 6) : NULL;
  if (out && out->o.rec) cl_rec_written(out->o.rec);
  lua_pushboolean(L, captured);
  lua_pushnumber(L, (lua_Number)number);
  return 2;
}

/* nccl_lost(number [, where]) -> did the call with this number end with the world, before it was complete?
 * where: then raises why. */
int cl_nccl_lost(lua_State *L) {
  const uint64_t number = (uint64_t)luaL_checknumber(L, 1);
  const bool lost = cl_nccl.failed && number > cl_nccl.confirmed;
  if (lost && !lua_isnoneornil(L, 2)) cl_nccl_raise(L, luaL_checkstring(L, 2));
  lua_pushboolean(L, lost);
  return 1;
}

/* Room for the parts of one call; NULL: there is no memory. It stays, as calls repeat. */
static Part *room_for(size_t n) {
  static Part *list;
  static size_t room;
  if (n > room) {
    Part *more = realloc(list, n * sizeof *list);
    if (!more) return NULL;
    list = more;
    room = n;
  }
  return list;
}

enum { PART_FIELDS = 5 };

/* Pushes the memory of a part and its offset, as calls have them. */
static void push_memory(lua_State *L, int list, size_t k) {
  lua_rawgeti(L, list, (int)(k * PART_FIELDS) + 1);
  lua_rawgeti(L, list, (int)(k * PART_FIELDS) + 2);
}

static double number_at(lua_State *L, int list, size_t k, int field) {
  lua_rawgeti(L, list, (int)(k * PART_FIELDS) + field);
  const double x = luaL_checknumber(L, -1);
  lua_pop(L, 1);
  return x;
}

/* communicator:exchange(where, parts) -> is it in a graph that is being captured? All parts move at the same
 * time. The list has five values for each part: memory, the offset in it, bytes, the other member, and 1 for
 * what is sent or 0 for what is received. Makes nothing in Lua. */
int cl_communicator_exchange(lua_State *L) {
  cl_Comm *c = check_comm(L);
  const char *where = luaL_checkstring(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  luaL_checkstack(L, 8, where);
  const size_t n = lua_objlen(L, 3) / PART_FIELDS;
  cl_Context *ctx = cl_rec_context(&c->rec);
  cl_Stream *s = current_stream(L, ctx, where);
  const bool captured = cl_captures && cl_capture_id(s);
  Part *parts = room_for(n ? n : 1);
  if (!parts) return luaL_error(L, "%s: not enough memory", where);
  for (size_t k = 0; k < n; k++) {
    push_memory(L, 3, k);
    const uint64_t address = address_at(L, 4, where, ctx, s, false);
    lua_settop(L, 3);
    parts[k] = (Part){.address = address,
                      .bytes = (size_t)number_at(L, 3, k, 3),
                      .peer = (int)number_at(L, 3, k, 4),
                      .sent = number_at(L, 3, k, 5) != 0};
  }
  const Call call = {.parts = parts, .nparts = (int)n, .stream = cl_stream_handle(s)};
  make_call(L, c, &call, where, captured ? NULL : s);
  for (size_t k = 0; k < n; k++) {
    push_memory(L, 3, k);
    used(L, 4, captured, s);
    const cl_MemoryObject *m = cl_to_memory(L, 4);
    if (m && m->o.rec && number_at(L, 3, k, 5) == 0) cl_rec_written(m->o.rec);
    lua_settop(L, 3);
  }
  lua_pushboolean(L, captured);
  return 1;
}

/* A call has waited for the device. What it waited for may have ended without all of its data: the first one
 * raises, and memory that is whole can be read after that. */
static void look_after_wait(lua_State *L) {
  if (!cl_nccl.used || cl_forked || cl_state(L) != cl_nccl.state) return;
  if (!cl_nccl_enter()) {
    if (cl_nccl.told || cl_nccl.confirmed == cl_write_mark) return;
    cl_nccl.told = true;
    cl_nccl_raise(L, *cl_nccl.last ? cl_nccl.last : "wait");
  }
  if (cl_nccl.confirmed != cl_write_mark) cl_nccl_confirm();
  cl_nccl_leave();
}
CL_HOOK(cl_on_wait, 3, look_after_wait);
CL_HOOK(cl_on_answer, 1, look_after_wait);

/* A graph that has calls makes them whenever it is launched, behind the calls before. Any graph counts, as
 * soon as one has. */
static bool makes_calls(lua_State *L, const cl_Stream *s) {
  if (!cl_nccl.captured || cl_forked || (cl_captures && cl_capture_id(s))) return false;
  if (!cl_nccl_enter()) cl_nccl_raise(L, "GraphExec:launch");
  return true;
}

static void graph_launches(lua_State *L, cl_Stream *s) {
  if (!makes_calls(L, s)) return;
  const CUresult code = join_latest(s);
  cl_nccl_leave();
  if (code) cl_fail(L, "cuStreamWaitEvent", code);
}
CL_HOOK(cl_on_graph_launch, 1, graph_launches);

static void graph_launched(lua_State *L, cl_Stream *s) {
  if (!makes_calls(L, s)) return;
  cl_nccl_note(s);
  cl_nccl_leave();
}
CL_HOOK(cl_on_graph_launched, 1, graph_launched);
