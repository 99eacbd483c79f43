/* A library with cuFFT's symbols, for specs on the software device: it checks and logs what it is given, and
 * computes transforms on the host, in the order of the stream, also in captures. Sums are in double.
 *
 * It is as unkind as the library may be: it fills its work area, a transform to real numbers destroys what it
 * reads, and gives NaN where the imaginary parts of the elements 0 and n / 2 are not 0. */
#include <cuda.h>

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum {
  SUCCESS = 0,
  INVALID_PLAN = 1,
  INVALID_TYPE = 3,
  INVALID_VALUE = 4,
  EXEC_FAILED = 6,
  SETUP_FAILED = 7,
  INVALID_SIZE = 8,
  UNALIGNED_DATA = 9,
  NO_WORKSPACE = 13
};
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { MOST_PLANS = 4096, MOST_AXES = 3, LONGEST = 3001 };

typedef struct Side { /* how elements lie in memory */
  long long embed[MOST_AXES], stride, distance;
} Side;

typedef struct Plan {
  bool there, no_area_of_its_own, made;
  int rank, type;
  long long n[MOST_AXES], batch;
  Side in, out;
  size_t work;
  CUstream stream;
  void *area;
} Plan;

/* --- what specs ask and say --- */

static char log_text[1 << 16];
static size_t log_length;
static int failures[8], count_of_failures, count_of_plans;

static CUresult (*synchronize)(CUstream);
static CUresult (*is_capturing)(CUstream, CUstreamCaptureStatus *);
static CUresult (*launch_host)(CUstream, CUhostFn, void *);
static CUresult (*host_alloc)(void **, size_t);
static CUresult (*host_free)(void *);
static CUresult (*copy_2d)(const CUDA_MEMCPY2D *, CUstream);
static CUresult (*fill_2d)(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
static CUresult (*range_of)(CUdeviceptr *, size_t *, CUdeviceptr);

PUBLIC int fft_shim_driver(const char *path);
PUBLIC const char *fft_shim_log(void);
PUBLIC void fft_shim_clear(void);
PUBLIC void fft_shim_fail(int status);
PUBLIC int fft_shim_plans(void);

/* 0: the driver at that path has what is needed. */
int fft_shim_driver(const char *path) {
  void *d = dlopen(path, RTLD_NOW);
  if (!d) return 1;
  *(void **)&synchronize = dlsym(d, "cuStreamSynchronize");
  *(void **)&is_capturing = dlsym(d, "cuStreamIsCapturing");
  *(void **)&launch_host = dlsym(d, "cuLaunchHostFunc");
  *(void **)&host_alloc = dlsym(d, "cuMemAllocHost_v2");
  *(void **)&host_free = dlsym(d, "cuMemFreeHost");
  *(void **)&copy_2d = dlsym(d, "cuMemcpy2DAsync_v2");
  *(void **)&fill_2d = dlsym(d, "cuMemsetD2D8Async");
  *(void **)&range_of = dlsym(d, "cuMemGetAddressRange_v2");
  return synchronize && is_capturing && launch_host && host_alloc && host_free && copy_2d && fill_2d &&
                 range_of
             ? 0
             : 2;
}

const char *fft_shim_log(void) { return log_text; }
void fft_shim_clear(void) { log_text[log_length = 0] = 0; }
/* Of the next plan or transform, behind those that were named before. */
void fft_shim_fail(int status) {
  if (count_of_failures < 8) failures[count_of_failures++] = status;
}

int fft_shim_plans(void) { return count_of_plans; } /* that are not destroyed */

static int told_status(void) {
  if (!count_of_failures) return SUCCESS;
  const int status = failures[0];
  memmove(failures, failures + 1, sizeof failures - sizeof *failures);
  count_of_failures--;
  return status;
}

/* --- plans --- */

PUBLIC int cufftGetProperty(int type, int *value);
PUBLIC int cufftCreate(int *plan);
PUBLIC int cufftDestroy(int plan);
PUBLIC int cufftSetStream(int plan, CUstream stream);
PUBLIC int cufftSetAutoAllocation(int plan, int allocate);
PUBLIC int cufftSetWorkArea(int plan, void *area);
PUBLIC int cufftMakePlanMany64(int plan, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, long long *onembed, long long ostride, long long odist,
                               int type, long long batch, size_t *bytes);
PUBLIC int cufftExecC2C(int plan, void *in, void *out, int direction);
PUBLIC int cufftExecZ2Z(int plan, void *in, void *out, int direction);
PUBLIC int cufftExecR2C(int plan, void *in, void *out);
PUBLIC int cufftExecC2R(int plan, void *in, void *out);
PUBLIC int cufftExecD2Z(int plan, void *in, void *out);
PUBLIC int cufftExecZ2D(int plan, void *in, void *out);

int cufftGetProperty(int type, int *value) {
  static const int version[] = {11, 2, 3};
  if (type < 0 || type > 2) return INVALID_VALUE;
  *value = version[type];
  return SUCCESS;
}

static Plan plans[MOST_PLANS];

static Plan *plan_of(int number) {
  return number >= 0 && number < MOST_PLANS && plans[number].there ? &plans[number] : NULL;
}

int cufftCreate(int *plan) {
  for (int i = 0; i < MOST_PLANS; i++)
    if (!plans[i].there) {
      plans[i] = (Plan){.there = true};
      count_of_plans++;
      *plan = i;
      return SUCCESS;
    }
  return SETUP_FAILED;
}

int cufftDestroy(int number) {
  Plan *p = plan_of(number);
  if (!p) return INVALID_PLAN;
  p->there = false;
  count_of_plans--;
  return SUCCESS;
}

int cufftSetStream(int number, CUstream stream) {
  Plan *p = plan_of(number);
  if (!p || !p->made) return INVALID_PLAN;
  p->stream = stream;
  p->area = NULL; /* to be set for each use */
  return SUCCESS;
}

int cufftSetAutoAllocation(int number, int allocate) {
  Plan *p = plan_of(number);
  if (!p || p->made) return INVALID_PLAN;
  p->no_area_of_its_own = !allocate;
  return SUCCESS;
}

int cufftSetWorkArea(int number, void *area) {
  Plan *p = plan_of(number);
  if (!p || !p->made) return INVALID_PLAN;
  if (!area) return INVALID_VALUE;
  p->area = area;
  return SUCCESS;
}

static bool is_real_in(int type) { return type == R2C || type == D2Z; }
static bool is_real_out(int type) { return type == C2R || type == Z2D; }
static bool is_double(int type) { return type == Z2Z || type == D2Z || type == Z2D; }

static size_t item(int type, bool real) { return (is_double(type) ? 8u : 4u) * (real ? 1u : 2u); }

/* Elements along an axis of the source or the result. */
static long long extent(const Plan *p, int axis, bool out) {
  const bool halved = axis == p->rank - 1 && (out ? is_real_in(p->type) : is_real_out(p->type));
  return halved ? p->n[axis] / 2 + 1 : p->n[axis];
}

static bool fits(const Plan *p, const Side *s, bool out) {
  long long all = 1;
  for (int i = 0; i < p->rank; i++) {
    if (s->embed[i] < extent(p, i, out) || (out && s->embed[i] != extent(p, i, out))) return false;
    all *= s->embed[i];
  }
  if (s->stride < 1 || s->distance < 1) return false;
  if (p->rank > 1 && s->stride != 1) return false; /* not computed here */
  /* Transforms lie one behind the other, or side by side. */
  return p->batch == 1 || s->distance >= all * s->stride || (s->distance < s->stride && p->rank == 1);
}

int cufftMakePlanMany64(int number, int rank, long long *n, long long *inembed, long long istride,
                        long long idist, long long *onembed, long long ostride, long long odist, int type,
                        long long batch, size_t *bytes) {
  const int status = told_status();
  if (status) return status;
  Plan *p = plan_of(number);
  if (!p || p->made) return INVALID_PLAN;
  if (!p->no_area_of_its_own) return SETUP_FAILED;
  if (rank < 1 || rank > MOST_AXES || !n || !inembed || !onembed || batch < 1 || !bytes) return INVALID_VALUE;
  if (type != C2C && type != Z2Z && !is_real_in(type) && !is_real_out(type)) return INVALID_TYPE;
  p->rank = rank;
  p->type = type;
  p->batch = batch;
  p->in = (Side){.stride = istride, .distance = idist};
  p->out = (Side){.stride = ostride, .distance = odist};
  for (int i = 0; i < rank; i++) {
    if (n[i] < 2 || n[i] > LONGEST) return INVALID_SIZE;
    p->n[i] = n[i];
    p->in.embed[i] = inembed[i];
    p->out.embed[i] = onembed[i];
  }
  if (!fits(p, &p->in, false) || !fits(p, &p->out, true)) return INVALID_VALUE;
  p->work = rank == 1 && n[0] <= 4 ? 0 : 1000 + 8 * (size_t)n[0];
  p->made = true;
  *bytes = p->work;
  return SUCCESS;
}

/* --- elements --- */

typedef struct Value {
  double re, im;
} Value;

static Value load(bool wide, bool real, const char *base, long long i) {
  const long long k = real ? i : 2 * i;
  if (wide) {
    const double *p = (const double *)(const void *)base + k;
    return (Value){p[0], real ? 0 : p[1]};
  }
  const float *p = (const float *)(const void *)base + k;
  return (Value){(double)p[0], real ? 0 : (double)p[1]};
}

static void store(bool wide, bool real, char *base, long long i, Value v) {
  const long long k = real ? i : 2 * i;
  if (wide) {
    double *p = (double *)(void *)base + k;
    p[0] = v.re;
    if (!real) p[1] = v.im;
  } else {
    float *p = (float *)(void *)base + k;
    p[0] = (float)v.re;
    if (!real) p[1] = (float)v.im;
  }
}

/* --- a transform --- */

typedef struct Job {
  struct Job *next;
  Plan plan;
  int direction;
  const char *from;
  char *staging; /* page-locked: the results without gaps */
} Job;

/* Where element k of a transform is: k counts the elements along all axes of one. */
static long long place_of(const Plan *p, const Side *s, bool out, long long b, long long k) {
  long long at = 0, width = 1;
  for (int i = p->rank - 1; i >= 0; i--) {
    const long long e = extent(p, i, out);
    at += k % e * width;
    k /= e;
    width *= s->embed[i];
  }
  return b * s->distance + at * s->stride;
}

static long long count_of(const Plan *p, bool out) {
  long long all = 1;
  for (int i = 0; i < p->rank; i++) all *= extent(p, i, out);
  return all;
}

static void one_axis(Value *x, long long outer, long long n, long long inner, int direction) {
  Value *line = calloc((size_t)n, sizeof *line);
  for (long long o = 0; o < outer * inner; o++) {
    Value *base = x + o / inner * n * inner + o % inner;
    for (long long k = 0; k < n; k++) {
      Value sum = {0, 0};
      for (long long j = 0; j < n; j++) {
        const double turn = direction * 2 * M_PI * (double)(j * k % n) / (double)n, c = cos(turn),
                     s = sin(turn);
        const Value v = base[j * inner];
        sum.re += v.re * c - v.im * s;
        sum.im += v.re * s + v.im * c;
      }
      line[k] = sum;
    }
    for (long long k = 0; k < n; k++) base[k * inner] = line[k];
  }
  free(line);
}

/* All n elements of the source: of a transform to real numbers the other half are conjugates (one axis only).
 */
static void gather(const Job *j, long long b, Value *x) {
  const Plan *p = &j->plan;
  const bool wide = is_double(p->type), real = is_real_in(p->type);
  const long long all = count_of(p, false);
  for (long long k = 0; k < all; k++) x[k] = load(wide, real, j->from, place_of(p, &p->in, false, b, k));
  if (!is_real_out(p->type)) return;
  const long long n = p->n[0];
  const bool proper = x[0].im == 0 && (n % 2 || x[n / 2].im == 0);
  if (!proper) x[0].re = (double)NAN;
  for (long long k = all; k < n; k++) x[k] = (Value){x[n - k].re, -x[n - k].im};
}

static void compute(void *argument) {
  const Job *j = argument;
  const Plan *p = &j->plan;
  const bool wide = is_double(p->type), real = is_real_out(p->type);
  long long whole = 1;
  for (int i = 0; i < p->rank; i++) whole *= p->n[i];
  const long long kept = count_of(p, true), last = p->n[p->rank - 1], width = extent(p, p->rank - 1, true);
  Value *x = calloc((size_t)whole, sizeof *x);
  for (long long b = 0; b < p->batch; b++) {
    gather(j, b, x);
    long long inner = 1;
    for (int i = p->rank - 1; i >= 0; i--) {
      one_axis(x, whole / inner / p->n[i], p->n[i], inner, j->direction);
      inner *= p->n[i];
    }
    for (long long k = 0; k < kept; k++)
      store(wide, real, j->staging, b * kept + k, x[k / width * last + k % width]);
  }
  free(x);
}

static void note(const Job *j) {
  const Plan *p = &j->plan;
  const Side *sides[] = {&p->in, &p->out};
  static const struct {
    int type;
    const char *name;
  } names[] = {{C2C, "C2C"}, {R2C, "R2C"}, {C2R, "C2R"}, {Z2Z, "Z2Z"}, {D2Z, "D2Z"}, {Z2D, "Z2D"}};
  char text[512];
  int n = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].type == p->type) n += snprintf(text, sizeof text, "%s n", names[i].name);
  for (int i = 0; i < p->rank; i++) n += snprintf(text + n, sizeof text - (size_t)n, " %lld", p->n[i]);
  for (int s = 0; s < 2; s++) {
    n += snprintf(text + n, sizeof text - (size_t)n, s ? " out" : " in");
    for (int i = 0; i < p->rank; i++)
      n += snprintf(text + n, sizeof text - (size_t)n, " %lld", sides[s]->embed[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, " stride %lld distance %lld", sides[s]->stride,
                  sides[s]->distance);
  }
  n += snprintf(text + n, sizeof text - (size_t)n, " batch %lld direction %d work %zu\n", p->batch,
                j->direction, p->work);
  if (log_length + (size_t)n < sizeof log_text) memcpy(log_text + log_length, text, (size_t)n + 1);
  if (log_length + (size_t)n < sizeof log_text) log_length += (size_t)n;
}

/* Is all that a side has inside of one allocation? */
static bool is_inside(const Plan *p, const Side *s, bool out, const void *base) {
  const bool real = out ? is_real_out(p->type) : is_real_in(p->type);
  const CUdeviceptr first = (CUdeviceptr)(uintptr_t)base;
  const long long end = place_of(p, s, out, p->batch - 1, count_of(p, out) - 1) + 1;
  CUdeviceptr start;
  size_t size;
  if (range_of(&start, &size, first)) return false;
  return first + (size_t)end * item(p->type, real) <= start + size;
}

/* The results of one transform after the other, as columns of them lie. */
static CUresult copy_out(const Job *j, char *to) {
  const Plan *p = &j->plan;
  const size_t size = item(p->type, is_real_out(p->type)), count = (size_t)count_of(p, true);
  const bool dense = p->out.stride == 1;
  for (long long b = 0; b < p->batch; b++) {
    const CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                             .srcHost = j->staging + (size_t)b * count * size,
                             .srcPitch = dense ? count * size : size,
                             .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                             .dstDevice = (CUdeviceptr)(uintptr_t)(to + (size_t)(b * p->out.distance) * size),
                             .dstPitch = dense ? count * size : (size_t)p->out.stride * size,
                             .WidthInBytes = dense ? count * size : size,
                             .Height = dense ? 1 : count};
    const CUresult code = copy_2d(&c, p->stream);
    if (code) return code;
  }
  return CUDA_SUCCESS;
}

/* What was read is no more. */
static CUresult spoil(const Job *j) {
  const Plan *p = &j->plan;
  const size_t size = item(p->type, false), count = (size_t)count_of(p, false);
  const bool dense = p->in.stride == 1;
  for (long long b = 0; b < p->batch; b++) {
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)(j->from + (size_t)(b * p->in.distance) * size);
    const CUresult code = fill_2d(at, dense ? count * size : (size_t)p->in.stride * size, 0xff,
                                  dense ? count * size : size, dense ? 1 : count, p->stream);
    if (code) return code;
  }
  return CUDA_SUCCESS;
}

static int execute(int number, int type, void *in, void *out, int direction) {
  const int status = told_status();
  if (status) return status;
  Plan *p = plan_of(number);
  if (!p || !p->made || !synchronize) return INVALID_PLAN;
  if (p->type != type || in == out || !in || !out) return INVALID_VALUE;
  if (direction != -1 && direction != 1) return INVALID_VALUE;
  if (p->work && !p->area) return NO_WORKSPACE;
  const uintptr_t places = (uintptr_t)in | (uintptr_t)out;
  if (places % item(type, false)) return UNALIGNED_DATA;
  if (!is_inside(p, &p->in, false, in) || !is_inside(p, &p->out, true, out)) return INVALID_VALUE;
  static Job *kept; /* of graphs: never freed, and no leak */
  Job *j = calloc(1, sizeof *j);
  *j = (Job){.plan = *p, .direction = direction, .from = in};
  note(j);
  const size_t room = (size_t)(p->batch * count_of(p, true)) * item(type, is_real_out(type));
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult r = is_capturing(p->stream, &capture);
  if (!r) r = host_alloc((void **)&j->staging, room);
  if (!r && p->work) r = fill_2d((CUdeviceptr)(uintptr_t)p->area, p->work, 0xff, p->work, 1, p->stream);
  if (!r) r = launch_host(p->stream, compute, j);
  if (!r) r = copy_out(j, out);
  if (!r && is_real_out(type)) r = spoil(j);
  if (capture) {
    j->next = kept;
    kept = j;
  } else {
    if (!r) r = synchronize(p->stream);
    host_free(j->staging);
    free(j);
  }
  return r ? EXEC_FAILED : SUCCESS;
}

int cufftExecC2C(int plan, void *in, void *out, int direction) {
  return execute(plan, C2C, in, out, direction);
}
int cufftExecZ2Z(int plan, void *in, void *out, int direction) {
  return execute(plan, Z2Z, in, out, direction);
}
int cufftExecR2C(int plan, void *in, void *out) { return execute(plan, R2C, in, out, -1); }
int cufftExecC2R(int plan, void *in, void *out) { return execute(plan, C2R, in, out, 1); }
int cufftExecD2Z(int plan, void *in, void *out) { return execute(plan, D2Z, in, out, -1); }
int cufftExecZ2D(int plan, void *in, void *out) { return execute(plan, Z2D, in, out, 1); }
