/* Launches of the kernels that are made for arrays (lua/cudalua/gpuarray/evaluate.lua): a list of arguments
 * in a table, pointers as memory and an offset, one block after the other along x. */
#include "launch.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

enum { THREADS = 256, MAX_POINTERS = 64 };

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

/* array_run(fn, blocks, list): the list has a value for each parameter; for pointers the memory, and bytes
 * from its start. The list is cleared of memory. */
int cl_array_run(lua_State *L) {
  const cl_FunctionObject *f = cl_check(L, 1, CL_FUNCTION);
  cl_Function *fn = f->fn;
  cl_Context *ctx = cl_rec_context(f->o.rec);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  luaL_checkstack(L, MAX_POINTERS + 8, "too many arrays");
  int at[MAX_POINTERS], pointers = 0, next = 1; /* memory stays on the stack, from index 4 on */
  bool pooled = false;
  for (uint32_t i = 0; i < fn->nparams; i++) {
    cl_Param *p = &fn->params[i];
    uint8_t *dst = fn->block + p->offset;
    char why[256] = "too many arrays";
    lua_rawgeti(L, 3, next++);
    const bool memory = cl_to_memory(L, 4 + pointers) != NULL;
    const cl_Converted r = memory && pointers == MAX_POINTERS
                               ? CL_WRONG
                               : cl_convert(L, 4 + pointers, p, ctx, dst, why, sizeof why);
    if (r == CL_LATER) snprintf(why, sizeof why, "cannot pass %s", cl_type_text(L, -1));
    if (r == CL_WRONG || r == CL_LATER) cl_wrong_argument(L, fn, fn->params, i, why);
    if (!memory) {
      lua_pop(L, 1);
      continue;
    }
    pooled |= r == CL_OK_POOLED;
    at[pointers++] = next - 1;
    lua_rawgeti(L, 3, next++);
    uint64_t address;
    memcpy(&address, dst, sizeof address);
    address += (uint64_t)lua_tonumber(L, -1);
    memcpy(dst, &address, sizeof address);
    lua_pop(L, 1);
  }
  cl_Launch o = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}};
  const double blocks = lua_tonumber(L, 2);
  if (!(blocks >= 1 && blocks <= INT32_MAX))
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "too many elements for one kernel");
  o.grid[0] = (unsigned)blocks;
  o.stream = cl_current_stream(L, "array", ctx);
  if (!fn->shape_checked || o.stream != &cl_legacy_stream) {
    cl_check_launch(L, fn, ctx, &o);
    fn->shape_checked = true;
  }
  for (int i = 0; pooled && i < pointers; i++) join(L, cl_to_memory(L, 4 + i), ctx, o.stream);
  cl_launch(L, fn, ctx, &o, fn->pointers);
  if (cl_launch_slow(pooled)) cl_launched(L, fn, 4, pointers, o.stream);
  lua_pushboolean(L, 0);
  for (int i = 0; i < pointers; i++) {
    lua_pushvalue(L, -1);
    lua_rawseti(L, 3, at[i]);
  }
  lua_pushboolean(L, cl_captures && cl_capture_id(o.stream));
  return 1;
}
