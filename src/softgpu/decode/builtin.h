/* What a kernel calls and no module defines, vprintf and its like, as the decoder sees it: a row in
 * builtin.def. What such a function does is in machine/device_functions.h. */
#ifndef SOFTGPU_BUILTIN_H
#define SOFTGPU_BUILTIN_H

#include <stdint.h>

/* What a kernel that calls a function does. */
typedef enum SgDoes { SG_PRINTS, SG_ASSERTS, SG_ALLOCATES, SG_SETS } SgDoes;

typedef struct SgBuiltin {
  const char *name;
  uint32_t arg_bytes, result_bytes;
  SgDoes does;
} SgBuiltin;

/* By the name of the symbol, or NULL. Numbers are those of rows. */
const SgBuiltin *sg_builtin_find(const char *name, uint32_t *number);
const SgBuiltin *sg_builtin_at(uint32_t number);

#endif
