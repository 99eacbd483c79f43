/* Textures and surfaces: one instruction for one thread after the other. Its operands and results are in the
 * thread's local memory (decode/image_form.h). */
#include "machine/image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/blend.h"
#include "decode/kernel.h"
#include "machine/check.h"

#define REFUSE(report) return (report), false

/* --- which image --- */

static bool is_surface(const SgImageForm *f) {
  return f->does == SG_LOAD_BYTES || f->does == SG_STORE_BYTES || f->does == SG_STORE_TEXEL ||
         f->does == SG_ASK_SURFACE;
}

static bool fits(const SgImageForm *f, const SgImage *m) {
  if (f->does == SG_ASK_TEXTURE || f->does == SG_ASK_SURFACE || f->shape == m->shape) return true;
  if (is_surface(f)) /* the faces of cube maps are layers to surfaces */
    return f->shape == SG_2D_LAYERS && (m->shape == SG_CUBE || m->shape == SG_CUBE_LAYERS);
  return f->shape == SG_1D && m->shape == SG_LINEAR;
}

/* The allocation that the image was made of, if it is there for this launch. */
static SgAlloc *memory_of(const SgImage *m) {
  SgAlloc *a = m->array ? sg_arena_at(m->memory) : sg_arena_reach(m->memory);
  if (!a || (m->array && !a->held)) return NULL;
  return a->serial == m->serial || sg_arena_then(a)->serial == m->serial ? a : NULL;
}

static bool find(ImageUse *u) {
  SgImageWhy why;
  u->image = sg_images_find(u->g->run->launch->images, u->args->handle, &why);
  if (!u->image) REFUSE(sg_image_no_handle(u, why));
  if ((u->image->kind == SG_SURFACE) != is_surface(&u->form)) REFUSE(sg_image_wrong_kind(u));
  if (!fits(&u->form, u->image)) REFUSE(sg_image_misfit(u));
  if (u->image->shape == SG_LINEAR && u->form.does == SG_SAMPLE && !u->form.texels)
    REFUSE(sg_image_float_fetch(u));
  if (u->form.does == SG_GATHER && !u->image->gather) REFUSE(sg_image_no_gather(u));
  u->memory = memory_of(u->image);
  if (!u->memory) REFUSE(sg_image_freed(u));
  if (!sg_open_to(u->g, u->memory)) REFUSE(sg_image_closed(u));
  return true;
}

/* --- bytes that this launch stored --- */

/* A texture read of what the same kernel stored is undefined, for a GPU's texture cache may have it as it
 * was. So where a kernel has both, a bit for each byte of an array tells. */
static pthread_mutex_t stored_lock = PTHREAD_MUTEX_INITIALIZER;

static bool follows_stores(const ImageUse *u) {
  const SgKernel *k = u->g->kernel;
  return k->reads_textures && k->stores_images && u->image->array;
}

static uint8_t *stored_bits(const ImageUse *u, bool make) {
  SgAlloc *a = u->memory;
  const uint64_t grid = u->g->run->grid_id;
  if (__atomic_load_n(&a->stored_by, __ATOMIC_ACQUIRE) == grid) return a->stored;
  if (!make) return NULL;
  pthread_mutex_lock(&stored_lock);
  if (a->stored_by != grid) {
    if (!a->stored)
      a->stored = calloc(1, a->size / 8 + 1);
    else
      memset(a->stored, 0, a->size / 8 + 1);
    if (a->stored) __atomic_store_n(&a->stored_by, grid, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&stored_lock);
  return a->stored;
}

static void note_stored(const ImageUse *u, uint64_t at, uint32_t bytes) {
  uint8_t *bits = follows_stores(u) ? stored_bits(u, true) : NULL;
  for (uint64_t i = at; bits && i < at + bytes; i++)
    __atomic_fetch_or(&bits[i / 8], (uint8_t)(1u << (i % 8)), __ATOMIC_RELAXED);
}

static bool was_stored(const ImageUse *u, uint64_t at, uint32_t bytes) {
  const uint8_t *bits = follows_stores(u) ? stored_bits(u, false) : NULL;
  for (uint64_t i = at; bits && i < at + bytes; i++)
    if (__atomic_load_n(&bits[i / 8], __ATOMIC_RELAXED) >> (i % 8) & 1) return true;
  return false;
}

/* --- texture instructions --- */

static SgReading reading(const SgImage *m) { return (SgReading){m->sampler.integers, m->sampler.srgb}; }

static bool read_tap(const ImageUse *u, const SgTap *t, SgColour *c) {
  const SgImage *m = u->image;
  if (t->border) {
    *c = sg_texel_border(m->texel, reading(m), m->sampler.border);
    return true;
  }
  const SgLevel *l = &m->level[t->level];
  const uint64_t address = l->base + t->z * l->slice + t->y * l->pitch + (uint64_t)t->x * m->texel.bytes,
                 at = address - u->memory->base;
  const bool inside = at <= sg_arena_bytes(u->memory) && m->texel.bytes <= sg_arena_bytes(u->memory) - at;
  if (!inside) REFUSE(sg_image_beyond(u, t));
  if (was_stored(u, at, m->texel.bytes)) REFUSE(sg_image_stored(u, t));
  const int64_t place[3] = {t->x, t->y, t->z};
  if (u->g->check) {
    if (sg_check_stored(u->g, u->memory, at, m->texel.bytes)) REFUSE(sg_image_stored(u, t));
    if (!sg_check_texels(u->g, u->in, u->lane, u->memory, at, m->texel.bytes, NULL))
      REFUSE(sg_image_checked(u, place, m->texel.bytes));
  }
  *c = sg_texel_read(m->texel, reading(m), (const void *)(uintptr_t)address);
  return true;
}

static double float_at(const uint32_t *bits) {
  float f;
  memcpy(&f, bits, sizeof f);
  return f;
}

/* Without a filter the texel is given as it is, bit by bit. */
static bool filter(const ImageUse *u, const SgTaps *taps, uint32_t out[4]) {
  SgColour colours[SG_TAPS_MOST];
  uint16_t weights[SG_TAPS_MOST];
  for (unsigned k = 0; k < taps->n; k++) {
    if (!read_tap(u, &taps->tap[k], &colours[k])) return false;
    weights[k] = taps->tap[k].weight;
  }
  if (!taps->n)
    memset(out, 0, 4 * sizeof *out);
  else if (taps->blended)
    sg_blend(u->image->texel, reading(u->image), colours, weights, taps->n, out);
  else
    memcpy(out, colours[0].bits, sizeof colours[0].bits);
  return true;
}

static bool gather(const ImageUse *u, const SgTaps *taps, uint32_t out[4]) {
  for (unsigned k = 0; k < taps->n; k++) {
    SgColour c;
    if (!read_tap(u, &taps->tap[k], &c)) return false;
    out[k] = sg_texel_gathered(u->image->texel, &c, u->form.choice);
  }
  return true;
}

/* Results of 16 bits, perhaps in pairs; integers lose their upper half. */
static void to_halves(const ImageUse *u, uint32_t out[4]) {
  const bool integral = sg_texel_integral(u->image->texel, reading(u->image));
  for (unsigned i = 0; i < 4; i++) {
    float f;
    memcpy(&f, &out[i], sizeof f);
    out[i] = integral ? out[i] & 0xffff : sg_half_of(f);
  }
  if (u->form.half < 2) return;
  out[0] |= out[1] << 16;
  out[1] = out[2] | out[3] << 16;
}

static bool sample(const ImageUse *u) {
  const SgImageArgs *a = u->args;
  SgTaps taps;
  SgPoint p = {.layer = a->layer, .lod = (SgLod)u->form.lod};
  if (u->form.texels) {
    const int32_t at[3] = {(int32_t)a->at[0], (int32_t)a->at[1], (int32_t)a->at[2]};
    sg_fetch(u->image, at, a->layer, u->form.lod == SG_LOD_LEVEL ? (int32_t)a->lod : 0, &taps);
  } else {
    const unsigned n = u->form.shape == SG_CUBE || u->form.shape == SG_CUBE_LAYERS || u->form.shape == SG_3D
                           ? 3
                       : u->form.shape == SG_1D || u->form.shape == SG_1D_LAYERS ? 1
                                                                                 : 2;
    for (unsigned i = 0; i < n; i++) p.at[i] = float_at(&a->at[i]);
    if (p.lod == SG_LOD_LEVEL) p.level = float_at(&a->lod);
    for (unsigned i = 0; p.lod == SG_LOD_GRADIENT && i < n; i++) {
      p.dx[i] = float_at(&a->dx[i]);
      p.dy[i] = float_at(&a->dy[i]);
    }
    if (u->form.does == SG_GATHER)
      sg_gather(u->image, &p, &taps);
    else
      sg_sample(u->image, &p, &taps);
  }
  uint32_t out[4] = {0};
  if (u->form.does == SG_GATHER ? !gather(u, &taps, out) : !filter(u, &taps, out)) return false;
  if (u->form.half) to_halves(u, out);
  memcpy(u->args->result, out, sizeof out);
  return true;
}

/* --- surface instructions --- */

/* From 0 to n - 1, or false. */
static bool limit(int64_t *v, int64_t n, SgOutside outside) {
  if (*v >= 0 && *v < n) return true;
  if (outside != SG_CLAMPED) return false;
  *v = *v < 0 ? 0 : n - 1;
  return true;
}

static bool access_bytes(const ImageUse *u) {
  const SgImage *m = u->image;
  const SgImageForm *f = &u->form;
  const SgLevel *l = &m->level[0];
  const bool texel = f->does == SG_STORE_TEXEL, store = texel || f->does == SG_STORE_BYTES;
  const uint32_t bytes = texel ? m->texel.bytes : (uint32_t)f->bytes * f->count;
  const SgOutside outside = (SgOutside)f->choice;
  /* x counts bytes, or texels; the last place that it may be is where the whole access has room. */
  int64_t at[3] = {(int32_t)u->args->at[0], 0, 0};
  const int64_t row = texel ? l->width : (int64_t)l->width * m->texel.bytes, width = texel ? 1 : bytes;
  if (f->shape == SG_2D || f->shape == SG_3D || f->shape == SG_2D_LAYERS) at[1] = (int32_t)u->args->at[1];
  if (f->shape == SG_3D) at[2] = (int32_t)u->args->at[2];
  if (f->shape == SG_1D_LAYERS || f->shape == SG_2D_LAYERS) at[2] = (int32_t)u->args->layer;
  const int64_t given[3] = {at[0], at[1], at[2]};
  if (!texel && at[0] % bytes) REFUSE(sg_image_misaligned(u, at[0]));
  int64_t element = at[0] / width;
  const bool in_row = at[0] < 0 && outside != SG_CLAMPED ? false : limit(&element, row / width, outside);
  at[0] = element * width;
  memset(u->args->result, 0, sizeof u->args->result);
  if (!in_row || !limit(&at[1], l->height, outside) || !limit(&at[2], l->depth, outside)) {
    if (outside != SG_ZERO) REFUSE(sg_image_outside(u, given));
    return true;
  }
  const uint64_t address = l->base + (uint64_t)at[2] * l->slice + (uint64_t)at[1] * l->pitch +
                           (uint64_t)at[0] * (texel ? bytes : 1),
                 offset = address - u->memory->base;
  uint8_t *p = (uint8_t *)(uintptr_t)address, value[16];
  if (texel) {
    uint32_t channels[4] = {0};
    memcpy(channels, u->args->value, 4 * (size_t)f->count);
    sg_texel_write(m->texel, channels, value);
  } else {
    memcpy(value, u->args->value, bytes);
  }
  if (u->g->check && !sg_check_texels(u->g, u->in, u->lane, u->memory, offset, bytes, store ? value : NULL))
    REFUSE(sg_image_checked(u, at, bytes));
  if (store) {
    memcpy(p, value, bytes);
    note_stored(u, offset, bytes);
  } else {
    memcpy(u->args->result, p, bytes);
  }
  return true;
}

/* --- questions --- */

/* OpenCL's numbers, which PTX leaves to the language. */
static uint32_t data_type(SgChannel c) {
  static const uint32_t types[] = {
      [SG_U8] = 0x10da,   [SG_S8] = 0x10d7,   [SG_U16] = 0x10db,       [SG_S16] = 0x10d8, [SG_U32] = 0x10dc,
      [SG_S32] = 0x10d9,  [SG_F16] = 0x10dd,  [SG_F32] = 0x10de,       [SG_UN8] = 0x10d2, [SG_SN8] = 0x10d0,
      [SG_UN16] = 0x10d3, [SG_SN16] = 0x10d1, [SG_UN101010_2] = 0x10e0};
  return types[c];
}

static uint32_t order_of(unsigned channels) {
  return channels == 1 ? 0x10b0 : channels == 2 ? 0x10b2 : 0x10b5;
}

/* What the image does not have is 0. */
static uint32_t answer(const ImageUse *u) {
  const SgImage *m = u->image;
  const uint32_t level = u->form.lod == SG_LOD_LEVEL ? u->args->lod : 0;
  if (level >= m->levels) return 0;
  const SgLevel *l = &m->level[level];
  const bool flat = m->shape == SG_LINEAR || m->shape == SG_1D || m->shape == SG_1D_LAYERS;
  const bool layers = m->shape == SG_1D_LAYERS || m->shape == SG_2D_LAYERS || m->shape == SG_CUBE_LAYERS;
  /* The modes by PTX's numbers: wrap, mirror, the old clamp, clamp to the edge, to the border. */
  static const uint8_t modes[] = {[SG_WRAP] = 0, [SG_CLAMP] = 3, [SG_MIRROR] = 1, [SG_BORDER] = 4};
  if (u->form.choice >= SG_ASK_ADDRESS) return modes[m->sampler.address[u->form.choice - SG_ASK_ADDRESS]];
  switch ((SgAsk)u->form.choice) {
  case SG_ASK_WIDTH: return l->width;
  case SG_ASK_HEIGHT: return flat ? 0 : l->height;
  case SG_ASK_DEPTH: return m->shape == SG_3D ? l->depth : 0;
  case SG_ASK_DATA_TYPE: return data_type(m->texel.channel);
  case SG_ASK_ORDER: return order_of(m->texel.channels);
  case SG_ASK_NORMALISED: return m->sampler.normalised;
  case SG_ASK_LAYERS: return layers ? m->layers : 0;
  case SG_ASK_LEVELS: return m->levels > 1 ? m->levels : 0;
  case SG_ASK_SAMPLES: return 0;
  case SG_ASK_LAYOUT: return !m->array;
  case SG_ASK_FORCED: return !m->sampler.normalised;
  case SG_ASK_FILTER: return m->sampler.linear;
  default: return 0;
  }
}

/* --- the instruction --- */

static bool execute(ImageUse *u) {
  if (!find(u)) return false;
  switch ((SgImageDoes)u->form.does) {
  case SG_SAMPLE:
  case SG_GATHER: return sample(u);
  case SG_LOAD_BYTES:
  case SG_STORE_BYTES:
  case SG_STORE_TEXEL: return access_bytes(u);
  case SG_ASK_TEXTURE:
  case SG_ASK_SURFACE: u->args->result[0] = answer(u); return true;
  }
  return false;
}

void sg_image(Gang *g, const Ins *in) {
  ImageUse u = {.g = g, .in = in};
  memcpy(&u.form, &in->imm, sizeof u.form);
  g->calling = (uint32_t)(in - g->kernel->code);
  for (u.lane = g->lo; u.lane < g->lo + g->n; u.lane++) {
    if (!g->m[u.lane]) continue;
    /* Aligned: the area is, and local memory of each lane. */
    u.args = (SgImageArgs *)(void *)(g->local + (size_t)u.lane * g->local_stride + in->target);
    if (g->undefined) {
      if (!sg_undefined_taken(g, u.lane, u.args, offsetof(SgImageArgs, result),
                              "is an operand of a texture or surface instruction"))
        return;
      sg_undefined_made(g, u.args->result, sizeof u.args->result);
    }
    if (!execute(&u)) return;
  }
}
