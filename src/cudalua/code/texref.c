/* Texture and surface references. lua/cudalua/driver/texref.lua has what a reference is bound to and how it
 * is read, and makes the objects; here the handles go into the module's variables.
 *
 * A kernel reads what was bound when it was called. So a handle is written in the stream of the launch, by
 * two fills of a word, which a capture takes as well; the write waits for kernels of other streams that read
 * the handle before, and a launch in another stream waits for the write. While a capture is under way,
 * nothing is waited for: other streams are none of its business. */
#include "code/texref.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/wait.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct cl_Reference {
  struct cl_Reference *next;
  const char *name;    /* interned */
  CUdeviceptr address; /* of the handle */
  uint64_t value;      /* of the handle, once everything submitted so far is done */
  cl_Image *image;     /* retained; NULL: it is bound to nothing */
} cl_Reference;

#define UNKNOWN UINT64_MAX /* no handle */

static const char hook_key = 0;

/* on_references(f): f(module_table, list) makes what the references of a module are bound to, list nil, or
 * raises unless all in the list are of the module */
int cl_on_references(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &hook_key);
  return 0;
}

static cl_Module *check_module(lua_State *L) {
  return (cl_Module *)((const cl_Object *)cl_check(L, 1, CL_MODULE))->rec;
}

/* module_environment(mod) -> the table that the Module and its Functions share */
int cl_module_environment(lua_State *L) {
  check_module(L);
  lua_getfenv(L, 1);
  return 1;
}

/* reference(mod, name, memory) -> a number that stands for the reference at `memory`, a variable of mod's */
int cl_reference(lua_State *L) {
  cl_Module *m = check_module(L);
  const char *name = cl_intern(cl_check_name(L, 2, "name"));
  const cl_MemoryObject *at = cl_check_memory(L, 3, "memory");
  cl_References *all = m->references;
  if (!all) all = m->references = calloc(1, sizeof *all);
  cl_Reference *r = all ? calloc(1, sizeof *r) : NULL;
  if (!r) return luaL_error(L, "not enough memory");
  int number = 1;
  cl_Reference **last = &all->list;
  for (; *last; last = &(*last)->next) number++;
  *r = (cl_Reference){.name = name, .address = at->address};
  *last = r;
  lua_pushinteger(L, number);
  return 1;
}

static cl_Reference *find(lua_State *L, const cl_Module *m, int idx) {
  lua_Integer n = luaL_checkinteger(L, idx);
  cl_Reference *r = m->references ? m->references->list : NULL;
  while (r && --n > 0) r = r->next;
  if (!r) luaL_argerror(L, idx, "the module has no such reference");
  return r;
}

/* reference_changed(mod): before the next launch of its kernels Lua is asked what its references are bound to
 */
int cl_reference_changed(lua_State *L) {
  cl_References *all = check_module(L)->references;
  if (all) all->changed = true;
  return 0;
}

/* reference_bind(mod, number, TextureObject or SurfaceObject or nil): what the launches to come read */
int cl_reference_bind(lua_State *L) {
  const cl_Module *m = check_module(L);
  cl_Reference *r = find(L, m, 2);
  const cl_Object *o = cl_to_image(L, 3);
  char why[256];
  if (o && !cl_image_usable(o, cl_rec_context(m->rec.parent), why, sizeof why))
    cl_logic(L, "%s: %s", r->name, why);
  cl_Image *old = r->image;
  r->image = o ? (cl_Image *)cl_rec_retain(o->rec) : NULL;
  if (old) cl_rec_release(&old->rec);
  return 0;
}

static void ask_lua(lua_State *L, int list) {
  luaL_checkstack(L, 4, "texture references");
  cl_registry_get(L, &hook_key);
  lua_getfenv(L, 1);
  if (list)
    lua_pushvalue(L, list);
  else
    lua_pushnil(L);
  lua_call(L, 2, 0);
}

void cl_references_update_slow(lua_State *L, const cl_Function *fn) {
  fn->module->references->changed = false;
  ask_lua(L, 0);
  cl_check(L, 1, CL_FUNCTION); /* again: finalizers may have run */
}

void cl_references_check(lua_State *L, int idx) { ask_lua(L, idx); }

/* --- in streams --- */

static void forget_users(cl_References *all, const cl_Context *ctx) {
  for (uint32_t i = 0; i < all->nusers; i++) cl_order_close(&all->users[i], ctx);
  all->nusers = 0;
}

static void forget_writer(cl_References *all) {
  if (all->writer) cl_rec_release(&all->writer->rec);
  all->writer = NULL;
}

static bool is_user(const cl_References *all, const cl_Stream *s) {
  for (uint32_t i = 0; i < all->nusers; i++)
    if (all->users[i].home == s) return true;
  return false;
}

static void try(lua_State *L, const char *call, CUresult code) {
  if (code) cl_fail(L, call, code);
}

/* s waits for whatever may still read the handles. */
static void join_users(lua_State *L, const cl_References *all, cl_Stream *s) {
  for (uint32_t i = 0; i < all->nusers; i++) {
    const cl_Order *o = &all->users[i];
    if (o->home == s) continue;
    if (cl_order_known(o))
      try(L, "cuStreamWaitEvent", cl_order_join(o, s));
    else
      try(L, "cuCtxSynchronize", cl_wait_context(L));
  }
}

static void join_writer(lua_State *L, const cl_References *all, cl_Stream *s) {
  if (!all->writer || all->writer == s || is_user(all, s)) return;
  try(L, "cuStreamWaitEvent", CU.cuStreamWaitEvent(cl_stream_handle(s), all->written, 0));
}

static void fill(lua_State *L, const cl_Reference *r, uint64_t value, cl_Stream *s) {
  const uint32_t words[] = {(uint32_t)value, (uint32_t)(value >> 32)};
  for (unsigned i = 0; i < 2; i++)
    CL_TRY_ACTIVITY(L, CL_A_FILL, CL_FILLED, s, sizeof words[i], cuMemsetD32Async,
                    r->address + i * sizeof words[i], words[i], 1, cl_stream_handle(s));
}

/* Kernels of other streams come after the write; where no event can say so, it is done when this returns. */
static void note_write(lua_State *L, cl_References *all, const cl_Context *ctx, cl_Stream *s) {
  forget_users(all, ctx);
  forget_writer(all);
  CUresult code = all->written ? CUDA_SUCCESS : CU.cuEventCreate(&all->written, CU_EVENT_DISABLE_TIMING);
  if (!code) code = CU.cuEventRecord(all->written, cl_stream_handle(s));
  if (!code) {
    all->writer = s;
    cl_rec_retain(&s->rec);
    return;
  }
  cl_log_clear();
  try(L, "cuStreamSynchronize", cl_wait_stream(L, cl_stream_handle(s)));
}

static uint64_t wanted(const cl_Reference *r) { return r->image ? r->image->rec.handle : 0; }

static void check_images(lua_State *L, const cl_References *all, const cl_Context *ctx) {
  char why[256];
  for (const cl_Reference *r = all->list; r; r = r->next) {
    if (!r->image) continue;
    const cl_Object o = {.kind = r->image->rec.kind, .rec = &r->image->rec};
    if (!cl_image_usable(&o, ctx, why, sizeof why))
      cl_logic(L, "reference %s of the module: %s", r->name, why);
  }
}

void cl_references_write(lua_State *L, const cl_Function *fn, const cl_Context *ctx, cl_Stream *s) {
  cl_References *all = fn->module->references;
  const bool capturing = cl_captures && cl_capture_id(s);
  check_images(L, all, ctx);
  bool same = !capturing && !all->captured;
  for (const cl_Reference *r = all->list; r; r = r->next) same = same && r->value == wanted(r);
  if (!cl_captures) join_writer(L, all, s);
  if (same) return;
  if (!cl_captures) join_users(L, all, s);
  for (cl_Reference *r = all->list; r; r = r->next) {
    if (!capturing && !all->captured && r->value == wanted(r)) continue;
    const uint64_t before = r->value;
    r->value = UNKNOWN; /* if it fails half-way */
    fill(L, r, wanted(r), s);
    r->value = capturing ? before : wanted(r);
  }
  if (capturing)
    all->captured = true;
  else
    note_write(L, all, ctx, s);
}

void cl_references_launched(lua_State *L, const cl_Function *fn, cl_Stream *s) {
  cl_References *all = fn->module->references;
  for (const cl_Reference *r = all->list; r; r = r->next)
    if (r->image) cl_image_used(L, r->image, s);
  if ((cl_captures && cl_capture_id(s)) || is_user(all, s)) return;
  cl_Order *users = realloc(all->users, (all->nusers + 1) * sizeof *users);
  if (!users) luaL_error(L, "not enough memory");
  all->users = users;
  users[all->nusers] = (cl_Order){0};
  cl_order_open(&users[all->nusers++], s);
}

void cl_references_free(cl_Module *m) {
  cl_References *all = m->references;
  if (!all) return;
  const cl_Context *ctx = cl_rec_context(m->rec.parent);
  forget_users(all, ctx);
  forget_writer(all);
  if (all->written) cl_event_discard(ctx, all->written);
  for (cl_Reference *r = all->list, *next; r; r = next) {
    next = r->next;
    if (r->image) cl_rec_release(&r->image->rec);
    free(r);
  }
  free(all->users);
  free(all);
  m->references = NULL;
}
