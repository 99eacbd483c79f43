/* Places in the program: said by the caller (the library for Lua says file and line), or else found from the
 * address of the code that called the driver, as "program+0x1234 (main+0x1f)", which addr2line understands.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/arena.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool sg_place_text(const char *said, const void *code, char text[SG_PLACE]) {
  Dl_info of, here;
  text[0] = 0;
  if (said && said[0]) {
    snprintf(text, SG_PLACE, "%s", said);
    return true;
  }
  if (!code || !dladdr(code, &of) || !of.dli_fname) return false;
  if (dladdr((const void *)&sg_arena_keeps_init, &here) && here.dli_fbase == of.dli_fbase) return false;
  const unsigned long long at = (unsigned long long)((uintptr_t)code - (uintptr_t)of.dli_fbase);
  int n = snprintf(text, SG_PLACE, "%s+0x%llx", base_name(of.dli_fname), at);
  if (of.dli_sname && n > 0 && n < SG_PLACE)
    snprintf(text + n, (size_t)(SG_PLACE - n), " (%s+0x%llx)", of.dli_sname,
             (unsigned long long)((uintptr_t)code - (uintptr_t)of.dli_saddr));
  return true;
}
