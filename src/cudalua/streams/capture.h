/* Stream capture, as all families see it: what would break a capture is refused before it does, and what goes
 * into one is kept by its graph. */
#ifndef CUDALUA_CAPTURE_H
#define CUDALUA_CAPTURE_H

#include "streams/context.h"

typedef struct cl_Stream cl_Stream;

/* Captures under way in this process that were begun here. Not 0: work may be going into a graph. */
extern _Atomic uint32_t cl_captures;

/* To be called first by whatever a capture cannot see: allocating, loading, plain copies. Raises a LogicError
 * where the driver would refuse the call and make a capture invalid: in the thread that captures, and for
 * captures of mode "global" in every thread; never for those of mode "relaxed". */
void cl_refuse_in_capture_slow(lua_State *L, const char *call);
static inline void cl_refuse_in_capture(lua_State *L, const char *call) {
  if (__builtin_expect(cl_captures != 0, 0)) cl_refuse_in_capture_slow(L, call);
}

/* The same for plain copies and the like, which go through the default stream of the current context: that
 * would have to wait for a stream that is being captured, so the mode does not matter. */
void cl_refuse_plain_slow(lua_State *L, const char *call);
static inline void cl_refuse_plain(lua_State *L, const char *call) {
  if (__builtin_expect(cl_captures != 0, 0)) cl_refuse_plain_slow(L, call);
}

/* The same for what waits for all work of ctx (NULL: the current context). */
void cl_refuse_wait_slow(lua_State *L, const char *call, const cl_Context *ctx);
static inline void cl_refuse_wait(lua_State *L, const char *call, const cl_Context *ctx) {
  if (__builtin_expect(cl_captures != 0, 0)) cl_refuse_wait_slow(L, call, ctx);
}

/* Gives the value at idx, or the record r, to the graph that s is being captured into, after the work that
 * uses it was put in; false: s is not being captured. To be asked only where cl_captures is not 0. */
bool cl_capture_keep(lua_State *L, const cl_Stream *s, int idx);
bool cl_capture_keep_rec(lua_State *L, const cl_Stream *s, cl_Rec *r);

/* Raises where waiting for s would break a capture. */
void cl_refuse_stream_wait(lua_State *L, const cl_Stream *s, const char *call);

/* Number of the capture that s belongs to, 0: none. */
uint64_t cl_capture_id(const cl_Stream *s);
bool cl_capture_active(uint64_t id); /* begun here and not yet ended */
/* Raises unless work can be put into s now: the legacy stream would wait for a stream that is being captured;
 * a stream of somebody else's is in a capture of somebody else's. */
void cl_capture_check(lua_State *L, const cl_Stream *s, const char *what);

struct cl_Frame;
struct cl_State;
/* The frame ends: what begin_capture() began in it no longer says which stream is the current one. */
void cl_captures_left(struct cl_State *st, const struct cl_Frame *frame);
#endif
