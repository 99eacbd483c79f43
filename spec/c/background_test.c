/* Streams in the background: a launch returns at once, completions arrive while the program sleeps, and calls
 * are made beside a running kernel. What is expected holds for a GPU too, but for the order of work in
 * several streams. Each group runs in a process of its own. */
#include "check.h"
#include "kernels.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>

CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev);

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n" ADD_ONE_KERNEL NOTE_KERNEL
                          /* Counts to n, and stores that. */
                          ".visible .entry count(.param .u64 p, .param .u32 n) {\n"
                          "  .reg .pred %p<2>;\n"
                          "  .reg .b32 %r<3>;\n"
                          "  .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  ld.param.u32 %r1, [n];\n"
                          "  mov.u32 %r2, 0;\n"
                          "AGAIN:\n"
                          "  add.u32 %r2, %r2, 1;\n"
                          "  setp.lt.u32 %p1, %r2, %r1;\n"
                          "  @%p1 bra AGAIN;\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "  st.global.u32 [%rd2], %r2;\n"
                          "  ret;\n"
                          "}\n"
                          /* Waits until the program stores something to p[0], and copies it to p[1]. */
                          ".visible .entry until(.param .u64 p, .param .u32 n) {\n"
                          "  .reg .pred %p<2>;\n"
                          "  .reg .b32 %r<2>;\n"
                          "  .reg .b64 %rd<3>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  cvta.to.global.u64 %rd2, %rd1;\n"
                          "AGAIN:\n"
                          "  ld.volatile.global.u32 %r1, [%rd2];\n"
                          "  setp.eq.u32 %p1, %r1, 0;\n"
                          "  @%p1 bra AGAIN;\n"
                          "  st.volatile.global.u32 [%rd2+4], %r1;\n"
                          "  ret;\n"
                          "}\n";

#ifdef UNDER_TSAN /* which makes kernels twenty times slower */
enum { LONG = 300000 };
#else
enum { LONG = 3000000 };
#endif
enum { ENDLESS = -1, NOTES = 200, FAR_OFF_MS = 30000 };

static CUcontext ctx;
static CUfunction count_to, until, note, add_one;
static CUstream stream;
static CUdeviceptr word;
static int wake[2]; /* a pipe that host functions write to */

static void control(const char *command) {
  if (SOFT) OK(cuSoftgpuControl(command, NULL, 0, NULL));
}

static void begin(void) {
  CUmodule m;
  CUdevice dev;
  control("streams background");
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
  OK(cuModuleLoadData(&m, ptx));
  OK(cuModuleGetFunction(&count_to, m, "count"));
  OK(cuModuleGetFunction(&until, m, "until"));
  OK(cuModuleGetFunction(&note, m, "note"));
  OK(cuModuleGetFunction(&add_one, m, "add_one"));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc(&word, 4096));
  OK(cuMemsetD8(word, 0, 4096));
  TRUE(pipe(wake) == 0);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static CUresult start(CUfunction f, CUdeviceptr p, int n, CUstream s) {
  void *arguments[] = {&p, &n};
  return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL);
}

static unsigned read_word(CUdeviceptr p) {
  unsigned v = 0;
  OK(cuMemcpyDtoH(&v, p, 4));
  return v;
}

static void CUDA_CB ring(void *data) {
  (void)data;
  TRUE(write(wake[1], "x", 1) == 1);
}

static bool rings(int ms) {
  struct pollfd p = {wake[0], POLLIN, 0};
  char c;
  if (poll(&p, 1, ms) != 1) return false;
  return read(wake[0], &c, 1) == 1;
}

/* A completion arrives while the process sleeps, with no call in between. */
static void wakes(void) {
  begin();
  CUevent e;
  OK(cuEventCreate(&e, 0));
  const double t = now();
  OK(start(count_to, word, LONG, stream));
  OK(cuEventRecord(e, stream));
  OK(cuLaunchHostFunc(stream, ring, NULL));
  const double launched = now() - t;
  IS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  IS(CUDA_ERROR_NOT_READY, cuEventQuery(e));
  TRUE(!rings(0));
  TRUE(rings(FAR_OFF_MS));
  const double done = now() - t;
  TRUE(launched < done / 2);
  OK(cuEventQuery(e));
  OK(cuStreamSynchronize(stream));
  OK(cuStreamQuery(stream));
  EQ(read_word(word), LONG);
}

/* The kernel waits for the program, which is not kept from storing what it waits for. */
static void host_goes_on(void) {
  begin();
  unsigned *flag;
  CUdeviceptr p;
  OK(cuMemHostAlloc((void **)&flag, 8, CU_MEMHOSTALLOC_DEVICEMAP));
  flag[0] = flag[1] = 0;
  OK(cuMemHostGetDevicePointer(&p, flag, 0));
  OK(start(until, p, 0, stream));
  IS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  __atomic_store_n(&flag[0], 7u, __ATOMIC_SEQ_CST);
  OK(cuStreamSynchronize(stream));
  EQ(flag[1], 7);
}

/* Work is added and memory is allocated while a kernel runs that none of it waits for. */
static void calls_beside(void) {
  begin();
  unsigned *flag;
  CUdeviceptr p, other[20];
  CUstream second;
  CUevent e;
  OK(cuMemHostAlloc((void **)&flag, 8, CU_MEMHOSTALLOC_DEVICEMAP));
  flag[0] = 0;
  OK(cuMemHostGetDevicePointer(&p, flag, 0));
  OK(start(until, p, 0, stream));
  OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  for (int i = 0; i < 20; i++) {
    OK(cuMemAlloc(&other[i], (size_t)1024 << (i % 8)));
    OK(cuMemsetD8Async(other[i], 0, 1024, second));
    OK(start(count_to, other[i], i + 1, second));
    OK(cuEventRecord(e, second));
    OK(cuStreamWaitEvent(stream, e, 0));
  }
  IS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  __atomic_store_n(&flag[0], 3u, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 20; i++) OK(cuMemFreeAsync(other[i], stream));
  OK(cuStreamSynchronize(second));
  OK(cuCtxSynchronize());
  EQ(flag[1], 3);
}

/* The first kernel is done, and the second one runs: who waits for the first one goes on. */
static void waits_for_no_more(void) {
  begin();
  unsigned *flag;
  CUdeviceptr p;
  CUevent e;
  OK(cuMemHostAlloc((void **)&flag, 8, CU_MEMHOSTALLOC_DEVICEMAP));
  flag[0] = 0;
  OK(cuMemHostGetDevicePointer(&p, flag, 0));
  OK(cuEventCreate(&e, 0));
  OK(start(count_to, word, LONG / 10, stream));
  OK(cuEventRecord(e, stream));
  OK(start(until, p, 0, stream));
  OK(cuEventSynchronize(e));
  IS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  __atomic_store_n(&flag[0], 5u, __ATOMIC_SEQ_CST);
  OK(cuCtxSynchronize());
  EQ(flag[1], 5);
}

/* What frees memory waits for the kernels that may use it. */
static void freeing_waits(void) {
  begin();
  OK(start(count_to, word, LONG, stream));
  CUdeviceptr p = word;
  OK(cuMemFree(p));
  OK(cuStreamQuery(stream));
}

static pthread_t caller;
static int called;

static void CUDA_CB who(void *data) {
  if (called++) TRUE(pthread_equal(caller, pthread_self()));
  caller = pthread_self();
  IS(CUDA_ERROR_NOT_PERMITTED, cuMemAlloc((CUdeviceptr *)data, 4));
}

static void CUDA_CB old_callback(CUstream s, CUresult status, void *data) {
  TRUE(s == stream);
  OK(status);
  who(data);
}

static void host_functions(void) {
  CUdeviceptr unused;
  begin();
  for (int i = 0; i < 10; i++) OK(cuLaunchHostFunc(stream, who, &unused));
  OK(cuStreamAddCallback(stream, old_callback, &unused, 0));
  OK(cuStreamSynchronize(stream));
  EQ(called, 11);
  TRUE(!pthread_equal(caller, pthread_self()));
}

/* Over all streams, work runs in the order of submission. */
static void in_order(void) {
  begin();
  CUstream s[3];
  static unsigned got[NOTES + 1];
  for (int i = 0; i < 3; i++) OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < NOTES; i++) OK(start(note, word, i, s[i * 7 % 3]));
  for (int i = 2; i >= 0; i--) OK(cuStreamSynchronize(s[i]));
  OK(cuMemcpyDtoH(got, word, sizeof got));
  EQ(got[0], NOTES);
  for (int i = 0; i < NOTES; i++) EQ(got[i + 1], i);
}

static void CUDA_CB tick(void *data) { ++*(int *)data; }

static void destroys_at_work(void) {
  begin();
  int ran = 0;
  OK(start(count_to, word, LONG, stream));
  for (int i = 0; i < 10; i++) OK(cuLaunchHostFunc(stream, tick, &ran));
  OK(cuStreamDestroy(stream));
  OK(cuCtxDestroy(ctx));
  EQ(ran, 10);
}

/* Asking all the time does not keep the kernel from running. */
static void asking_all_the_time(void) {
  begin();
  OK(start(count_to, word, LONG, stream));
  double t = now();
  OK(cuStreamSynchronize(stream));
  const double alone = now() - t;
  OK(start(count_to, word, LONG, stream));
  unsigned long asked = 0;
  double worst = 0;
  CUresult r;
  t = now();
  do {
    const double before = now();
    r = cuStreamQuery(stream);
    if (now() - before > worst) worst = now() - before;
    asked++;
  } while (r == CUDA_ERROR_NOT_READY);
  OK(r);
  const double beside = now() - t;
  printf("kernel %.1f ms alone, %.1f ms while the program asked %lu times; the longest answer took %.2f ms\n",
         alone * 1e3, beside * 1e3, asked, worst * 1e3);
  TRUE(asked > 10);
  TRUE(beside < 20 * alone + 1);
}

static char said[2048];

static void CUDA_CB hear(void *data, CUlogLevel level, char *message, size_t length) {
  if (level == CU_LOG_LEVEL_ERROR && pthread_equal(*(pthread_t *)data, pthread_self()))
    snprintf(said, sizeof said, "%.*s", (int)length, message);
}

/* The report of a fault comes with the call that answers its code, on the thread of that call. */
static void fault(void) {
  pthread_t self = pthread_self();
  begin();
  OK(cuLogsRegisterCallback(hear, &self, NULL));
  OK(start(count_to, word + 8192, 1, stream));
  const CUresult r = cuLaunchHostFunc(stream, ring, NULL); /* the kernel may have failed by now */
  TRUE(r == CUDA_SUCCESS || r == CUDA_ERROR_ILLEGAL_ADDRESS);
  TRUE(!rings(200));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(stream));
  TRUE(!SOFT || strstr(said, "illegal store of 4 bytes"));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
}

/* How a child ends that does this; -1: not within its time. */
static int child(void (*f)(void)) {
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(30);
    f();
    exit(failed ? 1 : 0);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ends_at_work(void) {
  begin();
  int ran = 0;
  OK(start(count_to, word, ENDLESS, stream));
  OK(cuLaunchHostFunc(stream, tick, &ran));
  usleep(20000);
}

/* Several threads run the kernel, and let no call in. */
static void ends_at_shared_work(void) {
  control("schedule threads 4");
  begin();
  int n = ENDLESS;
  void *arguments[] = {&word, &n};
  OK(cuLaunchKernel(count_to, 64, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
  usleep(50000);
}

static void CUDA_CB end_here(void *data) {
  (void)data;
  exit(5);
}

static void ends_in_a_function(void) {
  begin();
  OK(cuLaunchHostFunc(stream, end_here, NULL));
  for (;;) pause();
}

static void CUDA_CB sleep_on(void *data) {
  ring(data);
  for (;;) pause();
}

static void ends_beside_a_function(void) {
  begin();
  OK(cuLaunchHostFunc(stream, sleep_on, NULL));
  TRUE(rings(FAR_OFF_MS));
}

static void process_ends(void) {
  const double t = now();
  EQ(child(ends_at_work), 0);
  EQ(child(ends_at_shared_work), 0);
  EQ(child(ends_in_a_function), 5);
  EQ(child(ends_beside_a_function), 0);
  TRUE(now() - t < 25);
}

static void after_fork(void) {
  CUdeviceptr p;
  IS(CUDA_ERROR_NOT_INITIALIZED, cuStreamSynchronize(stream));
  IS(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&p, 4));
  /* Without exit(): the leak checker of the sanitizers would wait for a lock of a thread that is not here. */
  fflush(NULL);
  _exit(failed ? 1 : 0);
}

static void forks_at_work(void) {
  begin();
  OK(start(count_to, word, LONG, stream));
  OK(cuLaunchHostFunc(stream, ring, NULL));
  EQ(child(after_fork), 0);
  TRUE(rings(FAR_OFF_MS));
  EQ(read_word(word), LONG);
}

/* The threads of the process that run streams. */
static unsigned stream_threads(void) {
  unsigned n = 0;
  DIR *d = opendir("/proc/self/task");
  for (const struct dirent *e; d && (e = readdir(d));) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
    FILE *f = fopen(path, "r");
    if (f && fgets(name, sizeof name, f) && strcmp(name, "softgpu streams\n") == 0) n++;
    if (f) fclose(f);
  }
  if (d) closedir(d);
  return n;
}

/* The device changes to the background for a program that sleeps, unless a mode was chosen. The first work
 * starts a thread. */
static void unattended(void) {
  char mode[32] = "";
  const char *chosen = getenv("CUDALUA_SOFT_STREAMS");
  OK(cuSoftgpuControl("streams", mode, sizeof mode, NULL));
  TRUE(strcmp(mode, chosen ? chosen : "deferred") == 0);
  if (!chosen) {
    OK(cuSoftgpuControl("unattended", mode, sizeof mode, NULL));
    TRUE(strcmp(mode, "background") == 0);
  }
  OK(cuSoftgpuControl("streams deferred", NULL, 0, NULL));
  OK(cuSoftgpuControl("unattended", mode, sizeof mode, NULL));
  TRUE(strcmp(mode, "deferred") == 0);
  EQ(stream_threads(), 0);
  begin(); /* which fills memory */
  EQ(stream_threads(), 1);
  OK(start(count_to, word, 1, stream));
  OK(cuStreamSynchronize(stream));
  EQ(stream_threads(), 1);
  control("streams deferred");
  OK(start(count_to, word, 2, stream));
  usleep(20000);
  IS(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  OK(cuStreamQuery(stream));
}

static void *use(void *number) {
  enum { ROUNDS = 30 };
  CUstream s;
  CUdeviceptr p, q;
  CUevent e;
  int ran = 0;
  OK(cuCtxSetCurrent(ctx));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&e, 0));
  OK(cuMemAlloc(&p, 4096));
  OK(cuMemsetD32Async(p, 0, 1, s));
  for (int i = 0; i < ROUNDS; i++) {
    OK(start(add_one, p, 1, s));
    OK(cuLaunchHostFunc(s, tick, &ran));
    OK(cuEventRecord(e, s));
    OK(cuMemAlloc(&q, 512));
    OK(start(count_to, q, 20000, s));
    if (i % 3 == 0) OK(cuEventSynchronize(e));
    while (i % 7 == 0 && cuStreamQuery(s) == CUDA_ERROR_NOT_READY) usleep(10);
    if (i % 2)
      OK(cuMemFree(q));
    else
      OK(cuMemFreeAsync(q, s));
  }
  OK(cuStreamSynchronize(s));
  EQ(ran, ROUNDS);
  EQ(read_word(p), ROUNDS);
  return number;
}

static void several_threads(void) {
  pthread_t t[3];
  begin();
  for (int i = 0; i < 3; i++) TRUE(pthread_create(&t[i], NULL, use, NULL) == 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  OK(cuCtxDestroy(ctx));
}

static const Group groups[] = {
    {"wakes", wakes, ANYWHERE},
    {"host_goes_on", host_goes_on, ANYWHERE},
    {"calls_beside", calls_beside, ANYWHERE},
    {"waits_for_no_more", waits_for_no_more, ANYWHERE},
    {"freeing_waits", freeing_waits, ANYWHERE},
    {"host_functions", host_functions, ANYWHERE},
    {"in_order", in_order, SOFTWARE},
    {"destroys_at_work", destroys_at_work, ANYWHERE},
    {"asking_all_the_time", asking_all_the_time, ANYWHERE},
    {"fault", fault, ANYWHERE},
    {"process_ends", process_ends, SOFTWARE},
    {"forks_at_work", forks_at_work, ANYWHERE},
    {"unattended", unattended, SOFTWARE},
    {"several_threads", several_threads, ANYWHERE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
