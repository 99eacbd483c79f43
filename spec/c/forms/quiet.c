/* Instructions that change nothing that a thread can see: hints for caches, fences, waiting. */
#include <string.h>

#include "form.h"

static void unchanged(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  r[0] = v[0];
}
static void policy(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  (void)v;
  r[0] = 0;
}

bool no_effect(const Form *f) {
  const char *op = f->op;
  Case c = case_of(f, "w", "w", unchanged);
#define IS(name) (strcmp(op, name) == 0)
  if (IS("createpolicy")) {
    c = case_of(f, "x", "", policy);
    if (has(f, "fractional"))
      case_code(&c, "@%s %%d0;", f->text);
    else if (has(f, "cvt"))
      case_code(&c, "{ .reg .b64 %%c; mov.b64 %%c,0; @%s %%d0,%%c; }", f->text);
    else
      case_code(&c, "{ .reg .b32 %%c; mov.b32 %%c,64; @%s %%d0,[%%x0],%%c,%%c; }", f->text);
    case_add(&c);
    return true;
  }
  const char *operands = IS("nanosleep")                        ? " 20"
                         : IS("pmevent")                        ? " 3"
                         : IS("setmaxnreg")                     ? " 64"
                         : IS("prefetch") || IS("prefetchu")    ? " [%x0]"
                         : IS("discard") || IS("applypriority") ? " [%x0],128"
                                                                : "";
  if (IS("fence") && has(f, "proxy") && f->nmods > 3) return false;
  case_code(&c, "@mov.b32 %%d0,%%a0; @%s%s;", f->text, operands);
  case_add(&c);
  return true;
}
