/* Turns the trouble of a gang into a report, a paragraph for people and an object for programs: which kernel,
 * line, thread, address, and whose memory lies there. */
#include "machine/gang.h"
#include "decode/kernel.h"
#include "base/image.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FAR = 1 << 20 }; /* bytes: an index that is a little wrong does not go this far */

static void say_alloc(Text *t, const SgAlloc *now) {
  const SgAlloc *a = sg_arena_then(now);
  char place[SG_PLACE] = "", freed[SG_PLACE];
  if (a->kind == SG_HEAP)
    sg_text(t, "memory from malloc in a kernel");
  else if (a->name[0])
    sg_text(t, "variable %s", a->name);
  else
    sg_text(t, "allocation %" PRIu64, a->serial);
  sg_text(t, " (%" PRIu64 " bytes at 0x%" PRIx64, a->size, a->base);
  if (sg_place_text(a->made, a->maker, place)) sg_text(t, ", made at %s", place);
  if ((a != now || !a->held) && sg_place_text(a->freed, a->freer, freed) && strcmp(place, freed) != 0)
    sg_text(t, ", freed after the launch at %s", freed);
  sg_text(t, ")");
}

void sg_alloc_text(const SgAlloc *a, char *text, size_t room) {
  Text t = {text, room};
  say_alloc(&t, a);
}

/* Memory that the process has, but no device: most likely a pointer that was never copied over. */
static bool is_host_memory(uint64_t addr) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  unsigned char resident;
  if (addr < page || addr >> 47) return false;
  return mincore((void *)(uintptr_t)(addr & ~(page - 1)), 1, &resident) == 0;
}

/* Behind or before memory of another process lies what else the process has mapped. */
static bool beside_import(const SgAlloc *near, uint64_t addr) {
  if (!near || near->kind != SG_IMPORTED) return false;
  const uint64_t away = addr < near->base ? near->base - addr : addr - near->base - sg_arena_then(near)->size;
  return away < 1u << 20;
}

/* --- shared variables --- */

/* Is the access one of shared memory? *at: where in it; less than 0 in front of it. */
static bool is_shared(const Gang *g, const Trouble *b, int64_t *at) {
  const Ins *in = &g->kernel->code[b->pc];
  *at = (int64_t)(in->sub == SP_SHARED ? b->address : b->address - g->run->shared_window);
  if (in->flags & INS_NARROW && *at > INT32_MAX && *at <= UINT32_MAX) *at -= (int64_t)1 << 32;
  return in->sub == SP_SHARED || (in->sub == SP_GENERIC && *at >= 0 && *at < (int64_t)SG_WINDOW_BYTES);
}

static uint32_t end_of(const Gang *g, const SgObjectAt *o) {
  return o->end != UINT32_MAX ? o->end : g->shared_bytes > o->at ? g->shared_bytes : o->at;
}

/* How far an address is from memory that it is not in: "4 bytes before ", "right after the end of ". */
static void say_before(Text *t, uint64_t bytes) {
  sg_text(t, "; %" PRIu64 " byte%s before ", bytes, bytes == 1 ? "" : "s");
}

static void say_behind(Text *t, uint64_t bytes) {
  if (bytes)
    sg_text(t, "; %" PRIu64 " byte%s after the end of ", bytes, bytes == 1 ? "" : "s");
  else
    sg_text(t, "; right after the end of ");
}

/* The shared variable that the address is made from; if that is not known, the one that it lies in, or the
 * last one before it; NULL: the kernel has none. */
static const SgObjectAt *shared_variable(const Gang *g, const Trouble *b, int64_t at) {
  const SgKernel *k = g->kernel;
  const uint32_t made_from = k->locs[b->pc].object;
  const SgObjectAt *best = NULL;
  if (made_from) return &k->objects[made_from - 1];
  for (uint32_t i = 0; i < k->nobjects; i++) {
    const SgObjectAt *o = &k->objects[i];
    if (o->at <= at && (!best || o->at > best->at)) best = o;
  }
  return best;
}

static void say_variable(Text *t, const SgObjectAt *o) {
  sg_text(t, "shared array %s", o->name);
  if (o->end != UINT32_MAX)
    sg_text(t, " (%u bytes at 0x%x)", o->end - o->at, o->at);
  else
    sg_text(t, " (from 0x%x on)", o->at);
}

static void say_shared(Text *t, const Gang *g, const Trouble *b, int64_t at) {
  const SgObjectAt *o = shared_variable(g, b, at);
  if (o && b->check != CHECK_ARRAY) { /* that one has named it */
    const int64_t end = end_of(g, o);
    if (at < o->at)
      say_before(t, (uint64_t)(o->at - at));
    else if (at >= end)
      say_behind(t, (uint64_t)(at - end));
    else
      sg_text(t, "; %" PRId64 " bytes into ", at - o->at);
    say_variable(t, o);
    if (at < end && at + b->bytes > end) sg_text(t, ", across its end");
  }
  sg_text(t, "; the block has %u bytes of shared memory", g->shared_bytes);
}

static void say_whose(Text *t, const Gang *g, const Trouble *b) {
  const uint64_t a = b->address;
  const Ins *in = &g->kernel->code[b->pc];
  int64_t at;
  if (is_shared(g, b, &at)) {
    say_shared(t, g, b, at);
    return;
  }
  if (in->sub == SP_LOCAL || in->sub == SP_PARAM ||
      (in->sub == SP_GENERIC && a - g->run->local_window < SG_WINDOW_BYTES)) {
    const bool param =
        in->sub == SP_PARAM || (in->sub == SP_GENERIC && a - g->run->local_window >= PARAM_WINDOW);
    sg_text(t, "; the %s %u bytes", param ? "parameters have" : "thread's local memory has",
            param ? g->param_bytes : g->local_bytes);
    return;
  }
  const SgAlloc *here = sg_arena_reach(a);
  if (here) {
    if (b->store && here->read_only) {
      sg_text(t, "; %s memory cannot be written: ", here->kind == SG_CONST ? "constant" : "read-only");
      say_alloc(t, here);
    } else if (!sg_open_to(g, here)) {
      sg_text(t, "; memory of device %d, to which the kernel's context on device %d has no peer access: ",
              here->device, g->kernel->module->device);
      say_alloc(t, here);
    } else {
      sg_text(t, "; %" PRIu64 " bytes into ", a - here->base);
      say_alloc(t, here);
      if (a - here->base + b->bytes > sg_arena_then(here)->size) sg_text(t, ", across its end");
    }
    return;
  }
  const SgAlloc *near = sg_arena_nearest(a);
  const bool behind = near && a - near->base < near->room; /* of what is still there */
  const SgAlloc *freed = behind ? NULL : sg_arena_freed_at(a);
  if (freed) {
    sg_text(t, "; the memory was freed: %" PRIu64 " bytes into what was ", a - freed->base);
    say_alloc(t, freed);
    char place[SG_PLACE];
    if (sg_place_text(freed->freed, freed->freer, place)) sg_text(t, ", freed at %s", place);
    return;
  }
  if (a < 4096) {
    sg_text(t, "; a null pointer%s", a ? " with an offset" : "");
    return;
  }
  if (!sg_arena_owns(a) && !beside_import(near, a) && is_host_memory(a)) {
    sg_text(t, "; this looks like a host pointer; kernels can access device memory only");
    return;
  }
  if (!near) {
    sg_text(t, "; there is no allocation on the device");
    return;
  }
  const bool before = a < near->base;
  const uint64_t away = before ? near->base - a : a - near->base - sg_arena_then(near)->size;
  (before ? say_before : say_behind)(t, away);
  say_alloc(t, near);
  if (away >= FAR) sg_text(t, ", the nearest memory"); /* which may have nothing to do with it */
}

static const char *file_name(const SgKernel *k, uint32_t n) {
  return n && n < k->module->nfiles ? k->module->files[n] : NULL;
}

static const char *space_name(const Ins *in) {
  static const char *const spaces[] = {"global", "shared", "local", "parameter", "generic"};
  return spaces[in->sub];
}

static const char *access_name(bool store, bool atomic) {
  return atomic ? "atomic access" : store ? "store" : "load";
}

static const char *other_access(const Other *o) {
  return o->pending ? "asynchronous copy" : access_name(o->store, o->atomic);
}

static void thread_of(const Gang *g, uint32_t lane, uint32_t out[3]) {
  out[0] = lane % g->block[0];
  out[1] = lane / g->block[0] % g->block[1];
  out[2] = lane / g->block[0] / g->block[1];
}

static void block_of(const Gang *g, uint64_t linear, uint32_t out[3]) {
  const uint32_t *grid = g->run->launch->grid;
  out[0] = (uint32_t)(linear % grid[0]);
  out[1] = (uint32_t)(linear / grid[0] % grid[1]);
  out[2] = (uint32_t)(linear / grid[0] / grid[1]);
}

static bool other_block(const Gang *g, const Other *o) {
  uint32_t b[3];
  if (o->block == UINT64_MAX) return false;
  block_of(g, o->block, b);
  return memcmp(b, g->ctaid, sizeof b) != 0;
}

static void say_place(Text *t, const SgKernel *k, uint32_t pc) {
  const Loc *loc = &k->locs[pc];
  const char *file = file_name(k, loc->file);
  if (!file) {
    sg_text(t, "PTX line %u", loc->ptx_line);
    return;
  }
  sg_text(t, "%s:%u", file, loc->line);
  const char *outer = file_name(k, loc->outer_file);
  if (outer) sg_text(t, ", inlined at %s:%u", outer, loc->outer_line);
  sg_text(t, " (PTX line %u)", loc->ptx_line);
}

/* Who did it, at the other end of a race. */
static void say_other(Text *t, const Gang *g, const Other *o) {
  uint32_t v[3];
  if (o->blocks) {
    sg_text(t, "loads by threads of several blocks");
  } else if (o->many) {
    sg_text(t, "loads by threads of warp%s", o->warps & (o->warps - 1) ? "s" : "");
    const char *comma = " ";
    for (uint32_t w = 0; w < 32; w++) {
      if (!(o->warps >> w & 1)) continue;
      sg_text(t, "%s%u", comma, w);
      comma = ", ";
    }
  } else {
    thread_of(g, o->lane, v);
    sg_text(t, "the %s of %sthread (%u,%u,%u)", other_access(o), o->same ? "another value by " : "", v[0],
            v[1], v[2]);
  }
  if (other_block(g, o) && !o->blocks) {
    block_of(g, o->block, v);
    sg_text(t, " of block (%u,%u,%u)", v[0], v[1], v[2]);
  }
  if (o->same) {
    sg_text(t, " with the same instruction");
  } else if (o->pc != NO_ROW) {
    sg_text(t, " at ");
    say_place(t, g->kernel, o->pc);
  }
}

void sg_place(const SgKernel *k, uint32_t pc, char *text, size_t room) {
  Text t = {text, room};
  say_place(&t, k, pc);
}

void sg_where(const Gang *g, uint32_t pc, uint32_t lane, char *text, size_t room) {
  Text t = {text, room};
  uint32_t v[3];
  thread_of(g, lane, v);
  say_place(&t, g->kernel, pc);
  sg_text(&t, " by block (%u,%u,%u), thread (%u,%u,%u)", g->ctaid[0], g->ctaid[1], g->ctaid[2], v[0], v[1],
          v[2]);
}

static void say_memory(Text *t, const Gang *g, const Trouble *b) {
  const Ins *in = &g->kernel->code[b->pc];
  const char *access = access_name(b->store, in->flags & INS_ATOM), *space = space_name(in);
  if (b->check == CHECK_RACE) {
    sg_text(t, "race: the %s of %u bytes at %s address 0x%" PRIx64 " and ", access, b->bytes, space,
            b->address);
    say_other(t, g, &b->other);
    sg_text(t, b->other.pending ? " are not ordered: nothing waited for the copy" : " are not ordered");
  } else if (b->check == CHECK_ARRAY) {
    sg_text(t,
            "%s of %u bytes at %s address 0x%" PRIx64 ", beyond the variable that the address is made from, ",
            access, b->bytes, space, b->address);
    say_variable(t, &g->kernel->objects[g->kernel->locs[b->pc].object - 1]);
  } else if (b->check == CHECK_UNWRITTEN) {
    sg_text(t, "%s of %u bytes at %s address 0x%" PRIx64 ", which were never written", access, b->bytes,
            space, b->address);
  } else {
    sg_text(t, "%s %s of %u bytes at %s address 0x%" PRIx64,
            b->code == SG_MISALIGNED ? "misaligned" : "illegal", access, b->bytes, space, b->address);
    if (b->code == SG_MISALIGNED) sg_text(t, ", which is not a multiple of %u", b->bytes);
  }
  say_whose(t, g, b);
}

/* --- for programs --- */

static void json_string(Text *t, const char *key, const char *v) {
  sg_text(t, ",\"%s\":\"", key);
  for (; *v; v++) {
    if (*v == '"' || *v == '\\')
      sg_text(t, "\\%c", *v);
    else if ((unsigned char)*v < 32)
      sg_text(t, "\\u%04x", *v);
    else
      sg_text(t, "%c", *v);
  }
  sg_text(t, "\"");
}

static void json_three(Text *t, const char *key, const uint32_t v[3]) {
  sg_text(t, ",\"%s\":[%u,%u,%u]", key, v[0], v[1], v[2]);
}

static void json_source(Text *t, const SgKernel *k, const Loc *loc) {
  const char *file = file_name(k, loc->file), *outer = file_name(k, loc->outer_file);
  if (file) {
    json_string(t, "file", file);
    sg_text(t, ",\"line\":%u", loc->line);
  }
  if (file && outer) {
    json_string(t, "inlined_file", outer);
    sg_text(t, ",\"inlined_line\":%u", loc->outer_line);
  }
}

static const char *kind_name(const Trouble *b) {
  static const char *const checks[] = {"", "uninitialised", "race", "barrier", "shuffle", "array", "image"};
  if (b->check) return checks[b->check];
  switch (b->code) {
  case SG_ILLEGAL_ADDRESS: return b->memory ? "out_of_bounds" : "illegal_address";
  case SG_TIMEOUT: return "timeout";
  case SG_INTERRUPTED: return "interrupted";
  case SG_ASSERTED: return "assert";
  case SG_ILLEGAL_INSTRUCTION: return "illegal_instruction";
  case SG_MISALIGNED: return "misaligned";
  case SG_INVALID_PC: return "invalid_pc";
  default: return "launch_failed";
  }
}

/* The only parameter of the kernel that points into some memory, or right behind it, counted from 1; 0: none
 * does, or several do. */
static uint32_t argument_of(const Gang *g, const SgAlloc *a) {
  const SgKernelInfo *k = &g->kernel->info;
  uint32_t found = 0;
  for (uint32_t i = 0; i < k->nparams; i++) {
    uint64_t v;
    if (k->params[i].size != sizeof v) continue;
    memcpy(&v, g->params + k->params[i].offset, sizeof v);
    if (v - a->base > a->size) continue;
    if (found) return 0;
    found = i + 1;
  }
  return found;
}

static void json_alloc(Text *t, const Gang *g, const Trouble *b) {
  const Ins *in = &g->kernel->code[b->pc];
  const uint64_t a = b->address;
  const bool window = in->sub == SP_GENERIC && (a - g->run->shared_window < SG_WINDOW_BYTES ||
                                                a - g->run->local_window < SG_WINDOW_BYTES);
  if ((in->sub != SP_GLOBAL && in->sub != SP_GENERIC) || window) return;
  const SgAlloc *m = sg_arena_reach(a), *near = sg_arena_nearest(a);
  const bool behind = near && a - near->base < near->room;
  const SgAlloc *freed = m || behind ? NULL : sg_arena_freed_at(a), *n = m ? m : freed ? freed : near;
  if (!n) return;
  const SgAlloc *now = n;
  n = sg_arena_then(now);
  sg_text(t,
          ",\"allocation\":{\"serial\":%" PRIu64 ",\"address\":\"0x%" PRIx64 "\",\"bytes\":%" PRIu64
          ",\"offset\":%" PRId64,
          n->serial, n->base, n->size, (int64_t)(a - n->base));
  json_string(t, "state", freed && n == freed ? "freed" : "live");
  const uint64_t away = a - n->base < n->size ? 0 : a < n->base ? n->base - a : a - n->base - n->size;
  const uint32_t argument = away < FAR ? argument_of(g, n) : 0;
  if (argument) sg_text(t, ",\"argument\":%u", argument);
  if (n->kind == SG_HEAP || n->name[0]) json_string(t, "name", n->name[0] ? n->name : "malloc");
  char place[SG_PLACE];
  if (sg_place_text(n->made, n->maker, place)) json_string(t, "made", place);
  if ((n == freed || n != now || !n->held) && sg_place_text(n->freed, n->freer, place))
    json_string(t, "freed", place);
  sg_text(t, "}");
}

static void json_variable(Text *t, const Gang *g, const Trouble *b) {
  int64_t at;
  const SgObjectAt *o = is_shared(g, b, &at) ? shared_variable(g, b, at) : NULL;
  if (!o) return;
  json_string(t, "variable", o->name);
  sg_text(t, ",\"variable_address\":\"0x%x\",\"variable_offset\":%" PRId64, o->at, at - o->at);
  if (o->end != UINT32_MAX) sg_text(t, ",\"variable_bytes\":%u", o->end - o->at);
}

static void json_other(Text *t, const Gang *g, const Other *o) {
  uint32_t v[3];
  const Loc *loc = o->pc == NO_ROW ? NULL : &g->kernel->locs[o->pc];
  sg_text(t, ",\"other\":{\"ptx_line\":%u", loc ? loc->ptx_line : 0);
  if (g->trouble.check == CHECK_RACE) json_string(t, "access", other_access(o));
  if (loc) json_source(t, g->kernel, loc);
  if (o->block != UINT64_MAX) block_of(g, o->block, v);
  if (!o->blocks) json_three(t, "block", o->block == UINT64_MAX ? g->ctaid : v);
  thread_of(g, o->lane, v);
  if (!o->many) json_three(t, "thread", v);
  if (o->many && !o->blocks) sg_text(t, ",\"warps\":\"0x%x\"", o->warps);
  sg_text(t, "}");
}

static void json_image(Text *t, const Trouble *b) {
  const SgImage *m = b->image;
  sg_text(t, ",\"access\":\"%s\",\"image\":{\"handle\":\"0x%" PRIx64 "\"", access_name(b->store, false),
          b->image_number);
  if (m) {
    json_string(t, "object", m->kind == SG_SURFACE ? "surface" : "texture");
    json_string(t, "shape", sg_shape_names[m->shape]);
    sg_text(t, ",\"extents\":[%u,%u,%u],\"texel_bytes\":%d", m->level[0].width, m->level[0].height,
            m->level[0].depth, m->texel.bytes);
    if (m->made[0]) json_string(t, "made", m->made);
  }
  if (b->has_texel)
    sg_text(t, ",\"at\":[%" PRId64 ",%" PRId64 ",%" PRId64 "]", b->texel[0], b->texel[1], b->texel[2]);
  sg_text(t, "}");
}

static void write_json(const Gang *g, SgFault *f) {
  const Trouble *b = &g->trouble;
  const Ins *in = &g->kernel->code[b->pc];
  Text t = {f->json, sizeof f->json};
  sg_text(&t, "{\"kind\":\"%s\",\"code\":%d", kind_name(b), b->code);
  json_string(&t, "kernel", f->kernel);
  json_source(&t, g->kernel, &g->kernel->locs[b->pc]);
  sg_text(&t, ",\"ptx_line\":%u", f->ptx_line);
  json_three(&t, "block", f->block);
  json_three(&t, "thread", f->thread);
  if (b->memory) {
    sg_text(&t, ",\"access\":\"%s\",\"space\":\"%s\",\"address\":\"0x%" PRIx64 "\",\"bytes\":%u",
            access_name(b->store, in->flags & INS_ATOM), space_name(in), b->address, b->bytes);
    json_alloc(&t, g, b);
  }
  if (b->memory) json_variable(&t, g, b);
  if (b->image_number || b->image) json_image(&t, b);
  if (b->check == CHECK_RACE || b->check == CHECK_BARRIER || b->check == CHECK_SHUFFLE)
    json_other(&t, g, &b->other);
  json_string(&t, "text", f->text);
  sg_text(&t, "}");
}

void sg_explain(const Gang *g, SgFault *fault) {
  const SgKernel *k = g->kernel;
  const Trouble *b = &g->trouble;
  const Loc *loc = &k->locs[b->pc];
  memset(fault, 0, sizeof *fault);
  fault->code = b->code;
  snprintf(fault->kernel, sizeof fault->kernel, "%s", k->info.name);
  for (int i = 0; i < 3; i++) fault->block[i] = g->ctaid[i];
  thread_of(g, b->lane, fault->thread);
  fault->ptx_line = loc->ptx_line;
  const char *file = file_name(k, loc->file), *outer = file_name(k, loc->outer_file);
  if (file) {
    snprintf(fault->file, sizeof fault->file, "%s", file);
    fault->line = loc->line;
  }
  if (b->memory) {
    fault->address = b->address;
    fault->bytes = b->bytes;
  }

  Text t = {fault->text, sizeof fault->text};
  sg_text(&t, "kernel %s", fault->kernel);
  if (fault->line) sg_text(&t, ", %s:%u", fault->file, fault->line);
  if (fault->line && outer) sg_text(&t, ", inlined at %s:%u", outer, loc->outer_line);
  sg_text(&t, " (PTX line %u), block (%u,%u,%u), thread (%u,%u,%u): ", fault->ptx_line, fault->block[0],
          fault->block[1], fault->block[2], fault->thread[0], fault->thread[1], fault->thread[2]);
  if (b->memory) {
    say_memory(&t, g, b);
  } else {
    sg_text(&t, "%s", b->text);
    if (b->check == CHECK_RACE) { /* of an image: whose memory it is was said */
      sg_text(&t, " and ");
      say_other(&t, g, &b->other);
      sg_text(&t, " are not ordered");
    }
    if (b->check == CHECK_BARRIER) sg_text(&t, ", the other one is at ");
    if (b->check == CHECK_SHUFFLE) sg_text(&t, " at ");
    if (b->check == CHECK_BARRIER || b->check == CHECK_SHUFFLE) say_place(&t, k, b->other.pc);
    if (b->check == CHECK_SHUFFLE && b->other.lane != b->lane) {
      uint32_t v[3];
      thread_of(g, b->other.lane, v);
      sg_text(&t, " by thread (%u,%u,%u)", v[0], v[1], v[2]);
    }
  }
  write_json(g, fault);
}
