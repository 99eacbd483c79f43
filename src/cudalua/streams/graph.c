/* Graph: work as stream capture recorded it. GraphExec: the same made ready, to be launched again and again.
 */
#include "streams/activity.h"
#include "streams/graph.h"
#include "streams/order.h"
#include "base/account.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- what the work in a graph uses --- */

static size_t slot_of(cl_Rec *const *set, uint32_t room, const cl_Rec *r) {
  size_t i = (size_t)((r->generation * 0x9e3779b97f4a7c15u) >> 32) & (room - 1);
  while (set[i] && set[i] != r) i = (i + 1) & (room - 1);
  return i;
}

static bool grow(cl_Kept *k) {
  uint32_t room = k->room ? 2 * k->room : 16;
  cl_Rec **set = calloc(room, sizeof(cl_Rec *));
  if (!set) return false;
  for (uint32_t i = 0; i < k->room; i++)
    if (k->set[i]) set[slot_of(set, room, k->set[i])] = k->set[i];
  free(k->set);
  k->set = set;
  k->room = room;
  return true;
}

bool cl_kept_add(cl_Kept *k, cl_Rec *r) {
  if (r == &cl_no_owner || r == &k->rec) return true;
  if (2 * k->count >= k->room && !grow(k)) return false;
  size_t i = slot_of(k->set, k->room, r);
  if (k->set[i]) return true;
  k->set[i] = cl_rec_retain(r);
  k->count++;
  k->tracked += r->tracks;
  k->checked = 0;
  cl_memory_captured(r);
  return true;
}

static void kept_dispose(cl_Rec *r) {
  cl_Kept *k = (cl_Kept *)r;
  for (uint32_t i = 0; i < k->room; i++)
    if (k->set[i]) cl_rec_release(k->set[i]);
  free(k->set);
}
CL_FAMILY(CL_KEPT, .dispose = kept_dispose);

/* Streams and events gave the work its order and are no part of it. */
static bool needed(const cl_Rec *r) {
  return r->kind != CL_STREAM && r->kind != CL_EVENT && r->kind != CL_GRAPH_EXEC;
}

/* Raises if something that the graph uses was freed or closed. */
static void check_kept(lua_State *L, cl_Kept *k, const char *call) {
  uint64_t now = cl_closes + 1;
  if (k->checked == now) return;
  for (uint32_t i = 0; i < k->room; i++) {
    const cl_Rec *r = k->set[i];
    if (!r || !needed(r) || cl_rec_live(r)) continue;
    const char *name = cl_kind_name(r->kind);
    cl_logic(L, "%s: %s %s that the graph uses was freed or closed%s%s", call,
             strchr("AEIO", *name) ? "an" : "a", name, r->closed_at ? " at " : "",
             r->closed_at ? r->closed_at : "");
  }
  k->checked = now;
}

/* --- making --- */

cl_Kept *cl_push_kept(lua_State *L) {
  cl_Object *o = cl_push(L, CL_KEPT, sizeof *o);
  lua_newtable(L);
  lua_setfenv(L, -2);
  o->rec = cl_rec_new(CL_KEPT, sizeof(cl_Kept), NULL);
  if (!o->rec) luaL_error(L, "not enough memory");
  o->rec->life = CL_LIVE;
  return (cl_Kept *)o->rec;
}

/* Pushes a table of the cl_Kept at index `kept` and, if `self` is not 0, the object there: the environment of
 * a Graph or GraphExec, and what a launch anchors. */
static void push_environment(lua_State *L, int kept, int self) {
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, kept);
  lua_rawseti(L, -2, 1);
  if (!self) return;
  lua_pushvalue(L, self);
  lua_rawseti(L, -2, 2);
}

static void push_kept_of(lua_State *L, int idx) {
  lua_getfenv(L, idx);
  lua_rawgeti(L, -1, 1);
  lua_remove(L, -2);
}

cl_Graph *cl_push_graph(lua_State *L, cl_Context *ctx, int kept) {
  const cl_Object *k = cl_to_kind(L, kept, CL_KEPT);
  cl_Object *o = cl_push(L, CL_GRAPH, sizeof *o);
  push_environment(L, kept, 0);
  lua_setfenv(L, -2);
  cl_Graph *g = (cl_Graph *)cl_rec_new(CL_GRAPH, sizeof *g, &ctx->rec);
  if (!g) luaL_error(L, "not enough memory");
  g->kept = (cl_Kept *)cl_rec_retain(k->rec);
  o->rec = &g->rec;
  return g;
}

/* Graphs are of no context. */
static bool graph_outlives(const cl_Rec *r) {
  (void)r;
  return true;
}

static CUresult graph_destroy(cl_Rec *r) { return CU.cuGraphDestroy((CUgraph)r->handle); }
static void graph_dispose(cl_Rec *r) { cl_rec_release(&((cl_Graph *)r)->kept->rec); }
CL_FAMILY(CL_GRAPH, .destroy = graph_destroy, .dispose = graph_dispose, .outlives = graph_outlives);
/* One that runs is freed by the driver when it is done. */
static CUresult graph_exec_destroy(cl_Rec *r) { return CU.cuGraphExecDestroy((CUgraphExec)r->handle); }
static void graph_exec_dispose(cl_Rec *r) { cl_rec_release(&((cl_GraphExec *)r)->kept->rec); }
CL_FAMILY(CL_GRAPH_EXEC, .destroy = graph_exec_destroy, .dispose = graph_exec_dispose,
          .outlives = graph_outlives);

static void made(cl_Rec *r, void *handle) {
  r->handle = (uint64_t)(uintptr_t)handle;
  r->life = CL_LIVE;
  cl_account(r, CL_BYTES_NONE, 0); /* graphs belong to the process: destroying the context leaves them */
}

void cl_graph_made(cl_Graph *g, CUgraph handle) { made(&g->rec, handle); }

/* --- Graph --- */

static cl_Graph *check_graph(lua_State *L) {
  return (cl_Graph *)((const cl_Object *)cl_check(L, 1, CL_GRAPH))->rec;
}

int cl_graph_close(lua_State *L) { return cl_close_method(L, CL_GRAPH, "cuGraphDestroy"); }

int cl_graph_handle(lua_State *L) { return cl_handle_method(L, CL_GRAPH); }

/* g:nodes() -> {"memcpy", "kernel", ...} */
int cl_graph_nodes(lua_State *L) {
  const cl_Graph *g = check_graph(L);
  size_t n = 0;
  CL_TRY(L, cuGraphGetNodes, (CUgraph)g->rec.handle, NULL, &n);
  lua_createtable(L, (int)n, 0);
  CUgraphNode *nodes = lua_newuserdata(L, (n + 1) * (sizeof *nodes + sizeof(CUgraphNodeType)));
  CUgraphNodeType *types = (CUgraphNodeType *)(nodes + n);
  check_graph(L); /* again: finalizers may have run */
  if (n) CL_TRY(L, cuGraphGetNodes, (CUgraph)g->rec.handle, nodes, &n);
  for (size_t i = 0; i < n; i++) CL_TRY(L, cuGraphNodeGetType, nodes[i], &types[i]);
  for (size_t i = 0; i < n; i++) {
    const CUgraphNodeType type = types[i];
    const char *name = cl_constant_name("graph_node_type", (long)type);
    if (name) {
      char lower[48];
      size_t k = 0;
      for (; name[k] && k + 1 < sizeof lower; k++) lower[k] = (char)tolower((unsigned char)name[k]);
      lua_pushlstring(L, lower, k);
    } else
      lua_pushfstring(L, "type %d", (int)type);
    lua_rawseti(L, -3, (int)i + 1);
  }
  lua_pop(L, 1);
  return 1;
}

/* g:dot(path [, flags]) -> g */
int cl_graph_dot(lua_State *L) {
  const cl_Graph *g = check_graph(L);
  const char *path = cl_check_name(L, 2, "path");
  long flags = cl_check_flags(L, 3, "flags", "graph_debug_dot_flags", -1);
  CL_TRY(L, cuGraphDebugDotPrint, (CUgraph)g->rec.handle, path, (unsigned)flags);
  lua_settop(L, 1);
  return 1;
}

/* g:instantiate() -> GraphExec. No capture that is under way need notice. */
int cl_graph_instantiate(lua_State *L) {
  const cl_Graph *g = check_graph(L);
  lua_settop(L, 1);
  push_kept_of(L, 1);
  cl_Object *o = cl_push(L, CL_GRAPH_EXEC, sizeof *o);
  push_environment(L, 2, 3);
  lua_setfenv(L, 3);
  cl_GraphExec *x = (cl_GraphExec *)cl_rec_new(CL_GRAPH_EXEC, sizeof *x, g->rec.parent);
  if (!x) return luaL_error(L, "not enough memory");
  x->kept = (cl_Kept *)cl_rec_retain(&g->kept->rec);
  o->rec = &x->rec;
  check_graph(L); /* again: finalizers may have run */
  check_kept(L, g->kept, "Graph:instantiate");
  CUgraphExec handle = NULL;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuGraphInstantiateWithFlags(&handle, (CUgraph)g->rec.handle, 0);
  cl_unrelax(mode);
  if (code) cl_fail(L, "cuGraphInstantiateWithFlags", code);
  made(&x->rec, handle);
  return 1;
}

/* --- GraphExec --- */

static cl_GraphExec *check_exec(lua_State *L) {
  return (cl_GraphExec *)((const cl_Object *)cl_check(L, 1, CL_GRAPH_EXEC))->rec;
}

int cl_graph_exec_close(lua_State *L) { return cl_close_method(L, CL_GRAPH_EXEC, "cuGraphExecDestroy"); }

int cl_graph_exec_handle(lua_State *L) { return cl_handle_method(L, CL_GRAPH_EXEC); }

/* The driver (580) answers STREAM_CAPTURE_UNSUPPORTED to a launch or upload in a capture of any mode, which
 * breaks it. */
static cl_Stream *stream_for(lua_State *L, const cl_GraphExec *x, const char *call, cl_Context **ctx) {
  *ctx = cl_rec_context(x->rec.parent);
  cl_Stream *s = cl_check_stream(L, 2, call, *ctx);
  if (cl_current(L) != (CUcontext)(*ctx)->rec.handle)
    cl_logic(L, "%s: the graph's context is not the current one: ctx:push() it, or use ctx:with()", call);
  if (cl_captures && cl_capture_id(s))
    cl_logic(L, "%s is not possible in a stream that is being captured: call again what it was captured from",
             call);
  check_kept(L, x->kept, call);
  cl_anchors_poll(L);
  return s;
}

/* Until s has done it, the GraphExec at index 1 and what its graph uses stay. It is what is left on the
 * stack. */
static void anchor(lua_State *L, const cl_GraphExec *x, cl_Context *ctx, cl_Stream *s) {
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  cl_anchor_rec(L, s, ctx, 2, &x->kept->rec);
  lua_settop(L, 1);
}

/* What the graph was recorded from knew nothing of the order in which its memory is used by then: the launch
 * comes after what other streams did with it before ... */
static void join_streams(lua_State *L, const cl_Kept *k, const cl_Context *ctx, cl_Stream *s) {
  if (!k->tracked || cl_captures) return;
  for (uint32_t i = 0; i < k->room; i++) {
    cl_Rec *r = k->set[i];
    if (!r || !r->tracks || cl_rec_context(r) != ctx) continue;
    cl_Order *o = &((cl_Allocation *)r)->order;
    CUresult code = cl_order_done(o, ctx, s) ? CUDA_SUCCESS : cl_order_join(o, s);
    if (code) cl_fail(L, "cuStreamWaitEvent", code);
  }
}

/* ... and what they do with it next, after the launch. */
static void remember_use(lua_State *L, const cl_Kept *k, cl_Stream *s) {
  for (uint32_t i = 0; k->tracked && i < k->room; i++) {
    cl_Rec *r = k->set[i];
    if (r && r->tracks && ((cl_Allocation *)r)->order.home != s) cl_memory_use_slow(L, (cl_Allocation *)r, s);
  }
}

/* x:launch([s]) -> x */
int cl_graph_exec_launch(lua_State *L) {
  const cl_GraphExec *x = check_exec(L);
  cl_Context *ctx;
  cl_Stream *s = stream_for(L, x, "GraphExec:launch", &ctx);
  join_streams(L, x->kept, ctx, s);
  CL_TRY_ACTIVITY(L, CL_A_GRAPH, "graph", s, 0, cuGraphLaunch, (CUgraphExec)x->rec.handle,
                  cl_stream_handle(s));
  s->last_kernel = ctx->last_kernel = "(in a graph)";
  anchor(L, x, ctx, s);
  remember_use(L, x->kept, s);
  return 1;
}

/* x:upload([s]) -> x: what the first launch would bring to the device goes there now. */
int cl_graph_exec_upload(lua_State *L) {
  const cl_GraphExec *x = check_exec(L);
  cl_Context *ctx;
  cl_Stream *s = stream_for(L, x, "GraphExec:upload", &ctx);
  CL_TRY(L, cuGraphUpload, (CUgraphExec)x->rec.handle, cl_stream_handle(s));
  anchor(L, x, ctx, s);
  return 1;
}

static const char *reason_of(CUgraphExecUpdateResult result) {
  switch ((int)result) {
  case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED: return "topology_changed";
  case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED: return "node_type_changed";
  case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED: return "function_changed";
  case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED: return "parameters_changed";
  case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED: return "not_supported";
  case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE: return "unsupported_function_change";
  case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED: return "attributes_changed";
  default: return "error";
  }
}

/* x:update(g) -> true, or false and why. What launches under way use stays with their anchors. */
int cl_graph_exec_update(lua_State *L) {
  cl_GraphExec *x = check_exec(L);
  if (!cl_to_kind(L, 2, CL_GRAPH)) cl_bad_argument(L, 2, "graph", "a Graph");
  const cl_Graph *g = (const cl_Graph *)((const cl_Object *)cl_check(L, 2, CL_GRAPH))->rec;
  if (g->rec.parent != x->rec.parent) cl_logic(L, "GraphExec:update: the graph belongs to another context");
  lua_settop(L, 2);
  push_kept_of(L, 2);
  push_environment(L, 3, 1);
  check_exec(L); /* again: finalizers may have run */
  cl_check(L, 2, CL_GRAPH);
  check_kept(L, g->kept, "GraphExec:update");
  CUgraphExecUpdateResultInfo info;
  memset(&info, 0, sizeof info);
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuGraphExecUpdate_v2((CUgraphExec)x->rec.handle, (CUgraph)g->rec.handle, &info);
  cl_unrelax(mode);
  if (code == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
    cl_log_clear();
    lua_pushboolean(L, 0);
    lua_pushstring(L, reason_of(info.result));
    return 2;
  }
  if (code) cl_fail(L, "cuGraphExecUpdate_v2", code);
  lua_setfenv(L, 1);
  cl_Kept *old = x->kept;
  x->kept = (cl_Kept *)cl_rec_retain(&g->kept->rec);
  cl_rec_release(&old->rec);
  lua_pushboolean(L, 1);
  return 1;
}
