/* Streams and the engine that runs what is in them.
 *
 * Calls queue operations; nothing runs until somebody waits. Then only what the awaited operation depends
 * on runs, so that a program that forgets to synchronise sees stale data every time, not now and then.
 * Eager mode runs each operation in its call. Random mode picks any operation that may run, and lets some
 * run whenever one is added, as a GPU does not wait for anybody: any order that the program allows comes up.
 * In the background mode a thread of the device runs the oldest operation there is (background.c).
 *
 * Ordering: within a stream by submission; the legacy stream waits for everything submitted earlier to the
 * blocking streams of its context, and they for it; a wait waits for the mark an event left. An operation
 * depends only on earlier ones, so looking for a runnable one always ends. */
#include "driver/background.h"
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUBMIT_NS = 500 }; /* virtual host time per submission */

static struct {
  uint64_t seq;
  uint64_t now;    /* virtual host time, ns */
  uint64_t random; /* 0: not seeded yet */
  unsigned haste;  /* how readily work runs by itself in random mode, of HASTE */
  uint64_t favour; /* which streams come first in it; 0: none */
} engine;

enum { HASTE = 4 };

void sg_streams_seed(void) { engine.random = 0; }

void sg_streams_reset(void) {
  engine.now = 0;
  sg_streams_seed();
}

/* --- streams --- */

SgStream *sg_stream_new(SgContext *ctx, SgStreamKind kind, unsigned flags, int priority) {
  SgStream *s = calloc(1, sizeof *s);
  if (!s || !sg_handle_new(SG_H_STREAM, &s->o, ctx)) {
    free(s);
    return NULL;
  }
  s->kind = kind;
  s->flags = flags;
  s->priority = priority;
  s->refs = 1;
  s->end_ns = engine.now;
  s->next = ctx->streams;
  if (s->next) s->next->prev = s;
  ctx->streams = s;
  return s;
}

static void stream_unref(SgStream *s) {
  if (--s->refs) {
    sg_lock_wake(); /* sg_context_free waits for others to let go */
    return;
  }
  SgContext *ctx = s->o.ctx;
  if (s->prev)
    s->prev->next = s->next;
  else
    ctx->streams = s->next;
  if (s->next) s->next->prev = s->prev;
  free(s);
}

/* Gives up the handle; the stream itself lives on until its work is done. A queued operation counts as a
 * reference (see submit). */
void sg_stream_close(SgStream *s, bool orphan) {
  sg_capture_leave(s);
  if (s->o.handle) sg_handle_free(&s->o, orphan);
  s->o.handle = NULL;
  stream_unref(s);
}

static SgStream *per_thread(SgContext *ctx) {
  uint64_t thread = sg_thread_id();
  for (SgStream *s = ctx->streams; s; s = s->next)
    if (s->kind == SG_PER_THREAD && s->thread == thread) return s;
  SgStream *s = sg_stream_new(ctx, SG_PER_THREAD, 0, 0);
  if (s) s->thread = thread;
  return s;
}

SgStream *sg_stream_find(CUstream h, CUresult *code) {
  SgStream *s;
  if (h == NULL || h == CU_STREAM_LEGACY || h == CU_STREAM_PER_THREAD) {
    SgContext *ctx = sg_current(code);
    if (!ctx) return NULL;
    bool own = h == CU_STREAM_PER_THREAD || (h == NULL && sg_zero_is_per_thread());
    s = own ? per_thread(ctx) : ctx->legacy;
    if (!s) *code = CUDA_ERROR_OUT_OF_MEMORY;
  } else {
    s = sg_handle_get(SG_H_STREAM, h, code);
  }
  if (s && (*code = sg_health(s->o.ctx)) != CUDA_SUCCESS) return NULL;
  return s;
}

SgStream *sg_stream_get(CUstream h, CUresult *code) {
  SgStream *s = sg_stream_find(h, code);
  return s && (*code = sg_capture_check(s)) == CUDA_SUCCESS ? s : NULL;
}

/* --- marks --- */

SgMark *sg_mark_new(SgStream *s) {
  SgMark *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->refs = 1;
  m->stream = s;
  return m;
}

void sg_mark_set(SgMark *m, uint64_t ns) {
  struct timespec t;
  if (m->done) return;
  clock_gettime(CLOCK_MONOTONIC, &t);
  m->ns = sg_config.real_time ? (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec : ns;
  m->done = true;
  m->stream = NULL;
}

void sg_mark_drop(SgMark *m) {
  if (m && --m->refs == 0) free(m);
}

/* --- running --- */

static bool with_legacy(const SgStream *s) { return s->kind == SG_BLOCKING || s->kind == SG_PER_THREAD; }

/* A stream that has to move on before the head of s may run, or NULL. */
static SgStream *blocker(const SgStream *s) {
  const SgOp *op = s->head;
  SgMark *m = op->type->waits ? op->type->waits(op) : NULL;
  if (m && !m->done) return m->stream;
  if (with_legacy(s)) {
    SgStream *l = s->o.ctx->legacy;
    return l->head && l->head->seq < op->seq ? l : NULL;
  }
  if (s->kind != SG_LEGACY) return NULL;
  for (SgStream *t = s->o.ctx->streams; t; t = t->next)
    if (with_legacy(t) && t->head && t->head->seq < op->seq) return t;
  return NULL;
}

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t start_time(const SgStream *s, const SgOp *op) {
  uint64_t t = max64(op->issued, s->end_ns);
  const SgMark *m = op->type->waits ? op->type->waits(op) : NULL;
  if (m && !sg_config.real_time) t = max64(t, m->ns);
  if (with_legacy(s)) t = max64(t, s->o.ctx->legacy->end_ns);
  if (s->kind == SG_LEGACY)
    for (const SgStream *o = s->o.ctx->streams; o; o = o->next)
      if (with_legacy(o)) t = max64(t, o->end_ns);
  return t;
}

/* An op whose user code runs unlocked (a host function) must not be overtaken: nobody else runs anything
 * until it is back. */
static bool running;
bool sg_op_interruptible;

static void run_head(SgStream *s) {
  SgOp *op = s->head;
  CUresult code = CUDA_SUCCESS;
  int device = s->o.ctx->device;
  s->end_ns = start_time(s, op);
  if (!op->type->more) sg_log_run(s, op->seq, op->type->name, -1);
  const uint64_t began = sg_profiling ? sg_nanoseconds() : 0;
  running = true;
  sg_arena_now = op->seq;
  sg_op_interruptible = op->interruptible;
  if (!sg_state.device[device].sticky) s->end_ns += sg_op_run(op, s, &code);
  running = false;
  if (began) sg_profile_ran(op, began);
  sg_lock_wake();
  if (code) sg_poison(device, code);
  if (!sg_state.device[device].sticky && op->type->more && op->type->more(op)) return;
  s->head = op->next;
  if (!s->head) s->tail = NULL;
  sg_op_free(op);
  stream_unref(s);
}

void sg_op_free(SgOp *op) {
  if (op->shared) {
    op->shared--;
    return;
  }
  if (op->type->drop) op->type->drop(op);
  free(op);
}

/* Seeds next to each other have nothing in common. */
static void seed(void) {
  uint64_t z = sg_config.seed + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  engine.random = (z ^ z >> 31) | 1;
  engine.haste = (unsigned)(engine.random >> 32) % HASTE;
  engine.favour = 0;
}

static uint64_t random_number(void) {
  if (!engine.random) seed();
  engine.random ^= engine.random << 13;
  engine.random ^= engine.random >> 7;
  engine.random ^= engine.random << 17;
  return engine.random;
}

uint64_t sg_random_below(uint64_t n) { return (random_number() >> 11) % n; }

/* Any stream whose head may run. Choosing evenly each time would leave orders in which one stream stays far
 * behind next to impossible: so for a while some streams are favoured, or work runs early, or late. */
static SgStream *random_runnable(void) {
  SgStream *pick = NULL;
  uint64_t n = 0, best = 0;
  if (sg_random_below(4) == 0) {
    engine.haste = (unsigned)sg_random_below(HASTE + 1);
    engine.favour = sg_random_below(2) ? random_number() : 0;
  }
  for (SgContext *c = sg_state.contexts; c; c = c->next)
    for (SgStream *s = c->streams; s; s = s->next) {
      if (!s->head || blocker(s)) continue;
      uint64_t rank = ((s->o.id * 0x9e3779b97f4a7c15u ^ engine.favour) * 0xbf58476d1ce4e5b9u) >> 16 | 1;
      if (engine.favour ? rank < best : sg_random_below(++n) != 0) continue;
      best = rank;
      pick = s;
    }
  return pick;
}

static _Thread_local struct { bool may_end, over; } waiting;

void sg_wait_begin(bool may_end) {
  waiting.may_end = may_end;
  waiting.over = false;
}

/* Runs one operation that s waits for, or its own. s has work. */
static void step(SgStream *s) {
  enum { LOOK_EVERY_MS = 5 };
  if (running || sg_background_waits()) { /* look again: the work may be done */
    if (!waiting.may_end || !sg_interruptible())
      sg_lock_wait();
    else if (!(waiting.over = sg_wait_is_over()))
      sg_lock_wait_ms(LOOK_EVERY_MS);
    return;
  }
  SgStream *r = sg_config.streams == SG_RANDOM ? random_runnable() : NULL;
  if (!r) {
    r = s;
    for (SgStream *b; (b = blocker(r));) r = b;
  }
  run_head(r);
}

/* In random mode some of what may run does, without anybody waiting for it: in every call that adds work,
 * waits or asks. */
static void run_some(void) {
  if (sg_config.streams != SG_RANDOM) return;
  while (!running && sg_random_below(HASTE) < engine.haste) {
    SgStream *r = random_runnable();
    if (!r) return;
    run_head(r);
  }
}

CUresult sg_stream_submit(SgStream *s, SgOp *op) {
  if (s->branch) return sg_capture_op(s, op);
  op->next = NULL;
  op->shared = 0;
  op->interruptible = sg_interruptible();
  op->seq = ++engine.seq;
  sg_profile_submitted(op);
  op->issued = engine.now;
  engine.now += SUBMIT_NS;
  s->refs++;
  if (s->tail)
    s->tail->next = op;
  else
    s->head = op;
  s->tail = op;
  sg_background_wake();
  run_some();
  return sg_config.streams == SG_EAGER ? sg_stream_wait(s) : CUDA_SUCCESS;
}

/* Runs s up to the operation `last`. The caller holds a reference. */
static void run_until(SgStream *s, uint64_t last) {
  while (!waiting.over && s->head && s->head->seq <= last) step(s);
}

/* Waiting for the legacy stream means waiting for all that its next operation would wait for. */
CUresult sg_stream_wait(SgStream *s) {
  uint64_t last = engine.seq;
  SgContext *ctx = s->o.ctx;
  int device = ctx->device;
  s->refs++;
  run_some();
  run_until(s, last);
  uint64_t end = s->end_ns;
  if (s->kind == SG_LEGACY)
    for (SgStream *t = ctx->streams; t && !waiting.over;) {
      if (!with_legacy(t) || !t->head || t->head->seq > last) {
        if (with_legacy(t)) end = max64(end, t->end_ns);
        t = t->next;
        continue;
      }
      step(t);
      t = ctx->streams; /* streams may have come and gone */
    }
  engine.now = max64(engine.now, end);
  stream_unref(s);
  return sg_state.device[device].sticky;
}

CUresult sg_stream_submit_wait(SgStream *s, SgOp *op) {
  if (s->branch) {
    sg_op_free(op);
    return sg_capture_refuse(s, "Waiting for work");
  }
  s->refs++;
  CUresult r = sg_stream_submit(s, op);
  if (!r) r = sg_stream_wait(s);
  sg_output_flush(s->o.ctx);
  stream_unref(s);
  return r;
}

static SgStream *oldest(SgContext *ctx, uint64_t last) {
  SgStream *best = NULL;
  for (SgContext *c = ctx ? ctx : sg_state.contexts; c; c = ctx ? NULL : c->next)
    for (SgStream *s = c->streams; s; s = s->next)
      if (s->head && s->head->seq <= last && (!best || s->head->seq < best->head->seq)) best = s;
  return best;
}

bool sg_streams_run_oldest(void) {
  SgStream *s = running ? NULL : oldest(NULL, UINT64_MAX);
  if (s) run_head(s);
  return s != NULL;
}

uint64_t sg_launches_queued(int device) {
  uint64_t n = 0;
  for (const SgContext *c = sg_state.contexts; c; c = c->next)
    for (const SgStream *s = c->device == device ? c->streams : NULL; s; s = s->next)
      for (const SgOp *op = s->head; op; op = op->next)
        n += op->interruptible && op->seq != sg_arena_now &&
             (strcmp(op->type->name, "launch") == 0 || strcmp(op->type->name, "graph") == 0);
  return n;
}

void sg_drain(SgContext *ctx) {
  uint64_t last = engine.seq;
  if (ctx) ctx->legacy->refs++; /* keeps the context while another thread's host function runs */
  for (SgStream *s; !waiting.over && (s = oldest(ctx, last));) step(s);
  if (ctx) stream_unref(ctx->legacy);
  for (SgContext *c = ctx ? ctx : sg_state.contexts; c; c = ctx ? NULL : c->next)
    for (SgStream *s = c->streams; s; s = s->next) engine.now = max64(engine.now, s->end_ns);
}

void sg_mark_step(SgMark *m) {
  m->refs++;
  run_some();
  if (!m->done && !sg_background_waits()) step(m->stream);
  sg_mark_drop(m);
}

void sg_mark_wait(SgMark *m) {
  m->refs++;
  run_some();
  while (!waiting.over && !m->done) step(m->stream);
  if (!sg_config.real_time && m->done) engine.now = max64(engine.now, m->ns);
  sg_mark_drop(m);
}

/* --- exported: streams --- */

static CUresult stream_create(CUstream *out, unsigned flags, int priority) {
  if (!out || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  if (priority > 0) priority = 0;
  if (priority < -5) priority = -5;
  SgStream *s = sg_stream_new(sg_ctx(), flags & CU_STREAM_NON_BLOCKING ? SG_NON_BLOCKING : SG_BLOCKING, flags,
                              priority);
  if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = s->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, stream_create(phStream, Flags, 0), "stream=0x%llx flags=%u",
          SG_OUT(phStream), Flags);
}

SG_API CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, stream_create(phStream, flags, priority),
          "stream=0x%llx flags=%u priority=%d", SG_OUT(phStream), flags, priority);
}

static CUresult stream_destroy(CUstream h) {
  CUresult code;
  if (h == NULL || h == CU_STREAM_LEGACY || h == CU_STREAM_PER_THREAD) return CUDA_ERROR_INVALID_HANDLE;
  SgStream *s = sg_stream_find(h, &code);
  if (!s) return code;
  if (s->kind == SG_LEGACY || s->kind == SG_PER_THREAD) return CUDA_ERROR_INVALID_HANDLE;
  sg_stream_close(s, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamDestroy_v2(CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_destroy(hStream), "stream=0x%llx", SG_X(hStream));
}

/* For waiting and asking whether work is done: not of a stream in a capture, nor where one forbids it. */
static SgStream *stream_to_watch(CUstream h, CUresult *code) {
  SgStream *s = sg_stream_get(h, code);
  if (!s) return NULL;
  *code = s->branch ? sg_capture_refuse(s, "Waiting for work") : sg_capture_unsafe();
  return *code ? NULL : s;
}

static CUresult stream_synchronize(CUstream h) {
  CUresult code;
  SgStream *s = stream_to_watch(h, &code);
  if (!s) return code;
  int device = s->o.ctx->device;
  s->refs++;
  sg_wait_begin(true);
  code = sg_stream_wait(s);
  sg_wait_begin(false);
  sg_output_flush(s->o.ctx);
  stream_unref(s);
  sg_pools_settle(device);
  return code;
}

SG_API CUresult cuStreamSynchronize(CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_synchronize(hStream), "stream=0x%llx", SG_X(hStream));
}

/* A stream of s's group that still has work: s itself, or for the legacy stream any it waits for. */
static SgStream *unfinished(SgStream *s) {
  if (s->head) return s;
  if (s->kind == SG_LEGACY)
    for (SgStream *t = s->o.ctx->streams; t; t = t->next)
      if (with_legacy(t) && t->head) return t;
  return NULL;
}

bool sg_stream_idle(SgStream *s) {
  const SgStream *legacy = s->o.ctx->legacy;
  return !unfinished(s) && !(with_legacy(s) && legacy->head);
}

uint64_t sg_stream_last(void) { return engine.seq; }
bool sg_streams_ran(uint64_t last) { return !oldest(NULL, last); }

static CUresult stream_query(CUstream h) {
  CUresult code;
  SgStream *s = stream_to_watch(h, &code);
  if (!s) return code;
  int device = s->o.ctx->device;
  s->refs++;
  run_some();
  SgStream *busy = unfinished(s);
  if (busy && !sg_background_waits()) step(busy);
  stream_unref(s);
  if (sg_state.device[device].sticky) return sg_state.device[device].sticky;
  return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

SG_API CUresult cuStreamQuery(CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_query(hStream), "stream=0x%llx", SG_X(hStream));
}

static CUresult stream_info(CUstream h, unsigned *flags, int *priority, unsigned long long *id) {
  CUresult code;
  SgStream *s = sg_stream_find(h, &code);
  if (!flags && !priority && !id) return CUDA_ERROR_INVALID_VALUE;
  if (!s) return code;
  if ((code = sg_capture_ask(s, priority != NULL)) != CUDA_SUCCESS) return code;
  if (flags) *flags = s->flags;
  if (priority) *priority = s->priority;
  if (id) *id = s->o.id;
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_info(hStream, flags, NULL, NULL), "stream=0x%llx flags=%llu",
          SG_X(hStream), SG_OUT(flags));
}

SG_API CUresult cuStreamGetPriority(CUstream hStream, int *priority) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_info(hStream, NULL, priority, NULL), "stream=0x%llx",
          SG_X(hStream));
}

SG_API CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_info(hStream, NULL, NULL, streamId), "stream=0x%llx id=%llu",
          SG_X(hStream), SG_OUT(streamId));
}

static CUresult stream_ctx(CUstream h, CUcontext *ctx, CUgreenCtx *green, CUdevice *device) {
  CUresult code;
  SgStream *s = sg_stream_find(h, &code);
  if (!ctx && !device) return CUDA_ERROR_INVALID_VALUE;
  if (!s) return code;
  if ((code = sg_capture_ask(s, ctx != NULL)) != CUDA_SUCCESS) return code;
  if (ctx) *ctx = s->o.ctx->o.handle;
  if (green) *green = NULL;
  if (device) *device = s->o.ctx->device;
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_ctx(hStream, pctx, NULL, NULL), "stream=0x%llx ctx=0x%llx",
          SG_X(hStream), SG_OUT(pctx));
}

SG_API CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx) {
  CUcontext unwanted;
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_ctx(hStream, pCtx ? pCtx : &unwanted, pGreenCtx, NULL),
          "stream=0x%llx ctx=0x%llx", SG_X(hStream), SG_OUT(pCtx));
}

SG_API CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_ctx(hStream, NULL, NULL, device), "stream=0x%llx dev=%llu",
          SG_X(hStream), SG_OUT(device));
}

/* --- exported: host functions --- */

typedef struct HostOp {
  SgOp op;
  CUhostFn function;
  void *data;
} HostOp;

static uint64_t host_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)code;
  HostOp *h = (HostOp *)op;
  sg_output_flush(s->o.ctx);
  sg_call_user(h->function, h->data);
  return SG_HOST_NS;
}

static void host_describe(const SgOp *op, SgText *t) {
  sg_text_add(t, "data=0x%llx", SG_X(((const HostOp *)op)->data));
}

CUresult sg_host_op(const CUDA_HOST_NODE_PARAMS *p, SgOp **out) {
  static const SgNodeType node = {.type = CU_GRAPH_NODE_TYPE_HOST, .describe = host_describe};
  static const SgOpType type = {.name = "host", .run = host_run, .node = &node};
  if (!p->fn) return CUDA_ERROR_INVALID_VALUE;
  HostOp *h = calloc(1, sizeof *h);
  if (!h) return CUDA_ERROR_OUT_OF_MEMORY;
  *h = (HostOp){{.type = &type}, p->fn, p->userData};
  *out = &h->op;
  return CUDA_SUCCESS;
}

void sg_host_op_params(const SgOp *op, CUDA_HOST_NODE_PARAMS *p) {
  const HostOp *h = (const HostOp *)op;
  *p = (CUDA_HOST_NODE_PARAMS){h->function, h->data};
}

static CUresult launch_host(CUstream stream, CUhostFn function, void *data) {
  CUresult code;
  SgOp *op;
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  code = sg_host_op(&(CUDA_HOST_NODE_PARAMS){function, data}, &op);
  return code ? code : sg_stream_submit(s, op);
}

SG_API CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, launch_host(hStream, fn, userData), "stream=0x%llx data=0x%llx",
          SG_X(hStream), SG_X(userData));
}

/* The older form, which tells the function about its stream, and cannot be captured. */
typedef struct CallbackOp {
  SgOp op;
  CUstreamCallback function;
  CUstream stream; /* as the program named it */
  void *data;
} CallbackOp;

static void call_back(void *arg) {
  const CallbackOp *c = arg;
  c->function(c->stream, CUDA_SUCCESS, c->data);
}

static uint64_t callback_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)code;
  sg_output_flush(s->o.ctx);
  sg_call_user(call_back, op);
  return SG_HOST_NS;
}

static CUresult add_callback(CUstream stream, CUstreamCallback function, void *data, unsigned flags) {
  static const SgOpType type = {.name = "callback", .run = callback_run};
  CUresult code;
  if (!function || flags) return CUDA_ERROR_INVALID_VALUE;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  CallbackOp *c = calloc(1, sizeof *c);
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  *c = (CallbackOp){{.type = &type}, function, stream, data};
  return sg_stream_submit(s, &c->op);
}

SG_API CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                    unsigned int flags) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, add_callback(hStream, callback, userData, flags),
          "stream=0x%llx data=0x%llx flags=%u", SG_X(hStream), SG_X(userData), flags);
}
