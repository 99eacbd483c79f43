/* Prepared calls: fn:prepare() checks the types of the parameters and keeps the shape of the block, so that
 * fn:prepared_call(grid, a, b, n) has nothing to read but the grid and the arguments. What the old way to
 * launch (lua/cudalua/driver/params.lua) needs of C is here, too. */
#include "launch/launch.h"
#include "code/texref.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_float(cl_Type t) { return t >= CL_T_F16 && t <= CL_T_F64; }
static bool is_whole(cl_Type t) { return t >= CL_T_BOOL && t <= CL_T_X64; }
static bool is_either(cl_Type t) { return t >= CL_T_X8 && t <= CL_T_X64; }
static bool is_open(cl_Type t) { return t == CL_T_UNKNOWN || t == CL_T_BYTES; }

/* What a parameter that is known as `known` becomes when it is prepared as `given`, which is of the same
 * size; false: that cannot be. What the kernel's own signature says stays: 'i' is good enough for an unsigned
 * one. */
static bool merge(cl_Type known, cl_Type given, cl_Type *to) {
  *to = known;
  if (is_open(known) || given == known) return *to = given, true;
  if (is_float(known) || is_float(given) || given == CL_T_BYTES) return false;
  if (is_either(known)) return *to = given, true;
  return (known == CL_T_PTR || is_whole(known)) && (given == CL_T_PTR || is_whole(given));
}

/* function_prepare(fn, types, sizes, texts, block, shared): types as cl_type_name() gives them, sizes in
 * bytes, texts as the user wrote them; block and shared may be nil: they stay what they were. */
int cl_function_prepare(lua_State *L) {
  cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  for (int i = 2; i <= 4; i++) luaL_checktype(L, i, LUA_TTABLE);
  lua_settop(L, 6);
  uint32_t n = (uint32_t)lua_objlen(L, 2);
  if (!fn->layout_known)
    cl_launch_error(L, fn, CL_RUNTIME_ERROR,
                    "prepare: this driver does not report parameter offsets (CUDA 12.4 and newer do)");
  if (n != fn->nparams) cl_wrong_count(L, fn, fn->params, fn->nparams, n);
  unsigned block[3] = {0}, shared = 0;
  if (!lua_isnil(L, 5)) cl_read_extents(L, fn, "block", 5, block);
  if (!lua_isnil(L, 6)) shared = cl_read_shared(L, fn, "shared", 6);
  for (uint32_t pass = 0; pass < 2; pass++) /* nothing changes unless all of it is right */
    for (uint32_t i = 0; i < n; i++) {
      cl_Param *p = &fn->params[i];
      lua_settop(L, 6);
      for (int k = 2; k <= 4; k++) lua_rawgeti(L, k, (int)i + 1);
      cl_Type given = cl_type_by_name(luaL_checkstring(L, 7)), type;
      const lua_Integer size = luaL_checkinteger(L, 8);
      const char *text = luaL_checkstring(L, 9);
      char why[256];
      if (size != (lua_Integer)p->size) {
        snprintf(why, sizeof why, "prepared as %s, which has %ld bytes, but the parameter has %u", text,
                 (long)size, p->size);
        cl_wrong_argument(L, fn, fn->params, i, why);
      }
      if (!merge(p->type, given, &type)) {
        snprintf(why, sizeof why, "prepared as %s, but the parameter is %s", text, cl_type_name(p->type));
        cl_wrong_argument(L, fn, fn->params, i, why);
      }
      if (pass == 0) continue;
      if (p->type == CL_T_UNKNOWN || is_either(p->type)) { /* PTX and the driver tell no names */
        char *copy = strdup(text);
        if (!copy) return luaL_error(L, "not enough memory");
        free(p->text);
        p->text = copy;
      }
      p->type = type;
    }
  fn->packed = CL_NOT_PACKED;
  fn->prepared = true;
  if (block[0]) {
    memcpy(fn->block_shape, block, sizeof block);
    fn->shape_checked = false;
  }
  if (!lua_isnil(L, 6)) {
    fn->shared_size = shared;
    fn->shape_checked = false;
  }
  return 0;
}

/* A list of extents, and not an object that stands for device memory. */
static bool is_list(lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TTABLE) return false;
  if (lua_getmetatable(L, idx)) return lua_pop(L, 1), false;
  lua_rawgeti(L, idx, 1);
  bool list = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return list;
}

/* PyCUDA's shared_size=, in a table behind the arguments. */
static void read_last(lua_State *L, const cl_Function *fn, int idx, cl_Launch *o) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (strcmp(key, "shared") != 0 && strcmp(key, "shared_size") != 0)
      cl_launch_error(L, fn, CL_LOGIC_ERROR,
                      "unknown option %s of a prepared call; valid option: shared_size",
                      cl_option_text(L, -2));
    o->shared = cl_read_shared(L, fn, key, lua_gettop(L));
  }
}

/* Everything but the plain form: a block of the call's own, a stream, options behind the arguments. Returns
 * the index of the first argument. */
static int read_call(lua_State *L, const cl_Function *fn, const cl_Context *ctx, int top, bool async,
                     cl_Launch *o) {
  int next = 3;
  if (is_list(L, next) || !o->block[0]) {
    if (top < next)
      cl_launch_error(L, fn, CL_LOGIC_ERROR,
                      "the block is missing: prepare() got none, so pass it after the grid");
    cl_read_extents(L, fn, "block", next++, o->block);
  }
  if (async) {
    if (top < next)
      cl_launch_error(L, fn, CL_LOGIC_ERROR, "the stream is missing: prepared_async_call(grid, stream, ...)");
    if (!lua_isnil(L, next)) o->stream = cl_check_stream(L, next, "stream", ctx);
    next++;
  }
  int nargs = top - next + 1;
  if (nargs == (int)fn->nparams + 1 && lua_type(L, top) == LUA_TTABLE && !lua_getmetatable(L, top)) {
    read_last(L, fn, top, o);
    nargs--;
  }
  if (nargs != (int)fn->nparams) cl_wrong_count(L, fn, fn->params, fn->nparams, (size_t)nargs);
  return next;
}

/* What a table of options would say of o; stream: the index of the Stream, or 0. */
static void push_launch(lua_State *L, const cl_Launch *o, int stream) {
  lua_createtable(L, 0, 4);
  const unsigned *extents[2] = {o->block, o->grid};
  for (int k = 0; k < 2; k++) {
    lua_createtable(L, 3, 0);
    for (int i = 0; i < 3; i++) {
      lua_pushnumber(L, extents[k][i]);
      lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, k ? "grid" : "block");
  }
  lua_pushnumber(L, o->shared);
  lua_setfield(L, -2, "shared");
  if (!stream) return;
  lua_pushvalue(L, stream);
  lua_setfield(L, -2, "stream");
}

/* An argument that Lua has to take apart: fn(..., {block = ..., grid = ...}) does that. */
static int call_in_full(lua_State *L, const cl_Function *fn, int first, int stream, const cl_Launch *o) {
  const int n = (int)fn->nparams;
  if (first == 3 && is_list(L, 3)) cl_wrong_count(L, fn, fn->params, fn->nparams, fn->nparams - 1);
  luaL_checkstack(L, n + 8, "too many arguments");
  lua_pushvalue(L, 1);
  for (int i = 0; i < n; i++) lua_pushvalue(L, first + i);
  push_launch(L, o, stream);
  lua_call(L, n + 1, 0);
  return 0;
}

/* The shape was within the limits before, and the grid is now. In the default stream the driver itself
 * refuses the kernel of a context that is not current. */
static inline bool is_known_good(const cl_Function *fn, const cl_Launch *o) {
  return fn->shape_checked && fn->limits_known && o->shared <= (unsigned)fn->shared_free &&
         o->stream == &cl_legacy_stream && o->grid[0] <= (unsigned)fn->max_grid[0] &&
         o->grid[1] <= (unsigned)fn->max_grid[1] && o->grid[2] <= (unsigned)fn->max_grid[2];
}

/* What is in fn->block; the arguments lie from index `first` on. plain: the block and the shared memory are
 * those that were set. */
static inline int launch(lua_State *L, cl_Function *fn, cl_Context *ctx, int first, bool plain, bool pooled,
                         cl_Launch *o) {
  if (!o->stream) o->stream = cl_current_stream(L, "prepared_call", ctx);
  if (!(plain && is_known_good(fn, o))) {
    cl_check_launch(L, fn, ctx, o);
    if (plain) fn->shape_checked = !fn->cluster[0] && !fn->cluster_needed;
  }
  o->first = first;
  cl_launch(L, fn, ctx, o, fn->pointers);
  if (cl_launch_slow(pooled)) cl_launched(L, fn, first, (int)fn->nparams, o->stream);
  if (__builtin_expect(cl_write_mark != 0, 0)) cl_arguments_written(L, first, (int)fn->nparams);
  return 0;
}

static int prepared_call(lua_State *L, bool async) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  const int top = lua_gettop(L);
  if (!fn->prepared)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "not prepared: fn:prepare(\"PPif\", {block = {256, 1, 1}}) first");
  cl_references_update(L, fn);
  cl_Launch o = {.shared = fn->shared_size};
  memcpy(o.block, fn->block_shape, sizeof o.block);
  cl_read_extents(L, fn, "grid", 2, o.grid);
  int first = 3;
  const bool plain = !async && o.block[0] && top - 2 == (int)fn->nparams;
  if (!plain) first = read_call(L, fn, ctx, top, async, &o);
  bool pooled = false;
  if (cl_pack(L, fn, first, ctx, &pooled) < fn->nparams)
    return call_in_full(L, fn, first, o.stream ? first - 1 : 0, &o);
  return launch(L, fn, ctx, first, plain, pooled, &o);
}

/* fn:prepared_call(grid, [block,] ...) */
int cl_function_prepared_call(lua_State *L) { return prepared_call(L, false); }

/* fn:prepared_async_call(grid, [block,] stream, ...) */
int cl_function_prepared_async_call(lua_State *L) { return prepared_call(L, true); }

/* --- the old way to launch --- */

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

static void check_layout(lua_State *L, const cl_Function *fn) {
  if (!fn->layout_known)
    cl_launch_error(L, fn, CL_RUNTIME_ERROR,
                    "this driver does not report parameter offsets (CUDA 12.4 and newer do)");
}

/* param_set(fn, ...) -> module_table(fn), what the device gets for the arguments; nil: Lua has to take some
 * of them apart */
int cl_param_set(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  const int nargs = lua_gettop(L) - 1;
  bool pooled = false;
  check_layout(L, fn);
  if (nargs != (int)fn->nparams) cl_wrong_count(L, fn, fn->params, fn->nparams, (size_t)nargs);
  if (cl_pack(L, fn, 2, cl_rec_context(f->o.rec), &pooled) < fn->nparams) return 0;
  luaL_checkstack(L, 2, "too many arguments");
  lua_getfenv(L, 1);
  lua_pushlstring(L, (const char *)fn->block, cl_block_size(fn));
  return 2;
}

/* The number of blocks at idx, called `name`. */
static unsigned read_blocks(lua_State *L, const cl_Function *fn, int idx, const char *name) {
  unsigned n[3];
  if (lua_type(L, idx) != LUA_TNUMBER)
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "option grid: expected a number for the %s, got %s", name,
                    cl_type_text(L, idx));
  cl_read_extents(L, fn, "grid", idx, n);
  return n[0];
}

/* The bytes at idx into the block, and the addresses of the memory among the arguments behind them. Returns
 * whether some of it has to remember the stream. */
static bool unpack(lua_State *L, cl_Function *fn, int idx, const cl_Context *ctx) {
  size_t n;
  const char *bytes = luaL_checklstring(L, idx, &n);
  bool pooled = false;
  if (n != cl_block_size(fn)) luaL_argerror(L, idx, "expected the bytes of all parameters");
  fn->packed = CL_NOT_PACKED; /* cl_pack() does not know of these values */
  memcpy(fn->block, bytes, n);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    const int at = idx + 1 + (int)i;
    char why[256];
    if (!cl_to_memory(L, at) && !cl_to_image(L, at)) continue;
    const cl_Converted r = cl_convert(L, at, p, ctx, fn->block + p->offset, why, sizeof why);
    if (r == CL_WRONG) cl_wrong_argument(L, fn, fn->params, i, why);
    pooled |= r == CL_OK_POOLED;
  }
  return pooled;
}

/* launch_grid(fn, width, height, stream or nil, bytes or nil, ...): with all the arguments, or none if none
 * are set; bytes: what the device gets, and of the arguments only memory counts */
int cl_launch_grid(lua_State *L) {
  enum { STREAM = 4, BYTES, FIRST };
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  cl_references_update(L, fn);
  cl_Launch o = {.grid = {read_blocks(L, fn, 2, "width"), read_blocks(L, fn, 3, "height"), 1},
                 .shared = fn->shared_size};
  check_layout(L, fn);
  if (!fn->block_shape[0])
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "the block has no shape: call fn:set_block_shape(x, y, z) first");
  memcpy(o.block, fn->block_shape, sizeof o.block);
  if (lua_gettop(L) - BYTES != (int)fn->nparams)
    cl_wrong_argument(L, fn, fn->params, 0, "no parameters are set: call param_set() first");
  if (!lua_isnil(L, STREAM)) o.stream = cl_check_stream(L, STREAM, "stream", ctx);
  bool pooled = false;
  if (!lua_isnil(L, BYTES))
    pooled = unpack(L, fn, BYTES, ctx);
  else if (cl_pack(L, fn, FIRST, ctx, &pooled) < fn->nparams)
    return call_in_full(L, fn, FIRST, o.stream ? STREAM : 0, &o);
  return launch(L, fn, ctx, FIRST, !o.stream, pooled, &o);
}
