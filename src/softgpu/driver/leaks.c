/* What is still there: objects and memory that nobody has given back. For the control command `leaks`, and
 * for reports when a process or a context ends. */
#include "driver/drv.h"

#include <stdio.h>
#include <string.h>

/* Variables belong to their module, texels to their array, mapped buffers to their resource, what is named to
 * the driver. */
bool sg_alloc_counts(const SgAlloc *a) {
  if (!(a->held || a->kept) || a->name[0]) return false;
  return a->kind != SG_MODULE && a->kind != SG_CONST && a->kind != SG_ARRAY && a->kind != SG_HEAP &&
         a->kind != SG_GRAPHICS;
}

/* Each context has one stream of its own, the legacy stream, and perhaps per-thread ones: not counted. */
bool sg_stream_counts(const SgStream *s) { return s->kind == SG_BLOCKING || s->kind == SG_NON_BLOCKING; }

bool sg_leaks_wanted(void) { return sg_config.leaks || sg_config.checks & SG_CHECKS_LEAKS; }

typedef struct Search {
  void (*each)(const SgLeak *, void *);
  void *arg;
  SgHandleKind kind;
} Search;

static const struct {
  const char *name, *text;
} memory[] = {[SG_DEVICE] = {"memory", "device memory"},
              [SG_HOST] = {"host", "page-locked host memory"},
              [SG_MANAGED] = {"managed", "managed memory"},
              [SG_HEAP] = {"heap", "memory from malloc in a kernel"},
              [SG_POOL] = {"pool_memory", "memory of a pool"},
              [SG_POOL_HOST] = {"pool_memory", "host memory of a pool"},
              [SG_POOL_MANAGED] = {"pool_memory", "managed memory of a pool"},
              [SG_REGISTERED] = {"registered", "registered host memory"},
              [SG_IMPORTED] = {"imported", "memory of another process"},
              [SG_GRAPHICS] = {"graphics", "memory of a graphics resource"}};

static void found_memory(SgAlloc *a, void *arg) {
  const Search *s = arg;
  const bool heap = a->kind == SG_HEAP && a->held && sg_leaks_wanted();
  if (!sg_alloc_counts(a) && !heap) return;
  SgLeak leak = {.name = memory[a->kind].name,
                 .text = memory[a->kind].text,
                 .memory = true,
                 .address = a->base,
                 .bytes = a->size,
                 .number = a->serial,
                 .device = a->device};
  sg_place_text(a->made, a->maker, leak.made);
  s->each(&leak, s->arg);
}

static void found_object(SgObject *o, void *arg) {
  const Search *s = arg;
  if (s->kind == SG_H_STREAM && !sg_stream_counts((const SgStream *)o)) return;
  if (s->kind == SG_H_POOL && sg_pool_standard(o)) return;
  if (s->kind == SG_H_MODULE && sg_module_part(o)) return;
  if (s->kind == SG_H_ARRAY && (((const SgArray *)o)->mapped || ((const SgArray *)o)->mipmap)) return;
  SgLeak leak = {.name = sg_kind_names[s->kind], .address = SG_X(o->handle), .number = o->id};
  const bool image = s->kind == SG_H_TEXTURE || s->kind == SG_H_SURFACE;
  if (image && sg_image_is_part(o)) return;
  if (image) leak.address = sg_image_number(o);
  leak.text = s->kind == SG_H_EXEC          ? "executable graph"
              : s->kind == SG_H_LINK        ? "linker"
              : s->kind == SG_H_POOL        ? "memory pool"
              : s->kind == SG_H_USER_OBJECT ? "user object"
              : s->kind == SG_H_RESOURCE    ? "graphics resource"
              : s->kind == SG_H_MIPMAP      ? "mipmapped array"
              : s->kind == SG_H_TEXTURE     ? "texture object"
              : s->kind == SG_H_SURFACE     ? "surface object"
                                            : leak.name;
  sg_handle_made(o, leak.made);
  s->each(&leak, s->arg);
}

void sg_leaks_each(void (*f)(const SgLeak *, void *), void *arg) {
  static const SgHandleKind kinds[] = {SG_H_CONTEXT, SG_H_STREAM,  SG_H_EVENT,       SG_H_MODULE,
                                       SG_H_ARRAY,   SG_H_GRAPH,   SG_H_EXEC,        SG_H_POOL,
                                       SG_H_LINK,    SG_H_LIBRARY, SG_H_USER_OBJECT, SG_H_RESOURCE,
                                       SG_H_MIPMAP,  SG_H_TEXTURE, SG_H_SURFACE};
  Search s = {f, arg, SG_H_CONTEXT};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    s.kind = kinds[i];
    sg_handles_each(s.kind, NULL, found_object, &s);
  }
  sg_arena_each(0, found_memory, &s);
}

/* --- reports --- */

void sg_leak_line(const SgLeak *l, void *text) {
  if (l->memory)
    sg_text_add(text, "%s 0x%llx bytes=%llu device=%d serial=%llu", l->name, (unsigned long long)l->address,
                (unsigned long long)l->bytes, l->device, (unsigned long long)l->number);
  else
    sg_text_add(text, "%s 0x%llx id=%llu", l->name, (unsigned long long)l->address,
                (unsigned long long)l->number);
  sg_text_add(text, "%s%s\n", l->made[0] ? " made at " : "", l->made);
}

static void report(const SgLeak *l) {
  char text[SG_PLACE + 200], json[1024], quoted[2 * SG_PLACE], said[2 * sizeof text];
  if (l->memory)
    snprintf(text, sizeof text, "%llu bytes of %s at 0x%llx were never freed%s%s",
             (unsigned long long)l->bytes, l->text, (unsigned long long)l->address,
             l->made[0] ? ", made at " : "", l->made);
  else
    snprintf(text, sizeof text, "the %s 0x%llx was never %s%s%s", l->text, (unsigned long long)l->address,
             strcmp(l->name, "module") == 0 || strcmp(l->name, "library") == 0 ? "unloaded" : "destroyed",
             l->made[0] ? ", made at " : "", l->made);
  sg_json_escape(said, sizeof said, text);
  sg_json_escape(quoted, sizeof quoted, l->made);
  size_t at = (size_t)snprintf(json, sizeof json, "{\"kind\":\"leak\",\"object\":\"%s\",\"%s\":\"0x%llx\"",
                               l->name, l->memory ? "address" : "handle", (unsigned long long)l->address);
  if (l->memory)
    at += (size_t)snprintf(json + at, sizeof json - at, ",\"bytes\":%llu,\"device\":%d,\"serial\":%llu",
                           (unsigned long long)l->bytes, l->device, (unsigned long long)l->number);
  if (l->made[0]) at += (size_t)snprintf(json + at, sizeof json - at, ",\"made\":\"%s\"", quoted);
  snprintf(json + at, sizeof json - at, ",\"text\":\"%s\"}", said);
  sg_report_leak(text, json);
}

typedef struct Sum {
  unsigned long long count, bytes;
} Sum;

static void report_one(const SgLeak *l, void *arg) {
  Sum *s = arg;
  s->count++;
  s->bytes += l->bytes;
  report(l);
}

/* After a fault the program could free nothing: it is not asked about what is left. */
void sg_leaks_at_exit(void) {
  Sum s = {0};
  for (int i = 0; i < SG_MAX_DEVICES; i++)
    if (sg_state.device[i].sticky) return;
  sg_leaks_each(report_one, &s);
  if (s.count && !sg_config.json)
    fprintf(stderr, "softgpu: %llu leak%s, %llu bytes of memory\n", s.count, s.count == 1 ? "" : "s",
            s.bytes);
}

static void heap_leak(SgAlloc *a, void *arg) {
  Sum s = {0};
  Search search = {report_one, &s, SG_H_CONTEXT};
  (void)arg;
  if (a->kind == SG_HEAP) found_memory(a, &search);
}

void sg_leaks_of_kernels(const SgContext *ctx) {
  if (!(sg_leaks_wanted() && sg_state.life == SG_READY) || sg_state.device[ctx->device].sticky) return;
  sg_arena_each(ctx->o.id, heap_leak, NULL);
}
