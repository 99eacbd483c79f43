/* The door: what happens before and after every call, cuInit, process exit and fork, and the table of
 * exports behind cuGetProcAddress. */
#include "driver/drv.h"

#include <cudaProfiler.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t operation_done = PTHREAD_COND_INITIALIZER;
static _Thread_local bool in_user_code;
static _Thread_local char stale_note[64];

SgState sg_state;
SgEntry *sg_entries;
_Thread_local SgEntry *sg_alias;

void sg_lock_take(void) { pthread_mutex_lock(&lock); }
void sg_lock_drop(void) { pthread_mutex_unlock(&lock); }
void sg_lock_wait(void) { pthread_cond_wait(&operation_done, &lock); }
void sg_lock_wake(void) { pthread_cond_broadcast(&operation_done); }

void sg_note_stale(const char *kind, uint64_t value) {
  sg_state.stale++;
  snprintf(stale_note, sizeof stale_note, " stale=%s:0x%llx", kind, (unsigned long long)value);
}

void sg_call_user(void (*f)(void *), void *arg) {
  SgEntry *alias = sg_alias;
  const bool outer =
      in_user_code; /* a callback may make calls that are allowed there, which have callbacks too */
  sg_lock_drop();
  sg_alias = NULL;
  in_user_code = true;
  f(arg);
  in_user_code = outer;
  sg_alias = alias;
  sg_lock_take();
}

/* What a function answers before the first cuInit that looks at its handle before anything else. Measured on
 * an H200, driver 580: there is no handle yet that could be a good one. */
static CUresult early_answer(const char *name) {
  static const struct {
    const char *name;
    CUresult code;
  } table[] = {
#define B(symbol, code) {#symbol, CUDA_ERROR_##code},
#include "driver/before_init.def"
#undef B
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].code;
  return CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult life_check(const SgEntry *e, SgNeed need) {
  if (sg_state.life == SG_GONE) return CUDA_ERROR_DEINITIALIZED;
  if (sg_state.life == SG_FORKED && need != SG_NEED_NOTHING) return CUDA_ERROR_NOT_INITIALIZED;
  if (need < SG_NEED_INIT || sg_state.life != SG_NEW) return CUDA_SUCCESS;
  /* After a reset there are handles of old. */
  return sg_state.epoch ? CUDA_ERROR_NOT_INITIALIZED : early_answer(e->current ? e->current : e->name);
}

static bool hidden(SgEntry *e) {
  if (sg_config.version >= CUDA_VERSION) return false;
  if (!e->since) e->since = sg_entry_since(e->name);
  return e->since > sg_config.version;
}

void sg_first_call(void) {
  static bool done;
  if (done) return;
  done = true;
  sg_config_load();
  sg_log_on = sg_config.log;
  if (!sg_fault_add(sg_config.fail))
    fprintf(stderr, "softgpu: CUDALUA_SOFT_FAIL has a rule that makes no sense\n");
}

static void count(SgEntry *e) {
  sg_state.calls++;
  e->calls++;
  if (e->listed) return;
  e->listed = true;
  e->next = sg_entries;
  sg_entries = e;
}

/* An injected fault hits whatever the call would have answered, so that a sweep over all calls of a program
 * reaches every one; only a driver that is gone stays gone. */
static CUresult life_or_fault(SgEntry *e, SgNeed need) {
  CUresult injected = sg_fault_check(e->name), code = life_check(e, need);
  if (sg_state.life == SG_GONE || sg_state.life == SG_FORKED) return code;
  if (injected || code) return injected ? injected : code;
  return hidden(e) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static CUresult state_check(SgEntry *e, SgNeed need) {
  CUresult code = life_or_fault(e, need);
  if (code || need < SG_NEED_HEALTH) return code;
  SgContext *ctx = sg_current(&code);
  if (!ctx) {
    bool needed =
        need == SG_NEED_CONTEXT || (need == SG_NEED_ALIVE && code == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    return needed ? code : CUDA_SUCCESS;
  }
  return sg_health(ctx);
}

CUresult sg_enter(SgCall *call, SgEntry *entry, SgNeed need) {
  if (sg_alias) entry = sg_alias;
  call->entry = entry;
  call->locked = false;
  if (in_user_code && need >= SG_NEED_OUTSIDE) return CUDA_ERROR_NOT_PERMITTED;
  sg_lock_take();
  call->locked = true;
  sg_first_call();
  stale_note[0] = 0;
  count(entry);
  CUresult code = state_check(entry, need & ~(unsigned)SG_UNSAFE);
  return !code && need & SG_UNSAFE ? sg_capture_unsafe() : code;
}

void sg_leave(const SgCall *call, CUresult result, const char *format, ...) {
  if (!call->locked) return;
  if (sg_log_on) {
    char args[512];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(args, sizeof args, format, ap);
    va_end(ap);
    size_t at = n < 0                                         ? 0
                : (size_t)n < sizeof args - sizeof stale_note ? (size_t)n
                                                              : sizeof args - sizeof stale_note;
    strcpy(args + at, stale_note);
    sg_log_add(call->entry->name, result, SG_X(sg_current_handle()), args);
  }
  sg_lock_drop();
  sg_say_deliver();
  sg_user_objects_deliver();
}

/* --- start and end of the library's life --- */

static void at_exit(void) {
  sg_lock_take();
  const bool mine = sg_state.life == SG_READY || sg_state.life == SG_GONE;
  if (sg_state.life == SG_READY) sg_state.life = SG_GONE;
  if (mine && sg_leaks_wanted()) sg_leaks_at_exit();
  sg_lock_drop();
}

static void before_fork(void) { sg_lock_take(); }
static void in_parent(void) { sg_lock_drop(); }
static void in_child(void) {
  if (sg_state.life != SG_NEW) sg_state.life = SG_FORKED;
  sg_lock_drop();
}

static CUresult init(unsigned flags) {
  static bool hooked;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  if (sg_state.life == SG_READY) return CUDA_SUCCESS;
  if (sg_config.devices == 0) return CUDA_ERROR_NO_DEVICE;
  static int open_devices;
  static uint64_t open_memory;
  if (open_devices != sg_config.devices || open_memory != sg_config.memory) {
    sg_arena_close();
    sg_state.damaged_before = 0;
    open_devices = 0;
    if (!sg_arena_open(sg_config.devices, sg_config.memory / (uint64_t)sg_config.devices))
      return CUDA_ERROR_OUT_OF_MEMORY;
    open_devices = sg_config.devices;
    open_memory = sg_config.memory;
  }
  sg_arena_poison = sg_config.poison;
  sg_arena_keeps_init = (sg_config.checks & SG_CHECKS_UNINITIALISED) != 0;
  sg_memory_init();
  if (!hooked) {
    hooked = true;
    atexit(at_exit);
    pthread_atfork(before_fork, in_parent, in_child);
    sg_context_stacks_init();
  }
  sg_state.devices = sg_config.devices;
  sg_state.life = SG_READY;
  return CUDA_SUCCESS;
}

SG_API CUresult cuInit(unsigned int Flags) { SG_CALL(SG_NEED_PROCESS, init(Flags), "flags=%u", Flags); }

static CUresult driver_version(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = sg_config.version;
  return CUDA_SUCCESS;
}

SG_API CUresult cuDriverGetVersion(int *driverVersion) {
  SG_CALL(SG_NEED_NOTHING, driver_version(driverVersion), "version=%llu", SG_OUT(driverVersion));
}

/* --- the table of exports --- */

typedef void (*AnyFunction)(void);

typedef struct Export {
  const char *base, *symbol;
  int since;
  AnyFunction function;
} Export;

#define E(base, symbol, since) {#base, #symbol, since, (AnyFunction)symbol},
#define O(symbol, since, of, parameters, arguments) {#symbol, #symbol, since, (AnyFunction)symbol},
static const Export exports[] = {
#include "driver/entries.def"
#include "driver/old.def"
};
#undef E
#undef O
enum { EXPORTS = sizeof exports / sizeof exports[0] };

/* The twins, in the place of a base the symbol whose twin they are. */
#define T(of, suffix, since, parameters, arguments) CUresult of##suffix parameters;
#include "driver/twins.def"
#undef T
#define T(of, suffix, since, parameters, arguments) {#of, #of #suffix, since, (AnyFunction)of##suffix},
static const Export twins[] = {
#include "driver/twins.def"
};
#undef T
enum { TWINS = sizeof twins / sizeof twins[0] };

int sg_entry_count(void) { return EXPORTS + TWINS; }

int sg_entry_since(const char *symbol) {
  for (int i = 0; i < EXPORTS; i++)
    if (strcmp(exports[i].symbol, symbol) == 0) return exports[i].since;
  for (int i = 0; i < TWINS; i++)
    if (strcmp(twins[i].symbol, symbol) == 0) return twins[i].since;
  return 0;
}

static const Export *twin_of(const Export *e) {
  for (int i = 0; i < TWINS; i++)
    if (strcmp(twins[i].base, e->symbol) == 0) return &twins[i];
  return e;
}

/* The newest form of `base` that `version` knows, as the driver picks it (so cuCtxSynchronize at 13000 is
 * the one that takes a context). */
static const Export *pick(const char *base, int version, bool *known) {
  const Export *best = NULL;
  *known = false;
  for (int i = 0; i < EXPORTS; i++) {
    const Export *e = &exports[i];
    if (strcmp(e->base, base) != 0 || e->since > sg_config.version) continue;
    *known = true;
    if (e->since <= version && (!best || e->since > best->since)) best = e;
  }
  return best;
}

static CUresult proc_address(const char *symbol, void **pfn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  if (!symbol || !pfn || version > sg_config.version || version < 0 || flags > 2)
    return CUDA_ERROR_INVALID_VALUE;
  bool known;
  const Export *e = pick(symbol, version, &known);
  if (e && flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) e = twin_of(e);
  AnyFunction f = e ? e->function : NULL;
  memcpy(pfn, &f, sizeof f);
  if (status)
    *status = e       ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *symbolStatus) {
  SG_CALL(SG_NEED_NOTHING, proc_address(symbol, pfn, cudaVersion, flags, symbolStatus),
          "symbol=%s version=%d pfn=0x%llx", SG_S(symbol), cudaVersion, SG_OUT(pfn));
}

static CUresult proc_address_v1(const char *symbol, void **pfn, int version, cuuint64_t flags) {
  CUresult r = proc_address(symbol, pfn, version, flags, NULL);
  return r == CUDA_SUCCESS && !*pfn ? CUDA_ERROR_NOT_FOUND : r;
}

SG_API CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
  SG_CALL(SG_NEED_NOTHING, proc_address_v1(symbol, pfn, cudaVersion, flags),
          "symbol=%s version=%d pfn=0x%llx", SG_S(symbol), cudaVersion, SG_OUT(pfn));
}

/* Private tables of the driver, of which there are none here. The function has to be there all the same:
 * NVRTC 13 looks for it in a driver that the process has loaded, and goes on with a null pointer where it is
 * missing. */
static CUresult export_table(const void **table, const CUuuid *id) {
  if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
  *table = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

SG_API CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId) {
  SG_CALL(SG_NEED_NOTHING, export_table(ppExportTable, pExportTableId), "table=0x%llx",
          SG_OUT(ppExportTable));
}
