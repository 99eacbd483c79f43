/* Textures and renderbuffers of the current OpenGL context: what they are like, and copies of their texels.
 */
#include "driver/gl.h"

#include <stdio.h>
#include <string.h>

enum {
  GL_TEXTURE_2D = 0x0de1,
  GL_TEXTURE_RECTANGLE = 0x84f5,
  GL_TEXTURE_CUBE_MAP = 0x8513,
  GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
  GL_TEXTURE_3D = 0x806f,
  GL_TEXTURE_2D_ARRAY = 0x8c1a,
  GL_RENDERBUFFER = 0x8d41,
  GL_RENDERBUFFER_BINDING = 0x8ca7,
  CUBE_FACES = 6
};

bool sg_gl_target_layered(unsigned target) {
  return target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_2D_ARRAY;
}
bool sg_gl_target_solid(unsigned target) { return target == GL_TEXTURE_3D; }

/* --- formats --- */

typedef struct Format {
  unsigned internal;
  CUarray_format channel;
  unsigned channels, transfer, type;
} Format;

/* The formats that cuGraphicsGLRegisterImage is documented to take, without those of luminance and intensity,
 * which current OpenGL no longer has. */
#define THREE(r, rg, rgba, channel, red, two, four, type)                                                    \
  {r, channel, 1, red, type}, {rg, channel, 2, two, type}, { rgba, channel, 4, four, type }
#define REAL(r, rg, rgba, channel, type) THREE(r, rg, rgba, channel, 0x1903, 0x8227, 0x1908, type)
#define WHOLE(r, rg, rgba, channel, type) THREE(r, rg, rgba, channel, 0x8d94, 0x8228, 0x8d99, type)
static const Format formats[] = {
    REAL(0x8229, 0x822b, 0x8058, CU_AD_FORMAT_UNSIGNED_INT8, 0x1401),  /* GL_R8 ... */
    REAL(0x822a, 0x822c, 0x805b, CU_AD_FORMAT_UNSIGNED_INT16, 0x1403), /* GL_R16 */
    REAL(0x822d, 0x822f, 0x881a, CU_AD_FORMAT_HALF, 0x140b),           /* GL_R16F */
    REAL(0x822e, 0x8230, 0x8814, CU_AD_FORMAT_FLOAT, 0x1406),          /* GL_R32F */
    REAL(0x1903, 0x8227, 0x1908, CU_AD_FORMAT_UNSIGNED_INT8, 0x1401),  /* GL_RED, GL_RG, GL_RGBA */
    WHOLE(0x8231, 0x8237, 0x8d8e, CU_AD_FORMAT_SIGNED_INT8, 0x1400),   /* GL_R8I */
    WHOLE(0x8232, 0x8238, 0x8d7c, CU_AD_FORMAT_UNSIGNED_INT8, 0x1401),
    WHOLE(0x8233, 0x8239, 0x8d88, CU_AD_FORMAT_SIGNED_INT16, 0x1402),
    WHOLE(0x8234, 0x823a, 0x8d76, CU_AD_FORMAT_UNSIGNED_INT16, 0x1403),
    WHOLE(0x8235, 0x823b, 0x8d82, CU_AD_FORMAT_SIGNED_INT32, 0x1404),
    WHOLE(0x8236, 0x823c, 0x8d70, CU_AD_FORMAT_UNSIGNED_INT32, 0x1405),
};

static const Format *format_of(unsigned internal) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (formats[i].internal == internal) return &formats[i];
  return NULL;
}

static size_t texel_bytes(const SgGlImage *image) {
  switch (image->channel) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8: return image->channels;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF: return 2 * image->channels;
  default: return 4 * image->channels;
  }
}

int sg_gl_image_parts(const SgGlImage *image, int level) {
  return image->target == GL_TEXTURE_CUBE_MAP   ? CUBE_FACES
         : image->target == GL_TEXTURE_2D_ARRAY ? image->extent[level][2]
                                                : 1;
}

size_t sg_gl_image_bytes(const SgGlImage *image, int level) {
  const int *e = image->extent[level];
  size_t deep = image->target == GL_TEXTURE_CUBE_MAP ? CUBE_FACES : (size_t)e[2];
  return texel_bytes(image) * (size_t)e[0] * (size_t)e[1] * deep;
}

/* --- what is bound, and how texels travel, as the program has it --- */

static unsigned binding_of(unsigned target) {
  switch (target) {
  case GL_TEXTURE_2D: return 0x8069;
  case GL_TEXTURE_RECTANGLE: return 0x84f6;
  case GL_TEXTURE_CUBE_MAP: return 0x8514;
  case GL_TEXTURE_3D: return 0x806a;
  case GL_TEXTURE_2D_ARRAY: return 0x8c1d;
  default: return 0;
  }
}

static unsigned get(const SgGl *gl, unsigned what) {
  int value = 0;
  gl->GetIntegerv(what, &value);
  return (unsigned)value;
}

/* One direction of pixel transfers: its settings, and the buffer that stands in for the host's memory. */
typedef struct Way {
  unsigned settings[8], alignment; /* the names; all are 0 by default but the alignment */
  unsigned buffer, binding;
} Way;

static const Way pack = {{0xd00, 0xd01, 0xd02, 0xd03, 0xd04, 0xd05, 0x806b, 0x806c}, 0xd05, 0x88eb, 0x88ed};
static const Way unpack = {{0xcf0, 0xcf1, 0xcf2, 0xcf3, 0xcf4, 0xcf5, 0x806d, 0x806e}, 0xcf5, 0x88ec, 0x88ef};

typedef struct Transfer {
  const Way *way;
  unsigned values[8], buffer;
} Transfer;

/* From here on texels lie row by row without gaps. */
static Transfer transfer_begin(const SgGl *gl, const Way *way) {
  Transfer t = {.way = way, .buffer = get(gl, way->binding)};
  for (int i = 0; i < 8; i++) {
    t.values[i] = get(gl, way->settings[i]);
    gl->PixelStorei(way->settings[i], way->settings[i] == way->alignment);
  }
  gl->BindBuffer(way->buffer, 0);
  return t;
}

static void transfer_end(const SgGl *gl, const Transfer *t) {
  for (int i = 0; i < 8; i++) gl->PixelStorei(t->way->settings[i], (int)t->values[i]);
  gl->BindBuffer(t->way->buffer, t->buffer);
}

/* --- looking --- */

static bool can_copy_images(const SgGl *gl) {
  return !gl->es && gl->IsTexture && gl->IsRenderbuffer && gl->PixelStorei && gl->BindTexture &&
         gl->GetTexLevelParameteriv && gl->GetTexImage && gl->TexSubImage2D && gl->TexSubImage3D &&
         gl->GenTextures && gl->DeleteTextures && gl->TexImage2D && gl->BindRenderbuffer &&
         gl->GetRenderbufferParameteriv && gl->GenFramebuffers && gl->DeleteFramebuffers &&
         gl->BindFramebuffer && gl->FramebufferRenderbuffer && gl->FramebufferTexture2D &&
         gl->CheckFramebufferStatus && gl->ReadPixels && gl->BlitFramebuffer && gl->IsEnabled && gl->Enable &&
         gl->Disable;
}

enum {
  GL_TEXTURE_WIDTH = 0x1000,
  GL_TEXTURE_HEIGHT = 0x1001,
  GL_TEXTURE_INTERNAL_FORMAT = 0x1003,
  GL_TEXTURE_DEPTH = 0x8071,
  GL_TEXTURE_SAMPLES = 0x9106,
  GL_RENDERBUFFER_WIDTH = 0x8d42,
  GL_RENDERBUFFER_HEIGHT = 0x8d43,
  GL_RENDERBUFFER_INTERNAL_FORMAT = 0x8d44,
  GL_RENDERBUFFER_SAMPLES = 0x8cab
};

static unsigned level_target(unsigned target) {
  return target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : target;
}

static int level_value(const SgGl *gl, const SgGlImage *image, int level, unsigned what) {
  int value = 0;
  gl->GetTexLevelParameteriv(level_target(image->target), level, what, &value);
  return value;
}

/* The number of levels that a whole set of mipmaps has. */
static int levels_most(const SgGlImage *image) {
  const int *e = image->extent[0];
  int longest = e[0] > e[1] ? e[0] : e[1], n = 0;
  if (sg_gl_target_solid(image->target) && e[2] > longest) longest = e[2];
  if (image->target == GL_TEXTURE_RECTANGLE) return 1;
  while (longest >> n && n < SG_GL_LEVELS) n++;
  return n;
}

/* With the texture bound. */
static void look_at_levels(const SgGl *gl, SgGlImage *image) {
  int most = 1;
  for (int level = 0; level < most; level++) {
    int *e = image->extent[level];
    e[0] = level_value(gl, image, level, GL_TEXTURE_WIDTH);
    e[1] = level_value(gl, image, level, GL_TEXTURE_HEIGHT);
    e[2] = level_value(gl, image, level, GL_TEXTURE_DEPTH);
    if (e[2] < 1) e[2] = 1;
    unsigned format = (unsigned)level_value(gl, image, level, GL_TEXTURE_INTERNAL_FORMAT);
    if (!level) image->format = format;
    if (e[0] < 1 || e[1] < 1 || format != image->format) return;
    image->levels = level + 1;
    most = levels_most(image);
  }
}

/* False: there is no texture of that name, or it is one of another target. */
static bool look_at_texture(const SgGl *gl, SgGlImage *image, int *samples) {
  const unsigned binding = binding_of(image->target);
  if (!gl->IsTexture(image->name)) return false;
  const unsigned theirs = get(gl, binding);
  gl->BindTexture(image->target, image->name);
  if (get(gl, binding) != image->name) {
    gl->GetError(); /* the one that was made just now */
    return false;
  }
  look_at_levels(gl, image);
  if (image->levels) *samples = level_value(gl, image, 0, GL_TEXTURE_SAMPLES);
  gl->BindTexture(image->target, theirs);
  return true;
}

static bool look_at_renderbuffer(const SgGl *gl, SgGlImage *image, int *samples) {
  int format = 0, *e = image->extent[0];
  if (!gl->IsRenderbuffer(image->name)) return false;
  const unsigned theirs = get(gl, GL_RENDERBUFFER_BINDING);
  gl->BindRenderbuffer(GL_RENDERBUFFER, image->name);
  gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &e[0]);
  gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &e[1]);
  gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
  gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, samples);
  gl->BindRenderbuffer(GL_RENDERBUFFER, theirs);
  e[2] = 1;
  image->format = (unsigned)format;
  image->levels = e[0] > 0 && e[1] > 0;
  return true;
}

static CUresult refuse(CUresult code, const SgGlImage *image, const char *why) {
  sg_say(CU_LOG_LEVEL_ERROR, "The OpenGL image %u of target 0x%x %s", image->name, image->target, why);
  return code;
}

CUresult sg_gl_image_look(const SgGl *gl, unsigned name, unsigned target, SgGlImage *image) {
  int samples = 0;
  *image = (SgGlImage){.name = name, .target = target};
  if (target != GL_RENDERBUFFER && !binding_of(target))
    return refuse(CUDA_ERROR_INVALID_VALUE, image, "has a target that CUDA does not take");
  if (!can_copy_images(gl))
    return refuse(CUDA_ERROR_NOT_SUPPORTED, image,
                  "cannot be copied: the software device needs OpenGL 3.2 or later, not OpenGL ES");
  bool there = name && (target == GL_RENDERBUFFER ? look_at_renderbuffer(gl, image, &samples)
                                                  : look_at_texture(gl, image, &samples));
  if (!there) return refuse(CUDA_ERROR_INVALID_HANDLE, image, "does not exist, or has another target");
  if (!image->levels) return refuse(CUDA_ERROR_INVALID_VALUE, image, "has no storage");
  if (samples > 0) return refuse(CUDA_ERROR_INVALID_VALUE, image, "has several samples a pixel");
  const Format *f = format_of(image->format);
  if (!f) {
    char why[100];
    snprintf(why, sizeof why, "has the internal format 0x%x, which CUDA does not take", image->format);
    return refuse(CUDA_ERROR_INVALID_VALUE, image, why);
  }
  image->channel = f->channel;
  image->channels = f->channels;
  image->transfer = f->transfer;
  image->type = f->type;
  return CUDA_SUCCESS;
}

/* --- framebuffers of our own, for renderbuffers --- */

enum {
  GL_READ_FRAMEBUFFER = 0x8ca8,
  GL_READ_FRAMEBUFFER_BINDING = 0x8caa,
  GL_DRAW_FRAMEBUFFER = 0x8ca9,
  GL_DRAW_FRAMEBUFFER_BINDING = 0x8ca6,
  GL_FRAMEBUFFER_COMPLETE = 0x8cd5,
  GL_COLOR_ATTACHMENT0 = 0x8ce0,
  GL_COLOR_BUFFER_BIT = 0x4000,
  GL_NEAREST = 0x2600,
  GL_SCISSOR_TEST = 0x0c11
};

typedef struct Framebuffers {
  unsigned read, draw, ours[2];
} Framebuffers;

static Framebuffers framebuffers_begin(const SgGl *gl) {
  Framebuffers f = {.read = get(gl, GL_READ_FRAMEBUFFER_BINDING),
                    .draw = get(gl, GL_DRAW_FRAMEBUFFER_BINDING)};
  gl->GenFramebuffers(2, f.ours);
  gl->BindFramebuffer(GL_READ_FRAMEBUFFER, f.ours[0]);
  gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, f.ours[1]);
  return f;
}

static void framebuffers_end(const SgGl *gl, const Framebuffers *f) {
  gl->BindFramebuffer(GL_READ_FRAMEBUFFER, f->read);
  gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, f->draw);
  gl->DeleteFramebuffers(2, f->ours);
}

static bool complete(const SgGl *gl, unsigned which) {
  return gl->CheckFramebufferStatus(which) == GL_FRAMEBUFFER_COMPLETE;
}

static bool renderbuffer_read(const SgGl *gl, const SgGlImage *image, void *to) {
  Framebuffers f = framebuffers_begin(gl);
  gl->FramebufferRenderbuffer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, image->name);
  bool good = complete(gl, GL_READ_FRAMEBUFFER);
  if (good) gl->ReadPixels(0, 0, image->extent[0][0], image->extent[0][1], image->transfer, image->type, to);
  framebuffers_end(gl, &f);
  return good;
}

/* Through a texture, since nothing writes into a renderbuffer but drawing and blits. */
static bool renderbuffer_write(const SgGl *gl, const SgGlImage *image, const void *from) {
  const int w = image->extent[0][0], h = image->extent[0][1];
  const unsigned theirs = get(gl, binding_of(GL_TEXTURE_2D));
  const bool scissor = gl->IsEnabled(GL_SCISSOR_TEST);
  unsigned texture = 0;
  Framebuffers f = framebuffers_begin(gl);
  gl->GenTextures(1, &texture);
  gl->BindTexture(GL_TEXTURE_2D, texture);
  gl->TexImage2D(GL_TEXTURE_2D, 0, (int)image->format, w, h, 0, image->transfer, image->type, from);
  gl->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, image->name);
  bool good = complete(gl, GL_READ_FRAMEBUFFER) && complete(gl, GL_DRAW_FRAMEBUFFER);
  if (scissor) gl->Disable(GL_SCISSOR_TEST);
  if (good) gl->BlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  if (scissor) gl->Enable(GL_SCISSOR_TEST);
  framebuffers_end(gl, &f);
  gl->BindTexture(GL_TEXTURE_2D, theirs);
  gl->DeleteTextures(1, &texture);
  return good;
}

/* --- copies --- */

/* The texture may have been deleted since it was looked at, or have got another storage. */
static bool still_so(const SgGl *gl, const SgGlImage *image) {
  SgGlImage now = {.name = image->name, .target = image->target};
  int samples = 0;
  bool there = image->target == GL_RENDERBUFFER ? look_at_renderbuffer(gl, &now, &samples)
                                                : look_at_texture(gl, &now, &samples);
  if (there && now.format == image->format && now.levels >= image->levels &&
      memcmp(now.extent, image->extent, sizeof image->extent[0] * (size_t)image->levels) == 0)
    return true;
  sg_say(CU_LOG_LEVEL_ERROR,
         "The OpenGL image %u was deleted, or got another storage, after it was registered", image->name);
  return false;
}

static void faces_read(const SgGl *gl, const SgGlImage *image, int level, uint8_t *to) {
  const size_t bytes = sg_gl_image_bytes(image, level) / CUBE_FACES;
  for (unsigned face = 0; face < CUBE_FACES; face++)
    gl->GetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, image->transfer, image->type,
                    to + face * bytes);
}

static void faces_write(const SgGl *gl, const SgGlImage *image, int level, const uint8_t *from) {
  const int *e = image->extent[level];
  const size_t bytes = sg_gl_image_bytes(image, level) / CUBE_FACES;
  for (unsigned face = 0; face < CUBE_FACES; face++)
    gl->TexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, 0, 0, e[0], e[1], image->transfer,
                      image->type, from + face * bytes);
}

static void texture_write(const SgGl *gl, const SgGlImage *image, int level, const void *from) {
  const int *e = image->extent[level];
  if (image->target == GL_TEXTURE_CUBE_MAP)
    faces_write(gl, image, level, from);
  else if (image->target == GL_TEXTURE_3D || image->target == GL_TEXTURE_2D_ARRAY)
    gl->TexSubImage3D(image->target, level, 0, 0, 0, e[0], e[1], e[2], image->transfer, image->type, from);
  else
    gl->TexSubImage2D(image->target, level, 0, 0, e[0], e[1], image->transfer, image->type, from);
}

static void texture_read(const SgGl *gl, const SgGlImage *image, int level, void *to) {
  if (image->target == GL_TEXTURE_CUBE_MAP)
    faces_read(gl, image, level, to);
  else
    gl->GetTexImage(image->target, level, image->transfer, image->type, to);
}

bool sg_gl_image_read(const SgGl *gl, const SgGlImage *image, int level, void *to) {
  if (!can_copy_images(gl) || !still_so(gl, image)) return false;
  bool good = true;
  Transfer t = transfer_begin(gl, &pack);
  if (image->target == GL_RENDERBUFFER) {
    good = renderbuffer_read(gl, image, to);
  } else {
    const unsigned binding = binding_of(image->target), theirs = get(gl, binding);
    gl->BindTexture(image->target, image->name);
    texture_read(gl, image, level, to);
    gl->BindTexture(image->target, theirs);
  }
  transfer_end(gl, &t);
  return good;
}

bool sg_gl_image_write(const SgGl *gl, const SgGlImage *image, int level, const void *from) {
  if (!can_copy_images(gl) || !still_so(gl, image)) return false;
  bool good = true;
  Transfer t = transfer_begin(gl, &unpack);
  if (image->target == GL_RENDERBUFFER) {
    good = renderbuffer_write(gl, image, from);
  } else {
    const unsigned binding = binding_of(image->target), theirs = get(gl, binding);
    gl->BindTexture(image->target, image->name);
    texture_write(gl, image, level, from);
    gl->BindTexture(image->target, theirs);
  }
  transfer_end(gl, &t);
  return good;
}
