/* The primary context of each device: made when it is first retained, destroyed with the last release. */
#include "driver/drv.h"

/* --- exported: primary contexts --- */

static CUresult primary_retain(CUcontext *out, CUdevice dev) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  SgContext *ctx = d->primary;
  CUresult r = ctx ? CUDA_SUCCESS : sg_context_new(dev, d->primary_flags, 3020, true, &ctx);
  if (r) return r;
  d->primary_count++;
  *out = ctx->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, primary_retain(pctx, dev), "ctx=0x%llx dev=%d", SG_OUT(pctx), dev);
}

static CUresult primary_release(CUdevice dev) {
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  if (!d->primary_count) return CUDA_ERROR_INVALID_CONTEXT;
  if (--d->primary_count == 0 && d->primary) sg_context_free(d->primary);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_release(dev), "dev=%d", dev);
}

/* As of old: what was never retained can be released, a reset ends the counting, and flags are set before
 * there is a context (measured on an H200, driver 580). */
static CUresult primary_release_v1(CUdevice dev) {
  CUresult r = primary_release(dev);
  return r == CUDA_ERROR_INVALID_CONTEXT ? CUDA_SUCCESS : r;
}

SG_API CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_release_v1(dev), "dev=%d", dev);
}

/* Destroys the context, but takes no part in the counting: who retained it still has to release it. */
static CUresult primary_reset(CUdevice dev) {
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  if (d->primary) sg_context_free(d->primary);
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_reset(dev), "dev=%d", dev);
}

static CUresult primary_reset_v1(CUdevice dev) {
  CUresult r = primary_reset(dev);
  if (!r) sg_state.device[dev].primary_count = 0;
  return r;
}

SG_API CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
  SG_CALL(SG_NEED_INIT, primary_reset_v1(dev), "dev=%d", dev);
}

static CUresult primary_state(CUdevice dev, unsigned *flags, int *active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  *flags = d->primary ? d->primary->flags : d->primary_flags;
  *active = d->primary != NULL;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  SG_CALL(SG_NEED_INIT | SG_BESIDE, primary_state(dev, flags, active), "dev=%d flags=%llu active=%llu", dev,
          SG_OUT(flags), SG_OUT(active));
}

static CUresult primary_set_flags(CUdevice dev, unsigned flags) {
  if (!sg_ctx_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(dev)) return CUDA_ERROR_INVALID_DEVICE;
  SgDevice *d = &sg_state.device[dev];
  d->primary_flags = flags;
  if (d->primary) d->primary->flags = flags;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, primary_set_flags(dev, flags), "dev=%d flags=%u", dev, flags);
}

static CUresult primary_set_flags_v1(CUdevice dev, unsigned flags) {
  if (sg_ctx_flags_valid(flags) && sg_device_valid(dev) && sg_state.device[dev].primary)
    return CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
  return primary_set_flags(dev, flags);
}

SG_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, primary_set_flags_v1(dev, flags), "dev=%d flags=%u", dev, flags);
}
