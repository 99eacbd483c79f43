/* Addresses and their spaces: cvta, isspacep; a cluster of one block. */
#include <stdio.h>
#include <string.h>

#include "form.h"

/* Windows lie where they lie: what is tested is that the two conversions undo each other, that a generic
 * address leads to the same memory, and that isspacep knows it. */
static void there_and_back(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  r[0] = v[0] & 0xff8;
  r[1] = 1;
}

static void is_of(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)v;
  r[0] = c->choice != 0;
}

static void same(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  r[0] = v[0];
}
static void first_rank(const Case *c, const uint64_t *v, uint64_t *r) {
  (void)c;
  (void)v;
  r[0] = 0;
}

/* An address of each space, generic, in %c; the parameters of a kernel have one too. */
static const struct {
  const char *space, *code;
} addresses[] = {{"shared", "cvta.shared.u64 %c,16;"},
                 {"local", "cvta.local.u64 %c,16;"},
                 {"param", "cvta.param.u64 %c,8;"},
                 {"global", "mov.b64 %c,%x0;"}};

static bool is_in(const char *space, const char *asked) {
  return strncmp(asked, space, strlen(space)) == 0 && strcmp(asked, "const") != 0;
}

bool space_of_address(const Form *f) {
  Case c;
  if (strcmp(f->op, "mapa") == 0) {
    const char l = letter_of(type_of(f, 0));
    c = case_of(f, (char[]){l, 0}, (char[]){l, 0}, same);
    case_code(&c, "@%s %%d0,%%a0,0;", f->text);
    case_add(&c);
    return true;
  }
  if (strcmp(f->op, "getctarank") == 0) {
    const char l = letter_of(type_of(f, 0));
    c = case_of(f, "w", (char[]){l, 0}, first_rank);
    case_add(&c);
    return true;
  }
  if (strcmp(f->op, "isspacep") == 0) {
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
      c = case_of(f, "p", "", is_of);
      c.choice = is_in(addresses[i].space, f->mod[0]);
      case_code(&c, "{ .reg .b64 %%c; %s @%s %%d0,%%c; }", addresses[i].code, f->text);
      case_add(&c);
    }
    return true;
  }
  /* cvta: 32-bit addresses are none of this device's. */
  if (type_of(f, 0).bits != 64) return false;
  const char *space = f->mod[has(f, "to")];
  c = case_of(f, "xp", "x", there_and_back);
  case_code(&c,
            "{ .reg .b64 %%c<3>; and.b64 %%c0,%%a0,4088; @cvta.%s.u64 %%c1,%%c0; @cvta.to.%s.u64 %%d0,%%c1; "
            "@isspacep.%s "
            "%%d1,%%c1; }",
            space, space, space);
  if (strcmp(space, "global") == 0 || strcmp(space, "const") == 0)
    case_code(
        &c,
        "{ .reg .b64 %%c<3>; and.b64 %%c0,%%a0,4088; @cvta.%s.u64 %%c1,%%c0; @cvta.to.%s.u64 %%d0,%%c1; "
        "@setp.eq.u64 %%d1,%%c0,%%c1; }",
        space, space);
  case_add(&c);
  return true;
}
