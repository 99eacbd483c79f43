/* Finding out whether and where the words of arguments can be read: see slots.h. */
#include "base/slots.h"

#include <lauxlib.h>

_Atomic size_t cl_slots_at;
_Atomic uint64_t cl_nil_slot;

/* Where LuaJIT 2.1 has it: with pointers of 32 bits to collected objects, and of 64. */
static const size_t places[] = {16, 32};
enum { NUMBERS = 3, VALUES = 12 };
static const double numbers[NUMBERS] = {0.5, -1e300, 3.25};

static bool is_number(uint64_t word) {
  double d = cl_slot_number(word);
  return d == d;
}

/* Gets three numbers, nil, then values of each other type, the last two of them the same. */
static int probe(lua_State *L) {
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const uint64_t *found[2]; /* the first argument, and behind the last */
    memcpy(found, (const char *)L + places[i], sizeof found);
    /* Nothing is read through what may not be a pointer. */
    if ((uintptr_t)found[0] % 8 || (uintptr_t)found[1] - (uintptr_t)found[0] != 8 * VALUES) continue;
    const uint64_t *slot = found[0];
    bool fits = slot[VALUES - 2] == slot[VALUES - 1];
    for (int k = 0; k < VALUES; k++) {
      fits = fits && is_number(slot[k]) == (k < NUMBERS);
      if (k < NUMBERS) fits = fits && cl_slot_number(slot[k]) == numbers[k];
      for (int j = 0; j < k; j++) fits = fits && (slot[j] != slot[k] || k == VALUES - 1);
    }
    if (!fits) continue;
    atomic_store_explicit(&cl_nil_slot, slot[NUMBERS], memory_order_relaxed);
    atomic_store_explicit(&cl_slots_at, places[i], memory_order_release);
  }
  return 0;
}

void cl_open_slots(lua_State *L) {
  if (cl_slots_at) return;
  luaL_checkstack(L, VALUES + 1, "slots");
  lua_pushcfunction(L, probe);
  for (int k = 0; k < NUMBERS; k++) lua_pushnumber(L, numbers[k]);
  lua_pushnil(L);
  lua_pushboolean(L, 0);
  lua_pushboolean(L, 1);
  lua_pushlightuserdata(L, (void *)places);
  lua_pushliteral(L, "text");
  lua_newtable(L);
  lua_pushcfunction(L, probe);
  lua_newuserdata(L, 8);
  lua_pushvalue(L, -1);
  lua_call(L, VALUES, 0);
}

/* use_slots([flag]) -> whether they were in use: for tests of what happens without */
int cl_use_slots(lua_State *L) {
  lua_pushboolean(L, cl_slots_at != 0);
  if (lua_isnoneornil(L, 1)) return 1;
  const bool wanted = lua_toboolean(L, 1);
  cl_slots_at = 0;
  if (wanted) cl_open_slots(L);
  return 1;
}
