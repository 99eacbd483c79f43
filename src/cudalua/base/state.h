/* What this library keeps for each Lua state: made when the module is opened, before every other userdata, so
 * finalized after them. */
#ifndef CUDALUA_STATE_H
#define CUDALUA_STATE_H

#include "memory/pressure.h"
#include "streams/stream.h"

/* What is anchored in one stream of one context, oldest first. */
typedef struct cl_Lane {
  cl_Stream *stream; /* retained */
  cl_Context *ctx;   /* retained */
  struct cl_Anchor {
    CUevent event; /* recorded after the work */
    int ref;       /* of the value, in the table of anchors */
    cl_Rec *rec;   /* retained, or NULL: stays when the state ends, and with it the finalized value */
  } * ring;
  size_t head, count, room;
  CUevent spare[8]; /* events to use again */
  unsigned spares;
  struct cl_Lane *next;
} cl_Lane;

typedef struct cl_Inbox cl_Inbox;

typedef struct cl_State {
  cl_Stream *stream; /* the current one, retained; NULL: the legacy stream */
  cl_Lane *lanes;
  struct cl_Capture *captures;      /* under way, innermost first */
  cl_Inbox *inbox;                  /* of stream:on_complete(), or NULL */
  struct cl_HostMemory *registered; /* hostmem.c: to be unregistered when somebody may wait */
  bool closed;
  cl_Pressure pressure;
  int spare; /* registry reference of a PooledDeviceAllocation without memory (array_run.c); 0: none yet */
  uint64_t launches;      /* of kernels, outside of graphs */
  uint64_t launches_told; /* after the one with the last ticket (cell.c) */
  uint32_t ticket;
  int metatables[CL_NKINDS]; /* registry references */
  int retired[CL_NKINDS];    /* the same without a finalizer */
} cl_State;

cl_State *cl_state(lua_State *L);
void cl_open_state(lua_State *L);

/* stream.c: s is the current stream until cl_stream_leave() gets what this returns. */
cl_Stream *cl_stream_enter(cl_State *st, cl_Stream *s);
void cl_stream_leave(cl_State *st, cl_Stream *before);

void cl_anchors_open(lua_State *L);
/* anchors.c: waits for and drops everything, at the end of the state. Calls nothing of Lua. */
void cl_anchors_close(cl_State *st);
/* hostmem.c: unregisters what finalizers found and nobody uses. L NULL: at the end of the state, all of it.
 */
void cl_registered_drain(lua_State *L, cl_State *st);
/* completion.c: what arrives later is dropped. Takes NULL. */
void cl_inbox_close(cl_Inbox *box);

#endif
