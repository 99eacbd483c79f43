/* The functions that the device provides to kernels, by name. */
#include "builtin.h"

#include <string.h>

#define BUILTIN(name, args, result) {#name, args, result, sg_builtin_##name},
static const SgBuiltin table[] = {
#include "builtin.def"
    {NULL, 0, 0, NULL}};
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
