/* PTX text to cuModuleLoadDataEx, with options of the compiler that the text's hash chooses; what loads is
 * launched. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

typedef struct Options {
  CUjit_option name[8];
  void *value[8];
  unsigned n;
  char *log; /* for both logs, one behind the other */
  unsigned room[2];
} Options;

static void add(Options *o, CUjit_option name, uintptr_t value) {
  o->name[o->n] = name;
  o->value[o->n++] = (void *)value;
}

static Options choose(uint64_t seed) {
  static const unsigned rooms[] = {0, 1, 20, 4096};
  Options o = {.room = {rooms[seed & 3], rooms[seed >> 2 & 3]}};
  o.log = malloc(o.room[0] + o.room[1] + 1);
  if (!o.log) abort();
  if (seed >> 4 & 1) {
    add(&o, CU_JIT_INFO_LOG_BUFFER, (uintptr_t)o.log);
    add(&o, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, o.room[0]);
    add(&o, CU_JIT_LOG_VERBOSE, 1);
  }
  if (seed >> 5 & 1) {
    add(&o, CU_JIT_ERROR_LOG_BUFFER, (uintptr_t)(o.log + o.room[0]));
    add(&o, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, o.room[1]);
  }
  if (seed >> 6 & 1) add(&o, CU_JIT_MAX_REGISTERS, seed >> 20 & 255);
  if (seed >> 7 & 1) add(&o, CU_JIT_THREADS_PER_BLOCK, seed >> 28 & 2047);
  return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint64_t seed = fuzz_hash(data, size);
  char *text = fuzz_text(data, size);
  Options o = choose(seed);
  CUmodule m = NULL;
  CUlibrary l = NULL;
  const bool library = (seed >> 14 & 7) == 0;
  fuzz_context();
  const CUresult r = library ? cuLibraryLoadData(&l, text, o.name, o.value, o.n, NULL, NULL, 0)
                             : cuModuleLoadDataEx(&m, text, o.n, o.name, o.value);
  if (r)
    PROMISED(!m && !l && r != CUDA_ERROR_UNKNOWN && r != CUDA_ERROR_NOT_INITIALIZED);
  else if (library)
    fuzz_library(l, seed);
  else
    fuzz_module(m, seed);
  free(o.log);
  free(text);
  return 0;
}
