/* Reports a kernel's fault that no call has raised: the program closed the context without waiting for the
 * device again. Where Lua closes it, the report goes to cuda.on_notice, as a host may draw on the terminal;
 * where the collector or the end of the state does, no Lua function can be called, and it goes to stderr. */
#include "streams/context.h"
#include "streams/capture.h"
#include "streams/wait.h"

#include <stdio.h>
#include <string.h>

/* What all work of the context came to. Not while captures are on, which waiting would break. */
static CUresult wait_in(const cl_Context *c) {
  CUcontext popped;
  if (cl_captures || CU.cuCtxPushCurrent_v2((CUcontext)c->rec.handle)) return CUDA_SUCCESS;
  const CUresult code = cl_wait_context_anyway();
  CU.cuCtxPopCurrent_v2(&popped);
  return code;
}

static __thread cl_Unseen *listener;

void cl_unseen_begin(cl_Unseen *u) {
  u->text[0] = 0;
  listener = u;
}

static const char unseen_key = 0;

/* on_unseen(f): f(text) is called with a report; false: it goes to stderr. */
int cl_on_unseen(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &unseen_key);
  return 0;
}

void cl_unseen_end(lua_State *L, const cl_Unseen *u) {
  listener = NULL;
  if (!u->text[0]) return;
  cl_registry_get(L, &unseen_key);
  if (!lua_isnil(L, -1)) {
    lua_pushstring(L, u->text);
    lua_call(L, 1, 1);
  }
  if (!lua_toboolean(L, -1)) fprintf(stderr, "cudalua: %s\n", u->text);
  lua_pop(L, 1);
}

void cl_tell_unseen(const cl_Context *c) {
  if (cl_poison[c->device]) return; /* it was told */
  const CUresult code = wait_in(c);
  if (!cl_code_sticky(code)) return;
  const char *text = cl_log_text();
  const char *kernel =
      text && strncmp(text, "kernel ", 7) == 0 ? NULL : c->last_kernel; /* it names its own */
  cl_Unseen own, *to = listener ? listener : &own;
  snprintf(to->text, sizeof to->text,
           "a kernel failed that the program did not wait for%s%s: %s (%s)%s%s\n"
           "  hint: read a result or call cuda.Context.synchronize() before the end, which raises this error",
           kernel ? ", probably " : "", kernel ? kernel : "", cl_code_text(code), cl_code_name(code),
           text ? "\n  " : "", text ? text : "");
  if (to == &own) fprintf(stderr, "cudalua: %s\n", own.text);
  cl_keep_report(code, text);
  cl_log_taken();
  for (int i = 0; i < CL_MAX_DEVICES; i++) cl_poison[i] = (int)code;
}
