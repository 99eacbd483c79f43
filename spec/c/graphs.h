/* What capture_test.c and graph_test.c share: a module of two kernels, and what is done in every
 * group.  */
#ifndef SPEC_GRAPHS_H
#define SPEC_GRAPHS_H

#include "check.h"
#include "kernels.h"

#include <pthread.h>
#include <stdint.h>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n" ADD_ONE_KERNEL NOTE_KERNEL;

enum { WORDS = 64, BYTES = WORDS * 4 };

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction add_one, note;
static CUstream s1, s2;
static CUdeviceptr buf;

static inline void start_with(unsigned stream_flags) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&add_one, mod, "add_one"));
  OK(cuModuleGetFunction(&note, mod, "note"));
  OK(cuStreamCreate(&s1, stream_flags));
  OK(cuStreamCreate(&s2, stream_flags));
  OK(cuMemAlloc(&buf, BYTES));
  OK(cuMemsetD32(buf, 0, WORDS));
  OK(cuCtxSynchronize());
}

static inline void start(void) { start_with(CU_STREAM_DEFAULT); }

static inline CUresult launch_add(CUstream s) {
  unsigned n = WORDS;
  void *params[] = {&buf, &n};
  return cuLaunchKernel(add_one, 1, 1, 1, WORDS, 1, 1, 0, s, params, NULL);
}

static inline CUresult launch_note(unsigned v, CUstream s) {
  void *params[] = {&buf, &v};
  return cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, s, params, NULL);
}

static inline unsigned read_word(int i) {
  unsigned v = 0xdeadbeef;
  OK(cuMemcpyDtoH(&v, buf + (CUdeviceptr)i * 4, 4));
  return v;
}

static inline void clear(void) {
  OK(cuMemsetD32(buf, 0, WORDS));
  OK(cuCtxSynchronize());
}

/* Runs a graph once and waits for it. */
static inline void run(CUgraphExec x) {
  OK(cuGraphLaunch(x, s1));
  OK(cuStreamSynchronize(s1));
}

static inline CUgraphExec instantiate(CUgraph g) {
  CUgraphExec x = NULL;
  OK(cuGraphInstantiate(&x, g, 0));
  return x;
}

static inline size_t count_nodes(CUgraph g) {
  size_t n = 999;
  OK(cuGraphGetNodes(g, NULL, &n));
  return n;
}

static inline size_t count_edges(CUgraph g) {
  size_t n = 999;
  OK(cuGraphGetEdges(g, NULL, NULL, NULL, &n));
  return n;
}

static inline CUstreamCaptureStatus status_of(CUstream s) {
  CUstreamCaptureStatus status = (CUstreamCaptureStatus)9;
  OK(cuStreamIsCapturing(s, &status));
  return status;
}

/* Ends the capture of s1, which has been made invalid. */
static inline void end_invalid(void) {
  CUgraph g = (CUgraph)1;
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  IS(901, cuStreamEndCapture(s1, &g));
  TRUE(g == NULL);
  EQ(status_of(s1), CU_STREAM_CAPTURE_STATUS_NONE);
}

static inline CUresult begin(void) { return cuStreamBeginCapture(s1, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL); }

static inline CUgraph end(void) {
  CUgraph g = NULL;
  OK(cuStreamEndCapture(s1, &g));
  TRUE(g != NULL);
  return g;
}

/* s2 comes after what s1 has so far, or the other way round. */
static inline void follow(CUstream later, CUstream earlier) {
  CUevent e;
  OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  OK(cuEventRecord(e, earlier));
  OK(cuStreamWaitEvent(later, e, 0));
  OK(cuEventDestroy(e));
}

static inline void in_thread(void *(*f)(void *), void *arg) {
  pthread_t t;
  if (pthread_create(&t, NULL, f, arg) != 0) exit(1);
  pthread_join(t, NULL);
}

static inline int place_of(unsigned v) {
  unsigned n = read_word(0);
  for (unsigned i = 0; i < n; i++)
    if (read_word((int)i + 1) == v) return (int)i;
  return -1;
}

/* 1, then 2 in s1 beside 3 and 4 in s2, then 5. */
static inline CUgraph diamond(void) {
  OK(begin());
  OK(launch_note(1, s1));
  follow(s2, s1);
  OK(launch_note(2, s1));
  OK(launch_note(3, s2));
  OK(launch_note(4, s2));
  follow(s1, s2);
  OK(launch_note(5, s1));
  return end();
}

static inline void check_diamond(void) {
  EQ(read_word(0), 5);
  EQ(place_of(1), 0);
  EQ(place_of(5), 4);
  TRUE(place_of(3) < place_of(4));
  TRUE(place_of(2) > 0);
}

/* --- the software device's own control function --- */

static inline long long stat(const char *key) {
  char text[4096], *line;
  OK(cuSoftgpuControl("stats", text, sizeof text, NULL));
  size_t n = strlen(key);
  for (line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (strncmp(line, key, n) == 0 && line[n] == ' ') return atoll(line + n);
  return -1;
}

static inline bool reply_has(const char *command, const char *what) {
  static char text[1 << 20];
  OK(cuSoftgpuControl(command, text, sizeof text, NULL));
  bool found = strstr(text, what) != NULL;
  if (!found) fprintf(stderr, "%s: %s", command, text);
  return found;
}

#endif
