/* Memory pressure: Lua's collector sees a few bytes of each object and nothing of the gigabytes behind it. So
 * the bytes are counted (account.h), collections are paced by them, and an allocation that fails is tried
 * once more after everything that could be let go of was. */
#ifndef CUDALUA_COLLECT_H
#define CUDALUA_COLLECT_H

#include "base/account.h"
#include "base/hook.h"

/* To be called first in whatever allocates, before anything half-made exists: gives back what finalizers
 * left, and collects garbage if enough was allocated since. True: that ran finalizers of the user's, so
 * nothing that was read before can be relied on: not the current context, not that an object is still open.
 */
bool cl_pressure(lua_State *L);

/* Would cl_pressure() do nothing? Then it need not be called. */
bool cl_pressure_none(lua_State *L);

/* call(arg), and where there is no memory, once more after the ladder: caches of pools, two collections, the
 * queue, a synchronisation, the driver's pools. */
CUresult cl_allocate(lua_State *L, CUresult (*call)(void *), void *arg);
/* Raises what the driver answered to `call`, for CUDA_ERROR_OUT_OF_MEMORY with who has the memory. */
int cl_fail_memory(lua_State *L, const char *call, CUresult code, uint64_t bytes) __attribute__((noreturn));

/* Caches of memory add themselves to these. cl_on_memory_short: an allocation failed; give back to the driver
 * what you keep and nobody uses. cl_on_memory_settled: the same again, on dev, after collections and once all
 * work is done, for caches whose blocks were in use. cl_on_count_idle: adds to *bytes what you keep of dev's
 * memory and nobody uses, if it is not accounted. Called at allocations that collect, too: must not wait. */
CL_HOOKS(cl_on_memory_short, void);
CL_HOOKS(cl_on_memory_settled, CUdevice dev);
CL_HOOKS(cl_on_count_idle, CUdevice dev, uint64_t *bytes);

#endif
