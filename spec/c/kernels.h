/* Kernels that several of the conformance tests launch, as PTX for after the head of a module. */
#ifndef SPEC_KERNELS_H
#define SPEC_KERNELS_H

// clang-format off
/* The n words from p, each one more. */
#define ADD_ONE_KERNEL \
  ".visible .entry add_one(.param .u64 p, .param .u32 n) {\n" \
  "  .reg .pred %p<2>;\n" \
  "  .reg .b32 %r<7>;\n" \
  "  .reg .b64 %rd<5>;\n" \
  "  ld.param.u64 %rd1, [p];\n" \
  "  ld.param.u32 %r1, [n];\n" \
  "  mov.u32 %r2, %ctaid.x;\n" \
  "  mov.u32 %r3, %ntid.x;\n" \
  "  mov.u32 %r4, %tid.x;\n" \
  "  mad.lo.s32 %r5, %r2, %r3, %r4;\n" \
  "  setp.ge.u32 %p1, %r5, %r1;\n" \
  "  @%p1 bra DONE;\n" \
  "  cvta.to.global.u64 %rd2, %rd1;\n" \
  "  mul.wide.u32 %rd3, %r5, 4;\n" \
  "  add.s64 %rd4, %rd2, %rd3;\n" \
  "  ld.global.u32 %r6, [%rd4];\n" \
  "  add.s32 %r6, %r6, 1;\n" \
  "  st.global.u32 [%rd4], %r6;\n" \
  "DONE:\n" \
  "  ret;\n" \
  "}\n"

/* p[0] = v */
#define PUT_KERNEL \
  ".visible .entry put(.param .u64 p, .param .u32 v) {\n" \
  "  .reg .b32 %r<2>;\n" \
  "  .reg .b64 %rd<3>;\n" \
  "  ld.param.u64 %rd1, [p];\n" \
  "  ld.param.u32 %r1, [v];\n" \
  "  cvta.to.global.u64 %rd2, %rd1;\n" \
  "  st.global.u32 [%rd2], %r1;\n" \
  "  ret;\n" \
  "}\n"

/* Writes v to the next free place of the list p, whose first word is how many there are. */
#define NOTE_KERNEL \
  ".visible .entry note(.param .u64 p, .param .u32 v) {\n" \
  "  .reg .b32 %r<4>;\n" \
  "  .reg .b64 %rd<5>;\n" \
  "  ld.param.u64 %rd1, [p];\n" \
  "  ld.param.u32 %r1, [v];\n" \
  "  cvta.to.global.u64 %rd2, %rd1;\n" \
  "  atom.global.add.u32 %r2, [%rd2], 1;\n" \
  "  mul.wide.u32 %rd3, %r2, 4;\n" \
  "  add.s64 %rd4, %rd2, %rd3;\n" \
  "  st.global.u32 [%rd4+4], %r1;\n" \
  "  ret;\n" \
  "}\n"
// clang-format on

#endif
