/* Programs: graphs made ready to run. */
#include "driver/graph_program.h"

#include <stdlib.h>
#include <string.h>

void sg_program_unref(SgProgram *p) {
  if (!p || --p->refs) return;
  while (p->count) sg_op_free(p->step[--p->count].op);
  free(p->step);
  free(p->after);
  sg_user_refs_clear(&p->users);
  free(p);
}

static SgProgram *program_new(void) {
  SgProgram *p = calloc(1, sizeof *p);
  if (p) p->refs = 1;
  return p;
}

/* Room for n more in an array; false: no memory. */
static bool grow(void **array, uint32_t *room, uint32_t used, uint32_t n, size_t size) {
  if (*array && *room - used >= n) return true;
  uint32_t want = (used + n + 1) * 2;
  void *bigger = realloc(*array, want * size);
  if (!bigger) return false;
  *array = bigger;
  *room = want;
  return true;
}

/* A step for n, without what it comes after, for which there is room. */
static bool add_step(SgProgram *p, const SgNode *n, uint32_t room) {
  void *steps = p->step, *after = p->after;
  bool good = grow(&steps, &p->room, p->count, 1, sizeof *p->step);
  p->step = steps;
  good = good && grow(&after, &p->edge_room, p->edges, room, sizeof *p->after);
  p->after = after;
  if (!good) return false;
  p->step[p->count++] = (SgStep){sg_op_share(n->op), n->o.handle, n->o.id, p->edges, 0};
  return true;
}

/* The latest step comes after another one. */
static void add_edge(SgProgram *p, uint32_t before) {
  p->after[p->edges++] = before;
  p->step[p->count - 1].deps++;
}

static bool add_graph(SgProgram *p, const SgGraph *g, uint32_t begin);

/* *last is the step after which all of n is done. What n itself comes after stands in `last_of`, by its
 * graph's nodes; a node without such comes after the step `begin`, if there is one. */
static bool add_node(SgProgram *p, const SgNode *n, const uint32_t *last_of, uint32_t begin, uint32_t *last) {
  uint32_t deps = n->after.count;
  *last = p->count;
  if (!add_step(p, n, deps + 1)) return false;
  for (uint32_t i = 0; i < deps; i++) add_edge(p, last_of[n->after.item[i]->index]);
  if (!deps && begin != SG_NO_STEP) add_edge(p, begin);
  const SgGraph *child = sg_child_of(n->op);
  if (!child) return true;
  if (!add_graph(p, child, *last)) return false;
  uint32_t end = p->count, first = *last;
  if (!add_step(p, n, end - first)) return false;
  for (uint32_t i = first; i < end; i++) add_edge(p, i);
  *last = end;
  return true;
}

static bool add_graph(SgProgram *p, const SgGraph *g, uint32_t begin) {
  uint32_t *last_of = malloc((g->nodes.count + 1) * sizeof *last_of);
  bool good = last_of != NULL && sg_user_refs_add_all(&p->users, &g->users);
  for (uint32_t i = 0; good && i < g->nodes.count; i++)
    good = add_node(p, g->nodes.item[i], last_of, begin, &last_of[i]);
  free(last_of);
  return good;
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
  if (p && add_graph(p, g, SG_NO_STEP)) return p;
  sg_program_unref(p);
  return NULL;
}

static SgProgram *program_copy(const SgProgram *p) {
  SgProgram *c = program_new();
  if (!c) return NULL;
  c->step = malloc((p->count + 1) * sizeof *c->step);
  c->after = malloc((p->edges + 1) * sizeof *c->after);
  if (!c->step || !c->after || !sg_user_refs_add_all(&c->users, &p->users)) {
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
