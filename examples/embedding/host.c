/* A host program in C. It runs its arguments, one Lua chunk each, in a state and a thread of their own, and
 * shows errors as text. A state gets at most LIMIT bytes for Lua's objects. */
#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 256 << 20, MOST = 64 };

typedef struct Job {
  const char *code;
  size_t used; /* bytes of Lua's objects */
  int failed;
} Job;

/* The allocator of a state. If it returns NULL, Lua raises "not enough memory". */
static void *allocate(void *job_of_state, void *block, size_t had, size_t wanted) {
  Job *job = job_of_state;
  if (!block) had = 0;
  void *result = NULL;
  if (wanted == 0) {
    free(block);
  } else if (wanted > had && wanted - had > LIMIT - job->used) {
    return NULL;
  } else if (!(result = realloc(block, wanted))) {
    return NULL;
  }
  job->used += wanted - had;
  return result;
}

/* Message handler: the text of an error, and where it was raised. */
static int message(lua_State *L) {
  if (lua_isstring(L, 1) || luaL_callmeta(L, 1, "__tostring")) { /* an error of cudalua has that metamethod */
    luaL_traceback(L, L, lua_tostring(L, -1), 1);
    return 1;
  }
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  return 1;
}

/* Runs a chunk. If it fails, the text of its error goes to stderr. */
static int run(lua_State *L, const char *code) {
  int top = lua_gettop(L);
  lua_pushcfunction(L, message);
  int failed = luaL_loadstring(L, code) || lua_pcall(L, 0, 0, top + 1);
  if (failed) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_settop(L, top);
  return failed;
}

/* All that may raise is in here: an error that nothing catches ends the process. */
static int protected_part(lua_State *L) {
  Job *job = lua_touserdata(L, 1);
  luaL_openlibs(L);
  luaJIT_setmode(L, 0,
                 LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF); /* compiled Lua may crash if allocate() refuses */
  job->failed = run(L, job->code);
  return 0;
}

static void *thread_main(void *argument) {
  Job *job = argument;
  lua_State *L = lua_newstate(allocate, job);
  job->failed = 1;
  if (!L) return NULL;
  if (lua_cpcall(L, protected_part, job)) fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_close(L); /* waits for pending work, frees what the state has on the device */
  if (job->used != 0) job->failed = 1;
  return NULL;
}

int main(int argc, char **argv) {
  static Job jobs[MOST];
  pthread_t threads[MOST];
  int count = argc - 1 < MOST ? argc - 1 : MOST, started = 0, failed = 0;
  for (; started < count; started++) {
    jobs[started].code = argv[started + 1];
    if (pthread_create(&threads[started], NULL, thread_main, &jobs[started])) break;
  }
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
    failed |= jobs[i].failed;
  }
  return failed || started < argc - 1;
}
