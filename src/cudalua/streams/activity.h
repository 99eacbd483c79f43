/* What a profile records: an activity for each kernel, copy, fill, graph, compilation, wait and range. The
 * calls that make them say so by the functions below, at the cost of one test while no Lua state profiles. */
#ifndef CUDALUA_ACTIVITY_H
#define CUDALUA_ACTIVITY_H

#include "streams/stream.h"

typedef enum cl_ActivityKind {
  CL_A_KERNEL,
  CL_A_COPY,
  CL_A_FILL,
  CL_A_GRAPH,
  CL_A_COMPILE,
  CL_A_LOAD,
  CL_A_WAIT,
  CL_A_RANGE
} cl_ActivityKind;

/* How a kernel fits on the device: the same for all launches with this block and shared memory. */
typedef struct cl_Fit {
  struct cl_Fit *next;
  CUfunction f;
  unsigned threads, shared;
  int registers, local; /* of a thread; bytes */
  int blocks;           /* beside each other on a multiprocessor */
  int most;             /* threads of a multiprocessor */
} cl_Fit;

typedef struct cl_Activity {
  cl_ActivityKind kind;
  bool captured; /* it went into a graph, and has not run */
  bool failed;
  const char *name;    /* interned, or a constant */
  const char *line;    /* of the program, interned, or NULL */
  uint64_t begin, end; /* of the call, on the host: monotonic ns */
  uint64_t bytes;
  uint64_t stream;        /* its handle */
  int device;             /* -1: none */
  uint32_t number, range; /* from 1; the range that it is in, 0: none */
  unsigned grid[3], block[3], shared;
  const cl_Fit *fit;
  bool timed;
  double gpu_begin, gpu_ns; /* as `begin`, where timed */
  uint64_t seq;             /* on the software device: of the operation; 0: none */
  uint64_t ran;             /* before a wait there: ns that operations had taken */
  bool *pushed;             /* CUPTI has its number */
  CUevent before, after;
  struct cl_Timeline *timeline;
  struct cl_Activity *next; /* that waits to be timed */
} cl_Activity;

extern _Atomic uint32_t cl_profiles; /* Lua states that profile */
static inline bool cl_is_profiling(void) {
  return __builtin_expect(atomic_load_explicit(&cl_profiles, memory_order_relaxed) != 0, 0);
}

/* Before the call. s: the stream of work for the device, else NULL. NULL: this state does not profile. Runs
 * no Lua and allocates nothing in Lua, so it may stand between the look at an array and the launch. */
cl_Activity *cl_activity_begin(lua_State *L, cl_ActivityKind kind, const char *name, cl_Stream *s,
                               uint64_t bytes);
/* Behind it. */
void cl_activity_end(cl_Activity *a, CUresult code);
/* Of a kernel, in between; with its context current. */
void cl_activity_fit(lua_State *L, cl_Activity *a, CUfunction f);

/* A call of the driver by CL_TRY that is an activity. */
#define CL_TRY_ACTIVITY(L, kind, name, stream, bytes, fn, ...)                                               \
  do {                                                                                                       \
    cl_Activity *cl_a_ = cl_is_profiling() ? cl_activity_begin(L, kind, name, stream, bytes) : NULL;         \
    CL_TRY(L, fn, __VA_ARGS__);                                                                              \
    if (cl_a_) cl_activity_end(cl_a_, CUDA_SUCCESS);                                                         \
  } while (0)

#define CL_TO_DEVICE "copy host to device"
#define CL_TO_HOST "copy device to host"
#define CL_ON_DEVICE "copy device to device"
#define CL_FILLED "memset"

#endif
