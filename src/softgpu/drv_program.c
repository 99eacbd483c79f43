/* Programs: graphs made ready to run, and graphs as nodes of other graphs. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

void sg_program_unref(SgProgram *p) {
  if (!p || --p->refs) return;
  while (p->count) sg_op_free(p->step[--p->count].op);
  free(p->step);
  free(p->after);
  free(p);
}

static SgProgram *program_new(void) {
  SgProgram *p = calloc(1, sizeof *p);
  if (p) p->refs = 1;
  return p;
}

/* Room for n more in an array; false: no memory. */
static bool grow(void **array, uint32_t *room, uint32_t used, uint32_t n, size_t size) {
  if (*room - used >= n) return true;
  uint32_t want = (used + n) * 2;
  void *bigger = realloc(*array, want * size);
  if (!bigger) return false;
  *array = bigger;
  *room = want;
  return true;
}

/* A step after those in `from`, which are offset by `base`. */
static bool add_step(SgProgram *p, SgOp *op, const SgNode *n, const uint32_t *from, uint32_t deps,
                     uint32_t base) {
  void *steps = p->step, *after = p->after;
  bool good = grow(&steps, &p->room, p->count, 1, sizeof *p->step);
  p->step = steps;
  good = good && grow(&after, &p->edge_room, p->edges, deps, sizeof *p->after);
  p->after = after;
  if (!good) return false;
  for (uint32_t i = 0; i < deps; i++) p->after[p->edges + i] = from[i] + base;
  p->step[p->count++] = (SgStep){sg_op_share(op), n->o.handle, n->o.id, p->edges, deps};
  p->edges += deps;
  return true;
}

/* --- graphs as nodes of other graphs --- */

typedef struct ChildOp {
  SgOp op;
  SgProgram *program;
} ChildOp;

/* In a program it only stands for the end of its steps. */
static uint64_t child_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)op;
  (void)s;
  (void)code;
  return 0;
}

static void child_drop(SgOp *op) { sg_program_unref(((ChildOp *)op)->program); }

static const SgNodeType child_node = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
static const SgOpType child_type = {
    .name = "graph launch", .run = child_run, .drop = child_drop, .node = &child_node};

SgOp *sg_program_op(SgProgram *p) {
  ChildOp *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->op.type = &child_type;
  c->program = p;
  p->refs++;
  return &c->op;
}

uint32_t sg_program_sinks(const SgProgram *p, uint32_t *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->count; i++) out[i] = 0;
  for (uint32_t i = 0; i < p->edges; i++) out[p->after[i]]++; /* first, how many come after each step */
  for (uint32_t i = 0; i < p->count; i++)
    if (!out[i]) out[n++] = i;
  return n;
}

/* A child's steps: its first ones come after what the node comes after, the node after its last ones. */
static bool add_child(SgProgram *p, const SgNode *n, const uint32_t *from, uint32_t deps) {
  const SgProgram *c = ((const ChildOp *)n->op)->program;
  uint32_t base = p->count;
  for (uint32_t i = 0; i < c->count; i++) {
    const SgStep *s = &c->step[i];
    bool good = s->deps ? add_step(p, s->op, n, c->after + s->first, s->deps, base)
                        : add_step(p, s->op, n, from, deps, 0);
    if (!good) return false;
    p->step[p->count - 1].node_id = 0;
  }
  if (!c->count) return add_step(p, n->op, n, from, deps, 0);
  uint32_t *last = calloc(c->count, sizeof *last);
  bool good = last && add_step(p, n->op, n, last, sg_program_sinks(c, last), base);
  free(last);
  return good;
}

static bool add_nodes(SgProgram *p, const SgGraph *g, uint32_t *step_of, uint32_t *from) {
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    const SgNode *n = g->nodes.item[i];
    uint32_t deps = n->after.count;
    for (uint32_t k = 0; k < deps; k++) from[k] = step_of[n->after.item[k]->index];
    bool child = n->op->type == &child_type;
    if (!(child ? add_child(p, n, from, deps) : add_step(p, n->op, n, from, deps, 0))) return false;
    step_of[i] = p->count - 1;
  }
  return true;
}

SgProgram *sg_program_compile(const SgGraph *g) {
  SgProgram *p = program_new();
  uint32_t *scratch = calloc(2 * (size_t)g->nodes.count + 1, sizeof *scratch);
  bool good = p && scratch && add_nodes(p, g, scratch, scratch + g->nodes.count);
  free(scratch);
  if (good) return p;
  sg_program_unref(p);
  return NULL;
}

static SgProgram *program_copy(const SgProgram *p) {
  SgProgram *c = program_new();
  if (!c) return NULL;
  c->step = malloc((p->count + 1) * sizeof *c->step);
  c->after = malloc((p->edges + 1) * sizeof *c->after);
  if (!c->step || !c->after) {
    sg_program_unref(c);
    return NULL;
  }
  if (p->edges) memcpy(c->after, p->after, p->edges * sizeof *c->after);
  c->edges = c->edge_room = p->edges;
  for (; c->count < p->count; c->count++) {
    c->step[c->count] = p->step[c->count];
    sg_op_share(c->step[c->count].op);
  }
  c->room = c->count;
  return c;
}

bool sg_exec_own_program(SgExec *e) {
  if (e->program->refs == 1) return true;
  SgProgram *c = program_copy(e->program);
  if (!c) return false;
  sg_program_unref(e->program);
  e->program = c;
  return true;
}

CUresult sg_program_check(const SgProgram *p) {
  for (uint32_t i = 0; i < p->count; i++) {
    const SgOp *op = p->step[i].op;
    CUresult r = op->type->node->check ? op->type->node->check(op) : CUDA_SUCCESS;
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

CUgraphNodeType sg_step_type(const SgStep *s) { return s->op->type->node->type; }
