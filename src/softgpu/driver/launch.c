/* Kernel launches: what the driver checks before it accepts one, and the operation that runs the grid. */
#include "driver/background.h"
#include "driver/graph.h"
#include "driver/lock.h"

#include <stdlib.h>
#include <string.h>

typedef struct Dims {
  unsigned grid[3], block[3], shared;
  bool cooperative, clustered; /* it says what its clusters are */
} Dims;

/* --- checks --- */

static bool dims_valid(const SgKernelInfo *k, const Dims *d) {
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
  return true;
}

static bool shared_valid(const SgKernelInfo *k, const SgFunction *f, const Dims *d) {
  if (d->shared <= (unsigned)f->max_dynamic_shared) return true;
  sg_say(CU_LOG_LEVEL_ERROR,
         "Launch of %s: %u bytes of dynamic shared memory, at most %d are allowed (more needs "
         "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)",
         k->name, d->shared, f->max_dynamic_shared);
  return false;
}

static uint64_t blocks_of(const Dims *d) { return (uint64_t)d->grid[0] * d->grid[1] * d->grid[2]; }

static int threads_of(const Dims *d) { return (int)(d->block[0] * d->block[1] * d->block[2]); }

static CUresult launch_check(const SgFunction *f, const Dims *d) {
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  if (sg_kernel_missing(f->kernel)) {
    sg_say(CU_LOG_LEVEL_ERROR, "kernel %s cannot run on the software device: %s", k->name,
           sg_kernel_missing(f->kernel));
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!dims_valid(k, d)) return CUDA_ERROR_INVALID_VALUE;
  bool any_cluster = k->explicit_cluster && !f->cluster[0] && !d->clustered;
  if (any_cluster || f->cluster[0] > 1 || f->cluster[1] > 1 || f->cluster[2] > 1) {
    sg_say(CU_LOG_LEVEL_ERROR, "Launch of %s: it requires clusters, and the software device has none",
           k->name);
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (!d->cooperative) return shared_valid(k, f, d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  /* Too much shared memory is too large as well: no block fits. */
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

/* The function is kept by its handle: the module of a graph's kernel may be unloaded at any time. */
typedef struct LaunchOp {
  SgOp op;
  void *function;
  uint32_t generation;
  uint64_t ctx; /* id of the function's context */
  int priority; /* of a node */
  SgLaunch launch;
  void **pointers; /* to the parameters, once somebody asked for them */
  _Alignas(16) uint8_t params[];
} LaunchOp;

static SgFunction *function_of(const SgOp *op) {
  const LaunchOp *l = (const LaunchOp *)op;
  return sg_handle_peek(SG_H_FUNCTION, l->function, l->generation);
}

/* The sizes of what it prints to and allocates from are fixed from now on. */
static void note_uses(const SgFunction *f) {
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  f->o.ctx->has_printed |= k->prints;
  f->o.ctx->has_allocated |= k->allocates;
}

static uint64_t launch_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)s;
  const LaunchOp *l = (const LaunchOp *)op;
  const SgFunction *f = function_of(op);
  if (!f) {
    sg_report("a graph launched a kernel whose module had been unloaded after the launch");
    *code = CUDA_ERROR_ILLEGAL_ADDRESS;
    return 0;
  }
  int device = f->o.ctx->device; /* in a graph, perhaps another one than the stream's */
  if (sg_state.device[device].sticky) {
    *code = sg_state.device[device].sticky;
    return 0;
  }
  if (sg_op_interruptible && sg_arena_now <= sg_state.device[device].drop_until) return 0;
  note_uses(f);
  SgFault fault = {0};
  SgLaunch launch = l->launch;
  launch.may_use = sg_may_use;
  launch.user = f->o.ctx;
  launch.images = f->o.ctx->images;
  const SgSystem system = sg_context_system(f->o.ctx);
  launch.system = &system;
  launch.checks = sg_config.checks & SG_CHECKS_KERNELS;
  launch.interruptible = sg_op_interruptible;
  launch.counts = sg_profile_counts();
  launch.let_in = sg_background() ? sg_lock_let_in : NULL;
  uint64_t before = sg_machine_ticks();
  sg_lock_open(launch.let_in != NULL);
  int r = sg_machine_run(&launch, &fault);
  sg_lock_open(false);
  if (r == SG_INTERRUPTED) {
    sg_interrupted(device, fault.text);
  } else if (r) {
    *code = (CUresult)r;
    sg_poison(device, *code);
    sg_output_flush(f->o.ctx); /* no later call will come that far */
    sg_report_as(fault.text[0] ? fault.text : "a kernel failed", fault.json);
    sg_state.failed = l->function;
    sg_state.failed_generation = l->generation;
  }
  return SG_LAUNCH_NS + (sg_machine_ticks() - before); /* one instruction of a block: 1 ns */
}

static void launch_drop(SgOp *op) { free(((LaunchOp *)op)->pointers); }

/* --- as a node of a graph --- */

static CUresult node_check(const SgOp *op) {
  if (function_of(op)) return CUDA_SUCCESS;
  sg_note_stale("function", SG_X(((const LaunchOp *)op)->function));
  sg_say(CU_LOG_LEVEL_ERROR, "The graph has a kernel whose module was unloaded");
  return CUDA_ERROR_INVALID_HANDLE;
}

static CUgraphExecUpdateResult node_update(const SgOp *from, const SgOp *to) {
  const LaunchOp *a = (const LaunchOp *)from, *b = (const LaunchOp *)to;
  if (a->ctx != b->ctx) return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
  if (a->launch.cooperative != b->launch.cooperative) return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static uint64_t node_context(const SgOp *op) { return ((const LaunchOp *)op)->ctx; }

static void node_describe(const SgOp *op, SgText *t) {
  const SgLaunch *l = &((const LaunchOp *)op)->launch;
  const SgFunction *f = function_of(op);
  sg_text_add(t, "%s<<<(%u,%u,%u),(%u,%u,%u),%u>>>", f ? sg_kernel_info(f->kernel)->name : "(unloaded)",
              l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->dynamic_shared);
}

static const SgNodeType launch_node = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
                                       .check = node_check,
                                       .update = node_update,
                                       .context = node_context,
                                       .describe = node_describe};

/* --- launching --- */

static CUresult launch_op(SgFunction *f, const Dims *d, void **params, void **extra, SgOp **out) {
  static const SgOpType type = {
      .name = "launch", .run = launch_run, .drop = launch_drop, .node = &launch_node};
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
  l->function = f->o.handle;
  l->generation = sg_handle_generation(SG_H_FUNCTION, l->function);
  l->ctx = f->o.ctx->o.id;
  l->launch = (SgLaunch){.kernel = f->kernel,
                         .grid = {d->grid[0], d->grid[1], d->grid[2]},
                         .block = {d->block[0], d->block[1], d->block[2]},
                         .dynamic_shared = d->shared,
                         .stack_bytes = (uint32_t)f->o.ctx->limit[CU_LIMIT_STACK_SIZE],
                         .params = l->params,
                         .cooperative = d->cooperative};
  *out = &l->op;
  return CUDA_SUCCESS;
}

/* A library's kernel runs in the stream's context. */
static SgFunction *function_for(CUfunction function, CUstream stream, CUresult *code) {
  const bool kernel = sg_handle_generation(SG_H_KERNEL, function) != 0;
  const SgStream *s = kernel ? sg_stream_find(stream, code) : NULL;
  return kernel && !s ? NULL : sg_function_get(function, s ? s->o.ctx : NULL, code);
}

/* If references of its module have changed, the work that reads them as they were runs first, in which
 * another thread may do anything: the function is looked for again. */
static SgFunction *bound_function_for(CUfunction function, CUstream stream, CUresult *code) {
  SgFunction *f = function_for(function, stream, code);
  if (!f || !sg_refs_changed(*sg_module_refs(f->module))) return f;
  sg_drain(f->o.ctx);
  f = function_for(function, stream, code);
  if (f) *code = sg_refs_bind(*sg_module_refs(f->module));
  return f && !*code ? f : NULL;
}

static CUresult launch_handles(CUfunction function, const Dims *d, CUstream stream, void **params,
                               void **extra) {
  CUresult code;
  SgFunction *f = bound_function_for(function, stream, &code);
  if (!f) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->o.ctx != f->o.ctx) return CUDA_ERROR_INVALID_HANDLE;
  sg_output_flush(s->o.ctx);
  SgOp *op;
  code = launch_op(f, d, params, extra, &op);
  if (!code) note_uses(f);
  /* A bad shape breaks a capture, bad parameters do not (measured on an H200, driver 580). */
  if (code && launch_check(f, d)) sg_capture_spoil(s);
  return code ? code : sg_stream_submit(s, op);
}

/* Either a function, or a library's kernel and the context that it is for: if that is not said, the current
 * one. */
static SgFunction *node_function(const CUDA_KERNEL_NODE_PARAMS *p, CUresult *code) {
  const void *handle = p->func ? (const void *)p->func : (const void *)p->kern;
  *code = CUDA_ERROR_INVALID_HANDLE;
  if (!handle) return NULL;
  SgContext *ctx = NULL;
  if (sg_handle_generation(SG_H_KERNEL, handle)) {
    ctx = p->ctx ? sg_ctx_get(p->ctx, code) : sg_current(code);
    if (!ctx) return NULL;
  }
  return sg_function_get(handle, ctx, code);
}

static CUresult node_op(const CUDA_KERNEL_NODE_PARAMS *p, bool cooperative, SgOp **out) {
  CUresult code;
  Dims d = {{p->gridDimX, p->gridDimY, p->gridDimZ},
            {p->blockDimX, p->blockDimY, p->blockDimZ},
            p->sharedMemBytes,
            cooperative,
            false};
  SgFunction *f = node_function(p, &code);
  if (f && sg_refs_changed(*sg_module_refs(f->module))) { /* as for a launch */
    sg_drain(f->o.ctx);
    f = node_function(p, &code);
    code = f ? sg_refs_bind(*sg_module_refs(f->module)) : code;
    if (code) return code;
  }
  if (!f) return code;
  code = sg_health(f->o.ctx);
  return code ? code : launch_op(f, &d, p->kernelParams, p->extra, out);
}

CUresult sg_launch_op(const CUDA_KERNEL_NODE_PARAMS *p, SgOp **out) { return node_op(p, false, out); }

CUresult sg_launch_op_change(const SgOp *from, const CUDA_KERNEL_NODE_PARAMS *p, SgOp **out) {
  const LaunchOp *l = (const LaunchOp *)from;
  CUresult r = node_op(p, l->launch.cooperative, out);
  if (!r) ((LaunchOp *)*out)->priority = l->priority;
  return r;
}

/* Only whether the launch is cooperative makes a difference here; a priority is kept for who asks. */
CUresult sg_launch_op_set(const SgOp *op, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *v, SgOp **out) {
  const LaunchOp *l = (const LaunchOp *)op;
  const SgFunction *f = function_of(op);
  if (!f) return node_check(op);
  if (id != CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE && id != CU_KERNEL_NODE_ATTRIBUTE_PRIORITY) {
    sg_say(CU_LOG_LEVEL_ERROR, "Attribute %d is not one that kernel nodes of the software device have",
           (int)id);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const size_t size = sizeof *l + sg_kernel_info(f->kernel)->param_bytes;
  LaunchOp *copy = malloc(size);
  if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(copy, l, size);
  copy->op.shared = 0;
  copy->op.next = NULL;
  copy->pointers = NULL;
  copy->launch.params = copy->params;
  if (id == CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE)
    copy->launch.cooperative = v->cooperative != 0;
  else
    copy->priority = v->priority;
  *out = &copy->op;
  return CUDA_SUCCESS;
}

CUresult sg_launch_op_get(const SgOp *op, CUkernelNodeAttrID id, CUkernelNodeAttrValue *v) {
  const LaunchOp *l = (const LaunchOp *)op;
  memset(v, 0, sizeof *v);
  if (id == CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE)
    v->cooperative = l->launch.cooperative;
  else if (id == CU_KERNEL_NODE_ATTRIBUTE_PRIORITY)
    v->priority = l->priority;
  else
    return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_SUCCESS;
}

CUresult sg_launch_op_params(SgOp *op, CUDA_KERNEL_NODE_PARAMS *p) {
  LaunchOp *l = (LaunchOp *)op;
  const SgFunction *f = function_of(op);
  if (!f) return node_check(op);
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  if (!l->pointers) l->pointers = calloc(k->nparams + 1, sizeof *l->pointers);
  if (!l->pointers) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < k->nparams; i++) l->pointers[i] = l->params + k->params[i].offset;
  *p = (CUDA_KERNEL_NODE_PARAMS){.func = l->function,
                                 .gridDimX = l->launch.grid[0],
                                 .gridDimY = l->launch.grid[1],
                                 .gridDimZ = l->launch.grid[2],
                                 .blockDimX = l->launch.block[0],
                                 .blockDimY = l->launch.block[1],
                                 .blockDimZ = l->launch.block[2],
                                 .sharedMemBytes = l->launch.dynamic_shared,
                                 .kernelParams = l->pointers,
                                 .ctx = f->o.ctx->o.handle};
  return CUDA_SUCCESS;
}

#define LOG_LAUNCH "function=0x%llx grid=%u,%u,%u block=%u,%u,%u shared=%u stream=0x%llx"

SG_API CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                               unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                               unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                               void **kernelParams, void **extra) {
  Dims d = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, false, false};
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, launch_handles(f, &d, hStream, kernelParams, extra), LOG_LAUNCH,
          SG_X(f), gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
          SG_X(hStream));
}

SG_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                          unsigned int gridDimZ, unsigned int blockDimX,
                                          unsigned int blockDimY, unsigned int blockDimZ,
                                          unsigned int sharedMemBytes, CUstream hStream,
                                          void **kernelParams) {
  Dims d = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, true, false};
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, launch_handles(f, &d, hStream, kernelParams, NULL), LOG_LAUNCH, SG_X(f),
          gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, SG_X(hStream));
}

CUresult sg_launch_packed(CUfunction f, const unsigned grid[3], const unsigned block[3], unsigned shared,
                          CUstream stream, const void *data, size_t size) {
  const Dims d = {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, false, false};
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)data, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &size, CU_LAUNCH_PARAM_END};
  return launch_handles(f, &d, stream, NULL, extra);
}

/* --- with attributes --- */

typedef struct Extras {
  Dims dims;
  CUevent event[2]; /* to record after it */
} Extras;

static CUresult no_clusters(const char *what, unsigned x, unsigned y, unsigned z) {
  if (x == 1 && y == 1 && z == 1) return CUDA_SUCCESS;
  sg_say(CU_LOG_LEVEL_ERROR, "The software device has no clusters: %s (%u,%u,%u) was requested", what, x, y,
         z);
  return CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

/* Hints and priorities change nothing here, nor does the leave to begin before the kernel that comes first in
 * the stream has ended: kernels run one after another. */
static CUresult read_attribute(const CUlaunchAttribute *a, Extras *x) {
  const CUlaunchAttributeValue *v = &a->value;
  switch (a->id) {
  case CU_LAUNCH_ATTRIBUTE_IGNORE:
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: x->dims.cooperative = v->cooperative != 0; return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    x->dims.clustered = true;
    return no_clusters("cluster", v->clusterDim.x, v->clusterDim.y, v->clusterDim.z);
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    return no_clusters("preferred cluster", v->preferredClusterDim.x, v->preferredClusterDim.y,
                       v->preferredClusterDim.z);
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return v->sharedMemCarveout <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; /* the default is none */
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    x->event[0] = v->programmaticEvent.event;
    return sg_event_plain(x->event[0]);
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    x->event[1] = v->launchCompletionEvent.event;
    return sg_event_plain(x->event[1]);
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    sg_say(CU_LOG_LEVEL_ERROR, "The software device has no kernel nodes that kernels can update");
    return CUDA_ERROR_NOT_SUPPORTED;
  default:
    sg_say(CU_LOG_LEVEL_ERROR, "Launch attribute %d is not one of a launch", (int)a->id);
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult launch_ex(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
  if (!c || (c->numAttrs && !c->attrs)) return CUDA_ERROR_INVALID_VALUE;
  Extras x = {.dims = {{c->gridDimX, c->gridDimY, c->gridDimZ},
                       {c->blockDimX, c->blockDimY, c->blockDimZ},
                       c->sharedMemBytes,
                       false,
                       false}};
  CUresult r = CUDA_SUCCESS;
  for (unsigned i = 0; !r && i < c->numAttrs; i++) r = read_attribute(&c->attrs[i], &x);
  if (!r) r = launch_handles(f, &x.dims, c->hStream, params, extra);
  for (int i = 0; !r && i < 2; i++)
    if (x.event[i]) r = sg_event_record_plain(x.event[i], c->hStream);
  return r;
}

SG_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                                 void **extra) {
  static const CUlaunchConfig none;
  const CUlaunchConfig *c = config ? config : &none;
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, launch_ex(config, f, kernelParams, extra), LOG_LAUNCH " attributes=%u",
          SG_X(f), c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ,
          c->sharedMemBytes, SG_X(c->hStream), c->numAttrs);
}
