/* Streams as other families see them, and what must stay alive until work in a stream is done. */
#ifndef CUDALUA_STREAM_H
#define CUDALUA_STREAM_H

#include "core.h"

typedef struct cl_Stream {
  cl_Rec rec; /* parent: the context; none for the two below, which are of whatever context is current */
  unsigned flags;
  int priority;
} cl_Stream;

extern cl_Stream cl_legacy_stream, cl_per_thread_stream;

/* The stream at idx for work in ctx (NULL: any): the object there, for nil the state's current stream, which
 * is the legacy one outside of stream:use(). Raises where it is closed or of another context. */
cl_Stream *cl_check_stream(lua_State *L, int idx, const char *what, const cl_Context *ctx);
/* Its handle for a driver call; the legacy stream is NULL there. */
static inline CUstream cl_stream_handle(const cl_Stream *s) {
  return s == &cl_legacy_stream ? NULL : (CUstream)s->rec.handle;
}

/* anchors.c: asynchronous work reads and writes memory after the call that started it has returned. */

/* Keeps the value at idx alive until everything submitted to s so far is done; called after the submission,
 * with ctx current. While s is being captured, the value goes to the graph instead. */
void cl_anchor(lua_State *L, cl_Stream *s, cl_Context *ctx, int idx);
/* Lets go of what is done: called after synchronising and before further asynchronous work. Cheap. */
void cl_anchors_poll(lua_State *L);
/* Waits for all anchored work of this state: for memory whose release would not wait by itself. */
void cl_anchors_wait(lua_State *L);

/* Captures under way in this process that were begun here. Not 0: work may be going into a graph. */
extern _Atomic uint32_t cl_captures;

#endif
