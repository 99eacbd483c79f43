/* The functions that the device provides to kernels (decode/builtin.def): vprintf and its like. */
#ifndef SOFTGPU_DEVICE_FUNCTIONS_H
#define SOFTGPU_DEVICE_FUNCTIONS_H

#include "decode/builtin.h"
#include "machine/gang.h"

/* Called for one active thread after the other, in the order of their numbers. `args` are the parameters,
 * laid out as a C struct of the same types is; `result` is as large as the table says, and zeroed. Pointers
 * in args are generic addresses. False: a fault was raised with sg_raise(), and the launch ends. */
typedef bool SgBuiltinFn(Gang *g, uint32_t lane, const void *args, void *result);

#define BUILTIN(name, args, result, does) SgBuiltinFn sg_builtin_##name;
#include "decode/builtin.def"
#undef BUILTIN

extern SgBuiltinFn *const sg_device_functions[]; /* by the numbers of rows */

/* Memory of `lane` at a generic address, readable (or writable, where `store`), for `bytes` from there on;
 * NULL: it is not, and nothing was raised. */
void *sg_lane_memory(Gang *g, uint32_t lane, uint64_t address, uint64_t bytes, bool store);

/* The string at a generic address, cut off after `most` bytes, for the caller to free; NULL: no host memory.
 * False: it lies, in part, where nothing can be read, and nothing was raised. */
bool sg_lane_string(Gang *g, uint32_t lane, uint64_t address, size_t most, char **text, size_t *length);

#endif
