/* Events: marks in streams, and the time between two of them. */
#include "drv.h"

#include <stdlib.h>
#include <time.h>

typedef struct SgEvent {
  SgObject o;
  unsigned flags;
  SgMark *mark; /* of the latest record, or NULL */
} SgEvent;

void sg_event_free(SgObject *o, bool orphan) {
  SgEvent *e = (SgEvent *)o;
  sg_handle_free(o, orphan);
  sg_mark_drop(e->mark);
  free(e);
}

static SgEvent *event_get(CUevent h, CUresult *code) {
  SgEvent *e = sg_handle_get(SG_H_EVENT, h, code);
  if (e && (*code = sg_health(e->o.ctx)) != CUDA_SUCCESS) return NULL;
  return e;
}

static CUresult event_create(CUevent *out, unsigned flags) {
  unsigned all = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if (!out || (flags & ~all)) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
  SgEvent *e = calloc(1, sizeof *e);
  if (!e || !sg_handle_new(SG_H_EVENT, &e->o, sg_ctx())) {
    free(e);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  e->flags = flags;
  *out = e->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, event_create(phEvent, Flags), "event=0x%llx flags=%u", SG_OUT(phEvent), Flags);
}

static CUresult event_destroy(CUevent h) {
  CUresult code;
  SgEvent *e = event_get(h, &code);
  if (!e) return code;
  sg_event_free(&e->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuEventDestroy_v2(CUevent hEvent) {
  SG_CALL(SG_NEED_HEALTH, event_destroy(hEvent), "event=0x%llx", SG_X(hEvent));
}

/* --- record and wait --- */

typedef struct MarkOp {
  SgOp op;
  SgMark *mark;
} MarkOp;

static uint64_t record_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)code;
  SgMark *m = ((MarkOp *)op)->mark;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  m->ns = sg_config.real_time ? (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec : s->end_ns;
  return 0;
}

static void record_drop(SgOp *op) {
  SgMark *m = ((MarkOp *)op)->mark;
  m->done = true;
  m->stream = NULL;
  sg_mark_drop(m);
}

static CUresult event_record(CUevent event, CUstream stream, unsigned flags) {
  static const SgOpType type = {"record", record_run, record_drop, NULL};
  CUresult code;
  if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
  SgEvent *e = event_get(event, &code);
  if (!e) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->o.ctx != e->o.ctx) return CUDA_ERROR_INVALID_HANDLE;
  SgMark *m = calloc(1, sizeof *m);
  MarkOp *op = malloc(sizeof *op);
  if (!m || !op) {
    free(m);
    free(op);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  m->refs = 2; /* the event's and the operation's */
  m->stream = s;
  sg_mark_drop(e->mark);
  e->mark = m;
  *op = (MarkOp){{.type = &type}, m};
  return sg_stream_submit(s, &op->op);
}

SG_API CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, event_record(hEvent, hStream, 0), "event=0x%llx stream=0x%llx", SG_X(hEvent),
          SG_X(hStream));
}

SG_API CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  SG_CALL(SG_NEED_HEALTH, event_record(hEvent, hStream, flags), "event=0x%llx stream=0x%llx flags=%u",
          SG_X(hEvent), SG_X(hStream), flags);
}

static uint64_t wait_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)op;
  (void)s;
  (void)code;
  return 0;
}

static void wait_drop(SgOp *op) { sg_mark_drop(((MarkOp *)op)->mark); }

static SgMark *wait_waits(const SgOp *op) { return ((const MarkOp *)op)->mark; }

static CUresult stream_wait_event(CUstream stream, CUevent event, unsigned flags) {
  static const SgOpType type = {"wait", wait_run, wait_drop, wait_waits};
  CUresult code;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  SgEvent *e = event_get(event, &code);
  if (!e) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (!e->mark) return CUDA_SUCCESS;
  MarkOp *op = malloc(sizeof *op);
  if (!op) return CUDA_ERROR_OUT_OF_MEMORY;
  e->mark->refs++;
  *op = (MarkOp){{.type = &type}, e->mark};
  return sg_stream_submit(s, &op->op);
}

SG_API CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  SG_CALL(SG_NEED_HEALTH, stream_wait_event(hStream, hEvent, Flags), "stream=0x%llx event=0x%llx flags=%u",
          SG_X(hStream), SG_X(hEvent), Flags);
}

/* --- asking and waiting --- */

static CUresult event_query(CUevent event) {
  CUresult code;
  SgEvent *e = event_get(event, &code);
  if (!e) return code;
  if (!e->mark || e->mark->done) return CUDA_SUCCESS;
  int device = e->o.ctx->device;
  sg_mark_step(e->mark);
  return sg_state.device[device].sticky ? sg_state.device[device].sticky : CUDA_ERROR_NOT_READY;
}

SG_API CUresult cuEventQuery(CUevent hEvent) {
  SG_CALL(SG_NEED_HEALTH, event_query(hEvent), "event=0x%llx", SG_X(hEvent));
}

static CUresult event_synchronize(CUevent event) {
  CUresult code;
  SgEvent *e = event_get(event, &code);
  if (!e) return code;
  int device = e->o.ctx->device;
  if (e->mark) sg_mark_wait(e->mark);
  return sg_state.device[device].sticky;
}

SG_API CUresult cuEventSynchronize(CUevent hEvent) {
  SG_CALL(SG_NEED_HEALTH, event_synchronize(hEvent), "event=0x%llx", SG_X(hEvent));
}

static CUresult elapsed(float *ms, CUevent start, CUevent end) {
  CUresult code;
  if (!ms) return CUDA_ERROR_INVALID_VALUE;
  SgEvent *a = event_get(start, &code), *b = a ? event_get(end, &code) : NULL;
  if (!b) return code;
  if (!a->mark || !b->mark || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!a->mark->done || !b->mark->done) return CUDA_ERROR_NOT_READY;
  *ms = (float)((double)((int64_t)b->mark->ns - (int64_t)a->mark->ns) * 1e-6);
  return CUDA_SUCCESS;
}

SG_API CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  SG_CALL(SG_NEED_HEALTH, elapsed(pMilliseconds, hStart, hEnd), "start=0x%llx end=0x%llx", SG_X(hStart),
          SG_X(hEnd));
}

SG_API CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  SG_CALL(SG_NEED_HEALTH, elapsed(pMilliseconds, hStart, hEnd), "start=0x%llx end=0x%llx", SG_X(hStart),
          SG_X(hEnd));
}
