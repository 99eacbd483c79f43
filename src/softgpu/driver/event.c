/* Events: marks in streams, and the time between two of them. */
#include "driver/graph.h"

#include <stdlib.h>

typedef struct SgEvent {
  SgObject o;
  unsigned flags;
  SgMark *mark;    /* of the latest record, or NULL */
  SgCaptured at;   /* where the latest record is, if a stream was being captured */
  SgIpcEvent *ipc; /* NULL: no other process has a part in it */
} SgEvent;

void sg_event_free(SgObject *o, bool orphan) {
  SgEvent *e = (SgEvent *)o;
  sg_handle_free(o, orphan);
  sg_mark_drop(e->mark);
  sg_captured_clear(&e->at);
  if (e->ipc) sg_ipc_event_free(e->ipc);
  free(e);
}

static SgEvent *event_get(CUevent h, CUresult *code) {
  SgEvent *e = sg_handle_get(SG_H_EVENT, h, code);
  if (e && (*code = sg_health(e->o.ctx)) != CUDA_SUCCESS) return NULL;
  return e;
}

static CUresult event_new(CUevent *out, unsigned flags, SgIpcEvent *ipc) {
  SgEvent *e = calloc(1, sizeof *e);
  if (!e || !sg_handle_new(SG_H_EVENT, &e->o, sg_ctx())) {
    free(e);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  e->flags = flags;
  e->ipc = ipc;
  *out = e->o.handle;
  return CUDA_SUCCESS;
}

static CUresult event_create(CUevent *out, unsigned flags) {
  unsigned all = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if (!out || (flags & ~all)) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  return event_new(out, flags, NULL);
}

CUresult sg_event_adopt(SgIpcEvent *ipc, CUevent *out) {
  return event_new(out, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, ipc);
}

SgIpcEvent **sg_event_shared(CUevent h, CUresult *code) {
  SgEvent *e = event_get(h, code);
  if (!e) return NULL;
  *code = CUDA_ERROR_INVALID_HANDLE;
  if (!(e->flags & CU_EVENT_INTERPROCESS)) return NULL;
  if (e->o.ctx->device != sg_ctx()->device) { /* driver 580 crashes there */
    sg_say(CU_LOG_LEVEL_ERROR, "The event is of another device than the current context");
    return NULL;
  }
  uint64_t id = e->o.id;
  if (e->mark) sg_mark_wait(e->mark); /* from now on others look at it */
  e = event_get(h, code);             /* a host function may have let another thread in */
  return e && e->o.id == id ? &e->ipc : NULL;
}

SG_API CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, event_create(phEvent, Flags), "event=0x%llx flags=%u", SG_OUT(phEvent),
          Flags);
}

static CUresult event_destroy(CUevent h) {
  CUresult code;
  SgEvent *e = event_get(h, &code);
  if (!e) return code;
  sg_event_free(&e->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuEventDestroy_v2(CUevent hEvent) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, event_destroy(hEvent), "event=0x%llx", SG_X(hEvent));
}

/* From now on e stands for m, which it holds. */
static void event_set(SgEvent *e, SgMark *m) {
  sg_mark_drop(e->mark);
  sg_captured_clear(&e->at);
  e->mark = m;
  if (m) m->refs++;
}

/* --- events as nodes of a graph: recorded and waited for by each launch --- */

typedef struct EventOp {
  SgOp op;
  void *event;
  uint32_t generation;
} EventOp;

static SgEvent *event_of(const SgOp *op) {
  const EventOp *n = (const EventOp *)op;
  return sg_handle_peek(SG_H_EVENT, n->event, n->generation);
}

static CUresult event_check(const SgOp *op) {
  const SgEvent *e = event_of(op);
  if (e && !e->ipc) return CUDA_SUCCESS;
  if (e) {
    sg_say(CU_LOG_LEVEL_ERROR, "The graph has a node for an event that is shared with another process");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  sg_note_stale("event", SG_X(((const EventOp *)op)->event));
  sg_say(CU_LOG_LEVEL_ERROR, "The graph has a node for an event that was destroyed");
  return CUDA_ERROR_INVALID_HANDLE;
}

static void event_describe(const SgOp *op, SgText *t) {
  sg_text_add(t, "event=0x%llx", SG_X(((const EventOp *)op)->event));
}

static const SgNodeType record_node = {
    .type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .check = event_check, .describe = event_describe};
static const SgNodeType wait_node = {
    .type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .check = event_check, .describe = event_describe};
/* driver/graph_exec.c records and waits itself: nothing is left to run. */
static const SgOpType record_type = {.name = "record", .node = &record_node};
static const SgOpType wait_type = {.name = "wait", .node = &wait_node};

static EventOp *event_op(const SgEvent *e, bool record) {
  EventOp *op = calloc(1, sizeof *op);
  if (!op) return NULL;
  op->op.type = record ? &record_type : &wait_type;
  op->event = e->o.handle;
  op->generation = sg_handle_generation(SG_H_EVENT, op->event);
  return op;
}

/* Adds a node to the capture of s. */
static CUresult event_node(SgStream *s, const SgEvent *e, bool record) {
  EventOp *op = event_op(e, record);
  return op ? sg_stream_submit(s, &op->op) : CUDA_ERROR_OUT_OF_MEMORY;
}

/* No event is another code than elsewhere, and a kernel's fault is no reason to refuse: measured on an H200,
 * driver 580. */
CUresult sg_event_op(CUevent event, bool record, SgOp **out) {
  CUresult code;
  if (!event) return CUDA_ERROR_INVALID_VALUE;
  const SgEvent *e = sg_handle_get(SG_H_EVENT, event, &code);
  if (!e) return code;
  EventOp *op = event_op(e, record);
  if (!op) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = &op->op;
  return CUDA_SUCCESS;
}

CUevent sg_event_op_event(const SgOp *op) { return ((const EventOp *)op)->event; }

CUresult sg_event_node_mark(const SgOp *op, SgStream *s, SgMark **out) {
  SgEvent *e = event_of(op);
  if (op->type == &record_type) {
    *out = sg_mark_new(s);
    if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
    event_set(e, *out);
    return CUDA_SUCCESS;
  }
  *out = e->mark;
  if (e->mark) e->mark->refs++;
  return CUDA_SUCCESS;
}

/* --- record and wait --- */

typedef struct MarkOp {
  SgOp op;
  SgMark *mark;
} MarkOp;

static uint64_t record_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)code;
  sg_mark_set(((MarkOp *)op)->mark, s->end_ns);
  return 0;
}

static void record_drop(SgOp *op) {
  SgMark *m = ((MarkOp *)op)->mark;
  sg_mark_set(m, 0);
  sg_mark_drop(m);
}

/* Who waits in another process cannot make this one run. */
static CUresult record_shared(SgIpcEvent *ipc, SgStream *s, SgOp *op) {
  uint64_t number = sg_ipc_record(ipc);
  CUresult r = sg_stream_submit_wait(s, op);
  sg_ipc_recorded(ipc, number);
  return r;
}

static CUresult event_record(CUevent event, CUstream stream, unsigned flags) {
  static const SgOpType type = {.name = "record", .run = record_run, .drop = record_drop};
  CUresult code;
  if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  SgEvent *e = event_get(event, &code);
  if (!e) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->o.ctx != e->o.ctx) return CUDA_ERROR_INVALID_HANDLE;
  if (flags) return s->branch ? event_node(s, e, true) : CUDA_ERROR_ILLEGAL_STATE;
  if (s->branch) {
    event_set(e, NULL);
    return sg_capture_record(s, &e->at);
  }
  SgMark *m = sg_mark_new(s);
  MarkOp *op = m ? malloc(sizeof *op) : NULL;
  if (!op) {
    free(m);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  event_set(e, m);
  *op = (MarkOp){{.type = &type}, m};
  return e->ipc ? record_shared(e->ipc, s, &op->op) : sg_stream_submit(s, &op->op);
}

/* 0, or why a launch cannot record the event. */
CUresult sg_event_plain(CUevent h) {
  CUresult code;
  const SgEvent *e = event_get(h, &code);
  if (!e) return code;
  return (e->flags & CU_EVENT_DISABLE_TIMING) && !(e->flags & CU_EVENT_INTERPROCESS)
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult sg_event_record_plain(CUevent h, CUstream stream) { return event_record(h, stream, 0); }

SG_API CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, event_record(hEvent, hStream, 0), "event=0x%llx stream=0x%llx",
          SG_X(hEvent), SG_X(hStream));
}

SG_API CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, event_record(hEvent, hStream, flags),
          "event=0x%llx stream=0x%llx flags=%u", SG_X(hEvent), SG_X(hStream), flags);
}

static void wait_drop(SgOp *op) { sg_mark_drop(((MarkOp *)op)->mark); }

static SgMark *wait_waits(const SgOp *op) { return ((const MarkOp *)op)->mark; }

static CUresult stream_wait_event(CUstream stream, CUevent event, unsigned flags) {
  static const SgOpType type = {.name = "wait", .drop = wait_drop, .waits = wait_waits};
  CUresult code;
  if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  SgEvent *e = event_get(event, &code);
  if (!e) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (flags) return s->branch ? event_node(s, e, false) : CUDA_ERROR_ILLEGAL_STATE;
  if (!e->mark && !e->ipc && !e->at.capture) return CUDA_SUCCESS; /* never recorded: nothing to wait for */
  if (s->branch || e->at.capture) return sg_capture_wait(s, &e->at);
  if (e->ipc && e->o.ctx->device != s->o.ctx->device) { /* driver 580 crashes there */
    sg_say(CU_LOG_LEVEL_ERROR, "The event of another process is of another device than the stream");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (e->ipc) return sg_ipc_stream_wait(e->ipc, s);
  MarkOp *op = malloc(sizeof *op);
  if (!op) return CUDA_ERROR_OUT_OF_MEMORY;
  e->mark->refs++;
  *op = (MarkOp){{.type = &type}, e->mark};
  return sg_stream_submit(s, &op->op);
}

SG_API CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, stream_wait_event(hStream, hEvent, Flags),
          "stream=0x%llx event=0x%llx flags=%u", SG_X(hStream), SG_X(hEvent), Flags);
}

/* --- asking and waiting --- */

/* Not for an event of a capture, nor where a capture forbids it. */
static SgEvent *event_to_watch(CUevent h, CUresult *code) {
  SgEvent *e = event_get(h, code);
  if (!e) return NULL;
  *code = sg_captured_check(&e->at, false);
  if (!*code) *code = sg_capture_unsafe();
  return *code ? NULL : e;
}

static CUresult event_query(CUevent event) {
  CUresult code;
  SgEvent *e = event_to_watch(event, &code);
  if (!e) return code;
  if (e->ipc) return sg_ipc_query(e->ipc);
  if (!e->mark || e->mark->done) return CUDA_SUCCESS;
  int device = e->o.ctx->device;
  sg_mark_step(e->mark);
  return sg_state.device[device].sticky ? sg_state.device[device].sticky : CUDA_ERROR_NOT_READY;
}

SG_API CUresult cuEventQuery(CUevent hEvent) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, event_query(hEvent), "event=0x%llx", SG_X(hEvent));
}

static CUresult event_synchronize(CUevent event) {
  CUresult code;
  SgEvent *e = event_to_watch(event, &code);
  if (!e) return code;
  int device = e->o.ctx->device;
  if (e->ipc) return sg_ipc_synchronize(e->ipc);
  uint64_t id = e->o.id;
  sg_wait_begin(true);
  if (e->mark) sg_mark_wait(e->mark);
  sg_wait_begin(false);
  e = event_get(event, &code); /* a host function may have let another thread in */
  if (e && e->o.id == id) sg_output_flush(e->o.ctx);
  sg_pools_settle(device);
  return sg_state.device[device].sticky;
}

SG_API CUresult cuEventSynchronize(CUevent hEvent) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, event_synchronize(hEvent), "event=0x%llx", SG_X(hEvent));
}

static CUresult elapsed(float *ms, CUevent start, CUevent end) {
  CUresult code;
  if (!ms) return CUDA_ERROR_INVALID_HANDLE; /* measured on an H200, driver 580 */
  SgEvent *a = event_get(start, &code), *b = a ? event_get(end, &code) : NULL;
  if (!b) return code;
  if ((code = sg_captured_check(&a->at, true)) || (code = sg_captured_check(&b->at, true))) return code;
  if (!a->mark || !b->mark || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!a->mark->done || !b->mark->done) return CUDA_ERROR_NOT_READY;
  *ms = (float)((double)((int64_t)b->mark->ns - (int64_t)a->mark->ns) * 1e-6);
  return CUDA_SUCCESS;
}

SG_API CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, elapsed(pMilliseconds, hStart, hEnd), "start=0x%llx end=0x%llx",
          SG_X(hStart), SG_X(hEnd));
}

SG_API CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, elapsed(pMilliseconds, hStart, hEnd), "start=0x%llx end=0x%llx",
          SG_X(hStart), SG_X(hEnd));
}
