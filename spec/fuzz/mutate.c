/* A mutator that knows what PTX is made of: lines, words, modifiers, numbers, and the forms of ops.def. Bytes
 * changed at random rarely get past the lexer; these changes often get as far as the decoder, or a launch. */
#include "fuzz.h"
#include "decode/ins.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out,
                                 size_t max, unsigned int seed);

enum { MAX_TOKENS = 1 << 15, MAX_PIECE = 4096 };

typedef struct Span {
  size_t at, len;
} Span;

typedef enum TokenKind { WORD, MODIFIER, NUMBER, OTHER } TokenKind;

typedef struct Token {
  Span span;
  TokenKind kind;
} Token;

typedef struct Text {
  char *data;
  size_t size, max;
  uint64_t random;
  Token token[MAX_TOKENS];
  size_t ntokens;
} Text;

static uint32_t draw(Text *t, size_t below) {
  t->random ^= t->random << 13;
  t->random ^= t->random >> 7;
  t->random ^= t->random << 17;
  return below ? (uint32_t)((t->random >> 16) % below) : 0;
}

/* Replaces a span; nothing happens where the result is too long. */
static void put(Text *t, Span s, const char *piece, size_t n) {
  if (t->size - s.len + n > t->max) return;
  memmove(t->data + s.at + n, t->data + s.at + s.len, t->size - s.at - s.len);
  memcpy(t->data + s.at, piece, n);
  t->size = t->size - s.len + n;
}

static void put_text(Text *t, Span s, const char *piece) { put(t, s, piece, strlen(piece)); }

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

static void tokenize(Text *t) {
  t->ntokens = 0;
  for (size_t i = 0; i < t->size && t->ntokens < MAX_TOKENS;) {
    const size_t start = i;
    const char c = t->data[i++];
    TokenKind kind = OTHER;
    if (is_word(c) || (c == '.' && i < t->size && is_word(t->data[i]))) {
      kind = c == '.' ? MODIFIER : c >= '0' && c <= '9' ? NUMBER : WORD;
      while (i < t->size && (is_word(t->data[i]) || t->data[i] == ':')) i++;
    }
    if (c > ' ') t->token[t->ntokens++] = (Token){{start, i - start}, kind};
  }
}

static const Token *any_token(Text *t, TokenKind kind) {
  size_t n = 0;
  for (size_t i = 0; i < t->ntokens; i++) n += t->token[i].kind == kind;
  if (!n) return NULL;
  n = draw(t, n);
  for (size_t i = 0; i < t->ntokens; i++)
    if (t->token[i].kind == kind && n-- == 0) return &t->token[i];
  return NULL;
}

static size_t line_start(const Text *t, size_t at) {
  while (at > 0 && t->data[at - 1] != '\n') at--;
  return at;
}

/* A line with its end. */
static Span any_line(Text *t) {
  const size_t at = line_start(t, draw(t, t->size));
  const char *end = memchr(t->data + at, '\n', t->size - at);
  return (Span){at, end ? (size_t)(end - t->data) + 1 - at : t->size - at};
}

/* --- words of PTX --- */

static const char *const modifiers[] = {".b8",
                                        ".b16",
                                        ".b32",
                                        ".b64",
                                        ".b128",
                                        ".u8",
                                        ".u16",
                                        ".u32",
                                        ".u64",
                                        ".s8",
                                        ".s16",
                                        ".s32",
                                        ".s64",
                                        ".f16",
                                        ".f16x2",
                                        ".bf16",
                                        ".bf16x2",
                                        ".f32",
                                        ".f64",
                                        ".pred",
                                        ".v2",
                                        ".v4",
                                        ".v8",
                                        ".global",
                                        ".shared",
                                        ".local",
                                        ".const",
                                        ".param",
                                        ".shared::cta",
                                        ".shared::cluster",
                                        ".volatile",
                                        ".relaxed",
                                        ".acquire",
                                        ".release",
                                        ".acq_rel",
                                        ".gpu",
                                        ".cta",
                                        ".sys",
                                        ".to",
                                        ".sync",
                                        ".idx",
                                        ".up",
                                        ".down",
                                        ".bfly",
                                        ".all",
                                        ".any",
                                        ".ballot",
                                        ".uni",
                                        ".aligned",
                                        ".red",
                                        ".popc",
                                        ".and",
                                        ".or",
                                        ".rni",
                                        ".rzi",
                                        ".rmi",
                                        ".rpi",
                                        ".sat",
                                        ".satfinite",
                                        ".relu",
                                        ".e4m3x2",
                                        ".e5m2x2",
                                        ".cc",
                                        ".ftz",
                                        ".rn",
                                        ".nc",
                                        ".async",
                                        ".ca",
                                        ".cg",
                                        ".reg",
                                        ".align",
                                        ".extern",
                                        ".visible",
                                        ".weak",
                                        ".common",
                                        ".entry",
                                        ".func",
                                        ".maxntid",
                                        ".reqntid",
                                        ".loc",
                                        ".file",
                                        ".ptr",
                                        ".attribute",
                                        ".noreturn",
                                        ".alias",
                                        ".pragma",
                                        ".branchtargets",
                                        ".callprototype",
                                        ".x",
                                        ".y",
                                        ".z",
                                        ".w"};

static const char *const numbers[] = {"0",
                                      "1",
                                      "2",
                                      "4",
                                      "7",
                                      "8",
                                      "15",
                                      "16",
                                      "31",
                                      "32",
                                      "33",
                                      "63",
                                      "64",
                                      "127",
                                      "255",
                                      "256",
                                      "1023",
                                      "1024",
                                      "4096",
                                      "32764",
                                      "32768",
                                      "65535",
                                      "65536",
                                      "524288",
                                      "1048576",
                                      "2147483647",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "0xFFFFFFFFFFFFFFFF",
                                      "0f00000000",
                                      "0f7F800000",
                                      "0fFFC00001",
                                      "0d3FF0000000000000",
                                      "0d7FF8000000000000",
                                      "1.5",
                                      "1e308",
                                      "-1",
                                      "-2147483648",
                                      "-9223372036854775808",
                                      "%tid.x",
                                      "%laneid",
                                      "WARP_SZ"};

/* Statements that lead somewhere; the names are those of most kernels of the corpus. */
static const char *const statements[] = {
    "bra L1;\n",
    "@%p1 bra L1;\n",
    "@!%p1 bra.uni L2;\n",
    "L1:\n",
    "L2:\n",
    "{\n",
    "}\n",
    "ret;\n",
    "exit;\n",
    "trap;\n",
    "bar.sync 0;\n",
    "barrier.sync 1, 32;\n",
    "bar.red.popc.u32 %r1, 0, %p1;\n",
    "bar.warp.sync -1;\n",
    "bar.arrive 2, 64;\n",
    "ld.global.u32 %r1, [%rd1];\n",
    "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+16];\n",
    "st.global.u32 [%rd1+4], %r1;\n",
    "ld.shared.u64 %rd2, [s];\n",
    "st.shared.u8 [s+3], %r1;\n",
    "ld.local.u32 %r2, [l+4];\n",
    "st.local.v2.u32 [l], {%r1,%r2};\n",
    "ld.param.u64 %rd1, [p0];\n",
    "ld.param.u32 %r1, [p1+4];\n",
    "ld.u32 %r1, [%rd1];\n",
    "st.f64 [%rd1], %fd1;\n",
    "ld.volatile.global.u32 %r1, [%rd1];\n",
    "atom.global.add.u32 %r1, [%rd1], 1;\n",
    "red.shared.max.s32 [s], %r2;\n",
    "atom.global.cas.b64 %rd2, [%rd1], %rd2, %rd3;\n",
    "atom.add.noftz.f16x2 %r1, [%rd1], %r2;\n",
    "cvta.to.global.u64 %rd1, %rd1;\n",
    "cvta.shared.u64 %rd2, %rd3;\n",
    "mov.u64 %rd2, s;\n",
    "mov.u64 %rd2, f;\n",
    "mov.b64 {%r1,%r2}, %rd1;\n",
    "mov.b32 %r1, {%rs1,%rs2};\n",
    "call f, (%rd1);\n",
    "call.uni (r), f, (p0);\n",
    "call (%r1), %rd2, (%r2), proto;\n",
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n",
    "setp.lt.s32 %p1, %r1, %r2;\n",
    "setp.eq.and.u32 %p1|%p2, %r1, 3, !%p3;\n",
    "selp.f32 %f1, %f2, %f3, %p1;\n",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\n",
    "vote.sync.ballot.b32 %r1, %p1, -1;\n",
    "match.any.sync.b32 %r1, %r2, -1;\n",
    "redux.sync.add.s32 %r1, %r2, -1;\n",
    "activemask.b32 %r1;\n",
    "brx.idx %r1, list;\n",
    "list: .branchtargets L1, L2;\n",
    "cvt.rn.f32.s32 %f1, %r1;\n",
    "cvt.rzi.u8.f64 %r1, %fd1;\n",
    "cvt.sat.s8.s32 %r1, %r2;\n",
    "add.cc.u32 %r1, %r2, %r3;\n",
    "addc.u32 %r1, %r2, %r3;\n",
    "cp.async.ca.shared.global [s], [%rd1], 16;\n",
    "cp.async.wait_all;\n",
    "mbarrier.init.shared.b64 [s], 1;\n",
    "mbarrier.arrive.shared.b64 %rd2, [s];\n",
    "isspacep.shared %p1, %rd1;\n",
    "nanosleep.u32 10;\n",
    "membar.gl;\n",
    "fence.acq_rel.gpu;\n",
    ".reg .b32 %r<99>;\n",
    ".reg .pred p, q;\n",
    ".local .align 16 .b8 l[64];\n",
    ".shared .align 8 .b8 s[256];\n",
    ".extern .shared .align 16 .b8 d[];\n",
    ".param .b32 r;\n",
    ".global .u32 g = 7;\n",
    ".const .f32 c[4] = {1.0, 2.0};\n",
    ".global .u64 t[2] = {f, g+4};\n",
    ".loc 1 2 3\n",
    ".file 1 \"a.cu\"\n",
    ".func (.param .b32 r) f(.param .b64 p0) { ret; }\n",
    ".visible .entry k2(.param .u64 p0, .param .u32 p1) { ret; }\n",
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n",
    "// next\n"};

/* Part k of a pattern of ops.def: one of its alternatives. */
static size_t alternative(Text *t, const char *part, size_t len, char *out) {
  size_t n = 1, at = 0;
  if (len && part[len - 1] == '?' && (len--, draw(t, 2))) return 0;
  for (size_t i = 0; i < len; i++) n += part[i] == '|';
  for (size_t pick = draw(t, n); pick; pick--)
    at = (size_t)((const char *)memchr(part + at, '|', len - at) - part) + 1;
  const char *bar = memchr(part + at, '|', len - at);
  n = bar ? (size_t)(bar - part) - at : len - at;
  *out = '.';
  memcpy(out + 1, part + at, n);
  return n + 1;
}

/* A form of ops.def: opcode and modifiers. *sig is what it takes. */
static size_t any_form(Text *t, char *out, const char **sig) {
  const OpRow *row;
  do row = &sg_op_rows[draw(t, OP_COUNT)];
  while (!row->forms[0]);
  *sig = row->sig;
  const char *p = row->forms;
  for (size_t skip = draw(t, 3); skip && strchr(p, ' '); skip--) p = strchr(p, ' ') + 1;
  size_t n = strcspn(p, ". ");
  memcpy(out, p, n);
  for (p += n; *p == '.';) {
    const size_t len = strcspn(p + 1, ". ");
    n += alternative(t, p + 1, len, out + n);
    p += 1 + len;
  }
  return n;
}

/* Registers as NVRTC names them. */
static size_t operand(Text *t, char letter, char *out) {
  static const char *const names[] = {"p%p", "b%rs", "h%rs", "H%rs", "B%rs", "w%r", "x%rd", "f%f", "d%fd"};
  const char *name = "%r";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i][0] == letter) name = names[i] + 1;
  if (letter == 'i' || draw(t, 8) == 0) name = numbers[draw(t, sizeof numbers / sizeof *numbers)];
  const size_t n = strlen(name);
  memcpy(out, name, n);
  if (name[0] != '%' || name[1] == 't' || name[1] == 'l') return n;
  out[n] = (char)('1' + draw(t, 4));
  return n + 1;
}

static void insert_instruction(Text *t) {
  char out[512];
  const char *sig;
  size_t n = 0;
  if (draw(t, 4) == 0) {
    memcpy(out, "@%p1 ", 5);
    n = 5;
  }
  n += any_form(t, out + n, &sig);
  out[n++] = ' ';
  for (bool first = true; *sig; sig++) {
    if (*sig == ':') continue;
    if (!first) out[n++] = ',';
    first = false;
    n += operand(t, *sig, out + n);
  }
  out[n++] = ';';
  out[n++] = '\n';
  put(t, (Span){line_start(t, draw(t, t->size)), 0}, out, n);
}

/* --- changes --- */

static void copy_line(Text *t) {
  char line[MAX_PIECE];
  const Span s = any_line(t);
  if (s.len > sizeof line) return;
  memcpy(line, t->data + s.at, s.len);
  if (draw(t, 2)) put(t, s, "", 0); /* moved */
  put(t, (Span){line_start(t, draw(t, t->size)), 0}, line, s.len);
}

static void like_another(Text *t) {
  char piece[MAX_PIECE];
  const Token *a = &t->token[draw(t, t->ntokens)], *b = any_token(t, a->kind);
  if (!b || b->span.len > sizeof piece) return;
  memcpy(piece, t->data + b->span.at, b->span.len);
  put(t, a->span, piece, b->span.len);
}

static void change_modifier(Text *t) {
  const Token *a = any_token(t, MODIFIER);
  if (!a) return;
  Span s = a->span;
  const uint32_t how = draw(t, 4);
  if (how == 0) {
    put(t, s, "", 0);
    return;
  }
  if (how == 1) {
    s.at += s.len;
    s.len = 0;
  }
  put_text(t, s, modifiers[draw(t, sizeof modifiers / sizeof *modifiers)]);
}

/* Another opcode for the operands that are there. */
static void change_opcode(Text *t) {
  char out[256];
  const char *sig;
  const Span line = any_line(t);
  size_t at = line.at;
  const size_t end = line.at + line.len;
  while (at < end && !(t->data[at] >= 'a' && t->data[at] <= 'z')) at++;
  size_t stop = at;
  while (stop < end && (is_word(t->data[stop]) || t->data[stop] == '.' || t->data[stop] == ':')) stop++;
  if (stop > at) put(t, (Span){at, stop - at}, out, any_form(t, out, &sig));
}

static void change(Text *t) {
  tokenize(t);
  if (!t->ntokens) return;
  const Token *number;
  switch (draw(t, 10)) {
  case 0: put(t, any_line(t), "", 0); break;
  case 1: copy_line(t); break;
  case 2:
  case 3: like_another(t); break;
  case 4:
    if ((number = any_token(t, NUMBER)) != NULL)
      put_text(t, number->span, numbers[draw(t, sizeof numbers / sizeof *numbers)]);
    break;
  case 5: change_modifier(t); break;
  case 6: change_opcode(t); break;
  case 7: insert_instruction(t); break;
  case 8:
    put_text(t, (Span){line_start(t, draw(t, t->size)), 0},
             statements[draw(t, sizeof statements / sizeof *statements)]);
    break;
  default: put(t, t->token[draw(t, t->ntokens)].span, "", 0); break;
  }
}

static Text text;

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  text.data = (char *)data;
  text.size = size;
  text.max = max_size;
  text.random = seed * 0x9e3779b97f4a7c15u + 1;
  if (!size || draw(&text, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (uint32_t n = 1 + draw(&text, 4) * draw(&text, 2); n; n--) change(&text);
  return text.size;
}

/* Lines of b among those of a. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out,
                                 size_t max, unsigned int seed) {
  if (na > max) na = max;
  memcpy(out, a, na);
  text.data = (char *)out;
  text.size = na;
  text.max = max;
  text.random = seed * 0x9e3779b97f4a7c15u + 2;
  size_t from = draw(&text, nb), n;
  while (from > 0 && b[from - 1] != '\n') from--;
  n = draw(&text, nb - from < 600 ? nb - from : 600);
  while (from + n < nb && b[from + n - 1 + (n == 0)] != '\n') n++;
  put(&text, (Span){line_start(&text, draw(&text, na)), 0}, (const char *)b + from, n);
  return text.size;
}
