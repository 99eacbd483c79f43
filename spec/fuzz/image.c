/* Any bytes to all that takes an image: modules from memory and from a file, and the linker. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

/* A binary image tells by itself how long it is, and a reader may trust the first bytes only; a text has its
 * NUL. */
static char *image_of(const uint8_t *data, size_t size) {
  static const char *const magic[] = {"\177ELF", "\x50\xed\x55\xba", "\xb1\x43\x62\x46", "!<arch>"};
  for (size_t i = 0; i < sizeof magic / sizeof *magic; i++) {
    const size_t n = strlen(magic[i]);
    if (size < n || memcmp(data, magic[i], n) != 0) continue;
    char *exact = malloc(size);
    if (!exact) abort();
    return memcpy(exact, data, size);
  }
  return fuzz_text(data, size);
}

static void from_file(const uint8_t *data, size_t size, uint64_t seed) {
  char name[64];
  CUmodule m;
  const int fd = memfd_create("fuzz", 0);
  if (fd < 0) return;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  if (write(fd, data, size) == (ssize_t)size && cuModuleLoad(&m, name) == CUDA_SUCCESS) fuzz_module(m, seed);
  close(fd);
}

static void to_linker(char *image, size_t size) {
  CUlinkState l;
  void *out;
  size_t bytes;
  for (unsigned type = 0; type <= CU_JIT_NUM_INPUT_TYPES; type++) {
    PROMISED(cuLinkCreate(0, NULL, NULL, &l) == CUDA_SUCCESS);
    cuLinkAddData(l, (CUjitInputType)type, image, size, "image", 0, NULL, NULL);
    cuLinkComplete(l, &out, &bytes);
    PROMISED(cuLinkDestroy(l) == CUDA_SUCCESS);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint64_t seed = fuzz_hash(data, size);
  char *image = image_of(data, size);
  CUmodule m;
  CUlibrary l;
  fuzz_context();
  if (cuModuleLoadData(&m, image) == CUDA_SUCCESS) fuzz_module(m, seed);
  fuzz_context();
  if (cuModuleLoadFatBinary(&m, image) == CUDA_SUCCESS) fuzz_module(m, seed);
  fuzz_context();
  if (cuLibraryLoadData(&l, image, NULL, NULL, 0, NULL, NULL, 0) == CUDA_SUCCESS) fuzz_library(l, seed);
  fuzz_context();
  if (size) to_linker(image, size);
  free(image);
  from_file(data, size, seed);
  return 0;
}
