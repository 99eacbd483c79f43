/* Anchors: values that asynchronous work still uses. Each waits behind an event, in one lane per stream, for
 * the work to be done. A lane holds its stream's record: a stream that is dropped with work pending lives on
 * until its anchors are gone. */
#include "streams/order.h"
#include "base/state.h"
#include "streams/wait.h"

#include <stdatomic.h>
#include <stdlib.h>

/* What is anchored in one stream of one context, oldest first. */
typedef struct cl_Lane {
  cl_Stream *stream; /* retained */
  cl_Context *ctx;   /* retained */
  struct cl_Anchor {
    CUevent event; /* recorded after the work */
    int ref;       /* of the value, in the table of anchors */
    cl_Rec *rec;   /* retained, or NULL: stays when the state ends, and with it the finalized value */
  } * ring;
  size_t head, count, room;
  CUevent spare[8]; /* events to use again */
  unsigned spares;
  struct cl_Lane *next;
} cl_Lane;

static const char table_key = 0;

static void push_table(lua_State *L) { cl_registry_get(L, &table_key); }

/* Made before it is needed: what is new may run finalizers, and with them errors, between work and its
 * anchor. */
static void open_table(lua_State *L) {
  lua_newtable(L);
  cl_registry_set(L, &table_key);
}

CL_HOOK(cl_on_state_open, 1, open_table);

static cl_Lane *lane_of(cl_State *st, cl_Stream *s, cl_Context *ctx) {
  for (cl_Lane *l = st->lanes; l; l = l->next)
    if (l->stream == s && l->ctx == ctx) return l;
  cl_Lane *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->stream = (cl_Stream *)cl_rec_retain(&s->rec);
  l->ctx = (cl_Context *)cl_rec_retain(&ctx->rec);
  l->next = st->lanes;
  st->lanes = l;
  return l;
}

static bool usable(const cl_Context *c) {
  return !cl_forked && c->rec.life == CL_LIVE && !cl_poison[c->device];
}

static void lane_free(cl_Lane *l) {
  while (l->spares) cl_event_discard(l->ctx, l->spare[--l->spares]);
  cl_rec_release(&l->stream->rec);
  cl_rec_release(&l->ctx->rec);
  free(l->ring);
  free(l);
}

static void give_back(cl_Lane *l, CUevent event) {
  if (l->spares < sizeof l->spare / sizeof *l->spare)
    l->spare[l->spares++] = event;
  else
    cl_event_discard(l->ctx, event);
}

static void lane_drop_head(cl_Lane *l) {
  give_back(l, l->ring[l->head].event);
  cl_rec_release(l->ring[l->head].rec);
  l->head = (l->head + 1) % l->room;
  l->count--;
}

static bool head_done(const cl_Lane *l) {
  return !usable(l->ctx) || CU.cuEventQuery(l->ring[l->head].event) != CUDA_ERROR_NOT_READY;
}

void cl_anchors_poll(lua_State *L) {
  cl_State *st = cl_state(L);
  if (!st->lanes) return;
  luaL_checkstack(L, 4, "anchors");
  push_table(L);
  CUstreamCaptureMode mode = cl_relax();
  for (cl_Lane **p = &st->lanes; *p;) {
    cl_Lane *l = *p;
    while (l->count && head_done(l)) {
      luaL_unref(L, -1, l->ring[l->head].ref);
      lane_drop_head(l);
    }
    if (l->count) {
      p = &l->next;
      continue;
    }
    *p = l->next;
    lane_free(l);
  }
  lua_pop(L, 1);
  cl_unrelax(mode);
}

/* L: that of a call that may be interrupted, or NULL. */
static CUresult wait_for(lua_State *L, const cl_Lane *l) {
  if (!l->count || !usable(l->ctx)) return CUDA_SUCCESS;
  const CUevent last = l->ring[(l->head + l->count - 1) % l->room].event;
  return L ? cl_wait_event(L, last) : cl_wait_event_anyway(last);
}

CL_HOOK(cl_on_wait, 1, cl_anchors_poll);

void cl_anchors_wait(lua_State *L) {
  const cl_State *st = cl_state(L);
  CUstreamCaptureMode mode = cl_relax();
  CUresult code = CUDA_SUCCESS;
  for (const cl_Lane *l = st->lanes; l && code != CL_INTERRUPTED; l = l->next) code = wait_for(L, l);
  cl_unrelax(mode);
  if (code == CL_INTERRUPTED) cl_fail(L, "cuEventSynchronize", code);
  cl_anchors_poll(L);
}

/* Waits for everything and drops it, at the end of the state. */
static void close_lanes(cl_State *st) {
  if (!st->lanes) return;
  CUstreamCaptureMode mode = cl_relax();
  while (st->lanes) {
    cl_Lane *l = st->lanes;
    wait_for(NULL, l);
    while (l->count) lane_drop_head(l);
    st->lanes = l->next;
    lane_free(l);
  }
  cl_unrelax(mode);
}

CL_HOOK(cl_on_state_close, 1, close_lanes);

static bool make_room(cl_Lane *l) {
  if (l->count < l->room) return true;
  size_t room = l->room ? 2 * l->room : 8;
  struct cl_Anchor *ring = malloc(room * sizeof *ring);
  if (!ring) return false;
  for (size_t i = 0; i < l->count; i++) ring[i] = l->ring[(l->head + i) % l->room];
  free(l->ring);
  l->ring = ring;
  l->head = 0;
  l->room = room;
  return true;
}

/* The value on top of the stack is the one anchored last, as when one graph is launched again and again: its
 * event moves on. The table is below it. */
static bool moved_on(lua_State *L, const cl_Lane *l) {
  if (!l->count) return false;
  const struct cl_Anchor *tail = &l->ring[(l->head + l->count - 1) % l->room];
  lua_rawgeti(L, -2, tail->ref);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return same && !CU.cuEventRecord(tail->event, cl_stream_handle(l->stream));
}

/* An event after the work in the lane's stream, or NULL. */
static CUevent mark(cl_Lane *l) {
  CUevent event = NULL;
  if (l->spares)
    event = l->spare[--l->spares];
  else if (CU.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
    return NULL;
  if (!CU.cuEventRecord(event, cl_stream_handle(l->stream))) return event;
  cl_event_discard(l->ctx, event);
  return NULL;
}

void cl_anchor(lua_State *L, cl_Stream *s, cl_Context *ctx, int idx) {
  if (cl_captures && cl_capture_keep(L, s, idx)) return;
  const cl_Object *o = cl_to(L, idx);
  cl_anchor_rec(L, s, ctx, idx, o ? o->rec : NULL);
}

void cl_anchor_rec(lua_State *L, cl_Stream *s, cl_Context *ctx, int idx, cl_Rec *rec) {
  luaL_checkstack(L, 6, "anchors");
  lua_pushvalue(L, idx);
  push_table(L);
  lua_insert(L, -2);
  CUstreamCaptureMode mode = cl_relax();
  cl_State *st = cl_state(L);
  cl_Lane *l = st->closed ? NULL : lane_of(st, s, ctx); /* after its end nobody would wait */
  CUevent event = NULL;
  if (l && moved_on(L, l)) {
    lua_pop(L, 1);
  } else if (l && make_room(l) && (event = mark(l))) {
    l->ring[(l->head + l->count) % l->room] =
        (struct cl_Anchor){event, luaL_ref(L, -2), rec ? cl_rec_retain(rec) : NULL};
    l->count++;
  } else { /* nothing to wait behind: wait now */
    cl_log_clear();
    cl_wait_stream_anyway(cl_stream_handle(s));
    lua_pop(L, 1);
  }
  cl_unrelax(mode);
  lua_pop(L, 1);
}
