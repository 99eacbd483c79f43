/* The driver itself, its devices, and how functions are found. */

enum { NO_DEVICE_ = 99 }; /* an ordinal that is too large everywhere */

/* Every symbol is exported, and is what its base name means at the version that brought it. */
static void names_rows(void) {
  shared->unsure = true;
  for (int i = 0; i < SYMBOLS + TWINS; i++) {
    const Symbol *s = i < SYMBOLS ? &symbols[i] : &twins[i - SYMBOLS];
    const int of = i < SYMBOLS ? i : symbol_of(s->base);
    const cuuint64_t flags =
        i < SYMBOLS ? CU_GET_PROC_ADDRESS_LEGACY_STREAM : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    const int since = s->since > symbols[of].since ? s->since : symbols[of].since;
    Any f = by_address(symbols[of].base, since, flags);
    snprintf(shared->text, sizeof shared->text, "%s | by name", s->name);
    if (!exported(s->name)) differs("is not exported");
    if (!f) differs("cuGetProcAddress_v2 finds nothing for version %d", since);
    if (SOFT && f && f != exported(s->name)) differs("cuGetProcAddress_v2 finds another function");
  }
  for (int i = 0; i < OLDS; i++) {
    Any f = by_address(olds[i].name, olds[i].since, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
    snprintf(shared->text, sizeof shared->text, "%s | by name", olds[i].name);
    if (!f || f != exported(olds[i].name)) differs("cuGetProcAddress_v2 does not find it");
  }
  shared->text[0] = 0;
}

/* Every code has its name and a sentence. */
static void result_rows(void) {
  memset(&untouched, 0x5a, sizeof untouched);
#define R(code, text)                                                                                        \
  WITH(cuGetErrorName, #code, SUCCESS, (void)0, (code, &o.name), HOLDS(strcmp(o.name, #code) == 0))          \
  WITH(cuGetErrorString, #code, SUCCESS, (void)0, (code, &o.name), HOLDS(o.name[0] != 0))
#include "../../../src/softgpu/driver/results.def"
#undef R
}

static void driver_rows(void) {
  start();
  ROW(cuInit, "flags 1", INVALID_VALUE, (1));
  ROW(cuInit, "flags 0xffffffff", INVALID_VALUE, (~0u));
  ROW(cuInit, "again", SUCCESS, (0));
  WITH(cuDriverGetVersion, "good", SUCCESS, (void)0, (&o.i), HOLDS(o.i >= 12000));
  ROW(cuDriverGetVersion, "NULL", INVALID_VALUE, (NULL));
  WITH(cuGetErrorName, "good", SUCCESS, (void)0, (CUDA_ERROR_OUT_OF_MEMORY, &o.name),
       HOLDS(strcmp(o.name, "CUDA_ERROR_OUT_OF_MEMORY") == 0));
  ROW(cuGetErrorName, "no such code", WRITES(INVALID_VALUE), ((CUresult)12345, &o.name));
  ROW(cuGetErrorName, "code -1", WRITES(INVALID_VALUE), ((CUresult)-1, &o.name));
  ROW(cuGetErrorName, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (CUDA_SUCCESS, NULL));
  WITH(cuGetErrorString, "good", SUCCESS, (void)0, (CUDA_ERROR_ILLEGAL_ADDRESS, &o.name),
       HOLDS(o.name[0] != 0));
  ROW(cuGetErrorString, "no such code", WRITES(INVALID_VALUE), ((CUresult)12345, &o.name));
  ROW(cuGetErrorString, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (CUDA_SUCCESS, NULL));

  int version = 0;
  OK(cuDriverGetVersion(&version));
  WITH(cuGetProcAddress_v2, "good", SUCCESS, (void)0, ("cuMemAlloc", &o.pfn, 12000, 0, &o.query),
       HOLDS(o.pfn && o.query == CU_GET_PROC_ADDRESS_SUCCESS));
  WITH(cuGetProcAddress_v2, "no status wanted", SUCCESS, (void)0, ("cuMemAlloc", &o.pfn, 12000, 0, NULL),
       HOLDS(o.pfn != NULL));
  WITH(cuGetProcAddress_v2, "a suffixed name", SUCCESS, (void)0,
       ("cuMemAlloc_v2", &o.pfn, 12000, 0, &o.query),
       HOLDS(!o.pfn && o.query == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
  WITH(cuGetProcAddress_v2, "an unknown name", SUCCESS, (void)0, ("cuNoSuchCall", &o.pfn, 12000, 0, &o.query),
       HOLDS(!o.pfn && o.query == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
  WITH(cuGetProcAddress_v2, "an empty name", SUCCESS, (void)0, ("", &o.pfn, 12000, 0, &o.query),
       HOLDS(!o.pfn));
  WITH(cuGetProcAddress_v2, "older than the function", SUCCESS, (void)0,
       ("cuFuncGetParamInfo", &o.pfn, 12000, 0, &o.query),
       HOLDS(!o.pfn && o.query == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
  WITH(cuGetProcAddress_v2, "version 0", SUCCESS, (void)0, ("cuMemAlloc", &o.pfn, 0, 0, &o.query),
       HOLDS(!o.pfn && o.query == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
  ROW(cuGetProcAddress_v2, "newer than the driver", INVALID_VALUE,
      ("cuInit", &o.pfn, version + 1000, 0, &o.query));
  ROW(cuGetProcAddress_v2, "a version of 99.0", INVALID_VALUE, ("cuInit", &o.pfn, 99000, 0, &o.query));
  ROW(cuGetProcAddress_v2, "flags 77", INVALID_VALUE, ("cuInit", &o.pfn, 12000, 77, &o.query));
  ROW(cuGetProcAddress_v2, "no name", SOFTWARE_ONLY(INVALID_VALUE), (NULL, &o.pfn, 12000, 0, &o.query));
  ROW(cuGetProcAddress_v2, "nowhere to put it", SOFTWARE_ONLY(INVALID_VALUE),
      ("cuInit", NULL, 12000, 0, &o.query));
  WITH(cuGetProcAddress, "good", SUCCESS, (void)0, ("cuMemAlloc", &o.pfn, 12000, 0), HOLDS(o.pfn != NULL));
  ROW(cuGetProcAddress, "an unknown name", WRITES(NOT_FOUND), ("cuNoSuchCall", &o.pfn, 12000, 0));
  ROW(cuGetProcAddress, "older than the function", WRITES(NOT_FOUND),
      ("cuFuncGetParamInfo", &o.pfn, 12000, 0));
  ROW(cuGetProcAddress, "newer than the driver", INVALID_VALUE, ("cuInit", &o.pfn, version + 1000, 0));
  ROW(cuGetProcAddress, "no name", SOFTWARE_ONLY(INVALID_VALUE), (NULL, &o.pfn, 12000, 0));

  ROW(cuGetExportTable, "no such table", WRITES(INVALID_VALUE), (&o.table, &no_table));
  ROW(cuGetExportTable, "no id", SOFTWARE_ONLY(INVALID_VALUE), (&o.table, NULL));
  ROW(cuGetExportTable, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL, &no_table));
  WITH(cuLogsRegisterCallback, "good", SUCCESS, (void)0, (hear, NULL, &o.log),
       if (WORKED) cuLogsUnregisterCallback(o.log));
  ROW(cuLogsRegisterCallback, "no function", INVALID_VALUE, (NULL, NULL, &o.log));
  ROW(cuLogsRegisterCallback, "nowhere to put the handle", SUCCESS, (hear, NULL, NULL));
  ROW(cuLogsUnregisterCallback, "NULL", SOFTWARE_ONLY(INVALID_VALUE), (NULL));
  CUlogsCallbackHandle log = NULL;
  WITH(cuLogsUnregisterCallback, "good", SUCCESS, MUST(cuLogsRegisterCallback(hear, NULL, &log)), (log),
       (void)0);
  ROW(cuLogsUnregisterCallback, "twice", SOFTWARE_ONLY(INVALID_VALUE), (log));
  ROW(cuProfilerInitialize, "good", NOT_SUPPORTED, ("a", "b", CU_OUT_CSV));
  ROW(cuProfilerInitialize, "NULL", NOT_SUPPORTED, (NULL, NULL, CU_OUT_CSV));
  ROW(cuProfilerStart, "good", SUCCESS, ());
  ROW(cuProfilerStart, "twice", SUCCESS, ());
  ROW(cuProfilerStop, "good", SUCCESS, ());
  ROW(cuProfilerStop, "twice", SUCCESS, ());
}

static void device_rows(void) {
  start();
  WITH(cuDeviceGet, "good", SUCCESS, (void)0, (&o.dev, 0), HOLDS(o.dev == dev));
  ROW(cuDeviceGet, "NULL", INVALID_VALUE, (NULL, 0));
  ROW(cuDeviceGet, "ordinal -1", INVALID_DEVICE, (&o.dev, -1));
  ROW(cuDeviceGet, "ordinal too large", INVALID_DEVICE, (&o.dev, NO_DEVICE_));
  WITH(cuDeviceGetCount, "good", SUCCESS, (void)0, (&o.i), HOLDS(o.i >= 1));
  ROW(cuDeviceGetCount, "NULL", INVALID_VALUE, (NULL));
  WITH(cuDeviceGetName, "good", SUCCESS, (void)0, (o.text, 100, dev), HOLDS(strlen(o.text) > 0));
  WITH(cuDeviceGetName, "room for 4", SUCCESS, (void)0, (o.text, 4, dev),
       HOLDS(strnlen(o.text, 5) <= 4 && o.text[4] == 0x5a));
  ROW(cuDeviceGetName, "NULL", INVALID_VALUE, (NULL, 100, dev));
  /* With no room a GPU's driver crashes, and less than none it takes for as much as it needs. */
  ROW(cuDeviceGetName, "room 0", SOFTWARE_ONLY(INVALID_VALUE), (o.text, 0, dev));
  ROW(cuDeviceGetName, "room -1", SOFTWARE_ONLY(INVALID_VALUE), (o.text, -1, dev));
  ROW(cuDeviceGetName, "no such device", INVALID_DEVICE, (o.text, 100, NO_DEVICE_));
  ROW(cuDeviceGetName, "device -1", INVALID_DEVICE, (o.text, 100, -1));
  WITH(cuDeviceTotalMem_v2, "good", SUCCESS, (void)0, (&o.size, dev), HOLDS(o.size >= 1 << 20));
  ROW(cuDeviceTotalMem_v2, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDeviceTotalMem_v2, "no such device", SPOILS(INVALID_DEVICE), (&o.size, NO_DEVICE_));
  ROW(cuDeviceGetUuid, "good", SUCCESS, (&o.uuid, dev));
  ROW(cuDeviceGetUuid, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDeviceGetUuid, "no such device", INVALID_DEVICE, (&o.uuid, NO_DEVICE_));
  ROW(cuDeviceGetUuid_v2, "good", SUCCESS, (&o.uuid, dev));
  ROW(cuDeviceGetUuid_v2, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDeviceGetUuid_v2, "no such device", INVALID_DEVICE, (&o.uuid, -1));
  WITH(cuDeviceGetPCIBusId, "good", SUCCESS, (void)0, (o.text, 100, dev), HOLDS(strlen(o.text) >= 12));
  WITH(cuDeviceGetPCIBusId, "room 13", SUCCESS, (void)0, (o.text, 13, dev), HOLDS(strlen(o.text) == 12));
  ROW(cuDeviceGetPCIBusId, "room 12", SPOILS(INVALID_VALUE), (o.text, 12, dev));
  ROW(cuDeviceGetPCIBusId, "room 0", INVALID_VALUE, (o.text, 0, dev));
  ROW(cuDeviceGetPCIBusId, "NULL", INVALID_VALUE, (NULL, 100, dev));
  ROW(cuDeviceGetPCIBusId, "no such device", INVALID_DEVICE, (o.text, 100, NO_DEVICE_));
  OK(cuDeviceGetPCIBusId(bus_id, sizeof bus_id, dev));
  WITH(cuDeviceGetByPCIBusId, "good", SUCCESS, (void)0, (&o.dev, bus_id), HOLDS(o.dev == dev));
  ROW(cuDeviceGetByPCIBusId, "nonsense", INVALID_VALUE, (&o.dev, "nonsense"));
  ROW(cuDeviceGetByPCIBusId, "empty", INVALID_VALUE, (&o.dev, ""));
  ROW(cuDeviceGetByPCIBusId, "no device there", INVALID_DEVICE, (&o.dev, "0000:ff:1f.0"));
  ROW(cuDeviceGetByPCIBusId, "NULL", INVALID_VALUE, (&o.dev, NULL));
  ROW(cuDeviceGetByPCIBusId, "nowhere to put it", INVALID_VALUE, (NULL, bus_id));
  WITH(cuDeviceComputeCapability, "good", SUCCESS, (void)0, (&o.i, &o.j, dev), HOLDS(o.i >= 7));
  ROW(cuDeviceComputeCapability, "NULL", INVALID_VALUE, (NULL, &o.j, dev));
  ROW(cuDeviceComputeCapability, "second NULL", INVALID_VALUE, (&o.i, NULL, dev));
  ROW(cuDeviceComputeCapability, "no such device", INVALID_DEVICE, (&o.i, &o.j, NO_DEVICE_));
  WITH(cuDeviceGetAttribute, "good", SUCCESS, (void)0, (&o.i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev),
       HOLDS(o.i == 32));
  ROW(cuDeviceGetAttribute, "NULL", INVALID_VALUE, (NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev));
  ROW(cuDeviceGetAttribute, "attribute 0", INVALID_VALUE, (&o.i, (CUdevice_attribute)0, dev));
  ROW(cuDeviceGetAttribute, "attribute -1", INVALID_VALUE, (&o.i, (CUdevice_attribute)-1, dev));
  ROW(cuDeviceGetAttribute, "attribute 100000", INVALID_VALUE, (&o.i, (CUdevice_attribute)100000, dev));
  ROW(cuDeviceGetAttribute, "no such device", INVALID_DEVICE,
      (&o.i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, NO_DEVICE_));
  ROW(cuDeviceGetAttribute, "device -1", INVALID_DEVICE, (&o.i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, -1));
  ROW(cuDeviceGetProperties, "good", SUCCESS, (&o.properties, dev));
  ROW(cuDeviceGetProperties, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDeviceGetProperties, "no such device", INVALID_DEVICE, (&o.properties, NO_DEVICE_));
  WITH(cuDeviceGetTexture1DLinearMaxWidth, "good", SUCCESS, (void)0, (&o.size, CU_AD_FORMAT_FLOAT, 1, dev),
       HOLDS(o.size >= 1 << 20));
  ROW(cuDeviceGetTexture1DLinearMaxWidth, "NULL", INVALID_VALUE, (NULL, CU_AD_FORMAT_FLOAT, 1, dev));
  ROW(cuDeviceGetTexture1DLinearMaxWidth, "no such format", INVALID_VALUE,
      (&o.size, (CUarray_format)0, 1, dev));
  ROW(cuDeviceGetTexture1DLinearMaxWidth, "3 channels", INVALID_VALUE, (&o.size, CU_AD_FORMAT_FLOAT, 3, dev));
  ROW(cuDeviceGetTexture1DLinearMaxWidth, "0 channels", INVALID_VALUE, (&o.size, CU_AD_FORMAT_FLOAT, 0, dev));
  ROW(cuDeviceGetTexture1DLinearMaxWidth, "no such device", INVALID_DEVICE,
      (&o.size, CU_AD_FORMAT_FLOAT, 1, NO_DEVICE_));
  WITH(cuDeviceGetExecAffinitySupport, "good", SUCCESS, (void)0, (&o.i, CU_EXEC_AFFINITY_TYPE_SM_COUNT, dev),
       HOLDS(o.i == 0));
  ROW(cuDeviceGetExecAffinitySupport, "NULL", INVALID_VALUE, (NULL, CU_EXEC_AFFINITY_TYPE_SM_COUNT, dev));
  ROW(cuDeviceGetExecAffinitySupport, "no such type", SUCCESS, (&o.i, CU_EXEC_AFFINITY_TYPE_MAX, dev));
  ROW(cuDeviceGetExecAffinitySupport, "no such device", INVALID_DEVICE,
      (&o.i, CU_EXEC_AFFINITY_TYPE_SM_COUNT, NO_DEVICE_));

  WITH(cuDeviceCanAccessPeer, "itself", SUCCESS, (void)0, (&o.i, dev, dev), HOLDS(o.i == 0));
  ROW(cuDeviceCanAccessPeer, "NULL", INVALID_VALUE, (NULL, dev, dev));
  ROW(cuDeviceCanAccessPeer, "no such device", INVALID_DEVICE, (&o.i, NO_DEVICE_, dev));
  ROW(cuDeviceCanAccessPeer, "no such peer", INVALID_DEVICE, (&o.i, dev, NO_DEVICE_));
  ROW(cuDeviceGetP2PAttribute, "itself", INVALID_DEVICE,
      (&o.i, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, dev, dev));
  ROW(cuDeviceGetP2PAttribute, "no such peer", INVALID_DEVICE,
      (&o.i, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, dev, NO_DEVICE_));
  ROW(cuDeviceGetP2PAttribute, "NULL", INVALID_VALUE,
      (NULL, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, dev, dev));
  ROW(cuDeviceGetP2PAttribute, "no such attribute", INVALID_DEVICE,
      (&o.i, (CUdevice_P2PAttribute)99, dev, dev));
  ROW(cuDeviceGetP2PAttribute, "attribute 0", INVALID_DEVICE, (&o.i, (CUdevice_P2PAttribute)0, dev, dev));

  WITH(cuDevicePrimaryCtxGetState, "not there", SUCCESS, (void)0, (dev, &o.u, &o.i), HOLDS(o.i == 0));
  ROW(cuDevicePrimaryCtxGetState, "no flags", INVALID_VALUE, (dev, NULL, &o.i));
  ROW(cuDevicePrimaryCtxGetState, "no state", INVALID_VALUE, (dev, &o.u, NULL));
  ROW(cuDevicePrimaryCtxGetState, "no such device", INVALID_DEVICE, (NO_DEVICE_, &o.u, &o.i));
  ROW(cuDevicePrimaryCtxSetFlags, "good", SUCCESS, (dev, CU_CTX_SCHED_YIELD));
  ROW(cuDevicePrimaryCtxSetFlags_v2, "good", SUCCESS, (dev, CU_CTX_SCHED_YIELD));
  ROW(cuDevicePrimaryCtxSetFlags_v2, "unknown flags", INVALID_VALUE, (dev, 0x10000));
  ROW(cuDevicePrimaryCtxSetFlags_v2, "two schedules", INVALID_VALUE,
      (dev, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
  ROW(cuDevicePrimaryCtxSetFlags, "unknown flags", INVALID_VALUE, (dev, 0x10000));
  ROW(cuDevicePrimaryCtxSetFlags, "no such device", INVALID_DEVICE, (NO_DEVICE_, 0));
  ROW(cuDevicePrimaryCtxSetFlags_v2, "no such device", INVALID_DEVICE, (NO_DEVICE_, 0));
  ROW(cuDevicePrimaryCtxRelease, "never retained", SUCCESS, (dev));
  ROW(cuDevicePrimaryCtxRelease_v2, "never retained", INVALID_CONTEXT, (dev));
  ROW(cuDevicePrimaryCtxRelease, "no such device", INVALID_DEVICE, (NO_DEVICE_));
  ROW(cuDevicePrimaryCtxRelease_v2, "no such device", INVALID_DEVICE, (NO_DEVICE_));
  WITH(cuDevicePrimaryCtxRetain, "good", SUCCESS, (void)0, (&o.ctx, dev),
       if (WORKED) cuDevicePrimaryCtxRelease_v2(dev));
  ROW(cuDevicePrimaryCtxRetain, "NULL", INVALID_VALUE, (NULL, dev));
  ROW(cuDevicePrimaryCtxRetain, "no such device", INVALID_DEVICE, (&o.ctx, NO_DEVICE_));
  CUcontext primary;
  WITH(cuDevicePrimaryCtxRelease, "good", SUCCESS, MUST(cuDevicePrimaryCtxRetain(&primary, dev)), (dev),
       (void)0);
  WITH(cuDevicePrimaryCtxRelease_v2, "good", SUCCESS, MUST(cuDevicePrimaryCtxRetain(&primary, dev)), (dev),
       (void)0);
  OK(cuDevicePrimaryCtxRetain(&primary, dev));
  WITH(cuDevicePrimaryCtxGetState, "there", SUCCESS, (void)0, (dev, &o.u, &o.i), HOLDS(o.i == 1));
  ROW(cuDevicePrimaryCtxSetFlags, "there", PRIMARY_CONTEXT_ACTIVE, (dev, CU_CTX_SCHED_YIELD));
  ROW(cuDevicePrimaryCtxReset_v2, "retained", SUCCESS, (dev));
  ROW(cuDevicePrimaryCtxReset_v2, "not there", SUCCESS, (dev));
  ROW(cuDevicePrimaryCtxReset, "no such device", INVALID_DEVICE, (NO_DEVICE_));
  ROW(cuDevicePrimaryCtxReset_v2, "no such device", INVALID_DEVICE, (NO_DEVICE_));
  WITH(cuDevicePrimaryCtxGetState, "reset while retained", SUCCESS, (void)0, (dev, &o.u, &o.i),
       HOLDS(o.i == 0));
  ROW(cuDevicePrimaryCtxRelease_v2, "after a reset", ONE_WAY(SUCCESS), (dev));
  OK(cuDevicePrimaryCtxRetain(&primary, dev));
  ROW(cuDevicePrimaryCtxReset, "retained", SUCCESS, (dev));
  ROW(cuDevicePrimaryCtxReset, "not there", SUCCESS, (dev));
  ROW(cuDevicePrimaryCtxRelease_v2, "after a reset of old", INVALID_CONTEXT, (dev));
  ROW(cuDevicePrimaryCtxRelease_v2, "once too often", INVALID_CONTEXT, (dev));
}
