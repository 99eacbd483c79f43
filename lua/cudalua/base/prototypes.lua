-- Shared libraries that are opened at run time, and their functions by C prototypes.

local ffi = require "ffi"
local errors = require "cudalua.base.errors"

ffi.cdef [[
  void *cudalua_dlopen(const char *name, int flags) __asm__("dlopen");
  void *cudalua_dlsym(void *library, const char *name) __asm__("dlsym");
  char *cudalua_dlerror(void) __asm__("dlerror");
  struct cudalua_dlinfo { const char *file; void *base; const char *name; void *address; };
  int cudalua_dladdr(const void *address, struct cudalua_dlinfo *info) __asm__("dladdr");
]]

local M = {}

-- NODELETE: threads of a library outlive this Lua state and must find their code.
local RTLD_LAZY, RTLD_NOLOAD, RTLD_NODELETE = 1, 4, 0x1000

---Opens a shared library, which stays until the process ends.
---@param name string      a path, or a name that the dynamic linker looks for
---@param loaded? boolean  only if the process has loaded it already
---@return ffi.cdata*? library  nil: it cannot be opened
---@return string? why
function M.open(name, loaded)
  local library = ffi.C.cudalua_dlopen(name, RTLD_LAZY + RTLD_NODELETE + (loaded and RTLD_NOLOAD or 0))
  if library ~= nil then return library end
  local why = ffi.C.cudalua_dlerror()
  return nil, why ~= nil and ffi.string(why) or name .. " cannot be opened"
end

---The address of a name in a library.
---@param library ffi.cdata*
---@param name string
---@return ffi.cdata* address  NULL: it has no such name
function M.symbol(library, name) return ffi.C.cudalua_dlsym(library, name) end

---The file that an address of a function is in.
---@param address ffi.cdata*
---@return string? path
function M.file(address)
  local info = ffi.new "struct cudalua_dlinfo"
  return address ~= nil and ffi.C.cudalua_dladdr(address, info) ~= 0 and info.file ~= nil and ffi.string(info.file)
    or nil
end

-- "void *eglGetDisplay(int x)" -> "eglGetDisplay", "void * (*)(int x)"
local function take_apart(prototype)
  local result, name, parameters = prototype:match "^%s*(.-)([%w_]+)(%b())%s*$"
  return name, result .. "(*)" .. parameters
end

---What a table of functions is made of.
---@class cudalua.base.Prototypes
---@field where string       the function, for messages
---@field owner string       who declares them: "cudalua.gl"
---@field library string     what has them: "OpenGL"
---@field prefix string      cut off their names: "egl", "gl"
---@field prototypes string  one a line, or with ";" between them
---@field find fun(name: string): ffi.cdata*?  the address, or NULL

---A table of functions by prototypes. Each is looked up when it is first used.
---@param p cudalua.base.Prototypes
---@return table<string, function>
function M.functions(p)
  local types = {}
  -- A prototype may go on in the next line: it ends behind its ")".
  for prototype in p.prototypes:gsub("\n%s*", " "):gsub("%)[ ;]*", ")\n"):gmatch "[^\n]+" do
    if prototype:find "%(" then
      local name, ctype = take_apart(prototype)
      types[name:sub(#p.prefix + 1)] = ctype
    end
  end
  return setmetatable({}, { __index = function(t, name)
    local ctype = types[name]
    if not ctype then
      errors.raise("LogicError", ("%s: %s%s is not one of the functions that %s declares"):format(p.where, p.prefix,
        tostring(name), p.owner))
    end
    local address = p.find(p.prefix .. name)
    if address == nil then
      errors.raise("RuntimeError", ("%s: this %s has no %s%s"):format(p.where, p.library, p.prefix, name))
    end
    local f = ffi.cast(ctype, address)
    rawset(t, name, f)
    return f
  end })
end

return M
