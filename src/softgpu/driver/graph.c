/* Graphs and their nodes: making them by hand, asking what is in them, copying and printing them. They belong
 * to no context; a node's operation may. */
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

/* An operation that is no node's any more. */
static void discard(SgOp *op) {
  sg_child_end(op);
  sg_op_free(op);
}

static void node_free(SgNode *n) {
  sg_handle_free(&n->o, false);
  discard(n->op);
  sg_nodes_clear(&n->after);
  free(n);
}

void sg_graph_free(SgGraph *g) {
  while (g->nodes.count) node_free(g->nodes.item[--g->nodes.count]);
  sg_nodes_clear(&g->nodes);
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

static bool copy_nodes(SgGraph *to, const SgGraph *from) {
  for (uint32_t i = 0; i < from->nodes.count; i++) {
    const SgNode *n = from->nodes.item[i];
    SgNodes after = {0};
    bool good = true;
    for (uint32_t k = 0; good && k < n->after.count; k++)
      good = sg_nodes_add(&after, to->nodes.item[n->after.item[k]->index]);
    SgOp *op = good ? copy_op(n->op) : NULL;
    good = op && sg_graph_add(to, op, &after);
    if (op && !good) discard(op);
    sg_nodes_clear(&after);
    if (!good) return false;
  }
  return true;
}

SgGraph *sg_graph_copy(const SgGraph *from) {
  SgGraph *to = sg_graph_new();
  if (!to || (sg_user_refs_add_all(&to->users, &from->users) && copy_nodes(to, from))) return to;
  sg_graph_free(to);
  return NULL;
}

static CUresult graph_clone(CUgraph *out, CUgraph h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgGraph *from = sg_graph_get(h, &code);
  if (!from) return code;
  SgGraph *to = sg_graph_copy(from);
  if (!to) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = to->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
  SG_CALL(SG_NEED_INIT, graph_clone(phGraphClone, originalGraph), "clone=0x%llx graph=0x%llx",
          SG_OUT(phGraphClone), SG_X(originalGraph));
}

/* --- making nodes --- */

static CUresult empty_op(SgOp **out) {
  static const SgNodeType node = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
  static const SgOpType type = {.name = "empty", .node = &node};
  *out = calloc(1, sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  (*out)->type = &type;
  return CUDA_SUCCESS;
}

/* Where a new node goes: its graph and what it depends on. */
static CUresult place_of(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n, SgGraph **graph,
                         SgNodes *set) {
  CUresult code;
  if (!out || (n && !after)) return CUDA_ERROR_INVALID_VALUE;
  *graph = sg_graph_get(h, &code);
  if (!*graph) return code;
  for (size_t i = 0; i < n; i++) {
    SgNode *d = sg_node_get(after[i], &code);
    if (!d) return code;
    uint32_t count = set->count;
    if (d->graph != *graph) return CUDA_ERROR_INVALID_VALUE;
    if (!sg_nodes_add(set, d)) return CUDA_ERROR_OUT_OF_MEMORY;
    if (set->count == count) return CUDA_ERROR_INVALID_VALUE; /* named twice */
  }
  return CUDA_SUCCESS;
}

/* `made`: how making op went. Takes op over. */
static CUresult add(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n, CUresult made,
                    SgOp *op) {
  SgGraph *g;
  SgNodes set = {0};
  if (made) return made;
  CUresult r = place_of(out, h, after, n, &g, &set);
  SgNode *node = r ? NULL : sg_graph_add(g, op, &set);
  sg_nodes_clear(&set);
  if (!node) {
    discard(op);
    return r ? r : CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = node->o.handle;
  return CUDA_SUCCESS;
}

#define LOG_ADD "node=0x%llx graph=0x%llx after=%zu"

static CUresult add_empty(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n) {
  SgOp *op = NULL;
  CUresult made = empty_op(&op);
  return add(out, h, after, n, made, op);
}

SG_API CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies) {
  SG_CALL(SG_NEED_INIT, add_empty(phGraphNode, hGraph, dependencies, numDependencies), LOG_ADD,
          SG_OUT(phGraphNode), SG_X(hGraph), numDependencies);
}

static CUresult add_kernel(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n,
                           const CUDA_KERNEL_NODE_PARAMS *p) {
  SgOp *op = NULL;
  CUresult made = p ? sg_launch_op(p, &op) : CUDA_ERROR_INVALID_VALUE;
  return add(out, h, after, n, made, op);
}

SG_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                        const CUgraphNode *dependencies, size_t numDependencies,
                                        const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_HEALTH, add_kernel(phGraphNode, hGraph, dependencies, numDependencies, nodeParams),
          LOG_ADD " function=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies,
          SG_X(nodeParams ? nodeParams->func : NULL));
}

static CUresult add_memset(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n,
                           const CUDA_MEMSET_NODE_PARAMS *p) {
  SgOp *op = NULL;
  CUresult made = p ? sg_fill_op(p, &op) : CUDA_ERROR_INVALID_VALUE;
  return add(out, h, after, n, made, op);
}

SG_API CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                     const CUgraphNode *dependencies, size_t numDependencies,
                                     const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
  SG_CALL(SG_NEED_HEALTH, add_memset(phGraphNode, hGraph, dependencies, numDependencies, memsetParams),
          LOG_ADD " dst=0x%llx ctx=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies,
          memsetParams ? memsetParams->dst : 0ULL, SG_X(ctx));
}

static CUresult add_memcpy(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n,
                           const CUDA_MEMCPY3D *p) {
  SgOp *op = NULL;
  CUresult made = p ? sg_copy_op(p, &op) : CUDA_ERROR_INVALID_VALUE;
  return add(out, h, after, n, made, op);
}

SG_API CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                     const CUgraphNode *dependencies, size_t numDependencies,
                                     const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
  SG_CALL(SG_NEED_HEALTH, add_memcpy(phGraphNode, hGraph, dependencies, numDependencies, copyParams),
          LOG_ADD " ctx=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies, SG_X(ctx));
}

static CUresult add_host(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n,
                         const CUDA_HOST_NODE_PARAMS *p) {
  SgOp *op = NULL;
  CUresult made = p ? sg_host_op(p, &op) : CUDA_ERROR_INVALID_VALUE;
  return add(out, h, after, n, made, op);
}

SG_API CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, add_host(phGraphNode, hGraph, dependencies, numDependencies, nodeParams), LOG_ADD,
          SG_OUT(phGraphNode), SG_X(hGraph), numDependencies);
}

static CUresult add_child(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n, CUgraph child) {
  SgOp *op = NULL;
  CUresult made;
  const SgGraph *g = sg_graph_get(child, &made);
  if (g) made = sg_child_op(g, &op);
  return add(out, h, after, n, made, op);
}

SG_API CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         CUgraph childGraph) {
  SG_CALL(SG_NEED_INIT, add_child(phGraphNode, hGraph, dependencies, numDependencies, childGraph),
          LOG_ADD " child=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies, SG_X(childGraph));
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

static CUgraphNodeType type_of(const SgNode *n) { return n->op->type->node->type; }

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

static CUresult kernel_params(CUgraphNode h, CUDA_KERNEL_NODE_PARAMS *p) {
  CUresult code;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = sg_node_get(h, &code);
  if (!n) return code;
  return type_of(n) == CU_GRAPH_NODE_TYPE_KERNEL ? sg_launch_op_params(n->op, p) : CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, kernel_params(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
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
