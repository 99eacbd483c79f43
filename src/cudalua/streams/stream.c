/* Stream: created here, one of the driver's two default streams, or one of other code's. Also the current
 * stream of a Lua state, which everything uses that is given none. */
#include "streams/stream.h"
#include "base/account.h"
#include "base/state.h"
#include "streams/wait.h"

/* Their handles are the driver's CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. */
enum { LEGACY = 1, PER_THREAD = 2 };
cl_Stream cl_legacy_stream = {.rec = {.refs = 1, .life = CL_LIVE, .kind = CL_STREAM, .handle = LEGACY}};
cl_Stream cl_per_thread_stream = {
    .rec = {.refs = 1, .life = CL_LIVE, .kind = CL_STREAM, .handle = PER_THREAD}};

static CUresult stream_destroy(cl_Rec *r) {
  cl_stream_closing((cl_Stream *)r);
  return ((const cl_Stream *)r)->foreign ? CUDA_SUCCESS : CU.cuStreamDestroy_v2((CUstream)r->handle);
}
CL_FAMILY(CL_STREAM, .destroy = stream_destroy, .dispose = cl_stream_closed);

/* The userdata of s in this state. */
static void *push_stream(lua_State *L, cl_Stream *s) {
  return cl_push_interned(L, s, &s->rec, CL_STREAM, sizeof(cl_Object));
}

cl_Context *cl_stream_context(lua_State *L, const cl_Stream *s) {
  return s->rec.parent ? (cl_Context *)cl_rec_retain(s->rec.parent) : cl_context_current(L);
}

/* --- streams as arguments --- */

_Atomic uint32_t cl_streams_in_use;

static cl_Stream *usable(lua_State *L, cl_Stream *s, const char *what, const cl_Context *ctx) {
  if (ctx && s->rec.parent && s->rec.parent != &ctx->rec)
    cl_logic(L, "%s: the stream belongs to another context", what);
  if (__builtin_expect(cl_captures || s->foreign, 0)) cl_capture_check(L, s, what);
  return s;
}

cl_Stream *cl_current_stream_slow(lua_State *L, const char *what, const cl_Context *ctx) {
  cl_Stream *s = cl_state(L)->stream;
  if (!s) s = &cl_legacy_stream;
  if (!cl_rec_live(&s->rec)) cl_logic(L, "%s: the current stream was closed inside stream:use()", what);
  return usable(L, s, what, ctx);
}

cl_Stream *cl_check_stream(lua_State *L, int idx, const char *what, const cl_Context *ctx) {
  if (lua_isnoneornil(L, idx)) return cl_current_stream(L, what, ctx);
  cl_Object *o = cl_to_kind(L, idx, CL_STREAM);
  if (!o) cl_bad_argument(L, idx, what, "a Stream");
  if (cl_forked || !cl_rec_live(o->rec)) cl_dead(L, o);
  return usable(L, (cl_Stream *)o->rec, what, ctx);
}

static void leave_stream(cl_State *st) {
  if (st->stream) cl_rec_release(&st->stream->rec);
  st->stream = NULL;
}
CL_HOOK(cl_on_state_close, 4, leave_stream);

void cl_check_function(lua_State *L, int idx, const char *what) {
  if (lua_isfunction(L, idx)) return;
  /* Any cdata has the field, and most cannot be called. */
  bool callable = lua_type(L, idx) != CL_TCDATA && luaL_getmetafield(L, idx, "__call");
  if (callable) lua_pop(L, 1);
  if (!callable) cl_bad_argument(L, idx, what, "a function");
}

static cl_Stream *check_self(lua_State *L) {
  return (cl_Stream *)((const cl_Object *)cl_check(L, 1, CL_STREAM))->rec;
}

/* --- making and closing --- */

/* Pushes a Stream of c that is not made yet. Takes c's reference. */
static cl_Stream *new_stream(lua_State *L, cl_Context *c) {
  cl_push_context(L, c); /* holds it from here on */
  cl_rec_release(&c->rec);
  cl_Object *o = cl_push(L, CL_STREAM, sizeof *o); /* holds the record until the one below does */
  cl_Stream *s = (cl_Stream *)cl_rec_new(CL_STREAM, sizeof *s, &c->rec);
  if (!s) luaL_error(L, "not enough memory");
  o->rec = &s->rec;
  push_stream(L, s);
  return s;
}

/* stream([flags [, priority]]) -> Stream in the current context */
int cl_stream(lua_State *L) {
  unsigned flags = (unsigned)cl_check_flags(L, 1, "flags", "stream_flags", CU_STREAM_NON_BLOCKING);
  bool plain = lua_isnoneornil(L, 2);
  int priority = plain ? 0 : (int)cl_check_int(L, 2, "priority", INT32_MIN, INT32_MAX);
  cl_Stream *s = new_stream(L, cl_context_current(L));
  cl_still_current(L, cl_rec_context(&s->rec));
  s->flags = flags;
  CUstream handle = NULL;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code =
      plain ? CU.cuStreamCreate(&handle, flags) : CU.cuStreamCreateWithPriority(&handle, flags, priority);
  cl_unrelax(mode);
  if (code) cl_fail(L, plain ? "cuStreamCreate" : "cuStreamCreateWithPriority", code);
  s->rec.handle = (uint64_t)(uintptr_t)handle;
  s->rec.life = CL_LIVE;
  cl_account(&s->rec, CL_BYTES_NONE, 0);
  return 1;
}

/* wrap_stream(handle) -> the Stream that stands for a CUstream of other code, which keeps owning it */
int cl_wrap_stream(lua_State *L) {
  uint64_t handle = cl_check_bytes(L, 1, "handle");
  if (handle <= PER_THREAD) { /* 0 is the legacy one, too */
    push_stream(L, handle == PER_THREAD ? &cl_per_thread_stream : &cl_legacy_stream);
    return 1;
  }
  if (!cl_may_be_handle(handle)) cl_bad_argument(L, 1, "handle", "the handle of a stream");
  CUcontext owner = NULL;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CL_TRY(L, cuStreamGetCtx, (CUstream)(uintptr_t)handle, &owner);
  CL_TRY(L, cuStreamIsCapturing, (CUstream)(uintptr_t)handle, &status);
  if (status != CU_STREAM_CAPTURE_STATUS_NONE) /* asking for its flags would break that */
    cl_logic(L, "wrap_stream: this stream is being captured; wrap it before, or when that is over");
  unsigned flags = 0;
  CL_TRY(L, cuStreamGetFlags, (CUstream)(uintptr_t)handle, &flags);
  cl_Stream *s = new_stream(L, cl_context_wrap(L, owner, "wrap_stream"));
  s->flags = flags;
  s->foreign = true;
  s->rec.handle = handle;
  s->rec.life = CL_LIVE;
  return 1;
}

int cl_stream_close(lua_State *L) {
  const cl_Stream *s = check_self(L);
  if (!s->rec.parent) cl_logic(L, "Stream:close: the default streams cannot be closed");
  if (cl_captures && cl_capture_id(s)) cl_logic(L, "Stream:close: this stream is being captured");
  return cl_close_method(L, CL_STREAM, "cuStreamDestroy_v2");
}

/* default_streams() -> the legacy stream, the per-thread stream */
int cl_default_streams(lua_State *L) {
  push_stream(L, &cl_legacy_stream);
  push_stream(L, &cl_per_thread_stream);
  return 2;
}

/* --- what a stream is --- */

int cl_stream_handle_number(lua_State *L) {
  lua_pushnumber(L, (lua_Number)check_self(L)->rec.handle);
  return 1;
}

/* Known here: asking the driver would break a capture of the stream. */
int cl_stream_flags(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check_self(L)->flags);
  return 1;
}

int cl_stream_priority(lua_State *L) {
  const cl_Stream *s = check_self(L);
  int priority = 0;
  if (s == &cl_legacy_stream) cl_capture_check(L, s, "Stream:priority");
  CL_TRY(L, cuStreamGetPriority, cl_stream_handle(s), &priority);
  lua_pushinteger(L, priority);
  return 1;
}

/* stream_priority_range() -> least, greatest: the smaller number is the greater priority */
int cl_stream_priority_range(lua_State *L) {
  int least = 0, greatest = 0;
  CL_TRY(L, cuCtxGetStreamPriorityRange, &least, &greatest);
  lua_pushinteger(L, least);
  lua_pushinteger(L, greatest);
  return 2;
}

int cl_stream_get_context(lua_State *L) {
  cl_Context *c = cl_stream_context(L, check_self(L));
  cl_push_context(L, c);
  cl_rec_release(&c->rec);
  return 1;
}

int cl_stream_tostring(lua_State *L) {
  const cl_Object *o = cl_to_kind(L, 1, CL_STREAM);
  const cl_Rec *default_rec = o && o->rec && !o->rec->parent ? o->rec : NULL;
  if (!default_rec) return cl_object_tostring(L);
  lua_pushfstring(L, "cudalua.Stream: %s", default_rec == &cl_legacy_stream.rec ? "legacy" : "per-thread");
  return 1;
}

/* --- waiting --- */

/* s:synchronize() -> s */
int cl_stream_synchronize(lua_State *L) {
  cl_Stream *s = check_self(L);
  cl_refuse_stream_wait(L, s, "Stream:synchronize");
  CUresult code;
  do code = cl_wait_stream(L, cl_stream_handle(s));
  while (code && cl_start(L, code));
  if (code) cl_fail_waiting(L, "cuStreamSynchronize", code, &s->rec);
  cl_after_wait(L);
  cl_run_completions(L);
  lua_settop(L, 1);
  return 1;
}

static CUresult query(const cl_Stream *s) {
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuStreamQuery(cl_stream_handle(s));
  cl_unrelax(mode);
  return code;
}

/* s:is_done() -> has all its work been done? */
int cl_stream_is_done(lua_State *L) {
  cl_Stream *s = check_self(L);
  if (cl_captures || s->foreign) {
    if (cl_capture_id(s))
      cl_logic(L, "Stream:is_done is not possible for a stream that is being captured: what is captured runs "
                  "when its graph is launched");
    cl_capture_check(L, s, "Stream:is_done");
  }
  CUresult code;
  do code = query(s);
  while (code && cl_start(L, code));
  if (code && code != CUDA_ERROR_NOT_READY) cl_fail_waiting(L, "cuStreamQuery", code, &s->rec);
  if (code) cl_tie_up(); /* the program may poll for a long time */
  if (!code) {
    cl_anchors_poll(L);
    CL_RUN_HOOKS(cl_on_answer, L);
  }
  lua_pushboolean(L, code == CUDA_SUCCESS);
  return 1;
}

/* --- the current stream --- */

cl_Stream *cl_stream_set(cl_State *st, cl_Stream *s) {
  cl_Stream *before = st->stream;
  st->stream = (cl_Stream *)cl_rec_retain(&s->rec);
  cl_streams_in_use++;
  return before;
}

void cl_stream_enter(cl_State *st, cl_Stream *s, cl_Frame *frame) {
  frame->outer = st->frame;
  frame->before = cl_stream_set(st, s);
  st->frame = frame;
}

void cl_stream_leave(cl_State *st, const cl_Frame *frame) {
  cl_Stream *s = st->stream;
  if (__builtin_expect(st->captures != NULL, 0)) cl_captures_left(st, frame);
  cl_streams_in_use--;
  st->stream = frame->before;
  st->frame = frame->outer;
  cl_rec_release(&s->rec);
}

/* s:use(fn, ...) -> what fn(...) returns; s is the current stream while it runs. Called from C, fn cannot be
 * left by a coroutine's yield, so the stream is always put back. */
int cl_stream_use(lua_State *L) {
  cl_Stream *s = check_self(L);
  cl_check_function(L, 2, "fn");
  cl_State *st = cl_state(L);
  cl_Frame frame;
  cl_stream_enter(st, s, &frame);
  int failed = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
  cl_stream_leave(st, &frame);
  if (failed) lua_error(L);
  return lua_gettop(L) - 1;
}

/* current_stream() -> Stream */
int cl_get_current_stream(lua_State *L) {
  cl_Stream *s = cl_state(L)->stream;
  push_stream(L, s ? s : &cl_legacy_stream);
  return 1;
}
