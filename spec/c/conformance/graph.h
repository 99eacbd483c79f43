/* Graphs: made by hand, asked, instantiated, updated, launched. */

static void graph_rows(void) {
  CUgraph gone = NULL, child = NULL;
  CUgraphNode strange;
  start_module();
  start_copies();
  start_graph();
  OK(cuGraphCreate(&child, 0));
  OK(cuGraphAddEmptyNode(&strange, child, NULL, 0));
#define DROP                                                                                                 \
  if (WORKED) MUST(cuGraphDestroy(o.graph))
  WITH(cuGraphCreate, "good", SUCCESS, (void)0, (&o.graph, 0), DROP);
  ROW(cuGraphCreate, "flags", INVALID_VALUE, (&o.graph, 1));
  ROW(cuGraphCreate, "NULL", INVALID_VALUE, (NULL, 0));
  WITH(cuGraphClone, "good", SUCCESS, (void)0, (&o.graph, graph), DROP);
  ROW(cuGraphClone, "NULL", INVALID_VALUE, (NULL, graph));
  ROW(cuGraphClone, "no graph", INVALID_VALUE, (&o.graph, NULL));
#undef DROP
  WITH(cuGraphDestroy, "good", SUCCESS, MUST(cuGraphCreate(&gone, 0)), (gone), (void)0);
  ROW(cuGraphDestroy, "twice", INVALID_VALUE, (gone));
  ROW(cuGraphDestroy, "NULL", INVALID_VALUE, (NULL));
  ROW(cuGraphClone, "a destroyed graph", INVALID_VALUE, (&o.graph, gone));

  CUgraphNode twice[] = {kernel_node, kernel_node};
#define ADD(function, what)                                                                                  \
  ROW(function, "good", SUCCESS, (&o.node, graph, NULL, 0 what));                                            \
  ROW(function, "after another one", SUCCESS, (&o.node, graph, &kernel_node, 1 what));                       \
  ROW(function, "NULL", INVALID_VALUE, (NULL, graph, NULL, 0 what));                                         \
  ROW(function, "no graph", INVALID_VALUE, (&o.node, NULL, NULL, 0 what));                                   \
  ROW(function, "a count and no list", INVALID_VALUE, (&o.node, graph, NULL, 1 what));                       \
  ROW(function, "after the same node twice", INVALID_VALUE, (&o.node, graph, twice, 2 what));                \
  ROW(function, "after another graph's node", INVALID_VALUE, (&o.node, graph, &strange, 1 what));
#define COMMA ,
  ADD(cuGraphAddEmptyNode, );
  ADD(cuGraphAddKernelNode_v2, COMMA & kernel_params);
  ADD(cuGraphAddMemcpyNode, COMMA & box3 COMMA ctx);
  ADD(cuGraphAddMemsetNode, COMMA & fill_params COMMA ctx);
  ADD(cuGraphAddHostNode, COMMA & host_params);
  ADD(cuGraphAddChildGraphNode, COMMA child);
#undef ADD
  CUDA_KERNEL_NODE_PARAMS k;
#define KERNEL(condition, want, change)                                                                      \
  WITH(cuGraphAddKernelNode_v2, condition, want, (k = kernel_params, change), (&o.node, graph, NULL, 0, &k), \
       (void)0)
  KERNEL("grid 0", INVALID_VALUE, k.gridDimX = 0);
  KERNEL("block 2048", INVALID_VALUE, k.blockDimX = 2048);
  KERNEL("no function", INVALID_HANDLE, k.func = NULL);
  KERNEL("no parameters", INVALID_VALUE, k.func = put);
  KERNEL("too much shared memory", INVALID_VALUE, k.sharedMemBytes = 1 << 24);
  ROW(cuGraphAddKernelNode_v2, "no description", INVALID_VALUE, (&o.node, graph, NULL, 0, NULL));
  CUDA_MEMSET_NODE_PARAMS f;
#define FILL(condition, want, change)                                                                        \
  WITH(cuGraphAddMemsetNode, condition, want, (f = fill_params, change), (&o.node, graph, NULL, 0, &f, ctx), \
       (void)0)
  FILL("elements of 3 bytes", INVALID_VALUE, f.elementSize = 3);
  FILL("width 0", INVALID_VALUE, f.width = 0);
  FILL("height 0", INVALID_VALUE, f.height = 0);
  FILL("past the end", INVALID_VALUE, f.width = MEM + 1);
  FILL("misaligned", INVALID_VALUE, (f.elementSize = 4, f.dst = mem + 1));
  ROW(cuGraphAddMemsetNode, "no description", INVALID_VALUE, (&o.node, graph, NULL, 0, NULL, ctx));
  ROW(cuGraphAddMemsetNode, "no context", SUCCESS, (&o.node, graph, NULL, 0, &fill_params, NULL));
#define BOX(condition, want, change)                                                                         \
  WITH(cuGraphAddMemcpyNode, condition, want, (b3 = box3, change), (&o.node, graph, NULL, 0, &b3, ctx),      \
       (void)0)
  BOX("an empty box", INVALID_VALUE, b3.Depth = 0);
  BOX("past the end", INVALID_VALUE, b3.dstZ = 16);
  BOX("no such type of memory", INVALID_VALUE, b3.srcMemoryType = (CUmemorytype)77);
  ROW(cuGraphAddMemcpyNode, "no description", INVALID_VALUE, (&o.node, graph, NULL, 0, NULL, ctx));
  CUDA_HOST_NODE_PARAMS h = {NULL, NULL};
  ROW(cuGraphAddHostNode, "no function", INVALID_VALUE, (&o.node, graph, NULL, 0, &h));
  ROW(cuGraphAddHostNode, "no description", INVALID_VALUE, (&o.node, graph, NULL, 0, NULL));
  ROW(cuGraphAddChildGraphNode, "no child", INVALID_VALUE, (&o.node, graph, NULL, 0, NULL));
  WITH(cuGraphAddChildGraphNode, "a destroyed child", INVALID_VALUE,
       (MUST(cuGraphCreate(&gone, 0)), MUST(cuGraphDestroy(gone))), (&o.node, graph, NULL, 0, gone), (void)0);
  CUgraphNode holder;
  OK(cuGraphAddChildGraphNode(&holder, graph, NULL, 0, child));
  WITH(cuGraphChildGraphNodeGetGraph, "good", SUCCESS, (void)0, (holder, &o.graph),
       HOLDS(o.graph && o.graph != child));
  ROW(cuGraphChildGraphNodeGetGraph, "NULL", INVALID_VALUE, (holder, NULL));
  ROW(cuGraphChildGraphNodeGetGraph, "no node", INVALID_VALUE, (NULL, &o.graph));
  ROW(cuGraphChildGraphNodeGetGraph, "another kind of node", INVALID_VALUE, (kernel_node, &o.graph));

  size_t n = 0;
#define COUNT(v) n = (v)
  WITH(cuGraphGetNodes, "how many", SUCCESS, COUNT(0), (same_graph, NULL, &n), HOLDS(n == 2));
  WITH(cuGraphGetNodes, "good", SUCCESS, COUNT(2), (same_graph, o.nodes, &n), HOLDS(n == 2));
  WITH(cuGraphGetNodes, "room for 1", SUCCESS, COUNT(1), (same_graph, o.nodes, &n),
       HOLDS(n == 1 && o.nodes[1] == untouched.nodes[1]));
  WITH(cuGraphGetNodes, "room for 4", SUCCESS, COUNT(4), (same_graph, o.nodes, &n),
       HOLDS(n == 2 && o.nodes[3] == NULL));
  ROW(cuGraphGetNodes, "no count", INVALID_VALUE, (same_graph, o.nodes, NULL));
  ROW(cuGraphGetNodes, "no graph", INVALID_VALUE, (NULL, NULL, &n));
  WITH(cuGraphGetRootNodes, "how many", SUCCESS, COUNT(0), (same_graph, NULL, &n), HOLDS(n == 1));
  WITH(cuGraphGetRootNodes, "good", SUCCESS, COUNT(1), (same_graph, o.nodes, &n), HOLDS(n == 1));
  ROW(cuGraphGetRootNodes, "no count", INVALID_VALUE, (same_graph, o.nodes, NULL));
  ROW(cuGraphGetRootNodes, "no graph", INVALID_VALUE, (NULL, NULL, &n));
  WITH(cuGraphGetEdges_v2, "how many", SUCCESS, COUNT(0), (same_graph, NULL, NULL, NULL, &n), HOLDS(n == 1));
  WITH(cuGraphGetEdges_v2, "good", SUCCESS, COUNT(1), (same_graph, o.nodes, o.to, o.edge, &n), HOLDS(n == 1));
  WITH(cuGraphGetEdges_v2, "one end", INVALID_VALUE, COUNT(1), (same_graph, o.nodes, NULL, NULL, &n),
       (void)0);
  ROW(cuGraphGetEdges_v2, "no count", INVALID_VALUE, (same_graph, o.nodes, o.to, NULL, NULL));
  ROW(cuGraphGetEdges_v2, "no graph", INVALID_VALUE, (NULL, NULL, NULL, NULL, &n));
  WITH(cuGraphNodeGetDependencies_v2, "how many", SUCCESS, COUNT(0), (empty_node, NULL, NULL, &n),
       HOLDS(n == 1));
  WITH(cuGraphNodeGetDependencies_v2, "good", SUCCESS, COUNT(1), (empty_node, o.nodes, o.edge, &n),
       HOLDS(n == 1 && o.nodes[0] == kernel_node));
  ROW(cuGraphNodeGetDependencies_v2, "no count", INVALID_VALUE, (empty_node, o.nodes, NULL, NULL));
  ROW(cuGraphNodeGetDependencies_v2, "no node", INVALID_VALUE, (NULL, NULL, NULL, &n));
  WITH(cuGraphNodeGetType, "good", SUCCESS, (void)0, (kernel_node, &o.type),
       HOLDS(o.type == CU_GRAPH_NODE_TYPE_KERNEL));
  ROW(cuGraphNodeGetType, "NULL", INVALID_VALUE, (kernel_node, NULL));
  ROW(cuGraphNodeGetType, "no node", INVALID_VALUE, (NULL, &o.type));
  WITH(cuGraphKernelNodeGetParams_v2, "good", SUCCESS, (void)0, (kernel_node, &o.kernel),
       HOLDS(o.kernel.func == none && o.kernel.gridDimX == 1));
  ROW(cuGraphKernelNodeGetParams_v2, "NULL", INVALID_VALUE, (kernel_node, NULL));
  ROW(cuGraphKernelNodeGetParams_v2, "another kind of node", INVALID_VALUE, (empty_node, &o.kernel));
  ROW(cuGraphKernelNodeGetParams_v2, "no node", INVALID_VALUE, (NULL, &o.kernel));
  write_ptx_file();
  ROW(cuGraphDebugDotPrint, "good", SUCCESS, (graph, dot_file, 0));
  ROW(cuGraphDebugDotPrint, "no such folder", OPERATING_SYSTEM, (graph, "/no/such/folder/x.dot", 0));
  ROW(cuGraphDebugDotPrint, "no graph", INVALID_VALUE, (NULL, dot_file, 0));
  ROW(cuGraphDebugDotPrint, "no file", SOFTWARE_ONLY(INVALID_VALUE), (graph, NULL, 0));
  remove_files();
}

static void exec_rows(void) {
  CUgraphExec gone = NULL;
  CUgraph changed = NULL;
  CUgraphNode added, strange;
  start_module();
  start_graph();
  OK(cuGraphClone(&changed, graph));
  OK(cuGraphAddEmptyNode(&added, changed, NULL, 0));
  strange = added;
#define DROP                                                                                                 \
  if (WORKED) MUST(cuGraphExecDestroy(o.exec))
  WITH(cuGraphInstantiateWithFlags, "good", SUCCESS, (void)0, (&o.exec, graph, 0), DROP);
  WITH(cuGraphInstantiateWithFlags, "automatic frees", SUCCESS, (void)0,
       (&o.exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH), DROP);
  WITH(cuGraphInstantiateWithFlags, "nodes' priorities", SUCCESS, (void)0,
       (&o.exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY), DROP);
  WITH(cuGraphInstantiateWithFlags, "an upload", INVALID_VALUE, (void)0,
       (&o.exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD), DROP);
  WITH(cuGraphInstantiateWithFlags, "unknown flags", INVALID_VALUE, (void)0, (&o.exec, graph, 1u << 20),
       DROP);
  ROW(cuGraphInstantiateWithFlags, "NULL", INVALID_VALUE, (NULL, graph, 0));
  ROW(cuGraphInstantiateWithFlags, "no graph", INVALID_VALUE, (&o.exec, NULL, 0));
  WITH(cuGraphInstantiate_v2, "good", SUCCESS, (void)0, (&o.exec, graph, &o.node, o.text, sizeof o.text),
       DROP);
  WITH(cuGraphInstantiate_v2, "no log wanted", SUCCESS, (void)0, (&o.exec, graph, NULL, NULL, 0), DROP);
  ROW(cuGraphInstantiate_v2, "NULL", INVALID_VALUE, (NULL, graph, NULL, NULL, 0));
  ROW(cuGraphInstantiate_v2, "no graph", INVALID_VALUE, (&o.exec, NULL, NULL, NULL, 0));
  CUDA_GRAPH_INSTANTIATE_PARAMS p;
#define PARAMS(f) (p = instantiate_params, p.flags = (f), p.hUploadStream = st)
  WITH(cuGraphInstantiateWithParams, "good", SUCCESS, PARAMS(0), (&o.exec, graph, &p), DROP);
  WITH(cuGraphInstantiateWithParams, "an upload", SUCCESS, PARAMS(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD),
       (&o.exec, graph, &p), DROP);
  WITH(cuGraphInstantiateWithParams, "unknown flags", INVALID_VALUE, PARAMS(1u << 20), (&o.exec, graph, &p),
       DROP);
  WITH(cuGraphInstantiateWithParams, "NULL", INVALID_VALUE, PARAMS(0), (NULL, graph, &p), (void)0);
  WITH(cuGraphInstantiateWithParams, "no graph", INVALID_VALUE, PARAMS(0), (&o.exec, NULL, &p), (void)0);
  ROW(cuGraphInstantiateWithParams, "no parameters", INVALID_VALUE, (&o.exec, graph, NULL));
#undef DROP
  WITH(cuGraphExecDestroy, "good", SUCCESS, MUST(cuGraphInstantiateWithFlags(&gone, graph, 0)), (gone),
       (void)0);
  ROW(cuGraphExecDestroy, "twice", INVALID_VALUE, (gone));
  ROW(cuGraphExecDestroy, "NULL", INVALID_VALUE, (NULL));
  WITH(cuGraphExecGetFlags, "good", SUCCESS, (void)0, (exec, &o.id), HOLDS(o.id == 0));
  ROW(cuGraphExecGetFlags, "NULL", INVALID_VALUE, (exec, NULL));
  ROW(cuGraphExecGetFlags, "no graph", INVALID_VALUE, (NULL, &o.id));
  ROW(cuGraphLaunch, "good", SUCCESS, (exec, st));
  ROW(cuGraphLaunch, "the default stream", SUCCESS, (exec, NULL));
  ROW(cuGraphLaunch, "NULL", INVALID_VALUE, (NULL, st));
  ROW(cuGraphLaunch, "a destroyed graph", INVALID_VALUE, (gone, st));
  ROW(cuGraphLaunch, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (exec, (CUstream)host));
  ROW(cuGraphUpload, "good", SUCCESS, (exec, st));
  ROW(cuGraphUpload, "NULL", INVALID_VALUE, (NULL, st));
  ROW(cuGraphUpload, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (exec, (CUstream)host));
  WITH(cuGraphExecUpdate_v2, "good", SUCCESS, (void)0, (exec, same_graph, &o.update),
       HOLDS(o.update.result == CU_GRAPH_EXEC_UPDATE_SUCCESS));
  ROW(cuGraphExecUpdate_v2, "another shape", WRITES(GRAPH_EXEC_UPDATE_FAILURE), (exec, changed, &o.update));
  ROW(cuGraphExecUpdate_v2, "NULL", WRITES(INVALID_VALUE), (NULL, same_graph, &o.update));
  ROW(cuGraphExecUpdate_v2, "no graph", WRITES(INVALID_VALUE), (exec, NULL, &o.update));
  ROW(cuGraphExecUpdate_v2, "no result wanted", SOFTWARE_ONLY(INVALID_VALUE), (exec, same_graph, NULL));
  CUDA_KERNEL_NODE_PARAMS k;
#define KERNEL_SET(condition, want, change)                                                                  \
  WITH(cuGraphExecKernelNodeSetParams_v2, condition, want, (k = kernel_params, change),                      \
       (exec, kernel_node, &k), (void)0)
  KERNEL_SET("good", SUCCESS, k.gridDimX = 2);
  KERNEL_SET("grid 0", INVALID_VALUE, k.gridDimX = 0);
  KERNEL_SET("block 2048", INVALID_VALUE, k.blockDimX = 2048);
  KERNEL_SET("no function", INVALID_HANDLE, k.func = NULL);
  ROW(cuGraphExecKernelNodeSetParams_v2, "no description", INVALID_VALUE, (exec, kernel_node, NULL));
  ROW(cuGraphExecKernelNodeSetParams_v2, "NULL", INVALID_VALUE, (NULL, kernel_node, &kernel_params));
  ROW(cuGraphExecKernelNodeSetParams_v2, "no node", INVALID_VALUE, (exec, NULL, &kernel_params));
  ROW(cuGraphExecKernelNodeSetParams_v2, "another kind of node", INVALID_VALUE,
      (exec, empty_node, &kernel_params));
  ROW(cuGraphExecKernelNodeSetParams_v2, "a node that came later", INVALID_VALUE,
      (exec, strange, &kernel_params));
}

static void user_object_rows(void) {
  const unsigned MOST = 0x7fffffff, FLAG = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
  CUuserObject gone = NULL, mine;
  CUgraph empty, destroyed;
  start_module();
  start_graph();
  OK(cuGraphCreate(&empty, 0));
  OK(cuGraphCreate(&destroyed, 0));
  OK(cuGraphDestroy(destroyed));
#define ONE(object) cuUserObjectCreate(&object, NULL, nothing, 1, FLAG)
#define DROP                                                                                                 \
  if (WORKED) MUST(cuUserObjectRelease(o.user, 1))
  WITH(cuUserObjectCreate, "good", SUCCESS, (void)0, (&o.user, NULL, nothing, 1, FLAG), DROP);
  ROW(cuUserObjectCreate, "2^31 - 1 references", SUCCESS, (&o.user, NULL, nothing, MOST, FLAG));
  ROW(cuUserObjectCreate, "no reference", INVALID_VALUE, (&o.user, NULL, nothing, 0, FLAG));
  ROW(cuUserObjectCreate, "2^31 references", SUCCESS, (&o.user, NULL, nothing, MOST + 1, FLAG));
  ROW(cuUserObjectCreate, "no flag", INVALID_VALUE, (&o.user, NULL, nothing, 1, 0));
  ROW(cuUserObjectCreate, "an unknown flag", INVALID_VALUE, (&o.user, NULL, nothing, 1, FLAG | 2));
  ROW(cuUserObjectCreate, "no function", INVALID_VALUE, (&o.user, NULL, NULL, 1, FLAG));
  ROW(cuUserObjectCreate, "NULL", INVALID_VALUE, (NULL, NULL, nothing, 1, FLAG));
#undef DROP
  WITH(cuUserObjectRetain, "good", SUCCESS, (void)0, (user, 1),
       if (WORKED) MUST(cuUserObjectRelease(user, 1)));
  ROW(cuUserObjectRetain, "no reference", INVALID_VALUE, (user, 0));
  ROW(cuUserObjectRetain, "2^31 references", INVALID_VALUE, (user, MOST + 1));
  ROW(cuUserObjectRetain, "NULL", INVALID_VALUE, (NULL, 1));
  WITH(cuUserObjectRelease, "good", SUCCESS, MUST(ONE(gone)), (gone, 1), (void)0);
  ROW(cuUserObjectRelease, "twice", SOFTWARE_ONLY(INVALID_VALUE), (gone, 1));
  ROW(cuUserObjectRetain, "one that is gone", SOFTWARE_ONLY(INVALID_VALUE), (gone, 1));
  ROW(cuUserObjectRelease, "no reference", INVALID_VALUE, (user, 0));
  ROW(cuUserObjectRelease, "2^31 references", INVALID_VALUE, (user, MOST + 1));
  ROW(cuUserObjectRelease, "more than the program has", SOFTWARE_ONLY(INVALID_VALUE), (user, 101));
  ROW(cuUserObjectRelease, "NULL", INVALID_VALUE, (NULL, 1));

  WITH(cuGraphRetainUserObject, "good", SUCCESS, (void)0, (graph, user, 1, 0),
       if (WORKED) MUST(cuGraphReleaseUserObject(graph, user, 1)));
  WITH(cuGraphRetainUserObject, "moved", SUCCESS, MUST(ONE(mine)),
       (graph, mine, 1, CU_GRAPH_USER_OBJECT_MOVE),
       if (WORKED) MUST(cuGraphReleaseUserObject(graph, mine, 1)));
  ROW(cuGraphRetainUserObject, "more moved than there are", SOFTWARE_ONLY(INVALID_VALUE),
      (graph, user, 101, CU_GRAPH_USER_OBJECT_MOVE));
  ROW(cuGraphRetainUserObject, "no reference", INVALID_VALUE, (graph, user, 0, 0));
  ROW(cuGraphRetainUserObject, "2^31 references", INVALID_VALUE, (graph, user, MOST + 1, 0));
  ROW(cuGraphRetainUserObject, "an unknown flag", INVALID_VALUE, (graph, user, 1, 2));
  ROW(cuGraphRetainUserObject, "no graph", INVALID_VALUE, (NULL, user, 1, 0));
  ROW(cuGraphRetainUserObject, "a destroyed graph", INVALID_VALUE, (destroyed, user, 1, 0));
  ROW(cuGraphRetainUserObject, "no object", INVALID_VALUE, (graph, NULL, 1, 0));
  WITH(cuGraphReleaseUserObject, "good", SUCCESS, MUST(cuGraphRetainUserObject(graph, user, 1, 0)),
       (graph, user, 1), (void)0);
  ROW(cuGraphReleaseUserObject, "no reference", INVALID_VALUE, (graph, user, 0));
  ROW(cuGraphReleaseUserObject, "more than it has", SOFTWARE_ONLY(INVALID_VALUE), (graph, user, 101));
  ROW(cuGraphReleaseUserObject, "a graph that has none", SOFTWARE_ONLY(INVALID_VALUE), (empty, user, 1));
  ROW(cuGraphReleaseUserObject, "no graph", INVALID_VALUE, (NULL, user, 1));
  ROW(cuGraphReleaseUserObject, "no object", INVALID_VALUE, (graph, NULL, 1));
#undef ONE
}
