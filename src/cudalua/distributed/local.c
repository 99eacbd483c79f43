/* What ranks of one process need beside Lua (lua/cudalua/distributed/members.lua). */
#include "base/base.h"
#include "distributed/combine.h"
#include "memory/copy.h"

#include <stdint.h>

enum { MOST = 64 }; /* inputs */

/* combine_memory(dtype, op, bytes, offset, output, inputs): combines so many bytes from this offset of each
 * host memory of a list; output and inputs are as host_buffer() gives memory. */
int cl_combine_memory(lua_State *L) {
  const cl_Combine *c = cl_combine_by_name(luaL_checkstring(L, 1));
  const cl_CombineOp op = (cl_CombineOp)luaL_checkoption(L, 2, NULL, cl_combine_ops);
  const size_t bytes = cl_check_bytes(L, 3, "bytes"), offset = cl_check_bytes(L, 4, "offset");
  const void *from[MOST];
  void *out = cl_host_side(L, 5, "output", true, 0);
  luaL_checktype(L, 6, LUA_TTABLE);
  const size_t n = lua_objlen(L, 6);
  if (!c || !cl_combine_has(c, op) || !n || n > MOST || !out)
    return luaL_error(L, "combine_memory: invalid arguments");
  luaL_checkstack(L, MOST + 8, "combine_memory");
  for (size_t k = 0; k < n; k++) {
    lua_rawgeti(L, 6, (int)k + 1);
    const uint8_t *at = cl_host_side(L, lua_gettop(L), "input", false, 0);
    if (!at) return luaL_error(L, "combine_memory: memory is missing");
    from[k] = at + offset;
  }
  cl_combine(c, op, from, (unsigned)n, bytes / cl_combine_size(c), out);
  return 0;
}
