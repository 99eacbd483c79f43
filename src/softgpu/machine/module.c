/* Modules: parse, place and fill the variables, decode the kernels, look names up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/choose_isa.h"
#include "decode/decode.h"
#include "machine/gang.h"
#include "machine/float.h"

enum { MISSING = SG_NOT_SUPPORTED };

const SgKernelInfo *sg_kernel_info(const SgKernel *k) { return &k->info; }
const char *sg_kernel_missing(const SgKernel *k) { return k->missing; }
uint32_t sg_module_nkernels(const SgModule *m) { return m->nkernels; }
SgKernel *sg_module_kernel_at(const SgModule *m, uint32_t i) {
  return i < m->nkernels ? m->kernels[i] : NULL;
}

void sg_module_limit(SgModule *m, uint32_t registers, uint32_t threads, bool override) {
  for (uint32_t i = 0; i < m->nkernels; i++) {
    SgKernelInfo *k = &m->kernels[i]->info;
    if (registers && registers < k->num_regs) k->num_regs = registers;
    if (threads && threads <= MAX_LANES && (override || k->max_threads == MAX_LANES))
      k->max_threads = threads;
  }
}

static void fail(SgDiag *diag, uint32_t line, uint32_t col, const char *text) {
  diag->line = line;
  diag->col = col;
  if (line)
    snprintf(diag->text, sizeof diag->text, "line %u: %s", line, text);
  else
    snprintf(diag->text, sizeof diag->text, "%s", text);
}

/* --- variables --- */

static bool has_memory(const PtxSym *s) {
  return s->kind == PTX_SYM_VAR && (s->space == PTX_GLOBAL || s->space == PTX_CONST) && s->size > 0;
}

/* Calls f for every variable that lies in the arena, those of functions included. */
static bool each_variable(const PtxModule *px, bool (*f)(void *, PtxSym *), void *arg) {
  for (uint32_t i = 0; i < px->nvars; i++)
    if (has_memory(px->vars[i]) && !f(arg, px->vars[i])) return false;
  for (uint32_t i = 0; i < px->nfuncs; i++)
    for (uint32_t j = 0; j < px->funcs[i]->nsyms; j++)
      if (has_memory(px->funcs[i]->syms[j]) && !f(arg, px->funcs[i]->syms[j])) return false;
  return true;
}

typedef struct Loading {
  SgModule *m;
  const PtxModule *px;
  SgDiag *diag;
  int *code;
  uint32_t room;
  Forms forms;
} Loading;

static bool out_of_memory(const Loading *l, const char *what) {
  fail(l->diag, 0, 0, what);
  *l->code = SG_OUT_OF_MEMORY;
  return false;
}

static bool count_one(void *arg, PtxSym *s) {
  (void)s;
  ((Loading *)arg)->room++;
  return true;
}

static bool place_one(void *arg, PtxSym *s) {
  Loading *l = arg;
  SgModule *m = l->m;
  SgKind kind = s->space == PTX_CONST ? SG_CONST : s->linkage & PTX_MANAGED ? SG_MANAGED : SG_MODULE;
  const uint64_t align = s->align > SG_ALIGN ? s->align : SG_ALIGN;
  SgAlloc *a = sg_arena_alloc(m->device, s->size, align, kind, m->owner, s->name);
  if (!a) return out_of_memory(l, "no device memory for the module's variables");
  memset((void *)(uintptr_t)a->base, 0, s->size);
  s->user = a;
  m->globals[m->nglobals] = a;
  m->global_names[m->nglobals] = strdup(s->name);
  m->references[m->nglobals] = s->type == PTX_TEXREF    ? SG_TEXTURE_REFERENCE
                               : s->type == PTX_SURFREF ? SG_SURFACE_REFERENCE
                                                        : SG_NO_REFERENCE;
  if (!m->global_names[m->nglobals++]) return out_of_memory(l, "no host memory for the module");
  return true;
}

static uint64_t symbol_value(const PtxInit *in, bool *ok) {
  const PtxSym *s = in->sym;
  uint64_t v = 0;
  *ok = true;
  if (s && s->kind == PTX_SYM_VAR && s->user && (s->space == PTX_GLOBAL || s->space == PTX_CONST)) {
    v = ((const SgAlloc *)s->user)->base + in->bits;
  } else if (s && s->kind == PTX_SYM_FUNC) {
    v = CODE_WINDOW + (uint64_t)dec_function_number(s) * CODE_STEP;
  } else {
    *ok = false;
  }
  return in->masked ? v >> in->mask_shift & 0xff : v;
}

static uint64_t number_value(PtxType t, const PtxInit *in) {
  const bool real = t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64;
  if (!real && in->kind == PTX_INIT_INT) return in->bits;
  const double v = in->kind == PTX_INIT_FLOAT ? double_of(in->bits) : (double)(int64_t)in->bits;
  switch (t) {
  case PTX_F16: return double_to_half(v);
  case PTX_BF16: return double_to_bf16(v);
  case PTX_F64:
  case PTX_B64: return bits_d(v);
  case PTX_F32:
  case PTX_B32: return bits_f((float)v);
  default: return (uint64_t)(int64_t)v;
  }
}

static bool fill_one(void *arg, PtxSym *s) {
  Loading *l = arg;
  const size_t w = ptx_type_size(s->type);
  uint8_t *p = (uint8_t *)(uintptr_t)((const SgAlloc *)s->user)->base;
  for (size_t i = 0; i < s->ninit && w > 0 && (i + 1) * w <= s->size; i++) {
    bool ok = true;
    const PtxInit *in = &s->init[i];
    const uint64_t v = in->kind == PTX_INIT_SYM ? symbol_value(in, &ok) : number_value(s->type, in);
    if (!ok) {
      char text[256];
      snprintf(text, sizeof text, "%.60s is initialised with the address of %.60s, which has none here",
               s->name, in->sym ? in->sym->name : "nothing");
      fail(l->diag, s->line, s->col, text);
      *l->code = SG_INVALID_PTX;
      return false;
    }
    memcpy(p + i * w, &v, w < 8 ? w : 8);
  }
  return true;
}

static bool load_variables(Loading *l) {
  SgModule *m = l->m;
  dec_number_functions(l->px);
  each_variable(l->px, count_one, l);
  m->globals = calloc(l->room + 1, sizeof *m->globals);
  m->global_names = calloc(l->room + 1, sizeof *m->global_names);
  m->references = calloc(l->room + 1, sizeof *m->references);
  if (!m->globals || !m->global_names || !m->references)
    return out_of_memory(l, "no host memory for the module");
  return each_variable(l->px, place_one, l) && each_variable(l->px, fill_one, l);
}

/* --- kernels --- */

static bool load_kernels(Loading *l) {
  SgModule *m = l->m;
  uint32_t n = 0, const_bytes = 0;
  for (uint32_t i = 0; i < l->px->nfuncs; i++) n += l->px->funcs[i]->entry && l->px->funcs[i]->has_body;
  for (uint32_t i = 0; i < m->nglobals; i++)
    if (m->globals[i]->kind == SG_CONST) const_bytes += (uint32_t)m->globals[i]->size;
  m->kernels = calloc(n + 1, sizeof *m->kernels);
  if (!m->kernels) return out_of_memory(l, "no host memory for the module");
  for (uint32_t i = 0; i < l->px->nfuncs; i++) {
    const PtxFunc *f = l->px->funcs[i];
    if (!f->entry || !f->has_body) continue;
    SgKernel *k = calloc(1, sizeof *k);
    if (!k || !(k->info.name = strdup(f->name))) {
      free(k);
      return out_of_memory(l, "no host memory for the module");
    }
    k->module = m;
    k->info.const_bytes = const_bytes;
    k->info.ptx_version = l->px->target_sm;
    k->debug = l->px->debug;
    m->kernels[m->nkernels] = k;
    const bool ok = dec_kernel(m, l->px, f, k, &l->forms, sg_isa(), l->diag, l->code);
    m->nkernels++;
    if (ok) continue;
    if (*l->code != MISSING) return false;
    /* This kernel cannot run here: who asks for it is told. */
    *l->code = 0;
    if (!(k->missing = strdup(l->diag->text))) return out_of_memory(l, "no host memory for the module");
    memset(l->diag, 0, sizeof *l->diag);
  }
  return true;
}

static bool load_files(Loading *l) {
  SgModule *m = l->m;
  m->files = calloc(l->px->nfiles + 1, sizeof *m->files);
  if (!m->files) return out_of_memory(l, "no host memory for the module");
  m->nfiles = l->px->nfiles;
  for (uint32_t i = 0; i < m->nfiles; i++)
    if (l->px->files[i] && !(m->files[i] = strdup(l->px->files[i])))
      return out_of_memory(l, "no host memory for the module");
  return true;
}

/* --- names --- */

static uint32_t hash(const char *s) {
  uint32_t h = 2166136261u;
  for (; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
  return h;
}

static const char *name_at(const SgModule *m, uint32_t i) {
  return i < m->nkernels ? m->kernels[i]->info.name : m->global_names[i - m->nkernels];
}

static bool index_names(Loading *l) {
  SgModule *m = l->m;
  const uint32_t n = m->nkernels + m->nglobals;
  m->nbuckets = 16;
  while (m->nbuckets < n * 2) m->nbuckets *= 2;
  m->buckets = calloc(m->nbuckets, sizeof *m->buckets);
  if (!m->buckets) return out_of_memory(l, "no host memory for the module");
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = hash(name_at(m, i)) & (m->nbuckets - 1);
    while (m->buckets[at]) at = (at + 1) & (m->nbuckets - 1);
    m->buckets[at] = i + 1;
  }
  return true;
}

static bool lookup(const SgModule *m, const char *name, uint32_t from, uint32_t end, uint32_t *found) {
  for (uint32_t at = hash(name) & (m->nbuckets - 1); m->buckets[at]; at = (at + 1) & (m->nbuckets - 1)) {
    const uint32_t i = m->buckets[at] - 1;
    if (i < from || i >= end || strcmp(name_at(m, i), name) != 0) continue;
    *found = i;
    return true;
  }
  return false;
}

SgKernel *sg_module_kernel(const SgModule *m, const char *name) {
  uint32_t i;
  return lookup(m, name, 0, m->nkernels, &i) ? m->kernels[i] : NULL;
}

SgAlloc *sg_module_global(const SgModule *m, const char *name) {
  uint32_t i;
  return lookup(m, name, m->nkernels, m->nkernels + m->nglobals, &i) ? m->globals[i - m->nkernels] : NULL;
}

SgAlloc *sg_module_reference(const SgModule *m, const char *name, SgReference kind) {
  uint32_t i;
  const bool known = lookup(m, name, m->nkernels, m->nkernels + m->nglobals, &i);
  return known && m->references[i - m->nkernels] == kind ? m->globals[i - m->nkernels] : NULL;
}

/* --- the whole --- */

static void kernel_free(SgKernel *k) {
  sg_gang_free(sg_spare_take(k));
  free((void *)(uintptr_t)k->info.name);
  free((void *)(uintptr_t)k->info.params);
  free(k->code);
  free(k->locs);
  free(k->objects);
  free(k->prologue);
  free(k->fills);
  free(k->targets);
  free(k->plan_invariant);
  free(k->functions);
  free(k->missing);
  free(k);
}

void sg_module_unload(SgModule *m) {
  if (!m) return;
  for (uint32_t i = 0; i < m->nkernels; i++) kernel_free(m->kernels[i]);
  for (uint32_t i = 0; i < m->nglobals; i++) {
    sg_arena_free(m->globals[i]);
    free(m->global_names[i]);
  }
  for (uint32_t i = 0; i < m->nfiles; i++) free(m->files[i]);
  free(m->kernels);
  free(m->globals);
  free(m->global_names);
  free(m->references);
  free(m->files);
  free(m->buckets);
  free(m);
}

SgModule *sg_module_load(int device, uint64_t owner, const char *ptx, size_t len, SgDiag *diag, int *code) {
  PtxError err = {0};
  memset(diag, 0, sizeof *diag);
  *code = 0;
  PtxModule *px = ptx_parse(ptx, len, &err);
  if (!px) {
    fail(diag, err.line, err.col, err.text);
    *code = SG_INVALID_PTX;
    return NULL;
  }
  SgModule *m = calloc(1, sizeof *m);
  Loading l = {.m = m, .px = px, .diag = diag, .code = code};
  bool ok = m != NULL;
  if (!m) {
    out_of_memory(&l, "no host memory for the module");
  } else {
    m->device = device;
    m->owner = owner;
    if (px->address_size != 64) {
      fail(diag, 0, 0, "only modules with 64-bit addresses are supported");
      *code = SG_INVALID_PTX;
      ok = false;
    }
    ok = ok && load_variables(&l) && load_files(&l) && load_kernels(&l) && index_names(&l);
  }
  free(l.forms.slot);
  ptx_free(px);
  if (ok) return m;
  sg_module_unload(m);
  return NULL;
}
