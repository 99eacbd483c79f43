/* Device memory: DeviceAllocation owns it, DevicePointer is a view into an allocation or a module's
 * variable (and holds it), or a bare address that the user vouches for. */
#include "core.h"

CUresult cl_alloc_destroy(cl_Rec *r) { return CU.cuMemFree_v2(r->handle); }

/* The collector does not see device memory: what it has not looked at yet may be what is missing. Twice,
 * because what a finalized object held goes in the second pass. */
static CUresult alloc(lua_State *L, CUdeviceptr *p, size_t bytes) {
  CUresult code = CU.cuMemAlloc_v2(p, bytes);
  if (code != CUDA_ERROR_OUT_OF_MEMORY) return code;
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  cl_log_clear();
  return CU.cuMemAlloc_v2(p, bytes);
}

/* mem_alloc(bytes) -> DeviceAllocation in the current context */
int cl_mem_alloc(lua_State *L) {
  uint64_t bytes = cl_check_bytes(L, 1, "bytes");
  if (bytes == 0) cl_logic(L, "mem_alloc: cannot allocate 0 bytes");
  cl_MemoryObject *m = cl_push(L, CL_ALLOCATION, sizeof *m);
  cl_Context *c = cl_context_current(L);
  cl_Rec *r = cl_rec_new(CL_ALLOCATION, sizeof *r, &c->rec);
  cl_rec_release(&c->rec);
  if (!r) return luaL_error(L, "not enough memory");
  m->o.rec = r;
  CUdeviceptr p = 0;
  CUresult code = alloc(L, &p, bytes);
  if (code) {
    size_t left = 0, total = 0;
    bool known = code == CUDA_ERROR_OUT_OF_MEMORY && CU.cuMemGetInfo_v2(&left, &total) == CUDA_SUCCESS;
    cl_fail_new(L, "cuMemAlloc_v2", code);
    if (known) {
      const struct {
        const char *key;
        uint64_t value;
      } fields[] = {{"requested", bytes}, {"free", left}, {"total", total}};
      for (int i = 0; i < 3; i++) {
        lua_pushnumber(L, (lua_Number)fields[i].value);
        lua_setfield(L, -2, fields[i].key);
      }
    }
    cl_throw(L);
  }
  r->handle = m->address = p;
  m->size = bytes;
  r->life = CL_LIVE;
  return 1;
}

int cl_alloc_free(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_ALLOCATION);
  CUresult code = cl_rec_close(o->rec);
  if (code) cl_fail(L, "cuMemFree_v2", code);
  return 0;
}

int cl_mem_get_info(lua_State *L) {
  size_t left = 0, total = 0;
  CL_TRY(L, cuMemGetInfo_v2, &left, &total);
  lua_pushnumber(L, (lua_Number)left);
  lua_pushnumber(L, (lua_Number)total);
  return 2;
}

void cl_push_pointer(lua_State *L, cl_Rec *anchor, uint64_t address, uint64_t size) {
  cl_MemoryObject *m = cl_push(L, CL_POINTER, sizeof *m);
  m->o.rec = cl_rec_retain(anchor);
  m->address = address;
  m->size = size;
}

/* pointer(address) -> DevicePointer without an owner and without bounds */
int cl_pointer(lua_State *L) {
  cl_push_pointer(L, &cl_no_owner, cl_check_bytes(L, 1, "address"), 0);
  return 1;
}

int cl_memory_ptr(lua_State *L) {
  lua_pushnumber(L, (lua_Number)cl_check_memory(L, 1, "self")->address);
  return 1;
}

int cl_memory_len(lua_State *L) {
  lua_pushnumber(L, (lua_Number)cl_check_memory(L, 1, "self")->size);
  return 1;
}

/* memory + bytes -> a view of what follows */
int cl_memory_add(lua_State *L) {
  int mem = cl_to(L, 1) ? 1 : 2;
  const cl_MemoryObject *m = cl_check_memory(L, mem, "operand");
  uint64_t offset = cl_check_bytes(L, 3 - mem, "offset");
  bool bare = m->o.rec == &cl_no_owner;
  if (!bare && offset > m->size)
    cl_logic(L, "offset %llu is past the end of %llu bytes of device memory", (unsigned long long)offset,
             (unsigned long long)m->size);
  cl_push_pointer(L, m->o.rec, m->address + offset, bare ? 0 : m->size - offset);
  return 1;
}
