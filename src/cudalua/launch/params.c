/* The old way to launch: parameters are written into a space of bytes that belongs to the kernel, the shape
 * of the block is set, and launch_grid() starts what is there. All of it is kept until it is set again. */
#include "launch/launch.h"
#include "memory/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t end_of(const cl_Param *p) { return p->offset + p->size; }
static uint32_t total(const cl_Function *fn) {
  return fn->nparams ? end_of(&fn->params[fn->nparams - 1]) : 0;
}

static void let_go(cl_Function *fn, uint32_t i) {
  cl_rec_release(fn->space->held[i]);
  fn->space->held[i] = NULL;
}

static cl_Function *check_self(lua_State *L) {
  cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  if (!fn->layout_known)
    cl_launch_error(L, fn, CL_RUNTIME_ERROR,
                    "this driver does not tell where the parameters lie (CUDA 12.4 and newer do)");
  return fn;
}

static cl_ParamSpace *space_of(lua_State *L, cl_Function *fn) {
  if (fn->space) return fn->space;
  const uint32_t n = fn->nparams;
  cl_ParamSpace *s = calloc(1, sizeof *s + total(fn) + 16);
  if (s) s->held = calloc(n + 1, sizeof *s->held);
  if (s) s->pointers = calloc(n + 1, sizeof *s->pointers);
  if (!s || !s->held || !s->pointers) {
    if (s) free(s->held);
    if (s) free(s->pointers);
    free(s);
    luaL_error(L, "not enough memory");
  }
  for (uint32_t i = 0; i < n; i++) s->pointers[i] = s->bytes + fn->params[i].offset;
  return fn->space = s;
}

/* Holds the memory whose address the parameter has. The module's own variables live as long as its kernels.
 */
static void hold(cl_Function *fn, uint32_t i, const cl_MemoryObject *m, const cl_Rec *module) {
  cl_Rec *r = m && m->o.rec != &cl_no_owner && m->o.rec != module ? cl_rec_retain(m->o.rec) : NULL;
  let_go(fn, i);
  fn->space->held[i] = r;
}

/* fn:param_set(...). Upvalue 1: params.lua's function for arguments that Lua has to take apart. */
static int param_set(lua_State *L) {
  cl_Function *fn = check_self(L);
  const cl_Rec *module = ((const cl_FunctionObject *)lua_touserdata(L, 1))->o.rec;
  const int nargs = lua_gettop(L) - 1;
  if (nargs != (int)fn->nparams) cl_wrong_count(L, fn, fn->params, fn->nparams, (size_t)nargs);
  bool pooled = false;
  if (cl_pack(L, fn, 2, cl_rec_context((cl_Rec *)module), &pooled) < fn->nparams) {
    luaL_checkstack(L, 2, "too many arguments");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, nargs + 1, 0);
    return 0;
  }
  cl_ParamSpace *s = space_of(L, fn);
  memcpy(s->bytes, fn->block, total(fn));
  for (uint32_t i = 0; i < fn->nparams; i++) hold(fn, i, cl_to_memory(L, 2 + (int)i), module);
  s->size = total(fn);
  s->in_lua = false;
  return 0;
}

/* param_set_in_lua(fn): the launches to come are for the function given to on_params() */
int cl_function_param_set_in_lua(lua_State *L) {
  cl_Function *fn = check_self(L);
  cl_ParamSpace *s = space_of(L, fn);
  for (uint32_t i = 0; i < fn->nparams; i++) let_go(fn, i);
  s->size = total(fn);
  s->in_lua = true;
  return 0;
}

/* fn:param_set_size(bytes) */
int cl_function_param_set_size(lua_State *L) {
  cl_Function *fn = check_self(L);
  uint64_t n = cl_check_bytes(L, 2, "bytes");
  space_of(L, fn)->size = (size_t)n;
  return 0;
}

/* Writes n bytes at the offset at index 2. */
static int write_bytes(lua_State *L, cl_Function *fn, const char *method, const void *bytes, size_t n) {
  uint64_t at = cl_check_bytes(L, 2, "offset");
  if (at > total(fn) || n > total(fn) - at)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "%s: %zu byte%s at offset %llu, but the parameters end at byte %u",
                    method, n, n == 1 ? "" : "s", (unsigned long long)at, total(fn));
  cl_ParamSpace *s = space_of(L, fn);
  if (s->in_lua)
    cl_launch_error(
        L, fn, CL_LOGIC_ERROR,
        "%s: the parameters were set with In, Out or InOut among them: param_set() them all again", method);
  memcpy(s->bytes + at, bytes, n);
  for (uint32_t i = 0; i < fn->nparams; i++)
    if (fn->params[i].offset < at + n && end_of(&fn->params[i]) > at) let_go(fn, i);
  return 0;
}

static lua_Number check_value(lua_State *L, const cl_Function *fn, const char *method) {
  if (lua_type(L, 3) != LUA_TNUMBER)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "%s: expected a number, got %s", method, cl_type_text(L, 3));
  return lua_tonumber(L, 3);
}

/* fn:param_seti(offset, value): 32 bits, of either sign */
int cl_function_param_seti(lua_State *L) {
  cl_Function *fn = check_self(L);
  lua_Number d = check_value(L, fn, "param_seti");
  if (floor(d) != d || isinf(d))
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "param_seti: %.14g is not an integer", d);
  if (!(d >= INT32_MIN && d <= UINT32_MAX))
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "param_seti: %.17g is out of the range %d to %u", d, INT32_MIN,
                    UINT32_MAX);
  uint32_t v = (uint32_t)(int64_t)d;
  return write_bytes(L, fn, "param_seti", &v, sizeof v);
}

/* fn:param_setf(offset, value): a float */
int cl_function_param_setf(lua_State *L) {
  cl_Function *fn = check_self(L);
  lua_Number d = check_value(L, fn, "param_setf");
  float f = (float)d;
  if (isinf(f) && !isinf(d)) cl_launch_error(L, fn, CL_LOGIC_ERROR, "param_setf: %.9g overflows float", d);
  return write_bytes(L, fn, "param_setf", &f, sizeof f);
}

/* param_setv(fn, offset, bytes) */
int cl_function_param_setv(lua_State *L) {
  cl_Function *fn = check_self(L);
  size_t n;
  const char *bytes = luaL_checklstring(L, 3, &n);
  return write_bytes(L, fn, "param_setv", bytes, n);
}

/* fn:set_block_shape(x, y, z) */
int cl_function_set_block_shape(lua_State *L) {
  cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  unsigned shape[3] = {1, 1, 1}, one[3];
  lua_settop(L, 4);
  for (int i = 0; i < 3; i++) {
    if (i && lua_isnil(L, 2 + i)) continue;
    if (lua_type(L, 2 + i) != LUA_TNUMBER)
      cl_launch_error(L, fn, CL_LOGIC_ERROR, "set_block_shape: expected a number for %c, got %s", 'x' + i,
                      cl_type_text(L, 2 + i));
    cl_read_extents(L, fn, "block", 2 + i, one);
    shape[i] = one[0];
  }
  memcpy(fn->block_shape, shape, sizeof shape);
  fn->shape_checked = false;
  return 0;
}

/* fn:set_shared_size(bytes) */
int cl_function_set_shared_size(lua_State *L) {
  cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  lua_settop(L, 2);
  fn->shared_size = cl_read_shared(L, fn, "shared", 2);
  fn->shape_checked = false;
  return 0;
}

/* Kernels of ctx cannot use memory of another device any more once access was taken away. */
static bool reaches(const cl_Context *ctx, cl_Rec *r) {
  const cl_Context *owner = cl_rec_context(r);
  if (!owner || owner == ctx || r->kind == CL_HOST || r->kind == CL_REGISTERED) return true;
  for (size_t i = 0; i < CL_MAX_DEVICES; i++)
    if (ctx->peers[i] == owner->rec.generation) return true;
  return false;
}

/* Raises unless everything is there that a launch needs. */
static void check_space(lua_State *L, const cl_Function *fn, const cl_Context *ctx) {
  const cl_ParamSpace *s = fn->space;
  if (!s) {
    if (fn->nparams) cl_wrong_argument(L, fn, fn->params, 0, "no parameters are set: param_set() them first");
    return;
  }
  const size_t most = (total(fn) + 15u) & ~15u; /* C's sizeof counts padding */
  char why[160];
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    if (end_of(p) > s->size) {
      snprintf(why, sizeof why, "it ends at byte %u, but param_set_size() was told %zu", end_of(p), s->size);
      cl_wrong_argument(L, fn, fn->params, i, why);
    }
    cl_Rec *r = s->held[i];
    if (!r) continue;
    if (!cl_rec_live(r)) {
      snprintf(why, sizeof why, "this %s was freed", cl_kind_name(r->kind));
      cl_wrong_argument(L, fn, fn->params, i, why);
    }
    if (!reaches(ctx, r))
      cl_wrong_argument(L, fn, fn->params, i,
                        "its memory belongs to another context, whose access was disabled");
  }
  if (s->size > most)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "param_set_size() was told %zu bytes, the parameters have %u",
                    s->size, total(fn));
}

static int launch_set(lua_State *L, cl_Launch *o, int stream) {
  cl_Function *fn = check_self(L);
  cl_Context *ctx = cl_rec_context(((const cl_FunctionObject *)lua_touserdata(L, 1))->o.rec);
  if (!fn->block_shape[0])
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "the block has no shape: fn:set_block_shape(x, y, z) first");
  memcpy(o->block, fn->block_shape, sizeof o->block);
  o->shared = fn->shared_size;
  check_space(L, fn, ctx);
  const cl_ParamSpace *s = fn->space;
  if (s && s->in_lua) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    cl_push_launch(L, o, stream);
    lua_call(L, 2, 0);
    return 0;
  }
  cl_check_launch(L, fn, ctx, o);
  cl_launch(L, fn, ctx, o, s ? s->pointers : fn->pointers);
  for (uint32_t i = 0; s && i < fn->nparams; i++)
    if (s->held[i]) cl_memory_used(L, &(cl_MemoryObject){.o = {.rec = s->held[i]}}, o->stream);
  if (cl_launch_slow(false)) cl_launched(L, fn, 2, 0, o->stream);
  return 0;
}

/* The number of blocks at index 2 + i, called `name`. */
static unsigned check_extent(lua_State *L, int i, const char *name) {
  const cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  unsigned n[3];
  if (lua_type(L, 2 + i) != LUA_TNUMBER)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "option grid: expected a number for the %s, got %s", name,
                    cl_type_text(L, 2 + i));
  cl_read_extents(L, fn, "grid", 2 + i, n);
  return n[0];
}

/* The functions below have params.lua's launcher as upvalue 1. fn:launch() */
static int launch_one(lua_State *L) { return launch_set(L, &(cl_Launch){.grid = {1, 1, 1}}, 0); }

/* fn:launch_grid(width, height) */
static int launch_grid(lua_State *L) {
  cl_Launch o = {.grid = {check_extent(L, 0, "width"), check_extent(L, 1, "height"), 1}};
  return launch_set(L, &o, 0);
}

/* fn:launch_grid_async(width, height, stream) */
static int launch_grid_async(lua_State *L) {
  cl_Launch o = {.grid = {check_extent(L, 0, "width"), check_extent(L, 1, "height"), 1}};
  const cl_FunctionObject *f = lua_touserdata(L, 1);
  lua_settop(L, 4);
  if (lua_isnil(L, 4)) return launch_set(L, &o, 0);
  o.stream = cl_check_stream(L, 4, "stream", cl_rec_context(f->o.rec));
  return launch_set(L, &o, 4);
}

/* on_params(methods, set, launch): adds the methods that need params.lua. set(fn, ...) takes the arguments of
 * a param_set() that C cannot convert; launch(fn, options) launches what it kept. */
int cl_on_params(lua_State *L) {
  static const struct {
    const char *name;
    int upvalue;
    lua_CFunction f;
  } methods[] = {{"param_set", 2, param_set},
                 {"launch", 3, launch_one},
                 {"launch_grid", 3, launch_grid},
                 {"launch_grid_async", 3, launch_grid_async}};
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    lua_pushvalue(L, methods[i].upvalue);
    lua_pushcclosure(L, methods[i].f, 1);
    lua_setfield(L, 1, methods[i].name);
  }
  return 0;
}
