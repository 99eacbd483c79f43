/* Graphs made and changed node by node, through the driver API alone, in the manner of graph_test.c: edges in
 * any direction, nodes taken out, parameters set in graphs and in what was instantiated, conditions, captures
 * into graphs. */
#include "graphs.h"

enum { NOTES = 5 };

/* buf[0] counts the notes, which follow in the order in which they ran. */
static CUgraphNode add_note(CUgraph g, unsigned v, const CUgraphNode *after, size_t n) {
  CUgraphNode node = NULL;
  void *params[] = {&buf, &v};
  CUDA_KERNEL_NODE_PARAMS p = {.func = note,
                               .gridDimX = 1,
                               .gridDimY = 1,
                               .gridDimZ = 1,
                               .blockDimX = 1,
                               .blockDimY = 1,
                               .blockDimZ = 1,
                               .kernelParams = params};
  OK(cuGraphAddKernelNode(&node, g, after, n, &p));
  return node;
}

static CUDA_KERNEL_NODE_PARAMS note_params(unsigned *v) {
  static void *params[2];
  params[0] = &buf;
  params[1] = v;
  return (CUDA_KERNEL_NODE_PARAMS){.func = note,
                                   .gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 1,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .kernelParams = params};
}

/* The notes of one run. */
static void expect_notes(CUgraphExec x, const unsigned *want, unsigned n) {
  clear();
  run(x);
  EQ(read_word(0), n);
  for (unsigned i = 0; i < n; i++) EQ(read_word((int)i + 1), want[i]);
}

/* The later ones come first. */
static void edges(void) {
  CUgraph g, clone;
  CUgraphNode node[NOTES], found;
  CUgraphExec x;
  const unsigned backwards[] = {5, 4, 3, 2, 1}, without[] = {4, 2, 1};
  size_t n = 0;
  start();
  OK(cuGraphCreate(&g, 0));
  for (unsigned i = 0; i < NOTES; i++) node[i] = add_note(g, i + 1, NULL, 0);
  for (int i = 0; i + 1 < NOTES; i++) OK(cuGraphAddDependencies(g, &node[i + 1], &node[i], NULL, 1));
  x = instantiate(g);
  expect_notes(x, backwards, NOTES);
  OK(cuGraphClone(&clone, g));
  OK(cuGraphNodeFindInClone(&found, node[2], clone));
  TRUE(found != node[2]);
  CUgraphExec of_clone = instantiate(clone);
  expect_notes(of_clone, backwards, NOTES);
  CUgraphExecUpdateResultInfo info;
  OK(cuGraphExecUpdate(x, clone, &info));
  expect_notes(x, backwards, NOTES);
  /* A cycle is found when the graph is instantiated. */
  OK(cuGraphAddDependencies(g, &node[0], &node[4], NULL, 1));
  CUgraphExec none = NULL;
  TRUE(cuGraphInstantiate(&none, g, 0) != CUDA_SUCCESS);
  OK(cuGraphRemoveDependencies(g, &node[0], &node[4], NULL, 1));
  /* All edges of a call or none. */
  CUgraphNode from[] = {node[4], node[1]}, to[] = {node[1], node[0]};
  IS(1, cuGraphAddDependencies(g, from, to, NULL, 2));
  OK(cuGraphGetEdges(g, NULL, NULL, NULL, &n));
  EQ(n, 4);
  /* Without the ends of a chain the middle stays in order; what was instantiated stays what it was. */
  OK(cuGraphDestroyNode(node[4]));
  OK(cuGraphDestroyNode(node[2]));
  OK(cuGraphGetEdges(g, NULL, NULL, NULL, &n));
  EQ(n, 1);
  OK(cuGraphAddDependencies(g, &node[3], &node[1], NULL, 1));
  OK(cuGraphNodeGetDependentNodes(node[3], &found, NULL, (n = 1, &n)));
  TRUE(n == 1 && found == node[1]);
  CUgraphExec y = instantiate(g);
  expect_notes(y, without, 3);
  expect_notes(x, backwards, NOTES);
  OK(cuGraphDestroy(g));
  expect_notes(y, without, 3);
}

static void parameters(void) {
  CUgraph g;
  CUgraphExec before, after;
  unsigned seven = 7, eight = 8;
  const unsigned one[] = {1, 2}, changed[] = {7, 2}, again[] = {8, 2}, less[] = {2};
  start();
  OK(cuGraphCreate(&g, 0));
  CUgraphNode first = add_note(g, 1, NULL, 0);
  CUgraphNode second = add_note(g, 2, &first, 1);
  before = instantiate(g);
  CUDA_KERNEL_NODE_PARAMS p = note_params(&seven), told;
  OK(cuGraphKernelNodeSetParams(first, &p));
  OK(cuGraphKernelNodeGetParams(first, &told));
  EQ(*(unsigned *)told.kernelParams[1], 7);
  after = instantiate(g);
  expect_notes(before, one, 2);
  expect_notes(after, changed, 2);
  p = note_params(&eight);
  OK(cuGraphLaunch(after, s1)); /* keeps what it was given */
  OK(cuGraphExecKernelNodeSetParams(after, first, &p));
  OK(cuStreamSynchronize(s1));
  EQ(read_word(3), 7);
  expect_notes(after, again, 2);
  expect_notes(before, one, 2);
  OK(cuGraphNodeSetEnabled(after, first, 0));
  expect_notes(after, less, 1);
  OK(cuGraphNodeSetEnabled(after, first, 1));
  expect_notes(after, again, 2);
  unsigned on = 9;
  OK(cuGraphNodeGetEnabled(after, second, &on));
  EQ(on, 1);
}

/* --- conditions --- */

static const char loop_ptx[] = ".version 8.4\n.target sm_70\n.address_size 64\n"
                               ".extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);\n"
                               ".visible .entry down(.param .u64 h, .param .u64 p) {\n" /* sets --*p */
                               "  .reg .b32 %r<3>;\n"
                               "  .reg .b64 %rd<4>;\n"
                               "  ld.param.u64 %rd1, [h];\n"
                               "  ld.param.u64 %rd2, [p];\n"
                               "  cvta.to.global.u64 %rd3, %rd2;\n"
                               "  ld.global.u32 %r1, [%rd3];\n"
                               "  sub.u32 %r2, %r1, 1;\n"
                               "  st.global.u32 [%rd3], %r2;\n"
                               "  {\n"
                               "  .param .b64 a;\n"
                               "  .param .b32 b;\n"
                               "  st.param.b64 [a], %rd1;\n"
                               "  st.param.b32 [b], %r2;\n"
                               "  call.uni cudaGraphSetConditional, (a, b);\n"
                               "  }\n"
                               "  ret;\n"
                               "}\n";

static CUfunction down;

static CUgraphNode add_down(CUgraph g, CUgraphConditionalHandle h, CUdeviceptr counter,
                            const CUgraphNode *after, size_t n) {
  CUgraphNode node = NULL;
  void *params[] = {&h, &counter};
  CUDA_KERNEL_NODE_PARAMS p = {.func = down,
                               .gridDimX = 1,
                               .gridDimY = 1,
                               .gridDimZ = 1,
                               .blockDimX = 1,
                               .blockDimY = 1,
                               .blockDimZ = 1,
                               .kernelParams = params};
  OK(cuGraphAddKernelNode(&node, g, after, n, &p));
  return node;
}

static CUgraphNode add_conditional(CUgraph g, CUgraphConditionalHandle h, CUgraphConditionalNodeType kind,
                                   unsigned size, const CUgraphNode *after, size_t n, CUgraph *bodies) {
  CUgraphNode node = NULL;
  CUgraphNodeParams p;
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.handle = h;
  p.conditional.type = kind;
  p.conditional.size = size;
  p.conditional.ctx = ctx;
  OK(cuGraphAddNode(&node, g, after, NULL, n, &p));
  for (unsigned i = 0; i < size; i++) bodies[i] = p.conditional.phGraph_out[i];
  return node;
}

/* Without the device runtime a GPU's driver cannot load the module: for the software device. */
static void soft_loop(void) {
  CUmodule m;
  CUgraph g, body;
  CUgraphConditionalHandle h;
  CUdeviceptr counter;
  unsigned nine = 9;
  const unsigned three[] = {1, 1, 1, 2}, two[] = {9, 9, 2};
  start();
  OK(cuModuleLoadData(&m, loop_ptx));
  OK(cuModuleGetFunction(&down, m, "down"));
  OK(cuMemAlloc(&counter, 4));
  OK(cuGraphCreate(&g, 0));
  OK(cuGraphConditionalHandleCreate(&h, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNode loop = add_conditional(g, h, CU_GRAPH_COND_TYPE_WHILE, 1, NULL, 0, &body);
  CUgraphNode inner = add_note(body, 1, NULL, 0);
  add_down(body, h, counter, &inner, 1);
  add_note(g, 2, &loop, 1);
  CUgraphExec x = instantiate(g);
  OK(cuMemsetD32(counter, 3, 1));
  expect_notes(x, three, 4);
  CUDA_KERNEL_NODE_PARAMS p = note_params(&nine);
  OK(cuGraphExecKernelNodeSetParams(x, inner, &p));
  OK(cuMemsetD32(counter, 2, 1));
  expect_notes(x, two, 3);
  CUgraphExecUpdateResultInfo info;
  OK(cuGraphExecUpdate(x, g, &info)); /* as it is in the graph again */
  OK(cuMemsetD32(counter, 3, 1));
  expect_notes(x, three, 4);
  /* The executable graph needs neither graph nor node. */
  OK(cuGraphDestroyNode(loop));
  OK(cuMemsetD32(counter, 3, 1));
  expect_notes(x, three, 4);
  OK(cuGraphDestroy(g));
  OK(cuMemsetD32(counter, 3, 1));
  expect_notes(x, three, 4);
  IS(1, cuGraphDestroy(body));
  OK(cuGraphExecDestroy(x));
}

/* Bodies hold what the header says, and are checked when all of it is there. */
static void soft_bodies(void) {
  CUgraph g, bodies[2];
  CUgraphNode node;
  CUgraphConditionalHandle h;
  CUgraphExec x = NULL;
  const unsigned then[] = {1}, otherwise[] = {2};
  start();
  for (unsigned value = 0; value < 2; value++) {
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphConditionalHandleCreate(&h, g, ctx, value, CU_GRAPH_COND_ASSIGN_DEFAULT));
    add_conditional(g, h, CU_GRAPH_COND_TYPE_IF, 2, NULL, 0, bodies);
    add_note(bodies[0], 1, NULL, 0);
    add_note(bodies[1], 2, NULL, 0);
    x = instantiate(g);
    expect_notes(x, value ? then : otherwise, 1);
    CUgraphExec second = NULL;
    TRUE(cuGraphInstantiate(&second, g, 0) != CUDA_SUCCESS);
    OK(cuGraphExecDestroy(x));
    x = instantiate(g); /* after the other one */
    OK(cuGraphExecDestroy(x));
  }
  CUDA_HOST_NODE_PARAMS host = {.fn = NULL};
  memcpy(&host.fn, &(void (*)(void *)){free}, sizeof host.fn);
  OK(cuGraphAddHostNode(&node, bodies[0], NULL, 0, &host));
  TRUE(cuGraphInstantiate(&x, g, 0) != CUDA_SUCCESS);
  OK(cuGraphDestroyNode(node));
  x = instantiate(g);
  OK(cuGraphDestroy(g));
}

/* --- captures into a graph that is there --- */

static void into(void) {
  CUgraph g, same = NULL;
  CUevent fork, join;
  const unsigned order[] = {1, 2, 3};
  start();
  OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  OK(cuGraphCreate(&g, 0));
  CUgraphNode first = add_note(g, 1, NULL, 0);
  OK(cuStreamBeginCaptureToGraph(s1, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuEventRecord(fork, s1));
  OK(cuStreamWaitEvent(s2, fork, 0));
  OK(launch_note(2, s2));
  OK(cuEventRecord(join, s2));
  OK(cuStreamWaitEvent(s1, join, 0));
  OK(launch_note(3, s1));
  IS(401, cuGraphDestroyNode(first)); /* the capture knows its nodes */
  OK(cuStreamEndCapture(s1, &same));
  TRUE(same == g);
  EQ(count_nodes(g), 3);
  expect_notes(instantiate(g), order, 3);
  /* One that fails leaves the graph. */
  OK(cuStreamBeginCaptureToGraph(s1, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuEventRecord(fork, s1));
  OK(cuStreamWaitEvent(s2, fork, 0));
  OK(launch_note(4, s2));
  IS(904, cuStreamEndCapture(s1, &same));
  OK(cuGraphDestroy(g));
}

static const Group groups[] = {
    {"edges", edges, ANYWHERE},    {"parameters", parameters, ANYWHERE}, {"into", into, ANYWHERE},
    {"loop", soft_loop, SOFTWARE}, {"bodies", soft_bodies, SOFTWARE},
};

int main(int argc, char **argv) { return RUN_GROUPS(groups, argc, argv); }
