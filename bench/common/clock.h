/* The clock of the C sides of benchmarks. Included once in each of them, which exports it. */
#include <time.h>

double bench_now(void);

double bench_now(void) { /* microseconds */
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}
