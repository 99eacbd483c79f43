/* Stream capture and graphs, through the driver API alone, in the manner of driver_test.c: each group runs in
 * a process of its own, and what is expected holds for a GPU as well. MODEL marks what only the software
 * device is known to answer: where a GPU answers something else, that is printed and nothing fails.
 *
 * graph_test            all groups; the last line is "N passed, N failed, N skipped"
 * graph_test GROUP      one group, in this process */
#include <cuda.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

CUresult cuSoftgpuControl(const char *command, char *reply, size_t size, size_t *needed)
    __attribute__((weak));

/* The per-thread twins, which the header has only for programs that want them everywhere. */
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph);
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream);

static atomic_int passed, failed;

static void judge(bool good, int line, const char *format, ...) {
  if (good) {
    passed++;
    return;
  }
  failed++;
  va_list ap;
  va_start(ap, format);
  fprintf(stderr, "graph_test.c:%d: ", line);
  vfprintf(stderr, format, ap);
  fputc('\n', stderr);
  va_end(ap);
}

#define IS(code, call)                                                                                       \
  do {                                                                                                       \
    CUresult got_ = (call);                                                                                  \
    judge(got_ == (CUresult)(code), __LINE__, "%s: %d, expected %d", #call, (int)got_, (int)(code));         \
  } while (0)
#define OK(call) IS(CUDA_SUCCESS, call)
#define TRUE(x) judge(x, __LINE__, "%s", #x)
#define EQ(a, b)                                                                                             \
  do {                                                                                                       \
    long long a_ = (long long)(a), b_ = (long long)(b);                                                      \
    judge(a_ == b_, __LINE__, "%s is %lld, expected %lld", #a, a_, b_);                                      \
  } while (0)
#define MODEL(code, call)                                                                                    \
  do {                                                                                                       \
    CUresult got_ = (call);                                                                                  \
    if (cuSoftgpuControl)                                                                                    \
      judge(got_ == (CUresult)(code), __LINE__, "%s: %d, expected %d", #call, (int)got_, (int)(code));       \
    else if (got_ != (CUresult)(code))                                                                       \
      printf("differs: graph_test.c:%d: %s is %d, %d on the software device\n", __LINE__, #call, (int)got_,  \
             (int)(code));                                                                                   \
  } while (0)

/* add_one: n words from p, each one more. note: writes v to the next free place of a list, p[0] is how many
 * there are. copy: to[0] = from[0]. */
static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .entry add_one(.param .u64 p, .param .u32 n) {\n"
                          "  .reg .pred %p<2>;\n"
                          "  .reg .b32 %r<7>;\n"
                          "  .reg .b64 %rd<5>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  ld.param.u32 %r1, [n];\n"
                          "  mov.u32 %r2, %ctaid.x;\n"
                          "  mov.u32 %r3, %ntid.x;\n"
                          "  mov.u32 %r4, %tid.x;\n"
                          "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "  setp.ge.u32 %p1, %r5, %r1;\n"
                          "  @%p1 bra DONE;\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  mul.wide.u32 %rd3, %r5, 4;\n"
                          "  add.s64 %rd4, %rd2, %rd3;\n"
                          "  ld.global.u32 %r6, [%rd4];\n"
                          "  add.s32 %r6, %r6, 1;\n"
                          "  st.global.u32 [%rd4], %r6;\n"
                          "DONE:\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry note(.param .u64 p, .param .u32 v) {\n"
                          "  .reg .b32 %r<4>;\n"
                          "  .reg .b64 %rd<5>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  ld.param.u32 %r1, [v];\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  atom.global.add.u32 %r2, [%rd2], 1;\n"
                          "  mul.wide.u32 %rd3, %r2, 4;\n"
                          "  add.s64 %rd4, %rd2, %rd3;\n"
                          "  st.global.u32 [%rd4+4], %r1;\n"
                          "  ret;\n"
                          "}\n";

enum { WORDS = 64, BYTES = WORDS * 4 };

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction add_one, note;
static CUstream s1, s2;
static CUdeviceptr buf;

static void start_with(unsigned stream_flags) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&add_one, mod, "add_one"));
  OK(cuModuleGetFunction(&note, mod, "note"));
  OK(cuStreamCreate(&s1, stream_flags));
  OK(cuStreamCreate(&s2, stream_flags));
  OK(cuMemAlloc(&buf, BYTES));
  OK(cuMemsetD32(buf, 0, WORDS));
  OK(cuCtxSynchronize());
}

static void start(void) { start_with(CU_STREAM_DEFAULT); }

static CUresult launch_add(CUstream s) {
  unsigned n = WORDS;
  void *params[] = {&buf, &n};
  return cuLaunchKernel(add_one, 1, 1, 1, WORDS, 1, 1, 0, s, params, NULL);
}

static CUresult launch_note(unsigned v, CUstream s) {
  void *params[] = {&buf, &v};
  return cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
}

static unsigned read_word(int i) {
  unsigned v = 0xdeadbeef;
  OK(cuMemcpyDtoH(&v, buf + (CUdeviceptr)i * 4, 4));
  return v;
}

static void clear(void) {
  OK(cuMemsetD32(buf, 0, WORDS));
  OK(cuCtxSynchronize());
}

/* Runs a graph once and waits for it. */
static void run(CUgraphExec x) {
  OK(cuGraphLaunch(x, s1));
  OK(cuStreamSynchronize(s1));
}

static CUgraphExec instantiate(CUgraph g) {
  CUgraphExec x = NULL;
  OK(cuGraphInstantiate(&x, g, 0));
  return x;
}

static size_t count_nodes(CUgraph g) {
  size_t n = 999;
  OK(cuGraphGetNodes(g, NULL, &n));
  return n;
}

static size_t count_edges(CUgraph g) {
  size_t n = 999;
  OK(cuGraphGetEdges(g, NULL, NULL, NULL, &n));
  return n;
}

static CUstreamCaptureStatus status_of(CUstream s) {
  CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
  OK(cuStreamIsCapturing(s, &status));
  return status;
}

/* Ends the capture of s1, which has been made invalid. */
static void end_invalid(void) {
  CUgraph g = (CUgraph)1;
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  IS(901, cuStreamEndCapture(s1, &g));
  TRUE(g == NULL);
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
}

static CUresult begin(void) { return cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL); }

static CUgraph end(void) {
  CUgraph g = NULL;
  OK(cuStreamEndCapture(s1, &g));
  TRUE(g != NULL);
  return g;
}

/* s2 comes after what s1 has so far, or the other way round. */
static void follow(CUstream later, CUstream earlier) {
  CUevent e;
  OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  OK(cuEventRecord(e, earlier));
  OK(cuStreamWaitEvent(later, e, 0));
  OK(cuEventDestroy(e));
}

static void in_thread(void *(*f)(void *), void *arg) {
  pthread_t t;
  if (pthread_create(&t, NULL, f, arg) != 0) exit(1);
  pthread_join(t, NULL);
}

/* --- groups --- */

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
  CUgraph g = NULL;
  CUevent e, outside;
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
  MODEL(901, cuStreamEndCapture(s1, &g));

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
  MODEL(905, cuStreamWaitEvent(s1, fresh, 0));
  (void)cuStreamEndCapture(s1, &g);

  OK(begin()); /* 902: two captures cannot become one */
  OK(cuStreamBeginCapture(s2, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK(cuEventRecord(e, s1));
  OK(launch_add(s2));
  IS(902, cuStreamWaitEvent(s2, e, 0));
  IS(901, cuStreamEndCapture(s2, &g));
  MODEL(901, cuStreamEndCapture(s1, &g));

  OK(begin()); /* 907: events of a capture cannot be asked */
  OK(cuEventRecord(e, s1));
  IS(907, cuEventQuery(e));
  end_invalid();
  OK(begin());
  OK(cuEventRecord(e, s1));
  IS(907, cuEventSynchronize(e));
  end_invalid();
  MODEL(907, cuEventQuery(e)); /* also when it is over */
  MODEL(907, cuStreamWaitEvent(s2, e, 0));
  OK(cuEventRecord(e, s2));
  OK(cuEventSynchronize(e));
  OK(cuEventQuery(e));

  OK(begin()); /* 908: ended in another thread */
  OK(launch_add(s1));
  in_thread(end_elsewhere, &(int){908});
  MODEL(901, cuStreamEndCapture(s1, &g));
  OK(cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_RELAXED));
  in_thread(end_elsewhere, &(int){0});

  OK(begin()); /* 901: nothing works in a capture that is invalid */
  IS(900, cuStreamSynchronize(s1));
  IS(901, launch_add(s1));
  IS(901, cuMemsetD32Async(buf, 0, 4, s1));
  IS(901, cuEventRecord(e, s1));
  MODEL(901, cuStreamWaitEvent(s1, outside, 0));
  end_invalid();

  OK(begin());
  MODEL(1, cuStreamEndCapture(s1, NULL));
  MODEL(0, cuStreamEndCapture(s1, &g));
  MODEL(0, cuGraphDestroy(g));
  OK(launch_add(s1)); /* the stream is as good as new */
  OK(cuStreamSynchronize(s1));
  OK(cuCtxDestroy(ctx));
}

/* The default stream waits for blocking streams, so it cannot be used while one of them is captured. */
static void legacy(void) {
  CUstreamCaptureStatus status;
  unsigned word = 5, flags;
  start();
  OK(begin());
  IS(906, cuStreamIsCapturing(NULL, &status));
  IS(906, cuStreamGetCaptureInfo(CU_STREAM_LEGACY, &status, NULL, NULL, NULL, NULL, NULL));
  MODEL(0, cuStreamGetFlags(NULL, &flags));
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_ACTIVE);
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
  MODEL(906, cuStreamSynchronize(NULL));
  CUgraph g = NULL;
  MODEL(901, cuStreamEndCapture(s1, &g));
  OK(cuCtxDestroy(ctx));

  start_with(CU_STREAM_NON_BLOCKING);
  OK(begin());
  OK(cuStreamIsCapturing(NULL, &status));
  EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  OK(launch_add(NULL)); /* it runs */
  OK(launch_add(s1));   /* it does not */
  g = end();
  EQ(count_nodes(g), 1);
  EQ(read_word(0), 1);
  OK(cuGraphDestroy(g));
  OK(begin());
  MODEL(900, cuMemcpyHtoD(buf, &word, 4)); /* it waits, which a capture cannot see */
  (void)cuStreamEndCapture(s1, &g);
  OK(cuCtxDestroy(ctx));
}

/* One call that a capture cannot see. Each gives back what it made. */
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

enum { UNSAFE = 10 };

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
      if (i == 0 || i == 1 || i == 5 || i == 6) IS(900, r);
      MODEL(900, r);
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
  IS(1, cuThreadExchangeStreamCaptureMode(NULL));
  IS(1, cuThreadExchangeStreamCaptureMode(&bad));
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

static int place_of(unsigned v) {
  unsigned n = read_word(0);
  for (unsigned i = 0; i < n; i++)
    if (read_word((int)i + 1) == v) return (int)i;
  return -1;
}

/* 1, then 2 in s1 beside 3 and 4 in s2, then 5. */
static CUgraph diamond(void) {
  OK(begin());
  OK(launch_note(1, s1));
  follow(s2, s1);
  OK(launch_note(2, s1));
  OK(launch_note(3, s2));
  OK(launch_note(4, s2));
  follow(s1, s2);
  OK(launch_note(5, s1));
  return end();
}

static void check_diamond(void) {
  EQ(read_word(0), 5);
  EQ(place_of(1), 0);
  EQ(place_of(5), 4);
  TRUE(place_of(3) < place_of(4));
  TRUE(place_of(2) > 0);
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
  MODEL(0, cuStreamDestroy(s));
  h = NULL;
  MODEL(0, cuStreamEndCapture(s1, &h));
  if (h) {
    EQ(count_nodes(h), 1);
    OK(cuGraphDestroy(h));
  }
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

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
  run(x);
  EQ(back[0], 102);
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
  OK(begin()); /* what is wrong is refused as always */
  MODEL(1, cuMemcpyHtoDAsync(buf + 8, pageable, BYTES, s1));
  MODEL(1, cuMemsetD32Async(buf + 2, 0, 1, s1));
  IS(1, cuLaunchKernel(add_one, 0, 1, 1, 1, 1, 1, 0, s1, NULL, NULL));
  MODEL(0, launch_add(s1));
  g = NULL;
  MODEL(0, cuStreamEndCapture(s1, &g));
  if (cuSoftgpuControl) EQ(count_nodes(g), 1);
  OK(cuCtxDestroy(ctx));
}

static void instantiation(void) {
  CUgraph g;
  CUgraphExec x = NULL, y = NULL;
  cuuint64_t flags = 99;
  start();
  OK(begin());
  OK(launch_add(s1));
  CUstreamCaptureStatus status;
  OK(cuStreamGetCaptureInfo(s1, &status, NULL, &g, NULL, NULL, NULL));
  MODEL(1, cuGraphInstantiate(&x, g, 0)); /* not before the capture has ended */
  MODEL(1, cuGraphDestroy(g));
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
  MODEL(0, update(x, h, &info));
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
  MODEL(1, cuGraphExecKernelNodeSetParams(x, other, &p)); /* a node of another graph */
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
  MODEL(1, cuGraphAddMemsetNode(&b, g, NULL, 0, &fill, ctx));
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
  MODEL(1, cuEventRecordWithFlags(done, s1, CU_EVENT_RECORD_EXTERNAL)); /* in a capture only */
  MODEL(1, cuStreamWaitEvent(s1, go, CU_EVENT_WAIT_EXTERNAL));
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
  MODEL(0, cuEventElapsedTime(&ms, go, done));
  TRUE(ms >= 0 || !cuSoftgpuControl);
  OK(cuGraphExecDestroy(x));
  OK(cuGraphDestroy(g));
  OK(cuCtxDestroy(ctx));
}

/* A launch that is captured is a node of its own. */
static void children(void) {
  CUgraph g, h;
  CUgraphNode nodes[3];
  CUgraphNodeType type;
  CUgraphExecUpdateResultInfo info;
  size_t n = 3;
  start();
  g = diamond();
  CUgraphExec x = instantiate(g), y;
  OK(begin());
  OK(launch_note(20, s1));
  OK(cuGraphLaunch(x, s1));
  OK(launch_note(21, s1));
  h = end();
  EQ(read_word(0), 0);
  OK(cuGraphGetNodes(h, nodes, &n));
  EQ(n, 3);
  int graphs = 0;
  for (size_t i = 0; i < n; i++) {
    OK(cuGraphNodeGetType(nodes[i], &type));
    graphs += type == CU_GRAPH_NODE_TYPE_GRAPH;
  }
  EQ(graphs, 1);
  OK(cuGraphExecDestroy(x)); /* it has its own copy */
  OK(cuGraphDestroy(g));
  y = instantiate(h);
  run(y);
  EQ(read_word(0), 7);
  EQ(place_of(20), 0);
  EQ(place_of(1), 1);
  EQ(place_of(5), 5);
  EQ(place_of(21), 6);
  OK(update(y, h, &info));
  clear();
  run(y);
  EQ(place_of(21), 6);
  OK(cuGraphDestroy(h));
  OK(cuGraphExecDestroy(y));

  OK(begin()); /* an empty one */
  g = end();
  x = instantiate(g);
  OK(begin());
  OK(launch_note(1, s1));
  OK(cuGraphLaunch(x, s1));
  OK(launch_note(2, s1));
  h = end();
  y = instantiate(h);
  clear();
  run(y);
  EQ(place_of(2), 1);
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

/* --- of the software device only --- */

static long long stat(const char *key) {
  char text[4096], *line;
  OK(cuSoftgpuControl("stats", text, sizeof text, NULL));
  size_t n = strlen(key);
  for (line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (strncmp(line, key, n) == 0 && line[n] == ' ') return atoll(line + n);
  return -1;
}

static bool reply_has(const char *command, const char *what) {
  static char text[1 << 20];
  OK(cuSoftgpuControl(command, text, sizeof text, NULL));
  bool found = strstr(text, what) != NULL;
  if (!found) fprintf(stderr, "%s: %s", command, text);
  return found;
}

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

/* Memory and modules that go between capture and launch. */
static void soft_freed(void) {
  CUgraph g;
  CUdeviceptr p;
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

static void soft_freed_kernel(void) {
  CUgraph g;
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

static const struct {
  const char *name;
  void (*run)(void);
  bool soft; /* of the software device only */
} groups[] = {
    {"basic", basic, false},
    {"parameters", parameters, false},
    {"misuse", misuse, false},
    {"legacy", legacy, false},
    {"unsafe", unsafe, false},
    {"threads", threads, false},
    {"fork_join", fork_join, false},
    {"copies", copies, false},
    {"instantiation", instantiation, false},
    {"one_at_a_time", one_at_a_time, false},
    {"updating", updating, false},
    {"kernel_nodes", kernel_nodes, false},
    {"by_hand", by_hand, false},
    {"event_nodes", event_nodes, false},
    {"children", children, false},
    {"two_contexts", two_contexts, false},
    {"per_thread", per_thread, false},
    {"proc_address", proc_address, false},
    {"many", many, false},
    {"counts", soft_counts, true},
    {"log", soft_log, true},
    {"freed", soft_freed, true},
    {"freed_kernel", soft_freed_kernel, true},
    {"deferred", soft_deferred, true},
    {"eager", soft_eager, true},
    {"random", soft_random, true},
    {"time", soft_time, true},
    {"busy", soft_busy, true},
    {"injected", soft_injected, true},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static int run_one(const char *name) {
  for (int i = 0; i < GROUPS; i++) {
    if (strcmp(groups[i].name, name) != 0) continue;
    groups[i].run();
    return failed != 0;
  }
  fprintf(stderr, "no group %s\n", name);
  return 2;
}

int main(int argc, char **argv) {
  if (argc == 2) return run_one(argv[1]);
  int good = 0, bad = 0, skipped = 0;
  for (int i = 0; i < GROUPS; i++) {
    if (groups[i].soft && !cuSoftgpuControl) {
      skipped++;
      continue;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      groups[i].run();
      exit(failed != 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status == 0)
      good++;
    else
      bad++;
    printf("%s %s\n", status == 0 ? "ok    " : "FAILED", groups[i].name);
  }
  printf("%d passed, %d failed, %d skipped\n", good, bad, skipped);
  return bad != 0;
}
