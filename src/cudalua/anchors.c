/* Anchors: values that asynchronous work still uses. Each waits behind an event, in one lane per stream, for
 * the work to be done. */
#include "memory.h"
#include "state.h"

#include <stdatomic.h>
#include <stdlib.h>

static const char table_key = 0;
_Atomic uint32_t cl_captures;

static void push_table(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&table_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushlightuserdata(L, (void *)&table_key);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

/* No query or event of this file belongs into a capture, or may break one. */
static CUstreamCaptureMode relax(void) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CU.cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}
static void unrelax(CUstreamCaptureMode mode) { CU.cuThreadExchangeStreamCaptureMode(&mode); }

static cl_Lane *lane_of(lua_State *L, cl_State *st, cl_Stream *s, cl_Context *ctx) {
  for (cl_Lane *l = st->lanes; l; l = l->next)
    if (l->stream == s && l->ctx == ctx) return l;
  cl_Lane *l = calloc(1, sizeof *l);
  if (!l) luaL_error(L, "not enough memory");
  l->stream = (cl_Stream *)cl_rec_retain(&s->rec);
  l->ctx = (cl_Context *)cl_rec_retain(&ctx->rec);
  l->next = st->lanes;
  st->lanes = l;
  return l;
}

static bool usable(const cl_Context *c) {
  return !cl_driver.forked && c->rec.life == CL_LIVE && !cl_driver.poison[c->device];
}

static void lane_free(cl_Lane *l) {
  cl_rec_release(&l->stream->rec);
  cl_rec_release(&l->ctx->rec);
  free(l->ring);
  free(l);
}

static void lane_drop_head(cl_Lane *l) {
  cl_event_discard(l->ctx, l->ring[l->head].event);
  l->head = (l->head + 1) % l->room;
  l->count--;
}

static bool head_done(const cl_Lane *l) {
  return !usable(l->ctx) || CU.cuEventQuery(l->ring[l->head].event) != CUDA_ERROR_NOT_READY;
}

void cl_anchors_poll(lua_State *L) {
  cl_State *st = cl_state(L);
  if (!st->lanes) return;
  CUstreamCaptureMode mode = relax();
  luaL_checkstack(L, 4, "anchors");
  push_table(L);
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
  unrelax(mode);
}

static void wait_for(const cl_Lane *l) {
  if (l->count && usable(l->ctx)) CU.cuEventSynchronize(l->ring[(l->head + l->count - 1) % l->room].event);
}

void cl_anchors_wait(lua_State *L) {
  const cl_State *st = cl_state(L);
  CUstreamCaptureMode mode = relax();
  for (const cl_Lane *l = st->lanes; l; l = l->next) wait_for(l);
  unrelax(mode);
  cl_anchors_poll(L);
}

void cl_anchors_close(cl_State *st) {
  if (!st->lanes) return;
  CUstreamCaptureMode mode = relax();
  while (st->lanes) {
    cl_Lane *l = st->lanes;
    wait_for(l);
    while (l->count) lane_drop_head(l);
    st->lanes = l->next;
    lane_free(l);
  }
  unrelax(mode);
}

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

static cl_Capture *capture_of(const cl_State *st, const cl_Stream *s) {
  if (!cl_captures) return NULL;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (CU.cuStreamIsCapturing(cl_stream_handle(s), &status) || status == CU_STREAM_CAPTURE_STATUS_NONE)
    return NULL;
  return st->captures; /* s is its stream, or was forked off it */
}

void cl_anchor(lua_State *L, cl_Stream *s, cl_Context *ctx, int idx) {
  cl_State *st = cl_state(L);
  luaL_checkstack(L, 6, "anchors");
  lua_pushvalue(L, idx);
  const cl_Capture *capture = capture_of(st, s);
  if (capture) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, capture->anchors);
    lua_insert(L, -2);
    lua_rawseti(L, -2, (int)lua_objlen(L, -2) + 1);
    lua_pop(L, 1);
    return;
  }
  push_table(L);
  lua_insert(L, -2);
  cl_Lane *l = lane_of(L, st, s, ctx);
  bool room = make_room(l);
  CUevent event = NULL;
  CUresult code = room ? CU.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) : CUDA_ERROR_OUT_OF_MEMORY;
  if (!code) code = CU.cuEventRecord(event, cl_stream_handle(s));
  if (code) { /* no event to wait behind: wait now */
    if (event) CU.cuEventDestroy_v2(event);
    CU.cuStreamSynchronize(cl_stream_handle(s));
    lua_pop(L, 2);
    return;
  }
  l->ring[(l->head + l->count) % l->room] = (struct cl_Anchor){event, luaL_ref(L, -2)};
  l->count++;
  lua_pop(L, 1);
}
