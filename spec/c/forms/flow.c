/* Branches, calls, returns, and how threads end: each form in a small kernel in which threads go different
 * ways. */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "form.h"

enum { THREADS = 75 };

/* FORM is replaced; %r0 is the thread's number, %r1 goes to memory. A thread whose number is odd branches. */
static const struct {
  const char *op, *functions, *code;
} bodies[] = {
    {"bra", "",
     "setp.eq.u32 %p1,%r2,1; @%p1 FORM ODD; mov.u32 %r1,10; FORM JOIN; ODD: mov.u32 %r1,20; JOIN: add.u32 "
     "%r1,%r1,%r0;"},
    {"brx", "",
     "mov.u32 %r1,5; t: .branchtargets EVEN, ODD; FORM %r2,t; EVEN: mov.u32 %r1,10; bra JOIN; ODD: mov.u32 "
     "%r1,20; JOIN: add.u32 %r1,%r1,%r0;"},
    {"call",
     ".func (.param .b32 d) f(.param .b32 a) { .reg .b32 %q<3>; ld.param.b32 %q0,[a]; add.u32 %q1,%q0,20; "
     "st.param.b32 [d],%q1; ret; }\n",
     "setp.eq.u32 %p1,%r2,1; add.u32 %r1,%r0,10; { .param .b32 a0; .param .b32 d0; st.param.b32 [a0],%r0; "
     "@%p1 FORM (d0), f, (a0); @%p1 "
     "ld.param.b32 %r1,[d0]; }"},
    {"ret",
     ".func (.param .b32 d) f(.param .b32 a) { .reg .b32 %q<4>; .reg .pred %p; ld.param.b32 %q0,[a]; and.b32 "
     "%q1,%q0,1; setp.eq.u32 "
     "%p,%q1,0; add.u32 %q2,%q0,10; st.param.b32 [d],%q2; @%p FORM; add.u32 %q2,%q0,20; st.param.b32 "
     "[d],%q2; FORM; }\n",
     "{ .param .b32 a0; .param .b32 d0; st.param.b32 [a0],%r0; call (d0), f, (a0); ld.param.b32 %r1,[d0]; }"},
    {"exit", "",
     "add.u32 %r1,%r0,10; st.global.u32 [%x1],%r1; setp.eq.u32 %p1,%r2,0; @%p1 FORM; add.u32 %r1,%r0,20;"},
};

static void put_form(Text *t, const char *code, const char *form) {
  for (const char *at; (at = strstr(code, "FORM")); code = at + 4)
    put(t, "%.*s%s", (int)(at - code), code, form);
  put(t, "%s", code);
}

static SgModule *kernel(const char *functions, const char *code, const char *form, Text *t) {
  put(t, PTX_HEAD);
  put_form(t, functions, form);
  put(t, ".visible .entry k(.param .u64 out) { .reg .b32 %%r<8>; .reg .b64 %%x<4>; .reg .pred %%p<4>; "
         "ld.param.u64 %%x0,[out]; mov.u32 "
         "%%r0,%%tid.x; and.b32 %%r2,%%r0,1; mul.wide.u32 %%x1,%%r0,4; add.u64 %%x1,%%x0,%%x1;\n");
  put_form(t, code, form);
  put(t, "\nst.global.u32 [%%x1],%%r1; ret; }\n");
  return module_load(t->p, true);
}

/* One thread stops the kernel, and is named. */
static void try_trap(const Form *f) {
  static SgFault fault;
  uint32_t *out = device_memory(THREADS * 4);
  Text t = {0};
  SgModule *m = kernel("", "setp.eq.u32 %p1,%r0,40; @%p1 FORM; mov.u32 %r1,1;", f->text, &t);
  const int code = m ? try_kernel(m, "k", 1, THREADS, &out, &fault) : 0;
  if (m && (code != 719 || fault.thread[0] != 40))
    wrong("%s: code %d, thread %u", f->text, code, fault.thread[0]);
  sg_module_unload(m);
  free(t.p);
  device_free(out);
}

bool control_flow(const Form *f) {
  begin(f->text);
  if (strcmp(f->op, "trap") == 0) try_trap(f);
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    if (strcmp(bodies[i].op, f->op) != 0) continue;
    uint32_t *out = device_memory(THREADS * 4);
    Text t = {0};
    SgModule *m = kernel(bodies[i].functions, bodies[i].code, f->text, &t);
    if (m && run_kernel(m, "k", 1, THREADS, &out))
      for (uint32_t n = 0; n < THREADS; n++)
        if (out[n] != n + (n % 2 ? 20 : 10)) wrong("%s: thread %u has %u", f->text, n, out[n]);
    sg_module_unload(m);
    free(t.p);
    device_free(out);
  }
  finish();
  return true;
}

/* ---- memory of the stack: what is taken is aligned and a thread's own, and is given back ----------------
 */

bool stack_memory(const Form *f) {
  const bool narrow = has(f, "u32");
  const char *a = narrow ? "%r3" : "%x2", *b = narrow ? "%r4" : "%x3", *type = narrow ? "u32" : "u64";
  Text t = {0};
  uint32_t *out = device_memory(THREADS * 4);
  begin(f->text);
  put(&t, PTX_HEAD ".visible .entry k(.param .u64 out) { .reg .b32 %%r<12>; .reg .b64 %%x<8>; .reg .pred "
                   "%%p<4>; ld.param.u64 %%x0,[out]; mov.u32 "
                   "%%r0,%%tid.x; mul.wide.u32 %%x1,%%r0,4; add.u64 %%x1,%%x0,%%x1;\n");
  put(&t,
      "stacksave.%s %s; alloca.%s %s,100,64; st.local.u32 [%s],%%r0; alloca.%s %s,16; st.local.u32 "
      "[%s],777;\n",
      type, narrow ? "%r5" : "%x5", type, a, a, type, b, b);
  put(&t,
      "ld.local.u32 %%r6,[%s]; setp.ne.%s %%p1,%s,%s; and.b%d %s,%s,63; setp.eq.%s %%p2,%s,0; and.pred "
      "%%p1,%%p1,%%p2;\n",
      a, type, a, b, narrow ? 32 : 64, a, a, type, a);
  put(&t,
      "stackrestore.%s %s; stacksave.%s %s; setp.eq.%s %%p3,%s,%s; and.pred %%p1,%%p1,%%p3; selp.u32 "
      "%%r7,1000,0,%%p1; add.u32 "
      "%%r7,%%r7,%%r6; st.global.u32 [%%x1],%%r7; ret; }\n",
      type, narrow ? "%r5" : "%x5", type, narrow ? "%r8" : "%x6", type, narrow ? "%r8" : "%x6",
      narrow ? "%r5" : "%x5");
  SgModule *m = module_load(t.p, true);
  if (m && run_kernel(m, "k", 1, THREADS, &out))
    for (uint32_t n = 0; n < THREADS; n++)
      if (out[n] != 1000 + n) wrong("%s: thread %u has %u", f->text, n, out[n]);
  finish();
  sg_module_unload(m);
  free(t.p);
  device_free(out);
  return true;
}
