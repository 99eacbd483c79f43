/* Several Lua states in one process, on one thread and on several: they share what the driver has one of, and
 * each may end at any time. In the end nothing is left on the device, and every thread's stack of contexts is
 * as it was. spec/support/states.lua is what the states do, at random; the seed is printed.
 *
 * states_test states.lua [GROUP [SEED]]    each group in a process of its own, or one in this process */
#include <cuda.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *script;
static unsigned seed;
static char *image;
static size_t image_size;

/* The driver that the library opened, asked directly. */
static struct {
  CUresult (*current)(CUcontext *), (*push)(CUcontext), (*pop)(CUcontext *);
  CUresult (*retain)(CUcontext *, CUdevice), (*release)(CUdevice), (*state)(CUdevice, unsigned *, int *);
  CUresult (*control)(const char *, char *, size_t, size_t *); /* the software device has it */
} driver;

static void die(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

#define TRUE(x)                                                                                              \
  do {                                                                                                       \
    if (!(x)) fprintf(stderr, "states_test.c:%d: ", __LINE__), die(#x);                                      \
  } while (0)
#define OK(call) TRUE((call) == CUDA_SUCCESS)

/* --- states --- */

static void run(lua_State *L, int results, int arguments) {
  if (!lua_pcall(L, arguments, results, 0)) return;
  luaL_callmeta(L, -1, "__tostring"); /* errors of the library are tables */
  die(lua_tostring(L, -1) ? lua_tostring(L, -1) : "an error object");
}

static void text(lua_State *L, const char *code, int results) {
  if (luaL_loadstring(L, code)) die(lua_tostring(L, -1));
  run(L, results, 0);
}

static lua_State *bare_state(void) {
  lua_State *L = luaL_newstate();
  TRUE(L);
  luaL_openlibs(L);
  return L;
}

/* The function that does one thing is on its stack. */
static lua_State *new_state(unsigned own_seed, bool quiet) {
  lua_State *L = bare_state();
  if (luaL_loadfile(L, script)) die(lua_tostring(L, -1));
  lua_pushlstring(L, image, image_size);
  lua_pushinteger(L, (lua_Integer)own_seed);
  lua_pushboolean(L, quiet);
  run(L, 1, 3);
  return L;
}

static void step(lua_State *L, bool leave) {
  lua_pushvalue(L, 1);
  lua_pushboolean(L, leave);
  run(L, 0, 1);
}

static void set_up(void) {
  lua_State *L = bare_state();
  if (luaL_loadfile(L, script)) die(lua_tostring(L, -1));
  run(L, 1, 0);
  const char *bytes = lua_tolstring(L, -1, &image_size);
  image = malloc(image_size);
  TRUE(image && bytes);
  memcpy(image, bytes, image_size);
  text(L, "return require('cudalua').driver_info().path", 1);
  void *lib = dlopen(lua_tostring(L, -1), RTLD_NOW);
  TRUE(lib);
  *(void **)&driver.current = dlsym(lib, "cuCtxGetCurrent");
  *(void **)&driver.push = dlsym(lib, "cuCtxPushCurrent_v2");
  *(void **)&driver.pop = dlsym(lib, "cuCtxPopCurrent_v2");
  *(void **)&driver.retain = dlsym(lib, "cuDevicePrimaryCtxRetain");
  *(void **)&driver.release = dlsym(lib, "cuDevicePrimaryCtxRelease_v2");
  *(void **)&driver.state = dlsym(lib, "cuDevicePrimaryCtxGetState");
  *(void **)&driver.control = dlsym(lib, "cuSoftgpuControl");
  lua_close(L);
}

static CUcontext current(void) {
  CUcontext c = NULL;
  OK(driver.current(&c));
  return c;
}

static bool primary_active(void) {
  unsigned flags;
  int active;
  OK(driver.state(0, &flags, &active));
  return active;
}

/* Besides the primary context, where it stands on the stack of a thread that ended. */
static void nothing_left(bool but_primary) {
  char reply[65536] = "";
  size_t need;
  if (!driver.control) return;
  OK(driver.control("leaks", reply, sizeof reply, &need));
  const char *left = reply, *second = strchr(reply, '\n');
  if (but_primary && !strncmp(reply, "context ", 8) && second) left = second + 1;
  if (left[0]) die(left);
  OK(driver.control("stats", reply, sizeof reply, &need));
  if (!strstr(reply, "stale 0\n")) die(reply);
}

static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* --- the stack of contexts --- */

static void stacks(void) {
  CUcontext host = NULL, popped;
  lua_State *L = new_state(seed, false);
  for (int i = 0; i < 3; i++) {
    text(L, "cuda = require 'cudalua' p = cuda.Device(0):retain_primary_context():push() p:push()", 0);
    text(L, "e = cuda.Device(0):make_context() e:push()", 0);
  }
  lua_close(L);
  TRUE(!current() && !primary_active());

  /* Over and under what others have pushed. */
  OK(driver.retain(&host, 0));
  OK(driver.push(host));
  L = new_state(seed, false);
  lua_State *other = new_state(seed, false);
  text(L, "cuda = require 'cudalua' p = cuda.Device(0):retain_primary_context():push()", 0);
  text(L, "e = cuda.Device(0):make_context()", 0);
  text(other, "e = require('cudalua').Device(0):make_context() return e:handle()", 1);
  CUcontext others = (CUcontext)(uintptr_t)lua_tonumber(other, -1);
  OK(driver.push(host));
  lua_close(L);
  TRUE(current() == host);
  OK(driver.pop(&popped));
  TRUE(current() == others);
  lua_close(other);
  TRUE(current() == host);

  /* A context of the host program's that was popped, and pushed again. */
  L = new_state(seed, false);
  text(L, "cuda = require 'cudalua' c = cuda.Context.pop() c:push() c:push() cuda.Context.pop()", 0);
  lua_close(L);
  TRUE(current() == host);
  OK(driver.pop(&popped));
  TRUE(popped == host && !current());
  OK(driver.release(0));
  TRUE(!primary_active());

  /* Ours was popped by somebody else. */
  L = new_state(seed, false);
  text(L, "cuda = require 'cudalua' p = cuda.Device(0):retain_primary_context():push()", 0);
  OK(driver.pop(&popped));
  lua_close(L);
  TRUE(!current() && !primary_active());
  nothing_left(false);
}

static void *close_it(void *L) {
  lua_close(L);
  return NULL;
}

static void *push_and_close(void *L) {
  text(L, "cuda = require 'cudalua' p = cuda.Device(0):retain_primary_context():push() e = p:push()", 0);
  text(L, "cuda.mem_alloc(100)", 0);
  return close_it(L);
}

/* A primary context that stands on the stack of another thread lives on: nobody can take it off there. */
static void other_thread(void) {
  pthread_t t;
  lua_State *L = new_state(seed, false);
  pthread_create(&t, NULL, push_and_close, L);
  pthread_join(t, NULL);
  TRUE(!primary_active());

  L = new_state(seed, false);
  text(L,
       "cuda = require 'cudalua' p = cuda.Device(0):retain_primary_context():push() m = cuda.mem_alloc(100)",
       0);
  text(L, "e = cuda.Device(0):make_context() cuda.Context.pop()", 0);
  CUcontext mine = current(), popped;
  pthread_create(&t, NULL, close_it, L);
  pthread_join(t, NULL);
  TRUE(current() == mine && primary_active());
  L = new_state(seed, false);
  text(L, "m = require('cudalua').mem_alloc(100)", 0); /* in the context that is current */
  lua_close(L);
  TRUE(current() == mine);
  OK(driver.pop(&popped));
}

/* --- contexts that start by themselves --- */

static const char starts[] = "cuda = require 'cudalua' m = cuda.mem_alloc(100)\n"
                             "assert(cuda.Context.get_current() == cuda.Device(0):retain_primary_context())";
static const char none[] = "local ok, err = pcall(cuda.mem_alloc, 4) assert(not ok and err.code == 201)";

static void *start_and_close(void *unused) {
  for (int i = 0; i < 20; i++) {
    lua_State *L = bare_state();
    text(L, starts, 0);
    lua_close(L);
    TRUE(!current());
  }
  return unused;
}

/* The context of another thread's is of no use here: the state starts the same one again. */
static void *start_again(void *L) {
  TRUE(!current());
  text(L, "cuda.memset_d8(m, 1, 100) cuda.Context.pop()", 0);
  text(L, none, 0);
  TRUE(!current());
  return NULL;
}

/* Where the host program has had a context of its own, it decides. */
static void *hosted(void *unused) {
  CUcontext host, popped;
  lua_State *L = bare_state();
  OK(driver.retain(&host, 0));
  OK(driver.push(host));
  text(L, starts, 0);
  TRUE(current() == host);
  OK(driver.pop(&popped));
  text(L, none, 0);
  TRUE(!current());
  OK(driver.push(host));
  text(L, "m = cuda.mem_alloc(100)", 0);
  OK(driver.pop(&popped));
  lua_close(L);
  OK(driver.release(0));
  return unused;
}

static void implicit(void) {
  enum { MANY = 4 };
  pthread_t t[MANY];
  for (int i = 0; i < MANY; i++) pthread_create(&t[i], NULL, start_and_close, NULL);
  for (int i = 0; i < MANY; i++) pthread_join(t[i], NULL);
  TRUE(!primary_active());

  lua_State *L = bare_state();
  text(L, starts, 0);
  for (int i = 0; i < MANY; i++) {
    pthread_create(&t[0], NULL, start_again, L);
    pthread_join(t[0], NULL);
  }
  text(L, "cuda.memset_d8(m, 2, 100) cuda.Context.pop()", 0);
  text(L, none, 0);
  lua_close(L);
  TRUE(!current() && !primary_active());

  pthread_create(&t[0], NULL, hosted, NULL);
  pthread_join(t[0], NULL);
  TRUE(!primary_active());
  nothing_left(false);
}

/* lua_close() unloads C modules; this one stays, because the driver and fork() may call it later. */
static void stays_loaded(void) {
  lua_State *L = new_state(seed, false);
  text(L, "return package.searchpath('cudalua.core', package.cpath)", 1);
  char path[4096];
  snprintf(path, sizeof path, "%s", lua_tostring(L, -1));
  text(L, "cuda = require 'cudalua' cuda.Device(0):make_context() cuda.Stream():on_complete(print)", 0);
  lua_close(L);
  TRUE(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
  pid_t pid = fork();
  if (!pid) _exit(0);
  int status;
  TRUE(waitpid(pid, &status, 0) == pid && status == 0);
}

/* --- all at once --- */

/* Several threads, each with a state of its own, go from require to lua_close() at the same time. Nothing is
 * set up beforehand: what the process has one of, they make together. together.lua is what they do. */
static pthread_barrier_t line;

static void *from_the_start(void *own_number) {
  enum { N = 4000, BLOCKS = 96, WIDTH = 128 }; /* as there */
  const double k = (double)(uintptr_t)own_number, numbers = N * (N - 1) * 0.5;
  const double expected[] = {numbers + N * k, BLOCKS * WIDTH * 25, numbers * k + N, numbers};
  enum { RESULTS = sizeof expected / sizeof *expected };
  char path[4096];
  snprintf(path, sizeof path, "%.*s/together.lua", (int)(strrchr(script, '/') - script), script);
  pthread_barrier_wait(&line);
  lua_State *L = bare_state();
  if (luaL_loadfile(L, path)) die(lua_tostring(L, -1));
  lua_pushnumber(L, k);
  run(L, RESULTS, 1);
  for (int i = 0; i < RESULTS; i++) TRUE(lua_tonumber(L, i - RESULTS) == expected[i]);
  lua_close(L);
  return NULL;
}

static void together(void) {
  enum { MANY = 4, ROUNDS = 3 };
  pthread_t t[MANY];
  pthread_barrier_init(&line, NULL, MANY);
  for (unsigned round = 0; round < ROUNDS; round++) {
    for (unsigned i = 0; i < MANY; i++)
      pthread_create(&t[i], NULL, from_the_start, (void *)(uintptr_t)(1 + i + MANY * round));
    for (int i = 0; i < MANY; i++) pthread_join(t[i], NULL);
  }
  set_up();
  TRUE(!primary_active());
  nothing_left(false);
}

/* --- at random --- */

enum { STATES = 4, STEPS = 150, THREADS = 4, MOVES = 100, FORKS = 40 };

/* Some states of one thread, made, used and closed at random. */
static void *some_states(void *own_seed) {
  unsigned random = (unsigned)(uintptr_t)own_seed;
  lua_State *states[STATES] = {NULL};
  for (int i = 0; i < STEPS; i++) {
    lua_State **L = &states[next_random(&random) % STATES];
    if (!*L)
      *L = new_state(next_random(&random), false);
    else if (next_random(&random) % 8)
      step(*L, false);
    else {
      lua_close(*L);
      *L = NULL;
    }
  }
  for (int i = 0; i < STATES; i++)
    if (states[i]) lua_close(states[i]);
  TRUE(!current());
  return NULL;
}

static void one_thread(void) {
  some_states((void *)(uintptr_t)seed);
  TRUE(!primary_active());
  nothing_left(false);
}

static void threads(void) {
  pthread_t t[THREADS];
  for (unsigned i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, some_states, (void *)(uintptr_t)(seed + 977 * i));
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  TRUE(!primary_active());
  nothing_left(false);
}

/* States that go from thread to thread, as in a server with a pool of workers. */
static struct {
  pthread_mutex_t lock;
  lua_State *L;
} moving[STATES];

static void *some_moves(void *own_seed) {
  unsigned random = (unsigned)(uintptr_t)own_seed;
  for (int i = 0; i < MOVES; i++) {
    unsigned k = next_random(&random) % STATES;
    pthread_mutex_lock(&moving[k].lock);
    if (!moving[k].L)
      moving[k].L = new_state(next_random(&random), false);
    else if (next_random(&random) % 10)
      step(moving[k].L, true);
    else {
      lua_close(moving[k].L);
      moving[k].L = NULL;
    }
    pthread_mutex_unlock(&moving[k].lock);
  }
  return NULL;
}

static void moves(void) {
  pthread_t t[THREADS];
  for (int i = 0; i < STATES; i++) pthread_mutex_init(&moving[i].lock, NULL);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, some_moves, (void *)(uintptr_t)(seed + 977 * i));
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < STATES; i++)
    if (moving[i].L) lua_close(moving[i].L);
  nothing_left(true);
}

/* --- fork --- */

#ifndef UNDER_TSAN /* it does not follow threads into a fork */

/* Other threads hold any of the library's locks at the time of the fork, and are not there in the child. */
static const char in_the_child[] =
    "local cuda = require 'cudalua'\n"
    "assert(cuda.poll() == 0 and cuda.mem_stats().live >= 0)\n"
    "for _, f in ipairs { function() m:ptr() end, function() cuda.mem_alloc(16) end,\n"
    "  function() p:push() end, function() s:synchronize() end, cuda.Stream,\n"
    "  function() m:free() end, function() x:launch() end } do\n"
    "  local ok, err = pcall(f)\n"
    "  assert(not ok and cuda.is_error(err) and tostring(err):find 'after fork')\n"
    "end\n"
    "m, s, p, h, x = nil, nil, nil, nil, nil\n"
    "cuda.collect()";

static atomic_bool enough;
static pthread_barrier_t ready;

static void *steps(void *L) {
  step(L, false);
  pthread_barrier_wait(&ready);
  while (!enough) step(L, false);
  pthread_barrier_wait(&ready);
  return NULL;
}

static void forks(void) {
  enum { WORKERS = 2 };
  pthread_t t[WORKERS];
  lua_State *workers[WORKERS];
  lua_State *L = new_state(seed, true);
  text(L,
       "cuda = require 'cudalua' p = cuda.Device(0):make_context() m = cuda.mem_alloc(16) s = cuda.Stream()",
       0);
  text(L, "s:on_complete(os.exit) h = cuda.pagelocked_empty(16, 'int32')", 0);
  text(L, "x = s:capture(function() end):instantiate()", 0);
  pthread_barrier_init(&ready, NULL, WORKERS + 1);
  for (unsigned i = 0; i < WORKERS; i++) workers[i] = new_state(seed + 977 * i, true);
  for (int i = 0; i < WORKERS; i++) pthread_create(&t[i], NULL, steps, workers[i]);
  pthread_barrier_wait(&ready);
  for (int i = 0; i < FORKS; i++) {
    pid_t pid = fork();
    TRUE(pid >= 0);
    if (!pid) {
      alarm(60); /* a child that waits for a lock ends with a signal */
      text(L, in_the_child, 0);
      lua_close(L);
      raise(SIGTERM); /* an end that asks nobody for leaks: nothing is freed in a fork */
    }
    int status;
    TRUE(waitpid(pid, &status, 0) == pid);
    TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    text(L, "assert(m:ptr() > 0 and #m == 16)", 0);
  }
  enough = true;
  pthread_barrier_wait(&ready);
  lua_close(L);
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(t[i], NULL);
    lua_close(workers[i]);
  }
  nothing_left(true);
}
#endif

/* --- */

static const struct {
  const char *name;
  void (*run)(void);
  int times; /* in a new process each */
  bool bare; /* without set_up() */
} groups[] = {{"together", together, .times = 3, .bare = true},
              {"stacks", stacks, .times = 1},
              {"other_thread", other_thread, .times = 1},
              {"implicit", implicit, .times = 1},
              {"stays_loaded", stays_loaded, .times = 1},
              {"one_thread", one_thread, .times = 1},
              {"threads", threads, .times = 1},
              {"moves", moves, .times = 1},
#ifndef UNDER_TSAN
              {"forks", forks, .times = 1}
#endif
};

/* Prints a line for each process: how it went. Returns how many failed. */
static int run_all(const char *program) {
  int number = 0, failed = 0;
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
    for (int k = 0; k < groups[i].times; k++) {
      char command[4096];
      snprintf(command, sizeof command, "'%s' '%s' %s %u", program, script, groups[i].name, seed);
      const bool bad = system(command) != 0;
      printf("%s %d - %s, seed %u\n", bad ? "not ok" : "ok", ++number, groups[i].name, seed);
      failed += bad;
    }
  return failed;
}

int main(int argc, char **argv) {
  script = argc > 1 ? argv[1] : "spec/support/states.lua";
  seed = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : (unsigned)time(NULL) % 1000000;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 3) return run_all(argv[0]) ? 1 : 0;
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
    if (!strcmp(argv[2], groups[i].name)) {
      if (!groups[i].bare) set_up();
      groups[i].run();
      free(image);
      return 0;
    }
  die("there is no such group");
}
