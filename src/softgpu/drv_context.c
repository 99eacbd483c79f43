/* Contexts, explicit and primary, and the per-thread stacks of current ones. */
#include "drv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- the stack of current contexts, one per thread --- */

typedef struct StackEntry {
  void *handle;
  uint32_t generation; /* tells a destroyed context from a new one of the same handle */
  int device;          /* cuCtxGetDevice answers with it even when the context was destroyed */
} StackEntry;

typedef struct Stack {
  StackEntry *entry;
  uint32_t depth, room;
  uint64_t epoch;
  uint64_t thread;
} Stack;

static _Thread_local Stack stack;
static pthread_key_t stack_key;

static void stack_free(void *entries) { free(entries); }

void sg_context_stacks_init(void) { pthread_key_create(&stack_key, stack_free); }

static StackEntry *stack_top(void) {
  if (stack.epoch != sg_state.epoch) {
    stack.depth = 0;
    stack.epoch = sg_state.epoch;
  }
  return stack.depth ? &stack.entry[stack.depth - 1] : NULL;
}

static SgContext *entry_context(const StackEntry *e) {
  return sg_handle_peek(SG_H_CONTEXT, e->handle, e->generation);
}

static bool stack_push(void *handle) {
  stack_top();
  if (stack.depth == stack.room) {
    uint32_t room = stack.room ? stack.room * 2 : 16;
    StackEntry *e = realloc(stack.entry, room * sizeof *e);
    if (!e) return false;
    stack.entry = e;
    stack.room = room;
    pthread_setspecific(stack_key, e);
  }
  StackEntry e = {handle, sg_handle_generation(SG_H_CONTEXT, handle), 0};
  const SgContext *ctx = entry_context(&e);
  if (ctx) e.device = ctx->device;
  stack.entry[stack.depth++] = e;
  return true;
}

SgContext *sg_current(CUresult *code) {
  StackEntry *e = stack_top();
  SgContext *ctx = e ? entry_context(e) : NULL;
  if (!ctx) *code = e ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
  return ctx;
}

SgContext *sg_ctx(void) {
  CUresult code;
  return sg_current(&code);
}

void *sg_current_handle(void) {
  StackEntry *e = stack_top();
  return e ? e->handle : NULL;
}

uint64_t sg_thread_id(void) {
  if (!stack.thread) stack.thread = ++sg_state.next_id;
  return stack.thread;
}

/* --- health --- */

CUresult sg_health(const SgContext *ctx) { return sg_state.device[ctx->device].sticky; }

/* What every device can reach, what is its own, and what its context was given access to. */
bool sg_may_use(const void *context, const SgAlloc *a) {
  const SgContext *ctx = context;
  if (a->device == ctx->device || sg_is_pinned(a) || a->kind == SG_MANAGED) return true;
  if (a->kind == SG_POOL) return sg_pool_open_to(a, ctx->device);
  for (unsigned i = 0; i < ctx->peers; i++)
    if (ctx->peer[i] == a->owner) return true;
  return false;
}

void sg_poison(int device, CUresult code) {
  if (!sg_state.device[device].sticky) sg_state.device[device].sticky = code;
}

/* --- making and freeing contexts --- */

static void default_limits(SgContext *ctx) {
  ctx->limit[CU_LIMIT_STACK_SIZE] = 1024;
  ctx->limit[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
  ctx->limit[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
  ctx->limit[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  ctx->limit[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
}

static bool flags_valid(unsigned flags) {
  unsigned sched = flags & CU_CTX_SCHED_MASK;
  return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) && !(sched & (sched - 1));
}

static void retire_handle(SgContext *ctx);

CUresult sg_context_new(int device, unsigned flags, unsigned api_version, bool primary, SgContext **out) {
  SgDevice *d = &sg_state.device[device];
  if (d->sticky) return d->sticky;
  SgContext *ctx = calloc(1, sizeof *ctx);
  if (!ctx) return CUDA_ERROR_OUT_OF_MEMORY;
  if (primary && d->primary_handle) {
    sg_handle_rebind(d->primary_handle, &ctx->o, ctx);
  } else if (!sg_handle_new(SG_H_CONTEXT, &ctx->o, ctx)) {
    free(ctx);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  ctx->device = device;
  ctx->flags = flags;
  ctx->primary = primary;
  ctx->usage = 1;
  ctx->api_version = api_version;
  default_limits(ctx);
  ctx->legacy = sg_stream_new(ctx, SG_LEGACY, 0, 0);
  if (!ctx->legacy) {
    retire_handle(ctx);
    free(ctx);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (primary) {
    d->primary = ctx;
    d->primary_handle = ctx->o.handle;
  }
  ctx->next = sg_state.contexts;
  sg_state.contexts = ctx;
  *out = ctx;
  return CUDA_SUCCESS;
}

static void free_event(SgObject *o, void *arg) {
  (void)arg;
  sg_event_free(o, true);
}

static void free_module(SgObject *o, void *arg) {
  (void)arg;
  sg_module_free(o, true);
}

static void free_alloc(SgAlloc *a, void *arg) {
  (void)arg;
  sg_arena_free(a);
}

static void free_array(SgObject *o, void *arg) {
  (void)arg;
  sg_array_free(o, true);
}

/* Threads that wait in the context's streams have to leave first. */
static void wait_for_others(SgContext *ctx) {
  for (SgStream *t = ctx->streams; t;) {
    if (t->refs > 1) {
      sg_lock_wait();
      t = ctx->streams;
    } else {
      t = t->next;
    }
  }
}

/* A primary context's handle stays its device's: dead, but never given to another context. */
static void retire_handle(SgContext *ctx) {
  if (!ctx->primary) {
    sg_handle_free(&ctx->o, false);
    return;
  }
  sg_handle_retire(&ctx->o);
  sg_state.device[ctx->device].primary = NULL;
}

void sg_context_free(SgContext *ctx) {
  retire_handle(ctx);
  sg_drain(ctx);
  wait_for_others(ctx);
  sg_handles_each(SG_H_EVENT, ctx, free_event, NULL);
  sg_handles_each(SG_H_MODULE, ctx, free_module, NULL);
  sg_handles_each(SG_H_ARRAY, ctx, free_array, NULL);
  while (ctx->streams) sg_stream_close(ctx->streams, true);
  sg_arena_each(ctx->o.id, free_alloc, NULL);
  SgContext **at = &sg_state.contexts;
  while (*at != ctx) at = &(*at)->next;
  *at = ctx->next;
  free(ctx);
}

void sg_reset(void) {
  sg_state.life = SG_NEW;
  sg_state.pretended = false;
  for (int i = 0; i < SG_MAX_DEVICES; i++)
    sg_state.device[i].sticky = CUDA_ERROR_DEINITIALIZED; /* queued work is dropped */
  while (sg_state.contexts) sg_context_free(sg_state.contexts);
  sg_graphs_reset();
  sg_pools_reset();
  sg_arena_each(0, free_alloc, NULL);
  for (int i = 0; i < SG_MAX_DEVICES; i++) {
    if (sg_state.device[i].primary_handle) sg_handle_release(sg_state.device[i].primary_handle);
    sg_state.device[i] = (SgDevice){0};
  }
  sg_streams_reset();
  sg_attributes_reset();
  sg_links_reset();
  sg_config.peers = true;
  for (SgEntry *e = sg_entries; e; e = e->next) e->calls = 0;
  sg_fault_clear();
  sg_log_clear();
  sg_log_on = false;
  sg_state.stale = sg_state.calls = 0;
  sg_state.damaged_before = sg_arena_damaged();
  sg_state.report[0] = 0;
  sg_state.epoch++;
}

/* --- exported: contexts --- */

static CUresult ctx_create(CUcontext *out, unsigned flags, CUdevice dev, unsigned api_version) {
  if (!out || !flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgContext *ctx;
  CUresult r = sg_context_new(dev, flags, api_version, false, &ctx);
  if (r) return r;
  if (!stack_push(ctx->o.handle)) {
    sg_context_free(ctx);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = ctx->o.handle;
  return CUDA_SUCCESS;
}

static CUresult ctx_create_v4(CUcontext *out, const CUctxCreateParams *p, unsigned flags, CUdevice dev) {
  if (p && (p->cigParams || p->execAffinityParams))
    return p->cigParams && p->execAffinityParams ? CUDA_ERROR_INVALID_VALUE
           : p->cigParams                        ? CUDA_ERROR_NOT_SUPPORTED
                                                 : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  if (p) return CUDA_ERROR_INVALID_VALUE;
  return ctx_create(out, flags, dev, 3020);
}

static CUresult ctx_create_v3(CUcontext *out, const CUexecAffinityParam *params, int n, unsigned flags,
                              CUdevice dev) {
  if (n < 0 || (n > 0 && !params)) return CUDA_ERROR_INVALID_VALUE;
  return n ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : ctx_create(out, flags, dev, 3020);
}

SG_API CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, ctx_create(pctx, flags, dev, 3010), "ctx=0x%llx flags=%u dev=%d", SG_OUT(pctx), flags,
          dev);
}

SG_API CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, ctx_create(pctx, flags, dev, 3020), "ctx=0x%llx flags=%u dev=%d", SG_OUT(pctx), flags,
          dev);
}

SG_API CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                               unsigned int flags, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, ctx_create_v3(pctx, paramsArray, numParams, flags, dev),
          "ctx=0x%llx params=%d flags=%u dev=%d", SG_OUT(pctx), numParams, flags, dev);
}

SG_API CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                               CUdevice dev) {
  SG_CALL(SG_NEED_INIT, ctx_create_v4(pctx, ctxCreateParams, flags, dev),
          "ctx=0x%llx params=0x%llx flags=%u dev=%d", SG_OUT(pctx), SG_X(ctxCreateParams), flags, dev);
}

/* The context named by a handle. A destroyed one: 709; nothing of the kind: 201. */
static SgContext *ctx_get(CUcontext handle, CUresult *code) {
  SgContext *ctx = sg_handle_get(SG_H_CONTEXT, handle, code);
  if (!ctx)
    *code = sg_handle_generation(SG_H_CONTEXT, handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                       : CUDA_ERROR_INVALID_CONTEXT;
  return ctx;
}

static CUresult ctx_destroy(CUcontext handle) {
  CUresult code;
  SgContext *ctx = ctx_get(handle, &code);
  if (!ctx) return code;
  if (ctx->primary) return CUDA_ERROR_INVALID_CONTEXT;
  StackEntry *top = stack_top();
  if (top && entry_context(top) == ctx) stack.depth--;
  sg_context_free(ctx);
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxDestroy_v2(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_destroy(ctx), "ctx=0x%llx", SG_X(ctx));
}

SG_API CUresult cuCtxDestroy(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_destroy(ctx), "ctx=0x%llx", SG_X(ctx));
}

/* The usage count of old: cuCtxCreate begins it at 1, and the last detach destroys. */
static CUresult ctx_attach(CUcontext *out, unsigned flags) {
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  SgContext *ctx = sg_ctx();
  ctx->usage++;
  *out = ctx->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags) {
  SG_CALL(SG_NEED_CONTEXT, ctx_attach(pctx, flags), "ctx=0x%llx flags=%u", SG_OUT(pctx), flags);
}

static CUresult ctx_detach(CUcontext handle) {
  SgContext *ctx = sg_ctx();
  if (handle != ctx->o.handle || ctx->primary) return CUDA_ERROR_INVALID_CONTEXT;
  return --ctx->usage ? CUDA_SUCCESS : ctx_destroy(handle);
}

SG_API CUresult cuCtxDetach(CUcontext ctx) {
  SG_CALL(SG_NEED_CONTEXT, ctx_detach(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_push(CUcontext handle) {
  if (!sg_handle_generation(SG_H_CONTEXT, handle)) return CUDA_ERROR_INVALID_CONTEXT;
  return stack_push(handle) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SG_API CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_push(ctx), "ctx=0x%llx", SG_X(ctx));
}

SG_API CUresult cuCtxPushCurrent(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_push(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_pop(CUcontext *out) {
  StackEntry *top = stack_top();
  if (!top) return CUDA_ERROR_INVALID_CONTEXT;
  if (out) *out = top->handle;
  stack.depth--;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxPopCurrent_v2(CUcontext *pctx) {
  SG_CALL(SG_NEED_INIT, ctx_pop(pctx), "ctx=0x%llx", SG_OUT(pctx));
}

SG_API CUresult cuCtxPopCurrent(CUcontext *pctx) {
  SG_CALL(SG_NEED_INIT, ctx_pop(pctx), "ctx=0x%llx", SG_OUT(pctx));
}

static CUresult ctx_set_current(CUcontext handle) {
  if (handle && !sg_handle_generation(SG_H_CONTEXT, handle)) return CUDA_ERROR_INVALID_CONTEXT;
  if (stack_top()) stack.depth--;
  return !handle || stack_push(handle) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SG_API CUresult cuCtxSetCurrent(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_set_current(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_get_current(CUcontext *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = sg_current_handle();
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetCurrent(CUcontext *pctx) {
  SG_CALL(SG_NEED_INIT, ctx_get_current(pctx), "ctx=0x%llx", SG_OUT(pctx));
}

/* A context given by handle, or with NULL the current one. */
static SgContext *ctx_or_current(CUcontext handle, CUresult *code) {
  return handle ? ctx_get(handle, code) : sg_current(code);
}

static CUresult ctx_get_device(CUdevice *out, CUcontext handle) {
  CUresult code;
  SgContext *ctx = ctx_or_current(handle, &code);
  const StackEntry *top = stack_top();
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!ctx && (handle || !top)) return code;
  *out = ctx ? ctx->device : top->device;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetDevice(CUdevice *device) {
  SG_CALL(SG_NEED_INIT, ctx_get_device(device, NULL), "dev=%llu", SG_OUT(device));
}

SG_API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_get_device(device, ctx), "dev=%llu ctx=0x%llx", SG_OUT(device), SG_X(ctx));
}

static CUresult ctx_synchronize(CUcontext handle) {
  CUresult code;
  SgContext *ctx = ctx_or_current(handle, &code);
  if (!ctx) return code;
  code = sg_capture_synchronize(ctx);
  if (code) return code;
  int device = ctx->device;
  sg_drain(ctx);
  sg_pools_settle(device);
  return sg_state.device[device].sticky;
}

SG_API CUresult cuCtxSynchronize(void) { SG_CALL(SG_NEED_CONTEXT, ctx_synchronize(NULL), "%s", ""); }

SG_API CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_synchronize(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_api_version(CUcontext handle, unsigned *out) {
  CUresult code;
  SgContext *ctx = ctx_or_current(handle, &code);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!ctx) return code;
  *out = ctx->api_version;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
  SG_CALL(SG_NEED_INIT, ctx_api_version(ctx, version), "ctx=0x%llx version=%llu", SG_X(ctx), SG_OUT(version));
}

static CUresult ctx_id(CUcontext handle, unsigned long long *out) {
  CUresult code;
  SgContext *ctx = ctx_or_current(handle, &code);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!ctx) return code;
  *out = ctx->o.id;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
  SG_CALL(SG_NEED_INIT, ctx_id(ctx, ctxId), "ctx=0x%llx id=%llu", SG_X(ctx), SG_OUT(ctxId));
}

static CUresult ctx_get_flags(unsigned *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = sg_ctx()->flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetFlags(unsigned int *flags) {
  SG_CALL(SG_NEED_CONTEXT, ctx_get_flags(flags), "flags=%llu", SG_OUT(flags));
}

static CUresult ctx_set_flags(unsigned flags) {
  if (!flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  sg_ctx()->flags = flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxSetFlags(unsigned int flags) {
  SG_CALL(SG_NEED_CONTEXT, ctx_set_flags(flags), "flags=%u", flags);
}

/* 0, or the error for a limit that this device lacks. */
static CUresult limit_check(CUlimit limit) {
  if ((unsigned)limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  bool absent = limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH || limit >= CU_LIMIT_SHMEM_SIZE;
  return absent ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS;
}

static CUresult ctx_set_limit(CUlimit limit, size_t value) {
  CUresult r = limit_check(limit);
  if (r) return r;
  size_t most = limit == CU_LIMIT_STACK_SIZE                 ? 512 << 10
                : limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY ? 128
                : limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE ? SG_PERSISTING_L2
                                                             : (size_t)1 << 32;
  if (value > most) return CUDA_ERROR_INVALID_VALUE;
  sg_ctx()->limit[limit] = value;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  SG_CALL(SG_NEED_CONTEXT, ctx_set_limit(limit, value), "limit=%d value=%zu", (int)limit, value);
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
  SG_CALL(SG_NEED_CONTEXT, ctx_set_cache(config), "config=%d", (int)config);
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
  SG_CALL(SG_NEED_CONTEXT, ctx_set_banks(config), "config=%d", (int)config);
}

/* There is no cache to reset. */
SG_API CUresult cuCtxResetPersistingL2Cache(void) { SG_CALL(SG_NEED_CONTEXT, CUDA_SUCCESS, "%s", ""); }

static CUresult ctx_exec_affinity(CUexecAffinityParam *out, CUexecAffinityType type) {
  if (!out || (unsigned)type >= CU_EXEC_AFFINITY_TYPE_MAX) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
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
  SG_CALL(SG_NEED_CONTEXT, ctx_priorities(leastPriority, greatestPriority), "%s", "");
}

/* --- exported: peer access, from the current context to the memory of another one --- */

static bool context_alive(uint64_t id) {
  for (const SgContext *c = sg_state.contexts; c; c = c->next)
    if (c->o.id == id) return true;
  return false;
}

/* The place of a peer in the list, which first loses those that are gone; ctx->peers: it is not there. */
static unsigned peer_place(SgContext *ctx, uint64_t id) {
  unsigned kept = 0, place;
  for (unsigned i = 0; i < ctx->peers; i++)
    if (context_alive(ctx->peer[i])) ctx->peer[kept++] = ctx->peer[i];
  ctx->peers = kept;
  for (place = 0; place < kept && ctx->peer[place] != id; place++) {}
  return place;
}

static CUresult peer_enable(CUcontext handle, unsigned flags) {
  CUresult code;
  SgContext *ctx = sg_ctx(), *peer = ctx_get(handle, &code);
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (!peer) return code;
  if (peer->device == ctx->device || !sg_config.peers) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (peer_place(ctx, peer->o.id) < ctx->peers) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  if (ctx->peers == SG_MAX_PEERS) return CUDA_ERROR_TOO_MANY_PEERS;
  ctx->peer[ctx->peers++] = peer->o.id;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT, peer_enable(peerContext, Flags), "peer=0x%llx flags=%u", SG_X(peerContext), Flags);
}

/* Kernels that were launched before still have it: their work is done first. */
static CUresult peer_disable(CUcontext handle) {
  CUresult code;
  SgContext *ctx = sg_ctx(), *peer = ctx_get(handle, &code);
  if (!peer) return code;
  uint64_t id = peer->o.id;
  if (peer_place(ctx, id) == ctx->peers) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  sg_drain(ctx);
  ctx = sg_current(&code); /* a host function may have let another thread in */
  if (!ctx) return code;
  unsigned place = peer_place(ctx, id);
  if (place < ctx->peers) ctx->peer[place] = ctx->peer[--ctx->peers];
  return sg_health(ctx);
}

SG_API CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  SG_CALL(SG_NEED_CONTEXT, peer_disable(peerContext), "peer=0x%llx", SG_X(peerContext));
}

/* --- exported: primary contexts --- */

static CUresult primary_retain(CUcontext *out, CUdevice dev) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  SgContext *ctx = d->primary;
  CUresult r = ctx ? CUDA_SUCCESS : sg_context_new(dev, d->primary_flags, 3020, true, &ctx);
  if (r) return r;
  d->primary_count++;
  *out = ctx->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_retain(pctx, dev), "ctx=0x%llx dev=%d", SG_OUT(pctx), dev);
}

static CUresult primary_release(CUdevice dev) {
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  if (!d->primary_count) return CUDA_ERROR_INVALID_CONTEXT;
  if (--d->primary_count == 0 && d->primary) sg_context_free(d->primary);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_release(dev), "dev=%d", dev);
}

SG_API CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_release(dev), "dev=%d", dev);
}

/* Destroys the context, but takes no part in the counting: who retained it still has to release it. */
static CUresult primary_reset(CUdevice dev) {
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  if (d->primary) sg_context_free(d->primary);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_reset(dev), "dev=%d", dev);
}

SG_API CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_reset(dev), "dev=%d", dev);
}

static CUresult primary_state(CUdevice dev, unsigned *flags, int *active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  *flags = d->primary ? d->primary->flags : d->primary_flags;
  *active = d->primary != NULL;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  SG_CALL(SG_NEED_INIT, primary_state(dev, flags, active), "dev=%d flags=%llu active=%llu", dev,
          SG_OUT(flags), SG_OUT(active));
}

static CUresult primary_set_flags(CUdevice dev, unsigned flags) {
  if (!flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  d->primary_flags = flags;
  if (d->primary) d->primary->flags = flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, primary_set_flags(dev, flags), "dev=%d flags=%u", dev, flags);
}

SG_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, primary_set_flags(dev, flags), "dev=%d flags=%u", dev, flags);
}
