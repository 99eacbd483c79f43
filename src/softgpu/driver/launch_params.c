/* Launching as it was before cuLaunchKernel: block shape, shared memory and parameters are set on the
 * function, one by one, and stay there until they are set again or cuLaunchKernel is used. */
#include "driver/drv.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAM_BYTES = 4096 };

typedef struct SgOldState {
  unsigned block[3], shared;
  size_t size;
  uint8_t bytes[MAX_PARAM_BYTES];
} SgOldState;

/* The function, with its state made if it had none; NULL: *code. */
static SgFunction *with_state(CUfunction h, CUresult *code) {
  SgFunction *f = sg_handle_get(SG_H_FUNCTION, h, code);
  if (!f) return NULL;
  *code = sg_health(f->o.ctx);
  if (*code) return NULL;
  if (!f->old) {
    f->old = calloc(1, sizeof *f->old);
    if (f->old) f->old->block[0] = f->old->block[1] = f->old->block[2] = 1;
  }
  if (f->old) return f;
  *code = CUDA_ERROR_OUT_OF_MEMORY;
  return NULL;
}

static CUresult set_block(CUfunction h, int x, int y, int z) {
  CUresult code;
  SgFunction *f = with_state(h, &code);
  if (!f) return code;
  if (x < 1 || y < 1 || z < 1) return CUDA_ERROR_INVALID_VALUE;
  if ((uint64_t)x * (uint64_t)y > SG_MAX_THREADS ||
      (uint64_t)x * (uint64_t)y * (uint64_t)z > sg_kernel_info(f->kernel)->max_threads)
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned shape[3] = {(unsigned)x, (unsigned)y, (unsigned)z};
  memcpy(f->old->block, shape, sizeof shape);
  return CUDA_SUCCESS;
}

SG_API CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  SG_CALL(SG_NEED_CONTEXT, set_block(hfunc, x, y, z), "function=0x%llx block=%d,%d,%d", SG_X(hfunc), x, y, z);
}

static CUresult set_shared(CUfunction h, unsigned bytes) {
  CUresult code;
  SgFunction *f = with_state(h, &code);
  if (!f) return code;
  if (bytes > SG_SHARED_OPTIN) return CUDA_ERROR_INVALID_VALUE;
  f->old->shared = bytes;
  return CUDA_SUCCESS;
}

SG_API CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  SG_CALL(SG_NEED_CONTEXT, set_shared(hfunc, bytes), "function=0x%llx bytes=%u", SG_X(hfunc), bytes);
}

static CUresult set_size(CUfunction h, unsigned bytes) {
  CUresult code;
  SgFunction *f = with_state(h, &code);
  if (!f) return code;
  f->old->size = bytes; /* a launch says whether it is too much */
  return CUDA_SUCCESS;
}

SG_API CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  SG_CALL(SG_NEED_CONTEXT, set_size(hfunc, numbytes), "function=0x%llx bytes=%u", SG_X(hfunc), numbytes);
}

/* A GPU's driver writes wherever the offset says, and dies of some of that: here it is an error. */
static CUresult set_bytes(CUfunction h, int offset, const void *from, unsigned bytes) {
  CUresult code;
  SgFunction *f = with_state(h, &code);
  if (!f) return code;
  if (offset < 0 || offset > MAX_PARAM_BYTES || bytes > MAX_PARAM_BYTES - (unsigned)offset ||
      (!from && bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes) memcpy(f->old->bytes + offset, from, bytes);
  return CUDA_SUCCESS;
}

SG_API CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  SG_CALL(SG_NEED_CONTEXT, set_bytes(hfunc, offset, &value, sizeof value),
          "function=0x%llx offset=%d value=%u", SG_X(hfunc), offset, value);
}

SG_API CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  SG_CALL(SG_NEED_CONTEXT, set_bytes(hfunc, offset, &value, sizeof value),
          "function=0x%llx offset=%d value=%g", SG_X(hfunc), offset, (double)value);
}

SG_API CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes) {
  SG_CALL(SG_NEED_CONTEXT, set_bytes(hfunc, offset, ptr, numbytes), "function=0x%llx offset=%d bytes=%u",
          SG_X(hfunc), offset, numbytes);
}

static CUresult launch_old(CUfunction h, int width, int height, CUstream stream) {
  CUresult code;
  SgFunction *f = with_state(h, &code);
  if (!f) return code;
  if (width < 1 || height < 1) return CUDA_ERROR_INVALID_VALUE;
  const SgOldState *o = f->old;
  if (o->size > MAX_PARAM_BYTES) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  const unsigned grid[3] = {(unsigned)width, (unsigned)height, 1};
  return sg_launch_packed(h, grid, o->block, o->shared, stream, o->bytes, o->size);
}

SG_API CUresult cuLaunch(CUfunction f) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, launch_old(f, 1, 1, NULL), "function=0x%llx", SG_X(f));
}

SG_API CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, launch_old(f, grid_width, grid_height, NULL),
          "function=0x%llx grid=%d,%d", SG_X(f), grid_width, grid_height);
}

SG_API CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, launch_old(f, grid_width, grid_height, hStream),
          "function=0x%llx grid=%d,%d stream=0x%llx", SG_X(f), grid_width, grid_height, SG_X(hStream));
}
