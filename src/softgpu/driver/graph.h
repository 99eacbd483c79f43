/* Graphs, inside: what stream capture (driver/capture.c), graphs (driver/graph.c), executable graphs
 * (driver/graph_exec.c) and the operations that can be nodes share.
 *
 * A node holds an operation like those in streams, but one that is run again and again: its run() changes
 * nothing in it. Nodes, executable graphs and launches share it (SgOp.shared). Edges may be added between any
 * two nodes, so a graph may have a cycle until it is instantiated, which fails then. */
#ifndef SOFTGPU_GRAPH_H
#define SOFTGPU_GRAPH_H

#include "driver/drv.h"

typedef struct SgGraph SgGraph;
typedef struct SgNode SgNode;
typedef struct SgCapture SgCapture;

struct SgNodeType {
  CUgraphNodeType type;
  /* 0, or why the operation can no longer run. NULL: it always can. */
  CUresult (*check)(const SgOp *op);
  /* Whether an instantiated node may change from one into the other. NULL: it may. */
  CUgraphExecUpdateResult (*update)(const SgOp *from, const SgOp *to);
  /* Whether a launch returns only when it is done. NULL: no. */
  bool (*is_waited_for)(const SgOp *op);
  /* Id of the context whose it is. NULL: no one's. */
  uint64_t (*context)(const SgOp *op);
  /* Its parameters, for people. NULL: it has none. */
  void (*describe)(const SgOp *op, SgText *t);
};

/* A set of nodes, in the order they were put in. */
typedef struct SgNodes {
  SgNode **item;
  uint32_t count, room;
} SgNodes;

/* References to user objects (driver/user_object.c). */
typedef struct SgUserObject SgUserObject; /* begins with an SgObject */

typedef struct SgUserRef {
  SgUserObject *object;
  uint64_t count;
} SgUserRef;

typedef struct SgUserRefs {
  SgUserRef *item;
  uint32_t count;
} SgUserRefs;

/* As many references again, for `set`; false: no memory, and some may be there. */
bool sg_user_refs_add_all(SgUserRefs *set, const SgUserRefs *more);
void sg_user_refs_clear(SgUserRefs *set);

struct SgNode {
  SgObject o;
  SgGraph *graph;
  uint32_t index;  /* in the graph */
  uint64_t origin; /* id of the node that it is a copy of, 0: none */
  SgOp *op;
  SgNodes after; /* what it depends on */
};

/* What a conditional node looks at before its body (driver/graph_cond.c). */
typedef struct SgCondition SgCondition;

struct SgGraph {
  SgObject o;
  SgNodes nodes;
  SgUserRefs users;
  SgCapture *capture;   /* that records into it, or NULL */
  bool of_node;         /* it is a node's copy or body, and goes with that */
  uint64_t origin;      /* id of the graph that it is a copy of, 0: none */
  SgGraph *around;      /* of a body: the graph with the conditional node, else NULL */
  SgCondition *handles; /* that were made for it, the latest first */
};

/* --- driver/graph.c --- */

bool sg_nodes_add(SgNodes *set, SgNode *node); /* false: no memory */
bool sg_nodes_add_all(SgNodes *set, const SgNodes *more);
void sg_nodes_clear(SgNodes *set);

SgGraph *sg_graph_new(void);
void sg_graph_free(SgGraph *g);
/* One with the same nodes; NULL: no memory. There may be no conditional nodes in it. */
SgGraph *sg_graph_copy(const SgGraph *g);
/* The indices of its nodes, each behind those that it depends on, as they were put in where that is so
 * already. `order` has room for all. 0, 1: there is a cycle, 2: no memory. */
CUresult sg_graph_order(const SgGraph *g, uint32_t *order);
/* The live graph, else NULL and *code. */
SgGraph *sg_graph_get(CUgraph h, CUresult *code);
SgNode *sg_node_get(CUgraphNode h, CUresult *code);
/* Appends a node, which owns op; NULL: no memory, and op is still the caller's. */
SgNode *sg_graph_add(SgGraph *g, SgOp *op, const SgNodes *after);
void sg_node_free(SgNode *n); /* which is in no graph's list any more */
/* One more holder of an operation; sg_op_free lets go. */
SgOp *sg_op_share(SgOp *op);
/* An operation that is no node's any more. */
void sg_op_discard(SgOp *op);
CUgraphNodeType sg_op_node_type(const SgOp *op);

/* --- driver/graph_nodes.c --- */

/* What a new node, or the first one of a capture, comes after. */
CUresult sg_nodes_read(const SgGraph *g, const CUgraphNode *after, const CUgraphEdgeData *data, size_t n,
                       SgNodes *set);

/* --- driver/graph_params.c --- */

/* The operation of a node with these parameters; `from`: of the one that it replaces, or NULL. */
CUresult sg_node_op(const CUgraphNodeParams *p, const SgOp *from, SgOp **out);

/* --- driver/graph_child.c --- */

/* The operation of a node that is a copy of g. */
CUresult sg_child_op(const SgGraph *g, SgOp **out);
/* The graph of such a node; NULL for operations of other kinds. */
SgGraph *sg_child_of(const SgOp *op);
/* The node goes: so does its graph, if it has one. */
void sg_child_end(SgOp *op);

/* --- driver/graph_cond.c --- */

/* The operation of a conditional node of g; writes the handles of its bodies. */
CUresult sg_cond_op(SgGraph *g, CUDA_CONDITIONAL_NODE_PARAMS *p, SgOp **out);
/* The bodies of such a node, and how many; NULL for operations of other kinds, and where the node is gone. */
SgGraph *const *sg_cond_bodies(const SgOp *op, uint32_t *count);
bool sg_graph_has_cond(const SgGraph *g); /* and so cannot be copied */
/* Whether an operation may be in a body. */
bool sg_cond_allows(const SgOp *op);
/* The node goes, and with it its bodies. */
void sg_cond_end(SgOp *op);
/* The graph goes: its handles are those of nothing. */
void sg_conditions_close(SgGraph *g);
/* A handle that no conditional node has. */
bool sg_conditions_unused(const SgGraph *g);
/* An executable graph's id takes the condition over, which may have one only; 0 gives it back. */
bool sg_cond_claim(const SgOp *op, uint64_t exec);
void sg_cond_release(const SgOp *op, uint64_t exec);
/* A launch begins: the default, where there is one. */
void sg_cond_begin(const SgOp *op);
/* The body to run, or SG_NO_BODY. */
uint32_t sg_cond_body(const SgOp *op, bool again);
#define SG_NO_BODY UINT32_MAX
/* The executable graph whose kernels run from now on; 0: none. */
extern uint64_t sg_cond_exec;
/* What cudaGraphSetConditional does (SgSystem.set_condition). */
const char *sg_condition_set(uint64_t handle, uint32_t value);

/* --- driver/capture.c --- */

/* The place in a capture where an event was recorded. All zero: it was not. */
typedef struct SgCaptured {
  SgCapture *capture;
  SgNodes after;
} SgCaptured;

/* A stream's part in a capture. */
typedef struct SgBranch {
  SgCapture *capture;
  SgStream *stream;
  SgNodes after;  /* what the next operation depends on */
  void **handles; /* of these nodes, as cuStreamGetCaptureInfo hands them out */
  CUgraphEdgeData *edges;
  struct SgBranch *next;
} SgBranch;

/* Op becomes a node. Owns op. s is being captured. */
CUresult sg_capture_op(SgStream *s, SgOp *op);
/* What sg_stream_get asks: 0, or 901, or 906 and the captures concerned are invalid. */
CUresult sg_capture_check(SgStream *s);
/* For questions about a stream, which a capture of it may allow: 0, or 900, 901, 906. */
CUresult sg_capture_ask(SgStream *s, bool allowed);
/* s is going away. */
void sg_capture_leave(SgStream *s);

void sg_captured_clear(SgCaptured *at);
/* cuEventRecord in a stream being captured. */
CUresult sg_capture_record(SgStream *s, SgCaptured *at);
/* cuStreamWaitEvent where stream or event or both are being captured. */
CUresult sg_capture_wait(SgStream *s, const SgCaptured *at);
/* 0; 907 for an event last recorded in a capture, which becomes invalid unless the call is harmless; 1 if
 * that has ended. */
CUresult sg_captured_check(const SgCaptured *at, bool harmless);

/* --- driver/launch.c, driver/copy2d.c, driver/fill.c, driver/stream.c, driver/event.c: making nodes'
 * operations --- */

CUresult sg_launch_op(const CUDA_KERNEL_NODE_PARAMS *p, SgOp **out);
/* The same kernel node with other parameters; `from` is its operation before. */
CUresult sg_launch_op_change(const SgOp *from, const CUDA_KERNEL_NODE_PARAMS *p, SgOp **out);
CUresult sg_launch_op_params(SgOp *op, CUDA_KERNEL_NODE_PARAMS *p);
CUresult sg_copy_op(const CUDA_MEMCPY3D *p, SgOp **out);
CUresult sg_fill_op(const CUDA_MEMSET_NODE_PARAMS *p, SgOp **out);
CUresult sg_host_op(const CUDA_HOST_NODE_PARAMS *p, SgOp **out);
CUresult sg_event_op(CUevent event, bool record, SgOp **out);
CUevent sg_event_op_event(const SgOp *op);
/* What such an operation was made of. */
void sg_copy_op_params(const SgOp *op, CUDA_MEMCPY3D *p);
void sg_fill_op_params(const SgOp *op, CUDA_MEMSET_NODE_PARAMS *p);
void sg_host_op_params(const SgOp *op, CUDA_HOST_NODE_PARAMS *p);
/* The same kernel node with an attribute changed; and what it is. */
CUresult sg_launch_op_set(const SgOp *op, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *v, SgOp **out);
CUresult sg_launch_op_get(const SgOp *op, CUkernelNodeAttrID id, CUkernelNodeAttrValue *v);
/* What a launch of a graph does for its event nodes: a mark that the event stands for from now on, or the one
 * to wait for (NULL: none). The caller holds it once. */
CUresult sg_event_node_mark(const SgOp *op, SgStream *s, SgMark **out);

#endif
