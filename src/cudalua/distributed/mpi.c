/* The end of a process that is a rank of MPI, which comes after that of its Lua states.
 *
 * Handles of MPI are ints or pointers. Both are passed as uintptr_t, in the same register. */
#include "distributed/mpi.h"

#include "base/base.h"
#include "memory/copy.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  FAILED = 5,    /* seconds that a rank of a failed world waits for the others, so that they can say why */
  MESSAGE = 4096 /* bytes of the longest message that may be left */
};

typedef struct World {
  pid_t pid;
  int rank, size, tag, last_tag;
  bool finalizes; /* it was this library that called MPI_Init */
  bool failed;
  double limit;
  const int *
      inside; /* not 0 while Lua calls MPI: then it is MPI that calls exit(), as another rank has ended all */
  uintptr_t comm, byte, ignored;
  int (*Abort)(uintptr_t comm, int status);
  int (*Finalize)(void);
  int (*Finalized)(int *yes);
  int (*Isend)(const void *from, int count, uintptr_t type, int to, int tag, uintptr_t comm, void *request);
  int (*Irecv)(void *to, int count, uintptr_t type, int from, int tag, uintptr_t comm, void *request);
  int (*Test)(void *request, int *done, uintptr_t status);
  int (*Iprobe)(int from, int tag, uintptr_t comm, int *there, uintptr_t status);
  int (*Recv)(void *to, int count, uintptr_t type, int from, int tag, uintptr_t comm, uintptr_t status);
  uintptr_t *requests; /* of the meeting at the end, with what the others say; MPI may use both to the last */
  int *failures;
} World;

static World *opened; /* until the process ends */

int cl_mpi_rank(void) { return opened && opened->pid == getpid() ? opened->rank : -1; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Tells all others that this rank has come to its end, and whether its world has failed. Waits until all
 * have. False: one of them did not come in time. */
static bool meet_at_end(World *w, double limit) {
  const size_t n = (size_t)w->size;
  uintptr_t *requests = w->requests = calloc(2 * n, sizeof *requests);
  int *failed = w->failures = calloc(n, sizeof *failed);
  const double began = now();
  if (!requests || !failed) return false;
  failed[w->rank] = w->failed;
  for (int k = 0; k < w->size; k++) {
    if (k == w->rank) continue;
    if (w->Isend(&failed[w->rank], sizeof *failed, w->byte, k, w->tag, w->comm, &requests[2 * k]) ||
        w->Irecv(&failed[k], sizeof *failed, w->byte, k, w->tag, w->comm, &requests[2 * k + 1]))
      return false;
  }
  for (size_t i = 0; i < 2 * n; i++) {
    if ((int)(i / 2) == w->rank) continue;
    for (int done = 0; !done;) {
      if (w->Test(&requests[i], &done, w->ignored) || now() - began > limit) return false;
      if (!done) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
  }
  for (size_t k = 0; k < n; k++) w->failed = w->failed || failed[k];
  return true;
}

/* Receives messages that this rank has not used: headers of a last call that it refused, and notes of ranks
 * that waited for it. MPICH warns about unreceived messages. All ranks have met before, so no more messages
 * come. */
static void drain(const World *w) {
  static char text[MESSAGE];
  for (int k = 0; k < w->size; k++) {
    for (int tag = 1; k != w->rank && tag <= w->last_tag; tag++) {
      for (int there = 1; there;) {
        if (w->Iprobe(k, tag, w->comm, &there, w->ignored)) break;
        if (there && w->Recv(text, sizeof text, w->byte, k, tag, w->comm, w->ignored)) break;
      }
    }
  }
}

static int last_status;

static void leave(int number) {
  (void)number;
  _exit(last_status);
}

/* MPI's own end waits for other processes, which may never answer. The launcher ends these if one leaves. */
static void leave_after(double seconds, int status) {
  last_status = status;
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = leave}, NULL);
  alarm((unsigned)seconds + 1);
}

static void abort_all(const World *w, int status) {
  leave_after(FAILED, status);
  w->Abort(w->comm, status);
}

/* As exit() calls it: Lua has ended. An error of this rank ends all; the launcher gets its status. */
static void end(int status, void *arg) {
  World *w = arg;
  int finalized = 0;
  if (w->pid != getpid() || *w->inside || w->Finalized(&finalized) || finalized) return;
  fflush(NULL); /* MPI_Abort() does not */
  if (status) {
    abort_all(w, status);
    return;
  }
  const bool failed = w->failed, met = meet_at_end(w, failed ? FAILED : w->limit);
  if (!met && !failed)
    fprintf(stderr, "cudalua: rank %d has ended, but other ranks did not within %g s\n", w->rank, w->limit);
  if (!met || w->failed) {
    abort_all(w, 1);
  } else if (w->finalizes) {
    leave_after(w->limit, 1);
    drain(w);
    w->Finalize();
    alarm(0);
  }
}

/* --- from Lua --- */

/* What a `void *[1]` in the table at index 1 holds. */
static uintptr_t boxed(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  const uintptr_t value = (uintptr_t)cl_host_side(L, lua_gettop(L), name, true, 0);
  lua_pop(L, 1);
  return value;
}

static int number(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  const int n = (int)luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return n;
}

static bool yes(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  const bool is = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is;
}

/* mpi_opened{rank =, size =, tag =, last_tag =, finalizes =, comm =, byte =, ignored =, inside =, Abort =,
 * ...}: MPI is there, and exit() ends it. What is no number is a `void *[1]`. */
int cl_mpi_opened(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (cl_mpi_rank() >= 0)
    cl_logic(L, "init: another Lua state of this process is rank %d already; a process has one world",
             cl_mpi_rank());
  World *w = calloc(1, sizeof *w);
  if (!w) return luaL_error(L, "not enough memory");
  w->pid = getpid();
  w->rank = number(L, "rank");
  w->size = number(L, "size");
  w->tag = number(L, "tag");
  w->last_tag = number(L, "last_tag");
  w->finalizes = yes(L, "finalizes");
  w->limit = FAILED;
  w->comm = boxed(L, "comm");
  w->byte = boxed(L, "byte");
  w->ignored = boxed(L, "ignored");
  w->inside = (const int *)boxed(L, "inside");
#define FUNCTION(name) memcpy(&w->name, &(uintptr_t){boxed(L, #name)}, sizeof w->name)
  FUNCTION(Abort);
  FUNCTION(Finalize);
  FUNCTION(Finalized);
  FUNCTION(Isend);
  FUNCTION(Irecv);
  FUNCTION(Test);
  FUNCTION(Iprobe);
  FUNCTION(Recv);
  if (on_exit(end, w)) return luaL_error(L, "not enough memory");
  opened = w;
  return 0;
}

/* mpi_limit(seconds): that the end may take */
int cl_mpi_limit(lua_State *L) {
  if (opened) opened->limit = luaL_checknumber(L, 1);
  return 0;
}

/* mpi_failed(): calls were given up in the middle, and the world with them. MPI_Finalize would wait for them.
 */
int cl_mpi_failed(lua_State *L) {
  (void)L;
  if (opened) opened->failed = true;
  return 0;
}

/* mpi_check_process(where): raises in a process that a rank forked */
int cl_mpi_check_process(lua_State *L) {
  if (opened && opened->pid != getpid())
    cl_logic(L, "%s: this process is a fork of rank %d; only the rank itself takes part",
             luaL_checkstring(L, 1), opened->rank);
  return 0;
}
