/* Single elements on their way to the host: see lua/cudalua/gpuarray/core/mailbox.lua.
 *
 * The quickest way is to look into page-locked memory until the element is there: whoever waits for the
 * stream instead hears of it one or two microseconds later, and a copy between a kernel and that comes later
 * still. Who looks does so for a while only. Then he waits for the stream as everybody does, and gets its
 * errors. */
#include "streams/activity.h"
#include "launch/mailbox.h"
#include "base/state.h"
#include "streams/wait.h"

#include <string.h>
#include <time.h>

/* What is in a mailbox: first what is copied there, then slots for what kernels leave there, two words of 64
 * bits: in each, half of the value and above it a ticket. */
enum { SLOTS_AT = 64, SLOTS = 32, SLOT = 16, MAILBOX = SLOTS_AT + SLOTS * SLOT };

const cl_MemoryObject *cl_mailbox_in(lua_State *L, int idx, const cl_Context *ctx) {
  const cl_MemoryObject *m = cl_to_kind(L, idx, CL_HOST);
  if (!m || !cl_rec_live(m->o.rec) || m->size < MAILBOX) return NULL;
  return !ctx || m->o.rec->parent == &ctx->rec ? m : NULL;
}

const cl_MemoryObject *cl_simple_memory(lua_State *L, int idx, const cl_Context *ctx, const cl_Stream *s) {
  if (lua_type(L, idx) != LUA_TUSERDATA) return NULL;
  const cl_MemoryObject *m = (const cl_MemoryObject *)cl_to_userdata(L, idx);
  if (!m || !cl_kind_is_memory(m->o.kind)) return NULL;
  const cl_Rec *r = m->o.rec;
  if (r == &cl_no_owner && !m->address) return m; /* of an operand without memory */
  if (!r || r->life != CL_LIVE || r->parent != &ctx->rec || !m->address) return NULL;
  const cl_Order *order = &((const cl_Allocation *)r)->order;
  return !r->tracks || (order->home == s && !order->nuses) ? m : NULL;
}

/* --- tickets --- */

static uint32_t next_ticket(cl_State *st) {
  if (!++st->ticket) st->ticket = 1;
  return st->ticket;
}

static uint64_t slot_of(uint64_t mailbox, uint32_t ticket) {
  return mailbox + SLOTS_AT + ticket % SLOTS * SLOT;
}

/* With the ticket, what is found is the value of this launch, whatever others are under way. Graphs leave
 * nothing: they run again and again. */
uint32_t cl_take_ticket(lua_State *L, const cl_Function *fn, const cl_MemoryObject *mailbox) {
  cl_State *st = cl_state(L);
  if (cl_captures || !mailbox->address || fn->nparams < 2) return 0;
  const cl_Param *place = &fn->params[fn->nparams - 2], *number = place + 1;
  if (place->size != 8 || number->size != 4) luaL_error(L, "%s does not take a mailbox", fn->name);
  const uint32_t ticket = next_ticket(st);
  const uint64_t at = slot_of(mailbox->address, ticket);
  memcpy(fn->block + place->offset, &at, sizeof at);
  memcpy(fn->block + number->offset, &ticket, sizeof ticket);
  st->launches_told = st->launches + 1;
  return ticket;
}

/* --- looking --- */

typedef struct Awaited {
  const void *at;
  uint32_t ticket; /* of a value in a slot; 0: of a copy, over NOTHING */
  size_t size;
  uint32_t word[2]; /* the value */
} Awaited;

enum { NOTHING = 0x7fe5a5a5 }; /* no number that is likely: a NaN */

static bool is_there(Awaited *a) {
  if (!a->ticket) {
    const uint32_t *half = a->at;
    a->word[0] = __atomic_load_n(half, __ATOMIC_ACQUIRE);
    a->word[1] = a->size > 4 ? __atomic_load_n(half + 1, __ATOMIC_ACQUIRE) : 0;
    return a->word[0] != NOTHING && a->word[1] != NOTHING;
  }
  const uint64_t *half = a->at;
  const uint64_t low = __atomic_load_n(half, __ATOMIC_ACQUIRE);
  const uint64_t high = a->size > 4 ? __atomic_load_n(half + 1, __ATOMIC_ACQUIRE) : low;
  a->word[0] = (uint32_t)low;
  a->word[1] = (uint32_t)high;
  return low >> 32 == a->ticket && high >> 32 == a->ticket;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Longer than small kernels take; where one takes long, or never runs as the context is lost, it does not
 * matter. The software device's kernels run while somebody waits for them. */
static bool look(Awaited *a) {
  enum { LOOKS = 32 }; /* between two looks at the clock */
  double start = 0;
  for (unsigned i = 0; !is_there(a); i++) {
    if (cl_driver()->soft) return false;
    __builtin_ia32_pause();
    if (i % LOOKS) continue;
    if (!i) start = now();
    if (now() - start > 100e-6) return false;
  }
  return true;
}

/* Looks, if one may, and then waits. */
static void await(lua_State *L, Awaited *a, bool looking) {
  if (!looking || !look(a)) {
    /* Of a copy that was given up, the mailbox would have the value later. What comes before it has been
     * waited for, if interrupts are on. */
    const CUresult code = cl_wait_stream_anyway(NULL);
    if (code) cl_fail(L, "cuStreamSynchronize", code);
    is_there(a);
  }
  cl_after_wait(L);
}

/* --- one element --- */

static const size_t sizes[] = {0, 4, 8, 4, 4, 1, 1, 2, 2, 8, 8, 1};
enum { TYPES = sizeof sizes / sizeof *sizes };

/* In the order of the types of mailbox.lua. */
static int push_element(lua_State *L, int type, const void *at) {
  const double exact = 9007199254740992.0;
  union {
    float f32;
    double f64;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
  } v;
  memcpy(&v, at, sizeof v);
  switch (type) {
  case 1: lua_pushnumber(L, (double)v.f32); return 1;
  case 2: lua_pushnumber(L, v.f64); return 1;
  case 3: lua_pushnumber(L, v.i32); return 1;
  case 4: lua_pushnumber(L, v.u32); return 1;
  case 5: lua_pushnumber(L, v.i8); return 1;
  case 6: lua_pushnumber(L, v.u8); return 1;
  case 7: lua_pushnumber(L, v.i16); return 1;
  case 8: lua_pushnumber(L, v.u16); return 1;
  case 9: lua_pushnumber(L, (double)v.i64); return (double)v.i64 > -exact && (double)v.i64 < exact;
  case 10: lua_pushnumber(L, (double)v.u64); return (double)v.u64 < exact;
  case 11: lua_pushboolean(L, v.u8); return 1;
  default: return 0;
  }
}

/* array_told(mailbox, ticket, type) -> the value that the launch left there. Nil: other kernels were launched
 * since, or it is not there yet; memory tells. */
int cl_array_told(lua_State *L) {
  const cl_MemoryObject *mailbox = cl_mailbox_in(L, 1, NULL);
  const double ticket = lua_tonumber(L, 2);
  const int type = (int)lua_tointeger(L, 3);
  const cl_State *st = cl_state(L);
  if (!mailbox || cl_captures || !st->ticket || st->ticket != ticket || st->launches != st->launches_told)
    return 0;
  if (type < 1 || type >= TYPES) return 0;
  Awaited a = {(const void *)slot_of(mailbox->o.rec->handle, st->ticket), st->ticket, sizes[type], {0}};
  if (!look(&a)) return 0;
  cl_after_wait(L);
  return push_element(L, type, a.word);
}

/* A copy to page-locked memory. The value is taken from there before anything else may run: finalizers read
 * elements, too. */
static void fetch(lua_State *L, CUdeviceptr from, bool looking, Awaited *a) {
  uint32_t *to = (void *)(uintptr_t)a->at;
  to[0] = to[1] = NOTHING;
  CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_HOST, &cl_legacy_stream, a->size, cuMemcpyDtoHAsync_v2, to, from,
                  a->size, NULL);
  await(L, a, looking && a->size >= 4); /* of shorter ones, too many look like NOTHING */
}

/* array_read(memory, offset, type [, mailbox [, looking]]) -> the element there, once all work before is
 * done. Nil: it is not as simple as that. looking: may the thread do so until it is there? */
int cl_array_read(lua_State *L) {
  const cl_MemoryObject *m = cl_to_memory(L, 1);
  const double offset = lua_tonumber(L, 2);
  const int type = (int)lua_tointeger(L, 3);
  CUcontext current = NULL;
  if (!m || cl_captures || type < 1 || type >= TYPES || !cl_rec_live(m->o.rec)) return 0;
  const cl_Context *ctx = cl_rec_context(m->o.rec);
  const size_t size = sizes[type];
  if (!ctx || CU.cuCtxGetCurrent(&current) || current != (CUcontext)ctx->rec.handle) return 0;
  if (cl_current_stream(L, "array", ctx) != &cl_legacy_stream ||
      !cl_simple_memory(L, 1, ctx, &cl_legacy_stream))
    return 0;
  if (!(offset >= 0) || offset + (double)size > (double)m->size) return 0;
  const CUdeviceptr from = m->address + (uint64_t)offset;
  cl_wait_before_copy(L);
  const cl_MemoryObject *mailbox = cl_mailbox_in(L, 4, ctx);
  const bool looking = lua_toboolean(L, 5);
  Awaited a = {.size = size};
  if (!mailbox) {
    CL_TRY_ACTIVITY(L, CL_A_COPY, CL_TO_HOST, &cl_legacy_stream, size, cuMemcpyDtoH_v2, a.word, from, size);
    CL_RUN_HOOKS(cl_on_answer, L);
    return push_element(L, type, a.word);
  }
  a.at = (const void *)(uintptr_t)mailbox->o.rec->handle;
  fetch(L, from, looking, &a);
  return push_element(L, type, a.word);
}
