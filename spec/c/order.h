/* What order_test.c and traces_test.c share: sets of operations, numbers that a seed determines, and the
 * order that CUDA promises, kept beside the calls that make it. */
#ifndef SPEC_ORDER_H
#define SPEC_ORDER_H

#include "check.h"

#include <stdint.h>

/* --- numbers --- */

static uint64_t rng;

static inline void rng_seed(uint64_t seed) { rng = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du; }

static inline unsigned below(unsigned n) {
  rng ^= rng << 13;
  rng ^= rng >> 7;
  rng ^= rng << 17;
  return (unsigned)((rng >> 20) % n);
}

/* --- sets of operations --- */

enum { OPS = 1024, SET_WORDS = OPS / 64 };

typedef struct Set {
  uint64_t w[SET_WORDS];
} Set;

static inline void set_add(Set *s, int op) {
  if (op >= 0) s->w[op / 64] |= (uint64_t)1 << (op % 64);
}

static inline bool set_has(const Set *s, int op) { return s->w[op / 64] >> (op % 64) & 1; }

static inline void set_join(Set *s, const Set *more) {
  for (int i = 0; i < SET_WORDS; i++) s->w[i] |= more->w[i];
}

/* An operation of `want` that is not in `have`, or -1. */
static inline int set_missing(const Set *want, const Set *have) {
  for (int i = 0; i < SET_WORDS; i++) {
    uint64_t left = want->w[i] & ~have->w[i];
    if (left) return i * 64 + __builtin_ctzll(left);
  }
  return -1;
}

/* --- streams, events, and what comes before what --- */

/* What has come before: as the program means it, and as it really is, where one of its synchronisations was
 * left out. */
typedef struct Past {
  Set meant, real;
} Past;

static inline void past_add(Past *p, int op) {
  set_add(&p->meant, op);
  set_add(&p->real, op);
}

static inline void past_join(Past *p, const Past *more) {
  set_join(&p->meant, &more->meant);
  set_join(&p->real, &more->real);
}

enum { STREAMS = 6 };

typedef enum Kind { LEGACY, PER_THREAD, BLOCKING, NON_BLOCKING } Kind;

typedef struct Stream {
  CUstream h;
  Kind kind;
  Past known;  /* what is done when what it has been given is done */
  Past fenced; /* the part of it that the default stream has to wait for */
} Stream;

typedef struct Event {
  CUevent h;
  Past known; /* what is done when it has been passed */
} Event;

static Stream stream[STREAMS];
static Past host; /* what the host has waited for */

/* Whether an event, waited for or recorded, is as good as work to the default stream. It is to the software
 * device; nobody promises it. */
static bool events_are_work;

/* The synchronisation that is noted now is not made. */
static bool only_meant;

static inline void streams_make(void) {
  static const Kind kinds[STREAMS] = {LEGACY, PER_THREAD, BLOCKING, BLOCKING, NON_BLOCKING, NON_BLOCKING};
  for (int i = 0; i < STREAMS; i++) {
    stream[i] = (Stream){.kind = kinds[i]};
    if (kinds[i] == PER_THREAD) stream[i].h = CU_STREAM_PER_THREAD;
    if (kinds[i] >= BLOCKING)
      OK(cuStreamCreate(&stream[i].h, kinds[i] == BLOCKING ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
  }
}

static inline void order_begin(void) {
  host = (Past){{{0}}, {{0}}};
  for (int i = 0; i < STREAMS; i++) stream[i].known = stream[i].fenced = host;
}

/* What comes before the next operation of stream s. */
static inline Past known_to(int s) {
  Past k = stream[s].known;
  past_join(&k, &host);
  if (stream[s].kind == PER_THREAD || stream[s].kind == BLOCKING) past_join(&k, &stream[0].fenced);
  if (stream[s].kind == LEGACY)
    for (int i = 0; i < STREAMS; i++)
      if (stream[i].kind == PER_THREAD || stream[i].kind == BLOCKING) past_join(&k, &stream[i].fenced);
  return k;
}

static inline void past_set(Past *p, const Past *to) {
  p->meant = to->meant;
  if (!only_meant) p->real = to->real;
}

/* Stream s has been given work after `before`, or an event. */
static inline void order_add(int s, const Past *before, bool work) {
  past_set(&stream[s].known, before);
  if (work || events_are_work) past_set(&stream[s].fenced, before);
}

static inline void order_record(int s, Event *e) {
  Past k = known_to(s);
  past_set(&e->known, &k);
  order_add(s, &k, false);
}

static inline void order_wait(int s, const Event *e) {
  Past k = known_to(s);
  past_join(&k, &e->known);
  order_add(s, &k, false);
}

static inline void host_knows(const Past *more) {
  Past k = host;
  past_join(&k, more);
  past_set(&host, &k);
}

static inline void order_synchronize(int s) {
  host_knows(&stream[s].known);
  if (!events_are_work || stream[s].kind != LEGACY) return;
  Past k = known_to(s);
  host_knows(&k);
}

static inline void order_synchronize_all(void) {
  for (int i = 0; i < STREAMS; i++) host_knows(&stream[i].known);
}

#endif
