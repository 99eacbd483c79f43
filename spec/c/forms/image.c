/* Textures and surfaces: tex, tld4, txq, suld, sust, suq. Each thread has coordinates of its own; what the
 * instruction gives is compared with the texel that those stand for, found by the rules of PTX's manual and
 * CUDA's programming guide. Filtering is no matter of the form: spec/softgpu/images_spec.lua has it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "device.h"
#include "form.h"
#include "operands.h"

enum { LANES = 32, IN_WORDS = 16, OUT_WORDS = 8, LEVELS = 3, UNTOUCHED = 0x5eed5eed };
/* Words of a thread's input. */
enum { LAYER = 0, AT = 1, LOD = 4, DX = 5, DY = 8, VALUE = 11 };

typedef struct Geometry {
  const char *name, *operands;
  SgShape shape;
  int width, height, depth; /* of level 0; depth: slices, layers or faces */
  int axes;
  bool layer;
} Geometry;

static const Geometry geometries[] = {
    {"1d", "{%w1}", SG_1D, 8, 1, 1, 1, false},
    {"2d", "{%w1,%w2}", SG_2D, 8, 4, 1, 2, false},
    {"3d", "{%w1,%w2,%w3,%w15}", SG_3D, 8, 4, 4, 3, false},
    {"a1d", "{%w0,%w1}", SG_1D_LAYERS, 8, 1, 3, 1, true},
    {"a2d", "{%w0,%w1,%w2,%w15}", SG_2D_LAYERS, 8, 4, 3, 2, true},
    {"cube", "{%w1,%w2,%w3,%w15}", SG_CUBE, 4, 4, 6, 3, false},
    {"acube", "{%w0,%w1,%w2,%w3}", SG_CUBE_LAYERS, 4, 4, 12, 3, true},
};

static const Geometry *geometry_of(const Form *f) {
  for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
    if (has(f, geometries[i].name)) return &geometries[i];
  return NULL;
}

static bool is_cube(const Geometry *g) { return g->shape == SG_CUBE || g->shape == SG_CUBE_LAYERS; }

/* --- images --- */

static SgImages *table;

typedef struct Picture {
  SgImage image;
  SgAlloc *memory;
} Picture;

static int part(int n, int level) { return n >> level > 0 ? n >> level : 1; }

/* Levels lie one behind the other. */
static Picture *picture_new(const Geometry *g, SgTexel texel, SgImageKind kind, int levels) {
  Picture *p = calloc(1, sizeof *p);
  uint64_t at = 0;
  if (!p) exit(2);
  p->image = (SgImage){.kind = kind,
                       .shape = g->shape,
                       .texel = texel,
                       .array = true,
                       .storable = true,
                       .gather = true,
                       .sampler = {.address = {SG_CLAMP, SG_CLAMP, SG_CLAMP}, .most = 1000},
                       .layers = g->shape == SG_CUBE_LAYERS ? 2
                                 : g->layer                 ? 3
                                                            : 1,
                       .levels = (unsigned)levels};
  for (int l = 0; l < levels; l++) {
    SgLevel *level = &p->image.level[l];
    level->width = (uint32_t)part(g->width, l);
    level->height = (uint32_t)part(g->height, l);
    level->depth = (uint32_t)(g->shape == SG_3D ? part(g->depth, l) : g->depth);
    level->pitch = (uint64_t)level->width * texel.bytes;
    level->slice = level->pitch * level->height;
    level->base = at;
    at += level->slice * level->depth;
  }
  p->memory = sg_arena_alloc(0, at, 512, SG_ARRAY, 1, "");
  if (!p->memory || (!table && !(table = sg_images_new()))) exit(2);
  for (int l = 0; l < levels; l++) p->image.level[l].base += p->memory->base;
  p->image.memory = p->memory->base;
  p->image.serial = p->memory->serial;
  if (!sg_images_add(table, &p->image)) exit(2);
  device_images = table;
  return p;
}

static void picture_free(Picture *p) {
  sg_images_remove(table, &p->image);
  sg_arena_free(p->memory);
  free(p);
}

/* The texels of textures: small integers, so that halves have them. */
static int texel_value(int level, int x, int y, int z, int channel) {
  return x + 8 * y + 32 * z + 400 * ((channel + level) % 4);
}

static void paint(const Picture *p) {
  const bool floats = p->image.texel.channel == SG_F32;
  for (unsigned l = 0; l < p->image.levels; l++) {
    const SgLevel *level = &p->image.level[l];
    for (unsigned z = 0; z < level->depth; z++)
      for (unsigned y = 0; y < level->height; y++)
        for (unsigned x = 0; x < level->width; x++)
          for (int c = 0; c < 4; c++) {
            const int v = texel_value((int)l, (int)x, (int)y, (int)z, c);
            const float f = (float)v;
            uint8_t *to = (uint8_t *)(uintptr_t)(level->base + z * level->slice + y * level->pitch +
                                                 x * (uint64_t)p->image.texel.bytes) +
                          4 * c;
            memcpy(to, floats ? (const void *)&f : (const void *)&v, 4);
          }
  }
}

/* --- kernels --- */

static void put_head(Text *t) {
  put(t,
      PTX_HEAD
      ".visible .entry k(.param .u64 i, .param .u64 o, .param .u64 h)\n{\n"
      ".reg .pred %%g, %%r; .reg .b16 %%h<4>; .reg .b32 %%n, %%m, %%w<16>, %%d<8>; .reg .b64 %%x<4>, "
      "%%q<4>;\n"
      "mov.u32 %%n,%%tid.x; rem.u32 %%m,%%n,3; setp.ne.u32 %%g,%%m,0;\n"
      "ld.param.u64 %%x0,[i]; mul.wide.u32 %%x3,%%n,%d; add.u64 %%x0,%%x0,%%x3;\n"
      "ld.param.u64 %%x1,[o]; mul.wide.u32 %%x3,%%n,%d; add.u64 %%x1,%%x1,%%x3;\n"
      "ld.param.u64 %%x2,[h];\n",
      4 * IN_WORDS, 4 * OUT_WORDS);
  for (int i = 0; i < IN_WORDS; i++)
    if (i != 15) put(t, "ld.global.b32 %%w%d,[%%x0+%d];\n", i, 4 * i);
  for (int i = 0; i < 8; i++) put(t, "mov.u32 %%d%d,0x%x;\n", i, UNTOUCHED);
  for (int i = 0; i < 4; i++)
    put(t, "mov.b16 %%h%d,0x5eed; mov.b64 %%q%d,0x%x%x;\n", i, i, UNTOUCHED, UNTOUCHED);
  put(t, "setp.ne.u32 %%r,%%n,%%n;\n");
}

static void put_tail(Text *t) {
  for (int i = 0; i < OUT_WORDS; i++) put(t, "st.global.b32 [%%x1+%d],%%d%d;\n", 4 * i, i);
  put(t, "ret;\n}\n");
}

/* The code it ends with. */
static int run(const char *text, const uint32_t *in, uint32_t *out, const Picture *p, uint32_t threads) {
  static SgFault fault;
  const uint64_t params[] = {(uintptr_t)in, (uintptr_t)out, p->image.number};
  SgModule *m = module_load(text, true);
  if (!m) return -1;
  const int code = try_kernel(m, "k", 1, threads, params, &fault);
  sg_module_unload(m);
  return code;
}

static uint32_t bits_of(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static int below(int n) { return (int)(any_bits() % (uint64_t)n); }
static int limited(int v, int n) { return v < 0 ? 0 : v < n ? v : n - 1; }

/* --- tex and tld4 --- */

/* What a thread reads: the place in the picture, or nothing. */
typedef struct Place {
  bool outside;
  int level, x, y, z;
} Place;

/* A coordinate in quarters of a texel of level 0, beyond both edges too. */
static float quarter(int n, int *quarters) {
  *quarters = below(4 * n + 16) - 8;
  return (float)*quarters / 4 / (float)n;
}

static int found(int quarters, int n, int level) {
  const int there = part(n, level);
  return limited((int)floor((double)quarters / 4 / n * there), there);
}

/* Face by face its middle and the directions in which its two coordinates grow. */
static const int faces[6][3][3] = {{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                   {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
                                   {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};

/* A direction twice as long as it has to be, and changes of it that are a texel's of the level. They lead to
 * the middle of the face: one that leaves it is measured around the edge. */
static void aim(const Geometry *g, uint32_t *in, Place *p) {
  const int face = below(6), n = g->width, s = 2 * below(2 * n) + 1, t = 2 * below(2 * n) + 1;
  const float across = (float)s / (float)(2 * n) - 1, down = (float)t / (float)(2 * n) - 1;
  for (int i = 0; i < 3; i++) {
    const float d =
        (float)faces[face][0][i] + across * (float)faces[face][1][i] + down * (float)faces[face][2][i];
    in[AT + i] = bits_of(2 * d);
    in[DX + i] = bits_of((float)((across > 0 ? -1 : 1) * faces[face][1][i] * (4 << p->level)) / (float)n);
    in[DY + i] = bits_of((float)((down > 0 ? -1 : 1) * faces[face][2][i] * (2 << p->level)) / (float)n);
  }
  p->x = found(s, n, p->level);
  p->y = found(t, n, p->level);
  p->z += face;
}

static void choose(const Form *f, const Geometry *g, uint32_t *in, Place *p) {
  const bool integers = type_of(f, 0).kind == 's', levels = has(f, "level") || has(f, "grad");
  const int extent[3] = {g->width, g->height, g->depth};
  int at[3] = {0}, layer = below(g->layer ? 5 : 1), q;
  memset(in, 0, IN_WORDS * sizeof *in);
  *p = (Place){.level = levels ? below(LEVELS) : 0};
  while (has(f, "grad") && is_cube(g) && 2 << p->level > g->width) p->level--;
  in[LAYER] = (uint32_t)layer;
  in[LOD] = integers ? (uint32_t)p->level : bits_of((float)p->level);
  p->z = g->layer ? limited(layer, g->shape == SG_CUBE_LAYERS ? 2 : 3) * (is_cube(g) ? 6 : 1) : 0;
  if (is_cube(g)) {
    aim(g, in, p);
    return;
  }
  for (int i = 0; i < 3 && i < g->axes; i++) {
    const int n = part(extent[i], p->level);
    if (integers) {
      at[i] = below(n + 2) - 1;
      in[AT + i] = (uint32_t)at[i];
      p->outside |= at[i] < 0 || at[i] >= n;
    } else {
      in[AT + i] = bits_of(quarter(extent[i], &q));
      at[i] = found(q, extent[i], p->level);
    }
    /* As many texels in x as the level says, and fewer in the other dimensions. */
    if (i == 0) in[DX] = bits_of((float)(1 << p->level) / (float)extent[0]);
    if (i == 1) in[DY + 1] = bits_of((float)(1 << p->level) / (float)(2 * extent[1]));
  }
  p->x = at[0];
  p->y = g->axes > 1 ? at[1] : 0;
  if (g->axes > 2) p->z = at[2];
}

static uint32_t half_of(int v) {
  int e = 0;
  if (!v) return 0;
  while (v >> (e + 1)) e++;
  return (uint32_t)((e + 15) << 10 | ((v << 10 >> e) & 0x3ff));
}

static uint32_t as_type(const Form *f, int v) {
  const Type t = type_of(f, 1);
  return t.kind != 'f' ? (uint32_t)v : t.bits == 16 ? half_of(v) : bits_of((float)v);
}

static void expect(const Form *f, const Place *p, uint32_t out[4]) {
  for (int c = 0; c < 4; c++)
    out[c] = p->outside ? 0 : as_type(f, texel_value(p->level, p->x, p->y, p->z, c));
  if (type_of(f, 1).parts < 2) return;
  out[0] |= out[1] << 16;
  out[1] = out[2] | out[3] << 16;
  out[2] = out[3] = UNTOUCHED;
}

static void put_tex(Text *t, const Form *f, const Geometry *g, bool guarded, bool resident) {
  const Type type = type_of(f, 1);
  const bool halves = type.bits == 16 && type.parts < 2;
  const char *to = halves ? "{%h0,%h1,%h2,%h3}" : type.parts > 1 ? "{%d0,%d1}" : "{%d0,%d1,%d2,%d3}";
  put_head(t);
  put(t, "%s%s %s%s,[%%x2,%s]", guarded ? "@%g " : "", f->text, to, resident ? "|%r" : "", g->operands);
  if (has(f, "level")) put(t, ",%%w%d", LOD);
  if (has(f, "grad") && g->axes == 1) put(t, ",{%%w5},{%%w8}");
  if (has(f, "grad") && g->axes == 2) put(t, ",{%%w5,%%w6},{%%w8,%%w9}");
  if (has(f, "grad") && g->axes == 3) put(t, ",{%%w5,%%w6,%%w7,%%w15},{%%w8,%%w9,%%w10,%%w15}");
  put(t, ";\n");
  for (int i = 0; halves && i < 4; i++) put(t, "%scvt.u32.u16 %%d%d,%%h%d;\n", guarded ? "@%g " : "", i, i);
  if (resident) put(t, "selp.u32 %%d4,1,0,%%r;\n");
  put_tail(t);
}

static void try_tex(const Form *f, const Geometry *g, bool guarded, bool resident) {
  const Type type = type_of(f, 1);
  const SgChannel channel = type.kind == 'u' ? SG_U32 : type.kind == 's' ? SG_S32 : SG_F32;
  Picture *p = picture_new(g, sg_texel(channel, 4), SG_TEXTURE, LEVELS);
  uint32_t *in = device_memory(4 * LANES * IN_WORDS), *out = device_memory(4 * LANES * OUT_WORDS);
  Place place[LANES];
  Text t = {0};
  p->image.sampler.normalised = type_of(f, 0).kind == 'f';
  paint(p);
  for (int i = 0; i < LANES; i++) choose(f, g, in + i * IN_WORDS, &place[i]);
  put_tex(&t, f, g, guarded, resident);
  const int code = run(t.p, in, out, p, LANES);
  if (code) wrong("%s: code %d", f->text, code);
  for (int i = 0; !code && i < LANES; i++) {
    uint32_t want[5] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED, resident ? 0 : UNTOUCHED};
    if (!guarded || i % 3) {
      expect(f, &place[i], want);
      if (resident) want[4] = 1;
    }
    for (int c = 0; c < 5; c++)
      if (out[i * OUT_WORDS + c] != want[c])
        wrong("%s, thread %d, result %d: 0x%x, expected 0x%x", f->text, i, c, out[i * OUT_WORDS + c],
              want[c]);
  }
  free(t.p);
  device_free(in);
  device_free(out);
  picture_free(p);
}

bool texture(const Form *f) {
  const Geometry *g = geometry_of(f);
  if (!g) return false;
  begin(f->text);
  for (int guarded = 0; guarded < 2; guarded++) try_tex(f, g, guarded, !guarded);
  finish();
  return true;
}

/* Only arrays of two dimensions can be made for gathering: whatever else is asked for is reported. */
bool texture_gather(const Form *f) {
  static const int around[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const Geometry *g = geometry_of(f);
  const Type type = type_of(f, 1);
  const int component = has(f, "r") ? 0 : has(f, "g") ? 1 : has(f, "b") ? 2 : 3;
  const bool flat = g->shape == SG_2D;
  Picture *p = picture_new(g,
                           sg_texel(type.kind == 'u'   ? SG_U32
                                    : type.kind == 's' ? SG_S32
                                                       : SG_F32,
                                    4),
                           SG_TEXTURE, 1);
  uint32_t *in = device_memory(4 * LANES * IN_WORDS), *out = device_memory(4 * LANES * OUT_WORDS);
  int x[LANES], y[LANES];
  Text t = {0};
  begin(f->text);
  p->image.gather = flat;
  paint(p);
  for (int i = 0; i < LANES; i++) { /* in quarters of texels, between the centres of four */
    x[i] = below(4 * g->width);
    y[i] = below(4 * g->height);
    in[i * IN_WORDS + AT] = bits_of((float)x[i] / 4);
    in[i * IN_WORDS + AT + 1] = bits_of((float)y[i] / 4);
  }
  put_head(&t);
  put(&t, "@%%g %s {%%d0,%%d1,%%d2,%%d3},[%%x2,%s];\n", f->text, g->operands);
  put_tail(&t);
  const int code = run(t.p, in, out, p, LANES);
  if (code != (flat ? 0 : SG_LAUNCH_FAILED)) wrong("%s: code %d", f->text, code);
  for (int i = 0; !code && i < LANES; i++)
    for (int k = 0; k < 4; k++) {
      const int at_x = limited((int)floor(x[i] / 4.0 - 0.5) + around[k][0], g->width),
                at_y = limited((int)floor(y[i] / 4.0 - 0.5) + around[k][1], g->height);
      const uint32_t want = i % 3 ? as_type(f, texel_value(0, at_x, at_y, 0, component)) : UNTOUCHED;
      if (out[i * OUT_WORDS + k] != want)
        wrong("%s, thread %d, result %d: 0x%x, expected 0x%x", f->text, i, k, out[i * OUT_WORDS + k], want);
    }
  free(t.p);
  device_free(in);
  device_free(out);
  picture_free(p);
  finish();
  return true;
}

/* --- suld and sust --- */

typedef struct Bytes {
  int unit, count; /* of the instruction */
  int x, y, z;     /* bytes from the row's start, and so on; may be outside */
} Bytes;

static Bytes access_of(const Form *f) {
  Bytes b = {.unit = 4, .count = has(f, "v4") ? 4 : has(f, "v2") ? 2 : 1};
  for (int i = 0; i < f->nmods; i++)
    if (f->mod[i][0] == 'b' && f->mod[i][1]) b.unit = atoi(f->mod[i] + 1) / 8;
  return b;
}

/* In three of four cases inside. `step`: what x is a multiple of; `most`: of those in a row. */
static void choose_bytes(const Geometry *g, uint32_t *in, Bytes *b, int step, int most, bool inside) {
  int k = below(most), y = below(g->height), z = below(g->depth);
  if (!inside && below(4) == 0) k = below(2) ? -1 - below(3) : most + below(3);
  if (!inside && g->height > 1 && below(4) == 0) y = below(2) ? -1 - below(3) : g->height + below(3);
  if (!inside && g->depth > 1 && below(4) == 0) z = below(2) ? -1 - below(3) : g->depth + below(3);
  b->x = k * step;
  b->y = y;
  b->z = z;
  in[LAYER] = (uint32_t)z;
  in[AT] = (uint32_t)b->x;
  in[AT + 1] = (uint32_t)y;
  in[AT + 2] = (uint32_t)z;
  for (int i = 0; i < 4; i++) in[VALUE + i] = (uint32_t)any_bits();
}

/* Where it goes after clamping; false: nowhere. */
static bool goes_to(const Form *f, const Geometry *g, Bytes *b, int step, int most) {
  const bool inside =
      b->x >= 0 && b->x < most * step && b->y >= 0 && b->y < g->height && b->z >= 0 && b->z < g->depth;
  if (inside || !has(f, "clamp")) return inside;
  b->x = b->x < 0 ? 0 : b->x >= most * step ? (most - 1) * step : b->x;
  b->y = limited(b->y, g->height);
  b->z = limited(b->z, g->depth);
  return true;
}

static uint8_t *byte_at(const Picture *p, const Bytes *b) {
  const SgLevel *l = &p->image.level[0];
  return (uint8_t *)(uintptr_t)(l->base + (uint64_t)b->z * l->slice + (uint64_t)b->y * l->pitch +
                                (uint64_t)b->x);
}

/* Registers of an operand: bytes and halves are in 16 bits. */
static void put_registers(Text *t, const Bytes *b, const char *prefix, int first) {
  put(t, b->count > 1 ? "{" : "");
  for (int i = 0; i < b->count; i++) put(t, "%s%s%d", i ? "," : "", prefix, first + i);
  put(t, b->count > 1 ? "}" : "");
}

static const char *register_of(const Bytes *b) { return b->unit < 4 ? "%h" : b->unit == 4 ? "%d" : "%q"; }

static void put_load(Text *t, const Form *f, const Geometry *g, const Bytes *b, bool guarded) {
  put_head(t);
  put(t, "%s%s ", guarded ? "@%g " : "", f->text);
  put_registers(t, b, register_of(b), 0);
  put(t, ",[%%x2,%s];\n", g->operands);
  for (int i = 0; b->unit < 4 && i < b->count; i++) put(t, "cvt.u32.u16 %%d%d,%%h%d;\n", i, i);
  for (int i = 0; b->unit == 8 && i < b->count; i++)
    put(t, "mov.b64 {%%d%d,%%d%d},%%q%d;\n", 2 * i, 2 * i + 1, i);
  put_tail(t);
}

static void scribble(const Picture *p) {
  uint8_t *memory = (uint8_t *)(uintptr_t)p->memory->base;
  for (uint64_t i = 0; i < p->memory->size; i++) memory[i] = (uint8_t)any_bits();
}

static void load_expected(const Form *f, const Geometry *g, const Picture *p, Bytes b, bool off,
                          uint32_t out[8]) {
  const int step = b.unit * b.count, most = g->width * p->image.texel.bytes / step;
  uint8_t bytes[16] = {0};
  if (goes_to(f, g, &b, step, most)) memcpy(bytes, byte_at(p, &b), (size_t)step);
  for (int i = 0; i < 8; i++) out[i] = UNTOUCHED;
  for (int i = 0; i < b.count && off; i++)
    if (b.unit < 4) out[i] = 0x5eed;
  if (off) return;
  for (int i = 0; i < b.count * (b.unit == 8 ? 2 : 1); i++) {
    out[i] = 0;
    memcpy(&out[i], bytes + i * (b.unit == 8 ? 4 : b.unit), (size_t)(b.unit == 8 ? 4 : b.unit));
  }
}

static void try_load(const Form *f, const Geometry *g, bool guarded) {
  const Bytes form = access_of(f);
  const int step = form.unit * form.count;
  Picture *p = picture_new(g, sg_texel(SG_U32, 4), SG_SURFACE, 1);
  uint32_t *in = device_memory(4 * LANES * IN_WORDS), *out = device_memory(4 * LANES * OUT_WORDS);
  Bytes b[LANES];
  Text t = {0};
  scribble(p);
  for (int i = 0; i < LANES; i++) {
    b[i] = form;
    choose_bytes(g, in + i * IN_WORDS, &b[i], step, g->width * 16 / step, has(f, "trap"));
  }
  put_load(&t, f, g, &form, guarded);
  const int code = run(t.p, in, out, p, LANES);
  if (code) wrong("%s: code %d", f->text, code);
  for (int i = 0; !code && i < LANES; i++) {
    uint32_t want[8];
    load_expected(f, g, p, b[i], guarded && i % 3 == 0, want);
    for (int k = 0; k < 8; k++)
      if (form.unit != 8 || k < 2 * form.count)
        if (out[i * OUT_WORDS + k] != want[k] && !(guarded && i % 3 == 0 && form.unit == 8))
          wrong("%s, thread %d, word %d: 0x%x, expected 0x%x", f->text, i, k, out[i * OUT_WORDS + k],
                want[k]);
  }
  if (!code && has(f, "trap")) {
    in[4 * IN_WORDS + AT] = (uint32_t)(g->width * 16);
    if (run(t.p, in, out, p, LANES) != SG_ILLEGAL_ADDRESS) wrong("%s: a load outside is none", f->text);
  }
  if (!code && step > 1) {
    in[4 * IN_WORDS + AT] = 1;
    if (run(t.p, in, out, p, LANES) != SG_MISALIGNED) wrong("%s: a load at byte 1 is aligned", f->text);
  }
  free(t.p);
  device_free(in);
  device_free(out);
  picture_free(p);
}

static void put_store(Text *t, const Form *f, const Geometry *g, const Bytes *b) {
  put_head(t);
  for (int i = 0; i < b->count; i++) {
    if (b->unit < 4) put(t, "cvt.u16.u32 %%h%d,%%w%d;\n", i, VALUE + i);
    if (b->unit == 4) put(t, "mov.b32 %%d%d,%%w%d;\n", i, VALUE + i);
    if (b->unit == 8) put(t, "mov.b64 %%q%d,{%%w%d,%%w%d};\n", i, VALUE + 2 * i, VALUE + 2 * i + 1);
  }
  put(t, "%s [%%x2,%s],", f->text, g->operands);
  put_registers(t, b, register_of(b), 0);
  put(t, ";\n");
  put_tail(t);
}

/* A thread alone, so that no two store to one place. */
static void try_store(const Form *f, const Geometry *g) {
  const Bytes form = access_of(f);
  const bool texels = has(f, "p");
  const SgTexel texel = sg_texel(SG_U32, texels ? (unsigned)form.count : 4);
  const int step = texels ? texel.bytes : form.unit * form.count, most = g->width * texel.bytes / step;
  Picture *p = picture_new(g, texel, SG_SURFACE, 1);
  uint32_t *in = device_memory(4 * IN_WORDS), *out = device_memory(4 * OUT_WORDS);
  uint8_t *memory = (uint8_t *)(uintptr_t)p->memory->base, *model = malloc(p->memory->size);
  Text t = {0};
  if (!model) exit(2);
  scribble(p);
  memcpy(model, memory, p->memory->size);
  put_store(&t, f, g, &form);
  for (int i = 0; i < 12 && all_right(); i++) {
    Bytes b = form;
    uint8_t value[16] = {0};
    choose_bytes(g, in, &b, step, most, has(f, "trap"));
    if (texels) in[AT] = (uint32_t)(b.x / step); /* x counts texels */
    for (int k = 0; k < form.count * (form.unit == 8 ? 2 : 1); k++)
      memcpy(value + k * (form.unit == 8 ? 4 : form.unit), &in[VALUE + k],
             (size_t)(form.unit == 8 ? 4 : form.unit));
    if (goes_to(f, g, &b, step, most))
      memcpy(model + (byte_at(p, &b) - memory), value, (size_t)form.unit * (size_t)form.count);
    const int code = run(t.p, in, out, p, 1);
    if (code) wrong("%s: code %d", f->text, code);
    if (memcmp(memory, model, p->memory->size) != 0)
      wrong("%s at %d, %d, %d: other bytes", f->text, b.x, b.y, b.z);
  }
  if (has(f, "trap")) {
    in[AT] = (uint32_t)(g->width * 16);
    if (run(t.p, in, out, p, 1) != SG_ILLEGAL_ADDRESS) wrong("%s: a store outside is none", f->text);
    if (memcmp(memory, model, p->memory->size) != 0) wrong("%s: stores outside", f->text);
  }
  free(model);
  free(t.p);
  device_free(in);
  device_free(out);
  picture_free(p);
}

bool surface(const Form *f) {
  const Geometry *g = geometry_of(f);
  if (!g) return false;
  begin(f->text);
  if (strcmp(f->op, "suld") == 0) {
    try_load(f, g, false);
    try_load(f, g, true);
  } else {
    try_store(f, g);
  }
  finish();
  return true;
}

/* --- txq and suq --- */

typedef struct Answer {
  const char *what;
  uint32_t flat, layered; /* of a picture of two dimensions, of one of one dimension with layers */
} Answer;

static const Answer answers[] = {{"width", 8, 8},
                                 {"height", 4, 0},
                                 {"depth", 0, 0},
                                 {"channel_data_type", 0x10de, 0x10de}, /* as OpenCL numbers them */
                                 {"channel_order", 0x10b5, 0x10b5},
                                 {"normalized_coords", 1, 1},
                                 {"array_size", 0, 3},
                                 {"num_mipmap_levels", 3, 3},
                                 {"num_samples", 0, 0},
                                 {"memory_layout", 0, 0},
                                 {"force_unnormalized_coords", 0, 0},
                                 {"filter_mode", 0, 0},
                                 {"addr_mode_0", 3, 3},
                                 {"addr_mode_1", 3, 3},
                                 {"addr_mode_2", 3, 3}};

static void try_query(const Form *f, const Geometry *g, uint32_t want) {
  const bool texture_query = strcmp(f->op, "txq") == 0, level = has(f, "level");
  Picture *p = picture_new(g, sg_texel(SG_F32, 4), texture_query ? SG_TEXTURE : SG_SURFACE,
                           texture_query ? LEVELS : 1);
  uint32_t *in = device_memory(4 * LANES * IN_WORDS), *out = device_memory(4 * LANES * OUT_WORDS);
  Text t = {0};
  p->image.sampler.normalised = true;
  put_head(&t);
  put(&t, "@%%g %s %%d0,[%%x2]%s;\n", f->text, level ? ",1" : "");
  put_tail(&t);
  const int code = run(t.p, in, out, p, LANES);
  if (code) wrong("%s: code %d", f->text, code);
  for (int i = 0; !code && i < LANES; i++) {
    const uint32_t here = i % 3 ? (level ? want / 2 : want) : UNTOUCHED;
    if (out[i * OUT_WORDS] != here)
      wrong("%s, thread %d: %u, expected %u", f->text, i, out[i * OUT_WORDS], here);
  }
  free(t.p);
  device_free(in);
  device_free(out);
  picture_free(p);
}

bool image_query(const Form *f) {
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    if (!has(f, answers[i].what)) continue;
    begin(f->text);
    try_query(f, &geometries[1], answers[i].flat);
    try_query(f, &geometries[3], answers[i].layered);
    finish();
    return true;
  }
  return false;
}
