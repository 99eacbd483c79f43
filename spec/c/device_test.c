/* Devices, contexts, peers, modules, the linker and the states a process can be in, through the driver API
 * alone. As in driver_test.c each group runs in a process of its own, what is expected holds for a GPU too,
 * and groups of the software device's own switches run only there. */
#define CUDA_ENABLE_DEPRECATED /* some old calls are tried on purpose */
#include "check.h"
#include "kernels.h"
#include <cudaProfiler.h>

#include <dlfcn.h>
#include <stdint.h>

/* Calls that the header hides because they are old. */
#undef cuCtxCreate
#undef cuDevicePrimaryCtxReset
CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev);
CUresult cuCtxCreate_v4(CUcontext *ctx, CUctxCreateParams *params, unsigned flags, CUdevice dev);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev);

static char reply[1 << 16];

static CUresult control(const char *command) {
  size_t needed;
  return cuSoftgpuControl(command, reply, sizeof reply, &needed);
}

/* The number behind a name in the last reply. */
static long reported(const char *key) {
  const char *at = strstr(reply, key);
  return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

/* Runs f in a child; true: it ended well and no check failed. */
static bool in_child(void (*f)(void)) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    failed = 0;
    f();
    exit(failed != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static const char ptx[] = HEAD ".visible .global .align 4 .u32 cell = 7;\n" PUT_KERNEL;

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction put;

static void start(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
}

static void start_module(void) {
  start();
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&put, mod, "put"));
}

static CUresult launch(CUfunction f, CUdeviceptr p, unsigned v) {
  void *params[] = {&p, &v};
  return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static unsigned word_at(CUdeviceptr p) {
  unsigned v = 0xdeadbeef;
  OK(cuMemcpyDtoH(&v, p, 4));
  return v;
}

static int attribute(CUdevice_attribute id) {
  int v = -12345;
  OK(cuDeviceGetAttribute(&v, id, dev));
  return v;
}

/* --- devices --- */

static void attributes(void) {
  static const CUdevice_attribute positive[] = {
      CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
      CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
      CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
      CU_DEVICE_ATTRIBUTE_WARP_SIZE,
      CU_DEVICE_ATTRIBUTE_MAX_PITCH,
      CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
      CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
      CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
      CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
      CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
      CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
      CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
      CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
      CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
      CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
      CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
      CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,
      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
      CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
      CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
  };
  int v, known = 0;
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  for (int i = 1; i < 148; i++) known += cuDeviceGetAttribute(&v, (CUdevice_attribute)i, dev) == CUDA_SUCCESS;
  EQ(known, 147);
  for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) TRUE(attribute(positive[i]) > 0);
  TRUE(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) >=
       attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  TRUE(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) >=
       attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  EQ(attribute(CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK),
     attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  EQ(attribute(CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED), 0);
  IS(1, cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev));
  IS(1, cuDeviceGetAttribute(&v, (CUdevice_attribute)-1, dev));
  IS(101, cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1));
  size_t width = 0;
  OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 1, dev));
  TRUE(width >= 1 << 20);
  int least, greatest;
  OK(cuCtxCreate_v2(&ctx, 0, dev));
  OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  TRUE(least >= greatest);
}

static void hidden_attributes(void) {
  int v;
  OK(cuInit(0));
  OK(control("attribute 10 hide"));
  OK(control("attribute 147 hide"));
  OK(control("attribute 115 0"));
  IS(1, cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  IS(1, cuDeviceGetAttribute(&v, (CUdevice_attribute)147, 0));
  OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
  EQ(v, 0);
  IS(1, control("attribute 0 hide"));
  IS(1, control("attribute 148 hide"));
  IS(1, control("attribute 10 seven"));
  IS(1, control("attribute"));
  OK(control("attribute reset"));
  EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED), 1);
  /* A driver does not know what came after it. */
  OK(control("hide 12040"));
  int known = 0;
  for (int i = 1; i < 148; i++) known += cuDeviceGetAttribute(&v, (CUdevice_attribute)i, 0) == CUDA_SUCCESS;
  EQ(known, 134);
  OK(control("hide 12000"));
  IS(1, cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
  OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 0));
  OK(control("hide 13000"));
}

/* --- peers: two devices, a context and a word of memory on each --- */

static CUcontext on[2];
static CUdeviceptr word[2];
static CUfunction putter[2];

static bool two_devices(void) {
  int n = 0, can = 0;
  CUcontext c;
  if (cuSoftgpuControl) OK(control("devices 2"));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&n));
  if (n >= 2) OK(cuDeviceCanAccessPeer(&can, 0, 1));
  skipped = !can;
  for (int i = 0; i < 2 && can; i++) {
    CUmodule m;
    OK(cuCtxCreate_v2(&on[i], 0, i));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&putter[i], m, "put"));
    OK(cuMemAlloc(&word[i], 4));
    OK(cuMemsetD32(word[i], 0, 1));
    OK(cuCtxSynchronize());
    OK(cuCtxPopCurrent(&c));
  }
  if (can) OK(cuCtxPushCurrent(on[0]));
  return can;
}

static void without_access(void) {
  if (!two_devices()) return;
  IS(0, launch(putter[0], word[0], 1));
  OK(cuCtxSynchronize());
  CUresult r = launch(putter[0], word[1], 1);
  IS(700, r ? r : cuCtxSynchronize());
  if (!cuSoftgpuControl) return;
  OK(control("report"));
  TRUE(strstr(reply, "no peer access") && strstr(reply, "device 1"));
}

static void access_taken_back(void) {
  if (!two_devices()) return;
  OK(cuCtxEnablePeerAccess(on[1], 0));
  OK(launch(putter[0], word[1], 5));
  OK(cuCtxDisablePeerAccess(on[1]));
  CUresult r = launch(putter[0], word[1], 1);
  IS(700, r ? r : cuCtxSynchronize());
}

static void peers(void) {
  int v;
  CUcontext c;
  TRUE(in_child(without_access));
  TRUE(in_child(access_taken_back));
  if (!two_devices()) return;
  for (int i = 1; i < 5; i++) {
    v = -1;
    OK(cuDeviceGetP2PAttribute(&v, (CUdevice_P2PAttribute)i, 0, 1));
    TRUE(v >= 0);
  }
  OK(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  EQ(v, 1);
  IS(101, cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  IS(101, cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 99));
  IS(1, cuDeviceGetP2PAttribute(&v, (CUdevice_P2PAttribute)99, 0, 1));
  IS(1, cuDeviceGetP2PAttribute(NULL, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  OK(cuDeviceCanAccessPeer(&v, 1, 1));
  EQ(v, 0);
  IS(101, cuDeviceCanAccessPeer(&v, 0, 99));

  IS(217, cuCtxEnablePeerAccess(on[0], 0)); /* its own */
  IS(1, cuCtxEnablePeerAccess(on[1], 1));
  IS(705, cuCtxDisablePeerAccess(on[1]));
  OK(cuCtxEnablePeerAccess(on[1], 0));
  IS(704, cuCtxEnablePeerAccess(on[1], 0));
  OK(launch(putter[0], word[1], 42));
  OK(cuCtxSynchronize());
  EQ(word_at(word[1]), 42); /* a copy needs no access */
  OK(cuCtxPushCurrent(on[1]));
  IS(705, cuCtxDisablePeerAccess(on[0])); /* access goes one way */
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxDisablePeerAccess(on[1]));
  IS(705, cuCtxDisablePeerAccess(on[1]));
  OK(cuCtxEnablePeerAccess(on[1], 0));
  OK(cuCtxDestroy(on[1]));
  OK(cuCtxPopCurrent(&c));
  IS(201, cuCtxEnablePeerAccess(on[0], 0));
  IS(201, cuCtxDisablePeerAccess(on[0]));
}

static void more_peers(void) {
  int can;
  CUcontext many[12], c;
  if (!two_devices()) return;
  for (int i = 0; i < 9; i++) {
    OK(cuCtxCreate_v2(&many[i], 0, 1));
    OK(cuCtxPopCurrent(&c));
    IS(i < 8 ? 0 : 711, cuCtxEnablePeerAccess(many[i], 0));
  }
  OK(cuCtxDestroy(many[3])); /* makes room */
  OK(cuCtxEnablePeerAccess(many[8], 0));
  IS(709, cuCtxEnablePeerAccess(many[3], 0));
  IS(201, cuCtxEnablePeerAccess((CUcontext)&c, 0));
  OK(control("peers off"));
  OK(cuDeviceCanAccessPeer(&can, 0, 1));
  EQ(can, 0);
  OK(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  EQ(can, 0);
  IS(217, cuCtxEnablePeerAccess(on[1], 0));
  IS(1, control("peers"));
  OK(control("peers on"));
  /* Pinned and managed memory is everybody's. */
  void *h;
  CUdeviceptr m;
  OK(cuCtxPushCurrent(on[1]));
  OK(cuMemHostAlloc(&h, 4, CU_MEMHOSTALLOC_PORTABLE));
  OK(cuMemAllocManaged(&m, 4, CU_MEM_ATTACH_GLOBAL));
  OK(cuCtxPopCurrent(&c));
  OK(launch(putter[0], (CUdeviceptr)(uintptr_t)h, 3));
  OK(launch(putter[0], m, 4));
  OK(cuCtxSynchronize());
  EQ(*(unsigned *)h, 3);
  EQ(*(unsigned *)(uintptr_t)m, 4);
}

/* --- contexts --- */

static void context_state(void) {
  unsigned version = 0, flags = 99;
  unsigned long long a = 0, b = 0;
  CUcontext second, c;
  CUsharedconfig banks = (CUsharedconfig)9;
  CUfunc_cache cache;
  size_t limit;
  start();
  OK(cuCtxGetId(ctx, &a));
  OK(cuCtxCreate_v4(&second, NULL, CU_CTX_SCHED_BLOCKING_SYNC, dev));
  OK(cuCtxGetId(second, &b));
  TRUE(a != b);
  OK(cuCtxGetApiVersion(second, &version));
  EQ(version, 3020);
  OK(cuCtxGetFlags(&flags));
  EQ(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_BLOCKING_SYNC);
  OK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
  OK(cuCtxGetFlags(&flags));
  EQ(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_SPIN);
  IS(1, cuCtxSetFlags(0x10000));
  OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_EQUAL));
  OK(cuCtxGetCacheConfig(&cache));
  TRUE((unsigned)cache <= CU_FUNC_CACHE_PREFER_EQUAL);
  IS(1, cuCtxSetCacheConfig((CUfunc_cache)77));
  OK(cuCtxGetSharedMemConfig(&banks));
  OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)); /* taken, and nothing else */
  OK(cuCtxGetSharedMemConfig(&banks));
  EQ(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  IS(1, cuCtxGetSharedMemConfig(NULL));
  OK(cuCtxResetPersistingL2Cache());
  OK(cuCtxGetLimit(&limit, CU_LIMIT_PRINTF_FIFO_SIZE));
  TRUE(limit > 0);
  OK(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
  TRUE(limit > 0);
  OK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64));
  OK(cuCtxGetLimit(&limit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
  OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, limit));
  IS(1, cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)1 << 40));
  OK(cuCtxGetLimit(&limit, CU_LIMIT_SHMEM_SIZE)); /* two that can only be asked for */
  EQ(limit, attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  IS(800, cuCtxSetLimit(CU_LIMIT_SHMEM_SIZE, limit));
  OK(cuCtxGetLimit(&limit, CU_LIMIT_CIG_ENABLED));
  EQ(limit, 0);
  IS(800, cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 0));
  static const CUlimit absent[] = {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED};
  for (int i = 0; i < 2; i++) {
    IS(215, cuCtxSetLimit(absent[i], 4));
    IS(215, cuCtxGetLimit(&limit, absent[i]));
  }
  IS(1, cuCtxSetLimit(CU_LIMIT_MAX, 4));
  IS(1, cuCtxGetLimit(&limit, CU_LIMIT_MAX));
  IS(1, cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
  OK(cuCtxDestroy(second));
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);
  OK(cuProfilerStart());
  OK(cuProfilerStop());
  IS(801, cuProfilerInitialize("a", "b", CU_OUT_CSV));
}

/* The oldest forms: usage counts, and the first cuCtxCreate. */
static void context_of_old(void) {
  CUcontext again, c;
  unsigned version;
  start();
  IS(1, cuCtxAttach(&again, 1));
  OK(cuCtxAttach(&again, 0));
  TRUE(again == ctx);
  OK(cuCtxDetach(again));
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);
  OK(cuCtxDetach(ctx)); /* the last one destroys */
  OK(cuCtxGetCurrent(&c));
  TRUE(c == NULL);
  IS(201, cuCtxAttach(&again, 0));
  CUresult (*create)(CUcontext *, unsigned, CUdevice);
  CUresult (*destroy)(CUcontext);
  *(void **)&create = dlsym(RTLD_DEFAULT, "cuCtxCreate");
  *(void **)&destroy = dlsym(RTLD_DEFAULT, "cuCtxDestroy");
  TRUE(create && destroy);
  if (!create || !destroy) return;
  OK(create(&c, 0, dev));
  OK(cuCtxGetApiVersion(c, &version));
  EQ(version, 3010);
  OK(destroy(c));
  OK(cuCtxCreate_v2(&ctx, 0, dev)); /* and only by itself */
  IS(2, create(&c, 0, dev));
}

static void primary_state(void) {
  CUcontext p, q;
  unsigned flags = 99;
  int active = 9;
  CUdeviceptr m;
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
  EQ(active, 0);
  IS(201, cuDevicePrimaryCtxRelease(dev));
  OK(cuDevicePrimaryCtxSetFlags(dev, CU_CTX_SCHED_YIELD));
  OK(cuDevicePrimaryCtxRetain(&p, dev));
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
  EQ(active, 1);
  EQ(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_YIELD);
  OK(cuCtxPushCurrent(p));
  OK(cuMemAlloc(&m, 16));
  OK(cuDevicePrimaryCtxReset_v2(dev));
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
  EQ(active, 0);
  IS(709, cuMemAlloc(&m, 16));
  OK(cuDevicePrimaryCtxRelease(dev)); /* a reset releases nothing */
  IS(201, cuDevicePrimaryCtxRelease(dev));
  OK(cuDevicePrimaryCtxRetain(&q, dev));
  TRUE(q == p);
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
  EQ(active, 1);
  OK(cuDevicePrimaryCtxRelease(dev));
  IS(101, cuDevicePrimaryCtxRetain(&q, 99));
  IS(101, cuDevicePrimaryCtxReset_v2(99));
  IS(1, cuDevicePrimaryCtxSetFlags(dev, 0x10000));
}

/* --- modules --- */

static const char bad_ptx[] = HEAD ".visible .entry k() {\n  bogus.s32 7;\n  ret;\n}\n";

/* The size a log option comes back with: the text without its NUL. */
#define LOG_IS(text, value) EQ((uintptr_t)(value), strlen(text))

static void jit_options(void) {
  CUmodule m;
  char info[4096] = "x", err[4096] = "x", small[9];
  float ms;
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME};
  void *values[] = {info, (void *)sizeof info, err, (void *)sizeof err, (void *)1, NULL};
  setenv("CUDA_CACHE_DISABLE", "1", 1); /* nothing is compiled, nor told, where the driver's cache has it */
  start();
  OK(cuModuleLoadDataEx(&m, ptx, 6, options, values));
  TRUE(strstr(info, "put") && strstr(info, "registers"));
  LOG_IS(info, values[1]);
  TRUE(info[0] && info[strlen(info) - 1] != '\n');
  EQ(err[0], 0);
  LOG_IS(err, values[3]);
  memcpy(&ms, &values[5], sizeof ms);
  TRUE(ms > 0 && ms < 60000);
  OK(cuModuleUnload(m));

  values[1] = (void *)sizeof info;
  values[3] = (void *)sizeof err;
  values[4] = NULL;
  OK(cuModuleLoadDataEx(&m, ptx, 6, options, values)); /* not verbose */
  LOG_IS("", values[1]);
  LOG_IS("", values[3]);
  OK(cuModuleUnload(m));

  values[1] = (void *)sizeof info;
  values[3] = (void *)sizeof err;
  IS(218, cuModuleLoadDataEx(&m, bad_ptx, 6, options, values));
  TRUE(strstr(err, "line 5; error   : ") && strstr(err, "bogus"));
  TRUE(err[0] && err[strlen(err) - 1] != '\n');
  LOG_IS(err, values[3]);

  memset(small, 'z', sizeof small); /* cut to the room, and no byte more */
  values[2] = small;
  values[3] = (void *)8;
  values[1] = (void *)sizeof info;
  IS(218, cuModuleLoadDataEx(&m, bad_ptx, 6, options, values));
  EQ(small[8], 'z');
  EQ(strnlen(small, 9), 7);
  EQ((uintptr_t)values[3], 8);

  /* A buffer without a size, a size without a buffer */
  IS(1, cuModuleLoadDataEx(&m, ptx, 1, options, values));
  values[1] = (void *)sizeof info;
  IS(1, cuModuleLoadDataEx(&m, ptx, 1, options + 1, values + 1));

  CUjit_option one[2];
  void *value[2] = {NULL, NULL};
  one[0] = CU_JIT_OPTIMIZATION_LEVEL;
  value[0] = (void *)2;
  OK(cuModuleLoadDataEx(&m, ptx, 1, one, value));
  OK(cuModuleUnload(m));
  one[0] = CU_JIT_TARGET_FROM_CUCONTEXT;
  OK(cuModuleLoadDataEx(&m, ptx, 1, one, value));
  OK(cuModuleUnload(m));
  one[0] = CU_JIT_THREADS_PER_BLOCK;
  static const uintptr_t threads[][2] = {{256, 256}, {100, 128}, {5000, 1024}};
  for (int i = 0; i < 3; i++) {
    value[0] = (void *)threads[i][0];
    OK(cuModuleLoadDataEx(&m, ptx, 1, one, value));
    EQ((uintptr_t)value[0], threads[i][1]);
    OK(cuModuleUnload(m));
  }
  one[0] = CU_JIT_OPTIMIZATION_LEVEL;
  value[0] = (void *)5;
  OK(cuModuleLoadDataEx(&m, ptx, 1, one, value));
  OK(cuModuleUnload(m));
  one[0] = CU_JIT_TARGET;
  value[0] = (void *)81; /* there is none */
  IS(1, cuModuleLoadDataEx(&m, ptx, 1, one, value));
  value[0] = (void *)120; /* another device's */
  IS(300, cuModuleLoadDataEx(&m, ptx, 1, one, value));
  one[0] = (CUjit_option)CU_JIT_NUM_OPTIONS;
  IS(1, cuModuleLoadDataEx(&m, ptx, 1, one, value));
  OK(cuModuleLoadDataEx(&m, ptx, 0, NULL, NULL));
  OK(cuModuleUnload(m));
  if (!cuSoftgpuControl) return; /* a GPU's driver would read through NULL */
  IS(1, cuModuleLoadDataEx(&m, ptx, 1, NULL, value));
  IS(1, cuModuleLoadDataEx(&m, ptx, 1, one, NULL));
  one[0] = CU_JIT_TARGET;
  value[0] = (void *)75;
  IS(300, cuModuleLoadDataEx(&m, ptx, 1, one, value));
  value[0] = (void *)80;
  OK(cuModuleLoadDataEx(&m, ptx, 1, one, value));
  one[1] = CU_JIT_THREADS_PER_BLOCK;
  value[1] = (void *)128;
  IS(1, cuModuleLoadDataEx(&m, ptx, 2, one, value));
}

/* A kernel with many live values at once. */
static const char *hungry_ptx(void) {
  static char text[1 << 14];
  int n =
      snprintf(text, sizeof text,
               HEAD ".visible .entry hungry(.param .u64 p) {\n  .reg .b64 %%rd<3>;\n  .reg .f32 %%f<200>;\n"
                    "  ld.param.u64 %%rd1, [p];\n  cvta.to.global.u64 %%rd2, %%rd1;\n");
  for (int i = 0; i < 90; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "  ld.volatile.global.f32 %%f%d, [%%rd2+%d];\n", i,
                  i * 4);
  for (int i = 89; i > 0; i--)
    n += snprintf(text + n, sizeof text - (size_t)n, "  fma.rn.f32 %%f0, %%f0, %%f%d, %%f%d;\n", i, i);
  snprintf(text + n, sizeof text - (size_t)n, "  st.global.f32 [%%rd2], %%f0;\n  ret;\n}\n");
  return text;
}

static int registers_under(CUjit_option option, unsigned v) {
  CUmodule m;
  CUfunction f;
  int n = -1;
  void *value = (void *)(uintptr_t)v;
  OK(cuModuleLoadDataEx(&m, hungry_ptx(), 1, &option, &value));
  OK(cuModuleGetFunction(&f, m, "hungry"));
  OK(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
  OK(cuModuleUnload(m));
  return n;
}

static void jit_limits(void) {
  start();
  int free_choice = registers_under(CU_JIT_OPTIMIZATION_LEVEL, 4);
  TRUE(free_choice > 64);
  TRUE(registers_under(CU_JIT_MAX_REGISTERS, 32) <= 32);
  TRUE(registers_under(CU_JIT_THREADS_PER_BLOCK, 1024) <= 64);
}

static void images(void) {
  CUmodule m;
  CUfunction f;
  char path[] = "/tmp/device_testXXXXXX";
  start();
  OK(cuModuleLoadFatBinary(&m, ptx)); /* takes whatever the other calls take */
  OK(cuModuleGetFunction(&f, m, "put"));
  OK(cuModuleUnload(m));
  int fd = mkstemp(path);
  TRUE(fd >= 0 && write(fd, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1);
  close(fd);
  OK(cuModuleLoad(&m, path));
  OK(cuModuleGetFunction(&f, m, "put"));
  OK(cuModuleUnload(m));
  unlink(path);
  IS(301, cuModuleLoad(&m, path));
  IS(222,
     cuModuleLoadData(&m, ".version 42.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"));
  /* Of PTX for a newer device a GPU takes nothing, the software device what it knows. */
  CUresult newer =
      cuModuleLoadData(&m, ".version 8.7\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }\n");
  if (cuSoftgpuControl)
    OK(newer);
  else if (attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < 12)
    IS(218, newer);
}

static void functions(void) {
  int v;
  start_module();
  for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; i++) {
    v = -99;
    OK(cuFuncGetAttribute(&v, (CUfunction_attribute)i, put));
    TRUE(v >= -1);
  }
  IS(1, cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX, put));
  IS(1, cuFuncGetAttribute(&v, (CUfunction_attribute)-1, put));
  static const CUfunction_attribute read_only[] = {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                                   CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                                   CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
                                                   CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                                   CU_FUNC_ATTRIBUTE_NUM_REGS,
                                                   CU_FUNC_ATTRIBUTE_PTX_VERSION,
                                                   CU_FUNC_ATTRIBUTE_BINARY_VERSION,
                                                   CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
                                                   CU_FUNC_ATTRIBUTE_MAX};
  for (size_t i = 0; i < sizeof read_only / sizeof read_only[0]; i++)
    IS(1, cuFuncSetAttribute(put, read_only[i], 1));
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, put));
  EQ(v, 1024);
  IS(1, cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 24));
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, put));
  EQ(v, 50);
  IS(1, cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, put));
  EQ(v, 1);
  OK(cuFuncSetCacheConfig(put, CU_FUNC_CACHE_PREFER_L1));
  IS(1, cuFuncSetCacheConfig(put, (CUfunc_cache)9));
  OK(cuFuncSetSharedMemConfig(put, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
  CUdeviceptr p;
  OK(cuMemAlloc(&p, 4));
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
  IS(912, launch(put, p, 1));
  IS(1, cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 1));
  IS(1, cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 3));
  if (!cuSoftgpuControl) return;
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, put));
  EQ(v, 1);
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0));
  OK(launch(put, p, 1));
  IS(400, cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)&v));
  IS(400, cuFuncSetSharedMemConfig((CUfunction)&v, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
}

static size_t shared_of(int threads) { return (size_t)threads * 64; }

static void occupancy(void) {
  int blocks = 0, fewer = 0, grid = 0, block = 0, clusters = -1;
  size_t room = 0;
  start_module();
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, put, 128, 0));
  TRUE(blocks >= 1);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, put, 128, 32 << 10));
  TRUE(fewer >= 1 && fewer < blocks);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&fewer, put, 128, 0, 0));
  EQ(fewer, blocks);
  IS(1, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, put, 0, 0));
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, put, NULL, 0, 0));
  TRUE(grid >= 1 && block >= 32);
  OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, put, NULL, 0, 100, 0));
  TRUE(block >= 32 && block <= 100);
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, put, shared_of, 0, 0));
  TRUE(block >= 32 && block <= 1024);
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&room, put, 2, 128));
  TRUE(room >= 1024);
  CUlaunchConfig c = {
      .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1};
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  OK(cuOccupancyMaxPotentialClusterSize(&clusters, put, &c));
  TRUE(clusters >= 1);
  if (cuSoftgpuControl) EQ(clusters, 1);
  clusters = -1;
  OK(cuOccupancyMaxActiveClusters(&clusters, put, &c)); /* of one block */
  if (!cuSoftgpuControl) return;
  TRUE(clusters >= blocks);
  c.attrs = &a;
  c.numAttrs = 1;
  a.value.clusterDim.x = a.value.clusterDim.y = a.value.clusterDim.z = 1;
  OK(cuOccupancyMaxActiveClusters(&clusters, put, &c));
  TRUE(clusters >= blocks);
  a.value.clusterDim.x = 4;
  IS(912, cuOccupancyMaxActiveClusters(&clusters, put, &c));
  c.blockDimX = 0;
  IS(1, cuOccupancyMaxPotentialClusterSize(&clusters, put, &c));
  IS(1, cuOccupancyMaxPotentialClusterSize(&clusters, put, NULL));
}

/* --- the linker --- */

#define TWICE_HEAD "(.param .b32 out) twice(.param .b32 x)"

/* go(p): p[0] = twice(v) + bias, by way of another input; local `helper` and `secret` in both. */
static const char main_ptx[] = HEAD ".file 1 \"main.cu\"\n"
                                    ".extern .func " TWICE_HEAD ";\n"
                                    ".extern .global .align 4 .u32 bias;\n"
                                    ".global .align 4 .u32 secret = 1000;\n"
                                    ".weak .func (.param .b32 out) pick() {\n"
                                    "  .reg .b32 %r<2>;\n"
                                    "  mov.u32 %r1, 1;\n"
                                    "  st.param.b32 [out], %r1;\n"
                                    "  ret;\n"
                                    "}\n"
                                    ".func (.param .b32 out) helper() {\n"
                                    "  .reg .b32 %r<2>;\n"
                                    "  ld.global.u32 %r1, [secret];\n"
                                    "  st.param.b32 [out], %r1;\n"
                                    "  ret;\n"
                                    "}\n"
                                    ".visible .entry go(.param .u64 p, .param .u32 v) {\n"
                                    "  .reg .b32 %r<9>;\n"
                                    "  .reg .b64 %rd<3>;\n"
                                    "  .reg .pred %p<2>;\n"
                                    "  .loc 1 12 1\n"
                                    "  ld.param.u64 %rd1, [p];\n"
                                    "  ld.param.u32 %r1, [v];\n"
                                    "  cvta.to.global.u64 %rd2, %rd1;\n"
                                    "  {\n"
                                    "  .param .b32 a;\n"
                                    "  .param .b32 b;\n"
                                    "  st.param.b32 [a], %r1;\n"
                                    "  call.uni (b), twice, (a);\n"
                                    "  ld.param.b32 %r2, [b];\n"
                                    "  }\n"
                                    "  {\n"
                                    "  .param .b32 b;\n"
                                    "  call.uni (b), helper, ();\n"
                                    "  ld.param.b32 %r3, [b];\n"
                                    "  }\n"
                                    "  {\n"
                                    "  .param .b32 b;\n"
                                    "  call.uni (b), pick, ();\n"
                                    "  ld.param.b32 %r4, [b];\n"
                                    "  }\n"
                                    "  ld.global.u32 %r5, [bias];\n"
                                    "  add.s32 %r6, %r2, %r5;\n"
                                    "  setp.ne.u32 %p1, %r6, 0;\n"
                                    "  @%p1 add.s32 %r6, %r6, %r3;\n"
                                    "  st.global.u32 [%rd2], %r6;\n"
                                    "  st.global.u32 [%rd2+4], %r4;\n"
                                    "  ret;\n"
                                    "}\n";

static const char library_ptx[] = HEAD "/* a comment; with .func and { in it */\n"
                                       ".file 1 \"library.cu\"\n"
                                       ".visible .global .align 4 .u32 bias = 5;\n"
                                       ".global .align 4 .u32 secret = 1; // of its own\n"
                                       ".weak .func (.param .b32 out) pick() {\n"
                                       "  .reg .b32 %r<2>;\n"
                                       "  mov.u32 %r1, 2;\n"
                                       "  st.param.b32 [out], %r1;\n"
                                       "  ret;\n"
                                       "}\n"
                                       ".func (.param .b32 out) helper(.param .b32 x) {\n"
                                       "  .reg .b32 %r<4>;\n"
                                       "  ld.param.b32 %r1, [x];\n"
                                       "  ld.global.u32 %r2, [secret];\n"
                                       "  shl.b32 %r3, %r1, %r2;\n"
                                       "  st.param.b32 [out], %r3;\n"
                                       "  ret;\n"
                                       "}\n"
                                       ".visible .func " TWICE_HEAD " {\n"
                                       "  .reg .b32 %r<3>;\n"
                                       "  .loc 1 3 1\n"
                                       "  ld.param.b32 %r1, [x];\n"
                                       "  {\n"
                                       "  .param .b32 a;\n"
                                       "  .param .b32 b;\n"
                                       "  st.param.b32 [a], %r1;\n"
                                       "  call.uni (b), helper, (a);\n"
                                       "  ld.param.b32 %r2, [b];\n"
                                       "  }\n"
                                       "  st.param.b32 [out], %r2;\n"
                                       "  ret;\n"
                                       "}\n";

static char link_error[4096];
static void *link_values[2];

static CUresult link_start(CUlinkState *l) {
  static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  link_values[0] = link_error;
  link_values[1] = (void *)sizeof link_error;
  link_error[0] = 0;
  return cuLinkCreate(2, options, link_values, l);
}

static CUresult link_ptx(CUlinkState l, const char *text, const char *name) {
  return cuLinkAddData(l, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, strlen(text) + 1, name, 0, NULL, NULL);
}

/* Loads the linked image and runs go(): what it stored. */
static void run_linked(void *image, unsigned v, unsigned out[2]) {
  CUmodule m;
  CUfunction f;
  CUdeviceptr p;
  out[0] = out[1] = 0;
  OK(cuModuleLoadData(&m, image));
  OK(cuModuleGetFunction(&f, m, "go"));
  OK(cuMemAlloc(&p, 8));
  OK(launch(f, p, v));
  OK(cuMemcpyDtoH(out, p, 8));
  OK(cuMemFree(p));
  OK(cuModuleUnload(m));
}

static void linking(void) {
  CUlinkState l;
  void *image = NULL;
  size_t size = 0;
  unsigned out[2];
  start();
  OK(link_start(&l));
  OK(link_ptx(l, main_ptx, "main.ptx"));
  OK(link_ptx(l, library_ptx, "library.ptx"));
  OK(cuLinkComplete(l, &image, &size));
  TRUE(image && size > 0);
  void *twice = NULL;
  size_t more = 0;
  IS(400, cuLinkComplete(l, &twice, &more));
  IS(1, link_ptx(l, library_ptx, "too late.ptx"));
  TRUE(twice == NULL);
  char *copy = malloc(size + 1);
  if (!copy || !image) exit(1);
  memcpy(copy, image, size);
  copy[size] = 0;
  OK(cuLinkDestroy(l)); /* the image goes with it, the copy stays good */
  run_linked(copy, 20, out);
  EQ(out[0], 20 * 2 + 5 + 1000);
  TRUE(out[1] == 1 || out[1] == 2); /* one of the two weak definitions */
  if (cuSoftgpuControl) {
    TRUE(strlen(copy) + 1 == size);
    EQ(out[1], 1); /* the first */
    /* An image may be linked again, as what it is. */
    OK(link_start(&l));
    OK(cuLinkAddData(l, CU_JIT_INPUT_CUBIN, copy, size, "again", 0, NULL, NULL));
    OK(cuLinkComplete(l, &image, &size));
    run_linked(image, 3, out);
    EQ(out[0], 3 * 2 + 5 + 1000);
    OK(cuLinkDestroy(l));
  }
  free(copy);

  OK(link_start(&l)); /* the other order */
  OK(link_ptx(l, library_ptx, NULL));
  OK(link_ptx(l, main_ptx, NULL));
  OK(cuLinkComplete(l, &image, &size));
  run_linked(image, 1, out);
  EQ(out[0], 1 * 2 + 5 + 1000);
  OK(cuLinkDestroy(l));
}

static void link_errors(void) {
  static char garbage[] = "garbage";
  CUlinkState l;
  void *image;
  size_t size;
  start();
  OK(link_start(&l));
  OK(link_ptx(l, main_ptx, "main.ptx"));
  IS(300, cuLinkComplete(l, &image, &size)); /* nobody defines twice */
  TRUE(strstr(link_error, "Undefined reference to 'twice' in 'main.ptx'") != NULL);
  if (cuSoftgpuControl)
    TRUE(strstr(link_error, "\nerror   : Undefined reference to 'bias'") ||
         strstr(link_error, "'bias' in 'main.ptx'\n"));
  LOG_IS(link_error, link_values[1]);
  TRUE(link_error[strlen(link_error) - 1] != '\n');
  IS(300, cuLinkComplete(l, &image, &size));
  if (cuSoftgpuControl) IS(300, link_ptx(l, library_ptx, "late.ptx"));
  OK(cuLinkDestroy(l));

  OK(link_start(&l));
  OK(link_ptx(l, library_ptx, "first.ptx"));
  IS(300, link_ptx(l, library_ptx, "second.ptx"));
  TRUE(strstr(link_error, "Multiple definition of 'twice' in 'second.ptx', first defined in 'first.ptx'"));
  IS(300, cuLinkComplete(l, &image, &size));
  OK(cuLinkDestroy(l));

  OK(link_start(&l)); /* an input that does not compile is as good as never added */
  IS(218, link_ptx(l, bad_ptx, "bad.ptx"));
  TRUE(strstr(link_error, "line 5; error   : ") && strstr(link_error, "bogus"));
  OK(cuLinkComplete(l, &image, &size));
  TRUE(image && size > 0);
  OK(cuLinkDestroy(l));

  OK(link_start(&l));
  IS(301, cuLinkAddFile(l, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0, NULL, NULL));
  IS(200, cuLinkAddData(l, CU_JIT_INPUT_CUBIN, garbage, sizeof garbage, "c", 0, NULL, NULL));
  IS(200, cuLinkAddData(l, CU_JIT_INPUT_PTX, garbage, sizeof garbage, "p", 0, NULL, NULL));
  IS(1, cuLinkAddData(l, CU_JIT_INPUT_PTX, NULL, 8, "n", 0, NULL, NULL));
  IS(200, cuLinkComplete(l, &image, &size));
  OK(cuLinkDestroy(l));
  OK(link_start(&l)); /* of nothing */
  OK(cuLinkComplete(l, &image, &size));
  TRUE(image && size > 0);
  OK(cuLinkDestroy(l));
  CUjit_option fallback = CU_JIT_FALLBACK_STRATEGY;
  void *prefer = NULL;
  IS(1, cuLinkCreate(1, &fallback, &prefer, &l));
  if (!cuSoftgpuControl) return;
  OK(link_start(&l));
  OK(cuLinkDestroy(l));
  IS(400, cuLinkDestroy(l));
  IS(400, cuLinkComplete(l, &image, &size));
  IS(400, link_ptx((CUlinkState)&l, main_ptx, "x"));
  IS(1, cuLinkCreate(0, NULL, NULL, NULL));
  OK(link_start(&l));
  IS(1, cuLinkAddData(l, CU_JIT_NUM_INPUT_TYPES, link_error, 4, "x", 0, NULL, NULL));
  IS(209, cuLinkAddData(l, CU_JIT_INPUT_CUBIN, (void *)(uintptr_t) "\177ELF\2\1\1", 8, "x", 0, NULL, NULL));
  IS(209, cuLinkComplete(l, &image, &size));
  OK(cuLinkDestroy(l));
  OK(link_start(&l));
  IS(209, cuLinkAddData(l, CU_JIT_INPUT_LIBRARY, (void *)(uintptr_t) "!<arch>\n", 9, "x", 0, NULL, NULL));
  OK(cuLinkDestroy(l));
  OK(link_start(&l));
  IS(1, cuLinkComplete(l, NULL, &size));
  OK(cuLinkComplete(l, &image, NULL)); /* of nothing: an image with nothing in it */
  CUmodule m;
  unsigned n = 9;
  OK(cuModuleLoadData(&m, image));
  OK(cuModuleGetFunctionCount(&n, m));
  EQ(n, 0);
  OK(control("leaks"));
  TRUE(strstr(reply, "link 0x") != NULL);
  OK(cuLinkDestroy(l));

  /* A fault of the whole names the input and its line. */
  OK(link_start(&l));
  OK(link_ptx(l, main_ptx, "main.ptx"));
  OK(link_ptx(l,
              HEAD ".extern .func unused();\n.visible .func " TWICE_HEAD " {\n  .reg .b32 %r<2>;\n"
                   "  frob.s32 %r1, 3;\n  ret;\n}\n.visible .global .align 4 .u32 bias;\n",
              "frob.ptx"));
  IS(218, cuLinkComplete(l, &image, &size));
  TRUE(strstr(link_error, "frob.ptx, line 7; error   : ") != NULL);
  OK(cuLinkDestroy(l));
}

/* Names that only look alike, and what else two inputs may have in common. */
static void link_names(void) {
  static const char one[] = HEAD ".global .align 1 .b8 text[3] = {65, 66, 0};\n"
                                 ".common .global .align 4 .b8 pool[4];\n"
                                 ".extern .shared .align 4 .b8 dynamic[];\n"
                                 ".func (.param .b32 out) add(.param .b32 x) {\n"
                                 "  .reg .b32 %r<3>;\n"
                                 "  ld.param.b32 %r1, [x];\n"
                                 "  add.s32 %r2, %r1, 100;\n"
                                 "  st.param.b32 [out], %r2;\n"
                                 "  ret;\n"
                                 "}\n"
                                 ".visible .entry go(.param .u64 p, .param .u32 v) {\n"
                                 "  .reg .b32 %r<9>;\n"
                                 "  .reg .b64 %rd<4>;\n"
                                 "  .reg .pred %p<2>;\n"
                                 "  ld.param.u64 %rd1, [p];\n"
                                 "  ld.param.u32 %r1, [v];\n"
                                 "  cvta.to.global.u64 %rd2, %rd1;\n"
                                 "  setp.eq.u32 %p1, %r1, 0;\n"
                                 "  @%p1 bra add;\n"
                                 "  @!%p1 add.s32 %r1, %r1, 1;\n"
                                 "  {\n"
                                 "  .param .b32 a;\n"
                                 "  .param .b32 b;\n"
                                 "  st.param.b32 [a], %r1;\n"
                                 "  call.uni (b), add, (a);\n"
                                 "  ld.param.b32 %r1, [b];\n"
                                 "  }\n"
                                 "  ld.global.u8 %r2, [text+1];\n"
                                 "  st.global.u32 [%rd2+4], %r2;\n"
                                 "add:\n"
                                 "  st.global.u32 [%rd2], %r1;\n"
                                 "  ret;\n"
                                 "}\n";
  static const char two[] = HEAD ".global .align 1 .b8 text[3] = {75, 76, 0};\n"
                                 ".common .global .align 4 .b8 pool[64];\n"
                                 ".extern .shared .align 16 .b8 dynamic[];\n"
                                 ".func (.param .b32 out) add(.param .b32 x) {\n"
                                 "  .reg .b32 %r<3>;\n"
                                 "  ld.param.b32 %r1, [x];\n"
                                 "  add.s32 %r2, %r1, 7;\n"
                                 "  st.param.b32 [out], %r2;\n"
                                 "  ret;\n"
                                 "}\n"
                                 ".visible .entry also(.param .u64 p, .param .u32 v) {\n"
                                 "  .reg .b32 %r<9>;\n"
                                 "  .reg .b64 %rd<4>;\n"
                                 "  ld.param.u64 %rd1, [p];\n"
                                 "  ld.param.u32 %r1, [v];\n"
                                 "  cvta.to.global.u64 %rd2, %rd1;\n"
                                 "  {\n"
                                 "  .param .b32 a;\n"
                                 "  .param .b32 b;\n"
                                 "  st.param.b32 [a], %r1;\n"
                                 "  call.uni (b), add, (a);\n"
                                 "  ld.param.b32 %r1, [b];\n"
                                 "  }\n"
                                 "  st.global.u32 [%rd2], %r1;\n"
                                 "  ld.global.u8 %r2, [text];\n"
                                 "  st.global.u32 [%rd2+4], %r2;\n"
                                 "  ret;\n"
                                 "}\n";
  CUlinkState l;
  void *image;
  size_t size;
  unsigned out[2];
  CUmodule m;
  CUfunction f;
  CUdeviceptr p;
  CUjit_option verbose[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE,
                            CU_JIT_MAX_REGISTERS, CU_JIT_WALL_TIME};
  char info[2048];
  void *values[] = {info, (void *)sizeof info, (void *)1, (void *)8, NULL};
  float ms;
  start();
  OK(cuLinkCreate(5, verbose, values, &l));
  OK(link_ptx(l, one, "one"));
  OK(link_ptx(l, two, "two"));
  OK(cuLinkComplete(l, &image, &size));
  TRUE(strstr(info, "'go'") && strstr(info, "'also'"));
  EQ((uintptr_t)values[1], strlen(info));
  memcpy(&ms, &values[4], sizeof ms);
  TRUE(ms > 0);
  run_linked(image, 1, out);
  EQ(out[0], 102);
  EQ(out[1], 66);
  OK(cuModuleLoadData(&m, image));
  OK(cuModuleGetFunction(&f, m, "also"));
  OK(cuMemAlloc(&p, 8));
  OK(launch(f, p, 1));
  EQ(word_at(p), 8);
  EQ(word_at(p + 4), 75);
  OK(cuModuleGetGlobal(&p, &size, m, "pool"));
  EQ(size, 64); /* the largest of the common definitions */
  int v;
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
  TRUE(v <= 8); /* the linker's options hold for what it made */
  OK(cuLinkDestroy(l));
}

/* --- twins, and addresses by name --- */

/* Every call that cuda.h renames for programs with per-thread default streams. */
static const char *const with_twins[] = {"cuMemPrefetchAsync_v2_ptsz",
                                         "cuMemcpyHtoD_v2_ptds",
                                         "cuMemcpyDtoH_v2_ptds",
                                         "cuMemcpyDtoD_v2_ptds",
                                         "cuMemcpyDtoA_v2_ptds",
                                         "cuMemcpyAtoD_v2_ptds",
                                         "cuMemcpyHtoA_v2_ptds",
                                         "cuMemcpyAtoH_v2_ptds",
                                         "cuMemcpyAtoA_v2_ptds",
                                         "cuMemcpyHtoAAsync_v2_ptsz",
                                         "cuMemcpyAtoHAsync_v2_ptsz",
                                         "cuMemcpy2D_v2_ptds",
                                         "cuMemcpy2DUnaligned_v2_ptds",
                                         "cuMemcpy3D_v2_ptds",
                                         "cuMemcpyHtoDAsync_v2_ptsz",
                                         "cuMemcpyDtoHAsync_v2_ptsz",
                                         "cuMemcpyDtoDAsync_v2_ptsz",
                                         "cuMemcpy2DAsync_v2_ptsz",
                                         "cuMemcpy3DAsync_v2_ptsz",
                                         "cuMemcpyBatchAsync_v2_ptsz",
                                         "cuMemcpy3DBatchAsync_v2_ptsz",
                                         "cuMemsetD8_v2_ptds",
                                         "cuMemsetD16_v2_ptds",
                                         "cuMemsetD32_v2_ptds",
                                         "cuMemsetD2D8_v2_ptds",
                                         "cuMemsetD2D16_v2_ptds",
                                         "cuMemsetD2D32_v2_ptds",
                                         "cuStreamBeginCapture_v2_ptsz",
                                         "cuStreamWriteValue32_v2_ptsz",
                                         "cuStreamWaitValue32_v2_ptsz",
                                         "cuStreamWriteValue64_v2_ptsz",
                                         "cuStreamWaitValue64_v2_ptsz",
                                         "cuStreamBatchMemOp_v2_ptsz",
                                         "cuStreamGetCaptureInfo_v3_ptsz",
                                         "cuStreamUpdateCaptureDependencies_v2_ptsz",
                                         "cuMemPrefetchBatchAsync_ptsz",
                                         "cuMemDiscardBatchAsync_ptsz",
                                         "cuMemDiscardAndPrefetchBatchAsync_ptsz",
                                         "cuMemcpy_ptds",
                                         "cuMemcpyAsync_ptsz",
                                         "cuMemcpyPeer_ptds",
                                         "cuMemcpyPeerAsync_ptsz",
                                         "cuMemcpy3DPeer_ptds",
                                         "cuMemcpy3DPeerAsync_ptsz",
                                         "cuMemsetD8Async_ptsz",
                                         "cuMemsetD16Async_ptsz",
                                         "cuMemsetD32Async_ptsz",
                                         "cuMemsetD2D8Async_ptsz",
                                         "cuMemsetD2D16Async_ptsz",
                                         "cuMemsetD2D32Async_ptsz",
                                         "cuStreamGetPriority_ptsz",
                                         "cuStreamGetId_ptsz",
                                         "cuStreamGetFlags_ptsz",
                                         "cuStreamGetDevice_ptsz",
                                         "cuStreamGetCtx_ptsz",
                                         "cuStreamGetCtx_v2_ptsz",
                                         "cuStreamWaitEvent_ptsz",
                                         "cuStreamEndCapture_ptsz",
                                         "cuStreamIsCapturing_ptsz",
                                         "cuStreamAddCallback_ptsz",
                                         "cuStreamAttachMemAsync_ptsz",
                                         "cuStreamQuery_ptsz",
                                         "cuStreamSynchronize_ptsz",
                                         "cuEventRecord_ptsz",
                                         "cuEventRecordWithFlags_ptsz",
                                         "cuLaunchKernel_ptsz",
                                         "cuLaunchKernelEx_ptsz",
                                         "cuLaunchHostFunc_ptsz",
                                         "cuGraphicsMapResources_ptsz",
                                         "cuGraphicsUnmapResources_ptsz",
                                         "cuLaunchCooperativeKernel_ptsz",
                                         "cuSignalExternalSemaphoresAsync_ptsz",
                                         "cuWaitExternalSemaphoresAsync_ptsz",
                                         "cuGraphInstantiateWithParams_ptsz",
                                         "cuGraphUpload_ptsz",
                                         "cuGraphLaunch_ptsz",
                                         "cuStreamCopyAttributes_ptsz",
                                         "cuStreamGetAttribute_ptsz",
                                         "cuStreamSetAttribute_ptsz",
                                         "cuMemMapArrayAsync_ptsz",
                                         "cuMemFreeAsync_ptsz",
                                         "cuMemAllocAsync_ptsz",
                                         "cuMemAllocFromPoolAsync_ptsz",
                                         "cuStreamBeginCaptureToGraph_ptsz",
                                         "cuMemBatchDecompressAsync_ptsz"};

static void twins(void) {
  char plain[64];
  for (size_t i = 0; i < sizeof with_twins / sizeof with_twins[0]; i++) {
    snprintf(plain, sizeof plain, "%.*s", (int)(strlen(with_twins[i]) - 5), with_twins[i]);
    if (dlsym(RTLD_DEFAULT, plain))
      judge(dlsym(RTLD_DEFAULT, with_twins[i]) != NULL, __LINE__, "%s is exported, %s is not", plain,
            with_twins[i]);
  }
  CUresult (*id_of)(CUstream, unsigned long long *), (*to_device)(CUdeviceptr, const void *, size_t);
  CUresult (*run)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                  void **, void **);
  CUresult (*wait)(CUstream);
  *(void **)&id_of = dlsym(RTLD_DEFAULT, "cuStreamGetId_ptsz");
  *(void **)&to_device = dlsym(RTLD_DEFAULT, "cuMemcpyHtoD_v2_ptds");
  *(void **)&run = dlsym(RTLD_DEFAULT, "cuLaunchKernel_ptsz");
  *(void **)&wait = dlsym(RTLD_DEFAULT, "cuStreamSynchronize_ptsz");
  if (!id_of || !to_device || !run || !wait) return;
  unsigned long long twin, legacy, own, plain_null;
  CUdeviceptr p;
  unsigned v = 11;
  start_module();
  OK(id_of(NULL, &twin)); /* stream 0 is the thread's own, and only there */
  OK(cuStreamGetId(NULL, &plain_null));
  OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
  OK(cuStreamGetId(CU_STREAM_PER_THREAD, &own));
  TRUE(twin == own && plain_null == legacy && twin != legacy);
  OK(id_of(CU_STREAM_LEGACY, &twin));
  TRUE(twin == legacy);
  OK(cuMemAlloc(&p, 4));
  OK(to_device(p, &v, 4));
  EQ(word_at(p), 11);
  v = 12;
  void *params[] = {&p, &v};
  OK(run(put, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(wait(NULL));
  EQ(word_at(p), 12);
  OK(cuStreamGetId(NULL, &plain_null));
  TRUE(plain_null == legacy);
  if (!cuSoftgpuControl) return;
  OK(control("log on"));
  OK(to_device(p, &v, 4));
  IS(1, to_device(0, &v, 4));
  OK(cuMemcpyHtoD(p, &v, 4));
  OK(control("log off"));
  OK(control("log"));
  TRUE(strstr(reply, " cuMemcpyHtoD_v2_ptds 0 ") && strstr(reply, " cuMemcpyHtoD_v2_ptds 1 ") &&
       strstr(reply, " cuMemcpyHtoD_v2 0 "));
  OK(control("fail cuMemcpyHtoD_v2_ptds 1 2"));
  OK(cuMemcpyHtoD(p, &v, 4));
  IS(2, to_device(p, &v, 4));
  if (getenv("CUDALUA_SOFT_STREAMS")) return;
  CUstream s; /* work of the twin is in the per-thread stream: a non-blocking one does not wait for it */
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  v = 13;
  OK(run(put, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(cuStreamSynchronize(s));
  IS(600, cuStreamQuery(CU_STREAM_PER_THREAD));
  OK(cuStreamQuery(CU_STREAM_PER_THREAD));
}

static void *address(const char *name, int version, cuuint64_t flags) {
  void *f = NULL;
  OK(cuGetProcAddress(name, &f, version, flags, NULL));
  return f;
}

static void proc_addresses(void) {
  OK(cuInit(0));
  TRUE(address("cuMemcpyHtoD", 13000, 0) == dlsym(RTLD_DEFAULT, "cuMemcpyHtoD_v2"));
  TRUE(address("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM) ==
       dlsym(RTLD_DEFAULT, "cuMemcpyHtoD_v2"));
  TRUE(address("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
       dlsym(RTLD_DEFAULT, "cuMemcpyHtoD_v2_ptds"));
  TRUE(address("cuStreamQuery", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
       dlsym(RTLD_DEFAULT, "cuStreamQuery_ptsz"));
  TRUE(address("cuMemAlloc", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
       dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
  /* Names whose newest form has other parameters than the header's macro of that name. */
  TRUE(address("cuCtxGetDevice", 13000, 0) == dlsym(RTLD_DEFAULT, "cuCtxGetDevice_v2"));
  TRUE(address("cuCtxSynchronize", 13000, 0) == dlsym(RTLD_DEFAULT, "cuCtxSynchronize_v2"));
  TRUE(address("cuStreamGetCtx", 13000, 0) == dlsym(RTLD_DEFAULT, "cuStreamGetCtx_v2"));
  if (dlsym(RTLD_DEFAULT, "cuGraphInstantiate_v2"))
    TRUE(address("cuGraphInstantiate", 13000, 0) == dlsym(RTLD_DEFAULT, "cuGraphInstantiate_v2"));
  TRUE(address("cuCtxGetDevice", 12000, 0) == dlsym(RTLD_DEFAULT, "cuCtxGetDevice"));
  TRUE(address("cuCtxCreate", 13000, 0) == dlsym(RTLD_DEFAULT, "cuCtxCreate_v4"));
  TRUE(address("cuCtxCreate", 12000, 0) == dlsym(RTLD_DEFAULT, "cuCtxCreate_v3"));
  TRUE(address("cuCtxCreate", 11000, 0) == dlsym(RTLD_DEFAULT, "cuCtxCreate_v2"));
  TRUE(address("cuLinkCreate", 13000, 0) == dlsym(RTLD_DEFAULT, "cuLinkCreate_v2"));
  TRUE(address("cuStreamGetCtx", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
       dlsym(RTLD_DEFAULT, "cuStreamGetCtx_v2_ptsz"));
  void *f = &f;
  CUdriverProcAddressQueryResult status;
  OK(cuGetProcAddress("cuLinkCreate_v2", &f, 13000, 0, &status));
  TRUE(f == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  OK(cuGetProcAddress("cuFuncGetParamInfo", &f, 12000, 0, &status));
  TRUE(f == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  if (!cuSoftgpuControl) return; /* the driver of a GPU may crash here */
  IS(1, cuGetProcAddress("cuInit", &f, 13000, 77, &status));
  IS(1, cuGetProcAddress(NULL, &f, 13000, 0, &status));
}

/* --- what can happen to a process --- */

/* A program in small; every call may fail. Returns the first error. */
static CUresult small_program(void) {
  CUcontext c = NULL, popped;
  CUmodule m = NULL;
  CUfunction f;
  CUdeviceptr p = 0;
  unsigned v = 0;
  int n = 0;
  CUresult r = cuInit(0);
  if (!r) r = cuDeviceGetCount(&n);
  if (!r) r = cuCtxCreate_v2(&c, 0, 0);
  if (!r) r = cuModuleLoadData(&m, ptx);
  if (!r) r = cuModuleGetFunction(&f, m, "put");
  if (!r) r = cuMemAlloc(&p, 4);
  if (!r) r = launch(f, p, 77);
  if (!r) r = cuMemcpyDtoH(&v, p, 4);
  if (!r && v != 77) exit(3);
  CUresult s = p ? cuMemFree(p) : 0;
  if (!r) r = s;
  s = m ? cuModuleUnload(m) : 0;
  if (!r) r = s;
  s = c ? cuCtxPopCurrent(&popped) : 0;
  if (!r) r = s;
  s = c ? cuCtxDestroy(c) : 0;
  return r ? r : s;
}

static int sweep_at;

static void swept(void) {
  char rule[64];
  snprintf(rule, sizeof rule, "fail any %d OUT_OF_MEMORY", sweep_at);
  OK(control(rule));
  IS(2, small_program());
  OK(control("reset"));
  OK(small_program()); /* once, and then no more */
}

/* How many calls the program makes: the child's exit status, plus 100. */
static void count_calls(void) {
  OK(small_program());
  OK(control("stats"));
  long calls = reported("calls ");
  TRUE(calls >= 11 && calls < 100);
  OK(control("calls"));
  long sum = 0;
  for (char *line = strtok(reply, "\n"); line; line = strtok(NULL, "\n"))
    sum += strtol(strchr(line, ' '), NULL, 10);
  EQ(sum, calls);
  OK(control("calls cuMemAlloc_v2"));
  EQ(reported("cuMemAlloc_v2 "), 1);
  OK(control("calls cuMemAllocManaged"));
  EQ(reported("cuMemAllocManaged "), 0);
  IS(1, control("calls cuNoSuchCall"));
  OK(control("calls clear"));
  OK(control("calls"));
  EQ(reply[0], 0);
  exit(failed ? 1 : (int)calls + 100);
}

/* Each call of a program made to fail, one after the other. */
static void fault_sweep(void) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) count_calls();
  int status = 1;
  waitpid(child, &status, 0);
  int calls = WIFEXITED(status) ? WEXITSTATUS(status) - 100 : 0;
  TRUE(calls >= 11);
  for (sweep_at = 1; sweep_at <= calls; sweep_at++)
    judge(in_child(swept), __LINE__, "sweep: call %d made to fail", sweep_at);
}

/* The rule of the environment is there before the first call. */
static void fault_from_environment(void) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    setenv("CUDALUA_SOFT_FAIL", "any:3:INVALID_DEVICE,cuMemAlloc_v2:2:2", 1);
    execl("/proc/self/exe", "device_test", "with_environment", (char *)NULL);
    _exit(9);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EQ(status, 0);
}

static void with_environment(void) {
  int v;
  CUdeviceptr p;
  OK(cuDriverGetVersion(&v));
  OK(cuInit(0));
  IS(101, cuDeviceGetCount(&v));
  OK(cuDeviceGetCount(&v));
  OK(cuCtxCreate_v2(&ctx, 0, 0));
  OK(cuMemAlloc(&p, 16));
  IS(2, cuMemAlloc(&p, 16));
  OK(cuMemAlloc(&p, 16));
}

static void everything_answers(CUresult code) {
  CUdeviceptr p = 0;
  CUcontext c;
  CUdevice d;
  CUstream s;
  CUevent e;
  CUmodule m;
  CUlinkState l;
  const char *name;
  int v;
  size_t n;
  void *f;
  CUresult facts = code == CUDA_ERROR_NOT_INITIALIZED ? CUDA_SUCCESS : code; /* a fork takes no facts away */
  IS(facts, cuDriverGetVersion(&v));
  IS(facts, cuGetErrorName(CUDA_SUCCESS, &name));
  IS(facts, cuGetErrorString(CUDA_SUCCESS, &name));
  IS(facts, cuGetProcAddress("cuInit", &f, 12000, 0, NULL));
  IS(code, cuInit(0));
  IS(code, cuDeviceGetCount(&v));
  IS(code, cuDeviceGet(&d, 0));
  IS(code, cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  IS(code, cuCtxGetCurrent(&c));
  IS(code, cuCtxPushCurrent(ctx));
  IS(code, cuCtxPopCurrent(&c));
  IS(code, cuCtxDestroy(ctx));
  IS(code, cuDevicePrimaryCtxRetain(&c, 0));
  IS(code, cuDevicePrimaryCtxRelease(0));
  IS(code, cuCtxSynchronize());
  IS(code, cuMemAlloc(&p, 16));
  IS(code, cuMemFree(p));
  IS(code, cuMemGetInfo(&n, &n));
  IS(code, cuStreamCreate(&s, 0));
  IS(code, cuEventCreate(&e, 0));
  IS(code, cuModuleLoadData(&m, ptx));
  IS(code, cuModuleUnload(mod));
  IS(code, cuLinkCreate(0, NULL, NULL, &l));
  IS(code, cuProfilerStart());
}

static void deinitialized(void) {
  CUdeviceptr p;
  start_module();
  OK(control("deinit"));
  everything_answers(CUDA_ERROR_DEINITIALIZED);
  OK(control("fail any 1"));
  IS(4, cuMemAlloc(&p, 16)); /* no fault reaches what is gone */
  IS(1, control("deinit"));
  OK(control("leaks"));
  TRUE(strstr(reply, "context 0x") != NULL);
  OK(control("reset"));
  start_module();
  OK(cuMemAlloc(&p, 16));
}

static void forked(void) {
  start_module();
  OK(control("fork"));
  everything_answers(CUDA_ERROR_NOT_INITIALIZED);
  OK(control("reset"));
  start_module();
}

static void in_fork(void) {
  everything_answers(CUDA_ERROR_NOT_INITIALIZED);
  _exit(failed != 0); /* what a driver does at the exit of a fork is another matter */
}

static void real_fork(void) {
  start_module();
  TRUE(in_child(in_fork));
  CUdeviceptr p;
  OK(cuMemAlloc(&p, 16));
}

/* A fork before cuInit costs nothing. */
static void early_fork_child(void) { OK(small_program()); }
static void early_fork(void) {
  int v;
  OK(cuDriverGetVersion(&v));
  TRUE(in_child(early_fork_child));
  OK(small_program());
}

/* After a kernel's fault everything on the device answers its code, but for what only looks at contexts and
 * devices. */
static void poisoned(void) {
  CUcontext second, primary, third, c;
  CUdeviceptr p, q;
  CUstream s;
  CUevent e;
  CUmodule m;
  CUlinkState l;
  CUfunction f;
  int v;
  size_t n;
  unsigned flags;
  unsigned long long id;
  const char *name;
  void *pinned;
  CUmoduleLoadingMode mode;
  CUmemoryPool pool;
  CUmemorytype type;
  CUstreamCaptureMode capture = CU_STREAM_CAPTURE_MODE_RELAXED;
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuDevicePrimaryCtxRetain(&primary, dev));
  OK(cuCtxCreate_v2(&second, 0, dev));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&put, mod, "put"));
  OK(cuMemAlloc(&p, 16));
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&e, 0));
  OK(cuMemHostAlloc(&pinned, 16, 0));
  CUresult r = launch(put, 64, 1);
  IS(700, r ? r : cuCtxSynchronize());
  IS(700, cuCtxSynchronize());
  IS(700, cuMemAlloc(&q, 16));
  IS(700, cuMemFree(p));
  IS(700, cuMemcpyDtoH(&v, p, 4));
  IS(700, cuStreamSynchronize(s));
  IS(700, cuStreamDestroy(s));
  IS(700, cuModuleUnload(mod));
  IS(700, cuModuleLoadData(&m, ptx));
  IS(700, launch(put, p, 1));
  OK(cuCtxGetCurrent(&c));
  TRUE(c == ctx);
  OK(cuCtxGetDevice(&v));
  OK(cuDeviceGetCount(&v));
  OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev));
  OK(cuDeviceTotalMem(&n, dev));
  OK(cuCtxPushCurrent(second));
  IS(700, cuMemAlloc(&q, 16));
  IS(700, cuCtxSynchronize());
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxPushCurrent(primary));
  IS(700, cuMemAlloc(&q, 16));
  OK(cuCtxPopCurrent(&c));
  IS(700, cuCtxCreate_v2(&third, 0, dev));
  IS(700, cuModuleGetFunction(&f, mod, "put"));
  IS(700, cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, put));
  IS(700, cuMemGetInfo(&n, &n));
  IS(700, cuMemFreeHost(pinned));
  IS(700, cuLinkCreate(0, NULL, NULL, &l));
  IS(700, cuProfilerStart());
  IS(700, cuCtxGetLimit(&n, CU_LIMIT_STACK_SIZE));
  IS(700, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
  IS(700, cuCtxGetStreamPriorityRange(&v, &v));
  IS(700, cuStreamGetFlags(NULL, &flags));
  IS(700, cuStreamQuery(NULL));
  OK(cuInit(0));
  OK(cuDeviceGet(&v, 0));
  OK(cuDeviceGetName(reply, sizeof reply, dev));
  OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
  OK(cuCtxSetCurrent(ctx));
  OK(cuCtxGetFlags(&flags));
  OK(cuCtxGetId(ctx, &id));
  OK(cuCtxGetApiVersion(ctx, &flags));
  OK(cuModuleGetLoadingMode(&mode));
  OK(cuThreadExchangeStreamCaptureMode(&capture));
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  if (cuSoftgpuControl) {
    IS(700, cuEventDestroy(e));
    IS(700, cuEventRecord(e, NULL));
  }
  OK(cuDevicePrimaryCtxRetain(&c, dev));
  TRUE(c == primary);
  OK(cuDevicePrimaryCtxGetState(dev, &flags, &v));
  EQ(v, 1);
  OK(cuDevicePrimaryCtxSetFlags(dev, 0));
  OK(cuDevicePrimaryCtxRelease(dev));
  OK(cuCtxDestroy(second));
  OK(cuCtxDestroy(ctx));
  OK(cuDevicePrimaryCtxReset_v2(dev));
  IS(700, cuDevicePrimaryCtxRetain(&c, dev));
  IS(700, cuCtxCreate_v2(&third, 0, dev));
}

/* Every export of the software device: twins, names of old and what is lacking, too. */
static const char *const exports[] = {
#define E(base, symbol, since) #symbol,
#define T(of, suffix, since, parameters, arguments) #of #suffix,
#define O(symbol, since, of, parameters, arguments) #symbol,
#define L(symbol) #symbol,
#include "../../src/softgpu/driver/entries.def"
#include "../../src/softgpu/driver/lacking.def"
#include "../../src/softgpu/driver/old.def"
#include "../../src/softgpu/driver/twins.def"
#undef E
#undef T
#undef O
#undef L
};

/* Calls it with zeros for arguments; there is room for more than any call takes. */
static CUresult call_with_nothing(const char *name) {
  CUresult (*f)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                void *);
  *(void **)&f = dlsym(RTLD_DEFAULT, name);
  judge(f != NULL, __LINE__, "%s is not exported", name);
  return f ? f(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) : CUDA_ERROR_UNKNOWN;
}

/* A driver that is gone answers one code, whatever is asked; in a forked child facts are still told, here to
 * nobody. */
static void every_call_gone(void) {
  static const char *const of_facts[] = {
      "cuDriverGetVersion",  "cuGetErrorName",         "cuGetErrorString",         "cuGetProcAddress",
      "cuGetProcAddress_v2", "cuLogsRegisterCallback", "cuLogsUnregisterCallback", "cuGetExportTable"};
  for (int i = 0; i < 2; i++) {
    start();
    OK(control(i ? "fork" : "deinit"));
    for (size_t k = 0; k < sizeof exports / sizeof exports[0]; k++) {
      CUresult r = call_with_nothing(exports[k]),
               expected = i ? CUDA_ERROR_NOT_INITIALIZED : CUDA_ERROR_DEINITIALIZED;
      for (size_t n = 0; i && n < sizeof of_facts / sizeof of_facts[0]; n++)
        if (strcmp(exports[k], of_facts[n]) == 0) expected = CUDA_ERROR_INVALID_VALUE;
      judge(r == expected, __LINE__, "%s: %d, expected %d", exports[k], (int)r, (int)expected);
    }
    OK(control("reset"));
  }
}

/* No call crashes on nothing but zeros: before cuInit, in a context, in a dead one. */
static void every_call_with_nothing(void) {
  static const char *const still_fine[] = {"cuInit",
                                           "cuCtxPopCurrent",
                                           "cuCtxPopCurrent_v2",
                                           "cuCtxSetCurrent",
                                           "cuCtxSetFlags",
                                           "cuDevicePrimaryCtxRelease",
                                           "cuDevicePrimaryCtxReset",
                                           "cuDevicePrimaryCtxReset_v2",
                                           "cuDevicePrimaryCtxSetFlags",
                                           "cuDevicePrimaryCtxSetFlags_v2"};
  for (size_t k = 0; k < sizeof exports / sizeof exports[0]; k++) {
    CUresult r = call_with_nothing(exports[k]);
    judge(r == CUDA_ERROR_NOT_INITIALIZED || r == CUDA_ERROR_INVALID_VALUE ||
              strcmp(exports[k], "cuInit") == 0,
          __LINE__, "%s before cuInit: %d", exports[k], (int)r);
    OK(control("reset"));
    start();
    call_with_nothing(exports[k]);
    OK(control("reset"));
    start();
    OK(control("fail cuCtxSynchronize 1 719 sticky"));
    IS(719, cuCtxSynchronize());
    r = call_with_nothing(exports[k]);
    bool fine = false;
    for (size_t i = 0; i < sizeof still_fine / sizeof still_fine[0]; i++)
      fine = fine || strcmp(still_fine[i], exports[k]) == 0;
    judge(r != CUDA_SUCCESS || fine, __LINE__, "%s works in a dead context", exports[k]);
    OK(control("reset"));
  }
}

/* A version cap: what came later is not there. */
static void old_driver(void) {
  void *f = NULL;
  CUdriverProcAddressQueryResult status;
  int v;
  unsigned long long id;
  OK(control("hide 12040"));
  start_module();
  OK(cuDriverGetVersion(&v));
  EQ(v, 12040);
  IS(1, cuGetProcAddress("cuMemAlloc", &f, 13000, 0, &status));
  OK(cuGetProcAddress("cuCtxCreate", &f, 12040, 0, &status));
  TRUE(f == dlsym(RTLD_DEFAULT, "cuCtxCreate_v3"));
  OK(cuGetProcAddress("cuLogsRegisterCallback", &f, 12040, 0, &status));
  TRUE(f == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  IS(801, cuCtxCreate_v4(&ctx, NULL, 0, dev));
  OK(cuStreamGetId(NULL, &id));
  OK(control("hide 13000"));
}

static const Group groups[] = {
    {.name = "attributes", .run = attributes},
    {.name = "hidden_attributes", .run = hidden_attributes, .where = SOFTWARE},
    {.name = "peers", .run = peers},
    {.name = "more_peers", .run = more_peers, .where = SOFTWARE},
    {.name = "context_state", .run = context_state},
    {.name = "context_of_old", .run = context_of_old},
    {.name = "primary_state", .run = primary_state},
    {.name = "jit_options", .run = jit_options},
    {.name = "jit_limits", .run = jit_limits},
    {.name = "images", .run = images},
    {.name = "functions", .run = functions},
    {.name = "occupancy", .run = occupancy},
    {.name = "linking", .run = linking},
    {.name = "link_errors", .run = link_errors},
    {.name = "link_names", .run = link_names, .where = SOFTWARE},
    {.name = "twins", .run = twins},
    {.name = "proc_addresses", .run = proc_addresses},
    {.name = "fault_sweep", .run = fault_sweep, .where = SOFTWARE},
    {.name = "fault_from_environment", .run = fault_from_environment, .where = SOFTWARE},
    {.name = "with_environment", .run = with_environment, .where = INNER},
    {.name = "deinitialized", .run = deinitialized, .where = SOFTWARE},
    {.name = "forked", .run = forked, .where = SOFTWARE},
    {.name = "real_fork", .run = real_fork},
    {.name = "early_fork", .run = early_fork, .where = SOFTWARE},
    {.name = "poisoned", .run = poisoned},
    {.name = "every_call_gone", .run = every_call_gone, .where = SOFTWARE},
    {.name = "every_call_with_nothing", .run = every_call_with_nothing, .where = SOFTWARE},
    {.name = "old_driver", .run = old_driver, .where = SOFTWARE},
};

int main(int argc, char **argv) {
  setenv("CUDALUA_SOFT_REPORT", "off", 0); /* faults are made on purpose */
  return RUN_GROUPS(groups, argc, argv);
}
