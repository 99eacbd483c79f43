/* Which of the builds of the handlers runs: the one for this processor, or the one that is asked for. */
#include "machine/choose_isa.h"

#include <stdlib.h>
#include <string.h>

const Isa *sg_isa(void) {
#if !defined(HAS_SSE2)
  return &sg_avx2;
#elif !defined(HAS_AVX2)
  return &sg_sse2;
#else
#if defined(__x86_64__) || defined(__i386__)
  const char *want = getenv("CUDALUA_SOFT_ISA"); /* "sse2": the baseline, for tests */
  if (!(want && strcmp(want, "sse2") == 0) && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return &sg_avx2;
#endif
  return &sg_sse2;
#endif
}
