/* What a launch may ask for: the limits of device and kernel, told apart and named before the driver is
 * asked, which says only "invalid value" to all of them. */
#include "launch/launch.h"

#include <stdio.h>
#include <string.h>

enum { PORTABLE_CLUSTER = 8 }; /* blocks of a cluster that every device with clusters has */

void cl_read_limits(lua_State *L, cl_Function *fn, const cl_Context *ctx) {
  int dynamic = 0;
  CL_TRY(L, cuFuncGetAttribute, &fn->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fn->f);
  CL_TRY(L, cuFuncGetAttribute, &fn->static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fn->f);
  CL_TRY(L, cuFuncGetAttribute, &dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, fn->f);
  const struct {
    int id;
    int *to;
  } wanted[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &fn->shared_limit},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &fn->shared_optin},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &fn->max_block[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &fn->max_block[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &fn->max_block[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &fn->max_grid[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &fn->max_grid[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &fn->max_grid[2]},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    CL_TRY(L, cuDeviceGetAttribute, wanted[i].to, (CUdevice_attribute)wanted[i].id, ctx->device);
  int granted = fn->shared_limit - fn->static_shared; /* without being asked for */
  fn->shared_free = granted < 0 ? 0 : granted;
  if (dynamic < fn->shared_free || fn->shared_chosen) fn->shared_free = dynamic;
  /* Drivers older than clusters do not know these. */
  int needed = 0;
  for (int i = 0; i < 3; i++)
    if (CU.cuFuncGetAttribute(&fn->cluster[i],
                              (CUfunction_attribute)(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + i), fn->f))
      fn->cluster[i] = 0;
  if (CU.cuFuncGetAttribute(&needed, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, fn->f)) needed = 0;
  cl_log_clear();
  fn->cluster_needed = needed && !fn->cluster[0];
  fn->cooperative.threads = fn->clustered.threads = 0;
  fn->limits_known = true;
}

/* More than the default 48 KiB has to be asked for: all that there is, so that once is enough. */
void cl_allow_shared(lua_State *L, cl_Function *fn, unsigned dynamic) {
  if (dynamic <= (unsigned)fn->shared_free) return;
  unsigned long long all = (unsigned long long)dynamic + (unsigned)fn->static_shared;
  if (all > (unsigned)fn->shared_optin)
    cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                    "option shared: %llu bytes of shared memory requested (%u dynamic + %d static), but this "
                    "device's limit is %d",
                    all, dynamic, fn->static_shared, fn->shared_optin);
  int most = fn->shared_optin - fn->static_shared;
  CL_TRY(L, cuFuncSetAttribute, fn->f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most);
  fn->shared_free = most;
}

static void too_many_threads(lua_State *L, const cl_Function *fn, const cl_Context *ctx, const cl_Launch *o,
                             uint64_t threads) __attribute__((noreturn));

static void too_many_threads(lua_State *L, const cl_Function *fn, const cl_Context *ctx, const cl_Launch *o,
                             uint64_t threads) {
  int most = 0, registers = 0;
  CL_TRY(L, cuDeviceGetAttribute, &most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, ctx->device);
  CL_TRY(L, cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, fn->f);
  char why[128] = "";
  if (fn->max_threads < most)
    snprintf(why, sizeof why,
             " (the device's is %d; this kernel has %d registers per thread, or launch bounds)", most,
             registers);
  cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                  "option block: %u x %u x %u has %llu threads, but this kernel's limit is %d%s", o->block[0],
                  o->block[1], o->block[2], (unsigned long long)threads, fn->max_threads, why);
}

static void too_large(lua_State *L, const cl_Function *fn, const cl_Launch *o) {
  for (int i = 0; i < 3; i++) {
    const char axis = (char)('x' + i);
    if (o->block[i] > (unsigned)fn->max_block[i])
      cl_launch_error(L, fn, CL_LAUNCH_ERROR, "option block: block.%c is %u, but this device's limit is %d",
                      axis, o->block[i], fn->max_block[i]);
    if (o->grid[i] > (unsigned)fn->max_grid[i])
      cl_launch_error(L, fn, CL_LAUNCH_ERROR, "option grid: grid.%c is %u, but this device's limit is %d",
                      axis, o->grid[i], fn->max_grid[i]);
  }
}

/* Of extents that were compared with their limits before, so that it does not overflow. */
static uint64_t product(const unsigned n[3]) { return (uint64_t)n[0] * n[1] * n[2]; }

/* All blocks of a cooperative launch are on the device at the same time. */
static void check_cooperative(lua_State *L, cl_Function *fn, const cl_Context *ctx, const cl_Launch *o) {
  struct cl_Fitting *fits = &fn->cooperative;
  uint64_t threads = product(o->block), blocks = product(o->grid);
  if (fits->threads == threads && fits->shared == o->shared && blocks <= fits->blocks) return;
  int able = 0, each = 0, sms = 0;
  CL_TRY(L, cuDeviceGetAttribute, &able, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, ctx->device);
  if (!able)
    cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                    "option cooperative: this device does not support cooperative launches");
  CL_TRY(L, cuDeviceGetAttribute, &sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ctx->device);
  CL_TRY(L, cuOccupancyMaxActiveBlocksPerMultiprocessor, &each, fn->f, (int)threads, o->shared);
  uint64_t most = (uint64_t)each * (unsigned)sms;
  if (blocks > most)
    cl_launch_error(
        L, fn, CL_LAUNCH_ERROR,
        "option grid: %llu blocks, but a cooperative launch runs all blocks at once; with %llu threads and "
        "%u bytes of dynamic shared memory each, only %llu fit (%d on each of %d SMs)",
        (unsigned long long)blocks, (unsigned long long)threads, o->shared, (unsigned long long)most, each,
        sms);
  *fits = (struct cl_Fitting){.threads = threads, .shared = o->shared, .blocks = most};
}

static void check_multiple(lua_State *L, const cl_Function *fn, const cl_Launch *o,
                           const unsigned cluster[3]) {
  for (int i = 0; i < 3; i++)
    if (o->grid[i] % cluster[i])
      cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                      "option grid: grid.%c is %u, which is not a multiple of cluster.%c, %u", 'x' + i,
                      o->grid[i], 'x' + i, cluster[i]);
}

/* Far more blocks along an axis than a cluster has on any device; three such numbers multiply within 32 bits.
 */
enum { MOST_OF_CLUSTER = 1024 };

static void check_cluster(lua_State *L, cl_Function *fn, const cl_Context *ctx, const cl_Launch *o) {
  const unsigned *c = o->cluster;
  struct cl_Fitting *fits = &fn->clustered;
  uint64_t threads = product(o->block);
  const bool some = c[0] <= MOST_OF_CLUSTER && c[1] <= MOST_OF_CLUSTER && c[2] <= MOST_OF_CLUSTER;
  uint64_t blocks = some ? product(c) : UINT32_MAX;
  int able = 0, allowed = 0, count = 0;
  CL_TRY(L, cuDeviceGetAttribute, &able, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, ctx->device);
  if (!able && blocks > 1)
    cl_launch_error(
        L, fn, CL_LAUNCH_ERROR,
        "option cluster: %u x %u x %u blocks, but this device has no thread block clusters (compute "
        "capability 9.0 and newer do)",
        c[0], c[1], c[2]);
  for (int i = 0; i < 3; i++)
    if (fn->cluster[i] && (unsigned)fn->cluster[i] != c[i])
      cl_launch_error(
          L, fn, CL_LAUNCH_ERROR,
          "option cluster: %u x %u x %u, but the kernel was compiled for clusters of %d x %d x %d", c[0],
          c[1], c[2], fn->cluster[0], fn->cluster[1], fn->cluster[2]);
  if (blocks == 1) return;
  check_multiple(L, fn, o, c);
  if (fits->threads == threads && fits->shared == o->shared &&
      !memcmp(fits->cluster, c, sizeof fits->cluster))
    return;
  CL_TRY(L, cuFuncGetAttribute, &allowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, fn->f);
  if (blocks > PORTABLE_CLUSTER && !allowed)
    cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                    "option cluster: %u x %u x %u has %llu blocks; more than %d need "
                    "fn:set_attribute(\"non_portable_cluster_size_allowed\", 1)",
                    c[0], c[1], c[2], (unsigned long long)blocks, PORTABLE_CLUSTER);
  cl_Config config;
  cl_make_config(o, &config);
  CUresult code = CU.cuOccupancyMaxActiveClusters(&count, fn->f, &config.config);
  if (code && code != CUDA_ERROR_INVALID_CLUSTER_SIZE) cl_fail(L, "cuOccupancyMaxActiveClusters", code);
  if (code || count < 1)
    cl_launch_error(
        L, fn, CL_LAUNCH_ERROR,
        "option cluster: no cluster of %u x %u x %u blocks with %llu threads and %u bytes of dynamic "
        "shared memory each fits this device",
        c[0], c[1], c[2], (unsigned long long)threads, o->shared);
  *fits = (struct cl_Fitting){.threads = threads, .shared = o->shared, .cluster = {c[0], c[1], c[2]}};
}

/* The smaller number is the greater priority. */
static void check_priority(lua_State *L, const cl_Function *fn, const cl_Launch *o) {
  int least = 0, greatest = 0;
  CL_TRY(L, cuCtxGetStreamPriorityRange, &least, &greatest);
  if (o->priority > least || o->priority < greatest)
    cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                    "option priority: %d, but this device's range is %d (least) to %d", o->priority, least,
                    greatest);
}

static void check_rare(lua_State *L, cl_Function *fn, const cl_Context *ctx, const cl_Launch *o) {
  if (o->with & CL_WITH_CLUSTER)
    check_cluster(L, fn, ctx, o);
  else if (fn->cluster[0]) {
    const unsigned compiled[3] = {(unsigned)fn->cluster[0], (unsigned)fn->cluster[1],
                                  (unsigned)fn->cluster[2]};
    check_multiple(L, fn, o, compiled);
  } else if (fn->cluster_needed)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "option cluster is missing: the kernel was compiled for clusters");
  if (o->with & CL_WITH_COOPERATIVE) check_cooperative(L, fn, ctx, o);
  if (o->with & CL_WITH_PRIORITY) check_priority(L, fn, o);
}

void cl_check_current(lua_State *L, const cl_Function *fn, const cl_Context *ctx) {
  CUcontext current = cl_current(L);
  if (current != (CUcontext)ctx->rec.handle)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "%s",
                    current ? "its context is not current; use ctx:push() or ctx:with()"
                            : "no context is current; push its context with ctx:push()");
}

void cl_check_launch(lua_State *L, cl_Function *fn, cl_Context *ctx, cl_Launch *o) {
  if (!o->block[0])
    cl_launch_error(L, fn, CL_LOGIC_ERROR,
                    "option block is missing: the threads of a block, e.g. block = {256, 1, 1}");
  if (o->time_kernel && o->stream)
    cl_launch_error(L, fn, CL_LOGIC_ERROR,
                    "option time_kernel waits for the whole context, so it cannot be used with a stream");
  if (!o->stream) o->stream = cl_current_stream(L, "launch", ctx);
  cl_check_current(L, fn, ctx);
  if (!fn->limits_known) cl_read_limits(L, fn, ctx);
  too_large(L, fn, o);
  uint64_t threads = product(o->block);
  if (threads > (uint64_t)fn->max_threads) too_many_threads(L, fn, ctx, o, threads);
  if (o->shared > (unsigned)fn->shared_free) cl_allow_shared(L, fn, o->shared);
  if (__builtin_expect(o->with || fn->cluster[0] || fn->cluster_needed, 0)) check_rare(L, fn, ctx, o);
}
