/* Module: loading an image (cubin, PTX, fatbin), finding kernels and variables in it. */
#include "launch.h"

#include <elf.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CUresult cl_module_destroy(cl_Rec *r) { return CU.cuModuleUnload((CUmodule)r->handle); }

static void free_function(cl_Function *fn) {
  free(fn->params);
  free(fn->block);
  free(fn->pointers);
  free(fn);
}

void cl_module_dispose(cl_Rec *r) {
  for (cl_Function *f = ((cl_Module *)r)->functions, *next; f; f = next) {
    next = f->next;
    free_function(f);
  }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

const char *cl_intern(const char *name) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static void *tree;
  pthread_mutex_lock(&lock);
  char **node = tfind(name, &tree, by_name);
  if (!node) {
    char *copy = strdup(name);
    node = copy ? tsearch(copy, &tree, by_name) : NULL;
  }
  pthread_mutex_unlock(&lock);
  return node ? *node : "?";
}

/* The driver takes no length and trusts the headers: a truncated cubin would make it read past the end. */
static bool image_is_whole(const char *s, size_t n) {
  if (n >= sizeof(Elf64_Ehdr) && !memcmp(s, ELFMAG, SELFMAG)) {
    Elf64_Ehdr h;
    memcpy(&h, s, sizeof h);
    uint64_t sections = (uint64_t)h.e_shnum * h.e_shentsize, programs = (uint64_t)h.e_phnum * h.e_phentsize;
    if (h.e_shoff > n || sections > n - h.e_shoff || h.e_phoff > n || programs > n - h.e_phoff) return false;
    for (unsigned i = 0; i < h.e_shnum; i++) {
      Elf64_Shdr sh;
      if (h.e_shentsize < sizeof sh) return false;
      memcpy(&sh, s + h.e_shoff + (uint64_t)i * h.e_shentsize, sizeof sh);
      if (sh.sh_type != SHT_NOBITS && (sh.sh_offset > n || sh.sh_size > n - sh.sh_offset)) return false;
    }
    return true;
  }
  static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
  if (n >= 16 &&
      !memcmp(s, fatbin, 4)) { /* u32 magic, u16 version, u16 header bytes, u64 bytes that follow */
    uint16_t header;
    uint64_t body;
    memcpy(&header, s + 6, 2);
    memcpy(&body, s + 8, 8);
    return header <= n && body <= n - header;
  }
  return n > 0 && (unsigned char)s[0] >= '\t' && (unsigned char)s[0] < 0x7f &&
         !memchr(s, 0, n); /* PTX is text */
}

/* module_load(image) -> Module */
int cl_module_load(lua_State *L) {
  size_t n;
  const char *image = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &n) : NULL;
  if (!image) return cl_bad_argument(L, 1, "image", "a string that holds a cubin, PTX or a fatbin");
  while (n && image[n - 1] == 0 && image[0] != 0x7f && image[0] != 0x50)
    n--; /* PTX may come with its zero byte */
  if (!image_is_whole(image, n))
    cl_logic(L, "module image: %zu bytes that are no whole cubin, PTX or fatbin", n);

  cl_Object *o = cl_push(L, CL_MODULE, sizeof *o);
  cl_Context *c = cl_context_current(L);
  cl_Module *m = (cl_Module *)cl_rec_new(CL_MODULE, sizeof *m, &c->rec);
  cl_rec_release(&c->rec);
  if (!m) return luaL_error(L, "not enough memory");
  o->rec = &m->rec;

  char log[8192] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUmodule handle = NULL;
  CUresult code = CU.cuModuleLoadDataEx(&handle, image, 2, options, values);
  if (code) {
    cl_fail_new(L, "cuModuleLoadDataEx", code);
    log[sizeof log - 1] = 0;
    if (log[0]) {
      lua_pushstring(L, log);
      lua_setfield(L, -2, "log");
    }
    cl_throw(L);
  }
  m->rec.handle = (uint64_t)(uintptr_t)handle;
  m->rec.life = CL_LIVE;
  return 1;
}

static void push_entry_names(lua_State *L, CUmodule module) {
  unsigned count = 0;
  CUfunction *list = NULL;
  if (!CU.cuModuleGetFunctionCount(&count, module) && count) list = calloc(count, sizeof *list);
  if (list && CU.cuModuleEnumerateFunctions(list, count, module)) count = 0;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (unsigned i = 0, shown = 0; list && i < count && shown < 40; i++) {
    const char *name = NULL;
    if (CU.cuFuncGetName(&name, list[i]) || !name) continue;
    if (shown++) luaL_addstring(&b, ", ");
    luaL_addstring(&b, name);
  }
  free(list);
  luaL_pushresult(&b);
}

/* Where each parameter lies, as the driver tells it (12.4 and newer): asked for until it says that there is
 * no such parameter. */
static CUresult read_layout(cl_Function *fn) {
  uint32_t room = 0;
  CUresult code;
  for (;; fn->nparams++) {
    size_t offset = 0, size = 0;
    code = CU.cuFuncGetParamInfo(fn->f, fn->nparams, &offset, &size);
    if (code) break;
    if (fn->nparams == room) {
      room = room ? 2 * room : 8;
      cl_Param *grown = realloc(fn->params, room * sizeof *grown);
      if (!grown) return CUDA_ERROR_OUT_OF_MEMORY;
      fn->params = grown;
    }
    cl_Param *p = &fn->params[fn->nparams];
    *p = (cl_Param){.type = CL_T_UNKNOWN, .offset = (uint32_t)offset, .size = (uint32_t)size};
    snprintf(p->text, sizeof p->text, "%zu bytes", size);
  }
  if (code != CUDA_ERROR_INVALID_VALUE && code != CL_MISSING) return code;
  cl_log_clear(); /* the driver logs the probe past the last one */
  if (code == CL_MISSING) return CUDA_SUCCESS;
  const uint32_t n = fn->nparams, bytes = n ? fn->params[n - 1].offset + fn->params[n - 1].size : 0;
  fn->block = calloc(1, bytes + 16);
  fn->pointers = calloc(n + 1, sizeof *fn->pointers);
  if (!fn->block || !fn->pointers) return CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < n; i++) fn->pointers[i] = fn->block + fn->params[i].offset;
  fn->layout_known = true;
  return CUDA_SUCCESS;
}

/* mod:get_function(name) -> Function, the same one each time */
int cl_module_get_function(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_MODULE);
  const char *name = cl_check_name(L, 2, "name");
  cl_Module *m = (cl_Module *)o->rec;
  cl_Function *fn = m->functions;
  while (fn && strcmp(fn->name, name)) fn = fn->next;
  if (!fn) {
    CUfunction handle = NULL;
    CUresult code = CU.cuModuleGetFunction(&handle, (CUmodule)m->rec.handle, name);
    if (code == CUDA_ERROR_NOT_FOUND) {
      push_entry_names(L, (CUmodule)m->rec.handle);
      cl_fail_new(L, "cuModuleGetFunction", code);
      lua_pushfstring(L, "no kernel named '%s' in this module; it has: %s", name, lua_tostring(L, -2));
      lua_setfield(L, -2, "message");
      cl_throw(L);
    }
    if (code) cl_fail(L, "cuModuleGetFunction", code);
    fn = calloc(1, sizeof *fn);
    if (!fn) return luaL_error(L, "not enough memory");
    fn->name = cl_intern(name);
    fn->f = handle;
    code = read_layout(fn);
    if (code) {
      free_function(fn);
      cl_fail(L, "cuFuncGetParamInfo", code);
    }
    fn->next = m->functions;
    m->functions = fn;
  }
  cl_FunctionObject *f = cl_push_interned(L, fn, &m->rec, CL_FUNCTION, sizeof *f);
  f->fn = fn;
  return 1;
}

/* mod:get_global(name) -> DevicePointer that holds the module, bytes */
int cl_module_get_global(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_MODULE);
  const char *name = cl_check_name(L, 2, "name");
  CUdeviceptr p = 0;
  size_t bytes = 0;
  CUresult code = CU.cuModuleGetGlobal_v2(&p, &bytes, (CUmodule)o->rec->handle, name);
  if (code) {
    cl_fail_new(L, "cuModuleGetGlobal_v2", code);
    if (code == CUDA_ERROR_NOT_FOUND) {
      lua_pushfstring(L, "no __device__ or __constant__ variable named '%s' in this module",
                      lua_tostring(L, 2));
      lua_setfield(L, -2, "message");
    }
    cl_throw(L);
  }
  cl_push_pointer(L, o->rec, p, bytes);
  lua_pushnumber(L, (lua_Number)bytes);
  return 2;
}

int cl_module_close(lua_State *L) { return cl_close_method(L, CL_MODULE, "cuModuleUnload"); }
