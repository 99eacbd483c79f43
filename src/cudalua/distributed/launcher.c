/* cudalua run: starts the ranks of a program on this machine, and stays with them until the last one has
 * ended.
 *
 * The launcher has one thread and opens no driver. It relays the ranks' output line by line, passes signals
 * on, and tells the others, in their shared memory, of a rank that ended with an error. These raise it in
 * their next call, have `grace` seconds for that, and are ended then. */
#include "base/base.h"
#include "distributed/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
  LINE = 64 * 1024, /* longer lines are relayed in parts */
  QUEUE = 4 * LINE,
  AT_ONCE = 4096, /* a pipe that is ready takes so many bytes without blocking */
  GRACE = 2,      /* seconds from an error to SIGTERM unless the user says so, and from that to SIGKILL */
  LEAVE = 5,      /* seconds from a signal that ends programs to SIGKILL */
  VARIABLES = 7,
  VARIABLE = 48 /* bytes of one */
};

static const int passed[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
enum { PASSED = sizeof passed / sizeof *passed };

/* One of the launcher's two outputs, and what waits to be written there. If whoever reads it is slow, the
 * launcher stops reading from the ranks, but goes on to take signals and to see ranks end. */
typedef struct Target {
  int fd; /* -1: whoever read it has gone */
  size_t used;
  char text[QUEUE];
} Target;

/* One of a rank's two outputs. */
typedef struct Output {
  int fd; /* -1: closed */
  Target *to;
  size_t used;
  char *text;
} Output;

typedef struct Child {
  pid_t pid;
  bool ended;
  int status;
  Output out[2];
} Child;

typedef struct Run {
  uint32_t size;
  char **argv, **environment; /* without the variables of ranks */
  int memory, signals;
  sigset_t before; /* the signals that were blocked */
  struct sigaction pipe_before, child_before;
  cl_World w;
  Child child[CL_MOST_RANKS];
  Target target[2];
  uint32_t started, living;
  int signalled;           /* by which the launcher was asked to end; 0: it was not */
  int first;               /* the rank that ended with an error first; -1: none */
  double grace;            /* seconds from an error to SIGTERM */
  double term_at, kill_at; /* 0: not yet known */
} Run;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* --- starting --- */

/* In the child, which has no other thread: nothing here allocates. */
static void become_rank(Run *r, uint32_t rank, pid_t launcher, const int *out, const int *err) {
  char text[VARIABLES][VARIABLE];
  const char *const formats[] = {"CUDALUA_RANK=%u", "CUDALUA_LOCAL_RANK=%u", "CUDALUA_SIZE=%u",
                                 "CUDALUA_LOCAL_SIZE=%u", "CUDALUA_SEGMENT=%u"};
  const unsigned values[] = {rank, rank, r->size, r->size, (unsigned)r->memory};
  char **end = r->environment;
  r->w.s->rank[rank].launched = (uint32_t)getpid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(1); /* it ended before that */
  while (*end) end++;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    snprintf(text[i], VARIABLE, formats[i], values[i]);
    *end++ = text[i];
  }
  *end = NULL;
  if (rank) {
    const int none = open("/dev/null", O_RDONLY);
    if (none >= 0) dup2(none, 0);
  }
  dup2(out[1], 1);
  dup2(err[1], 2);
  fcntl(r->memory, F_SETFD, 0);
  sigaction(SIGPIPE, &r->pipe_before, NULL);
  sigaction(SIGCHLD, &r->child_before, NULL);
  sigprocmask(SIG_SETMASK, &r->before, NULL);
  execve(r->argv[0], r->argv, r->environment);
  static const char why[] = "cudalua: cannot start LuaJIT\n";
  if (write(2, why, sizeof why - 1) < 0) _exit(126);
  _exit(127);
}

/* An errno if it cannot be started. */
static int start_rank(Run *r, uint32_t rank) {
  Child *c = &r->child[rank];
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  const pid_t launcher = getpid();
  const bool piped = !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC);
  c->pid = piped ? fork() : -1;
  if (!c->pid) become_rank(r, rank, launcher, out, err);
  const int e = c->pid < 0 ? errno : 0;
  if (out[1] >= 0) close(out[1]);
  if (err[1] >= 0) close(err[1]);
  if (e) {
    if (out[0] >= 0) close(out[0]);
    if (err[0] >= 0) close(err[0]);
    return e;
  }
  c->out[0].fd = out[0];
  c->out[1].fd = err[0];
  for (int i = 0; i < 2; i++) {
    c->out[i].to = &r->target[i];
    fcntl(c->out[i].fd, F_SETFL, O_NONBLOCK);
  }
  r->started++;
  r->living++;
  return 0;
}

/* --- output --- */

static void close_output(Output *o) {
  if (o->fd >= 0) close(o->fd);
  o->fd = -1;
  o->used = 0;
}

/* Writes what can be written now; patient: all, however long it takes. */
static void write_target(Target *t, bool patient) {
  while (t->fd >= 0 && t->used) {
    const ssize_t n = write(t->fd, t->text, t->used < AT_ONCE ? t->used : AT_ONCE);
    if (n > 0) {
      t->used -= (size_t)n;
      memmove(t->text, t->text + n, t->used);
    } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
      t->fd = -1;
      t->used = 0;
    } else if (patient) {
      poll(&(struct pollfd){.fd = t->fd, .events = POLLOUT}, 1, -1);
    }
    if (!patient) break;
  }
}

/* The end of the output. After a signal the launcher waits for no reader. */
static void finish_target(Target *t, bool patient) {
  while (t->fd >= 0 && t->used) {
    if (!patient && poll(&(struct pollfd){.fd = t->fd, .events = POLLOUT}, 1, 0) <= 0) break;
    write_target(t, patient);
  }
}

static bool has_room(const Target *t) { return t->used + LINE + 32 <= QUEUE; }

/* Relays complete lines, or with `all` everything, until the target is full. */
static void relay(Output *o, uint32_t rank, bool all) {
  size_t at = 0;
  Target *t = o->to;
  while (at < o->used && has_room(t)) {
    const char *line = o->text + at, *end = memchr(line, '\n', o->used - at);
    if (!end && !all && o->used - at < LINE) break;
    const size_t n = end ? (size_t)(end - line) : o->used - at;
    t->used += (size_t)snprintf(t->text + t->used, 32, "[%u] ", rank);
    memcpy(t->text + t->used, line, n);
    t->used += n;
    t->text[t->used++] = '\n';
    at += n + (end != NULL);
  }
  o->used -= at;
  if (at) memmove(o->text, o->text + at, o->used);
  if (o->fd >= 0 && t->fd < 0) close_output(o); /* a rank that writes there hears of it as from any pipe */
}

/* Reads what there is. True: there may be more. */
static bool read_output(Output *o, uint32_t rank) {
  if (o->fd < 0 || !has_room(o->to)) return false;
  const ssize_t n = o->used < LINE ? read(o->fd, o->text + o->used, LINE - o->used) : 1;
  if (n > 0) {
    if (o->used < LINE) o->used += (size_t)n;
    relay(o, rank, false);
    return true;
  }
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
  relay(o, rank, true);
  if (!o->used) close_output(o); /* otherwise there was no room for its last lines */
  return false;
}

/* All ranks have ended: what one has written is relayed now. Programs that it has left running may keep its
 * pipes open. */
static void read_rest(Output *o, uint32_t rank, bool patient) {
  bool more = true;
  while (more || o->used) {
    if (!has_room(o->to)) finish_target(o->to, patient);
    if (!has_room(o->to)) break; /* the reader has stopped */
    if (more)
      more = read_output(o, rank);
    else
      relay(o, rank, true);
  }
}

/* --- ends and signals --- */

static void kill_all(Run *r, int number) {
  for (uint32_t k = 0; k < r->started; k++)
    if (!r->child[k].ended) kill(r->child[k].pid, number);
}

static void note_end(Run *r, uint32_t rank, int status) {
  Child *c = &r->child[rank];
  cl_Rank *record = &r->w.s->rank[rank];
  c->ended = true;
  c->status = status;
  r->living--;
  record->status = status;
  record->ended = 1;
  if (!status || r->first >= 0) return;
  r->first = (int)rank;
  cl_fail_world(&r->w, CL_F_DIED, rank, NULL);
  r->term_at = now() + r->grace;
}

/* As the first process of a container it has other children, too. */
static void reap(Run *r) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    for (uint32_t k = 0; k < r->started; k++)
      if (!r->child[k].ended && r->child[k].pid == pid) note_end(r, k, status);
}

/* What a terminal's keys send goes to all processes of its group: the ranks have it already. Its end is told
 * to the first process alone. A second signal that ends programs ends the ranks at once. */
static void take_signals(Run *r) {
  struct signalfd_siginfo info;
  while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
    const int number = (int)info.ssi_signo;
    const bool key = (number == SIGINT || number == SIGQUIT) && info.ssi_code == SI_KERNEL;
    if (number == SIGCHLD) continue;
    if (!key) kill_all(r, number);
    if (number == SIGUSR1 || number == SIGUSR2) continue;
    r->kill_at = r->signalled ? now() : now() + LEAVE;
    r->term_at = 0;
    r->signalled = number;
  }
}

static int until_next(const Run *r) {
  const double next = r->term_at > 0 ? r->term_at : r->kill_at;
  const double left = next - now();
  return next <= 0 ? -1 : left <= 0 ? 0 : left > 60 ? 60000 : (int)(left * 1000) + 1;
}

static void end_late_ones(Run *r) {
  if (r->term_at > 0 && now() >= r->term_at) {
    kill_all(r, SIGTERM);
    r->term_at = 0;
    r->kill_at = now() + GRACE;
  }
  if (r->kill_at > 0 && now() >= r->kill_at) {
    kill_all(r, SIGKILL);
    r->kill_at = 0;
  }
}

enum { FIRST = 3 }; /* before it are the signals and the two targets */

static void stay(Run *r) {
  while (r->living) {
    struct pollfd fds[FIRST + 2 * CL_MOST_RANKS];
    Output *of[FIRST + 2 * CL_MOST_RANKS];
    uint32_t ranks[FIRST + 2 * CL_MOST_RANKS];
    nfds_t n = FIRST;
    fds[0] = (struct pollfd){.fd = r->signals, .events = POLLIN};
    for (int i = 0; i < 2; i++)
      fds[1 + i] = (struct pollfd){.fd = r->target[i].used ? r->target[i].fd : -1, .events = POLLOUT};
    for (uint32_t k = 0; k < r->started; k++) {
      for (int i = 0; i < 2; i++) {
        Output *o = &r->child[k].out[i];
        if (o->fd < 0 || !has_room(o->to)) continue;
        of[n] = o;
        ranks[n] = k;
        fds[n++] = (struct pollfd){.fd = o->fd, .events = POLLIN};
      }
    }
    if (poll(fds, n, until_next(r)) < 0 && errno != EINTR) break;
    take_signals(r);
    for (int i = 0; i < 2; i++)
      if (fds[1 + i].fd >= 0 && fds[1 + i].revents) write_target(&r->target[i], false);
    for (uint32_t k = 0; k < r->started; k++) /* lines for which there was no room before */
      for (int i = 0; i < 2; i++) relay(&r->child[k].out[i], k, false);
    for (nfds_t i = FIRST; i < n; i++)
      if (fds[i].revents) read_output(of[i], ranks[i]);
    reap(r);
    end_late_ones(r);
  }
}

/* --- running --- */

static int open_signals(Run *r) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (int i = 0; i < PASSED; i++) sigaddset(&set, passed[i]);
  sigprocmask(SIG_BLOCK, &set, &r->before);
  sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &r->pipe_before);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &r->child_before); /* ends are not lost */
  r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return r->signals < 0 ? errno : 0;
}

static int start_all(Run *r) {
  r->memory = cl_segment_create(r->size);
  if (r->memory < 0) return errno;
  const char *problem;
  r->w.s = cl_segment_map(r->memory, &problem);
  if (!r->w.s) return errno;
  for (uint32_t k = 0; k < r->size; k++) {
    for (int i = 0; i < 2; i++) {
      r->child[k].out[i].fd = -1;
      if (!(r->child[k].out[i].text = malloc(LINE))) return ENOMEM;
    }
  }
  for (uint32_t k = 0; k < r->size; k++) {
    const int e = start_rank(r, k);
    if (e) return e;
  }
  return 0;
}

static int run(Run *r) {
  r->target[0].fd = 1;
  r->target[1].fd = 2;
  int e = open_signals(r);
  if (!e) e = start_all(r);
  if (e) kill_all(r, SIGKILL);
  if (r->signals >= 0 && r->w.s) stay(r);
  for (uint32_t k = 0; k < r->size; k++) {
    for (int i = 0; i < 2; i++) {
      Output *o = &r->child[k].out[i];
      if (!o->text) continue;
      read_rest(o, k, !r->signalled);
      close_output(o);
      free(o->text);
    }
  }
  for (int i = 0; i < 2; i++) finish_target(&r->target[i], !r->signalled);
  if (r->signals >= 0) close(r->signals);
  sigaction(SIGPIPE, &r->pipe_before, NULL);
  sigaction(SIGCHLD, &r->child_before, NULL);
  sigprocmask(SIG_SETMASK, &r->before, NULL);
  return e;
}

/* The environment without the variables of ranks, also of MPI's, and with those that keep NVLink multicast
 * off unless the user has set them; there is room for the former at its end. */
static char **environment(lua_State *L) {
  static const char *const own[] = {
      "CUDALUA_RANK=", "CUDALUA_LOCAL_RANK=", "CUDALUA_SIZE=", "CUDALUA_LOCAL_SIZE=", "CUDALUA_SEGMENT=",
      /* of MPI's launchers: this process may be one of their ranks */
      "OMPI_COMM_WORLD_", "PMI_RANK=", "PMI_SIZE=", "PMI_FD=", "PMIX_RANK=", "PMIX_NAMESPACE=",
      "MPI_LOCALRANKID=", "MPI_LOCALNRANKS=", "SLURM_STEP_NUM_TASKS=", "SLURM_LOCALID="};
  static char multicast[] = "NCCL_NVLS_ENABLE=0";
  size_t n = 0, count = 0;
  bool is_set = false;
  while (environ && environ[n]) n++;
  char **list = lua_newuserdata(L, (n + 1 + VARIABLES + 1) * sizeof *list);
  for (size_t i = 0; i < n; i++) {
    bool drop = false;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
      drop = drop || !strncmp(environ[i], own[k], strlen(own[k]));
    is_set = is_set || !strncmp(environ[i], multicast, sizeof "NCCL_NVLS_ENABLE=" - 1);
    if (!drop) list[count++] = environ[i];
  }
  if (!is_set) list[count++] = multicast;
  list[count] = NULL;
  return list;
}

static char **arguments(lua_State *L, int idx) {
  luaL_checktype(L, idx, LUA_TTABLE);
  const size_t n = lua_objlen(L, idx);
  char **list = lua_newuserdata(L, (n + 1) * sizeof *list);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (int)i + 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "run_ranks: expected a list of strings");
    *(const char **)&list[i] = lua_tostring(L, -1); /* stays alive: the table holds it */
    lua_pop(L, 1);
  }
  list[n] = NULL;
  return list;
}

/* The rank whose error was the first, as far as the ranks know; theirs may have ended before it did. */
static int culprit(const Run *r) {
  const uint32_t failed = r->w.s->failed;
  const int rank = cl_failed_rank(&r->w);
  return rank >= 0 && (int)(failed >> 16) != CL_F_SAID && r->child[rank].status ? rank : r->first;
}

static int exit_status(const Run *r, int rank, bool says_why) {
  if (r->signalled) return 128 + r->signalled;
  if (rank < 0) return 0;
  const int status = r->child[rank].status;
  if (WIFSIGNALED(status))
    return says_why ? 1 : 128 + WTERMSIG(status); /* it was slow to end, and was ended */
  return WEXITSTATUS(status);
}

/* Pushes the reason of the failure, for the last line. If a rank ended with status 0 while others waited for
 * it, this rank is the cause. */
static void push_reason(lua_State *L, const Run *r, int rank, bool says_why) {
  const cl_Segment *s = r->w.s;
  const int failed = cl_failed_rank(&r->w);
  const uint32_t kind = s->failed >> 16;
  char how[128];
  cl_status_text(r->child[rank].status, how, sizeof how);
  if (says_why)
    lua_pushfstring(L, "rank %d failed: %s", rank, s->rank[rank].why);
  else if (failed >= 0 && kind == CL_F_SAID)
    lua_pushstring(L, s->rank[failed].why);
  else if (failed >= 0 && kind == CL_F_DIED && failed != rank && !r->child[failed].status)
    lua_pushfstring(L, "rank %d ended before a call that rank %d waits in: %s", failed, rank,
                    s->rank[rank].call);
  else
    lua_pushfstring(L, "rank %d %s", rank, how);
}

/* run_ranks(size, argv [, grace]) -> exit status; and, if a rank ended with an error, a sentence about the
 * first one. argv[1] is the path of a program. nil and why, if they cannot be started. */
int cl_run_ranks(lua_State *L) {
  Run *r = lua_newuserdata(L, sizeof *r);
  memset(r, 0, sizeof *r);
  r->size = (uint32_t)cl_check_int(L, 1, "size", 1, CL_MOST_RANKS);
  r->argv = arguments(L, 2);
  r->grace = luaL_optnumber(L, 3, GRACE);
  r->environment = environment(L);
  r->first = r->signals = r->memory = -1;
  const int e = run(r);
  if (r->memory >= 0) close(r->memory);
  if (e) {
    lua_pushnil(L);
    lua_pushstring(L, strerror(e));
    return 2; /* what is mapped stays: the launcher ends */
  }
  const int rank = culprit(r);
  const bool says_why = rank >= 0 && cl_failed_rank(&r->w) == rank && r->w.s->failed >> 16 == CL_F_WHY;
  lua_pushinteger(L, exit_status(r, rank, says_why));
  if (rank < 0 || r->signalled) return 1;
  push_reason(L, r, rank, says_why);
  return 2;
}
