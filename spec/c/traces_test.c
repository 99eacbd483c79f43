/* Which orders the software device's random mode reaches: small programs whose legal traces are all listed,
 * and then run with one seed after another. Every trace has to be legal, and every legal one has to come up.
 *
 * A trace is the order in which kernels ran, with the moments in between at which the host looked ('-'): so
 * it shows, too, that work may run before it is waited for. Eager mode has one trace, that of submission;
 * deferred mode has one, always the same. */
#include "kernels.h"
#include "order.h"

enum { MOST = 10, TRACES = 4096, SEEDS = 20000 };

static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n" NOTE_KERNEL;

static CUfunction note;
static CUdeviceptr buf;
static volatile unsigned *words; /* the same memory, as the host sees it */

static void start(void) {
  CUdevice dev;
  CUcontext ctx;
  CUmodule mod;
  events_are_work = true;
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&note, mod, "note"));
  OK(cuMemAlloc(&buf, 64 * 4));
  words = (volatile unsigned *)(uintptr_t)buf;
  streams_make();
}

static void mode(const char *format, ...) {
  char text[64];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  OK(cuSoftgpuControl(text, NULL, 0, NULL));
}

static void launch_note(unsigned v, CUstream s) {
  void *params[] = {&buf, &v};
  OK(cuLaunchKernel(note, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

/* --- programs --- */

/* A step puts a kernel into a stream, orders two streams, lets the host wait or look, or launches a graph. */
typedef enum Do { KERNEL, HOST_FUNCTION, FOLLOW, SYNCHRONIZE, WAIT_EVENT, LOOK, LAUNCH } Do;

typedef struct Step {
  Do what;
  int s, t; /* streams; FOLLOW: t after s. LAUNCH: graph t in stream s */
} Step;

/* A graph by its nodes: which nodes each comes after. */
typedef struct Dag {
  int n;
  unsigned after[MOST];
  CUgraphExec exec;
} Dag;

typedef struct Program {
  Step step[40];
  int n;
  Dag dag[2];
} Program;

typedef struct Traces {
  char text[TRACES][MOST + 8];
  int n;
} Traces;

static void host_note(void *data) {
  unsigned i = words[0];
  words[0] = i + 1;
  words[i + 1] = (unsigned)(uintptr_t)data;
}

/* Runs it; writes the trace down. */
static void run(const Program *p, char *trace) {
  static CUevent event;
  int op = 0, looks = 0;
  unsigned seen[8];
  if (!event) OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  words[0] = 0;
  for (int i = 0; i < p->n; i++) {
    const Step *x = &p->step[i];
    CUstream s = stream[x->s].h;
    switch (x->what) {
    case KERNEL: launch_note((unsigned)op++, s); break;
    case HOST_FUNCTION: OK(cuLaunchHostFunc(s, host_note, (void *)(uintptr_t)op++)); break;
    case FOLLOW:
      OK(cuEventRecord(event, s));
      OK(cuStreamWaitEvent(stream[x->t].h, event, 0));
      break;
    case SYNCHRONIZE: OK(cuStreamSynchronize(s)); break;
    case WAIT_EVENT:
      OK(cuEventRecord(event, s));
      OK(cuEventSynchronize(event));
      break;
    case LOOK: seen[looks++] = words[0]; break;
    case LAUNCH:
      OK(cuGraphLaunch(p->dag[x->t].exec, s));
      op += p->dag[x->t].n;
      break;
    }
  }
  OK(cuCtxSynchronize());
  char *at = trace;
  for (unsigned i = 0, l = 0; i <= words[0]; i++) {
    for (; l < (unsigned)looks && seen[l] == i; l++) *at++ = '-';
    if (i < words[0]) *at++ = (char)('a' + words[i + 1]);
  }
  *at = 0;
}

/* What each of its elements, kernels and looks, comes after. Looks are marked in *marks. */
static int partial_order(const Program *p, uint32_t before[MOST + 8], uint32_t *marks) {
  int n = 0;
  uint32_t looked = 0; /* all that is submitted later comes after these */
  *marks = 0;
  order_begin();
  for (int i = 0; i < p->n; i++) {
    const Step *x = &p->step[i];
    Event e = {0};
    Past k;
    switch (x->what) {
    case KERNEL:
    case HOST_FUNCTION:
      k = known_to(x->s);
      before[n] = (uint32_t)k.real.w[0] | looked;
      past_add(&k, n++);
      order_add(x->s, &k, true);
      break;
    case FOLLOW:
      order_record(x->s, &e);
      order_wait(x->t, &e);
      break;
    case SYNCHRONIZE: order_synchronize(x->s); break;
    case WAIT_EVENT:
      order_record(x->s, &e);
      host_knows(&e.known);
      break;
    case LOOK:
      before[n] = (uint32_t)host.real.w[0] | looked;
      *marks |= 1u << n;
      looked |= 1u << n++;
      break;
    case LAUNCH: {
      const Dag *d = &p->dag[x->t];
      Past all = known_to(x->s);
      k = all;
      for (int j = 0; j < d->n; j++) {
        before[n + j] = (uint32_t)k.real.w[0] | looked | d->after[j] << n;
        past_add(&all, n + j);
      }
      n += d->n;
      order_add(x->s, &all, true);
      break;
    }
    }
  }
  return n;
}

/* All linear extensions, by going through them. */
static void extend(Traces *all, char *trace, int at, int n, uint32_t done, const uint32_t *before,
                   uint32_t marks) {
  if (at == n) {
    trace[at] = 0;
    TRUE(all->n < TRACES);
    if (all->n < TRACES) strcpy(all->text[all->n++], trace);
    return;
  }
  for (int i = 0, kernel = 0; i < n; i++) {
    bool mark = marks >> i & 1;
    if (!(done >> i & 1) && !(before[i] & ~done)) {
      trace[at] = mark ? '-' : (char)('a' + kernel);
      extend(all, trace, at + 1, n, done | 1u << i, before, marks);
    }
    kernel += !mark;
  }
}

static int find(const Traces *all, const char *trace) {
  for (int i = 0; i < all->n; i++)
    if (strcmp(all->text[i], trace) == 0) return i;
  return -1;
}

static Traces legal;

static void list(const Program *p) {
  uint32_t before[MOST + 8] = {0}, marks;
  char trace[MOST + 8];
  legal.n = 0;
  int n = partial_order(p, before, &marks);
  extend(&legal, trace, 0, n, 0, before, marks);
}

static void complain(const Program *p, const char *trace) {
  static const char *const names[] = {"kernel", "host", "follow", "synchronize", "event", "look", "launch"};
  fprintf(stderr, "trace %s of:", trace);
  for (int i = 0; i < p->n; i++)
    fprintf(stderr, " %s(%d,%d)", names[p->step[i].what], p->step[i].s, p->step[i].t);
  fputc('\n', stderr);
}

/* Nothing overtakes what was submitted before it. */
static bool in_order(const char *trace) {
  char last = 0;
  for (; *trace; trace++) {
    if (*trace == '-') continue;
    if (*trace < last) return false;
    last = *trace;
  }
  return true;
}

/* Every legal trace and no other. Returns how many there are. */
static int check(const Program *p) {
  static bool reached[TRACES];
  char trace[MOST + 8], first[MOST + 8];
  list(p);
  int left = legal.n;
  memset(reached, 0, sizeof reached);
  for (int seed = 0; left && seed < SEEDS; seed++) {
    mode("streams random:%d", seed);
    run(p, trace);
    int i = find(&legal, trace);
    if (i < 0) {
      complain(p, trace);
      judge(false, __LINE__, "the trace is not legal");
      return legal.n;
    }
    left -= !reached[i];
    reached[i] = true;
  }
  for (int i = 0; left && i < legal.n; i++)
    if (!reached[i]) complain(p, legal.text[i]);
  EQ(left, 0);

  static const char *const modes[] = {"streams eager", "streams deferred", "streams random:5"};
  for (int m = 0; m < 3; m++)
    for (int again = 0; again < 2; again++) {
      mode("%s", modes[m]);
      run(p, trace);
      TRUE(find(&legal, trace) >= 0);
      if (again) TRUE(strcmp(trace, first) == 0);
      strcpy(first, trace);
      if (m == 0) TRUE(in_order(trace));
    }
  return legal.n;
}

/* --- what is checked --- */

/* By hand: the number of traces is known without the machinery above. */
static void known_counts(void) {
  start();
  Program p = {.step = {{KERNEL, 4, 0}, {KERNEL, 5, 0}}, .n = 2};
  EQ(check(&p), 2);
  p = (Program){.step = {{KERNEL, 4, 0}, {KERNEL, 4, 0}}, .n = 2}; /* one stream */
  EQ(check(&p), 1);
  p = (Program){.step = {{KERNEL, 4, 0}, {FOLLOW, 4, 5}, {KERNEL, 5, 0}}, .n = 3}; /* an event */
  EQ(check(&p), 1);
  p = (Program){.step = {{KERNEL, 4, 0}, {LOOK, 0, 0}}, .n = 2}; /* before or after the host looks */
  EQ(check(&p), 2);
  p = (Program){.step = {{KERNEL, 4, 0}, {SYNCHRONIZE, 4, 0}, {LOOK, 0, 0}}, .n = 3};
  EQ(check(&p), 1);
  p = (Program){.step = {{KERNEL, 4, 0}, {SYNCHRONIZE, 5, 0}, {LOOK, 0, 0}}, .n = 3}; /* the wrong stream */
  EQ(check(&p), 2);
  p = (Program){.step = {{KERNEL, 2, 0}, {KERNEL, 0, 0}, {KERNEL, 3, 0}}, .n = 3}; /* blocking, legacy */
  EQ(check(&p), 1);
  p = (Program){.step = {{KERNEL, 4, 0}, {KERNEL, 0, 0}, {KERNEL, 5, 0}}, .n = 3}; /* non-blocking: any */
  EQ(check(&p), 6);
  p = (Program){.step = {{KERNEL, 1, 0}, {KERNEL, 0, 0}, {KERNEL, 4, 0}}, .n = 3}; /* per-thread blocks */
  EQ(check(&p), 3);
  p = (Program){.step = {{KERNEL, 2, 0}, {KERNEL, 3, 0}, {KERNEL, 4, 0}, {KERNEL, 5, 0}}, .n = 4};
  EQ(check(&p), 24);
  p = (Program){.step = {{KERNEL, 4, 0}, {KERNEL, 4, 0}, {HOST_FUNCTION, 5, 0}, {KERNEL, 5, 0}}, .n = 4};
  EQ(check(&p), 6);
  p = (Program){.step = {{KERNEL, 2, 0}, {KERNEL, 3, 0}, {SYNCHRONIZE, 0, 0}, {LOOK, 0, 0}}, .n = 4};
  EQ(check(&p), 2); /* who waits for the legacy stream waits for the blocking ones */
}

/* Random programs over all kinds of streams. */
static void random_programs(void) {
  int most = 0;
  start();
  rng_seed(3);
  for (int i = 0; i < 200; i++) {
    Program p = {.n = 0};
    int kernels = 2 + (int)below(3), looks = (int)below(2);
    while (kernels || looks) {
      unsigned r = below(12);
      Step x = {KERNEL, (int)below(STREAMS), (int)below(STREAMS)};
      if (r < 5 && kernels) {
        x.what = below(4) ? KERNEL : HOST_FUNCTION;
        kernels--;
      } else if (r < 8) {
        x.what = FOLLOW;
      } else if (r == 8) {
        x.what = below(2) ? SYNCHRONIZE : WAIT_EVENT;
      } else if (looks && p.n && p.step[p.n - 1].what != LOOK) { /* work runs in calls of the driver */
        x.what = LOOK;
        looks--;
      } else {
        continue;
      }
      if (p.n == 10) break;
      p.step[p.n++] = x;
    }
    int n = check(&p);
    most = n > most ? n : most;
  }
  TRUE(most > 20);
}

static CUgraphExec make(const Dag *d, unsigned first) {
  CUgraph g;
  CUgraphExec x = NULL;
  CUgraphNode node[MOST];
  OK(cuGraphCreate(&g, 0));
  for (int i = 0; i < d->n; i++) {
    CUgraphNode after[MOST];
    size_t n = 0;
    unsigned v = first + (unsigned)i;
    void *params[] = {&buf, &v};
    for (int k = 0; k < i; k++)
      if (d->after[i] >> k & 1) after[n++] = node[k];
    if (i % 3 == 2) {
      CUDA_HOST_NODE_PARAMS h = {.fn = host_note, .userData = (void *)(uintptr_t)v};
      OK(cuGraphAddHostNode(&node[i], g, after, n, &h));
    } else {
      CUDA_KERNEL_NODE_PARAMS k = {.func = note,
                                   .gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 1,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .kernelParams = params};
      OK(cuGraphAddKernelNode(&node[i], g, after, n, &k));
    }
  }
  OK(cuGraphInstantiate(&x, g, 0));
  OK(cuGraphDestroy(g));
  return x;
}

static void dag(Program *p, int which, int n, unsigned first) {
  Dag *d = &p->dag[which];
  d->n = n;
  for (int i = 0; i < n; i++) {
    d->after[i] = 0;
    for (int k = 0; k < i; k++)
      if (below(3) == 0) d->after[i] |= 1u << k;
  }
  d->exec = make(d, first);
}

/* The nodes of a graph run in every order that its edges allow. */
static void branches(void) {
  start();
  rng_seed(8);
  for (int i = 0; i < 60; i++) {
    Program p = {.step = {{LAUNCH, 4, 0}}, .n = 1};
    int look = (int)below(2);
    dag(&p, 0, 2 + (int)below(look ? 3 : 5), 0);
    if (look) p.step[p.n++] = (Step){LOOK, 0, 0};
    check(&p);
    OK(cuGraphExecDestroy(p.dag[0].exec));
  }
}

/* ... beside those of another one, and of work in streams. */
static void two_graphs(void) {
  start();
  rng_seed(21);
  for (int i = 0; i < 20; i++) {
    int n = 2 + (int)below(2), m = 1 + (int)below(2), s = (int)below(STREAMS), t = (int)below(STREAMS);
    Program p = {.step = {{LAUNCH, s, 0}, {KERNEL, t, 0}, {LAUNCH, t, 1}, {KERNEL, s, 0}}, .n = 4};
    dag(&p, 0, n, 0);
    dag(&p, 1, m, (unsigned)n + 1);
    check(&p);
    OK(cuGraphExecDestroy(p.dag[0].exec));
    OK(cuGraphExecDestroy(p.dag[1].exec));
  }
}

/* The log of what ran agrees with what the kernels noted. */
static void logged(void) {
  char trace[MOST + 8], text[4096], expected[256];
  start();
  const Program p = {.step = {{KERNEL, 4, 0}, {KERNEL, 5, 0}, {KERNEL, 0, 0}, {KERNEL, 1, 0}}, .n = 4};
  for (int seed = 0; seed < 30; seed++) {
    mode("streams random:%d", seed);
    mode("log clear");
    mode("log on");
    run(&p, trace);
    mode("log off");
    OK(cuSoftgpuControl("runs", text, sizeof text, NULL));
    const char *line = text;
    unsigned long long seq = 0, least = ~0ull, at[4], number;
    for (int i = 0; i < 4; i++) {
      char name[16];
      unsigned long long h;
      TRUE(sscanf(line, "%llu %15s stream=0x%llx\n", &seq, name, &h) == 3);
      TRUE(strcmp(name, "launch") == 0);
      at[i] = seq;
      least = seq < least ? seq : least;
      int op = trace[i] - 'a', s = p.step[op].s;
      number = s == 0 ? 1 : s == 1 ? 2 : (unsigned long long)(uintptr_t)stream[s].h;
      EQ(h, number);
      line = strchr(line, '\n') + 1;
    }
    TRUE(*line == 0);
    for (int i = 0; i < 4; i++) EQ(at[i] - least, trace[i] - 'a');
  }
  Program q = {.step = {{LAUNCH, 4, 0}}, .n = 1}; /* of a graph, by nodes */
  q.dag[0] = (Dag){.n = 3, .after = {0, 1, 1}};
  q.dag[0].exec = make(&q.dag[0], 0);
  mode("log clear");
  mode("log on");
  run(&q, trace);
  mode("log off");
  OK(cuSoftgpuControl("runs", text, sizeof text, NULL));
  unsigned long long seq = strtoull(text, NULL, 10);
  int n = 0;
  for (int i = 0; i < 3; i++)
    n += snprintf(expected + n, sizeof expected - (size_t)n, "%llu %s stream=0x%llx node=%d\n", seq,
                  trace[i] == 'c' ? "host" : "launch", (unsigned long long)(uintptr_t)stream[4].h,
                  trace[i] - 'a');
  TRUE(strcmp(text, expected) == 0);
}

/* What may be asked of the switch, and what it answers. */
static void switching(void) {
  char reply[64];
  start();
  static const char *const modes[] = {"eager", "deferred", "random:0", "random:2147483647"};
  for (int i = 0; i < 4; i++) {
    mode("streams %s", modes[i]);
    OK(cuSoftgpuControl("streams", reply, sizeof reply, NULL));
    TRUE(strcmp(reply, modes[i]) == 0);
  }
  static const char *const wrong[] = {"streams lazy",       "streams random:",    "streams random:-1",
                                      "streams random:1.5", "streams random:x",   "streams random:4294967296",
                                      "streams eager now",  "streams deferred:1", "streams RANDOM"};
  for (int i = 0; i < 9; i++) IS(1, cuSoftgpuControl(wrong[i], reply, sizeof reply, NULL));
  OK(cuSoftgpuControl("streams", reply, sizeof reply, NULL));
  TRUE(strcmp(reply, "random:2147483647") == 0);
  /* Work that is queued when the mode changes is still there. */
  mode("streams deferred");
  words[0] = 0;
  launch_note(1, stream[4].h);
  launch_note(2, stream[5].h);
  mode("streams eager");
  EQ(words[0], 0);
  launch_note(3, stream[5].h);
  EQ(words[0], 2); /* those of the other stream nobody waits for */
  EQ(words[1], 2);
  mode("streams deferred");
  OK(cuCtxSynchronize());
  EQ(words[0], 3);
}

static const Group groups[] = {
    {"known_counts", known_counts, SOFTWARE},
    {"random_programs", random_programs, SOFTWARE},
    {"branches", branches, SOFTWARE},
    {"two_graphs", two_graphs, SOFTWARE},
    {"logged", logged, SOFTWARE},
    {"switching", switching, SOFTWARE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
