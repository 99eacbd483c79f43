/* nvJitLink, opened when something is linked by it for the first time. lua/cudalua/compiler/nvjitlink.lua
 * decides on inputs and options and looks for the library; here is only the call. The few declarations are
 * made here: the library's header is not part of every toolkit that can build this. */
#include "code/jit.h"
#include "code/library.h"
#include "base/lock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct nvJitLink *Handle;

// clang-format off
#define ENTRIES(X) \
  X(Create, (Handle *, uint32_t, const char *const *)) \
  X(Destroy, (Handle *)) \
  X(AddData, (Handle, int, const void *, size_t, const char *)) \
  X(Complete, (Handle)) \
  X(GetLinkedCubinSize, (Handle, size_t *)) \
  X(GetLinkedCubin, (Handle, void *)) \
  X(GetLinkedPtxSize, (Handle, size_t *)) \
  X(GetLinkedPtx, (Handle, void *)) \
  X(GetErrorLogSize, (Handle, size_t *)) \
  X(GetErrorLog, (Handle, void *)) \
  X(GetInfoLogSize, (Handle, size_t *)) \
  X(GetInfoLog, (Handle, void *))
// clang-format on

static struct {
#define X(name, args) int(*name) args;
  ENTRIES(X)
#undef X
  bool open;
  unsigned major, minor;
  char path[4096];
} lib;
CL_LOCK(open_lock);

/* The library has no function that says what a result means. */
static const char *const status_text[] = {
    "NVJITLINK_SUCCESS",
    "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
    "NVJITLINK_ERROR_MISSING_ARCH",
    "NVJITLINK_ERROR_INVALID_INPUT",
    "NVJITLINK_ERROR_PTX_COMPILE",
    "NVJITLINK_ERROR_NVVM_COMPILE",
    "NVJITLINK_ERROR_INTERNAL",
    "NVJITLINK_ERROR_THREADPOOL",
    "NVJITLINK_ERROR_UNRECOGNIZED_INPUT",
    "NVJITLINK_ERROR_FINALIZE",
    "NVJITLINK_ERROR_NULL_INPUT",
    "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS",
    "NVJITLINK_ERROR_INCORRECT_INPUT_TYPE",
    "NVJITLINK_ERROR_ARCH_MISMATCH",
    "NVJITLINK_ERROR_OUTDATED_LIBRARY",
    "NVJITLINK_ERROR_MISSING_FATBIN",
    "NVJITLINK_ERROR_UNRECOGNIZED_ARCH",
    "NVJITLINK_ERROR_UNSUPPORTED_ARCH",
    "NVJITLINK_ERROR_LTO_NOT_ENABLED",
};

static bool open_at(const char *path, char *why, size_t size) {
  void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!so) {
    const char *e = dlerror();
    return snprintf(why, size, "%s", e ? e : path), false;
  }
#define X(name, args)                                                                                        \
  *(void **)&lib.name = dlsym(so, "nvJitLink" #name);                                                        \
  if (!lib.name) return snprintf(why, size, "%s has no nvJitLink" #name, path), dlclose(so), false;
  ENTRIES(X)
#undef X
  int (*version)(unsigned *, unsigned *); /* came after the others */
  *(void **)&version = dlsym(so, "nvJitLinkVersion");
  if (!version || version(&lib.major, &lib.minor)) lib.major = lib.minor = 0;
  cl_library_file((void *)lib.Create, path, lib.path, sizeof lib.path);
  lib.open = true;
  return true;
}

/* nvjitlink_open(paths) -> {path, major, minor}, or nil and why, one line a path */
int cl_nvjitlink_open(lua_State *L) {
  if (!cl_library_open(L, &open_lock, &lib.open, open_at)) return 2;
  lua_createtable(L, 0, 3);
  lua_pushstring(L, lib.path);
  lua_setfield(L, -2, "path");
  lua_pushinteger(L, (lua_Integer)lib.major);
  lua_setfield(L, -2, "major");
  lua_pushinteger(L, (lua_Integer)lib.minor);
  lua_setfield(L, -2, "minor");
  return 1;
}

/* The handle is in a userdata, so that an error on the way (out of memory) cannot lose it. */
static int handle_gc(lua_State *L) {
  Handle *h = lua_touserdata(L, 1);
  if (*h) lib.Destroy(h);
  *h = NULL;
  return 0;
}

typedef int (*SizeFn)(Handle, size_t *);
typedef int (*DataFn)(Handle, void *);

/* Text comes with its zero byte, and the logs with some at random. */
static void set_output(lua_State *L, Handle h, const char *key, SizeFn size_of, DataFn get, bool text) {
  size_t n = 0;
  if (size_of(h, &n) || !n) return;
  char *buf = lua_newuserdata(L, n);
  if (!get(h, buf)) {
    while (text && n && !buf[n - 1]) n--;
    lua_pushlstring(L, buf, n);
    lua_setfield(L, -3, key);
  }
  lua_pop(L, 1);
}

static const char *string_at(lua_State *L, int list, int i, size_t *n) {
  lua_rawgeti(L, list, i);
  if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "nvjitlink: expected lists of strings");
  const char *s = lua_tolstring(L, -1, n); /* stays alive: the table holds it */
  lua_pop(L, 1);
  return s;
}

static int add_inputs(lua_State *L, Handle h) {
  int n = (int)lua_objlen(L, 1), r = 0;
  for (int i = 1; !r && i <= n; i++) {
    size_t size;
    lua_rawgeti(L, 1, i);
    int type = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    const char *data = string_at(L, 2, i, &size), *name = string_at(L, 3, i, NULL);
    enum { PTX = 2, LTOIR = 3, LIBRARY = 6 };
    if (type != LTOIR && type != LIBRARY && !cl_image_is_whole(data, size)) /* it would read past their end */
      cl_logic(L, "link: '%s': %zu bytes are not a complete image", name, size);
    if (type == PTX) size++; /* its zero byte belongs to it, and Lua's strings have one */
    r = lib.AddData(h, type, data, size, name);
  }
  return r;
}

/* nvjitlink(types, images, names, options) -> {ok, result, status, cubin, ptx, log, info_log} */
int cl_nvjitlink(lua_State *L) {
  for (int i = 1; i <= 4; i++) luaL_checktype(L, i, LUA_TTABLE);
  if (!lib.open) return luaL_error(L, "nvjitlink before nvjitlink_open");
  lua_settop(L, 4);
  int noptions = (int)lua_objlen(L, 4);
  const char **options = lua_newuserdata(L, (size_t)(noptions + 1) * sizeof *options);
  for (int i = 0; i < noptions; i++) options[i] = string_at(L, 4, i + 1, NULL);
  Handle *h = cl_push_finalized(L, sizeof(Handle), handle_gc);
  int r = lib.Create(h, (uint32_t)noptions, options); /* a refused option leaves a handle, for its log */
  if (!r) r = add_inputs(L, *h);
  if (!r) r = lib.Complete(*h);
  lua_createtable(L, 0, 7);
  lua_pushboolean(L, !r);
  lua_setfield(L, -2, "ok");
  lua_pushinteger(L, r);
  lua_setfield(L, -2, "result");
  bool known = r >= 0 && r < (int)(sizeof status_text / sizeof *status_text);
  lua_pushstring(L, known ? status_text[r] : "an unknown error of nvJitLink");
  lua_setfield(L, -2, "status");
  if (*h) {
    set_output(L, *h, "log", lib.GetErrorLogSize, lib.GetErrorLog, true);
    set_output(L, *h, "info_log", lib.GetInfoLogSize, lib.GetInfoLog, true);
  }
  if (!r) {
    set_output(L, *h, "cubin", lib.GetLinkedCubinSize, lib.GetLinkedCubin, false);
    set_output(L, *h, "ptx", lib.GetLinkedPtxSize, lib.GetLinkedPtx, true);
  }
  if (*h) lib.Destroy(h);
  *h = NULL;
  return 1;
}
