/* The C side of `./dev bench distributed`: the same calls of NCCL in plain loops, in the same processes and
 * on the same arrays, with a communicator of its own. */
#define DRIVER(X) X(cuCtxSynchronize)
#include "../common/driver.h"

#include <stddef.h>
#include <string.h>

#include "../common/clock.h"

typedef struct Id {
  char bytes[128];
} Id;

enum { FLOAT32 = 7, SUM = 0 };

static int (*get_id)(Id *);
static int (*init)(void **, int, Id, int);
static int (*all_reduce)(const void *, void *, size_t, int, int, void *, CUstream);
static int (*all_gather)(const void *, void *, size_t, int, void *, CUstream);
static int (*send_to)(const void *, size_t, int, int, void *, CUstream);
static int (*recv_from)(void *, size_t, int, int, void *, CUstream);
static int (*group_start)(void), (*group_end)(void);
static int (*destroy)(void *);
static void *comm;
static int ranks;

int bench_open(const char *driver, const char *nccl);
int bench_id(char *id);
int bench_join(const char *id, int size, int rank);
double bench_call(int kind, unsigned long long in, unsigned long long out, size_t part, int times,
                  double *host);
int bench_close(void);

/* 0: fine. */
int bench_open(const char *driver, const char *nccl) {
  void *lib = dlopen(nccl, RTLD_NOW);
  if (!lib || open_driver(driver)) return 1;
  *(void **)&get_id = dlsym(lib, "ncclGetUniqueId");
  *(void **)&init = dlsym(lib, "ncclCommInitRank");
  *(void **)&all_reduce = dlsym(lib, "ncclAllReduce");
  *(void **)&all_gather = dlsym(lib, "ncclAllGather");
  *(void **)&send_to = dlsym(lib, "ncclSend");
  *(void **)&recv_from = dlsym(lib, "ncclRecv");
  *(void **)&group_start = dlsym(lib, "ncclGroupStart");
  *(void **)&group_end = dlsym(lib, "ncclGroupEnd");
  *(void **)&destroy = dlsym(lib, "ncclCommDestroy");
  return !get_id || !init;
}

int bench_id(char *id) { return get_id((Id *)(void *)id); }

int bench_join(const char *id, int size, int rank) {
  Id copy;
  memcpy(&copy, id, sizeof copy);
  ranks = size;
  return init(&comm, size, copy, rank);
}

int bench_close(void) { return destroy(comm); }

static int exchange(const char *in, char *out, size_t part) {
  int failed = group_start();
  for (int r = 0; r < ranks; r++) {
    failed |= send_to(in + (size_t)r * part * 4, part, FLOAT32, r, comm, NULL);
    failed |= recv_from(out + (size_t)r * part * 4, part, FLOAT32, r, comm, NULL);
  }
  return group_end() | failed;
}

/* Microseconds for `times` calls and a wait; *host: without the wait. kind 0: all_reduce, 1: all_gather, 2:
 * all_to_all; part: floats that one rank gives to one other. */
double bench_call(int kind, unsigned long long in, unsigned long long out, size_t part, int times,
                  double *host) {
  const void *from = (const void *)(uintptr_t)in;
  void *to = (void *)(uintptr_t)out;
  const double start = bench_now();
  for (int i = 0; i < times; i++) {
    const int code = kind == 0   ? all_reduce(from, to, part, FLOAT32, SUM, comm, NULL)
                     : kind == 1 ? all_gather(from, to, part, FLOAT32, comm, NULL)
                                 : exchange(from, to, part);
    if (code) return -1;
  }
  *host = bench_now() - start;
  if (cu.cuCtxSynchronize_()) return -1;
  return bench_now() - start;
}
