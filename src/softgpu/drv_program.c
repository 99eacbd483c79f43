/* Programs: graphs made ready to run. */
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

/* A step that comes after those that n depends on. */
static bool add_step(SgProgram *p, const SgNode *n) {
  uint32_t deps = n->after.count;
  void *steps = p->step, *after = p->after;
  bool good = grow(&steps, &p->room, p->count, 1, sizeof *p->step);
  p->step = steps;
  good = good && grow(&after, &p->edge_room, p->edges, deps, sizeof *p->after);
  p->after = after;
  if (!good) return false;
  for (uint32_t i = 0; i < deps; i++) p->after[p->edges + i] = n->after.item[i]->index;
  p->step[p->count++] = (SgStep){sg_op_share(n->op), n->o.handle, n->o.id, p->edges, deps};
  p->edges += deps;
  return true;
}

uint32_t sg_program_sinks(const SgProgram *p, uint32_t *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->count; i++) out[i] = 0;
  for (uint32_t i = 0; i < p->edges; i++) out[p->after[i]]++; /* first, how many come after each step */
  for (uint32_t i = 0; i < p->count; i++)
    if (!out[i]) out[n++] = i;
  return n;
}

SgProgram *sg_program_compile(const SgGraph *g) {
  SgProgram *p = program_new();
  bool good = p != NULL;
  for (uint32_t i = 0; good && i < g->nodes.count; i++) good = add_step(p, g->nodes.item[i]);
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
