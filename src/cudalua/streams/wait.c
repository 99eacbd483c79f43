/* Waits that can be interrupted.
 *
 * On a GPU a wait asks the driver: for 20 us without a pause, then after pauses of a twentieth of the time
 * waited, at most 1 ms. When the work is done it makes the driver's own call, which returns at once and
 * prints what kernels have printed. A question to the software device runs work, so there a wait is the
 * driver's call, and the machine looks at the flag itself. */
#include "streams/wait.h"
#include "base/state.h"
#include "streams/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPIN_NS = 20000, PAUSE_NS = 1000000, PART = 20 };

/* --- the software device --- */

static _Atomic bool machine_saw; /* it stopped something, or gave up waiting */

static int machine_look(void) {
  if (!cl_interrupt_look()) return 0;
  atomic_store(&machine_saw, true);
  return 1;
}

static bool soft(void) {
  const cl_Driver *d = cl_driver();
  if (d->soft && d->interrupt) d->interrupt(machine_look);
  return d->soft;
}

/* Work that is submitted from now on may be stopped. */
static void listen(void) { soft(); }
CL_HOOK(cl_on_interrupts_on, 1, listen);

/* What it stopped, "" if nothing; asked for once. */
static void soft_sentence(char *text, size_t size) {
  text[0] = 0;
  if (cl_driver()->control) cl_driver()->control("interrupted", text, size, NULL);
  const size_t n = strlen(text);
  if (n && text[n - 1] == '\n') text[n - 1] = 0;
}

static CUresult soft_answer(CUresult code) {
  atomic_store(&cl_busy_with, NULL);
  return atomic_load(&machine_saw) ? CL_INTERRUPTED : code;
}

/* --- a GPU --- */

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

typedef CUresult (*Query)(void *handle);
static CUresult query_stream(void *s) { return CU.cuStreamQuery(s); }
static CUresult query_event(void *e) { return CU.cuEventQuery(e); }

/* Until the work is done, or the flag is up: CL_INTERRUPTED. Else the driver is to be called. */
static CUresult ask(Query query, void *handle) {
  CUresult code = CUDA_SUCCESS;
  const CUstreamCaptureMode mode = cl_relax();
  uint64_t start = 0;
  while (!cl_interrupt_look()) {
    if (query(handle) != CUDA_ERROR_NOT_READY) goto done;
    const uint64_t t = now();
    if (!start) start = t;
    if (t - start < SPIN_NS) {
      __builtin_ia32_pause();
      continue;
    }
    const uint64_t part = (t - start) / PART;
    const struct timespec pause = {0, part < PAUSE_NS ? (long)part : PAUSE_NS};
    nanosleep(&pause, NULL); /* a signal ends it early, which is what it is for */
  }
  code = CL_INTERRUPTED;
done:
  cl_unrelax(mode);
  cl_log_clear();
  return code;
}

/* An event behind all work of the current context, in streams of whomever; NULL: the driver knows no such. */
static CUevent behind_all(void) {
  CUcontext ctx = NULL;
  CUevent e = NULL;
  if (CU.cuCtxGetCurrent(&ctx) || !ctx || CU.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING)) return NULL;
  if (!CU.cuCtxRecordEvent(ctx, e)) return e;
  CU.cuEventDestroy_v2(e);
  cl_log_clear();
  return NULL;
}

/* For the default stream: behind all that its next operation waits for, which includes other streams. */
static CUresult ask_stream(CUstream s) {
  CUevent e = NULL;
  if (s || cl_captures) return ask(query_stream, s);
  if (CU.cuEventCreate(&e, CU_EVENT_DISABLE_TIMING)) return CUDA_SUCCESS; /* the driver's call says why */
  const CUresult code = CU.cuEventRecord(e, NULL) ? CUDA_SUCCESS : ask(query_event, e);
  CU.cuEventDestroy_v2(e);
  return code;
}

static CUresult ask_context(void) {
  const CUstreamCaptureMode mode = cl_relax();
  CUevent e = behind_all();
  cl_unrelax(mode);
  const CUresult code = e ? ask(query_event, e) : ask(query_stream, NULL);
  if (e) CU.cuEventDestroy_v2(e);
  return code;
}

/* --- what still runs after a wait that was given up --- */

static struct {
  CUcontext ctx;
  CUevent done;
  char kernel[128]; /* launched last, or "" */
} left;

static void forget_left(void) {
  CUcontext popped;
  if (left.done && !CU.cuCtxPushCurrent_v2(left.ctx)) {
    CU.cuEventDestroy_v2(left.done);
    CU.cuCtxPopCurrent_v2(&popped);
  }
  memset(&left, 0, sizeof left);
  cl_log_clear();
}

static void note_left(const char *kernel) {
  const CUstreamCaptureMode mode = cl_relax();
  forget_left();
  CU.cuCtxGetCurrent(&left.ctx);
  left.done = behind_all();
  snprintf(left.kernel, sizeof left.kernel, "%s", kernel ? kernel : "");
  cl_unrelax(mode);
}

/* still_running() -> the name of the kernel launched last before a wait that was given up, "" if it is not
 * known; nil: all that work is done */
int cl_still_running(lua_State *L) {
  if (!left.ctx) return 0;
  const CUstreamCaptureMode mode = cl_relax();
  bool runs = false;
  CUcontext popped;
  if (!cl_forked && left.done && !CU.cuCtxPushCurrent_v2(left.ctx)) {
    runs = CU.cuEventQuery(left.done) == CUDA_ERROR_NOT_READY;
    CU.cuCtxPopCurrent_v2(&popped);
  }
  lua_pushstring(L, left.kernel);
  if (!runs) forget_left();
  cl_unrelax(mode);
  cl_log_clear();
  return runs ? 1 : 0;
}

static void driver_gone(lua_State *L) {
  (void)L;
  memset(&left, 0, sizeof left);
  machine_saw = false;
}
CL_HOOK(cl_on_driver_reset, 3, driver_gone);

/* --- the waits --- */

static CUresult wait_stream(lua_State *L, CUstream s) {
  if (!cl_interrupts_here(L)) return CU.cuStreamSynchronize(s);
  const bool is_soft = soft();
  if (is_soft && cl_interrupt_look()) return CL_INTERRUPTED;
  atomic_store(&cl_busy_with, "work in a stream");
  if (is_soft) return soft_answer(CU.cuStreamSynchronize(s));
  const CUresult code = ask_stream(s);
  atomic_store(&cl_busy_with, NULL);
  return code ? code : CU.cuStreamSynchronize(s);
}

static CUresult wait_event(lua_State *L, CUevent e) {
  if (!cl_interrupts_here(L)) return CU.cuEventSynchronize(e);
  const bool is_soft = soft();
  if (is_soft && cl_interrupt_look()) return CL_INTERRUPTED;
  atomic_store(&cl_busy_with, "an event");
  if (is_soft) return soft_answer(CU.cuEventSynchronize(e));
  const CUresult code = ask(query_event, e);
  atomic_store(&cl_busy_with, NULL);
  return code ? code : CU.cuEventSynchronize(e);
}

static CUresult wait_context(lua_State *L) {
  if (!cl_interrupts_here(L)) return CU.cuCtxSynchronize();
  const bool is_soft = soft();
  if (is_soft && cl_interrupt_look()) return CL_INTERRUPTED;
  atomic_store(&cl_busy_with, "work in a context");
  if (is_soft) return soft_answer(CU.cuCtxSynchronize());
  const CUresult code = ask_context();
  atomic_store(&cl_busy_with, NULL);
  return code ? code : CU.cuCtxSynchronize();
}

static cl_Activity *begin(lua_State *L, const char *name) {
  return cl_is_profiling() ? cl_activity_begin(L, CL_A_WAIT, name, NULL, 0) : NULL;
}

static CUresult end(cl_Activity *a, CUresult code) {
  if (a) cl_activity_end(a, code);
  return code;
}

CUresult cl_wait_stream_slow(lua_State *L, CUstream s) {
  cl_Activity *a = begin(L, "wait for a stream");
  return end(a, wait_stream(L, s));
}

CUresult cl_wait_event_slow(lua_State *L, CUevent e) {
  cl_Activity *a = begin(L, "wait for an event");
  return end(a, wait_event(L, e));
}

CUresult cl_wait_context_slow(lua_State *L) {
  cl_Activity *a = begin(L, "wait for the device");
  return end(a, wait_context(L));
}

void cl_wait_before_slow(lua_State *L, bool whole_context) {
  CUcontext ctx = NULL;
  if (!cl_interrupts_here(L) || CU.cuCtxGetCurrent(&ctx) || !ctx) return;
  const CUresult code = whole_context ? cl_wait_context_slow(L) : cl_wait_stream_slow(L, NULL);
  /* Other errors are the call's to report. */
  if (code == CL_INTERRUPTED) cl_fail(L, whole_context ? "cuCtxSynchronize" : "cuStreamSynchronize", code);
}

void cl_interrupt_check_slow(lua_State *L) {
  if (cl_interrupts_here(L) && cl_interrupt_look()) cl_fail(L, "", CL_INTERRUPTED);
}

/* What the queue holds, and what is closed by name, is freed after the work of its context: on a GPU the
 * driver waits for that. */
static void before_close(lua_State *L) {
  if (!cl_captures && !cl_driver()->soft) cl_wait_before_slow(L, true);
}
CL_HOOK(cl_on_waiting_close, 1, before_close);

/* --- the error --- */

static void explain(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  (void)waited;
  if (code != CL_INTERRUPTED) return;
  char sentence[2304];
  lua_getfield(L, -1, "kernel"); /* of name_last_kernel() */
  const char *kernel = lua_tostring(L, -1);
  soft_sentence(sentence, sizeof sentence);
  if (*sentence) {
    lua_pushfstring(L, "interrupted: %s", sentence);
  } else if (!strcmp(call, "nvrtcCompileProgram")) {
    lua_pushliteral(L,
                    "interrupted: the compilation continues in the background, and its result is discarded");
  } else if (cl_driver()->soft || !cl_driver()->open || strncmp(call, "cu", 2) != 0) {
    lua_pushliteral(L, "interrupted");
  } else {
    note_left(kernel);
    lua_pushfstring(L,
                    kernel
                        ? "interrupted: the device is still running what was launched; the last kernel is %s"
                        : "interrupted: the device is still running what was started%s",
                    kernel ? kernel : "");
    lua_pushliteral(L, "nothing is lost: the work continues, and synchronize() waits for it again");
    lua_setfield(L, -4, "hint");
  }
  lua_setfield(L, -3, "message");
  lua_pop(L, 1);
  atomic_store(&machine_saw, false);
  cl_interrupt_take();
}
CL_HOOK(cl_on_failed_call, 3, explain);

/* Interrupts were turned off: the software device has nobody to ask any more. */
static void release(void) {
  if (cl_driver()->interrupt && !cl_forked) cl_driver()->interrupt(NULL);
  machine_saw = false;
}
CL_HOOK(cl_on_interrupts_off, 1, release);
