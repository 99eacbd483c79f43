/* CUDALUA_DEBUG=2: a line on standard error for each launch. Its first half is written before the launch, its
 * time when the kernel is done, so that the last line before a crash names the kernel. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/state.h"
#include "launch/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool cl_trace_wanted(void) {
  const char *v = getenv("CUDALUA_DEBUG");
  return v && atoi(v) >= 2;
}

static void state_opens(lua_State *L) {
  if (cl_trace_wanted()) cl_state(L)->trace = 1;
}
CL_HOOK(cl_on_state_open, 9, state_opens);

void cl_trace_launch(lua_State *L, const cl_Function *fn, const cl_Launch *o) {
  const char *line = cl_here(L);
  cl_progress_erase();
  fprintf(stderr,
          "cudalua: launch: %s, grid %u x %u x %u, block %u x %u x %u, shared %u, stream 0x%" PRIx64 "%s%s: ",
          fn->name, o->grid[0], o->grid[1], o->grid[2], o->block[0], o->block[1], o->block[2], o->shared,
          (uint64_t)(uintptr_t)cl_stream_handle(o->stream), line ? ", " : "", line ? line : "");
  fflush(stderr);
  cl_state(L)->trace = now();
}

void cl_trace_ended(lua_State *L, CUresult code) {
  const uint64_t began = cl_state(L)->trace;
  if (!began) return;
  if (code == CUDA_ERROR_NOT_READY)
    fputs("captured\n", stderr);
  else if (code)
    fprintf(stderr, "%s\n", code == CL_INTERRUPTED ? "interrupted" : cl_code_text(code));
  else
    fprintf(stderr, "%.1f us\n", (double)(now() - began) * 1e-3);
}
