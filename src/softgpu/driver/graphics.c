/* Buffers and images of OpenGL as graphics resources. On a GPU they lie in the device's memory already; here
 * mapping copies them from OpenGL, when it is called and on the calling thread, and unmapping copies them
 * back. */
#include "driver/gl.h"
#include "driver/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct SgResource {
  SgObject o;
  unsigned name;      /* of the buffer */
  bool is_image, old; /* old: of cuGLRegisterBufferObject */
  SgGlImage image;
  unsigned flags, map_flags;
  bool busy;                       /* is being mapped: allocating may let another thread in */
  bool mapped, discard, read_only; /* the latter two: how it is mapped */
  uint64_t base, serial, size;     /* a mapped buffer's memory */
  SgArray **arrays;                /* a mapped image's, level by level */
  int narrays;
} SgResource;

enum {
  READ_ONLY = CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY,
  DISCARD = CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD,
  SURFACE = CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST,
  GATHER = CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER
};

static bool access_valid(unsigned flags) { return flags == 0 || flags == READ_ONLY || flags == DISCARD; }

/* --- the calls that ask for an OpenGL context --- */

static CUresult gl_needed(SgGl *gl) {
  return sg_gl_current(gl) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
}

static CUresult gl_init(void) {
  SgGl gl;
  return gl_needed(&gl);
}

SG_API CUresult cuGLInit(void) { SG_CALL(SG_NEED_CONTEXT, gl_init(), "-"); }

/* Any device can copy from any context, so all of them are OpenGL's. */
static CUresult gl_devices(unsigned *count, CUdevice *devices, unsigned room, CUGLDeviceList list) {
  SgGl gl;
  if (!count || (room && !devices) || list < CU_GL_DEVICE_LIST_ALL || list > CU_GL_DEVICE_LIST_NEXT_FRAME)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code = gl_needed(&gl);
  if (code) return code;
  const unsigned n = list == CU_GL_DEVICE_LIST_ALL ? (unsigned)sg_state.devices : 1;
  *count = n;
  for (unsigned i = 0; i < n && i < room; i++) devices[i] = (CUdevice)i;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGLGetDevices_v2(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                                  unsigned int cudaDeviceCount, CUGLDeviceList deviceList) {
  SG_CALL(SG_NEED_INIT, gl_devices(pCudaDeviceCount, pCudaDevices, cudaDeviceCount, deviceList),
          "count=%llu list=%d", SG_OUT(pCudaDeviceCount), (int)deviceList);
}

static CUresult gl_context(CUcontext *out, unsigned flags, CUdevice device) {
  SgGl gl;
  if (!out || !sg_ctx_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (!sg_device_valid(device)) return CUDA_ERROR_INVALID_DEVICE;
  CUresult code = sg_state.device[device].sticky;
  if (!code) code = gl_needed(&gl);
  return code ? code : sg_ctx_create(out, flags, device);
}

SG_API CUresult cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device) {
  SG_CALL(SG_NEED_INIT, gl_context(pCtx, Flags, device), "ctx=0x%llx flags=%u dev=%d", SG_OUT(pCtx), Flags,
          device);
}

/* --- registering --- */

static CUresult adopt(SgResource r, CUgraphicsResource *out) {
  SgResource *kept = malloc(sizeof *kept);
  if (!kept) return CUDA_ERROR_OUT_OF_MEMORY;
  *kept = r;
  if (!sg_handle_new(SG_H_RESOURCE, &kept->o, sg_ctx())) {
    free(kept);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (out) *out = kept->o.handle;
  return CUDA_SUCCESS;
}

static CUresult register_buffer(CUgraphicsResource *out, unsigned name, unsigned flags, bool old) {
  SgGl gl;
  if (!access_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  CUresult code = gl_needed(&gl);
  if (code) return code;
  if (sg_gl_buffer_size(&gl, name) < 0) {
    sg_say(CU_LOG_LEVEL_ERROR, "There is no OpenGL buffer %u; binding the name creates it", name);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return adopt((SgResource){.name = name, .flags = flags, .old = old}, out);
}

SG_API CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, unsigned buffer,
                                           unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE,
          pCudaResource ? register_buffer(pCudaResource, buffer, Flags, false) : CUDA_ERROR_INVALID_VALUE,
          "resource=0x%llx buffer=%u flags=%u", SG_OUT(pCudaResource), buffer, Flags);
}

static CUresult register_image(CUgraphicsResource *out, unsigned name, unsigned target, unsigned flags) {
  SgGl gl;
  SgResource r = {.name = name, .is_image = true, .flags = flags};
  if (!out || !access_valid(flags & ~(unsigned)(SURFACE | GATHER))) return CUDA_ERROR_INVALID_VALUE;
  CUresult code = gl_needed(&gl);
  if (!code) code = sg_gl_image_look(&gl, name, target, &r.image);
  return code ? code : adopt(r, out);
}

SG_API CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, unsigned image, unsigned target,
                                          unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, register_image(pCudaResource, image, target, Flags),
          "resource=0x%llx image=%u target=0x%x flags=%u", SG_OUT(pCudaResource), image, target, Flags);
}

/* --- what a mapping has --- */

static SgAlloc *memory_of(const SgResource *r) {
  SgAlloc *a = r->base ? sg_arena_at(r->base) : NULL;
  return a && a->serial == r->serial ? a : NULL;
}

/* Nothing is copied back. */
static void let_go(SgResource *r) {
  SgAlloc *a = memory_of(r);
  if (a) sg_arena_free(a);
  for (int i = 0; i < r->narrays; i++) sg_array_free(&r->arrays[i]->o, false);
  free(r->arrays);
  r->arrays = NULL;
  r->narrays = 0;
  r->base = 0;
  r->mapped = false;
}

void sg_resource_free(SgObject *o, bool orphan) {
  SgResource *r = (SgResource *)o;
  let_go(r);
  sg_handle_free(o, orphan);
  free(r);
}

/* Where a level's arrays begin among all of the image. */
static int first_array(const SgGlImage *image, int level) {
  int n = 0;
  for (int i = 0; i < level; i++) n += sg_gl_image_parts(image, i);
  return n;
}

static SgArray *array_of_part(const SgResource *r, int level, CUresult *code) {
  const int *e = r->image.extent[level];
  const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = (size_t)e[0],
                                     .Height = (size_t)e[1],
                                     .Depth = sg_gl_target_solid(r->image.target) ? (size_t)e[2] : 0,
                                     .Format = r->image.channel,
                                     .NumChannels = r->image.channels,
                                     .Flags = (r->flags & SURFACE ? CUDA_ARRAY3D_SURFACE_LDST : 0u) |
                                              (r->flags & GATHER ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u)};
  SgArray *a = sg_array_new(&d, r->o.ctx, code);
  if (a) a->mapped = true;
  return a;
}

static CUresult make_arrays(SgResource *r) {
  CUresult code = CUDA_SUCCESS;
  r->arrays = calloc((size_t)first_array(&r->image, r->image.levels), sizeof *r->arrays);
  if (!r->arrays) return CUDA_ERROR_OUT_OF_MEMORY;
  for (int level = 0; level < r->image.levels; level++)
    for (int part = sg_gl_image_parts(&r->image, level); part > 0; part--) {
      SgArray *a = array_of_part(r, level, &code);
      if (!a) return code;
      r->arrays[r->narrays++] = a;
    }
  return CUDA_SUCCESS;
}

/* Texels of a level, between where OpenGL has them in one piece and the arrays of its parts. */
static void spread(const SgResource *r, int level, uint8_t *texels, bool into_arrays) {
  const int first = first_array(&r->image, level), n = sg_gl_image_parts(&r->image, level);
  const size_t bytes = sg_gl_image_bytes(&r->image, level) / (size_t)n;
  for (int i = 0; i < n; i++) {
    SgAlloc *a = r->arrays[first + i]->storage;
    uint8_t *there = (uint8_t *)(uintptr_t)a->base, *here = texels + (size_t)i * bytes;
    if (into_arrays) sg_memory_written(a->base, bytes);
    memcpy(into_arrays ? there : here, into_arrays ? here : there, bytes);
  }
}

static bool copy_image(const SgGl *gl, const SgResource *r, bool into_arrays) {
  bool good = true;
  for (int level = 0; good && level < r->image.levels; level++) {
    uint8_t *texels = malloc(sg_gl_image_bytes(&r->image, level));
    if (!texels) return false;
    if (into_arrays) good = sg_gl_image_read(gl, &r->image, level, texels);
    if (good) spread(r, level, texels, into_arrays);
    if (!into_arrays) good = sg_gl_image_write(gl, &r->image, level, texels);
    free(texels);
  }
  return good;
}

static bool copy_buffer(const SgGl *gl, const SgResource *r, bool into_memory) {
  SgAlloc *a = memory_of(r);
  void *p = (void *)(uintptr_t)r->base;
  if (!a) return false;
  if (!into_memory) return sg_gl_buffer_write(gl, r->name, p, r->size);
  sg_memory_written(r->base, r->size);
  return sg_gl_buffer_read(gl, r->name, p, r->size);
}

/* --- mapping --- */

static void say_once(void) {
  static bool said;
  if (said) return;
  said = true;
  sg_say(CU_LOG_LEVEL_WARNING,
         "The software device shares no memory with OpenGL: mapping a resource copies it from OpenGL, "
         "unmapping copies it back");
}

static CUresult map_buffer(const SgGl *gl, SgResource *r) {
  const int64_t size = sg_gl_buffer_size(gl, r->name);
  if (size <= 0) {
    sg_say(CU_LOG_LEVEL_ERROR, "The OpenGL buffer %u %s", r->name,
           size ? "was deleted after it was registered" : "has no storage: call glBufferData first");
    return CUDA_ERROR_MAP_FAILED;
  }
  SgAlloc *a = sg_alloc_hard(r->o.ctx->device, (uint64_t)size, SG_GRAPHICS, r->o.ctx->o.id);
  if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
  r->base = a->base;
  r->serial = a->serial;
  r->size = (uint64_t)size;
  return r->discard || copy_buffer(gl, r, true) ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

static CUresult map_image(const SgGl *gl, SgResource *r) {
  CUresult code = make_arrays(r);
  if (code) return code;
  return r->discard || copy_image(gl, r, true) ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

static CUresult map_one(const SgGl *gl, SgResource *r) {
  r->discard = (r->flags | r->map_flags) & DISCARD;
  r->read_only = (r->flags | r->map_flags) & READ_ONLY;
  r->busy = true;
  CUresult code = r->is_image ? map_image(gl, r) : map_buffer(gl, r);
  r->busy = false;
  if (code)
    let_go(r);
  else
    r->mapped = true;
  return code;
}

/* What comes after the look at the resources: a GPU's driver says first that a handle is none (measured on an
 * H200, driver 580). */
static CUresult context_good(bool unsafe) {
  CUresult code;
  const SgContext *ctx = sg_current(&code);
  if (ctx) code = sg_health(ctx);
  return !code && unsafe ? sg_capture_unsafe() : code;
}

static SgResource *resource_get(CUgraphicsResource handle, bool unsafe, CUresult *code) {
  SgResource *r = sg_handle_get(SG_H_RESOURCE, handle, code);
  if (r) *code = context_good(unsafe);
  return *code ? NULL : r;
}

/* All resources of a list are ones, and the calling thread may map. */
static CUresult check_handles(unsigned count, const CUgraphicsResource *list) {
  if (!count || !list) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; i++) {
    CUresult code;
    if (!sg_handle_get(SG_H_RESOURCE, list[i], &code)) return code;
  }
  return context_good(true);
}

/* Each named once, and all mapped or none. */
static CUresult check_list(unsigned count, const CUgraphicsResource *list, bool mapped) {
  CUresult code = check_handles(count, list);
  for (unsigned i = 0; !code && i < count; i++) {
    const SgResource *r = sg_handle_get(SG_H_RESOURCE, list[i], &code);
    bool twice = false;
    for (unsigned k = 0; k < i; k++) twice |= list[k] == list[i];
    if (mapped && (!r->mapped || twice)) return CUDA_ERROR_NOT_MAPPED;
    if (!mapped && (r->mapped || r->busy || twice)) return CUDA_ERROR_ALREADY_MAPPED;
  }
  return code;
}

static SgResource *resource_in(const CUgraphicsResource *list, unsigned i) {
  CUresult code;
  return sg_handle_get(SG_H_RESOURCE, list[i], &code);
}

static CUresult map(unsigned count, const CUgraphicsResource *list, CUstream stream) {
  SgGl gl;
  CUresult code = check_list(count, list, false);
  if (code) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->branch) return sg_capture_refuse(s, "cuGraphicsMapResources");
  code = gl_needed(&gl);
  for (unsigned i = 0; !code && i < count; i++) {
    code = map_one(&gl, resource_in(list, i));
    for (unsigned k = 0; code && k < i; k++) let_go(resource_in(list, k));
  }
  if (!code) say_once();
  return code;
}

SG_API CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources, CUstream hStream) {
  SG_CALL(SG_NEED_INIT, map(count, resources, hStream), "count=%u resource=0x%llx stream=0x%llx", count,
          count && resources ? SG_X(resources[0]) : 0ULL, SG_X(hStream));
}

/* --- unmapping --- */

/* What runs in the stream when all before it is done. */
static CUresult wait_in(SgStream *s) {
  static const SgOpType type = {.name = "unmap", .lasts = SG_HINT_NS};
  SgOp *op = malloc(sizeof *op);
  if (!op) return CUDA_ERROR_OUT_OF_MEMORY;
  *op = (SgOp){.type = &type};
  return sg_stream_submit_wait(s, op);
}

/* Its memory goes, whether OpenGL takes the contents or not. */
static CUresult unmap_one(const SgGl *gl, SgResource *r) {
  bool good = r->read_only || (r->is_image ? copy_image(gl, r, false) : copy_buffer(gl, r, false));
  if (!good)
    sg_say(CU_LOG_LEVEL_ERROR, "The %s %u of OpenGL could not be written: what CUDA computed is lost",
           r->is_image ? "image" : "buffer", r->name);
  let_go(r);
  return good ? CUDA_SUCCESS : CUDA_ERROR_UNMAP_FAILED;
}

/* A buffer may have been deleted, or have got another size. */
static bool buffer_still_so(const SgGl *gl, const SgResource *r) {
  return r->is_image || r->read_only || sg_gl_buffer_size(gl, r->name) == (int64_t)r->size;
}

static CUresult unmap(unsigned count, const CUgraphicsResource *list, CUstream stream) {
  SgGl gl;
  CUresult code = check_list(count, list, true);
  if (code) return code;
  SgStream *s = sg_stream_get(stream, &code);
  if (!s) return code;
  if (s->branch) return sg_capture_refuse(s, "cuGraphicsUnmapResources");
  code = gl_needed(&gl);
  if (!code) code = wait_in(s);
  if (!code) code = check_list(count, list, true); /* a host function may have let another thread in */
  if (code) return code;
  for (unsigned i = 0; i < count; i++) {
    SgResource *r = resource_in(list, i);
    CUresult one = CUDA_ERROR_UNMAP_FAILED;
    if (buffer_still_so(&gl, r)) {
      one = unmap_one(&gl, r);
    } else {
      sg_say(CU_LOG_LEVEL_ERROR, "The OpenGL buffer %u was deleted or resized while it was mapped", r->name);
      let_go(r);
    }
    if (!code) code = one;
  }
  return code;
}

SG_API CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                         CUstream hStream) {
  SG_CALL(SG_NEED_INIT, unmap(count, resources, hStream), "count=%u resource=0x%llx stream=0x%llx", count,
          count && resources ? SG_X(resources[0]) : 0ULL, SG_X(hStream));
}

static CUresult unregister(CUgraphicsResource handle) {
  CUresult code;
  SgResource *r = resource_get(handle, true, &code);
  if (!r) return code;
  if (r->mapped || r->busy) return CUDA_ERROR_ALREADY_MAPPED; /* measured on an H200, driver 580 */
  sg_resource_free(&r->o, false);
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
  SG_CALL(SG_NEED_INIT, unregister(resource), "resource=0x%llx", SG_X(resource));
}

/* --- asking --- */

static CUresult set_map_flags(SgResource *r, unsigned flags) {
  if (!access_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (r->mapped) return CUDA_ERROR_ALREADY_MAPPED;
  r->map_flags = flags;
  return CUDA_SUCCESS;
}

static CUresult resource_set_map_flags(CUgraphicsResource handle, unsigned flags) {
  CUresult code;
  SgResource *r = resource_get(handle, false, &code);
  return r ? set_map_flags(r, flags) : code;
}

SG_API CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags) {
  SG_CALL(SG_NEED_INIT, resource_set_map_flags(resource, flags), "resource=0x%llx flags=%u", SG_X(resource),
          flags);
}

static CUresult mapped_pointer(CUdeviceptr *out, size_t *size, CUgraphicsResource handle) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgResource *r = resource_get(handle, false, &code);
  if (!r) return code;
  if (!r->mapped) return CUDA_ERROR_NOT_MAPPED;
  if (r->is_image) return CUDA_ERROR_NOT_MAPPED_AS_POINTER;
  *out = r->base;
  if (size) *size = r->size;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
                                                      CUgraphicsResource resource) {
  SG_CALL(SG_NEED_INIT, mapped_pointer(pDevPtr, pSize, resource), "ptr=0x%llx size=%llu resource=0x%llx",
          SG_OUT(pDevPtr), SG_OUT(pSize), SG_X(resource));
}

static CUresult mapped_array(CUarray *out, CUgraphicsResource handle, unsigned index, unsigned level) {
  CUresult code;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const SgResource *r = resource_get(handle, false, &code);
  if (!r) return code;
  if (!r->mapped) return CUDA_ERROR_NOT_MAPPED;
  if (!r->is_image) return CUDA_ERROR_NOT_MAPPED_AS_ARRAY;
  if (level >= (unsigned)r->image.levels || index >= (unsigned)sg_gl_image_parts(&r->image, (int)level))
    return CUDA_ERROR_INVALID_VALUE;
  *out = r->arrays[first_array(&r->image, (int)level) + (int)index]->o.handle;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
                                                    unsigned int arrayIndex, unsigned int mipLevel) {
  SG_CALL(SG_NEED_INIT, mapped_array(pArray, resource, arrayIndex, mipLevel),
          "array=0x%llx resource=0x%llx index=%u level=%u", SG_OUT(pArray), SG_X(resource), arrayIndex,
          mipLevel);
}

/* --- buffers by their OpenGL name, as before graphics resources --- */

typedef struct Search {
  unsigned name;
  SgResource *found;
} Search;

static void by_name(SgObject *o, void *arg) {
  SgResource *r = (SgResource *)o;
  Search *s = arg;
  if (r->old && r->name == s->name) s->found = r;
}

/* NULL and 400: it was not registered in the current context. */
static SgResource *old_resource(unsigned name, CUresult *code) {
  Search s = {name, NULL};
  sg_handles_each(SG_H_RESOURCE, sg_ctx(), by_name, &s);
  *code = s.found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  return s.found;
}

/* That there is no OpenGL context is said before that streams are captured: measured on an H200, driver 580.
 */
static CUresult old_register(unsigned name) {
  SgGl gl;
  CUresult code = gl_needed(&gl);
  if (!code) code = sg_capture_unsafe();
  if (code) return code;
  return old_resource(name, &code) ? CUDA_SUCCESS : register_buffer(NULL, name, 0, true);
}

SG_API CUresult cuGLRegisterBufferObject(unsigned buffer) {
  SG_CALL(SG_NEED_CONTEXT, old_register(buffer), "buffer=%u", buffer);
}

static CUresult old_unregister(unsigned name) {
  CUresult code;
  const SgResource *r = old_resource(name, &code);
  return r ? unregister(r->o.handle) : code;
}

SG_API CUresult cuGLUnregisterBufferObject(unsigned buffer) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, old_unregister(buffer), "buffer=%u", buffer);
}

static CUresult old_flags(unsigned name, unsigned flags) {
  CUresult code;
  SgResource *r = old_resource(name, &code);
  return r ? set_map_flags(r, flags) : code;
}

SG_API CUresult cuGLSetBufferObjectMapFlags(unsigned buffer, unsigned int Flags) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, old_flags(buffer, Flags), "buffer=%u flags=%u", buffer, Flags);
}

static CUresult old_map(CUdeviceptr *out, size_t *size, unsigned name, CUstream stream) {
  CUresult code;
  if (!out && !size) return CUDA_ERROR_INVALID_VALUE;
  const SgResource *r = old_resource(name, &code);
  if (!r) return code;
  CUgraphicsResource handle = r->o.handle;
  code = map(1, &handle, stream);
  if (code) return code;
  if (out) *out = r->base;
  if (size) *size = r->size;
  return CUDA_SUCCESS;
}

SG_API CUresult cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, unsigned buffer) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, old_map(dptr, size, buffer, NULL), "ptr=0x%llx size=%llu buffer=%u",
          SG_OUT(dptr), SG_OUT(size), buffer);
}

SG_API CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, unsigned buffer,
                                            CUstream hStream) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, old_map(dptr, size, buffer, hStream),
          "ptr=0x%llx size=%llu buffer=%u stream=0x%llx", SG_OUT(dptr), SG_OUT(size), buffer, SG_X(hStream));
}

static CUresult old_unmap(unsigned name, CUstream stream) {
  CUresult code;
  const SgResource *r = old_resource(name, &code);
  if (!r) return code;
  CUgraphicsResource handle = r->o.handle;
  return unmap(1, &handle, stream);
}

SG_API CUresult cuGLUnmapBufferObject(unsigned buffer) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, old_unmap(buffer, NULL), "buffer=%u", buffer);
}

SG_API CUresult cuGLUnmapBufferObjectAsync(unsigned buffer, CUstream hStream) {
  SG_CALL(SG_NEED_CONTEXT | SG_UNSAFE, old_unmap(buffer, hStream), "buffer=%u stream=0x%llx", buffer,
          SG_X(hStream));
}
