/* Event: a mark in a stream, to wait for, to ask for and to measure the time between two of them. */
#include "base/state.h"
#include "streams/capture.h"
#include "streams/order.h"
#include "base/account.h"
#include "streams/wait.h"

#include <string.h>

typedef struct cl_Event {
  cl_Rec rec;
  unsigned flags;
  bool recorded;
  bool imported;     /* another process made it */
  uint64_t captured; /* number of the capture that it was last recorded in, 0: none */
} cl_Event;

static CUresult event_destroy(cl_Rec *r) { return CU.cuEventDestroy_v2((CUevent)r->handle); }
CL_FAMILY(CL_EVENT, .destroy = event_destroy);

void cl_event_discard(const cl_Context *c, CUevent event) {
  if (!cl_forked && c->rec.life == CL_LIVE && !cl_poison[c->device]) CU.cuEventDestroy_v2(event);
}

/* Pushes an Event of the current context that is not made yet. */
static cl_Event *new_event(lua_State *L, unsigned flags) {
  cl_Event *e = cl_push_in_current(L, CL_EVENT, sizeof(cl_Object), sizeof *e);
  e->flags = flags;
  return e;
}

static int made(cl_Event *e, CUevent handle) {
  e->rec.handle = (uint64_t)(uintptr_t)handle;
  e->rec.life = CL_LIVE;
  cl_account(&e->rec, CL_BYTES_NONE, 0);
  return 1;
}

/* event([flags]) -> Event in the current context */
int cl_event(lua_State *L) {
  unsigned flags = (unsigned)cl_check_flags(L, 1, "flags", "event_flags", -1);
  if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
    cl_logic(L, "Event: INTERPROCESS needs DISABLE_TIMING: {\"interprocess\", \"disable_timing\"}");
  cl_Event *e = new_event(L, flags);
  CUevent handle = NULL;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuEventCreate(&handle, flags);
  cl_unrelax(mode);
  if (code) cl_fail(L, "cuEventCreate", code);
  return made(e, handle);
}

static cl_Event *check_event(lua_State *L) {
  return (cl_Event *)((const cl_Object *)cl_check(L, 1, CL_EVENT))->rec;
}

int cl_event_close(lua_State *L) { return cl_close_method(L, CL_EVENT, "cuEventDestroy_v2"); }

int cl_event_handle(lua_State *L) { return cl_handle_method(L, CL_EVENT); }

int cl_event_context(lua_State *L) {
  cl_push_context(L, cl_rec_context(&check_event(L)->rec));
  return 1;
}

/* e:record([s]) -> e */
int cl_event_record(lua_State *L) {
  cl_Event *e = check_event(L);
  const cl_Context *ctx = cl_rec_context(&e->rec);
  cl_Stream *s = cl_check_stream(L, 2, "Event:record: stream", ctx);
  if (!s->rec.parent) {
    if (cl_current(L) != (CUcontext)ctx->rec.handle)
      cl_logic(L, "Event:record: the default stream belongs to the current context, but the event belongs to "
                  "another");
  }
  uint64_t captured = cl_captures ? cl_capture_id(s) : 0;
  if (e->captured && e->captured != captured && cl_capture_active(e->captured))
    cl_logic(L, "Event:record: the event marks a point in a running capture, which this would break; use "
                "another event");
  CL_TRY(L, cuEventRecord, (CUevent)e->rec.handle, cl_stream_handle(s));
  e->recorded = true;
  e->captured = captured;
  if (captured) cl_capture_keep(L, s, 1);
  lua_settop(L, 1);
  return 1;
}

/* The driver takes such questions for mistakes that end the capture. */
static void refuse_captured(lua_State *L, const cl_Event *e, const char *call) {
  if (e->captured)
    cl_logic(L,
             "%s: the event was last recorded in a stream that was being captured, where nothing runs; "
             "record it again",
             call);
}

/* e:synchronize() -> e */
int cl_event_synchronize(lua_State *L) {
  cl_Event *e = check_event(L);
  refuse_captured(L, e, "Event:synchronize");
  cl_refuse_in_capture(L, "Event:synchronize");
  CUresult code = cl_wait_event(L, (CUevent)e->rec.handle);
  if (code) cl_fail_waiting(L, "cuEventSynchronize", code, &e->rec);
  cl_after_wait(L);
  cl_run_completions(L);
  lua_settop(L, 1);
  return 1;
}

/* e:query() -> has everything before the mark been done? */
int cl_event_query(lua_State *L) {
  cl_Event *e = check_event(L);
  refuse_captured(L, e, "Event:query");
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuEventQuery((CUevent)e->rec.handle);
  cl_unrelax(mode);
  if (code && code != CUDA_ERROR_NOT_READY) cl_fail_waiting(L, "cuEventQuery", code, &e->rec);
  if (code) cl_tie_up(); /* the program may poll for a long time */
  if (!code) {
    cl_anchors_poll(L);
    CL_RUN_HOOKS(cl_on_answer, L);
  }
  lua_pushboolean(L, code == CUDA_SUCCESS);
  return 1;
}

/* Milliseconds from `start` to `stop`. Drivers before 12.8 have the older form of the call. */
static int push_time(lua_State *L, const cl_Event *start, const cl_Event *stop, const char *call) {
  float ms = 0;
  refuse_captured(L, start, call);
  refuse_captured(L, stop, call);
  bool v2 = cl_entry_present((const void *)CU.cuEventElapsedTime_v2);
  CUevent a = (CUevent)start->rec.handle, b = (CUevent)stop->rec.handle;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = v2 ? CU.cuEventElapsedTime_v2(&ms, a, b) : CU.cuEventElapsedTime(&ms, a, b);
  cl_unrelax(mode);
  if (code) {
    const char *why = NULL;
    if (code == CUDA_ERROR_NOT_READY)
      why = "the device has not reached both events yet; call synchronize() on the later one first";
    else if (code == CUDA_ERROR_INVALID_HANDLE && !(start->recorded && stop->recorded))
      why = "both events must be recorded first";
    else if (code == CUDA_ERROR_INVALID_HANDLE && ((start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING))
      why = "an event made with DISABLE_TIMING has no time";
    cl_fail_new(L, v2 ? "cuEventElapsedTime_v2" : "cuEventElapsedTime", code);
    if (why) {
      lua_pushfstring(L, "%s: %s", call, why);
      lua_setfield(L, -2, "message");
    }
    cl_throw(L);
  }
  lua_pushnumber(L, (lua_Number)ms);
  return 1;
}

static const cl_Event *check_other(lua_State *L) {
  const cl_Object *o = cl_to_kind(L, 2, CL_EVENT);
  if (!o) cl_bad_argument(L, 2, "event", "an Event");
  return (const cl_Event *)((const cl_Object *)cl_check(L, 2, CL_EVENT))->rec;
}

/* stop:time_since(start) -> ms */
int cl_event_time_since(lua_State *L) {
  const cl_Event *e = check_event(L);
  return push_time(L, check_other(L), e, "Event:time_since");
}

/* start:time_till(stop) -> ms */
int cl_event_time_till(lua_State *L) {
  const cl_Event *e = check_event(L);
  return push_time(L, e, check_other(L), "Event:time_till");
}

/* e:ipc_handle() -> 64 bytes for Event.from_ipc_handle() of another process */
int cl_event_ipc_handle(lua_State *L) {
  cl_Event *e = check_event(L);
  if (!(e->flags & CU_EVENT_INTERPROCESS))
    cl_logic(L, "Event:ipc_handle: make the event with {\"interprocess\", \"disable_timing\"}");
  CUipcEventHandle h;
  memset(&h, 0, sizeof h);
  /* Driver 580 crashes if the current context is of another device than the event. */
  const CUcontext own = (CUcontext)cl_rec_context(&e->rec)->rec.handle;
  CUcontext current = NULL, popped;
  CU.cuCtxGetCurrent(&current);
  CUresult code = current == own ? CUDA_SUCCESS : CU.cuCtxPushCurrent_v2(own);
  if (code) cl_fail(L, "cuCtxPushCurrent_v2", code);
  code = CU.cuIpcGetEventHandle(&h, (CUevent)e->rec.handle);
  if (current != own) CU.cuCtxPopCurrent_v2(&popped);
  if (code) cl_fail(L, "cuIpcGetEventHandle", code);
  lua_pushlstring(L, h.reserved, sizeof h.reserved);
  return 1;
}

/* event_from_ipc_handle(string) -> Event in the current context */
int cl_event_from_ipc_handle(lua_State *L) {
  CUipcEventHandle h;
  cl_check_given(L, 1, "handle", "the 64 bytes that Event:ipc_handle() gave", h.reserved, sizeof h.reserved);
  cl_Event *e = new_event(L, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  CUevent handle = NULL;
  CL_TRY(L, cuIpcOpenEventHandle, &handle, h);
  e->recorded = e->imported = true; /* recorded by the other process, perhaps */
  return made(e, handle);
}

/* An event behind one of another context, by a stream between them; both are destroyed when they are done. */
static CUresult record_behind(CUcontext own, CUevent event, CUevent *behind) {
  CUcontext popped;
  CUstream between = NULL;
  CUresult code = CU.cuCtxPushCurrent_v2(own);
  if (code) return code;
  code = CU.cuStreamCreate(&between, CU_STREAM_NON_BLOCKING);
  if (!code) code = CU.cuEventCreate(behind, CU_EVENT_DISABLE_TIMING);
  if (!code) code = CU.cuStreamWaitEvent(between, event, 0);
  if (!code) code = CU.cuEventRecord(*behind, between);
  if (between) CU.cuStreamDestroy_v2(between);
  CU.cuCtxPopCurrent_v2(&popped);
  return code;
}

/* Driver 580 crashes if a stream waits for an event of another process that is of another device. So a stream
 * of that device waits for it, and s for that stream. */
static CUresult wait_over_devices(cl_Rec *e, CUstream s) {
  CUevent behind = NULL;
  CUresult code =
      record_behind((CUcontext)cl_rec_context(e)->rec.handle, (CUevent)(uintptr_t)e->handle, &behind);
  if (!code) code = CU.cuStreamWaitEvent(s, behind, 0);
  if (behind) CU.cuEventDestroy_v2(behind);
  return code;
}

static bool is_of_device(cl_Rec *e, const cl_Stream *s) {
  CUdevice dev = 0;
  if (s->rec.parent)
    dev = ((const cl_Context *)s->rec.parent)->device;
  else if (CU.cuCtxGetDevice(&dev)) /* a default stream is that of the current context */
    return true;
  return cl_rec_context(e)->device == dev;
}

/* s:wait_for_event(e) -> s. Event and stream may be of different contexts. While e belongs to a capture, s
 * joins that capture. */
int cl_stream_wait_for_event(lua_State *L) {
  cl_check(L, 1, CL_STREAM);
  const cl_Event *e = check_other(L);
  cl_Stream *s = cl_check_stream(L, 1, "Stream:wait_for_event", NULL);
  uint64_t mine = cl_captures ? cl_capture_id(s) : 0;
  if (mine && e->captured != mine)
    cl_logic(L, "Stream:wait_for_event: the stream is being captured, and the event was not recorded in that "
                "capture");
  if (!mine && e->captured && !cl_capture_active(e->captured)) refuse_captured(L, e, "Stream:wait_for_event");
  if (e->captured && s == &cl_legacy_stream)
    cl_logic(L, "Stream:wait_for_event: the legacy stream cannot join a capture");
  cl_Rec *rec = ((const cl_Object *)cl_check(L, 2, CL_EVENT))->rec;
  const CUresult code = e->imported && !is_of_device(rec, s)
                            ? wait_over_devices(rec, cl_stream_handle(s))
                            : CU.cuStreamWaitEvent(cl_stream_handle(s), (CUevent)e->rec.handle, 0);
  if (code) cl_fail(L, "cuStreamWaitEvent", code);
  if (e->captured) {
    cl_capture_keep(L, s, 1);
    cl_capture_keep(L, s, 2);
  }
  lua_settop(L, 1);
  return 1;
}
