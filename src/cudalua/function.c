/* Function: a kernel's attributes and its signature. Calling it is in launch.c. */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int id;
} attributes[] = {
    {"max_threads_per_block", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {"shared_size_bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
    {"const_size_bytes", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES},
    {"local_size_bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
    {"num_regs", CU_FUNC_ATTRIBUTE_NUM_REGS},
    {"ptx_version", CU_FUNC_ATTRIBUTE_PTX_VERSION},
    {"binary_version", CU_FUNC_ATTRIBUTE_BINARY_VERSION},
    {"max_dynamic_shared_size_bytes", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
    {"smem", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES}, /* PyCUDA's first names */
    {"lmem", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
    {"registers", CU_FUNC_ATTRIBUTE_NUM_REGS},
};

/* fn:get_attribute(name or number) */
int cl_function_get_attribute(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  int id = -1, value = 0;
  if (lua_type(L, 2) == LUA_TSTRING) {
    const char *name = cl_check_name(L, 2, "attribute");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
      if (!strcmp(attributes[i].name, name)) id = attributes[i].id;
    if (id < 0) cl_logic(L, "a Function has no attribute '%s'", name);
  } else
    id = (int)cl_check_int(L, 2, "attribute", 0, 1 << 20);
  CL_TRY(L, cuFuncGetAttribute, &value, (CUfunction_attribute)id, f->fn->f);
  lua_pushinteger(L, value);
  return 1;
}

/* fn.num_regs and the like: methods (upvalue 1) first, then attributes. */
int cl_function_index(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  lua_pop(L, 1);
  if (lua_type(L, 2) != LUA_TSTRING) cl_logic(L, "a Function has no field %s", cl_type_text(L, 2));
  return cl_function_get_attribute(L);
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

/* function_set_signature(fn, types, texts) -> true, or false and why where it contradicts the driver.
 * types: names as cl_type_name() gives them, "bytes" for structs; texts: what messages show. */
int cl_function_set_signature(lua_State *L) {
  cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  uint32_t n = (uint32_t)lua_objlen(L, 2);
  if (!fn->layout_known || n != fn->nparams) {
    lua_pushboolean(L, 0);
    lua_pushfstring(
        L, fn->layout_known ? "the driver counts %d parameters, the source %d" : "the driver gives no layout",
        (int)fn->nparams, (int)n);
    return 2;
  }
  for (uint32_t i = 0; i < n; i++) {
    lua_rawgeti(L, 2, (int)i + 1);
    cl_Type t = cl_type_by_name(luaL_checkstring(L, -1));
    lua_pop(L, 1);
    if (cl_type_size(t) && cl_type_size(t) != fn->params[i].size) {
      lua_pushboolean(L, 0);
      lua_pushfstring(L, "parameter %d has %d bytes, not those of %s", (int)i + 1, (int)fn->params[i].size,
                      cl_type_name(t));
      return 2;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    lua_rawgeti(L, 2, (int)i + 1);
    lua_rawgeti(L, 3, (int)i + 1);
    fn->params[i].type = cl_type_by_name(luaL_checkstring(L, -2));
    snprintf(fn->params[i].text, sizeof fn->params[i].text, "%s", luaL_checkstring(L, -1));
    lua_pop(L, 2);
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* function_params(fn) -> list of {type=, size=, offset=, text=}, or nil where nothing is known */
int cl_function_params(lua_State *L) {
  const cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  if (!fn->layout_known) return 0;
  lua_createtable(L, (int)fn->nparams, 0);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    lua_createtable(L, 0, 4);
    lua_pushstring(L, cl_type_name(fn->params[i].type));
    lua_setfield(L, -2, "type");
    lua_pushinteger(L, (int)fn->params[i].size);
    lua_setfield(L, -2, "size");
    lua_pushinteger(L, (int)fn->params[i].offset);
    lua_setfield(L, -2, "offset");
    lua_pushstring(L, fn->params[i].text);
    lua_setfield(L, -2, "text");
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}
