/* Turns the trouble of a gang into a report for people: which kernel, line, thread, address, and whose memory
 * lies there. */
#include "gang.h"
#include "kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Text {
  char *p;
  size_t room;
} Text;

static void __attribute__((format(printf, 2, 3))) say(Text *t, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  const int n = vsnprintf(t->p, t->room, format, ap);
  va_end(ap);
  if (n < 0) return;
  const size_t used = (size_t)n < t->room ? (size_t)n : t->room - 1;
  t->p += used;
  t->room -= used;
}

static void say_alloc(Text *t, const SgAlloc *a) {
  if (a->name[0])
    say(t, "variable %s (%" PRIu64 " bytes at 0x%" PRIx64 ")", a->name, a->size, a->base);
  else
    say(t, "allocation %" PRIu64 " (%" PRIu64 " bytes at 0x%" PRIx64 ")", a->serial, a->size, a->base);
}

/* Memory that the process has, but no device: most likely a pointer that was never copied over. */
static bool is_host_memory(uint64_t addr) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  unsigned char resident;
  if (addr < page || addr >> 47) return false;
  return mincore((void *)(uintptr_t)(addr & ~(page - 1)), 1, &resident) == 0;
}

static void say_whose(Text *t, const Gang *g, const Trouble *b) {
  const uint64_t a = b->address;
  const Ins *in = &g->kernel->code[b->pc];
  if (in->sub == SP_SHARED || (in->sub == SP_GENERIC && a - g->run->shared_window < SG_WINDOW_BYTES)) {
    say(t, "; the block has %u bytes of shared memory", g->shared_bytes);
    return;
  }
  if (in->sub == SP_LOCAL || in->sub == SP_PARAM ||
      (in->sub == SP_GENERIC && a - g->run->local_window < SG_WINDOW_BYTES)) {
    const bool param =
        in->sub == SP_PARAM || (in->sub == SP_GENERIC && a - g->run->local_window >= PARAM_WINDOW);
    say(t, "; the %s %u bytes", param ? "parameters have" : "thread's local memory has",
        param ? g->param_bytes : g->local_bytes);
    return;
  }
  const SgAlloc *here = sg_arena_reach(a);
  if (here) {
    if (b->store && here->read_only) {
      say(t, "; %s memory cannot be written: ", here->kind == SG_CONST ? "constant" : "read-only");
      say_alloc(t, here);
    } else if (!sg_open_to(g, here)) {
      say(t, "; memory of device %d, to which the kernel's context on device %d has no peer access: ",
          here->device, g->kernel->module->device);
      say_alloc(t, here);
    } else {
      say(t, "; %" PRIu64 " bytes into ", a - here->base);
      say_alloc(t, here);
      if (a - here->base + b->bytes > here->size) say(t, ", across its end");
    }
    return;
  }
  const SgAlloc *freed = sg_arena_freed_at(a);
  if (freed) {
    say(t, "; the memory was freed: %" PRIu64 " bytes into what was ", a - freed->base);
    say_alloc(t, freed);
    return;
  }
  if (a < 4096) {
    say(t, "; a null pointer%s", a ? " with an offset" : "");
    return;
  }
  const SgAlloc *near = sg_arena_nearest(a);
  const uint64_t distance = !near            ? UINT64_MAX
                            : a < near->base ? near->base - a
                                             : a - near->base - near->size;
  if (distance > (uint64_t)1 << 32 && is_host_memory(a)) {
    say(t, "; this looks like a host pointer: kernels see device memory only");
    return;
  }
  if (!near) {
    say(t, "; there is no allocation on the device");
  } else if (a < near->base) {
    say(t, "; %" PRIu64 " bytes before the nearest one, ", near->base - a);
    say_alloc(t, near);
  } else {
    say(t, "; %" PRIu64 " bytes past the end of the nearest one, ", a - near->base - near->size);
    say_alloc(t, near);
  }
}

void sg_explain(const Gang *g, SgFault *fault) {
  const SgKernel *k = g->kernel;
  const Trouble *b = &g->trouble;
  const Loc *loc = &k->locs[b->pc];
  memset(fault, 0, sizeof *fault);
  fault->code = b->code;
  snprintf(fault->kernel, sizeof fault->kernel, "%s", k->info.name);
  for (int i = 0; i < 3; i++) fault->block[i] = g->ctaid[i];
  fault->thread[0] = b->lane % g->block[0];
  fault->thread[1] = b->lane / g->block[0] % g->block[1];
  fault->thread[2] = b->lane / g->block[0] / g->block[1];
  fault->ptx_line = loc->ptx_line;
  if (loc->file && loc->file < k->module->nfiles && k->module->files[loc->file]) {
    snprintf(fault->file, sizeof fault->file, "%s", k->module->files[loc->file]);
    fault->line = loc->line;
  }
  if (b->memory) {
    fault->address = b->address;
    fault->bytes = b->bytes;
  }

  Text t = {fault->text, sizeof fault->text};
  say(&t, "kernel %s", fault->kernel);
  if (fault->line) say(&t, ", %s:%u", fault->file, fault->line);
  say(&t, " (PTX line %u), block (%u,%u,%u), thread (%u,%u,%u): ", fault->ptx_line, fault->block[0],
      fault->block[1], fault->block[2], fault->thread[0], fault->thread[1], fault->thread[2]);
  if (!b->memory) {
    say(&t, "%s", b->text);
    return;
  }
  const Ins *in = &k->code[b->pc];
  static const char *const spaces[] = {"global", "shared", "local", "parameter", "generic"};
  say(&t, "%s %s of %u bytes at %s address 0x%" PRIx64, b->code == 716 ? "misaligned" : "illegal",
      in->flags & INS_ATOM ? "atomic access"
      : b->store           ? "store"
                           : "load",
      b->bytes, spaces[in->sub], b->address);
  if (b->code == 716) say(&t, ", which is no multiple of %u", b->bytes);
  say_whose(&t, g, b);
}
