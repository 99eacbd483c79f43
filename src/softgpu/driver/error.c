/* Names and sentences of the driver's result codes. */
#include "driver/drv.h"

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
