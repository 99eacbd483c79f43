/* Calls of a vendor's library, which puts kernels of its own into a stream
 * (lua/cudalua/gpuarray/core/run.lua). What a launch does for its arguments is done here for the memory that
 * such a call is given: before it the streams are joined, behind it the uses are noted. */
#include "base/state.h"
#include "launch/launch.h"
#include "streams/order.h"
#include "streams/wait.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct cl_LibraryCall {
  struct cl_LibraryCall *outer; /* a finalizer that ran in this call may make one */
  const char *name;             /* the library's function, interned */
  cl_Context *ctx;              /* retained, as is the stream */
  cl_Stream *stream;
  bool relaxed;
  CUstreamCaptureMode mode; /* of this thread, before it was relaxed */
} cl_LibraryCall;

/* Every context may use it, or it is not known whose it is. */
static bool is_of_all(const cl_Rec *r) {
  return r == &cl_no_owner || r->kind == CL_HOST || r->kind == CL_REGISTERED;
}

/* The memory at place i of the list, which is at index 2; NULL: false, for an array without elements. Its
 * userdata is left on the stack. */
static const cl_MemoryObject *memory_at(lua_State *L, int i) {
  lua_rawgeti(L, 2, i);
  return lua_toboolean(L, -1) ? cl_check_memory(L, -1, "memory") : NULL;
}

/* The one context of all the memory, which has to be current. The list keeps it alive. */
static cl_Context *check_memories(lua_State *L, const char *name, int n) {
  cl_Context *ctx = NULL;
  for (int i = 1; i <= n; i++, lua_pop(L, 1)) {
    const cl_MemoryObject *m = memory_at(L, i);
    if (!m || is_of_all(m->o.rec)) continue;
    cl_Context *own = cl_rec_context(m->o.rec);
    if (ctx && own != ctx) cl_logic(L, "%s: the memory belongs to several contexts", name);
    ctx = own;
  }
  if (!ctx) cl_logic(L, "%s: none of the memory belongs to a context", name);
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  if (current != (CUcontext)ctx->rec.handle)
    cl_logic(L, "%s: the memory belongs to a context that is not current", name);
  return ctx;
}

/* Work in s comes after all that other streams do with this memory. */
static void join(lua_State *L, cl_Rec *memory, const cl_Context *ctx, cl_Stream *s) {
  if (!memory->tracks) return;
  cl_Allocation *a = (cl_Allocation *)memory;
  if (cl_captures || cl_order_done(&a->order, ctx, s)) return;
  CUresult code = cl_order_join(&a->order, s);
  if (code) cl_fail(L, "cuStreamWaitEvent", code);
}

/* library_begin(name, memories) -> handle of the current stream, is it being captured? To be followed by
 * library_end(), whatever the call in between does. memories: a list of all memory that the call reads,
 * writes or works in. Makes nothing in Lua, so it may stand between the look at arrays and the call. */
int cl_library_begin(lua_State *L) {
  const char *name = cl_check_name(L, 1, "name");
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  const int n = (int)lua_objlen(L, 2);
  cl_Context *ctx = check_memories(L, name, n);
  cl_Stream *s = cl_current_stream(L, name, ctx);
  for (int i = 1; i <= n; i++, lua_pop(L, 1)) {
    const cl_MemoryObject *m = memory_at(L, i);
    if (m) join(L, m->o.rec, ctx, s);
  }
  cl_tie_up();
  cl_LibraryCall *c = malloc(sizeof *c);
  if (!c) return luaL_error(L, "not enough memory");
  cl_State *st = cl_state(L);
  *c = (cl_LibraryCall){.outer = st->library, .name = cl_intern(name), .ctx = ctx, .stream = s};
  cl_rec_retain(&ctx->rec);
  cl_rec_retain(&s->rec);
  /* What a library loads when it is first called is of no concern to a capture. */
  c->relaxed = cl_captures != 0;
  if (c->relaxed) c->mode = cl_relax();
  st->library = c;
  lua_pushnumber(L, (lua_Number)(uintptr_t)cl_stream_handle(s));
  lua_pushboolean(L, cl_captures && cl_capture_id(s));
  return 2;
}

/* Gives back what a call had; the handle of its stream is good as long as the caller's is. */
static void leave(cl_State *st, cl_LibraryCall *c) {
  st->library = c->outer;
  cl_rec_release(&c->stream->rec);
  cl_rec_release(&c->ctx->rec);
  free(c);
}

static void fail_late(lua_State *L, const char *name, CUresult code) {
  if (code == CL_INTERRUPTED) cl_fail(L, "cuStreamSynchronize", code);
  cl_fail_new(L, "cuStreamSynchronize", code);
  lua_pushfstring(L, "%s failed: %s", name, cl_code_text(code));
  lua_setfield(L, -2, "message");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "kernel");
  cl_throw(L);
}

/* library_end(memories, ran, keep): behind the call. ran: it was made, and may have put work into the stream,
 * also if it failed. With launch blocking on, that is waited for. keep: what else the work needs, for a graph
 * that is being captured; nil: nothing. */
int cl_library_end(lua_State *L) {
  cl_State *st = cl_state(L);
  cl_LibraryCall *c = st->library;
  luaL_checktype(L, 1, LUA_TTABLE);
  if (!c) cl_logic(L, "library_end: no call of a library is under way");
  if (c->relaxed) cl_unrelax(c->mode);
  c->relaxed = false;
  if (!lua_toboolean(L, 2) || cl_forked) return leave(st, c), 0;
  cl_Stream *s = c->stream;
  const char *name = c->name;
  atomic_store_explicit(&s->last_kernel, name, memory_order_release);
  atomic_store_explicit(&c->ctx->last_kernel, name, memory_order_release);
  st->launches++; /* what was launched last is not what a mailbox tells of any more */
  const bool captured = cl_captures && cl_capture_id(s);
  const int n = (int)lua_objlen(L, 1);
  for (int i = 1; i <= n; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, 1, i);
    const cl_MemoryObject *m = cl_to_memory(L, -1);
    if (!m || !cl_rec_live(m->o.rec)) continue;
    if (captured)
      cl_capture_keep(L, s, -1);
    else
      cl_memory_used(L, m, s);
  }
  if (captured && !lua_isnoneornil(L, 3)) cl_capture_keep(L, s, 3);
  CUresult code = CUDA_SUCCESS;
  if (cl_launch_blocking_on && !captured) {
    const CUstreamCaptureMode mode = cl_relax(); /* of another stream, perhaps */
    code = cl_wait_stream(L, cl_stream_handle(s));
    cl_unrelax(mode);
  }
  leave(st, c);
  if (code) fail_late(L, name, code);
  return 0;
}
