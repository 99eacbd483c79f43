/* Device memory, in the order of streams and from pools too, managed and page-locked memory, and what
 * addresses are. */

enum { NOWHERE = 0x1234000 }; /* an address of nothing */

static void memory_rows(void) {
  CUdeviceptr p = 0;
  start_module();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuMemFree_v2(o.ptr))
  WITH(cuMemAlloc_v2, "16 bytes", SUCCESS, (void)0, (&o.ptr, 16), {
    HOLDS(o.ptr % 256 == 0);
    DROP;
  });
  WITH(cuMemAlloc_v2, "1 byte", SUCCESS, (void)0, (&o.ptr, 1), DROP);
  ROW(cuMemAlloc_v2, "0 bytes", WRITES(INVALID_VALUE), (&o.ptr, 0));
  ROW(cuMemAlloc_v2, "NULL", INVALID_VALUE, (NULL, 16));
  ROW(cuMemAlloc_v2, "2^45 bytes", WRITES(OUT_OF_MEMORY), (&o.ptr, (size_t)1 << 45));
  ROW(cuMemAlloc_v2, "2^64 - 1 bytes", WRITES(OUT_OF_MEMORY), (&o.ptr, SIZE_MAX));
  WITH(cuMemAllocPitch_v2, "good", SUCCESS, (void)0, (&o.ptr, &o.size, 100, 10, 4), {
    HOLDS(o.size == 512);
    DROP;
  });
  ROW(cuMemAllocPitch_v2, "elements of 3 bytes", WRITES(INVALID_VALUE), (&o.ptr, &o.size, 100, 10, 3));
  ROW(cuMemAllocPitch_v2, "elements of 0 bytes", WRITES(INVALID_VALUE), (&o.ptr, &o.size, 100, 10, 0));
  ROW(cuMemAllocPitch_v2, "elements of 32 bytes", WRITES(INVALID_VALUE), (&o.ptr, &o.size, 100, 10, 32));
  ROW(cuMemAllocPitch_v2, "width 0", WRITES(INVALID_VALUE), (&o.ptr, &o.size, 0, 10, 4));
  ROW(cuMemAllocPitch_v2, "height 0", WRITES(INVALID_VALUE), (&o.ptr, &o.size, 100, 0, 4));
  ROW(cuMemAllocPitch_v2, "NULL", SPOILS(INVALID_VALUE), (NULL, &o.size, 100, 10, 4));
  ROW(cuMemAllocPitch_v2, "no pitch wanted", SPOILS(INVALID_VALUE), (&o.ptr, NULL, 100, 10, 4));
  ROW(cuMemAllocPitch_v2, "2^45 bytes", WRITES(OUT_OF_MEMORY), (&o.ptr, &o.size, 1 << 20, 1 << 25, 4));
  ROW(cuMemAllocPitch_v2, "sizes that overflow", SOFTWARE_ONLY(WRITES(OUT_OF_MEMORY)),
      (&o.ptr, &o.size, SIZE_MAX / 2, 4, 4));
  WITH(cuMemFree_v2, "good", SUCCESS, MUST(cuMemAlloc_v2(&p, 16)), (p), (void)0);
  ROW(cuMemFree_v2, "twice", INVALID_VALUE, (p));
  ROW(cuMemFree_v2, "0", SUCCESS, (0));
  ROW(cuMemFree_v2, "inside of an allocation", INVALID_VALUE, (mem + 16));
  ROW(cuMemFree_v2, "not memory", INVALID_VALUE, (NOWHERE));
  ROW(cuMemFree_v2, "the program's memory", INVALID_VALUE, ((CUdeviceptr)(uintptr_t)host));
  CUdeviceptr cell;
  OK(cuModuleGetGlobal_v2(&cell, NULL, mod, "cell"));
  ROW(cuMemFree_v2, "a module's variable", INVALID_VALUE, (cell));
  WITH(cuMemGetInfo_v2, "good", SUCCESS, (void)0, (&o.free, &o.total), HOLDS(o.free <= o.total));
  ROW(cuMemGetInfo_v2, "no free", SUCCESS, (NULL, &o.total));
  ROW(cuMemGetInfo_v2, "no total", SUCCESS, (&o.free, NULL));
  WITH(cuMemGetAddressRange_v2, "good", SUCCESS, (void)0, (&o.base, &o.size, mem + 17),
       HOLDS(o.base == mem && o.size == MEM));
  WITH(cuMemGetAddressRange_v2, "only the size", SUCCESS, (void)0, (NULL, &o.size, mem),
       HOLDS(o.size == MEM));
  WITH(cuMemGetAddressRange_v2, "only the base", SUCCESS, (void)0, (&o.base, NULL, mem),
       HOLDS(o.base == mem));
  ROW(cuMemGetAddressRange_v2, "neither", SUCCESS, (NULL, NULL, mem));
  ROW(cuMemGetAddressRange_v2, "not memory", SPOILS(NOT_FOUND), (&o.base, &o.size, NOWHERE));
  ROW(cuMemGetAddressRange_v2, "0", SPOILS(NOT_FOUND), (&o.base, &o.size, 0));
  ROW(cuMemGetAddressRange_v2, "freed", SPOILS(NOT_FOUND), (&o.base, &o.size, p));
#undef DROP
}

#define FILES CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

static void async_rows(void) {
  CUdeviceptr p = 0;
  CUmemoryPool gone = NULL;
  start_module();
  start_memory();
#define DROP                                                                                                 \
  if (WORKED && o.ptr) MUST(cuMemFreeAsync(o.ptr, st))
  WITH(cuMemAllocAsync, "good", SUCCESS, (void)0, (&o.ptr, 16, st), DROP);
  WITH(cuMemAllocAsync, "the default stream", SUCCESS, (void)0, (&o.ptr, 16, NULL), DROP);
  WITH(cuMemAllocAsync, "0 bytes", SUCCESS, (void)0, (&o.ptr, 0, st), HOLDS(o.ptr == 0));
  ROW(cuMemAllocAsync, "NULL", INVALID_VALUE, (NULL, 16, st));
  ROW(cuMemAllocAsync, "2^45 bytes", WRITES(OUT_OF_MEMORY), (&o.ptr, (size_t)1 << 45, st));
  ROW(cuMemAllocAsync, "2^64 - 1 bytes", WRITES(OUT_OF_MEMORY), (&o.ptr, SIZE_MAX, st));
  ROW(cuMemAllocAsync, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (&o.ptr, 16, (CUstream)host));
  WITH(cuMemAllocFromPoolAsync, "good", SUCCESS, (void)0, (&o.ptr, 16, pool, st), DROP);
  ROW(cuMemAllocFromPoolAsync, "NULL", INVALID_VALUE, (NULL, 16, pool, st));
  ROW(cuMemAllocFromPoolAsync, "no pool", SPOILS(INVALID_VALUE), (&o.ptr, 16, NULL, st));
  ROW(cuMemAllocFromPoolAsync, "not a pool", SOFTWARE_ONLY(INVALID_VALUE),
      (&o.ptr, 16, (CUmemoryPool)host, st));
  ROW(cuMemAllocFromPoolAsync, "2^45 bytes", WRITES(OUT_OF_MEMORY), (&o.ptr, (size_t)1 << 45, pool, st));
  CUmemPoolProps small = pool_props;
  CUmemoryPool limited;
  small.maxSize = 32 << 20;
  OK(cuMemPoolCreate(&limited, &small));
  WITH(cuMemAllocFromPoolAsync, "more than the pool may have", WRITES(OUT_OF_MEMORY), (void)0,
       (&o.ptr, 64 << 20, limited, st), DROP);
  WITH(cuMemFreeAsync, "good", SUCCESS, MUST(cuMemAllocAsync(&p, 16, st)), (p, st), (void)0);
  ROW(cuMemFreeAsync, "twice", INVALID_VALUE, (p, st));
  ROW(cuMemFree_v2, "after cuMemFreeAsync", INVALID_VALUE, (p));
  ROW(cuMemFreeAsync, "inside of an allocation", INVALID_VALUE, (pooled + 16, st));
  ROW(cuMemFreeAsync, "not memory", INVALID_VALUE, (NOWHERE, st));
  ROW(cuMemFreeAsync, "0", SUCCESS, (0, st));
  ROW(cuMemFreeAsync, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (pooled, (CUstream)host));
  ROW(cuMemFreeAsync, "managed memory", NOT_SUPPORTED, (managed, st));
  WITH(cuMemFreeAsync, "memory of cuMemAlloc", SUCCESS, MUST(cuMemAlloc_v2(&p, 16)), (p, st), (void)0);
  WITH(cuMemFree_v2, "memory of a pool", SUCCESS,
       (MUST(cuMemAllocAsync(&p, 16, st)), MUST(cuStreamSynchronize(st))), (p), (void)0);
#undef DROP

#define DROP                                                                                                 \
  if (WORKED) MUST(cuMemPoolDestroy(o.pool))
#define PROPS(condition, want, change)                                                                       \
  WITH(cuMemPoolCreate, condition, want, (small = pool_props, change), (&o.pool, &small), DROP)
  PROPS("good", SUCCESS, (void)0);
  PROPS("no such kind of allocation", INVALID_VALUE, small.allocType = (CUmemAllocationType)77);
  PROPS("the current NUMA node", INVALID_VALUE, small.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  PROPS("no such place", INVALID_VALUE, small.location.type = (CUmemLocationType)77);
  PROPS("no such device", INVALID_VALUE, small.location.id = NO_DEVICE_);
  PROPS("a largest size", SUCCESS, small.maxSize = 32 << 20);
#define AT(kind, place, number)                                                                              \
  small.allocType = CU_MEM_ALLOCATION_TYPE_##kind, small.location.type = CU_MEM_LOCATION_TYPE_##place,       \
  small.location.id = number
  PROPS("the host", SUCCESS, (AT(PINNED, HOST, 0)));
  PROPS("NUMA node 0", SUCCESS, (AT(PINNED, HOST_NUMA, 0)));
  PROPS("no such NUMA node", INVALID_VALUE, (AT(PINNED, HOST_NUMA, 9999)));
  PROPS("pinned to nothing", INVALID_VALUE, (AT(PINNED, NONE, 0)));
  PROPS("managed, the device", SUCCESS, (AT(MANAGED, DEVICE, 0)));
  PROPS("managed, no such device", INVALID_VALUE, (AT(MANAGED, DEVICE, NO_DEVICE_)));
  PROPS("managed, the host", SUCCESS, (AT(MANAGED, HOST, 0)));
  PROPS("managed, NUMA node 0", SUCCESS, (AT(MANAGED, HOST_NUMA, 0)));
  PROPS("managed, anywhere", SUCCESS, (AT(MANAGED, NONE, 0)));
  PROPS("shared by file descriptor", SUCCESS, small.handleTypes = FILES);
  PROPS("shared by file descriptor, NUMA node 0", SUCCESS,
        (AT(PINNED, HOST_NUMA, 0), small.handleTypes = FILES));
  PROPS("shared by file descriptor, the host", INVALID_VALUE,
        (AT(PINNED, HOST, 0), small.handleTypes = FILES)); /* as documented */
  PROPS("shared by file descriptor, managed", INVALID_VALUE,
        (AT(MANAGED, DEVICE, 0), small.handleTypes = FILES));
  PROPS("shared by a handle of Windows", INVALID_VALUE, small.handleTypes = CU_MEM_HANDLE_TYPE_WIN32);
  PROPS("shared in a fabric", SUCCESS, small.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC);
#undef AT
  PROPS("an unknown kind of handle", INVALID_VALUE, small.handleTypes = (CUmemAllocationHandleType)0x40);
  ROW(cuMemPoolCreate, "NULL", INVALID_VALUE, (NULL, &pool_props));
  ROW(cuMemPoolCreate, "no properties", INVALID_VALUE, (&o.pool, NULL));
#undef DROP
  WITH(cuMemPoolDestroy, "good", SUCCESS, MUST(cuMemPoolCreate(&gone, &pool_props)), (gone), (void)0);
  ROW(cuMemPoolDestroy, "twice", SOFTWARE_ONLY(INVALID_VALUE), (gone));
  ROW(cuMemPoolDestroy, "the device's own", INVALID_VALUE, (standard));
  ROW(cuMemPoolDestroy, "NULL", INVALID_VALUE, (NULL));
  ROW(cuMemPoolTrimTo, "good", SUCCESS, (pool, 0));
  ROW(cuMemPoolTrimTo, "2^40 bytes", SUCCESS, (pool, (size_t)1 << 40));
  ROW(cuMemPoolTrimTo, "NULL", INVALID_VALUE, (NULL, 0));
  ROW(cuMemPoolTrimTo, "destroyed", SOFTWARE_ONLY(INVALID_VALUE), (gone, 0));
  cuuint64_t n = 0, one = 1;
  ROW(cuMemPoolSetAttribute, "threshold", SUCCESS, (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n));
  ROW(cuMemPoolSetAttribute, "reuse", SUCCESS, (pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &one));
  ROW(cuMemPoolSetAttribute, "the high water mark to 0", SUCCESS, (pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &n));
  ROW(cuMemPoolSetAttribute, "the high water mark to 1", INVALID_VALUE,
      (pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one));
  ROW(cuMemPoolSetAttribute, "the other one to 1", INVALID_VALUE,
      (pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &one));
  ROW(cuMemPoolSetAttribute, "what is used", INVALID_VALUE, (pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &n));
  ROW(cuMemPoolSetAttribute, "what is reserved", INVALID_VALUE,
      (pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &n));
  ROW(cuMemPoolSetAttribute, "no such attribute", INVALID_VALUE, (pool, (CUmemPool_attribute)99, &n));
  ROW(cuMemPoolSetAttribute, "no value", SOFTWARE_ONLY(INVALID_VALUE),
      (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
  ROW(cuMemPoolSetAttribute, "no pool", INVALID_VALUE, (NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n));
  WITH(cuMemPoolGetAttribute, "threshold", SUCCESS, (void)0, (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &o.id),
       HOLDS(o.id == 0));
  WITH(cuMemPoolGetAttribute, "reuse", SUCCESS, (void)0,
       (pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &o.i), HOLDS(o.i == 1));
  ROW(cuMemPoolGetAttribute, "no such attribute", INVALID_VALUE, (pool, (CUmemPool_attribute)99, &o.id));
  ROW(cuMemPoolGetAttribute, "nowhere to put it", SOFTWARE_ONLY(INVALID_VALUE),
      (pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL));
  ROW(cuMemPoolGetAttribute, "no pool", SOFTWARE_ONLY(INVALID_VALUE),
      (NULL, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &o.id));
  CUmemAccessDesc d;
#define OPEN(condition, want, change)                                                                        \
  WITH(cuMemPoolSetAccess, condition, want, (d = opening, change), (pool, &d, 1), (void)0)
  OPEN("its own device", SUCCESS, (void)0);
  OPEN("nothing for its own device", INVALID_DEVICE, d.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE);
  OPEN("reading only", NOT_SUPPORTED, d.flags = CU_MEM_ACCESS_FLAGS_PROT_READ);
  OPEN("no such flags", INVALID_VALUE, d.flags = (CUmemAccess_flags)77);
  OPEN("no such device", INVALID_DEVICE, d.location.id = NO_DEVICE_);
  OPEN("the host", NOT_SUPPORTED, d.location.type = CU_MEM_LOCATION_TYPE_HOST);
  ROW(cuMemPoolSetAccess, "no list", INVALID_VALUE, (pool, NULL, 0));
  ROW(cuMemPoolSetAccess, "a list of none", SUCCESS, (pool, &opening, 0));
  ROW(cuMemPoolSetAccess, "no pool", INVALID_VALUE, (NULL, &opening, 1));
  WITH(cuMemPoolGetAccess, "good", SUCCESS, (void)0, (&o.access, pool, &here),
       HOLDS(o.access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  CUmemLocation elsewhere = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = NO_DEVICE_},
                wrong = {.type = (CUmemLocationType)77};
  CUmemLocation numa = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT};
  CUmemLocation cpu = {.type = CU_MEM_LOCATION_TYPE_HOST};
  CUmemoryPool of_host = NULL, of_managed = NULL;
  small = pool_props;
  small.location = cpu;
  if (cuMemPoolCreate(&of_host, &small) == CUDA_SUCCESS) {
    WITH(cuMemPoolGetAccess, "the device to the host's", SUCCESS, (void)0, (&o.access, of_host, &here),
         HOLDS(o.access == CU_MEM_ACCESS_FLAGS_PROT_NONE));
    WITH(cuMemPoolGetAccess, "the host to its own", SUCCESS, (void)0, (&o.access, of_host, &cpu),
         HOLDS(o.access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    ROW(cuMemPoolSetAccess, "a device to the host's", SUCCESS, (of_host, &opening, 1));
    WITH(cuMemPoolSetAccess, "nothing for the host to its own", NOT_SUPPORTED,
         (d = opening, d.location = cpu, d.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE), (of_host, &d, 1), (void)0);
    ROW(cuDeviceSetMemPool, "the host's", INVALID_VALUE, (dev, of_host));
    WITH(cuMemSetMemPool, "the host's", SUCCESS, (void)0, (&cpu, CU_MEM_ALLOCATION_TYPE_PINNED, of_host),
         (void)0);
    ROW(cuMemSetMemPool, "the host's for the device", INVALID_VALUE,
        (&here, CU_MEM_ALLOCATION_TYPE_PINNED, of_host));
    WITH(cuMemAllocFromPoolAsync, "the host's", SUCCESS, (void)0, (&o.ptr, 16, of_host, st),
         if (WORKED) MUST(cuMemFreeAsync(o.ptr, st)));
  }
  small = pool_props;
  small.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
  if (cuMemPoolCreate(&of_managed, &small) == CUDA_SUCCESS) {
    ROW(cuMemPoolSetAccess, "nothing for a device to managed memory", SUCCESS,
        (of_managed, &(CUmemAccessDesc){.location = here, .flags = CU_MEM_ACCESS_FLAGS_PROT_NONE}, 1));
    WITH(cuMemPoolGetAccess, "the device to managed memory without it", SUCCESS, (void)0,
         (&o.access, of_managed, &here), HOLDS(o.access != CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    WITH(cuMemAllocFromPoolAsync, "managed memory", SUCCESS, (void)0, (&o.ptr, 16, of_managed, st),
         if (WORKED) MUST(cuMemFreeAsync(o.ptr, st)));
  }
  WITH(cuMemGetDefaultMemPool, "the host's", SUCCESS, (void)0, (&o.pool, &cpu, CU_MEM_ALLOCATION_TYPE_PINNED),
       HOLDS(o.pool != standard));
  WITH(cuMemGetDefaultMemPool, "managed, the device's", SUCCESS, (void)0,
       (&o.pool, &here, CU_MEM_ALLOCATION_TYPE_MANAGED), HOLDS(o.pool != standard));
  ROW(cuMemPoolGetAccess, "no such device", INVALID_VALUE, (&o.access, pool, &elsewhere));
  ROW(cuMemPoolGetAccess, "no such place", INVALID_VALUE, (&o.access, pool, &wrong));
  ROW(cuMemPoolGetAccess, "NULL", INVALID_VALUE, (NULL, pool, &here));
  ROW(cuMemPoolGetAccess, "no place", INVALID_VALUE, (&o.access, pool, NULL));
  ROW(cuMemPoolGetAccess, "no pool", INVALID_VALUE, (&o.access, NULL, &here));

  WITH(cuDeviceGetDefaultMemPool, "good", SUCCESS, (void)0, (&o.pool, dev), HOLDS(o.pool == standard));
  ROW(cuDeviceGetDefaultMemPool, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDeviceGetDefaultMemPool, "no such device", INVALID_DEVICE, (&o.pool, NO_DEVICE_));
  WITH(cuDeviceGetMemPool, "good", SUCCESS, (void)0, (&o.pool, dev), HOLDS(o.pool == standard));
  ROW(cuDeviceGetMemPool, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDeviceGetMemPool, "device -1", INVALID_VALUE, (&o.pool, -1));
  WITH(cuDeviceSetMemPool, "good", SUCCESS, (void)0, (dev, pool), MUST(cuDeviceSetMemPool(dev, standard)));
  ROW(cuDeviceSetMemPool, "no such device", INVALID_VALUE, (NO_DEVICE_, standard));
  ROW(cuDeviceSetMemPool, "no pool", INVALID_VALUE, (dev, NULL));
  ROW(cuDeviceSetMemPool, "a destroyed pool", SOFTWARE_ONLY(INVALID_VALUE), (dev, gone));
  WITH(cuMemGetDefaultMemPool, "good", SUCCESS, (void)0, (&o.pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED),
       HOLDS(o.pool == standard));
  ROW(cuMemGetDefaultMemPool, "NULL", INVALID_VALUE, (NULL, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  ROW(cuMemGetDefaultMemPool, "no place", INVALID_VALUE, (&o.pool, NULL, CU_MEM_ALLOCATION_TYPE_PINNED));
  ROW(cuMemGetDefaultMemPool, "no such device", INVALID_VALUE,
      (&o.pool, &elsewhere, CU_MEM_ALLOCATION_TYPE_PINNED));
  ROW(cuMemGetDefaultMemPool, "no kind of allocation", INVALID_VALUE,
      (&o.pool, &here, CU_MEM_ALLOCATION_TYPE_INVALID));
  WITH(cuMemGetMemPool, "good", SUCCESS, (void)0, (&o.pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED),
       HOLDS(o.pool == standard));
  ROW(cuMemGetMemPool, "NULL", INVALID_VALUE, (NULL, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  ROW(cuMemGetMemPool, "no such kind of allocation", INVALID_VALUE,
      (&o.pool, &here, (CUmemAllocationType)77));
  ROW(cuMemGetMemPool, "the current NUMA node", NOT_SUPPORTED,
      (&o.pool, &numa, CU_MEM_ALLOCATION_TYPE_PINNED));
  WITH(cuMemSetMemPool, "good", SUCCESS, (void)0, (&here, CU_MEM_ALLOCATION_TYPE_PINNED, pool),
       MUST(cuDeviceSetMemPool(dev, standard)));
  ROW(cuMemSetMemPool, "no pool", INVALID_VALUE, (&here, CU_MEM_ALLOCATION_TYPE_PINNED, NULL));
  ROW(cuMemSetMemPool, "no place", INVALID_VALUE, (NULL, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
  ROW(cuMemSetMemPool, "no such device", INVALID_VALUE, (&elsewhere, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
}

/* What is written by the one address is read by the other. */
static bool same_bytes(CUdeviceptr a, CUdeviceptr b) {
  unsigned char read = 0;
  return cuMemsetD8_v2(a, 0x3c, 1) == CUDA_SUCCESS && cuMemcpyDtoH_v2(&read, b, 1) == CUDA_SUCCESS &&
         read == 0x3c;
}

/* Sharing pools: in one process there is little to be had. memory_test.c has two. */
static void shared_pool_rows(void) {
  CUmemoryPool sharing = NULL;
  CUmemPoolProps props = pool_props;
  CUmemPoolPtrExportData data = {{0}};
  CUdeviceptr p;
  int fd = -1;
  start_module();
  start_memory();
  props.handleTypes = FILES;
  OK(cuMemPoolCreate(&sharing, &props));
  OK(cuMemAllocFromPoolAsync(&p, MEM, sharing, st));
  OK(cuStreamSynchronize(st));
  OK(cuMemPoolExportToShareableHandle(&fd, sharing, FILES, 0));
  WITH(cuMemPoolExportToShareableHandle, "good", SUCCESS, (void)0, (&o.i, sharing, FILES, 0),
       (HOLDS(o.i >= 0), close(o.i)));
  ROW(cuMemPoolExportToShareableHandle, "a pool that is not shared", INVALID_VALUE, (&o.i, pool, FILES, 0));
  ROW(cuMemPoolExportToShareableHandle, "the device's own", INVALID_VALUE, (&o.i, standard, FILES, 0));
  ROW(cuMemPoolExportToShareableHandle, "another kind of handle", INVALID_VALUE,
      (&o.i, sharing, CU_MEM_HANDLE_TYPE_FABRIC, 0));
  ROW(cuMemPoolExportToShareableHandle, "no kind of handle", INVALID_VALUE,
      (&o.i, sharing, CU_MEM_HANDLE_TYPE_NONE, 0));
  ROW(cuMemPoolExportToShareableHandle, "flags", INVALID_VALUE, (&o.i, sharing, FILES, 1));
  ROW(cuMemPoolExportToShareableHandle, "no pool", INVALID_VALUE, (&o.i, NULL, FILES, 0));
  ROW(cuMemPoolExportToShareableHandle, "NULL", INVALID_VALUE, (NULL, sharing, FILES, 0));
  ROW(cuMemPoolImportFromShareableHandle, "no descriptor", WRITES(UNKNOWN),
      (&o.pool, (void *)(intptr_t)-1, FILES, 0));
  ROW(cuMemPoolImportFromShareableHandle, "flags", INVALID_VALUE, (&o.pool, (void *)(intptr_t)fd, FILES, 1));
  const int null_fd = open("/dev/null", O_RDWR);
  ROW(cuMemPoolImportFromShareableHandle, "a descriptor of something else", WRITES(UNKNOWN),
      (&o.pool, (void *)(intptr_t)null_fd, FILES, 0));
  close(null_fd);
  ROW(cuMemPoolImportFromShareableHandle, "a closed descriptor", WRITES(UNKNOWN),
      (&o.pool, (void *)(intptr_t)null_fd, FILES, 0));
  ROW(cuMemPoolImportFromShareableHandle, "no kind of handle", WRITES(INVALID_VALUE),
      (&o.pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_NONE, 0));
  ROW(cuMemPoolImportFromShareableHandle, "NULL", INVALID_VALUE, (NULL, (void *)(intptr_t)fd, FILES, 0));
  WITH(cuMemPoolImportFromShareableHandle, "its own", SUCCESS, (void)0,
       (&o.pool, (void *)(intptr_t)fd, FILES, 0), if (WORKED) MUST(cuMemPoolDestroy(o.pool)));
  ROW(cuMemPoolExportPointer, "good", SUCCESS, (&o.data, p));
  ROW(cuMemPoolExportPointer, "inside of an allocation", INVALID_VALUE, (&o.data, p + 512));
  ROW(cuMemPoolExportPointer, "of a pool that is not shared", INVALID_VALUE, (&o.data, pooled));
  ROW(cuMemPoolExportPointer, "not of a pool", INVALID_VALUE, (&o.data, mem));
  ROW(cuMemPoolExportPointer, "0", INVALID_VALUE, (&o.data, 0));
  ROW(cuMemPoolExportPointer, "NULL", INVALID_VALUE, (NULL, p));
  ROW(cuMemPoolImportPointer, "zeros", WRITES(INVALID_VALUE), (&o.ptr, sharing, &data));
  OK(cuMemPoolExportPointer(&data, p));
  ROW(cuMemPoolImportPointer, "a pool that was not imported", WRITES(INVALID_VALUE),
      (&o.ptr, sharing, &data));
  ROW(cuMemPoolImportPointer, "no pool", INVALID_VALUE, (&o.ptr, NULL, &data));
  ROW(cuMemPoolImportPointer, "no data", SOFTWARE_ONLY(INVALID_VALUE), (&o.ptr, sharing, NULL));
  ROW(cuMemPoolImportPointer, "NULL", INVALID_VALUE, (NULL, sharing, &data));
  CUmemoryPool own = NULL;
  OK(cuMemPoolImportFromShareableHandle(&own, (void *)(intptr_t)fd, FILES, 0));
  WITH(
      cuMemPoolImportPointer, "of this process", SUCCESS, (void)0, (&o.ptr, own, &data), if (WORKED && SOFT) {
        HOLDS(o.ptr != p && same_bytes(o.ptr, p));
        MUST(cuMemFree_v2(o.ptr));
      });
  ROW(cuMemAllocFromPoolAsync, "a pool of this process that was imported", WRITES(INVALID_VALUE),
      (&o.ptr, 16, own, st));
  CUmemoryPool fabric = NULL;
  props.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
  if (cuMemPoolCreate(&fabric, &props) == CUDA_SUCCESS)
    ROW(cuMemPoolExportToShareableHandle, "in a fabric", NOT_PERMITTED,
        (o.text, fabric, CU_MEM_HANDLE_TYPE_FABRIC, 0));
  close(fd);
}

static void managed_rows(void) {
  start_module();
  start_memory();
  int concurrent = 0;
  OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, dev));
  if (!concurrent) return;
  CUmemLocation cpu = {.type = CU_MEM_LOCATION_TYPE_HOST}, numa = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA},
                away = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = NO_DEVICE_},
                wrong = {.type = (CUmemLocationType)77};
#define DROP                                                                                                 \
  if (WORKED) MUST(cuMemFree_v2(o.ptr))
  WITH(cuMemAllocManaged, "good", SUCCESS, (void)0, (&o.ptr, 16, CU_MEM_ATTACH_GLOBAL), DROP);
  WITH(cuMemAllocManaged, "for the host", SUCCESS, (void)0, (&o.ptr, 16, CU_MEM_ATTACH_HOST), DROP);
  ROW(cuMemAllocManaged, "for a stream", WRITES(INVALID_VALUE), (&o.ptr, 16, CU_MEM_ATTACH_SINGLE));
  ROW(cuMemAllocManaged, "no flags", WRITES(INVALID_VALUE), (&o.ptr, 16, 0));
  ROW(cuMemAllocManaged, "0 bytes", WRITES(INVALID_VALUE), (&o.ptr, 0, CU_MEM_ATTACH_GLOBAL));
  ROW(cuMemAllocManaged, "NULL", INVALID_VALUE, (NULL, 16, CU_MEM_ATTACH_GLOBAL));
  ROW(cuMemAllocManaged, "2^60 bytes", WRITES(OUT_OF_MEMORY),
      (&o.ptr, (size_t)1 << 60, CU_MEM_ATTACH_GLOBAL));
#undef DROP
#define ADVISE(condition, want, p, n, advice, device)                                                        \
  ROW(cuMemAdvise, condition, want, (p, n, advice, device))
  ADVISE("read mostly", SUCCESS, managed, MEM, CU_MEM_ADVISE_SET_READ_MOSTLY, dev);
  ADVISE("preferred on the host", SUCCESS, managed, MEM, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU);
  ADVISE("accessed by a device", SUCCESS, managed, MEM, CU_MEM_ADVISE_SET_ACCESSED_BY, dev);
  ADVISE("no such advice", INVALID_VALUE, managed, MEM, (CUmem_advise)99, dev);
  ADVISE("advice 0", INVALID_VALUE, managed, MEM, (CUmem_advise)0, dev);
  ADVISE("0 bytes", INVALID_VALUE, managed, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, dev);
  ADVISE("a byte too many", INVALID_VALUE, managed, MEM + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, dev);
  ADVISE("a device's memory", INVALID_VALUE, mem, MEM, CU_MEM_ADVISE_SET_READ_MOSTLY, dev);
  ADVISE("not memory", INVALID_VALUE, NOWHERE, MEM, CU_MEM_ADVISE_SET_READ_MOSTLY, dev);
  ADVISE("no such device", INVALID_DEVICE, managed, MEM, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, NO_DEVICE_);
  ADVISE("read mostly for no such device", SUCCESS, managed, MEM, CU_MEM_ADVISE_SET_READ_MOSTLY, NO_DEVICE_);
#undef ADVISE
#define ADVISE(condition, want, advice, place)                                                               \
  ROW(cuMemAdvise_v2, condition, want, (managed, MEM, advice, place))
  ADVISE("preferred on a device", SUCCESS, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here);
  ADVISE("preferred on a NUMA node", SUCCESS, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, numa);
  ADVISE("accessed by a NUMA node", INVALID_VALUE, CU_MEM_ADVISE_SET_ACCESSED_BY, numa);
  ADVISE("preferred nowhere", INVALID_VALUE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, wrong);
  ADVISE("no such device", INVALID_VALUE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, away);
  ADVISE("no such advice", INVALID_VALUE, (CUmem_advise)99, here);
#undef ADVISE
  ROW(cuMemPrefetchAsync, "good", SUCCESS, (managed, MEM, dev, st));
  ROW(cuMemPrefetchAsync, "to the host", SUCCESS, (managed, MEM, CU_DEVICE_CPU, st));
  ROW(cuMemPrefetchAsync, "a device's memory", INVALID_VALUE, (mem, MEM, dev, st));
  ROW(cuMemPrefetchAsync, "a byte too many", INVALID_VALUE, (managed, MEM + 1, dev, st));
  ROW(cuMemPrefetchAsync, "0 bytes", INVALID_VALUE, (managed, 0, dev, st));
  ROW(cuMemPrefetchAsync, "no such device", INVALID_DEVICE, (managed, MEM, NO_DEVICE_, st));
  ROW(cuMemPrefetchAsync, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (managed, MEM, dev, (CUstream)host));
  ROW(cuMemPrefetchAsync_v2, "good", SUCCESS, (managed, MEM, cpu, 0, st));
  ROW(cuMemPrefetchAsync_v2, "flags", INVALID_VALUE, (managed, MEM, cpu, 1, st));
  ROW(cuMemPrefetchAsync_v2, "0 bytes", INVALID_VALUE, (managed, 0, here, 0, st));
  ROW(cuMemPrefetchAsync_v2, "no such place", INVALID_VALUE, (managed, MEM, wrong, 0, st));
  ROW(cuMemPrefetchAsync_v2, "no such device", INVALID_DEVICE, (managed, MEM, away, 0, st));
#define ASK(condition, want, n, attribute, p, bytes)                                                         \
  ROW(cuMemRangeGetAttribute, condition, want, (&o.i, n, CU_MEM_RANGE_ATTRIBUTE_##attribute, p, bytes))
  ASK("read mostly", SUCCESS, 4, READ_MOSTLY, managed, MEM);
  ASK("preferred location", SUCCESS, 4, PREFERRED_LOCATION, managed, MEM);
  ASK("accessed by", SUCCESS, 4, ACCESSED_BY, managed, MEM);
  ASK("the last prefetch", SUCCESS, 4, LAST_PREFETCH_LOCATION, managed, MEM);
  ASK("3 bytes of it", INVALID_VALUE, 3, READ_MOSTLY, managed, MEM);
  ASK("8 bytes of it", INVALID_VALUE, 8, READ_MOSTLY, managed, MEM);
  ASK("6 bytes of a list", INVALID_VALUE, 6, ACCESSED_BY, managed, MEM);
  ASK("0 bytes of a list", INVALID_VALUE, 0, ACCESSED_BY, managed, MEM);
  ASK("of 0 bytes", INVALID_VALUE, 4, READ_MOSTLY, managed, 0);
  ASK("of a device's memory", INVALID_VALUE, 4, READ_MOSTLY, mem, MEM);
  ROW(cuMemRangeGetAttribute, "no such attribute", INVALID_VALUE,
      (&o.i, 4, (CUmem_range_attribute)99, managed, MEM));
  ROW(cuMemRangeGetAttribute, "NULL", INVALID_VALUE,
      (NULL, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, MEM));
#undef ASK
  void *data[] = {&o.i, &o.j};
  size_t sizes[] = {4, 4}, wrong_sizes[] = {3, 3};
  CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                   CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
  ROW(cuMemRangeGetAttributes, "good", SUCCESS, (data, sizes, which, 2, managed, MEM));
  ROW(cuMemRangeGetAttributes, "none", INVALID_VALUE, (data, sizes, which, 0, managed, MEM));
  ROW(cuMemRangeGetAttributes, "wrong sizes", INVALID_VALUE, (data, wrong_sizes, which, 2, managed, MEM));
  ROW(cuMemRangeGetAttributes, "a device's memory", INVALID_VALUE, (data, sizes, which, 2, mem, MEM));
  ROW(cuMemRangeGetAttributes, "NULL", INVALID_VALUE, (NULL, sizes, which, 2, managed, MEM));
  ROW(cuStreamAttachMemAsync, "good", SUCCESS, (st, managed, 0, CU_MEM_ATTACH_GLOBAL));
  ROW(cuStreamAttachMemAsync, "the whole size", SUCCESS, (st, managed, MEM, CU_MEM_ATTACH_HOST));
  ROW(cuStreamAttachMemAsync, "to this stream", SUCCESS, (st, managed, 0, CU_MEM_ATTACH_SINGLE));
  ROW(cuStreamAttachMemAsync, "to the default stream", PLAIN(INVALID_VALUE),
      (NULL, managed, 0, CU_MEM_ATTACH_SINGLE));
  ROW(cuStreamAttachMemAsync, "to the thread's stream", SUCCESS,
      (CU_STREAM_PER_THREAD, managed, 0, CU_MEM_ATTACH_SINGLE));
  ROW(cuStreamAttachMemAsync, "a part of it", INVALID_VALUE, (st, managed, 100, CU_MEM_ATTACH_GLOBAL));
  ROW(cuStreamAttachMemAsync, "not its beginning", INVALID_VALUE,
      (st, managed + 16, 0, CU_MEM_ATTACH_GLOBAL));
  ROW(cuStreamAttachMemAsync, "no such flags", INVALID_VALUE, (st, managed, 0, 8));
  ROW(cuStreamAttachMemAsync, "a device's memory", INVALID_VALUE, (st, mem, 0, CU_MEM_ATTACH_GLOBAL));
  ROW(cuStreamAttachMemAsync, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE),
      ((CUstream)host, managed, 0, CU_MEM_ATTACH_GLOBAL));
}

static void host_memory_rows(void) {
  void *p = NULL;
  static unsigned char mine[2 * MEM];
  start_module();
  start_memory();
#define DROP                                                                                                 \
  if (WORKED && o.any) MUST(cuMemFreeHost(o.any))
  WITH(cuMemHostAlloc, "good", SUCCESS, (void)0, (&o.any, 16, 0), DROP);
  WITH(cuMemHostAlloc, "all flags", SUCCESS, (void)0, (&o.any, 16, 7), DROP);
  WITH(cuMemHostAlloc, "unknown flags", SPOILS(INVALID_VALUE), (void)0, (&o.any, 16, 0x100), DROP);
  WITH(cuMemHostAlloc, "flag 8", SPOILS(INVALID_VALUE), (void)0, (&o.any, 16, 8), DROP);
  WITH(cuMemHostAlloc, "0 bytes", SUCCESS, (void)0, (&o.any, 0, 0), DROP);
  ROW(cuMemHostAlloc, "NULL", INVALID_VALUE, (NULL, 16, 0));
  ROW(cuMemHostAlloc, "2^45 bytes", SOFTWARE_ONLY(WRITES(OUT_OF_MEMORY)), (&o.any, (size_t)1 << 45, 0));
  WITH(cuMemAllocHost_v2, "good", SUCCESS, (void)0, (&o.any, 16), DROP);
  WITH(cuMemAllocHost_v2, "0 bytes", SUCCESS, (void)0, (&o.any, 0), DROP);
  ROW(cuMemAllocHost_v2, "NULL", INVALID_VALUE, (NULL, 16));
#undef DROP
  WITH(cuMemFreeHost, "good", SUCCESS, MUST(cuMemAllocHost_v2(&p, 16)), (p), (void)0);
  ROW(cuMemFreeHost, "twice", INVALID_VALUE, (p));
  ROW(cuMemFreeHost, "NULL", SUCCESS, (NULL));
  ROW(cuMemFreeHost, "the program's memory", INVALID_VALUE, (host));
  ROW(cuMemFreeHost, "registered memory", INVALID_VALUE, (registered));
  ROW(cuMemFreeHost, "inside of an allocation", INVALID_VALUE, ((char *)pinned + 16));
  ROW(cuMemFree_v2, "registered memory", INVALID_VALUE, ((CUdeviceptr)(uintptr_t)registered));
  WITH(cuMemFree_v2, "page-locked memory", INVALID_VALUE, MUST(cuMemAllocHost_v2(&p, 16)),
       ((CUdeviceptr)(uintptr_t)p), (void)0);
  WITH(cuMemHostGetDevicePointer_v2, "good", SUCCESS, (void)0, (&o.ptr, pinned, 0),
       HOLDS(o.ptr == (CUdeviceptr)(uintptr_t)pinned));
  WITH(cuMemHostGetDevicePointer_v2, "inside", SUCCESS, (void)0, (&o.ptr, (char *)pinned + 16, 0),
       HOLDS(o.ptr == (CUdeviceptr)(uintptr_t)pinned + 16));
  ROW(cuMemHostGetDevicePointer_v2, "registered", SUCCESS, (&o.ptr, registered, 0));
  ROW(cuMemHostGetDevicePointer_v2, "flags", WRITES(INVALID_VALUE), (&o.ptr, pinned, 1));
  ROW(cuMemHostGetDevicePointer_v2, "the program's memory", WRITES(INVALID_VALUE), (&o.ptr, host, 0));
  ROW(cuMemHostGetDevicePointer_v2, "no memory", WRITES(INVALID_VALUE), (&o.ptr, NULL, 0));
  ROW(cuMemHostGetDevicePointer_v2, "NULL", INVALID_VALUE, (NULL, pinned, 0));
  WITH(cuMemHostGetFlags, "good", SUCCESS, (void)0, (&o.u, pinned), HOLDS(o.u & CU_MEMHOSTALLOC_DEVICEMAP));
  ROW(cuMemHostGetFlags, "managed memory", SUCCESS, (&o.u, (void *)(uintptr_t)managed));
  ROW(cuMemHostGetFlags, "the program's memory", INVALID_VALUE, (&o.u, host));
  ROW(cuMemHostGetFlags, "no memory", INVALID_VALUE, (&o.u, NULL));
  ROW(cuMemHostGetFlags, "NULL", INVALID_VALUE, (NULL, pinned));

#define DROP                                                                                                 \
  if (WORKED) MUST(cuMemHostUnregister(mine))
  WITH(cuMemHostRegister_v2, "unknown flags", INVALID_VALUE, (void)0, (mine, MEM, 0x100), DROP);
  WITH(cuMemHostRegister, "unknown flags", SUCCESS, (void)0, (mine, MEM, 0x100), DROP);
  WITH(cuMemHostRegister_v2, "as a device's", INVALID_VALUE, (void)0,
       (mine, MEM, CU_MEMHOSTREGISTER_IOMEMORY), DROP);
  WITH(cuMemHostRegister, "as a device's", SUCCESS, (void)0, (mine, MEM, CU_MEMHOSTREGISTER_IOMEMORY), DROP);
#define BOTH(condition, want, ...)                                                                           \
  WITH(cuMemHostRegister_v2, condition, want, (void)0, (__VA_ARGS__), DROP);                                 \
  WITH(cuMemHostRegister, condition, want, (void)0, (__VA_ARGS__), DROP)
  BOTH("good", SUCCESS, mine, MEM, 0);
  BOTH("portable and mapped", SUCCESS, mine, MEM, 3);
  BOTH("0 bytes", INVALID_VALUE, mine, 0, 0);
  BOTH("2^64 - 1 bytes", INVALID_VALUE, mine, SIZE_MAX, 0);
  BOTH("NULL", INVALID_VALUE, NULL, MEM, 0);
  BOTH("page-locked memory", INVALID_VALUE, pinned, MEM, 0);
  BOTH("a device's memory", INVALID_VALUE, (void *)(uintptr_t)mem, MEM, 0);
  BOTH("twice", HOST_MEMORY_ALREADY_REGISTERED, registered, MEM, 0);
  BOTH("a part of it twice", HOST_MEMORY_ALREADY_REGISTERED, registered + 64, 64, 0);
#undef BOTH
#undef DROP
  WITH(cuMemHostUnregister, "good", SUCCESS, MUST(cuMemHostRegister_v2(mine, MEM, 0)), (mine), (void)0);
  ROW(cuMemHostUnregister, "twice", HOST_MEMORY_NOT_REGISTERED, (mine));
  ROW(cuMemHostUnregister, "NULL", INVALID_VALUE, (NULL));
  ROW(cuMemHostUnregister, "not its beginning", INVALID_VALUE, (registered + 64));
  ROW(cuMemHostUnregister, "page-locked memory", INVALID_VALUE, (pinned));
}

static void pointer_rows(void) {
  CUpointer_attribute type[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE}, none_such[] = {(CUpointer_attribute)99};
  unsigned on = 1;
  start_module();
  start_memory();
  const CUdeviceptr mine = (CUdeviceptr)(uintptr_t)host;
#define ASK(condition, want, field, attribute, p)                                                            \
  ROW(cuPointerGetAttribute, condition, want, (&o.field, CU_POINTER_ATTRIBUTE_##attribute, p))
  WITH(cuPointerGetAttribute, "the type", SUCCESS, (void)0,
       (&o.memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mem), HOLDS(o.memory_type == CU_MEMORYTYPE_DEVICE));
  WITH(cuPointerGetAttribute, "page-locked memory's type", SUCCESS, (void)0,
       (&o.memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)pinned),
       HOLDS(o.memory_type == CU_MEMORYTYPE_HOST));
  WITH(cuPointerGetAttribute, "the context", SUCCESS, (void)0, (&o.ctx, CU_POINTER_ATTRIBUTE_CONTEXT, mem),
       HOLDS(o.ctx == ctx));
  WITH(cuPointerGetAttribute, "a pool's context", SUCCESS, (void)0,
       (&o.ctx, CU_POINTER_ATTRIBUTE_CONTEXT, pooled), HOLDS(o.ctx == NULL));
  WITH(cuPointerGetAttribute, "the device", SUCCESS, (void)0,
       (&o.i, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, mem), HOLDS(o.i == dev));
  WITH(cuPointerGetAttribute, "where it begins", SUCCESS, (void)0,
       (&o.base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, mem + 16), HOLDS(o.base == mem));
  WITH(cuPointerGetAttribute, "its size", SUCCESS, (void)0,
       (&o.size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, mem + 16), HOLDS(o.size == MEM));
  WITH(cuPointerGetAttribute, "whether it is managed", SUCCESS, (void)0,
       (&o.u, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), HOLDS(o.u == 1));
  WITH(cuPointerGetAttribute, "the device pointer", SUCCESS, (void)0,
       (&o.ptr, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, mem + 16), HOLDS(o.ptr == mem + 16));
  ASK("the number", SUCCESS, number, BUFFER_ID, mem);
  ASK("the pool", SUCCESS, pool, MEMPOOL_HANDLE, pooled);
  ASK("a host pointer of a device's memory", SPOILS(INVALID_VALUE), any, HOST_POINTER, mem);
  ASK("a host pointer of managed memory", SUCCESS, any, HOST_POINTER, managed);
  ASK("the program's memory", INVALID_VALUE, memory_type, MEMORY_TYPE, mine);
  ASK("0", INVALID_VALUE, memory_type, MEMORY_TYPE, 0);
  ASK("not memory", INVALID_VALUE, memory_type, MEMORY_TYPE, NOWHERE);
  ROW(cuPointerGetAttribute, "no such attribute", INVALID_VALUE, (&o.number, (CUpointer_attribute)99, mem));
  ROW(cuPointerGetAttribute, "attribute 0", INVALID_VALUE, (&o.number, (CUpointer_attribute)0, mem));
  ROW(cuPointerGetAttribute, "NULL", SOFTWARE_ONLY(INVALID_VALUE),
      (NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mem));
#undef ASK
  WITH(cuPointerGetAttributes, "good", SUCCESS, (void)0, (1, type, (void *[]){&o.memory_type}, mem),
       HOLDS(o.memory_type == CU_MEMORYTYPE_DEVICE));
  WITH(cuPointerGetAttributes, "the program's memory", SUCCESS, (void)0,
       (1, type, (void *[]){&o.memory_type}, mine), HOLDS(o.memory_type == 0));
  ROW(cuPointerGetAttributes, "none", INVALID_VALUE, (0, type, (void *[]){&o.memory_type}, mem));
  ROW(cuPointerGetAttributes, "no such attribute", INVALID_VALUE, (1, none_such, (void *[]){&o.number}, mem));
  ROW(cuPointerGetAttributes, "no attributes", SOFTWARE_ONLY(INVALID_VALUE),
      (1, NULL, (void *[]){&o.number}, mem));
  ROW(cuPointerGetAttributes, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (1, type, NULL, mem));
  WITH(cuPointerSetAttribute, "good", SUCCESS, (void)0, (&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, mem),
       if (WORKED) MUST(cuPointerSetAttribute(&zero, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, mem)));
  ROW(cuPointerSetAttribute, "page-locked memory", SUCCESS,
      (&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)(uintptr_t)pinned));
  ROW(cuPointerSetAttribute, "managed memory", SUCCESS, (&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, managed));
  ROW(cuPointerSetAttribute, "a pool's memory", SUCCESS, (&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pooled));
  ROW(cuPointerSetAttribute, "registered memory", SUCCESS,
      (&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)(uintptr_t)registered));
  ROW(cuPointerSetAttribute, "one that is only read", INVALID_VALUE,
      (&on, CU_POINTER_ATTRIBUTE_CONTEXT, mem));
  ROW(cuPointerSetAttribute, "no such attribute", INVALID_VALUE, (&on, (CUpointer_attribute)99, mem));
  ROW(cuPointerSetAttribute, "not memory", INVALID_VALUE, (&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, NOWHERE));
  ROW(cuPointerSetAttribute, "no value", SOFTWARE_ONLY(INVALID_VALUE),
      (NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, mem));
}
