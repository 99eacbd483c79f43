/* The device as the tests of forms use it: text of kernels, memory, launches, and what is said of results. */
#ifndef SPEC_FORMS_DEVICE_H
#define SPEC_FORMS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

/* Under AddressSanitizer fewer operands are tried. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define PTX_HEAD ".version 9.0\n.target sm_120\n.address_size 64\n"

typedef struct Text {
  char *p;
  size_t n, room;
} Text;
void put(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *device_memory(size_t bytes); /* zeros */
void device_free(void *p);

/* The textures and surfaces of launches from now on. */
extern const struct SgImages *device_images;

/* NULL: said already, if `tell`. */
SgModule *module_load(const char *text, bool tell);
/* Why the only kernel of the text cannot run: NULL if it can. Refused: something else than a form that is not
 * there is wrong with it. */
const char *module_lacks(const char *text, bool *refused);
/* False: it stopped, which is said already. */
bool run_kernel(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params);
/* The code it stops with; `fault` tells why. */
int try_kernel(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params,
               SgFault *fault);

/* Between begin() and finish() a form is tried; wrong() says what is wrong with it, once. */
void begin(const char *form);
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
void finish(void);
bool all_right(void); /* since begin() */

typedef struct Tally {
  int forms, failed;
} Tally;
extern Tally tally;

#endif
