/* What the fuzz targets share. A target is a program of libFuzzer's: it is fed any bytes, and must neither
 * crash nor leak nor hang; `./dev fuzz` builds and runs them. Their inputs are text, so that the corpus can
 * be read. */
#ifndef SPEC_FUZZ_H
#define SPEC_FUZZ_H

#include <cuda.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Choices that an input makes without a part of it that says so. */
uint64_t fuzz_hash(const uint8_t *data, size_t size);

/* The device has broken a promise: ends the program. */
_Noreturn void fuzz_bug(const char *promise);
#define PROMISED(what)                                                                                       \
  do {                                                                                                       \
    if (!(what)) fuzz_bug(#what);                                                                            \
  } while (0)

/* --- device.c --- */
void fuzz_start(void);   /* the driver, quiet, with a little memory and a short time limit */
void fuzz_context(void); /* makes sure that a context is current that no error has spoilt */
/* Asks a module about itself and launches each of its kernels; `seed` chooses sizes. Unloads it. */
void fuzz_module(CUmodule m, uint64_t seed);
void fuzz_library(CUlibrary l, uint64_t seed); /* the same */
/* The bytes and a NUL behind them; freed by the caller. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
