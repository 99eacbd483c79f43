/* assert() in kernels. Each thread that fails one has a line on the host's stderr, as CUDA words it, and the
 * kernel ends with error 710. */
#include "machine/device_functions.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct AssertArgs {
  uint64_t text, file;
  uint32_t line;
  uint64_t function, char_size;
} AssertArgs;

enum { MOST_TEXT = 1024 };

/* A string of the thread's, or a word for one that cannot be had; to be freed where it is not NULL. */
static const char *text_at(Gang *g, uint32_t lane, uint64_t address, char **owner) {
  size_t n;
  *owner = NULL;
  if (!address || !sg_lane_string(g, lane, address, MOST_TEXT, owner, &n) || !*owner) return "?";
  return *owner;
}

bool sg_builtin___assertfail(Gang *g, uint32_t lane, const void *args, void *result) {
  (void)result;
  const AssertArgs *a = args;
  const SgSystem *system = g->run->launch->system;
  char *own[3];
  const char *text = text_at(g, lane, a->text, &own[0]), *file = text_at(g, lane, a->file, &own[1]),
             *function = text_at(g, lane, a->function, &own[2]);
  const uint32_t *b = g->block;
  char line[4 * MOST_TEXT];
  snprintf(line, sizeof line, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
           file, a->line, function, g->ctaid[0], g->ctaid[1], g->ctaid[2], lane % b[0], lane / b[0] % b[1],
           lane / b[0] / b[1], text);
  if (system) system->complain(system->user, line);
  /* The first one is the fault; its neighbours at the same place say their line too. */
  if (!g->trouble.code)
    sg_raise(g, SG_ASSERTED, lane, "assertion `%.200s` failed in %.100s (%.60s:%u)", text, function, file,
             a->line);
  for (int i = 0; i < 3; i++) free(own[i]);
  return true;
}
