/* Graphs, inside: what stream capture (driver/capture.c), graphs (driver/graph.c), executable graphs
 * (driver/graph_exec.c) and the operations that can be nodes share.
 *
 * A node holds an operation like those in streams, but one that is run again and again: its run() changes
 * nothing in it. Nodes, executable graphs and launches share it (SgOp.shared). A node depends on nodes that
 * were added before it only, so the order of a graph's nodes is one in which they may run. */
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
  uint32_t index; /* in the graph */
  SgOp *op;
  SgNodes after; /* what it depends on */
};

struct SgGraph {
  SgObject o;
  SgNodes nodes;
  SgUserRefs users;
  SgCapture *capture; /* that records into it, or NULL */
  bool of_node;       /* it is a node's copy, and goes with that */
};

/* --- driver/graph.c --- */

bool sg_nodes_add(SgNodes *set, SgNode *node); /* false: no memory */
bool sg_nodes_add_all(SgNodes *set, const SgNodes *more);
void sg_nodes_clear(SgNodes *set);

SgGraph *sg_graph_new(void);
void sg_graph_free(SgGraph *g);
/* One with the same nodes; NULL: no memory. */
SgGraph *sg_graph_copy(const SgGraph *g);
/* The live graph, else NULL and *code. */
SgGraph *sg_graph_get(CUgraph h, CUresult *code);
SgNode *sg_node_get(CUgraphNode h, CUresult *code);
/* Appends a node, which owns op; NULL: no memory, and op is still the caller's. */
SgNode *sg_graph_add(SgGraph *g, SgOp *op, const SgNodes *after);
/* One more holder of an operation; sg_op_free lets go. */
SgOp *sg_op_share(SgOp *op);

/* --- driver/graph_child.c --- */

/* The operation of a node that is a copy of g. */
CUresult sg_child_op(const SgGraph *g, SgOp **out);
/* The graph of such a node; NULL for operations of other kinds. */
SgGraph *sg_child_of(const SgOp *op);
/* The node goes: so does its graph, if it has one. */
void sg_child_end(SgOp *op);

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
/* What a launch of a graph does for its event nodes: a mark that the event stands for from now on, or the one
 * to wait for (NULL: none). The caller holds it once. */
CUresult sg_event_node_mark(const SgOp *op, SgStream *s, SgMark **out);

#endif
