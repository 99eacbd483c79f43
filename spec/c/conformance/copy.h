/* Copies and fills of all forms, and CUDA arrays. */

static CUDA_MEMCPY2D b2;
static CUDA_MEMCPY3D b3;
static CUDA_MEMCPY3D_PEER bp;

/* The three synchronous forms of a 2D box, and the one in a stream; a box with one field changed. */
#define BOX2(condition, want, change)                                                                        \
  WITH(cuMemcpy2D_v2, condition, want, (b2 = box2, change), (&b2), (void)0)                                  \
  WITH(cuMemcpy2DUnaligned_v2, condition, want, (b2 = box2, change), (&b2), (void)0)                         \
  WITH(cuMemcpy2DAsync_v2, condition, want, (b2 = box2, change), (&b2, st), (void)0)
#define BOX3(condition, want, change)                                                                        \
  WITH(cuMemcpy3D_v2, condition, want, (b3 = box3, change), (&b3), (void)0)                                  \
  WITH(cuMemcpy3DAsync_v2, condition, want, (b3 = box3, change), (&b3, st), (void)0)
#define BOXP(condition, want, change)                                                                        \
  WITH(cuMemcpy3DPeer, condition, want, (bp = box_peer, change), (&bp), (void)0)                             \
  WITH(cuMemcpy3DPeerAsync, condition, want, (bp = box_peer, change), (&bp, st), (void)0)
/* A copy without a stream and its form in one. */
#define PAIR(plain, async, condition, want, ...)                                                             \
  ROW(plain, condition, want, (__VA_ARGS__))                                                                 \
  ROW(async, condition, want, (__VA_ARGS__, st))

static void copy_rows(void) {
  const CUdeviceptr mine = (CUdeviceptr)(uintptr_t)host;
  CUdeviceptr freed;
  start_module();
  start_other();
  OK(cuMemAlloc_v2(&freed, MEM));
  OK(cuMemFree_v2(freed));
#define H2D(condition, want, ...) PAIR(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, condition, want, __VA_ARGS__)
#define D2H(condition, want, ...) PAIR(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, condition, want, __VA_ARGS__)
#define D2D(condition, want, ...) PAIR(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, condition, want, __VA_ARGS__)
#define ANY(condition, want, ...) PAIR(cuMemcpy, cuMemcpyAsync, condition, want, __VA_ARGS__)
  H2D("good", SUCCESS, mem, host, 16);
  H2D("0 bytes", SUCCESS, mem, host, 0);
  H2D("0 bytes to nowhere", SUCCESS, 0, NULL, 0);
  H2D("a byte too many", INVALID_VALUE, mem + 1, host, MEM);
  H2D("2^64 - 1 bytes", SOFTWARE_ONLY(INVALID_VALUE), mem, host, SIZE_MAX);
  H2D("to nothing", INVALID_VALUE, NOWHERE, host, 16);
  H2D("to 0", INVALID_VALUE, 0, host, 16);
  H2D("to the program's memory", INVALID_VALUE, mine, host, 16);
  H2D("to freed memory", INVALID_VALUE, freed, host, 16);
  H2D("from NULL", INVALID_VALUE, mem, NULL, 16);
  ROW(cuMemcpyHtoDAsync_v2, "the default stream", SUCCESS, (mem, host, 16, NULL));
  ROW(cuMemcpyHtoDAsync_v2, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (mem, host, 16, (CUstream)host));
  D2H("good", SUCCESS, host, mem, 16);
  D2H("0 bytes", SUCCESS, host, mem, 0);
  D2H("a byte too many", INVALID_VALUE, host, mem + 1, MEM);
  D2H("from nothing", INVALID_VALUE, host, NOWHERE, 16);
  D2H("from 0", INVALID_VALUE, host, 0, 16);
  D2H("from freed memory", INVALID_VALUE, host, freed, 16);
  D2H("to NULL", INVALID_VALUE, NULL, mem, 16);
  D2D("good", SUCCESS, mem, mem + 64, 16);
  D2D("overlapping", SUCCESS, mem, mem + 8, 16);
  D2D("0 bytes", SUCCESS, mem, mem + 64, 0);
  D2D("past the end of the destination", INVALID_VALUE, mem + MEM - 8, mem, 16);
  D2D("past the end of the source", INVALID_VALUE, mem, mem + MEM - 8, 16);
  D2D("to nothing", INVALID_VALUE, NOWHERE, mem, 16);
  D2D("from nothing", INVALID_VALUE, mem, NOWHERE, 16);
  ANY("good", SUCCESS, mem, mem + 64, 16);
  ANY("from the program's memory", SUCCESS, mem, mine, 16);
  ANY("to the program's memory", SUCCESS, mine, mem, 16);
  ANY("within the program's memory", SUCCESS, mine, mine + 64, 16);
  ANY("past the end", INVALID_VALUE, mem + MEM - 8, mine, 16);
  ANY("to 0", INVALID_VALUE, 0, mem, 16);
  ANY("from 0", INVALID_VALUE, mem, 0, 16);
  ANY("0 bytes", SUCCESS, mem, mem + 64, 0);
#define PEER(condition, want, ...) PAIR(cuMemcpyPeer, cuMemcpyPeerAsync, condition, want, __VA_ARGS__)
  PEER("good", SUCCESS, mem, ctx, mem + 64, other, 16);
  PEER("no contexts", SUCCESS, mem, NULL, mem + 64, NULL, 16);
  PEER("0 bytes", SUCCESS, mem, ctx, mem + 64, ctx, 0);
  PEER("a byte too many", INVALID_VALUE, mem + 1, ctx, mem, ctx, MEM);
  PEER("to nothing", INVALID_VALUE, NOWHERE, ctx, mem, ctx, 16);
  PEER("from nothing", INVALID_VALUE, mem, ctx, NOWHERE, ctx, 16);
  PEER("the program's memory", INVALID_VALUE, mem, ctx, mine, ctx, 16);
  PEER("no context of that name", SOFTWARE_ONLY(INVALID_CONTEXT), mem, (CUcontext)host, mem + 64, ctx, 16);
#undef PEER
}

static void box_rows(void) {
  start_module();
  start_copies();
  BOX2("good", SUCCESS, (void)0);
  BOX2("width 0", SUCCESS, b2.WidthInBytes = 0);
  BOX2("height 0", SUCCESS, b2.Height = 0);
  BOX2("wider than the pitch", INVALID_VALUE, b2.WidthInBytes = 17);
  BOX2("a pitch that is too small", INVALID_VALUE, b2.dstPitch = 15);
  BOX2("rows without a pitch", SUCCESS, b2.srcPitch = 0);
  BOX2("x beyond the pitch", INVALID_VALUE, b2.srcXInBytes = 1);
  BOX2("past the end", INVALID_VALUE, b2.dstY = 64);
  BOX2("no such type of memory", INVALID_VALUE, b2.srcMemoryType = (CUmemorytype)77);
  BOX2("type 0", INVALID_VALUE, b2.dstMemoryType = (CUmemorytype)0);
  BOX2("to nothing", INVALID_VALUE, b2.dstDevice = NOWHERE);
  BOX2("from NULL", INVALID_VALUE, b2.srcHost = NULL);
  BOX2("unified memory", SUCCESS,
       (b2.srcMemoryType = CU_MEMORYTYPE_UNIFIED, b2.srcDevice = (CUdeviceptr)(uintptr_t)host));
  BOX2("to an array", SUCCESS, (b2.dstMemoryType = CU_MEMORYTYPE_ARRAY, b2.dstArray = flat));
  BOX2("one row beyond the array", INVALID_VALUE,
       (b2.dstMemoryType = CU_MEMORYTYPE_ARRAY, b2.dstArray = flat, b2.dstY = 1));
  BOX2("no array", INVALID_VALUE, (b2.dstMemoryType = CU_MEMORYTYPE_ARRAY, b2.dstArray = NULL));
  ROW(cuMemcpy2D_v2, "NULL", INVALID_VALUE, (NULL));
  ROW(cuMemcpy2DUnaligned_v2, "NULL", INVALID_VALUE, (NULL));
  ROW(cuMemcpy2DAsync_v2, "NULL", INVALID_VALUE, (NULL, st));
  ROW(cuMemcpy2DAsync_v2, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (&box2, (CUstream)host));
  BOX3("good", SUCCESS, (void)0);
  BOX3("depth 0", SUCCESS, b3.Depth = 0);
  BOX3("an empty box of nothing", SUCCESS,
       (b3.WidthInBytes = 0, b3.dstDevice = NOWHERE, b3.srcMemoryType = (CUmemorytype)0));
  BOX3("wider than the pitch", INVALID_VALUE, b3.WidthInBytes = 17);
  BOX3("rows beyond the height", INVALID_VALUE, b3.dstY = 1);
  BOX3("a height that is too small", INVALID_VALUE, b3.srcHeight = 3);
  BOX3("past the end", INVALID_VALUE, b3.dstZ = 16);
  BOX3("no such type of memory", INVALID_VALUE, b3.srcMemoryType = (CUmemorytype)5);
  BOX3("to nothing", INVALID_VALUE, b3.dstDevice = NOWHERE);
  BOX3("to 0", INVALID_VALUE, b3.dstDevice = 0);
  BOX3("from NULL", INVALID_VALUE, b3.srcHost = NULL);
  BOX3("a level of detail", SUCCESS, b3.srcLOD = 1);
  BOX3("a reserved field", SUCCESS, b3.reserved0 = host);
  BOX3("to an array", SUCCESS, (b3.dstMemoryType = CU_MEMORYTYPE_ARRAY, b3.dstArray = solid));
  BOX3("beyond the array", INVALID_VALUE,
       (b3.dstMemoryType = CU_MEMORYTYPE_ARRAY, b3.dstArray = solid, b3.dstZ = 1));
  BOX3("to an array of less depth", INVALID_VALUE,
       (b3.dstMemoryType = CU_MEMORYTYPE_ARRAY, b3.dstArray = flat));
  BOX3("no array", INVALID_VALUE, (b3.dstMemoryType = CU_MEMORYTYPE_ARRAY, b3.dstArray = NULL));
  BOX3("host memory called a device's", INVALID_VALUE,
       (b3.srcMemoryType = CU_MEMORYTYPE_DEVICE, b3.srcDevice = (CUdeviceptr)(uintptr_t)host));
  ROW(cuMemcpy3D_v2, "NULL", INVALID_VALUE, (NULL));
  ROW(cuMemcpy3DAsync_v2, "NULL", INVALID_VALUE, (NULL, st));
  ROW(cuMemcpy3DAsync_v2, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (&box3, (CUstream)host));
  BOXP("good", SUCCESS, (void)0);
  BOXP("no contexts", SUCCESS, (bp.srcContext = NULL, bp.dstContext = NULL));
  BOXP("depth 0", SUCCESS, bp.Depth = 0);
  BOXP("past the end", INVALID_VALUE, bp.dstZ = 16);
  BOXP("wider than the pitch", INVALID_VALUE, bp.WidthInBytes = 65);
  BOXP("no such type of memory", INVALID_VALUE, bp.dstMemoryType = (CUmemorytype)77);
  BOXP("from nothing", INVALID_VALUE, bp.srcDevice = NOWHERE);
  ROW(cuMemcpy3DPeer, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL));
  ROW(cuMemcpy3DPeerAsync, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL, st));
  ROW(cuMemcpy3DPeerAsync, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (&box_peer, (CUstream)host));

  CUmemcpyAttributes a;
  size_t n[2], at[2];
#define BATCH(condition, want, change, ...)                                                                  \
  WITH(cuMemcpyBatchAsync_v2, condition, want,                                                               \
       (a = batch_attribute, n[0] = n[1] = 16, at[0] = 0, at[1] = 1, change), (__VA_ARGS__), (void)0)
  BATCH("good", SUCCESS, (void)0, batch_to, batch_from, n, 2, &a, at, 1, st);
  BATCH("the thread's stream", SUCCESS, (void)0, batch_to, batch_from, n, 2, &a, at, 1, CU_STREAM_PER_THREAD);
  BATCH("the default stream", PLAIN(INVALID_VALUE), (void)0, batch_to, batch_from, n, 2, &a, at, 1, NULL);
  BATCH("the legacy stream by name", INVALID_VALUE, (void)0, batch_to, batch_from, n, 2, &a, at, 1,
        CU_STREAM_LEGACY);
  BATCH("no copies", INVALID_VALUE, (void)0, batch_to, batch_from, n, 0, &a, at, 1, st);
  BATCH("no attributes", INVALID_VALUE, (void)0, batch_to, batch_from, n, 2, &a, at, 0, st);
  BATCH("more attributes than copies", INVALID_VALUE, (void)0, batch_to, batch_from, n, 1, &a, at, 2, st);
  BATCH("a copy of 0 bytes", INVALID_VALUE, n[1] = 0, batch_to, batch_from, n, 2, &a, at, 1, st);
  BATCH("past the end", INVALID_VALUE, n[1] = MEM, batch_to, batch_from, n, 2, &a, at, 1, st);
  BATCH("no such order", INVALID_VALUE, a.srcAccessOrder = (CUmemcpySrcAccessOrder)77, batch_to, batch_from,
        n, 2, &a, at, 1, st);
  BATCH("no such flag", INVALID_VALUE, a.flags = 0x100, batch_to, batch_from, n, 2, &a, at, 1, st);
  BATCH("an attribute that begins late", INVALID_VALUE, at[0] = 1, batch_to, batch_from, n, 2, &a, at, 1, st);
  BATCH("NULL", SOFTWARE_ONLY(INVALID_VALUE), (void)0, NULL, batch_from, n, 2, &a, at, 1, st);
  BATCH("not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (void)0, batch_to, batch_from, n, 2, &a, at, 1,
        (CUstream)host);
}

/* Elements of `size` bytes: a fill of a row, and one of rows. */
#define FILLS(plain, async, size)                                                                            \
  PAIR(plain, async, "good", SUCCESS, mem, 1, MEM / size)                                                    \
  PAIR(plain, async, "nothing", SUCCESS, mem, 1, 0)                                                          \
  PAIR(plain, async, "nothing nowhere", SUCCESS, 0, 1, 0)                                                    \
  PAIR(plain, async, "an element too many", INVALID_VALUE, mem, 1, MEM / size + 1)                           \
  PAIR(plain, async, "misaligned", size == 1 ? SUCCESS : INVALID_VALUE, mem + 1, 1, 4)                       \
  PAIR(plain, async, "to nothing", INVALID_VALUE, NOWHERE, 1, 4)                                             \
  PAIR(plain, async, "to 0", INVALID_VALUE, 0, 1, 4)                                                         \
  PAIR(plain, async, "the program's memory", INVALID_VALUE, (CUdeviceptr)(uintptr_t)host, 1, 4)              \
  ROW(async, "the default stream", SUCCESS, (mem, 1, 4, NULL));                                              \
  ROW(async, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (mem, 1, 4, (CUstream)host));
#define BOX_FILLS(plain, async, size)                                                                        \
  PAIR(plain, async, "good", SUCCESS, mem, 64, 1, 64 / size, 4)                                              \
  PAIR(plain, async, "no rows", SUCCESS, mem, 64, 1, 16, 0)                                                  \
  PAIR(plain, async, "rows of nothing", SUCCESS, mem, 64, 1, 0, 4)                                           \
  PAIR(plain, async, "wider than the pitch", INVALID_VALUE, mem, 64, 1, 64 / size + 1, 4)                    \
  PAIR(plain, async, "one row, wider than the pitch", SUCCESS, mem, size, 1, 16, 1)                          \
  PAIR(plain, async, "past the end", INVALID_VALUE, mem, 64, 1, 64 / size, 65)                               \
  PAIR(plain, async, "misaligned", size == 1 ? SUCCESS : INVALID_VALUE, mem + 1, 64, 1, 4, 4)                \
  PAIR(plain, async, "an odd pitch", size == 1 ? SUCCESS : INVALID_VALUE, mem, 65, 1, 4, 4)                  \
  PAIR(plain, async, "to nothing", INVALID_VALUE, NOWHERE, 64, 1, 4, 4)                                      \
  ROW(async, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (mem, 64, 1, 4, 4, (CUstream)host));

static void fill_rows(void) {
  start_module();
  FILLS(cuMemsetD8_v2, cuMemsetD8Async, 1);
  FILLS(cuMemsetD16_v2, cuMemsetD16Async, 2);
  FILLS(cuMemsetD32_v2, cuMemsetD32Async, 4);
  BOX_FILLS(cuMemsetD2D8_v2, cuMemsetD2D8Async, 1);
  BOX_FILLS(cuMemsetD2D16_v2, cuMemsetD2D16Async, 2);
  BOX_FILLS(cuMemsetD2D32_v2, cuMemsetD2D32Async, 4);
}

static void array_rows(void) {
  CUarray gone = NULL;
  CUDA_ARRAY_DESCRIPTOR f;
  CUDA_ARRAY3D_DESCRIPTOR s;
  start_module();
  start_copies();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuArrayDestroy(o.array))
#define FLAT(condition, want, change)                                                                        \
  WITH(cuArrayCreate_v2, condition, want, (f = flat_shape, change), (&o.array, &f), DROP)
#define SOLID(condition, want, change)                                                                       \
  WITH(cuArray3DCreate_v2, condition, want, (s = solid_shape, change), (&o.array, &s), DROP)
  FLAT("good", SUCCESS, (void)0);
  FLAT("a row", SUCCESS, f.Height = 0);
  FLAT("width 0", INVALID_VALUE, f.Width = 0);
  FLAT("width 2^40", INVALID_VALUE, f.Width = (size_t)1 << 40);
  FLAT("3 channels", INVALID_VALUE, f.NumChannels = 3);
  FLAT("0 channels", INVALID_VALUE, f.NumChannels = 0);
  FLAT("no such format", INVALID_VALUE, f.Format = (CUarray_format)0x77);
  FLAT("format 0", INVALID_VALUE, f.Format = (CUarray_format)0);
  ROW(cuArrayCreate_v2, "NULL", INVALID_VALUE, (NULL, &flat_shape));
  ROW(cuArrayCreate_v2, "no descriptor", INVALID_VALUE, (&o.array, NULL));
  SOLID("good", SUCCESS, (void)0);
  SOLID("layers", SUCCESS, s.Flags = CUDA_ARRAY3D_LAYERED);
  SOLID("for surfaces", SUCCESS, s.Flags = CUDA_ARRAY3D_SURFACE_LDST);
  SOLID("a cube", SUCCESS, (s.Flags = CUDA_ARRAY3D_CUBEMAP, s.Height = 16, s.Depth = 6));
  SOLID("width 0", INVALID_VALUE, s.Width = 0);
  SOLID("no height but a depth", INVALID_VALUE, s.Height = 0);
  SOLID("no layers", INVALID_VALUE, (s.Flags = CUDA_ARRAY3D_LAYERED, s.Depth = 0));
  SOLID("a cube that is none", INVALID_VALUE, (s.Flags = CUDA_ARRAY3D_CUBEMAP, s.Depth = 6));
  SOLID("a cube of 5 faces", INVALID_VALUE, (s.Flags = CUDA_ARRAY3D_CUBEMAP, s.Height = 16, s.Depth = 5));
  SOLID("13 faces in layers", INVALID_VALUE,
        (s.Flags = CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, s.Height = 16, s.Depth = 13));
  SOLID("gathering from a row", INVALID_VALUE,
        (s.Flags = CUDA_ARRAY3D_TEXTURE_GATHER, s.Height = s.Depth = 0));
  SOLID("a depth texture", INVALID_VALUE, s.Flags = CUDA_ARRAY3D_DEPTH_TEXTURE);
  SOLID("a colour attachment", INVALID_VALUE, s.Flags = CUDA_ARRAY3D_COLOR_ATTACHMENT);
  SOLID("an unknown flag", INVALID_VALUE, s.Flags = 0x10000);
  SOLID("no such format", INVALID_VALUE, s.Format = (CUarray_format)0x77);
  SOLID("5 channels", INVALID_VALUE, s.NumChannels = 5);
  SOLID("all sizes 2^64 - 1", INVALID_VALUE, s.Width = s.Height = s.Depth = SIZE_MAX);
  SOLID("16384 x 16384 x 16384 of 16 bytes", OUT_OF_MEMORY,
        (s.Width = s.Height = s.Depth = 16384, s.Format = CU_AD_FORMAT_FLOAT, s.NumChannels = 4));
  ROW(cuArray3DCreate_v2, "NULL", INVALID_VALUE, (NULL, &solid_shape));
  ROW(cuArray3DCreate_v2, "no descriptor", INVALID_VALUE, (&o.array, NULL));
#undef DROP
  WITH(cuArrayDestroy, "good", SUCCESS, MUST(cuArrayCreate_v2(&gone, &flat_shape)), (gone), (void)0);
  ROW(cuArrayDestroy, "twice", SOFTWARE_ONLY(INVALID_HANDLE), (gone));
  ROW(cuArrayDestroy, "NULL", INVALID_HANDLE, (NULL));
  WITH(cuArrayGetDescriptor_v2, "good", SUCCESS, (void)0, (&o.flat, flat),
       HOLDS(o.flat.Width == 16 && o.flat.Height == 4));
  WITH(cuArrayGetDescriptor_v2, "of a 3D array", SUCCESS, (void)0, (&o.flat, solid),
       HOLDS(o.flat.Width == 16));
  ROW(cuArrayGetDescriptor_v2, "NULL", INVALID_VALUE, (NULL, flat));
  ROW(cuArrayGetDescriptor_v2, "no array", INVALID_HANDLE, (&o.flat, NULL));
  ROW(cuArrayGetDescriptor_v2, "a destroyed array", SOFTWARE_ONLY(INVALID_HANDLE), (&o.flat, gone));
  WITH(cuArray3DGetDescriptor_v2, "good", SUCCESS, (void)0, (&o.solid, solid), HOLDS(o.solid.Depth == 2));
  ROW(cuArray3DGetDescriptor_v2, "NULL", INVALID_VALUE, (NULL, solid));
  ROW(cuArray3DGetDescriptor_v2, "no array", INVALID_HANDLE, (&o.solid, NULL));
  ROW(cuArrayGetMemoryRequirements, "an array that is there", INVALID_VALUE, (&o.requirements, flat, dev));
  ROW(cuArrayGetMemoryRequirements, "NULL", INVALID_VALUE, (NULL, flat, dev));
  ROW(cuArrayGetMemoryRequirements, "no such device", INVALID_VALUE, (&o.requirements, flat, NO_DEVICE_));
  ROW(cuArrayGetMemoryRequirements, "no array", INVALID_VALUE, (&o.requirements, NULL, dev));

#define INTO(condition, want, a, offset, n)                                                                  \
  ROW(cuMemcpyHtoA_v2, condition, want, (a, offset, host, n));                                               \
  ROW(cuMemcpyHtoAAsync_v2, condition, want, (a, offset, host, n, st));                                      \
  ROW(cuMemcpyDtoA_v2, condition, want, (a, offset, mem, n));
#define FROM(condition, want, a, offset, n)                                                                  \
  ROW(cuMemcpyAtoH_v2, condition, want, (host, a, offset, n));                                               \
  ROW(cuMemcpyAtoHAsync_v2, condition, want, (host, a, offset, n, st));                                      \
  ROW(cuMemcpyAtoD_v2, condition, want, (mem, a, offset, n));                                                \
  ROW(cuMemcpyAtoA_v2, condition, want, (solid, 0, a, offset, n));
  INTO("good", SUCCESS, flat, 0, 16);
  INTO("0 bytes", SUCCESS, flat, 0, 0);
  INTO("past the first row", INVALID_VALUE, flat, 8, 16);
  INTO("beyond it", INVALID_VALUE, flat, 16, 1);
  INTO("an offset of 2^64 - 4", INVALID_VALUE, flat, SIZE_MAX - 3, 8);
  INTO("no array", INVALID_VALUE, NULL, 0, 16);
  INTO("a destroyed array", SOFTWARE_ONLY(INVALID_HANDLE), gone, 0, 16);
  FROM("good", SUCCESS, flat, 0, 16);
  FROM("0 bytes", SUCCESS, flat, 0, 0);
  FROM("past the first row", INVALID_VALUE, flat, 8, 16);
  FROM("beyond it", INVALID_VALUE, flat, 16, 1);
  FROM("no array", INVALID_VALUE, NULL, 0, 16);
  ROW(cuMemcpyAtoA_v2, "past the destination's first row", INVALID_VALUE, (flat, 8, solid, 0, 16));
  ROW(cuMemcpyAtoA_v2, "to no array", INVALID_VALUE, (NULL, 0, flat, 0, 16));
  ROW(cuMemcpyDtoA_v2, "from nothing", INVALID_VALUE, (flat, 0, NOWHERE, 16));
  ROW(cuMemcpyAtoD_v2, "to nothing", INVALID_VALUE, (NOWHERE, flat, 0, 16));
  ROW(cuMemcpyAtoD_v2, "past the end of the memory", INVALID_VALUE, (mem + MEM - 8, flat, 0, 16));
  ROW(cuMemcpyHtoA_v2, "from NULL", INVALID_VALUE, (flat, 0, NULL, 16));
  ROW(cuMemcpyAtoH_v2, "to NULL", INVALID_VALUE, (NULL, flat, 0, 16));
  ROW(cuMemcpyHtoAAsync_v2, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE),
      (flat, 0, host, 16, (CUstream)host));
  ROW(cuMemcpyAtoHAsync_v2, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE),
      (host, flat, 0, 16, (CUstream)host));
}
