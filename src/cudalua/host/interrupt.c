/* Ctrl-C: the signal's handler, the hook that stops Lua code, and the thread that speaks when neither helps.
 *
 * The handler raises the flag of base/interrupt.h and arms a hook, as luajit's own handler does; LuaJIT has
 * one hook for all coroutines of a state. The hook raises InterruptError where the code that it interrupts is
 * not the library's, so no state of the library is left half written. Waits look at the flag. Whoever raises
 * takes flag and hook back. A second press within two seconds of the first keeps the hook armed for every
 * instruction, which ends loops around pcall(), until the prompt takes it or interrupts are turned on again.
 *
 * One state has interrupts on, in the thread that turned them on. A signal that another thread gets is sent
 * there.
 */
#include "base/base.h"
#include "base/interrupt.h"
#include "base/lock.h"
#include "base/progress.h"
#include "base/state.h"
#include "streams/wait.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SILENCE_S = 1 };
static const int64_t AGAIN_NS = 2000000000;

static struct {
  lua_State *L; /* the coroutine that turned interrupts on; the hook is that of all */
  pthread_t thread;
  char where[128]; /* that turned them on */
  bool handles;    /* the handler is ours */
  bool guarded;    /* it was so when the compiler began */
  struct sigaction before;
  /* written by the handler, in the owner's thread: */
  volatile sig_atomic_t armed, insists;
  volatile int64_t pressed; /* ns */
  lua_Hook hook;            /* the program's own, while armed */
  int mask, count;
} owner;

CL_LOCK(owner_lock); /* of turning on and off */

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The thread that speaks. */
static struct {
  bool started;
  sem_t pressed;
  _Atomic uint32_t presses; /* since the last one that was honoured */
} speaker;

/* --- the hook --- */

/* Functions of LuaJIT's own that are Lua, as table.remove, and those that the library makes of text. */
static bool made(const lua_Debug *ar) {
  return !strncmp(ar->source, "=[builtin:", 10) || !strncmp(ar->source, "=cudalua", 8);
}

static void stop(lua_State *L, lua_Debug *ar) {
  if (!cl_interrupts_on() || !(cl_interrupt_raised || owner.insists)) {
    cl_interrupt_take();
    return;
  }
  if (!lua_getinfo(L, "S", ar) || !strcmp(ar->what, "C") || made(ar) || cl_is_library_code(L, ar)) return;
  luaL_checkstack(L, 16, "interrupt");
  cl_fail(L, "", CL_INTERRUPTED);
}

static void arm(void) {
  if (!owner.armed) {
    owner.hook = lua_gethook(owner.L);
    owner.mask = lua_gethookmask(owner.L);
    owner.count = lua_gethookcount(owner.L);
    owner.armed = 1;
  }
  lua_sethook(owner.L, stop, LUA_MASKCOUNT, 1);
}

/* Runs in the owner's thread. */
static void disarm(void) {
  atomic_store(&speaker.presses, 0);
  if (!owner.armed || owner.insists) return;
  owner.armed = 0;
  lua_sethook(owner.L, owner.hook, owner.mask, owner.count);
}
CL_HOOK(cl_on_interrupt_taken, 1, disarm);

/* --- the thread that speaks --- */

static void say(const char *text) {
  const size_t n = strlen(text);
  if (write(STDERR_FILENO, text, n) < 0) return; /* nobody to tell */
}

static bool untaken(void) { return cl_interrupts_on() && cl_interrupt_raised; }

static void complain(void) {
  char text[256];
  cl_progress_erase();
  const char *what = atomic_load(&cl_busy_with);
  if (what)
    snprintf(text, sizeof text, "cudalua: still waiting for %s, which cannot be interrupted here", what);
  else
    snprintf(text, sizeof text,
             "cudalua: compiled Lua code or a C function is running and cannot be interrupted");
  say(text);
  say("; press Ctrl-C again to end the process\n");
}

/* Asks on the terminal. Only `y` ends the process: data that is not saved would be lost. */
static void offer_end(void) {
  char answer = 0, line[256]; /* all of it: what is left would answer the next question */
  const int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (tty < 0) {
    say("cudalua: SIGTERM ends the process\n");
    return;
  }
  static const char question[] = "cudalua: end the process? Unsaved work is lost. [y/N] ";
  if (write(tty, question, sizeof question - 1) > 0)
    while (untaken()) {
      struct pollfd p = {tty, POLLIN, 0};
      if (poll(&p, 1, 100) <= 0) continue;
      if (read(tty, line, sizeof line) > 0) answer = line[0];
      break;
    }
  close(tty);
  if ((answer == 'y' || answer == 'Y') && untaken()) _exit(130);
}

/* Nothing of Lua, nothing of the driver. */
static void *speak(void *unused) {
  for (;;) {
    while (sem_wait(&speaker.pressed) && errno == EINTR) {}
    const struct timespec moment = {0, 50000000};
    for (int i = 0; i < SILENCE_S * 20 && untaken(); i++) nanosleep(&moment, NULL);
    if (!untaken()) continue;
    uint32_t presses = atomic_load(&speaker.presses); /* before anybody is told to press again */
    complain();
    while (untaken()) { /* each later press asks anew */
      while (untaken() && atomic_load(&speaker.presses) == presses) nanosleep(&moment, NULL);
      if (untaken()) offer_end();
      presses = atomic_load(&speaker.presses);
    }
  }
  return unused;
}

static void start_speaker(void) {
  if (speaker.started || sem_init(&speaker.pressed, 0, 0)) return;
  sigset_t all, before;
  pthread_t thread;
  pthread_attr_t attributes;
  sigfillset(&all);
  if (pthread_attr_init(&attributes)) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  speaker.started = !pthread_create(&thread, &attributes, speak, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

/* A fork has no such thread, and no device. */
static void in_fork(void) {
  speaker.started = false;
  if (owner.handles) sigaction(SIGINT, &owner.before, NULL);
  owner.handles = false;
}
CL_IN_FORK(speaker, in_fork());

/* --- raising the flag --- */

static void press(void) {
  const int64_t t = now();
  if (owner.pressed && t - owner.pressed < AGAIN_NS) owner.insists = 1;
  owner.pressed = t;
  atomic_store(&cl_interrupt_raised, true);
  atomic_fetch_add(&speaker.presses, 1);
  arm();
  if (speaker.started) sem_post(&speaker.pressed);
}

/* Async-signal-safe as far as luajit's own handler is. */
static void on_signal(int signal) {
  const int saved = errno;
  if (cl_interrupts_on()) {
    if (pthread_equal(pthread_self(), owner.thread))
      press();
    else
      pthread_kill(owner.thread, signal);
  }
  errno = saved;
}

/* For a host's own handler of a signal: found with dlsym() in this library. */
__attribute__((visibility("default"))) void cudalua_interrupt(void);
void cudalua_interrupt(void) {
  if (!cl_interrupts_on()) return;
  if (pthread_equal(pthread_self(), owner.thread))
    press();
  else
    atomic_store(&cl_interrupt_raised, true); /* waits see it; the hook is the owner's to set */
}

/* luajit's own handler is there while it runs a script, and does what ours does for Lua code. */
static bool is_luajits(const struct sigaction *a) {
  char exe[256];
  Dl_info in;
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n <= 0 || a->sa_flags & SA_SIGINFO || !dladdr((void *)a->sa_handler, &in)) return false;
  exe[n] = 0;
  const char *base = strrchr(exe, '/'), *file = strrchr(in.dli_fname, '/');
  base = base ? base + 1 : exe;
  file = file ? file + 1 : in.dli_fname;
  return !strncmp(base, "luajit", 6) && !strncmp(file, "luajit", 6);
}

static bool set_handler(void) {
  struct sigaction ours = {.sa_handler = on_signal}; /* no SA_RESTART: reads of the program come back */
  sigemptyset(&ours.sa_mask);
  return !sigaction(SIGINT, &ours, NULL);
}

static void install(void) {
  if (sigaction(SIGINT, NULL, &owner.before)) return;
  const bool free_to_take = owner.before.sa_handler == SIG_DFL || is_luajits(&owner.before);
  owner.handles = free_to_take && set_handler();
}

/* A handler that the program set before the compilation stays. A compilation that was given up may end after
 * interrupts were turned off, and then sets ours: it is taken away again. */
static void guard_handler(bool begins) {
  struct sigaction is;
  pthread_mutex_lock(&owner_lock);
  if (!sigaction(SIGINT, NULL, &is)) {
    const bool ours = is.sa_handler == on_signal;
    if (begins)
      owner.guarded = ours;
    else if (owner.handles && owner.guarded && (!ours || is.sa_flags & SA_RESTART))
      set_handler();
    else if (!owner.handles && owner.guarded && ours)
      sigaction(SIGINT, &owner.before, NULL);
  }
  pthread_mutex_unlock(&owner_lock);
}
CL_HOOK(cl_on_handler_at_risk, 0, guard_handler);

/* --- on and off --- */

static void forget(void) {
  owner.insists = 0;
  owner.pressed = 0;
  atomic_store(&speaker.presses, 0);
}

static void turn_off(void) { /* locked */
  struct sigaction is;
  if (owner.handles && !sigaction(SIGINT, NULL, &is) && is.sa_handler == on_signal)
    sigaction(SIGINT, &owner.before, NULL);
  owner.handles = false;
  forget();
  cl_interrupt_take();
  atomic_store(&cl_interrupts, false);
  atomic_store(&cl_interrupts_owner, NULL);
  CL_RUN_HOOKS(cl_on_interrupts_off, );
}

static void closing(cl_State *st) {
  pthread_mutex_lock(&owner_lock);
  if (atomic_load(&cl_interrupts_owner) == st) turn_off();
  pthread_mutex_unlock(&owner_lock);
}
CL_HOOK(cl_on_state_close, 0, closing);

static const char coroutine_key = 0;

/* interrupts([on]) -> were they on in this state? */
int cl_set_interrupts(lua_State *L) {
  cl_State *st = cl_state(L);
  const bool ask = lua_isnoneornil(L, 1), on = lua_toboolean(L, 1), was = cl_interrupts_here(L);
  if (!ask && lua_type(L, 1) != LUA_TBOOLEAN)
    cl_logic(L, "interrupts: on must be true or false, got %s", cl_type_text(L, 1));
  if (ask || (!on && !was)) return lua_pushboolean(L, was), 1;
  const char *here = cl_here(L);
  lua_pushlightuserdata(L, (void *)&coroutine_key); /* it must live as long as they are on */
  lua_pushthread(L);
  if (on && !(atomic_load(&cl_interrupts_owner) && !was)) lua_rawset(L, LUA_REGISTRYINDEX);
  lua_settop(L, 1);
  lua_pushboolean(L, was);
  char other[sizeof owner.where] = "";
  pthread_mutex_lock(&owner_lock);
  if (!on) {
    turn_off();
  } else if (atomic_load(&cl_interrupts_owner) && !was) {
    memcpy(other, owner.where, sizeof other);
  } else {
    forget();
    cl_interrupt_take();
    owner.L = L;
    owner.thread = pthread_self();
    snprintf(owner.where, sizeof owner.where, "%s", here ? here : "the host program");
    atomic_store(&cl_interrupts_owner, st);
    atomic_store(&cl_interrupts, true);
    start_speaker();
    if (!owner.handles) install();
    CL_RUN_HOOKS(cl_on_interrupts_on, );
  }
  pthread_mutex_unlock(&owner_lock);
  if (*other)
    cl_logic(L,
             "interrupts: another Lua state of this process has them on, since %s; turn them off there first",
             other);
  return 1;
}

/* interrupt(): as Ctrl-C does */
int cl_interrupt(lua_State *L) {
  (void)L;
  cudalua_interrupt();
  return 0;
}

/* interrupt_take() -> was one asked for and not honoured? Ends what a second press began. */
int cl_lua_interrupt_take(lua_State *L) {
  lua_pushboolean(L, 0);
  if (!cl_interrupts_here(L)) return 1;
  forget();
  lua_pushboolean(L, cl_interrupt_take());
  return 1;
}

/* interrupt_check(): raises InterruptError if one was asked for. In long loops of the library in Lua. */
int cl_lua_interrupt_check(lua_State *L) {
  cl_interrupt_check(L);
  return 0;
}

/* interrupt_at(n): for tests: the n-th look at the flag from now on raises it. -> looks so far */
int cl_lua_interrupt_at(lua_State *L) {
  cl_interrupt_at((uint64_t)lua_tonumber(L, 1));
  lua_pushnumber(L, (double)cl_interrupt_looks());
  return 1;
}
