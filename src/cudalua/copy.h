/* What copies and fills share: where the two ends lie, and what has to hold on to them. */
#ifndef CUDALUA_COPY_H
#define CUDALUA_COPY_H

#include "capture.h"
#include "memory.h"

/* The device address at idx: an object whose bounds are checked against `bytes`, so that the error can say
 * how far the copy would have gone, or a number, which the driver judges. */
CUdeviceptr cl_device_side(lua_State *L, int idx, const char *what, uint64_t bytes);
/* The host address that lua/cudalua/ffi.lua left at idx: a string (not for writing), or a box with the
 * address. */
void *cl_host_side(lua_State *L, int idx, const char *what, bool writable);

/* Begins asynchronous work: the stream at index `at` (nil: the current one), for the current context, which
 * is pushed onto the Lua stack and so held. */
cl_Stream *cl_begin_async(lua_State *L, int at, cl_Context **ctx);
/* After the submission: what is at idx, device memory or not, was used by it. */
void cl_used_in(lua_State *L, int idx, cl_Stream *s);

#endif
