/* Stream capture, through the driver API alone, in the manner of driver_test.c: each group runs in a process
 * of its own, and what is expected holds for a GPU as well. MODEL marks what only the software device is
 * known to answer: where a GPU answers something else, that is printed and nothing fails. */
#include "graphs.h"

/* The per-thread twins, which the header has only for programs that want them everywhere. */
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph);
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream);

static void basic(void) {
  start();
  for (int mode = 0; mode < 3; mode++) {
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, id2 = 0;
    CUgraph g = NULL, same = NULL;
    const CUgraphNode *after = NULL;
    const CUgraphEdgeData *edges = NULL;
    size_t n = 99;
    EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamGetCaptureInfo(s1, &status, &id, &g, NULL, NULL, NULL));
    EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
    EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuStreamGetCaptureInfo(s1, &status, &id, &same, &after, &edges, &n));
    EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EQ(n, 0);
    TRUE(same != NULL && id != 0);
    OK(launch_add(s1));
    OK(launch_add(s1));
    OK(cuStreamGetCaptureInfo(s1, &status, &id2, &g, &after, &edges, &n));
    EQ(id, id2);
    TRUE(g == same);
    EQ(n, 1);
    EQ(edges[0].type, 0);
    CUgraphNode last = after[0];
    CUgraphNodeType type = (CUgraphNodeType)77;
    OK(cuGraphNodeGetType(last, &type));
    EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
    IS(1, cuStreamGetCaptureInfo(s1, NULL, &id, &g, &after, &edges, &n));
    g = end();
    TRUE(g == same);
    EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
    EQ(read_word(3), 0); /* nothing has run */
    EQ(count_nodes(g), 2);
    EQ(count_edges(g), 1);
    CUgraphNode nodes[4], from, to;
    CUgraphEdgeData data;
    n = 4;
    OK(cuGraphGetNodes(g, nodes, &n));
    EQ(n, 2);
    TRUE(nodes[0] && nodes[1] && !nodes[2] && !nodes[3]);
    TRUE(nodes[0] == last || nodes[1] == last);
    n = 1;
    OK(cuGraphGetRootNodes(g, &from, &n));
    EQ(n, 1);
    CUgraphNode root = from;
    TRUE(root != last);
    n = 1;
    OK(cuGraphGetEdges(g, &from, &to, &data, &n));
    EQ(n, 1);
    TRUE(from == root && to == last);
    CUgraphExec x = instantiate(g);
    run(x);
    EQ(read_word(3), 2);
    run(x);
    EQ(read_word(WORDS - 1), 4);
    OK(cuGraphUpload(x, s1));
    OK(cuGraphDestroy(g));
    run(x);
    EQ(read_word(3), 6);
    OK(cuGraphExecDestroy(x));
    clear();
  }
  IS(1, cuStreamBeginCapture(s1, (CUstreamCaptureMode)3));
  IS(1, cuStreamIsCapturing(s1, NULL));
  OK(begin()); /* nothing in it */
  CUgraph g = end();
  EQ(count_nodes(g), 0);
  CUgraphExec x = instantiate(g);
  run(x);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* What was put in the stream before the capture runs as always, and parameters are taken at once. */
static void parameters(void) {
  CUgraph g;
  unsigned v = 7;
  start();
  void *params[] = {&buf, &v};
  struct {
    CUdeviceptr p;
    unsigned v;
  } packed = {buf, 9};
  size_t size = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  OK(launch_note(1, s1));
  OK(begin());
  OK(cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, s1, params, NULL));
  v = 8;
  OK(cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, s1, NULL, extra));
  packed.v = 10;
  g = end();
  OK(cuStreamSynchronize(s1));
  EQ(read_word(0), 1);
  CUgraphExec x = instantiate(g);
  run(x);
  EQ(read_word(0), 3);
  EQ(read_word(1), 1);
  EQ(read_word(2), 7);
  EQ(read_word(3), 9);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

static void *end_elsewhere(void *arg) {
  CUgraph g = NULL;
  OK(cuCtxSetCurrent(ctx));
  IS(*(int *)arg, cuStreamEndCapture(s1, &g));
  if (g) OK(cuGraphDestroy(g));
  return NULL;
}

static void misuse(void) {
  CUgraph g = NULL, mine;
  CUevent e, outside;
  CUstreamCaptureStatus status;
  float ms;
  start();
  OK(cuEventCreate(&e, 0));
  OK(cuEventCreate(&outside, 0));
  OK(cuEventRecord(outside, s2));
  IS(900, cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
  IS(900, cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_RELAXED));
  IS(401, cuStreamEndCapture(s1, &g));
  IS(401, cuStreamEndCapture(NULL, &g));

  OK(begin()); /* begun twice: refused, and no harm done */
  IS(401, begin());
  OK(cuEventRecord(e, s1));
  OK(cuStreamWaitEvent(s2, e, 0));
  EQ(status_of(s2), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  IS(401, cuStreamBeginCapture(s2, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuGraphDestroy(end()));
  EQ(status_of(s2), CU_STREAM_CAPTURE_STATUS_NONE);

  OK(begin()); /* 903: ended in another stream of it */
  OK(cuEventRecord(e, s1));
  OK(cuStreamWaitEvent(s2, e, 0));
  OK(launch_add(s2));
  IS(903, cuStreamEndCapture(s2, &g));
  IS(901, cuStreamEndCapture(s1, &g));

  OK(begin()); /* 904: a fork that is not joined */
  OK(launch_add(s1));
  follow(s2, s1);
  OK(launch_add(s2));
  g = (CUgraph)1;
  IS(904, cuStreamEndCapture(s1, &g));
  TRUE(g == NULL);
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
  EQ(status_of(s2), CU_STREAM_CAPTURE_STATUS_NONE);
  OK(begin()); /* ... or not all of it */
  follow(s2, s1);
  OK(launch_add(s2));
  follow(s1, s2);
  OK(launch_add(s2));
  IS(904, cuStreamEndCapture(s1, &g));

  OK(begin()); /* 905: an event from outside */
  IS(905, cuStreamWaitEvent(s1, outside, 0));
  end_invalid();
  CUevent fresh;
  OK(cuEventCreate(&fresh, 0));
  OK(begin());
  OK(cuStreamWaitEvent(s1, fresh, 0)); /* one that was never recorded is nothing to wait for */
  OK(cuGraphDestroy(end()));

  OK(begin()); /* 902: two captures cannot become one */
  OK(cuStreamBeginCapture(s2, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK(cuEventRecord(e, s1));
  OK(launch_add(s2));
  IS(902, cuStreamWaitEvent(s2, e, 0));
  IS(901, cuStreamEndCapture(s2, &g));
  IS(901, cuStreamEndCapture(s1, &g));

  OK(begin()); /* 907: events of a capture cannot be asked */
  OK(cuEventRecord(e, s1));
  IS(907, cuEventQuery(e));
  end_invalid();
  OK(begin());
  OK(cuEventRecord(e, s1));
  IS(907, cuEventSynchronize(e));
  end_invalid();
  IS(1, cuEventQuery(e)); /* when it is over, the event stands for nothing */
  IS(1, cuStreamWaitEvent(s2, e, 0));
  IS(1, cuEventElapsedTime(&ms, e, e));
  OK(begin());
  IS(1, cuStreamWaitEvent(s1, e, 0));
  end_invalid();
  OK(begin());
  OK(cuEventRecord(outside, s1));
  IS(907, cuEventElapsedTime(&ms, outside, outside)); /* this question alone does no harm */
  OK(cuGraphDestroy(end()));
  OK(cuEventRecord(outside, s2));
  IS(1, cuEventSynchronize(e));
  OK(cuEventRecord(e, s2));
  OK(cuEventSynchronize(e));
  OK(cuEventQuery(e));

  OK(begin()); /* 908: ended in another thread */
  OK(launch_add(s1));
  in_thread(end_elsewhere, &(int){908}); /* it is over all the same */
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
  IS(401, cuStreamEndCapture(s1, &g));
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
  in_thread(end_elsewhere, &(int){0});

  OK(begin()); /* 901: nothing works in a capture that is invalid */
  IS(900, cuStreamSynchronize(s1));
  IS(901, launch_add(s1));
  IS(901, cuMemsetD32Async(buf, 0, 4, s1));
  IS(901, cuEventRecord(e, s1));
  IS(901, cuStreamWaitEvent(s1, outside, 0));
  end_invalid();

  OK(begin()); /* nobody wants the graph, which is there all the same */
  OK(launch_add(s1));
  OK(cuStreamGetCaptureInfo(s1, &status, NULL, &mine, NULL, NULL, NULL));
  OK(cuStreamEndCapture(s1, NULL));
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
  IS(401, cuStreamEndCapture(s1, &g));
  EQ(count_nodes(mine), 1);
  OK(cuGraphDestroy(mine));
  OK(launch_add(s1)); /* the stream is as good as new */
  OK(cuStreamSynchronize(s1));
  OK(cuCtxDestroy(ctx));
}

/* The default stream waits for blocking streams, so it cannot be used while one of them is captured. */
static void legacy(void) {
  CUstreamCaptureStatus status;
  unsigned word = 5;
  start();
  OK(begin());
  IS(906, cuStreamIsCapturing(NULL, &status));
  IS(906, cuStreamGetCaptureInfo(CU_STREAM_LEGACY, &status, NULL, NULL, NULL, NULL, NULL));
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_ACTIVE); /* asking that does no harm, other questions do */
  IS(906, launch_add(NULL));
  end_invalid();
  OK(begin());
  IS(906, cuMemcpyHtoD(buf, &word, 4));
  end_invalid();
  OK(begin());
  IS(906, cuMemsetD32(buf, 0, 4));
  end_invalid();
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
  IS(906, cuMemsetD32Async(buf, 0, 4, NULL));
  end_invalid();
  OK(begin());
  IS(906, cuStreamSynchronize(NULL));
  end_invalid();
  OK(cuCtxDestroy(ctx));

  start_with(CU_STREAM_NON_BLOCKING);
  OK(begin());
  OK(cuStreamIsCapturing(NULL, &status));
  EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  OK(launch_add(NULL)); /* it runs */
  OK(launch_add(s1));   /* it does not */
  CUgraph g = end();
  EQ(count_nodes(g), 1);
  EQ(read_word(0), 1);
  OK(cuGraphDestroy(g));
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL)); /* nor do these disturb it */
  OK(cuMemcpyHtoD(buf, &word, 4));
  OK(cuMemcpyDtoD(buf + 4, buf, 4));
  OK(cuMemcpyPeer(buf + 12, ctx, buf, ctx, 4));
  OK(cuMemsetD32(buf + 8, 7, 1));
  OK(cuMemcpyDtoH(&word, buf + 4, 4));
  g = end();
  EQ(count_nodes(g), 0);
  EQ(read_word(1), 5);
  EQ(read_word(2), 7);
  OK(cuCtxDestroy(ctx));
}

static CUresult question(int which, CUstream s) {
  unsigned flags;
  unsigned long long id;
  CUdevice d;
  CUcontext c;
  int priority;
  switch (which) {
  case 0: return cuStreamGetPriority(s, &priority);
  case 1: return cuStreamGetCtx(s, &c);
  case 2: return cuStreamGetFlags(s, &flags);
  case 3: return cuStreamGetId(s, &id);
  default: return cuStreamGetDevice(s, &d);
  }
}

/* Asking the default stream anything breaks the capture of a blocking one, as does asking a captured stream
 * for some things. */
static void questions(void) {
  start();
  for (int i = 0; i < 5; i++) {
    bool allowed = i < 2;
    OK(begin());
    OK(question(i, s2));
    IS(906, question(i, NULL));
    end_invalid();
    OK(begin());
    IS(906, question(i, CU_STREAM_LEGACY));
    end_invalid();
    OK(begin());
    IS(allowed ? 0 : 900, question(i, s1));
    if (allowed) IS(900, cuStreamSynchronize(s1));
    IS(allowed ? 901 : 900, question(i, s1));
    end_invalid();
    OK(question(i, s1));
  }
  OK(cuCtxDestroy(ctx));
}

/* One call that a capture cannot see; loading is allowed. Each gives back what it made. */
static CUresult unsafe_call(int which) {
  static CUdeviceptr p;
  static void *h;
  static CUmodule m;
  static CUevent e;
  CUresult r = CUDA_SUCCESS;
  switch (which) {
  case 0: return cuMemAlloc(&p, 16);
  case 1: return cuMemFree(p);
  case 2: return cuMemHostAlloc(&h, 16, 0);
  case 3: return cuMemFreeHost(h);
  case 4: return cuModuleLoadData(&m, ptx);
  case 5: return cuModuleUnload(m);
  case 6: return cuStreamSynchronize(s2);
  case 7: return cuStreamQuery(s2);
  case 8:
    if (!e) r = cuEventCreate(&e, 0);
    if (!r) r = cuEventRecord(e, s2);
    return r ? r : cuEventSynchronize(e);
  default: return cuEventQuery(e);
  }
}

enum { LOADING = 4, UNSAFE = 10 };

static CUstreamCaptureMode exchange(CUstreamCaptureMode mode) {
  OK(cuThreadExchangeStreamCaptureMode(&mode));
  return mode;
}

static void unsafe(void) {
  CUgraph g = NULL;
  start();
  for (int mode = 0; mode < 2; mode++)
    for (int i = 0; i < UNSAFE; i++) {
      OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
      OK(launch_add(s1));
      CUresult r = unsafe_call(i);
      IS(i == LOADING ? 0 : 900, r);
      if (r)
        end_invalid();
      else
        OK(cuGraphDestroy(end()));
      if (r) OK(unsafe_call(i));
    }

  /* Relaxed: the capture, or the thread. */
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(launch_add(s1));
  for (int i = 0; i < UNSAFE; i++) OK(unsafe_call(i));
  g = end();
  EQ(count_nodes(g), 1);
  OK(cuGraphDestroy(g));
  for (int mode = 0; mode < 2; mode++) {
    OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)mode));
    EQ(exchange(CU_STREAM_CAPTURE_MODE_RELAXED), CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(launch_add(s1));
    for (int i = 0; i < UNSAFE; i++) OK(unsafe_call(i));
    EQ(exchange(CU_STREAM_CAPTURE_MODE_GLOBAL), CU_STREAM_CAPTURE_MODE_RELAXED);
    g = end();
    EQ(count_nodes(g), 1);
    OK(cuGraphDestroy(g));
  }

  /* Waiting for a stream in a capture, or its context, is possible in no mode. */
  for (int i = 0; i < 3; i++) {
    OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
    IS(900, i == 0 ? cuStreamSynchronize(s1) : i == 1 ? cuStreamQuery(s1) : cuCtxSynchronize());
    end_invalid();
  }

  /* These are harmless. */
  CUstream s;
  CUevent e;
  size_t free_bytes, total;
  CUdevice d;
  int v;
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&e, 0));
  OK(launch_add(s2));
  OK(cuMemsetD32Async(buf, 0, 4, s2));
  OK(cuEventRecord(e, s2));
  OK(cuMemGetInfo(&free_bytes, &total));
  OK(cuCtxGetDevice(&d));
  OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, add_one));
  OK(cuEventDestroy(e));
  OK(cuStreamDestroy(s));
  OK(cuGraphDestroy(end()));

  CUstreamCaptureMode bad = (CUstreamCaptureMode)3;
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL)); /* and this is not */
  IS(900, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
  end_invalid();
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUdeviceptr p;
  IS(900, cuMemAllocAsync(&p, 16, s2));
  end_invalid();
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  IS(906, cuMemAllocAsync(&p, 16, NULL));
  end_invalid();
  CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev}};
  CUmemoryPool pool;
  for (int i = 0; i < 3; i++) {
    OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    IS(900, i == 0   ? cuMemPoolCreate(&pool, &props)
            : i == 1 ? cuMemPoolTrimTo(pool, 0)
                     : cuMemPoolDestroy(pool));
    end_invalid();
    if (i == 0) OK(cuMemPoolCreate(&pool, &props));
  }
  OK(cuMemPoolDestroy(pool));
  OK(cuMemAllocAsync(&p, 16, s2));
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  IS(900, cuMemFreeAsync(p, s2));
  end_invalid();
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuMemFreeAsync(p, s2));
  OK(cuGraphDestroy(end()));
  if (cuSoftgpuControl) { /* a driver makes nodes of these; the software device has no memory of graphs */
    OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
    IS(900, cuMemAllocAsync(&p, 16, s1));
    end_invalid();
  }
  if (cuSoftgpuControl) { /* the driver (H200, 580) crashes on the one, and takes the other for a mode */
    IS(1, cuThreadExchangeStreamCaptureMode(NULL));
    IS(1, cuThreadExchangeStreamCaptureMode(&bad));
  }
  OK(cuCtxDestroy(ctx));
}

typedef struct Elsewhere {
  CUstreamCaptureMode mode;
  CUresult result;
} Elsewhere;

static void *alloc_elsewhere(void *arg) {
  Elsewhere *a = arg;
  CUdeviceptr p = 0;
  OK(cuCtxSetCurrent(ctx));
  EQ(exchange(a->mode), CU_STREAM_CAPTURE_MODE_GLOBAL);
  a->result = cuMemAlloc(&p, 16);
  exchange(CU_STREAM_CAPTURE_MODE_RELAXED);
  if (!a->result) OK(cuMemFree(p));
  return NULL;
}

/* Only a capture in global mode forbids anything to other threads, and only to those in global mode. */
static void threads(void) {
  CUgraph g;
  start();
  for (int capture = 0; capture < 3; capture++)
    for (int thread = 0; thread < 3; thread++) {
      Elsewhere a = {(CUstreamCaptureMode)thread, CUDA_ERROR_UNKNOWN};
      OK(cuStreamBeginCapture(s1, (CUstreamCaptureMode)capture));
      in_thread(alloc_elsewhere, &a);
      bool refused = capture == 0 && thread == 0;
      EQ(a.result, refused ? 900 : 0);
      IS(refused ? 901 : 0, cuStreamEndCapture(s1, &g));
      if (!refused) OK(cuGraphDestroy(g));
    }
  OK(cuCtxDestroy(ctx));
}

static void fork_join(void) {
  start();
  CUgraph g = diamond();
  EQ(status_of(s2), CU_STREAM_CAPTURE_STATUS_NONE);
  EQ(count_nodes(g), 5);
  EQ(count_edges(g), 5);
  CUgraphNode nodes[5], after[5];
  size_t n = 5;
  OK(cuGraphGetNodes(g, nodes, &n));
  for (int i = 0; i < 5; i++) {
    CUDA_KERNEL_NODE_PARAMS p;
    static const int edges[] = {0, 0, 1, 1, 1, 2};
    OK(cuGraphKernelNodeGetParams(nodes[i], &p));
    n = 5;
    OK(cuGraphNodeGetDependencies(nodes[i], after, NULL, &n));
    EQ(n, edges[*(unsigned *)p.kernelParams[1]]);
  }
  CUgraphExec x = instantiate(g);
  for (int i = 0; i < 3; i++) {
    clear();
    run(x);
    check_diamond();
  }
  OK(launch_note(6, s2)); /* the other stream is free again */
  OK(cuStreamSynchronize(s2));
  EQ(place_of(6), 5);

  /* A stream that joins without work needs no join; two forks from one place are not in each other's way. */
  OK(begin());
  follow(s2, s1);
  OK(launch_note(7, s1));
  CUgraph h = end();
  EQ(count_nodes(h), 1);
  OK(cuGraphDestroy(h));

  /* A stream that goes away. */
  CUstream s;
  OK(cuStreamCreate(&s, 0));
  OK(begin());
  follow(s, s1);
  OK(launch_note(8, s));
  follow(s1, s);
  OK(cuStreamDestroy(s));
  h = end();
  EQ(count_nodes(h), 1);
  OK(cuGraphDestroy(h));
  OK(cuStreamCreate(&s, 0)); /* ... with work that nobody waits for */
  OK(begin());
  follow(s, s1);
  OK(launch_note(8, s));
  OK(cuStreamDestroy(s));
  IS(904, cuStreamEndCapture(s1, &h));
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* Threads that capture, run and destroy at the same time, each in a stream of its own. */
static void *capture_often(void *arg) {
  CUstream s;
  unsigned n = 1, words = *(unsigned *)arg;
  CUdeviceptr p = buf + words * 4;
  void *params[] = {&p, &n};
  OK(cuCtxSetCurrent(ctx));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 40; i++) {
    CUgraph g;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    for (int k = 0; k < 5; k++) OK(cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
    OK(cuStreamEndCapture(s, &g));
    CUgraphExec x = instantiate(g);
    OK(cuGraphDestroy(g));
    OK(cuGraphLaunch(x, s));
    if (i % 2) OK(cuStreamSynchronize(s));
    OK(cuGraphExecDestroy(x));
  }
  OK(cuStreamSynchronize(s));
  OK(cuStreamDestroy(s));
  return NULL;
}

static void concurrent(void) {
  pthread_t t[4];
  unsigned word[4];
  start();
  for (unsigned i = 0; i < 4; i++) {
    word[i] = i;
    if (pthread_create(&t[i], NULL, capture_often, &word[i]) != 0) exit(1);
  }
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < 4; i++) EQ(read_word(i), 200);
  OK(cuCtxDestroy(ctx));
}

/* Work put at random into several streams of a capture. What comes before what is kept here too, as sets of
 * bits, and has to hold each time the graph runs. */
static void fuzz_once(CUstream *s, unsigned streams) {
  uint64_t before[60] = {0}, seen[4] = {0};
  bool in[4] = {true};
  unsigned n = 0;
  CUgraph g;
  OK(cuStreamBeginCapture(s[0], CU_STREAM_CAPTURE_MODE_RELAXED));
  while (n < 60) {
    unsigned a = (unsigned)rand() % streams, b = (unsigned)rand() % streams;
    if (in[a] && rand() % 3) {
      before[n] = seen[a];
      seen[a] |= 1ull << n;
      OK(launch_note(n++, s[a]));
    } else if (a != b && in[b]) {
      follow(s[a], s[b]);
      seen[a] |= seen[b];
      in[a] = true;
    }
  }
  for (unsigned i = 1; i < streams; i++)
    if (in[i]) follow(s[0], s[i]);
  OK(cuStreamEndCapture(s[0], &g));
  EQ(count_nodes(g), 60);
  CUgraphExec x = instantiate(g);
  for (int round = 0; round < 3; round++) {
    unsigned words[WORDS];
    uint64_t done = 0;
    bool good = true;
    clear();
    run(x);
    OK(cuMemcpyDtoH(words, buf, BYTES));
    EQ(words[0], 60);
    for (int i = 1; i <= 60; i++) {
      good = good && words[i] < 60 && !(before[words[i]] & ~done);
      if (good) done |= 1ull << words[i];
    }
    TRUE(good);
  }
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
}

static void fuzz(void) {
  CUstream s[4];
  start();
  s[0] = s1;
  for (int i = 1; i < 4; i++) OK(cuStreamCreate(&s[i], i % 2 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
  srand(20);
  for (int i = 0; i < 30; i++) fuzz_once(s, 2 + (unsigned)i % 3);
  OK(cuCtxDestroy(ctx));
}

static void soft_fuzz(void) {
  setenv("CUDALUA_SOFT_STREAMS", "random:11", 1);
  fuzz();
}

/* The per-thread default stream can be captured, under its handle and as stream 0 of the twins. */
static void per_thread(void) {
  CUgraph g;
  CUstreamCaptureStatus status;
  start();
  OK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(launch_add(CU_STREAM_PER_THREAD));
  OK(cuStreamIsCapturing_ptsz(NULL, &status));
  EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  IS(906, cuStreamIsCapturing(NULL, &status)); /* it is a blocking stream */
  OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &g));
  EQ(count_nodes(g), 1);
  OK(cuGraphDestroy(g));
  OK(cuStreamBeginCapture_v2_ptsz(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(launch_add(CU_STREAM_PER_THREAD));
  OK(cuStreamEndCapture_ptsz(NULL, &g));
  CUgraphExec x = instantiate(g);
  OK(cuGraphLaunch_ptsz(x, NULL));
  OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  EQ(read_word(0), 1);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

static const Group groups[] = {
    {"basic", basic, ANYWHERE},           {"parameters", parameters, ANYWHERE},
    {"misuse", misuse, ANYWHERE},         {"legacy", legacy, ANYWHERE},
    {"questions", questions, ANYWHERE},   {"unsafe", unsafe, ANYWHERE},
    {"threads", threads, ANYWHERE},       {"fork_join", fork_join, ANYWHERE},
    {"concurrent", concurrent, ANYWHERE}, {"fuzz", fuzz, ANYWHERE},
    {"per_thread", per_thread, ANYWHERE}, {"fuzz_random", soft_fuzz, SOFTWARE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
