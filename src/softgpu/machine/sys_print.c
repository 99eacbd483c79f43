/* printf of kernels: vprintf(format, arguments), the arguments one after the other in memory as a struct of
 * them would be. The text is made at once, as the C library of the host prints it, and kept by the context
 * until somebody waits for the device. */
#include "machine/device_functions.h"
#include "machine/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_ARGUMENTS = 32,
  MOST_FORMAT = 1 << 16, /* bytes of a format string */
  MOST_STRING = 1 << 20, /* ... and of one that is printed */
  MOST_WIDTH = 1 << 16,  /* wider fields and longer fractions are cut down to this */
  RECORD_BYTES = 16,     /* what a call takes of the buffer, beside its arguments and strings */
  NO_MEMORY = -2         /* what printf returns then */
};

typedef struct Out {
  char *data;
  size_t size, room;
  bool failed;
} Out;

static char *more(Out *o, size_t n) {
  if (o->size + n + 1 > o->room) {
    const size_t room = (o->size + n + 1) * 2;
    char *p = realloc(o->data, room);
    if (!p) {
      o->failed = true;
      return NULL;
    }
    o->data = p;
    o->room = room;
  }
  return o->data + o->size;
}

static void add(Out *o, const char *text, size_t n) {
  char *to = more(o, n);
  if (!to) return;
  memcpy(to, text, n);
  o->size += n;
}

/* Of any length. */
static void print_into(Out *o, const char *format, ...) {
  enum { MOSTLY = 120 };
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  char *to = more(o, MOSTLY);
  const int n = to ? vsnprintf(to, MOSTLY + 1, format, list) : 0;
  if (n > MOSTLY) {
    to = more(o, (size_t)n);
    if (to) vsnprintf(to, (size_t)n + 1, format, again);
  }
  if (to && n > 0) o->size += (size_t)n;
  va_end(again);
  va_end(list);
}

bool sg_lane_string(Gang *g, uint32_t lane, uint64_t address, size_t most, char **text, size_t *length) {
  Out o = {0};
  for (uint32_t step = 64; o.size < most;) {
    const char *p = sg_lane_memory(g, lane, address + o.size, step, false);
    if (!p && step > 1) {
      step = 1; /* the end of what can be read is near */
      continue;
    }
    if (!p) {
      free(o.data);
      return false;
    }
    const size_t n = strnlen(p, step);
    add(&o, p, n);
    if (n < step || o.failed) break;
  }
  if (o.size > most) o.size = most;
  char *end = more(&o, 0);
  if (end) *end = 0;
  *text = o.failed ? NULL : o.data;
  *length = o.size;
  if (o.failed) free(o.data);
  return true;
}

/* One printf. */
typedef struct Print {
  Gang *g;
  uint32_t lane;
  uint64_t args, at; /* where they are, and how far they have been read */
  int count;
  size_t cost;
  Out out;
  bool fault;
} Print;

/* %[flags][width][.precision][size]type; -1: none */
typedef struct Spec {
  char flags[8];
  int width, precision;
  enum { S_SHORT, S_INT, S_LONG } size;
  char type;
} Spec;

static bool is_defined(Print *p, const void *from, size_t bytes) {
  p->fault = p->g->undefined && !sg_undefined_taken(p->g, p->lane, from, bytes, "is printed");
  return !p->fault;
}

/* The next argument, of 4 or 8 bytes. */
static uint64_t argument(Print *p, uint32_t bytes) {
  uint64_t v = 0;
  p->at = (p->at + bytes - 1) & ~(uint64_t)(bytes - 1);
  const unsigned long long address = p->args + p->at;
  const void *from = sg_lane_memory(p->g, p->lane, address, bytes, false);
  if (!from) {
    sg_raise(p->g, SG_ILLEGAL_ADDRESS, p->lane,
             "printf reads its argument %d at 0x%llx, which is not memory of the thread", p->count + 1,
             address);
    p->fault = true;
    return 0;
  }
  if (!is_defined(p, from, bytes)) return 0;
  memcpy(&v, from, bytes);
  p->at += bytes;
  p->count++;
  p->cost += 8;
  return v;
}

static bool arguments_left(const Print *p, int wanted) {
  return p->args && p->count + wanted <= MOST_ARGUMENTS;
}

static int read_number(const char **at) {
  int n = 0;
  for (; **at >= '0' && **at <= '9'; ++*at)
    if (n <= MOST_WIDTH) n = n * 10 + (**at - '0');
  return n;
}

static void set_flag(Spec *s, char c) {
  const size_t n = strlen(s->flags);
  if (!strchr(s->flags, c)) s->flags[n] = c;
}

static int cut(int n) { return n < MOST_WIDTH ? n : MOST_WIDTH; }

static void integer(Print *p, const Spec *s, const char *head) {
  char format[48];
  uint64_t v = argument(p, s->size == S_LONG ? 8 : 4);
  if (p->fault) return;
  if (strchr("di", s->type))
    v = s->size == S_SHORT ? (uint64_t)(int16_t)v : s->size == S_INT ? (uint64_t)(int32_t)v : v;
  else
    v = s->size == S_SHORT ? (uint16_t)v : s->size == S_INT ? (uint32_t)v : v;
  snprintf(format, sizeof format, "%sll%c", head, s->type);
  print_into(&p->out, format, (unsigned long long)v);
}

static void real(Print *p, const Spec *s, const char *head) {
  char format[48];
  double v;
  const uint64_t bits = argument(p, 8);
  if (p->fault) return;
  memcpy(&v, &bits, sizeof v);
  snprintf(format, sizeof format, "%s%c", head, s->type);
  print_into(&p->out, format, v);
}

static void character(Print *p, const Spec *s, const char *head) {
  char format[48];
  const int v = (int)argument(p, 4);
  if (p->fault) return;
  snprintf(format, sizeof format, "%s%c", head, s->type);
  print_into(&p->out, format, v);
}

static void pointer(Print *p, const Spec *s, const char *head) {
  char format[48];
  const uint64_t v = argument(p, 8);
  if (p->fault) return;
  snprintf(format, sizeof format, "%s%c", head, s->type);
  print_into(&p->out, format, (void *)(uintptr_t)v);
}

static void string(Print *p, const Spec *s) {
  char *text = NULL;
  size_t n = 6;
  const uint64_t v = argument(p, 8);
  if (p->fault) return;
  if (v &&
      !sg_lane_string(p->g, p->lane, v, s->precision >= 0 ? (size_t)s->precision : MOST_STRING, &text, &n)) {
    sg_raise(p->g, SG_ILLEGAL_ADDRESS, p->lane,
             "printf reads the string of its argument %d at 0x%llx, which is not memory of the thread",
             p->count, (unsigned long long)v);
    p->fault = true;
    return;
  }
  if (v && !text) {
    p->out.failed = true;
    return;
  }
  if (v && n && !is_defined(p, sg_lane_memory(p->g, p->lane, v, n, false), n)) {
    free(text);
    return;
  }
  if (!v && s->precision >= 0 && s->precision < 6) n = 0;
  const size_t pad = s->width > 0 && (size_t)s->width > n ? (size_t)s->width - n : 0;
  char *to = more(&p->out, n + pad);
  if (to) {
    const bool left = strchr(s->flags, '-') != NULL;
    memset(to, ' ', n + pad);
    if (n) memcpy(left ? to : to + pad, text ? text : "(null)", n);
    p->out.size += n + pad;
    p->cost += (n + 8) & ~(size_t)7;
  }
  free(text);
}

/* At a '%'. Returns where the text goes on; what makes no sense is printed as it is. The sizes hh, z, j and t
 * and a precision of * make none to kernels (on an H200, driver 580: the host's side knows them, takes
 * another conversion's argument for theirs, and prints rubbish in the end). */
static const char *conversion(Print *p, const char *start) {
  const char *at = start + 1;
  Spec s = {.width = -1, .precision = -1, .size = S_INT};
  while (*at && strchr("#0- +", *at)) set_flag(&s, *at++);
  const bool star_width = *at == '*';
  if (star_width)
    at++;
  else if (*at >= '0' && *at <= '9')
    s.width = cut(read_number(&at));
  if (*at == '.') {
    at++;
    s.precision = cut(read_number(&at));
  }
  if (*at == 'h') {
    s.size = S_SHORT;
    at++;
  }
  for (; s.size != S_SHORT && *at && strchr("lL", *at); at++) s.size = S_LONG;
  s.type = *at;
  if (s.type == '%') {
    add(&p->out, "%", 1);
    return at + 1;
  }
  if (!s.type || !strchr("cdiouxXpeEfFgGaAs", s.type) || !arguments_left(p, 1 + star_width)) {
    add(&p->out, start, (size_t)(at - start) + (s.type != 0));
    return at + (s.type != 0);
  }
  if (star_width) {
    const int w = (int)argument(p, 4);
    if (w < 0) set_flag(&s, '-');
    s.width = w < 0 ? cut(w == INT32_MIN ? MOST_WIDTH : -w) : cut(w);
  }
  if (p->fault) return at;
  char head[40];
  int n = snprintf(head, sizeof head, "%%%s", s.flags);
  if (s.width >= 0) n += snprintf(head + n, sizeof head - (size_t)n, "%d", s.width);
  if (s.precision >= 0) snprintf(head + n, sizeof head - (size_t)n, ".%d", s.precision);
  switch (s.type) {
  case 's': string(p, &s); break;
  case 'c': character(p, &s, head); break;
  case 'p': pointer(p, &s, head); break;
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X': integer(p, &s, head); break;
  default: real(p, &s, head);
  }
  return at + 1;
}

typedef struct VprintfArgs {
  uint64_t format, args;
} VprintfArgs;

bool sg_builtin_vprintf(Gang *g, uint32_t lane, const void *args, void *result) {
  const VprintfArgs *a = args;
  const SgSystem *system = g->run->launch->system;
  Print p = {.g = g, .lane = lane, .args = a->args, .cost = RECORD_BYTES};
  char *format = NULL;
  size_t n;
  int32_t count = -1;
  if (a->format && !sg_lane_string(g, lane, a->format, MOST_FORMAT, &format, &n)) {
    sg_raise(g, SG_ILLEGAL_ADDRESS, lane,
             "printf reads its format at 0x%llx, which is not memory of the thread",
             (unsigned long long)a->format);
    return false;
  }
  if (a->format && !format) count = NO_MEMORY;
  for (const char *at = format; at && *at && !p.fault;) {
    const size_t plain = strcspn(at, "%");
    add(&p.out, at, plain);
    at += plain;
    if (*at) at = conversion(&p, at);
  }
  if (format) {
    count = p.out.failed ? NO_MEMORY : p.count;
    if (!p.fault && !p.out.failed && system) system->print(system->user, p.out.data, p.out.size, p.cost);
  }
  free(format);
  free(p.out.data);
  memcpy(result, &count, sizeof count);
  return !p.fault;
}
