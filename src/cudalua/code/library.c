/* Opening libraries that are looked for in several places, and remembering which was found. */
#include "code/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

bool cl_library_open(lua_State *L, pthread_mutex_t *lock, const bool *open, cl_OpenAt open_at) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int n = (int)lua_objlen(L, 1);
  char why[8192];
  pthread_mutex_lock(lock);
  bool found = *open;
  pthread_mutex_unlock(lock);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = 1; i <= n && !found; i++) {
    char path[4096];
    lua_rawgeti(L, 1, i);
    const char *s = lua_tostring(L, -1);
    snprintf(path, sizeof path, "%s", s ? s : "");
    lua_pop(L, 1);
    pthread_mutex_lock(lock); /* nothing under it may raise */
    found = *open || open_at(path, why, sizeof why);
    pthread_mutex_unlock(lock);
    if (found) break;
    luaL_addstring(&b, why);
    luaL_addchar(&b, '\n');
  }
  luaL_pushresult(&b);
  if (found) return lua_pop(L, 1), true;
  lua_pushnil(L);
  lua_insert(L, -2);
  return false;
}

void cl_library_file(void *symbol, const char *path, char *file, size_t room) {
  Dl_info info;
  char real[4096];
  const char *found = dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : path;
  snprintf(file, room, "%s", realpath(found, real) ? real : found);
}
