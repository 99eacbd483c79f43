/* What every file of the module shares: the classes of objects, the record behind each of them, and
 * the few helpers that read arguments. One file per family of CUDA objects; all registration tables
 * are in core.c, so that one grep shows the whole surface. */
#ifndef CUDALUA_BASE_H
#define CUDALUA_BASE_H

#include <cuda.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/driver.h"
#include "base/error.h"
#include "base/object.h"

#define CL_ABI 1 /* lua/cudalua/init.lua refuses a module of another number */

enum { CL_TCDATA = 10 }; /* LuaJIT's lua_type() of a cdata; lua.h has no name for it */

/* It never returns; lauxlib.h does not say so. */
int luaL_error(lua_State *L, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Arguments. Each raises a LogicError that names the function and what was expected. `what` is the
 * argument's name in the documentation. */
uint64_t cl_check_bytes(lua_State *L, int idx, const char *what); /* 0 <= integer <= 2^53 */
uint64_t cl_check_allocation(lua_State *L, int idx); /* the same for bytes to allocate; 0 is the caller's */
long cl_check_int(lua_State *L, int idx, const char *what, long lo, long hi);
bool cl_may_be_handle(uint64_t handle); /* false: certainly no CUcontext or CUstream */
const char *cl_check_name(lua_State *L, int idx, const char *what); /* a string without a zero byte */
int cl_bad_self(lua_State *L, int idx, const char *expected) __attribute__((noreturn));
int cl_bad_argument(lua_State *L, int idx, const char *what, const char *expected) __attribute__((noreturn));
/* "number 1.5", "DeviceAllocation", "nil"... (pushes nothing) */
const char *cl_type_text(lua_State *L, int idx);
const char *cl_option_text(lua_State *L, int idx); /* the key of an option: 'Block' */

const char *cl_intern(const char *text); /* one copy per distinct text, for the life of the process */

/* Constants of cuda.h as arguments; `table` names one of constants.c's, as Lua shows it: "ctx_flags". Raises
 * a LogicError that names what may have been meant. flags      a number, a name ("sched_spin") or a list of
 * both, or'ed; nil is 0. Bits outside mask are refused; mask -1: those that the table has. enum       a
 * number or a name, one of the table attribute  a name of the table, or any number from 0: what is too new
 * for the header is for the driver to judge */
long cl_check_flags(lua_State *L, int idx, const char *what, const char *table, long mask);
long cl_check_enum(lua_State *L, int idx, const char *what, const char *table);
long cl_check_attribute(lua_State *L, int idx, const char *what, const char *table);
bool cl_find_constant(const char *table, const char *name, long *value);
const char *cl_constant_name(const char *table, long value); /* the first of that value, or NULL */
bool cl_constant_at(const char *table, size_t i, const char **name, long *value); /* false past the last */
bool cl_is_private(
    const char *name); /* begins with "_": Lua, the FFI and printers ask for such, nobody means them */
/* "clock_rate, ...": names near to `asked` among a table's and the keys of the Lua table at index methods. */
void cl_near_names(lua_State *L, int methods, const char *table, const char *asked, char *out, size_t size);

/* Families. Each luaL_Reg lives in core.c. */
int cl_init(lua_State *L);
int cl_driver_info(lua_State *L);
int cl_get_version(lua_State *L);
int cl_get_driver_version(lua_State *L);

int cl_constants(lua_State *L);
int cl_constant_tables(lua_State *L);
int cl_near(lua_State *L);
int cl_lua_check_flags(lua_State *L);
int cl_lua_check_enum(lua_State *L);

int cl_device(lua_State *L);
int cl_device_count(lua_State *L);
int cl_device_name(lua_State *L);
int cl_device_ordinal(lua_State *L);
int cl_device_compute_capability(lua_State *L);
int cl_device_total_memory(lua_State *L);
int cl_device_get_attribute(lua_State *L);
int cl_device_get_attributes(lua_State *L);
int cl_device_pci_bus_id(lua_State *L);
int cl_device_uuid(lua_State *L);
int cl_device_can_access_peer(lua_State *L);
int cl_device_p2p_attribute(lua_State *L);
int cl_device_error(lua_State *L);
int cl_device_index(lua_State *L);
int cl_device_make_context(lua_State *L);
int cl_device_retain_primary_context(lua_State *L);
int cl_device_tostring(lua_State *L);

int cl_context_push(lua_State *L);
int cl_context_pop(lua_State *L);
int cl_context_depth(lua_State *L);
int cl_context_detach(lua_State *L);
int cl_context_synchronize(lua_State *L);
int cl_context_get_current(lua_State *L);
int cl_context_get_device(lua_State *L);
int cl_context_handle(lua_State *L);
int cl_context_attach(lua_State *L);
int cl_context_get_flags(lua_State *L);
int cl_context_get_api_version(lua_State *L);
int cl_context_is_poisoned(lua_State *L);
int cl_context_get_limit(lua_State *L);
int cl_context_set_limit(lua_State *L);
int cl_context_get_cache_config(lua_State *L);
int cl_context_set_cache_config(lua_State *L);
int cl_context_get_shared_config(lua_State *L);
int cl_context_set_shared_config(lua_State *L);
int cl_context_enable_peer_access(lua_State *L);
int cl_context_disable_peer_access(lua_State *L);
int cl_wrap_context(lua_State *L);

int cl_on_start(lua_State *L);
int cl_want_context(lua_State *L);

int cl_stream(lua_State *L);
int cl_wrap_stream(lua_State *L);
int cl_default_streams(lua_State *L);
int cl_get_current_stream(lua_State *L);
int cl_stream_priority_range(lua_State *L);
int cl_stream_close(lua_State *L);
int cl_stream_handle_number(lua_State *L);
int cl_stream_flags(lua_State *L);
int cl_stream_priority(lua_State *L);
int cl_stream_get_context(lua_State *L);
int cl_stream_synchronize(lua_State *L);
int cl_stream_is_done(lua_State *L);
int cl_stream_wait_for_event(lua_State *L);
int cl_stream_use(lua_State *L);
int cl_stream_capture(lua_State *L);
int cl_stream_on_complete(lua_State *L);
int cl_stream_tostring(lua_State *L);
int cl_poll(lua_State *L);

int cl_event(lua_State *L);
int cl_event_from_ipc_handle(lua_State *L);
int cl_event_record(lua_State *L);
int cl_event_synchronize(lua_State *L);
int cl_event_query(lua_State *L);
int cl_event_time_since(lua_State *L);
int cl_event_time_till(lua_State *L);
int cl_event_ipc_handle(lua_State *L);
int cl_event_handle(lua_State *L);
int cl_event_context(lua_State *L);
int cl_event_close(lua_State *L);

int cl_graph_nodes(lua_State *L);
int cl_graph_dot(lua_State *L);
int cl_graph_instantiate(lua_State *L);
int cl_graph_handle(lua_State *L);
int cl_graph_close(lua_State *L);
int cl_graph_exec_launch(lua_State *L);
int cl_graph_exec_upload(lua_State *L);
int cl_graph_exec_update(lua_State *L);
int cl_graph_exec_handle(lua_State *L);
int cl_graph_exec_close(lua_State *L);

int cl_mem_alloc(lua_State *L);
int cl_mem_alloc_async(lua_State *L);
int cl_alloc_free_async(lua_State *L);
int cl_mem_stats(lua_State *L);
int cl_gc_budget(lua_State *L);
int cl_gc_cost(lua_State *L);
int cl_on_finalizer_error(lua_State *L);

int cl_mempool(lua_State *L);
int cl_default_mempool(lua_State *L);
int cl_mempool_alloc(lua_State *L);
int cl_mempool_close(lua_State *L);
int cl_mempool_export(lua_State *L);
int cl_mempool_export_pointer(lua_State *L);
int cl_mempool_import_pointer(lua_State *L);
int cl_import_mempool(lua_State *L);
int cl_mempool_handle(lua_State *L);
int cl_mempool_get_device(lua_State *L);
int cl_mempool_trim_to(lua_State *L);
int cl_mempool_make_current(lua_State *L);
int cl_mempool_set_access(lua_State *L);
int cl_mempool_get_attribute(lua_State *L);
int cl_mempool_set_attribute(lua_State *L);

int cl_device_pool(lua_State *L);
int cl_host_pool(lua_State *L);
int cl_device_pool_allocate(lua_State *L);
int cl_host_pool_allocate(lua_State *L);
int cl_pool_bin_number(lua_State *L);
int cl_pool_alloc_size(lua_State *L);
int cl_pool_free_held(lua_State *L);
int cl_pool_stop_holding(lua_State *L);
int cl_pool_close(lua_State *L);
int cl_pool_index(lua_State *L);
int cl_pooled_free(lua_State *L);
int cl_pooled_gc(lua_State *L);
int cl_pooled_host_free(lua_State *L);
int cl_mem_get_info(lua_State *L);
int cl_pointer(lua_State *L);
int cl_alloc_free(lua_State *L);
int cl_memory_ptr(lua_State *L);
int cl_memory_len(lua_State *L);
int cl_memory_add(lua_State *L);

int cl_memcpy_htod(lua_State *L);
int cl_memcpy_dtoh(lua_State *L);
int cl_memcpy_dtod(lua_State *L);
int cl_memcpy_htod_async(lua_State *L);
int cl_memcpy_dtoh_async(lua_State *L);
int cl_memcpy_dtod_async(lua_State *L);

int cl_memset(lua_State *L);
int cl_memset_2d(lua_State *L);
int cl_memcpy_box(lua_State *L);
int cl_memcpy_peer(lua_State *L);

int cl_host_alloc(lua_State *L);
int cl_managed_alloc(lua_State *L);
int cl_aligned_alloc(lua_State *L);
int cl_host_register(lua_State *L);
int cl_host_address(lua_State *L);
int cl_host_to_device(lua_State *L);
int cl_closes_address(lua_State *L);
int cl_why_dead(lua_State *L);
int cl_mem_get_ipc_handle(lua_State *L);
int cl_ipc_open(lua_State *L);
int cl_mem_alloc_pitch(lua_State *L);
int cl_mem_get_address_range(lua_State *L);
int cl_host_view(lua_State *L);
int cl_host_free(lua_State *L);
int cl_host_unregister(lua_State *L);
int cl_host_device_pointer(lua_State *L);
int cl_host_get_flags(lua_State *L);
int cl_aligned_free(lua_State *L);
int cl_registered_index(lua_State *L);
int cl_registered_gc(lua_State *L);
int cl_managed_free(lua_State *L);
int cl_managed_attach(lua_State *L);
int cl_ipc_close(lua_State *L);

int cl_array(lua_State *L);
int cl_array_free(lua_State *L);
int cl_array_handle(lua_State *L);
int cl_array_describe(lua_State *L);
int cl_memcpy_dtoa(lua_State *L);
int cl_memcpy_atod(lua_State *L);
int cl_memcpy_htoa(lua_State *L);
int cl_memcpy_atoh(lua_State *L);
int cl_memcpy_atoa(lua_State *L);

int cl_module_load(lua_State *L);
int cl_module_get_function(lua_State *L);
int cl_module_get_global(lua_State *L);
int cl_module_close(lua_State *L);
int cl_module_index(lua_State *L);

int cl_linker(lua_State *L);
int cl_linker_add_data(lua_State *L);
int cl_linker_complete(lua_State *L);
int cl_linker_close(lua_State *L);

int cl_function_get_attribute(lua_State *L);
int cl_function_set_attribute(lua_State *L);
int cl_function_set_cache_config(lua_State *L);
int cl_function_set_shared_config(lua_State *L);
int cl_function_max_active_blocks(lua_State *L);
int cl_function_available_shared(lua_State *L);
int cl_function_max_active_clusters(lua_State *L);
int cl_function_max_cluster_size(lua_State *L);
int cl_function_suggest(lua_State *L);
int cl_function_extents(lua_State *L);
int cl_function_name(lua_State *L);
int cl_function_index(lua_State *L);
int cl_function_tostring(lua_State *L);
int cl_function_set_signature(lua_State *L);
int cl_function_params(lua_State *L);
int cl_function_source(lua_State *L);
int cl_function_call(lua_State *L);
int cl_launch_blocking(lua_State *L);
int cl_context_id(lua_State *L);
int cl_user_line(lua_State *L);
int cl_memory_context(lua_State *L);
int cl_array_allocate(lua_State *L);
int cl_array_compute(lua_State *L);
int cl_array_release(lua_State *L);
int cl_array_read(lua_State *L);
int cl_array_ready(lua_State *L);
int cl_launch_count(lua_State *L);
int cl_array_run(lua_State *L);
int cl_array_told(lua_State *L);
int cl_function_prepare(lua_State *L);
int cl_function_prepared_call(lua_State *L);
int cl_function_prepared_async_call(lua_State *L);
int cl_on_params(lua_State *L);
int cl_function_param_set_in_lua(lua_State *L);
int cl_function_param_set_size(lua_State *L);
int cl_function_param_seti(lua_State *L);
int cl_function_param_setf(lua_State *L);
int cl_function_param_setv(lua_State *L);
int cl_function_set_block_shape(lua_State *L);
int cl_function_set_shared_size(lua_State *L);
int cl_start_profiler(lua_State *L);
int cl_stop_profiler(lua_State *L);
int cl_initialize_profiler(lua_State *L);
int cl_scalar(lua_State *L);
int cl_scalar_tostring(lua_State *L);

int cl_lua_sha256(lua_State *L);
int cl_cache_open(lua_State *L);
int cl_cache_read(lua_State *L);
int cl_cache_key(lua_State *L);
int cl_cache_write(lua_State *L);
int cl_cache_list(lua_State *L);
int cl_cache_evict(lua_State *L);

int cl_file_stat(lua_State *L);
int cl_file_list(lua_State *L);
int cl_file_realpath(lua_State *L);
int cl_file_read(lua_State *L);

int cl_make_folder(lua_State *L);
int cl_create_folder(lua_State *L);
int cl_remove_folder(lua_State *L);
int cl_spawn(lua_State *L);

int cl_nvjitlink_open(lua_State *L);
int cl_nvjitlink(lua_State *L);

int cl_nvrtc_open(lua_State *L);
int cl_nvrtc_compile(lua_State *L);

int cl_softgpu_control(lua_State *L);
int cl_softgpu_restart(lua_State *L);

#endif
