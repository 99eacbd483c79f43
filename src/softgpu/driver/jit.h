/* The options of cuModuleLoadDataEx and the cuLink calls, and what both do with an image (driver/jit.c). */
#ifndef SOFTGPU_JIT_H
#define SOFTGPU_JIT_H

#include "driver/drv.h"

/* A log buffer of the caller's. Its size option gives the room, and takes the number of bytes of text without
 * its NUL, or the room where the text was cut. */
typedef struct SgJitLog {
  char *text;
  size_t room, total; /* total: bytes of text, also those that found no room */
  void **size;
} SgJitLog;

typedef struct SgJit {
  SgJitLog info, error;
  void **wall_time;                             /* ms, as a float */
  void **threads_out;                           /* of CU_JIT_THREADS_PER_BLOCK */
  unsigned max_registers, threads, max_threads; /* 0: not given */
  int target;                                   /* compute capability of CU_JIT_TARGET; 0: not given */
  bool verbose, fallback, override;
  float ms; /* spent so far */
} SgJit;

typedef enum SgCodeKind { SG_IMAGE_PTX, SG_IMAGE_LINKED, SG_IMAGE_BINARY, SG_IMAGE_UNKNOWN } SgCodeKind;

/* What an image begins with. Of a text it sees no more than up to its NUL. */
SgCodeKind sg_code_kind(const void *image);

/* 0, or why the options are refused. The logs start out empty. */
CUresult sg_jit_read(SgJit *j, unsigned n, const CUjit_option *options, void **values);
/* Another line of a log. */
void sg_jit_log(SgJitLog *l, const char *format, ...) SG_PRINTF(2);
/* To the error log and to the log callbacks. Returns code. */
CUresult sg_jit_fail(SgJit *j, CUresult code, const char *format, ...) SG_PRINTF(3);
/* The same for what the compiler found in the text of that name. */
CUresult sg_jit_fail_at(SgJit *j, CUresult code, const char *name, const SgDiag *diag);
/* The image is no PTX: says why that is a failure. */
CUresult sg_jit_refuse(SgJit *j, SgCodeKind kind);
/* Compiles a NUL-terminated text under the options. Where it fails, diag says why, and nothing is logged. */
CUresult sg_jit_compile(SgJit *j, const SgContext *ctx, const char *ptx, SgDiag *diag, SgModule **out);

/* The whole file, NUL-terminated; NULL: cannot be read. */
char *sg_read_file(const char *name);

/* The first line of a linked image keeps the linker's options for the loader. */
void sg_image_options(const SgJit *j, char *line, size_t room);

#endif
