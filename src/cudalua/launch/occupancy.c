/* Occupancy: how many blocks of a kernel are on the device at a time, and which block makes it the most. What
 * does not fit is 0 blocks, as for a program that tries sizes; an error is what cannot be meant. */
#include "launch/launch.h"

#include <limits.h>
#include <string.h>

/* The function at index 1, its context current and its limits known. */
static cl_Function *receiver(lua_State *L, cl_Context **ctx) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  *ctx = cl_rec_context(f->o.rec);
  if (cl_current(L) != (CUcontext)(*ctx)->rec.handle)
    cl_launch_error(L, f->fn, CL_LOGIC_ERROR, "its context is not the current one");
  if (!f->fn->limits_known) cl_read_limits(L, f->fn, *ctx);
  return f->fn;
}

static bool shared_fits(const cl_Function *fn, unsigned dynamic) {
  return (uint64_t)dynamic + (unsigned)fn->static_shared <= (unsigned)fn->shared_optin;
}

static unsigned optional_shared(lua_State *L, const cl_Function *fn, int idx) {
  return lua_isnoneornil(L, idx) ? 0 : cl_read_shared(L, fn, "shared", idx);
}

/* Threads of the block at idx: a number of them, or extents. 0: more than the kernel can have. */
static unsigned check_block(lua_State *L, const cl_Function *fn, int idx) {
  unsigned n[3];
  luaL_checkany(L, idx);
  cl_read_extents(L, fn, "block", idx, n);
  for (int i = 0; i < 3; i++)
    if (n[i] > (unsigned)fn->max_block[i]) return 0;
  uint64_t threads = (uint64_t)n[0] * n[1] * n[2];
  return threads > (unsigned)fn->max_threads ? 0 : (unsigned)threads;
}

/* fn:max_active_blocks(block [, shared [, flags]]) -> blocks on each SM at a time */
int cl_function_max_active_blocks(lua_State *L) {
  cl_Context *ctx;
  lua_settop(L, 4);
  cl_Function *fn = receiver(L, &ctx);
  unsigned threads = check_block(L, fn, 2), shared = optional_shared(L, fn, 3);
  unsigned flags = (unsigned)cl_check_flags(L, 4, "flags", "occupancy_flags", -1);
  int blocks = 0;
  if (threads && shared_fits(fn, shared)) {
    cl_allow_shared(L, fn, shared); /* as a launch does: without, it would be none */
    CL_TRY(L, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, fn->f, (int)threads, shared,
           flags);
  }
  lua_pushinteger(L, blocks);
  return 1;
}

/* function_suggest(fn, shared, limit) -> threads of a block, blocks that fill the device; 0, 0 where none
 * fits. limit 0: the kernel's own */
int cl_function_suggest(lua_State *L) {
  cl_Context *ctx;
  cl_Function *fn = receiver(L, &ctx);
  unsigned shared = optional_shared(L, fn, 2);
  int limit = (int)cl_check_int(L, 3, "limit", 0, INT_MAX), block = 0, grid = 0;
  if (shared_fits(fn, shared)) {
    cl_allow_shared(L, fn, shared);
    CL_TRY(L, cuOccupancyMaxPotentialBlockSize, &grid, &block, fn->f, NULL, shared, limit);
  }
  lua_pushinteger(L, block);
  lua_pushinteger(L, grid);
  return 2;
}

/* function_extents(fn) -> threads that a block can have, threads of a warp, SMs */
int cl_function_extents(lua_State *L) {
  cl_Context *ctx;
  const cl_Function *fn = receiver(L, &ctx);
  int warp = 0, sms = 0;
  CL_TRY(L, cuDeviceGetAttribute, &warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, ctx->device);
  CL_TRY(L, cuDeviceGetAttribute, &sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ctx->device);
  lua_pushinteger(L, fn->max_threads);
  lua_pushinteger(L, warp);
  lua_pushinteger(L, sms);
  return 3;
}

/* fn:available_shared(blocks, block) -> bytes of dynamic shared memory with which so many blocks fit an SM */
int cl_function_available_shared(lua_State *L) {
  cl_Context *ctx;
  lua_settop(L, 3);
  cl_Function *fn = receiver(L, &ctx);
  int blocks = (int)cl_check_int(L, 2, "blocks", 1, INT_MAX), most = 0;
  unsigned threads = check_block(L, fn, 3);
  size_t bytes = 0;
  if (threads) CL_TRY(L, cuOccupancyMaxActiveBlocksPerMultiprocessor, &most, fn->f, (int)threads, 0);
  if (blocks > most)
    cl_launch_error(L, fn, CL_LAUNCH_ERROR,
                    "%d blocks do not fit on an SM at once; with this block, at most %d do", blocks, most);
  cl_allow_shared(L, fn, (unsigned)(fn->shared_optin - fn->static_shared)); /* or 48 KiB are the most */
  CL_TRY(L, cuOccupancyAvailableDynamicSMemPerBlock, &bytes, fn->f, blocks, (int)threads);
  CL_TRY(L, cuOccupancyMaxActiveBlocksPerMultiprocessor, &most, fn->f, (int)threads, bytes);
  if (most < blocks) { /* the driver forgets that a part of each block is the system's */
    int reserved = 0;
    CL_TRY(L, cuDeviceGetAttribute, &reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
           ctx->device);
    bytes = bytes > (size_t)reserved ? bytes - (size_t)reserved : 0;
  }
  lua_pushnumber(L, (lua_Number)bytes);
  return 1;
}

static bool has_clusters(lua_State *L, const cl_Context *ctx) {
  int able = 0;
  CL_TRY(L, cuDeviceGetAttribute, &able, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, ctx->device);
  return able;
}

/* The launch that the options at index 2 describe; false: one block of it does not fit. */
static bool read_options(lua_State *L, cl_Function *fn, cl_Context *ctx, cl_Launch *o) {
  if (lua_type(L, 2) != LUA_TTABLE) cl_bad_argument(L, 2, "options", "a table with the block");
  cl_read_launch(L, fn, ctx, 2, false, o);
  if (!o->block[0]) cl_launch_error(L, fn, CL_LOGIC_ERROR, "option block is missing: the threads of a block");
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    if (o->block[i] > (unsigned)fn->max_block[i]) return false;
    threads *= o->block[i];
  }
  if (threads > (unsigned)fn->max_threads || !shared_fits(fn, o->shared)) return false;
  cl_allow_shared(L, fn, o->shared);
  return true;
}

static int push_answer(lua_State *L, const char *call, CUresult code, int n) {
  if (code == CUDA_ERROR_INVALID_CLUSTER_SIZE)
    n = 0;
  else if (code)
    cl_fail(L, call, code);
  lua_pushinteger(L, n);
  return 1;
}

/* fn:max_active_clusters{cluster =, block =, shared =} -> clusters on the device at a time */
int cl_function_max_active_clusters(lua_State *L) {
  cl_Context *ctx;
  cl_Function *fn = receiver(L, &ctx);
  cl_Launch o = {.grid = {0, 1, 1}};
  cl_Config c;
  int n = 0;
  bool fits = read_options(L, fn, ctx, &o);
  if (!(o.with & CL_WITH_CLUSTER))
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "option cluster is missing: the blocks of a cluster");
  /* Above that, a grid of one cluster may be what is refused. */
  enum { MOST = 1024 };
  const uint64_t blocks = (uint64_t)o.cluster[0] * o.cluster[1];
  fits = fits && blocks <= MOST && blocks * o.cluster[2] <= MOST;
  if (!fits || (blocks * o.cluster[2] != 1 && !has_clusters(L, ctx)))
    return push_answer(L, "", CUDA_SUCCESS, 0);
  if (!o.grid[0]) memcpy(o.grid, o.cluster, sizeof o.grid);
  cl_make_config(&o, &c);
  CUresult code = CU.cuOccupancyMaxActiveClusters(&n, fn->f, &c.config);
  return push_answer(L, "cuOccupancyMaxActiveClusters", code, n);
}

/* fn:max_cluster_size{block =, shared =} -> blocks of the largest cluster */
int cl_function_max_cluster_size(lua_State *L) {
  cl_Context *ctx;
  cl_Function *fn = receiver(L, &ctx);
  cl_Launch o = {.grid = {1, 1, 1}};
  cl_Config c;
  int n = 1;
  if (!read_options(L, fn, ctx, &o)) return push_answer(L, "", CUDA_SUCCESS, 0);
  if (!has_clusters(L, ctx)) return push_answer(L, "", CUDA_SUCCESS, 1);
  cl_make_config(&o, &c);
  CUresult code = CU.cuOccupancyMaxPotentialClusterSize(&n, fn->f, &c.config);
  return push_answer(L, "cuOccupancyMaxPotentialClusterSize", code, n);
}
