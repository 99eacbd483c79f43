/* What decoding tells of a kernel, and of a module that it refuses: for the driver layer, too. */
#ifndef SOFTGPU_KERNEL_INFO_H
#define SOFTGPU_KERNEL_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/device.h"

enum { MAX_LANES = SG_MAX_THREADS, BARRIERS = SG_BARRIERS };

typedef struct SgModule SgModule;
typedef struct SgKernel SgKernel;

typedef struct SgDiag {
  uint32_t line, col; /* in the PTX text; 0: none */
  char text[512];     /* names the form and why */
} SgDiag;

typedef struct SgParam {
  uint32_t offset, size, align;
} SgParam;

typedef struct SgKernelInfo {
  const char *name;
  uint32_t nparams;
  const SgParam *params;
  uint32_t param_bytes;  /* offset + size of the last parameter */
  uint32_t shared_bytes; /* static shared memory */
  uint32_t local_bytes;  /* per thread */
  uint32_t const_bytes;  /* user .const variables of the module */
  uint32_t num_regs;     /* 32-bit registers, an estimate in 1..255 */
  uint32_t max_threads;  /* from .maxntid / .reqntid, else 1024 */
  uint32_t reqntid[3];
  uint32_t cluster[3];    /* blocks of its clusters; 0: not stated */
  bool explicit_cluster;  /* runs in clusters only, of whatever size */
  bool prints, allocates; /* it calls printf; malloc or free */
  int ptx_version;        /* 80: .target's or .version's number as cuFuncGetAttribute gives it */
} SgKernelInfo;

/* Variables of modules that stand for textures and surfaces: 8 bytes, which hold the number of one. */
typedef enum SgReference { SG_NO_REFERENCE, SG_TEXTURE_REFERENCE, SG_SURFACE_REFERENCE } SgReference;

#endif
