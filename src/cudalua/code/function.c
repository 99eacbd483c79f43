/* Function: a kernel's name, attributes and preferences. Its signature is in layout.c, calling it in
 * launch.c. */
#include "code/function.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int id;
} old_names[] = {/* PyCUDA's first ones */
                 {"smem", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
                 {"lmem", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
                 {"registers", CU_FUNC_ATTRIBUTE_NUM_REGS}};

/* The driver wants the kernel's context to be current; whoever asks need not care. */
static cl_Function *enter(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_push_current(L, &cl_rec_context(f->o.rec)->rec);
  return f->fn;
}

static void leave(void) {
  CUcontext popped;
  CU.cuCtxPopCurrent_v2(&popped);
}

static bool find_attribute(const char *name, long *id) {
  for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++)
    if (!strcmp(old_names[i].name, name)) return *id = old_names[i].id, true;
  return cl_find_constant("function_attribute", name, id);
}

/* The attribute at idx: a name or any number from 0, which the driver may know. */
static CUfunction_attribute check_attribute(lua_State *L, int idx) {
  long id;
  size_t n;
  const char *name = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &n) : NULL;
  if (!name || strlen(name) != n || !find_attribute(name, &id))
    id = cl_check_attribute(L, idx, "attribute", "function_attribute");
  return (CUfunction_attribute)id;
}

static const char *attribute_name(CUfunction_attribute id) {
  const char *name = cl_constant_name("function_attribute", id);
  return name ? name : "an attribute of this number";
}

static int push_attribute(lua_State *L, CUfunction_attribute id) {
  int value = 0;
  const cl_Function *fn = enter(L);
  CUresult code = CU.cuFuncGetAttribute(&value, id, fn->f);
  leave();
  if (code) cl_fail(L, "cuFuncGetAttribute", code);
  lua_pushinteger(L, value);
  return 1;
}

/* fn:get_attribute(name or number) */
int cl_function_get_attribute(lua_State *L) {
  cl_check(L, 1, CL_FUNCTION);
  return push_attribute(L, check_attribute(L, 2));
}

/* fn:set_attribute(name or number, value) */
int cl_function_set_attribute(lua_State *L) {
  cl_check(L, 1, CL_FUNCTION);
  CUfunction_attribute id = check_attribute(L, 2);
  int value = (int)cl_check_int(L, 3, "value", INT_MIN, INT_MAX);
  cl_Function *fn = enter(L);
  CUresult code = CU.cuFuncSetAttribute(fn->f, id, value);
  leave();
  if (code) {
    cl_fail_new(L, "cuFuncSetAttribute", code);
    if (code == CUDA_ERROR_INVALID_VALUE) {
      lua_pushfstring(L, "%s: %s cannot be set to %d", fn->name, attribute_name(id), value);
      lua_setfield(L, -2, "message");
    }
    lua_pushstring(L, fn->name);
    lua_setfield(L, -2, "kernel");
    cl_throw(L);
  }
  fn->limits_known = false; /* they depend on it */
  if (id == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) fn->shared_chosen = true;
  return 0;
}

/* fn.num_regs and the like: methods (upvalue 1) first, then attributes. */
int cl_function_index(lua_State *L) {
  if (cl_push_method(L)) return 1;
  long id;
  if (!cl_asked_attribute(L, "Function", "function_attribute", find_attribute, &id)) return 0;
  return push_attribute(L, (CUfunction_attribute)id);
}

/* fn:set_cache_config(config) */
int cl_function_set_cache_config(lua_State *L) {
  cl_check(L, 1, CL_FUNCTION);
  CUfunc_cache config = (CUfunc_cache)cl_check_enum(L, 2, "config", "func_cache");
  const cl_Function *fn = enter(L);
  CUresult code = CU.cuFuncSetCacheConfig(fn->f, config);
  leave();
  if (code) cl_fail(L, "cuFuncSetCacheConfig", code);
  return 0;
}

/* fn:set_shared_config(config). No GPU that this library runs on has banks to choose, and a driver may drop
 * the call: then there is nothing to set. */
int cl_function_set_shared_config(lua_State *L) {
  cl_check(L, 1, CL_FUNCTION);
  CUsharedconfig config = (CUsharedconfig)cl_check_enum(L, 2, "config", "shared_config");
  if (!cl_entry_present((const void *)CU.cuFuncSetSharedMemConfig)) return 0;
  const cl_Function *fn = enter(L);
  CUresult code = CU.cuFuncSetSharedMemConfig(fn->f, config);
  leave();
  if (code) cl_fail(L, "cuFuncSetSharedMemConfig", code);
  return 0;
}

int cl_function_name(lua_State *L) {
  lua_pushstring(L, ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn->name);
  return 1;
}

int cl_function_tostring(lua_State *L) {
  const cl_FunctionObject *f = cl_to_kind(L, 1, CL_FUNCTION);
  bool live = f && cl_rec_live(f->o.rec);
  lua_pushfstring(L, live ? "cudalua.Function: %s" : "cudalua.Function (closed)", live ? f->fn->name : "");
  return 1;
}

void cl_function_free(cl_Function *fn) {
  cl_layout_free(fn);
  free(fn);
}

/* on_function_index(f) -> the function that __index of Function was; f(fn, key) is called from now on: a
 * function in Lua, which LuaJIT compiles into the loops that call methods. */
int cl_on_function_index(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  cl_push_metatable(L, CL_FUNCTION);
  lua_getfield(L, -1, "__index");
  lua_pushvalue(L, 1);
  lua_setfield(L, -3, "__index");
  return 1;
}
