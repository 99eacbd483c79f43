/* Errors are tables of one of eight classes (lua/cudalua/base/errors.lua gives them their methods). They are
 * built here and thrown in one place, cl_throw(). */
#ifndef CUDALUA_ERROR_H
#define CUDALUA_ERROR_H

#include <cuda.h>
#include <lua.h>
#include <stdbool.h>

#include "base/hook.h"

typedef enum cl_ErrorClass {
  CL_ERROR,
  CL_LOGIC_ERROR,
  CL_MEMORY_ERROR,
  CL_LAUNCH_ERROR,
  CL_RUNTIME_ERROR,
  CL_COMPILE_ERROR,
  CL_INTERRUPT_ERROR,
  CL_LINALG_ERROR
} cl_ErrorClass;

/* Pushes a new error table with message (and class). Add fields with lua_setfield, then cl_throw(). */
void cl_error_new(lua_State *L, cl_ErrorClass c, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds where and traceback to the error on top of the stack and raises it. Never returns. */
int cl_throw(lua_State *L) __attribute__((noreturn));

/* The two usual forms. `call` is the driver function that answered `code`. */
int cl_logic(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
int cl_fail(lua_State *L, const char *call, CUresult code) __attribute__((noreturn));
/* Runs for each such error that is made, with the error table on top of the stack. waited: what was waited
 * for, or NULL. */
struct cl_Rec;
CL_HOOKS(cl_on_failed_call, lua_State *L, const char *call, CUresult code, struct cl_Rec *waited);
/* The same, unless what the call lacks can be started: then it returns, and the call is to be repeated. */
void cl_start_or_fail(lua_State *L, const char *call, CUresult code);
/* Starts what a call lacks that answered `code`: true if the call is worth another try. May raise. */
bool cl_start(lua_State *L, CUresult code);
CL_HOOKS(cl_on_lacking, lua_State *L, CUresult code, bool *started);
/* What the driver said about a fault: errors of later calls that answer this code have it, too. */
void cl_keep_report(CUresult code, const char *text);
void cl_forget_report(void);
/* Like cl_fail, but leaves the error on the stack so that fields can be added. */
void cl_fail_new(lua_State *L, const char *call, CUresult code);

/* What every call says in a process that is a fork of the one that opened the driver. */
int cl_fail_forked(lua_State *L) __attribute__((noreturn));
extern const char cl_forked_text[];

/* For calls that wait for a stream or an event, or ask whether it is done: a late error is that of its
 * context, which need not be the current one, and of the kernel launched last there. */
int cl_fail_waiting(lua_State *L, const char *call, CUresult code, struct cl_Rec *waited)
    __attribute__((noreturn));

/* Calls the driver until it succeeds or fails for good: what a failed call lacks may be started (start.c). */
#define CL_TRY(L, fn, ...)                                                                                   \
  for (CUresult cl_r_; __builtin_expect((cl_r_ = CU.fn(__VA_ARGS__)) != CUDA_SUCCESS, 0);)                   \
  cl_start_or_fail(L, #fn, cl_r_)

/* The same for a wait (streams/wait.h), which is named as the driver's call. */
#define CL_TRY_WAIT(L, fn, wait)                                                                             \
  for (CUresult cl_r_; __builtin_expect((cl_r_ = (wait)) != CUDA_SUCCESS, 0);) cl_start_or_fail(L, #fn, cl_r_)

/* A driver call that would break a capture without being of any concern to it. The mode has changed when the
 * arguments are evaluated: they must not raise. */
#define CL_TRY_RELAXED(L, fn, ...)                                                                           \
  do {                                                                                                       \
    CUstreamCaptureMode cl_mode_ = cl_relax();                                                               \
    CUresult cl_r_ = CU.fn(__VA_ARGS__);                                                                     \
    cl_unrelax(cl_mode_);                                                                                    \
    if (cl_r_) cl_fail(L, #fn, cl_r_);                                                                       \
  } while (0)

const char *cl_code_name(CUresult code); /* "CUDA_ERROR_INVALID_VALUE", or NULL */
const char *cl_code_text(CUresult code); /* "invalid value": our own words, valid after driver shutdown too */
bool cl_code_sticky(CUresult code);      /* every later call on the device fails: the process must restart */

/* "file:line" of the user's call, interned: for what is remembered beyond the call. NULL: none. */
const char *cl_here(lua_State *L);

/* ":item()", "load()": what the user's line called, if that is a Lua function of this library of another name
 * than `call`. If its name is not known: that it waits. */
bool cl_user_call(lua_State *L, const char *call, char *out, size_t size);

/* Is the function that ar describes ("S") Lua code of this library? */
bool cl_is_library_code(lua_State *L, const lua_Debug *ar);

/* Pushes the table of class tables by name, made on first use. */
void cl_push_error_classes(lua_State *L);
/* Pushes {NAME = code}: cuda.result. */
void cl_push_results(lua_State *L);

#endif
