/* Errors of kernels: Lua adds what it knows of the failed kernel's source (lua/cudalua/fault/source.lua). */
#include "code/function.h"

#include <stdio.h>
#include <string.h>

static const char hook_key = 0;

/* on_fault(f): f(err) is called for each error that ends the device, before it is raised */
int cl_on_fault(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &hook_key);
  return 0;
}

static bool is_function(const cl_Function *fn, const char *handle) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)(uintptr_t)fn->f);
  return !strcmp(text, handle);
}

/* has_function(x, "0x55d0c0ffee00") -> is x a Function with the handle that the software device's command
 * "report function" gave, or a Module that has looked it up? False for closed objects. It does not call the
 * driver: after a fault each call fails, and that failure would be explained, too. */
int cl_has_function(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  const char *handle = luaL_checkstring(L, 2);
  bool found = false;
  if (o && cl_rec_live(o->rec)) {
    if (o->kind == CL_FUNCTION)
      found = is_function(((const cl_FunctionObject *)o)->fn, handle);
    else if (o->kind == CL_MODULE)
      for (const cl_Function *fn = ((const cl_Module *)o->rec)->functions; fn && !found; fn = fn->next)
        found = is_function(fn, handle);
  }
  lua_pushboolean(L, found);
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
