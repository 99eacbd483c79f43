/* Random programs over streams of all kinds, events, captures and graphs. A program keeps the order that CUDA
 * promises beside its calls (order.h) and synchronises where two operations on the same memory would be
 * unordered: so what it computes is determined, and has to be what plain C computes in the order of
 * submission, however the operations are scheduled. With one synchronisation left out, random scheduling has
 * to show it. */
#include "order.h"

enum { WORDS = 16, BYTES = WORDS * 4, BUFFERS = 5, PINNED = 4, MEMORIES = BUFFERS + PINNED };
enum { NODES = 20, GRAPHS = 3, CALLBACKS = 4096 };
/* The events of graphs' nodes, one to record and one to wait for each, and those of the program. */
enum { RECORDED = 0, WAITED = GRAPHS, PLAIN = 2 * GRAPHS, EVENTS = PLAIN + 4 };

static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry mix(.param .u64 c, .param .u64 a, .param .u32 k) {\n" /* c = 5c+a+k */
    "  .reg .b32 %r<6>;\n"
    "  .reg .b64 %rd<6>;\n"
    "  ld.param.u64 %rd1, [c];\n"
    "  ld.param.u64 %rd2, [a];\n"
    "  ld.param.u32 %r1, [k];\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  mul.wide.u32 %rd3, %r2, 4;\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  cvta.to.global.u64 %rd2, %rd2;\n"
    "  add.s64 %rd4, %rd1, %rd3;\n"
    "  add.s64 %rd5, %rd2, %rd3;\n"
    "  ld.global.u32 %r3, [%rd4];\n"
    "  ld.global.u32 %r4, [%rd5];\n"
    "  mad.lo.s32 %r3, %r3, 5, %r4;\n"
    "  add.s32 %r3, %r3, %r1;\n"
    "  st.global.u32 [%rd4], %r3;\n"
    "  ret;\n"
    "}\n";

static CUfunction mix;
static CUmemoryPool pool;

/* --- memory, and what it should hold --- */

typedef struct Memory {
  CUdeviceptr d; /* pinned memory has the same address on the device */
  bool pinned;
  int writer;  /* the operation that wrote it last, or -1 */
  Set readers; /* since then */
  uint32_t should[WORDS];
} Memory;

static Memory memory[MEMORIES + 1]; /* the last one is made in the order of streams, and freed */

static uint32_t *on_host(const Memory *m) { return (uint32_t *)(uintptr_t)m->d; }

/* --- operations --- */

typedef enum What { MIX, FILL, FILL_BOX, COPY, COPY_HALF, COPY_BOX, CALL, WHATS } What;

/* Reads memory a (or not), writes memory c. */
typedef struct Work {
  What what;
  int a, c;
  uint32_t k;
} Work;

static bool reads_a(What w) { return w != FILL && w != FILL_BOX; }

static void mix_words(uint32_t *c, const uint32_t *a, uint32_t k) {
  for (int i = 0; i < WORDS; i++) c[i] = c[i] * 5 + a[i] + k;
}

/* What the work does, in plain C. */
static void should(const Work *w) {
  uint32_t *c = memory[w->c].should;
  const uint32_t *a = memory[w->a].should;
  switch (w->what) {
  case MIX:
  case CALL: mix_words(c, a, w->k); break;
  case FILL:
    for (int i = 0; i < WORDS; i++) c[i] = w->k;
    break;
  case FILL_BOX: /* the first two words of every four */
    for (int i = 0; i < WORDS; i++)
      if (i % 4 < 2) c[i] = (w->k & 255) * 0x01010101u;
    break;
  case COPY: memmove(c, a, BYTES); break;
  case COPY_HALF: memmove(c, a + WORDS / 2, BYTES / 2); break;
  case COPY_BOX:
    for (int i = 0; i < WORDS; i++)
      if (i % 4 >= 2) c[i] = a[i];
    break;
  case WHATS: break;
  }
}

typedef struct Callback {
  uint32_t *c;
  const uint32_t *a;
  uint32_t k;
} Callback;

static Callback callbacks[CALLBACKS];
static int ncallbacks;

static void called(void *data) {
  const Callback *x = data;
  mix_words(x->c, x->a, x->k);
}

static Callback *callback(const Work *w) {
  if (ncallbacks == CALLBACKS) {
    fprintf(stderr, "too many callbacks\n");
    exit(1);
  }
  callbacks[ncallbacks] = (Callback){on_host(&memory[w->c]), on_host(&memory[w->a]), w->k};
  return &callbacks[ncallbacks++];
}

static void copy(CUdeviceptr c, CUdeviceptr a, bool c_pinned, bool a_pinned, size_t n, CUstream s) {
  if (below(3) == 0 || (c_pinned && a_pinned))
    OK(cuMemcpyAsync(c, a, n, s));
  else if (c_pinned)
    OK(cuMemcpyDtoHAsync((void *)(uintptr_t)c, a, n, s));
  else if (a_pinned)
    OK(cuMemcpyHtoDAsync(c, (void *)(uintptr_t)a, n, s));
  else
    OK(cuMemcpyDtoDAsync(c, a, n, s));
}

static void submit(const Work *w, CUstream s) {
  const Memory *a = &memory[w->a], *c = &memory[w->c];
  switch (w->what) {
  case MIX: {
    CUdeviceptr pa = a->d, pc = c->d;
    uint32_t k = w->k;
    void *params[] = {&pc, &pa, &k};
    OK(cuLaunchKernel(mix, 1, 1, 1, WORDS, 1, 1, 0, s, params, NULL));
    break;
  }
  case FILL: OK(cuMemsetD32Async(c->d, w->k, WORDS, s)); break;
  case FILL_BOX: OK(cuMemsetD2D8Async(c->d, 16, (unsigned char)w->k, 8, WORDS / 4, s)); break;
  case COPY: copy(c->d, a->d, c->pinned, a->pinned, BYTES, s); break;
  case COPY_HALF: copy(c->d, a->d + BYTES / 2, c->pinned, a->pinned, BYTES / 2, s); break;
  case COPY_BOX: {
    CUDA_MEMCPY2D box = {.srcXInBytes = 8,
                         .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = a->d,
                         .srcPitch = 16,
                         .dstXInBytes = 8,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = c->d,
                         .dstPitch = 16,
                         .WidthInBytes = 8,
                         .Height = WORDS / 4};
    OK(cuMemcpy2DAsync(&box, s));
    break;
  }
  case CALL: OK(cuLaunchHostFunc(s, called, callback(w))); break;
  case WHATS: break;
  }
}

/* Nothing that was computed is ever overwritten unused: what goes wrong somewhere is seen at the end. */
static bool keeping;

static Work any_work(void) {
  Work w = {(What)below(WHATS), (int)below(MEMORIES), (int)below(MEMORIES), below(1000)};
  if (keeping && w.what != CALL) w.what = MIX;
  if (w.what == CALL) {
    w.a = BUFFERS + (int)below(PINNED);
    w.c = BUFFERS + (int)below(PINNED);
  }
  if (w.what >= COPY && w.what <= COPY_BOX && w.a == w.c) w.what = MIX;
  return w;
}

/* --- a program as it goes along --- */

static int ops;            /* numbers given out */
static int stream_of[OPS]; /* the stream that was given an operation */
static Event event[EVENTS];
static int syncs, left_out; /* synchronisations so far; the one that is not made, or -1 */
static int wrong;           /* words that are not what they should be */
static bool raced;          /* work met other work that it really was not ordered with */

/* A synchronisation begins: is it to be made? It ends with made_it. */
static bool make_it(void) { return !(only_meant = syncs++ == left_out); }
static void made_it(void) { only_meant = false; }

static int new_op(int s) {
  if (ops == OPS) {
    fprintf(stderr, "too many operations\n");
    exit(1);
  }
  stream_of[ops] = s;
  return ops++;
}

static void compare(const uint32_t *is, const uint32_t *expected) {
  for (int i = 0; i < WORDS; i++) wrong += is[i] != expected[i];
}

static void record(Event *e, int s) {
  OK(cuEventRecord(e->h, stream[s].h));
  order_record(s, e);
}

/* Waits for an event that has passed operation op, in a stream. */
static void wait_in(int s, int op) {
  Event *e = &event[below(EVENTS)];
  bool old = set_has(&e->known.meant, op), make = make_it(); /* it may have been recorded already */
  if (!old) {
    e = &event[PLAIN + below(EVENTS - PLAIN)];
    if (make) OK(cuEventRecord(e->h, stream[stream_of[op]].h));
    order_record(stream_of[op], e);
  }
  if (make) OK(cuStreamWaitEvent(stream[s].h, e->h, 0));
  order_wait(s, e);
  made_it();
}

static void wait_here(int op) {
  int s = stream_of[op];
  Event *e = &event[PLAIN + below(EVENTS - PLAIN)];
  unsigned how = below(6);
  bool make = make_it();
  CUresult r = CUDA_SUCCESS;
  if (how == 0) {
    if (make) OK(cuCtxSynchronize());
    order_synchronize_all();
  } else if (how <= 2) {
    if (make) OK(cuEventRecord(e->h, stream[s].h));
    if (make && how == 1) OK(cuEventSynchronize(e->h));
    while (make && how == 2 && (r = cuEventQuery(e->h)) == CUDA_ERROR_NOT_READY) continue;
    order_record(s, e);
    host_knows(&e->known);
  } else {
    if (make && how > 3) OK(cuStreamSynchronize(stream[s].h));
    while (make && how == 3 && (r = cuStreamQuery(stream[s].h)) == CUDA_ERROR_NOT_READY) continue;
    order_synchronize(s);
  }
  OK(r);
  made_it();
}

/* From here on the next operation of stream s comes after all of `want`. */
static void require(int s, const Set *want) {
  for (;;) {
    Past k = known_to(s);
    int op = set_missing(want, &k.meant);
    if (op < 0) {
      raced = raced || set_missing(want, &k.real) >= 0;
      return;
    }
    if (below(4))
      wait_in(s, op);
    else
      wait_here(op);
  }
}

/* The host comes after it. */
static void require_here(const Set *want) {
  for (int op; (op = set_missing(want, &host.meant)) >= 0;) wait_here(op);
}

static void host_meets(const Set *want) {
  require_here(want);
  raced = raced || set_missing(want, &host.real) >= 0;
}

/* What has to be done before a memory is read, or written. */
static void conflicts(Set *want, int m, bool write) {
  set_add(want, memory[m].writer);
  if (write) set_join(want, &memory[m].readers);
}

static void conflicts_of(Set *want, const Work *w) {
  if (reads_a(w->what)) conflicts(want, w->a, false);
  conflicts(want, w->c, true);
}

static void note_access(const Work *w, int op) {
  if (reads_a(w->what)) set_add(&memory[w->a].readers, op);
  memory[w->c].writer = op;
  memset(&memory[w->c].readers, 0, sizeof(Set));
}

/* Stream s has been given an operation; its number. */
static int added_to(int s) {
  Past k = known_to(s);
  int op = new_op(s);
  past_add(&k, op);
  order_add(s, &k, true);
  return op;
}

/* An allocation or a free: ordered in its stream, but nothing that runs, so it makes nobody wait for the
 * default stream or the other way round. */
static int ordered_in(int s) {
  int op = new_op(s);
  past_add(&stream[s].known, op);
  return op;
}

/* Gives stream s an operation that comes after all that it has to. */
static void give(int s, const Work *w) {
  Set want = {{0}};
  conflicts_of(&want, w);
  require(s, &want);
  submit(w, stream[s].h);
  int op = added_to(s);
  note_access(w, op);
  should(w);
}

/* --- the host's part --- */

static void host_reads(void) {
  int m = BUFFERS + (int)below(PINNED);
  Set want = {{0}};
  conflicts(&want, m, false);
  host_meets(&want);
  compare(on_host(&memory[m]), memory[m].should);
}

static void host_writes(void) {
  int m = BUFFERS + (int)below(PINNED);
  Set want = {{0}};
  conflicts(&want, m, true);
  host_meets(&want);
  memory[m].writer = -1;
  memset(&memory[m].readers, 0, sizeof(Set));
  for (int i = 0; i < WORDS; i++) on_host(&memory[m])[i] = memory[m].should[i] = below(1000);
}

/* The bytes are taken during the call; the memory may change at once. */
static void pageable_to_device(void) {
  uint32_t bytes[WORDS];
  int m = (int)below(BUFFERS), s = (int)below(STREAMS);
  Set want = {{0}};
  conflicts(&want, m, true);
  require(s, &want);
  for (int i = 0; i < WORDS; i++) bytes[i] = memory[m].should[i] = below(1000);
  if (s == 0 && below(2))
    OK(cuMemcpyHtoD(memory[m].d, bytes, BYTES));
  else
    OK(cuMemcpyHtoDAsync(memory[m].d, bytes, BYTES, stream[s].h));
  memset(bytes, 0xee, BYTES);
  memory[m].writer = added_to(s);
  memset(&memory[m].readers, 0, sizeof(Set));
}

/* The call returns when the copy has been made. */
static void device_to_pageable(void) {
  uint32_t bytes[WORDS] = {0};
  int m = (int)below(BUFFERS), s = (int)below(STREAMS);
  Set want = {{0}};
  conflicts(&want, m, false);
  require(s, &want);
  if (s == 0 && below(2))
    OK(cuMemcpyDtoH(bytes, memory[m].d, BYTES));
  else
    OK(cuMemcpyDtoHAsync(bytes, memory[m].d, BYTES, stream[s].h));
  set_add(&memory[m].readers, added_to(s));
  order_synchronize(s);
  compare(bytes, memory[m].should);
}

/* Memory made in one stream's order, used, and freed in another's. */
static void temporary(void) {
  Memory *t = &memory[MEMORIES];
  int s = (int)below(STREAMS), f = below(2) ? s : (int)below(STREAMS);
  Set want = {{0}};
  *t = (Memory){.writer = -1};
  OK(below(2) ? cuMemAllocAsync(&t->d, BYTES, stream[s].h)
              : cuMemAllocFromPoolAsync(&t->d, BYTES, pool, stream[s].h));
  t->writer = ordered_in(s);
  give(below(2) ? s : (int)below(STREAMS), &(Work){FILL, 0, MEMORIES, below(1000)});
  for (unsigned n = 1 + below(3); n; n--) {
    Work w = {below(2) ? MIX : COPY, (int)below(BUFFERS), MEMORIES, below(1000)};
    give((int)below(STREAMS), &w);
    w = (Work){below(2) ? MIX : COPY, MEMORIES, (int)below(MEMORIES), below(1000)};
    give((int)below(STREAMS), &w);
  }
  conflicts(&want, MEMORIES, true);
  require(f, &want);
  OK(cuMemFreeAsync(t->d, stream[f].h));
  ordered_in(f);
}

/* --- graphs --- */

typedef struct Node {
  enum { WORK, RECORD, WAIT } kind;
  Work work;
  uint64_t before; /* the nodes that it comes after, as bits, and those that these come after */
} Node;

typedef struct Graph {
  Node node[NODES];
  int n;
  bool records; /* an event */
} Graph;

/* An executable graph with what it is made from. */
typedef struct Exec {
  CUgraphExec x;
  Graph graph;
  uint64_t shape;
  bool with_children;
  Past last; /* of its latest launch */
} Exec;

static Exec exec[GRAPHS];

/* Inside a graph under construction: who wrote and read which memory. */
typedef struct Use {
  uint64_t writer, readers;
} Use;

/* The same graph on other memory: it takes the place of the one that it was made for. */
typedef struct Cast {
  int as[MEMORIES];
  uint32_t more; /* to k */
} Cast;

static Cast any_cast(void) {
  Cast c = {.more = below(1000)};
  for (int i = 0; i < MEMORIES; i++) {
    int lo = i < BUFFERS ? 0 : BUFFERS, j = lo + (int)below((unsigned)(i - lo + 1));
    c.as[i] = c.as[j];
    c.as[j] = i;
  }
  return c;
}

static uint64_t needed(const Work *w, const Use *use) {
  uint64_t need = use[w->c].writer | use[w->c].readers;
  return reads_a(w->what) ? need | use[w->a].writer : need;
}

static void used(const Work *w, Use *use, uint64_t bit) {
  if (reads_a(w->what)) use[w->a].readers |= bit;
  use[w->c] = (Use){bit, reads_a(w->what) && w->a == w->c ? bit : 0};
}

/* Captures work from up to three streams; and nodes for the events of graph `which`, unless it is -1. */
static CUgraph capture(Graph *g, const Cast *cast, int nodes, int which) {
  static const int all[] = {1, 2, 3, 4, 5};
  int s[3], first = (int)below(5);
  uint64_t known[3] = {0};
  bool in[3] = {true};
  Use use[MEMORIES] = {{0, 0}};
  CUgraph made_graph = NULL;
  static CUevent link;
  if (!link) OK(cuEventCreate(&link, CU_EVENT_DISABLE_TIMING));
  for (int i = 0; i < 3; i++) s[i] = all[(first + i) % 5];
  OK(cuStreamBeginCapture(stream[s[0]].h, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  int base = g->n;
  while (g->n < base + nodes) {
    unsigned i = below(3), from = below(3);
    Node *n = &g->node[g->n];
    uint64_t bit = (uint64_t)1 << g->n;
    if (!in[i]) {
      while (!in[from]) from = (from + 1) % 3;
      OK(cuEventRecord(link, stream[s[from]].h));
      OK(cuStreamWaitEvent(stream[s[i]].h, link, 0));
      known[i] = known[from];
      in[i] = true;
    }
    *n = (Node){.kind = WORK, .work = any_work()};
    unsigned special = below(10);
    if (which >= 0 && special == 0) {
      n->kind = WAIT;
      OK(cuStreamWaitEvent(stream[s[i]].h, event[WAITED + which].h, CU_EVENT_WAIT_EXTERNAL));
    } else if (which >= 0 && special == 1 && !g->records) {
      n->kind = RECORD;
      g->records = true;
      OK(cuEventRecordWithFlags(event[RECORDED + which].h, stream[s[i]].h, CU_EVENT_RECORD_EXTERNAL));
    } else {
      uint64_t need = needed(&n->work, use);
      for (unsigned k = 0; k < 3 && need & ~known[i]; k++) {
        if (!(need & known[k] & ~known[i])) continue;
        OK(cuEventRecord(link, stream[s[k]].h));
        OK(cuStreamWaitEvent(stream[s[i]].h, link, 0));
        known[i] |= known[k];
      }
      used(&n->work, use, bit);
      n->work.a = cast->as[n->work.a];
      n->work.c = cast->as[n->work.c];
      n->work.k += cast->more;
      submit(&n->work, stream[s[i]].h);
    }
    n->before = known[i];
    known[i] |= bit;
    g->n++;
  }
  for (int i = 1; i < 3; i++)
    if (in[i]) {
      OK(cuEventRecord(link, stream[s[i]].h));
      OK(cuStreamWaitEvent(stream[s[0]].h, link, 0));
    }
  OK(cuStreamEndCapture(stream[s[0]].h, &made_graph));
  return made_graph;
}

/* Two captures as nodes of a graph made by hand, with a kernel and a fill beside and between them. */
static CUgraph nested(Graph *g, const Cast *cast) {
  CUgraph whole;
  CUgraphNode node[4];
  uint64_t bits[4], outer[4] = {0}, uses_a[4], uses_c[4]; /* nodes; those before; memories */
  OK(cuGraphCreate(&whole, 0));
  for (int i = 0; i < 4; i++) {
    int base = g->n;
    Work w = {i == 1 || keeping ? MIX : FILL, (int)below(BUFFERS), (int)below(BUFFERS), below(1000)};
    CUgraph child = NULL;
    if (i % 2 == 0) {
      child = capture(g, cast, 2 + (int)below(3), -1);
    } else {
      w.a = cast->as[w.a];
      w.c = cast->as[w.c];
      g->node[g->n++] = (Node){.kind = WORK, .work = w};
    }
    bits[i] = uses_a[i] = uses_c[i] = 0;
    for (int j = base; j < g->n; j++) {
      const Work *x = &g->node[j].work;
      bits[i] |= (uint64_t)1 << j;
      if (reads_a(x->what)) uses_a[i] |= 1u << x->a;
      uses_c[i] |= 1u << x->c;
    }
    CUgraphNode after[4];
    size_t n = 0;
    for (int k = 0; k < i; k++)
      if ((uses_c[i] & (uses_a[k] | uses_c[k])) | (uses_a[i] & uses_c[k])) {
        after[n++] = node[k];
        for (int j = base; j < g->n; j++) g->node[j].before |= bits[k] | outer[k];
        outer[i] |= bits[k] | outer[k];
      }
    if (child) {
      OK(cuGraphAddChildGraphNode(&node[i], whole, after, n, child));
      OK(cuGraphDestroy(child));
    } else if (w.what == MIX) {
      CUdeviceptr c = memory[w.c].d, a = memory[w.a].d;
      void *params[] = {&c, &a, &w.k};
      CUDA_KERNEL_NODE_PARAMS p = {.func = mix,
                                   .gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = WORDS,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .kernelParams = params};
      OK(cuGraphAddKernelNode(&node[i], whole, after, n, &p));
    } else {
      CUDA_MEMSET_NODE_PARAMS p = {
          .dst = memory[w.c].d, .value = w.k, .elementSize = 4, .width = WORDS, .height = 1};
      CUcontext ctx;
      OK(cuCtxGetCurrent(&ctx));
      OK(cuGraphAddMemsetNode(&node[i], whole, after, n, &p, ctx));
    }
  }
  return whole;
}

/* The graph that x is made from, or one of the same shape on other memory. Its shape has numbers of its own.
 */
static CUgraph build(Exec *x) {
  Cast cast = any_cast();
  uint64_t all_else = rng;
  rng_seed(x->shape);
  x->graph = (Graph){.n = 0};
  CUgraph g = x->with_children ? nested(&x->graph, &cast)
                               : capture(&x->graph, &cast, 3 + (int)below(8), (int)(x - exec));
  rng = all_else;
  return g;
}

static void make_exec(Exec *x) {
  *x = (Exec){.shape = below(1u << 30), .with_children = below(3) == 0};
  CUgraph g = build(x);
  OK(cuGraphInstantiate(&x->x, g, 0));
  OK(cuGraphDestroy(g));
}

/* Launches that wait to run keep what they were made from. */
static void update_exec(Exec *x) {
  CUgraphExecUpdateResultInfo info;
  CUgraph g = build(x);
  OK(cuGraphExecUpdate(x->x, g, &info));
  OK(cuGraphDestroy(g));
}

/* What node j of a launch comes after: `start`, its own launch's nodes in `op`, and the event waited for. */
static Past before_node(const Exec *x, int j, const Past *start, const int *op) {
  const Graph *g = &x->graph;
  Past k = *start;
  uint64_t all = g->node[j].before | (uint64_t)1 << j;
  for (int i = 0; i <= j; i++) {
    if (!(all >> i & 1)) continue;
    if (op && i != j) past_add(&k, op[i]);
    if (g->node[i].kind == WAIT) past_join(&k, &event[WAITED + (x - exec)].known);
  }
  return k;
}

/* Synchronises until no node would meet unordered work. */
static void require_graph(int s, const Exec *x) {
  const Graph *g = &x->graph;
  for (;;) {
    Past start = known_to(s);
    Set more = {{0}};
    past_join(&start, &x->last);
    int op = -1;
    bool races = false;
    for (int j = 0; op < 0 && j < g->n; j++) {
      Past k = before_node(x, j, &start, NULL);
      Set want = {{0}};
      if (g->node[j].kind == WORK) conflicts_of(&want, &g->node[j].work);
      op = set_missing(&want, &k.meant);
      races = races || set_missing(&want, &k.real) >= 0;
    }
    if (op < 0) {
      raced = raced || races;
      return;
    }
    set_add(&more, op);
    require(s, &more);
  }
}

/* Launches of one graph come after each other. Its events are left alone until the one before is done. */
static void launch(Exec *x, int s) {
  const Graph *g = &x->graph;
  int op[NODES], which = (int)(x - exec);
  bool waits = false;
  for (int j = 0; j < g->n; j++) waits = waits || g->node[j].kind == WAIT;
  if (waits || g->records) require_here(&x->last.meant);
  if (waits && below(3)) record(&event[WAITED + which], (int)below(STREAMS));
  require_graph(s, x);
  OK(cuGraphLaunch(x->x, stream[s].h));
  Past before = known_to(s);
  past_join(&before, &x->last);
  Past all = before;
  for (int j = 0; j < g->n; j++) {
    const Node *n = &g->node[j];
    Past k = before_node(x, j, &before, op);
    op[j] = new_op(s);
    past_join(&all, &k);
    past_add(&all, op[j]);
    if (n->kind == RECORD) event[RECORDED + which].known = k;
    if (n->kind != WORK) continue;
    note_access(&n->work, op[j]);
    should(&n->work);
  }
  order_add(s, &all, true);
  x->last = all;
}

/* --- running programs --- */

static void start(void) {
  CUdevice dev;
  CUcontext ctx;
  CUmodule mod;
  OK(cuInit(0));
  OK(cuDeviceGet(&dev, 0));
  OK(cuCtxCreate(&ctx, NULL, 0, dev));
  OK(cuModuleLoadData(&mod, ptx));
  OK(cuModuleGetFunction(&mix, mod, "mix"));
  CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
  OK(cuMemPoolCreate(&pool, &props));
  streams_make();
  for (int i = 0; i < EVENTS; i++) OK(cuEventCreate(&event[i].h, CU_EVENT_DISABLE_TIMING));
  for (int i = 0; i < MEMORIES; i++) {
    memory[i].pinned = i >= BUFFERS;
    if (memory[i].pinned)
      OK(cuMemHostAlloc((void **)&memory[i].d, BYTES, 0));
    else
      OK(cuMemAlloc(&memory[i].d, BYTES));
  }
}

static void one_step(bool graphs) {
  unsigned r = below(24);
  Work w = any_work();
  if (r == 0)
    host_reads();
  else if (r == 1)
    device_to_pageable();
  else if (r == 2 && !keeping)
    host_writes();
  else if (r == 3 && !keeping)
    pageable_to_device();
  else if (r == 4 && !keeping)
    temporary();
  else if (r < 8 && graphs)
    launch(&exec[below(GRAPHS)], (int)below(STREAMS));
  else if (r == 8 && graphs)
    update_exec(&exec[below(GRAPHS)]);
  else
    give((int)below(STREAMS), &w);
}

/* Runs program number `seed` (two of three have graphs), without its synchronisation number `without` (-1:
 * with all); how many words are wrong. */
static int run(uint64_t seed, int steps, int without) {
  order_begin();
  ops = syncs = wrong = ncallbacks = 0;
  raced = false;
  left_out = without;
  rng_seed(seed);
  bool graphs = seed % 3 != 0;
  for (int i = 0; i < EVENTS; i++) event[i].known = host;
  for (int i = 0; i < MEMORIES; i++) {
    memory[i].writer = -1;
    memset(&memory[i].readers, 0, sizeof(Set));
    for (int k = 0; k < WORDS; k++) memory[i].should[k] = (uint32_t)(i * 100 + k);
    OK(cuMemcpy(memory[i].d, (CUdeviceptr)(uintptr_t)memory[i].should, BYTES));
  }
  OK(cuCtxSynchronize());
  for (int i = 0; graphs && i < GRAPHS; i++) make_exec(&exec[i]);
  for (int i = 0; i < steps && ops < OPS - 100; i++) one_step(graphs);
  left_out = -1;
  OK(cuCtxSynchronize());
  for (int i = 0; i < MEMORIES; i++) {
    uint32_t is[WORDS];
    OK(cuMemcpy((CUdeviceptr)(uintptr_t)is, memory[i].d, BYTES));
    compare(is, memory[i].should);
  }
  for (int i = 0; graphs && i < GRAPHS; i++) OK(cuGraphExecDestroy(exec[i].x));
  return wrong;
}

static void mode(const char *text) { OK(cuSoftgpuControl(text, NULL, 0, NULL)); }

static void mode_random(int seed) {
  char text[64];
  snprintf(text, sizeof text, "streams random:%d", seed);
  mode(text);
}

/* With every synchronisation that CUDA asks for, all schedules compute the same. */
static void synchronised(void) {
  start();
  for (uint64_t seed = 1; seed <= 150; seed++) {
    if (SOFT) mode("streams deferred");
    EQ(run(seed, 60, -1), 0);
    TRUE(ops > 40);
    if (!SOFT) continue;
    mode("streams eager");
    EQ(run(seed, 60, -1), 0);
    for (int i = 0; i < 12; i++) {
      mode_random((int)seed * 100 + i);
      EQ(run(seed, 60, -1), 0);
    }
    if (failed) {
      fprintf(stderr, "program %d\n", (int)seed);
      return;
    }
  }
}

/* A synchronisation is left out, one at a time. Where that leaves work unordered, some seed shows it; where
 * another synchronisation stands in for it, none does. */
static void left_out_one(void) {
  int races = 0, found = 0, deferred_found = 0, harmless = 0;
  start();
  keeping = events_are_work = true;
  for (uint64_t seed = 1; seed <= 16; seed++) {
    mode("streams deferred");
    run(seed, 25, OPS * OPS);
    int n = syncs;
    for (int without = 0; without < n; without += 1 + n / 12) {
      mode("streams deferred");
      int bad = run(seed, 25, without);
      deferred_found += bad != 0;
      for (int i = 0; i < 400 && (!bad || i == 0); i++) {
        mode_random(i);
        bad = run(seed, 25, without);
      }
      races += raced;
      found += raced && bad;
      harmless += !raced;
      if (!raced) EQ(bad, 0);
    }
  }
  printf("%d of %d races found at random, %d when deferred; %d synchronisations were not needed\n", found,
         races, deferred_found, harmless);
  TRUE(races > 80 && harmless > 0);
  TRUE(found * 100 >= races * 95);
  TRUE(deferred_found > 20);
}

static const Group groups[] = {
    {"synchronised", synchronised, ANYWHERE},
    {"left_out_one", left_out_one, SOFTWARE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
