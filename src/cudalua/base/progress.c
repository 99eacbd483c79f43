/* Lines of progress.
 *
 * A loop's line fills the terminal's whole width, the last column with a blank. There a terminal waits with
 * the cursor in that column: the next character goes to the line below, a carriage return to the beginning of
 * this one. So what a program prints meanwhile begins on a line of its own, also when the loop that drew
 * the line was left by break or an error, of which nobody hears; and the next line of progress comes in
 * place of the one before. While other lines are shown no code of the program runs. They leave the cursor at
 * their beginning, where the echo of a key does not keep them from being erased. */
#include "base/progress.h"
#include "base/base.h"
#include "base/lock.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { MOST_COLUMNS = 400, USUAL_COLUMNS = 80 };

static _Atomic bool on;
static struct {
  bool shown;
  int fd;
} line;
CL_LOCK(line_lock); /* of the line: kernels draw it in several threads */
CL_IN_FORK(line, line.shown = false);

_Thread_local cl_ProgressPart cl_progress_part;

/* --- the terminal --- */

/* 0: nobody, "0"; 1: as it is; 2: everybody, "1" */
static int wish_of_environment(void) {
  const char *text = getenv("CUDALUA_PROGRESS");
  return text && !strcmp(text, "0") ? 0 : text && !strcmp(text, "1") ? 2 : 1;
}

bool cl_progress_is_on(void) {
  const int wish = wish_of_environment();
  return wish == 2 || (wish == 1 && atomic_load(&on));
}

/* Columns of a terminal that can move its cursor; 0: it is none, or nobody wants lines. */
static unsigned columns_of(int fd) {
  const char *term = getenv("TERM");
  if (!term || !*term || !strcmp(term, "dumb") || !wish_of_environment() || !isatty(fd)) return 0;
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col) return USUAL_COLUMNS;
  return size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
}

static void put(int fd, const char *text, size_t n) {
  while (n) {
    const ssize_t written = write(fd, text, n);
    if (written <= 0) return; /* a line less */
    text += written, n -= (size_t)written;
  }
}

/* As much of the text as `room` columns have for certain: characters beyond the alphabets count two. */
static size_t fit(char *to, const char *text, unsigned room) {
  size_t n = 0;
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    const size_t bytes = *s < 0xc0 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
    const unsigned columns = bytes > 2 ? 2 : 1;
    if (strnlen((const char *)s, bytes) < bytes || columns > room) break;
    room -= columns;
    if (bytes == 1)
      to[n++] = *s < 32 || *s >= 127 ? ' ' : (char)*s;
    else
      memcpy(to + n, s, bytes), n += bytes;
    s += bytes;
  }
  return n;
}

void cl_progress_show(int fd, const char *text, bool loop) {
  const unsigned columns = columns_of(fd);
  if (columns < 2) return;
  char out[4 * MOST_COLUMNS + 64] = "\r";
  size_t n = 1 + fit(out + 1, text, columns - 1);
  n += (size_t)snprintf(out + n, sizeof out - n, loop ? "\33[K\33[%uG " : "\33[K\r", columns);
  pthread_mutex_lock(&line_lock);
  put(fd, out, n);
  line.shown = true;
  line.fd = fd;
  pthread_mutex_unlock(&line_lock);
}

static void end_line(const char *how) {
  pthread_mutex_lock(&line_lock);
  if (line.shown) put(line.fd, how, strlen(how));
  line.shown = false;
  pthread_mutex_unlock(&line_lock);
}

void cl_progress_erase(void) { end_line("\r\33[K"); }
void cl_progress_leave(void) { end_line("\n"); }

/* The process ends, perhaps with an error in the middle of a loop. */
__attribute__((destructor)) static void leave_at_exit(void) { cl_progress_leave(); }

/* --- texts --- */

const char *cl_progress_time(uint64_t seconds, char *text, unsigned room) {
  const unsigned h = (unsigned)(seconds / 3600), m = (unsigned)(seconds / 60 % 60),
                 s = (unsigned)(seconds % 60);
  if (h)
    snprintf(text, room, "%u:%02u:%02u", h, m, s);
  else
    snprintf(text, room, "%u:%02u", m, s);
  return text;
}

uint64_t cl_progress_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* --- kernels of the software device --- */

/* In any thread. NULL: the kernel is over. */
static void show_kernel(const char *kernel, uint64_t done, uint64_t blocks, uint64_t ns) {
  if (!kernel) {
    cl_progress_erase();
    return;
  }
  char text[512], taken[24], left[24];
  size_t n = (size_t)snprintf(text, sizeof text, "kernel %.300s", kernel);
  if (blocks > 1)
    n += (size_t)snprintf(text + n, sizeof text - n, ": %" PRIu64 " of %" PRIu64 " blocks", done, blocks);
  n += (size_t)snprintf(text + n, sizeof text - n, ", %s",
                        cl_progress_time(ns / 1000000000, taken, sizeof taken));
  if (done && done < blocks) {
    const double rest = (double)ns * 1e-9 * (double)(blocks - done) / (double)done;
    snprintf(text + n, sizeof text - n, ", about %s left",
             cl_progress_time((uint64_t)rest, left, sizeof left));
  }
  cl_progress_show(STDERR_FILENO, text, false);
}

void cl_progress_listen(void) {
  const cl_Driver *d = cl_driver();
  if (d->progress && !cl_forked) d->progress(cl_progress_is_on() ? show_kernel : NULL);
}

/* --- for Lua --- */

/* show_progress([on]) -> was it on? */
int cl_show_progress(lua_State *L) {
  const bool was = cl_progress_is_on();
  if (!lua_isnoneornil(L, 1)) {
    if (lua_type(L, 1) != LUA_TBOOLEAN)
      cl_logic(L, "show_progress: on must be true or false, got %s", cl_type_text(L, 1));
    atomic_store(&on, lua_toboolean(L, 1));
    cl_progress_listen();
  }
  lua_pushboolean(L, was);
  return 1;
}

/* progress_columns(fd) -> columns of the terminal; nil: nothing can be shown there */
int cl_progress_columns(lua_State *L) {
  const unsigned columns = columns_of((int)lua_tointeger(L, 1));
  if (columns < 2) return 0;
  lua_pushinteger(L, (lua_Integer)columns);
  return 1;
}

/* progress_show(fd, text): of a loop */
int cl_lua_progress_show(lua_State *L) {
  cl_progress_show((int)lua_tointeger(L, 1), luaL_checkstring(L, 2), true);
  return 0;
}

/* progress_erase(), before something is written to the terminal */
int cl_lua_progress_erase(lua_State *L) {
  (void)L;
  cl_progress_erase();
  return 0;
}

/* progress_leave(): the line stays, and what is written next begins below it */
int cl_lua_progress_leave(lua_State *L) {
  (void)L;
  cl_progress_leave();
  return 0;
}

/* progress_part(i, n): compilations from here on are number i of n; without arguments they are alone */
int cl_lua_progress_part(lua_State *L) {
  cl_ProgressPart *p = &cl_progress_part;
  const bool goes_on = p->n != 0;
  p->i = (unsigned)luaL_optinteger(L, 1, 0);
  p->n = (unsigned)luaL_optinteger(L, 2, 0);
  if (!goes_on) p->since = cl_progress_ms();
  return 0;
}
