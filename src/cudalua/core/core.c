/* luaopen_cudalua_core: every table of functions of the module. Names that Lua code calls directly have
 * their documentation in docs/meta/core.lua or in the Lua file that wraps them. */
#include "built.h"
#include "launch/launch.h"
#include "base/slots.h"
#include "base/state.h"
#include "memory/hostmem.h"

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

/* drain(): destroys what finalizers left to the state and to the queue */
static int drain(lua_State *L) {
  cl_registered_drain(L, cl_state(L));
  cl_queue_drain();
  cl_pressure_collected(L);
  return 0;
}

/* next(table [, key]) -> as Lua's own: lua/cudalua/base/pairs_of.lua says why there is another one. */
static int next(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
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

/* on_function_index(f) -> the function that __index of Function was; f(fn, key) is called from now on: a
 * function in Lua, which LuaJIT compiles into the loops that call methods. */
static int on_function_index(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  cl_push_metatable(L, CL_FUNCTION);
  lua_getfield(L, -1, "__index");
  lua_pushvalue(L, 1);
  lua_setfield(L, -3, "__index");
  return 1;
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
    {"near", cl_near},
    {"check_flags", cl_lua_check_flags},
    {"check_enum", cl_lua_check_enum},
    // device.c
    {"Device", cl_device},
    {"device_count", cl_device_count},
    {"device_error", cl_device_error},
    // context.c
    {"wrap_context", cl_wrap_context},
    // start.c
    {"on_start", cl_on_start},
    {"want_context", cl_want_context},
    // stream.c, completion.c
    {"stream", cl_stream},
    {"wrap_stream", cl_wrap_stream},
    {"default_streams", cl_default_streams},
    {"current_stream", cl_get_current_stream},
    {"stream_priority_range", cl_stream_priority_range},
    {"poll", cl_poll},
    // event.c
    {"event", cl_event},
    {"event_from_ipc_handle", cl_event_from_ipc_handle},
    // memory.c
    {"mem_alloc", cl_mem_alloc},
    {"mem_alloc_async", cl_mem_alloc_async},
    {"mem_get_info", cl_mem_get_info},
    {"pointer", cl_pointer},
    // pressure.c
    {"mem_stats", cl_mem_stats},
    {"gc_budget", cl_gc_budget},
    {"gc_cost", cl_gc_cost},
    {"on_finalizer_error", cl_on_finalizer_error},
    // mempool.c
    {"mempool", cl_mempool},
    {"import_mempool", cl_import_mempool},
    {"default_mempool", cl_default_mempool},
    // pool.c
    {"device_pool", cl_device_pool},
    {"host_pool", cl_host_pool},
    {"host_pool_allocate", cl_host_pool_allocate},
    // copy.c
    {"memcpy_htod", cl_memcpy_htod},
    {"memcpy_dtoh", cl_memcpy_dtoh},
    {"memcpy_dtod", cl_memcpy_dtod},
    {"memcpy_htod_async", cl_memcpy_htod_async},
    {"memcpy_dtoh_async", cl_memcpy_dtoh_async},
    {"memcpy_dtod_async", cl_memcpy_dtod_async},
    // memset.c
    {"memset", cl_memset},
    {"memset_2d", cl_memset_2d},
    // memcpy.c
    {"memcpy_box", cl_memcpy_box},
    {"memcpy_peer", cl_memcpy_peer},
    // hostmem.c
    {"host_alloc", cl_host_alloc},
    {"managed_alloc", cl_managed_alloc},
    {"aligned_alloc", cl_aligned_alloc},
    {"host_register", cl_host_register},
    {"host_address", cl_host_address},
    {"host_to_device", cl_host_to_device},
    {"closes_address", cl_closes_address},
    {"why_dead", cl_why_dead},
    // ipc.c
    {"mem_get_ipc_handle", cl_mem_get_ipc_handle},
    {"ipc_open", cl_ipc_open},
    // linear.c
    {"mem_alloc_pitch", cl_mem_alloc_pitch},
    {"mem_get_address_range", cl_mem_get_address_range},
    {"host_view", cl_host_view},
    // array.c
    {"array", cl_array},
    {"memcpy_dtoa", cl_memcpy_dtoa},
    {"memcpy_atod", cl_memcpy_atod},
    {"memcpy_htoa", cl_memcpy_htoa},
    {"memcpy_atoh", cl_memcpy_atoh},
    {"memcpy_atoa", cl_memcpy_atoa},
    // module.c
    {"module_load", cl_module_load},
    // linker.c
    {"linker", cl_linker},
    // layout.c
    {"function_set_signature", cl_function_set_signature},
    {"function_params", cl_function_params},
    {"function_source", cl_function_source},
    // occupancy.c
    {"function_suggest", cl_function_suggest},
    {"function_extents", cl_function_extents},
    // profiler.c
    {"start_profiler", cl_start_profiler},
    {"stop_profiler", cl_stop_profiler},
    {"initialize_profiler", cl_initialize_profiler},
    // launch.c
    {"launch_blocking", cl_launch_blocking},
    // slots.c
    {"use_slots", cl_use_slots},
    // prepare.c
    {"context_id", cl_context_id},
    {"here", cl_user_line},
    {"memory_context", cl_memory_context},
    {"array_allocate", cl_array_allocate},
    {"array_compute", cl_array_compute},
    {"array_release", cl_array_release},
    {"array_read", cl_array_read},
    {"array_ready", cl_array_ready},
    {"launch_count", cl_launch_count},
    {"array_run", cl_array_run},
    {"array_told", cl_array_told},
    {"function_prepare", cl_function_prepare},
    // params.c
    {"on_params", cl_on_params},
    {"param_set_in_lua", cl_function_param_set_in_lua},
    {"param_setv", cl_function_param_setv},
    // convert.c
    {"scalar", cl_scalar},
    // sha256.c
    {"sha256", cl_lua_sha256},
    // cachedir.c
    {"cache_open", cl_cache_open},
    {"cache_read", cl_cache_read},
    {"cache_key", cl_cache_key},
    {"cache_write", cl_cache_write},
    {"cache_list", cl_cache_list},
    {"cache_evict", cl_cache_evict},
    // files.c
    {"stat", cl_file_stat},
    {"list_folder", cl_file_list},
    {"realpath", cl_file_realpath},
    {"read_file", cl_file_read},
    // process.c
    {"make_folder", cl_make_folder},
    {"create_folder", cl_create_folder},
    {"remove_folder", cl_remove_folder},
    {"spawn", cl_spawn},
    // nvjitlink.c
    {"nvjitlink_open", cl_nvjitlink_open},
    {"nvjitlink", cl_nvjitlink},
    // nvrtc.c
    {"nvrtc_open", cl_nvrtc_open},
    {"nvrtc_compile", cl_nvrtc_compile},
    // core.c
    {"kind", kind},
    {"next", next},
    {"context_depth", cl_context_depth},
    {"failed_destroys", failed_destroys},
    {"drain", drain},
    {"on_launch", on_launch},
    {"on_function_index", on_function_index},
    {NULL, NULL}};

static const luaL_Reg device_methods[] = {{"name", cl_device_name},
                                          {"ordinal", cl_device_ordinal},
                                          {"compute_capability", cl_device_compute_capability},
                                          {"compute_cabability", cl_device_compute_capability}, /* PyCUDA's */
                                          {"total_memory", cl_device_total_memory},
                                          {"get_attribute", cl_device_get_attribute},
                                          {"get_attributes", cl_device_get_attributes},
                                          {"pci_bus_id", cl_device_pci_bus_id},
                                          {"uuid", cl_device_uuid},
                                          {"can_access_peer", cl_device_can_access_peer},
                                          {"p2p_attribute", cl_device_p2p_attribute},
                                          {"make_context", cl_device_make_context},
                                          {"retain_primary_context", cl_device_retain_primary_context},
                                          {NULL, NULL}};
static const luaL_Reg device_meta[] = {
    {"__index", cl_device_index}, {"__tostring", cl_device_tostring}, {NULL, NULL}};

static const luaL_Reg context_methods[] = {{"push", cl_context_push},
                                           {"pop", cl_context_pop},
                                           {"detach", cl_context_detach},
                                           {"synchronize", cl_context_synchronize},
                                           {"get_current", cl_context_get_current},
                                           {"get_device", cl_context_get_device},
                                           {"handle", cl_context_handle},
                                           {"attach", cl_context_attach},
                                           {"get_flags", cl_context_get_flags},
                                           {"get_api_version", cl_context_get_api_version},
                                           {"is_poisoned", cl_context_is_poisoned},
                                           {"get_limit", cl_context_get_limit},
                                           {"set_limit", cl_context_set_limit},
                                           {"get_cache_config", cl_context_get_cache_config},
                                           {"set_cache_config", cl_context_set_cache_config},
                                           {"get_shared_config", cl_context_get_shared_config},
                                           {"set_shared_config", cl_context_set_shared_config},
                                           {"enable_peer_access", cl_context_enable_peer_access},
                                           {"disable_peer_access", cl_context_disable_peer_access},
                                           {NULL, NULL}};

static const luaL_Reg stream_methods[] = {{"synchronize", cl_stream_synchronize},
                                          {"is_done", cl_stream_is_done},
                                          {"wait_for_event", cl_stream_wait_for_event},
                                          {"use", cl_stream_use},
                                          {"capture", cl_stream_capture},
                                          {"on_complete", cl_stream_on_complete},
                                          {"flags", cl_stream_flags},
                                          {"priority", cl_stream_priority},
                                          {"context", cl_stream_get_context},
                                          {"handle", cl_stream_handle_number},
                                          {"close", cl_stream_close},
                                          {NULL, NULL}};
static const luaL_Reg stream_meta[] = {{"__tostring", cl_stream_tostring}, {NULL, NULL}};
static const luaL_Reg event_methods[] = {
    {"record", cl_event_record},       {"synchronize", cl_event_synchronize},
    {"query", cl_event_query},         {"time_since", cl_event_time_since},
    {"time_till", cl_event_time_till}, {"ipc_handle", cl_event_ipc_handle},
    {"context", cl_event_context},     {"handle", cl_event_handle},
    {"close", cl_event_close},         {NULL, NULL}};

static const luaL_Reg graph_methods[] = {
    {"nodes", cl_graph_nodes},   {"dot", cl_graph_dot},     {"instantiate", cl_graph_instantiate},
    {"handle", cl_graph_handle}, {"close", cl_graph_close}, {NULL, NULL}};
static const luaL_Reg graph_exec_methods[] = {
    {"launch", cl_graph_exec_launch}, {"upload", cl_graph_exec_upload}, {"update", cl_graph_exec_update},
    {"handle", cl_graph_exec_handle}, {"close", cl_graph_exec_close},   {NULL, NULL}};
static const luaL_Reg no_methods[] = {{NULL, NULL}};

static const luaL_Reg allocation_methods[] = {{"free", cl_alloc_free},
                                              {"close", cl_alloc_free},
                                              {"free_async", cl_alloc_free_async},
                                              {"ptr", cl_memory_ptr},
                                              {NULL, NULL}};
static const luaL_Reg pointer_methods[] = {{"ptr", cl_memory_ptr}, {NULL, NULL}};
static const luaL_Reg memory_meta[] = {{"__len", cl_memory_len}, {"__add", cl_memory_add}, {NULL, NULL}};

static const luaL_Reg pooled_meta[] = {
    {"__len", cl_memory_len}, {"__add", cl_memory_add}, {"__gc", cl_pooled_gc}, {NULL, NULL}};

static const luaL_Reg mempool_methods[] = {{"alloc", cl_mempool_alloc},
                                           {"close", cl_mempool_close},
                                           {"handle", cl_mempool_handle},
                                           {"get_device", cl_mempool_get_device},
                                           {"trim_to", cl_mempool_trim_to},
                                           {"export", cl_mempool_export},
                                           {"export_pointer", cl_mempool_export_pointer},
                                           {"import_pointer", cl_mempool_import_pointer},
                                           {"make_current", cl_mempool_make_current},
                                           {"set_access", cl_mempool_set_access},
                                           {"get_attribute", cl_mempool_get_attribute},
                                           {"set_attribute", cl_mempool_set_attribute},
                                           {NULL, NULL}};
static const luaL_Reg device_pool_methods[] = {{"allocate", cl_device_pool_allocate},
                                               {"bin_number", cl_pool_bin_number},
                                               {"alloc_size", cl_pool_alloc_size},
                                               {"free_held", cl_pool_free_held},
                                               {"stop_holding", cl_pool_stop_holding},
                                               {"close", cl_pool_close},
                                               {NULL, NULL}};
static const luaL_Reg pooled_methods[] = {
    {"free", cl_pooled_free}, {"close", cl_pooled_free}, {"ptr", cl_memory_ptr}, {NULL, NULL}};
static const luaL_Reg host_pool_methods[] = {
    {"bin_number", cl_pool_bin_number}, {"alloc_size", cl_pool_alloc_size},
    {"free_held", cl_pool_free_held},   {"stop_holding", cl_pool_stop_holding},
    {"close", cl_pool_close},           {NULL, NULL}};
static const luaL_Reg pool_meta[] = {{"__index", cl_pool_index}, {NULL, NULL}};
static const luaL_Reg pooled_host_methods[] = {{"free", cl_pooled_host_free},
                                               {"close", cl_pooled_host_free},
                                               {"ptr", cl_memory_ptr},
                                               {"get_device_pointer", cl_host_device_pointer},
                                               {NULL, NULL}};

static const luaL_Reg module_methods[] = {{"get_function", cl_module_get_function},
                                          {"get_global", cl_module_get_global},
                                          {"close", cl_module_close},
                                          {NULL, NULL}};

static const luaL_Reg host_methods[] = {
    {"free", cl_host_free},           {"close", cl_host_free},
    {"ptr", cl_memory_ptr},           {"get_device_pointer", cl_host_device_pointer},
    {"get_flags", cl_host_get_flags}, {NULL, NULL}};
static const luaL_Reg aligned_methods[] = {
    {"free", cl_aligned_free}, {"close", cl_aligned_free}, {NULL, NULL}};
static const luaL_Reg registered_methods[] = {{"unregister", cl_host_unregister},
                                              {"close", cl_host_unregister},
                                              {"ptr", cl_memory_ptr},
                                              {"get_device_pointer", cl_host_device_pointer},
                                              {NULL, NULL}};
static const luaL_Reg registered_meta[] = {{"__index", cl_registered_index},
                                           {"__gc", cl_registered_gc},
                                           {"__len", cl_memory_len},
                                           {"__add", cl_memory_add},
                                           {NULL, NULL}};
static const luaL_Reg managed_methods[] = {
    {"free", cl_managed_free},     {"close", cl_managed_free},
    {"ptr", cl_memory_ptr},        {"get_device_pointer", cl_host_device_pointer},
    {"attach", cl_managed_attach}, {NULL, NULL}};
static const luaL_Reg ipc_methods[] = {{"close", cl_ipc_close}, {"ptr", cl_memory_ptr}, {NULL, NULL}};

static const luaL_Reg array_methods[] = {{"free", cl_array_free},
                                         {"close", cl_array_free},
                                         {"handle", cl_array_handle},
                                         {"describe", cl_array_describe},
                                         {NULL, NULL}};

static const luaL_Reg module_meta[] = {{"__index", cl_module_index}, {NULL, NULL}};

static const luaL_Reg linker_methods[] = {
    {"add", cl_linker_add_data}, {"complete", cl_linker_complete}, {"close", cl_linker_close}, {NULL, NULL}};

static const luaL_Reg function_methods[] = {{"name", cl_function_name},
                                            {"get_attribute", cl_function_get_attribute},
                                            {"set_attribute", cl_function_set_attribute},
                                            {"prepared_call", cl_function_prepared_call},
                                            {"prepared_async_call", cl_function_prepared_async_call},
                                            {"param_set_size", cl_function_param_set_size},
                                            {"param_seti", cl_function_param_seti},
                                            {"param_setf", cl_function_param_setf},
                                            {"set_block_shape", cl_function_set_block_shape},
                                            {"set_shared_size", cl_function_set_shared_size},
                                            {"set_cache_config", cl_function_set_cache_config},
                                            {"set_shared_config", cl_function_set_shared_config},
                                            {"max_active_blocks", cl_function_max_active_blocks},
                                            {"available_shared", cl_function_available_shared},
                                            {"max_active_clusters", cl_function_max_active_clusters},
                                            {"max_cluster_size", cl_function_max_cluster_size},
                                            {NULL, NULL}};
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
  cl_open_launch();
  cl_open_slots(L);
  cl_open_state(L);
  lua_newtable(L);
  luaL_setfuncs(L, core_functions, 0);
  lua_pushinteger(L, CL_ABI);
  lua_setfield(L, -2, "ABI");
  lua_pushliteral(L, CL_TOOLKIT); /* the root of the CUDA toolkit that the build took its headers from */
  lua_setfield(L, -2, "toolkit");
  cl_push_error_classes(L);
  lua_setfield(L, -2, "errors");
  cl_push_results(L);
  lua_setfield(L, -2, "result");

  lua_newtable(L); /* classes: the tables of methods, which Lua files add to */
  add_class(L, CL_DEVICE, device_methods, device_meta);
  add_class(L, CL_CONTEXT, context_methods, NULL);
  add_class(L, CL_STREAM, stream_methods, stream_meta);
  add_class(L, CL_EVENT, event_methods, NULL);
  add_class(L, CL_GRAPH, graph_methods, NULL);
  add_class(L, CL_GRAPH_EXEC, graph_exec_methods, NULL);
  add_class(L, CL_KEPT, no_methods, NULL);
  add_class(L, CL_ALLOCATION, allocation_methods, memory_meta);
  add_class(L, CL_MEMPOOL, mempool_methods, NULL);
  add_class(L, CL_DEVICE_POOL, device_pool_methods, pool_meta);
  add_class(L, CL_POOLED, pooled_methods, pooled_meta);
  add_class(L, CL_HOST_POOL, host_pool_methods, pool_meta);
  add_class(L, CL_POOLED_HOST, pooled_host_methods, memory_meta);
  add_class(L, CL_POINTER, pointer_methods, memory_meta);
  add_class(L, CL_MODULE, module_methods, module_meta);
  add_class(L, CL_HOST, host_methods, memory_meta);
  add_class(L, CL_ALIGNED, aligned_methods, NULL);
  add_class(L, CL_REGISTERED, registered_methods, registered_meta);
  add_class(L, CL_MANAGED, managed_methods, memory_meta);
  add_class(L, CL_IPC, ipc_methods, memory_meta);
  add_class(L, CL_ARRAY, array_methods, NULL);
  add_class(L, CL_LINKER, linker_methods, NULL);
  add_class(L, CL_FUNCTION, function_methods, function_meta);
  add_class(L, CL_SCALAR, scalar_methods, scalar_meta);
  lua_setfield(L, -2, "classes");
  return 1;
}
