/* Nodes of graphs that are no captured call (capture.c has those): empty ones, events, host functions, child
 * graphs, conditions; and what of them can be changed in an executable graph. */
#include "streams/graph.h"

#include <string.h>

/* The event at idx, of the graph's context. */
static cl_Rec *check_event(lua_State *L, int idx, const cl_Rec *graph, const char *call) {
  cl_Object *o = cl_to_kind(L, idx, CL_EVENT);
  if (!o) cl_bad_argument(L, idx, "event", "an Event");
  if (cl_forked || !cl_rec_live(o->rec)) cl_dead(L, o);
  if (cl_rec_context(o->rec) != cl_rec_context((cl_Rec *)graph))
    cl_logic(L, "%s: the event belongs to another context than the graph", call);
  return o->rec;
}

/* Where a node goes. */
typedef struct Place {
  CUgraph graph;
  CUgraphNode *after;
  size_t count;
} Place;

/* The graph is at index 1, the list of nodes at index 2. Pushes the array, and a cl_Kept whose index comes
 * back. */
static int open_place(lua_State *L, Place *at, const char *call) {
  cl_Kept *k = cl_push_kept(L);
  k->strict = true;
  const int kept = lua_gettop(L);
  at->after = cl_check_nodes(L, 2, cl_check_graph(L, 1), &at->count);
  const cl_Graph *g = cl_check_graph(L, 1); /* again: finalizers may have run */
  cl_graph_context(L, &g->rec, call);
  at->graph = (CUgraph)g->rec.handle;
  cl_keep_room(L, 1);
  return kept;
}

static int node_made(lua_State *L, int kept, CUgraphNode node) {
  cl_keep_for(L, 1, kept, (uint64_t)(uintptr_t)node);
  cl_push_node(L, 1, node);
  return 1;
}

static void hold(lua_State *L, int kept, cl_Rec *r) {
  if (!cl_kept_add((cl_Kept *)((const cl_Object *)lua_touserdata(L, kept))->rec, r))
    luaL_error(L, "not enough memory");
}

/* graph_add_empty(g, after) -> Node */
int cl_graph_add_empty(lua_State *L) {
  Place at;
  CUgraphNode node = NULL;
  lua_settop(L, 2);
  const int kept = open_place(L, &at, "Graph:add_empty");
  CL_TRY(L, cuGraphAddEmptyNode, &node, at.graph, at.after, at.count);
  return node_made(L, kept, node);
}

/* graph_add_event(g, after, event, records) -> Node */
int cl_graph_add_event(lua_State *L) {
  Place at;
  CUgraphNode node = NULL;
  lua_settop(L, 4);
  const bool records = lua_toboolean(L, 4);
  const char *call = records ? "Graph:add_event_record" : "Graph:add_event_wait";
  const int kept = open_place(L, &at, call);
  cl_Rec *event = check_event(L, 3, &cl_check_graph(L, 1)->rec, call);
  hold(L, kept, event);
  const CUevent h = (CUevent)event->handle;
  if (records)
    CL_TRY(L, cuGraphAddEventRecordNode, &node, at.graph, at.after, at.count, h);
  else
    CL_TRY(L, cuGraphAddEventWaitNode, &node, at.graph, at.after, at.count, h);
  return node_made(L, kept, node);
}

/* What the host node is to call: the Lua function at idx, or the address there with the one behind it. The
 * values at idx and idx + 2 (who owns the memory) are kept. */
static CUDA_HOST_NODE_PARAMS read_host(lua_State *L, int idx, int kept) {
  if (lua_type(L, idx) == LUA_TNUMBER) {
    const uint64_t fn = cl_check_bytes(L, idx, "fn"), data = cl_check_bytes(L, idx + 1, "data");
    CUDA_HOST_NODE_PARAMS p;
    memset(&p, 0, sizeof p);
    memcpy(&p.fn, &fn, sizeof p.fn);
    p.userData = (void *)(uintptr_t)data;
    cl_kept_value(L, kept, idx + 2);
    return p;
  }
  cl_check_function(L, idx, "fn");
  cl_Rec *r = cl_host_function(L, idx);
  const bool held = cl_kept_add((cl_Kept *)((const cl_Object *)lua_touserdata(L, kept))->rec, r);
  cl_rec_release(r);
  if (!held) luaL_error(L, "not enough memory");
  return (CUDA_HOST_NODE_PARAMS){cl_host_arrived, r};
}

/* graph_add_host(g, after, fn or address, address of the data, owner) -> Node */
int cl_graph_add_host(lua_State *L) {
  Place at;
  CUgraphNode node = NULL;
  lua_settop(L, 5);
  const int kept = open_place(L, &at, "Graph:add_host");
  const CUDA_HOST_NODE_PARAMS p = read_host(L, 3, kept);
  cl_check_graph(L, 1);
  CL_TRY(L, cuGraphAddHostNode, &node, at.graph, at.after, at.count, &p);
  return node_made(L, kept, node);
}

/* The Graph at idx as a child, and what it uses for the cl_Kept at index `kept`. The driver copies it. */
static CUgraph read_child(lua_State *L, int idx, int kept, const cl_Rec *parent, const char *call) {
  if (!cl_to_kind(L, idx, CL_GRAPH)) cl_bad_argument(L, idx, "graph", "a Graph");
  const cl_Graph *child = cl_check_graph(L, idx);
  if (cl_rec_context(child->rec.parent) != cl_rec_context((cl_Rec *)parent))
    cl_logic(L, "%s: the child graph belongs to another context", call);
  if (child->conditional || child->body)
    cl_logic(L, "%s: %s cannot be a node of another graph", call,
             child->body ? "the body of a conditional node" : "a graph that has conditional nodes");
  lua_getfenv(L, idx);
  lua_rawgeti(L, -1, 1);
  lua_getfenv(L, -1);
  const int parts = lua_gettop(L);
  for (uint32_t i = 1; i <= child->contents->count; i++) {
    lua_rawgeti(L, parts, (int)i);
    cl_kept_value(L, kept, lua_gettop(L));
    lua_pop(L, 1);
  }
  lua_settop(L, parts - 3);
  return (CUgraph)cl_check_graph(L, idx)->rec.handle;
}

/* graph_add_child(g, after, child) -> Node */
int cl_graph_add_child(lua_State *L) {
  Place at;
  CUgraphNode node = NULL;
  lua_settop(L, 3);
  const int kept = open_place(L, &at, "Graph:add_child");
  const cl_Graph *g = cl_check_graph(L, 1);
  const CUgraph child = read_child(L, 3, kept, &g->rec, "Graph:add_child");
  if (child == (CUgraph)g->rec.handle) cl_logic(L, "Graph:add_child: a graph cannot be a node of itself");
  CL_TRY(L, cuGraphAddChildGraphNode, &node, at.graph, at.after, at.count, child);
  return node_made(L, kept, node);
}

/* --- conditions --- */

static cl_Graph *outermost(cl_Graph *g) {
  while (g->body) g = (cl_Graph *)g->rec.parent;
  return g;
}

/* graph_condition(g, default or nil) -> the 8 bytes of the handle. It is made for the outermost graph, so
 * that any of its bodies may have the node. */
int cl_graph_condition(lua_State *L) {
  const cl_Graph *g = outermost(cl_check_graph(L, 1));
  const bool starts = !lua_isnoneornil(L, 2);
  const unsigned start = starts ? (unsigned)cl_check_bytes(L, 2, "default") : 0;
  if (starts && cl_check_bytes(L, 2, "default") > UINT32_MAX)
    cl_logic(L, "Graph:condition: default must be an integer from 0 to 2^32 - 1");
  cl_Context *ctx = cl_graph_context(L, &g->rec, "Graph:condition");
  CUgraphConditionalHandle h = 0;
  CL_TRY(L, cuGraphConditionalHandleCreate, &h, (CUgraph)g->rec.handle, (CUcontext)ctx->rec.handle, start,
         starts ? CU_GRAPH_COND_ASSIGN_DEFAULT : 0);
  lua_pushlstring(L, (const char *)&h, sizeof h);
  return 1;
}

/* graph_add_conditional(g, after, handle, kind, bodies) -> Node, {Graph, ...} */
int cl_graph_add_conditional(lua_State *L) {
  static const char *const kinds[] = {"if", "while", "switch", NULL};
  Place at;
  CUgraphNode node = NULL;
  size_t bytes;
  CUgraphNodeParams p;
  memset(&p, 0, sizeof p);
  lua_settop(L, 5);
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  const char *handle = luaL_checklstring(L, 3, &bytes);
  if (bytes != sizeof p.conditional.handle) luaL_argerror(L, 3, "the bytes of a handle expected");
  memcpy(&p.conditional.handle, handle, bytes);
  p.conditional.type = (CUgraphConditionalNodeType)luaL_checkoption(L, 4, NULL, kinds);
  p.conditional.size = (unsigned)luaL_checkinteger(L, 5);
  CUgraph *bodies = lua_newuserdata(L, (p.conditional.size + (size_t)1) * sizeof *bodies);
  const int kept = open_place(L, &at, "Graph:add_conditional");
  const cl_Graph *g = cl_check_graph(L, 1);
  p.conditional.ctx = (CUcontext)cl_rec_context(g->rec.parent)->rec.handle;
  CL_TRY(L, cuGraphAddNode_v2, &node, at.graph, at.after, NULL, at.count, &p);
  /* Their own array goes with the node, which a finalizer may end. */
  memcpy(bodies, p.conditional.phGraph_out, p.conditional.size * sizeof *bodies);
  outermost((cl_Graph *)g)->conditional = true;
  node_made(L, kept, node);
  lua_createtable(L, (int)p.conditional.size, 0);
  for (unsigned i = 0; i < p.conditional.size; i++) {
    cl_push_body(L, 1, bodies[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 2;
}

/* --- in an executable graph --- */

/* The GraphExec is at index 1, the node at index 2, which has to be of that type (-1: of any). */
static const cl_Node *open_change(lua_State *L, int type, const char *call, const char *kind, int *kept) {
  cl_push_kept(L)->strict = true;
  *kept = lua_gettop(L);
  const cl_GraphExec *x = cl_check_exec(L, 1);
  const cl_Node *n = cl_check_exec_node(L, 2, x, call);
  if (type >= 0 && (int)n->type != type) cl_logic(L, "%s: the node is not %s", call, kind);
  cl_graph_context(L, &x->rec, call);
  cl_keep_room(L, 1);
  return cl_check_exec_node(L, 2, cl_check_exec(L, 1), call); /* again: finalizers may have run */
}

static CUgraphExec exec_handle(lua_State *L) { return (CUgraphExec)cl_check_exec(L, 1)->rec.handle; }

/* exec_set_event(x, node, event) */
int cl_exec_set_event(lua_State *L) {
  int kept;
  lua_settop(L, 3);
  const cl_Node *n = open_change(L, -1, "GraphExec:set_event", "", &kept);
  const bool records = n->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  if (!records && n->type != CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    cl_logic(L, "GraphExec:set_event: the node is not one of an event");
  cl_Rec *event = check_event(L, 3, &cl_check_exec(L, 1)->rec, "GraphExec:set_event");
  /* The driver (580) looks at the event that it has, destroyed or not. */
  const cl_Rec *gone = cl_kept_gone(cl_check_exec(L, 1), n->rec.handle);
  if (gone)
    cl_logic(L,
             "GraphExec:set_event: the Event that the node has was closed%s%s: instantiate the graph again",
             gone->closed_at ? " at " : "", gone->closed_at ? gone->closed_at : "");
  hold(L, kept, event);
  const CUgraphNode node = (CUgraphNode)n->rec.handle;
  if (records)
    CL_TRY(L, cuGraphExecEventRecordNodeSetEvent, exec_handle(L), node, (CUevent)event->handle);
  else
    CL_TRY(L, cuGraphExecEventWaitNodeSetEvent, exec_handle(L), node, (CUevent)event->handle);
  cl_keep_for(L, 1, kept, n->rec.handle);
  return 0;
}

/* exec_set_host(x, node, fn or address, address of the data, owner) */
int cl_exec_set_host(lua_State *L) {
  int kept;
  lua_settop(L, 5);
  const cl_Node *n = open_change(L, CU_GRAPH_NODE_TYPE_HOST, "GraphExec:set_host", "a host node", &kept);
  const CUDA_HOST_NODE_PARAMS p = read_host(L, 3, kept);
  CL_TRY(L, cuGraphExecHostNodeSetParams, exec_handle(L), (CUgraphNode)n->rec.handle, &p);
  cl_keep_for(L, 1, kept, n->rec.handle);
  return 0;
}

/* exec_set_child(x, node, child) -> true, or false: the shape is another one */
int cl_exec_set_child(lua_State *L) {
  int kept;
  lua_settop(L, 3);
  const cl_Node *n = open_change(L, CU_GRAPH_NODE_TYPE_GRAPH, "GraphExec:set_child", "a child graph", &kept);
  const CUgraph child = read_child(L, 3, kept, &cl_check_exec(L, 1)->rec, "GraphExec:set_child");
  CUresult code = CU.cuGraphExecChildGraphNodeSetParams(exec_handle(L), (CUgraphNode)n->rec.handle, child);
  const bool fits = code != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  if (code && fits) cl_fail(L, "cuGraphExecChildGraphNodeSetParams", code);
  if (!fits) cl_log_clear();
  if (fits) cl_keep_for(L, 1, kept, n->rec.handle);
  lua_pushboolean(L, fits);
  return 1;
}

/* exec_enable(x, node, on) */
int cl_exec_enable(lua_State *L) {
  const cl_GraphExec *x = cl_check_exec(L, 1);
  const cl_Node *n = cl_check_exec_node(L, 2, x, "GraphExec:enable");
  if (n->type != CU_GRAPH_NODE_TYPE_KERNEL && n->type != CU_GRAPH_NODE_TYPE_MEMCPY &&
      n->type != CU_GRAPH_NODE_TYPE_MEMSET)
    cl_logic(L, "GraphExec:enable: only kernels, copies and fills can be turned off");
  CL_TRY(L, cuGraphNodeSetEnabled, (CUgraphExec)x->rec.handle, (CUgraphNode)n->rec.handle,
         lua_toboolean(L, 3) ? 1 : 0);
  return 0;
}
