/* The request to stop what the library does: Ctrl-C, or cuda.interrupt(). Here is the flag alone, for all
 * rooms that look at it; streams/wait.c stops waits by it, and host/interrupt.c raises it. */
#ifndef CUDALUA_INTERRUPT_H
#define CUDALUA_INTERRUPT_H

#include <cuda.h>
#include <lua.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hook.h"

#define CL_INTERRUPTED ((CUresult)0x7ffff002) /* this library's own code: a wait was given up */

/* A Lua state has interrupts on: cuda.interrupts(true). One state and its thread at most. */
extern _Atomic bool cl_interrupts;
extern _Atomic(void *) cl_interrupts_owner; /* its cl_State */
static inline bool cl_interrupts_on(void) {
  return __builtin_expect(atomic_load_explicit(&cl_interrupts, memory_order_relaxed), 0);
}
bool cl_interrupts_here(lua_State *L); /* in this state */

extern _Atomic bool cl_interrupt_raised;
/* Is it time to stop? May be asked in any thread. */
bool cl_interrupt_look(void);
/* The request has been honoured; true: there was one. In the owner's thread. */
bool cl_interrupt_take(void);
CL_HOOKS(cl_on_interrupt_taken, void);
/* They were turned on, or the driver was opened since: in the owner's thread. */
CL_HOOKS(cl_on_interrupts_on, void);
CL_HOOKS(cl_on_interrupts_off, void);
/* NVRTC puts a handler of its own in the place of SIGINT's while it reads a source, and then sets the one
 * before by signal(), with which reads of the program no longer come back. So the wait for the compiler says
 * when it begins (true), and, in any thread, that the handler may have changed (false). */
CL_HOOKS(cl_on_handler_at_risk, bool begins);

/* What the library does right now and may take long, for people: NULL when it is done. */
extern _Atomic(const char *) cl_busy_with;

/* For tests. cl_interrupt_at(n): the n-th look from now on raises the flag; 0: none does. */
void cl_interrupt_at(uint64_t n);
uint64_t cl_interrupt_looks(void);

#endif
