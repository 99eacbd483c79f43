/* What other transports use of a SharedGroup, which carries their texts and knows which ranks are alive. */
#ifndef CUDALUA_GROUPS_H
#define CUDALUA_GROUPS_H

#include <lua.h>

#include "distributed/collective.h"

extern const char *const cl_call_kinds[CL_NCALLS + 1]; /* as in `kind` of a call */

cl_Group *cl_check_group(lua_State *L, int idx);

/* A world that outlives the group that it was taken from. */
cl_World *cl_world_retain(cl_World *w);

/* Ctrl-C during a wait for other ranks. */
typedef struct cl_Watch {
  lua_State *L;
  lua_Hook hook; /* luajit's own handler of Ctrl-C arms one, which runs as soon as Lua code does */
} cl_Watch;
void cl_watch_begin(lua_State *L, cl_Watch *watch);
bool cl_watch_wants_to_stop(void *watch);

/* Raises what has ended a wait in the function `where`. If it was interrupted, the world fails. */
int cl_fail_wait(lua_State *L, cl_World *w, const char *where, cl_Outcome outcome, const cl_Watch *watch)
    __attribute__((noreturn));

/* Raises in a process that a rank forked. */
void cl_check_rank_process(lua_State *L, const cl_World *w, const char *where);

#endif
