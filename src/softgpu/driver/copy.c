/* Copies between pointers, and the operation behind every copy. A device address is a host address, so a copy
 * comes down to memmove; what the file is about is which ranges are allowed, when the host's bytes are read,
 * and what is waited for. */
#include "driver/copy.h"
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

/* --- ends --- */

static SgPlace place_of(const SgAlloc *a) {
  return !a ? SG_PAGEABLE : sg_is_pinned(a) ? SG_PINNED : sg_is_managed(a) ? SG_IN_MANAGED : SG_ON_DEVICE;
}

static bool on_host(const SgEnd *e) { return e->place == SG_PAGEABLE || e->place == SG_PINNED; }

/* False: they reach beyond the first `bytes` of a, or for NULL, beyond the host's memory. */
static bool end_in(const SgAlloc *a, uint64_t bytes, uint64_t p, uint64_t offset, uint64_t span, SgEnd *e) {
  *e = (SgEnd){.place = place_of(a), .device = -1, .p = p + offset, .span = span};
  if (a) e->sync = a->sync_memops;
  if (a && !sg_is_pinned(a)) e->device = a->device;
  uint64_t room = a ? a->base + bytes - p : UINT64_MAX - p;
  return offset <= room && span <= room - offset;
}

static void say_past(const char *what, uint64_t p, uint64_t offset, uint64_t span) {
  sg_say(CU_LOG_LEVEL_ERROR,
         "The %s 0x%llx of a copy or fill runs past the end of its allocation: %llu bytes at offset %llu",
         what, (unsigned long long)p, (unsigned long long)span, (unsigned long long)offset);
}

bool sg_end_device(uint64_t p, uint64_t offset, uint64_t span, const char *what, SgEnd *e) {
  const SgAlloc *a = sg_arena_find(p);
  bool inside = end_in(a, a ? a->size : 0, p, offset, span, e);
  if (e->place == SG_PAGEABLE) {
    sg_note_stale("memory", p);
    sg_say(CU_LOG_LEVEL_ERROR, "The %s 0x%llx of a copy or fill of %llu bytes is not device memory", what,
           (unsigned long long)p, (unsigned long long)span);
    return false;
  }
  if (!inside) say_past(what, p, offset, span);
  return inside;
}

bool sg_end_any(uint64_t p, uint64_t offset, uint64_t span, const char *what, SgEnd *e) {
  if (!p) {
    sg_say(CU_LOG_LEVEL_ERROR, "The %s of a copy is NULL", what);
    return false;
  }
  const SgAlloc *a = sg_arena_find(p);
  if (!a && sg_arena_owns(p)) {
    sg_note_stale("memory", p);
    sg_say(CU_LOG_LEVEL_ERROR,
           "The %s 0x%llx of a copy is an address of the device, but no memory is allocated there", what,
           (unsigned long long)p);
    return false;
  }
  bool inside = end_in(a, a ? a->size : 0, p, offset, span, e);
  if (!inside) say_past(what, p, offset, span);
  return inside;
}

bool sg_end_alive(const SgEnd *e) {
  SgEnd now;
  if (e->place == SG_PAGEABLE) return true;
  if (e->place == SG_IN_ARRAY) return sg_handle_peek(SG_H_ARRAY, e->array, e->generation) != NULL;
  const SgAlloc *a = sg_arena_reach(e->p);
  return end_in(a, a ? sg_arena_bytes(a) : 0, e->p, 0, e->span, &now) && now.place == e->place;
}

/* --- the operation: plain bytes, and run() changes nothing in it --- */

typedef struct CopyOp {
  SgOp op;
  SgCopy copy;
  bool snapshot; /* the source's bytes are here, without gaps */
  uint8_t bytes[];
} CopyOp;

typedef struct Rows {
  uint8_t *p;
  size_t pitch, slice;
} Rows;

static Rows rows_of(const SgEnd *e) { return (Rows){(uint8_t *)(uintptr_t)e->p, e->pitch, e->slice}; }

static Rows packed(uint8_t *p, const SgCopy *c) { return (Rows){p, c->width, c->width * c->height}; }

static void move_box(Rows dst, Rows src, const SgCopy *c) {
  size_t width = c->width, height = c->height;
  if (dst.pitch == width && src.pitch == width) { /* rows without gaps: a slice is one row */
    width *= height;
    height = 1;
  }
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < height; y++)
      memmove(dst.p + z * dst.slice + y * dst.pitch, src.p + z * src.slice + y * src.pitch, width);
}

/* For the checks: the destination was written, or as much of it as the source was. */
static void note_box(const SgCopy *c, bool known) {
  const bool follows = c->dst.place == SG_ON_DEVICE || c->dst.place == SG_IN_ARRAY;
  if (!sg_arena_keeps_init || !follows) return;
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++) {
      const uint64_t to = c->dst.p + z * c->dst.slice + y * c->dst.pitch;
      if (known && (c->src.place == SG_ON_DEVICE || c->src.place == SG_IN_ARRAY))
        sg_memory_copied(to, c->src.p + z * c->src.slice + y * c->src.pitch, c->width);
      else
        sg_memory_written(to, c->width);
    }
}

/* Memory may have been freed between submission and now. */
static uint64_t copy_run(SgOp *op, SgStream *s, CUresult *code) {
  (void)s;
  CopyOp *o = (CopyOp *)op;
  const SgCopy *c = &o->copy;
  if (!sg_end_alive(&c->dst) || !(o->snapshot || sg_end_alive(&c->src))) {
    sg_report("a copy found its memory freed when it ran: the free came before the copy's stream was "
              "synchronised, or the copy is in a graph that was launched after it");
    *code = CUDA_ERROR_ILLEGAL_ADDRESS;
    return 0;
  }
  move_box(rows_of(&c->dst), o->snapshot ? packed(o->bytes, c) : rows_of(&c->src), c);
  note_box(c, !o->snapshot);
  bool inside = c->dst.device >= 0 && c->dst.device == c->src.device;
  return SG_COPY_LATENCY_NS + c->width * c->height * c->depth * 1000 / (inside ? SG_DRAM_RATE : SG_PCIE_RATE);
}

/* The row of `e` that comes after row i of c; UINT64_MAX: none. */
static uint64_t row_start(const SgCopy *c, const SgEnd *e, size_t i) {
  if (i == c->height * c->depth) return UINT64_MAX;
  return e->p + i / c->height * e->slice + i % c->height * e->pitch;
}

/* Do the ends share a byte? Rows of both are in order of address, so that one walk over them decides. */
static bool overlap(const SgCopy *c) {
  if (c->dst.p >= c->src.p + c->src.span || c->src.p >= c->dst.p + c->dst.span) return false;
  size_t i = 0, k = 0;
  for (;;) {
    uint64_t d = row_start(c, &c->dst, i), s = row_start(c, &c->src, k);
    if (d == UINT64_MAX || s == UINT64_MAX) return false;
    if (d < s ? s - d < c->width : d - s < c->width) return true;
    if (d < s)
      i++;
    else
      k++;
  }
}

/* --- as a node of a graph --- */

static CUgraphExecUpdateResult copy_update(const SgOp *from, const SgOp *to) {
  const SgCopy *a = &((const CopyOp *)from)->copy, *b = &((const CopyOp *)to)->copy;
  bool same = a->dst.place == b->dst.place && a->src.place == b->src.place &&
              a->dst.device == b->dst.device && a->src.device == b->src.device;
  return same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

static bool copy_is_waited_for(const SgOp *op) { return ((const CopyOp *)op)->copy.dst.place == SG_PAGEABLE; }

static void copy_describe(const SgOp *op, SgText *t) {
  const SgCopy *c = &((const CopyOp *)op)->copy;
  sg_text_add(t, "%zu x %zu x %zu bytes from 0x%llx to 0x%llx", c->width, c->height, c->depth,
              (unsigned long long)c->src.p, (unsigned long long)c->dst.p);
}

static const SgNodeType copy_node = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                                     .update = copy_update,
                                     .is_waited_for = copy_is_waited_for,
                                     .describe = copy_describe};

/* --- queueing --- */

/* What is allowed, but hardly meant. */
static void warn(const SgCopy *c) {
  if (c->dst.place == SG_IN_ARRAY && c->src.place == SG_IN_ARRAY && c->dst.element != c->src.element)
    sg_say(CU_LOG_LEVEL_WARNING,
           "A copy between CUDA arrays of different element sizes: %zu bytes into elements of %zu",
           c->src.element, c->dst.element);
  if (overlap(c))
    sg_say(CU_LOG_LEVEL_WARNING,
           "A copy's source and destination overlap: what it leaves there is undefined");
}

static CopyOp *copy_op(const SgCopy *c, bool snapshot) {
  static const SgOpType type = {.name = "copy", .run = copy_run, .node = &copy_node};
  CopyOp *o = malloc(sizeof *o + (snapshot ? c->width * c->height * c->depth : 0));
  if (!o) return NULL;
  *o = (CopyOp){.op = {.type = &type}, .copy = *c, .snapshot = snapshot};
  if (snapshot) move_box(packed(o->bytes, c), rows_of(&c->src), c);
  return o;
}

CUresult sg_copy_node(const SgCopy *c, SgOp **out) {
  warn(c);
  CopyOp *o = copy_op(c, false);
  if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = &o->op;
  return CUDA_SUCCESS;
}

/* An end as the parameters of a copy describe it: memory by its first byte, an array by what comes before
 * that. */
typedef struct Described {
  CUmemorytype type;
  uint64_t p;
  CUarray array;
  size_t x, y, z, pitch, height;
} Described;

static Described describe(const SgEnd *e) {
  const SgArray *a = e->place == SG_IN_ARRAY ? sg_handle_peek(SG_H_ARRAY, e->array, e->generation) : NULL;
  if (e->place == SG_IN_ARRAY) {
    const uint64_t at = a ? e->p - a->storage->base : 0, slice = a && a->slice ? a->slice : 1;
    const uint64_t pitch = a && a->pitch ? a->pitch : 1;
    return (Described){.type = CU_MEMORYTYPE_ARRAY,
                       .array = (CUarray)(uintptr_t)e->array,
                       .x = at % slice % pitch,
                       .y = at % slice / pitch,
                       .z = at / slice};
  }
  return (Described){.type = on_host(e)                 ? CU_MEMORYTYPE_HOST
                             : e->place == SG_ON_DEVICE ? CU_MEMORYTYPE_DEVICE
                                                        : CU_MEMORYTYPE_UNIFIED,
                     .p = e->p,
                     .pitch = e->pitch,
                     .height = e->pitch ? e->slice / e->pitch : 0};
}

void sg_copy_op_params(const SgOp *op, CUDA_MEMCPY3D *p) {
  const SgCopy *c = &((const CopyOp *)op)->copy;
  const Described d = describe(&c->dst), s = describe(&c->src);
  *p = (CUDA_MEMCPY3D){.srcXInBytes = s.x,
                       .srcY = s.y,
                       .srcZ = s.z,
                       .srcMemoryType = s.type,
                       .srcArray = s.array,
                       .srcPitch = s.pitch,
                       .srcHeight = s.height,
                       .dstXInBytes = d.x,
                       .dstY = d.y,
                       .dstZ = d.z,
                       .dstMemoryType = d.type,
                       .dstArray = d.array,
                       .dstPitch = d.pitch,
                       .dstHeight = d.height,
                       .WidthInBytes = c->width,
                       .Height = c->height,
                       .Depth = c->depth};
  if (s.type == CU_MEMORYTYPE_HOST)
    p->srcHost = (const void *)(uintptr_t)s.p;
  else
    p->srcDevice = s.p;
  if (d.type == CU_MEMORYTYPE_HOST)
    p->dstHost = (void *)(uintptr_t)d.p;
  else
    p->dstDevice = d.p;
}

/* Bytes of pageable memory are taken now, those of pinned memory when the copy runs (both measured on a GPU);
 * in a graph all are taken when it runs. The forms without "Async" wait unless both ends are on devices, and
 * neither asks for it; the others where pageable memory is written, or both ends are the host's. */
CUresult sg_copy_submit(SgStream *s, const SgCopy *c, SgCopyHow how) {
  bool from_host = on_host(&c->src), to_host = on_host(&c->dst);
  warn(c);
  if (s->branch) {
    if (how == SG_COPY_PLAIN || how == SG_COPY_SERIAL)
      return sg_capture_refuse(s, "A copy without \"Async\"");
    CopyOp *node = copy_op(c, false);
    return node ? sg_stream_submit(s, &node->op) : CUDA_ERROR_OUT_OF_MEMORY;
  }
  bool wait =
      how == SG_COPY_SERIAL || (how == SG_COPY_PLAIN ? from_host || to_host || c->dst.sync || c->src.sync
                                                     : c->dst.place == SG_PAGEABLE || (from_host && to_host));
  bool snapshot = !wait && (c->src.place == SG_PAGEABLE || (how == SG_COPY_NOW && from_host));
  CopyOp *o = copy_op(c, snapshot);
  if (!o && snapshot) { /* no room for the bytes: as good is to wait */
    wait = true;
    o = copy_op(c, false);
  }
  if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
  return wait ? sg_stream_submit_wait(s, &o->op) : sg_stream_submit(s, &o->op);
}

/* --- contexts of peer copies --- */

/* Addresses say where memory is, so that NULL does for a context (measured on an H200, driver 580, which
 * crashes on a context that was destroyed: here that is an error). */
CUresult sg_peer_context(CUcontext handle, const SgContext **ctx) {
  CUresult code;
  *ctx = NULL;
  if (!handle) return CUDA_SUCCESS;
  *ctx = sg_handle_get(SG_H_CONTEXT, handle, &code);
  if (*ctx) return sg_health(*ctx);
  return sg_handle_generation(SG_H_CONTEXT, handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                    : CUDA_ERROR_INVALID_CONTEXT;
}

/* By handle each time: a host function may let another thread destroy a context meanwhile. */
void sg_peer_settle(CUcontext a, CUcontext b) {
  const void *const handles[] = {a, b, sg_current_handle()};
  for (int i = 0; i < 3; i++) {
    SgContext *ctx = sg_handle_peek(SG_H_CONTEXT, handles[i], sg_handle_generation(SG_H_CONTEXT, handles[i]));
    if (ctx) sg_drain(ctx);
  }
}

bool sg_peer_matches(const SgContext *ctx, const SgEnd *e, const char *what) {
  if (!ctx || e->device < 0 || e->device == ctx->device) return true;
  sg_say(CU_LOG_LEVEL_ERROR, "The %s 0x%llx of a peer copy is on device %d, its context on device %d", what,
         (unsigned long long)e->p, e->device, ctx->device);
  return false;
}

/* --- in one piece: between pointers here, with a row of an array in driver/array.c --- */

static CUresult span_end(const SgSpan *m, size_t n, const char *what, SgEnd *e) {
  const SgContext *ctx;
  if (m->in == SG_FIRST_ROW)
    return sg_end_array(m->array, (size_t[]){m->at, 0, 0}, (size_t[]){n, 1, 1}, what, e);
  CUresult r = sg_peer_context(m->ctx, &ctx);
  if (r) return r;
  const bool good =
      m->in == SG_DEVICE_MEMORY ? sg_end_device(m->at, 0, n, what, e) : sg_end_any(m->at, 0, n, what, e);
  return good && sg_peer_matches(ctx, e, what) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sg_copy_span(SgSpan dst, SgSpan src, size_t n, CUstream stream, SgCopyHow how) {
  CUresult code;
  SgCopy c = {.width = n, .height = 1, .depth = 1};
  if (how == SG_COPY_SERIAL) sg_peer_settle(dst.ctx, src.ctx);
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (!n) return CUDA_SUCCESS;
  const bool src_first = src.in < dst.in;
  CUresult r = src_first ? span_end(&src, n, "source", &c.src) : span_end(&dst, n, "destination", &c.dst);
  if (!r) r = src_first ? span_end(&dst, n, "destination", &c.dst) : span_end(&src, n, "source", &c.src);
  return r ? r : sg_copy_submit(s, &c, how);
}

SG_API CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  SG_CALL(
      SG_NEED_CONTEXT | SG_BESIDE,
      sg_copy_span(sg_device_memory(dstDevice), sg_any_memory(SG_X(srcHost)), ByteCount, NULL, SG_COPY_PLAIN),
      "dst=0x%llx src=0x%llx bytes=%zu", dstDevice, SG_X(srcHost), ByteCount);
}

SG_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE | SG_BESIDE,
          sg_copy_span(sg_device_memory(dstDevice), sg_any_memory(SG_X(srcHost)), ByteCount, hStream,
                       SG_COPY_ASYNC),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", dstDevice, SG_X(srcHost), ByteCount,
          SG_X(hStream));
}

SG_API CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  SG_CALL(
      SG_NEED_CONTEXT | SG_BESIDE,
      sg_copy_span(sg_any_memory(SG_X(dstHost)), sg_device_memory(srcDevice), ByteCount, NULL, SG_COPY_PLAIN),
      "dst=0x%llx src=0x%llx bytes=%zu", SG_X(dstHost), srcDevice, ByteCount);
}

SG_API CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE | SG_BESIDE,
          sg_copy_span(sg_any_memory(SG_X(dstHost)), sg_device_memory(srcDevice), ByteCount, hStream,
                       SG_COPY_ASYNC),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", SG_X(dstHost), srcDevice, ByteCount,
          SG_X(hStream));
}

SG_API CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  SG_CALL(
      SG_NEED_CONTEXT | SG_BESIDE,
      sg_copy_span(sg_device_memory(dstDevice), sg_device_memory(srcDevice), ByteCount, NULL, SG_COPY_PLAIN),
      "dst=0x%llx src=0x%llx bytes=%zu", dstDevice, srcDevice, ByteCount);
}

SG_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                     CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE | SG_BESIDE,
          sg_copy_span(sg_device_memory(dstDevice), sg_device_memory(srcDevice), ByteCount, hStream,
                       SG_COPY_ASYNC),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", dstDevice, srcDevice, ByteCount, SG_X(hStream));
}

SG_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT | SG_BESIDE,
          sg_copy_span(sg_any_memory(dst), sg_any_memory(src), ByteCount, NULL, SG_COPY_PLAIN),
          "dst=0x%llx src=0x%llx bytes=%zu", dst, src, ByteCount);
}

SG_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE | SG_BESIDE,
          sg_copy_span(sg_any_memory(dst), sg_any_memory(src), ByteCount, hStream, SG_COPY_ASYNC),
          "dst=0x%llx src=0x%llx bytes=%zu stream=0x%llx", dst, src, ByteCount, SG_X(hStream));
}

/* --- between contexts --- */

#define LOG_PEER "dst=0x%llx dst_ctx=0x%llx src=0x%llx src_ctx=0x%llx bytes=%zu"

SG_API CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                             CUcontext srcContext, size_t ByteCount) {
  SG_CALL(SG_NEED_CONTEXT,
          sg_copy_span(sg_peer_memory(dstDevice, dstContext), sg_peer_memory(srcDevice, srcContext),
                       ByteCount, NULL, SG_COPY_SERIAL),
          LOG_PEER, dstDevice, SG_X(dstContext), srcDevice, SG_X(srcContext), ByteCount);
}

SG_API CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                  CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE,
          sg_copy_span(sg_peer_memory(dstDevice, dstContext), sg_peer_memory(srcDevice, srcContext),
                       ByteCount, hStream, SG_COPY_ASYNC),
          LOG_PEER " stream=0x%llx", dstDevice, SG_X(dstContext), srcDevice, SG_X(srcContext), ByteCount,
          SG_X(hStream));
}

/* --- batches --- */

/* Each attribute holds from its index to the next one's; false: they do not cover the copies. */
static bool batch_valid(const CUmemcpyAttributes *attrs, const size_t *at, size_t nattrs, size_t count) {
  if (!attrs || !at || !nattrs || nattrs > count || at[0]) return false;
  for (size_t i = 0; i < nattrs; i++) {
    if (i && (at[i] <= at[i - 1] || at[i] >= count)) return false;
    if (attrs[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
        attrs[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
        (attrs[i].flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE))
      return false;
  }
  return true;
}

/* One after the other: those before a bad one are done (measured on an H200, driver 580). Copies of 0 bytes
 * and the legacy stream are refused. */
static CUresult copy_batch(const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                           size_t count, const CUmemcpyAttributes *attrs, const size_t *at, size_t nattrs,
                           CUstream stream) {
  CUresult code;
  if (!sg_ctx() || !dsts || !srcs || !sizes || !count || !batch_valid(attrs, at, nattrs, count) ||
      (stream == NULL && !sg_zero_is_per_thread()) || stream == CU_STREAM_LEGACY)
    return CUDA_ERROR_INVALID_VALUE;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  for (size_t i = 0, k = 0; i < count; i++) {
    SgCopy c = {.width = sizes[i], .height = 1, .depth = 1};
    while (k + 1 < nattrs && at[k + 1] <= i) k++;
    if (!sizes[i] || !sg_end_any(dsts[i], 0, sizes[i], "destination", &c.dst) ||
        !sg_end_any(srcs[i], 0, sizes[i], "source", &c.src))
      return CUDA_ERROR_INVALID_VALUE;
    bool now = attrs[k].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    CUresult r = sg_copy_submit(s, &c, now ? SG_COPY_NOW : SG_COPY_ASYNC);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

SG_API CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                      CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                      CUstream hStream) {
  SG_CALL(SG_NEED_ALIVE, copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream),
          "count=%zu attrs=%zu stream=0x%llx", count, numAttrs, SG_X(hStream));
}
