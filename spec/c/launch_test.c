/* Launching with attributes, cooperative kernels, the calls of before cuLaunchKernel, function attributes and
 * occupancy, and what kernels call: printf, assert, malloc. Each group runs in a process of its own, and what
 * is expected holds for a GPU too. */
#define CUDA_ENABLE_DEPRECATED /* the old launches are deprecated */
#include "check.h"

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev);

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static const char ptx[] = HEAD
    /* p[i] = v + x * 1000 for each thread i of the grid */
    ".visible .entry put(.param .u64 p, .param .u32 v, .param .f32 x) {\n"
    "  .reg .b32 %r<6>;\n"
    "  .reg .f32 %f<3>;\n"
    "  .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  ld.param.u32 %r1, [v];\n"
    "  ld.param.f32 %f1, [x];\n"
    "  mul.f32 %f2, %f1, 0f447a0000;\n"
    "  cvt.rzi.s32.f32 %r2, %f2;\n"
    "  add.s32 %r1, %r1, %r2;\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.u32 %rd3, %r5, 4;\n"
    "  add.s64 %rd2, %rd2, %rd3;\n"
    "  st.global.u32 [%rd2], %r1;\n"
    "  ret;\n"
    "}\n"
    /* Every block adds 1 to p[0], waits for all others as cooperative groups do, and copies p[0] to p[1 +
       block]. */
    ".visible .entry meet(.param .u64 p) {\n"
    "  .reg .pred %p<5>;\n"
    "  .reg .b32 %r<12>;\n"
    "  .reg .b64 %rd<9>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  mov.u32 %r1, %envreg2;\n"
    "  cvt.u64.u32 %rd2, %r1;\n"
    "  mov.u32 %r2, %envreg1;\n"
    "  cvt.u64.u32 %rd3, %r2;\n"
    "  bfi.b64 %rd4, %rd3, %rd2, 32, 32;\n"
    "  mov.u32 %r3, %tid.x;\n"
    "  mov.u32 %r4, %ctaid.x;\n"
    "  mov.u32 %r5, %nctaid.x;\n"
    "  setp.ne.u32 %p1, %r3, 0;\n"
    "  @%p1 bra BEFORE;\n"
    "  atom.add.u32 %r6, [%rd1], 1;\n"
    "BEFORE:\n"
    "  setp.ne.s64 %p2, %rd4, 0;\n"
    "  @%p2 bra SYNC;\n"
    "  trap;\n"
    "SYNC:\n"
    "  barrier.sync 0;\n"
    "  @%p1 bra AFTER;\n"
    "  setp.eq.u32 %p3, %r4, 0;\n"
    "  mov.u32 %r7, -2147483647;\n"
    "  sub.s32 %r7, %r7, %r5;\n"
    "  selp.b32 %r8, %r7, 1, %p3;\n"
    "  add.s64 %rd5, %rd4, 4;\n"
    "  fence.acq_rel.gpu;\n"
    "  atom.add.release.gpu.u32 %r9, [%rd5], %r8;\n"
    "SPIN:\n"
    "  ld.acquire.gpu.u32 %r10, [%rd5];\n"
    "  xor.b32 %r11, %r10, %r9;\n"
    "  setp.gt.s32 %p4, %r11, -1;\n"
    "  @%p4 bra SPIN;\n"
    "AFTER:\n"
    "  barrier.sync 0;\n"
    "  @%p1 bra DONE;\n"
    "  ld.relaxed.gpu.u32 %r6, [%rd1];\n"
    "  mul.wide.u32 %rd6, %r4, 4;\n"
    "  add.s64 %rd7, %rd1, %rd6;\n"
    "  st.u32 [%rd7+4], %r6;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    ".extern .shared .align 4 .b8 room[];\n"
    ".visible .entry wide(.param .u64 p) {\n"
    "  .reg .b32 %r<4>;\n"
    "  .reg .b64 %rd<3>;\n"
    "  .shared .align 4 .b8 own[1024];\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  mov.u32 %r1, %dynamic_smem_size;\n"
    "  mov.u32 %r2, room;\n"
    "  st.shared.u32 [own], %r1;\n"
    "  st.shared.u32 [%r2], %r1;\n"
    "  ld.shared.u32 %r3, [%r2];\n"
    "  st.u32 [%rd1], %r3;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry stop() {\n"
    "  trap;\n"
    "  ret;\n"
    "}\n";

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction put, meet, wide;
static CUdeviceptr cells;

static void start(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
}

static void start_module(void) {
  start();
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&put, mod, "put"));
  OK(cuModuleGetFunction(&meet, mod, "meet"));
  OK(cuModuleGetFunction(&wide, mod, "wide"));
  OK(cuMemAlloc(&cells, 1 << 20));
  OK(cuMemsetD8(cells, 0, 1 << 20));
}

static unsigned cell(unsigned i) {
  unsigned v = 0xdeadbeef;
  OK(cuMemcpyDtoH(&v, cells + 4 * i, 4));
  return v;
}

static int attribute(CUdevice_attribute id) {
  int v = -12345;
  OK(cuDeviceGetAttribute(&v, id, dev));
  return v;
}

/* The launch's kernel fails: whoever waits is told, and where work runs at once, so is who launched it. */
static void fails(int line, CUresult code, CUresult launched) {
  judge(launched == CUDA_SUCCESS || (launched == code && !deferred()), line, "the launch gives %d",
        (int)launched);
  CUresult r = cuCtxSynchronize();
  judge(r == code, line, "cuCtxSynchronize() gives %d, expected %d", (int)r, (int)code);
}
#define FAILS(code, launch) fails(__LINE__, (CUresult)(code), launch)

/* --- attributes of a launch --- */

static CUlaunchConfig config(unsigned grid, unsigned block, CUlaunchAttribute *attrs, unsigned n) {
  return (CUlaunchConfig){.gridDimX = grid,
                          .gridDimY = 1,
                          .gridDimZ = 1,
                          .blockDimX = block,
                          .blockDimY = 1,
                          .blockDimZ = 1,
                          .attrs = attrs,
                          .numAttrs = n};
}

static CUresult put_with(CUlaunchAttribute *attrs, unsigned n, unsigned v) {
  float x = 0;
  void *params[] = {&cells, &v, &x};
  CUlaunchConfig c = config(2, 32, attrs, n);
  return cuLaunchKernelEx(&c, put, params, NULL);
}

static void attributes(void) {
  start_module();
  CUlaunchAttribute a[4];
  memset(a, 0, sizeof a);
  OK(put_with(NULL, 0, 1));
  EQ(cell(63), 1);
  a[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  a[0].value.priority = -1;
  a[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  a[1].value.programmaticStreamSerializationAllowed = 1;
  a[2].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  a[2].value.sharedMemCarveout = 50;
  a[3].id = CU_LAUNCH_ATTRIBUTE_IGNORE;
  OK(put_with(a, 4, 2));
  EQ(cell(63), 2);
  a[0].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
  a[0].value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
  a[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  a[1].value.cooperative = 0;
  a[2].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  a[2].value.clusterDim.x = a[2].value.clusterDim.y = a[2].value.clusterDim.z = 1;
  OK(put_with(a, 4, 3));
  EQ(cell(0), 3);
  IS(1, cuLaunchKernelEx(NULL, put, NULL, NULL));
  CUlaunchConfig c = config(1, 32, NULL, 1);
  unsigned v = 4;
  float x = 0;
  void *params[] = {&cells, &v, &x};
  IS(1, cuLaunchKernelEx(&c, put, params, NULL));       /* attributes promised, and none there */
  a[0].id = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY; /* of streams */
  a[0].value.syncPolicy = CU_SYNC_POLICY_SPIN;
  IS(1, put_with(a, 1, 4));
  a[0].id = (CUlaunchAttributeID)-1;
  IS(1, put_with(a, 1, 4));
  a[0].id = (CUlaunchAttributeID)1000;
  IS(1, put_with(a, 1, 4));
  memset(a, 0, sizeof a);
  a[0].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  a[0].value.sharedMemCarveout = 101;
  IS(1, put_with(a, 1, 4));
  a[0].value.sharedMemCarveout = (unsigned)CU_SHAREDMEM_CARVEOUT_DEFAULT; /* not of a launch */
  IS(1, put_with(a, 1, 4));
  a[0].value.sharedMemCarveout = (unsigned)-2;
  IS(1, put_with(a, 1, 4));
  a[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  a[0].value.priority = 1000;
  IS(0, put_with(a, 1, 4));
  a[0].value.priority = -1000;
  IS(0, put_with(a, 1, 4));
  memset(a, 0, sizeof a);
  a[0].id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  a[0].value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  IS(801, put_with(a, 1, 4));
  OK(cuCtxSynchronize());
}

/* Events that a launch records. */
static void events(void) {
  start_module();
  CUevent plain, timed;
  OK(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&timed, 0));
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
  a.value.launchCompletionEvent.event = plain;
  OK(put_with(&a, 1, 5));
  OK(cuEventSynchronize(plain));
  OK(cuEventQuery(plain));
  EQ(cell(0), 5);
  a.value.launchCompletionEvent.event = timed;
  IS(801, put_with(&a, 1, 6));
  a.value.launchCompletionEvent.event = NULL;
  IS(400, put_with(&a, 1, 6));
  memset(&a, 0, sizeof a);
  a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  a.value.programmaticEvent.event = plain;
  OK(put_with(&a, 1, 7));
  OK(cuEventSynchronize(plain));
  EQ(cell(0), 7);
}

/* Kernels that say what clusters they run in; where there are none, they do not. */
static const char cluster_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry paired() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }\n"
    ".visible .entry any() .explicitcluster { ret; }\n";

static CUresult launch_clustered(CUfunction f, unsigned grid, unsigned cluster) {
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  a.value.clusterDim.x = cluster;
  a.value.clusterDim.y = a.value.clusterDim.z = 1;
  CUlaunchConfig c = config(grid, 32, &a, cluster ? 1 : 0);
  return cuLaunchKernelEx(&c, f, NULL, NULL);
}

static void stated_clusters(void) {
  CUfunction paired, any;
  int v = -1;
  start();
  bool has = attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  if (!has && !SOFT) {
    skipped = true;
    return;
  }
  OK(cuModuleLoadData(&mod, cluster_ptx));
  OK(cuModuleGetFunction(&paired, mod, "paired"));
  OK(cuModuleGetFunction(&any, mod, "any"));
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, paired));
  EQ(v, 1);
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, any));
  EQ(v, 1);
  for (int i = 0; i < 3; i++) {
    OK(cuFuncGetAttribute(&v, (CUfunction_attribute)(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + i), paired));
    EQ(v, i == 0 ? 2 : 1);
    OK(cuFuncGetAttribute(&v, (CUfunction_attribute)(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + i), any));
    EQ(v, 0);
  }
  IS(has ? 0 : 912, launch_clustered(paired, 4, 0));
  IS(has ? 0 : 912, launch_clustered(paired, 4, 2));
  IS(912, launch_clustered(paired, 4, 4));
  IS(912, launch_clustered(paired, 3, 0));
  IS(912, launch_clustered(any, 4, 0));
  IS(has ? 0 : 912, launch_clustered(any, 4, 2));
  OK(cuCtxSynchronize());
}

static void clusters(void) {
  start_module();
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  if (!attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)) {
    a.value.clusterDim.x = 2;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    IS(912, put_with(&a, 1, 1));
    a.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
    a.value.preferredClusterDim.x = 2;
    a.value.preferredClusterDim.y = a.value.preferredClusterDim.z = 1;
    IS(912, put_with(&a, 1, 1));
    EQ(cell(0), 0);
    return;
  }
  a.value.clusterDim.x = 2;
  a.value.clusterDim.y = a.value.clusterDim.z = 1;
  OK(put_with(&a, 1, 1));
  EQ(cell(63), 1);
  a.value.clusterDim.x = 3; /* does not divide the grid */
  IS(912, put_with(&a, 1, 1));
  a.value.clusterDim.x = 0;
  IS(912, put_with(&a, 1, 1));
}

/* --- cooperative kernels --- */

static CUresult launch_meet(unsigned blocks, unsigned threads, unsigned shared, CUstream s) {
  void *params[] = {&cells};
  return cuLaunchCooperativeKernel(meet, blocks, 1, 1, threads, 1, 1, shared, s, params);
}

static void check_meet(unsigned blocks) {
  for (unsigned i = 0; i <= blocks; i++)
    if (cell(i) != blocks) judge(false, __LINE__, "block %u of %u saw %u", i, blocks, cell(i));
}

static void cooperative(void) {
  start_module();
  static const unsigned sizes[] = {1, 2, 7, 32};
  for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    OK(cuMemsetD8(cells, 0, 4));
    OK(launch_meet(sizes[i], 64, 0, NULL));
    check_meet(sizes[i]);
  }
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
  a.value.cooperative = 1;
  CUlaunchConfig c = config(9, 32, &a, 1);
  void *params[] = {&cells};
  OK(cuMemsetD8(cells, 0, 4));
  OK(cuLaunchKernelEx(&c, meet, params, NULL));
  check_meet(9);

  /* As many blocks as the device holds, and one more. */
  int per_sm = 0, sms = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, meet, 512, 16 << 10));
  TRUE(per_sm >= 1);
  OK(cuMemsetD8(cells, 0, 4));
  OK(launch_meet((unsigned)(per_sm * sms), 512, 16 << 10, NULL));
  EQ(cell(0), per_sm * sms);
  EQ(cell((unsigned)(per_sm * sms)), per_sm * sms);
  IS(720, launch_meet((unsigned)(per_sm * sms) + 1, 512, 16 << 10, NULL));
  c = config((unsigned)(per_sm * sms) + 1, 512, &a, 1);
  c.sharedMemBytes = 16 << 10;
  IS(720, cuLaunchKernelEx(&c, meet, params, NULL));
  IS(1, launch_meet(1, 2048, 0, NULL));
  IS(1, launch_meet(0, 32, 0, NULL));
  IS(720, launch_meet(1, 32, 1 << 20, NULL));  /* no block of it fits */
  IS(720, launch_meet(1, 32, 60 << 10, NULL)); /* nor one of this: it was not asked for */

  /* Two at a time, in two streams. */
  CUstream s[2];
  CUdeviceptr first = cells;
  OK(cuStreamCreate(&s[0], CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&s[1], CU_STREAM_NON_BLOCKING));
  OK(cuMemsetD8(cells, 0, 8192));
  OK(cuCtxSynchronize());
  OK(launch_meet(4, 32, 0, s[0]));
  cells += 4096;
  OK(launch_meet(5, 32, 0, s[1]));
  OK(cuCtxSynchronize());
  check_meet(5);
  cells = first;
  check_meet(4);
}

/* Without a cooperative launch there is nothing to meet at. */
static void not_cooperative(void) {
  start_module();
  void *params[] = {&cells};
  FAILS(719, cuLaunchKernel(meet, 2, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
}

static void traps(void) {
  CUfunction stop;
  start_module();
  OK(cuModuleGetFunction(&stop, mod, "stop"));
  FAILS(719, cuLaunchKernel(stop, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  IS(719, cuMemAlloc(&cells, 4));
}

/* --- launching as of old --- */

static void old_launches(void) {
  start_module();
  OK(cuFuncSetBlockShape(put, 32, 1, 1));
  OK(cuFuncSetSharedSize(put, 0));
  OK(cuParamSetv(put, 0, &cells, 8));
  OK(cuParamSeti(put, 8, 7));
  OK(cuParamSetf(put, 12, 2.0f));
  OK(cuParamSetSize(put, 16));
  OK(cuLaunch(put));
  EQ(cell(0), 2007);
  EQ(cell(31), 2007);
  EQ(cell(32), 0);
  OK(cuParamSeti(put, 8, 8));
  OK(cuLaunchGrid(put, 2, 1)); /* what was set before is still there */
  EQ(cell(63), 2008);
  EQ(cell(64), 0);
  CUstream s;
  OK(cuStreamCreate(&s, 0));
  OK(cuParamSeti(put, 8, 9));
  OK(cuLaunchGridAsync(put, 3, 1, s));
  OK(cuStreamSynchronize(s));
  EQ(cell(95), 2009);
  /* A copy is made when it is launched. */
  OK(cuParamSeti(put, 8, 10));
  OK(cuLaunchGridAsync(put, 1, 1, s));
  OK(cuParamSeti(put, 8, 11));
  OK(cuStreamSynchronize(s));
  EQ(cell(0), 2010);
  OK(cuFuncSetBlockShape(put, 1, 1, 1));
  OK(cuLaunch(put));
  EQ(cell(0), 2011);
  EQ(cell(1), 2010);

  IS(1, cuFuncSetBlockShape(put, 0, 1, 1));
  IS(1, cuFuncSetBlockShape(put, -1, 1, 1));
  IS(1, cuFuncSetBlockShape(put, 2048, 1, 1));

  /* Sizes that end before the parameters do are taken, and what is beyond them is refused by the launch. */
  for (unsigned size = 4; size <= 40; size += 4) {
    OK(cuParamSetv(put, 0, &cells, 8));
    OK(cuParamSetSize(put, size));
    if (size >= 8) IS(size <= 16 ? 0 : 701, cuLaunch(put)); /* less is no address to write to */
  }
  OK(cuCtxSynchronize());
}

static void old_grids(void) {
  start_module();
  OK(cuFuncSetBlockShape(put, 32, 1, 1));
  OK(cuParamSetv(put, 0, &cells, 8));
  OK(cuParamSetSize(put, 16));
  IS(1, cuLaunchGrid(put, 0, 1));
  IS(1, cuLaunchGrid(put, 1, -1));
}

static void old_shared(void) {
  start_module();
  OK(cuFuncSetBlockShape(put, 32, 1, 1));
  OK(cuParamSetv(put, 0, &cells, 8));
  OK(cuParamSetSize(put, 16));
  IS(1, cuFuncSetSharedSize(put, 1 << 20));
  OK(cuLaunch(put)); /* with what was set before */
  OK(cuCtxSynchronize());
}

/* A launch without a block shape is accepted, and is of one thread. */
static void old_unset(void) {
  start_module();
  OK(cuParamSetv(put, 0, &cells, 8));
  OK(cuParamSetSize(put, 16));
  OK(cuLaunch(put));
  OK(cuCtxSynchronize());
}

/* A driver reads from such addresses, and writes to such offsets. */
static void old_nonsense(void) {
  CUfunction no_function = (CUfunction)&no_function;
  start_module();
  IS(1, cuParamSetv(put, 0, NULL, 8));
  IS(1, cuParamSeti(put, -4, 1));
  IS(1, cuParamSeti(put, 4093, 1));
  OK(cuParamSetSize(put, 5000)); /* which only a launch finds too much */
  IS(701, cuLaunch(put));
  IS(400, cuLaunch(no_function));
  IS(400, cuParamSeti(no_function, 0, 1));
}

/* --- functions --- */

static void functions(void) {
  int v = -1, optin;
  start_module();
  optin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, wide));
  EQ(v, 1024);
  OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wide));
  EQ(v, (48 << 10) - 1024);
  void *params[] = {&cells};
  OK(cuLaunchKernel(wide, 1, 1, 1, 1, 1, 1, (48 << 10) - 1024, NULL, params, NULL));
  EQ(cell(0), (48 << 10) - 1024);
  IS(1, cuLaunchKernel(wide, 1, 1, 1, 1, 1, 1, (48 << 10) - 1020, NULL, params, NULL));
  IS(1, cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin - 1020));
  OK(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin - 1024));
  OK(cuLaunchKernel(wide, 1, 1, 1, 1, 1, 1, (unsigned)optin - 1024, NULL, params, NULL));
  EQ(cell(0), optin - 1024);
  IS(1, cuLaunchKernel(wide, 1, 1, 1, 1, 1, 1, (unsigned)optin - 1020, NULL, params, NULL));
  OK(cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
  IS(1, cuLaunchKernel(wide, 1, 1, 1, 1, 1, 1, 4, NULL, params, NULL));
  IS(1, cuFuncSetAttribute(wide, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));

  size_t offset = 99, size = 99;
  OK(cuFuncGetParamInfo(put, 1, &offset, &size));
  TRUE(offset == 8 && size == 4);
  OK(cuFuncGetParamInfo(put, 2, &offset, NULL));
  EQ(offset, 12);
  IS(1, cuFuncGetParamInfo(put, 3, &offset, &size));
  IS(1, cuFuncGetParamInfo(put, 0, NULL, &size));
  const char *name = NULL;
  CUmodule m = NULL;
  OK(cuFuncGetName(&name, put));
  TRUE(name && strcmp(name, "put") == 0);
  OK(cuFuncGetModule(&m, put));
  TRUE(m == mod);
  CUfunctionLoadingState state;
  OK(cuFuncIsLoaded(&state, put));
  OK(cuFuncLoad(put));
  OK(cuFuncIsLoaded(&state, put));
  EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
  for (int c = CU_FUNC_CACHE_PREFER_NONE; c <= CU_FUNC_CACHE_PREFER_EQUAL; c++)
    OK(cuFuncSetCacheConfig(put, (CUfunc_cache)c));
}

static void occupancy(void) {
  int v = -1, w = -1, threads;
  size_t room = 0;
  start_module();
  threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 1024, 0));
  EQ(v, threads / 1024);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 1, 0));
  EQ(v, attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  /* Shared memory: each block takes a reserved KiB besides its own. */
  int sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
      reserved = attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 32, 40 << 10));
  EQ(v, sm / ((40 << 10) + reserved));
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 32, 1 << 20));
  EQ(v, 0);
  v = -1;
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 2048, 0));
  EQ(v, 0);
  v = -1;
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 64, 60000)); /* more than was asked for */
  EQ(v, 0);
  IS(1, cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, -1, 0));
  IS(1, cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, put, 32, 0));
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&v, put, 32, 0,
                                                          CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE));
  IS(1, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&v, put, 32, 0, 2));
  OK(cuOccupancyMaxPotentialBlockSize(&v, &w, put, NULL, 0, 64));
  EQ(w, 64);
  EQ(v % attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 0);
  OK(cuOccupancyMaxPotentialBlockSize(&v, &w, put, NULL, 0, 0));
  EQ(w * (v / attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)), threads);
  OK(cuOccupancyMaxPotentialBlockSize(&v, &w, put, NULL, 1 << 20, 0));
  TRUE(v == 0 && w == 0);
  for (int blocks = 1; blocks <= 2; blocks++) {
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&room, put, blocks, 32));
    EQ(room, 48 << 10);
  }
  IS(1, cuOccupancyAvailableDynamicSMemPerBlock(&room, put, threads / 1024 + 1, 1024));
  /* The system's part of each block is not taken off. */
  int optin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin));
  for (int blocks = 1; blocks <= 4; blocks++) {
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&room, put, blocks, 64));
    EQ(room, sm / blocks / 128 * 128 < optin ? sm / blocks / 128 * 128 : optin);
  }
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, put, 64, (size_t)(sm / 2)));
  printf("blocks of half the shared memory: %d\n", v);
  OK(cuOccupancyMaxPotentialBlockSize(&v, &w, put, NULL, 20000, 350));
  EQ(w, sm / (20000 + reserved) >= 8 ? 256 : 288);
}

/* Clusters are asked for where there are none. */
static void cluster_occupancy(void) {
  int n = -1;
  start_module();
  CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  a.value.clusterDim.x = a.value.clusterDim.y = a.value.clusterDim.z = 1;
  CUlaunchConfig c = config(1, 256, &a, 1);
  int per_sm = 0;
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, put, 256, 0));
  OK(cuOccupancyMaxActiveClusters(&n, put, &c));
  EQ(n, per_sm * attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  a.value.clusterDim.x = 2;
  c.gridDimX = 3;
  IS(912, cuOccupancyMaxActiveClusters(&n, put, &c));
  a.value.clusterDim.x = c.gridDimX = 16; /* is not portable */
  IS(912, cuOccupancyMaxActiveClusters(&n, put, &c));
  a.value.clusterDim.x = c.gridDimX = 2;
  bool has = attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  IS(has ? 0 : 912, cuOccupancyMaxActiveClusters(&n, put, &c));
  c.blockDimX = 64;
  c.sharedMemBytes = 60000; /* was not asked for */
  n = -1;
  IS(has ? 0 : 912, cuOccupancyMaxActiveClusters(&n, put, &c));
  if (has) EQ(n, 0);
  c = config(1, 256, NULL, 0);
  OK(cuOccupancyMaxPotentialClusterSize(&n, put, &c));
  EQ(n, has ? 8 : 1);
}

/* --- what kernels print --- */

typedef enum { WORD, LONG_WORD, REAL, TEXT } Type;
typedef struct {
  Type type;
  long long i;
  double d;
  const char *s;
} Arg;
#define W(v) ((Arg){WORD, v, 0, NULL})
#define X(v) ((Arg){LONG_WORD, v, 0, NULL})
#define D(v) ((Arg){REAL, 0, v, NULL})
#define S(v) ((Arg){TEXT, 0, 0, v})
enum { ARGS = 40 };

static char source[1 << 16];
static size_t source_size;

static void emit(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(source + source_size, sizeof source - source_size, format, ap);
  va_end(ap);
  source_size += (size_t)n;
  TRUE(source_size < sizeof source);
}

static void emit_string(const char *name, int number, const char *s) {
  emit(".global .align 1 .b8 %s%d[%zu] = {", name, number, strlen(s) + 1);
  for (const char *p = s; *p; p++) emit("%d, ", (unsigned char)*p);
  emit("0};\n");
}

#define VPRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"

/* say(p): p[0] = vprintf(format, arguments). format NULL: a null pointer. */
static void make_print(const char *format, const Arg *args, int n) {
  int at = 0, offset[ARGS];
  source_size = 0;
  emit("%s" VPRINTF, HEAD);
  emit_string("format", 0, format ? format : "");
  for (int i = 0; i < n; i++) {
    int size = args[i].type == WORD ? 4 : 8;
    at = (at + size - 1) / size * size;
    offset[i] = at;
    at += size;
    if (args[i].type == TEXT && args[i].s) emit_string("text", i, args[i].s);
  }
  emit(".visible .entry say(.param .u64 p) {\n  .local .align 8 .b8 depot[%d];\n"
       "  .reg .b32 %%r<3>;\n  .reg .b64 %%rd<9>;\n  ld.param.u64 %%rd1, [p];\n  mov.u64 %%rd2, depot;\n"
       "  cvta.local.u64 %%rd3, %%rd2;\n",
       at ? at : 8);
  for (int i = 0; i < n; i++) {
    uint64_t bits = (uint64_t)args[i].i;
    if (args[i].type == REAL) memcpy(&bits, &args[i].d, 8);
    if (args[i].type == WORD)
      emit("  mov.u32 %%r1, %u;\n  st.local.u32 [%%rd2+%d], %%r1;\n", (unsigned)bits, offset[i]);
    else if (args[i].type == TEXT && args[i].s)
      emit("  mov.u64 %%rd4, text%d;\n  cvta.global.u64 %%rd4, %%rd4;\n  st.local.u64 [%%rd2+%d], %%rd4;\n",
           i, offset[i]);
    else
      emit("  mov.u64 %%rd4, %llu;\n  st.local.u64 [%%rd2+%d], %%rd4;\n", (unsigned long long)bits,
           offset[i]);
  }
  if (format)
    emit("  mov.u64 %%rd5, format0;\n  cvta.global.u64 %%rd5, %%rd5;\n");
  else
    emit("  mov.u64 %%rd5, 0;\n");
  emit("  {\n  .param .b64 f;\n  .param .b64 a;\n  .param .b32 r;\n  st.param.b64 [f], %%rd5;\n"
       "  st.param.b64 [a], %s;\n  call.uni (r), vprintf, (f, a);\n  ld.param.b32 %%r2, [r];\n  }\n"
       "  st.u32 [%%rd1], %%r2;\n  ret;\n}\n",
       n ? "%rd3" : "0");
}

static char heard[2 << 20];

/* What f writes to a file descriptor of this process, from whatever buffer. */
static size_t listen_to(int fd, void (*f)(void)) {
  char name[] = "/tmp/launch_testXXXXXX";
  int file = mkstemp(name), old = dup(fd);
  fflush(NULL);
  dup2(file, fd);
  f();
  fflush(NULL);
  dup2(old, fd);
  close(old);
  ssize_t n = pread(file, heard, sizeof heard - 1, 0);
  close(file);
  unlink(name);
  heard[n < 0 ? 0 : n] = 0;
  return n < 0 ? 0 : (size_t)n;
}

static CUfunction say;

static void run_say(void) {
  void *params[] = {&cells};
  OK(cuLaunchKernel(say, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  OK(cuCtxSynchronize());
}

static void prints(int line, const char *expected, int count, const char *format, const Arg *args, int n) {
  make_print(format, args, n);
  CUmodule m;
  OK(cuModuleLoadData(&m, source));
  OK(cuModuleGetFunction(&say, m, "say"));
  listen_to(1, run_say);
  int got = (int)cell(0);
  judge(strcmp(heard, expected) == 0 && got == count, line,
        "printf(\"%s\") gives \"%s\" and %d, expected \"%s\" and %d", format ? format : "(null)", heard, got,
        expected, count);
  OK(cuModuleUnload(m));
}
#define LIST(...) ((const Arg[]){__VA_ARGS__}), (int)(sizeof((const Arg[]){__VA_ARGS__}) / sizeof(Arg))
#define PRINTS(expected, count, format, ...) prints(__LINE__, expected, count, format, LIST(__VA_ARGS__))

static void formats(void) {
  start();
  OK(cuMemAlloc(&cells, 4096));
  prints(__LINE__, "plain\n", 0, "plain\n", NULL, 0);
  prints(__LINE__, "", 0, "", NULL, 0);
  PRINTS("1 -2 3 ffffffff FF 17\n", 6, "%d %i %u %x %X %o\n", W(1), W(-2), W(3), W(-1), W(255), W(15));
  PRINTS("[    7] [7    ] [00007] [+7] [ 7] [0x7] [007]", 7, "[%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%.3d]",
         W(7), W(7), W(7), W(7), W(7), W(7), W(7));
  PRINTS("-9000000000 9000000000 ffffffffffffffff", 3, "%ld %lld %llx", X(-9000000000), X(9000000000), X(-1));
  PRINTS("18446744073709551615 7", 2, "%llu %d", X(-1), W(7)); /* what follows 8 bytes is found */
  PRINTS("1 2.500000 3", 3, "%d %f %d", W(1), D(2.5), W(3));
  PRINTS("1.500000 -0.000000 1e+10 1.5 0.33", 5, "%f %f %g %g %.2f", D(1.5), D(-0.0), D(1e10), D(1.5),
         D(0.333));
  PRINTS("1.234500e+03 1.2345E+03 1E+20", 3, "%e %.4E %G", D(1234.5), D(1234.5), D(1e20));
  PRINTS("inf -inf nan INF", 4, "%f %f %f %F", D(1.0 / 0.0), D(-1.0 / 0.0), D((double)__builtin_nan("")),
         D(1.0 / 0.0));
  PRINTS("0x1.8p+0 0X1.8P+0", 2, "%a %A", D(1.5), D(1.5));
  PRINTS("ab Z|", 3, "%c%c %c|", W('a'), W('b'), W('Z'));
  PRINTS("one two", 2, "%s %s", S("one"), S("two"));
  PRINTS("[  one] [one  ] [on]", 3, "[%5s] [%-5s] [%.2s]", S("one"), S("one"), S("one"));
  PRINTS("100% of 5", 1, "100%% of %d", W(5));
  PRINTS("0x1234", 1, "%p", X(0x1234));
  PRINTS("\303\274\377", 1, "%s", S("\303\274\377"));
  PRINTS("0", 1, "%d", W(0));
  PRINTS("-2147483648 2147483647", 2, "%d %d", W(INT32_MIN), W(INT32_MAX));
  Arg many[ARGS];
  char format[4 * ARGS + 1] = "", expected[8 * ARGS] = "";
  for (int i = 0; i < 32; i++) {
    many[i] = W(i);
    strcat(format, "%d ");
    sprintf(expected + strlen(expected), "%d ", i);
  }
  prints(__LINE__, expected, 32, format, many, 32);

  /* What documentation does not say. */
  PRINTS("-1 65535", 2, "%hd %hu", W(65535), W(65535));
  prints(__LINE__, "", -1, NULL, NULL, 0);
  PRINTS("[    7] [7    ]", 4, "[%*d] [%-*d]", W(5), W(7), W(5), W(7));
  PRINTS("[7    ]", 2, "[%*d]", W(-5), W(7));
  PRINTS("[%.*f]", 0, "[%.*f]", W(2), D(0.333));
}

/* What a GPU prints rubbish for, or fails on. */
static void odd_formats(void) {
  Arg many[ARGS];
  char format[4 * ARGS + 1] = "", expected[8 * ARGS] = "";
  start();
  OK(cuMemAlloc(&cells, 4096));
  for (int i = 0; i < 34; i++) {
    many[i] = W(i);
    strcat(format, "%d ");
    if (i < 32) sprintf(expected + strlen(expected), "%d ", i);
  }
  strcat(expected, "%d %d ");
  prints(__LINE__, expected, 32, format, many, 34);
  PRINTS("%hhd %hhu", 0, "%hhd %hhu", W(255), W(255));
  PRINTS("%.*f 5", 1, "%.*f %d", W(5));
  PRINTS("%zu %jd %td", 0, "%zu %jd %td", X(2), X(3), X(4));
  PRINTS("%zu 5", 1, "%zu %d", W(5));
  PRINTS("1.500000", 1, "%lf", D(1.5));
  PRINTS("(nil)", 1, "%p", X(0));
  PRINTS("(null)", 1, "%s", S(NULL));
  PRINTS("%y 5", 1, "%y %d", W(5));
  PRINTS("%5.3y 5", 1, "%5.3y %d", W(5));
  PRINTS("%n 5", 1, "%n %d", W(5));
  PRINTS("50%", 0, "50%", W(5));
  PRINTS("50%l", 0, "50%l", W(5));
  PRINTS("%5", 0, "%5", W(5));
  PRINTS("a%", 1, "%c%", W('a'));
  PRINTS("%d", 0, "%5%d", W(5));
  prints(__LINE__, "%d\n", 0, "%d\n", NULL, 0);
  PRINTS("[", 1, "[%c]", W(0)); /* a zero byte: here the text seems to end */
}

/* What a GPU may or may not notice. */
static CUresult say_bad(const char *format, const Arg *args, int n) {
  start();
  OK(cuMemAlloc(&cells, 4096));
  make_print(format, args, n);
  OK(cuModuleLoadData(&mod, source));
  OK(cuModuleGetFunction(&say, mod, "say"));
  void *params[] = {&cells};
  return cuLaunchKernel(say, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}
static void bad_string(void) { FAILS(700, say_bad("%s", LIST(X(64)))); }
static void host_string(void) { FAILS(700, say_bad("%s", LIST(X((long long)(uintptr_t)heard)))); }
static void missing_arguments(void) {
  FAILS(700, say_bad("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", LIST(W(1))));
}
static void very_wide(void) {
  start();
  OK(cuMemAlloc(&cells, 4096));
  make_print("%2000000000d|%.2000000000f|%-2000000000s|", LIST(W(1), D(0.5), S("x")));
  OK(cuModuleLoadData(&mod, source));
  OK(cuModuleGetFunction(&say, mod, "say"));
  EQ(listen_to(1, run_say), 3 * 65536 + 3 + 2);
}

/* --- order, and when it is seen --- */

static const char loop_ptx[] = HEAD VPRINTF ".global .align 1 .b8 line[5] = {37, 117, 10, 0};\n"
                                            /* Prints the numbers from `from` to `to` - 1, of the thread at
                                               first, and of each thread the first only. */
                                            ".visible .entry count(.param .u32 from, .param .u32 to) {\n"
                                            "  .local .align 8 .b8 depot[8];\n"
                                            "  .reg .pred %p<2>;\n"
                                            "  .reg .b32 %r<5>;\n"
                                            "  .reg .b64 %rd<9>;\n"
                                            "  ld.param.u32 %r1, [from];\n"
                                            "  ld.param.u32 %r2, [to];\n"
                                            "  mov.u32 %r3, %tid.x;\n"
                                            "  add.s32 %r1, %r1, %r3;\n"
                                            "  mov.u64 %rd1, depot;\n"
                                            "  cvta.local.u64 %rd2, %rd1;\n"
                                            "  mov.u64 %rd3, line;\n"
                                            "  cvta.global.u64 %rd3, %rd3;\n"
                                            "NEXT:\n"
                                            "  st.local.u32 [%rd1], %r1;\n"
                                            "  {\n"
                                            "  .param .b64 f;\n"
                                            "  .param .b64 a;\n"
                                            "  .param .b32 r;\n"
                                            "  st.param.b64 [f], %rd3;\n"
                                            "  st.param.b64 [a], %rd2;\n"
                                            "  call.uni (r), vprintf, (f, a);\n"
                                            "  }\n"
                                            "  add.s32 %r1, %r1, 1;\n"
                                            "  setp.lt.u32 %p1, %r1, %r2;\n"
                                            "  @%p1 bra NEXT;\n"
                                            "  ret;\n"
                                            "}\n";

static CUfunction counter;

static void start_counter(void) {
  start();
  OK(cuModuleLoadData(&mod, loop_ptx));
  OK(cuModuleGetFunction(&counter, mod, "count"));
}

static CUresult count(unsigned threads, unsigned from, unsigned to, CUstream s) {
  void *params[] = {&from, &to};
  return cuLaunchKernel(counter, 1, 1, 1, threads, 1, 1, 0, s, params, NULL);
}

static void one_warp(void) {
  OK(count(32, 0, 0, NULL));
  OK(cuCtxSynchronize());
}

static void host_and_kernel(void) {
  printf("before\n");
  fflush(stdout);
  OK(count(1, 0, 3, NULL));
  OK(cuCtxSynchronize());
  printf("between\n");
  fflush(stdout);
  OK(count(1, 5, 6, NULL));
  OK(cuCtxSynchronize());
  printf("after\n");
}

/* The same, without flushing: the driver prints through the C library. */
static void host_unflushed(void) {
  printf("before\n");
  OK(count(1, 0, 1, NULL));
  OK(cuCtxSynchronize());
  printf("after\n");
}

static CUevent event;
static CUdeviceptr word;
static unsigned value;
static CUstream stream;

static void by_stream(void) {
  OK(count(1, 1, 2, stream));
  OK(cuStreamSynchronize(stream));
}
static void by_event(void) {
  OK(count(1, 2, 3, stream));
  OK(cuEventRecord(event, stream));
  OK(cuEventSynchronize(event));
}
static void by_copy(void) {
  OK(count(1, 3, 4, NULL));
  OK(cuMemcpyDtoH(&value, word, 4));
}
static void by_unload(void) {
  OK(count(1, 4, 5, NULL));
  OK(cuModuleUnload(mod));
}
static void by_destroy(void) {
  OK(count(1, 6, 7, NULL));
  OK(cuCtxDestroy(ctx));
}
static void by_nothing(void) { OK(count(1, 5, 6, stream)); }

static void order(void) {
  char expected[400] = "";
  start_counter();
  for (int i = 0; i < 32; i++) sprintf(expected + strlen(expected), "%d\n", i);
  listen_to(1, one_warp);
  TRUE(strcmp(heard, expected) == 0);
  listen_to(1, host_and_kernel);
  TRUE(strcmp(heard, "before\n0\n1\n2\nbetween\n5\nafter\n") == 0);
  listen_to(1, host_unflushed);
  TRUE(strcmp(heard, "before\n0\nafter\n") == 0);
  OK(cuEventCreate(&event, 0));
  OK(cuStreamCreate(&stream, 0));
  OK(cuMemAlloc(&word, 4));
  listen_to(1, by_stream);
  TRUE(strcmp(heard, "1\n") == 0);
  listen_to(1, by_event);
  TRUE(strcmp(heard, "2\n") == 0);
  listen_to(1, by_copy);
  TRUE(strcmp(heard, "3\n") == 0);
  listen_to(1, by_unload);
  TRUE(strcmp(heard, "4\n") == 0);
  OK(cuModuleLoadData(&mod, loop_ptx));
  OK(cuModuleGetFunction(&counter, mod, "count"));
  if (deferred()) {
    listen_to(1, by_nothing);
    EQ(heard[0], 0);
    listen_to(1, by_stream);
    TRUE(strcmp(heard, "5\n1\n") == 0);
  }
  listen_to(1, by_destroy);
  TRUE(strcmp(heard, "6\n") == 0);
}

static unsigned most;

static void print_many(void) {
  OK(count(1, 0, most, NULL));
  OK(cuCtxSynchronize());
}

/* Limits of what kernels print to and allocate from have a least size and a greatest. */
static void limits(void) {
  static const size_t text[][2] = {{0, 512 << 10},
                                   {1, 512 << 10},
                                   {4096, 512 << 10},
                                   {64 << 10, 512 << 10},
                                   {1 << 20, 1 << 20},
                                   {(size_t)1 << 31, (size_t)1 << 31},
                                   {(size_t)1 << 40, (size_t)1 << 31}};
  static const size_t memory[][2] = {{0, 4 << 20}, {1, 4 << 20}, {1 << 20, 4 << 20}, {64 << 20, 64 << 20}};
  size_t size = 0, total = 0;
  start();
  for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
    OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, text[i][0]));
    OK(cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE));
    EQ(size, text[i][1]);
  }
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, memory[i][0]));
    OK(cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE));
    EQ(size, memory[i][1]);
  }
  OK(cuDeviceTotalMem(&total, dev));
  OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)1 << 40));
  OK(cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE));
  TRUE(size > total / 10 && size <= total / 8);
}

/* How the lines that were heard follow one another: each run of them, and how many are missing before it. */
static unsigned tell_runs(void) {
  unsigned lines = 0, runs = 0, next = 0, first = 0;
  for (const char *p = heard; *p; lines++) {
    char *end;
    unsigned v = (unsigned)strtoul(p, &end, 10);
    if (*end != '\n') break; /* the rest was not heard */
    if (v != next || !lines) {
      if (lines && ++runs < 20) printf("%u to %u\n", first, next - 1);
      first = v;
    }
    next = v + 1;
    p = end + 1;
  }
  printf("%u to %u; %u runs, %u lines\n", first, next - 1, runs + 1, lines);
  return lines;
}

/* When the buffer is full, text is lost. Which is up to the device. */
static void overflow(void) {
  size_t size = 0;
  start_counter();
  OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4096));
  OK(cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE));
  EQ(size, 512 << 10);
  most = 10;
  listen_to(1, print_many);
  TRUE(strcmp(heard, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n") == 0);
  most = 200000;
  size_t n = listen_to(1, print_many);
  TRUE(n > 1000 && n < sizeof heard - 1);
  unsigned lines = tell_runs();
  TRUE(lines > 0 && lines < most);
  if (SOFT) { /* the oldest text */
    EQ(strtoul(heard, NULL, 10) + lines, most);
    TRUE(lines >= 10000 && lines <= size / 16);
  }
  most = 3; /* and it is empty again */
  listen_to(1, print_many);
  TRUE(strcmp(heard, "0\n1\n2\n") == 0);
  IS(1, cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 8192)); /* too late: a kernel has printed */
}

/* --- assert --- */

static const char assert_ptx[] = HEAD
    ".extern .func __assertfail(.param .b64 t, .param .b64 f, .param .b32 l, .param .b64 u, .param .b64 c);\n"
    ".global .align 1 .b8 text[6] = {120, 32, 62, 32, 49, 0};\n"                 /* x > 1 */
    ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n"                     /* a.cu */
    ".global .align 1 .b8 func[9] = {118, 111, 105, 100, 32, 107, 40, 41, 0};\n" /* void k() */
    ".visible .entry k(.param .u32 x) {\n"
    "  .reg .pred %p<2>;\n"
    "  .reg .b32 %r<3>;\n"
    "  .reg .b64 %rd<5>;\n"
    "  ld.param.u32 %r1, [x];\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  add.u32 %r1, %r1, %r2;\n"
    "  setp.gt.u32 %p1, %r1, 1;\n"
    "  @%p1 bra FINE;\n"
    "  mov.u64 %rd1, text;\n"
    "  cvta.global.u64 %rd1, %rd1;\n"
    "  mov.u64 %rd2, file;\n"
    "  cvta.global.u64 %rd2, %rd2;\n"
    "  mov.u64 %rd3, func;\n"
    "  cvta.global.u64 %rd3, %rd3;\n"
    "  {\n"
    "  .param .b64 t;\n"
    "  .param .b64 f;\n"
    "  .param .b32 l;\n"
    "  .param .b64 u;\n"
    "  .param .b64 c;\n"
    "  st.param.b64 [t], %rd1;\n"
    "  st.param.b64 [f], %rd2;\n"
    "  st.param.b32 [l], 12;\n"
    "  st.param.b64 [u], %rd3;\n"
    "  st.param.b64 [c], 1;\n"
    "  call.uni __assertfail, (t, f, l, u, c);\n"
    "  }\n"
    "FINE:\n"
    "  ret;\n"
    "}\n";

static CUfunction asserting;
static unsigned least;

static void run_assert(void) {
  void *params[] = {&least};
  CUresult r = cuLaunchKernel(asserting, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL);
  if (least > 1) {
    OK(r);
    OK(cuCtxSynchronize());
  } else {
    FAILS(710, r);
  }
}

static void assertions(void) {
  start();
  OK(cuModuleLoadData(&mod, assert_ptx));
  OK(cuModuleGetFunction(&asserting, mod, "k"));
  least = 2;
  listen_to(2, run_assert);
  EQ(heard[0], 0);
  least = 0;
  listen_to(2, run_assert);
  judge(strcmp(heard, "a.cu:12: void k(): block: [0,0,0], thread: [0,0,0] Assertion `x > 1` failed.\n"
                      "a.cu:12: void k(): block: [0,0,0], thread: [1,0,0] Assertion `x > 1` failed.\n") == 0,
        __LINE__, "stderr has: %s", heard);
  IS(710, cuCtxSynchronize());
  IS(710, cuMemAlloc(&word, 4));
}

/* --- malloc --- */

static const char heap_ptx[] =
    HEAD ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
         ".extern .func free(.param .b64 p);\n"
         /* take(p, n): p[i] = malloc(n) for each thread i, and its first byte, if there is one, is 7 */
         ".visible .entry take(.param .u64 p, .param .u64 n) {\n"
         "  .reg .pred %p<2>;\n"
         "  .reg .b16 %h<2>;\n"
         "  .reg .b32 %r<3>;\n"
         "  .reg .b64 %rd<6>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  ld.param.u64 %rd2, [n];\n"
         "  mov.u32 %r1, %tid.x;\n"
         "  mul.wide.u32 %rd3, %r1, 8;\n"
         "  add.s64 %rd1, %rd1, %rd3;\n"
         "  {\n"
         "  .param .b64 a;\n"
         "  .param .b64 r;\n"
         "  st.param.b64 [a], %rd2;\n"
         "  call.uni (r), malloc, (a);\n"
         "  ld.param.b64 %rd4, [r];\n"
         "  }\n"
         "  st.u64 [%rd1], %rd4;\n"
         "  setp.eq.u64 %p1, %rd4, 0;\n"
         "  @%p1 bra DONE;\n"
         "  mov.u16 %h1, 7;\n"
         "  st.u8 [%rd4], %h1;\n"
         "DONE:\n"
         "  ret;\n"
         "}\n"
         ".visible .entry give(.param .u64 p) {\n"
         "  .reg .b32 %r<3>;\n"
         "  .reg .b64 %rd<6>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  mov.u32 %r1, %tid.x;\n"
         "  mul.wide.u32 %rd3, %r1, 8;\n"
         "  add.s64 %rd1, %rd1, %rd3;\n"
         "  ld.u64 %rd4, [%rd1];\n"
         "  {\n"
         "  .param .b64 a;\n"
         "  st.param.b64 [a], %rd4;\n"
         "  call.uni free, (a);\n"
         "  }\n"
         "  ret;\n"
         "}\n"
         /* peek(p, out, at): *out = byte `at` of p[0] */
         ".visible .entry peek(.param .u64 p, .param .u64 out, .param .u64 at) {\n"
         "  .reg .b32 %r<3>;\n"
         "  .reg .b64 %rd<6>;\n"
         "  ld.param.u64 %rd1, [p];\n"
         "  ld.param.u64 %rd2, [out];\n"
         "  ld.param.u64 %rd3, [at];\n"
         "  ld.u64 %rd4, [%rd1];\n"
         "  add.s64 %rd4, %rd4, %rd3;\n"
         "  ld.u8 %r1, [%rd4];\n"
         "  st.u32 [%rd2], %r1;\n"
         "  ret;\n"
         "}\n";

static CUfunction take, give, peek;
static uint64_t taken[64];

static void start_heap(size_t limit) {
  start();
  if (limit) OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, limit));
  OK(cuModuleLoadData(&mod, heap_ptx));
  OK(cuModuleGetFunction(&take, mod, "take"));
  OK(cuModuleGetFunction(&give, mod, "give"));
  OK(cuModuleGetFunction(&peek, mod, "peek"));
  OK(cuMemAlloc(&cells, 1024));
  OK(cuMemsetD8(cells, 0, 1024));
}

static CUresult take_some(unsigned threads, uint64_t bytes) {
  void *params[] = {&cells, &bytes};
  OK(cuLaunchKernel(take, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
  CUresult r = cuCtxSynchronize();
  if (!r) OK(cuMemcpyDtoH(taken, cells, 8 * threads));
  return r;
}

static CUresult launch_give(unsigned threads) {
  void *params[] = {&cells};
  return cuLaunchKernel(give, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
}

static void give_some(unsigned threads) {
  OK(launch_give(threads));
  OK(cuCtxSynchronize());
}

static CUresult peek_at(uint64_t at) {
  CUdeviceptr out = cells + 1000;
  void *params[] = {&cells, &out, &at};
  return cuLaunchKernel(peek, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static void heap(void) {
  start_heap(0);
  OK(take_some(32, 100));
  for (int i = 0; i < 32; i++) {
    TRUE(taken[i] != 0 && taken[i] % 16 == 0);
    for (int k = 0; k < i; k++) TRUE(taken[k] + 100 <= taken[i] || taken[i] + 100 <= taken[k]);
  }
  OK(peek_at(0)); /* another kernel finds it */
  EQ(cell(250), 7);
  unsigned char byte;
  IS(1, cuMemcpyDtoH(&byte, taken[0], 1)); /* the host does not */
  IS(1, cuMemFree(taken[0]));
  give_some(32);
  OK(cuMemsetD8(cells, 0, 1024));
  give_some(32); /* free of a null pointer */
  OK(take_some(1, 1 << 20));
  give_some(1);
  OK(take_some(1, (uint64_t)1 << 40));
  EQ(taken[0], 0);
  if (SOFT) { /* the sum overflows on a GPU */
    OK(take_some(1, UINT64_MAX));
    EQ(taken[0], 0);
  }
  OK(take_some(32, 0)); /* no bytes, but pointers of their own */
  for (int i = 0; i < 32; i++) {
    TRUE(taken[i] != 0);
    for (int k = 0; k < i; k++) TRUE(taken[k] != taken[i]);
  }
}

static void heap_full(void) {
  size_t size = 0;
  start_heap(1 << 20);
  OK(cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE));
  EQ(size, 4 << 20);
  unsigned got = 0;
  OK(take_some(64, 100 << 10));
  for (int i = 0; i < 64; i++) got += taken[i] != 0;
  printf("of 64 blocks of 100 KiB 4 MiB gave %u\n", got);
  if (SOFT) EQ(got, 40);
  TRUE(got >= 32 && got < 64);
  give_some(64);
  OK(take_some(8, 100 << 10));
  for (int i = 0; SOFT && i < 8; i++) TRUE(taken[i] != 0);
  IS(1, cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 2 << 20)); /* too late: a kernel has allocated */
}

/* What the software device sees and a GPU may not. */
static void past_the_end(void) {
  start_heap(0);
  OK(take_some(1, 100));
  OK(peek_at(99));
  FAILS(700, peek_at(100));
}
static void after_free(void) {
  start_heap(0);
  OK(take_some(1, 100));
  give_some(1);
  FAILS(700, peek_at(0));
}
static void freed_twice(void) {
  start_heap(0);
  OK(take_some(1, 100));
  give_some(1);
  FAILS(719, launch_give(1));
}

static const Group groups[] = {
    {.name = "attributes", .run = attributes},
    {.name = "events", .run = events},
    {.name = "clusters", .run = clusters},
    {.name = "stated_clusters", .run = stated_clusters},
    {.name = "cooperative", .run = cooperative},
    {.name = "not_cooperative", .run = not_cooperative},
    {.name = "traps", .run = traps},
    {.name = "old_launches", .run = old_launches},
    {.name = "old_grids", .run = old_grids},
    {.name = "old_shared", .run = old_shared},
    {.name = "old_unset", .run = old_unset},
    {.name = "old_nonsense", .run = old_nonsense, .where = SOFTWARE},
    {.name = "functions", .run = functions},
    {.name = "occupancy", .run = occupancy},
    {.name = "cluster_occupancy", .run = cluster_occupancy},
    {.name = "limits", .run = limits},
    {.name = "formats", .run = formats},
    {.name = "odd_formats", .run = odd_formats, .where = SOFTWARE},
    {.name = "bad_string", .run = bad_string, .where = SOFTWARE},
    {.name = "host_string", .run = host_string, .where = SOFTWARE},
    {.name = "missing_arguments", .run = missing_arguments, .where = SOFTWARE},
    {.name = "very_wide", .run = very_wide, .where = SOFTWARE},
    {.name = "order", .run = order},
    {.name = "overflow", .run = overflow},
    {.name = "assertions", .run = assertions},
    {.name = "heap", .run = heap},
    {.name = "heap_full", .run = heap_full},
    {.name = "past_the_end", .run = past_the_end, .where = SOFTWARE},
    {.name = "after_free", .run = after_free, .where = SOFTWARE},
    {.name = "freed_twice", .run = freed_twice, .where = SOFTWARE},
};

int main(int argc, char **argv) {
  setenv("CUDALUA_SOFT_REPORT", "off", 0); /* faults are made on purpose */
  return RUN_GROUPS(groups, argc, argv);
}
