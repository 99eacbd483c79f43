/* The software device's checks, for a program that knows nothing of them: switched on by the environment,
 * what they find is on stderr, and says where the program made the memory. The test runs itself, once for
 * each row of the table: with an argument it is that program. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .entry race(.param .u64 a) {\n"
                          "  .reg .b32 %r<6>;\n"
                          "  .reg .b64 %rd<4>;\n"
                          "  .shared .align 4 .b8 s[128];\n"
                          "  .loc 1 3 0\n"
                          "  ld.param.u64 %rd1, [a];\n"
                          "  mov.u32 %r1, %tid.x;\n"
                          "  mov.u32 %r2, s;\n"
                          "  mad.lo.s32 %r3, %r1, 4, %r2;\n"
                          "  st.shared.u32 [%r3], %r1;\n"
                          "  .loc 1 5 0\n"
                          "  xor.b32 %r4, %r3, 124;\n"
                          "  ld.shared.u32 %r5, [%r4];\n"
                          "  mul.wide.u32 %rd2, %r1, 4;\n"
                          "  add.s64 %rd3, %rd1, %rd2;\n"
                          "  st.global.u32 [%rd3], %r5;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry add(.param .u64 a) {\n"
                          "  .reg .b32 %r<6>;\n"
                          "  .reg .b64 %rd<4>;\n"
                          "  .loc 1 9 0\n"
                          "  ld.param.u64 %rd1, [a];\n"
                          "  mov.u32 %r1, %tid.x;\n"
                          "  mul.wide.u32 %rd2, %r1, 4;\n"
                          "  add.s64 %rd3, %rd1, %rd2;\n"
                          "  .loc 1 10 0\n"
                          "  ld.global.u32 %r2, [%rd3];\n"
                          "  add.s32 %r2, %r2, %r1;\n"
                          "  st.global.u32 [%rd3], %r2;\n"
                          "  ret;\n"
                          "}\n"
                          ".file 1 \"prog.cu\"\n";

static void check(CUresult r) {
  if (r == CUDA_SUCCESS) return;
  const char *name = "?";
  cuGetErrorName(r, &name);
  printf("%s\n", name);
  exit(0);
}

/* `what` is a kernel; "leave" ends without giving anything back. */
static int program(const char *what, size_t bytes) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr memory;
  CUstream stream;
  check(cuInit(0));
  check(cuDeviceGet(&device, 0));
  check(cuCtxCreate(&context, NULL, 0, device));
  check(cuModuleLoadData(&module, ptx));
  check(cuMemAlloc(&memory, bytes));
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  if (strcmp(what, "leave") != 0) {
    check(cuModuleGetFunction(&kernel, module, what));
    void *params[] = {&memory};
    check(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL));
    check(cuStreamSynchronize(stream));
    check(cuStreamDestroy(stream));
    check(cuMemFree(memory));
    check(cuModuleUnload(module));
    check(cuCtxDestroy(context));
  }
  puts("ok");
  fflush(stdout); /* before what the device has to say at the end */
  return 0;
}

static const struct {
  const char *environment, *arguments;
  const char *says[8]; /* in this order, and an end */
} rows[] = {
    {"CUDALUA_SOFT_CHECK=off", "race 128", {"ok\n"}},
    {"CUDALUA_SOFT_CHECK=races",
     "race 128",
     {"softgpu: kernel race, prog.cu:5 (PTX line 16), block (0,0,0), thread (0,0,0): race: the load of 4 "
      "bytes at shared address 0x7c and the store of thread (31,0,0) at prog.cu:3 (PTX line 13) are not "
      "ordered",
      "CUDA_ERROR_LAUNCH_FAILED\n"}},
    {"CUDALUA_SOFT_CHECK=uninitialised,races",
     "add 128",
     {"softgpu: kernel add, prog.cu:10 (PTX line 31), block (0,0,0), thread (0,0,0): load of 4 bytes at "
      "global "
      "address 0x",
      ", which were never written; 0 bytes into allocation 1 (128 bytes at 0x", ", made at checks_test+0x",
      "CUDA_ERROR_LAUNCH_FAILED\n"}},
    {"CUDALUA_SOFT_CHECK=leaks", "add 128", {"ok\n"}},
    {"",
     "add 124",
     {"thread (31,0,0): illegal load of 4 bytes", "right after the end of", "(124 bytes at 0x",
      ", made at checks_test+0x", "CUDA_ERROR_ILLEGAL_ADDRESS\n"}},
    {"CUDALUA_SOFT_CHECK=leaks",
     "leave 100",
     {"ok\n", "softgpu: leak: the context 0x", " was never destroyed, made at checks_test+0x",
      "softgpu: leak: the stream 0x", "softgpu: leak: the module 0x",
      " was never unloaded, made at checks_test+0x", "softgpu: leak: 100 bytes of device memory at 0x",
      "softgpu: 4 leaks, 100 bytes of memory\n"}},
    {"CUDALUA_SOFT_CHECK=leaks CUDALUA_SOFT_REPORT=json",
     "leave 100",
     {"ok\n", "{\"kind\":\"leak\",\"object\":\"memory\",\"address\":\"0x",
      "\"bytes\":100,\"device\":0,\"serial\":1,\"made\":\"checks_test+0x"}},
    {"CUDALUA_SOFT_CHECK=rases",
     "race 128",
     {"softgpu: CUDALUA_SOFT_CHECK=rases is not valid and is ignored", "ok\n"}},
};

static int run(const char *self, size_t i) {
  char command[4096], text[16384];
  snprintf(command, sizeof command, "%s '%s' %s 2>&1", rows[i].environment, self, rows[i].arguments);
  fflush(stdout);
  FILE *pipe = popen(command, "r");
  if (!pipe) return 1;
  const size_t n = fread(text, 1, sizeof text - 1, pipe);
  text[n] = 0;
  const int status = pclose(pipe);
  const char *at = text;
  for (size_t k = 0; at && k < sizeof rows[i].says / sizeof *rows[i].says && rows[i].says[k]; k++) {
    const char *found = strstr(at, rows[i].says[k]);
    if (!found) fprintf(stderr, "%s: this is not there: %s\nin\n%s\n", command, rows[i].says[k], text);
    at = found;
  }
  const char *only = strcmp(rows[i].says[0], "ok\n") == 0 && !rows[i].says[1] ? "ok\n" : NULL;
  if (only && strcmp(text, only) != 0) {
    fprintf(stderr, "%s: more than ok: %s\n", command, text);
    at = NULL;
  }
  if (status) fprintf(stderr, "%s: status %d\n", command, status);
  return !at || status;
}

int main(int argc, char **argv) {
  if (argc == 3) return program(argv[1], strtoul(argv[2], NULL, 10));
  int failed = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) failed += run(argv[0], i);
  return failed != 0;
}
