-- The functions and constants of OpenGL that computing and drawing without a window needs. declare() adds others.

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
  void glLineWidth(float width);
  void glPointSize(float size);
  void glScissor(int x, int y, int width, int height);
  void glDepthFunc(unsigned test);
  void glDepthMask(unsigned char on);
  void glColorMask(unsigned char r, unsigned char g, unsigned char b, unsigned char a);
  void glCullFace(unsigned face);
  void glFrontFace(unsigned order);
  void glPolygonMode(unsigned face, unsigned mode);
  void glBlendEquation(unsigned mode);
  void glBlendFunc(unsigned source, unsigned destination);
  void glPixelStorei(unsigned name, int value);
  void glReadPixels(int x, int y, int width, int height, unsigned format, unsigned type, void *pixels);
  void glGenBuffers(int n, unsigned *buffers);
  void glDeleteBuffers(int n, const unsigned *buffers);
  void glBindBuffer(unsigned target, unsigned buffer);
  void glBufferData(unsigned target, ptrdiff_t size, const void *data, unsigned usage);
  void glBufferSubData(unsigned target, ptrdiff_t offset, ptrdiff_t size, const void *data);
  void glGetBufferSubData(unsigned target, ptrdiff_t offset, ptrdiff_t size, void *data);
  void *glMapBuffer(unsigned target, unsigned access);
  void *glMapBufferRange(unsigned target, ptrdiff_t offset, ptrdiff_t size, unsigned access);
  unsigned char glUnmapBuffer(unsigned target);
  void glCopyBufferSubData(unsigned from, unsigned to, ptrdiff_t read, ptrdiff_t write, ptrdiff_t size);
  void glBindBufferBase(unsigned target, unsigned index, unsigned buffer);
  void glGenTextures(int n, unsigned *textures);
  void glDeleteTextures(int n, const unsigned *textures);
  void glActiveTexture(unsigned unit);
  void glBindTexture(unsigned target, unsigned texture);
  void glTexParameteri(unsigned target, unsigned name, int value);
  void glTexImage2D(unsigned target, int level, int internal, int w, int h, int, unsigned, unsigned, const void *);
  void glTexImage3D(unsigned, int level, int internal, int w, int h, int d, int, unsigned, unsigned, const void *);
  void glTexSubImage2D(unsigned, int level, int x, int y, int w, int h, unsigned format, unsigned type, const void *);
  void glGenerateMipmap(unsigned target);
  void glBindImageTexture(unsigned, unsigned, int level, unsigned char, int layer, unsigned access, unsigned format);
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
  void glVertexAttribDivisor(unsigned index, unsigned divisor);
  void glDrawArraysInstanced(unsigned mode, int first, int count, int instances);
  void glDispatchCompute(unsigned x, unsigned y, unsigned z);
  void glMemoryBarrier(unsigned what);
  void glDrawElements(unsigned mode, int count, unsigned type, const void *offset);
]]

local constants = {
  NO_ERROR = 0, INVALID_ENUM = 0x500, INVALID_VALUE = 0x501, INVALID_OPERATION = 0x502, OUT_OF_MEMORY = 0x505, VENDOR = 0x1f00, RENDERER = 0x1f01, VERSION = 0x1f02,
  POINTS = 0, LINES = 1, LINE_STRIP = 3, TRIANGLES = 4, TRIANGLE_STRIP = 5,
  ZERO = 0, ONE = 1, SRC_ALPHA = 0x302, ONE_MINUS_SRC_ALPHA = 0x303,
  CULL_FACE = 0xb44, FRONT = 0x404, BACK = 0x405, LESS = 0x201, LEQUAL = 0x203, LINE = 0x1b01, FILL = 0x1b02,
  FRONT_AND_BACK = 0x408, BLEND = 0xbe2, DEPTH_TEST = 0xb71, SCISSOR_TEST = 0xc11, PROGRAM_POINT_SIZE = 0x8642,
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
  SHADER_STORAGE_BUFFER = 0x90d2, SHADER_STORAGE_BARRIER_BIT = 0x2000, ALL_BARRIER_BITS = 0xffffffff,
  READ_ONLY = 0x88b8, WRITE_ONLY = 0x88b9, READ_WRITE = 0x88ba, MAP_READ_BIT = 1, MAP_WRITE_BIT = 2,
  STREAM_DRAW = 0x88e0, STATIC_DRAW = 0x88e4, DYNAMIC_DRAW = 0x88e8,
  TEXTURE_2D = 0xde1, TEXTURE_3D = 0x806f, TEXTURE_RECTANGLE = 0x84f5, TEXTURE_CUBE_MAP = 0x8513,
  TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515, TEXTURE_2D_ARRAY = 0x8c1a, TEXTURE0 = 0x84c0,
  TEXTURE_MIN_FILTER = 0x2801, TEXTURE_MAG_FILTER = 0x2800, NEAREST = 0x2600, LINEAR = 0x2601,
  TEXTURE_MAX_LEVEL = 0x813d,
  RENDERBUFFER = 0x8d41, FRAMEBUFFER = 0x8d40, READ_FRAMEBUFFER = 0x8ca8, DRAW_FRAMEBUFFER = 0x8ca9,
  COLOR_ATTACHMENT0 = 0x8ce0, DEPTH_ATTACHMENT = 0x8d00, FRAMEBUFFER_COMPLETE = 0x8cd5,
  COMPUTE_SHADER = 0x91b9, VERTEX_SHADER = 0x8b31, FRAGMENT_SHADER = 0x8b30, COMPILE_STATUS = 0x8b81, LINK_STATUS = 0x8b82,
  PACK_ALIGNMENT = 0xd05, PACK_ROW_LENGTH = 0xd02, UNPACK_ALIGNMENT = 0xcf5, UNPACK_ROW_LENGTH = 0xcf2,
}

local functions = library.functions("gl", "gl", prototypes, egl.address)
local declared = {} -- by name, the table of functions that has it

---Adds functions of OpenGL that cudalua.gl does not declare: `gl.declare "void glLogicOp(unsigned operation);"`. Constants
---are fields: `gl.COPY = 0x1503`.
---@param text string  C prototypes, one a line
---@raise LogicError unless it is text with prototypes
local function declare(text)
  local found = type(text) == "string" and library.functions("gl", "gl", text, egl.address)
  local count = 0
  for name in (found and text or ""):gmatch "%f[%w]gl(%u[%w_]*)%s*%(" do
    declared[name], count = found, count + 1
  end
  if count == 0 then
    errors.raise("LogicError", "gl.declare: expected prototypes such as \"void glLogicOp(unsigned operation);\", got " ..
      errors.text(text))
  end
end

local function find(name)
  if constants[name] then return constants[name] end
  if declared[name] then return declared[name][name] end
  if prototypes:find("gl" .. name .. "(", 1, true) then return functions[name] end
  errors.raise("LogicError", ("gl: %s is not declared; gl.declare \"void gl%s(...);\" adds a function, gl.%s = 0x... a "
    .. "constant"):format(name, name, name))
end

---OpenGL for a context of gl.headless(): functions without "gl", constants without "GL_". declare(text) adds functions.
---@class cudalua.gl.functions
return setmetatable({ declare = declare }, { __index = function(t, name)
  if type(name) ~= "string" then
    errors.raise("LogicError", "gl: expected the name of a function or constant, got " .. errors.text(name))
  end
  local value = find(name)
  rawset(t, name, value)
  return value
end })
