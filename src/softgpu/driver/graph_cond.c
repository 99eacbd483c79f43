/* Conditional nodes: parts of a graph that run if a value says so, as often as it says so, or one of several.
 *
 * The value belongs to a handle, which kernels of the graph set. A node's bodies are graphs that are filled
 * after it was added and go with it. An executable graph has a program for each body
 * (driver/graph_program.c), which driver/graph_exec.c runs. A handle and its value live as long as somebody
 * holds the condition: the graph that it was made for, the operation of its node. */
#include "driver/graph.h"

#include <stdio.h>
#include <stdlib.h>

struct SgCondition {
  unsigned refs;
  uint64_t handle;
  const SgGraph *graph; /* that it was made for; NULL: that is gone */
  uint64_t ctx;         /* id of its context */
  unsigned start;       /* what each launch begins with, if has_start */
  bool has_start, used; /* used: it is a node's */
  uint64_t exec;        /* id of the executable graph that it is in, 0: none */
  unsigned value;
  SgCondition *next; /* of the graph's */
  SgCondition *all;  /* of all */
};

static SgCondition *conditions;
static uint64_t last_handle;
uint64_t sg_cond_exec;

static void unref(SgCondition *c) {
  if (--c->refs) return;
  SgCondition **at = &conditions;
  while (*at != c) at = &(*at)->all;
  *at = c->all;
  free(c);
}

static SgCondition *condition_of(uint64_t handle) {
  SgCondition *c = conditions;
  while (c && c->handle != handle) c = c->all;
  return c;
}

void sg_conditions_close(SgGraph *g) {
  for (SgCondition *c; (c = g->handles);) {
    g->handles = c->next;
    c->graph = NULL;
    unref(c);
  }
}

bool sg_conditions_unused(const SgGraph *g) {
  for (const SgCondition *c = g->handles; c; c = c->next)
    if (!c->used) return true;
  return false;
}

static CUresult context_for(CUcontext h, const SgContext **out) {
  CUresult code = CUDA_SUCCESS;
  *out = h ? sg_ctx_get(h, &code) : sg_current(&code);
  return *out ? CUDA_SUCCESS : code;
}

static CUresult handle_create(CUgraphConditionalHandle *out, CUgraph graph, CUcontext h, unsigned start,
                              unsigned flags) {
  CUresult code;
  const SgContext *ctx;
  if (!out || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  SgGraph *g = sg_graph_get(graph, &code);
  if (!g || (code = context_for(h, &ctx)) != CUDA_SUCCESS) return code;
  SgCondition *c = calloc(1, sizeof *c);
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  *c = (SgCondition){.refs = 1,
                     .handle = ++last_handle << 8 | 0xc1, /* nothing that a program makes up */
                     .graph = g,
                     .ctx = ctx->o.id,
                     .start = start,
                     .has_start = flags != 0,
                     .value = start,
                     .next = g->handles,
                     .all = conditions};
  g->handles = conditions = c;
  *out = c->handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
                                               CUcontext ctx, unsigned int defaultLaunchValue,
                                               unsigned int flags) {
  SG_CALL(SG_NEED_HEALTH, handle_create(pHandle_out, hGraph, ctx, defaultLaunchValue, flags),
          "handle=0x%llx graph=0x%llx ctx=0x%llx default=%u flags=%u", SG_OUT(pHandle_out), SG_X(hGraph),
          SG_X(ctx), defaultLaunchValue, flags);
}

/* --- the operation --- */

typedef struct CondOp {
  SgOp op;
  SgCondition *condition;
  CUgraphConditionalNodeType kind;
  uint32_t count;
  SgGraph **body;   /* NULL: the node is gone; programs do without */
  CUgraph *handles; /* of the bodies: the caller's to read as long as there is the node */
} CondOp;

static void cond_drop(SgOp *op) { unref(((CondOp *)op)->condition); }

static uint64_t cond_context(const SgOp *op) { return ((const CondOp *)op)->condition->ctx; }

/* Its own parameters do not change; what is in its bodies may. */
static CUgraphExecUpdateResult cond_update(const SgOp *from, const SgOp *to) {
  const CondOp *a = (const CondOp *)from, *b = (const CondOp *)to;
  return a->condition == b->condition && a->kind == b->kind && a->count == b->count
             ? CU_GRAPH_EXEC_UPDATE_SUCCESS
             : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

static void cond_describe(const SgOp *op, SgText *t) {
  static const char *const names[] = {"IF", "WHILE", "SWITCH"};
  const CondOp *c = (const CondOp *)op;
  sg_text_add(t, "%s handle=0x%llx bodies=%u", names[c->kind], (unsigned long long)c->condition->handle,
              c->count);
}

static const SgNodeType cond_node = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                                     .update = cond_update,
                                     .context = cond_context,
                                     .describe = cond_describe};
static const SgOpType cond_type = {.name = "conditional", .drop = cond_drop, .node = &cond_node};

static const CondOp *cond_of(const SgOp *op) { return op->type == &cond_type ? (const CondOp *)op : NULL; }

SgGraph *const *sg_cond_bodies(const SgOp *op, uint32_t *count) {
  const CondOp *c = cond_of(op);
  *count = c ? c->count : 0;
  return c ? c->body : NULL;
}

bool sg_graph_has_cond(const SgGraph *g) {
  for (uint32_t i = 0; i < g->nodes.count; i++)
    if (cond_of(g->nodes.item[i]->op)) return true;
  return false;
}

bool sg_cond_allows(const SgOp *op) {
  switch (sg_op_node_type(op)) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_GRAPH:
  case CU_GRAPH_NODE_TYPE_MEMSET:
  case CU_GRAPH_NODE_TYPE_MEMCPY:
  case CU_GRAPH_NODE_TYPE_CONDITIONAL: return true;
  default: return false;
  }
}

void sg_cond_end(SgOp *op) {
  CondOp *c = (CondOp *)cond_of(op);
  if (!c) return;
  for (uint32_t i = 0; c->body && i < c->count; i++)
    if (c->body[i]) sg_graph_free(c->body[i]);
  free(c->body);
  free(c->handles);
  c->body = NULL;
  c->handles = NULL;
}

static bool size_allowed(const CUDA_CONDITIONAL_NODE_PARAMS *p) {
  switch (p->type) {
  case CU_GRAPH_COND_TYPE_IF: return p->size == 1 || p->size == 2;
  case CU_GRAPH_COND_TYPE_WHILE: return p->size == 1;
  case CU_GRAPH_COND_TYPE_SWITCH: return p->size >= 1 && p->size <= 1u << 20;
  default: return false;
  }
}

/* Made for the graph of the node, or for one that has it in a body. */
static bool made_for(const SgCondition *c, const SgGraph *g) {
  for (; g; g = g->around)
    if (c->graph == g) return true;
  return false;
}

static CUresult make_bodies(CondOp *c, SgGraph *around) {
  c->body = calloc(c->count, sizeof(SgGraph *));
  c->handles = calloc(c->count, sizeof *c->handles);
  if (!c->body || !c->handles) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < c->count; i++) {
    c->body[i] = sg_graph_new();
    if (!c->body[i]) return CUDA_ERROR_OUT_OF_MEMORY;
    c->body[i]->of_node = true;
    c->body[i]->around = around;
    c->handles[i] = c->body[i]->o.handle;
  }
  return CUDA_SUCCESS;
}

CUresult sg_cond_op(SgGraph *g, CUDA_CONDITIONAL_NODE_PARAMS *p, SgOp **out) {
  SgCondition *condition = condition_of(p->handle);
  const SgContext *ctx;
  if (!size_allowed(p) || !condition || !made_for(condition, g)) return CUDA_ERROR_INVALID_VALUE;
  if (condition->used) {
    sg_say(CU_LOG_LEVEL_ERROR, "The conditional handle is that of another node");
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUresult r = context_for(p->ctx, &ctx);
  if (r) return r;
  if (ctx->o.id != condition->ctx) return CUDA_ERROR_INVALID_VALUE;
  CondOp *c = calloc(1, sizeof *c);
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  *c = (CondOp){.op = {.type = &cond_type}, .condition = condition, .kind = p->type, .count = p->size};
  condition->refs++;
  r = make_bodies(c, g);
  if (r) {
    sg_op_discard(&c->op);
    return r;
  }
  condition->used = true;
  p->phGraph_out = c->handles;
  *out = &c->op;
  return CUDA_SUCCESS;
}

/* --- in an executable graph --- */

bool sg_cond_claim(const SgOp *op, uint64_t exec) {
  const CondOp *c = cond_of(op);
  if (!c) return true;
  if (c->condition->exec && c->condition->exec != exec) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "A graph that contains conditional nodes can have one executable graph at a time");
    return false;
  }
  c->condition->exec = exec;
  return true;
}

void sg_cond_release(const SgOp *op, uint64_t exec) {
  const CondOp *c = cond_of(op);
  if (c && c->condition->exec == exec) c->condition->exec = 0;
}

void sg_cond_begin(const SgOp *op) {
  const CondOp *c = cond_of(op);
  if (c && c->condition->has_start) c->condition->value = c->condition->start;
}

/* `again`: the body has run, for the first time or more often. */
uint32_t sg_cond_body(const SgOp *op, bool again) {
  const CondOp *c = cond_of(op);
  const unsigned v = c->condition->value;
  switch (c->kind) {
  case CU_GRAPH_COND_TYPE_IF: return again ? SG_NO_BODY : v ? 0 : c->count > 1 ? 1 : SG_NO_BODY;
  case CU_GRAPH_COND_TYPE_WHILE: return v ? 0 : SG_NO_BODY;
  default: return again || v >= c->count ? SG_NO_BODY : v;
  }
}

const char *sg_condition_set(uint64_t handle, uint32_t value) {
  SgCondition *c = condition_of(handle);
  if (!c) return "it is not a conditional handle, or the graph that it was made for is gone";
  if (!c->used) return "no conditional node has the handle";
  if (!sg_cond_exec) return "the kernel was not launched by a graph";
  if (c->exec != sg_cond_exec) return "the handle belongs to another graph than the kernel";
  c->value = value;
  return NULL;
}
