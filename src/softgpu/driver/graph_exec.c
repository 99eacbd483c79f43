/* Executable graphs: instantiating and launching. A launch is one operation of its stream; the engine runs
 * one step of the program at a time. */
#include "driver/graph_program.h"

#include <stdio.h>
#include <stdlib.h>

/* --- executable graphs --- */

/* The driver answers "invalid value" for handles that are dead, and crashes for those whose context was
 * destroyed (an H200's, 580): here they are refused with 709. */
SgExec *sg_exec_get(CUgraphExec h, CUresult *code) {
  SgExec *e = sg_handle_get(SG_H_EXEC, h, code);
  if (!e && *code != CUDA_ERROR_CONTEXT_IS_DESTROYED) *code = CUDA_ERROR_INVALID_VALUE;
  return e;
}

static bool release(const SgStep *s, void *exec) {
  sg_cond_release(s->op, *(const uint64_t *)exec);
  return true;
}

static void exec_free(SgExec *e, bool orphan) {
  (void)sg_program_each(e->program, release, &e->o.id);
  sg_handle_free(&e->o, orphan);
  sg_program_unref(e->program);
  sg_mark_drop(e->last);
  free(e);
}

static bool claim(const SgStep *s, void *exec) { return sg_cond_claim(s->op, *(const uint64_t *)exec); }

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
  if (g->around || sg_conditions_unused(g)) {
    sg_say(CU_LOG_LEVEL_ERROR, g->around
                                   ? "The body of a conditional node is instantiated with the graph around it"
                                   : "A conditional handle of the graph belongs to no conditional node");
    return CUDA_ERROR_INVALID_VALUE;
  }
  SgProgram *p;
  code = sg_program_compile(g, &p);
  if (code) return code;
  code = sg_program_check(p);
  SgExec *e = code ? NULL : calloc(1, sizeof *e);
  if (!e || !sg_handle_new(SG_H_EXEC, &e->o, NULL)) {
    free(e);
    sg_program_unref(p);
    return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
  }
  e->program = p;
  e->flags = flags & ~(cuuint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  if (!sg_program_each(p, claim, &e->o.id)) {
    exec_free(e, false);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
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
  const SgGraph *g = sg_graph_get(h, &code);
  code = instantiate(out, h, p->flags);
  if (!code) p->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  if (code && g && sg_conditions_unused(g)) p->result_out = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
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

static bool elsewhere(const SgStep *s, void *arg) {
  const SgContext *ctx = arg;
  const SgNodeType *node = s->op->type->node;
  return !node->context || node->context(s->op) != ctx->o.id;
}

static void orphan_exec(SgObject *o, void *arg) {
  SgExec *e = (SgExec *)o;
  if (!sg_program_each(e->program, elsewhere, arg)) exec_free(e, true);
}

void sg_execs_orphan(SgContext *ctx) { sg_handles_each(SG_H_EXEC, NULL, orphan_exec, ctx); }

void sg_graphs_reset(void) {
  sg_handles_each(SG_H_EXEC, NULL, reset_exec, NULL);
  sg_handles_each(SG_H_GRAPH, NULL, reset_graph, NULL);
}

/* --- launching --- */

#define NOT_RUN UINT64_MAX

/* One time that a program is run: the graph's, and inside of it that of a conditional node's body, which runs
 * to its end before another step of the programs around it does. */
typedef struct Run {
  struct Run *around; /* NULL: it is the graph's */
  uint32_t at;        /* the conditional node's step in there */
  SgProgram *program;
  uint32_t left, next;    /* steps not run, and the first of them */
  uint64_t begin, finish; /* virtual time */
  uint64_t end[];         /* of each step, or NOT_RUN */
} Run;

typedef struct GraphOp {
  SgOp op;
  SgProgram *program;
  SgMark *before, *finished; /* the end of the launch before, and of this one */
  SgMark **mark;             /* of event nodes, by step; bodies have none */
  Run *run;                  /* the innermost one */
  uint64_t exec;             /* id of the executable graph */
  uint64_t loops, since;     /* how often bodies ran again, and since when (monotonic ns) */
  uint64_t finish;
  bool started;
} GraphOp;

static Run *run_new(SgProgram *p) {
  Run *r = calloc(1, sizeof *r + p->count * sizeof *r->end);
  if (!r) return NULL;
  r->program = p;
  r->left = p->count;
  for (uint32_t i = 0; i < p->count; i++) r->end[i] = NOT_RUN;
  return r;
}

static bool is_ready(const Run *r, uint32_t i) {
  const SgStep *s = &r->program->step[i];
  if (r->end[i] != NOT_RUN) return false;
  for (uint32_t k = 0; k < s->deps; k++)
    if (r->end[r->program->after[s->first + k]] == NOT_RUN) return false;
  return true;
}

static SgMark *held_by(const GraphOp *g, uint32_t i) {
  const SgStep *s = &g->run->program->step[i];
  SgMark *m = sg_step_type(s) == CU_GRAPH_NODE_TYPE_WAIT_EVENT ? g->mark[i] : NULL;
  return m && !m->done ? m : NULL;
}

/* The step to run next: the first that may, in random mode any. Where all of them wait for an event, *held is
 * its mark. */
static uint32_t choose(const GraphOp *g, SgMark **held) {
  const Run *r = g->run;
  uint32_t pick = r->next;
  uint64_t found = 0;
  *held = NULL;
  for (uint32_t i = r->next; i < r->program->count; i++) {
    if (!is_ready(r, i)) continue;
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
  if (g->run->left) choose(g, &held);
  return held;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t step_begin(const GraphOp *g, uint32_t i) {
  const Run *r = g->run;
  const SgStep *s = &r->program->step[i];
  uint64_t t = r->begin;
  for (uint32_t k = 0; k < s->deps; k++) t = later(t, r->end[r->program->after[s->first + k]]);
  bool waits = sg_step_type(s) == CU_GRAPH_NODE_TYPE_WAIT_EVENT && g->mark[i] && !sg_config.real_time;
  return waits ? later(t, g->mark[i]->ns) : t;
}

static void step_done(Run *r, uint32_t i, uint64_t end) {
  r->end[i] = end;
  r->finish = later(r->finish, end);
  r->left--;
  while (r->next < r->program->count && r->end[r->next] != NOT_RUN) r->next++;
}

/* A body begins inside of step i. */
static void enter(GraphOp *g, uint32_t i, uint32_t body, uint64_t begin, CUresult *code) {
  Run *inner = run_new(g->run->program->step[i].body[body]);
  if (!inner) {
    *code = CUDA_ERROR_OUT_OF_MEMORY;
    return;
  }
  inner->around = g->run;
  inner->at = i;
  inner->begin = inner->finish = begin;
  g->run = inner;
}

static uint64_t run_step(GraphOp *g, uint32_t i, SgStream *s, CUresult *code) {
  const SgStep *step = &g->run->program->step[i];
  if (step->disabled) return 0;
  sg_log_run(s, g->op.seq, step->op->type->name, (int)i);
  sg_cond_exec = g->exec;
  const uint64_t ns = sg_op_run(step->op, s, code);
  sg_cond_exec = 0;
  return ns;
}

static void next_step(GraphOp *g, SgStream *s, CUresult *code) {
  SgMark *held;
  const uint32_t i = choose(g, &held);
  const SgStep *step = &g->run->program->step[i];
  const uint64_t begin = step_begin(g, i);
  if (sg_step_type(step) == CU_GRAPH_NODE_TYPE_EVENT_RECORD) sg_mark_set(g->mark[i], begin);
  Run *r = g->run;
  const uint64_t end = begin + run_step(g, i, s, code);
  const uint32_t body = step->bodies && !*code ? sg_cond_body(step->op, false) : SG_NO_BODY;
  if (body == SG_NO_BODY)
    step_done(r, i, end);
  else
    enter(g, i, body, end, code);
}

/* A loop ends early if the program stops what it waits for, or when kernels would be out of time. */
static bool gives_up(GraphOp *g, const SgStream *s, CUresult *code) {
  const int device = s->o.ctx->device;
  char text[160];
  if (!g->loops++) g->since = sg_nanoseconds();
  if (g->op.interruptible && g->op.seq <= sg_state.device[device].drop_until) return true;
  if (g->op.interruptible && sg_wait_is_over()) {
    snprintf(text, sizeof text, "a loop of a graph's conditional node was stopped after %llu rounds",
             (unsigned long long)g->loops);
    sg_interrupted(device, text);
    return true;
  }
  if (sg_config.timeout <= 0 || (double)(sg_nanoseconds() - g->since) < sg_config.timeout * 1e9) return false;
  snprintf(
      text, sizeof text,
      "a loop of a graph's conditional node was stopped after %g s and %llu rounds (CUDALUA_SOFT_TIMEOUT)",
      sg_config.timeout, (unsigned long long)g->loops);
  sg_report(text);
  *code = CUDA_ERROR_LAUNCH_TIMEOUT;
  return true;
}

/* A body has been run: it begins anew, or its node is done. */
static void body_done(GraphOp *g, const SgStream *s, CUresult *code) {
  Run *inner = g->run;
  const uint32_t i = inner->at;
  const uint64_t end = inner->finish;
  g->run = inner->around;
  free(inner);
  const SgStep *step = &g->run->program->step[i];
  const uint32_t body = sg_cond_body(step->op, true);
  if (body == SG_NO_BODY || gives_up(g, s, code))
    step_done(g->run, i, end);
  else
    enter(g, i, body, end, code);
}

static bool begin_condition(const SgStep *s, void *arg) {
  (void)arg;
  sg_cond_begin(s->op);
  return true;
}

static bool graph_more(const SgOp *op) {
  const GraphOp *g = (const GraphOp *)op;
  return g->run->left > 0 || g->run->around;
}

static uint64_t graph_run(SgOp *op, SgStream *s, CUresult *code) {
  GraphOp *g = (GraphOp *)op;
  if (!g->started) {
    g->run->begin = g->run->finish = s->end_ns;
    (void)sg_program_each(g->program, begin_condition, NULL);
  }
  g->started = true;
  if (g->run->left)
    next_step(g, s, code);
  else if (g->run->around)
    body_done(g, s, code);
  g->finish = g->run->finish;
  return graph_more(op) || g->finish <= s->end_ns ? 0 : g->finish - s->end_ns;
}

static void graph_drop(SgOp *op) {
  GraphOp *g = (GraphOp *)op;
  for (uint32_t i = 0; g->mark && i < g->program->count; i++) {
    SgMark *m = g->mark[i];
    if (m && sg_step_type(&g->program->step[i]) == CU_GRAPH_NODE_TYPE_EVENT_RECORD) sg_mark_set(m, m->ns);
    sg_mark_drop(m);
  }
  free(g->mark);
  for (Run *r; (r = g->run);) {
    g->run = r->around;
    free(r);
  }
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
static bool is_in_passing(const SgStep *s, void *arg) {
  (void)arg;
  return !s->op->type->node->is_waited_for || !s->op->type->node->is_waited_for(s->op);
}

static CUresult submit_launch(SgExec *e, SgStream *s) {
  static const SgOpType type = {
      .name = "graph", .run = graph_run, .drop = graph_drop, .waits = graph_waits, .more = graph_more};
  SgProgram *p = e->program;
  GraphOp *g = calloc(1, sizeof *g);
  if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
  g->op.type = &type;
  g->program = p;
  g->exec = e->o.id;
  p->refs++;
  g->run = run_new(p);
  g->finished = sg_mark_new(s);
  CUresult r = g->finished && g->run ? take_marks(g, s) : CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    sg_op_free(&g->op);
    return r;
  }
  g->before = e->last;
  e->last = g->finished;
  e->last->refs++;
  return sg_program_each(p, is_in_passing, NULL) ? sg_stream_submit(s, &g->op)
                                                 : sg_stream_submit_wait(s, &g->op);
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
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, launch(hGraphExec, hStream), "exec=0x%llx stream=0x%llx",
          SG_X(hGraphExec), SG_X(hStream));
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
