/* Texture and surface references: variables of a module whose first word is the handle of a texture or
 * surface object (kernels/compat/texture.cuh). The host writes the handles there, in the streams that launch
 * the module's kernels. */
#ifndef CUDALUA_TEXREF_H
#define CUDALUA_TEXREF_H

#include "code/function.h"
#include "memory/texture.h"

/* Of a module; made when one of them is first asked for. */
struct cl_References {
  struct cl_Reference *list;
  bool changed;      /* Lua has to be asked what they are bound to now */
  bool captured;     /* a graph writes to them whenever it runs, so what they hold is unknown */
  cl_Stream *writer; /* where the last write went, retained; NULL: there was none */
  CUevent written;   /* behind it */
  cl_Order *users;   /* streams that launched kernels since: one of them is the home of each */
  uint32_t nusers;
};

/* Before a call of fn, the Function at index 1, reads its arguments: makes the objects that its module's
 * references are bound to since the last time. Runs Lua, where there is something to do. */
void cl_references_update_slow(lua_State *L, const cl_Function *fn);
static inline void cl_references_update(lua_State *L, const cl_Function *fn) {
  const struct cl_References *r = fn->module->references;
  if (__builtin_expect(r != NULL, 0) && r->changed) cl_references_update_slow(L, fn);
}

/* Right before a kernel of fn is launched in s, with its context ctx current: what was bound when it was
 * called is what it reads. Runs no Lua. Raises if an object was closed. */
void cl_references_write(lua_State *L, const cl_Function *fn, const cl_Context *ctx, cl_Stream *s);
/* Behind the launch. */
void cl_references_launched(lua_State *L, const cl_Function *fn, cl_Stream *s);

/* Raises unless the value at idx, option texrefs of a launch of the Function at index 1, is a list of its
 * module's references. */
void cl_references_check(lua_State *L, int idx);

void cl_references_free(cl_Module *m);

#endif
