/* The driver's function table. It is one per process, as the driver is: opened by cuda.init(), never
 * closed. Before that, and in a fork, every entry answers CUDA_ERROR_NOT_INITIALIZED; an entry that the
 * driver lacks answers CL_MISSING. So a call site needs no test of its own: any result but 0 goes to
 * cl_fail(). */
#ifndef CUDALUA_DRIVER_H
#define CUDALUA_DRIVER_H

#include <cuda.h>
#include <cudaProfiler.h>
#include <lua.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/hook.h"

#undef cuEventElapsedTime /* the older form is bound under its own name */

#define CL_ENTRY(symbol, since) __typeof__(&symbol) symbol;
#define CL_ENTRY_OLD(symbol, since, type) __typeof__((type)0) symbol;
typedef struct cl_DriverTable {
#include "base/entries.def"
} cl_DriverTable;
#undef CL_ENTRY
#undef CL_ENTRY_OLD

#define CL_MISSING ((CUresult)0x7ffff001) /* this library's own code: the driver has no such entry */
enum { CL_MAX_DEVICES = 64 };

/* The software device's SgProfile (src/softgpu/driver/drv.h), and what it can be asked for. */
typedef struct cl_SoftProfile {
  uint64_t seq, ran, begin, end, taken;
  uint64_t counts[8];
} cl_SoftProfile;
enum { CL_SOFT_OFF, CL_SOFT_TIMES, CL_SOFT_COUNTS, CL_SOFT_LAST, CL_SOFT_ONE };

/* A driver library that cuda.init() opened. One thread makes it, publishes it whole, and nobody changes it
 * after that, so any thread reads it without a lock. */
typedef struct cl_Driver {
  cl_DriverTable f;
  bool open;       /* cuInit succeeded */
  bool soft;       /* it is the software device: it exports that one's control function */
  int version;     /* cuDriverGetVersion */
  char path[1024]; /* library that was opened */
  CUresult (*control)(const char *, char *, size_t, size_t *);
  CUresult (*block)(CUdeviceptr, size_t, const char *); /* the software device's, else NULL */
  CUresult (*interrupt)(int (*look)(void));             /* the same */
  CUresult (*progress)(void (*show)(const char *kernel, uint64_t done, uint64_t blocks,
                                    uint64_t ns)); /* too */
  CUresult (*profile)(int how, cl_SoftProfile *p); /* too */
} cl_Driver;

extern const cl_Driver *_Atomic cl_driver_in_use;
/* Acquire, for the release of the thread that published it: who sees the pointer sees what it points to. */
static inline const cl_Driver *cl_driver(void) {
  return atomic_load_explicit(&cl_driver_in_use, memory_order_acquire);
}
#define CU (cl_driver()->f)

/* For calls that a capture need not notice. */
static inline CUstreamCaptureMode cl_relax(void) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CU.cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}
static inline void cl_unrelax(CUstreamCaptureMode mode) { CU.cuThreadExchangeStreamCaptureMode(&mode); }

/* This process is a fork of the one that called cuda.init(). Set before the fork has other threads. */
extern bool cl_forked;
extern _Atomic int cl_poison[CL_MAX_DEVICES]; /* sticky error of each device, 0: none */

bool cl_entry_present(const void *entry); /* false: CL_MISSING or not yet opened */
int cl_entry_since(const char *symbol);   /* 0 when unknown */

/* The driver dropped everything that it had: all handles are dead. Called in the state that asked for it. */
CL_HOOKS(cl_on_driver_reset, lua_State *L);

void cl_remember_home(void); /* called when the module is opened: where the software device is looked for */

/* Text that the driver logged on this thread since the last cl_log_clear(): its own explanation. */
const char *cl_log_text(void);
void cl_log_clear(void);
/* cl_log_clear() leaves what there is so far: it is about a fault that nobody has been told of. */
void cl_log_keep(void);
void cl_log_taken(void); /* an error has all of it */

/* Tells the software device where the program is ("file:line", NULL: nowhere): its reports name it with the
 * memory that this thread makes or frees next. */
void cl_say_place(const char *place);

/* Tells the software device that a block which a pool got from the driver now serves an allocation of
 * `bytes`, made at `place`; 0: the pool keeps it, freed at `place`. A block is larger than what it serves. */
void cl_say_block(uint64_t address, uint64_t bytes, const char *place);

#endif
