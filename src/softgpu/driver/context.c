/* Contexts, explicit and primary, and the per-thread stacks of current ones. */
#include "base/image.h"
#include "driver/drv.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Measured: a primary context that is made again is current again where the old one was. */
static SgContext *entry_context(const StackEntry *e) {
  SgContext *ctx = sg_handle_peek(SG_H_CONTEXT, e->handle, e->generation);
  const SgDevice *d = &sg_state.device[e->device];
  return ctx ? ctx : e->handle == d->primary_handle ? d->primary : NULL;
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

CUresult sg_health_here(void) {
  const SgContext *ctx = sg_ctx();
  return ctx ? sg_health(ctx) : CUDA_SUCCESS;
}

void sg_poison(int device, CUresult code) {
  (void)device; /* measured on two H200s: the other one answers the same from then on */
  for (int i = 0; i < SG_MAX_DEVICES; i++)
    if (!sg_state.device[i].sticky) sg_state.device[i].sticky = code;
}

/* --- making and freeing contexts --- */

bool sg_ctx_flags_valid(unsigned flags) {
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
  sg_limits_default(ctx);
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

static void free_resource(SgObject *o, void *arg) {
  (void)arg;
  sg_resource_free(o, true);
}

static void free_mipmap(SgObject *o, void *arg) {
  (void)arg;
  sg_mipmap_free(o, true);
}

static void free_image(SgObject *o, void *arg) {
  (void)arg;
  sg_image_free(o, true);
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
  if (sg_state.life == SG_READY) sg_output_flush(ctx);
  sg_output_drop(ctx);
  sg_handles_each(SG_H_EVENT, ctx, free_event, NULL);
  sg_handles_each(SG_H_MODULE, ctx, free_module, NULL);
  sg_handles_each(SG_H_TEXTURE, ctx, free_image, NULL);
  sg_handles_each(SG_H_SURFACE, ctx, free_image, NULL);
  sg_handles_each(SG_H_RESOURCE, ctx, free_resource, NULL); /* with their arrays */
  sg_handles_each(SG_H_ARRAY, ctx, free_array, NULL);
  sg_handles_each(SG_H_MIPMAP, ctx, free_mipmap, NULL);
  sg_execs_orphan(ctx);
  while (ctx->streams) sg_stream_close(ctx->streams, true);
  sg_leaks_of_kernels(ctx);
  sg_arena_each(ctx->o.id, free_alloc, NULL);
  SgContext **at = &sg_state.contexts;
  while (*at != ctx) at = &(*at)->next;
  *at = ctx->next;
  sg_images_free(ctx->images);
  free(ctx);
}

void sg_reset(void) {
  sg_state.life = SG_NEW;
  sg_state.pretended = false;
  for (int i = 0; i < SG_MAX_DEVICES; i++)
    sg_state.device[i].sticky = CUDA_ERROR_DEINITIALIZED; /* queued work is dropped */
  sg_user_objects_reset();
  while (sg_state.contexts) sg_context_free(sg_state.contexts);
  sg_libraries_reset();
  sg_graphs_reset();
  sg_pools_reset();
  sg_arena_each(0, free_alloc, NULL);
  for (int i = 0; i < SG_MAX_DEVICES; i++) {
    if (sg_state.device[i].primary_handle) sg_handle_release(sg_state.device[i].primary_handle);
    sg_state.device[i] = (SgDevice){0};
  }
  sg_streams_reset();
  sg_interrupts_reset();
  sg_attributes_reset();
  sg_links_reset();
  sg_config.peers = true;
  for (SgEntry *e = sg_entries; e; e = e->next) e->calls = 0;
  sg_fault_clear();
  sg_log_clear();
  sg_log_on = false;
  sg_state.stale = sg_state.calls = 0;
  sg_state.damaged_before = sg_arena_damaged();
  sg_state.report[0] = sg_state.json[0] = 0;
  sg_state.failed = NULL;
  sg_state.epoch++;
}

/* --- exported: contexts --- */

static CUresult ctx_create(CUcontext *out, unsigned flags, CUdevice dev, unsigned api_version) {
  if (!out || !sg_ctx_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
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

CUresult sg_ctx_create(CUcontext *out, unsigned flags, CUdevice dev) {
  return ctx_create(out, flags, dev, 3020);
}

/* Parameters that ask for nothing are as good as none. */
static CUresult ctx_create_v4(CUcontext *out, const CUctxCreateParams *p, unsigned flags, CUdevice dev) {
  if (p && (p->cigParams || p->execAffinityParams))
    return p->cigParams && p->execAffinityParams ? CUDA_ERROR_INVALID_VALUE
           : p->cigParams                        ? CUDA_ERROR_NOT_SUPPORTED
                                                 : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return ctx_create(out, flags, dev, 3020);
}

static CUresult ctx_create_v3(CUcontext *out, const CUexecAffinityParam *params, int n, unsigned flags,
                              CUdevice dev) {
  if (n > 0 && !params) return CUDA_ERROR_INVALID_VALUE;
  return n > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : ctx_create(out, flags, dev, 3020);
}

/* A context of version 2.0 has to be the only one (measured on an H200, driver 580). */
static CUresult ctx_create_v1(CUcontext *out, unsigned flags, CUdevice dev) {
  if (sg_device_valid(dev) && sg_state.device[dev].sticky) return sg_state.device[dev].sticky;
  return sg_state.contexts ? CUDA_ERROR_OUT_OF_MEMORY : ctx_create(out, flags, dev, 3010);
}

SG_API CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, ctx_create_v1(pctx, flags, dev), "ctx=0x%llx flags=%u dev=%d", SG_OUT(pctx), flags,
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

SgContext *sg_ctx_get(CUcontext handle, CUresult *code) {
  SgContext *ctx = sg_handle_get(SG_H_CONTEXT, handle, code);
  if (!ctx)
    *code = sg_handle_generation(SG_H_CONTEXT, handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                       : CUDA_ERROR_INVALID_CONTEXT;
  return ctx;
}

static bool stack_has(const void *handle) {
  if (!stack_top()) return false;
  for (uint32_t i = 0; i < stack.depth; i++)
    if (stack.entry[i].handle == handle) return true;
  return false;
}

/* What is left of a destroyed context is forgotten where the thread's stack does not hold it (measured on an
 * H200, driver 580). */
static CUresult destroyed_code(CUcontext handle, CUresult code) {
  return code == CUDA_ERROR_CONTEXT_IS_DESTROYED && !stack_has(handle) ? CUDA_ERROR_INVALID_CONTEXT : code;
}

static CUresult ctx_destroy(CUcontext handle) {
  CUresult code;
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  SgContext *ctx = sg_ctx_get(handle, &code);
  if (!ctx) return destroyed_code(handle, code);
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
  CUresult code;
  SgContext *ctx = sg_current(&code);
  if (!ctx) return code;
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  ctx->usage++;
  *out = ctx->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, ctx_attach(pctx, flags), "ctx=0x%llx flags=%u", SG_OUT(pctx), flags);
}

static CUresult ctx_detach(CUcontext handle) {
  CUresult code;
  SgContext *ctx = sg_current(&code);
  if (!ctx) return code;
  if (handle != ctx->o.handle || ctx->primary) return CUDA_ERROR_INVALID_CONTEXT;
  return --ctx->usage ? CUDA_SUCCESS : ctx_destroy(handle);
}

SG_API CUresult cuCtxDetach(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT, ctx_detach(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_push(CUcontext handle) {
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_handle_generation(SG_H_CONTEXT, handle)) return CUDA_ERROR_INVALID_CONTEXT;
  return stack_push(handle) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SG_API CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_push(ctx), "ctx=0x%llx", SG_X(ctx));
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
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_pop(pctx), "ctx=0x%llx", SG_OUT(pctx));
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
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_set_current(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_get_current(CUcontext *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = sg_current_handle();
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetCurrent(CUcontext *pctx) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_get_current(pctx), "ctx=0x%llx", SG_OUT(pctx));
}

/* A context given by handle, or with NULL the current one. */
static SgContext *ctx_or_current(CUcontext handle, CUresult *code) {
  return handle ? sg_ctx_get(handle, code) : sg_current(code);
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
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_get_device(device, NULL), "dev=%llu", SG_OUT(device));
}

SG_API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_get_device(device, ctx), "dev=%llu ctx=0x%llx", SG_OUT(device),
          SG_X(ctx));
}

static CUresult ctx_synchronize(CUcontext handle) {
  CUresult code;
  SgContext *ctx = ctx_or_current(handle, &code);
  if (!ctx) return code;
  code = sg_capture_synchronize(ctx);
  if (code) return code;
  int device = ctx->device;
  uint64_t id = ctx->o.id;
  sg_wait_begin(true);
  sg_drain(ctx);
  sg_wait_begin(false);
  ctx = ctx_or_current(handle, &code); /* a host function may have let another thread in */
  if (ctx && ctx->o.id == id) sg_output_flush(ctx);
  sg_pools_settle(device);
  return sg_state.device[device].sticky;
}

SG_API CUresult cuCtxSynchronize(void) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, ctx_synchronize(NULL), "%s", "");
}

SG_API CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_synchronize(ctx), "ctx=0x%llx", SG_X(ctx));
}

static CUresult ctx_api_version(CUcontext handle, unsigned *out) {
  CUresult code;
  SgContext *ctx = ctx_or_current(handle, &code);
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!ctx) return handle ? destroyed_code(handle, code) : code;
  *out = ctx->api_version;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_api_version(ctx, version), "ctx=0x%llx version=%llu", SG_X(ctx),
          SG_OUT(version));
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
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_id(ctx, ctxId), "ctx=0x%llx id=%llu", SG_X(ctx), SG_OUT(ctxId));
}

static CUresult ctx_get_flags(unsigned *out) {
  CUresult code;
  const SgContext *ctx = sg_current(&code);
  if (!ctx) return code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = ctx->flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxGetFlags(unsigned int *flags) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, ctx_get_flags(flags), "flags=%llu", SG_OUT(flags));
}

/* Works on a dead device too (measured on an H200, driver 580). */
static CUresult ctx_set_flags(unsigned flags) {
  CUresult code;
  SgContext *ctx = sg_current(&code);
  if (!ctx) return code;
  if (!sg_ctx_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  ctx->flags = flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuCtxSetFlags(unsigned int flags) {
  SG_CALL(SG_NEED_INIT, ctx_set_flags(flags), "flags=%u", flags);
}
