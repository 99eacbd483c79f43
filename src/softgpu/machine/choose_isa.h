/* The builds of the handlers (isa.c, exec_*.c), and the one that runs. */
#ifndef SOFTGPU_CHOOSE_ISA_H
#define SOFTGPU_CHOOSE_ISA_H

#include "decode/ins.h"

extern const Isa sg_sse2, sg_avx2; /* isa.c, twice */
const Isa *sg_isa(void);

#endif
