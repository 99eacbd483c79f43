/* A CUDA driver library, opened by its path: nothing of CUDA is linked. Calls that fail end the program. */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <cuda.h>
#include <stddef.h>

#define ENTRIES(X)                                                                                           \
  X(cuInit)                                                                                                  \
  X(cuGetErrorName)                                                                                          \
  X(cuDeviceGet)                                                                                             \
  X(cuDeviceGetName)                                                                                         \
  X(cuDevicePrimaryCtxRetain)                                                                                \
  X(cuDevicePrimaryCtxRelease)                                                                               \
  X(cuCtxSetCurrent)                                                                                         \
  X(cuCtxSynchronize)                                                                                        \
  X(cuModuleLoadData)                                                                                        \
  X(cuModuleUnload)                                                                                          \
  X(cuModuleGetFunction)                                                                                     \
  X(cuMemAlloc)                                                                                              \
  X(cuMemFree)                                                                                               \
  X(cuMemcpyHtoD)                                                                                            \
  X(cuMemcpyDtoH)                                                                                            \
  X(cuMemsetD8)                                                                                              \
  X(cuLaunchKernel)

/* cuda.h renames entries (cuMemAlloc is cuMemAlloc_v2); one step through a macro takes the new name. */
#define ENTRY(name) __typeof__(&name) name;
struct Driver {
  ENTRIES(ENTRY)
  /* The software device's own: NULL where the library is another. */
  CUresult (*control)(const char *command, char *reply, size_t reply_size, size_t *reply_needed);
};
#undef ENTRY
extern struct Driver cu;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define MUST(entry, ...) must(cu.entry(__VA_ARGS__), TEXT(entry))

_Noreturn void die(const char *what, const char *why);
void must(CUresult r, const char *call);
void open_driver(const char *path);

#endif
