/* The OpenGL context of the calling thread, and its buffers. It is found by the EGL or GLX library that the
 * program has loaded; none is opened for it. What is changed in the context is put back, and no error is left
 * in it. */
#include "driver/gl.h"

#include <dlfcn.h>
#include <string.h>

typedef void (*Any)(void);

/* A library that is there already, by its name or its DT_SONAME. Libraries that LuaJIT's FFI opens are local,
 * so dlsym(RTLD_DEFAULT) would not see them. */
static void *loaded(const char *name) { return dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD); }

static Any symbol_of(void *library, const char *name) {
  Any f = NULL;
  void *at = library ? dlsym(library, name) : NULL;
  memcpy(&f, &at, sizeof f);
  return f;
}

typedef struct Loader {
  void *library;
  Any (*address)(const char *);
} Loader;

typedef struct System {
  const char *library, *current, *address;
} System;

static const System systems[] = {
    {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
    {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
    {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
};

/* The context that is current in this system, or NULL. The library stays open for the caller then. */
static void *context_in(const System *system, Loader *loader) {
  void *library = loaded(system->library);
  if (!library) return NULL;
  Any current = symbol_of(library, system->current);
  *loader = (Loader){library, (Any(*)(const char *))symbol_of(library, system->address)};
  void *context = current && loader->address ? ((void *(*)(void))current)() : NULL;
  if (!context) dlclose(library);
  return context;
}

/* Where EGL's or GLX's loader knows extensions only, core functions are exported by a library of OpenGL. */
static Any exported(const char *name) {
  static const char *const libraries[] = {"libOpenGL.so.0", "libGL.so.1", "libGLESv2.so.2"};
  Any f = NULL;
  for (size_t i = 0; !f && i < sizeof libraries / sizeof libraries[0]; i++) {
    void *library = loaded(libraries[i]);
    f = symbol_of(library, name);
    if (library) dlclose(library);
  }
  return f;
}

static Any function_of(const Loader *loader, const char *name) {
  Any f = loader->address(name);
  return f ? f : exported(name);
}

static bool can_copy_buffers(const SgGl *gl) {
  return gl->GetIntegerv && gl->GetString && gl->IsBuffer && gl->GenBuffers && gl->DeleteBuffers &&
         gl->BindBuffer && gl->BufferData && gl->GetBufferParameteri64v && gl->CopyBufferSubData &&
         gl->MapBufferRange && gl->UnmapBuffer && gl->GetError;
}

enum { GL_VERSION = 0x1f02 };

bool sg_gl_current(SgGl *gl) {
  Loader loader = {NULL, NULL};
  memset(gl, 0, sizeof *gl);
  for (size_t i = 0; !gl->context && i < sizeof systems / sizeof systems[0]; i++)
    gl->context = context_in(&systems[i], &loader);
  if (!gl->context || !loader.address) {
    sg_say(CU_LOG_LEVEL_ERROR, "No OpenGL context is current in this thread");
    return false;
  }
#define F(result, name, parameters) gl->name = (result(*) parameters)function_of(&loader, "gl" #name);
  SG_GL_FUNCTIONS(F)
#undef F
  dlclose(loader.library);
  const char *version = gl->GetString ? (const char *)gl->GetString(GL_VERSION) : NULL;
  gl->es = version && strncmp(version, "OpenGL ES", 9) == 0;
  if (version && can_copy_buffers(gl)) return true;
  sg_say(CU_LOG_LEVEL_ERROR,
         "The OpenGL context has version '%s'; the software device needs 3.2 or later, or OpenGL ES 3.0",
         SG_S(version));
  return false;
}

/* --- buffers --- */

enum {
  GL_COPY_READ_BUFFER = 0x8f36, /* is the binding's name as well */
  GL_COPY_WRITE_BUFFER = 0x8f37,
  GL_BUFFER_SIZE = 0x8764,
  GL_STREAM_COPY = 0x88e2,
  GL_MAP_READ_BIT = 1,
  GL_MAP_WRITE_BIT = 2
};

/* The two bindings that are used, as the program has them. */
typedef struct Bindings {
  int read, write;
} Bindings;

static Bindings bindings_save(const SgGl *gl) {
  Bindings b = {0, 0};
  gl->GetIntegerv(GL_COPY_READ_BUFFER, &b.read);
  gl->GetIntegerv(GL_COPY_WRITE_BUFFER, &b.write);
  return b;
}

static void bindings_restore(const SgGl *gl, Bindings b) {
  gl->BindBuffer(GL_COPY_READ_BUFFER, (unsigned)b.read);
  gl->BindBuffer(GL_COPY_WRITE_BUFFER, (unsigned)b.write);
}

int64_t sg_gl_buffer_size(const SgGl *gl, unsigned name) {
  if (!name || !gl->IsBuffer(name)) return -1;
  Bindings b = bindings_save(gl);
  int64_t size = 0;
  gl->BindBuffer(GL_COPY_READ_BUFFER, name);
  gl->GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &size);
  bindings_restore(gl, b);
  return size;
}

/* Copies go through a buffer of our own: a buffer of the program may have storage that can be neither mapped
 * nor written from the host, but any can be copied by OpenGL itself. */
static bool through(const SgGl *gl, unsigned name, void *to, const void *from, size_t bytes) {
  const unsigned theirs = from ? GL_COPY_WRITE_BUFFER : GL_COPY_READ_BUFFER,
                 ours = from ? GL_COPY_READ_BUFFER : GL_COPY_WRITE_BUFFER;
  const ptrdiff_t n = (ptrdiff_t)bytes;
  Bindings b = bindings_save(gl);
  unsigned temporary = 0;
  gl->GenBuffers(1, &temporary);
  gl->BindBuffer(ours, temporary);
  gl->BufferData(ours, n, from, GL_STREAM_COPY);
  gl->BindBuffer(theirs, name);
  void *at = NULL;
  bool good = true;
  if (from) {
    gl->CopyBufferSubData(ours, theirs, 0, 0, n);
  } else {
    gl->CopyBufferSubData(theirs, ours, 0, 0, n);
    at = gl->MapBufferRange(ours, 0, n, GL_MAP_READ_BIT);
    if (at && to) memcpy(to, at, bytes);
    good = at && gl->UnmapBuffer(ours);
  }
  bindings_restore(gl, b);
  gl->DeleteBuffers(1, &temporary);
  return good;
}

/* A mapped buffer would make an error of the copy. */
static bool is_mapped(const SgGl *gl, unsigned name) {
  enum { GL_BUFFER_MAPPED = 0x88bc, GL_BUFFER_ACCESS_FLAGS = 0x911f, GL_MAP_PERSISTENT_BIT = 0x40 };
  Bindings b = bindings_save(gl);
  int64_t mapped = 0, flags = 0;
  gl->BindBuffer(GL_COPY_READ_BUFFER, name);
  gl->GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_MAPPED, &mapped);
  if (mapped) gl->GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_ACCESS_FLAGS, &flags);
  bindings_restore(gl, b);
  if (!mapped || flags & GL_MAP_PERSISTENT_BIT) return false;
  sg_say(CU_LOG_LEVEL_ERROR, "The OpenGL buffer %u is mapped by OpenGL: unmap it with glUnmapBuffer first",
         name);
  return true;
}

bool sg_gl_buffer_read(const SgGl *gl, unsigned name, void *to, size_t bytes) {
  return !is_mapped(gl, name) && through(gl, name, to, NULL, bytes);
}

bool sg_gl_buffer_write(const SgGl *gl, unsigned name, const void *from, size_t bytes) {
  return !is_mapped(gl, name) && through(gl, name, NULL, from, bytes);
}
