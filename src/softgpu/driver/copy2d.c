/* Structured copies: boxes of bytes between host, device, array and unified memory, within a context and
 * between two. The four parameter blocks of the header become one form here, whose rules are checked in one
 * place. */
#include "driver/copy.h"
#include "driver/graph.h"

#include <stdio.h>

/* One end as the caller describes it. */
typedef struct Side {
  const char *what; /* "source" or "destination" */
  CUmemorytype type;
  size_t at[3]; /* x in bytes, y, z */
  uint64_t host, device;
  CUarray array;
  CUcontext ctx; /* of a peer copy */
  size_t pitch, height;
} Side;

typedef struct Box {
  Side dst, src;
  size_t extent[3]; /* width in bytes, height, depth */
  bool peer;
} Box;

static Box box_2d(const CUDA_MEMCPY2D *p) {
  return (Box){.dst = {.what = "destination",
                       .type = p->dstMemoryType,
                       .at = {p->dstXInBytes, p->dstY},
                       .host = SG_X(p->dstHost),
                       .device = p->dstDevice,
                       .array = p->dstArray,
                       .pitch = p->dstPitch},
               .src = {.what = "source",
                       .type = p->srcMemoryType,
                       .at = {p->srcXInBytes, p->srcY},
                       .host = SG_X(p->srcHost),
                       .device = p->srcDevice,
                       .array = p->srcArray,
                       .pitch = p->srcPitch},
               .extent = {p->WidthInBytes, p->Height, 1}};
}

/* The two 3D forms differ in what stands where the context of a peer copy is. Of their LOD and reserved
 * fields, which the documentation wants to be 0, the driver takes no notice (measured on an H200, driver
 * 580). */
#define SIDE_3D(p, end, what_)                                                                               \
  {                                                                                                          \
    .what = (what_), .type = (p)->end##MemoryType, .at = {(p)->end##XInBytes, (p)->end##Y, (p)->end##Z},     \
    .host = SG_X((p)->end##Host), .device = (p)->end##Device, .array = (p)->end##Array,                      \
    .pitch = (p)->end##Pitch, .height = (p)->end##Height                                                     \
  }

static Box box_3d(const CUDA_MEMCPY3D *p) {
  return (Box){.dst = SIDE_3D(p, dst, "destination"),
               .src = SIDE_3D(p, src, "source"),
               .extent = {p->WidthInBytes, p->Height, p->Depth}};
}

static Box box_peer(const CUDA_MEMCPY3D_PEER *p) {
  Box b = {.dst = SIDE_3D(p, dst, "destination"),
           .src = SIDE_3D(p, src, "source"),
           .extent = {p->WidthInBytes, p->Height, p->Depth},
           .peer = true};
  b.dst.ctx = p->dstContext;
  b.src.ctx = p->srcContext;
  return b;
}

/* --- the rules --- */

/* The steps of memory by its pitch and height: 0 means rows (slices) without gaps, as long as the offset and
 * the extent together (measured on an H200, driver 580). */
static bool steps(const Side *s, const size_t extent[3], size_t *pitch, size_t *height) {
  size_t width, rows;
  if (__builtin_add_overflow(s->at[0], extent[0], &width) ||
      __builtin_add_overflow(s->at[1], extent[1], &rows)) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy: offset and extent exceed 64 bits", s->what);
    return false;
  }
  if (s->pitch && s->pitch < width) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy: a pitch of %zu bytes, but rows of %zu bytes at offset %zu",
           s->what, s->pitch, extent[0], s->at[0]);
    return false;
  }
  if (s->height && s->height < rows) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy: slices of %zu rows, but %zu rows at row %zu are copied",
           s->what, s->height, extent[1], s->at[1]);
    return false;
  }
  *pitch = s->pitch ? s->pitch : width;
  *height = s->height ? s->height : rows;
  return true;
}

static bool times_plus(size_t a, size_t b, size_t c, size_t *out) {
  return !__builtin_mul_overflow(a, b, out) && !__builtin_add_overflow(*out, c, out);
}

/* The driver goes by the bounds of allocations alone. Of pageable memory nobody knows them, so that a wild
 * pitch would end the process, as it does there. */
static bool pitch_allowed(const Side *s, const SgEnd *e, size_t last_row) {
  size_t most = (size_t)sg_device_attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  if (e->place != SG_PAGEABLE || s->pitch <= most || !last_row) return true;
  sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy: a pitch of %zu bytes, at most %zu are allowed", s->what,
         s->pitch, most);
  return false;
}

static CUresult memory_end(const Side *s, const size_t extent[3], SgEnd *e) {
  size_t pitch, height, slice, row, offset, last, span;
  if (!steps(s, extent, &pitch, &height)) return CUDA_ERROR_INVALID_VALUE;
  if (!times_plus(s->at[2], height, s->at[1], &row) || !times_plus(row, pitch, s->at[0], &offset) ||
      !times_plus(extent[2] - 1, height, extent[1] - 1, &last) ||
      !times_plus(last, pitch, extent[0], &span)) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy: offset and extent exceed 64 bits", s->what);
    return CUDA_ERROR_INVALID_VALUE;
  }
  slice = pitch * height; /* used with depth > 1 only, where the last row proves that it fits */
  bool good = s->type == CU_MEMORYTYPE_HOST     ? sg_end_any(s->host, offset, span, s->what, e)
              : s->type == CU_MEMORYTYPE_DEVICE ? sg_end_device(s->device, offset, span, s->what, e)
                                                : sg_end_any(s->device, offset, span, s->what, e);
  e->pitch = pitch;
  e->slice = slice;
  return good && pitch_allowed(s, e, row + last) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult side_check(const Side *s) {
  if (s->type < CU_MEMORYTYPE_HOST || s->type > CU_MEMORYTYPE_UNIFIED) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy: %d is not a memory type", s->what, (int)s->type);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/* The context of a peer copy counts where the end is memory of a device. */
static CUresult peer_check(const Side *s, const SgEnd *e) {
  const SgContext *ctx;
  if (e->device < 0 || e->place == SG_IN_ARRAY) return CUDA_SUCCESS;
  CUresult r = sg_peer_context(s->ctx, &ctx);
  return r || sg_peer_matches(ctx, e, s->what) ? r : CUDA_ERROR_INVALID_VALUE;
}

static CUresult side_end(const Side *s, const Box *b, SgEnd *e) {
  CUresult r = s->type == CU_MEMORYTYPE_ARRAY ? sg_end_array(s->array, s->at, b->extent, s->what, e)
                                              : memory_end(s, b->extent, e);
  return r || !b->peer ? r : peer_check(s, e);
}

/* Between a device's memory and a 1D layered array the driver goes from layer to layer by the memory's pitch,
 * whatever its height is; with the host's memory it does not (measured on an H200, driver 580). */
static void ignore_height(const SgEnd *array, SgEnd *e, size_t depth) {
  bool device = e->place == SG_ON_DEVICE || e->place == SG_IN_MANAGED;
  if (!array->lines || !device || depth == 1 || e->slice == e->pitch) return;
  sg_say(
      CU_LOG_LEVEL_WARNING,
      "A copy between the device's memory and a 1D layered CUDA array: layers in memory are %zu bytes apart, "
      "its pitch; a height other than 1 is ignored",
      e->pitch);
  e->slice = e->pitch;
}

/* An empty box is allowed; its ends are not looked at. */
static CUresult box_copy(const Box *b, SgCopy *c, bool *empty) {
  *c = (SgCopy){.width = b->extent[0], .height = b->extent[1], .depth = b->extent[2]};
  *empty = !c->width || !c->height || !c->depth;
  if (*empty) return CUDA_SUCCESS;
  CUresult r = side_check(&b->dst);
  if (!r) r = side_check(&b->src);
  if (!r) r = side_end(&b->dst, b, &c->dst);
  if (!r) r = side_end(&b->src, b, &c->src);
  if (r) return r;
  ignore_height(&c->dst, &c->src, c->depth);
  ignore_height(&c->src, &c->dst, c->depth);
  return CUDA_SUCCESS;
}

static CUresult copy_box(const Box *b, CUstream stream, SgCopyHow how) {
  CUresult code;
  SgCopy c;
  bool empty;
  if (how == SG_COPY_SERIAL) sg_peer_settle(b->dst.ctx, b->src.ctx);
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  CUresult r = box_copy(b, &c, &empty);
  return r || empty ? r : sg_copy_submit(s, &c, how);
}

CUresult sg_copy_op(const CUDA_MEMCPY3D *p, SgOp **out) {
  const Box b = box_3d(p);
  SgCopy c;
  bool empty;
  CUresult r = box_copy(&b, &c, &empty);
  if (r || empty) return r ? r : CUDA_ERROR_INVALID_VALUE;
  return sg_copy_node(&c, out);
}

/* --- exported --- */

/* For the log; nothing of it where nobody reads it. */
static const char *describe(Box b) {
  static _Thread_local char text[320];
  static const char *const types[] = {"?", "host", "device", "array", "unified"};
  const Side *side[] = {&b.dst, &b.src};
  int n = snprintf(text, sizeof text, "extent=%zu,%zu,%zu", b.extent[0], b.extent[1], b.extent[2]);
  for (int i = 0; i < 2 && n > 0 && (size_t)n < sizeof text; i++) {
    const Side *s = side[i];
    bool known = s->type >= CU_MEMORYTYPE_HOST && s->type <= CU_MEMORYTYPE_UNIFIED;
    uint64_t where = s->type == CU_MEMORYTYPE_HOST    ? s->host
                     : s->type == CU_MEMORYTYPE_ARRAY ? SG_X(s->array)
                                                      : s->device;
    n += snprintf(text + n, sizeof text - (size_t)n, " %s=%s:0x%llx at=%zu,%zu,%zu pitch=%zu",
                  i ? "src" : "dst", types[known ? s->type : 0], (unsigned long long)where, s->at[0],
                  s->at[1], s->at[2], s->pitch);
  }
  return text;
}

#define TEXT(form, p) (sg_log_on && (p) ? describe(form(p)) : "")

static CUresult copy_2d(const CUDA_MEMCPY2D *p, CUstream stream, SgCopyHow how) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  Box b = box_2d(p);
  return copy_box(&b, stream, how);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *p, CUstream stream, SgCopyHow how) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  Box b = box_3d(p);
  return copy_box(&b, stream, how);
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream, SgCopyHow how) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  Box b = box_peer(p);
  return copy_box(&b, stream, how);
}

SG_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) {
  SG_CALL(SG_NEED_CONTEXT, copy_2d(pCopy, NULL, SG_COPY_PLAIN), "%s", TEXT(box_2d, pCopy));
}

SG_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) {
  SG_CALL(SG_NEED_CONTEXT, copy_2d(pCopy, NULL, SG_COPY_PLAIN), "%s", TEXT(box_2d, pCopy));
}

SG_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE | SG_BESIDE, copy_2d(pCopy, hStream, SG_COPY_ASYNC), "%s stream=0x%llx",
          TEXT(box_2d, pCopy), SG_X(hStream));
}

SG_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
  SG_CALL(SG_NEED_CONTEXT, copy_3d(pCopy, NULL, SG_COPY_PLAIN), "%s", TEXT(box_3d, pCopy));
}

SG_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE | SG_BESIDE, copy_3d(pCopy, hStream, SG_COPY_ASYNC), "%s stream=0x%llx",
          TEXT(box_3d, pCopy), SG_X(hStream));
}

SG_API CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) {
  SG_CALL(SG_NEED_CONTEXT, copy_3d_peer(pCopy, NULL, SG_COPY_SERIAL), "%s", TEXT(box_peer, pCopy));
}

SG_API CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE, copy_3d_peer(pCopy, hStream, SG_COPY_ASYNC), "%s stream=0x%llx",
          TEXT(box_peer, pCopy), SG_X(hStream));
}
