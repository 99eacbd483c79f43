/* The linker: cuLink* over PTX texts. Its result is one PTX text, which any loading call takes.
 *
 * Every input is parsed when it is added, and may not define again what another one has defined. Completion
 * decides, name by name, which input's definition the others mean, and writes the inputs one behind the
 * other: local names that would collide are renamed, weak and common definitions that lost become
 * declarations, files are renumbered, and lines are kept in number, so that a line of the result belongs to a
 * known line of an input.
 *
 * As on a GPU a linker completes once, and one that has met a name twice or not at all, or an input of no
 * known kind, stays useless; bad PTX it leaves out. */
#include "driver/jit.h"
#include "driver/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Link {
  SgObject o;
  SgJit jit;
  LinkInput *inputs;
  uint32_t ninputs;
  CUresult failed; /* what it answers from now on, 0: nothing is wrong */
  bool library;    /* an archive was added */
  char *image;
  size_t image_size;
} Link;

/* --- names --- */

typedef enum Class { LOCAL_NAME, STRONG, WEAK, COMMON, UNDEFINED } Class;

typedef struct Name {
  const char *text;
  LinkInput *in;
  const PtxSym *sym;
  Class class;
} Name;

static Class class_of(const PtxSym *s) {
  bool function = s->kind == PTX_SYM_FUNC;
  /* Dynamic shared memory has no definition; each declaration means the same place. */
  if (!function && s->space == PTX_SHARED && s->count == 0) return LOCAL_NAME;
  if (function ? !s->def->has_body : (s->linkage & PTX_EXTERN) != 0) return UNDEFINED;
  if (s->linkage & PTX_WEAK) return WEAK;
  if (s->linkage & PTX_COMMON) return COMMON;
  return (s->linkage & PTX_VISIBLE) || (function && s->def->entry) ? STRONG : LOCAL_NAME;
}

static Name name_of(LinkInput *in, const PtxSym *s) { return (Name){s->name, in, s, class_of(s)}; }

static int by_name_and_input(const void *a, const void *b) {
  const Name *x = a, *y = b;
  int order = strcmp(x->text, y->text);
  return order ? order : x->in->number < y->in->number ? -1 : x->in->number > y->in->number;
}

/* What the driver itself supplies. */
static bool supplied(const char *name) {
  static const char *const list[] = {"vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static bool add_fate(LinkInput *in, const char *name, char *renamed) {
  LinkFate *f = realloc(in->fate, (in->nfate + 1) * sizeof *f);
  if (!f) {
    free(renamed);
    return false;
  }
  in->fate = f;
  in->fate[in->nfate++] = (LinkFate){name, renamed};
  return true;
}

/* A name that no module-level symbol of any input has. */
static bool rename_local(const Link *l, LinkInput *in, const char *name) {
  size_t room = strlen(name) + 24;
  char *text = malloc(room);
  if (!text) return false;
  for (unsigned n = 0;; n++) {
    snprintf(text, room, "%s$l%u_%u", name, in->number, n);
    const LinkInput *i = l->inputs;
    while (i && !ptx_find(i->tree, text)) i = i->next;
    if (!i) return add_fate(in, name, text);
  }
}

static const Name *better(const Name *a, const Name *b) {
  if (!a) return b;
  if (b->class == STRONG) return a->class == STRONG ? a : b;
  if (a->class == COMMON && b->class == COMMON) return b->sym->size > a->sym->size ? b : a;
  return a;
}

/* All that has one name: which definition it means, and who has to give way. */
static CUresult settle(const Link *l, SgJit *j, const Name *n, size_t count) {
  const Name *chosen = NULL;
  size_t locals = 0;
  CUresult r = CUDA_SUCCESS;
  for (size_t i = 0; i < count; i++) {
    if (n[i].class == LOCAL_NAME) locals++;
    if (n[i].class != LOCAL_NAME && n[i].class != UNDEFINED) chosen = better(chosen, &n[i]);
  }
  bool local_only = locals == count;
  for (size_t i = 0; i < count; i++) {
    bool good = true;
    switch (n[i].class) {
    case LOCAL_NAME:
      if (count > 1 && !(local_only && i == 0)) good = rename_local(l, n[i].in, n->text);
      break;
    case UNDEFINED:
      if (!chosen && !supplied(n->text) && sg_link_uses(n[i].in, n->text))
        r = sg_jit_fail(j, CUDA_ERROR_INVALID_SOURCE, "error   : Undefined reference to '%s' in '%s'",
                        n->text, n[i].in->name);
      break;
    default:
      if (&n[i] != chosen && n[i].class != STRONG) good = add_fate(n[i].in, n->text, NULL);
    }
    if (!good) return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return r;
}

static CUresult resolve(Link *l, SgJit *j) {
  size_t n = 0;
  for (const LinkInput *in = l->inputs; in; in = in->next) n += in->tree->nvars + in->tree->nfuncs;
  Name *names = calloc(n + 1, sizeof *names);
  if (!names) return CUDA_ERROR_OUT_OF_MEMORY;
  n = 0;
  for (LinkInput *in = l->inputs; in; in = in->next) {
    for (uint32_t i = 0; i < in->tree->nvars; i++) names[n++] = name_of(in, in->tree->vars[i]);
    for (uint32_t i = 0; i < in->tree->nfuncs; i++) names[n++] = name_of(in, in->tree->funcs[i]->sym);
  }
  qsort(names, n, sizeof *names, by_name_and_input);
  CUresult r = CUDA_SUCCESS;
  for (size_t i = 0, k; i < n && r != CUDA_ERROR_OUT_OF_MEMORY; i = k) {
    for (k = i + 1; k < n && strcmp(names[k].text, names[i].text) == 0;) k++;
    CUresult one = settle(l, j, &names[i], k - i);
    if (one) r = one;
  }
  free(names);
  return r;
}

/* --- the result --- */

static uint32_t lines_of(const char *text, size_t len) {
  uint32_t n = 0;
  for (size_t i = 0; i < len; i++) n += text[i] == '\n';
  return n;
}

static bool write_image(Link *l) {
  char head[160];
  int version = 60, sm = 30;
  FILE *f = open_memstream(&l->image, &l->image_size);
  if (!f) return false;
  for (const LinkInput *in = l->inputs; in; in = in->next) {
    if (in->tree->version > version) version = in->tree->version;
    if (in->tree->target_sm > sm) sm = in->tree->target_sm;
  }
  sg_image_options(&l->jit, head, sizeof head);
  fprintf(f, "%s.version %d.%d\n.target sm_%d\n.address_size 64\n", head, version / 10, version % 10, sm);
  uint32_t files = 0;
  for (LinkInput *in = l->inputs; in; in = in->next) {
    in->first_file = files;
    if (in->tree->nfiles) files += in->tree->nfiles - 1;
    fflush(f);
    in->first_line = lines_of(l->image, l->image_size) + 1;
    sg_link_write(f, in);
  }
  bool good = !ferror(f);
  return fclose(f) == 0 && good && l->image;
}

/* --- inputs --- */

static void input_free(LinkInput *in) {
  if (!in) return;
  for (uint32_t i = 0; i < in->nfate; i++) free(in->fate[i].renamed);
  ptx_free(in->tree);
  free(in->fate);
  free(in->stmt);
  free(in->tok);
  free(in->text);
  free(in->name);
  free(in);
}

static bool has_open_names(const LinkInput *in) {
  for (uint32_t i = 0; i < in->tree->nfuncs; i++)
    if (class_of(in->tree->funcs[i]->sym) == UNDEFINED) return true;
  for (uint32_t i = 0; i < in->tree->nvars; i++)
    if (class_of(in->tree->vars[i]) == UNDEFINED) return true;
  return false;
}

/* The linker needs no context once it is there. */
static const SgContext *context(void) {
  static const SgContext none;
  const SgContext *ctx = sg_ctx();
  return ctx ? ctx : &none;
}

/* An input that is complete by itself is compiled for trial, so that its errors come with it; the others are
 * when the whole is linked. */
static CUresult input_check(SgJit *j, LinkInput *in) {
  PtxError err;
  in->tree = ptx_parse(in->text, strlen(in->text), &err);
  if (!in->tree)
    return sg_jit_fail(j, CUDA_ERROR_INVALID_PTX, "%s, line %u; error   : %s", in->name, err.line, err.text);
  if (in->tree->address_size != 64)
    return sg_jit_fail(j, CUDA_ERROR_INVALID_PTX, "%s; error   : only 64-bit addresses are supported",
                       in->name);
  if (has_open_names(in)) return CUDA_SUCCESS;
  SgModule *trial;
  SgDiag diag;
  SgJit quiet = {0}; /* what the options ask to be told is told of the whole */
  CUresult r = sg_jit_compile(&quiet, context(), in->text, &diag, &trial);
  if (r) return sg_jit_fail_at(j, r, in->name, &diag);
  sg_module_unload(trial);
  return CUDA_SUCCESS;
}

/* The input that has a definition of the name which nobody else may have too. */
static const LinkInput *definer(const Link *l, const char *name) {
  for (const LinkInput *in = l->inputs; in; in = in->next) {
    const PtxSym *s = ptx_find(in->tree, name);
    if (s && class_of(s) == STRONG) return in;
  }
  return NULL;
}

static CUresult not_twice(const Link *l, SgJit *j, const LinkInput *in, const PtxSym *s) {
  const LinkInput *first = class_of(s) == STRONG ? definer(l, s->name) : NULL;
  if (!first) return CUDA_SUCCESS;
  return sg_jit_fail(j, CUDA_ERROR_INVALID_SOURCE,
                     "error   : Multiple definition of '%s' in '%s', first defined in '%s'", s->name,
                     in->name, first->name);
}

/* Names that are defined for the second time; the linker does not get over them. */
static CUresult check_definitions(Link *l, SgJit *j, const LinkInput *in) {
  CUresult r = CUDA_SUCCESS;
  for (uint32_t i = 0; i < in->tree->nvars + in->tree->nfuncs; i++) {
    const PtxSym *s = i < in->tree->nvars ? in->tree->vars[i] : in->tree->funcs[i - in->tree->nvars]->sym;
    CUresult one = not_twice(l, j, in, s);
    if (one) r = one;
  }
  return l->failed = r;
}

static CUresult add_text(Link *l, SgJit *j, const char *text, size_t size, const char *name) {
  LinkInput *in = calloc(1, sizeof *in), **at = &l->inputs;
  char unnamed[32];
  snprintf(unnamed, sizeof unnamed, "input %u", l->ninputs + 1);
  if (in) {
    in->number = l->ninputs + 1;
    in->name = strdup(name && *name ? name : unnamed);
    in->text = strndup(text, size);
  }
  bool room = in && in->name && in->text;
  CUresult r = room ? input_check(j, in) : CUDA_ERROR_OUT_OF_MEMORY;
  if (!r) r = check_definitions(l, j, in);
  if (!r && !sg_link_cut(in)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    input_free(in);
    return r;
  }
  while (*at) at = &(*at)->next;
  *at = in;
  l->ninputs++;
  return CUDA_SUCCESS;
}

/* --- archives --- */

/* An archive with something in it, which is machine code. */
static bool is_archive(const char *text) {
  static const char mark[] = "!<arch>\n", end[] = "`\n";
  enum { MARK_BYTES = 8, HEADER_BYTES = 60 };
  return strncmp(text, mark, MARK_BYTES) == 0 && strlen(text) >= MARK_BYTES + HEADER_BYTES &&
         strncmp(text + MARK_BYTES + HEADER_BYTES - 2, end, 2) == 0;
}

/* The archive that programs do link is CUDA's device runtime, for the synchronisation of whole grids: its
 * functions for that, in PTX. A generation of the barrier ends with the last block that comes. */
static const char runtime[] =
    ".version 6.0\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".global .u32 cudaCGArrived = 0;\n"
    ".global .u32 cudaCGGeneration = 0;\n"
    ".visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope) {\n"
    "  .reg .b32 %r<2>;\n"
    "  .reg .b64 %rd<2>;\n"
    "  .reg .pred %p<2>;\n"
    "  ld.param.b32 %r1, [scope];\n"
    "  setp.eq.u32 %p1, %r1, 1;\n" /* the grid */
    "  selp.b64 %rd1, 1, 0, %p1;\n"
    "  st.param.b64 [handle], %rd1;\n"
    "  ret;\n"
    "}\n"
    ".visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) {\n"
    "  .reg .b32 %r<9>;\n"
    "  .reg .pred %p<4>;\n"
    "  bar.sync 0;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  mov.u32 %r2, %tid.y;\n"
    "  or.b32 %r1, %r1, %r2;\n"
    "  mov.u32 %r2, %tid.z;\n"
    "  or.b32 %r1, %r1, %r2;\n"
    "  setp.ne.u32 %p1, %r1, 0;\n"
    "  @%p1 bra together;\n"
    "  mov.u32 %r3, %nctaid.x;\n"
    "  mov.u32 %r4, %nctaid.y;\n"
    "  mul.lo.u32 %r3, %r3, %r4;\n"
    "  mov.u32 %r4, %nctaid.z;\n"
    "  mul.lo.u32 %r3, %r3, %r4;\n"
    "  sub.u32 %r3, %r3, 1;\n"
    "  membar.gl;\n"
    "  ld.volatile.global.u32 %r5, [cudaCGGeneration];\n"
    "  atom.global.add.u32 %r6, [cudaCGArrived], 1;\n"
    "  setp.ne.u32 %p2, %r6, %r3;\n"
    "  @%p2 bra wait;\n"
    "  st.volatile.global.u32 [cudaCGArrived], 0;\n"
    "  membar.gl;\n"
    "  atom.global.add.u32 %r7, [cudaCGGeneration], 1;\n"
    "  bra together;\n"
    "wait:\n"
    "  ld.volatile.global.u32 %r8, [cudaCGGeneration];\n"
    "  setp.eq.u32 %p3, %r8, %r5;\n"
    "  @%p3 bra wait;\n"
    "  membar.gl;\n"
    "together:\n"
    "  bar.sync 0;\n"
    "  st.param.b32 [error], 0;\n"
    "  ret;\n"
    "}\n";

/* Where an archive was added, and something else has not defined these functions, they are supplied. */
static CUresult add_runtime(Link *l, SgJit *j) {
  if (!l->library || definer(l, "cudaCGSynchronize") || definer(l, "cudaCGGetIntrinsicHandle"))
    return CUDA_SUCCESS;
  return add_text(l, j, runtime, sizeof runtime, "device runtime");
}

/* --- exported --- */

static Link *link_get(CUlinkState h, CUresult *code) { return sg_handle_get(SG_H_LINK, h, code); }

static CUresult link_create(unsigned n, const CUjit_option *options, void **values, CUlinkState *out,
                            bool exact) {
  Link *l = calloc(1, sizeof *l);
  CUresult r = !l     ? CUDA_ERROR_OUT_OF_MEMORY
               : !out ? CUDA_ERROR_INVALID_VALUE
                      : sg_jit_read(&l->jit, n, options, values);
  if (!r && exact && l->jit.fallback) r = CUDA_ERROR_INVALID_VALUE; /* the linker wants exact matches */
  if (!r && !sg_handle_new(SG_H_LINK, &l->o, NULL)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    free(l);
    return r;
  }
  *out = l->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                                CUlinkState *stateOut) {
  SG_CALL(SG_NEED_CONTEXT, link_create(numOptions, options, optionValues, stateOut, true),
          "state=0x%llx options=%u", SG_OUT(stateOut), numOptions);
}

SG_API CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                             CUlinkState *stateOut) {
  SG_CALL(SG_NEED_CONTEXT, link_create(numOptions, options, optionValues, stateOut, false),
          "state=0x%llx options=%u", SG_OUT(stateOut), numOptions);
}

/* Options that come with an input are for it alone; logs that it lacks are the linker's. */
static CUresult input_options(Link *l, SgJit *j, unsigned n, const CUjit_option *options, void **values) {
  *j = l->jit;
  if (!n) return CUDA_SUCCESS;
  CUresult r = sg_jit_read(j, n, options, values);
  if (!j->info.text) j->info = l->jit.info;
  if (!j->error.text) j->error = l->jit.error;
  return r;
}

/* What was written to the linker's own logs, and its time, are the linker's to remember. */
static CUresult input_done(Link *l, const SgJit *j, CUresult r) {
  if (j->info.text == l->jit.info.text) l->jit.info = j->info;
  if (j->error.text == l->jit.error.text) l->jit.error = j->error;
  if (j->wall_time == l->jit.wall_time) l->jit.ms = j->ms;
  return r;
}

static CUresult link_add(CUlinkState h, CUjitInputType type, const void *data, size_t size, const char *name,
                         unsigned n, const CUjit_option *options, void **values) {
  CUresult code;
  Link *l = link_get(h, &code);
  SgJit j;
  if (!l) return code;
  if (!data || !size || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES || l->image) return CUDA_ERROR_INVALID_VALUE;
  if (l->failed) return l->failed;
  CUresult r = input_options(l, &j, n, options, values);
  if (r) return r;
  char *text = strndup(data, size); /* at least four bytes of it are looked at */
  if (!text) return CUDA_ERROR_OUT_OF_MEMORY;
  SgCodeKind kind = sg_code_kind(text);
  const bool archive = type == CU_JIT_INPUT_LIBRARY && is_archive(text);
  bool takes = type == CU_JIT_INPUT_PTX     ? kind == SG_IMAGE_PTX || kind == SG_IMAGE_LINKED
               : type == CU_JIT_INPUT_CUBIN ? kind == SG_IMAGE_LINKED
                                            : false;
  if (takes)
    r = add_text(l, &j, text, size, name);
  else if (archive)
    l->library = true; /* what is not defined elsewhere is found missing in the end */
  else
    r = l->failed = sg_jit_refuse(&j, kind == SG_IMAGE_BINARY ? kind : SG_IMAGE_UNKNOWN);
  free(text);
  return input_done(l, &j, r);
}

#define LOG_ADD "state=0x%llx type=%d bytes=%zu name=%s options=%u"

SG_API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                                 const char *name, unsigned int numOptions, CUjit_option *options,
                                 void **optionValues) {
  SG_CALL(SG_NEED_INIT, link_add(state, type, data, size, name, numOptions, options, optionValues), LOG_ADD,
          SG_X(state), (int)type, size, SG_S(name), numOptions);
}

SG_API CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                              const char *name, unsigned int numOptions, CUjit_option *options,
                              void **optionValues) {
  SG_CALL(SG_NEED_INIT, link_add(state, type, data, size, name, numOptions, options, optionValues), LOG_ADD,
          SG_X(state), (int)type, size, SG_S(name), numOptions);
}

static CUresult link_add_file(CUlinkState h, CUjitInputType type, const char *path, unsigned n,
                              const CUjit_option *options, void **values) {
  CUresult code;
  if (!link_get(h, &code)) return code;
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  char *data = sg_read_file(path);
  if (!data) return CUDA_ERROR_FILE_NOT_FOUND;
  CUresult r = link_add(h, type, data, strlen(data) + 1, path, n, options, values);
  free(data);
  return r;
}

SG_API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                                 unsigned int numOptions, CUjit_option *options, void **optionValues) {
  SG_CALL(SG_NEED_INIT, link_add_file(state, type, path, numOptions, options, optionValues),
          "state=0x%llx type=%d file=%s options=%u", SG_X(state), (int)type, SG_S(path), numOptions);
}

SG_API CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                              unsigned int numOptions, CUjit_option *options, void **optionValues) {
  SG_CALL(SG_NEED_INIT, link_add_file(state, type, path, numOptions, options, optionValues),
          "state=0x%llx type=%d file=%s options=%u", SG_X(state), (int)type, SG_S(path), numOptions);
}

/* The whole has to compile; a message names the line of the input that it came from. */
static CUresult check_image(Link *l) {
  SgDiag diag;
  SgModule *trial;
  CUresult r = sg_jit_compile(&l->jit, context(), l->image, &diag, &trial);
  if (!r) {
    sg_module_unload(trial);
    return CUDA_SUCCESS;
  }
  const LinkInput *in = l->inputs;
  while (in && in->next && in->next->first_line <= diag.line) in = in->next;
  if (!in || diag.line < in->first_line) return sg_jit_fail(&l->jit, r, "error   : %s", diag.text);
  diag.line -= in->first_line - 1;
  return sg_jit_fail_at(&l->jit, r, in->name, &diag);
}

static CUresult link_complete(CUlinkState h, void **out, size_t *size) {
  CUresult code;
  Link *l = link_get(h, &code);
  if (!l) return code;
  if (l->image) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (l->failed) return l->failed;
  CUresult r = add_runtime(l, &l->jit);
  if (!r) r = resolve(l, &l->jit);
  if (!r && !write_image(l)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (!r) r = check_image(l);
  if (r) {
    free(l->image);
    l->image = NULL;
    return l->failed = r;
  }
  *out = l->image;
  if (size) *size = l->image_size + 1; /* the NUL belongs to it */
  return CUDA_SUCCESS;
}

SG_API CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
  SG_CALL(SG_NEED_INIT, link_complete(state, cubinOut, sizeOut), "state=0x%llx bytes=%llu", SG_X(state),
          SG_OUT(sizeOut));
}

static void link_free(SgObject *o, void *arg) {
  (void)arg;
  Link *l = (Link *)o;
  for (LinkInput *in = l->inputs, *next; in; in = next) {
    next = in->next;
    input_free(in);
  }
  free(l->image);
  sg_handle_free(o, false);
  free(l);
}

void sg_links_reset(void) { sg_handles_each(SG_H_LINK, NULL, link_free, NULL); }

static CUresult link_destroy(CUlinkState h) {
  CUresult code;
  Link *l = link_get(h, &code);
  if (!l) return code;
  link_free(&l->o, NULL);
  return CUDA_SUCCESS;
}

SG_API CUresult cuLinkDestroy(CUlinkState state) {
  SG_CALL(SG_NEED_INIT, link_destroy(state), "state=0x%llx", SG_X(state));
}
