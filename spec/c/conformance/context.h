/* Contexts: making and destroying them, the stack of a thread, what can be set and asked, and peers. */

static void context_rows(void) {
  CUcontext c = NULL, popped;
  start();
  start_other();
#define DROP                                                                                                 \
  if (WORKED) MUST(cuCtxDestroy_v2(o.ctx))
  ROW(cuCtxCreate, "beside another context", OUT_OF_MEMORY, (&o.ctx, 0, dev));
  WITH(cuCtxCreate_v2, "good", SUCCESS, (void)0, (&o.ctx, CU_CTX_SCHED_YIELD, dev), DROP);
  WITH(cuCtxCreate_v2, "all flags", SUCCESS, (void)0,
       (&o.ctx, CU_CTX_SCHED_SPIN | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX, dev), DROP);
  WITH(cuCtxCreate_v2, "unknown flags", INVALID_VALUE, (void)0, (&o.ctx, 0x10000, dev), DROP);
  WITH(cuCtxCreate_v2, "two schedules", INVALID_VALUE, (void)0,
       (&o.ctx, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, dev), DROP);
  ROW(cuCtxCreate_v2, "NULL", INVALID_VALUE, (NULL, 0, dev));
  ROW(cuCtxCreate_v2, "no such device", INVALID_DEVICE, (&o.ctx, 0, NO_DEVICE_));
  ROW(cuCtxCreate_v2, "device -1", INVALID_DEVICE, (&o.ctx, 0, -1));
  WITH(cuCtxCreate_v3, "good", SUCCESS, (void)0, (&o.ctx, NULL, 0, 0, dev), DROP);
  WITH(cuCtxCreate_v3, "a count without parameters", INVALID_VALUE, (void)0, (&o.ctx, NULL, 1, 0, dev), DROP);
  WITH(cuCtxCreate_v3, "count -1", SUCCESS, (void)0, (&o.ctx, NULL, -1, 0, dev), DROP);
  CUexecAffinityParam affinity = {.type = CU_EXEC_AFFINITY_TYPE_SM_COUNT, .param = {.smCount = {2}}};
  WITH(cuCtxCreate_v3, "an affinity", UNSUPPORTED_EXEC_AFFINITY, (void)0, (&o.ctx, &affinity, 1, 0, dev),
       DROP);
  WITH(cuCtxCreate_v3, "unknown flags", INVALID_VALUE, (void)0, (&o.ctx, NULL, 0, 0x10000, dev), DROP);
  ROW(cuCtxCreate_v3, "NULL", INVALID_VALUE, (NULL, NULL, 0, 0, dev));
  ROW(cuCtxCreate_v3, "no such device", INVALID_DEVICE, (&o.ctx, NULL, 0, 0, NO_DEVICE_));
  WITH(cuCtxCreate_v4, "good", SUCCESS, (void)0, (&o.ctx, NULL, 0, dev), DROP);
  CUctxCreateParams params = {0};
  WITH(cuCtxCreate_v4, "empty parameters", SUCCESS, (void)0, (&o.ctx, &params, 0, dev), DROP);
  WITH(cuCtxCreate_v4, "unknown flags", INVALID_VALUE, (void)0, (&o.ctx, NULL, 0x10000, dev), DROP);
  ROW(cuCtxCreate_v4, "NULL", INVALID_VALUE, (NULL, NULL, 0, dev));
  ROW(cuCtxCreate_v4, "no such device", INVALID_DEVICE, (&o.ctx, NULL, 0, NO_DEVICE_));
  CUctxCreateParams limited = {.execAffinityParams = &affinity, .numExecAffinityParams = 1};
  WITH(cuCtxCreate_v4, "an affinity", UNSUPPORTED_EXEC_AFFINITY, (void)0, (&o.ctx, &limited, 0, dev), DROP);
#undef DROP

#define MAKE (MUST(cuCtxCreate_v2(&c, 0, dev)), MUST(cuCtxPopCurrent_v2(&popped)))
#define KILL (MAKE, MUST(cuCtxDestroy_v2(c)))
  WITH(cuCtxDestroy_v2, "good", SUCCESS, MAKE, (c), (void)0);
  WITH(cuCtxDestroy, "good", SUCCESS, MAKE, (c), (void)0);
  /* A GPU's driver looks into the memory of the one that is gone: 201 on most days, 709 on others. */
  ROW(cuCtxDestroy_v2, "twice", SOFTWARE_ONLY(INVALID_CONTEXT), (c));
  ROW(cuCtxDestroy, "twice", SOFTWARE_ONLY(INVALID_CONTEXT), (c));
  ROW(cuCtxDestroy_v2, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxDestroy, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxDestroy_v2, "no context", SOFTWARE_ONLY(INVALID_CONTEXT), ((CUcontext)host));
  CUcontext primary;
  OK(cuDevicePrimaryCtxRetain(&primary, dev));
  ROW(cuCtxDestroy_v2, "a primary context", INVALID_CONTEXT, (primary));
  WITH(cuCtxDetach, "not the current one", INVALID_CONTEXT, MAKE, (c), (void)0);
  ROW(cuCtxDetach, "NULL", INVALID_CONTEXT, (NULL));
  WITH(cuCtxAttach, "good", SUCCESS, (void)0, (&o.ctx, 0), if (WORKED) MUST(cuCtxDetach(ctx)));
  ROW(cuCtxAttach, "flags", INVALID_VALUE, (&o.ctx, 1));
  ROW(cuCtxAttach, "NULL", INVALID_VALUE, (NULL, 0));
  WITH(cuCtxDetach, "good", SUCCESS, MUST(cuCtxAttach(&popped, 0)), (ctx), (void)0);

  ROW(cuCtxGetCurrent, "NULL", INVALID_VALUE, (NULL));
  WITH(cuCtxGetCurrent, "good", SUCCESS, (void)0, (&o.ctx), HOLDS(o.ctx == ctx));
  WITH(cuCtxPushCurrent_v2, "good", SUCCESS, (void)0, (other), if (WORKED) MUST(cuCtxPopCurrent_v2(&popped)));
  WITH(cuCtxPushCurrent, "good", SUCCESS, (void)0, (other), if (WORKED) MUST(cuCtxPopCurrent_v2(&popped)));
  WITH(cuCtxPushCurrent_v2, "a destroyed context", SOFTWARE_ONLY(SUCCESS), KILL, (c),
       if (WORKED) MUST(cuCtxPopCurrent_v2(&popped)));
  ROW(cuCtxPushCurrent_v2, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxPushCurrent, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxPushCurrent_v2, "no context", SOFTWARE_ONLY(INVALID_CONTEXT), ((CUcontext)host));
  WITH(cuCtxPopCurrent_v2, "good", SUCCESS, MUST(cuCtxPushCurrent_v2(other)), (&o.ctx),
       HOLDS(o.ctx == other));
  WITH(cuCtxPopCurrent, "good", SUCCESS, MUST(cuCtxPushCurrent_v2(other)), (&o.ctx), HOLDS(o.ctx == other));
  WITH(cuCtxPopCurrent_v2, "NULL", SUCCESS, MUST(cuCtxPushCurrent_v2(other)), (NULL), (void)0);
  WITH(cuCtxSetCurrent, "good", SUCCESS, (void)0, (other), MUST(cuCtxSetCurrent(ctx)));
  WITH(cuCtxSetCurrent, "NULL", SUCCESS, (void)0, (NULL), MUST(cuCtxSetCurrent(ctx)));
  ROW(cuCtxSetCurrent, "no context", SOFTWARE_ONLY(INVALID_CONTEXT), ((CUcontext)host));

  WITH(cuCtxGetDevice, "good", SUCCESS, (void)0, (&o.dev), HOLDS(o.dev == dev));
  ROW(cuCtxGetDevice, "NULL", INVALID_VALUE, (NULL));
  WITH(cuCtxGetDevice_v2, "good", SUCCESS, (void)0, (&o.dev, other), HOLDS(o.dev == dev));
  WITH(cuCtxGetDevice_v2, "NULL for the current one", SUCCESS, (void)0, (&o.dev, NULL), HOLDS(o.dev == dev));
  ROW(cuCtxGetDevice_v2, "nowhere to put it", INVALID_VALUE, (NULL, ctx));
  WITH(cuCtxGetDevice_v2, "a destroyed context", SOFTWARE_ONLY(CONTEXT_IS_DESTROYED), KILL, (&o.dev, c),
       (void)0);
  WITH(cuCtxGetApiVersion, "good", SUCCESS, (void)0, (ctx, &o.u), HOLDS(o.u == 3020));
  ROW(cuCtxGetApiVersion, "NULL for the current one", SUCCESS, (NULL, &o.u));
  ROW(cuCtxGetApiVersion, "nowhere to put it", INVALID_VALUE, (ctx, NULL));
  WITH(cuCtxGetApiVersion, "a destroyed context", INVALID_CONTEXT, KILL, (c, &o.u), (void)0);
  ROW(cuCtxGetId, "good", SUCCESS, (ctx, &o.number));
  ROW(cuCtxGetId, "NULL for the current one", SUCCESS, (NULL, &o.number));
  ROW(cuCtxGetId, "nowhere to put it", INVALID_VALUE, (ctx, NULL));
  WITH(cuCtxGetId, "a destroyed context", CONTEXT_IS_DESTROYED, KILL, (c, &o.number), (void)0);
  ROW(cuCtxSynchronize, "good", SUCCESS, ());
  ROW(cuCtxSynchronize_v2, "good", SUCCESS, (other));
  ROW(cuCtxSynchronize_v2, "NULL for the current one", SUCCESS, (NULL));
  WITH(cuCtxSynchronize_v2, "a destroyed context", CONTEXT_IS_DESTROYED, KILL, (c), (void)0);

  ROW(cuCtxGetFlags, "good", SUCCESS, (&o.u));
  ROW(cuCtxGetFlags, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxSetFlags, "good", SUCCESS, (CU_CTX_SCHED_SPIN));
  ROW(cuCtxSetFlags, "unknown flags", INVALID_VALUE, (0x10000));
  ROW(cuCtxSetFlags, "two schedules", INVALID_VALUE, (CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
  ROW(cuCtxGetCacheConfig, "good", SUCCESS, (&o.cache));
  ROW(cuCtxGetCacheConfig, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxSetCacheConfig, "good", SUCCESS, (CU_FUNC_CACHE_PREFER_EQUAL));
  ROW(cuCtxSetCacheConfig, "no such one", INVALID_VALUE, ((CUfunc_cache)77));
  ROW(cuCtxSetCacheConfig, "-1", INVALID_VALUE, ((CUfunc_cache)-1));
  ROW(cuCtxGetSharedMemConfig, "good", SUCCESS, (&o.banks));
  ROW(cuCtxGetSharedMemConfig, "NULL", INVALID_VALUE, (NULL));
  ROW(cuCtxSetSharedMemConfig, "good", SUCCESS, (CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  ROW(cuCtxSetSharedMemConfig, "no such one", INVALID_VALUE, ((CUsharedconfig)77));
  ROW(cuCtxGetStreamPriorityRange, "good", SUCCESS, (&o.i, &o.j));
  WITH(cuCtxGetStreamPriorityRange, "only one wanted", SUCCESS, (void)0, (&o.i, NULL), HOLDS(o.i == 0));
  ROW(cuCtxGetStreamPriorityRange, "none wanted", SUCCESS, (NULL, NULL));
  ROW(cuCtxResetPersistingL2Cache, "good", SUCCESS, ());
  ROW(cuCtxGetExecAffinity, "a context without one", SUCCESS, (&o.affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  ROW(cuCtxGetExecAffinity, "no such type", SPOILS(UNSUPPORTED_EXEC_AFFINITY),
      (&o.affinity, CU_EXEC_AFFINITY_TYPE_MAX));
  ROW(cuCtxGetExecAffinity, "NULL", INVALID_VALUE, (NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT));

  ROW(cuCtxEnablePeerAccess, "its own device's", PEER_ACCESS_UNSUPPORTED, (other, 0));
  ROW(cuCtxEnablePeerAccess, "itself", PEER_ACCESS_UNSUPPORTED, (ctx, 0));
  ROW(cuCtxEnablePeerAccess, "flags", INVALID_VALUE, (other, 1));
  ROW(cuCtxEnablePeerAccess, "NULL", INVALID_CONTEXT, (NULL, 0));
  WITH(cuCtxEnablePeerAccess, "a destroyed context", SOFTWARE_ONLY(CONTEXT_IS_DESTROYED), KILL, (c, 0),
       (void)0);
  ROW(cuCtxEnablePeerAccess, "no context", SOFTWARE_ONLY(INVALID_CONTEXT), ((CUcontext)host, 0));
  ROW(cuCtxDisablePeerAccess, "not enabled", PEER_ACCESS_NOT_ENABLED, (other));
  ROW(cuCtxDisablePeerAccess, "NULL", INVALID_CONTEXT, (NULL));
  WITH(cuCtxDisablePeerAccess, "a destroyed context", SOFTWARE_ONLY(CONTEXT_IS_DESTROYED), KILL, (c),
       (void)0);
#undef MAKE
#undef KILL
}

/* A context of version 2.0 has to be the only one. */
static void old_context_rows(void) {
  memset(&untouched, 0x5a, sizeof untouched);
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  WITH(cuCtxCreate, "alone", SUCCESS, (void)0, (&o.ctx, 0, dev), if (WORKED) MUST(cuCtxDestroy_v2(o.ctx)));
  ROW(cuCtxCreate, "NULL", INVALID_VALUE, (NULL, 0, dev));
  ROW(cuCtxCreate, "unknown flags", INVALID_VALUE, (&o.ctx, 0x10000, dev));
  ROW(cuCtxCreate, "no such device", INVALID_DEVICE, (&o.ctx, 0, NO_DEVICE_));
  ROW(cuCtxPopCurrent_v2, "nothing to pop", INVALID_CONTEXT, (&o.ctx));
  ROW(cuCtxPopCurrent, "nothing to pop", INVALID_CONTEXT, (&o.ctx));
  WITH(cuCtxGetCurrent, "none", SUCCESS, (void)0, (&o.ctx), HOLDS(o.ctx == NULL));
  ROW(cuCtxGetApiVersion, "NULL and none is current", INVALID_CONTEXT, (NULL, &o.u));
  ROW(cuCtxGetId, "NULL and none is current", INVALID_CONTEXT, (NULL, &o.number));
  ROW(cuCtxGetDevice_v2, "NULL and none is current", INVALID_CONTEXT, (&o.dev, NULL));
  ROW(cuCtxSynchronize_v2, "NULL and none is current", INVALID_CONTEXT, (NULL));
}

/* What a limit becomes is the device's affair; which can be set and asked is not. */
static void limit_rows(void) {
  start();
#define LIMIT(name, get, set, value)                                                                         \
  ROW(cuCtxGetLimit, #name, get, (&o.size, CU_LIMIT_##name));                                                \
  ROW(cuCtxSetLimit, #name, set, (CU_LIMIT_##name, value));
  LIMIT(STACK_SIZE, SUCCESS, SUCCESS, 4096);
  LIMIT(PRINTF_FIFO_SIZE, SUCCESS, SUCCESS, 1 << 20);
  LIMIT(MALLOC_HEAP_SIZE, SUCCESS, SUCCESS, 8 << 20);
  LIMIT(DEV_RUNTIME_SYNC_DEPTH, UNSUPPORTED_LIMIT, UNSUPPORTED_LIMIT, 2);
  LIMIT(DEV_RUNTIME_PENDING_LAUNCH_COUNT, SUCCESS, SUCCESS, 2048);
  LIMIT(MAX_L2_FETCH_GRANULARITY, SUCCESS, SUCCESS, 64);
  LIMIT(PERSISTING_L2_CACHE_SIZE, SUCCESS, SUCCESS, 0);
  LIMIT(SHMEM_SIZE, SUCCESS, NOT_PERMITTED, 1024);
  LIMIT(CIG_ENABLED, SUCCESS, NOT_PERMITTED, 0);
  LIMIT(CIG_SHMEM_FALLBACK_ENABLED, UNSUPPORTED_LIMIT, UNSUPPORTED_LIMIT, 0);
  LIMIT(MAX, INVALID_VALUE, INVALID_VALUE, 0);
#undef LIMIT
  ROW(cuCtxGetLimit, "NULL", INVALID_VALUE, (NULL, CU_LIMIT_STACK_SIZE));
  ROW(cuCtxGetLimit, "no such limit", INVALID_VALUE, (&o.size, (CUlimit)99));
  ROW(cuCtxGetLimit, "limit -1", INVALID_VALUE, (&o.size, (CUlimit)-1));
  ROW(cuCtxSetLimit, "no such limit", INVALID_VALUE, ((CUlimit)99, 1));
  ROW(cuCtxSetLimit, "a stack of 1 MiB", INVALID_VALUE, (CU_LIMIT_STACK_SIZE, 1 << 20));
  ROW(cuCtxSetLimit, "a fetch granularity of 1 MiB", INVALID_VALUE,
      (CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 1 << 20));
  ROW(cuCtxSetLimit, "a persisting cache of 1 TiB", INVALID_VALUE,
      (CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)1 << 40));
  ROW(cuCtxSetLimit, "a stack of 0", SUCCESS, (CU_LIMIT_STACK_SIZE, 0));
  WITH(cuCtxSetLimit, "a heap of 0", SUCCESS, (void)0, (CU_LIMIT_MALLOC_HEAP_SIZE, 0),
       HOLDS(cuCtxGetLimit(&o.size, CU_LIMIT_MALLOC_HEAP_SIZE) == 0 && o.size == 4 << 20));
  WITH(cuCtxSetLimit, "text of 100 bytes", SUCCESS, (void)0, (CU_LIMIT_PRINTF_FIFO_SIZE, 100),
       HOLDS(cuCtxGetLimit(&o.size, CU_LIMIT_PRINTF_FIFO_SIZE) == 0 && o.size == 512 << 10));
}
