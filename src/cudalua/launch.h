/* A kernel as the launcher sees it: owned by its module's record, shared by all Function userdata. */
#ifndef CUDALUA_LAUNCH_H
#define CUDALUA_LAUNCH_H

#include "core.h"

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
  CL_T_F16,
  CL_T_BF16,
  CL_T_F32,
  CL_T_F64,
  CL_T_BYTES /* a struct or array, by value */
} cl_Type;

typedef struct cl_Param {
  cl_Type type;
  uint32_t offset, size;
  char text[64]; /* "const float *a", as messages show it */
} cl_Param;

typedef struct cl_Function {
  const char *name; /* interned: outlives the module */
  CUfunction f;
  bool layout_known; /* offsets and sizes come from the driver or from a full signature */
  uint32_t nparams;
  cl_Param *params;
  uint8_t *block;  /* parameter values, at their offsets; the driver copies them during the launch */
  void **pointers; /* one into `block` per parameter */
  bool limits_known;
  int max_threads, static_shared, shared_limit, shared_optin, shared_set;
  int max_block[3], max_grid[3];
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

#endif
