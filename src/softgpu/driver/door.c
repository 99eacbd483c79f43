/* The door: what happens before and after every call. */
#include "driver/background.h"
#include "driver/drv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local bool in_user_code;
static _Thread_local char stale_note[64];

SgState sg_state;
SgEntry *sg_entries;
_Thread_local SgEntry *sg_alias;

void sg_note_stale(const char *kind, uint64_t value) {
  sg_state.stale++;
  snprintf(stale_note, sizeof stale_note, " stale=%s:0x%llx", kind, (unsigned long long)value);
}

void sg_call_user(void (*f)(void *), void *arg) {
  SgEntry *alias = sg_alias;
  const bool outer =
      in_user_code; /* a callback may make calls that are allowed there, which have callbacks too */
  sg_background_away(true);
  sg_lock_drop();
  sg_alias = NULL;
  in_user_code = true;
  f(arg);
  in_user_code = outer;
  sg_alias = alias;
  sg_lock_take_beside();
  sg_background_away(outer);
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
  const SgNeed state = need & ~(unsigned)(SG_UNSAFE | SG_BESIDE);
  if (need & SG_BESIDE || state == SG_NEED_NOTHING)
    sg_lock_take_beside();
  else
    sg_lock_take();
  call->locked = true;
  sg_first_call();
  stale_note[0] = 0;
  count(entry);
  CUresult code = state_check(entry, state);
  return !code && need & SG_UNSAFE ? sg_capture_unsafe() : code;
}

void sg_leave(const SgCall *call, CUresult result, const char *format, ...) {
  if (!call->locked) return;
  sg_say_claim(result);
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
