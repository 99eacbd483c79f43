/* A library with cuSPARSE's symbols, for specs on the software device: it checks and logs what it is given,
 * and computes products of sparse matrices on the host, in the order of the stream, also in captures. Sums
 * are in double.
 *
 * It is as unkind as the library may be: it fills its work areas, and of a product of two sparse matrices
 * with an odd number of rows it leaves the elements of each row in descending order. */
#include <cuda.h>

#include "shim_values.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 3, EXECUTION_FAILED = 6, NOT_SUPPORTED = 10 };
enum { INDEX_32I = 2, INDEX_64I = 3, ORDER_ROW = 2, SPMM_CSR_ALG3 = 12 };
enum { WORK = 1000, ALIGNMENT = 16, PATTERN = 0x5a };

/* Descriptors are marked, and kept in a list: a destroyed one is noticed, and is no leak. */
typedef enum Mark { GONE, MATRIX, DENSE, PRODUCT } Mark;

typedef struct Head {
  Mark mark;
  struct Head *next;
} Head;

typedef struct Matrix {
  Head head;
  int64_t rows, columns, count;
  void *offsets, *indices, *values;
  int index, type;
} Matrix;

typedef struct Dense {
  Head head;
  int64_t rows, columns;
  void *values;
  int type;
} Dense;

typedef struct Product { /* of two sparse matrices */
  Head head;
  int phase;
  void *first, *second; /* work areas */
  int64_t count;
  int32_t *offsets, *indices;
  Value *values;
} Product;

/* --- what specs ask and say --- */

static char log_text[1 << 16];
static size_t log_length;
static int next_status, descriptors;
static CUstream current;
static bool has_stream;

static CUresult (*synchronize)(CUstream);
static CUresult (*is_capturing)(CUstream, CUstreamCaptureStatus *);
static CUresult (*launch_host)(CUstream, CUhostFn, void *);
static CUresult (*host_alloc)(void **, size_t);
static CUresult (*host_free)(void *);
static CUresult (*copy_async)(CUdeviceptr, const void *, size_t, CUstream);
static CUresult (*fill)(CUdeviceptr, unsigned char, size_t, CUstream);
static CUresult (*range_of)(CUdeviceptr *, size_t *, CUdeviceptr);

PUBLIC int sparse_shim_driver(const char *path);
PUBLIC const char *sparse_shim_log(void);
PUBLIC void sparse_shim_clear(void);
PUBLIC void sparse_shim_fail(int status);
PUBLIC int sparse_shim_descriptors(void);

/* 0: the driver at that path has what is needed. */
int sparse_shim_driver(const char *path) {
  void *d = dlopen(path, RTLD_NOW);
  if (!d) return 1;
  *(void **)&synchronize = dlsym(d, "cuStreamSynchronize");
  *(void **)&is_capturing = dlsym(d, "cuStreamIsCapturing");
  *(void **)&launch_host = dlsym(d, "cuLaunchHostFunc");
  *(void **)&host_alloc = dlsym(d, "cuMemAllocHost_v2");
  *(void **)&host_free = dlsym(d, "cuMemFreeHost");
  *(void **)&copy_async = dlsym(d, "cuMemcpyHtoDAsync_v2");
  *(void **)&fill = dlsym(d, "cuMemsetD8Async");
  *(void **)&range_of = dlsym(d, "cuMemGetAddressRange_v2");
  return synchronize && is_capturing && launch_host && host_alloc && host_free && copy_async && fill &&
                 range_of
             ? 0
             : 2;
}

const char *sparse_shim_log(void) { return log_text; }
void sparse_shim_clear(void) { log_text[log_length = 0] = 0; }
void sparse_shim_fail(int status) { next_status = status; } /* of the next product */
int sparse_shim_descriptors(void) { return descriptors; }   /* that are not destroyed */

static int told_status(void) {
  const int status = next_status;
  next_status = 0;
  return status;
}

/* --- handles and descriptors --- */

PUBLIC int cusparseGetProperty(int type, int *value);
PUBLIC int cusparseCreate(void **handle);
PUBLIC int cusparseDestroy(void *handle);
PUBLIC int cusparseSetStream(void *handle, CUstream stream);
PUBLIC int cusparseCreateCsr(Matrix **desc, int64_t rows, int64_t columns, int64_t count, void *offsets,
                             void *indices, void *values, int offsets_type, int indices_type, int base,
                             int type);
PUBLIC int cusparseCreateDnMat(Dense **desc, int64_t rows, int64_t columns, int64_t ld, void *values,
                               int type, int order);
PUBLIC int cusparseDestroySpMat(Matrix *desc);
PUBLIC int cusparseDestroyDnMat(Dense *desc);
PUBLIC int cusparseSpMatGetSize(const Matrix *desc, int64_t *rows, int64_t *columns, int64_t *count);
PUBLIC int cusparseCsrSetPointers(Matrix *desc, void *offsets, void *indices, void *values);
PUBLIC int cusparseSpMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                                   const Dense *x, const void *beta, const Dense *y, int compute,
                                   int algorithm, size_t *bytes);
PUBLIC int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a, const Dense *x,
                        const void *beta, const Dense *y, int compute, int algorithm, void *buffer);
PUBLIC int cusparseSpGEMM_createDescr(Product **desc);
PUBLIC int cusparseSpGEMM_destroyDescr(Product *desc);
PUBLIC int cusparseSpGEMM_workEstimation(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                                         const Matrix *b, const void *beta, const Matrix *c, int compute,
                                         int algorithm, Product *desc, size_t *bytes, void *buffer);
PUBLIC int cusparseSpGEMM_compute(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                                  const Matrix *b, const void *beta, Matrix *c, int compute, int algorithm,
                                  Product *desc, size_t *bytes, void *buffer);
PUBLIC int cusparseSpGEMM_copy(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                               const Matrix *b, const void *beta, const Matrix *c, int compute, int algorithm,
                               Product *desc);

int cusparseGetProperty(int type, int *value) {
  static const int version[] = {12, 1, 2};
  if (type < 0 || type > 2) return INVALID_VALUE;
  *value = version[type];
  return SUCCESS;
}

/* No memory: handles of contexts that have gone are never destroyed. */
int cusparseCreate(void **handle) {
  static char each[4096];
  static unsigned next;
  *handle = &each[next++ % sizeof each];
  return SUCCESS;
}

int cusparseDestroy(void *handle) { return handle ? SUCCESS : NOT_INITIALIZED; }

int cusparseSetStream(void *handle, CUstream stream) {
  if (!handle) return NOT_INITIALIZED;
  current = stream;
  has_stream = true;
  return SUCCESS;
}

/* Where n bytes may be: aligned, inside of one allocation. */
static bool is_place(const void *p, int64_t n) {
  const CUdeviceptr first = (CUdeviceptr)(uintptr_t)p;
  CUdeviceptr start;
  size_t size;
  if (!p || first % ALIGNMENT || range_of(&start, &size, first)) return false;
  return first + (size_t)n <= start + size;
}

static int64_t index_size(int index) { return index == INDEX_32I ? 4 : 8; }

static bool has_places(const Matrix *m) {
  return is_place(m->offsets, (m->rows + 1) * index_size(m->index)) &&
         is_place(m->indices, m->count * index_size(m->index)) &&
         is_place(m->values, m->count * (int64_t)size_of(m->type));
}

int cusparseCreateCsr(Matrix **desc, int64_t rows, int64_t columns, int64_t count, void *offsets,
                      void *indices, void *values, int offsets_type, int indices_type, int base, int type) {
  if (rows < 0 || columns < 0 || count < 0 || count > rows * columns) return INVALID_VALUE;
  if (offsets_type != indices_type || (offsets_type != INDEX_32I && offsets_type != INDEX_64I))
    return INVALID_VALUE;
  if (base != 0 || !offsets || (count && (!indices || !values))) return INVALID_VALUE;
  *desc = calloc(1, sizeof **desc);
  **desc = (Matrix){{MATRIX, NULL}, rows, columns, count, offsets, indices, values, offsets_type, type};
  descriptors++;
  return SUCCESS;
}

int cusparseCreateDnMat(Dense **desc, int64_t rows, int64_t columns, int64_t ld, void *values, int type,
                        int order) {
  if (rows < 1 || columns < 2 || !values || order != ORDER_ROW || ld != columns) return INVALID_VALUE;
  *desc = calloc(1, sizeof **desc);
  **desc = (Dense){{DENSE, NULL}, rows, columns, values, type};
  descriptors++;
  return SUCCESS;
}

static int destroyed(Head *h, Mark expected) {
  static Head *gone;
  if (h->mark != expected) return INVALID_VALUE;
  *h = (Head){GONE, gone};
  gone = h;
  descriptors--;
  return SUCCESS;
}

int cusparseDestroySpMat(Matrix *desc) { return destroyed(&desc->head, MATRIX); }
int cusparseDestroyDnMat(Dense *desc) { return destroyed(&desc->head, DENSE); }

int cusparseSpMatGetSize(const Matrix *m, int64_t *rows, int64_t *columns, int64_t *count) {
  if (m->head.mark != MATRIX) return INVALID_VALUE;
  *rows = m->rows;
  *columns = m->columns;
  *count = m->count;
  return SUCCESS;
}

int cusparseCsrSetPointers(Matrix *m, void *offsets, void *indices, void *values) {
  if (m->head.mark != MATRIX || !offsets || !indices || !values) return INVALID_VALUE;
  m->offsets = offsets;
  m->indices = indices;
  m->values = values;
  return SUCCESS;
}

/* --- products with dense operands --- */

static int64_t index_at(const Matrix *m, const void *list, int64_t i) {
  return m->index == INDEX_32I ? ((const int32_t *)list)[i] : ((const int64_t *)list)[i];
}

typedef struct Job {
  struct Job *next;
  Matrix a;
  Dense x, y;
  char *staging; /* page-locked: the result */
  Value alpha;
} Job;

static void compute_dense(void *argument) {
  const Job *j = argument;
  const int64_t n = j->x.columns;
  for (int64_t row = 0; row < j->a.rows; row++)
    for (int64_t column = 0; column < n; column++) {
      Value sum = {0, 0};
      const int64_t end = index_at(&j->a, j->a.offsets, row + 1);
      for (int64_t k = index_at(&j->a, j->a.offsets, row); k < end; k++) {
        const int64_t at = index_at(&j->a, j->a.indices, k) * n + column;
        const Value t = times(load(j->a.type, j->a.values, k), load(j->x.type, j->x.values, at));
        sum.re += t.re;
        sum.im += t.im;
      }
      store(j->y.type, j->staging, row * n + column, times(j->alpha, sum));
    }
}

static int compute_type(int type) { return type == R_16F || type == R_16BF ? R_32F : type; }

static int fits(const void *handle, const Matrix *a, const Dense *x, const Dense *y, int compute,
                const void *alpha, const void *beta) {
  if (!handle || !synchronize) return NOT_INITIALIZED;
  if (!is_aligned(alpha) || !is_aligned(beta)) return INVALID_VALUE;
  if (a->head.mark != MATRIX || x->head.mark != DENSE || y->head.mark != DENSE) return INVALID_VALUE;
  if (a->columns != x->rows || a->rows != y->rows || x->columns != y->columns) return INVALID_VALUE;
  if (a->type != x->type || a->type != y->type || compute != compute_type(a->type)) return NOT_SUPPORTED;
  const Value b = load(compute, beta, 0);
  return b.re != 0 || b.im != 0 ? NOT_SUPPORTED : SUCCESS;
}

/* One row needs no work area. */
static size_t work_of(const Matrix *a) { return a->rows > 1 ? WORK + (size_t)a->rows : 0; }

static void note(const char *text, int n) {
  if (n < 0 || log_length + (size_t)n >= sizeof log_text) return;
  memcpy(log_text + log_length, text, (size_t)n + 1);
  log_length += (size_t)n;
}

static int multiply(const Matrix *a, const Dense *x, const Dense *y, const void *alpha,
                    int compute, int algorithm, void *buffer) {
  const int64_t item = (int64_t)size_of(a->type), size = y->rows * y->columns * item;
  const int status = told_status();
  if (status) return status;
  if (!has_stream) return NOT_INITIALIZED;
  has_stream = false; /* it is set for each call */
  if (!has_places(a) || !is_place(x->values, x->rows * x->columns * item) || !is_place(y->values, size))
    return INVALID_VALUE;
  const size_t work = work_of(a);
  if (work && !is_place(buffer, (int64_t)work)) return INVALID_VALUE;
  static Job *kept; /* of graphs: never freed, and no leak */
  Job *j = calloc(1, sizeof *j);
  *j = (Job){.a = *a, .x = *x, .y = *y, .alpha = load(compute, alpha, 0)};
  char text[256];
  note(text, snprintf(text, sizeof text,
                      "SpMM type %d compute %d index %d %lldx%lld elements %lld columns %lld "
                      "algorithm %d work %zu\n",
                      a->type, compute, a->index, (long long)a->rows, (long long)a->columns,
                      (long long)a->count, (long long)x->columns, algorithm, work));
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult r = is_capturing(current, &capture);
  if (!r) r = host_alloc((void **)&j->staging, (size_t)size);
  if (!r && work) r = fill((CUdeviceptr)(uintptr_t)buffer, 0xff, work, current);
  if (!r) r = launch_host(current, compute_dense, j);
  if (!r) r = copy_async((CUdeviceptr)(uintptr_t)y->values, j->staging, (size_t)size, current);
  if (capture) {
    j->next = kept;
    kept = j;
  } else {
    if (!r) r = synchronize(current);
    host_free(j->staging);
    free(j);
  }
  return r ? EXECUTION_FAILED : SUCCESS;
}

int cusparseSpMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                            const Dense *x, const void *beta, const Dense *y, int compute, int algorithm,
                            size_t *bytes) {
  const int code = fits(handle, a, x, y, compute, alpha, beta);
  if (code) return code;
  if (op_a || op_b || algorithm != SPMM_CSR_ALG3) return NOT_SUPPORTED;
  *bytes = work_of(a);
  return SUCCESS;
}

int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a, const Dense *x,
                 const void *beta, const Dense *y, int compute, int algorithm, void *buffer) {
  const int code = fits(handle, a, x, y, compute, alpha, beta);
  if (code) return code;
  if (op_a || op_b || algorithm != SPMM_CSR_ALG3) return NOT_SUPPORTED;
  return multiply(a, x, y, alpha, compute, algorithm, buffer);
}

/* --- products of two sparse matrices --- */

int cusparseSpGEMM_createDescr(Product **desc) {
  *desc = calloc(1, sizeof **desc);
  (*desc)->head.mark = PRODUCT;
  descriptors++;
  return SUCCESS;
}

int cusparseSpGEMM_destroyDescr(Product *p) {
  if (p->head.mark == PRODUCT) {
    free(p->offsets);
    free(p->indices);
    free(p->values);
  }
  return destroyed(&p->head, PRODUCT);
}

static int fit(const void *handle, int op_a, int op_b, const void *alpha, const Matrix *a, const Matrix *b,
               const void *beta, const Matrix *c, int compute, const Product *p) {
  if (!handle || !synchronize || !has_stream) return NOT_INITIALIZED;
  has_stream = false;
  if (!is_aligned(alpha) || !is_aligned(beta)) return INVALID_VALUE;
  if (a->head.mark != MATRIX || b->head.mark != MATRIX || c->head.mark != MATRIX || p->head.mark != PRODUCT)
    return INVALID_VALUE;
  if (a->columns != b->rows || a->rows != c->rows || b->columns != c->columns) return INVALID_VALUE;
  if (a->type != b->type || a->type != c->type || compute != a->type) return NOT_SUPPORTED;
  if (a->index != INDEX_32I || b->index != INDEX_32I || c->index != INDEX_32I) return NOT_SUPPORTED;
  if (op_a || op_b || load(compute, alpha, 0).re != 1 || load(compute, beta, 0).re != 0) return NOT_SUPPORTED;
  if (!has_places(a) || !has_places(b) || !is_place(c->offsets, 4 * (c->rows + 1))) return INVALID_VALUE;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (is_capturing(current, &capture) || capture) return NOT_SUPPORTED;
  return SUCCESS;
}

/* A work area keeps what was written there. */
static bool is_kept(const void *area) {
  if (synchronize(current)) return false;
  for (int i = 0; i < WORK; i++)
    if (((const unsigned char *)area)[i] != PATTERN) return false;
  return true;
}

static int with_area(void **area, size_t *bytes, void *buffer) {
  if (*bytes != WORK || !is_place(buffer, WORK)) return INVALID_VALUE;
  if (fill((CUdeviceptr)(uintptr_t)buffer, PATTERN, WORK, current)) return EXECUTION_FAILED;
  *area = buffer;
  return SUCCESS;
}

int cusparseSpGEMM_workEstimation(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                                  const Matrix *b, const void *beta, const Matrix *c, int compute,
                                  int algorithm, Product *p, size_t *bytes, void *buffer) {
  const int status = told_status();
  if (status) return status;
  const int code = fit(handle, op_a, op_b, alpha, a, b, beta, c, compute, p);
  if (code || algorithm) return code ? code : NOT_SUPPORTED;
  if (p->phase > 1) return INVALID_VALUE;
  p->phase++;
  if (p->phase == 2) return with_area(&p->first, bytes, buffer);
  if (buffer) return INVALID_VALUE;
  *bytes = WORK;
  return SUCCESS;
}

/* The rows of the product, one after the other. */
static void expand(const Matrix *a, const Matrix *b, const Matrix *c, Product *p) {
  const int64_t n = c->columns;
  Value *line = calloc((size_t)n, sizeof *line);
  bool *there = calloc((size_t)n, sizeof *there);
  p->offsets = calloc((size_t)c->rows + 1, sizeof *p->offsets);
  p->indices = calloc((size_t)(c->rows * n), sizeof *p->indices);
  p->values = calloc((size_t)(c->rows * n), sizeof *p->values);
  for (int64_t row = 0; row < c->rows; row++) {
    for (int64_t k = index_at(a, a->offsets, row); k < index_at(a, a->offsets, row + 1); k++) {
      const int64_t middle = index_at(a, a->indices, k);
      for (int64_t i = index_at(b, b->offsets, middle); i < index_at(b, b->offsets, middle + 1); i++) {
        const int64_t column = index_at(b, b->indices, i);
        const Value t = times(load(a->type, a->values, k), load(b->type, b->values, i));
        line[column].re += t.re;
        line[column].im += t.im;
        there[column] = true;
      }
    }
    for (int64_t i = 0; i < n; i++) {
      const int64_t column = c->rows % 2 ? n - 1 - i : i;
      if (!there[column]) continue;
      p->indices[p->count] = (int32_t)column;
      p->values[p->count++] = line[column];
      line[column] = (Value){0, 0};
      there[column] = false;
    }
    p->offsets[row + 1] = (int32_t)p->count;
  }
  free(line);
  free(there);
}

int cusparseSpGEMM_compute(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a,
                           const Matrix *b, const void *beta, Matrix *c, int compute, int algorithm,
                           Product *p, size_t *bytes, void *buffer) {
  const int code = fit(handle, op_a, op_b, alpha, a, b, beta, c, compute, p);
  if (code || algorithm) return code ? code : NOT_SUPPORTED;
  if (p->phase < 2 || p->phase > 3 || !is_kept(p->first)) return INVALID_VALUE;
  p->phase++;
  if (p->phase == 3) {
    if (buffer) return INVALID_VALUE;
    *bytes = WORK;
    return SUCCESS;
  }
  const int with = with_area(&p->second, bytes, buffer);
  if (with) return with;
  expand(a, b, c, p);
  c->count = p->count;
  char text[256];
  note(text,
       snprintf(text, sizeof text, "SpGEMM type %d %lldx%lld elements %lld by %lldx%lld elements %lld\n",
                a->type, (long long)a->rows, (long long)a->columns, (long long)a->count, (long long)b->rows,
                (long long)b->columns, (long long)b->count));
  return SUCCESS;
}

static CUresult copied(void *to, const void *from, size_t bytes) {
  return bytes ? copy_async((CUdeviceptr)(uintptr_t)to, from, bytes, current) : CUDA_SUCCESS;
}

int cusparseSpGEMM_copy(void *handle, int op_a, int op_b, const void *alpha, const Matrix *a, const Matrix *b,
                        const void *beta, const Matrix *c, int compute, int algorithm, Product *p) {
  const int code = fit(handle, op_a, op_b, alpha, a, b, beta, c, compute, p);
  if (code || algorithm) return code ? code : NOT_SUPPORTED;
  if (p->phase != 4 || !has_places(c) || !is_kept(p->first) || !is_kept(p->second)) return INVALID_VALUE;
  p->phase++;
  const size_t count = (size_t)p->count, item = size_of(c->type);
  char *values = calloc(count + 1, item);
  for (size_t i = 0; i < count; i++) store(c->type, values, (int64_t)i, p->values[i]);
  CUresult r = copied(c->offsets, p->offsets, ((size_t)c->rows + 1) * 4);
  if (!r) r = copied(c->indices, p->indices, count * 4);
  if (!r) r = copied(c->values, values, count * item);
  if (!r) r = synchronize(current);
  free(values);
  return r ? EXECUTION_FAILED : SUCCESS;
}
