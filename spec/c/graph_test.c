/* Graphs, through the driver API alone, in the manner of driver_test.c: each group runs in a process of
 * its own, and what is expected holds for a GPU as well. MODEL marks what only the software device is known
 * to answer: where a GPU answers something else, that is printed and nothing fails. */
#include "graphs.h"

static void add_in_host(void *data) { ++*(int *)data; }

/* Host memory, pageable too, is read and written when the graph runs. */
static void copies(void) {
  unsigned pageable[4] = {1, 2, 3, 4}, back[4] = {0}, *pinned;
  int calls = 0;
  CUdeviceptr other;
  start();
  OK(cuMemHostAlloc((void **)&pinned, 16, 0));
  OK(cuMemAlloc(&other, BYTES));
  pinned[0] = 50;
  OK(begin());
  OK(cuMemcpyHtoDAsync(buf, pageable, 16, s1));
  OK(cuMemcpyHtoDAsync(buf + 16, pinned, 4, s1));
  OK(cuMemsetD32Async(buf + 20, 7, 2, s1));
  OK(cuMemsetD2D8Async(buf + 32, 8, 9, 4, 2, s1));
  OK(launch_add(s1));
  OK(cuMemcpyDtoDAsync(other, buf, BYTES, s1));
  OK(cuMemcpyAsync(buf + 64, other, 16, s1));
  CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = other,
                       .srcPitch = 8,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = buf + 128,
                       .dstPitch = 16,
                       .WidthInBytes = 4,
                       .Height = 2};
  OK(cuMemcpy2DAsync(&box, s1));
  OK(cuMemcpyDtoHAsync(back, buf + 64, 16, s1));
  OK(cuLaunchHostFunc(s1, add_in_host, &calls));
  CUgraph g = end();
  EQ(back[0], 0);
  EQ(calls, 0);
  size_t n = 16;
  CUgraphNode nodes[16];
  int count[16] = {0};
  OK(cuGraphGetNodes(g, nodes, &n));
  EQ(n, 10);
  for (size_t i = 0; i < n; i++) {
    CUgraphNodeType type;
    OK(cuGraphNodeGetType(nodes[i], &type));
    count[type]++;
  }
  EQ(count[CU_GRAPH_NODE_TYPE_KERNEL], 1);
  EQ(count[CU_GRAPH_NODE_TYPE_MEMCPY], 6);
  EQ(count[CU_GRAPH_NODE_TYPE_MEMSET], 2);
  EQ(count[CU_GRAPH_NODE_TYPE_HOST], 1);
  EQ(count_edges(g), 9);
  CUgraphExec x = instantiate(g);
  pageable[0] = 101;
  pinned[0] = 60;
  OK(cuGraphLaunch(x, s1));
  EQ(back[0], 102); /* a copy to pageable memory is waited for, as without a graph */
  OK(cuStreamSynchronize(s1));
  EQ(back[3], 5);
  EQ(read_word(4), 61);
  EQ(read_word(5), 8);
  EQ(read_word(8), 0x0909090a);
  EQ(read_word(9), 1);
  EQ(read_word(10), 0x0909090a);
  EQ(read_word(32), 102);
  EQ(read_word(36), 4);
  EQ(calls, 1);
  pageable[0] = 201;
  run(x);
  EQ(back[0], 202);
  EQ(calls, 2);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(begin()); /* what is wrong is refused as always, */
  IS(1, cuMemcpyHtoDAsync(1, pageable, 4, s1));
  IS(1, cuMemcpyHtoDAsync(buf + 8, pageable, BYTES, s1));
  IS(1, cuMemsetD32Async(buf + 2, 0, 1, s1));
  if (cuSoftgpuControl) IS(1, cuMemsetD8Async(0x1000, 0, 1, s1)); /* the driver (H200, 580) takes that */
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 0, s1, NULL, NULL));
  IS(400, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, s1, NULL, NULL));
  IS(1, cuLaunchHostFunc(s1, NULL, NULL));
  OK(launch_add(s1));
  IS(1, cuLaunchKernel(add_one, 0, 1, 1, 1, 1, 1, 0, s1, NULL, NULL)); /* but this breaks the capture */
  IS(901, launch_add(s1));
  end_invalid();
  OK(cuCtxDestroy(ctx));
}

static void instantiation(void) {
  CUgraph g;
  CUgraphExec x = NULL, y = NULL;
  cuuint64_t flags = 99;
  start();
  OK(begin());
  OK(launch_add(s1));
  g = end();
  IS(1, cuGraphInstantiate(NULL, g, 0));
  IS(1, cuGraphInstantiate(&x, NULL, 0));
  IS(1, cuGraphInstantiate(&x, g, 1u << 20));
  MODEL(1, cuGraphInstantiate(&x, g, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
  OK(cuGraphInstantiate(&x, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  OK(cuGraphExecGetFlags(x, &flags));
  EQ(flags, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, .hUploadStream = s1};
  p.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  OK(cuGraphInstantiateWithParams(&y, g, &p));
  EQ(p.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  TRUE(x != y);
  run(x);
  run(y);
  EQ(read_word(0), 2);
  OK(cuGraphDestroy(g)); /* before what was made of it */
  run(x);
  OK(cuGraphLaunch(x, s1)); /* destroyed while queued: the work is done all the same */
  OK(cuGraphExecDestroy(x));
  OK(cuStreamSynchronize(s1));
  EQ(read_word(0), 4);
  OK(cuGraphExecDestroy(y));
  IS(1, cuGraphDestroy(NULL));
  IS(1, cuGraphExecDestroy(NULL));
  IS(1, cuGraphLaunch(NULL, s1));
  IS(1, cuGraphCreate(&g, 1));
  IS(1, cuGraphGetNodes(NULL, NULL, &(size_t){0}));
  g = diamond();
  OK(cuCtxSetCurrent(NULL));
  IS(201, cuGraphInstantiate(&x, g, 0));
  OK(cuCtxSetCurrent(ctx));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* An executable graph runs once at a time, also from two streams. */
static void one_at_a_time(void) {
  start_with(CU_STREAM_NON_BLOCKING);
  OK(begin());
  for (unsigned i = 1; i <= 5; i++) OK(launch_note(i, s1));
  CUgraph g = end();
  CUgraphExec x = instantiate(g);
  OK(cuGraphLaunch(x, s1));
  OK(cuGraphLaunch(x, s2));
  OK(cuGraphLaunch(x, s1));
  OK(cuGraphLaunch(x, NULL));
  OK(cuStreamSynchronize(NULL));
  OK(cuCtxSynchronize());
  EQ(read_word(0), 20);
  for (int i = 0; i < 20; i++) EQ(read_word(i + 1), i % 5 + 1);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

static CUresult update(CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *info) {
  memset(info, 0x55, sizeof *info);
  return cuGraphExecUpdate(x, g, info);
}

static void updating(void) {
  CUgraphExecUpdateResultInfo info;
  CUdeviceptr other;
  CUgraph g, h;
  static unsigned host[4];
  start();
  OK(cuMemAlloc(&other, BYTES));
  OK(begin());
  OK(cuMemsetD32Async(buf, 1, 8, s1));
  OK(launch_add(s1));
  OK(cuMemcpyDtoDAsync(other, buf, 16, s1));
  g = end();
  CUgraphExec x = instantiate(g);
  run(x);
  EQ(read_word(0), 2);

  OK(begin()); /* other values, places, functions */
  OK(cuMemsetD32Async(buf + 4, 0, 8, s1));
  OK(launch_note(77, s1));
  OK(cuMemcpyDtoDAsync(other + 16, buf, 16, s1));
  h = end();
  OK(cuGraphLaunch(x, s1)); /* queued before: runs as it was */
  OK(update(x, h, &info));
  EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  OK(cuStreamSynchronize(s1));
  EQ(read_word(0), 2);
  EQ(read_word(1), 2);
  OK(cuMemsetD32(buf, 0, 1));
  run(x);
  EQ(read_word(0), 1);
  EQ(read_word(1), 77);
  EQ(read_word(2), 0);
  OK(cuGraphDestroy(h));
  run(x); /* what came from it stays */
  EQ(read_word(0), 2);

  OK(begin()); /* other sizes */
  OK(cuMemsetD32Async(buf + 4, 0, 16, s1));
  OK(launch_note(77, s1));
  OK(cuMemcpyDtoDAsync(other + 8, buf, 8, s1));
  h = end();
  OK(update(x, h, &info));
  OK(cuGraphDestroy(h));

  OK(begin()); /* one node fewer */
  OK(cuMemsetD32Async(buf, 1, 8, s1));
  OK(launch_add(s1));
  h = end();
  IS(910, update(x, h, &info));
  EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  TRUE(info.errorNode == NULL);
  OK(cuGraphDestroy(h));

  OK(begin()); /* as many, with other edges */
  OK(cuMemsetD32Async(buf, 1, 8, s1));
  follow(s2, s1);
  OK(launch_add(s1));
  OK(cuMemcpyDtoDAsync(other, buf, 16, s2));
  follow(s1, s2);
  h = end();
  IS(910, update(x, h, &info));
  EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  OK(cuGraphDestroy(h));

  OK(begin()); /* another kind of node */
  OK(cuMemsetD32Async(buf, 1, 8, s1));
  OK(cuMemsetD32Async(buf, 1, 8, s1));
  OK(cuMemcpyDtoDAsync(other, buf, 16, s1));
  h = end();
  IS(910, update(x, h, &info));
  EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  OK(cuGraphNodeGetType(info.errorNode, &type));
  EQ(type, CU_GRAPH_NODE_TYPE_MEMSET);
  OK(cuGraphDestroy(h));

  OK(begin()); /* a copy to another place */
  OK(cuMemsetD32Async(buf, 1, 8, s1));
  OK(launch_add(s1));
  OK(cuMemcpyDtoHAsync(host, buf, 16, s1));
  h = end();
  IS(910, update(x, h, &info));
  EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
  TRUE(info.errorNode != NULL);
  OK(cuGraphDestroy(h));

  OK(cuMemsetD32(buf, 0, 1)); /* a refused update changes nothing */
  run(x);
  EQ(read_word(0), 1);
  IS(1, cuGraphExecUpdate(NULL, g, &info));
  IS(1, cuGraphExecUpdate(x, NULL, &info));
  if (cuSoftgpuControl) IS(1, cuGraphExecUpdate(x, g, NULL));
  OK(update(x, g, &info)); /* and back */
  run(x);
  EQ(read_word(0), 2);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));

  /* Streams of a capture may be served in another order. */
  g = diamond();
  x = instantiate(g);
  OK(begin());
  OK(launch_note(1, s1));
  follow(s2, s1);
  OK(launch_note(3, s2));
  OK(launch_note(4, s2));
  OK(launch_note(22, s1));
  follow(s1, s2);
  OK(launch_note(5, s1));
  h = end();
  OK(update(x, h, &info));
  clear();
  run(x);
  EQ(read_word(0), 5);
  EQ(place_of(2), -1);
  TRUE(place_of(22) > 0);
  TRUE(place_of(3) < place_of(4));
  EQ(place_of(5), 4);
  OK(cuGraphDestroy(h));
  OK(cuGraphDestroy(g));
  OK(cuGraphExecDestroy(x));
  OK(cuCtxDestroy(ctx));
}

static void kernel_nodes(void) {
  CUgraph g, h;
  CUgraphNode node, other;
  size_t n = 1;
  CUDA_KERNEL_NODE_PARAMS p;
  start();
  OK(begin());
  OK(launch_note(3, s1));
  g = end();
  OK(cuGraphGetNodes(g, &node, &n));
  OK(cuGraphKernelNodeGetParams(node, &p));
  TRUE(p.func == note);
  EQ(p.gridDimX, 1);
  EQ(p.blockDimX, 1);
  EQ(p.sharedMemBytes, 0);
  TRUE(p.kernelParams && !p.extra);
  EQ(*(CUdeviceptr *)p.kernelParams[0], buf);
  EQ(*(unsigned *)p.kernelParams[1], 3);
  CUgraphExec x = instantiate(g);
  run(x);
  EQ(place_of(3), 0);

  unsigned v = 4;
  void *params[] = {&buf, &v};
  p.kernelParams = params;
  OK(cuGraphLaunch(x, s1)); /* queued before: runs as it was */
  OK(cuGraphExecKernelNodeSetParams(x, node, &p));
  v = 5;
  OK(cuGraphLaunch(x, s1));
  OK(cuStreamSynchronize(s1));
  EQ(read_word(0), 3);
  EQ(read_word(2), 3);
  EQ(read_word(3), 4);
  OK(cuGraphKernelNodeGetParams(node, &p)); /* the graph's own node is as it was */
  EQ(*(unsigned *)p.kernelParams[1], 3);

  unsigned count = WORDS;
  void *params2[] = {&buf, &count};
  CUDA_KERNEL_NODE_PARAMS q = {.func = add_one,
                               .gridDimX = 1,
                               .gridDimY = 1,
                               .gridDimZ = 1,
                               .blockDimX = WORDS,
                               .blockDimY = 1,
                               .blockDimZ = 1,
                               .kernelParams = params2};
  OK(cuGraphExecKernelNodeSetParams(x, node, &q)); /* another function and shape */
  run(x);
  EQ(read_word(0), 4);
  EQ(read_word(20), 1);
  q.blockDimX = 0;
  IS(1, cuGraphExecKernelNodeSetParams(x, node, &q));
  q.blockDimX = WORDS;
  q.kernelParams = NULL;
  IS(1, cuGraphExecKernelNodeSetParams(x, node, &q));
  IS(1, cuGraphExecKernelNodeSetParams(x, node, NULL));
  IS(1, cuGraphExecKernelNodeSetParams(NULL, node, &p));
  OK(cuGraphCreate(&h, 0));
  OK(cuGraphAddKernelNode(&other, h, NULL, 0, &p));
  IS(1, cuGraphExecKernelNodeSetParams(x, other, &p)); /* a node of another graph */
  IS(1, cuGraphKernelNodeGetParams(node, NULL));
  OK(cuGraphDestroy(h));
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* Graphs made node by node, copied and printed. */
static void by_hand(void) {
  CUgraph g, copy;
  CUgraphNode a, b, c, d, list[8];
  int calls = 0;
  unsigned back[2] = {0};
  start();
  OK(cuGraphCreate(&g, 0));
  CUDA_MEMSET_NODE_PARAMS fill = {.dst = buf, .value = 41, .elementSize = 4, .width = WORDS, .height = 1};
  unsigned n = WORDS;
  void *params[] = {&buf, &n};
  CUDA_KERNEL_NODE_PARAMS kernel = {.func = add_one,
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = WORDS,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
  CUDA_HOST_NODE_PARAMS host = {add_in_host, &calls};
  OK(cuGraphAddMemsetNode(&a, g, NULL, 0, &fill, ctx));
  OK(cuGraphAddEmptyNode(&b, g, &a, 1));
  OK(cuGraphAddKernelNode(&c, g, &b, 1, &kernel));
  OK(cuGraphAddHostNode(&d, g, (CUgraphNode[]){b, c}, 2, &host));
  EQ(count_nodes(g), 4);
  EQ(count_edges(g), 4);
  IS(1, cuGraphAddEmptyNode(&b, g, (CUgraphNode[]){c, c}, 2));
  IS(1, cuGraphAddEmptyNode(&b, g, NULL, 1));
  IS(1, cuGraphAddEmptyNode(NULL, g, NULL, 0));
  IS(1, cuGraphAddEmptyNode(&b, NULL, NULL, 0));
  fill.elementSize = 3;
  IS(1, cuGraphAddMemsetNode(&b, g, NULL, 0, &fill, ctx));
  fill.elementSize = 4;
  fill.width = WORDS + 1;
  IS(1, cuGraphAddMemsetNode(&b, g, NULL, 0, &fill, ctx));
  EQ(count_edges(g), 4);
  CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = buf,
                       .srcPitch = 16,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = back,
                       .dstPitch = 4,
                       .WidthInBytes = 4,
                       .Height = 2,
                       .Depth = 1};
  OK(cuGraphAddMemcpyNode(&b, g, &d, 1, &box, ctx));
  box.dstPitch = 3;
  IS(1, cuGraphAddMemcpyNode(&b, g, &d, 1, &box, ctx));
  IS(1, cuGraphAddMemcpyNode(&b, g, &d, 1, NULL, ctx));
  OK(cuGraphClone(&copy, g));
  IS(1, cuGraphClone(NULL, g));
  IS(1, cuGraphClone(&copy, NULL));
  size_t count = 8;
  OK(cuGraphGetNodes(copy, list, &count));
  EQ(count, 5);
  TRUE(list[0] != a && list[0] != b && list[0] != c);
  IS(1, cuGraphAddEmptyNode(&b, copy, &a, 1)); /* of the other graph */
  CUgraphExec x = instantiate(g), y = instantiate(copy);

  char path[64], text[8192];
  snprintf(path, sizeof path, "/tmp/graph_test_%d.dot", (int)getpid());
  OK(cuGraphDebugDotPrint(g, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  FILE *f = fopen(path, "r");
  size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[size] = 0;
  TRUE(strstr(text, "digraph") && strstr(text, "add_one") && strstr(text, "->"));
  unlink(path);
  OK(cuGraphDebugDotPrint(g, path, 0));
  unlink(path);
  IS(304, cuGraphDebugDotPrint(g, "/no/such/folder/x.dot", 0));
  if (cuSoftgpuControl) IS(1, cuGraphDebugDotPrint(g, NULL, 0));

  OK(cuGraphDestroy(g));
  run(x);
  EQ(read_word(9), 42);
  EQ(back[1], 42);
  EQ(calls, 1);
  OK(cuGraphDestroy(copy));
  run(y);
  EQ(read_word(9), 42);
  EQ(calls, 2);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphExecDestroy(y));
  OK(cuCtxDestroy(ctx));
}

/* Events that a graph records for others, or waits for. */
static void event_nodes(void) {
  CUevent done, go;
  CUgraph g;
  start_with(CU_STREAM_NON_BLOCKING);
  OK(cuEventCreate(&done, 0));
  OK(cuEventCreate(&go, 0));
  IS(401, cuEventRecordWithFlags(done, s1, CU_EVENT_RECORD_EXTERNAL)); /* in a capture only */
  IS(401, cuStreamWaitEvent(s1, go, CU_EVENT_WAIT_EXTERNAL));
  OK(begin());
  OK(cuStreamWaitEvent(s1, go, CU_EVENT_WAIT_EXTERNAL));
  OK(launch_note(1, s1));
  OK(cuEventRecordWithFlags(done, s1, CU_EVENT_RECORD_EXTERNAL));
  OK(launch_note(2, s1));
  g = end();
  size_t n = 4;
  CUgraphNode nodes[4];
  int count[16] = {0};
  OK(cuGraphGetNodes(g, nodes, &n));
  EQ(n, 4);
  for (size_t i = 0; i < n; i++) {
    CUgraphNodeType type;
    OK(cuGraphNodeGetType(nodes[i], &type));
    count[type]++;
  }
  EQ(count[CU_GRAPH_NODE_TYPE_WAIT_EVENT], 1);
  EQ(count[CU_GRAPH_NODE_TYPE_KERNEL], 2);
  EQ(count[CU_GRAPH_NODE_TYPE_EVENT_RECORD], 1);
  CUgraphExec x = instantiate(g);
  run(x); /* an event never recorded holds nothing up */
  OK(cuEventSynchronize(done));
  clear();
  for (int i = 0; i < 3; i++) {
    OK(launch_note(10, s2));
    OK(cuEventRecord(go, s2));
    OK(cuGraphLaunch(x, s1));
    OK(cuStreamWaitEvent(s2, done, 0)); /* of this launch */
    OK(launch_note(11, s2));
    OK(cuStreamSynchronize(s2));
    TRUE(place_of(10) < place_of(1));
    TRUE(place_of(1) < place_of(11));
    OK(cuStreamSynchronize(s1));
    EQ(read_word(0), 4);
    OK(cuEventQuery(done));
    clear();
  }
  float ms = -1;
  OK(cuEventElapsedTime(&ms, go, done));
  TRUE(ms >= 0 || !cuSoftgpuControl);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* A graph cannot be launched into a capture, in any mode. */
static void nested(void) {
  CUgraph g;
  start();
  g = diamond();
  CUgraphExec x = instantiate(g);
  for (int mode = 0; mode < 3; mode++)
    for (int used = 0; used < 2; used++) {
      OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
      OK(launch_note(20, s1));
      IS(900, cuGraphLaunch(x, s1));
      IS(901, launch_note(21, s1));
      end_invalid();
      OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
      OK(cuGraphLaunch(x, s2)); /* but into another stream */
      OK(cuGraphUpload(x, s2));
      OK(cuGraphDestroy(end()));
      OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
      IS(900, cuGraphUpload(x, s1));
      end_invalid();
    }
  OK(cuStreamSynchronize(s2));
  EQ(read_word(0), 30);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* Calls on graphs while one is captured. */
static void meanwhile(void) {
  CUgraphExecUpdateResultInfo info;
  CUgraph g, mine, copy;
  CUstreamCaptureStatus status;
  CUgraphExec y;
  start();
  g = diamond();
  CUgraphExec x = instantiate(g);
  for (int mode = 0; mode < 3; mode++) {
    bool relaxed = mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
    OK(launch_add(s1));
    OK(cuStreamGetCaptureInfo(s1, &status, NULL, &mine, NULL, NULL, NULL));
    IS(401, cuGraphDestroy(mine));
    OK(cuGraphClone(&copy, mine));
    EQ(count_nodes(copy), 1);
    OK(cuGraphDestroy(copy));
    OK(update(x, g, &info));
    OK(cuGraphCreate(&copy, 0));
    OK(cuGraphDestroy(copy));
    IS(relaxed ? 0 : 900, cuGraphInstantiate(&y, relaxed ? mine : g, 0)); /* as it is now */
    if (!relaxed) {
      end_invalid();
      continue;
    }
    OK(launch_add(s1));
    mine = end();
    EQ(count_nodes(mine), 2);
    OK(cuGraphDestroy(mine));
    run(y);
    EQ(read_word(0), 1);
    OK(cuGraphExecDestroy(y));
  }
  for (int mode = 0; mode < 2; mode++) {
    OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
    IS(900, cuGraphExecDestroy(x));
    end_invalid();
  }
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

static void two_contexts(void) {
  CUcontext second;
  CUstream s;
  CUgraph g;
  start();
  OK(cuCtxCreate(&second, NULL, 0, dev));
  OK(cuCtxSetCurrent(ctx));
  OK(begin());
  OK(launch_add(s1));
  OK(cuCtxSetCurrent(second)); /* the capture goes on */
  OK(cuStreamCreate(&s, 0));
  OK(launch_add(s1));
  OK(cuCtxSetCurrent(ctx));
  OK(launch_add(s1));
  g = end();
  EQ(count_nodes(g), 3);
  CUgraphExec x = instantiate(g);
  OK(cuCtxSetCurrent(second));
  run(x); /* the stream says where */
  OK(cuCtxSetCurrent(ctx));
  EQ(read_word(0), 3);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(second));
  OK(cuCtxDestroy(ctx));
}

/* A base name gives the newest form of the function, which is not always the one of the header's macro. */
static void proc_address(void) {
  typedef CUresult (*Old)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
  CUgraph g;
  CUgraphExec x = NULL;
  CUgraphNode node = (CUgraphNode)1;
  char log[16] = "?";
  void *p = NULL, *q = NULL;
  start();
  OK(cuGetProcAddress("cuGraphInstantiate", &p, 12000, 0, NULL));
  Old old;
  memcpy(&old, &p, sizeof old);
  OK(cuGraphCreate(&g, 0));
  OK(old(&x, g, &node, log, sizeof log));
  run(x);
  OK(cuGetProcAddress("cuStreamBeginCapture", &p, 12000, 0, NULL));
  OK(cuGetProcAddress("cuStreamBeginCapture", &q, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                      NULL));
  TRUE(p && q && p != q);
  OK(cuCtxDestroy(ctx));
}

/* Much of everything. */
static void many(void) {
  enum { N = 3000 };
  start();
  OK(begin());
  bool good = true;
  for (int i = 0; i < N; i++) good = good && launch_note(1, s1) == 0;
  CUgraph g = end();
  TRUE(good);
  EQ(count_nodes(g), N);
  EQ(count_edges(g), N - 1);
  OK(cuGraphDestroy(g));
  OK(begin());
  for (int i = 0; i < 300; i++) {
    good = good && launch_add(s1) == 0;
    if (i % 3 == 0) follow(s2, s1);
    if (i % 3 == 1) good = good && cuMemsetD32Async(buf + 4, 5, 1, s2) == 0;
    if (i % 3 == 2) follow(s1, s2);
  }
  g = end();
  TRUE(good);
  EQ(count_nodes(g), 400);
  CUgraphExec x = instantiate(g);
  run(x);
  run(x);
  EQ(read_word(0), 600);
  CUgraphExecUpdateResultInfo info;
  OK(update(x, g, &info));
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* --- of the software device only --- */

static void soft_counts(void) {
  CUgraph g;
  start();
  EQ(stat("live_graphs"), 0);
  OK(begin());
  OK(launch_add(s1));
  g = end();
  CUgraphExec x = instantiate(g);
  EQ(stat("live_graphs"), 1);
  EQ(stat("live_execs"), 1);
  TRUE(reply_has("leaks", "graph 0x"));
  TRUE(reply_has("leaks", "exec 0x"));
  CUgraphNode node;
  size_t n = 1;
  OK(cuGraphGetNodes(g, &node, &n));
  OK(cuGraphDestroy(g));
  OK(cuGraphExecDestroy(x));
  EQ(stat("live_graphs"), 0);
  EQ(stat("live_execs"), 0);
  EQ(stat("stale"), 0);
  IS(1, cuGraphDestroy(g)); /* what is dead is noticed */
  IS(1, cuGraphExecDestroy(x));
  IS(1, cuGraphLaunch(x, s1));
  IS(1, cuGraphNodeGetType(node, &(CUgraphNodeType){0}));
  EQ(stat("stale"), 4);
  CUgraph next;
  OK(cuGraphCreate(&next, 0));
  TRUE(next == g); /* handles come back at once */

  OK(begin()); /* a reset with everything alive */
  OK(launch_add(s1));
  follow(s2, s1);
  OK(cuSoftgpuControl("reset", NULL, 0, NULL));
  start();
  EQ(stat("live_graphs"), 0);
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
  CUdeviceptr p;
  OK(cuMemAlloc(&p, 16));
  OK(begin());
  OK(launch_add(s1));
  OK(cuCtxDestroy(ctx)); /* a context with a capture in it */
  EQ(stat("live_graphs"), 0);
  start();
  OK(cuMemAlloc(&p, 16)); /* and nothing is forbidden any more */
  OK(begin());
  OK(cuStreamDestroy(s1)); /* the stream itself */
  EQ(stat("live_graphs"), 0);
  OK(cuMemAlloc(&p, 16));
}

static void soft_log(void) {
  start();
  OK(cuSoftgpuControl("log on", NULL, 0, NULL));
  OK(begin());
  OK(launch_add(s1));
  OK(cuMemsetD32Async(buf, 0, 4, s1));
  CUgraph g = end();
  CUgraphExec x = instantiate(g);
  run(x);
  char line[256];
  snprintf(line, sizeof line, "cuStreamBeginCapture_v2 0 0x%llx stream=0x%llx mode=1\n",
           (unsigned long long)(uintptr_t)ctx, (unsigned long long)(uintptr_t)s1);
  TRUE(reply_has("log", line));
  snprintf(line, sizeof line, "cuStreamEndCapture 0 0x%llx stream=0x%llx graph=0x%llx\n",
           (unsigned long long)(uintptr_t)ctx, (unsigned long long)(uintptr_t)s1,
           (unsigned long long)(uintptr_t)g);
  TRUE(reply_has("log", line));
  snprintf(line, sizeof line, "cuGraphLaunch 0 0x%llx exec=0x%llx stream=0x%llx\n",
           (unsigned long long)(uintptr_t)ctx, (unsigned long long)(uintptr_t)x,
           (unsigned long long)(uintptr_t)s1);
  TRUE(reply_has("log", line));
  OK(cuGraphDestroy(g));
  IS(1, cuGraphDestroy(g));
  snprintf(line, sizeof line, "stale=graph:0x%llx\n", (unsigned long long)(uintptr_t)g);
  TRUE(reply_has("log", line));
}

/* Memory, modules and events that go between capture and launch. */
static void soft_freed(void) {
  CUgraph g;
  CUdeviceptr p;
  setenv("CUDALUA_SOFT_STREAMS", "deferred", 1);
  start();
  OK(begin());
  OK(launch_add(s1));
  g = end();
  CUgraphExec x = instantiate(g);
  OK(cuModuleUnload(mod));
  IS(400, cuGraphLaunch(x, s1)); /* refused, not run */
  EQ(stat("stale"), 1);
  CUgraphExec y = NULL;
  IS(400, cuGraphInstantiate(&y, g, 0));
  CUgraphExecUpdateResultInfo info;
  IS(400, cuGraphExecUpdate(x, g, &info));
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));

  CUevent e;
  OK(cuEventCreate(&e, 0));
  OK(begin());
  OK(cuEventRecordWithFlags(e, s1, CU_EVENT_RECORD_EXTERNAL));
  g = end();
  x = instantiate(g);
  OK(cuEventDestroy(e));
  IS(400, cuGraphLaunch(x, s1));
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));

  OK(cuMemAlloc(&p, 1 << 20));
  OK(begin());
  OK(cuMemcpyDtoDAsync(buf, p, 16, s1));
  g = end();
  x = instantiate(g);
  run(x);
  OK(cuMemFree(p));
  OK(cuGraphLaunch(x, s1));
  IS(700, cuStreamSynchronize(s1));
  TRUE(reply_has("report", "freed"));
  OK(cuGraphExecDestroy(x)); /* works on a dead device */
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* An executable graph goes with its kernels' context, which the driver (H200, 580) answers with a crash. */
static void soft_orphan(void) {
  CUcontext second;
  start();
  CUgraph g = diamond();
  CUgraphExec x = instantiate(g), y = instantiate(g);
  OK(cuGraphExecDestroy(y));
  OK(cuCtxCreate(&second, NULL, 0, dev));
  y = instantiate(g);
  OK(cuCtxDestroy(second)); /* not its context */
  OK(cuCtxSetCurrent(ctx));
  EQ(stat("live_execs"), 2);
  run(y);
  check_diamond();
  OK(cuCtxDestroy(ctx));
  EQ(stat("live_execs"), 0);
  EQ(stat("stale"), 0);
  IS(709, cuGraphExecDestroy(x));
  IS(709, cuGraphLaunch(y, NULL));
  EQ(stat("stale"), 2);
  OK(cuGraphDestroy(g)); /* the graph itself is no one's */
}

static void soft_freed_kernel(void) {
  CUgraph g;
  setenv("CUDALUA_SOFT_STREAMS", "deferred", 1);
  start();
  OK(begin());
  OK(launch_add(s1));
  OK(launch_add(s1));
  g = end();
  CUgraphExec x = instantiate(g);
  OK(cuMemFree(buf));
  OK(cuGraphLaunch(x, s1));
  OK(cuGraphLaunch(x, s2));
  IS(700, cuStreamSynchronize(s2));
  TRUE(reply_has("report", "add_one"));
  OK(cuCtxDestroy(ctx));
  OK(cuSoftgpuControl("reset", NULL, 0, NULL));
  EQ(stat("live_execs"), 0);
}

/* Nothing runs before somebody waits, and a query moves things on by one step. */
static void soft_deferred(void) {
  setenv("CUDALUA_SOFT_STREAMS", "deferred", 1);
  start();
  CUgraph g = diamond();
  CUgraphExec x = instantiate(g);
  volatile unsigned *words = (volatile unsigned *)(uintptr_t)buf;
  OK(cuGraphLaunch(x, s1));
  EQ(words[0], 0);
  for (int i = 0; i < 4; i++) {
    IS(600, cuStreamQuery(s1));
    EQ(words[0], i + 1);
  }
  IS(600, cuStreamQuery(s1));
  OK(cuStreamQuery(s1));
  EQ(words[0], 5);
  check_diamond();
}

static void soft_eager(void) {
  setenv("CUDALUA_SOFT_STREAMS", "eager", 1);
  start();
  CUgraph g = diamond();
  CUgraphExec x = instantiate(g);
  volatile unsigned *words = (volatile unsigned *)(uintptr_t)buf;
  EQ(words[0], 0);
  OK(cuGraphLaunch(x, s1));
  EQ(words[0], 5);
  check_diamond();
}

/* Any legal order, and not always the same one. */
static void soft_random(void) {
  bool first[3] = {false};
  setenv("CUDALUA_SOFT_STREAMS", "random:7", 1);
  start_with(CU_STREAM_NON_BLOCKING);
  CUgraph g = diamond();
  CUgraphExec x = instantiate(g);
  for (int i = 0; i < 40; i++) {
    clear();
    run(x);
    check_diamond();
    first[place_of(2) - 1] = true;
  }
  TRUE(first[0] && first[1] && first[2]);
  bool between = false; /* two graphs in two streams mix */
  CUgraphExec y = instantiate(g);
  for (int i = 0; i < 40 && !between; i++) {
    clear();
    OK(cuGraphLaunch(x, s1));
    OK(cuGraphLaunch(y, s2));
    OK(cuCtxSynchronize());
    EQ(read_word(0), 10);
    between = read_word(2) == 1;
  }
  TRUE(between);
}

/* Parallel branches take as long as the longest of them. */
static void soft_time(void) {
  CUevent a, b;
  CUdeviceptr big;
  float together, apart;
  start_with(CU_STREAM_NON_BLOCKING);
  OK(cuMemAlloc(&big, 64 << 20));
  OK(cuEventCreate(&a, 0));
  OK(cuEventCreate(&b, 0));
  for (int i = 0; i < 2; i++) {
    OK(begin());
    if (i == 0) follow(s2, s1);
    OK(cuMemsetD8Async(big, 1, 32 << 20, s1));
    OK(cuMemsetD8Async(big + (32 << 20), 1, 32 << 20, i ? s1 : s2));
    if (i == 0) follow(s1, s2);
    CUgraph g = end();
    CUgraphExec x = instantiate(g);
    OK(cuEventRecord(a, s1));
    OK(cuGraphLaunch(x, s1));
    OK(cuEventRecord(b, s1));
    OK(cuEventSynchronize(b));
    OK(cuEventElapsedTime(i ? &apart : &together, a, b));
  }
  TRUE(together > 0 && apart > together * 1.8f && apart < together * 2.2f);
}

/* A graph as a node of others: copied when it is added, run as a whole between what comes before it and what
 * comes after. */
static void children(void) {
  CUgraph inner, outer, outermost, of_node = NULL, clone;
  CUgraphNode a, b, c, d, list[8];
  CUgraphNodeType type;
  CUDA_MEMSET_NODE_PARAMS fill = {.dst = buf, .value = 5, .elementSize = 4, .width = WORDS, .height = 1};
  size_t count = 8;
  int calls = 0;
  start();
  fill.dst = buf;
  OK(begin());
  OK(launch_add(s1));
  OK(launch_add(s1));
  inner = end();
  OK(cuGraphCreate(&outer, 0));
  OK(cuGraphAddMemsetNode(&a, outer, NULL, 0, &fill, ctx));
  OK(cuGraphAddChildGraphNode(&b, outer, &a, 1, inner));
  CUDA_HOST_NODE_PARAMS host = {add_in_host, &calls};
  OK(cuGraphAddHostNode(&c, outer, &b, 1, &host));
  OK(cuGraphAddChildGraphNode(&d, outer, (CUgraphNode[]){b, c}, 2, inner));
  IS(1, cuGraphAddChildGraphNode(NULL, outer, NULL, 0, inner));
  IS(1, cuGraphAddChildGraphNode(&c, outer, NULL, 0, NULL));
  IS(1, cuGraphAddChildGraphNode(&c, NULL, NULL, 0, inner));
  IS(1, cuGraphAddChildGraphNode(&c, outer, (CUgraphNode[]){b, b}, 2, inner));
  EQ(count_nodes(outer), 4);
  OK(cuGraphNodeGetType(b, &type));
  EQ(type, CU_GRAPH_NODE_TYPE_GRAPH);

  OK(cuGraphChildGraphNodeGetGraph(b, &of_node));
  TRUE(of_node != NULL && of_node != inner);
  IS(1, cuGraphChildGraphNodeGetGraph(b, NULL));
  IS(1, cuGraphChildGraphNodeGetGraph(NULL, &of_node));
  IS(1, cuGraphChildGraphNodeGetGraph(a, &of_node));
  EQ(count_nodes(of_node), 2);
  OK(cuGraphGetNodes(of_node, list, &count));
  EQ(count, 2);
  MODEL(1, SOFT ? cuGraphDestroy(of_node) : CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphAddEmptyNode(&c, inner, NULL, 0)); /* not in the copies */
  EQ(count_nodes(of_node), 2);
  OK(cuGraphDestroy(inner));

  OK(cuGraphCreate(&outermost, 0));
  OK(cuGraphAddChildGraphNode(&c, outermost, NULL, 0, outer));
  OK(cuGraphAddChildGraphNode(&d, outermost, &c, 1, outer));
  OK(cuGraphClone(&clone, outermost));
  CUgraphExec x = instantiate(outer), y = instantiate(outermost), z = instantiate(clone);
  run(x);
  EQ(read_word(0), 9);
  EQ(calls, 1);
  run(y);
  EQ(read_word(WORDS - 1), 9);
  EQ(calls, 3);

  CUgraph other; /* of the same form, with kernels for other memory */
  CUgraphExecUpdateResultInfo info;
  CUdeviceptr first = buf, second;
  OK(cuMemAlloc(&second, BYTES));
  OK(cuMemsetD32(second, 0, WORDS));
  OK(cuCtxSynchronize());
  buf = second;
  fill.value = 7;
  OK(begin());
  OK(launch_add(s1));
  OK(launch_add(s1));
  inner = end();
  OK(cuGraphCreate(&other, 0));
  OK(cuGraphAddMemsetNode(&a, other, NULL, 0, &fill, ctx));
  OK(cuGraphAddChildGraphNode(&b, other, &a, 1, inner));
  IS(910, cuGraphExecUpdate(x, other, &info)); /* of another form */
  OK(cuGraphAddHostNode(&c, other, &b, 1, &host));
  OK(cuGraphAddChildGraphNode(&d, other, (CUgraphNode[]){b, c}, 2, inner));
  OK(cuGraphExecUpdate(x, other, &info));
  CUDA_KERNEL_NODE_PARAMS kernel = {.func = NULL};
  OK(cuGraphChildGraphNodeGetGraph(b, &of_node));
  count = 8;
  OK(cuGraphGetNodes(of_node, list, &count));
  OK(cuGraphKernelNodeGetParams(list[0], &kernel));
  TRUE(kernel.func == add_one);
  OK(cuGraphDestroy(inner));
  OK(cuGraphDestroy(other));
  OK(cuGraphDestroy(outer));
  OK(cuGraphDestroy(outermost));
  run(x);
  EQ(read_word(3), 4);
  buf = first;
  EQ(read_word(3), 7);
  run(z);
  EQ(read_word(3), 9);
  OK(cuGraphDestroy(clone));
  OK(cuGraphExecDestroy(x));
  OK(cuGraphExecDestroy(y));
  OK(cuGraphExecDestroy(z));
  if (SOFT) {
    EQ(stat("live_graphs"), 0);
    EQ(stat("live_execs"), 0);
  }
  OK(cuCtxDestroy(ctx));
}

/* What a reset finds of nested graphs goes, each once. */
static void soft_children_reset(void) {
  CUgraph inner, outer;
  CUgraphNode a;
  start();
  inner = diamond();
  OK(cuGraphCreate(&outer, 0));
  for (int i = 0; i < 3; i++) OK(cuGraphAddChildGraphNode(&a, outer, NULL, 0, i ? outer : inner));
  EQ(stat("live_graphs"), 9); /* two, and those of nodes: 1; 1 with 1 inside; 1 with 1 + 2 inside */
  CUgraphExec x = instantiate(outer);
  run(x);
  EQ(read_word(0), 20);
  OK(cuSoftgpuControl("reset", NULL, 0, NULL));
  EQ(stat("live_graphs"), 0);
  EQ(stat("live_execs"), 0);
}

/* A host function runs unlocked: other threads may do what they like to the graph meanwhile. */
static CUgraphExec busy_exec;
static CUgraph busy_graph;

static void *destroy_both(void *arg) {
  (void)arg;
  OK(cuCtxSetCurrent(ctx));
  OK(cuGraphDestroy(busy_graph));
  OK(cuGraphExecDestroy(busy_exec));
  return NULL;
}

static void destroy_from_host(void *data) {
  ++*(int *)data;
  IS(800, cuGraphDestroy(busy_graph)); /* not from here */
  in_thread(destroy_both, NULL);
}

static void soft_busy(void) {
  int calls = 0;
  start();
  OK(begin());
  OK(launch_note(1, s1));
  OK(cuLaunchHostFunc(s1, destroy_from_host, &calls));
  OK(launch_note(2, s1));
  busy_graph = end();
  busy_exec = instantiate(busy_graph);
  run(busy_exec);
  EQ(calls, 1);
  EQ(place_of(2), 1);
  EQ(stat("live_graphs"), 0);
  EQ(stat("live_execs"), 0);
  EQ(stat("stale"), 0);
}

/* A call that is refused in the middle of things leaves nothing behind. */
static void soft_injected(void) {
  static const char *const calls[] = {"cuStreamBeginCapture_v2", "cuStreamEndCapture",
                                      "cuGraphInstantiateWithFlags", "cuGraphLaunch", "cuLaunchKernel"};
  start();
  for (int i = 0; i < 5; i++) {
    char command[64];
    snprintf(command, sizeof command, "fail %s 1 2", calls[i]);
    OK(cuSoftgpuControl(command, NULL, 0, NULL));
    CUgraph g = NULL;
    CUgraphExec x = NULL;
    int bad = 0;
    CUresult r = begin();
    bad += r != 0;
    if (!r) {
      bad += launch_add(s1) != 0;
      bad += cuStreamEndCapture(s1, &g) != 0;
      if (!g) OK(cuStreamEndCapture(s1, &g));
      bad += cuGraphInstantiate(&x, g, 0) != 0;
      if (x) {
        bad += cuGraphLaunch(x, s1) != 0;
        OK(cuGraphExecDestroy(x));
      }
      OK(cuGraphDestroy(g));
    }
    EQ(bad, 1);
    EQ(stat("live_graphs"), 0);
    EQ(stat("live_execs"), 0);
  }
}

/* --- user objects: what graphs hold of the program's --- */

enum { MOVE = CU_GRAPH_USER_OBJECT_MOVE };

/* A GPU's driver calls the function in a thread of its own, some time later. */
static int settled(const int *counter, int expected) {
  for (int i = 0; i < 2000 && __atomic_load_n(counter, __ATOMIC_SEQ_CST) < expected; i++) usleep(1000);
  if (!SOFT) usleep(20000);
  return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}
#define ENDED(counter, n) EQ(settled(&(counter), n), n)

static void count_end(void *data) { __atomic_fetch_add((int *)data, 1, __ATOMIC_SEQ_CST); }

static CUuserObject object_of(int *counter, unsigned references) {
  CUuserObject u = NULL;
  OK(cuUserObjectCreate(&u, counter, count_end, references, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  return u;
}

/* The last reference of the program or a graph, in any order. */
static void user_object_references(void) {
  int ended = 0;
  CUgraph g;
  start();
  CUuserObject u = object_of(&ended, 3);
  OK(cuUserObjectRelease(u, 2));
  OK(cuUserObjectRetain(u, 1));
  OK(cuUserObjectRelease(u, 1));
  ENDED(ended, 0);
  OK(cuUserObjectRelease(u, 1));
  ENDED(ended, 1);
  OK(cuGraphCreate(&g, 0));
  u = object_of(&ended, 1);
  OK(cuGraphRetainUserObject(g, u, 2, 0));
  OK(cuUserObjectRelease(u, 1));
  OK(cuGraphReleaseUserObject(g, u, 1));
  ENDED(ended, 1);
  OK(cuGraphReleaseUserObject(g, u, 1));
  ENDED(ended, 2);
  u = object_of(&ended, 1);
  OK(cuGraphRetainUserObject(g, u, 1, MOVE)); /* the program has none of it any more */
  OK(cuGraphDestroy(g));
  ENDED(ended, 3);
  OK(cuCtxDestroy(ctx));
}

/* Clones, child graphs and executable graphs have references of their own. */
static void user_object_copies(void) {
  int ended = 0;
  CUgraph g, clone, parent, inner;
  CUgraphNode node;
  CUgraphExec x;
  start();
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphRetainUserObject(g, object_of(&ended, 1), 1, MOVE));
  OK(cuGraphClone(&clone, g));
  OK(cuGraphDestroy(g));
  ENDED(ended, 0);
  OK(cuGraphCreate(&parent, 0));
  OK(cuGraphAddChildGraphNode(&node, parent, NULL, 0, clone));
  OK(cuGraphDestroy(clone));
  ENDED(ended, 0);
  x = instantiate(parent);
  OK(cuGraphDestroy(parent));
  ENDED(ended, 0); /* through the child graph */
  run(x);
  ENDED(ended, 0);
  OK(cuGraphExecDestroy(x));
  ENDED(ended, 1);
  OK(cuGraphCreate(&parent, 0));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphAddChildGraphNode(&node, parent, NULL, 0, g));
  OK(cuGraphDestroy(g));
  OK(cuGraphChildGraphNodeGetGraph(node, &inner));
  OK(cuGraphRetainUserObject(inner, object_of(&ended, 1), 1, MOVE));
  OK(cuGraphDestroy(parent));
  ENDED(ended, 2);
  OK(cuCtxDestroy(ctx));
}

/* A launch that is under way keeps what its program held, whatever becomes of the executable graph. */
static void user_object_launches(void) {
  int first = 0, second = 0;
  CUgraphExecUpdateResultInfo info;
  start();
  OK(begin());
  OK(launch_add(s1));
  CUgraph a = end();
  OK(begin());
  OK(launch_add(s1));
  CUgraph b = end();
  OK(cuGraphRetainUserObject(a, object_of(&first, 1), 1, MOVE));
  OK(cuGraphRetainUserObject(b, object_of(&second, 1), 1, MOVE));
  CUgraphExec x = instantiate(a);
  OK(cuGraphDestroy(a));
  OK(cuGraphLaunch(x, s1));
  OK(update(x, b, &info)); /* the new graph's replace the old one's */
  OK(cuGraphDestroy(b));
  if (deferred()) EQ(first, 0);
  OK(cuStreamSynchronize(s1));
  ENDED(first, 1);
  OK(cuGraphLaunch(x, s1));
  OK(cuGraphExecDestroy(x));
  if (deferred()) EQ(second, 0);
  OK(cuStreamSynchronize(s1));
  ENDED(second, 1);
  EQ(read_word(0), 2);
  OK(cuCtxDestroy(ctx));
}

/* An update that is refused changes nothing. */
static void user_object_bad_update(void) {
  int kept = 0, other = 0;
  CUgraphExecUpdateResultInfo info;
  CUgraph a, b;
  CUgraphNode node;
  start();
  OK(cuGraphCreate(&a, 0));
  OK(cuGraphCreate(&b, 0));
  OK(cuGraphAddEmptyNode(&node, b, NULL, 0));
  OK(cuGraphRetainUserObject(a, object_of(&kept, 1), 1, MOVE));
  OK(cuGraphRetainUserObject(b, object_of(&other, 1), 1, MOVE));
  CUgraphExec x = instantiate(a);
  IS(910, update(x, b, &info));
  OK(cuGraphDestroy(a));
  OK(cuGraphDestroy(b));
  ENDED(other, 1);
  ENDED(kept, 0);
  OK(cuGraphExecDestroy(x));
  ENDED(kept, 1);
  OK(cuCtxDestroy(ctx));
}

/* A captured graph takes references while it is recorded, by the handle that the stream tells. */
static void user_object_capture(void) {
  int kept = 0, lost = 0;
  CUstreamCaptureStatus status;
  CUgraph recorded, g;
  start();
  OK(begin());
  OK(launch_add(s1));
  OK(cuStreamGetCaptureInfo(s1, &status, NULL, &recorded, NULL, NULL, NULL));
  OK(cuGraphRetainUserObject(recorded, object_of(&kept, 1), 1, MOVE));
  g = end();
  ENDED(kept, 0);
  CUgraphExec x = instantiate(g);
  OK(cuGraphDestroy(g));
  run(x);
  ENDED(kept, 0);
  OK(cuGraphExecDestroy(x));
  ENDED(kept, 1);
  OK(begin());
  OK(cuStreamGetCaptureInfo(s1, &status, NULL, &recorded, NULL, NULL, NULL));
  OK(cuGraphRetainUserObject(recorded, object_of(&lost, 1), 1, MOVE));
  IS(900, cuStreamSynchronize(s1)); /* breaks it */
  end_invalid();
  ENDED(lost, 1);
  OK(cuCtxDestroy(ctx));
}

static struct {
  CUresult ask, fact;
  int calls;
} in_end;

static void call_driver(void *data) {
  int version;
  size_t free_bytes, total;
  (void)data;
  in_end.ask = cuMemGetInfo(&free_bytes, &total);
  in_end.fact = cuDriverGetVersion(&version);
  in_end.calls++;
}

/* The function may call nothing, though the call that led to it is over. Several come in their order. */
static void user_object_forbidden(void) {
  int ended = 0;
  CUuserObject u;
  start();
  OK(cuUserObjectCreate(&u, NULL, call_driver, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  OK(cuUserObjectRelease(u, 1));
  EQ(in_end.calls, 1);
  EQ(in_end.ask, 800);
  EQ(in_end.fact, 0);
  OK(cuCtxSynchronize()); /* and the thread may call again */
  CUgraph g = diamond();
  OK(cuUserObjectCreate(&u, NULL, call_driver, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  OK(cuGraphRetainUserObject(g, u, 1, MOVE));
  OK(cuGraphRetainUserObject(g, object_of(&ended, 1), 1, MOVE));
  CUgraphExec x = instantiate(g);
  OK(cuGraphDestroy(g));
  OK(cuGraphLaunch(x, s1));
  OK(cuGraphExecDestroy(x));
  OK(cuStreamSynchronize(s1)); /* the work of the launch drops them */
  EQ(in_end.calls, 2);
  EQ(in_end.ask, 800);
  EQ(ended, 1);
  object_of(&ended, 1); /* what is there at the end is not called */
  OK(cuSoftgpuControl("reset", NULL, 0, NULL));
  EQ(ended, 1);
}

static const Group groups[] = {
    {"copies", copies, ANYWHERE},
    {"instantiation", instantiation, ANYWHERE},
    {"one_at_a_time", one_at_a_time, ANYWHERE},
    {"updating", updating, ANYWHERE},
    {"kernel_nodes", kernel_nodes, ANYWHERE},
    {"by_hand", by_hand, ANYWHERE},
    {"event_nodes", event_nodes, ANYWHERE},
    {"nested", nested, ANYWHERE},
    {"children", children, ANYWHERE},
    {"user_object_references", user_object_references, ANYWHERE},
    {"user_object_copies", user_object_copies, ANYWHERE},
    {"user_object_launches", user_object_launches, ANYWHERE},
    {"user_object_bad_update", user_object_bad_update, ANYWHERE},
    {"user_object_capture", user_object_capture, ANYWHERE},
    {"user_object_forbidden", user_object_forbidden, SOFTWARE},
    {"children_reset", soft_children_reset, SOFTWARE},
    {"meanwhile", meanwhile, ANYWHERE},
    {"two_contexts", two_contexts, ANYWHERE},
    {"proc_address", proc_address, ANYWHERE},
    {"many", many, ANYWHERE},
    {"counts", soft_counts, SOFTWARE},
    {"log", soft_log, SOFTWARE},
    {"freed", soft_freed, SOFTWARE},
    {"freed_kernel", soft_freed_kernel, SOFTWARE},
    {"orphan", soft_orphan, SOFTWARE},
    {"deferred", soft_deferred, SOFTWARE},
    {"eager", soft_eager, SOFTWARE},
    {"random", soft_random, SOFTWARE},
    {"time", soft_time, SOFTWARE},
    {"busy", soft_busy, SOFTWARE},
    {"injected", soft_injected, SOFTWARE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
