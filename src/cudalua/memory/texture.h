/* Textures and surfaces: handles by which kernels read and write arrays, and memory that is looked at like
 * one. A handle is a number of its context. What it reads, its source, may be closed before it: then it is of
 * no use any more, and only closing it is left. */
#ifndef CUDALUA_TEXTURE_H
#define CUDALUA_TEXTURE_H

#include "memory/array.h"

typedef struct cl_Mipmap {
  cl_Rec rec;
  CUDA_ARRAY3D_DESCRIPTOR descriptor;
  uint32_t element, levels;
} cl_Mipmap;

/* The record of a CL_TEXTURE or a CL_SURFACE. */
typedef struct cl_Image {
  cl_Rec rec;     /* handle: CUtexObject or CUsurfObject */
  cl_Rec *source; /* retained: of an array, a mipmapped array, or memory; &cl_no_owner: a bare address */
} cl_Image;

/* The texture or surface at idx, alive or not; NULL: there is none. */
static inline const cl_Object *cl_to_image(lua_State *L, int idx) {
  const cl_Object *o = cl_to(L, idx);
  return o && (o->kind == CL_TEXTURE || o->kind == CL_SURFACE) ? o : NULL;
}

/* Can kernels of ctx be given it? Else `why` says what is the matter. */
bool cl_image_usable(const cl_Object *o, const cl_Context *ctx, char *why, size_t n);

/* After work that was given it was submitted to s, with its context current: as cl_memory_used(). A graph
 * that s is captured into keeps it and its source. */
void cl_image_used(lua_State *L, cl_Image *i, cl_Stream *s);

/* Pushes an object of that kind with a record that is not made yet, of the current context, and without a
 * source. What is at index 1 and 2 stays in its environment. May run finalizers. */
cl_Image *cl_push_image(lua_State *L, cl_Kind kind);
int cl_image_made(cl_Image *i, uint64_t handle);

/* Before the handle is destroyed: the driver does not wait for kernels that use it. */
CUresult cl_image_settle(void);
void cl_image_dispose(cl_Rec *r);
bool cl_image_held_back(const cl_Rec *r);
/* The bodies of close() and handle(). */
int cl_image_close(lua_State *L, cl_Kind kind, const char *call);
int cl_image_handle(lua_State *L, cl_Kind kind);

#endif
