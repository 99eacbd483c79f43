/* Operations among the lanes of a warp. All that execute one name each other in the member mask. */
#include <stdio.h>
#include <string.h>

#include "float.h"

static bool among(const Warp *w, uint32_t lane) { return lane < 32 && w->active >> lane & 1; }

/* As the manual's pseudo code has it. Nothing is promised of what a lane that is off would give. */
static bool shuffle(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  const uint64_t *v = w->operands[lane];
  const int l = (int)lane, b = (int)(v[1] & 31), clamp = (int)(v[2] & 31), segment = (int)(v[2] >> 8 & 31);
  const int most = (l & segment) | (clamp & ~segment), least = l & segment;
  int from = l;
  bool inside = true;
  if (has(&c->form, "up")) from = l - b, inside = from >= most;
  if (has(&c->form, "down")) from = l + b, inside = from <= most;
  if (has(&c->form, "bfly")) from = l ^ b, inside = from <= most;
  if (has(&c->form, "idx")) from = least | (b & ~segment), inside = from <= most;
  if (!inside) from = l;
  r[0] = w->operands[from & 31][0];
  r[1] = inside;
  return among(w, (uint32_t)from);
}

static bool vote(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  uint32_t yes = 0;
  (void)lane;
  for (uint32_t i = 0; i < 32; i++)
    if (among(w, i)) yes |= (uint32_t)((w->operands[i][0] != 0) != (c->choice != 0)) << i;
  r[0] = has(&c->form, "all")   ? yes == w->active
         : has(&c->form, "any") ? yes != 0
         : has(&c->form, "uni") ? yes == 0 || yes == w->active
                                : yes;
  return true;
}

static bool match(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  uint32_t same = 0;
  for (uint32_t i = 0; i < 32; i++)
    if (among(w, i)) same |= (uint32_t)(w->operands[i][0] == w->operands[lane][0]) << i;
  r[0] = has(&c->form, "any") ? same : same == w->active ? same : 0;
  r[1] = same == w->active;
  return true;
}

static bool reduce(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  const bool sign = c->from.kind == 's';
  uint64_t result = w->operands[lane][0];
  for (uint32_t i = 0; i < 32; i++) {
    if (!among(w, i) || i == lane) continue;
    const uint64_t x = w->operands[i][0];
    const bool less = sign ? (int32_t)(uint32_t)x < (int32_t)(uint32_t)result : x < result;
    if (has(&c->form, "add")) result = (uint32_t)(result + x);
    if (has(&c->form, "and")) result &= x;
    if (has(&c->form, "or")) result |= x;
    if (has(&c->form, "xor")) result ^= x;
    if ((has(&c->form, "min") && less) || (has(&c->form, "max") && !less)) result = x;
  }
  r[0] = result;
  return true;
}

/* Of floats: a number wins over NaN, unless .NaN says otherwise; -0 is less than +0. */
static bool reduce_floats(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  const uint64_t sign = has(&c->form, "abs") ? 0x80000000 : 0;
  bool some_nan = false, number = false;
  uint64_t best = 0;
  (void)lane;
  for (uint32_t i = 0; i < 32; i++) {
    if (!among(w, i)) continue;
    const uint64_t x = w->operands[i][0] & ~sign;
    if (is_nan(&SINGLE, x)) {
      some_nan = true;
      continue;
    }
    const Exact a = exact_of(&SINGLE, x), b = exact_of(&SINGLE, best);
    const int order = compare(a, b) ? compare(a, b) : b.negative - a.negative;
    if (!number || (has(&c->form, "min") ? order < 0 : order > 0)) best = x;
    number = true;
  }
  r[0] = number && !(some_nan && has(&c->form, "NaN")) ? best : plain_nan(&SINGLE);
  return true;
}

static bool active(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  (void)c;
  (void)lane;
  r[0] = w->active;
  return true;
}

/* Any one of them: the device takes the first. */
static bool elect(const Case *c, const Warp *w, uint32_t lane, uint64_t *r) {
  (void)c;
  r[0] = (uint64_t)__builtin_ctz(w->active);
  r[1] = r[0] == lane;
  return true;
}

static Case of_warp(const Form *f, const char *results, const char *operands, WarpReference *reference) {
  Case c = case_of(f, results, operands, NULL);
  c.warp = reference;
  c.from = type_of(f, 0);
  return c;
}

static bool shuffles(const Form *f) {
  Case c = of_warp(f, "wp", "wscm", shuffle);
  case_code(&c, "@%s %%d0|%%d1,%%a0,%%a1,%%a2,%%a3;", f->text);
  case_add(&c);
  c = of_warp(f, "w", "wscm", shuffle);
  case_add(&c);
  return true;
}

bool warp_operation(const Form *f) {
  Case c;
  if (strcmp(f->op, "shfl") == 0) return shuffles(f);
  if (strcmp(f->op, "vote") == 0) {
    c = of_warp(f, has(f, "ballot") ? "w" : "p", "pm", vote);
    case_add(&c);
    c.choice = 1;
    case_code(&c, "@%s %%d0,!%%a0,%%a1;", f->text);
  } else if (strcmp(f->op, "match") == 0) {
    c = of_warp(f, "w", (char[]){letter_of(type_of(f, 0)), 'm', 0}, match);
    if (has(f, "all")) {
      case_add(&c);
      snprintf(c.results, sizeof c.results, "wp");
      case_code(&c, "@%s %%d0|%%d1,%%a0,%%a1;", f->text);
    }
  } else if (strcmp(f->op, "redux") == 0) {
    c = type_of(f, 0).kind == 'f' ? of_warp(f, "f", "fm", reduce_floats) : of_warp(f, "w", "wm", reduce);
  } else if (strcmp(f->op, "activemask") == 0) {
    c = of_warp(f, "w", "", active);
    case_code(&c, "@%s %%d0;", f->text);
  } else {
    c = of_warp(f, "wp", "m", elect);
    case_code(&c, "@%s %%d0|%%d1,%%a0;", f->text);
  }
  case_add(&c);
  return true;
}
