/* Changing an executable graph: one of its nodes, or all of it into another graph of the same shape. */
#include "driver/graph_program.h"

#include <stdlib.h>
#include <string.h>

/* --- one node --- */

/* The step of a node, the first one of a child graph's; NULL: it is none of p. */
static SgStep *find(SgProgram *p, uint64_t id) {
  for (uint32_t i = 0; i < p->count; i++) {
    SgStep *s = &p->step[i];
    if (s->node_id == id) return s;
    for (uint32_t k = 0; k < s->bodies; k++) {
      SgStep *inner = find(s->body[k], id);
      if (inner) return inner;
    }
  }
  return NULL;
}

/* The step that a call of `exec` and `node` means, of a node of that type (ANY: of any). */
#define ANY UINT32_MAX
static SgStep *step_of(CUgraphExec exec, CUgraphNode node, uint32_t type, SgExec **e, CUresult *code) {
  *e = sg_exec_get(exec, code);
  const SgNode *n = *e ? sg_node_get(node, code) : NULL;
  if (!n) return NULL;
  SgStep *s = find((*e)->program, n->o.id);
  if (s && (type == ANY || (uint32_t)sg_step_type(s) == type)) return s;
  *code = CUDA_ERROR_INVALID_VALUE;
  return NULL;
}

/* The node's step has op from now on, which it takes over; not where the driver forbids the change. */
static CUresult replace(SgExec *e, CUgraphNode node, SgOp *op) {
  CUresult code;
  const uint64_t id = sg_node_get(node, &code)->o.id;
  const SgOp *old = find(e->program, id)->op;
  bool allowed = old->type == op->type && !(old->type->node->update && old->type->node->update(old, op));
  if (!allowed || !sg_program_own(&e->program)) {
    sg_op_free(op);
    return allowed ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
  }
  SgStep *s = find(e->program, id);
  sg_op_free(s->op);
  s->op = op;
  return CUDA_SUCCESS;
}

static CUresult set_kernel(CUgraphExec h, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op;
  SgExec *e;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const SgStep *s = step_of(h, node, CU_GRAPH_NODE_TYPE_KERNEL, &e, &code);
  if (!s) return code;
  code = sg_launch_op_change(s->op, p, &op);
  return code ? code : replace(e, node, op);
}

SG_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                  const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_HEALTH, set_kernel(hGraphExec, hNode, nodeParams),
          "exec=0x%llx node=0x%llx function=0x%llx", SG_X(hGraphExec), SG_X(hNode),
          SG_X(nodeParams ? nodeParams->func : NULL));
}

static CUresult set_copy(CUgraphExec h, CUgraphNode node, const CUDA_MEMCPY3D *p) {
  CUresult code;
  SgOp *op;
  SgExec *e;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (!step_of(h, node, CU_GRAPH_NODE_TYPE_MEMCPY, &e, &code)) return code;
  code = sg_copy_op(p, &op);
  return code ? code : replace(e, node, op);
}

SG_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
  SG_CALL(SG_NEED_HEALTH, set_copy(hGraphExec, hNode, copyParams), "exec=0x%llx node=0x%llx ctx=0x%llx",
          SG_X(hGraphExec), SG_X(hNode), SG_X(ctx));
}

static CUresult set_fill(CUgraphExec h, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op;
  SgExec *e;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (!step_of(h, node, CU_GRAPH_NODE_TYPE_MEMSET, &e, &code)) return code;
  code = sg_fill_op(p, &op);
  return code ? code : replace(e, node, op);
}

SG_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx) {
  SG_CALL(SG_NEED_HEALTH, set_fill(hGraphExec, hNode, memsetParams), "exec=0x%llx node=0x%llx ctx=0x%llx",
          SG_X(hGraphExec), SG_X(hNode), SG_X(ctx));
}

static CUresult set_host(CUgraphExec h, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op;
  SgExec *e;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (!step_of(h, node, CU_GRAPH_NODE_TYPE_HOST, &e, &code)) return code;
  code = sg_host_op(p, &op);
  return code ? code : replace(e, node, op);
}

SG_API CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_HOST_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, set_host(hGraphExec, hNode, nodeParams), "exec=0x%llx node=0x%llx", SG_X(hGraphExec),
          SG_X(hNode));
}

static CUresult set_event(CUgraphExec h, CUgraphNode node, CUgraphNodeType type, CUevent event) {
  CUresult code;
  SgOp *op;
  SgExec *e;
  if (!step_of(h, node, type, &e, &code)) return code;
  code = sg_event_op(event, type == CU_GRAPH_NODE_TYPE_EVENT_RECORD, &op);
  return code ? code : replace(e, node, op);
}

SG_API CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  SG_CALL(SG_NEED_INIT, set_event(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event),
          "exec=0x%llx node=0x%llx event=0x%llx", SG_X(hGraphExec), SG_X(hNode), SG_X(event));
}

SG_API CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  SG_CALL(SG_NEED_INIT, set_event(hGraphExec, hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event),
          "exec=0x%llx node=0x%llx event=0x%llx", SG_X(hGraphExec), SG_X(hNode), SG_X(event));
}

/* Kernels, copies and fills can be left out. */
static SgStep *step_to_enable(CUgraphExec h, CUgraphNode node, SgExec **e, CUresult *code) {
  SgStep *s = step_of(h, node, ANY, e, code);
  CUgraphNodeType type = s ? sg_step_type(s) : CU_GRAPH_NODE_TYPE_EMPTY;
  if (type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
      type == CU_GRAPH_NODE_TYPE_MEMSET)
    return s;
  if (s) *code = CUDA_ERROR_INVALID_VALUE;
  return NULL;
}

static CUresult set_enabled(CUgraphExec h, CUgraphNode node, unsigned on) {
  CUresult code;
  SgExec *e;
  const SgStep *s = step_to_enable(h, node, &e, &code);
  if (!s) return code;
  const uint64_t id = s->node_id;
  if (!sg_program_own(&e->program)) return CUDA_ERROR_OUT_OF_MEMORY;
  find(e->program, id)->disabled = !on;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled) {
  SG_CALL(SG_NEED_INIT, set_enabled(hGraphExec, hNode, isEnabled), "exec=0x%llx node=0x%llx enabled=%u",
          SG_X(hGraphExec), SG_X(hNode), isEnabled);
}

static CUresult get_enabled(CUgraphExec h, CUgraphNode node, unsigned *on) {
  CUresult code;
  SgExec *e;
  if (!on) return CUDA_ERROR_INVALID_VALUE;
  const SgStep *s = step_to_enable(h, node, &e, &code);
  if (!s) return code;
  *on = !s->disabled;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled) {
  SG_CALL(SG_NEED_INIT, get_enabled(hGraphExec, hNode, isEnabled), "exec=0x%llx node=0x%llx enabled=%llu",
          SG_X(hGraphExec), SG_X(hNode), SG_OUT(isEnabled));
}

/* --- all of it --- */

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

/* Pairs the two and, where `for_good`, gives the one the operations of the other; the same for bodies. */
static CUresult take_operations(SgProgram *to, const SgProgram *from, CUgraphExecUpdateResultInfo *info,
                                bool for_good) {
  size_t n = (size_t)(from->count > to->count ? from->count : to->count) + 1;
  uint32_t *memory = calloc(n * 5, sizeof *memory);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  Pairing w = {to, from, memory, memory + n, memory + 2 * n, 0, info};
  CUresult r = pair_all(&w, memory + 3 * n) ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (uint32_t i = 0; !r && i < from->count; i++) {
    SgStep *s = &to->step[w.partner[i]];
    for (uint32_t k = 0; !r && k < s->bodies; k++)
      r = take_operations(s->body[k], from->step[i].body[k], info, for_good);
    if (r || !for_good) continue;
    sg_op_free(s->op);
    s->op = sg_op_share(from->step[i].op);
  }
  free(memory);
  return r;
}

static CUresult update_paired(SgExec *e, SgProgram *from, CUgraphExecUpdateResultInfo *info) {
  if (!sg_program_own(&e->program)) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = take_operations(e->program, from, info, false);
  if (!r) r = take_operations(e->program, from, info, true);
  if (r) return r;
  SgUserRefs old = e->program->users;
  e->program->users = from->users;
  from->users = old; /* released with it */
  info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  return CUDA_SUCCESS;
}

static CUresult update(CUgraphExec h, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  CUresult code;
  if (!info) return CUDA_ERROR_INVALID_VALUE;
  *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
  SgExec *e = sg_exec_get(h, &code);
  const SgGraph *g = e ? sg_graph_get(graph, &code) : NULL;
  if (!g) return code;
  SgProgram *from;
  code = sg_program_compile(g, &from);
  if (code) return code;
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

/* --- a child graph, and nodes of any kind --- */

/* The steps of a child graph, between the two that stand for its node, as a program of their own. */
static SgProgram *part_of(const SgProgram *p, uint32_t first, uint32_t end) {
  SgProgram *c = sg_program_new();
  if (!c) return NULL;
  c->step = malloc((end - first + 1) * sizeof *c->step);
  c->after = malloc((p->edges + 1) * sizeof *c->after);
  if (!c->step || !c->after) {
    sg_program_unref(c);
    return NULL;
  }
  for (uint32_t i = first; i < end; i++) {
    const SgStep *from = &p->step[i];
    SgStep *to = &c->step[c->count++];
    *to = *from;
    to->first = c->edges;
    to->deps = 0;
    sg_op_share(to->op);
    for (uint32_t k = 0; k < from->deps; k++) {
      const uint32_t before = p->after[from->first + k];
      if (before < first) continue; /* the step at which the child begins */
      c->after[c->edges++] = before - first;
      to->deps++;
    }
  }
  return c;
}

/* The program that has the step, and its number there. */
static SgProgram *owner_of(SgProgram *p, uint64_t id, uint32_t *at) {
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->step[i].node_id == id) {
      *at = i;
      return p;
    }
    for (uint32_t k = 0; k < p->step[i].bodies; k++) {
      SgProgram *inner = owner_of(p->step[i].body[k], id, at);
      if (inner) return inner;
    }
  }
  return NULL;
}

static CUresult change_child(SgProgram *p, uint32_t first, SgProgram *from) {
  CUgraphExecUpdateResultInfo info;
  uint32_t end = first + 1;
  while (p->step[end].node_id != p->step[first].node_id) end++;
  SgProgram *part = part_of(p, first + 1, end);
  CUresult r = part ? take_operations(part, from, &info, false) : CUDA_ERROR_OUT_OF_MEMORY;
  if (!r && !sg_user_refs_add_all(&p->users, &from->users)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (!r) r = take_operations(part, from, &info, true);
  for (uint32_t i = 0; !r && i < part->count; i++) {
    SgOp *old = p->step[first + 1 + i].op;
    p->step[first + 1 + i].op = part->step[i].op;
    part->step[i].op = old; /* released with it */
  }
  sg_program_unref(part);
  return r;
}

static CUresult set_child(CUgraphExec h, CUgraphNode node, CUgraph child) {
  CUresult code;
  SgExec *e;
  SgProgram *from;
  uint32_t at;
  const SgStep *s = step_of(h, node, CU_GRAPH_NODE_TYPE_GRAPH, &e, &code);
  const SgGraph *g = s ? sg_graph_get(child, &code) : NULL;
  if (!g) return code;
  const uint64_t id = s->node_id;
  code = sg_graph_has_cond(g) ? CUDA_ERROR_NOT_SUPPORTED : sg_program_compile(g, &from);
  if (code) return code;
  code = sg_program_check(from);
  if (!code && !sg_program_own(&e->program)) code = CUDA_ERROR_OUT_OF_MEMORY;
  SgProgram *p = code ? NULL : owner_of(e->program, id, &at);
  if (p) code = change_child(p, at, from);
  sg_program_unref(from);
  return code;
}

SG_API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                   CUgraph childGraph) {
  SG_CALL(SG_NEED_INIT, set_child(hGraphExec, hNode, childGraph), "exec=0x%llx node=0x%llx child=0x%llx",
          SG_X(hGraphExec), SG_X(hNode), SG_X(childGraph));
}

static CUresult set_any(CUgraphExec h, CUgraphNode node, const CUgraphNodeParams *p) {
  CUresult code;
  SgOp *op;
  SgExec *e;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const SgStep *s = step_of(h, node, (uint32_t)p->type, &e, &code);
  if (!s) return code;
  if (p->type == CU_GRAPH_NODE_TYPE_GRAPH) return set_child(h, node, p->graph.graph);
  code = sg_node_op(p, s->op, &op);
  return code ? code : replace(e, node, op);
}

SG_API CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                         CUgraphNodeParams *nodeParams) {
  SG_CALL(SG_NEED_INIT, set_any(hGraphExec, hNode, nodeParams), "exec=0x%llx node=0x%llx type=%d",
          SG_X(hGraphExec), SG_X(hNode), nodeParams ? (int)nodeParams->type : -1);
}
