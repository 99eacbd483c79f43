/* What a Lua state pushed onto the stacks of current contexts. */
#ifndef CUDALUA_PUSHES_H
#define CUDALUA_PUSHES_H

#include "streams/context.h"

typedef struct cl_Pushes cl_Pushes;

cl_Pushes *cl_pushes(lua_State *L);
/* Room for one more, before the driver call, so that nothing can fail after it; raises if the state is
 * closing. */
cl_Pushes *cl_pushes_reserve(lua_State *L);
/* c stands on the stack of this thread since just now. */
void cl_pushes_note(cl_Pushes *p, cl_Context *c);
/* Takes what this state pushed (of r alone, or with NULL everything) off this thread's stack. */
void cl_pushes_take_off(cl_Pushes *p, const cl_Rec *r);
/* The host program has a context of its own current on this thread, and decides from here on what is. */
void cl_thread_is_hosted(void);

#endif
