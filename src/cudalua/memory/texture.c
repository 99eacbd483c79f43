/* TextureObject: made of numbers that lua/cudalua/driver/texture.lua has checked, and what textures and
 * surfaces share.
 *
 * The driver destroys a handle at once, though kernels under way may still read through it. So destroying one
 * waits for the context's work first: a finalizer leaves that to the queue, which is emptied behind waits,
 * where it costs nothing. In a capture nothing can be waited for, and the queue keeps it. */
#include "memory/texture.h"
#include "memory/copy.h"
#include "streams/capture.h"
#include "streams/wait.h"

#include <stdio.h>
#include <string.h>

/* --- what textures and surfaces share --- */

static const cl_Rec *first_dead(const cl_Rec *r) {
  while (r && r->life == CL_LIVE) r = r->parent;
  return r;
}

bool cl_image_usable(const cl_Object *o, const cl_Context *ctx, char *why, size_t n) {
  const char *name = cl_kind_name(o->kind);
  cl_Rec *r = o->rec;
  if (!r || r->life == CL_NEW)
    return snprintf(why, n, "this %s was never created, or was collected", name), false;
  if (r->life != CL_LIVE) {
    snprintf(why, n, "this %s was %s%s%s", name, cl_kind_closed(o->kind), r->closed_at ? " at " : "",
             r->closed_at ? r->closed_at : "");
    return false;
  }
  const cl_Rec *dead = first_dead(r->parent);
  if (!dead) dead = first_dead(((const cl_Image *)r)->source);
  if (dead) {
    snprintf(why, n, "this %s can no longer be used: its %s was %s%s%s", name, cl_kind_name(dead->kind),
             cl_kind_closed(dead->kind), dead->closed_at ? " at " : "",
             dead->closed_at ? dead->closed_at : "");
    return false;
  }
  if (ctx && cl_rec_context(r) != ctx)
    return snprintf(why, n, "this %s belongs to another context", name), false;
  return true;
}

void cl_image_used(lua_State *L, cl_Image *i, cl_Stream *s) {
  if (__builtin_expect(cl_captures != 0, 0) && cl_capture_keep_rec(L, s, &i->rec)) {
    cl_capture_keep_rec(L, s, i->source);
    return;
  }
  if (!i->source->tracks) return;
  cl_Allocation *a = (cl_Allocation *)i->source;
  if (a->order.home != s) cl_memory_use_slow(L, a, s);
}

cl_Image *cl_push_image(lua_State *L, cl_Kind kind) {
  cl_Image *i = cl_push_in_current(L, kind, sizeof(cl_Object), sizeof *i);
  lua_createtable(L, 2, 0);
  for (int k = 1; k <= 2; k++) {
    lua_pushvalue(L, k);
    lua_rawseti(L, -2, k);
  }
  lua_setfenv(L, -2);
  cl_still_current(L, cl_rec_context(&i->rec));
  return i;
}

int cl_image_made(cl_Image *i, uint64_t handle) {
  i->rec.handle = handle;
  i->rec.life = CL_LIVE;
  cl_account(&i->rec, CL_BYTES_TEXTURES, CL_TEXTURE_WEIGHT);
  return 1;
}

/* image_parts(texture or surface) -> what it reads, and the table that texture() was given */
int cl_image_parts(lua_State *L) {
  if (!cl_to_image(L, 1)) cl_bad_argument(L, 1, "image", "a TextureObject or a SurfaceObject");
  lua_settop(L, 1);
  lua_getfenv(L, 1);
  lua_rawgeti(L, 2, 1);
  lua_rawgeti(L, 2, 2);
  return 2;
}

/* Asked twice: a handle whose readers could not be waited for is never destroyed. */
CUresult cl_image_settle(void) {
  const CUresult code = cl_wait_context_anyway();
  if (!code || cl_code_sticky(code)) return code;
  cl_log_clear();
  return cl_wait_context_anyway();
}

void cl_image_dispose(cl_Rec *r) { cl_rec_release(((cl_Image *)r)->source); }

bool cl_image_held_back(const cl_Rec *r) {
  (void)r;
  return cl_captures != 0;
}

int cl_image_close(lua_State *L, cl_Kind kind, const char *call) {
  const cl_Object *o = cl_check(L, 1, kind);
  char name[64];
  snprintf(name, sizeof name, "%s:close", cl_kind_name(kind));
  cl_refuse_wait(L, name, cl_rec_context(o->rec));
  return cl_close_method(L, kind, call);
}

int cl_image_handle(lua_State *L, cl_Kind kind) {
  char why[256];
  const cl_Object *o = cl_check(L, 1, kind);
  if (!cl_image_usable(o, NULL, why, sizeof why)) cl_logic(L, "%s", why);
  return cl_handle_method(L, kind);
}

/* --- TextureObject --- */

static CUresult texture_destroy(cl_Rec *r) {
  CUresult code = cl_image_settle();
  return code ? code : CU.cuTexObjectDestroy((CUtexObject)r->handle);
}
CL_FAMILY(CL_TEXTURE, .destroy = texture_destroy, .dispose = cl_image_dispose,
          .held_back = cl_image_held_back);

/* The number at `key` of the table at idx; 0 where there is none. */
static double number(lua_State *L, int idx, const char *key) {
  lua_getfield(L, idx, key);
  const double d = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return d;
}

static double element(lua_State *L, int idx, const char *key, int i) {
  lua_getfield(L, idx, key);
  double d = 0;
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, i);
    d = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return d;
}

static unsigned whole(lua_State *L, int idx, const char *key) { return (unsigned)number(L, idx, key); }
static size_t size(lua_State *L, int idx, const char *key) { return (size_t)number(L, idx, key); }

static void read_sampling(lua_State *L, int idx, CUDA_TEXTURE_DESC *d) {
  for (int i = 0; i < 3; i++) d->addressMode[i] = (CUaddress_mode)element(L, idx, "address", i + 1);
  lua_getfield(L, idx, "integers");
  const bool integers = lua_toboolean(L, -1); /* their bits replace a float's */
  lua_pop(L, 1);
  for (int i = 0; i < 4; i++) {
    const double b = element(L, idx, "border", i + 1);
    const uint32_t bits = integers ? (uint32_t)(int64_t)b : 0;
    d->borderColor[i] = (float)b;
    if (integers) memcpy(&d->borderColor[i], &bits, sizeof bits);
  }
  d->filterMode = (CUfilter_mode)whole(L, idx, "filter");
  d->flags = whole(L, idx, "flags");
  d->maxAnisotropy = whole(L, idx, "max_anisotropy");
  d->mipmapFilterMode = (CUfilter_mode)whole(L, idx, "mip_filter");
  d->mipmapLevelBias = (float)number(L, idx, "mip_bias");
  d->minMipmapLevelClamp = (float)element(L, idx, "mip_clamp", 1);
  d->maxMipmapLevelClamp = (float)element(L, idx, "mip_clamp", 2);
}

/* False: the table has no view. */
static bool read_view(lua_State *L, int idx, CUDA_RESOURCE_VIEW_DESC *v) {
  lua_getfield(L, idx, "view");
  const bool there = lua_istable(L, -1);
  const int at = lua_gettop(L);
  if (there) {
    v->format = (CUresourceViewFormat)whole(L, at, "format");
    v->width = size(L, at, "width");
    v->height = size(L, at, "height");
    v->depth = size(L, at, "depth");
    v->firstMipmapLevel = whole(L, at, "first_level");
    v->lastMipmapLevel = whole(L, at, "last_level");
    v->firstLayer = whole(L, at, "first_layer");
    v->lastLayer = whole(L, at, "last_layer");
  }
  lua_pop(L, 1);
  return there;
}

/* The record of the source at index 1, which is of the current context, and where it lies in d. */
static cl_Rec *read_source(lua_State *L, CUDA_RESOURCE_DESC *d) {
  const cl_Object *o = cl_to(L, 1);
  if (o && (o->kind == CL_ARRAY || o->kind == CL_MIPMAP)) {
    o = cl_check(L, 1, o->kind);
    cl_check_here(L, o->rec, "TextureObject");
    if (o->kind == CL_ARRAY) {
      d->resType = CU_RESOURCE_TYPE_ARRAY;
      d->res.array.hArray = (CUarray)o->rec->handle;
    } else {
      d->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      d->res.mipmap.hMipmappedArray = (CUmipmappedArray)o->rec->handle;
    }
    return o->rec;
  }
  const bool rows = number(L, 2, "pitch") > 0;
  const size_t pitch = size(L, 2, "pitch"), height = size(L, 2, "height"), row = size(L, 2, "row");
  const uint64_t bytes = rows ? (height - 1) * pitch + row : size(L, 2, "bytes");
  const CUdeviceptr p =
      cl_device_side(L, 1, rows ? "TextureObject: pitch2d" : "TextureObject: linear", bytes);
  if (rows) {
    d->resType = CU_RESOURCE_TYPE_PITCH2D;
    d->res.pitch2D.devPtr = p;
    d->res.pitch2D.format = (CUarray_format)whole(L, 2, "format");
    d->res.pitch2D.numChannels = whole(L, 2, "num_channels");
    d->res.pitch2D.width = size(L, 2, "width");
    d->res.pitch2D.height = height;
    d->res.pitch2D.pitchInBytes = pitch;
  } else {
    d->resType = CU_RESOURCE_TYPE_LINEAR;
    d->res.linear.devPtr = p;
    d->res.linear.format = (CUarray_format)whole(L, 2, "format");
    d->res.linear.numChannels = whole(L, 2, "num_channels");
    d->res.linear.sizeInBytes = bytes;
  }
  return cl_to_memory(L, 1)->o.rec;
}

typedef struct Wanted {
  CUDA_RESOURCE_DESC source;
  CUDA_TEXTURE_DESC sampling;
  CUDA_RESOURCE_VIEW_DESC view;
  bool viewed;
  CUtexObject out;
} Wanted;

static CUresult create(void *arg) {
  Wanted *w = arg;
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CU.cuTexObjectCreate(&w->out, &w->source, &w->sampling, w->viewed ? &w->view : NULL);
  cl_unrelax(mode);
  return code;
}

/* texture(source, {address = {3 numbers}, border = {4}, filter =, flags =, max_anisotropy =, mip_filter =,
 * mip_bias =, mip_clamp = {low, high}, view = {...} or nil; of memory: format =, num_channels =, and bytes =
 * or width =, height =, pitch =, row = (bytes of one)}) -> TextureObject; source: an Array, a MipmappedArray,
 * memory */
int cl_texture(lua_State *L) {
  lua_settop(L, 2);
  luaL_checktype(L, 2, LUA_TTABLE);
  Wanted w = {.out = 0};
  cl_pressure(L);
  cl_Image *i = cl_push_image(L, CL_TEXTURE);
  i->source = cl_rec_retain(read_source(L, &w.source)); /* now: finalizers may have run before */
  read_sampling(L, 2, &w.sampling);
  w.viewed = read_view(L, 2, &w.view);
  CUresult code = cl_allocate(L, create, &w);
  if (code) cl_fail_memory(L, "cuTexObjectCreate", code, 0);
  return cl_image_made(i, w.out);
}

int cl_texture_close(lua_State *L) { return cl_image_close(L, CL_TEXTURE, "cuTexObjectDestroy"); }

int cl_texture_handle(lua_State *L) { return cl_image_handle(L, CL_TEXTURE); }
