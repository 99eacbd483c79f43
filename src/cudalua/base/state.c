/* The record of each Lua state. */
#include "base/state.h"

#include <string.h>

CL_HOOK_LIST(cl_on_state_open);
CL_HOOK_LIST(cl_on_state_close);
CL_HOOK_LIST(cl_on_wait);
CL_HOOK_LIST(cl_on_answer);

void (*_Atomic cl_loose_end)(void);

static const char state_key = 0;

static _Atomic uint64_t closings; /* of states: their addresses come again */

static cl_State *look_up(lua_State *L) {
  cl_registry_get(L, &state_key);
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

void *cl_push_finalized(lua_State *L, size_t bytes, lua_CFunction finalizer) {
  void *p = lua_newuserdata(L, bytes);
  memset(p, 0, bytes);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, finalizer);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return p;
}

void cl_open_state(lua_State *L) {
  if (cl_state(L)) return; /* package.loaded was cleared: the state's record stays */
  cl_push_finalized(L, sizeof(cl_State), state_gc);
  cl_registry_set(L, &state_key);
  CL_RUN_HOOKS(cl_on_state_open, L);
}

void cl_after_wait(lua_State *L) {
  CL_RUN_HOOKS(cl_on_wait, L);
  cl_queue_check(L);
}
