/* Libraries: code loaded without a context, whose kernels run in any. */
#include "check.h"

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".global .u32 calls = 7;\n"
                          ".visible .entry count(.param .u64 out, .param .u32 by) {\n"
                          "  .reg .b32 %r<4>;\n"
                          "  .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [out];\n"
                          "  ld.param.u32 %r1, [by];\n"
                          "  atom.global.add.u32 %r2, [calls], %r1;\n"
                          "  add.u32 %r2, %r2, %r1;\n"
                          "  st.global.u32 [%rd1], %r2;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry nothing() { ret; }\n";

static CUdevice dev;
static CUdeviceptr out;

static void begin(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
}

static CUcontext new_context(void) {
  CUcontext ctx = NULL;
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuMemAlloc(&out, 4));
  return ctx;
}

static CUlibrary load(void) {
  CUlibrary l = NULL;
  OK(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
  return l;
}

static CUkernel kernel(CUlibrary l, const char *name) {
  CUkernel k = NULL;
  OK(cuLibraryGetKernel(&k, l, name));
  return k;
}

/* What the variable holds after the kernel has added `by` to it; -1: the launch failed. */
static long long run(CUfunction f, uint32_t by) {
  uint32_t got = 0;
  void *params[] = {&out, &by};
  if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL)) return -1;
  OK(cuMemcpyDtoH(&got, out, 4));
  return got;
}

/* Before there is any context. */
static void without_context(void) {
  CUkernel k[2] = {NULL, NULL};
  CUlibrary l, of = NULL;
  CUfunction f;
  CUmodule m;
  CUdeviceptr p;
  unsigned n = 0;
  size_t offset = 9, size = 9;
  int value = -1;
  const char *name = NULL;
  IS(CUDA_ERROR_NOT_INITIALIZED, cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
  begin();
  l = load();
  OK(cuLibraryGetKernelCount(&n, l));
  EQ(n, 2);
  OK(cuLibraryEnumerateKernels(k, 2, l));
  TRUE(k[0] && k[1] && k[0] != k[1]);
  TRUE(kernel(l, "count") == k[0] || kernel(l, "count") == k[1]);
  OK(cuKernelGetName(&name, kernel(l, "count")));
  TRUE(name && strcmp(name, "count") == 0);
  OK(cuKernelGetLibrary(&of, k[0]));
  TRUE(of == l);
  IS(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetParamInfo(kernel(l, "count"), 1, &offset, &size));
  OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k[0], dev));
  EQ(value, 1024);
  IS(CUDA_ERROR_INVALID_CONTEXT, cuKernelGetFunction(&f, k[0]));
  IS(CUDA_ERROR_INVALID_CONTEXT, cuLibraryGetModule(&m, l));
  IS(CUDA_ERROR_INVALID_CONTEXT, cuLibraryGetGlobal(&p, NULL, l, "calls"));
  new_context();
  OK(cuKernelGetParamInfo(kernel(l, "count"), 1, &offset, &size));
  EQ(offset, 8);
  EQ(size, 4);
  IS(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(kernel(l, "count"), 2, &offset, &size));
  OK(cuLibraryUnload(l));
}

/* A library's variables are each context's own; its kernels are not. */
static void contexts(void) {
  CUdeviceptr p = 0, q = 0;
  size_t bytes = 0;
  CUfunction f, g, again;
  CUmodule m, of;
  begin();
  CUcontext a = new_context();
  CUlibrary l = load();
  CUkernel k = kernel(l, "count");
  EQ(run((CUfunction)k, 1), 8);
  EQ(run((CUfunction)k, 1), 9);
  OK(cuKernelGetFunction(&f, k));
  EQ(run(f, 2), 11);
  OK(cuKernelGetFunction(&again, k));
  TRUE(again == f);
  OK(cuLibraryGetModule(&m, l));
  OK(cuFuncGetModule(&of, f));
  TRUE(of == m);
  OK(cuLibraryGetGlobal(&p, &bytes, l, "calls"));
  EQ(bytes, 4);

  CUcontext b = new_context();
  EQ(run((CUfunction)k, 10), 17);
  OK(cuKernelGetFunction(&g, k));
  TRUE(g != f);
  OK(cuLibraryGetGlobal(&q, NULL, l, "calls"));
  TRUE(p != q);
  OK(cuCtxDestroy(b)); /* the kernel goes on in others */
  OK(cuCtxSetCurrent(a));
  OK(cuMemAlloc(&out, 4));
  EQ(run((CUfunction)k, 1), 12);
  b = new_context();
  EQ(run((CUfunction)k, 1), 8);
  OK(cuLibraryUnload(l));
  IS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetModule(&of, f));
  IS(CUDA_ERROR_INVALID_HANDLE, cuKernelGetFunction(&f, k));
  EQ(run((CUfunction)k, 1), -1);
  OK(cuCtxDestroy(b));
  OK(cuCtxDestroy(a));
}

/* What is set for a kernel holds in contexts that were there, and in later ones. */
static void attributes(void) {
  const CUfunction_attribute shared = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  int value = 0;
  begin();
  CUcontext a = new_context();
  CUlibrary l = load();
  CUkernel k = kernel(l, "nothing");
  CUfunction f;
  OK(cuKernelGetFunction(&f, k));
  IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 60000, NULL, NULL, NULL));
  OK(cuKernelSetAttribute(shared, 60000, k, dev));
  OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 60000, NULL, NULL, NULL));
  OK(cuFuncGetAttribute(&value, shared, f));
  EQ(value, 60000);
  OK(cuFuncSetAttribute(f, shared, 50000));
  OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 50000, NULL, NULL, NULL));
  OK(cuKernelGetAttribute(&value, shared, k, dev));
  EQ(value, 60000);
  CUcontext b = new_context();
  OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 60000, NULL, NULL, NULL));
  OK(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, dev));
  IS(CUDA_ERROR_INVALID_VALUE, cuKernelSetAttribute(shared, 1 << 30, k, dev));
  IS(CUDA_ERROR_INVALID_VALUE, cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 32, k, dev));
  IS(CUDA_ERROR_INVALID_DEVICE, cuKernelSetAttribute(shared, 0, k, 99));
  IS(CUDA_ERROR_INVALID_DEVICE, cuKernelGetAttribute(&value, shared, k, -1));
  IS(CUDA_ERROR_INVALID_VALUE, cuKernelGetAttribute(&value, (CUfunction_attribute)999, k, dev));
  OK(cuCtxSynchronize());
  OK(cuCtxDestroy(b));
  OK(cuCtxDestroy(a));
  OK(cuLibraryUnload(l));
}

/* Calls that take a function take a kernel. */
static void as_functions(void) {
  int blocks = 0, threads = 0;
  size_t bytes = 0;
  uint32_t by = 5, got = 0;
  CUgraph graph;
  CUgraphNode node;
  CUgraphExec exec;
  CUstream s;
  begin();
  CUcontext a = new_context();
  CUlibrary l = load();
  CUkernel k = kernel(l, "count");
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (CUfunction)k, 256, 0));
  TRUE(blocks > 0);
  OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, (CUfunction)k, NULL, 0, 0));
  EQ(threads, 1024);
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, (CUfunction)k, 1, 256));
  TRUE(bytes > 0);
  void *params[] = {&out, &by};
  CUDA_KERNEL_NODE_PARAMS p = {.kern = k,
                               .gridDimX = 1,
                               .gridDimY = 1,
                               .gridDimZ = 1,
                               .blockDimX = 1,
                               .blockDimY = 1,
                               .blockDimZ = 1,
                               .kernelParams = params};
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
  p.kern = NULL;
  IS(CUDA_ERROR_INVALID_HANDLE, cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, NULL));
  OK(cuMemcpyDtoH(&got, out, 4));
  EQ(got, 12);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));

  /* In the stream's context, whichever is current. */
  CUcontext b = new_context();
  const CUdeviceptr mine = out;
  OK(cuStreamCreate(&s, 0));
  OK(cuCtxSetCurrent(a));
  OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
  OK(cuStreamSynchronize(s));
  OK(cuCtxSetCurrent(b));
  OK(cuMemcpyDtoH(&got, mine, 4));
  EQ(got, 12); /* the other context's variable would be 17 */
  OK(cuCtxDestroy(b));
  OK(cuCtxDestroy(a));
  OK(cuLibraryUnload(l));
}

static void errors(void) {
  CUlibrary l = NULL;
  CUkernel k;
  CUdeviceptr p;
  CUlibraryOption preserved = CU_LIBRARY_BINARY_IS_PRESERVED, none = CU_LIBRARY_NUM_OPTIONS;
  char log[200] = "";
  CUjit_option jit[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *jit_values[] = {log, (void *)sizeof log}, *values[] = {NULL};
  begin();
  for (int pass = 0; pass < 2; pass++) { /* without and with a context */
    IS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, ptx, NULL, NULL, 1, NULL, NULL, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&l, ptx, NULL, NULL, 0, &none, values, 1));
    IS(CUDA_ERROR_INVALID_PTX,
       cuLibraryLoadData(&l, ".version 7.0\n.target sm_70\nrubbish", NULL, NULL, 0, NULL, NULL, 0));
    IS(CUDA_ERROR_INVALID_IMAGE, cuLibraryLoadData(&l, "rubbish", NULL, NULL, 0, NULL, NULL, 0));
    IS(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&l, "/nowhere.ptx", NULL, NULL, 0, NULL, NULL, 0));
    jit_values[1] = (void *)sizeof log;
    IS(CUDA_ERROR_INVALID_PTX,
       cuLibraryLoadData(&l, ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { ad; }", jit,
                         jit_values, 2, NULL, NULL, 0));
    judge(strstr(log, "line 4") != NULL, __LINE__, "log: %s", log);
    TRUE(l == NULL);
    OK(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, &preserved, values, 1));
    IS(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&k, l, "calls"));
    IS(CUDA_ERROR_INVALID_VALUE, cuLibraryGetKernel(&k, l, NULL));
    OK(cuLibraryEnumerateKernels(&k, 0, l));
    IS(pass ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_CONTEXT, cuLibraryGetGlobal(&p, NULL, l, "count"));
    IS(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&p, NULL, l, "calls"));
    OK(cuLibraryUnload(l));
    IS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(l));
    IS(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernel(&k, l, "count"));
    IS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(NULL));
    l = NULL;
    if (!pass) new_context();
  }
}

/* A kernel that this device cannot run is refused by name; the others run. */
static void missing(void) {
  static const char text[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                             ".visible .entry good() { ret; }\n"
                             ".visible .entry bad(.param .u64 t) {\n"
                             "  .reg .pred %p<2>;\n  .reg .b64 %rd<2>;\n"
                             "  ld.param.u64 %rd1, [t];\n"
                             "  istypep.texref %p1, %rd1;\n"
                             "  ret;\n}\n";
  CUlibrary l;
  CUkernel k;
  begin();
  OK(cuLibraryLoadData(&l, text, NULL, NULL, 0, NULL, NULL, 0));
  kernel(l, "good");
  IS(CUDA_ERROR_NOT_SUPPORTED, cuLibraryGetKernel(&k, l, "bad"));
  OK(cuLibraryUnload(l));
}

static bool has(const char *command, const char *what) {
  char text[4096];
  OK(cuSoftgpuControl(command, text, sizeof text, NULL));
  return strstr(text, what) != NULL;
}

/* Libraries are the program's to unload; the modules in them are nobody's. */
static void leaks(void) {
  begin();
  CUcontext a = new_context();
  CUlibrary l = load();
  TRUE(has("leaks", "library "));
  TRUE(!has("leaks", "module "));
  OK(cuCtxDestroy(a));
  TRUE(has("leaks", "library "));
  OK(cuLibraryUnload(l));
  TRUE(!has("leaks", "library "));
  load();
  new_context();
  load();
  OK(cuSoftgpuControl("reset", NULL, 0, NULL));
  TRUE(!has("leaks", "library "));
}

/* What kernels call to synchronise their grid is in an archive of machine code, which programs link: the
 * device supplies the functions. Each block writes its number and reads, behind the barrier, that of its
 * neighbour. */
static const char grid_ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 e) cudaCGSynchronize(.param .b64 h, .param .b32 flags);\n"
    ".visible .entry pass(.param .u64 words, .param .u32 rounds) {\n"
    "  .reg .b32 %r<9>;\n"
    "  .reg .b64 %rd<6>;\n"
    "  .reg .pred %p<3>;\n"
    "  .param .b32 scope; .param .b64 h; .param .b64 h2; .param .b32 flags; .param .b32 e;\n"
    "  ld.param.u64 %rd1, [words];\n"
    "  ld.param.u32 %r1, [rounds];\n"
    "  st.param.b32 [scope], 1;\n"
    "  call (h), cudaCGGetIntrinsicHandle, (scope);\n"
    "  ld.param.b64 %rd2, [h];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %nctaid.x;\n"
    "  add.u32 %r4, %r2, 1;\n"
    "  rem.u32 %r4, %r4, %r3;\n"
    "  mul.wide.u32 %rd3, %r2, 4;\n"
    "  add.u64 %rd3, %rd1, %rd3;\n"
    "  mul.wide.u32 %rd4, %r4, 4;\n"
    "  add.u64 %rd4, %rd1, %rd4;\n"
    "again:\n"
    "  ld.volatile.global.u32 %r5, [%rd4];\n"
    "  st.param.b64 [h2], %rd2;\n"
    "  st.param.b32 [flags], 0;\n"
    "  call (e), cudaCGSynchronize, (h2, flags);\n"
    "  ld.param.b32 %r6, [e];\n"
    "  add.u32 %r5, %r5, %r6;\n"
    "  st.volatile.global.u32 [%rd3], %r5;\n"
    "  st.param.b64 [h2], %rd2;\n"
    "  st.param.b32 [flags], 0;\n"
    "  call (e), cudaCGSynchronize, (h2, flags);\n"
    "  sub.u32 %r1, %r1, 1;\n"
    "  setp.ne.u32 %p1, %r1, 0;\n"
    "  @%p1 bra again;\n"
    "  ret;\n"
    "}\n";

static void grid_barrier(void) {
  enum { BLOCKS = 7, ROUNDS = 3 };
  static const char archive[] = "!<arch>\n/               0           0     0     0       4         `\nabcd";
  CUlinkState link;
  CUmodule m;
  CUfunction f;
  CUdeviceptr words;
  void *image = NULL;
  size_t size = 0;
  uint32_t host[BLOCKS], rounds = ROUNDS;
  begin();
  CUcontext a = new_context();
  for (int with = 0; with < 2; with++) {
    OK(cuLinkCreate(0, NULL, NULL, &link));
    if (with)
      OK(cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, (void *)(uintptr_t)archive, sizeof archive - 1, "a", 0,
                       NULL, NULL));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)grid_ptx, sizeof grid_ptx, "k", 0, NULL,
                     NULL));
    IS(with ? CUDA_SUCCESS : CUDA_ERROR_INVALID_SOURCE, cuLinkComplete(link, &image, &size));
    if (!with) OK(cuLinkDestroy(link));
  }
  OK(cuModuleLoadData(&m, image));
  OK(cuLinkDestroy(link));
  OK(cuModuleGetFunction(&f, m, "pass"));
  OK(cuMemAlloc(&words, sizeof host));
  for (uint32_t i = 0; i < BLOCKS; i++) host[i] = i;
  OK(cuMemcpyHtoD(words, host, sizeof host));
  void *params[] = {&words, &rounds};
  for (int i = 0; i < 2; i++) OK(cuLaunchCooperativeKernel(f, BLOCKS, 1, 1, 40, 1, 1, 0, NULL, params));
  OK(cuMemcpyDtoH(host, words, sizeof host));
  for (uint32_t i = 0; i < BLOCKS; i++) EQ(host[i], (i + 2 * ROUNDS) % BLOCKS);
  OK(cuCtxDestroy(a));
}

/* NVRTC asks for this one, of whatever driver the process has. */
static void export_tables(void) {
  const void *table = &table;
  const CUuuid id = {{1, 2, 3}};
  IS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, &id));
  TRUE(table == NULL);
  IS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(NULL, &id));
  IS(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, NULL));
}

static const Group groups[] = {
    {.name = "without_context", .run = without_context},
    {.name = "contexts", .run = contexts},
    {.name = "attributes", .run = attributes},
    {.name = "as_functions", .run = as_functions},
    {.name = "errors", .run = errors},
    {.name = "missing", .run = missing, .where = SOFTWARE},
    {.name = "leaks", .run = leaks, .where = SOFTWARE},
    {.name = "grid_barrier", .run = grid_barrier, .where = SOFTWARE},
    {.name = "export_tables", .run = export_tables, .where = SOFTWARE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
