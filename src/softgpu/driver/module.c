/* Modules and the functions in them. */
#include "driver/jit.h"

#include <stdlib.h>

struct SgDrvModule {
  SgObject o;
  SgModule *code;
  SgFunction **function; /* one per kernel, made when first asked for */
  uint32_t functions;
  SgRefs *refs; /* those that were asked for */
  bool part;    /* of a library (driver/library.c) */
};

/* --- loading --- */

SgDrvModule *sg_module_adopt(SgContext *ctx, SgModule *code, bool part) {
  SgDrvModule *m = calloc(1, sizeof *m);
  if (m) {
    m->functions = sg_module_nkernels(code);
    m->function = calloc(m->functions ? m->functions : 1, sizeof *m->function);
  }
  if (!m || !m->function || !sg_handle_new(SG_H_MODULE, &m->o, ctx)) {
    if (m) free(m->function);
    free(m);
    sg_module_unload(code);
    return NULL;
  }
  m->code = code;
  m->part = part;
  return m;
}

const SgModule *sg_module_code(const SgDrvModule *m) { return m->code; }

bool sg_module_part(const SgObject *o) { return ((const SgDrvModule *)o)->part; }

static CUresult module_load(CUmodule *out, const void *image, unsigned n, const CUjit_option *options,
                            void **values) {
  SgJit j;
  SgModule *code;
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = sg_jit_read(&j, n, options, values);
  if (r) return r;
  SgCodeKind kind = sg_code_kind(image);
  if (kind != SG_IMAGE_PTX && kind != SG_IMAGE_LINKED) return sg_jit_refuse(&j, kind);
  SgContext *ctx = sg_ctx();
  SgDiag diag;
  sg_output_flush(ctx);
  r = sg_jit_compile(&j, ctx, image, &diag, &code);
  if (r) return sg_jit_fail_at(&j, r, "ptx input", &diag);
  const SgDrvModule *m = sg_module_adopt(ctx, code, false);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = m->o.handle;
  return CUDA_SUCCESS;
}

/* Loading is allowed while a stream is captured, unloading is not (measured on an H200, driver 580). */
SG_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  SG_CALL(SG_NEED_CONTEXT, module_load(module, image, 0, NULL, NULL), "module=0x%llx", SG_OUT(module));
}

SG_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                   CUjit_option *options, void **optionValues) {
  SG_CALL(SG_NEED_CONTEXT, module_load(module, image, numOptions, options, optionValues),
          "module=0x%llx options=%u", SG_OUT(module), numOptions);
}

static CUresult module_load_file(CUmodule *out, const char *name) {
  if (!out || !name || !*name) return CUDA_ERROR_INVALID_VALUE;
  char *data = sg_read_file(name);
  if (!data) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult r = module_load(out, data, 0, NULL, NULL);
  free(data);
  return r;
}

SG_API CUresult cuModuleLoad(CUmodule *module, const char *fname) {
  SG_CALL(SG_NEED_CONTEXT, module_load_file(module, fname), "module=0x%llx file=%s", SG_OUT(module),
          SG_S(fname));
}

SG_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
  SG_CALL(SG_NEED_CONTEXT, module_load(module, fatCubin, 0, NULL, NULL), "module=0x%llx", SG_OUT(module));
}

void sg_module_free(SgObject *o, bool orphan) {
  SgDrvModule *m = (SgDrvModule *)o;
  for (uint32_t i = 0; i < m->functions; i++) {
    if (!m->function[i]) continue;
    sg_handle_free(&m->function[i]->o, orphan);
    free(m->function[i]->old);
    free(m->function[i]);
  }
  free(m->function);
  sg_refs_free(m->refs, orphan);
  sg_module_unload(m->code);
  sg_handle_free(o, orphan);
  free(m);
}

static SgDrvModule *module_get(CUmodule h, CUresult *code) {
  SgDrvModule *m = sg_handle_get(SG_H_MODULE, h, code);
  if (m && (*code = sg_health(m->o.ctx)) != CUDA_SUCCESS) return NULL;
  return m;
}

SgDrvModule *sg_module_get(CUmodule h, CUresult *code) { return module_get(h, code); }

SgContext *sg_module_context(const SgDrvModule *m) { return m->o.ctx; }

SgRefs **sg_module_refs(SgDrvModule *m) { return &m->refs; }

static CUresult module_unload(CUmodule h) {
  CUresult code;
  SgDrvModule *m = module_get(h, &code);
  if (!m) return code;
  if (m->part) return CUDA_ERROR_NOT_PERMITTED;
  int device = m->o.ctx->device;
  uint64_t id = m->o.id;
  sg_drain(m->o.ctx);
  if (sg_state.device[device].sticky) return sg_state.device[device].sticky;
  m = module_get(h, &code); /* a host function may have let another thread in */
  if (!m || m->o.id != id) return CUDA_ERROR_INVALID_HANDLE;
  sg_output_flush(m->o.ctx);
  sg_module_free(&m->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleUnload(CUmodule hmod) {
  SG_CALL(SG_NEED_HEALTH | SG_UNSAFE, module_unload(hmod), "module=0x%llx", SG_X(hmod));
}

/* --- what is in a module --- */

void sg_function_init(SgFunction *f, SgKernel *k) {
  *f = (SgFunction){.o = f->o, .kernel = k, .carveout = -1};
  f->max_dynamic_shared = SG_SHARED_DEFAULT - (int)sg_kernel_info(k)->shared_bytes;
  if (f->max_dynamic_shared < 0) f->max_dynamic_shared = 0;
  for (int n = 0; n < 3; n++) f->cluster[n] = (int)sg_kernel_info(k)->cluster[n];
}

/* The handle of kernel i: the same one each time. */
static SgFunction *function_at(SgDrvModule *m, uint32_t i) {
  if (m->function[i]) return m->function[i];
  SgFunction *f = calloc(1, sizeof *f);
  if (!f || !sg_handle_new(SG_H_FUNCTION, &f->o, m->o.ctx)) {
    free(f);
    return NULL;
  }
  sg_function_init(f, sg_module_kernel_at(m->code, i));
  f->module = m;
  return m->function[i] = f;
}

SgFunction *sg_module_function(SgDrvModule *m, const char *name, CUresult *code) {
  const SgKernel *k = sg_module_kernel(m->code, name);
  *code = CUDA_ERROR_NOT_FOUND;
  if (k && sg_kernel_missing(k)) {
    sg_say(CU_LOG_LEVEL_ERROR, "kernel %s cannot run on the software device: %s", name, sg_kernel_missing(k));
    *code = CUDA_ERROR_NOT_SUPPORTED;
    return NULL;
  }
  for (uint32_t i = 0; k && i < m->functions; i++) {
    if (sg_module_kernel_at(m->code, i) != k) continue;
    *code = CUDA_ERROR_OUT_OF_MEMORY;
    return function_at(m, i);
  }
  return NULL;
}

static CUresult get_function(CUfunction *out, CUmodule h, const char *name) {
  CUresult code;
  if (!out || !name || !*name) return CUDA_ERROR_INVALID_VALUE;
  SgDrvModule *m = module_get(h, &code);
  const SgFunction *f = m ? sg_module_function(m, name, &code) : NULL;
  if (!f) return code;
  *out = f->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, get_function(hfunc, hmod, name),
          "function=0x%llx module=0x%llx name=%s", SG_OUT(hfunc), SG_X(hmod), SG_S(name));
}

static CUresult get_global(CUdeviceptr *p, size_t *bytes, CUmodule h, const char *name) {
  CUresult code;
  if (!name || (!p && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  SgDrvModule *m = module_get(h, &code);
  if (!m) return code;
  SgAlloc *a = sg_module_global(m->code, name);
  if (!a) return sg_module_kernel(m->code, name) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_FOUND;
  if (p) *p = a->base;
  if (bytes) *bytes = a->size;
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, get_global(dptr, bytes, hmod, name),
          "ptr=0x%llx bytes=%llu module=0x%llx name=%s", SG_OUT(dptr), SG_OUT(bytes), SG_X(hmod), SG_S(name));
}

static CUresult function_count(unsigned *out, CUmodule h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  SgDrvModule *m = module_get(h, &code);
  if (!m) return code;
  *out = m->functions;
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
  SG_CALL(SG_NEED_HEALTH, function_count(count, mod), "module=0x%llx count=%llu", SG_X(mod), SG_OUT(count));
}

static CUresult enumerate(CUfunction *out, unsigned room, CUmodule h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  SgDrvModule *m = module_get(h, &code);
  if (!m) return code;
  for (uint32_t i = 0; i < m->functions && i < room; i++) {
    SgFunction *f = function_at(m, i);
    if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
    out[i] = f->o.handle;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod) {
  SG_CALL(SG_NEED_HEALTH, enumerate(functions, numFunctions, mod), "module=0x%llx room=%u", SG_X(mod),
          numFunctions);
}

static CUresult loading_mode(CUmoduleLoadingMode *out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

SG_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  SG_CALL(SG_NEED_INIT, loading_mode(mode), "%s", "");
}

/* --- functions --- */

static SgFunction *function_get(CUfunction h, CUresult *code) {
  SgFunction *f = sg_handle_get(SG_H_FUNCTION, h, code);
  if (f && (*code = sg_health(f->o.ctx)) != CUDA_SUCCESS) return NULL;
  return f;
}

/* The attributes of clusters are kept, no more: the device has none, and a launch says so. */
static int *cluster_attribute(SgFunction *f, CUfunction_attribute attribute) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: return &f->cluster[0];
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: return &f->cluster[1];
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: return &f->cluster[2];
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: return &f->non_portable_cluster;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return &f->cluster_policy;
  default: return NULL;
  }
}

static int cluster_attribute_most(CUfunction_attribute attribute) {
  return attribute == CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
             ? CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
             : INT32_MAX;
}

CUresult sg_function_attribute(SgFunction *f, CUfunction_attribute attribute, int *out) {
  const SgKernelInfo *k = sg_kernel_info(f->kernel);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *out = (int)k->max_threads; break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *out = (int)k->shared_bytes; break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *out = (int)k->const_bytes; break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *out = (int)k->local_bytes; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *out = (int)k->num_regs; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *out = k->ptx_version; break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *out = 80; break;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *out = 0; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *out = f->max_dynamic_shared; break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *out = f->carveout; break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *out = k->explicit_cluster || f->cluster[0] > 0 || f->cluster[1] > 0 || f->cluster[2] > 0;
    break;
  default:
    if (!cluster_attribute(f, attribute)) return CUDA_ERROR_INVALID_VALUE;
    *out = *cluster_attribute(f, attribute);
  }
  return CUDA_SUCCESS;
}

static CUresult func_get_attribute(int *out, CUfunction_attribute attribute, CUfunction h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = function_get(h, &code);
  return f ? sg_function_attribute(f, attribute, out) : code;
}

SG_API CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, func_get_attribute(pi, attrib, hfunc), "function=0x%llx attribute=%d",
          SG_X(hfunc), (int)attrib);
}

CUresult sg_function_set(SgFunction *f, CUfunction_attribute attribute, int value) {
  int most = SG_SHARED_OPTIN - (int)sg_kernel_info(f->kernel)->shared_bytes;
  int *cluster = cluster_attribute(f, attribute);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 && value <= most)
    f->max_dynamic_shared = value;
  else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && value >= -1 && value <= 100)
    f->carveout = value;
  else if (cluster && value >= 0 && value <= cluster_attribute_most(attribute))
    *cluster = value;
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

static CUresult func_set_attribute(CUfunction h, CUfunction_attribute attribute, int value) {
  CUresult code;
  SgFunction *f = function_get(h, &code);
  return f ? sg_function_set(f, attribute, value) : code;
}

SG_API CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  SG_CALL(SG_NEED_HEALTH, func_set_attribute(hfunc, attrib, value), "function=0x%llx attribute=%d value=%d",
          SG_X(hfunc), (int)attrib, value);
}

static CUresult func_load(CUfunction h) {
  CUresult code;
  return function_get(h, &code) ? CUDA_SUCCESS : code;
}

/* A preference from 0 to `most`, which changes nothing here. */
static CUresult func_prefer(CUfunction h, unsigned config, unsigned most) {
  return config > most ? CUDA_ERROR_INVALID_VALUE : func_load(h);
}

SG_API CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  SG_CALL(SG_NEED_HEALTH, func_prefer(hfunc, (unsigned)config, CU_FUNC_CACHE_PREFER_EQUAL),
          "function=0x%llx config=%d", SG_X(hfunc), (int)config);
}

SG_API CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  SG_CALL(SG_NEED_HEALTH, func_prefer(hfunc, (unsigned)config, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE),
          "function=0x%llx config=%d", SG_X(hfunc), (int)config);
}

static CUresult func_name(const char **out, CUfunction h) {
  CUresult code;
  if (!out || !h) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = function_get(h, &code);
  if (!f) return code;
  *out = sg_kernel_info(f->kernel)->name;
  return CUDA_SUCCESS;
}

SG_API CUresult cuFuncGetName(const char **name, CUfunction hfunc) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, func_name(name, hfunc), "function=0x%llx", SG_X(hfunc));
}

static CUresult func_module(CUmodule *out, CUfunction h) {
  CUresult code;
  if (!out || !h) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = function_get(h, &code);
  if (!f) return code;
  *out = f->module->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, func_module(hmod, hfunc), "function=0x%llx module=0x%llx", SG_X(hfunc),
          SG_OUT(hmod));
}

CUresult sg_kernel_param(const SgKernel *kernel, size_t i, size_t *offset, size_t *size) {
  const SgKernelInfo *k = sg_kernel_info(kernel);
  if (i >= k->nparams) return CUDA_ERROR_INVALID_VALUE;
  *offset = k->params[i].offset;
  if (size) *size = k->params[i].size;
  return CUDA_SUCCESS;
}

static CUresult param_info(CUfunction h, size_t i, size_t *offset, size_t *size) {
  CUresult code;
  if (!offset || !h) return CUDA_ERROR_INVALID_VALUE;
  SgFunction *f = function_get(h, &code);
  return f ? sg_kernel_param(f->kernel, i, offset, size) : code;
}

SG_API CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, param_info(func, paramIndex, paramOffset, paramSize),
          "function=0x%llx index=%zu offset=%llu", SG_X(func), paramIndex, SG_OUT(paramOffset));
}

static CUresult func_loaded(CUfunctionLoadingState *out, CUfunction h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!function_get(h, &code)) return code;
  *out = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

SG_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  SG_CALL(SG_NEED_HEALTH, func_loaded(state, function), "function=0x%llx", SG_X(function));
}

SG_API CUresult cuFuncLoad(CUfunction function) {
  SG_CALL(SG_NEED_HEALTH, func_load(function), "function=0x%llx", SG_X(function));
}
