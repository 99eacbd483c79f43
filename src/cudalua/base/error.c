/* Building errors and throwing them. */
#include "base/base.h"
#include "base/interrupt.h"
#include "base/lock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_BASE_ERROR CL_ERROR

typedef struct Code {
  int code;
  const char *name, *text; /* text is made from the name: "OUT_OF_MEMORY" -> "out of memory" */
  unsigned char cls, sticky;
} Code;

static const Code codes[] = {
#define CL_CODE(name, cls, sticky) {CUDA_ERROR_##name, "CUDA_ERROR_" #name, #name, CL_##cls##_ERROR, sticky},
#include "base/codes.def"
#undef CL_CODE
};

static const Code *find(CUresult code) {
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].code == (int)code) return &codes[i];
  return NULL;
}

const char *cl_code_name(CUresult code) {
  const Code *c = find(code);
  return c ? c->name : NULL;
}

const char *cl_code_text(CUresult code) {
  static __thread char text[64];
  const Code *c = find(code);
  if (!c) {
    const char *s = NULL;
    if (!CU.cuGetErrorString(code, &s) && s) return s;
    snprintf(text, sizeof text, "error %d", (int)code);
    return text;
  }
  size_t i = 0;
  for (; c->text[i] && i + 1 < sizeof text; i++)
    text[i] = c->text[i] == '_'
                  ? ' '
                  : (char)(c->text[i] >= 'A' && c->text[i] <= 'Z' ? c->text[i] + 32 : c->text[i]);
  text[i] = 0;
  return text;
}

static cl_ErrorClass class_of(CUresult code) {
  const Code *c = find(code);
  return c ? (cl_ErrorClass)c->cls : code == CL_MISSING ? CL_RUNTIME_ERROR : CL_ERROR;
}

bool cl_code_sticky(CUresult code) {
  const Code *c = find(code);
  return c && c->sticky;
}

/* What to do next, for the codes that people meet. */
static const char *hint_for(CUresult code) {
  switch ((int)code) {
  case CUDA_ERROR_NOT_INITIALIZED:
    return cl_forked ? "fork before CUDA is used, or exec another program in the child"
                     : "call cuda.init() first";
  case CUDA_ERROR_INVALID_CONTEXT:
    return "no context is current: create one with dev:make_context(), or push one with ctx:push()";
  case CUDA_ERROR_INVALID_DEVICE:
    return cl_driver()->soft
               ? "devices are numbered from 0 to cuda.Device.count() - 1; CUDALUA_SOFT_DEVICES=2 makes two"
               : "devices are numbered from 0 to cuda.Device.count() - 1";
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return "the module was built for another architecture; on the software device it must be PTX";
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_LAUNCH_FAILED:
    return cl_driver()->soft
               ? NULL
               : "to find its line, call cuda.debug.record(true) before the kernel and cuda.debug.replay() "
                 "after this error, or run the program with CUDALUA_DRIVER=soft";
  case CUDA_ERROR_ASSERT:
    return "an assert() in the kernel failed; which one, and for which threads, is on stderr";
  default: return NULL;
  }
}

static const char class_key = 0, root_key = 0;
static const char *const class_names[] = {"Error",        "LogicError",   "MemoryError",    "LaunchError",
                                          "RuntimeError", "CompileError", "InterruptError", "LinAlgError"};
enum { CLASSES = sizeof class_names / sizeof *class_names };

void cl_push_error_classes(lua_State *L) {
  cl_registry_get(L, &class_key);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, CLASSES);
  for (size_t i = 0; i < CLASSES; i++) {
    lua_newtable(L);
    lua_pushstring(L, class_names[i]);
    lua_setfield(L, -2, "class");
    lua_setfield(L, -2, class_names[i]);
  }
  lua_pushvalue(L, -1);
  cl_registry_set(L, &class_key);
}

void cl_push_results(lua_State *L) {
  lua_createtable(L, 0, (int)(sizeof codes / sizeof *codes) + 1);
  lua_pushinteger(L, 0);
  lua_setfield(L, -2, "SUCCESS");
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    lua_pushinteger(L, codes[i].code);
    lua_setfield(L, -2, codes[i].text);
  }
}

/* set_library_root(path): stack levels whose source starts with path are skipped when the place of an error
 * is looked for */
int cl_set_library_root(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &root_key);
  return 0;
}

static void set_string(lua_State *L, const char *key, const char *value) {
  if (!value) return;
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

static void new_table(lua_State *L, cl_ErrorClass c) {
  lua_createtable(L, 0, 8);
  cl_push_error_classes(L);
  lua_getfield(L, -1, class_names[c]);
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
}

void cl_error_new(lua_State *L, cl_ErrorClass c, const char *fmt, ...) {
  luaL_checkstack(L, 8, "error");
  new_table(L, c);
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  lua_pushlstring(L, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
  lua_setfield(L, -2, "message");
}

/* The level of the user's line: the first Lua function up the stack that is not one of this library's. -1:
 * there is none. */
static int user_level(lua_State *L, lua_Debug *ar) {
  cl_registry_get(L, &root_key);
  size_t n = 0;
  const char *root = lua_tolstring(L, -1, &n);
  int found = -1;
  for (int level = 0; found < 0 && lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline >= 0 && !(root && ar->source[0] == '@' && !strncmp(ar->source + 1, root, n)))
      found = level;
  }
  lua_pop(L, 1);
  return found;
}

bool cl_is_library_code(lua_State *L, const lua_Debug *ar) {
  lua_pushlightuserdata(L, (void *)&root_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  size_t n = 0;
  const char *root = lua_tolstring(L, -1, &n);
  const bool is = root && ar->source[0] == '@' && !strncmp(ar->source + 1, root, n);
  lua_pop(L, 1);
  return is;
}

static bool user_line(lua_State *L, lua_Debug *ar) { return user_level(L, ar) >= 0; }

bool cl_user_call(lua_State *L, const char *call, char *out, size_t size) {
  lua_Debug ar;
  int level = user_level(L, &ar);
  if (level == 0 || level == 1) return false;
  const bool known = level > 0 && lua_getstack(L, level - 1, &ar) && lua_getinfo(L, "Sn", &ar) && ar.name;
  if (!known || !strcmp(ar.what, "C")) { /* a tail call, as in `return x:item()`, or pcall(x.item, x) */
    if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "S", &ar) || !cl_is_library_code(L, &ar)) return false;
    snprintf(out, size, "waiting for the device, as item(), get() and synchronize() do,");
    return true;
  }
  if (strstr(call, ar.name)) return false;
  snprintf(out, size, "%s%s()", strcmp(ar.namewhat, "method") == 0 ? ":" : "", ar.name);
  return true;
}

static void push_where(lua_State *L) {
  lua_Debug ar;
  if (user_line(L, &ar))
    lua_pushfstring(L, "%s:%d", ar.short_src, ar.currentline);
  else
    lua_pushnil(L);
}

typedef struct Place {
  int line;
  const char *interned;
  char source[LUA_IDSIZE];
} Place;

/* Interning takes a lock and a search, and so does finding out whose line it is; a loop asks for the same few
 * places. Level 0 is the C function that asks. */
const char *cl_here(lua_State *L) {
  static __thread Place recent[16];
  lua_Debug ar;
  bool direct = lua_getstack(L, 1, &ar) && lua_getinfo(L, "Sl", &ar) && ar.currentline > 0;
  for (;; direct = false) {
    if (!direct && !user_line(L, &ar)) return NULL;
    Place *p = &recent[(size_t)ar.currentline % 16];
    if (p->line == ar.currentline && !strcmp(p->source, ar.short_src)) return p->interned;
    if (direct) continue;
    char text[LUA_IDSIZE + 12];
    snprintf(text, sizeof text, "%s:%d", ar.short_src, ar.currentline);
    memcpy(p->source, ar.short_src, sizeof ar.short_src);
    p->line = ar.currentline;
    return p->interned = cl_intern(text);
  }
}

int cl_throw(lua_State *L) {
  push_where(L);
  lua_setfield(L, -2, "where");
  luaL_traceback(L, L, NULL, 0);
  lua_setfield(L, -2, "traceback");
  lua_error(L);
  __builtin_unreachable();
}

int cl_logic(lua_State *L, const char *fmt, ...) {
  luaL_checkstack(L, 8, "error");
  new_table(L, CL_LOGIC_ERROR);
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  set_string(L, "message", text);
  cl_throw(L);
}

/* A sticky error is the end of every device in this process (measured on two H200s): calls of contexts on the
 * other one answer it too. */
static void note_sticky(CUresult code) {
  if (!cl_code_sticky(code)) return;
  for (int i = 0; i < CL_MAX_DEVICES; i++) cl_poison[i] = (int)code;
}

/* The driver explains a fault only in the first call that fails. The text is kept, so that later errors can
 * show it as well. */
CL_LOCK(report_lock);
static struct {
  CUresult code;
  char text[2048];
} report;

void cl_keep_report(CUresult code, const char *text) {
  if (!text || !*text) return;
  pthread_mutex_lock(&report_lock);
  if (!report.code) {
    report.code = code;
    snprintf(report.text, sizeof report.text, "%s", text);
  }
  pthread_mutex_unlock(&report_lock);
}

void cl_forget_report(void) {
  pthread_mutex_lock(&report_lock);
  report.code = CUDA_SUCCESS;
  pthread_mutex_unlock(&report_lock);
}

/* The explanation that came with the first error of this code. */
static void first_report(CUresult code, char *text, size_t size) {
  pthread_mutex_lock(&report_lock);
  if (code && report.code == code) snprintf(text, size, "%s", report.text);
  pthread_mutex_unlock(&report_lock);
}

const char cl_forked_text[] = "CUDA cannot be used after fork: the parent process had already started it";

static void set_code(lua_State *L, CUresult code) {
  lua_pushinteger(L, (int)code);
  lua_setfield(L, -2, "code");
  set_string(L, "name", cl_code_name(code));
}

int cl_fail_forked(lua_State *L) {
  const CUresult code = CUDA_ERROR_NOT_INITIALIZED; /* as the driver says it */
  cl_error_new(L, class_of(code), "%s", cl_forked_text);
  set_code(L, code);
  set_string(L, "hint", hint_for(code));
  cl_throw(L);
}

CL_HOOK_LIST(cl_on_failed_call);

static void fail_new(lua_State *L, const char *symbol, CUresult code, cl_Rec *waited) {
  char detail[2048] = ""; /* before any further call */
  if (cl_log_text()) snprintf(detail, sizeof detail, "%s", cl_log_text());
  char call[64]; /* the name people know: cuMemAlloc, not cuMemAlloc_v2 */
  snprintf(call, sizeof call, "%s", symbol);
  char *suffix = strrchr(call, '_');
  if (suffix && suffix[1] == 'v') *suffix = 0;
  note_sticky(code);
  if (cl_code_sticky(code)) cl_keep_report(code, detail);
  if (code == CL_INTERRUPTED) {
    cl_error_new(L, CL_INTERRUPT_ERROR, "interrupted"); /* the hooks say what still runs */
  } else if (code == CL_MISSING) {
    int need = cl_entry_since(symbol);
    cl_error_new(L, CL_RUNTIME_ERROR, "%s needs a driver for CUDA %d.%d or newer; this one is for %d.%d",
                 call, need / 1000, need % 1000 / 10, cl_driver()->version / 1000,
                 cl_driver()->version % 1000 / 10);
  } else {
    const char *name = cl_code_name(code);
    const char *shown = name ? name : "unknown code";
    if (cl_forked && code == CUDA_ERROR_NOT_INITIALIZED)
      cl_error_new(L, class_of(code), "%s", cl_forked_text);
    else if (cl_code_sticky(code) && strncmp(call, "cuLaunch", 8) != 0)
      cl_error_new(L, class_of(code), "%s (%s), reported by %s", cl_code_text(code), shown, call);
    else
      cl_error_new(L, class_of(code), "%s failed: %s (%s)", call, cl_code_text(code), shown);
    set_code(L, code);
    if (cl_code_sticky(code)) {
      lua_pushboolean(L, 1);
      lua_setfield(L, -2, "sticky");
    }
  }
  if (code != CL_INTERRUPTED) set_string(L, "call", call);
  set_string(L, "detail", *detail ? detail : NULL);
  set_string(L, "hint", hint_for(code));
  cl_log_taken(); /* the hooks make calls of their own, whose errors must not be explained by this text */
  CL_RUN_HOOKS(cl_on_failed_call, L, symbol, code, waited);
  cl_log_taken();
  if (*detail) return;
  first_report(code, detail, sizeof detail);
  set_string(L, "detail", *detail ? detail : NULL);
}

void cl_fail_new(lua_State *L, const char *symbol, CUresult code) { fail_new(L, symbol, code, NULL); }

int cl_fail_waiting(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  fail_new(L, call, code, waited);
  cl_throw(L);
}

int cl_fail(lua_State *L, const char *call, CUresult code) {
  cl_fail_new(L, call, code);
  cl_throw(L);
}

CL_HOOK_LIST(cl_on_lacking);

bool cl_start(lua_State *L, CUresult code) {
  bool started = false;
  CL_RUN_HOOKS(cl_on_lacking, L, code, &started);
  return started;
}

void cl_start_or_fail(lua_State *L, const char *call, CUresult code) {
  if (!cl_start(L, code)) cl_fail(L, call, code);
}

/* raise(class, message [, fields]) */
int cl_raise(lua_State *L) {
  const char *cls = luaL_checkstring(L, 1);
  size_t n;
  const char *message = luaL_checklstring(L, 2, &n);
  int c = 0;
  while (c < CLASSES && strcmp(cls, class_names[c])) c++;
  if (c == CLASSES) luaL_argerror(L, 1, "no such error class");
  new_table(L, (cl_ErrorClass)c);
  lua_pushlstring(L, message, n);
  lua_setfield(L, -2, "message");
  if (lua_istable(L, 3))
    for (lua_pushnil(L); lua_next(L, 3);) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    }
  cl_throw(L);
}
