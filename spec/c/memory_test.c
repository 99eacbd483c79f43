/* Conformance of a CUDA driver's memory calls: pools, registered and managed memory, pointer attributes,
 * memory and events shared between processes, accounting. As in driver_test.c each group runs in a process of
 * its own, and what is expected holds for a GPU as well, but for the groups and checks of the software device
 * alone. Peers of the IPC groups are this program again. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

/* The forms of older drivers, which the header's macros hide. */
#undef cuMemAdvise
#undef cuMemPrefetchAsync
CUresult cuMemAdvise(CUdeviceptr p, size_t n, CUmem_advise advice, CUdevice dev);
CUresult cuMemAdvise_v2(CUdeviceptr p, size_t n, CUmem_advise advice, CUmemLocation location);
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice dev, CUstream s);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, CUmemLocation location, unsigned flags, CUstream s);

/* Work runs in its own call. */
static bool eager(void) {
  const char *mode = getenv("CUDALUA_SOFT_STREAMS");
  return SOFT && mode && strcmp(mode, "eager") == 0;
}

/* A launch that ends with this error, at once where work runs at once. */
#define FAULT(code, launch, wait)                                                                            \
  do {                                                                                                       \
    CUresult launch_ = (launch);                                                                             \
    IS(code, launch_ ? launch_ : (wait));                                                                    \
  } while (0)
#define FAILS(call) judge((call) != CUDA_SUCCESS, __LINE__, "%s did not fail", #call)

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .global .attribute(.managed) .align 4 .u32 shared_word = 41;\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n, .param .u32 v) {\n"
                          "  .reg .pred %p<2>;\n"
                          "  .reg .b32 %r<8>;\n"
                          "  .reg .b64 %rd<5>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  ld.param.u32 %r1, [n];\n"
                          "  ld.param.u32 %r7, [v];\n"
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
                          "  add.s32 %r6, %r6, %r7;\n"
                          "  st.global.u32 [%rd4], %r6;\n"
                          "DONE:\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry read(.param .u64 p) {\n"
                          "  .reg .b32 %r<2>;\n"
                          "  .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  ld.volatile.global.u32 %r1, [%rd2];\n"
                          "  ret;\n"
                          "}\n";

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction add, read_one;

static void start(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
}

static void start_module(void) {
  start();
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&add, mod, "add"));
  OK(cuModuleGetFunction(&read_one, mod, "read"));
}

static CUresult launch_add(CUdeviceptr p, unsigned n, unsigned v, CUstream s) {
  void *params[] = {&p, &n, &v};
  return cuLaunchKernel(add, (n + 127) / 128, 1, 1, 128, 1, 1, 0, s, params, NULL);
}

static CUresult launch_read(CUdeviceptr p, CUstream s) {
  void *params[] = {&p};
  return cuLaunchKernel(read_one, 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
}

static unsigned word_at(CUdeviceptr p) {
  unsigned v = 0xdeadbeef;
  OK(cuMemcpyDtoH(&v, p, 4));
  return v;
}

static char reply[1 << 16];

static CUresult control(const char *command) {
  size_t needed;
  return cuSoftgpuControl(command, reply, sizeof reply, &needed);
}

static long long stat_of(const char *key) {
  OK(control("stats"));
  const char *at = strstr(reply, key);
  return at ? strtoll(at + strlen(key), NULL, 10) : -1;
}

static size_t free_memory(void) {
  size_t free_bytes = 0, total;
  OK(cuMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

/* --- pools --- */

static uint64_t pool_number(CUmemoryPool p, CUmemPool_attribute a) {
  cuuint64_t v = 12345;
  OK(cuMemPoolGetAttribute(p, a, &v));
  return v;
}

static void set_threshold(CUmemoryPool p, cuuint64_t v) {
  OK(cuMemPoolSetAttribute(p, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
}

#define RESERVED(p) pool_number(p, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
#define RESERVED_HIGH(p) pool_number(p, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)
#define USED(p) pool_number(p, CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
#define USED_HIGH(p) pool_number(p, CU_MEMPOOL_ATTR_USED_MEM_HIGH)

static CUmemPoolProps props_of(CUdevice d) {
  return (CUmemPoolProps){.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = d}};
}

static CUmemoryPool new_pool(void) {
  CUmemoryPool p = NULL;
  CUmemPoolProps props = props_of(dev);
  OK(cuMemPoolCreate(&p, &props));
  return p;
}

static void pool_basics(void) {
  CUdeviceptr p, q;
  CUmemoryPool pool, owner = NULL;
  CUstream s;
  start_module();
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  IS(1, cuMemAllocAsync(NULL, 16, s));
  OK(cuMemAllocAsync(&p, 0, s)); /* of nothing, unlike cuMemAlloc */
  p = 5;
  IS(1, cuMemAlloc(&p, 0));
  EQ(p, 0);
  IS(2, cuMemAllocAsync(&p, (size_t)1 << 45, s));
  IS(2, cuMemAllocAsync(&p, SIZE_MAX, s));
  OK(cuMemAllocAsync(&p, 4000, s));
  EQ(p % 512, 0);
  EQ(USED(pool), 4000);
  TRUE(RESERVED(pool) >= USED(pool));
  OK(cuMemsetD8Async(p, 1, 4000, s));
  OK(launch_add(p, 1000, 5, s));
  OK(cuStreamSynchronize(s));
  EQ(word_at(p + 3996), 0x01010106);
  if (SOFT) IS(1, cuMemsetD8Async(p, 1, 4001, s)); /* bounds to the byte */
  OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p + 100));
  TRUE(owner == pool);

  OK(cuMemFreeAsync(p, s));
  IS(1, cuMemFreeAsync(p, s)); /* twice */
  IS(1, cuMemFree(p));
  IS(1, cuMemFreeAsync(p + 16, s));
  IS(1, cuMemFreeAsync(0x1234567, s));
  OK(cuMemFreeAsync(0, s));
  OK(cuMemFree(0));
  OK(cuMemFreeHost(NULL));
  if (SOFT) IS(1, cuMemsetD8Async(p, 1, 16, s)); /* freed */
  OK(cuStreamSynchronize(s));
  EQ(USED(pool), 0);
  EQ(RESERVED(pool), 0); /* the threshold is 0 */

  /* The one kind of free for the other kind of memory. */
  OK(cuMemAllocAsync(&p, 100, s));
  OK(cuStreamSynchronize(s));
  OK(cuMemFree(p));
  if (SOFT) EQ(USED(pool), 0); /* measured: a GPU still counts it for a while */
  OK(cuMemAlloc(&q, 100));
  OK(launch_add(q, 25, 1, s));
  OK(cuMemFreeAsync(q, s));
  if (SOFT) IS(1, cuMemFreeAsync(q, s)); /* measured: a GPU's driver finds out when it is too late */
  OK(cuStreamSynchronize(s));
  if (SOFT) EQ(stat_of("live_allocs "), 0);

  /* In the default streams, and without a context where a stream says which device. */
  OK(cuMemAllocAsync(&p, 100, NULL));
  OK(cuMemFreeAsync(p, CU_STREAM_LEGACY));
  OK(cuMemAllocAsync(&p, 100, CU_STREAM_PER_THREAD));
  OK(cuCtxPopCurrent(NULL));
  OK(cuMemFreeAsync(p, s));
  OK(cuMemAllocAsync(&p, 100, s));
  OK(cuMemFreeAsync(p, s));
  IS(201, cuMemAllocAsync(&p, 100, NULL));
  OK(cuStreamSynchronize(s));
  EQ(USED(pool), SOFT ? 0 : 100); /* a GPU still counts what cuMemFree took */
}

static void pool_objects(void) {
  CUmemoryPool standard, a, b, now;
  CUmemPoolProps props;
  CUmemAccess_flags flags = 99;
  CUdeviceptr p;
  CUstream s;
  int yes;
  cuuint64_t n;
  start();
  OK(cuStreamCreate(&s, 0));
  OK(cuDeviceGetDefaultMemPool(&standard, dev));
  OK(cuDeviceGetMemPool(&now, dev));
  TRUE(now == standard);
  IS(101, cuDeviceGetDefaultMemPool(&now, 99));
  IS(1, cuDeviceGetMemPool(&now, -1));
  IS(1, cuDeviceGetDefaultMemPool(NULL, dev));
  IS(1, cuDeviceSetMemPool(99, standard));
  IS(1, cuMemPoolDestroy(standard));

  props = props_of(dev);
  IS(1, cuMemPoolCreate(NULL, &props));
  IS(1, cuMemPoolCreate(&a, NULL));
  props.allocType = 77;
  IS(1, cuMemPoolCreate(&a, &props));
  props = props_of(dev);
  props.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  IS(1, cuMemPoolCreate(&a, &props));
  props = props_of(99);
  IS(1, cuMemPoolCreate(&a, &props));
  a = new_pool();
  b = new_pool();
  TRUE(a != b && a != standard);

  /* What they are asked for and told. */
  OK(cuMemPoolGetAttribute(a, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n));
  EQ(n, 0);
  n = 1 << 20;
  OK(cuMemPoolSetAttribute(a, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n));
  n = 0;
  OK(cuMemPoolGetAttribute(a, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n));
  EQ(n, 1 << 20);
  for (int i = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
       i <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES; i++) {
    yes = 7;
    OK(cuMemPoolGetAttribute(a, (CUmemPool_attribute)i, &yes));
    EQ(yes, 1);
    yes = 0;
    OK(cuMemPoolSetAttribute(a, (CUmemPool_attribute)i, &yes));
    yes = 7;
    OK(cuMemPoolGetAttribute(a, (CUmemPool_attribute)i, &yes));
    EQ(yes, 0);
  }
  n = 1;
  IS(1, cuMemPoolSetAttribute(a, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n));
  IS(1, cuMemPoolSetAttribute(a, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &n));
  IS(1, cuMemPoolSetAttribute(a, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &n));
  IS(1, cuMemPoolGetAttribute(a, (CUmemPool_attribute)99, &n));
  if (SOFT) {
    IS(1, cuMemPoolGetAttribute(a, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL));
    IS(1, cuMemPoolGetAttribute(NULL, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n));
    IS(1, cuMemPoolGetAttribute((CUmemoryPool)ctx, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n));
  }
  CUmemAccessDesc desc = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev},
                          .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  OK(cuMemPoolGetAccess(&flags, a, &desc.location));
  EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  OK(cuMemPoolSetAccess(a, &desc, 1));
  IS(1, cuMemPoolSetAccess(a, NULL, 0));
  desc.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  IS(101, cuMemPoolSetAccess(a, &desc, 1)); /* its own device's stays */
  desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  IS(801, cuMemPoolSetAccess(a, &desc, 1));
  desc.location.id = 99;
  IS(801, cuMemPoolSetAccess(a, &desc, 1));
  IS(1, cuMemPoolGetAccess(&flags, a, &desc.location));

  /* The current one of a device. */
  OK(cuDeviceSetMemPool(dev, a));
  OK(cuDeviceGetMemPool(&now, dev));
  TRUE(now == a);
  OK(cuMemAllocAsync(&p, 1000, s));
  TRUE(USED(a) >= 1000);
  EQ(USED(standard), 0);
  OK(cuMemFreeAsync(p, s));
  OK(cuMemAllocFromPoolAsync(&p, 1000, b, s));
  TRUE(USED(b) >= 1000);
  OK(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  TRUE(now == b);

  /* A pool goes with the last of its memory. */
  OK(cuMemsetD32Async(p, 7, 250, s));
  OK(cuMemPoolDestroy(b));
  OK(cuStreamSynchronize(s));
  EQ(word_at(p + 996), 7);
  OK(cuMemFreeAsync(p, s));
  OK(cuStreamSynchronize(s));
  if (SOFT) {
    IS(1, cuMemPoolDestroy(b));
    IS(1, cuMemAllocFromPoolAsync(&p, 1000, b, s));
  }
  OK(cuMemPoolDestroy(a)); /* the current one: the standard one takes its place */
  OK(cuDeviceGetMemPool(&now, dev));
  TRUE(now == standard);
  if (SOFT) {
    EQ(stat_of("live_pools "), 0);
    EQ(stat_of("pool_reserved "), 0);
  }
  if (SOFT) { /* 13.0 */
    CUmemLocation where = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev};
    OK(cuMemGetDefaultMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    TRUE(now == standard);
    a = new_pool();
    OK(cuMemSetMemPool(&where, CU_MEM_ALLOCATION_TYPE_PINNED, a));
    OK(cuMemGetMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    TRUE(now == a);
    IS(1, cuMemGetMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_INVALID));
    where.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
    IS(801, cuMemGetMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    OK(cuMemPoolDestroy(a));
  }
}

static CUmemoryPool pool_at(CUmemAllocationType type, CUmemLocationType where) {
  CUmemPoolProps props = props_of(dev);
  CUmemoryPool pool = NULL;
  props.allocType = type;
  props.location = (CUmemLocation){.type = where, .id = where == CU_MEM_LOCATION_TYPE_DEVICE ? dev : 0};
  OK(cuMemPoolCreate(&pool, &props));
  return pool;
}

/* Pools of page-locked host memory: the host uses it, devices that were given access do. */
static void pool_on_host(void) {
  static const CUmemLocationType places[] = {CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA};
  CUmemAccessDesc desc = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                          .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemAccess_flags flags;
  CUmemoryPool of_pointer, standard, now;
  CUdeviceptr p;
  CUstream s;
  unsigned type, managed, word = 5;
  start_module();
  OK(cuStreamCreate(&s, 0));
  desc.location.id = dev;
  for (int i = 0; i < 2; i++) {
    CUmemLocation where = {.type = places[i]}, cpu = {.type = CU_MEM_LOCATION_TYPE_HOST};
    CUmemoryPool pool = pool_at(CU_MEM_ALLOCATION_TYPE_PINNED, places[i]);
    OK(cuMemPoolGetAccess(&flags, pool, &desc.location));
    EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuMemPoolGetAccess(&flags, pool, &cpu));
    EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemPoolSetAccess(pool, &desc, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &desc.location));
    EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemAllocFromPoolAsync(&p, 4096, pool, s));
    OK(cuStreamSynchronize(s));
    unsigned *host = (unsigned *)(uintptr_t)p;
    for (unsigned k = 0; k < 1024; k++) host[k] = k;
    OK(launch_add(p, 1024, 7, s));
    OK(cuStreamSynchronize(s));
    EQ(host[0], 7);
    EQ(host[1023], 1030);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    EQ(type, CU_MEMORYTYPE_HOST);
    OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    EQ(managed, 0);
    OK(cuPointerGetAttribute(&of_pointer, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    TRUE(of_pointer == pool);
    TRUE(USED(pool) >= 4096);
    OK(cuMemcpyHtoDAsync(p, &word, 4, s));
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamSynchronize(s));
    EQ(USED(pool), 0);
    OK(cuMemGetDefaultMemPool(&standard, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    OK(cuMemGetMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    TRUE(now == standard);
    OK(cuMemSetMemPool(&where, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    OK(cuMemGetMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    TRUE(now == pool);
    IS(1, cuDeviceSetMemPool(dev, pool));
    OK(cuMemPoolDestroy(pool)); /* the standard one takes its place */
    OK(cuMemGetMemPool(&now, &where, CU_MEM_ALLOCATION_TYPE_PINNED));
    TRUE(now == standard);
  }
  CUmemoryPool closed = pool_at(CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST);
  OK(cuMemAllocFromPoolAsync(&p, 64, closed, s));
  OK(cuStreamSynchronize(s));
  if (SOFT) {
    size_t before = free_memory();
    CUdeviceptr q;
    OK(cuMemAllocFromPoolAsync(&q, 1 << 20, closed, s));
    EQ(free_memory(), before); /* the device has no less */
    IS(2, cuMemAllocFromPoolAsync(&q, SIZE_MAX, closed, s));
    IS(2, cuMemAllocFromPoolAsync(&q, (size_t)1 << 40, closed, s));
    FAULT(700, launch_read(p, s), cuStreamSynchronize(s)); /* no device was given access */
    OK(control("reset"));
    EQ(stat_of("pool_reserved "), 0);
  }
}

/* Pools of managed memory, which everybody uses, and is advised about. */
static void pool_of_managed(void) {
  static const CUmemLocationType places[] = {CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST,
                                             CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_NONE};
  CUmemoryPool standard[4];
  CUdeviceptr p, q;
  CUstream s;
  unsigned type, managed;
  int read_mostly;
  start_module();
  OK(cuStreamCreate(&s, 0));
  CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev};
  for (int i = 0; i < 4; i++) {
    CUmemLocation where = {.type = places[i], .id = places[i] == CU_MEM_LOCATION_TYPE_DEVICE ? dev : 0};
    CUmemoryPool pool = pool_at(CU_MEM_ALLOCATION_TYPE_MANAGED, places[i]);
    OK(cuMemAllocFromPoolAsync(&p, 4096, pool, s));
    OK(cuStreamSynchronize(s));
    unsigned *host = (unsigned *)(uintptr_t)p;
    for (unsigned k = 0; k < 1024; k++) host[k] = k;
    OK(launch_add(p, 1024, 3, s));
    OK(cuStreamSynchronize(s));
    EQ(host[1023], 1026);
    OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    EQ(managed, 1);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    EQ(type, CU_MEMORYTYPE_DEVICE);
    OK(cuMemAdvise_v2(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    OK(cuMemRangeGetAttribute(&read_mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 4096));
    EQ(read_mostly, 1);
    OK(cuMemPrefetchAsync_v2(p, 4096, here, 0, s));
    OK(cuMemFreeAsync(p, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemAllocFromPoolAsync(&q, 4096, pool, s));
    OK(cuStreamSynchronize(s));
    if (SOFT) { /* the same block, of which nothing was said yet */
      OK(cuMemRangeGetAttribute(&read_mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, q, 4096));
      EQ(read_mostly, 0);
    }
    OK(cuMemFree(q));
    OK(cuMemGetDefaultMemPool(&standard[i], &where, CU_MEM_ALLOCATION_TYPE_MANAGED));
    for (int k = 0; k < i; k++) TRUE(standard[k] != standard[i]);
    OK(cuMemPoolDestroy(pool));
  }
}

/* What is kept, what goes back, and that the device's free memory says so. */
static void pool_threshold(void) {
  enum { MIB = 1 << 20 };
  CUmemoryPool pool;
  CUdeviceptr p[4];
  CUstream s;
  cuuint64_t zero = 0;
  start();
  OK(cuStreamCreate(&s, 0));
  pool = new_pool();
  size_t at_first = free_memory();
  set_threshold(pool, UINT64_MAX);
  for (int i = 0; i < 4; i++) OK(cuMemAllocFromPoolAsync(&p[i], 4 * MIB, pool, s));
  TRUE(USED(pool) >= 16 * MIB);
  uint64_t reserved = RESERVED(pool);
  TRUE(reserved >= USED(pool));
  TRUE(at_first - free_memory() >= 16 * MIB);
  if (SOFT) EQ(at_first - free_memory(), reserved);
  for (int i = 0; i < 4; i++) OK(cuMemFreeAsync(p[i], s));
  OK(cuStreamSynchronize(s));
  EQ(USED(pool), 0);
  EQ(RESERVED(pool), reserved); /* kept */
  TRUE(at_first - free_memory() >= 16 * MIB);
  TRUE(USED_HIGH(pool) >= 16 * MIB);
  EQ(RESERVED_HIGH(pool), reserved);

  CUdeviceptr again;
  OK(cuMemAllocFromPoolAsync(&again, 4 * MIB, pool, s));
  bool known = again == p[0] || again == p[1] || again == p[2] || again == p[3];
  TRUE(!SOFT || known);
  EQ(RESERVED(pool), reserved); /* nothing new */
  OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
  OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero));
  TRUE(USED_HIGH(pool) <= USED(pool));
  OK(cuMemFreeAsync(again, s));
  OK(cuStreamSynchronize(s));

  OK(cuMemPoolTrimTo(pool, (size_t)1 << 40));
  EQ(RESERVED(pool), reserved);
  OK(cuMemPoolTrimTo(pool, 8 * MIB));
  TRUE(RESERVED(pool) >= 8 * MIB && RESERVED(pool) <= reserved);
  if (SOFT) EQ(RESERVED(pool), 8 * MIB);
  OK(cuMemPoolTrimTo(pool, 0));
  EQ(RESERVED(pool), 0);
  if (SOFT) EQ(free_memory(), at_first);

  /* A lower threshold takes effect at the next synchronising call, and no earlier. */
  OK(cuMemAllocFromPoolAsync(&p[0], 4 * MIB, pool, s));
  OK(cuMemAllocFromPoolAsync(&p[1], 4 * MIB, pool, s));
  OK(cuMemFreeAsync(p[0], s));
  OK(cuMemFreeAsync(p[1], s));
  OK(cuStreamSynchronize(s));
  reserved = RESERVED(pool);
  TRUE(reserved >= 8 * MIB);
  set_threshold(pool, 0);
  EQ(RESERVED(pool), reserved);
  OK(cuCtxSynchronize());
  EQ(RESERVED(pool), 0);

  CUevent e;
  OK(cuEventCreate(&e, 0));
  OK(cuMemAllocFromPoolAsync(&p[0], 4 * MIB, pool, s));
  OK(cuMemFreeAsync(p[0], s));
  OK(cuEventRecord(e, s));
  OK(cuEventSynchronize(e));
  EQ(RESERVED(pool), 0);
  OK(cuMemPoolDestroy(pool));
}

static void sleep_a_while(void *data) {
  (void)data;
  struct timespec t = {0, 30000000};
  nanosleep(&t, NULL);
}

/* Freed memory goes to the same stream at once, to another one when the free is done. */
static void pool_order(void) {
  CUmemoryPool pool;
  CUdeviceptr p, q, r;
  CUstream s, t;
  start_module();
  pool = new_pool();
  set_threshold(pool, UINT64_MAX);
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuMemAllocFromPoolAsync(&p, 1 << 20, pool, s));
  OK(cuMemsetD8Async(p, 0, 1 << 20, s));
  OK(cuLaunchHostFunc(s, sleep_a_while, NULL));
  OK(launch_add(p, 1 << 18, 1, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuMemAllocFromPoolAsync(&q, 1 << 20, pool, s));
  TRUE(!SOFT || q == p);
  OK(launch_add(q, 1 << 18, 2, s)); /* after the first kernel, and on the same bytes */
  OK(cuMemFreeAsync(q, s));
  OK(cuMemAllocFromPoolAsync(&r, 1 << 20, pool, t));
  if (SOFT) TRUE(getenv("CUDALUA_SOFT_STREAMS") || r != q); /* the free has not run */
  OK(cuMemsetD8Async(r, 9, 1 << 20, t));
  OK(cuStreamSynchronize(t));
  OK(cuStreamSynchronize(s));
  EQ(word_at(r), 0x09090909);
  OK(cuMemFreeAsync(r, t));
  OK(cuStreamSynchronize(t));
  OK(cuMemAllocFromPoolAsync(&p, 1 << 20, pool, s));
  TRUE(!SOFT || p == r || p == q);
  OK(cuMemFreeAsync(p, s));

  /* The legacy stream waits for what is in the others, and so does what is freed in it. */
  CUstream blocking;
  OK(cuStreamCreate(&blocking, 0));
  OK(cuMemAllocFromPoolAsync(&p, 4096, pool, NULL));
  OK(cuMemsetD8Async(p, 3, 4096, NULL));
  OK(launch_add(p, 1024, 1, blocking));
  OK(cuMemFreeAsync(p, NULL));
  OK(cuMemAllocFromPoolAsync(&q, 4096, pool, t));
  if (deferred()) TRUE(q != p);
  OK(cuMemFreeAsync(q, t));
  OK(cuCtxSynchronize());

  /* Many frees behind one piece of work. */
  OK(cuLaunchHostFunc(s, sleep_a_while, NULL));
  CUdeviceptr first = 0;
  bool same = true;
  for (int i = 0; i < 10000; i++) {
    OK(cuMemAllocFromPoolAsync(&p, 100000, pool, s));
    if (!first) first = p;
    same = same && p == first;
    OK(cuMemFreeAsync(p, s));
  }
  TRUE(!SOFT || same);
  OK(cuStreamDestroy(s));
  OK(cuStreamDestroy(t));
  OK(cuCtxSynchronize());
  EQ(USED(pool), 0);
  OK(cuMemPoolTrimTo(pool, 0));
  if (SOFT) EQ(RESERVED(pool), 0);
  OK(cuMemPoolDestroy(pool));
}

/* What the frees behind queued work wait for, step by step: a query runs one operation. */
static void pool_waits(void) {
  enum { N = 4096 };
  CUmemoryPool pool;
  CUdeviceptr p, q, r, out;
  CUstream s, t, blocking;
  CUevent e;
  if (!deferred()) return;
  start_module();
  pool = new_pool();
  set_threshold(pool, UINT64_MAX);
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&blocking, 0));
  OK(cuEventCreate(&e, 0));
  OK(cuMemAlloc(&out, 2 * N));

  /* Freed, had again and freed: the first free says nothing about the second. */
  OK(cuMemAllocFromPoolAsync(&p, N, pool, s));
  OK(cuMemsetD8Async(p, 5, N, s));
  OK(cuStreamSynchronize(s));
  OK(cuMemcpyDtoDAsync(out, p, N, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuMemAllocFromPoolAsync(&q, N, pool, s));
  EQ(q, p);
  OK(cuEventRecord(e, s));
  OK(launch_add(q, N / 4, 1, s));
  OK(cuMemcpyDtoDAsync(out + N, q, N, s));
  OK(cuMemFreeAsync(q, s));
  OK(cuEventSynchronize(e)); /* the first free is done */
  OK(cuMemAllocFromPoolAsync(&r, N, pool, t));
  TRUE(r != q);
  OK(cuMemsetD8Async(r, 9, N, t));
  OK(cuStreamSynchronize(t));
  OK(cuStreamSynchronize(s));
  EQ(word_at(out + N - 4), 0x05050505); /* nobody touched it in between */
  EQ(word_at(out + 2 * N - 4), 0x05050506);
  OK(cuMemFreeAsync(r, t));
  OK(cuStreamSynchronize(t));
  OK(cuMemPoolTrimTo(pool, 0));

  /* A shorter one has to wait, for the sake of the work that is queued for the longer one. */
  OK(cuMemAllocFromPoolAsync(&p, N, pool, s));
  OK(cuMemsetD8Async(p, 5, N, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuMemAllocFromPoolAsync(&q, N - 100, pool, s));
  TRUE(q != p);
  OK(cuMemFreeAsync(q, s));
  OK(cuStreamSynchronize(s));

  /* A free in the legacy stream comes after what was put into a blocking one since the free before. */
  OK(cuMemAllocFromPoolAsync(&p, 10 * N, pool, NULL));
  OK(cuMemAllocFromPoolAsync(&q, 20 * N, pool, NULL));
  OK(cuMemsetD8Async(p, 0, N, NULL));
  OK(cuMemFreeAsync(p, NULL));
  OK(launch_add(q, N, 1, blocking));
  OK(cuMemFreeAsync(q, NULL));
  IS(600, cuStreamQuery(NULL)); /* the fill */
  IS(600, cuStreamQuery(NULL)); /* the first free */
  OK(cuMemAllocFromPoolAsync(&r, 10 * N, pool, t));
  EQ(r, p);
  OK(cuMemFreeAsync(r, t));
  OK(cuMemAllocFromPoolAsync(&r, 20 * N, pool, t));
  TRUE(r != q);
  OK(cuMemFreeAsync(r, t));
  OK(cuCtxSynchronize());

  /* A pool that is destroyed while its frees wait. */
  OK(cuMemAllocFromPoolAsync(&p, N, pool, s));
  OK(cuMemsetD8Async(p, 5, N, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuMemPoolDestroy(pool));
  TRUE(stat_of("pool_reserved ") > 0);
  OK(cuStreamSynchronize(s));
  EQ(stat_of("pool_reserved "), 0);
}

/* Sizes that keep changing and never a wait: memory stays bounded all the same. */
static void pool_no_wait(void) {
  CUdeviceptr p;
  CUstream s;
  CUmemoryPool pool;
  start_module();
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  OK(cuStreamCreate(&s, 0));
  for (unsigned i = 0; i < 2000; i++) {
    size_t n = (5u << 20) + (i * 7919u % 1000u) * 5000u;
    OK(cuMemAllocAsync(&p, n, s));
    OK(launch_add(p, 100, 1, s));
    OK(cuMemFreeAsync(p, s));
  }
  TRUE(RESERVED(pool) < (size_t)1 << 30);
  OK(cuStreamSynchronize(s));
  EQ(USED(pool), 0);
}

/* Blocks of many sizes, all freed and had again in another order: none overlaps another. */
static void pool_sizes(void) {
  enum { N = 300 };
  static CUdeviceptr p[N];
  CUmemoryPool pool;
  start();
  pool = new_pool();
  set_threshold(pool, UINT64_MAX);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) {
      int k = (i * (round ? 7 : 11)) % N;
      OK(cuMemAllocFromPoolAsync(&p[k], (size_t)(k + 1) * 4000, pool, NULL));
      OK(cuMemsetD32Async(p[k], (unsigned)(k + round), (size_t)(k + 1) * 1000, NULL));
    }
    for (int k = 0; k < N; k++) {
      EQ(word_at(p[k]), k + round);
      EQ(word_at(p[k] + (size_t)k * 4000 + 3996), k + round);
    }
    for (int k = 0; k < N; k++) OK(cuMemFreeAsync(p[k], NULL));
    OK(cuCtxSynchronize());
  }
  OK(cuMemPoolDestroy(pool));
}

/* A long random program over several streams: what a kernel wrote is what is read back. */
static void pool_random(void) {
  enum { STREAMS = 4, LIVE = 24, STEPS = 4000 };
  struct {
    CUdeviceptr p;
    unsigned words, value;
    int stream;
  } live[LIVE] = {0};
  CUstream s[STREAMS];
  CUmemoryPool pool;
  uint32_t random = 2463534242u;
  start_module();
  pool = new_pool();
  set_threshold(pool, 1 << 20);
  for (int i = 0; i < STREAMS; i++) OK(cuStreamCreate(&s[i], i % 2 ? CU_STREAM_NON_BLOCKING : 0));
  for (int i = 0; i < STEPS; i++) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    int k = (int)(random % LIVE);
    if (!live[k].p) {
      live[k].words = 1 + (random >> 8) % 3000;
      live[k].stream = (int)((random >> 5) % STREAMS);
      live[k].value = random;
      CUstream t = s[live[k].stream];
      OK(cuMemAllocFromPoolAsync(&live[k].p, live[k].words * 4, pool, t));
      OK(cuMemsetD32Async(live[k].p, random, live[k].words, t));
    } else if (random >> 30 == 0) {
      OK(launch_add(live[k].p, live[k].words, 1, s[live[k].stream]));
      live[k].value++;
    } else if (random >> 28 == 15) {
      OK(cuStreamSynchronize(s[live[k].stream]));
    } else {
      CUstream t = s[live[k].stream];
      unsigned last = 0;
      if (random >> 27 & 1) {
        OK(cuStreamSynchronize(t));
        OK(cuMemcpyDtoH(&last, live[k].p + (live[k].words - 1) * 4, 4));
        EQ(last, live[k].value);
      }
      OK(cuMemFreeAsync(live[k].p, t));
      live[k].p = 0;
    }
  }
  for (int k = 0; k < LIVE; k++) {
    if (!live[k].p) continue;
    OK(cuStreamSynchronize(s[live[k].stream]));
    EQ(word_at(live[k].p), live[k].value);
    OK(cuMemFreeAsync(live[k].p, s[live[k].stream]));
  }
  OK(cuCtxSynchronize());
  EQ(USED(pool), 0);
  OK(cuMemPoolDestroy(pool));
}

static void pool_limits(void) {
  CUmemoryPool pool, other;
  CUdeviceptr p, q, r;
  CUstream s;
  size_t total, room;
  OK(control("memory 64M"));
  start();
  OK(cuStreamCreate(&s, 0));
  OK(cuMemGetInfo(&room, &total));
  EQ(total, 64 << 20);
  EQ(room, total);
  pool = new_pool();
  set_threshold(pool, UINT64_MAX);

  /* All of it, to the byte; what a pool only keeps is given to who needs it. */
  OK(cuMemAllocFromPoolAsync(&p, 64 << 20, pool, s));
  EQ(free_memory(), 0);
  IS(2, cuMemAllocAsync(&q, 1, s));
  IS(2, cuMemAlloc(&q, 1));
  OK(cuMemFreeAsync(p, s));
  EQ(free_memory(), 0);
  OK(cuMemAlloc(&q, 64 << 20));
  EQ(RESERVED(pool), 0);
  IS(2, cuMemAllocFromPoolAsync(&p, 1, pool, s));
  OK(cuMemFree(q));
  EQ(free_memory(), total);

  /* A free that is only queued counts for who would go without. */
  OK(cuMemAllocFromPoolAsync(&p, 40 << 20, pool, s));
  OK(cuMemsetD8Async(p, 0, 40 << 20, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuMemAllocAsync(&q, 50 << 20, s));
  OK(cuMemFreeAsync(q, s));
  OK(cuStreamSynchronize(s));
  IS(2, cuMemAlloc(&q, (64 << 20) + 1));

  /* Nothing is lost between many sizes. */
  CUdeviceptr many[100];
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 100; i++)
      OK(cuMemAllocAsync(&many[i], (size_t)(1 + (i * 37 + round * 101) % 1000) * 300, s));
    for (int i = 0; i < 100; i++) OK(cuMemFreeAsync(many[(i * 7) % 100], s));
  }
  OK(cuStreamSynchronize(s));
  EQ(free_memory(), total);

  /* What has to be kept is never gone below. */
  static const size_t mib[3] = {4, 4, 3};
  for (int i = 0; i < 3; i++) OK(cuMemAllocFromPoolAsync(&many[i], mib[i] << 20, pool, s));
  for (int i = 0; i < 3; i++) OK(cuMemFreeAsync(many[i], s));
  OK(cuStreamSynchronize(s));
  EQ(RESERVED(pool), 11 << 20);
  OK(cuMemPoolTrimTo(pool, 5 << 20));
  EQ(RESERVED(pool), 7 << 20);
  OK(cuMemPoolTrimTo(pool, 0));
  EQ(RESERVED(pool), 0);

  /* A pool with a size of its own. */
  CUmemPoolProps props = props_of(dev);
  props.maxSize = 8 << 20;
  OK(cuMemPoolCreate(&other, &props));
  set_threshold(other, UINT64_MAX);
  OK(cuMemAllocFromPoolAsync(&p, 5 << 20, other, s));
  IS(2, cuMemAllocFromPoolAsync(&q, 4 << 20, other, s));
  OK(cuMemAllocFromPoolAsync(&q, 3 << 20, other, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuStreamSynchronize(s));
  OK(cuMemAllocFromPoolAsync(&r, 4 << 20, other, s)); /* in the place of what it kept */
  OK(cuMemFreeAsync(q, s));
  OK(cuMemFreeAsync(r, s));
  OK(cuMemPoolDestroy(other));
  OK(cuStreamSynchronize(s));
  EQ(stat_of("live_pools "), 1);
  OK(cuMemPoolDestroy(pool));

  /* Many small ones: red zones between them take no memory away. */
  enum { SMALL = 4096 };
  static CUdeviceptr small[SMALL];
  for (int i = 0; i < SMALL; i++) OK(cuMemAlloc(&small[i], 16 << 10));
  EQ(free_memory(), 0);
  for (int i = 0; i < SMALL; i++) OK(cuMemFree(small[(i * 1237) % SMALL]));
  EQ(free_memory(), total);
  OK(cuMemAlloc(&p, 64 << 20));
  OK(cuMemFree(p));
}

/* While a stream is captured: what would be in the way of it, and what is not. */
static void pool_captures(void) {
  CUmemoryPool pool, other;
  CUdeviceptr p, q;
  CUstream s, t;
  CUgraph g;
  size_t n;
  start();
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  pool = new_pool();
  other = new_pool();
  for (int i = 0; i < 5; i++) {
    OK(cuMemAllocAsync(&p, 64, t));
    OK(cuStreamSynchronize(t));
    OK(cuStreamBeginCapture(s, i == 4 ? CU_STREAM_CAPTURE_MODE_RELAXED : CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemGetInfo(&n, &n));
    CUresult expected = i == 4 ? 0 : 900;
    if (i == 0 || i == 4)
      IS(expected, cuMemAllocAsync(&q, 64, t)); /* in another stream than the captured one */
    if (i == 1 || i == 4) IS(expected, cuMemFreeAsync(p, t));
    if (i == 2) IS(expected, cuMemPoolTrimTo(pool, 0));
    if (i == 3) IS(expected, cuMemPoolDestroy(other));
    IS(i == 4 ? 0 : 901, cuStreamEndCapture(s, &g));
  }
  OK(cuMemPoolDestroy(other));
  OK(cuStreamSynchronize(t));
}

/* Memory of pools is the device's, not a context's. */
static void pool_contexts(void) {
  CUmemoryPool pool;
  CUdeviceptr p, q;
  CUstream s;
  CUcontext second;
  start();
  OK(cuStreamCreate(&s, 0));
  pool = new_pool();
  OK(cuMemAllocFromPoolAsync(&p, 4096, pool, s));
  OK(cuMemsetD8Async(p, 5, 4096, s));
  OK(cuMemAllocFromPoolAsync(&q, 4096, pool, s));
  OK(cuMemFreeAsync(q, s));
  CUcontext owner = ctx;
  OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
  TRUE(owner == NULL);
  OK(cuCtxDestroy(ctx));
  OK(cuCtxCreate(&second, NULL, 0, dev));
  EQ(word_at(p + 4092), 0x05050505);
  TRUE(USED(pool) >= 4096 && USED(pool) < 8192);
  OK(cuMemFree(p));
  OK(cuCtxSynchronize());
  if (SOFT) EQ(USED(pool), 0); /* measured: a GPU still counts it */
  OK(cuMemPoolDestroy(pool));
  if (SOFT) {
    EQ(stat_of("live_allocs "), 0);
    pool = new_pool();
    OK(cuMemAllocFromPoolAsync(&p, 4096, pool, NULL));
    OK(control("leaks"));
    TRUE(strstr(reply, "pool_memory 0x") != NULL);
    TRUE(strstr(reply, "\npool 0x") != NULL);
    OK(control("reset"));
    EQ(stat_of("live_pools "), 0);
    EQ(stat_of("live_allocs "), 0);
    EQ(stat_of("pool_reserved "), 0);
    IS(3, cuMemPoolDestroy(pool));
    start();
    EQ(free_memory(), free_memory());
    OK(cuMemAllocAsync(&p, 100, NULL));
  }
}

/* Use of memory after it was freed in stream order is found out, use before is not. */
static void pool_misuse(void) {
  CUdeviceptr p, q;
  CUstream s, t;
  start_module();
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuMemAllocAsync(&p, 4096, s));
  OK(cuMemsetD8Async(p, 0, 4096, s));
  OK(launch_add(p, 1024, 1, s));
  OK(cuMemcpyDtoDAsync(p, p + 2048, 2048, s));
  OK(cuMemFreeAsync(p, s));
  OK(cuStreamSynchronize(s)); /* all before the free */
  OK(cuMemAllocAsync(&q, 4096, s));
  OK(cuMemFreeAsync(q, s));
  FAULT(700, launch_read(q, t), cuStreamSynchronize(t));
  OK(control("report"));
  TRUE(strstr(reply, "the memory was freed") != NULL);
  IS(700, cuMemFreeAsync(p, s));
  IS(700, cuMemAllocAsync(&p, 100, s));
  CUmemoryPool pool;
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  OK(control("reset"));
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pool_speed(void) {
  enum { N = 100000 };
  CUmemoryPool pool;
  CUdeviceptr p;
  start();
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  set_threshold(pool, UINT64_MAX);
  bool good = true;
  double t0 = now();
  for (int i = 0; i < N; i++)
    good =
        good && cuMemAllocAsync(&p, 4 << 20, NULL) == CUDA_SUCCESS && cuMemFreeAsync(p, NULL) == CUDA_SUCCESS;
  double pair = (now() - t0) / N;
  TRUE(good);
  TRUE(pair < 20e-6);
  if (getenv("MEMORY_TEST_SPEED")) printf("alloc and free through a pool: %.3f us\n", pair * 1e6);
}

/* --- host memory --- */

static void registered(void) {
  enum { N = 3 * 4096 + 100 };
  CUdeviceptr d, p;
  CUstream s;
  unsigned flags;
  size_t size;
  start_module();
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  unsigned char *m = aligned_alloc(4096, 4 * 4096);
  if (!m) exit(1);
  memset(m, 1, 4 * 4096);
  OK(cuMemAlloc(&d, N));

  IS(1, cuMemHostRegister(NULL, N, 0));
  IS(1, cuMemHostRegister(m, 0, 0));
  IS(1, cuMemHostRegister(m, N, 0x100));
  IS(1, cuMemHostGetDevicePointer(&p, m, 0)); /* not yet */
  IS(713, cuMemHostUnregister(m));
  OK(cuMemHostRegister(m, N, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
  IS(712, cuMemHostRegister(m, N, 0));
  IS(712, cuMemHostRegister(m + 4096, 100, 0));
  OK(cuMemHostGetDevicePointer(&p, m, 0));
  TRUE(p == (uintptr_t)m);
  OK(cuMemHostGetDevicePointer(&p, m + 10, 0));
  TRUE(p == (uintptr_t)m + 10);
  OK(cuMemHostGetFlags(&flags, m));
  EQ(flags, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  if (SOFT) {
    OK(cuMemGetAddressRange(&p, &size, (uintptr_t)m + 17));
    TRUE(p == (uintptr_t)m);
    EQ(size, N);
    EQ(stat_of("live_registered "), 1);
  }

  /* Page-locked: an asynchronous copy reads it when it runs. */
  OK(cuLaunchHostFunc(s, sleep_a_while, NULL));
  OK(cuMemcpyHtoDAsync(d, m, N, s));
  memset(m, 2, N);
  OK(cuStreamSynchronize(s));
  if (!eager()) EQ(word_at(d), 0x02020202);
  if (SOFT) IS(1, cuMemcpyHtoDAsync(d, m + 4096, N, s)); /* reaches past the end of what is registered */

  /* A kernel works on it in place. */
  OK(launch_add((uintptr_t)m, N / 4, 3, s));
  OK(cuStreamSynchronize(s));
  unsigned word;
  memcpy(&word, m + (N / 4 - 1) * 4, 4);
  EQ(word, 0x02020205);
  EQ(m[N], 1);

  IS(1, cuMemFreeHost(m));
  IS(1, cuMemFree((uintptr_t)m));
  IS(1, cuMemHostUnregister(m + 4096));
  OK(cuMemHostUnregister(m));
  IS(713, cuMemHostUnregister(m));
  IS(1, cuMemHostGetDevicePointer(&p, m, 0));

  /* Any address and size will do. */
  OK(cuMemHostRegister(m + 3, 1000, 0));
  OK(cuMemHostGetFlags(&flags, m + 3));
  EQ(flags, CU_MEMHOSTREGISTER_DEVICEMAP);
  OK(cuMemHostGetDevicePointer(&p, m + 500, 0));
  TRUE(p == (uintptr_t)m + 500);
  OK(cuMemcpyHtoDAsync(d, m + 3, 1000, s));
  OK(cuMemHostUnregister(m + 3)); /* waits for the copy */
  OK(cuStreamSynchronize(s));

  /* Memory of the driver's own, and none at all. */
  void *pinned;
  OK(cuMemHostAlloc(&pinned, 4096, 0));
  IS(1, cuMemHostRegister(pinned, 100, 0));
  IS(1, cuMemHostUnregister(pinned));
  OK(cuMemFreeHost(pinned));
  char *gone = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, 1 << 16);
  IS(1, cuMemHostRegister(gone, 100, 0));
  IS(1, cuMemHostRegister((void *)d, 100, 0));
  IS(1, cuMemHostRegister(m, SIZE_MAX, 0));
  IS(1, cuMemHostRegister(m, 4096, CU_MEMHOSTREGISTER_IOMEMORY));
  if (SOFT) {
    IS(1, cuMemHostRegister(m, SIZE_MAX / 2, 0));
    IS(1, cuMemHostRegister((void *)8, 8, 0));
  }

  /* It goes with its context. */
  OK(cuMemHostRegister(m, N, 0));
  OK(cuCtxDestroy(ctx));
  if (SOFT) EQ(stat_of("live_registered "), 0);
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuMemHostRegister(m, N, 0));
  OK(cuMemHostUnregister(m));
  free(m);
}

static void registered_faults(void) {
  CUdeviceptr p;
  char *page = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  start_module();
  mprotect(page, 4096, PROT_READ);
  IS(1, cuMemHostRegister(page, 4096, 0));
  OK(cuMemHostRegister(page, 4096, CU_MEMHOSTREGISTER_READ_ONLY));
  OK(cuMemHostGetDevicePointer(&p, page, 0));
  OK(launch_read(p + 4092, NULL));
  OK(cuCtxSynchronize());
  FAULT(700, launch_add(p, 1, 1, NULL), cuCtxSynchronize());
  OK(control("report"));
  TRUE(strstr(reply, "read-only") != NULL);
  OK(control("reset"));

  start_module();
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  OK(cuMemHostRegister(page, 4000, 0));
  OK(launch_add((uintptr_t)page, 1000, 1, NULL));
  OK(cuCtxSynchronize());
  FAULT(700, launch_read((uintptr_t)page + 4000, NULL), cuCtxSynchronize()); /* one past the end */
  OK(control("reset"));

  start_module();
  OK(cuMemHostRegister(page, 4096, 0));
  OK(cuMemHostUnregister(page));
  FAULT(700, launch_read((uintptr_t)page, NULL), cuCtxSynchronize());
  munmap(page, 2 * 4096);
}

static void host_flags(void) {
  static const unsigned all[] = {0, CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP,
                                 CU_MEMHOSTALLOC_WRITECOMBINED, 7};
  CUdeviceptr p;
  unsigned flags;
  void *m;
  start();
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    OK(cuMemHostAlloc(&m, 5000, all[i]));
    OK(cuMemHostGetFlags(&flags, m));
    TRUE((flags & all[i]) == all[i] && (flags & CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetFlags(&flags, (char *)m + 4999));
    OK(cuMemHostGetDevicePointer(&p, m, 0));
    TRUE(p != 0);
    CUdeviceptr none = 5;
    IS(1, cuMemHostGetDevicePointer(&none, m, 1));
    EQ(none, 0);
    memset(m, 1, 5000);
    OK(cuMemsetD8(p, 2, 5000));
    OK(cuCtxSynchronize());
    EQ(((char *)m)[4999], 2);
    OK(cuMemFreeHost(m));
    IS(1, cuMemHostGetFlags(&flags, m));
  }
  IS(1, cuMemHostAlloc(&m, 5000, 8));
  IS(1, cuMemHostAlloc(NULL, 5000, 0));
  OK(cuMemHostAlloc(&m, 0, 0)); /* unlike cuMemAlloc */
  IS(1, cuMemHostGetFlags(&flags, NULL));
  if (SOFT) IS(2, cuMemHostAlloc(&m, (size_t)1 << 45, 0));
}

/* --- managed memory --- */

static int range_word(CUmem_range_attribute a, CUdeviceptr p, size_t n) {
  int v = 12345;
  OK(cuMemRangeGetAttribute(&v, 4, a, p, n));
  return v;
}

static void managed(void) {
  enum { PAGE = 4096, N = 16 * PAGE };
  CUdeviceptr p, d;
  CUstream s;
  int concurrent = 0;
  start_module();
  OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, dev));
  OK(cuStreamCreate(&s, 0));
  OK(cuMemAllocManaged(&p, N, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAlloc(&d, N));
  unsigned *host = (unsigned *)p;
  for (int i = 0; i < N / 4; i++) host[i] = 10;
  OK(launch_add(p, N / 4, 1, s));
  OK(cuStreamSynchronize(s));
  EQ(host[N / 4 - 1], 11);

  OK(cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE));
  OK(cuStreamAttachMemAsync(s, p, N, CU_MEM_ATTACH_HOST));
  OK(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_GLOBAL));
  FAILS(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_SINGLE));
  FAILS(cuStreamAttachMemAsync(s, p, N - 1, CU_MEM_ATTACH_GLOBAL));
  FAILS(cuStreamAttachMemAsync(s, p, 0, 8));
  FAILS(cuStreamAttachMemAsync(s, d, 0, CU_MEM_ATTACH_GLOBAL));
  /* A managed variable is its module's. */
  CUdeviceptr variable;
  size_t size;
  OK(cuModuleGetGlobal(&variable, &size, mod, "shared_word"));
  EQ(size, 4);
  EQ(*(unsigned *)variable, 41);
  FAILS(cuMemFree(variable));
  FAILS(cuMemFreeAsync(variable, s));
  if (SOFT) EQ(stat_of("live_allocs "), 2);
  if (!concurrent) return;

  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N), 0);
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, N), CU_DEVICE_INVALID);
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, N), CU_DEVICE_INVALID);
  OK(cuMemAdvise(p, N, CU_MEM_ADVISE_SET_READ_MOSTLY, dev));
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N), 1);
  OK(cuMemAdvise(p + PAGE, 1, CU_MEM_ADVISE_UNSET_READ_MOSTLY, dev));
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N), 0);
  if (SOFT) { /* a GPU's pages may be larger */
    EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, PAGE), 1);
    EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, PAGE + 1), 0);
    EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + 2 * PAGE, N - 2 * PAGE), 1);
  }
  OK(cuMemAdvise(p, N, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, N), CU_DEVICE_CPU);
  OK(cuMemAdvise(p, N, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, dev));
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, N), CU_DEVICE_INVALID);
  OK(cuMemAdvise(p, N, CU_MEM_ADVISE_SET_ACCESSED_BY, dev));
  OK(cuMemAdvise(p, N, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
  int list[4] = {0};
  OK(cuMemRangeGetAttribute(list, sizeof list, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, N));
  TRUE((list[0] == dev && list[1] == CU_DEVICE_CPU) || (list[0] == CU_DEVICE_CPU && list[1] == dev));
  EQ(list[2], CU_DEVICE_INVALID);
  OK(cuMemAdvise(p + N / 2, N / 2, CU_MEM_ADVISE_UNSET_ACCESSED_BY, dev));
  OK(cuMemRangeGetAttribute(list, 4, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, N));
  EQ(list[0], CU_DEVICE_CPU);

  OK(cuMemPrefetchAsync(p, N, dev, s));
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, N), dev);
  OK(cuMemPrefetchAsync(p, N, CU_DEVICE_CPU, s));
  EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, N), CU_DEVICE_CPU);
  OK(cuStreamSynchronize(s));
  EQ(host[0], 11);

  IS(1, cuMemAdvise(d, N, CU_MEM_ADVISE_SET_READ_MOSTLY, dev));
  IS(1, cuMemAdvise(p, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, dev));
  IS(1, cuMemAdvise(p, N, (CUmem_advise)99, dev));
  IS(101, cuMemAdvise(p, N, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 99));
  IS(1, cuMemPrefetchAsync(d, N, dev, s));
  IS(101, cuMemPrefetchAsync(p, N, 99, s));
  int v;
  IS(1, cuMemRangeGetAttribute(&v, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N));
  IS(1, cuMemRangeGetAttribute(NULL, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N));
  IS(1, cuMemRangeGetAttribute(&v, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, d, N));
  IS(1, cuMemRangeGetAttribute(list, 6, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, N));

  int version = 0;
  OK(cuDriverGetVersion(&version));
  if (version >= 12020) { /* places by type */
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev},
                  cpu = {.type = CU_MEM_LOCATION_TYPE_HOST};
    OK(cuMemAdvise_v2(p, N, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, N), CU_MEM_LOCATION_TYPE_DEVICE);
    EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, p, N), dev);
    OK(cuMemPrefetchAsync_v2(p, N, cpu, 0, s));
    EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, p, N), CU_MEM_LOCATION_TYPE_HOST);
    FAILS(cuMemPrefetchAsync_v2(p, N, cpu, 1, s));
    int two[2];
    void *data[2] = {&two[0], &two[1]};
    size_t sizes[2] = {4, 4};
    CUmem_range_attribute which[2] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                      CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID};
    OK(cuMemRangeGetAttributes(data, sizes, which, 2, p, N));
    EQ(two[0], 0);
    EQ(two[1], dev);
    IS(1, cuMemRangeGetAttributes(data, sizes, which, 0, p, N));
  }
  if (SOFT) {
    IS(1, cuMemAdvise(p + 1, N, CU_MEM_ADVISE_SET_READ_MOSTLY, dev));
    IS(1, cuMemAdvise(p, SIZE_MAX, CU_MEM_ADVISE_SET_READ_MOSTLY, dev));
    /* Against a plain list of pages. */
    bool page[16] = {0};
    uint32_t random = 12345;
    OK(cuMemAdvise(p, N, CU_MEM_ADVISE_UNSET_READ_MOSTLY, dev));
    for (int i = 0; i < 3000; i++) {
      random = random * 1664525u + 1013904223u;
      unsigned lo = random >> 28, n = 1 + (random >> 20) % (16 - lo);
      bool on = random >> 12 & 1, ask = random >> 13 & 1, all = true;
      if (ask) {
        for (unsigned k = lo; k < lo + n; k++) all = all && page[k];
        EQ(range_word(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + lo * PAGE, n * PAGE), all);
      } else {
        OK(cuMemAdvise(p + lo * PAGE, n * PAGE,
                       on ? CU_MEM_ADVISE_SET_READ_MOSTLY : CU_MEM_ADVISE_UNSET_READ_MOSTLY, dev));
        for (unsigned k = lo; k < lo + n; k++) page[k] = on;
      }
    }
  }
  OK(cuMemFree(p));
  if (SOFT) IS(1, cuMemRangeGetAttribute(&v, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N));
}

/* --- what an address is --- */

typedef struct Facts {
  CUcontext context;
  unsigned type, managed, ipc;
  CUdeviceptr device_pointer, start;
  void *host_pointer;
  int ordinal;
  size_t size;
  unsigned long long id;
  CUmemoryPool pool;
} Facts;

static CUresult facts_of(CUdeviceptr p, Facts *f) {
  CUpointer_attribute which[] = {
      CU_POINTER_ATTRIBUTE_CONTEXT,        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
      CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
      CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_HOST_POINTER,   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_BUFFER_ID,
      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
  void *data[] = {&f->context,        &f->type,  &f->managed,      &f->ipc,
                  &f->device_pointer, &f->start, &f->host_pointer, &f->ordinal,
                  &f->size,           &f->id,    &f->pool};
  memset(f, 0, sizeof *f);
  return cuPointerGetAttributes(sizeof which / sizeof which[0], which, data, p);
}

static void attributes(void) {
  enum { N = 5000 };
  CUdeviceptr d, m, a;
  CUmemoryPool pool;
  Facts f;
  void *h;
  unsigned v, on = 1;
  start();
  unsigned char *mine = malloc(N);
  if (!mine) exit(1);
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  OK(cuMemAlloc(&d, N));
  OK(cuMemAllocManaged(&m, N, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocAsync(&a, N, NULL));
  OK(cuMemHostAlloc(&h, N, 0));

  OK(facts_of(d + 10, &f));
  TRUE(f.context == ctx);
  EQ(f.type, CU_MEMORYTYPE_DEVICE);
  EQ(f.managed, 0);
  TRUE(f.device_pointer == d + 10);
  TRUE(f.host_pointer == NULL);
  EQ(f.ordinal, dev);
  TRUE(f.start == d);
  if (SOFT) {
    EQ(f.size, N);
    EQ(f.ipc, 1);
  }
  TRUE(f.pool == NULL);
  unsigned long long id = f.id;
  TRUE(id != 0);

  OK(facts_of(m + 10, &f));
  TRUE(f.context == ctx);
  EQ(f.managed, 1);
  TRUE(f.device_pointer == m + 10);
  TRUE((uintptr_t)f.host_pointer == m + 10);
  TRUE(f.id != id);

  OK(facts_of(a + 10, &f));
  EQ(f.type, CU_MEMORYTYPE_DEVICE);
  EQ(f.managed, 0);
  EQ(f.ipc, 0);
  TRUE(f.pool == pool);
  TRUE(f.device_pointer == a + 10);

  OK(facts_of((uintptr_t)h + 10, &f));
  TRUE(f.context == ctx);
  EQ(f.type, CU_MEMORYTYPE_HOST);
  TRUE(f.host_pointer == (char *)h + 10);
  TRUE(f.device_pointer == (uintptr_t)h + 10);

  OK(cuMemHostRegister(mine, N, 0));
  OK(facts_of((uintptr_t)mine + 10, &f));
  TRUE(f.context == ctx);
  EQ(f.type, CU_MEMORYTYPE_HOST);
  TRUE(f.host_pointer == mine + 10);
  TRUE(f.device_pointer == (uintptr_t)mine + 10);
  OK(cuMemHostUnregister(mine));

  OK(facts_of((uintptr_t)mine, &f)); /* nothing of the driver's */
  TRUE(f.context == NULL);
  EQ(f.type, 0);
  TRUE(f.device_pointer == 0);
  EQ(f.managed, 0);
  IS(1, cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)mine));
  IS(1, cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
  IS(1, cuPointerGetAttribute(&f.host_pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, d));
  IS(1, cuPointerGetAttribute(&v, (CUpointer_attribute)99, d));
  IS(1, cuPointerGetAttribute(&v, (CUpointer_attribute)0, d));
  if (SOFT) {
    IS(1, cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    IS(1, cuPointerGetAttributes(0, NULL, NULL, d));
  }

  v = 7;
  OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
  EQ(v, 0);
  OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
  OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d + 100));
  EQ(v, 1);
  on = 0;
  OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
  OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
  EQ(v, 0);
  FAILS(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_CONTEXT, d));
  FAILS(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (uintptr_t)mine));

  /* The same address is another buffer later. */
  CUdeviceptr again;
  on = 1;
  OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
  OK(cuMemFree(d));
  OK(cuMemAlloc(&again, N));
  OK(facts_of(again, &f));
  TRUE(f.id != id);
  if (SOFT) TRUE(again == d);
  OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, again));
  EQ(v, 0);
  OK(cuMemFreeAsync(a, NULL));
  if (SOFT) {
    OK(facts_of(a, &f));
    TRUE(f.pool == NULL && f.id == 0);
  }

  OK(cuCtxPopCurrent(NULL));
  OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, m));
  FAILS(cuPointerGetAttribute(&a, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, m));
  free(mine);
}

/* --- other processes --- */

typedef struct Peer {
  pid_t pid;
  int to, from;
} Peer;

static bool send_all(int fd, const void *data, size_t n) {
  for (const char *p = data; n;) {
    ssize_t k = write(fd, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k;
    n -= (size_t)k;
  }
  return true;
}

static bool receive_all(int fd, void *data, size_t n) {
  for (char *p = data; n;) {
    ssize_t k = read(fd, p, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k;
    n -= (size_t)k;
  }
  return true;
}

#define SEND(fd, v) judge(send_all(fd, &(v), sizeof(v)), __LINE__, "the other process does not read")
#define RECEIVE(fd, v) judge(receive_all(fd, &(v), sizeof(v)), __LINE__, "the other process said nothing")

static void tell(int fd) {
  char c = '.';
  SEND(fd, c);
}

static void hear(int fd) {
  char c;
  RECEIVE(fd, c);
}

static Peer spawn(const char *role) {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) exit(1);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    char in[16], out[16];
    snprintf(in, sizeof in, "%d", down[0]);
    snprintf(out, sizeof out, "%d", up[1]);
    close(down[1]);
    close(up[0]);
    execl("/proc/self/exe", "memory_test", "--peer", role, in, out, (char *)NULL);
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  return (Peer){pid, down[1], up[0]};
}

/* Its checks have to have passed. */
static void join(Peer p) {
  int status = 1;
  close(p.to);
  close(p.from);
  waitpid(p.pid, &status, 0);
  judge(status == 0, __LINE__, "the other process failed: status %d", status);
}

static void end(Peer p) {
  kill(p.pid, SIGKILL);
  waitpid(p.pid, NULL, 0);
  close(p.to);
  close(p.from);
}

enum { SHARED = 12000, WORDS = SHARED / 4 };
#define LAZY CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS

/* Opens what it is given, checks and changes it. */
static void peer_importer(int in, int out) {
  CUipcMemHandle h;
  CUdeviceptr p, q;
  static unsigned word[WORDS];
  start_module();
  RECEIVE(in, h);
  for (int i = 0; SOFT && i < 512; i++) { /* one changed bit anywhere */
    CUipcMemHandle bad = h;
    ((unsigned char *)&bad)[i / 8] ^= (unsigned char)(1u << (i % 8));
    IS(1, cuIpcOpenMemHandle(&p, bad, LAZY));
  }
  OK(cuIpcOpenMemHandle(&p, h, LAZY));
  OK(cuIpcOpenMemHandle(&q, h, LAZY));
  TRUE(p == q);
  OK(cuIpcCloseMemHandle(q));
  OK(cuMemcpyDtoH(word, p, SHARED));
  bool good = true;
  for (unsigned i = 0; i < WORDS; i++) good = good && word[i] == 1000 + i;
  TRUE(good);
  FAILS(cuMemFree(p));
  if (SOFT) {
    CUdeviceptr base;
    size_t size;
    OK(cuMemGetAddressRange(&base, &size, p + 5000));
    TRUE(base == p);
    EQ(size, SHARED);
    IS(1, cuMemcpyDtoH(word, p, SHARED + 1));
    IS(1, cuIpcCloseMemHandle(p + 4));
    FAILS(cuIpcGetMemHandle(&h, p));
    EQ(stat_of("live_imported "), 1);
  }
  OK(launch_add(p, WORDS, 1, NULL));
  OK(cuCtxSynchronize());
  tell(out);
  hear(in); /* the other side has read and written */
  EQ(word_at(p), 77);
  OK(cuIpcCloseMemHandle(p));
  unsigned char resident;
  if (SOFT) EQ(mincore((void *)(p & ~4095ull), 1, &resident), -1);
  FAILS(cuIpcCloseMemHandle(p));
  FAILS(cuMemcpyDtoH(word, p, 4));
  OK(cuIpcOpenMemHandle(&p, h, LAZY)); /* once more */
  EQ(word_at(p + SHARED - 4), 1000 + WORDS);
  if (SOFT) { /* past the end of what was imported */
    FAULT(700, launch_read(p + SHARED, NULL), cuCtxSynchronize());
    OK(control("report"));
    TRUE(strstr(reply, "right after the end of") != NULL);
    TRUE(strstr(reply, "host pointer") == NULL);
    OK(control("reset"));
    EQ(stat_of("live_imported "), 0);
  }
}

static void fill_words(CUdeviceptr p) {
  static unsigned word[WORDS];
  for (unsigned i = 0; i < WORDS; i++) word[i] = 1000 + i;
  OK(cuMemcpyHtoD(p, word, SHARED));
}

static void ipc_memory(void) {
  CUipcMemHandle h, twice;
  CUdeviceptr p, q, pad;
  Peer peer = spawn("importer");
  start();
  OK(cuMemAlloc(&pad, 600)); /* so that it does not begin on a page of its own, and reaches into one more */
  OK(cuMemAlloc(&p, SHARED));
  fill_words(p);
  OK(cuIpcGetMemHandle(&h, p));
  OK(cuIpcGetMemHandle(&twice, p));
  EQ(memcmp(&h, &twice, sizeof h), 0);
  IS(201, cuIpcOpenMemHandle(&q, h, LAZY)); /* its own */
  SEND(peer.to, h);
  hear(peer.from);
  EQ(word_at(p), 1001);
  EQ(word_at(p + SHARED - 4), 1000 + WORDS);
  OK(cuMemsetD32(p, 77, 1));
  OK(cuCtxSynchronize());
  tell(peer.to);
  join(peer);
}

/* --- pools of other processes --- */

#define FD CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

static CUmemoryPool shared_pool(CUmemLocationType where) {
  CUmemPoolProps props = props_of(dev);
  CUmemoryPool pool = NULL;
  props.location = (CUmemLocation){.type = where, .id = where == CU_MEM_LOCATION_TYPE_DEVICE ? dev : 0};
  props.handleTypes = FD;
  OK(cuMemPoolCreate(&pool, &props));
  return pool;
}

/* Imports the pool and two blocks of it, reads and changes them. */
static void peer_pool_importer(int in, int out) {
  CUmemPoolPtrExportData data, second;
  CUmemoryPool pool, other;
  CUdeviceptr p, q, r;
  CUstream s;
  int fd;
  start_module();
  OK(cuStreamCreate(&s, 0));
  RECEIVE(in, fd);
  RECEIVE(in, data);
  RECEIVE(in, second);
  OK(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, FD, 0));
  close(fd);
  for (int i = 0; SOFT && i < 512; i++) { /* one changed bit anywhere */
    CUmemPoolPtrExportData bad = data;
    bad.reserved[i / 8] ^= (unsigned char)(1u << (i % 8));
    IS(1, cuMemPoolImportPointer(&p, pool, &bad));
  }
  OK(cuMemPoolImportPointer(&p, pool, &data));
  EQ(word_at(p), 1000);
  EQ(word_at(p + SHARED - 4), 1000 + WORDS - 1);
  OK(launch_add(p, WORDS, 1, s));
  OK(cuStreamSynchronize(s));
  OK(cuMemPoolImportPointer(&r, pool, &second));
  EQ(word_at(r), 1000);
  if (SOFT) {
    IS(1, cuMemAllocFromPoolAsync(&q, 16, pool, s)); /* nothing new comes from it */
    IS(1, cuDeviceSetMemPool(dev, pool));
    IS(1, cuMemPoolExportToShareableHandle(&fd, pool, FD, 0));
    FAILS(cuMemPoolExportPointer(&data, p));
    FAILS(cuIpcCloseMemHandle(p));
    other = shared_pool(CU_MEM_LOCATION_TYPE_DEVICE);
    IS(1, cuMemPoolImportPointer(&q, other, &data)); /* of another pool */
    OK(cuMemPoolDestroy(other));
    EQ(stat_of("live_imported "), 2);
    IS(1, cuMemFree(p + 4));
  }
  OK(cuMemPoolImportPointer(&q, pool, &data)); /* again: one call frees it */
  TRUE(q == p);
  OK(cuMemFree(q));
  FAILS(cuMemcpyDtoH(&fd, p, 4));
  IS(1, cuMemFree(p));
  IS(1, cuMemFreeAsync(p, s));
  OK(cuMemPoolImportPointer(&p, pool, &data));
  EQ(word_at(p), 1001);
  if (SOFT) {
    q = 1;
    IS(1, cuMemPoolImportPointer(&q, pool, &(CUmemPoolPtrExportData){{0}}));
    EQ(q, 0);
    q = 1;
    IS(1, cuMemAllocFromPoolAsync(&q, 16, pool, s));
    EQ(q, 0);
  }
  OK(cuMemFreeAsync(p, s));
  OK(cuStreamSynchronize(s));
  OK(cuMemPoolDestroy(pool)); /* its memory stays as long as it is open */
  EQ(word_at(r + 4), 1001);
  OK(cuMemFree(r));
  if (SOFT) EQ(stat_of("live_imported "), 0);
  FAILS(cuMemFree(r));
  tell(out);
}

static void ipc_pool(void) {
  CUmemPoolPtrExportData data, second, none;
  CUdeviceptr p, q, local;
  CUmemoryPool own = NULL;
  int fd = -1;
  start();
  CUmemoryPool pool = shared_pool(CU_MEM_LOCATION_TYPE_DEVICE);
  OK(cuMemAllocFromPoolAsync(&p, SHARED, pool, NULL));
  OK(cuMemAllocFromPoolAsync(&q, SHARED, pool, NULL));
  OK(cuCtxSynchronize());
  fill_words(p);
  fill_words(q);
  OK(cuMemPoolExportToShareableHandle(&fd, pool, FD, 0));
  TRUE(fd >= 0);
  int inherited = dup(fd); /* the other one may close with exec */
  Peer peer = spawn("pool_importer");
  close(fd);
  close(inherited);
  OK(cuMemPoolExportPointer(&data, p));
  OK(cuMemPoolExportPointer(&second, q));
  SEND(peer.to, inherited);
  SEND(peer.to, data);
  SEND(peer.to, second);
  hear(peer.from);
  EQ(word_at(p), 1001);
  EQ(word_at(p + SHARED - 4), 1000 + WORDS);
  join(peer);
  OK(cuMemAllocAsync(&local, 16, NULL)); /* of a pool that is not shared */
  FAILS(cuMemPoolExportPointer(&none, local));
  OK(cuMemFreeAsync(p, NULL));
  OK(cuMemFreeAsync(q, NULL));
  OK(cuCtxSynchronize());
  FAILS(cuMemPoolExportPointer(&none, p));
  if (SOFT) {
    OK(cuMemPoolExportToShareableHandle(&fd, pool, FD, 0));
    OK(cuMemPoolImportFromShareableHandle(&own, (void *)(intptr_t)fd, FD, 0)); /* its own */
    TRUE(own && own != pool);
    OK(cuMemAllocFromPoolAsync(&p, 16, pool, NULL));
    OK(cuMemPoolExportPointer(&data, p));
    OK(cuMemPoolImportPointer(&q, own, &data)); /* at a second address */
    TRUE(q && q != p);
    OK(cuMemsetD32(q, 77, 1));
    EQ(word_at(p), 77);
    OK(cuMemFree(q));
    EQ(word_at(p), 77);
    IS(1, cuMemAllocFromPoolAsync(&q, 16, own, NULL));
    IS(1, cuDeviceSetMemPool(dev, own));
    IS(1, cuMemPoolExportToShareableHandle(&fd, own, FD, 0));
    OK(cuMemPoolDestroy(own));
    OK(cuMemFreeAsync(p, NULL));
    close(fd);
    own = pool;
    IS(999, cuMemPoolImportFromShareableHandle(&own, (void *)(intptr_t)fd, FD, 0)); /* closed */
    TRUE(own == NULL);
    IS(999, cuMemPoolImportFromShareableHandle(&own, (void *)(intptr_t)-1, FD, 0));
    int null = open("/dev/null", O_RDWR);
    IS(999, cuMemPoolImportFromShareableHandle(&own, (void *)(intptr_t)null, FD, 0));
    close(null);
  }
  OK(cuMemPoolDestroy(pool));
}

/* What cannot be exported, and handles that are none. */
static void ipc_errors(void) {
  CUipcMemHandle h, bad;
  CUipcEventHandle eh, ebad;
  CUdeviceptr p, q, a, m;
  CUevent e, plain;
  void *host;
  start();
  OK(cuMemAlloc(&p, 4096));
  OK(cuMemAllocAsync(&a, 4096, NULL));
  OK(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemHostAlloc(&host, 4096, 0));
  IS(1, cuIpcGetMemHandle(&h, a)); /* of a pool */
  FAILS(cuIpcGetMemHandle(&h, m));
  FAILS(cuIpcGetMemHandle(&h, (uintptr_t)host));
  IS(1, cuIpcGetMemHandle(&h, 0x1234));
  OK(cuIpcGetMemHandle(&h, p));
  if (SOFT) IS(1, cuIpcGetMemHandle(NULL, p));
  FAILS(cuIpcCloseMemHandle(p));
  FAILS(cuIpcCloseMemHandle(0x1234));
  memset(&bad, 0, sizeof bad);
  FAILS(cuIpcOpenMemHandle(&q, bad, LAZY));
  memset(&bad, 0xa5, sizeof bad);
  FAILS(cuIpcOpenMemHandle(&q, bad, LAZY));
  OK(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
  FAILS(cuIpcGetEventHandle(&eh, plain));
  OK(cuIpcGetEventHandle(&eh, e));
  FAILS(cuIpcOpenEventHandle(&plain, eh)); /* its own */
  memset(&ebad, 0xa5, sizeof ebad);
  FAILS(cuIpcOpenEventHandle(&plain, ebad));
  if (!SOFT) return;
  IS(1, cuIpcOpenMemHandle(&q, h, 0));
  /* A handle of the other kind, and noise. */
  memcpy(&bad, &eh, sizeof bad);
  FAILS(cuIpcOpenMemHandle(&q, bad, LAZY));
  memcpy(&ebad, &h, sizeof ebad);
  FAILS(cuIpcOpenEventHandle(&plain, ebad));
  uint32_t random = 99;
  for (int i = 0; i < 2000; i++) {
    for (size_t k = 0; k < sizeof bad; k++) {
      random = random * 1664525u + 1013904223u;
      ((unsigned char *)&bad)[k] = (unsigned char)(random >> 24);
    }
    FAILS(cuIpcOpenMemHandle(&q, bad, LAZY));
  }
  /* New memory at the old address is something else. */
  OK(cuMemFree(p));
  OK(cuMemAlloc(&q, 4096));
  TRUE(q == p);
  OK(cuIpcGetMemHandle(&bad, q));
  TRUE(memcmp(&bad, &h, sizeof h) != 0);
}

/* Exports memory and an event, then does as it is told: 'f' frees both, 'q' ends. */
static void peer_exporter(int in, int out) {
  CUipcMemHandle h;
  CUipcEventHandle eh;
  CUdeviceptr p;
  CUevent e;
  char what;
  start();
  OK(cuMemAlloc(&p, SHARED));
  fill_words(p);
  OK(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  OK(cuIpcGetMemHandle(&h, p));
  OK(cuIpcGetEventHandle(&eh, e));
  OK(cuEventRecord(e, NULL));
  OK(cuCtxSynchronize());
  SEND(out, h);
  SEND(out, eh);
  while (receive_all(in, &what, 1) && what != 'q') {
    OK(cuMemFree(p));
    OK(cuEventDestroy(e));
    tell(out);
  }
}

static void ipc_gone(void) {
  CUipcMemHandle h;
  CUipcEventHandle eh;
  CUdeviceptr p, q;
  CUevent e, f;
  start();
  /* Freed by its owner, whose process lives. */
  Peer peer = spawn("exporter");
  RECEIVE(peer.from, h);
  RECEIVE(peer.from, eh);
  OK(cuIpcOpenMemHandle(&p, h, LAZY));
  OK(cuIpcOpenEventHandle(&e, eh));
  OK(cuEventQuery(e));
  EQ(word_at(p), 1000);
  char what = 'f';
  SEND(peer.to, what);
  hear(peer.from);
  OK(cuIpcCloseMemHandle(p));
  FAILS(cuIpcOpenMemHandle(&q, h, LAZY));
  FAILS(cuIpcOpenEventHandle(&f, eh));
  FAILS(cuEventQuery(e));
  FAILS(cuEventSynchronize(e));
  OK(cuEventDestroy(e));
  what = 'q';
  SEND(peer.to, what);
  join(peer);
  FAILS(cuIpcOpenMemHandle(&q, h, LAZY));

  /* Killed while its memory is open here, and after. */
  peer = spawn("exporter");
  RECEIVE(peer.from, h);
  RECEIVE(peer.from, eh);
  OK(cuIpcOpenMemHandle(&p, h, LAZY));
  OK(cuIpcOpenEventHandle(&e, eh));
  end(peer);
  EQ(word_at(p + SHARED - 4), 999 + WORDS);
  OK(cuMemsetD8(p, 1, SHARED));
  OK(cuCtxSynchronize());
  OK(cuEventSynchronize(e));
  FAILS(cuIpcOpenMemHandle(&q, h, LAZY));
  FAILS(cuIpcOpenEventHandle(&f, eh));
  OK(cuIpcCloseMemHandle(p));
  OK(cuEventDestroy(e));
  FAILS(cuIpcOpenMemHandle(&q, h, LAZY));
  EQ(stat_of("live_imported "), 0);
  /* It goes with its context. */
  peer = spawn("exporter");
  RECEIVE(peer.from, h);
  RECEIVE(peer.from, eh);
  OK(cuIpcOpenMemHandle(&p, h, LAZY));
  OK(cuIpcOpenEventHandle(&e, eh));
  OK(cuCtxDestroy(ctx));
  EQ(stat_of("live_imported "), 0);
  EQ(stat_of("live_events "), 0);
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuIpcOpenMemHandle(&p, h, LAZY));
  EQ(word_at(p), 1000);
  OK(control("leaks"));
  TRUE(strstr(reply, "imported 0x") != NULL);
  end(peer);
}

typedef struct Gate {
  int in, out;
} Gate;

/* Says that it is reached, and waits to be let through. */
static void pass_gate(void *data) {
  const Gate *g = data;
  if (SOFT) tell(g->out);
  hear(g->in);
}

/* Records an event behind work that waits for the other side. On the software device the record runs its
 * stream; a GPU goes on by itself. */
static void peer_recorder(int in, int out) {
  CUipcEventHandle eh;
  CUevent e;
  CUstream s;
  Gate gate = {in, out};
  start();
  OK(cuStreamCreate(&s, 0));
  OK(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  OK(cuIpcGetEventHandle(&eh, e));
  SEND(out, eh);
  hear(in);
  OK(cuLaunchHostFunc(s, pass_gate, &gate));
  OK(cuEventRecord(e, s));
  if (!SOFT) tell(out);
  OK(cuEventSynchronize(e));
  hear(in); /* the other side has recorded it too */
  OK(cuEventQuery(e));
  OK(cuStreamWaitEvent(s, e, 0));
  OK(cuStreamSynchronize(s));
  OK(cuEventDestroy(e));
}

static void ipc_events(void) {
  CUipcEventHandle eh;
  CUevent e;
  CUstream s;
  Peer peer = spawn("recorder");
  start();
  OK(cuStreamCreate(&s, 0));
  RECEIVE(peer.from, eh);
  OK(cuIpcOpenEventHandle(&e, eh));
  OK(cuEventQuery(e)); /* never recorded */
  OK(cuEventSynchronize(e));
  tell(peer.to);
  hear(peer.from); /* it is at the gate, in eager mode before the record */
  if (!eager()) {
    IS(600, cuEventQuery(e));
    OK(cuStreamWaitEvent(s, e, 0)); /* waits without blocking */
    IS(600, cuEventQuery(e));
  }
  tell(peer.to);
  OK(cuEventSynchronize(e));
  OK(cuEventQuery(e));
  OK(cuStreamSynchronize(s));
  float ms;
  FAILS(cuEventElapsedTime(&ms, e, e));
  OK(cuEventRecord(e, s)); /* from this side */
  OK(cuEventSynchronize(e));
  tell(peer.to);
  join(peer);

  /* The recorder dies at the gate: no answer will come, and nobody waits for one. */
  if (!SOFT || eager()) return;
  peer = spawn("recorder");
  RECEIVE(peer.from, eh);
  OK(cuIpcOpenEventHandle(&e, eh));
  tell(peer.to);
  hear(peer.from);
  IS(600, cuEventQuery(e));
  OK(cuStreamWaitEvent(s, e, 0));
  kill(peer.pid, SIGKILL);
  waitid(P_PID, (id_t)peer.pid, &(siginfo_t){0}, WEXITED | WNOWAIT); /* dead, but not buried */
  IS(999, cuEventQuery(e));
  IS(999, cuEventSynchronize(e));
  IS(999, cuStreamWaitEvent(s, e, 0));
  IS(999, cuStreamSynchronize(s));
  end(peer);
}

/* --- lives --- */

static void forks(void) {
  CUdeviceptr p, q;
  CUmemoryPool pool;
  CUipcMemHandle h;
  void *m;
  static char mine[100];
  start();
  OK(cuMemAlloc(&p, 100));
  OK(cuIpcGetMemHandle(&h, p));
  OK(cuDeviceGetDefaultMemPool(&pool, dev));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    IS(3, cuInit(0));
    IS(3, cuMemAllocAsync(&q, 100, NULL));
    IS(3, cuMemFreeAsync(p, NULL));
    IS(3, cuMemFree(p));
    IS(3, cuMemPoolDestroy(pool));
    IS(3, cuMemHostAlloc(&m, 100, 0));
    IS(3, cuMemHostRegister(mine, 100, 0));
    IS(3, cuMemAllocManaged(&q, 100, 1));
    IS(3, cuIpcGetMemHandle(&h, p));
    IS(3, cuIpcOpenMemHandle(&q, h, LAZY));
    IS(3, cuPointerGetAttribute(&m, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    _exit(failed != 0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EQ(status, 0);
  OK(cuMemsetD8(p, 1, 100));
  EQ(word_at(p), 0x01010101);
  OK(cuMemFree(p));
}

/* A dead device answers with its error, and gives everything back. */
static void sticky(void) {
  CUdeviceptr p, a;
  CUmemoryPool pool;
  CUstream s;
  void *m;
  unsigned v;
  static char mine[100];
  start_module();
  OK(cuStreamCreate(&s, 0));
  OK(cuMemAlloc(&p, 4096));
  OK(cuMemAllocAsync(&a, 4096, s));
  OK(cuMemHostRegister(mine, 100, 0));
  OK(cuStreamSynchronize(s));
  pool = new_pool();
  OK(launch_add(p, 1024, 1, s));
  OK(cuMemFreeAsync(a, s));
  FAULT(700, launch_read(0x10, s), cuStreamSynchronize(s));
  IS(700, cuMemAlloc(&p, 4096));
  IS(700, cuMemAllocAsync(&a, 4096, s));
  IS(700, cuMemFreeAsync(a, s));
  IS(700, cuMemFree(p));
  IS(700, cuMemHostAlloc(&m, 100, 0));
  IS(700, cuMemHostRegister(mine, 10, 0));
  IS(700, cuMemHostUnregister(mine));
  IS(700, cuMemAllocManaged(&p, 100, 1));
  OK(cuMemPoolTrimTo(pool, 0)); /* which needs no context */
  if (!SOFT) return;
  OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  OK(control("reset"));
  EQ(stat_of("live_allocs "), 0);
  EQ(stat_of("live_registered "), 0);
  EQ(stat_of("pool_reserved "), 0);
  start();
  size_t room, total;
  OK(cuMemGetInfo(&room, &total));
  EQ(room, total);
}

/* After the driver has shut down nothing answers any more, and nothing is lost. */
static void deinit(void) {
  CUdeviceptr p, a;
  CUmemoryPool pool;
  CUipcMemHandle h;
  void *m;
  static char mine[100];
  start();
  OK(cuMemAlloc(&p, 100));
  OK(cuMemAllocAsync(&a, 100, NULL));
  OK(cuMemHostAlloc(&m, 100, 0));
  OK(cuMemHostRegister(mine, 100, 0));
  pool = new_pool();
  OK(control("deinit"));
  IS(4, cuMemFree(p));
  IS(4, cuMemFreeAsync(a, NULL));
  IS(4, cuMemFreeHost(m));
  IS(4, cuMemHostUnregister(mine));
  IS(4, cuMemPoolDestroy(pool));
  IS(4, cuMemAlloc(&p, 100));
  IS(4, cuMemAllocAsync(&a, 100, NULL));
  IS(4, cuIpcGetMemHandle(&h, p));
  IS(4, cuIpcCloseMemHandle(p));
  IS(4, cuPointerGetAttribute(&m, CU_POINTER_ATTRIBUTE_CONTEXT, p));
  OK(control("reset"));
  EQ(stat_of("live_allocs "), 0);
  EQ(stat_of("live_registered "), 0);
}

static CUmemoryPool common_pool;

static void *worker(void *arg) {
  unsigned value = *(unsigned *)arg;
  CUdeviceptr p;
  CUstream s;
  OK(cuCtxSetCurrent(ctx));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  for (unsigned i = 0; i < 1000; i++) {
    size_t words = 1 + (i * 37 + value * 101) % 2000;
    OK(cuMemAllocFromPoolAsync(&p, words * 4, common_pool, s));
    OK(cuMemsetD32Async(p, value, words, s));
    if (i % 8 == 0) {
      unsigned got = 0;
      OK(cuMemcpyDtoHAsync(&got, p + (words - 1) * 4, 4, s));
      OK(cuStreamSynchronize(s));
      EQ(got, value);
    }
    OK(cuMemFreeAsync(p, s));
  }
  OK(cuStreamSynchronize(s));
  OK(cuStreamDestroy(s));
  return NULL;
}

static void threads(void) {
  enum { THREADS = 4 };
  pthread_t t[THREADS];
  unsigned value[THREADS];
  start();
  common_pool = new_pool();
  for (unsigned i = 0; i < THREADS; i++) {
    value[i] = 1000 + i;
    pthread_create(&t[i], NULL, worker, &value[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  OK(cuCtxSynchronize());
  EQ(USED(common_pool), 0);
  EQ(RESERVED(common_pool), 0);
  OK(cuMemPoolDestroy(common_pool));
}

/* --- where memory begins --- */

enum { SMALL_ALIGN = 512, LARGE_ALIGN = 2 << 20, LARGE = 1 << 20 };

static CUresult any_alloc(int kind, CUdeviceptr *p, size_t n) {
  size_t pitch;
  switch (kind) {
  case 0: return cuMemAlloc(p, n);
  case 1: return cuMemAllocAsync(p, n, NULL);
  case 2: return cuMemAllocManaged(p, n, CU_MEM_ATTACH_GLOBAL);
  default: return cuMemAllocPitch(p, &pitch, n, 1, 4);
  }
}

static void alignment(void) {
  static const size_t sizes[] = {1, 513, LARGE - 512, LARGE, LARGE + 1, 2 * LARGE, 5 * LARGE + 4};
  CUdeviceptr held[4][7] = {{0}};
  start();
  for (int round = 0; round < 2; round++) /* the second time from what was freed */
    for (int kind = 0; kind < 4; kind++)
      for (int i = 0; i < 7; i++) {
        size_t align = sizes[i] >= LARGE ? LARGE_ALIGN : SMALL_ALIGN;
        if (held[kind][i]) OK(cuMemFree(held[kind][i]));
        OK(any_alloc(kind, &held[kind][i], sizes[i]));
        judge(held[kind][i] % align == 0, __LINE__, "kind %d: %zu bytes begin at 0x%llx", kind, sizes[i],
              held[kind][i]);
      }
}

/* The memory runs out before the addresses do, and when they do, alignment gives way. */
static void alignment_of_all(void) {
  static const size_t sizes[] = {LARGE, 2 * LARGE, 3 * LARGE};
  static CUdeviceptr held[64];
  setenv("CUDALUA_SOFT_MEMORY", "64M", 1);
  start();
  for (int i = 0; i < 3; i++) {
    int n = 0;
    while (n < 64 && cuMemAlloc(&held[n], sizes[i]) == CUDA_SUCCESS) n++;
    judge(n == (int)((64 << 20) / sizes[i]), __LINE__, "%d blocks of %zu bytes", n, sizes[i]);
    for (int k = 0; k < n; k++) OK(cuMemFree(held[k]));
  }
  OK(cuMemAlloc(&held[0], 64 << 20));
}

static const Group groups[] = {
    {"alignment", alignment, SOFTWARE},
    {"alignment_of_all", alignment_of_all, SOFTWARE},
    {"pool_basics", pool_basics, ANYWHERE},
    {"pool_objects", pool_objects, ANYWHERE},
    {"pool_on_host", pool_on_host, ANYWHERE},
    {"pool_of_managed", pool_of_managed, ANYWHERE},
    {"pool_threshold", pool_threshold, ANYWHERE},
    {"pool_order", pool_order, ANYWHERE},
    {"pool_waits", pool_waits, SOFTWARE},
    {"pool_no_wait", pool_no_wait, ANYWHERE},
    {"pool_sizes", pool_sizes, ANYWHERE},
    {"pool_random", pool_random, ANYWHERE},
    {"pool_limits", pool_limits, SOFTWARE},
    {"pool_captures", pool_captures, ANYWHERE},
    {"pool_contexts", pool_contexts, ANYWHERE},
    {"pool_misuse", pool_misuse, SOFTWARE},
    {"pool_speed", pool_speed, ANYWHERE},
    {"registered", registered, ANYWHERE},
    {"registered_faults", registered_faults, SOFTWARE},
    {"host_flags", host_flags, ANYWHERE},
    {"managed", managed, ANYWHERE},
    {"attributes", attributes, ANYWHERE},
    {"ipc_memory", ipc_memory, ANYWHERE},
    {"ipc_pool", ipc_pool, ANYWHERE},
    {"ipc_errors", ipc_errors, ANYWHERE},
    {"ipc_gone", ipc_gone, SOFTWARE},
    {"ipc_events", ipc_events, ANYWHERE},
    {"forks", forks, ANYWHERE},
    {"sticky", sticky, ANYWHERE},
    {"deinit", deinit, SOFTWARE},
    {"threads", threads, ANYWHERE},
};

static int run_peer(const char *role, int in, int out) {
  alarm(60); /* should the other side forget it */
  if (strcmp(role, "importer") == 0) peer_importer(in, out);
  if (strcmp(role, "exporter") == 0) peer_exporter(in, out);
  if (strcmp(role, "pool_importer") == 0) peer_pool_importer(in, out);
  if (strcmp(role, "recorder") == 0) peer_recorder(in, out);
  return failed != 0;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc == 5 && strcmp(argv[1], "--peer") == 0) return run_peer(argv[2], atoi(argv[3]), atoi(argv[4]));
  return RUN_GROUPS(groups, argc, argv);
}
