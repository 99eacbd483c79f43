/* Kernels: their attributes, launches of all forms, occupancy. */

#define GONE_FUNCTION ((CUfunction)host)

static void function_rows(void) {
  start_module();
  ROW(cuFuncGetAttribute, "good", SUCCESS, (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, put));
  ROW(cuFuncGetAttribute, "NULL", INVALID_VALUE, (NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, put));
  ROW(cuFuncGetAttribute, "no such attribute", INVALID_VALUE, (&o.i, CU_FUNC_ATTRIBUTE_MAX, put));
  ROW(cuFuncGetAttribute, "attribute -1", INVALID_VALUE, (&o.i, (CUfunction_attribute)-1, put));
  ROW(cuFuncGetAttribute, "no function", INVALID_HANDLE, (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
  ROW(cuFuncGetAttribute, "not a function", SOFTWARE_ONLY(INVALID_HANDLE),
      (&o.i, CU_FUNC_ATTRIBUTE_NUM_REGS, GONE_FUNCTION));
#define SET(name, value, want)                                                                               \
  ROW(cuFuncSetAttribute, #name " " #value, want, (put, CU_FUNC_ATTRIBUTE_##name, value))
  SET(MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, SUCCESS);
  SET(MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, SUCCESS);
  SET(MAX_DYNAMIC_SHARED_SIZE_BYTES, -1, INVALID_VALUE);
  SET(MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20, INVALID_VALUE);
  SET(MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152, SUCCESS);
  SET(PREFERRED_SHARED_MEMORY_CARVEOUT, 50, SUCCESS);
  SET(PREFERRED_SHARED_MEMORY_CARVEOUT, 101, INVALID_VALUE);
  SET(PREFERRED_SHARED_MEMORY_CARVEOUT, -2, INVALID_VALUE);
  SET(PREFERRED_SHARED_MEMORY_CARVEOUT, -1, SUCCESS);
  SET(NUM_REGS, 1, INVALID_VALUE);
  SET(MAX_THREADS_PER_BLOCK, 1, INVALID_VALUE);
  SET(SHARED_SIZE_BYTES, 1, INVALID_VALUE);
  SET(CONST_SIZE_BYTES, 1, INVALID_VALUE);
  SET(LOCAL_SIZE_BYTES, 1, INVALID_VALUE);
  SET(PTX_VERSION, 1, INVALID_VALUE);
  SET(BINARY_VERSION, 1, INVALID_VALUE);
  SET(CACHE_MODE_CA, 1, INVALID_VALUE);
  SET(MAX, 1, INVALID_VALUE);
  SET(CLUSTER_SIZE_MUST_BE_SET, 1, INVALID_VALUE);
  SET(REQUIRED_CLUSTER_WIDTH, -1, INVALID_VALUE);
  SET(REQUIRED_CLUSTER_WIDTH, 0, SUCCESS);
  SET(REQUIRED_CLUSTER_HEIGHT, 0, SUCCESS);
  SET(REQUIRED_CLUSTER_DEPTH, 0, SUCCESS);
  SET(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, SUCCESS);
  SET(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2, SUCCESS);
  SET(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0, SUCCESS);
  SET(CLUSTER_SCHEDULING_POLICY_PREFERENCE, 3, INVALID_VALUE);
  SET(CLUSTER_SCHEDULING_POLICY_PREFERENCE, 0, SUCCESS);
#undef SET
  ROW(cuFuncSetAttribute, "attribute -1", SOFTWARE_ONLY(INVALID_VALUE), (put, (CUfunction_attribute)-1, 1));
  ROW(cuFuncSetAttribute, "no function", INVALID_HANDLE,
      (NULL, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
  ROW(cuFuncSetCacheConfig, "good", SUCCESS, (put, CU_FUNC_CACHE_PREFER_L1));
  ROW(cuFuncSetCacheConfig, "no such one", INVALID_VALUE, (put, (CUfunc_cache)9));
  ROW(cuFuncSetCacheConfig, "no function", INVALID_HANDLE, (NULL, CU_FUNC_CACHE_PREFER_L1));
  ROW(cuFuncSetSharedMemConfig, "good", SUCCESS, (put, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
  ROW(cuFuncSetSharedMemConfig, "no such one", INVALID_VALUE, (put, (CUsharedconfig)9));
  ROW(cuFuncSetSharedMemConfig, "no function", INVALID_HANDLE,
      (NULL, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
  WITH(cuFuncGetName, "good", SUCCESS, (void)0, (&o.name, put), HOLDS(strcmp(o.name, "put") == 0));
  ROW(cuFuncGetName, "NULL", INVALID_VALUE, (NULL, put));
  ROW(cuFuncGetName, "no function", INVALID_VALUE, (&o.name, NULL));
  ROW(cuFuncGetName, "not a function", SOFTWARE_ONLY(INVALID_HANDLE), (&o.name, GONE_FUNCTION));
  WITH(cuFuncGetModule, "good", SUCCESS, (void)0, (&o.module, put), HOLDS(o.module == mod));
  ROW(cuFuncGetModule, "NULL", INVALID_VALUE, (NULL, put));
  ROW(cuFuncGetModule, "no function", INVALID_VALUE, (&o.module, NULL));
  WITH(cuFuncGetParamInfo, "good", SUCCESS, (void)0, (put, 1, &o.size, &o.total),
       HOLDS(o.size == 8 && o.total == 4));
  WITH(cuFuncGetParamInfo, "no size wanted", SUCCESS, (void)0, (put, 1, &o.size, NULL), HOLDS(o.size == 8));
  ROW(cuFuncGetParamInfo, "no offset wanted", INVALID_VALUE, (put, 0, NULL, &o.total));
  ROW(cuFuncGetParamInfo, "no such parameter", INVALID_VALUE, (put, 2, &o.size, &o.total));
  ROW(cuFuncGetParamInfo, "a kernel without any", INVALID_VALUE, (none, 0, &o.size, &o.total));
  ROW(cuFuncGetParamInfo, "index 2^63", INVALID_VALUE, (put, (size_t)1 << 63, &o.size, &o.total));
  ROW(cuFuncGetParamInfo, "no function", INVALID_VALUE, (NULL, 0, &o.size, &o.total));
  ROW(cuFuncLoad, "good", SUCCESS, (put));
  ROW(cuFuncLoad, "NULL", INVALID_HANDLE, (NULL));
  WITH(cuFuncIsLoaded, "good", SUCCESS, (void)0, (&o.loaded, put),
       HOLDS(o.loaded == CU_FUNCTION_LOADING_STATE_LOADED));
  ROW(cuFuncIsLoaded, "NULL", INVALID_VALUE, (NULL, put));
  ROW(cuFuncIsLoaded, "no function", INVALID_HANDLE, (&o.loaded, NULL));
}

static CUlaunchConfig with_attribute(CUlaunchAttribute *a) {
  CUlaunchConfig c = config;
  c.attrs = a;
  c.numAttrs = 1;
  return c;
}

#define LAUNCH(condition, want, f, gx, gy, gz, bx, by, bz, shared)                                           \
  ROW(cuLaunchKernel, condition, want, (f, gx, gy, gz, bx, by, bz, shared, st, put_params, NULL))
#define MEET(condition, want, gx, gy, gz, bx, by, bz, shared)                                                \
  ROW(cuLaunchCooperativeKernel, condition, want, (none, gx, gy, gz, bx, by, bz, shared, st, NULL))

static void launch_rows(void) {
  start_module();
  int optin = 0, has_clusters = 0;
  OK(cuDeviceGetAttribute(&optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, dev));
  OK(cuDeviceGetAttribute(&has_clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, dev));
  LAUNCH("good", SUCCESS, put, 1, 1, 1, 1, 1, 1, 0);
  LAUNCH("the largest block", SUCCESS, put, 1, 1, 1, 1024, 1, 1, 0);
  LAUNCH("all of the shared memory that needs no asking", SUCCESS, put, 1, 1, 1, 1, 1, 1, 48 << 10);
  LAUNCH("grid x 0", INVALID_VALUE, put, 0, 1, 1, 1, 1, 1, 0);
  LAUNCH("grid y 0", INVALID_VALUE, put, 1, 0, 1, 1, 1, 1, 0);
  LAUNCH("grid z 0", INVALID_VALUE, put, 1, 1, 0, 1, 1, 1, 0);
  LAUNCH("block x 0", INVALID_VALUE, put, 1, 1, 1, 0, 1, 1, 0);
  LAUNCH("block y 0", INVALID_VALUE, put, 1, 1, 1, 1, 0, 1, 0);
  LAUNCH("block z 0", INVALID_VALUE, put, 1, 1, 1, 1, 1, 0, 0);
  LAUNCH("grid x 2^31", INVALID_VALUE, put, 1u << 31, 1, 1, 1, 1, 1, 0);
  LAUNCH("grid y 65536", INVALID_VALUE, put, 1, 65536, 1, 1, 1, 1, 0);
  LAUNCH("grid z 65536", INVALID_VALUE, put, 1, 1, 65536, 1, 1, 1, 0);
  LAUNCH("block x 1025", INVALID_VALUE, put, 1, 1, 1, 1025, 1, 1, 0);
  LAUNCH("block y 1025", INVALID_VALUE, put, 1, 1, 1, 1, 1025, 1, 0);
  LAUNCH("block z 65", INVALID_VALUE, put, 1, 1, 1, 1, 1, 65, 0);
  LAUNCH("2048 threads", INVALID_VALUE, put, 1, 1, 1, 32, 32, 2, 0);
  LAUNCH("more shared memory than was requested", INVALID_VALUE, put, 1, 1, 1, 1, 1, 1, 60000);
  LAUNCH("more shared memory than there is", INVALID_VALUE, put, 1, 1, 1, 1, 1, 1, 1 << 24);
  LAUNCH("no function", INVALID_HANDLE, NULL, 1, 1, 1, 1, 1, 1, 0);
  LAUNCH("not a function", SOFTWARE_ONLY(INVALID_HANDLE), GONE_FUNCTION, 1, 1, 1, 1, 1, 1, 0);
  ROW(cuLaunchKernel, "no parameters", INVALID_VALUE, (put, 1, 1, 1, 1, 1, 1, 0, st, NULL, NULL));
  ROW(cuLaunchKernel, "a parameter is NULL", SOFTWARE_ONLY(INVALID_VALUE),
      (put, 1, 1, 1, 1, 1, 1, 0, st, (void *[]){&mem, NULL}, NULL));
  ROW(cuLaunchKernel, "no parameters and none needed", SUCCESS, (none, 1, 1, 1, 1, 1, 1, 0, st, NULL, NULL));
  WITH(cuLaunchKernel, "the default stream", SUCCESS, (void)0,
       (put, 1, 1, 1, 1, 1, 1, 0, NULL, put_params, NULL), MUST(cuCtxSynchronize()));
  ROW(cuLaunchKernel, "the legacy stream by name", SUCCESS,
      (none, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, NULL, NULL));
  ROW(cuLaunchKernel, "the thread's stream by name", SUCCESS,
      (none, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL));
  ROW(cuLaunchKernel, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE),
      (none, 1, 1, 1, 1, 1, 1, 0, (CUstream)host, NULL, NULL));

  unsigned char packed[16] = {0};
  size_t size = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  memcpy(packed, &mem, 8);
#define PACKED(condition, want, n)                                                                           \
  WITH(cuLaunchKernel, condition, want, size = (n), (put, 1, 1, 1, 1, 1, 1, 0, st, NULL, extra), (void)0)
  PACKED("packed", SUCCESS, 12);
  PACKED("packed and short", SUCCESS, 8);
  PACKED("packed and one byte too long", LAUNCH_OUT_OF_RESOURCES, 13);
  PACKED("packed and padded", LAUNCH_OUT_OF_RESOURCES, 16);
  ROW(cuLaunchKernel, "both forms of parameters", INVALID_VALUE,
      (put, 1, 1, 1, 1, 1, 1, 0, st, put_params, extra));
  ROW(cuLaunchKernel, "packed, and nothing is said", INVALID_VALUE,
      (put, 1, 1, 1, 1, 1, 1, 0, st, NULL, (void *[]){CU_LAUNCH_PARAM_END}));
  ROW(cuLaunchKernel, "packed, without a size", SOFTWARE_ONLY(INVALID_VALUE),
      (put, 1, 1, 1, 1, 1, 1, 0, st, NULL,
       (void *[]){CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_END}));
  ROW(cuLaunchKernel, "packed, with an unknown word", SOFTWARE_ONLY(INVALID_VALUE),
      (put, 1, 1, 1, 1, 1, 1, 0, st, NULL, (void *[]){(void *)7, packed, CU_LAUNCH_PARAM_END}));
  CUcontext c;
  CUstream foreign = NULL;
  start_other();
  OK(cuCtxPushCurrent_v2(other));
  OK(cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING));
  OK(cuCtxPopCurrent_v2(&c));
  ROW(cuLaunchKernel, "another context's stream", INVALID_HANDLE,
      (none, 1, 1, 1, 1, 1, 1, 0, foreign, NULL, NULL));
  ROW(cuLaunchCooperativeKernel, "another context's stream", INVALID_HANDLE,
      (none, 1, 1, 1, 1, 1, 1, 0, foreign, NULL));

  MEET("good", SUCCESS, 2, 1, 1, 32, 1, 1, 0);
  MEET("too large for the device", COOPERATIVE_LAUNCH_TOO_LARGE, 1 << 20, 1, 1, 1024, 1, 1, 0);
  MEET("grid 0", INVALID_VALUE, 0, 1, 1, 32, 1, 1, 0);
  MEET("block 2048", INVALID_VALUE, 1, 1, 1, 2048, 1, 1, 0);
  MEET("more shared memory than was requested", COOPERATIVE_LAUNCH_TOO_LARGE, 1, 1, 1, 32, 1, 1, 60000);
  MEET("more shared memory than there is", COOPERATIVE_LAUNCH_TOO_LARGE, 1, 1, 1, 32, 1, 1, 1 << 20);
  ROW(cuLaunchCooperativeKernel, "no parameters", INVALID_VALUE, (put, 1, 1, 1, 1, 1, 1, 0, st, NULL));
  ROW(cuLaunchCooperativeKernel, "no function", INVALID_HANDLE, (NULL, 1, 1, 1, 1, 1, 1, 0, st, NULL));

  CUlaunchAttribute a;
  CUlaunchConfig k;
#define SAY(attribute, field, v)                                                                             \
  (memset(&a, 0, sizeof a), a.id = CU_LAUNCH_ATTRIBUTE_##attribute, a.value.field = (v),                     \
   k = with_attribute(&a))
#define SAY_CLUSTER(n)                                                                                       \
  (SAY(CLUSTER_DIMENSION, clusterDim.x, n), a.value.clusterDim.y = 1, a.value.clusterDim.z = 1)
#define EX(condition, want, attribute, field, v)                                                             \
  WITH(cuLaunchKernelEx, condition, want, SAY(attribute, field, v), (&k, none, NULL, NULL), (void)0)
  ROW(cuLaunchKernelEx, "good", SUCCESS, (&config, none, NULL, NULL));
  ROW(cuLaunchKernelEx, "NULL", INVALID_VALUE, (NULL, none, NULL, NULL));
  ROW(cuLaunchKernelEx, "no function", INVALID_HANDLE, (&config, NULL, NULL, NULL));
  ROW(cuLaunchKernelEx, "no parameters", INVALID_VALUE, (&config, put, NULL, NULL));
  WITH(cuLaunchKernelEx, "attributes promised", INVALID_VALUE, (k = config, k.numAttrs = 1),
       (&k, none, NULL, NULL), (void)0);
  WITH(cuLaunchKernelEx, "block 0", INVALID_VALUE, (k = config, k.blockDimX = 0), (&k, none, NULL, NULL),
       (void)0);
  WITH(cuLaunchKernelEx, "block 2048", INVALID_VALUE, (k = config, k.blockDimX = 2048),
       (&k, none, NULL, NULL), (void)0);
  EX("attribute IGNORE", SUCCESS, IGNORE, priority, 0);
  EX("priority", SUCCESS, PRIORITY, priority, -1);
  EX("priority 1000", SUCCESS, PRIORITY, priority, 1000);
  EX("priority -1000", SUCCESS, PRIORITY, priority, -1000);
  EX("carveout 50", SUCCESS, PREFERRED_SHARED_MEMORY_CARVEOUT, sharedMemCarveout, 50);
  EX("carveout 101", INVALID_VALUE, PREFERRED_SHARED_MEMORY_CARVEOUT, sharedMemCarveout, 101);
  EX("carveout -1", INVALID_VALUE, PREFERRED_SHARED_MEMORY_CARVEOUT, sharedMemCarveout, ~0u);
  EX("cooperative", SUCCESS, COOPERATIVE, cooperative, 1);
  EX("early start", SUCCESS, PROGRAMMATIC_STREAM_SERIALIZATION, programmaticStreamSerializationAllowed, 1);
  EX("a stream's attribute", INVALID_VALUE, SYNCHRONIZATION_POLICY, syncPolicy, CU_SYNC_POLICY_SPIN);
  EX("an updatable node", NOT_SUPPORTED, DEVICE_UPDATABLE_KERNEL_NODE,
     deviceUpdatableKernelNode.deviceUpdatable, 1);
  EX("no completion event", INVALID_HANDLE, LAUNCH_COMPLETION_EVENT, launchCompletionEvent.event, NULL);
  WITH(cuLaunchKernelEx, "an unknown attribute", INVALID_VALUE,
       (SAY(IGNORE, priority, 0), a.id = (CUlaunchAttributeID)1000), (&k, none, NULL, NULL), (void)0);
  WITH(cuLaunchKernelEx, "attribute -1", INVALID_VALUE,
       (SAY(IGNORE, priority, 0), a.id = (CUlaunchAttributeID)-1), (&k, none, NULL, NULL), (void)0);
  start_events();
  EX("a completion event with a clock", NOT_SUPPORTED, LAUNCH_COMPLETION_EVENT, launchCompletionEvent.event,
     first);
  EX("a completion event", SUCCESS, LAUNCH_COMPLETION_EVENT, launchCompletionEvent.event, untimed);
  WITH(cuLaunchKernelEx, "cooperative and too large", COOPERATIVE_LAUNCH_TOO_LARGE,
       (SAY(COOPERATIVE, cooperative, 1), k.gridDimX = 1 << 20, k.blockDimX = 1024), (&k, none, NULL, NULL),
       (void)0);
  WITH(cuLaunchKernelEx, "a cluster of 1", SUCCESS, SAY_CLUSTER(1), (&k, none, NULL, NULL), (void)0);
  WITH(cuLaunchKernelEx, "a cluster of 2", has_clusters ? SUCCESS : INVALID_CLUSTER_SIZE,
       (SAY_CLUSTER(2), k.gridDimX = 2), (&k, none, NULL, NULL), (void)0);
  WITH(cuLaunchKernelEx, "a cluster of 3 in a grid of 4", INVALID_CLUSTER_SIZE,
       (SAY_CLUSTER(3), k.gridDimX = 4), (&k, none, NULL, NULL), (void)0);
  WITH(cuLaunchKernelEx, "a cluster of 0", INVALID_CLUSTER_SIZE, SAY_CLUSTER(0), (&k, none, NULL, NULL),
       (void)0);
  WITH(cuLaunchKernelEx, "a cluster of 64", INVALID_CLUSTER_SIZE, (SAY_CLUSTER(64), k.gridDimX = 64),
       (&k, none, NULL, NULL), (void)0);
  OK(cuFuncSetAttribute(none, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
  ROW(cuLaunchKernel, "a cluster was requested", INVALID_CLUSTER_SIZE,
      (none, 1, 1, 1, 1, 1, 1, 0, st, NULL, NULL));
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
  LAUNCH("shared memory that was requested", SUCCESS, put, 1, 1, 1, 1, 1, 1, 60000);
  OK(cuFuncSetAttribute(put, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
  LAUNCH("shared memory that was given up", INVALID_VALUE, put, 1, 1, 1, 1, 1, 1, 4);
  ROW(cuLaunchHostFunc, "good", SUCCESS, (st, nothing, NULL));
  ROW(cuLaunchHostFunc, "no function", INVALID_VALUE, (st, NULL, NULL));
  ROW(cuLaunchHostFunc, "the default stream", SUCCESS, (NULL, nothing, NULL));
  ROW(cuLaunchHostFunc, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), ((CUstream)host, nothing, NULL));
#undef EX
}

/* What came before cuLaunchKernel. */
static void old_launch_rows(void) {
  start_module();
  ROW(cuFuncSetBlockShape, "x 0", INVALID_VALUE, (put, 0, 1, 1));
  ROW(cuFuncSetBlockShape, "x -1", INVALID_VALUE, (put, -1, 1, 1));
  ROW(cuFuncSetBlockShape, "x 2048", INVALID_VALUE, (put, 2048, 1, 1));
  ROW(cuFuncSetBlockShape, "2048 threads", INVALID_VALUE, (put, 32, 32, 2));
  ROW(cuFuncSetBlockShape, "no function", INVALID_HANDLE, (NULL, 1, 1, 1));
  ROW(cuFuncSetBlockShape, "good", SUCCESS, (put, 1, 1, 1));
  ROW(cuFuncSetSharedSize, "good", SUCCESS, (put, 0));
  ROW(cuFuncSetSharedSize, "more than there is", INVALID_VALUE, (put, 1 << 20));
  ROW(cuFuncSetSharedSize, "no function", INVALID_HANDLE, (NULL, 0));
  ROW(cuParamSetSize, "5000 bytes", SUCCESS, (put, 5000));
  ROW(cuParamSetSize, "no function", INVALID_HANDLE, (NULL, 12));
  ROW(cuParamSetSize, "good", SUCCESS, (put, 12));
  /* A GPU's driver writes there, and crashes of some of it: the software device keeps to what there is. */
  ROW(cuParamSeti, "offset -4", SOFTWARE_ONLY(INVALID_VALUE), (put, -4, 1));
  ROW(cuParamSeti, "past the end", SOFTWARE_ONLY(INVALID_VALUE), (put, 4093, 1));
  ROW(cuParamSeti, "no function", INVALID_HANDLE, (NULL, 8, 1));
  ROW(cuParamSeti, "good", SUCCESS, (put, 8, 1));
  ROW(cuParamSetf, "offset -4", SOFTWARE_ONLY(INVALID_VALUE), (put, -4, 1));
  ROW(cuParamSetf, "past the end", SOFTWARE_ONLY(INVALID_VALUE), (put, 4093, 1));
  ROW(cuParamSetf, "no function", INVALID_HANDLE, (NULL, 8, 1));
  ROW(cuParamSetf, "good", SUCCESS, (put, 8, 1));
  ROW(cuParamSetv, "offset -8", SOFTWARE_ONLY(INVALID_VALUE), (put, -8, &mem, 8));
  ROW(cuParamSetv, "past the end", SOFTWARE_ONLY(INVALID_VALUE), (put, 4090, &mem, 8));
  ROW(cuParamSetv, "no bytes there", SOFTWARE_ONLY(INVALID_VALUE), (put, 0, NULL, 8));
  ROW(cuParamSetv, "no function", INVALID_HANDLE, (NULL, 0, &mem, 8));
  ROW(cuParamSetv, "good", SUCCESS, (put, 0, &mem, 8));
  ROW(cuLaunch, "good", SUCCESS, (put));
  ROW(cuLaunch, "no function", INVALID_HANDLE, (NULL));
  ROW(cuLaunchGrid, "good", SUCCESS, (put, 2, 2));
  ROW(cuLaunchGrid, "width 0", INVALID_VALUE, (put, 0, 1));
  ROW(cuLaunchGrid, "height -1", INVALID_VALUE, (put, 1, -1));
  ROW(cuLaunchGrid, "no function", INVALID_HANDLE, (NULL, 1, 1));
  ROW(cuLaunchGridAsync, "good", SUCCESS, (put, 2, 2, st));
  ROW(cuLaunchGridAsync, "width 0", INVALID_VALUE, (put, 0, 1, st));
  ROW(cuLaunchGridAsync, "no function", INVALID_HANDLE, (NULL, 1, 1, st));
  ROW(cuLaunchGridAsync, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (put, 1, 1, (CUstream)host));
  WITH(cuLaunch, "too many parameters", LAUNCH_OUT_OF_RESOURCES, MUST(cuParamSetSize(put, 20)), (put),
       (void)0);
  OK(cuCtxSynchronize());
}

static void occupancy_rows(void) {
  start_module();
  WITH(cuOccupancyMaxActiveBlocksPerMultiprocessor, "good", SUCCESS, (void)0, (&o.i, put, 128, 0),
       HOLDS(o.i >= 1));
  WITH(cuOccupancyMaxActiveBlocksPerMultiprocessor, "2048 threads", SUCCESS, (void)0, (&o.i, put, 2048, 0),
       HOLDS(o.i == 0));
  WITH(cuOccupancyMaxActiveBlocksPerMultiprocessor, "1 MiB shared", SUCCESS, (void)0,
       (&o.i, put, 32, 1 << 20), HOLDS(o.i == 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor, "0 threads", INVALID_VALUE, (&o.i, put, 0, 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor, "-1 threads", INVALID_VALUE, (&o.i, put, -1, 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor, "NULL", INVALID_VALUE, (NULL, put, 32, 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor, "no function", INVALID_HANDLE, (&o.i, NULL, 32, 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "good", SUCCESS, (&o.i, put, 128, 0, 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "flag 1", SUCCESS, (&o.i, put, 128, 0, 1));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "flag 2", INVALID_VALUE, (&o.i, put, 128, 0, 2));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "NULL", INVALID_VALUE, (NULL, put, 128, 0, 0));
  ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "no function", INVALID_HANDLE,
      (&o.i, NULL, 128, 0, 0));
  WITH(cuOccupancyMaxPotentialBlockSize, "good", SUCCESS, (void)0, (&o.i, &o.j, put, NULL, 0, 0),
       HOLDS(o.i >= 1 && o.j >= 32));
  WITH(cuOccupancyMaxPotentialBlockSize, "with a function", SUCCESS, (void)0,
       (&o.i, &o.j, put, shared_of, 0, 0), HOLDS(o.j >= 32));
  WITH(cuOccupancyMaxPotentialBlockSize, "limit 64", SUCCESS, (void)0, (&o.i, &o.j, put, NULL, 0, 64),
       HOLDS(o.j == 64));
  WITH(cuOccupancyMaxPotentialBlockSize, "1 MiB shared", SUCCESS, (void)0,
       (&o.i, &o.j, put, NULL, 1 << 20, 0), HOLDS(o.i == 0 && o.j == 0));
  ROW(cuOccupancyMaxPotentialBlockSize, "limit -1", INVALID_VALUE, (&o.i, &o.j, put, NULL, 0, -1));
  ROW(cuOccupancyMaxPotentialBlockSize, "no grid", INVALID_VALUE, (NULL, &o.j, put, NULL, 0, 0));
  ROW(cuOccupancyMaxPotentialBlockSize, "no block", INVALID_VALUE, (&o.i, NULL, put, NULL, 0, 0));
  ROW(cuOccupancyMaxPotentialBlockSize, "no function", INVALID_HANDLE, (&o.i, &o.j, NULL, NULL, 0, 0));
  ROW(cuOccupancyMaxPotentialBlockSizeWithFlags, "good", SUCCESS, (&o.i, &o.j, put, NULL, 0, 0, 0));
  ROW(cuOccupancyMaxPotentialBlockSizeWithFlags, "flag 2", INVALID_VALUE, (&o.i, &o.j, put, NULL, 0, 0, 2));
  ROW(cuOccupancyMaxPotentialBlockSizeWithFlags, "no function", INVALID_HANDLE,
      (&o.i, &o.j, NULL, NULL, 0, 0, 0));
  ROW(cuOccupancyMaxPotentialBlockSizeWithFlags, "no grid", INVALID_VALUE, (NULL, &o.j, put, NULL, 0, 0, 0));
  WITH(cuOccupancyAvailableDynamicSMemPerBlock, "good", SUCCESS, (void)0, (&o.size, put, 1, 32),
       HOLDS(o.size == 48 << 10));
  ROW(cuOccupancyAvailableDynamicSMemPerBlock, "too many blocks", WRITES(INVALID_VALUE),
      (&o.size, put, 3, 1024));
  ROW(cuOccupancyAvailableDynamicSMemPerBlock, "0 blocks", WRITES(INVALID_VALUE), (&o.size, put, 0, 32));
  ROW(cuOccupancyAvailableDynamicSMemPerBlock, "0 threads", WRITES(INVALID_VALUE), (&o.size, put, 1, 0));
  ROW(cuOccupancyAvailableDynamicSMemPerBlock, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL, put, 1, 32));
  ROW(cuOccupancyAvailableDynamicSMemPerBlock, "no function", INVALID_HANDLE, (&o.size, NULL, 1, 32));
  CUlaunchAttribute a;
  CUlaunchConfig k;
  WITH(cuOccupancyMaxPotentialClusterSize, "good", SUCCESS, (void)0, (&o.i, put, &config),
       HOLDS(o.i == ON(1, 8)));
  ROW(cuOccupancyMaxPotentialClusterSize, "NULL", INVALID_VALUE, (NULL, put, &config));
  ROW(cuOccupancyMaxPotentialClusterSize, "no config", SOFTWARE_ONLY(INVALID_VALUE), (&o.i, put, NULL));
  ROW(cuOccupancyMaxPotentialClusterSize, "no function", INVALID_VALUE, (&o.i, NULL, &config));
  WITH(cuOccupancyMaxPotentialClusterSize, "block 0", INVALID_VALUE, (k = config, k.blockDimX = 0),
       (&o.i, put, &k), (void)0);
  ROW(cuOccupancyMaxActiveClusters, "no cluster is named", SUCCESS, (&o.i, put, &config));
  WITH(cuOccupancyMaxActiveClusters, "a cluster of 1", SUCCESS, SAY_CLUSTER(1), (&o.i, put, &k),
       HOLDS(o.i >= 1));
  WITH(cuOccupancyMaxActiveClusters, "a cluster of 2", ON(INVALID_CLUSTER_SIZE, SUCCESS),
       (SAY_CLUSTER(2), k.gridDimX = 2), (&o.i, put, &k), (void)0);
  WITH(cuOccupancyMaxActiveClusters, "a cluster of 2 in a grid of 3", INVALID_CLUSTER_SIZE,
       (SAY_CLUSTER(2), k.gridDimX = 3), (&o.i, put, &k), (void)0);
  WITH(cuOccupancyMaxActiveClusters, "a cluster of 0", INVALID_CLUSTER_SIZE, SAY_CLUSTER(0), (&o.i, put, &k),
       (void)0);
  WITH(cuOccupancyMaxActiveClusters, "a cluster of 64", INVALID_CLUSTER_SIZE,
       (SAY_CLUSTER(64), k.gridDimX = 64), (&o.i, put, &k), (void)0);
  ROW(cuOccupancyMaxActiveClusters, "NULL", INVALID_VALUE, (NULL, put, &config));
  ROW(cuOccupancyMaxActiveClusters, "no config", SOFTWARE_ONLY(INVALID_VALUE), (&o.i, put, NULL));
  ROW(cuOccupancyMaxActiveClusters, "no function", INVALID_VALUE, (&o.i, NULL, &config));
}
