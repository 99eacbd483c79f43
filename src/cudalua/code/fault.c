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

/* has_function(x, "0x55d0c0ffee00" [, n]) -> is x a Function with the handle that the software device's
 * command "report function" gave, or a Module that has looked it up? And the text of parameter n, if it is
 * known. False for closed objects. It does not call the driver: after a fault each call fails, and that
 * failure would be explained, too. */
int cl_has_function(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  const char *handle = luaL_checkstring(L, 2);
  const lua_Number n = luaL_optnumber(L, 3, 0);
  const cl_Function *found = NULL;
  if (o && cl_rec_live(o->rec)) {
    if (o->kind == CL_FUNCTION && is_function(((const cl_FunctionObject *)o)->fn, handle))
      found = ((const cl_FunctionObject *)o)->fn;
    else if (o->kind == CL_MODULE)
      for (const cl_Function *fn = ((const cl_Module *)o->rec)->functions; fn && !found; fn = fn->next)
        if (is_function(fn, handle)) found = fn;
  }
  lua_pushboolean(L, found != NULL);
  if (!found || !found->layout_known || !(n >= 1 && n <= found->nparams)) return 1;
  lua_pushstring(L, found->params[(uint32_t)n - 1].text);
  return 2;
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
