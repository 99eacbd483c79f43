/* Sampling, by the rules of CUDA's programming guide (sampler.h).
 *
 * Whatever those leave open, and a measurement may change, stands in one small function each: rounding of
 * coordinates and weights (on_grid, split), of levels (levels_of), modes that need normalised coordinates
 * (mode_of), ties between the faces of a cube map (project). */
#include "machine/sampler.h"

#include <math.h>

enum { ONE = 256 }; /* weights are fractions with eight bits */

/* --- one axis --- */

/* Coordinates that are no numbers are 0; those far outside stay in the range of integers. */
static double tame(double v) { return isnan(v) ? 0 : v < -0x1p40 ? -0x1p40 : v > 0x1p40 ? 0x1p40 : v; }

/* Wrapping and mirroring need normalised coordinates, and are clamping without (measured on an H200). */
static SgAddress mode_of(const SgSampler *s, unsigned axis) {
  const SgAddress a = (SgAddress)s->address[axis];
  return !s->normalised && (a == SG_WRAP || a == SG_MIRROR) ? SG_CLAMP : a;
}

/* The coordinate in texels. */
static double in_texels(const SgSampler *s, unsigned axis, double v, uint32_t n) {
  if (!s->normalised) return tame(v);
  const SgAddress a = mode_of(s, axis);
  if (a != SG_WRAP && a != SG_MIRROR) return tame(v * n);
  const double whole = floor(v), part = v - whole;
  const bool back = a == SG_MIRROR && fmod(whole, 2) != 0;
  return tame((back ? 1 - part : part) * n);
}

/* The first of the two texels that the coordinate lies between the centres of, and the weight of the second
 * one, out of ONE. */
static int64_t split(double texels, unsigned *second) {
  const int64_t fixed = (int64_t)floor((texels - 0.5) * ONE + 0.5), first = fixed >> 8;
  *second = (unsigned)(fixed & (ONE - 1));
  return first;
}

static int64_t on_grid(double texels) { return (int64_t)floor(texels); }

enum { OUTSIDE = -1 };

static int64_t index_of(SgAddress a, int64_t i, uint32_t n) {
  if (i >= 0 && i < n) return i;
  if (a == SG_BORDER) return OUTSIDE;
  if (a == SG_WRAP) return (i % n + n) % n;
  return i < 0 ? 0 : n - 1; /* mirrored coordinates are inside, but for a texel's half */
}

typedef struct Axis {
  unsigned n;
  int64_t index[2]; /* or OUTSIDE */
  double weight[2];
} Axis;

static Axis along(const SgImage *m, unsigned axis, double v, uint32_t n, bool linear) {
  const SgAddress a = mode_of(&m->sampler, axis);
  const double texels = in_texels(&m->sampler, axis, v, n);
  if (!linear) return (Axis){1, {index_of(a, on_grid(texels), n)}, {1}};
  unsigned second;
  const int64_t first = split(texels, &second);
  Axis x = {2,
            {index_of(a, first, n), index_of(a, first + 1, n)},
            {(ONE - second) / (double)ONE, second / (double)ONE}};
  if (!second) x.n = 1;
  return x;
}

static const Axis only = {1, {0}, {1}};

static void add(SgTaps *out, unsigned level, int64_t x, int64_t y, int64_t z, double weight) {
  const bool border = x == OUTSIDE || y == OUTSIDE || z == OUTSIDE;
  if (out->n == SG_TAPS_MOST) return;
  out->tap[out->n++] = (SgTap){.border = border,
                               .level = (uint8_t)level,
                               .x = border ? 0 : (uint32_t)x,
                               .y = border ? 0 : (uint32_t)y,
                               .z = border ? 0 : (uint32_t)z,
                               .weight = weight};
}

static void combine(SgTaps *out, unsigned level, const Axis *x, const Axis *y, const Axis *z, double weight) {
  for (unsigned k = 0; k < z->n; k++)
    for (unsigned j = 0; j < y->n; j++)
      for (unsigned i = 0; i < x->n; i++)
        add(out, level, x->index[i], y->index[j], z->index[k],
            weight * x->weight[i] * y->weight[j] * z->weight[k]);
}

/* --- cube maps --- */

typedef struct OnFace {
  unsigned face;
  double s, t; /* from 0 to 1 */
} OnFace;

/* Whose the largest of the three is; of equal ones, the first. */
static unsigned major_axis(const double d[3]) {
  const double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* The axes along a face, as 1 + axis, negative where they run the other way: the guide's table. */
static const int8_t face_axes[6][2] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};

static double component(const double d[3], int8_t axis) { return axis < 0 ? -d[-axis - 1] : d[axis - 1]; }

static OnFace project(const double d[3]) {
  const unsigned axis = major_axis(d);
  const double most = fabs(d[axis]);
  const unsigned face = 2 * axis + (d[axis] < 0);
  if (!(most > 0)) return (OnFace){0, 0.5, 0.5};
  return (OnFace){face, (component(d, face_axes[face][0]) / most + 1) / 2,
                  (component(d, face_axes[face][1]) / most + 1) / 2};
}

/* The direction of a point of a face. */
static void direction(const OnFace *f, double d[3]) {
  d[f->face / 2] = f->face & 1 ? -1 : 1;
  for (unsigned i = 0; i < 2; i++) {
    const int8_t axis = face_axes[f->face][i];
    const double v = (i ? f->t : f->s) * 2 - 1;
    d[(axis < 0 ? -axis : axis) - 1] = axis < 0 ? -v : v;
  }
}

/* A texel beside a face's edge is one of the next face. */
static void add_across(SgTaps *out, unsigned level, unsigned cube, unsigned face, int64_t x, int64_t y,
                       uint32_t n, double weight) {
  double d[3];
  OnFace f = {face, ((double)x + 0.5) / n, ((double)y + 0.5) / n};
  if (x < 0 || x >= n || y < 0 || y >= n) {
    direction(&f, d);
    f = project(d);
  }
  add(out, level, on_grid(f.s * n), on_grid(f.t * n), 6 * cube + f.face, weight);
}

/* Seamless filtering. There is no texel beyond a corner: the three around it share its weight. */
static void cube_seamless(const SgImage *m, SgTaps *out, unsigned level, unsigned cube, const OnFace *f,
                          double weight) {
  const uint32_t n = m->level[level].width;
  unsigned wx, wy;
  const int64_t x0 = split(f->s * n, &wx), y0 = split(f->t * n, &wy);
  for (unsigned k = 0; k < 4; k++) {
    const int64_t x = x0 + (k & 1), y = y0 + (k >> 1);
    const double w = weight * (k & 1 ? wx : ONE - wx) * (k >> 1 ? wy : ONE - wy) / ((double)ONE * ONE);
    const bool beside_x = x < 0 || x >= n, beside_y = y < 0 || y >= n;
    const int64_t inner_x = x < 0 ? 0 : n - 1, inner_y = y < 0 ? 0 : n - 1;
    if (w == 0) continue;
    if (beside_x && beside_y) {
      add_across(out, level, cube, f->face, inner_x, inner_y, n, w / 3);
      add_across(out, level, cube, f->face, x, inner_y, n, w / 3);
      add_across(out, level, cube, f->face, inner_x, y, n, w / 3);
    } else {
      add_across(out, level, cube, f->face, x, y, n, w);
    }
  }
}

/* --- levels --- */

typedef struct Levels {
  unsigned n, level[2];
  double weight[2];
} Levels;

static Levels levels_of(const SgImage *m, double lod, bool linear) {
  const SgSampler *s = &m->sampler;
  const double last = m->levels - 1;
  double v = lod + s->bias;
  if (!(v > s->least)) v = s->least; /* what is no number, too */
  if (v > s->most) v = s->most;
  v = !(v > 0) ? 0 : v > last ? last : v;
  if (!linear) return (Levels){1, {(unsigned)floor(v + 0.5)}, {1}};
  const unsigned fixed = (unsigned)floor(v * ONE + 0.5), second = fixed % ONE;
  if (!second) return (Levels){1, {fixed / ONE}, {1}};
  return (Levels){2, {fixed / ONE, fixed / ONE + 1}, {(ONE - second) / (double)ONE, second / (double)ONE}};
}

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* A change of direction as a change of the place on the face. */
static void on_the_face(const double d[3], const double change[3], uint32_t n, double out[3]) {
  const unsigned axis = major_axis(d);
  const double most = fabs(d[axis]), grows = d[axis] < 0 ? -change[axis] : change[axis];
  const unsigned face = 2 * axis + (d[axis] < 0);
  for (unsigned i = 0; i < 2; i++) {
    const double v = component(d, face_axes[face][i]), dv = component(change, face_axes[face][i]);
    out[i] = most > 0 ? (dv * most - v * grows) / (most * most) / 2 * n : 0;
  }
  out[2] = 0;
}

/* The longer gradient, in texels of level 0, as OpenGL has it. */
static double gradient_level(const SgImage *m, const SgPoint *p) {
  const SgLevel *l = &m->level[0];
  const bool cube = m->shape == SG_CUBE || m->shape == SG_CUBE_LAYERS;
  const uint32_t n[3] = {l->width, l->height, l->depth};
  const unsigned axes = m->shape == SG_1D || m->shape == SG_1D_LAYERS ? 1 : m->shape == SG_3D ? 3 : 2;
  double x[3] = {0}, y[3] = {0};
  if (cube) {
    on_the_face(p->at, p->dx, l->width, x);
    on_the_face(p->at, p->dy, l->width, y);
  }
  for (unsigned i = 0; !cube && i < axes; i++) {
    const double scale = m->sampler.normalised ? n[i] : 1;
    x[i] = p->dx[i] * scale;
    y[i] = p->dy[i] * scale;
  }
  const double a = length(x), b = length(y);
  return log2(a > b ? a : b);
}

static Levels choose_levels(const SgImage *m, const SgPoint *p, bool filters) {
  const double lod = p->lod == SG_LOD_LEVEL ? p->level : p->lod == SG_LOD_GRADIENT ? gradient_level(m, p) : 0;
  return levels_of(m, lod, filters && m->sampler.mip_linear);
}

/* --- texture instructions --- */

/* The layers that a texture sees, and of these the nearest. */
static uint32_t layer_of(const SgImage *m, uint32_t layer) {
  return m->first_layer + (layer < m->layers ? layer : m->layers - 1);
}

static void sample_level(const SgImage *m, const SgPoint *p, unsigned level, bool linear, double weight,
                         SgTaps *out) {
  const SgLevel *l = &m->level[level];
  const uint32_t layer = layer_of(m, p->layer);
  Axis x = only, y = only, z = only;
  switch (m->shape) {
  case SG_1D_LAYERS: z.index[0] = layer; /* fall through */
  case SG_1D: x = along(m, 0, p->at[0], l->width, linear); break;
  case SG_2D_LAYERS: z.index[0] = layer; /* fall through */
  case SG_2D:
    x = along(m, 0, p->at[0], l->width, linear);
    y = along(m, 1, p->at[1], l->height, linear);
    break;
  case SG_3D:
    x = along(m, 0, p->at[0], l->width, linear);
    y = along(m, 1, p->at[1], l->height, linear);
    z = along(m, 2, p->at[2], l->depth, linear);
    break;
  case SG_CUBE:
  case SG_CUBE_LAYERS: {
    const double d[3] = {tame(p->at[0]), tame(p->at[1]), tame(p->at[2])};
    const OnFace f = project(d);
    const unsigned cube = m->shape == SG_CUBE ? 0 : layer;
    if (m->sampler.seamless && linear) {
      cube_seamless(m, out, level, cube, &f, weight);
      return;
    }
    SgImage flat = *m; /* places on a face are normalised, whatever the coordinates are */
    flat.sampler.normalised = true;
    if (m->sampler.seamless) flat.sampler.address[0] = flat.sampler.address[1] = SG_CLAMP;
    x = along(&flat, 0, f.s, l->width, linear);
    y = along(&flat, 1, f.t, l->height, linear);
    z.index[0] = 6 * cube + f.face;
    break;
  }
  case SG_LINEAR: break;
  }
  combine(out, level, &x, &y, &z, weight);
}

void sg_sample(const SgImage *m, const SgPoint *p, SgTaps *out) {
  const bool filters = !sg_texel_integral(m->texel, (SgReading){m->sampler.integers, m->sampler.srgb});
  const Levels levels = choose_levels(m, p, filters);
  out->n = 0;
  for (unsigned i = 0; i < levels.n; i++)
    sample_level(m, p, levels.level[i], filters && m->sampler.linear, levels.weight[i], out);
}

void sg_gather(const SgImage *m, const SgPoint *p, SgTaps *out) {
  static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const SgLevel *l = &m->level[0];
  const int64_t z = m->shape == SG_2D_LAYERS ? layer_of(m, p->layer) : 0;
  const SgAddress ax = mode_of(&m->sampler, 0), ay = mode_of(&m->sampler, 1);
  unsigned weight;
  const int64_t x0 = split(in_texels(&m->sampler, 0, p->at[0], l->width), &weight);
  const int64_t y0 = split(in_texels(&m->sampler, 1, p->at[1], l->height), &weight);
  out->n = 0;
  for (unsigned i = 0; i < 4; i++)
    add(out, 0, index_of(ax, x0 + order[i][0], l->width), index_of(ay, y0 + order[i][1], l->height), z, 1);
}

void sg_fetch(const SgImage *m, const int32_t at[3], uint32_t layer, int32_t level, SgTaps *out) {
  out->n = 0;
  if (level < 0 || level >= (int32_t)m->levels) return;
  const SgLevel *l = &m->level[level];
  const bool layers = m->shape == SG_1D_LAYERS || m->shape == SG_2D_LAYERS;
  const bool one = m->shape == SG_LINEAR || m->shape == SG_1D || m->shape == SG_1D_LAYERS;
  const int64_t y = one ? 0 : at[1], z = m->shape == SG_3D ? at[2] : layers ? (int64_t)layer_of(m, layer) : 0;
  if (at[0] < 0 || at[0] >= (int64_t)l->width || y < 0 || y >= l->height || z < 0 || z >= l->depth) return;
  add(out, (unsigned)level, at[0], y, z, 1);
}
