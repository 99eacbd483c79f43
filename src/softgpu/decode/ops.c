/* The rows of ops.def as data, and the match of a form against their patterns. */
#include "decode/ins.h"

#include <string.h>

#define OP(name, sig, flags, forms) {#name, sig, forms, flags},
#define MOP OP
#define ROP OP
const OpRow sg_op_rows[OP_COUNT] = {
#include "decode/ops.def"
};
#undef OP
#undef MOP
#undef ROP

/* One part of a pattern, "a|b|c" or "a?", against a modifier; *optional tells of the question mark. */
static bool part_fits(const char *part, size_t len, const char *mod, bool *optional) {
  *optional = len > 0 && part[len - 1] == '?';
  if (*optional) len--;
  if (!mod) return false;
  const size_t m = strlen(mod);
  while (len > 0) {
    const char *bar = memchr(part, '|', len);
    const size_t alt = bar ? (size_t)(bar - part) : len;
    if (alt == m && memcmp(part, mod, m) == 0) return true;
    if (!bar) break;
    part += alt + 1;
    len -= alt + 1;
  }
  return false;
}

static bool pattern_fits(const char *pattern, size_t len, const char *op, const char *const *mods,
                         uint32_t nmods) {
  const char *end = pattern + len;
  uint32_t at = 0;
  bool first = true;
  for (;;) {
    const char *dot = memchr(pattern, '.', (size_t)(end - pattern));
    const size_t n = (size_t)((dot ? dot : end) - pattern);
    bool optional;
    if (first) {
      if (strlen(op) != n || memcmp(op, pattern, n) != 0) return false;
      first = false;
    } else if (part_fits(pattern, n, at < nmods ? mods[at] : NULL, &optional)) {
      at++;
    } else if (!optional) {
      return false;
    }
    if (!dot) return at == nmods;
    pattern = dot + 1;
  }
}

/* "u32", "f16x2"; not "f4e", which is an order of bytes. */
static bool is_type(const char *mod) {
  const size_t digits = strspn(mod + (*mod != 0), "0123456789");
  return (*mod && strchr("bsuf", *mod) && digits && (!mod[1 + digits] || mod[1 + digits] == 'x')) ||
         strncmp(mod, "bf16", 4) == 0 || strncmp(mod, "tf32", 4) == 0 || strncmp(mod, "ue8m0", 5) == 0 ||
         (strlen(mod) > 4 && mod[0] == 'e' && mod[2] == 'm');
}

bool sg_form_fits(const char *pattern, size_t len, const char *op, const char *const *mods, uint32_t nmods,
                  uint8_t *place) {
  enum { MAX_PARTS = 32 };
  const char *part[MAX_PARTS], *end = pattern + len, *dot = memchr(pattern, '.', len);
  size_t length[MAX_PARTS], nparts = 0,
                            type = 0; /* parts from `type` on are left for the types that follow */
  bool used[MAX_PARTS] = {false}, rest = false, optional;
  if (strlen(op) != (size_t)((dot ? dot : end) - pattern) || memcmp(op, pattern, strlen(op)) != 0)
    return false;
  while (dot && nparts < MAX_PARTS) {
    part[nparts] = dot + 1;
    dot = memchr(dot + 1, '.', (size_t)(end - dot - 1));
    length[nparts] = (size_t)((dot ? dot : end) - part[nparts]);
    if (length[nparts] == 1 && *part[nparts] == '*')
      rest = true;
    else
      nparts++;
  }
  for (uint32_t i = 0; i < nmods; i++) {
    const bool ordered = is_type(mods[i]);
    size_t k = ordered ? type : 0;
    while (k < nparts && (used[k] || !part_fits(part[k], length[k], mods[i], &optional))) k++;
    if (k < nparts) used[k] = true;
    if (k == nparts && !rest) return false;
    if (place) place[i] = (uint8_t)k;
    if (ordered && k < nparts) type = k + 1;
  }
  for (size_t k = 0; k < nparts; k++)
    if (!used[k] && part[k][length[k] - 1] != '?') return false;
  return true;
}

static bool any_order(const char *pattern, size_t len, const char *op, const char *const *mods,
                      uint32_t nmods) {
  return sg_form_fits(pattern, len, op, mods, nmods, NULL);
}

static enum Op find(const char *op, const char *const *mods, uint32_t nmods,
                    bool (*fits)(const char *, size_t, const char *, const char *const *, uint32_t)) {
  for (int r = 0; r < OP_COUNT; r++) {
    for (const char *f = sg_op_rows[r].forms; *f;) {
      const size_t n = strcspn(f, " ");
      if (f[0] == op[0] && fits(f, n, op, mods, nmods)) return (enum Op)r;
      f += n;
      f += strspn(f, " ");
    }
  }
  return OP_COUNT;
}

enum Op sg_op_find(const char *op, const char *const *mods, uint32_t nmods) {
  const enum Op r = find(op, mods, nmods, pattern_fits);
  return r != OP_COUNT ? r : find(op, mods, nmods, any_order);
}
