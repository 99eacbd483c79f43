/* What starts by itself. A call that needs the driver opens it. A call that needs a context, in a host thread
 * where this Lua state never had one, makes the default device's primary context current. Nothing is tested
 * beforehand: this is reached when a driver call has answered that something is missing. */
#include "streams/context.h"

static const char starter_key = 0;

/* on_start(f): f("driver") opens the driver, f("context") makes a context current. Which device, and what is
 * said about it, is Lua's to decide. */
int cl_on_start(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &starter_key);
  return 0;
}

/* A program that has required a part of the library alone, as cudalua.gl, gets the rest of it now. */
static void push_starter(lua_State *L) {
  cl_registry_get(L, &starter_key);
  if (lua_isfunction(L, -1)) return;
  lua_pop(L, 1);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "cudalua");
  lua_call(L, 1, 0);
  cl_registry_get(L, &starter_key);
}

/* The collector rests meanwhile: no finalizer closes what the failed call has checked already. */
static void start(lua_State *L, const char *what) {
  luaL_checkstack(L, 8, "start");
  push_starter(L);
  bool collects = lua_gc(L, LUA_GCISRUNNING, 0);
  lua_pushstring(L, what);
  if (collects) lua_gc(L, LUA_GCSTOP, 0);
  int failed = lua_pcall(L, 1, 0, 0);
  if (collects) lua_gc(L, LUA_GCRESTART, 0);
  if (failed) lua_error(L);
  cl_log_clear(); /* what the driver said of the failed call */
}

static bool start_for(lua_State *L, CUresult code) {
  CUcontext current = NULL;
  if (cl_forked || cl_contexts_closed(L)) return false;
  if (code == CUDA_ERROR_NOT_INITIALIZED && !cl_driver()->open) {
    start(L, "driver");
    return cl_driver()->open;
  }
  if (code != CUDA_ERROR_INVALID_CONTEXT || CU.cuCtxGetCurrent(&current) || current || cl_had_context(L))
    return false;
  start(L, "context");
  return !CU.cuCtxGetCurrent(&current) && current;
}

static void start_lacking(lua_State *L, CUresult code, bool *started) {
  if (!*started) *started = start_for(L, code);
}
CL_HOOK(cl_on_lacking, 1, start_lacking);

CUcontext cl_current_slow(lua_State *L) {
  CUcontext current = NULL;
  if (cl_start(L, CUDA_ERROR_INVALID_CONTEXT)) CL_TRY(L, cuCtxGetCurrent, &current);
  return current;
}

/* want_context() -> is a context current, perhaps since just now? */
int cl_want_context(lua_State *L) {
  lua_pushboolean(L, cl_current(L) != NULL);
  return 1;
}
