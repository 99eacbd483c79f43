/* The driver's JIT: its options as numbers, its logs as strings. */
#include "code/jit.h"

#include <string.h>

static void add(cl_Jit *j, CUjit_option id, void *value) {
  j->ids[j->n] = id;
  j->values[j->n++] = value;
}

void cl_jit_begin(lua_State *L, int idx, cl_Jit *j, char *logs, size_t room) {
  memset(j, 0, sizeof *j);
  j->room = room;
  j->info = logs;
  j->error = logs + room;
  *j->info = *j->error = 0;
  add(j, CU_JIT_INFO_LOG_BUFFER, j->info);
  add(j, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, (void *)(uintptr_t)room);
  add(j, CU_JIT_ERROR_LOG_BUFFER, j->error);
  add(j, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, (void *)(uintptr_t)room);
  if (lua_isnoneornil(L, idx)) return;
  luaL_checktype(L, idx, LUA_TTABLE);
  int count = (int)lua_objlen(L, idx);
  if (count / 2 > CL_JIT_OPTIONS - 4)
    cl_logic(L, "options: %d of them, at most %d are taken", count / 2, CL_JIT_OPTIONS - 4);
  for (int i = 1; i < count; i += 2) {
    lua_rawgeti(L, idx, i);
    lua_rawgeti(L, idx, i + 1);
    long id = cl_check_int(L, -2, "option", 0, 1000),
         value = cl_check_int(L, -1, "value of an option", -1, UINT32_MAX);
    lua_pop(L, 2);
    add(j, (CUjit_option)id, (void *)(uintptr_t)(uint32_t)value);
  }
}

bool cl_jit_finish(cl_Jit *j) {
  j->info[j->room - 1] = j->error[j->room - 1] = 0;
  return strlen(j->error) + 2 >= j->room;
}

void cl_jit_push_results(lua_State *L, const cl_Jit *j) {
  lua_createtable(L, 0, 4);
  lua_pushstring(L, j->info);
  lua_setfield(L, -2, "info_log");
  lua_pushstring(L, j->error);
  lua_setfield(L, -2, "error_log");
  for (unsigned i = 4; i < j->n; i++) {
    float ms;
    switch ((int)j->ids[i]) {
    case CU_JIT_WALL_TIME: /* a float in place of the pointer */
      memcpy(&ms, &j->values[i], sizeof ms);
      lua_pushnumber(L, ms);
      lua_setfield(L, -2, "wall_time");
      break;
    case CU_JIT_THREADS_PER_BLOCK:
      lua_pushnumber(L, (lua_Number)(uint32_t)(uintptr_t)j->values[i]);
      lua_setfield(L, -2, "threads_per_block");
      break;
    default: break;
    }
  }
}

void cl_jit_add_logs(lua_State *L, const cl_Jit *j) {
  if (*j->error) {
    lua_pushstring(L, j->error);
    lua_setfield(L, -2, "log");
  }
  if (*j->info) {
    lua_pushstring(L, j->info);
    lua_setfield(L, -2, "info_log");
  }
}
