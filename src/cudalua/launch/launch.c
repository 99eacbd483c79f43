/* Launching: fn(a, b, n, {block = ..., grid = ...}). This is the hot path: one pass over the options table,
 * one over the arguments, no allocation. What needs Lua (In/Out, cdata) goes to lua/cudalua/driver/launch.lua
 * and comes back here. */
#include "launch/launch.h"
#include "code/texref.h"
#include "base/state.h"
#include "streams/activity.h"
#include "streams/wait.h"

#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Atomic bool cl_launch_blocking_on;

void cl_open_launch(void) {
  const char *v = getenv("CUDALUA_LAUNCH_BLOCKING");
  if (v && *v && strcmp(v, "0") != 0) cl_launch_blocking_on = true;
  if (cl_trace_wanted()) cl_launch_blocking_on = true;
}

/* launch_blocking([flag]) -> what it was before */
int cl_launch_blocking(lua_State *L) {
  bool was = cl_launch_blocking_on;
  if (!lua_isnoneornil(L, 1)) cl_launch_blocking_on = lua_toboolean(L, 1);
  lua_pushboolean(L, was);
  return 1;
}

int cl_launch_error(lua_State *L, const cl_Function *fn, cl_ErrorClass c, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  cl_error_new(L, c, "%s: %s", fn->name, text);
  lua_pushstring(L, fn->name);
  lua_setfield(L, -2, "kernel");
  cl_throw(L);
}

int cl_wrong_count(lua_State *L, const cl_Function *fn, const cl_Param *params, uint32_t nparams,
                   size_t got) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (uint32_t i = 0; i < nparams; i++) {
    if (i) luaL_addstring(&b, ", ");
    luaL_addstring(&b, params[i].text);
  }
  luaL_pushresult(&b);
  cl_error_new(L, CL_LOGIC_ERROR, "kernel %s takes %u argument%s (%s), got %zu", fn->name, nparams,
               nparams == 1 ? "" : "s", lua_tostring(L, -1), got);
  lua_pushstring(L, fn->name);
  lua_setfield(L, -2, "kernel");
  cl_throw(L);
}

int cl_wrong_argument(lua_State *L, const cl_Function *fn, const cl_Param *params, uint32_t i,
                      const char *why) {
  cl_error_new(L, CL_LOGIC_ERROR, "%s: argument %u (%s): %s", fn->name, i + 1, params[i].text, why);
  lua_pushstring(L, fn->name);
  lua_setfield(L, -2, "kernel");
  lua_pushinteger(L, (int)i + 1);
  lua_setfield(L, -2, "arg");
  lua_pushstring(L, params[i].text);
  lua_setfield(L, -2, "param");
  cl_throw(L);
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

void cl_arguments_written(lua_State *L, int first, int nargs) {
  for (int i = 0; i < nargs; i++) {
    const cl_MemoryObject *m = cl_to_memory(L, first + i);
    if (m && m->o.rec) cl_rec_written(m->o.rec);
  }
}

void cl_launched(lua_State *L, const cl_Function *fn, int first, int nargs, cl_Stream *s) {
  bool capturing = cl_captures && cl_capture_keep(L, s, 1);
  if (capturing) cl_trace_ended(L, CUDA_ERROR_NOT_READY);
  for (int i = 0; i < nargs; i++) {
    const cl_MemoryObject *m = cl_to_memory(L, first + i);
    const cl_Object *image = m ? NULL : cl_to_image(L, first + i);
    if (image) cl_image_used(L, (cl_Image *)image->rec, s);
    if (!m) continue;
    if (capturing)
      cl_capture_keep(L, s, first + i);
    else
      cl_memory_used(L, m, s);
  }
  if (cl_launch_blocking_on && !capturing) {
    CUstreamCaptureMode mode = cl_relax(); /* of another stream, perhaps */
    CUresult code = cl_wait_stream(L, cl_stream_handle(s));
    cl_unrelax(mode);
    cl_trace_ended(L, code);
    if (code == CL_INTERRUPTED) cl_fail(L, "cuStreamSynchronize", code);
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

void cl_make_config(const cl_Launch *o, cl_Config *c) {
  CUlaunchAttribute *a = c->attributes;
  if (o->with & CL_WITH_COOPERATIVE) {
    *a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    (a++)->value.cooperative = 1;
  }
  if (o->with & CL_WITH_CLUSTER) {
    *a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    a->value.clusterDim.x = o->cluster[0];
    a->value.clusterDim.y = o->cluster[1];
    (a++)->value.clusterDim.z = o->cluster[2];
  }
  if (o->with & CL_WITH_PRIORITY) {
    *a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PRIORITY};
    (a++)->value.priority = o->priority;
  }
  if (o->with & CL_WITH_PDL) {
    *a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    (a++)->value.programmaticStreamSerializationAllowed = 1;
  }
  if (o->with & CL_WITH_CARVEOUT) {
    *a = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT};
    (a++)->value.sharedMemCarveout = (unsigned)o->carveout;
  }
  c->config = (CUlaunchConfig){.gridDimX = o->grid[0],
                               .gridDimY = o->grid[1],
                               .gridDimZ = o->grid[2],
                               .blockDimX = o->block[0],
                               .blockDimY = o->block[1],
                               .blockDimZ = o->block[2],
                               .sharedMemBytes = o->shared,
                               .hStream = o->stream ? cl_stream_handle(o->stream) : NULL,
                               .attrs = c->attributes,
                               .numAttrs = (unsigned)(a - c->attributes)};
}

static CUresult launch_with_attributes(const cl_Function *fn, const cl_Launch *o, void **pointers) {
  cl_Config c;
  cl_make_config(o, &c);
  return CU.cuLaunchKernelEx(&c.config, fn->f, pointers, NULL);
}

/* Kernels launched here. Two threads that count at once may count one: it tells tests what was computed. */
static _Atomic uint64_t launches;

/* launch_count() -> how many kernels this process has launched through this library, outside of graphs, and
 * the name of the last one of the current context, or nil */
int cl_launch_count(lua_State *L) {
  const uint64_t n = atomic_load_explicit(&launches, memory_order_relaxed);
  lua_pushnumber(L, (lua_Number)n);
  CUcontext handle = NULL;
  cl_Context *c = n && !CU.cuCtxGetCurrent(&handle) && handle ? cl_context_find(handle) : NULL;
  if (!c) return 1;
  const char *name = c->last_kernel;
  cl_rec_release(&c->rec);
  if (!name) return 1;
  lua_pushstring(L, name);
  return 2;
}

__attribute__((cold, noinline)) static cl_Activity *begin_activity(lua_State *L, const cl_Function *fn,
                                                                   const cl_Launch *o) {
  cl_Activity *a = cl_activity_begin(L, CL_A_KERNEL, fn->name, o->stream, 0);
  if (!a) return NULL;
  memcpy(a->grid, o->grid, sizeof a->grid);
  memcpy(a->block, o->block, sizeof a->block);
  a->shared = o->shared;
  if (!cl_captures) cl_activity_fit(L, a, fn->f);
  return a;
}

void cl_launch(lua_State *L, const cl_Function *fn, cl_Context *ctx, const cl_Launch *o, void **pointers) {
  const uint64_t before = atomic_load_explicit(&launches, memory_order_relaxed);
  atomic_store_explicit(&launches, before + 1, memory_order_relaxed); /* no locked instruction */
  cl_State *st = cl_state(L);
  st->launches++;
  cl_tie_up();
  cl_Activity *a = NULL;
  const bool referring = __builtin_expect(fn->module->references != NULL, 0);
  if (referring) cl_references_write(L, fn, ctx, o->stream);
  if (__builtin_expect(st->recording || st->profile || st->trace, 0)) {
    if (st->trace) cl_trace_launch(L, fn, o);
    if (st->recording) cl_record_launch(L, st->recording, fn, ctx, o, before + 1);
    if (st->profile) a = begin_activity(L, fn, o);
  }
  CUresult code =
      __builtin_expect(o->with != 0, 0)
          ? launch_with_attributes(fn, o, pointers)
          : CU.cuLaunchKernel(fn->f, o->grid[0], o->grid[1], o->grid[2], o->block[0], o->block[1],
                              o->block[2], o->shared, cl_stream_handle(o->stream), pointers, NULL);
  if (__builtin_expect(a != NULL, 0)) cl_activity_end(a, code);
  if (code == CUDA_SUCCESS || cl_code_sticky(code)) {
    atomic_store_explicit(&o->stream->last_kernel, fn->name, memory_order_release);
    atomic_store_explicit(&ctx->last_kernel, fn->name, memory_order_release);
  }
  if (code) {
    if (st->trace) cl_trace_ended(L, code);
    if (code == CUDA_ERROR_INVALID_HANDLE || code == CUDA_ERROR_INVALID_CONTEXT) cl_check_current(L, fn, ctx);
    cl_fail_new(L, o->with ? "cuLaunchKernelEx" : "cuLaunchKernel", code);
    lua_pushstring(L, fn->name);
    lua_setfield(L, -2, "kernel");
    cl_throw(L);
  }
  if (referring) cl_references_launched(L, fn, o->stream);
}

/* Upvalue 1: launch.lua's function for calls whose arguments need it. */
static int function_call(lua_State *L) {
  cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  int top = lua_gettop(L), first = 2, nargs, options;
  bool pooled = false; /* an argument is memory that has to remember the stream */

  if (top >= 2 && !is_plain_table(L, top))
    for (int i = 2; i < top; i++) {
      if (!is_plain_table(L, i)) continue;
      lua_pushliteral(L, "block");
      lua_rawget(L, i);
      if (!lua_isnil(L, -1))
        cl_launch_error(L, fn, CL_LOGIC_ERROR,
                        "argument %d is the table of options, which must be the last argument", i - 1);
      lua_pop(L, 1);
    }
  if (top < 2 || !is_plain_table(L, top))
    cl_launch_error(
        L, fn, CL_LOGIC_ERROR,
        "options are missing: the last argument must be a table with the block, {block = {256, 1, 1}}");
  options = top;
  nargs = top - 2;
  /* fn{a, b, n, block = ...} */
  bool list = nargs == 0 && fn->nparams && lua_objlen(L, options) > 0;
  if (list) {
    size_t n = lua_objlen(L, options);
    if (fn->layout_known && n != fn->nparams) cl_wrong_count(L, fn, fn->params, fn->nparams, n);
    nargs = (int)n;
    first = top + 1;
    luaL_checkstack(L, nargs + 12, "too many arguments");
    for (int i = 1; i <= nargs; i++) lua_rawgeti(L, options, i);
  } else
    luaL_checkstack(L, 12, "too many arguments");

  if (!fn->layout_known)
    cl_launch_error(L, fn, CL_RUNTIME_ERROR,
                    "this driver does not report parameter offsets (CUDA 12.4 and newer do): pass their "
                    "types, mod:get_function(name, {args = {\"float*\", \"int\"}})");
  if ((uint32_t)nargs > fn->nparams && !list &&
      (lua_objlen(L, options) > 0 || is_plain_table(L, options - 1))) /* f(a, n, {256}, {4}) */
    cl_launch_error(
        L, fn, CL_LOGIC_ERROR,
        "expected %u argument%s and one table of options, got %d argument%s and a table; write the "
        "block and the grid as options: {block = {256, 1, 1}, grid = {4, 1, 1}}",
        fn->nparams, fn->nparams == 1 ? "" : "s", nargs, nargs == 1 ? "" : "s");
  if ((uint32_t)nargs != fn->nparams) cl_wrong_count(L, fn, fn->params, fn->nparams, (size_t)nargs);

  cl_references_update(L, fn);
  cl_Launch o = {.grid = {1, 1, 1}};
  cl_read_launch(L, fn, ctx, options, list, &o);
  cl_check_launch(L, fn, ctx, &o);
  if (cl_pack(L, fn, first, ctx, &pooled) < fn->nparams) {
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

  double t0 = 0;
  if (o.time_kernel) {
    cl_refuse_wait(L, "time_kernel", ctx);
    CL_TRY_WAIT(L, cuCtxSynchronize, cl_wait_context(L));
    t0 = now();
  }
  o.first = first;
  cl_launch(L, fn, ctx, &o, fn->pointers);
  if (cl_launch_slow(pooled)) cl_launched(L, fn, first, nargs, o.stream);
  if (__builtin_expect(cl_write_mark != 0, 0)) cl_arguments_written(L, first, nargs);
  if (!o.time_kernel) return 0;
  CL_TRY_WAIT(L, cuCtxSynchronize, cl_wait_context(L));
  lua_pushnumber(L, now() - t0);
  return 1;
}

/* on_launch(f): f(fn, options, listed, ...) takes the calls whose arguments C cannot convert by itself. Sets
 * the metamethod __call of Function. */
int cl_on_launch(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  cl_push_metatable(L, CL_FUNCTION);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, function_call, 1);
  lua_setfield(L, -2, "__call");
  return 0;
}
