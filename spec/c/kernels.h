/* Kernels that several of the conformance tests launch, as PTX for after the head of a module. */
#ifndef SPEC_KERNELS_H
#define SPEC_KERNELS_H

// clang-format off
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
