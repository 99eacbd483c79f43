/* What nodes of graphs do: asking for it, and changing it. A change makes a new operation, since executable
 * graphs and launches share the old one. */
#include "driver/graph.h"

static CUDA_KERNEL_NODE_PARAMS kernel_of(const CUDA_KERNEL_NODE_PARAMS_v3 *p) {
  return (CUDA_KERNEL_NODE_PARAMS){.func = p->func,
                                   .gridDimX = p->gridDimX,
                                   .gridDimY = p->gridDimY,
                                   .gridDimZ = p->gridDimZ,
                                   .blockDimX = p->blockDimX,
                                   .blockDimY = p->blockDimY,
                                   .blockDimZ = p->blockDimZ,
                                   .sharedMemBytes = p->sharedMemBytes,
                                   .kernelParams = p->kernelParams,
                                   .extra = p->extra,
                                   .kern = p->kern,
                                   .ctx = p->ctx};
}

static CUDA_MEMSET_NODE_PARAMS fill_of(const CUDA_MEMSET_NODE_PARAMS_v2 *p) {
  return (CUDA_MEMSET_NODE_PARAMS){.dst = p->dst,
                                   .pitch = p->pitch,
                                   .value = p->value,
                                   .elementSize = p->elementSize,
                                   .width = p->width,
                                   .height = p->height};
}

/* After a kernel's fault these are refused as by the calls for one type of node alone; those about fills,
 * host functions, events and child graphs are not (measured on an H200, driver 580). */
static CUresult type_health(CUgraphNodeType type) {
  const bool works = type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY;
  return works ? sg_health_here() : CUDA_SUCCESS;
}

/* A kernel node stays cooperative, or not, when its parameters change. */
static CUresult kernel_op(const CUDA_KERNEL_NODE_PARAMS *p, const SgOp *from, SgOp **out) {
  return from ? sg_launch_op_change(from, p, out) : sg_launch_op(p, out);
}

CUresult sg_node_op(const CUgraphNodeParams *p, const SgOp *from, SgOp **out) {
  const CUresult health = type_health(p->type);
  if (health) return health;
  if (from && sg_op_node_type(from) != p->type) return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    const CUDA_KERNEL_NODE_PARAMS k = kernel_of(&p->kernel);
    return kernel_op(&k, from, out);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return p->memcpy.flags || p->memcpy.reserved ? CUDA_ERROR_INVALID_VALUE
                                                 : sg_copy_op(&p->memcpy.copyParams, out);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const CUDA_MEMSET_NODE_PARAMS f = fill_of(&p->memset);
    return sg_fill_op(&f, out);
  }
  case CU_GRAPH_NODE_TYPE_HOST:
    return sg_host_op(&(CUDA_HOST_NODE_PARAMS){p->host.fn, p->host.userData}, out);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return sg_event_op(p->eventWait.event, false, out);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return sg_event_op(p->eventRecord.event, true, out);
  case CU_GRAPH_NODE_TYPE_GRAPH:
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_CONDITIONAL: return CUDA_ERROR_INVALID_VALUE; /* these have none that change */
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    sg_say(CU_LOG_LEVEL_ERROR, "The software device has no graph nodes of type %d", (int)p->type);
    return CUDA_ERROR_NOT_SUPPORTED;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

/* The live node if it is of that type. */
static SgNode *node_of(CUgraphNode h, CUgraphNodeType type, CUresult *code) {
  SgNode *n = sg_node_get(h, code);
  if (!n || sg_op_node_type(n->op) == type) return n;
  *code = CUDA_ERROR_INVALID_VALUE;
  return NULL;
}

/* `made`: how making *op, which n is to have from now on, went. */
static CUresult change(SgNode *n, CUresult made, SgOp **op) {
  if (made) return made;
  sg_op_free(n->op);
  n->op = *op;
  return CUDA_SUCCESS;
}

/* --- kernels --- */

static CUresult kernel_params(CUgraphNode h, CUDA_KERNEL_NODE_PARAMS *p) {
  CUresult code;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_KERNEL, &code);
  return n ? sg_launch_op_params(n->op, p) : code;
}

SG_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, kernel_params(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
}

static CUresult set_kernel(CUgraphNode h, const CUDA_KERNEL_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op = NULL;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_KERNEL, &code);
  return n ? change(n, sg_launch_op_change(n->op, p, &op), &op) : code;
}

SG_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_HEALTH, set_kernel(hNode, nodeParams), "node=0x%llx function=0x%llx", SG_X(hNode),
          SG_X(nodeParams ? nodeParams->func : NULL));
}

static CUresult get_attribute(CUgraphNode h, CUkernelNodeAttrID id, CUkernelNodeAttrValue *v) {
  CUresult code;
  if (!v) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_KERNEL, &code);
  return n ? sg_launch_op_get(n->op, id, v) : code;
}

SG_API CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                              CUkernelNodeAttrValue *value_out) {
  SG_CALL(SG_NEED_INIT, get_attribute(hNode, attr, value_out), "node=0x%llx attribute=%d", SG_X(hNode),
          (int)attr);
}

static CUresult set_attribute(CUgraphNode h, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *v) {
  CUresult code;
  SgOp *op = NULL;
  if (!v) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_KERNEL, &code);
  return n ? change(n, sg_launch_op_set(n->op, id, v, &op), &op) : code;
}

SG_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                              const CUkernelNodeAttrValue *value) {
  SG_CALL(SG_NEED_HEALTH, set_attribute(hNode, attr, value), "node=0x%llx attribute=%d", SG_X(hNode),
          (int)attr);
}

/* After a kernel's fault the code is another one than of the other calls: measured on an H200, driver 580. */
static CUresult copy_attributes(CUgraphNode to, CUgraphNode from) {
  static const CUkernelNodeAttrID ids[] = {CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE,
                                           CU_KERNEL_NODE_ATTRIBUTE_PRIORITY};
  CUresult code;
  const SgNode *n = node_of(from, CU_GRAPH_NODE_TYPE_KERNEL, &code);
  if (!n || !node_of(to, CU_GRAPH_NODE_TYPE_KERNEL, &code)) return code;
  if (n->op->type->node->context(n->op) != n->op->type->node->context(sg_node_get(to, &code)->op))
    return CUDA_ERROR_INVALID_VALUE;
  code = sg_health_here() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  for (size_t i = 0; !code && i < sizeof ids / sizeof *ids; i++) {
    CUkernelNodeAttrValue v;
    code = sg_launch_op_get(n->op, ids[i], &v);
    if (!code) code = set_attribute(to, ids[i], &v);
  }
  return code;
}

SG_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  SG_CALL(SG_NEED_INIT, copy_attributes(dst, src), "to=0x%llx from=0x%llx", SG_X(dst), SG_X(src));
}

/* --- copies, fills, host functions --- */

static CUresult copy_params(CUgraphNode h, CUDA_MEMCPY3D *p) {
  CUresult code;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_MEMCPY, &code);
  if (n) sg_copy_op_params(n->op, p);
  return n ? CUDA_SUCCESS : code;
}

SG_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams) {
  SG_CALL(SG_NEED_INIT, copy_params(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
}

static CUresult set_copy(CUgraphNode h, const CUDA_MEMCPY3D *p) {
  CUresult code;
  SgOp *op = NULL;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_MEMCPY, &code);
  return n ? change(n, sg_copy_op(p, &op), &op) : code;
}

SG_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
  SG_CALL(SG_NEED_ALIVE, set_copy(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
}

static CUresult fill_params(CUgraphNode h, CUDA_MEMSET_NODE_PARAMS *p) {
  CUresult code;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_MEMSET, &code);
  if (n) sg_fill_op_params(n->op, p);
  return n ? CUDA_SUCCESS : code;
}

SG_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, fill_params(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
}

static CUresult set_fill(CUgraphNode h, const CUDA_MEMSET_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op = NULL;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_MEMSET, &code);
  return n ? change(n, sg_fill_op(p, &op), &op) : code;
}

SG_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_ALIVE, set_fill(hNode, nodeParams), "node=0x%llx dst=0x%llx", SG_X(hNode),
          nodeParams ? nodeParams->dst : 0ULL);
}

static CUresult host_params(CUgraphNode h, CUDA_HOST_NODE_PARAMS *p) {
  CUresult code;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_HOST, &code);
  if (n) sg_host_op_params(n->op, p);
  return n ? CUDA_SUCCESS : code;
}

SG_API CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, host_params(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
}

static CUresult set_host(CUgraphNode h, const CUDA_HOST_NODE_PARAMS *p) {
  CUresult code;
  SgOp *op = NULL;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = node_of(h, CU_GRAPH_NODE_TYPE_HOST, &code);
  return n ? change(n, sg_host_op(p, &op), &op) : code;
}

SG_API CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams) {
  SG_CALL(SG_NEED_INIT, set_host(hNode, nodeParams), "node=0x%llx", SG_X(hNode));
}

/* --- events --- */

static CUresult get_event(CUgraphNode h, CUgraphNodeType type, CUevent *out) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgNode *n = node_of(h, type, &code);
  if (n) *out = sg_event_op_event(n->op);
  return n ? CUDA_SUCCESS : code;
}

SG_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
  SG_CALL(SG_NEED_INIT, get_event(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out),
          "node=0x%llx event=0x%llx", SG_X(hNode), SG_OUT(event_out));
}

SG_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
  SG_CALL(SG_NEED_INIT, get_event(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out),
          "node=0x%llx event=0x%llx", SG_X(hNode), SG_OUT(event_out));
}

static CUresult set_event(CUgraphNode h, CUgraphNodeType type, CUevent event) {
  CUresult code;
  SgOp *op = NULL;
  SgNode *n = node_of(h, type, &code);
  return n ? change(n, sg_event_op(event, type == CU_GRAPH_NODE_TYPE_EVENT_RECORD, &op), &op) : code;
}

SG_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  SG_CALL(SG_NEED_INIT, set_event(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event), "node=0x%llx event=0x%llx",
          SG_X(hNode), SG_X(event));
}

SG_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  SG_CALL(SG_NEED_INIT, set_event(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event), "node=0x%llx event=0x%llx",
          SG_X(hNode), SG_X(event));
}

/* --- of any kind --- */

static CUresult set_any(CUgraphNode h, const CUgraphNodeParams *p) {
  CUresult code;
  SgOp *op = NULL;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  SgNode *n = sg_node_get(h, &code);
  return n ? change(n, sg_node_op(p, n->op, &op), &op) : code;
}

SG_API CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
  SG_CALL(SG_NEED_INIT, set_any(hNode, nodeParams), "node=0x%llx type=%d", SG_X(hNode),
          nodeParams ? (int)nodeParams->type : -1);
}
