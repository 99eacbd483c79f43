/* Which functions a kernel can reach, which of its calls are expanded in place, and which functions become
 * routines: code that is really called. Routines are those that call themselves over others, those that a
 * pointer may lead to, and those that would make the kernel too large if each call had its copy. */
#include "decode/decode.h"

#include "decode/builtin.h"
#include "decode/image_form.h"

#include <string.h>

enum { MAX_EXPANDED = 60 }; /* calls expanded in each other */
static const uint64_t limits[] = {UINT64_MAX, 256, 32};
static const uint64_t total_limit = 1 << 16; /* instructions of a kernel that may be expanded freely */

typedef struct Node {
  const PtxFunc *f;
  uint32_t first, nedges; /* in Graph.edge */
  uint32_t index, low;    /* of Tarjan's algorithm; 0: not visited */
  uint32_t next;          /* edge to follow next */
  uint32_t component;
  bool on_stack, cyclic, indirect, leaf, pointed, in_place, routine;
  uint32_t depth;
  uint64_t size;
} Node;

typedef struct Graph {
  Decoder *d;
  Node *node;
  uint32_t *edge;
  uint32_t n, room, nedges, edge_room;
  uint32_t *number; /* of a node, plus 1, by function of the module */
  uint32_t *order;  /* nodes, those called before those that call */
  uint32_t *stack;
  uint32_t ncomponents;
  uint32_t anything; /* a node without a function: calls through pointers lead to it, and it to all they may
                        reach */
} Graph;

static uint32_t node_of(Graph *g, const PtxFunc *f) {
  uint32_t *number = &g->number[dec_function_number(f->sym)];
  if (*number) return *number - 1;
  g->node[g->n] = (Node){.f = f};
  *number = g->n + 1;
  return g->n++;
}

static void edge(Graph *g, uint32_t to) {
  if (g->nedges == g->edge_room) {
    const uint32_t room = g->edge_room * 2;
    uint32_t *more = dec_alloc(g->d, room * sizeof *more);
    memcpy(more, g->edge, g->nedges * sizeof *more);
    g->edge = more;
    g->edge_room = room;
  }
  g->edge[g->nedges++] = to;
}

static void pointed(Graph *g) {
  const PtxModule *px = g->d->px;
  for (uint32_t k = 0; k < px->nfuncs; k++) {
    const PtxFunc *to = px->funcs[k];
    if (!to->has_body || to->entry || !dec_function_taken(to->sym)) continue;
    const uint32_t n = node_of(g, to);
    g->node[n].pointed = true;
    edge(g, n);
  }
}

static void edges_of(Graph *g, uint32_t i) {
  const PtxFunc *f = g->node[i].f;
  g->node[i].first = g->nedges;
  g->node[i].leaf = true;
  if (!f) pointed(g);
  for (uint32_t k = 0; f && k < f->ninst; k++) {
    const PtxCall *c = f->inst[k].call;
    if (!c || !c->target.sym) continue;
    if (c->target.sym->kind != PTX_SYM_FUNC)
      g->node[i].indirect = true;
    else if (c->target.sym->def && c->target.sym->def->has_body && !c->target.sym->def->entry)
      edge(g, node_of(g, c->target.sym->def));
    else
      g->node[i].leaf = false;
  }
  if (g->node[i].indirect) {
    if (g->anything == NO_ROW) g->node[g->anything = g->n++] = (Node){0};
    edge(g, g->anything);
  }
  g->node[i].nedges = g->nedges - g->node[i].first;
}

/* Nodes that f reaches, in components of those that reach each other; without recursion, for the graph may be
 * as deep as the module has functions. */
static void components(Graph *g) {
  uint32_t *path = dec_alloc(g->d, g->room * sizeof *path), depth = 0, counter = 0, nstack = 0, norder = 0;
  path[depth++] = 0;
  while (depth) {
    const uint32_t i = path[depth - 1];
    Node *v = &g->node[i];
    if (!v->index) {
      v->index = v->low = ++counter;
      v->on_stack = true;
      g->stack[nstack++] = i;
      edges_of(g, i);
    }
    if (v->next < v->nedges) {
      const uint32_t to = g->edge[v->first + v->next++];
      Node *w = &g->node[to];
      if (to == i) v->cyclic = true;
      if (!w->index)
        path[depth++] = to;
      else if (w->on_stack && w->index < v->low)
        v->low = w->index;
      continue;
    }
    if (--depth && v->low < g->node[path[depth - 1]].low) g->node[path[depth - 1]].low = v->low;
    if (v->low != v->index) continue;
    const bool several = g->stack[nstack - 1] != i;
    for (uint32_t member = UINT32_MAX; member != i;) {
      member = g->stack[--nstack];
      g->node[member].on_stack = false;
      g->node[member].component = g->ncomponents;
      g->node[member].cyclic |= several;
      g->order[norder++] = member;
    }
    g->ncomponents++;
  }
}

static bool takes_registers(const PtxFunc *f) {
  for (uint32_t i = 0; i < f->nparams; i++)
    if (f->params[i]->kind == PTX_SYM_REG) return true;
  for (uint32_t i = 0; i < f->nrets; i++)
    if (f->rets[i]->kind == PTX_SYM_REG) return true;
  return false;
}

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* Which calls are expanded, where functions of more than `limit` instructions are not. Returns the size of
 * all. */
static uint64_t decide(Graph *g, uint64_t limit) {
  uint64_t total = 0;
  for (uint32_t k = 0; k < g->n; k++) {
    Node *v = &g->node[g->order[k]];
    v->depth = 0;
    v->routine = v->pointed;
    if (!v->f) continue;
    v->size = v->f->ninst;
    for (uint32_t e = 0; e < v->nedges; e++) {
      const Node *w = &g->node[g->edge[v->first + e]];
      v->size = sum(v->size, w->in_place ? w->size : 8);
      if (w->in_place && w->depth >= v->depth) v->depth = w->depth + 1;
    }
    v->in_place =
        !v->cyclic && !v->f->entry && v->depth < MAX_EXPANDED && (v->size <= limit || takes_registers(v->f));
  }
  for (uint32_t k = 0; k < g->n; k++) {
    const Node *v = &g->node[g->order[k]];
    for (uint32_t e = 0; v->f && e < v->nedges; e++) {
      Node *w = &g->node[g->edge[v->first + e]];
      if (w->f && !w->in_place) w->routine = true;
    }
  }
  for (uint32_t k = 0; k < g->n; k++) {
    Node *v = &g->node[g->order[k]];
    if (!v->f) continue;
    if (v->routine || v->f->entry) total = sum(total, v->size);
    v->leaf = v->leaf && !v->indirect;
    for (uint32_t e = 0; v->leaf && e < v->nedges; e++) {
      const Node *w = &g->node[g->edge[v->first + e]];
      v->leaf = w->in_place && w->leaf;
    }
  }
  return total;
}

static void area(const PtxFunc *f, uint32_t *args, uint32_t *rets) {
  const uint32_t a = dec_layout(f->params, f->nparams, NULL), r = dec_layout(f->rets, f->nrets, NULL);
  if (a > *args) *args = a;
  if (r > *rets) *rets = r;
}

/* The areas that arguments and results of real calls pass through. */
static void transfer_areas(Decoder *d, const PtxFunc *f, uint32_t *args, uint32_t *rets) {
  for (uint32_t i = 0; i < f->ninst; i++) {
    const PtxCall *c = f->inst[i].call;
    const PtxFunc *type = c ? dec_call_type(c) : NULL;
    if (!type || (type->sym->kind == PTX_SYM_FUNC && d->in_place[dec_function_number(type->sym)])) continue;
    area(type, args, rets);
    uint32_t number;
    const SgBuiltin *b = type->has_body ? NULL : sg_builtin_find(type->sym->name, &number);
    if (b && b->result_bytes > *rets) *rets = b->result_bytes; /* it has a result, declared or not */
  }
}

static bool uses_images(const Decoder *d) {
  for (uint32_t i = 0; i < d->nreached; i++)
    for (uint32_t k = 0; k < d->reached[i]->ninst; k++)
      if (dec_is_image(&d->reached[i]->inst[k])) return true;
  return false;
}

void dec_plan_calls(Decoder *d, const PtxFunc *entry) {
  const uint32_t room = d->px->nfuncs + 2;
  Graph g = {.d = d, .room = room, .anything = NO_ROW, .edge_room = 256};
  g.edge = dec_alloc(d, g.edge_room * sizeof *g.edge);
  g.node = dec_alloc(d, room * sizeof *g.node);
  g.number = dec_alloc(d, room * sizeof *g.number);
  g.order = dec_alloc(d, room * sizeof *g.order);
  g.stack = dec_alloc(d, room * sizeof *g.stack);
  node_of(&g, entry);
  components(&g);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (decide(&g, limits[i]) <= total_limit) break;

  d->reached = dec_alloc(d, g.n * sizeof *d->reached);
  d->routine_of = dec_alloc(d, room * sizeof *d->routine_of);
  d->in_place = dec_alloc(d, room);
  d->routines = dec_alloc(d, (g.n + 1) * sizeof *d->routines);
  uint32_t args = 0, rets = 0;
  for (uint32_t i = 0; i < g.n; i++)
    if (g.node[i].f) d->reached[d->nreached++] = g.node[i].f; /* the entry first */
  d->ncomponents = g.ncomponents;
  d->pointer_component = g.anything == NO_ROW ? NO_ROW : g.node[g.anything].component;
  for (uint32_t k = 0; k < g.n; k++) {
    const Node *v = &g.node[g.order[k]];
    if (!v->f) continue;
    const uint32_t number = dec_function_number(v->f->sym);
    d->in_place[number] = v->in_place;
    d->routine_of[number] = NO_ROW;
    if (!v->routine) continue;
    if (takes_registers(v->f)) {
      d->code = SG_NOT_SUPPORTED;
      dec_fail(d,
               "function %s: parameters in registers are not supported if a function calls itself or is "
               "called through a pointer",
               v->f->name);
    }
    d->stacks |= v->cyclic;
    d->routine_of[number] = d->nroutines;
    d->routines[d->nroutines++] = (Routine){
        .f = v->f, .cyclic = v->cyclic, .leaf = v->leaf, .pointed = v->pointed, .component = v->component};
    area(v->f, &args, &rets);
  }
  for (uint32_t i = 0; i < d->nreached; i++) transfer_areas(d, d->reached[i], &args, &rets);
  d->arg_area = dec_local_room(d, args, 16);
  d->ret_area = dec_local_room(d, rets, 16);
  if (uses_images(d)) d->image_area = dec_local_room(d, sizeof(SgImageArgs), 8);
  bool takes = false;
  for (uint32_t i = 0; i < d->nreached; i++) takes |= dec_takes_stack(d->reached[i]);
  d->taken = takes ? dec_temp(d, 8) : NO_ROW;
  d->sp = d->nroutines ? dec_temp(d, 8) : NO_ROW;
  d->link = d->nroutines ? dec_temp(d, 4) : NO_ROW;
}
