/* Executable graphs, inside: what driver/graph_program.c, driver/graph_exec.c and driver/graph_update.c
 * share. A program is a list of a graph's operations in an order in which they may run, each with those that
 * it comes after. Launches share it, so it is copied before a change. */
#ifndef SOFTGPU_PROGRAM_H
#define SOFTGPU_PROGRAM_H

#include "driver/graph.h"

typedef struct SgProgram SgProgram;

typedef struct SgStep {
  SgOp *op;
  void *node;           /* handle of the node it came from, */
  uint64_t node_id;     /* and its id: handles are used again */
  uint32_t first, deps; /* after[first], ...: the steps it comes after */
  bool disabled;        /* it does nothing */
  uint32_t bodies;      /* of a conditional node */
  SgProgram **body;     /* each held once */
} SgStep;

#define SG_NO_STEP UINT32_MAX

struct SgProgram {
  unsigned refs;
  uint32_t count, room, edges, edge_room;
  SgStep *step;
  uint32_t *after;
  SgUserRefs users; /* as many as the graph and its child graphs hold */
};

typedef struct SgExec {
  SgObject o;
  SgProgram *program;
  SgMark *last; /* of the end of the latest launch, or NULL */
  cuuint64_t flags;
} SgExec;

/* 0, or what is wrong with the graph. */
CUresult sg_program_compile(const SgGraph *g, SgProgram **out);
void sg_program_unref(SgProgram *p);
SgProgram *sg_program_new(void); /* an empty one; NULL: no memory */
/* f(step, arg) for its steps and those of bodies; false: f was false for one, and the others were left out.
 */
bool sg_program_each(const SgProgram *p, bool (*f)(const SgStep *, void *), void *arg);
/* 0, or why an operation of it can no longer run. */
CUresult sg_program_check(const SgProgram *p);
CUgraphNodeType sg_step_type(const SgStep *s);
/* The steps that no other step comes after, in order; returns how many. `out` has room for all. */
uint32_t sg_program_sinks(const SgProgram *p, uint32_t *out);

SgExec *sg_exec_get(CUgraphExec h, CUresult *code);
/* Makes a program, and those of its bodies, its holder's own, so that they may change; false: no memory. */
bool sg_program_own(SgProgram **p);

#endif
