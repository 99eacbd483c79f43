/* What a profiler asks the device for: when each operation has run, and what its kernels did. Operations are
 * numbered in the order of submission; whoever submits one asks for its number behind the call. */
#include "driver/drv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

int sg_profiling;
static struct {
  uint64_t first, ran; /* number of list[0]; ns of all */
  SgProfile *list;
  size_t room;
  SgCounts running; /* of the operation that runs */
} profile;
static _Thread_local uint64_t submitted;

static void forget(void) {
  free(profile.list);
  memset(&profile, 0, sizeof profile);
}

void sg_profile_submitted(const SgOp *op) { submitted = op->seq; }

SgCounts *sg_profile_counts(void) { return sg_profiling == SG_PROFILE_COUNTS ? &profile.running : NULL; }

/* NULL: it is older than the profile, or there is no room. */
static SgProfile *entry(uint64_t seq, bool make) {
  if (seq < profile.first || seq - profile.first >= MOST) return NULL;
  const size_t at = (size_t)(seq - profile.first);
  if (at < profile.room) return &profile.list[at];
  if (!make) return NULL;
  size_t room = profile.room ? profile.room : 256;
  while (room <= at) room *= 2;
  SgProfile *list = realloc(profile.list, room * sizeof *list);
  if (!list) return NULL;
  memset(list + profile.room, 0, (room - profile.room) * sizeof *list);
  profile.list = list;
  profile.room = room;
  return &list[at];
}

static void add(SgCounts *to, const SgCounts *from) {
  for (size_t i = 0; i < sizeof *to / sizeof(uint64_t); i++)
    ((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

void sg_profile_ran(const SgOp *op, uint64_t began) {
  const uint64_t end = sg_nanoseconds();
  SgProfile *p = entry(op->seq, true);
  profile.ran += end - began;
  if (p) {
    if (!p->begin) p->begin = began;
    p->end = end;
    p->taken += end - began;
    add(&p->counts, &profile.running);
  }
  profile.running = (SgCounts){0};
}

static CUresult answer(int how, SgProfile *p) {
  const SgProfile *found;
  switch (how) {
  case SG_PROFILE_OFF:
  case SG_PROFILE_TIMES:
  case SG_PROFILE_COUNTS:
    if (how == SG_PROFILE_OFF || !sg_profiling) forget();
    if (how && !sg_profiling) profile.first = sg_stream_last() + 1;
    sg_profiling = how;
    return CUDA_SUCCESS;
  case SG_LAST: *p = (SgProfile){.seq = submitted, .ran = profile.ran}; return CUDA_SUCCESS;
  case SG_ONE:
    found = entry(p->seq, false);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    const uint64_t seq = p->seq;
    *p = *found;
    p->seq = seq;
    p->ran = profile.ran;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

SG_API CUresult cuSoftgpuProfile(int how, SgProfile *p) {
  if (how == SG_LAST || how == SG_ONE)
    sg_lock_take_beside();
  else
    sg_lock_take();
  const CUresult r = answer(how, p);
  sg_lock_drop();
  return r;
}
