/* Handles: what a program holds of a context, stream, event, module or function. A handle is the address of
 * a slot in a table that only grows, so that any value, however old or wrong, can be looked at safely. */
#include "driver/drv.h"

#include <stdlib.h>
#include <string.h>

typedef enum { SLOT_UNUSED, SLOT_LIVE, SLOT_FREED, SLOT_ORPHANED } SlotState;

/* A handle points at one of these; slots move and die never, so any value can be checked. */
typedef struct Slot {
  SgObject *object;
  struct Slot *next_free;
  uint32_t generation;
  uint8_t kind, state;
  char *made; /* place in the program, or NULL; kept while leaks are looked for */
  const void *maker;
} Slot;

enum { FIRST_CHUNK = 256, CHUNKS = 16 };

static struct {
  Slot *chunk[CHUNKS];   /* chunk i holds FIRST_CHUNK << i slots */
  uint32_t chunks, used; /* used: of the last chunk */
  Slot *free[SG_H_KINDS];
  uint32_t live[SG_H_KINDS];
} table;

const char *const sg_kind_names[SG_H_KINDS] = {"context",  "stream", "event",   "module",  "function",
                                               "callback", "array",  "graph",   "node",    "exec",
                                               "pool",     "link",   "library", "kernel",  "user_object",
                                               "resource", "mipmap", "texture", "surface", "reference"};

static Slot *slot_at(const void *handle) {
  uintptr_t p = (uintptr_t)handle;
  for (uint32_t i = 0; i < table.chunks; i++) {
    uintptr_t base = (uintptr_t)table.chunk[i];
    if (p < base || p - base >= (sizeof(Slot) * FIRST_CHUNK) << i) continue;
    if ((p - base) % sizeof(Slot)) return NULL;
    return &table.chunk[i][(p - base) / sizeof(Slot)];
  }
  return NULL;
}

static Slot *slot_new(SgHandleKind kind) {
  Slot *s = table.free[kind];
  if (s) {
    table.free[kind] = s->next_free;
    return s;
  }
  if (!table.chunks || table.used == (uint32_t)FIRST_CHUNK << (table.chunks - 1)) {
    if (table.chunks == CHUNKS) return NULL;
    Slot *c = calloc((size_t)FIRST_CHUNK << table.chunks, sizeof *c);
    if (!c) return NULL;
    table.chunk[table.chunks++] = c;
    table.used = 0;
  }
  s = &table.chunk[table.chunks - 1][table.used++];
  s->kind = (uint8_t)kind;
  return s;
}

/* Functions, nodes and callbacks are parts of others, and never listed. */
static void note_place(Slot *s) {
  if (s->kind == SG_H_FUNCTION || s->kind == SG_H_KERNEL || s->kind == SG_H_NODE ||
      s->kind == SG_H_CALLBACK || s->kind == SG_H_REFERENCE)
    return;
  s->maker = sg_arena_caller;
  if (sg_arena_place[0] && (sg_config.leaks || sg_config.checks & SG_CHECKS_LEAKS))
    s->made = strdup(sg_arena_place);
  if (s->kind != SG_H_POOL) sg_arena_place[0] = 0; /* which may come before the memory that was asked for */
}

bool sg_handle_made(const SgObject *object, char text[SG_PLACE]) {
  const Slot *s = object->handle;
  return sg_place_text(s->made, s->maker, text);
}

void sg_handle_rebind(void *handle, SgObject *object, SgContext *ctx) {
  Slot *s = handle;
  note_place(s);
  s->object = object;
  s->state = SLOT_LIVE;
  s->generation++;
  table.live[s->kind]++;
  object->ctx = ctx;
  object->handle = s;
  object->id = ++sg_state.next_id;
}

bool sg_handle_new(SgHandleKind kind, SgObject *object, SgContext *ctx) {
  Slot *s = slot_new(kind);
  if (!s) return false;
  sg_handle_rebind(s, object, ctx);
  return true;
}

void sg_handle_retire(SgObject *object) {
  Slot *s = object->handle;
  s->object = NULL;
  s->state = SLOT_FREED;
  table.live[s->kind]--;
  free(s->made);
  s->made = NULL;
}

void sg_handle_release(void *handle) {
  Slot *s = handle;
  s->next_free = table.free[s->kind];
  table.free[s->kind] = s;
}

void sg_handle_free(SgObject *object, bool orphan) {
  Slot *s = object->handle;
  sg_handle_retire(object);
  if (orphan) s->state = SLOT_ORPHANED;
  sg_handle_release(s);
}

void *sg_handle_peek(SgHandleKind kind, const void *handle, uint32_t generation) {
  Slot *s = slot_at(handle);
  bool same = s && s->kind == kind && s->state == SLOT_LIVE && s->generation == generation;
  return same ? s->object : NULL;
}

void *sg_handle_get(SgHandleKind kind, const void *handle, CUresult *code) {
  Slot *s = slot_at(handle);
  if (s && s->kind == kind && s->state == SLOT_LIVE) return s->object;
  bool orphaned = s && s->kind == kind && s->state == SLOT_ORPHANED;
  *code = orphaned && kind != SG_H_MODULE && kind != SG_H_FUNCTION ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                                   : CUDA_ERROR_INVALID_HANDLE;
  if (handle) sg_note_stale(sg_kind_names[kind], SG_X(handle));
  return NULL;
}

uint32_t sg_handle_generation(SgHandleKind kind, const void *handle) {
  Slot *s = slot_at(handle);
  return s && s->kind == kind ? s->generation : 0;
}

void sg_handles_each(SgHandleKind kind, const SgContext *ctx, void (*f)(SgObject *, void *), void *arg) {
  for (uint32_t i = 0; i < table.chunks; i++) {
    uint32_t n = i + 1 < table.chunks ? (uint32_t)FIRST_CHUNK << i : table.used;
    for (uint32_t k = 0; k < n; k++) {
      Slot *s = &table.chunk[i][k];
      if (s->kind == kind && s->state == SLOT_LIVE && (!ctx || s->object->ctx == ctx)) f(s->object, arg);
    }
  }
}

uint32_t sg_handles_live(SgHandleKind kind) { return table.live[kind]; }
