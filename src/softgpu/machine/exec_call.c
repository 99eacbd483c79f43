/* What calls need besides the jump: the stack of functions that call themselves, and the functions of the
 * device.
 *
 * A list of what a call saves, in the kernel's table of targets: bytes of the frame, number of registers,
 * then for each its row, its width and its place in the frame. */
#include "machine/simd.h"

#include "machine/device_functions.h"
#include "machine/check.h"
#include "decode/kernel.h"
#include "machine/gang.h"

#define ACTIVE(i)                                                                                            \
  for (uint32_t i = g->lo; i < g->lo + g->n; i++)                                                            \
    if (g->m[i])

static inline uint8_t *local(const Gang *g, uint32_t lane) {
  return g->local + (size_t)lane * g->local_stride;
}

#define REGISTERS(T, save)                                                                                   \
  ACTIVE(i) {                                                                                                \
    uint8_t *memory = local(g, i) + sp[i] + offset, *reg = row + i * sizeof(T);                              \
    if (save)                                                                                                \
      __builtin_memcpy(memory, reg, sizeof(T));                                                              \
    else                                                                                                     \
      __builtin_memcpy(reg, memory, sizeof(T));                                                              \
  }

static inline __attribute__((always_inline)) void registers(Gang *g, const Ins *in, bool save) {
  const uint32_t *list = g->kernel->targets + in->target;
  const uint64_t *sp = ROW0(const uint64_t, in->d);
  for (uint32_t k = 0; k < list[1]; k++) {
    uint8_t *row = ROW0(uint8_t, list[2 + 3 * k]);
    const uint32_t offset = list[4 + 3 * k];
    switch (list[3 + 3 * k]) {
    case 1: REGISTERS(uint8_t, save) break;
    case 2: REGISTERS(uint16_t, save) break;
    case 4: REGISTERS(uint32_t, save) break;
    default: REGISTERS(uint64_t, save) break;
    }
  }
}

/* The callee has made sure of the room for its own frame when it began, and this is a part of it. */
void FN(save)(Gang *g, const Ins *in) {
  const uint32_t frame = g->kernel->targets[in->target];
  uint64_t *sp = ROW0(uint64_t, in->d);
  registers(g, in, true);
  ACTIVE(i) sp[i] += frame;
}

void FN(restore)(Gang *g, const Ins *in) {
  const uint32_t frame = g->kernel->targets[in->target];
  uint64_t *sp = ROW0(uint64_t, in->d);
  ACTIVE(i) sp[i] -= frame;
  registers(g, in, false);
  if (++g->serial == PLAN_ALWAYS) g->serial = 1; /* registers with plans have changed */
}

void FN(enter)(Gang *g, const Ins *in) {
  const uint64_t *sp = ROW0(const uint64_t, in->s[0]);
  const uint64_t *taken = in->s[1] == NO_ROW ? NULL : ROW0(const uint64_t, in->s[1]);
  ACTIVE(i) {
    if (sp[i] + (uint64_t)in->imm <= (taken ? taken[i] : g->local_bytes)) continue;
    sg_raise(g, g->kernel->debug ? STACK_OVERFLOW_DEBUG : STACK_OVERFLOW, i,
             "stack overflow: calls are nested so deeply that the thread's stack is full "
             "(CU_LIMIT_STACK_SIZE is %u)",
             g->stack_limit);
    return;
  }
}

/* Memory from the high end of the stack down to what calls have taken, or to the variables. */
void FN(take)(Gang *g, const Ins *in) {
  uint64_t *d = ROW0(uint64_t, in->d);
  const uint64_t *end = ROW0(const uint64_t, in->s[0]), *size = ROW0(const uint64_t, in->s[1]);
  const uint64_t *sp = in->s[2] == NO_ROW ? NULL : ROW0(const uint64_t, in->s[2]);
  const uint64_t align = (uint64_t)in->imm;
  ACTIVE(i) {
    const uint64_t least = sp ? sp[i] + in->target : g->kernel->info.local_bytes;
    const uint64_t at = (end[i] - size[i]) & ~(align - 1);
    if (end[i] <= g->local_bytes && size[i] <= end[i] && at >= least) {
      d[i] = at;
      continue;
    }
    sg_raise(g, STACK_OVERFLOW, i,
             "stack overflow: alloca requests %llu bytes, more than is left of the thread's stack "
             "(CU_LIMIT_STACK_SIZE is %u)",
             (unsigned long long)size[i], g->stack_limit);
    return;
  }
}

void FN(bulk_size)(Gang *g, const Ins *in) {
  const uint64_t *size = ROW0(const uint64_t, in->s[0]);
  ACTIVE(i) {
    if (size[i] % (uint64_t)in->imm == 0) continue;
    sg_raise(g, SG_ILLEGAL_INSTRUCTION, i, "a copy in bulk of %llu bytes, which are not a multiple of %u",
             (unsigned long long)size[i], (unsigned)in->imm);
    return;
  }
}

void FN(fence)(Gang *g, const Ins *in) {
  (void)in;
  if (g->run->parallel) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Functions of the device take one thread after the other. */
void FN(builtin)(Gang *g, const Ins *in) {
  const SgBuiltin *b = sg_builtin_at(in->target);
  SgBuiltinFn *call = sg_device_functions[in->target];
  const uint32_t args = (uint32_t)in->imm, result = (uint32_t)((uint64_t)in->imm >> 32);
  g->calling = (uint32_t)(in - g->kernel->code);
  ACTIVE(i) {
    uint8_t *memory = local(g, i);
    if (g->undefined) {
      if (!sg_undefined_taken(g, i, memory + args, b->arg_bytes,
                              "is an argument of a function of the device"))
        return;
      sg_undefined_made(g, memory + result, b->result_bytes);
    }
    __builtin_memset(memory + result, 0, b->result_bytes);
    if (!call(g, i, memory + args, memory + result)) return;
  }
}
