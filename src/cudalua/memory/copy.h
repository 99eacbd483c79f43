/* What copies and fills share: where the two ends lie, and what has to hold on to them. */
#ifndef CUDALUA_COPY_H
#define CUDALUA_COPY_H

#include "streams/capture.h"
#include "memory/memory.h"

/* The device address at idx: an object of the current context, whose bounds are checked against `bytes` so
 * that the error can say how far the work would have gone, or a number, which the driver judges. */
CUdeviceptr cl_device_side(lua_State *L, int idx, const char *what, uint64_t bytes);
/* The same for memory of any context. */
CUdeviceptr cl_device_address(lua_State *L, int idx, const char *what, uint64_t bytes);
/* Raises unless r is of the current context, or of all: page-locked memory, bare addresses. */
void cl_check_here(lua_State *L, cl_Rec *r, const char *what);
cl_Context *cl_owner_of(cl_Rec *r); /* the only context that r is of; NULL: all */
/* The host address that lua/cudalua/base/ffi.lua left at idx: a string (not for writing), or a box with the
 * address. Raises if the memory's owner at index `owner`, as host_buffer() tells it, was closed since then.
 */
void *cl_host_side(lua_State *L, int idx, const char *what, bool writable, int owner);

/* After a plain copy from or to host memory whose owner, as host_buffer() tells it, is at idx: managed memory
 * counts as device memory with the driver, which does not wait then. */
void cl_host_settle(lua_State *L, int idx);

/* Begins asynchronous work: the stream at index `at` (nil: the current one), for the current context, which
 * is pushed onto the Lua stack and so held. To be called before addresses are read: it may run finalizers. */
cl_Stream *cl_begin_async(lua_State *L, int at, cl_Context **ctx);
/* The current context, held in the same way. */
cl_Context *cl_hold_current(lua_State *L);
/* After the submission: what is at idx, device memory or not, was used by it. */
void cl_used_in(lua_State *L, int idx, cl_Stream *s);

#endif
