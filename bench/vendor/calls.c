/*
 * NVIDIA's libraries as a C program calls them, for bench/vendor.lua. The first line says which were found;
 * then each line "WORK TYPE N LAUNCHES" is answered with the microseconds of one call on the device, or with
 * "-". cc -O2 -o calls bench/vendor/calls.c -ldl The prototypes are written out here, so that no header of
 * the libraries is needed. CUDA_HOME may say where they are.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t Ptr;

enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4 };                     /* cudaDataType */
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77 }; /* cublasComputeType_t */
enum { OP_N = 0, FILL_UPPER = 1, FFT_C2C = 0x29, INDEX_32I = 2, SPMV_DEFAULT = 0 };

static void die(const char *what, int code) {
  fprintf(stderr, "calls: %s failed: %d\n", what, code);
  exit(1);
}
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    const int code_ = (int)(call);                                                                           \
    if (code_) die(#call, code_);                                                                            \
  } while (0)

/* ---- libraries ---- */

static void *opened(const char *stem, int newest, int oldest) {
  const char *home = getenv("CUDA_HOME");
  if (!home) home = "/usr/local/cuda";
  for (int version = newest; version >= oldest; version--)
    for (int place = 0; place < 2; place++) {
      char path[512];
      snprintf(path, sizeof path, "%s%slib%s.so.%d", place ? home : "", place ? "/lib64/" : "", stem,
               version);
      void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
      if (library) return library;
    }
  return NULL;
}

/* Sets a pointer to a function; it stays NULL where the library lacks it. */
static void find(void *library, const char *name, void *to) {
  void *symbol = library ? dlsym(library, name) : NULL;
  memcpy(to, &symbol, sizeof symbol);
}

static int (*memory_alloc)(Ptr *, size_t), (*memory_free)(Ptr), (*to_device)(Ptr, const void *, size_t),
    (*on_device)(Ptr, Ptr, size_t), (*event_create)(void **, unsigned), (*event_record)(void *, void *),
    (*event_wait)(void *), (*event_between)(float *, void *, void *);

static void start_driver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *context;
  int (*init)(unsigned), (*retain)(void **, int), (*set_current)(void *);
  if (!driver) die("opening libcuda.so.1", 0);
  find(driver, "cuInit", &init);
  find(driver, "cuDevicePrimaryCtxRetain", &retain);
  find(driver, "cuCtxSetCurrent", &set_current);
  find(driver, "cuMemAlloc_v2", &memory_alloc);
  find(driver, "cuMemFree_v2", &memory_free);
  find(driver, "cuMemcpyHtoD_v2", &to_device);
  find(driver, "cuMemcpyDtoD_v2", &on_device);
  find(driver, "cuEventCreate", &event_create);
  find(driver, "cuEventRecord", &event_record);
  find(driver, "cuEventSynchronize", &event_wait);
  find(driver, "cuEventElapsedTime", &event_between);
  CHECK(init(0));
  CHECK(retain(&context, 0));
  CHECK(set_current(context));
}

/* ---- memory ---- */

static Ptr kept[16];
static int kept_count;

static Ptr room(size_t bytes) {
  Ptr p = 0;
  CHECK(memory_alloc(&p, bytes ? bytes : 1));
  kept[kept_count++] = p;
  return p;
}

static void free_all(void) {
  while (kept_count > 0) CHECK(memory_free(kept[--kept_count]));
}

static uint64_t state = 88172645463325252u;
static double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

static size_t size_of(int type) { return type == R_16F ? 2 : type == R_32F ? 4 : 8; }

static void store(int type, void *to, size_t i, double x) {
  if (type == R_64F) {
    ((double *)to)[i] = x;
  } else if (type == R_16F) { /* +-0.5 to 1: sign, exponent 14, ten bits of the number's own */
    ((uint16_t *)to)[i] =
        (uint16_t)((x < 0 ? 0x8000 : 0) | 14 << 10 | (unsigned)((x < 0 ? -x : x) * 2047) % 1024);
  } else {
    ((float *)to)[i] = (float)x;
  }
}

/* Random numbers: a block of them, again and again. */
static Ptr random_array(int type, size_t n) {
  const int part = type == C_32F ? R_32F : type;
  const size_t bytes = n * size_of(type), block = 1 << 24;
  Ptr p = room(bytes);
  char *some = malloc(block);
  for (size_t i = 0; i < block / size_of(part); i++) store(part, some, i, uniform());
  for (size_t at = 0; at < bytes; at += block)
    CHECK(to_device(p + at, some, bytes - at < block ? bytes - at : block));
  free(some);
  return p;
}

/* A positive definite matrix: small numbers, and n on the diagonal. */
static Ptr positive(int type, size_t n) {
  char *all = malloc(n * n * size_of(type));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double x = i == j ? (double)n : uniform();
      store(type, all, i * n + j, x);
      store(type, all, j * n + i, x);
    }
  Ptr p = room(n * n * size_of(type));
  CHECK(to_device(p, all, n * n * size_of(type)));
  free(all);
  return p;
}

/* ---- timing ---- */

typedef struct Work {
  void (*call)(struct Work *), (*restore)(struct Work *);
  int type, compute, plan;
  int64_t n, batch;
  Ptr a, b, c, d, saved, saved_b, work, pivots, info, s, u, vt;
  void *host, *matrix, *x, *y;
  size_t bytes, host_bytes;
} Work;

static void *begun, *ended;

static double between(void) {
  float ms = 0;
  CHECK(event_record(ended, NULL));
  CHECK(event_wait(ended));
  CHECK(event_between(&ms, begun, ended));
  return ms * 1e3;
}

static double timed(Work *w, int launches) {
  double sum = 0;
  for (int i = -2; i < (w->restore ? launches : 0); i++) { /* what is overwritten is put back between calls */
    if (w->restore) w->restore(w);
    CHECK(event_record(begun, NULL));
    w->call(w);
    const double one = between();
    if (i >= 0) sum += one;
  }
  if (w->restore) return sum / launches;
  CHECK(event_record(begun, NULL));
  for (int i = 0; i < launches; i++) w->call(w);
  return between() / launches;
}

/* ---- products ---- */

static void *blas;
static int (*gemm)(void *, int, int, int, int, int, const void *, Ptr, int, int, Ptr, int, int, const void *,
                   Ptr, int, int, int, int),
    (*gemm_batch)(void *, int, int, int, int, int, const void *, Ptr, int, int, long long, Ptr, int, int,
                  long long, const void *, Ptr, int, int, long long, int, int, int);

static const float one32 = 1, zero32 = 0;
static const double one64 = 1, zero64 = 0;

static void product(Work *w) {
  const void *one = w->type == R_64F ? (const void *)&one64 : &one32;
  const void *zero = w->type == R_64F ? (const void *)&zero64 : &zero32;
  const int n = (int)w->n, t = w->type;
  const long long far = (long long)n * n;
  if (w->batch > 1)
    CHECK(gemm_batch(blas, OP_N, OP_N, n, n, n, one, w->b, t, n, far, w->a, t, n, far, zero, w->c, t, n, far,
                     (int)w->batch, w->compute, -1));
  else
    CHECK(gemm(blas, OP_N, OP_N, n, n, n, one, w->b, t, n, w->a, t, n, zero, w->c, t, n, w->compute, -1));
}

static bool make_product(Work *w, bool tensor, int64_t batch) {
  if (!blas || !gemm || !gemm_batch) return false;
  const size_t count = (size_t)(w->n * w->n * batch);
  w->batch = batch;
  w->compute = w->type == R_64F ? COMPUTE_64F : tensor ? COMPUTE_32F_FAST_TF32 : COMPUTE_32F;
  w->a = random_array(w->type, count);
  w->b = random_array(w->type, count);
  w->c = room(count * size_of(w->type));
  w->call = product;
  return true;
}

/* ---- solvers ---- */

static void *solver, *params;
static int (*getrf_size)(void *, void *, int64_t, int64_t, int, Ptr, int64_t, int, size_t *, size_t *),
    (*getrf)(void *, void *, int64_t, int64_t, int, Ptr, int64_t, Ptr, int, Ptr, size_t, void *, size_t, Ptr),
    (*getrs)(void *, void *, int, int64_t, int64_t, int, Ptr, int64_t, Ptr, int, Ptr, int64_t, Ptr),
    (*potrf_size)(void *, void *, int, int64_t, int, Ptr, int64_t, int, size_t *, size_t *),
    (*potrf)(void *, void *, int, int64_t, int, Ptr, int64_t, int, Ptr, size_t, void *, size_t, Ptr),
    (*gesvd_size)(void *, void *, signed char, signed char, int64_t, int64_t, int, Ptr, int64_t, int, Ptr,
                  int, Ptr, int64_t, int, Ptr, int64_t, int, size_t *, size_t *),
    (*gesvd)(void *, void *, signed char, signed char, int64_t, int64_t, int, Ptr, int64_t, int, Ptr, int,
             Ptr, int64_t, int, Ptr, int64_t, int, Ptr, size_t, void *, size_t, Ptr);

static void restore(Work *w) {
  const size_t bytes = (size_t)(w->n * w->n) * size_of(w->type);
  CHECK(on_device(w->a, w->saved, bytes));
  if (w->saved_b) CHECK(on_device(w->b, w->saved_b, (size_t)w->n * size_of(w->type)));
}

static void work_areas(Work *w) {
  w->work = room(w->bytes);
  w->host = w->host_bytes ? malloc(w->host_bytes) : NULL;
  w->info = room(4);
  w->restore = restore;
}

static void solve(Work *w) {
  CHECK(getrf(solver, params, w->n, w->n, w->type, w->a, w->n, w->pivots, w->type, w->work, w->bytes, w->host,
              w->host_bytes, w->info));
  CHECK(getrs(solver, params, OP_N, w->n, 1, w->type, w->a, w->n, w->pivots, w->type, w->b, w->n, w->info));
}

static void cholesky(Work *w) {
  CHECK(potrf(solver, params, FILL_UPPER, w->n, w->type, w->a, w->n, w->type, w->work, w->bytes, w->host,
              w->host_bytes, w->info));
}

static void svd(Work *w) {
  CHECK(gesvd(solver, params, 'S', 'S', w->n, w->n, w->type, w->a, w->n, w->type, w->s, w->type, w->u, w->n,
              w->type, w->vt, w->n, w->type, w->work, w->bytes, w->host, w->host_bytes, w->info));
}

static bool make_solver(Work *w, const char *work) {
  const size_t item = size_of(w->type), count = (size_t)(w->n * w->n);
  if (!solver || !getrf || !getrs || !potrf || !gesvd) return false;
  w->saved = strcmp(work, "cholesky") == 0 ? positive(w->type, (size_t)w->n) : random_array(w->type, count);
  w->a = room(count * item);
  CHECK(on_device(w->a, w->saved, count * item));
  if (strcmp(work, "solve") == 0) {
    w->saved_b = random_array(w->type, (size_t)w->n);
    w->b = room((size_t)w->n * item);
    w->pivots = room((size_t)w->n * 8);
    w->call = solve;
    CHECK(getrf_size(solver, params, w->n, w->n, w->type, w->a, w->n, w->type, &w->bytes, &w->host_bytes));
  } else if (strcmp(work, "cholesky") == 0) {
    w->call = cholesky;
    CHECK(potrf_size(solver, params, FILL_UPPER, w->n, w->type, w->a, w->n, w->type, &w->bytes,
                     &w->host_bytes));
  } else {
    w->s = room((size_t)w->n * item);
    w->u = room(count * item);
    w->vt = room(count * item);
    w->call = svd;
    CHECK(gesvd_size(solver, params, 'S', 'S', w->n, w->n, w->type, w->a, w->n, w->type, w->s, w->type, w->u,
                     w->n, w->type, w->vt, w->n, w->type, &w->bytes, &w->host_bytes));
  }
  work_areas(w);
  return true;
}

/* ---- transforms ---- */

static int (*plan_1d)(int *, int, int, int), (*plan_2d)(int *, int, int, int),
    (*exec_c2c)(int, Ptr, Ptr, int), (*plan_destroy)(int);

static void transform(Work *w) { CHECK(exec_c2c(w->plan, w->a, w->c, -1)); }

static bool make_transform(Work *w, bool plane) {
  const size_t count = (size_t)(plane ? w->n * w->n : w->n);
  if (!plan_1d || !plan_2d || !exec_c2c) return false;
  w->a = random_array(w->type, count);
  w->c = room(count * size_of(w->type));
  if (plane)
    CHECK(plan_2d(&w->plan, (int)w->n, (int)w->n, FFT_C2C));
  else
    CHECK(plan_1d(&w->plan, (int)w->n, FFT_C2C, 1));
  w->call = transform;
  return true;
}

/* ---- a sparse matrix: the five points of a grid of n x n ---- */

static void *sparse;
static int (*create_csr)(void **, int64_t, int64_t, int64_t, Ptr, Ptr, Ptr, int, int, int, int),
    (*create_vector)(void **, int64_t, Ptr, int), (*destroy_matrix)(void *), (*destroy_vector)(void *),
    (*spmv_size)(void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *),
    (*spmv)(void *, int, const void *, void *, void *, const void *, void *, int, int, Ptr);

static void sparse_product(Work *w) {
  CHECK(spmv(sparse, OP_N, &one32, w->matrix, w->x, &zero32, w->y, R_32F, SPMV_DEFAULT, w->work));
}

static bool make_sparse(Work *w) {
  if (!sparse || !create_csr || !create_vector || !spmv_size || !spmv) return false;
  const int64_t n = w->n, rows = n * n;
  int32_t *offsets = malloc((size_t)(rows + 1) * 4), *columns = malloc((size_t)rows * 20);
  int64_t count = 0;
  static const int from[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
  for (int64_t row = 0; row < rows; row++) {
    offsets[row] = (int32_t)count;
    for (int k = 0; k < 5; k++) {
      const int64_t i = row / n + from[k][0], j = row % n + from[k][1];
      if (i >= 0 && i < n && j >= 0 && j < n) columns[count++] = (int32_t)(i * n + j);
    }
  }
  offsets[rows] = (int32_t)count;
  const Ptr to_offsets = room((size_t)(rows + 1) * 4), to_columns = room((size_t)count * 4);
  CHECK(to_device(to_offsets, offsets, (size_t)(rows + 1) * 4));
  CHECK(to_device(to_columns, columns, (size_t)count * 4));
  free(offsets);
  free(columns);
  w->a = random_array(R_32F, (size_t)count);
  w->b = random_array(R_32F, (size_t)rows);
  w->c = room((size_t)rows * 4);
  CHECK(create_csr(&w->matrix, rows, rows, count, to_offsets, to_columns, w->a, INDEX_32I, INDEX_32I, 0,
                   R_32F));
  CHECK(create_vector(&w->x, rows, w->b, R_32F));
  CHECK(create_vector(&w->y, rows, w->c, R_32F));
  CHECK(spmv_size(sparse, OP_N, &one32, w->matrix, w->x, &zero32, w->y, R_32F, SPMV_DEFAULT, &w->bytes));
  w->work = room(w->bytes);
  w->call = sparse_product;
  return true;
}

/* ---- requests ---- */

static void start_libraries(void) {
  int (*create)(void **), (*create_params)(void **);
  opened("cublasLt", 13, 11);
  void *library = opened("cublas", 13, 11);
  find(library, "cublasGemmEx", &gemm);
  find(library, "cublasGemmStridedBatchedEx", &gemm_batch);
  find(library, "cublasCreate_v2", &create);
  if (create) CHECK(create(&blas));
  printf("cublas=%d ", blas != NULL);

  library = opened("cusolver", 12, 11);
  find(library, "cusolverDnXgetrf_bufferSize", &getrf_size);
  find(library, "cusolverDnXgetrf", &getrf);
  find(library, "cusolverDnXgetrs", &getrs);
  find(library, "cusolverDnXpotrf_bufferSize", &potrf_size);
  find(library, "cusolverDnXpotrf", &potrf);
  find(library, "cusolverDnXgesvd_bufferSize", &gesvd_size);
  find(library, "cusolverDnXgesvd", &gesvd);
  find(library, "cusolverDnCreate", &create);
  find(library, "cusolverDnCreateParams", &create_params);
  if (create && create_params) {
    CHECK(create(&solver));
    CHECK(create_params(&params));
  }
  printf("cusolver=%d ", solver != NULL);

  library = opened("cufft", 12, 11);
  find(library, "cufftPlan1d", &plan_1d);
  find(library, "cufftPlan2d", &plan_2d);
  find(library, "cufftExecC2C", &exec_c2c);
  find(library, "cufftDestroy", &plan_destroy);
  printf("cufft=%d ", exec_c2c != NULL);

  library = opened("cusparse", 12, 11);
  find(library, "cusparseCreateCsr", &create_csr);
  find(library, "cusparseCreateDnVec", &create_vector);
  find(library, "cusparseDestroySpMat", &destroy_matrix);
  find(library, "cusparseDestroyDnVec", &destroy_vector);
  find(library, "cusparseSpMV_bufferSize", &spmv_size);
  find(library, "cusparseSpMV", &spmv);
  find(library, "cusparseCreate", &create);
  if (create) CHECK(create(&sparse));
  printf("cusparse=%d\n", sparse != NULL);
}

static void answer(const char *work, const char *type, long n, int launches) {
  Work w = {.n = n, .type = R_32F, .plan = -1};
  if (strcmp(type, "float16") == 0) w.type = R_16F;
  if (strcmp(type, "float64") == 0) w.type = R_64F;
  if (strcmp(type, "complex64") == 0) w.type = C_32F;
  bool can;
  if (strcmp(work, "matmul") == 0)
    can = make_product(&w, strcmp(type, "tf32") == 0, 1);
  else if (strcmp(work, "batch") == 0)
    can = make_product(&w, false, 64);
  else if (strcmp(work, "fft") == 0 || strcmp(work, "fft2") == 0)
    can = make_transform(&w, work[3] == '2');
  else if (strcmp(work, "spmv") == 0)
    can = make_sparse(&w);
  else
    can = make_solver(&w, work);
  if (can)
    printf("%.3f\n", timed(&w, launches));
  else
    printf("-\n");
  if (w.plan >= 0) plan_destroy(w.plan);
  if (w.matrix) {
    destroy_matrix(w.matrix);
    destroy_vector(w.x);
    destroy_vector(w.y);
  }
  free(w.host);
  free_all();
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  start_driver();
  CHECK(event_create(&begun, 0));
  CHECK(event_create(&ended, 0));
  start_libraries();
  char work[16], type[16];
  long n;
  int launches;
  while (scanf("%15s %15s %ld %d", work, type, &n, &launches) == 4) answer(work, type, n, launches);
  return 0;
}
