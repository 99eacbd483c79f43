/* What the conformance tests of the driver share: judging, and groups that run in a process of their own
 * each, so that a sticky error, a fork or a shutdown touches no other. What is expected holds for a GPU as
 * well; groups of the software device's own run only where its control function exists.
 *
 * x_test            all groups; the last line is "N passed, N failed, N skipped"
 * x_test GROUP      one group, in this process */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include <cuda.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

CUresult cuSoftgpuControl(const char *command, char *reply, size_t size, size_t *needed)
    __attribute__((weak));

static atomic_int failed;
static bool skipped; /* set by a group that finds it cannot run here */

#define SOFT (cuSoftgpuControl != NULL)

/* Work runs only when somebody waits for it: what the software device does unless told otherwise. */
static inline bool deferred(void) { return SOFT && !getenv("CUDALUA_SOFT_STREAMS"); }

static inline void judge(bool good, int line, const char *format, ...) {
  if (good) return;
  failed++;
  const char *slash = strrchr(__BASE_FILE__, '/');
  va_list ap;
  va_start(ap, format);
  fprintf(stderr, "%s:%d: ", slash ? slash + 1 : __BASE_FILE__, line);
  vfprintf(stderr, format, ap);
  fputc('\n', stderr);
  va_end(ap);
}

#define IS(code, call)                                                                                       \
  do {                                                                                                       \
    CUresult got_ = (call);                                                                                  \
    judge(got_ == (CUresult)(code), __LINE__, "%s: %d, expected %d", #call, (int)got_, (int)(code));         \
  } while (0)
#define OK(call) IS(CUDA_SUCCESS, call)
#define TRUE(x) judge(x, __LINE__, "%s", #x)
#define EQ(a, b)                                                                                             \
  do {                                                                                                       \
    long long a_ = (long long)(a), b_ = (long long)(b);                                                      \
    judge(a_ == b_, __LINE__, "%s is %lld, expected %lld", #a, a_, b_);                                      \
  } while (0)
/* Where a GPU answers something else than the software device, that is printed and nothing fails. */
#define MODEL(code, call)                                                                                    \
  do {                                                                                                       \
    CUresult got_ = (call);                                                                                  \
    if (SOFT)                                                                                                \
      judge(got_ == (CUresult)(code), __LINE__, "%s: %d, expected %d", #call, (int)got_, (int)(code));       \
    else if (got_ != (CUresult)(code))                                                                       \
      printf("differs: line %d: %s is %d, %d on the software device\n", __LINE__, #call, (int)got_,          \
             (int)(code));                                                                                   \
  } while (0)

typedef struct {
  const char *name;
  void (*run)(void);
  enum {
    ANYWHERE,
    SOFTWARE,     /* on the software device */
    LAZY_STREAMS, /* there, while its streams are deferred */
    INNER         /* not by itself: another group runs it */
  } where;
} Group;

enum { SKIPPED = 77, GROUP_SECONDS = 200 };

static inline int run_one(const Group *groups, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(groups[i].name, name) != 0) continue;
    groups[i].run();
    return failed ? 1 : skipped ? SKIPPED : 0;
  }
  fprintf(stderr, "no group %s\n", name);
  return 2;
}

static inline int run_groups(const Group *groups, size_t n, int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0); /* nothing said is lost when a group crashes */
  if (argc == 2) return run_one(groups, n, argv[1]);
  int good = 0, bad = 0, left = 0;
  for (size_t i = 0; i < n; i++) {
    if (groups[i].where == INNER) continue;
    if ((groups[i].where == SOFTWARE && !SOFT) || (groups[i].where == LAZY_STREAMS && !deferred())) {
      left++;
      continue;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(GROUP_SECONDS);
      exit(run_one(groups, n, groups[i].name));
    }
    int status = 1;
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (WIFSIGNALED(status)) printf("%s ended with signal %d\n", groups[i].name, WTERMSIG(status));
    good += code == 0;
    left += code == SKIPPED;
    bad += code != 0 && code != SKIPPED;
    printf("%s %s\n", code == 0 ? "ok    " : code == SKIPPED ? "skip  " : "FAILED", groups[i].name);
  }
  printf("%d passed, %d failed, %d skipped\n", good, bad, left);
  return bad != 0;
}

#define RUN_GROUPS(groups, argc, argv) run_groups(groups, sizeof(groups) / sizeof(groups)[0], argc, argv)

#endif
