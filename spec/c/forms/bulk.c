/* cp.async.bulk and cp.reduce.async.bulk: copies of many bytes from and to shared memory, and operations on
 * the elements of memory. Each thread has bytes of its own in global and in shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "atomic.h"
#include "operands.h"

enum { BYTES = THREADS * REGION, SIZE = 48, AT = 16, MASK = 0x9f06 };

/* Its first space is where it writes, the second one where it reads. */
static bool is_global(const Form *f, int which) {
  for (int i = 0; i + which < f->nmods; i++)
    if (strcmp(f->mod[i], "bulk") == 0) return strcmp(f->mod[i + which], "global") == 0;
  return false;
}
static bool to_global(const Form *f) { return is_global(f, 1); }
static bool from_global(const Form *f) { return is_global(f, 2); }

/* in: what is in global memory at first, then what is in shared memory; out: what is in shared memory at
 * last. A copy within shared memory reads from another place, which has the bytes of global memory. */
static void put_kernel(Text *t, const Form *f, bool guarded) {
  const bool counts = has(f, "mbarrier::complete_tx::bytes"), within = !from_global(f) && !to_global(f);
  put(t, PTX_HEAD);
  access_entry(
      t, ".shared .align 32 .b8 s[4480]; .shared .align 32 .b8 u[4480]; .shared .align 8 .b64 bars[70];");
  put(t,
      "mul.wide.u32 %%a3,%%n,%d; mov.u64 %%a2,s; add.u64 %%a2,%%a2,%%a3; mov.u64 %%a7,u; add.u64 "
      "%%a7,%%a7,%%a3; add.u64 "
      "%%a4,%%x0,%%a3; add.u64 %%a6,%%x1,%%a3; mov.u64 %%a5,bars; mul.wide.u32 %%a3,%%n,8; add.u64 "
      "%%a5,%%a5,%%a3;\n",
      REGION);
  for (int i = 0; i < REGION; i += 8)
    put(t,
        "ld.global.b64 %%b0,[%%a4+%d]; st.shared.b64 [%%a7+%d],%%b0; ld.global.b64 %%b0,[%%a4+%d]; "
        "st.shared.b64 [%%a2+%d],%%b0;\n",
        i, i, BYTES + i, i);
  if (counts)
    put(t, "mbarrier.init.shared.b64 [%%a5],1; mbarrier.arrive.expect_tx.shared.b64 _,[%%a5],%d;\n", SIZE);
  put(t, "mov.b16 %%h0,%d; mov.u64 %%b1,0; mov.u32 %%r1,%d;\n%s%s [%s+%d],[%s+%d],%%r1%s%s%s%s;\n", MASK,
      SIZE, guarded ? "@%g " : "", f->text, to_global(f) ? "%a4" : "%a2", AT,
      from_global(f) ? "%a4"
      : within       ? "%a7"
                     : "%a2",
      AT, counts ? ",[%a5]" : "", has(f, "multicast::cluster") ? ",%h0" : "",
      has(f, "L2::cache_hint") ? ",%b1" : "", has(f, "cp_mask") ? ",%h0" : "");
  if (counts) put(t, "mbarrier.test_wait.parity.shared.b64 %%t1,[%%a5],0; @%%t1 st.shared.u8 [%%a2],1;\n");
  for (int i = 0; i < REGION; i += 8)
    put(t, "ld.shared.b64 %%b0,[%%a2+%d]; st.global.b64 [%%a6+%d],%%b0;\n", i, i);
  put(t, "ret; }\n");
}

/* What becomes of the destination's bytes. */
static void apply(const Form *f, uint8_t *to, const uint8_t *from) {
  const char *op = strcmp(f->mod[0], "reduce") == 0 ? atomic_operation(f) : NULL;
  const Type type = type_of(f, 0);
  const int bytes = op ? type.bits / 8 : 1;
  for (int i = 0; i < SIZE; i += bytes) {
    u128 old = 0, a = 0;
    memcpy(&old, to + AT + i, (size_t)bytes);
    memcpy(&a, from + AT + i, (size_t)bytes);
    const u128 r = op ? atomic_update(op, type, to_global(f), old, a, 0) : a;
    if (has(f, "cp_mask") && !(MASK >> i % 16 & 1)) continue;
    memcpy(to + AT + i, &r, (size_t)bytes);
  }
}

static void judge(const Form *f, const uint8_t *before, const uint8_t *in, const uint8_t *out,
                  const uint8_t *on) {
  uint8_t global[REGION], shared[REGION];
  for (int n = 0; n < THREADS; n++) {
    memcpy(global, before + n * REGION, REGION);
    memcpy(shared, before + BYTES + n * REGION, REGION);
    if (on[n]) {
      if (to_global(f))
        apply(f, global, shared);
      else
        apply(f, shared, before + n * REGION);
      if (has(f, "mbarrier::complete_tx::bytes")) shared[0] = 1;
    }
    if (memcmp(global, in + n * REGION, REGION) != 0)
      wrong("%s, thread %d: other bytes in global memory", f->text, n);
    if (memcmp(shared, out + n * REGION, REGION) != 0)
      wrong("%s, thread %d: other bytes in shared memory", f->text, n);
  }
}

bool copy_bulk(const Form *f) {
  static uint8_t before[BYTES * 2];
  const Type type = type_of(f, 0);
  const char letters[] = {letter_of(type), 0};
  const int bytes = type.kind ? type.bits / 8 : 4;
  if (!has(f, "bulk") || has(f, "tensor") || has(f, "prefetch") || has(f, "commit_group") ||
      has(f, "wait_group"))
    return false;
  uint8_t on[THREADS], *in = device_memory(BYTES * 2), *out = device_memory(BYTES);
  for (int i = 0; i < BYTES * 2; i += bytes) {
    const uint64_t v = type.kind ? operand(letters, 0, UINT32_MAX) : any_bits();
    memcpy(before + i, &v, (size_t)bytes);
  }
  AccessParams params = {.in = in, .out = out};
  begin(f->text);
  for (int guarded = 0; guarded < 2; guarded++) {
    Text t = {0};
    put_kernel(&t, f, guarded);
    memcpy(in, before, sizeof before);
    SgModule *m = module_load(t.p, true);
    if (m && access_run(m, &params, false, on)) {
      if (!guarded) memset(on, 1, sizeof on);
      judge(f, before, in, out, on);
    }
    sg_module_unload(m);
    free(t.p);
  }
  finish();
  device_free(in);
  device_free(out);
  return true;
}
