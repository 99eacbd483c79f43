/* Changing an executable graph into another of the same shape, or one of its kernels. */
#include "driver/graph_program.h"

#include <stdlib.h>
#include <string.h>

static CUresult set_kernel(CUgraphExec h, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgExec *e = sg_exec_get(h, &code);
  const SgNode *n = e ? sg_node_get(node, &code) : NULL;
  if (!n) return code;
  uint32_t i = 0;
  while (i < e->program->count && e->program->step[i].node_id != n->o.id) i++;
  if (i == e->program->count || sg_step_type(&e->program->step[i]) != CU_GRAPH_NODE_TYPE_KERNEL)
    return CUDA_ERROR_INVALID_VALUE;
  code = sg_launch_op_change(e->program->step[i].op, p, &op);
  if (code) return code;
  if (!sg_exec_own_program(e)) {
    sg_op_free(op);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  sg_op_free(e->program->step[i].op);
  e->program->step[i].op = op;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                  const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_HEALTH, set_kernel(hGraphExec, hNode, nodeParams),
          "exec=0x%llx node=0x%llx function=0x%llx", SG_X(hGraphExec), SG_X(hNode),
          SG_X(nodeParams ? nodeParams->func : NULL));
}

/* Steps of a graph are paired with those of a program from the last ones backwards, by the order of their
 * edges: so streams of a capture may have been interleaved in another way. */
typedef struct Pairing {
  const SgProgram *to, *from; /* the executable graph's, and the new one */
  uint32_t *partner;          /* in `to`, by step of `from`; NONE: not paired yet */
  uint32_t *back;             /* the other way */
  uint32_t *stack, depth;     /* steps of `from` whose edges are still to be followed */
  CUgraphExecUpdateResultInfo *info;
} Pairing;

#define NONE UINT32_MAX

/* `step` and the step it comes after that are to blame, where there are such. */
static bool refuse(Pairing *w, CUgraphExecUpdateResult why, const SgStep *step, const SgStep *before) {
  w->info->result = why;
  w->info->errorNode = step ? step->node : NULL;
  w->info->errorFromNode = before ? before->node : NULL;
  return false;
}

static bool pair(Pairing *w, uint32_t from, uint32_t to) {
  const SgOp *old = w->to->step[to].op, *new = w->from->step[from].op;
  const SgStep *a = &w->to->step[to], *b = &w->from->step[from];
  if (sg_step_type(a) != sg_step_type(b))
    return refuse(w, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, b, NULL);
  if (a->deps != b->deps) return refuse(w, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, NULL);
  CUgraphExecUpdateResult r = old->type != new->type    ? CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED
                              : old->type->node->update ? old->type->node->update(old, new)
                                                        : CU_GRAPH_EXEC_UPDATE_SUCCESS;
  if (r) return refuse(w, r, b, NULL);
  w->partner[from] = to;
  w->back[to] = from;
  w->stack[w->depth++] = from;
  return true;
}

static bool pair_edges(Pairing *w, uint32_t from) {
  const SgStep *b = &w->from->step[from], *a = &w->to->step[w->partner[from]];
  for (uint32_t i = 0; i < b->deps; i++) {
    uint32_t x = w->from->after[b->first + i], y = w->to->after[a->first + i];
    if (w->partner[x] == y) continue;
    if (w->partner[x] != NONE || w->back[y] != NONE)
      return refuse(w, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, &w->from->step[x]);
    if (!pair(w, x, y)) return false;
  }
  return true;
}

/* `scratch` has room for two numbers a step. */
static bool pair_all(Pairing *w, uint32_t *scratch) {
  uint32_t count = w->from->count, *last_from = scratch, *last_to = scratch + count;
  if (w->to->count != count) return refuse(w, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL, NULL);
  uint32_t n = sg_program_sinks(w->from, last_from), m = sg_program_sinks(w->to, last_to);
  if (n != m)
    return refuse(w, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, n > m ? &w->from->step[last_from[m]] : NULL,
                  NULL);
  for (uint32_t i = 0; i < count; i++) w->partner[i] = w->back[i] = NONE;
  for (uint32_t i = 0; i < n; i++)
    if (!pair(w, last_from[i], last_to[i])) return false;
  while (w->depth)
    if (!pair_edges(w, w->stack[--w->depth])) return false;
  return true;
}

static CUresult update_paired(SgExec *e, SgProgram *from, CUgraphExecUpdateResultInfo *info) {
  size_t n = (size_t)(from->count > e->program->count ? from->count : e->program->count) + 1;
  uint32_t *memory = calloc(n * 5, sizeof *memory);
  if (!memory || !sg_exec_own_program(e)) {
    free(memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  Pairing w = {e->program, from, memory, memory + n, memory + 2 * n, 0, info};
  bool good = pair_all(&w, memory + 3 * n);
  for (uint32_t i = 0; good && i < from->count; i++) {
    SgStep *s = &e->program->step[w.partner[i]];
    sg_op_free(s->op);
    s->op = sg_op_share(from->step[i].op);
  }
  if (good) {
    SgUserRefs old = e->program->users;
    e->program->users = from->users;
    from->users = old; /* released with it */
    info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  }
  free(memory);
  return good ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

static CUresult update(CUgraphExec h, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  CUresult code;
  if (!info) return CUDA_ERROR_INVALID_VALUE;
  *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
  SgExec *e = sg_exec_get(h, &code);
  const SgGraph *g = e ? sg_graph_get(graph, &code) : NULL;
  if (!g) return code;
  SgProgram *from = sg_program_compile(g);
  if (!from) return CUDA_ERROR_OUT_OF_MEMORY;
  code = sg_program_check(from);
  if (!code) code = update_paired(e, from, info);
  sg_program_unref(from);
  return code;
}

SG_API CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                     CUgraphExecUpdateResultInfo *resultInfo) {
  SG_CALL(SG_NEED_INIT, update(hGraphExec, hGraph, resultInfo), "exec=0x%llx graph=0x%llx result=%d",
          SG_X(hGraphExec), SG_X(hGraph), resultInfo ? (int)resultInfo->result : -1);
}
