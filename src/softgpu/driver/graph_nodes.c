/* Making graphs by hand: nodes and the edges between them. */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

static CUresult empty_op(SgOp **out) {
  static const SgNodeType node = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
  static const SgOpType type = {.name = "empty", .node = &node};
  *out = calloc(1, sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  (*out)->type = &type;
  return CUDA_SUCCESS;
}

/* Every edge here means that all of the one node is done before the other begins. Of a kernel's other ports,
 * which let the next kernel begin earlier, the same is a legal reading. */
static CUresult read_edge(const CUgraphEdgeData *d) {
  static const unsigned char zero[sizeof d->reserved];
  if (!d) return CUDA_SUCCESS;
  bool known = d->from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER && !d->to_port &&
               d->type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && !memcmp(d->reserved, zero, sizeof zero);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  if (!d->from_port && !d->type) return CUDA_SUCCESS;
  sg_say(CU_LOG_LEVEL_ERROR, "The software device has no programmatic dependencies between kernel nodes");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult sg_nodes_read(const SgGraph *g, const CUgraphNode *after, const CUgraphEdgeData *data, size_t n,
                       SgNodes *set) {
  CUresult code;
  if (n && !after) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < n; i++) {
    SgNode *d = sg_node_get(after[i], &code);
    if (!d) return code;
    uint32_t count = set->count;
    if (d->graph != g) return CUDA_ERROR_INVALID_VALUE;
    if ((code = read_edge(data ? &data[i] : NULL)) != CUDA_SUCCESS) return code;
    if (!sg_nodes_add(set, d)) return CUDA_ERROR_OUT_OF_MEMORY;
    if (set->count == count) return CUDA_ERROR_INVALID_VALUE; /* named twice */
  }
  return CUDA_SUCCESS;
}

/* Where a new node goes: its graph and what it depends on. */
static CUresult place_of(CUgraphNode *out, CUgraph h, const CUgraphNode *after, const CUgraphEdgeData *data,
                         size_t n, SgGraph **graph, SgNodes *set) {
  CUresult code;
  if (!out || (n && !after)) return CUDA_ERROR_INVALID_VALUE;
  *graph = sg_graph_get(h, &code);
  return *graph ? sg_nodes_read(*graph, after, data, n, set) : code;
}

/* `made`: how making op went. Takes op over. */
static CUresult add(CUgraphNode *out, CUgraph h, const CUgraphNode *after, const CUgraphEdgeData *data,
                    size_t n, CUresult made, SgOp *op) {
  SgGraph *g;
  SgNodes set = {0};
  if (made) return made;
  CUresult r = place_of(out, h, after, data, n, &g, &set);
  SgNode *node = r ? NULL : sg_graph_add(g, op, &set);
  sg_nodes_clear(&set);
  if (!node) {
    sg_op_discard(op);
    return r ? r : CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = node->o.handle;
  return CUDA_SUCCESS;
}

static CUresult child_op(const SgGraph *g, SgOp **out) {
  if (!sg_graph_has_cond(g)) return sg_child_op(g, out);
  sg_say(CU_LOG_LEVEL_ERROR, "A graph that contains conditional nodes cannot be a node of another graph");
  return CUDA_ERROR_NOT_SUPPORTED;
}

#define LOG_ADD "node=0x%llx graph=0x%llx after=%zu"

static CUresult add_empty(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n) {
  SgOp *op = NULL;
  CUresult made = empty_op(&op);
  return add(out, h, after, NULL, n, made, op);
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
  return add(out, h, after, NULL, n, made, op);
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
  return add(out, h, after, NULL, n, made, op);
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
  return add(out, h, after, NULL, n, made, op);
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
  return add(out, h, after, NULL, n, made, op);
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
  if (g) made = child_op(g, &op);
  return add(out, h, after, NULL, n, made, op);
}

SG_API CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                         const CUgraphNode *dependencies, size_t numDependencies,
                                         CUgraph childGraph) {
  SG_CALL(SG_NEED_INIT, add_child(phGraphNode, hGraph, dependencies, numDependencies, childGraph),
          LOG_ADD " child=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies, SG_X(childGraph));
}

static CUresult add_event(CUgraphNode *out, CUgraph h, const CUgraphNode *after, size_t n, CUevent event,
                          bool record) {
  SgOp *op = NULL;
  CUresult made = sg_event_op(event, record, &op);
  return add(out, h, after, NULL, n, made, op);
}

SG_API CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                          const CUgraphNode *dependencies, size_t numDependencies,
                                          CUevent event) {
  SG_CALL(SG_NEED_INIT, add_event(phGraphNode, hGraph, dependencies, numDependencies, event, true),
          LOG_ADD " event=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies, SG_X(event));
}

SG_API CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                        const CUgraphNode *dependencies, size_t numDependencies,
                                        CUevent event) {
  SG_CALL(SG_NEED_INIT, add_event(phGraphNode, hGraph, dependencies, numDependencies, event, false),
          LOG_ADD " event=0x%llx", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies, SG_X(event));
}

/* --- of any kind --- */

static CUresult child_params_op(const CUDA_CHILD_GRAPH_NODE_PARAMS *p, SgOp **out) {
  CUresult code;
  const SgGraph *g = sg_graph_get(p->graph, &code);
  if (!g) return code;
  if (p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) return child_op(g, out);
  sg_say(CU_LOG_LEVEL_ERROR, "The software device copies child graphs: they cannot be moved into a node");
  return p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE ? CUDA_ERROR_NOT_SUPPORTED
                                                             : CUDA_ERROR_INVALID_VALUE;
}

static CUresult any_op(CUgraph h, CUgraphNodeParams *p, SgOp **out) {
  CUresult code;
  SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_EMPTY: return empty_op(out);
  case CU_GRAPH_NODE_TYPE_GRAPH: return child_params_op(&p->graph, out);
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    code = sg_health_here();
    return code ? code : sg_cond_op(g, &p->conditional, out);
  default: return sg_node_op(p, NULL, out);
  }
}

static CUresult add_any(CUgraphNode *out, CUgraph h, const CUgraphNode *after, const CUgraphEdgeData *data,
                        size_t n, CUgraphNodeParams *p) {
  SgGraph *g;
  SgNodes set = {0};
  SgOp *op = NULL;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  /* First, since the operation of a conditional node takes its handle. */
  CUresult r = place_of(out, h, after, data, n, &g, &set);
  sg_nodes_clear(&set);
  if (r) return r;
  CUresult made = any_op(h, p, &op);
  return add(out, h, after, data, n, made, op);
}

SG_API CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                  CUgraphNodeParams *nodeParams) {
  SG_CALL(SG_NEED_INIT,
          add_any(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams),
          LOG_ADD " type=%d", SG_OUT(phGraphNode), SG_X(hGraph), numDependencies,
          nodeParams ? (int)nodeParams->type : -1);
}

/* --- edges, and taking nodes out --- */

static bool take_out(SgNodes *set, const SgNode *n) {
  for (uint32_t i = 0; i < set->count; i++) {
    if (set->item[i] != n) continue;
    memmove(&set->item[i], &set->item[i + 1], (--set->count - i) * sizeof(SgNode *));
    return true;
  }
  return false;
}

static bool has(const SgNodes *set, const SgNode *n) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->item[i] == n) return true;
  return false;
}

/* Both ends of edge i; NULL: what is wrong. */
static SgNode *edge_ends(const SgGraph *g, CUgraphNode from, CUgraphNode to, SgNode **before,
                         CUresult *code) {
  *before = sg_node_get(from, code);
  SgNode *n = *before ? sg_node_get(to, code) : NULL;
  if (!n) return NULL;
  *code = CUDA_ERROR_INVALID_VALUE;
  return n->graph == g && (*before)->graph == g && n != *before ? n : NULL;
}

/* All edges or none: those that were changed before one that is wrong are put back. */
static CUresult change_edges(CUgraph h, const CUgraphNode *from, const CUgraphNode *to,
                             const CUgraphEdgeData *data, size_t n, bool adds) {
  CUresult code;
  const SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  if (n && (!from || !to)) return CUDA_ERROR_INVALID_VALUE;
  size_t done = 0;
  for (code = CUDA_SUCCESS; done < n; done++) {
    SgNode *before, *node = edge_ends(g, from[done], to[done], &before, &code);
    if (!node || (code = read_edge(data ? &data[done] : NULL)) != CUDA_SUCCESS) break;
    if (has(&node->after, before) == adds)
      code = CUDA_ERROR_INVALID_VALUE;
    else if (!adds)
      take_out(&node->after, before);
    else if (!sg_nodes_add(&node->after, before))
      code = CUDA_ERROR_OUT_OF_MEMORY;
    if (code) break;
  }
  while (code && done--) {
    SgNode *before, *node = edge_ends(g, from[done], to[done], &before, &(CUresult){0});
    if (adds)
      take_out(&node->after, before);
    else
      (void)sg_nodes_add(&node->after, before); /* there is room: it was there before */
  }
  return code;
}

#define LOG_EDGES "graph=0x%llx count=%zu"

SG_API CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                          const CUgraphEdgeData *edgeData, size_t numDependencies) {
  SG_CALL(SG_NEED_INIT, change_edges(hGraph, from, to, edgeData, numDependencies, true), LOG_EDGES,
          SG_X(hGraph), numDependencies);
}

SG_API CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                             const CUgraphEdgeData *edgeData, size_t numDependencies) {
  SG_CALL(SG_NEED_INIT, change_edges(hGraph, from, to, edgeData, numDependencies, false), LOG_EDGES,
          SG_X(hGraph), numDependencies);
}

/* A capture's streams know its nodes by their addresses. */
static CUresult destroy_node(CUgraphNode h) {
  CUresult code;
  SgNode *n = sg_node_get(h, &code);
  if (!n) return code;
  SgNodes *all = &n->graph->nodes;
  if (n->graph->capture) return CUDA_ERROR_ILLEGAL_STATE;
  for (uint32_t i = 0; i < all->count; i++) take_out(&all->item[i]->after, n);
  take_out(all, n);
  for (uint32_t i = n->index; i < all->count; i++) all->item[i]->index = i;
  sg_node_free(n);
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  SG_CALL(SG_NEED_INIT, destroy_node(hNode), "node=0x%llx", SG_X(hNode));
}
