/* Waiting for the device: every wait of the library goes through here, so that it can be interrupted. Each
 * returns what the driver answers, or CL_INTERRUPTED, of which cl_fail() makes an InterruptError. Without
 * interrupts a wait is the driver's call alone. A profile records them. */
#ifndef CUDALUA_WAIT_H
#define CUDALUA_WAIT_H

#include "base/base.h"
#include "base/interrupt.h"
#include "base/state.h"
#include "streams/activity.h"

CUresult cl_wait_stream_slow(lua_State *L, CUstream s);
CUresult cl_wait_event_slow(lua_State *L, CUevent e);
CUresult cl_wait_context_slow(lua_State *L);

static inline bool cl_wait_is_watched(void) { return cl_interrupts_on() || cl_is_profiling(); }
static inline CUresult cl_wait_stream(lua_State *L, CUstream s) {
  cl_tie_up();
  return cl_wait_is_watched() ? cl_wait_stream_slow(L, s) : CU.cuStreamSynchronize(s);
}
static inline CUresult cl_wait_event(lua_State *L, CUevent e) {
  cl_tie_up();
  return cl_wait_is_watched() ? cl_wait_event_slow(L, e) : CU.cuEventSynchronize(e);
}
/* For the current context. */
static inline CUresult cl_wait_context(lua_State *L) {
  cl_tie_up();
  return cl_wait_is_watched() ? cl_wait_context_slow(L) : CU.cuCtxSynchronize();
}

/* Waits that cannot be given up: memory goes after them, or a state. A kernel of the software device is
 * stopped in them all the same. */
static inline CUresult cl_wait_stream_anyway(CUstream s) {
  cl_tie_up();
  return CU.cuStreamSynchronize(s);
}
static inline CUresult cl_wait_event_anyway(CUevent e) {
  cl_tie_up();
  return CU.cuEventSynchronize(e);
}
static inline CUresult cl_wait_context_anyway(void) {
  cl_tie_up();
  return CU.cuCtxSynchronize();
}

/* Before a driver call that waits by itself for the work of the default stream (plain copies) or of the
 * context (frees, unloading): waits for that first if interrupts are on. Raises InterruptError. */
void cl_wait_before_slow(lua_State *L, bool whole_context);
static inline void cl_wait_before_copy(lua_State *L) {
  cl_tie_up();
  if (cl_interrupts_on()) cl_wait_before_slow(L, false);
}

/* Raises InterruptError if one is asked for: for library loops that may take long. */
void cl_interrupt_check_slow(lua_State *L);
static inline void cl_interrupt_check(lua_State *L) {
  if (cl_interrupts_on()) cl_interrupt_check_slow(L);
}

#endif
