/* Tests of the machine (src/softgpu/machine.h): every ALU form on edge operands against references written
 * here, for all lanes, some and one; then whole kernels for memory, divergence, barriers, warps and faults.
 * Prints one TAP line a case; exits non-zero when one fails. */
#include "machine.h"
#include "config.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a harness of a few lines ----------------------------------------------------------------- */

static int ncases, nfailed;
static bool case_ok;

static void check(bool ok, const char *what, int line) {
  if (ok) return;
  case_ok = false;
  printf("# line %d: %s\n", line, what);
}
#define CHECK(c) check((c), #c, __LINE__)

static void report(const char *name) {
  ncases++;
  if (!case_ok) nfailed++;
  printf("%s %d - %s\n", case_ok ? "ok" : "not ok", ncases, name);
}

static void run(const char *name, void (*f)(void)) {
  case_ok = true;
  f();
  report(name);
}

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"

static SgModule *load(const char *text) {
  SgDiag diag;
  int code;
  SgModule *m = sg_module_load(0, 1, text, strlen(text), &diag, &code);
  if (!m) {
    printf("# code %d: %s\n", code, diag.text);
    check(false, "this module should load", 0);
  }
  return m;
}

static int launch3(SgModule *m, const char *name, const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic,
                   const void *params, SgFault *fault) {
  SgLaunch l = {.kernel = sg_module_kernel(m, name), .dynamic_shared = dynamic, .params = params};
  memcpy(l.grid, grid, sizeof l.grid);
  memcpy(l.block, block, sizeof l.block);
  memset(fault, 0, sizeof *fault);
  if (!l.kernel) {
    check(false, "the kernel exists", 0);
    return -1;
  }
  return sg_machine_run(&l, fault);
}
static int launch(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params, SgFault *fault) {
  return launch3(m, name, (uint32_t[]){blocks, 1, 1}, (uint32_t[]){threads, 1, 1}, 0, params, fault);
}
/* A launch that must succeed. */
static void go(SgModule *m, const char *name, uint32_t blocks, uint32_t threads, const void *params) {
  SgFault fault;
  if (!m) return;
  const int code = launch(m, name, blocks, threads, params, &fault);
  if (code) {
    printf("# %s: %d: %s\n", name, code, fault.text);
    case_ok = false;
  }
}

static void *device(size_t bytes) {
  SgAlloc *a = sg_arena_alloc(0, bytes, 256, SG_DEVICE, 1, "");
  if (!a) exit(2);
  memset((void *)(uintptr_t)a->base, 0, bytes);
  return (void *)(uintptr_t)a->base;
}
static void release(void *p) { sg_arena_free(sg_arena_find((uint64_t)(uintptr_t)p)); }

/* ---- references: bits in, bits out ------------------------------------------------------------- */

enum { RN, RZ, RM, RP };

static uint32_t raw(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return u;
}
static uint64_t raw_d(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  return u;
}
static float value(uint64_t bits) {
  const uint32_t u = (uint32_t)bits;
  float x;
  memcpy(&x, &u, 4);
  return x;
}
static double value_d(uint64_t u) {
  double x;
  memcpy(&x, &u, 8);
  return x;
}
static uint64_t f(float x) { return isnan(x) ? 0x7fffffff : raw(x); }
static uint64_t d(double x) { return isnan(x) ? 0xfff8000000000000u : raw_d(x); }
static float flush(float x) { return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x; }
static float unit(float x) { return isnan(x) || x <= 0 ? 0.0f : x >= 1 ? 1.0f : x; }
static __int128 clamp(__int128 v, __int128 lo, __int128 hi) { return v < lo ? lo : v > hi ? hi : v; }
static int64_t low24(uint32_t v) { return (v & 0x800000) ? (int64_t)(v & 0xffffff) - 0x1000000 : (int64_t)(v & 0xffffff); }

static uint64_t reverse(uint64_t v, int bits) {
  uint64_t r = 0;
  for (int i = 0; i < bits; i++) r |= (v >> i & 1) << (bits - 1 - i);
  return r;
}
static uint64_t leading(uint64_t v, int bits) {
  int n = 0;
  while (n < bits && !(v >> (bits - 1 - n) & 1)) n++;
  return (uint64_t)n;
}
static uint64_t ones(uint64_t v) {
  uint64_t n = 0;
  for (; v; v &= v - 1) n++;
  return n;
}
static uint64_t find(uint64_t v, int bits, bool sign, bool shift) {
  const uint64_t top = v >> (bits - 1) & 1;
  for (int i = bits - 1; i >= 0; i--)
    if ((v >> i & 1) != (sign ? top : 0)) return (uint64_t)(shift ? bits - 1 - i : i);
  return UINT32_MAX;
}
static uint64_t extract(uint64_t v, uint32_t pos, uint32_t len, uint32_t bits, bool sign) {
  uint64_t r = 0;
  pos &= 255;
  len &= 255;
  const uint32_t at = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
  const uint64_t s = sign && len ? v >> at & 1 : 0;
  for (uint32_t i = 0; i < bits; i++) r |= (i < len && pos + i < bits ? v >> (pos + i) & 1 : s) << i;
  return r;
}
static uint64_t insert(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t bits) {
  pos &= 255;
  len &= 255;
  for (uint32_t i = 0; i < len && pos + i < bits && i < bits; i++) {
    b &= ~((uint64_t)1 << (pos + i));
    b |= (a >> i & 1) << (pos + i);
  }
  return b;
}
static uint64_t mask_bits(uint32_t pos, uint32_t len) {
  uint64_t r = 0;
  for (uint32_t i = pos; i < pos + len && i < 32; i++) r |= (uint64_t)1 << i;
  return r;
}
static uint64_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint8_t bytes[8], out[4];
  memcpy(bytes, &a, 4);
  memcpy(bytes + 4, &b, 4);
  for (int i = 0; i < 4; i++) {
    const uint32_t k = c >> (4 * i);
    out[i] = (k & 8) ? ((bytes[k & 7] & 0x80) ? 0xff : 0) : bytes[k & 7];
  }
  uint32_t r;
  memcpy(&r, out, 4);
  return r;
}
static uint64_t dot4(uint32_t a, uint32_t b, uint32_t c) {
  int64_t r = (int32_t)c;
  for (int i = 0; i < 4; i++) r += (int8_t)(a >> (8 * i)) * (int8_t)(b >> (8 * i));
  return (uint32_t)r;
}
static float least(float x, float y) {
  if (isnan(x)) return y;
  if (isnan(y)) return x;
  if (x == y) return signbit(x) ? x : y;
  return x < y ? x : y;
}
static float greatest(float x, float y) { return isnan(x) ? y : isnan(y) ? x : -least(-x, -y); }
static double least_d(double x, double y) {
  if (isnan(x)) return y;
  if (isnan(y)) return x;
  if (x == y) return signbit(x) ? x : y;
  return x < y ? x : y;
}
static float add_f(volatile float x, volatile float y) { return x + y; }
static float mul_f(volatile float x, volatile float y) { return x * y; }
static float div_f(volatile float x, volatile float y) { return x / y; }
static uint64_t rounded2(int mode, float (*op)(volatile float, volatile float), float x, float y) {
  fesetround(mode);
  volatile float r = op(x, y);
  fesetround(FE_TONEAREST);
  return f(r);
}
static uint64_t rounded3(int mode, float x, float y, float z) {
  fesetround(mode);
  volatile float r = fmaf(x, y, z);
  fesetround(FE_TONEAREST);
  return f(r);
}
static uint64_t rounded_d(int mode, char op, volatile double x, volatile double y) {
  fesetround(mode);
  volatile double r = op == '+' ? x + y : op == '*' ? x * y : x / y;
  fesetround(FE_TONEAREST);
  return d(r);
}
static uint64_t narrowed(int mode, volatile double x) {
  fesetround(mode);
  volatile float r = (float)x;
  fesetround(FE_TONEAREST);
  return f(r);
}
/* A 64-bit integer fits a long double: one rounding. */
static uint64_t rounded_int(int mode, volatile long double x) {
  fesetround(mode);
  volatile float r = (float)x;
  fesetround(FE_TONEAREST);
  return f(r);
}
#define integral(x, mode)                                                                                    \
  ((mode) == RN ? roundeven_of(x) : (mode) == RZ ? truncl(x) : (mode) == RM ? floorl(x) : ceill(x))
static long double roundeven_of(long double x) {
  const long double t = truncl(x), r = fabsl(x - t);
  if (isnan(x) || isinf(x) || r == 0) return x;
  if (r > 0.5L || (r == 0.5L && fmodl(t, 2) != 0)) return t + copysignl(1, x);
  return copysignl(t, x);
}
static uint64_t to_int(long double x, int mode, int bits, bool sign, bool nan_top) {
  if (isnan(x)) return nan_top ? (uint64_t)1 << (bits - 1) : 0;
  const long double r = integral(x, mode);
  const long double lo = sign ? -ldexpl(1, bits - 1) : 0, hi = ldexpl(1, sign ? bits - 1 : bits);
  if (r <= lo) return sign ? (uint64_t)-1 << (bits - 1) : 0;
  if (r >= hi) return sign ? ((uint64_t)1 << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  return r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
}
static double half_value(uint32_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return (h & 0x8000) ? -v : v;
}
/* Rounds to `digits` binary digits, not below 2^least: to nearest even, or toward zero. */
static long double fit(long double x, int digits, int lowest, int mode) {
  int e;
  if (x == 0 || isinf(x)) return x;
  frexpl(x, &e);
  const int q = e - digits > lowest ? e - digits : lowest;
  const long double scaled = ldexpl(x, -q);
  return ldexpl(mode == FE_TOWARDZERO ? truncl(scaled) : roundeven_of(scaled), q);
}
static uint64_t half(long double x, int mode) {
  if (isnan(x)) return 0x7fff;
  const uint32_t sign = signbit(x) ? 0x8000 : 0;
  long double r = fabsl(fit(x, 11, -24, mode));
  if (isinf(x)) return sign | 0x7c00;
  if (r >= 65536) return sign | (mode == FE_TOWARDZERO ? 0x7bff : 0x7c00);
  if (r < 0x1p-14L) return sign | (uint32_t)ldexpl(r, 24);
  int e;
  r = frexpl(r, &e);
  return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexpl(r, 11) & 1023);
}
static uint64_t brain(float x) {
  if (isnan(x)) return 0x7fff;
  const long double r = fit(x, 8, -133, FE_TONEAREST);
  return raw((float)r) >> 16;
}

#define U0 ((uint32_t)v[0])
#define U1 ((uint32_t)v[1])
#define U2 ((uint32_t)v[2])
#define U3 ((uint32_t)v[3])
#define S0 ((int32_t)v[0])
#define S1 ((int32_t)v[1])
#define S2 ((int32_t)v[2])
#define H0 ((uint16_t)v[0])
#define H1 ((uint16_t)v[1])
#define H2 ((uint16_t)v[2])
#define I0 ((int16_t)v[0])
#define I1 ((int16_t)v[1])
#define L0 (v[0])
#define L1 (v[1])
#define L2 (v[2])
#define M0 ((int64_t)v[0])
#define M1 ((int64_t)v[1])
#define F0 value(v[0])
#define F1 value(v[1])
#define F2 value(v[2])
#define D0 value_d(v[0])
#define D1 value_d(v[1])
#define D2 value_d(v[2])
#define P0 (v[0] != 0)
#define P1 (v[1] != 0)
#define P2 (v[2] != 0)

#define REF2(line) reference_##line
#define REF(line) REF2(line)
#define FORM(form, sig, expr)                                                                                \
  static uint64_t REF(__LINE__)(const uint64_t *v) { return (uint64_t)(expr); }
#include "machine_forms.def"
#undef FORM

typedef struct Form {
  const char *form, *sig;
  uint64_t (*reference)(const uint64_t *v);
} Form;

#define FORM(form, sig, expr) {form, sig, REF(__LINE__)},
static const Form forms[] = {
#include "machine_forms.def"
};
#undef FORM
enum { NFORMS = sizeof forms / sizeof *forms };

/* ---- operands ---------------------------------------------------------------------------------- */

static const uint64_t edge_w[] = {0,      1,       2,          3,          7,          8,          15,         16,
                                  31,     32,      33,         63,         64,         65,         127,        128,
                                  255,    256,     0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
                                  0xffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0x3210, 0xfffffffe, 0xffffffff};
static const uint64_t edge_x[] = {0, 1, 2, 31, 32, 63, 64, 255, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                                  0x100000000, 0x100000001, 0x1fffffffffffff, 0x20000000000001, 0x7fffffff80000000,
                                  0x7fffff4000000001, 0x7ffffffffffffc01, 0x7fffffffffffffff, 0x8000000000000000,
                                  0x8000000000000001, 0xaaaaaaaa55555555, 0xffffffff00000000, 0xffffffff7fffffff,
                                  0xffffffffffffff80, 0xffffffffffff7fff, 0xfffffffffffffffe, 0xffffffffffffffff};
static const float edge_f[] = {0.0f,    -0.0f,    0x1p-149f, -0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, -0x1p-126f, 1e-20f, 0.1f,
                               0.25f,   0.5f,     -0.5f,     1.0f,       -1.0f,            1.5f,      -1.5f,      2.0f,   2.5f,
                               -2.5f,   3.0f,     127.5f,    255.5f,     -128.5f,          32767.5f,  65504.0f,   65519.0f, 65520.0f,
                               16777215.0f, 16777216.0f, 2147483520.0f, 2147483648.0f, -2147483648.0f, 4294967040.0f,
                               4294967296.0f, 9.2233715e18f, 9.2233720e18f, 1.8446742e19f, 1.8446744e19f, 1e30f, 0x1.fffffep+127f,
                               -0x1.fffffep+127f, INFINITY, -INFINITY, NAN, 0x1.002p0f, 0x1.006p-15f, 0x1.ffep-15f, 5.9604645e-8f, 2.9802322e-8f};
static const double edge_d[] = {0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp-1023, 0x1p-1022, 1e-100, 0x1p-150, 0x1.8p-149, 0.1,
                                0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 1.0000000596046448, 1.0000000596046450, 65519.999999, 65520.0,
                                2147483647.0, 2147483647.5, -2147483648.5, 4294967295.0, 4294967295.5, 9.2233720368547748e18,
                                9.2233720368547758e18, -9.2233720368547758e18, 1.8446744073709550e19, 1.8446744073709552e19,
                                3.4028235677973366e38, 3.4028235e38, 1e300, 0x1.fffffffffffffp+1023, INFINITY, -INFINITY, NAN};
static const uint64_t edge_h[] = {0, 1, 2, 15, 16, 127, 128, 255, 256, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x7bff, 0x7c00, 0x7fff,
                                  0x8000, 0x8001, 0xbc00, 0xc100, 0xfbff, 0xfc00, 0xffff, 0x5555, 0x1234};

static uint64_t seed = 88172645463325252u;
static uint64_t rnd(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

static size_t edges(char letter) {
  switch (letter) {
  case 'p': return 2;
  case 'f': return sizeof edge_f / sizeof *edge_f;
  case 'd': return sizeof edge_d / sizeof *edge_d;
  case 'x': return sizeof edge_x / sizeof *edge_x;
  case 'w': return sizeof edge_w / sizeof *edge_w;
  default: return sizeof edge_h / sizeof *edge_h;
  }
}
static uint64_t edge(char letter, size_t i) {
  switch (letter) {
  case 'p': return i & 1;
  case 'f': return raw(edge_f[i]);
  case 'd': return raw_d(edge_d[i]);
  case 'x': return edge_x[i];
  case 'w': return edge_w[i];
  default: return edge_h[i];
  }
}
/* Number i of the operands at place k: all pairs of edges first, then anything. */
static uint64_t operand(char letter, uint32_t k, uint32_t i, const char *sources) {
  const size_t n0 = edges(sources[0]), n1 = sources[1] ? edges(sources[1]) : 1;
  if (i < n0 * n1) {
    if (k == 0) return edge(letter, i % n0);
    if (k == 1) return edge(letter, i / n0);
    return edge(letter, rnd() % edges(letter));
  }
  uint64_t v = rnd();
  if (rnd() % 4 == 0) return edge(letter, rnd() % edges(letter));
  if (letter == 'p') return v & 1;
  if (letter == 'w' || letter == 'f') return v & UINT32_MAX;
  if (letter == 'h' || letter == 'H' || letter == 'B') return v & 0xffff;
  return v;
}

static const char *type_of(char letter) {
  switch (letter) {
  case 'w': return "b32";
  case 'f': return "f32";
  case 'x': return "b64";
  case 'd': return "f64";
  case 'p': return "pred";
  default: return "b16";
  }
}

/* ---- every form -------------------------------------------------------------------------------- */

typedef struct Text {
  char *p;
  size_t n, room;
} Text;
static void put(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *format, ...) {
  va_list ap;
  if (t->room - t->n < 4096) t->p = realloc(t->p, t->room = t->room * 2 + 8192);
  va_start(ap, format);
  t->n += (size_t)vsnprintf(t->p + t->n, t->room - t->n, format, ap);
  va_end(ap);
}

#define CANARY UINT64_C(0x5aa5c33c96690ff0)

/* k<number>(in, out, flags, mode): mode 0 all threads, 1 those with a flag by a guard, 2 by a branch. */
static void put_kernel(Text *t, int number, const Form *fm) {
  const char *src = strchr(fm->sig, ':') + 1;
  const char result = fm->sig[0];
  char form[64];
  snprintf(form, sizeof form, "%s", fm->form);
  char *imm = strchr(form, ' ');
  if (imm) *imm++ = 0;
  put(t, ".visible .entry k%d(.param .u64 in, .param .u64 out, .param .u64 flags, .param .u32 mode) {\n", number);
  put(t, ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<12>; .reg .b64 %%c;\n");
  put(t, ".reg .%s %%d; .reg .b32 %%t; .reg .b64 %%o;\n", type_of(result));
  for (int k = 0; src[k]; k++) put(t, ".reg .%s %%a%d;\n", type_of(src[k]), k);
  put(t, "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; ld.param.u64 %%rd3,[flags]; ld.param.u32 %%r5,[mode];\n"
         "mov.u32 %%r1,%%ctaid.x; mov.u32 %%r2,%%ntid.x; mov.u32 %%r3,%%tid.x; mad.lo.s32 %%r4,%%r1,%%r2,%%r3;\n"
         "mul.wide.u32 %%rd4,%%r4,32; add.s64 %%rd5,%%rd1,%%rd4; mul.wide.u32 %%rd6,%%r4,8; add.s64 %%rd7,%%rd2,%%rd6;\n"
         "cvt.u64.u32 %%rd8,%%r4; add.s64 %%rd9,%%rd3,%%rd8; ld.global.u8 %%r6,[%%rd9]; setp.ne.s32 %%p0,%%r6,0;\n");
  for (int k = 0; src[k]; k++) {
    if (src[k] == 'p') put(t, "ld.global.u8 %%r7,[%%rd5+%d]; setp.ne.s32 %%a%d,%%r7,0;\n", 8 * k, k);
    else put(t, "ld.global.%s %%a%d,[%%rd5+%d];\n", type_of(src[k]), k, 8 * k);
  }
  put(t, "mov.b64 %%c,0x%" PRIx64 ";\n", CANARY);
  if (result == 'p') put(t, "setp.eq.u32 %%d,0,1;\n");
  else if (strchr("xd", result)) put(t, "mov.b64 %%d,%%c;\n");
  else if (strchr("wf", result)) put(t, "cvt.u32.u64 %%t,%%c; mov.b32 %%d,%%t;\n");
  else put(t, "cvt.u16.u64 %%d,%%c;\n");
  put(t, "setp.eq.s32 %%p1,%%r5,1; @%%p1 bra ONE; setp.eq.s32 %%p2,%%r5,2; @%%p2 bra TWO;\n");
  for (int mode = 0; mode < 3; mode++) {
    put(t, "%s", mode == 0 ? "" : mode == 1 ? "ONE: @%p0 " : "TWO: @!%p0 bra END;\n");
    put(t, "%s %%d", form);
    for (int k = 0; src[k]; k++) put(t, ",%%a%d", k);
    put(t, "%s%s; bra END;\n", imm ? "," : "", imm ? imm : "");
  }
  put(t, "END:\n");
  if (result == 'p') put(t, "selp.u32 %%t,1,0,%%d; cvt.u64.u32 %%o,%%t;\n");
  else if (strchr("xd", result)) put(t, "mov.b64 %%o,%%d;\n");
  else if (strchr("wf", result)) put(t, "mov.b32 %%t,%%d; cvt.u64.u32 %%o,%%t;\n");
  else put(t, "cvt.u64.u16 %%o,%%d;\n");
  put(t, "st.global.u64 [%%rd7],%%o; ret;\n}\n");
}

static uint64_t canary(char result) {
  return result == 'p' ? 0 : strchr("xd", result) ? CANARY : strchr("wf", result) ? CANARY & UINT32_MAX : CANARY & 0xffff;
}

typedef struct FormParams {
  const void *in;
  void *out;
  const uint8_t *flags;
  uint32_t mode;
} FormParams;

static void all_forms(const char *isa) {
  enum { THREADS = 992, BLOCKS = 3, N = THREADS * BLOCKS };
  setenv("CUDALUA_SOFT_ISA", isa, 1);
  Text t = {0};
  put(&t, "%s", HEAD);
  for (int i = 0; i < NFORMS; i++) put_kernel(&t, i, &forms[i]);
  SgModule *m = load(t.p);
  free(t.p);
  uint64_t *in = device(N * 32), *out = device(N * 8);
  uint8_t *flags = device(N);
  for (int i = 0; m && i < NFORMS; i++) {
    const Form *fm = &forms[i];
    const char *src = strchr(fm->sig, ':') + 1;
    case_ok = true;
    for (uint32_t n = 0; n < N; n++)
      for (uint32_t k = 0; k < 4; k++) in[n * 4 + k] = src[0] && k < strlen(src) ? operand(src[k], k, n, src) : 0;
    /* All threads; a ragged half; one. */
    for (uint32_t pass = 0; pass < 5 && case_ok; pass++) {
      const uint32_t mode = pass == 0 ? 0 : 1 + pass % 2;
      for (uint32_t n = 0; n < N; n++) flags[n] = pass < 3 ? rnd() % 2 : n % THREADS == 77 + i % 800;
      FormParams p = {in, out, flags, mode};
      char name[16];
      snprintf(name, sizeof name, "k%d", i);
      go(m, name, BLOCKS, THREADS, &p);
      for (uint32_t n = 0; n < N && case_ok; n++) {
        const uint64_t want = mode == 0 || flags[n] ? fm->reference(&in[n * 4]) : canary(fm->sig[0]);
        if (out[n] == want) continue;
        case_ok = false;
        printf("# %s mode %u thread %u: %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " gives %" PRIx64 ", not %" PRIx64 "\n",
               fm->form, mode, n, in[n * 4], in[n * 4 + 1], in[n * 4 + 2], in[n * 4 + 3], out[n], want);
      }
    }
    char name[96];
    snprintf(name, sizeof name, "%s (%s)", fm->form, isa);
    report(name);
  }
  release(in);
  release(out);
  release(flags);
  sg_module_unload(m);
  unsetenv("CUDALUA_SOFT_ISA");
}

/* Approximate functions: within the manual's bounds of the true value. */
static void approximations(void) {
  static const struct {
    const char *form;
    double (*f)(double);
    double lo, hi, relative, absolute;
  } table[] = {{"ex2.approx.f32", exp2, -140, 127, 0x1p-22, 0},    {"ex2.approx.ftz.f32", exp2, -100, 127, 0x1p-22, 0},
               {"lg2.approx.f32", log2, 1e-44, 1e38, 0x1p-22, 0x1p-22}, {"sin.approx.f32", sin, -3, 3, 0, 0x1p-20},
               {"cos.approx.f32", cos, -3, 3, 0, 0x1p-20},         {"tanh.approx.f32", tanh, -10, 10, 0x1p-11, 0},
               {"sqrt.approx.f32", sqrt, 0, 1e38, 0x1p-22, 0}};
  enum { N = 4096 };
  float *in = device(N * 4), *out = device(N * 4);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    Text t = {0};
    put(&t, HEAD ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %%rd<8>; .reg .b32 %%r<8>; .reg .f32 %%f<4>;\n"
                 "ld.param.u64 %%rd1,[in]; ld.param.u64 %%rd2,[out]; mov.u32 %%r1,%%ctaid.x; mov.u32 %%r2,%%ntid.x;\n"
                 "mov.u32 %%r3,%%tid.x; mad.lo.s32 %%r4,%%r1,%%r2,%%r3; mul.wide.s32 %%rd3,%%r4,4; add.s64 %%rd4,%%rd1,%%rd3;\n"
                 "add.s64 %%rd5,%%rd2,%%rd3; ld.global.f32 %%f1,[%%rd4]; %s %%f2,%%f1; st.global.f32 [%%rd5],%%f2; ret; }\n",
        table[i].form);
    SgModule *m = load(t.p);
    free(t.p);
    for (int n = 0; n < N; n++) {
      const double u = (double)(rnd() >> 11) * 0x1p-53;
      in[n] = (float)(table[i].lo > 0 ? exp(log(table[i].lo) + u * (log(table[i].hi) - log(table[i].lo)))
                                      : table[i].lo + u * (table[i].hi - table[i].lo));
    }
    go(m, "k", N / 256, 256, &(struct { void *a, *b; }){in, out});
    for (int n = 0; n < N && case_ok; n++) {
      const double want = table[i].f((double)in[n]), error = fabs((double)out[n] - want);
      if (error <= fabs(want) * table[i].relative + table[i].absolute + 0x1p-149) continue;
      printf("# %s of %a gives %a, not %a\n", table[i].form, (double)in[n], (double)out[n], want);
      case_ok = false;
    }
    sg_module_unload(m);
  }
  release(in);
  release(out);
}
