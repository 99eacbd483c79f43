/* CUDA arrays: memory in a layout of the driver's own, for textures. */
#ifndef CUDALUA_ARRAY_H
#define CUDALUA_ARRAY_H

#include "memory/memory.h"
#include "memory/collect.h"

typedef struct cl_Array {
  cl_Rec rec;
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  bool part;        /* of another object, which the driver destroys it with */
  uint32_t element; /* bytes of a texel; 0: of a block format, whose rows are not counted in texels */
} cl_Array;

/* Pushes an Array that is part of `owner` and goes with it: the driver destroys it. */
void cl_push_array_view(lua_State *L, CUarray array, cl_Rec *owner);

/* The bytes of a texel; 0: of a block format, or of planes. */
uint32_t cl_texel_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d);
/* The descriptor in the table at idx, whose fields are numbers. `name`: for messages. */
CUDA_ARRAY3D_DESCRIPTOR cl_check_descriptor(lua_State *L, int idx, const char *name);
/* Pushes what a descriptor has: width, height, depth, format, num_channels, flags. */
int cl_push_descriptor(lua_State *L, const CUDA_ARRAY3D_DESCRIPTOR *d);

#endif
