/* A library with cuSOLVER's symbols, for specs on the software device: it checks and logs what it is given,
 * and computes on the host in the order of the stream, in doubles, by the algorithms of textbooks. What the
 * library says nothing about, it fills with NaN: the other triangle of a factor, and matrices that were
 * worked in. */
#include <cuda.h>

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 3, EXECUTION_FAILED = 6, INVALID_WORKSPACE = 31 };
enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };
enum { LOWER = 0, UPPER = 1 };

typedef double complex Value;

/* --- what specs ask and say --- */

static char log_text[1 << 16];
static size_t log_length;
static int next_status, next_info, handles, alive, strange;
static size_t host_bytes; /* that the 64-bit functions ask for */

static CUresult (*synchronize)(CUstream);
static CUresult (*is_capturing)(CUstream, CUstreamCaptureStatus *);
static CUresult (*launch_host)(CUstream, CUhostFn, void *);
static CUresult (*host_alloc)(void **, size_t);
static CUresult (*host_free)(void *);
static CUresult (*copy_async)(CUdeviceptr, const void *, size_t, CUstream);
static CUresult (*fill_async)(CUdeviceptr, unsigned char, size_t, CUstream);

PUBLIC int solver_driver(const char *path);
PUBLIC const char *solver_log(void);
PUBLIC void solver_clear(void);
PUBLIC void solver_fail(int status);
PUBLIC void solver_report(int info);
PUBLIC void solver_host(size_t bytes);
PUBLIC int solver_handles(void);
PUBLIC int solver_alive(void);
PUBLIC int solver_strange(void);

/* 0: the driver at that path has what is needed. */
int solver_driver(const char *path) {
  void *d = dlopen(path, RTLD_NOW);
  if (!d) return 1;
  *(void **)&synchronize = dlsym(d, "cuStreamSynchronize");
  *(void **)&is_capturing = dlsym(d, "cuStreamIsCapturing");
  *(void **)&launch_host = dlsym(d, "cuLaunchHostFunc");
  *(void **)&host_alloc = dlsym(d, "cuMemAllocHost_v2");
  *(void **)&host_free = dlsym(d, "cuMemFreeHost");
  *(void **)&copy_async = dlsym(d, "cuMemcpyHtoDAsync_v2");
  *(void **)&fill_async = dlsym(d, "cuMemsetD8Async");
  return synchronize && is_capturing && launch_host && host_alloc && host_free && copy_async && fill_async
             ? 0
             : 2;
}

const char *solver_log(void) { return log_text; }
void solver_clear(void) { log_text[log_length = 0] = 0; }
void solver_fail(int status) { next_status = status; } /* of the next call that computes */
void solver_report(int info) { next_info = info; } /* what the next eigenvalues or singular values report */
void solver_host(size_t bytes) { host_bytes = bytes; }
int solver_handles(void) { return handles; } /* that are not destroyed */
int solver_alive(void) { return alive; }     /* parameters that are not destroyed */
int solver_strange(void) { return strange; } /* matrices with NaN and infinities that were to be factorised */

/* --- handles and parameters --- */

typedef struct Handle {
  bool is_open;
  CUstream stream;
} Handle;

typedef struct Params {
  bool is_open;
} Params;

PUBLIC int cusolverGetProperty(int type, int *value);
PUBLIC int cusolverDnCreate(Handle **handle);
PUBLIC int cusolverDnDestroy(Handle *handle);
PUBLIC int cusolverDnSetStream(Handle *handle, CUstream stream);
PUBLIC int cusolverDnCreateParams(Params **params);
PUBLIC int cusolverDnDestroyParams(Params *params);

int cusolverGetProperty(int type, int *value) {
  static const int version[] = {11, 7, 5};
  if (type < 0 || type > 2) return INVALID_VALUE;
  *value = version[type];
  return SUCCESS;
}

/* Neither is freed, so that a use after the end is seen. */
static Handle all_handles[4096];
static Params all_params[4096];

int cusolverDnCreate(Handle **handle) {
  static unsigned next;
  *handle = &all_handles[next++ % 4096];
  **handle = (Handle){.is_open = true};
  handles++;
  return SUCCESS;
}

int cusolverDnDestroy(Handle *handle) {
  if (!handle->is_open) return NOT_INITIALIZED;
  handle->is_open = false;
  handles--;
  return SUCCESS;
}

int cusolverDnSetStream(Handle *handle, CUstream stream) {
  if (!handle->is_open) return NOT_INITIALIZED;
  handle->stream = stream;
  return SUCCESS;
}

int cusolverDnCreateParams(Params **params) {
  static unsigned next;
  *params = &all_params[next++ % 4096];
  (*params)->is_open = true;
  alive++;
  return SUCCESS;
}

int cusolverDnDestroyParams(Params *params) {
  if (!params->is_open) return NOT_INITIALIZED;
  params->is_open = false;
  alive--;
  return SUCCESS;
}

/* --- elements --- */

static size_t size_of(int type) { return type == R_32F ? 4 : type == C_64F ? 16 : 8; }
static int real_of(int type) { return type == C_32F ? R_32F : type == C_64F ? R_64F : type; }
static bool is_known(int type) { return type == R_32F || type == R_64F || type == C_32F || type == C_64F; }

/* Sets both parts, also to NaN. Not every compiler has CMPLX(). */
static Value both(double re, double im) {
  const double parts[] = {re, im};
  Value v;
  memcpy(&v, parts, sizeof v);
  return v;
}

static Value load(int type, const void *base, int64_t i) {
  const float *f = base;
  const double *d = base;
  switch (type) {
  case R_32F: return (double)f[i];
  case R_64F: return d[i];
  case C_32F: return both((double)f[2 * i], (double)f[2 * i + 1]);
  default: return both(d[2 * i], d[2 * i + 1]);
  }
}

static void store(int type, void *base, int64_t i, Value v) {
  float *f = base;
  double *d = base;
  switch (type) {
  case R_32F: f[i] = (float)creal(v); break;
  case R_64F: d[i] = creal(v); break;
  case C_32F:
    f[2 * i] = (float)creal(v);
    f[2 * i + 1] = (float)cimag(v);
    break;
  default: d[2 * i] = creal(v); d[2 * i + 1] = cimag(v);
  }
}

/* --- a call --- */

/* Memory that a call writes: rows x columns of a type, column by column, ld apart. */
typedef struct Block {
  char *to, *staging;
  int64_t rows, columns, ld;
  size_t item;
} Block;

typedef struct Job Job;
struct Job {
  Job *kept; /* the one before it, of those in graphs: never freed, and no leak */
  void (*compute)(Job *);
  int type, mode, info;
  int64_t m, n, k, lda, ldb;
  const void *a, *b, *tau;
  const int64_t *pivots;
  char left, right;
  Block out[5];
  int outs;
};

static void *output(Job *j, void *to, int64_t rows, int64_t columns, int64_t ld, size_t item) {
  Block *b = &j->out[j->outs++];
  *b = (Block){.to = to, .rows = rows, .columns = columns, .ld = ld, .item = item};
  const size_t room = (size_t)(rows * columns) * item;
  if (host_alloc((void **)&b->staging, room ? room : 1)) return NULL;
  return b->staging;
}

static void write_log(const char *text) {
  const int n = snprintf(log_text + log_length, sizeof log_text - log_length, "%s\n", text);
  log_length = log_length + (size_t)n < sizeof log_text ? log_length + (size_t)n : sizeof log_text - 1;
}

/* What each function's sizes were asked for last, and what was answered. */
enum { POTRF, GETRF, GEQRF, ORGQR, SYEVD, GESVD, FUNCTIONS };
static struct {
  char text[200];
  size_t device, host;
} asked[FUNCTIONS];

static int answer(int function, const char *text, size_t device, size_t *device_bytes, size_t *host) {
  snprintf(asked[function].text, sizeof asked[function].text, "%s", text);
  asked[function].device = *device_bytes = device;
  asked[function].host = host_bytes;
  if (host) *host = host_bytes;
  return SUCCESS;
}

static int refuse(const char *why, int status) {
  char text[100];
  snprintf(text, sizeof text, "REFUSED: %s", why);
  write_log(text);
  return status;
}

/* Was memory asked for, with the same arguments, and is as much there? It is filled with rubbish. */
static int check_workspace(int function, const char *text, void *work, size_t bytes, void *host,
                           size_t host_size, CUstream stream) {
  if (strcmp(asked[function].text, text) != 0) return refuse("sizes were not asked for", INVALID_WORKSPACE);
  if (bytes < asked[function].device || (bytes && !work))
    return refuse("device workspace", INVALID_WORKSPACE);
  if (host_size < asked[function].host || (host_size && !host))
    return refuse("host workspace", INVALID_WORKSPACE);
  if (host_size && (uintptr_t)host % 16) return refuse("alignment of the host workspace", INVALID_WORKSPACE);
  if (host_size) memset(host, 0xa5, host_size);
  return bytes && fill_async((CUdeviceptr)(uintptr_t)work, 0xff, bytes, stream) ? EXECUTION_FAILED : SUCCESS;
}

/* A status that a spec asked for, or what is wrong with handle and parameters. */
static int check_call(const Handle *handle, const Params *params, bool has_params) {
  const int status = next_status;
  next_status = 0;
  if (status) return status;
  if (!handle || !handle->is_open || !synchronize) return NOT_INITIALIZED;
  if (has_params && (!params || !params->is_open)) return refuse("parameters", INVALID_VALUE);
  return SUCCESS;
}

static void run_job(void *argument) {
  Job *j = argument;
  j->compute(j);
}

/* Puts a job into the stream, with the copies of what it writes. */
static int submit(Job *j, CUstream stream, bool waits, const char *text) {
  static Job *kept;
  write_log(text);
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult r = is_capturing(stream, &capture);
  if (!r && waits && capture) r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!r) r = launch_host(stream, run_job, j);
  for (int i = 0; i < j->outs && !r; i++) {
    const Block *b = &j->out[i];
    const size_t column = (size_t)b->rows * b->item;
    for (int64_t c = 0; c < b->columns && !r && column; c++)
      r = copy_async((CUdeviceptr)(uintptr_t)(b->to + (size_t)(c * b->ld) * b->item),
                     b->staging + (size_t)c * column, column, stream);
  }
  if (capture) {
    j->kept = kept;
    kept = j;
    return r ? EXECUTION_FAILED : SUCCESS;
  }
  if (!r) r = synchronize(stream);
  for (int i = 0; i < j->outs; i++) host_free(j->out[i].staging);
  free(j);
  return r ? EXECUTION_FAILED : SUCCESS;
}

static Job *job(void (*compute)(Job *), int type, int64_t m, int64_t n, const void *a, int64_t lda) {
  Job *j = calloc(1, sizeof *j);
  *j = (Job){.compute = compute, .type = type, .m = m, .n = n, .a = a, .lda = lda};
  return j;
}

/* Zeros on the host. */
static void *zeros(int64_t n, size_t item) {
  void *memory = n >= 0 && n < INT32_MAX ? calloc((size_t)n + 1, item) : NULL;
  if (!memory) abort();
  return memory;
}

/* A matrix of the job's memory in doubles, m x n without gaps. */
static Value *matrix(const Job *j, const void *from, int64_t rows, int64_t columns, int64_t ld) {
  Value *x = zeros(rows * columns, sizeof *x);
  for (int64_t c = 0; c < columns; c++)
    for (int64_t r = 0; r < rows; r++) x[c * rows + r] = load(j->type, from, c * ld + r);
  return x;
}

/* The same of a matrix that may have no NaN and infinities: a real library could go on without an end. */
static Value *finite_matrix(const Job *j) {
  Value *x = matrix(j, j->a, j->m, j->n, j->lda);
  for (int64_t i = 0; i < j->m * j->n; i++)
    if (!isfinite(creal(x[i])) || !isfinite(cimag(x[i]))) {
      strange++;
      break;
    }
  return x;
}

static void put(const Job *j, int block, const Value *x) {
  const Block *b = &j->out[block];
  for (int64_t i = 0; i < b->rows * b->columns; i++) store(j->type, b->staging, i, x[i]);
}

static void put_real(const Job *j, int block, const double *x) {
  const Block *b = &j->out[block];
  for (int64_t i = 0; i < b->rows * b->columns; i++) store(real_of(j->type), b->staging, i, x[i]);
}

static void put_info(const Job *j, int block, int info) { memcpy(j->out[block].staging, &info, sizeof info); }

static void put_nan(const Job *j, int block) {
  const Block *b = &j->out[block];
  for (int64_t i = 0; i < b->rows * b->columns; i++)
    store(j->type, b->staging, i, both((double)NAN, (double)NAN));
}

static int info_of_spec(void) {
  const int info = next_info;
  next_info = 0;
  return info;
}

/* --- Cholesky --- */

static void compute_potrf(Job *j) {
  const int64_t n = j->n;
  Value *x = finite_matrix(j); /* l, column by column */
  int info = 0;
  for (int64_t c = 0; c < n && !info; c++) {
    double d = creal(x[c * n + c]);
    for (int64_t i = 0; i < c; i++) d -= creal(x[i * n + c] * conj(x[i * n + c]));
    if (!(d > 0)) {
      info = (int)c + 1;
      break;
    }
    x[c * n + c] = sqrt(d);
    for (int64_t r = c + 1; r < n; r++) {
      Value sum = x[c * n + r];
      for (int64_t i = 0; i < c; i++) sum -= x[i * n + r] * conj(x[i * n + c]);
      x[c * n + r] = sum / sqrt(d);
    }
  }
  for (int64_t c = 0; c < n; c++)
    for (int64_t r = 0; r < c; r++) x[c * n + r] = both((double)NAN, (double)NAN);
  put(j, 0, x);
  put_info(j, 1, info);
  free(x);
}

PUBLIC int cusolverDnXpotrf_bufferSize(Handle *handle, Params *params, int uplo, int64_t n, int type,
                                       const void *a, int64_t lda, int compute, size_t *device, size_t *host);
PUBLIC int cusolverDnXpotrf(Handle *handle, Params *params, int uplo, int64_t n, int type, void *a,
                            int64_t lda, int compute, void *work, size_t bytes, void *host, size_t host_size,
                            int *info);

static void potrf_text(char *text, int uplo, int64_t n, int type, int64_t lda, int compute) {
  snprintf(text, 200, "potrf uplo %d n %lld type %d lda %lld compute %d", uplo, (long long)n, type,
           (long long)lda, compute);
}

int cusolverDnXpotrf_bufferSize(Handle *handle, Params *params, int uplo, int64_t n, int type, const void *a,
                                int64_t lda, int compute, size_t *device, size_t *host) {
  char text[200];
  if (!handle->is_open || !params->is_open || !a) return INVALID_VALUE;
  potrf_text(text, uplo, n, type, lda, compute);
  return answer(POTRF, text, (size_t)(n * n) * size_of(type), device, host);
}

int cusolverDnXpotrf(Handle *handle, Params *params, int uplo, int64_t n, int type, void *a, int64_t lda,
                     int compute, void *work, size_t bytes, void *host, size_t host_size, int *info) {
  char text[200];
  potrf_text(text, uplo, n, type, lda, compute);
  int status = check_call(handle, params, true);
  if (!status) status = check_workspace(POTRF, text, work, bytes, host, host_size, handle->stream);
  if (status) return status;
  if (uplo != LOWER || n < 1 || lda < n || !is_known(type) || compute != type || !a || !info)
    return INVALID_VALUE;
  Job *j = job(compute_potrf, type, n, n, a, lda);
  output(j, a, n, n, lda, size_of(type));
  output(j, info, 1, 1, 1, sizeof *info);
  return submit(j, handle->stream, false, text);
}

/* --- elimination --- */

static double size(Value x) { return fabs(creal(x)) + fabs(cimag(x)); }

static void compute_getrf(Job *j) {
  const int64_t m = j->m, n = j->n, k = m < n ? m : n;
  Value *x = finite_matrix(j);
  int64_t *pivots = (int64_t *)(void *)j->out[1].staging;
  int info = 0;
  for (int64_t c = 0; c < k; c++) {
    int64_t p = c;
    for (int64_t r = c + 1; r < m; r++)
      if (size(x[c * m + r]) > size(x[c * m + p])) p = r;
    pivots[c] = p + 1;
    if (size(x[c * m + p]) == 0) {
      if (!info) info = (int)c + 1;
      continue;
    }
    for (int64_t i = 0; i < n && p != c; i++) {
      const Value t = x[i * m + c];
      x[i * m + c] = x[i * m + p];
      x[i * m + p] = t;
    }
    for (int64_t r = c + 1; r < m; r++) x[c * m + r] /= x[c * m + c];
    for (int64_t i = c + 1; i < n; i++)
      for (int64_t r = c + 1; r < m; r++) x[i * m + r] -= x[c * m + r] * x[i * m + c];
  }
  put(j, 0, x);
  put_info(j, 2, info);
  free(x);
}

PUBLIC int cusolverDnXgetrf_bufferSize(Handle *handle, Params *params, int64_t m, int64_t n, int type,
                                       const void *a, int64_t lda, int compute, size_t *device, size_t *host);
PUBLIC int cusolverDnXgetrf(Handle *handle, Params *params, int64_t m, int64_t n, int type, void *a,
                            int64_t lda, int64_t *pivots, int compute, void *work, size_t bytes, void *host,
                            size_t host_size, int *info);
PUBLIC int cusolverDnXgetrs(Handle *handle, Params *params, int trans, int64_t n, int64_t sides, int type,
                            const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                            int64_t ldb, int *info);

static void getrf_text(char *text, int64_t m, int64_t n, int type, int64_t lda, int compute) {
  snprintf(text, 200, "getrf m %lld n %lld type %d lda %lld compute %d", (long long)m, (long long)n, type,
           (long long)lda, compute);
}

int cusolverDnXgetrf_bufferSize(Handle *handle, Params *params, int64_t m, int64_t n, int type, const void *a,
                                int64_t lda, int compute, size_t *device, size_t *host) {
  char text[200];
  if (!handle->is_open || !params->is_open || !a) return INVALID_VALUE;
  getrf_text(text, m, n, type, lda, compute);
  return answer(GETRF, text, (size_t)(m + n) * size_of(type), device, host);
}

int cusolverDnXgetrf(Handle *handle, Params *params, int64_t m, int64_t n, int type, void *a, int64_t lda,
                     int64_t *pivots, int compute, void *work, size_t bytes, void *host, size_t host_size,
                     int *info) {
  char text[200];
  getrf_text(text, m, n, type, lda, compute);
  int status = check_call(handle, params, true);
  if (!status) status = check_workspace(GETRF, text, work, bytes, host, host_size, handle->stream);
  if (status) return status;
  if (m < 1 || n < 1 || lda < m || !is_known(type) || compute != type || !a || !pivots || !info)
    return INVALID_VALUE;
  Job *j = job(compute_getrf, type, m, n, a, lda);
  output(j, a, m, n, lda, size_of(type));
  output(j, pivots, m < n ? m : n, 1, m, sizeof *pivots);
  output(j, info, 1, 1, 1, sizeof *info);
  return submit(j, handle->stream, false, text);
}

static void compute_getrs(Job *j) {
  const int64_t n = j->n, k = j->k;
  Value *x = matrix(j, j->a, n, n, j->lda), *b = matrix(j, j->b, n, k, j->ldb);
  for (int64_t c = 0; c < k; c++) {
    Value *own = b + c * n;
    for (int64_t r = 0; r < n; r++) {
      const int64_t p = j->pivots[r] - 1;
      const Value t = own[r];
      own[r] = own[p];
      own[p] = t;
    }
    for (int64_t r = 0; r < n; r++)
      for (int64_t i = r + 1; i < n; i++) own[i] -= x[r * n + i] * own[r];
    for (int64_t r = n; r-- > 0;) {
      own[r] /= x[r * n + r];
      for (int64_t i = 0; i < r; i++) own[i] -= x[r * n + i] * own[r];
    }
  }
  put(j, 0, b);
  put_info(j, 1, 0);
  free(x);
  free(b);
}

int cusolverDnXgetrs(Handle *handle, Params *params, int trans, int64_t n, int64_t sides, int type,
                     const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b, int64_t ldb,
                     int *info) {
  char text[200];
  snprintf(text, sizeof text, "getrs trans %d n %lld sides %lld type %d lda %lld ldb %lld", trans,
           (long long)n, (long long)sides, type, (long long)lda, (long long)ldb);
  const int status = check_call(handle, params, true);
  if (status) return status;
  if (trans != 0 || n < 1 || sides < 1 || lda < n || ldb < n || !is_known(type) || type_b != type || !a ||
      !pivots || !b || !info)
    return INVALID_VALUE;
  Job *j = job(compute_getrs, type, n, n, a, lda);
  j->k = sides;
  j->b = b;
  j->ldb = ldb;
  j->pivots = pivots;
  output(j, b, n, sides, ldb, size_of(type));
  output(j, info, 1, 1, 1, sizeof *info);
  return submit(j, handle->stream, false, text);
}

/* --- reflections --- */

/* x = x - factor v (v' x), where v has a 1 at its start. */
static void reflect(Value *x, const Value *v, int64_t length, Value factor) {
  Value dot = x[0];
  for (int64_t i = 1; i < length; i++) dot += conj(v[i]) * x[i];
  dot *= factor;
  x[0] -= dot;
  for (int64_t i = 1; i < length; i++) x[i] -= v[i] * dot;
}

static void compute_geqrf(Job *j) {
  const int64_t m = j->m, n = j->n, k = m < n ? m : n;
  Value *x = matrix(j, j->a, m, n, j->lda), *tau = zeros(k, sizeof *tau);
  for (int64_t c = 0; c < k; c++) {
    Value *v = x + c * m + c;
    double tail = 0; /* its length, which neither overflows nor vanishes */
    for (int64_t i = 1; i < m - c; i++) tail = hypot(tail, cabs(v[i]));
    if (tail == 0 && cimag(v[0]) == 0) continue;
    const double length = hypot(cabs(v[0]), tail), beta = creal(v[0]) > 0 ? -length : length;
    tau[c] = (beta - v[0]) / beta;
    const Value divisor = v[0] - beta;
    for (int64_t i = 1; i < m - c; i++) v[i] /= divisor;
    for (int64_t i = c + 1; i < n; i++) reflect(x + i * m + c, v, m - c, conj(tau[c]));
    v[0] = beta;
  }
  put(j, 0, x);
  put(j, 1, tau);
  put_info(j, 2, 0);
  free(x);
  free(tau);
}

static void compute_orgqr(Job *j) {
  const int64_t m = j->m, n = j->n, k = j->k;
  Value *x = matrix(j, j->a, m, n, j->lda), *tau = matrix(j, j->tau, k, 1, k);
  Value *q = zeros(m * n, sizeof *q);
  for (int64_t c = 0; c < n; c++) {
    q[c * m + c] = 1;
    for (int64_t i = k; i-- > 0;) reflect(q + c * m + i, x + i * m + i, m - i, tau[i]);
  }
  put(j, 0, q);
  put_info(j, 1, 0);
  free(x);
  free(tau);
  free(q);
}

PUBLIC int cusolverDnXgeqrf_bufferSize(Handle *handle, Params *params, int64_t m, int64_t n, int type,
                                       const void *a, int64_t lda, int type_tau, const void *tau, int compute,
                                       size_t *device, size_t *host);
PUBLIC int cusolverDnXgeqrf(Handle *handle, Params *params, int64_t m, int64_t n, int type, void *a,
                            int64_t lda, int type_tau, void *tau, int compute, void *work, size_t bytes,
                            void *host, size_t host_size, int *info);

static void geqrf_text(char *text, int64_t m, int64_t n, int type, int64_t lda, int type_tau, int compute) {
  snprintf(text, 200, "geqrf m %lld n %lld type %d lda %lld tau %d compute %d", (long long)m, (long long)n,
           type, (long long)lda, type_tau, compute);
}

int cusolverDnXgeqrf_bufferSize(Handle *handle, Params *params, int64_t m, int64_t n, int type, const void *a,
                                int64_t lda, int type_tau, const void *tau, int compute, size_t *device,
                                size_t *host) {
  char text[200];
  if (!handle->is_open || !params->is_open || !a || !tau) return INVALID_VALUE;
  geqrf_text(text, m, n, type, lda, type_tau, compute);
  return answer(GEQRF, text, (size_t)(32 * n) * size_of(type), device, host);
}

int cusolverDnXgeqrf(Handle *handle, Params *params, int64_t m, int64_t n, int type, void *a, int64_t lda,
                     int type_tau, void *tau, int compute, void *work, size_t bytes, void *host,
                     size_t host_size, int *info) {
  char text[200];
  geqrf_text(text, m, n, type, lda, type_tau, compute);
  int status = check_call(handle, params, true);
  if (!status) status = check_workspace(GEQRF, text, work, bytes, host, host_size, handle->stream);
  if (status) return status;
  if (m < 1 || n < 1 || lda < m || !is_known(type) || type_tau != type || compute != type || !a || !tau ||
      !info)
    return INVALID_VALUE;
  Job *j = job(compute_geqrf, type, m, n, a, lda);
  output(j, a, m, n, lda, size_of(type));
  output(j, tau, m < n ? m : n, 1, m, size_of(type));
  output(j, info, 1, 1, 1, sizeof *info);
  return submit(j, handle->stream, false, text);
}

/* The 32-bit functions, one for each type. */
static void orgqr_text(char *text, int type, int m, int n, int k, int lda) {
  snprintf(text, 200, "orgqr type %d m %d n %d k %d lda %d", type, m, n, k, lda);
}

static int orgqr_size(int type, const Handle *handle, int m, int n, int k, const void *a, int lda,
                      const void *tau, int *elements) {
  char text[200];
  size_t bytes;
  if (!handle->is_open || !a || !tau) return INVALID_VALUE;
  orgqr_text(text, type, m, n, k, lda);
  answer(ORGQR, text, (size_t)(32 * n) * size_of(type), &bytes, NULL);
  asked[ORGQR].host = 0;
  *elements = 32 * n;
  return SUCCESS;
}

static int orgqr(int type, const Handle *handle, int m, int n, int k, void *a, int lda, const void *tau,
                 void *work, int elements, int *info) {
  char text[200];
  orgqr_text(text, type, m, n, k, lda);
  int status = check_call(handle, NULL, false);
  if (!status)
    status = check_workspace(ORGQR, text, work, (size_t)elements * size_of(type), NULL, 0, handle->stream);
  if (status) return status;
  if (m < 1 || n < 1 || n > m || k < 1 || k > n || lda < m || !a || !tau || !info) return INVALID_VALUE;
  Job *j = job(compute_orgqr, type, m, n, a, lda);
  j->k = k;
  j->tau = tau;
  output(j, a, m, n, lda, size_of(type));
  output(j, info, 1, 1, 1, sizeof *info);
  return submit(j, handle->stream, false, text);
}

#define ORGQR_OF(name, type)                                                                                 \
  PUBLIC int cusolverDn##name##_bufferSize(Handle *h, int m, int n, int k, const void *a, int lda,           \
                                           const void *tau, int *elements);                                  \
  PUBLIC int cusolverDn##name(Handle *h, int m, int n, int k, void *a, int lda, const void *tau, void *work, \
                              int elements, int *info);                                                      \
  int cusolverDn##name##_bufferSize(Handle *h, int m, int n, int k, const void *a, int lda, const void *tau, \
                                    int *elements) {                                                         \
    return orgqr_size(type, h, m, n, k, a, lda, tau, elements);                                              \
  }                                                                                                          \
  int cusolverDn##name(Handle *h, int m, int n, int k, void *a, int lda, const void *tau, void *work,        \
                       int elements, int *info) {                                                            \
    return orgqr(type, h, m, n, k, a, lda, tau, work, elements, info);                                       \
  }
ORGQR_OF(Sorgqr, R_32F)
ORGQR_OF(Dorgqr, R_64F)
ORGQR_OF(Cungqr, C_32F)
ORGQR_OF(Zungqr, C_64F)

/* --- rotations --- */

/* Turns columns p and q of x, m elements each, so that they are orthogonal; those of v, n each, with them. */
static bool orthogonalise(Value *x, int64_t m, Value *v, int64_t n, int64_t p, int64_t q) {
  double a = 0, b = 0;
  Value g = 0;
  for (int64_t i = 0; i < m; i++) {
    a += creal(x[p * m + i] * conj(x[p * m + i]));
    b += creal(x[q * m + i] * conj(x[q * m + i]));
    g += conj(x[p * m + i]) * x[q * m + i];
  }
  const double length = cabs(g);
  if (!(length > 1e-15 * sqrt(a * b)) || length == 0) return false;
  const double zeta = (b - a) / (2 * length);
  const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  const Value phase = conj(g) / length;
  for (int side = 0; side < 2; side++) {
    Value *y = side ? v : x;
    const int64_t rows = side ? n : m;
    for (int64_t i = 0; i < rows; i++) {
      const Value own = y[p * rows + i], other = phase * y[q * rows + i];
      y[p * rows + i] = c * own - s * other;
      y[q * rows + i] = s * own + c * other;
    }
  }
  return true;
}

/* One-sided: x (m x n) becomes u diag(s), and v the turns. */
static void sweeps(Value *x, int64_t m, Value *v, int64_t n) {
  for (int64_t i = 0; i < n; i++) v[i * n + i] = 1;
  bool goes_on = true;
  for (int sweep = 0; sweep < 60 && goes_on; sweep++) {
    goes_on = false;
    for (int64_t p = 0; p < n; p++)
      for (int64_t q = p + 1; q < n; q++) goes_on = orthogonalise(x, m, v, n, p, q) || goes_on;
  }
}

/* A column of u that is orthogonal to those before it: the unit vector that is farthest from them. */
static void complete(Value *u, int64_t m, int64_t column) {
  Value *best = zeros(m, sizeof *best), *trial = zeros(m, sizeof *trial);
  double longest = -1;
  for (int64_t e = 0; e < m; e++) {
    memset(trial, 0, (size_t)m * sizeof *trial);
    trial[e] = 1;
    for (int twice = 0; twice < 2; twice++)
      for (int64_t c = 0; c < column; c++) {
        Value dot = 0;
        for (int64_t i = 0; i < m; i++) dot += conj(u[c * m + i]) * trial[i];
        for (int64_t i = 0; i < m; i++) trial[i] -= dot * u[c * m + i];
      }
    double length = 0;
    for (int64_t i = 0; i < m; i++) length += creal(trial[i] * conj(trial[i]));
    if (length <= longest) continue;
    longest = length;
    memcpy(best, trial, (size_t)m * sizeof *best);
    if (length > 0.5) break;
  }
  for (int64_t i = 0; i < m; i++) u[column * m + i] = best[i] / sqrt(longest);
  free(best);
  free(trial);
}

/* The order of so many values: which comes where. */
static void sort(const double *values, int64_t n, bool descending, int64_t *order) {
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i;
    for (; at > 0; at--) {
      const double before = values[order[at - 1]];
      if (descending ? before >= values[i] : before <= values[i]) break;
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
}

static void compute_gesvd(Job *j) {
  const int64_t m = j->m, n = j->n;
  const int64_t columns = j->left == 'N' ? 0 : j->left == 'S' ? n : m;
  Value *x = finite_matrix(j), *v = zeros(n * n, sizeof *v);
  double *lengths = zeros(n, sizeof *lengths), *s = zeros(n, sizeof *s);
  int64_t *order = zeros(n, sizeof *order);
  sweeps(x, m, v, n);
  for (int64_t c = 0; c < n; c++) {
    for (int64_t i = 0; i < m; i++) lengths[c] += creal(x[c * m + i] * conj(x[c * m + i]));
    lengths[c] = sqrt(lengths[c]);
  }
  sort(lengths, n, true, order);
  Value *u = zeros(m * m, sizeof *u), *vh = zeros(n * n, sizeof *vh);
  for (int64_t c = 0; c < n; c++) {
    s[c] = lengths[order[c]];
    for (int64_t i = 0; i < n; i++) vh[i * n + c] = conj(v[order[c] * n + i]);
    if (s[c] > 1e-14 * s[0] && s[c] > 0)
      for (int64_t i = 0; i < m; i++) u[c * m + i] = x[order[c] * m + i] / s[c];
    else
      complete(u, m, c);
  }
  for (int64_t c = n; c < columns; c++) complete(u, m, c);
  put_nan(j, 0);
  put_real(j, 1, s);
  put_info(j, 2, j->info);
  if (columns) put(j, 3, u);
  if (j->right != 'N') {
    const Block *b = &j->out[columns ? 4 : 3];
    for (int64_t i = 0; i < n * n; i++) store(j->type, b->staging, i, vh[i]);
  }
  free(x);
  free(v);
  free(lengths);
  free(s);
  free(order);
  free(u);
  free(vh);
}

/* Eigenvalues of a + shift, which is positive, are its singular values, and its vectors are theirs. */
static void compute_syevd(Job *j) {
  const int64_t n = j->n;
  Value *x = finite_matrix(j), *v = zeros(n * n, sizeof *v);
  double shift = 0;
  for (int64_t c = 0; c < n; c++) { /* the upper triangle counts */
    x[c * n + c] = creal(x[c * n + c]);
    for (int64_t r = c + 1; r < n; r++) x[c * n + r] = conj(x[r * n + c]);
  }
  for (int64_t c = 0; c < n; c++) {
    double sum = 0;
    for (int64_t r = 0; r < n; r++) sum += cabs(x[c * n + r]);
    if (sum > shift) shift = sum;
  }
  Value *whole = zeros(n * n, sizeof *whole);
  memcpy(whole, x, (size_t)(n * n) * sizeof *x);
  for (int64_t c = 0; c < n; c++) x[c * n + c] += 2 * shift;
  sweeps(x, n, v, n);
  double *values = zeros(n, sizeof *values), *w = zeros(n, sizeof *w);
  int64_t *order = zeros(n, sizeof *order);
  for (int64_t c = 0; c < n; c++) { /* v' a v has more digits than the shifted length */
    Value sum = 0;
    for (int64_t r = 0; r < n; r++)
      for (int64_t i = 0; i < n; i++) sum += conj(v[c * n + r]) * whole[i * n + r] * v[c * n + i];
    values[c] = creal(sum);
  }
  sort(values, n, false, order);
  for (int64_t c = 0; c < n; c++) {
    w[c] = values[order[c]];
    memcpy(x + c * n, v + order[c] * n, (size_t)n * sizeof *x);
  }
  if (j->mode)
    put(j, 0, x);
  else
    put_nan(j, 0);
  put_real(j, 1, w);
  put_info(j, 2, j->info);
  free(x);
  free(v);
  free(whole);
  free(values);
  free(w);
  free(order);
}

PUBLIC int cusolverDnXsyevd_bufferSize(Handle *handle, Params *params, int mode, int uplo, int64_t n,
                                       int type, const void *a, int64_t lda, int type_w, const void *w,
                                       int compute, size_t *device, size_t *host);
PUBLIC int cusolverDnXsyevd(Handle *handle, Params *params, int mode, int uplo, int64_t n, int type, void *a,
                            int64_t lda, int type_w, void *w, int compute, void *work, size_t bytes,
                            void *host, size_t host_size, int *info);

static void syevd_text(char *text, int mode, int uplo, int64_t n, int type, int64_t lda, int type_w,
                       int compute) {
  snprintf(text, 200, "syevd mode %d uplo %d n %lld type %d lda %lld w %d compute %d", mode, uplo,
           (long long)n, type, (long long)lda, type_w, compute);
}

int cusolverDnXsyevd_bufferSize(Handle *handle, Params *params, int mode, int uplo, int64_t n, int type,
                                const void *a, int64_t lda, int type_w, const void *w, int compute,
                                size_t *device, size_t *host) {
  char text[200];
  if (!handle->is_open || !params->is_open || !a || !w) return INVALID_VALUE;
  syevd_text(text, mode, uplo, n, type, lda, type_w, compute);
  return answer(SYEVD, text, (size_t)(2 * n * n) * size_of(type), device, host);
}

int cusolverDnXsyevd(Handle *handle, Params *params, int mode, int uplo, int64_t n, int type, void *a,
                     int64_t lda, int type_w, void *w, int compute, void *work, size_t bytes, void *host,
                     size_t host_size, int *info) {
  char text[200];
  syevd_text(text, mode, uplo, n, type, lda, type_w, compute);
  int status = check_call(handle, params, true);
  if (!status) status = check_workspace(SYEVD, text, work, bytes, host, host_size, handle->stream);
  if (status) return status;
  if ((mode != 0 && mode != 1) || uplo != UPPER || n < 1 || lda < n || !is_known(type) ||
      type_w != real_of(type) || compute != type || !a || !w || !info)
    return INVALID_VALUE;
  Job *j = job(compute_syevd, type, n, n, a, lda);
  j->mode = mode;
  j->info = info_of_spec();
  output(j, a, n, n, lda, size_of(type));
  output(j, w, n, 1, n, size_of(type_w));
  output(j, info, 1, 1, 1, sizeof *info);
  return submit(j, handle->stream, true, text);
}

PUBLIC int cusolverDnXgesvd_bufferSize(Handle *handle, Params *params, signed char left, signed char right,
                                       int64_t m, int64_t n, int type, const void *a, int64_t lda, int type_s,
                                       const void *s, int type_u, const void *u, int64_t ldu, int type_vh,
                                       const void *vh, int64_t ldvh, int compute, size_t *device,
                                       size_t *host);
PUBLIC int cusolverDnXgesvd(Handle *handle, Params *params, signed char left, signed char right, int64_t m,
                            int64_t n, int type, void *a, int64_t lda, int type_s, void *s, int type_u,
                            void *u, int64_t ldu, int type_vh, void *vh, int64_t ldvh, int compute,
                            void *work, size_t bytes, void *host, size_t host_size, int *info);

static void gesvd_text(char *text, char left, char right, int64_t m, int64_t n, const int *t, int64_t lda,
                       int64_t ldu, int64_t ldvh) {
  snprintf(text, 200,
           "gesvd u %c vh %c m %lld n %lld type %d s %d u %d vh %d compute %d lda %lld ldu %lld ldvh %lld",
           left, right, (long long)m, (long long)n, t[0], t[1], t[2], t[3], t[4], (long long)lda,
           (long long)ldu, (long long)ldvh);
}

int cusolverDnXgesvd_bufferSize(Handle *handle, Params *params, signed char left, signed char right,
                                int64_t m, int64_t n, int type, const void *a, int64_t lda, int type_s,
                                const void *s, int type_u, const void *u, int64_t ldu, int type_vh,
                                const void *vh, int64_t ldvh, int compute, size_t *device, size_t *host) {
  char text[200];
  (void)u, (void)vh;
  if (!handle->is_open || !params->is_open || !a || !s) return INVALID_VALUE;
  gesvd_text(text, left, right, m, n, (int[]){type, type_s, type_u, type_vh, compute}, lda, ldu, ldvh);
  return answer(GESVD, text, (size_t)(m * n + n) * size_of(type), device, host);
}

int cusolverDnXgesvd(Handle *handle, Params *params, signed char left, signed char right, int64_t m,
                     int64_t n, int type, void *a, int64_t lda, int type_s, void *s, int type_u, void *u,
                     int64_t ldu, int type_vh, void *vh, int64_t ldvh, int compute, void *work, size_t bytes,
                     void *host, size_t host_size, int *info) {
  char text[200];
  gesvd_text(text, left, right, m, n, (int[]){type, type_s, type_u, type_vh, compute}, lda, ldu, ldvh);
  int status = check_call(handle, params, true);
  if (!status) status = check_workspace(GESVD, text, work, bytes, host, host_size, handle->stream);
  if (status) return status;
  const bool jobs = (left == 'A' || left == 'S' || left == 'N') && right == left;
  if (!jobs || m < n || n < 1 || lda < m || ldu < m || ldvh < n) return INVALID_VALUE;
  if (!is_known(type) || type_s != real_of(type) || type_u != type || type_vh != type || compute != type)
    return INVALID_VALUE;
  if (!a || !s || !info || (left != 'N' && !u) || (right != 'N' && !vh)) return INVALID_VALUE;
  Job *j = job(compute_gesvd, type, m, n, a, lda);
  j->left = left;
  j->right = right;
  j->info = info_of_spec();
  output(j, a, m, n, lda, size_of(type));
  output(j, s, n, 1, n, size_of(type_s));
  output(j, info, 1, 1, 1, sizeof *info);
  if (left != 'N') output(j, u, m, left == 'S' ? n : m, ldu, size_of(type));
  if (right != 'N') output(j, vh, n, n, ldvh, size_of(type));
  return submit(j, handle->stream, true, text);
}
