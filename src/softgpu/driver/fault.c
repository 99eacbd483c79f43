/* Fault injection: the nth call of a function, or of any, from now on answers an error instead of doing
 * anything. */
#include "driver/drv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Rule {
  struct Rule *next;
  char api[64]; /* "": any */
  unsigned long left;
  CUresult error;
  bool sticky; /* also poisons the device of the current context */
} Rule;

static Rule *rules;

bool sg_fault_set(const char *api, const char *nth, const char *error, bool sticky) {
  long n;
  int code = error && *error ? sg_error_code(error) : CUDA_ERROR_UNKNOWN;
  if (!sg_parse_int(nth, 1, INT32_MAX, &n) || code <= 0 || strlen(api) >= sizeof rules->api) return false;
  if (strcmp(api, "*") == 0 || strcmp(api, "any") == 0)
    api = "";
  else if (!sg_entry_since(api))
    return false;
  Rule *r = calloc(1, sizeof *r);
  if (!r) return false;
  strcpy(r->api, api);
  r->left = (unsigned long)n;
  r->error = (CUresult)code;
  r->sticky = sticky;
  Rule **at = &rules;
  while (*at) at = &(*at)->next;
  *at = r;
  return true;
}

bool sg_fault_add(const char *text) {
  bool good = true;
  while (*text) {
    char rule[256], *part[4] = {NULL, NULL, NULL, NULL};
    size_t len = strcspn(text, ",");
    if (len >= sizeof rule) return false;
    memcpy(rule, text, len);
    rule[len] = 0;
    text += len + (text[len] == ',');
    int n = 0;
    char *rest = rule;
    while (n < 4 && rest) part[n++] = strsep(&rest, ":");
    bool sticky = part[3] && strcmp(part[3], "sticky") == 0;
    if (n < 2 || rest || (part[3] && !sticky) || !sg_fault_set(part[0], part[1], part[2], sticky))
      good = false;
  }
  return good;
}

void sg_fault_clear(void) {
  while (rules) {
    Rule *r = rules;
    rules = r->next;
    free(r);
  }
}

CUresult sg_fault_check(const char *symbol) {
  CUresult code = CUDA_SUCCESS;
  for (Rule **at = &rules, *r; (r = *at);) {
    bool hit = (!r->api[0] || strcmp(r->api, symbol) == 0) && --r->left == 0;
    if (!hit) {
      at = &r->next;
      continue;
    }
    code = r->error;
    CUresult none;
    SgContext *ctx = r->sticky ? sg_current(&none) : NULL;
    if (ctx) sg_poison(ctx->device, code);
    *at = r->next;
    free(r);
  }
  const char *name = sg_error_name(code);
  if (code)
    sg_say(CU_LOG_LEVEL_ERROR, "%s was made to fail by fault injection: %d %s", symbol, (int)code,
           name ? name : "");
  return code;
}
