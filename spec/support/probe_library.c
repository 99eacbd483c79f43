/* A small library for specs of calls of a vendor's library: it puts work into a stream by the driver's own
 * calls, fails when it is told to, and counts what is destroyed. */
#include <cuda.h>

#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
static CUresult (*fill)(CUdeviceptr, unsigned, size_t, CUstream);

PUBLIC int probe_open(const char *driver);
PUBLIC int probe_copy(uintptr_t to, uintptr_t from, size_t bytes, uintptr_t stream);
PUBLIC int probe_fill(uintptr_t to, unsigned value, size_t words, uintptr_t stream);
PUBLIC int probe_destroy(void *handle);
PUBLIC int probe_destroy_int(int handle);
PUBLIC void probe_release(void *handle);
PUBLIC int probe_refuse(void *handle);
PUBLIC int probe_say(void *handle);
PUBLIC int probe_count(void);
PUBLIC uintptr_t probe_last(void);

static void *symbol(void *library, const char *name) { return library ? dlsym(library, name) : NULL; }

/* 0: the driver at that path has what is needed. */
int probe_open(const char *driver) {
  void *library = dlopen(driver, RTLD_NOW);
  *(void **)&copy = symbol(library, "cuMemcpyDtoDAsync_v2");
  *(void **)&fill = symbol(library, "cuMemsetD32Async");
  return copy && fill ? 0 : 1;
}

int probe_copy(uintptr_t to, uintptr_t from, size_t bytes, uintptr_t stream) {
  return (int)copy(to, from, bytes, (CUstream)stream);
}

int probe_fill(uintptr_t to, unsigned value, size_t words, uintptr_t stream) {
  return (int)fill(to, value, words, (CUstream)stream);
}

static int count;
static uintptr_t last;

static void note(uintptr_t handle) {
  count++;
  last = handle;
}

int probe_destroy(void *handle) { return note((uintptr_t)handle), 0; }
int probe_destroy_int(int handle) { return note((uintptr_t)handle), 0; }
void probe_release(void *handle) { note((uintptr_t)handle); }
int probe_refuse(void *handle) { return note((uintptr_t)handle), 7; }

int probe_say(void *handle) {
  (void)handle;
  return write(1, "fine\n", 5) == 5 ? 0 : 1;
}

/* How many handles were destroyed, and which one last. */
int probe_count(void) { return count; }
uintptr_t probe_last(void) { return last; }
