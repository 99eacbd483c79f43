/* Reports a kernel's fault that no call has raised: the program closed the context without waiting for the
 * device again. */
#include "streams/context.h"
#include "streams/capture.h"
#include "streams/wait.h"

#include <stdio.h>
#include <string.h>

/* What all work of the context came to. Not while captures are on, which waiting would break. */
static CUresult wait_in(const cl_Context *c) {
  CUcontext popped;
  if (cl_captures || CU.cuCtxPushCurrent_v2((CUcontext)c->rec.handle)) return CUDA_SUCCESS;
  const CUresult code = cl_wait_context_anyway();
  CU.cuCtxPopCurrent_v2(&popped);
  return code;
}

void cl_tell_unseen(const cl_Context *c) {
  if (cl_poison[c->device]) return; /* it was told */
  const CUresult code = wait_in(c);
  if (!cl_code_sticky(code)) return;
  const char *text = cl_log_text();
  const char *kernel =
      text && strncmp(text, "kernel ", 7) == 0 ? NULL : c->last_kernel; /* it names its own */
  fprintf(
      stderr,
      "cudalua: a kernel failed that the program did not wait for%s%s: %s (%s)%s%s\n"
      "  hint: read a result or call cuda.Context.synchronize() before the end, which raises this error\n",
      kernel ? ", probably " : "", kernel ? kernel : "", cl_code_text(code), cl_code_name(code),
      text ? "\n  " : "", text ? text : "");
  cl_log_taken();
  for (int i = 0; i < CL_MAX_DEVICES; i++) cl_poison[i] = (int)code;
}
