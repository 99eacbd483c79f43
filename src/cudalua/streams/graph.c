/* Graph: work as stream capture recorded it, or as nodes were put together. GraphExec: the same made ready,
 * to be launched again and again. */
#include "streams/activity.h"
#include "streams/graph.h"
#include "streams/order.h"
#include "base/account.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- what a node uses --- */

static size_t slot_of(cl_Rec *const *set, uint32_t room, const cl_Rec *r) {
  size_t i = (size_t)((r->generation * 0x9e3779b97f4a7c15u) >> 32) & (room - 1);
  while (set[i] && set[i] != r) i = (i + 1) & (room - 1);
  return i;
}

static bool grow(cl_Kept *k) {
  uint32_t room = k->room ? 2 * k->room : 4;
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
  if (r->kind != CL_KEPT) cl_memory_captured(r);
  return true;
}

void cl_kept_value(lua_State *L, int kept, int idx) {
  const cl_Object *o = cl_to(L, idx), *k = cl_to_kind(L, kept, CL_KEPT);
  if (o && o->rec) {
    if (!cl_kept_add((cl_Kept *)k->rec, o->rec)) luaL_error(L, "not enough memory");
    if (o->kind != CL_KEPT) return;
  }
  if (lua_isnoneornil(L, idx)) return;
  luaL_checkstack(L, 6, "anchors");
  lua_pushvalue(L, idx);
  lua_getfenv(L, kept < 0 ? kept - 1 : kept);
  lua_insert(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static void kept_dispose(cl_Rec *r) {
  cl_Kept *k = (cl_Kept *)r;
  for (uint32_t i = 0; i < k->room; i++)
    if (k->set[i]) cl_rec_release(k->set[i]);
  free(k->set);
}
CL_FAMILY(CL_KEPT, .dispose = kept_dispose);

static bool needed(const cl_Kept *k, const cl_Rec *r) {
  return k->strict || (r->kind != CL_STREAM && r->kind != CL_EVENT && r->kind != CL_GRAPH_EXEC);
}

cl_Kept *cl_push_kept(lua_State *L) {
  cl_Object *o = cl_push(L, CL_KEPT, sizeof *o);
  lua_newtable(L);
  lua_setfenv(L, -2);
  o->rec = cl_rec_new(CL_KEPT, sizeof(cl_Kept), NULL);
  if (!o->rec) luaL_error(L, "not enough memory");
  o->rec->life = CL_LIVE;
  return (cl_Kept *)o->rec;
}

/* --- what all nodes use --- */

static void contents_dispose(cl_Rec *r) {
  cl_Contents *c = (cl_Contents *)r;
  for (uint32_t i = 0; i < c->count; i++) cl_rec_release(&c->part[i].kept->rec);
  free(c->part);
  if (c->all) cl_rec_release(&c->all->rec);
}
CL_FAMILY(CL_CONTENTS, .dispose = contents_dispose);

/* Pushes the userdata of one with room for so many parts. */
static cl_Contents *push_contents(lua_State *L, uint32_t room) {
  cl_Object *o = cl_push(L, CL_CONTENTS, sizeof *o);
  lua_createtable(L, (int)room, 0);
  lua_setfenv(L, -2);
  cl_Contents *c = (cl_Contents *)cl_rec_new(CL_CONTENTS, sizeof *c, NULL);
  if (!c) luaL_error(L, "not enough memory");
  o->rec = &c->rec;
  c->rec.life = CL_LIVE;
  c->part = calloc(room + 1, sizeof *c->part);
  if (!c->part) luaL_error(L, "not enough memory");
  c->room = room;
  return c;
}

static bool add_needed(cl_Kept *all, const cl_Kept *k) {
  for (uint32_t i = 0; k && i < k->room; i++) {
    cl_Rec *r = k->set[i];
    if (!r) continue;
    if (r->kind == CL_KEPT ? !add_needed(all, (const cl_Kept *)r) : needed(k, r) && !cl_kept_add(all, r))
      return false;
  }
  return true;
}

static void contents_changed(cl_Contents *c) {
  cl_Kept *all = c->all;
  c->all = NULL;
  c->checked = 0;
  if (all) cl_rec_release(&all->rec);
}

static void make_all(lua_State *L, cl_Contents *c) {
  cl_Kept *all = (cl_Kept *)cl_rec_new(CL_KEPT, sizeof *all, NULL);
  bool good = all != NULL;
  if (all) all->rec.life = CL_LIVE;
  for (uint32_t i = 0; good && i < c->count; i++) good = add_needed(all, c->part[i].kept);
  if (good) {
    c->all = all;
    return;
  }
  if (all) cl_rec_release(&all->rec);
  luaL_error(L, "not enough memory");
}

/* Raises if something that is needed was freed or closed. */
static void contents_check(lua_State *L, cl_Contents *c, const char *call) {
  uint64_t now = cl_closes + 1;
  if (c->checked == now) return;
  if (!c->all) make_all(L, c);
  for (uint32_t i = 0; i < c->all->room; i++) {
    const cl_Rec *r = c->all->set[i];
    if (!r || cl_rec_live(r)) continue;
    cl_check_lost(L, r);
    const char *name = cl_kind_name(r->kind);
    cl_logic(L, "%s: %s %s that the graph uses was freed or closed%s%s", call,
             strchr("AEIO", *name) ? "an" : "a", name, r->closed_at ? " at " : "",
             r->closed_at ? r->closed_at : "");
  }
  c->checked = now;
}

static void contents_grow(lua_State *L, cl_Contents *c) {
  if (c->count < c->room) return;
  uint32_t room = c->room ? 2 * c->room : 8;
  cl_Part *part = realloc(c->part, (room + 1) * sizeof *part);
  if (!part) luaL_error(L, "not enough memory");
  c->part = part;
  c->room = room;
}

/* Of the node, or a new one, for which there is room. */
static cl_Part *part_of(cl_Contents *c, uint64_t node) {
  for (uint32_t i = 0; node && i < c->count; i++)
    if (c->part[i].node == node) return &c->part[i];
  c->part[c->count] = (cl_Part){node, NULL};
  return &c->part[c->count++];
}

/* Pushes a copy of the contents at idx; `as_one`: nobody will ask which node uses what. */
static cl_Contents *push_copy(lua_State *L, int idx, bool as_one) {
  const cl_Contents *from = (const cl_Contents *)((const cl_Object *)lua_touserdata(L, idx))->rec;
  cl_Contents *to = push_contents(L, from->count + 1);
  lua_getfenv(L, idx);
  lua_getfenv(L, -2);
  for (uint32_t i = 0; i < from->count && i < to->room; i++) {
    lua_rawgeti(L, -2, (int)i + 1);
    lua_rawseti(L, -2, (int)i + 1);
    to->part[i] = (cl_Part){as_one ? 0 : from->part[i].node, from->part[i].kept};
    cl_rec_retain(&to->part[i].kept->rec);
    to->count++;
  }
  lua_pop(L, 2);
  return to;
}

/* The environment of a Graph is {contents, its Nodes by their handles}; that of a GraphExec {contents,
 * itself, what was set for its nodes}, which is what a launch anchors. */
enum { CONTENTS = 1, NODES = 2, SELF = 2, SETTINGS = 3 };

static void push_contents_of(lua_State *L, int idx) {
  lua_getfenv(L, idx);
  lua_rawgeti(L, -1, CONTENTS);
  lua_remove(L, -2);
}

/* Gives the GraphExec at index `exec` an environment of its own with the contents on top of the stack, which
 * are popped: launches under way have the old one. */
static void give_contents(lua_State *L, int exec, bool keep_settings) {
  cl_GraphExec *x = (cl_GraphExec *)((const cl_Object *)lua_touserdata(L, exec))->rec;
  cl_Contents *c = (cl_Contents *)((const cl_Object *)lua_touserdata(L, -1))->rec;
  lua_createtable(L, SETTINGS, 0);
  lua_insert(L, -2);
  lua_rawseti(L, -2, CONTENTS);
  lua_pushvalue(L, exec);
  lua_rawseti(L, -2, SELF);
  lua_getfenv(L, exec);
  if (keep_settings)
    lua_rawgeti(L, -1, SETTINGS);
  else
    lua_newtable(L);
  lua_rawseti(L, -3, SETTINGS);
  lua_pop(L, 1);
  lua_setfenv(L, exec);
  cl_Contents *old = x->contents; /* only now: a finalizer may have closed x, which let go of them */
  x->contents = (cl_Contents *)cl_rec_retain(&c->rec);
  if (old) cl_rec_release(&old->rec);
}

/* A launch under way holds the contents that it was made with. */
static bool is_shared(const cl_Contents *c) { return c->rec.refs > 2; /* the GraphExec's, its userdata */ }

static cl_Contents *contents_of(lua_State *L, int idx) {
  const cl_Object *o = lua_touserdata(L, idx);
  return o->kind == CL_GRAPH ? ((cl_Graph *)o->rec)->contents : ((cl_GraphExec *)o->rec)->contents;
}

void cl_keep_room(lua_State *L, int graph) {
  const cl_Object *o = lua_touserdata(L, graph);
  if (o->kind == CL_GRAPH_EXEC && is_shared(contents_of(L, graph))) {
    push_contents_of(L, graph);
    push_copy(L, lua_gettop(L), false);
    give_contents(L, graph, true);
    lua_pop(L, 1);
  }
  contents_grow(L, contents_of(L, graph));
}

void cl_keep_for(lua_State *L, int graph, int kept, uint64_t node) {
  cl_Contents *c = contents_of(L, graph);
  cl_Kept *k = (cl_Kept *)((const cl_Object *)lua_touserdata(L, kept))->rec;
  cl_Part *p = part_of(c, node);
  cl_Kept *old = p->kept;
  p->kept = (cl_Kept *)cl_rec_retain(&k->rec);
  contents_changed(c);
  push_contents_of(L, graph);
  lua_getfenv(L, -1);
  lua_pushvalue(L, kept);
  lua_rawseti(L, -2, (int)(p - c->part) + 1);
  lua_pop(L, 2);
  if (old) cl_rec_release(&old->rec);
}

const cl_Rec *cl_kept_gone(const cl_GraphExec *x, uint64_t node) {
  const cl_Contents *c = x->contents;
  for (uint32_t i = 0; i < c->count; i++) {
    const cl_Kept *k = c->part[i].kept;
    for (uint32_t r = 0; c->part[i].node == node && r < k->room; r++)
      if (k->set[r] && !cl_rec_live(k->set[r])) return k->set[r];
  }
  return NULL;
}

/* --- making --- */

static void push_graph_environment(lua_State *L, int contents) {
  lua_createtable(L, 2, 0);
  lua_pushvalue(L, contents);
  lua_rawseti(L, -2, CONTENTS);
  lua_newtable(L);
  lua_rawseti(L, -2, NODES);
}

cl_Graph *cl_push_graph(lua_State *L, cl_Context *ctx) {
  cl_Object *o = cl_push(L, CL_GRAPH, sizeof *o);
  const int at = lua_gettop(L);
  cl_Contents *c = push_contents(L, 4);
  push_graph_environment(L, at + 1);
  lua_setfenv(L, at);
  lua_settop(L, at);
  cl_Graph *g = (cl_Graph *)cl_rec_new(CL_GRAPH, sizeof *g, &ctx->rec);
  if (!g) luaL_error(L, "not enough memory");
  g->contents = (cl_Contents *)cl_rec_retain(&c->rec);
  o->rec = &g->rec;
  return g;
}

void cl_push_body(lua_State *L, int around, CUgraph handle) {
  cl_Object *o = cl_push(L, CL_GRAPH, sizeof *o);
  const int at = lua_gettop(L);
  push_contents_of(L, around);
  push_graph_environment(L, at + 1);
  lua_pushvalue(L, around);
  lua_rawseti(L, -2, NODES + 1); /* so that it stays */
  lua_setfenv(L, at);
  lua_settop(L, at);
  cl_Graph *outer = cl_check_graph(L, around); /* after all that may run finalizers, which may close it */
  cl_Graph *g = (cl_Graph *)cl_rec_new(CL_GRAPH, sizeof *g, &outer->rec);
  if (!g) luaL_error(L, "not enough memory");
  g->contents = (cl_Contents *)cl_rec_retain(&outer->contents->rec);
  g->body = true;
  g->rec.handle = (uint64_t)(uintptr_t)handle;
  g->rec.life = CL_LIVE;
  o->rec = &g->rec;
}

/* Graphs are of no context. */
static bool graph_outlives(const cl_Rec *r) {
  (void)r;
  return true;
}

static CUresult graph_destroy(cl_Rec *r) {
  return ((const cl_Graph *)r)->body ? CUDA_SUCCESS : CU.cuGraphDestroy((CUgraph)r->handle);
}
static void graph_dispose(cl_Rec *r) {
  const cl_Graph *g = (const cl_Graph *)r;
  if (g->contents) cl_rec_release(&g->contents->rec);
}
CL_FAMILY(CL_GRAPH, .destroy = graph_destroy, .dispose = graph_dispose, .outlives = graph_outlives);

/* One that runs is freed by the driver when it is done. */
static CUresult graph_exec_destroy(cl_Rec *r) {
  const cl_GraphExec *x = (const cl_GraphExec *)r;
  if (x->only_of) x->only_of->exec = NULL;
  return CU.cuGraphExecDestroy((CUgraphExec)r->handle);
}
static void graph_exec_dispose(cl_Rec *r) {
  cl_GraphExec *x = (cl_GraphExec *)r;
  if (x->contents) cl_rec_release(&x->contents->rec);
  if (x->only_of) cl_rec_release(&x->only_of->rec);
}
CL_FAMILY(CL_GRAPH_EXEC, .destroy = graph_exec_destroy, .dispose = graph_exec_dispose,
          .outlives = graph_outlives);

static void made(cl_Rec *r, void *handle) {
  r->handle = (uint64_t)(uintptr_t)handle;
  r->life = CL_LIVE;
  cl_account(r, CL_BYTES_NONE, 0); /* graphs belong to the process: destroying the context leaves them */
}

void cl_graph_made(cl_Graph *g, CUgraph handle) { made(&g->rec, handle); }

cl_Context *cl_graph_context(lua_State *L, const cl_Rec *r, const char *call) {
  cl_Context *ctx = cl_rec_context(r->parent);
  if (cl_current(L) != (CUcontext)ctx->rec.handle)
    cl_logic(L, "%s: the graph's context is not current; use ctx:push() or ctx:with()", call);
  return ctx;
}

/* --- Graph --- */

cl_Graph *cl_check_graph(lua_State *L, int idx) {
  return (cl_Graph *)((const cl_Object *)cl_check(L, idx, CL_GRAPH))->rec;
}

/* graph() -> an empty Graph of the current context */
int cl_graph(lua_State *L) {
  cl_Context *ctx = cl_context_current(L);
  cl_push_context(L, ctx); /* holds it from here on */
  cl_rec_release(&ctx->rec);
  cl_Graph *g = cl_push_graph(L, ctx);
  CUgraph handle = NULL;
  CL_TRY(L, cuGraphCreate, &handle, 0);
  cl_graph_made(g, handle);
  return 1;
}

/* After its end an object uses nothing: functions of host nodes may refer to it. */
static void let_go(lua_State *L, cl_Contents **contents) {
  cl_Contents *c = *contents;
  *contents = NULL;
  lua_newtable(L);
  lua_setfenv(L, 1);
  if (c) cl_rec_release(&c->rec);
}

int cl_graph_close(lua_State *L) {
  cl_Graph *g = cl_check_graph(L, 1);
  if (g->body)
    cl_logic(L, "Graph:close: the body of a conditional node is closed with its graph; close that");
  if (g->captures) cl_logic(L, "Graph:close: work is being captured into this graph");
  cl_close_method(L, CL_GRAPH, "cuGraphDestroy");
  let_go(L, &g->contents);
  return 0;
}

int cl_graph_handle(lua_State *L) { return cl_handle_method(L, CL_GRAPH); }

/* Pushes "memcpy", "kernel" ... */
static void push_type(lua_State *L, CUgraphNodeType type) {
  const char *name = cl_constant_name("graph_node_type", (long)type);
  char lower[48];
  size_t k = 0;
  if (!name) {
    lua_pushfstring(L, "type %d", (int)type);
    return;
  }
  for (; name[k] && k + 1 < sizeof lower; k++) lower[k] = (char)tolower((unsigned char)name[k]);
  lua_pushlstring(L, lower, k);
}

/* The handles of the graph at index 1, in an array that is pushed. */
static CUgraphNode *push_handles(lua_State *L, size_t *n) {
  *n = 0;
  CL_TRY(L, cuGraphGetNodes, (CUgraph)cl_check_graph(L, 1)->rec.handle, NULL, n);
  CUgraphNode *nodes = lua_newuserdata(L, (*n + 1) * sizeof *nodes);
  const cl_Graph *g = cl_check_graph(L, 1); /* again: finalizers may have run */
  if (*n) CL_TRY(L, cuGraphGetNodes, (CUgraph)g->rec.handle, nodes, n);
  return nodes;
}

/* g:nodes() -> {"memcpy", "kernel", ...} */
int cl_graph_nodes(lua_State *L) {
  size_t n;
  const CUgraphNode *nodes = push_handles(L, &n);
  CUgraphNodeType *types = lua_newuserdata(L, (n + 1) * sizeof *types);
  cl_check_graph(L, 1);
  for (size_t i = 0; i < n; i++) CL_TRY(L, cuGraphNodeGetType, nodes[i], &types[i]);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    push_type(L, types[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* g:node_list() -> {Node, ...} */
int cl_graph_node_list(lua_State *L) {
  size_t n;
  const CUgraphNode *nodes = push_handles(L, &n);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    cl_push_node(L, 1, nodes[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* g:dot(path [, flags]) -> g */
int cl_graph_dot(lua_State *L) {
  const cl_Graph *g = cl_check_graph(L, 1);
  const char *path = cl_check_name(L, 2, "path");
  long flags = cl_check_flags(L, 3, "flags", "graph_debug_dot_flags", -1);
  CL_TRY(L, cuGraphDebugDotPrint, (CUgraph)g->rec.handle, path, (unsigned)flags);
  lua_settop(L, 1);
  return 1;
}

/* Of a graph with conditional nodes there may be one at a time, and one that nobody has any more may not be
 * collected yet. */
static void check_only(lua_State *L, const cl_Graph *g) {
  if (!g->exec) return;
  lua_gc(L, LUA_GCCOLLECT, 0);
  cl_check_graph(L, 1);
  if (g->exec)
    cl_logic(L, "Graph:instantiate: a graph with conditional nodes can have one executable graph at a time: "
                "close() the other one");
}

/* g:instantiate() -> GraphExec. No capture that is under way need notice. */
int cl_graph_instantiate(lua_State *L) {
  cl_Graph *g = cl_check_graph(L, 1);
  if (g->body)
    cl_logic(L, "Graph:instantiate: the body of a conditional node runs with its graph: instantiate that");
  lua_settop(L, 1);
  check_only(L, g);
  cl_Object *o = cl_push(L, CL_GRAPH_EXEC, sizeof *o);
  cl_GraphExec *x = (cl_GraphExec *)cl_rec_new(CL_GRAPH_EXEC, sizeof *x, g->rec.parent);
  if (!x) return luaL_error(L, "not enough memory");
  o->rec = &x->rec;
  x->graph = g->rec.generation;
  cl_check_graph(L, 1); /* again: finalizers may have run */
  push_contents_of(L, 1);
  push_copy(L, 3, false);
  give_contents(L, 2, false);
  lua_settop(L, 2);
  cl_check_graph(L, 1); /* again: finalizers may have run */
  contents_check(L, x->contents, "Graph:instantiate");
  CUgraphExec handle = NULL;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuGraphInstantiateWithFlags(&handle, (CUgraph)g->rec.handle, 0);
  cl_unrelax(mode);
  if (code) cl_fail(L, "cuGraphInstantiateWithFlags", code);
  made(&x->rec, handle);
  if (g->conditional) {
    x->only_of = (cl_Graph *)cl_rec_retain(&g->rec);
    g->exec = x;
  }
  return 1;
}

/* --- nodes --- */

static void node_dispose(cl_Rec *r) { (void)r; }
CL_FAMILY(CL_GRAPH_NODE, .dispose = node_dispose);

/* The environment of a Node is {graph = , kind = , and what Lua knows of it}. */
cl_Node *cl_push_node(lua_State *L, int graph, CUgraphNode handle) {
  cl_Graph *g = cl_check_graph(L, graph);
  CUgraphNodeType type;
  luaL_checkstack(L, 8, "nodes");
  CL_TRY(L, cuGraphNodeGetType, handle, &type);
  lua_getfenv(L, graph);
  lua_rawgeti(L, -1, NODES);
  lua_remove(L, -2);
  lua_pushlightuserdata(L, handle);
  lua_rawget(L, -2);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    cl_Object *o = cl_push(L, CL_GRAPH_NODE, sizeof *o);
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, graph);
    lua_setfield(L, -2, "graph");
    push_type(L, type);
    lua_setfield(L, -2, "kind");
    lua_setfenv(L, -2);
    cl_Node *n = (cl_Node *)cl_rec_new(CL_GRAPH_NODE, sizeof *n, &g->rec);
    if (!n) luaL_error(L, "not enough memory");
    o->rec = &n->rec;
    n->type = type;
    n->rec.handle = (uint64_t)(uintptr_t)handle;
    n->rec.life = CL_LIVE;
    lua_pushlightuserdata(L, handle);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
  return (cl_Node *)((const cl_Object *)lua_touserdata(L, -1))->rec;
}

cl_Node *cl_check_node(lua_State *L, int idx, const cl_Graph *g, const char *what) {
  cl_Object *o = cl_to_kind(L, idx, CL_GRAPH_NODE);
  if (!o) cl_bad_argument(L, idx, what, "a node of a graph");
  if (cl_forked || !cl_rec_live(o->rec)) cl_dead(L, o);
  if (g && o->rec->parent != &g->rec) cl_logic(L, "%s: the node belongs to another graph", what);
  return (cl_Node *)o->rec;
}

CUgraphNode *cl_check_nodes(lua_State *L, int idx, const cl_Graph *g, size_t *n) {
  const bool list = lua_type(L, idx) == LUA_TTABLE, none = lua_isnoneornil(L, idx);
  *n = list ? lua_objlen(L, idx) : none ? 0 : 1;
  CUgraphNode *nodes = lua_newuserdata(L, (*n + 1) * sizeof *nodes);
  for (size_t i = 0; i < *n; i++) {
    if (list)
      lua_rawgeti(L, idx, (int)i + 1);
    else
      lua_pushvalue(L, idx);
    const cl_Node *node = cl_check_node(L, lua_gettop(L), g, "after");
    nodes[i] = (CUgraphNode)(uintptr_t)node->rec.handle;
    for (size_t k = 0; k < i; k++)
      if (nodes[k] == nodes[i]) cl_logic(L, "after: node %d appears twice in the list", (int)k + 1);
    lua_pop(L, 1);
  }
  return nodes;
}

/* Pushes the list of Nodes that the Node at index 1 comes after. */
static int push_after(lua_State *L) {
  const cl_Node *n = cl_check_node(L, 1, NULL, "node");
  size_t count = 0;
  CL_TRY(L, cuGraphNodeGetDependencies_v2, (CUgraphNode)n->rec.handle, NULL, NULL, &count);
  CUgraphNode *nodes = lua_newuserdata(L, (count + 1) * sizeof *nodes);
  n = cl_check_node(L, 1, NULL, "node");
  if (count) CL_TRY(L, cuGraphNodeGetDependencies_v2, (CUgraphNode)n->rec.handle, nodes, NULL, &count);
  lua_getfenv(L, 1);
  lua_getfield(L, -1, "graph");
  const int graph = lua_gettop(L);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    cl_push_node(L, graph, nodes[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

static void set_number(lua_State *L, const char *key, double v) {
  lua_pushnumber(L, v);
  lua_setfield(L, -2, key);
}

static void set_three(lua_State *L, const char *key, unsigned x, unsigned y, unsigned z) {
  const unsigned v[] = {x, y, z};
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushnumber(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, key);
}

/* Pushes a table of what the driver tells about a node that capture made. */
static void push_told(lua_State *L, const cl_Node *n) {
  const CUgraphNode h = (CUgraphNode)n->rec.handle;
  CUDA_KERNEL_NODE_PARAMS k;
  CUDA_MEMCPY3D c;
  CUDA_MEMSET_NODE_PARAMS f;
  lua_newtable(L);
  switch ((int)n->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    CL_TRY(L, cuGraphKernelNodeGetParams_v2, h, &k);
    set_three(L, "grid", k.gridDimX, k.gridDimY, k.gridDimZ);
    set_three(L, "block", k.blockDimX, k.blockDimY, k.blockDimZ);
    set_number(L, "shared", k.sharedMemBytes);
    return;
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    CL_TRY(L, cuGraphMemcpyNodeGetParams, h, &c);
    set_number(L, "bytes", (double)(c.WidthInBytes * c.Height * c.Depth));
    return;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    CL_TRY(L, cuGraphMemsetNodeGetParams, h, &f);
    set_number(L, "value", f.value);
    set_number(L, "bits", f.elementSize * 8);
    set_number(L, "count", (double)(f.width * f.height));
    return;
  default: return;
  }
}

/* node.kind, node.after, node.params ... */
int cl_node_index(lua_State *L) {
  if (cl_push_method(L)) return 1;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  const cl_Node *n = cl_check_node(L, 1, NULL, "node");
  if (strcmp(key, "after") == 0) return push_after(L);
  lua_getfenv(L, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  if (strcmp(key, "bodies") == 0) return 1;
  if (strcmp(key, "params") != 0) return cl_class_index(L);
  push_told(L, n);
  return 1;
}

/* node_fields(node) -> the table of its fields, for Lua to add to */
int cl_node_fields(lua_State *L) {
  cl_check_node(L, 1, NULL, "node");
  lua_getfenv(L, 1);
  return 1;
}

int cl_node_handle(lua_State *L) { return cl_handle_method(L, CL_GRAPH_NODE); }

/* --- GraphExec --- */

cl_GraphExec *cl_check_exec(lua_State *L, int idx) {
  return (cl_GraphExec *)((const cl_Object *)cl_check(L, idx, CL_GRAPH_EXEC))->rec;
}

/* A body's nodes are those of the graph around it. */
cl_Node *cl_check_exec_node(lua_State *L, int idx, const cl_GraphExec *x, const char *call) {
  cl_Node *n = cl_check_node(L, idx, NULL, call);
  const cl_Rec *g = n->rec.parent;
  while (g->kind == CL_GRAPH && g->generation != x->graph) g = g->parent;
  if (g->kind != CL_GRAPH)
    cl_logic(L, "%s: the node does not belong to the graph that this GraphExec was made from", call);
  return n;
}

/* exec_settings(x) -> the table of what was set for its nodes, by Node */
int cl_exec_settings(lua_State *L) {
  cl_check_exec(L, 1);
  lua_getfenv(L, 1);
  lua_rawgeti(L, -1, SETTINGS);
  return 1;
}

int cl_graph_exec_close(lua_State *L) {
  cl_GraphExec *x = cl_check_exec(L, 1);
  cl_close_method(L, CL_GRAPH_EXEC, "cuGraphExecDestroy");
  let_go(L, &x->contents); /* a launch under way has its own */
  return 0;
}

int cl_graph_exec_handle(lua_State *L) { return cl_handle_method(L, CL_GRAPH_EXEC); }

/* The driver (580) answers STREAM_CAPTURE_UNSUPPORTED to a launch or upload in a capture of any mode, which
 * breaks it. */
static cl_Stream *stream_for(lua_State *L, const cl_GraphExec *x, const char *call, cl_Context **ctx) {
  *ctx = cl_rec_context(x->rec.parent);
  cl_Stream *s = cl_check_stream(L, 2, call, *ctx);
  cl_graph_context(L, &x->rec, call);
  if (cl_captures && cl_capture_id(s))
    cl_logic(
        L,
        "%s is not possible in a stream that is being captured; repeat the calls that it was captured from",
        call);
  cl_anchors_poll(L);
  contents_check(L, x->contents, call);
  return s;
}

/* Until s has done it, the GraphExec at index 1 and what its graph uses stay. It is what is left on the
 * stack. */
static void anchor(lua_State *L, const cl_GraphExec *x, cl_Context *ctx, cl_Stream *s) {
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  cl_anchor_rec(L, s, ctx, 2, &x->contents->rec);
  lua_settop(L, 1);
}

CL_HOOK_LIST(cl_on_graph_launch);
CL_HOOK_LIST(cl_on_graph_launched);

/* What the graph was made of knew nothing of the order in which its memory is used by then: the launch comes
 * after what other streams did with it before ... */
static void join_streams(lua_State *L, const cl_Kept *all, const cl_Context *ctx, cl_Stream *s) {
  if (!all->tracked || cl_captures) return;
  for (uint32_t i = 0; i < all->room; i++) {
    cl_Rec *r = all->set[i];
    if (!r || !r->tracks || cl_rec_context(r) != ctx) continue;
    cl_Order *o = &((cl_Allocation *)r)->order;
    CUresult code = cl_order_done(o, ctx, s) ? CUDA_SUCCESS : cl_order_join(o, s);
    if (code) cl_fail(L, "cuStreamWaitEvent", code);
  }
}

/* ... and what they do with it next, after the launch. */
static void remember_use(lua_State *L, const cl_Kept *all, cl_Stream *s) {
  for (uint32_t i = 0; all->tracked && i < all->room; i++) {
    cl_Rec *r = all->set[i];
    if (r && r->tracks && ((cl_Allocation *)r)->order.home != s) cl_memory_use_slow(L, (cl_Allocation *)r, s);
  }
  for (uint32_t i = 0; cl_write_mark && i < all->room; i++)
    if (all->set[i]) cl_rec_written(all->set[i]);
}

/* x:launch([s]) -> x */
int cl_graph_exec_launch(lua_State *L) {
  const cl_GraphExec *x = cl_check_exec(L, 1);
  cl_Context *ctx;
  cl_Stream *s = stream_for(L, x, "GraphExec:launch", &ctx);
  join_streams(L, x->contents->all, ctx, s);
  CL_RUN_HOOKS(cl_on_graph_launch, L, s);
  CL_TRY_ACTIVITY(L, CL_A_GRAPH, "graph", s, 0, cuGraphLaunch, (CUgraphExec)x->rec.handle,
                  cl_stream_handle(s));
  s->last_kernel = ctx->last_kernel = "(in a graph)";
  CL_RUN_HOOKS(cl_on_graph_launched, L, s);
  if (!x->contents->all) make_all(L, x->contents); /* a finalizer changed it */
  remember_use(L, x->contents->all, s);
  anchor(L, x, ctx, s);
  return 1;
}

/* x:upload([s]) -> x: what the first launch would bring to the device goes there now. */
int cl_graph_exec_upload(lua_State *L) {
  const cl_GraphExec *x = cl_check_exec(L, 1);
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

/* x:update(g) -> true, or false and why. What launches under way use stays with their anchors. Its nodes are
 * still those of the graph that it was made from, but what they use is g's. */
int cl_graph_exec_update(lua_State *L) {
  cl_GraphExec *x = cl_check_exec(L, 1);
  if (!cl_to_kind(L, 2, CL_GRAPH)) cl_bad_argument(L, 2, "graph", "a Graph");
  const cl_Graph *g = cl_check_graph(L, 2);
  if (cl_rec_context(g->rec.parent) != cl_rec_context(x->rec.parent))
    cl_logic(L, "GraphExec:update: the graph belongs to another context");
  if (g->body) cl_logic(L, "GraphExec:update: the body of a conditional node is not a graph of its own");
  lua_settop(L, 2);
  push_contents_of(L, 2);
  cl_Contents *new = push_copy(L, 3, g->rec.generation != x->graph);
  cl_check_exec(L, 1); /* again: finalizers may have run */
  cl_check_graph(L, 2);
  contents_check(L, new, "GraphExec:update");
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
  give_contents(L, 1, false);
  lua_pushboolean(L, 1);
  return 1;
}
