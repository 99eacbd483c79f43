/* The table of types. */
#include "base/types.h"

#include <stddef.h>
#include <string.h>

const struct cl_TypeRow cl_types[] = {
    [CL_T_UNKNOWN] = {"unknown", 0}, [CL_T_PTR] = {"pointer", 8},   [CL_T_BOOL] = {"bool", 1},
    [CL_T_I8] = {"int8", 1},         [CL_T_U8] = {"uint8", 1},      [CL_T_I16] = {"int16", 2},
    [CL_T_U16] = {"uint16", 2},      [CL_T_I32] = {"int32", 4},     [CL_T_U32] = {"uint32", 4},
    [CL_T_I64] = {"int64", 8},       [CL_T_U64] = {"uint64", 8},    [CL_T_X8] = {"integer8", 1},
    [CL_T_X16] = {"integer16", 2},   [CL_T_X32] = {"integer32", 4}, [CL_T_X64] = {"integer64", 8},
    [CL_T_F16] = {"float16", 2},     [CL_T_BF16] = {"bfloat16", 2}, [CL_T_F32] = {"float32", 4},
    [CL_T_F64] = {"float64", 8},     [CL_T_BYTES] = {"bytes", 0},
};

cl_Type cl_type_by_name(const char *name) {
  for (size_t i = 1; i < sizeof cl_types / sizeof *cl_types; i++)
    if (!strcmp(cl_types[i].name, name)) return (cl_Type)i;
  return CL_T_UNKNOWN;
}
