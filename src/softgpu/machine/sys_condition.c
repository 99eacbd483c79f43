/* cudaGraphSetConditional: a kernel decides what a conditional node of its graph does. The threads that call
 * it do so one after another, and the last value counts. */
#include "machine/device_functions.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <string.h>

bool sg_builtin_cudaGraphSetConditional(Gang *g, uint32_t lane, const void *args, void *result) {
  (void)result;
  uint64_t handle;
  uint32_t value;
  const SgSystem *system = g->run->launch->system;
  memcpy(&handle, args, sizeof handle);
  memcpy(&value, (const uint8_t *)args + sizeof handle, sizeof value);
  const char *why = system && system->set_condition ? system->set_condition(handle, value)
                                                    : "the kernel runs outside a graph";
  if (!why) return true;
  sg_raise(g, SG_LAUNCH_FAILED, lane, "cudaGraphSetConditional of the handle 0x%llx: %s",
           (unsigned long long)handle, why);
  return false;
}
