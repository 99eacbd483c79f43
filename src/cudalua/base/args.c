/* Reading arguments. Lua numbers are doubles: NaN, fractions and anything past 2^53 must not slip
 * through a cast, which luaL_checkinteger would let them do. */
#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

const char *cl_type_text(lua_State *L, int idx) {
  static __thread char text[160];
  const cl_Object *o = cl_to(L, idx);
  int t = lua_type(L, idx);
  if (o)
    snprintf(text, sizeof text, "%s", cl_kind_name(o->kind));
  else if (t == LUA_TNUMBER)
    snprintf(text, sizeof text, "number %.14g", lua_tonumber(L, idx));
  else if (t == LUA_TBOOLEAN)
    snprintf(text, sizeof text, "%s", lua_toboolean(L, idx) ? "true" : "false");
  else if (t == LUA_TSTRING) {
    size_t n;
    const char *s = lua_tolstring(L, idx, &n);
    if (n <= 40 && !memchr(s, 0, n))
      snprintf(text, sizeof text, "string \"%s\"", s);
    else
      snprintf(text, sizeof text, "a string of %zu bytes", n);
  } else if (t == LUA_TNONE)
    snprintf(text, sizeof text, "nothing");
  else if (t == LUA_TTABLE && lua_getmetatable(L, idx)) {
    lua_pushliteral(L, "__name"); /* "cudalua.gpuarray" */
    lua_rawget(L, -2);
    snprintf(text, sizeof text, "%.100s", lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "table");
    lua_pop(L, 2);
  } else
    snprintf(text, sizeof text, "%s", t == CL_TCDATA ? "cdata" : lua_typename(L, t));
  return text;
}

const char *cl_option_text(lua_State *L, int idx) {
  static __thread char text[48];
  size_t n = 0;
  const char *s = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &n) : NULL;
  if (!s || n > 40 || memchr(s, 0, n)) return cl_type_text(L, idx);
  snprintf(text, sizeof text, "'%s'", s);
  return text;
}

/* The key of the function on top of the stack in the table below it. */
static bool find_function(lua_State *L, char *name, size_t size) {
  for (lua_pushnil(L); lua_next(L, -3); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || !lua_rawequal(L, -1, -3)) continue;
    snprintf(name, size, "%s", lua_tostring(L, -2));
    lua_pop(L, 2);
    return true;
  }
  return false;
}

/* The name of the C function that is called, NULL: unknown. Where no Lua code calls it by a name, as with
 * pcall(f) or behind a tail call, it is the one that this library has it under. */
static const char *called(lua_State *L) {
  static __thread char name[64];
  lua_Debug ar;
  if (!lua_getstack(L, 0, &ar) || !lua_getinfo(L, "nf", &ar)) return NULL;
  const int function = lua_gettop(L);
  bool found = ar.name != NULL;
  if (found) snprintf(name, sizeof name, "%s", ar.name);
  luaL_checkstack(L, 12, "names");
  lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
  if (!found && lua_istable(L, -1)) {
    lua_getfield(L, -1, "cudalua.core");
    if (lua_istable(L, -1)) {
      lua_pushvalue(L, function);
      found = find_function(L, name, sizeof name);
      lua_pop(L, 1);
      lua_getfield(L, -1, "classes");
      for (lua_pushnil(L); !found && lua_istable(L, -2) && lua_next(L, -2);) {
        lua_pushvalue(L, function);
        found = find_function(L, name, sizeof name);
        lua_pop(L, 2);
      }
    }
  }
  lua_settop(L, function - 1);
  return found ? name : NULL;
}

int cl_bad_argument(lua_State *L, int idx, const char *what, const char *expected) {
  const char *fn = called(L);
  cl_logic(L, "%s%s%s: expected %s, got %s", fn ? fn : "", fn ? ": " : "", what, expected,
           cl_type_text(L, idx));
}

int cl_bad_self(lua_State *L, int idx, const char *expected) {
  const char *fn = called(L);
  cl_logic(L, "%s%sself: expected %s, got %s; call the method with a colon: object:%s()", fn ? fn : "",
           fn ? ": " : "", expected, cl_type_text(L, idx), fn ? fn : "method");
}

void cl_refuse_class(lua_State *L, const char *class_name) {
  if (!lua_istable(L, 1)) return;
  const char *fn = called(L);
  if (!fn) return;
  lua_pushstring(L, fn);
  lua_rawget(L, 1);
  if (lua_isfunction(L, -1))
    cl_logic(L,
             "%s: self: got the class %s itself; call it with a dot for the current one, %s.%s(), or with a "
             "colon for an object",
             fn, class_name, class_name, fn);
  lua_pop(L, 1);
}

static uint64_t check_whole(lua_State *L, int idx, const char *what, const char *expected) {
  lua_Number d = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : NAN;
  if (!(d >= 0 && d <= 9007199254740992.0 && (lua_Number)(int64_t)d == d))
    cl_bad_argument(L, idx, what, expected);
  return (uint64_t)d;
}

uint64_t cl_check_bytes(lua_State *L, int idx, const char *what) {
  return check_whole(L, idx, what, "an integer from 0 to 2^53");
}

uint64_t cl_check_allocation(lua_State *L, int idx) {
  return check_whole(L, idx, "bytes", "an integer from 1 to 2^53");
}

long cl_check_int(lua_State *L, int idx, const char *what, long lo, long hi) {
  lua_Number d = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : NAN;
  if (!(d >= (lua_Number)lo && d <= (lua_Number)hi && floor(d) == d)) {
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from %ld to %ld", lo, hi);
    cl_bad_argument(L, idx, what, expected);
  }
  return (long)d;
}

const char *cl_check_name(lua_State *L, int idx, const char *what) {
  size_t n = 0;
  const char *s = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &n) : NULL;
  if (!s || strlen(s) != n) cl_bad_argument(L, idx, what, "a name without zero bytes");
  return s;
}

void cl_check_given(lua_State *L, int idx, const char *what, const char *expected, void *to, size_t bytes) {
  size_t n = 0;
  const char *s = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &n) : NULL;
  if (!s || n != bytes) cl_bad_argument(L, idx, what, expected);
  memcpy(to, s, n);
}

/* The driver follows any pointer that it is given as a handle; an address that nothing is at need not come so
 * far. */
bool cl_may_be_handle(uint64_t handle) {
  if (cl_driver()->soft) return true; /* it looks handles up */
  char bytes[8];
  struct iovec to = {bytes, sizeof bytes}, from = {(void *)(uintptr_t)handle, sizeof bytes};
  if (handle % 8) return false;
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) > 0 || errno != EFAULT; /* or nobody may ask so */
}
