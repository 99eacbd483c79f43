/* OpenGL's buffers and images as memory of CUDA: RegisteredBuffer, RegisteredImage, and RegisteredMapping,
 * whose pointer and arrays are there until it is unmapped.
 *
 * Unmapping and unregistering need the GL context, which is current in one thread at most, so no finalizer
 * does either: it leaves the resource in a list, which the next call of cudalua.gl empties with that context
 * current. What is never fetched from there goes with its CUDA context. */
#include "memory/array.h"
#include "memory/copy.h"
#include "base/lock.h"
#include "streams/activity.h"
#include "streams/wait.h"

#include <dlfcn.h>
#include <stdlib.h>

/* --- the GL context of this thread --- */

/* No library is opened for it: a program with a GL context has one. */
static void *current_in(const char *library, const char *function) {
  void *lib = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD), *(*current)(void) = NULL;
  if (!lib) return NULL;
  *(void **)&current = dlsym(lib, function);
  void *context = current ? current() : NULL;
  dlclose(lib);
  return context;
}

static void *current_gl(void) {
  void *context = current_in("libEGL.so.1", "eglGetCurrentContext");
  if (!context) context = current_in("libGLX.so.0", "glXGetCurrentContext");
  return context ? context : current_in("libGL.so.1", "glXGetCurrentContext");
}

/* The driver may crash without one. */
static void *check_gl(lua_State *L, const char *what) {
  void *gl = current_gl();
  if (gl) return gl;
  cl_fail_new(L, what, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  lua_pushliteral(L, "no OpenGL context is current in this thread: make one current (gl.headless{} makes one "
                     "without a window), then call this again");
  lua_setfield(L, -2, "hint");
  return (void *)(intptr_t)cl_throw(L);
}

/* gl_current() -> the GL context as a number, or nil */
int cl_gl_current(lua_State *L) {
  const void *gl = current_gl();
  if (!gl) return 0;
  lua_pushnumber(L, (lua_Number)(uintptr_t)gl);
  return 1;
}

/* --- records --- */

/* What a finalizer leaves to a later call. Made with the record, so that leaving it cannot fail. */
typedef struct Left {
  struct Left *next;
  CUgraphicsResource handle;
  void *gl;
  cl_Rec *context; /* holds one reference */
  bool mapped;     /* to be unmapped; false: to be unregistered */
} Left;

typedef struct Resource {
  cl_Rec rec;
  void *gl; /* the GL context that it was registered in */
  unsigned name;
  bool returned; /* the driver has it back */
  Left *left;
  struct Mapping *_Atomic mapping; /* while it is mapped; holds no reference */
} Resource;

/* A block of memory for those who launch and copy: it remembers the streams that work on it. */
typedef struct Mapping {
  cl_Allocation a; /* parent: the resource */
  bool image, returned;
  bool has_arrays; /* was asked for arrays: who works on those is not known */
  Left *left;
} Mapping;

CL_LOCK(left_lock);
static Left *left_first, **left_last = &left_first;
static _Atomic uint32_t left_count;

static void leave(Left *left) {
  pthread_mutex_lock(&left_lock);
  left->next = NULL;
  *left_last = left;
  left_last = &left->next;
  left_count++;
  pthread_mutex_unlock(&left_lock);
}

static void drop_left(Left *left) {
  if (!left) return;
  cl_rec_release(left->context);
  free(left);
}

static Left *new_left(cl_Rec *context, void *gl, bool mapped) {
  Left *left = calloc(1, sizeof *left);
  if (left) *left = (Left){.gl = gl, .context = cl_rec_retain(context), .mapped = mapped};
  return left;
}

static CUresult resource_destroy(cl_Rec *r) {
  Resource *o = (Resource *)r;
  if (o->returned) return CUDA_SUCCESS;
  leave(o->left);
  o->left = NULL;
  return CUDA_SUCCESS;
}

static void resource_dispose(cl_Rec *r) { drop_left(((Resource *)r)->left); }

CL_FAMILY(CL_GL_BUFFER, .destroy = resource_destroy, .dispose = resource_dispose);
CL_FAMILY(CL_GL_IMAGE, .destroy = resource_destroy, .dispose = resource_dispose);

static CUresult mapping_destroy(cl_Rec *r) {
  Mapping *m = (Mapping *)r;
  ((Resource *)r->parent)->mapping = NULL;
  if (m->returned) return CUDA_SUCCESS;
  leave(m->left);
  m->left = NULL;
  return CUDA_SUCCESS;
}

static void mapping_dispose(cl_Rec *r) {
  Mapping *m = (Mapping *)r;
  if (((Resource *)r->parent)->mapping == m)
    ((Resource *)r->parent)->mapping = NULL; /* on a device that is lost */
  cl_order_close(&m->a.order, cl_rec_context(r));
  drop_left(m->left);
}

static bool never_busy(const cl_Rec *r) {
  (void)r;
  return false;
}

CL_FAMILY(CL_GL_MAPPING, .destroy = mapping_destroy, .dispose = mapping_dispose, .busy = never_busy);

/* --- what finalizers left --- */

/* Takes the oldest one that this GL context can give back, or whose CUDA context is gone. */
static Left *take_left(const void *gl) {
  pthread_mutex_lock(&left_lock);
  Left **at = &left_first;
  while (*at && (*at)->gl != gl && cl_rec_live((*at)->context)) at = &(*at)->next;
  Left *left = *at;
  if (left) {
    *at = left->next;
    if (left_last == &left->next) left_last = at;
    left_count--;
  }
  pthread_mutex_unlock(&left_lock);
  return left;
}

/* Nobody knows in which streams the memory of a dropped mapping was used. */
static CUresult give_back(Left *left) {
  if (!left->mapped) return CU.cuGraphicsUnregisterResource(left->handle);
  CUresult code = cl_wait_context_anyway();
  return code ? code : CU.cuGraphicsUnmapResources(1, &left->handle, NULL);
}

/* Called first by everything that has a GL context. In a capture it is put off. */
static void fetch_left(lua_State *L, const void *gl) {
  (void)L;
  if (!left_count || cl_forked || cl_captures) return;
  for (Left *left; (left = take_left(gl)); drop_left(left)) {
    CUcontext popped;
    if (!cl_rec_live(left->context) || cl_poison[((const cl_Context *)left->context)->device]) continue;
    CUresult code = CU.cuCtxPushCurrent_v2((CUcontext)left->context->handle);
    if (!code) {
      code = give_back(left);
      CU.cuCtxPopCurrent_v2(&popped);
    }
    cl_note_failure(code);
  }
}

/* gl_left() -> how many resources and mappings are left to a later call with their GL context */
int cl_gl_left(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)left_count);
  return 1;
}

/* gl_fetch_left(): gives back what can be */
int cl_gl_fetch_left(lua_State *L) {
  const void *gl = current_gl();
  if (gl) fetch_left(L, gl);
  return 0;
}

/* --- registering --- */

static Resource *push_resource(lua_State *L, cl_Kind kind, void *gl, unsigned name) {
  Resource *r = cl_push_in_current(L, kind, sizeof(cl_Object), sizeof *r);
  r->gl = gl;
  r->name = name;
  r->left = new_left(r->rec.parent, gl, false);
  if (!r->left) luaL_error(L, "not enough memory");
  return r;
}

static int registered(Resource *r, CUgraphicsResource handle) {
  r->rec.handle = (uint64_t)(uintptr_t)handle;
  r->left->handle = handle;
  r->rec.life = CL_LIVE;
  return 1;
}

static void bad_name(lua_State *L, const char *call, CUresult code, const char *hint) {
  cl_fail_new(L, call, code);
  if (code == CUDA_ERROR_INVALID_HANDLE) {
    lua_pushstring(L, hint);
    lua_setfield(L, -2, "hint");
  }
  cl_throw(L);
}

/* gl_register_buffer(name, flags) -> RegisteredBuffer */
int cl_gl_register_buffer(lua_State *L) {
  unsigned name = (unsigned)cl_check_int(L, 1, "bufobj", 0, UINT32_MAX);
  unsigned flags = (unsigned)cl_check_flags(L, 2, "flags", "graphics_register_flags", -1);
  void *gl = check_gl(L, "cuGraphicsGLRegisterBuffer");
  cl_refuse_in_capture(L, "RegisteredBuffer");
  fetch_left(L, gl);
  Resource *r = push_resource(L, CL_GL_BUFFER, gl, name);
  CUgraphicsResource handle = NULL;
  CUresult code = CU.cuGraphicsGLRegisterBuffer(&handle, name, flags);
  if (code)
    bad_name(
        L, "cuGraphicsGLRegisterBuffer", code,
        "the GL context has no buffer of that name; glBindBuffer creates it when it first binds the name");
  return registered(r, handle);
}

/* gl_register_image(name, target, flags) -> RegisteredImage */
int cl_gl_register_image(lua_State *L) {
  unsigned name = (unsigned)cl_check_int(L, 1, "image", 0, UINT32_MAX);
  unsigned target = (unsigned)cl_check_int(L, 2, "target", 0, UINT32_MAX);
  unsigned flags = (unsigned)cl_check_flags(L, 3, "flags", "graphics_register_flags", -1);
  void *gl = check_gl(L, "cuGraphicsGLRegisterImage");
  cl_refuse_in_capture(L, "RegisteredImage");
  fetch_left(L, gl);
  Resource *r = push_resource(L, CL_GL_IMAGE, gl, name);
  CUgraphicsResource handle = NULL;
  CUresult code = CU.cuGraphicsGLRegisterImage(&handle, name, target, flags);
  if (code)
    bad_name(L, "cuGraphicsGLRegisterImage", code,
             "the GL context has no texture or renderbuffer of that name for this target");
  return registered(r, handle);
}

static Resource *check_resource(lua_State *L) {
  const cl_Object *o = cl_to(L, 1);
  cl_Kind kind = o && o->kind == CL_GL_IMAGE ? CL_GL_IMAGE : CL_GL_BUFFER;
  return (Resource *)((const cl_Object *)cl_check(L, 1, kind))->rec;
}

/* resource:gl_handle() -> the name in OpenGL */
int cl_gl_handle(lua_State *L) {
  lua_pushnumber(L, check_resource(L)->name);
  return 1;
}

/* resource:set_map_flags(flags) */
int cl_gl_set_map_flags(lua_State *L) {
  const Resource *r = check_resource(L);
  unsigned flags = (unsigned)cl_check_flags(L, 2, "flags", "graphics_map_flags", -1);
  check_gl(L, "cuGraphicsResourceSetMapFlags_v2");
  CL_TRY(L, cuGraphicsResourceSetMapFlags_v2, (CUgraphicsResource)r->rec.handle, flags);
  return 0;
}

/* --- mapping --- */

static void check_stream(lua_State *L, const cl_Stream *s, const char *what) {
  if (cl_captures && cl_capture_id(s))
    cl_logic(L, "%s is not possible in a stream that is being captured: call it before or after the capture",
             what);
  cl_refuse_in_capture(L, what);
}

/* resource:map([stream]) -> RegisteredMapping */
int cl_gl_map(lua_State *L) {
  lua_settop(L, 2);
  Resource *r = check_resource(L);
  cl_check_here(L, &r->rec, "map");
  cl_Stream *s = cl_check_stream(L, 2, "map", cl_rec_context(&r->rec));
  void *gl = check_gl(L, "cuGraphicsMapResources");
  check_stream(L, s, "map");
  fetch_left(L, gl);
  cl_Object *o = cl_push(L, CL_GL_MAPPING, sizeof *o);
  Mapping *m = (Mapping *)cl_rec_new(CL_GL_MAPPING, sizeof *m, &r->rec);
  o->rec = &m->a.rec;
  if (m) m->left = new_left(r->rec.parent, r->gl, true);
  if (!m || !m->left) luaL_error(L, "not enough memory");
  if (!cl_rec_live(&r->rec)) cl_dead(L, cl_to(L, 1)); /* a finalizer may have done anything */
  cl_still_current(L, cl_rec_context(&r->rec));
  CUgraphicsResource handle = (CUgraphicsResource)r->rec.handle;
  CL_TRY(L, cuGraphicsMapResources, 1, &handle, cl_stream_handle(s));
  cl_log_clear(); /* the software device says once that it copies; so does cudalua.gl */
  m->a.rec.handle = r->rec.handle;
  m->left->handle = handle;
  m->image = r->rec.kind == CL_GL_IMAGE;
  m->a.origin = CL_BLOCK;
  m->a.rec.tracks = true;
  cl_order_open(&m->a.order, s);
  r->mapping = m;
  m->a.rec.life = CL_LIVE;
  return 1;
}

static Mapping *check_mapping(lua_State *L) {
  return (Mapping *)((const cl_Object *)cl_check(L, 1, CL_GL_MAPPING))->rec;
}

/* mapping:device_ptr_and_size() -> DevicePointer, bytes */
int cl_gl_pointer(lua_State *L) {
  const Mapping *m = check_mapping(L);
  CUdeviceptr p = 0;
  size_t size = 0;
  CL_TRY(L, cuGraphicsResourceGetMappedPointer_v2, &p, &size, (CUgraphicsResource)m->a.rec.handle);
  cl_push_pointer(L, 1, p, size);
  lua_pushnumber(L, (lua_Number)size);
  return 2;
}

/* mapping:array([index [, level]]) -> Array */
int cl_gl_array(lua_State *L) {
  Mapping *m = check_mapping(L);
  unsigned index = lua_isnoneornil(L, 2) ? 0 : (unsigned)cl_check_int(L, 2, "index", 0, INT32_MAX);
  unsigned level = lua_isnoneornil(L, 3) ? 0 : (unsigned)cl_check_int(L, 3, "level", 0, INT32_MAX);
  CUarray array = NULL;
  CL_TRY(L, cuGraphicsSubResourceGetMappedArray, &array, (CUgraphicsResource)m->a.rec.handle, index, level);
  m->has_arrays = true;
  cl_push_array_view(L, array, &m->a.rec);
  return 1;
}

/* Has the driver unmap it in s, behind all work on its memory; raises where it did not. */
static void unmap(lua_State *L, Mapping *m, cl_Stream *s) {
  CUgraphicsResource handle = (CUgraphicsResource)m->a.rec.handle;
  cl_memory_before_free(L, &m->a, s, "unmap");
  cl_tie_up();
  if (cl_interrupts_on()) CL_RUN_HOOKS(cl_on_waiting_close, L);
  if (m->has_arrays) CL_TRY_WAIT(L, cuCtxSynchronize, cl_wait_context(L));
  CUresult code = cl_order_join(&m->a.order, s);
  if (code) cl_fail(L, "cuStreamWaitEvent", code);
  code = CU.cuGraphicsUnmapResources(1, &handle, cl_stream_handle(s));
  m->returned = !code || code == CUDA_ERROR_UNMAP_FAILED; /* then the contents are lost, and it is unmapped */
  if (m->returned) cl_rec_close_here(L, &m->a.rec);
  if (code) cl_fail(L, "cuGraphicsUnmapResources", code);
}

/* mapping:unmap([stream]): nil is the stream that it was mapped in */
int cl_gl_unmap(lua_State *L) {
  lua_settop(L, 2);
  Mapping *m = check_mapping(L);
  cl_check_here(L, &m->a.rec, "unmap");
  cl_Stream *s = lua_isnil(L, 2) ? cl_order_stream(&m->a.order)
                                 : cl_check_stream(L, 2, "unmap", cl_rec_context(&m->a.rec));
  void *gl = check_gl(L, "cuGraphicsUnmapResources");
  check_stream(L, s, "unmap");
  fetch_left(L, gl);
  unmap(L, m, s);
  return 0;
}

/* resource:unregister(): unmaps it before, if it is mapped */
int cl_gl_unregister(lua_State *L) {
  Resource *r = check_resource(L);
  cl_check_here(L, &r->rec, "unregister");
  void *gl = check_gl(L, "cuGraphicsUnregisterResource");
  cl_refuse_in_capture(L, "unregister");
  fetch_left(L, gl);
  Mapping *m = r->mapping;
  if (m) {
    cl_Stream *s = cl_order_stream(&m->a.order);
    check_stream(L, s, "unregister");
    unmap(L, m, s);
  }
  CL_TRY(L, cuGraphicsUnregisterResource, (CUgraphicsResource)r->rec.handle);
  r->returned = true;
  cl_rec_close_here(L, &r->rec);
  return 0;
}

/* --- devices --- */

/* gl_devices(list) -> {Device, ...}; list: 1 all, 2 of the current frame, 3 of the next one */
int cl_gl_devices(lua_State *L) {
  unsigned count = 0;
  CUdevice devices[CL_MAX_DEVICES];
  int list = (int)cl_check_int(L, 1, "list", 1, 3);
  fetch_left(L, check_gl(L, "cuGLGetDevices_v2"));
  CL_TRY(L, cuGLGetDevices_v2, &count, devices, CL_MAX_DEVICES, list);
  if (count > CL_MAX_DEVICES) count = CL_MAX_DEVICES;
  lua_createtable(L, (int)count, 0);
  for (unsigned i = 0; i < count; i++) {
    cl_push_device(L, devices[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  return 1;
}

/* gl_present() -> does the driver have the functions for OpenGL? */
int cl_gl_present(lua_State *L) {
  int count = 0;
  CL_TRY(L, cuDeviceGetCount, &count); /* which starts the driver */
  lua_pushboolean(L, cl_entry_present((const void *)CU.cuGraphicsGLRegisterBuffer));
  return 1;
}
