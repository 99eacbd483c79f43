/* Text that is put together in a buffer. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void sg_text(Text *t, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  const int n = vsnprintf(t->at, t->room, format, ap);
  va_end(ap);
  if (n < 0) return;
  const size_t used = (size_t)n < t->room ? (size_t)n : t->room - 1;
  t->at += used;
  t->room -= used;
}
