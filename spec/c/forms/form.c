/* Words of forms: modifiers, types, registers. */
#include "form.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void form_parse(Form *f, const char *text) {
  memset(f, 0, sizeof *f);
  snprintf(f->text, sizeof f->text, "%s", text);
  const char *dot = strchr(text, '.');
  snprintf(f->op, sizeof f->op, "%.*s", (int)(dot ? dot - text : (long)strlen(text)), text);
  while (dot && f->nmods < MODIFIERS) {
    const char *next = strchr(dot + 1, '.');
    const int n = (int)(next ? next - dot - 1 : (long)strlen(dot + 1));
    snprintf(f->mod[f->nmods++], sizeof f->mod[0], "%.*s", n, dot + 1);
    dot = next;
  }
}

bool has(const Form *f, const char *mod) {
  for (int i = 0; i < f->nmods; i++)
    if (strcmp(f->mod[i], mod) == 0) return true;
  return false;
}

Type type_named(const char *word) {
  static const struct {
    const char *name;
    Type type;
  } names[] = {
      {"pred", {'p', 1, 1}},   {"bf16", {'n', 16, 1}},   {"bf16x2", {'n', 16, 2}}, {"f16x2", {'f', 16, 2}},
      {"u16x2", {'u', 16, 2}}, {"s16x2", {'s', 16, 2}},  {"f32x2", {'f', 32, 2}},  {"tf32", {'t', 32, 1}},
      {"e4m3x2", {'e', 8, 2}}, {"e5m2x2", {'e', 8, 2}},  {"e2m1x2", {'e', 4, 2}},  {"e2m3x2", {'e', 8, 2}},
      {"e3m2x2", {'e', 8, 2}}, {"ue8m0x2", {'e', 8, 2}}, {"e4m3x4", {'e', 8, 4}},  {"e5m2x4", {'e', 8, 4}},
      {"e2m1x4", {'e', 4, 4}}, {"e2m3x4", {'e', 8, 4}},  {"e3m2x4", {'e', 8, 4}}};
  char *end;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, word) == 0) return names[i].type;
  if (!word[0] || !strchr("usbf", word[0]) || word[1] < '1' || word[1] > '9') return (Type){0, 0, 0};
  const long bits = strtol(word + 1, &end, 10);
  return *end ? (Type){0, 0, 0} : (Type){word[0], (int)bits, 1};
}

Type type_of(const Form *f, int from_end) {
  for (int i = f->nmods - 1; i >= 0; i--) {
    const Type t = type_named(f->mod[i]);
    if (t.kind && from_end-- == 0) return t;
  }
  return (Type){0, 0, 0};
}

char letter_of(Type t) {
  if (t.kind == 'p') return 'p';
  if (t.kind == 'f' && t.parts == 1) return t.bits == 16 ? 'H' : t.bits == 32 ? 'f' : 'd';
  if (t.kind == 'n') return t.parts == 1 ? 'B' : 'K';
  if (t.kind == 'f' && t.bits == 16) return 'J';
  if (t.kind == 'f') return 'P';
  const int bits = t.bits * t.parts;
  return bits <= 16 ? 'h' : bits == 32 ? 'w' : 'x';
}

int letter_bytes(char letter) {
  switch (letter) {
  case 'b':
  case 'p': return 1;
  case 'h':
  case 'H':
  case 'B': return 2;
  case 'P':
  case 'x':
  case 'd': return 8;
  default: return 4;
  }
}

const char *register_type(char letter) {
  switch (letter) {
  case 'p': return "pred";
  case 'b': return "b8";
  case 'f': return "f32";
  case 'd': return "f64";
  default: break;
  }
  return letter_bytes(letter) == 2 ? "b16" : letter_bytes(letter) == 4 ? "b32" : "b64";
}

Case case_of(const Form *f, const char *results, const char *operands, Reference *reference) {
  Case c = {.form = *f, .reference = reference};
  snprintf(c.results, sizeof c.results, "%s", results);
  snprintf(c.operands, sizeof c.operands, "%s", operands);
  int n = snprintf(c.code, sizeof c.code, "@%s %%d0", f->text);
  for (int i = 0; operands[i]; i++) n += snprintf(c.code + n, sizeof c.code - (size_t)n, ",%%a%d", i);
  snprintf(c.code + n, sizeof c.code - (size_t)n, ";");
  return c;
}

void case_code(Case *c, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  if (vsnprintf(c->code, sizeof c->code, format, ap) >= (int)sizeof c->code) {
    fprintf(stderr, "the code for %s is too long\n", c->form.text);
    exit(2);
  }
  va_end(ap);
}
