/* Start and end of the library's life: cuInit, process exit and fork. */
#include "driver/background.h"
#include "driver/drv.h"
#include "driver/lock.h"

#include <pthread.h>
#include <stdlib.h>

static void at_exit(void) {
  sg_background_ends();
  sg_lock_take_beside();
  const bool mine = sg_state.life == SG_READY || sg_state.life == SG_GONE;
  if (sg_state.life == SG_READY) sg_state.life = SG_GONE;
  if (mine) sg_background_end();
  if (mine && sg_leaks_wanted()) sg_leaks_at_exit();
  sg_lock_drop();
}

static void before_fork(void) { sg_lock_take_beside(); }
static void in_parent(void) { sg_lock_drop(); }
static void in_child(void) {
  if (sg_state.life != SG_NEW) sg_state.life = SG_FORKED;
  sg_lock_in_child();
  sg_background_in_child();
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
    if (!sg_arena_open(sg_config.devices, sg_config.memory / (uint64_t)sg_config.installed))
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
