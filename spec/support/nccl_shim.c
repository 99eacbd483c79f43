/* A library with NCCL's symbols, for specs on the software device (CUDALUA_SOFT_STREAMS=background): it moves
 * data between processes of this machine, through a file that they map. The work of a call is a host function
 * in the stream, which waits for its peers as a kernel would. An abort ends it where it is, so that a part of
 * the data is missing.
 *
 * What a specification sets in the environment:
 *   NCCL_SHIM_DRIVER=path   the software device
 *   NCCL_SHIM_BLOCK=r:n     on rank r, the n-th collective does not return until it is aborted
 *   NCCL_SHIM_LOG=path      a line for each call, behind the path and the rank of the world
 *   NCCL_SHIM_ERROR=r:n     on rank r, the n-th collective reports a remote error
 *   NCCL_SHIM_REFUSE=r:n    on rank r, the n-th collective answers an internal error
 *   NCCL_SHIM_LOSE=r:n      rank r ends in the middle of its n-th collective
 *   NCCL_SHIM_IDLE=1        reductions do nothing, to measure the library alone
 *   NCCL_SHIM_VERSION=n */
#include <cuda.h>

#include "shim_values.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { SUCCESS = 0, INTERNAL = 3, INVALID_ARGUMENT = 4, REMOTE = 6 };
enum { MOST = 8, ROOM = 32 * 1024 };
enum { INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16, NTYPES };
enum { SUM, PROD, MAX, MIN, AVG, NOPS };

typedef struct Id {
  char bytes[128];
} Id;

typedef struct Config {
  size_t size;
  unsigned magic, version;
  int blocking;
} Config;

/* --- between processes --- */

typedef struct Channel {
  _Atomic uint64_t written, read;
  char data[ROOM];
} Channel;

typedef struct Meeting {
  _Atomic uint32_t joined;
  Channel channel[MOST][MOST]; /* from, to */
} Meeting;

/* A part of a call: bytes to a peer, or from one. */
typedef struct Transfer {
  bool receives;
  int peer;
  char *at;
  size_t bytes, done;
} Transfer;

typedef struct Work Work;
struct Work {
  struct Comm *comm;
  int n, size;
  Transfer *transfers;
  /* Behind the transfers: combines what came from all with `own`. */
  char *staging, *out;
  const char *own;
  size_t count, first; /* elements of each, and the first of them that this rank wants */
  int type, op;
  bool dies;
  CUstream stream;
};

typedef struct Comm {
  uint32_t mark;
  Meeting *m;
  int size, rank;
  _Atomic int aborted, inside;
  _Atomic uint32_t running; /* works in streams */
  int error;
  bool finalized;
} Comm;

enum { MARK = 0x6e63636c };

static bool is_idle;
static CUresult (*launch_host)(CUstream, CUhostFn, void *);

static int setting(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

static int world_rank(void) {
  static int rank = -1;
  if (rank < 0) rank = setting("CUDALUA_LOCAL_RANK", 0);
  return rank;
}

/* Has the collective with this number, from 1, what the variable names? */
static bool is_chosen(const char *name, int number) {
  int rank = -1, n = -1;
  const char *text = getenv(name);
  return text && sscanf(text, "%d:%d", &rank, &n) == 2 && rank == world_rank() && n == number;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...) {
  char path[512];
  const char *prefix = getenv("NCCL_SHIM_LOG");
  if (!prefix) return;
  snprintf(path, sizeof path, "%s%d", prefix, world_rank());
  FILE *f = fopen(path, "a");
  if (!f) return;
  va_list list;
  va_start(list, format);
  vfprintf(f, format, list);
  va_end(list);
  fclose(f);
}

/* Two threads in calls of one communicator, or one that is gone: the program is wrong, and ends. */
static void enter(const char *name, Comm *c) {
  if (c->mark != MARK) fprintf(stderr, "nccl shim: %s of a communicator that is gone\n", name), _Exit(98);
  if (atomic_exchange(&c->inside, 1)) fprintf(stderr, "nccl shim: two threads in %s\n", name), _Exit(99);
}
static int leave(Comm *c, int result) {
  c->inside = 0;
  return result;
}

/* --- the work, in the stream --- */

static bool step(Comm *c, Transfer *t) {
  Channel *ch = t->receives ? &c->m->channel[t->peer][c->rank] : &c->m->channel[c->rank][t->peer];
  const uint64_t written = ch->written, read = ch->read, place = t->receives ? read : written;
  size_t n = t->receives ? (size_t)(written - read) : ROOM - (size_t)(written - read);
  const size_t at = (size_t)(place % ROOM);
  if (n > t->bytes - t->done) n = t->bytes - t->done;
  if (n > ROOM - at) n = ROOM - at;
  if (!n) return false;
  if (t->receives)
    memcpy(t->at + t->done, ch->data + at, n);
  else
    memcpy(ch->data + at, t->at + t->done, n);
  t->done += n;
  if (t->receives)
    ch->read = read + n;
  else
    ch->written = written + n;
  return true;
}

/* Transfers of one direction with one peer follow each other. */
static bool is_next(const Work *w, int i) {
  const Transfer *t = &w->transfers[i];
  for (int k = 0; k < i; k++) {
    const Transfer *u = &w->transfers[k];
    if (u->peer == t->peer && u->receives == t->receives && u->done < u->bytes) return false;
  }
  return true;
}

static size_t size_of_type(int type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

#define COMBINE(T)                                                                                           \
  do {                                                                                                       \
    T a, b;                                                                                                  \
    memcpy(&a, x, sizeof a);                                                                                 \
    memcpy(&b, y, sizeof b);                                                                                 \
    a = op == PROD ? (T)(a * b) : op == MAX ? (b > a ? b : a) : op == MIN ? (b < a ? b : a) : (T)(a + b);    \
    memcpy(x, &a, sizeof a);                                                                                 \
  } while (0)

static double float_at(int type, const char *x) {
  uint16_t bits;
  float f;
  double d;
  if (type == FLOAT64) return memcpy(&d, x, 8), d;
  if (type == FLOAT32) return memcpy(&f, x, 4), (double)f;
  memcpy(&bits, x, 2);
  return type == FLOAT16 ? half_value(bits) : bfloat_value(bits);
}

static void put_float(int type, char *x, double v) {
  const float f = (float)v;
  const uint16_t bits = type == FLOAT16 ? half_bits(v) : bfloat_bits(v);
  if (type == FLOAT64)
    memcpy(x, &v, 8);
  else if (type == FLOAT32)
    memcpy(x, &f, 4);
  else
    memcpy(x, &bits, 2);
}

/* x = x op y; of floats the result is rounded each time, and a NaN loses against a number. */
static void combine(int type, int op, char *x, const char *y) {
  switch (type) {
  case INT8: COMBINE(int8_t); return;
  case UINT8: COMBINE(uint8_t); return;
  case INT32: COMBINE(uint32_t); return;
  case UINT32: COMBINE(uint32_t); return;
  case INT64: COMBINE(uint64_t); return;
  case UINT64: COMBINE(uint64_t); return;
  default: break;
  }
  const double a = float_at(type, x), b = float_at(type, y);
  put_float(type, x, op == PROD ? a * b : op == MAX ? fmax(a, b) : op == MIN ? fmin(a, b) : a + b);
}

/* Signed numbers are compared as such. */
static bool is_smaller(int type, const char *x, const char *y) {
  int32_t a32, b32;
  int64_t a64, b64;
  if (type == INT32) return memcpy(&a32, x, 4), memcpy(&b32, y, 4), a32 < b32;
  return memcpy(&a64, x, 8), memcpy(&b64, y, 8), a64 < b64;
}

static void combine_all(const Work *w) {
  const size_t size = size_of_type(w->type), from = w->first * size;
  for (size_t i = 0; i < w->count; i++) {
    char x[8];
    for (int r = 0; r < w->size; r++) {
      const char *y = r == w->comm->rank ? w->own + from + i * size
                                         : w->staging + ((size_t)r * w->count + i) * size;
      const bool compares = (w->type == INT32 || w->type == INT64) && (w->op == MIN || w->op == MAX);
      if (!r || (compares && is_smaller(w->type, y, x) == (w->op == MIN)))
        memcpy(x, y, size);
      else if (!compares)
        combine(w->type, w->op, x, y);
    }
    if (w->op == AVG) put_float(w->type, x, float_at(w->type, x) / w->size);
    memcpy(w->out + i * size, x, size);
  }
}

static bool wants(const Work *w) { return w->out != NULL; }

static void run(void *argument) {
  Work *w = argument;
  Comm *c = w->comm;
  for (int i = 0; i < w->n; i++) w->transfers[i].done = 0; /* of a graph: once more */
  for (bool busy = true; busy && !c->aborted;) {
    busy = false;
    bool moved = false;
    for (int i = 0; i < w->n; i++) {
      Transfer *t = &w->transfers[i];
      if (t->done == t->bytes || !is_next(w, i)) continue;
      moved = step(c, t) || moved;
      busy = busy || t->done < t->bytes;
      if (w->dies && moved) kill(getpid(), SIGKILL);
    }
    if (!moved) sched_yield();
  }
  if (!c->aborted && wants(w) && w->staging) combine_all(w);
  c->running--;
}

/* --- calls --- */

static __thread int depth;
static __thread Work *grouped;

static Work *new_work(Comm *c, CUstream stream) {
  Work *w = calloc(1, sizeof *w);
  *w = (Work){.comm = c, .stream = stream, .size = c->size};
  return w;
}

static void add(Work *w, bool receives, int peer, const void *at, size_t bytes) {
  w->transfers = realloc(w->transfers, (size_t)(w->n + 1) * sizeof *w->transfers);
  w->transfers[w->n++] = (Transfer){.receives = receives, .peer = peer, .at = (char *)(uintptr_t)at, .bytes = bytes};
}

static _Atomic int number;

/* A call is complete: it goes into the stream. */
static int begin(Work *w) {
  Comm *c = w->comm;
  const int n = ++number;
  if (is_chosen("NCCL_SHIM_REFUSE", n)) return INTERNAL;
  if (is_chosen("NCCL_SHIM_ERROR", n)) c->error = REMOTE;
  if (is_chosen("NCCL_SHIM_BLOCK", n)) {
    c->inside = 0;
    while (!c->aborted) usleep(1000);
    return INTERNAL;
  }
  w->dies = is_chosen("NCCL_SHIM_LOSE", n);
  c->running++;
  return launch_host(w->stream, run, w) ? INTERNAL : SUCCESS;
}

static bool is_wrong(const Comm *c, int type, int root) {
  return type < 0 || type >= NTYPES || root < 0 || root >= c->size || c->finalized;
}

/* Each sends its part at `give(r)` to each other one that wants it. */
static int reduction(const char *name, const void *in, void *out, size_t count, int type, int op, int root,
                     bool scattered, Comm *c, CUstream s) {
  enter(name, c);
  if (is_idle) return leave(c, SUCCESS);
  say("%s %zu type %d op %d root %d\n", name, count, type, op, root);
  const bool is_float = type >= FLOAT16;
  if (is_wrong(c, type, root < 0 ? 0 : root) || op < 0 || op >= NOPS || (op == AVG && !is_float))
    return leave(c, INVALID_ARGUMENT);
  Work *w = new_work(c, s);
  const size_t bytes = count * size_of_type(type);
  w->type = type, w->op = op, w->count = count, w->own = in, w->first = scattered ? (size_t)c->rank * count : 0;
  w->out = root < 0 || root == c->rank ? out : NULL;
  if (w->out) w->staging = malloc(bytes * (size_t)c->size + 1);
  for (int r = 0; r < c->size; r++) {
    if (r == c->rank) continue;
    if (root < 0 || root == r) add(w, false, r, (const char *)in + (scattered ? (size_t)r * bytes : 0), bytes);
    if (w->out) add(w, true, r, w->staging + (size_t)r * bytes, bytes);
  }
  return leave(c, begin(w));
}

PUBLIC int ncclGetVersion(int *version);
int ncclGetVersion(int *version) {
  *version = setting("NCCL_SHIM_VERSION", 22703);
  return SUCCESS;
}

PUBLIC const char *ncclGetErrorString(int result);
const char *ncclGetErrorString(int result) {
  return result == REMOTE ? "remote process exited" : result == INTERNAL ? "internal error" : "invalid argument";
}

PUBLIC const char *ncclGetLastError(Comm *c);
const char *ncclGetLastError(Comm *c) {
  (void)c;
  return "the shim says so";
}

PUBLIC int ncclGetUniqueId(Id *id);
int ncclGetUniqueId(Id *id) {
  static int count;
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, "/tmp/nccl-shim-%d-%d", (int)getpid(), count++);
  const int fd = open(id->bytes, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(Meeting))) return INTERNAL;
  close(fd);
  say("NVLS %s\n", getenv("NCCL_NVLS_ENABLE"));
  return SUCCESS;
}

PUBLIC int ncclCommInitRankConfig(Comm **comm, int size, Id id, int rank, const Config *config);
int ncclCommInitRankConfig(Comm **comm, int size, Id id, int rank, const Config *config) {
  if (size > MOST || config->magic != 0xcafebeef || !config->blocking || config->version != 21400)
    return INVALID_ARGUMENT;
  void *driver = dlopen(getenv("NCCL_SHIM_DRIVER"), RTLD_NOW | RTLD_NOLOAD);
  if (!driver) return unlink(id.bytes), INTERNAL;
  is_idle = getenv("NCCL_SHIM_IDLE") != NULL;
  *(void **)&launch_host = dlsym(driver, "cuLaunchHostFunc");
  const int fd = open(id.bytes, O_RDWR);
  if (fd < 0) return INTERNAL;
  Comm *c = calloc(1, sizeof *c);
  *c = (Comm){.mark = MARK, .size = size, .rank = rank};
  c->m = mmap(NULL, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  const bool is_last = (int)++c->m->joined == size;
  while ((int)c->m->joined < size) usleep(1000);
  if (is_last) unlink(id.bytes);
  *comm = c;
  return SUCCESS;
}

/* For bench/distributed. */
PUBLIC int ncclCommInitRank(Comm **comm, int size, Id id, int rank);
int ncclCommInitRank(Comm **comm, int size, Id id, int rank) {
  const Config config = {sizeof config, 0xcafebeef, 21400, 1};
  return ncclCommInitRankConfig(comm, size, id, rank, &config);
}

PUBLIC int ncclCommGetAsyncError(Comm *c, int *result);
int ncclCommGetAsyncError(Comm *c, int *result) {
  enter("ncclCommGetAsyncError", c);
  *result = c->error;
  return leave(c, SUCCESS);
}

PUBLIC int ncclCommFinalize(Comm *c);
int ncclCommFinalize(Comm *c) {
  enter("ncclCommFinalize", c);
  say("finalize %u\n", c->running);
  c->finalized = true;
  c->inside = 0;
  while (c->running) usleep(1000);
  return SUCCESS;
}

static void await_end(Comm *c) {
  for (int i = 0; c->running && i < 5000; i++) usleep(1000);
  c->mark = 0;
}

static __thread Comm *ending[MOST * MOST]; /* in a group they end together */
static __thread int nending;

static int end_of(Comm *c, const char *name) {
  enter(name, c);
  say("%s\n", name);
  c->aborted = 1;
  if (depth)
    ending[nending++] = c;
  else
    await_end(c);
  return leave(c, SUCCESS);
}

PUBLIC int ncclCommDestroy(Comm *c);
int ncclCommDestroy(Comm *c) {
  return end_of(c, "destroy");
}

PUBLIC int ncclCommAbort(Comm *c);
int ncclCommAbort(Comm *c) { return end_of(c, "abort"); }

PUBLIC int ncclGroupStart(void);
int ncclGroupStart(void) {
  depth++;
  return SUCCESS;
}

PUBLIC int ncclGroupEnd(void);
int ncclGroupEnd(void) {
  Work *w = grouped;
  depth--;
  while (!depth && nending) await_end(ending[--nending]);
  if (depth || !w) return SUCCESS;
  grouped = NULL;
  return begin(w);
}

PUBLIC int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, Comm *c, CUstream s);
int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, Comm *c, CUstream s) {
  return reduction("all_reduce", in, out, n, type, op, -1, false, c, s);
}

PUBLIC int ncclReduce(const void *in, void *out, size_t n, int type, int op, int root, Comm *c, CUstream s);
int ncclReduce(const void *in, void *out, size_t n, int type, int op, int root, Comm *c, CUstream s) {
  return reduction("reduce", in, out, n, type, op, root, false, c, s);
}

PUBLIC int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, Comm *c, CUstream s);
int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, Comm *c, CUstream s) {
  return reduction("reduce_scatter", in, out, n, type, op, -1, true, c, s);
}

PUBLIC int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, Comm *c, CUstream s);
int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, Comm *c, CUstream s) {
  enter("broadcast", c);
  say("broadcast %zu type %d root %d\n", n, type, root);
  if (is_wrong(c, type, root)) return leave(c, INVALID_ARGUMENT);
  Work *w = new_work(c, s);
  const size_t bytes = n * size_of_type(type);
  for (int r = 0; r < c->size && c->rank == root; r++) add(w, false, r, in, bytes);
  if (c->rank != root || in != out) add(w, true, root, out, bytes);
  if (c->rank == root && in == out) { /* nothing for itself */
    int k = 0;
    for (int i = 0; i < w->n; i++)
      if (w->transfers[i].peer != root) w->transfers[k++] = w->transfers[i];
    w->n = k;
  }
  return leave(c, begin(w));
}

PUBLIC int ncclAllGather(const void *in, void *out, size_t n, int type, Comm *c, CUstream s);
int ncclAllGather(const void *in, void *out, size_t n, int type, Comm *c, CUstream s) {
  enter("all_gather", c);
  say("all_gather %zu type %d\n", n, type);
  if (is_wrong(c, type, 0)) return leave(c, INVALID_ARGUMENT);
  Work *w = new_work(c, s);
  const size_t bytes = n * size_of_type(type);
  for (int r = 0; r < c->size; r++) {
    add(w, false, r, in, bytes);
    add(w, true, r, (char *)out + (size_t)r * bytes, bytes);
  }
  return leave(c, begin(w));
}

static int transfer(bool receives, const void *at, size_t n, int type, int peer, Comm *c, CUstream s) {
  enter("send or recv", c);
  say("%s %zu type %d peer %d\n", receives ? "recv" : "send", n, type, peer);
  if (is_wrong(c, type, peer)) return leave(c, INVALID_ARGUMENT);
  Work *w = depth && grouped ? grouped : new_work(c, s);
  add(w, receives, peer, at, n * size_of_type(type));
  if (!depth) return leave(c, begin(w));
  grouped = w;
  return leave(c, SUCCESS);
}

PUBLIC int ncclSend(const void *in, size_t n, int type, int to, Comm *c, CUstream s);
int ncclSend(const void *in, size_t n, int type, int to, Comm *c, CUstream s) {
  return transfer(false, in, n, type, to, c, s);
}

PUBLIC int ncclRecv(void *out, size_t n, int type, int from, Comm *c, CUstream s);
int ncclRecv(void *out, size_t n, int type, int from, Comm *c, CUstream s) {
  return transfer(true, out, n, type, from, c, s);
}
