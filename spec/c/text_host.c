/* Tests the functions of examples/embedding/host.c, which docs/embedding.md shows. It runs chunks that raise
 * errors of every kind, and exits with 0 if each has the right text. */
#define main host_main                     /* this test has a main of its own */
#include "../../examples/embedding/host.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include <string.h>

static int wrong;

/* What is on top has to be text that begins with one string and holds another. */
static void compare(lua_State *L, const char *code, int failed, const char *begin, const char *within) {
  const char *text = failed ? lua_tostring(L, -1) : NULL;
  if (!text || strncmp(text, begin, strlen(begin)) || !strstr(text, within)) {
    fprintf(stderr, "%s\ngave: %s\nexpected: %s ... %s\n", code, text ? text : "no text", begin, within);
    wrong = 1;
  }
  lua_settop(L, 0);
}

static void raises(lua_State *L, const char *code, const char *begin, const char *within) {
  lua_pushcfunction(L, message);
  compare(L, code, luaL_loadstring(L, code) || lua_pcall(L, 0, 0, -2), begin, within);
}

/* The same in a host that knows nothing but strings: cuda.text_errors() is for it. */
static void raises_string(lua_State *L, const char *code, const char *begin, const char *within) {
  compare(L, code, luaL_loadstring(L, code) || lua_pcall(L, 0, 0, 0), begin, within);
}

int main(void) {
  lua_State *L = luaL_newstate();
  if (!L) return 1;
  luaL_openlibs(L);
  if (run(L, "cuda = require 'cudalua'\n"
             "cuda.init()\n"
             "function wrong() local device = cuda.Device(99) return device end\n"
             "safe = cuda.text_errors(wrong)\n"
             "traced = cuda.text_errors(wrong, {traceback = true})"))
    return 1;
  raises(L, "wrong()", "[string \"cuda = require 'cudalua'...\"]:3: cuDeviceGet failed",
         "in function 'wrong'");
  raises(L, "wrong()", "[string", "hint: devices are numbered from 0");
  raises(L, "error 'plain'", "[string \"error 'plain'\"]:1: plain", "stack traceback:");
  raises(L, "error(setmetatable({}, {__tostring = function() return 'mine' end}))", "mine",
         "stack traceback:");
  raises(L, "error {}", "(error object is a table value)", "");
  raises(L, "error()", "(error object is a nil value)", "");
  raises(L, "return +", "[string \"return +\"]:1: unexpected symbol", "");

  raises_string(L, "safe()", "[string \"cuda = require 'cudalua'...\"]:3: cuDeviceGet failed", "hint:");
  raises_string(L, "traced()", "[string", "stack traceback:");
  raises_string(L, "cuda.text_errors(error)('plain', 0)", "plain", "");
  lua_close(L);
  return wrong;
}
