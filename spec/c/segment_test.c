/* Ranks that share memory (src/cudalua/distributed): processes of this test that are killed at any moment,
 * refuse calls, wait for each other, and count their steps beyond 2^32. Whoever is left must never hang, and
 * what a call gave must be right. */
#include "distributed/collective.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 3, MOST = 40000 };

#define TRUE(x)                                                                                              \
  do {                                                                                                       \
    if (!(x)) {                                                                                              \
      fprintf(stderr, "segment_test.c:%d: %s\n", __LINE__, #x);                                              \
      _exit(1);                                                                                              \
    }                                                                                                        \
  } while (0)

static int memory;

static cl_Group open_group(uint32_t rank, uint32_t step) {
  static cl_World w;
  const char *problem;
  memset(&w, 0, sizeof w);
  w.s = cl_segment_map(memory, &problem);
  TRUE(w.s && !problem);
  w.rank = rank;
  w.limit = 30;
  TRUE(cl_claim(w.s, rank) && !cl_claim(w.s, rank));
  cl_Group g = {.w = &w, .row = w.s->row, .count = RANKS, .me = rank, .step = step};
  for (uint32_t k = 0; k < RANKS; k++) g.ranks[k] = (uint8_t)k;
  return g;
}

static void new_segment(uint32_t step) {
  const char *problem;
  if (memory) close(memory);
  memory = cl_segment_create(RANKS);
  TRUE(memory >= 0);
  cl_Segment *s = cl_segment_map(memory, &problem);
  TRUE(s);
  for (int k = 0; k < RANKS; k++) s->row->member[k].step.value = s->row->member[k].done.value = step;
  munmap(s, s->bytes);
}

static void pause_for(long ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }

enum { NO_KILL = -1, STOPS = -2 };

/* Runs a function as each rank; kill_after: rank 1 is killed after so many microseconds. STOPS: rank 0 is
 * stopped now and then. */
static void run(void (*rank_main)(cl_Group *g), uint32_t step, long kill_after) {
  pid_t pid[RANKS];
  new_segment(step);
  for (uint32_t k = 0; k < RANKS; k++) {
    TRUE((pid[k] = fork()) >= 0);
    if (pid[k]) continue;
    cl_Group g = open_group(k, step);
    rank_main(&g);
    _exit(0);
  }
  for (int i = 0; kill_after == STOPS && i < 5; i++) {
    pause_for(40);
    kill(pid[0], SIGSTOP);
    pause_for(180);
    kill(pid[0], SIGCONT);
  }
  if (kill_after >= 0) {
    const char *problem;
    cl_Segment *s = cl_segment_map(memory, &problem);
    while (!s->rank[1].pid) sched_yield(); /* before that, only a launcher knows of it */
    munmap(s, s->bytes);
    nanosleep(&(struct timespec){.tv_nsec = kill_after * 1000}, NULL);
    kill(pid[1], SIGKILL); /* nobody takes note of its end: it stays as a zombie, as under other launchers */
  }
  for (uint32_t k = RANKS; k-- > 0;) {
    int status;
    if (k == 1) continue;
    TRUE(waitpid(pid[k], &status, 0) == pid[k] && WIFEXITED(status) && !WEXITSTATUS(status));
  }
  int status;
  TRUE(waitpid(pid[1], &status, 0) == pid[1] && (kill_after >= 0 ? WIFSIGNALED(status) : !status));
}

static cl_CallEnd sum(cl_Group *g, double *values, size_t n, cl_Outcome *outcome) {
  const char *messages[CL_MOST_RANKS];
  const cl_Call c = {.kind = CL_ALL_REDUCE,
                     .signature = "all_reduce",
                     .input = values,
                     .output = values,
                     .bytes = n * sizeof *values,
                     .combine = cl_combine_by_name("float64"),
                     .op = CL_SUM};
  return cl_make_call(g, &c, messages, outcome);
}

static size_t length_of(unsigned turn) { return 1 + turn * 7919 % (turn % 4 ? 500 : MOST); }

/* Sums of all ranks until one ends. */
static void sums(cl_Group *g) {
  static double x[MOST];
  for (unsigned turn = 0;; turn++) {
    cl_Outcome outcome;
    const size_t n = length_of(turn);
    for (size_t i = 0; i < n; i++) x[i] = (double)(g->me + 1) * (double)(i % 100 + turn);
    const cl_CallEnd end = sum(g, x, n, &outcome);
    if (end == CL_NOT_DONE) {
      char text[CL_TEXT];
      cl_failure_text(g->w, text, sizeof text);
      TRUE(outcome == CL_FAILED && cl_failed_rank(g->w) == 1 && !strcmp(text, "rank 1 has ended"));
      return;
    }
    TRUE(end == CL_DONE);
    for (size_t i = 0; i < n; i++) TRUE(x[i] == 6.0 * (double)(i % 100 + turn));
  }
}

/* Steps that pass 2^32. */
static void many_steps(cl_Group *g) {
  double x[3];
  cl_Outcome outcome;
  for (int turn = 0; turn < 100; turn++) {
    for (int i = 0; i < 3; i++) x[i] = turn + (int)g->me;
    TRUE(sum(g, x, 3, &outcome) == CL_DONE && x[0] == 3 * turn + 3);
  }
}

/* In some calls one rank says something else, and does not wait. The others get that, in that call and no
 * other. */
static void refusals(cl_Group *g) {
  const char *messages[CL_MOST_RANKS];
  for (unsigned turn = 0; turn < 3000; turn++) {
    char text[64];
    double x[2] = {1, turn};
    cl_Outcome outcome;
    const uint32_t who = turn * 7 % RANKS;
    snprintf(text, sizeof text, "refused %u", turn);
    if (turn % 5 < 2 && who == g->me) {
      TRUE(cl_refuse_call(g, text) == CL_MET);
      continue;
    }
    const cl_Call c = {.kind = CL_ALL_REDUCE,
                       .signature = "sum",
                       .input = x,
                       .output = x,
                       .bytes = sizeof x,
                       .combine = cl_combine_by_name("float64"),
                       .op = CL_SUM};
    const cl_CallEnd end = cl_make_call(g, &c, messages, &outcome);
    if (turn % 5 < 2) {
      TRUE(end == CL_DIFFERENT && !strcmp(messages[who], text) && x[0] == 1);
      cl_leave_call(g, &c);
    } else {
      TRUE(end == CL_DONE && x[0] == 3 && x[1] == 3.0 * turn);
    }
  }
}

/* 0 sends to 1, 1 to 2, 2 to 0. */
static void ring_of_sends(cl_Group *g) {
  const char *messages[2];
  const double x = 1;
  cl_Outcome outcome;
  char text[CL_TEXT];
  cl_say_call(g->w, "send");
  const cl_Call c = {.kind = CL_SEND, .signature = "x", .input = &x, .bytes = 8, .root = (g->me + 1) % RANKS};
  TRUE(cl_make_call(g, &c, messages, &outcome) == CL_NOT_DONE && outcome == CL_FAILED);
  cl_failure_text(g->w, text, sizeof text);
  TRUE(strstr(text, "wait for each other") && strstr(text, "rank 0 in send") &&
       strstr(text, "rank 2 in send") &&
       strstr(text, "; let one of them call recv first, or use all_to_all"));
}

/* Waits that take long, but end: none of them may be taken for a circle. */
static void late_ranks(cl_Group *g) {
  cl_Outcome outcome;
  double x[2];
  for (uint32_t turn = 0; turn < 9; turn++) {
    if (turn % RANKS == g->me) pause_for(130);
    x[0] = x[1] = 1;
    TRUE(sum(g, x, 2, &outcome) == CL_DONE && x[0] == 3);
  }
}

int main(void) {
  run(many_steps, UINT32_MAX - 20, NO_KILL);
  run(refusals, 0, NO_KILL);
  run(late_ranks, 0, NO_KILL);
  run(late_ranks, 0, STOPS);
  run(ring_of_sends, 0, NO_KILL);
  for (int i = 0; i < 40; i++) run(sums, (uint32_t)i * 0x10000000, i * 211 % 6000);
  return 0;
}
