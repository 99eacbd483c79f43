/* Executable graphs: instantiating and launching. A launch is one operation of its stream; the engine runs
 * one step of the program at a time. */
#include "driver/graph_program.h"

#include <stdlib.h>

/* --- executable graphs --- */

/* The driver answers "invalid value" for handles that are dead, and crashes for those whose context was
 * destroyed (an H200's, 580): here they are refused with 709. */
SgExec *sg_exec_get(CUgraphExec h, CUresult *code) {
  SgExec *e = sg_handle_get(SG_H_EXEC, h, code);
  if (!e && *code != CUDA_ERROR_CONTEXT_IS_DESTROYED) *code = CUDA_ERROR_INVALID_VALUE;
  return e;
}

static void exec_free(SgExec *e, bool orphan) {
  sg_handle_free(&e->o, orphan);
  sg_program_unref(e->program);
  sg_mark_drop(e->last);
  free(e);
}

static CUresult instantiate(CUgraphExec *out, CUgraph h, cuuint64_t flags) {
  CUresult code;
  cuuint64_t known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (flags == CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
    sg_say(CU_LOG_LEVEL_ERROR, "The software device cannot launch graphs from kernels");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (flags & ~known) return CUDA_ERROR_INVALID_VALUE;
  const SgGraph *g = sg_graph_get(h, &code);
  if (!g) return code;
  SgProgram *p = sg_program_compile(g);
  if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
  code = sg_program_check(p);
  SgExec *e = code ? NULL : calloc(1, sizeof *e);
  if (!e || !sg_handle_new(SG_H_EXEC, &e->o, NULL)) {
    free(e);
    sg_program_unref(p);
    return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
  }
  e->program = p;
  e->flags = flags & ~(cuuint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  *out = e->o.handle;
  return CUDA_SUCCESS;
}

/* Uploading is asked for with parameters only. */
static CUresult instantiate_plain(CUgraphExec *out, CUgraph h, cuuint64_t flags) {
  return flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD ? CUDA_ERROR_INVALID_VALUE : instantiate(out, h, flags);
}

SG_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                            unsigned long long flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, instantiate_plain(phGraphExec, hGraph, flags),
          "exec=0x%llx graph=0x%llx flags=%llu", SG_OUT(phGraphExec), SG_X(hGraph), flags);
}

static CUresult instantiate_log(CUgraphExec *out, CUgraph h, CUgraphNode *node, char *log, size_t room) {
  if (node) *node = NULL;
  if (log && room) *log = 0;
  return instantiate(out, h, 0);
}

SG_API CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                                      char *logBuffer, size_t bufferSize) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE,
          instantiate_log(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize),
          "exec=0x%llx graph=0x%llx", SG_OUT(phGraphExec), SG_X(hGraph));
}

static CUresult instantiate_params(CUgraphExec *out, CUgraph h, CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
  CUresult code = CUDA_SUCCESS;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  p->hErrNode_out = NULL;
  p->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD && !sg_stream_get(p->hUploadStream, &code)) return code;
  code = instantiate(out, h, p->flags);
  if (!code) p->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return code;
}

SG_API CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                             CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, instantiate_params(phGraphExec, hGraph, instantiateParams),
          "exec=0x%llx graph=0x%llx flags=%llu", SG_OUT(phGraphExec), SG_X(hGraph),
          instantiateParams ? (unsigned long long)instantiateParams->flags : 0ULL);
}

static CUresult exec_flags(CUgraphExec h, cuuint64_t *flags) {
  CUresult code;
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  const SgExec *e = sg_exec_get(h, &code);
  if (!e) return code;
  *flags = e->flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
  SG_CALL(SG_NEED_INIT, exec_flags(hGraphExec, flags), "exec=0x%llx flags=%llu", SG_X(hGraphExec),
          SG_OUT(flags));
}

/* A launch that is still queued keeps what it needs. */
static CUresult exec_destroy(CUgraphExec h) {
  CUresult code;
  SgExec *e = sg_exec_get(h, &code);
  if (!e) return code;
  exec_free(e, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, exec_destroy(hGraphExec), "exec=0x%llx", SG_X(hGraphExec));
}

static void reset_graph(SgObject *o, void *arg) {
  (void)arg;
  if (!((SgGraph *)o)->of_node) sg_graph_free((SgGraph *)o);
}

static void reset_exec(SgObject *o, void *arg) {
  (void)arg;
  exec_free((SgExec *)o, false);
}

static void orphan_exec(SgObject *o, void *arg) {
  SgExec *e = (SgExec *)o;
  const SgContext *ctx = arg;
  for (uint32_t i = 0; i < e->program->count; i++) {
    const SgOp *op = e->program->step[i].op;
    if (!op->type->node->context || op->type->node->context(op) != ctx->o.id) continue;
    exec_free(e, true);
    return;
  }
}

void sg_execs_orphan(SgContext *ctx) { sg_handles_each(SG_H_EXEC, NULL, orphan_exec, ctx); }

void sg_graphs_reset(void) {
  sg_handles_each(SG_H_EXEC, NULL, reset_exec, NULL);
  sg_handles_each(SG_H_GRAPH, NULL, reset_graph, NULL);
}

/* --- launching --- */

#define NOT_RUN UINT64_MAX

typedef struct GraphOp {
  SgOp op;
  SgProgram *program;
  SgMark *before, *finished; /* the end of the launch before, and of this one */
  SgMark **mark;             /* of event nodes, by step */
  uint32_t left, next;       /* steps not run, and the first of them */
  bool started;
  uint64_t begin, finish; /* virtual time */
  uint64_t end[];         /* of each step, or NOT_RUN */
} GraphOp;

static bool is_ready(const GraphOp *g, uint32_t i) {
  const SgStep *s = &g->program->step[i];
  if (g->end[i] != NOT_RUN) return false;
  for (uint32_t k = 0; k < s->deps; k++)
    if (g->end[g->program->after[s->first + k]] == NOT_RUN) return false;
  return true;
}

static SgMark *held_by(const GraphOp *g, uint32_t i) {
  SgMark *m = sg_step_type(&g->program->step[i]) == CU_GRAPH_NODE_TYPE_WAIT_EVENT ? g->mark[i] : NULL;
  return m && !m->done ? m : NULL;
}

/* The step to run next: the first that may, in random mode any. Where all of them wait for an event, *held is
 * its mark. */
static uint32_t choose(const GraphOp *g, SgMark **held) {
  uint32_t pick = g->next;
  uint64_t found = 0;
  *held = NULL;
  for (uint32_t i = g->next; i < g->program->count; i++) {
    if (!is_ready(g, i)) continue;
    SgMark *m = held_by(g, i);
    if (m) {
      *held = m;
    } else if (sg_random_below(++found) == 0) {
      pick = i;
      if (sg_config.streams != SG_RANDOM) break;
    }
  }
  if (found) *held = NULL;
  return pick;
}

static SgMark *graph_waits(const SgOp *op) {
  const GraphOp *g = (const GraphOp *)op;
  SgMark *held = NULL;
  if (g->before && !g->before->done) return g->before;
  if (g->left) choose(g, &held);
  return held;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t step_begin(const GraphOp *g, uint32_t i) {
  const SgStep *s = &g->program->step[i];
  uint64_t t = g->begin;
  for (uint32_t k = 0; k < s->deps; k++) t = later(t, g->end[g->program->after[s->first + k]]);
  bool waits = sg_step_type(s) == CU_GRAPH_NODE_TYPE_WAIT_EVENT && g->mark[i] && !sg_config.real_time;
  return waits ? later(t, g->mark[i]->ns) : t;
}

static uint64_t graph_run(SgOp *op, SgStream *s, CUresult *code) {
  GraphOp *g = (GraphOp *)op;
  SgMark *held;
  if (!g->started) g->begin = g->finish = s->end_ns;
  g->started = true;
  if (g->left) {
    uint32_t i = choose(g, &held);
    SgOp *work = g->program->step[i].op;
    uint64_t begin = step_begin(g, i);
    sg_log_run(s, op->seq, work->type->name, (int)i);
    if (sg_step_type(&g->program->step[i]) == CU_GRAPH_NODE_TYPE_EVENT_RECORD) sg_mark_set(g->mark[i], begin);
    g->end[i] = begin + sg_op_run(work, s, code);
    g->finish = later(g->finish, g->end[i]);
    g->left--;
    while (g->next < g->program->count && g->end[g->next] != NOT_RUN) g->next++;
  }
  return g->left || g->finish <= s->end_ns ? 0 : g->finish - s->end_ns;
}

static bool graph_more(const SgOp *op) { return ((const GraphOp *)op)->left > 0; }

static void graph_drop(SgOp *op) {
  GraphOp *g = (GraphOp *)op;
  for (uint32_t i = 0; g->mark && i < g->program->count; i++) {
    SgMark *m = g->mark[i];
    if (m && sg_step_type(&g->program->step[i]) == CU_GRAPH_NODE_TYPE_EVENT_RECORD) sg_mark_set(m, m->ns);
    sg_mark_drop(m);
  }
  free(g->mark);
  if (g->finished) sg_mark_set(g->finished, g->finish);
  sg_mark_drop(g->finished);
  sg_mark_drop(g->before);
  sg_program_unref(g->program);
}

static bool is_event(const SgStep *s) {
  return sg_step_type(s) == CU_GRAPH_NODE_TYPE_EVENT_RECORD ||
         sg_step_type(s) == CU_GRAPH_NODE_TYPE_WAIT_EVENT;
}

/* From now on the events of record nodes stand for this launch, as after cuEventRecord. */
static CUresult take_marks(GraphOp *g, SgStream *s) {
  const SgProgram *p = g->program;
  bool any = false;
  for (uint32_t i = 0; i < p->count; i++) any = any || is_event(&p->step[i]);
  if (!any) return CUDA_SUCCESS;
  g->mark = calloc(p->count, sizeof(SgMark *));
  if (!g->mark) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < p->count; i++) {
    if (!is_event(&p->step[i])) continue;
    CUresult r = sg_event_node_mark(p->step[i].op, s, &g->mark[i]);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

/* As alone, a copy to pageable memory is waited for (measured on an H200, driver 580). */
static bool is_waited_for(const SgProgram *p) {
  for (uint32_t i = 0; i < p->count; i++) {
    const SgOp *op = p->step[i].op;
    if (op->type->node->is_waited_for && op->type->node->is_waited_for(op)) return true;
  }
  return false;
}

static CUresult submit_launch(SgExec *e, SgStream *s) {
  static const SgOpType type = {
      .name = "graph", .run = graph_run, .drop = graph_drop, .waits = graph_waits, .more = graph_more};
  SgProgram *p = e->program;
  GraphOp *g = calloc(1, sizeof *g + p->count * sizeof *g->end);
  if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
  g->op.type = &type;
  g->program = p;
  p->refs++;
  g->left = p->count;
  for (uint32_t i = 0; i < p->count; i++) g->end[i] = NOT_RUN;
  g->finished = sg_mark_new(s);
  CUresult r = g->finished ? take_marks(g, s) : CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    sg_op_free(&g->op);
    return r;
  }
  g->before = e->last;
  e->last = g->finished;
  e->last->refs++;
  return is_waited_for(p) ? sg_stream_submit_wait(s, &g->op) : sg_stream_submit(s, &g->op);
}

static CUresult launch(CUgraphExec h, CUstream stream) {
  CUresult code;
  SgExec *e = sg_exec_get(h, &code);
  if (!e) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->branch) return sg_capture_refuse(s, "cuGraphLaunch"); /* in any mode: measured on an H200, 580 */
  code = sg_program_check(e->program);
  return code ? code : submit_launch(e, s);
}

SG_API CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, launch(hGraphExec, hStream), "exec=0x%llx stream=0x%llx", SG_X(hGraphExec),
          SG_X(hStream));
}

/* There is nowhere to upload to. */
static CUresult upload(CUgraphExec h, CUstream stream) {
  CUresult code;
  SgExec *e = sg_exec_get(h, &code);
  if (!e) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  return s->branch ? sg_capture_refuse(s, "cuGraphUpload") : sg_program_check(e->program);
}

SG_API CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, upload(hGraphExec, hStream), "exec=0x%llx stream=0x%llx", SG_X(hGraphExec),
          SG_X(hStream));
}
