/* A program that stops what it waits for, as it does on Ctrl-C: kernels end where they are, and what was
 * queued behind them is not run. And whom kernels that run for long tell how far they are. */
#include "driver/drv.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static _Atomic uintptr_t thread; /* whose work it is; 0: nobody's */

SG_API CUresult cuSoftgpuInterrupt(int (*look)(void)) {
  atomic_store(&thread, look ? (uintptr_t)pthread_self() : 0);
  atomic_store(&sg_interrupt_look, look);
  return CUDA_SUCCESS;
}

SG_API CUresult cuSoftgpuProgress(SgProgress *show) {
  atomic_store(&sg_progress, show);
  return CUDA_SUCCESS;
}

bool sg_interruptible(void) { return atomic_load(&thread) == (uintptr_t)pthread_self(); }

bool sg_wait_is_over(void) {
  int (*look)(void) = sg_interruptible() ? atomic_load(&sg_interrupt_look) : NULL;
  return look && look();
}

void sg_interrupted(int device, const char *text) {
  const uint64_t n = sg_launches_queued(device);
  char behind[96] = "";
  if (n)
    snprintf(behind, sizeof behind, "; %llu %s queued behind it will not be run", (unsigned long long)n,
             n == 1 ? "launch" : "launches");
  snprintf(sg_state.interrupted, sizeof sg_state.interrupted, "%s%s", text, behind);
  sg_state.device[device].drop_until = sg_stream_last();
}

/* Numbers of operations go on over a reset, and so do the devices' records. */
void sg_interrupts_reset(void) {
  sg_state.interrupted[0] = 0;
  for (int i = 0; i < SG_MAX_DEVICES; i++) sg_state.device[i].drop_until = 0;
}
