/* Module: loading an image (cubin, PTX, fatbin), finding kernels and variables in it. */
#include "base/state.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "code/jit.h"
#include "code/texref.h"
#include "memory/collect.h"
#include "memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult module_destroy(cl_Rec *r) { return CU.cuModuleUnload((CUmodule)r->handle); }

static void module_dispose(cl_Rec *r) {
  cl_references_free((cl_Module *)r);
  for (cl_Function *f = ((cl_Module *)r)->functions, *next; f; f = next) {
    next = f->next;
    cl_function_free(f);
  }
}
CL_FAMILY(CL_MODULE, .destroy = module_destroy, .dispose = module_dispose);

static const char jit_key = 0;

/* module_load(image [, options]) -> Module; options as in cl_jit_begin(), their results are mod.jit */
int cl_module_load(lua_State *L) {
  size_t n;
  const char *image = cl_check_image(L, 1, &n);
  if (cl_image_is_relocatable(image, n))
    cl_logic(L, "module image: relocatable code must be linked; use cuda.DynamicModule or cuda.Linker");
  if (!lua_toboolean(L, 3)) cl_refuse_in_capture(L, "loading a module");
  lua_settop(L, 2);
  cl_Module *m = cl_push_in_current(L, CL_MODULE, sizeof(cl_Object), sizeof *m);
  cl_queue_check(L);

  cl_Jit jit;
  CUmodule handle = NULL;
  CUresult code;
  bool again = false;
  for (size_t room = CL_JIT_LOG;; room = CL_JIT_BIG_LOG) {
    cl_jit_begin(L, 2, &jit, lua_newuserdata(L, 2 * room), room);
    cl_still_current(L, cl_rec_context(&m->rec));
    cl_tie_up(); /* kernels under way may have to end first */
    CUstreamCaptureMode mode = cl_relax();
    cl_Activity *a = cl_is_profiling() ? cl_activity_begin(L, CL_A_LOAD, "load a module", NULL, 0) : NULL;
    code = CU.cuModuleLoadDataEx(&handle, image, jit.n, jit.ids, jit.values);
    if (a) cl_activity_end(a, code);
    cl_unrelax(mode);
    again = cl_jit_finish(&jit) && code && !again && code != CUDA_ERROR_OUT_OF_MEMORY;
    if (!again) break;
    cl_log_clear();
  }
  if (code) {
    cl_fail_new(L, "cuModuleLoadDataEx", code);
    cl_jit_add_logs(L, &jit);
    cl_throw(L);
  }
  m->rec.handle = (uint64_t)(uintptr_t)handle;
  m->rec.life = CL_LIVE;
  cl_account(&m->rec, CL_BYTES_NONE, 0);
  lua_pushvalue(L, 3);
  lua_newtable(L);
  if (!lua_isnil(L, 2)) {
    lua_pushlightuserdata(L, (void *)&jit_key);
    cl_jit_push_results(L, &jit);
    lua_rawset(L, -3);
  }
  lua_setfenv(L, -2);
  return 1;
}

/* mod.jit: what the JIT said, where the module was loaded with options; else methods (upvalue 1). */
int cl_module_index(lua_State *L) {
  if (cl_push_method(L)) return 1;
  if (!cl_to_kind(L, 1, CL_MODULE) || lua_type(L, 2) != LUA_TSTRING || strcmp(lua_tostring(L, 2), "jit") != 0)
    return cl_class_index(L);
  lua_getfenv(L, 1);
  lua_pushlightuserdata(L, (void *)&jit_key);
  lua_rawget(L, -2);
  return 1;
}

/* Of a name, what a message has room for. */
static const char *push_shown(lua_State *L, const char *name) {
  size_t room = 200;
  if (strlen(name) <= room) return lua_pushstring(L, name), lua_tostring(L, -1);
  lua_pushlstring(L, name, room);
  return lua_pushfstring(L, "%s...", lua_tostring(L, -1));
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
    luaL_addlstring(&b, name, strnlen(name, 200));
  }
  free(list);
  luaL_pushresult(&b);
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
      const char *entries = lua_tostring(L, -1), *shown = push_shown(L, name);
      cl_fail_new(L, "cuModuleGetFunction", code);
      lua_pushfstring(L, "no kernel named '%s' in this module; it has: %s", shown, entries);
      lua_setfield(L, -2, "message");
      cl_throw(L);
    }
    if (code) cl_fail(L, "cuModuleGetFunction", code);
    fn = calloc(1, sizeof *fn);
    if (!fn) return luaL_error(L, "not enough memory");
    fn->name = cl_intern(name);
    fn->f = handle;
    code = cl_layout_read(fn);
    if (code) {
      cl_function_free(fn);
      cl_fail(L, "cuFuncGetParamInfo", code);
    }
    fn->module = m;
    fn->next = m->functions;
    m->functions = fn;
  }
  cl_FunctionObject *f = cl_push_interned(L, fn, &m->rec, CL_FUNCTION, sizeof *f);
  f->fn = fn;
  lua_getfenv(L, 1);
  lua_setfenv(L, -2);
  return 1;
}

/* module_table(fn) -> a table that the Module and all its Functions share, and that goes with the last of
 * them; nil: fn is no Function */
int cl_module_table(lua_State *L) {
  if (!cl_to_kind(L, 1, CL_FUNCTION)) return 0;
  cl_check(L, 1, CL_FUNCTION);
  lua_getfenv(L, 1);
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
    const char *shown = push_shown(L, name);
    cl_fail_new(L, "cuModuleGetGlobal_v2", code);
    if (code == CUDA_ERROR_NOT_FOUND) {
      lua_pushfstring(L, "no __device__ or __constant__ variable named '%s' in this module", shown);
      lua_setfield(L, -2, "message");
    }
    cl_throw(L);
  }
  cl_push_pointer(L, 1, p, bytes);
  lua_pushnumber(L, (lua_Number)bytes);
  return 2;
}

int cl_module_close(lua_State *L) { return cl_close_method(L, CL_MODULE, "cuModuleUnload"); }
