/* Text that is put together in a buffer; what does not fit is left out. */
#ifndef SOFTGPU_TEXT_H
#define SOFTGPU_TEXT_H

#include <stddef.h>

typedef struct Text {
  char *at;
  size_t room;
} Text;

void sg_text(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
