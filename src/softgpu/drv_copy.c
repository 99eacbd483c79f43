/* Copies and fills. A device address is a host address, so both come down to memmove and loops; what the
 * file is about is which ranges are allowed, and when the host's bytes are read. */
#include "drv.h"

#include <stdlib.h>
#include <string.h>

/* Nominal rates of virtual time: bytes per microsecond, and the latency of an operation in ns. */
enum { PCIE_RATE = 25000, DRAM_RATE = 1000000, LATENCY_NS = 1500 };

typedef enum { PAGEABLE, PINNED, ON_DEVICE } Place;

typedef struct End {
  uint64_t p;
  Place place;
} End;

/* What lies at p. False: p is in device or pinned memory, but p + n is beyond its end. */
static bool end_of(uint64_t p, size_t n, End *e) {
  const SgAlloc *a = sg_arena_find(p);
  e->p = p;
  e->place = !a ? PAGEABLE : a->kind == SG_HOST ? PINNED : ON_DEVICE;
  return !a || n <= a->base + a->size - p;
}

static bool device_end(uint64_t p, size_t n, End *e, const char *what) {
  if (end_of(p, n, e) && e->place != PAGEABLE) return true;
  if (e->place == PAGEABLE) sg_note_stale("memory", p);
  sg_say(CU_LOG_LEVEL_ERROR,
         e->place == PAGEABLE
             ? "The %s 0x%llx of a copy or fill of %zu bytes is not device memory"
             : "The %s 0x%llx of a copy or fill of %zu bytes runs past the end of its allocation",
         what, (unsigned long long)p, n);
  return false;
}

static bool host_end(const void *p, size_t n, End *e) { return p && end_of(SG_X(p), n, e); }

/* --- copies --- */

typedef struct CopyOp {
  SgOp op;
  End dst, src;
  size_t n;
  uint8_t snapshot[]; /* of a pageable source */
} CopyOp;

/* Memory may have been freed between submission and now. */
static bool still_there(const End *e, size_t n) {
  End now;
  return e->place == PAGEABLE || (end_of(e->p, n, &now) && now.place == e->place);
}

static uint64_t copy_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)s;
  CopyOp *c = (CopyOp *)op;
  if (!still_there(&c->dst, c->n) || !still_there(&c->src, c->n)) {
    sg_report(
        "an asynchronous copy found its memory freed when it ran: the free came before the copy's stream was "
        "synchronised");
    *code = CUDA_ERROR_ILLEGAL_ADDRESS;
    return 0;
  }
  memmove((void *)(uintptr_t)c->dst.p, (const void *)(uintptr_t)c->src.p, c->n);
  bool inside = c->dst.place == ON_DEVICE && c->src.place == ON_DEVICE;
  return LATENCY_NS + c->n * 1000 / (inside ? DRAM_RATE : PCIE_RATE);
}

/* Submits a copy of checked ends. Bytes of pageable memory are taken now, those of pinned memory when the
 * copy runs (both measured on a GPU); a copy to pageable memory blocks. */
static CUresult submit_copy(SgStream *s, End dst, End src, size_t n, bool wait) {
  static const SgOpType type = {"copy", copy_run, NULL, NULL};
  bool snapshot = src.place == PAGEABLE && !wait;
  CopyOp *c = malloc(sizeof *c + (snapshot ? n : 0));
  if (!c && snapshot) { /* no room for the bytes: as good is to wait */
    snapshot = false;
    wait = true;
    c = malloc(sizeof *c);
  }
  if (!c) return CUDA_ERROR_OUT_OF_MEMORY;
  c->op.type = &type;
  c->dst = dst;
  c->src = src;
  c->n = n;
  if (snapshot) {
    memcpy(c->snapshot, (const void *)(uintptr_t)src.p, n);
    c->src.p = SG_X(c->snapshot);
  }
  return wait || dst.place == PAGEABLE ? sg_stream_submit_wait(s, &c->op) : sg_stream_submit(s, &c->op);
}

static CUresult copy_h2d(CUdeviceptr dst, const void *src, size_t n, CUstream stream, bool wait) {
  CUresult code;
  End d, s;
  SgStream *st = sg_stream_get(stream, &code);
  if (!st) return code;
  if (!n) return CUDA_SUCCESS;
  if (!device_end(dst, n, &d, "destination") || !host_end(src, n, &s)) return CUDA_ERROR_INVALID_VALUE;
  return submit_copy(st, d, s, n, wait);
}

static CUresult copy_d2h(void *dst, CUdeviceptr src, size_t n, CUstream stream, bool wait) {
  CUresult code;
  End d, s;
  SgStream *st = sg_stream_get(stream, &code);
  if (!st) return code;
  if (!n) return CUDA_SUCCESS;
  if (!device_end(src, n, &s, "source") || !host_end(dst, n, &d)) return CUDA_ERROR_INVALID_VALUE;
  return submit_copy(st, d, s, n, wait);
}

static CUresult copy_d2d(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream) {
  CUresult code;
  End d, s;
  SgStream *st = sg_stream_get(stream, &code);
  if (!st) return code;
  if (!n) return CUDA_SUCCESS;
  if (!device_end(dst, n, &d, "destination") || !device_end(src, n, &s, "source"))
    return CUDA_ERROR_INVALID_VALUE;
  return submit_copy(st, d, s, n, false);
}

/* The kind of copy follows from the addresses. */
static CUresult copy_any(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream, bool plain) {
  CUresult code;
  End d, s;
  SgStream *st = sg_stream_get(stream, &code);
  if (!st) return code;
  if (!n) return CUDA_SUCCESS;
  if (!dst || !src || !end_of(dst, n, &d) || !end_of(src, n, &s)) return CUDA_ERROR_INVALID_VALUE;
  bool inside = d.place == ON_DEVICE && s.place == ON_DEVICE;
  return submit_copy(st, d, s, n, plain && !inside);
}

SG_API CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT, copy_h2d(dstDevice, srcHost, ByteCount, NULL, true),
          "dst=0x%llx src=0x%llx bytes=%zu", dstDevice, SG_X(srcHost), ByteCount);
}

SG_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, copy_h2d(dstDevice, srcHost, ByteCount, hStream, false),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", dstDevice, SG_X(srcHost), ByteCount,
          SG_X(hStream));
}

SG_API CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT, copy_d2h(dstHost, srcDevice, ByteCount, NULL, true),
          "dst=0x%llx src=0x%llx bytes=%zu", SG_X(dstHost), srcDevice, ByteCount);
}

SG_API CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, copy_d2h(dstHost, srcDevice, ByteCount, hStream, false),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", SG_X(dstHost), srcDevice, ByteCount,
          SG_X(hStream));
}

SG_API CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT, copy_d2d(dstDevice, srcDevice, ByteCount, NULL), "dst=0x%llx src=0x%llx bytes=%zu",
          dstDevice, srcDevice, ByteCount);
}

SG_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, copy_d2d(dstDevice, srcDevice, ByteCount, hStream),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", dstDevice, srcDevice, ByteCount, SG_X(hStream));
}

SG_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT, copy_any(dst, src, ByteCount, NULL, true), "dst=0x%llx src=0x%llx bytes=%zu", dst,
          src, ByteCount);
}

SG_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, copy_any(dst, src, ByteCount, hStream, false),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", dst, src, ByteCount, SG_X(hStream));
}

/* --- fills --- */

typedef struct Fill {
  uint64_t dst;
  size_t pitch, width, height; /* width in elements, pitch in bytes */
  uint32_t value;
  uint32_t size; /* of an element: 1, 2, 4 */
} Fill;

typedef struct FillOp {
  SgOp op;
  Fill f;
  End end;
  size_t span; /* bytes from the first to the last one filled */
} FillOp;

static void fill_row(uint8_t *p, const Fill *f) {
  if (f->size == 1) {
    memset(p, (int)f->value, f->width);
  } else if (f->size == 2) {
    uint16_t v = (uint16_t)f->value, *q = (uint16_t *)(void *)p;
    for (size_t i = 0; i < f->width; i++) q[i] = v;
  } else {
    uint32_t *q = (uint32_t *)(void *)p;
    for (size_t i = 0; i < f->width; i++) q[i] = f->value;
  }
}

static uint64_t fill_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)s;
  FillOp *o = (FillOp *)op;
  if (!still_there(&o->end, o->span)) {
    sg_report(
        "an asynchronous fill found its memory freed when it ran: the free came before the fill's stream was "
        "synchronised");
    *code = CUDA_ERROR_ILLEGAL_ADDRESS;
    return 0;
  }
  for (size_t y = 0; y < o->f.height; y++) fill_row((uint8_t *)(uintptr_t)(o->f.dst + y * o->f.pitch), &o->f);
  return LATENCY_NS + o->f.width * o->f.size * o->f.height * 1000 / DRAM_RATE;
}

static CUresult fill(Fill f, CUstream stream) {
  static const SgOpType type = {"fill", fill_run, NULL, NULL};
  CUresult code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (!f.width || !f.height) return CUDA_SUCCESS;
  size_t row, skipped, span;
  if (__builtin_mul_overflow(f.width, (size_t)f.size, &row) ||
      __builtin_mul_overflow(f.pitch, f.height - 1, &skipped) || __builtin_add_overflow(row, skipped, &span))
    return CUDA_ERROR_INVALID_VALUE;
  bool rows = f.height > 1;
  if (f.dst % f.size || (rows && (f.pitch < row || f.pitch % f.size))) return CUDA_ERROR_INVALID_VALUE;
  End e;
  if (!device_end(f.dst, span, &e, "destination")) return CUDA_ERROR_INVALID_VALUE;
  FillOp *o = malloc(sizeof *o);
  if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
  *o = (FillOp){{.type = &type}, f, e, span};
  return sg_stream_submit(s, &o->op);
}

static CUresult fill_1d(CUdeviceptr dst, uint32_t value, uint32_t size, size_t n, CUstream stream) {
  return fill((Fill){dst, 0, n, 1, value, size}, stream);
}

static CUresult fill_2d(CUdeviceptr dst, size_t pitch, uint32_t value, uint32_t size, size_t width,
                        size_t height, CUstream stream) {
  return fill((Fill){dst, pitch, width, height, value, size}, stream);
}

SG_API CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  SG_CALL(SG_NEED_CONTEXT, fill_1d(dstDevice, uc, 1, N, NULL), "dst=0x%llx value=%u count=%zu", dstDevice, uc,
          N);
}

SG_API CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  SG_CALL(SG_NEED_CONTEXT, fill_1d(dstDevice, us, 2, N, NULL), "dst=0x%llx value=%u count=%zu", dstDevice, us,
          N);
}

SG_API CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  SG_CALL(SG_NEED_CONTEXT, fill_1d(dstDevice, ui, 4, N, NULL), "dst=0x%llx value=%u count=%zu", dstDevice, ui,
          N);
}

SG_API CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, fill_1d(dstDevice, uc, 1, N, hStream),
          "dst=0x%llx value=%u count=%zu stream=0x%llx", dstDevice, uc, N, SG_X(hStream));
}

SG_API CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, fill_1d(dstDevice, us, 2, N, hStream),
          "dst=0x%llx value=%u count=%zu stream=0x%llx", dstDevice, us, N, SG_X(hStream));
}

SG_API CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, fill_1d(dstDevice, ui, 4, N, hStream),
          "dst=0x%llx value=%u count=%zu stream=0x%llx", dstDevice, ui, N, SG_X(hStream));
}

#define LOG_2D "dst=0x%llx pitch=%zu value=%u width=%zu height=%zu"

SG_API CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                                size_t Height) {
  SG_CALL(SG_NEED_CONTEXT, fill_2d(dstDevice, dstPitch, uc, 1, Width, Height, NULL), LOG_2D, dstDevice,
          dstPitch, uc, Width, Height);
}

SG_API CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                 size_t Height) {
  SG_CALL(SG_NEED_CONTEXT, fill_2d(dstDevice, dstPitch, us, 2, Width, Height, NULL), LOG_2D, dstDevice,
          dstPitch, us, Width, Height);
}

SG_API CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                 size_t Height) {
  SG_CALL(SG_NEED_CONTEXT, fill_2d(dstDevice, dstPitch, ui, 4, Width, Height, NULL), LOG_2D, dstDevice,
          dstPitch, ui, Width, Height);
}

SG_API CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                                  size_t Height, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, fill_2d(dstDevice, dstPitch, uc, 1, Width, Height, hStream),
          LOG_2D " stream=0x%llx", dstDevice, dstPitch, uc, Width, Height, SG_X(hStream));
}

SG_API CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                   size_t Height, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, fill_2d(dstDevice, dstPitch, us, 2, Width, Height, hStream),
          LOG_2D " stream=0x%llx", dstDevice, dstPitch, us, Width, Height, SG_X(hStream));
}

SG_API CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                   size_t Height, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH, fill_2d(dstDevice, dstPitch, ui, 4, Width, Height, hStream),
          LOG_2D " stream=0x%llx", dstDevice, dstPitch, ui, Width, Height, SG_X(hStream));
}
