/* What loads, stores and atomic operations have in common: where they go, and how much. */
#ifndef SPEC_FORMS_ACCESS_H
#define SPEC_FORMS_ACCESS_H

#include "device.h"
#include "form.h"

enum { THREADS = 70, REGION = 64, MIDDLE = 32 }; /* bytes of a thread, and where in them it accesses */

typedef struct Access {
  const char *space; /* as the form says it, without ::...; "" for a generic address */
  int parts, bytes;  /* elements; bytes of one */
  Type type;
  bool hint; /* a policy for caches is one operand more */
  bool wide; /* one register of 128 bits: two parts of 64 */
} Access;

Access access_of(const Form *f);
/* A form that says no more than space, vector and type. */
bool access_is_plain(const Form *f);

/* Begins a kernel k(in, out, flags, moves, p): %%n the thread's number, %%g its flag, %%m where an access
 * that is to fail goes to, %%x0 to %%x3 the parameters. */
void access_entry(Text *t, const char *declarations);

typedef struct AccessParams {
  const void *in;
  void *out;
  const void *flags, *moves;
  uint8_t p[256];
} AccessParams;

/* A register of `bytes` with that number. */
const char *access_register(int bytes, int number);

/* Runs k on all threads, of which `one` or some have a flag, and leaves that in `on`. */
bool access_run(SgModule *m, AccessParams *p, bool one, uint8_t *on);
/* A thread that is moved by so much has to stop the kernel with `code`, and be named. */
void access_fails(SgModule *m, AccessParams *p, const Form *f, int64_t by, int code, uint32_t bytes);

#endif
