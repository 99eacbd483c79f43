/* User objects: references to something of the program's, which the program and graphs hold. When the last is
 * released, a function of the program's runs: in the thread whose call released it, as that call ends (a
 * GPU's driver has a thread of its own for it). A graph's references are its own: copies, child graphs and
 * programs take as many of theirs, and a launch holds its program until it is done. */
#include "driver/graph.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct SgUserObject {
  SgObject o;
  CUhostFn destroy; /* NULL: the device was reset, and nothing is called any more */
  void *data;
  uint64_t callers, graphs; /* references of the program, and of graphs and programs */
  SgUserObject *next;       /* of those that wait for their function */
};

static _Thread_local SgUserObject *ended; /* the oldest first */

static void drop_if_done(SgUserObject *u) {
  if (u->callers || u->graphs) return;
  sg_handle_free(&u->o, false);
  if (!u->destroy) {
    free(u);
    return;
  }
  SgUserObject **at = &ended;
  while (*at) at = &(*at)->next;
  *at = u;
}

static void call(void *user_object) {
  const SgUserObject *u = user_object;
  u->destroy(u->data);
}

void sg_user_objects_deliver(void) {
  while (ended) {
    SgUserObject *u = ended;
    ended = u->next;
    sg_lock_take_beside();
    sg_call_user(call, u);
    sg_lock_drop();
    free(u);
  }
}

static void abandon(SgObject *o, void *arg) {
  SgUserObject *u = (SgUserObject *)o;
  (void)arg;
  u->destroy = NULL;
  u->callers = 0;
  drop_if_done(u);
}

void sg_user_objects_reset(void) { sg_handles_each(SG_H_USER_OBJECT, NULL, abandon, NULL); }

/* --- what graphs and programs hold --- */

static SgUserRef *find(const SgUserRefs *set, const SgUserObject *u) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->item[i].object == u) return &set->item[i];
  return NULL;
}

static bool add(SgUserRefs *set, SgUserObject *u, uint64_t n) {
  SgUserRef *r = find(set, u);
  if (!r) {
    SgUserRef *item = realloc(set->item, (set->count + 1) * sizeof *item);
    if (!item) return false;
    set->item = item;
    r = &item[set->count++];
    *r = (SgUserRef){u, 0};
  }
  r->count += n;
  u->graphs += n;
  return true;
}

bool sg_user_refs_add_all(SgUserRefs *set, const SgUserRefs *more) {
  for (uint32_t i = 0; i < more->count; i++)
    if (!add(set, more->item[i].object, more->item[i].count)) return false;
  return true;
}

static void release(SgUserRefs *set, SgUserRef *r, uint64_t n) {
  SgUserObject *u = r->object;
  r->count -= n;
  u->graphs -= n;
  if (!r->count) {
    set->count--;
    memmove(r, r + 1, (size_t)(set->item + set->count - r) * sizeof *r);
  }
  drop_if_done(u);
}

void sg_user_refs_clear(SgUserRefs *set) {
  while (set->count) release(set, set->item, set->item->count);
  free(set->item);
  *set = (SgUserRefs){0};
}

/* --- the calls, which an H200's driver (580) answers before cuInit too --- */

static bool count_valid(unsigned n) { return n > 0 && n <= INT_MAX; }

static SgUserObject *get(CUuserObject h) {
  CUresult code;
  return sg_handle_get(SG_H_USER_OBJECT, h, &code);
}

static CUresult create(CUuserObject *out, void *data, CUhostFn destroy, unsigned count, unsigned flags) {
  if (!out || !destroy || !count || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  SgUserObject *u = calloc(1, sizeof *u);
  if (!u || !sg_handle_new(SG_H_USER_OBJECT, &u->o, NULL)) {
    free(u);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  u->destroy = destroy;
  u->data = data;
  u->callers = count;
  *out = u->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                                   unsigned int initialRefcount, unsigned int flags) {
  SG_CALL(SG_NEED_OUTSIDE, create(object_out, ptr, destroy, initialRefcount, flags),
          "object=0x%llx data=0x%llx count=%u flags=%u", SG_OUT(object_out), SG_X(ptr), initialRefcount,
          flags);
}

static CUresult retain(CUuserObject h, unsigned count) {
  SgUserObject *u = count_valid(count) ? get(h) : NULL;
  if (!u) return CUDA_ERROR_INVALID_VALUE;
  u->callers += count;
  return CUDA_SUCCESS;
}

SG_API CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  SG_CALL(SG_NEED_OUTSIDE, retain(object, count), "object=0x%llx count=%u", SG_X(object), count);
}

/* To release what one does not hold is undefined on a GPU: here it is refused, and said. */
static CUresult too_many(uint64_t held, unsigned count, const char *who) {
  sg_say(CU_LOG_LEVEL_ERROR, "%u references of a user object cannot be released: %s holds %llu", count, who,
         (unsigned long long)held);
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult release_callers(CUuserObject h, unsigned count) {
  SgUserObject *u = count_valid(count) ? get(h) : NULL;
  if (!u) return CUDA_ERROR_INVALID_VALUE;
  if (count > u->callers) return too_many(u->callers, count, "the program");
  u->callers -= count;
  drop_if_done(u);
  return CUDA_SUCCESS;
}

SG_API CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  SG_CALL(SG_NEED_OUTSIDE, release_callers(object, count), "object=0x%llx count=%u", SG_X(object), count);
}

static CUresult graph_retain(CUgraph graph, CUuserObject h, unsigned count, unsigned flags) {
  CUresult code;
  const bool moves = flags == CU_GRAPH_USER_OBJECT_MOVE;
  SgGraph *g = sg_graph_get(graph, &code);
  SgUserObject *u = g && count_valid(count) && (moves || !flags) ? get(h) : NULL;
  if (!u) return CUDA_ERROR_INVALID_VALUE;
  if (moves && count > u->callers) return too_many(u->callers, count, "the program");
  if (!add(&g->users, u, count)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (moves) u->callers -= count;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                        unsigned int flags) {
  SG_CALL(SG_NEED_OUTSIDE, graph_retain(graph, object, count, flags),
          "graph=0x%llx object=0x%llx count=%u flags=%u", SG_X(graph), SG_X(object), count, flags);
}

static CUresult graph_release(CUgraph graph, CUuserObject h, unsigned count) {
  CUresult code;
  SgGraph *g = sg_graph_get(graph, &code);
  const SgUserObject *u = g && count_valid(count) ? get(h) : NULL;
  if (!u) return CUDA_ERROR_INVALID_VALUE;
  SgUserRef *r = find(&g->users, u);
  if (!r || count > r->count) return too_many(r ? r->count : 0, count, "the graph");
  release(&g->users, r, count);
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  SG_CALL(SG_NEED_OUTSIDE, graph_release(graph, object, count), "graph=0x%llx object=0x%llx count=%u",
          SG_X(graph), SG_X(object), count);
}
