/* What a kernel calls and no module defines: vprintf and its like. A row in builtin.def, a function anywhere.
 */
#ifndef SOFTGPU_BUILTIN_H
#define SOFTGPU_BUILTIN_H

#include "gang.h"

/* Called for one active thread after the other, in the order of their numbers. `args` are the parameters,
 * laid out as a C struct of the same types is; `result` is as large as the table says, and zeroed. Pointers
 * in args are generic addresses. False: a fault was raised with sg_raise(), and the launch ends. */
typedef bool SgBuiltinFn(Gang *g, uint32_t lane, const void *args, void *result);

typedef struct SgBuiltin {
  const char *name;
  uint32_t arg_bytes, result_bytes;
  SgBuiltinFn *fn;
} SgBuiltin;

#define BUILTIN(name, args, result) SgBuiltinFn sg_builtin_##name;
#include "builtin.def"
#undef BUILTIN

/* By the name of the symbol, or NULL. Numbers are those of rows. */
const SgBuiltin *sg_builtin_find(const char *name, uint32_t *number);
const SgBuiltin *sg_builtin_at(uint32_t number);

/* Memory of `lane` at a generic address, readable (or writable, where `store`), for `bytes` from there on;
 * NULL: it is not, and nothing was raised. */
void *sg_lane_memory(Gang *g, uint32_t lane, uint64_t address, uint64_t bytes, bool store);

/* The string at a generic address, cut off after `most` bytes, for the caller to free; NULL: no host memory.
 * False: it lies, in part, where nothing can be read, and nothing was raised. */
bool sg_lane_string(Gang *g, uint32_t lane, uint64_t address, size_t most, char **text, size_t *length);

#endif
