/* NVTX is a protocol between a header and a tool's library, which NVTX_INJECTION64_PATH names. A program that
 * includes the header opens that library, and gives it tables of pointers to places for functions; the tool
 * fills those that it has. This is the header's part, for ranges. The numbers are those of NVTX 3
 * (nvtxTypes.h, nvtxInit.h). */
#include "base/nvtx.h"
#include "base/lock.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { CALLBACKS = 1, VERSION_INFO = 3, NVTX_VERSION = 3 };
enum { CORE = 1, MODULES = 6, MOST = 17 };
enum { RANGE_START_A = 5, RANGE_END = 7 };

typedef void (*Function)(void);

/* How many functions the modules have, the first of them, which does not exist, included. */
static const unsigned sizes[MODULES + 1] = {0, 16, 9, 15, 7, 16, 7};
static Function slots[MODULES + 1][MOST];
static Function *tables[MODULES + 1][MOST];

static int module_table(int module, Function ***table, unsigned *size) {
  if (module < CORE || module > MODULES) return 0;
  if (table) *table = tables[module];
  if (size) *size = sizes[module];
  return 1;
}

static void tool_version(uint32_t version) { (void)version; }

static const void *export_table(uint32_t id) {
  static const struct {
    size_t size;
    int (*module_table)(int, Function ***, unsigned *);
  } callbacks = {sizeof callbacks, module_table};
  static const struct {
    size_t size;
    uint32_t version, reserved;
    void (*tool_version)(uint32_t);
  } info = {sizeof info, NVTX_VERSION, 0, tool_version};
  return id == CALLBACKS ? (const void *)&callbacks : id == VERSION_INFO ? (const void *)&info : NULL;
}

/* Once for the process; a tool stays until its end. */
static void open_tool(void) {
  const char *path = getenv("NVTX_INJECTION64_PATH");
  void *lib = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
  if (!lib) return;
  for (int m = CORE; m <= MODULES; m++)
    for (unsigned i = 1; i < sizes[m]; i++) tables[m][i] = &slots[m][i];
  int (*initialize)(const void *(*)(uint32_t));
  *(void **)&initialize = dlsym(lib, "InitializeInjectionNvtx2");
  if (initialize && initialize(export_table)) return;
  for (unsigned i = 0; i < MOST; i++) slots[CORE][i] = NULL;
  dlclose(lib);
}

CL_LOCK(nvtx_lock);

static bool tool(void) {
  static _Atomic int state; /* 0: not looked for, 1: none, 2: there is one */
  if (state) return state == 2;
  pthread_mutex_lock(&nvtx_lock);
  if (!state) {
    open_tool();
    state = slots[CORE][RANGE_START_A] && slots[CORE][RANGE_END] ? 2 : 1;
  }
  pthread_mutex_unlock(&nvtx_lock);
  return state == 2;
}

uint64_t cl_nvtx_start(const char *name) {
  return tool() ? ((uint64_t(*)(const char *))slots[CORE][RANGE_START_A])(name) : 0;
}

void cl_nvtx_end(uint64_t id) {
  if (tool()) ((void (*)(uint64_t))slots[CORE][RANGE_END])(id);
}
