/* cp.async: copies into shared memory, whole, of a part (the rest is zero) and of nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "operands.h"

enum { BYTES = THREADS * REGION };

/* What decides how much is read: nothing, a number of bytes in a register, a predicate that says to ignore
 * all. */
typedef enum Amount { ALL, SOME, NOTHING } Amount;

static void put_copy(Text *t, const Form *f, int bytes, Amount amount, bool guarded) {
  access_entry(t, ".shared .align 32 .b8 s[4480];");
  put(t,
      "mov.u64 %%a2,s; mul.wide.u32 %%a3,%%n,%d; add.u64 %%a2,%%a2,%%a3; add.u64 %%a4,%%x0,%%a3; add.u64 "
      "%%a6,%%x1,%%a3;\n",
      REGION);
  for (int i = 0; i < REGION; i += 8) put(t, "st.shared.b64 [%%a2+%d],0x5aa5c33c96690ff0;\n", i);
  put(t,
      "rem.u32 %%r1,%%n,%d; and.b32 %%r2,%%n,1; setp.eq.u32 %%t1,%%r2,0; add.u64 %%a4,%%a4,%%m; mov.u64 "
      "%%a7,0;\n",
      bytes + 1);
  put(t, "%s%s [%%a2+%d],[%%a4+%d],%d%s%s;\n", guarded ? "@%g " : "", f->text, 16, 32, bytes,
      amount == SOME      ? ",%r1"
      : amount == NOTHING ? ",%t1"
                          : "",
      has(f, "L2::cache_hint") ? ",%a7" : "");
  put(t, "cp.async.wait_all;\n");
  for (int i = 0; i < REGION; i += 8)
    put(t, "ld.shared.b64 %%b0,[%%a2+%d]; st.global.b64 [%%a6+%d],%%b0;\n", i, i);
  put(t, "ret; }\n");
}

static void try_copy(const Form *f, int bytes, Amount amount, bool guarded) {
  const uint64_t before = UINT64_C(0x5aa5c33c96690ff0);
  uint8_t on[THREADS], *in = device_memory(BYTES), *out = device_memory(BYTES), want[REGION];
  AccessParams params = {.in = in, .out = out};
  Text t = {0};
  for (int i = 0; i < BYTES; i++) in[i] = (uint8_t)any_bits();
  put(&t, PTX_HEAD);
  put_copy(&t, f, bytes, amount, guarded);
  begin(f->text);
  SgModule *m = module_load(t.p, true);
  if (m && access_run(m, &params, false, on))
    for (int n = 0; n < THREADS; n++) {
      const int count = amount == ALL ? bytes : amount == SOME ? n % (bytes + 1) : n % 2 ? bytes : 0;
      for (int i = 0; i < REGION; i += 8) memcpy(want + i, &before, 8);
      if (on[n] || !guarded) {
        memset(want + 16, 0, (size_t)bytes);
        memcpy(want + 16, in + n * REGION + 32, (size_t)count);
      }
      if (memcmp(want, out + n * REGION, REGION) != 0)
        wrong("%s of %d bytes, kind %d, thread %d: other bytes than expected", f->text, bytes, amount, n);
    }
  if (m && amount == ALL && !guarded) {
    access_fails(m, &params, f, 1, 716, (uint32_t)bytes);
    access_fails(m, &params, f, BYTES - 5 * REGION - 32, 700, (uint32_t)bytes);
  }
  finish();
  sg_module_unload(m);
  free(t.p);
  device_free(in);
  device_free(out);
}

/* Groups that are waited for: nothing that a thread can see, but they have to be there. */
static bool try_group(const Form *f) {
  Text t = {0};
  begin(f->text);
  put(&t,
      PTX_HEAD ".visible .entry k(.param .u64 in) { .reg .b64 %%x<4>; ld.param.u64 %%x0,[in]; mov.u64 "
               "%%x1,0; %s%s%s; ret; }\n",
      f->text,
      has(f, "wait_group") ? " 0"
      : has(f, "prefetch") ? " [%x0],64"
                           : "",
      has(f, "L2::cache_hint") ? ",%x1" : "");
  SgModule *m = module_load(t.p, true);
  void *memory = device_memory(64);
  if (m) run_kernel(m, "k", 1, 64, &memory);
  finish();
  sg_module_unload(m);
  device_free(memory);
  free(t.p);
  return true;
}

/* cp.async.mbarrier.arrive: an arrival when the copies are complete, which they are; without .noinc it is one
 * more than the barrier waits for. */
static bool try_arrival(const Form *f) {
  const bool noinc = has(f, "noinc"), shared = has(f, "shared") || has(f, "shared::cta");
  Text t = {0};
  uint32_t *out = device_memory(4);
  begin(f->text);
  put(&t,
      PTX_HEAD ".visible .entry k(.param .u64 out) { .shared .align 8 .b64 bar; .reg .b64 %%x<4>; .reg .b32 "
               "%%r<4>; .reg .pred %%p<2>;\n"
               "ld.param.u64 %%x0,[out]; mov.u64 %%x1,bar; mbarrier.init.shared.b64 [bar],1; %s\n"
               "%s [%%x1]; mbarrier.test_wait.parity.shared.b64 %%p0,[bar],0; selp.u32 %%r0,1,0,%%p0; "
               "st.global.u32 [%%x0],%%r0; ret; }\n",
      shared ? "" : "cvta.shared.u64 %x1,%x1;", f->text);
  SgModule *m = module_load(t.p, true);
  if (m && run_kernel(m, "k", 1, 1, &out) && *out != noinc)
    wrong("%s: the phase is %scomplete", f->text, *out ? "" : "not ");
  finish();
  sg_module_unload(m);
  device_free(out);
  free(t.p);
  return true;
}

bool copy_async(const Form *f) {
  if (has(f, "commit_group") || has(f, "wait_all") || has(f, "wait_group") || has(f, "prefetch"))
    return try_group(f);
  if (has(f, "bulk")) return false;
  if (has(f, "mbarrier")) return try_arrival(f);
  for (int bytes = has(f, "cg") ? 16 : 4; bytes <= 16; bytes *= 2)
    for (int amount = ALL; amount <= NOTHING; amount++) {
      try_copy(f, bytes, (Amount)amount, false);
      try_copy(f, bytes, (Amount)amount, true);
    }
  return true;
}
