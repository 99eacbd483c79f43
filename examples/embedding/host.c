/* A host program in C. It runs its arguments, one Lua chunk each, and shows errors as text. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <stdio.h>

/* Message handler: the text of an error, and where it was raised. */
static int message(lua_State *L) {
  if (lua_isstring(L, 1) || luaL_callmeta(L, 1, "__tostring")) { /* an error of cudalua has that metamethod */
    luaL_traceback(L, L, lua_tostring(L, -1), 1);
    return 1;
  }
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  return 1;
}

/* Runs a chunk. If it fails, the text of its error goes to stderr. */
static int run(lua_State *L, const char *code) {
  int top = lua_gettop(L);
  lua_pushcfunction(L, message);
  int failed = luaL_loadstring(L, code) || lua_pcall(L, 0, 0, top + 1);
  if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_settop(L, top);
  return failed;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L) return 1;
  luaL_openlibs(L);
  int failed = 0;
  for (int i = 1; i < argc && !failed; i++) failed = run(L, argv[i]);
  lua_close(L); /* frees what the state has on the device */
  return failed;
}
