/* Barriers in memory: what one thread does with them, step by step, against a model of the manual's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "form.h"
#include "operands.h"

typedef struct Model {
  uint32_t phase, expected, pending;
  int64_t transactions;
} Model;

static void complete(Model *m) {
  if (m->pending || m->transactions) return;
  m->phase ^= 1;
  m->pending = m->expected;
}
static void arrive(Model *m, uint32_t count, bool drop) {
  m->pending -= count;
  if (drop) m->expected -= count;
  complete(m);
}

enum { STEPS = 24, MOST = 5 };

/* A step: what it is, in words of PTX and of the model. All results go to memory: %r0 to [%x0+4*k]. */
typedef struct Script {
  Text text;
  uint32_t want[STEPS * 4];
  int results;
  Model model;
  const char *space, *address; /* of the form that is tried, its address in that space */
} Script;

static void result(Script *s, uint32_t want) {
  put(&s->text, "st.global.u32 [%%x0+%d],%%r0;\n", 4 * s->results);
  s->want[s->results++] = want;
}
/* Is the phase over that was the current one before? */
static void ask_parity(Script *s) {
  for (uint32_t parity = 0; parity < 2; parity++) {
    put(&s->text, "mbarrier.test_wait.parity.shared.b64 %%p0,[bar],%u; selp.u32 %%r0,1,0,%%p0;\n", parity);
    result(s, s->model.phase != parity);
  }
}

/* One arrival by the form, and the state that it gives. */
static void by_arrival(Script *s, const Form *f) {
  const bool drop = has(f, "arrive_drop"), expects = has(f, "expect_tx"), cluster = has(f, "shared::cluster");
  const bool counts = !expects && (has(f, "noComplete") || any_bits() % 2);
  uint32_t count = 1;
  /* .noComplete must not complete a phase. */
  if (counts) count = s->model.pending > 1 && any_bits() % 2 ? 2 : 1;
  if (has(f, "noComplete") && s->model.pending + (s->model.transactions != 0) <= count) return;
  if (s->model.expected <= 2 && drop) return;
  const Model before = s->model;
  put(&s->text, "%s %s,[%s]", f->text, cluster ? "_" : "%x2", s->address);
  if (counts) put(&s->text, ",%u", count);
  if (expects) {
    put(&s->text, ",16");
    s->model.transactions += 16;
  }
  put(&s->text, ";\n");
  arrive(&s->model, count, drop);
  if (!cluster) {
    put(&s->text, "mbarrier.pending_count.b64 %%r0,%%x2;\n");
    result(s, before.pending);
    put(&s->text, "mbarrier.test_wait.shared.b64 %%p0,[bar],%%x2; selp.u32 %%r0,1,0,%%p0;\n");
    result(s, s->model.phase != before.phase);
  }
  ask_parity(s);
  if (s->model.transactions) {
    put(&s->text, "mbarrier.complete_tx.shared.b64 [bar],16;\n");
    s->model.transactions -= 16;
    complete(&s->model);
    ask_parity(s);
  }
}

static void by_transactions(Script *s, const Form *f) {
  const char *first = has(f, "expect_tx") ? f->text : "mbarrier.expect_tx.relaxed.cta.shared.b64";
  const char *second = has(f, "complete_tx") ? f->text : "mbarrier.complete_tx.shared.b64";
  put(&s->text, "%s [%s],32;\n", first, first == f->text ? s->address : "bar");
  s->model.transactions += 32;
  while (s->model.pending) {
    put(&s->text, "mbarrier.arrive.shared.b64 _,[bar];\n");
    s->model.pending--;
  }
  complete(&s->model);
  ask_parity(s);
  put(&s->text, "%s [%s],32;\n", second, second == f->text ? s->address : "bar");
  s->model.transactions = 0;
  complete(&s->model);
  ask_parity(s);
}

static void by_test(Script *s, const Form *f) {
  const uint32_t phase = s->model.phase;
  put(&s->text, "mbarrier.arrive.shared.b64 %%x2,[bar];\n");
  arrive(&s->model, 1, false);
  const bool parity = has(f, "parity");
  for (int hint = 0; hint < (has(f, "try_wait") ? 2 : 1); hint++) {
    if (parity)
      put(&s->text, "%s %%p0,[%s],%u%s; selp.u32 %%r0,1,0,%%p0;\n", f->text, s->address, phase,
          hint ? ",20" : "");
    else
      put(&s->text, "%s %%p0,[%s],%%x2%s; selp.u32 %%r0,1,0,%%p0;\n", f->text, s->address, hint ? ",20" : "");
    result(s, s->model.phase != phase);
  }
}

static void step(Script *s, const Form *f) {
  if (has(f, "arrive") || has(f, "arrive_drop"))
    by_arrival(s, f);
  else if (has(f, "test_wait") || has(f, "try_wait"))
    by_test(s, f);
  else if (has(f, "init")) {
    s->model = (Model){0, (uint32_t)(1 + any_bits() % MOST), 0, 0};
    s->model.pending = s->model.expected;
    put(&s->text, "%s [%s],%u;\n", f->text, s->address, s->model.expected);
    ask_parity(s);
    put(&s->text, "mbarrier.arrive.shared.b64 %%x2,[bar];\n");
    arrive(&s->model, 1, false);
    ask_parity(s);
  } else if (has(f, "inval"))
    put(&s->text, "%s [%s]; mbarrier.init.shared.b64 [bar],%u;\n", f->text, s->address, s->model.expected);
  else if (has(f, "pending_count")) {
    put(&s->text, "mbarrier.arrive.shared.b64 %%x2,[bar]; %s %%r0,%%x2;\n", f->text);
    result(s, s->model.pending);
    arrive(&s->model, 1, false);
  } else
    by_transactions(s, f);
}

bool memory_barrier(const Form *f) {
  const bool shared = has(f, "shared") || has(f, "shared::cta") || has(f, "shared::cluster");
  uint32_t *out = device_memory(STEPS * 16);
  begin(f->text);
  for (int run = 0; run < 3 && all_right(); run++) {
    Script s = {.address = "%x1"};
    s.model = (Model){0, (uint32_t)(1 + any_bits() % MOST), 0, 0};
    s.model.pending = s.model.expected;
    put(&s.text,
        PTX_HEAD
        ".visible .entry k(.param .u64 out) { .shared .align 8 .b64 bar; .reg .b64 %%x<4>; .reg .b32 %%r<4>; "
        ".reg .pred "
        "%%p<2>;\nld.param.u64 %%x0,[out]; mov.u64 %%x1,bar; %s mbarrier.init.shared.b64 [bar],%u;\n",
        shared ? "" : "cvta.shared.u64 %x1,%x1;", s.model.expected);
    while (s.results < (STEPS - 3) * 4 && s.text.n < 3500) {
      const size_t before = s.text.n;
      if (has(f, "inval")) s.model.pending = s.model.expected, s.model.phase = 0;
      step(&s, f);
      if (has(f, "inval")) ask_parity(&s);
      if (s.text.n == before) { /* nothing to be done in this state */
        put(&s.text, "mbarrier.arrive.shared.b64 _,[bar];\n");
        arrive(&s.model, 1, false);
      }
    }
    put(&s.text, "ret; }\n");
    SgModule *m = module_load(s.text.p, true);
    if (m && run_kernel(m, "k", 1, 1, &out))
      for (int i = 0; i < s.results; i++)
        if (out[i] != s.want[i]) wrong("%s: result %d is %u, not %u", f->text, i, out[i], s.want[i]);
    sg_module_unload(m);
    free(s.text.p);
  }
  finish();
  device_free(out);
  return true;
}
