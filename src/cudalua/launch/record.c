/* Recording: the last launch with its arguments and the memory that these point to, copied to the host before
 * the kernel runs. After a fault nothing on the device can be read any more. */
#include "base/account.h"
#include "base/state.h"
#include "launch/launch.h"
#include "code/texref.h"
#include "streams/wait.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An allocation that an argument points into. */
typedef struct Piece {
  uint64_t address, size;
  size_t at; /* in `data` */
  bool kept; /* it is within the limit */
} Piece;

/* The word of the arguments at `offset` points into that piece, or to its end. */
typedef struct Pointer {
  uint32_t offset, piece;
} Pointer;

struct cl_Recording {
  uint64_t limit;     /* most bytes of data */
  const char *kernel; /* interned; NULL: nothing was recorded */
  const char *where;  /* interned, or NULL */
  uint64_t launch;    /* its number, as launch_count() counts */
  cl_Launch shape;
  uint32_t size, room, npieces, npointers; /* room: bytes that the arguments have had at most */
  uint8_t *arguments, *data;
  size_t data_room;
  Piece *pieces;
  Pointer *pointers;
};

static const char recording_key = 0, function_key = 0, images_key = 0, hook_key = 0;

/* --- what an address belongs to --- */

static bool is_around(const Piece *p, uint64_t address) {
  return address >= p->address && address - p->address < p->size;
}

/* Runs under account.c's lock. */
static bool holds(cl_Rec *r, void *arg) {
  Piece *wanted = arg;
  if (!cl_kind_is_memory(r->kind) || !r->handle) return false;
  const bool allocation = r->kind == CL_ALLOCATION || r->kind == CL_POOLED || r->kind == CL_POOLED_HOST;
  const Piece p = {.address = r->handle, .size = allocation ? ((const cl_Allocation *)r)->size : r->bytes};
  if (!is_around(&p, wanted->address)) return false;
  *wanted = p;
  return true;
}

/* The allocation around an address, as the program asked for it, or as the driver knows it. */
static bool find(const cl_Context *ctx, uint64_t address, Piece *p) {
  *p = (Piece){.address = address};
  if (cl_account_any(ctx, holds, p)) return true;
  uint64_t base = 0, size = 0;
  if (CU.cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) ||
      CU.cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address)) {
    cl_log_clear();
    return false;
  }
  *p = (Piece){.address = base, .size = size};
  return is_around(p, address); /* a driver may round allocations up */
}

static void add_pointer(cl_Recording *r, uint32_t offset, uint32_t piece) {
  r->pointers[r->npointers++] = (Pointer){offset, piece};
}

/* Adds the word at `offset` if it points to memory. ends: to the end of memory that was found. */
static void look_at(cl_Recording *r, const cl_Context *ctx, uint32_t offset, bool ends) {
  uint64_t address;
  Piece p;
  memcpy(&address, r->arguments + offset, sizeof address);
  if (!address) return;
  for (uint32_t i = 0; i < r->npieces; i++)
    if (is_around(&r->pieces[i], address)) return ends ? (void)0 : add_pointer(r, offset, i);
  for (uint32_t i = 0; ends && i < r->npieces; i++)
    if (address == r->pieces[i].address + r->pieces[i].size) return add_pointer(r, offset, i);
  if (ends || !find(ctx, address, &p)) return;
  r->pieces[r->npieces] = p;
  add_pointer(r, offset, r->npieces++);
}

/* What may hold a pointer: pointers, what only its size is known of, and the words of structs. */
static void look_at_all(cl_Recording *r, const cl_Function *fn, const cl_Context *ctx, bool ends) {
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const cl_Param *p = &fn->params[i];
    const bool open = p->type == CL_T_UNKNOWN || p->type == CL_T_BYTES;
    if (p->type != CL_T_PTR && p->type != CL_T_X64 && !open) continue;
    for (uint32_t at = (p->offset + 7) / 8 * 8; at + 8 <= p->offset + p->size; at += 8)
      look_at(r, ctx, at, ends);
  }
}

/* --- recording --- */

static void *grown(lua_State *L, void *old, size_t bytes) {
  void *p = realloc(old, bytes ? bytes : 1);
  if (!p) luaL_error(L, "cuda.debug.record: not enough memory for %d MiB", (int)(bytes >> 20));
  return p;
}

static void make_room(lua_State *L, cl_Recording *r, uint32_t size) {
  if (size > r->room || !r->arguments) {
    r->arguments = grown(L, r->arguments, size);
    r->pieces = grown(L, r->pieces, (size / 8 + 1) * sizeof *r->pieces);
    r->pointers = grown(L, r->pointers, (size / 8 + 1) * sizeof *r->pointers);
    r->room = size;
  }
  r->size = size;
  r->npieces = r->npointers = 0;
}

static void copy_pieces(lua_State *L, cl_Recording *r) {
  size_t total = 0;
  for (uint32_t i = 0; i < r->npieces; i++) {
    Piece *p = &r->pieces[i];
    p->kept = p->size <= r->limit - total;
    p->at = total;
    if (p->kept) total += p->size;
  }
  if (total > r->data_room) {
    r->data = grown(L, r->data, total);
    r->data_room = total;
  }
  for (uint32_t i = 0; i < r->npieces; i++) {
    const Piece *p = &r->pieces[i];
    if (p->kept) CL_TRY(L, cuMemcpyDtoH_v2, r->data + p->at, p->address, p->size);
  }
}

/* --- textures and surfaces: lua/cudalua/fault/images.lua copies what they read --- */

/* on_record(f): f(list of {offset =, object =}, module_table, bytes) -> a list of strings */
int cl_on_record(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &hook_key);
  return 0;
}

/* Pushes a list of those among the arguments. */
static void push_images(lua_State *L, const cl_Function *fn, const cl_Launch *o) {
  luaL_checkstack(L, 8, "textures");
  lua_newtable(L);
  int n = 0, idx = o->first;
  for (uint32_t i = 0; idx && i < fn->nparams; i++, idx++) {
    if (o->offsets && cl_to_memory(L, idx)) idx++;
    if (!cl_to_image(L, idx)) continue;
    lua_createtable(L, 0, 2);
    lua_pushnumber(L, fn->params[i].offset);
    lua_setfield(L, -2, "offset");
    lua_pushvalue(L, idx);
    lua_setfield(L, -2, "object");
    lua_rawseti(L, -2, ++n);
  }
}

static void keep_images(lua_State *L, const cl_Recording *r, const cl_Function *fn, const cl_Launch *o) {
  size_t kept = 0;
  for (uint32_t i = 0; i < r->npieces; i++) kept += r->pieces[i].kept ? r->pieces[i].size : 0;
  push_images(L, fn, o);
  if (lua_objlen(L, -1) || fn->module->references) {
    cl_registry_get(L, &hook_key);
    lua_insert(L, -2);
    lua_getfenv(L, 1);
    lua_pushnumber(L, (lua_Number)(r->limit - kept));
    lua_call(L, 3, 1);
    cl_check(L, 1, CL_FUNCTION); /* again: finalizers may have run, and launched it */
  }
  memcpy(fn->block, r->arguments, r->size);
  cl_registry_set(L, &images_key);
}

void cl_record_launch(lua_State *L, cl_Recording *r, const cl_Function *fn, const cl_Context *ctx,
                      const cl_Launch *o, uint64_t number) {
  if (cl_captures) return; /* it does not run now, and nothing can be waited for */
  /* If this fails, it is the recorded launch that has failed. */
  const CUresult code = cl_wait_context(L);
  if (code) cl_fail(L, "cuCtxSynchronize", code);
  r->kernel = NULL;
  make_room(L, r, (uint32_t)cl_block_size(fn));
  memcpy(r->arguments, fn->block, r->size);
  look_at_all(r, fn, ctx, false);
  look_at_all(r, fn, ctx, true);
  copy_pieces(L, r);
  keep_images(L, r, fn, o);
  r->shape = *o;
  r->launch = number;
  r->where = cl_here(L);
  lua_pushvalue(L, 1);
  cl_registry_set(L, &function_key);
  r->kernel = fn->name;
}

static int recording_gc(lua_State *L) {
  cl_Recording *r = lua_touserdata(L, 1);
  cl_State *st = cl_state(L);
  if (st && st->recording == r) st->recording = NULL;
  free(r->arguments);
  free(r->data);
  free(r->pieces);
  free(r->pointers);
  memset(r, 0, sizeof *r);
  return 0;
}

static cl_Recording *recording_of(lua_State *L) {
  cl_registry_get(L, &recording_key);
  cl_Recording *r = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return r;
}

/* record([limit]) -> were launches recorded? From now on they are, with at most `limit` bytes of memory;
 * nil: they are not, and the last recording stays. */
int cl_record(lua_State *L) {
  cl_State *st = cl_state(L);
  const bool was = st->recording != NULL;
  if (lua_isnoneornil(L, 1)) {
    st->recording = NULL;
  } else {
    const uint64_t limit = cl_check_bytes(L, 1, "bytes");
    cl_Recording *r = recording_of(L);
    if (!r) {
      r = cl_push_finalized(L, sizeof *r, recording_gc);
      cl_registry_set(L, &recording_key);
    }
    r->limit = limit;
    st->recording = r;
  }
  lua_pushboolean(L, was);
  return 1;
}

/* --- what was recorded --- */

static void set_number(lua_State *L, const char *key, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, key);
}

static void set_extents(lua_State *L, const char *key, const unsigned n[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushnumber(L, n[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, key);
}

/* recorded() -> the last recorded launch: {kernel, where, launch, grid, block, shared, cooperative, cluster,
 * arguments (bytes), pieces = {{address, bytes, kept}}, pointers = {{offset, piece}}, fn, images (strings, or
 * nil)}; nothing: there is none */
int cl_recorded(lua_State *L) {
  const cl_Recording *r = recording_of(L);
  if (!r || !r->kernel) return 0;
  lua_settop(L, 0);
  lua_createtable(L, 0, 12);
  lua_pushstring(L, r->kernel);
  lua_setfield(L, 1, "kernel");
  lua_pushstring(L, r->where);
  lua_setfield(L, 1, "where");
  set_number(L, "launch", (double)r->launch);
  set_number(L, "shared", r->shape.shared);
  set_extents(L, "grid", r->shape.grid);
  set_extents(L, "block", r->shape.block);
  lua_pushboolean(L, (r->shape.with & CL_WITH_COOPERATIVE) != 0);
  lua_setfield(L, 1, "cooperative");
  if (r->shape.with & CL_WITH_CLUSTER) set_extents(L, "cluster", r->shape.cluster);
  lua_pushlstring(L, (const char *)r->arguments, r->size);
  lua_setfield(L, 1, "arguments");
  lua_createtable(L, (int)r->npieces, 0);
  for (uint32_t i = 0; i < r->npieces; i++) {
    lua_createtable(L, 0, 3);
    set_number(L, "address", (double)r->pieces[i].address);
    set_number(L, "bytes", (double)r->pieces[i].size);
    lua_pushboolean(L, r->pieces[i].kept);
    lua_setfield(L, -2, "kept");
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_setfield(L, 1, "pieces");
  lua_createtable(L, (int)r->npointers, 0);
  for (uint32_t i = 0; i < r->npointers; i++) {
    lua_createtable(L, 0, 2);
    set_number(L, "offset", r->pointers[i].offset);
    set_number(L, "piece", r->pointers[i].piece + 1);
    lua_rawseti(L, -2, (int)i + 1);
  }
  lua_setfield(L, 1, "pointers");
  cl_registry_get(L, &function_key);
  lua_setfield(L, 1, "fn");
  cl_registry_get(L, &images_key);
  lua_setfield(L, 1, "images");
  return 1;
}

/* record_write(path, head) -> true, or false and why not: writes head and behind it the kept pieces. */
int cl_record_write(lua_State *L) {
  const char *path = cl_check_name(L, 1, "path");
  size_t n;
  const char *head = luaL_checklstring(L, 2, &n);
  const cl_Recording *r = recording_of(L);
  FILE *file = fopen(path, "wbe");
  bool good = file && fwrite(head, 1, n, file) == n;
  for (uint32_t i = 0; good && r && i < r->npieces; i++) {
    const Piece *p = &r->pieces[i];
    if (p->kept) good = fwrite(r->data + p->at, 1, p->size, file) == p->size;
  }
  const int why = errno;
  if (file && fclose(file)) good = false;
  lua_pushboolean(L, good);
  if (good) return 1;
  lua_pushstring(L, strerror(why));
  return 2;
}
