/* Graphs as nodes of graphs. The node has a copy, made when it is added; a program has the copy's operations
 * among its own, between two steps that stand for the node. */
#include "driver/graph.h"

#include <stdlib.h>

typedef struct ChildOp {
  SgOp op;
  SgGraph *graph; /* goes with the node; programs do without */
} ChildOp;

static const SgNodeType child_node = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
static const SgOpType child_type = {.name = "child graph", .node = &child_node};

SgGraph *sg_child_of(const SgOp *op) { return op->type == &child_type ? ((const ChildOp *)op)->graph : NULL; }

CUresult sg_child_op(const SgGraph *g, SgOp **out) {
  ChildOp *c = calloc(1, sizeof *c);
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  c->op.type = &child_type;
  c->graph = sg_graph_copy(g);
  if (!c->graph) {
    free(c);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  c->graph->of_node = true;
  *out = &c->op;
  return CUDA_SUCCESS;
}

void sg_child_end(SgOp *op) {
  SgGraph *g = sg_child_of(op);
  if (!g) return;
  ((ChildOp *)op)->graph = NULL;
  sg_graph_free(g);
}

static CUresult get_graph(CUgraphNode h, CUgraph *out) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = sg_node_get(h, &code);
  if (!n) return code;
  const SgGraph *g = sg_child_of(n->op);
  if (!g) return CUDA_ERROR_INVALID_VALUE;
  *out = g->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph) {
  SG_CALL(SG_NEED_INIT, get_graph(hNode, phGraph), "node=0x%llx graph=0x%llx", SG_X(hNode), SG_OUT(phGraph));
}
