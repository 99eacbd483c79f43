/* The types of kernel parameters and elements, by name as Lua writes them. */
#ifndef CUDALUA_TYPES_H
#define CUDALUA_TYPES_H

#include <stdint.h>

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

extern const struct cl_TypeRow {
  const char *name;
  uint32_t size;
} cl_types[];

static inline const char *cl_type_name(cl_Type t) { return cl_types[t].name; }
static inline uint32_t cl_type_size(cl_Type t) { return cl_types[t].size; } /* 0: not fixed by the type */
cl_Type cl_type_by_name(const char *name);

#endif
