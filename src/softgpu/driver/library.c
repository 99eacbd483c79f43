/* Libraries: code that is loaded once, without a context, and its kernels, which can be launched in all of
 * them.
 *
 * A library keeps its text. Each context that uses it gets a module of its own, compiled when it first does;
 * that is where variables live. What can be asked of a kernel without a context is answered by any of these
 * modules, or by one that is compiled for no context. */
#include "driver/jit.h"

#include <stdlib.h>
#include <string.h>

/* What cuKernelSetAttribute has set, for all contexts of a device. */
typedef struct Settings {
  bool given[CU_FUNC_ATTRIBUTE_MAX];
  int value[CU_FUNC_ATTRIBUTE_MAX];
} Settings;

typedef struct Kernel {
  SgObject o;
  struct Library *library;
  char *name;
  Settings *set[SG_MAX_DEVICES];
} Kernel;

/* The library in one context. */
typedef struct Instance {
  struct Instance *next;
  uint64_t ctx;
  void *module; /* its handle: the context takes the module along when it goes */
  uint32_t generation;
} Instance;

typedef struct Library {
  SgObject o;
  SgJit jit; /* the limits of the options it was loaded with; no logs */
  char *image;
  SgModule *code; /* for no context, or NULL */
  Instance *instances;
  Kernel **kernel;
  uint32_t kernels;
} Library;

static Library *library_get(CUlibrary h, CUresult *code) { return sg_handle_get(SG_H_LIBRARY, h, code); }
static Kernel *kernel_get(CUkernel h, CUresult *code) { return sg_handle_get(SG_H_KERNEL, h, code); }

/* --- modules of a library --- */

static SgDrvModule *module_of(const Instance *i) {
  return sg_handle_peek(SG_H_MODULE, i->module, i->generation);
}

static void drop_dead_instances(Library *l) {
  for (Instance **at = &l->instances; *at;) {
    Instance *i = *at;
    if (module_of(i)) {
      at = &i->next;
    } else {
      *at = i->next;
      free(i);
    }
  }
}

static CUresult instance_new(Library *l, SgJit *j, SgContext *ctx, SgDrvModule **out) {
  SgDiag diag;
  SgModule *code;
  CUresult r = sg_health(ctx);
  if (r) return r;
  Instance *i = calloc(1, sizeof *i);
  if (!i) return CUDA_ERROR_OUT_OF_MEMORY;
  r = sg_jit_compile(j, ctx, l->image, &diag, &code);
  if (r) sg_jit_fail_at(j, r, "ptx input", &diag);
  if (!r && !(*out = sg_module_adopt(ctx, code, true))) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    free(i);
    return r;
  }
  const SgObject *o = (const SgObject *)*out;
  *i = (Instance){l->instances, ctx->o.id, o->handle, sg_handle_generation(SG_H_MODULE, o->handle)};
  l->instances = i;
  return CUDA_SUCCESS;
}

/* The library's module in that context; NULL: *code. */
static SgDrvModule *module_in(Library *l, SgContext *ctx, CUresult *code) {
  SgDrvModule *m = NULL;
  SgJit j = l->jit;
  drop_dead_instances(l);
  for (const Instance *i = l->instances; i; i = i->next)
    if (i->ctx == ctx->o.id) return module_of(i);
  *code = instance_new(l, &j, ctx, &m);
  return m;
}

static CUresult compile_for_none(Library *l, SgJit *j) {
  static const SgContext none;
  SgDiag diag;
  CUresult r = sg_jit_compile(j, &none, l->image, &diag, &l->code);
  return r ? sg_jit_fail_at(j, r, "ptx input", &diag) : CUDA_SUCCESS;
}

/* Any compiled form of the library; NULL: no memory. */
static const SgModule *any_code(Library *l) {
  SgJit j = l->jit;
  if (l->code) return l->code;
  drop_dead_instances(l);
  if (l->instances) return sg_module_code(module_of(l->instances));
  return compile_for_none(l, &j) ? NULL : l->code;
}

/* --- loading and unloading --- */

static void free_kernel(Kernel *k) {
  sg_handle_free(&k->o, false);
  for (int i = 0; i < SG_MAX_DEVICES; i++) free(k->set[i]);
  free(k->name);
  free(k);
}

static void library_free(SgObject *o, void *registered) {
  Library *l = (Library *)o;
  while (l->instances) {
    Instance *i = l->instances;
    SgDrvModule *m = module_of(i);
    l->instances = i->next;
    free(i);
    if (m) sg_module_free((SgObject *)m, false);
  }
  for (uint32_t i = 0; i < l->kernels; i++) free_kernel(l->kernel[i]);
  free(l->kernel);
  if (l->code) sg_module_unload(l->code);
  free(l->image);
  if (registered) sg_handle_free(o, false);
  free(l);
}

void sg_libraries_reset(void) {
  bool registered = true;
  sg_handles_each(SG_H_LIBRARY, NULL, library_free, &registered);
}

static bool add_kernels(Library *l, const SgModule *code) {
  const uint32_t n = sg_module_nkernels(code);
  l->kernel = calloc(n ? n : 1, sizeof *l->kernel);
  if (!l->kernel) return false;
  for (; l->kernels < n; l->kernels++) {
    Kernel *k = calloc(1, sizeof *k);
    if (k) k->name = strdup(sg_kernel_info(sg_module_kernel_at(code, l->kernels))->name);
    if (!k || !k->name || !sg_handle_new(SG_H_KERNEL, &k->o, NULL)) {
      if (k) free(k->name);
      free(k);
      return false;
    }
    k->library = l;
    l->kernel[l->kernels] = k;
  }
  return true;
}

/* Compiled at once, so that an error shows: for the current context, if there is one that works. (A GPU's
 * driver that loads lazily, as it does unless told otherwise, finds such errors later.) */
static CUresult library_fill(Library *l, SgJit *j, const char *image) {
  CUresult none;
  SgDrvModule *m = NULL;
  SgContext *ctx = sg_current(&none);
  l->jit = (SgJit){.max_registers = j->max_registers,
                   .threads = j->threads,
                   .max_threads = j->max_threads,
                   .override = j->override};
  l->image = strdup(image);
  if (!l->image) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = ctx && !sg_health(ctx) ? instance_new(l, j, ctx, &m) : compile_for_none(l, j);
  if (r) return r;
  return add_kernels(l, any_code(l)) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool options_valid(const CUlibraryOption *options, void **values, unsigned n) {
  if (n && (!options || !values)) return false;
  for (unsigned i = 0; i < n; i++)
    if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS) return false;
  return true;
}

static CUresult library_load(CUlibrary *out, const void *image, CUjit_option *jit, void **jit_values,
                             unsigned n, const CUlibraryOption *options, void **values, unsigned m) {
  SgJit j;
  if (!out || !image || !options_valid(options, values, m)) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = sg_jit_read(&j, n, jit, jit_values);
  if (r) return r;
  SgCodeKind kind = sg_code_kind(image);
  if (kind != SG_IMAGE_PTX && kind != SG_IMAGE_LINKED) return sg_jit_refuse(&j, kind);
  Library *l = calloc(1, sizeof *l);
  if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
  r = library_fill(l, &j, image);
  if (!r && !sg_handle_new(SG_H_LIBRARY, &l->o, NULL)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    library_free(&l->o, NULL);
    return r;
  }
  *out = l->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                  void **jitOptionsValues, unsigned int numJitOptions,
                                  CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                  unsigned int numLibraryOptions) {
  SG_CALL(SG_NEED_INIT,
          library_load(library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
                       libraryOptionValues, numLibraryOptions),
          "library=0x%llx options=%u,%u", SG_OUT(library), numJitOptions, numLibraryOptions);
}

static CUresult library_load_file(CUlibrary *out, const char *name, CUjit_option *jit, void **jit_values,
                                  unsigned n, const CUlibraryOption *options, void **values, unsigned m) {
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  char *data = sg_read_file(name);
  if (!data) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult r = library_load(out, data, jit, jit_values, n, options, values, m);
  free(data);
  return r;
}

SG_API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                      void **jitOptionsValues, unsigned int numJitOptions,
                                      CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                      unsigned int numLibraryOptions) {
  SG_CALL(SG_NEED_INIT,
          library_load_file(library, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions,
                            libraryOptionValues, numLibraryOptions),
          "library=0x%llx file=%s options=%u,%u", SG_OUT(library), SG_S(fileName), numJitOptions,
          numLibraryOptions);
}

static CUresult library_unload(CUlibrary h) {
  CUresult code;
  Library *l = library_get(h, &code);
  if (!l) return code;
  const uint64_t id = l->o.id;
  sg_drain(NULL);            /* kernels of it may be queued anywhere */
  l = library_get(h, &code); /* a host function may have let another thread in */
  if (!l || l->o.id != id) return CUDA_ERROR_INVALID_HANDLE;
  drop_dead_instances(l);
  for (const Instance *i = l->instances; i; i = i->next)
    sg_output_flush(((const SgObject *)module_of(i))->ctx);
  library_free(&l->o, l);
  return CUDA_SUCCESS;
}

SG_API CUresult cuLibraryUnload(CUlibrary library) {
  SG_CALL(SG_NEED_INIT | SG_UNSAFE, library_unload(library), "library=0x%llx", SG_X(library));
}

/* --- what is in a library --- */

static CUresult get_kernel(CUkernel *out, CUlibrary h, const char *name) {
  CUresult code;
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  Library *l = library_get(h, &code);
  if (!l) return code;
  const SgModule *m = any_code(l);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < l->kernels; i++) {
    if (strcmp(l->kernel[i]->name, name) != 0) continue;
    const char *missing = sg_kernel_missing(sg_module_kernel(m, name));
    if (missing) {
      sg_say(CU_LOG_LEVEL_ERROR, "kernel %s cannot run on the software device: %s", name, missing);
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    *out = l->kernel[i]->o.handle;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

SG_API CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
  SG_CALL(SG_NEED_INIT, get_kernel(pKernel, library, name), "kernel=0x%llx library=0x%llx name=%s",
          SG_OUT(pKernel), SG_X(library), SG_S(name));
}

static CUresult kernel_count(unsigned *out, CUlibrary h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Library *l = library_get(h, &code);
  if (!l) return code;
  *out = l->kernels;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
  SG_CALL(SG_NEED_INIT, kernel_count(count, lib), "library=0x%llx count=%llu", SG_X(lib), SG_OUT(count));
}

static CUresult enumerate(CUkernel *out, unsigned room, CUlibrary h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Library *l = library_get(h, &code);
  if (!l) return code;
  for (uint32_t i = 0; i < l->kernels && i < room; i++) out[i] = l->kernel[i]->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
  SG_CALL(SG_NEED_INIT, enumerate(kernels, numKernels, lib), "library=0x%llx room=%u", SG_X(lib), numKernels);
}

static CUresult get_module(CUmodule *out, CUlibrary h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Library *l = library_get(h, &code);
  const SgDrvModule *m = l ? module_in(l, sg_ctx(), &code) : NULL;
  if (!m) return code;
  *out = ((const SgObject *)m)->handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
  SG_CALL(SG_NEED_CONTEXT, get_module(pMod, library), "module=0x%llx library=0x%llx", SG_OUT(pMod),
          SG_X(library));
}

/* The code whose variables are meant: managed ones are there without a context too. NULL: *code. */
static const SgModule *code_of(Library *l, bool managed, CUresult *code) {
  SgContext *ctx = sg_current(code);
  if (managed && (!ctx || sg_health(ctx))) {
    *code = CUDA_ERROR_OUT_OF_MEMORY;
    return any_code(l);
  }
  const SgDrvModule *m = module_in(l, ctx, code);
  return m ? sg_module_code(m) : NULL;
}

static CUresult get_variable(CUdeviceptr *p, size_t *bytes, CUlibrary h, const char *name, bool managed) {
  CUresult code;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  Library *l = library_get(h, &code);
  const SgModule *m = l ? code_of(l, managed, &code) : NULL;
  if (!m) return code;
  SgAlloc *a = sg_module_global(m, name);
  if (!a || (managed && a->kind != SG_MANAGED)) return CUDA_ERROR_NOT_FOUND;
  if (p) *p = a->base;
  if (bytes) *bytes = a->size;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
  SG_CALL(SG_NEED_CONTEXT, get_variable(dptr, bytes, library, name, false),
          "ptr=0x%llx bytes=%llu library=0x%llx name=%s", SG_OUT(dptr), SG_OUT(bytes), SG_X(library),
          SG_S(name));
}

SG_API CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
  SG_CALL(SG_NEED_INIT, get_variable(dptr, bytes, library, name, true),
          "ptr=0x%llx bytes=%llu library=0x%llx name=%s", SG_OUT(dptr), SG_OUT(bytes), SG_X(library),
          SG_S(name));
}

/* --- kernels --- */

/* The kernel as a function of that context; NULL: *code. */
static SgFunction *function_in(Kernel *k, SgContext *ctx, CUresult *code) {
  SgDrvModule *m = module_in(k->library, ctx, code);
  SgFunction *f = m ? sg_module_function(m, k->name, code) : NULL;
  const Settings *set = k->set[ctx->device];
  if (f && set && !f->of_kernel) /* a new one: later settings go to the functions that are there */
    for (int a = 0; a < CU_FUNC_ATTRIBUTE_MAX; a++)
      if (set->given[a]) sg_function_set(f, (CUfunction_attribute)a, set->value[a]);
  if (f) f->of_kernel = true;
  return f;
}

SgFunction *sg_function_get(const void *handle, SgContext *ctx, CUresult *code) {
  const uint32_t generation = sg_handle_generation(SG_H_KERNEL, handle);
  Kernel *k = generation ? kernel_get((CUkernel)handle, code) : NULL;
  if (k && !ctx) *code = CUDA_ERROR_INVALID_CONTEXT;
  if (k) return ctx ? function_in(k, ctx, code) : NULL;
  return generation ? NULL : sg_handle_get(SG_H_FUNCTION, handle, code);
}

static CUresult get_function(CUfunction *out, CUkernel h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Kernel *k = kernel_get(h, &code);
  const SgFunction *f = k ? function_in(k, sg_ctx(), &code) : NULL;
  if (!f) return code;
  *out = f->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
  SG_CALL(SG_NEED_CONTEXT, get_function(pFunc, kernel), "function=0x%llx kernel=0x%llx", SG_OUT(pFunc),
          SG_X(kernel));
}

static CUresult get_library(CUlibrary *out, CUkernel h) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Kernel *k = kernel_get(h, &code);
  if (!k) return code;
  *out = k->library->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
  SG_CALL(SG_NEED_INIT, get_library(pLib, kernel), "library=0x%llx kernel=0x%llx", SG_OUT(pLib),
          SG_X(kernel));
}

static CUresult get_name(const char **out, CUkernel h) {
  CUresult code;
  if (!out || !h) return CUDA_ERROR_INVALID_VALUE;
  const Kernel *k = kernel_get(h, &code);
  if (!k) return code;
  *out = k->name;
  return CUDA_SUCCESS;
}

SG_API CUresult cuKernelGetName(const char **name, CUkernel hfunc) {
  SG_CALL(SG_NEED_INIT, get_name(name, hfunc), "kernel=0x%llx", SG_X(hfunc));
}

/* The kernel on a device, as a function without a context, or the code. */
static CUresult describe(Kernel *k, CUdevice device, SgFunction *f) {
  const SgModule *m = any_code(k->library);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  sg_function_init(f, sg_module_kernel(m, k->name));
  const Settings *set = k->set[device];
  for (int a = 0; set && a < CU_FUNC_ATTRIBUTE_MAX; a++)
    if (set->given[a]) sg_function_set(f, (CUfunction_attribute)a, set->value[a]);
  return CUDA_SUCCESS;
}

static CUresult param_info(CUkernel h, size_t i, size_t *offset, size_t *size) {
  CUresult code;
  SgFunction f;
  if (!offset || !h) return CUDA_ERROR_INVALID_VALUE;
  Kernel *k = kernel_get(h, &code);
  if (!k) return code;
  code = describe(k, 0, &f);
  return code ? code : sg_kernel_param(f.kernel, i, offset, size);
}

SG_API CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                                     size_t *paramSize) {
  SG_CALL(SG_NEED_CONTEXT, param_info(kernel, paramIndex, paramOffset, paramSize),
          "kernel=0x%llx index=%zu offset=%llu", SG_X(kernel), paramIndex, SG_OUT(paramOffset));
}

static CUresult get_attribute(int *out, CUfunction_attribute attribute, CUkernel h, CUdevice device) {
  CUresult code;
  SgFunction f;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(device)) return CUDA_ERROR_INVALID_DEVICE;
  Kernel *k = kernel_get(h, &code);
  if (!k) return code;
  code = describe(k, device, &f);
  return code ? code : sg_function_attribute(&f, attribute, out);
}

SG_API CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, get_attribute(pi, attrib, kernel, dev), "kernel=0x%llx attribute=%d dev=%d",
          SG_X(kernel), (int)attrib, dev);
}

/* For the functions that are there, and for those to come. */
static CUresult keep_setting(Kernel *k, CUfunction_attribute attribute, int value, CUdevice device) {
  CUresult code;
  if (!k->set[device]) k->set[device] = calloc(1, sizeof *k->set[device]);
  if (!k->set[device]) return CUDA_ERROR_OUT_OF_MEMORY;
  k->set[device]->given[attribute] = true;
  k->set[device]->value[attribute] = value;
  drop_dead_instances(k->library);
  for (const Instance *i = k->library->instances; i; i = i->next) {
    SgDrvModule *m = module_of(i);
    SgFunction *f =
        ((const SgObject *)m)->ctx->device == device ? sg_module_function(m, k->name, &code) : NULL;
    if (f) sg_function_set(f, attribute, value);
  }
  return CUDA_SUCCESS;
}

static CUresult set_attribute(CUfunction_attribute attribute, int value, CUkernel h, CUdevice device) {
  CUresult code;
  SgFunction f;
  if (!sg_device_valid(device)) return CUDA_ERROR_INVALID_DEVICE;
  Kernel *k = kernel_get(h, &code);
  if (!k) return code;
  code = describe(k, device, &f);
  if (!code) code = sg_function_set(&f, attribute, value);
  return code ? code : keep_setting(k, attribute, value, device);
}

SG_API CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, set_attribute(attrib, val, kernel, dev), "kernel=0x%llx attribute=%d value=%d dev=%d",
          SG_X(kernel), (int)attrib, val, dev);
}

static CUresult set_cache(CUkernel h, CUfunc_cache config, CUdevice device) {
  CUresult code;
  if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(device)) return CUDA_ERROR_INVALID_DEVICE;
  return kernel_get(h, &code) ? CUDA_SUCCESS : code;
}

SG_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  SG_CALL(SG_NEED_INIT, set_cache(kernel, config, dev), "kernel=0x%llx config=%d dev=%d", SG_X(kernel),
          (int)config, dev);
}
