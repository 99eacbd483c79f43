/* Conformance of a CUDA driver, through the driver API alone. Each group runs in a process of its own, so
 * that a sticky error, a fork or a shutdown touches no other. What is expected holds for a GPU as well;
 * groups of the software device's own control function run only where that function exists. */
#include "check.h"
#include "kernels.h"

#include <stdint.h>
#include <pthread.h>
#include <unistd.h>

/* Older symbols that the header's macros hide. */
#undef cuEventElapsedTime
#undef cuDevicePrimaryCtxReset
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev);

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .u32 cell[4];\n"
                          ".visible .entry wild(.param .u64 p) {\n"
                          "  .reg .b32 %r<2>;\n"
                          "  .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  mov.u32 %r1, 1;\n"
                          "  st.global.u32 [%rd2], %r1;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry none() {\n"
                          "  ret;\n"
                          "}\n" ADD_ONE_KERNEL;

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction add_one, wild, none;

static void start(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
}

static void start_module(void) {
  start();
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&add_one, mod, "add_one"));
  OK(cuModuleGetFunction(&wild, mod, "wild"));
  OK(cuModuleGetFunction(&none, mod, "none"));
}

static CUresult launch_add(CUdeviceptr p, unsigned n, CUstream s) {
  void *params[] = {&p, &n};
  return cuLaunchKernel(add_one, (n + 127) / 128, 1, 1, 128, 1, 1, 0, s, params, NULL);
}

static unsigned read_word(CUdeviceptr p) {
  unsigned v = 0xdeadbeef;
  OK(cuMemcpyDtoH(&v, p, 4));
  return v;
}

/* --- groups --- */

static void before_init(void) {
  int v = 0;
  CUdevice d;
  CUcontext c;
  CUdeviceptr p;
  const char *name;
  OK(cuDriverGetVersion(&v));
  TRUE(v >= 12000);
  IS(1, cuDriverGetVersion(NULL));
  OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name));
  TRUE(strcmp(name, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
  OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
  TRUE(name && *name);
  IS(1, cuGetErrorName((CUresult)12345, &name));
  IS(3, cuDeviceGet(&d, 0));
  IS(3, cuDeviceGetCount(&v));
  IS(3, cuCtxGetCurrent(&c));
  IS(3, cuMemAlloc(&p, 16));
  IS(3, cuCtxSynchronize());
  IS(1, cuInit(1));
  OK(cuInit(0));
  OK(cuInit(0));
  IS(201, cuMemAlloc(&p, 16));
  IS(201, cuCtxSynchronize());
  OK(cuCtxGetCurrent(&c));
  TRUE(c == NULL);
}

static void devices(void) {
  int n = 0, v = 0, w = 0;
  CUdevice d, e;
  char text[256];
  size_t bytes = 0;
  CUuuid uuid;
  OK(cuInit(0));
  OK(cuDeviceGetCount(&n));
  TRUE(n >= 1);
  IS(101, cuDeviceGet(&d, n));
  IS(101, cuDeviceGet(&d, -1));
  IS(1, cuDeviceGet(NULL, 0));
  OK(cuDeviceGet(&d, 0));
  OK(cuDeviceGetName(text, sizeof text, d));
  TRUE(text[0]);
  OK(cuDeviceTotalMem(&bytes, d));
  TRUE(bytes >= 1 << 20);
  OK(cuDeviceGetUuid(&uuid, d));
  for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; i++) OK(cuDeviceGetAttribute(&v, (CUdevice_attribute)i, d));
  IS(1, cuDeviceGetAttribute(&v, (CUdevice_attribute)0, d));
  IS(1, cuDeviceGetAttribute(&v, (CUdevice_attribute)100000, d));
  IS(101, cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
  OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
  EQ(v, 32);
  OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
  TRUE(v >= 7);
  OK(cuDeviceGetPCIBusId(text, sizeof text, d));
  OK(cuDeviceGetByPCIBusId(&e, text));
  EQ(e, d);
  IS(1, cuDeviceGetByPCIBusId(&e, "nonsense"));
  OK(cuDeviceCanAccessPeer(&v, d, d));
  EQ(v, 0);
  unsigned flags = 9;
  OK(cuDevicePrimaryCtxGetState(d, &flags, &w));
  EQ(w, 0);
}

static void contexts(void) {
  CUcontext a, b, c;
  CUdevice d;
  unsigned version;
  start();
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);
  OK(cuCtxGetApiVersion(ctx, &version));
  EQ(version, 3020);
  OK(cuCtxGetDevice(&d));
  EQ(d, dev);
  OK(cuCtxCreate_v2(&a, CU_CTX_SCHED_YIELD, dev));
  IS(1, cuCtxCreate_v2(&b, 0x10000, dev));
  IS(101, cuCtxCreate_v2(&b, 0, 99));
  OK(cuCtxGetCurrent(&c));
  TRUE(c == a);
  OK(cuCtxPopCurrent(&c));
  TRUE(c == a);
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);
  OK(cuCtxPushCurrent(a));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxPopCurrent(&c));
  IS(201, cuCtxPopCurrent(&c));
  IS(201, cuCtxGetDevice(&d));
  OK(cuCtxSetCurrent(ctx));

  OK(cuCtxPushCurrent(a));
  OK(cuCtxPushCurrent(ctx));
  OK(cuCtxDestroy(a)); /* not on top: its entry stays */
  OK(cuCtxPopCurrent(&c));
  TRUE(c == ctx);
  OK(cuCtxGetDevice(&d)); /* the one call that still answers */
  IS(709, cuCtxSynchronize());
  IS(709, cuCtxDestroy(a));
  OK(cuCtxPushCurrent(a));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);

  size_t limit = 0;
  OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  TRUE(limit >= 1024);
  OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  TRUE(limit >= 4096);
  IS(215, cuCtxGetLimit(&limit, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
  IS(1, cuCtxGetLimit(&limit, (CUlimit)99));
  int least = 9, greatest = 9;
  OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EQ(least, 0);
  EQ(greatest, -5);
  OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  OK(cuCtxDestroy(ctx));
  OK(cuCtxGetCurrent(&c));
  TRUE(c == NULL);
}

static void primary(void) {
  CUcontext a, b;
  CUdeviceptr p;
  unsigned flags;
  int active;
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  IS(201, cuDevicePrimaryCtxRelease(dev));
  OK(cuDevicePrimaryCtxRetain(&a, dev));
  OK(cuDevicePrimaryCtxRetain(&b, dev));
  TRUE(a == b);
  IS(201, cuMemAlloc(&p, 16)); /* retained, not current */
  OK(cuCtxSetCurrent(a));
  OK(cuMemAlloc(&p, 16));
  IS(201, cuCtxDestroy(a));
  OK(cuDevicePrimaryCtxRelease(dev));
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
  EQ(active, 1);
  OK(cuDevicePrimaryCtxRelease(dev)); /* the last one destroys it, current or not */
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
  EQ(active, 0);
  IS(709, cuCtxSynchronize());
  OK(cuDevicePrimaryCtxRetain(&b, dev));
  TRUE(a == b);
  OK(cuCtxSynchronize()); /* it is current again */
  OK(cuMemAlloc(&p, 16));
  OK(cuDevicePrimaryCtxReset_v2(dev));
}

static void memory(void) {
  CUdeviceptr p, q, base;
  size_t size, pitch, free_bytes, total;
  unsigned char host[256], back[256];
  start();
  IS(1, cuMemAlloc(&p, 0));
  IS(1, cuMemAlloc(NULL, 16));
  IS(2, cuMemAlloc(&p, (size_t)1 << 45));
  OK(cuMemGetInfo(&free_bytes, &total));
  TRUE(free_bytes <= total && total > 0);
  OK(cuMemAlloc(&p, 256));
  EQ(p % 256, 0);
  OK(cuMemGetAddressRange(&base, &size, p + 17));
  TRUE(base == p);
  EQ(size, 256);
  for (int i = 0; i < 256; i++) host[i] = (unsigned char)i;
  OK(cuMemcpyHtoD(p, host, 256));
  OK(cuMemcpyDtoH(back, p, 256));
  TRUE(memcmp(host, back, 256) == 0);
  OK(cuMemcpyHtoD(p, host, 0));
  IS(1, cuMemcpyHtoD(0x1000, host, 16));
  IS(1, cuMemcpyDtoH(back, 0x1000, 16));
  OK(cuMemAlloc(&q, 256));
  OK(cuMemcpyDtoD(q, p, 256));
  OK(cuMemcpyDtoH(back, q, 256));
  TRUE(memcmp(host, back, 256) == 0);
  OK(cuMemcpy(q, p, 100));
  OK(cuMemsetD8(p, 0x5a, 256));
  OK(cuMemcpyDtoH(back, p, 256));
  TRUE(back[0] == 0x5a && back[255] == 0x5a);
  OK(cuMemsetD32(p, 0x01020304, 64));
  EQ(read_word(p + 252), 0x01020304);
  IS(1, cuMemsetD32(p + 2, 1, 4));
  IS(1, cuMemsetD16(p + 1, 1, 4));
  OK(cuMemsetD2D16(p, 16, 0xbeef, 4, 16));
  OK(cuMemcpyDtoH(back, p, 256));
  TRUE(back[0] == 0xef && back[7] == 0xbe && back[8] == 4 && back[247] == 0xbe);
  OK(cuMemFree(p));
  IS(1, cuMemFree(p));
  IS(1, cuMemFree(q + 16));
  OK(cuMemFree(q));
  OK(cuMemAllocPitch(&p, &pitch, 100, 10, 4));
  EQ(pitch, 512);
  IS(1, cuMemAllocPitch(&q, &pitch, 100, 10, 3));
  OK(cuMemFree(p));
  IS(500, cuMemGetAddressRange(&base, &size, 0x1000));
  CUmemorytype type;
  OK(cuMemAlloc(&p, 1000));
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EQ(type, CU_MEMORYTYPE_DEVICE);
  IS(1, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host));
  OK(cuMemAllocAsync(&q, 1 << 20, NULL));
  OK(cuMemsetD8Async(q, 7, 1 << 20, NULL));
  OK(cuMemFreeAsync(q, NULL));
  IS(1, cuMemFreeAsync(q, NULL));
  OK(cuCtxSynchronize());
  OK(cuCtxDestroy(ctx));
  IS(1, cuMemFree(p)); /* went with its context */
}

/* Addresses come back last freed first; a copy past an allocation is refused even inside a page. */
static void memory_exact(void) {
  CUdeviceptr a, b, c, d;
  unsigned char host[4096];
  memset(host, 1, sizeof host);
  start();
  OK(cuMemAlloc(&a, 1000));
  OK(cuMemAlloc(&b, 1000));
  IS(1, cuMemcpyHtoD(a, host, 1001));
  IS(1, cuMemcpyDtoH(host, a + 1, 1000));
  IS(1, cuMemsetD8(a, 0, 1001));
  IS(1, cuMemsetD2D8(a, 100, 0, 50, 11));
  IS(1, cuMemsetD2D8(a, 10, 0, 50, 2));
  OK(cuMemFree(a));
  OK(cuMemFree(b));
  OK(cuMemAlloc(&c, 1000));
  OK(cuMemAlloc(&d, 1000));
  if (cuSoftgpuControl) TRUE(c == b && d == a); /* last freed, first given out */
  CUdeviceptr big;
  OK(cuMemAlloc(&big, (size_t)1 << 30));
  OK(cuMemsetD8(big + ((size_t)1 << 30) - 4096, 9, 4096));
  OK(cuMemFree(big));
}

static void host_memory(void) {
  void *h;
  CUdeviceptr d, p;
  unsigned flags = 99;
  start();
  OK(cuMemHostAlloc(&h, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  void *unmade;
  IS(1, cuMemHostAlloc(&unmade, 4096, 0x100));
  OK(cuMemHostGetDevicePointer(&d, h, 0));
  TRUE(d == (CUdeviceptr)(uintptr_t)h);
  OK(cuMemHostGetFlags(&flags, h));
  EQ(flags & 3, 3);
  OK(cuMemAlloc(&p, 4096));
  unsigned *w = h;
  w[0] = 41;
  /* A pinned source is read when the copy runs. */
  if (deferred()) {
    CUstream s;
    OK(cuStreamCreate(&s, 0));
    OK(cuMemcpyHtoDAsync(p, h, 4096, s));
    w[0] = 42;
    OK(cuStreamSynchronize(s));
    EQ(read_word(p), 42);
    unsigned v = 1;
    OK(cuMemcpyHtoDAsync(p, &v, 4, s)); /* a pageable one at the call */
    v = 2;
    OK(cuStreamSynchronize(s));
    EQ(read_word(p), 1);
    v = 77;
    OK(cuMemcpyDtoHAsync(&v, p, 4, s)); /* to pageable memory: waits */
    EQ(v, 1);
    OK(cuMemcpyDtoHAsync(h, p, 4, s)); /* to pinned memory: does not */
    EQ(w[0], 42);
    OK(cuStreamSynchronize(s));
    EQ(w[0], 1);
    OK(cuStreamDestroy(s));
  }
  OK(cuMemFreeHost(h));
  IS(1, cuMemFreeHost(h));
  OK(cuMemAllocHost(&h, 100));
  OK(cuCtxDestroy(ctx));
}

static void modules(void) {
  CUmodule m;
  CUfunction f, g, list[8];
  CUdeviceptr p;
  size_t bytes, offset, size;
  unsigned n = 0;
  char err[4096] = "", info[4096] = "";
  start_module();
  IS(500, cuModuleGetFunction(&f, mod, "nothing"));
  OK(cuModuleGetFunction(&f, mod, "add_one"));
  TRUE(f == add_one);
  OK(cuModuleGetGlobal(&p, &bytes, mod, "cell"));
  EQ(bytes, 16);
  EQ(read_word(p), 0);
  OK(cuMemcpyHtoD(p + 4, "abcd", 4));
  IS(1, cuMemFree(p));
  IS(500, cuModuleGetGlobal(&p, &bytes, mod, "no_such_cell"));
  OK(cuModuleGetFunctionCount(&n, mod));
  EQ(n, 3);
  OK(cuModuleEnumerateFunctions(list, 3, mod));
  TRUE(list[0] == add_one || list[1] == add_one || list[2] == add_one);
  const char *name;
  OK(cuFuncGetName(&name, add_one));
  TRUE(strcmp(name, "add_one") == 0);
  OK(cuFuncGetModule(&m, add_one));
  TRUE(m == mod);
  OK(cuFuncGetParamInfo(add_one, 0, &offset, &size));
  TRUE(offset == 0 && size == 8);
  OK(cuFuncGetParamInfo(add_one, 1, &offset, &size));
  TRUE(offset == 8 && size == 4);
  IS(1, cuFuncGetParamInfo(add_one, 2, &offset, &size));
  int v;
  for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; i++)
    OK(cuFuncGetAttribute(&v, (CUfunction_attribute)i, add_one));
  IS(1, cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX, add_one));
  IS(1, cuFuncSetAttribute(add_one, CU_FUNC_ATTRIBUTE_NUM_REGS, 8));
  OK(cuFuncSetAttribute(add_one, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10));
  IS(1, cuFuncSetAttribute(add_one, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  OK(cuFuncSetCacheConfig(add_one, CU_FUNC_CACHE_PREFER_SHARED));
  CUfunctionLoadingState state;
  OK(cuFuncLoad(add_one));
  OK(cuFuncIsLoaded(&state, add_one));
  EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);

  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {err, (void *)sizeof err, info, (void *)sizeof info};
  IS(218,
     cuModuleLoadDataEx(
         &m, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n bogus.s32 %r1;\n}\n", 4,
         options, values));
  TRUE(strstr(err, "line ") && strstr(err, "error"));
  IS(200, cuModuleLoadData(&m, "this is not PTX"));
  IS(301, cuModuleLoad(&m, "/no/such/file.ptx"));
  IS(1, cuModuleLoadData(NULL, ptx));
  IS(1, cuModuleLoadData(&m, NULL));
  g = add_one;
  OK(cuModuleUnload(mod));
  if (cuSoftgpuControl) {
    IS(400, cuModuleUnload(mod));
    IS(400, cuFuncGetName(&name, g));
    IS(209, cuModuleLoadData(&m, "\177ELF\2\1\1 a cubin"));
    IS(209, cuModuleLoadData(&m, "\x50\xed\x55\xba a fatbin"));
    IS(200, cuModuleLoadData(&m, "\1\2\3\4"));
    OK(cuModuleLoadData(&m, ptx));
    TRUE(m == mod); /* handles come back at once */
    OK(cuCtxDestroy(ctx));
    IS(400, cuModuleUnload(m));
  }
}

static void launches(void) {
  CUdeviceptr p;
  start_module();
  OK(cuMemAlloc(&p, 4000));
  OK(cuMemsetD8(p, 0, 4000));
  OK(launch_add(p, 1000, NULL));
  OK(launch_add(p, 1000, NULL));
  EQ(read_word(p), 2);
  EQ(read_word(p + 3996), 2);

  unsigned n = 1000;
  void *params[] = {&p, &n};
  IS(1, cuLaunchKernel(add_one, 0, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 0, 1, 1, 0, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 32, 32, 2, 0, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 128, 0, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 65536, 1, 1, 1, 1, 0, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 60000, NULL, params, NULL));
  OK(cuFuncSetAttribute(add_one, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
  OK(cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 60000, NULL, params, NULL));
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  OK(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));

  /* The packed form: exact or short passes, one byte too many does not. */
  unsigned char buffer[16];
  memcpy(buffer, &p, 8);
  memcpy(buffer + 8, &n, 4);
  size_t size = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(add_one, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
  EQ(read_word(p + 3996), 3);
  size = 13;
  IS(701, cuLaunchKernel(add_one, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));

  CUlaunchAttribute attr[2] = {{.id = CU_LAUNCH_ATTRIBUTE_PRIORITY}, {.id = CU_LAUNCH_ATTRIBUTE_IGNORE}};
  CUlaunchConfig config = {
      .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1};
  config.attrs = attr;
  config.numAttrs = 2;
  OK(cuLaunchKernelEx(&config, add_one, params, NULL));
  EQ(read_word(p + 3996), 4);
  attr[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attr[1].value.clusterDim.x = 64;
  attr[1].value.clusterDim.y = attr[1].value.clusterDim.z = 1;
  IS(912, cuLaunchKernelEx(&config, add_one, params, NULL));

  OK(cuLaunchCooperativeKernel(none, 2, 1, 1, 32, 1, 1, 0, NULL, NULL));
  IS(720, cuLaunchCooperativeKernel(none, 1 << 20, 1, 1, 1024, 1, 1, 0, NULL, NULL));
  int blocks = 0, block = 0, grid = 0;
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 256, 0));
  TRUE(blocks >= 1 && blocks <= 64);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add_one, NULL, 0, 0));
  TRUE(grid >= 1 && block >= 32 && block <= 1024);

  /* A stream of another context is refused. */
  CUcontext other;
  CUstream s;
  OK(cuCtxCreate_v2(&other, 0, dev));
  OK(cuStreamCreate(&s, 0));
  IS(400, launch_add(p, 1000, s));
  OK(cuCtxDestroy(other));
  OK(cuCtxSynchronize());
}

static void streams(void) {
  CUstream s, t;
  unsigned flags = 9;
  int priority = 9;
  unsigned long long a, b;
  CUcontext c;
  start_module();
  IS(1, cuStreamCreate(&s, 2));
  OK(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -99));
  OK(cuStreamGetPriority(s, &priority));
  EQ(priority, -5);
  OK(cuStreamGetFlags(s, &flags));
  EQ(flags, CU_STREAM_NON_BLOCKING);
  OK(cuStreamCreate(&t, 0));
  OK(cuStreamGetId(s, &a));
  OK(cuStreamGetId(t, &b));
  TRUE(a != b);
  OK(cuStreamGetCtx(s, &c));
  TRUE(c == ctx);
  OK(cuStreamQuery(s));
  OK(cuStreamSynchronize(s));
  OK(cuStreamSynchronize(CU_STREAM_LEGACY));
  OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  CUstreamCaptureStatus status;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  OK(cuStreamIsCapturing(s, &status));
  EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  OK(cuThreadExchangeStreamCaptureMode(&mode));
  EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  OK(cuThreadExchangeStreamCaptureMode(&mode));
  EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);

  CUdeviceptr p;
  OK(cuMemAlloc(&p, 4));
  OK(cuMemsetD32(p, 0, 1));
  OK(cuCtxSynchronize());
  for (int i = 0; i < 10; i++) {
    OK(launch_add(p, 1, s));
    OK(launch_add(p, 1, s));
    OK(cuStreamSynchronize(s));
    OK(launch_add(p, 1, t));
    OK(launch_add(p, 1, NULL));
    OK(launch_add(p, 1, CU_STREAM_PER_THREAD));
    OK(cuCtxSynchronize());
  }
  EQ(read_word(p), 50);
  OK(cuCtxPopCurrent(&c)); /* an explicit stream needs no current context, the default one does */
  OK(cuStreamQuery(t));
  OK(cuMemcpyHtoDAsync(p, &flags, 4, t));
  OK(cuStreamSynchronize(t));
  IS(201, cuMemcpyHtoD(p, &flags, 4));
  IS(201, cuStreamSynchronize(NULL));
  OK(cuStreamDestroy(t));
  OK(cuCtxPushCurrent(ctx));
  t = s;
  OK(cuStreamDestroy(s));
  OK(cuStreamCreate(&s, 0));
  OK(cuCtxDestroy(ctx));
  if (!cuSoftgpuControl) return; /* a GPU's driver may crash on what went with its context */
  IS(709, cuStreamQuery(s));
  IS(709, cuStreamDestroy(s));
}

static void count_up(void *arg) { ++*(int *)arg; }

/* Deferred execution and the default stream's rules; only the software device has exact answers. */
static void stream_order(void) {
  if (!deferred()) return;
  CUstream s, t, nb;
  CUdeviceptr p, q;
  CUevent e;
  int calls = 0;
  start_module();
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamCreate(&t, 0));
  OK(cuStreamCreate(&nb, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc(&p, 4));
  OK(cuMemAlloc(&q, 4));
  OK(cuMemsetD32(p, 0, 1));
  OK(cuMemsetD32(q, 0, 1));
  OK(cuCtxSynchronize());
  unsigned *h;
  OK(cuMemHostAlloc((void **)&h, 64, 0));
  h[0] = 100;

  OK(launch_add(p, 1, s));
  IS(600, cuStreamQuery(s)); /* one operation runs per query */
  OK(cuStreamQuery(s));

  OK(launch_add(p, 1, nb)); /* a plain copy does not wait for a non-blocking stream */
  EQ(read_word(p), 1);
  OK(cuStreamSynchronize(nb));
  EQ(read_word(p), 2);

  OK(launch_add(p, 1, s)); /* but for blocking ones it does */
  EQ(read_word(p), 3);

  OK(cuLaunchHostFunc(s, count_up, &calls));
  EQ(calls, 0);
  OK(cuMemcpyDtoHAsync(h, p, 4, nb));
  EQ(h[0], 100);
  OK(cuStreamSynchronize(s));
  EQ(calls, 1);
  EQ(h[0], 100);
  OK(cuStreamSynchronize(nb));
  EQ(h[0], 3);

  /* s -> event -> nb: waiting for nb runs s up to the event, not beyond. */
  OK(cuEventCreate(&e, 0));
  OK(launch_add(p, 1, s));
  OK(cuEventRecord(e, s));
  OK(cuLaunchHostFunc(s, count_up, &calls));
  OK(cuStreamWaitEvent(nb, e, 0));
  OK(cuMemcpyDtoHAsync(h, p, 4, nb));
  OK(cuStreamSynchronize(nb));
  EQ(h[0], 4);
  EQ(calls, 1);
  OK(cuEventQuery(e));
  OK(cuCtxSynchronize());
  EQ(calls, 2);

  /* Work in the legacy stream waits for t, later work in s waits for it. */
  OK(launch_add(q, 1, t));
  OK(cuMemcpyDtoDAsync(p, q, 4, NULL));
  OK(cuMemcpyDtoHAsync(h, p, 4, s));
  OK(cuStreamSynchronize(s));
  EQ(h[0], 1);

  /* A destroyed stream finishes its work; freeing memory waits. */
  OK(launch_add(q, 1, t));
  OK(cuStreamDestroy(t));
  OK(cuMemFree(p));
  EQ(read_word(q), 2);
  OK(cuMemFreeHost(h));
}

static void events(void) {
  CUevent a, b, c;
  CUstream s;
  CUdeviceptr p;
  float ms = -1;
  start_module();
  OK(cuStreamCreate(&s, 0));
  OK(cuMemAlloc(&p, 1 << 20));
  IS(1, cuEventCreate(&a, 0x100));
  IS(1, cuEventCreate(&a, CU_EVENT_INTERPROCESS));
  OK(cuEventCreate(&a, 0));
  OK(cuEventCreate(&b, 0));
  OK(cuEventCreate(&c, CU_EVENT_DISABLE_TIMING));
  OK(cuEventQuery(a)); /* never recorded: done */
  OK(cuEventSynchronize(a));
  IS(400, cuEventElapsedTime_v2(&ms, a, b));
  OK(cuEventRecord(a, s));
  OK(cuMemsetD8Async(p, 1, 1 << 20, s));
  OK(launch_add(p, 1000, s));
  OK(cuEventRecord(b, s));
  OK(cuEventRecord(c, s));
  OK(cuEventSynchronize(c));
  OK(cuEventElapsedTime_v2(&ms, a, b));
  TRUE(ms > 0 && ms < 1e4f);
  OK(cuEventElapsedTime(&ms, b, a));
  TRUE(ms < 0);
  IS(400, cuEventElapsedTime_v2(&ms, a, c));
  if (deferred()) {
    OK(cuEventRecord(b, s));
    IS(600, cuEventElapsedTime_v2(&ms, a, b));
    IS(600, cuEventQuery(b));
    OK(cuEventQuery(b));
  }
  CUcontext other;
  CUstream foreign;
  OK(cuCtxCreate_v2(&other, 0, dev));
  OK(cuStreamCreate(&foreign, 0));
  IS(400, cuEventRecord(a, foreign));
  OK(cuStreamWaitEvent(foreign, a, 0));
  OK(cuStreamSynchronize(foreign));
  OK(cuCtxDestroy(other));
  OK(cuEventDestroy(a));
  if (cuSoftgpuControl) {
    IS(400, cuEventDestroy(a));
    OK(cuEventCreate(&c, 0));
    TRUE(c == a);
  }
  OK(cuCtxDestroy(ctx));
  IS(709, cuEventQuery(b));
  IS(709, cuEventDestroy(b));
}

/* A kernel's fault kills every context of the device, for as long as the process lives. */
static void sticky(void) {
  CUcontext second, third, c;
  CUdeviceptr p, bad = 64;
  CUstream s;
  int v;
  start_module();
  OK(cuMemAlloc(&p, 16));
  OK(cuStreamCreate(&s, 0));
  OK(cuCtxCreate_v2(&second, 0, dev));
  OK(cuCtxPopCurrent(&c));
  void *params[] = {&bad};
  CUresult r = cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
  TRUE(r == CUDA_SUCCESS || (r == CUDA_ERROR_ILLEGAL_ADDRESS && !deferred()));
  IS(700, cuCtxSynchronize());
  IS(700, cuMemFree(p));
  IS(700, cuStreamDestroy(s));
  IS(700, cuModuleUnload(mod));
  IS(700, cuMemAlloc(&p, 16));
  IS(700, launch_add(p, 1, NULL));
  OK(cuCtxGetCurrent(&c));
  OK(cuCtxGetDevice(&v));
  OK(cuDeviceGetCount(&v));
  OK(cuCtxPushCurrent(second));
  IS(700, cuMemAlloc(&p, 16));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxDestroy(second));
  OK(cuCtxDestroy(ctx));
  IS(700, cuCtxCreate_v2(&third, 0, dev));
  OK(cuDevicePrimaryCtxReset_v2(dev));
  IS(700, cuCtxCreate_v2(&third, 0, dev));
}

static void forks(void) {
  CUdeviceptr p;
  start();
  OK(cuMemAlloc(&p, 16));
  pid_t child = fork();
  if (child == 0) {
    CUcontext c;
    _exit(cuInit(0) == 3 && cuMemFree(p) == 3 && cuCtxGetCurrent(&c) == 3 && cuCtxDestroy(ctx) == 3 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EQ(status, 0);
  OK(cuMemFree(p));
}

static int exit_code = 1;

static void after_driver(void) {
  CUdeviceptr p;
  const char *name;
  bool good = cuMemAlloc(&p, 16) == 4 && cuCtxDestroy(ctx) == 4 && cuGetErrorName(CUDA_SUCCESS, &name) == 4;
  _exit(good ? exit_code : 1);
}

static void shutdown_order(void) {
  pid_t child = fork();
  if (child == 0) {
    atexit(after_driver);
    exit_code = 0;
    start();
    exit(failed != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EQ(status, 0);
}

static void *other_thread(void *arg) {
  CUcontext c = ctx;
  CUdeviceptr p = *(CUdeviceptr *)arg;
  OK(cuCtxGetCurrent(&c));
  TRUE(c == NULL);
  IS(201, cuMemAlloc(&p, 16));
  OK(cuCtxSetCurrent(ctx));
  for (int i = 0; i < 200; i++) {
    OK(launch_add(*(CUdeviceptr *)arg, 1, CU_STREAM_PER_THREAD));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    OK(cuMemAlloc(&p, 100));
    OK(cuMemFree(p));
  }
  return NULL;
}

static void threads(void) {
  CUdeviceptr p;
  pthread_t t[2];
  start_module();
  OK(cuMemAlloc(&p, 8));
  OK(cuMemsetD32(p, 0, 2));
  OK(cuCtxSynchronize());
  CUdeviceptr q = p + 4;
  pthread_create(&t[0], NULL, other_thread, &p);
  pthread_create(&t[1], NULL, other_thread, &q);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  EQ(read_word(p), 200);
  EQ(read_word(q), 200);
}

static void call_inside(void *arg) {
  CUdeviceptr p;
  *(int *)arg = cuMemAlloc(&p, 16) == 800;
}

static void *drains(void *arg) {
  (void)arg;
  OK(cuCtxSetCurrent(ctx));
  OK(cuCtxSynchronize());
  return NULL;
}

/* Host functions run without the driver's lock; two threads may wait for the same stream. */
static void callbacks(void) {
  if (!cuSoftgpuControl) return;
  CUstream s;
  int refused = 0, calls = 0;
  pthread_t t;
  start();
  OK(cuStreamCreate(&s, 0));
  OK(cuLaunchHostFunc(s, call_inside, &refused));
  for (int i = 0; i < 100; i++) OK(cuLaunchHostFunc(s, count_up, &calls));
  pthread_create(&t, NULL, drains, NULL);
  OK(cuStreamSynchronize(s));
  pthread_join(t, NULL);
  EQ(refused, 1);
  EQ(calls, 100);
}

CUresult cuSoftgpuInterrupt(int (*look)(void)) __attribute__((weak));
static _Atomic int in_function, may_return, wants_end;

static void block(void *unused) {
  (void)unused;
  in_function = 1;
  while (!may_return) usleep(1000);
}

static int look(void) { return wants_end; }

static void *ask_for_end(void *unused) {
  usleep(50000);
  wants_end = 1;
  return unused;
}

/* A wait for a host function that another thread runs ends when the program wants it, and the work does not.
 */
static void given_up(void) {
  CUstream s;
  CUevent e;
  int calls = 0;
  pthread_t runs, asks;
  start();
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&e, 0));
  OK(cuLaunchHostFunc(s, block, NULL));
  OK(cuLaunchHostFunc(s, count_up, &calls));
  OK(cuEventRecord(e, s));
  pthread_create(&runs, NULL, drains, NULL);
  while (!in_function) usleep(1000);
  OK(cuSoftgpuInterrupt(look));
  for (int i = 0; i < 3; i++) {
    wants_end = 0;
    pthread_create(&asks, NULL, ask_for_end, NULL);
    OK(i == 0 ? cuStreamSynchronize(s) : i == 1 ? cuEventSynchronize(e) : cuCtxSynchronize());
    pthread_join(asks, NULL);
    EQ(calls, 0);
  }
  wants_end = 0;
  may_return = 1;
  OK(cuStreamSynchronize(s));
  EQ(calls, 1);
  OK(cuSoftgpuInterrupt(NULL));
  pthread_join(runs, NULL);
  OK(cuEventDestroy(e));
  OK(cuStreamDestroy(s));
}

static char said[4096];

static void hear(void *data, CUlogLevel level, char *message, size_t length) {
  (void)data;
  (void)level;
  size_t n = strlen(said); /* a driver may say several things of one failure */
  snprintf(said + n, sizeof said - n, "%.*s", (int)length, message);
}

static void logs(void) {
  CUlogsCallbackHandle h;
  CUmodule m;
  start_module();
  OK(cuLogsRegisterCallback(hear, NULL, &h));
  CUdeviceptr p = 0;
  unsigned n = 1;
  void *params[] = {&p, &n};
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
  TRUE(strstr(said, "2048") != NULL);
  said[0] = 0;
  IS(218,
     cuModuleLoadData(
         &m, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n bogus.s32 %r1;\n}\n"));
  TRUE(said[0] != 0);
  OK(cuLogsUnregisterCallback(h));
  said[0] = 0;
  IS(1, cuLaunchKernel(add_one, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL));
  TRUE(said[0] == 0);
}

static void proc_address(void) {
  void *f = &f, *g;
  CUdriverProcAddressQueryResult status;
  OK(cuGetProcAddress("cuMemAlloc", &f, 13000, 0, &status));
  TRUE(f != NULL);
  OK(cuGetProcAddress("cuCtxSynchronize", &f, 12000, 0, &status));
  OK(cuGetProcAddress("cuCtxSynchronize", &g, 13000, 0, &status));
  TRUE(f && g && f != g);
  OK(cuGetProcAddress("cuMemAlloc_v2", &f, 13000, 0, &status));
  TRUE(f == NULL);
  EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  OK(cuGetProcAddress("cuFuncGetParamInfo", &f, 12000, 0, &status));
  TRUE(f == NULL);
  EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  int v = 0;
  OK(cuDriverGetVersion(&v));
  IS(1, cuGetProcAddress("cuMemAlloc", &f, v + 1000, 0, &status));
}

/* --- the software device's own --- */

static char reply[65536];

static CUresult control(const char *command) {
  size_t needed = 0;
  CUresult r = cuSoftgpuControl(command, reply, sizeof reply, &needed);
  judge(needed == strlen(reply) + 1, __LINE__, "%s: reply_needed is %zu", command, needed);
  return r;
}

static long stat(const char *key) {
  OK(control("stats"));
  char *at = strstr(reply, key);
  return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

static void soft_control(void) {
  if (!cuSoftgpuControl) return;
  CUdeviceptr p, q;
  CUevent e;
  CUcontext c;
  CUstream s;
  int n;
  IS(1, control("sing"));
  TRUE(strstr(reply, "log [on|off|clear]") != NULL);
  IS(1, control(""));
  IS(1, cuSoftgpuControl(NULL, NULL, 0, NULL));
  OK(cuSoftgpuControl("version", NULL, 0, NULL));
  OK(control("devices 2"));
  OK(control("memory 64M"));
  IS(1, control("devices 9"));
  IS(1, control("memory none"));
  start();
  IS(1, control("devices 1"));
  OK(cuDeviceGetCount(&n));
  EQ(n, 2);
  size_t total;
  OK(cuDeviceTotalMem(&total, 1));
  EQ(total, 32 << 20);
  OK(cuDeviceCanAccessPeer(&n, 0, 1));
  EQ(n, 1);
  IS(2, cuMemAlloc(&p, 33 << 20));
  OK(cuCtxCreate_v2(&c, 0, 1));

  OK(control("log on"));
  OK(cuMemAlloc(&p, 1000));
  OK(cuMemFree(p));
  IS(1, cuMemFree(p));
  OK(control("log"));
  TRUE(strstr(reply, "cuMemAlloc_v2 0 0x") != NULL);
  TRUE(strstr(reply, "bytes=1000") != NULL);
  TRUE(strstr(reply, "stale=memory:0x") != NULL);
  OK(control("log clear"));
  OK(control("log off"));
  OK(control("log"));
  EQ(reply[0], 0);
  EQ(stat("stale "), 1);

  OK(control("fail cuMemAlloc_v2 2 OUT_OF_MEMORY"));
  OK(cuMemAlloc(&p, 16));
  IS(2, cuMemAlloc(&q, 16));
  OK(cuMemAlloc(&q, 16));
  OK(control("fail * 1 CUDA_ERROR_UNKNOWN"));
  IS(999, cuCtxSynchronize());
  OK(control("fail cuMemFree_v2 1"));
  OK(control("fail clear"));
  OK(cuMemFree(q));
  IS(1, control("fail cuNoSuchCall 1"));
  IS(1, control("fail cuMemFree_v2 0"));
  IS(1, control("fail cuMemFree_v2 1 NO_SUCH_ERROR"));
  OK(cuCtxPopCurrent(NULL));
  OK(cuMemAlloc(&q, 16));
  OK(cuEventCreate(&e, 0));
  OK(cuStreamCreate(&s, 0));
  OK(cuLaunchHostFunc(s, count_up, &n));
  EQ(stat("live_allocs "), 2);
  EQ(stat("live_contexts "), 2);
  EQ(stat("live_events "), 1);
  EQ(stat("live_streams "), 1);
  OK(control("leaks"));
  TRUE(strstr(reply, "bytes=16") != NULL);
  OK(control("fail cuCtxSynchronize 1 719 sticky"));
  IS(719, cuCtxSynchronize());
  IS(719, cuMemAlloc(&q, 16));
  CUcontext second = NULL;
  IS(719, cuCtxCreate_v2(&second, 0, 1)); /* of the whole process: the other device is lost, too */

  OK(control("reset"));
  EQ(stat("live_allocs "), 0);
  EQ(stat("live_contexts "), 0);
  IS(3, cuMemAlloc(&p, 16));
  OK(control("devices 1"));
  OK(control("memory 16G"));
  start();
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);
  IS(400, cuEventDestroy(e) == 0 ? 0 : 400);
  OK(cuCtxDestroy(ctx));
  EQ(stat("live_contexts "), 0);

  OK(control("hide 12000"));
  OK(cuDriverGetVersion(&n));
  EQ(n, 12000);
  void *f;
  OK(cuGetProcAddress("cuFuncGetParamInfo", &f, 12000, 0, NULL));
  TRUE(f == NULL);
  OK(control("entry cuFuncGetParamInfo"));
  TRUE(strstr(reply, "12040 hidden") != NULL);
  size_t offset;
  IS(801, cuFuncGetParamInfo(NULL, 0, &offset, NULL));
  OK(control("hide 13000"));
}

/* Many objects alive: allocation and free stay quick, handles stay exact. */
static void many(void) {
  enum { N = 20000 };
  CUdeviceptr *p = malloc(N * sizeof *p);
  CUevent *e = malloc(N * sizeof *e);
  if (!p || !e) exit(1);
  start();
  bool good = true;
  for (int i = 0; i < N; i++) good = good && cuMemAlloc(&p[i], 64 + (size_t)(i % 100)) == 0;
  for (int i = 0; i < N; i++) good = good && cuEventCreate(&e[i], 0) == 0;
  for (int i = 0; i < N; i++) good = good && cuMemFree(p[(int)((long)i * 7919 % N)]) == 0;
  for (int i = 0; i < N; i += 2) good = good && cuEventDestroy(e[i]) == 0;
  TRUE(good);
  OK(cuCtxDestroy(ctx));
  free(p);
  free(e);
}

/* The older form of a host function: it hears which stream, and cannot be captured. */
static struct {
  CUstream stream;
  CUresult status, nested;
  int calls;
} heard;

static void CUDA_CB hear_stream(CUstream stream, CUresult status, void *data) {
  heard.stream = stream;
  heard.status = status;
  heard.nested = cuCtxSynchronize();
  heard.calls += *(const int *)data;
}

static void stream_callbacks(void) {
  CUstream s;
  CUgraph graph = NULL;
  int by = 3;
  start();
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamAddCallback(s, hear_stream, &by, 0));
  if (deferred()) EQ(heard.calls, 0);
  OK(cuStreamSynchronize(s));
  EQ(heard.calls, 3);
  TRUE(heard.stream == s);
  EQ(heard.status, CUDA_SUCCESS);
  EQ(heard.nested, CUDA_ERROR_NOT_PERMITTED);
  OK(cuStreamAddCallback(NULL, hear_stream, &by, 0));
  OK(cuCtxSynchronize());
  EQ(heard.calls, 6);
  TRUE(heard.stream == NULL);
  IS(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s, NULL, &by, 0));
  IS(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s, hear_stream, &by, 1));
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamAddCallback(s, hear_stream, &by, 0));
  IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &graph));
  OK(cuStreamDestroy(s));
  EQ(heard.calls, 6);
}

static const Group groups[] = {
    {.name = "stream_callbacks", .run = stream_callbacks},
    {"before_init", before_init, ANYWHERE},
    {"devices", devices, ANYWHERE},
    {"contexts", contexts, ANYWHERE},
    {"primary", primary, ANYWHERE},
    {"memory", memory, ANYWHERE},
    {"memory_exact", memory_exact, ANYWHERE},
    {"host_memory", host_memory, ANYWHERE},
    {"modules", modules, ANYWHERE},
    {"launches", launches, ANYWHERE},
    {"streams", streams, ANYWHERE},
    {"stream_order", stream_order, SOFTWARE},
    {"events", events, ANYWHERE},
    {"sticky", sticky, ANYWHERE},
    {"forks", forks, ANYWHERE},
    {"shutdown", shutdown_order, ANYWHERE},
    {"threads", threads, ANYWHERE},
    {"callbacks", callbacks, SOFTWARE},
    {"given_up", given_up, SOFTWARE},
    {"logs", logs, ANYWHERE},
    {"proc_address", proc_address, ANYWHERE},
    {"control", soft_control, SOFTWARE},
    {"many", many, ANYWHERE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
