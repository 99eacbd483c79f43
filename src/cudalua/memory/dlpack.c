/* DLPack: memory of other libraries that arrays work on, and our memory that other libraries work on. Either
 * stands behind a record; giving it back waits for all work of the context, as neither side knows the other's
 * streams. The structures are those of DLPack 1.0 and of the releases before it. */
#include "base/state.h"
#include "memory/lent.h"
#include "memory/memory.h"
#include "streams/capture.h"
#include "streams/wait.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_FLAG_IS_COPIED = 2, MOST_AXES = 64, ALIGNMENT = 64 };

typedef struct DLDevice {
  int32_t type, id;
} DLDevice;

typedef struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* strides: in elements */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor tensor;
  void *manager;
  void (*deleter)(struct DLManagedTensor *);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager;
  void (*deleter)(struct DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
} DLManagedTensorVersioned;

_Static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 &&
                   sizeof(DLManagedTensorVersioned) == 80,
               "DLPack's structures have this layout");

/* Waiting would break a capture. */
static bool held_back(const cl_Rec *r) {
  (void)r;
  return cl_captures != 0;
}

static CUresult settle(void) {
  const CUresult code = cl_wait_context_anyway();
  if (!code || cl_code_sticky(code)) return code;
  cl_log_clear();
  return cl_wait_context_anyway();
}

/* --- theirs --- */

typedef struct Borrowed {
  cl_Rec rec; /* handle: the address of the managed tensor */
  void (*deleter)(void *);
} Borrowed;

static void give_back(Borrowed *b) {
  void (*deleter)(void *) = b->deleter;
  b->deleter = NULL;
  if (deleter && !cl_forked) deleter((void *)(uintptr_t)b->rec.handle);
}

/* What cannot be waited for stays with us; but nothing runs on a device that failed. */
static CUresult borrowed_destroy(cl_Rec *r) {
  const CUresult code = settle();
  if (!code || cl_code_sticky(code)) give_back((Borrowed *)r);
  ((Borrowed *)r)->deleter = NULL;
  return code;
}

/* Its context went before, and with it all work. */
static void borrowed_dispose(cl_Rec *r) { give_back((Borrowed *)r); }

CL_FAMILY(CL_BORROWED_TENSOR, .destroy = borrowed_destroy, .dispose = borrowed_dispose,
          .held_back = held_back);

/* Raises unless kernels of the current context can work on the memory at an address. */
static void check_place(lua_State *L, uint64_t address, const cl_Context *c) {
  CUcontext owner = NULL;
  int device = 0;
  CUresult code = CU.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address);
  if (!code) code = CU.cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
  if (code && cl_code_sticky(code)) cl_fail(L, "cuPointerGetAttribute", code);
  if (code) {
    cl_log_clear();
    cl_logic(L, "interop.from_dlpack: the driver does not know the memory at the tensor's address");
  }
  if (device != c->device)
    cl_logic(L,
             "interop.from_dlpack: the tensor's memory is on device %d, the current context is on device %d",
             device, c->device);
  if (owner && owner != (CUcontext)c->rec.handle)
    cl_logic(L, "interop.from_dlpack: the tensor's memory does not belong to the current context");
}

/* tensor_check(address): raises unless kernels of the current context can work on memory there */
int cl_tensor_check(lua_State *L) {
  const uint64_t address = cl_check_bytes(L, 1, "address");
  cl_push(L, CL_POINTER, sizeof(cl_MemoryObject)); /* holds the context if the check raises */
  cl_Context *c = cl_context_current(L);
  ((cl_Object *)lua_touserdata(L, -1))->rec = &c->rec;
  check_place(L, address, c);
  return 0;
}

static int push_state(lua_State *L, cl_LentState state) {
  static const char *const names[] = {NULL, "out", "taken", "back"};
  if (!names[state]) return 0;
  lua_pushstring(L, names[state]);
  return 1;
}

/* tensor_state(managed) -> of a tensor of ours: "out", "taken" by this process, or "back"; nil: it is another
 * library's, or came back long ago. Any address will do. */
int cl_tensor_state(lua_State *L) {
  return push_state(L, cl_lent_state((void *)(uintptr_t)cl_check_bytes(L, 1, "managed")));
}

/* tensor_take(managed) -> is it to be taken? Not one of ours that was taken or is back. */
int cl_tensor_take(lua_State *L) {
  lua_pushboolean(L, cl_lent_take((void *)(uintptr_t)cl_check_bytes(L, 1, "managed")));
  return 1;
}

/* tensor_borrow(managed, deleter, address, bytes) -> DevicePointer, which holds the tensor: it was taken.
 * nil: tensor_take() says no. deleter: 0 if it has none. */
int cl_tensor_borrow(lua_State *L) {
  const uint64_t managed = cl_check_bytes(L, 1, "managed"), deleter = cl_check_bytes(L, 2, "deleter");
  const uint64_t address = cl_check_bytes(L, 3, "address"), bytes = cl_check_bytes(L, 4, "bytes");
  cl_queue_check(L);
  cl_MemoryObject *m = cl_push(L, CL_POINTER, sizeof *m);
  cl_Context *c = cl_context_current(L);
  Borrowed *b = (Borrowed *)cl_rec_new(CL_BORROWED_TENSOR, sizeof *b, &c->rec);
  cl_rec_release(&c->rec);
  if (!b) return luaL_error(L, "not enough memory");
  m->o.rec = &b->rec; /* not live yet: the deleter is not called */
  if (!cl_lent_take((void *)(uintptr_t)managed)) return 0;
  b->deleter = (void (*)(void *))(uintptr_t)deleter;
  b->rec.handle = managed;
  b->rec.life = CL_LIVE;
  m->address = address;
  m->size = bytes;
  return 1;
}

/* --- ours --- */

typedef struct Lent {
  cl_Rec rec;     /* parent: the memory's record; none if the elements are here */
  void *elements; /* a copy of a host array's, or NULL */
  struct Structure *structure;
} Lent;

/* What the other library sees. */
typedef struct Structure {
  union {
    DLManagedTensor plain;
    DLManagedTensorVersioned versioned;
  } managed;
  int64_t extents[]; /* shape and strides */
} Structure;

static CUresult lent_destroy(cl_Rec *r) { return cl_rec_context(r) ? settle() : CUDA_SUCCESS; }

static void lent_dispose(cl_Rec *r) {
  free(((Lent *)r)->elements);
  cl_lent_drop(((Lent *)r)->structure);
}
CL_FAMILY(CL_LENT_TENSOR, .destroy = lent_destroy, .dispose = lent_dispose, .held_back = held_back);

/* Called by other libraries, in whatever thread, also when the Lua state is gone: the queue gets what would
 * wait, and nothing of the driver is called here. A second call for a tensor changes nothing. */
static void delete_plain(DLManagedTensor *self) {
  if (cl_lent_back(self)) cl_rec_release(self->manager);
}
static void delete_versioned(DLManagedTensorVersioned *self) {
  if (cl_lent_back(self)) cl_rec_release(self->manager);
}

static DLTensor *open_managed(Lent *lent, bool versioned, bool copied) {
  Structure *s = lent->structure;
  if (!versioned) {
    s->managed.plain = (DLManagedTensor){.manager = lent, .deleter = delete_plain};
    return &s->managed.plain.tensor;
  }
  s->managed.versioned = (DLManagedTensorVersioned){.major = 1,
                                                    .minor = 0,
                                                    .manager = lent,
                                                    .deleter = delete_versioned,
                                                    .flags = copied ? DL_FLAG_IS_COPIED : 0};
  return &s->managed.versioned.tensor;
}

static void read_list(lua_State *L, int idx, int n, int64_t *out) {
  for (int i = 0; i < n; i++, lua_pop(L, 1)) {
    lua_rawgeti(L, idx, i + 1);
    out[i] = (int64_t)lua_tonumber(L, -1);
  }
}

static DLDevice device_of(lua_State *L, const cl_Rec *memory, const cl_Context *c) {
  const int32_t id = c ? c->device : cl_current_device(L);
  switch ((int)memory->kind) {
  case CL_HOST:
  case CL_REGISTERED:
  case CL_POOLED_HOST: return (DLDevice){DL_CUDA_HOST, 0};
  case CL_MANAGED: return (DLDevice){DL_CUDA_MANAGED, id};
  default: return (DLDevice){DL_CUDA, id};
  }
}

/* tensor_device(memory) -> type and number of its device, as DLPack has them. nil: of an array on the device
 * without elements. */
int cl_tensor_device(lua_State *L) {
  cl_Rec *memory = lua_isnoneornil(L, 1) ? &cl_no_owner : cl_check_memory(L, 1, "memory")->o.rec;
  const DLDevice device = device_of(L, memory, cl_rec_context(memory));
  lua_pushnumber(L, device.type);
  lua_pushnumber(L, device.id);
  return 2;
}

/* tensor_lend(memory, bytes, code, bits, shape, strides, versioned) -> address of the managed tensor, and of
 * its elements. memory: what they are in; nil: an array on the device without elements; false: `bytes` of
 * host memory, which the caller fills. shape, strides: lists of integers; strides in elements. */
int cl_tensor_lend(lua_State *L) {
  lua_settop(L, 7);
  const bool host = lua_isboolean(L, 1), versioned = lua_toboolean(L, 7);
  const cl_MemoryObject *m = host || lua_isnil(L, 1) ? NULL : cl_check_memory(L, 1, "memory");
  const uint64_t bytes = cl_check_bytes(L, 2, "bytes");
  const uint64_t code = cl_check_bytes(L, 3, "code"), bits = cl_check_bytes(L, 4, "bits");
  luaL_checktype(L, 5, LUA_TTABLE);
  luaL_checktype(L, 6, LUA_TTABLE);
  const size_t ndim = lua_objlen(L, 5);
  if (ndim > MOST_AXES || lua_objlen(L, 6) != ndim) cl_bad_argument(L, 6, "strides", "as many as extents");
  cl_queue_check(L);
  cl_Object *hold = NULL; /* holds the context meanwhile */
  cl_Rec *parent = m ? m->o.rec : NULL;
  if (!m && !host) {
    hold = cl_push(L, CL_POINTER, sizeof(cl_MemoryObject));
    parent = hold->rec = &cl_context_current(L)->rec;
  }
  const DLDevice device = host ? (DLDevice){DL_CPU, 0} : device_of(L, parent, cl_rec_context(parent));
  Lent *lent = (Lent *)cl_rec_new(CL_LENT_TENSOR, sizeof *lent, NULL);
  if (lent) lent->structure = cl_lent_new(sizeof(Structure) + 2 * ndim * sizeof(int64_t));
  if (lent && host) lent->elements = malloc(bytes + ALIGNMENT);
  if (!lent || !lent->structure || (host && !lent->elements)) {
    if (lent) cl_rec_release(&lent->rec);
    return luaL_error(L, "not enough memory");
  }
  int64_t *extents = lent->structure->extents;
  if (parent) lent->rec.parent = cl_rec_retain(parent);
  if (host) lent->rec.waits = false;
  read_list(L, 5, (int)ndim, extents);
  read_list(L, 6, (int)ndim, extents + ndim);
  DLTensor *t = open_managed(lent, versioned, host);
  const uintptr_t room = (uintptr_t)lent->elements + ALIGNMENT - 1;
  t->data = host ? (void *)(room & ~(uintptr_t)(ALIGNMENT - 1)) : m ? (void *)(uintptr_t)m->address : NULL;
  t->device = device;
  t->ndim = (int32_t)ndim;
  t->code = (uint8_t)code;
  t->bits = (uint8_t)bits;
  t->lanes = 1;
  t->shape = extents;
  t->strides = extents + ndim;
  lent->rec.life = CL_LIVE;
  lua_pushnumber(L, (lua_Number)(uintptr_t)&lent->structure->managed);
  lua_pushnumber(L, (lua_Number)(uintptr_t)t->data);
  return 2;
}

/* --- in Python's capsules --- */

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";
static const char plain_used[] = "used_dltensor", versioned_used[] = "used_dltensor_versioned";

/* Of the Python that this process runs; the same for all threads, as there is one. */
static int (*_Atomic capsule_is_valid)(void *, const char *);
static void *(*_Atomic capsule_pointer)(void *, const char *);

/* Called by Python, with its lock held, when a capsule goes. One whose tensor was taken has another name. */
static void destroy_capsule(void *capsule) {
  if (capsule_is_valid(capsule, plain_name)) {
    DLManagedTensor *t = capsule_pointer(capsule, plain_name);
    if (t->deleter) t->deleter(t);
  } else if (capsule_is_valid(capsule, versioned_name)) {
    DLManagedTensorVersioned *t = capsule_pointer(capsule, versioned_name);
    if (t->deleter) t->deleter(t);
  }
}

static void push_address(lua_State *L, const void *p) { lua_pushnumber(L, (lua_Number)(uintptr_t)p); }

/* tensor_capsules() -> addresses: the destructor of capsules, and the names "dltensor", "dltensor_versioned",
 * and those of tensors that were taken. nil if no Python is in this process. */
int cl_tensor_capsules(lua_State *L) {
  void *valid = dlsym(RTLD_DEFAULT, "PyCapsule_IsValid");
  void *pointer = dlsym(RTLD_DEFAULT, "PyCapsule_GetPointer");
  if (!valid || !pointer) return 0;
  capsule_is_valid = (int (*)(void *, const char *))valid;
  capsule_pointer = (void *(*)(void *, const char *))pointer;
  lua_pushnumber(L, (lua_Number)(uintptr_t)destroy_capsule);
  push_address(L, plain_name);
  push_address(L, versioned_name);
  push_address(L, plain_used);
  push_address(L, versioned_used);
  return 5;
}
