/* All forms there are: those of the rows of ops.def, and those of the patterns of decode/legal.c. */
#include "decode/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"

enum {
  MAX_PARTS = 16,
  MAX_ALTERNATIVES = 24,
  MAX_WORD = 32,
  MANY = 700,
  MEMORY = 100,
  DRAWN = 4,
  BUCKETS = 1 << 16
};

typedef struct Pattern {
  char op[MAX_WORD];
  int nparts, count[MAX_PARTS];
  char word[MAX_PARTS][MAX_ALTERNATIVES][MAX_WORD]; /* "" where the part may be missing */
} Pattern;

static char *seen[BUCKETS];

static void found(const char *text, void (*f)(const Form *form)) {
  uint32_t h = 2166136261u;
  for (const char *s = text; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
  for (h %= BUCKETS; seen[h]; h = (h + 1) % BUCKETS)
    if (strcmp(seen[h], text) == 0) return;
  seen[h] = strdup(text);
  Form form;
  form_parse(&form, text);
  f(&form);
}

/* False: the pattern stands for more than it says, for it ends in *. */
static bool parse(Pattern *p, const char *at, size_t len) {
  const char *end = at + len;
  size_t n = strcspn(at, ". ");
  memset(p, 0, sizeof *p);
  snprintf(p->op, sizeof p->op, "%.*s", (int)n, at);
  at += n;
  while (at < end) {
    at++;
    n = strcspn(at, ". ");
    const bool optional = at[n - 1] == '?';
    const char *next = at + n;
    const int k = p->nparts++;
    if (n == 1 && *at == '*') return false;
    while (at < next - optional) {
      const size_t m = strcspn(at, "|?. ");
      snprintf(p->word[k][p->count[k]++], MAX_WORD, "%.*s", (int)m, at);
      at += m + 1;
    }
    if (optional) p->count[k]++;
    at = next;
  }
  return true;
}

static void pick(const Pattern *p, const int *choice, void (*f)(const Form *form)) {
  char text[256];
  size_t n = (size_t)snprintf(text, sizeof text, "%s", p->op);
  for (int k = 0; k < p->nparts; k++)
    if (p->word[k][choice[k]][0])
      n += (size_t)snprintf(text + n, sizeof text - n, ".%s", p->word[k][choice[k]]);
  found(text, f);
}

static uint32_t draw(uint32_t below) {
  static uint64_t state = 0x9e3779b97f4a7c15u;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

static bool is_one_of(const char *word, const char *const *list, int n) {
  while (n && strcmp(list[n - 1], word) != 0) n--;
  return n > 0;
}

static void expand(const Pattern *p, void (*f)(const Form *form)) {
  int choice[MAX_PARTS] = {0};
  uint64_t all = 1;
  for (int k = 0; k < p->nparts; k++) all *= (uint64_t)p->count[k];
  const bool memory = is_one_of(p->op, (const char *[]){"ld", "st", "atom", "red"}, 4);
  if (all > (memory ? MEMORY : MANY)) {
    /* Each word with others at random. */
    for (int k = 0; k < p->nparts; k++)
      for (int a = 0; a < p->count[k]; a++)
        for (int i = 0; i < DRAWN; i++) {
          for (int j = 0; j < p->nparts; j++) choice[j] = (int)draw((uint32_t)p->count[j]);
          choice[k] = a;
          pick(p, choice, f);
        }
    return;
  }
  for (;;) {
    pick(p, choice, f);
    int k = 0;
    while (k < p->nparts && ++choice[k] == p->count[k]) choice[k++] = 0;
    if (k == p->nparts) return;
  }
}

static void each_pattern(const char *patterns, void (*f)(const Form *form)) {
  static Pattern p;
  while (*patterns) {
    const size_t n = strcspn(patterns, " ");
    if (n && parse(&p, patterns, n)) expand(&p, f);
    patterns += n;
    patterns += strspn(patterns, " ");
  }
}

/* Some of what patterns that end in * stand for. */
static const char *const more[] = {"fence.mbarrier_init.release.cluster"};

void each_form(void (*f)(const Form *form)) {
  const char *op, *patterns;
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) found(more[i], f);
  for (int row = 0; row < OP_COUNT; row++) each_pattern(sg_op_rows[row].forms, f);
  for (size_t i = 0; (patterns = dec_patterns(i, &op)); i++) each_pattern(patterns, f);
  for (int i = 0; i < BUCKETS; i++) {
    free(seen[i]);
    seen[i] = NULL;
  }
}

const char *unlisted_instruction(size_t *at) {
  const char *name, *op;
  while ((name = dec_family((*at)++))) {
    bool listed = false;
    for (size_t i = 0; !listed && dec_patterns(i, &op); i++) listed = strcmp(op, name) == 0;
    if (!listed) return name;
  }
  return NULL;
}
