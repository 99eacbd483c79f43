/* Stream capture: what is put into a stream becomes a graph instead of running.
 *
 * A capture begins in one stream, its origin. Other streams join it when they wait for an event recorded in
 * it, and have to be joined again, by an event recorded in them, before it ends. Calls that capture cannot
 * see (synchronising, allocating) are refused with an error that also makes the capture invalid: nothing but
 * ending it is possible from then on. */
#include "driver/graph.h"

#include <stdlib.h>

struct SgCapture {
  unsigned refs; /* the capture itself, and events recorded in it */
  uint64_t id;
  uint64_t thread;
  CUstreamCaptureMode mode;
  SgGraph *graph;     /* NULL when it has ended */
  SgBranch *branches; /* the origin's is the first */
  bool lent;          /* the graph is the program's: a capture that fails leaves it */
  bool invalid;
  bool unjoined; /* a stream left with work that the origin does not wait for */
  SgCapture *next;
};

static SgCapture *captures; /* that have not ended */
static uint64_t last_id;

/* A thread's mode: global at first, and after a reset. */
static CUstreamCaptureMode *thread_mode(void) {
  static _Thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  static _Thread_local uint64_t epoch;
  if (epoch != sg_state.epoch) mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  epoch = sg_state.epoch;
  return &mode;
}

static bool active(const SgCapture *c) { return c && c->graph; }

static void unref(SgCapture *c) {
  if (c && --c->refs == 0) free(c);
}

/* --- streams in a capture --- */

static SgBranch *join(SgCapture *c, SgStream *s) {
  SgBranch *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->capture = c;
  b->stream = s;
  SgBranch **at = &c->branches;
  while (*at) at = &(*at)->next;
  *at = b;
  s->branch = b;
  return b;
}

static void branch_free(SgBranch *b) {
  b->stream->branch = NULL;
  sg_nodes_clear(&b->after);
  free(b->handles);
  free(b->edges);
  free(b);
}

static void part(SgBranch *b) {
  SgBranch **at = &b->capture->branches;
  while (*at != b) at = &(*at)->next;
  *at = b->next;
  branch_free(b);
}

/* Ends c. The graph is the caller's from then on. */
static SgGraph *finish(SgCapture *c) {
  SgGraph *g = c->graph;
  g->capture = NULL;
  c->graph = NULL;
  for (SgBranch *b; (b = c->branches);) {
    c->branches = b->next;
    branch_free(b);
  }
  SgCapture **at = &captures;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  unref(c);
  return g;
}

/* Nodes that were reached and whose own dependencies are still to be looked at. */
typedef struct Reached {
  bool *seen; /* by the graph's nodes */
  SgNode **stack;
  uint32_t depth;
} Reached;

static void reach(Reached *r, const SgNodes *after) {
  for (uint32_t i = 0; i < after->count; i++) {
    SgNode *n = after->item[i];
    if (r->seen[n->index]) continue;
    r->seen[n->index] = true;
    r->stack[r->depth++] = n;
  }
}

/* Whether all work of a branch comes before what the origin does next. */
static bool joined(const SgCapture *c, const SgBranch *b) {
  const uint32_t n = c->graph->nodes.count + 1;
  Reached r = {calloc(n, sizeof *r.seen), calloc(n, sizeof(SgNode *)), 0};
  bool result = r.seen && r.stack;
  if (result) reach(&r, &c->branches->after);
  while (result && r.depth) reach(&r, &r.stack[--r.depth]->after);
  for (uint32_t i = 0; i < b->after.count; i++) result = result && r.seen[b->after.item[i]->index];
  free(r.seen);
  free(r.stack);
  return result;
}

static bool all_joined(const SgCapture *c) {
  if (c->unjoined) return false;
  for (const SgBranch *b = c->branches->next; b; b = b->next)
    if (!joined(c, b)) return false;
  return true;
}

void sg_capture_leave(SgStream *s) {
  SgBranch *b = s->branch;
  if (!b) return;
  SgCapture *c = b->capture;
  if (b == c->branches) {
    bool lent = c->lent;
    SgGraph *g = finish(c);
    if (!lent) sg_graph_free(g);
    return;
  }
  if (!joined(c, b)) c->unjoined = true;
  part(b);
}

/* --- what other calls ask --- */

CUresult sg_capture_unsafe(void) {
  CUstreamCaptureMode mode = *thread_mode();
  bool hit = false;
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  for (SgCapture *c = captures; c; c = c->next) {
    bool mine = c->thread == sg_thread_id() && c->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    bool global = mode == CU_STREAM_CAPTURE_MODE_GLOBAL && c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (mine || global) c->invalid = hit = true;
  }
  if (!hit) return CUDA_SUCCESS;
  sg_say(CU_LOG_LEVEL_ERROR, "The call is not allowed while a stream is being captured; the capture is now "
                             "invalid");
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

void sg_capture_spoil(SgStream *s) {
  if (s->branch) s->branch->capture->invalid = true;
}

CUresult sg_capture_refuse(SgStream *s, const char *what) {
  sg_capture_spoil(s);
  sg_say(CU_LOG_LEVEL_ERROR, "%s is not possible in a stream that is being captured", what);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult sg_capture_synchronize(const SgContext *ctx) {
  CUresult r = CUDA_SUCCESS;
  for (SgStream *s = captures ? ctx->streams : NULL; s; s = s->next)
    if (s->branch) r = sg_capture_refuse(s, "Waiting for a context with work");
  return r ? r : sg_capture_unsafe();
}

static bool blocking(const SgStream *s) { return s->kind == SG_BLOCKING || s->kind == SG_PER_THREAD; }

/* The legacy stream waits for all blocking streams of its context, so it cannot be used while one of them is
 * captured. */
static CUresult legacy_check(const SgStream *legacy, bool invalidate) {
  CUresult r = CUDA_SUCCESS;
  for (SgStream *s = captures ? legacy->o.ctx->streams : NULL; s; s = s->next) {
    if (!s->branch || !blocking(s)) continue;
    if (invalidate) s->branch->capture->invalid = true;
    r = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (r && invalidate)
    sg_say(CU_LOG_LEVEL_ERROR,
           "The default stream would have to wait for a stream that is being captured; the "
           "capture is now invalid");
  return r;
}

CUresult sg_capture_check(SgStream *s) {
  if (s->kind == SG_LEGACY) return legacy_check(s, true);
  return s->branch && s->branch->capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* Asking for anything of the default stream counts as using it, and some questions are none that a stream in
 * a capture could be asked (all measured on an H200, driver 580). */
CUresult sg_capture_ask(SgStream *s, bool allowed) {
  if (!s->branch || allowed) return sg_capture_check(s);
  return sg_capture_refuse(s, "Asking for a stream's flags, id or device");
}

CUresult sg_capture_op(SgStream *s, SgOp *op) {
  SgBranch *b = s->branch;
  op->shared = 0;
  op->next = NULL;
  if (!op->type->node) {
    CUresult r = sg_capture_refuse(s, op->type->name);
    sg_op_free(op);
    return r;
  }
  SgNode *n = sg_graph_add(b->capture->graph, op, &b->after);
  if (!n) sg_op_free(op);
  b->after.count = 0;
  if (n && sg_nodes_add(&b->after, n)) return CUDA_SUCCESS;
  b->capture->invalid = true;
  return CUDA_ERROR_OUT_OF_MEMORY;
}

/* --- events in a capture --- */

void sg_captured_clear(SgCaptured *at) {
  unref(at->capture);
  sg_nodes_clear(&at->after);
  at->capture = NULL;
}

static CUresult say_over(void) {
  sg_say(CU_LOG_LEVEL_ERROR, "The event was last recorded in a stream capture that has ended: it has no "
                             "meaning until it is recorded again");
  return CUDA_ERROR_INVALID_VALUE;
}

/* 1 once the capture has ended: measured on an H200, driver 580. */
CUresult sg_captured_check(const SgCaptured *at, bool harmless) {
  if (!at->capture) return CUDA_SUCCESS;
  if (!active(at->capture)) return say_over();
  if (!harmless) at->capture->invalid = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult sg_capture_record(SgStream *s, SgCaptured *at) {
  SgCapture *c = s->branch->capture;
  SgCaptured now = {c, {NULL, 0, 0}};
  if (!sg_nodes_add_all(&now.after, &s->branch->after)) return CUDA_ERROR_OUT_OF_MEMORY;
  c->refs++;
  sg_captured_clear(at);
  *at = now;
  return CUDA_SUCCESS;
}

/* s is not being captured; the event was recorded in a capture. */
static CUresult wait_from_outside(SgStream *s, const SgCaptured *at) {
  SgCapture *c = at->capture;
  if (!active(c)) return say_over();
  if (c->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (s->kind == SG_LEGACY) {
    c->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  SgBranch *b = join(c, s);
  if (b && sg_nodes_add_all(&b->after, &at->after)) return CUDA_SUCCESS;
  if (b) part(b);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sg_capture_wait(SgStream *s, const SgCaptured *at) {
  SgBranch *b = s->branch;
  if (!b) return wait_from_outside(s, at);
  if (at->capture == b->capture)
    return sg_nodes_add_all(&b->after, &at->after) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  b->capture->invalid = true;
  if (active(at->capture)) {
    at->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (at->capture) return say_over();
  sg_say(CU_LOG_LEVEL_ERROR, "A stream that is being captured cannot wait for an event recorded outside the "
                             "capture; the capture is now invalid");
  return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
}

/* --- exported --- */

/* Into `into`, behind `after`, or where that is NULL into a graph of its own. */
static CUresult begin(CUstream h, SgGraph *into, const SgNodes *after, CUstreamCaptureMode mode) {
  CUresult code;
  if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  SgStream *s = sg_stream_find(h, &code);
  if (!s) return code;
  if (s->kind == SG_LEGACY) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (s->branch) return CUDA_ERROR_ILLEGAL_STATE;
  SgCapture *c = calloc(1, sizeof *c);
  SgGraph *g = c && !into ? sg_graph_new() : into;
  SgBranch *b = c && g ? join(c, s) : NULL;
  if (!b || (after && !sg_nodes_add_all(&b->after, after))) {
    if (b) branch_free(b);
    if (g && g != into) sg_graph_free(g);
    free(c);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  c->refs = 1;
  c->id = ++last_id;
  c->thread = sg_thread_id();
  c->mode = mode;
  c->graph = g;
  c->lent = into != NULL;
  g->capture = c;
  c->next = captures;
  captures = c;
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  SG_CALL(SG_NEED_HEALTH, begin(hStream, NULL, NULL, mode), "stream=0x%llx mode=%d", SG_X(hStream),
          (int)mode);
}

static CUresult begin_in(CUstream h, CUgraph graph, const CUgraphNode *nodes, const CUgraphEdgeData *data,
                         size_t n, CUstreamCaptureMode mode) {
  CUresult code;
  SgNodes after = {0};
  SgGraph *g = sg_graph_get(graph, &code);
  if (!g) return code;
  if (g->capture) return CUDA_ERROR_ILLEGAL_STATE;
  code = sg_nodes_read(g, nodes, data, n, &after);
  if (!code) code = begin(h, g, &after, mode);
  sg_nodes_clear(&after);
  return code;
}

SG_API CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                            const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                            CUstreamCaptureMode mode) {
  SG_CALL(SG_NEED_HEALTH, begin_in(hStream, hGraph, dependencies, dependencyData, numDependencies, mode),
          "stream=0x%llx graph=0x%llx after=%zu mode=%d", SG_X(hStream), SG_X(hGraph), numDependencies,
          (int)mode);
}

/* The wrong thread ends the capture all the same, and without a place for the graph its handle is lost,
 * unless cuStreamGetCaptureInfo told it: both measured on an H200, driver 580. */
static CUresult end(CUstream h, CUgraph *out) {
  CUresult code;
  SgStream *s = sg_stream_find(h, &code);
  if (!s) return code;
  if (!s->branch) return CUDA_ERROR_ILLEGAL_STATE;
  SgCapture *c = s->branch->capture;
  if (s->branch != c->branches) {
    c->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  bool elsewhere = c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != sg_thread_id();
  code = elsewhere        ? CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
         : c->invalid     ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
         : !all_joined(c) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                          : CUDA_SUCCESS;
  bool lent = c->lent;
  SgGraph *g = finish(c);
  if (out) *out = code ? NULL : g->o.handle;
  if (code && !lent) sg_graph_free(g);
  return code;
}

SG_API CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
  SG_CALL(SG_NEED_HEALTH, end(hStream, phGraph), "stream=0x%llx graph=0x%llx", SG_X(hStream),
          SG_OUT(phGraph));
}

/* Finds a stream for a question about its capture, which harms nothing. */
static SgStream *stream_asked(CUstream h, CUresult *code) {
  SgStream *s = sg_stream_find(h, code);
  if (s && s->kind == SG_LEGACY && (*code = legacy_check(s, false)) != CUDA_SUCCESS) return NULL;
  return s;
}

static CUstreamCaptureStatus status_of(const SgStream *s) {
  return !s->branch                    ? CU_STREAM_CAPTURE_STATUS_NONE
         : s->branch->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

static CUresult is_capturing(CUstream h, CUstreamCaptureStatus *status) {
  CUresult code;
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  SgStream *s = stream_asked(h, &code);
  if (!s) return code;
  *status = status_of(s);
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, is_capturing(hStream, captureStatus), "stream=0x%llx status=%llu",
          SG_X(hStream), SG_OUT(captureStatus));
}

/* The arrays that a query hands out; they stay until the next one. */
static bool hand_out(SgBranch *b) {
  free(b->handles);
  free(b->edges);
  b->handles = calloc(b->after.count + 1, sizeof *b->handles);
  b->edges = calloc(b->after.count + 1, sizeof *b->edges);
  if (!b->handles || !b->edges) return false;
  for (uint32_t i = 0; i < b->after.count; i++) b->handles[i] = b->after.item[i]->o.handle;
  return true;
}

static CUresult capture_info(CUstream h, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                             const CUgraphNode **nodes, const CUgraphEdgeData **edges, size_t *count) {
  CUresult code;
  if (!status || (edges && !nodes)) return CUDA_ERROR_INVALID_VALUE;
  SgStream *s = stream_asked(h, &code);
  if (!s) return code;
  *status = status_of(s);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  SgBranch *b = s->branch;
  if (nodes && !hand_out(b)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (id) *id = b->capture->id;
  if (graph) *graph = b->capture->graph->o.handle;
  if (nodes) *nodes = (const CUgraphNode *)b->handles;
  if (edges) *edges = b->edges;
  if (count) *count = b->after.count;
  return CUDA_SUCCESS;
}

SG_API CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                          cuuint64_t *id_out, CUgraph *graph_out,
                                          const CUgraphNode **dependencies_out,
                                          const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE,
          capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
                       numDependencies_out),
          "stream=0x%llx status=%llu", SG_X(hStream), SG_OUT(captureStatus_out));
}

SG_API CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                          cuuint64_t *id_out, CUgraph *graph_out,
                                          const CUgraphNode **dependencies_out, size_t *numDependencies_out) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE,
          capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
                       numDependencies_out),
          "stream=0x%llx status=%llu", SG_X(hStream), SG_OUT(captureStatus_out));
}

static CUresult exchange_mode(CUstreamCaptureMode *mode) {
  if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  CUstreamCaptureMode *of_thread = thread_mode(), old = *of_thread;
  *of_thread = *mode;
  *mode = old;
  return CUDA_SUCCESS;
}

SG_API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, exchange_mode(mode), "before=%llu", SG_OUT(mode));
}
