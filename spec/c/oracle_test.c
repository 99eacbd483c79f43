/* Which instructions the software device's decoder takes, compared with what ptxas said of them. In
 * spec/data/oracle are forms.txt        patterns of instructions verdicts.txt     ptxas's answer to each of
 * them; spec/data/oracle/make_verdicts.lua writes it differences.txt  where the two are known to disagree,
 * how often, and why
 *
 * oracle_test DIR          the comparison; fails on any difference that is not in the list
 * oracle_test DIR forms    prints each instruction, a line each
 * oracle_test DIR differ   prints what they disagree about, and what the decoder says
 * oracle_test DIR count    prints differences.txt with the numbers of today */
#include "machine/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 512, MAX_SETS = 32 };

/* What every instruction finds declared; the tool's modules have the same. */
static const char head[] =
    ".version 9.0\n.target sm_80\n.address_size 64\n.global .align 16 .b8 g[256];\n.visible .entry k()\n{\n"
    ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %w<40>; .reg .b64 %x<20>; .reg .b128 %q<20>;\n"
    ".shared .align 16 .b8 s[256];\nb: .branchtargets L1;\nL1:\n";

static _Noreturn void die(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
  fputc('\n', stderr);
  exit(2);
}

static char *read_all(const char *dir, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "rb");
  if (!f) die("%s cannot be read", path);
  size_t size = 0, room = 1 << 20, got;
  char *text = malloc(room + 1);
  while (text && (got = fread(text + size, 1, room - size, f)) > 0)
    if ((size += got) == room) text = realloc(text, (room *= 2) + 1);
  fclose(f);
  if (!text) die("no memory for %s", path);
  text[size] = 0;
  return text;
}

/* ---- patterns ----------------------------------------------------------------------------------- */

typedef void Visit(void *arg, const char *instruction);

static struct { char *name, *text; } sets[MAX_SETS];
static int nsets;

static const char *set_text(const char *name, size_t len) {
  for (int i = 0; i < nsets; i++)
    if (strlen(sets[i].name) == len && memcmp(sets[i].name, name, len) == 0) return sets[i].text;
  die("there is no set %.*s", (int)len, name);
}

/* Bits of a type's register; 0: no type. */
static int bits_of(const char *word, size_t len) {
  static const char *const sixteen[] = {"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "ue8m0x2"};
  static const char *const thirty_two[] = {"tf32", "f16x2", "bf16x2", "u16x2", "s16x2", "u8x4", "s8x4"};
  char w[16], *end;
  if (len >= sizeof w) return 0;
  memcpy(w, word, len);
  w[len] = 0;
  if (strcmp(w, "pred") == 0) return 1;
  if (strcmp(w, "bf16") == 0) return 16;
  if (strcmp(w, "f32x2") == 0) return 64;
  if (strcmp(w, "e2m1x2") == 0) return 8;
  for (size_t i = 0; i < sizeof sixteen / sizeof *sixteen; i++)
    if (strcmp(w, sixteen[i]) == 0) return 16;
  for (size_t i = 0; i < sizeof thirty_two / sizeof *thirty_two; i++)
    if (strcmp(w, thirty_two[i]) == 0) return 32;
  if (!strchr("bsuf", w[0]) || !w[1]) return 0;
  const long n = strtol(w + 1, &end, 10);
  return *end || n < 4 ? 0 : (int)n;
}

/* The k-th type from the end of a form, as the letter of its registers; those of a byte are wider. */
static char type_letter(const char *form, int k) {
  for (const char *end = form + strlen(form); end > form;) {
    const char *dot = end;
    while (dot > form && *--dot != '.') {}
    const int bits = *dot == '.' ? bits_of(dot + 1, (size_t)(end - dot - 1)) : 0;
    if (bits && k-- == 0)
      return bits == 1 ? 'p' : bits == 16 ? 'h' : bits <= 32 ? 'w' : bits == 64 ? 'x' : 'q';
    end = dot;
  }
  return 'w';
}

static void add(char *out, size_t *n, const char *text, size_t len) {
  if (*n + len >= MAX_TEXT) die("this instruction is too long: %.60s", out);
  memcpy(out + *n, text, len);
  out[ *n += len] = 0;
}

static void with_operands(const char *form, const char *operands, size_t len, Visit *visit, void *arg) {
  char out[MAX_TEXT] = "", reg[16];
  size_t n = 0;
  int number = 1;
  add(out, &n, form, strlen(form));
  if (len) add(out, &n, " ", 1);
  for (size_t i = 0; i < len; i++) {
    char c = operands[i];
    if (c == '\'') {
      const char *close = memchr(operands + i + 1, '\'', len - i - 1);
      if (!close) die("a quote is not closed in the operands of %s", form);
      add(out, &n, operands + i + 1, (size_t)(close - operands) - i - 1);
      i = (size_t)(close - operands);
      continue;
    }
    if (c == 'T') c = type_letter(form, 0);
    if (c == 'S') c = type_letter(form, 1);
    if (c == 'D') {
      c = type_letter(form, 0);
      c = c == 'h' ? 'w' : c == 'w' ? 'x' : c == 'x' ? 'q' : c;
    }
    if (c && strchr("phwxq", c))
      add(out, &n, reg, (size_t)snprintf(reg, sizeof reg, "%%%c%d", c, number++));
    else
      add(out, &n, &c, 1);
  }
  add(out, &n, ";", 1);
  visit(arg, out);
}

static void with_form(const char *form, const char *operands, Visit *visit, void *arg) {
  if (!*operands) with_operands(form, "", 0, visit, arg);
  for (const char *at = operands; *at;) {
    const size_t len = strcspn(at, " ");
    with_operands(form, at, len, visit, arg);
    at += len + (at[len] == ' ');
  }
}

/* `done` holds what stands for the pattern up to `at`. */
static void expand(const char *done, const char *at, const char *operands, Visit *visit, void *arg) {
  char out[MAX_TEXT] = "";
  size_t n = 0, len = strcspn(at, "{");
  add(out, &n, done, strlen(done));
  add(out, &n, at, len);
  if (!at[len]) {
    with_form(out, operands, visit, arg);
    return;
  }
  const char *open = at + len + 1, *close = strchr(open, '}');
  if (!close) die("a brace is not closed: %s", at);
  char group[4096];
  const bool named = *open == '$';
  const char *alternatives = named ? set_text(open + 1, strcspn(open + 1, "|}")) : open;
  size_t some = named ? strlen(alternatives) : 0;
  /* {$set|more}: what follows the set's name is added to it */
  const char *rest = named ? open + 1 + strcspn(open + 1, "|}") : open;
  if (some + (size_t)(close - rest) >= sizeof group) die("a group is too long: %s", at);
  memcpy(group, alternatives, some);
  memcpy(group + some, rest, (size_t)(close - rest));
  group[some + (size_t)(close - rest)] = 0;
  for (const char *a = group;; a++) {
    const size_t m = strcspn(a, "|");
    size_t whole = n;
    add(out, &whole, a, m);
    expand(out, close + 1, operands, visit, arg);
    out[n] = 0;
    a += m;
    if (!*a) return;
  }
}

/* One line of forms.txt, which it changes. False: it stands for nothing. */
static bool expand_line(char *line, Visit *visit, void *arg) {
  if (!*line || *line == '#') return false;
  if (strncmp(line, "set ", 4) == 0) {
    char *name = line + 4, *text = strchr(name, ' ');
    if (!text || nsets == MAX_SETS) die("this is no set: %s", line);
    *text++ = 0;
    sets[nsets].name = name;
    sets[nsets++].text = text;
    return false;
  }
  char *colon = strstr(line, " :");
  if (!colon) die("operands are missing: %s", line);
  *colon = 0;
  expand("", line, colon[2] == ' ' ? colon + 3 : colon + 2, visit, arg);
  return true;
}

/* ---- verdicts ----------------------------------------------------------------------------------- */

typedef struct Verdicts {
  char *at;
  char current;
  unsigned long left;
} Verdicts;

/* Words of one letter and a count: '-' refused, else the first target that has it. */
static char next_verdict(Verdicts *v) {
  while (!v->left) {
    v->at += strspn(v->at, " \n");
    while (*v->at == '#') v->at += strcspn(v->at, "\n") + strspn(v->at + strcspn(v->at, "\n"), " \n");
    if (!*v->at) die("verdicts.txt is too short for forms.txt: run spec/data/oracle/make_verdicts.lua");
    v->current = *v->at++;
    v->left = *v->at >= '0' && *v->at <= '9' ? strtoul(v->at, &v->at, 10) : 1;
  }
  v->left--;
  return v->current;
}

/* ---- differences -------------------------------------------------------------------------------- */

typedef struct Rule {
  struct Rule *next;
  const char *comment; /* a line that is none, and all else empty */
  bool missing;        /* ptxas takes it, the decoder does not; else the other way round */
  unsigned long expected, found;
  const char *glob, *why;
} Rule;

static bool fits(const char *glob, const char *text) {
  for (; *glob != '*'; glob++, text++) {
    if (*glob != *text) return false;
    if (!*glob) return true;
  }
  for (glob++;; text++) {
    if (fits(glob, text)) return true;
    if (!*text) return false;
  }
}

/* Lines "missing|extra COUNT GLOB: why", the first that fits counts. */
static Rule *read_rules(char *text) {
  Rule *first = NULL, **at = &first;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    Rule *r = calloc(1, sizeof *r);
    if (!r) die("no memory for the rules");
    *at = r;
    at = &r->next;
    if (*line == '#') {
      r->comment = line;
      continue;
    }
    char *end, *count = strchr(line, ' '), *why = strstr(line, ": ");
    if (!count || !why) die("this is no rule: %s", line);
    r->missing = strncmp(line, "missing ", 8) == 0;
    r->expected = strtoul(count, &end, 10);
    *why = 0;
    r->glob = end + strspn(end, " ");
    r->why = why + 2;
  }
  return first;
}

/* ---- the comparison ----------------------------------------------------------------------------- */

typedef struct Run {
  Verdicts verdicts;
  Rule *rules;
  bool tell;
  unsigned long count, accepted, taken, missing, extra, strange;
} Run;

/* The decoder's answer: 0, or why not. */
static int decode(const char *instruction, SgDiag *diag) {
  char text[sizeof head + MAX_TEXT + 32];
  int code;
  const int n = snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, instruction);
  SgModule *m = sg_module_load(0, 1, text, (size_t)n, diag, &code);
  if (!m) return code;
  const char *missing = sg_kernel_missing(sg_module_kernel_at(m, 0));
  if (missing) snprintf(diag->text, sizeof diag->text, "%s", missing);
  code = missing ? 801 : 0;
  sg_module_unload(m);
  return code;
}

static void compare(void *arg, const char *instruction) {
  Run *r = arg;
  SgDiag diag;
  const char verdict = next_verdict(&r->verdicts);
  const int code = decode(instruction, &diag);
  const bool accepted = verdict != '-', taken = code == 0;
  r->count++;
  r->accepted += accepted;
  r->taken += taken;
  if (accepted == taken) return;
  *(accepted ? &r->missing : &r->extra) += 1;
  if (r->tell)
    printf("%s %c %s%s%s\n", accepted ? "missing" : "extra", verdict, instruction, taken ? "" : "  # ",
           taken ? "" : diag.text);
  for (Rule *rule = r->rules; rule; rule = rule->next) {
    if (rule->comment || rule->missing != accepted || !fits(rule->glob, instruction)) continue;
    rule->found++;
    /* What is PTX but not here leaves the module's other kernels as they are. */
    if (rule->missing && code != 801 && !strstr(rule->why, "(218)")) {
      r->strange++;
      if (!r->tell) fprintf(stderr, "PTX that the device lacks, refused as if it were none: %s\n", diag.text);
    }
    return;
  }
  r->strange++;
  if (!r->tell)
    fprintf(stderr, "%s: %s\n",
            accepted ? "ptxas takes it, the device does not" : "the device takes it, ptxas does not",
            instruction);
}

static void print(void *arg, const char *instruction) {
  (void)arg;
  puts(instruction);
}

static int count(const Run *r) {
  for (const Rule *rule = r->rules; rule; rule = rule->next) {
    if (rule->comment)
      puts(rule->comment);
    else if (rule->found)
      printf("%s %lu %s: %s\n", rule->missing ? "missing" : "extra", rule->found, rule->glob, rule->why);
  }
  return 0;
}

static int judge(const Run *r) {
  bool good = r->strange == 0;
  for (const Rule *rule = r->rules; rule; rule = rule->next) {
    if (rule->found == rule->expected) continue;
    good = false;
    fprintf(stderr, "differences.txt: %s %s: %lu of them, not %lu (%s)\n",
            rule->missing ? "missing" : "extra", rule->glob, rule->found, rule->expected, rule->why);
  }
  printf("%lu instructions: ptxas takes %lu, the device %lu; %lu that the device lacks, %lu that it takes "
         "all the same\n",
         r->count, r->accepted, r->taken, r->missing, r->extra);
  return good ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) die("usage: oracle_test DIR [forms|differ|count]");
  const char *dir = argv[1], *what = argc == 3 ? argv[2] : "";
  const bool forms = strcmp(what, "forms") == 0, counts = strcmp(what, "count") == 0;
  if (!forms && !sg_arena_open(1, 1 << 24)) die("no memory for the device");
  Run r = {.tell = strcmp(what, "differ") == 0};
  char *text = read_all(dir, "forms.txt"), *verdicts = NULL, *rules = NULL;
  if (!forms) {
    r.verdicts.at = verdicts = read_all(dir, "verdicts.txt");
    r.rules = read_rules(rules = read_all(dir, "differences.txt"));
  }
  char *next;
  for (char *line = text; line; line = next) {
    if ((next = strchr(line, '\n')) != NULL) *next++ = 0;
    expand_line(line, forms ? print : compare, &r);
  }
  const int status = counts ? count(&r) : forms || r.tell ? 0 : judge(&r);
  for (Rule *rule = r.rules, *after; rule; rule = after) {
    after = rule->next;
    free(rule);
  }
  free(text);
  free(verdicts);
  free(rules);
  return status;
}
