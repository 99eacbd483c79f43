/* The constants of cuda.h by name: the tables that Lua shows (cuda.ctx_flags), and reading flags and
 * enumerators from arguments. tools/gen_constants.lua makes the rows; the values are the compiler's. Names
 * are compared without regard to case: the documents say "sched_spin", PyCUDA says SCHED_SPIN. */
#include "base/base.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct Constant {
  const char *name;
  long value;
  bool gone; /* the header no longer has it, and no driver takes it */
} Constant;

#define CL_TABLE(table) static const Constant table##_rows[] = {
#define CL_CONSTANT(name, value) {name, (long)(value), false},
#define CL_GONE(name, value) {name, (long)(value), true},
#define CL_END                                                                                               \
  }                                                                                                          \
  ;
#include "constants.inc"
#undef CL_TABLE
#undef CL_CONSTANT
#undef CL_GONE
#undef CL_END

typedef struct Table {
  const char *name;
  const Constant *rows;
  size_t n;
} Table;

static const Table tables[] = {
#define CL_TABLE(table) {#table, table##_rows, sizeof table##_rows / sizeof *table##_rows},
#define CL_CONSTANT(name, value)
#define CL_GONE(name, value)
#define CL_END
#include "constants.inc"
#undef CL_TABLE
#undef CL_CONSTANT
#undef CL_GONE
#undef CL_END
};

static const Table *find_table(const char *name) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!strcmp(tables[i].name, name)) return &tables[i];
  return NULL;
}

static const Table *table_or_raise(lua_State *L, const char *name) {
  const Table *t = find_table(name);
  if (!t) luaL_error(L, "unknown table of constants '%s'", name);
  return t;
}

static const Constant *find_name(const Table *t, const char *name) {
  for (size_t i = 0; i < t->n; i++)
    if (!strcasecmp(t->rows[i].name, name)) return &t->rows[i];
  return NULL;
}

static const Constant *find_value(const Table *t, long value) {
  for (size_t i = 0; i < t->n; i++)
    if (t->rows[i].value == value) return &t->rows[i];
  return NULL;
}

/* Names that somebody may have meant */

enum { NAME_ROOM = 80, NEAR_ROWS = 4 };

/* How many letters have to be changed, added, left out or swapped with their neighbour. */
static int distance(const char *a, const char *b) {
  size_t la = strlen(a), lb = strlen(b);
  int rows[3][NAME_ROOM + 1], *before = rows[0], *last = rows[1], *now = rows[2];
  if (la >= NAME_ROOM || lb >= NAME_ROOM) return INT_MAX;
  for (size_t j = 0; j <= lb; j++) last[j] = (int)j;
  for (size_t i = 1; i <= la; i++) {
    now[0] = (int)i;
    for (size_t j = 1; j <= lb; j++) {
      bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
      int d = last[j - 1] + !same;
      if (last[j] + 1 < d) d = last[j] + 1;
      if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
      if (i > 1 && j > 1 && tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 2]) &&
          tolower((unsigned char)a[i - 2]) == tolower((unsigned char)b[j - 1]) && before[j - 2] + 1 < d)
        d = before[j - 2] + 1;
      now[j] = d;
    }
    int *spare = before;
    before = last;
    last = now;
    now = spare;
  }
  return last[lb];
}

/* 0 is best. A name that holds what was asked for, or is held by it, is near as well. */
static int unlikeness(const char *asked, const char *name) {
  int d = distance(asked, name), length = (int)strlen(asked);
  int allowed = length < 4 ? length / 2 : length < 9 ? 2 : length / 3;
  if (d <= allowed && d < (int)strlen(name)) return d;
  if (strlen(asked) >= 3 && strcasestr(name, asked)) return 50 + (int)strlen(name);
  if (strlen(name) >= 4 && strcasestr(asked, name)) return 150 - (int)strlen(name);
  return INT_MAX;
}

typedef struct Near {
  const char *name[NEAR_ROWS];
  int d[NEAR_ROWS];
} Near;

static void consider(Near *near, const char *asked, const char *name) {
  int d = unlikeness(asked, name), i = NEAR_ROWS;
  while (i > 0 && d < near->d[i - 1]) i--;
  if (d == INT_MAX || i == NEAR_ROWS) return;
  memmove(&near->name[i + 1], &near->name[i], (NEAR_ROWS - 1 - (size_t)i) * sizeof *near->name);
  memmove(&near->d[i + 1], &near->d[i], (NEAR_ROWS - 1 - (size_t)i) * sizeof *near->d);
  near->name[i] = name;
  near->d[i] = d;
}

static void append(char *out, size_t size, const char *name, bool lower) {
  size_t n = strlen(out);
  snprintf(out + n, size - n, "%s", name);
  for (; lower && out[n]; n++) out[n] = (char)tolower((unsigned char)out[n]);
}

static void near_text(const Near *near, bool lower, char *out, size_t size) {
  *out = 0;
  for (int i = 0; i < NEAR_ROWS && near->name[i]; i++) {
    if (i) append(out, size, ", ", false);
    append(out, size, near->name[i], lower);
  }
}

static bool offered(const Constant *c) {
  size_t n = strlen(c->name);
  return !c->gone && (n < 4 || strcmp(c->name + n - 4, "MASK"));
}

/* "sched_spin, sched_yield": what is nearest, or every name of a small table, or nothing. True: what is
 * nearest. */
static bool suggest(const Table *t, const char *asked, bool lower, char *out, size_t size) {
  Near near = {.d = {INT_MAX, INT_MAX, INT_MAX, INT_MAX}};
  for (size_t i = 0; i < t->n && asked; i++)
    if (offered(&t->rows[i])) consider(&near, asked, t->rows[i].name);
  near_text(&near, lower, out, size);
  if (*out || t->n > 12) return *out;
  for (size_t i = 0; i < t->n; i++) {
    if (!offered(&t->rows[i])) continue;
    if (*out) append(out, size, ", ", false);
    append(out, size, t->rows[i].name, lower);
  }
  return false;
}

/* Reading arguments. `named`: what was called is a function of this module, whose name the message gives;
 * else `what` says it all. */
typedef struct Site {
  const char *what;
  bool named;
} Site;

static void refuse(lua_State *L, Site site, int idx, const char *expected) __attribute__((noreturn));

static void refuse(lua_State *L, Site site, int idx, const char *expected) {
  if (site.named) cl_bad_argument(L, idx, site.what, expected);
  cl_logic(L, "%s: expected %s, got %s", site.what, expected, cl_type_text(L, idx));
}

static void refuse_constant(lua_State *L, Site site, int idx, const Table *t, const char *form)
    __attribute__((noreturn));

static void refuse_constant(lua_State *L, Site site, int idx, const Table *t, const char *form) {
  char names[480] = "", expected[640];
  int type = lua_type(L, idx);
  if (type == LUA_TSTRING || type == LUA_TNUMBER)
    suggest(t, type == LUA_TSTRING ? lua_tostring(L, idx) : NULL, true, names, sizeof names);
  snprintf(expected, sizeof expected, "%s of cuda.%s%s%s%s", form, t->name, *names ? " (" : "", names,
           *names ? ")" : "");
  refuse(L, site, idx, expected);
}

static void refuse_gone(lua_State *L, Site site, const Constant *c) __attribute__((noreturn));

static void refuse_gone(lua_State *L, Site site, const Constant *c) {
  cl_logic(L, "%s %s: target no longer supported", site.what, c->name);
}

/* The value of the name at idx. */
static long named_value(lua_State *L, Site site, int idx, const Table *t, const char *form) {
  size_t n;
  const char *name = lua_tolstring(L, idx, &n);
  const Constant *c = strlen(name) == n ? find_name(t, name) : NULL;
  if (!c) refuse_constant(L, site, idx, t, form);
  if (c->gone) refuse_gone(L, site, c);
  return c->value;
}

/* A whole number that a C int or unsigned can hold. */
static bool to_integer(lua_State *L, int idx, long *value) {
  lua_Number d = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : NAN;
  if (!(d >= INT_MIN && d <= UINT_MAX && floor(d) == d)) return false;
  *value = (long)d;
  return true;
}

static const char flags_form[] = "a number, a name or a list of names";

static long one_flag(lua_State *L, Site site, int idx, const Table *t, long mask) {
  long value;
  if (lua_type(L, idx) == LUA_TSTRING)
    value = named_value(L, site, idx, t, flags_form);
  else if (!to_integer(L, idx, &value) || value < 0)
    refuse_constant(L, site, idx, t, flags_form);
  if (value & ~mask) {
    char expected[64];
    snprintf(expected, sizeof expected, "flags of cuda.%s within 0x%lx", t->name, mask);
    refuse(L, site, idx, expected);
  }
  return value;
}

static long flags(lua_State *L, Site site, int idx, const Table *t, long mask) {
  long value = 0, every = 0;
  for (size_t i = 0; i < t->n; i++) every |= t->rows[i].value;
  if (mask < 0) mask = every;
  if (lua_isnoneornil(L, idx)) return 0;
  if (lua_type(L, idx) != LUA_TTABLE) return one_flag(L, site, idx, t, mask);
  size_t n = lua_objlen(L, idx), seen = 0;
  if (idx < 0) idx = lua_gettop(L) + 1 + idx;
  luaL_checkstack(L, 4, "flags");
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) seen++;
  if (seen != n) refuse_constant(L, site, idx, t, flags_form); /* {flags = ...} is no list */
  for (size_t i = 1; i <= n; i++) {
    lua_rawgeti(L, idx, (int)i);
    value |= one_flag(L, site, lua_gettop(L), t, mask);
    lua_pop(L, 1);
  }
  return value;
}

static long enumerator(lua_State *L, Site site, int idx, const Table *t) {
  static const char form[] = "a number or a name";
  long value;
  if (lua_type(L, idx) == LUA_TSTRING) return named_value(L, site, idx, t, form);
  const Constant *c = to_integer(L, idx, &value) ? find_value(t, value) : NULL;
  if (!c) refuse_constant(L, site, idx, t, form);
  if (c->gone) refuse_gone(L, site, c);
  return value;
}

long cl_check_flags(lua_State *L, int idx, const char *what, const char *table, long mask) {
  return flags(L, (Site){what, true}, idx, table_or_raise(L, table), mask);
}

long cl_check_enum(lua_State *L, int idx, const char *what, const char *table) {
  return enumerator(L, (Site){what, true}, idx, table_or_raise(L, table));
}

long cl_check_attribute(lua_State *L, int idx, const char *what, const char *table) {
  static const char form[] = "a number or a name";
  const Table *t = table_or_raise(L, table);
  Site site = {what, true};
  long value;
  if (lua_type(L, idx) == LUA_TSTRING) return named_value(L, site, idx, t, form);
  if (!to_integer(L, idx, &value) || value < 0 || value > INT_MAX) refuse_constant(L, site, idx, t, form);
  return value;
}

bool cl_find_constant(const char *table, const char *name, long *value) {
  const Table *t = find_table(table);
  const Constant *c = t ? find_name(t, name) : NULL;
  if (c) *value = c->value;
  return c != NULL;
}

const char *cl_constant_name(const char *table, long value) {
  const Table *t = find_table(table);
  const Constant *c = t ? find_value(t, value) : NULL;
  return c ? c->name : NULL;
}

bool cl_constant_at(const char *table, size_t i, const char **name, long *value) {
  const Table *t = find_table(table);
  if (!t || i >= t->n) return false;
  *name = t->rows[i].name;
  *value = t->rows[i].value;
  return true;
}

void cl_near_names(lua_State *L, int methods, const char *table, const char *asked, char *out, size_t size) {
  const Table *t = find_table(table);
  Near near = {.d = {INT_MAX, INT_MAX, INT_MAX, INT_MAX}};
  luaL_checkstack(L, 4, "names");
  for (lua_pushnil(L); lua_next(L, methods); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) consider(&near, asked, lua_tostring(L, -2));
  for (size_t i = 0; t && i < t->n; i++) consider(&near, asked, t->rows[i].name);
  near_text(&near, true, out, size);
}

bool cl_asked_attribute(lua_State *L, const char *class, const char *table,
                        bool (*find)(const char *name, long *id), long *id) {
  if (lua_type(L, 2) != LUA_TSTRING) cl_logic(L, "a %s has no field %s", class, cl_type_text(L, 2));
  size_t n;
  const char *name = lua_tolstring(L, 2, &n);
  if (cl_is_private(name)) return false;
  if (strlen(name) == n && find(name, id)) return true;
  char near[400];
  cl_near_names(L, lua_upvalueindex(1), table, name, near, sizeof near);
  cl_logic(L, "a %s has no method or attribute '%s'%s%s%s", class, name, *near ? "; did you mean " : "", near,
           *near ? "?" : "");
}

/* Lua */

/* check_flags(value, where, table [, mask]) -> integer: where is "Stream: flags", the beginning of the
 * message. */
int cl_lua_check_flags(lua_State *L) {
  const char *where = luaL_checkstring(L, 2);
  const Table *t = table_or_raise(L, luaL_checkstring(L, 3));
  lua_pushinteger(L, flags(L, (Site){where, false}, 1, t, lua_isnoneornil(L, 4) ? -1 : luaL_checklong(L, 4)));
  return 1;
}

/* check_enum(value, where, table) -> integer */
int cl_lua_check_enum(lua_State *L) {
  const char *where = luaL_checkstring(L, 2);
  const Table *t = table_or_raise(L, luaL_checkstring(L, 3));
  lua_settop(L, 3);
  lua_pushinteger(L, enumerator(L, (Site){where, false}, 1, t));
  return 1;
}

/* near(asked, list) -> those strings of the list that may have been meant, the likeliest first */
int cl_near(lua_State *L) {
  const char *asked = luaL_checkstring(L, 1);
  Near near = {.d = {INT_MAX, INT_MAX, INT_MAX, INT_MAX}};
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  size_t n = lua_objlen(L, 2);
  for (size_t i = 1; i <= n; i++) {
    lua_rawgeti(L, 2, (int)i);
    if (lua_type(L, -1) == LUA_TSTRING) consider(&near, asked, lua_tostring(L, -1)); /* the list keeps it */
    lua_pop(L, 1);
  }
  lua_newtable(L);
  for (int i = 0; i < NEAR_ROWS && near.name[i]; i++) {
    lua_pushstring(L, near.name[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

bool cl_is_private(const char *name) { return name[0] == '_'; }

static int unknown_name(lua_State *L) {
  const Table *t = table_or_raise(L, lua_tostring(L, lua_upvalueindex(1)));
  char names[480];
  if (lua_type(L, 2) != LUA_TSTRING) cl_logic(L, "cuda.%s has names, no %s", t->name, cl_type_text(L, 2));
  const char *asked = lua_tostring(L, 2);
  if (cl_is_private(asked)) return 0;
  bool near = suggest(t, asked, false, names, sizeof names);
  cl_logic(L, "cuda.%s has no '%s'%s%s%s", t->name, asked,
           *names ? near ? "; did you mean " : "; valid names: " : "", names, near ? "?" : "");
}

static int no_new_name(lua_State *L) {
  cl_logic(L, "cuda.%s cannot be written to", lua_tostring(L, lua_upvalueindex(1)));
}

static int constants_tostring(lua_State *L) {
  lua_pushfstring(L, "cudalua.%s", lua_tostring(L, lua_upvalueindex(1)));
  return 1;
}

static void set_closure(lua_State *L, const char *event, lua_CFunction f, const char *name) {
  lua_pushstring(L, name);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, event);
}

/* constants(table) -> {NAME = value, ...}, a new table; nil where there is none of that name. */
int cl_constants(lua_State *L) {
  const Table *t = lua_type(L, 1) == LUA_TSTRING ? find_table(lua_tostring(L, 1)) : NULL;
  if (!t) return 0;
  lua_createtable(L, 0, (int)t->n);
  for (size_t i = 0; i < t->n; i++) {
    lua_pushinteger(L, t->rows[i].value);
    lua_setfield(L, -2, t->rows[i].name);
  }
  lua_createtable(L, 0, 4);
  set_closure(L, "__index", unknown_name, t->name);
  set_closure(L, "__newindex", no_new_name, t->name);
  set_closure(L, "__tostring", constants_tostring, t->name);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  return 1;
}

/* constant_tables() -> the names of all tables */
int cl_constant_tables(lua_State *L) {
  lua_newtable(L);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    lua_pushstring(L, tables[i].name);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}
