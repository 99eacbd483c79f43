/* What is said of the wrong use of an image. The codes are here alone, for none of them was measured on a GPU
 * but that of a store outside of a surface. */
#include "machine/image.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "decode/kernel.h"

enum {
  BAD_HANDLE = SG_ILLEGAL_ADDRESS,
  BAD_GEOMETRY = SG_LAUNCH_FAILED,
  BAD_MEMORY = SG_ILLEGAL_ADDRESS,
  OUTSIDE = SG_ILLEGAL_ADDRESS,
  UNDEFINED_READ = SG_LAUNCH_FAILED
};

static const char *object(SgImageKind kind) {
  return kind == SG_SURFACE ? "surface object" : "texture object";
}

static bool takes_surface(const ImageUse *u) {
  return u->form.does != SG_SAMPLE && u->form.does != SG_GATHER && u->form.does != SG_ASK_TEXTURE;
}

static const char *what_does(const ImageUse *u) {
  static const char *const names[] = {[SG_SAMPLE] = "texture read",       [SG_GATHER] = "texture gather",
                                      [SG_LOAD_BYTES] = "surface load",   [SG_STORE_BYTES] = "surface store",
                                      [SG_STORE_TEXEL] = "surface store", [SG_ASK_TEXTURE] = "texture query",
                                      [SG_ASK_SURFACE] = "surface query"};
  return names[u->form.does];
}

static void say_extents(Text *t, const SgImage *m) {
  const SgLevel *l = &m->level[0];
  sg_text(t, "%" PRIu32, l->width);
  if (m->shape != SG_LINEAR && m->shape != SG_1D && m->shape != SG_1D_LAYERS)
    sg_text(t, " x %" PRIu32, l->height);
  if (m->shape == SG_3D) sg_text(t, " x %" PRIu32, l->depth);
  sg_text(t, " elements of %d byte%s", m->texel.bytes, m->texel.bytes == 1 ? "" : "s");
  if (m->shape == SG_1D_LAYERS || m->shape == SG_2D_LAYERS) sg_text(t, ", %" PRIu32 " layers", l->depth);
  if (m->shape == SG_CUBE_LAYERS) sg_text(t, ", %" PRIu32 " cubes", l->depth / 6);
  if (m->levels > 1) sg_text(t, ", %u levels", m->levels);
}

static const char *shape_name(const SgImage *m) {
  return !m->array && m->shape == SG_2D ? "pitched memory" : sg_shape_names[m->shape];
}

/* "texture object 0x100001 (a 2D array of 4 x 4 elements of 4 bytes, made at a.lua:7)" */
static void say_image(Text *t, const SgImage *m) {
  sg_text(t, "%s 0x%" PRIx64 " (%s of ", object(m->kind), m->number, shape_name(m));
  say_extents(t, m);
  if (m->made[0]) sg_text(t, ", made at %s", m->made);
  sg_text(t, ")");
}

/* The trouble, with the text begun; say_end() ends it. */
static Text begin(const ImageUse *u, int code) {
  Trouble *b = &u->g->trouble;
  b->code = code;
  b->lane = u->lane;
  if (!b->check) b->check = CHECK_IMAGE;
  b->memory = false;
  b->image = u->image;
  b->image_number = u->args->handle;
  b->store = (u->in->flags & INS_STORE) != 0;
  b->text[0] = 0;
  return (Text){b->text, sizeof b->text};
}

void sg_image_no_handle(const ImageUse *u, SgImageWhy why) {
  Text t = begin(u, BAD_HANDLE);
  const SgImageKind told = sg_image_kind(u->args->handle);
  const SgImageKind kind = told ? told : takes_surface(u) ? SG_SURFACE : SG_TEXTURE;
  sg_text(&t, "%s through handle 0x%" PRIx64 ": ", what_does(u), u->args->handle);
  switch (why) {
  case SG_IMAGE_NULL: sg_text(&t, "no %s is bound", takes_surface(u) ? "surface" : "texture"); break;
  case SG_IMAGE_DESTROYED: sg_text(&t, "this %s was destroyed before the kernel ran", object(kind)); break;
  case SG_IMAGE_FOREIGN: sg_text(&t, "this %s is another context's", object(kind)); break;
  default:
    sg_text(&t, "the kernel's context has no such %s", object(takes_surface(u) ? SG_SURFACE : SG_TEXTURE));
  }
}

void sg_image_wrong_kind(const ImageUse *u) {
  Text t = begin(u, BAD_HANDLE);
  sg_text(&t, "%s through ", what_does(u));
  say_image(&t, u->image);
  sg_text(&t, ", which is no %s", object(takes_surface(u) ? SG_SURFACE : SG_TEXTURE));
}

void sg_image_misfit(const ImageUse *u) {
  Text t = begin(u, BAD_GEOMETRY);
  sg_text(&t, "a %s of %s through ", what_does(u), sg_shape_names[u->form.shape]);
  say_image(&t, u->image);
  sg_text(&t, ": the instruction does not fit");
}

void sg_image_float_fetch(const ImageUse *u) {
  Text t = begin(u, BAD_GEOMETRY);
  sg_text(&t, "a %s with a float coordinate through ", what_does(u));
  say_image(&t, u->image);
  sg_text(&t, ": linear memory is read at integer coordinates, with tex1Dfetch()");
}

void sg_image_no_gather(const ImageUse *u) {
  Text t = begin(u, BAD_GEOMETRY);
  sg_text(&t, "a %s through ", what_does(u));
  say_image(&t, u->image);
  sg_text(&t, ", which was made without CUDA_ARRAY3D_TEXTURE_GATHER");
}

void sg_image_freed(const ImageUse *u) {
  Text t = begin(u, BAD_MEMORY);
  sg_text(&t, "%s through ", what_does(u));
  say_image(&t, u->image);
  sg_text(&t, u->image->array ? ", whose CUDA array was destroyed" : ", whose memory was freed");
}

void sg_image_closed(const ImageUse *u) {
  Text t = begin(u, BAD_MEMORY);
  sg_text(&t, "%s through ", what_does(u));
  say_image(&t, u->image);
  sg_text(&t, ": this is memory of device %d, to which the kernel's context on device %d has no peer access",
          u->memory->device, u->g->kernel->module->device);
}

/* "x = 260 bytes (element 65), y = 3, layer 1" */
static void say_place(Text *t, const ImageUse *u, const int64_t at[3]) {
  const SgImage *m = u->image;
  const bool texel = u->form.does != SG_LOAD_BYTES && u->form.does != SG_STORE_BYTES;
  if (texel)
    sg_text(t, "x = %" PRId64, at[0]);
  else
    sg_text(t, "x = %" PRId64 " bytes (element %" PRId64 ")", at[0],
            (at[0] - (at[0] < 0 ? m->texel.bytes - 1 : 0)) / m->texel.bytes);
  if (m->shape != SG_LINEAR && m->shape != SG_1D && m->shape != SG_1D_LAYERS)
    sg_text(t, ", y = %" PRId64, at[1]);
  if (m->shape == SG_3D) sg_text(t, ", z = %" PRId64, at[2]);
  if (m->shape == SG_1D_LAYERS || m->shape == SG_2D_LAYERS) sg_text(t, ", layer %" PRId64, at[2]);
  if (m->shape == SG_CUBE || m->shape == SG_CUBE_LAYERS) sg_text(t, ", face %" PRId64, at[2]);
  memcpy(u->g->trouble.texel, at, sizeof u->g->trouble.texel);
  u->g->trouble.has_texel = true;
}

static uint32_t access_bytes(const ImageUse *u) {
  return u->form.does == SG_STORE_TEXEL ? u->image->texel.bytes : (uint32_t)u->form.bytes * u->form.count;
}

void sg_image_outside(const ImageUse *u, const int64_t at[3]) {
  Text t = begin(u, OUTSIDE);
  sg_text(&t, "%s of %u byte%s at ", what_does(u), access_bytes(u), access_bytes(u) == 1 ? "" : "s");
  say_place(&t, u, at);
  sg_text(&t, ", outside ");
  say_image(&t, u->image);
}

void sg_image_misaligned(const ImageUse *u, int64_t x) {
  Text t = begin(u, SG_MISALIGNED);
  sg_text(&t,
          "%s of %u bytes at x = %" PRId64 " bytes, which is not a multiple of %u: the first coordinate of ",
          what_does(u), access_bytes(u), x, access_bytes(u));
  say_image(&t, u->image);
  sg_text(&t, " counts bytes");
}

static void say_tap(Text *t, const ImageUse *u, const SgTap *tap) {
  const int64_t at[3] = {tap->x, tap->y, tap->z};
  sg_text(t, "%s of the texel at ", what_does(u));
  say_place(t, u, at);
  if (u->image->levels > 1) sg_text(t, ", level %u", tap->level);
  sg_text(t, " of ");
  say_image(t, u->image);
}

void sg_image_beyond(const ImageUse *u, const SgTap *tap) {
  Text t = begin(u, BAD_MEMORY);
  say_tap(&t, u, tap);
  char text[300];
  sg_alloc_text(u->memory, text, sizeof text);
  sg_text(&t, ", which reaches beyond the end of %s", text);
}

void sg_image_stored(const ImageUse *u, const SgTap *tap) {
  Text t = begin(u, UNDEFINED_READ);
  say_tap(&t, u, tap);
  sg_text(
      &t,
      ", which the same kernel has written: what it reads is undefined, for a GPU may have the old value in "
      "its texture cache; read it in a kernel launched later, or as a surface");
}

void sg_image_checked(const ImageUse *u, const int64_t at[3], uint32_t bytes) {
  const CheckKind kind = u->g->trouble.check;
  Text t = begin(u, UNDEFINED_READ);
  if (kind == CHECK_RACE) sg_text(&t, "race: the ");
  sg_text(&t, "%s of %u byte%s at ", what_does(u), bytes, bytes == 1 ? "" : "s");
  say_place(&t, u, at);
  sg_text(&t, " of ");
  say_image(&t, u->image);
  if (kind == CHECK_UNWRITTEN) sg_text(&t, ", which %s never written", bytes == 1 ? "was" : "were");
}
