/* The C side of bench/compile.lua. As a shared library: clocks, processes, cuModuleLoadData and NVRTC without
 * anything of ours around them. As a program (-DPROGRAM): what a C program does until its first kernel's
 * result is there: compile-program DRIVER IMAGE */
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cuda.h>
#include <nvrtc.h>

extern char **environ;

#define DRIVER(X)                                                                                            \
  X(cuInit)                                                                                                  \
  X(cuDeviceGet)                                                                                             \
  X(cuDevicePrimaryCtxRetain)                                                                                \
  X(cuCtxSetCurrent)                                                                                         \
  X(cuModuleLoadData)                                                                                        \
  X(cuModuleUnload)                                                                                          \
  X(cuModuleGetFunction)                                                                                     \
  X(cuMemAlloc)                                                                                              \
  X(cuMemcpyDtoH)                                                                                            \
  X(cuLaunchKernel)

#include "common/driver.h"

int bench_open(const char *driver) { return open_driver(driver); }

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Milliseconds of one cuModuleLoadData; negative: it failed. */
double bench_load(const void *image) {
  CUmodule mod;
  double start = bench_now();
  CUresult r = cu.cuModuleLoadData_(&mod, image);
  double ms = bench_now() - start;
  if (r) return -1;
  cu.cuModuleUnload_(mod);
  return ms;
}

/* Milliseconds from source to image by NVRTC alone; negative: it failed. */
double bench_nvrtc(const char *path, const char *source, const char *name, int n, const char **options) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) return -1;
#define F(name) __typeof__(&name) name##_ = (__typeof__(&name))dlsym(lib, #name)
  F(nvrtcCreateProgram);
  F(nvrtcCompileProgram);
  F(nvrtcGetCUBINSize);
  F(nvrtcGetCUBIN);
  F(nvrtcGetPTXSize);
  F(nvrtcGetPTX);
  F(nvrtcDestroyProgram);
#undef F
  double start = bench_now();
  nvrtcProgram prog;
  size_t size = 0;
  if (nvrtcCreateProgram_(&prog, source, name, 0, NULL, NULL)) return -2;
  if (nvrtcCompileProgram_(prog, n, options)) return -3;
  if (!nvrtcGetCUBINSize_(prog, &size) && size > 1) {
    char *image = malloc(size);
    nvrtcGetCUBIN_(prog, image);
    free(image);
  } else if (!nvrtcGetPTXSize_(prog, &size)) {
    char *image = malloc(size);
    nvrtcGetPTX_(prog, image);
    free(image);
  }
  nvrtcDestroyProgram_(&prog);
  return bench_now() - start;
}

/* Milliseconds from the start of a process until it writes its first byte to stdout; negative: it failed. */
double bench_spawn(const char *const argv[]) {
  int fds[2], status;
  if (pipe2(fds, O_CLOEXEC)) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
  double start = bench_now();
  pid_t pid;
  int code = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
  close(fds[1]);
  posix_spawn_file_actions_destroy(&actions);
  char byte = 0;
  ssize_t n = code ? 0 : read(fds[0], &byte, 1);
  double ms = bench_now() - start;
  close(fds[0]);
  if (code || waitpid(pid, &status, 0) < 0 || status || n != 1 || byte != '1') return -1;
  return ms;
}

#ifdef PROGRAM
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    CUresult code = (call);                                                                                  \
    if (code) return fprintf(stderr, #call ": %d\n", (int)code), 1;                                          \
  } while (0)

int main(int argc, char **argv) {
  if (argc != 3 || bench_open(argv[1])) return 1;
  FILE *file = fopen(argv[2], "rb");
  if (!file) return 1;
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *image = calloc(1, size + 1);
  if (!image || fread(image, 1, size, file) != size) return 1;
  CUdevice dev;
  CUcontext ctx;
  CUmodule mod;
  CUfunction fn;
  CUdeviceptr out;
  static int host[256];
  int n = 256;
  void *params[] = {&out, &n};
  CHECK(cu.cuInit_(0));
  CHECK(cu.cuDeviceGet_(&dev, 0));
  CHECK(cu.cuDevicePrimaryCtxRetain_(&ctx, dev));
  CHECK(cu.cuCtxSetCurrent_(ctx));
  CHECK(cu.cuModuleLoadData_(&mod, image));
  CHECK(cu.cuModuleGetFunction_(&fn, mod, "fill"));
  CHECK(cu.cuMemAlloc_(&out, sizeof host));
  CHECK(cu.cuLaunchKernel_(fn, 1, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
  CHECK(cu.cuMemcpyDtoH_(host, out, sizeof host));
  if (write(1, host[255] == 256 * 255 ? "1" : "0", 1) != 1) return 1;
  _exit(0); /* the end of the process is no part of the measurement */
}
#endif
