/* A kernel as the launcher sees it: owned by its module's record, shared by all Function userdata. */
#ifndef CUDALUA_LAUNCH_H
#define CUDALUA_LAUNCH_H

#include "streams/stream.h"

#include <string.h>

typedef enum cl_Type {
  CL_T_UNKNOWN, /* only its size is known */
  CL_T_PTR,
  CL_T_BOOL,
  CL_T_I8,
  CL_T_U8,
  CL_T_I16,
  CL_T_U16,
  CL_T_I32,
  CL_T_U32,
  CL_T_I64,
  CL_T_U64,
  CL_T_X8, /* integers of either sign: PTX does not say which */
  CL_T_X16,
  CL_T_X32,
  CL_T_X64, /* or a pointer */
  CL_T_F16,
  CL_T_BF16,
  CL_T_F32,
  CL_T_F64,
  CL_T_BYTES /* a struct or array, by value */
} cl_Type;

typedef struct cl_Param {
  cl_Type type;
  uint32_t offset, size;
  char *text; /* "const float *a", as messages show it; owned */
  /* pack.c: the last two pointers, as slots.h has them; of memory that remembers its streams? */
  uint64_t seen[2];
  bool seen_pooled[2];
} cl_Param;

/* Where a kernel's parameter types are known from; later ones say more. */
typedef enum cl_Source {
  CL_FROM_NOWHERE,
  CL_FROM_DRIVER,
  CL_FROM_PTX,
  CL_FROM_NAME,
  CL_FROM_COMPILER,
  CL_FROM_USER
} cl_Source;

typedef struct cl_Function {
  const char *name; /* interned: outlives the module */
  CUfunction f;
  bool layout_known; /* offsets and sizes come from the driver or from a full signature */
  uint32_t nparams;
  cl_Param *params;
  uint8_t *block;   /* parameter values, at their offsets; the driver copies them during the launch */
  void **pointers;  /* one into `block` per parameter */
  cl_Source source; /* of the types */
  char *warnings;   /* where sources contradict each other, one line each; owned */

  /* launch_limits.c */
  bool limits_known, shared_chosen; /* chosen: max_dynamic_shared_size_bytes was set by the user */
  int max_threads, static_shared, shared_free, shared_limit, shared_optin;
  int max_block[3], max_grid[3];
  int cluster[3];      /* that it was compiled for; 0: any */
  bool cluster_needed; /* the launch has to say which */
  struct cl_Fitting {  /* the last launch that was found to fit */
    uint64_t threads, blocks;
    unsigned shared, cluster[3];
  } cooperative, clustered;

  uint64_t packed; /* pack.c: how much had ended when `seen` was filled */

  /* prepare.c, params.c: what is set for launches to come */
  bool prepared, shape_checked;         /* checked: the two below are within the limits */
  unsigned block_shape[3], shared_size; /* block_shape[0] 0: none was set */
  struct cl_ParamSpace *space;          /* NULL: nothing was set */
  struct cl_Function *next;
} cl_Function;

typedef struct cl_Module {
  cl_Rec rec;
  cl_Function *functions;
} cl_Module;

typedef struct cl_FunctionObject {
  cl_Object o; /* rec: the module's */
  cl_Function *fn;
} cl_FunctionObject;

typedef struct cl_ScalarObject {
  cl_Object o;
  cl_Type type;
  uint32_t size;
  uint8_t bytes[16];
} cl_ScalarObject;

cl_Type cl_type_by_name(const char *name);
uint32_t cl_type_size(cl_Type t); /* 0: not fixed by the type */
const char *cl_type_name(cl_Type t);

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
#define CL_NOT_PACKED UINT64_MAX /* fn->packed once the types are other ones */
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

/* prepare.c: pushes what such a table would say of o; stream: the index of the Stream, or 0. */
void cl_push_launch(lua_State *L, const cl_Launch *o, int stream);

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

/* launch.c */

/* One launch of what cl_check_launch() found good. */
void cl_launch(lua_State *L, const cl_Function *fn, cl_Context *ctx, const cl_Launch *o, void **pointers);
/* After it, where cl_launch_slow() says so: what the arguments at first... are keeps them alive where that is
 * not the driver's business, and the kernel is waited for when debugging. The function is at index 1. */
void cl_launched(lua_State *L, const cl_Function *fn, int first, int nargs, cl_Stream *s);
extern _Atomic bool cl_launch_blocking_on; /* waits for each kernel */
static inline bool cl_launch_slow(bool pooled) {
  return __builtin_expect(pooled || cl_captures || cl_launch_blocking_on, 0);
}
/* The configuration and its attributes, for cuLaunchKernelEx and the questions about clusters. */
typedef struct cl_Config {
  CUlaunchConfig config;
  CUlaunchAttribute attributes[5];
} cl_Config;
void cl_make_config(const cl_Launch *o, cl_Config *c);

/* params.c */
void cl_params_free(cl_Function *fn);

/* layout.c: where the parameters lie and what they are. */
CUresult cl_layout_read(cl_Function *fn); /* as the driver tells */
void cl_layout_free(cl_Function *fn);

#endif
