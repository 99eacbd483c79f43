/* Options of the driver's compiler (JIT) and linker, and what it says: shared by modules and linkers. */
#ifndef CUDALUA_JIT_H
#define CUDALUA_JIT_H

#include "base/base.h"

enum { CL_JIT_LOG = 8192, CL_JIT_BIG_LOG = 1 << 20, CL_JIT_OPTIONS = 48 };

typedef struct cl_Jit {
  unsigned n;
  CUjit_option ids[CL_JIT_OPTIONS];
  void *values[CL_JIT_OPTIONS]; /* the driver writes the results of some back into them */
  size_t room;                  /* of each log */
  char *info, *error;
} cl_Jit;

/* Fills j from the list {option, value, option, value ...} of numbers at idx (nil: none), which
 * lua/cudalua/driver/module.lua makes. `logs` is memory for both logs, 2 * room bytes, that lives as long as
 * the driver may write to it. */
void cl_jit_begin(lua_State *L, int idx, cl_Jit *j, char *logs, size_t room);
/* Both logs are strings from here on. True: the error log is full, a larger one would tell more. */
bool cl_jit_finish(cl_Jit *j);
/* Pushes {info_log=, error_log=, and the results by option: wall_time=, threads_per_block=}. */
void cl_jit_push_results(lua_State *L, const cl_Jit *j);
/* Adds log and info_log to the error on top of the stack. */
void cl_jit_add_logs(lua_State *L, const cl_Jit *j);

/* image.c: whether n bytes are a whole cubin, PTX or fatbin. The driver takes no length and trusts the
 * headers. */
bool cl_image_is_whole(const char *image, size_t n);
/* A cubin of -rdc=true. Measured: a driver loads it, and then its kernels are missing, or crash. */
bool cl_image_is_relocatable(const char *image, size_t n);
/* The image at idx, which is one; raises else. */
const char *cl_check_image(lua_State *L, int idx, size_t *n);

#endif
