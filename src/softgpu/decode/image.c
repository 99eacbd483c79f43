/* Textures and surfaces. The operands of an instruction go to local memory, one OP_image reads them there
 * and leaves its results there, and these go to their registers (image_form.h): a straight line, each of
 * whose parts has the guard. Operands that only fill a vector up are not read. */
#include "decode/decode.h"

#include <string.h>

#include "decode/image_form.h"

bool dec_is_image(const PtxInst *in) {
  static const char *const names[] = {"tex", "tld4", "txq", "suld", "sust", "suq"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], in->op) == 0) return true;
  return false;
}

/* --- operands and results --- */

#define AT(d, field) ((d)->image_area + (uint32_t)offsetof(SgImageArgs, field))

static void keep(Decoder *d, uint32_t v, uint32_t at) {
  dec_store(d, v, NO_ROW, at, SP_LOCAL, d->width[v], true);
  d->ins[d->n - 1].traits |= TRAIT_OWN;
}

static void fetch(Decoder *d, uint32_t dst, uint32_t at, PtxType t) {
  dec_load(d, dst, NO_ROW, at, SP_LOCAL, t, true);
  d->ins[d->n - 1].traits |= TRAIT_OWN;
}

static void give(Decoder *d, const PtxOpnd *o, char letter, uint32_t at) {
  keep(d, dec_src(d, o, letter), at);
}

/* The handle: a register of 64 bits, or a reference of the module, which is memory that holds one. */
static const PtxOpnd *give_handle(Decoder *d, const PtxOpnd *o, PtxType reference) {
  if (o->kind != PTX_O_ADDR || !o->sym || o->imm || o->comp)
    dec_fail(d, "`%s` needs a texture or surface in brackets", d->at->form);
  if (o->sym->kind == PTX_SYM_REG) {
    PtxOpnd r = *o;
    r.kind = PTX_O_SYM;
    r.nsub = 0;
    give(d, &r, 'x', AT(d, handle));
    return o;
  }
  if (o->sym->type == reference && o->sym->space == PTX_PARAM)
    dec_unsupported(d, "references as parameters are not supported");
  if (o->sym->type != reference || o->sym->space != PTX_GLOBAL)
    dec_fail(d, "%s is not a reference that `%s` takes", o->sym->name, d->at->form);
  const uint32_t v = dec_temp(d, 8);
  dec_load(d, v, NO_ROW, (int64_t)dec_var_address(d, o->sym), SP_GLOBAL, PTX_B64, true);
  d->ins[d->n - 1].traits |= TRAIT_OWN;
  keep(d, v, AT(d, handle));
  return o;
}

/* The vector has the operands that are needed first; ptxas takes longer ones. */
static bool is_vector(const PtxOpnd *o, uint32_t count) {
  return o->kind == PTX_O_VEC && o->nsub >= count && (o->nsub == 1 || o->nsub == 2 || o->nsub == 4);
}

/* Element i of the one vector behind the handle; a single operand will do for one of one. */
static const PtxOpnd *coordinate(Decoder *d, const PtxOpnd *address, uint32_t count, uint32_t i) {
  if (address->nsub > 1) dec_unsupported(d, "samplers of their own are not supported");
  const PtxOpnd *c = address->nsub ? address->sub : NULL;
  if (c && c->kind != PTX_O_VEC && count == 1) return c;
  if (!c || !is_vector(c, count))
    dec_fail(d, "`%s` needs %u coordinate%s in braces", d->at->form, count, count > 1 ? "s" : "");
  return &c->sub[i];
}

typedef struct Geometry {
  const char *name;
  uint8_t shape;      /* SgShape */
  uint8_t dimensions; /* coordinates, without the layer */
  bool layer;
  uint8_t operands; /* of the vector, those included that fill it up */
} Geometry;

static const Geometry geometries[] = {{"1d", SG_1D, 1, false, 1},           {"2d", SG_2D, 2, false, 2},
                                      {"3d", SG_3D, 3, false, 4},           {"a1d", SG_1D_LAYERS, 1, true, 2},
                                      {"a2d", SG_2D_LAYERS, 2, true, 4},    {"cube", SG_CUBE, 3, false, 4},
                                      {"acube", SG_CUBE_LAYERS, 3, true, 4}};

static const Geometry *geometry(Decoder *d) {
  for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
    if (dec_mod(d, geometries[i].name)) return &geometries[i];
  dec_unsupported(d, NULL);
}

static void give_coordinates(Decoder *d, const PtxOpnd *address, const Geometry *g, char letter) {
  if (g->layer) give(d, coordinate(d, address, g->operands, 0), 'w', AT(d, layer));
  for (uint32_t i = 0; i < g->dimensions; i++)
    give(d, coordinate(d, address, g->operands, i + g->layer), letter, AT(d, at) + 4 * i);
}

/* Gradients of two dimensions come in pairs, those of three with a fourth one that fills up. */
static void give_gradient(Decoder *d, const PtxOpnd *o, const Geometry *g, uint32_t at) {
  const uint32_t count = g->dimensions == 3 ? 4 : g->dimensions;
  if (o->kind != PTX_O_VEC && count == 1) {
    give(d, o, 'f', at);
    return;
  }
  if (o->kind != PTX_O_VEC || o->nsub != count)
    dec_fail(d, "`%s` needs gradients of %u elements in braces", d->at->form, count);
  for (uint32_t i = 0; i < g->dimensions; i++) give(d, &o->sub[i], 'f', at + 4 * i);
}

static void emit(Decoder *d, const SgImageForm *f) {
  Ins *in = dec_emit(d, OP_image, NO_ROW, NO_ROW, NO_ROW, NO_ROW);
  in->kind = K_MEM;
  in->sub = SP_LOCAL;
  in->target = d->image_area;
  memcpy(&in->imm, f, sizeof in->imm);
  _Static_assert(sizeof *f == sizeof in->imm, "a form is an Ins.imm");
  if (f->does == SG_STORE_BYTES || f->does == SG_STORE_TEXEL) {
    in->flags |= INS_STORE;
    d->k->stores_images = true;
  } else if (f->does == SG_SAMPLE || f->does == SG_GATHER) {
    d->k->reads_textures = true;
  }
}

/* --- tex and tld4 --- */

/* The vector of results; behind a | a predicate, which says that the texels are resident: they always are. */
static const PtxOpnd *results(Decoder *d, uint32_t count, const PtxOpnd **resident) {
  const PtxOpnd *to = dec_opnd(d, 0);
  *resident = NULL;
  if (to->kind == PTX_O_PAIR) {
    *resident = &to->sub[1];
    to = &to->sub[0];
  }
  if (to->kind != PTX_O_VEC || to->nsub != count)
    dec_fail(d, "`%s` needs a vector of %u registers for its results", d->at->form, count);
  return to->sub;
}

static void take_results(Decoder *d, const PtxOpnd *to, uint32_t count, PtxType t, const PtxOpnd *resident) {
  for (uint32_t i = 0; i < count; i++)
    if (to[i].kind != PTX_O_SINK)
      fetch(d, dec_dst(d, &to[i], t == PTX_B16 ? 'h' : 'w'), AT(d, result) + 4 * i, t);
  if (resident && resident->kind != PTX_O_SINK)
    dec_move(d, dec_dst(d, resident, 'p'), dec_const(d, 1, 1), true);
}

/* What stands behind the operands that every form has: offsets in texels, a value to compare with. */
static void count_operands(Decoder *d, uint32_t n) {
  if (d->at->nopnd > n) dec_unsupported(d, "offsets and comparisons are not supported");
  dec_count(d, n, n);
}

/* tex{.base|.level|.grad}.geometry.v4.type.ctype d{|p}, [texture, {c}]{, lod}{, dx, dy} */
void dec_tex(Decoder *d) {
  const PtxType t = dec_type(d, 1);
  const bool pairs = t == PTX_F16X2;
  const char letter = dec_type(d, 0) == PTX_F32 ? 'f' : 'w';
  const Geometry *g = geometry(d);
  const SgImageForm f = {.does = SG_SAMPLE,
                         .shape = g->shape,
                         .lod = dec_mod(d, "base")    ? SG_LOD_BASE
                                : dec_mod(d, "level") ? SG_LOD_LEVEL
                                : dec_mod(d, "grad")  ? SG_LOD_GRADIENT
                                                      : SG_LOD_NONE,
                         .half = pairs ? 2 : t == PTX_F16,
                         .texels = letter == 'w'};
  const PtxOpnd *resident, *to = results(d, pairs ? 2 : 4, &resident);
  const PtxOpnd *address = give_handle(d, dec_opnd(d, 1), PTX_TEXREF);
  give_coordinates(d, address, g, letter);
  count_operands(d, f.lod == SG_LOD_LEVEL ? 3 : f.lod == SG_LOD_GRADIENT ? 4 : 2);
  if (f.lod == SG_LOD_LEVEL) give(d, dec_opnd(d, 2), letter, AT(d, lod));
  if (f.lod == SG_LOD_GRADIENT) {
    give_gradient(d, dec_opnd(d, 2), g, AT(d, dx));
    give_gradient(d, dec_opnd(d, 3), g, AT(d, dy));
  }
  emit(d, &f);
  take_results(d, to, pairs ? 2 : 4, t == PTX_F16 ? PTX_B16 : PTX_B32, resident);
}

/* tld4.component.geometry.v4.type.f32 d{|p}, [texture, {c}] */
void dec_tld4(Decoder *d) {
  static const char *const components[] = {"r", "g", "b", "a"};
  const Geometry *g = geometry(d);
  SgImageForm f = {.does = SG_GATHER, .shape = g->shape};
  for (uint8_t i = 0; i < 4; i++)
    if (dec_mod(d, components[i])) f.choice = i;
  const PtxOpnd *resident, *to = results(d, 4, &resident);
  give_coordinates(d, give_handle(d, dec_opnd(d, 1), PTX_TEXREF), g, 'f');
  count_operands(d, 2);
  emit(d, &f);
  take_results(d, to, 4, PTX_B32, resident);
}

/* --- suld and sust --- */

static SgImageForm access_form(Decoder *d, SgImageDoes does, const Geometry *g, PtxType t) {
  return (SgImageForm){.does = (uint8_t)does,
                       .shape = g->shape,
                       .texels = true,
                       .bytes = (uint8_t)ptx_type_size(t),
                       .count = dec_mod(d, "v4")   ? 4
                                : dec_mod(d, "v2") ? 2
                                                   : 1,
                       .choice = dec_mod(d, "clamp")  ? SG_CLAMPED
                                 : dec_mod(d, "zero") ? SG_ZERO
                                                      : SG_TRAP};
}

static PtxType access_type(Decoder *d) {
  for (uint32_t i = 0; i < d->at->nmods; i++)
    if (ptx_type_by_name(d->at->mods[i]) != PTX_T_NONE) return ptx_type_by_name(d->at->mods[i]);
  dec_unsupported(d, NULL);
}

static const PtxOpnd *elements(Decoder *d, const PtxOpnd *o, uint32_t count) {
  if (o->kind == PTX_O_VEC && o->nsub == count) return o->sub;
  if (o->kind == PTX_O_VEC || count > 1)
    dec_fail(d, "`%s` needs a vector of %u registers", d->at->form, count);
  return o;
}

/* A register that has room for the element; those of bytes and halves may be wider. */
static uint32_t element(Decoder *d, const PtxOpnd *o, uint32_t bytes) {
  const uint32_t v = dec_reg(d, o);
  if (d->width[v] < bytes || o->sym->type == PTX_PRED)
    dec_fail(d, "%s does not fit `%s`", o->sym->name, d->at->form);
  return v;
}

/* suld.b.geometry{.cop}{.vec}.type.outside d, [surface, {c}] */
void dec_suld(Decoder *d) {
  const PtxType t = access_type(d);
  const Geometry *g = geometry(d);
  const SgImageForm f = access_form(d, SG_LOAD_BYTES, g, t);
  dec_count(d, 2, 2);
  const PtxOpnd *to = elements(d, dec_opnd(d, 0), f.count);
  give_coordinates(d, give_handle(d, dec_opnd(d, 1), PTX_SURFREF), g, 'w');
  emit(d, &f);
  for (uint32_t i = 0; i < f.count; i++)
    if (to[i].kind != PTX_O_SINK) fetch(d, element(d, &to[i], f.bytes), AT(d, result) + f.bytes * i, t);
}

static void give_element(Decoder *d, const PtxOpnd *o, uint32_t bytes, uint32_t at) {
  const bool reg = o->kind == PTX_O_SYM && o->sym && o->sym->kind == PTX_SYM_REG;
  const uint32_t v = reg ? element(d, o, bytes) : dec_src(d, o, bytes == 8 ? 'x' : bytes == 4 ? 'w' : 'h');
  dec_store(d, v, NO_ROW, at, SP_LOCAL, bytes, true);
  d->ins[d->n - 1].traits |= TRAIT_OWN;
}

/* sust.b|p.geometry{.cop}{.vec}.type.outside [surface, {c}], value */
void dec_sust(Decoder *d) {
  const PtxType t = access_type(d);
  const Geometry *g = geometry(d);
  const SgImageForm f = access_form(d, dec_mod(d, "p") ? SG_STORE_TEXEL : SG_STORE_BYTES, g, t);
  dec_count(d, 2, 2);
  const PtxOpnd *from = elements(d, dec_opnd(d, 1), f.count);
  give_coordinates(d, give_handle(d, dec_opnd(d, 0), PTX_SURFREF), g, 'w');
  for (uint32_t i = 0; i < f.count; i++) give_element(d, &from[i], f.bytes, AT(d, value) + f.bytes * i);
  emit(d, &f);
}

/* --- txq and suq --- */

static uint8_t question(Decoder *d) {
  static const char *const names[] = {[SG_ASK_WIDTH] = "width",
                                      [SG_ASK_HEIGHT] = "height",
                                      [SG_ASK_DEPTH] = "depth",
                                      [SG_ASK_DATA_TYPE] = "channel_data_type",
                                      [SG_ASK_ORDER] = "channel_order",
                                      [SG_ASK_NORMALISED] = "normalized_coords",
                                      [SG_ASK_LAYERS] = "array_size",
                                      [SG_ASK_LEVELS] = "num_mipmap_levels",
                                      [SG_ASK_SAMPLES] = "num_samples",
                                      [SG_ASK_LAYOUT] = "memory_layout",
                                      [SG_ASK_FORCED] = "force_unnormalized_coords",
                                      [SG_ASK_FILTER] = "filter_mode",
                                      [SG_ASK_ADDRESS] = "addr_mode_0",
                                      [SG_ASK_ADDRESS + 1] = "addr_mode_1",
                                      [SG_ASK_ADDRESS + 2] = "addr_mode_2"};
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
    if (dec_mod(d, names[i])) return (uint8_t)i;
  dec_unsupported(d, NULL);
}

static void ask(Decoder *d, SgImageDoes does, PtxType reference, bool level) {
  const SgImageForm f = {.does = (uint8_t)does,
                         .lod = level ? SG_LOD_LEVEL : SG_LOD_NONE,
                         .texels = true,
                         .choice = question(d)};
  dec_count(d, 2 + level, 2 + level);
  give_handle(d, dec_opnd(d, 1), reference);
  if (level) give(d, dec_opnd(d, 2), 'w', AT(d, lod));
  emit(d, &f);
  fetch(d, dec_dst(d, dec_opnd(d, 0), 'w'), AT(d, result), PTX_B32);
}

/* txq{.level}.what.b32 d, [texture]{, level} */
void dec_txq(Decoder *d) { ask(d, SG_ASK_TEXTURE, PTX_TEXREF, dec_mod(d, "level")); }

/* suq.what.b32 d, [surface] */
void dec_suq(Decoder *d) { ask(d, SG_ASK_SURFACE, PTX_SURFREF, false); }
