/* Sampling (sampler.h): the rules of CUDA's programming guide, and where those leave a rounding or a tie
 * open, what an NVIDIA H200 did, measured on 2026-11-24 (spec/data/textures/probe.txt). All arithmetic of
 * places and weights is in integers, as it is there. */
#include "machine/sampler.h"

#include <math.h>
#include <stdlib.h>

enum {
  ONE = 256,      /* of weights and levels: fractions of eight bits */
  PLACE_BITS = 21 /* of the fraction of a coordinate */
};

/* --- one axis --- */

static bool is_subnormal(double v) { return fabs(v) < 0x1p-126; }

/* Coordinates that are no numbers, or subnormal, are 0. Floats from 2^24 on are even integers, so that far
 * outside all of them are the same place: also of a mirrored axis. */
static double tame(double v) {
  if (isnan(v) || is_subnormal(v)) return 0;
  return v < -0x1p24 ? -0x1p24 : v > 0x1p24 ? 0x1p24 : v;
}

/* Wrapping and mirroring need normalised coordinates, and are clamping without. */
static SgAddress mode_of(const SgSampler *s, unsigned axis) {
  const SgAddress a = (SgAddress)s->address[axis];
  return !s->normalised && (a == SG_WRAP || a == SG_MIRROR) ? SG_CLAMP : a;
}

/* The place in texels, with PLACE_BITS of a fraction. A normalised coordinate is cut to its fraction before
 * it is multiplied: 0.2f of 5 texels is just below 1. */
static int64_t place_of(bool normalised, double v, uint32_t n) {
  return (int64_t)floor(tame(v) * (1 << PLACE_BITS)) * (normalised ? n : 1);
}

static int64_t texel_at(int64_t place) { return place >> PLACE_BITS; }

/* The place less half a texel in steps of 1 / ONE, to the nearest, halves up: the first of the two texels
 * that the place lies between the centres of, and the weight of the second. */
static int64_t between(int64_t place) {
  const int64_t half_texel = (int64_t)1 << (PLACE_BITS - 1), half_step = half_texel / ONE;
  return (place - half_texel + half_step) >> (PLACE_BITS - 8);
}

enum { OUTSIDE = -1 };

/* Mirrored axes are mirrored by texels: an edge belongs to the same texel from both sides. */
static int64_t index_of(SgAddress a, int64_t i, uint32_t n) {
  if (i >= 0 && i < n) return i;
  if (a == SG_BORDER) return OUTSIDE;
  if (a == SG_WRAP) return (i % n + n) % n;
  if (a == SG_MIRROR) {
    const int64_t period = 2 * (int64_t)n, k = (i % period + period) % period;
    return k < n ? k : period - 1 - k;
  }
  return i < 0 ? 0 : n - 1;
}

typedef struct Axis {
  int64_t index[2]; /* or OUTSIDE */
  unsigned second;  /* the weight of the second one, less than ONE */
} Axis;

static Axis along(SgAddress a, int64_t place, uint32_t n, bool linear) {
  if (!linear) return (Axis){{index_of(a, texel_at(place), n)}, 0};
  int64_t at = between(place);
  const int64_t most = ((int64_t)n - 1) * ONE;
  if (a == SG_CLAMP) at = at < 0 ? 0 : at > most ? most : at; /* so the outer texel has all the weight */
  return (Axis){{index_of(a, at >> 8, n), index_of(a, (at >> 8) + 1, n)}, (unsigned)(at & (ONE - 1))};
}

static Axis axis_of(const SgSampler *s, unsigned axis, double v, uint32_t n, bool linear) {
  return along(mode_of(s, axis), place_of(s->normalised, v, n), n, linear);
}

/* A texture of one axis is one of two axes and height 1, read at y = 0, so at the edge of its only row. With
 * a border on the second axis half of the weight is the border's. */
static Axis only_row(const SgSampler *s, bool linear) { return axis_of(s, 1, 0, 1, linear); }

static Axis at_layer(int64_t layer) { return (Axis){{layer}, 0}; }

/* --- weights --- */

/* What the second of two gets of a weight, to the nearest: halves up, or down. The first gets the rest. */
static unsigned part_up(unsigned weight, unsigned second) { return (weight * second + ONE / 2) / ONE; }
static unsigned part_down(unsigned weight, unsigned second) { return (weight * second + ONE / 2 - 1) / ONE; }

/* A weight shared by four texels, w[y][x]: by x first. It is eight bits wide after each step. */
static void share(unsigned weight, unsigned x, unsigned y, unsigned w[2][2]) {
  const unsigned right = part_up(weight, x), left = weight - right;
  w[1][0] = part_down(left, y);
  w[1][1] = part_up(right, y);
  w[0][0] = left - w[1][0];
  w[0][1] = right - w[1][1];
}

static void add(SgTaps *out, unsigned level, int64_t x, int64_t y, int64_t z, unsigned weight) {
  const bool border = x == OUTSIDE || y == OUTSIDE || z == OUTSIDE;
  if (!weight || out->n == SG_TAPS_MOST) return;
  out->tap[out->n++] = (SgTap){.border = border,
                               .level = (uint8_t)level,
                               .x = border ? 0 : (uint32_t)x,
                               .y = border ? 0 : (uint32_t)y,
                               .z = border ? 0 : (uint32_t)z,
                               .weight = (uint16_t)weight};
}

/* The slices get their weight before the texels in them. */
static void combine(SgTaps *out, unsigned level, const Axis *x, const Axis *y, const Axis *z,
                    unsigned weight) {
  const unsigned behind = part_up(weight, z->second), slice[2] = {weight - behind, behind};
  for (unsigned k = 0; k < 2; k++) {
    if (!slice[k]) continue;
    unsigned w[2][2];
    share(slice[k], x->second, y->second, w);
    for (unsigned j = 0; j < 2; j++)
      for (unsigned i = 0; i < 2; i++) add(out, level, x->index[i], y->index[j], z->index[k], w[j][i]);
  }
}

/* --- cube maps --- */

typedef struct OnFace {
  unsigned face;
  double s, t; /* from 0 to 1 */
} OnFace;

/* A direction's size for finding its face: what is no number is less than 0. */
static double size_of(double v) { return isnan(v) ? -1 : fabs(v); }

/* Whose the largest of the three is: of equal ones, the last. */
static unsigned major_axis(const double d[3]) {
  const double x = size_of(d[0]), y = size_of(d[1]), z = size_of(d[2]);
  return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

/* The direction over its largest component, in floats. A largest one that is subnormal has the reciprocal
 * infinity, and one whose reciprocal is subnormal has 0. */
static void scale_direction(const double d[3], double out[3]) {
  const double most = fabs(d[major_axis(d)]);
  const float by = most < 0x1p-126 ? INFINITY : most > 0x1p126 ? 0 : 1 / (float)most;
  for (unsigned i = 0; i < 3; i++) {
    const float v = (float)d[i] * by;
    out[i] = is_subnormal(v) ? 0 : v;
  }
}

/* The axes along a face, as 1 + axis, negative where they run the other way: the guide's table. */
static const int8_t face_axes[6][2] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};

static double component(const double d[3], int8_t axis) { return axis < 0 ? -d[-axis - 1] : d[axis - 1]; }

/* From 0 to 1 along a face, cut to a coordinate's digits: just below the middle is below it. */
static double along_face(double v, double most) {
  const double half = 1 << (PLACE_BITS - 1);
  return (floor(v / most * half) / half + 1) / 2;
}

static OnFace project(const double d[3]) {
  const unsigned axis = major_axis(d);
  const double known[3] = {tame(d[0]), tame(d[1]), tame(d[2])}, most = fabs(known[axis]);
  const unsigned face = 2 * axis + (known[axis] < 0);
  if (!(most > 0)) return (OnFace){face, 0.5, 0.5};
  return (OnFace){face, along_face(component(known, face_axes[face][0]), most),
                  along_face(component(known, face_axes[face][1]), most)};
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
                       uint32_t n, unsigned weight) {
  double d[3];
  OnFace f = {face, ((double)x + 0.5) / n, ((double)y + 0.5) / n};
  if (x < 0 || x >= n || y < 0 || y >= n) {
    direction(&f, d);
    f = project(d);
  }
  add(out, level, (int64_t)floor(f.s * n), (int64_t)floor(f.t * n), 6 * cube + f.face, weight);
}

/* There is no texel beyond a corner: the three around it share its weight. Those of the other faces get the
 * nearest to a third, the face's own the rest. */
static void add_corner(SgTaps *out, unsigned level, unsigned cube, unsigned face, int64_t x, int64_t y,
                       uint32_t n, unsigned weight) {
  const int64_t inner_x = x < 0 ? 0 : n - 1, inner_y = y < 0 ? 0 : n - 1;
  const unsigned third = (weight + 1) / 3;
  add_across(out, level, cube, face, inner_x, inner_y, n, weight - 2 * third);
  add_across(out, level, cube, face, x, inner_y, n, third);
  add_across(out, level, cube, face, inner_x, y, n, third);
}

static void cube_seamless(const SgImage *m, SgTaps *out, unsigned level, unsigned cube, const OnFace *f,
                          unsigned weight) {
  const uint32_t n = m->level[level].width;
  const int64_t at_x = between(place_of(true, f->s, n)), at_y = between(place_of(true, f->t, n));
  unsigned w[2][2];
  share(weight, (unsigned)(at_x & (ONE - 1)), (unsigned)(at_y & (ONE - 1)), w);
  for (unsigned k = 0; k < 4; k++) {
    const int64_t x = (at_x >> 8) + (k & 1), y = (at_y >> 8) + (k >> 1);
    const bool beside_x = x < 0 || x >= n, beside_y = y < 0 || y >= n;
    (beside_x && beside_y ? add_corner : add_across)(out, level, cube, f->face, x, y, n, w[k >> 1][k & 1]);
  }
}

/* --- levels --- */

typedef struct Levels {
  unsigned n, level[2], weight[2];
} Levels;

/* A level in steps of 1 / ONE. Levels are cut down to them, biases towards 0. */
enum { FAR = 1 << 20 };

static int64_t limit(int64_t v, int64_t least, int64_t most) {
  return v < least ? least : v > most ? most : v;
}

static int64_t level_steps(double v) {
  return isnan(v) ? 0 : v < -FAR ? -FAR * ONE : v > FAR ? FAR * ONE : (int64_t)floor(v * ONE);
}

static Levels levels_of(const SgImage *m, int64_t lod, bool linear) {
  const SgSampler *s = &m->sampler;
  int64_t v = limit(lod, level_steps(s->least), level_steps(s->most));
  v = limit(v, 0, (int64_t)(m->levels - 1) * ONE);
  if (!linear) return (Levels){1, {(unsigned)(v + ONE / 2) / ONE}, {ONE}};
  const unsigned first = (unsigned)v / ONE, second = (unsigned)v % ONE;
  return (Levels){second ? 2 : 1, {first, first + 1}, {ONE - second, second}};
}

/* A component of a gradient, and a sum of two: ten digits, the rest cut off. */
static double ten_digits(double v) {
  int exponent;
  const double digits = frexp(v, &exponent);
  return isfinite(v) ? ldexp(trunc(digits * 1024), exponent - 10) : v;
}

/* The length of a gradient, nearly: the largest component and 11/32 of the others. */
static double length(const double v[3]) {
  const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]), most = fmax(x, fmax(y, z));
  return most + (x + y + z - most) * 11 / 32;
}

/* The longest axis of the ellipse that the two gradients span, nearly: the longest of both and of their
 * diagonals, these times 11/16 for the square root of a half. Without diagonals where they are not on one
 * face of a cube. */
static double longest(const double x[3], const double y[3], bool diagonals) {
  double a[3], b[3], sum[3], difference[3];
  for (unsigned i = 0; i < 3; i++) {
    a[i] = ten_digits(x[i]);
    b[i] = ten_digits(y[i]);
    sum[i] = ten_digits(a[i] + b[i]);
    difference[i] = ten_digits(a[i] - b[i]);
  }
  const double sides = fmax(length(a), length(b));
  return diagonals ? fmax(sides, fmax(length(sum), length(difference)) * 11 / 16) : sides;
}

/* Its logarithm in steps of 1 / ONE, by the first eight digits after the leading one. What was measured is a
 * table of 256 entries, which this formula meets but for five that it has one step lower. */
static int64_t logarithm(double v) {
  if (!(v > 0)) return -FAR * ONE;
  if (isinf(v)) return FAR * ONE;
  int exponent;
  const double digits = floor(frexp(v, &exponent) * 512), middle = digits == 256 ? 0 : 0.45;
  return (int64_t)(exponent - 1) * ONE + (int64_t)floor(log2((digits + middle) / 256) * ONE + 0.5);
}

/* How far a change of direction moves the place on the face, in texels: to where the changed direction is,
 * not along the tangent. Beyond an edge that is on the next face, unfolded into the plane of this one. Gives
 * whether it is on this face. */
static bool on_the_face(const double d[3], const double change[3], uint32_t n, double out[3]) {
  const double e[3] = {d[0] + change[0], d[1] + change[1], d[2] + change[2]};
  const unsigned axis = major_axis(d), there = major_axis(e), face = 2 * axis + (d[axis] < 0);
  const double from = fabs(d[axis]), to = fabs(e[there]), ahead = d[axis] < 0 ? -e[axis] : e[axis];
  out[0] = out[1] = out[2] = 0;
  if (!(from > 0) || !(to > 0)) return true;
  for (unsigned i = 0; i < 2; i++) {
    const int8_t along = face_axes[face][i];
    const double v = component(e, along);
    const bool beyond = there != axis && (unsigned)abs(along) - 1 == there;
    out[i] = ((beyond ? copysign(2 - ahead / to, v) : v / to) - component(d, along) / from) / 2 * n;
  }
  return there == axis && ahead > 0;
}

/* The level at which the gradients, in texels of level 0, are about a texel. */
static int64_t gradient_level(const SgImage *m, const SgPoint *p) {
  const SgLevel *l = &m->level[0];
  const bool cube = m->shape == SG_CUBE || m->shape == SG_CUBE_LAYERS;
  const uint32_t n[3] = {l->width, l->height, l->depth};
  const unsigned axes = m->shape == SG_1D || m->shape == SG_1D_LAYERS ? 1 : m->shape == SG_3D ? 3 : 2;
  double x[3] = {0}, y[3] = {0};
  bool one_face = true;
  if (cube) {
    one_face = on_the_face(p->at, p->dx, l->width, x);
    one_face = on_the_face(p->at, p->dy, l->width, y) && one_face;
  }
  for (unsigned i = 0; !cube && i < axes; i++) {
    const double scale = m->sampler.normalised ? n[i] : 1;
    x[i] = p->dx[i] * scale;
    y[i] = p->dy[i] * scale;
  }
  return logarithm(longest(x, y, one_face));
}

/* The bias is for levels that the instruction gives: without one it reads level 0, or the least. */
static Levels choose_levels(const SgImage *m, const SgPoint *p, bool filters) {
  const double b = m->sampler.bias;
  const int64_t bias = b < 0 ? -level_steps(-b) : level_steps(b);
  const int64_t lod = p->lod == SG_LOD_LEVEL      ? level_steps(p->level) + bias
                      : p->lod == SG_LOD_GRADIENT ? gradient_level(m, p) + bias
                                                  : 0;
  return levels_of(m, lod, filters && m->sampler.mip_linear);
}

/* --- texture instructions --- */

/* The layers that a texture sees, and of these the nearest. */
static uint32_t layer_of(const SgImage *m, uint32_t layer) {
  return m->first_layer + (layer < m->layers ? layer : m->layers - 1);
}

/* Places on a face are normalised, whatever the coordinates are. */
static void sample_cube(const SgImage *m, const SgPoint *p, unsigned level, bool linear, unsigned weight,
                        SgTaps *out) {
  const unsigned cube = m->shape == SG_CUBE ? 0 : layer_of(m, p->layer);
  const bool seamless = m->sampler.seamless;
  const uint32_t n = m->level[level].width;
  double d[3];
  scale_direction(p->at, d);
  const OnFace f = project(d);
  if (seamless && linear) {
    cube_seamless(m, out, level, cube, &f, weight);
    return;
  }
  const SgAddress mode_x = seamless ? SG_CLAMP : (SgAddress)m->sampler.address[0];
  const SgAddress mode_y = seamless ? SG_CLAMP : (SgAddress)m->sampler.address[1];
  const Axis x = along(mode_x, place_of(true, f.s, n), n, linear);
  const Axis y = along(mode_y, place_of(true, f.t, n), n, linear), z = at_layer(6 * cube + f.face);
  combine(out, level, &x, &y, &z, weight);
}

static void sample_level(const SgImage *m, const SgPoint *p, unsigned level, bool linear, unsigned weight,
                         SgTaps *out) {
  const SgLevel *l = &m->level[level];
  const SgSampler *s = &m->sampler;
  Axis x, y, z = at_layer(0);
  switch (m->shape) {
  case SG_1D_LAYERS: z = at_layer(layer_of(m, p->layer)); /* fall through */
  case SG_1D:
    x = axis_of(s, 0, p->at[0], l->width, linear);
    y = only_row(s, linear);
    break;
  case SG_2D_LAYERS: z = at_layer(layer_of(m, p->layer)); /* fall through */
  case SG_2D:
    x = axis_of(s, 0, p->at[0], l->width, linear);
    y = axis_of(s, 1, p->at[1], l->height, linear);
    break;
  case SG_3D:
    x = axis_of(s, 0, p->at[0], l->width, linear);
    y = axis_of(s, 1, p->at[1], l->height, linear);
    z = axis_of(s, 2, p->at[2], l->depth, linear);
    break;
  case SG_CUBE:
  case SG_CUBE_LAYERS: sample_cube(m, p, level, linear, weight, out); return;
  default: return; /* linear memory is fetched alone */
  }
  combine(out, level, &x, &y, &z, weight);
}

void sg_sample(const SgImage *m, const SgPoint *p, SgTaps *out) {
  const bool filters = !sg_texel_integral(m->texel, (SgReading){m->sampler.integers, m->sampler.srgb});
  const Levels levels = choose_levels(m, p, filters);
  out->n = 0;
  out->blended = filters && (m->sampler.linear || levels.n > 1);
  for (unsigned i = 0; i < levels.n; i++)
    sample_level(m, p, levels.level[i], filters && m->sampler.linear, levels.weight[i], out);
}

void sg_gather(const SgImage *m, const SgPoint *p, SgTaps *out) {
  static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  const SgLevel *l = &m->level[0];
  const SgSampler *s = &m->sampler;
  const int64_t z = m->shape == SG_2D_LAYERS ? layer_of(m, p->layer) : 0;
  const SgAddress ax = mode_of(s, 0), ay = mode_of(s, 1);
  const int64_t x = between(place_of(s->normalised, p->at[0], l->width)) >> 8;
  const int64_t y = between(place_of(s->normalised, p->at[1], l->height)) >> 8;
  out->n = 0;
  out->blended = false;
  for (unsigned i = 0; i < 4; i++)
    add(out, 0, index_of(ax, x + order[i][0], l->width), index_of(ay, y + order[i][1], l->height), z, ONE);
}

void sg_fetch(const SgImage *m, const int32_t at[3], uint32_t layer, int32_t level, SgTaps *out) {
  out->n = 0;
  out->blended = false;
  if (level < 0 || level >= (int32_t)m->levels) return;
  const SgLevel *l = &m->level[level];
  const bool layers = m->shape == SG_1D_LAYERS || m->shape == SG_2D_LAYERS;
  const bool one = m->shape == SG_LINEAR || m->shape == SG_1D || m->shape == SG_1D_LAYERS;
  const int64_t y = one ? 0 : at[1], z = m->shape == SG_3D ? at[2] : layers ? (int64_t)layer_of(m, layer) : 0;
  if (at[0] < 0 || at[0] >= (int64_t)l->width || y < 0 || y >= l->height || z < 0 || z >= l->depth) return;
  add(out, (unsigned)level, at[0], y, z, ONE);
}
