/* Copies between host and device. The Lua side (lua/cudalua/ffi.lua) turns host buffers of any kind into
 * a string, or a cdata that holds the address, and a number of bytes. */
#include "core.h"

/* A number is an address that the driver judges; an object is checked here, so that the error can say
 * how far the copy would have gone. */
static CUdeviceptr device_side(lua_State *L, int idx, const char *what, uint64_t bytes) {
  if (lua_type(L, idx) == LUA_TNUMBER) return cl_check_bytes(L, idx, what);
  const cl_MemoryObject *m = cl_check_memory(L, idx, what);
  if (m->o.rec != &cl_no_owner && bytes > m->size)
    cl_logic(L, "%s: %llu bytes do not fit in %llu bytes of device memory", what, (unsigned long long)bytes,
             (unsigned long long)m->size);
  return m->address;
}

/* LuaJIT's lua_topointer() gives the payload of a cdata: for `void *[1]`, a place that holds the address. */
static void *host_side(lua_State *L, int idx, const char *what) {
  if (lua_type(L, idx) == CL_TCDATA) return *(void *const *)lua_topointer(L, idx);
  cl_bad_argument(L, idx, what, "host memory");
  return NULL;
}

/* memcpy_htod(dest, src, bytes) */
int cl_memcpy_htod(lua_State *L) {
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  CUdeviceptr dst = device_side(L, 1, "dest", bytes);
  const void *src = lua_type(L, 2) == LUA_TSTRING ? (const void *)lua_tostring(L, 2) : host_side(L, 2, "src");
  if (bytes) CL_TRY(L, cuMemcpyHtoD_v2, dst, src, bytes);
  return 0;
}

/* memcpy_dtoh(dest, src, bytes) */
int cl_memcpy_dtoh(lua_State *L) {
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  void *dst = host_side(L, 1, "dest");
  CUdeviceptr src = device_side(L, 2, "src", bytes);
  if (bytes) CL_TRY(L, cuMemcpyDtoH_v2, dst, src, bytes);
  return 0;
}

/* memcpy_dtod(dest, src, bytes) */
int cl_memcpy_dtod(lua_State *L) {
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  CUdeviceptr dst = device_side(L, 1, "dest", bytes), src = device_side(L, 2, "src", bytes);
  if (bytes) CL_TRY(L, cuMemcpyDtoD_v2, dst, src, bytes);
  return 0;
}
