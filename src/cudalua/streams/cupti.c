/* CUPTI is opened by name; its few declarations are made here. Records come in buffers, on CUPTI's threads,
 * and are read in the profile's thread. One begins with its kind; only members whose places are the same in
 * the layouts of CUDA 12 and 13 are read, and a memset of known size proves that before the first use. */
#include "streams/cupti.h"
#include "base/driver.h"
#include "base/lock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMCPY = 1, MEMSET = 2, DRIVER = 4, KERNEL = 10, MEMCPY_PEER = 22, EXTERNAL = 39 };
enum { CUSTOM = 3, MAX_LIMIT = 12, BUFFER = 1 << 20, TESTED = 192 };
static const int kinds[] = {KERNEL, MEMCPY, MEMSET, MEMCPY_PEER, EXTERNAL, DRIVER};
enum { KINDS = sizeof kinds / sizeof *kinds };

// clang-format off
#define ENTRIES(X) \
  X(GetVersion, (uint32_t *)) \
  X(ActivityRegisterTimestampCallback, (uint64_t (*)(void))) \
  X(ActivityRegisterCallbacks, (void (*)(uint8_t **, size_t *, size_t *), \
                                void (*)(CUcontext, uint32_t, uint8_t *, size_t, size_t))) \
  X(ActivityEnable, (int)) \
  X(ActivityDisable, (int)) \
  X(ActivityFlushAll, (uint32_t)) \
  X(ActivityGetNextRecord, (uint8_t *, size_t, uint8_t **)) \
  X(ActivityPushExternalCorrelationId, (int, uint64_t)) \
  X(ActivityPopExternalCorrelationId, (int, uint64_t *)) \
  X(GetResultString, (int, const char **))
// clang-format on

static struct {
#define X(name, args) int(*name) args;
  ENTRIES(X)
#undef X
  uint32_t version;
} lib;

typedef struct Buffer {
  struct Buffer *next;
  uint8_t *data;
  size_t size;
} Buffer;

CL_LOCK(buffers_lock);
static Buffer *buffers;
static _Atomic bool in_use;
static char reason[512];

static void requested(uint8_t **buffer, size_t *size, size_t *most) {
  *buffer = aligned_alloc(8, BUFFER);
  *size = *buffer ? BUFFER : 0;
  *most = 0;
}

static void completed(CUcontext ctx, uint32_t stream, uint8_t *data, size_t size, size_t valid) {
  (void)ctx, (void)stream, (void)size;
  Buffer *b = valid ? malloc(sizeof *b) : NULL;
  if (!b) {
    free(data);
    return;
  }
  *b = (Buffer){NULL, data, valid};
  pthread_mutex_lock(&buffers_lock);
  b->next = buffers;
  buffers = b;
  pthread_mutex_unlock(&buffers_lock);
}

static bool failed(const char *what, int code) {
  const char *text = NULL;
  if (!code) return false;
  if (!lib.GetResultString || lib.GetResultString(code, &text)) text = NULL;
  snprintf(reason, sizeof reason, "%s: %s (%d)", what, text ? text : "failed", code);
  return true;
}

static bool open_at(const char *path) {
  void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!so) {
    const char *e = dlerror();
    return snprintf(reason, sizeof reason, "%s", e ? e : path), false;
  }
#define X(name, args)                                                                                        \
  *(void **)&lib.name = dlsym(so, "cupti" #name);                                                            \
  if (!lib.name) return snprintf(reason, sizeof reason, "%s has no cupti" #name, path), dlclose(so), false;
  ENTRIES(X)
#undef X
  return true;
}

/* Once for the process: the library stays, as its callbacks do. */
static bool open_library(void) {
  static int state; /* 0: not tried, 1: open, 2: there is none */
  const char *named = getenv("CUDALUA_CUPTI");
  if (state) return state == 1;
  state = 2;
  if (getenv("CUDA_INJECTION64_PATH") || getenv("NVTX_INJECTION64_PATH"))
    return snprintf(reason, sizeof reason, "another tool profiles this process"), false;
  if (named && *named) {
    if (!open_at(named)) return false;
  } else {
    char path[4096];
    const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH")};
    const int major = cl_driver()->version / 1000;
    snprintf(path, sizeof path, "libcupti.so.%d", major);
    bool found = open_at(path);
    for (int i = 0; !found && i < 2; i++) {
      if (!roots[i]) continue;
      snprintf(path, sizeof path, "%s/extras/CUPTI/lib64/libcupti.so.%d", roots[i], major);
      found = open_at(path);
    }
    if (!found) return false;
  }
  if (failed("cuptiGetVersion", lib.GetVersion(&lib.version))) return false;
  state = 1;
  return true;
}

uint32_t cl_cupti_version(void) { return lib.version; }

static uint32_t u32(const uint8_t *r, size_t at) {
  uint32_t x;
  memcpy(&x, r + at, sizeof x);
  return x;
}

static uint64_t u64(const uint8_t *r, size_t at) {
  uint64_t x;
  memcpy(&x, r + at, sizeof x);
  return x;
}

/* From a correlation number to ours. */
typedef struct Pair {
  uint32_t correlation;
  uint64_t number;
} Pair;
typedef struct Pairs {
  Pair *at;
  size_t n, room;
} Pairs;

static int by_correlation(const void *a, const void *b) {
  const uint32_t x = ((const Pair *)a)->correlation, y = ((const Pair *)b)->correlation;
  return (x > y) - (x < y);
}

static void add_pair(Pairs *p, const uint8_t *r) {
  if (u32(r, 0) != EXTERNAL || u32(r, 4) != CUSTOM) return;
  if (p->n == p->room) {
    const size_t room = p->room ? 2 * p->room : 1024;
    Pair *more = realloc(p->at, room * sizeof *more);
    if (!more) return;
    p->at = more;
    p->room = room;
  }
  p->at[p->n++] = (Pair){u32(r, 16), u64(r, 8)};
}

/* false: not of the device, or without times */
static bool read_record(const uint8_t *r, uint32_t *correlation, cl_CuptiTime *t) {
  const uint32_t kind = u32(r, 0);
  if (kind != KERNEL && kind != MEMCPY && kind != MEMSET && kind != MEMCPY_PEER) return false;
  *correlation = u32(r, kind == KERNEL ? 92 : kind == MEMCPY_PEER ? 60 : 44);
  t->begin = u64(r, 16);
  t->end = u64(r, 24);
  t->bytes = kind == KERNEL ? 0 : u64(r, 8);
  return t->begin && t->end >= t->begin;
}

static void read_all(void (*take)(void *, const cl_CuptiTime *), void *of) {
  pthread_mutex_lock(&buffers_lock);
  Buffer *all = buffers;
  buffers = NULL;
  pthread_mutex_unlock(&buffers_lock);
  Pairs pairs = {0};
  for (int pass = 0; take && pass < 2; pass++) {
    for (Buffer *b = all; b; b = b->next)
      for (uint8_t *r = NULL; !lib.ActivityGetNextRecord(b->data, b->size, &r);) {
        cl_CuptiTime t;
        Pair key;
        if (!pass)
          add_pair(&pairs, r);
        else if (pairs.n && read_record(r, &key.correlation, &t)) {
          const Pair *mine = bsearch(&key, pairs.at, pairs.n, sizeof key, by_correlation);
          t.number = mine ? mine->number : 0;
          if (mine) take(of, &t);
        }
      }
    if (!pass && pairs.n) qsort(pairs.at, pairs.n, sizeof *pairs.at, by_correlation);
  }
  free(pairs.at);
  for (Buffer *b = all, *next; b; b = next) {
    next = b->next;
    free(b->data);
    free(b);
  }
}

static void take_test(void *of, const cl_CuptiTime *t) {
  cl_CuptiTime *found = of;
  if (t->number == found->number) *found = *t;
}

/* A memset of known size, in the clock's time. */
static bool test(CUstream s, uint64_t (*clock)(void)) {
  CUdeviceptr p = 0;
  cl_CuptiTime found = {.number = UINT64_MAX};
  const uint64_t before = clock(), slack = 1000000;
  const CUstreamCaptureMode mode = cl_relax();
  const CUresult none = CU.cuMemAlloc_v2(&p, TESTED);
  cl_unrelax(mode);
  if (none) return snprintf(reason, sizeof reason, "no memory for its test"), false;
  cl_cupti_push(UINT64_MAX);
  CUresult code = CU.cuMemsetD8Async(p, 1, TESTED, s);
  cl_cupti_pop();
  if (!code) code = CU.cuStreamSynchronize(s);
  const uint64_t after = clock();
  CU.cuMemFree_v2(p);
  if (code || failed("cuptiActivityFlushAll", lib.ActivityFlushAll(0))) return false;
  read_all(take_test, &found);
  if (found.bytes == TESTED && found.begin + slack > before && found.end < after + slack) return true;
  snprintf(reason, sizeof reason,
           "its records have an unknown layout: a fill of %d bytes has %llu, %.0f ns from its start", TESTED,
           (unsigned long long)found.bytes, (double)found.begin - (double)before);
  return false;
}

const char *cl_cupti_start(CUstream s, uint64_t (*clock)(void)) {
  if (atomic_exchange(&in_use, true)) return "another profile uses it";
  int enabled = 0;
  if (!open_library()) {
    in_use = false;
    return reason;
  }
  bool ok = !failed("cuptiActivityRegisterTimestampCallback", lib.ActivityRegisterTimestampCallback(clock)) &&
            !failed("cuptiActivityRegisterCallbacks", lib.ActivityRegisterCallbacks(requested, completed));
  for (; ok && enabled < KINDS; enabled += ok)
    ok = !failed("cuptiActivityEnable", lib.ActivityEnable(kinds[enabled]));
  if (ok && test(s, clock)) return NULL;
  for (int i = 0; i < enabled; i++) lib.ActivityDisable(kinds[i]);
  in_use = false;
  return reason;
}

void cl_cupti_push(uint64_t number) { lib.ActivityPushExternalCorrelationId(CUSTOM, number); }

void cl_cupti_pop(void) {
  uint64_t number;
  lib.ActivityPopExternalCorrelationId(CUSTOM, &number);
}

void cl_cupti_stop(void (*take)(void *, const cl_CuptiTime *), void *of) {
  if (take) lib.ActivityFlushAll(0);
  for (int i = 0; i < KINDS; i++) lib.ActivityDisable(kinds[i]);
  read_all(take, of);
  in_use = false;
}
