/* Kernels that fail, each in its way: their code is what everything on the device answers from then on. */

static const char fault_ptx[] = HEAD
    ".extern .func __assertfail(.param .b64 t, .param .b64 f, .param .b32 l, .param .b64 u, .param .b64 c);\n"
    ".global .align 1 .b8 text[2] = {120, 0};\n"
    ".visible .entry wild(.param .u64 p) {\n"
    "  .reg .b32 %r<2>;\n"
    "  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r1, 1;\n"
    "  st.global.u32 [%rd2], %r1;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry stop(.param .u64 p) {\n"
    "  trap;\n"
    "}\n"
    ".visible .entry claim(.param .u64 p) {\n"
    "  .reg .b64 %rd<2>;\n"
    "  mov.u64 %rd1, text;\n"
    "  cvta.global.u64 %rd1, %rd1;\n"
    "  {\n"
    "  .param .b64 t;\n"
    "  .param .b64 f;\n"
    "  .param .b32 l;\n"
    "  .param .b64 u;\n"
    "  .param .b64 c;\n"
    "  st.param.b64 [t], %rd1;\n"
    "  st.param.b64 [f], %rd1;\n"
    "  st.param.b32 [l], 12;\n"
    "  st.param.b64 [u], %rd1;\n"
    "  st.param.b64 [c], 1;\n"
    "  call.uni __assertfail, (t, f, l, u, c);\n"
    "  }\n"
    "  ret;\n"
    "}\n";

/* With p 0, it is an address in the middle of a word. */
static void fault_with(const char *name, CUdeviceptr p, int code) {
  CUfunction f;
  CUmodule m;
  CUevent e;
  void *params[] = {&p};
  start_module();
  start_other();
  OK(cuModuleLoadData(&m, fault_ptx));
  OK(cuModuleGetFunction(&f, m, name));
  OK(cuEventCreate(&e, 0));
  if (!p) p = mem + 2;
  CUresult r = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, st, params, NULL);
  IS(code, r ? r : cuCtxSynchronize());
  char after[64];
  snprintf(after, sizeof after, "after a fault of code %d", code);
  ROW(cuCtxSynchronize, after, code, ());
  ROW(cuStreamSynchronize, after, code, (st));
  ROW(cuStreamQuery, after, code, (st));
  ROW(cuEventQuery, after, code, (e));
  ROW(cuEventRecord, after, code, (e, st));
  ROW(cuEventCreate, after, code, (&o.event, 0));
  ROW(cuStreamCreate, after, SPOILS(code), (&o.stream, 0));
  ROW(cuMemAlloc_v2, after, SPOILS(code), (&o.ptr, 16));
  ROW(cuMemFree_v2, after, code, (mem));
  ROW(cuMemcpyDtoH_v2, after, code, (host, mem, 16));
  ROW(cuMemsetD8_v2, after, code, (mem, 1, 16));
  ROW(cuLaunchKernel, after, code, (none, 1, 1, 1, 1, 1, 1, 0, st, NULL, NULL));
  ROW(cuModuleLoadData, after, code, (&o.module, ptx));
  ROW(cuModuleUnload, after, code, (mod));
  ROW(cuStreamDestroy_v2, after, code, (st));
  ROW(cuEventDestroy_v2, after, code, (e));
  ROW(cuCtxCreate_v2, after, code, (&o.ctx, 0, dev));
  ROW(cuDevicePrimaryCtxRetain, after, code, (&o.ctx, dev));
  ROW(cuCtxGetCurrent, after, SUCCESS, (&o.ctx));
  ROW(cuCtxGetDevice, after, SUCCESS, (&o.dev));
  ROW(cuDeviceGetCount, after, SUCCESS, (&o.i));
  ROW(cuCtxDestroy_v2, after, ONE_WAY(SUCCESS), (other));
}

static void wild_address_rows(void) { fault_with("wild", 64, ILLEGAL_ADDRESS); }
static void misaligned_rows(void) { fault_with("wild", 0, MISALIGNED_ADDRESS); }
static void trap_rows(void) { fault_with("stop", 0, LAUNCH_FAILED); }
static void assert_rows(void) { fault_with("claim", 0, ASSERT); }

/* Where there is no device, cuInit says so. */
static void no_device_rows(void) {
  setenv("CUDALUA_SOFT_DEVICES", "0", 1);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  memset(&untouched, 0x5a, sizeof untouched);
  ROW(cuInit, "no device", NO_DEVICE, (0));
  ROW(cuInit, "no device, flags 1", INVALID_VALUE, (1));
  ROW(cuDeviceGetCount, "no device", NOT_INITIALIZED, (&o.i));
  ROW(cuDeviceGet, "no device", NOT_INITIALIZED, (&o.dev, 0));
  ROW(cuCtxGetCurrent, "no device", NOT_INITIALIZED, (&o.ctx));
  ROW(cuDriverGetVersion, "no device", SUCCESS, (&o.i));
}
