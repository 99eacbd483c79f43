/* Launching: fn(a, b, n, {block = ..., grid = ...}). This is the hot path: one pass over the arguments,
 * one over the options table, no allocation. What needs Lua (In/Out, cdata) goes to lua/cudalua/launch.lua
 * and comes back here. */
#include "launch.h"
#include "memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Options {
  unsigned block[3], grid[3];
  uint64_t shared;
  cl_Stream *stream;
  bool has_block, time_kernel;
} Options;

/* Waits for each kernel, so that an error is raised where its kernel was launched. */
static _Atomic bool blocking;

void cl_open_launch(void) {
  const char *v = getenv("CUDALUA_LAUNCH_BLOCKING");
  if (v && *v && strcmp(v, "0") != 0) blocking = true;
}

/* launch_blocking([flag]) -> what it was before */
int cl_launch_blocking(lua_State *L) {
  bool was = blocking;
  if (!lua_isnoneornil(L, 1)) blocking = lua_toboolean(L, 1);
  lua_pushboolean(L, was);
  return 1;
}

static int launch_error(lua_State *L, const cl_Function *fn, cl_ErrorClass c, const char *text) {
  cl_error_new(L, c, "%s: %s", fn->name, text);
  lua_pushstring(L, fn->name);
  lua_setfield(L, -2, "kernel");
  return cl_throw(L);
}

static int bad_option(lua_State *L, const cl_Function *fn, const char *key, const char *expected, int value) {
  char text[256];
  snprintf(text, sizeof text, "option %s: expected %s, got %s", key, expected, cl_type_text(L, value));
  return launch_error(L, fn, CL_LOGIC_ERROR, text);
}

static const char extents[] = "1 to 3 positive whole numbers";

/* The extent on top of the stack. */
static unsigned read_extent(lua_State *L, const cl_Function *fn, const char *key) {
  lua_Number d = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
  if (!(d >= 1 && d <= 4294967295.0) || d != (lua_Number)(unsigned)d)
    bad_option(L, fn, key, extents, lua_gettop(L));
  return (unsigned)d;
}

/* {x}, {x, y}, {x, y, z} or a number; absent extents are 1. */
static void read_dim(lua_State *L, const cl_Function *fn, const char *key, unsigned out[3]) {
  int at = lua_gettop(L);
  out[1] = out[2] = 1;
  if (lua_type(L, at) == LUA_TNUMBER) {
    out[0] = read_extent(L, fn, key);
    return;
  }
  if (lua_type(L, at) != LUA_TTABLE) bad_option(L, fn, key, extents, at);
  int n = 0; /* not the length: {1, nil, 2} may have the length 1 */
  for (int i = 1; i <= 4; i++) {
    lua_rawgeti(L, at, i);
    if (lua_type(L, -1) == LUA_TNIL) continue;
    if (i == 4) bad_option(L, fn, key, extents, at);
    if (++n < i) bad_option(L, fn, key, extents, at + i - 1); /* the nil before it */
    out[i - 1] = read_extent(L, fn, key);
  }
  if (n == 0) bad_option(L, fn, key, extents, at);
  lua_settop(L, at);
}

static void read_options(lua_State *L, const cl_Function *fn, const cl_Context *ctx, int idx, bool list,
                         Options *o) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TNUMBER && list) continue;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    if (!strcmp(key, "block")) {
      read_dim(L, fn, key, o->block);
      o->has_block = true;
    } else if (!strcmp(key, "grid"))
      read_dim(L, fn, key, o->grid);
    else if (!strcmp(key, "shared")) {
      lua_Number d = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
      if (!(d >= 0 && d <= 4294967295.0) || d != (lua_Number)(uint64_t)d)
        bad_option(L, fn, key, "a number of bytes", lua_gettop(L));
      o->shared = (uint64_t)d;
    } else if (!strcmp(key, "stream")) {
      if (!cl_to_kind(L, -1, CL_STREAM)) bad_option(L, fn, key, "a Stream", lua_gettop(L));
      o->stream = cl_check_stream(L, lua_gettop(L), "option stream", ctx);
    } else if (!strcmp(key, "time_kernel"))
      o->time_kernel = lua_toboolean(L, -1);
    else {
      char text[256];
      snprintf(text, sizeof text, "unknown option %s; there are block, grid, shared, stream and time_kernel",
               cl_type_text(L, -2));
      launch_error(L, fn, CL_LOGIC_ERROR, text);
    }
  }
}

static void read_limits(lua_State *L, cl_Function *fn, CUdevice dev) {
  CL_TRY(L, cuFuncGetAttribute, &fn->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fn->f);
  CL_TRY(L, cuFuncGetAttribute, &fn->static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fn->f);
  CL_TRY(L, cuFuncGetAttribute, &fn->shared_set, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, fn->f);
  const struct {
    int id;
    int *to;
  } wanted[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &fn->shared_limit},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &fn->shared_optin},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &fn->max_block[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &fn->max_block[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &fn->max_block[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &fn->max_grid[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &fn->max_grid[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &fn->max_grid[2]},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    CL_TRY(L, cuDeviceGetAttribute, wanted[i].to, (CUdevice_attribute)wanted[i].id, dev);
  fn->limits_known = true;
}

/* The driver answers only "invalid value" to all of these; so they are told apart here. */
static void check_limits(lua_State *L, cl_Function *fn, const Options *o) {
  char text[256];
  for (int i = 0; i < 3; i++) {
    const char axis = (char)('x' + i);
    if (o->block[i] > (unsigned)fn->max_block[i]) {
      snprintf(text, sizeof text, "block.%c is %u, this device's limit is %d", axis, o->block[i],
               fn->max_block[i]);
      launch_error(L, fn, CL_LAUNCH_ERROR, text);
    }
    if (o->grid[i] > (unsigned)fn->max_grid[i]) {
      snprintf(text, sizeof text, "grid.%c is %u, this device's limit is %d", axis, o->grid[i],
               fn->max_grid[i]);
      launch_error(L, fn, CL_LAUNCH_ERROR, text);
    }
  }
  uint64_t threads = (uint64_t)o->block[0] * o->block[1] * o->block[2];
  if (threads > (uint64_t)fn->max_threads) {
    snprintf(text, sizeof text, "a block of %u x %u x %u has %llu threads, this kernel's limit is %d",
             o->block[0], o->block[1], o->block[2], (unsigned long long)threads, fn->max_threads);
    launch_error(L, fn, CL_LAUNCH_ERROR, text);
  }
  uint64_t shared = o->shared + (uint64_t)fn->static_shared;
  if (shared <= (uint64_t)fn->shared_limit || o->shared <= (uint64_t)fn->shared_set) return;
  if (shared > (uint64_t)fn->shared_optin) {
    snprintf(text, sizeof text,
             "%llu bytes of shared memory asked for (%llu dynamic + %d static), this device's limit is %d",
             (unsigned long long)shared, (unsigned long long)o->shared, fn->static_shared, fn->shared_optin);
    launch_error(L, fn, CL_LAUNCH_ERROR, text);
  }
  /* More than the default 48 KiB has to be asked for, once per kernel. */
  CL_TRY(L, cuFuncSetAttribute, fn->f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)o->shared);
  fn->shared_set = (int)o->shared;
}

static int wrong_count(lua_State *L, const cl_Function *fn, size_t got) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    if (i) luaL_addstring(&b, ", ");
    luaL_addstring(&b, fn->params[i].text);
  }
  luaL_pushresult(&b);
  cl_error_new(L, CL_LOGIC_ERROR, "kernel %s takes %u argument%s (%s), got %zu", fn->name, fn->nparams,
               fn->nparams == 1 ? "" : "s", lua_tostring(L, -1), got);
  lua_pushstring(L, fn->name);
  lua_setfield(L, -2, "kernel");
  return cl_throw(L);
}

static int wrong_argument(lua_State *L, const cl_Function *fn, uint32_t i, const char *why) {
  cl_error_new(L, CL_LOGIC_ERROR, "%s: argument %u (%s): %s", fn->name, i + 1, fn->params[i].text, why);
  lua_pushstring(L, fn->name);
  lua_setfield(L, -2, "kernel");
  lua_pushinteger(L, (int)i + 1);
  lua_setfield(L, -2, "arg");
  lua_pushstring(L, fn->params[i].text);
  lua_setfield(L, -2, "param");
  return cl_throw(L);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_plain_table(lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TTABLE) return false;
  if (!lua_getmetatable(L, idx)) return true;
  lua_pop(L, 1);
  return false;
}

/* What the arguments are keeps them alive where that is not the driver's business: blocks of a pool remember
 * the stream, a capture keeps everything for its graph. */
static void after_launch(lua_State *L, const cl_Function *fn, int first, int nargs, cl_Stream *s) {
  bool capturing = cl_captures && cl_capture_keep(L, s, 1);
  for (int i = 0; i < nargs; i++) {
    const cl_MemoryObject *m = cl_to_memory(L, first + i);
    if (!m) continue;
    if (capturing)
      cl_capture_keep(L, s, first + i);
    else
      cl_memory_used(L, m, s);
  }
  if (blocking && !capturing) {
    CUstreamCaptureMode mode = cl_relax(); /* of another stream, perhaps */
    CUresult code = CU.cuStreamSynchronize(cl_stream_handle(s));
    cl_unrelax(mode);
    if (code) {
      cl_fail_new(L, "cuStreamSynchronize", code);
      lua_pushfstring(L, "kernel %s failed: %s", fn->name, cl_code_text(code));
      lua_setfield(L, -2, "message");
      lua_pushstring(L, fn->name);
      lua_setfield(L, -2, "kernel");
      cl_throw(L);
    }
  }
}

/* Upvalue 1: launch.lua's function for calls whose arguments need it. */
int cl_function_call(lua_State *L) {
  cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  int top = lua_gettop(L), first = 2, nargs, options;
  bool pooled = false; /* an argument is memory that has to remember the stream */

  if (top < 2 || !is_plain_table(L, top))
    launch_error(L, fn, CL_LOGIC_ERROR,
                 "no options: the last argument must be a table with the block, {block = {256, 1, 1}}");
  options = top;
  nargs = top - 2;
  bool list = nargs == 0 && lua_objlen(L, options) > 0; /* fn{a, b, n, block = ...} */
  if (list) {
    size_t n = lua_objlen(L, options);
    if (fn->layout_known && n != fn->nparams) wrong_count(L, fn, n);
    nargs = (int)n;
    first = top + 1;
    luaL_checkstack(L, nargs + 8, "too many arguments");
    for (int i = 1; i <= nargs; i++) lua_rawgeti(L, options, i);
  } else
    luaL_checkstack(L, 8, "too many arguments");

  if (!fn->layout_known)
    launch_error(L, fn, CL_RUNTIME_ERROR,
                 "this driver does not tell where the parameters lie (CUDA 12.4 and newer do)");
  if ((uint32_t)nargs != fn->nparams) wrong_count(L, fn, (size_t)nargs);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    char why[256];
    cl_Converted r = cl_convert(L, first + (int)i, p, ctx, fn->block + p->offset, why, sizeof why);
    if (__builtin_expect(r == CL_OK, 1)) continue;
    if (r == CL_OK_POOLED) {
      pooled = true;
      continue;
    }
    if (r == CL_WRONG) return wrong_argument(L, fn, i, why);
    /* hand the whole call over: fn, options, are the arguments in them, arguments */
    int base = lua_gettop(L);
    luaL_checkstack(L, nargs + 8, "too many arguments");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_pushvalue(L, options);
    lua_pushboolean(L, list);
    for (int k = 0; k < nargs; k++) lua_pushvalue(L, first + k);
    lua_call(L, nargs + 3, LUA_MULTRET);
    return lua_gettop(L) - base;
  }

  Options o = {.grid = {1, 1, 1}};
  read_options(L, fn, ctx, options, list, &o);
  if (!o.has_block)
    launch_error(L, fn, CL_LOGIC_ERROR,
                 "option block is missing: the threads of a block, e.g. block = {256, 1, 1}");
  if (o.time_kernel && o.stream)
    launch_error(L, fn, CL_LOGIC_ERROR, "option time_kernel waits for the whole context: it takes no stream");
  if (!o.stream) o.stream = cl_current_stream(L, "launch", ctx);
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  if (current != (CUcontext)ctx->rec.handle)
    launch_error(L, fn, CL_LOGIC_ERROR,
                 current ? "its context is not the current one: ctx:push() it, or use ctx:with()"
                         : "no context is current: ctx:push() its context");
  if (!fn->limits_known) read_limits(L, fn, ctx->device);
  check_limits(L, fn, &o);

  double t0 = 0;
  if (o.time_kernel) {
    cl_refuse_wait(L, "time_kernel", ctx);
    CL_TRY(L, cuCtxSynchronize);
    t0 = now();
  }
  CUresult code =
      CU.cuLaunchKernel(fn->f, o.grid[0], o.grid[1], o.grid[2], o.block[0], o.block[1], o.block[2],
                        (unsigned)o.shared, cl_stream_handle(o.stream), fn->pointers, NULL);
  if (code == CUDA_SUCCESS || cl_code_sticky(code)) {
    atomic_store_explicit(&o.stream->last_kernel, fn->name, memory_order_release);
    atomic_store_explicit(&ctx->last_kernel, fn->name, memory_order_release);
  }
  if (code) {
    cl_fail_new(L, "cuLaunchKernel", code);
    lua_pushstring(L, fn->name);
    lua_setfield(L, -2, "kernel");
    cl_throw(L);
  }
  if (__builtin_expect(pooled || cl_captures || blocking, 0)) after_launch(L, fn, first, nargs, o.stream);
  if (!o.time_kernel) return 0;
  CL_TRY(L, cuCtxSynchronize);
  lua_pushnumber(L, now() - t0);
  return 1;
}
