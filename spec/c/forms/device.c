#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put(Text *t, const char *format, ...) {
  va_list ap;
  if (t->room - t->n < 2048) t->p = realloc(t->p, t->room = t->room * 2 + 8192);
  if (!t->p) exit(2);
  va_start(ap, format);
  const int n = vsnprintf(t->p + t->n, t->room - t->n, format, ap);
  va_end(ap);
  if (n < 0 || (size_t)n >= t->room - t->n) {
    fprintf(stderr, "a piece of text is too long\n");
    exit(2);
  }
  t->n += (size_t)n;
}

void *device_memory(size_t bytes) {
  SgAlloc *a = sg_arena_alloc(0, bytes, 256, SG_DEVICE, 1, "");
  if (!a) exit(2);
  memset((void *)(uintptr_t)a->base, 0, bytes);
  return (void *)(uintptr_t)a->base;
}
void device_free(void *p) { sg_arena_free(sg_arena_find((uint64_t)(uintptr_t)p)); }

/* ---- what is said ------------------------------------------------------------------------------- */

static const char *current;
static bool good;
Tally tally;

void begin(const char *form) {
  current = form;
  good = true;
}
void wrong(const char *format, ...) {
  va_list ap;
  if (!good) return;
  good = false;
  fputs("# ", stdout);
  va_start(ap, format);
  vprintf(format, ap);
  va_end(ap);
  putchar('\n');
}
void finish(void) {
  tally.forms++;
  tally.failed += !good;
}
bool all_right(void) { return good; }

/* ---- modules and launches ----------------------------------------------------------------------- */

SgModule *module_load(const char *text, bool tell) {
  SgDiag diag;
  int code;
  SgModule *m = sg_module_load(0, 1, text, strlen(text), &diag, &code);
  if (m || !tell) return m;
  const char *line = text;
  for (uint32_t n = 1; line && n < diag.line; n++) {
    line = strchr(line, '\n');
    if (line) line++;
  }
  good = true;
  wrong("a module is refused (%d): %s: %.*s", code, diag.text, line ? (int)strcspn(line, "\n") : 0,
        line ? line : "");
  finish();
  return NULL;
}

const char *module_lacks(const char *text, bool *refused) {
  static SgDiag diag;
  int code;
  SgModule *m = sg_module_load(0, 1, text, strlen(text), &diag, &code);
  *refused = !m;
  if (!m) return diag.text;
  const char *why = sg_kernel_missing(sg_module_kernel_at(m, 0));
  if (why) snprintf(diag.text, sizeof diag.text, "%s", why);
  sg_module_unload(m);
  return why ? diag.text : NULL;
}

const struct SgImages *device_images;

int try_kernel(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params,
               SgFault *fault) {
  SgLaunch l = {.kernel = sg_module_kernel(m, name),
                .grid = {blocks, 1, 1},
                .block = {threads, 1, 1},
                .params = params,
                .images = device_images};
  memset(fault, 0, sizeof *fault);
  return l.kernel ? sg_machine_run(&l, fault) : -1;
}

bool run_kernel(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params) {
  static SgFault fault;
  const int code = try_kernel(m, name, blocks, threads, params, &fault);
  if (code) wrong("%s: code %d: %s", current, code, fault.text);
  return code == 0;
}
