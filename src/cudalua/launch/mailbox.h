/* Single elements on their way to the host: see lua/cudalua/gpuarray/core/mailbox.lua. A mailbox is a
 * HostAllocation of 1024 bytes, which nobody else uses. */
#ifndef CUDALUA_MAILBOX_H
#define CUDALUA_MAILBOX_H

#include "launch/launch.h"
#include "memory/memory.h"

/* The mailbox at idx, of ctx's if that is given, or NULL. */
const cl_MemoryObject *cl_mailbox_in(lua_State *L, int idx, const cl_Context *ctx);

/* Before the launch of a kernel that leaves its one value in a mailbox: its last two parameters are where,
 * and a ticket, which is what this returns. 0: it leaves nothing. */
uint32_t cl_take_ticket(lua_State *L, const cl_Function *fn, const cl_MemoryObject *mailbox);

/* The memory at idx, if it is of ctx's with nobody to wait for but s: its address is all there is to know. */
const cl_MemoryObject *cl_simple_memory(lua_State *L, int idx, const cl_Context *ctx, const cl_Stream *s);

#endif
