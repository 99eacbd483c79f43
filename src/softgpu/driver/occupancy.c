/* Occupancy: how many blocks of a kernel an SM holds at a time, by threads, registers and shared memory. */
#include "driver/drv.h"

static int least(int a, int b) { return a < b ? a : b; }

/* An SM has four parts with registers of their own, which a warp cannot share between two of them. */
enum { PARTS = 4, REGISTER_UNIT = 256 };

int sg_occupancy(const SgFunction *f, int threads, size_t dynamic_shared) {
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  int warps = (threads + SG_WARP - 1) / SG_WARP;
  int blocks = least(SG_SM_BLOCKS, SG_SM_THREADS / SG_WARP / warps);
  int warp_registers = ((int)k->num_regs * SG_WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  if (warp_registers) blocks = least(blocks, SG_SM_REGISTERS / PARTS / warp_registers * PARTS / warps);
  size_t shared = k->shared_bytes + dynamic_shared;
  if (shared > SG_SHARED_OPTIN || dynamic_shared > (size_t)f->max_dynamic_shared) return 0;
  shared = (shared + SG_SHARED_RESERVED + 127) / 128 * 128;
  return least(blocks, (int)(SG_SHARED_SM / shared));
}

static CUresult max_blocks(int *out, CUfunction h, int threads, size_t shared, unsigned flags) {
  CUresult code;
  if (!out || threads < 1 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = sg_function_get(h, sg_ctx(), &code);
  if (!f) return code;
  *out = threads > SG_MAX_THREADS ? 0 : sg_occupancy(f, threads, shared);
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
                           int limit, unsigned flags) {
  CUresult code;
  if (!grid || !block || limit < 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
    return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = sg_function_get(h, sg_ctx(), &code);
  if (!f) return code;
  uint64_t id = f->o.id;
  int most = (int)sg_kernel_info(f->kernel)->max_threads, best_threads = 0;
  if (limit && limit < most) most = limit;
  *grid = *block = 0;
  for (int n = most; n > 0; n = (n - 1) / SG_WARP * SG_WARP) {
    SharedOf s = {shared_of, n, shared};
    if (shared_of) {
      sg_call_user(ask_shared, &s);
      f = sg_function_get(h, sg_ctx(), &code); /* another thread may have unloaded it meanwhile */
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
  SG_CALL(SG_NEED_CONTEXT,
          best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
                     blockSizeLimit, 0),
          "grid=%llu block=%llu function=0x%llx", SG_OUT(minGridSize), SG_OUT(blockSize), SG_X(func));
}

SG_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                          size_t dynamicSMemSize, int blockSizeLimit,
                                                          unsigned int flags) {
  SG_CALL(SG_NEED_CONTEXT,
          best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize,
                     blockSizeLimit, flags),
          "grid=%llu block=%llu function=0x%llx flags=%u", SG_OUT(minGridSize), SG_OUT(blockSize), SG_X(func),
          flags);
}

static CUresult available_shared(size_t *out, CUfunction h, int blocks, int threads) {
  CUresult code;
  if (!out || blocks < 1 || threads < 1 || threads > SG_MAX_THREADS) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = sg_function_get(h, sg_ctx(), &code);
  if (!f) return code;
  if (sg_occupancy(f, threads, 0) < blocks) return CUDA_ERROR_INVALID_VALUE;
  /* As the driver of an H200 counts: without the part of each block that is the system's. */
  int each = SG_SHARED_SM / blocks / 128 * 128 - (int)sg_kernel_info(f->kernel)->shared_bytes;
  *out = (size_t)least(each < 0 ? 0 : each, f->max_dynamic_shared);
  return CUDA_SUCCESS;
}

SG_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                        int numBlocks, int blockSize) {
  SG_CALL(SG_NEED_CONTEXT, available_shared(dynamicSmemSize, func, numBlocks, blockSize),
          "shared=%llu function=0x%llx blocks=%d threads=%d", SG_OUT(dynamicSmemSize), SG_X(func), numBlocks,
          blockSize);
}

/* --- clusters, of which there are none: a cluster of one block, or of none named, is a block --- */

static const CUlaunchAttribute *cluster_of(const CUlaunchConfig *c) {
  for (unsigned i = 0; i < c->numAttrs; i++)
    if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return &c->attrs[i];
  return NULL;
}

/* 0, the function, and the threads of a block. */
static CUresult cluster_query(const int *out, CUfunction h, const CUlaunchConfig *c, const SgFunction **f,
                              uint64_t *threads) {
  CUresult code;
  if (!h) return CUDA_ERROR_INVALID_VALUE;
  *f = sg_function_get(h, sg_ctx(), &code);
  if (!*f) return code;
  if (!out || !c || (c->numAttrs && !c->attrs)) return CUDA_ERROR_INVALID_VALUE;
  *threads = (uint64_t)c->blockDimX * c->blockDimY * c->blockDimZ;
  return *threads && c->blockDimX <= SG_MAX_THREADS && c->blockDimY <= SG_MAX_THREADS &&
                 c->blockDimZ <= SG_MAX_BLOCK_Z && *threads <= sg_kernel_info((*f)->kernel)->max_threads
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

static CUresult cluster_size(int *out, CUfunction h, const CUlaunchConfig *c) {
  uint64_t threads = 0;
  const SgFunction *f = NULL;
  CUresult r = cluster_query(out, h, c, &f, &threads);
  if (!r) *out = 1;
  return r;
}

SG_API CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                                   const CUlaunchConfig *config) {
  SG_CALL(SG_NEED_HEALTH, cluster_size(clusterSize, func, config), "size=%llu function=0x%llx",
          SG_OUT(clusterSize), SG_X(func));
}

static CUresult cluster_count(int *out, CUfunction h, const CUlaunchConfig *c) {
  uint64_t threads = 0;
  const SgFunction *f = NULL;
  CUresult r = cluster_query(out, h, c, &f, &threads);
  if (r) return r;
  const CUlaunchAttribute *a = cluster_of(c);
  if (a && (a->value.clusterDim.x != 1 || a->value.clusterDim.y != 1 || a->value.clusterDim.z != 1))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *out = sg_occupancy(f, (int)threads, c->sharedMemBytes) * SG_SM_COUNT;
  return CUDA_SUCCESS;
}

SG_API CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                             const CUlaunchConfig *config) {
  SG_CALL(SG_NEED_HEALTH, cluster_count(numClusters, func, config), "clusters=%llu function=0x%llx",
          SG_OUT(numClusters), SG_X(func));
}
