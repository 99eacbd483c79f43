/* Names and sentences of the driver's result codes. */
#include "driver/drv.h"

/* The machine does not know cuda.h, and has the codes that it ends with in base/device.h. */
#define SAME(ours, theirs) _Static_assert((int)ours == (int)CUDA_ERROR_##theirs, #ours)
SAME(SG_OUT_OF_MEMORY, OUT_OF_MEMORY);
SAME(SG_INVALID_PTX, INVALID_PTX);
SAME(SG_ILLEGAL_ADDRESS, ILLEGAL_ADDRESS);
SAME(SG_TIMEOUT, LAUNCH_TIMEOUT);
SAME(SG_ASSERTED, ASSERT);
SAME(SG_ILLEGAL_INSTRUCTION, ILLEGAL_INSTRUCTION);
SAME(SG_MISALIGNED, MISALIGNED_ADDRESS);
SAME(SG_INVALID_PC, INVALID_PC);
SAME(SG_LAUNCH_FAILED, LAUNCH_FAILED);
SAME(SG_NOT_SUPPORTED, NOT_SUPPORTED);
#undef SAME

#include <stdlib.h>
#include <string.h>

static const struct {
  CUresult code;
  const char *name, *text;
} table[] = {
#define R(name, text) {name, #name, text},
#include "driver/results.def"
#undef R
};

enum { RESULTS = sizeof table / sizeof table[0] };

static int find(CUresult code) {
  for (int i = 0; i < RESULTS; i++)
    if (table[i].code == code) return i;
  return -1;
}

const char *sg_error_name(CUresult code) {
  int i = find(code);
  return i < 0 ? NULL : table[i].name;
}

int sg_error_code(const char *text) {
  long n;
  if (sg_parse_int(text, 1, 9999, &n)) return (int)n;
  for (int i = 0; i < RESULTS; i++) {
    const char *name = table[i].name;
    if (strcmp(name, text) == 0) return (int)table[i].code;
    if (strncmp(name, "CUDA_ERROR_", 11) == 0 && strcmp(name + 11, text) == 0) return (int)table[i].code;
  }
  return -1;
}

static CUresult lookup(CUresult code, const char **out, bool text) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  int i = find(code);
  *out = i < 0 ? NULL : text ? table[i].text : table[i].name;
  return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SG_API CUresult cuGetErrorName(CUresult error, const char **pStr) {
  SG_CALL(SG_NEED_NOTHING, lookup(error, pStr, false), "error=%d", (int)error);
}

SG_API CUresult cuGetErrorString(CUresult error, const char **pStr) {
  SG_CALL(SG_NEED_NOTHING, lookup(error, pStr, true), "error=%d", (int)error);
}
