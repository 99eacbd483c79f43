/* Kernel launches: what the driver checks before it accepts one, the operation that runs the grid, and
 * occupancy. */
#include "drv.h"

#include <stdlib.h>
#include <string.h>

typedef struct Dims {
  unsigned grid[3], block[3], shared;
  bool cooperative;
} Dims;

/* --- checks --- */

static bool dims_valid(const SgKernelInfo *k, const SgFunction *f, const Dims *d) {
  static const unsigned grid_max[3] = {INT32_MAX, SG_MAX_GRID_YZ, SG_MAX_GRID_YZ};
  static const unsigned block_max[3] = {SG_MAX_THREADS, SG_MAX_THREADS, SG_MAX_BLOCK_Z};
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    if (!d->block[i] || d->block[i] > block_max[i]) {
      sg_say(CU_LOG_LEVEL_ERROR, "Launch of %s: block (%u,%u,%u) is outside 1..(%u,%u,%u)", k->name,
             d->block[0], d->block[1], d->block[2], block_max[0], block_max[1], block_max[2]);
      return false;
    }
    if (!d->grid[i] || d->grid[i] > grid_max[i]) {
      sg_say(CU_LOG_LEVEL_ERROR, "Launch of %s: grid (%u,%u,%u) is outside 1..(%u,%u,%u)", k->name,
             d->grid[0], d->grid[1], d->grid[2], grid_max[0], grid_max[1], grid_max[2]);
      return false;
    }
    threads *= d->block[i];
  }
  if (threads > k->max_threads) {
    sg_say(CU_LOG_LEVEL_ERROR, "Launch of %s: %llu threads per block, at most %u are allowed", k->name,
           (unsigned long long)threads, k->max_threads);
    return false;
  }
  if (k->reqntid[0] &&
      (d->block[0] != k->reqntid[0] || d->block[1] != k->reqntid[1] || d->block[2] != k->reqntid[2])) {
    sg_say(CU_LOG_LEVEL_ERROR, "Launch of %s: block (%u,%u,%u), but the kernel requires (%u,%u,%u)", k->name,
           d->block[0], d->block[1], d->block[2], k->reqntid[0], k->reqntid[1], k->reqntid[2]);
    return false;
  }
  if (d->shared > (unsigned)f->max_dynamic_shared) {
    sg_say(CU_LOG_LEVEL_ERROR,
           "Launch of %s: %u bytes of dynamic shared memory, at most %d are allowed (more needs "
           "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)",
           k->name, d->shared, f->max_dynamic_shared);
    return false;
  }
  return true;
}

static uint64_t blocks_of(const Dims *d) { return (uint64_t)d->grid[0] * d->grid[1] * d->grid[2]; }

static int threads_of(const Dims *d) { return (int)(d->block[0] * d->block[1] * d->block[2]); }

static CUresult launch_check(const SgFunction *f, const Dims *d) {
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  if (!dims_valid(k, f, d)) return CUDA_ERROR_INVALID_VALUE;
  if (!d->cooperative) return CUDA_SUCCESS;
  uint64_t most = (uint64_t)sg_occupancy(f, threads_of(d), d->shared) * SG_SM_COUNT;
  if (blocks_of(d) <= most) return CUDA_SUCCESS;
  sg_say(CU_LOG_LEVEL_ERROR, "Cooperative launch of %s: %llu blocks, but only %llu fit the device at once",
         k->name, (unsigned long long)blocks_of(d), (unsigned long long)most);
  return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

/* The packed form of the arguments. Measured: too long is an error, too short is not. */
static CUresult read_extra(void **extra, const void **data, size_t *size) {
  const size_t *n = NULL;
  *data = NULL;
  for (int i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      *data = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      n = extra[i + 1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (!n || (!*data && *n)) return CUDA_ERROR_INVALID_VALUE;
  *size = *n;
  return CUDA_SUCCESS;
}

static CUresult read_params(const SgKernelInfo *k, void **params, void **extra, uint8_t *to) {
  if (params && extra) return CUDA_ERROR_INVALID_VALUE;
  if (extra) {
    const void *data;
    size_t size = 0;
    CUresult r = read_extra(extra, &data, &size);
    if (r) return r;
    if (size > k->param_bytes) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (size) memcpy(to, data, size);
    return CUDA_SUCCESS;
  }
  for (uint32_t i = 0; i < k->nparams; i++) {
    if (!params || !params[i]) {
      sg_say(CU_LOG_LEVEL_ERROR,
             "Launch of %s: it takes %u arguments, and the pointer to argument %u is NULL", k->name,
             k->nparams, i);
      return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(to + k->params[i].offset, params[i], k->params[i].size);
  }
  return CUDA_SUCCESS;
}

/* --- the operation --- */

typedef struct LaunchOp {
  SgOp op;
  SgLaunch launch;
  _Alignas(16) uint8_t params[];
} LaunchOp;

static uint64_t launch_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)s;
  LaunchOp *l = (LaunchOp *)op;
  SgFault fault = {0};
  uint64_t before = sg_machine_ticks();
  int r = sg_machine_run(&l->launch, &fault);
  if (r) {
    *code = (CUresult)r;
    sg_report(fault.text[0] ? fault.text : "a kernel failed");
  }
  return 2000 + (sg_machine_ticks() - before); /* one instruction of a block: 1 ns */
}

static CUresult launch(SgFunction *f, const Dims *d, SgStream *s, void **params, void **extra) {
  static const SgOpType type = {"launch", launch_run, NULL, NULL};
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  CUresult r = launch_check(f, d);
  if (r) return r;
  LaunchOp *l = calloc(1, sizeof *l + k->param_bytes);
  if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
  r = read_params(k, params, extra, l->params);
  if (r) {
    free(l);
    return r;
  }
  l->op.type = &type;
  l->launch = (SgLaunch){.kernel = f->kernel,
                         .grid = {d->grid[0], d->grid[1], d->grid[2]},
                         .block = {d->block[0], d->block[1], d->block[2]},
                         .dynamic_shared = d->shared,
                         .params = l->params,
                         .cooperative = d->cooperative};
  return sg_stream_submit(s, &l->op);
}

static CUresult launch_handles(CUfunction function, const Dims *d, CUstream stream, void **params,
                               void **extra) {
  CUresult code;
  SgFunction *f = sg_handle_get(SG_H_FUNCTION, function, &code);
  if (!f) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->o.ctx != f->o.ctx) return CUDA_ERROR_INVALID_HANDLE;
  return launch(f, d, s, params, extra);
}

#define LOG_LAUNCH "function=0x%llx grid=%u,%u,%u block=%u,%u,%u shared=%u stream=0x%llx"

SG_API CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                               unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                               unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                               void **kernelParams, void **extra) {
  Dims d = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, false};
  SG_CALL(SG_NEED_HEALTH, launch_handles(f, &d, hStream, kernelParams, extra), LOG_LAUNCH, SG_X(f), gridDimX,
          gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, SG_X(hStream));
}

SG_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                          unsigned int gridDimZ, unsigned int blockDimX,
                                          unsigned int blockDimY, unsigned int blockDimZ,
                                          unsigned int sharedMemBytes, CUstream hStream,
                                          void **kernelParams) {
  Dims d = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, true};
  SG_CALL(SG_NEED_HEALTH, launch_handles(f, &d, hStream, kernelParams, NULL), LOG_LAUNCH, SG_X(f), gridDimX,
          gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, SG_X(hStream));
}

/* Attributes that change nothing here (hints, priorities) are read over. */
static CUresult read_attributes(const CUlaunchConfig *c, Dims *d) {
  if (c->numAttrs && !c->attrs) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const CUlaunchAttribute *a = &c->attrs[i];
    if ((unsigned)a->id >= CU_LAUNCH_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) d->cooperative = a->value.cooperative != 0;
    if (a->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    if (a->value.clusterDim.x == 1 && a->value.clusterDim.y == 1 && a->value.clusterDim.z == 1) continue;
    sg_say(CU_LOG_LEVEL_ERROR, "The software device has no clusters: cluster (%u,%u,%u) was asked for",
           a->value.clusterDim.x, a->value.clusterDim.y, a->value.clusterDim.z);
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  return CUDA_SUCCESS;
}

static CUresult launch_ex(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  Dims d = {{c->gridDimX, c->gridDimY, c->gridDimZ},
            {c->blockDimX, c->blockDimY, c->blockDimZ},
            c->sharedMemBytes,
            false};
  CUresult r = read_attributes(c, &d);
  return r ? r : launch_handles(f, &d, c->hStream, params, extra);
}

SG_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                                 void **extra) {
  static const CUlaunchConfig none;
  const CUlaunchConfig *c = config ? config : &none;
  SG_CALL(SG_NEED_HEALTH, launch_ex(config, f, kernelParams, extra), LOG_LAUNCH " attributes=%u", SG_X(f),
          c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes,
          SG_X(c->hStream), c->numAttrs);
}

/* --- occupancy --- */

static int least(int a, int b) { return a < b ? a : b; }

int sg_occupancy(const SgFunction *f, int threads, size_t dynamic_shared) {
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  int warps = (threads + SG_WARP - 1) / SG_WARP;
  int blocks = least(SG_SM_BLOCKS, SG_SM_THREADS / SG_WARP / warps);
  int warp_registers = ((int)k->num_regs * SG_WARP + 255) / 256 * 256;
  if (warp_registers) blocks = least(blocks, SG_SM_REGISTERS / warp_registers / warps);
  size_t shared = k->shared_bytes + dynamic_shared;
  if (shared > SG_SHARED_OPTIN) return 0;
  shared = (shared + SG_SHARED_RESERVED + 127) / 128 * 128;
  return least(blocks, (int)(SG_SHARED_SM / shared));
}

static CUresult max_blocks(int *out, CUfunction h, int threads, size_t shared, unsigned flags) {
  CUresult code;
  if (!out || threads < 1 || threads > SG_MAX_THREADS || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
    return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = sg_handle_get(SG_H_FUNCTION, h, &code);
  if (!f) return code;
  *out = sg_occupancy(f, threads, shared);
  return CUDA_SUCCESS;
}

SG_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                            size_t dynamicSMemSize) {
  SG_CALL(SG_NEED_CONTEXT, max_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0),
          "blocks=%llu function=0x%llx threads=%d shared=%zu", SG_OUT(numBlocks), SG_X(func), blockSize,
          dynamicSMemSize);
}

SG_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                                     int blockSize, size_t dynamicSMemSize,
                                                                     unsigned int flags) {
  SG_CALL(SG_NEED_CONTEXT, max_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags),
          "blocks=%llu function=0x%llx threads=%d shared=%zu flags=%u", SG_OUT(numBlocks), SG_X(func),
          blockSize, dynamicSMemSize, flags);
}

typedef struct SharedOf {
  CUoccupancyB2DSize function;
  int threads;
  size_t bytes;
} SharedOf;

static void ask_shared(void *arg) {
  SharedOf *s = arg;
  s->bytes = s->function(s->threads);
}

/* The block size with the most resident threads; of equal ones the largest. */
static CUresult best_block(int *grid, int *block, CUfunction h, CUoccupancyB2DSize shared_of, size_t shared,
                           int limit) {
  CUresult code;
  if (!grid || !block || limit < 0) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = sg_handle_get(SG_H_FUNCTION, h, &code);
  if (!f) return code;
  uint64_t id = f->o.id;
  int most = (int)sg_kernel_info(f->kernel)->max_threads, best_threads = 0;
  if (limit && limit < most) most = limit;
  *grid = *block = 0;
  for (int n = most; n > 0; n = (n - 1) / SG_WARP * SG_WARP) {
    SharedOf s = {shared_of, n, shared};
    if (shared_of) {
      sg_call_user(ask_shared, &s);
      f = sg_handle_get(SG_H_FUNCTION, h, &code); /* another thread may have unloaded it meanwhile */
      if (!f || f->o.id != id) return CUDA_ERROR_INVALID_HANDLE;
    }
    int blocks = sg_occupancy(f, n, s.bytes);
    if (blocks * n <= best_threads) continue;
    best_threads = blocks * n;
    *block = n;
    *grid = blocks * SG_SM_COUNT;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                 size_t dynamicSMemSize, int blockSizeLimit) {
  SG_CALL(
      SG_NEED_CONTEXT,
      best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit),
      "grid=%llu block=%llu function=0x%llx", SG_OUT(minGridSize), SG_OUT(blockSize), SG_X(func));
}

static CUresult available_shared(size_t *out, CUfunction h, int blocks, int threads) {
  CUresult code;
  if (!out || blocks < 1 || threads < 1 || threads > SG_MAX_THREADS) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = sg_handle_get(SG_H_FUNCTION, h, &code);
  if (!f) return code;
  if (sg_occupancy(f, threads, 0) < blocks) return CUDA_ERROR_INVALID_VALUE;
  int each =
      SG_SHARED_SM / blocks / 128 * 128 - SG_SHARED_RESERVED - (int)sg_kernel_info(f->kernel)->shared_bytes;
  *out = (size_t)least(each < 0 ? 0 : each, f->max_dynamic_shared);
  return CUDA_SUCCESS;
}

SG_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                        int numBlocks, int blockSize) {
  SG_CALL(SG_NEED_CONTEXT, available_shared(dynamicSmemSize, func, numBlocks, blockSize),
          "shared=%llu function=0x%llx blocks=%d threads=%d", SG_OUT(dynamicSmemSize), SG_X(func), numBlocks,
          blockSize);
}
