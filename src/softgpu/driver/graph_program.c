/* Programs: graphs made ready to run. */
#include "driver/graph_program.h"

#include <stdlib.h>
#include <string.h>

void sg_program_unref(SgProgram *p) {
  if (!p || --p->refs) return;
  while (p->count) {
    SgStep *s = &p->step[--p->count];
    for (uint32_t i = 0; i < s->bodies; i++) sg_program_unref(s->body[i]);
    free(s->body);
    sg_op_free(s->op);
  }
  free(p->step);
  free(p->after);
  sg_user_refs_clear(&p->users);
  free(p);
}

SgProgram *sg_program_new(void) {
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
  p->step[p->count++] =
      (SgStep){.op = sg_op_share(n->op), .node = n->o.handle, .node_id = n->o.id, .first = p->edges};
  return true;
}

/* The latest step comes after another one. */
static void add_edge(SgProgram *p, uint32_t before) {
  p->after[p->edges++] = before;
  p->step[p->count - 1].deps++;
}

/* Where a graph's steps go. `inside`: into the program of a body. */
typedef struct Compiling {
  SgProgram *p;
  bool inside;
} Compiling;

static CUresult add_graph(const Compiling *c, const SgGraph *g, uint32_t begin);
static CUresult compile(const SgGraph *g, bool inside, SgProgram **out);

/* The latest step is that of a conditional node. */
static CUresult add_bodies(const Compiling *c, const SgNode *n) {
  uint32_t count;
  SgGraph *const *body = sg_cond_bodies(n->op, &count);
  SgStep *s = &c->p->step[c->p->count - 1];
  if (!count) return CUDA_SUCCESS;
  s->body = calloc(count, sizeof(SgProgram *));
  if (!s->body) return CUDA_ERROR_OUT_OF_MEMORY;
  for (s->bodies = 0; s->bodies < count; s->bodies++) {
    CUresult r = compile(body[s->bodies], true, &s->body[s->bodies]);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

/* *last is the step after which all of n is done. What n itself comes after stands in `last_of`, by its
 * graph's nodes; a node without such comes after the step `begin`, if there is one. */
static CUresult add_node(const Compiling *c, const SgNode *n, const uint32_t *last_of, uint32_t begin,
                         uint32_t *last) {
  SgProgram *p = c->p;
  uint32_t deps = n->after.count;
  *last = p->count;
  if (c->inside && !sg_cond_allows(n->op)) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "The body of a conditional node may hold kernel, empty, memcpy, memset, child graph "
           "and conditional nodes only");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!add_step(p, n, deps + 1)) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < deps; i++) add_edge(p, last_of[n->after.item[i]->index]);
  if (!deps && begin != SG_NO_STEP) add_edge(p, begin);
  const SgGraph *child = sg_child_of(n->op);
  if (!child) return add_bodies(c, n);
  CUresult r = add_graph(c, child, *last);
  if (r) return r;
  uint32_t end = p->count, first = *last;
  if (!add_step(p, n, end - first)) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = first; i < end; i++) add_edge(p, i);
  *last = end;
  return CUDA_SUCCESS;
}

static CUresult add_graph(const Compiling *c, const SgGraph *g, uint32_t begin) {
  const uint32_t n = g->nodes.count;
  uint32_t *last_of = malloc(((size_t)n * 2 + 1) * sizeof *last_of), *order = last_of + n;
  bool good = last_of != NULL && sg_user_refs_add_all(&c->p->users, &g->users);
  CUresult r = good ? sg_graph_order(g, order) : CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; !r && i < n; i++)
    r = add_node(c, g->nodes.item[order[i]], last_of, begin, &last_of[order[i]]);
  free(last_of);
  return r;
}

uint32_t sg_program_sinks(const SgProgram *p, uint32_t *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->count; i++) out[i] = 0;
  for (uint32_t i = 0; i < p->edges; i++) out[p->after[i]]++; /* first, how many come after each step */
  for (uint32_t i = 0; i < p->count; i++)
    if (!out[i]) out[n++] = i;
  return n;
}

static CUresult compile(const SgGraph *g, bool inside, SgProgram **out) {
  const Compiling c = {sg_program_new(), inside};
  CUresult r = c.p ? add_graph(&c, g, SG_NO_STEP) : CUDA_ERROR_OUT_OF_MEMORY;
  if (r)
    sg_program_unref(c.p);
  else
    *out = c.p;
  return r;
}

CUresult sg_program_compile(const SgGraph *g, SgProgram **out) { return compile(g, false, out); }

/* Shares its bodies with the other one. */
static bool copy_bodies(SgStep *to, const SgStep *from) {
  if (!from->bodies) return true;
  to->body = malloc(from->bodies * sizeof(SgProgram *));
  if (!to->body) return false;
  for (to->bodies = 0; to->bodies < from->bodies; to->bodies++) {
    to->body[to->bodies] = from->body[to->bodies];
    to->body[to->bodies]->refs++;
  }
  return true;
}

static SgProgram *program_copy(const SgProgram *p) {
  SgProgram *c = sg_program_new();
  if (!c) return NULL;
  c->step = malloc((p->count + 1) * sizeof *c->step);
  c->after = malloc((p->edges + 1) * sizeof *c->after);
  if (!c->step || !c->after || !sg_user_refs_add_all(&c->users, &p->users)) {
    sg_program_unref(c);
    return NULL;
  }
  if (p->edges) memcpy(c->after, p->after, p->edges * sizeof *c->after);
  c->edges = c->edge_room = p->edges;
  c->room = p->count;
  while (c->count < p->count) {
    SgStep *to = &c->step[c->count];
    const SgStep *from = &p->step[c->count++];
    *to = *from;
    to->bodies = 0;
    to->body = NULL;
    sg_op_share(to->op);
    if (copy_bodies(to, from)) continue;
    sg_program_unref(c);
    return NULL;
  }
  return c;
}

bool sg_program_own(SgProgram **p) {
  if ((*p)->refs > 1) {
    SgProgram *c = program_copy(*p);
    if (!c) return false;
    sg_program_unref(*p);
    *p = c;
  }
  for (uint32_t i = 0; i < (*p)->count; i++)
    for (uint32_t k = 0; k < (*p)->step[i].bodies; k++)
      if (!sg_program_own(&(*p)->step[i].body[k])) return false;
  return true;
}

bool sg_program_each(const SgProgram *p, bool (*f)(const SgStep *, void *), void *arg) {
  for (uint32_t i = 0; i < p->count; i++) {
    const SgStep *s = &p->step[i];
    if (!f(s, arg)) return false;
    for (uint32_t k = 0; k < s->bodies; k++)
      if (!sg_program_each(s->body[k], f, arg)) return false;
  }
  return true;
}

static bool step_check(const SgStep *s, void *code) {
  CUresult *r = code;
  if (s->op->type->node->check) *r = s->op->type->node->check(s->op);
  return *r == CUDA_SUCCESS;
}

CUresult sg_program_check(const SgProgram *p) {
  CUresult r = CUDA_SUCCESS;
  (void)sg_program_each(p, step_check, &r);
  return r;
}

CUgraphNodeType sg_step_type(const SgStep *s) { return sg_op_node_type(s->op); }
