/* The table of the functions that the device provides to kernels. */
#include "machine/device_functions.h"

#define BUILTIN(name, args, result, does) sg_builtin_##name,
SgBuiltinFn *const sg_device_functions[] = {
#include "decode/builtin.def"
};
#undef BUILTIN
