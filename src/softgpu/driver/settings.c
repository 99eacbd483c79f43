/* What can be set and asked of a context beside its flags: limits, caches, shared memory. */
#include "driver/drv.h"

/* Sizes relative to the device as an H200 has them. */
void sg_limits_default(SgContext *ctx) {
  ctx->limit[CU_LIMIT_STACK_SIZE] = SG_STACK;
  ctx->limit[CU_LIMIT_PRINTF_FIFO_SIZE] = SG_SM_COUNT << 16;
  ctx->limit[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
  ctx->limit[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  ctx->limit[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  ctx->limit[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] =
      (size_t)sg_device_attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) / 16 * 3;
  ctx->limit[CU_LIMIT_SHMEM_SIZE] = SG_SHARED_OPTIN;
}

/* 0, or the error for a limit that this device lacks. */
static CUresult limit_check(CUlimit limit) {
  if ((unsigned)limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  bool absent = limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH || limit == CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED;
  return absent ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS;
}

/* The buffer of printf and the heap have a least and a greatest size (as a GPU's driver sets them): what is
 * asked for is fitted in. */
static size_t fitted(CUlimit limit, size_t value) {
  uint64_t free_bytes, total;
  sg_arena_info(sg_ctx()->device, &free_bytes, &total);
  const bool text = limit == CU_LIMIT_PRINTF_FIFO_SIZE;
  const size_t least = text ? 512 << 10 : 4 << 20, most = text ? (size_t)1 << 31 : total / 8;
  return value < least ? least : value > most && most > least ? most : value;
}

static CUresult ctx_set_limit(CUlimit limit, size_t value) {
  CUresult r = limit_check(limit);
  if (r) return r;
  if (limit == CU_LIMIT_SHMEM_SIZE || limit == CU_LIMIT_CIG_ENABLED) return CUDA_ERROR_NOT_PERMITTED;
  size_t most = limit == CU_LIMIT_STACK_SIZE                 ? 512 << 10
                : limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY ? 128
                : limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE ? SG_PERSISTING_L2
                                                             : (size_t)1 << 32;
  const bool fits = limit == CU_LIMIT_PRINTF_FIFO_SIZE || limit == CU_LIMIT_MALLOC_HEAP_SIZE;
  if (!fits && value > most) return CUDA_ERROR_INVALID_VALUE;
  if ((limit == CU_LIMIT_PRINTF_FIFO_SIZE && sg_ctx()->has_printed) ||
      (limit == CU_LIMIT_MALLOC_HEAP_SIZE && sg_ctx()->has_allocated)) {
    sg_say(CU_LOG_LEVEL_ERROR, "The size can no longer be changed: a kernel that uses %s was launched",
           limit == CU_LIMIT_PRINTF_FIFO_SIZE ? "printf" : "malloc or free");
    return CUDA_ERROR_INVALID_VALUE;
  }
  sg_ctx()->limit[limit] = fits ? fitted(limit, value) : value;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, ctx_set_limit(limit, value), "limit=%d value=%zu", (int)limit, value);
}

static CUresult ctx_get_limit(size_t *out, CUlimit limit) {
  CUresult r = limit_check(limit);
  if (!out || r) return r ? r : CUDA_ERROR_INVALID_VALUE;
  *out = sg_ctx()->limit[limit];
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
  SG_CALL(SG_NEED_CONTEXT, ctx_get_limit(pvalue, limit), "limit=%d value=%llu", (int)limit, SG_OUT(pvalue));
}

static CUresult ctx_get_cache(CUfunc_cache *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = sg_ctx()->cache;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
  SG_CALL(SG_NEED_CONTEXT, ctx_get_cache(pconfig), "config=%llu", SG_OUT(pconfig));
}

static CUresult ctx_set_cache(CUfunc_cache config) {
  if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
  sg_ctx()->cache = config;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, ctx_set_cache(config), "config=%d", (int)config);
}

/* The banks of shared memory are four bytes wide, whatever is asked for. */
static CUresult ctx_get_banks(CUsharedconfig *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig) {
  SG_CALL(SG_NEED_CONTEXT, ctx_get_banks(pConfig), "config=%llu", SG_OUT(pConfig));
}

static CUresult ctx_set_banks(CUsharedconfig config) {
  return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
                                                                      : CUDA_SUCCESS;
}

SG_API CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, ctx_set_banks(config), "config=%d", (int)config);
}

/* There is no cache to reset. */
SG_API CUresult cuCtxResetPersistingL2Cache(void) { SG_CALL(SG_NEED_CONTEXT, CUDA_SUCCESS, "%s", ""); }

static CUresult ctx_exec_affinity(CUexecAffinityParam *out, CUexecAffinityType type) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  *out = (CUexecAffinityParam){.type = type, .param = {.smCount = {SG_SM_COUNT}}}; /* all of them */
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type) {
  SG_CALL(SG_NEED_CONTEXT, ctx_exec_affinity(pExecAffinity, type), "type=%d", (int)type);
}

static CUresult ctx_priorities(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, ctx_priorities(leastPriority, greatestPriority), "%s", "");
}
