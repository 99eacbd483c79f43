/* Copies, inside: what the copies of pointers (driver/copy.c), of boxes (driver/copy2d.c), of arrays
 * (driver/array.c) and the fills (driver/fill.c) share. Every copy is a box of bytes: rows, slices of rows,
 * and two ends that say where its rows lie. */
#ifndef SOFTGPU_COPY_H
#define SOFTGPU_COPY_H

#include "driver/drv.h"

/* Nominal rates of virtual time: bytes per microsecond, and the latency of an operation in ns. */
enum { SG_PCIE_RATE = 25000, SG_DRAM_RATE = 1000000, SG_COPY_LATENCY_NS = 1500 };

typedef enum SgPlace {
  SG_PAGEABLE, /* the host's own memory, of which the driver knows nothing */
  SG_PINNED,
  SG_ON_DEVICE,
  SG_IN_MANAGED,
  SG_IN_ARRAY
} SgPlace;

/* One end of a copy or fill. It holds no pointer into the operation, so that an operation is plain bytes. */
typedef struct SgEnd {
  SgPlace place;
  int device;          /* of memory on a device; -1: host memory */
  bool sync;           /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
  uint64_t p;          /* the first byte */
  size_t pitch, slice; /* bytes from row to row, from slice to slice */
  size_t span;         /* bytes from the first to the last one, gaps included */
  size_t element;      /* SG_IN_ARRAY: bytes of a texel, */
  bool lines;          /* whether the layers are 1D, */
  const void *array;   /* the handle and the use of it */
  uint32_t generation;
} SgEnd;

typedef struct SgCopy {
  SgEnd dst, src;
  size_t width, height, depth; /* bytes, rows, slices; none is 0 */
} SgCopy;

typedef enum SgCopyHow {
  SG_COPY_PLAIN, /* as the forms without "Async" */
  SG_COPY_ASYNC,
  SG_COPY_NOW,   /* asynchronous, but host memory is read during the call */
  SG_COPY_SERIAL /* as between contexts without a stream: after all before it, before all after it */
} SgCopyHow;

/* The `span` bytes at p + offset, of the memory that p points to: it has to be a device's or pinned, or may
 * be any but NULL. False: it is not, or they reach beyond its end, and that is said. `what` is "source" or
 * "destination". */
bool sg_end_device(uint64_t p, uint64_t offset, uint64_t span, const char *what, SgEnd *e);
bool sg_end_any(uint64_t p, uint64_t offset, uint64_t span, const char *what, SgEnd *e);
/* A box of an array, x and width in bytes; says what is wrong with it. */
CUresult sg_end_array(CUarray array, const size_t at[3], const size_t extent[3], const char *what, SgEnd *e);
/* Is that memory still there? */
bool sg_end_alive(const SgEnd *e);

/* Where an entry says that bytes are. If both ends are bad, the error is that of the end that is first here;
 * of two alike, the destination's. */
typedef enum SgIn { SG_FIRST_ROW, SG_DEVICE_MEMORY, SG_ANY_MEMORY } SgIn;
typedef struct SgSpan {
  SgIn in;
  uint64_t at;   /* SG_FIRST_ROW: bytes from its start; else an address */
  CUarray array; /* SG_FIRST_ROW: whose row it is */
  CUcontext ctx; /* of a peer copy, whose device must have the memory; or NULL */
} SgSpan;

static inline SgSpan sg_first_row(CUarray array, size_t at) {
  return (SgSpan){SG_FIRST_ROW, at, array, NULL};
}
static inline SgSpan sg_device_memory(uint64_t p) { return (SgSpan){SG_DEVICE_MEMORY, p, NULL, NULL}; }
static inline SgSpan sg_any_memory(uint64_t p) { return (SgSpan){SG_ANY_MEMORY, p, NULL, NULL}; }
static inline SgSpan sg_peer_memory(uint64_t p, CUcontext ctx) {
  return (SgSpan){SG_DEVICE_MEMORY, p, NULL, ctx};
}

/* What every entry does that copies n bytes in one piece. */
CUresult sg_copy_span(SgSpan dst, SgSpan src, size_t n, CUstream stream, SgCopyHow how);

/* Queues a copy of checked ends, and waits for it where the driver does. */
CUresult sg_copy_submit(SgStream *s, const SgCopy *c, SgCopyHow how);
/* Its operation, for a node of a graph. */
CUresult sg_copy_node(const SgCopy *c, SgOp **out);

/* The live context that a peer copy names, or NULL for none; else what is wrong with it. */
CUresult sg_peer_context(CUcontext handle, const SgContext **ctx);
/* Is this end on the context's device, or the host's? Says so where not. */
bool sg_peer_matches(const SgContext *ctx, const SgEnd *e, const char *what);
/* Runs all that is queued in these contexts and the current one: what a peer copy without a stream waits for.
 * NULL and dead ones are passed over. */
void sg_peer_settle(CUcontext a, CUcontext b);

#endif
