/* OpenGL, inside: what the calls about graphics resources (driver/graphics.c) ask of the GL context that is
 * current in the calling thread. No header and no library of OpenGL is needed: functions are looked up in the
 * library that the program has loaded. */
#ifndef SOFTGPU_GL_H
#define SOFTGPU_GL_H

#include "driver/drv.h"

/* --- the names of cudaGL.h, which needs OpenGL's headers --- */

typedef enum CUGLDeviceList {
  CU_GL_DEVICE_LIST_ALL = 1,
  CU_GL_DEVICE_LIST_CURRENT_FRAME = 2,
  CU_GL_DEVICE_LIST_NEXT_FRAME = 3
} CUGLDeviceList;

CUresult cuGLInit(void);
CUresult cuGLCtxCreate(CUcontext *pCtx, unsigned int Flags, CUdevice device);
CUresult cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device);
CUresult cuGLGetDevices(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices, unsigned int cudaDeviceCount,
                        CUGLDeviceList deviceList);
CUresult cuGLGetDevices_v2(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                           unsigned int cudaDeviceCount, CUGLDeviceList deviceList);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, unsigned buffer, unsigned int Flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, unsigned image, unsigned target,
                                   unsigned int Flags);
CUresult cuGLRegisterBufferObject(unsigned buffer);
CUresult cuGLUnregisterBufferObject(unsigned buffer);
CUresult cuGLSetBufferObjectMapFlags(unsigned buffer, unsigned int Flags);
CUresult cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, unsigned buffer);
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, unsigned buffer, CUstream hStream);
CUresult cuGLUnmapBufferObject(unsigned buffer);
CUresult cuGLUnmapBufferObjectAsync(unsigned buffer, CUstream hStream);

/* --- the current GL context (driver/gl.c) --- */

/* F(result, name, parameters): the functions of OpenGL that are called. */
#define SG_GL_FUNCTIONS(F)                                                                                   \
  F(void, GetIntegerv, (unsigned, int *))                                                                    \
  F(const unsigned char *, GetString, (unsigned))                                                            \
  F(unsigned, GetError, (void))                                                                              \
  F(unsigned char, IsBuffer, (unsigned))                                                                     \
  F(unsigned char, IsTexture, (unsigned))                                                                    \
  F(unsigned char, IsRenderbuffer, (unsigned))                                                               \
  F(unsigned char, IsEnabled, (unsigned))                                                                    \
  F(void, Enable, (unsigned))                                                                                \
  F(void, Disable, (unsigned))                                                                               \
  F(void, GenBuffers, (int, unsigned *))                                                                     \
  F(void, DeleteBuffers, (int, const unsigned *))                                                            \
  F(void, BindBuffer, (unsigned, unsigned))                                                                  \
  F(void, BufferData, (unsigned, ptrdiff_t, const void *, unsigned))                                         \
  F(void, GetBufferParameteri64v, (unsigned, unsigned, int64_t *))                                           \
  F(void, CopyBufferSubData, (unsigned, unsigned, ptrdiff_t, ptrdiff_t, ptrdiff_t))                          \
  F(void *, MapBufferRange, (unsigned, ptrdiff_t, ptrdiff_t, unsigned))                                      \
  F(unsigned char, UnmapBuffer, (unsigned))                                                                  \
  F(void, PixelStorei, (unsigned, int))                                                                      \
  F(void, BindTexture, (unsigned, unsigned))                                                                 \
  F(void, GetTexLevelParameteriv, (unsigned, int, unsigned, int *))                                          \
  F(void, GetTexImage, (unsigned, int, unsigned, unsigned, void *))                                          \
  F(void, TexSubImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))              \
  F(void, TexSubImage3D, (unsigned, int, int, int, int, int, int, int, unsigned, unsigned, const void *))    \
  F(void, GenTextures, (int, unsigned *))                                                                    \
  F(void, DeleteTextures, (int, const unsigned *))                                                           \
  F(void, TexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))                 \
  F(void, TexParameteri, (unsigned, unsigned, int))                                                          \
  F(void, BindRenderbuffer, (unsigned, unsigned))                                                            \
  F(void, GetRenderbufferParameteriv, (unsigned, unsigned, int *))                                           \
  F(void, GenFramebuffers, (int, unsigned *))                                                                \
  F(void, DeleteFramebuffers, (int, const unsigned *))                                                       \
  F(void, BindFramebuffer, (unsigned, unsigned))                                                             \
  F(void, FramebufferRenderbuffer, (unsigned, unsigned, unsigned, unsigned))                                 \
  F(void, FramebufferTexture2D, (unsigned, unsigned, unsigned, unsigned, int))                               \
  F(unsigned, CheckFramebufferStatus, (unsigned))                                                            \
  F(void, ReadPixels, (int, int, int, int, unsigned, unsigned, void *))                                      \
  F(void, BlitFramebuffer, (int, int, int, int, int, int, int, int, unsigned, unsigned))

typedef struct SgGl {
  void *context; /* EGLContext or GLXContext */
  bool es;       /* OpenGL ES, which cannot read textures */
#define F(result, name, parameters) result(*name) parameters;
  SG_GL_FUNCTIONS(F)
#undef F
} SgGl;

/* False: no context is current in this thread, or it lacks buffers that can be copied; that is said. */
bool sg_gl_current(SgGl *gl);

/* The size of a buffer, 0 if it has no storage; -1: there is no such buffer. */
int64_t sg_gl_buffer_size(const SgGl *gl, unsigned name);
/* False: OpenGL refused. */
bool sg_gl_buffer_read(const SgGl *gl, unsigned name, void *to, size_t bytes);
bool sg_gl_buffer_write(const SgGl *gl, unsigned name, const void *from, size_t bytes);

/* --- images (driver/gl_image.c) --- */

enum { SG_GL_LEVELS = 32 };

typedef struct SgGlImage {
  unsigned name, target;
  unsigned format;        /* OpenGL's internal one */
  CUarray_format channel; /* ... as CUDA has it */
  unsigned channels;
  unsigned transfer, type;     /* the format and type of its texels on the way */
  int levels;                  /* of mipmaps */
  int extent[SG_GL_LEVELS][3]; /* width, height, and depth or layers */
} SgGlImage;

/* What an image is like: 400 if there is none of that name and target, 1 if CUDA has no such format, 801 if
 * the software device lacks it. Errors are said. */
CUresult sg_gl_image_look(const SgGl *gl, unsigned name, unsigned target, SgGlImage *image);
/* The arrays that a level consists of: faces of a cube, layers. */
int sg_gl_image_parts(const SgGlImage *image, int level);
/* The texels of a level, row by row without gaps, part after part. */
size_t sg_gl_image_bytes(const SgGlImage *image, int level);
bool sg_gl_image_read(const SgGl *gl, const SgGlImage *image, int level, void *to);
bool sg_gl_image_write(const SgGl *gl, const SgGlImage *image, int level, const void *from);
bool sg_gl_target_layered(unsigned target); /* its parts are arrays of their own: a cube, 2D layers */
bool sg_gl_target_solid(unsigned target);   /* 3D */

#endif
