/* Device memory that this library allocated. */
#ifndef CUDALUA_MEMORY_H
#define CUDALUA_MEMORY_H

#include "streams/order.h"

/* Before an explicit free of a, in the order of s if that is not NULL: raises where a capture forbids it, and
 * waits for graphs that work on a. */
void cl_memory_before_free(lua_State *L, const cl_Allocation *a, const cl_Stream *s, const char *call);

/* Pushes a DevicePointer that holds what the object at index `owner` holds (0: nobody's). */
void cl_push_pointer(lua_State *L, int owner, uint64_t address, uint64_t size);

#endif
