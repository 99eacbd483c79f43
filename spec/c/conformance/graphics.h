/* Graphics resources of OpenGL. What a driver answers without an OpenGL context was measured on an H200,
 * driver 580. With one, the rows have that of fake_gl.c, on the software device alone: UNSURE ones were never
 * measured. */

/* cudaGL.h needs OpenGL's headers. */
CUresult cuGLInit(void);
CUresult cuGLCtxCreate_v2(CUcontext *ctx_, unsigned flags, CUdevice device);
CUresult cuGLGetDevices_v2(unsigned *count, CUdevice *devices, unsigned room, int list);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned buffer, unsigned flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource, unsigned image, unsigned target,
                                   unsigned flags);
CUresult cuGLRegisterBufferObject(unsigned buffer);
CUresult cuGLUnregisterBufferObject(unsigned buffer);
CUresult cuGLSetBufferObjectMapFlags(unsigned buffer, unsigned flags);
CUresult cuGLMapBufferObject_v2(CUdeviceptr *p, size_t *size, unsigned buffer);
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr *p, size_t *size, unsigned buffer, CUstream s);
CUresult cuGLUnmapBufferObject(unsigned buffer);
CUresult cuGLUnmapBufferObjectAsync(unsigned buffer, CUstream s);

static CUgraphicsResource no_resource; /* for the rows that concern every function */

enum {
  ALL_DEVICES = 1,
  TEXTURE_2D = 0xde1,
  CUBE_MAP = 0x8513,
  GL_R8 = 0x8229,
  GL_R32F = 0x822e,
  GL_RGB8 = 0x8051
};

static void graphics_rows(void) {
  start_module();
  ROW(cuGLInit, "no OpenGL context", INVALID_GRAPHICS_CONTEXT, ());
  ROW(cuGLGetDevices_v2, "no OpenGL context", INVALID_GRAPHICS_CONTEXT,
      ((unsigned *)&o.u, &o.dev, 1, ALL_DEVICES));
  ROW(cuGLCtxCreate_v2, "no OpenGL context", INVALID_GRAPHICS_CONTEXT, (&o.ctx, 0, dev));
  ROW(cuGLCtxCreate_v2, "NULL", INVALID_VALUE, (NULL, 0, dev));
  ROW(cuGLCtxCreate_v2, "no such device", INVALID_DEVICE, (&o.ctx, 0, 99));
  ROW(cuGraphicsGLRegisterBuffer, "no OpenGL context", INVALID_GRAPHICS_CONTEXT, (&o.graphics, 1, 0));
  ROW(cuGraphicsGLRegisterImage, "no OpenGL context", INVALID_GRAPHICS_CONTEXT,
      (&o.graphics, 1, TEXTURE_2D, 0));
  ROW(cuGLRegisterBufferObject, "no OpenGL context", INVALID_GRAPHICS_CONTEXT, (1));
  ROW(cuGraphicsMapResources, "none", INVALID_VALUE, (0, &no_resource, st));
  ROW(cuGraphicsMapResources, "NULL", INVALID_VALUE, (1, NULL, st));
  ROW(cuGraphicsUnmapResources, "none", INVALID_VALUE, (0, &no_resource, st));
  ROW(cuGraphicsUnregisterResource, "NULL", INVALID_HANDLE, (NULL));
}

#ifdef FAKE_GL
/* The functions of fake_gl.c, which is loaded here alone. */
static struct {
  void (*current)(int on);
  unsigned (*buffer)(ptrdiff_t size);
  unsigned (*texture)(int internal, int width, int height, int levels);
  unsigned char *(*buffer_data)(unsigned name);
  unsigned char *(*texture_data)(unsigned name, int level);
  void (*delete_buffer)(unsigned name);
  unsigned (*error)(void);
  int (*disturbed)(void);
} fake;

static void start_fake(void) {
  void *lib = dlopen(FAKE_GL, RTLD_NOW | RTLD_LOCAL);
  judge(lib != NULL, __LINE__, "%s: %s", FAKE_GL, lib ? "" : dlerror());
  *(void **)&fake.current = dlsym(lib, "fake_gl_current");
  *(void **)&fake.buffer = dlsym(lib, "fake_gl_buffer");
  *(void **)&fake.texture = dlsym(lib, "fake_gl_texture");
  *(void **)&fake.buffer_data = dlsym(lib, "fake_gl_buffer_data");
  *(void **)&fake.texture_data = dlsym(lib, "fake_gl_texture_data");
  *(void **)&fake.delete_buffer = dlsym(lib, "fake_gl_delete_buffer");
  *(void **)&fake.error = dlsym(lib, "fake_gl_error");
  *(void **)&fake.disturbed = dlsym(lib, "fake_gl_disturbed");
}

static CUgraphicsResource a_buffer(unsigned name) {
  CUgraphicsResource r = NULL;
  OK(cuGraphicsGLRegisterBuffer(&r, name, 0));
  return r;
}

static CUgraphicsResource an_image(unsigned name, unsigned flags) {
  CUgraphicsResource r = NULL;
  OK(cuGraphicsGLRegisterImage(&r, name, TEXTURE_2D, flags));
  return r;
}

/* The answers to wrong orders were measured on an H200, driver 580. */
static void gl_map_rows(void) {
  const unsigned name = fake.buffer(64), empty = fake.buffer(0);
  unsigned char *data = fake.buffer_data(name);
  CUgraphicsResource r = a_buffer(name), none_in_it = a_buffer(empty), image, twice[2] = {r, r};
  CUdeviceptr p = 0;
  size_t size = 0;
  memset(data, 7, 64);
  WITH(cuGraphicsMapResources, "good", SUCCESS, (void)0, (1, &r, st),
       if (WORKED) MUST(cuGraphicsUnmapResources(1, &r, st)));
  CUgraph g;
  WITH(cuGraphicsMapResources, "while another stream is captured", UNSURE(STREAM_CAPTURE_UNSUPPORTED),
       MUST(cuStreamBeginCapture_v2(cap, CU_STREAM_CAPTURE_MODE_GLOBAL)), (1, &r, st),
       (void)cuStreamEndCapture(cap, &g));
  WITH(cuGraphicsUnregisterResource, "a resource, no context is current", UNSURE(INVALID_CONTEXT),
       MUST(cuCtxSetCurrent(NULL)), (r), MUST(cuCtxSetCurrent(ctx)));
  ROW(cuGraphicsMapResources, "one of them twice", UNSURE(ALREADY_MAPPED), (2, twice, st));
  ROW(cuGraphicsMapResources, "a buffer without storage", UNSURE(MAP_FAILED_), (1, &none_in_it, st));
  ROW(cuGraphicsMapResources, "not a resource", SOFTWARE_ONLY(INVALID_HANDLE),
      (1, (CUgraphicsResource *)host, st));
  ROW(cuGraphicsMapResources, "not a stream", SOFTWARE_ONLY(INVALID_HANDLE), (1, &r, (CUstream)host));
  ROW(cuGraphicsUnmapResources, "not mapped", NOT_MAPPED, (1, &r, st));
  ROW(cuGraphicsResourceGetMappedPointer_v2, "not mapped", NOT_MAPPED, (&o.ptr, &o.size, r));
  ROW(cuGraphicsSubResourceGetMappedArray, "not mapped", UNSURE(NOT_MAPPED), (&o.array, r, 0, 0));
  WITH(cuGraphicsResourceSetMapFlags_v2, "good", SUCCESS, (void)0, (r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE),
       (void)0);
  ROW(cuGraphicsResourceSetMapFlags_v2, "no such flags", UNSURE(INVALID_VALUE), (r, 8));
  OK(cuGraphicsMapResources(1, &r, st));
  ROW(cuGraphicsMapResources, "mapped already", ALREADY_MAPPED, (1, &r, st));
  ROW(cuGraphicsUnregisterResource, "mapped", ALREADY_MAPPED, (r));
  ROW(cuGraphicsResourceSetMapFlags_v2, "mapped", UNSURE(ALREADY_MAPPED), (r, 0));
  WITH(cuGraphicsResourceGetMappedPointer_v2, "good", SUCCESS, (void)0, (&o.ptr, &o.size, r),
       HOLDS(o.size == 64));
  ROW(cuGraphicsResourceGetMappedPointer_v2, "NULL", UNSURE(INVALID_VALUE), (NULL, &o.size, r));
  ROW(cuGraphicsSubResourceGetMappedArray, "of a buffer", NOT_MAPPED_AS_ARRAY, (&o.array, r, 0, 0));
  OK(cuGraphicsResourceGetMappedPointer_v2(&p, &size, r));
  ROW(cuMemFree_v2, "a mapped buffer's", UNSURE(INVALID_VALUE), (p));
  fake.current(0);
  ROW(cuGraphicsUnmapResources, "no OpenGL context", UNSURE(INVALID_GRAPHICS_CONTEXT), (1, &r, st));
  fake.current(1);
  /* What is queued in the stream comes to OpenGL, what comes after it does not. */
  OK(cuMemsetD8Async(p, 9, 32, st));
  EQ(data[0], 7);
  OK(cuGraphicsUnmapResources(1, &r, st));
  EQ(data[0], 9);
  EQ(data[63], 7);
  ROW(cuMemsetD8_v2, "memory of a mapping that has ended", SOFTWARE_ONLY(INVALID_VALUE), (p, 1, 16));
  WITH(cuGraphicsUnmapResources, "good", SUCCESS, MUST(cuGraphicsMapResources(1, &r, st)), (1, &r, st),
       (void)0);
  /* A mapping that is only read is not copied back; one that is overwritten is not copied to CUDA. */
  OK(cuGraphicsResourceSetMapFlags_v2(r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY));
  OK(cuGraphicsMapResources(1, &r, st));
  memset(data, 3, 64);
  OK(cuGraphicsUnmapResources(1, &r, st));
  EQ(data[40], 3);
  OK(cuGraphicsResourceSetMapFlags_v2(r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
  OK(cuGraphicsMapResources(1, &r, st));
  OK(cuGraphicsResourceGetMappedPointer_v2(&p, &size, r));
  OK(cuMemcpyDtoH_v2(host, p, 64));
  TRUE(host[0] != 3); /* what fresh memory holds */
  fake.delete_buffer(name);
  ROW(cuGraphicsUnmapResources, "the buffer was deleted", ONE_WAY(UNSURE(UNMAP_FAILED)), (1, &r, st));
  WITH(cuGraphicsUnregisterResource, "good", SUCCESS, image = an_image(fake.texture(GL_R8, 3, 2, 1), 0),
       (image), (void)0);
  EQ(fake.error(), 0);
  TRUE(!fake.disturbed());
}

static void gl_image_rows(void) {
  const unsigned name = fake.texture(GL_R32F, 5, 3, 3);
  unsigned char *data = fake.texture_data(name, 1);
  CUgraphicsResource r = an_image(name, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
  CUarray a = NULL;
  CUDA_ARRAY3D_DESCRIPTOR d;
  data[4] = 11;
  OK(cuGraphicsMapResources(1, &r, st));
  ROW(cuGraphicsResourceGetMappedPointer_v2, "of an image", NOT_MAPPED_AS_POINTER, (&o.ptr, &o.size, r));
  WITH(cuGraphicsSubResourceGetMappedArray, "good", SUCCESS, (void)0, (&o.array, r, 0, 2), (void)0);
  ROW(cuGraphicsSubResourceGetMappedArray, "NULL", UNSURE(INVALID_VALUE), (NULL, r, 0, 0));
  ROW(cuGraphicsSubResourceGetMappedArray, "no such level", UNSURE(INVALID_VALUE), (&o.array, r, 0, 3));
  ROW(cuGraphicsSubResourceGetMappedArray, "no such part", UNSURE(INVALID_VALUE), (&o.array, r, 1, 0));
  OK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 1));
  OK(cuArray3DGetDescriptor_v2(&d, a));
  TRUE(d.Width == 2 && d.Height == 1 && d.Depth == 0 && d.Format == CU_AD_FORMAT_FLOAT &&
       d.NumChannels == 1 && d.Flags == CUDA_ARRAY3D_SURFACE_LDST);
  ROW(cuArrayDestroy, "of a mapped image", UNSURE(ARRAY_IS_MAPPED), (a));
  OK(cuMemcpyAtoH_v2(host, a, 0, 8));
  EQ(host[4], 11);
  host[4] = 12;
  OK(cuMemcpyHtoA_v2(a, 0, host, 8));
  EQ(data[4], 11);
  OK(cuGraphicsUnmapResources(1, &r, st));
  EQ(data[4], 12);
  ROW(cuArray3DGetDescriptor_v2, "of a mapping that has ended", SOFTWARE_ONLY(INVALID_HANDLE), (&o.solid, a));
  OK(cuGraphicsUnregisterResource(r));
  EQ(fake.error(), 0);
  TRUE(!fake.disturbed());
}

static void gl_old_rows(void) {
  const unsigned name = fake.buffer(64), other_name = fake.buffer(64);
  WITH(cuGLRegisterBufferObject, "good", SUCCESS, (void)0, (name), (void)0);
  ROW(cuGLMapBufferObject_v2, "not registered", UNSURE(INVALID_HANDLE), (&o.ptr, &o.size, other_name));
  ROW(cuGLMapBufferObjectAsync_v2, "not registered", UNSURE(INVALID_HANDLE),
      (&o.ptr, &o.size, other_name, st));
  ROW(cuGLUnmapBufferObject, "not mapped", UNSURE(NOT_MAPPED), (name));
  ROW(cuGLUnmapBufferObjectAsync, "not mapped", UNSURE(NOT_MAPPED), (name, st));
  ROW(cuGLSetBufferObjectMapFlags, "no such flags", UNSURE(INVALID_VALUE), (name, 8));
  WITH(cuGLSetBufferObjectMapFlags, "good", SUCCESS, (void)0, (name, 0), (void)0);
  WITH(cuGLMapBufferObject_v2, "good", SUCCESS, (void)0, (&o.ptr, &o.size, name), HOLDS(o.size == 64);
       MUST(cuGLUnmapBufferObject(name)));
  WITH(cuGLMapBufferObjectAsync_v2, "good", SUCCESS, (void)0, (&o.ptr, &o.size, name, st),
       HOLDS(o.size == 64);
       MUST(cuGLUnmapBufferObjectAsync(name, st)));
  WITH(cuGLUnmapBufferObject, "good", SUCCESS, MUST(cuGLMapBufferObject_v2(&o.ptr, NULL, name)), (name),
       (void)0);
  WITH(cuGLUnmapBufferObjectAsync, "good", SUCCESS, MUST(cuGLMapBufferObject_v2(&o.ptr, NULL, name)),
       (name, st), (void)0);
  ROW(cuGLUnregisterBufferObject, "not registered", UNSURE(INVALID_HANDLE), (other_name));
  WITH(cuGLUnregisterBufferObject, "good", SUCCESS, MUST(cuGLRegisterBufferObject(name)), (name), (void)0);
}

static void gl_rows(void) {
  CUcontext c;
  start_fake();
  start_module();
  ROW(cuGraphicsGLRegisterBuffer, "an EGL without a context", INVALID_GRAPHICS_CONTEXT, (&o.graphics, 1, 0));
  fake.current(1);
  const unsigned name = fake.buffer(64), image = fake.texture(GL_R8, 4, 4, 1),
                 rgb = fake.texture(GL_RGB8, 4, 4, 1);
  ROW(cuGLInit, "good", UNSURE(SUCCESS), ());
  WITH(cuGLGetDevices_v2, "good", SUCCESS, (void)0, ((unsigned *)&o.u, &o.dev, 1, ALL_DEVICES),
       HOLDS(o.u == 1 && o.dev == 0));
  ROW(cuGLGetDevices_v2, "NULL", UNSURE(INVALID_VALUE), (NULL, &o.dev, 1, ALL_DEVICES));
  ROW(cuGLGetDevices_v2, "no such list", UNSURE(INVALID_VALUE), ((unsigned *)&o.u, &o.dev, 1, 4));
  WITH(
      cuGLCtxCreate_v2, "good", SUCCESS, (void)0, (&o.ctx, 0, dev), if (WORKED) {
        MUST(cuCtxPopCurrent_v2(&c));
        MUST(cuCtxDestroy_v2(c));
      });
  WITH(cuGraphicsGLRegisterBuffer, "good", SUCCESS, (void)0, (&o.graphics, name, 0),
       if (WORKED) MUST(cuGraphicsUnregisterResource(o.graphics)));
  ROW(cuGraphicsGLRegisterBuffer, "no such buffer", INVALID_HANDLE, (&o.graphics, 63, 0));
  ROW(cuGraphicsGLRegisterBuffer, "NULL", UNSURE(INVALID_VALUE), (NULL, name, 0));
  ROW(cuGraphicsGLRegisterBuffer, "no such flags", UNSURE(INVALID_VALUE), (&o.graphics, name, 16));
  WITH(cuGraphicsGLRegisterImage, "good", SUCCESS, (void)0, (&o.graphics, image, TEXTURE_2D, 0),
       if (WORKED) MUST(cuGraphicsUnregisterResource(o.graphics)));
  ROW(cuGraphicsGLRegisterImage, "no such texture", INVALID_HANDLE, (&o.graphics, 63, TEXTURE_2D, 0));
  ROW(cuGraphicsGLRegisterImage, "no such target", UNSURE(INVALID_VALUE), (&o.graphics, image, 1, 0));
  ROW(cuGraphicsGLRegisterImage, "another target", UNSURE(INVALID_HANDLE), (&o.graphics, image, CUBE_MAP, 0));
  ROW(cuGraphicsGLRegisterImage, "three channels", UNSURE(INVALID_VALUE), (&o.graphics, rgb, TEXTURE_2D, 0));
  ROW(cuGraphicsGLRegisterImage, "no such flags", UNSURE(INVALID_VALUE),
      (&o.graphics, image, TEXTURE_2D, 16));
  EQ(fake.error(), 0);
  TRUE(!fake.disturbed());
  gl_map_rows();
  gl_image_rows();
  gl_old_rows();
  /* Resources that are left go with their context, mapped ones too. */
  CUgraphicsResource left = a_buffer(fake.buffer(64));
  OK(cuGraphicsMapResources(1, &left, st));
  OK(cuCtxDestroy_v2(ctx));
  IS(CUDA_SUCCESS, cuCtxCreate_v2(&ctx, 0, dev));
  IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuGraphicsUnregisterResource(left));
}
#endif
