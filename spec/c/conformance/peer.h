/* Two devices that reach each other. */

enum { PEERS_MOST = 8 };

static void peer_rows(void) {
  CUcontext far = NULL, many[PEERS_MOST + 1], c;
  CUdeviceptr there;
  int n = 0, can = 0;
  if (SOFT) OK(cuSoftgpuControl("devices 2", NULL, 0, NULL));
  start_module();
  OK(cuDeviceGetCount(&n));
  if (n > 1) OK(cuDeviceCanAccessPeer(&can, 0, 1));
  if (!can) return;
  OK(cuCtxCreate_v2(&far, 0, 1));
  OK(cuMemAlloc_v2(&there, MEM));
  OK(cuCtxPopCurrent_v2(&c));
  WITH(cuDeviceCanAccessPeer, "two that can", SUCCESS, (void)0, (&o.i, 0, 1), HOLDS(o.i == 1));
  WITH(cuDeviceGetP2PAttribute, "whether they can", SUCCESS, (void)0,
       (&o.i, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1), HOLDS(o.i == 1));
  ROW(cuDeviceGetP2PAttribute, "their rank", SUCCESS, (&o.i, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 0, 1));
  ROW(cuDeviceGetP2PAttribute, "NULL", INVALID_VALUE, (NULL, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
  ROW(cuDeviceGetP2PAttribute, "no such attribute", INVALID_VALUE, (&o.i, (CUdevice_P2PAttribute)99, 0, 1));
  ROW(cuCtxDisablePeerAccess, "not enabled", PEER_ACCESS_NOT_ENABLED, (far));
  WITH(cuCtxEnablePeerAccess, "good", SUCCESS, (void)0, (far, 0),
       if (WORKED) MUST(cuCtxDisablePeerAccess(far)));
  ROW(cuCtxEnablePeerAccess, "flags", INVALID_VALUE, (far, 1));
  WITH(cuCtxDisablePeerAccess, "good", SUCCESS, MUST(cuCtxEnablePeerAccess(far, 0)), (far), (void)0);
  OK(cuCtxEnablePeerAccess(far, 0));
  ROW(cuCtxEnablePeerAccess, "twice", PEER_ACCESS_ALREADY_ENABLED, (far, 0));
  OK(cuCtxDisablePeerAccess(far));
  ROW(cuMemcpyPeer, "to the other device", SUCCESS, (there, far, mem, ctx, 16));
  ROW(cuMemcpyPeerAsync, "to the other device", SUCCESS, (there, far, mem, ctx, 16, st));
  ROW(cuMemcpyPeer, "a context of the wrong device", SOFTWARE_ONLY(INVALID_VALUE),
      (there, ctx, mem, ctx, 16));
  ROW(cuMemcpyDtoD_v2, "to the other device", SUCCESS, (there, mem, 16));
  ROW(cuMemsetD8_v2, "on the other device", UNSURE(SUCCESS), (there, 1, 16));
  ROW(cuMemFree_v2, "the other device's", UNSURE(ONE_WAY(SUCCESS)), (there));
  if (!SOFT) return; /* so many contexts take their time */
  for (int i = 0; i <= PEERS_MOST; i++) {
    OK(cuCtxCreate_v2(&many[i], 0, 1));
    OK(cuCtxPopCurrent_v2(&c));
    if (i < PEERS_MOST) OK(cuCtxEnablePeerAccess(many[i], 0));
  }
  ROW(cuCtxEnablePeerAccess, "one too many", SOFTWARE_ONLY(TOO_MANY_PEERS), (many[PEERS_MOST], 0));
}
