/* Device memory: DeviceAllocation owns it, DevicePointer is a view into an allocation or a module's
 * variable (and holds it), or a bare address that the user vouches for. */
#include "memory.h"

#include <stdlib.h>

/* The block's home stream waits for everybody else's work on it before it takes the block back. */
CUresult cl_alloc_destroy(cl_Rec *r) {
  const cl_Allocation *a = (const cl_Allocation *)r;
  if (a->origin == CL_PLAIN) return CU.cuMemFree_v2(r->handle);
  if (!cl_rec_live(&a->home->rec)) return CU.cuMemFree_v2(r->handle); /* waits for all of its users */
  for (uint32_t i = 0; i < a->nuses; i++)
    CU.cuStreamWaitEvent(cl_stream_handle(a->home), a->uses[i].event, 0);
  return CU.cuMemFreeAsync(r->handle, cl_stream_handle(a->home));
}

void cl_alloc_dispose(cl_Rec *r) {
  cl_Allocation *a = (cl_Allocation *)r;
  for (uint32_t i = 0; i < a->nuses; i++) {
    cl_event_discard(cl_rec_context(r), a->uses[i].event);
    cl_rec_release(&a->uses[i].stream->rec);
  }
  free(a->uses);
  if (a->home) cl_rec_release(&a->home->rec);
}

/* True where work in s is ordered before a later free in home by the rules of the legacy stream. */
static bool ordered(const cl_Stream *home, const cl_Stream *s) {
  bool home_legacy = home == &cl_legacy_stream, s_legacy = s == &cl_legacy_stream;
  return (home_legacy && !(s->flags & CU_STREAM_NON_BLOCKING)) ||
         (s_legacy && !(home->flags & CU_STREAM_NON_BLOCKING));
}

void cl_memory_use_slow(lua_State *L, cl_Allocation *a, cl_Stream *s) {
  if (ordered(a->home, s)) return;
  if (cl_captures) return; /* a graph keeps what it uses, as long as it lives */
  for (uint32_t i = 0; i < a->nuses; i++)
    if (a->uses[i].stream == s) {
      CL_TRY(L, cuEventRecord, a->uses[i].event, cl_stream_handle(s));
      return;
    }
  cl_Use *uses = realloc(a->uses, (a->nuses + 1) * sizeof *uses);
  if (!uses) luaL_error(L, "not enough memory");
  a->uses = uses;
  CUevent event = NULL;
  CL_TRY(L, cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
  uses[a->nuses++] = (cl_Use){(cl_Stream *)cl_rec_retain(&s->rec), event};
  CL_TRY(L, cuEventRecord, event, cl_stream_handle(s));
}

/* The collector does not see device memory: what it has not looked at yet may be what is missing. Twice,
 * because what a finalized object held goes in the second pass. */
static CUresult alloc(lua_State *L, CUdeviceptr *p, size_t bytes) {
  CUresult code = CU.cuMemAlloc_v2(p, bytes);
  if (code != CUDA_ERROR_OUT_OF_MEMORY) return code;
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  cl_queue_drain();
  cl_log_clear();
  return CU.cuMemAlloc_v2(p, bytes);
}

/* mem_alloc(bytes) -> DeviceAllocation in the current context */
int cl_mem_alloc(lua_State *L) {
  uint64_t bytes = cl_check_bytes(L, 1, "bytes");
  if (bytes == 0) cl_logic(L, "mem_alloc: cannot allocate 0 bytes");
  cl_MemoryObject *m = cl_push(L, CL_ALLOCATION, sizeof *m);
  cl_Context *c = cl_context_current(L);
  cl_Allocation *a = (cl_Allocation *)cl_rec_new(CL_ALLOCATION, sizeof *a, &c->rec);
  cl_rec_release(&c->rec);
  if (!a) return luaL_error(L, "not enough memory");
  m->o.rec = &a->rec;
  a->size = bytes;
  a->rec.waits = true;
  cl_queue_check();
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
  a->rec.handle = m->address = p;
  m->size = bytes;
  a->rec.life = CL_LIVE;
  return 1;
}

int cl_alloc_free(lua_State *L) { return cl_close_method(L, CL_ALLOCATION, "cuMemFree_v2"); }

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
