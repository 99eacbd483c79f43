/* st.async and st.bulk: stores that a barrier in memory counts the bytes of, and zeros. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "operands.h"

static void fill_and_copy(Text *t, bool fill) {
  for (int i = 0; i < REGION; i += 8)
    if (fill)
      put(t, "st.shared.b64 [%%a2+%d],0x5aa5c33c96690ff0;\n", i);
    else
      put(t, "ld.shared.b64 %%b0,[%%a2+%d]; st.global.b64 [%%a6+%d],%%b0;\n", i, i);
}

/* %a7: where the form stores to, in its own space or, without one, generic. */
static void put_target(Text *t, const Form *f, bool global) {
  put(t, "mov.u64 %%a7,%s;\n", global ? "%a6" : "%a2");
  if (!global && !has(f, "shared::cta") && !has(f, "shared::cluster"))
    put(t, "cvta.shared.u64 %%a7,%%a7; cvta.shared.u64 %%a5,%%a5;\n");
}

static char name_of(char letter) { return letter == 'w' ? 'r' : letter == 'x' ? 'b' : letter; }

static void put_store(Text *t, const Form *f, const Access *a, bool counts, const char *guard) {
  const char letter = a->bytes == 1 ? 'b' : letter_of(a->type);
  const char name = a->bytes == 1 ? 'c' : name_of(letter);
  for (int i = 0; i < a->parts; i++)
    put(t, "ld.global.%s %%%c%d,[%%a4+%d];\n", register_type(letter), name, i, 8 * i);
  put(t, "%s%s [%%a7+%d],%s", guard, f->text, MIDDLE, a->parts > 1 ? "{" : "");
  for (int i = 0; i < a->parts; i++) put(t, "%s%%%c%d", i ? "," : "", name, i);
  put(t, "%s%s;\n", a->parts > 1 ? "}" : "", counts ? ",[%a5]" : "");
}

/* Each thread has a barrier that waits for the bytes: where it is through its phase, a byte is 1. */
static void put_kernel(Text *t, const Form *f, const Access *a, bool guarded) {
  const bool counts = has(f, "mbarrier::complete_tx::bytes"), bulk = has(f, "bulk"),
             global = !counts && !bulk;
  const char *guard = guarded ? "@%g " : "";
  put(t, PTX_HEAD);
  access_entry(t, ".shared .align 32 .b8 s[4480]; .shared .align 8 .b64 bars[70]; .reg .f32 %f<4>; .reg .f64 "
                  "%d<4>; .reg .b8 %c<4>;");
  put(t,
      "mov.u64 %%a2,s; mul.wide.u32 %%a3,%%n,%d; add.u64 %%a2,%%a2,%%a3; add.u64 %%a4,%%x0,%%a3; add.u64 "
      "%%a6,%%x1,%%a3;\n"
      "mov.u64 %%a5,bars; mul.wide.u32 %%a3,%%n,8; add.u64 %%a5,%%a5,%%a3;\n",
      REGION);
  fill_and_copy(t, true);
  if (counts)
    put(t,
        "mbarrier.init.shared.b64 [%%a5],1; mbarrier.arrive.expect_tx.shared.b64 _,[%%a5],%d; mov.u64 "
        "%%b20,%%a5;\n",
        a->bytes * a->parts);
  if (global) fill_and_copy(t, false);
  put_target(t, f, global);
  if (bulk)
    put(t, "add.u64 %%a7,%%a7,8; mov.u64 %%b1,40; %s%s [%%a7],%%b1,0;\n", guard, f->text);
  else
    put_store(t, f, a, counts, guard);
  if (counts) put(t, "mbarrier.test_wait.parity.shared.b64 %%t1,[%%b20],0; @%%t1 st.shared.u8 [%%a2],1;\n");
  if (!global) fill_and_copy(t, false);
  put(t, "ret; }\n");
}

bool store_async(const Form *f) {
  enum { BYTES = THREADS * REGION };
  const uint64_t before = UINT64_C(0x5aa5c33c96690ff0);
  const bool bulk = has(f, "bulk"), counts = has(f, "mbarrier::complete_tx::bytes");
  const Access a = access_of(f);
  if (!bulk && !has(f, "async")) return false;
  uint8_t on[THREADS], *in = device_memory(BYTES), *out = device_memory(BYTES), want[REGION];
  AccessParams params = {.in = in, .out = out};
  for (int i = 0; i < BYTES; i++) in[i] = (uint8_t)any_bits();
  begin(f->text);
  for (int guarded = 0; guarded < 2; guarded++) {
    Text t = {0};
    put_kernel(&t, f, &a, guarded);
    SgModule *m = module_load(t.p, true);
    if (m && access_run(m, &params, false, on))
      for (int n = 0; n < THREADS; n++) {
        const bool stores = on[n] || !guarded;
        for (int i = 0; i < REGION; i += 8) memcpy(want + i, &before, 8);
        if (bulk && stores) memset(want + 8, 0, 40);
        for (int i = 0; !bulk && stores && i < a.parts; i++)
          memcpy(want + MIDDLE + i * a.bytes, in + n * REGION + 8 * i, (size_t)a.bytes);
        if (counts && stores) want[0] = 1;
        if (memcmp(want, out + n * REGION, REGION) != 0)
          wrong("%s, thread %d: other bytes than expected", f->text, n);
      }
    sg_module_unload(m);
    free(t.p);
  }
  finish();
  device_free(in);
  device_free(out);
  return true;
}
