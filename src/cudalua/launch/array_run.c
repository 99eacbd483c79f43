/* Launches of the kernels that are made for arrays (lua/cudalua/gpuarray/core/evaluate.lua): a list of
 * arguments in a table, pointers as memory and an offset, one block after the other along x. */
#include "launch/mailbox.h"
#include "launch/launch.h"
#include "code/texref.h"
#include "memory/collect.h"
#include "memory/pool.h"
#include "base/state.h"

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
  if (!c) cl_logic(L, "a bare address needs a current context");
  cl_push_context(L, c);
  return 1;
}

/* Work in s comes after all that other streams do with this memory. */
static void join(lua_State *L, cl_Rec *memory, const cl_Context *ctx, cl_Stream *s) {
  if (!memory->tracks) return;
  cl_Allocation *a = (cl_Allocation *)memory;
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
  join(L, m->o.rec, ctx, s);
  lua_pushboolean(L, cl_captures && cl_capture_id(s));
  return 1;
}

/* --- the values of a launch: a list has one for each parameter; for pointers two, the memory, and bytes from
 * its start --- */

enum { VALUES = 4 }; /* where they are put on the stack */

static bool put_number(lua_State *L, int idx, const cl_Param *p, void *dst) {
  return lua_type(L, idx) == LUA_TNUMBER && cl_store_number(p->type, lua_tonumber(L, idx), dst);
}

/* A value that Lua has as its bytes: a complex number. */
static bool put_bytes(lua_State *L, int idx, const cl_Param *p, void *dst) {
  if (p->type != CL_T_BYTES || lua_type(L, idx) != LUA_TSTRING || lua_objlen(L, idx) != p->size) return false;
  memcpy(dst, lua_tostring(L, idx), p->size);
  return true;
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

/* array_run(fn, blocks, list [, threads of a block [, mailbox]]) -> does a graph that is being captured use
 * the memory now?, the ticket for array_told() or nil. The list is cleared of memory and textures. mailbox: a
 * HostAllocation of 1024 bytes that nobody else uses; the kernel's last two parameters are about it, and 0 in
 * the list. */
int cl_array_run(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  luaL_checktype(L, 3, LUA_TTABLE);
  cl_references_update(L, fn);
  const unsigned threads = lua_isnoneornil(L, 4) ? THREADS : (unsigned)luaL_checkinteger(L, 4);
  const cl_MemoryObject *mailbox = cl_mailbox_in(L, 5, ctx);
  lua_settop(L, 3);
  luaL_checkstack(L, 2 * (int)fn->nparams + 8, "too many arguments");
  cl_Launch o = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
  o.stream = cl_current_stream(L, "array", ctx);
  int values = 0, memories = 0;
  bool pooled = false; /* memory or textures among it that are not simple */
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    void *dst = fn->block + p->offset;
    const int idx = VALUES + values;
    lua_rawgeti(L, 3, ++values);
    if (put_number(L, idx, p, dst)) continue;
    const cl_MemoryObject *m = p->type == CL_T_PTR ? cl_simple_memory(L, idx, ctx, o.stream) : NULL;
    const bool memory = m || cl_to_memory(L, idx);
    uint64_t address = m ? m->address : 0;
    if (!m) pooled |= put_other(L, fn, i, idx, ctx) == CL_OK_POOLED;
    if (!memory) {
      memories += cl_to_image(L, idx) != NULL;
      continue;
    }
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
    const cl_Object *image = m ? NULL : cl_to_image(L, VALUES + i);
    if (m || image) join(L, m ? m->o.rec : ((const cl_Image *)image->rec)->source, ctx, o.stream);
  }
  const uint32_t ticket = mailbox ? cl_take_ticket(L, fn, mailbox) : 0;
  o.first = VALUES;
  o.offsets = true;
  cl_launch(L, fn, ctx, &o, fn->pointers);
  if (cl_launch_slow(pooled)) cl_launched(L, fn, VALUES, values, o.stream);
  for (int i = 0; memories && i < values; i++) {
    if (!cl_to_memory(L, VALUES + i) && !cl_to_image(L, VALUES + i)) continue;
    lua_pushboolean(L, 0);
    lua_rawseti(L, 3, i + 1);
    memories--;
  }
  lua_pushboolean(L, cl_captures && cl_capture_id(o.stream));
  if (!ticket) return 1;
  lua_pushnumber(L, ticket);
  return 2;
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

/* Parameters from a list, as above, but that with the number `place` is the address of `out`. */
static bool put_simple(lua_State *L, cl_Function *fn, const cl_Context *ctx, const cl_Stream *s,
                       uint32_t place, uint64_t out) {
  int next = 0;
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    void *dst = fn->block + p->offset;
    if (i == place) {
      put_address(dst, out, 0);
      next += 2;
      continue;
    }
    lua_rawgeti(L, 3, ++next);
    if (!put_number(L, -1, p, dst) && !put_bytes(L, -1, p, dst)) {
      const cl_MemoryObject *m = p->type == CL_T_PTR ? cl_simple_memory(L, -1, ctx, s) : NULL;
      if (!m) return false;
      lua_rawgeti(L, 3, ++next);
      put_address(dst, m->address, lua_tonumber(L, -1));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return true;
}

/* array_compute(fn, blocks, list, pool, bytes [, place [, mailbox]]) -> memory of so many bytes, which the
 * kernel writes to: a launch as by array_run() whose parameter with that number that is, counted from 0 (1:
 * the default); and the ticket, or nil. Nil: it is not as simple as that, and nothing was done;
 * array_allocate() and array_run() can do it, or say why not. */
int cl_array_compute(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  luaL_checktype(L, 3, LUA_TTABLE);
  cl_Pool *pool = (cl_Pool *)((const cl_Object *)cl_check(L, 4, CL_DEVICE_POOL))->rec;
  const double blocks = lua_tonumber(L, 2), bytes = lua_tonumber(L, 5);
  const uint32_t place = lua_isnoneornil(L, 6) ? 1 : (uint32_t)lua_tointeger(L, 6);
  const cl_MemoryObject *mailbox = cl_mailbox_in(L, 7, ctx);
  lua_settop(L, 5);
  cl_State *st = cl_state(L);
  CUcontext current = NULL;
  if (cl_captures || cl_launch_blocking_on || fn->module->references || !fn->shape_checked ||
      pool->rec.parent != &ctx->rec || !(bytes >= 1) || !cl_pressure_none(L) ||
      CU.cuCtxGetCurrent(&current) || current != (CUcontext)ctx->rec.handle)
    return 0;
  cl_Launch o = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}};
  check_blocks(L, fn, blocks, &o);
  o.stream = cl_current_stream(L, "array", ctx);
  cl_MemoryObject *m = take_spare(L, st);
  if (!m) {
    make_spare(L, st);
    return 0;
  }
  cl_Pooled *a = cl_pool_ready(L, pool, (uint64_t)bytes, o.stream);
  if (a) {
    m->o.rec = &a->a.rec;
    m->address = a->block->device;
    m->size = a->a.size;
    if (put_simple(L, fn, ctx, o.stream, place, m->address)) {
      lua_settop(L, 6);
      const uint32_t ticket = mailbox ? cl_take_ticket(L, fn, mailbox) : 0;
      cl_launch(L, fn, ctx, &o, fn->pointers);
      make_spare(L, st);
      if (!ticket) return 1;
      lua_pushnumber(L, ticket);
      return 2;
    }
    m->o.rec = NULL;
    cl_rec_release(&a->a.rec);
  }
  lua_settop(L, 6);
  lua_rawseti(L, LUA_REGISTRYINDEX, st->spare);
  return 0;
}
