/* States with an allocator of the host program's: it counts, so that nothing is left when the state is
 * closed, and it fails. A sweep has the n-th call fail alone, each n-th, and all from the n-th on. The
 * process may not crash, the state closes, and the device is as it was.
 *
 * host_memory_test [KIND N]    the whole sweep, in two threads, or one run of it */
#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { NEVER, ONCE, EACH, FROM } Kind;

typedef struct Memory {
  size_t used;
  long calls, n; /* of calls that ask for more, and which of them fails */
  Kind kind;
} Memory;

static int refuses(const Memory *m) {
  switch (m->kind) {
  case ONCE: return m->calls == m->n;
  case EACH: return m->calls % m->n == 0;
  case FROM: return m->calls >= m->n;
  default: return 0;
  }
}

static void *host_memory_allocate(void *memory, void *block, size_t had, size_t wanted) {
  Memory *m = memory;
  if (!block) had = 0;
  void *result = NULL;
  if (wanted == 0) {
    free(block);
  } else {
    if (wanted > had) {
      m->calls++;
      if (refuses(m)) return NULL;
    }
    result = realloc(block, wanted);
    if (!result) return NULL;
  }
  m->used += wanted - had;
  return result;
}

/* What a program does: it loads the library, computes, has errors caught, and leaves work pending. */
static const char program[] =
    "local cuda = require 'cudalua'\n"
    "cuda.on_notice = nil\n"
    "local a = cuda.gpuarray.arange(1000, 'float32')\n"
    "assert((a * 2 + 1):sum():item() == 1000000)\n"
    "assert(not pcall(cuda.Device, 99))\n"
    "assert(not pcall(function() return a + cuda.gpuarray.zeros(3) end))\n"
    "local kernel = cuda.kernel '__global__ void put(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] "
    "= 7; }'\n"
    "local stream, event = cuda.Stream(), cuda.Event()\n"
    "kernel(a, 10, { block = 32, stream = stream })\n"
    "event:record(stream)\n"
    "stream:on_complete(function() end)\n"
    "local host, memory = cuda.pagelocked_empty(1000, 'float32'), cuda.mem_alloc(4000)\n"
    "cuda.memcpy_dtoh_async(host, memory, stream)\n";

static const char later[] = "local cuda = require 'cudalua'\n"
                            "assert((cuda.gpuarray.arange(10) + 1):sum():item() == 55)\n";

static int protected_part(lua_State *L) {
  luaL_openlibs(L);
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF); /* its compiled code crashes if a call fails */
  if (luaL_loadstring(L, lua_touserdata(L, 1))) return lua_error(L);
  lua_call(L, 0, 0);
  return 0;
}

static const char *text_of(lua_State *L) {
  if (!lua_isstring(L, -1) && !luaL_callmeta(L, -1, "__tostring")) return "(no text)";
  return lua_tostring(L, -1);
}

/* Runs a chunk in a state of its own. Its error's text comes back, "" without one. */
typedef struct Text {
  char text[1024];
} Text;
static Text run(Memory *m, const char *code) {
  Text t = {"(no state)"};
  const Kind kind = m->kind;
  m->kind = NEVER; /* LuaJIT's lua_newstate() crashes if a call other than the first fails */
  lua_State *L = lua_newstate(host_memory_allocate, m);
  if (!L) return t;
  t.text[0] = 0;
  m->kind = kind;
  m->calls = 0;
  if (lua_cpcall(L, protected_part, (void *)(size_t)code)) {
    m->kind = NEVER; /* for the text, and what follows */
    snprintf(t.text, sizeof t.text, "%s", text_of(L));
    /* The state computes afterwards, unless a module was being loaded: Lua remembers that as a failure. */
    if (lua_cpcall(L, protected_part, (void *)(size_t)later) &&
        !strstr(text_of(L), "loop or previous error loading module"))
      snprintf(t.text, sizeof t.text, "afterwards: %.900s", text_of(L));
    m->kind = kind;
  }
  lua_close(L);
  return t;
}

static _Noreturn void die(const Memory *m, const char *why) {
  fprintf(stderr, "%s %ld: %s\n", (const char *[]){"never", "once", "each", "from"}[m->kind], m->n, why);
  exit(1);
}

/* LuaJIT loses an object or two whose allocation it did not finish. The library calls no allocator itself. */
enum { LOST = 1024 };

static void one(Kind kind, long n) {
  Memory m = {.kind = kind, .n = n};
  const Text t = run(&m, program);
  const int failed = t.text[0] != 0;
  const int expected = strstr(t.text, "memory") || strstr(t.text, "error in error handling");
  if (failed && (kind == NEVER || !expected || !strncmp(t.text, "afterwards", 10))) die(&m, t.text);
  if (m.used > (failed ? LOST : 0)) die(&m, "the allocator has bytes left");
}

enum { THREADS = 2 };
static long most; /* calls of a run that nothing fails in */

static long after(long n) { return n + n / 8 + 1; }

static void *sweep(void *which) {
  int turn = 0;
  for (long n = 1; n <= most; n = after(n))
    for (int kind = ONCE; kind <= FROM; kind++)
      if (turn++ % THREADS == *(int *)which) one((Kind)kind, n);
  one(NEVER, 0);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc == 3) {
    one((Kind)atoi(argv[1]), atol(argv[2]));
    return 0;
  }
  Memory m = {.kind = NEVER};
  const Text t = run(&m, program);
  if (t.text[0] || m.used) die(&m, t.text[0] ? t.text : "the allocator has bytes left");
  most = m.calls;
  pthread_t threads[THREADS];
  int which[THREADS];
  for (int i = 0; i < THREADS; i++) {
    which[i] = i;
    if (pthread_create(&threads[i], NULL, sweep, &which[i])) return 1;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  const Text left = run(&m, "local cuda = require 'cudalua'\n"
                            "cuda.init()\n"
                            "if not cuda.driver_info().soft then return end\n"
                            "local left = require('cudalua.softgpu').leaks()\n"
                            "if #left > 0 then error(table.concat(left, '\\n')) end\n");
  if (left.text[0]) die(&m, left.text);
  return 0;
}
