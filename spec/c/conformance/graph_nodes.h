/* Graphs by hand: nodes of every kind, what they do, the edges between them, conditions. The codes are those
 * of an H200, driver 580. */

/* Each makes a node that goes with `kinds` at the end. */
static void node_rows(void) {
  CUgraph strange_graph = NULL;
  CUgraphNode strange, a, b, c;
  start_module();
  start_copies();
  start_events();
  start_graph();
  start_kinds();
  OK(cuGraphCreate(&strange_graph, 0));
  OK(cuGraphAddEmptyNode(&strange, strange_graph, NULL, 0));

  /* Adding. */
#define ADD(function, what)                                                                                  \
  ROW(function, "good", SUCCESS, (&o.node, kinds, NULL, 0, what));                                           \
  ROW(function, "after another one", SUCCESS, (&o.node, kinds, &kind_kernel, 1, what));                      \
  ROW(function, "NULL", INVALID_VALUE, (NULL, kinds, NULL, 0, what));                                        \
  ROW(function, "no graph", INVALID_VALUE, (&o.node, NULL, NULL, 0, what));                                  \
  ROW(function, "a count and no list", INVALID_VALUE, (&o.node, kinds, NULL, 1, what));                      \
  ROW(function, "after another graph's node", INVALID_VALUE, (&o.node, kinds, &strange, 1, what));           \
  ROW(function, "no event", INVALID_VALUE, (&o.node, kinds, NULL, 0, NULL))
  ADD(cuGraphAddEventRecordNode, second);
  ADD(cuGraphAddEventWaitNode, second);
#undef ADD
  CUgraphNodeParams p;
#define ANY_NODE(condition, want, kind, change)                                                              \
  WITH(cuGraphAddNode_v2, condition, want,                                                                   \
       (memset(&p, 0, sizeof p), p.type = CU_GRAPH_NODE_TYPE_##kind, change),                                \
       (&o.node, kinds, NULL, NULL, 0, &p), (void)0)
  ANY_NODE("empty", SUCCESS, EMPTY, (void)0);
  ANY_NODE("a kernel", SUCCESS, KERNEL,
           (p.kernel.func = none, p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1,
            p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1));
  ANY_NODE("a kernel, grid 0", INVALID_VALUE, KERNEL, (p.kernel.func = none, p.kernel.blockDimX = 1));
  ANY_NODE("a copy", SUCCESS, MEMCPY, (p.memcpy.copyCtx = ctx, p.memcpy.copyParams = kind_box));
  ANY_NODE("a copy with flags", INVALID_VALUE, MEMCPY, (p.memcpy.copyParams = kind_box, p.memcpy.flags = 1));
  ANY_NODE("a fill", SUCCESS, MEMSET,
           (p.memset.dst = mem, p.memset.elementSize = 1, p.memset.width = 16, p.memset.height = 1,
            p.memset.ctx = ctx));
  ANY_NODE("a fill of nothing", INVALID_VALUE, MEMSET, p.memset.dst = mem);
  ANY_NODE("a host function", SUCCESS, HOST, p.host.fn = nothing);
  ANY_NODE("no host function", INVALID_VALUE, HOST, (void)0);
  ANY_NODE("a record", SUCCESS, EVENT_RECORD, p.eventRecord.event = second);
  ANY_NODE("a wait", SUCCESS, WAIT_EVENT, p.eventWait.event = second);
  ANY_NODE("a child", SUCCESS, GRAPH, p.graph.graph = kinds_child);
  ANY_NODE("no child", INVALID_VALUE, GRAPH, (void)0);
  ANY_NODE("a conditional node, no handle", INVALID_VALUE, CONDITIONAL,
           (p.conditional.size = 1, p.conditional.ctx = ctx));
  ANY_NODE("no such type", INVALID_VALUE, EMPTY, p.type = (CUgraphNodeType)77);
  ROW(cuGraphAddNode_v2, "after another one", SUCCESS,
      (&o.node, kinds, &kind_kernel, NULL, 1, &empty_params));
  ROW(cuGraphAddNode_v2, "NULL", INVALID_VALUE, (NULL, kinds, NULL, NULL, 0, &empty_params));
  ROW(cuGraphAddNode_v2, "no graph", INVALID_VALUE, (&o.node, NULL, NULL, NULL, 0, &empty_params));
  ROW(cuGraphAddNode_v2, "no description", INVALID_VALUE, (&o.node, kinds, NULL, NULL, 0, NULL));
  ROW(cuGraphAddNode_v2, "after another graph's node", INVALID_VALUE,
      (&o.node, kinds, &strange, NULL, 1, &empty_params));

  /* Edges. */
  OK(cuGraphAddEmptyNode(&a, kinds, NULL, 0));
  OK(cuGraphAddEmptyNode(&b, kinds, NULL, 0));
  OK(cuGraphAddEmptyNode(&c, kinds, &a, 1));
  CUgraphNode from[] = {a, b}, to[] = {b, b};
  CUgraphEdgeData odd = {.to_port = 9};
  WITH(cuGraphAddDependencies_v2, "good", SUCCESS, (void)0, (kinds, &a, &b, NULL, 1),
       if (WORKED) MUST(cuGraphRemoveDependencies_v2(kinds, &a, &b, NULL, 1)));
  ROW(cuGraphAddDependencies_v2, "an edge that is there", INVALID_VALUE, (kinds, &a, &c, NULL, 1));
  ROW(cuGraphAddDependencies_v2, "of a node with itself", INVALID_VALUE, (kinds, &b, &b, NULL, 1));
  ROW(cuGraphAddDependencies_v2, "a good one and a bad one", INVALID_VALUE, (kinds, from, to, NULL, 2));
  ROW(cuGraphAddDependencies_v2, "another graph's node", INVALID_VALUE, (kinds, &strange, &b, NULL, 1));
  ROW(cuGraphAddDependencies_v2, "no such port", INVALID_VALUE, (kinds, &a, &b, &odd, 1));
  ROW(cuGraphAddDependencies_v2, "a count and no list", INVALID_VALUE, (kinds, NULL, NULL, NULL, 1));
  ROW(cuGraphAddDependencies_v2, "no graph", INVALID_VALUE, (NULL, &a, &b, NULL, 1));
  size_t n = 0;
  WITH(cuGraphNodeGetDependentNodes_v2, "how many", SUCCESS, n = 0, (a, NULL, NULL, &n), HOLDS(n == 1));
  WITH(cuGraphNodeGetDependentNodes_v2, "good", SUCCESS, n = 1, (a, o.nodes, o.edge, &n),
       HOLDS(n == 1 && o.nodes[0] == c));
  ROW(cuGraphNodeGetDependentNodes_v2, "no count", INVALID_VALUE, (a, o.nodes, NULL, NULL));
  ROW(cuGraphNodeGetDependentNodes_v2, "no node", INVALID_VALUE, (NULL, NULL, NULL, &n));
  WITH(cuGraphRemoveDependencies_v2, "good", SUCCESS, (void)0, (kinds, &a, &c, NULL, 1),
       if (WORKED) MUST(cuGraphAddDependencies_v2(kinds, &a, &c, NULL, 1)));
  ROW(cuGraphRemoveDependencies_v2, "an edge that is not there", INVALID_VALUE, (kinds, &a, &b, NULL, 1));
  ROW(cuGraphRemoveDependencies_v2, "no graph", INVALID_VALUE, (NULL, &a, &c, NULL, 1));
  CUgraphNode doomed = NULL;
  WITH(cuGraphDestroyNode, "good", SUCCESS, MUST(cuGraphAddEmptyNode(&doomed, kinds, &b, 1)), (doomed),
       (cuGraphNodeGetDependentNodes_v2(b, NULL, NULL, &n), HOLDS(n == 0)));
  ROW(cuGraphDestroyNode, "NULL", INVALID_VALUE, (NULL));
  ROW(cuGraphDestroyNode, "twice", SOFTWARE_ONLY(INVALID_VALUE), (doomed));

  /* Copies of graphs. */
  WITH(cuGraphNodeFindInClone, "good", SUCCESS, (void)0, (&o.node, kind_kernel, kinds_clone),
       HOLDS(o.node && o.node != kind_kernel));
  ROW(cuGraphNodeFindInClone, "a node that came later", SPOILS(INVALID_VALUE), (&o.node, a, kinds_clone));
  ROW(cuGraphNodeFindInClone, "not a clone", SPOILS(INVALID_VALUE), (&o.node, kind_kernel, kinds_child));
  ROW(cuGraphNodeFindInClone, "no node", INVALID_VALUE, (&o.node, NULL, kinds_clone));
  ROW(cuGraphNodeFindInClone, "NULL", INVALID_VALUE, (NULL, kind_kernel, kinds_clone));
}

/* What nodes do: asked, set in the graph and in what was instantiated from it. */
static void node_param_rows(void) {
  CUgraphNode added;
  CUDA_KERNEL_NODE_PARAMS k;
  CUDA_HOST_NODE_PARAMS h = {NULL, NULL};
  CUDA_MEMSET_NODE_PARAMS f;
  CUDA_MEMCPY3D b;
  CUgraphNodeParams p;
  start_module();
  start_copies();
  start_events();
  start_graph();
  start_kinds();
  OK(cuGraphAddEmptyNode(&added, kinds, NULL, 0));
  f = fill_params;
  f.elementSize = 3;
  b = kind_box;
  b.Depth = 0;
  k = kernel_params;
  k.gridDimX = 0;
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;

#define GET_AND_SET(get, out, set, node, good, bad, bad_code, fact)                                          \
  WITH(get, "good", SUCCESS, (void)0, (node, out), HOLDS(fact));                                             \
  ROW(get, "NULL", INVALID_VALUE, (node, NULL));                                                             \
  ROW(get, "no node", INVALID_VALUE, (NULL, out));                                                           \
  ROW(get, "another kind of node", INVALID_VALUE, (kind_empty, out));                                        \
  ROW(set, "good", SUCCESS, (node, good));                                                                   \
  ROW(set, "bad", bad_code, (node, bad));                                                                    \
  ROW(set, "no node", INVALID_VALUE, (NULL, good));                                                          \
  ROW(set, "another kind of node", INVALID_VALUE, (kind_empty, good))
  ROW(cuGraphKernelNodeSetParams_v2, "good", SUCCESS, (kind_kernel, &kernel_params));
  ROW(cuGraphKernelNodeSetParams_v2, "grid 0", INVALID_VALUE, (kind_kernel, &k));
  ROW(cuGraphKernelNodeSetParams_v2, "no description", INVALID_VALUE, (kind_kernel, NULL));
  ROW(cuGraphKernelNodeSetParams_v2, "no node", INVALID_VALUE, (NULL, &kernel_params));
  ROW(cuGraphKernelNodeSetParams_v2, "another kind of node", INVALID_VALUE, (kind_empty, &kernel_params));
  GET_AND_SET(cuGraphMemcpyNodeGetParams, &o.box, cuGraphMemcpyNodeSetParams, kind_copy, &kind_box, &b,
              INVALID_VALUE, o.box.dstDevice == mem + 2048 && o.box.WidthInBytes == 64);
  GET_AND_SET(cuGraphMemsetNodeGetParams, &o.fill, cuGraphMemsetNodeSetParams, kind_fill, &fill_params, &f,
              INVALID_VALUE, o.fill.dst == mem && o.fill.width == 16);
  GET_AND_SET(cuGraphHostNodeGetParams, &o.host_node, cuGraphHostNodeSetParams, kind_host, &host_params, &h,
              INVALID_VALUE, o.host_node.fn == nothing);
  GET_AND_SET(cuGraphEventRecordNodeGetEvent, &o.event, cuGraphEventRecordNodeSetEvent, kind_record, second,
              NULL, INVALID_VALUE, o.event == second);
  GET_AND_SET(cuGraphEventWaitNodeGetEvent, &o.event, cuGraphEventWaitNodeSetEvent, kind_wait, first, NULL,
              INVALID_VALUE, o.event == first);
#undef GET_AND_SET
  ROW(cuGraphNodeSetParams, "good", SUCCESS, (kind_host, &host_any));
  ROW(cuGraphNodeSetParams, "another type", INVALID_VALUE, (kind_host, &p));
  ROW(cuGraphNodeSetParams, "no description", INVALID_VALUE, (kind_host, NULL));
  ROW(cuGraphNodeSetParams, "no node", INVALID_VALUE, (NULL, &host_any));

  CUkernelNodeAttrValue v;
  memset(&v, 0, sizeof v);
  WITH(cuGraphKernelNodeGetAttribute, "good", SUCCESS, (void)0,
       (kind_kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &o.attribute),
       HOLDS(o.attribute.cooperative == 0));
  ROW(cuGraphKernelNodeGetAttribute, "NULL", SOFTWARE_ONLY(INVALID_VALUE),
      (kind_kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, NULL));
  ROW(cuGraphKernelNodeGetAttribute, "another kind of node", INVALID_VALUE,
      (kind_empty, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &o.attribute));
  ROW(cuGraphKernelNodeSetAttribute, "good", SUCCESS,
      (kind_kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &v));
  ROW(cuGraphKernelNodeSetAttribute, "NULL", SOFTWARE_ONLY(INVALID_VALUE),
      (kind_kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, NULL));
  ROW(cuGraphKernelNodeSetAttribute, "another kind of node", INVALID_VALUE,
      (kind_empty, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &v));
  ROW(cuGraphKernelNodeCopyAttributes, "good", SUCCESS, (kind_kernel, kernel_node));
  ROW(cuGraphKernelNodeCopyAttributes, "another kind of node", INVALID_VALUE, (kind_empty, kernel_node));
  ROW(cuGraphKernelNodeCopyAttributes, "no node", INVALID_VALUE, (kind_kernel, NULL));

  /* In what was instantiated. */
#define SET(function, node, good, ...)                                                                       \
  ROW(function, "good", SUCCESS, (kinds_exec, node, good __VA_ARGS__));                                      \
  ROW(function, "NULL", INVALID_VALUE, (NULL, node, good __VA_ARGS__));                                      \
  ROW(function, "no node", INVALID_VALUE, (kinds_exec, NULL, good __VA_ARGS__));                             \
  ROW(function, "another kind of node", INVALID_VALUE, (kinds_exec, kind_empty, good __VA_ARGS__));          \
  ROW(function, "a node that came later", INVALID_VALUE, (kinds_exec, added, good __VA_ARGS__))
  SET(cuGraphExecMemcpyNodeSetParams, kind_copy, &kind_box, COMMA ctx);
  SET(cuGraphExecMemsetNodeSetParams, kind_fill, &fill_params, COMMA ctx);
  SET(cuGraphExecHostNodeSetParams, kind_host, &host_params);
  SET(cuGraphExecEventRecordNodeSetEvent, kind_record, second);
  SET(cuGraphExecEventWaitNodeSetEvent, kind_wait, first);
  SET(cuGraphExecChildGraphNodeSetParams, kind_child, kinds_child);
  SET(cuGraphExecNodeSetParams, kind_host, &host_any);
  SET(cuGraphNodeSetEnabled, kind_kernel, 1);
  ROW(cuGraphExecMemcpyNodeSetParams, "an empty box", INVALID_VALUE, (kinds_exec, kind_copy, &b, ctx));
  ROW(cuGraphExecMemcpyNodeSetParams, "another place", INVALID_VALUE, (kinds_exec, kind_copy, &box3, ctx));
  ROW(cuGraphExecMemsetNodeSetParams, "elements of 3 bytes", INVALID_VALUE, (kinds_exec, kind_fill, &f, ctx));
  ROW(cuGraphExecHostNodeSetParams, "no function", INVALID_VALUE, (kinds_exec, kind_host, &h));
  ROW(cuGraphExecChildGraphNodeSetParams, "another shape", WRITES(GRAPH_EXEC_UPDATE_FAILURE),
      (kinds_exec, kind_child, same_graph));
  ROW(cuGraphExecNodeSetParams, "another type", INVALID_VALUE, (kinds_exec, kind_host, &p));
  WITH(cuGraphNodeGetEnabled, "good", SUCCESS, (void)0, (kinds_exec, kind_kernel, &o.u), HOLDS(o.u == 1));
  ROW(cuGraphNodeGetEnabled, "NULL", INVALID_VALUE, (kinds_exec, kind_kernel, NULL));
  ROW(cuGraphNodeGetEnabled, "another kind of node", INVALID_VALUE, (kinds_exec, kind_empty, &o.u));
}

/* Conditions, and captures into a graph that is there. */
static void condition_rows(void) {
  CUgraph g = NULL;
  CUgraphConditionalHandle handle = 0;
  CUgraphNodeParams p;
  CUgraphExec x = NULL;
  CUgraphNode node = NULL;
  start_module();
  start_copies();
  start_events();
  start_graph();
  start_kinds();
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphConditionalHandleCreate(&handle, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  WITH(cuGraphConditionalHandleCreate, "good", SUCCESS, (void)0, (&o.handle, kinds, ctx, 0, 0), (void)0);
  ROW(cuGraphConditionalHandleCreate, "flags", INVALID_VALUE, (&o.handle, kinds, ctx, 0, 2));
  ROW(cuGraphConditionalHandleCreate, "no graph", INVALID_VALUE, (&o.handle, NULL, ctx, 0, 0));
  ROW(cuGraphConditionalHandleCreate, "NULL", INVALID_VALUE, (NULL, kinds, ctx, 0, 0));
  ROW(cuGraphInstantiateWithFlags, "a handle without a node", INVALID_VALUE, (&o.exec, g, 0));
#define COND(condition, want, change)                                                                        \
  WITH(cuGraphAddNode_v2, condition, want,                                                                   \
       (memset(&p, 0, sizeof p), p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, p.conditional.handle = handle,     \
        p.conditional.type = CU_GRAPH_COND_TYPE_WHILE, p.conditional.size = 1, p.conditional.ctx = ctx,      \
        change),                                                                                             \
       (&o.node, g, NULL, NULL, 0, &p), (void)0)
  COND("while, 2 bodies", INVALID_VALUE, p.conditional.size = 2);
  COND("if, 3 bodies", INVALID_VALUE, (p.conditional.type = CU_GRAPH_COND_TYPE_IF, p.conditional.size = 3));
  COND("switch, no body", INVALID_VALUE,
       (p.conditional.type = CU_GRAPH_COND_TYPE_SWITCH, p.conditional.size = 0));
  COND("no such condition", INVALID_VALUE, p.conditional.type = (CUgraphConditionalNodeType)9);
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.handle = handle;
  p.conditional.type = CU_GRAPH_COND_TYPE_IF;
  p.conditional.size = 1;
  p.conditional.ctx = ctx;
  OK(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &p));
  judge(p.conditional.phGraph_out && p.conditional.phGraph_out[0], __LINE__,
        "a conditional node has no body");
  COND("a handle that has a node", INVALID_VALUE, (void)0);
  ROW(cuGraphClone, "with a conditional node", NOT_SUPPORTED, (&o.graph, g));
  ROW(cuGraphAddChildGraphNode, "with a conditional node", NOT_SUPPORTED, (&o.node, kinds, NULL, 0, g));
  OK(cuGraphInstantiateWithFlags(&x, g, 0));
  ROW(cuGraphInstantiateWithFlags, "a second time, with a conditional node", NOT_SUPPORTED, (&o.exec, g, 0));
  ROW(cuGraphLaunch, "with a conditional node", SUCCESS, (x, st));
  OK(cuStreamSynchronize(st));

#define CAPTURE_INTO(condition, want, args)                                                                  \
  WITH(cuStreamBeginCaptureToGraph, condition, want, (void)0, args,                                          \
       if (WORKED) MUST(cuStreamEndCapture(cap, NULL)))
  const CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  CAPTURE_INTO("good", SUCCESS, (cap, kinds, NULL, NULL, 0, relaxed));
  CAPTURE_INTO("after a node", SUCCESS, (cap, kinds, &kind_kernel, NULL, 1, relaxed));
  CAPTURE_INTO("after another graph's node", INVALID_VALUE, (cap, kinds, &node, NULL, 1, relaxed));
  CAPTURE_INTO("no graph", INVALID_VALUE, (cap, NULL, NULL, NULL, 0, relaxed));
  CAPTURE_INTO("mode 3", INVALID_VALUE, (cap, kinds, NULL, NULL, 0, (CUstreamCaptureMode)3));
  CAPTURE_INTO("the legacy stream", STREAM_CAPTURE_UNSUPPORTED,
               (CU_STREAM_LEGACY, kinds, NULL, NULL, 0, relaxed));
}
