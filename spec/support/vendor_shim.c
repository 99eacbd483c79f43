/* A library with cuBLASLt's symbols, for specs on the software device: it checks and logs what it is given,
 * and computes products on the host, in the order of the stream, also in captures. Sums are in double. */
#include <cuda.h>

#include "shim_values.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72, COMPUTE_TF32 = 77 };
enum { EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4, EPILOGUE_GELU = 32 };

typedef struct Desc {
  int compute, scale, transa, transb;
  uint32_t epilogue;
  const void *bias;
  int64_t bias_stride;
} Desc;

typedef struct Layout {
  int type;
  int32_t batch;
  uint64_t rows, cols;
  int64_t ld, stride;
} Layout;

typedef struct Preference {
  uint64_t workspace;
  uint32_t alignment[4], reductions;
} Preference;

/* What cublasLtMatmulAlgoGetHeuristic() fills in. */
typedef struct Heuristic {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} Heuristic;

enum { MARK = 0x5417 }; /* in the first word of an algorithm that is ours */

/* --- what specs ask and say --- */

static char log_text[1 << 16];
static size_t log_length;
static int next_status, handles;

static CUresult (*synchronize)(CUstream);
static CUresult (*is_capturing)(CUstream, CUstreamCaptureStatus *);
static CUresult (*launch_host)(CUstream, CUhostFn, void *);
static CUresult (*host_alloc)(void **, size_t);
static CUresult (*host_free)(void *);
static CUresult (*copy_async)(CUdeviceptr, const void *, size_t, CUstream);

PUBLIC int shim_driver(const char *path);
PUBLIC const char *shim_log(void);
PUBLIC void shim_clear(void);
PUBLIC void shim_fail(int status);
PUBLIC int shim_handles(void);

/* 0: the driver at that path has what is needed. */
int shim_driver(const char *path) {
  void *d = dlopen(path, RTLD_NOW);
  if (!d) return 1;
  *(void **)&synchronize = dlsym(d, "cuStreamSynchronize");
  *(void **)&is_capturing = dlsym(d, "cuStreamIsCapturing");
  *(void **)&launch_host = dlsym(d, "cuLaunchHostFunc");
  *(void **)&host_alloc = dlsym(d, "cuMemAllocHost_v2");
  *(void **)&host_free = dlsym(d, "cuMemFreeHost");
  *(void **)&copy_async = dlsym(d, "cuMemcpyHtoDAsync_v2");
  return synchronize && is_capturing && launch_host && host_alloc && host_free && copy_async ? 0 : 2;
}

const char *shim_log(void) { return log_text; }
void shim_clear(void) { log_text[log_length = 0] = 0; }
void shim_fail(int status) { next_status = status; } /* of the next product */
int shim_handles(void) { return handles; }           /* that are not destroyed */

/* --- handles and descriptors --- */

PUBLIC int cublasLtGetProperty(int type, int *value);
PUBLIC int cublasLtCreate(void **handle);
PUBLIC int cublasLtDestroy(void *handle);
PUBLIC int cublasLtMatmulDescCreate(Desc **desc, int compute, int scale);
PUBLIC int cublasLtMatmulDescDestroy(Desc *desc);
PUBLIC int cublasLtMatmulDescSetAttribute(Desc *desc, int attribute, const void *value, size_t bytes);
PUBLIC int cublasLtMatrixLayoutCreate(Layout **layout, int type, uint64_t rows, uint64_t cols, int64_t ld);
PUBLIC int cublasLtMatrixLayoutDestroy(Layout *layout);
PUBLIC int cublasLtMatrixLayoutSetAttribute(Layout *layout, int attribute, const void *value, size_t bytes);
PUBLIC int cublasLtMatmulPreferenceCreate(Preference **preference);
PUBLIC int cublasLtMatmulPreferenceDestroy(Preference *preference);
PUBLIC int cublasLtMatmulPreferenceSetAttribute(Preference *preference, int attribute, const void *value,
                                                size_t bytes);
PUBLIC int cublasLtMatmulAlgoGetHeuristic(void *handle, const Desc *desc, const Layout *a, const Layout *b,
                                          const Layout *c, const Layout *d, const Preference *preference,
                                          int asked, Heuristic *results, int *found);
PUBLIC int cublasLtMatmul(void *handle, const Desc *desc, const void *alpha, const void *a,
                          const Layout *a_layout, const void *b, const Layout *b_layout, const void *beta,
                          const void *c, const Layout *c_layout, void *d, const Layout *d_layout,
                          const uint64_t *algorithm, void *workspace, size_t bytes, CUstream stream);

int cublasLtGetProperty(int type, int *value) {
  static const int version[] = {12, 3, 4};
  if (type < 0 || type > 2) return INVALID_VALUE;
  *value = version[type];
  return SUCCESS;
}

/* No memory: handles of contexts that have gone are never destroyed. */
int cublasLtCreate(void **handle) {
  static char each[4096];
  static unsigned next;
  *handle = &each[next++ % sizeof each];
  handles++;
  return SUCCESS;
}

int cublasLtDestroy(void *handle) {
  (void)handle;
  handles--;
  return SUCCESS;
}

static int set(void *to, size_t size, const void *value, size_t bytes) {
  if (size != bytes) return INVALID_VALUE;
  memcpy(to, value, size);
  return SUCCESS;
}

int cublasLtMatmulDescCreate(Desc **desc, int compute, int scale) {
  *desc = calloc(1, sizeof **desc);
  **desc = (Desc){.compute = compute, .scale = scale, .epilogue = 1};
  return SUCCESS;
}

int cublasLtMatmulDescDestroy(Desc *desc) {
  free(desc);
  return SUCCESS;
}

int cublasLtMatmulDescSetAttribute(Desc *d, int attribute, const void *value, size_t bytes) {
  switch (attribute) {
  case 3: return set(&d->transa, sizeof d->transa, value, bytes);
  case 4: return set(&d->transb, sizeof d->transb, value, bytes);
  case 7: return set(&d->epilogue, sizeof d->epilogue, value, bytes);
  case 8: return set(&d->bias, sizeof d->bias, value, bytes);
  case 10: return set(&d->bias_stride, sizeof d->bias_stride, value, bytes);
  default: return INVALID_VALUE;
  }
}

int cublasLtMatrixLayoutCreate(Layout **layout, int type, uint64_t rows, uint64_t cols, int64_t ld) {
  *layout = calloc(1, sizeof **layout);
  **layout = (Layout){.type = type, .rows = rows, .cols = cols, .ld = ld, .batch = 1};
  return SUCCESS;
}

int cublasLtMatrixLayoutDestroy(Layout *layout) {
  free(layout);
  return SUCCESS;
}

int cublasLtMatrixLayoutSetAttribute(Layout *l, int attribute, const void *value, size_t bytes) {
  switch (attribute) {
  case 5: return set(&l->batch, sizeof l->batch, value, bytes);
  case 6: return set(&l->stride, sizeof l->stride, value, bytes);
  default: return INVALID_VALUE;
  }
}

int cublasLtMatmulPreferenceCreate(Preference **preference) {
  *preference = calloc(1, sizeof **preference);
  for (int i = 0; i < 4; i++) (*preference)->alignment[i] = 256;
  return SUCCESS;
}

int cublasLtMatmulPreferenceDestroy(Preference *preference) {
  free(preference);
  return SUCCESS;
}

int cublasLtMatmulPreferenceSetAttribute(Preference *p, int attribute, const void *value, size_t bytes) {
  if (attribute == 1) return set(&p->workspace, sizeof p->workspace, value, bytes);
  if (attribute == 3) return set(&p->reductions, sizeof p->reductions, value, bytes);
  if (attribute >= 5 && attribute <= 8)
    return set(&p->alignment[attribute - 5], sizeof p->alignment[0], value, bytes);
  return INVALID_VALUE;
}

/* --- what fits together --- */

static bool is_tight(const Layout *l) { return l->ld >= (int64_t)l->rows && l->rows && l->cols; }

/* Of an operand as it is used: rows and columns after the transposition. */
static uint64_t rows_of(const Layout *l, int trans) { return trans ? l->cols : l->rows; }
static uint64_t cols_of(const Layout *l, int trans) { return trans ? l->rows : l->cols; }

static bool types_fit(const Desc *s, int a, int b, int c, int d) {
  if (a != b || c != d) return false;
  switch (s->compute) {
  case COMPUTE_32I: return a == R_8I && c == R_32I && s->scale == R_32I;
  case COMPUTE_64F: return (a == R_64F || a == C_64F) && c == a && s->scale == a;
  case COMPUTE_TF32: return (a == R_32F || a == C_32F) && c == a && s->scale == a;
  case COMPUTE_32F:
    if (a == C_32F) return c == a && s->scale == a;
    if (s->scale != R_32F) return false;
    return (a == R_32F && c == a) || ((a == R_16F || a == R_16BF) && (c == a || c == R_32F));
  default: return false;
  }
}

static int fits(const Desc *s, const Layout *a, const Layout *b, const Layout *c, const Layout *d) {
  if (!is_tight(a) || !is_tight(b) || !is_tight(c) || !is_tight(d)) return INVALID_VALUE;
  if (rows_of(a, s->transa) != d->rows || cols_of(b, s->transb) != d->cols) return INVALID_VALUE;
  if (cols_of(a, s->transa) != rows_of(b, s->transb)) return INVALID_VALUE;
  if (c->rows != d->rows || c->cols != d->cols) return INVALID_VALUE;
  if (a->batch != d->batch || b->batch != d->batch || c->batch != d->batch) return INVALID_VALUE;
  if (!types_fit(s, a->type, b->type, c->type, d->type)) return NOT_SUPPORTED;
  const bool words = a->ld % 4 == 0 && b->ld % 4 == 0 && d->rows % 4 == 0;
  if (s->compute == COMPUTE_32I && !(s->transa == 1 && s->transb == 0 && words)) return NOT_SUPPORTED;
  return SUCCESS;
}

int cublasLtMatmulAlgoGetHeuristic(void *handle, const Desc *desc, const Layout *a, const Layout *b,
                                   const Layout *c, const Layout *d, const Preference *preference, int asked,
                                   Heuristic *results, int *found) {
  *found = 0;
  if (!handle || asked < 1) return INVALID_VALUE;
  const int code = fits(desc, a, b, c, d);
  if (code) return code;
  memset(results, 0, sizeof *results);
  results->algorithm[0] = MARK;
  results->workspace = preference->workspace >= 1024 ? 1024 : 0;
  results->waves = 1;
  *found = 1;
  return SUCCESS;
}

/* --- the product --- */

typedef struct Job {
  Desc desc;
  Layout a, b, c, d;
  const char *pa, *pb, *pc;
  char *staging; /* page-locked: d without gaps */
  Value alpha, beta;
} Job;

static Value operand(const Layout *l, const char *base, int trans, int64_t batch, int64_t row, int64_t col) {
  const int64_t i = trans ? col + row * l->ld : row + col * l->ld;
  Value v = load(l->type, base, batch * l->stride + i);
  if (trans == 2) v.im = -v.im;
  return v;
}

static Value finished(const Job *j, Value v, int64_t batch, int64_t row) {
  const uint32_t e = j->desc.epilogue;
  if (e & EPILOGUE_BIAS) v.re += load(j->d.type, j->desc.bias, batch * j->desc.bias_stride + row).re;
  if (e & EPILOGUE_RELU && v.re < 0) v.re = 0;
  if (e & EPILOGUE_GELU)
    v.re = 0.5 * v.re * (1 + tanh(sqrt(2 / M_PI) * (v.re + 0.044715 * v.re * v.re * v.re)));
  return v;
}

static void compute(void *argument) {
  const Job *j = argument;
  const int64_t m = (int64_t)j->d.rows, n = (int64_t)j->d.cols;
  const int64_t k = (int64_t)cols_of(&j->a, j->desc.transa);
  const bool beta = j->beta.re != 0 || j->beta.im != 0;
  for (int64_t batch = 0; batch < j->d.batch; batch++)
    for (int64_t col = 0; col < n; col++)
      for (int64_t row = 0; row < m; row++) {
        Value sum = {0, 0};
        for (int64_t i = 0; i < k; i++) {
          const Value t = times(operand(&j->a, j->pa, j->desc.transa, batch, row, i),
                                operand(&j->b, j->pb, j->desc.transb, batch, i, col));
          sum.re += t.re;
          sum.im += t.im;
        }
        sum = times(j->alpha, sum);
        if (beta) {
          const Value t = times(j->beta, operand(&j->c, j->pc, 0, batch, row, col));
          sum.re += t.re;
          sum.im += t.im;
        }
        store(j->d.type, j->staging, (batch * n + col) * m + row, finished(j, sum, batch, row));
      }
}

static void note(const Job *j, size_t workspace) {
  const Layout *l[] = {&j->a, &j->b, &j->c, &j->d};
  int n = snprintf(log_text + log_length, sizeof log_text - log_length,
                   "matmul compute %d scale %d trans %d %d epilogue %u workspace %zu", j->desc.compute,
                   j->desc.scale, j->desc.transa, j->desc.transb, j->desc.epilogue, workspace);
  for (int i = 0; i < 4; i++) {
    log_length = log_length + (size_t)n < sizeof log_text ? log_length + (size_t)n : sizeof log_text - 1;
    n = snprintf(log_text + log_length, sizeof log_text - log_length,
                 "; %c type %d %llux%llu ld %lld batch %d stride %lld%s", "abcd"[i], l[i] -> type,
                 (unsigned long long)l[i] -> rows, (unsigned long long)l[i] -> cols, (long long)l[i] -> ld,
                 l[i] -> batch, (long long)l[i] -> stride, i == 3 ? "\n" : "");
  }
  log_length = log_length + (size_t)n < sizeof log_text ? log_length + (size_t)n : sizeof log_text - 1;
}

/* The staging memory to d, column by column. */
static CUresult copy_out(const Job *j, char *d, CUstream stream) {
  const size_t size = size_of(j->d.type), column = (size_t)j->d.rows * size;
  for (int64_t batch = 0; batch < j->d.batch; batch++)
    for (int64_t col = 0; col < (int64_t)j->d.cols; col++) {
      char *to = d + (size_t)(batch * j->d.stride + col * j->d.ld) * size;
      const char *from = j->staging + (size_t)(batch * (int64_t)j->d.cols + col) * column;
      const CUresult code = copy_async((CUdeviceptr)(uintptr_t)to, from, column, stream);
      if (code) return code;
    }
  return CUDA_SUCCESS;
}

int cublasLtMatmul(void *handle, const Desc *desc, const void *alpha, const void *a, const Layout *a_layout,
                   const void *b, const Layout *b_layout, const void *beta, const void *c,
                   const Layout *c_layout, void *d, const Layout *d_layout, const uint64_t *algorithm,
                   void *workspace, size_t bytes, CUstream stream) {
  const int status = next_status;
  next_status = 0;
  if (status) return status;
  if (!handle || !synchronize) return NOT_INITIALIZED;
  if (!algorithm || algorithm[0] != MARK || (bytes && !workspace)) return INVALID_VALUE;
  if (!is_aligned(alpha) || !is_aligned(beta)) return INVALID_VALUE;
  const int code = fits(desc, a_layout, b_layout, c_layout, d_layout);
  if (code) return code;
  static Job *kept; /* of graphs: never freed, and no leak */
  Job *j = calloc(2, sizeof *j);
  *j = (Job){.desc = *desc,
             .a = *a_layout,
             .b = *b_layout,
             .c = *c_layout,
             .d = *d_layout,
             .pa = a,
             .pb = b,
             .pc = c};
  j->alpha = load(desc->scale, alpha, 0);
  j->beta = load(desc->scale, beta, 0);
  note(j, bytes);
  const size_t room =
      (size_t)d_layout->rows * d_layout->cols * (size_t)d_layout->batch * size_of(d_layout->type);
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult r = is_capturing(stream, &capture);
  if (!r) r = host_alloc((void **)&j->staging, room);
  if (!r) r = launch_host(stream, compute, j);
  if (!r) r = copy_out(j, d, stream);
  if (capture) {
    memcpy(j + 1, &kept, sizeof(void *));
    kept = j;
  } else {
    if (!r) r = synchronize(stream);
    host_free(j->staging);
    free(j);
  }
  return r ? EXECUTION_FAILED : SUCCESS;
}
