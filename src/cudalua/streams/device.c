/* Device: an ordinal. One userdata per ordinal and state, so that it works as a table key. */
#include "streams/context.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char devices_key = 0;

void cl_push_device(lua_State *L, int ordinal) {
  cl_registry_get(L, &devices_key);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    cl_registry_set(L, &devices_key);
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

static const char device_id[] = "an ordinal as a number, 0, or a PCI bus id, \"0000:3b:00.0\"";

/* Device(ordinal), Device("0000:3b:00.0") */
int cl_device(lua_State *L) {
  CUdevice h;
  if (lua_type(L, 1) == LUA_TSTRING) {
    const char *id = cl_check_name(L, 1, "device");
    if (!strchr(id, ':')) cl_bad_argument(L, 1, "device", device_id);
    CL_TRY(L, cuDeviceGetByPCIBusId, &h, id);
    cl_push_device(L, h);
    return 1;
  }
  if (lua_type(L, 1) != LUA_TNUMBER) cl_bad_argument(L, 1, "device", device_id);
  int ordinal = (int)cl_check_int(L, 1, "ordinal", 0, 1 << 20);
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

static int push_attribute(lua_State *L, CUdevice h, long attribute) {
  int value = 0;
  CL_TRY(L, cuDeviceGetAttribute, &value, (CUdevice_attribute)attribute, h);
  lua_pushinteger(L, value);
  return 1;
}

/* dev:get_attribute(name or number) */
int cl_device_get_attribute(lua_State *L) {
  CUdevice h = handle(L);
  return push_attribute(L, h, cl_check_attribute(L, 2, "attribute", "device_attribute"));
}

static bool wants_names(lua_State *L) {
  if (lua_isnoneornil(L, 2)) return false;
  if (lua_type(L, 2) != LUA_TTABLE) cl_bad_argument(L, 2, "options", "a table, {names = true}");
  bool names = false;
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "names") != 0)
      cl_logic(L, "get_attributes: unknown option %s; valid option: names", cl_option_text(L, -2));
    if (lua_type(L, -1) != LUA_TBOOLEAN) cl_bad_argument(L, lua_gettop(L), "names", "true or false");
    names = lua_toboolean(L, -1);
  }
  return names;
}

/* dev:get_attributes([{names = true}]): by number, or by name. Left out is what this driver does not know. */
int cl_device_get_attributes(lua_State *L) {
  static const char table[] = "device_attribute";
  CUdevice h = handle(L);
  bool names = wants_names(L);
  const char *name;
  long id;
  lua_createtable(L, 0, 160);
  for (size_t i = 0; cl_constant_at(table, i, &name, &id); i++) {
    int value;
    if (cl_constant_name(table, id) != name) continue; /* an older name of the same number */
    CUresult code = CU.cuDeviceGetAttribute(&value, (CUdevice_attribute)id, h);
    if (code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_NOT_SUPPORTED) {
      cl_log_clear();
      continue;
    }
    if (code) cl_fail(L, "cuDeviceGetAttribute", code);
    lua_pushinteger(L, value);
    if (!names) {
      lua_rawseti(L, -2, (int)id);
      continue;
    }
    char lower[80];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof lower; n++) lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = 0;
    lua_setfield(L, -2, lower);
  }
  return 1;
}

/* "0000:3b:00.0" */
int cl_device_pci_bus_id(lua_State *L) {
  char id[32];
  CL_TRY(L, cuDeviceGetPCIBusId, id, sizeof id, handle(L));
  lua_pushstring(L, id);
  return 1;
}

/* As nvidia-smi prints it, without the "GPU-" before it. */
int cl_device_uuid(lua_State *L) {
  CUuuid id;
  char text[40];
  size_t n = 0;
  CL_TRY(L, cuDeviceGetUuid_v2, &id, handle(L));
  for (int i = 0; i < 16; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%02x",
                          i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)id.bytes[i]);
  lua_pushstring(L, text);
  return 1;
}

static CUdevice other_device(lua_State *L) {
  const cl_DeviceObject *d = cl_to_kind(L, 2, CL_DEVICE);
  CUdevice h;
  if (!d) cl_bad_argument(L, 2, "other", "a Device");
  CL_TRY(L, cuDeviceGet, &h, d->ordinal);
  return h;
}

/* Can kernels of this device use the other's memory? */
int cl_device_can_access_peer(lua_State *L) {
  CUdevice h = handle(L), other = other_device(L);
  int can = 0;
  CL_TRY(L, cuDeviceCanAccessPeer, &can, h, other);
  lua_pushboolean(L, can);
  return 1;
}

/* dev:p2p_attribute(other, name or number), of the way from this device to the other */
int cl_device_p2p_attribute(lua_State *L) {
  CUdevice h = handle(L), other = other_device(L);
  int value = 0;
  CUdevice_P2PAttribute a = (CUdevice_P2PAttribute)cl_check_attribute(L, 3, "attribute", "p2p_attribute");
  CL_TRY(L, cuDeviceGetP2PAttribute, &value, a, h, other);
  lua_pushinteger(L, value);
  return 1;
}

/* device_error([dev]) -> nil, or the code of the sticky error that the device of that number (nil: the
 * current one) is lost to this process by, and its name */
int cl_device_error(lua_State *L) {
  CUdevice h;
  if (lua_isnoneornil(L, 1)) {
    h = cl_current_device(L);
  } else {
    const cl_DeviceObject *d = cl_to_kind(L, 1, CL_DEVICE);
    if (!d) cl_bad_argument(L, 1, "device", "a Device");
    CL_TRY(L, cuDeviceGet, &h, d->ordinal);
  }
  int code = h >= 0 && h < CL_MAX_DEVICES ? cl_poison[h] : 0;
  if (!code) return 0;
  lua_pushinteger(L, code);
  lua_pushstring(L, cl_code_name((CUresult)code));
  return 2;
}

/* lost() -> the text of the error that has ended the devices of this process ("illegal address"), or nothing.
 * Asks the driver nothing. */
int cl_lost(lua_State *L) {
  for (int i = 0; i < CL_MAX_DEVICES; i++)
    if (cl_poison[i]) return lua_pushstring(L, cl_code_text((CUresult)cl_poison[i])), 1;
  return 0;
}

static bool find_attribute(const char *name, long *id) {
  return cl_find_constant("device_attribute", name, id);
}

/* dev.clock_rate: methods (upvalue 1) first, then attributes. */
int cl_device_index(lua_State *L) {
  if (cl_push_method(L)) return 1;
  long id;
  if (!cl_asked_attribute(L, "Device", "device_attribute", find_attribute, &id)) return 0;
  return push_attribute(L, handle(L), id);
}

int cl_device_tostring(lua_State *L) {
  const cl_DeviceObject *d = cl_to_kind(L, 1, CL_DEVICE);
  lua_pushfstring(L, "cudalua.Device(%d)", d ? d->ordinal : -1);
  return 1;
}
