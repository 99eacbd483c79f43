/* Texts to the linker, each ending at a line "// next"; the result is loaded, and launched where that works.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

static void finish(CUlinkState l, uint64_t seed) {
  void *image = NULL;
  size_t size = 0;
  CUmodule m;
  const CUresult r = cuLinkComplete(l, &image, &size);
  if (r) return;
  PROMISED(image && size && ((const char *)image)[size - 1] == 0);
  char *copy = fuzz_text(image, size);
  PROMISED(cuLinkDestroy(l) == CUDA_SUCCESS);
  /* Inputs that were accepted one by one can still be no module together: but then the load says so. */
  if (cuModuleLoadData(&m, copy) == CUDA_SUCCESS) fuzz_module(m, seed);
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char mark[] = "\n// next\n";
  const uint64_t seed = fuzz_hash(data, size);
  char *text = fuzz_text(data, size), *at = text;
  CUlinkState l;
  fuzz_context();
  PROMISED(cuLinkCreate(0, NULL, NULL, &l) == CUDA_SUCCESS);
  for (int inputs = 0; inputs < 4 && at; inputs++) {
    char *end = strstr(at, mark);
    const size_t n = end ? (size_t)(end - at) : strlen(at);
    /* Exactly as many bytes as are said to be there; sometimes a NUL is one of them. */
    char *one = malloc(n + 1);
    if (!one) abort();
    memcpy(one, at, n);
    one[n] = 0;
    char *exact = realloc(one, n + (seed >> inputs & 1) + (n == 0));
    if (!exact) abort();
    cuLinkAddData(l, CU_JIT_INPUT_PTX, exact, n + (seed >> inputs & 1), inputs ? NULL : "first", 0, NULL,
                  NULL);
    free(exact);
    at = end ? end + sizeof mark - 1 : NULL;
  }
  free(text);
  finish(l, seed);
  cuLinkDestroy(l); /* refused where that is done already */
  return 0;
}
