/* luaopen_cudalua_core: every table of functions of the module. Names that Lua code calls directly have
 * their documentation in docs/meta/core.lua or in the Lua file that wraps them. */
#include "launch.h"

/* kind(value) -> "DeviceAllocation", ... for objects of this module, else nil */
static int kind(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  if (!o) return 0;
  lua_pushstring(L, cl_kind_name(o->kind));
  return 1;
}

/* failed_destroys() -> how many finalizers the driver answered with an error */
static int failed_destroys(lua_State *L) {
  lua_pushnumber(L, (lua_Number)cl_failed_destroys());
  return 1;
}

/* drain(): destroys what finalizers left to the queue */
static int drain(lua_State *L) {
  (void)L;
  cl_queue_drain();
  return 0;
}

/* on_launch(f): f(fn, options, listed, ...) takes the calls whose arguments C cannot convert by itself. Sets
 * the metamethod __call of Function. */
static int on_launch(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  cl_push_metatable(L, CL_FUNCTION);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, cl_function_call, 1);
  lua_setfield(L, -2, "__call");
  return 0;
}

static const luaL_Reg core_functions[] = {
    // driver.c
    {"init", cl_init},
    {"driver_info", cl_driver_info},
    {"get_version", cl_get_version},
    {"get_driver_version", cl_get_driver_version},
    {"softgpu_control", cl_softgpu_control},
    {"softgpu_restart", cl_softgpu_restart},
    // error.c
    {"raise", cl_raise},
    {"set_library_root", cl_set_library_root},
    // constants.c
    {"constants", cl_constants},
    {"constant_tables", cl_constant_tables},
    {"check_flags", cl_lua_check_flags},
    {"check_enum", cl_lua_check_enum},
    // device.c
    {"Device", cl_device},
    {"device_count", cl_device_count},
    // memory.c
    {"mem_alloc", cl_mem_alloc},
    {"mem_get_info", cl_mem_get_info},
    {"pointer", cl_pointer},
    // copy.c
    {"memcpy_htod", cl_memcpy_htod},
    {"memcpy_dtoh", cl_memcpy_dtoh},
    {"memcpy_dtod", cl_memcpy_dtod},
    // module.c
    {"module_load", cl_module_load},
    // function.c
    {"function_set_signature", cl_function_set_signature},
    {"function_params", cl_function_params},
    // convert.c
    {"scalar", cl_scalar},
    // nvrtc.c
    {"nvrtc_open", cl_nvrtc_open},
    {"nvrtc_compile", cl_nvrtc_compile},
    // core.c
    {"kind", kind},
    {"context_depth", cl_context_depth},
    {"failed_destroys", failed_destroys},
    {"drain", drain},
    {"on_launch", on_launch},
    {NULL, NULL}};

static const luaL_Reg device_methods[] = {{"name", cl_device_name},
                                          {"ordinal", cl_device_ordinal},
                                          {"compute_capability", cl_device_compute_capability},
                                          {"total_memory", cl_device_total_memory},
                                          {"get_attribute", cl_device_get_attribute},
                                          {"make_context", cl_device_make_context},
                                          {"retain_primary_context", cl_device_retain_primary_context},
                                          {NULL, NULL}};
static const luaL_Reg device_meta[] = {{"__tostring", cl_device_tostring}, {NULL, NULL}};

static const luaL_Reg context_methods[] = {{"push", cl_context_push},
                                           {"pop", cl_context_pop},
                                           {"detach", cl_context_detach},
                                           {"synchronize", cl_context_synchronize},
                                           {"get_current", cl_context_get_current},
                                           {"get_device", cl_context_get_device},
                                           {"handle", cl_context_handle},
                                           {NULL, NULL}};

static const luaL_Reg stream_methods[] = {{NULL, NULL}};
static const luaL_Reg event_methods[] = {{NULL, NULL}};

static const luaL_Reg allocation_methods[] = {
    {"free", cl_alloc_free}, {"close", cl_alloc_free}, {"ptr", cl_memory_ptr}, {NULL, NULL}};
static const luaL_Reg pointer_methods[] = {{"ptr", cl_memory_ptr}, {NULL, NULL}};
static const luaL_Reg memory_meta[] = {{"__len", cl_memory_len}, {"__add", cl_memory_add}, {NULL, NULL}};

static const luaL_Reg module_methods[] = {{"get_function", cl_module_get_function},
                                          {"get_global", cl_module_get_global},
                                          {"close", cl_module_close},
                                          {NULL, NULL}};

static const luaL_Reg function_methods[] = {
    {"name", cl_function_name}, {"get_attribute", cl_function_get_attribute}, {NULL, NULL}};
static const luaL_Reg function_meta[] = {
    {"__index", cl_function_index}, {"__tostring", cl_function_tostring}, {NULL, NULL}};

static const luaL_Reg scalar_methods[] = {{NULL, NULL}};
static const luaL_Reg scalar_meta[] = {{"__tostring", cl_scalar_tostring}, {NULL, NULL}};

static void add_class(lua_State *L, cl_Kind k, const luaL_Reg *methods, const luaL_Reg *meta) {
  cl_new_class(L, k, methods, meta);
  lua_setfield(L, -2, cl_kind_name(k));
}

__attribute__((visibility("default"))) int luaopen_cudalua_core(lua_State *L);

int luaopen_cudalua_core(lua_State *L) {
  cl_remember_home();
  cl_open_state(L);
  cl_open_contexts(L);
  lua_newtable(L);
  luaL_setfuncs(L, core_functions, 0);
  lua_pushinteger(L, CL_ABI);
  lua_setfield(L, -2, "ABI");
  cl_push_error_classes(L);
  lua_setfield(L, -2, "errors");
  cl_push_results(L);
  lua_setfield(L, -2, "result");

  lua_newtable(L); /* classes: the tables of methods, which Lua files add to */
  add_class(L, CL_DEVICE, device_methods, device_meta);
  add_class(L, CL_CONTEXT, context_methods, NULL);
  add_class(L, CL_STREAM, stream_methods, NULL);
  add_class(L, CL_EVENT, event_methods, NULL);
  add_class(L, CL_ALLOCATION, allocation_methods, memory_meta);
  add_class(L, CL_POINTER, pointer_methods, memory_meta);
  add_class(L, CL_MODULE, module_methods, NULL);
  add_class(L, CL_FUNCTION, function_methods, function_meta);
  add_class(L, CL_SCALAR, scalar_methods, scalar_meta);
  lua_setfield(L, -2, "classes");
  return 1;
}
