/* malloc and free in kernels, which new and delete come down to. A block is an allocation like the host's, so
 * that accesses are checked against its bounds; the host's own calls do not see it. */
#include "machine/device_functions.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#include <string.h>

bool sg_builtin_malloc(Gang *g, uint32_t lane, const void *args, void *result) {
  uint64_t bytes, address = 0;
  const SgSystem *system = g->run->launch->system;
  memcpy(&bytes, args, sizeof bytes);
  sg_where(g, g->calling, lane, sg_arena_place, sizeof sg_arena_place);
  const SgAlloc *a = system ? system->take(system->user, bytes) : NULL;
  sg_arena_place[0] = 0;
  if (a) address = a->base;
  memcpy(result, &address, sizeof address);
  return true;
}

bool sg_builtin_free(Gang *g, uint32_t lane, const void *args, void *result) {
  (void)result;
  uint64_t address;
  const SgSystem *system = g->run->launch->system;
  memcpy(&address, args, sizeof address);
  if (!address) return true;
  sg_where(g, g->calling, lane, sg_arena_place, sizeof sg_arena_place);
  const bool given = system && system->give(system->user, address);
  sg_arena_place[0] = 0;
  if (given) {
    sg_forget_allocations(g->run);
    return true;
  }
  char whose[400];
  const SgAlloc *there = sg_arena_reach(address), *freed = there ? NULL : sg_arena_freed_at(address);
  if (freed && freed->kind == SG_HEAP && freed->base == address) {
    sg_alloc_text(freed, whose, sizeof whose);
    sg_raise(g, SG_LAUNCH_FAILED, lane, "free of 0x%llx, which was already freed: %s, freed at %s",
             (unsigned long long)address, whose, freed->freed);
  } else if (there) {
    sg_alloc_text(there, whose, sizeof whose);
    sg_raise(g, SG_LAUNCH_FAILED, lane,
             "free of 0x%llx, which malloc in a kernel did not return: %llu bytes into %s",
             (unsigned long long)address, (unsigned long long)(address - there->base), whose);
  } else {
    sg_raise(g, SG_LAUNCH_FAILED, lane, "free of 0x%llx, which malloc in a kernel did not return",
             (unsigned long long)address);
  }
  return false;
}
