/* Stream capture: s:capture(fn) turns what fn puts into a stream into a Graph; s:begin_capture() and
 * s:end_capture() what is put in between. The driver breaks a capture at the first call that does not belong
 * into one, so those calls of this library ask here first. */
#include "streams/capture.h"
#include "streams/graph.h"
#include "base/lock.h"
#include "base/state.h"

#include <string.h>

/* That of capture() lives on the C stack: a coroutine cannot leave the function that is captured. That of
 * begin_capture() has memory of its own, and holds its stream and context. */
typedef struct cl_Capture {
  cl_Stream *stream;
  cl_Context *ctx;
  cl_Kept *kept;
  int kept_ref; /* registry reference of the userdata of what its work uses */
  bool begun;   /* by begin_capture(); what follows is for those */
  cl_Graph *graph;
  int graph_ref;
  bool left;         /* the stream:use() that it began in has ended, and put the stream before back */
  cl_Frame *frame;   /* the one that it began in, NULL: none */
  cl_Stream *before; /* the current stream before it, retained; NULL: the legacy one */
  uint64_t id;
  CUstreamCaptureMode mode;
  pthread_t thread;
  const char *where;     /* "file:line" of capture(), interned, or NULL */
  const char *broken_by; /* interned: the driver's call that broke it, where it went through this library */
  struct cl_Capture *outer; /* of the same Lua state */
  struct cl_Capture *next;  /* of the process */
} cl_Capture;

_Atomic uint32_t cl_captures;
CL_LOCK(list_lock);
static cl_Capture *list;

/* --- what would break a capture --- */

static const char in_place_of_wait[] = "what is captured runs when its graph is launched";
static const char in_place_of_call[] = "do it before, or capture with {mode = \"relaxed\"}";

/* call: what is not possible; a function of this library that waits is what the program called. */
static int refuse(lua_State *L, const char *call, const char *where, const char *instead) {
  char own[96];
  if (instead == in_place_of_wait && cl_user_call(L, call, own, sizeof own)) call = own;
  cl_logic(L, "%s is not possible while a stream is being captured%s%s%s: %s", call, where ? " (at " : "",
           where ? where : "", where ? ")" : "", instead);
}

/* The place of the first capture that matches; false: there is none. */
static bool find(bool (*matches)(const cl_Capture *, const void *), const void *what, const char **where) {
  bool found = false;
  pthread_mutex_lock(&list_lock);
  for (const cl_Capture *c = list; c && !found; c = c->next)
    if (matches(c, what)) {
      *where = c->where;
      found = true;
    }
  pthread_mutex_unlock(&list_lock);
  return found;
}

/* The driver's rule for calls that it cannot capture, in a thread whose own mode is *what. */
static bool forbids(const cl_Capture *c, const void *what) {
  CUstreamCaptureMode mine = *(const CUstreamCaptureMode *)what;
  if (mine == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (pthread_equal(c->thread, pthread_self())) return c->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return mine == CU_STREAM_CAPTURE_MODE_GLOBAL && c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

static void refuse_unsafe(lua_State *L, const char *call, const char *instead) {
  CUstreamCaptureMode mode = cl_relax();
  cl_unrelax(mode);
  const char *where = NULL;
  if (find(forbids, &mode, &where)) refuse(L, call, where, instead);
}

void cl_refuse_in_capture_slow(lua_State *L, const char *call) { refuse_unsafe(L, call, in_place_of_call); }

/* Whether the legacy stream of the current context would wait for a stream that is being captured. */
static bool legacy_blocked(void) {
  CUstreamCaptureStatus status;
  return CU.cuStreamIsCapturing(NULL, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

void cl_refuse_plain_slow(lua_State *L, const char *call) {
  refuse_unsafe(L, call, "use the form that takes a stream");
  if (legacy_blocked()) refuse(L, call, NULL, "use the form that takes a stream");
}

static bool is_of_context(const cl_Capture *c, const void *what) {
  return (const void *)c->ctx->rec.handle == what;
}

void cl_refuse_wait_slow(lua_State *L, const char *call, const cl_Context *ctx) {
  CUcontext handle = ctx ? (CUcontext)ctx->rec.handle : NULL;
  const char *where = NULL;
  if (!handle) CU.cuCtxGetCurrent(&handle);
  if (find(is_of_context, handle, &where)) refuse(L, call, where, in_place_of_wait);
  refuse_unsafe(L, call, in_place_of_wait);
}

uint64_t cl_capture_id(const cl_Stream *s) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  CUresult code = CU.cuStreamGetCaptureInfo_v3(cl_stream_handle(s), &status, &id, NULL, NULL, NULL, NULL);
  return code || status != CU_STREAM_CAPTURE_STATUS_ACTIVE ? 0 : id;
}

static cl_Capture *capture_of(lua_State *L, const cl_Stream *s) {
  cl_Capture *c = cl_state(L)->captures;
  uint64_t id = c ? cl_capture_id(s) : 0;
  if (!id) return NULL;
  while (c && c->id != id) c = c->outer;
  return c;
}

void cl_capture_check(lua_State *L, const cl_Stream *s, const char *what) {
  if (s == &cl_legacy_stream) {
    if (legacy_blocked())
      cl_logic(L,
               "%s: the default stream cannot be used while a stream of its context is being captured, "
               "because it would wait for that stream; use the captured stream",
               what);
    return;
  }
  if ((s->foreign || s == &cl_per_thread_stream) && cl_capture_id(s) && !capture_of(L, s))
    cl_logic(L, "%s: this stream is being captured by other code, which its graph belongs to", what);
}

void cl_refuse_stream_wait(lua_State *L, const cl_Stream *s, const char *call) {
  if (!cl_captures && !s->foreign) return;
  if (cl_capture_id(s)) refuse(L, call, NULL, in_place_of_wait);
  cl_capture_check(L, s, call);
  refuse_unsafe(L, call, in_place_of_wait);
}

/* --- what goes into a capture --- */

static bool has_id(const cl_Capture *c, const void *what) { return c->id == *(const uint64_t *)what; }

bool cl_capture_active(uint64_t id) {
  const char *where;
  return find(has_id, &id, &where);
}

static void keep(lua_State *L, const cl_Capture *c) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->kept_ref);
  lua_insert(L, -2);
  cl_kept_value(L, lua_gettop(L) - 1, lua_gettop(L));
  lua_pop(L, 2);
}

bool cl_capture_keep_rec(lua_State *L, const cl_Stream *s, cl_Rec *r) {
  const cl_Capture *c = capture_of(L, s);
  if (c && !cl_kept_add(c->kept, r)) luaL_error(L, "not enough memory");
  return c != NULL;
}

/* An object's record is all there is to it; other values go into the table. */
bool cl_capture_keep(lua_State *L, const cl_Stream *s, int idx) {
  const cl_Capture *c = capture_of(L, s);
  if (!c) return false;
  luaL_checkstack(L, 8, "anchors");
  lua_pushvalue(L, idx);
  keep(L, c);
  return true;
}

/* A call answered that a capture has become invalid: remembered for the error that the end of it raises. */
static void note_failure(lua_State *L, const char *call, CUresult code, cl_Rec *waited) {
  (void)waited;
  if (!cl_captures || code < CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ||
      code > CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
    return;
  cl_Capture *c = cl_state(L)->captures;
  if (c && !c->broken_by) c->broken_by = cl_intern(call);
}
CL_HOOK(cl_on_failed_call, 1, note_failure);

/* --- capturing --- */

static const char *name_of(const cl_Capture *c) {
  return c->begun ? "Stream:begin_capture" : "Stream:capture";
}

static int get_option(lua_State *L) {
  lua_gettable(L, 1);
  return 1;
}

/* A metamethod of the table may raise anything. */
static void push_option(lua_State *L, int idx, const char *key, const char *what) {
  lua_pushcfunction(L, get_option);
  lua_pushvalue(L, idx);
  lua_pushstring(L, key);
  if (lua_pcall(L, 2, 1, 0))
    cl_logic(L, "%s: the option '%s' cannot be read: a metamethod of the table raised an error", what, key);
}

static CUstreamCaptureMode read_mode(lua_State *L, int idx, const char *what) {
  if (lua_isnoneornil(L, idx)) return CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  push_option(L, idx, "mode", what);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  if (!lua_isnil(L, -1))
    mode = (CUstreamCaptureMode)cl_check_enum(L, lua_gettop(L), "mode", "stream_capture_mode");
  lua_pop(L, 1);
  return mode;
}

/* Only the first `count` of these are known. */
static void check_options(lua_State *L, int idx, const char *what, size_t count) {
  static const char *const known[] = {"mode", "into", "after"};
  if (lua_isnoneornil(L, idx)) return;
  if (lua_type(L, idx) != LUA_TTABLE)
    cl_bad_argument(L, idx, "options", "a table of options, {mode = \"relaxed\"}");
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    bool good = false;
    for (size_t i = 0; lua_type(L, -2) == LUA_TSTRING && i < count; i++)
      good = good || strcmp(lua_tostring(L, -2), known[i]) == 0;
    if (!good)
      cl_logic(L, "%s: unknown option %s; valid option%s", what, cl_option_text(L, -2),
               count == 1 ? ": mode" : "s: mode, into, after");
  }
}

static void check_stream(lua_State *L, const cl_Capture *c) {
  const cl_Stream *s = c->stream;
  const char *what = name_of(c);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (s == &cl_legacy_stream)
    cl_logic(L, "%s: the legacy stream cannot be captured; make one with cuda.Stream()", what);
  CL_TRY(L, cuStreamIsCapturing, cl_stream_handle(s), &status);
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return;
  const cl_Capture *other = cl_state(L)->captures;
  while (other && other->stream != s) other = other->outer;
  const char *where = other ? other->where : NULL;
  cl_logic(L, "%s: this stream is already being captured%s%s", what, where ? ", since " : "",
           where ? where : "");
}

static void link(cl_State *st, cl_Capture *c) {
  c->outer = st->captures;
  st->captures = c;
  pthread_mutex_lock(&list_lock);
  c->next = list;
  list = c;
  pthread_mutex_unlock(&list_lock);
  cl_captures++;
}

static void unlink(cl_State *st, const cl_Capture *c) {
  cl_captures--;
  pthread_mutex_lock(&list_lock);
  cl_Capture **p = &list;
  while (*p != c) p = &(*p)->next;
  *p = c->next;
  pthread_mutex_unlock(&list_lock);
  p = &st->captures;
  while (*p != c) p = &(*p)->outer;
  *p = c->outer;
}

/* Into `into`, after the nodes there, or where that is NULL into a graph of its own. */
typedef struct Place {
  CUgraph into;
  cl_Graph *graph; /* that graph, or NULL */
  const CUgraphNode *after;
  size_t count;
} Place;

static CUresult begin(cl_Capture *c, const Place *at) {
  CUstream h = cl_stream_handle(c->stream);
  CUresult code = at->into ? CU.cuStreamBeginCaptureToGraph(h, at->into, at->after, NULL, at->count, c->mode)
                           : CU.cuStreamBeginCapture_v2(h, c->mode);
  if (code) return code;
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  code = CU.cuStreamGetCaptureInfo_v3(h, &status, &id, NULL, NULL, NULL, NULL);
  CUgraph none = NULL;
  if (code && !CU.cuStreamEndCapture(h, &none) && none && !at->into) CU.cuGraphDestroy(none);
  c->id = id;
  return code;
}

/* With the context gone, the stream's handle is that of nothing, or of something else. */
static CUresult end(const cl_Capture *c, CUgraph *graph) {
  *graph = NULL;
  if (cl_forked) return CUDA_ERROR_NOT_INITIALIZED;
  if (!cl_rec_live(&c->stream->rec) || c->ctx->rec.life != CL_LIVE) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return CU.cuStreamEndCapture(cl_stream_handle(c->stream), graph);
}

static int end_failed(lua_State *L, const cl_Capture *c, CUresult code) {
  const char *why = NULL;
  switch ((int)code) {
  case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    why = c->begun ? "a call since begin_capture() is not allowed in a capture and invalidated it"
                   : "a call in the function is not allowed in a capture and invalidated it";
    break;
  case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    why = "a stream that joined the capture by waiting for an event was not joined again: record an event in "
          "it "
          "and let the captured stream wait for that event";
    break;
  case CUDA_ERROR_CONTEXT_IS_DESTROYED: why = "the stream's Context is gone"; break;
  default: break;
  }
  cl_fail_new(L, "cuStreamEndCapture", code);
  if (why) {
    lua_pushfstring(L, "%s: %s%s%s", c->begun ? "Stream:end_capture" : name_of(c), why,
                    c->broken_by ? ": " : "", c->broken_by ? c->broken_by : "");
    lua_setfield(L, -2, "message");
  }
  return cl_throw(L);
}

/* Begins c, whose cl_Kept is at index `kept`; raises where that fails. */
static void enter(lua_State *L, cl_Capture *c, int kept, const Place *at, cl_Frame *frame) {
  cl_State *st = cl_state(L);
  lua_pushvalue(L, kept);
  c->kept_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  CUresult code = begin(c, at);
  if (code) {
    luaL_unref(L, LUA_REGISTRYINDEX, c->kept_ref);
    cl_fail(L, at->into ? "cuStreamBeginCaptureToGraph" : "cuStreamBeginCapture_v2", code);
  }
  if (at->graph) at->graph->captures++;
  cl_stream_enter(st, c->stream, frame);
  link(st, c);
}

static CUresult leave(lua_State *L, const cl_Capture *c, const Place *at, cl_Frame *frame, CUgraph *handle) {
  cl_State *st = cl_state(L);
  CUresult code = end(c, handle);
  if (at->graph) at->graph->captures--;
  unlink(st, c);
  cl_stream_leave(st, frame);
  luaL_unref(L, LUA_REGISTRYINDEX, c->kept_ref);
  return code;
}

/* Of a capture of the stream at index 1; pushes its cl_Kept, and holds the context. */
static void open_capture(lua_State *L, cl_Capture *c) {
  cl_State *st = cl_state(L);
  if (st->closed) cl_logic(L, "this Lua state is closing: nothing can be captured now");
  cl_Context *ctx = cl_stream_context(L, c->stream);
  cl_push_context(L, ctx); /* holds it from here on */
  cl_rec_release(&ctx->rec);
  c->ctx = ctx;
  c->thread = pthread_self();
  c->where = cl_here(L);
  c->kept = cl_push_kept(L);
}

/* s:capture(fn [, {mode = "thread_local", into = Graph, after = {Node, ...}}]) -> Graph of what fn(s) put
 * into s, and into the streams that joined it. s is the current stream inside. */
int cl_stream_capture(lua_State *L) {
  enum { STREAM = 1, FN, OPTIONS, INTO, AFTER, CONTEXT, KEPT, GRAPH, NODES };
  const cl_Object *o = cl_check(L, STREAM, CL_STREAM);
  cl_Stream *s = (cl_Stream *)o->rec;
  cl_check_function(L, FN, "fn");
  lua_settop(L, OPTIONS);
  check_options(L, OPTIONS, "Stream:capture", 3);
  cl_Capture c = {.stream = s, .mode = read_mode(L, OPTIONS, "Stream:capture")};
  if (lua_isnil(L, OPTIONS)) {
    lua_settop(L, AFTER);
  } else {
    push_option(L, OPTIONS, "into", "Stream:capture");
    push_option(L, OPTIONS, "after", "Stream:capture");
  }
  const bool lent = !lua_isnil(L, INTO);
  if (lent && !cl_to_kind(L, INTO, CL_GRAPH)) cl_bad_argument(L, INTO, "into", "a Graph");
  if (!lent && !lua_isnil(L, AFTER))
    cl_logic(L, "Stream:capture: option after names nodes of option into; pass both");
  open_capture(L, &c);
  cl_Graph *g;
  if (lent) {
    lua_pushvalue(L, INTO);
    g = cl_check_graph(L, INTO);
    if (cl_graph_context(L, &g->rec, "Stream:capture") != c.ctx)
      cl_logic(L, "Stream:capture: the stream and the graph belong to two contexts");
  } else {
    g = cl_push_graph(L, c.ctx);
  }
  Place at = {NULL, NULL, NULL, 0};
  at.after = cl_check_nodes(L, AFTER, g, &at.count);
  if (lent) at.into = (CUgraph)cl_check_graph(L, INTO)->rec.handle;
  if (lent) at.graph = g;
  cl_check(L, STREAM, CL_STREAM); /* again: finalizers may have run */
  check_stream(L, &c);
  cl_keep_room(L, GRAPH);
  cl_Frame frame;
  lua_pushvalue(L, FN);
  lua_pushvalue(L, STREAM);
  enter(L, &c, KEPT, &at, &frame);
  int failed = lua_pcall(L, 1, 0, 0);
  CUgraph handle;
  CUresult code = leave(L, &c, &at, &frame, &handle);
  /* What there is of a capture that failed stays in a graph that is lent, and with it what that uses. */
  if (lent && cl_rec_live(&g->rec)) {
    cl_keep_room(L, GRAPH);
    cl_keep_for(L, GRAPH, KEPT, 0);
  }
  if (failed) {
    if (handle && !lent) CU.cuGraphDestroy(handle);
    cl_log_clear();
    lua_error(L);
  }
  if (code) return end_failed(L, &c, code);
  if (!lent) {
    cl_graph_made(g, handle);
    cl_keep_for(L, GRAPH, KEPT, 0);
  }
  lua_settop(L, GRAPH);
  return 1;
}

/* --- a node by hand: one call, captured --- */

/* What the work of c so far ends with: `ends` has room for `room`. Returns how many, or
 * SIZE_MAX: that cannot be said. */
static size_t ends_of(const cl_Capture *c, CUgraphNode *ends, size_t room) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *nodes = NULL;
  size_t n = 0;
  CUresult code =
      CU.cuStreamGetCaptureInfo_v3(cl_stream_handle(c->stream), &status, NULL, NULL, &nodes, NULL, &n);
  if (code || status != CU_STREAM_CAPTURE_STATUS_ACTIVE || n > room) return SIZE_MAX;
  for (size_t i = 0; i < n; i++) ends[i] = nodes[i];
  return n;
}

static bool is_among(CUgraphNode node, const CUgraphNode *nodes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (nodes[i] == node) return true;
  return false;
}

/* Takes out what came into the graph behind at->after and ends with these nodes. */
static void take_back(const Place *at, CUgraphNode *ends, size_t n) {
  enum { MOST = 64 };
  for (size_t i = 0; i < n; i++) {
    if (is_among(ends[i], at->after, at->count)) continue;
    CUgraphNode before[MOST];
    size_t count = MOST;
    if (CU.cuGraphNodeGetDependencies_v2(ends[i], before, NULL, &count)) count = 0;
    if (CU.cuGraphDestroyNode(ends[i])) return;
    take_back(at, before, count);
  }
}

static size_t size_of(CUgraph g) {
  size_t n = 0;
  return CU.cuGraphGetNodes(g, NULL, &n) ? SIZE_MAX : n;
}

/* Calls the function at index `fn` with the stream at index 1 while what that puts into it becomes one node
 * of the graph at.into. The cl_Kept at index `kept` gets what it uses. Raises what the function raises, and
 * where it is another number of nodes; the graph is as it was then. */
static CUgraphNode capture_node(lua_State *L, cl_Capture *c, int fn, int kept, const Place *at,
                                const char *call) {
  enum { MOST = 64 };
  CUgraphNode ends[MOST];
  cl_Frame frame;
  CUgraph handle;
  const size_t size = size_of(at->into);
  check_stream(L, c);
  lua_pushvalue(L, fn);
  lua_pushvalue(L, 1);
  enter(L, c, kept, at, &frame);
  int failed = lua_pcall(L, 1, 0, 0);
  size_t n = cl_rec_live(&c->stream->rec) ? ends_of(c, ends, MOST) : SIZE_MAX;
  CUresult code = leave(L, c, at, &frame, &handle);
  if (!cl_rec_live(&at->graph->rec)) { /* its context went: so did all of it */
    if (failed) lua_error(L);
    end_failed(L, c, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  }
  const size_t now = size_of(at->into);
  bool one = !failed && !code && n == 1 && now == size + 1 && !is_among(ends[0], at->after, at->count);
  if (one) return ends[0];
  if (now != size && n != SIZE_MAX) take_back(at, ends, n);
  if (failed) {
    cl_log_clear();
    lua_error(L);
  }
  if (code) end_failed(L, c, code);
  if (now == size) cl_logic(L, "%s: 0 bytes or elements do not make a node", call);
  cl_logic(L, "%s: the call did more than one operation, but a node holds only one", call);
  return NULL;
}

/* graph_capture_node(stream, fn, g, after, call) -> Node */
int cl_graph_capture_node(lua_State *L) {
  enum { STREAM = 1, FN, GRAPH, AFTER, CALL, CONTEXT, KEPT };
  lua_settop(L, CALL);
  const char *call = luaL_checkstring(L, CALL);
  cl_Graph *g = cl_check_graph(L, GRAPH);
  cl_Capture c = {.stream = (cl_Stream *)((const cl_Object *)cl_check(L, STREAM, CL_STREAM))->rec,
                  .mode = CU_STREAM_CAPTURE_MODE_RELAXED};
  open_capture(L, &c);
  c.kept->strict = true;
  Place at = {NULL, g, NULL, 0};
  at.after = cl_check_nodes(L, AFTER, g, &at.count);
  cl_check(L, STREAM, CL_STREAM); /* again: finalizers may have run */
  at.into = (CUgraph)cl_check_graph(L, GRAPH)->rec.handle;
  if (cl_graph_context(L, &g->rec, call) != c.ctx)
    cl_logic(L, "%s: the graph belongs to another context", call);
  cl_keep_room(L, GRAPH);
  const CUgraphNode node = capture_node(L, &c, FN, KEPT, &at, call);
  cl_keep_room(L, GRAPH); /* again: the function may have added to the graph */
  cl_keep_for(L, GRAPH, KEPT, (uint64_t)(uintptr_t)node);
  cl_push_node(L, GRAPH, node);
  return 1;
}

/* The node does in the executable graph what the other one, of a graph that is thrown away, does. */
static CUresult set_like(const cl_GraphExec *x, const cl_Node *n, CUgraphNode like, const char **call) {
  const CUgraphExec exec = (CUgraphExec)x->rec.handle;
  const CUgraphNode node = (CUgraphNode)n->rec.handle;
  const CUcontext ctx = (CUcontext)cl_rec_context(x->rec.parent)->rec.handle;
  CUDA_KERNEL_NODE_PARAMS k;
  CUDA_MEMCPY3D c;
  CUDA_MEMSET_NODE_PARAMS f;
  CUresult code;
  switch ((int)n->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    *call = "cuGraphExecKernelNodeSetParams_v2";
    code = CU.cuGraphKernelNodeGetParams_v2(like, &k);
    return code ? code : CU.cuGraphExecKernelNodeSetParams_v2(exec, node, &k);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    *call = "cuGraphExecMemcpyNodeSetParams";
    code = CU.cuGraphMemcpyNodeGetParams(like, &c);
    return code ? code : CU.cuGraphExecMemcpyNodeSetParams(exec, node, &c, ctx);
  default:
    *call = "cuGraphExecMemsetNodeSetParams";
    code = CU.cuGraphMemsetNodeGetParams(like, &f);
    return code ? code : CU.cuGraphExecMemsetNodeSetParams(exec, node, &f, ctx);
  }
}

/* A graph that goes with its userdata: what a node is to do is captured into it. */
static cl_Graph *push_scratch(lua_State *L, cl_Context *ctx) {
  cl_Graph *g = cl_push_graph(L, ctx);
  CUgraph handle = NULL;
  CL_TRY(L, cuGraphCreate, &handle, 0);
  cl_graph_made(g, handle);
  return g;
}

/* exec_set_node(stream, fn, x, node, call, kind): the node, which has to be of that kind, does what
 * fn(stream) puts into the stream from now on */
int cl_exec_set_node(lua_State *L) {
  enum { STREAM = 1, FN, EXEC, NODE, CALL, TYPE, CONTEXT, KEPT, SCRATCH };
  lua_settop(L, TYPE);
  const char *call = luaL_checkstring(L, CALL);
  cl_GraphExec *x = cl_check_exec(L, EXEC);
  cl_Capture c = {.stream = (cl_Stream *)((const cl_Object *)cl_check(L, STREAM, CL_STREAM))->rec,
                  .mode = CU_STREAM_CAPTURE_MODE_RELAXED};
  open_capture(L, &c);
  c.kept->strict = true;
  cl_Graph *scratch = push_scratch(L, c.ctx);
  const Place at = {(CUgraph)scratch->rec.handle, scratch, NULL, 0};
  cl_check_exec_node(L, NODE, x, call);
  cl_check(L, STREAM, CL_STREAM); /* again: finalizers may have run */
  if (cl_graph_context(L, &x->rec, call) != c.ctx)
    cl_logic(L, "%s: the graph belongs to another context", call);
  const CUgraphNode like = capture_node(L, &c, FN, KEPT, &at, call);
  x = cl_check_exec(L, EXEC); /* again: the function may have done anything */
  const cl_Node *n = cl_check_exec_node(L, NODE, x, call);
  CUgraphNodeType type;
  CL_TRY(L, cuGraphNodeGetType, like, &type);
  if (type != n->type) cl_logic(L, "%s: the node has another kind", call);
  cl_keep_room(L, EXEC);
  x = cl_check_exec(L, EXEC); /* again: finalizers may have run */
  n = cl_check_exec_node(L, NODE, x, call);
  const char *driver_call;
  CUresult code = set_like(x, n, like, &driver_call);
  if (code == CUDA_ERROR_INVALID_VALUE) {
    cl_fail_new(L, driver_call, code);
    lua_pushfstring(L,
                    "%s: the driver cannot change the node this way; kernels must stay in their context; "
                    "copies and fills must keep their kinds of memory and, with several rows, their extents; "
                    "a node added after instantiate() is not in an earlier GraphExec",
                    call);
    lua_setfield(L, -2, "message");
    return cl_throw(L);
  }
  if (code) cl_fail(L, driver_call, code);
  cl_keep_for(L, EXEC, KEPT, n->rec.handle);
  return 0;
}

/* --- from one call to another --- */

static void drop(cl_Capture *c) {
  if (c->before) cl_rec_release(&c->before->rec);
  cl_rec_release(&c->stream->rec);
  cl_rec_release(&c->ctx->rec);
  free(c);
}

/* Pushes the contents, the context and the Graph of a capture that is about to begin. */
static void prepare(lua_State *L, cl_Capture *c) {
  const int kept = lua_gettop(L) + 2, graph = kept + 1;
  open_capture(L, c);
  c->graph = cl_push_graph(L, c->ctx);
  cl_keep_room(L, graph);
  cl_check(L, 1, CL_STREAM); /* again: finalizers may have run */
  check_stream(L, c);
  lua_pushvalue(L, kept);
  c->kept_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushvalue(L, graph);
  c->graph_ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

static void forget(lua_State *L, const cl_Capture *c) {
  luaL_unref(L, LUA_REGISTRYINDEX, c->kept_ref);
  luaL_unref(L, LUA_REGISTRYINDEX, c->graph_ref);
}

/* s:begin_capture([mode]) -> s, which is the current stream until s:end_capture(). */
int cl_stream_begin_capture(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_STREAM);
  cl_Capture own = {
      .stream = (cl_Stream *)o->rec, .mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, .begun = true};
  cl_State *st = cl_state(L);
  lua_settop(L, 2);
  check_options(L, 2, "Stream:begin_capture", 1);
  own.mode = read_mode(L, 2, "Stream:begin_capture");
  prepare(L, &own);
  static const Place own_graph = {NULL, NULL, NULL, 0};
  cl_Capture *c = malloc(sizeof *c);
  CUresult code = c ? begin(&own, &own_graph) : CUDA_ERROR_OUT_OF_MEMORY;
  if (code) {
    free(c);
    forget(L, &own);
    if (!c) luaL_error(L, "not enough memory");
    cl_fail(L, "cuStreamBeginCapture_v2", code);
  }
  *c = own;
  cl_rec_retain(&c->stream->rec);
  cl_rec_retain(&c->ctx->rec);
  c->frame = st->frame;
  c->before = cl_stream_set(st, c->stream);
  link(st, c);
  lua_settop(L, 1);
  return 1;
}

/* The capture of s that is to be ended here; raises if there is none. */
static cl_Capture *begun(lua_State *L, const cl_State *st, const cl_Stream *s) {
  cl_Capture *c = st->captures;
  while (c && c->stream != s) c = c->outer;
  if (c && !c->begun)
    cl_logic(L, "Stream:end_capture: Stream:capture() ends this capture when its function returns");
  if (!c && s != &cl_legacy_stream && cl_capture_id(s))
    cl_logic(L, "Stream:end_capture: %s",
             capture_of(L, s) ? "this stream has joined the capture of another stream; end the capture there"
                              : "this stream is being captured by other code, which has to end it");
  if (!c) cl_logic(L, "Stream:end_capture: this stream is not being captured; begin_capture() begins");
  if (!c->left && c->frame != st->frame)
    cl_logic(L,
             "Stream:end_capture: the capture began%s%s outside the stream:use() or stream:capture() that is "
             "under way: end it outside, too",
             c->where ? " at " : "", c->where ? c->where : "");
  return c;
}

/* c is over: the current stream is what it was before. A capture that began later and is not over goes back
 * to that one instead. */
static void put_back(cl_State *st, cl_Capture *c) {
  if (c->left) return;
  cl_Capture *later = NULL;
  for (cl_Capture *d = st->captures; d != c; d = d->outer)
    if (d->begun && !d->left && d->frame == c->frame) later = d;
  cl_Stream **place = later ? &later->before : &st->stream, *ended = *place;
  *place = c->before;
  c->before = NULL;
  cl_streams_in_use--;
  cl_rec_release(&ended->rec);
}

void cl_captures_left(cl_State *st, const cl_Frame *frame) {
  for (cl_Capture *c = st->captures; c; c = c->outer) {
    if (!c->begun || c->left || c->frame != frame) continue;
    c->left = true;
    if (c->before) cl_rec_release(&c->before->rec);
    c->before = NULL;
    cl_streams_in_use--;
  }
}

/* s:end_capture() -> Graph */
int cl_stream_end_capture(lua_State *L) {
  const cl_Object *o = cl_check(L, 1, CL_STREAM);
  cl_State *st = cl_state(L);
  cl_Capture *c = begun(L, st, (const cl_Stream *)o->rec);
  enum { STREAM = 1, GRAPH, KEPT };
  lua_settop(L, STREAM);
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->graph_ref);
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->kept_ref);
  CUgraph handle;
  CUresult code = end(c, &handle);
  if (code == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) { /* it goes on */
    cl_fail_new(L, "cuStreamEndCapture", code);
    lua_pushliteral(L, "a capture ends in the thread that it began in, unless its mode is \"relaxed\"");
    lua_setfield(L, -2, "hint");
    return cl_throw(L);
  }
  put_back(st, c);
  unlink(st, c);
  forget(L, c);
  cl_Capture over = *c;
  drop(c);
  if (code) return end_failed(L, &over, code);
  cl_graph_made(over.graph, handle);
  cl_keep_for(L, GRAPH, KEPT, 0);
  lua_settop(L, GRAPH);
  return 1;
}

/* s:is_capturing() -> boolean; and "invalidated" for one that can only be ended */
int cl_stream_is_capturing(lua_State *L) {
  const cl_Stream *s = (const cl_Stream *)((const cl_Object *)cl_check(L, 1, CL_STREAM))->rec;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (s != &cl_legacy_stream) CL_TRY(L, cuStreamIsCapturing, cl_stream_handle(s), &status);
  lua_pushboolean(L, status != CU_STREAM_CAPTURE_STATUS_NONE);
  if (status != CU_STREAM_CAPTURE_STATUS_INVALIDATED) return 1;
  lua_pushliteral(L, "invalidated");
  return 2;
}

/* The end of a state: nobody can end its captures any more. Those of capture() are on a stack that goes. */
static void state_closes(cl_State *st) {
  for (cl_Capture *c = st->captures, *outer; c; c = outer) {
    outer = c->outer;
    if (!c->begun) continue;
    CUgraph handle;
    if (!end(c, &handle) && handle) CU.cuGraphDestroy(handle);
    put_back(st, c);
    unlink(st, c);
    drop(c);
  }
  cl_log_clear();
}
CL_HOOK(cl_on_state_close, 0, state_closes);
