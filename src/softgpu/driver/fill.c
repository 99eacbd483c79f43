/* Fills: the memsets, of elements of 1, 2 or 4 bytes, in a row or in rows. */
#include "driver/copy.h"
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct Fill {
  uint64_t dst;
  size_t pitch, width, height; /* width in elements, pitch in bytes */
  uint32_t value;
  uint32_t size; /* of an element: 1, 2, 4 */
} Fill;

typedef struct FillOp {
  SgOp op;
  Fill f;
  SgEnd end;
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
  if (!sg_end_alive(&o->end)) {
    sg_report("a fill found its memory freed when it ran: the free came before the fill's stream was "
              "synchronised, or the fill is in a graph that was launched after it");
    *code = CUDA_ERROR_ILLEGAL_ADDRESS;
    return 0;
  }
  for (size_t y = 0; y < o->f.height; y++) {
    fill_row((uint8_t *)(uintptr_t)(o->f.dst + y * o->f.pitch), &o->f);
    sg_memory_written(o->f.dst + y * o->f.pitch, o->f.width * o->f.size);
  }
  return SG_COPY_LATENCY_NS + o->f.width * o->f.size * o->f.height * 1000 / SG_DRAM_RATE;
}

/* --- as a node of a graph --- */

/* Rows may be filled elsewhere and with another value, but not more or fewer of them. */
static CUgraphExecUpdateResult fill_update(const SgOp *from, const SgOp *to) {
  const FillOp *a = (const FillOp *)from, *b = (const FillOp *)to;
  bool rows = a->f.height > 1 || b->f.height > 1;
  bool same = !rows || (a->f.pitch == b->f.pitch && a->f.width == b->f.width && a->f.height == b->f.height &&
                        a->f.size == b->f.size);
  return same && a->end.place == b->end.place && a->end.device == b->end.device
             ? CU_GRAPH_EXEC_UPDATE_SUCCESS
             : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

static void fill_describe(const SgOp *op, SgText *t) {
  const Fill *f = &((const FillOp *)op)->f;
  sg_text_add(t, "%zu x %zu elements of %u bytes with 0x%x at 0x%llx", f->width, f->height, f->size, f->value,
              (unsigned long long)f->dst);
}

static const SgNodeType fill_node = {
    .type = CU_GRAPH_NODE_TYPE_MEMSET, .update = fill_update, .describe = fill_describe};

/* --- making and queueing --- */

/* The operation of a fill that is allowed and not empty. */
static CUresult fill_new(const Fill *f, FillOp **out) {
  static const SgOpType type = {.name = "fill", .run = fill_run, .node = &fill_node};
  size_t row, skipped, span;
  bool rows = f->height > 1;
  if (__builtin_mul_overflow(f->width, (size_t)f->size, &row) ||
      __builtin_mul_overflow(rows ? f->pitch : 0, f->height - 1, &skipped) ||
      __builtin_add_overflow(row, skipped, &span)) {
    sg_say(CU_LOG_LEVEL_ERROR, "A fill of %zu rows of %zu elements of %u bytes exceeds 64 bits", f->height,
           f->width, f->size);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (f->dst % f->size || (rows && (f->pitch < row || f->pitch % f->size))) {
    sg_say(
        CU_LOG_LEVEL_ERROR,
        "A fill of rows of %zu elements of %u bytes at 0x%llx with a pitch of %zu: the address has to be a "
        "multiple of the element, and so has the pitch, which may not be less than a row",
        f->width, f->size, (unsigned long long)f->dst, f->pitch);
    return CUDA_ERROR_INVALID_VALUE;
  }
  SgEnd e;
  if (!sg_end_device(f->dst, 0, span, "destination", &e)) return CUDA_ERROR_INVALID_VALUE;
  FillOp *o = malloc(sizeof *o);
  if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
  *o = (FillOp){{.type = &type}, *f, e};
  *out = o;
  return CUDA_SUCCESS;
}

CUresult sg_fill_op(const CUDA_MEMSET_NODE_PARAMS *p, SgOp **out) {
  if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) return CUDA_ERROR_INVALID_VALUE;
  if (!p->width || !p->height) return CUDA_ERROR_INVALID_VALUE;
  FillOp *o;
  const Fill f = {p->dst, p->pitch, p->width, p->height, p->value, p->elementSize};
  CUresult r = fill_new(&f, &o);
  if (!r) *out = &o->op;
  return r;
}

void sg_fill_op_params(const SgOp *op, CUDA_MEMSET_NODE_PARAMS *p) {
  const Fill *f = &((const FillOp *)op)->f;
  *p = (CUDA_MEMSET_NODE_PARAMS){.dst = f->dst,
                                 .pitch = f->pitch,
                                 .value = f->value,
                                 .elementSize = f->size,
                                 .width = f->width,
                                 .height = f->height};
}

/* The forms without "Async" return early too, except where the host can see the bytes or the memory is set
 * to. */
static CUresult fill(Fill f, CUstream stream, bool plain) {
  CUresult code;
  FillOp *o;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (!f.width || !f.height) return CUDA_SUCCESS;
  if (plain && s->branch) return sg_capture_refuse(s, "A fill without \"Async\"");
  CUresult r = fill_new(&f, &o);
  if (r) return r;
  bool wait = plain && (o->end.sync || o->end.place == SG_PINNED || o->end.place == SG_IN_MANAGED);
  return wait ? sg_stream_submit_wait(s, &o->op) : sg_stream_submit(s, &o->op);
}

static CUresult fill_1d(CUdeviceptr dst, uint32_t value, uint32_t size, size_t n, CUstream stream,
                        bool plain) {
  return fill((Fill){dst, 0, n, 1, value, size}, stream, plain);
}

static CUresult fill_2d(CUdeviceptr dst, size_t pitch, uint32_t value, uint32_t size, size_t width,
                        size_t height, CUstream stream, bool plain) {
  return fill((Fill){dst, pitch, width, height, value, size}, stream, plain);
}

SG_API CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, fill_1d(dstDevice, uc, 1, N, NULL, true),
          "dst=0x%llx value=%u count=%zu", dstDevice, uc, N);
}

SG_API CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, fill_1d(dstDevice, us, 2, N, NULL, true),
          "dst=0x%llx value=%u count=%zu", dstDevice, us, N);
}

SG_API CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE, fill_1d(dstDevice, ui, 4, N, NULL, true),
          "dst=0x%llx value=%u count=%zu", dstDevice, ui, N);
}

SG_API CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, fill_1d(dstDevice, uc, 1, N, hStream, false),
          "dst=0x%llx value=%u count=%zu stream=0x%llx", dstDevice, uc, N, SG_X(hStream));
}

SG_API CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, fill_1d(dstDevice, us, 2, N, hStream, false),
          "dst=0x%llx value=%u count=%zu stream=0x%llx", dstDevice, us, N, SG_X(hStream));
}

SG_API CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, fill_1d(dstDevice, ui, 4, N, hStream, false),
          "dst=0x%llx value=%u count=%zu stream=0x%llx", dstDevice, ui, N, SG_X(hStream));
}

#define LOG_2D "dst=0x%llx pitch=%zu value=%u width=%zu height=%zu"

SG_API CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                                size_t Height) {
  SG_CALL(SG_NEED_CONTEXT, fill_2d(dstDevice, dstPitch, uc, 1, Width, Height, NULL, true), LOG_2D, dstDevice,
          dstPitch, uc, Width, Height);
}

SG_API CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                 size_t Height) {
  SG_CALL(SG_NEED_CONTEXT, fill_2d(dstDevice, dstPitch, us, 2, Width, Height, NULL, true), LOG_2D, dstDevice,
          dstPitch, us, Width, Height);
}

SG_API CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                 size_t Height) {
  SG_CALL(SG_NEED_CONTEXT, fill_2d(dstDevice, dstPitch, ui, 4, Width, Height, NULL, true), LOG_2D, dstDevice,
          dstPitch, ui, Width, Height);
}

SG_API CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                                  size_t Height, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, fill_2d(dstDevice, dstPitch, uc, 1, Width, Height, hStream, false),
          LOG_2D " stream=0x%llx", dstDevice, dstPitch, uc, Width, Height, SG_X(hStream));
}

SG_API CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                                   size_t Height, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, fill_2d(dstDevice, dstPitch, us, 2, Width, Height, hStream, false),
          LOG_2D " stream=0x%llx", dstDevice, dstPitch, us, Width, Height, SG_X(hStream));
}

SG_API CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                                   size_t Height, CUstream hStream) {
  SG_CALL(SG_NEED_HEALTH | SG_BESIDE, fill_2d(dstDevice, dstPitch, ui, 4, Width, Height, hStream, false),
          LOG_2D " stream=0x%llx", dstDevice, dstPitch, ui, Width, Height, SG_X(hStream));
}
