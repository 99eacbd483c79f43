-- The functions and constants of OpenGL that computing and drawing without a window needs. Others are a line here.

local egl = require "cudalua.gl.egl"
local errors = require "cudalua.base.errors"
local library = require "cudalua.gl.library"

local prototypes = [[
  unsigned glGetError(void);
  const char *glGetString(unsigned name);
  void glGetIntegerv(unsigned name, int *value);
  void glEnable(unsigned what);
  void glDisable(unsigned what);
  void glFlush(void);
  void glFinish(void);
  void glViewport(int x, int y, int width, int height);
  void glClearColor(float r, float g, float b, float a);
  void glClear(unsigned mask);
  void glBlendFunc(unsigned source, unsigned destination);
  void glPixelStorei(unsigned name, int value);
  void glReadPixels(int x, int y, int width, int height, unsigned format, unsigned type, void *pixels);
  void glGenBuffers(int n, unsigned *buffers);
  void glDeleteBuffers(int n, const unsigned *buffers);
  void glBindBuffer(unsigned target, unsigned buffer);
  void glBufferData(unsigned target, ptrdiff_t size, const void *data, unsigned usage);
  void glBufferSubData(unsigned target, ptrdiff_t offset, ptrdiff_t size, const void *data);
  void glGetBufferSubData(unsigned target, ptrdiff_t offset, ptrdiff_t size, void *data);
  void glBindBufferBase(unsigned target, unsigned index, unsigned buffer);
  void glGenTextures(int n, unsigned *textures);
  void glDeleteTextures(int n, const unsigned *textures);
  void glActiveTexture(unsigned unit);
  void glBindTexture(unsigned target, unsigned texture);
  void glTexParameteri(unsigned target, unsigned name, int value);
  void glTexImage2D(unsigned target, int level, int internal, int w, int h, int, unsigned, unsigned, const void *);
  void glTexImage3D(unsigned, int level, int internal, int w, int h, int d, int, unsigned, unsigned, const void *);
  void glGetTexImage(unsigned target, int level, unsigned format, unsigned type, void *pixels);
  void glGenRenderbuffers(int n, unsigned *renderbuffers);
  void glDeleteRenderbuffers(int n, const unsigned *renderbuffers);
  void glBindRenderbuffer(unsigned target, unsigned renderbuffer);
  void glRenderbufferStorage(unsigned target, unsigned format, int width, int height);
  void glGenFramebuffers(int n, unsigned *framebuffers);
  void glDeleteFramebuffers(int n, const unsigned *framebuffers);
  void glBindFramebuffer(unsigned target, unsigned framebuffer);
  void glFramebufferRenderbuffer(unsigned target, unsigned attachment, unsigned kind, unsigned renderbuffer);
  void glFramebufferTexture2D(unsigned target, unsigned attachment, unsigned kind, unsigned texture, int level);
  unsigned glCheckFramebufferStatus(unsigned target);
  unsigned glCreateShader(unsigned kind);
  void glShaderSource(unsigned shader, int count, const char **texts, const int *lengths);
  void glCompileShader(unsigned shader);
  void glGetShaderiv(unsigned shader, unsigned name, int *value);
  void glGetShaderInfoLog(unsigned shader, int room, int *length, char *text);
  void glDeleteShader(unsigned shader);
  unsigned glCreateProgram(void);
  void glAttachShader(unsigned program, unsigned shader);
  void glLinkProgram(unsigned program);
  void glGetProgramiv(unsigned program, unsigned name, int *value);
  void glGetProgramInfoLog(unsigned program, int room, int *length, char *text);
  void glUseProgram(unsigned program);
  void glDeleteProgram(unsigned program);
  int glGetAttribLocation(unsigned program, const char *name);
  int glGetUniformLocation(unsigned program, const char *name);
  void glUniform1i(int location, int x);
  void glUniform1f(int location, float x);
  void glUniform2f(int location, float x, float y);
  void glUniform3f(int location, float x, float y, float z);
  void glUniform4f(int location, float x, float y, float z, float w);
  void glUniformMatrix4fv(int location, int count, unsigned char transpose, const float *values);
  void glGenVertexArrays(int n, unsigned *arrays);
  void glDeleteVertexArrays(int n, const unsigned *arrays);
  void glBindVertexArray(unsigned array);
  void glEnableVertexAttribArray(unsigned index);
  void glVertexAttribPointer(unsigned index, int size, unsigned type, unsigned char norm, int stride, const void *at);
  void glDrawArrays(unsigned mode, int first, int count);
  void glDrawElements(unsigned mode, int count, unsigned type, const void *offset);
]]

local constants = {
  NO_ERROR = 0, VENDOR = 0x1f00, RENDERER = 0x1f01, VERSION = 0x1f02,
  POINTS = 0, LINES = 1, LINE_STRIP = 3, TRIANGLES = 4, TRIANGLE_STRIP = 5,
  ZERO = 0, ONE = 1, SRC_ALPHA = 0x302, ONE_MINUS_SRC_ALPHA = 0x303,
  BLEND = 0xbe2, DEPTH_TEST = 0xb71, SCISSOR_TEST = 0xc11, PROGRAM_POINT_SIZE = 0x8642,
  DEPTH_BUFFER_BIT = 0x100, COLOR_BUFFER_BIT = 0x4000,
  BYTE = 0x1400, UNSIGNED_BYTE = 0x1401, SHORT = 0x1402, UNSIGNED_SHORT = 0x1403, INT = 0x1404, UNSIGNED_INT = 0x1405,
  FLOAT = 0x1406, HALF_FLOAT = 0x140b,
  RED = 0x1903, RG = 0x8227, RGB = 0x1907, RGBA = 0x1908, RED_INTEGER = 0x8d94, RGBA_INTEGER = 0x8d99,
  R8 = 0x8229, RG8 = 0x822b, RGB8 = 0x8051, RGBA8 = 0x8058, R16F = 0x822d, RGBA16F = 0x881a, R32F = 0x822e,
  RG32F = 0x8230, RGBA32F = 0x8814, R32UI = 0x8236, R32I = 0x8235, RGBA8UI = 0x8d7c,
  DEPTH_COMPONENT24 = 0x81a6,
  ARRAY_BUFFER = 0x8892, ELEMENT_ARRAY_BUFFER = 0x8893, PIXEL_PACK_BUFFER = 0x88eb, PIXEL_UNPACK_BUFFER = 0x88ec,
  UNIFORM_BUFFER = 0x8a11, COPY_READ_BUFFER = 0x8f36, COPY_WRITE_BUFFER = 0x8f37,
  ARRAY_BUFFER_BINDING = 0x8894, TEXTURE_BINDING_2D = 0x8069, RENDERBUFFER_BINDING = 0x8ca7,
  FRAMEBUFFER_BINDING = 0x8ca6, READ_FRAMEBUFFER_BINDING = 0x8caa, PIXEL_PACK_BUFFER_BINDING = 0x88ed,
  STREAM_DRAW = 0x88e0, STATIC_DRAW = 0x88e4, DYNAMIC_DRAW = 0x88e8,
  TEXTURE_2D = 0xde1, TEXTURE_3D = 0x806f, TEXTURE_RECTANGLE = 0x84f5, TEXTURE_CUBE_MAP = 0x8513,
  TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515, TEXTURE_2D_ARRAY = 0x8c1a, TEXTURE0 = 0x84c0,
  TEXTURE_MIN_FILTER = 0x2801, TEXTURE_MAG_FILTER = 0x2800, NEAREST = 0x2600, LINEAR = 0x2601,
  TEXTURE_MAX_LEVEL = 0x813d,
  RENDERBUFFER = 0x8d41, FRAMEBUFFER = 0x8d40, READ_FRAMEBUFFER = 0x8ca8, DRAW_FRAMEBUFFER = 0x8ca9,
  COLOR_ATTACHMENT0 = 0x8ce0, DEPTH_ATTACHMENT = 0x8d00, FRAMEBUFFER_COMPLETE = 0x8cd5,
  VERTEX_SHADER = 0x8b31, FRAGMENT_SHADER = 0x8b30, COMPILE_STATUS = 0x8b81, LINK_STATUS = 0x8b82,
  PACK_ALIGNMENT = 0xd05, PACK_ROW_LENGTH = 0xd02, UNPACK_ALIGNMENT = 0xcf5, UNPACK_ROW_LENGTH = 0xcf2,
}

local functions = library.functions("gl", "gl", prototypes, egl.address)

---OpenGL for a context of gl.headless(): functions without "gl", constants without "GL_".
---@class cudalua.gl.functions
return setmetatable({}, { __index = function(t, name)
  if type(name) ~= "string" then
    errors.raise("LogicError", "gl: expected the name of a function or constant, got " .. errors.text(name))
  end
  local value = constants[name] or functions[name]
  rawset(t, name, value)
  return value
end })
