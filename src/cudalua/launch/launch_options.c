/* The options of a launch: {block = ..., grid = ..., ...}, read from the table that comes last. */
#include "launch/launch.h"
#include "code/texref.h"
#include "base/slots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void bad_option(lua_State *L, const cl_Function *fn, const char *key, const char *expected, int value)
    __attribute__((noreturn));

static void bad_option(lua_State *L, const cl_Function *fn, const char *key, const char *expected,
                       int value) {
  cl_launch_error(L, fn, CL_LOGIC_ERROR, "option %s: expected %s, got %s", key, expected,
                  cl_type_text(L, value));
}

static const char extents[] = "1 to 3 positive integers";

static void bad_extent(lua_State *L, const cl_Function *fn, const char *key, int value)
    __attribute__((noreturn));

static void bad_extent(lua_State *L, const cl_Function *fn, const char *key, int value) {
  lua_Number d = lua_type(L, value) == LUA_TNUMBER ? lua_tonumber(L, value) : 0;
  if (d > 0 && d != floor(d) && !isinf(d))
    cl_launch_error(L, fn, CL_LOGIC_ERROR, "option %s: expected %s, got %s; round it up with math.ceil()",
                    key, extents, cl_type_text(L, value));
  bad_option(L, fn, key, extents, value);
}

/* The number at idx. */
static inline unsigned extent(lua_State *L, const cl_Function *fn, const char *key, int idx) {
  lua_Number d = lua_tonumber(L, idx);
  if (!(d >= 1 && d <= 4294967295.0) || d != (lua_Number)(unsigned)d) bad_extent(L, fn, key, idx);
  return (unsigned)d;
}

static void read_list(lua_State *L, const cl_Function *fn, const char *key, int idx, unsigned out[3]) {
  int top = lua_gettop(L), n = 0; /* not the length: {1, nil, 2} may have the length 1 */
  for (int i = 1; i <= 4; i++) {
    lua_rawgeti(L, idx, i);
    int type = lua_type(L, top + i);
    if (type == LUA_TNIL) continue;
    if (i == 4) bad_option(L, fn, key, extents, idx);
    if (++n < i) bad_option(L, fn, key, extents, top + i - 1); /* the nil before it */
    if (type != LUA_TNUMBER) bad_option(L, fn, key, extents, top + i);
    out[i - 1] = extent(L, fn, key, top + i);
  }
  if (n == 0) bad_option(L, fn, key, extents, idx);
  lua_settop(L, top);
}

static inline bool is_extent(uint64_t word, unsigned *out) {
  double d = cl_slot_number(word);
  if (!(d >= 1 && d <= UINT32_MAX)) return false;
  *out = (unsigned)d;
  return *out == d;
}

/* The common forms; false: to be looked at closely. */
static bool read_quickly(lua_State *L, int idx, unsigned out[3]) {
  const int top = lua_gettop(L);
  const uint64_t *slots = cl_slots(L);
  if (!slots || idx > top) return false;
  if (is_extent(slots[idx - 1], &out[0])) return true;
  if (lua_type(L, idx) != LUA_TTABLE) return false;
  for (int i = 1; i <= 4; i++) lua_rawgeti(L, idx, i);
  slots = cl_slots(L) + top;
  int n = 0;
  while (n < 3 && is_extent(slots[n], &out[n])) n++;
  bool good = n > 0;
  for (int i = n; i < 4; i++) good = good && cl_slot_is_nil(slots[i]);
  for (; n < 3; n++) out[n] = 1;
  lua_settop(L, top);
  return good;
}

void cl_read_extents(lua_State *L, const cl_Function *fn, const char *key, int idx, unsigned out[3]) {
  out[1] = out[2] = 1;
  if (read_quickly(L, idx, out)) return;
  const int type = lua_type(L, idx);
  out[1] = out[2] = 1;
  if (type == LUA_TNUMBER)
    out[0] = extent(L, fn, key, idx);
  else if (type == LUA_TTABLE)
    read_list(L, fn, key, idx, out);
  else
    bad_option(L, fn, key, extents, idx);
}

unsigned cl_read_shared(lua_State *L, const cl_Function *fn, const char *key, int idx) {
  lua_Number d = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : -1;
  if (!(d >= 0 && d <= 4294967295.0) || d != (lua_Number)(unsigned)d)
    bad_option(L, fn, key, "a number of bytes", idx);
  return (unsigned)d;
}

static bool read_switch(lua_State *L, const cl_Function *fn, const char *key, int idx) {
  if (lua_type(L, idx) != LUA_TBOOLEAN) bad_option(L, fn, key, "true or false", idx);
  return lua_toboolean(L, idx);
}

static int read_whole(lua_State *L, const cl_Function *fn, const char *key, int idx, int lo, int hi) {
  lua_Number d = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : NAN;
  if (!(d >= lo && d <= hi && floor(d) == d)) {
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from %d to %d", lo, hi);
    bad_option(L, fn, key, expected, idx);
  }
  return (int)d;
}

/* Percent of an SM's memory that is to be shared memory, or a name. */
static int read_carveout(lua_State *L, const cl_Function *fn, int idx) {
  long value;
  if (lua_type(L, idx) != LUA_TSTRING) return read_whole(L, fn, "carveout", idx, -1, 100);
  if (!cl_find_constant("shared_carveout", lua_tostring(L, idx), &value))
    bad_option(L, fn, "carveout", "a percentage, \"default\", \"max_shared\" or \"max_l1\"", idx);
  return (int)value;
}

static void bad_key(lua_State *L, const cl_Function *fn, int idx) __attribute__((noreturn));

/* What CUDA C++, PyCUDA, CuPy and Numba call the options. NULL: nothing. */
static const char *option_of_others(const char *key) {
  static const char *const names[][2] = {
      {"threads", "block"},         {"threadsPerBlock", "block"}, {"threads_per_block", "block"},
      {"blockDim", "block"},        {"block_dim", "block"},       {"block_size", "block"},
      {"blocks", "grid"},           {"blocksPerGrid", "grid"},    {"blocks_per_grid", "grid"},
      {"gridDim", "grid"},          {"grid_dim", "grid"},         {"grid_size", "grid"},
      {"shared_mem", "shared"},     {"smem", "shared"},           {"sharedMem", "shared"},
      {"sharedMemBytes", "shared"}, {"shared_memory", "shared"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(key, names[i][0])) return names[i][1];
  return NULL;
}

static void bad_key(lua_State *L, const cl_Function *fn, int idx) {
  static const char *const names[] = {"block",    "grid", "shared",   "stream",      "cooperative", "cluster",
                                      "priority", "pdl",  "carveout", "time_kernel", "texrefs"};
  char near[128] = "", all[160] = "";
  lua_newtable(L);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, names[i]);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
  }
  if (lua_type(L, idx) == LUA_TSTRING) {
    const char *ours = option_of_others(lua_tostring(L, idx));
    if (ours)
      snprintf(near, sizeof near, "%s", ours);
    else
      cl_near_names(L, lua_gettop(L), "", lua_tostring(L, idx), near, sizeof near);
  }
  near[strcspn(near, ",")] = 0;        /* the nearest one */
  if (lua_type(L, idx) == LUA_TNUMBER) /* a list of three numbers, as the block alone */
    cl_launch_error(L, fn, CL_LOGIC_ERROR,
                    "unknown option %s; options have names: {block = {256, 1, 1}}; valid options: %s",
                    cl_option_text(L, idx), all);
  cl_launch_error(L, fn, CL_LOGIC_ERROR, "unknown option %s; %s%s%svalid options: %s", cl_option_text(L, idx),
                  *near ? "did you mean '" : "", near, *near ? "'? " : "", all);
}

/* What few launches ask for. The value is on top of the stack, its key below. */
static void read_rare(lua_State *L, const cl_Function *fn, int table, const char *key, cl_Launch *o) {
  int at = lua_gettop(L);
  unsigned flag = 0;
  if (!strcmp(key, "time_kernel"))
    o->time_kernel = read_switch(L, fn, key, at);
  else if (!strcmp(key, "texrefs"))
    cl_references_check(L, at);
  else if (!strcmp(key, "cooperative"))
    flag = read_switch(L, fn, key, at) ? CL_WITH_COOPERATIVE : 0;
  else if (!strcmp(key, "pdl"))
    flag = read_switch(L, fn, key, at) ? CL_WITH_PDL : 0;
  else if (!strcmp(key, "cluster")) {
    cl_read_extents(L, fn, key, at, o->cluster);
    flag = CL_WITH_CLUSTER;
  } else if (!strcmp(key, "priority")) {
    o->priority = read_whole(L, fn, key, at, INT32_MIN, INT32_MAX);
    flag = CL_WITH_PRIORITY;
  } else if (!strcmp(key, "carveout")) {
    o->carveout = read_carveout(L, fn, at);
    if (o->carveout >= 0) flag = CL_WITH_CARVEOUT; /* the driver takes no default here */
  } else if (fn->layout_known && !fn->nparams &&
             lua_objlen(L, table) > 0) /* arguments where there are none */
    cl_wrong_count(L, fn, fn->params, fn->nparams, lua_objlen(L, table));
  else
    bad_key(L, fn, at - 1);
  o->with |= flag;
}

void cl_read_launch(lua_State *L, const cl_Function *fn, const cl_Context *ctx, int idx, bool list,
                    cl_Launch *o) {
  const int value = lua_gettop(L) + 2;
  for (lua_pushnil(L); lua_next(L, idx); lua_settop(L, value - 1)) {
    int type = lua_type(L, value - 1);
    if (type == LUA_TNUMBER && list) continue;
    size_t n = 0;
    const char *key = type == LUA_TSTRING ? lua_tolstring(L, value - 1, &n) : "";
    if (n == 5 && !memcmp(key, "block", 5))
      cl_read_extents(L, fn, "block", value, o->block);
    else if (n == 4 && !memcmp(key, "grid", 4))
      cl_read_extents(L, fn, "grid", value, o->grid);
    else if (n == 6 && !memcmp(key, "shared", 6))
      o->shared = cl_read_shared(L, fn, "shared", value);
    else if (n == 6 && !memcmp(key, "stream", 6)) {
      if (!cl_to_kind(L, value, CL_STREAM)) bad_option(L, fn, "stream", "a Stream", value);
      o->stream = cl_check_stream(L, value, "option stream", ctx);
    } else
      read_rare(L, fn, idx, key, o);
  }
}
