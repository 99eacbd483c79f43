/* The driver's functions for the C sides of benchmarks: `cu`, with a member for each name of DRIVER(X), which
 * is defined before. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x) /* cuMemAlloc is a macro for the symbol of today */

static struct {
#define X(name) __typeof__(&name) name##_;
  DRIVER(X)
#undef X
} cu;

/* 0: fine. The context that is current is used. */
static int open_driver(const char *path) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) return fprintf(stderr, "%s\n", dlerror()), 1;
#define X(name)                                                                                              \
  if (!(*(void **)&cu.name##_ = dlsym(lib, TEXT(name)))) return 2;
  DRIVER(X)
#undef X
  return 0;
}
