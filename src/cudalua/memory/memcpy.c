/* Structured copies: boxes of 2 and 3 dimensions between any two kinds of memory, and copies between
 * contexts. The description is a table that lua/cudalua/driver/memcpy.lua fills; here every extent is checked
 * before the driver sees it. */
#include "base/state.h"
#include "memory/array.h"
#include "memory/copy.h"
#include "streams/activity.h"
#include "streams/wait.h"

#include <stdio.h>
#include <string.h>

typedef enum Form { FORM_2D, FORM_2D_UNALIGNED, FORM_3D, FORM_PEER } Form;

typedef struct Side {
  const char *name;
  CUmemorytype type;
  const cl_Array *array;
  CUdeviceptr address;   /* of host memory too */
  uint64_t bytes;        /* from there on; UINT64_MAX: the driver's business */
  uint64_t x, y, z, lod; /* x in bytes */
  uint64_t pitch, height;
  int object;  /* index of what holds the memory */
  cl_Rec *rec; /* of it, or NULL */
  const cl_Context *ctx;
} Side;

typedef struct Box {
  uint64_t width, height, depth; /* width in bytes */
} Box;

/* Pushes t[prefix .. key]. */
static void get(lua_State *L, int t, const char *prefix, const char *key) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", prefix, key);
  lua_getfield(L, t, name);
}

static uint64_t number(lua_State *L, int t, const char *prefix, const char *key) {
  get(L, t, prefix, key);
  uint64_t v = lua_isnil(L, -1) ? 0 : cl_check_bytes(L, -1, key);
  lua_pop(L, 1);
  return v;
}

/* Leaves the object of the side on the stack. */
static void read_side(lua_State *L, int t, Side *s, bool writable) {
  const char *p = s->name;
  s->x = number(L, t, p, "x_in_bytes");
  s->y = number(L, t, p, "y");
  s->z = number(L, t, p, "z");
  s->lod = number(L, t, p, "lod");
  s->pitch = number(L, t, p, "pitch");
  s->height = number(L, t, p, "height");
  s->type = (CUmemorytype)number(L, t, p, "memory_type");
  s->bytes = UINT64_MAX;
  get(L, t, p, "object");
  s->object = lua_gettop(L);
  switch ((int)s->type) {
  case CU_MEMORYTYPE_ARRAY:
    s->rec = ((const cl_Object *)cl_check(L, s->object, CL_ARRAY))->rec;
    s->array = (const cl_Array *)s->rec;
    return;
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED:
  case CU_MEMORYTYPE_HOST: break;
  default:
    cl_logic(L, "the %s of the copy is not set: set_%s_host, set_%s_device or set_%s_array", p, p, p, p);
  }
  get(L, t, p, "slot");
  if (!lua_isnil(L, -1)) {
    s->address = (CUdeviceptr)(uintptr_t)cl_host_side(L, -1, p, writable, s->object);
    lua_pop(L, 1);
    s->bytes = number(L, t, p, "nbytes");
    return;
  }
  lua_pop(L, 1);
  s->address = cl_device_address(L, s->object, p, 0);
  const cl_MemoryObject *m = cl_to_memory(L, s->object);
  if (!m || m->o.rec == &cl_no_owner) return;
  s->rec = m->o.rec;
  s->bytes = m->size;
}

static void too_far(lua_State *L, const Side *s, const char *what, uint64_t end, uint64_t have) {
  cl_logic(L, "%s: the copy ends at %s %llu, but the memory ends at %llu", s->name, what,
           (unsigned long long)end, (unsigned long long)have);
}

/* a * b + c, or a LogicError. */
static uint64_t offset(lua_State *L, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t r;
  if (__builtin_mul_overflow(a, b, &r) || __builtin_add_overflow(r, c, &r))
    cl_logic(L, "the extents of the copy are beyond 2^64 bytes");
  return r;
}

static void check_array(lua_State *L, const Side *s, const Box *b) {
  const CUDA_ARRAY3D_DESCRIPTOR *d = &s->array->descriptor;
  uint64_t width = (uint64_t)d->Width * s->array->element;
  if (!s->array->element) return; /* rows of blocks: the driver checks */
  if (s->x + b->width > width) too_far(L, s, "byte", s->x + b->width, width);
  if (s->y + b->height > (d->Height ? d->Height : 1))
    too_far(L, s, "row", s->y + b->height, d->Height ? d->Height : 1);
  if (s->z + b->depth > (d->Depth ? d->Depth : 1))
    too_far(L, s, "slice", s->z + b->depth, d->Depth ? d->Depth : 1);
}

/* A pitch of 0 means rows without gaps, a height of 0 slices without gaps: as the driver takes them, but said
 * to it in numbers. */
static void check_side(lua_State *L, Side *s, const Box *b) {
  if (s->array) {
    check_array(L, s, b);
    return;
  }
  uint64_t right = s->x + b->width, bottom = s->y + b->height;
  if (!s->pitch) s->pitch = right;
  if (!s->height) s->height = bottom;
  if (right > s->pitch)
    cl_logic(L, "%s_pitch: %.0f bytes from row to row, but the copy goes up to byte %.0f of a row", s->name,
             (double)s->pitch, (double)right);
  if (bottom > s->height)
    cl_logic(L, "%s_height: %.0f rows from slice to slice, but the copy goes up to row %.0f", s->name,
             (double)s->height, (double)bottom);
  uint64_t rows = offset(L, s->z + b->depth - 1, s->height, bottom - 1),
           end = offset(L, rows, s->pitch, right);
  if (end > s->bytes) too_far(L, s, "byte", end, s->bytes);
}

/* Is the current context that of a side of the peer copy? */
static bool needs_current(lua_State *L, int t) {
  get(L, t, "src", "context");
  get(L, t, "dst", "context");
  bool needs = lua_isnil(L, -1) || lua_isnil(L, -2);
  lua_pop(L, 2);
  return needs;
}

/* The context of that side of a peer copy; nil: the current one. The memory must be of it. */
static void read_context(lua_State *L, int t, Side *s, const cl_Context *current) {
  get(L, t, s->name, "context");
  s->ctx =
      lua_isnil(L, -1) ? current : (const cl_Context *)((const cl_Object *)cl_check(L, -1, CL_CONTEXT))->rec;
  const cl_Context *owner = s->rec ? cl_owner_of(s->rec) : NULL;
  if (owner && owner != s->ctx)
    cl_logic(L, "%s: this %s belongs to another context than that of set_%s_context()", s->name,
             cl_kind_name(s->rec->kind), s->name);
}

static CUDA_MEMCPY3D describe(const Side *src, const Side *dst, const Box *b) {
  return (CUDA_MEMCPY3D){.srcXInBytes = src->x,
                         .srcY = src->y,
                         .srcZ = src->z,
                         .srcLOD = src->lod,
                         .srcMemoryType = src->type,
                         .srcHost = (const void *)(uintptr_t)src->address,
                         .srcDevice = src->address,
                         .srcArray = src->array ? (CUarray)src->array->rec.handle : NULL,
                         .srcPitch = src->pitch,
                         .srcHeight = src->height,
                         .dstXInBytes = dst->x,
                         .dstY = dst->y,
                         .dstZ = dst->z,
                         .dstLOD = dst->lod,
                         .dstMemoryType = dst->type,
                         .dstHost = (void *)(uintptr_t)dst->address,
                         .dstDevice = dst->address,
                         .dstArray = dst->array ? (CUarray)dst->array->rec.handle : NULL,
                         .dstPitch = dst->pitch,
                         .dstHeight = dst->height,
                         .WidthInBytes = b->width,
                         .Height = b->height,
                         .Depth = b->depth};
}

static CUDA_MEMCPY2D flat(const CUDA_MEMCPY3D *c) {
  return (CUDA_MEMCPY2D){.srcXInBytes = c->srcXInBytes,
                         .srcY = c->srcY,
                         .srcMemoryType = c->srcMemoryType,
                         .srcHost = c->srcHost,
                         .srcDevice = c->srcDevice,
                         .srcArray = c->srcArray,
                         .srcPitch = c->srcPitch,
                         .dstXInBytes = c->dstXInBytes,
                         .dstY = c->dstY,
                         .dstMemoryType = c->dstMemoryType,
                         .dstHost = c->dstHost,
                         .dstDevice = c->dstDevice,
                         .dstArray = c->dstArray,
                         .dstPitch = c->dstPitch,
                         .WidthInBytes = c->WidthInBytes,
                         .Height = c->Height};
}

static CUDA_MEMCPY3D_PEER between(const CUDA_MEMCPY3D *c, const Side *src, const Side *dst) {
  return (CUDA_MEMCPY3D_PEER){.srcXInBytes = c->srcXInBytes,
                              .srcY = c->srcY,
                              .srcZ = c->srcZ,
                              .srcLOD = c->srcLOD,
                              .srcMemoryType = c->srcMemoryType,
                              .srcHost = c->srcHost,
                              .srcDevice = c->srcDevice,
                              .srcArray = c->srcArray,
                              .srcContext = (CUcontext)src->ctx->rec.handle,
                              .srcPitch = c->srcPitch,
                              .srcHeight = c->srcHeight,
                              .dstXInBytes = c->dstXInBytes,
                              .dstY = c->dstY,
                              .dstZ = c->dstZ,
                              .dstLOD = c->dstLOD,
                              .dstMemoryType = c->dstMemoryType,
                              .dstHost = c->dstHost,
                              .dstDevice = c->dstDevice,
                              .dstArray = c->dstArray,
                              .dstContext = (CUcontext)dst->ctx->rec.handle,
                              .dstPitch = c->dstPitch,
                              .dstHeight = c->dstHeight,
                              .WidthInBytes = c->WidthInBytes,
                              .Height = c->Height,
                              .Depth = c->Depth};
}

/* What the driver is called with, and what the copy is called in errors. */
static CUresult submit(Form form, const CUDA_MEMCPY3D *c, const Side *src, const Side *dst,
                       const cl_Stream *s, const char **call) {
  CUDA_MEMCPY2D d2 = flat(c);
  if (form == FORM_PEER) {
    CUDA_MEMCPY3D_PEER peer = between(c, src, dst);
    *call = s ? "cuMemcpy3DPeerAsync" : "cuMemcpy3DPeer";
    return s ? CU.cuMemcpy3DPeerAsync(&peer, cl_stream_handle(s)) : CU.cuMemcpy3DPeer(&peer);
  }
  if (form == FORM_3D) {
    *call = s ? "cuMemcpy3DAsync_v2" : "cuMemcpy3D_v2";
    return s ? CU.cuMemcpy3DAsync_v2(c, cl_stream_handle(s)) : CU.cuMemcpy3D_v2(c);
  }
  *call = s ? "cuMemcpy2DAsync_v2" : form == FORM_2D ? "cuMemcpy2D_v2" : "cuMemcpy2DUnaligned_v2";
  return s                 ? CU.cuMemcpy2DAsync_v2(&d2, cl_stream_handle(s))
         : form == FORM_2D ? CU.cuMemcpy2D_v2(&d2)
                           : CU.cuMemcpy2DUnaligned_v2(&d2);
}

/* After the submission to s (NULL: of the form without a stream). Between contexts, that form comes before
 * everything else in both. */
static void used(lua_State *L, int idx, cl_Stream *s, bool peer) {
  const cl_MemoryObject *m = cl_to_memory(L, idx);
  CUcontext current = NULL;
  if (peer && !s && m && m->o.rec->tracks && !CU.cuCtxGetCurrent(&current) &&
      current != (CUcontext)cl_rec_context(m->o.rec)->rec.handle)
    return;
  cl_used_in(L, idx, s ? s : &cl_legacy_stream);
}

/* The extent of that name, which has to be set. 0: nothing is copied. */
static uint64_t extent(lua_State *L, int t, const char *key) {
  lua_getfield(L, t, key);
  if (lua_isnil(L, -1)) cl_logic(L, "the extent of the copy is not set: %s", key);
  uint64_t v = cl_check_bytes(L, -1, key);
  lua_pop(L, 1);
  return v;
}

/* Beside an array whose slices are single rows (a 1D layered one) today's drivers step through linear memory
 * by its pitch alone. So there its slices are told to them as rows, which means the same. */
static void slices_as_rows(Side *s, const Side *other, const Box *b) {
  if (s->array || !other->array || other->array->descriptor.Height || (b->depth == 1 && !s->z)) return;
  s->address += s->y * s->pitch;
  s->y = 0;
  s->pitch *= s->height; /* the end of the copy, which was checked, lies behind it */
  s->height = 1;
}

static const char *name_of(const Side *src, const Side *dst) {
  const bool from = src->type == CU_MEMORYTYPE_HOST, to = dst->type == CU_MEMORYTYPE_HOST;
  return from && to ? "copy host to host" : from ? CL_TO_DEVICE : to ? CL_TO_HOST : CL_ON_DEVICE;
}

/* memcpy_box(form, description [, async, stream]): form is "2d", "2d_unaligned", "3d" or "peer" */
int cl_memcpy_box(lua_State *L) {
  static const char *const forms[] = {"2d", "2d_unaligned", "3d", "peer", NULL};
  lua_settop(L, 4);
  Form form = (Form)luaL_checkoption(L, 1, NULL, forms);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checkstack(L, 16, "copy");
  cl_Stream *s = NULL;
  cl_Context *ctx = NULL;
  if (lua_toboolean(L, 3))
    s = cl_begin_async(L, 4, &ctx);
  else
    cl_refuse_plain(L, "a copy");
  if (form == FORM_PEER && !ctx && needs_current(L, 2)) ctx = cl_hold_current(L);
  bool solid = form == FORM_3D || form == FORM_PEER;
  Box b = {extent(L, 2, "width_in_bytes"), extent(L, 2, "height"), solid ? extent(L, 2, "depth") : 1};
  Side src = {.name = "src"}, dst = {.name = "dst"};
  read_side(L, 2, &src, false);
  read_side(L, 2, &dst, true);
  Side *const sides[] = {&src, &dst};
  for (int i = 0; i < 2; i++)
    if (form == FORM_PEER)
      read_context(L, 2, sides[i], ctx);
    else if (sides[i]->rec)
      cl_check_here(L, sides[i]->rec, sides[i]->name);
  if (!b.width || !b.height || !b.depth) return 0;
  check_side(L, &src, &b);
  check_side(L, &dst, &b);
  slices_as_rows(&src, &dst, &b);
  slices_as_rows(&dst, &src, &b);
  CUDA_MEMCPY3D c = describe(&src, &dst, &b);
  const char *call;
  if (!s) cl_wait_before_copy(L);
  cl_Activity *a = cl_is_profiling()
                       ? cl_activity_begin(L, CL_A_COPY, name_of(&src, &dst), s ? s : &cl_legacy_stream,
                                           b.width * b.height * b.depth)
                       : NULL;
  CUresult code = submit(form, &c, &src, &dst, s, &call);
  if (a) cl_activity_end(a, code);
  if (code) cl_fail(L, call, code);
  for (int i = 0; i < 2; i++) {
    bool host = !sides[i]->rec || !cl_owner_of(sides[i]->rec);
    if (s && host && lua_type(L, sides[i]->object) != LUA_TNUMBER) cl_anchor(L, s, ctx, sides[i]->object);
    used(L, sides[i]->object, s, form == FORM_PEER);
    if (!s && !sides[i]->rec) cl_host_settle(L, sides[i]->object);
  }
  if (dst.rec && src.type != CU_MEMORYTYPE_HOST) cl_rec_written(dst.rec);
  if (!s && dst.type == CU_MEMORYTYPE_HOST) CL_RUN_HOOKS(cl_on_answer, L);
  return 0;
}

/* The context at idx, nil: the current one; the memory at `mem` must be of it. */
static CUcontext peer_context(lua_State *L, int idx, int mem, const char *what, const cl_Context *current) {
  const cl_Context *c = current;
  if (!lua_isnoneornil(L, idx)) {
    if (!cl_to_kind(L, idx, CL_CONTEXT)) cl_bad_argument(L, idx, what, "a Context");
    c = (const cl_Context *)((const cl_Object *)cl_check(L, idx, CL_CONTEXT))->rec;
  }
  const cl_MemoryObject *m = cl_to_memory(L, mem);
  const cl_Context *owner = m ? cl_owner_of(m->o.rec) : NULL;
  if (owner && owner != c)
    cl_logic(L, "%s: the %s belongs to another context", what, cl_kind_name(m->o.rec->kind));
  return c ? (CUcontext)c->rec.handle : NULL;
}

/* memcpy_peer(dest, src, bytes, dest_context, src_context [, async, stream, ordered]); ordered: the caller
 * keeps src, lets a stream of its context wait for this copy, and then calls memory_used(). */
int cl_memcpy_peer(lua_State *L) {
  lua_settop(L, 8);
  luaL_checkstack(L, 8, "copy");
  cl_Stream *s = NULL;
  cl_Context *ctx = NULL;
  if (lua_toboolean(L, 6))
    s = cl_begin_async(L, 7, &ctx);
  else
    cl_refuse_plain(L, "memcpy_peer");
  if (!ctx && (lua_isnoneornil(L, 4) || lua_isnoneornil(L, 5))) ctx = cl_hold_current(L);
  uint64_t bytes = cl_check_bytes(L, 3, "size");
  CUdeviceptr dst = cl_device_address(L, 1, "dest", bytes), src = cl_device_address(L, 2, "src", bytes);
  CUcontext to = peer_context(L, 4, 1, "dest_context", ctx), from = peer_context(L, 5, 2, "src_context", ctx);
  if (!bytes) return 0;
  if (!s) cl_wait_before_copy(L);
  if (s)
    CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, s, bytes, cuMemcpyPeerAsync, dst, to, src, from, bytes,
                    cl_stream_handle(s));
  else
    CL_TRY_ACTIVITY(L, CL_A_COPY, CL_ON_DEVICE, &cl_legacy_stream, bytes, cuMemcpyPeer, dst, to, src, from,
                    bytes);
  used(L, 1, s, true);
  if (!lua_toboolean(L, 8)) used(L, 2, s, true);
  return 0;
}

/* memory_used(memory, stream): work of the stream uses it until now. */
int cl_memory_used_in(lua_State *L) {
  cl_Context *ctx;
  cl_Stream *s = cl_begin_async(L, 2, &ctx);
  cl_used_in(L, 1, s);
  return 0;
}
