/* The record of each Lua state. */
#include "base/state.h"

#include <string.h>

CL_HOOK_LIST(cl_on_state_open);
CL_HOOK_LIST(cl_on_state_close);
CL_HOOK_LIST(cl_on_wait);

static const char state_key = 0;

static _Atomic uint64_t closings; /* of states: their addresses come again */

static cl_State *look_up(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&state_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  cl_State *st = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return st;
}

/* A thread mostly asks for the same state again. Its coroutines share the registry. */
cl_State *cl_state(lua_State *L) {
  static __thread struct {
    const void *registry;
    uint64_t closings;
    cl_State *st;
  } recent;
  const void *registry = lua_topointer(L, LUA_REGISTRYINDEX);
  if (__builtin_expect(recent.registry == registry && recent.closings == closings, 1)) return recent.st;
  cl_State *st = look_up(L);
  if (!st) return NULL;
  recent.registry = registry;
  recent.closings = closings;
  return recent.st = st;
}

/* The last finalizer of the state: the memory of every buffer in Lua goes after it. So here, and here only, a
 * finalizer waits: for copies that still read or write those buffers, and for what the queue holds. */
static int state_gc(lua_State *L) {
  cl_State *st = lua_touserdata(L, 1);
  if (st->closed) return 0;
  st->closed = true;
  closings++;
  if (cl_forked) return 0;
  CL_RUN_HOOKS(cl_on_state_close, st);
  cl_queue_drain();
  return 0;
}

void cl_open_state(lua_State *L) {
  if (cl_state(L)) return; /* package.loaded was cleared: the state's record stays */
  cl_State *st = lua_newuserdata(L, sizeof *st);
  memset(st, 0, sizeof *st);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, state_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushlightuserdata(L, (void *)&state_key);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  CL_RUN_HOOKS(cl_on_state_open, L);
}

void cl_after_wait(lua_State *L) {
  CL_RUN_HOOKS(cl_on_wait, L);
  cl_queue_check();
}
