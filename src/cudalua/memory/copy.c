/* Copies between host and device. The Lua side (lua/cudalua/base/ffi.lua) turns host buffers of any kind into
 * a string, or a cdata that holds the address, and a number of bytes. */
#include "base/state.h"
#include "memory/copy.h"
#include "streams/activity.h"
#include "streams/wait.h"

CUdeviceptr cl_device_address(lua_State *L, int idx, const char *what, uint64_t bytes) {
  if (lua_type(L, idx) == LUA_TNUMBER) return cl_check_bytes(L, idx, what);
  const cl_MemoryObject *m = cl_check_memory(L, idx, what);
  if (m->o.rec == &cl_no_owner) return m->address;
  if (bytes > m->size)
    cl_logic(L, "%s: %llu bytes do not fit in %llu bytes of device memory", what, (unsigned long long)bytes,
             (unsigned long long)m->size);
  if (!m->address) cl_logic(L, "%s: this %s has no address on the device", what, cl_kind_name(m->o.kind));
  return m->address;
}

cl_Context *cl_owner_of(cl_Rec *r) {
  bool shared = r->kind == CL_HOST || r->kind == CL_REGISTERED || r->kind == CL_POOLED_HOST;
  return shared ? NULL : cl_rec_context(r);
}

void cl_check_here(lua_State *L, cl_Rec *r, const char *what) {
  const cl_Context *owner = cl_owner_of(r);
  if (!owner) return;
  CUcontext current = cl_current(L);
  if (current && current != (CUcontext)owner->rec.handle)
    cl_logic(L,
             "%s: this %s belongs to another context: ctx:push() that, use ctx:with(), or copy between "
             "contexts with memcpy_peer",
             what, cl_kind_name(r->kind));
}

CUdeviceptr cl_device_side(lua_State *L, int idx, const char *what, uint64_t bytes) {
  CUdeviceptr p = cl_device_address(L, idx, what, bytes);
  const cl_MemoryObject *m = cl_to_memory(L, idx);
  if (m) cl_check_here(L, m->o.rec, what);
  return p;
}

/* LuaJIT's lua_topointer() gives the payload of a cdata: for `void *[1]`, a place that holds the address. */
void *cl_host_side(lua_State *L, int idx, const char *what, bool writable, int owner) {
  const cl_Object *o = owner ? cl_to(L, owner) : NULL; /* what is at 0 is left of earlier calls */
  bool owns = o && (cl_kind_is_memory(o->kind) || o->kind == CL_ALIGNED);
  if (owns && !cl_rec_live(o->rec)) cl_dead(L, o);
  if (!writable && lua_type(L, idx) == LUA_TSTRING) return (void *)(uintptr_t)lua_tostring(L, idx);
  if (lua_type(L, idx) == CL_TCDATA) return *(void *const *)lua_topointer(L, idx);
  cl_bad_argument(L, idx, what, "host memory");
  return NULL;
}

void cl_host_settle(lua_State *L, int idx) {
  const cl_MemoryObject *m = cl_to_memory(L, idx);
  if (m && cl_owner_of(m->o.rec)) CL_TRY_WAIT(L, cuStreamSynchronize, cl_wait_stream_anyway(NULL));
}

/* What the host gives to all of a memory is whole, whatever else is lost. */
static void whole(lua_State *L, int idx, uint64_t bytes) {
  const cl_MemoryObject *m = cl_write_mark ? cl_to_memory(L, idx) : NULL;
  if (m && m->o.rec && bytes >= m->size && m->address == m->o.rec->handle) m->o.rec->written = 0;
}

static void written(lua_State *L, int idx) {
  const cl_MemoryObject *m = cl_to_memory(L, idx);
  if (m && m->o.rec) cl_rec_written(m->o.rec);
}

/* memory_written(memory): something on the device writes to it */
int cl_memory_written(lua_State *L) {
  written(L, 1);
  return 0;
}

/* memory_lasting(memory): no array has it, but the library itself, which does not let it depend on arrays */
int cl_memory_lasting(lua_State *L) {
  const cl_MemoryObject *m = cl_to_memory(L, 1);
  if (m && m->o.rec) m->o.rec->written = 0;
  return 0;
}

/* memcpy_htod(dest, src, bytes [, owner of src]) */
int cl_memcpy_htod(lua_State *L) {
  lua_settop(L, 4);
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  CUdeviceptr dst = cl_device_side(L, 1, "dest", bytes);
  const void *src = cl_host_side(L, 2, "src", false, 4);
  cl_refuse_plain(L, "memcpy_htod");
  if (!bytes) return 0;
  cl_wait_before_copy(L);
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_DEVICE, &cl_legacy_stream, bytes, cuMemcpyHtoD_v2, dst, src, bytes);
  whole(L, 1, bytes);
  cl_used_in(L, 1, &cl_legacy_stream); /* small copies go on after the call has returned */
  cl_host_settle(L, 4);
  return 0;
}

/* memcpy_dtoh(dest, src, bytes [, owner of dest]) */
int cl_memcpy_dtoh(lua_State *L) {
  lua_settop(L, 4);
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  void *dst = cl_host_side(L, 1, "dest", true, 4);
  CUdeviceptr src = cl_device_side(L, 2, "src", bytes);
  cl_refuse_plain(L, "memcpy_dtoh");
  if (!bytes) return 0;
  cl_wait_before_copy(L);
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_HOST, &cl_legacy_stream, bytes, cuMemcpyDtoH_v2, dst, src, bytes);
  CL_RUN_HOOKS(cl_on_answer, L);
  cl_host_settle(L, 4);
  return 0;
}

/* memcpy_dtod(dest, src, bytes) */
int cl_memcpy_dtod(lua_State *L) {
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  CUdeviceptr dst = cl_device_side(L, 1, "dest", bytes), src = cl_device_side(L, 2, "src", bytes);
  cl_refuse_plain(L, "memcpy_dtod");
  if (!bytes) return 0;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, &cl_legacy_stream, bytes, cuMemcpyDtoD_v2, dst, src, bytes);
  cl_used_in(L, 1, &cl_legacy_stream);
  cl_used_in(L, 2, &cl_legacy_stream);
  written(L, 1);
  return 0;
}

cl_Context *cl_hold_current(lua_State *L) {
  cl_Context *c = cl_context_current(L);
  cl_push_context(L, c);
  cl_rec_release(&c->rec);
  return c;
}

cl_Stream *cl_begin_async(lua_State *L, int at, cl_Context **ctx) {
  cl_anchors_poll(L);
  *ctx = cl_hold_current(L);
  return cl_check_stream(L, at, "stream", *ctx);
}

void cl_used_in(lua_State *L, int idx, cl_Stream *s) {
  const cl_Object *o = cl_to(L, idx);
  if (!o) return;
  if (cl_captures && cl_capture_keep(L, s, idx)) return;
  if (!cl_kind_is_memory(o->kind)) return;
  CUcontext current = NULL;
  if (o->rec->tracks && !CU.cuCtxGetCurrent(&current) &&
      current != (CUcontext)cl_rec_context(o->rec)->rec.handle)
    CL_TRY_WAIT(
        L, cuStreamSynchronize,
        cl_wait_stream_anyway(cl_stream_handle(s))); /* that memory cannot remember a stream of here */
  else
    cl_memory_used(L, (const cl_MemoryObject *)o, s);
}

/* memcpy_htod_async(dest, src, bytes, stream, anchor): anchor is what must live until the copy is done */
int cl_memcpy_htod_async(lua_State *L) {
  lua_settop(L, 5);
  cl_Context *ctx;
  cl_Stream *s = cl_begin_async(L, 4, &ctx);
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  CUdeviceptr dst = cl_device_side(L, 1, "dest", bytes);
  const void *src = cl_host_side(L, 2, "src", false, 5);
  if (!bytes) return 0;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_DEVICE, s, bytes, cuMemcpyHtoDAsync_v2, dst, src, bytes,
                  cl_stream_handle(s));
  cl_anchor(L, s, ctx, 5);
  whole(L, 1, bytes);
  cl_used_in(L, 1, s);
  return 0;
}

/* memcpy_dtoh_async(dest, src, bytes, stream, anchor) */
int cl_memcpy_dtoh_async(lua_State *L) {
  lua_settop(L, 5);
  cl_Context *ctx;
  cl_Stream *s = cl_begin_async(L, 4, &ctx);
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  void *dst = cl_host_side(L, 1, "dest", true, 5);
  CUdeviceptr src = cl_device_side(L, 2, "src", bytes);
  if (!bytes) return 0;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_HOST, s, bytes, cuMemcpyDtoHAsync_v2, dst, src, bytes,
                  cl_stream_handle(s));
  cl_anchor(L, s, ctx, 5);
  cl_used_in(L, 2, s);
  return 0;
}

/* memcpy_dtod_async(dest, src, bytes, stream) */
int cl_memcpy_dtod_async(lua_State *L) {
  lua_settop(L, 4);
  cl_Context *ctx;
  cl_Stream *s = cl_begin_async(L, 4, &ctx);
  uint64_t bytes = cl_check_bytes(L, 3, "nbytes");
  CUdeviceptr dst = cl_device_side(L, 1, "dest", bytes), src = cl_device_side(L, 2, "src", bytes);
  if (!bytes) return 0;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, s, bytes, cuMemcpyDtoDAsync_v2, dst, src, bytes,
                  cl_stream_handle(s));
  cl_used_in(L, 1, s);
  cl_used_in(L, 2, s);
  written(L, 1);
  return 0;
}
