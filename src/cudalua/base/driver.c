/* Opening the driver: libcuda, the software device, or a library that the user names. */
#include "base/base.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/lock.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both are called through pointers of other types; every entry returns a CUresult, and a callee that
 * ignores its arguments may be given any. */
static CUresult not_initialized(void) { return CUDA_ERROR_NOT_INITIALIZED; }
static CUresult missing(void) { return CL_MISSING; }

#define CL_ENTRY(symbol, since) .symbol = (__typeof__(&symbol))(void *)not_initialized,
#define CL_ENTRY_OLD(symbol, since, type) .symbol = (type)(void *)not_initialized,
static const cl_Driver unopened = {.f = {
#include "base/entries.def"
                                   }};
#undef CL_ENTRY
#undef CL_ENTRY_OLD

CL_LOCK(open_lock);
static cl_Driver opened; /* what publish() fills in once */
const cl_Driver *_Atomic cl_driver_in_use = &unopened;
bool cl_forked;
_Atomic int cl_poison[CL_MAX_DEVICES];

bool cl_entry_present(const void *entry) {
  return entry != (const void *)not_initialized && entry != (const void *)missing;
}

int cl_entry_since(const char *symbol) {
#define CL_ENTRY(name, since)                                                                                \
  if (!strcmp(symbol, #name)) return since;
#define CL_ENTRY_OLD(name, since, type) CL_ENTRY(name, since)
#include "base/entries.def"
#undef CL_ENTRY
#undef CL_ENTRY_OLD
  return 0;
}

/* The driver explains its failures in a log of its own (12.9 and newer). The callback keeps what it
 * said on this thread; the next error raised takes it along. */
static __thread char log_text[2048];
static __thread size_t log_used, log_kept;

static void CUDA_CB keep_log(void *data, CUlogLevel level, char *message, size_t length) {
  (void)data;
  if (level != CU_LOG_LEVEL_ERROR)
    return; /* a warning of a call that succeeds would explain a later failure */
  size_t room = sizeof log_text - 1 - log_used;
  while (length && (message[length - 1] == '\n' || message[length - 1] == 0)) length--;
  if (length + 1 > room) return;
  if (log_used) log_text[log_used++] = '\n';
  memcpy(log_text + log_used, message, length);
  log_used += length;
  log_text[log_used] = 0;
}

const char *cl_log_text(void) { return log_used ? log_text : NULL; }
void cl_log_clear(void) { log_used = log_kept; }
void cl_log_keep(void) {
  if (!log_kept) log_kept = log_used;
  log_used = log_kept;
}
void cl_log_taken(void) { log_used = log_kept = 0; }

static void resolve(cl_Driver *d, void *lib) {
#define CL_ENTRY(symbol, since)                                                                              \
  {                                                                                                          \
    void *p_ = dlsym(lib, #symbol);                                                                          \
    d->f.symbol = (__typeof__(&symbol))(p_ ? p_ : (void *)missing);                                          \
  }
#define CL_ENTRY_OLD(symbol, since, type)                                                                    \
  {                                                                                                          \
    void *p_ = dlsym(lib, #symbol);                                                                          \
    d->f.symbol = (type)(p_ ? p_ : (void *)missing);                                                         \
  }
#include "base/entries.def"
#undef CL_ENTRY
#undef CL_ENTRY_OLD
  *(void **)&d->control = dlsym(lib, "cuSoftgpuControl");
  *(void **)&d->block = dlsym(lib, "cuSoftgpuBlock");
  *(void **)&d->interrupt = dlsym(lib, "cuSoftgpuInterrupt");
  *(void **)&d->progress = dlsym(lib, "cuSoftgpuProgress");
  *(void **)&d->profile = dlsym(lib, "cuSoftgpuProfile");
}

/* A driver lacks what came after it. The software device has every symbol, and can be told to be older. */
static void drop_newer(cl_Driver *d) {
#define CL_ENTRY(symbol, since)                                                                              \
  if (since > d->version) d->f.symbol = (__typeof__(&symbol))(void *)missing;
#define CL_ENTRY_OLD(symbol, since, type)                                                                    \
  if (since > d->version) d->f.symbol = (type)(void *)missing;
#include "base/entries.def"
#undef CL_ENTRY
#undef CL_ENTRY_OLD
}

static void publish(const cl_Driver *d) { /* locked */
  opened = *d;
  opened.open = true;
  atomic_store_explicit(&cl_driver_in_use, &opened, memory_order_release);
}

/* The driver answers everything in a fork with one code. It is not asked: what it had under way in another
 * thread does not end there. A fork has one thread as yet, so that nobody reads what changes here. */
static void after_fork(void) {
  if (!cl_driver()->open) return;
  cl_forked = true;
  cl_closes++;
  opened.f = unopened.f;
  opened.control = NULL;
  opened.interrupt = NULL;
  opened.progress = NULL;
}
CL_IN_FORK(driver, after_fork());

/* What one attempt came to. code 0 and devices > 0: the driver is usable. */
typedef struct Attempt {
  cl_Driver driver; /* as far as it came */
  bool loaded;
  const char *call; /* what answered code */
  CUresult code;
  int devices;
  char tried[2048]; /* every path, with what dlopen said of it */
} Attempt;

static bool load(const char *path, Attempt *a) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  size_t n = strlen(a->tried);
  if (!lib) {
    const char *why = dlerror();
    snprintf(a->tried + n, sizeof a->tried - n, "%s%s", n ? "; " : "", why ? why : path);
    return false;
  }
  resolve(&a->driver, lib);
  if (!cl_entry_present((const void *)a->driver.f.cuInit)) {
    snprintf(a->tried + n, sizeof a->tried - n, "%s%s: no cuInit in it", n ? "; " : "", path);
    dlclose(lib);
    return false;
  }
  snprintf(a->driver.path, sizeof a->driver.path, "%s", path);
  a->loaded = true;
  return true;
}

static void try_init(Attempt *a) {
  cl_Driver *d = &a->driver;
  a->code = d->f.cuInit(0);
  a->call = "cuInit";
  if (a->code) return;
  a->code = d->f.cuDriverGetVersion(&d->version);
  a->call = "cuDriverGetVersion";
  if (a->code) return;
  a->code = d->f.cuDeviceGetCount(&a->devices);
  a->call = "cuDeviceGetCount";
}

static void attempt(const char *path, Attempt *a) {
  memset(a, 0, sizeof *a);
  if (load(path, a)) try_init(a);
}

/* The folder of this module, found when it is opened: a relative LUA_CPATH holds only until somebody changes
 * the working directory. */
static char home[PATH_MAX];

void cl_remember_home(void) {
  Dl_info self;
  char path[PATH_MAX] = "";
  pthread_mutex_lock(&open_lock);
  if (!*home && dladdr((void *)cl_remember_home, &self) && self.dli_fname && realpath(self.dli_fname, path)) {
    *strrchr(path, '/') = 0;
    memcpy(home, path, sizeof home);
  }
  pthread_mutex_unlock(&open_lock);
}

/* Where the software device may be: beside this module when installed, in the next folder of a build tree, or
 * wherever the system looks. False past the last. */
static bool soft_path(int i, char *path, size_t size) {
  static const char name[] = "libcudalua-softgpu.so";
  if (i < 2)
    snprintf(path, size, "%s/%s%s", *home ? home : ".", i ? "../softgpu/" : "", name);
  else
    snprintf(path, size, "%s", name);
  return i < 3;
}

static void attempt_soft(Attempt *a) {
  memset(a, 0, sizeof *a);
  char path[PATH_MAX + 64];
  for (int i = 0; !a->loaded && soft_path(i, path, sizeof path); i++)
    if (*home || i == 2) load(path, a);
  if (a->loaded) try_init(a);
}

static bool usable(const Attempt *a) { return a->loaded && a->code == CUDA_SUCCESS && a->devices > 0; }

/* True where the fallback to the software device is right: there is no driver, only the toolkit's stub,
 * or no GPU. Anything else (another process's fork, a mismatched driver) is the user's to know. */
static bool no_gpu(const Attempt *a) {
  return !a->loaded || a->code == CUDA_ERROR_STUB_LIBRARY || a->code == CUDA_ERROR_NO_DEVICE ||
         (a->code == CUDA_SUCCESS && a->devices == 0);
}

/* A code that is not in our list is one of the driver's, which is not in use yet. */
static const char *text_of(const Attempt *a) {
  const char *text = NULL;
  if (!cl_code_name(a->code) && !a->driver.f.cuGetErrorString(a->code, &text) && text) return text;
  return cl_code_text(a->code);
}

static void why(const Attempt *a, char *out, size_t size) {
  if (!a->loaded)
    snprintf(out, size, "%s", a->tried);
  else if (a->code)
    snprintf(out, size, "%s: %s: %s (%s)", a->driver.path, a->call, text_of(a),
             cl_code_name(a->code) ? cl_code_name(a->code) : "?");
  else
    snprintf(out, size, "%s: no CUDA device", a->driver.path);
}

/* "auto", "cuda", "soft" or a path: the choice given, else CUDALUA_DRIVER. */
static const char *choose(lua_State *L, const char *given) {
  const char *choice = given ? given : getenv("CUDALUA_DRIVER");
  if (!choice || !*choice) choice = "auto";
  if (!strchr(choice, '/') && strcmp(choice, "auto") && strcmp(choice, "cuda") && strcmp(choice, "soft"))
    cl_logic(L, "%s must be auto, cuda, soft or the path of a driver library, got '%s'",
             given ? "init: driver" : "CUDALUA_DRIVER", choice);
  return choice;
}

/* Is the driver in use another one than the choice names? A library may have several paths, and one handle.
 */
static bool differs(const char *choice) { /* locked */
  const cl_Driver *d = cl_driver();
  if (!strcmp(choice, "auto")) return false;
  if (!strcmp(choice, "soft")) return !d->soft;
  const char *path = strcmp(choice, "cuda") ? choice : "libcuda.so.1";
  if (!strcmp(path, d->path)) return false;
  void *used = dlopen(d->path, RTLD_NOW | RTLD_NOLOAD), *named = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  bool same = used && used == named;
  if (used) dlclose(used);
  if (named) dlclose(named);
  return !same;
}

/* init(choice) -> notice or nil. */
int cl_init(lua_State *L) {
  if (cl_forked) cl_fail_forked(L);
  const char *choice = choose(L, luaL_optstring(L, 1, NULL));
  bool is_auto = !strcmp(choice, "auto"), is_path = strchr(choice, '/') != NULL;
  bool given = !lua_isnoneornil(L, 1), refused = false;

  Attempt a;
  memset(&a, 0, sizeof a);
  char notice[2560] = "", reason[2304] = "";
  bool failed = false;
  pthread_mutex_lock(&open_lock);
  if (!cl_driver()->open) {
    if (is_path)
      attempt(choice, &a);
    else if (!strcmp(choice, "soft"))
      attempt_soft(&a);
    else
      attempt("libcuda.so.1", &a);
    if (!usable(&a)) {
      why(&a, reason, sizeof reason);
      failed = true;
      if (is_auto && no_gpu(&a)) {
        snprintf(notice, sizeof notice,
                 "no GPU found (%s): running on the software CUDA device; set CUDALUA_DRIVER=soft to choose "
                 "it without this notice",
                 reason);
        attempt_soft(&a);
        failed = !usable(&a);
        if (failed) why(&a, reason, sizeof reason);
      }
    }
    if (!failed) {
      CUlogsCallbackHandle logs;
      a.driver.soft = a.driver.control != NULL;
      if (a.driver.soft) drop_newer(&a.driver);
      a.driver.f.cuLogsRegisterCallback(keep_log, NULL, &logs); /* absent on older drivers: no detail then */
      publish(&a.driver);
    }
  } else
    refused = given && differs(choice);
  pthread_mutex_unlock(&open_lock);

  if (refused)
    cl_logic(
        L,
        "init: the driver '%s' cannot be opened, because this process already uses %s (%s); call "
        "cuda.init { driver = \"%s\" } before anything else that needs a driver, or set CUDALUA_DRIVER=%s",
        choice, cl_driver()->soft ? "the software CUDA device" : "a GPU's driver", cl_driver()->path, choice,
        choice);
  if (failed) {
    /* The driver was started by somebody else, before the fork. */
    if (a.loaded && a.code == CUDA_ERROR_NOT_INITIALIZED) cl_fail_forked(L);
    if (a.loaded && a.code) {
      cl_fail_new(L, a.call, a.code);
      lua_pushstring(L, reason);
      lua_setfield(L, -2, "detail");
    } else
      cl_error_new(L, CL_RUNTIME_ERROR, "no CUDA driver: %s", reason);
    if (strcmp(choice, "soft")) {
      lua_pushliteral(L, "CUDALUA_DRIVER=soft runs the program on the software CUDA device");
      lua_setfield(L, -2, "hint");
    }
    cl_throw(L);
  }
  if (cl_interrupts_here(L)) CL_RUN_HOOKS(cl_on_interrupts_on, );
  cl_progress_listen();
  if (!*notice) return 0;
  lua_pushstring(L, notice);
  return 1;
}

/* driver_info() -> {open, soft, version, path} */
int cl_driver_info(lua_State *L) {
  const cl_Driver *d = cl_driver();
  lua_createtable(L, 0, 4);
  lua_pushboolean(L, d->open);
  lua_setfield(L, -2, "open");
  if (!d->open) return 1;
  lua_pushboolean(L, d->soft);
  lua_setfield(L, -2, "soft");
  lua_pushinteger(L, d->version);
  lua_setfield(L, -2, "version");
  lua_pushstring(L, d->path);
  lua_setfield(L, -2, "path");
  return 1;
}

int cl_get_version(lua_State *L) {
  lua_pushinteger(L, CUDA_VERSION / 1000);
  lua_pushinteger(L, CUDA_VERSION % 1000 / 10);
  lua_pushinteger(L, CUDA_VERSION % 10);
  return 3;
}

/* Asks a library for its version without starting it; it stays loaded, for init. */
static void ask_version(const char *path, Attempt *a, int *version) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CUresult (*ask)(int *) = NULL;
  if (lib) *(void **)&ask = dlsym(lib, "cuDriverGetVersion");
  size_t n = strlen(a->tried);
  if (!ask) {
    const char *why = lib ? "no cuDriverGetVersion in it" : dlerror();
    snprintf(a->tried + n, sizeof a->tried - n, "%s%s%s%s", n ? "; " : "", lib ? path : "", lib ? ": " : "",
             why ? why : path);
    return;
  }
  a->loaded = true;
  a->code = ask(version);
}

/* The version of the driver in use; before init, of the one that init would try first. */
int cl_get_driver_version(lua_State *L) {
  int v = 0;
  if (cl_driver()->open) {
    CL_TRY(L, cuDriverGetVersion, &v);
    lua_pushinteger(L, v);
    return 1;
  }
  const char *choice = choose(L, NULL);
  Attempt a = {.loaded = false};
  if (strcmp(choice, "soft") != 0) ask_version(strchr(choice, '/') ? choice : "libcuda.so.1", &a, &v);
  if (!strcmp(choice, "soft") ||
      (!strcmp(choice, "auto") && (!a.loaded || a.code == CUDA_ERROR_STUB_LIBRARY))) {
    char path[PATH_MAX + 64];
    a.loaded = false;
    for (int i = 0; !a.loaded && soft_path(i, path, sizeof path); i++)
      if (*home || i == 2) ask_version(path, &a, &v);
  }
  if (!a.loaded) {
    cl_error_new(L, CL_RUNTIME_ERROR, "no CUDA driver: %s", a.tried);
    cl_throw(L);
  }
  if (a.code) cl_fail(L, "cuDriverGetVersion", a.code);
  lua_pushinteger(L, v);
  return 1;
}

/* Sends a command and pushes the reply; raises where the driver is not the software device, or refuses. */
static void control(lua_State *L, const char *command) {
  if (cl_forked) cl_fail_forked(L);
  if (!cl_driver()->control)
    cl_logic(L, "the software CUDA device is not in use: %s",
             cl_driver()->open ? cl_driver()->path : "call cuda.init() with CUDALUA_DRIVER=soft first");
  size_t size = 4096, need = 0;
  for (;;) {
    char *reply = lua_newuserdata(L, size);
    reply[0] = 0;
    CUresult r = cl_driver()->control(command, reply, size, &need);
    if (need > size) {
      size = need + 4096; /* the log may grow between the two calls */
      lua_pop(L, 1);
      continue;
    }
    if (r != CUDA_SUCCESS) cl_logic(L, "software device: %s", reply);
    lua_pushstring(L, reply);
    lua_remove(L, -2);
    return;
  }
}

void cl_say_place(const char *place) {
  char command[160];
  if (!cl_driver()->control) return;
  snprintf(command, sizeof command, "place %s", place ? place : "");
  cl_driver()->control(command, NULL, 0, NULL);
}

void cl_say_block(uint64_t address, uint64_t bytes, const char *place) {
  if (cl_driver()->block && !cl_forked) cl_driver()->block(address, bytes, place);
}

/* softgpu_control(command) -> reply */
int cl_softgpu_control(lua_State *L) {
  control(L, luaL_checkstring(L, 1));
  return 1;
}

CL_HOOK_LIST(cl_on_driver_reset);

/* softgpu_restart(command): drops everything on the device, sends the command, starts it again. */
int cl_softgpu_restart(lua_State *L) {
  const char *command = luaL_checkstring(L, 1);
  control(L, "reset");
  CL_RUN_HOOKS(cl_on_driver_reset, L);
  for (int i = 0; i < CL_MAX_DEVICES; i++) cl_poison[i] = 0;
  cl_forget_report();
  cl_log_taken();
  control(L, command);
  CL_TRY(L, cuInit, 0);
  return 0;
}
