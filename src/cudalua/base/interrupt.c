/* The flag that asks the library to stop, and who may see it. */
#include "base/interrupt.h"
#include "base/lock.h"
#include "base/state.h"

_Atomic bool cl_interrupts, cl_interrupt_raised;
_Atomic(void *) cl_interrupts_owner;
_Atomic(const char *) cl_busy_with;

static _Atomic uint64_t looks, raise_at;

CL_HOOK_LIST(cl_on_interrupt_taken);
CL_HOOK_LIST(cl_on_interrupts_on);
CL_HOOK_LIST(cl_on_interrupts_off);
CL_HOOK_LIST(cl_on_handler_at_risk);

bool cl_interrupts_here(lua_State *L) {
  return cl_interrupts_on() && atomic_load(&cl_interrupts_owner) == cl_state(L);
}

bool cl_interrupt_look(void) {
  const uint64_t n = atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed) + 1;
  if (n == atomic_load_explicit(&raise_at, memory_order_relaxed)) atomic_store(&cl_interrupt_raised, true);
  return atomic_load_explicit(&cl_interrupt_raised, memory_order_relaxed);
}

bool cl_interrupt_take(void) {
  const bool was = atomic_exchange(&cl_interrupt_raised, false);
  CL_RUN_HOOKS(cl_on_interrupt_taken, );
  return was;
}

void cl_interrupt_at(uint64_t n) { atomic_store(&raise_at, n ? atomic_load(&looks) + n : 0); }
uint64_t cl_interrupt_looks(void) { return atomic_load(&looks); }

/* A fork has no device, so nothing to wait for. The signal's handler stays, and does nothing. */
CL_IN_FORK(interrupts, (cl_interrupts = cl_interrupt_raised = false));
