/* Memory of another process: handles that travel as strings of 64 bytes. */
#include "streams/capture.h"
#include "memory/copy.h"

#include <string.h>

static CUresult ipc_destroy(cl_Rec *r) { return CU.cuIpcCloseMemHandle(r->handle); }
CL_FAMILY(CL_IPC, .destroy = ipc_destroy);

/* mem_get_ipc_handle(memory) -> string */
int cl_mem_get_ipc_handle(lua_State *L) {
  CUdeviceptr p = cl_device_address(L, 1, "memory", 0), base = 0;
  const cl_MemoryObject *m = cl_to_memory(L, 1);
  cl_Kind kind = m ? m->o.rec->kind : CL_ALLOCATION;
  size_t size = 0;
  if (m && m->o.rec->tracks && kind != CL_GL_MAPPING)
    cl_logic(L, "memory of a pool cannot be shared by a handle: allocate it with mem_alloc, an array "
                "with {allocator = cuda.mem_alloc}");
  if (m && m->o.rec != &cl_no_owner && kind != CL_ALLOCATION)
    cl_logic(L, "a %s cannot be shared by a handle; use memory from mem_alloc", cl_kind_name(kind));
  CL_TRY(L, cuMemGetAddressRange_v2, &base, &size, p);
  if (p != base)
    cl_logic(L,
             "a handle always means the whole allocation; share its start, and send the offset (%.0f bytes) "
             "separately",
             (double)(p - base));
  CUipcMemHandle h;
  memset(&h, 0, sizeof h);
  CL_TRY(L, cuIpcGetMemHandle, &h, p);
  lua_pushlstring(L, h.reserved, sizeof h.reserved);
  return 1;
}

/* ipc_open(handle, flags) -> IPCMemoryHandle */
int cl_ipc_open(lua_State *L) {
  CUipcMemHandle h;
  cl_check_given(L, 1, "handle", "the 64 bytes that mem_get_ipc_handle() gave", h.reserved,
                 sizeof h.reserved);
  unsigned flags = (unsigned)cl_check_flags(L, 2, "flags", "ipc_mem_flags", -1);
  if (!flags) flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
  cl_refuse_in_capture(L, "opening a memory handle");
  cl_queue_check(L);
  cl_Rec *r = cl_push_in_current(L, CL_IPC, sizeof(cl_MemoryObject), sizeof *r);
  cl_MemoryObject *m = lua_touserdata(L, -1);
  CUdeviceptr p = 0, base = 0;
  size_t size = 0;
  CUresult code = CU.cuIpcOpenMemHandle_v2(&p, h, flags);
  if (code == CUDA_ERROR_INVALID_CONTEXT) {
    cl_fail_new(L, "cuIpcOpenMemHandle_v2", code);
    lua_pushliteral(L, "a handle cannot be opened in the process that made it");
    lua_setfield(L, -2, "hint");
    cl_throw(L);
  }
  if (code) cl_fail(L, "cuIpcOpenMemHandle_v2", code);
  r->handle = m->address = p;
  r->life = CL_LIVE;
  m->size = 1ull << 53; /* no bounds, should the driver not tell */
  if (CU.cuMemGetAddressRange_v2(&base, &size, p))
    cl_log_clear();
  else
    m->size = base + size - p;
  return 1;
}

int cl_ipc_close(lua_State *L) { return cl_close_method(L, CL_IPC, "cuIpcCloseMemHandle"); }
