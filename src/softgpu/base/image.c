/* Images: tables of the numbers that programs have for them (image.h). */
#include "base/image.h"

#include <stdlib.h>

#include "base/config.h"

/* A number: generation 19 | context 12 | kind 2 | slot 20, 53 bits in all. */
enum {
  SLOT_BITS = 20,
  KIND_BITS = 2,
  CONTEXT_BITS = 12,
  GENERATION_BITS = 19,
  KIND_AT = SLOT_BITS,
  CONTEXT_AT = KIND_AT + KIND_BITS,
  GENERATION_AT = CONTEXT_AT + CONTEXT_BITS
};
enum { CHUNK_SLOTS = 256, CHUNKS = 1 << (SLOT_BITS - 8) };

typedef struct Slot {
  SgImage *image; /* NULL: none, or none any more */
  uint32_t generation, next_free;
} Slot;

struct SgImages {
  Slot *chunk[CHUNKS];
  uint32_t used; /* slots that were ever given out; number 0 is none */
  uint32_t free; /* the slot freed last; 0: none */
  uint32_t tag;  /* the context, in numbers */
};

const char *const sg_shape_names[] = {[SG_LINEAR] = "linear memory",
                                      [SG_1D] = "a 1D array",
                                      [SG_2D] = "a 2D array",
                                      [SG_3D] = "a 3D array",
                                      [SG_1D_LAYERS] = "a layered 1D array",
                                      [SG_2D_LAYERS] = "a layered 2D array",
                                      [SG_CUBE] = "a cube map",
                                      [SG_CUBE_LAYERS] = "a layered cube map"};

static uint64_t field(uint64_t number, int at, int bits) {
  return number >> at & (((uint64_t)1 << bits) - 1);
}

SgImages *sg_images_new(void) {
  static uint32_t contexts;
  SgImages *t = calloc(1, sizeof *t);
  if (t) t->tag = ++contexts & ((1u << CONTEXT_BITS) - 1);
  return t;
}

void sg_images_free(SgImages *t) {
  if (!t) return;
  for (uint32_t i = 0; i < CHUNKS && t->chunk[i]; i++) free(t->chunk[i]);
  free(t);
}

static Slot *slot_of(const SgImages *t, uint64_t i) { return &t->chunk[i / CHUNK_SLOTS][i % CHUNK_SLOTS]; }

static uint32_t slot_new(SgImages *t) {
  const uint32_t freed = t->free, i = t->used + 1;
  if (freed) {
    t->free = slot_of(t, freed)->next_free;
    return freed;
  }
  if (i >= (uint32_t)CHUNKS * CHUNK_SLOTS) return 0;
  Slot **chunk = &t->chunk[i / CHUNK_SLOTS];
  if (!*chunk) *chunk = calloc(CHUNK_SLOTS, sizeof **chunk);
  if (!*chunk) return 0;
  return t->used = i;
}

bool sg_images_add(SgImages *t, SgImage *image) {
  const uint32_t i = slot_new(t);
  if (!i) return false;
  Slot *s = slot_of(t, i);
  s->image = image;
  s->generation = (s->generation + 1) & ((1u << GENERATION_BITS) - 1);
  image->number = i;
  if (!sg_config.small_handles)
    image->number |= (uint64_t)image->kind << KIND_AT | (uint64_t)t->tag << CONTEXT_AT |
                     (uint64_t)s->generation << GENERATION_AT;
  return true;
}

void sg_images_remove(SgImages *t, const SgImage *image) {
  const uint32_t i = (uint32_t)field(image->number, 0, SLOT_BITS);
  Slot *s = slot_of(t, i);
  s->image = NULL;
  s->next_free = t->free;
  t->free = i;
}

SgImage *sg_images_find(const SgImages *t, uint64_t number, SgImageWhy *why) {
  const uint64_t i = field(number, 0, SLOT_BITS);
  *why = number ? SG_IMAGE_NEVER : SG_IMAGE_NULL;
  if (!i || number >> (GENERATION_AT + GENERATION_BITS)) return NULL;
  if (number == i) { /* a small number, or none of ours */
    if (!sg_config.small_handles) return NULL;
  } else {
    if (sg_image_kind(number) == SG_NO_IMAGE) return NULL;
    if (!t || field(number, CONTEXT_AT, CONTEXT_BITS) != t->tag) {
      *why = SG_IMAGE_FOREIGN;
      return NULL;
    }
  }
  if (!t || i > t->used) return NULL;
  SgImage *image = slot_of(t, i)->image;
  *why = image && image->number == number ? SG_IMAGE_FOUND : SG_IMAGE_DESTROYED;
  return *why == SG_IMAGE_FOUND ? image : NULL;
}

SgImageKind sg_image_kind(uint64_t number) {
  const uint64_t kind = field(number, KIND_AT, KIND_BITS);
  return kind == SG_TEXTURE || kind == SG_SURFACE ? (SgImageKind)kind : SG_NO_IMAGE;
}
