/* One Lua value -> one kernel parameter. Nothing is guessed: a value that does not fit is refused with a
 * reason, and never reaches the GPU. */
#include "launch/launch.h"
#include "memory/texture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_float(cl_Type t) { return t >= CL_T_F16 && t <= CL_T_F64; }
static bool is_integer(cl_Type t) { return t >= CL_T_BOOL && t <= CL_T_X64; }

/* double -> a format with `mant` stored bits of mantissa and `expo` of exponent, rounded once, to nearest
 * even. */
static uint16_t narrow(double d, int mant, int expo) {
  uint16_t sign = signbit(d) ? (uint16_t)0x8000 : 0;
  int bias = (1 << (expo - 1)) - 1;
  uint16_t inf = (uint16_t)(((1 << expo) - 1) << mant);
  if (isnan(d)) return (uint16_t)(sign | inf | (1 << (mant - 1)));
  d = fabs(d);
  if (isinf(d)) return sign | inf;
  int e;
  frexp(d, &e);                                     /* d = f * 2^e, 0.5 <= f < 1 */
  if (e < 2 - bias) e = 2 - bias;                   /* subnormal: fixed exponent */
  double units = nearbyint(ldexp(d, mant + 1 - e)); /* in units of the last place */
  if (d == 0 || units == 0) return sign;
  long u = (long)units + ((long)(e - 2 + bias) << mant);
  return u >= inf ? (uint16_t)(sign | inf) : (uint16_t)(sign | u);
}

static const struct {
  double lo, hi;
} ranges[] = {
    [CL_T_BOOL] = {0, 1},
    [CL_T_I8] = {-128, 127},
    [CL_T_U8] = {0, 255},
    [CL_T_I16] = {-32768, 32767},
    [CL_T_U16] = {0, 65535},
    [CL_T_I32] = {-2147483648.0, 2147483647.0},
    [CL_T_U32] = {0, 4294967295.0},
    [CL_T_I64] = {-9007199254740992.0, 9007199254740992.0}, /* what a Lua number holds exactly */
    [CL_T_U64] = {0, 9007199254740992.0},
    [CL_T_X8] = {-128, 255},
    [CL_T_X16] = {-32768, 65535},
    [CL_T_X32] = {-2147483648.0, 4294967295.0},
    [CL_T_X64] = {-9007199254740992.0, 9007199254740992.0},
};

/* Little endian: the low bytes come first. */
static inline void store_low_bytes(void *dst, int64_t v, uint32_t size) {
  switch (size) {
  case 1: memcpy(dst, &v, 1); break;
  case 2: memcpy(dst, &v, 2); break;
  case 4: memcpy(dst, &v, 4); break;
  default: memcpy(dst, &v, 8);
  }
}

static bool store_number(double d, cl_Type t, void *dst, char *why, size_t n) {
  if (is_integer(t)) {
    if (d >= ranges[t].lo && d <= ranges[t].hi) {
      int64_t v = (int64_t)d;
      if ((double)v != d) return snprintf(why, n, "%.14g is not an integer", d), false;
      store_low_bytes(dst, v, cl_type_size(t));
      return true;
    }
    if (floor(d) != d || isinf(d)) /* NaN is not equal to itself */
      return snprintf(why, n, "%.14g is not an integer", d), false;
    return snprintf(why, n, "%.17g is out of the range %.0f to %.0f", d, ranges[t].lo, ranges[t].hi), false;
  }
  float f = (float)d;
  uint16_t h;
  bool overflow = false;
  switch (t) {
  case CL_T_F64: memcpy(dst, &d, 8); return true;
  case CL_T_F32:
    overflow = isinf(f);
    memcpy(dst, &f, 4);
    break;
  default:
    h = t == CL_T_F16 ? narrow(d, 10, 5) : narrow(d, 7, 8);
    overflow = (h & 0x7fff) == (t == CL_T_F16 ? 0x7c00 : 0x7f80);
    memcpy(dst, &h, 2);
  }
  if (overflow && !isinf(d)) return snprintf(why, n, "%.9g overflows %s", d, cl_type_name(t)), false;
  return true;
}

static cl_Converted wrong(char *why, size_t n, const char *expected, const char *got) {
  snprintf(why, n, "expected %s, got %s", expected, got);
  return CL_WRONG;
}

/* The kind of object that the source declares where the compiler sees a whole number; CL_NKINDS: none. */
static cl_Kind declared_image(const cl_Param *p) {
  if (p->type != CL_T_U64 || !p->text || strncmp(p->text, "cuda", 4) != 0) return CL_NKINDS;
  return strncmp(p->text + 4, "TextureObject_t", 15) == 0   ? CL_TEXTURE
         : strncmp(p->text + 4, "SurfaceObject_t", 15) == 0 ? CL_SURFACE
                                                            : CL_NKINDS;
}

static const char *expectation(const cl_Param *p) {
  const cl_Kind image = declared_image(p);
  if (image == CL_TEXTURE) return "a TextureObject, which cuda.TextureObject{} makes";
  if (image == CL_SURFACE) return "a SurfaceObject, which cuda.SurfaceObject{} makes";
  switch (p->type) {
  case CL_T_PTR: return "device memory, In/Out/InOut of a host buffer, or nil";
  case CL_T_BOOL: return "a boolean";
  case CL_T_BYTES: return "a struct or string of exactly its size";
  case CL_T_UNKNOWN: return "a value of known size";
  case CL_T_X64: return "a number or device memory";
  default: return "a number";
  }
}

/* May kernels of ctx use memory of another context? After ctx:enable_peer_access(); memory of pools is in the
 * order of its own context's streams. (The driver's ACCESS_FLAGS say yes without it, too: measured.) */
static bool reaches(const cl_Context *ctx, const cl_Context *owner, const cl_MemoryObject *m) {
  if (!owner || owner->device == ctx->device || m->o.rec->tracks) return false;
  for (size_t i = 0; i < CL_MAX_DEVICES; i++)
    if (ctx->peers[i] == owner->rec.generation) {
      if (m->o.rec->kind == CL_ALLOCATION) ((cl_Allocation *)m->o.rec)->peers |= 1ull << ctx->device;
      return true;
    }
  return false;
}

static cl_Converted elsewhere(const cl_Context *ctx, const cl_Context *owner, const cl_MemoryObject *m,
                              char *why, size_t n) {
  const char *hint = !owner || owner->device == ctx->device ? ""
                     : m->o.rec->tracks
                         ? ": memory of mem_alloc() can be used from another device"
                         : ": ctx:enable_peer_access() lets kernels use memory of another device";
  snprintf(why, n, "this %s belongs to another context%s", cl_kind_name(m->o.kind), hint);
  return CL_WRONG;
}

/* cudaTextureObject_t and cudaSurfaceObject_t are unsigned long long. */
static cl_Converted put_image(const cl_Object *o, const cl_Context *ctx, void *dst, char *why, size_t n) {
  if (!cl_image_usable(o, ctx, why, n)) return CL_WRONG;
  memcpy(dst, &o->rec->handle, 8);
  return ((const cl_Image *)o->rec)->source->tracks ? CL_OK_POOLED : CL_OK;
}

cl_Converted cl_convert(lua_State *L, int idx, const cl_Param *p, const cl_Context *ctx, void *dst, char *why,
                        size_t n) {
  cl_Type t = p->type;
  switch (lua_type(L, idx)) {
  case LUA_TNUMBER:
    if (t == CL_T_UNKNOWN && p->size == 1) t = CL_T_X8;
    if (is_integer(t) || is_float(t))
      return store_number(lua_tonumber(L, idx), t, dst, why, n) ? CL_OK : CL_WRONG;
    if (t == CL_T_UNKNOWN) {
      snprintf(why, n,
               "the type of this %u-byte parameter is not known; wrap the number, e.g. cuda.%s(%.14g)",
               p->size,
               p->size == 4   ? "int32"
               : p->size == 8 ? "float64"
                              : "int16",
               lua_tonumber(L, idx));
      return CL_WRONG;
    }
    if (t == CL_T_PTR) {
      snprintf(why, n, "expected %s, got number %.14g (for an address use cuda.pointer(address))",
               expectation(p), lua_tonumber(L, idx));
      return CL_WRONG;
    }
    return wrong(why, n, expectation(p), cl_type_text(L, idx));
  case LUA_TBOOLEAN:
    if (is_integer(t) || (t == CL_T_UNKNOWN && p->size == 1)) {
      memset(dst, 0, p->size);
      *(uint8_t *)dst = (uint8_t)lua_toboolean(L, idx);
      return CL_OK;
    }
    return wrong(why, n, expectation(p), cl_type_text(L, idx));
  case LUA_TNIL:
    if (t == CL_T_PTR || t == CL_T_X64 || (t == CL_T_UNKNOWN && p->size == 8))
      return memset(dst, 0, 8), CL_OK;
    return wrong(why, n, expectation(p), "nil");
  case LUA_TSTRING: {
    size_t len;
    const char *s = lua_tolstring(L, idx, &len);
    if (t != CL_T_BYTES && t != CL_T_UNKNOWN) return wrong(why, n, expectation(p), cl_type_text(L, idx));
    if (len != p->size)
      return snprintf(why, n, "the parameter has %u bytes, but the value has %zu", p->size, len), CL_WRONG;
    return memcpy(dst, s, len), CL_OK;
  }
  case LUA_TUSERDATA: break;
  default: return CL_LATER;
  }

  cl_Object *o = cl_to_userdata(L, idx);
  if (!o) return CL_LATER;
  if (o->kind == CL_SCALAR) {
    const cl_ScalarObject *s = (const cl_ScalarObject *)o;
    bool mixed = t != CL_T_UNKNOWN && t != CL_T_BYTES &&
                 (is_float(s->type) != is_float(t) || (is_float(t) && s->type != t));
    if (s->size != p->size || mixed || t == CL_T_PTR) {
      snprintf(why, n, "expected %s of %u bytes, got %s", expectation(p), p->size, cl_type_name(s->type));
      return CL_WRONG;
    }
    return memcpy(dst, s->bytes, s->size), CL_OK;
  }
  const cl_Kind image = declared_image(p);
  if (image != CL_NKINDS && o->kind != image) return wrong(why, n, expectation(p), cl_type_text(L, idx));
  const bool word = t == CL_T_U64 || t == CL_T_I64 || t == CL_T_X64 ||
                    ((t == CL_T_UNKNOWN || t == CL_T_BYTES) && p->size == 8);
  if (word && (o->kind == CL_TEXTURE || o->kind == CL_SURFACE)) return put_image(o, ctx, dst, why, n);
  if (!cl_kind_is_memory(o->kind)) return wrong(why, n, expectation(p), cl_type_text(L, idx));
  if (t != CL_T_PTR && !word) return wrong(why, n, expectation(p), cl_type_text(L, idx));
  const cl_MemoryObject *m = (const cl_MemoryObject *)o;
  if (!cl_rec_live(o->rec)) {
    cl_check_lost(L, o->rec);
    const bool mapped = o->rec && o->rec->kind == CL_GL_MAPPING;
    snprintf(why, n, mapped ? "the mapping of this %s was unmapped" : "this %s was freed",
             cl_kind_name(o->kind));
    return CL_WRONG;
  }
  if (!m->address && o->rec != &cl_no_owner)
    return snprintf(why, n, "this %s has no address on the device", cl_kind_name(o->kind)), CL_WRONG;
  bool shared = o->rec->kind == CL_HOST || o->rec->kind == CL_REGISTERED; /* by all contexts */
  const cl_Context *owner = o->rec == &cl_no_owner || shared ? ctx : cl_rec_context(o->rec);
  if (__builtin_expect(ctx && owner != ctx, 0) && !reaches(ctx, owner, m))
    return elsewhere(ctx, owner, m, why, n);
  memcpy(dst, &m->address, 8);
  return o->rec->tracks ? CL_OK_POOLED : CL_OK;
}

/* scalar(typename, value [, bytes]) -> a value with a type of its own, for parameters whose type is not
 * known. value: a number or a boolean; where `bytes` is true, a string of the type's bytes (a cdata's). */
int cl_scalar(lua_State *L) {
  cl_Param p = {.type = cl_type_by_name(luaL_checkstring(L, 1))};
  p.size = cl_type_size(p.type);
  lua_settop(L, 3);
  if (!p.size || p.type == CL_T_PTR || (p.type >= CL_T_X8 && p.type <= CL_T_X64))
    return luaL_argerror(L, 1, "no such scalar type");
  cl_ScalarObject *s = cl_push(L, CL_SCALAR, sizeof *s);
  s->type = p.type;
  s->size = p.size;
  char why[160];
  size_t n = 0;
  const char *bytes = lua_toboolean(L, 3) ? lua_tolstring(L, 2, &n) : NULL;
  if (bytes && n == p.size)
    memcpy(s->bytes, bytes, n);
  else if (lua_type(L, 2) != LUA_TNUMBER && lua_type(L, 2) != LUA_TBOOLEAN)
    cl_logic(L, "%s: expected a number, got %s", cl_type_name(p.type), cl_type_text(L, 2));
  else if (cl_convert(L, 2, &p, NULL, s->bytes, why, sizeof why) != CL_OK)
    cl_logic(L, "%s: %s", cl_type_name(p.type), why);
  return 1;
}

int cl_scalar_tostring(lua_State *L) {
  const cl_ScalarObject *s = cl_to_kind(L, 1, CL_SCALAR);
  lua_pushfstring(L, "cudalua.%s", s ? cl_type_name(s->type) : "Scalar");
  return 1;
}
