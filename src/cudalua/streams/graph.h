/* Graphs: what capture.c makes and graph.c runs. */
#ifndef CUDALUA_GRAPH_H
#define CUDALUA_GRAPH_H

#include "streams/stream.h"

/* What the work in a graph uses: records in a set of their own, because they are looked at before a launch,
 * values of Lua's in the table that is the environment of its userdata. Shared by a graph, the executables
 * made from it and their launches. */
typedef struct cl_Kept {
  cl_Rec rec;
  cl_Rec **set; /* open addressing; each retained */
  uint32_t count, room;
  uint32_t tracked;         /* how many of them are memory in the order of streams (memory.h) */
  _Atomic uint64_t checked; /* cl_closes when all of them were last seen alive, plus 1 */
} cl_Kept;

typedef struct cl_Graph {
  cl_Rec rec;    /* parent: the context that was captured in */
  cl_Kept *kept; /* retained */
} cl_Graph;

typedef struct cl_GraphExec {
  cl_Rec rec;    /* parent: the graph's context */
  cl_Kept *kept; /* retained */
} cl_GraphExec;

bool cl_kept_add(cl_Kept *k, cl_Rec *r); /* false: no memory */
/* The Graph exists: its handle is destroyed by close(), with the record, or before its context. */
void cl_graph_made(cl_Graph *g, CUgraph handle);

/* Pushes the userdata of a new cl_Kept. */
cl_Kept *cl_push_kept(lua_State *L);
/* Pushes a Graph that is not made yet, of what the cl_Kept at index `kept` holds. */
cl_Graph *cl_push_graph(lua_State *L, cl_Context *ctx, int kept);

#endif
