/* Launching kernels: arguments, options, limits, and the one call of the driver. */
#ifndef CUDALUA_LAUNCH_H
#define CUDALUA_LAUNCH_H

#include "code/function.h"
#include "streams/stream.h"

#include <string.h>

typedef struct cl_ScalarObject {
  cl_Object o;
  cl_Type type;
  uint32_t size;
  uint8_t bytes[16];
} cl_ScalarObject;

typedef enum cl_Converted { CL_OK, CL_OK_POOLED, CL_WRONG, CL_LATER } cl_Converted;
/* Writes the value at stack index idx as p->type to dst. CL_OK_POOLED: done, and it is memory whose release
 * does not wait for the kernel by itself (cl_memory_used). CL_WRONG: `why` says what is wrong; CL_LATER: a
 * value that the Lua side has to take apart first (cdata, handlers). */
cl_Converted cl_convert(lua_State *L, int idx, const cl_Param *p, const cl_Context *ctx, void *dst, char *why,
                        size_t why_size);

/* The common types; false: cl_convert() will do it, or say what is wrong. */
static inline bool cl_store_number(cl_Type t, double d, void *dst) {
  switch (t) {
  case CL_T_I32: {
    if (!(d >= INT32_MIN && d <= INT32_MAX)) return false;
    int32_t v = (int32_t)d;
    memcpy(dst, &v, sizeof v);
    return v == d;
  }
  case CL_T_U32: {
    if (!(d >= 0 && d <= UINT32_MAX)) return false;
    uint32_t v = (uint32_t)d;
    memcpy(dst, &v, sizeof v);
    return v == d;
  }
  case CL_T_U64:
    if (!(d >= 0)) return false;
    /* fall through */
  case CL_T_I64: {
    const double exact = 9007199254740992.0;
    if (!(d >= -exact && d <= exact)) return false;
    int64_t v = (int64_t)d;
    memcpy(dst, &v, sizeof v);
    return (double)v == d;
  }
  case CL_T_F32: {
    float f = (float)d;
    memcpy(dst, &f, sizeof f);
    return f - f == 0; /* finite */
  }
  case CL_T_F64: memcpy(dst, &d, sizeof d); return true;
  default: return false;
  }
}

/* pack.c: the arguments from stack index `first` on, as many as there are parameters, into fn->block. Raises
 * for what does not fit. Returns the number of parameters, or the first one whose value the Lua side has to
 * take apart (CL_LATER). `pooled` becomes true where CL_OK_POOLED came up. */
uint32_t cl_pack(lua_State *L, cl_Function *fn, int first, const cl_Context *ctx, bool *pooled);

/* Raised by whatever launches: "kernel: text", with the kernel as a field. */
int cl_launch_error(lua_State *L, const cl_Function *fn, cl_ErrorClass c, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
int cl_wrong_count(lua_State *L, const cl_Function *fn, const cl_Param *params, uint32_t nparams, size_t got)
    __attribute__((noreturn));
int cl_wrong_argument(lua_State *L, const cl_Function *fn, const cl_Param *params, uint32_t i,
                      const char *why) __attribute__((noreturn));

/* launch_options.c: what a launch is asked to be. It starts as {.grid = {1, 1, 1}}; block[0] 0: none was
 * given. */
typedef struct cl_Launch {
  unsigned block[3], grid[3];
  unsigned shared;
  bool time_kernel;
  unsigned with; /* of the following: what needs cuLaunchKernelEx */
  unsigned cluster[3];
  int priority, carveout;
  cl_Stream *stream; /* NULL: none was given */
  int first;         /* where the arguments lie on the stack, as many as there are parameters; 0: nowhere */
  bool offsets;      /* behind each that is memory stands an offset (array_run.c) */
} cl_Launch;
enum {
  CL_WITH_COOPERATIVE = 1,
  CL_WITH_CLUSTER = 2,
  CL_WITH_PRIORITY = 4,
  CL_WITH_PDL = 8,
  CL_WITH_CARVEOUT = 16
};

/* The options table at idx; `list`: numbers in it are arguments, and passed over. */
void cl_read_launch(lua_State *L, const cl_Function *fn, const cl_Context *ctx, int idx, bool list,
                    cl_Launch *o);
/* {x}, {x, y}, {x, y, z} or a number, at the positive index idx; absent extents are 1. */
void cl_read_extents(lua_State *L, const cl_Function *fn, const char *key, int idx, unsigned out[3]);
unsigned cl_read_shared(lua_State *L, const cl_Function *fn, const char *key, int idx);

/* launch_limits.c: the driver answers only "invalid value" to all that is too large; so it is told apart
 * here. */

/* Raises unless ctx, which is fn's, is current. */
void cl_check_current(lua_State *L, const cl_Function *fn, const cl_Context *ctx);
/* Raises unless ctx, which is fn's, is current and o is within all limits. Asks the driver for leave to use
 * more than 48 KiB of shared memory. Where o has no stream, it gets the current one. */
void cl_check_launch(lua_State *L, cl_Function *fn, cl_Context *ctx, cl_Launch *o);
/* What the functions below need; with fn's context current. */
void cl_read_limits(lua_State *L, cl_Function *fn, const cl_Context *ctx);
void cl_allow_shared(lua_State *L, cl_Function *fn, unsigned dynamic);

/* trace.c: CUDALUA_DEBUG=2 writes a line for each launch, and has it waited for. */
bool cl_trace_wanted(void);
void cl_trace_launch(lua_State *L, const cl_Function *fn, const cl_Launch *o);
/* Behind it. CUDA_ERROR_NOT_READY: it was captured. */
void cl_trace_ended(lua_State *L, CUresult code);

/* launch.c */

void cl_open_launch(void); /* called when the module is opened: reads the environment */
/* One launch of what cl_check_launch() found good. */
void cl_launch(lua_State *L, const cl_Function *fn, cl_Context *ctx, const cl_Launch *o, void **pointers);
/* After it, where cl_launch_slow() says so: what the arguments at first... are keeps them alive where that is
 * not the driver's business, and the kernel is waited for when debugging. The function is at index 1. */
void cl_launched(lua_State *L, const cl_Function *fn, int first, int nargs, cl_Stream *s);
/* record.c: keeps what the launch needs to be repeated elsewhere. The values are in fn->block, the function
 * is at index 1. Waits for all work of the context; raises what that answers. */
typedef struct cl_Recording cl_Recording;
void cl_record_launch(lua_State *L, cl_Recording *r, const cl_Function *fn, const cl_Context *ctx,
                      const cl_Launch *o, uint64_t number);
extern _Atomic bool cl_launch_blocking_on; /* waits for each kernel */
static inline bool cl_launch_slow(bool pooled) {
  return __builtin_expect(pooled || cl_captures || cl_launch_blocking_on, 0);
}
/* Behind a launch of the user's: each memory among the arguments may have been written. */
void cl_arguments_written(lua_State *L, int first, int nargs);
/* The configuration and its attributes, for cuLaunchKernelEx and the questions about clusters. */
typedef struct cl_Config {
  CUlaunchConfig config;
  CUlaunchAttribute attributes[5];
} cl_Config;
void cl_make_config(const cl_Launch *o, cl_Config *c);

#endif
