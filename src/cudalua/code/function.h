/* A kernel: owned by its module's record, shared by all Function userdata. */
#ifndef CUDALUA_FUNCTION_H
#define CUDALUA_FUNCTION_H

#include "streams/context.h"
#include "base/types.h"

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

#define CL_NOT_PACKED UINT64_MAX /* cl_Function.packed once the types are other ones */

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

  /* prepare.c: what is set for launches to come */
  bool prepared, shape_checked;         /* checked: the two below are within the limits */
  unsigned block_shape[3], shared_size; /* block_shape[0] 0: none was set */
  struct cl_Function *next;
  struct cl_Module *module;
} cl_Function;

typedef struct cl_References cl_References;

typedef struct cl_Module {
  cl_Rec rec;
  cl_Function *functions;
  cl_References *references; /* texref.c; NULL: none was asked for */
} cl_Module;

typedef struct cl_FunctionObject {
  cl_Object o; /* rec: the module's */
  cl_Function *fn;
} cl_FunctionObject;

/* The bytes of all parameters. */
static inline size_t cl_block_size(const cl_Function *fn) {
  const cl_Param *last = fn->nparams ? &fn->params[fn->nparams - 1] : NULL;
  return last ? last->offset + last->size : 0;
}

void cl_function_free(cl_Function *fn); /* with its module */

/* layout.c: where the parameters lie and what they are. */
CUresult cl_layout_read(cl_Function *fn); /* as the driver tells */
void cl_layout_free(cl_Function *fn);

#endif
