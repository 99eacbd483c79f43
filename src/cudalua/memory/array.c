/* Array: made from a descriptor, copied to and from by byte offsets along a row. */
#include "streams/activity.h"
#include "memory/array.h"
#include "memory/copy.h"
#include "streams/wait.h"

/* What is part of another object goes with that. */
static CUresult array_destroy(cl_Rec *r) {
  return ((const cl_Array *)r)->part ? CUDA_SUCCESS : CU.cuArrayDestroy((CUarray)r->handle);
}
CL_FAMILY(CL_ARRAY, .destroy = array_destroy);

/* The UNORM and SNORM formats are named after all of their channels, and a descriptor of them has as many. */
uint32_t cl_texel_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  switch ((int)d->Format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8: return d->NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF: return 2 * d->NumChannels;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT: return 4 * d->NumChannels;
  case CU_AD_FORMAT_UNORM_INT8X1:
  case CU_AD_FORMAT_SNORM_INT8X1: return 1;
  case CU_AD_FORMAT_UNORM_INT8X2:
  case CU_AD_FORMAT_SNORM_INT8X2:
  case CU_AD_FORMAT_UNORM_INT16X1:
  case CU_AD_FORMAT_SNORM_INT16X1: return 2;
  case CU_AD_FORMAT_UNORM_INT8X4:
  case CU_AD_FORMAT_SNORM_INT8X4:
  case CU_AD_FORMAT_UNORM_INT16X2:
  case CU_AD_FORMAT_SNORM_INT16X2:
  case CU_AD_FORMAT_UNORM_INT_101010_2: return 4;
  case CU_AD_FORMAT_UNORM_INT16X4:
  case CU_AD_FORMAT_SNORM_INT16X4: return 8;
  default: return 0;
  }
}

static size_t extent(lua_State *L, int at, const char *key) {
  lua_getfield(L, at, key);
  uint64_t v = cl_check_bytes(L, -1, key);
  lua_pop(L, 1);
  return v;
}

static unsigned field(lua_State *L, int at, const char *key) {
  lua_getfield(L, at, key);
  long v = cl_check_int(L, -1, key, 0, INT32_MAX);
  lua_pop(L, 1);
  return (unsigned)v;
}

typedef struct Wanted {
  const CUDA_ARRAY3D_DESCRIPTOR *d;
  bool plain; /* 1D or 2D, by cuArrayCreate */
  CUarray out;
} Wanted;

static CUresult create(void *arg) {
  Wanted *w = arg;
  if (!w->plain) return CU.cuArray3DCreate_v2(&w->out, w->d);
  CUDA_ARRAY_DESCRIPTOR d = {
      .Width = w->d->Width, .Height = w->d->Height, .Format = w->d->Format, .NumChannels = w->d->NumChannels};
  return CU.cuArrayCreate_v2(&w->out, &d);
}

CUDA_ARRAY3D_DESCRIPTOR cl_check_descriptor(lua_State *L, int idx, const char *name) {
  luaL_checktype(L, idx, LUA_TTABLE);
  const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = extent(L, idx, "width"),
                                     .Height = extent(L, idx, "height"),
                                     .Depth = extent(L, idx, "depth"),
                                     .Format = (CUarray_format)field(L, idx, "format"),
                                     .NumChannels = field(L, idx, "num_channels"),
                                     .Flags = field(L, idx, "flags")};
  if (!d.Width) cl_logic(L, "%s: the width is 0", name);
  if (d.NumChannels != 1 && d.NumChannels != 2 && d.NumChannels != 4)
    cl_logic(L, "%s: num_channels must be 1, 2 or 4, got %u", name, d.NumChannels);
  return d;
}

/* array{width=, height=, depth=, format=, num_channels=, flags=, plain=} -> Array: all of them numbers */
int cl_array(lua_State *L) {
  lua_settop(L, 1);
  const CUDA_ARRAY3D_DESCRIPTOR d = cl_check_descriptor(L, 1, "Array");
  lua_getfield(L, 1, "plain");
  Wanted w = {&d, lua_toboolean(L, -1), NULL};
  cl_refuse_in_capture(L, "Array");
  cl_pressure(L);
  cl_Array *a = cl_push_in_current(L, CL_ARRAY, sizeof(cl_Object), sizeof *a);
  a->descriptor = d;
  a->element = cl_texel_bytes(&d);
  double bytes =
      (double)d.Width * (double)(d.Height ? d.Height : 1) * (double)(d.Depth ? d.Depth : 1) * a->element;
  CUresult code = cl_allocate(L, create, &w);
  if (code)
    cl_fail_memory(L, w.plain ? "cuArrayCreate_v2" : "cuArray3DCreate_v2", code,
                   bytes < 0x1p62 ? (uint64_t)bytes : UINT64_MAX);
  a->rec.handle = (uint64_t)(uintptr_t)w.out;
  a->rec.life = CL_LIVE;
  cl_account(&a->rec, CL_BYTES_ARRAYS, (uint64_t)bytes);
  return 1;
}

void cl_push_array_view(lua_State *L, CUarray array, cl_Rec *owner) {
  CUDA_ARRAY3D_DESCRIPTOR d = {0};
  CL_TRY(L, cuArray3DGetDescriptor_v2, &d, array);
  cl_Object *o = cl_push(L, CL_ARRAY, sizeof *o);
  cl_Array *a = (cl_Array *)cl_rec_new(CL_ARRAY, sizeof *a, owner);
  if (!a) luaL_error(L, "not enough memory");
  o->rec = &a->rec;
  a->part = true;
  a->descriptor = d;
  a->element = cl_texel_bytes(&d);
  a->rec.waits = false;
  a->rec.handle = (uint64_t)(uintptr_t)array;
  a->rec.life = CL_LIVE;
}

int cl_array_free(lua_State *L) { return cl_close_method(L, CL_ARRAY, "cuArrayDestroy"); }

int cl_array_handle(lua_State *L) { return cl_handle_method(L, CL_ARRAY); }

int cl_push_descriptor(lua_State *L, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  const lua_Number values[] = {(lua_Number)d->Width,  (lua_Number)d->Height, (lua_Number)d->Depth,
                               (lua_Number)d->Format, d->NumChannels,        d->Flags};
  for (int i = 0; i < 6; i++) lua_pushnumber(L, values[i]);
  return 6;
}

/* array:describe() -> width, height, depth, format, num_channels, flags: what the driver says it is */
int cl_array_describe(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_ARRAY);
  CUDA_ARRAY3D_DESCRIPTOR d = {0};
  CL_TRY(L, cuArray3DGetDescriptor_v2, &d, (CUarray)o->rec->handle);
  return cl_push_descriptor(L, &d);
}

/* The array at idx; the bytes from `offset` on must lie in its first row, as the driver demands. */
static CUarray array_side(lua_State *L, int idx, const char *what, int offset_idx, uint64_t bytes,
                          size_t *offset) {
  const cl_Object *o = cl_to_kind(L, idx, CL_ARRAY);
  if (!o) cl_bad_argument(L, idx, what, "an Array");
  o = cl_check(L, idx, CL_ARRAY);
  cl_check_here(L, o->rec, what);
  const cl_Array *a = (const cl_Array *)o->rec;
  *offset = cl_check_bytes(L, offset_idx, "index");
  uint64_t have = (uint64_t)a->descriptor.Width * a->element;
  if (a->element && (*offset > have || bytes > have - *offset))
    cl_logic(L, "%s: %llu bytes from offset %llu on do not fit in the %llu bytes of the array's row", what,
             (unsigned long long)bytes, (unsigned long long)*offset, (unsigned long long)have);
  return (CUarray)o->rec->handle;
}

/* memcpy_dtoa(ary, index, src, bytes) */
int cl_memcpy_dtoa(lua_State *L) {
  size_t at;
  uint64_t bytes = cl_check_bytes(L, 4, "len");
  CUarray a = array_side(L, 1, "ary", 2, bytes, &at);
  CUdeviceptr src = cl_device_side(L, 3, "src", bytes);
  cl_refuse_plain(L, "memcpy_dtoa");
  if (!bytes) return 0;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, &cl_legacy_stream, bytes, cuMemcpyDtoA_v2, a, at, src, bytes);
  cl_used_in(L, 3, &cl_legacy_stream);
  return 0;
}

/* memcpy_atod(dest, ary, index, bytes) */
int cl_memcpy_atod(lua_State *L) {
  size_t at;
  uint64_t bytes = cl_check_bytes(L, 4, "len");
  CUdeviceptr dst = cl_device_side(L, 1, "dest", bytes);
  CUarray a = array_side(L, 2, "ary", 3, bytes, &at);
  cl_refuse_plain(L, "memcpy_atod");
  if (!bytes) return 0;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, &cl_legacy_stream, bytes, cuMemcpyAtoD_v2, dst, a, at, bytes);
  cl_used_in(L, 1, &cl_legacy_stream);
  return 0;
}

/* memcpy_htoa(ary, index, src, bytes [, owner of src]) */
int cl_memcpy_htoa(lua_State *L) {
  lua_settop(L, 5);
  size_t at;
  uint64_t bytes = cl_check_bytes(L, 4, "len");
  CUarray a = array_side(L, 1, "ary", 2, bytes, &at);
  const void *src = cl_host_side(L, 3, "src", false, 5);
  cl_refuse_plain(L, "memcpy_htoa");
  if (!bytes) return 0;
  cl_wait_before_copy(L);
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_DEVICE, &cl_legacy_stream, bytes, cuMemcpyHtoA_v2, a, at, src, bytes);
  cl_host_settle(L, 5);
  return 0;
}

/* memcpy_atoh(dest, ary, index, bytes [, owner of dest]) */
int cl_memcpy_atoh(lua_State *L) {
  lua_settop(L, 5);
  size_t at;
  uint64_t bytes = cl_check_bytes(L, 4, "len");
  void *dst = cl_host_side(L, 1, "dest", true, 5);
  CUarray a = array_side(L, 2, "ary", 3, bytes, &at);
  cl_refuse_plain(L, "memcpy_atoh");
  if (!bytes) return 0;
  cl_wait_before_copy(L);
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_HOST, &cl_legacy_stream, bytes, cuMemcpyAtoH_v2, dst, a, at, bytes);
  cl_host_settle(L, 5);
  return 0;
}

/* memcpy_atoa(dest, dest_index, src, src_index, bytes) */
int cl_memcpy_atoa(lua_State *L) {
  size_t to, from;
  uint64_t bytes = cl_check_bytes(L, 5, "len");
  CUarray dst = array_side(L, 1, "dest", 2, bytes, &to), src = array_side(L, 3, "src", 4, bytes, &from);
  cl_refuse_plain(L, "memcpy_atoa");
  if (bytes)
    CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, &cl_legacy_stream, bytes, cuMemcpyAtoA_v2, dst, to, src, from,
                    bytes);
  return 0;
}
