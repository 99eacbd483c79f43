/* luaopen_cudalua_core: the module's tables, made of methods.def. */
#include "built.h"
#include "launch/launch.h"
#include "base/slots.h"
#include "base/state.h"

#define CL_EXPORT(name, function) int function(lua_State *L);
#define CL_METHOD(kind, name, function) int function(lua_State *L);
#define CL_META(kind, name, function) int function(lua_State *L);
#include "core/methods.def"
#undef CL_EXPORT
#undef CL_METHOD
#undef CL_META

/* next(table [, key]) -> as Lua's own: lua/cudalua/base/pairs_of.lua says why there is another one. */
int cl_next(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

typedef struct Row {
  int kind; /* -1: of the module */
  bool meta;
  luaL_Reg reg;
} Row;

static const Row rows[] = {
#define CL_EXPORT(name, function) {-1, false, {name, function}},
#define CL_METHOD(kind, name, function) {kind, false, {name, function}},
#define CL_META(kind, name, function) {kind, true, {name, function}},
#include "core/methods.def"
#undef CL_EXPORT
#undef CL_METHOD
#undef CL_META
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The rows of one table come to `list`, which has room for all. */
static void rows_of(int kind, bool meta, luaL_Reg *list) {
  size_t n = 0;
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].kind == kind && rows[i].meta == meta) list[n++] = rows[i].reg;
  list[n] = (luaL_Reg){NULL, NULL};
}

/* {DeviceAllocation = methods, ...}: the tables of methods, which Lua files add to. */
static void push_classes(lua_State *L) {
  luaL_Reg methods[ROWS + 1], meta[ROWS + 1];
  lua_createtable(L, 0, CL_NKINDS);
  for (int k = 0; k < CL_NKINDS; k++) {
    rows_of(k, false, methods);
    rows_of(k, true, meta);
    cl_new_class(L, (cl_Kind)k, methods, meta);
    lua_setfield(L, -2, cl_kind_name((cl_Kind)k));
  }
}

__attribute__((visibility("default"))) int luaopen_cudalua_core(lua_State *L);

int luaopen_cudalua_core(lua_State *L) {
  cl_remember_home();
  cl_open_launch();
  cl_open_slots(L);
  cl_open_state(L);
  luaL_Reg functions[ROWS + 1];
  rows_of(-1, false, functions);
  lua_newtable(L);
  luaL_setfuncs(L, functions, 0);
  lua_pushinteger(L, CL_ABI);
  lua_setfield(L, -2, "ABI");
  if (*CL_TOOLKIT) {
    lua_pushliteral(L, CL_TOOLKIT); /* the root of the CUDA toolkit that the build took its headers from */
    lua_setfield(L, -2, "toolkit");
  }
  cl_push_error_classes(L);
  lua_setfield(L, -2, "errors");
  cl_push_results(L);
  lua_setfield(L, -2, "result");

  push_classes(L);
  lua_setfield(L, -2, "classes");
  return 1;
}
