/* What every file of the module shares: the driver's table, errors, objects and the records behind them, and
 * the few helpers that read arguments. One file per family of CUDA objects; what Lua sees of it has a row in
 * core/methods.def, so that one grep shows the whole surface. */
#ifndef CUDALUA_BASE_H
#define CUDALUA_BASE_H

#include <cuda.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/driver.h"
#include "base/error.h"
#include "base/object.h"

#define CL_ABI 1 /* lua/cudalua/init.lua refuses a module of another number */

enum { CL_TCDATA = 10 }; /* LuaJIT's lua_type() of a cdata; lua.h has no name for it */

/* It never returns; lauxlib.h does not say so. */
int luaL_error(lua_State *L, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Arguments. Each raises a LogicError that names the function and what was expected. `what` is the
 * argument's name in the documentation. */
uint64_t cl_check_bytes(lua_State *L, int idx, const char *what); /* 0 <= integer <= 2^53 */
uint64_t cl_check_allocation(lua_State *L, int idx); /* the same for bytes to allocate; 0 is the caller's */
long cl_check_int(lua_State *L, int idx, const char *what, long lo, long hi);
bool cl_may_be_handle(uint64_t handle); /* false: certainly no CUcontext or CUstream */
const char *cl_check_name(lua_State *L, int idx, const char *what); /* a string without a zero byte */
/* Copies a string of that length, which the driver gave earlier and takes again. */
void cl_check_given(lua_State *L, int idx, const char *what, const char *expected, void *to, size_t bytes);
int cl_bad_self(lua_State *L, int idx, const char *expected) __attribute__((noreturn));
/* Raises for Class:function() of a function of the class that may do without an object. */
void cl_refuse_class(lua_State *L, const char *class_name);
int cl_bad_argument(lua_State *L, int idx, const char *what, const char *expected) __attribute__((noreturn));
/* "number 1.5", "DeviceAllocation", "nil"... (pushes nothing) */
const char *cl_type_text(lua_State *L, int idx);
const char *cl_option_text(lua_State *L, int idx); /* the key of an option: 'Block' */

/* What this library keeps in the registry, by the address of a key: pushes it; takes it from the top of the
 * stack. */
static inline void cl_registry_get(lua_State *L, const void *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_rawget(L, LUA_REGISTRYINDEX);
}
static inline void cl_registry_set(lua_State *L, const void *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}
/* Pushes zeroed memory with a finalizer. */
void *cl_push_finalized(lua_State *L, size_t bytes, lua_CFunction finalizer);

const char *cl_intern(const char *text); /* one copy per distinct text, for the life of the process */

/* Constants of cuda.h as arguments; `table` names one of constants.c's, as Lua shows it: "ctx_flags". Each
 * raises a LogicError that names what may have been meant. */

/* A number, a name ("sched_spin") or a list of both, or'ed; nil is 0. Refuses bits outside of mask; mask -1:
 * those that the table has. */
long cl_check_flags(lua_State *L, int idx, const char *what, const char *table, long mask);
/* A number or a name, one of the table. */
long cl_check_enum(lua_State *L, int idx, const char *what, const char *table);
/* A name of the table, or any number from 0: what is too new for the header is for the driver to judge. */
long cl_check_attribute(lua_State *L, int idx, const char *what, const char *table);
bool cl_find_constant(const char *table, const char *name, long *value);
const char *cl_constant_name(const char *table, long value); /* the first of that value, or NULL */
bool cl_constant_at(const char *table, size_t i, const char **name, long *value); /* false past the last */
/* Begins with "_": Lua, the FFI and printers ask for such, nobody means them. */
bool cl_is_private(const char *name);
/* The attribute that an __index function is asked for at index 2, after the methods, which are its first
 * upvalue. False: a private name. Raises if there is none of the name; `table` and the methods have what may
 * have been meant. */
bool cl_asked_attribute(lua_State *L, const char *class, const char *table,
                        bool (*find)(const char *name, long *id), long *id);
/* "clock_rate, ...": names near to `asked` among a table's and the keys of the Lua table at index methods. */
void cl_near_names(lua_State *L, int methods, const char *table, const char *asked, char *out, size_t size);

#endif
