/* A row of a table: one function of the driver, one condition, and what has to come back. ROW calls the
 * function by every way there is to it: the exported symbol, cuGetProcAddress_v2, and both for its per-thread
 * twin and its name of old. After an error it looks at everything that must not have changed: what the call
 * was to write, the current context, and what a legal call answers.
 *
 * The rows of a group run in a process of their own. A row that ends or blocks it is reported and left out,
 * and the group begins again, so that one run on a GPU tells of every row. */
#ifndef SPEC_CONFORMANCE_ROWS_H
#define SPEC_CONFORMANCE_ROWS_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* --- what a row expects: a code without its prefix, and what is special about it --- */

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  DEINITIALIZED = 4,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  MAP_FAILED_ = 205, /* a macro of sys/mman.h has the name */
  UNMAP_FAILED = 206,
  ARRAY_IS_MAPPED = 207,
  ALREADY_MAPPED = 208,
  NO_BINARY_FOR_GPU = 209,
  NOT_MAPPED = 211,
  NOT_MAPPED_AS_ARRAY = 212,
  NOT_MAPPED_AS_POINTER = 213,
  UNSUPPORTED_LIMIT = 215,
  PEER_ACCESS_UNSUPPORTED = 217,
  INVALID_PTX = 218,
  INVALID_GRAPHICS_CONTEXT = 219,
  UNSUPPORTED_PTX_VERSION = 222,
  UNSUPPORTED_EXEC_AFFINITY = 224,
  INVALID_SOURCE = 300,
  FILE_NOT_FOUND = 301,
  OPERATING_SYSTEM = 304,
  INVALID_HANDLE = 400,
  ILLEGAL_STATE = 401,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
  LAUNCH_OUT_OF_RESOURCES = 701,
  PEER_ACCESS_ALREADY_ENABLED = 704,
  PEER_ACCESS_NOT_ENABLED = 705,
  PRIMARY_CONTEXT_ACTIVE = 708,
  CONTEXT_IS_DESTROYED = 709,
  ASSERT = 710,
  TOO_MANY_PEERS = 711,
  HOST_MEMORY_ALREADY_REGISTERED = 712,
  HOST_MEMORY_NOT_REGISTERED = 713,
  MISALIGNED_ADDRESS = 716,
  LAUNCH_FAILED = 719,
  COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  NOT_PERMITTED = 800,
  NOT_SUPPORTED = 801,
  STREAM_CAPTURE_UNSUPPORTED = 900,
  STREAM_CAPTURE_INVALIDATED = 901,
  STREAM_CAPTURE_MERGE = 902,
  STREAM_CAPTURE_UNMATCHED = 903,
  STREAM_CAPTURE_UNJOINED = 904,
  STREAM_CAPTURE_ISOLATION = 905,
  STREAM_CAPTURE_IMPLICIT = 906,
  CAPTURED_EVENT = 907,
  STREAM_CAPTURE_WRONG_THREAD = 908,
  GRAPH_EXEC_UPDATE_FAILURE = 910,
  INVALID_CLUSTER_SIZE = 912,
  UNKNOWN = 999,

  CODE_MASK = 0xffff,
  ROW_UNSURE = 1 << 16,   /* not measured: what a GPU answers instead is told, and fails nothing */
  ROW_SOFTWARE = 1 << 17, /* a GPU's driver may crash, or has no such limit */
  ROW_WRITES = 1 << 18,   /* the call writes its outputs though it fails */
  ROW_PLAIN = 1 << 19,    /* the twins answer something else: 0 is another stream for them */
  ROW_ONE_WAY = 1 << 20,  /* the exported symbol only: the call works once */
  ROW_SPOILS = 1 << 21 /* a GPU's driver writes its outputs though it fails; the software device does not */
};

#define UNSURE(code) ((code) | ROW_UNSURE)
#define SOFTWARE_ONLY(code) ((code) | ROW_SOFTWARE)
#define WRITES(code) ((code) | ROW_WRITES)
#define SPOILS(code) ((code) | ROW_SPOILS)
#define PLAIN(code) ((code) | ROW_PLAIN)
#define ONE_WAY(code) ((code) | ROW_PLAIN | ROW_ONE_WAY)
#define ON(software, gpu) (SOFT ? (software) : (gpu))

/* --- the functions --- */

typedef void (*Any)(void);

typedef struct Symbol {
  const char *base, *name;
  int since;
} Symbol;

static const Symbol symbols[] = {
#define E(base, symbol, since) {#base, #symbol, since},
#include "../../../src/softgpu/driver/entries.def"
#undef E
};
enum { SYMBOLS = sizeof symbols / sizeof symbols[0] };

/* .base is the symbol whose twin it is. */
static const Symbol twins[] = {
#define T(of, suffix, since, parameters, arguments) {#of, #of #suffix, since},
#include "../../../src/softgpu/driver/twins.def"
#undef T
};
enum { TWINS = sizeof twins / sizeof twins[0] };

/* Names of old; .base is the symbol that does the same, as measured on an H200, driver 580. */
static const Symbol olds[] = {
#define O(symbol, since, of, parameters, arguments) {#of, #symbol, since},
#include "../../../src/softgpu/driver/old.def"
#undef O
};
enum { OLDS = sizeof olds / sizeof olds[0] };

static Any exported(const char *name) {
  Any f = NULL;
  void *at = dlsym(RTLD_DEFAULT, name);
  memcpy(&f, &at, sizeof f);
  return f;
}

static Any by_address(const char *base, int version, cuuint64_t flags) {
  Any f = NULL;
  void *at = NULL;
  CUdriverProcAddressQueryResult status;
  if (cuGetProcAddress_v2(base, &at, version, flags, &status) == CUDA_SUCCESS) memcpy(&f, &at, sizeof f);
  return f;
}

/* --- what is shared with the processes of the groups --- */

enum { ROWS_MOST = 2000, CODES_MOST = 1000, RESTART = 55, ROW_SECONDS = 10 };

typedef struct Shared {
  int row;             /* that runs, counted from 1 within its group; 0: none */
  int judged;          /* rows of the group that were reported before it began again */
  bool out[ROWS_MOST]; /* rows of the group that are left out */
  char text[200];      /* of the row that runs: function | condition */
  bool unsure;         /* ... may differ */
  int rows, differ, unsure_differ;
  int good[SYMBOLS], bad[SYMBOLS]; /* rows that expect success, an error */
  int own[SYMBOLS];                /* rows for this function alone */
  bool called[SYMBOLS], twin_called[TWINS], old_called[OLDS];
  bool codes[CODES_MOST], pair[SYMBOLS][CODES_MOST];
} Shared;

static Shared *shared;
static bool general_rows; /* those that run are the same for every function */

static void share(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) exit(3);
}

static void differs(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  printf("%s: %s | ", shared->unsure && !SOFT ? "unsure" : "differs", shared->text);
  vprintf(format, ap);
  putchar('\n');
  va_end(ap);
  if (shared->unsure && !SOFT)
    shared->unsure_differ++;
  else
    shared->differ++;
}

/* --- outputs: every call writes into one of these --- */

typedef struct Outputs {
  CUdeviceptr ptr, base;
  size_t size, free, total;
  int i, j;
  unsigned u, v;
  unsigned long long number;
  float ms;
  CUdevice dev;
  CUcontext ctx;
  CUmodule module;
  CUfunction function, functions[4];
  CUlibrary library;
  CUkernel kernel_handle, kernels[4];
  CUstream stream;
  CUevent event;
  CUarray array;
  CUmipmappedArray mipmap;
  CUtexObject texture;
  CUsurfObject surface;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC sampler;
  CUDA_RESOURCE_VIEW_DESC view;
  CUtexref tex_ref;
  CUsurfref surf_ref;
  CUaddress_mode address_mode;
  CUfilter_mode filter_mode;
  float least, most, border[4];
  CUmemoryPool pool;
  CUgraph graph;
  CUgraphNode node, nodes[8], to[8];
  CUgraphExec exec;
  CUlinkState link;
  CUdevprop properties;
  CUuuid uuid;
  CUlimit limit;
  CUfunc_cache cache;
  CUsharedconfig banks;
  CUexecAffinityParam affinity;
  CUarray_format format;
  CUDA_ARRAY_DESCRIPTOR flat;
  CUDA_ARRAY3D_DESCRIPTOR solid;
  CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
  CUDA_KERNEL_NODE_PARAMS kernel;
  CUDA_MEMCPY3D box;
  CUDA_MEMSET_NODE_PARAMS fill;
  CUDA_HOST_NODE_PARAMS host_node;
  CUkernelNodeAttrValue attribute;
  CUgraphConditionalHandle handle;
  CUmemAccess_flags access;
  CUmoduleLoadingMode loading;
  CUfunctionLoadingState loaded;
  CUgraphNodeType type;
  CUstreamCaptureStatus status;
  cuuint64_t id;
  const CUgraphNode *dependencies;
  const CUgraphEdgeData *edges;
  CUgraphEdgeData edge[8];
  CUgraphExecUpdateResultInfo update;
  CUdriverProcAddressQueryResult query;
  CUipcMemHandle memory_handle;
  CUipcEventHandle event_handle;
  CUlogsCallbackHandle log;
  CUmemorytype memory_type;
  CUcontext owner;
  CUgreenCtx green;
  CUuserObject user;
  CUgraphicsResource graphics;
  CUmemPoolPtrExportData data;
  void *any, *pfn;
  const void *table;
  const char *name;
  char text[256];
} Outputs;

static Outputs o;
static Outputs untouched;

/* --- running a row --- */

typedef struct Row {
  int want, got, line;
  int symbol; /* its index, or -1 */
  Any via;
  Any tried[6];
  int ways, way; /* how many, and the next one */
  bool judged;   /* reported, now or before */
  CUcontext ctx;
  CUresult probe;
} Row;

static int symbol_of(const char *name) {
  for (int i = 0; i < SYMBOLS; i++)
    if (strcmp(symbols[i].name, name) == 0) return i;
  return -1;
}

/* A legal call: what it answers says whether the context still works. */
static CUresult probe(void) {
  size_t f, t;
  return cuMemGetInfo_v2(&f, &t);
}

static void add_way(Row *r, Any f) {
  for (int i = 0; i < r->ways; i++)
    if (r->tried[i] == f) return;
  if (f) r->tried[r->ways++] = f;
}

static void find_ways(Row *r) {
  const Symbol *s = &symbols[r->symbol];
  add_way(r, exported(s->name));
  if (!(r->want & ROW_ONE_WAY)) add_way(r, by_address(s->base, s->since, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
  shared->called[r->symbol] = true;
  for (int i = 0; i < TWINS && !(r->want & ROW_PLAIN); i++) {
    if (strcmp(twins[i].base, s->name) != 0) continue;
    add_way(r, exported(twins[i].name));
    add_way(r, by_address(s->base, twins[i].since > s->since ? twins[i].since : s->since,
                          CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
    shared->twin_called[i] = true;
  }
  for (int i = 0; i < OLDS && !(r->want & ROW_ONE_WAY); i++) {
    if (strcmp(olds[i].base, s->name) != 0) continue;
    add_way(r, exported(olds[i].name));
    add_way(r, by_address(olds[i].name, olds[i].since, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
    shared->old_called[i] = true;
  }
}

static Row row_begin(const char *symbol, const char *condition, int want, int line) {
  Row r = {.want = want, .line = line, .symbol = symbol_of(symbol)};
  int number = ++shared->row;
  if (number >= ROWS_MOST || r.symbol < 0) {
    fprintf(stderr, "%s: no function of the table, or too many rows\n", symbol);
    exit(4);
  }
  snprintf(shared->text, sizeof shared->text, "%s | %s", symbol, condition);
  shared->unsure = want & ROW_UNSURE;
  if (shared->out[number]) return r;
  r.judged = number <= shared->judged;
  if (!r.judged) {
    shared->judged = number;
    shared->rows++;
    int code = want & CODE_MASK;
    shared->codes[code] = shared->pair[r.symbol][code] = true;
    (code ? shared->bad : shared->good)[r.symbol]++;
    shared->own[r.symbol] += !general_rows;
  }
  if ((want & ROW_SOFTWARE) && !SOFT) return r;
  alarm(ROW_SECONDS);
  find_ways(&r);
  if (!r.ways && !r.judged) differs("no such function here");
  return r;
}

/* Between two rows. */
static void row_end(void) {
  shared->text[0] = 0;
  alarm(ROW_SECONDS);
}

static bool row_next(Row *r) {
  if (r->way == r->ways) {
    row_end();
    return false;
  }
  r->via = r->tried[r->way++];
  return true;
}

static void row_arm(Row *r) {
  r->ctx = NULL;
  cuCtxGetCurrent(&r->ctx);
  r->probe = probe();
  memcpy(&o, &untouched, sizeof o);
}

static void row_differs(Row *r, const char *format, ...) {
  char text[160];
  va_list ap;
  if (r->judged) return;
  r->judged = true;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  differs("%s%s", text, r->way > 1 ? " (through another way than the exported symbol)" : "");
}

/* The context no longer works: the row is left out, and the group begins again. */
static void row_fatal(Row *r, CUresult after) {
  row_differs(r, "expected %d got %d, and the context answers %d from then on", r->want & CODE_MASK, r->got,
              (int)after);
  shared->out[shared->row] = true;
  fflush(NULL);
  _exit(RESTART);
}

static bool same(const void *a, const void *b, size_t n) { return memcmp(a, b, n) == 0; }

static void row_unchanged(Row *r) {
  CUcontext now = NULL;
  cuCtxGetCurrent(&now);
  if (now != r->ctx) row_differs(r, "got %d, and another context is current", r->got);
  bool may_write = r->want & ROW_WRITES || (r->want & ROW_SPOILS && !SOFT);
  if (!may_write && !same(&o, &untouched, sizeof o))
    row_differs(r, "got %d, and an output was written", r->got);
}

static void row_judge(Row *r, CUresult got) {
  r->got = (int)got;
  CUresult after = probe();
  if (after != r->probe && after >= 700 && r->probe == CUDA_SUCCESS &&
      after != CUDA_ERROR_CONTEXT_IS_DESTROYED)
    row_fatal(r, after);
  if (r->got != (r->want & CODE_MASK)) row_differs(r, "expected %d got %d", r->want & CODE_MASK, r->got);
  if (!r->got) return;
  if (after != r->probe) row_differs(r, "got %d, and a legal call answers %d", r->got, (int)after);
  row_unchanged(r);
}

static void row_expect(Row *r, bool good, const char *what) {
  if (!good && !r->got) row_differs(r, "not so: %s", what);
}

/* What has to work before the row is worth anything; an expression, for `before`. */
#define MUST(call) judge((call) == CUDA_SUCCESS, __LINE__, "%s", #call)

#define ROW(symbol, condition, want, args) WITH(symbol, condition, want, (void)0, args, (void)0)

/* `before` comes before each call of the row, `after` after it. */
#define WITH(symbol, condition, want, before, args, after)                                                   \
  for (Row row_ = row_begin(#symbol, condition, want, __LINE__); row_next(&row_);) {                         \
    before;                                                                                                  \
    row_arm(&row_);                                                                                          \
    row_judge(&row_, ((__typeof__(symbol) *)row_.via)args);                                                  \
    after;                                                                                                   \
  }

/* For `after`: whether the call worked, and a fact that then has to hold. */
#define WORKED (row_.got == 0)
#define HOLDS(x) row_expect(&row_, x, #x)

/* --- groups --- */

static void report_end(int status) {
  bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  if (!shared->text[0])
    snprintf(shared->text, sizeof shared->text, "between two rows | after row %d", shared->row);
  if (hung)
    differs("hung");
  else if (WIFSIGNALED(status))
    differs("crashed: signal %d", WTERMSIG(status));
  else
    differs("the process ended with %d", WEXITSTATUS(status));
}

/* Runs the rows of a group in a child, and again without those that end it. */
static void isolate(void (*rows)(void)) {
  int before = shared->differ;
  memset(shared->out, 0, sizeof shared->out);
  shared->judged = 0;
  for (int tries = 0; tries < 100; tries++) {
    int status = 1;
    fflush(NULL);
    shared->row = 0;
    shared->text[0] = 0;
    pid_t child = fork();
    if (child == 0) {
      alarm(3 * ROW_SECONDS); /* there is much to be made before the first row */
      rows();
      exit(failed ? 1 : 0);
    }
    waitpid(child, &status, 0);
    if (status == 0) break;
    if (WIFEXITED(status) && WEXITSTATUS(status) == RESTART) continue;
    bool in_row = shared->text[0] != 0;
    report_end(status);
    if (!in_row || shared->row >= ROWS_MOST) break;
    shared->out[shared->row] = true;
  }
  failed += shared->differ - before;
}

#endif
