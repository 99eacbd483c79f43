/* SharedGroup: a group of ranks as Lua sees it (lua/cudalua/distributed/transport/shm.lua). */
#include "base/base.h"
#include "base/interrupt.h"
#include "base/state.h"
#include "distributed/groups.h"
#include "distributed/mpi.h"
#include "memory/copy.h"
#include "streams/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct cl_Shared {
  cl_Rec rec;
  cl_Group g;
} cl_Shared;

/* --- lifetime --- */

/* The world that a launcher gave to this process. It stays until the end. */
static _Atomic(cl_World *) given;

static void release_world(cl_World *w) {
  if (!w || atomic_fetch_sub(&w->refs, 1) != 1) return;
  munmap(w->s, w->s->bytes);
  free(w);
}

/* Leaving a group tells the others nothing that they would wait for, so the collector may do it at any time.
 */
static CUresult shared_destroy(cl_Rec *r) {
  cl_leave_row(&((cl_Shared *)r)->g);
  return CUDA_SUCCESS;
}

static void shared_dispose(cl_Rec *r) { release_world(((cl_Shared *)r)->g.w); }

CL_FAMILY(CL_SHARED_GROUP, .destroy = shared_destroy, .dispose = shared_dispose);

static cl_Group *push_group(lua_State *L, cl_World *w, cl_Row *row) {
  cl_Object *o = cl_push(L, CL_SHARED_GROUP, sizeof *o);
  cl_Shared *s = (cl_Shared *)cl_rec_new(CL_SHARED_GROUP, sizeof *s, NULL);
  if (!s) luaL_error(L, "not enough memory");
  w->refs++;
  s->g.w = w;
  s->g.row = row;
  o->rec = &s->rec;
  return &s->g;
}

static void set_live(lua_State *L) { ((cl_Object *)lua_touserdata(L, -1))->rec->life = CL_LIVE; }

cl_Group *cl_check_group(lua_State *L, int idx) {
  return &((cl_Shared *)((cl_Object *)cl_check(L, idx, CL_SHARED_GROUP))->rec)->g;
}

static cl_Group *check_group(lua_State *L) { return cl_check_group(L, 1); }

cl_World *cl_world_retain(cl_World *w) {
  w->refs++;
  return w;
}

/* --- opening --- */

static int fail_system(lua_State *L, const char *what, const char *why) {
  cl_error_new(L, CL_RUNTIME_ERROR, "init: %s: %s", what, why);
  cl_throw(L);
}

static int fail_claim(lua_State *L, const cl_Segment *s, uint32_t rank) {
  cl_logic(
      L,
      "init: rank %d is process %d already, and this is process %d; call init() before the program starts "
      "others, which have its environment",
      (int)rank, (int)s->rank[rank].pid, (int)getpid());
}

static cl_World *open_world(lua_State *L, int fd, uint32_t size, uint32_t rank) {
  const char *problem = NULL;
  cl_Segment *s = cl_segment_map(fd, &problem);
  if (!s) {
    const int e = errno;
    fail_system(L, "cannot open the memory that the ranks share (CUDALUA_SEGMENT)",
                problem ? problem : strerror(e));
  }
  bool claimed = true;
  cl_World *w = NULL;
  const bool fits = s->size == size && rank < size;
  if (fits && (w = calloc(1, sizeof *w))) claimed = cl_claim(s, rank);
  if (w && claimed) {
    w->s = s;
    w->rank = rank;
    return w;
  }
  free(w);
  const int n = (int)s->size;
  if (!claimed) fail_claim(L, s, rank); /* the mapping stays; a process tries only once */
  munmap(s, s->bytes);
  if (fits) luaL_error(L, "not enough memory");
  cl_logic(L, "init: CUDALUA_RANK=%d and CUDALUA_SIZE=%d do not belong to this run of %d ranks", (int)rank,
           (int)size, n);
}

/* shared_world(fd or nil, size, rank) -> SharedGroup of all ranks, in the memory of that descriptor, which is
 * closed; nil: in memory of its own */
int cl_shared_world(lua_State *L) {
  const bool own = lua_isnoneornil(L, 1);
  const uint32_t size = (uint32_t)cl_check_int(L, 2, "size", 1, CL_MOST_RANKS);
  const uint32_t rank = (uint32_t)cl_check_int(L, 3, "rank", 0, CL_MOST_RANKS - 1);
  const cl_World *already = given;
  if (already && already->s->rank[already->rank].pid == (uint32_t)getpid())
    cl_logic(L, "init: another Lua state of this process is rank %d already; a process has one world",
             (int)already->rank);
  if (cl_mpi_rank() >= 0)
    cl_logic(L, "init: another Lua state of this process is rank %d already; a process has one world",
             cl_mpi_rank());
  const int fd = own ? cl_segment_create(size) : (int)cl_check_int(L, 1, "fd", 0, 1 << 20);
  if (fd < 0) fail_system(L, "cannot create shared memory", strerror(errno));
  if (!own) fcntl(fd, F_SETFD, FD_CLOEXEC);
  cl_World *w = open_world(L, fd, size, rank);
  if (own) close(fd);
  cl_Group *g = push_group(L, w, w->s->row);
  g->count = size;
  g->me = rank;
  for (uint32_t k = 0; k < size; k++) g->ranks[k] = (uint8_t)k;
  set_live(L);
  if (own) return 1;
  w->refs++;
  given = w;
  /* Programs that this one starts are no ranks. CUDALUA_LOCAL_RANK stays: they use the same device. */
  static const char *const variables[] = {"CUDALUA_RANK", "CUDALUA_SIZE", "CUDALUA_LOCAL_SIZE",
                                          "CUDALUA_SEGMENT"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
  return 1;
}

/* shared_alone() -> SharedGroup of this process alone, beside the world of another transport */
int cl_shared_alone(lua_State *L) {
  const int fd = cl_segment_create(1);
  if (fd < 0) fail_system(L, "cannot create shared memory", strerror(errno));
  cl_World *w = open_world(L, fd, 1, 0);
  close(fd);
  push_group(L, w, w->s->row)->count = 1;
  set_live(L);
  return 1;
}

/* group:take_row() -> number of a row for a new group, and the step that it begins with */
int cl_shared_take_row(lua_State *L) {
  const cl_Group *g = check_group(L);
  uint32_t step;
  const cl_Row *row = cl_take_row(g->w, &step);
  if (!row) cl_logic(L, "split: %d groups exist; close() groups that you no longer need", CL_MOST_GROUPS - 1);
  lua_pushinteger(L, row - g->w->s->row);
  lua_pushinteger(L, (lua_Integer)step);
  return 2;
}

/* group:open(row, step, {ranks}) -> SharedGroup of these ranks, this one among them */
int cl_shared_open(lua_State *L) {
  const cl_Group *of = check_group(L);
  const long row = cl_check_int(L, 2, "row", 1, CL_MOST_GROUPS - 1);
  const uint32_t step = (uint32_t)luaL_checknumber(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
  const size_t count = lua_objlen(L, 4);
  if (!count || count > of->w->s->size) return luaL_error(L, "open: wrong number of ranks");
  cl_Group *g = push_group(L, of->w, &of->w->s->row[row]);
  g->step = step;
  g->count = (uint32_t)count;
  bool member = false;
  for (uint32_t k = 0; k < g->count; k++) {
    lua_rawgeti(L, 4, (int)k + 1);
    const lua_Integer rank = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (rank < 0 || rank >= (lua_Integer)of->w->s->size) return luaL_error(L, "open: wrong rank");
    g->ranks[k] = (uint8_t)rank;
    if ((uint32_t)rank != of->w->rank) continue;
    g->me = k;
    member = true;
  }
  if (!member) return luaL_error(L, "open: this rank is not in the group");
  set_live(L);
  return 1;
}

int cl_shared_close(lua_State *L) { return cl_close_method(L, CL_SHARED_GROUP, "close"); }

/* group:set_limit(seconds): of each wait, for all groups of the world */
int cl_shared_set_limit(lua_State *L) {
  check_group(L)->w->limit = luaL_checknumber(L, 2);
  return 0;
}

/* --- calls --- */

bool cl_watch_wants_to_stop(void *arg) {
  const cl_Watch *watch = arg;
  return (cl_interrupts_here(watch->L) && cl_interrupt_look()) || lua_gethook(watch->L) != watch->hook;
}

void cl_watch_begin(lua_State *L, cl_Watch *watch) { *watch = (cl_Watch){.L = L, .hook = lua_gethook(L)}; }

static void begin_watch(lua_State *L, cl_World *w, cl_Watch *watch) {
  cl_watch_begin(L, watch);
  w->stop = cl_watch_wants_to_stop;
  w->stop_arg = watch;
}

/* A handler of signals has armed a hook that raises, as luajit's own does. It would run within what shows our
 * error, so its error comes first. */
static void run_hook(lua_State *L, const cl_Watch *watch) {
  const lua_Hook hook = lua_gethook(L);
  lua_Debug ar = {.event = LUA_HOOKCOUNT};
  if (hook && hook != watch->hook && lua_getstack(L, 0, &ar)) hook(L, &ar);
}

int cl_fail_wait(lua_State *L, cl_World *w, const char *where, cl_Outcome outcome, const cl_Watch *watch) {
  char text[CL_TEXT + 256];
  if (outcome == CL_INTERRUPTED_WAIT) {
    snprintf(text, sizeof text, "rank %u was interrupted in %s", w->rank, where);
    cl_fail_world(w, CL_F_SAID, w->rank, text); /* it cannot go on: the others are at different steps now */
    cl_interrupt_check(L);
    run_hook(L, watch);
    cl_error_new(L, CL_INTERRUPT_ERROR, "%s: interrupted while waiting for other ranks", where);
    cl_throw(L);
  }
  cl_failure_text(w, text, sizeof text);
  cl_error_new(L, CL_RUNTIME_ERROR, "%s: %s", where, text);
  lua_pushinteger(L, cl_failed_rank(w));
  lua_setfield(L, -2, "rank");
  cl_throw(L);
}

static int fail_call(lua_State *L, cl_World *w, const char *where, cl_Outcome outcome) {
  const cl_Watch watch = *(const cl_Watch *)w->stop_arg;
  w->stop = NULL;
  cl_fail_wait(L, w, where, outcome, &watch);
}

static void say_call(lua_State *L, cl_World *w, const char *where) {
  char text[256];
  const char *here = cl_here(L);
  snprintf(text, sizeof text, here ? "%s (%s)" : "%s", where, here);
  cl_say_call(w, text);
}

static int push_messages(lua_State *L, const char *const *messages, uint32_t count) {
  lua_createtable(L, (int)count, 0);
  for (uint32_t k = 0; k < count; k++) {
    char text[CL_TEXT]; /* another process writes it */
    snprintf(text, sizeof text, "%.*s", CL_TEXT - 1, messages[k]);
    lua_pushstring(L, text);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return 1;
}

/* A process that a rank forked has its memory, and must not speak for it. */
void cl_check_rank_process(lua_State *L, const cl_World *w, const char *where) {
  if (w->s->rank[w->rank].pid != (uint32_t)getpid())
    cl_logic(L, "%s: this process is a fork of rank %d; only the rank itself takes part", where,
             (int)w->rank);
}

/* group:exchange(where, message) -> {message of each member} */
int cl_shared_exchange(lua_State *L) {
  cl_Group *g = check_group(L);
  const char *where = luaL_checkstring(L, 2), *message = luaL_checkstring(L, 3);
  const char *messages[CL_MOST_RANKS];
  cl_Outcome outcome;
  cl_Watch watch;
  cl_check_rank_process(L, g->w, where);
  say_call(L, g->w, where);
  begin_watch(L, g->w, &watch);
  if (cl_exchange(g, message, messages, &outcome) == CL_NOT_DONE) fail_call(L, g->w, where, outcome);
  g->w->stop = NULL;
  push_messages(L, messages, g->count);
  cl_end(g);
  return 1;
}

/* group:refuse(where, signature): see collective.h */
int cl_shared_refuse(lua_State *L) {
  cl_Group *g = check_group(L);
  const char *where = luaL_checkstring(L, 2), *signature = luaL_checkstring(L, 3);
  cl_Watch watch;
  cl_check_rank_process(L, g->w, where);
  say_call(L, g->w, where);
  begin_watch(L, g->w, &watch);
  const cl_Outcome outcome = cl_refuse_call(g, signature);
  if (outcome) fail_call(L, g->w, where, outcome);
  g->w->stop = NULL;
  return 0;
}

const char *const cl_call_kinds[CL_NCALLS + 1] = {
    [CL_BARRIER] = "barrier",
    [CL_BROADCAST] = "broadcast",
    [CL_ALL_REDUCE] = "all_reduce",
    [CL_REDUCE] = "reduce",
    [CL_ALL_GATHER] = "all_gather",
    [CL_GATHER] = "gather",
    [CL_SCATTER] = "scatter",
    [CL_SEND] = "send",
    [CL_REDUCE_SCATTER] = "reduce_scatter",
    [CL_ALL_TO_ALL] = "all_to_all",
    [CL_RECV] = "recv",
};

enum { FIRST_FIELD = 3 }; /* of the call's table, on the stack */

/* Host memory in a field, which stays on the stack. */
static void *memory_field(lua_State *L, const char *name, bool writable) {
  lua_getfield(L, 2, name);
  return lua_isnil(L, -1) ? NULL : cl_host_side(L, lua_gettop(L), name, writable, 0);
}

static const char *text_field(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  return luaL_checkstring(L, -1);
}

static int option_field(lua_State *L, const char *name, const char *const *list) {
  lua_getfield(L, 2, name);
  return luaL_checkoption(L, lua_gettop(L), NULL, list);
}

static void read_call(lua_State *L, const cl_Group *g, cl_Call *c) {
  c->kind = (cl_CallKind)option_field(L, "kind", cl_call_kinds);
  c->signature = text_field(L, "signature");
  c->input = memory_field(L, "input", false);
  c->output = memory_field(L, "output", true);
  lua_getfield(L, 2, "bytes");
  c->bytes = cl_check_bytes(L, lua_gettop(L), "bytes");
  lua_getfield(L, 2, "root");
  c->root = (uint32_t)cl_check_int(L, lua_gettop(L), "root", 0, (long)g->count - 1);
  if (c->bytes && ((cl_call_gives(c, g->me) && !c->input) || (cl_call_gets(c, g->me) && !c->output)))
    luaL_error(L, "run: memory is missing");
  lua_getfield(L, 2, "op");
  if (lua_isnil(L, -1)) {
    const bool reduces = c->kind == CL_ALL_REDUCE || c->kind == CL_REDUCE || c->kind == CL_REDUCE_SCATTER;
    if (reduces) luaL_error(L, "run: the operation is missing");
    return;
  }
  c->op = (cl_CombineOp)option_field(L, "op", cl_combine_ops);
  c->combine = cl_combine_by_name(text_field(L, "dtype"));
  if (!c->combine || !cl_combine_has(c->combine, c->op))
    luaL_error(L, "run: the dtype has no such operation");
}

/* group:run{kind =, where =, signature =, input =, output =, bytes =, root =, op =, dtype =} -> nil; or the
 * signatures, if they differ. `input` and `output` are host memory as host_buffer() gives it, or nil. */
int cl_shared_run(lua_State *L) {
  cl_Group *g = check_group(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  const char *where = text_field(L, "where"), *messages[CL_MOST_RANKS];
  cl_Call call = {0};
  cl_Outcome outcome;
  cl_Watch watch;
  luaL_checkstack(L, 16, "run");
  read_call(L, g, &call);
  cl_check_rank_process(L, g->w, where);
  say_call(L, g->w, where);
  begin_watch(L, g->w, &watch);
  const cl_CallEnd end = cl_make_call(g, &call, messages, &outcome);
  if (end == CL_NOT_DONE) fail_call(L, g->w, where, outcome);
  g->w->stop = NULL;
  if (end == CL_DONE) return 0;
  push_messages(L, messages, call.kind == CL_SEND || call.kind == CL_RECV ? 2 : g->count);
  cl_leave_call(g, &call);
  return 1;
}

/* circle_text({"rank 0 in send (script.lua:7)", ...}): see segment.h; for the other transports */
int cl_lua_circle_text(lua_State *L) {
  const char *waits[CL_MOST_RANKS];
  char text[CL_TEXT];
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t n = lua_objlen(L, 1);
  if (n > CL_MOST_RANKS) n = CL_MOST_RANKS;
  luaL_checkstack(L, (int)n + 4, "circle_text");
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, 1, (int)i + 1);
    waits[i] = luaL_checkstring(L, -1);
  }
  cl_circle_text(text, sizeof text, waits, n);
  lua_pushstring(L, text);
  return 1;
}

/* shared_takes(dtype, op) -> whether it can be combined */
int cl_shared_takes(lua_State *L) {
  const cl_Combine *c = cl_combine_by_name(luaL_checkstring(L, 1));
  lua_pushboolean(L, c && cl_combine_has(c, (cl_CombineOp)luaL_checkoption(L, 2, NULL, cl_combine_ops)));
  return 1;
}

/* combine(op, dtype, from, n, stride, count, to): `count` elements of n buffers, which lie `stride` bytes
 * from each other. `from` and `to` are host memory as host_buffer() gives it. */
int cl_lua_combine(lua_State *L) {
  const cl_CombineOp op = (cl_CombineOp)luaL_checkoption(L, 1, NULL, cl_combine_ops);
  const cl_Combine *c = cl_combine_by_name(luaL_checkstring(L, 2));
  const uint8_t *first = cl_host_side(L, 3, "from", false, 0);
  const size_t n = (size_t)cl_check_int(L, 4, "n", 1, CL_MOST_BUFFERS);
  const uint64_t stride = cl_check_bytes(L, 5, "stride"), count = cl_check_bytes(L, 6, "count");
  void *to = cl_host_side(L, 7, "to", true, 0);
  if (!c || !cl_combine_has(c, op)) return luaL_error(L, "combine: the dtype has no such operation");
  const void **from = lua_newuserdata(L, n * sizeof *from);
  for (size_t k = 0; k < n; k++) from[k] = first + k * stride;
  cl_combine(c, op, from, (unsigned)n, count, to);
  return 0;
}

/* The rank that this process is, though it has not called init(). Programs that a rank has started have its
 * variables, but are no ranks. */
static bool find_unjoined(cl_World *w) {
  const char *fd = getenv("CUDALUA_SEGMENT"), *rank = getenv("CUDALUA_RANK"), *problem;
  if (!fd || !rank || !(w->s = cl_segment_map((int)strtol(fd, NULL, 10), &problem))) return false;
  w->rank = (uint32_t)strtoul(rank, NULL, 10);
  if (w->rank < w->s->size && w->s->rank[w->rank].launched == (uint32_t)getpid()) return true;
  munmap(w->s, w->s->bytes);
  return false;
}

/* shared_fail(why): this program ends with an error, perhaps before init(). The other ranks raise it. */
int cl_shared_fail(lua_State *L) {
  const char *why = luaL_checkstring(L, 1);
  cl_World *w = given, unjoined = {0};
  if (w && w->s->rank[w->rank].pid == (uint32_t)getpid()) {
    cl_fail_world(w, CL_F_WHY, w->rank, why);
  } else if (!w && find_unjoined(&unjoined)) {
    cl_fail_world(&unjoined, CL_F_WHY, unjoined.rank, why);
    munmap(unjoined.s, unjoined.s->bytes);
  }
  return 0;
}
