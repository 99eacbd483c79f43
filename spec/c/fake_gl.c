/* A library that says it is EGL (its DT_SONAME is libEGL.so.1), with as much of OpenGL behind it as the
 * software device calls for buffers and 2D textures: plain memory, no drawing. So what the driver answers
 * about graphics resources can be tested on machines without OpenGL. A function called in a way that OpenGL
 * forbids sets an error, as there. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*Any)(void);

/* What a test does to it. */
EXPORT void fake_gl_current(int on);
EXPORT unsigned fake_gl_buffer(ptrdiff_t size);
EXPORT unsigned fake_gl_texture(int internal, int width, int height, int levels);
EXPORT void *fake_gl_buffer_data(unsigned name);
EXPORT void *fake_gl_texture_data(unsigned name, int level);
EXPORT void fake_gl_delete_buffer(unsigned name);
EXPORT unsigned fake_gl_error(void); /* the pending one, which stays */
EXPORT int fake_gl_disturbed(void);  /* a binding or a setting is not as the program has it */
EXPORT void *eglGetCurrentContext(void);
EXPORT Any eglGetProcAddress(const char *name);

enum { MOST = 64, LEVELS = 4, INVALID_OPERATION = 0x502, INVALID_VALUE = 0x501 };

typedef struct Buffer {
  int there;
  unsigned char *data;
  ptrdiff_t size;
  int mapped;
} Buffer;

typedef struct Texture {
  int there, internal, width, height, levels;
  unsigned char *data[LEVELS];
} Texture;

static Buffer buffers[MOST];
static Texture textures[MOST];
static unsigned read_buffer = 5, write_buffer = 6, pack_buffer = 0, unpack_buffer = 0, texture_bound = 7;
static unsigned error;
static int current;
static int settings[16] = {[5] = 4, [13] = 4}; /* pack at 0, unpack at 8 */

static void fail(unsigned code) {
  if (!error) error = code;
}

/* --- for the test --- */

void fake_gl_current(int on) { current = on; }

unsigned fake_gl_buffer(ptrdiff_t size) {
  unsigned name = 10;
  while (buffers[name].there) name++;
  buffers[name] = (Buffer){1, size ? calloc(1, (size_t)size) : NULL, size, 0};
  return name;
}

static int texel(int internal) {
  switch (internal) {
  case 0x8058: return 4; /* GL_RGBA8 */
  case 0x822e: return 4; /* GL_R32F */
  case 0x8051: return 3; /* GL_RGB8 */
  default: return 1;
  }
}

unsigned fake_gl_texture(int internal, int width, int height, int levels) {
  unsigned name = 10;
  while (textures[name].there) name++;
  Texture *t = &textures[name];
  *t = (Texture){.there = 1, .internal = internal, .width = width, .height = height, .levels = levels};
  for (int i = 0; i < levels; i++)
    t->data[i] = calloc((size_t)(width >> i ? width >> i : 1) * (size_t)(height >> i ? height >> i : 1),
                        (size_t)texel(internal));
  return name;
}

void *fake_gl_buffer_data(unsigned name) { return buffers[name].data; }
void *fake_gl_texture_data(unsigned name, int level) { return textures[name].data[level]; }

void fake_gl_delete_buffer(unsigned name) {
  free(buffers[name].data);
  buffers[name] = (Buffer){0};
}

unsigned fake_gl_error(void) { return error; }

int fake_gl_disturbed(void) {
  int odd = read_buffer != 5 || write_buffer != 6 || pack_buffer || unpack_buffer || texture_bound != 7;
  for (int i = 0; i < 16; i++) odd |= settings[i] != (i == 5 || i == 13 ? 4 : 0);
  for (int i = 0; i < 10; i++) odd |= buffers[i].there;
  return odd;
}

/* --- OpenGL --- */

static unsigned *binding(unsigned what) {
  switch (what) {
  case 0x8f36: return &read_buffer;
  case 0x8f37: return &write_buffer;
  case 0x88eb:
  case 0x88ed: return &pack_buffer;
  case 0x88ec:
  case 0x88ef: return &unpack_buffer;
  case 0x0de1:
  case 0x8069: return &texture_bound;
  default: return NULL;
  }
}

static int *setting(unsigned what) {
  if (what >= 0xd00 && what <= 0xd05) return &settings[what - 0xd00];
  if (what >= 0xcf0 && what <= 0xcf5) return &settings[8 + what - 0xcf0];
  if (what == 0x806b || what == 0x806c) return &settings[6 + what - 0x806b];
  if (what == 0x806d || what == 0x806e) return &settings[14 + what - 0x806d];
  return NULL;
}

static void GetIntegerv(unsigned what, int *value) {
  if (binding(what))
    *value = (int)*binding(what);
  else if (setting(what))
    *value = *setting(what);
  else
    fail(INVALID_VALUE);
}

static const unsigned char *GetString(unsigned what) {
  return (const unsigned char *)(what == 0x1f02 ? "4.5 fake" : "fake");
}

static unsigned GetError(void) {
  unsigned e = error;
  error = 0;
  return e;
}

static unsigned char IsBuffer(unsigned name) { return name < MOST && buffers[name].there; }
static unsigned char IsTexture(unsigned name) { return name < MOST && textures[name].there; }
static unsigned char IsRenderbuffer(unsigned name) {
  (void)name;
  return 0;
}

static void GenBuffers(int n, unsigned *names) {
  for (int i = 0; i < n; i++) names[i] = 1 + (unsigned)i; /* below those of the test */
}

static void DeleteBuffers(int n, const unsigned *names) {
  for (int i = 0; i < n; i++) fake_gl_delete_buffer(names[i]);
}

static Buffer *bound(unsigned target) {
  unsigned *name = binding(target);
  if (!name || !IsBuffer(*name)) fail(INVALID_OPERATION);
  return name && IsBuffer(*name) ? &buffers[*name] : NULL;
}

static void BindBuffer(unsigned target, unsigned name) {
  if (!binding(target) || name >= MOST) {
    fail(INVALID_VALUE);
    return;
  }
  *binding(target) = name;
  if (name && name != 5 && name != 6) buffers[name].there = 1;
}

static void BufferData(unsigned target, ptrdiff_t size, const void *data, unsigned usage) {
  Buffer *b = bound(target);
  (void)usage;
  if (!b) return;
  b->data = calloc(1, (size_t)size);
  b->size = size;
  if (data) memcpy(b->data, data, (size_t)size);
}

static void GetBufferParameteri64v(unsigned target, unsigned what, int64_t *value) {
  const Buffer *b = bound(target);
  if (b) *value = what == 0x8764 ? b->size : what == 0x88bc ? b->mapped : 0;
}

static void CopyBufferSubData(unsigned from, unsigned to, ptrdiff_t at, ptrdiff_t there, ptrdiff_t n) {
  const Buffer *a = bound(from);
  Buffer *b = bound(to);
  if (!a || !b) return;
  if (a->mapped || b->mapped || at + n > a->size || there + n > b->size)
    fail(INVALID_OPERATION);
  else
    memcpy(b->data + there, a->data + at, (size_t)n);
}

static void *MapBufferRange(unsigned target, ptrdiff_t at, ptrdiff_t n, unsigned access) {
  Buffer *b = bound(target);
  (void)access;
  if (!b || b->mapped || at + n > b->size) return NULL;
  b->mapped = 1;
  return b->data + at;
}

static unsigned char UnmapBuffer(unsigned target) {
  Buffer *b = bound(target);
  if (b) b->mapped = 0;
  return b != NULL;
}

static void PixelStorei(unsigned what, int value) {
  if (setting(what))
    *setting(what) = value;
  else
    fail(INVALID_VALUE);
}

static void BindTexture(unsigned target, unsigned name) {
  if (target != 0x0de1)
    fail(INVALID_OPERATION); /* all are 2D */
  else
    texture_bound = name;
}

static Texture *texture(int level) {
  Texture *t = IsTexture(texture_bound) ? &textures[texture_bound] : NULL;
  if (!t || level >= LEVELS) fail(INVALID_OPERATION);
  return t && level < LEVELS ? t : NULL;
}

static int along(int n, int level) { return n >> level ? n >> level : 1; }

static void GetTexLevelParameteriv(unsigned target, int level, unsigned what, int *value) {
  const Texture *t = texture(level);
  (void)target;
  *value = 0;
  if (!t || level >= t->levels) return;
  *value = what == 0x1000   ? along(t->width, level)
           : what == 0x1001 ? along(t->height, level)
           : what == 0x8071 ? 1
           : what == 0x1003 ? t->internal
                            : 0;
}

static size_t level_bytes(const Texture *t, int level) {
  return (size_t)along(t->width, level) * (size_t)along(t->height, level) * (size_t)texel(t->internal);
}

static void GetTexImage(unsigned target, int level, unsigned format, unsigned type, void *to) {
  const Texture *t = texture(level);
  (void)target, (void)format, (void)type;
  if (pack_buffer || settings[5] != 1) fail(INVALID_OPERATION);
  if (t) memcpy(to, t->data[level], level_bytes(t, level));
}

static void TexSubImage2D(unsigned target, int level, int x, int y, int w, int h, unsigned format,
                          unsigned type, const void *from) {
  const Texture *t = texture(level);
  (void)target, (void)format, (void)type;
  if (unpack_buffer || settings[13] != 1 || x || y) fail(INVALID_OPERATION);
  if (t && (w != along(t->width, level) || h != along(t->height, level))) fail(INVALID_VALUE);
  if (t) memcpy(t->data[level], from, level_bytes(t, level));
}

static void never_called(void) {
  fprintf(stderr, "fake_gl.c: a function was called that it does not have\n");
  abort();
}

EXPORT void *eglGetCurrentContext(void) { return current ? &current : NULL; }

EXPORT Any eglGetProcAddress(const char *name) {
  static const struct {
    const char *name;
    Any function;
  } table[] = {
#define HAS(f) {"gl" #f, (Any)f},
      HAS(GetIntegerv) HAS(GetString) HAS(GetError) HAS(IsBuffer) HAS(IsTexture) HAS(IsRenderbuffer)
          HAS(GenBuffers) HAS(DeleteBuffers) HAS(BindBuffer) HAS(BufferData) HAS(GetBufferParameteri64v)
              HAS(CopyBufferSubData) HAS(MapBufferRange) HAS(UnmapBuffer) HAS(PixelStorei) HAS(BindTexture)
                  HAS(GetTexLevelParameteriv) HAS(GetTexImage) HAS(TexSubImage2D)
#undef HAS
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].function;
  return never_called;
}
