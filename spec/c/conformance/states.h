/* What every function answers in every state that a process, a thread or a device can be in. */

typedef enum State { NEW, NO_CONTEXT, DEAD_CONTEXT, STICKY, CAPTURE, FORKED, GONE, CALLBACK } State;

static const char *const conditions[] = {"before cuInit",
                                         "no context is current",
                                         "a destroyed context is current",
                                         "after a kernel's fault",
                                         "while another stream is captured",
                                         "in a forked child",
                                         "after the driver's shutdown",
                                         "in a host function"};

typedef enum Kind {
  FACT,    /* answers always, in a forked child too */
  LOGS,    /* the same: measured for registering a callback */
  START,   /* answers before cuInit, and in a child it does not */
  OUTSIDE, /* the same, but not in a host function */
  INIT,    /* needs cuInit, and that is all */
  CREATE,  /* ... and a working device */
  LOOK,    /* needs a context that was current once: a destroyed one will do, a broken one too */
  FLAGS,   /* needs a context that is alive, if only just */
  WORKS,   /* needs a working device, and no context where handles say which one is meant */
  ALIVE,   /* the same, but if a context is current, it has to be alive */
  CONTEXT  /* needs a context that works */
} Kind;

static State state;

/* What a function answers in a state where its kind would say something else. */
typedef struct Exception {
  const char *name;
  int want;
} Exception;

/* Those that look at their handle first, which is NULL. */
static const Exception before_init[] = {
#define B(symbol, code) {#symbol, code},
#include "../../../src/softgpu/driver/before_init.def"
#undef B
    {"cuGraphReleaseUserObject", INVALID_VALUE},
    {"cuGraphRetainUserObject", INVALID_VALUE},
    {"cuUserObjectRelease", INVALID_VALUE},
    {"cuUserObjectRetain", INVALID_VALUE},
};

/* What a GPU's driver crashes of. Of a context that is gone, it still tells the flags: from memory that it
 * has freed. */
static const Exception without[] = {
    {"cuCtxCreate", SOFTWARE_ONLY(OUT_OF_MEMORY)},
    {"cuDevicePrimaryCtxSetFlags", PRIMARY_CONTEXT_ACTIVE},
    {"cuGraphAddKernelNode_v2", SOFTWARE_ONLY(SUCCESS)},
    {"cuGraphExecKernelNodeSetParams_v2", SOFTWARE_ONLY(SUCCESS)},
    {"cuGraphKernelNodeSetParams_v2", SOFTWARE_ONLY(SUCCESS)},
    {"cuMemcpyBatchAsync_v2", INVALID_VALUE},
};
static const Exception dead[] = {
    {"cuCtxCreate", SOFTWARE_ONLY(OUT_OF_MEMORY)},
    {"cuCtxGetFlags", SOFTWARE_ONLY(CONTEXT_IS_DESTROYED)},
    {"cuCtxSetFlags", SOFTWARE_ONLY(CONTEXT_IS_DESTROYED)},
    {"cuDevicePrimaryCtxSetFlags", PRIMARY_CONTEXT_ACTIVE},
    {"cuPointerSetAttribute", INVALID_VALUE},
};
static const Exception broken[] = {{"cuGraphKernelNodeCopyAttributes", INVALID_VALUE}};
static const Exception captured_[] = {{"cuCtxCreate", SOFTWARE_ONLY(OUT_OF_MEMORY)}};

/* In a forked child a GPU's driver does not notice in all calls that the device is its parent's: these take
 * the objects as they find them, and answer anything, or crash. The software device notices. */
static const Exception in_child[] = {
#define F(symbol) {#symbol, SOFTWARE_ONLY(NOT_INITIALIZED)},
#include "forked.def"
#undef F
};

/* Calls whose outputs a GPU's driver clears before it looks at anything, or leaves garbage in. */
static bool spoils(const char *name) {
  static const char *const names[] = {"cuGLMapBufferObjectAsync_v2",
                                      "cuGLMapBufferObject_v2",
                                      "cuGraphicsResourceGetMappedPointer_v2",
                                      "cuTexRefGetAddress_v2",
                                      "cuTexRefSetAddress_v2",
                                      "cuDeviceTotalMem_v2",
                                      "cuGraphExecUpdate_v2",
                                      "cuMemAllocAsync",
                                      "cuMemAllocFromPoolAsync",
                                      "cuMemAllocHost_v2",
                                      "cuMemAllocManaged",
                                      "cuMemAllocPitch_v2",
                                      "cuMemAlloc_v2",
                                      "cuMemGetAddressRange_v2",
                                      "cuMemGetInfo_v2",
                                      "cuMemHostAlloc",
                                      "cuMemHostGetDevicePointer_v2",
                                      "cuModuleGetGlobal_v2",
                                      "cuStreamCreate",
                                      "cuStreamCreateWithPriority",
                                      "cuStreamEndCapture"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static const Exception *exception_of(const char *name) {
  static const struct {
    const Exception *list;
    size_t n;
  } of_state[] = {
#define LIST(s, list) [s] = {list, sizeof list / sizeof list[0]}
      LIST(NEW, before_init),   LIST(NO_CONTEXT, without), LIST(DEAD_CONTEXT, dead), LIST(STICKY, broken),
      LIST(CAPTURE, captured_), LIST(FORKED, in_child),    [CALLBACK] = {NULL, 0}
#undef LIST
  };
  for (size_t i = 0; i < of_state[state].n; i++)
    if (strcmp(of_state[state].list[i].name, name) == 0) return &of_state[state].list[i];
  return NULL;
}

static int of_kind(Kind kind, int good, int captured) {
  bool early = kind == FACT || kind == LOGS || kind == START;
  switch (state) {
  case NEW: return early || kind == OUTSIDE ? good : NOT_INITIALIZED;
  case NO_CONTEXT: return kind == CONTEXT || kind == FLAGS || kind == LOOK ? INVALID_CONTEXT : good;
  case DEAD_CONTEXT: return kind == CONTEXT || kind == FLAGS || kind == ALIVE ? CONTEXT_IS_DESTROYED : good;
  case STICKY:
    return kind == CONTEXT || kind == WORKS || kind == ALIVE || kind == CREATE ? ILLEGAL_ADDRESS : good;
  case CAPTURE: return captured;
  case FORKED: return kind == FACT || kind == LOGS ? good : NOT_INITIALIZED;
  case GONE: return DEINITIALIZED;
  default: return SOFTWARE_ONLY(early ? good : NOT_PERMITTED);
  }
}

static int wanted(const char *name, Kind kind, int good, int captured) {
  const Exception *x = exception_of(name);
  const int want = x ? x->want : of_kind(kind, good, captured);
  return spoils(name) ? SPOILS(want) : want;
}

/* The contexts that are current in the state, and no others. */
static void enter_state(void) {
  CUcontext c, doomed;
  while (cuCtxPopCurrent_v2(&c) == CUDA_SUCCESS) {}
  if (state == NO_CONTEXT) return;
  if (state != DEAD_CONTEXT) {
    OK(cuCtxPushCurrent_v2(ctx));
    return;
  }
  OK(cuCtxCreate_v2(&doomed, 0, dev));
  OK(cuCtxPushCurrent_v2(ctx));
  OK(cuCtxDestroy_v2(doomed)); /* below the top of the stack its entry stays */
  OK(cuCtxPopCurrent_v2(&c));
}

static void before_call(void) {
  if (state != NO_CONTEXT && state != DEAD_CONTEXT && state != CAPTURE) return;
  OK(cuStreamSynchronize(st));
  if (state == CAPTURE) OK(cuStreamBeginCapture_v2(cap, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

/* A capture ends well unless the call was refused for its sake. */
static void end_capture(Row *r) {
  CUgraph g = NULL;
  CUresult want = r->got == STREAM_CAPTURE_UNSUPPORTED ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  CUresult got = cuStreamEndCapture(cap, &g);
  if (got != want) row_differs(r, "got %d, and the end of the capture expected %d got %d", r->got, want, got);
  if (got == CUDA_SUCCESS) cuGraphDestroy(g);
}

static void after_call(Row *r, const char *name) {
  CUgraph g;
  if (state == CAPTURE) end_capture(r);
  if (r->got) return;
  if (strcmp(name, "cuStreamBeginCapture_v2") == 0 && cuStreamEndCapture(st, &g) == CUDA_SUCCESS)
    cuGraphDestroy(g);
  if (strcmp(name, "cuStreamBeginCaptureToGraph") == 0) cuStreamEndCapture(st, NULL);
  if (strncmp(name, "cuCtxCreate", 11) == 0) cuCtxDestroy_v2(o.ctx);
  if (strncmp(name, "cuCtx", 5) == 0) enter_state();
}

static void every_call(void) {
  general_rows = true;
#define C(function, kind, good, captured, args)                                                              \
  WITH(function, conditions[state], wanted(#function, kind, good, captured), before_call(), args,            \
       after_call(&row_, #function))
#include "calls.def"
#undef C
}

static void start_state(State s) {
  state = s;
  start_all();
  enter_state();
}

static void before_init_rows(void) {
  state = NEW;
  memset(&untouched, 0x5a, sizeof untouched);
  for (int i = 0; i < SPARES; i++) OK(cuLogsRegisterCallback(hear, NULL, &spare_log[i]));
  every_call();
  CUuserObject early = NULL;
  OK(cuUserObjectCreate(&early, NULL, nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  WITH(cuUserObjectRetain, "before cuInit, an object", SUCCESS, (void)0, (early, 1),
       if (WORKED) MUST(cuUserObjectRelease(early, 1)));
  OK(cuInit(0));
  ROW(cuUserObjectRetain, "made before cuInit", SUCCESS, (early, 1));
}

static void no_context_rows(void) {
  start_state(NO_CONTEXT);
  every_call();
  remove_files();
}

static void dead_context_rows(void) {
  start_state(DEAD_CONTEXT);
  every_call();
  remove_files();
}

static void capture_rows(void) {
  start_state(CAPTURE);
  every_call();
  remove_files();
}

static void sticky_rows(void) {
  CUdeviceptr nowhere = 64;
  void *params[] = {&nowhere, &word};
  start_state(STICKY);
  CUresult r = cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
  IS(700, r ? r : cuCtxSynchronize());
  every_call();
  CUgraphNodeParams fill = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
  fill.memset.dst = mem;
  fill.memset.elementSize = 1;
  fill.memset.width = 16;
  fill.memset.height = 1;
  ROW(cuGraphAddNode_v2, "a fill, after a kernel's fault", SUCCESS, (&o.node, graph, NULL, NULL, 0, &fill));
  remove_files();
}

/* A child's end is its parent's, so that the rows go on without the one that caused it. */
static void forked_rows(void) {
  int status = 1;
  start_state(FORKED);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    every_call();
    fflush(NULL);
    _exit(failed != 0);
  }
  waitpid(child, &status, 0);
  remove_files();
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  if (status) _exit(WEXITSTATUS(status));
}

static void when_gone(void) {
  every_call();
  remove_files();
  fflush(NULL);
  _exit(failed != 0);
}

/* What was registered before the driver's own comes after it. */
static void gone_rows(void) {
  atexit(when_gone);
  start_state(GONE);
}

static void in_callback(void *data) {
  (void)data;
  every_call();
}

static void callback_rows(void) {
  start_state(CALLBACK);
  OK(cuLaunchHostFunc(st, in_callback, NULL));
  OK(cuStreamSynchronize(st));
  remove_files();
}
