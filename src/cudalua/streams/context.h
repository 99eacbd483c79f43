/* Contexts, and which one is current. */
#ifndef CUDALUA_CONTEXT_H
#define CUDALUA_CONTEXT_H

#include "base/base.h"

/* Those that this library knows of. */
void cl_context_register(cl_Context *c);
/* Waits for the work of all contexts on the devices of the mask but one; not while captures are on, which the
 * waiting would break. */
void cl_contexts_wait(uint64_t devices, const cl_Context *except);
/* Before c goes: waits for its work, and reports a fault that no call has raised: to stderr, or between
 * cl_unseen_begin() and cl_unseen_end(), which run on the same thread, to cuda.on_notice. */
typedef struct cl_Unseen {
  char text[4096];
} cl_Unseen;
void cl_tell_unseen(const cl_Context *c);
void cl_unseen_begin(cl_Unseen *u);
void cl_unseen_end(lua_State *L, const cl_Unseen *u); /* may raise what the function raises */
bool cl_context_is_gone(CUcontext handle);            /* destroyed here, and not given out again since */
cl_Context *cl_context_find(CUcontext handle);        /* retained; NULL when unknown */
cl_Context *cl_context_primary(CUdevice dev);         /* retained; NULL when there is none */
/* The context current on this thread, retained; raises INVALID_CONTEXT when there is none and none is
 * started. A context that somebody else made is wrapped, unowned. */
cl_Context *cl_context_current(lua_State *L);
/* Its handle; in a thread that never had a context, one is started. NULL: there is none. */
CUcontext cl_current_slow(lua_State *L);
static inline CUcontext cl_current(lua_State *L) {
  CUcontext current = NULL;
  CL_TRY(L, cuCtxGetCurrent, &current);
  return __builtin_expect(current != NULL, 1) ? current : cl_current_slow(L);
}
void cl_push_current(lua_State *L, const cl_Rec *r); /* the driver's call alone, or raises */
CUdevice cl_current_device(lua_State *L); /* of the current context; starts none, raises INVALID_CONTEXT */
/* Has this state made, pushed or started a context on this thread, or has the host program one of its own? */
bool cl_had_context(lua_State *L);
bool cl_contexts_closed(lua_State *L); /* the state is closing: nothing starts any more */
/* Raises if c is not the current one any more: what is new in Lua may run finalizers, and they may do
 * anything. */
void cl_still_current(lua_State *L, const cl_Context *c);
/* The Context that stands for the handle of one of other code, retained. */
cl_Context *cl_context_wrap(lua_State *L, CUcontext handle, const char *what);

/* The Context at index 1 of a function that takes one or is about the current one; NULL: arguments begin
 * there. */
const cl_Object *cl_context_receiver(lua_State *L);
/* Pushes an object with a record that is not made yet, of the current context; returns the record. */
void *cl_push_in_current(lua_State *L, cl_Kind kind, size_t object, size_t record);
void *cl_push_context(lua_State *L, cl_Context *c); /* the userdata of c in this state */
void cl_push_device(lua_State *L, CUdevice dev);

#endif
