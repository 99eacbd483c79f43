/* What every file of the module shares: the classes of objects, the record behind each of them, and
 * the few helpers that read arguments. One file per family of CUDA objects; all registration tables
 * are in core.c, so that one grep shows the whole surface. */
#ifndef CUDALUA_CORE_H
#define CUDALUA_CORE_H

#include <cuda.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver.h"
#include "error.h"
#include "object.h"

#define CL_ABI 1 /* lua/cudalua/init.lua refuses a module of another number */

enum { CL_TCDATA = 10 }; /* LuaJIT's lua_type() of a cdata; lua.h has no name for it */

/* It never returns; lauxlib.h does not say so. */
int luaL_error(lua_State *L, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Arguments. Each raises a LogicError that names the function and what was expected. `what` is the
 * argument's name in the documentation. */
uint64_t cl_check_bytes(lua_State *L, int idx, const char *what); /* 0 <= integer <= 2^53 */
long cl_check_int(lua_State *L, int idx, const char *what, long lo, long hi);
const char *cl_check_name(lua_State *L, int idx, const char *what); /* a string without a zero byte */
int cl_bad_argument(lua_State *L, int idx, const char *what, const char *expected) __attribute__((noreturn));
/* "number 1.5", "DeviceAllocation", "nil"... (pushes nothing) */
const char *cl_type_text(lua_State *L, int idx);

const char *cl_intern(const char *text); /* one copy per distinct text, for the life of the process */

/* Constants of cuda.h as arguments; `table` names one of constants.c's, as Lua shows it: "ctx_flags". Raises a
 * LogicError that names what may have been meant.
 *   flags      a number, a name ("sched_spin") or a list of both, or'ed; nil is 0. Bits outside mask are refused;
 *              mask -1: those that the table has.
 *   enum       a number or a name, one of the table
 *   attribute  a name of the table, or any number from 0: what is too new for the header is for the driver to judge */
long cl_check_flags(lua_State *L, int idx, const char *what, const char *table, long mask);
long cl_check_enum(lua_State *L, int idx, const char *what, const char *table);
long cl_check_attribute(lua_State *L, int idx, const char *what, const char *table);
bool cl_find_constant(const char *table, const char *name, long *value);
const char *cl_constant_name(const char *table, long value); /* the first of that value, or NULL */
/* "clock_rate, ...": the names near to `asked`; every one of a small table, or nothing, where none is near. */
void cl_near_constants(const char *table, const char *asked, char *out, size_t size);

/* Families. Each luaL_Reg lives in core.c. */
int cl_init(lua_State *L);
int cl_driver_info(lua_State *L);
int cl_get_version(lua_State *L);
int cl_get_driver_version(lua_State *L);

int cl_constants(lua_State *L);
int cl_constant_tables(lua_State *L);
int cl_lua_check_flags(lua_State *L);
int cl_lua_check_enum(lua_State *L);

int cl_device(lua_State *L);
int cl_device_count(lua_State *L);
int cl_device_name(lua_State *L);
int cl_device_ordinal(lua_State *L);
int cl_device_compute_capability(lua_State *L);
int cl_device_total_memory(lua_State *L);
int cl_device_get_attribute(lua_State *L);
int cl_device_make_context(lua_State *L);
int cl_device_retain_primary_context(lua_State *L);
int cl_device_tostring(lua_State *L);

void cl_push_device(lua_State *L, CUdevice dev);

void cl_open_state(lua_State *L);
void cl_open_contexts(lua_State *L);
int cl_context_push(lua_State *L);
int cl_context_pop(lua_State *L);
int cl_context_depth(lua_State *L);
int cl_context_detach(lua_State *L);
int cl_context_synchronize(lua_State *L);
int cl_context_get_current(lua_State *L);
int cl_context_get_device(lua_State *L);
int cl_context_handle(lua_State *L);

int cl_mem_alloc(lua_State *L);
int cl_mem_get_info(lua_State *L);
void cl_push_pointer(lua_State *L, cl_Rec *anchor, uint64_t address, uint64_t size);
int cl_pointer(lua_State *L);
int cl_alloc_free(lua_State *L);
int cl_memory_ptr(lua_State *L);
int cl_memory_len(lua_State *L);
int cl_memory_add(lua_State *L);

int cl_memcpy_htod(lua_State *L);
int cl_memcpy_dtoh(lua_State *L);
int cl_memcpy_dtod(lua_State *L);

int cl_module_load(lua_State *L);
int cl_module_get_function(lua_State *L);
int cl_module_get_global(lua_State *L);
int cl_module_close(lua_State *L);

int cl_function_get_attribute(lua_State *L);
int cl_function_name(lua_State *L);
int cl_function_index(lua_State *L);
int cl_function_tostring(lua_State *L);
int cl_function_set_signature(lua_State *L);
int cl_function_params(lua_State *L);
int cl_function_call(lua_State *L);
int cl_scalar(lua_State *L);
int cl_scalar_tostring(lua_State *L);

int cl_nvrtc_open(lua_State *L);
int cl_nvrtc_compile(lua_State *L);

int cl_softgpu_control(lua_State *L);
int cl_softgpu_restart(lua_State *L);

#endif
