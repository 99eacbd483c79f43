/* What this library keeps for each Lua state: made when the module is opened, before every other userdata, so
 * finalized after them. */
#ifndef CUDALUA_STATE_H
#define CUDALUA_STATE_H

#include "stream.h"

/* What is anchored in one stream of one context, oldest first. */
typedef struct cl_Lane {
  cl_Stream *stream; /* retained */
  cl_Context *ctx;   /* retained */
  struct cl_Anchor {
    CUevent event; /* recorded after the work */
    int ref;       /* of the value, in the table of anchors */
  } * ring;
  size_t head, count, room;
  struct cl_Lane *next;
} cl_Lane;

/* A capture under way, innermost first: what goes into it is anchored in its table. */
typedef struct cl_Capture {
  cl_Stream *stream; /* retained */
  int anchors;       /* registry reference of a table */
  struct cl_Capture *next;
} cl_Capture;

typedef struct cl_State {
  cl_Stream *stream; /* the current one, retained; NULL: the legacy stream */
  cl_Lane *lanes;
  cl_Capture *captures;
  bool closed;
} cl_State;

cl_State *cl_state(lua_State *L);
void cl_open_state(lua_State *L);

/* anchors.c: waits for and drops everything, at the end of the state. Calls nothing of Lua. */
void cl_anchors_close(cl_State *st);

#endif
