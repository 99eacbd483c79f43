/* MipmappedArray: an array and smaller ones of half its extents each, its levels. A level is an Array without
 * a destroy of its own, whose parent is the mipmapped array. */
#include "memory/texture.h"
#include "streams/capture.h"

static CUresult mipmap_destroy(cl_Rec *r) { return CU.cuMipmappedArrayDestroy((CUmipmappedArray)r->handle); }
CL_FAMILY(CL_MIPMAP, .destroy = mipmap_destroy);

static bool is_layered(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
}

static size_t halved(size_t n, unsigned level) {
  const size_t m = n >> level;
  return n && !m ? 1 : m;
}

/* Down to one texel. Layers and faces stay as many in each level. */
static unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d) {
  size_t most = d->Width > d->Height ? d->Width : d->Height;
  if (!is_layered(d) && d->Depth > most) most = d->Depth;
  unsigned n = 1;
  while (most >>= 1) n++;
  return n;
}

static double bytes_of(const cl_Mipmap *m) {
  const CUDA_ARRAY3D_DESCRIPTOR *d = &m->descriptor;
  double bytes = 0;
  for (unsigned l = 0; l < m->levels; l++) {
    const size_t h = halved(d->Height, l), z = is_layered(d) ? d->Depth : halved(d->Depth, l);
    bytes += (double)halved(d->Width, l) * (double)(h ? h : 1) * (double)(z ? z : 1) * m->element;
  }
  return bytes;
}

typedef struct Wanted {
  const CUDA_ARRAY3D_DESCRIPTOR *d;
  unsigned levels;
  CUmipmappedArray out;
} Wanted;

static CUresult create(void *arg) {
  Wanted *w = arg;
  return CU.cuMipmappedArrayCreate(&w->out, w->d, w->levels);
}

/* mipmap({width=, height=, depth=, format=, num_channels=, flags=}, levels) -> MipmappedArray: all of them
 * numbers */
int cl_mipmap(lua_State *L) {
  lua_settop(L, 2);
  const CUDA_ARRAY3D_DESCRIPTOR d = cl_check_descriptor(L, 1, "MipmappedArray");
  const long asked = cl_check_int(L, 2, "levels", 1, INT32_MAX);
  cl_refuse_in_capture(L, "MipmappedArray");
  cl_pressure(L);
  cl_Mipmap *m = cl_push_in_current(L, CL_MIPMAP, sizeof(cl_Object), sizeof *m);
  lua_newtable(L); /* its levels */
  lua_setfenv(L, -2);
  cl_still_current(L, cl_rec_context(&m->rec));
  m->descriptor = d;
  m->element = cl_texel_bytes(&d);
  const unsigned most = most_levels(&d);
  m->levels = asked < (long)most ? (unsigned)asked : most;
  Wanted w = {&d, m->levels, NULL};
  const double bytes = bytes_of(m);
  CUresult code = cl_allocate(L, create, &w);
  if (code) cl_fail_memory(L, "cuMipmappedArrayCreate", code, bytes < 0x1p62 ? (uint64_t)bytes : UINT64_MAX);
  m->rec.handle = (uint64_t)(uintptr_t)w.out;
  m->rec.life = CL_LIVE;
  cl_account(&m->rec, CL_BYTES_ARRAYS, (uint64_t)bytes);
  return 1;
}

static cl_Mipmap *check_mipmap(lua_State *L) {
  return (cl_Mipmap *)((const cl_Object *)cl_check(L, 1, CL_MIPMAP))->rec;
}

int cl_mipmap_free(lua_State *L) { return cl_close_method(L, CL_MIPMAP, "cuMipmappedArrayDestroy"); }

int cl_mipmap_handle(lua_State *L) { return cl_handle_method(L, CL_MIPMAP); }

int cl_mipmap_levels(lua_State *L) {
  lua_pushnumber(L, check_mipmap(L)->levels);
  return 1;
}

/* mipmap:describe() -> width, height, depth, format, num_channels, flags */
int cl_mipmap_describe(lua_State *L) { return cl_push_descriptor(L, &check_mipmap(L)->descriptor); }

/* mipmap:level(i) -> Array, the same one each time until it is closed; 0 is the largest */
int cl_mipmap_level(lua_State *L) {
  cl_Mipmap *m = check_mipmap(L);
  const double wanted = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : -1;
  if (!(wanted >= 0 && wanted < m->levels) || wanted != (double)(unsigned)wanted)
    cl_logic(L, "MipmappedArray:level: expected an integer from 0 to %u, got %s", m->levels - 1,
             cl_type_text(L, 2));
  const int level = (int)wanted;
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  lua_rawgeti(L, 2, level);
  const cl_Object *known = cl_to_kind(L, 3, CL_ARRAY);
  if (known && cl_rec_live(known->rec)) return 1;
  cl_Object *o = cl_push(L, CL_ARRAY, sizeof *o);
  m = check_mipmap(L); /* again: finalizers may have run */
  cl_Array *a = (cl_Array *)cl_rec_new(CL_ARRAY, sizeof *a, &m->rec);
  if (!a) return luaL_error(L, "not enough memory");
  o->rec = &a->rec;
  a->part = true;
  a->rec.waits = false;
  a->element = m->element;
  CUarray handle = NULL;
  CL_TRY(L, cuMipmappedArrayGetLevel, &handle, (CUmipmappedArray)m->rec.handle, (unsigned)level);
  CL_TRY(L, cuArray3DGetDescriptor_v2, &a->descriptor, handle);
  a->rec.handle = (uint64_t)(uintptr_t)handle;
  a->rec.life = CL_LIVE;
  lua_pushvalue(L, -1);
  lua_rawseti(L, 2, level);
  return 1;
}
