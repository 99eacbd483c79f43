-- The libraries of EGL and OpenGL, opened when they are first asked for, and their functions by name.

local ffi = require "ffi"
local errors = require "cudalua.base.errors"

ffi.cdef [[
  void *cudalua_gl_dlopen(const char *name, int flags) __asm__("dlopen");
  void *cudalua_gl_dlsym(void *library, const char *name) __asm__("dlsym");
]]

local M = {}

-- NODELETE: threads of OpenGL outlive this Lua state, and must find their code.
local RTLD_LAZY, RTLD_NODELETE = 1, 0x1000

local INSTALL = "on Debian and Ubuntu: apt-get install libegl1 libgl1-mesa-dri; NVIDIA's driver brings its own part of "
  .. "EGL (libnvidia-gl)"
M.INSTALL = INSTALL

local egl

local function open()
  egl = egl or ffi.C.cudalua_gl_dlopen("libEGL.so.1", RTLD_LAZY + RTLD_NODELETE)
  return egl ~= nil and egl or nil
end

---Is EGL's library there?
---@return boolean
function M.present() return open() ~= nil end

-- "void *eglGetDisplay(int x)" -> "eglGetDisplay", "void * (*)(int x)"
local function take_apart(prototype)
  local result, name, parameters = prototype:match "^%s*(.-)([%w_]+)(%b())%s*$"
  return name, result .. "(*)" .. parameters
end

---A table of functions with these prototypes, one a line; `prefix` is cut off their names. Each is looked up when it is
---first used.
---@param where string       function, for messages
---@param prefix string      "egl", "gl"
---@param prototypes string
---@param find fun(name: string): ffi.cdata*?  its address, or NULL
---@return table<string, function>
function M.functions(where, prefix, prototypes, find)
  local types = {}
  for line in prototypes:gmatch "[^\n;]+" do
    if line:find "%(" then
      local name, ctype = take_apart(line)
      types[name:sub(#prefix + 1)] = ctype
    end
  end
  return setmetatable({}, { __index = function(t, name)
    local ctype = types[name]
    if not ctype then
      errors.raise("LogicError", ("%s: %s%s is not one of the functions that cudalua.gl declares"):format(where, prefix,
        tostring(name)))
    end
    local address = find(prefix .. name)
    if address == nil then
      errors.raise("RuntimeError", ("%s: this OpenGL has no %s%s"):format(where, prefix, name))
    end
    local f = ffi.cast(ctype, address)
    rawset(t, name, f)
    return f
  end })
end

---The address of a function of EGL.
---@param name string
---@return ffi.cdata*?
function M.egl_symbol(name)
  local library = open()
  if not library then
    errors.raise("RuntimeError", "EGL is not installed: libEGL.so.1 cannot be opened", { hint = INSTALL })
  end
  return ffi.C.cudalua_gl_dlsym(library, name)
end

return M
