/* Images and the options of the compiler: what cuModuleLoadDataEx and the cuLink calls have in common. */
#include "driver/jit.h"
#include "ptx/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEVICE_TARGET = 80 };

static const char linked_mark[] = "// linked by softgpu:";

/* --- images --- */

/* Stops at the first byte that differs: the image may be a short string. */
static bool begins(const char *image, const char *magic) {
  while (*magic && *image == *magic) {
    image++;
    magic++;
  }
  return !*magic;
}

/* Binary images begin with a magic number (ELF, fatbin, its wrapper, an archive), PTX with text. As on a GPU,
 * text without a .version is no PTX at all; bad PTX has one. */
SgCodeKind sg_code_kind(const void *image) {
  const char *c = image;
  if (begins(c, "\177ELF") || begins(c, "\x50\xed\x55\xba") || begins(c, "\xb1\x43\x62\x46") ||
      begins(c, "!<arch>"))
    return SG_IMAGE_BINARY;
  bool text = (*c >= ' ' && *c < 0x7f) || *c == '\t' || *c == '\n' || *c == '\r';
  if (!text || !strstr(c, ".version")) return SG_IMAGE_UNKNOWN;
  return begins(c, linked_mark) ? SG_IMAGE_LINKED : SG_IMAGE_PTX;
}

char *sg_read_file(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f) return NULL;
  char *data = NULL;
  size_t size = 0, room = 0, got = 1;
  while (got) {
    if (size + 4096 > room) {
      room = (size + 4096) * 2;
      char *d = realloc(data, room);
      if (!d) break;
      data = d;
    }
    got = fread(data + size, 1, room - size - 1, f);
    size += got;
  }
  bool failed = ferror(f) || got;
  fclose(f);
  if (failed) {
    free(data);
    return NULL;
  }
  memset(data + size, 0, room - size);
  return data;
}

/* --- logs --- */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void log_end(const SgJitLog *l) {
  if (!l->size) return;
  if (l->room) l->text[least(l->total, l->room - 1)] = 0;
  *l->size = (void *)(uintptr_t)least(l->total, l->room);
}

static void log_put(SgJitLog *l, const char *text) {
  size_t n = strlen(text), room = l->total + 1 < l->room ? l->room - 1 - l->total : 0;
  if (room) memcpy(l->text + l->total, text, least(n, room));
  l->total += n;
}

static void log_add(SgJitLog *l, const char *text) {
  if (l->total) log_put(l, "\n");
  log_put(l, text);
  log_end(l);
}

void sg_jit_log(SgJitLog *l, const char *format, ...) {
  char text[2048];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  log_add(l, text);
}

CUresult sg_jit_fail(SgJit *j, CUresult code, const char *format, ...) {
  char text[2048];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  log_add(&j->error, text);
  sg_say(CU_LOG_LEVEL_ERROR, "%s", text);
  return code;
}

CUresult sg_jit_fail_at(SgJit *j, CUresult code, const char *name, const SgDiag *diag) {
  const char *what = strncmp(diag->text, "line ", 5) == 0 ? strchr(diag->text, ':') : NULL;
  if (!diag->line || !what) return sg_jit_fail(j, code, "%s; error   : %s", name, diag->text);
  return sg_jit_fail(j, code, "%s, line %u; error   %s", name, diag->line, what);
}

CUresult sg_jit_refuse(SgJit *j, SgCodeKind kind) {
  if (kind == SG_IMAGE_BINARY)
    return sg_jit_fail(
        j, CUDA_ERROR_NO_BINARY_FOR_GPU,
        "The image is a cubin, fatbin or library: machine code for a GPU. The software device runs "
        "PTX: compile for compute_80, not sm_80");
  return sg_jit_fail(j, CUDA_ERROR_INVALID_IMAGE, "The image is neither PTX text nor a cubin or fatbin");
}

/* --- options --- */

/* Compute capabilities that CUjit_target has; accelerated and family variants are numbers above them. */
static bool target_known(unsigned v) {
  static const uint8_t known[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70, 72,
                                  75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
  for (size_t i = 0; i < sizeof known; i++)
    if ((v & 0xffff) == known[i]) return v >> 16 <= 2;
  return false;
}

/* Each option's value; what a GPU's driver makes of odd ones was measured (H200, driver 580). */
static bool read_option(SgJit *j, CUjit_option option, void **slot) {
  unsigned v = (unsigned)(uintptr_t)*slot;
  switch (option) {
  case CU_JIT_INFO_LOG_BUFFER: j->info.text = *slot; break;
  case CU_JIT_ERROR_LOG_BUFFER: j->error.text = *slot; break;
  case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
    j->info.room = v;
    j->info.size = slot;
    break;
  case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
    j->error.room = v;
    j->error.size = slot;
    break;
  case CU_JIT_MAX_REGISTERS: j->max_registers = v; break;
  case CU_JIT_THREADS_PER_BLOCK:
    j->threads = v;
    j->threads_out = slot;
    break;
  case CU_JIT_MAX_THREADS_PER_BLOCK: j->max_threads = v; break;
  case CU_JIT_WALL_TIME: j->wall_time = slot; break;
  case CU_JIT_LOG_VERBOSE: j->verbose = v != 0; break;
  case CU_JIT_OVERRIDE_DIRECTIVE_VALUES: j->override = v != 0; break;
  case CU_JIT_OPTIMIZATION_LEVEL: break; /* also where there is no such level */
  case CU_JIT_CACHE_MODE: return v <= CU_JIT_CACHE_OPTION_CA;
  case CU_JIT_FALLBACK_STRATEGY: j->fallback = true; break; /* also where there is no such strategy */
  case CU_JIT_TARGET: j->target = (int)v; return target_known(v);
  default: return (unsigned)option < CU_JIT_NUM_OPTIONS; /* nothing to do for it here */
  }
  return true;
}

CUresult sg_jit_read(SgJit *j, unsigned n, const CUjit_option *options, void **values) {
  *j = (SgJit){0};
  if (n && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < n; i++)
    if (!read_option(j, options[i], &values[i])) return CUDA_ERROR_INVALID_VALUE;
  if ((j->target && j->threads) || !j->info.text != !j->info.size || !j->error.text != !j->error.size)
    return CUDA_ERROR_INVALID_VALUE;
  log_end(&j->info);
  log_end(&j->error);
  if (j->target && j->target != DEVICE_TARGET) /* an older one of the same family neither */
    return sg_jit_fail(j, CUDA_ERROR_INVALID_SOURCE, "error   : The target is sm_%d, and the device is sm_%d",
                       j->target & 0xffff, DEVICE_TARGET);
  return CUDA_SUCCESS;
}

void sg_image_options(const SgJit *j, char *line, size_t room) {
  snprintf(line, room, "%s registers %u threads %u block %u\n", linked_mark, j->max_registers, j->threads,
           j->max_threads);
}

static unsigned stricter(unsigned a, unsigned b) { return !a || (b && b < a) ? b : a; }

/* What is made of the option: whole warps, no more than a block has. */
static unsigned whole_warps(unsigned threads) {
  return threads > SG_MAX_THREADS ? SG_MAX_THREADS : (threads + SG_WARP - 1) / SG_WARP * SG_WARP;
}

/* The options, and the linker's where an image comes from there. Of the registers of an SM a block of
 * `threads` threads has to find enough. */
static void apply_options(const SgJit *j, const char *image, SgModule *m) {
  unsigned registers = 0, threads = 0, block = 0;
  if (begins(image, linked_mark))
    sscanf(image + sizeof linked_mark - 1, " registers %u threads %u block %u", &registers, &threads, &block);
  registers = stricter(j->max_registers, registers);
  if (j->threads) threads = j->threads;
  if (threads) registers = stricter(registers, SG_SM_REGISTERS / whole_warps(threads));
  sg_module_limit(m, registers, stricter(j->max_threads, block), j->override);
}

/* --- compiling --- */

/* What .version says, times ten; 0: nothing readable. */
static int ptx_version(const char *ptx) {
  const char *at = strstr(ptx, ".version");
  double v = at ? strtod(at + 8, NULL) : 0;
  return v > 0 && v < 1000 ? (int)(v * 10 + 0.5) : 0;
}

static float ms_since(const struct timespec *t) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (float)(now.tv_sec - t->tv_sec) * 1e3f + (float)(now.tv_nsec - t->tv_nsec) * 1e-6f;
}

/* Always, as a GPU's driver does when its cache of compiled images is turned off. */
static void describe(SgJit *j, const SgModule *m) {
  for (uint32_t i = 0; i < sg_module_nkernels(m); i++) {
    const SgKernelInfo *k = sg_kernel_info(sg_module_kernel_at(m, i));
    sg_jit_log(&j->info,
               "info    : Compiling entry function '%s' for 'sm_%d'\n"
               "info    : Used %u registers, %u bytes smem, %u bytes lmem, %u bytes cmem",
               k->name, DEVICE_TARGET, k->num_regs, k->shared_bytes, k->local_bytes, k->const_bytes);
  }
}

/* A kernel's own shared memory has no option that raises its limit, as dynamic shared memory has. */
static bool shared_fits(const SgModule *m, SgDiag *diag) {
  for (uint32_t i = 0; i < sg_module_nkernels(m); i++) {
    const SgKernelInfo *k = sg_kernel_info(sg_module_kernel_at(m, i));
    if (k->shared_bytes <= SG_SHARED_DEFAULT) continue;
    snprintf(diag->text, sizeof diag->text,
             "Entry function '%.100s' uses too much shared data (0x%x bytes, 0x%x max)", k->name,
             k->shared_bytes, (unsigned)SG_SHARED_DEFAULT);
    return false;
  }
  return true;
}

static CUresult compile(SgJit *j, const SgContext *ctx, const char *ptx, SgDiag *diag, SgModule **out) {
  int code = CUDA_SUCCESS, version = ptx_version(ptx);
  *diag = (SgDiag){0};
  if (version / 10 > PTX_NEWEST / 10) {
    snprintf(diag->text, sizeof diag->text, "PTX version %d.%d is newer than this driver's, which is %d.%d",
             version / 10, version % 10, PTX_NEWEST / 10, PTX_NEWEST % 10);
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  *out = sg_module_load(ctx->device, ctx->o.id, ptx, strlen(ptx), diag, &code);
  if (!*out) {
    const size_t n = strlen(diag->text);
    ptx_newer_text(version, diag->text + n, sizeof diag->text - n);
    return code ? (CUresult)code : CUDA_ERROR_INVALID_PTX;
  }
  if (!shared_fits(*out, diag)) {
    sg_module_unload(*out);
    *out = NULL;
    return CUDA_ERROR_INVALID_PTX;
  }
  apply_options(j, ptx, *out);
  if (j->verbose) describe(j, *out);
  return CUDA_SUCCESS;
}

CUresult sg_jit_compile(SgJit *j, const SgContext *ctx, const char *ptx, SgDiag *diag, SgModule **out) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  *out = NULL;
  CUresult r = compile(j, ctx, ptx, diag, out);
  if (j->threads_out && r == CUDA_SUCCESS) *j->threads_out = (void *)(uintptr_t)whole_warps(j->threads);
  j->ms += ms_since(&t);
  if (j->wall_time) memcpy(j->wall_time, &j->ms, sizeof j->ms);
  return r;
}
