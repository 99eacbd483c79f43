/* Errors of kernels: Lua adds what it knows of the failed kernel's source (lua/cudalua/fault/source.lua). */
#include "code/function.h"

#include <stdio.h>

static const char hook_key = 0;

/* on_fault(f): f(err) is called for each error that ends the device, before it is raised */
int cl_on_fault(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &hook_key);
  return 0;
}

/* function_handle(fn) -> "0x55d0c0ffee00", as the software device's command "report function" has it */
int cl_function_handle(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)(uintptr_t)f->fn->f);
  lua_pushstring(L, text);
  return 1;
}

/* The error stays as it is if Lua cannot add anything. */
static void explain(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  (void)call;
  (void)waited;
  if (!cl_code_sticky(code) || !cl_driver()->soft || !lua_checkstack(L, 4)) return;
  cl_registry_get(L, &hook_key);
  if (lua_isfunction(L, -1)) {
    lua_pushvalue(L, -2);
    if (!lua_pcall(L, 1, 0, 0)) return;
  }
  lua_pop(L, 1);
}
CL_HOOK(cl_on_failed_call, 4, explain);
