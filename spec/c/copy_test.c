/* Conformance of a CUDA driver's structured copies, peer copies, CUDA arrays and fills, through the driver
 * API alone: random boxes between every two kinds of memory against a plain loop over host bytes, what lies
 * just inside and just outside of the bounds, when the host's bytes are read. Each group runs in a process of
 * its own. What is expected holds for a GPU as well, except where a group asks for the software device. */
#include "check.h"

#include <stdint.h>

CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev);

static CUdevice dev;
static CUcontext ctx;
static CUstream stream;

static void start(void) {
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* 0 .. n - 1 */
static size_t below(size_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t)((seed >> 11) % n);
}

static void scramble(unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)below(256);
}

static void *grab(size_t n) {
  void *p = malloc(n);
  if (!p) exit(1);
  return p;
}

/* --- stores: some memory, and what has to be in it --- */

typedef enum Kind { PAGEABLE, PINNED, ON_DEVICE, MANAGED, ARRAY, KINDS } Kind;

typedef struct Store {
  Kind kind;
  size_t pitch, rows, slices; /* all of it; an array's rows are pitch bytes */
  size_t element;
  bool lines;          /* a 1D layered array */
  unsigned char *want; /* pitch * rows * slices bytes */
  void *host;
  CUdeviceptr device;
  CUarray array;
} Store;

static size_t bytes_of(const Store *s) { return s->pitch * s->rows * s->slices; }

static CUDA_MEMCPY3D whole_array(const Store *s) {
  CUDA_MEMCPY3D c = {0};
  c.WidthInBytes = s->pitch;
  c.Height = s->rows;
  c.Depth = s->slices;
  return c;
}

static void store_write(const Store *s) {
  if (s->kind == PAGEABLE || s->kind == PINNED) {
    memcpy(s->host, s->want, bytes_of(s));
  } else if (s->kind == ARRAY) {
    CUDA_MEMCPY3D c = whole_array(s);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = s->want;
    c.srcPitch = s->pitch;
    c.srcHeight = s->rows;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = s->array;
    OK(cuMemcpy3D(&c));
  } else {
    OK(cuMemcpyHtoD(s->device, s->want, bytes_of(s)));
  }
}

static void store_read(const Store *s, unsigned char *to) {
  if (s->kind == PAGEABLE || s->kind == PINNED) {
    memcpy(to, s->host, bytes_of(s));
  } else if (s->kind == ARRAY) {
    CUDA_MEMCPY3D c = whole_array(s);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = s->array;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = to;
    c.dstPitch = s->pitch;
    c.dstHeight = s->rows;
    OK(cuMemcpy3D(&c));
  } else {
    OK(cuMemcpyDtoH(to, s->device, bytes_of(s)));
  }
}

static CUarray array_like(size_t width, size_t height, size_t depth, size_t element, unsigned flags) {
  static const CUarray_format one[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8};
  static const CUarray_format two[] = {CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
                                       CU_AD_FORMAT_HALF};
  static const CUarray_format four[] = {CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
                                        CU_AD_FORMAT_FLOAT};
  CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, CU_AD_FORMAT_FLOAT, 1, flags};
  /* channels by size, then the format: 1 byte to 16 */
  d.NumChannels = element == 16 ? 4 : element == 8 && below(2) ? 4 : element == 8 ? 2 : element == 1 ? 1 : 0;
  if (!d.NumChannels) d.NumChannels = below(2) ? 1 : 2;
  size_t channel = element / d.NumChannels;
  d.Format = channel == 1 ? one[below(2)] : channel == 2 ? two[below(3)] : four[below(3)];
  CUarray a = NULL;
  OK(cuArray3DCreate(&a, &d));
  return a;
}

/* `flat`: one slice, for the 2D copies. */
static Store store_new(Kind kind, bool flat) {
  Store s = {.kind = kind, .element = 1};
  s.rows = 1 + below(12);
  s.slices = flat ? 1 : 1 + below(5);
  if (kind == ARRAY) {
    s.element = (size_t)1 << below(5);
    size_t width = 1 + below(30);
    bool layered = !flat && below(3) == 0;
    if (flat && below(4) == 0) { /* 1D */
      s.rows = 1;
      s.array = array_like(width, 0, 0, s.element, 0);
    } else if (layered && below(2)) {
      s.rows = 1;
      s.lines = true;
      s.array = array_like(width, 0, s.slices, s.element, CUDA_ARRAY3D_LAYERED);
    } else if (layered) {
      s.array = array_like(width, s.rows, s.slices, s.element, CUDA_ARRAY3D_LAYERED);
    } else {
      s.array = array_like(width, s.rows, flat ? 0 : s.slices, s.element, 0);
    }
    s.pitch = width * s.element;
  } else {
    s.pitch = 1 + below(200);
  }
  size_t n = bytes_of(&s);
  s.want = grab(n);
  scramble(s.want, n);
  if (kind == PAGEABLE) s.host = grab(n);
  if (kind == PINNED) OK(cuMemHostAlloc(&s.host, n, 0));
  if (kind == ON_DEVICE) OK(cuMemAlloc(&s.device, n));
  if (kind == MANAGED) OK(cuMemAllocManaged(&s.device, n, CU_MEM_ATTACH_GLOBAL));
  store_write(&s);
  return s;
}

static void store_check(const Store *s, int line, const char *what) {
  unsigned char *have = grab(bytes_of(s));
  store_read(s, have);
  size_t n = bytes_of(s), i = 0;
  while (i < n && have[i] == s->want[i]) i++;
  judge(i == n, line, "%s (kind %d): byte %zu of %zu is %d, expected %d", what, (int)s->kind, i, n,
        i < n ? have[i] : 0, i < n ? s->want[i] : 0);
  free(have);
}

static void store_free(Store *s) {
  if (s->kind == PAGEABLE) free(s->host);
  if (s->kind == PINNED) OK(cuMemFreeHost(s->host));
  if (s->kind == ON_DEVICE || s->kind == MANAGED) OK(cuMemFree(s->device));
  if (s->kind == ARRAY) OK(cuArrayDestroy(s->array));
  free(s->want);
}

/* How a copy may call it: by its own type, or as unified memory. */
static CUmemorytype type_of(const Store *s) {
  if (s->kind == ARRAY) return CU_MEMORYTYPE_ARRAY;
  if (below(3) == 0) return CU_MEMORYTYPE_UNIFIED;
  return s->kind == PAGEABLE || s->kind == PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static CUdeviceptr address_of(const Store *s) {
  return s->host ? (CUdeviceptr)(uintptr_t)s->host : s->device;
}

/* --- random boxes --- */

typedef struct Place {
  size_t x, y, z;
} Place;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t some_of(size_t n, size_t step) { return below(n / step + 1) * step; }

static void plain_copy(Store *dst, Place d, const Store *src, Place s, const size_t extent[3]) {
  for (size_t z = 0; z < extent[2]; z++)
    for (size_t y = 0; y < extent[1]; y++)
      for (size_t x = 0; x < extent[0]; x++)
        dst->want[((d.z + z) * dst->rows + d.y + y) * dst->pitch + d.x + x] =
            src->want[((s.z + z) * src->rows + s.y + y) * src->pitch + s.x + x];
}

/* Beside a 1D layered array the height of a device's memory is ignored: `lines` has the rule. */
static bool one_layer(const Store *array, const Store *memory) {
  return array->lines && memory->kind != ARRAY && memory->rows > 1;
}

/* A box that lies in both; places and width are multiples of both elements. */
static void choose(const Store *dst, const Store *src, size_t extent[3], Place *d, Place *s) {
  size_t step = dst->element > src->element ? dst->element : src->element;
  extent[0] = some_of(least(dst->pitch, src->pitch), step);
  extent[1] = 1 + below(least(dst->rows, src->rows));
  extent[2] = 1 + below(least(dst->slices, src->slices));
  if (one_layer(dst, src) || one_layer(src, dst)) extent[2] = 1;
  *d = (Place){some_of(dst->pitch - extent[0], step), below(dst->rows - extent[1] + 1),
               below(dst->slices - extent[2] + 1)};
  *s = (Place){some_of(src->pitch - extent[0], step), below(src->rows - extent[1] + 1),
               below(src->slices - extent[2] + 1)};
}

static CUresult copy_2d(const Store *dst, Place d, const Store *src, Place s, const size_t extent[3]) {
  CUDA_MEMCPY2D c = {0};
  c.srcXInBytes = s.x;
  c.srcY = s.y;
  c.srcMemoryType = type_of(src);
  c.srcHost = src->host;
  c.srcDevice = address_of(src);
  c.srcArray = src->array;
  c.srcPitch = src->kind == ARRAY ? below(1000) : src->pitch;
  c.dstXInBytes = d.x;
  c.dstY = d.y;
  c.dstMemoryType = type_of(dst);
  c.dstHost = dst->host;
  c.dstDevice = address_of(dst);
  c.dstArray = dst->array;
  c.dstPitch = dst->kind == ARRAY ? below(1000) : dst->pitch;
  c.WidthInBytes = extent[0];
  c.Height = extent[1];
  if (extent[1] == 1 && !s.y && below(4) == 0) c.srcPitch = 0;
  if (extent[1] == 1 && !d.y && below(4) == 0) c.dstPitch = 0;
  switch (below(3)) {
  case 0: return cuMemcpy2D(&c);
  case 1: return cuMemcpy2DUnaligned(&c);
  default: {
    CUresult r = cuMemcpy2DAsync(&c, stream);
    CUresult waited = cuStreamSynchronize(stream);
    return r ? r : waited;
  }
  }
}

#define FILL_3D(c)                                                                                           \
  do {                                                                                                       \
    (c).srcXInBytes = s.x;                                                                                   \
    (c).srcY = s.y;                                                                                          \
    (c).srcZ = s.z;                                                                                          \
    (c).srcMemoryType = type_of(src);                                                                        \
    (c).srcHost = src->host;                                                                                 \
    (c).srcDevice = address_of(src);                                                                         \
    (c).srcArray = src->array;                                                                               \
    (c).srcPitch = src->kind == ARRAY ? below(1000) : src->pitch;                                            \
    (c).srcHeight = src->kind == ARRAY ? below(1000) : src->rows;                                            \
    (c).dstXInBytes = d.x;                                                                                   \
    (c).dstY = d.y;                                                                                          \
    (c).dstZ = d.z;                                                                                          \
    (c).dstMemoryType = type_of(dst);                                                                        \
    (c).dstHost = dst->host;                                                                                 \
    (c).dstDevice = address_of(dst);                                                                         \
    (c).dstArray = dst->array;                                                                               \
    (c).dstPitch = dst->kind == ARRAY ? below(1000) : dst->pitch;                                            \
    (c).dstHeight = dst->kind == ARRAY ? below(1000) : dst->rows;                                            \
    (c).WidthInBytes = extent[0];                                                                            \
    (c).Height = extent[1];                                                                                  \
    (c).Depth = extent[2];                                                                                   \
    if (extent[2] == 1 && !s.z && below(3) == 0) (c).srcHeight = 0;                                          \
    if (extent[2] == 1 && !d.z && below(3) == 0) (c).dstHeight = 0;                                          \
  } while (0)

static CUresult copy_3d(const Store *dst, Place d, const Store *src, Place s, const size_t extent[3]) {
  CUresult r, waited;
  if (below(2)) {
    CUDA_MEMCPY3D c = {0};
    FILL_3D(c);
    if (below(2)) return cuMemcpy3D(&c);
    r = cuMemcpy3DAsync(&c, stream);
  } else {
    CUDA_MEMCPY3D_PEER c = {0};
    FILL_3D(c);
    c.srcContext = c.dstContext = ctx;
    if (below(2)) return cuMemcpy3DPeer(&c);
    r = cuMemcpy3DPeerAsync(&c, stream);
  }
  waited = cuStreamSynchronize(stream);
  return r ? r : waited;
}

static void random_boxes(bool flat) {
  start();
  for (int round = 0; round < 60; round++)
    for (int k = 0; k < KINDS * KINDS && !failed; k++) {
      Store dst = store_new((Kind)(k / KINDS), flat), src = store_new((Kind)(k % KINDS), flat);
      if (dst.kind == ARRAY)
        while (src.kind == ARRAY && src.element != dst.element) {
          store_free(&src);
          src = store_new(ARRAY, flat);
        }
      for (int i = 0; i < 4; i++) {
        size_t extent[3];
        Place d, s;
        choose(&dst, &src, extent, &d, &s);
        plain_copy(&dst, d, &src, s, extent);
        OK(flat ? copy_2d(&dst, d, &src, s, extent) : copy_3d(&dst, d, &src, s, extent));
        OK(cuCtxSynchronize());
        store_check(&dst, __LINE__, "destination");
        store_check(&src, __LINE__, "source");
      }
      store_free(&dst);
      store_free(&src);
    }
}

static void boxes_2d(void) { random_boxes(true); }
static void boxes_3d(void) { random_boxes(false); }

/* --- arrays --- */

static char reply[65536];

static long stat(const char *key) {
  OK(cuSoftgpuControl("stats", reply, sizeof reply, NULL));
  char *at = strstr(reply, key);
  return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

static CUresult try_array(size_t width, size_t height, size_t depth, unsigned format, unsigned channels,
                          unsigned flags) {
  CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, (CUarray_format)format, channels, flags}, back;
  CUDA_ARRAY_DESCRIPTOR flat;
  CUarray a;
  CUresult r = cuArray3DCreate(&a, &d);
  if (r) return r;
  memset(&back, 0xff, sizeof back);
  OK(cuArray3DGetDescriptor(&back, a));
  TRUE(back.Width == width && back.Height == height && back.Depth == depth && back.Format == d.Format &&
       back.NumChannels == channels && back.Flags == flags);
  OK(cuArrayGetDescriptor(&flat, a));
  TRUE(flat.Width == width && flat.Height == height && flat.NumChannels == channels);
  OK(cuArrayDestroy(a));
  return CUDA_SUCCESS;
}

static void arrays(void) {
  enum { U8 = 0x01, F32 = 0x20, LAYERED = 1, SURFACE = 2, CUBE = 4, GATHER = 8 };
  static const unsigned formats[] = {0x01, 0x02, 0x03, 0x08, 0x09, 0x0a, 0x10, 0x20};
  CUDA_ARRAY_DESCRIPTOR d = {8, 4, CU_AD_FORMAT_FLOAT, 2}, back;
  CUDA_ARRAY3D_DESCRIPTOR back3;
  CUarray a, b;
  start();
  OK(cuArrayCreate(&a, &d));
  OK(cuArrayGetDescriptor(&back, a));
  TRUE(back.Width == 8 && back.Height == 4 && back.Format == CU_AD_FORMAT_FLOAT && back.NumChannels == 2);
  OK(cuArray3DGetDescriptor(&back3, a));
  TRUE(back3.Width == 8 && back3.Height == 4 && back3.Depth == 0 && back3.Flags == 0);
  IS(1, cuArrayGetDescriptor(NULL, a));
  IS(1, cuArray3DGetDescriptor(NULL, a));
  IS(1, cuArrayCreate(NULL, &d));
  IS(1, cuArrayCreate(&b, NULL));
  IS(1, cuArray3DCreate(&b, NULL));
  OK(cuArrayDestroy(a));
  d.NumChannels = 3;
  IS(1, cuArrayCreate(&b, &d));
  d.NumChannels = 4;
  d.Width = 0;
  IS(1, cuArrayCreate(&b, &d));

  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    for (unsigned channels = 0; channels < 6; channels++) {
      CUresult want =
          channels == 1 || channels == 2 || channels == 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
      IS(want, try_array(10, 0, 0, formats[i], channels, 0));
      IS(want, try_array(10, 3, 0, formats[i], channels, SURFACE));
      IS(want, try_array(10, 3, 2, formats[i], channels, 0));
    }
  IS(1, try_array(10, 3, 0, 0x7777, 1, 0));
  IS(1, try_array(10, 3, 0, 0, 1, 0));
  OK(try_array(10, 0, 7, F32, 1, LAYERED));
  OK(try_array(10, 3, 7, F32, 1, LAYERED | SURFACE));
  OK(try_array(10, 10, 6, U8, 4, CUBE));
  OK(try_array(10, 10, 12, U8, 4, CUBE | LAYERED));
  OK(try_array(10, 10, 0, F32, 1, GATHER));
  IS(1, try_array(0, 0, 0, F32, 1, 0));
  IS(1, try_array(10, 0, 3, F32, 1, 0));       /* a 3D array needs a height */
  IS(1, try_array(10, 3, 0, F32, 1, LAYERED)); /* and layers a number of them */
  IS(1, try_array(10, 9, 6, F32, 1, CUBE));
  IS(1, try_array(10, 10, 5, F32, 1, CUBE));
  IS(1, try_array(10, 10, 12, F32, 1, CUBE));
  IS(1, try_array(10, 10, 13, F32, 1, CUBE | LAYERED));
  IS(1, try_array(10, 10, 0, F32, 1, CUBE));
  IS(1, try_array(10, 0, 0, F32, 1, GATHER));
  IS(1, try_array(10, 10, 0, F32, 1, CUDA_ARRAY3D_DEPTH_TEXTURE));
  IS(1, try_array(10, 10, 0, 0x02, 1, CUDA_ARRAY3D_DEPTH_TEXTURE));
  IS(1, try_array(10, 10, 0, F32, 1, CUDA_ARRAY3D_COLOR_ATTACHMENT));
  IS(1, try_array(10, 10, 0, F32, 1, 0x10000));
  for (unsigned i = 0; i < 12; i++) { /* normalised: unsigned, signed; 8, 16 bits; 1, 2, 4 channels */
    unsigned format = (unsigned)CU_AD_FORMAT_UNORM_INT8X1 + i;
    OK(try_array(10, 10, 0, format, 1u << i % 3, 0));
    IS(1, try_array(10, 10, 0, format, i % 3 ? 1 : 2, 0));
  }
  OK(try_array(10, 10, 0, CU_AD_FORMAT_UNORM_INT_101010_2, 4, 0));
  IS(1, try_array((size_t)1 << 40, 0, 0, U8, 1, 0));
  if (cuSoftgpuControl) { /* a driver (H200, 580) takes the lower 32 bits of both, and makes a smaller array
                           */
    IS(1, try_array(10, (size_t)1 << 40, 0, U8, 1, 0));
    IS(1, try_array(10, 10, (size_t)1 << 40, U8, 1, 0));
  }
  IS(1, try_array(SIZE_MAX, SIZE_MAX, SIZE_MAX, F32, 4, 0));
  int widest = 0;
  OK(cuDeviceGetAttribute(&widest, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, dev));
  OK(try_array((size_t)widest, 0, 0, U8, 1, 0));
  IS(1, try_array((size_t)widest + 1, 0, 0, U8, 1, 0));
}

/* What only the software device says for sure: leaks, memory, dead handles. */
static void array_lives(void) {
  CUarray a, b;
  size_t before, between, after, total;
  CUDA_ARRAY3D_DESCRIPTOR d3;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  start();
  long allocs = stat("live_allocs ");
  OK(cuMemGetInfo(&before, &total));
  a = array_like(1000, 1000, 0, 4, 0);
  OK(cuMemGetInfo(&between, &total));
  TRUE(before - between >= 4000000);
  EQ(stat("live_arrays "), 1);
  EQ(stat("live_allocs "), allocs); /* an array is not an allocation of the user's */
  OK(cuSoftgpuControl("leaks", reply, sizeof reply, NULL));
  TRUE(strstr(reply, "array 0x") != NULL);
  IS(1, cuArrayGetMemoryRequirements(&needs, a, dev));
  IS(1, cuArrayGetMemoryRequirements(NULL, a, dev));
  IS(1, cuArrayGetMemoryRequirements(&needs, a, 99));
  OK(cuArrayDestroy(a));
  OK(cuMemGetInfo(&after, &total));
  EQ(after, before);
  EQ(stat("live_arrays "), 0);
  IS(400, cuArrayDestroy(a));
  IS(400, cuArrayDestroy(NULL));
  IS(400, cuArray3DGetDescriptor(&d3, a));
  IS(400, cuMemcpyHtoA(a, 0, "abcd", 4));
  EQ(stat("stale "), 3);
  IS(2, try_array(16384, 16384, 16384, CU_AD_FORMAT_FLOAT, 4, 0));
  IS(801, try_array(10, 10, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SPARSE));
  IS(801, try_array(16, 16, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0));
  /* The texels have no address: what lies between two allocations is nobody's. */
  CUdeviceptr p, q;
  OK(cuMemAlloc(&p, 512));
  a = array_like(16384, 0, 0, 4, 0);
  OK(cuMemAlloc(&q, 512));
  TRUE(q > p + 65536);
  for (CUdeviceptr at = p + 512; at + 512 < q; at += 512) {
    IS(1, cuMemcpyDtoH(&needs, at, 1));
    IS(1, cuMemcpyDtoD(p, at, 1));
    IS(1, cuMemcpy(p, at, 1));
    IS(1, cuMemsetD8(at, 0, 1));
    IS(1, cuMemFree(at));
  }
  OK(cuMemFree(p));
  OK(cuMemFree(q));
  OK(cuArrayDestroy(a));

  /* Destroying waits for work that uses the array. */
  unsigned *h;
  unsigned char back[4] = {0};
  OK(cuMemHostAlloc((void **)&h, 64, 0));
  a = array_like(4, 0, 0, 4, 0);
  b = array_like(4, 0, 0, 4, 0);
  h[0] = 7;
  OK(cuMemcpyHtoAAsync(a, 0, h, 4, stream));
  OK(cuMemcpyAtoHAsync(h + 1, a, 0, 4, stream));
  OK(cuArrayDestroy(a));
  EQ(h[1], 7);
  OK(cuCtxDestroy(ctx));
  IS(709, cuArrayDestroy(b));
  OK(cuCtxCreate_v2(&ctx, 0, dev));
  IS(709, cuMemcpyAtoH(back, b, 0, 4));
  EQ(stat("live_arrays "), 0);
  EQ(stat("damaged "), 0);
}

/* The 1D copies: a byte offset into a row. */
static void array_rows(void) {
  start();
  for (int round = 0; round < 300 && !failed; round++) {
    Store a = {.kind = ARRAY, .rows = 1, .slices = 1, .element = (size_t)1 << below(5)};
    a.pitch = (1 + below(60)) * a.element;
    a.array = array_like(a.pitch / a.element, 0, 0, a.element, 0);
    a.want = grab(a.pitch);
    scramble(a.want, a.pitch);
    Store b = a;
    b.array = array_like(a.pitch / a.element, 0, 0, a.element, 0);
    b.want = grab(a.pitch);
    scramble(b.want, a.pitch);
    store_write(&a);
    store_write(&b);
    Store m = store_new((Kind)below(ARRAY), true);
    size_t n = some_of(least(a.pitch, bytes_of(&m)), a.element);
    size_t at = some_of(a.pitch - n, a.element), from = some_of(a.pitch - n, a.element);
    size_t off = below(bytes_of(&m) - n + 1);
    unsigned char *host = m.host;
    bool later = below(2);
    switch (below(3)) {
    case 0:
      memcpy(a.want + at, m.want + off, n);
      if (!host)
        OK(cuMemcpyDtoA(a.array, at, m.device + off, n));
      else if (later)
        OK(cuMemcpyHtoAAsync(a.array, at, host + off, n, stream));
      else
        OK(cuMemcpyHtoA(a.array, at, host + off, n));
      break;
    case 1:
      memcpy(m.want + off, a.want + at, n);
      if (!host)
        OK(cuMemcpyAtoD(m.device + off, a.array, at, n));
      else if (later)
        OK(cuMemcpyAtoHAsync(host + off, a.array, at, n, stream));
      else
        OK(cuMemcpyAtoH(host + off, a.array, at, n));
      break;
    default: memcpy(a.want + at, b.want + from, n); OK(cuMemcpyAtoA(a.array, at, b.array, from, n));
    }
    OK(cuCtxSynchronize());
    store_check(&a, __LINE__, "array");
    store_check(&b, __LINE__, "other array");
    store_check(&m, __LINE__, "memory");
    store_free(&a);
    store_free(&b);
    store_free(&m);
  }
}

static void array_row_rules(void) {
  unsigned char host[256] = {0};
  CUdeviceptr p;
  start();
  CUarray a = array_like(16, 0, 0, 4, 0), b = array_like(16, 0, 0, 2, 0), flat = array_like(16, 4, 0, 4, 0);
  OK(cuMemAlloc(&p, 64));
  OK(cuMemcpyHtoA(a, 0, host, 64));
  IS(1, cuMemcpyHtoA(a, 0, host, 68));
  OK(cuMemcpyHtoA(a, 60, host, 4));
  IS(1, cuMemcpyHtoA(a, 64, host, 4));
  IS(1, cuMemcpyHtoA(a, 60, host, 8));
  IS(1, cuMemcpyHtoA(a, SIZE_MAX - 3, host, 8));
  IS(1, cuMemcpyHtoAAsync(a, 60, host, 8, stream));
  IS(1, cuMemcpyAtoH(host, a, 4, 64));
  IS(1, cuMemcpyAtoHAsync(host, a, 4, 64, stream));
  IS(1, cuMemcpyAtoD(p, a, 4, 64));
  IS(1, cuMemcpyAtoD(p + 4, a, 0, 64)); /* past the end of the allocation */
  IS(1, cuMemcpyDtoA(a, 0, p + 4, 64));
  IS(1, cuMemcpyAtoA(a, 4, a, 0, 64));
  OK(cuMemcpyHtoA(b, 2, host, 6));
  OK(cuMemcpyHtoA(a, 0, host, 0));
  OK(cuMemcpyHtoA(flat, 0, host, 64)); /* the first row only */
  IS(1, cuMemcpyHtoA(flat, 0, host, 65));
  IS(1, cuMemcpyHtoA(flat, 64, host, 64));
  OK(cuMemcpyAtoA(b, 0, a, 0, 16)); /* elements of different sizes: bytes are copied */
  for (unsigned i = 0; i < 64; i++) host[i] = (unsigned char)(i + 1);
  OK(cuMemcpyHtoA(a, 2, host, 4)); /* not on an element's edge */
  OK(cuMemcpyHtoA(a, 8, host, 6));
  OK(cuMemcpyAtoH(host + 64, a, 0, 16));
  TRUE(memcmp(host + 64, "\0\0\1\2\3\4\0\0\1\2\3\4\5\6\0\0", 16) == 0);
  IS(1, cuMemcpyHtoA(NULL, 0, host, 4));
  IS(1, cuMemcpyDtoA(a, 0, 0x1000, 4));
}

/* --- 1D layered arrays --- */

/* In a device's memory their layers are a pitch apart, whatever the height says; in the host's they are not.
 */
static void lines(void) {
  enum { PITCH = 50, HEIGHT = 3, SLICE = PITCH * HEIGHT, BYTES = 900 };
  CUdeviceptr p, managed;
  unsigned char from[BYTES], have[BYTES], *pinned, layers[48], back[48];
  start();
  CUarray a = array_like(8, 0, 6, 1, CUDA_ARRAY3D_LAYERED);
  OK(cuMemAlloc(&p, BYTES));
  OK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemHostAlloc((void **)&pinned, BYTES, 0));
  CUDA_MEMCPY3D whole = {0};
  whole.srcMemoryType = CU_MEMORYTYPE_HOST;
  whole.srcHost = layers;
  whole.srcPitch = 8;
  whole.srcHeight = 1;
  whole.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  whole.dstArray = a;
  whole.WidthInBytes = 8;
  whole.Height = 1;
  whole.Depth = 6;
  CUDA_MEMCPY3D all = {0};
  all.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  all.srcArray = a;
  all.dstMemoryType = CU_MEMORYTYPE_HOST;
  all.dstHost = back;
  all.dstPitch = 8;
  all.dstHeight = 1;
  all.WidthInBytes = 8;
  all.Height = 1;
  all.Depth = 6;
  for (int i = 0; i < 8; i++) {
    Kind kind = (Kind)(i / 2);
    bool host = kind == PAGEABLE || kind == PINNED;
    size_t at = (size_t)i % 2, first = at * SLICE + at * PITCH + 1, step = host ? SLICE : PITCH;
    CUDA_MEMCPY3D c = {0};
    c.WidthInBytes = 8;
    c.Height = 1;
    c.Depth = 3;
    scramble(from, BYTES);
    scramble(layers, sizeof layers);
    memcpy(pinned, from, BYTES);
    OK(cuMemcpyHtoD(p, from, BYTES));
    OK(cuMemcpyHtoD(managed, from, BYTES));
    OK(cuMemcpy3D(&whole));
    c.srcMemoryType = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.srcHost = kind == PINNED ? pinned : from;
    c.srcDevice = kind == MANAGED ? managed : p;
    c.srcPitch = PITCH;
    c.srcHeight = HEIGHT;
    c.srcXInBytes = 1;
    c.srcY = c.srcZ = at;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.dstZ = 1;
    OK(cuMemcpy3D(&c));
    OK(cuMemcpy3D(&all));
    for (size_t z = 0; z < 3; z++) memcpy(layers + (z + 1) * 8, from + first + z * step, 8);
    TRUE(memcmp(back, layers, sizeof back) == 0);

    scramble(layers, sizeof layers);
    OK(cuMemcpy3D(&whole));
    memcpy(have, from, BYTES);
    c = (CUDA_MEMCPY3D){0};
    c.WidthInBytes = 8;
    c.Height = 1;
    c.Depth = 3;
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.srcZ = 2;
    c.dstMemoryType = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.dstHost = kind == PINNED ? pinned : have;
    c.dstDevice = kind == MANAGED ? managed : p;
    c.dstPitch = PITCH;
    c.dstHeight = HEIGHT;
    c.dstXInBytes = 1;
    c.dstY = c.dstZ = at;
    OK(cuMemcpy3D(&c));
    OK(cuCtxSynchronize());
    if (kind == PINNED) memcpy(have, pinned, BYTES);
    if (!host) OK(cuMemcpyDtoH(have, kind == MANAGED ? managed : p, BYTES));
    for (size_t z = 0; z < 3; z++) memcpy(from + first + z * step, layers + (z + 2) * 8, 8);
    TRUE(memcmp(have, from, BYTES) == 0);
  }
}

/* --- the rules of boxes --- */

static CUDA_MEMCPY3D host_to_device(const void *host, CUdeviceptr p) {
  CUDA_MEMCPY3D c = {0};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = host;
  c.srcPitch = 16;
  c.srcHeight = 4;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = p;
  c.dstPitch = 16;
  c.dstHeight = 4;
  c.WidthInBytes = 16;
  c.Height = 4;
  c.Depth = 2;
  return c;
}

/* The copy with one field changed. */
#define WITH(code, field, value)                                                                             \
  do {                                                                                                       \
    CUDA_MEMCPY3D changed_ = c;                                                                              \
    changed_.field = (value);                                                                                \
    IS(code, cuMemcpy3D(&changed_));                                                                         \
    IS(code, cuMemcpy3DAsync(&changed_, stream));                                                            \
    OK(cuStreamSynchronize(stream));                                                                         \
  } while (0)

static void box_rules(void) {
  unsigned char host[256] = {0};
  CUdeviceptr p, q;
  int most = 0;
  start();
  OK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PITCH, dev));
  OK(cuMemAlloc(&p, 128)); /* just the box */
  OK(cuMemAlloc(&q, 1024));
  CUDA_MEMCPY3D c = host_to_device(host, p);
  WITH(0, Depth, 2);
  WITH(0, Depth, 0);
  WITH(0, Height, 0);
  WITH(0, WidthInBytes, 0);
  c.WidthInBytes = 0; /* nothing of an empty box is looked at */
  WITH(0, srcMemoryType, (CUmemorytype)0);
  WITH(0, dstDevice, 0x1000);
  c.WidthInBytes = 16;
  WITH(1, Depth, 3);       /* one slice too many */
  WITH(1, dstXInBytes, 1); /* the pitch is too small */
  WITH(1, WidthInBytes, 17);
  WITH(1, dstPitch, 15);
  WITH(1, srcPitch, 15);
  WITH(1, dstPitch, 17); /* and now the end is past the allocation's */
  WITH(1, dstY, 1);      /* rows beyond the height */
  WITH(1, srcY, 1);
  WITH(1, dstHeight, 3);
  WITH(1, srcHeight, 3);
  WITH(1, dstHeight, 5);
  WITH(0, srcHeight, 5);
  WITH(1, dstZ, 1);
  WITH(0, srcZ, 1);
  WITH(1, dstDevice, p + 1);
  WITH(1, dstDevice, 0x1000);
  WITH(1, dstDevice, 0);
  WITH(1, srcHost, NULL);
  WITH(1, srcMemoryType, (CUmemorytype)0);
  WITH(1, srcMemoryType, (CUmemorytype)5);
  WITH(1, dstMemoryType, (CUmemorytype)77);
  WITH(0, srcLOD, 1); /* fields that have to be 0, and are not looked at */
  WITH(0, dstLOD, 1);
  WITH(0, reserved0, host);
  WITH(0, reserved1, host);
  WITH(1, dstPitch, (size_t)most + 1);
  if (cuSoftgpuControl) { /* the driver (H200, 580) reads 2 GiB behind `host`, and dies */
    WITH(1, srcPitch, (size_t)most + 1);
    WITH(1, dstPitch, SIZE_MAX);
    WITH(1, dstZ, SIZE_MAX);
    WITH(1, dstZ, SIZE_MAX / 64);
    WITH(1, WidthInBytes, SIZE_MAX);
    WITH(1, Depth, SIZE_MAX);
    WITH(1, srcXInBytes, SIZE_MAX);
  }
  WITH(0, dstDevice, q);
  c.dstDevice = q;
  WITH(1, dstXInBytes, 1); /* there is room, but the row is longer than the pitch */
  WITH(1, srcXInBytes, 1);
  WITH(1, dstY, 1);
  WITH(0, dstZ, 1);
}

/* A GPU's driver reads the NULL. */
static void box_nulls(void) {
  start();
  IS(1, cuMemcpy3D(NULL));
  IS(1, cuMemcpy3DAsync(NULL, stream));
  IS(1, cuMemcpy3DPeer(NULL));
  IS(1, cuMemcpy2D(NULL));
  IS(1, cuMemcpy2DUnaligned(NULL));
  IS(1, cuMemcpy2DAsync(NULL, stream));
}

static void box_pitches(void) {
  unsigned char host[256], back[256];
  CUdeviceptr p, q;
  int most = 0;
  start();
  OK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PITCH, dev));
  OK(cuMemAlloc(&p, 1024));
  OK(cuMemAlloc(&q, 1024));
  for (unsigned i = 0; i < 256; i++) host[i] = (unsigned char)i;

  /* The pitch of a single row does not matter. */
  CUDA_MEMCPY3D c = host_to_device(host, q);
  c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = p;
  c.Height = c.Depth = 1;
  WITH(0, srcPitch, (size_t)most + 1);

  /* Without a pitch or a height: rows and slices as long as offset and extent together. */
  c = host_to_device(host, q);
  OK(cuMemsetD8(q, 0, 1024));
  c.srcPitch = 0;
  c.srcXInBytes = 3;
  c.WidthInBytes = 4;
  c.Height = 2;
  c.dstPitch = 8;
  c.srcHeight = c.dstHeight = 0;
  OK(cuMemcpy3D(&c));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(back, q, 256));
  EQ(back[0], 3); /* rows of 7 bytes, slices of 2 rows; in q rows of 8 */
  EQ(back[8], 10);
  EQ(back[16], 17);
  EQ(back[24], 24);
  EQ(back[28], 0);

  /* The last row need not be a whole pitch. */
  c = host_to_device(host, q);
  c.dstPitch = 150;
  c.Depth = 1;
  c.Height = 4;
  c.dstY = 3;
  c.dstHeight = 0;
  c.dstXInBytes = 1024 - 6 * 150 - 16;
  WITH(0, Depth, 1);
  WITH(1, dstXInBytes, c.dstXInBytes + 1);
}

/* Every edge of a box in an array, inside and one beyond. */
static void box_arrays(void) {
  unsigned char host[256] = {0};
  start();
  CUarray a = array_like(8, 6, 4, 4, 0), other = array_like(8, 6, 4, 8, 0), one = array_like(8, 0, 0, 4, 0);
  CUDA_MEMCPY3D c = host_to_device(host, 0);
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = a;
  c.dstXInBytes = 16;
  c.dstY = 2;
  c.dstZ = 2;
  WITH(0, Depth, 2);
  WITH(1, dstXInBytes, 20);
  WITH(0, dstXInBytes, 14); /* not on an element's edge: allowed */
  WITH(0, WidthInBytes, 14);
  WITH(1, dstY, 3);
  WITH(1, dstZ, 3);
  if (cuSoftgpuControl) WITH(1, dstZ, SIZE_MAX);
  WITH(1, dstArray, NULL);
  WITH(1, dstArray, one);
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c.srcArray = other;
  WITH(0, Depth, 1); /* elements of 8 bytes into elements of 4 */
}

/* --- when bytes are read, and what is waited for --- */

static CUDA_MEMCPY2D rows_to(CUdeviceptr dst, const void *src) {
  CUDA_MEMCPY2D c = {0};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = src;
  c.srcPitch = 8;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = dst;
  c.dstPitch = 8;
  c.WidthInBytes = 4;
  c.Height = 8;
  return c;
}

static CUDA_MEMCPY2D rows_from(void *dst, CUdeviceptr src) {
  CUDA_MEMCPY2D c = {0};
  c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = src;
  c.srcPitch = 8;
  c.dstMemoryType = CU_MEMORYTYPE_HOST;
  c.dstHost = dst;
  c.dstPitch = 8;
  c.WidthInBytes = 4;
  c.Height = 8;
  return c;
}

static unsigned byte_at(CUdeviceptr p) {
  unsigned char v = 0xee;
  OK(cuMemcpyDtoH(&v, p, 1));
  return v;
}

static void late_reads(void) {
  CUdeviceptr p, q;
  unsigned char *pinned, pageable[64];
  start();
  OK(cuMemAlloc(&p, 64));
  OK(cuMemAlloc(&q, 64));
  OK(cuMemHostAlloc((void **)&pinned, 64, 0));
  OK(cuMemsetD8(p, 0, 64));
  OK(cuMemsetD8(q, 0, 64));
  OK(cuCtxSynchronize());

  memset(pinned, 1, 64); /* pinned: read when the copy runs */
  CUDA_MEMCPY2D c = rows_to(p, pinned);
  OK(cuMemcpy2DAsync(&c, stream));
  memset(pinned, 2, 64);
  OK(cuStreamSynchronize(stream));
  EQ(byte_at(p), 2);
  EQ(byte_at(p + 59), 2);
  EQ(byte_at(p + 4), 0); /* between the rows */

  memset(pageable, 3, 64); /* pageable: at the call */
  c = rows_to(p, pageable);
  OK(cuMemcpy2DAsync(&c, stream));
  memset(pageable, 4, 64);
  OK(cuStreamSynchronize(stream));
  EQ(byte_at(p), 3);

  memset(pinned, 5, 64); /* to pinned memory: later */
  c = rows_from(pinned, p);
  OK(cuMemcpy2DAsync(&c, stream));
  EQ(pinned[0], 5);
  OK(cuStreamSynchronize(stream));
  EQ(pinned[0], 3);
  EQ(pinned[4], 5);

  c = rows_from(pageable, p); /* to pageable memory: waits */
  OK(cuMemcpy2DAsync(&c, stream));
  EQ(pageable[0], 3);
  EQ(pageable[4], 4);

  /* Without a stream, to or from the host: done on return. Inside the device: not. */
  memset(pinned, 6, 64);
  c = rows_to(p, pinned);
  OK(cuMemcpy2D(&c));
  memset(pinned, 7, 64);
  EQ(byte_at(p), 6);
  OK(cuMemsetD8Async(p, 8, 64, stream));
  CUDA_MEMCPY2D inside = rows_from(NULL, p);
  inside.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  inside.dstDevice = q;
  OK(cuMemcpy2D(&inside)); /* runs at the first wait for the default stream, before the fill of the other */
  EQ(byte_at(q), 6);
  OK(cuStreamSynchronize(stream));
  OK(cuMemcpy2D(&inside));
  EQ(byte_at(q), 8);

  /* Host memory to host memory is always waited for. */
  memset(pinned, 9, 32);
  memset(pinned + 32, 0, 32);
  OK(cuMemcpyAsync((CUdeviceptr)(uintptr_t)(pinned + 32), (CUdeviceptr)(uintptr_t)pinned, 16, stream));
  pinned[0] = 10;
  EQ(pinned[32], 9);

  /* Fills of memory that the host sees wait, others do not. */
  CUdeviceptr managed;
  OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemsetD8(managed, 11, 64));
  EQ(*(unsigned char *)(uintptr_t)managed, 11);
  OK(cuMemsetD8((CUdeviceptr)(uintptr_t)pinned, 12, 64));
  EQ(pinned[63], 12);
  OK(cuMemsetD8Async((CUdeviceptr)(uintptr_t)pinned, 13, 64, stream));
  EQ(pinned[63], 12);
  OK(cuStreamSynchronize(stream));
  EQ(pinned[63], 13);

  /* Inside the device nothing waits, unless the memory is set to. */
  unsigned on = 1;
  unsigned char *seen = (unsigned char *)(uintptr_t)managed;
  CUDA_MEMCPY2D within = inside;
  within.dstDevice = managed;
  OK(cuMemsetD8(p, 14, 64));
  OK(cuMemcpyDtoD(managed, p, 64));
  OK(cuMemcpy2D(&within));
  EQ(seen[0], 11);
  OK(cuCtxSynchronize());
  EQ(seen[0], 14);
  OK(cuMemsetD8(p, 15, 64));
  IS(600, cuStreamQuery(NULL));
  OK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
  OK(cuMemsetD8(p, 15, 64));
  OK(cuStreamQuery(NULL));
  OK(cuMemcpy2D(&within));
  EQ(seen[0], 15);
  EQ(seen[4], 14);
  OK(cuMemsetD8(p, 16, 64));
  OK(cuMemcpyDtoD(managed, p, 64));
  EQ(seen[4], 16);
  OK(cuMemcpyDtoDAsync(managed + 8, p + 4, 4, stream));

  /* Registered memory is pinned memory. */
  OK(cuStreamSynchronize(stream));
  memset(pageable, 17, 64);
  OK(cuMemHostRegister(pageable, 64, 0));
  c = rows_to(p, pageable);
  OK(cuMemcpy2DAsync(&c, stream));
  memset(pageable, 18, 64);
  OK(cuStreamSynchronize(stream));
  EQ(byte_at(p), 18);
  OK(cuMemHostUnregister(pageable));
}

/* A graph's copies and fills of memory or arrays that are gone when it runs: it fails, and says why. The
 * device is dead then. */
static void launch_freed(bool array, bool fill) {
  CUdeviceptr p, q;
  CUgraph graph;
  CUgraphExec exec;
  start();
  CUarray a = array_like(8, 8, 0, 1, 0);
  OK(cuMemAlloc(&p, 64));
  OK(cuMemAlloc(&q, 64));
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUDA_MEMCPY2D c = rows_from(NULL, p);
  c.dstMemoryType = array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
  c.dstDevice = q;
  c.dstArray = a;
  if (fill)
    OK(cuMemsetD8Async(p, 1, 64, stream));
  else
    OK(cuMemcpy2DAsync(&c, stream));
  OK(cuStreamEndCapture(stream, &graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  OK(array ? cuArrayDestroy(a) : cuMemFree(p));
  OK(cuGraphLaunch(exec, stream));
  IS(700, cuStreamSynchronize(stream));
  OK(cuSoftgpuControl("report", reply, sizeof reply, NULL));
  TRUE(strstr(reply, "found its memory freed") != NULL);
}

static void freed_memory(void) { launch_freed(false, false); }
static void freed_array(void) { launch_freed(true, false); }
static void freed_filled(void) { launch_freed(false, true); }

/* Memory of a pool that was freed behind a copy in the same order is still there for it. */
static void freed_in_order(void) {
  CUdeviceptr p, q;
  start();
  OK(cuMemAlloc(&q, 64));
  OK(cuMemAllocAsync(&p, 64, stream));
  OK(cuMemsetD8Async(p, 7, 64, stream));
  CUDA_MEMCPY2D c = rows_from(NULL, p);
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = q;
  OK(cuMemcpy2DAsync(&c, stream));
  OK(cuMemFreeAsync(p, stream));
  IS(1, cuMemcpy2DAsync(&c, stream));
  OK(cuStreamSynchronize(stream));
  EQ(byte_at(q), 7);
}

static char said[4096];

static void hear(void *data, CUlogLevel level, char *message, size_t length) {
  (void)data;
  (void)level;
  size_t n = strlen(said);
  snprintf(said + n, sizeof said - n, "%.*s\n", (int)length, message);
}

static bool heard(const char *text) {
  bool found = strstr(said, text) != NULL;
  if (!found) fprintf(stderr, "said: %s\n", said);
  said[0] = 0;
  return found;
}

/* Errors say what is wrong, in numbers; boxes that overlap are named, boxes that interleave are not. */
static void explanations(void) {
  CUlogsCallbackHandle h;
  CUdeviceptr p;
  unsigned char host[256] = {0};
  start();
  OK(cuMemAlloc(&p, 128));
  OK(cuLogsRegisterCallback(hear, NULL, &h));
  CUDA_MEMCPY3D c = host_to_device(host, p);
  WITH(1, dstPitch, 15);
  TRUE(heard("destination of a copy: a pitch of 15 bytes, but rows of 16 bytes"));
  WITH(1, Depth, 3);
  TRUE(heard("runs past the end of its allocation: 192 bytes at offset 0"));
  WITH(1, srcHeight, 3);
  TRUE(heard("source of a copy: slices of 3 rows, but 4 rows at row 0"));
  WITH(1, dstDevice, 0x1000);
  TRUE(heard("not device memory"));
  WITH(1, dstMemoryType, (CUmemorytype)9);
  TRUE(heard("9 is not a memory type"));
  CUarray a = array_like(8, 6, 0, 4, 0);
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = a;
  c.Depth = 1;
  WITH(1, dstY, 3);
  TRUE(heard("16 x 4 x 1 bytes at (0,3,0), is not inside its CUDA array of 32 x 6 x 1 bytes"));
  WITH(0, dstXInBytes, 2);
  TRUE(heard("multiples of the element's 4 bytes"));
  TRUE(try_array(10, 9, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP) == 1);
  TRUE(heard("width 10, height 9, depth 6"));
  TRUE(try_array(10, 9, 0, CU_AD_FORMAT_FLOAT, 3, 0) == 1);
  TRUE(heard("3 channels"));
  IS(1, cuMemsetD2D32(p, 6, 0, 1, 2));
  TRUE(heard("pitch of 6"));

  CUDA_MEMCPY2D d = {0};
  d.srcMemoryType = d.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  d.srcDevice = d.dstDevice = p;
  d.srcPitch = d.dstPitch = 16;
  d.WidthInBytes = 8;
  d.dstXInBytes = 8;
  d.Height = 8;
  OK(cuMemcpy2D(&d)); /* the left half to the right half */
  TRUE(!said[0]);
  d.dstXInBytes = 7;
  OK(cuMemcpy2D(&d));
  TRUE(heard("overlap"));
  OK(cuMemcpyDtoD(p, p + 64, 64));
  TRUE(!said[0]);
  OK(cuMemcpyDtoD(p, p + 63, 64));
  TRUE(heard("overlap"));
  OK(cuCtxSynchronize());

  /* The log of calls has the whole box. */
  char want[200];
  OK(cuSoftgpuControl("log on", reply, sizeof reply, NULL));
  OK(cuMemcpy2DUnaligned(&d));
  OK(cuMemcpy3DAsync(&c, stream));
  IS(1, cuMemcpy3D(NULL));
  OK(cuMemsetD2D32Async(p, 16, 7, 2, 3, stream));
  OK(cuSoftgpuControl("log", reply, sizeof reply, NULL));
  snprintf(want, sizeof want,
           "extent=8,8,1 dst=device:0x%llx at=7,0,0 pitch=16 src=device:0x%llx at=0,0,0 pitch=16",
           (unsigned long long)p, (unsigned long long)p);
  TRUE(strstr(reply, "cuMemcpy2DUnaligned_v2 0 ") != NULL);
  TRUE(strstr(reply, want) != NULL);
  snprintf(want, sizeof want, "extent=16,4,1 dst=array:0x%llx at=0,0,0 pitch=16 src=host:0x%llx",
           (unsigned long long)(uintptr_t)a, (unsigned long long)(uintptr_t)host);
  TRUE(strstr(reply, "cuMemcpy3DAsync_v2 0 ") != NULL);
  TRUE(strstr(reply, want) != NULL);
  TRUE(strstr(reply, "cuMemcpy3D_v2 1 ") != NULL);
}

/* --- fills --- */

static void fill_model(unsigned char *p, size_t pitch, uint32_t value, size_t size, size_t width,
                       size_t height) {
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width * size; x++) p[y * pitch + x] = (unsigned char)(value >> (x % size * 8));
}

static CUresult fill_call(CUdeviceptr p, size_t pitch, uint32_t v, size_t size, size_t width, size_t height,
                          bool rows, bool async) {
  unsigned char b = (unsigned char)v;
  unsigned short w = (unsigned short)v;
  if (!rows) {
    if (size == 1) return async ? cuMemsetD8Async(p, b, width, stream) : cuMemsetD8(p, b, width);
    if (size == 2) return async ? cuMemsetD16Async(p, w, width, stream) : cuMemsetD16(p, w, width);
    return async ? cuMemsetD32Async(p, v, width, stream) : cuMemsetD32(p, v, width);
  }
  if (size == 1)
    return async ? cuMemsetD2D8Async(p, pitch, b, width, height, stream)
                 : cuMemsetD2D8(p, pitch, b, width, height);
  if (size == 2)
    return async ? cuMemsetD2D16Async(p, pitch, w, width, height, stream)
                 : cuMemsetD2D16(p, pitch, w, width, height);
  return async ? cuMemsetD2D32Async(p, pitch, v, width, height, stream)
               : cuMemsetD2D32(p, pitch, v, width, height);
}

static void fills(void) {
  CUdeviceptr p;
  unsigned char want[1000], have[1000];
  start();
  OK(cuMemAlloc(&p, sizeof want));
  scramble(want, sizeof want);
  OK(cuMemcpyHtoD(p, want, sizeof want));
  for (int i = 0; i < 500 && !failed; i++) {
    size_t size = (size_t)1 << below(3), width = below(20), height = 1 + below(6);
    size_t pitch = (width + below(8)) * size, at = below(sizeof want - pitch * height) / size * size;
    uint32_t v = (uint32_t)below(0xffffffff);
    bool rows = below(2);
    if (!rows) height = 1;
    fill_model(want + at, pitch, v, size, width, height);
    OK(fill_call(p + at, pitch, v, size, width, height, rows, below(2)));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(have, p, sizeof have));
    TRUE(memcmp(want, have, sizeof want) == 0);
  }
  for (int async = 0; async < 2; async++) {
    OK(fill_call(p, 0, 1, 1, 1000, 1, false, async));
    IS(1, fill_call(p, 0, 1, 1, 1001, 1, false, async));
    IS(1, fill_call(p + 1, 0, 1, 2, 1, 1, false, async)); /* misaligned */
    IS(1, fill_call(p + 2, 0, 1, 4, 1, 1, false, async));
    OK(fill_call(p, 100, 1, 1, 100, 10, true, async));
    IS(1, fill_call(p, 100, 1, 1, 100, 11, true, async));
    IS(1, fill_call(p + 1, 100, 1, 1, 100, 10, true, async));
    IS(1, fill_call(p, 100, 1, 1, 101, 9, true, async)); /* rows longer than the pitch */
    IS(1, fill_call(p, 101, 1, 2, 10, 2, true, async));  /* a misaligned pitch */
    IS(1, fill_call(p, 102, 1, 4, 10, 2, true, async));
    OK(fill_call(p, 104, 1, 4, 10, 2, true, async));
    OK(fill_call(p, 104, 1, 4, 0, 2, true, async));
    OK(fill_call(p, 104, 1, 4, 2, 0, true, async));
    if (cuSoftgpuControl) { /* the driver (H200, 580) says 0 to sizes that wrap around, and then dies of 700
                             */
      IS(1, fill_call(p, SIZE_MAX / 2 + 1, 1, 4, 1, 3, true, async));
      IS(1, fill_call(p, 0, 1, 4, SIZE_MAX / 2, 1, false, async));
    }
    IS(1, fill_call(0x1000, 0, 1, 1, 1, 1, false, async));
    IS(1, fill_call(0, 0, 1, 1, 1, 1, false, async));
  }
  OK(cuCtxSynchronize());
}

/* --- between contexts and devices --- */

/* Bytes of p, whatever context is current. */
static void expect_bytes(CUcontext c, CUdeviceptr p, const unsigned char *want, size_t n, int line) {
  unsigned char *have = grab(n);
  OK(cuCtxPushCurrent(c));
  OK(cuMemcpyDtoH(have, p, n));
  OK(cuCtxPopCurrent(&c));
  judge(memcmp(have, want, n) == 0, line, "other bytes than expected");
  free(have);
}

/* ctx on `here`, another context on `there`: the same device or two. */
static void between(CUdevice here, CUdevice there) {
  enum { N = 4096 };
  CUcontext a, b, c;
  CUdeviceptr p, q;
  CUstream s;
  unsigned char want[N];
  OK(cuCtxCreate_v2(&a, 0, here));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc(&p, N));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxCreate_v2(&b, 0, there));
  OK(cuMemAlloc(&q, N));
  OK(cuCtxPopCurrent(&c));
  OK(cuCtxPushCurrent(a));

  scramble(want, N);
  OK(cuMemcpyHtoD(p, want, N));
  OK(cuMemcpyPeer(q, b, p, a, N));
  expect_bytes(b, q, want, N, __LINE__);
  scramble(want, N);
  OK(cuMemcpyHtoD(p, want, N));
  OK(cuMemcpyPeerAsync(q, b, p, a, N, s));
  OK(cuStreamSynchronize(s));
  expect_bytes(b, q, want, N, __LINE__);
  scramble(want, N);
  OK(cuMemcpyHtoD(p, want, N));
  OK(cuMemcpy(q, p, N)); /* unified addresses say where they are */
  OK(cuCtxSynchronize());
  expect_bytes(b, q, want, N, __LINE__);
  scramble(want, N);
  OK(cuMemcpyHtoD(p, want, N));
  OK(cuMemcpyDtoD(q, p, N));
  OK(cuCtxSynchronize());
  expect_bytes(b, q, want, N, __LINE__);

  CUDA_MEMCPY3D_PEER m = {0};
  m.srcMemoryType = m.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  m.srcDevice = p;
  m.srcContext = a;
  m.srcPitch = 64;
  m.srcHeight = 8;
  m.srcZ = 1;
  m.dstDevice = q;
  m.dstContext = b;
  m.dstPitch = 32;
  m.dstHeight = 10;
  m.dstXInBytes = 2;
  m.WidthInBytes = 30;
  m.Height = 8;
  m.Depth = 2;
  unsigned char from[N];
  OK(cuMemcpyDtoH(from, p, N));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 8; y++) memcpy(want + (z * 10 + y) * 32 + 2, from + ((z + 1) * 8 + y) * 64, 30);
  OK(cuMemcpy3DPeer(&m));
  expect_bytes(b, q, want, N, __LINE__);
  m.srcZ = 0;
  OK(cuMemcpy3DPeerAsync(&m, s));
  OK(cuStreamSynchronize(s));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 8; y++) memcpy(want + (z * 10 + y) * 32 + 2, from + (z * 8 + y) * 64, 30);
  expect_bytes(b, q, want, N, __LINE__);
  m.dstContext = m.srcContext = NULL; /* the addresses say it */
  OK(cuMemcpy3DPeer(&m));
  OK(cuMemcpyPeer(q, b, p, NULL, 4));
  OK(cuMemcpyPeer(q, NULL, p, NULL, 0));
  OK(cuCtxSynchronize());
  m.srcContext = a;
  m.dstContext = b;
  m.dstZ = 300;
  IS(1, cuMemcpy3DPeer(&m));
  IS(1, cuMemcpyPeer(q, b, p, a, N + 1));
  IS(1, cuMemcpyPeerAsync(q + 1, b, p, a, N, s));
  IS(1, cuMemcpyPeer(0x1000, b, p, a, 4));

  /* An array of the other context. */
  OK(cuCtxPushCurrent(b));
  CUarray array = array_like(64, 16, 0, 4, 0);
  OK(cuCtxPopCurrent(&c));
  CUDA_MEMCPY3D_PEER t = {0};
  t.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  t.srcDevice = p;
  t.srcContext = a;
  t.srcPitch = 256;
  t.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  t.dstArray = array;
  t.WidthInBytes = 256;
  t.Height = 16;
  t.Depth = 1;
  OK(cuMemcpy3DPeer(&t));
  t = (CUDA_MEMCPY3D_PEER){0};
  t.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  t.srcArray = array;
  t.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  t.dstDevice = q;
  t.dstContext = b;
  t.dstPitch = 256;
  t.WidthInBytes = 256;
  t.Height = 16;
  t.Depth = 1;
  OK(cuMemcpy3DPeer(&t));
  expect_bytes(b, q, from, N, __LINE__);

  OK(cuCtxPopCurrent(&c));
  OK(cuCtxDestroy(b));
  OK(cuCtxPushCurrent(a));
  if (cuSoftgpuControl) IS(709, cuMemcpyPeer(p, b, p + 64, a, 4)); /* the driver (H200, 580) crashes */
  OK(cuCtxDestroy(a));
}

static void peers(void) {
  int n = 0;
  if (cuSoftgpuControl) OK(cuSoftgpuControl("devices 2", reply, sizeof reply, NULL));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&n));
  between(0, 0);
  if (n > 1) between(0, 1);
  if (n > 1) between(1, 0);
}

/* A peer copy waits for both contexts, and knows on whose device memory is. */
static void peer_order(void) {
  CUcontext a, b;
  CUdeviceptr p, q;
  CUstream s, t;
  CUDA_ARRAY_DESCRIPTOR d = {4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  CUarray array;
  OK(cuSoftgpuControl("devices 2", reply, sizeof reply, NULL));
  OK(cuInit(0));
  OK(cuCtxCreate_v2(&a, 0, 0));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc(&p, 16));
  OK(cuArrayCreate(&array, &d));
  OK(cuCtxCreate_v2(&b, 0, 1));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuMemAlloc(&q, 16));
  OK(cuMemsetD8Async(q, 1, 16, t));
  OK(cuMemsetD8Async(p, 2, 16, s));
  OK(cuMemcpyPeer(q, b, p, a, 16));
  EQ(byte_at(q), 2);
  OK(cuMemsetD8Async(p, 3, 16, s));
  OK(cuMemcpyPeerAsync(q, b, p, a, 16, t)); /* with a stream: after that stream alone */
  OK(cuStreamSynchronize(t));
  EQ(byte_at(q), 2);
  OK(cuMemcpyPeerAsync(q, b, p, a, 16, s)); /* in the other device's stream */
  EQ(byte_at(q), 2);
  OK(cuStreamSynchronize(s));
  EQ(byte_at(q), 3);
  IS(1, cuMemcpyPeer(q, a, p, a, 16));
  IS(1, cuMemcpyPeer(q, b, p, b, 16));
  OK(cuMemcpyAtoD(q, array, 0, 16)); /* an array of the other device */
  OK(cuCtxSynchronize());
  /* The other device dies, and all of the process's with it. */
  OK(cuCtxPushCurrent(a));
  OK(cuSoftgpuControl("fail cuCtxSynchronize 1 719 sticky", reply, sizeof reply, NULL));
  IS(719, cuCtxSynchronize());
  OK(cuCtxPopCurrent(&a));
  IS(719, cuMemcpyPeer(q, b, p, a, 16));
  IS(719, cuMemsetD8(q, 4, 16));
}

/* --- batches --- */

static void batches(void) {
  CUdeviceptr p, dsts[3], srcs[3];
  size_t sizes[3] = {16, 8, 4}, at[2] = {0, 2};
  unsigned char *pinned, pageable[64];
  CUmemcpyAttributes attr[2];
  start();
  memset(attr, 0, sizeof attr);
  attr[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  attr[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  OK(cuMemAlloc(&p, 64));
  OK(cuMemsetD8(p, 0, 64));
  OK(cuCtxSynchronize());
  OK(cuMemHostAlloc((void **)&pinned, 64, 0));
  memset(pinned, 1, 64);
  memset(pageable, 2, 64);
  dsts[0] = p;
  dsts[1] = p + 16;
  dsts[2] = p + 32;
  srcs[0] = (CUdeviceptr)(uintptr_t)pinned;
  srcs[1] = (CUdeviceptr)(uintptr_t)pageable;
  srcs[2] = (CUdeviceptr)(uintptr_t)(pinned + 32);
  OK(cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 2, stream));
  pinned[32] = 9; /* read during the call */
  OK(cuStreamSynchronize(stream));
  EQ(byte_at(p + 15), 1);
  EQ(byte_at(p + 16), 2);
  EQ(byte_at(p + 24), 0);
  EQ(byte_at(p + 32), 1);
  EQ(byte_at(p + 36), 0);
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 0, stream));
  at[0] = 1;
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 2, stream));
  at[0] = 0;
  at[1] = 3;
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 2, stream));
  attr[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 1, stream));
  attr[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 1, NULL));
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 1, CU_STREAM_LEGACY));
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 0, attr, at, 0, stream));
  sizes[2] = 0;
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 1, stream));
  sizes[2] = 4;
  dsts[2] = p + 62; /* the last one is bad: those before it are done */
  OK(cuMemsetD8Async(p, 0, 64, stream));
  IS(1, cuMemcpyBatchAsync(dsts, srcs, sizes, 3, attr, at, 1, stream));
  OK(cuStreamSynchronize(stream));
  EQ(byte_at(p), 1);
}

/* --- in graphs --- */

/* A captured copy or fill runs with each launch, and reads its source then, pageable memory too. */
static void captured(void) {
  CUdeviceptr p, q;
  CUgraph graph;
  CUgraphExec exec;
  static unsigned char pageable[64], back[64];
  start();
  CUarray a = array_like(4, 8, 0, 1, 0);
  OK(cuMemAlloc(&p, 64));
  OK(cuMemAlloc(&q, 64));
  OK(cuMemsetD8(q, 0, 64));
  OK(cuCtxSynchronize());
  memset(pageable, 1, 64);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUDA_MEMCPY2D c = rows_to(p, pageable);
  OK(cuMemcpy2DAsync(&c, stream));
  c = rows_from(NULL, p);
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = a;
  OK(cuMemcpy2DAsync(&c, stream));
  c = rows_from(NULL, q);
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c.srcArray = a;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = q;
  OK(cuMemcpy2DAsync(&c, stream));
  OK(cuMemsetD2D8Async(q + 4, 8, 77, 2, 8, stream));
  OK(cuMemcpyDtoHAsync(back, q, 64, stream));
  OK(cuStreamEndCapture(stream, &graph));
  EQ(back[0], 0);
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 2; i < 5; i++) {
    memset(pageable, i, 64);
    memset(back, 0, 64);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    EQ(back[0], i);
    EQ(back[59], i);
    EQ(back[4], 77);
    EQ(back[6], 0);
  }
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuArrayDestroy(a));
}

/* --- all groups --- */

static const Group groups[] = {
    {"arrays", arrays, ANYWHERE},
    {"array_lives", array_lives, LAZY_STREAMS},
    {"array_rows", array_rows, ANYWHERE},
    {"array_row_rules", array_row_rules, ANYWHERE},
    {"boxes_2d", boxes_2d, ANYWHERE},
    {"boxes_3d", boxes_3d, ANYWHERE},
    {"lines", lines, ANYWHERE},
    {"box_rules", box_rules, ANYWHERE},
    {"box_nulls", box_nulls, LAZY_STREAMS},
    {"box_pitches", box_pitches, ANYWHERE},
    {"box_arrays", box_arrays, ANYWHERE},
    {"late_reads", late_reads, LAZY_STREAMS},
    {"freed_memory", freed_memory, LAZY_STREAMS},
    {"freed_array", freed_array, LAZY_STREAMS},
    {"freed_filled", freed_filled, LAZY_STREAMS},
    {"freed_in_order", freed_in_order, LAZY_STREAMS},
    {"explanations", explanations, LAZY_STREAMS},
    {"fills", fills, ANYWHERE},
    {"peers", peers, ANYWHERE},
    {"peer_order", peer_order, LAZY_STREAMS},
    {"batches", batches, ANYWHERE},
    {"captured", captured, ANYWHERE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
