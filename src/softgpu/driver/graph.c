/* Graphs: making and copying them, asking what is in them, printing them. They belong to no context; a node's
 * operation may. */
#include "driver/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sets of nodes --- */

bool sg_nodes_add(SgNodes *set, SgNode *node) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->item[i] == node) return true;
  if (set->count == set->room) {
    uint32_t room = set->room ? set->room * 2 : 4;
    SgNode **item = realloc(set->item, room * sizeof(SgNode *));
    if (!item) return false;
    set->item = item;
    set->room = room;
  }
  set->item[set->count++] = node;
  return true;
}

bool sg_nodes_add_all(SgNodes *set, const SgNodes *more) {
  for (uint32_t i = 0; i < more->count; i++)
    if (!sg_nodes_add(set, more->item[i])) return false;
  return true;
}

void sg_nodes_clear(SgNodes *set) {
  free(set->item);
  *set = (SgNodes){0};
}

/* --- graphs --- */

SgOp *sg_op_share(SgOp *op) {
  op->shared++;
  return op;
}

SgGraph *sg_graph_new(void) {
  SgGraph *g = calloc(1, sizeof *g);
  if (g && sg_handle_new(SG_H_GRAPH, &g->o, NULL)) return g;
  free(g);
  return NULL;
}

void sg_op_discard(SgOp *op) {
  sg_child_end(op);
  sg_cond_end(op);
  sg_op_free(op);
}

void sg_node_free(SgNode *n) {
  sg_handle_free(&n->o, false);
  sg_op_discard(n->op);
  sg_nodes_clear(&n->after);
  free(n);
}

void sg_graph_free(SgGraph *g) {
  while (g->nodes.count) sg_node_free(g->nodes.item[--g->nodes.count]);
  sg_nodes_clear(&g->nodes);
  sg_conditions_close(g);
  sg_user_refs_clear(&g->users);
  sg_handle_free(&g->o, false);
  free(g);
}

/* A graph's set of its own nodes needs no search for doubles. */
static bool append(SgNodes *all, SgNode *n) {
  if (all->count == all->room) {
    uint32_t room = all->room ? all->room * 2 : 16;
    SgNode **item = realloc(all->item, room * sizeof(SgNode *));
    if (!item) return false;
    all->item = item;
    all->room = room;
  }
  n->index = all->count;
  all->item[all->count++] = n;
  return true;
}

SgNode *sg_graph_add(SgGraph *g, SgOp *op, const SgNodes *after) {
  SgNode *n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->graph = g;
  if (!sg_nodes_add_all(&n->after, after) || !sg_handle_new(SG_H_NODE, &n->o, NULL)) {
    sg_nodes_clear(&n->after);
    free(n);
    return NULL;
  }
  if (!append(&g->nodes, n)) {
    sg_handle_free(&n->o, false);
    sg_nodes_clear(&n->after);
    free(n);
    return NULL;
  }
  n->op = op;
  return n;
}

/* The driver answers "invalid value", not "invalid handle", for all handles of graphs. */
SgGraph *sg_graph_get(CUgraph h, CUresult *code) {
  SgGraph *g = sg_handle_get(SG_H_GRAPH, h, code);
  if (!g) *code = CUDA_ERROR_INVALID_VALUE;
  return g;
}

SgNode *sg_node_get(CUgraphNode h, CUresult *code) {
  SgNode *n = sg_handle_get(SG_H_NODE, h, code);
  if (!n) *code = CUDA_ERROR_INVALID_VALUE;
  return n;
}

/* A walk in depth: what a node depends on is behind it on the stack, and written down before it. */
typedef struct Walk {
  uint32_t *stack, *next; /* nodes under way, and the edge of each to follow next */
  uint8_t *state;         /* of each node: 0 not seen, 1 under way, 2 written down */
  uint32_t depth, found;
} Walk;

static void walk_push(Walk *w, uint32_t i) {
  w->state[i] = 1;
  w->next[w->depth] = 0;
  w->stack[w->depth++] = i;
}

/* False: there is a cycle. */
static bool walk_from(Walk *w, const SgGraph *g, uint32_t first, uint32_t *order) {
  walk_push(w, first);
  while (w->depth) {
    const SgNode *n = g->nodes.item[w->stack[w->depth - 1]];
    uint32_t *next = &w->next[w->depth - 1];
    while (*next < n->after.count && w->state[n->after.item[*next]->index] == 2) ++*next;
    if (*next == n->after.count) {
      w->state[n->index] = 2;
      order[w->found++] = n->index;
      w->depth--;
    } else if (w->state[n->after.item[*next]->index] == 1) {
      return false;
    } else {
      walk_push(w, n->after.item[*next]->index);
    }
  }
  return true;
}

CUresult sg_graph_order(const SgGraph *g, uint32_t *order) {
  const uint32_t n = g->nodes.count;
  uint32_t *memory = calloc((size_t)n * 2 + 1, sizeof *memory);
  uint8_t *state = calloc(n + 1, sizeof *state);
  Walk w = {memory, memory + n, state, 0, 0};
  CUresult r = memory && state ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; !r && i < n; i++)
    if (!state[i] && !walk_from(&w, g, i, order)) r = CUDA_ERROR_INVALID_VALUE;
  free(memory);
  free(state);
  if (r == CUDA_ERROR_INVALID_VALUE)
    sg_say(CU_LOG_LEVEL_ERROR, "The edges of the graph form a cycle: no node of it can run first");
  return r;
}

CUgraphNodeType sg_op_node_type(const SgOp *op) { return op->type->node->type; }

static CUresult graph_create(CUgraph *out, unsigned flags) {
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  SgGraph *g = sg_graph_new();
  if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = g->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, graph_create(phGraph, flags), "graph=0x%llx flags=%u", SG_OUT(phGraph), flags);
}

static CUresult graph_destroy(CUgraph h) {
  CUresult code;
  SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  if (g->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (g->of_node) return CUDA_ERROR_INVALID_VALUE;
  sg_graph_free(g);
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphDestroy(CUgraph hGraph) {
  SG_CALL(SG_NEED_INIT, graph_destroy(hGraph), "graph=0x%llx", SG_X(hGraph));
}

/* Operations are shared; but each node of a graph has a copy of its own. NULL: no memory. */
static SgOp *copy_op(SgOp *op) {
  const SgGraph *child = sg_child_of(op);
  SgOp *copy = NULL;
  if (!child) return sg_op_share(op);
  (void)sg_child_op(child, &copy);
  return copy;
}

/* First the nodes, then the edges: a node may depend on one that was added later. */
static bool copy_nodes(SgGraph *to, const SgGraph *from) {
  static const SgNodes none;
  for (uint32_t i = 0; i < from->nodes.count; i++) {
    SgOp *op = copy_op(from->nodes.item[i]->op);
    SgNode *n = op ? sg_graph_add(to, op, &none) : NULL;
    if (op && !n) sg_op_discard(op);
    if (!n) return false;
    n->origin = from->nodes.item[i]->o.id;
  }
  for (uint32_t i = 0; i < from->nodes.count; i++) {
    const SgNodes *after = &from->nodes.item[i]->after;
    for (uint32_t k = 0; k < after->count; k++)
      if (!sg_nodes_add(&to->nodes.item[i]->after, to->nodes.item[after->item[k]->index])) return false;
  }
  return true;
}

SgGraph *sg_graph_copy(const SgGraph *from) {
  SgGraph *to = sg_graph_new();
  if (to) to->origin = from->o.id;
  if (!to || (sg_user_refs_add_all(&to->users, &from->users) && copy_nodes(to, from))) return to;
  sg_graph_free(to);
  return NULL;
}

static CUresult graph_clone(CUgraph *out, CUgraph h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgGraph *from = sg_graph_get(h, &code);
  if (!from) return code;
  if (sg_graph_has_cond(from)) {
    sg_say(CU_LOG_LEVEL_ERROR, "A graph that contains conditional nodes cannot be cloned");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  SgGraph *to = sg_graph_copy(from);
  if (!to) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = to->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
  SG_CALL(SG_NEED_INIT, graph_clone(phGraphClone, originalGraph), "clone=0x%llx graph=0x%llx",
          SG_OUT(phGraphClone), SG_X(originalGraph));
}

/* --- what is in a graph --- */

/* Fills in up to *count handles, NULL where there are fewer nodes; with no array, counts. */
typedef struct Listing {
  CUgraphNode *to;
  size_t room, found;
} Listing;

static void list(Listing *l, const SgNode *n) {
  if (l->to && l->found < l->room) l->to[l->found] = n->o.handle;
  l->found++;
}

static CUresult list_end(Listing *l, size_t *count) {
  for (size_t i = l->found; l->to && i < l->room; i++) l->to[i] = NULL;
  *count = l->to && l->found > l->room ? l->room : l->found;
  return CUDA_SUCCESS;
}

static CUresult get_nodes(CUgraph h, CUgraphNode *nodes, size_t *count, bool roots) {
  CUresult code;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  const SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  Listing l = {nodes, *count, 0};
  for (uint32_t i = 0; i < g->nodes.count; i++)
    if (!roots || !g->nodes.item[i]->after.count) list(&l, g->nodes.item[i]);
  return list_end(&l, count);
}

SG_API CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
  SG_CALL(SG_NEED_INIT, get_nodes(hGraph, nodes, numNodes, false), "graph=0x%llx count=%llu", SG_X(hGraph),
          SG_OUT(numNodes));
}

SG_API CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
  SG_CALL(SG_NEED_INIT, get_nodes(hGraph, rootNodes, numRootNodes, true), "graph=0x%llx count=%llu",
          SG_X(hGraph), SG_OUT(numRootNodes));
}

static CUresult get_edges(CUgraph h, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                          size_t *count) {
  CUresult code;
  if (!count || !from != !to || (data && !from)) return CUDA_ERROR_INVALID_VALUE;
  const SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  Listing f = {from, *count, 0}, t = {to, *count, 0};
  if (data) memset(data, 0, *count * sizeof *data);
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    const SgNode *n = g->nodes.item[i];
    for (uint32_t k = 0; k < n->after.count; k++) {
      list(&f, n->after.item[k]);
      list(&t, n);
    }
  }
  list_end(&f, count);
  return list_end(&t, count);
}

SG_API CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                                   CUgraphEdgeData *edgeData, size_t *numEdges) {
  SG_CALL(SG_NEED_INIT, get_edges(hGraph, from, to, edgeData, numEdges), "graph=0x%llx count=%llu",
          SG_X(hGraph), SG_OUT(numEdges));
}

static CUresult get_dependencies(CUgraphNode h, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
  CUresult code;
  if (!count || (data && !nodes)) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = sg_node_get(h, &code);
  if (!n) return code;
  Listing l = {nodes, *count, 0};
  if (data) memset(data, 0, *count * sizeof *data);
  for (uint32_t i = 0; i < n->after.count; i++) list(&l, n->after.item[i]);
  return list_end(&l, count);
}

SG_API CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                              CUgraphEdgeData *edgeData, size_t *numDependencies) {
  SG_CALL(SG_NEED_INIT, get_dependencies(hNode, dependencies, edgeData, numDependencies),
          "node=0x%llx count=%llu", SG_X(hNode), SG_OUT(numDependencies));
}

static CUresult get_dependents(CUgraphNode h, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
  CUresult code;
  if (!count || (data && !nodes)) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = sg_node_get(h, &code);
  if (!n) return code;
  Listing l = {nodes, *count, 0};
  if (data) memset(data, 0, *count * sizeof *data);
  for (uint32_t i = 0; i < n->graph->nodes.count; i++) {
    const SgNode *other = n->graph->nodes.item[i];
    for (uint32_t k = 0; k < other->after.count; k++)
      if (other->after.item[k] == n) list(&l, other);
  }
  return list_end(&l, count);
}

SG_API CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                                CUgraphEdgeData *edgeData, size_t *numDependentNodes) {
  SG_CALL(SG_NEED_INIT, get_dependents(hNode, dependentNodes, edgeData, numDependentNodes),
          "node=0x%llx count=%llu", SG_X(hNode), SG_OUT(numDependentNodes));
}

static CUresult find_in_clone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = sg_node_get(original, &code);
  const SgGraph *g = n ? sg_graph_get(clone, &code) : NULL;
  if (!g) return code;
  if (g->origin != n->graph->o.id) return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    if (g->nodes.item[i]->origin != n->o.id) continue;
    *out = g->nodes.item[i]->o.handle;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
  SG_CALL(SG_NEED_INIT, find_in_clone(phNode, hOriginalNode, hClonedGraph),
          "node=0x%llx original=0x%llx clone=0x%llx", SG_OUT(phNode), SG_X(hOriginalNode),
          SG_X(hClonedGraph));
}

static CUgraphNodeType type_of(const SgNode *n) { return sg_op_node_type(n->op); }

static CUresult get_type(CUgraphNode h, CUgraphNodeType *type) {
  CUresult code;
  if (!type) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = sg_node_get(h, &code);
  if (!n) return code;
  *type = type_of(n);
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
  SG_CALL(SG_NEED_INIT, get_type(hNode, type), "node=0x%llx type=%llu", SG_X(hNode), SG_OUT(type));
}

/* --- printing --- */

static const char *type_name(CUgraphNodeType type) {
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: return "KERNEL";
  case CU_GRAPH_NODE_TYPE_MEMCPY: return "MEMCPY";
  case CU_GRAPH_NODE_TYPE_MEMSET: return "MEMSET";
  case CU_GRAPH_NODE_TYPE_HOST: return "HOST";
  case CU_GRAPH_NODE_TYPE_GRAPH: return "GRAPH";
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return "EVENT_WAIT";
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return "EVENT_RECORD";
  case CU_GRAPH_NODE_TYPE_CONDITIONAL: return "CONDITIONAL";
  default: return "EMPTY";
  }
}

static void print(const SgGraph *g, bool verbose, SgText *t) {
  unsigned long long id = g->o.id;
  sg_text_add(t, "digraph dot {\nsubgraph cluster_%llu {\nlabel=\"graph_%llu\"\n", id, id);
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    const SgNode *n = g->nodes.item[i];
    sg_text_add(t, "\"graph_%llu_node_%u\"[shape=\"box\" label=\"%u\\n%s", id, i, i, type_name(type_of(n)));
    const SgNodeType *node = n->op->type->node;
    if (node->describe && (verbose || node->type == CU_GRAPH_NODE_TYPE_KERNEL)) {
      sg_text_add(t, "\\n");
      node->describe(n->op, t);
    }
    sg_text_add(t, "\"];\n");
  }
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    const SgNode *n = g->nodes.item[i];
    for (uint32_t k = 0; k < n->after.count; k++)
      sg_text_add(t, "\"graph_%llu_node_%u\" -> \"graph_%llu_node_%u\";\n", id, n->after.item[k]->index, id,
                  i);
  }
  sg_text_add(t, "}\n}\n");
}

static CUresult dot_print(CUgraph h, const char *path, unsigned flags) {
  CUresult code;
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  const SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  SgText t = {0};
  print(g, flags != 0, &t);
  FILE *f = t.failed ? NULL : fopen(path, "w");
  bool good = f && fwrite(t.data, 1, t.size, f) == t.size;
  if (f && fclose(f) != 0) good = false;
  code = t.failed ? CUDA_ERROR_OUT_OF_MEMORY : good ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
  free(t.data);
  return code;
}

SG_API CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, dot_print(hGraph, path, flags), "graph=0x%llx path=%s flags=0x%x", SG_X(hGraph),
          SG_S(path), flags);
}
