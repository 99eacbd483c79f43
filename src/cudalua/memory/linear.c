/* Linear device memory beyond plain allocation: rows of a pitch, and what lies at an address. */
#include "base/state.h"
#include "streams/capture.h"
#include "memory/copy.h"
#include "memory/collect.h"

typedef struct Request {
  CUdeviceptr p;
  size_t pitch, width, height;
  unsigned access;
} Request;

static CUresult ask(void *arg) {
  Request *q = arg;
  cl_tie_up();
  return CU.cuMemAllocPitch_v2(&q->p, &q->pitch, q->width, q->height, q->access);
}

/* mem_alloc_pitch(width, height, access_size) -> DeviceAllocation, pitch: bytes from row to row */
int cl_mem_alloc_pitch(lua_State *L) {
  Request q = {.width = cl_check_bytes(L, 1, "width"),
               .height = cl_check_bytes(L, 2, "height"),
               .access = (unsigned)cl_check_int(L, 3, "access_size", 1, 16)};
  if (q.access != 4 && q.access != 8 && q.access != 16) cl_bad_argument(L, 3, "access_size", "4, 8 or 16");
  if (!q.width || !q.height)
    cl_logic(L, "mem_alloc_pitch: cannot allocate %zu x %zu bytes", q.width, q.height);
  cl_refuse_in_capture(L, "mem_alloc_pitch");
  cl_pressure(L);
  cl_Allocation *a = cl_push_in_current(L, CL_ALLOCATION, sizeof(cl_MemoryObject), sizeof *a);
  cl_MemoryObject *m = lua_touserdata(L, -1);
  a->rec.waits = true;
  CUresult code = cl_allocate(L, ask, &q);
  size_t bytes;
  if (code)
    cl_fail_memory(L, "cuMemAllocPitch_v2", code,
                   __builtin_mul_overflow(q.width, q.height, &bytes) ? UINT64_MAX : bytes);
  a->rec.handle = m->address = q.p;
  a->size = m->size = q.pitch * q.height;
  a->rec.life = CL_LIVE;
  cl_account(&a->rec, CL_BYTES_PLAIN, a->size);
  lua_pushnumber(L, (lua_Number)q.pitch);
  return 2;
}

/* mem_get_address_range(p) -> base, size of the allocation that p lies in */
int cl_mem_get_address_range(lua_State *L) {
  CUdeviceptr base = 0, p = cl_device_address(L, 1, "p", 0);
  size_t size = 0;
  CL_TRY(L, cuMemGetAddressRange_v2, &base, &size, p);
  lua_pushnumber(L, (lua_Number)base);
  lua_pushnumber(L, (lua_Number)size);
  return 2;
}

/* host_view(memory, bytes, offset) -> address as a number: of memory that the CPU may touch */
int cl_host_view(lua_State *L) {
  const cl_MemoryObject *m = cl_check_memory(L, 1, "memory");
  uint64_t offset = cl_check_bytes(L, 3, "offset"), bytes = cl_check_bytes(L, 2, "bytes");
  if (m->o.rec == &cl_no_owner) cl_logic(L, "as_buffer: a bare address has no known size");
  if (offset > m->size || bytes > m->size - offset)
    cl_logic(L, "as_buffer: %llu bytes from offset %llu on do not fit in %llu bytes of memory",
             (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)m->size);
  unsigned type = 0, managed = 0;
  CUresult code = CU.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m->address);
  if (!code) code = CU.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, m->address);
  if (code) cl_fail(L, "cuPointerGetAttribute", code);
  if (!managed && type != CU_MEMORYTYPE_HOST)
    cl_logic(L,
             "as_buffer: this is plain device memory, which the CPU cannot access; copy it with memcpy_dtoh");
  void *host = (void *)(uintptr_t)m->address;
  if (!managed) CL_TRY(L, cuPointerGetAttribute, &host, CU_POINTER_ATTRIBUTE_HOST_POINTER, m->address);
  lua_pushnumber(L, (lua_Number)((uintptr_t)host + offset));
  return 1;
}
