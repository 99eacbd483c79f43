/* Device: an ordinal. One userdata per ordinal and state, so that it works as a table key. */
#include "core.h"

static const char devices_key = 0;

void cl_push_device(lua_State *L, int ordinal) {
  lua_pushlightuserdata(L, (void *)&devices_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushlightuserdata(L, (void *)&devices_key);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, -1, ordinal);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    cl_DeviceObject *d = cl_push(L, CL_DEVICE, sizeof *d);
    d->ordinal = ordinal;
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, ordinal);
  }
  lua_remove(L, -2);
}

static CUdevice handle(lua_State *L) {
  const cl_DeviceObject *d = cl_check(L, 1, CL_DEVICE);
  CUdevice h;
  CL_TRY(L, cuDeviceGet, &h, d->ordinal);
  return h;
}

int cl_device(lua_State *L) {
  int ordinal = (int)cl_check_int(L, 1, "ordinal", 0, 1 << 20);
  CUdevice h;
  CL_TRY(L, cuDeviceGet, &h, ordinal);
  cl_push_device(L, ordinal);
  return 1;
}

int cl_device_count(lua_State *L) {
  int n = 0;
  CL_TRY(L, cuDeviceGetCount, &n);
  lua_pushinteger(L, n);
  return 1;
}

int cl_device_name(lua_State *L) {
  char name[1024];
  CL_TRY(L, cuDeviceGetName, name, sizeof name, handle(L));
  lua_pushstring(L, name);
  return 1;
}

int cl_device_ordinal(lua_State *L) {
  lua_pushinteger(L, ((const cl_DeviceObject *)cl_check(L, 1, CL_DEVICE))->ordinal);
  return 1;
}

int cl_device_compute_capability(lua_State *L) {
  CUdevice h = handle(L);
  int major = 0, minor = 0;
  CL_TRY(L, cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, h);
  CL_TRY(L, cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, h);
  lua_pushinteger(L, major);
  lua_pushinteger(L, minor);
  return 2;
}

int cl_device_total_memory(lua_State *L) {
  size_t bytes = 0;
  CL_TRY(L, cuDeviceTotalMem_v2, &bytes, handle(L));
  lua_pushnumber(L, (lua_Number)bytes);
  return 1;
}

int cl_device_get_attribute(lua_State *L) {
  CUdevice h = handle(L);
  int value = 0;
  CUdevice_attribute a = (CUdevice_attribute)cl_check_int(L, 2, "attribute", 0, 1 << 20);
  CL_TRY(L, cuDeviceGetAttribute, &value, a, h);
  lua_pushinteger(L, value);
  return 1;
}

int cl_device_tostring(lua_State *L) {
  const cl_DeviceObject *d = cl_to_kind(L, 1, CL_DEVICE);
  lua_pushfstring(L, "cudalua.Device(%d)", d ? d->ordinal : -1);
  return 1;
}
