/* The arguments of a C function as LuaJIT keeps them: one 64-bit word each, in a row. Reading them there
 * costs a fraction of a call of the Lua API for each, which is what a launch with many arguments would mostly
 * do.
 *
 * Relied on is no more than this, all of it tried when the module is opened: where in lua_State the pointer
 * to the arguments is; a number is its own bits, and no other value is, as a double, equal to itself; equal
 * words are the same value. Where any of it is not so, the words cannot be had and the API is used. */
#ifndef CUDALUA_SLOTS_H
#define CUDALUA_SLOTS_H

#include <lua.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each state that opens the module may find them, all of them the same; other threads read meanwhile. */
extern _Atomic size_t cl_slots_at;   /* in lua_State; 0: not known */
extern _Atomic uint64_t cl_nil_slot; /* the word of nil; set before cl_slots_at */

/* The word of the value at index 1, followed by the others up to the top of the stack; NULL: they cannot be
 * had. Good until the stack grows. */
static inline const uint64_t *cl_slots(lua_State *L) {
  const size_t at = atomic_load_explicit(&cl_slots_at, memory_order_acquire);
  return __builtin_expect(at != 0, 1) ? *(uint64_t *const *)(void *)((char *)L + at) : NULL;
}

/* Whether the word, got by cl_slots(), is nil. */
static inline bool cl_slot_is_nil(uint64_t word) {
  return word == atomic_load_explicit(&cl_nil_slot, memory_order_relaxed);
}

/* The number that the word is; NaN for every other value. */
static inline double cl_slot_number(uint64_t word) {
  double d;
  memcpy(&d, &word, sizeof d);
  return d;
}

void cl_open_slots(lua_State *L);

#endif
