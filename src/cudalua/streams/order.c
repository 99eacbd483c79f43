/* In whose order a block of device memory is used: its home stream, in whose order it is allocated and freed,
 * and other streams that worked on it, each with an event behind its last work. A stream that closes leaves
 * an event behind its last work to the blocks whose home it is. */
#include "streams/order.h"
#include "streams/wait.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The default streams are nobody's and stay. */
static bool is_default(const cl_Stream *s) { return s == &cl_legacy_stream || s == &cl_per_thread_stream; }

void cl_order_open(cl_Order *o, cl_Stream *home) {
  o->home = home;
  if (is_default(home)) return;
  cl_rec_retain(&home->rec);
  atomic_fetch_add(&home->homes, 1);
}

static void leave_home(cl_Order *o) {
  cl_Stream *home = o->home;
  o->home = NULL;
  if (!home || is_default(home)) return;
  atomic_fetch_sub(&home->homes, 1);
  cl_rec_release(&home->rec);
}

static void drop_use(cl_Use *u, const cl_Context *c) {
  cl_event_discard(c, u->event);
  cl_rec_release(&u->stream->rec);
}

void cl_order_close(cl_Order *o, const cl_Context *c) {
  for (uint32_t i = 0; i < o->nuses; i++) drop_use(&o->uses[i], c);
  free(o->uses);
  o->uses = NULL;
  o->nuses = 0;
  leave_home(o);
}

/* True where work in s comes before what home does next by itself. */
static bool is_implied(const cl_Stream *home, const cl_Stream *s) {
  bool home_legacy = home == &cl_legacy_stream, s_legacy = s == &cl_legacy_stream;
  return home == s || (home_legacy && !(s->flags & CU_STREAM_NON_BLOCKING)) ||
         (s_legacy && !(home->flags & CU_STREAM_NON_BLOCKING));
}

/* Uses that are over keep no stream alive: else a block would keep every stream that ever read it. */
static void drop_done(cl_Order *o, const cl_Context *c) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < o->nuses; i++)
    if (CU.cuEventQuery(o->uses[i].event))
      o->uses[n++] = o->uses[i];
    else
      drop_use(&o->uses[i], c);
  if (n) cl_log_clear();
  o->nuses = n;
}

/* Remembers work in s; false: that could not be done, so it has to be waited for now. */
static bool note_use(cl_Order *o, const cl_Context *c, cl_Stream *s) {
  for (uint32_t i = 0; i < o->nuses; i++)
    if (o->uses[i].stream == s) return !CU.cuEventRecord(o->uses[i].event, cl_stream_handle(s));
  if (!cl_captures) drop_done(o, c); /* asking could break a capture */
  cl_Use *uses = realloc(o->uses, (o->nuses + 1) * sizeof *uses);
  if (!uses) return false;
  o->uses = uses;
  CUevent event = NULL;
  if (CU.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)) return false;
  if (CU.cuEventRecord(event, cl_stream_handle(s))) {
    CU.cuEventDestroy_v2(event);
    return false;
  }
  uses[o->nuses++] = (cl_Use){(cl_Stream *)cl_rec_retain(&s->rec), event};
  return true;
}

/* --- the home stream --- */

static bool open(const cl_Stream *s) { return is_default(s) || s->rec.life == CL_LIVE; }

cl_Stream *cl_order_stream(const cl_Order *o) { return open(o->home) ? o->home : &cl_legacy_stream; }

bool cl_order_known(const cl_Order *o) { return open(o->home) || o->home->last; }

/* Called before s is destroyed, with its context current. When that is being closed, the memory went before.
 */
void cl_stream_closing(cl_Stream *s) {
  CUevent event = NULL;
  if (!s->homes || s->rec.parent->life != CL_LIVE) return;
  CUresult code = CU.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  if (!code) code = CU.cuEventRecord(event, cl_stream_handle(s));
  if (!code)
    s->last = event;
  else if (event)
    CU.cuEventDestroy_v2(event);
  if (code) cl_log_clear();
}

void cl_stream_closed(cl_Rec *r) {
  const cl_Stream *s = (const cl_Stream *)r;
  if (s->last) cl_event_discard(cl_rec_context(r), s->last);
}

static CUresult wait_for_home(const cl_Stream *home, CUstream s) {
  if (!open(home)) return home->last ? CU.cuStreamWaitEvent(s, home->last, 0) : CUDA_ERROR_INVALID_HANDLE;
  CUevent event = NULL;
  CUresult code = CU.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  if (code) return code;
  code = CU.cuEventRecord(event, cl_stream_handle(home));
  if (!code) code = CU.cuStreamWaitEvent(s, event, 0);
  CU.cuEventDestroy_v2(event);
  return code;
}

CUresult cl_order_join(const cl_Order *o, cl_Stream *s) {
  CUstream handle = cl_stream_handle(s);
  CUresult code = o->home == s ? CUDA_SUCCESS : wait_for_home(o->home, handle);
  for (uint32_t i = 0; !code && i < o->nuses; i++)
    if (o->uses[i].stream != s) code = CU.cuStreamWaitEvent(handle, o->uses[i].event, 0);
  return code;
}

/* What home did so far becomes one of the uses, and s the home: it need not be asked about home twice. */
static bool move_home(cl_Order *o, const cl_Context *c, cl_Stream *s) {
  bool recorded = open(o->home) && note_use(o, c, o->home);
  if (!recorded && !(o->home->last && !CU.cuEventQuery(o->home->last))) return false;
  leave_home(o);
  cl_order_open(o, s);
  return true;
}

static bool done(cl_Order *o, const cl_Context *c, cl_Stream *s) {
  if (o->home && o->home != s && !move_home(o, c, s)) return false;
  while (o->nuses) {
    cl_Use *u = &o->uses[o->nuses - 1];
    if (u->stream != s && CU.cuEventQuery(u->event)) return false;
    drop_use(u, c);
    o->nuses--;
  }
  return true;
}

bool cl_order_done(cl_Order *o, const cl_Context *c, cl_Stream *s) {
  if (o->home == s && !o->nuses) return true;
  CUstreamCaptureMode mode = cl_relax();
  bool is = done(o, c, s);
  cl_unrelax(mode);
  cl_log_clear();
  return is;
}

/* --- who uses a block --- */

void cl_memory_use_slow(lua_State *L, cl_Allocation *a, cl_Stream *s) {
  if (a->origin == CL_ASYNC && is_implied(a->order.home, s)) return;
  if (cl_captures && cl_capture_id(s)) return; /* the graph keeps it */
  if (note_use(&a->order, cl_rec_context(&a->rec), s)) return;
  cl_log_clear();
  CUresult code =
      cl_wait_stream_anyway(cl_stream_handle(s)); /* work that nobody would know of is under way */
  if (code) cl_fail(L, "cuStreamSynchronize", code);
}

void cl_memory_captured(cl_Rec *r) {
  if (r->tracks) ((cl_Allocation *)r)->captured = true;
}
