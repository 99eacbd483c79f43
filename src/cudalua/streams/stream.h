/* Streams as other families see them, and what must stay alive until work in a stream is done. */
#ifndef CUDALUA_STREAM_H
#define CUDALUA_STREAM_H

#include "streams/capture.h"
#include "base/base.h"

struct cl_Stream {
  cl_Rec rec; /* parent: the context; none for the two below, which are of whatever context is current */
  unsigned flags;
  bool foreign; /* somebody else's: never destroyed here */
  const char
      *_Atomic last_kernel; /* launched last in it (interned): named when a later call reports an error */
  _Atomic uint32_t homes;   /* blocks of memory that are allocated and freed in its order */
  CUevent last;             /* once closed: comes after its last work, for those blocks (order.c) */
};

extern cl_Stream cl_legacy_stream, cl_per_thread_stream;

/* The stream at idx for work in ctx (NULL: any): the object there, for nil the state's current stream, which
 * is the legacy one outside of stream:use(). Raises where it is closed or of another context, and where the
 * work would break a capture. */
cl_Stream *cl_check_stream(lua_State *L, int idx, const char *what, const cl_Context *ctx);
struct cl_State;
/* A function that has a current stream of its own: on the C stack of whoever calls it. */
typedef struct cl_Frame {
  struct cl_Frame *outer;
  cl_Stream *before; /* the current stream outside of it */
} cl_Frame;
/* s is the current stream until cl_stream_leave(). */
void cl_stream_enter(struct cl_State *st, cl_Stream *s, cl_Frame *frame);
void cl_stream_leave(struct cl_State *st, const cl_Frame *frame);
/* s is the current stream from now on; the one before, with its reference (NULL: the legacy stream). */
cl_Stream *cl_stream_set(struct cl_State *st, cl_Stream *s);
/* The state's current stream, for work in ctx. Cheap where no state has set one. */
extern _Atomic uint32_t cl_streams_in_use; /* how many stream:use() and captures are under way */
cl_Stream *cl_current_stream_slow(lua_State *L, const char *what, const cl_Context *ctx);
static inline cl_Stream *cl_current_stream(lua_State *L, const char *what, const cl_Context *ctx) {
  return __builtin_expect(cl_streams_in_use == 0, 1) ? &cl_legacy_stream
                                                     : cl_current_stream_slow(L, what, ctx);
}
/* Its handle for a driver call; the legacy stream is NULL there. */
static inline CUstream cl_stream_handle(const cl_Stream *s) {
  return s == &cl_legacy_stream ? NULL : (CUstream)s->rec.handle;
}
/* Its context, retained: for the default streams the current one. */
cl_Context *cl_stream_context(lua_State *L, const cl_Stream *s);
/* Raises unless the value at idx can be called. */
void cl_check_function(lua_State *L, int idx, const char *what);

/* order.c: called before s is destroyed, with its context current; and before its record goes. */
void cl_stream_closing(cl_Stream *s);
void cl_stream_closed(cl_Rec *r);

/* anchors.c: asynchronous work reads and writes memory after the call that started it has returned. */

/* Keeps the value at idx alive until everything submitted to s so far is done; called after the submission,
 * with ctx current. While s is being captured, the value goes to the graph instead. */
void cl_anchor(lua_State *L, cl_Stream *s, cl_Context *ctx, int idx);
/* The same for s that is not being captured, and a record to hold besides the value. */
void cl_anchor_rec(lua_State *L, cl_Stream *s, cl_Context *ctx, int idx, cl_Rec *rec);
/* Lets go of what is done: called after synchronising and before further asynchronous work. Cheap. */
void cl_anchors_poll(lua_State *L);
/* Waits for all anchored work of this state: for memory whose release would not wait by itself. */
void cl_anchors_wait(lua_State *L);

/* completion.c: calls the functions given to stream:on_complete() whose time has come; returns how many. They
 * may raise. */
int cl_run_completions(lua_State *L);
/* Their functions are not called any more: of a context, which was destroyed. code: its fault, or 0. */
void cl_completions_drop(uint64_t context, CUresult code);
/* Lets this state's collector have such functions. */
void cl_completions_release(lua_State *L);

#endif
