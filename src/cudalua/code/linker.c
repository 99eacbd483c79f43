/* Linker: the driver's own linker, for images that are to become one module. */
#include "streams/context.h"
#include "code/jit.h"
#include "memory/collect.h"

#include <stdlib.h>

typedef struct cl_Linker {
  cl_Rec rec;
  cl_Jit jit; /* the driver writes to it until the link state is destroyed */
  char *logs;
} cl_Linker;

static CUresult linker_destroy(cl_Rec *r) { return CU.cuLinkDestroy((CUlinkState)r->handle); }
static void linker_dispose(cl_Rec *r) { free(((cl_Linker *)r)->logs); }
CL_FAMILY(CL_LINKER, .destroy = linker_destroy, .dispose = linker_dispose);

/* linker(options) -> Linker in the current context */
int cl_linker(lua_State *L) {
  lua_settop(L, 1);
  cl_Linker *k = cl_push_in_current(L, CL_LINKER, sizeof(cl_Object), sizeof *k);
  k->logs = malloc(2 * CL_JIT_BIG_LOG);
  if (!k->logs) return luaL_error(L, "not enough memory");
  cl_jit_begin(L, 1, &k->jit, k->logs, CL_JIT_BIG_LOG);
  CUlinkState state = NULL;
  CL_TRY(L, cuLinkCreate_v2, k->jit.n, k->jit.ids, k->jit.values, &state);
  k->rec.handle = (uint64_t)(uintptr_t)state;
  k->rec.life = CL_LIVE;
  cl_account(&k->rec, CL_BYTES_NONE, 0);
  return 1;
}

static int fail(lua_State *L, cl_Linker *k, const char *call, CUresult code) {
  cl_jit_finish(&k->jit);
  cl_fail_new(L, call, code);
  cl_jit_add_logs(L, &k->jit);
  return cl_throw(L);
}

/* linker:add(data, type, name) */
int cl_linker_add_data(lua_State *L) {
  cl_Linker *k = (cl_Linker *)((const cl_Object *)cl_check(L, 1, CL_LINKER))->rec;
  CUjitInputType type = (CUjitInputType)cl_check_int(L, 3, "input_type", 0, 100);
  const char *name = cl_check_name(L, 4, "name");
  size_t n = 0;
  const char *data;
  if (type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY) {
    data = cl_check_image(L, 2, &n);
    if (type == CU_JIT_INPUT_PTX) n++; /* the driver wants the zero byte, and Lua's strings have one */
  } else {
    data = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &n) : NULL;
    if (!data || !n) cl_bad_argument(L, 2, "data", "a string that holds an image");
  }
  CUresult code =
      CU.cuLinkAddData_v2((CUlinkState)k->rec.handle, type, (void *)(uintptr_t)data, n, name, 0, NULL, NULL);
  return code ? fail(L, k, "cuLinkAddData_v2", code) : 0;
}

/* linker:complete() -> image, what the JIT said */
int cl_linker_complete(lua_State *L) {
  cl_Linker *k = (cl_Linker *)((const cl_Object *)cl_check(L, 1, CL_LINKER))->rec;
  void *image = NULL;
  size_t n = 0;
  CUresult code = CU.cuLinkComplete((CUlinkState)k->rec.handle, &image, &n);
  if (code) return fail(L, k, "cuLinkComplete", code);
  cl_jit_finish(&k->jit);
  lua_pushlstring(L, image, n); /* the driver's copy goes with the link state */
  cl_jit_push_results(L, &k->jit);
  return 2;
}

int cl_linker_close(lua_State *L) { return cl_close_method(L, CL_LINKER, "cuLinkDestroy"); }
