/* What the decoder knows of the functions that the device provides to kernels, by name. */
#include "decode/builtin.h"

#include <string.h>

#define BUILTIN(name, args, result, does) {#name, args, result, does},
static const SgBuiltin table[] = {
#include "decode/builtin.def"
    {NULL, 0, 0, SG_PRINTS}};
#undef BUILTIN

const SgBuiltin *sg_builtin_find(const char *name, uint32_t *number) {
  for (uint32_t i = 0; table[i].name; i++) {
    if (strcmp(table[i].name, name) != 0) continue;
    *number = i;
    return &table[i];
  }
  return NULL;
}

const SgBuiltin *sg_builtin_at(uint32_t number) { return &table[number]; }
