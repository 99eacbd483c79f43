/* The arguments of a call -> the values that the driver copies, by the kernel's signature. The hot part of a
 * launch: what comes in every call of a loop, plain numbers and memory that was given before, is settled here
 * with a few instructions; the rest by cl_convert(). */
#include "launch/launch.h"
#include "base/slots.h"

/* What was found alive stays so until something is closed or collected. */
static void forget(cl_Function *fn, uint64_t now) {
  for (uint32_t i = 0; i < fn->nparams; i++) fn->params[i].seen[0] = fn->params[i].seen[1] = 0;
  fn->packed = now;
}

/* Remembers the memory at idx, whose address was just written, where nothing but its end can change the
 * answer for kernels of ctx. */
static void remember(lua_State *L, int idx, cl_Param *p, const cl_Context *ctx, uint64_t word, bool pooled) {
  const cl_MemoryObject *m = cl_to_memory(L, idx);
  p->seen[1] = p->seen[0];
  p->seen_pooled[1] = p->seen_pooled[0];
  p->seen[0] = 0;
  if (!m || (m->o.rec != &cl_no_owner && cl_rec_context(m->o.rec) != ctx)) return;
  p->seen[0] = word;
  p->seen_pooled[0] = pooled;
}

/* Two buffers that change places in each call are both known. */
static void recall(lua_State *L, int idx, cl_Param *p, void *dst) {
  const cl_MemoryObject *m = lua_touserdata(L, idx);
  uint64_t word = p->seen[1];
  bool pooled = p->seen_pooled[1];
  p->seen[1] = p->seen[0];
  p->seen_pooled[1] = p->seen_pooled[0];
  p->seen[0] = word;
  p->seen_pooled[0] = pooled;
  memcpy(dst, &m->address, sizeof m->address);
}

uint32_t cl_pack(lua_State *L, cl_Function *fn, int first, const cl_Context *ctx, bool *pooled) {
  const uint64_t *slots = cl_slots(L), now = cl_closes + cl_collected;
  if (__builtin_expect(fn->packed != now, 0)) forget(fn, now);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    cl_Param *p = &fn->params[i];
    const int idx = first + (int)i;
    void *dst = fn->block + p->offset;
    uint64_t word = slots ? slots[idx - 1] : 0;
    double d = cl_slot_number(word);
    if (d == d) {
      if (slots && cl_store_number(p->type, d, dst)) continue;
    } else if (word == p->seen[0]) {
      *pooled |= p->seen_pooled[0];
      continue;
    } else if (word == p->seen[1]) {
      recall(L, idx, p, dst);
      *pooled |= p->seen_pooled[0];
      continue;
    }
    char why[256];
    cl_Converted r = cl_convert(L, idx, p, ctx, dst, why, sizeof why);
    if (r == CL_WRONG) cl_wrong_argument(L, fn, fn->params, i, why);
    if (r == CL_LATER) return i;
    *pooled |= r == CL_OK_POOLED;
    if (p->type == CL_T_PTR) remember(L, idx, p, ctx, word, r == CL_OK_POOLED);
  }
  return fn->nparams;
}
