/* MemoryPool: a pool of the driver's for memory that is allocated and freed in the order of streams. */
#include "memory/mempool.h"
#include "streams/capture.h"
#include "memory/copy.h"
#include "base/lock.h"
#include "memory/collect.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cl_Mempool defaults[CL_MAX_DEVICES]; /* live once they were asked for */
CL_LOCK(list_lock);
static cl_Mempool *list;

/* --- the default pools --- */

void cl_mempool_prepare(cl_Context *c) {
  c->pool_ready = true;
  CUmemoryPool pool = NULL;
  cuuint64_t threshold = 0;
  CUstreamCaptureMode mode = cl_relax();
  /* without pools the allocation itself says so */
  if (CU.cuDeviceGetDefaultMemPool(&pool, c->device) == CUDA_SUCCESS &&
      CU.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold) == CUDA_SUCCESS &&
      !threshold) {
    threshold = UINT64_MAX;
    CU.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
  }
  cl_unrelax(mode);
  cl_log_clear();
}

static uint64_t attribute(CUmemoryPool pool, CUmemPool_attribute a) {
  cuuint64_t value = 0;
  return CU.cuMemPoolGetAttribute(pool, a, &value) ? 0 : value;
}

static uint64_t idle(CUmemoryPool pool) {
  uint64_t reserved = attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT),
           used = attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  return reserved > used ? reserved - used : 0;
}

/* The device's own memory comes from it. */
static bool is_device(const cl_Mempool *p) {
  return p->location.type == CU_MEM_LOCATION_TYPE_DEVICE && p->type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

static uint64_t for_each(CUdevice dev, uint64_t (*f)(CUmemoryPool)) {
  CUmemoryPool pool = NULL;
  CUstreamCaptureMode mode = cl_relax();
  uint64_t sum = CU.cuDeviceGetDefaultMemPool(&pool, dev) ? 0 : f(pool);
  pthread_mutex_lock(&list_lock);
  for (const cl_Mempool *p = list; p; p = p->next)
    if (p->device == dev && is_device(p) && p->rec.life == CL_LIVE) sum += f((CUmemoryPool)p->rec.handle);
  pthread_mutex_unlock(&list_lock);
  cl_unrelax(mode);
  cl_log_clear();
  return sum;
}

static void reap(void);

static uint64_t trim(CUmemoryPool pool) {
  CU.cuMemPoolTrimTo(pool, 0);
  return 0;
}

static void count_idle(CUdevice dev, uint64_t *bytes) { *bytes += for_each(dev, idle); }
CL_HOOK(cl_on_count_idle, 1, count_idle);

static void trim_all(CUdevice dev) {
  CUstreamCaptureMode mode = cl_relax();
  for_each(dev, trim);
  pthread_mutex_lock(&list_lock);
  reap();
  pthread_mutex_unlock(&list_lock);
  cl_unrelax(mode);
}
CL_HOOK(cl_on_memory_settled, 1, trim_all);

/* --- life --- */

/* Pools that were closed while memory of theirs was in use. The driver would take that back in pieces, says
 * its manual; measured on an H200 (driver 580), synchronisations after that crash in the driver. So a pool
 * waits here until it is empty, and keeps nothing in the meantime. */
typedef struct Doomed {
  CUmemoryPool pool;
  CUdevice device;
  struct Doomed *next;
} Doomed;

static Doomed *doomed;

static void abandon(lua_State *L) {
  (void)L;
  pthread_mutex_lock(&list_lock);
  for (cl_Mempool *p = list; p; p = p->next) p->rec.life = CL_CLOSED;
  while (doomed) {
    Doomed *d = doomed;
    doomed = d->next;
    free(d);
  }
  pthread_mutex_unlock(&list_lock);
  for (size_t i = 0; i < CL_MAX_DEVICES; i++) defaults[i].rec.life = CL_NEW;
}
CL_HOOK(cl_on_driver_reset, 2, abandon);

static bool is_empty(CUmemoryPool pool) {
  cuuint64_t used = 0;
  return !CU.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) && !used;
}

static void reap(void) { /* under the lock */
  for (Doomed **p = &doomed; *p;) {
    Doomed *d = *p;
    bool gone = cl_poison[d->device] != 0;
    if (!gone && !is_empty(d->pool)) {
      p = &d->next;
      continue;
    }
    if (!gone) CU.cuMemPoolDestroy(d->pool);
    *p = d->next;
    free(d);
  }
  cl_log_clear();
}

static void wait_until_empty(CUmemoryPool pool, CUdevice device) {
  cuuint64_t nothing = 0;
  Doomed *d = malloc(sizeof *d);
  CU.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &nothing);
  if (!d) return; /* it stays, and keeps nothing */
  *d = (Doomed){pool, device, doomed};
  doomed = d;
}

/* Under the lock, so that nobody trims it any more. */
static CUresult mempool_destroy(cl_Rec *r) {
  const cl_Mempool *p = (const cl_Mempool *)r;
  CUmemoryPool pool = (CUmemoryPool)r->handle;
  CUresult code = CUDA_SUCCESS;
  if (cl_poison[p->device]) return CUDA_SUCCESS;
  CUstreamCaptureMode mode = cl_relax();
  pthread_mutex_lock(&list_lock);
  reap();
  if (is_empty(pool))
    code = CU.cuMemPoolDestroy(pool);
  else
    wait_until_empty(pool, p->device);
  pthread_mutex_unlock(&list_lock);
  cl_unrelax(mode);
  return code;
}

static void mempool_dispose(cl_Rec *r) {
  pthread_mutex_lock(&list_lock);
  for (cl_Mempool **p = &list; *p; p = &(*p)->next)
    if (&(*p)->rec == r) {
      *p = (*p)->next;
      break;
    }
  pthread_mutex_unlock(&list_lock);
}
CL_FAMILY(CL_MEMPOOL, .destroy = mempool_destroy, .dispose = mempool_dispose);

static CUdevice check_device(lua_State *L, int idx, const char *what) {
  CUdevice dev = 0;
  if (lua_isnoneornil(L, idx)) {
    CL_TRY(L, cuCtxGetDevice, &dev);
    return dev;
  }
  const cl_DeviceObject *d = cl_to_kind(L, idx, CL_DEVICE);
  if (!d && lua_type(L, idx) != LUA_TNUMBER) cl_bad_argument(L, idx, what, "a Device or its number");
  int ordinal = d ? d->ordinal : (int)cl_check_int(L, idx, what, 0, CL_MAX_DEVICES - 1);
  CL_TRY(L, cuDeviceGet, &dev, ordinal);
  return dev;
}

static uint64_t check_threshold(lua_State *L, int idx, const char *what) {
  if (lua_type(L, idx) == LUA_TNUMBER && lua_tonumber(L, idx) == HUGE_VAL) return UINT64_MAX;
  return cl_check_bytes(L, idx, what);
}

/* --- making --- */

/* An option of the table at 1 comes to `at`; false: it is not there. */
static bool option(lua_State *L, const char *name, int at) {
  lua_settop(L, at - 1);
  if (lua_istable(L, 1))
    lua_getfield(L, 1, name);
  else
    lua_pushnil(L);
  return !lua_isnil(L, at);
}

static bool option_flag(lua_State *L, const char *name) {
  if (!option(L, name, 2)) return false;
  if (!lua_isboolean(L, 2)) cl_bad_argument(L, 2, name, "a boolean");
  return lua_toboolean(L, 2);
}

static CUmemLocation option_location(lua_State *L, CUdevice dev, bool managed) {
  CUmemLocation at = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev};
  const char *name = option(L, "location", 2) ? cl_check_name(L, 2, "location") : "device";
  if (strcmp(name, "host") == 0)
    at = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST};
  else if (strcmp(name, "host_numa") == 0)
    at = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST_NUMA};
  else if (strcmp(name, "none") == 0 && managed)
    at = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_NONE};
  else if (strcmp(name, "device") != 0)
    cl_bad_argument(L, 2, "location",
                    "\"device\", \"host\" or \"host_numa\", or with managed = true \"none\"");
  if (!option(L, "numa_node", 2)) return at;
  if (at.type != CU_MEM_LOCATION_TYPE_HOST_NUMA)
    cl_logic(L, "MemoryPool: numa_node needs location = \"host_numa\"");
  at.id = (int)cl_check_int(L, 2, "numa_node", 0, INT_MAX);
  return at;
}

/* A new object for a pool, not live yet. */
static cl_Mempool *push_pool(lua_State *L, CUdevice dev, CUmemLocation at, CUmemAllocationType type) {
  cl_Object *o = cl_push(L, CL_MEMPOOL, sizeof *o);
  cl_Mempool *p = (cl_Mempool *)cl_rec_new(CL_MEMPOOL, sizeof *p, NULL);
  if (!p) luaL_error(L, "not enough memory");
  o->rec = &p->rec;
  p->device = dev;
  p->location = at;
  p->type = type;
  return p;
}

static void enter(cl_Mempool *p, CUmemoryPool handle) {
  p->rec.handle = (uint64_t)(uintptr_t)handle;
  pthread_mutex_lock(&list_lock);
  reap();
  p->rec.life = CL_LIVE;
  p->next = list;
  list = p;
  pthread_mutex_unlock(&list_lock);
}

/* The driver gives a pool of host memory to the host alone. */
static void open_to_device(lua_State *L, const cl_Mempool *p) {
  const CUmemAccessDesc d = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = p->device},
                             .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (p->type != CU_MEM_ALLOCATION_TYPE_PINNED || p->location.type == CU_MEM_LOCATION_TYPE_DEVICE) return;
  CL_TRY(L, cuMemPoolSetAccess, (CUmemoryPool)p->rec.handle, &d, 1);
}

/* mempool([options]) -> MemoryPool */
int cl_mempool(lua_State *L) {
  lua_settop(L, 1);
  option(L, "device", 2);
  CUdevice dev = check_device(L, 2, "device");
  cuuint64_t threshold = UINT64_MAX;
  if (option(L, "release_threshold", 2)) threshold = check_threshold(L, 2, "release_threshold");
  CUmemPoolProps props;
  cl_refuse_in_capture(L, "MemoryPool");
  memset(&props, 0, sizeof props);
  const bool managed = option_flag(L, "managed");
  props.allocType = managed ? CU_MEM_ALLOCATION_TYPE_MANAGED : CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = option_location(L, dev, managed);
  if (option_flag(L, "shareable")) props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  if (option(L, "max_size", 2)) props.maxSize = cl_check_bytes(L, 2, "max_size");
  cl_Mempool *p = push_pool(L, dev, props.location, props.allocType);
  CUmemoryPool handle = NULL;
  CL_TRY(L, cuMemPoolCreate, &handle, &props);
  enter(p, handle);
  CL_TRY(L, cuMemPoolSetAttribute, handle, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
  open_to_device(L, p);
  return 1;
}

/* --- pools of several processes --- */

static cl_Mempool *check(lua_State *L) {
  return (cl_Mempool *)((const cl_Object *)cl_check(L, 1, CL_MEMPOOL))->rec;
}

/* pool:export() -> file descriptor, which is the caller's to close */
int cl_mempool_export(lua_State *L) {
  CUmemoryPool pool = (CUmemoryPool)check(L)->rec.handle; /* which may raise, so before the mode changes */
  int fd = -1;
  CL_TRY_RELAXED(L, cuMemPoolExportToShareableHandle, &fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  lua_pushinteger(L, fd);
  return 1;
}

/* import_mempool(descriptor [, device]) -> MemoryPool */
int cl_import_mempool(lua_State *L) {
  const intptr_t fd = (intptr_t)cl_check_int(L, 1, "descriptor", 0, INT_MAX);
  CUdevice dev = check_device(L, 2, "device");
  cl_refuse_in_capture(L, "import_mempool");
  cl_Mempool *p = push_pool(L, dev, (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev},
                            CU_MEM_ALLOCATION_TYPE_PINNED);
  CUmemoryPool handle = NULL;
  for (CUresult code; (code = CU.cuMemPoolImportFromShareableHandle(
                           &handle, (void *)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));) {
    if (code == CUDA_ERROR_UNKNOWN) { /* which is all that drivers say */
      cl_log_clear();
      cl_logic(L,
               "import_mempool: descriptor %d does not belong to a memory pool; pass the one that "
               "MemoryPool:export() returned, and close it afterwards",
               (int)fd);
    }
    cl_start_or_fail(L, "cuMemPoolImportFromShareableHandle", code);
  }
  p->imported = true;
  enter(p, handle);
  return 1;
}

/* pool:export_pointer(memory) -> string of 64 bytes */
int cl_mempool_export_pointer(lua_State *L) {
  CUmemPoolPtrExportData data;
  (void)check(L);
  const CUdeviceptr p = cl_device_address(L, 2, "memory", 0);
  CL_TRY_RELAXED(L, cuMemPoolExportPointer, &data, p);
  lua_pushlstring(L, (const char *)data.reserved, sizeof data.reserved);
  return 1;
}

static cl_Mempool *default_of(CUdevice dev, CUmemoryPool handle) {
  cl_Mempool *p = &defaults[dev];
  pthread_mutex_lock(&list_lock);
  if (p->rec.life != CL_LIVE) { /* else other threads read it */
    p->device = dev;
    p->location = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev};
    p->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p->is_default = true;
    p->rec.kind = CL_MEMPOOL;
    p->rec.handle = (uint64_t)(uintptr_t)handle;
    if (!p->rec.refs) p->rec.refs = 1; /* this table's own */
    p->rec.life = CL_LIVE;
  }
  pthread_mutex_unlock(&list_lock);
  return p;
}

/* default_mempool([device]) -> MemoryPool, the same object each time */
int cl_default_mempool(lua_State *L) {
  CUdevice dev = check_device(L, 1, "device");
  CUmemoryPool handle = NULL;
  CL_TRY(L, cuDeviceGetDefaultMemPool, &handle, dev);
  cl_Mempool *p = default_of(dev, handle);
  cl_push_interned(L, p, &p->rec, CL_MEMPOOL, sizeof(cl_Object));
  return 1;
}

int cl_mempool_close(lua_State *L) {
  if (check(L)->is_default) cl_logic(L, "the driver owns the default pool of a device; it cannot be closed");
  return cl_close_method(L, CL_MEMPOOL, "cuMemPoolDestroy");
}

/* --- methods --- */

int cl_mempool_handle(lua_State *L) { return cl_handle_method(L, CL_MEMPOOL); }

int cl_mempool_get_device(lua_State *L) {
  cl_push_device(L, check(L)->device);
  return 1;
}

int cl_mempool_trim_to(lua_State *L) {
  const cl_Mempool *p = check(L);
  uint64_t keep = lua_isnoneornil(L, 2) ? 0 : cl_check_bytes(L, 2, "bytes");
  cl_refuse_in_capture(L, "MemoryPool:trim_to");
  CL_TRY(L, cuMemPoolTrimTo, (CUmemoryPool)p->rec.handle, keep);
  lua_settop(L, 1);
  return 1;
}

/* pool:make_current(): what mem_alloc_async() takes from on its device, or the current one of its location */
int cl_mempool_make_current(lua_State *L) {
  const cl_Mempool *p = check(L);
  CUmemLocation at = p->location;
  if (is_device(p))
    CL_TRY_RELAXED(L, cuDeviceSetMemPool, p->device, (CUmemoryPool)p->rec.handle);
  else
    CL_TRY_RELAXED(L, cuMemSetMemPool, &at, p->type, (CUmemoryPool)p->rec.handle);
  lua_settop(L, 1);
  return 1;
}

/* pool:set_access(device [, "read_write"|"none"]) */
int cl_mempool_set_access(lua_State *L) {
  const cl_Mempool *p = check(L);
  if (lua_isnoneornil(L, 2)) cl_bad_argument(L, 2, "device", "a Device or its number");
  CUmemAccessDesc d;
  memset(&d, 0, sizeof d);
  d.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  d.location.id = check_device(L, 2, "device");
  const char *access = lua_isnoneornil(L, 3) ? "read_write" : cl_check_name(L, 3, "access");
  if (!strcmp(access, "read_write"))
    d.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  else if (!strcmp(access, "none"))
    d.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  else
    cl_bad_argument(L, 3, "access", "\"read_write\" or \"none\"");
  CL_TRY_RELAXED(L, cuMemPoolSetAccess, (CUmemoryPool)p->rec.handle, &d, 1);
  lua_settop(L, 1);
  return 1;
}

/* Attributes: the driver keeps the first three as int, the others as 64-bit numbers. */
typedef union AttributeValue {
  int flag;
  cuuint64_t number;
} AttributeValue;

static CUmemPool_attribute check_attribute(lua_State *L, bool *is_flag) {
  long a = cl_check_enum(L, 2, "attribute", "mempool_attribute");
  *is_flag = a >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
             a <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
  return (CUmemPool_attribute)a;
}

int cl_mempool_get_attribute(lua_State *L) {
  const cl_Mempool *p = check(L);
  bool is_flag;
  CUmemPool_attribute a = check_attribute(L, &is_flag);
  AttributeValue value = {.number = 0};
  CL_TRY_RELAXED(L, cuMemPoolGetAttribute, (CUmemoryPool)p->rec.handle, a, &value);
  if (is_flag)
    lua_pushboolean(L, value.flag);
  else
    lua_pushnumber(L, value.number == UINT64_MAX ? HUGE_VAL : (lua_Number)value.number);
  return 1;
}

int cl_mempool_set_attribute(lua_State *L) {
  const cl_Mempool *p = check(L);
  bool is_flag;
  CUmemPool_attribute a = check_attribute(L, &is_flag);
  AttributeValue value = {.number = 0};
  if (is_flag) {
    if (!lua_isboolean(L, 3)) cl_bad_argument(L, 3, "value", "a boolean");
    value.flag = lua_toboolean(L, 3);
  } else
    value.number = check_threshold(L, 3, "value");
  CL_TRY_RELAXED(L, cuMemPoolSetAttribute, (CUmemoryPool)p->rec.handle, a, &value);
  lua_settop(L, 1);
  return 1;
}
