/* Runs cases whose effect is in registers alone: in all lanes, under a guard, behind a branch, with the first
 * operand's register as destination where it can be; in blocks that are and that are not whole warps; with
 * one lane of a block left. Lanes that are off keep what they had. */
#include "form.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "operands.h"

enum { LANES = SANITIZED ? 504 : 2016, SHAPES_LANES = 252 };
enum { MODULE = 48, VARIANTS = 3, WARP_LANES = 32 };

static Case *cases;
static size_t ncases, room;

void case_add(const Case *c) {
  if (ncases == room) cases = realloc(cases, (room = room ? room * 2 : 1024) * sizeof *cases);
  if (!cases) exit(2);
  cases[ncases++] = *c;
}

/* ---- kernels ------------------------------------------------------------------------------------ */

static uint64_t kept(char letter) {
  return letter == 'p'               ? 1
         : letter == 'b'             ? 0x3c
         : letter_bytes(letter) == 2 ? 0x5aa5
         : letter_bytes(letter) == 4 ? 0x5aa5c33c
                                     : UINT64_C(0x5aa5c33c96690ff0);
}

/* The operand whose register can be the destination too, or -1. */
static int shared_register(const Case *c) {
  if (c->results[0] == 'p' || c->results[0] == 'b' || c->results[0] == 0 || c->results[1]) return -1;
  for (int k = 0; c->operands[k]; k++)
    if (strcmp(register_type(c->operands[k]), register_type(c->results[0])) == 0 && c->operands[k] != 'm')
      return k;
  return -1;
}

static void put_code(Text *t, const Case *c, const char *guard, int masks, int as_destination) {
  for (const char *s = c->code; *s; s++) {
    if (*s == '@') {
      put(t, "%s", guard);
    } else if (s[0] == '%' && s[1] == 'a') {
      const int k = s[2] - '0';
      if (k == as_destination)
        put(t, "%%d0");
      else if (c->operands[k] == 'm')
        put(t, "%%m%d", masks);
      else
        put(t, "%%a%d", k);
      s += 2;
    } else {
      put(t, "%c", *s);
    }
  }
  put(t, "\n");
}

static void put_load(Text *t, char letter, const char *reg, int row) {
  if (letter == 'p')
    put(t, "ld.global.u8 %%r3,[%%x1+%d]; setp.ne.u32 %s,%%r3,0;\n", row * LANES * 8, reg);
  else
    put(t, "ld.global.%s %s,[%%x%d+%d];\n", register_type(letter), reg, letter_bytes(letter),
        row * LANES * 8);
}

static void put_result(Text *t, char letter, int i, int row) {
  if (letter == 'p')
    put(t, "selp.u32 %%r3,1,0,%%d%d; st.global.u8 [%%o1+%d],%%r3;\n", i, row * LANES * 8);
  else
    put(t, "st.global.%s [%%o%d+%d],%%d%d;\n", register_type(letter), letter_bytes(letter), row * LANES * 8,
        i);
}

/* k<number>(operands, results, flags). Row 6 of the operands: the lanes of the warp; 7: those with a flag. */
static void put_kernel(Text *t, size_t number, const Case *c) {
  put(t, ".visible .entry k%zu(.param .u64 in, .param .u64 out, .param .u64 flags) {\n", number);
  put(t, ".reg .pred %%g, %%t<4>; .reg .b16 %%h<4>; .reg .b32 %%r<8>, %%m<2>; .reg .b64 %%b<12>;\n"
         ".reg .b64 %%x<9>, %%o<9>;\n");
  for (int i = 0; c->results[i]; i++) put(t, ".reg .%s %%d%d;\n", register_type(c->results[i]), i);
  for (int k = 0; c->operands[k]; k++) put(t, ".reg .%s %%a%d;\n", register_type(c->operands[k]), k);
  put(t, "ld.param.u64 %%x0,[in]; ld.param.u64 %%o0,[out]; ld.param.u64 %%b0,[flags];\n"
         "mov.u32 %%r0,%%ctaid.x; mov.u32 %%r1,%%ntid.x; mov.u32 %%r2,%%tid.x; mad.lo.u32 "
         "%%r0,%%r0,%%r1,%%r2;\n");
  for (int bytes = 1; bytes <= 8; bytes *= 2)
    put(t, "mul.wide.u32 %%b1,%%r0,%d; add.u64 %%x%d,%%x0,%%b1; add.u64 %%o%d,%%o0,%%b1;\n", bytes, bytes,
        bytes);
  put(t,
      "cvt.u64.u32 %%b1,%%r0; add.u64 %%b0,%%b0,%%b1; ld.global.u8 %%r3,[%%b0]; setp.ne.u32 %%g,%%r3,0;\n");
  bool masks = false;
  for (int k = 0; c->operands[k]; k++) {
    char reg[8];
    snprintf(reg, sizeof reg, "%%a%d", k);
    if (c->operands[k] == 'm')
      masks = true;
    else
      put_load(t, c->operands[k], reg, k);
  }
  if (masks)
    put(t, "ld.global.b32 %%m0,[%%x4+%d]; ld.global.b32 %%m1,[%%x4+%d];\n", 6 * LANES * 8, 7 * LANES * 8);
  const int alias = shared_register(c);
  for (int v = 0; v < VARIANTS; v++) {
    for (int i = 0; c->results[i]; i++) {
      if (c->results[i] == 'p')
        put(t, "setp.eq.u32 %%d%d,0,0;\n", i);
      else if (c->results[i] == 'b')
        put(t, "mov.b32 %%r3,0x%" PRIx64 "; cvt.u8.u32 %%d%d,%%r3;\n", kept('b'), i);
      else if (v == 2 && alias >= 0)
        put(t, "mov.%s %%d0,%%a%d;\n", register_type(c->results[0]), alias);
      else if (letter_bytes(c->results[i]) == 8)
        put(t, "mov.b64 %%b2,0x%" PRIx64 "; mov.b64 %%d%d,%%b2;\n", kept('x'), i);
      else if (letter_bytes(c->results[i]) == 4)
        put(t, "mov.b32 %%r3,0x%" PRIx64 "; mov.b32 %%d%d,%%r3;\n", kept('w'), i);
      else
        put(t, "mov.b16 %%d%d,0x%" PRIx64 ";\n", i, kept('h'));
    }
    if (v == 2) put(t, "@!%%g bra END;\n");
    put_code(t, c, v == 1 ? "@%g " : "", v != 0, v == 2 ? alias : -1);
    if (v == 2) put(t, "END:\n");
    for (int i = 0; c->results[i]; i++) put_result(t, c->results[i], i, v * MAX_RESULTS + i);
  }
  put(t, "ret; }\n");
}

/* ---- results ------------------------------------------------------------------------------------ */

typedef struct Shape {
  uint32_t threads, lanes;
  bool one; /* one lane of each block has a flag, else a part of them, by chance */
} Shape;
static const Shape shapes[] = {{LANES / 2, LANES, false}, {84, SHAPES_LANES, true}, {1, 3, false}};

typedef struct Data {
  uint64_t value[MAX_OPERANDS][LANES];
  uint64_t want[LANES][MAX_RESULTS], some[LANES][MAX_RESULTS]; /* some: of a warp, those with a flag */
  uint8_t flag[LANES];
  bool unknown[2][LANES];      /* nothing is promised of the first result */
  uint32_t lanes_of[2][LANES]; /* all lanes of the warp; those with a flag */
} Data;
static Data data;

static uint64_t element(const uint8_t *rows, char letter, int row, uint32_t n) {
  const uint8_t *at = rows + (size_t)row * LANES * 8;
  switch (letter_bytes(letter)) {
  case 1: return at[n];
  case 2: return ((const uint16_t *)(const void *)at)[n];
  case 4: return ((const uint32_t *)(const void *)at)[n];
  default: return ((const uint64_t *)(const void *)at)[n];
  }
}

static void set_element(uint8_t *rows, char letter, int row, uint32_t n, uint64_t v) {
  const size_t bytes = (size_t)letter_bytes(letter);
  memcpy(rows + (size_t)row * LANES * 8 + n * bytes, &v, bytes);
}

static void expect_warps(const Case *c, const Shape *s, int some, uint64_t want[][MAX_RESULTS]) {
  static uint64_t values[WARP_LANES][MAX_OPERANDS];
  for (uint32_t block = 0; block < s->lanes; block += s->threads)
    for (uint32_t w = 0; w < s->threads; w += WARP_LANES) {
      const uint32_t first = block + w, n = s->threads - w < WARP_LANES ? s->threads - w : WARP_LANES;
      for (uint32_t l = 0; l < n; l++)
        for (int k = 0; c->operands[k]; k++)
          values[l][k] = c->operands[k] == 'm' ? data.lanes_of[some][first + l] : data.value[k][first + l];
      const Warp warp = {values, data.lanes_of[some][first]};
      for (uint32_t l = 0; l < n; l++)
        if (warp.active >> l & 1) data.unknown[some][first + l] = !c->warp(c, &warp, l, want[first + l]);
    }
}

static void differs(const Case *c, const Shape *s, const char *isa, int variant, uint32_t n, int i,
                    uint64_t want, uint64_t got) {
  static const char *const how[] = {"all lanes", "a guard", "a branch"};
  char text[256] = "";
  size_t at = 0;
  for (int k = 0; c->operands[k]; k++)
    at += (size_t)snprintf(text + at, sizeof text - at, " %" PRIx64, data.value[k][n]);
  char expected[32];
  snprintf(expected, sizeof expected, c->near && i == 0 && want == UINT64_MAX ? "far off" : "not %" PRIx64,
           want);
  wrong("%s (%s), %s, blocks of %u, thread %u, %s: of%s result %d is %" PRIx64 ", %s", c->form.text, c->code,
        isa, s->threads, n, how[variant], text, i, got, expected);
}

static void judge(const Case *c, const Shape *s, const char *isa, const uint8_t *out) {
  const int alias = shared_register(c);
  uint64_t operands[MAX_OPERANDS];
  for (int v = 0; v < VARIANTS; v++)
    for (int i = 0; c->results[i]; i++) {
      const char letter = c->results[i];
      const bool from_operand = v == 2 && alias >= 0;
      const uint64_t same = kept(letter);
      for (uint32_t n = 0; n < s->lanes; n++) {
        const uint64_t got = element(out, letter, v * MAX_RESULTS + i, n);
        if (v && !data.flag[n]) {
          const uint64_t off = from_operand ? data.value[alias][n] : same;
          if (got == off) continue;
          differs(c, s, isa, v, n, i, off, got);
          return;
        }
        const uint64_t *want = c->warp && v ? data.some[n] : data.want[n];
        if (!c->near && got == want[i]) continue;
        if (i == 0 && c->warp && data.unknown[v != 0][n]) continue;
        for (int k = 0; c->operands[k]; k++) operands[k] = data.value[k][n];
        if (i == 0 && c->near && c->near(c, operands, got)) continue;
        differs(c, s, isa, v, n, i, i == 0 && c->near ? UINT64_MAX : want[i], got);
        return;
      }
    }
}

static void set_flags(const Shape *s, uint8_t *flags) {
  for (uint32_t n = 0; n < s->lanes; n++) {
    const bool here = s->one ? n % s->threads == n / s->threads * 29 % s->threads : any_bits() % 8 < 5;
    data.flag[n] = here;
  }
  for (uint32_t n = 0; n < s->lanes; n++) {
    const uint32_t lane = n % s->threads % WARP_LANES, first = n - lane;
    data.lanes_of[0][n] = data.lanes_of[1][n] = 0;
    for (uint32_t l = 0; l < WARP_LANES && (n - lane) % s->threads + l < s->threads; l++) {
      data.lanes_of[0][n] |= (uint32_t)1 << l;
      data.lanes_of[1][n] |= (uint32_t)data.flag[first + l] << l;
    }
  }
  memcpy(flags, data.flag, s->lanes);
}

static int by_operands(const void *a, const void *b) {
  const Case *x = a, *y = b;
  const int order = strcmp(x->operands, y->operands);
  return order ? order : strcmp(x->code, y->code);
}

static void draw_operands(const char *letters, uint8_t *in) {
  for (int k = 0; letters[k]; k++)
    for (uint32_t n = 0; n < LANES; n++) {
      data.value[k][n] = letters[k] == 'm' ? 0 : operand(letters, k, n);
      if (letters[k] != 'm') set_element(in, letters[k], k, n, data.value[k][n]);
    }
}

/* Which build of the handlers a module's kernels get is settled when it is loaded. */
static const char *const isas[] = {"avx2", "sse2"};
#ifdef ONE_ISA /* both names get the one that there is */
enum { ISAS = 1 };
#else
enum { ISAS = 2 };
#endif

static SgModule *load_for(const char *text, int isa, bool tell) {
  setenv("CUDALUA_SOFT_ISA", isas[isa], 1);
  SgModule *m = module_load(text, tell);
  unsetenv("CUDALUA_SOFT_ISA");
  return m;
}

static void run_case(SgModule *const *m, size_t number, const Case *c, uint8_t *in, uint8_t *out,
                     uint8_t *flags) {
  uint64_t operands[MAX_OPERANDS];
  char name[16];
  snprintf(name, sizeof name, "k%zu", number);
  for (uint32_t lane = 0; c->reference && lane < LANES; lane++) {
    for (int k = 0; c->operands[k]; k++) operands[k] = data.value[k][lane];
    c->reference(c, operands, data.want[lane]);
  }
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const Shape *shape = &shapes[s];
    set_flags(shape, flags);
    for (uint32_t lane = 0; lane < shape->lanes; lane++)
      for (int some = 0; some < 2; some++) set_element(in, 'w', 6 + some, lane, data.lanes_of[some][lane]);
    if (c->warp) {
      expect_warps(c, shape, 0, data.want);
      expect_warps(c, shape, 1, data.some);
    }
    for (int isa = 0; isa < ISAS; isa++)
      if (run_kernel(m[isa], name, shape->lanes / shape->threads, shape->threads,
                     &(struct { void *a, *b, *c; }){in, out, flags}))
        judge(c, shape, isas[isa], out);
  }
}

static void run_module(const Case *first, size_t n, uint8_t *in, uint8_t *out, uint8_t *flags) {
  static char before[MAX_OPERANDS + 1];
  Text t = {0};
  put(&t, PTX_HEAD);
  for (size_t i = 0; i < n; i++) put_kernel(&t, i, &first[i]);
  SgModule *m[ISAS] = {load_for(t.p, 0, n == 1)};
  for (int isa = 1; m[0] && isa < ISAS; isa++) m[isa] = load_for(t.p, isa, true);
  for (size_t i = 0; !m[0] && n > 1 && i < n; i++) run_module(&first[i], 1, in, out, flags);
  for (size_t i = 0; m[ISAS - 1] && i < n; i++) {
    begin(first[i].form.text);
    if (strcmp(before, first[i].operands) != 0) draw_operands(strcpy(before, first[i].operands), in);
    run_case(m, i, &first[i], in, out, flags);
    finish();
  }
  for (int isa = 0; isa < ISAS; isa++) sg_module_unload(m[isa]);
  free(t.p);
}

void lanes_run(void) {
  uint8_t *in = device_memory((MAX_OPERANDS + 2) * LANES * 8),
          *out = device_memory(VARIANTS * MAX_RESULTS * LANES * 8), *flags = device_memory(LANES);
  qsort(cases, ncases, sizeof *cases, by_operands);
  for (size_t i = 0; i < ncases; i += MODULE)
    run_module(&cases[i], ncases - i < MODULE ? ncases - i : MODULE, in, out, flags);
  device_free(in);
  device_free(out);
  device_free(flags);
}
