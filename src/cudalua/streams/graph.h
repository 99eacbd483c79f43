/* Graphs: what capture.c makes, graph_nodes.c makes by hand, and graph.c runs. */
#ifndef CUDALUA_GRAPH_H
#define CUDALUA_GRAPH_H

#include "streams/stream.h"

/* What a node uses, or all that was captured at once: records in a set of their own, because they are looked
 * at before a launch, values of Lua's in the table that is the environment of its userdata. One of another
 * graph's may be in the set, as that of a child graph. Shared by graphs, executables and launches, and
 * complete once the node is there. */
typedef struct cl_Kept {
  cl_Rec rec;
  cl_Rec **set; /* open addressing; each retained */
  uint32_t count, room;
  uint32_t tracked; /* how many of them are memory in the order of streams (memory.h) */
  bool strict;      /* streams and events count as well: in captures they gave the work its order alone */
} cl_Kept;

typedef struct cl_Part {
  uint64_t node; /* handle of the node that uses it; 0: several do */
  cl_Kept *kept; /* retained */
} cl_Part;

/* What all nodes of a graph use, or of an executable graph. Its userdata are in the environment of its
 * userdata, in the same order. */
typedef struct cl_Contents {
  cl_Rec rec;
  cl_Part *part;
  uint32_t count, room;
  cl_Kept *all;             /* what a launch looks at, each once; NULL: to be made anew */
  _Atomic uint64_t checked; /* cl_closes when all of it was last seen alive, plus 1 */
} cl_Contents;

typedef struct cl_GraphExec cl_GraphExec;

typedef struct cl_Graph {
  cl_Rec rec;            /* parent: the context; of a conditional node's body, the graph around it */
  cl_Contents *contents; /* retained; a body has that of the graph around it */
  bool body;             /* it goes with its node */
  bool conditional;      /* it has conditional nodes: one executable at a time, no child of another graph */
  _Atomic uint32_t captures;    /* into it, under way */
  _Atomic(cl_GraphExec *) exec; /* that one, if it is alive */
} cl_Graph;

struct cl_GraphExec {
  cl_Rec rec;            /* parent: the graph's context */
  cl_Contents *contents; /* retained */
  uint64_t graph;        /* generation of the graph that it was made from */
  cl_Graph *only_of;     /* retained: that has conditional nodes; else NULL */
};

typedef struct cl_Node {
  cl_Rec rec; /* parent: the graph */
  CUgraphNodeType type;
} cl_Node;

bool cl_kept_add(cl_Kept *k, cl_Rec *r); /* false: no memory */
/* Gives the value at idx to the cl_Kept at index `kept`: an object's record, or the value itself. May raise.
 */
void cl_kept_value(lua_State *L, int kept, int idx);
/* The Graph exists: its handle is destroyed by close(), with the record, or before its context. */
void cl_graph_made(cl_Graph *g, CUgraph handle);

/* Pushes the userdata of a new cl_Kept. */
cl_Kept *cl_push_kept(lua_State *L);
/* The cl_Kept at index `kept` is what `node` of the Graph or GraphExec at index `graph` uses from now on.
 * Makes room first, so that cl_keep_for() cannot fail. */
void cl_keep_room(lua_State *L, int graph);
void cl_keep_for(lua_State *L, int graph, int kept, uint64_t node);
/* What `node` of the GraphExec uses and was freed or closed; NULL: all is there. */
const cl_Rec *cl_kept_gone(const cl_GraphExec *x, uint64_t node);
/* Pushes a Graph that is not made yet, with nothing in it. */
cl_Graph *cl_push_graph(lua_State *L, cl_Context *ctx);
/* A body of a node of the graph at index `around`. */
void cl_push_body(lua_State *L, int around, CUgraph handle);

cl_Graph *cl_check_graph(lua_State *L, int idx);
cl_GraphExec *cl_check_exec(lua_State *L, int idx);
/* The node at idx, which has to be one of g's (NULL: of any graph's). */
cl_Node *cl_check_node(lua_State *L, int idx, const cl_Graph *g, const char *what);
/* The node at idx, which has to be one of the graph that x was made from. */
cl_Node *cl_check_exec_node(lua_State *L, int idx, const cl_GraphExec *x, const char *call);
/* Pushes the Node of that handle, of the Graph at index `graph`. */
cl_Node *cl_push_node(lua_State *L, int graph, CUgraphNode handle);
/* Raises unless the graph's context is the current one; returns it. */
cl_Context *cl_graph_context(lua_State *L, const cl_Rec *r, const char *call);
/* The nodes in the list at idx (nil: none), all of g's, in an array that is pushed. */
CUgraphNode *cl_check_nodes(lua_State *L, int idx, const cl_Graph *g, size_t *n);

/* completion.c: a function that is called once for each time a host node runs. The record has to stay as long
 * as the node may run; data of the driver's call is the record itself. */
cl_Rec *cl_host_function(lua_State *L, int idx); /* one reference; may raise */
void CUDA_CB cl_host_arrived(void *record);

/* Called before a graph is put into s, and after it. */
CL_HOOKS(cl_on_graph_launch, lua_State *L, cl_Stream *s);
CL_HOOKS(cl_on_graph_launched, lua_State *L, cl_Stream *s);

#endif
