/* Launches of the kernels that are made for arrays (lua/cudalua/gpuarray/evaluate.lua): a list of arguments
 * in a table, pointers as memory and an offset, one block after the other along x. */
#include "launch.h"
#include "pool.h"
#include "state.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 256 };

/* context_id() -> a number for the current context, which no other one gets */
int cl_context_id(lua_State *L) {
  cl_Context *c = cl_context_current(L);
  lua_pushnumber(L, (lua_Number)c->rec.generation);
  cl_rec_release(&c->rec);
  return 1;
}

/* here() -> "script.lua:12", the user's line; nil where there is none */
int cl_user_line(lua_State *L) {
  lua_pushstring(L, cl_here(L));
  return 1;
}

/* memory_context(memory) -> its Context */
int cl_memory_context(lua_State *L) {
  const cl_MemoryObject *m = cl_check_memory(L, 1, "memory");
  cl_Context *c = cl_rec_context(m->o.rec);
  if (!c) cl_logic(L, "a bare address is of whichever context is current");
  cl_push_context(L, c);
  return 1;
}

/* Work in s comes after all that other streams do with this memory. */
static void join(lua_State *L, const cl_MemoryObject *m, const cl_Context *ctx, cl_Stream *s) {
  if (!m->o.rec->tracks) return;
  cl_Allocation *a = (cl_Allocation *)m->o.rec;
  if (a->order.home == s && !a->order.nuses) return;
  if (cl_captures || cl_order_done(&a->order, ctx, s)) return;
  CUresult code = cl_order_join(&a->order, s);
  if (code) cl_fail(L, "cuStreamWaitEvent", code);
}

/* array_ready(memory [, stream]) -> is the stream being captured? What it, by default the current one, does
 * next with the memory comes after what other streams do. */
int cl_array_ready(lua_State *L) {
  const cl_MemoryObject *m = cl_check_memory(L, 1, "memory");
  const cl_Context *ctx = cl_rec_context(m->o.rec);
  cl_Stream *s =
      lua_isnoneornil(L, 2) ? cl_current_stream(L, "array", ctx) : cl_check_stream(L, 2, "stream", ctx);
  join(L, m, ctx, s);
  lua_pushboolean(L, cl_captures && cl_capture_id(s));
  return 1;
}

/* --- the values of a launch: a list has one for each parameter; for pointers two, the memory, and bytes from
 * its start --- */

enum { VALUES = 4 }; /* where they are put on the stack */

/* Memory of ctx's with nobody to wait for but s: its address is all there is to know. */
static const cl_MemoryObject *simple_memory(lua_State *L, int idx, const cl_Context *ctx,
                                            const cl_Stream *s) {
  if (lua_type(L, idx) != LUA_TUSERDATA) return NULL;
  const cl_MemoryObject *m = (const cl_MemoryObject *)cl_to_userdata(L, idx);
  if (!m || !cl_kind_is_memory(m->o.kind)) return NULL;
  const cl_Rec *r = m->o.rec;
  if (!r || r->life != CL_LIVE || r->parent != &ctx->rec || !m->address) return NULL;
  const cl_Order *order = &((const cl_Allocation *)r)->order;
  return !r->tracks || (order->home == s && !order->nuses) ? m : NULL;
}

static bool put_number(lua_State *L, int idx, const cl_Param *p, void *dst) {
  return lua_type(L, idx) == LUA_TNUMBER && cl_store_number(p->type, lua_tonumber(L, idx), dst);
}

static void put_address(void *dst, uint64_t address, double offset) {
  address += (uint64_t)offset;
  memcpy(dst, &address, sizeof address);
}

/* Whatever is no plain number and no simple memory; says what is wrong with it. */
static cl_Converted put_other(lua_State *L, cl_Function *fn, uint32_t i, int idx, const cl_Context *ctx) {
  char why[256];
  const cl_Param *p = &fn->params[i];
  const cl_Converted r = cl_convert(L, idx, p, ctx, fn->block + p->offset, why, sizeof why);
  if (r == CL_LATER) snprintf(why, sizeof why, "cannot pass %s", cl_type_text(L, idx));
  if (r == CL_WRONG || r == CL_LATER) cl_wrong_argument(L, fn, fn->params, i, why);
  return r;
}

static void check_blocks(lua_State *L, const cl_Function *fn, double blocks, cl_Launch *o) {
  if (!(blocks >= 1 && blocks <= INT32_MAX))
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "too many elements for one kernel");
  o->grid[0] = (unsigned)blocks;
}

/* array_run(fn, blocks, list [, threads of a block]) -> does a graph that is being captured use the memory
 * now? The list is cleared of memory. */
int cl_array_run(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  luaL_checktype(L, 3, LUA_TTABLE);
  const unsigned threads = lua_isnoneornil(L, 4) ? THREADS : (unsigned)luaL_checkinteger(L, 4);
  lua_settop(L, 3);
  luaL_checkstack(L, 2 * (int)fn->nparams + 8, "too many arguments");
  cl_Launch o = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
  o.stream = cl_current_stream(L, "array", ctx);
  int values = 0, memories = 0;
  bool pooled = false; /* memory among it that is not simple */
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    void *dst = fn->block + p->offset;
    const int idx = VALUES + values;
    lua_rawgeti(L, 3, ++values);
    if (put_number(L, idx, p, dst)) continue;
    const cl_MemoryObject *m = p->type == CL_T_PTR ? simple_memory(L, idx, ctx, o.stream) : NULL;
    const bool memory = m || cl_to_memory(L, idx);
    uint64_t address = m ? m->address : 0;
    if (!m) pooled |= put_other(L, fn, i, idx, ctx) == CL_OK_POOLED;
    if (!memory) continue;
    if (!m) memcpy(&address, dst, sizeof address);
    lua_rawgeti(L, 3, ++values);
    put_address(dst, address, lua_tonumber(L, -1));
    memories++;
  }
  check_blocks(L, fn, lua_tonumber(L, 2), &o);
  if (!fn->shape_checked || o.stream != &cl_legacy_stream) {
    cl_check_launch(L, fn, ctx, &o);
    fn->shape_checked = true;
  }
  for (int i = 0; pooled && i < values; i++) {
    const cl_MemoryObject *m = cl_to_memory(L, VALUES + i);
    if (m) join(L, m, ctx, o.stream);
  }
  cl_launch(L, fn, ctx, &o, fn->pointers);
  if (cl_launch_slow(pooled)) cl_launched(L, fn, VALUES, values, o.stream);
  for (int i = 0; memories && i < values; i++) {
    if (!cl_to_memory(L, VALUES + i)) continue;
    lua_pushboolean(L, 0);
    lua_rawseti(L, 3, i + 1);
    memories--;
  }
  lua_pushboolean(L, cl_captures && cl_capture_id(o.stream));
  return 1;
}

/* --- one element --- */

/* In the order of the types of transfer.lua. */
static int push_element(lua_State *L, int type, const void *at) {
  const double exact = 9007199254740992.0;
  union {
    float f32;
    double f64;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
  } v;
  memcpy(&v, at, sizeof v);
  switch (type) {
  case 1: lua_pushnumber(L, (double)v.f32); return 1;
  case 2: lua_pushnumber(L, v.f64); return 1;
  case 3: lua_pushnumber(L, v.i32); return 1;
  case 4: lua_pushnumber(L, v.u32); return 1;
  case 5: lua_pushnumber(L, v.i8); return 1;
  case 6: lua_pushnumber(L, v.u8); return 1;
  case 7: lua_pushnumber(L, v.i16); return 1;
  case 8: lua_pushnumber(L, v.u16); return 1;
  case 9: lua_pushnumber(L, (double)v.i64); return (double)v.i64 > -exact && (double)v.i64 < exact;
  case 10: lua_pushnumber(L, (double)v.u64); return (double)v.u64 < exact;
  case 11: lua_pushboolean(L, v.u8); return 1;
  default: return 0;
  }
}

/* To page-locked memory, which takes less time than any other. */
static const void *fetch(lua_State *L, const cl_Rec *cell, CUdeviceptr from, size_t size) {
  void *to = (void *)(uintptr_t)cell->handle;
  CL_TRY(L, cuMemcpyDtoHAsync_v2, to, from, size, NULL);
  const CUresult code = CU.cuStreamSynchronize(NULL);
  if (code) cl_fail(L, "cuStreamSynchronize", code);
  cl_after_wait(L);
  return to;
}

/* array_read(memory, offset, type [, cell]) -> the element there, once all work before is done. Nil: it is
 * not as simple as that. cell: a HostAllocation of 8 bytes that nobody else uses. */
int cl_array_read(lua_State *L) {
  static const size_t sizes[] = {0, 4, 8, 4, 4, 1, 1, 2, 2, 8, 8, 1};
  const cl_MemoryObject *m = cl_to_memory(L, 1);
  const double offset = lua_tonumber(L, 2);
  const int type = (int)lua_tointeger(L, 3);
  CUcontext current = NULL;
  if (!m || cl_captures || type < 1 || type >= (int)(sizeof sizes / sizeof *sizes) || !cl_rec_live(m->o.rec))
    return 0;
  const cl_Context *ctx = cl_rec_context(m->o.rec);
  const size_t size = sizes[type];
  if (!ctx || CU.cuCtxGetCurrent(&current) || current != (CUcontext)ctx->rec.handle) return 0;
  if (cl_current_stream(L, "array", ctx) != &cl_legacy_stream || !simple_memory(L, 1, ctx, &cl_legacy_stream))
    return 0;
  if (!(offset >= 0) || offset + (double)size > (double)m->size) return 0;
  const CUdeviceptr from = m->address + (uint64_t)offset;
  uint8_t bytes[8] = {0};
  const cl_Object *cell = cl_to_kind(L, 4, CL_HOST);
  if (cell && cl_rec_live(cell->rec) && cell->rec->parent == &ctx->rec)
    memcpy(bytes, fetch(L, cell->rec, from, size), size);
  else
    CL_TRY(L, cuMemcpyDtoH_v2, bytes, from, size);
  return push_element(L, type, bytes);
}

/* --- a launch that writes to fresh memory --- */

/* The spare userdata, on the stack; NULL: there is none. It was made beforehand, so that nothing is collected
 * between the look at the arrays and the launch. */
static cl_MemoryObject *take_spare(lua_State *L, const cl_State *st) {
  if (!st->spare) return NULL;
  lua_rawgeti(L, LUA_REGISTRYINDEX, st->spare);
  cl_MemoryObject *m = cl_to_kind(L, -1, CL_POOLED);
  if (!m) return NULL;
  lua_pushboolean(L, 0);
  lua_rawseti(L, LUA_REGISTRYINDEX, st->spare);
  return m;
}

static void make_spare(lua_State *L, cl_State *st) {
  cl_push(L, CL_POOLED, sizeof(cl_MemoryObject));
  if (st->spare)
    lua_rawseti(L, LUA_REGISTRYINDEX, st->spare);
  else
    st->spare = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Parameters from a list, as above, but the second one is the address of `out`. */
static bool put_simple(lua_State *L, cl_Function *fn, const cl_Context *ctx, const cl_Stream *s,
                       uint64_t out) {
  int next = 0;
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    void *dst = fn->block + p->offset;
    if (i == 1) {
      put_address(dst, out, 0);
      next += 2;
      continue;
    }
    lua_rawgeti(L, 3, ++next);
    if (!put_number(L, -1, p, dst)) {
      const cl_MemoryObject *m = p->type == CL_T_PTR ? simple_memory(L, -1, ctx, s) : NULL;
      if (!m) return false;
      lua_rawgeti(L, 3, ++next);
      put_address(dst, m->address, lua_tonumber(L, -1));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return true;
}

/* array_compute(fn, blocks, list, pool, bytes) -> memory of so many bytes, which the kernel writes to: a
 * launch as by array_run() whose second parameter that is. Nil: it is not as simple as that, and nothing was
 * done; array_allocate() and array_run() can do it, or say why not. */
int cl_array_compute(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  luaL_checktype(L, 3, LUA_TTABLE);
  cl_Pool *pool = (cl_Pool *)((const cl_Object *)cl_check(L, 4, CL_DEVICE_POOL))->rec;
  const double blocks = lua_tonumber(L, 2), bytes = lua_tonumber(L, 5);
  lua_settop(L, 5);
  cl_State *st = cl_state(L);
  CUcontext current = NULL;
  if (cl_captures || cl_launch_blocking_on || !fn->shape_checked || pool->rec.parent != &ctx->rec ||
      !(bytes >= 1) || !cl_pressure_none(L) || CU.cuCtxGetCurrent(&current) ||
      current != (CUcontext)ctx->rec.handle)
    return 0;
  cl_Launch o = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}};
  check_blocks(L, fn, blocks, &o);
  o.stream = cl_current_stream(L, "array", ctx);
  cl_MemoryObject *m = take_spare(L, st);
  if (!m) {
    make_spare(L, st);
    return 0;
  }
  cl_Pooled *a = cl_pool_ready(pool, (uint64_t)bytes, o.stream);
  if (a) {
    m->o.rec = &a->a.rec;
    m->address = a->block->device;
    m->size = a->a.size;
    if (put_simple(L, fn, ctx, o.stream, m->address)) {
      lua_settop(L, 6);
      cl_launch(L, fn, ctx, &o, fn->pointers);
      make_spare(L, st);
      return 1;
    }
    m->o.rec = NULL;
    cl_rec_release(&a->a.rec);
  }
  lua_settop(L, 6);
  lua_rawseti(L, LUA_REGISTRYINDEX, st->spare);
  return 0;
}
