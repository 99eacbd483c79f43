/* Where a kernel's parameters lie and what they are. Sizes and offsets come from the driver where it tells
 * them (12.4 and newer); types come from Lua (signature.lua), which has several sources for them. All that is
 * known has to agree: what contradicts the sizes known before is not taken, and remembered as a warning. */
#include "code/function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 16 }; /* of all parameters; the driver's own limit is 32764 */

static const char *const sources[] = {
    [CL_FROM_NOWHERE] = "nowhere",   [CL_FROM_DRIVER] = "driver",     [CL_FROM_PTX] = "PTX",
    [CL_FROM_NAME] = "mangled name", [CL_FROM_COMPILER] = "compiler", [CL_FROM_USER] = "args",
};

static void free_params(cl_Param *params, uint32_t n) {
  for (uint32_t i = 0; params && i < n; i++) free(params[i].text);
  free(params);
}

void cl_layout_free(cl_Function *fn) {
  free_params(fn->params, fn->nparams);
  free(fn->block);
  free(fn->pointers);
  free(fn->warnings);
}

/* The block that the values are written to. */
static bool make_block(cl_Function *fn) {
  const uint32_t n = fn->nparams, bytes = n ? fn->params[n - 1].offset + fn->params[n - 1].size : 0;
  fn->block = calloc(1, bytes + 16);
  fn->pointers = calloc(n + 1, sizeof *fn->pointers);
  if (!fn->block || !fn->pointers) return false;
  for (uint32_t i = 0; i < n; i++) fn->pointers[i] = fn->block + fn->params[i].offset;
  fn->layout_known = true;
  return true;
}

CUresult cl_layout_read(cl_Function *fn) {
  uint32_t room = 0;
  CUresult code;
  for (;;) { /* until there is no such parameter */
    size_t offset = 0, size = 0;
    code = CU.cuFuncGetParamInfo(fn->f, fn->nparams, &offset, &size);
    if (code) break;
    if (fn->nparams == room) {
      room = room ? 2 * room : 8;
      cl_Param *grown = realloc(fn->params, room * sizeof *grown);
      if (!grown) return CUDA_ERROR_OUT_OF_MEMORY;
      fn->params = grown;
    }
    cl_Param *p = &fn->params[fn->nparams];
    *p = (cl_Param){.type = CL_T_UNKNOWN, .offset = (uint32_t)offset, .size = (uint32_t)size};
    if (asprintf(&p->text, "%zu bytes", size) < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    fn->nparams++;
  }
  if (code != CUDA_ERROR_INVALID_VALUE && code != CL_MISSING) return code;
  cl_log_clear(); /* the driver logs the probe past the last one */
  if (code == CL_MISSING) return CUDA_SUCCESS;
  fn->source = CL_FROM_DRIVER;
  return make_block(fn) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void warn(cl_Function *fn, cl_Source source, const char *why) {
  char *text;
  const char *before = fn->warnings ? fn->warnings : "";
  if (asprintf(&text, "%s: %s", sources[source], why) < 0) return;
  if (!strstr(before, text)) {
    char *all;
    if (asprintf(&all, "%s%s%s", before, *before ? "\n" : "", text) >= 0) {
      free(fn->warnings);
      fn->warnings = all;
    }
  }
  free(text);
}

static bool is_float(cl_Type t) { return t >= CL_T_F16 && t <= CL_T_F64; }
static bool is_open(cl_Type t) { return t == CL_T_UNKNOWN || t == CL_T_BYTES; }

/* The number in field i of the table at idx; -1 where there is none. */
static long number_at(lua_State *L, int idx, uint32_t i) {
  if (!lua_istable(L, idx)) return -1;
  lua_rawgeti(L, idx, (int)i + 1);
  lua_Number d = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
  lua_pop(L, 1);
  return d >= 0 && d <= MOST_BYTES ? (long)d : -1;
}

static const char *string_at(lua_State *L, int idx, uint32_t i) {
  lua_rawgeti(L, idx, (int)i + 1);
  const char *s = luaL_checkstring(L, -1);
  lua_pop(L, 1); /* the table holds it */
  return s;
}

static long size_at(lua_State *L, uint32_t i) {
  uint32_t fixed = cl_type_size(cl_type_by_name(string_at(L, 2, i)));
  return fixed ? (long)fixed : number_at(L, 5, i);
}

/* What of the lists of types, sizes and offsets cannot be: text on the stack, or nothing. */
static bool contradicts(lua_State *L, const cl_Function *fn, uint32_t n) {
  if (n != fn->nparams) {
    lua_pushfstring(L, "%d parameter%s, but the kernel has %d", (int)n, n == 1 ? "" : "s", (int)fn->nparams);
    return true;
  }
  for (uint32_t i = 0; i < n; i++) {
    const cl_Param *p = &fn->params[i];
    long size = size_at(L, i), offset = number_at(L, 6, i);
    if (size >= 0 && size != (long)p->size) {
      lua_pushfstring(L, "parameter %d, %s, has %d bytes, but the kernel's has %d", (int)i + 1,
                      string_at(L, 3, i), (int)size, (int)p->size);
      return true;
    }
    if (offset >= 0 && offset != (long)p->offset) {
      lua_pushfstring(L, "parameter %d, %s, is at offset %d, but the kernel's is at %d", (int)i + 1,
                      string_at(L, 3, i), (int)offset, (int)p->offset);
      return true;
    }
  }
  return false;
}

/* A layout from the lists themselves, for drivers that give none. */
static cl_Param *own_layout(lua_State *L, uint32_t n) {
  cl_Param *params = calloc(n + 1, sizeof *params);
  if (!params) luaL_error(L, "not enough memory");
  for (uint32_t i = 0; i < n; i++) {
    long size = size_at(L, i), offset = number_at(L, 6, i);
    if (size <= 0 || offset < 0 || offset + size > MOST_BYTES ||
        (i && offset < (long)params[i - 1].offset + (long)params[i - 1].size)) {
      free(params);
      return NULL;
    }
    params[i] = (cl_Param){.type = CL_T_UNKNOWN, .offset = (uint32_t)offset, .size = (uint32_t)size};
  }
  return params;
}

static cl_Source source_at(lua_State *L, int idx) {
  const char *name = luaL_optstring(L, idx, sources[CL_FROM_COMPILER]);
  for (size_t i = CL_FROM_PTX; i < sizeof sources / sizeof *sources; i++)
    if (!strcmp(sources[i], name)) return (cl_Source)i;
  luaL_argerror(L, idx, "no source of signatures");
  return CL_FROM_NOWHERE;
}

/* function_set_signature(fn, types, texts [, source [, sizes, offsets]]) -> true, or false and why where it
 * contradicts what is known. types: names as cl_type_name() gives them, "bytes" for structs; texts: what
 * messages show; source: "PTX", "mangled name", "compiler" or "args"; sizes, offsets: in bytes, with holes
 * where they are not known. What is weaker than the source so far changes nothing. */
int cl_function_set_signature(lua_State *L) {
  cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  cl_Source source = source_at(L, 4);
  lua_settop(L, 6);
  uint32_t n = (uint32_t)lua_objlen(L, 2);
  for (uint32_t i = 0; i < n; i++) string_at(L, 2, i), string_at(L, 3, i); /* raise before anything is made */
  if (source < fn->source) {
    lua_pushboolean(L, 1);
    return 1;
  }
  if (fn->layout_known && contradicts(L, fn, n)) {
    if (source != CL_FROM_USER) warn(fn, source, lua_tostring(L, -1));
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
  }
  if (!fn->layout_known) {
    fn->params = own_layout(L, n);
    if (!fn->params) {
      lua_pushboolean(L, 0);
      lua_pushliteral(L, "the driver does not report parameter offsets, and not all sizes are known");
      return 2;
    }
    fn->nparams = n;
    if (!make_block(fn)) return luaL_error(L, "not enough memory");
  }
  for (uint32_t i = 0; i < n; i++) {
    cl_Param *p = &fn->params[i];
    cl_Type t = cl_type_by_name(string_at(L, 2, i));
    char *text = strdup(string_at(L, 3, i));
    if (!text) return luaL_error(L, "not enough memory");
    if (!is_open(p->type) && !is_open(t) && is_float(p->type) != is_float(t)) {
      char why[256];
      snprintf(why, sizeof why, "parameter %u, %s, is %s, which %s calls %s", i + 1, text, cl_type_name(t),
               sources[fn->source], cl_type_name(p->type));
      warn(fn, source, why);
    }
    if (!is_open(t) || is_open(p->type)) p->type = t; /* an enum is only a name to the compiler's mangling */
    free(p->text);
    p->text = text;
  }
  fn->source = source;
  fn->packed = CL_NOT_PACKED;
  lua_pushboolean(L, 1);
  return 1;
}

/* function_params(fn) -> list of {type=, size=, offset=, text=}, or nil where nothing is known */
int cl_function_params(lua_State *L) {
  const cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  if (!fn->layout_known) return 0;
  lua_createtable(L, (int)fn->nparams, 0);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    lua_createtable(L, 0, 4);
    lua_pushstring(L, cl_type_name(fn->params[i].type));
    lua_setfield(L, -2, "type");
    lua_pushinteger(L, (int)fn->params[i].size);
    lua_setfield(L, -2, "size");
    lua_pushinteger(L, (int)fn->params[i].offset);
    lua_setfield(L, -2, "offset");
    lua_pushstring(L, fn->params[i].text);
    lua_setfield(L, -2, "text");
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* function_source(fn) -> where the types are known from, warnings (lines) or nil */
int cl_function_source(lua_State *L) {
  const cl_Function *fn = ((const cl_FunctionObject *)cl_check(L, 1, CL_FUNCTION))->fn;
  lua_pushstring(L, sources[fn->source]);
  lua_pushstring(L, fn->warnings);
  return 2;
}
